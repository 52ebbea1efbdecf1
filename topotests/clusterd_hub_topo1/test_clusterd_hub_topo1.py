# SPDX-License-Identifier: GPL-2.0-or-later
"""
A hub cluster: where edges are, and how they and their traffic get to another hub.
Cases 24, 25, 26 and 28 are here.  The network is in lib_hub.py.
"""

import glob
import os
import signal

import pytest
import lib_cluster as cl
import lib_control as ctl
import lib_hub as hub
from lib_watch import Watch

# Datagrams of a flow that may get lost while the old hub is still there: FRR replaces
# a route by two messages to the kernel.
SMOOTH = 2

# Without traffic when a hub is stopped, if BGP isn't slow: what a second leaves
# of a dead interval of 900 ms.
STOP = 0.1
MODULE = glob.glob(os.path.join(cl.STAGE, "usr/lib/*/frr/modules", "bgpd_clusterd.so"))[
    0
]


def setup_module(module):
    "Start all."
    hub.start(module)


def teardown_module(_module):
    "End."
    hub.stop()


@pytest.fixture(name="lab", autouse=True)
def fixture_lab(request):
    "Every edge is at its hub; the first test looks itself."
    cl.usable()
    if request.function is not test_assignment:
        hub.restore()


def test_assignment():
    "Edges that start get the hub of the specification's table."
    cl.expect(hub.all_there, "hubs are missing")
    hub.restart_edges()
    cl.expect(hub.placed(**hub.MODULO), "not by modulo")
    for router in hub.gears(*hub.GATEWAYS):
        for edge, wanted in hub.MODULO.items():
            seen = hub.edges(router)[edge]
            assert (seen["hub"], seen["told"]) == (wanted, wanted), (edge, seen)


def test_traffic():
    "v4 and v6 both ways; from branch to branch over two hubs and the switch."
    cl.expect(hub.flows_now(*hub.EDGES), "traffic doesn't flow")
    cl.expect(hub.flows_now("e1", names=("e2", "e3")), "no traffic between branches")
    h2 = hub.gear("h2")
    for edge in ("e2", "e3"):
        seen = hub.hops(h2, hub.site(edge))
        assert seen == {"10.20.2.254"}, "{} is not behind the switch: {}".format(
            edge, seen
        )
    # Hubs don't speak with each other, neither by ours nor by BGP.
    for name in hub.HUBS:
        others = {hub.ID[other] for other in hub.HUBS}
        sessions = cl.vtysh_json(hub.gear(name), "show cluster control sessions json")
        assert not others & set(sessions), (name, sessions)
        peers = cl.vtysh_json(hub.gear(name), "show bgp summary json")
        for family in peers.values():
            for peer in family["peers"].values():
                assert peer["remoteAs"] == 65000, (name, peers)


def test_uplink_community():
    "Sites have it at the switch and at siblings, which don't count them."
    for edge, carrier in hub.MODULO.items():
        for version in (4, 6):
            prefix = hub.site(edge, version)
            for name in ("sw", *hub.HUBS):
                if name == carrier:
                    continue
                path = hub.bgp_path(hub.gear(name), prefix)
                seen = path.get("community", {}).get("list")
                assert seen == [hub.UPLINK], "{} at {}: {}".format(prefix, name, path)
    for name in hub.HUBS:
        # The server's network; BGP has those of sites, too.
        seen = hub.hub_self(name)
        assert (seen["routesIpv4"], seen["routesIpv6"]) == (1, 1), seen
        leaves = hub.leaves(name)["hub"]["state"]
        assert (leaves["routes-ipv4"], leaves["routes-ipv6"]) == (1, 1), leaves
        leaves = hub.hub_leaves("g1", name)
        assert (leaves["routes"], leaves["routes-before"]) == (2, 2), leaves
        assert len(hub.bgp_prefixes(hub.gear(name))) > 4, "no sites in BGP"


def test_move():
    """
    cluster move; the switch's route follows (case 28) within the same second, and
    traffic goes on.
    """
    watches = {name: Watch(hub.gear(name)) for name in ("e1", "sw")}
    try:
        hub.mark()
        said = hub.move("e1", "h3")
        assert said == "", said
        cl.expect(hub.placed(e1="h3"), "e1 isn't moved")
        gone = hub.lost("e1")
        there = watches["e1"].times("^ *{} .*via {} ".format(hub.LAN, hub.TUNNEL["h3"]))
        back = watches["sw"].times("^ *{} .*via 10.20.3.1 ".format(hub.site("e1")))
    finally:
        for watch in watches.values():
            watch.end()
    assert len(there) == len(back) == 1, "routes: {} {}".format(there, back)
    print("the switch follows after", round(back[0] - there[0], 3))
    assert abs(back[0] - there[0]) < 1, "too late: {}".format(back[0] - there[0])
    assert gone <= SMOOTH, "{} datagrams lost".format(gone)
    for router in hub.gears(*hub.GATEWAYS):
        cl.expect(
            lambda r=router: hub.edges(r)["e1"]["hub"] == "h3",
            router.name + " doesn't know of the move",
        )
    assert hub.edges(hub.gear("g1"))["e1"]["reason"] == "operator", hub.edges(
        hub.gear("g1")
    )


def test_move_refused():
    "To a hub that isn't there, of an edge that isn't, in no such cluster."
    g1 = hub.gear("g1")
    for cluster, edge, target, why in (
        ("lab", hub.ID["e1"], hub.ID["g2"], "the hub is no live hub of the cluster"),
        ("lab", hub.ID["g2"], hub.ID["h1"], "no such edge of the cluster is connected"),
        ("nix", hub.ID["e1"], hub.ID["h1"], "hub-cluster nix is not configured"),
    ):
        said = cl.vtysh(
            g1, "cluster move {} edge {} hub {}".format(cluster, edge, target)
        )
        assert why in said, "{!r} isn't refused for {!r}: {}".format(
            (cluster, edge, target), why, said
        )
    assert hub.placed(**hub.MODULO)()[0], "something was moved"


def test_hub_stopped():
    "Case 26: SIGTERM; its edges are moved at once, others stay. Nobody comes back."
    h2 = hub.gear("h2")
    hub.mark()
    cl.end_daemon(h2, "clusterd")
    cl.expect(
        hub.placed(e1="h3", e2="h3", e3="h1", e4="h1"),
        "not at once",
        timeout=cl.AT_ONCE,
    )
    gap = hub.outage("e1", "e4")
    assert gap < 1, "{} s without traffic".format(gap)
    # The others, not even for a moment.
    gone = hub.lost("e2", "e3")
    assert gone <= SMOOTH, "{} datagrams lost at other hubs".format(gone)
    before = hub.moves()
    cl.start_daemon(h2, "clusterd")
    cl.expect(hub.all_there, "h2 doesn't come back")
    assert hub.moves() == before, "moved by the return of a hub"


def test_hub_killed():
    "kill -9 with the default timers: 7 s until it is dead, 10 s until all is well."
    h2 = hub.gear("h2")
    hub.mark()
    cl.end_daemon(h2, "clusterd", signal.SIGKILL)
    cl.expect(hub.placed(e1="h3", e4="h1"), "h2 isn't taken for dead")
    gap = hub.outage("e1", "e4")
    assert 5.5 < gap < 15, "{} s without traffic".format(gap)
    seen = hub.edges(hub.gear("g1"))["e1"]
    # The edge may have noticed first; then g2's answer may have come first.
    assert seen["reason"] in ("hubDead", "unreachable", "kept"), seen


def test_node_lost():
    "A hub without its cables, timers of 300 and 900 ms."
    names = ("g1", "g2", "e1", "e4", "h2")
    hub.timers(300, 900, *names)
    back = None
    try:
        hub.mark()
        back = hub.cables("h2")
        cl.expect(
            lambda: (hub.routed_by("e1"), hub.routed_by("e4")) == ("h3", "h1"),
            "h2 isn't taken for dead",
        )
        gap = hub.outage("e1", "e4")
        assert gap < cl.AT_ONCE, "{} s without traffic".format(gap)
    finally:
        if back:
            back()
        hub.timers(1000, 7000, *names)
    cl.expect(hub.all_there, "h2 doesn't come back")


def test_late_joiner():
    "Case 25: a hub that came later; nobody moves for that, but it takes over."
    h3, h2 = hub.gears("h3", "h2")
    cl.end_daemon(h3, "clusterd")
    cl.expect(hub.placed(e2="h1"), "e2 stays at a stopped hub")
    before = hub.moves()
    cl.start_daemon(h3, "clusterd")
    cl.expect(hub.all_there, "h3 doesn't come")
    assert hub.moves() == before, "moved by a joining hub"
    hub.timers(300, 900, "g1", "g2", "e1", "e4")
    try:
        cl.end_daemon(h2, "clusterd", signal.SIGKILL)
        cl.expect(hub.placed(e1="h3", e4="h1"), "h3 doesn't take over")
    finally:
        hub.timers(1000, 7000, "g1", "g2", "e1", "e4")


@pytest.mark.parametrize("reaction", ["periodic", "immediate"])
def test_lan_bgp_lost(reaction):
    "Case 24: a hub lives, but its LAN BGP is dead; back it goes by hand only."
    h2 = hub.gear("h2")
    if reaction == "immediate":
        hub.gateways_line("route-loss reaction immediate hold 500")
    try:
        hub.mark()
        cl.end_daemon(h2, "bgpd", signal.SIGKILL)
        cl.expect(hub.placed(e1="h3", e4="h1"), "edges stay without routes")
        gap = hub.outage("e1", "e4")
        if reaction == "immediate":
            assert gap < cl.AT_ONCE, "{} s without traffic".format(gap)
        else:
            # route-loss delay 3
            assert 2.5 < gap < 10, "{} s without traffic".format(gap)
        seen = hub.hubs(hub.gear("g1"))["h2"]
        assert seen.get("eligibleReason") == "routesLost" and not seen["eligible"], seen
        before = hub.moves()
    finally:
        cl.start_daemon(h2, "bgpd")
        hub.gateways_line("no route-loss reaction immediate")
    cl.expect(hub.all_there, "the routes don't count again")
    assert hub.moves() == before, "moved back"


def test_drain():
    "The edges leave without a loss; afterwards nobody comes back by itself."
    hub.mark()
    triggered = int(hub.leaves("h2")["hub"]["state"]["reports-triggered"])
    hub.hub_line("h2", "drain")
    try:
        cl.expect(hub.placed(e1="h3", e4="h1"), "edges stay")
        gone = hub.lost(*hub.EDGES)
        assert gone <= SMOOTH, "{} datagrams lost".format(gone)
        for router in hub.gears(*hub.GATEWAYS):
            seen = hub.hubs(router)["h2"]
            assert (
                seen.get("eligibleReason") == "draining" and not seen["eligible"]
            ), seen
            leaves = hub.hub_leaves(router.name, "h2")
            assert leaves["draining"] is True and leaves["eligible"] is False, leaves
            why = leaves["eligible-reason"], leaves["eligible-why"]
            assert why == ("draining", "is being drained"), leaves
        leaves = hub.leaves("h2")["hub"]["state"]
        assert int(leaves["reports-triggered"]) > triggered, leaves
        assert hub.edges(hub.gear("g1"))["e1"]["reason"] == "drained"
        said = hub.move("e1", "h2")
        assert "the hub is being drained" in said, said
        before = hub.moves()
    finally:
        hub.hub_line("h2", "no drain")
    cl.expect(hub.all_there, "h2 isn't eligible again")
    assert hub.moves() == before, "moved back"


class FastEdge:
    """
    e1 with fast timers, and with tunnels to all hubs: it goes to its standby by
    itself, and has a session there already.
    """

    def __init__(self):
        hub.timers(300, 900, *hub.GATEWAYS, "e1")
        hub.edge_line("e1", "tunnel preestablish")

    def end(self):
        "As it was."
        hub.edge_line("e1", "no tunnel preestablish")
        hub.timers(1000, 7000, *hub.GATEWAYS, "e1")

    @staticmethod
    def ready():
        "For expect(): it has sessions with all hubs, and a standby."
        seen = hub.edge_self("e1")
        sessions = cl.vtysh_json(hub.gear("e1"), "show cluster control sessions json")
        ok = all(sessions.get(hub.ID[h], {}).get("up") for h in hub.HUBS)
        ok = ok and seen.get("standbyConnected") and seen["standby"] != seen["hub"]
        # Of a hub that is back it hears first, then the gateways name it again.
        ok = ok and not seen["unreachable"]
        return ok, (seen, sessions)

    def lose(self, end):
        """
        End its hub by a function of its name, whose result, if any, brings it back. How
        long there was no traffic, in s.
        """
        e1 = hub.gear("e1")
        cl.expect(hub.all_there, "hubs are missing")
        cl.expect(hub.all_learned, "hubs don't have the LAN's routes")
        seen = cl.expect(self.ready, "no standby")[1][0]
        carrier, standby = hub.NAME[seen["hub"]], hub.NAME[seen["standby"]]
        ups = ctl.session(e1, hub.ID[standby])["ups"]
        cl.expect(hub.flows_now("e1"), "traffic doesn't flow")
        hub.mark()
        back = end(carrier)
        try:
            cl.expect(hub.placed(e1=standby), "e1 isn't at its standby")
            gap = hub.outage("e1")
            seen = hub.edge_self("e1")
            # The gateway may have noticed first; its word is the same.
            assert seen["hubReason"] in ("standby", "hubDead", "hubStopped"), seen
            assert ctl.session(e1, hub.ID[standby])["ups"] == ups, "it was called anew"
        finally:
            if back:
                back()
            else:
                cl.start_daemon(hub.gear(carrier), "clusterd")
        return gap


def stopped(name):
    "A clean end of a hub's clusterd."
    cl.end_daemon(hub.gear(name), "clusterd")


def killed(name):
    "kill -9 of a hub's clusterd at the worst moment for e1."
    hub.kill_behind_keepalive(name, "e1")


def cut(name):
    "All of a hub's cables, at the worst moment for e1."
    return hub.cables(name, "e1")


def within_a_second(gap, stop):
    """
    Asserts the specification's second. A stop takes the same way but for the silence:
    what it needs more than is left of a second is bgpd's and the machine's. bgpd
    holds its queue for 0.05 s at the hub, and at the switch; see the module.
    """
    print("killed:", round(gap, 2), "stopped:", round(stop, 2))
    limit = 1 + max(0, stop - STOP)
    assert gap < limit, "{} s without traffic, stopped {} s".format(gap, stop)


def lost_at_the_worst_moment(edge, what):
    """
    An edge loses its hubs, each right behind a keepalive, so that nothing of the dead
    interval has passed already: some are killed, some lose their cables.
    """
    stop = edge.lose(stopped)
    assert stop < cl.AT_ONCE, "{} s without traffic".format(stop)
    for how in (killed, cut):
        gaps = [edge.lose(how) for _ in range(3)]
        print(
            "{}, {} right behind a keepalive:".format(what, how.__name__),
            [round(gap, 3) for gap in gaps],
        )
        for gap in gaps:
            within_a_second(gap, stop)


def test_hub_killed_fast():
    """
    Timers of 300 and 900 ms, e1's hubs end one after the other at the worst moment: a
    second. Its session with the standby was there before.
    """
    edge = FastEdge()
    try:
        seen = cl.expect(edge.ready, "no standby")[1][0]
        state = hub.leaves("e1")["edge"]["state"]
        assert state["standby"] == seen["standby"], state
        assert state["standby-connected"] is True, state
        assert state["standby-attached"] is False, state
        lost_at_the_worst_moment(edge, "bgpd as it is")
    finally:
        edge.end()


def test_hub_killed_with_module():
    "The same where hubs have bgpd's module: without half of what BGP takes."
    for name in hub.HUBS:
        cl.end_daemon(hub.gear(name), "bgpd")
        cl.start_daemon(
            hub.gear(name),
            "bgpd",
            "--moduledir {} -M clusterd".format(os.path.dirname(MODULE)),
        )
    hub.restore()
    edge = FastEdge()
    try:
        lost_at_the_worst_moment(edge, "bgpd with the module")
    finally:
        edge.end()
