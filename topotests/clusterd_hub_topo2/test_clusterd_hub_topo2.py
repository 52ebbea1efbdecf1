# SPDX-License-Identifier: GPL-2.0-or-later
"""
A hub cluster in adverse conditions: gateways that die, that don't agree or are all
gone, no hub at all, links, and nodes that aren't what they say.  Case 29 is here.
The network is in lib_hub.py.
"""

import re
import signal
import time

import pytest
import lib_cluster as cl
import lib_control as ctl
import lib_hub as hub
from lib_oper import LISTENER, by_key, notifications, operational

# Datagrams of a flow that may get lost where nothing should.
SMOOTH = 2
ANY = re.compile(r"\w")


def setup_module(module):
    "Start all."
    hub.start(module, netns_vrf=("e4",), options=LISTENER)


def teardown_module(_module):
    "End."
    hub.stop()


@pytest.fixture(name="lab", autouse=True)
def fixture_lab():
    "Every edge is at its hub."
    hub.restore()


def test_gateways_agree():
    "Each is killed and comes back: nobody moves, nothing is lost."
    hub.timers(300, 1500, *hub.EDGES)
    try:
        before = hub.moves()
        hub.mark()
        for name in hub.GATEWAYS:
            router = hub.gear(name)
            cl.end_daemon(router, "clusterd", signal.SIGKILL)
            for edge in hub.gears(*hub.EDGES):
                cl.expect(
                    ctl.is_down(edge, hub.ID[name], "dead"),
                    "{} doesn't notice the death of {}".format(edge.name, name),
                )
            cl.start_daemon(router, "clusterd")
            cl.expect(hub.knows_all(router), name + " doesn't know the edges again")
        assert hub.moves() == before, "moved"
        gone = hub.lost(*hub.EDGES)
        assert gone <= SMOOTH, "{} datagrams lost".format(gone)
    finally:
        hub.timers(1000, 7000, *hub.EDGES)


def ignored_by_yang():
    "e1 isn't moved by g2's word, and all know that it follows g1."
    (lab,) = hub.leaves("g2")["cluster"]
    edge = by_key(lab["state"]["edge"], "id")[(hub.ID["e1"],)]
    wanted = {"preferred": False, "connected": True}
    wanted.update({"hub": hub.ID[hub.MODULO["e1"]], "told": hub.ID["h3"]})
    assert wanted.items() <= edge.items(), edge
    state = hub.leaves("e1")["edge"]["state"]
    assert int(state["ignored"]) == hub.edge_self("e1")["ignored"] > 0, state
    gateways = by_key(state["gateway"], "id")
    wanted = {"preferred": False, "answered": True, "preference": 20}
    seen = gateways[(hub.ID["g2"],)]
    assert {**wanted, "hub": hub.ID["h3"]}.items() <= seen.items(), seen
    assert gateways[(hub.ID["g1"],)]["preferred"] is True, gateways


def test_gateways_disagree():
    """
    g2 would have all edges at h3.  It is ignored; g1 dies: each moves once; g1 comes
    back: nobody moves.
    """
    g1, g2, e1 = hub.gears("g1", "g2", "e1")
    own = notifications(e1, "frr-clusterd-hub:own-hub-change")
    hub.cluster_line(g2, "member " + hub.ID["h3"])
    try:
        cl.expect(
            lambda: all(e["told"] == "h3" for e in hub.edges(g2).values()),
            "g2 doesn't want them at h3",
        )
        assert hub.placed(**hub.MODULO)()[0], "g2 moved edges"
        ignored_by_yang()
        word = {"hub": hub.ID["h3"], "gateway": hub.ID["g2"], "reason": ANY}
        own({**word, "change": "ignored", "why": ANY})
        before = hub.moves()
        hub.timers(300, 900, *hub.EDGES)
        cl.end_daemon(g1, "clusterd", signal.SIGKILL)
        cl.expect(hub.placed(**dict.fromkeys(hub.EDGES, "h3")), "g2 isn't followed")
        after = hub.moves()
        assert {e: after[e] - before[e] for e in after} == {
            e: int(hub.MODULO[e] != "h3") for e in after
        }, (before, after)
        cl.start_daemon(g1, "clusterd")
        cl.expect(hub.knows_all(g1), "g1 doesn't know the edges again")
        cl.expect(
            lambda: all(hub.preferred(edge) == "g1" for edge in hub.EDGES),
            "g1 isn't preferred again",
        )
        assert hub.moves() == after, "moved at the return of g1"
        assert hub.placed(**dict.fromkeys(hub.EDGES, "h3"))()[0], "moved"
    finally:
        hub.cluster_line(g2, "no member " + hub.ID["h3"])
        hub.timers(1000, 7000, *hub.EDGES)


def test_rendezvous():
    """
    By rendezvous on both gateways, with a hub that has more capacity: as by the
    formula; a hub goes: only its edges move.
    """
    capacities = {"h1": 100, "h2": 100, "h3": 300}
    hub.hub_line("h3", "tunnel capacity 300")
    hub.gateways_line("assignment rendezvous")
    try:
        wanted = {e: hub.rendezvous(e, **capacities) for e in hub.EDGES}
        assert wanted != hub.MODULO, "no test"
        hub.restart_edges()
        cl.expect(hub.placed(**wanted), "not by rendezvous")
        gone = wanted["e1"]
        del capacities[gone]
        before = hub.moves()
        cl.end_daemon(hub.gear(gone), "clusterd")
        left = {e: hub.rendezvous(e, **capacities) for e in hub.EDGES}
        for edge, carrier in wanted.items():
            if carrier != gone:
                assert left[edge] == carrier, "the formula moves others"
        cl.expect(hub.placed(**left), "not by rendezvous over the others")
        after = hub.moves()
        for edge, carrier in wanted.items():
            if carrier != gone:
                assert after[edge] == before[edge], edge + " was moved"
    finally:
        hub.gateways_line("no assignment")
        hub.hub_line("h3", "tunnel capacity 100")


def disagree(g2, words):
    """
    Edges are where g1 says, and g2 has said something else. If g2's answer is so much
    earlier that the edge is there already, g1 lets it stay: once more.
    """

    def check():
        told = {e: hub.edges(g2)[e]["told"] for e in words}
        where = {e: hub.routed_by(e) for e in words}
        return told == words and all(where[e] == hub.MODULO[e] for e in words), (
            told,
            where,
        )

    def again():
        hub.restart_edges(*words)
        try:
            return cl.expect(check, "", timeout=2)
        except AssertionError:
            return check()

    cl.expect(again, "the gateways don't disagree")


def test_sticky():
    """
    g2 assigns otherwise, g1 dies: e4 follows g2's word, e2 asks g2 with its hub and
    keeps it.
    """
    g1, g2 = hub.gears("g1", "g2")
    words = {e: hub.rendezvous(e, h1=100, h2=100, h3=100) for e in ("e2", "e4")}
    assert all(words[e] != hub.MODULO[e] for e in words), "no test"
    hub.cluster_line(g2, "assignment rendezvous")
    hub.edge_line("e2", "gateway-failover sticky")
    hub.timers(300, 900, "e2", "e4")
    try:
        disagree(g2, words)
        before = hub.moves()
        cl.end_daemon(g1, "clusterd", signal.SIGKILL)
        cl.expect(hub.placed(e4=words["e4"]), "e4 doesn't follow g2")
        cl.expect(
            lambda: hub.edges(g2)["e2"]["told"] == hub.MODULO["e2"],
            "g2 doesn't keep e2 where it is",
        )
        assert hub.routed_by("e2") == hub.MODULO["e2"], "e2 was moved"
        assert hub.moves()["e2"] == before["e2"], "e2 was moved"
        assert hub.edges(g2)["e2"]["reason"] == "kept", hub.edges(g2)["e2"]
        cl.start_daemon(g1, "clusterd")
    finally:
        hub.timers(1000, 7000, "e2", "e4")
        hub.edge_line("e2", "no gateway-failover sticky")
        hub.cluster_line(g2, "no assignment")


def test_bulk_hold():
    "Two hubs lose their routes, one after the other: the second waits for the hold."
    g1 = hub.gear("g1")
    h2, h3 = hub.gears("h2", "h3")
    hub.gateways_line("bulk-hold 15", "route-loss reaction immediate hold 100")

    def state():
        seen = cl.vtysh_json(g1, "show cluster hub-cluster lab json")["clusters"]["lab"]
        return seen["bulkHoldLeftMsec"], seen["bulkMoves"]

    try:
        begun = state()[1]
        cl.end_daemon(h2, "bgpd", signal.SIGKILL)
        cl.expect(hub.placed(e1="h3", e4="h1"), "the first ones aren't moved")
        assert state()[1] == begun + 1, state()
        cl.end_daemon(h3, "bgpd", signal.SIGKILL)
        cl.expect(
            lambda: hub.hubs(g1)["h3"].get("eligibleReason") == "routesLost",
            "the second loss isn't seen",
        )
        left, bulks = state()
        assert left > 0 and bulks == begun + 1, "no hold: {} {}".format(left, bulks)
        (lab,) = hub.leaves("g1")["cluster"]
        assert 0 < lab["state"]["bulk-hold-left"] <= left, (lab, left)
        assert lab["state"]["bulk-moves"] == str(bulks), lab
        seen = hub.hub_leaves("g1", "h3")
        wanted = {"routes-lost": True, "eligible": False, "routes": 0}
        wanted["eligible-reason"] = "routesLost"
        wanted["eligible-why"] = "lost the routes that other hubs have"
        assert wanted.items() <= seen.items(), seen

        def held():
            "Until the hold is over: nobody was moved before."
            where = hub.routed_by("e1"), hub.routed_by("e2")
            left, bulks = state()
            if left > 0 and bulks == begun + 1:
                assert where == ("h3", "h3"), "moved {} ms too early".format(left)
            return bulks == begun + 2, (where, left, bulks)

        cl.expect(held, "the second ones aren't moved")
        cl.expect(hub.placed(e1="h1", e2="h1"), "not to the only one that has routes")
    finally:
        for router in (h2, h3):
            if not cl.alive(router, "bgpd"):
                cl.start_daemon(router, "bgpd")
        hub.gateways_line("bulk-hold 1", "no route-loss reaction immediate")


def test_no_gateway():
    "Both are stopped: all goes on. A hub stops: its edges go to their standby."
    hub.mark()
    gateways = hub.gears(*hub.GATEWAYS)
    for router in gateways:
        cl.end_daemon(router, "clusterd")
    cl.expect(
        lambda: all(hub.preferred(edge) is None for edge in hub.EDGES),
        "the edges don't notice",
    )
    gone = hub.lost(*hub.EDGES)
    assert gone <= SMOOTH, "{} datagrams lost".format(gone)
    h1 = hub.gear("h1")
    standby = hub.NAME[hub.edge_self("e3")["standby"]]
    cl.end_daemon(h1, "clusterd")
    cl.expect(hub.placed(e3=standby), "e3 doesn't go to its standby")
    cl.start_daemon(h1, "clusterd")


def test_members():
    "Only members are hubs of the cluster; others may come when there are none."
    hub.gateways_line("member " + hub.ID["h2"])
    try:
        cl.expect(hub.placed(**dict.fromkeys(hub.EDGES, "h2")), "edges stay")
        for router in hub.gears(*hub.GATEWAYS):
            assert set(hub.hubs(router)) == {"h2"}, hub.hubs(router)
            seen = {one["hub"] for one in hub.refused(router)}
            assert {hub.ID["h1"], hub.ID["h3"]} <= seen, seen
    finally:
        hub.gateways_line("no member " + hub.ID["h2"])
    cl.expect(hub.all_there, "those that were refused don't come")


def test_tunnel_command():
    "A move with a command: up for the new hub, then down for the old one."
    e1 = hub.gear("e1")
    script, said = "/tmp/tunnel-command", "/tmp/tunnel-said"
    with open(script, "w", encoding="utf-8") as file:
        file.write('#!/bin/sh\necho "$@" >>{}\n'.format(said))
    e1.net.cmd_raises(
        "chmod 755 {0}; rm -f {1}; touch {1}; chmod 666 {1}".format(script, said)
    )
    # It is told of the tunnel that is there, too.
    lines = ["up {} 8484 198.51.100.12".format(hub.ID["h2"])]

    def check():
        with open(said, encoding="utf-8") as file:
            seen = file.read().splitlines()
        return seen == lines, seen

    hub.edge_line("e1", "tunnel action command " + script)
    try:
        cl.expect(check, "the command isn't told of e1's hub")
        hub.mark()
        assert hub.move("e1", "h3") == ""
        cl.expect(hub.placed(e1="h3"), "e1 isn't moved")
        lines += [
            "up {} 8484 198.51.100.13".format(hub.ID["h3"]),
            "down {} 8484 198.51.100.12".format(hub.ID["h2"]),
        ]
        cl.expect(check, "not what the command should be told")
        gone = hub.lost("e1")
        assert gone <= SMOOTH, "{} datagrams lost".format(gone)
    finally:
        hub.edge_line("e1", "no tunnel action")


def test_no_hub():
    "All hubs stop: no hub, and the reason. One comes back: it gets all edges."
    for name in hub.HUBS:
        cl.end_daemon(hub.gear(name), "clusterd")
    cl.expect(
        lambda: all(hub.routed_by(edge) is None for edge in hub.EDGES),
        "routes stay without any hub",
    )
    cl.expect(
        lambda: all(hub.reason_of_none(edge) == {"noHub"} for edge in hub.EDGES),
        "the edges don't know why",
    )
    (lab,) = hub.leaves("g1")["cluster"]
    counts = [lab["state"][leaf] for leaf in ("hubs", "edges", "edges-without-hub")]
    assert counts == [0, 4, 4] and "hub" not in lab["state"], lab
    seen = hub.leaves("e1")["edge"]["state"]
    wanted = {"hub-reason": "noHub"}
    wanted["hub-why"] = "no hub of the cluster is alive"
    assert wanted.items() <= seen.items() and "hub" not in seen, seen
    assert int(seen["losses"]) == hub.edge_self("e1")["losses"] > 0, seen
    cl.start_daemon(hub.gear("h2"), "clusterd")
    cl.expect(hub.placed(**dict.fromkeys(hub.EDGES, "h2")), "h2 doesn't get all")
    cl.expect(hub.flows_now(*hub.EDGES), "traffic doesn't come back")


def test_one_link_of_two():
    "h1 loses one of its WAN links: no session ends, nobody moves, nothing is lost."
    h1, g1 = hub.gears("h1", "g1")
    cl.expect(ctl.is_up(g1, hub.ID["h1"], 2), "h1 hasn't two links")
    cl.expect(ctl.is_up(hub.gear("e3"), hub.ID["h1"], 2), "e3 hasn't two links")
    before = hub.moves()
    ups = ctl.session(g1, hub.ID["h1"])["ups"]
    hub.mark()
    h1.net.cmd_raises("ip link set h1-eth0 down")
    try:
        cl.expect(ctl.is_up(g1, hub.ID["h1"], 1), "g1 doesn't notice")
        cl.expect(ctl.is_up(hub.gear("e3"), hub.ID["h1"], 1), "e3 doesn't notice")
        assert hub.moves() == before, "moved"
        gone = hub.lost(*hub.EDGES)
        assert gone <= SMOOTH, "{} datagrams lost".format(gone)
    finally:
        h1.net.cmd_raises("ip link set h1-eth0 up")
    cl.expect(ctl.is_up(g1, hub.ID["h1"], 2), "the link doesn't come back")
    assert ctl.session(g1, hub.ID["h1"])["ups"] == ups, "the session went down"


def test_address_changes():
    """
    h1's second address is taken away and comes back: e3 calls it without being moved
    or assigned again, and its session goes on.
    """
    e3, second = hub.gear("e3"), "203.0.113.11"
    cl.expect(ctl.is_up(e3, hub.ID["h1"], 2), "e3 hasn't two links")
    ups = ctl.session(e3, hub.ID["h1"])["ups"]
    told = hub.edges(hub.gear("g1"))["e3"]["toldMsec"]
    hub.mark()
    try:
        hub.hub_line("h1", "no address " + second)
        cl.expect(ctl.is_up(e3, hub.ID["h1"], 1), "e3 still calls the address")
    finally:
        hub.hub_line("h1", "address " + second)
    cl.expect(ctl.is_up(e3, hub.ID["h1"], 2), "e3 doesn't call the new address")
    assert ctl.session(e3, hub.ID["h1"])["ups"] == ups, "the session went down"
    assert hub.edges(hub.gear("g1"))["e3"]["toldMsec"] > told, "assigned again"
    gone = hub.lost("e3")
    assert gone <= SMOOTH, "{} datagrams lost".format(gone)


def test_tunnel_vrf():
    """
    e4's second WAN is in a VRF, and hubs are called there: h1 can be, others can't.
    Its tunnels, routes and gateways are where they were.
    """
    e4 = hub.gear("e4")
    wan, address = "e4-eth2", "203.0.113.24/24"

    def state():
        seen = hub.edge_self("e4")
        return seen["state"], seen.get("why", "")

    e4.net.cmd_raises(
        "ip netns add wan; ip link set {} netns wan;"
        " ip -n wan address add {} dev {}; ip -n wan link set {} up".format(
            wan, address, wan, wan
        )
    )
    try:
        cl.expect(
            lambda: "wan" in cl.vtysh(e4, "show vrf"), "zebra doesn't see the VRF"
        )
        hub.edge_line("e4", "tunnel vrf wan")
        cl.expect(
            lambda: state()[0] == "waiting" and "tunnel vrf" in state()[1],
            "no socket in the VRF, and nothing said",
        )
        hub.configured(
            e4, "cluster control", "listen 0.0.0.0", "listen 0.0.0.0 vrf wan"
        )
        cl.expect(lambda: state()[0] == "running", "it doesn't run")
        cl.expect(hub.placed(e4="h1"), "h1 isn't called in the VRF")
        (link,) = ctl.session(e4, hub.ID["h1"])["links"]
        assert link["remote"] == "203.0.113.11", link
        cl.expect(hub.flows_now("e4"), "traffic doesn't flow")
        said = hub.move("e4", "h3")
        assert said == "", said
        # The way to h3 isn't there.
        cl.expect(
            lambda: hub.ID["h3"] in hub.edge_self("e4")["unreachable"]
            or hub.edge_self("e4").get("target") == hub.ID["h3"],
            "it doesn't try h3",
        )
        assert hub.routed_by("e4") == "h1", "moved to where no session is"
    finally:
        hub.edge_line("e4", "no tunnel vrf")
        hub.configured(
            e4, "cluster control", "no listen 0.0.0.0 vrf wan", "no listen 0.0.0.0"
        )
        # The namespace stays: zebra 10.3 doesn't survive the end of one.
        e4.net.cmd_raises(
            "ip -n wan link set {} netns {}".format(wan, cl.pid_of(e4, "zebra"))
        )
        e4.net.cmd_raises(
            "ip link set {} up; ip address replace {} dev {}".format(wan, address, wan)
        )


def test_forged_prefixes():
    "An edge that says it has everything, or another's site: refused, and shown."
    h2 = hub.gear("h2")
    forged = ("0.0.0.0/0", "192.0.2.0/24", hub.site("e1"))
    hub.edge_line("e4", *("site-prefix " + prefix for prefix in forged))
    try:
        cl.expect(
            lambda: set(forged) <= set(hub.hub_edges(h2)["e4"]),
            "h2 doesn't show the prefixes",
        )
        seen = hub.hub_edges(h2)["e4"]
        denied = "not permitted by the accept list"
        assert seen["0.0.0.0/0"] == seen["192.0.2.0/24"] == denied, seen
        assert seen[hub.site("e1")] == "another edge has it", seen
        assert seen[hub.site("e4")] is None, seen
        for prefix, wanted in {
            "0.0.0.0/0": set(),
            "192.0.2.0/24": {"10.20.2.254"},
            hub.site("e1"): {hub.TUNNEL["e1"]},
        }.items():
            seen = hub.hops(h2, prefix)
            assert seen == wanted, "{}: {}".format(prefix, seen)
        cl.expect(hub.flows_now(*hub.EDGES), "traffic doesn't flow")
    finally:
        hub.edge_line("e4", *("no site-prefix " + prefix for prefix in forged))


def test_hub_changes():
    """
    While an edge is there: the prefix list takes its site and gives it back, and
    its routes follow the hub's end of the tunnel.
    """
    carrier = hub.MODULO["e1"]
    router = hub.gear(carrier)
    v4, v6 = hub.site("e1"), hub.site("e1", 6)
    other = "10.255.0.1" + carrier[1] * 2
    old = hub.TUNNEL[carrier]

    def is_so(denied, via):
        def check():
            seen = (
                {p for p, why in hub.hub_edges(router)["e1"].items() if why},
                hub.edge_self("e1")["accepted"],
                bool(hub.bgp_path(hub.gear("sw"), v4)),
                hub.hops(hub.gear("e1"), hub.LAN),
            )
            return seen == (denied, 2 - len(denied), v4 not in denied, {via}), seen

        return check

    cl.expect(is_so(set(), old), "not as at first")
    try:
        hub.configured(router, "no ip prefix-list sites")
        cl.expect(is_so({v4}, old), "the site stays without the list")
    finally:
        hub.configured(router, "ip prefix-list sites permit 10.1.0.0/16 ge 24")
    cl.expect(is_so(set(), old), "the site doesn't come back")
    assert hub.hub_edges(router)["e1"] == {v4: None, v6: None}
    router.net.cmd_raises("ip address add {}/24 dev {}-eth1".format(other, carrier))
    try:
        hub.hub_line(carrier, "tunnel-address " + other, "no tunnel-address " + old)
        cl.expect(is_so(set(), other), "the routes don't follow")
        cl.expect(hub.flows_now("e1"), "no traffic")
    finally:
        hub.hub_line(carrier, "tunnel-address " + old, "no tunnel-address " + other)
        router.net.cmd_raises("ip address del {}/24 dev {}-eth1".format(other, carrier))
    cl.expect(is_so(set(), old), "the routes don't come back")


def test_wrong_cluster():
    "A hub of another cluster: gateways refuse and show it, its edges leave it."
    g1 = hub.gear("g1")
    other = hub.CLUSTER[:-1] + "2"
    hub.hub_line("h3", "hub-cluster " + other)
    try:
        cl.expect(lambda: "h3" not in hub.hubs(g1), "g1 still has h3")
        cl.expect(
            lambda: [r["cluster"] for r in hub.refused(g1) if r["hub"] == hub.ID["h3"]]
            == [other],
            "g1 doesn't show it",
        )
        cl.expect(lambda: hub.routed_by("e2") in ("h1", "h2"), "e2 stays")
        cl.expect(hub.flows_now(*hub.EDGES), "traffic doesn't flow")
    finally:
        hub.hub_line("h3", "hub-cluster " + hub.CLUSTER)
    cl.expect(lambda: "h3" in hub.hubs(g1), "h3 doesn't come back")


def test_duplicate_id():
    "h3 has a copy of h2's ID: it gets no session; those of h2 and its edges stay."
    h3, g1 = hub.gears("h3", "g1")
    cl.end_daemon(h3, "clusterd")
    cl.expect(lambda: hub.routed_by("e2") == "h1", "e2 stays")
    before = hub.moves()
    h3.net.cmd_raises("echo {} >{}/node-id".format(hub.ID["h2"], ctl.DIR))
    try:
        hub.mark()
        cl.start_daemon(h3, "clusterd")
        cl.expect(
            lambda: hub.ID["h2"]
            in [
                d["id"]
                for d in cl.vtysh_json(g1, "show cluster control json")["duplicates"]
            ],
            "g1 doesn't show the duplicate",
        )
        assert set(hub.hubs(g1)) == {"h1", "h2"}, hub.hubs(g1)
        assert hub.moves() == before, "moved"
        gone = hub.lost(*hub.EDGES)
        assert gone <= SMOOTH, "{} datagrams lost".format(gone)
    finally:
        cl.end_daemon(h3, "clusterd")
        h3.net.cmd_raises("echo {} >{}/node-id".format(hub.ID["h3"], ctl.DIR))


def test_count_command_hangs():
    """
    Case 29: the command that counts tunnels never ends.  It is killed, keepalives go
    on, and after three intervals the number is unknown: no target of moves.
    """
    h3, g1 = hub.gears("h3", "g1")
    script = "/tmp/count-tunnels"
    state = "/tmp/count-tunnels-says"
    with open(script, "w", encoding="utf-8") as file:
        file.write(
            "#!/bin/sh\n[ -s {0} ] && exec cat {0}\nexec sleep 3600\n".format(state)
        )
    h3.net.cmd_raises("chmod 755 {}; echo 7 >{}".format(script, state))
    hub.hub_line("h3", "tunnel source command {} timeout 500".format(script))
    try:
        cl.expect(
            lambda: hub.hubs(g1)["h3"].get("tunnels") == 7, "the number doesn't come"
        )
        hub.timers(100, 900, "h3", "g1", "g2", "e2")
        ups = {name: ctl.session(g1, hub.ID[name])["ups"] for name in hub.HUBS}
        before = hub.moves()
        hub.mark()
        h3.net.cmd_raises("truncate -s0 {}".format(state))
        cl.expect(
            lambda: hub.hubs(g1)["h3"].get("targetReason") == "tunnelsUnknown",
            "the number doesn't become unknown",
        )
        assert "tunnels" not in hub.hubs(g1)["h3"], "unknown, and a number"
        # It was known for a while: the next ones hung before.
        _, out, _ = h3.net.cmd_status("pgrep -c -x -f 'sleep 3600'", warn=False)
        assert int(out) <= 1, "{} of them".format(out)
        seen = {name: ctl.session(g1, hub.ID[name])["ups"] for name in hub.HUBS}
        assert seen == ups, "sessions went down: {} {}".format(ups, seen)
        assert hub.moves() == before, "moved"
        gone = hub.lost(*hub.EDGES)
        assert gone <= SMOOTH, "{} datagrams lost".format(gone)
        h3.net.cmd_raises("echo 8 >{}".format(state))
        cl.expect(lambda: hub.hubs(g1)["h3"].get("tunnels") == 8, "it stays unknown")
    finally:
        hub.hub_line("h3", "no tunnel source")
        hub.timers(1000, 7000, "h3", "g1", "g2", "e2")


def advice(name):
    "What a hub says that its configuration lacks: shown as JSON, as text, and as data."
    router = hub.gear(name)
    said = hub.hub_self(name).get("advice")
    state = operational(router, "frr-clusterd-hub", "hub-clustering")["hub"]["state"]
    assert state.get("advice") == said, (said, state)
    if said:
        text = cl.vtysh(router, "show cluster hub")
        assert "  {}\n".format(said) in text.replace("\r", ""), (said, text)
    return said


def test_advice():
    "What isn't wrong, but hardly meant: one at a time, the worst first."
    h1 = hub.gear("h1")
    assert advice("h1") is None
    also = ("cluster hub-cluster also", "id " + hub.CLUSTER)
    steps = (
        # How, how back, and what is said.
        (
            (
                "cluster hub",
                "no site-prefixes prefix-list",
                "no site-prefixes ipv6 prefix-list",
            ),
            (
                "cluster hub",
                "site-prefixes prefix-list sites",
                "site-prefixes ipv6 prefix-list sites",
            ),
            "no `site-prefixes` prefix-list: no prefix of a site is accepted",
        ),
        (
            ("cluster hub", "no learned-routes exclude tag"),
            ("cluster hub", "learned-routes exclude tag 85"),
            "no `learned-routes exclude tag`: sites of other hubs count",
        ),
        (
            ("no cluster bgp route-map",),
            ("cluster bgp route-map CLUSTERD-sites",),
            "no `cluster bgp` route-map is kept for the VRF",
        ),
        (also, ("no " + also[0],), "this node is a gateway of the cluster, too"),
    )
    done = []
    try:
        for lines, back, wanted in steps:
            done.append(back)
            hub.configured(h1, *lines)
            cl.expect(
                lambda w=wanted: ((advice("h1") or "").startswith(w), advice("h1")),
                "not the advice: " + wanted,
            )
    finally:
        for back in reversed(done):
            cl.configure(h1, *back)
    cl.expect(lambda: advice("h1") is None, "there is advice although all is well")
    # One family of prefixes is enough, and nobody must have a community.
    hub.hub_line("h1", "no site-prefixes ipv6 prefix-list")
    hub.hub_line("h1", "no learned-routes exclude tag", "no uplink-community")
    try:
        assert advice("h1") is None
    finally:
        hub.hub_line("h1", "learned-routes exclude tag 85")
        hub.hub_line("h1", "uplink-community " + hub.UPLINK)
        hub.hub_line("h1", "site-prefixes ipv6 prefix-list sites")


def flood(router):
    """
    More moves of an edge than a gateway logs: how many it counted, logged, and could have
    logged at a hundred a second.
    """
    moves = [
        "cluster move lab edge {} hub {}".format(hub.ID["e1"], hub.ID[name])
        for _ in range(300)
        for name in ("h1", "h3")
    ]

    def count():
        changes = cl.vtysh_json(router, "show cluster events json")["changes"]
        lines = re.findall(r"hub-cluster lab: edge .* moved from", cl.log_of(router))
        return changes["edge"], len(lines)

    before, start = count(), time.monotonic()
    cl.vtysh(router, *moves)
    most = 100 * (int(time.monotonic() - start) + 2)
    after = count()
    return after[0] - before[0], after[1] - before[1], most


def test_many_events():
    "A gateway counts all moves, but doesn't log them all; it says how many it left out."
    g1 = hub.gear("g1")
    for _ in range(5):
        counted, logged, most = flood(g1)
        print("moves:", counted, "logged:", logged, "at most", most)
        assert 0 < logged <= most, "{} lines of {}".format(logged, counted)
        if counted > most:
            break
    else:
        raise AssertionError("not enough in so short a time: {}".format(counted))

    def told():
        hub.move("e1", "h1" if hub.routed_by("e1") == "h3" else "h3")
        return "more events of a second were not logged" in cl.log_of(g1)

    cl.expect(told, "it doesn't say what is missing", interval=0.5)


def test_count_interfaces():
    "Tunnels are counted by the interfaces that are up and have such a name."
    h3, g1 = hub.gears("h3", "g1")

    def counted(number):
        cl.expect(
            lambda: (hub.hubs(g1)["h3"].get("tunnels") == number, hub.hubs(g1)["h3"]),
            "not {} tunnels".format(number),
        )

    for name in ("tun1", "tun2", "nut3"):
        h3.net.cmd_raises(
            "ip link add {0} type veth peer name p{0};"
            " ip link set {0} up; ip link set p{0} up".format(name)
        )
    try:
        hub.hub_line("h3", "tunnel source interface tun*")
        counted(2)
        h3.net.cmd_raises("ip link set tun1 down")
        counted(1)
        h3.net.cmd_raises("ip link set tun1 up")
        counted(2)
        h3.net.cmd_raises("ip link del tun2; ip link del tun1")
        counted(0)
        assert hub.hubs(g1)["h3"]["eligible"], "none isn't unknown"
    finally:
        hub.hub_line("h3", "no tunnel source")
        h3.net.cmd_status(
            "for i in tun1 tun2 nut3; do ip link del $i; done", warn=False
        )


def test_no_vrf():
    "A hub's VRF isn't there: its learned routes are unknown, not none, and nobody moves."
    g1 = hub.gear("g1")
    assert "routesIpv4" in hub.hub_self("h3"), hub.hub_self("h3")
    before = hub.moves()
    hub.hub_line("h3", "vrf nowhere")
    try:
        cl.expect(
            lambda: ("routesIpv4" not in hub.hub_self("h3"), hub.hub_self("h3")),
            "they aren't unknown",
        )
        reports = hub.hub_self("h3")["reports"]
        # route-loss delay 3, a report a second.
        cl.expect(
            lambda: hub.hub_self("h3")["reports"] > reports + 5, "no report is sent"
        )
        seen = hub.hubs(g1)["h3"]
        assert not seen["routesLost"] and seen["eligible"], seen
        assert hub.moves() == before, "moved"
    finally:
        hub.hub_line("h3", "no vrf")
    cl.expect(hub.all_learned, "the routes aren't counted again")


def test_notifications():
    "A gateway tells of a move, of many, and of routes that a hub has lost and has again."
    g1, h2 = hub.gears("g1", "h2")
    lab = {"cluster": hub.CLUSTER}
    moved = notifications(g1, "frr-clusterd-hub:edge-move")
    assert hub.move("e1", "h3") == ""
    moved(
        {
            **lab,
            "edge": hub.ID["e1"],
            "from": hub.ID["h2"],
            "hub": hub.ID["h3"],
            "reason": "operator",
            "why": ANY,
        }
    )
    cl.expect(hub.placed(e1="h3"), "e1 isn't moved")
    change = notifications(g1, "frr-clusterd-hub:hub-change")
    many = notifications(g1, "frr-clusterd-hub:bulk-move")
    hub.gateways_line("route-loss reaction immediate hold 100")
    try:
        cl.end_daemon(h2, "bgpd", signal.SIGKILL)
        change({**lab, "hub": hub.ID["h2"], "change": "routes-lost"})
        # e4 is left there.
        many({**lab, "edges": 1, "reason": "routeLoss", "why": ANY})
    finally:
        cl.start_daemon(h2, "bgpd")
        hub.gateways_line("no route-loss reaction immediate")
    change({**lab, "hub": hub.ID["h2"], "change": "routes-back"})
