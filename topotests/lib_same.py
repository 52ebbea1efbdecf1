# SPDX-License-Identifier: GPL-2.0-or-later
"""
`show cluster ... json` against the operational data of YANG, field by field: what
one of them knows and the other doesn't is a fault, as is another value.
"""

import datetime
import time

import lib_cluster as cl
import lib_schema
from lib_oper import TIME, by_key

# Milliseconds since then in the JSON, moments in YANG.
MOMENTS = (
    "last-change",
    "last-run",
    "last-result-time",
    "hold-since",
    "heartbeat-last",
    "last-error-time",
    "last-written",
    "last",
    "last-heard",
    "last-report",
    "joined",
    "told-time",
    "hub-since",
    "since",
)
# Milliseconds to go: none is 0, and they pass between two commands.
LEFT = ("left", "retry", "hold-back-off", "settle-left", "bulk-hold-left")
# Numbers of the JSON, texts with two digits in YANG.
PERCENT = ("cpu", "memory")


def seconds(moment):
    "A moment of YANG."
    return datetime.datetime.fromisoformat(moment.replace("Z", "+00:00")).timestamp()


def same_value(leaf, shown, told):
    "A leaf's values; None: it isn't there, as a text without anything in it."
    if leaf in MOMENTS and shown is not None and told is not None:
        return abs(time.time() - shown / 1000 - seconds(told)) < 3
    # libyang may write the zone in another way
    if shown and told and TIME.search(str(shown)) and TIME.search(str(told)):
        return seconds(shown) == seconds(told)
    if leaf in LEFT:
        return abs(int(shown or 0) - int(told or 0)) < 1000
    if leaf in PERCENT and shown is not None and told is not None:
        return abs(float(shown) - float(told)) < 0.005
    shown, told = ("" if value is None else str(value) for value in (shown, told))
    return shown == told


def scalars(entry):
    "The fields that are no objects or lists of them."
    return {k: v for k, v in entry.items() if not isinstance(v, (dict, list))}


def fields(what, shown, told, module=None, **renamed):
    """
    What differs.  `renamed`: field="leaf", or None for what is no leaf of its own.
    A field that is configuration of the module isn't state: it may be missing.
    """
    config = {
        path.rpartition("/")[2]
        for path, (_, is_config) in (lib_schema.nodes(module) if module else {}).items()
        if is_config
    }
    wanted = {}
    for field, value in scalars(shown).items():
        leaf = renamed.get(field, lib_schema.leaf_name(field))
        if leaf and not (leaf in config and leaf not in told):
            wanted[leaf] = value
    told = scalars(told)
    return [
        "{}: {} is {!r} by show, {!r} by YANG".format(
            what, leaf, wanted.get(leaf), told.get(leaf)
        )
        for leaf in sorted(set(wanted) | set(told))
        if not same_value(leaf, wanted.get(leaf), told.get(leaf))
    ]


def entries(what, shown, told, compare):
    "Of two dictionaries: what only one has; of what both have what compare() says."
    found = [
        "{} {}: only by {}".format(what, key, "show" if key in shown else "YANG")
        for key in set(shown) ^ set(told)
    ]
    for key in set(shown) & set(told):
        found += compare("{} {}".format(what, key), shown[key], told[key])
    return found


def vip_member(what, shown, told):
    state = dict(told["state"], address=told["address"])
    return fields(
        what,
        shown,
        state,
        "frr-clusterd-vip",
        state="status",
        sinceMsec="last-change",
        probe="probes",
    )


def vip_address(what, shown, told):
    return fields(what, shown, told, state="status", sinceMsec="last-change")


def vip(what, shown, told):
    renamed = {"state": "status", "sinceMsec": "last-change", "since": None}
    state = told["state"]
    found = fields(what, shown, state, "frr-clusterd-vip", **renamed)
    for kind, list_of, compare in (
        ("members", told.get("member", []), vip_member),
        ("addresses", state.get("address", []), vip_address),
    ):
        wanted = by_key(shown[kind], "address")
        found += entries(what, wanted, by_key(list_of, "address"), compare)
    return found


def vips(shown, told):
    return entries("VIP", shown, {v["name"]: v for v in told.get("vip", [])}, vip)


def probe_instance(what, shown, told):
    "The objects of the JSON are leaves with names that say so."
    flat = scalars(shown)
    for field, value in shown.get("hold", {}).items():
        flat["hold" + field[0].upper() + field[1:]] = value
    beat = shown.get("heartbeat", {})
    flat.update({"heartbeat-state": beat["state"]} if beat else {})
    if "lastMsec" in beat:
        flat["heartbeat-last"] = beat["lastMsec"]
    counted = {"received": beat["received"], **beat["rejected"]} if beat else {}
    for field, value in counted.items():
        flat["heartbeats-" + lib_schema.leaf_name(field)] = value
    return fields(
        what,
        flat,
        told,
        sinceMsec="last-change",
        lastResultMsec="last-result-time",
        holdSinceMsec="hold-since",
    )


def probe(what, shown, told):
    state = told["state"]
    found = fields(what, shown, state, "frr-clusterd-probe")
    return found + entries(
        what,
        by_key(shown["instances"], "vrf", "target"),
        by_key(state.get("instance", []), "vrf", "target"),
        probe_instance,
    )


def probes(shown, told):
    told = {p["name"]: p for p in told.get("probe", [])}
    return entries("probe", shown, told, probe)


def bgp_vrf(what, shown, told):
    state = told["state"]
    found = fields(
        what,
        shown,
        state,
        "frr-clusterd-bgp",
        sinceMsec="last-change",
        lastErrorMsec="last-error-time",
    )
    shown = {entry["tag"]: entry["lines"] for entry in shown["wanted"]}
    told = {entry["tag"]: entry["line"] for entry in state.get("wanted", [])}
    if shown != told:
        found.append("{}: {} is wanted by show, {} by YANG".format(what, shown, told))
    return found


def bgp(shown, told):
    told = {vrf["name"]: vrf for vrf in told.get("vrf", [])}
    return entries("VRF", shown, told, bgp_vrf)


def without_key(entries_of, key):
    "A YANG list as a dictionary of what else its entries have."
    return {
        entry[key]: {leaf: value for leaf, value in entry.items() if leaf != key}
        for entry in entries_of
    }


def bgp_other(what, shown, told):
    "A path of another node."
    shown, told = dict(shown), dict(told)
    since = shown.pop("since", None), told.pop("since", None)
    if since[0] != (since[1] and seconds(since[1])):
        return ["{}: since {} by show, {} by YANG".format(what, *since)]
    return fields(what, shown, told)


def bgp_address(what, shown, told):
    found = fields(what, shown, told)
    return found + entries(
        what,
        {number: other for number, other in enumerate(shown["others"], 1)},
        without_key(told.get("other", []), "number"),
        bgp_other,
    )


def bgp_vip(what, shown, told):
    found = fields(what, shown, told)
    told = without_key(told["address"], "address")
    return found + entries(what, shown["addresses"], told, bgp_address)


def bgp_session(what, shown, told):
    "Of one that was never up bgpd says 0: no moment."
    shown = dict(shown, uptimeMsec=shown["uptimeMsec"] or None)
    return fields(what, shown, told, uptimeMsec="last-change")


def bgp_sessions(what, shown, told):
    found = fields(what, shown, told)
    told = without_key(told.get("session", []), "neighbor")
    return found + entries(what, shown["sessions"], told, bgp_session)


def bgp_peers(shown, told):
    """
    Both come from rounds of questions to bgpd: those of YANG are up to 10 s older.
    """
    if "warning" in shown or told["status"] != "answered":
        same = shown.get("warning") == told["why"] and told["status"] == "failed"
        return [] if same else ["{} by show, {} by YANG".format(shown, told)]
    return entries(
        "VIP", shown["vips"], without_key(told.get("vip", []), "name"), bgp_vip
    ) + entries("VRF", shown["vrfs"], without_key(told["vrf"], "name"), bgp_sessions)


def summary(shown, told):
    found = fields("summary", shown, told)
    shown = {
        lib_schema.leaf_name(k): v for k, v in shown.items() if isinstance(v, dict)
    }
    told = {k: v for k, v in told.items() if isinstance(v, dict)}
    # a container without a leaf isn't there
    shown = {k: v for k, v in shown.items() if v}

    def part(what, one, other):
        return fields(what, one, other, state="status", writtenMsec="last-written")

    return found + entries("summary", shown, told, part)


def events(shown, told):
    changes = {kind["kind"]: int(kind["total"]) for kind in told["changes"]}
    found = []
    # nothing is shown before the first change
    if changes != shown.get("changes", changes):
        found.append("changes: {} by show, {} by YANG".format(shown, changes))
    return found + entries(
        "event",
        {str(event["number"]): event for event in shown.get("events", [])},
        {event["number"]: event for event in told.get("event", [])},
        lambda what, one, other: fields(what, one, other, ageMsec=None),
    )


def same_list(what, shown, told):
    "Of leaf-lists: none is no leaf."
    if list(shown or []) == list(told or []):
        return []
    return ["{} is {} by show, {} by YANG".format(what, shown, told)]


def control_peer(what, shown, told):
    told = {**scalars(told), **told["state"]}
    if shown["state"] == "noSocket":
        shown = {**shown, "state": "no-socket"}
    return fields(what, shown, told, "frr-clusterd-control", state="status")


def control_duplicate(what, shown, told):
    return fields(what, shown, told, remote="address", lastMsecAgo="last")


def control_link(what, shown, told):
    renamed = {"sinceMsec": "last-change", "heardMsecAgo": "last-heard"}
    return fields(what, shown, told, **renamed)


def control_session(what, shown, told):
    renamed = {"state": "status", "sinceMsec": "last-change"}
    return fields(what, shown, told, **renamed) + entries(
        what + ", link",
        by_key(shown["links"], "remote", "port"),
        by_key(told.get("link", []), "remote", "port"),
        control_link,
    )


def control(node, sessions, counters, told):
    state = told["state"]
    found = fields("node", node, state, "frr-clusterd-control")
    place = ("vrf", "address", "port")
    for kind, shown, seen, keys, compare in (
        ("socket", node["sockets"], state.get("socket", []), place, fields),
        ("peer", node["peers"], told.get("peer", []), place, control_peer),
    ):
        found += entries(kind, by_key(shown, *keys), by_key(seen, *keys), compare)
    found += entries(
        "duplicate",
        by_key(node["duplicates"], "id", "remote", "port"),
        by_key(state.get("duplicate", []), "id", "address", "port"),
        control_duplicate,
    )
    found += entries(
        "session",
        nodes_of(sessions),
        {entry["id"]: entry for entry in state.get("session", [])},
        control_session,
    )
    seen = {entry["name"]: int(entry["value"]) for entry in state.get("counter", [])}
    if seen != counters:
        found.append("counters: {} by show, {} by YANG".format(counters, seen))
    return found


def nodes_of(shown):
    "Objects of nodes: the IDs are a leaf, too."
    return {name: {"id": name, **entry} for name, entry in shown.items()}


def by_id(told):
    return {entry["id"]: entry for entry in told}


def cluster_hub(what, shown, told):
    found = fields(
        what,
        shown,
        told,
        asn="as-number",
        cpuPercent="cpu",
        memoryPercent="memory",
        reportMsec="last-report",
    )
    return found + same_list(what, shown["addresses"], told.get("address"))


def cluster_edge(what, shown, told):
    return fields(what, shown, told, toldMsec="told-time")


def hub_cluster(what, shown, told):
    state = told["state"]
    if "settled" in shown:
        shown = {**shown, "hubs": len(shown["hubs"]), "hub": shown["hubs"]}
    found = fields(what, shown, state, "frr-clusterd-hub", state="status")
    return found + [
        text
        for part, compare in (("hub", cluster_hub), ("edge", cluster_edge))
        for text in entries(
            "{}, {}".format(what, part),
            nodes_of(shown.get(part, {})),
            by_id(state.get(part, [])),
            compare,
        )
    ]


def hub_clusters(shown, edges, told):
    clusters = {
        name: {**entry, "edge": edges[name]}
        for name, entry in shown["clusters"].items()
    }
    told_clusters = {entry["name"]: entry for entry in told.get("cluster", [])}
    return entries("cluster", clusters, told_clusters, hub_cluster) + entries(
        "refused",
        by_key(shown["refused"], "hub"),
        by_key(told.get("refused", []), "hub"),
        lambda what, one, other: fields(what, one, other, lastMsec="last"),
    )


def carried_edge(what, shown, told):
    found = fields(what, shown, told, sinceMsec="since")
    found += same_list(what, shown["tunnelAddresses"], told.get("tunnel-address"))
    return found + entries(
        what,
        {name: {"prefix": name, **entry} for name, entry in shown["prefixes"].items()},
        {entry["prefix"]: entry for entry in told.get("prefix", [])},
        fields,
    )


def own_hub(shown, edges, told):
    state = told.get("hub", {}).get("state", {})
    config = ("cluster", "draining", "capacity", "tunnelSource")
    renamed = {"cpuPercent": "cpu", "memoryPercent": "memory", "state": "status"}
    found = fields("hub", shown, state, **renamed, **dict.fromkeys(config))
    return found + entries(
        "edge", nodes_of(edges), by_id(state.get("edge", [])), carried_edge
    )


def own_edge(shown, told):
    state = told.get("edge", {}).get("state", {})
    renamed = {"state": "status", "hubSinceMsec": "hub-since", "cluster": None}
    found = fields("edge", shown, state, **renamed)
    for part in ("via", "unreachable"):
        found += same_list(part, shown.get(part), state.get(part))
    gateways = nodes_of(shown.get("gateways", {}))
    found += entries("gateway", gateways, by_id(state.get("gateway", [])), fields)
    return found + entries(
        "route",
        {
            name: {"prefix": name, **entry}
            for name, entry in shown.get("routes", {}).items()
        },
        {entry["prefix"]: entry for entry in state.get("route", [])},
        lambda what, one, other: fields(what, one, other, sinceMsec="since"),
    )


HUB = ("frr-clusterd-hub", "hub-clustering")
# What is compared by which name: module, container, how, and what else is shown.
SHOWS = {
    "vip": ("frr-clusterd-vip", "cluster-vips", vips),
    "probe": ("frr-clusterd-probe", "cluster-probes", probes),
    "bgp policy": ("frr-clusterd-bgp", "cluster-bgp", bgp),
    "bgp peers": ("frr-clusterd-bgp", "cluster-bgp-peers", bgp_peers),
    "summary": ("frr-clusterd", "cluster-summary", summary),
    "events": ("frr-clusterd", "cluster-events", events),
    "control": (
        "frr-clusterd-control",
        "cluster-control",
        control,
        "control sessions",
        "control counters",
    ),
    "hub-cluster": (*HUB, hub_clusters, "hub-cluster edges"),
    "hub": (*HUB, own_hub, "hub edges"),
    "edge": (*HUB, own_edge),
}


def expect_same(router, *shows):
    "Wait until these commands, or all, and YANG say the same in one moment."
    for show in shows or SHOWS:
        module, container, compare, *more = SHOWS[show]

        def check():
            # behind a command that fails vtysh goes no further
            told, *shown = cl.vtysh_jsons(
                router,
                "show yang operational-data /{}:{} clusterd".format(module, container),
                *("show cluster {} json".format(part) for part in (show, *more)),
            )
            told = told.get("{}:{}".format(module, container), {})
            differs = compare(*shown, told)
            return not differs, differs

        cl.expect(check, "show cluster {} and YANG".format(show))
