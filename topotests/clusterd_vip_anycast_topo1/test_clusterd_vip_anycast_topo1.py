# SPDX-License-Identifier: GPL-2.0-or-later
"""
Several nodes announce one VIP; the router spreads over them by ECMP.

            +--- r1 (node) ---+
    r3 -----+                 +----- h1 (web server)
   router   +--- r2 (node) ---+

r3, r1 and r2 are on one switch, so that r3's own link stays up when a node
loses its: only the hold timer or BFD can tell r3.  Hold time 6 s, BFD 3 x 200
ms.  The nodes have one AS number: what r3 passes on of one node's VIPs is
refused by the other.
"""

import json
import re
import signal
import time

import lib_cluster as cl
from lib_oper import TIME, by_key, check_leaves, operational
from lib_same import expect_same

VIP_V4 = "192.0.2.1"
VIP_V6 = "2001:db8:ff::1"
NODES_V4 = {"r1": "198.51.100.1", "r2": "198.51.100.2"}
NODES_V6 = {"r1": "2001:db8:1::1", "r2": "2001:db8:1::2"}
MEMBER_V4 = "203.0.113.11"
MEMBER_V6 = "2001:db8:2::11"
HOLD_TIME = 6

# The switch's port to r1 (ports in the order of build()).
PORT_OF_R1 = "s1-eth1"


def build(tgen):
    "r3 on s1 with the nodes, h1 on s2 with the nodes"
    for name in ("r1", "r2", "r3"):
        tgen.add_router(name)
    # The answers go by r2, which no test cuts off.
    tgen.add_host("h1", ip=MEMBER_V4 + "/24", defaultRoute="via 203.0.113.2")
    cl.connect(tgen, s1=("r3", "r1", "r2"), s2=("r1", "r2", "h1"))


def prepare(tgen):
    "Addresses of the host."
    host = tgen.gears["h1"].net
    host.cmd_raises("ip address add {}/32 dev lo".format(VIP_V4))
    host.cmd_raises("ip address add {}/64 dev h1-eth0 nodad".format(MEMBER_V6))


def setup_module(module):
    "Start all."
    node = ["zebra", "bgpd", "bfdd", "clusterd"]
    tgen = cl.start(
        module,
        build,
        {"r1": node, "r2": node, "r3": ["zebra", "bgpd", "bfdd"]},
        prepare=prepare,
    )
    cl.HttpServer(
        tgen.gears["h1"],
        [MEMBER_V4 + ":8080", "[" + MEMBER_V6 + "]:8080", VIP_V4 + ":80"],
    )
    for addresses in (NODES_V4, NODES_V6):
        for address in addresses.values():
            cl.warm_up(tgen.gears["r3"], address)


def teardown_module(_module):
    "End."
    cl.stop()


def gears():
    "r1, r2, r3"
    tgen = cl.usable()
    return tgen.gears["r1"], tgen.gears["r2"], tgen.gears["r3"]


def hops_are(router, address, wanted):
    "For expect(): the router's kernel spreads over these next hops."
    seen = set(cl.kernel_hops(router, address))
    return seen == set(wanted), seen


def expect_nodes(names, why, timeout=cl.DEADLINE):
    "The router's kernel spreads IPv4 and IPv6 over these nodes."
    r3 = gears()[2]
    cl.expect(
        lambda: hops_are(r3, VIP_V4, [NODES_V4[n] for n in names]),
        "IPv4 isn't over {}: {}".format(names, why),
        timeout,
    )
    # The next hop of a session over global addresses is the link-local one.
    cl.expect(
        lambda: (
            len(cl.kernel_hops(r3, VIP_V6)) == len(names),
            cl.kernel_hops(r3, VIP_V6),
        ),
        "IPv6 isn't over {} nodes: {}".format(len(names), why),
        timeout,
    )


def both():
    "The state in which every test begins."
    expect_nodes(("r1", "r2"), "before the test")
    return gears()


def updates(router):
    "UPDATEs received, by neighbour."
    return {
        address: cl.updates_received(router, address)
        for addresses in (NODES_V4, NODES_V6)
        for address in addresses.values()
    }


def sessions(router):
    "What changes when a session restarts, by neighbour."
    return {
        address: cl.session_start(router, address)
        for addresses in (NODES_V4, NODES_V6)
        for address in addresses.values()
    }


def test_both_nodes_carry():
    "The router has one ECMP route over both nodes, and traffic passes."
    _, _, r3 = both()
    cl.expect(lambda: cl.fetch(r3, VIP_V4) == "h1", "no answer through the nodes")


def test_unrelated_vip():
    "Another VIP: one UPDATE, nobody's session or route is touched (case 11)."
    r1, _, r3 = both()
    before, started = updates(r3), sessions(r3)
    out = cl.configure(
        r1, "cluster vip other", "member " + MEMBER_V4, "address 192.0.2.99"
    )
    assert out == "", "configuration printed: {}".format(out)
    cl.expect(lambda: cl.in_kernel(r3, "192.0.2.99"), "the new VIP isn't announced")
    runs = cl.instance(r1, "web", MEMBER_V4)["runs"]
    cl.expect(
        lambda: cl.instance(r1, "web", MEMBER_V4)["runs"] >= runs + 5, "probe stopped"
    )
    after = updates(r3)
    wanted = dict(before)
    wanted[NODES_V4["r1"]] += 1
    assert after == wanted, "UPDATEs for one new VIP: {} -> {}".format(before, after)
    out = cl.configure(r1, "no cluster vip other")
    assert out == "", "configuration printed: {}".format(out)
    cl.expect(lambda: cl.not_in_kernel(r3, "192.0.2.99"), "the VIP isn't withdrawn")
    wanted[NODES_V4["r1"]] += 1
    assert updates(r3) == wanted, "UPDATEs for one VIP less: {}".format(updates(r3))
    assert sessions(r3) == started, "a session was reset"


def test_checks_send_nothing():
    "50 checks: not one UPDATE, and no message to zebra (case 21)."
    r1, r2, r3 = both()
    before, started = updates(r3), sessions(r3)
    messages = {r: cl.route_messages(r) for r in (r1, r2)}
    for node, counts in messages.items():
        assert all(c[0] for c in counts.values()), "{}: no route was sent: {}".format(
            node.name, counts
        )
    runs = {r: cl.instance(r, "web", MEMBER_V4)["runs"] for r in (r1, r2)}
    for node, count in runs.items():
        cl.expect(
            lambda n=node, c=count: cl.instance(n, "web", MEMBER_V4)["runs"] >= c + 50,
            "{}: the probe stopped".format(node.name),
        )
    assert updates(r3) == before, "checks sent UPDATEs"
    for node, counts in messages.items():
        assert cl.route_messages(node) == counts, "checks sent routes to zebra"
    assert sessions(r3) == started, "a session was reset"


def test_clusterd_of_one_node_dies():
    "clusterd of r1 dies: r1 leaves the ECMP route, its session stays up."
    r1, _, r3 = both()
    started = sessions(r3)
    cl.send_signal(r1, "clusterd", signal.SIGKILL)
    expect_nodes(("r2",), "clusterd of r1 was killed", cl.AT_ONCE)
    assert cl.fetch(r3, VIP_V4) == "h1", "the other node doesn't carry"
    cl.expect(lambda: not cl.alive(r1, "clusterd"), "clusterd survives")
    cl.start_daemon(r1, "clusterd")
    expect_nodes(("r1", "r2"), "clusterd of r1 is back")
    assert sessions(r3) == started, "a session was reset"


def test_bgpd_of_one_node_dies():
    "bgpd of r1 dies: its sessions break, r2 carries; back, both carry."
    r1, _, r3 = both()
    cl.end_daemon(r1, "bgpd", signal.SIGKILL)
    expect_nodes(("r2",), "bgpd of r1 was killed", cl.AT_ONCE)
    cl.start_daemon(r1, "bgpd")
    expect_nodes(("r1", "r2"), "bgpd of r1 is back")


def cut_off_r1():
    """
    Cut r1 off from the switch; seconds until the router has dropped it.  The
    router keeps the route over r2 all the time.
    """
    r1, _, r3 = gears()
    switch = cl.usable().gears["s1"].net
    start = time.monotonic()
    try:
        switch.cmd_raises("ip link set {} down".format(PORT_OF_R1))

        def only_r2():
            hops = set(cl.kernel_hops(r3, VIP_V4))
            assert NODES_V4["r2"] in hops, "r2 lost with r1"
            return hops == {NODES_V4["r2"]}, hops

        cl.expect(only_r2, "the router doesn't drop the node that was cut off")
        seconds = time.monotonic() - start
        expect_nodes(("r2",), "r1 is cut off")
        assert cl.fetch(r3, VIP_V4) == "h1", "the other node doesn't carry"
    finally:
        switch.cmd_raises("ip link set {} up".format(PORT_OF_R1))
    expect_nodes(("r1", "r2"), "r1 is connected again")
    assert cl.alive(r1, "clusterd"), "clusterd of r1 died of the cut"
    return seconds


def test_node_lost_hold_timer():
    "A silent node is dropped when the hold time is over."
    both()
    seconds = cut_off_r1()
    assert (
        HOLD_TIME / 3 < seconds < HOLD_TIME + 5
    ), "hold time {} s, dropped after {} s".format(HOLD_TIME, seconds)


def test_node_lost_bfd():
    "With BFD on the sessions a silent node is dropped faster than by hold time."
    r1, r2, r3 = both()
    peers_of = dict.fromkeys((r1, r2), ["198.51.100.3", "2001:db8:1::3"])
    peers_of[r3] = [*NODES_V4.values(), *NODES_V6.values()]

    def bfd(line):
        for router, neighbors in peers_of.items():
            out = cl.configure(
                router,
                "router bgp {}".format(65003 if router is r3 else 65001),
                *(line.format(neighbor) for neighbor in neighbors),
            )
            assert out == "", "{}: BFD: {}".format(router.name, out)

    def bfd_up():
        peers = cl.vtysh_json(r3, "show bfd peers json")
        states = [peer["status"] for peer in peers]
        return states == ["up"] * 4, states

    bfd("neighbor {} bfd profile fast")
    try:
        cl.expect(bfd_up, "BFD sessions don't come up")
        seconds = cut_off_r1()
    finally:
        # A bgpd that is restarted later doesn't have it: FRR 10 waits for BFD then.
        bfd("no neighbor {} bfd")
    assert seconds < HOLD_TIME / 3, "with BFD dropped after {} s".format(seconds)


def test_vip_learned_from_the_router():
    """
    A node that takes the VIP from the router (another AS number, or
    allowas-in): our distance of 15 wins over eBGP's 20. With a larger one the
    BGP route hides ours, which is told.
    """
    r1, _, r3 = both()
    bgp = ["router bgp 65001", "address-family ipv4 unicast"]
    try:
        cl.configure(r1, *bgp, "neighbor 198.51.100.3 allowas-in")
        cl.configure(r1, "cluster vip www", "distance 30", "shutdown")
        cl.expect(
            lambda: cl.rib(r1, VIP_V4, "bgp").get("installed"),
            "r1 doesn't learn the VIP from the router",
        )
        cl.configure(r1, "cluster vip www", "no shutdown")
        cl.expect(
            lambda: cl.address_is(r1, "www", VIP_V4, "hidden"),
            "the node doesn't tell that a BGP route hides the VIP",
        )
        why = [a["why"] for a in cl.vip(r1, "www")["addresses"]]
        assert "show ip route" in " ".join(why), "no advice: {}".format(why)
        cl.configure(r1, "cluster vip www", "no distance")
        cl.expect(
            lambda: cl.address_is(r1, "www", VIP_V4, "announced"),
            "the default distance doesn't win over the BGP route",
        )
        expect_nodes(("r1", "r2"), "the default distance")
    finally:
        cl.configure(r1, *bgp, "no neighbor 198.51.100.3 allowas-in")
        cl.configure(r1, "cluster vip www", "no distance", "no shutdown")
        cl.vtysh(r1, "clear bgp ipv4 unicast * soft")
    expect_nodes(("r1", "r2"), "defaults again")


def peers(router, name=""):
    "show cluster bgp peers [NAME] json"
    return cl.vtysh_json(router, "show cluster bgp peers {} json".format(name))


def others(router, address):
    "Who else announces an address of www: {neighbour: its path}."
    seen = peers(router, "www")["vips"]["www"]["addresses"][address]
    assert seen["othersCount"] == len(seen["others"]), seen
    return {path["from"]: path for path in seen["others"]}


def peers_leaves(router):
    "The same by YANG."
    return operational(router, "frr-clusterd-bgp", "cluster-bgp-peers")


def other_is(router, leaf):
    "For expect(): another node's path to the IPv4 address, by YANG, is ..."
    (vip,) = peers_leaves(router)["vip"]
    (other,) = by_key(vip["address"], "address")[(VIP_V4,)]["other"]
    return other[leaf], other


def expect_no_peers(router, why):
    "YANG has the reason, and nothing that was true before."

    def check():
        # without -d vtysh itself waits for bgpd
        out = cl.vtysh(
            router,
            "show yang operational-data /frr-clusterd-bgp:cluster-bgp-peers clusterd",
            daemon="clusterd",
        )
        seen = json.loads(out)["frr-clusterd-bgp:cluster-bgp-peers"]
        good = set(seen) == {"status", "why"} and seen["status"] == "failed"
        return good and why in seen["why"], seen

    cl.expect(check, "YANG, and bgpd doesn't answer")


def check_peers_leaves(router):
    "r2 announces www as well, and the router has a session: every leaf."
    node = NODES_V4["r2"]
    seen = peers_leaves(router)
    (vip,) = seen.pop("vip")
    (vrf,) = seen.pop("vrf")
    check_leaves(seen, {"status": "answered", "why": "", "last-answer": TIME})
    addresses = by_key(vip.pop("address"), "address")
    check_leaves(vip, {"name": "www", "vrf": "default"})
    assert set(addresses) == {(VIP_V4,), (VIP_V6,)}, addresses
    for (address,), entry in addresses.items():
        (other,) = entry.pop("other")
        known = {"address": address, "state": "announced", "in-bgp": True}
        check_leaves(entry, dict(known, **{"others-count": 1}))
        # the session is over IPv4: bgpd has made up the IPv6 next hop
        hop = MEMBER_V4 if address == VIP_V4 else ":"
        check_leaves(
            other,
            {
                "number": 1,
                "from": node,
                "hostname": "r2",
                "next-hop": lambda got, want=hop: want in got,
                "draining": False,
                "best": False,
                "since": TIME,
            },
        )
    sessions = by_key(vrf.pop("session"), "neighbor")
    check_leaves(vrf, {"name": "default", "sessions-count": 3})
    counts = {
        node: {"as": 65001, "ipv4-prefixes": 1, "ipv6-prefixes": 1},
        # what the router passes on has our AS number
        "198.51.100.3": {"as": 65003, "ipv4-prefixes": 0},
        "2001:db8:1::3": {"as": 65003, "ipv6-prefixes": 0},
    }
    assert set(sessions) == {(neighbor,) for neighbor in counts}, sessions
    for neighbor, known in counts.items():
        check_leaves(
            sessions[(neighbor,)],
            {
                "neighbor": neighbor,
                "hostname": "r2" if neighbor == node else "r3",
                "state": "Established",
                "last-change": TIME,
                **known,
            },
        )


def pair_up(r1, r2, no=""):
    "The nodes have an iBGP session: each hears of the other's VIPs."
    for router, other in ((r1, NODES_V4["r2"]), (r2, NODES_V4["r1"])):
        lines = ["neighbor {} remote-as 65001".format(other)]
        if not no:
            lines += ["neighbor {} timers connect 1".format(other)]
            lines += ["address-family ipv6 unicast"]
            lines += ["neighbor {} activate".format(other)]
        out = cl.configure(router, "router bgp 65001", *(no + line for line in lines))
        assert out == "", "{}: iBGP: {}".format(router.name, out)


def test_first_reader():
    "By YANG: nobody has read so far, so bgpd has not been asked."
    r1, _, _ = both()
    cl.end_daemon(r1, "clusterd", signal.SIGKILL)
    cl.start_daemon(r1, "clusterd")
    expect_nodes(("r1", "r2"), "clusterd of r1 is back")
    check_leaves(
        peers_leaves(r1),
        {"status": "asking", "why": re.compile("read it again")},
    )

    def answered():
        seen = peers_leaves(r1)
        return seen["status"] == "answered", seen

    cl.expect(answered, "the first reader has nobody asked")


def test_who_else_announces():
    "Who else announces a VIP, and the sessions: show cluster bgp peers."
    r1, r2, _ = both()
    node = NODES_V4["r2"]
    try:
        # what is left of allowas-in (above) goes with the session
        cl.vtysh(r1, "clear bgp *")
        cl.expect(lambda: others(r1, VIP_V4) == {}, "others, and nobody tells r1")
        text = cl.vtysh(r1, "show cluster bgp peers www")
        assert "announced here, nobody else announces it" in text, text
        pair_up(r1, r2)
        for address in (VIP_V4, VIP_V6):
            cl.expect(
                lambda a=address: set(others(r1, a)) == {node},
                "{}: the other node isn't shown".format(address),
            )
        path = others(r1, VIP_V4)[node]
        assert path["hostname"] == "r2" and path["asPath"] == "", path
        assert path["nextHop"] and not path["best"] and not path["draining"], path
        seen = peers(r1)
        address = seen["vips"]["www"]["addresses"][VIP_V6]
        assert address["state"] == "announced" and address["inBgp"], address
        sessions = seen["vrfs"]["default"]["sessions"]
        assert sessions[node]["state"] == "Established", sessions
        assert sessions[node]["ipv4Prefixes"] >= 1, sessions
        assert {n: s["as"] for n, s in sessions.items()} == {
            node: 65001,
            "198.51.100.3": 65003,
            "2001:db8:1::3": 65003,
        }, sessions
        text = cl.vtysh(r1, "show cluster bgp peers www")
        assert "announced here, and announced by others" in text, text
        assert "from {} (r2), next hop".format(node) in text, text
        assert "{} (r2): Established for".format(node) in text, text
        expect_same(r1, "bgp peers")
        cl.expect(lambda: check_peers_leaves(r1) or True, "leaves of the peers")

        # a node that drains says so
        out = cl.configure(
            r2,
            "route-map VIPS permit 20",
            "match tag 85",
            "set community graceful-shutdown",
            "exit",
            "cluster vip www",
            "drain-time 60000",
            "drain",
        )
        assert out == "", "drain: {}".format(out)
        cl.expect(
            lambda: (others(r1, VIP_V4)[node]["draining"], others(r1, VIP_V4)),
            "r2 drains, and r1 doesn't show it",
        )
        cl.expect(lambda: other_is(r1, "draining"), "r2 drains, by YANG")
        cl.configure(r2, "cluster vip www", "no drain", "drain-time 0")
        cl.expect(
            lambda: (not others(r1, VIP_V4)[node]["draining"], others(r1, VIP_V4)),
            "r2 drains no more, and r1 doesn't show it",
        )

        # one that fails is gone; this one may be down itself
        cl.end_daemon(r2, "clusterd", signal.SIGKILL)

        def alone():
            seen = others(r1, VIP_V4)
            return seen == {}, (seen, cl.rib(r2, VIP_V4), cl.bgp_path(r2, VIP_V4))

        cl.expect(alone, "r2's clusterd is dead")
        cl.start_daemon(r2, "clusterd")
        cl.configure(r1, "cluster vip www", "shutdown")
        cl.expect(
            lambda: others(r1, VIP_V4)[node]["best"],
            "r2 is the only one that announces",
        )
        text = cl.vtysh(r1, "show cluster bgp peers")
        assert "shutdown here, not in this node's BGP, and announced" in text, text
        cl.expect(lambda: other_is(r1, "best"), "only r2 announces, by YANG")
        expect_same(r1, "bgp peers")
    finally:
        if not cl.alive(r2, "clusterd"):
            cl.start_daemon(r2, "clusterd")
        cl.configure(r1, "cluster vip www", "no shutdown")
        cl.configure(r2, "cluster vip www", "no drain", "drain-time 0", "exit")
        cl.configure(r2, "no route-map VIPS permit 20")
        pair_up(r1, r2, "no ")
    expect_nodes(("r1", "r2"), "as before")


def test_who_else_announces_without_bgp():
    "A VIP in a VRF that has no BGP: the others are told of all the same."
    r1, _, _ = both()
    text = "cluster vip lone\n vrf nosuch\n address 192.0.2.66\nexit\n"
    assert cl.load_file(r1, text) == ""
    try:
        seen = peers(r1)
        lone = seen["vips"]["lone"]["addresses"]["192.0.2.66"]
        assert not lone["inBgp"] and not lone.get("paths"), lone
        assert seen["vips"]["www"]["addresses"][VIP_V6]["inBgp"], seen
        assert seen["vrfs"]["default"]["sessions"], seen
    finally:
        cl.configure(r1, "no cluster vip lone")


def test_who_else_announces_without_answers():
    "bgpd hangs or is away: the command says so, and clusterd goes on."
    r1, _, _ = both()
    assert cl.vtysh(r1, "show cluster bgp peers nosuch") == (
        "% VIP nosuch is not configured\n"
    ), "a VIP that isn't there"
    assert peers(r1, "nosuch") == {}, "a VIP that isn't there"
    cl.send_signal(r1, "bgpd", signal.SIGSTOP)
    try:
        # without -d vtysh itself waits for bgpd
        def web():
            out = cl.vtysh(r1, "show cluster probe web json", daemon="clusterd")
            return json.loads(out)["web"]["instances"][0]["runs"]

        # More than may wait at a time: two are refused, and nothing blocks.
        waiting = [
            r1.net.popen(["vtysh", "-d", "clusterd", "-c", "show cluster bgp peers"])
            for _ in range(6)
        ]
        runs = web()
        cl.stays_until(
            lambda: any(process.poll() is None for process in waiting),
            lambda: web() >= runs + 10,
            "nobody waits any more, but the probe has hardly run",
        )
        said = [process.communicate(timeout=cl.DEADLINE)[0] for process in waiting]
        said = [s.decode() if isinstance(s, bytes) else s for s in said]
        assert sum("others are waiting for answers" in s for s in said) == 2, said
        assert sum("bgpd doesn't answer" in s for s in said) == 4, said
        # who goes away while it waits leaves nothing behind
        gone = r1.net.popen(
            ["timeout", "1", "vtysh", "-d", "clusterd", "-c", "show cluster bgp peers"]
        )
        gone.communicate(timeout=cl.DEADLINE)
        answer = cl.vtysh(r1, "show cluster bgp peers www json", daemon="clusterd")
        # a stopped bgpd's queue of sessions may be full by now
        assert "bgpd" in json.loads(answer)["warning"], answer
        expect_no_peers(r1, "bgpd")
    finally:
        cl.send_signal(r1, "bgpd", signal.SIGCONT)
    cl.expect(lambda: others(r1, VIP_V4) == {}, "bgpd answers again")
    expect_same(r1, "bgp peers")
    cl.end_daemon(r1, "bgpd", signal.SIGKILL)
    out = cl.vtysh(r1, "show cluster bgp peers")
    assert "bgpd can't be reached" in out, out
    expect_no_peers(r1, "bgpd can't be reached")
    expect_same(r1, "bgp peers")
    cl.start_daemon(r1, "bgpd")
    expect_nodes(("r1", "r2"), "bgpd of r1 is back")


def test_service_fails_everywhere():
    "The service's only member fails: no node announces."
    r1, _, r3 = both()
    server = cl.HttpServer.running[0]
    try:
        server.tell("*", "503")
        expect_nodes((), "the service fails")
        assert cl.vip(r1, "www")["state"] == "down", "state: {}".format(
            cl.vip(r1, "www")
        )
    finally:
        server.tell("*", "ok")
    expect_nodes(("r1", "r2"), "the service is back")
    assert cl.fetch(r3, VIP_V4) == "h1", "no answer"
