# SPDX-License-Identifier: GPL-2.0-or-later
"""
Operational state of hub clustering: every leaf has the value that it must have,
and `show` says the same.  The network is in lib_hub_oper.py.
"""

import os
import re
import sys

import pytest
import lib_cluster as cl
import lib_hub_oper as oper
from lib_hub_oper import (
    CLUSTER,
    ID,
    OTHER,
    PERCENT,
    become,
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
    number,
    operational,
)
from lib_same import expect_same

ANY = re.compile(r"\w")
# No target of moves: the machine is busy.
LIMIT = {"target-reason": "scoreHigh", "target-why": "its score isn't below the limit"}


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


def test_gateway():
    "A gateway's clusters, their hubs and edges, who was refused."
    seen = state("g1")
    clusters = by_key(seen["cluster"], "name")
    assert set(clusters) == {("east",), ("off",), ("same",)}, "clusters"
    check_leaves(
        clusters[("off",)]["state"],
        {"status": "shutdown", "why": re.compile("shut ?down")},
    )
    check_leaves(
        clusters[("same",)]["state"],
        {"status": "waiting", "why": re.compile("east")},
    )
    east = dict(clusters[("east",)]["state"])
    (hub,) = east.pop("hub")
    (edge,) = east.pop("edge")
    check_leaves(
        east,
        {
            "status": "running",
            "settled": True,
            "settle-left": 0,
            "bulk-hold-left": 0,
            "auto-rebalancing": False,
            "hubs": 1,
            "edges": 1,
            "edges-without-hub": 0,
            "moves": "0",
            "bulk-moves": "0",
        },
    )
    check_leaves(
        hub,
        {
            "id": ID["h1"],
            "name": "h1",
            "model": "x1",
            "as-number": 65001,
            "address": ["203.0.113.11"],
            "port": 8484,
            "score": lambda score: 1 <= score <= 100,
            "cpu": PERCENT,
            "memory": PERCENT,
            "tunnels": 10,
            "capacity": 100,
            "routes": 0,
            "routes-before": 0,
            "edges": 1,
            "draining": False,
            "routes-lost": False,
            "differs": False,
            "eligible": True,
            "target": hub["target"],
            **({} if hub["target"] else LIMIT),
            "joined": TIME,
            "last-report": TIME,
        },
    )
    check_leaves(
        edge,
        {
            "id": ID["e1"],
            "name": "e1",
            "connected": True,
            "asking": False,
            "preferred": True,
            "hub": ID["h1"],
            "told": ID["h1"],
            "reason": "assigned",
            "why": "the edge had no hub",
            "told-time": TIME,
            "moves": "0",
        },
    )
    (refused,) = seen["refused"]
    check_leaves(
        refused,
        {
            "hub": ID["h2"],
            "name": "h2",
            "cluster": OTHER,
            "count": positive,
            "last": TIME,
        },
    )


def test_hub():
    "A hub's load, its edge and the edge's prefixes."
    seen = dict(state("h1")["hub"]["state"])
    (edge,) = seen.pop("edge")
    prefixes = by_key(edge.pop("prefix"), "prefix")
    check_leaves(
        seen,
        {
            "status": "running",
            "score": lambda score: 1 <= score <= 100,
            "cpu": PERCENT,
            "memory": PERCENT,
            "tunnels": 10,
            "routes-ipv4": 0,
            "routes-ipv6": 0,
            "gateways": 1,
            "edges": 1,
            "reports": positive,
            "reports-triggered": lambda text: number(text) >= 0,
            "edges-refused": "0",
        },
    )
    check_leaves(
        edge,
        {
            "id": ID["e1"],
            "name": "e1",
            "tunnel-address": ["203.0.113.21"],
            "since": TIME,
        },
    )
    assert set(prefixes) == {("10.1.0.0/16",), ("10.2.0.0/16",)}, prefixes
    check_leaves(
        prefixes[("10.1.0.0/16",)],
        {"prefix": "10.1.0.0/16", "accepted": True, "route": "installed"},
    )
    check_leaves(
        prefixes[("10.2.0.0/16",)],
        {
            "prefix": "10.2.0.0/16",
            "accepted": False,
            "why": "not permitted by the accept list",
        },
    )


def test_edge():
    "An edge's hub, its gateway and its routes."
    seen = dict(state("e1")["edge"]["state"])
    (gateway,) = seen.pop("gateway")
    (route,) = seen.pop("route")
    check_leaves(
        seen,
        {
            "status": "running",
            "phase": "attached",
            "hub": ID["h1"],
            "hub-name": "h1",
            "hub-gateway": ID["g1"],
            "hub-reason": "assigned",
            "hub-why": "the edge had no hub",
            "hub-since": TIME,
            "via": ["203.0.113.11"],
            "accepted": 1,
            "moves": lambda text: number(text) >= 0,
            "losses": "0",
            "failures": "0",
            "ignored": "0",
            "stale": lambda text: number(text) >= 0,
        },
    )
    check_leaves(
        gateway,
        {
            "id": ID["g1"],
            "name": "g1",
            "preference": 7,
            "preferred": True,
            "answered": True,
            "hub": ID["h1"],
            "reason": "assigned",
            "why": "the edge had no hub",
        },
    )
    check_leaves(
        route, {"prefix": "192.0.2.0/24", "status": "installed", "since": TIME}
    )


def test_same_as_show():
    "What `show` knows of the three parts, YANG knows, and the other way round."
    for name, *shows in (
        ("g1", "hub-cluster", "hub", "edge", "events", "control"),
        ("h1", "hub", "control"),
        ("e1", "edge", "events", "control"),
    ):
        expect_same(cl.usable().gears[name], *shows)


def test_paths_below_an_entry():
    "Any path is answered; FRR 8.4 doesn't find entries by their keys."
    for name, path in (
        ("g1", "cluster[name='east']/state"),
        ("g1", "cluster[name='east']/state/hub[id='{}']".format(ID["h1"])),
        ("g1", "cluster[name='east']/state/edge[id='{}']".format(ID["e1"])),
        ("g1", "cluster[name='nosuch']/state/hub[id='{}']".format(ID["h1"])),
        ("g1", "refused[hub='{}']".format(ID["h2"])),
        ("h1", "hub/state/edge[id='{}']".format(ID["e1"])),
        ("h1", "hub/state/edge[id='{}']/prefix".format(ID["e1"])),
        ("h1", "edge/state"),
        ("e1", "edge/state/gateway[id='{}']".format(ID["g1"])),
        ("e1", "edge/state/route[prefix='192.0.2.0/24']"),
        ("e1", "hub/state"),
    ):
        gear = cl.usable().gears[name]
        cl.vtysh(
            gear,
            "show yang operational-data /frr-clusterd-hub:hub-clustering/{} clusterd".format(
                path
            ),
        )
        assert cl.alive(gear, "clusterd"), path


def test_summary():
    "What `show cluster summary` says of the three."
    expected = {
        "g1": {
            "clusters": 3,
            "clusters-running": 1,
            "hubs": 1,
            "edges": 1,
            "hub-running": False,
            "attached-edges": 0,
            "edge-running": False,
        },
        "h1": {"hub-running": True, "attached-edges": 1, "edge-running": False},
        "e1": {"hub-running": False, "edge-running": True, "edge-state": "attached"},
    }
    for name, leaves in expected.items():
        seen = operational(cl.usable().gears[name], "frr-clusterd", "cluster-summary")
        part = seen["hub-clustering"]
        for leaf, value in leaves.items():
            assert part[leaf] == value, "{}: {} in {}".format(name, leaf, part)
        assert set(part) - {"edge-state"} == {
            "clusters",
            "clusters-running",
            "hubs",
            "edges",
            "moves",
            "bulk-moves",
            "hub-running",
            "attached-edges",
            "edge-running",
        }, part
    text = cl.vtysh(cl.usable().gears["g1"], "show cluster summary")
    assert "Hub clusters: 3, 1 run; hubs alive: 1; edges: 1; moves: " in text, text


def test_texts():
    "The forms for people have the same."
    for name, command, wanted in (
        (
            "g1",
            "hub-cluster",
            (
                r"^Cluster east \(%s\): running$" % CLUSTER,
                r"^  Hub h1 \(%s\), for .*, 1 edges$" % ID["h1"],
                r"^    score \d+: processor .* tunnels 10 of 100; routes 0; reported",
                r"^Cluster off .*: shutdown",
                r"^Cluster same .*: waiting: .*east",
                r"^REFUSED as a hub: h2 \(%s\), .* %s" % (ID["h2"], OTHER),
            ),
        ),
        (
            "g1",
            "hub-cluster east edges",
            (
                r"^Cluster east:$",
                r"^  Edge e1 \(%s\): connected, prefers this gateway$" % ID["e1"],
                r"^    at hub h1 ",
                r"^    told h1 .* ago: the edge had no hub$",
            ),
        ),
        (
            "h1",
            "hub",
            (
                r"^Hub of cluster %s: running$" % CLUSTER,
                r"^  Score \d+ in the last report$",
                r"^  Tunnels: 10 of 100, source fixed$",
                r"^  Learned routes: 0 IPv4, 0 IPv6$",
                r"^  1 gateways, 1 edges; ",
            ),
        ),
        (
            "h1",
            "hub edges",
            (
                r"^Edge e1 \(%s\), for .*, tunnel 203\.0\.113\.21$" % ID["e1"],
                r"^  10\.1\.0\.0/16: installed$",
                r"^  10\.2\.0\.0/16: not permitted by the accept list$",
            ),
        ),
        (
            "e1",
            "edge",
            (
                r"^Edge of cluster %s: running$" % CLUSTER,
                r"^  Hub h1 \(%s\) for .*: the edge had no hub$" % ID["h1"],
                r"^    via 203\.0\.113\.11$",
                r"^    told by gateway g1 ",
                r"^  Gateway g1 .*, preference 7, followed: hub h1 ",
                r"^  Route 192\.0\.2\.0/24: installed$",
            ),
        ),
        ("e1", "hub", (r"^This node is no hub\.$",)),
        ("h1", "edge", (r"^This node is no edge\.$",)),
        ("e1", "hub edges", (r"^No edges\.$",)),
    ):
        text = cl.vtysh(cl.usable().gears[name], "show cluster " + command)
        for pattern in wanted:
            assert re.search(pattern, text, re.M), "{}: no {} in {}".format(
                command, pattern, text
            )


def test_hub_without_gateways():
    "Nothing was reported: it isn't said that the capacity is missing."
    gear = cl.usable().gears["g1"]
    out = cl.configure(
        gear,
        "cluster hub",
        "hub-cluster " + OTHER,
        "address 203.0.113.1",
        "tunnel-address 203.0.113.1",
        "tunnel capacity 100",
        "report interval 1",
    )
    assert out == "", out
    try:
        cl.expect(
            lambda: "Tunnels: 0 of 100" in cl.vtysh(gear, "show cluster hub"),
            "it doesn't measure",
        )
        text = cl.vtysh(gear, "show cluster hub")
        for line in (
            "  No score: this hub hasn't reported yet",
            "  0 gateways, 0 edges; 0 reports sent, 0 of them at once; 0 edges refused",
        ):
            assert line in text.splitlines(), text
        seen = become(
            "g1",
            own_hub,
            {
                "status": "running",
                "score-reason": "noReport",
                "score-why": "hasn't reported yet",
                "tunnels": 0,
            },
            gone=("score",),
        )
        assert show("g1", "hub")["scoreReason"] == seen["score-reason"]
        assert "score" not in show("g1", "hub"), show("g1", "hub")
        cl.configure(gear, "cluster hub", "no address 203.0.113.1")
        why = "no `address` is configured: edges could not call it"
        none = ("reports", "edges", "cpu", "score-reason")
        become("g1", own_hub, {"status": "waiting", "why": why}, gone=none)
        cl.configure(gear, "cluster hub", "shutdown")
        become("g1", own_hub, {"status": "shutdown", "why": "shut down"}, gone=none)
    finally:
        cl.configure(gear, "no cluster hub")


def test_edge_without_gateways():
    "Why it has no hub: there is nobody to ask."
    gear = cl.usable().gears["g1"]
    lines = ["cluster edge", "hub-cluster " + OTHER, "tunnel-address 203.0.113.1"]
    out = cl.configure(gear, *lines)
    assert out == "", out
    line = "  No session with a gateway: see `show cluster control`"
    try:
        cl.expect(
            lambda: line in cl.vtysh(gear, "show cluster edge").splitlines(),
            "it isn't said",
        )
        become("g1", own_edge, {"status": "running", "phase": "idle"}, gone=("hub",))
        cl.configure(gear, "cluster edge", "no tunnel-address 203.0.113.1")
        why = (
            "no `tunnel-address` is configured: the hub's routes would have no next hop"
        )
        become("g1", own_edge, {"status": "waiting", "why": why}, gone=("phase",))
    finally:
        cl.configure(gear, "no cluster edge")
    text = cl.vtysh(cl.usable().gears["e1"], "show cluster edge")
    assert line not in text, text


def test_json():
    "The same once more, for programs."
    clusters = show("g1", "hub-cluster")["clusters"]
    assert set(clusters) == {"east", "off", "same"}, clusters
    assert set(show("g1", "hub-cluster same")["clusters"]) == {"same"}, "one of them"
    assert clusters["same"]["state"] == "waiting", clusters["same"]
    hub = clusters["east"]["hubs"][ID["h1"]]
    assert (hub["name"], hub["asn"], hub["capacity"]) == ("h1", 65001, 100), hub
    edge = show("g1", "hub-cluster east edges")["east"][ID["e1"]]
    assert (edge["hub"], edge["reason"]) == (ID["h1"], "assigned"), edge
    prefixes = show("h1", "hub edges")[ID["e1"]]["prefixes"]
    assert prefixes["10.1.0.0/16"] == {"accepted": True, "route": "installed"}, prefixes
    assert prefixes["10.2.0.0/16"]["accepted"] is False, prefixes
    assert show("h1", "edge") == {}, "h1 is no edge"
    assert show("e1", "hub") == {}, "e1 is no hub"
    assert show("e1", "hub edges") == {}, "e1 is no hub"
    seen = show("e1", "edge")
    assert seen["gateways"][ID["g1"]]["preferred"] is True, seen
    assert seen["via"] == ["203.0.113.11"], seen


def check_clusterd(name):
    "What monitoring gets: exit status and line."
    tool = os.path.join(cl.HERE, "..", "tools", "check-clusterd")
    gear = cl.usable().gears[name]
    status, out, err = gear.net.cmd_status([sys.executable, tool], warn=False)
    return status, out + err


def test_monitoring():
    "tools/check-clusterd reads the real answers of all roles."
    for name in ("h1", "e1"):
        status, out = check_clusterd(name)
        assert status == 0 and out.startswith("CLUSTERD OK: "), (name, out)
    status, out = check_clusterd("g1")
    assert status == 2 and "hub cluster same waiting: " in out, out
    assert out.count(";") == 0, "there is no other trouble: " + out


def test_move_is_refused():
    "`cluster move` says why not."
    gear = cl.usable().gears["g1"]
    for hub, why in ((ID["h2"], "is no live hub of the cluster"),):
        out = cl.vtysh(gear, "cluster move east edge {} hub {}".format(ID["e1"], hub))
        assert why in out, out
    out = cl.vtysh(gear, "cluster move off edge {} hub {}".format(ID["e1"], ID["h1"]))
    assert "this node is no gateway of off" in out, out


def test_events():
    "The record has the hub, the edge and the refused one."
    events = show("g1", "events")["events"]
    for kind, node, after in (
        ("hub", "h1", "alive"),
        ("hub", "h2", "refused"),
    ):
        assert [
            event
            for event in events
            if event["kind"] == kind
            and ID[node] in event["name"]
            and event["after"] == after
        ], "no {} {} {} in {}".format(kind, node, after, events)
    events = show("e1", "events")["events"]
    assert [e for e in events if e["kind"] == "edge"], "nothing of the edge's own"


def test_notifications():
    "A gateway and an edge tell who listens to them of the hub that goes and comes."
    g1, h1, e1 = (cl.usable().gears[name] for name in ("g1", "h1", "e1"))
    change = notifications(g1, "frr-clusterd-hub:hub-change")
    own = notifications(e1, "frr-clusterd-hub:own-hub-change")
    hub = {"cluster": CLUSTER, "hub": ID["h1"]}
    cl.configure(h1, "cluster hub", "shutdown")
    try:
        change({**hub, "change": "left", "reason": ANY, "why": ANY})
        own({"change": "lost", "hub": ID["h1"]})
        none = {"reason": "noHub", "why": "no hub of the cluster is alive"}
        own({"change": "no-hub", "gateway": ID["g1"], **none})
    finally:
        cl.configure(h1, "cluster hub", "no shutdown")
    change({**hub, "change": "joined"})
    own(
        {
            "change": "moved",
            "hub": ID["h1"],
            "gateway": ID["g1"],
            "reason": ANY,
            "why": ANY,
        }
    )
