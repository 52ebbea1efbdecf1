# SPDX-License-Identifier: GPL-2.0-or-later
"""
Operational state by YANG: every leaf has the value that it must have.

One router; the members are addresses of its own loopback interface.
"""

import datetime
import os
import re
import shutil
import time

import lib_cluster as cl
import pytest
from lib_oper import (
    LISTENER,
    TIME,
    by_key,
    check_leaves,
    metrics,
    notifications,
    number,
    operational,
    value,
)

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
    "held",
    "drained",
    "draining",
)
SERVER = {}
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


def build(tgen):
    "r1"
    tgen.add_router("r1")
    tgen.add_switch("s1").add_link(tgen.gears["r1"])


def prepare(tgen):
    "Members on the loopback interface; one of two services runs."
    for address in (MEMBER_UP, MEMBER_DOWN):
        tgen.gears["r1"].net.cmd_raises("ip addr add {}/32 dev lo".format(address))
    SERVER["r1"] = cl.HttpServer(tgen.gears["r1"], [MEMBER_UP + ":8080"])


def setup_module(module):
    "Start."
    cl.start(
        module, build, {"r1": ["zebra", "clusterd"]}, prepare=prepare, options=LISTENER
    )


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
    check_leaves(
        state,
        {"status": "announced", "why": "", "last-change": TIME, "fail-open": False},
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
    check_leaves(member["state"], {"status": "up", "why": "", "last-change": TIME})

    state = dict(vips[("down",)]["state"])
    (address,) = state.pop("address")
    check_leaves(
        state,
        {
            "status": "down",
            "why": re.compile("refused"),
            "last-change": TIME,
            "fail-open": False,
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
        {
            "total": 2,
            "instances": 3,
            "up": 2,
            "down": 1,
            "unknown": 0,
            "commands-running": 0,
            "commands-waiting": 0,
            "commands-starved": "0",
            "sockets-max": shown["probes"]["socketsMax"],
            # one of each target, while it is checked
            "sockets-open": lambda value: 0 <= value <= 3,
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


@pytest.fixture(name="metrics_folder")
def _metrics_folder():
    "Where clusterd is to write metrics; not there yet.  The file is removed again."
    router = r1()
    folder = os.path.join(router.net.logdir, "r1", "metrics")
    path = os.path.join(folder, "clusterd.prom")
    out = cl.configure(router, "cluster metrics file {} interval 1000".format(path))
    assert out == "", "the command says: {}".format(out)
    yield router, folder, path
    out = cl.configure(router, "no cluster metrics file")
    assert out == "", "`no` says: {}".format(out)
    cl.expect(lambda: cl.summary(router)["metrics"] == {}, "metrics are still on")
    assert not os.path.exists(path), "an old file is left"
    assert not os.path.exists(path + ".tmp"), "a temporary file is left"
    assert "cluster metrics" not in cl.vtysh(router, "show running-config")
    shutil.rmtree(folder)


def test_metrics(metrics_folder):
    "Errors are told, once; then the file has the numbers, and is always whole."
    router, folder, path = metrics_folder

    def problem(text):
        return text in cl.summary(router)["metrics"].get("problem", "")

    line = "cluster metrics file {} interval 1000".format(path)
    assert line in cl.vtysh(router, "show running-config"), "not in the configuration"
    cl.expect(lambda: problem("No such file"), "a missing folder isn't told")
    os.makedirs(folder)
    cl.expect(lambda: problem("Permission denied"), "a foreign folder isn't told")
    state = operational(router, "frr-clusterd", "cluster-summary")["metrics"]
    expected = {"file": path, "problem": re.compile("Permission denied"), "octets": "0"}
    check_leaves(state, expected)
    shutil.chown(folder, "frr", "frr")
    cl.expect(lambda: os.path.exists(path), "no file is written")
    cl.expect(
        lambda: "problem" not in cl.summary(router)["metrics"], "an old problem stays"
    )
    state = operational(router, "frr-clusterd", "cluster-summary")["metrics"]
    check_leaves(
        state,
        {"file": path, "last-written": TIME, "octets": lambda v: number(v) > 1000},
    )
    assert "Metrics: {}, written".format(path) in cl.vtysh(
        router, "show cluster summary"
    ), "not in the summary"
    for text in ("No such file", "Permission denied"):
        warnings = re.findall("metrics file .*" + text, cl.log_of(router))
        assert len(warnings) == 1, "logged {} times: {}".format(len(warnings), text)
    assert os.stat(path).st_mode & 0o777 == 0o644, "others can't read it"

    families, _ = metrics(path)
    for family in families:
        assert family.documentation, "no help: {}".format(family.name)
        assert family.type in ("gauge", "counter"), "{}".format(family)
        assert family.samples, "empty: {}".format(family.name)

    check_values(router, path)

    # Readers never see half a file while it is written again and again.
    written = {os.stat(path).st_mtime_ns}

    def written_again():
        metrics(path)
        written.add(os.stat(path).st_mtime_ns)
        return len(written) > 3

    cl.expect(written_again, "it isn't written again")


def check_values(router, path):
    "What is known of this router."
    shown = cl.summary(router)
    one = {
        "zebra_connected": 1,
        "watchdog_running": 1,
        "routes_wanted": 2,
        "routes_installed": 2,
        "probes": 2,
        "control_nodes": 0,
        "control_sessions_up": 0,
    }
    for name, number_of in one.items():
        assert value(path, name) == number_of, "{}: {}".format(name, value(path, name))
    info = {"version": shown["version"], "frr_version": shown["frrVersion"]}
    assert value(path, "info", **info, route_type="openfabric") == 1, "info"
    started = value(path, "start_time_seconds")
    assert time.time() - 600 < started <= time.time(), "start: {}".format(started)
    assert value(path, "route_messages_total", type="add") >= 2, "messages"

    for state in STATES:
        expected = int(state in ("announced", "down"))
        assert value(path, "vips", state=state) == expected, "VIPs {}".format(state)
    assert value(path, "vip_state", vip="www", state="announced") == 1, "www"
    assert value(path, "vip_state", vip="www", state="down") is None, "www"
    assert value(path, "vip_state", vip="down", state="down") == 1, "down"
    for vip, numbers in {"www": (1, 1, 2, 2), "down": (1, 0, 1, 0)}.items():
        names = ("members", "members_up", "addresses", "addresses_announced")
        found = tuple(value(path, "vip_" + name, vip=vip) for name in names)
        assert found == numbers, "{}: {}".format(vip, found)

    for verdict, expected in {"up": 2, "down": 1, "unknown": 0}.items():
        found = value(path, "probe_targets", verdict=verdict)
        assert found == expected, "{} targets {}".format(found, verdict)
    web = {"probe": "web", "vrf": "default"}
    passing, failing = dict(web, target=MEMBER_UP), dict(web, target=MEMBER_DOWN)
    assert value(path, "probe_up", **passing) == 1, "probe of the good member"
    assert value(path, "probe_up", **failing) == 0, "probe of the bad member"
    assert value(path, "probe_transitions_total", **failing) == 0, "transitions"
    assert value(path, "probe_transitions_total", **passing) >= 1, "transitions"
    assert 0 < value(path, "probe_rtt_seconds", **passing) < 1, "RTT"
    assert value(path, "probe_rtt_seconds", **failing) is None, "RTT of nothing"
    assert value(path, "probe_results_total", result="pass", **failing) == 0, "pass"
    refused = value(path, "probe_results_total", result="refused", **failing)
    assert refused > 3, "refused: {}".format(refused)
    # Clearing is for people: the counter goes on.
    cl.vtysh(router, "clear cluster probe web counters")
    assert cl.instance(router, "web", MEMBER_DOWN)["refused"] < refused, "not cleared"
    cl.expect(
        lambda: value(path, "probe_results_total", result="refused", **failing)
        > refused,
        "the counter stands still",
    )

    changes = cl.vtysh_json(router, "show cluster events json")["changes"]
    for kind, count in changes.items():
        found = value(path, "state_changes_total", kind=kind)
        assert found is not None and found <= count, "{}: {}".format(kind, found)
    assert value(path, "state_changes_total", kind="zebra") >= 1, "zebra"


def test_metrics_of_others(metrics_folder):
    "Addresses of VIPs, tracks and responders; what isn't configured has none."
    router, folder, path = metrics_folder
    os.makedirs(folder)
    shutil.chown(folder, "frr", "frr")
    cl.expect(lambda: os.path.exists(path), "no file is written")
    names = {key[0] for key in metrics(path)[1]}
    assert not [n for n in names if "_track_" in n or "_responder_" in n], names
    address = {"vip": "www", "address": "192.0.2.3"}
    assert value(path, "vip_address_state", state="announced", **address) == 1, "VIP"
    assert value(path, "vip_address_nexthops", **address) == 1, "next hops"
    down = {"vip": "down", "address": "192.0.2.2"}
    assert value(path, "vip_address_state", state="down", **down) == 1, "VIP"

    out = cl.load_file(
        router,
        "cluster track uplink\n next-hop {}\n next-hop 198.51.100.77\n"
        " route 10.99.0.0/16\nexit\n"
        "cluster responder gw\n interface r1-eth0\n condition vip down\n"
        " handoff nat\n address 198.51.100.9\nexit\n".format(MEMBER_UP),
    )
    assert out == "", "configuration: {}".format(out)
    try:
        states = cl.vtysh_json(router, "show cluster responder json")
        assert "gw" in states, states
        route = {"track": "uplink", "prefix": "10.99.0.0/16"}
        for name, labels, expected in (
            ("track_route_state", dict(route, state="up"), 1),
            ("track_route_state", dict(route, state="down"), None),
            ("track_next_hop_up", {"next_hop": MEMBER_UP}, 1),
            ("track_next_hop_used", {"next_hop": MEMBER_UP}, 1),
            ("track_next_hop_up", {"next_hop": "198.51.100.77"}, 0),
            ("track_next_hop_used", {"next_hop": "198.51.100.77"}, 0),
        ):
            if "next_hop" in labels:
                labels = dict(labels, track="uplink", interface="")
            cl.expect(
                lambda n=name, l=labels, e=expected: (
                    value(path, n, **l) == e,
                    [k for k in metrics(path)[1] if n in k[0]],
                ),
                "{} {}".format(name, labels),
            )
        address = {"responder": "gw", "address": "198.51.100.9"}
        (state,) = [a["state"] for a in responder(router)["addresses"]]
        cl.expect(
            lambda: value(path, "responder_address_state", state=state, **address) == 1,
            "the responder's address: {}".format(state),
        )
        assert value(path, "responder_condition_met", responder="gw") == 0, "condition"
        for kind in ("arp", "neighbor", "echo"):
            sent = value(path, "responder_sent_total", responder="gw", kind=kind)
            assert sent == 0, "{} answers: {}".format(kind, sent)
        for reason in ("condition", "source", "rate"):
            labels = {"responder": "gw", "reason": reason}
            assert value(path, "responder_not_answered_total", **labels) == 0, reason
        bare = "interface r1-eth0 has no IPv4 address to translate to"
        cl.expect(
            lambda: (
                responder(router)["handoff"]["why"] == bare,
                responder(router)["handoff"],
            ),
            "the hand-off's state",
        )
        labels = {"responder": "gw", "state": "waiting"}
        cl.expect(
            lambda: value(path, "responder_handoff_state", **labels) == 1,
            "the hand-off in the metrics",
        )
        for kind in ("flow", "ping"):
            labels = {"responder": "gw", "kind": kind}
            found = value(path, "responder_handoff_refused_total", **labels)
            assert found == 0, kind
        assert value(path, "responder_handoff_flows_total", responder="gw") == 0
    finally:
        cl.load_file(router, "no cluster track uplink\nno cluster responder gw\n")
    cl.expect(
        lambda: not [k for k in metrics(path)[1] if "_track_" in k[0]],
        "a track that is gone is still there",
    )


def responder(router):
    "show cluster responder json, of gw."
    return cl.vtysh_json(router, "show cluster responder json")["gw"]


def test_metrics_refused():
    "What can't be right is refused where it is typed."
    router = r1()
    for path, why in {
        "clusterd.prom": "give the whole path",
        "/tmp/clusterd.txt": "the name has to end with .prom",
        "/" + "x" * 251 + ".prom": "too long",
    }.items():
        out = cl.configure(router, "cluster metrics file {}".format(path))
        assert why in out, "{}: {}".format(path, out)
    cl.configure(router, "no cluster metrics file")


def test_metrics_at_the_end(metrics_folder):
    "The file goes with the daemon."
    router, folder, path = metrics_folder
    os.makedirs(folder)
    shutil.chown(folder, "frr", "frr")
    cl.expect(lambda: os.path.exists(path), "no file is written")
    cl.end_daemon(router, "clusterd")
    left = os.listdir(folder)
    cl.start_daemon(router, "clusterd")
    r1()
    assert left == [], "left behind: {}".format(left)


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
