# SPDX-License-Identifier: GPL-2.0-or-later
"""
Probes that send nothing of their own, in a VRF and by an interface: BFD,
heartbeats, interfaces, routes; and commands.

    r2 --- r1
           r1 VRF red === r3 (two links)

VRF red is a network namespace; r3 has the same addresses on its first link as
r2.
"""

import os
import signal

import pytest
import lib_cluster as cl
from lib_probe import Capture, Hearts, instance

TARGET = {4: "203.0.113.2", 6: "2001:db8:2::2"}
# r1's on the links where these are.
NODE = {4: "203.0.113.1", 6: "2001:db8:2::1"}
SECOND = {4: "203.0.113.3", 6: "2001:db8:2::3"}
# r1's on the other link of the VRF.
OTHER_LINK = {4: "198.51.100.1", 6: "2001:db8:3::1"}
OTHER_GATEWAY = {4: "198.51.100.2", 6: "2001:db8:3::2"}
# Of r3, reached over both links, the first one preferred.
FAR = {4: "192.0.2.200", 6: "2001:db8:ff::200"}
# Of probes whose subject has no address.
NONE = "0.0.0.0"
FOLDER = "/tmp/clusterd-probetypes2"
BFD = ["type bfd", "profile fast"]
BFD_PORT = ["and", "udp", "port", "3784"]

families = pytest.mark.parametrize("family", [4, 6], ids=["IPv4", "IPv6"])


def build(tgen):
    "r1 in the middle."
    for name in ("r1", "r2", "r3"):
        tgen.add_router(name)
    cl.connect(tgen, s1=("r1", "r2"), s2=("r1", "r3"), s3=("r1", "r3"))


def prepare(tgen):
    "The VRF."
    r1 = tgen.gears["r1"].net
    r1.cmd_raises("ip netns add red")
    for interface in ("r1-eth1", "r1-eth2"):
        r1.cmd_raises("ip link set {} netns red".format(interface))
        r1.cmd_raises("ip -n red link set {} up".format(interface))
    r1.cmd_raises("ip -n red link set lo up")


def setup_module(module):
    "Start all; both VRFs reach their neighbour."
    others = ["zebra", "bfdd"]
    tgen = cl.start(
        module,
        build,
        {"r1": others + ["clusterd"], "r2": others, "r3": others},
        netns_vrf=("r1",),
        prepare=prepare,
    )
    os.makedirs(FOLDER, mode=0o755, exist_ok=True)
    r1 = tgen.gears["r1"].net
    for family, gateways in ((f, (TARGET[f], OTHER_GATEWAY[f])) for f in (4, 6)):
        for number, gateway in enumerate(gateways):
            command = "ip -n red -{} route replace {} via {} dev r1-eth{} metric {}"
            command = command.format(
                family, FAR[family], gateway, number + 1, 100 * (number + 1)
            )
            cl.expect(
                lambda c=command: r1.cmd_status(c, warn=False)[0] == 0,
                "the VRF's addresses don't appear",
            )


def teardown_module(_module):
    "End."
    cl.stop()


@pytest.fixture(name="r1")
def fixture_r1():
    "r1; no probe is configured."
    r1 = cl.usable().gears["r1"]
    cl.forget_all(r1)
    yield r1


@pytest.fixture(name="hearts")
def fixture_hearts():
    "Senders that don't outlive the test."
    hearts = Hearts(FOLDER)
    yield hearts
    hearts.end()


def probe(r1, name, *lines):
    "A probe, for which no interval is waited if it watches."
    out = cl.configure(r1, "cluster probe " + name, "interval 3600000", *lines)
    assert out == "", "{}: {}".format(name, out)


def use(r1, name, family, *vrfs, target=None):
    "VIPs that use the probe, one a VRF."
    for vrf in vrfs:
        out = cl.configure(
            r1,
            "cluster vip {}-{}".format(name, vrf),
            "vrf " + vrf,
            "probe " + name,
            "member " + (target or TARGET[family]),
            "address 192.0.2.9",
        )
        assert out == "", "VIP with {} in {}: {}".format(name, vrf, out)


def is_so(r1, name, target, vrf, verdict, text=""):
    "For expect(): the verdict, and its reason or the last result has the text."
    seen = instance(r1, name, target, vrf)
    good = seen["verdict"] == verdict and text in seen["why"] + seen["lastDetail"]
    return good, seen


def expect_verdict(r1, name, target, vrf, verdict, text=""):
    "The instance comes to that."
    return cl.expect(
        lambda: is_so(r1, name, target, vrf, verdict, text),
        "probe {} in {} isn't {}: {}".format(name, vrf, verdict, text),
    )[1]


def stays(r1, name, target, vrf, verdict):
    "For a while nothing changes."
    cl.stays(
        lambda: is_so(r1, name, target, vrf, verdict),
        "probe {} in {} doesn't stay {}".format(name, vrf, verdict),
        1,
    )


def sessions(r1, target, vrf):
    "bfdd's with that peer."
    vrf = "vrf {} ".format(vrf)
    peers = cl.vtysh_json(r1, "show bfd {}peers json".format(vrf))
    return [peer for peer in peers if peer["peer"] == target]


def silent(router):
    "The router's bfdd sends nothing."
    cl.send_signal(router, "bfdd", signal.SIGSTOP)


def again(router):
    "It goes on."
    cl.send_signal(router, "bfdd", signal.SIGCONT)


@families
def test_bfd_vrf(r1, family):
    "Two sessions with one address in two VRFs: each has its own state."
    r2, r3 = (cl.usable().gears[name] for name in ("r2", "r3"))
    name, target = "vrf{}".format(family), TARGET[family]
    probe(r1, name, *BFD)
    use(r1, name, family, "default", "red")
    for vrf in ("default", "red"):
        expect_verdict(r1, name, target, vrf, "up")
        assert len(sessions(r1, target, vrf)) == 1, sessions(r1, target, vrf)
    for router, vrf, other in ((r3, "red", "default"), (r2, "default", "red")):
        silent(router)
        try:
            expect_verdict(r1, name, target, vrf, "down", "BFD session is down")
            stays(r1, name, target, other, "up")
        finally:
            again(router)
        expect_verdict(r1, name, target, vrf, "up")


@families
def test_bfd_source(r1, family):
    "The session is that of the configured address."
    name, target = "source{}".format(family), TARGET[family]
    capture = Capture(r1, "red", "r1-eth1", target, *BFD_PORT)
    probe(r1, name, *BFD, "source " + SECOND[family])
    use(r1, name, family, "red")
    expect_verdict(r1, name, target, "red", "up")
    (session,) = sessions(r1, target, "red")
    assert session["local"] == SECOND[family], session
    cl.expect(lambda: len(capture.sources()) >= 10, "nothing is sent")
    capture.end()
    seen = set(source.rpartition(".")[0] for source in capture.sources())
    assert seen == {SECOND[family]}, "sent from {}".format(seen)


@families
def test_bfd_interface(r1, family):
    "By the configured interface of the VRF, against its routes (case 16)."
    name, target = "interface{}".format(family), FAR[family]
    places = ("r1-eth2", "r1-eth1")
    captures = [Capture(r1, "red", place, target, *BFD_PORT) for place in places]
    probe(r1, name, *BFD, "interface r1-eth2")
    use(r1, name, family, "red", target=target)
    expect_verdict(r1, name, target, "red", "up")
    (session,) = sessions(r1, target, "red")
    assert session["interface"] == "r1-eth2", session
    cl.expect(lambda: len(captures[0].sources()) >= 10, "nothing is sent")
    for capture in captures:
        capture.end()
    seen = set(source.rpartition(".")[0] for source in captures[0].sources())
    assert seen == {OTHER_LINK[family]}, "sent from {}".format(seen)
    assert captures[1].sources() == [], "also sent by the preferred route"


def link_local(router, interface, netns=""):
    "The interface's link-local address."
    enter = "-n {} ".format(netns) if netns else ""
    out = router.net.cmd_raises(
        "ip {}-6 -br address show dev {} scope link".format(enter, interface)
    )
    return out.split()[2].split("/")[0]


def test_bfd_link_local(r1):
    "A link-local address, which only the interface makes one."
    r3 = cl.usable().gears["r3"]
    target = link_local(r3, "r3-eth1")
    # (without a local address FRR 10.3 takes the interface's global one)
    peer = "peer {} local-address {} interface r3-eth1".format(
        link_local(r1, "r1-eth2", "red"), target
    )
    cl.configure(r3, "bfd", peer, "profile fast")
    try:
        probe(r1, "link-local", *BFD, "target " + target, "vrf red")
        cl.expect(
            lambda: "link-local target needs an interface"
            in instance(r1, "link-local", target, "red")["why"],
            "it isn't said what is missing",
        )
        probe(r1, "link-local", "interface r1-eth2")
        expect_verdict(r1, "link-local", target, "red", "up")
    finally:
        cl.configure(r3, "bfd", "no " + peer)
    expect_verdict(r1, "link-local", target, "red", "down", "BFD session is")


def test_bfd_multihop(r1):
    "It needs a source, and says so; the source is the session's."
    target = FAR[4]
    probe(r1, "multihop", *BFD, "target " + target, "vrf red", "hops 3")
    cl.expect(
        lambda: "bfd over several hops needs a source"
        in instance(r1, "multihop", target, "red")["why"],
        "it isn't said what is missing",
    )
    probe(r1, "multihop", "source " + OTHER_LINK[4])
    expect_verdict(r1, "multihop", target, "red", "up")
    (session,) = sessions(r1, target, "red")
    assert session["multihop"] and session["local"] == OTHER_LINK[4], session


ALIKE = "bfdd takes another probe's session for it"


def test_bfd_alike(r1):
    """
    Sessions that bfdd would take for one: the first has it, and the second when
    that has gone, a true one.
    """
    target = TARGET[4]
    probe(r1, "any", *BFD, "target " + target, "vrf red")
    expect_verdict(r1, "any", target, "red", "up")
    for name, line in (("if", "interface r1-eth1"), ("src", "source " + NODE[4])):
        probe(r1, name, *BFD, "target " + target, "vrf red", line)
        expect_verdict(r1, name, target, "red", "down", ALIKE)
        (session,) = sessions(r1, target, "red")
        assert "interface" not in session and "local" not in session, session
        assert cl.configure(r1, "no cluster probe " + name) == ""
        stays(r1, "any", target, "red", "up")

    probe(r1, "one", *BFD, "target " + target, "vrf red", "interface r1-eth1")
    expect_verdict(r1, "one", target, "red", "down", ALIKE)
    # each has an interface: no reason to wait
    probe(r1, "two", *BFD, "target " + target, "vrf red", "interface r1-eth2")
    expect_verdict(r1, "two", target, "red", "down", ALIKE)
    assert cl.configure(r1, "no cluster probe any") == ""
    expect_verdict(r1, "one", target, "red", "up")
    expect_verdict(r1, "two", target, "red", "down", "BFD session is down")
    seen = {session["interface"] for session in sessions(r1, target, "red")}
    assert seen == {"r1-eth1", "r1-eth2"}, seen
    r3 = cl.usable().gears["r3"]
    silent(r3)
    try:
        expect_verdict(r1, "one", target, "red", "down", "BFD session is down")
    finally:
        again(r3)
    expect_verdict(r1, "one", target, "red", "up")


def test_bfd_alike_that_waits(r1):
    "What waits itself is in nobody's way, and bfdd's restart changes nothing."
    target = TARGET[4]
    lines = [*BFD, "target " + target, "vrf red"]
    probe(r1, "one", *lines, "interface r1-eth1")
    expect_verdict(r1, "one", target, "red", "up")
    probe(r1, "any", *lines)
    expect_verdict(r1, "any", target, "red", "down", ALIKE)

    def two_runs():
        expect_verdict(r1, "two", target, "red", "down", "BFD session is down")
        seen = {session["interface"] for session in sessions(r1, target, "red")}
        assert seen == {"r1-eth1", "r1-eth2"}, seen

    probe(r1, "two", *lines, "interface r1-eth2")
    two_runs()
    # any still waits, for the other one
    assert cl.configure(r1, "no cluster probe one") == ""
    stays(r1, "any", target, "red", "down")
    probe(r1, "one", *lines, "interface r1-eth1")
    expect_verdict(r1, "one", target, "red", "up")
    cl.end_daemon(r1, "bfdd")
    try:
        expect_verdict(r1, "one", target, "red", "down", "bfdd is not running")
    finally:
        cl.start_daemon(r1, "bfdd")
    expect_verdict(r1, "one", target, "red", "up")
    two_runs()
    expect_verdict(r1, "any", target, "red", "down", ALIKE)


def test_bfd_other_route_type(r1):
    "zebra says nothing of BFD to other types: that is told, not waited for."
    cl.end_daemon(r1, "clusterd")
    try:
        cl.start_daemon(r1, "clusterd", "--route-type babel")
        probe(r1, "unheard", *BFD, "target " + TARGET[4])
        expect_verdict(
            r1, "unheard", TARGET[4], "default", "down", "only route type openfabric"
        )

        def prompted():
            return instance(r1, "unheard", TARGET[4], "default")["prompted"]

        before = prompted()
        cl.stays(lambda: prompted() == before, "it is asked although nothing is new", 1)
    finally:
        cl.end_daemon(r1, "clusterd")
        cl.start_daemon(r1, "clusterd")


def listen(r1, name, port, *lines):
    "A heartbeat probe."
    times = ["interval 500", "rise 2", "fall 4", "timeout 500"]
    port = "port {}".format(port)
    probe(r1, name, "type heartbeat", port, "key-chain beats", *times, *lines)


def destination(address, port):
    "For the sender."
    return ("[{}]:{}" if ":" in address else "{}:{}").format(address, port)


@families
def test_heartbeat_vrf(r1, hearts, family):
    "One name, target and port in two VRFs: each hears its own."
    r2, r3 = (cl.usable().gears[name] for name in ("r2", "r3"))
    name, target, port = "beat{}".format(family), TARGET[family], 7500 + family
    listen(r1, name, port)
    use(r1, name, family, "default", "red")
    to = destination(NODE[family], port)
    outer = hearts.start(r2, name, to)
    expect_verdict(r1, name, target, "default", "up")
    expect_verdict(r1, name, target, "red", "down", "no heartbeat for")
    inner = hearts.start(r3, name, to)
    expect_verdict(r1, name, target, "red", "up")
    outer.end()
    expect_verdict(r1, name, target, "default", "down", "no heartbeat for")
    stays(r1, name, target, "red", "up")
    hearts.start(r2, name, to)
    expect_verdict(r1, name, target, "default", "up")
    inner.end()
    expect_verdict(r1, name, target, "red", "down", "no heartbeat for")


def unheard(r1, family):
    "Datagrams that came to the VRF and that no socket wanted."
    if family == 6:
        out = r1.net.cmd_raises("ip netns exec red cat /proc/net/snmp6")
        return int(dict(line.split() for line in out.splitlines())["Udp6NoPorts"])
    out = r1.net.cmd_raises("ip netns exec red grep Udp: /proc/net/snmp")
    names, values = (line.split() for line in out.splitlines())
    return int(dict(zip(names, values))["NoPorts"])


@families
@pytest.mark.parametrize("what", ["interface", "source"])
def test_heartbeat_elsewhere(r1, hearts, family, what):
    "Heard are only those by the interface, or to the address, of the probe."
    r3 = cl.usable().gears["r3"]
    name, target, port = what + str(family), TARGET[family], 7510 + family
    line, wrong, right = {
        "interface": ("interface r1-eth2", NODE[family], OTHER_LINK[family]),
        "source": ("source " + SECOND[family], NODE[family], SECOND[family]),
    }[what]
    listen(r1, name, port, line)
    use(r1, name, family, "red")
    expect_verdict(r1, name, target, "red", "down", "no heartbeat for")
    before = unheard(r1, family)
    heart = hearts.start(
        r3, name, destination(wrong, port), "--target", target, "--interval", "20"
    )
    cl.expect(lambda: unheard(r1, family) >= before + 20, "nothing arrives")
    seen = instance(r1, name, target, "red")
    assert seen["verdict"] == "down" and seen["heartbeat"]["received"] == 0, seen
    heart.end()
    hearts.start(r3, name, destination(right, port), "--target", target)
    expect_verdict(r1, name, target, "red", "up")


def test_heartbeat_port_taken(r1):
    """
    One port by all interfaces and by one can't be: that is told; whoever waits
    gets it.
    """
    target = TARGET[4]
    listen(r1, "all", 7520, "target " + target, "vrf red")
    expect_verdict(r1, "all", target, "red", "down", "no heartbeat for")
    listen(r1, "one", 7520, "target " + target, "vrf red", "interface r1-eth2")
    expect_verdict(r1, "one", target, "red", "down", "port 7520: Address already")
    assert cl.configure(r1, "no cluster probe all") == ""
    expect_verdict(r1, "one", target, "red", "down", "no heartbeat for")


def test_command_vrf(r1):
    "A command runs in the namespace of each VRF."
    probe(
        r1,
        "links",
        "type command",
        "command /bin/grep -o r1-eth[0-9] /proc/net/dev",
        "interval 1000",
    )
    use(r1, "links", 4, "default", "red")
    for vrf, links in (("default", {"r1-eth0"}), ("red", {"r1-eth1", "r1-eth2"})):
        seen = expect_verdict(r1, "links", TARGET[4], vrf, "up")
        assert seen["lastDetail"] in links, "in VRF {}: {}".format(vrf, seen)


def test_route_vrf(r1):
    "A route of the VRF, and not one of another."
    prefix, place = "192.0.2.0/25", "ip {} route {} 192.0.2.0/25 via " + TARGET[4]
    probe(r1, "way", "type route", "prefix " + prefix)
    use(r1, "way", 4, "default", "red")
    for vrf in ("default", "red"):
        expect_verdict(r1, "way", NONE, vrf, "down", "no usable route to " + prefix)
    for netns, vrf, other in (("-n red", "red", "default"), ("", "default", "red")):
        r1.net.cmd_raises(place.format(netns, "add"))
        try:
            expect_verdict(r1, "way", NONE, vrf, "up")
            stays(r1, "way", NONE, other, "down")
        finally:
            r1.net.cmd_raises(place.format(netns, "del"))
        expect_verdict(r1, "way", NONE, vrf, "down")


def test_interface_vrf(r1):
    "An interface of the VRF, by its name there."
    probe(r1, "cable", "type interface", "interface cable0")
    use(r1, "cable", 4, "default", "red")
    for vrf in ("default", "red"):
        expect_verdict(r1, "cable", NONE, vrf, "down", "no interface cable0")
    make = "ip {0} link add cable0 type veth peer name cable1"
    make += " && ip {0} link set cable0 up && ip {0} link set cable1 up"
    for netns, vrf, other in (("-n red", "red", "default"), ("", "default", "red")):
        r1.net.cmd_raises(make.format(netns))
        try:
            expect_verdict(r1, "cable", NONE, vrf, "up")
            stays(r1, "cable", NONE, other, "down")
            r1.net.cmd_raises("ip {} link set cable1 down".format(netns))
            expect_verdict(r1, "cable", NONE, vrf, "down", "cable0 is down")
            r1.net.cmd_raises("ip {} link set cable1 up".format(netns))
            expect_verdict(r1, "cable", NONE, vrf, "up")
        finally:
            r1.net.cmd_raises("ip {} link del cable0".format(netns))
        expect_verdict(r1, "cable", NONE, vrf, "down")
    probe(r1, "cable", "vrf nowhere")
    expect_verdict(r1, "cable", NONE, "nowhere", "down", "no such VRF: nowhere")
