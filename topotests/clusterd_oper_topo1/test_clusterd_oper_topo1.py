# SPDX-License-Identifier: GPL-2.0-or-later
"""
Operational state by YANG: every leaf has the value that it must have.

Metrics have a file of their own.
"""

import datetime
import json
import re
import time

import lib_cluster as cl
from lib_oper import (
    TIME,
    by_key,
    check_leaves,
    notifications,
    number,
    operational,
)
from lib_same import expect_same
from lib_typist import Typist
from oper_router import MEMBER_DOWN, MEMBER_UP, SERVER, STATES, r1, start

TRACKS = (
    "shutdown",
    "incomplete",
    "waiting",
    "conflict",
    "down",
    "degraded",
    "last-resort",
    "up",
)
RESPONDERS = (
    "shutdown",
    "incomplete",
    "conflict",
    "waiting",
    "failed",
    "held",
    "answering",
)
COUNTERS = ("timeouts", "refused", "unreachable", "response", "not-up", "local")


def setup_module(module):
    "Start."
    start(module)


def teardown_module(_module):
    "End."
    cl.stop()


def test_vips():
    "Every leaf of a VIP that is announced and of one that is down."
    vips = by_key(operational(r1(), "frr-clusterd-vip", "cluster-vips")["vip"], "name")
    assert set(vips) == {("down",), ("www",)}, "VIPs: {}".format(sorted(vips))

    state = dict(vips[("www",)]["state"])
    addresses = by_key(state.pop("address"), "address")
    check_leaves(
        state,
        {
            "status": "announced",
            "why": "",
            "last-change": TIME,
            "fail-open": False,
            "route-tag": 4711,
        },
    )
    assert set(addresses) == {("192.0.2.1",), ("192.0.2.3",)}, "addresses"
    for (address,), entry in addresses.items():
        check_leaves(
            entry,
            {
                "address": address,
                "status": "announced",
                "why": "",
                "last-change": TIME,
                "nexthops": 1,
                "penalty": 0,
                "weight-tenths": 10,
                "left": 0,
            },
        )
    (member,) = vips[("www",)]["member"]
    assert member["address"] == MEMBER_UP, "member: {}".format(member)
    check_leaves(
        member["state"],
        {"status": "up", "why": "", "last-change": TIME, "probes": "web"},
    )

    state = dict(vips[("down",)]["state"])
    (address,) = state.pop("address")
    check_leaves(
        state,
        {
            "status": "down",
            "why": re.compile("refused"),
            "last-change": TIME,
            "fail-open": False,
            "route-tag": 84,
        },
    )
    check_leaves(
        address,
        {
            "address": "192.0.2.2",
            "status": "down",
            "why": re.compile("0 of 1 IPv4 member"),
            "last-change": TIME,
            "nexthops": 0,
            "penalty": 0,
            "weight-tenths": 10,
            "left": 0,
        },
    )
    (member,) = vips[("down",)]["member"]
    check_leaves(
        member["state"],
        {
            "status": "down",
            "why": re.compile("probe web .*refused"),
            "last-change": TIME,
            "probes": "web",
        },
    )


def test_time_of_last_change():
    "A change is dated when it happens."
    router = r1()
    before = time.time()
    cl.configure(router, "cluster vip www", "shutdown")
    cl.expect(lambda: cl.vip_is(router, "www", "shutdown"), "no shutdown")
    vips = by_key(
        operational(router, "frr-clusterd-vip", "cluster-vips")["vip"], "name"
    )
    changed = vips[("www",)]["state"]["last-change"]
    cl.configure(router, "cluster vip www", "no shutdown")
    at = datetime.datetime.fromisoformat(changed.replace("Z", "+00:00")).timestamp()
    assert int(before) <= at <= time.time(), "{} isn't now".format(changed)


def test_probes():
    "Every leaf of an instance that passes and of one that fails."
    probes = by_key(
        operational(r1(), "frr-clusterd-probe", "cluster-probes")["probe"], "name"
    )
    assert set(probes) == {("icmp",), ("web",)}, "probes: {}".format(sorted(probes))
    instances = by_key(probes[("web",)]["state"]["instance"], "vrf", "target")
    assert set(instances) == {
        ("default", MEMBER_UP),
        ("default", MEMBER_DOWN),
    }, "instances: {}".format(sorted(instances))

    entry = instances[("default", MEMBER_UP)]
    expected = {
        "vrf": "default",
        "target": MEMBER_UP,
        "verdict": "up",
        "why": re.compile("^up"),
        "last-change": TIME,
        "references": 1,
        "last-result": "pass",
        "last-result-time": TIME,
        "last-run": TIME,
        "rtt": lambda value: 0 < number(value) < 1000000,
        "consecutive": lambda value: number(value) >= 2,
        "transitions": lambda value: number(value) == 1,
        "runs": lambda value: number(value) >= 2,
        "prompted": lambda value: number(value) == 0,
        "passes": lambda value: number(value) >= 2,
        "fails": lambda value: number(value) == 0,
        "cancelled": lambda value: number(value) == 0,
        # with other values in clusterd_probe_topo1
        "late": lambda value: number(value) >= 0,
        "late-max": lambda value: value >= 0,
        "hold-state": "held",
        "hold-since": TIME,
        "hold-connections": lambda value: number(value) == 1,
        "hold-lost": lambda value: number(value) == 0,
        "hold-failed": lambda value: number(value) == 0,
        "hold-back-off": lambda value: number(value) == 0,
    }
    expected.update({leaf: lambda value: number(value) == 0 for leaf in COUNTERS})
    # what a pass says is free
    entry.pop("last-detail", None)
    check_leaves(entry, expected)

    entry = instances[("default", MEMBER_DOWN)]
    expected.update(
        {
            "target": MEMBER_DOWN,
            "verdict": "down",
            "why": re.compile("^down: .* refused|starts down"),
            "last-result": "refused",
            "last-detail": re.compile("refused"),
            "transitions": lambda value: number(value) == 0,
            "passes": lambda value: number(value) == 0,
            "refused": lambda value: number(value) > 3,
            "fails": lambda value: number(value) > 3,
            "hold-state": "idle",
            "hold-connections": lambda value: number(value) == 0,
        }
    )
    del expected["rtt"], expected["hold-since"]
    check_leaves(entry, expected)

    state = probes[("icmp",)]["state"]
    (entry,) = state["instance"]
    assert (entry["target"], entry["verdict"]) == (MEMBER_UP, "up"), "icmp"
    assert state["configured"], "icmp"


def test_probe_of_another():
    "Used by several, and used without being configured."
    router = r1()
    text = (
        "cluster vip more\n member 203.0.113.13 probe nosuch\n"
        " member 203.0.113.14 probe icmp\n member 203.0.113.15 probe icmp\nexit\n"
    )
    cl.load_file(router, text)
    try:

        def told():
            probes = operational(router, "frr-clusterd-probe", "cluster-probes")
            probes = {entry["name"]: entry["state"] for entry in probes["probe"]}
            (icmp,) = probes["icmp"]["instance"]
            (nosuch,) = probes["nosuch"]["instance"]
            seen = (icmp["references"], nosuch["references"], nosuch["verdict"])
            configured = probes["icmp"]["configured"], probes["nosuch"]["configured"]
            good = seen == (2, 1, "unknown") and configured == (True, False)
            return good and "not configured" in nosuch["why"], probes

        cl.expect(told, "users of the probes")
        expect_same(router)
    finally:
        cl.configure(router, "no cluster vip more")


def test_same_as_show():
    "What `show` knows, YANG knows, and the other way round."
    router = r1()
    expect_same(router)
    cl.configure(router, "cluster vip www", "shutdown")
    try:
        cl.expect(lambda: cl.vip_is(router, "www", "shutdown"), "no shutdown")
        expect_same(router)
    finally:
        cl.configure(router, "cluster vip www", "no shutdown")


def test_summary():
    "Every leaf of the summary; one value of a kind is told from the others."
    router = r1()
    cl.expect(
        lambda: cl.summary(router)["probes"]["unknown"] == 0, "a probe has no verdict"
    )
    summary = operational(router, "frr-clusterd", "cluster-summary")
    shown = cl.summary(router)
    vips = dict.fromkeys(STATES, 0)
    vips.update({"total": 2, "announced": 1, "down": 1, "members": 2, "members-up": 1})
    vips.update({"addresses": 3, "addresses-announced": 2, "addresses-not-in-bgp": 0})
    check_leaves(summary.pop("vips"), vips)
    check_leaves(
        summary.pop("probes"),
        {
            "total": 2,
            "instances": 3,
            "up": 2,
            "down": 1,
            "unknown": 0,
            # with other values in clusterd_probetypes_topo1
            "commands-max": 64,
            "commands-running": 0,
            "commands-waiting": 0,
            "commands-starved": "0",
            "sockets-max": shown["probes"]["socketsMax"],
            # one of each target, while it is checked
            "sockets-open": lambda value: 0 <= value <= 3,
            # with another value in clusterd_probe_topo1
            "sockets-waiting": 0,
        },
    )
    assert shown["probes"]["socketsMax"] > 3, "room: {}".format(shown["probes"])
    # with other values in test_summary_of_others
    tracks = dict.fromkeys(("total", "routes") + TRACKS, 0)
    check_leaves(summary.pop("tracks"), tracks)
    responders = dict.fromkeys(("total", "addresses") + RESPONDERS, 0)
    check_leaves(summary.pop("responders"), responders)
    check_leaves(summary.pop("zebra"), {"status": "connected"})
    check_leaves(
        summary.pop("routes"),
        {
            "wanted": 2,
            "installed": 2,
            "waiting": 0,
            "adds-sent": str(shown["routes"]["addsSent"]),
            "deletes-sent": str(shown["routes"]["deletesSent"]),
        },
    )
    assert shown["routes"]["addsSent"] >= 2, "no routes were sent: {}".format(shown)
    check_leaves(summary.pop("watchdog"), {"timeout": 5000, "running": True})
    check_leaves(
        summary.pop("control"),
        {
            "running": False,
            "problem": shown["control"]["problem"],
            "configured-peers": 0,
            "nodes": 0,
            "sessions-up": 0,
            "duplicate-ids": 0,
        },
    )
    # with other values in clusterd_hub_oper_topo1
    check_leaves(
        summary.pop("hub-clustering"),
        {
            "clusters": 0,
            "clusters-running": 0,
            "hubs": 0,
            "edges": 0,
            "moves": "0",
            "bulk-moves": "0",
            "hub-running": False,
            "attached-edges": 0,
            "edge-running": False,
        },
    )
    check_leaves(
        summary,
        {
            "version": shown["version"],
            "frr-version": shown["frrVersion"],
            "route-type": "openfabric",
            "configuration-loading": False,
        },
    )


def counted(router):
    "VIPs by the summary's states; each VIP is in one of them."
    vips = operational(router, "frr-clusterd", "cluster-summary")["vips"]
    states = {state: vips[state] for state in STATES}
    return {k: v for k, v in states.items() if v}, sum(states.values()), vips["total"]


def test_summary_of_every_state():
    "The states of VIPs sum to their total, also while some are drained."
    router = r1()
    assert counted(router) == ({"announced": 1, "down": 1}, 2, 2), "at first"
    try:
        for line, state in (
            ("drain-time 600000", "draining"),
            ("drain-time 0", "drained"),
        ):
            cl.configure(router, "cluster vip www", "no drain", line)
            cl.expect(lambda: cl.vip_is(router, "www", "announced"), "not announced")
            cl.configure(router, "cluster vip www", "drain")
            cl.expect(lambda s=state: cl.vip_is(router, "www", s), "isn't " + state)
            seen = counted(router)
            assert seen == ({state: 1, "down": 1}, 2, 2), "{}: {}".format(state, seen)
    finally:
        cl.configure(router, "cluster vip www", "no drain", "drain-time 0")


def test_summary_of_others():
    "Tracks, responders: each number is another one."
    router = r1()
    out = cl.load_file(
        router,
        "cluster track uplink\n next-hop {}\n route 10.97.0.0/16\n"
        " route 10.98.0.0/16\nexit\n"
        "cluster track off\n shutdown\n next-hop {}\n route 10.96.0.0/16\n"
        " route 10.99.0.0/16\n route 10.95.0.0/16\nexit\n"
        "cluster responder gw\n interface r1-eth0\n shutdown\n"
        " address 198.51.100.9\n address 198.51.100.10\n"
        " address 198.51.100.11\nexit\n".format(MEMBER_UP, MEMBER_UP),
    )
    assert out == "", "configuration: {}".format(out)
    tracks = dict.fromkeys(TRACKS, 0)
    tracks.update({"total": 2, "routes": 5, "up": 2, "shutdown": 3})
    responders = dict.fromkeys(RESPONDERS, 0)
    responders.update({"total": 1, "addresses": 3, "shutdown": 3})

    def told():
        summary = operational(router, "frr-clusterd", "cluster-summary")
        seen = summary["tracks"], summary["responders"]
        return seen == (tracks, responders), seen

    try:
        cl.expect(told, "tracks and responders")
    finally:
        cl.load_file(
            router,
            "no cluster track uplink\nno cluster track off\nno cluster responder gw\n",
        )


def test_summary_while_loading():
    "A configuration is being read: it is said, also in words."
    router = r1()
    loader = Typist(
        router, "configure terminal", "XFRR_start_configuration", daemon="clusterd"
    )
    try:
        summary = operational(router, "frr-clusterd", "cluster-summary")
        assert summary["configuration-loading"], summary
        expect_same(router, "summary")
        text = cl.vtysh(router, "show cluster summary")
        assert "Configuration is being loaded" in text, text
        loader.types("XFRR_end_configuration")
    finally:
        loader.end()
    summary = operational(router, "frr-clusterd", "cluster-summary")
    assert not summary["configuration-loading"], summary


def event(router, **wanted):
    "The last event that has these values; None: there is none."
    events = cl.vtysh_json(router, "show cluster events json").get("events", [])
    matching = [e for e in events if wanted.items() <= e.items()]
    return matching[-1] if matching else None


def test_events():
    "Every kind that this router has, with the states before and after."
    router = r1()
    probe = {"kind": "probe", "name": "web", "vrf": "default", "address": MEMBER_UP}
    found = event(router, **probe, before="down", after="up")
    assert found and "up" in found["why"], "probe: {}".format(found)
    member = {"kind": "member", "name": "www", "address": MEMBER_UP}
    assert event(router, **member, after="up"), "member"
    found = event(router, kind="zebra", name="zebra", before="down")
    assert found and found["after"] == "connected", "zebra: {}".format(found)

    before = time.time()
    cl.configure(router, "cluster vip www", "shutdown")
    shutdown = {"kind": "vip", "name": "www", "after": "shutdown"}
    cl.expect(lambda: cl.vip_is(router, "www", "shutdown"), "no shutdown")
    found = event(router, **shutdown)
    cl.configure(router, "cluster vip www", "no shutdown")
    assert found["before"] == "announced", "VIP: {}".format(found)
    assert found["why"].startswith("shut down by"), "why: {}".format(found)
    assert 0 <= found["ageMsec"] < cl.DEADLINE * 1000, "age: {}".format(found)
    at = datetime.datetime.fromisoformat(found["time"].replace("Z", "+00:00"))
    assert int(before) <= at.timestamp() <= time.time(), "time: {}".format(found)
    address = {"kind": "address", "name": "www", "address": "192.0.2.3"}
    assert event(router, **address, after="shutdown"), "address"
    # The VIP `down` has one address, which is told about as the VIP.
    assert not event(router, kind="address", name="down"), "an only address"
    assert event(router, kind="vip", name="down", after="down"), "VIP down"

    shown = cl.vtysh_json(router, "show cluster events json")
    numbers = [e["number"] for e in shown["events"]]
    assert numbers == sorted(set(numbers)), "order: {}".format(numbers)
    for kind, count in shown["changes"].items():
        kept = sum(e["kind"] == kind for e in shown["events"])
        assert kept <= count, "{} of {} {}".format(kept, count, kind)
    text = cl.vtysh(router, "show cluster events")
    assert " vip www: shutdown, was announced" in text, text
    assert len(text.strip().splitlines()) >= len(numbers), text


def test_events_by_yang():
    "Every leaf of a change; the numbers of changes; the notification."
    router = r1()
    told = notifications(router, "frr-clusterd:state-change")
    wanted = {
        "number": re.compile("^[1-9]"),
        "time": TIME,
        "kind": "address",
        "name": "www",
        "vrf": "default",
        "address": "192.0.2.3",
        "before": "announced",
        "after": "shutdown",
        "why": re.compile("^shut down by"),
    }
    cl.configure(router, "cluster vip www", "shutdown")
    try:
        told(wanted)
    finally:
        cl.configure(router, "cluster vip www", "no shutdown")
    without = {leaf: value for leaf, value in wanted.items() if leaf != "why"}
    told({**without, "before": re.compile("pending|shutdown"), "after": "announced"})
    r1()
    expect_same(router, "events")
    seen = operational(router, "frr-clusterd", "cluster-events")
    changes = {kind["kind"]: number(kind["total"]) for kind in seen["changes"]}
    assert len(changes) == 11 and changes["hub"] == 0, changes
    assert changes["vip"] >= 2 and changes["member"] >= 1, changes
    numbers = [number(entry["number"]) for entry in seen["event"]]
    assert numbers == sorted(set(numbers)), numbers
    assert 5 < len(numbers) <= sum(changes.values()), (numbers, changes)
    of_address = [e for e in seen["event"] if e.get("address") == "192.0.2.3"]
    check_leaves([e for e in of_address if e["after"] == "shutdown"][-1], wanted)
    # one of them by its number; FRR 8.4 can't
    if cl.FRR_8:
        return
    one = seen["event"][0]
    path = "/frr-clusterd:cluster-events/event[number='{}']".format(one["number"])
    out = cl.vtysh(router, "show yang operational-data {} clusterd".format(path))
    (found,) = json.loads(out)["frr-clusterd:cluster-events"]["event"]
    assert found == one, found


def test_without_what_they_need():
    "Changes and states of a track and a responder that lack something, of a map without bgpd."
    router = r1()
    out = cl.load_file(
        router,
        "cluster track bare\n route 10.97.0.0/16\nexit\n"
        "cluster responder bare\n address 198.51.100.9\nexit\n"
        "cluster bgp route-map CLUSTERD-bare\n",
    )
    assert out == "", "configuration: {}".format(out)
    wanted = {
        ("track", "incomplete"),
        ("responder", "incomplete"),
        ("bgp-map", "away"),
    }

    def told():
        seen = operational(router, "frr-clusterd", "cluster-events")["event"]
        found = {(entry["kind"], entry["after"]) for entry in seen}
        return wanted <= found, found

    def address_status():
        (responder,) = operational(
            router, "frr-clusterd-responder", "cluster-responders"
        )["responder"]
        (address,) = responder["state"]["address"]
        return address["status"]

    try:
        cl.expect(told, "changes")
        expect_same(router, "events", "summary", "bgp policy")
        (track,) = operational(router, "frr-clusterd-track", "cluster-tracks")["track"]
        (route,) = track["state"]["route"]
        assert route["status"] == "incomplete", route
        assert address_status() == "incomplete"
        cl.configure(router, "cluster responder bare", "shutdown")
        assert address_status() == "shutdown"
    finally:
        cl.load_file(
            router,
            "no cluster track bare\nno cluster responder bare\n"
            "no cluster bgp route-map CLUSTERD-bare\n",
        )


def test_many_entries():
    "What a route-map should have is a long list: YANG has the beginning of it."
    router = r1()
    vips = range(100)
    text = "cluster vip many{0}\n shutdown\n link-bandwidth {1}\nexit\n"
    out = cl.load_file(router, "".join(text.format(n, n + 1) for n in vips))
    assert out == "", "configuration: {}".format(out)
    try:
        shown = cl.vtysh_json(router, "show cluster bgp policy json")["default"]
        # each normal, draining, and nine steps of a slow start
        assert shown["vips"] == 102 and len(shown["wanted"]) >= 1100, len(shown)
        (vrf,) = operational(router, "frr-clusterd-bgp", "cluster-bgp")["vrf"]
        assert (vrf["name"], vrf["state"]["vips"]) == ("default", 102), vrf["name"]
        told = [(entry["tag"], entry["line"]) for entry in vrf["state"]["wanted"]]
        first = [(entry["tag"], entry["lines"]) for entry in shown["wanted"][:1000]]
        assert told == first, "{} entries".format(len(told))
    finally:
        cl.load_file(router, "".join("no cluster vip many{}\n".format(n) for n in vips))


def test_notifications():
    "Whoever listens is told of every change, in the words of the YANG modules."
    router = r1()
    vip = notifications(router, "frr-clusterd-vip:vip-status-change")
    www = {"name": "www", "status": "announced", "last-change": TIME}
    cl.configure(router, "cluster vip www", "shutdown")
    vip({**www, "status": "shutdown", "why": "shut down by configuration"})
    cl.configure(router, "cluster vip www", "no shutdown")
    vip(www)

    probe = notifications(router, "frr-clusterd-probe:probe-verdict-change")
    web = {"name": "web", "vrf": "default", "target": MEMBER_UP}
    SERVER["r1"].tell("*", "503")
    probe({**web, "verdict": "down", "why": re.compile("503")})
    vip({**www, "status": "down", "why": re.compile("0 of 1 IPv4 member")})
    SERVER["r1"].tell("*", "ok")
    probe({**web, "verdict": "up", "why": re.compile("^up")})

    zebra = notifications(router, "frr-clusterd:zebra-change")
    cl.end_daemon(router, "zebra")
    zebra({"status": "down", "why": re.compile("zebra")})
    cl.start_daemon(router, "zebra")
    zebra({"status": "connected"})
    r1()


def test_summary_without_zebra():
    "What is there only when something is wrong."
    router = r1()
    cl.end_daemon(router, "zebra")
    cl.expect(lambda: cl.summary(router)["zebra"]["state"] == "down", "not noticed")
    summary = operational(router, "frr-clusterd", "cluster-summary")
    check_leaves(summary["zebra"], {"status": "down", "why": re.compile("zebra")})
    assert summary["vips"]["waiting"] == 2, "VIPs: {}".format(summary["vips"])
    assert summary["routes"]["installed"] == 0, "routes: {}".format(summary)
    expect_same(router)
    cl.start_daemon(router, "zebra")
    r1()


def test_path_into_an_entry():
    "A path below a list entry: no crash, whatever FRR makes of it."
    router = r1()
    for path in (
        "/frr-clusterd-vip:cluster-vips/vip[name='www']/state",
        "/frr-clusterd-probe:cluster-probes/probe[name='web']/state",
        "/frr-clusterd-probe:cluster-probes/probe[name='nobody']/state",
        "/frr-clusterd-probe:cluster-probes/probe[name='web']/state/instance",
        "/frr-clusterd:cluster-events/event[number='1']/why",
        "/frr-clusterd:cluster-events/event[number='99999999']",
        "/frr-clusterd:cluster-events/changes[kind='vip']/total",
        "/frr-clusterd-bgp:cluster-bgp/vrf[name='default']/state",
        "/frr-clusterd-bgp:cluster-bgp/vrf[name='default']/state/wanted[tag='84']",
        "/frr-clusterd-bgp:cluster-bgp/vrf[name='default']/state/wanted/line",
        "/frr-clusterd-bgp:cluster-bgp/vrf[name='nobody']",
    ):
        cl.vtysh(router, "show yang operational-data {} clusterd".format(path))
        assert cl.alive(router, "clusterd"), "clusterd died of {}".format(path)
