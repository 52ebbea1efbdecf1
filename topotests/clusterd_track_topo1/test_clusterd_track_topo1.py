# SPDX-License-Identifier: GPL-2.0-or-later
"""
Tracked routes: real probes of two gateways, routes in zebra, the kernel and
bgpd.  Cases 30, 33 and 34 are here.

    g1 --- r1 (node) --- p1 (BGP)
     |     |  \\
     |     |   g2
     +-- VRF red (a network namespace)
"""

import json
import re
import signal

import pytest
import lib_cluster as cl
import lib_oper as oper

G1, G2 = "192.0.2.2", "192.0.2.130"
G1_V6, G2_V6 = "2001:db8:1::2", "2001:db8:2::2"
BOTH = {G1, G2}
SERVER = {}


def prepare(tgen):
    "The VRF."
    r1 = tgen.gears["r1"].net
    r1.cmd_raises("ip netns add red")
    r1.cmd_raises("ip link set r1-eth3 netns red")
    r1.cmd_raises("ip -n red link set r1-eth3 up; ip -n red link set lo up")


def setup_module(module):
    "Start all, and the servers that probes look at."
    tgen = cl.start(
        module,
        {
            "s1": ("r1", "g1"),
            "s2": ("r1", "g2"),
            "s3": ("r1", "p1"),
            "s4": ("r1", "g1"),
        },
        {
            "r1": ["zebra", "bgpd", "clusterd"],
            "g1": ["zebra"],
            "g2": ["zebra"],
            "p1": ["zebra", "bgpd"],
        },
        netns_vrf=("r1",),
        prepare=prepare,
        options=oper.LISTENER,
    )
    g1, g2 = tgen.gears["g1"], tgen.gears["g2"]
    cl.expect(
        lambda: "10.99.0.9" in g1.net.cmd_raises("ip address show dev lo"),
        "g1 isn't configured",
    )
    SERVER["g1"] = cl.HttpServer(g1, ["10.99.0.9:8080", "192.0.2.2:8080"])
    SERVER["g2"] = cl.HttpServer(g2, ["192.0.2.130:8080"])
    r1 = tgen.gears["r1"]
    SERVER["config"] = cl.own_conf(__file__, r1.name)


def teardown_module(_module):
    "End."
    cl.stop()


@pytest.fixture(name="r1")
def fixture_r1():
    "r1 with the configuration of its file, everything up."
    tgen = cl.usable()
    router = tgen.gears["r1"]
    if not cl.alive(router, "clusterd"):
        cl.start_daemon(router, "clusterd")
    for gateway in ("g1", "g2"):
        echo(gateway, True)
    SERVER["g1"].tell("*", "ok")
    SERVER["g2"].tell("*", "ok")
    names = cl.vtysh_json(router, "show cluster track json")
    gone = "".join("no cluster track {}\n".format(name) for name in names)
    out = cl.load_file(
        router, gone + SERVER["config"][SERVER["config"].index("cluster ") :]
    )
    assert out == "", out
    routed(router, "10.1.0.0/16", BOTH)
    routed(router, "10.2.0.0/16", {G1})
    return router


def echo(gateway, answered):
    "Whether a gateway answers pings; it routes in any case."
    net = cl.usable().gears[gateway].net
    for leaf in ("ipv4.icmp_echo_ignore_all", "ipv6.icmp.echo_ignore_all"):
        net.cmd_raises("sysctl -q -w net.{}={}".format(leaf, 0 if answered else 1))


def track(router, name):
    "show cluster track NAME json."
    return cl.vtysh_json(router, "show cluster track {} json".format(name))[name]


def route_is(router, name, prefix, state):
    "For expect(): the state of a route."
    for route in track(router, name)["routes"]:
        if route["prefix"] == prefix:
            return route["state"] == state, route
    return False, "no such route"


def route_leaves(router, name, prefix, wanted):
    "Waits until YANG has exactly these leaves of a route; its time is any."
    wanted = {"prefix": prefix, "since": oper.TIME, **wanted}

    def check():
        found = oper.operational(router, "frr-clusterd-track", "cluster-tracks")
        entry = oper.by_key(found["track"], "name")[(name,)]["state"]["route"]
        oper.check_leaves(oper.by_key(entry, "prefix")[(prefix,)], wanted)
        return True

    cl.expect(check, "{} of {} isn't {}".format(prefix, name, wanted))


def hop(router, name, address):
    "A next hop of a track."
    return [h for h in track(router, name)["nextHops"] if h["address"] == address][0]


def kernel(router, prefix, netns=None):
    "Gateways of a prefix in the kernel; an empty set without a route."
    family = "-6" if ":" in prefix else "-4"
    inside = "ip netns exec {} ".format(netns) if netns else ""
    out = router.net.cmd_raises(
        "{}ip {} -j route show {}".format(inside, family, prefix)
    )
    return {
        one.get("gateway")
        for route in json.loads(out or "[]")
        for one in route.get("nexthops", [route])
    }


def rib(router, prefix, vrf=None):
    "Our route in zebra's RIB, or {}."
    command = "show {} route {}{} json".format(
        "ipv6" if ":" in prefix else "ip", "vrf {} ".format(vrf) if vrf else "", prefix
    )
    for route in cl.vtysh_json(router, command).get(prefix, []):
        if route["protocol"] == "openfabric":
            return route
    return {}


def routed(router, prefix, gateways, netns=None):
    "Waits until the kernel has exactly these gateways."
    cl.expect(
        lambda: (
            kernel(router, prefix, netns) == gateways,
            kernel(router, prefix, netns),
        ),
        "{} doesn't go by {}".format(prefix, gateways or "nothing"),
    )


def changes_of(router, name):
    "Events of a tracked route: (before, after, why)."
    return [
        (event["before"], event["after"], event["why"])
        for event in cl.vtysh_json(router, "show cluster events json")["events"]
        if event["kind"] == "track" and event["name"] == name
    ]


def at_peer(prefix):
    "The MED and whether p1 has it by BGP."
    p1 = cl.usable().gears["p1"]
    paths = cl.vtysh_json(p1, "show bgp ipv4 unicast {} json".format(prefix)).get(
        "paths"
    )
    return paths[0].get("metric", 0) if paths else None


def messages(router):
    "Routes added and deleted so far."
    routes = cl.summary(router)["routes"]
    return routes["addsSent"], routes["deletesSent"]


def test_ecmp(r1):
    "Those that are up share; case 33: none left, no route; case 34: it recovers."
    told = oper.notifications(r1, "frr-clusterd-track:track-route-change")
    hop_told = oper.notifications(r1, "frr-clusterd-track:track-next-hop-change")
    routed(r1, "2001:db8:a::/48", {G1_V6, G2_V6})
    echo("g1", False)
    for prefix in ("10.1.0.0/16", "10.1.2.0/24"):
        routed(r1, prefix, {G2})
    routed(r1, "2001:db8:a::/48", {G2_V6})
    seen = hop(r1, "balanced", G1)
    assert seen["state"] == "down" and not seen["used"], seen
    assert re.match(r"probe gateway: down: \d+ x timeout", seen["why"]), seen
    echo("g2", False)
    for prefix in ("10.1.0.0/16", "10.1.2.0/24", "2001:db8:a::/48"):
        routed(r1, prefix, set())
        assert rib(r1, prefix) == {}, "still in the RIB"
        cl.expect(
            lambda p=prefix: route_is(r1, "balanced", p, "down"), "the state is wrong"
        )
    # a route that isn't bound is not touched
    assert kernel(r1, "10.50.0.0/16") == {G1}
    echo("g2", True)
    routed(r1, "10.1.0.0/16", {G2})
    echo("g1", True)
    routed(r1, "10.1.0.0/16", BOTH)
    routed(r1, "2001:db8:a::/48", {G1_V6, G2_V6})
    route = {"track": "balanced", "prefix": "10.1.0.0/16"}
    told({**route, "status": "down", "why": "all next hops are down"})
    told({**route, "status": "up"})
    gateway = {"track": "balanced", "address": G1}
    why = re.compile(r"^probe gateway: down: \d+ x timeout")
    hop_told({**gateway, "status": "down", "why": why})
    hop_told({**gateway, "status": "up"})
    link = {"track": "balanced", "address": G2_V6, "interface": "r1-eth1"}
    hop_told({**link, "status": "down", "why": re.compile("^probe ")})
    hop_told({**link, "status": "up"})
    log = cl.log_of(r1)
    assert re.search(r"track balanced: 10.1.0.0/16 down: all next hops are down", log)
    assert re.search(r"track balanced: next hop 192.0.2.2 down: probe gateway", log)
    changes = changes_of(r1, "balanced 10.1.0.0/16")
    assert ("up", "down", "all next hops are down") in changes, changes
    assert changes[-1] == ("down", "up", ""), changes


def test_removed(r1):
    "What the configuration takes away leaves a trace, if it was in use."
    removed = ("removed", "taken out of the configuration")
    route, other = "10.1.0.0/16", "2001:db8:a::/48"
    routed(r1, route, BOTH)
    cl.configure(r1, "cluster track balanced", "no route " + route)
    assert changes_of(r1, "balanced " + route)[-1][1:] == removed
    assert changes_of(r1, "balanced " + other)[-1][1:] != removed
    cl.configure(r1, "no cluster track balanced")
    assert changes_of(r1, "balanced " + other)[-1][1:] == removed
    cl.configure(r1, "cluster track new", "route 10.90.0.0/16")
    cl.configure(r1, "no cluster track new")
    assert removed not in [c[1:] for c in changes_of(r1, "new 10.90.0.0/16")]
    mark = cl.log_mark(r1, "clusterd")
    cl.end_daemon(r1, "clusterd")
    assert removed[1] not in cl.log_of(r1)[mark:], "its end takes nothing away"


def test_preference(r1):
    "The best that is up; a device behind it is asked, over a route of its own."
    assert hop(r1, "preferred", G2)["state"] == "up"
    assert not hop(r1, "preferred", G2)["used"]
    SERVER["g1"].tell("10.99.0.9:8080", "503")
    routed(r1, "10.2.0.0/16", {G2})
    assert "probe behind: down" in hop(r1, "preferred", G1)["why"]
    # the other track goes by another probe
    assert kernel(r1, "10.1.0.0/16") == BOTH
    SERVER["g1"].tell("10.99.0.9:8080", "ok")
    routed(r1, "10.2.0.0/16", {G1})
    cl.configure(r1, "cluster track preferred", "next-hop 192.0.2.2 preference 50")
    routed(r1, "10.2.0.0/16", {G2})


def test_tcp(r1):
    "A TCP connection to each next hop, by a probe without a target."
    # nobody else asks zebra about these next hops, and the port is one of IPv4
    cl.configure(
        r1,
        "no cluster track preferred",
        "cluster track balanced",
        "no route 2001:db8:a::/48",
    )
    routed(r1, "10.2.0.0/16", set())
    before = messages(r1)
    cl.configure(r1, "cluster track balanced", "probe port")
    # until the new probe has results the next hops stay as they were
    cl.stays_until(
        lambda: (kernel(r1, "10.1.0.0/16") == BOTH, "the new probe interrupts"),
        lambda: cl.instance(r1, "port", G1).get("verdict") == "up",
        "routes are touched",
    )
    assert messages(r1) == before, "zebra was told of a change"
    SERVER["g2"].tell("*", "close")
    routed(r1, "10.1.0.0/16", {G1})
    SERVER["g2"].tell("*", "ok")
    routed(r1, "10.1.0.0/16", BOTH)


def test_last_resort(r1):
    "All down: the route stays, and it shows."
    cl.configure(r1, "cluster track balanced", "last-resort keep")
    echo("g1", False)
    routed(r1, "10.1.0.0/16", {G2})
    echo("g2", False)
    cl.expect(
        lambda: route_is(r1, "balanced", "10.1.0.0/16", "last-resort"), "not kept"
    )
    routed(r1, "10.1.0.0/16", BOTH)
    out = cl.vtysh(r1, "show cluster track balanced")
    kept = "all next hops are down: kept as the last resort"
    assert kept in out, out
    for detail in ("preference 100, probe gateway\n", "tag 87, metric 0, distance 1\n"):
        assert detail in out, out
    assert "preference" not in cl.vtysh(r1, "show cluster track")
    usual = {"installed": True, "metric": 0, "distance": 1}
    entry = {**usual, "status": "last-resort", "why": kept}
    route_leaves(r1, "balanced", "10.1.0.0/16", entry)
    assert cl.summary(r1)["tracks"]["lastResort"] == 3
    echo("g1", True)
    routed(r1, "10.1.0.0/16", {G1})
    cl.expect(lambda: route_is(r1, "balanced", "10.1.0.0/16", "up"), "not up again")


def test_bgp_and_down_metric(r1):
    "bgpd has the routes with our tag only, follows them, and their metric."
    cl.expect(
        lambda: (at_peer("10.1.0.0/16") == 0, at_peer("10.1.0.0/16")), "not at p1"
    )
    assert at_peer("10.2.0.0/16") is None, "a route with another tag was redistributed"
    cl.configure(r1, "cluster track balanced", "down metric 4000", "down distance 222")
    echo("g1", False)
    echo("g2", False)
    cl.expect(lambda: route_is(r1, "balanced", "10.1.0.0/16", "degraded"), "not worse")
    cl.expect(lambda: rib(r1, "10.1.0.0/16").get("metric") == 4000, "wrong metric")
    assert rib(r1, "10.1.0.0/16")["distance"] == 222
    why = "all next hops are down: worse metric or distance"
    worse = {"installed": True, "metric": 4000, "distance": 222, "why": why}
    route_leaves(r1, "balanced", "10.1.0.0/16", {**worse, "status": "degraded"})
    routed(r1, "10.1.0.0/16", BOTH)
    cl.expect(
        lambda: (at_peer("10.1.0.0/16") == 4000, at_peer("10.1.0.0/16")),
        "p1 doesn't see the metric",
    )
    cl.configure(r1, "cluster track balanced", "no down metric", "no down distance")
    cl.expect(lambda: at_peer("10.1.0.0/16") is None, "p1 still has it")
    down = {"status": "down", "why": "all next hops are down", "installed": False}
    entry = oper.operational(r1, "frr-clusterd-track", "cluster-tracks")["track"]
    entry = oper.by_key(entry, "name")[("balanced",)]["state"]["route"]
    entry = oper.by_key(entry, "prefix")[("10.1.0.0/16",)]
    assert down.items() <= entry.items(), entry
    echo("g1", True)
    cl.expect(lambda: at_peer("10.1.0.0/16") == 0, "p1 doesn't get it again")


def test_editing(r1):
    "Case 30: a change of one probe or track is no event for another."
    probes = "".join(
        "cluster probe n{0}\n target 192.0.2.2\n interval 200\nexit\n"
        "cluster track n{0}\n probe n{0}\n next-hop 192.0.2.2\n route 10.30.{0}.0/24\nexit\n".format(
            i
        )
        for i in range(20)
    )
    assert cl.load_file(r1, probes) == ""
    for i in range(20):
        routed(r1, "10.30.{}.0/24".format(i), {G1})
    cl.expect(lambda: cl.instance(r1, "n19", G1)["passes"] >= 5, "doesn't run")
    before = messages(r1)
    sent = [cl.instance(r1, "n{}".format(i), G1)["runs"] for i in range(1, 20)]
    cl.configure(r1, "cluster probe n0", "interval 300", "fall 5")
    cl.configure(r1, "cluster track n0", "tag 99", "probe gateway", "probe n0")
    cl.configure(r1, "cluster track balanced", "no next-hop 192.0.2.130")
    routed(r1, "10.1.0.0/16", {G1})
    for i in range(1, 20):
        seen = cl.instance(r1, "n{}".format(i), G1)
        assert seen["verdict"] == "up", seen
        assert seen["runs"] >= sent[i - 1], "the counters of n{}".format(i)
        assert seen["timeouts"] == 0, seen
    # n0 for its tag, and the two IPv4 prefixes that lost a next hop
    adds, deletes = messages(r1)
    assert deletes == before[1], "{} deletions".format(deletes - before[1])
    assert adds - before[0] == 3, "{} additions".format(adds - before[0])
    cl.load_file(r1, "".join("no cluster probe n{}\n".format(i) for i in range(20)))


def test_vrf(r1):
    "Route, next hop and probe in a VRF."
    text = (
        "cluster track in-red\n vrf red\n probe gateway\n next-hop 203.0.113.2\n"
        " route 10.1.0.0/16\n route 0.0.0.0/0\nexit\n"
    )
    assert cl.load_file(r1, text) == ""
    routed(r1, "10.1.0.0/16", {"203.0.113.2"}, "red")
    routed(r1, "default", {"203.0.113.2"}, "red")
    assert kernel(r1, "10.1.0.0/16") == BOTH, "the default VRF's route"
    cl.usable().gears["g1"].net.cmd_raises("ip link set g1-eth1 down")
    routed(r1, "10.1.0.0/16", set(), "red")
    assert kernel(r1, "10.1.0.0/16") == BOTH, "the default VRF's route"
    cl.usable().gears["g1"].net.cmd_raises("ip link set g1-eth1 up")
    routed(r1, "10.1.0.0/16", {"203.0.113.2"}, "red")
    cl.configure(r1, "cluster track in-red", "vrf nowhere")
    cl.expect(lambda: route_is(r1, "in-red", "10.1.0.0/16", "waiting"), "no VRF")
    routed(r1, "10.1.0.0/16", set(), "red")
    waiting = {"status": "waiting", "why": "VRF is not there", "installed": False}
    route_leaves(r1, "in-red", "10.1.0.0/16", {**waiting, "metric": 0, "distance": 1})


def listens_in(router, netns, address):
    "For expect(): clusterd's socket of the control protocol is in the namespace."
    out = router.net.cmd_raises("ip netns exec {} ss -Huln".format(netns))
    return "{}:8484 ".format(address) in out, out


def test_vrf_comes_back(r1):
    "zebra says nothing of what was in a VRF that goes; sockets outlive it."
    come = (
        "ip netns add blue; ip -n blue link set lo up;"
        "ip -n blue address add 198.18.0.1/32 dev lo"
    )
    text = (
        "key chain blue\n key 1\n  key-string s\n exit\nexit\n"
        "cluster control\n key-chain blue\n listen 198.18.0.1 vrf blue\nexit\n"
        "cluster probe in-blue\n type route\n prefix 198.18.0.1/32\n vrf blue\nexit\n"
    )
    assert cl.load_file(r1, text) == ""
    for _ in range(2):
        r1.net.cmd_raises(come)
        cl.expect(
            lambda: cl.verdict_is(r1, "in-blue", "0.0.0.0", "up"),
            "the route isn't seen",
        )
        cl.expect(
            lambda: listens_in(r1, "blue", "198.18.0.1"), "no socket in the namespace"
        )
        r1.net.cmd_raises("ip netns del blue")
        cl.expect(
            lambda: cl.verdict_is(r1, "in-blue", "0.0.0.0", "down"),
            "a route in a VRF that is gone",
        )
    cl.load_file(
        r1, "no cluster probe in-blue\nno cluster control\nno key chain blue\n"
    )
    if cl.FRR_10_3:
        cl.end_daemon(r1, "zebra", signal.SIGKILL)
        cl.end_all(r1, signal.SIGKILL)
        cl.start_all(r1)


def test_not_reachable(r1):
    "An interface that is down, and a next hop that zebra can't resolve."
    net = r1.net
    text = (
        "cluster track plain\n next-hop 192.0.2.130 interface r1-eth1\n"
        " next-hop 192.0.2.2 preference 1\n route 10.40.0.0/16\nexit\n"
        "cluster track lost\n next-hop 172.31.0.1\n route 10.41.0.0/16\nexit\n"
    )
    assert cl.load_file(r1, text) == ""
    routed(r1, "10.40.0.0/16", {G2})
    assert hop(r1, "lost", "172.31.0.1")["why"] == "zebra has no route to it"
    net.cmd_raises("ip link set r1-eth1 down")
    try:
        routed(r1, "10.40.0.0/16", {G1})
        assert hop(r1, "plain", G2)["why"] == "interface r1-eth1 is not up"
    finally:
        net.cmd_raises("ip link set r1-eth1 up")
    routed(r1, "10.40.0.0/16", {G2})


def test_too_many_are_announced(r1):
    "Those that are left out say so, and the log; they follow when there is room."

    def said(name):
        return cl.vtysh(r1, "show cluster track " + name)

    mark = cl.log_mark(r1, "clusterd")
    names = ["many{:03}".format(i) for i in range(257)]
    text = "cluster track {}\n announce edges\n route 10.80.0.0/16\nexit\n"
    assert cl.load_file(r1, "".join(text.format(name) for name in names)) == ""
    try:
        cl.expect(lambda: "not announced: 256" in said(names[-1]), "the last one")
        assert "announced to 0 nodes: IPv4 unreachable" in said(names[-2])
        log = cl.log_of(r1)[mark:]
        assert log.count("are not announced: 256 tracks are at the most") == 1, log
        cl.configure(r1, "no cluster track " + names[0])
        cl.expect(lambda: "announced to 0 nodes" in said(names[-1]), "there is room")
    finally:
        cl.load_file(r1, "".join("no cluster track {}\n".format(n) for n in names[1:]))


def test_somebody_else(r1):
    "A better route of another protocol, another track and a VIP."
    text = (
        "cluster track a\n next-hop 192.0.2.2\n route 10.60.0.0/16\nexit\n"
        "cluster track b\n next-hop 192.0.2.130\n route 10.60.0.0/16\n"
        " route 10.50.0.0/16\n distance 20\n route 10.70.0.1/32\nexit\n"
    )
    assert cl.load_file(r1, text) == ""
    routed(r1, "10.60.0.0/16", {G1})
    cl.expect(lambda: route_is(r1, "b", "10.60.0.0/16", "conflict"), "no conflict")
    assert route_is(r1, "b", "10.60.0.0/16", "conflict")[1]["why"] == (
        "track a has this prefix"
    )
    entry = {"installed": False, "metric": 0, "distance": 20}
    why = "track a has this prefix"
    route_leaves(r1, "b", "10.60.0.0/16", {**entry, "status": "conflict", "why": why})
    seen = route_is(r1, "b", "10.50.0.0/16", "up")[1]
    assert not seen["installed"] and seen["why"], seen
    route_leaves(r1, "b", "10.50.0.0/16", {**entry, "status": "up", "why": seen["why"]})
    cl.configure(r1, "cluster track a", "shutdown")
    routed(r1, "10.60.0.0/16", {G2})
    cl.configure(r1, "cluster track a", "no shutdown")
    routed(r1, "10.60.0.0/16", {G1})
    routed(r1, "10.70.0.1", {G2})
    cl.configure(r1, "cluster vip V", "member 192.0.2.2", "address 10.70.0.1")
    routed(r1, "10.70.0.1", {G1})
    cl.expect(lambda: route_is(r1, "b", "10.70.0.1/32", "conflict"), "no conflict")
    cl.configure(r1, "no cluster vip V")
    routed(r1, "10.70.0.1", {G2})


def test_killed(r1):
    "Dead, no route is left; after the start there are those that are configured."
    cl.end_daemon(r1, "clusterd", signal.SIGKILL)
    routed(r1, "10.1.0.0/16", set())
    assert kernel(r1, "10.50.0.0/16") == {G1}
    echo("g2", False)
    conf = SERVER["config"].replace(" route 10.1.2.0/24\n", "")
    cl.write_frr_conf(r1, conf)
    cl.start_daemon(r1, "clusterd")
    routed(r1, "10.1.0.0/16", {G1})
    assert kernel(r1, "10.1.2.0/24") == set(), "a route that isn't configured"
    # zebra restarted: it gets all again
    cl.end_daemon(r1, "clusterd", signal.SIGTERM)
    routed(r1, "10.1.0.0/16", set())


def test_reload(r1):
    "An unchanged file is nothing; an attribute of a next hop is that line."
    cl.expect(
        lambda: cl.vtysh_json(r1, "show cluster track json")["balanced"], "not loaded"
    )
    # the rest is what is said about logs, and 8.4's line of the namespace
    pending = cl.pending_reload(r1, SERVER["config"])
    assert not re.search(r"cluster |interface |route ", pending), pending
    old, new = "2 preference 200 probe behind", "2 preference 201 probe behind"
    for prefix, gateways in (("10.1.0.0/16", BOTH), ("10.2.0.0/16", {G1})):
        routed(r1, prefix, gateways)
    before = messages(r1)
    changed = SERVER["config"].replace(old, new)
    assert changed != SERVER["config"]
    assert cl.frr_reload(r1, changed) == ""
    assert hop(r1, "preferred", G1)["preference"] == 201
    assert messages(r1) == before, "routes were touched"


def test_configuration(r1):
    "Every line comes back as it was typed, and goes by its no form."
    lines = [
        "vrf blue",
        "probe P",
        "tag 5",
        "metric 6",
        "distance 7",
        "down metric 8",
        "down distance 9",
        "last-resort keep",
        "shutdown",
        "next-hop 192.0.2.9 preference 3 probe Q",
        "next-hop fe80::1 interface eth0",
        "next-hop fe80::1 interface eth1",
        "route 10.0.0.0/8",
        "route 2001:db8::/32",
    ]
    assert cl.configure(r1, "cluster track all", *lines) == ""
    section = cl.cluster_config(r1).split("cluster track all\n")[1].split("exit")[0]
    assert sorted(section.strip("\n").split("\n")) == sorted(" " + x for x in lines)
    for line in lines:
        out = cl.configure(r1, "cluster track all", "no " + line)
        assert out == "", "no {}: {}".format(line, out)
    section = cl.cluster_config(r1).split("cluster track all\n")[1].split("exit")[0]
    assert section == "", section
    for line, error in (
        ("next-hop 224.0.0.1", "is a multicast address"),
        ("next-hop fe80::1", "link-local"),
        ("route 224.0.0.0/4", "is a multicast address"),
        ("probe -x", "is not the name of a probe"),
    ):
        assert error in cl.configure(r1, "cluster track all", line), line
    assert cl.configure(r1, "cluster track all", "route 10.9.9.9/16") == ""
    assert " route 10.9.0.0/16\n" in cl.cluster_config(r1)
    cl.configure(r1, "no cluster track all")
    assert "% no track all" in cl.vtysh(r1, "show cluster track all")
    assert cl.vtysh_json(r1, "show cluster track all json") == {}


def test_operational_data(r1):
    "All leaves of next hops and routes."
    cl.expect(lambda: route_is(r1, "balanced", "10.1.0.0/16", "up"), "not up")
    echo("g1", False)
    routed(r1, "10.1.0.0/16", {G2})
    found = oper.operational(r1, "frr-clusterd-track", "cluster-tracks")["track"]
    balanced = oper.by_key(found, "name")[("balanced",)]
    hops = oper.by_key(balanced["next-hop"], "address", "interface")
    oper.check_leaves(
        hops[(G1, "")]["state"],
        {
            "status": "down",
            "why": re.compile("probe gateway: down"),
            "used": False,
            "since": oper.TIME,
        },
    )
    oper.check_leaves(
        hops[(G2_V6, "r1-eth1")]["state"],
        {"status": "up", "used": True, "since": oper.TIME},
    )
    routes = oper.by_key(balanced["state"]["route"], "prefix")
    oper.check_leaves(
        routes[("10.1.0.0/16",)],
        {
            "prefix": "10.1.0.0/16",
            "status": "up",
            "installed": True,
            "metric": 0,
            "distance": 1,
            "since": oper.TIME,
        },
    )


RING = """\
cluster probe beyond
 target 10.98.0.9
 interval 200
 timeout 150
 threshold 2
exit
cluster probe itself
 type route
 prefix 10.97.0.0/16
 interval 200
 threshold 2
 start up
exit
cluster track ring
 next-hop 192.0.2.2 probe beyond
 route 10.98.0.0/16
exit
cluster track self-made
 next-hop 192.0.2.2 probe itself
 route 10.97.0.0/16
exit
"""


def test_rings(r1):
    """
    A probe finds its target by another way, but not by the route that it
    controls: no flapping, but a state with its reason, until the target has a
    route of its own.
    """
    g2 = cl.usable().gears["g2"]
    g2.net.cmd_raises("ip address add 10.98.0.9/32 dev lo")
    cl.configure(r1, "ip route 10.98.0.0/15 " + G2)
    assert cl.load_file(r1, RING) == ""
    depends = "depends on this track's route "
    held = "probe beyond: held down: it {}10.98.0.0/16".format(depends)
    try:
        cl.expect(
            lambda: (hop(r1, "ring", G1)["why"] == held, hop(r1, "ring", G1)),
            "not held down",
        )
        assert kernel(r1, "10.98.0.0/16") == set(), "there is a route"

        def probe_up():
            seen = cl.vtysh_json(r1, "show cluster probe beyond json")["beyond"]
            return seen["instances"][0]["verdict"] == "up", seen

        cl.expect(probe_up, "the probe doesn't find the other way")

        def stays_down():
            seen = hop(r1, "ring", G1)
            return (seen["state"], seen["why"]) == ("down", held), seen

        cl.stays(stays_down, "it comes and goes", 3)
        # a route that keeps itself
        seen = hop(r1, "self-made", G1)
        assert seen["why"] == "probe itself: {}10.97.0.0/16".format(depends), seen
        # a way of its own
        cl.configure(r1, "ip route 10.98.0.9/32 " + G2)
        cl.expect(
            lambda: (hop(r1, "ring", G1)["state"] == "up", hop(r1, "ring", G1)),
            "the ring is still closed",
        )
        assert hop(r1, "ring", G1)["why"] == "", hop(r1, "ring", G1)
        routed(r1, "10.98.0.0/16", {G1})
        cl.stays(
            lambda: kernel(r1, "10.98.0.0/16") == {G1}, "the route doesn't stay", 2
        )
    finally:
        cl.configure(
            r1,
            "no ip route 10.98.0.9/32 " + G2,
            "no ip route 10.98.0.0/15 " + G2,
            "no cluster track ring",
            "no cluster track self-made",
            "no cluster probe beyond",
            "no cluster probe itself",
        )
        g2.net.cmd_raises("ip address del 10.98.0.9/32 dev lo")
