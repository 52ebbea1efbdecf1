# SPDX-License-Identifier: GPL-2.0-or-later
"""
Operational state of hub clustering where not all is well: leaves have other values
than those that clusterd_hub_oper_topo1 sees.  The network is in lib_hub_oper.py.
"""

import json
import re
import signal

import pytest
import lib_cluster as cl
import lib_hub_oper as oper
from lib_control import Deaf
from lib_hub_oper import (
    CLUSTER,
    ID,
    OTHER,
    PERCENT,
    become,
    configured,
    east,
    edge_of,
    hub_of,
    more,
    own_edge,
    own_hub,
    positive,
    show,
    state,
)
from lib_oper import (
    TIME,
    by_key,
    check_leaves,
    notifications,
)
from lib_same import expect_same


ANY = re.compile(r"\w")


def setup_module(module):
    "Start."
    oper.start(module)


def teardown_module(_module):
    "End."
    cl.stop()


@pytest.fixture(name="ready", autouse=True)
def fixture_ready():
    "All is well."
    oper.restore()


def same(name, *shows):
    "A node says the same by `show` and YANG."
    expect_same(cl.usable().gears[name], *shows)


def test_gateway_that_waits():
    "It waits for a hub that doesn't come: an edge that asks gets no answer."
    nobody = "b0000000-0000-4000-8000-000000000009"
    clusters = ("same", "east")
    configured("e1", "cluster edge", "shutdown")
    become("e1", own_edge, {"status": "shutdown"}, gone=("phase", "hub", "moves"))
    become("g1", edge_of, {"connected": False})
    for name in clusters:
        configured("g1", "cluster hub-cluster " + name, "shutdown")
    lines = ("member " + nobody, "settle-time 600", "no shutdown")
    configured("g1", "cluster hub-cluster east", *lines)
    try:
        configured("e1", "cluster edge", "no shutdown")
        become(
            "g1",
            east,
            {
                "settled": False,
                "settle-left": lambda left: 0 < left <= 600000,
                "hubs": 1,
                "edges": 1,
                "edges-without-hub": 1,
            },
        )
        untold = ("hub", "told", "reason", "why", "told-time")
        become("g1", edge_of, {"connected": True, "asking": True}, gone=untold)
        seen = become(
            "e1",
            own_edge,
            {"status": "running", "phase": "idle"},
            gone=("hub", "hub-name", "hub-since", "via", "standby"),
        )
        (gateway,) = seen["gateway"]
        wanted = {"id": ID["g1"], "name": "g1", "preference": 7, "answered": False}
        check_leaves(gateway, {**wanted, "preferred": gateway["preferred"]})
        (route,) = seen["route"]
        assert route["status"] == "unwanted", route
        same("g1", "hub-cluster")
        same("e1", "edge")
    finally:
        configured("e1", "cluster edge", "no shutdown")
        lines = ("shutdown", "no member " + nobody, "settle-time 1", "no shutdown")
        configured("g1", "cluster hub-cluster east", *lines)
        configured("g1", "cluster hub-cluster same", "no shutdown")


def route(seen):
    "The edge's only one, of its state."
    return own_edge(seen)["route"][0]


def prefix(seen):
    "Of a hub's state: its edge's prefix that it accepts."
    return by_key(own_hub(seen)["edge"][0]["prefix"], "prefix")[("10.1.0.0/16",)]


def test_routes_of_others():
    "A static route is better than that of an edge, and of a hub."
    (before,) = state("e1")["edge"]["state"]["route"]
    routes = (("e1", "192.0.2.0/24"), ("h1", "10.1.0.0/16"))
    configured("e1", "cluster edge", "route distance 200")
    configured("h1", "cluster hub", "site-route distance 200")
    for name, text in routes:
        configured(name, "ip route {} 203.0.113.1".format(text))
    try:
        become(
            "e1",
            route,
            {"status": "better-won", "since": TIME},
        )
        become("h1", prefix, {"accepted": True, "route": "better-won"})
        same("e1", "edge")
        same("h1", "hub")
    finally:
        for name, text in routes:
            configured(name, "no ip route {} 203.0.113.1".format(text))
        configured("e1", "cluster edge", "no route distance")
        configured("h1", "cluster hub", "no site-route distance")
    become("e1", route, {**before, "since": TIME})


def test_routes_without_zebra():
    "Routes that zebra isn't there for, and those that it says nothing of."
    nodes = (("e1", route, "status", "edge"), ("h1", prefix, "route", "hub"))
    for name, part, leaf, show_it in nodes:
        gear = cl.usable().gears[name]
        cl.end_daemon(gear, "zebra")
        try:
            become(name, part, {leaf: "unsent"})
            same(name, show_it)
        finally:
            cl.start_daemon(gear, "zebra")
        become(name, part, {leaf: "installed"})
    gear = cl.usable().gears["e1"]
    cl.send_signal(gear, "zebra", signal.SIGSTOP)
    try:
        # vtysh would wait for zebra.
        lines = ("configure terminal", "cluster edge", "route 198.18.0.0/15")
        out = cl.vtysh(gear, *lines, daemon="clusterd")
        assert out == "", out
        path = "show yang operational-data /frr-clusterd-hub:hub-clustering clusterd"

        def pending():
            text = cl.vtysh(gear, path, daemon="clusterd")
            seen = json.loads(text)["frr-clusterd-hub:hub-clustering"]
            routes = by_key(own_edge(seen)["route"], "prefix")
            return {key: entry["status"] for key, entry in routes.items()} == {
                ("192.0.2.0/24",): "installed",
                ("198.18.0.0/15",): "pending",
            }, routes

        cl.expect(pending, "zebra hasn't answered")
    finally:
        cl.send_signal(gear, "zebra", signal.SIGCONT)
        configured("e1", "cluster edge", "no route 198.18.0.0/15")


def test_unknown_tunnels():
    "The command that counts them fails: no score, and no target of moves."
    configured("h1", "cluster hub", "tunnel source command /bin/false timeout 500")
    unknown = {"reason": "tunnelsUnknown", "why": "doesn't know its number of tunnels"}
    try:
        become(
            "h1",
            own_hub,
            {
                **{"score-" + leaf: text for leaf, text in unknown.items()},
                "source-why": re.compile(r"^command: \w"),
                "reports": positive,
            },
            gone=("score", "tunnels"),
        )
        become(
            "g1",
            hub_of("h1"),
            {
                **{"target-" + leaf: text for leaf, text in unknown.items()},
                "target": False,
                "eligible": True,
                "cpu": PERCENT,
            },
            gone=("score", "tunnels"),
        )
        same("h1", "hub")
        same("g1", "hub-cluster")
    finally:
        configured("h1", "cluster hub", "tunnel source fixed 10")
    become("h1", own_hub, {"tunnels": 10}, gone=("source-why", "score-why"))


def test_edge_is_refused():
    "h2 wants to be an edge, and says that its tunnel's end is e1's."
    refused = state("h1")["hub"]["state"]["edges-refused"]
    configured(
        "h2", "cluster edge", "hub-cluster " + CLUSTER, "tunnel-address 203.0.113.21"
    )
    try:
        become("h1", own_hub, {"edges-refused": more(refused), "edges": 1})
        become(
            "h2",
            own_edge,
            {"failures": positive, "unreachable": [ID["h1"]], "moves": "0"},
            gone=("hub", "via"),
        )
        seen = show("h2", "edge")
        assert seen["unreachable"] == [ID["h1"]], seen
        same("h1", "hub")
    finally:
        configured("h2", "no cluster edge")


def test_tunnel_fails():
    "The command for tunnels fails: the edge loses its hub, and doesn't get there."
    losses = state("e1")["edge"]["state"]["losses"]
    own = notifications(cl.usable().gears["e1"], "frr-clusterd-hub:own-hub-change")
    configured("e1", "cluster edge", "tunnel action command /bin/false")
    try:
        become(
            "e1",
            own_edge,
            {
                "phase": "connecting",
                "target": ID["h1"],
                "target-reason": "onlyOne",
                "target-why": "the edge can't reach any, so it tries again",
                "tunnel-why": re.compile(r"^tunnel command \(up\): \w"),
                "unreachable": [ID["h1"]],
                "losses": more(losses),
                "failures": positive,
            },
            gone=("hub", "hub-name", "via"),
        )

        def told():
            "Not between two attempts."
            seen = show("e1", "edge")
            return (seen.get("targetReason"), seen.get("target")) == (
                "onlyOne",
                ID["h1"],
            ), seen

        cl.expect(told, "no reason for the target")
        own({"change": "failed", "hub": ID["h1"]})
        become("g1", edge_of, {"told": ID["h1"], "reason": "onlyOne"}, gone=("hub",))
    finally:
        configured("e1", "cluster edge", "no tunnel action")


def blocked(address):
    "e1 hears nothing of a hub while it lasts."
    rule = "ip saddr {} udp sport 8484".format(address)
    return Deaf(cl.usable().gears["e1"], rule)


@pytest.fixture(name="pair")
def fixture_pair():
    "h2 is a hub of the cluster, too; e1 has tunnels to both, and patience."
    configured(
        "h2",
        "cluster hub",
        "hub-cluster " + CLUSTER,
        "tunnel capacity 50",
        "tunnel source fixed 1",
        "model x2",
        "report interval 1",
    )
    configured("g1", "cluster hub-cluster east", "member " + ID["h2"])
    configured("e1", "cluster edge", "tunnel preestablish", "connect-timeout 120")
    configured("e1", "cluster control", "timers keepalive 1000 dead 24000")
    yield
    configured("h1", "cluster hub", "tunnel source fixed 10")
    lines = ("no member " + ID["h2"], "load-limit 60")
    lines += ("no auto-rebalance", "no bulk-hold")
    configured("g1", "cluster hub-cluster east", *lines)
    configured(
        "h2",
        "cluster hub",
        "hub-cluster " + OTHER,
        "no tunnel capacity",
        "no tunnel source",
        "no model",
        "no report interval",
    )
    configured("e1", "cluster edge", "no tunnel preestablish", "no connect-timeout")
    configured("e1", "cluster control", "timers keepalive 1000 dead 7000")


def test_auto_rebalance(pair):
    "It is at work while a score is above the limit."
    configured("g1", "cluster hub-cluster east", "bulk-hold 0")
    configured("h1", "cluster hub", "tunnel source fixed 99")
    scores = [
        become("g1", hub_of(name), {"tunnels": tunnels, "score": lambda score: score})
        for name, tunnels in (("h1", 99), ("h2", lambda tunnels: tunnels < 3))
    ]
    limit = sum(score["score"] for score in scores) // 2
    lines = ("load-limit {}".format(limit), "auto-rebalance")
    configured("g1", "cluster hub-cluster east", *lines)
    become("g1", east, {"auto-rebalancing": True, "bulk-hold-left": 0})
    same("g1", "hub-cluster")
    high = {
        "target-reason": "tunnelsHigh",
        "target-why": "its tunnels aren't below the limit",
    }
    become("g1", hub_of("h1"), {"target": False, "eligible": True, **high})
    become("g1", hub_of("h2"), {"target": True, "eligible": True}, gone=high)
    text = cl.vtysh(cl.usable().gears["g1"], "show cluster hub-cluster east")
    assert "\n  auto-rebalance is at work" in text, text


def test_two_hubs(pair):
    """
    One has too many tunnels: the edge is moved, then back by hand; its hub is silent for a
    while.
    """
    hub = {"eligible": True, "capacity": 50, "model": "x2", "tunnels": 1}
    become("g1", hub_of("h2"), {**hub, "differs": True}, gone=("as-number",))
    become("e1", own_edge, {"standby": ID["h2"], "standby-connected": True})
    before, moves = east(state("g1")), own_edge(state("e1"))["moves"]
    own = notifications(cl.usable().gears["e1"], "frr-clusterd-hub:own-hub-change")

    # Fair redistribution; e1 belongs to the second hub.
    configured("h1", "cluster hub", "tunnel source fixed 99")
    become(
        "g1",
        east,
        {
            "hubs": 2,
            "edges": 1,
            "edges-without-hub": 0,
            "moves": more(before["moves"]),
            "bulk-moves": more(before["bulk-moves"]),
            "bulk-hold-left": lambda left: 0 < left <= 120000,
            "auto-rebalancing": False,
        },
    )
    become(
        "g1",
        edge_of,
        {
            "hub": ID["h2"],
            "told": ID["h2"],
            "reason": "fairRedistribution",
            "why": "fair redistribution",
            "moves": positive,
        },
    )
    become(
        "e1",
        own_edge,
        {
            "phase": "attached",
            "hub": ID["h2"],
            "hub-name": "h2",
            "hub-reason": "fairRedistribution",
            "hub-why": "fair redistribution",
            "via": ["203.0.113.12"],
            # h2 has no list of prefixes
            "accepted": 0,
            "moves": more(moves),
            "standby": ID["h1"],
            "standby-name": "h1",
            "standby-connected": True,
            "standby-attached": False,
        },
        gone=("target", "target-name", "target-reason", "target-why"),
    )

    fair = {"reason": "fairRedistribution", "why": "fair redistribution"}
    there = {"hub": ID["h2"], "from": ID["h1"], "gateway": ID["g1"]}
    own({**there, **fair, "change": "moved"})

    # By hand; h1 doesn't answer at first.
    with blocked("203.0.113.11"):
        move = "cluster move east edge {} hub {}".format(ID["e1"], ID["h1"])
        assert cl.vtysh(cl.usable().gears["g1"], move) == ""
        wanted = {"target": ID["h1"], "target-name": "h1"}
        become(
            "e1",
            own_edge,
            {
                **wanted,
                "phase": "moving",
                "hub": ID["h2"],
                "target-reason": "operator",
                "target-why": "moved by the operator",
            },
        )
        seen = show("e1", "edge")
        assert (seen["targetName"], seen["targetReason"]) == ("h1", "operator"), seen
        same("e1", "edge")
    become(
        "e1",
        own_edge,
        {"phase": "attached", "hub": ID["h1"], "hub-reason": "operator"},
        gone=wanted,
    )

    # Its hub is silent for two thirds of the interval, but not for all of it.
    losses = become("e1", own_edge, {"standby": ID["h2"]})["losses"]
    with blocked("203.0.113.11"):
        become("e1", own_edge, {"standby-attached": True, "standby-name": "h2"})
    for name in ("h1", "h2"):
        become(name, own_hub, {"edges": 1})
    become(
        "e1",
        own_edge,
        {"hub": ID["h1"], "standby-attached": True, "losses": losses},
    )


def test_hub_unlike_the_first(pair):
    "What gateways tell of a hub that comes, isn't like the first one, and isn't a member."
    change = notifications(cl.usable().gears["g1"], "frr-clusterd-hub:hub-change")
    hub = {"cluster": CLUSTER, "hub": ID["h2"]}
    member = "member " + ID["h2"]
    become("g1", hub_of("h2"), {"differs": True}, gone=("as-number",))
    configured("h2", "cluster hub", "shutdown")
    change({**hub, "change": "left", "reason": "hubStopped", "why": ANY})
    configured("h2", "cluster hub", "asn 65001", "no shutdown")
    try:
        change({**hub, "change": "joined"})
        change({**hub, "change": "differs"})
        change({**hub, "change": "same-asn", "other": ID["h1"]})
        become("g1", hub_of("h2"), {"differs": True, "as-number": 65001})
        configured("g1", "cluster hub-cluster east", "no " + member)
        change({**hub, "change": "refused"})
        refused = {"hub": ID["h2"], "cluster": CLUSTER, "count": positive}
        become("g1", lambda seen: by_key(seen["refused"], "hub")[(ID["h2"],)], refused)
        same("g1", "hub-cluster", "events")
    finally:
        configured("g1", "cluster hub-cluster east", member)
        configured("h2", "cluster hub", "no asn")


def test_answer_to_an_older_question(pair):
    """
    e1 loses two hubs and asks twice, while it doesn't hear the gateway's answers: the
    first one is of no use when it comes.
    """
    # It must not give up the gateway meanwhile.
    configured("e1", "cluster control", "timers keepalive 1000 dead 600000")
    before = become(
        "e1",
        own_edge,
        {"phase": "attached", "hub": ID["h1"], "standby": ID["h2"]},
    )
    try:
        with blocked("203.0.113.1"):
            configured("h1", "cluster hub", "shutdown")
            become("e1", own_edge, {"phase": "attached", "hub": ID["h2"]})
            become("g1", edge_of, {"told": ID["h2"], "hub": ID["h2"]})
            configured("h2", "cluster hub", "shutdown")
            become("e1", own_edge, {"phase": "idle"}, gone=("hub",))
            become("g1", edge_of, {"reason": "noHub"}, gone=("hub", "told"))
            silent = {"stale": before["stale"], "phase": "idle"}
            become("e1", own_edge, silent, gone=("hub",))
        become("e1", own_edge, {"stale": more(before["stale"]), "phase": "idle"})
        same("e1", "edge")
    finally:
        for name in ("h1", "h2"):
            configured(name, "cluster hub", "no shutdown")
