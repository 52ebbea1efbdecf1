# SPDX-License-Identifier: GPL-2.0-or-later
"""
Two gateways tell two edges whether they reach the provider: the example of the
specification (every 2 s, threshold 3), with traffic in both directions.

    e1 --+-- g1 --- pe     10.0.0.1 is the provider's, 172.16.N.1 is edge N's
    e2 --+-- g2 ---/
"""

import json
import os
import re
import signal

import pytest
import lib_cluster as cl
import lib_oper as oper
from lib_control import DIR, node, own_ids, session

IDS = {
    n: "{0}{0}{0}{0}{0}{0}{0}{0}-{0}{0}{0}{0}-4{0}{0}{0}-8{0}{0}{0}-".format(n) + n * 12
    for n in "12"
}
VIA1, VIA2 = {"192.0.2.1"}, {"192.0.2.2"}
VIA1_V6, VIA2_V6 = {"2001:db8::1"}, {"2001:db8::2"}
NET, NET_V6 = "10.0.0.0/8", "2001:db8:100::/48"
NODES = ("e1", "e2", "g1", "g2")

# One datagram each 50 ms, numbered; the other side writes down when they came.
SENDER = """\
import select, socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind((sys.argv[1], 0))
n = 0
while True:
    try:
        s.sendto(b"%d" % n, (sys.argv[2], 9999))
    except OSError:
        pass
    n += 1
    select.select([], [], [], 0.05)
"""
RECEIVER = """\
import socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind((sys.argv[1], 9999))
with open(sys.argv[2], "w", buffering=1) as log:
    while True:
        log.write("%d %.3f\\n" % (int(s.recv(64)), time.monotonic()))
"""


class Flow:
    "A stream of datagrams in one direction."

    running = []

    def __init__(self, source, source_address, target, target_address):
        self.path = "/tmp/flow-{}-{}".format(source.name, target.name)
        if os.path.exists(self.path):
            os.unlink(self.path)
        python = ["/usr/bin/python3", "-c"]
        self.processes = [
            target.net.popen(python + [RECEIVER, target_address, self.path]),
            source.net.popen(python + [SENDER, source_address, target_address]),
        ]
        Flow.running.append(self)

    def arrivals(self):
        "When datagrams came, in seconds."
        if not os.path.exists(self.path):
            return []
        with open(self.path, encoding="ascii") as log:
            return [float(x.split()[1]) for x in log.read().splitlines() if " " in x]

    def flows(self):
        "For expect(): more has come since the last call."
        seen = len(self.arrivals())
        before, self.seen = getattr(self, "seen", 0), seen
        return seen > before, "{} datagrams".format(seen)

    def gap(self):
        "The longest time without a datagram."
        times = self.arrivals()
        return max(b - a for a, b in zip(times, times[1:]))

    def end(self):
        "Stops both ends."
        for process in self.processes:
            process.kill()
            process.wait()
        Flow.running.remove(self)


def prepare(tgen):
    "Fixed logical IDs for the gateways, which the edges' configuration names."
    own_ids(NODES)(tgen)
    for number, text in IDS.items():
        tgen.gears["g" + number].net.cmd_raises(
            "echo {0} > {1}/node-id; chown frr:frr {1}/node-id".format(text, DIR)
        )
    for name in NODES + ("pe",):
        net = tgen.gears[name].net
        net.cmd_raises("sysctl -q -w net.ipv4.ip_forward=1")
        net.cmd_raises("sysctl -q -w net.ipv4.conf.all.rp_filter=0")


def setup_module(module):
    "Start all."
    daemons = {name: ["zebra", "clusterd"] for name in NODES + ("pe",)}
    cl.start(
        module,
        {"s1": ("e1", "e2", "g1", "g2"), "s2": ("g1", "pe"), "s3": ("g2", "pe")},
        daemons,
        prepare=prepare,
    )


def teardown_module(_module):
    "End."
    for flow in list(Flow.running):
        flow.end()
    cl.stop()


def break_link(number, broken):
    "The link between a gateway and pe loses everything, and nobody is told."
    for name, interface in (
        ("g" + number, "g{}-eth1".format(number)),
        ("pe", "pe-eth{}".format(int(number) - 1)),
    ):
        net = cl.usable().gears[name].net
        net.cmd_status("nft delete table netdev {}".format("lost" + number), warn=False)
        if broken:
            net.cmd_raises(
                "nft 'add table netdev lost{0}; add chain netdev lost{0} c"
                ' {{ type filter hook ingress device "{1}" priority 0; policy drop; }}\''.format(
                    number, interface
                )
            )


def kernel(router, prefix):
    "Gateways of a prefix in the kernel; an empty set without a route."
    out = router.net.cmd_raises(
        "ip -{} -j route show {}".format(6 if ":" in prefix else 4, prefix)
    )
    return {
        one.get("gateway")
        for route in json.loads(out or "[]")
        for one in route.get("nexthops", [route])
    }


def routed(router, gateways, prefix=NET, timeout=cl.DEADLINE):
    "Waits until the kernel has exactly these gateways."
    cl.expect(
        lambda: (kernel(router, prefix) == gateways, kernel(router, prefix)),
        "{}: {} doesn't go by {}".format(router.name, prefix, gateways or "nothing"),
        timeout,
    )


def track(router, name="provider"):
    "A track's state."
    return cl.vtysh_json(router, "show cluster track {} json".format(name))[name]


def hop(router, address):
    "A next hop."
    return [h for h in track(router)["nextHops"] if h["address"] == address][0]


def heard(router, number):
    "What a router has heard of a gateway."
    return cl.vtysh_json(router, "show cluster track-announcements json").get(
        IDS[number], {}
    )


@pytest.fixture(name="gears")
def fixture_gears():
    "All routers; everything works, and the edges use g1."
    tgen = cl.usable()
    for number in "12":
        break_link(number, False)
        if not cl.alive(tgen.gears["g" + number], "clusterd"):
            cl.start_daemon(tgen.gears["g" + number], "clusterd")
    for name in ("e1", "e2"):
        routed(tgen.gears[name], VIA1)
        routed(tgen.gears[name], VIA1_V6, NET_V6)
        for address in ("192.0.2.2", "2001:db8::2"):
            cl.expect(
                lambda n=name, a=address: hop(tgen.gears[n], a)["state"] == "up",
                "{} is down".format(address),
            )
    routed(tgen.gears["pe"], {"198.51.100.1"}, "172.16.0.0/16")
    return tgen.gears


def test_preferred(gears):
    "The edges use the gateway with the highest preference; all is shown."
    e1, g1 = gears["e1"], gears["g1"]
    assert hop(e1, "192.0.2.1")["used"] and not hop(e1, "192.0.2.2")["used"]
    assert hop(e1, "192.0.2.1")["gateway"] == IDS["1"]
    assert hop(e1, "192.0.2.1")["gatewayTrack"] == "provider"
    for number in "12":
        seen = heard(e1, number)["provider"]
        assert (seen["ipv4"], seen["ipv6"]) == ("reachable", "reachable"), seen
    assert track(g1)["announced"] == {"ipv4": "reachable", "ipv6": "reachable"}
    out = cl.vtysh(g1, "show cluster track provider")
    assert "announced to 2 nodes: IPv4 reachable, IPv6 reachable" in out, out
    out = cl.vtysh(e1, "show cluster track-announcements")
    assert re.search(IDS["2"] + r" +provider +IPv4 reachable +IPv6 reachable", out), out


def test_example(gears):
    """
    2 s, threshold 3: about 6 s after a failure both directions go by g2, and the
    same number of replies after the recovery they come back.
    """
    e1, e2, pe = gears["e1"], gears["e2"], gears["pe"]
    flows = [
        Flow(e1, "172.16.1.1", pe, "10.0.0.1"),
        Flow(pe, "10.0.0.1", e1, "172.16.1.1"),
    ]
    for flow in flows:
        cl.expect(flow.flows, "no traffic")
    break_link("1", True)
    took = cl.took(lambda: kernel(e1, NET) == VIA2, "e1 doesn't fail over")
    # 5 to 7 s; the rest is for a busy machine
    assert 4 < took < 12, "e1 followed after {:.1f} s".format(took)
    routed(e2, VIA2, timeout=cl.AT_ONCE)
    routed(e1, VIA2_V6, NET_V6)
    routed(pe, {"198.51.100.5"}, "172.16.0.0/16")
    assert kernel(e1, "10.50.0.0/16") == VIA1, "a route that isn't bound was touched"
    assert hop(e1, "192.0.2.1")["why"] == (
        "gateway {} doesn't reach track provider".format(IDS["1"])
    )
    for flow in flows:
        cl.expect(flow.flows, "no traffic by g2")
        assert flow.gap() < 12, "{:.1f} s without traffic".format(flow.gap())
    for flow in flows:
        # it was interrupted: the link carried it
        assert flow.gap() > 3, "only {:.1f} s without traffic".format(flow.gap())

    # three replies before it goes back, and nothing is lost then
    break_link("1", False)
    took = cl.took(lambda: kernel(e1, NET) == VIA1, "e1 doesn't come back")
    assert 2 < took < 12, "e1 came back after {:.1f} s".format(took)
    routed(e2, VIA1)
    routed(pe, {"198.51.100.1"}, "172.16.0.0/16")
    back = [len(flow.arrivals()) for flow in flows]
    for flow, before in zip(flows, back):
        cl.expect(
            lambda f=flow, b=before: (len(f.arrivals()) > b + 20, "no traffic"),
            "no traffic by g1 again",
        )
        times = flow.arrivals()[-60:]
        gap = max(b - a for a, b in zip(times, times[1:]))
        assert gap < 2, "{:.1f} s without traffic on the way back".format(gap)
        flow.end()
    changes = [
        (event["before"], event["after"])
        for event in cl.vtysh_json(e1, "show cluster events json")["events"]
        if event["name"] == "provider next-hop 192.0.2.1"
    ]
    assert changes[-2:] == [("up", "down"), ("down", "up")], changes


def test_gateway_ends(gears):
    "A gateway that stops says so; of one that is killed the silence does."
    e1, g1 = gears["e1"], gears["g1"]
    cl.end_daemon(g1, "clusterd", signal.SIGTERM)
    routed(e1, VIA2, timeout=cl.AT_ONCE)
    assert hop(e1, "192.0.2.1")["why"] == "no session with gateway " + IDS["1"]
    assert heard(e1, "1") == {}
    cl.start_daemon(g1, "clusterd")
    routed(e1, VIA1)
    cl.end_daemon(g1, "clusterd", signal.SIGKILL)
    routed(e1, VIA2)
    cl.start_daemon(g1, "clusterd")
    routed(e1, VIA1)


def test_all_down(gears):
    "None reaches the provider: no route, or the last resort; it recovers by itself."
    e1, e2 = gears["e1"], gears["e2"]
    cl.configure(e2, "cluster track provider", "last-resort keep")
    break_link("1", True)
    routed(e1, VIA2)
    break_link("2", True)
    routed(e1, set())
    routed(e1, set(), NET_V6)
    routed(e2, VIA1)
    seen = [r for r in track(e2)["routes"] if r["prefix"] == NET][0]
    assert seen["state"] == "last-resort", seen
    break_link("2", False)
    routed(e1, VIA2)
    routed(e2, VIA2)
    break_link("1", False)
    routed(e1, VIA1)
    cl.configure(e2, "cluster track provider", "no last-resort keep")


def test_gateway_keeps(gears):
    "A gateway that keeps its routes is the worse one, and better than none."
    e1, g1 = gears["e1"], gears["g1"]
    cl.configure(g1, "cluster track provider", "last-resort keep")
    break_link("1", True)
    routed(e1, VIA2)
    cl.expect(lambda: heard(e1, "1")["provider"]["ipv4"] == "worse", "not worse")
    break_link("2", True)
    routed(e1, VIA1)
    seen = [r for r in track(e1)["routes"] if r["prefix"] == NET][0]
    assert seen["state"] == "last-resort", seen
    assert "keeps track provider although" in hop(e1, "192.0.2.1")["why"]
    break_link("2", False)
    routed(e1, VIA2)
    break_link("1", False)
    cl.configure(g1, "cluster track provider", "no last-resort keep")


def test_only_what_is_configured(gears):
    "Whatever a gateway says, an edge installs its own prefixes only."
    e1, g1 = gears["e1"], gears["g1"]
    before = cl.vtysh_json(e1, "show ip route openfabric json").keys()
    text = (
        "cluster track other\n announce edges\n next-hop 198.51.100.2\n"
        " route 10.77.0.0/16\nexit\n"
    )
    assert cl.load_file(g1, text) == ""
    cl.expect(lambda: heard(e1, "1")["other"]["ipv4"] == "reachable", "isn't told")
    assert heard(e1, "1")["other"]["ipv6"] == "none"
    assert cl.vtysh_json(e1, "show ip route openfabric json").keys() == before
    # it is there when the configuration asks for it
    text = (
        "cluster track mine\n next-hop 192.0.2.1 gateway {} gateway-track other\n"
        " next-hop 192.0.2.2 gateway {}\n route 10.88.0.0/16\nexit\n"
    ).format(IDS["1"].upper(), IDS["2"])
    assert cl.load_file(e1, text) == ""
    routed(e1, VIA1, "10.88.0.0/16")
    seen = track(e1, "mine")["nextHops"]
    assert seen[1]["why"] == "gateway {} announces no track mine".format(IDS["2"])
    assert kernel(e1, "10.77.0.0/16") == set()
    cl.configure(g1, "cluster track other", "no announce edges")
    routed(e1, set(), "10.88.0.0/16")
    assert "other" not in heard(e1, "1")
    cl.configure(g1, "cluster track other", "announce edges")
    routed(e1, VIA1, "10.88.0.0/16")
    # a kernel that has no route for it is no way
    cl.configure(g1, "cluster track other", "no route 10.77.0.0/16")
    routed(e1, set(), "10.88.0.0/16")
    for router, line in ((e1, "no cluster track mine"), (g1, "no cluster track other")):
        assert cl.configure(router, line) == ""


def test_configuration(gears):
    "Lines come back as they were typed; what is wrong is refused with advice."
    e1 = gears["e1"]
    lines = [
        " announce edges",
        " next-hop 192.0.2.1 preference 3 probe Q gateway {} gateway-track t".format(
            IDS["1"]
        ),
        " next-hop 192.0.2.2 gateway " + IDS["2"],
    ]
    assert cl.configure(e1, "cluster track all", *lines) == ""
    section = cl.cluster_config(e1).split("cluster track all\n")[1].split("exit")[0]
    assert sorted(section.splitlines()) == sorted(lines)
    # the line replaces what the next hop had
    cl.configure(e1, "cluster track all", "next-hop 192.0.2.1")
    assert " next-hop 192.0.2.1\n" in cl.cluster_config(e1)
    for line, error in (
        ("next-hop 192.0.2.9 gateway 4711", "take it from `show cluster control`"),
        ("next-hop 192.0.2.9 gateway-track x", "add `gateway UUID`"),
        (
            "next-hop 192.0.2.9 gateway {} gateway-track -".format(IDS["1"]),
            "is not the name of a track",
        ),
    ):
        assert error in cl.configure(e1, "cluster track all", line), line
    for line in lines:
        assert cl.configure(e1, "cluster track all", "no " + line.strip()) == ""
    cl.configure(e1, "no cluster track all")


def told(router, name, wanted):
    "Waits until a track of a gateway announces that, by YANG."

    def check():
        tracks = oper.operational(router, "frr-clusterd-track", "cluster-tracks")
        mine = oper.by_key(tracks["track"], "name")[(name,)]
        return mine["state"]["announced"] == wanted, mine

    cl.expect(check, "{} of {}: not {}".format(name, router.name, wanted))


def announced(router, number, name, wanted):
    "Waits until an edge has heard that from a gateway, by YANG."

    def check():
        tracks = oper.operational(router, "frr-clusterd-track", "cluster-tracks")
        found = oper.by_key(tracks["state"]["announcement"], "node", "track")
        leaves = {"node": IDS[number], "track": name, "since": oper.TIME}
        oper.check_leaves(found[(IDS[number], name)], {**leaves, **wanted})
        return True

    cl.expect(check, "{}: not {} of {}".format(router.name, wanted, name))


def test_operational_data_of_trouble(gears):
    "What isn't reachable, is worse, or isn't there."
    e1, g1 = gears["e1"], gears["g1"]
    text = (
        "cluster track four\n announce edges\n next-hop 198.51.100.2\n"
        " route 10.77.0.0/16\nexit\n"
    )
    try:
        assert cl.load_file(g1, text) == ""
        four = {"ipv4": "reachable", "ipv6": "none"}
        told(g1, "four", four)
        announced(e1, "1", "four", four)
        # its next hop isn't probed; those of the other one are
        cl.configure(g1, "cluster track provider", "last-resort keep")
        break_link("1", True)
        for level in ("worse", "unreachable"):
            both = {"ipv4": level, "ipv6": level}
            told(g1, "provider", both)
            announced(e1, "1", "provider", both)
            cl.configure(g1, "cluster track provider", "no last-resort keep")
        cl.configure(g1, "cluster track four", "no announce edges")
        told(g1, "four", {"ipv4": "none", "ipv6": "none"})
        cl.expect(lambda: "four" not in heard(e1, "1"), "still announced")
    finally:
        break_link("1", False)
        cl.configure(g1, "no cluster track four")
        cl.configure(g1, "cluster track provider", "no last-resort keep")


def test_items_that_wait(gears):
    "What an edge hasn't confirmed is queued, and sent again."
    e1, g1 = gears["e1"], gears["g1"]
    mine = node(e1)

    def leaves(wanted):
        data = oper.operational(g1, "frr-clusterd-control", "cluster-control")
        entry = oper.by_key(data["state"]["session"], "id")[(mine,)]
        seen = {leaf: int(entry[leaf]) for leaf in before}
        return all(good(seen[leaf]) for leaf, good in wanted.items()), seen

    before = dict.fromkeys(("items-tx", "items-resent", "items-queued"), 0)
    cl.expect(lambda: leaves({"items-queued": lambda n: n == 0}), "queued")
    before = leaves({})[1]
    shown = session(g1, mine)
    assert shown["itemsTx"] >= before["items-tx"] > 0, (shown, before)
    cl.configure(g1, "cluster control", "timers keepalive 200 dead 20000")
    cl.configure(e1, "cluster control", "timers keepalive 200 dead 20000")
    # e1 is heard, but hears nothing
    e1.net.cmd_raises(
        "nft add table inet deaf && "
        "nft 'add chain inet deaf in { type filter hook input priority 0; }' && "
        "nft add rule inet deaf in ip saddr 192.0.2.1 udp sport 8484 drop"
    )
    try:
        cl.configure(g1, "cluster track provider", "no announce edges")
        cl.expect(
            lambda: leaves(
                {
                    "items-queued": lambda n: n == 1,
                    "items-tx": lambda n: n > before["items-tx"],
                    "items-resent": lambda n: n > before["items-resent"],
                }
            ),
            "not queued and sent again",
        )
    finally:
        e1.net.cmd_raises("nft delete table inet deaf")
        cl.configure(g1, "cluster track provider", "announce edges")
        for router in (g1, e1):
            cl.configure(router, "cluster control", "timers keepalive 200 dead 1000")
    cl.expect(lambda: leaves({"items-queued": lambda n: n == 0}), "still queued")
    data = oper.operational(e1, "frr-clusterd-control", "cluster-control")
    entry = oper.by_key(data["state"]["session"], "id")[(IDS["1"],)]
    assert session(e1, IDS["1"])["itemsRx"] >= int(entry["items-rx"]) > 0, entry


def test_operational_data(gears):
    "All leaves."
    e1, g1 = gears["e1"], gears["g1"]
    cl.expect(lambda: heard(e1, "2")["provider"]["ipv4"] == "reachable", "g2 is down")

    def sessions():
        seen = oper.operational(e1, "frr-clusterd-track", "cluster-tracks")
        return seen["state"]["sessions"] == 2, seen

    tracks = cl.expect(sessions, "both sessions")[1]
    # (a gateway announces no more than are kept: nothing is ever refused)
    state = dict(tracks["state"])
    del state["announcement"]
    oper.check_leaves(state, {"sessions": 2, "refused": "0"})
    found = oper.by_key(tracks["state"]["announcement"], "node", "track")
    oper.check_leaves(
        found[(IDS["1"], "provider")],
        {
            "node": IDS["1"],
            "track": "provider",
            "ipv4": "reachable",
            "ipv6": "reachable",
            "since": oper.TIME,
        },
    )
    tracks = oper.operational(g1, "frr-clusterd-track", "cluster-tracks")
    mine = oper.by_key(tracks["track"], "name")[("provider",)]
    assert mine["state"]["announced"] == {"ipv4": "reachable", "ipv6": "reachable"}
