# SPDX-License-Identifier: GPL-2.0-or-later
#
# What frr-reload has to know of clusterd's sections.  make_frr_reload.py puts
# this into a copy of FRR's script, in front of its main part.


def cluster_section(ctx_keys):
    """Whether a context is one of clusterd's sections."""
    return ctx_keys[0].startswith(tuple(CLUSTER_SECTIONS))


def cluster_ours(ctx_keys):
    """Whether a context is ours: a section, or a command that is none."""
    return cluster_section(ctx_keys) or ctx_keys[0].startswith("cluster ")


def cluster_kept(ctx_keys):
    """
    Whether a context is an entry of a route-map that clusterd keeps in bgpd:
    what a file has of it is never newer than what bgpd has.
    """
    return ctx_keys[0].startswith("route-map CLUSTERD-")


# Lines of which there can be several, each a thing of its own.
CLUSTER_ENTRIES = (
    "address",
    "community",
    "large-community",
    "route",
    "site-prefix",
    "tunnel-address",
)

# First words that several leaves share; tests/vtysh/test_frr_reload.py looks.
CLUSTER_TWO_WORDS = (
    "condition",
    "down",
    "drain",
    "expect",
    "gateway",
    "report",
    "route-loss",
    "site-prefixes",
    "site-route",
    "tls",
    "tunnel",
    "uplink",
)


def cluster_leaf(section, line):
    """
    What a line inside a section sets: a line with the same leaf replaces it.

    A member is known by its address, the rest of the line are its attributes;
    of an address or a community, there is nothing but itself.
    """
    words = line.split()
    if words[:1] == ["route"] and words[1] in ("distance", "metric", "tag"):
        return tuple(words[:2])
    if words[0] in CLUSTER_ENTRIES or words[::2] == ["probe", "also"]:
        return tuple(words)
    if words[0] == "member":
        return tuple(words[:2])
    if words[0] == "next-hop":
        # on the link of an interface it is another one
        i = words.index("interface") if "interface" in words else len(words)
        return tuple(words[:2] + words[i : i + 2])
    if words[0] in CLUSTER_TWO_WORDS:
        return tuple(words[:2])
    if words[0] == "interface" and section.startswith("cluster responder "):
        return tuple(words)
    if words[:3] == ["handoff", "nat", "source"]:
        # one of each family
        return tuple(words[:3] + [":" in words[3]])
    if words[0] == "handoff":
        return tuple(words)
    if words[0] == "listen":
        return tuple(words)
    if words[0] == "peer":
        # all but its attribute: address, port and VRF are who it is
        i = words.index("source") if "source" in words else len(words)
        return tuple(words[:i] + words[i + 2 :])
    return words[0]


def cluster_compare(newconf, running):
    """
    The lines that turn our sections of one {context: Context} into another.

    frr-reload does deletions first, each by a vtysh of its own: to change its
    weight, a member would be taken out and put back, and an address that moves
    to another VIP would be withdrawn in between.  Here everything is one list
    of lines that are sent together: first what goes, without what an added
    line of the same section replaces, then what comes.
    """
    gone = [(("no " + keys[0],), None) for keys in running if keys not in newconf]
    added = []
    for keys, context in newconf.items():
        if keys not in running:
            added.append((keys, None))
            added += [(keys, line) for line in context.lines]
            continue
        old, new = running[keys], context
        lines = [line for line in new.lines if line not in old.dlines]
        replaced = {cluster_leaf(keys[0], line) for line in lines}
        gone += [
            (keys, "no " + line)
            for line in old.lines
            if line not in new.dlines and cluster_leaf(keys[0], line) not in replaced
        ]
        added += [(keys, line) for line in lines]
    return gone + added


def cluster_join_sections(commands):
    """
    One block of commands for each of our sections, not one for each line.

    `commands` is what frr-reload is going to write for vtysh: each line
    separately with its section's first line, and on FRR 8 never an exit.  The
    daemon loads many sections fast only if they are entered once and left.
    """
    joined = []
    for command in commands:
        first, *lines = command.rstrip("\n").split("\n")
        if not cluster_section([first]):
            joined.append(command)
            continue
        lines = [line + "\n" for line in lines if line.strip() != "exit"]
        if joined and joined[-1].startswith(first + "\n"):
            joined[-1] = joined[-1][: -len("exit\n")]
        else:
            joined.append(first + "\n")
        joined[-1] += "".join(lines) + "exit\n"
    return joined


def compare_context_objects(newconf, running):
    """
    FRR's comparison for FRR's contexts, and ours for ours behind it; the
    route-maps that clusterd keeps are left alone.
    """
    parts = {True: [], False: []}
    for config in (newconf, running):
        for ours, part in parts.items():
            part.append(
                OrderedDict(
                    (keys, context)
                    for (keys, context) in config.contexts.items()
                    if cluster_ours(keys) is ours and not cluster_kept(keys)
                )
            )
    everything = (newconf.contexts, running.contexts)
    newconf.contexts, running.contexts = parts[False]
    try:
        (lines_to_add, lines_to_del) = frr_compare_context_objects(newconf, running)
    finally:
        newconf.contexts, running.contexts = everything
    return (lines_to_add + cluster_compare(*parts[True]), lines_to_del)


# FRR 10.3 cuts the VRF off the file's `interface IFNAME vrf NAME`, because zebra
# shows none where VRFs are devices.  Where they are network namespaces zebra does
# show it, and FRR's script would delete the interface and put its lines into that
# of the default VRF.
if "get_normalized_interface_vrf" in globals():
    frr_get_normalized_interface_vrf = get_normalized_interface_vrf

    def get_normalized_interface_vrf(line):
        """FRR's, but the VRF stays if it is a network namespace."""
        vrf = re.search(r"^interface \S+ vrf (\S+)$", line)
        if vrf and os.path.exists("/var/run/netns/" + vrf[1]):
            return line
        return frr_get_normalized_interface_vrf(line)
