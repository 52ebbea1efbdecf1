# SPDX-License-Identifier: GPL-2.0-or-later
#
# What frr-reload has to know of clusterd's sections.  make_frr_reload.py puts
# this into a copy of FRR's script, in front of its main part.


def cluster_section(ctx_keys):
    """Whether a context is one of clusterd's sections."""
    return ctx_keys[0].startswith(tuple(CLUSTER_SECTIONS))


def cluster_leaf(line):
    """
    What a line inside a section sets: a line with the same leaf replaces it.

    A member is known by its address, the rest of the line are its attributes;
    of an address, there is nothing but the address itself.
    """
    words = line.split()
    if words[0] == "address":
        return tuple(words)
    if words[0] == "member":
        return tuple(words[:2])
    return words[0]


def cluster_one_change(lines_to_add, lines_to_del):
    """
    Makes everything that changes in our sections one change.

    frr-reload does deletions first, each by a vtysh of its own: to change its
    weight, a member would be taken out and put back, and an address that moves
    to another VIP would be withdrawn in between.  So a deletion is dropped if
    an added line of the same section replaces what it deletes, and the others
    go in front of the additions, which are sent together.
    """
    replaced = {
        (ctx_keys, cluster_leaf(line))
        for (ctx_keys, line) in lines_to_add
        if line and cluster_section(ctx_keys)
    }
    others, first = [], []
    for ctx_keys, line in lines_to_del:
        if not cluster_section(ctx_keys):
            others.append((ctx_keys, line))
        elif not line:
            first.append((("no " + ctx_keys[0],), None))
        elif (ctx_keys, cluster_leaf(line)) not in replaced:
            first.append((ctx_keys, "no " + line))
    return (first + lines_to_add, others)


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
    """FRR's comparison, with our sections changed as a whole."""
    return cluster_one_change(*frr_compare_context_objects(newconf, running))
