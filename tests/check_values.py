#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Every value that a state can have is known to the YANG modules, and to a test.

The enumerations of operational data and of notifications, against the texts that the
sources have for them: as many, and the same. For each value a test that brings the state
about and names it; where that is a topotest, it reads the leaf, or `show`, which has the
same text from the same function. And each notification, with each of its leaves, is
waited for by a topotest; each leaf of operational data is named by one, or compared with
`show` as a part of its module (lib_same.py). Skipped where topotests aren't: they are no
part of a tarball.
"""

import ast
import functools
import os
import re
import sys
from collections import namedtuple

TOP = os.environ.get("CLUSTER_SRCDIR", ".")
TOPOTESTS = os.path.join(TOP, "topotests")
sys.path.insert(0, TOPOTESTS)
# pylint: disable=wrong-import-position
import lib_schema  # noqa: E402

# leaves: of the modules. texts: (source, function or array[, texts of it that count]).
# seen: {value: the test}.
Values = namedtuple("Values", "leaves texts seen")


def by(test, *values):
    "These values are seen by that test."
    return dict.fromkeys(values, test)


SKIPPED = 77  # to automake
CONTROL = "clusterd_control_topo1::test_operational_of_"
HUB1 = "clusterd_hub_oper_topo1::test_"
HUB2 = "clusterd_hub_oper_topo2::test_"
BARE = "clusterd_oper_topo1::test_without_what_they_need"
TROUBLE = "clusterd_gateway_topo1::test_operational_data_of_trouble"
EVENTS = "clusterd_oper_topo1::test_events"
COUNTERS = "clusterd_probe_topo1::test_counters"
HANDOFF = "clusterd_handoff_topo1::test_states_and_configuration"
ANYCAST = "clusterd_vip_anycast_topo1::test_"
UPS = ("up", "down")

ENUMERATIONS = (
    Values(
        (
            "frr-clusterd:/cluster-summary/zebra/status",
            "frr-clusterd:/zebra-change/status",
        ),
        (("cluster_vty.c", "cluster_zebra_state_name"),),
        {
            **by("clusterd_oper_topo1::test_notifications", "down", "connected"),
            "silent": "clusterd_hang_topo1::test_zebra_hangs",
            # fabricd has taken our type of routes; nothing but zebra's word differs
            "refused": "test_vip_state::test_zebra_never_there",
        },
    ),
    Values(
        (
            "frr-clusterd:/cluster-events/changes/kind",
            "frr-clusterd:/cluster-events/event/kind",
            "frr-clusterd:/state-change/kind",
        ),
        (("core/events.c", "event_kind_name"),),
        {
            **by(EVENTS, "vip", "member", "probe", "zebra"),
            "address": EVENTS + "_by_yang",
            **by(BARE, "responder", "track", "bgp-map"),
            "control": "clusterd_control_topo1::test_clean_stop",
            **by(HUB1 + "events", "hub", "edge"),
        },
    ),
    Values(
        (
            "frr-clusterd-bgp:/cluster-bgp/vrf/state/status",
            "frr-clusterd-bgp:/bgp-map-status-change/status",
        ),
        (
            ("vip/bgp_keeper.c", "why_names"),
            ("vip/bgp_policy.c", "bgp_vrf_status", ("invalid",)),
        ),
        {
            **by(
                "clusterd_policy_topo1::test_cold_start_of_bgpd",
                "in-step",
                "away",
            ),
            "back-off": "clusterd_policy_topo1::test_bgpd_refuses",
            "invalid": "clusterd_policy_topo1::test_two_vrfs_with_one_map",
            # moments between two answers of bgpd, or its first three seconds
            **by(
                "test_bgp_keeper::test_states_on_the_way",
                "unread",
                "moving",
                "writing",
            ),
            "settling": "test_bgp_keeper::test_not_within_3_s_of_the_socket",
            "loading": "test_bgp_keeper::test_not_while_loading",
            "full": "test_bgp_keeper::test_full",
        },
    ),
    Values(
        ("frr-clusterd-bgp:/cluster-bgp/vrf/state/session",),
        (("vip/bgp_keeper.c", "state_names"),),
        {
            "watching": "clusterd_policy_topo1::test_every_phase_has_its_entry",
            "away": "clusterd_policy_topo1::test_cold_start_of_bgpd",
            "off": "test_bgp_keeper::test_nothing_to_keep",
            "back-off": "test_bgp_keeper::test_refused_line",
            # moments between two answers of bgpd
            **by("test_bgp_keeper::test_states_on_the_way", "connected", "writing"),
        },
    ),
    Values(
        ("frr-clusterd-bgp:/cluster-bgp-peers/status",),
        (("vip/bgp_peers_nb.c", "bgp_peers_status_get"),),
        {
            **by(ANYCAST + "first_reader", "asking", "answered"),
            "failed": ANYCAST + "who_else_announces_without_answers",
        },
    ),
    Values(
        ("frr-clusterd-control:/cluster-control/peer/state/status",),
        (
            ("core/ctl_dial.c", "ctl_dial_state_str"),
            ("core/ctl_nb_state.c", "control_peer_state_get", ("no-socket",)),
        ),
        {
            **by(CONTROL + "a_fault", "no-socket", "calling"),
            "waiting": CONTROL + "a_rival",
            "opening": CONTROL + "an_opening",
            "joined": CONTROL + "node",
        },
    ),
    Values(
        ("frr-clusterd-control:/cluster-control/state/session/status",),
        (("core/ctl_peer.c", "ctl_peer_state_str"),),
        {
            "up": CONTROL + "session",
            **by(CONTROL + "an_opening", "down", "opening", "renewing"),
            "contested": CONTROL + "a_rival",
        },
    ),
    Values(
        ("frr-clusterd-hub:/hub-clustering/cluster/state/status",),
        (("hubcluster/hc_view.c", "hcd_status_name"),),
        by(HUB1 + "gateway", "running", "waiting", "shutdown"),
    ),
    Values(
        ("frr-clusterd-hub:/hub-clustering/hub/state/status",),
        (("hubcluster/hc_view.c", "hcd_status_name"),),
        by(HUB1 + "hub_without_gateways", "running", "waiting", "shutdown"),
    ),
    Values(
        ("frr-clusterd-hub:/hub-clustering/edge/state/status",),
        (("hubcluster/hc_view.c", "hcd_status_name"),),
        {
            **by(HUB1 + "edge_without_gateways", "running", "waiting"),
            "shutdown": HUB2 + "gateway_that_waits",
        },
    ),
    Values(
        ("frr-clusterd-hub:/hub-clustering/edge/state/phase",),
        (("hubcluster/hc_edge_view.c", "hc_edge_state_str"),),
        {
            "idle": HUB2 + "gateway_that_waits",
            "connecting": HUB2 + "tunnel_fails",
            **by(HUB2 + "two_hubs", "attached", "moving"),
        },
    ),
    Values(
        (
            "frr-clusterd-hub:/hub-clustering/hub/state/edge/prefix/route",
            "frr-clusterd-hub:/hub-clustering/edge/state/route/status",
        ),
        (("hubcluster/hc_view.c", "hcd_route_status_name"),),
        {
            "unwanted": HUB2 + "gateway_that_waits",
            **by(HUB2 + "routes_without_zebra", "unsent", "pending", "installed"),
            "better-won": HUB2 + "routes_of_others",
            # the kernel refuses no route of this form; a removed one is sent at once
            **by("test_route_table::test_status_follows_zebra", "failed", "removed"),
        },
    ),
    Values(
        ("frr-clusterd-hub:/hub-change/change",),
        (("hubcluster/hc_notify.c", "gateway_event"),),
        {
            **by(
                HUB2 + "hub_unlike_the_first",
                "joined",
                "left",
                "refused",
                "differs",
                "same-asn",
            ),
            **by(
                "clusterd_hub_topo2::test_notifications", "routes-lost", "routes-back"
            ),
        },
    ),
    Values(
        ("frr-clusterd-hub:/own-hub-change/change",),
        (("hubcluster/hc_notify.c", "edge_event"),),
        {
            **by(HUB1 + "notifications", "moved", "lost", "no-hub"),
            "failed": HUB2 + "tunnel_fails",
            "ignored": "clusterd_hub_topo2::test_gateways_disagree",
        },
    ),
    Values(
        (
            "frr-clusterd-probe:/cluster-probes/probe/state/instance/verdict",
            "frr-clusterd-probe:/probe-verdict-change/verdict",
        ),
        (("probe/probe_config.c", "probe_verdict_str"),),
        {
            **by("clusterd_oper_topo1::test_notifications", *UPS),
            "unknown": "clusterd_oper_topo1::test_probe_of_another",
        },
    ),
    Values(
        ("frr-clusterd-probe:/cluster-probes/probe/state/instance/last-result",),
        (("probe/probe.c", "probe_result_token"),),
        {
            **by("clusterd_oper_topo1::test_probes", "pass", "refused"),
            **by(COUNTERS, "unreachable", "response", "not-up", "local"),
            "timeout": "test_probe_engine::test_timeout",
        },
    ),
    Values(
        ("frr-clusterd-probe:/cluster-probes/probe/state/instance/hold-state",),
        (("probe/probe_hold.c", "probe_hold_state_str"),),
        {
            **by("clusterd_oper_topo1::test_probes", "idle", "held"),
            "connecting": "test_probe_hold::test_table",
        },
    ),
    Values(
        ("frr-clusterd-probe:/cluster-probes/probe/state/instance/heartbeat-state",),
        (("probe/probe_heartbeat_track.c", "probe_heartbeat_look_str"),),
        {
            **by(
                "clusterd_probetypes_topo1::test_heartbeat", "up", "missing", "goodbye"
            ),
            **by("test_probe_heartbeat::test_track_start", "waiting", "rising"),
        },
    ),
    Values(
        (
            "frr-clusterd-responder:/cluster-responders/responder/state/address/status",
            "frr-clusterd-responder:/responder-status-change/status",
        ),
        (("responder/responder_decide.c", "state_names"),),
        {
            **by(BARE, "shutdown", "incomplete"),
            **by(
                "clusterd_responder_topo1::test_few_descriptors", "failed", "answering"
            ),
            **by(
                "test_responder_decide::test_rules",
                "conflict",
                "waiting",
                "held",
            ),
        },
    ),
    Values(
        (
            "frr-clusterd-responder:/cluster-responders/responder/state/handoff/status",
            "frr-clusterd-responder:/responder-handoff-change/status",
        ),
        (("responder/responder_handoff.c", "state_names"),),
        {
            **by("clusterd_handoff_topo1::test_shown", "off", "waiting", "active"),
            **by(HANDOFF, "incomplete", "conflict"),
            "failed": "clusterd_handoff_topo1::test_refused_by_the_kernel",
        },
    ),
    Values(
        (
            "frr-clusterd-responder:/cluster-responders/responder/state/last-requester/kind",
        ),
        (("responder/responder_packet.c", "kind_names", ("arp", "neighbor", "echo")),),
        {
            "arp": "test_responder_packet::test_arp",
            "neighbor": "test_responder_packet::test_neighbor",
            "echo": "clusterd_responder_topo1::test_ping",
        },
    ),
    Values(
        (
            "frr-clusterd-track:/cluster-tracks/state/announcement/ipv4",
            "frr-clusterd-track:/cluster-tracks/state/announcement/ipv6",
            "frr-clusterd-track:/cluster-tracks/track/state/announced/ipv4",
            "frr-clusterd-track:/cluster-tracks/track/state/announced/ipv6",
        ),
        (("track/track_codec.c", "track_level_name"),),
        by(TROUBLE, "none", "unreachable", "worse", "reachable"),
    ),
    Values(
        ("frr-clusterd-track:/cluster-tracks/track/next-hop/state/status",),
        (("track/track_nb.c", "hop_state_get", UPS),),
        by("clusterd_track_topo1::test_operational_data", *UPS),
    ),
    Values(
        ("frr-clusterd-track:/track-next-hop-change/status",),
        (("track/track_nb.c", "track_notify_hop", UPS),),
        by("clusterd_track_topo1::test_ecmp", *UPS),
    ),
    Values(
        (
            "frr-clusterd-track:/cluster-tracks/track/state/route/status",
            "frr-clusterd-track:/track-route-change/status",
        ),
        (("track/track_decide.c", "track_state_name"),),
        {
            **by("clusterd_track_topo1::test_ecmp", *UPS),
            "degraded": "clusterd_track_topo1::test_bgp_and_down_metric",
            "last-resort": "clusterd_track_topo1::test_last_resort",
            **by("clusterd_track_topo1::test_somebody_else", "conflict", "shutdown"),
            "waiting": "clusterd_track_topo1::test_vrf",
            "incomplete": BARE,
        },
    ),
    Values(
        ("frr-clusterd-vip:/cluster-vips/vip/member/state/status",),
        (("vip/vip_nb_state.c", "vip_member_state_status", UPS),),
        by("clusterd_oper_topo1::test_vips", *UPS),
    ),
    Values(
        (
            "frr-clusterd-vip:/cluster-vips/vip/state/status",
            "frr-clusterd-vip:/cluster-vips/vip/state/address/status",
            "frr-clusterd-vip:/vip-status-change/status",
            "frr-clusterd-bgp:/cluster-bgp-peers/vip/address/state",
        ),
        (("vip/vip_reason.c", "vip_state_name"),),
        {
            **by(
                "clusterd_oper_topo1::test_notifications",
                "announced",
                "shutdown",
                "down",
            ),
            "partial": "clusterd_vip_topo1::test_one_family_fails",
            "pending": "clusterd_restart_topo1::test_announced_only_when_installed",
            "hidden": "clusterd_local_topo1::test_address_on_lo",
            "rejected": "clusterd_local_topo1::test_kernel_refuses",
            "waiting": "clusterd_local_topo1::test_zebra_dies",
            **by("clusterd_drain_topo1::test_file", "draining", "drained"),
            "held": "clusterd_drain_topo1::test_flapping_service",
            "invalid": "clusterd_local_topo1::test_members_and_local_exclude_each_other",
        },
    ),
    Values(
        ("frr-clusterd-vip:/cluster-vips/vip/state/address/local-route",),
        (("core/local_table.c", "local_status_name"),),
        {
            "none": "clusterd_local_topo1::test_nothing_before_the_service_is_up",
            "set": "clusterd_local_topo1::test_hold_by_yang",
            "held": "clusterd_local_topo1::test_hold_by_yang",
            "failed": "clusterd_local_topo1::test_kernel_refuses",
            # until the kernel's answer, which nothing can hold up
            "waiting": "test_local_table::test_set",
            "going": "test_local_table::test_hold",
        },
    ),
)


def read(*path):
    with open(os.path.join(TOP, *path), encoding="utf-8") as file:
        return file.read()


def texts_of(source, name, counted=None):
    "{text: the identifiers that have it}, of an array or a function."
    pattern = r"\b%s(?:\([^;{]*\)\n|\[[^=;]*= ?)\{(.*?)\n\}" % name
    body = re.search(pattern, read("clusterd", source), re.S)[1]
    found = {}
    pairs = re.findall(r"\[(\w+)\]\s*=\s*\"([^\"]+)\"", body)
    for cases, text in re.findall(r"((?:case \w+:\s*)+)return \"([^\"]+)\"", body):
        pairs += [(case, text) for case in re.findall(r"case (\w+):", cases)]
    if not pairs:
        pairs = [("", text) for text in re.findall(r"\"([^\"]+)\"", body)]
    for identifier, text in pairs:
        if not counted or text in counted:
            found.setdefault(text, set()).add(identifier)
    return found


def definitions(path):
    "{name: node} of a module's functions, classes and variables."
    found = {}
    for node in ast.parse(read("topotests", path)).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found[node.name] = node
        elif isinstance(node, ast.Assign):
            for name in (n for target in node.targets for n in ast.walk(target)):
                if isinstance(name, ast.Name):
                    found[name.id] = node
    return found


@functools.lru_cache(maxsize=None)
def topotest(folder):
    "Of all files of a folder."
    found = {}
    for name in sorted(os.listdir(os.path.join(TOPOTESTS, folder))):
        if name.endswith(".py"):
            found.update(definitions(os.path.join(folder, name)))
    return found


def words(own, name):
    "Texts and names of arguments of a function and of all that it uses in its folder."
    todo, done, found = [name], set(), set()
    while todo:
        name = todo.pop()
        if name in done or name not in own:
            continue
        done.add(name)
        for node in ast.walk(own[name]):
            if isinstance(node, (ast.Name, ast.Attribute)):
                todo.append(node.id if isinstance(node, ast.Name) else node.attr)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
            elif isinstance(node, ast.keyword) and node.arg:
                found.add(node.arg.replace("_", "-"))
    return found


def names_it(test, value, identifiers):
    "Whether that test exists and names the value; None: there is no such test."
    name, _, function = test.partition("::")
    if name.startswith("clusterd_"):
        own = topotest(name)
        return value in words(own, function) if function in own else None
    for folder in ("unit", "sim"):
        path = os.path.join("tests", folder, name + ".c")
        if os.path.exists(os.path.join(TOP, path)):
            pattern = r"^static void %s\(.*?\n\{\n(.*?)^\}" % function
            body = re.search(pattern, read(path), re.M | re.S)
            if not body:
                return None
            return any(re.search(r"\b%s\b" % i, body[1]) for i in identifiers)
    return None


def compare(values):
    "What is wrong with one of ENUMERATIONS."
    texts = {}
    for source in values.texts:
        for text, identifiers in texts_of(*source).items():
            texts.setdefault(text, set()).update(identifiers)
    for leaf in values.leaves:
        module, _, path = leaf.partition(":")
        known = set(lib_schema.enumerations(module).get(path, ()))
        for value in known ^ set(texts):
            yield "{}: {} is only in the {}".format(
                leaf, value, "module" if value in known else "source"
            )
    for value in set(texts) ^ set(values.seen):
        yield "{}: {}: {}".format(
            values.leaves[0],
            value,
            "no test is named" if value in texts else "there is no such value",
        )
    for value, test in values.seen.items():
        if not names_it(test, value, texts.get(value, ())):
            yield "{}: {}: {} isn't there, or doesn't name it".format(
                values.leaves[0], value, test
            )


def waited_for():
    "{notification: words of the topotests that wait for it}."
    found = {}
    for folder in sorted(os.listdir(TOPOTESTS)):
        if not folder.startswith("clusterd_"):
            continue
        own = topotest(folder)
        for function in (name for name in own if name.startswith("test_")):
            seen = words(own, function)
            for text in seen:
                found.setdefault(text, set()).update(seen)
    return found


def unnamed(module, tests):
    "Operational leaves that no topotest of the module names."
    about = [found for text, found in tests.items() if text.startswith(module)]
    named = set().union(*about)
    for path, (keyword, config) in lib_schema.nodes(module).items():
        leaf = path.rpartition("/")[2]
        if keyword.startswith("leaf") and not config and leaf not in named:
            yield module + ":" + path


def modules():
    for name in sorted(os.listdir(lib_schema.YANG)):
        if name.endswith(".yang") and not name.endswith("-state.yang"):
            yield name[: -len(".yang")]


def main():
    if not any(name.startswith("clusterd_") for name in os.listdir(TOPOTESTS)):
        sys.exit(SKIPPED)
    wrong = [text for values in ENUMERATIONS for text in compare(values)]
    compared = read("topotests", "lib_same.py")
    listed = [leaf for values in ENUMERATIONS for leaf in values.leaves]
    tests = waited_for()
    for module in modules():
        for path in lib_schema.enumerations(module):
            if listed.count(module + ":" + path) != 1:
                wrong.append("{}:{}: not once in the list".format(module, path))
        for name, leaves in lib_schema.notifications(module).items():
            notification = "{}:{}".format(module, name)
            for leaf in set(leaves) - tests.get(notification, set()):
                wrong.append("{}: no topotest has {}".format(notification, leaf))
        if '"%s"' % module not in compared:
            wrong += [leaf + ": in no topotest" for leaf in unnamed(module, tests)]
    for text in wrong:
        print(text)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
