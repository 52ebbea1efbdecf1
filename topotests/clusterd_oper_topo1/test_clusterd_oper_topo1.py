# SPDX-License-Identifier: GPL-2.0-or-later
"""
Operational state by YANG: every leaf has the value that it must have.

One router; the members are addresses of its own loopback interface.
"""

import datetime
import re
import time

import lib_cluster as cl
from lib_oper import TIME, by_key, check_leaves, number, operational

MEMBER_UP, MEMBER_DOWN = "203.0.113.11", "203.0.113.12"
STATES = (
    "announced",
    "partial",
    "pending",
    "hidden",
    "rejected",
    "waiting",
    "down",
    "invalid",
    "shutdown",
)
COUNTERS = ("timeouts", "refused", "unreachable", "response", "not-up", "local")


def build(tgen):
    "r1"
    tgen.add_router("r1")
    tgen.add_switch("s1").add_link(tgen.gears["r1"])


def prepare(tgen):
    "Members on the loopback interface; one of two services runs."
    for address in (MEMBER_UP, MEMBER_DOWN):
        tgen.gears["r1"].net.cmd_raises("ip addr add {}/32 dev lo".format(address))
    cl.HttpServer(tgen.gears["r1"], [MEMBER_UP + ":8080"]).tell("*", "ok")


def setup_module(module):
    "Start."
    cl.start(module, build, {"r1": ["zebra", "clusterd"]}, prepare=prepare)


def teardown_module(_module):
    "End."
    cl.stop()


def r1():
    "The router, with both VIPs in their final states."
    router = cl.usable().gears["r1"]
    cl.expect(lambda: cl.vip_is(router, "www", "announced"), "www isn't announced")
    cl.expect(
        lambda: cl.verdict_is(router, "web", MEMBER_DOWN, "down")
        and cl.instance(router, "web", MEMBER_DOWN)["runs"] > 3
        and cl.vip_is(router, "down", "down"),
        "the VIP without a service isn't down",
    )
    return router


def test_vips():
    "Every leaf of a VIP that is announced and of one that is down."
    vips = by_key(operational(r1(), "frr-clusterd-vip", "cluster-vips")["vip"], "name")
    assert set(vips) == {("down",), ("www",)}, "VIPs: {}".format(sorted(vips))

    state = dict(vips[("www",)]["state"])
    addresses = by_key(state.pop("address"), "address")
    check_leaves(state, {"status": "announced", "why": "", "last-change": TIME})
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
    check_leaves(member["state"], {"status": "up", "why": "", "last-change": TIME})

    state = dict(vips[("down",)]["state"])
    (address,) = state.pop("address")
    check_leaves(
        state,
        {"status": "down", "why": re.compile("refused"), "last-change": TIME},
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
        "last-result": "pass",
        "rtt": lambda value: 0 < number(value) < 1000000,
        "consecutive": lambda value: number(value) >= 2,
        "transitions": lambda value: number(value) == 1,
        "runs": lambda value: number(value) >= 2,
        "prompted": lambda value: number(value) == 0,
        "passes": lambda value: number(value) >= 2,
        "hold-state": "held",
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
            "hold-state": "idle",
            "hold-connections": lambda value: number(value) == 0,
        }
    )
    del expected["rtt"]
    check_leaves(entry, expected)

    (entry,) = probes[("icmp",)]["state"]["instance"]
    assert (entry["target"], entry["verdict"]) == (MEMBER_UP, "up"), "icmp"


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
    vips.update({"addresses": 3, "addresses-announced": 2})
    check_leaves(summary.pop("vips"), vips)
    check_leaves(
        summary.pop("probes"),
        {"total": 2, "instances": 3, "up": 2, "down": 1, "unknown": 0},
    )
    check_leaves(summary.pop("zebra"), {"status": "connected"})
    check_leaves(
        summary.pop("routes"),
        {
            "wanted": 2,
            "installed": 2,
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
    check_leaves(
        summary,
        {
            "version": shown["version"],
            "frr-version": shown["frrVersion"],
            "route-type": "openfabric",
            "configuration-loading": False,
        },
    )


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


def test_summary_without_zebra():
    "What is there only when something is wrong."
    router = r1()
    cl.end_daemon(router, "zebra")
    cl.expect(lambda: cl.summary(router)["zebra"]["state"] == "down", "not noticed")
    summary = operational(router, "frr-clusterd", "cluster-summary")
    check_leaves(summary["zebra"], {"status": "down", "why": re.compile("zebra")})
    assert summary["vips"]["waiting"] == 2, "VIPs: {}".format(summary["vips"])
    assert summary["routes"]["installed"] == 0, "routes: {}".format(summary)
    cl.start_daemon(router, "zebra")
    r1()


def test_path_into_an_entry():
    "A path below a list entry: no crash, whatever FRR makes of it."
    router = r1()
    for path in (
        "/frr-clusterd-vip:cluster-vips/vip[name='www']/state",
        "/frr-clusterd-probe:cluster-probes/probe[name='web']/state",
        "/frr-clusterd-probe:cluster-probes/probe[name='nobody']/state",
    ):
        cl.vtysh(router, "show yang operational-data {} clusterd".format(path))
        assert cl.alive(router, "clusterd"), "clusterd died of {}".format(path)
