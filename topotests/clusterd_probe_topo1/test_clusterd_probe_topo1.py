# SPDX-License-Identifier: GPL-2.0-or-later
"""
Every type of probe against a real service, and what it sends on the wire.

    r1 === h1 (two links; services)

All probes have a target of their own: no VIP is needed.
"""

import json
import os
import signal
import subprocess
import time

import pytest
import lib_cluster as cl
import lib_oper as oper
from lib_same import expect_same
from lib_typist import Typist

V4 = "203.0.113.11"
V6 = "2001:db8:2::11"
# Addresses of the host that are reached over both links, link 0 preferred.
FAR_V4 = "192.0.2.200"
FAR_V6 = "2001:db8:ff::200"
CERTIFICATE = os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "test-certificate.pem"
)
LISTENERS = [
    V4 + ":80",
    "[" + V6 + "]:80",
    V4 + ":443s",
    "[" + V6 + "]:443s",
    V4 + ":8080",
    FAR_V4 + ":80",
    "[" + FAR_V6 + "]:80",
]
INTERVAL = 100

# The framework can't have "::" in the name of a test.
FAMILIES = ["IPv4", "IPv6"]

SERVER = {}


def build(tgen):
    "Two links"
    tgen.add_router("r1")
    tgen.add_host("h1", ip=V4 + "/24", defaultRoute="via 203.0.113.1")
    for switch in ("s1", "s2"):
        tgen.add_switch(switch)
        for gear in ("r1", "h1"):
            tgen.gears[switch].add_link(tgen.gears[gear])


def prepare(tgen):
    "The host's other addresses, the node's routes to them."
    host = tgen.gears["h1"].net
    for address, interface in (
        (V6 + "/64", "h1-eth0"),
        ("2001:db8:3::11/64", "h1-eth1"),
        (FAR_V6 + "/128", "lo"),
    ):
        host.cmd_raises("ip address add {} dev {} nodad".format(address, interface))
    host.cmd_raises("ip address add 198.51.100.11/24 dev h1-eth1")
    host.cmd_raises("ip address add {}/32 dev lo".format(FAR_V4))


def setup_module(module):
    "Start all."
    tgen = cl.start(module, build, {"r1": ["zebra", "clusterd"]}, prepare=prepare)
    node = tgen.gears["r1"].net
    for family, address, gateways in (
        ("-4", FAR_V4, (V4, "198.51.100.11")),
        ("-6", FAR_V6, (V6, "2001:db8:3::11")),
    ):
        for number, gateway in enumerate(gateways):
            cl.expect(
                lambda f=family, a=address, g=gateway, n=number: node.cmd_status(
                    "ip {} route replace {} via {} dev r1-eth{} metric {}".format(
                        f, a, g, n, 100 * (n + 1)
                    ),
                    warn=False,
                )[0]
                == 0,
                "the node's addresses don't appear",
            )
    SERVER["h1"] = cl.HttpServer(tgen.gears["h1"], LISTENERS, CERTIFICATE)


def teardown_module(_module):
    "End."
    cl.stop()


@pytest.fixture(name="net")
def fixture_net():
    "r1, h1, server; no probe is configured, everything answers."
    tgen = cl.usable()
    r1 = tgen.gears["r1"]
    cl.forget_all(r1)
    SERVER["h1"].tell("*", "ok")
    icmp(tgen.gears["h1"], True)
    yield r1, tgen.gears["h1"], SERVER["h1"]
    icmp(tgen.gears["h1"], True)


def icmp(host, answers):
    "The host answers echo requests, or doesn't."
    ignore = 0 if answers else 1
    host.net.cmd_raises(
        "sysctl -w net.ipv4.icmp_echo_ignore_all={0} net.ipv6.icmp.echo_ignore_all={0}".format(
            ignore
        )
    )


def configure(r1, name, *lines):
    "A probe with short times."
    defaults = ["interval {}".format(INTERVAL), "timeout 900", "rise 2", "fall 2"]
    out = cl.configure(r1, "cluster probe " + name, *defaults, *lines)
    assert out == "", "{}: {}".format(name, out)


def expect_verdict(r1, name, target, verdict, why):
    "The instance comes to that verdict."
    cl.expect(
        lambda: cl.verdict_is(r1, name, target, verdict),
        "probe {} isn't {}: {}".format(name, verdict, why),
    )
    return cl.instance(r1, name, target)


@pytest.mark.parametrize("target", [V4, V6], ids=FAMILIES)
def test_icmp(net, target):
    "Echo: up while the host answers."
    r1, host, _ = net
    configure(r1, "ping", "type icmp", "target " + target)
    seen = expect_verdict(r1, "ping", target, "up", "the host answers")
    assert 0 < seen["rttUsec"] < 900000, "round trip time: {}".format(seen)
    icmp(host, False)
    seen = expect_verdict(r1, "ping", target, "down", "the host is silent")
    assert seen["timeouts"] >= 2, "time-outs: {}".format(seen)
    assert "time" in seen["why"], "reason: {}".format(seen)
    icmp(host, True)
    expect_verdict(r1, "ping", target, "up", "the host answers again")


@pytest.mark.parametrize("target", ["203.0.113.77", "2001:db8:2::77"], ids=FAMILIES)
def test_icmp_nobody(net, target):
    "Nobody has the address."
    r1, _, _ = net
    configure(r1, "ping", "type icmp", "target " + target)
    cl.expect(
        lambda: cl.instance(r1, "ping", target)["fails"] >= 2, "no failure is counted"
    )
    seen = cl.instance(r1, "ping", target)
    assert seen["verdict"] == "down", "verdict: {}".format(seen)


def test_icmp_no_route(net):
    "No route at all: a failure of its own kind, with the system's reason."
    r1, _, _ = net
    configure(r1, "ping", "type icmp", "target 192.0.2.254")
    cl.expect(
        lambda: cl.instance(r1, "ping", "192.0.2.254")["fails"] >= 2,
        "no failure is counted",
    )
    seen = cl.instance(r1, "ping", "192.0.2.254")
    assert "nreachable" in seen["why"] or "route" in seen["why"], "reason: {}".format(
        seen
    )


@pytest.mark.parametrize("target,listener", [(V4, 0), (V6, 1)], ids=FAMILIES)
def test_tcp(net, target, listener):
    "Connection established: up; refused: down."
    r1, _, server = net
    configure(r1, "port", "type tcp", "port 80", "target " + target)
    expect_verdict(r1, "port", target, "up", "somebody listens")
    server.tell(LISTENERS[listener], "close")
    seen = expect_verdict(r1, "port", target, "down", "nobody listens")
    assert "refused" in seen["why"], "reason: {}".format(seen)
    server.tell(LISTENERS[listener], "ok")
    expect_verdict(r1, "port", target, "up", "somebody listens again")


@pytest.mark.parametrize("target,listener", [(V4, 0), (V6, 1)], ids=FAMILIES)
def test_http(net, target, listener):
    "A status of 200-399 passes; what is asked is what is configured."
    r1, _, server = net
    name = LISTENERS[listener]
    configure(r1, "web", "type http", "target " + target)
    expect_verdict(r1, "web", target, "up", "200")
    asked = server.stat(name)["requests"][-1]
    host = target if listener == 0 else "[" + target + "]"
    assert asked == "GET / HTTP/1.1 " + host, "request: {}".format(asked)
    configure(r1, "web", "path /health?deep=1", "host www.example.com")
    cl.expect(
        lambda: server.stat(name)["requests"][-1]
        == "GET /health?deep=1 HTTP/1.1 www.example.com",
        "path and host don't reach the server",
    )
    for status in ("204", "302", "399"):
        fails = cl.instance(r1, "web", target)["fails"]
        runs = cl.instance(r1, "web", target)["runs"]
        server.tell(name, status)
        cl.expect(
            lambda r=runs: cl.instance(r1, "web", target)["runs"] >= r + 5, "no runs"
        )
        seen = cl.instance(r1, "web", target)
        assert seen["verdict"] == "up", "status {}: {}".format(status, seen)
        # The one that was under way when the server was told may have failed.
        assert seen["fails"] <= fails + 1, "status {}: {}".format(status, seen)
    for status in ("400", "404", "500"):
        server.tell(name, status)
        seen = expect_verdict(r1, "web", target, "down", status)
        cl.expect(
            lambda s=status: s in cl.instance(r1, "web", target)["why"],
            "the reason doesn't name status " + status,
        )
        server.tell(name, "ok")
        expect_verdict(r1, "web", target, "up", "200 again")


@pytest.mark.parametrize("target,listener", [(V4, 2), (V6, 3)], ids=FAMILIES)
def test_https(net, target, listener):
    "The same over TLS; the certificate isn't verified."
    r1, _, server = net
    name = LISTENERS[listener]
    configure(r1, "tls", "type https", "target " + target, "host test.example")
    expect_verdict(r1, "tls", target, "up", "200 over TLS")
    asked = server.stat(name)["requests"][-1]
    assert asked == "GET / HTTP/1.1 test.example", "request: {}".format(asked)
    assert server.stat(name)["serverNames"][-1] == "test.example", "SNI"
    configure(r1, "tls", "host other.example")
    cl.expect(
        lambda: server.stat(name)["serverNames"][-2:] == ["other.example"] * 2,
        "another host, but not in SNI",
    )
    # An address can't be there.
    configure(r1, "tls", "no host")
    cl.expect(
        lambda: server.stat(name)["serverNames"][-2:] == [None] * 2,
        "SNI without a host",
    )
    server.tell(name, "500")
    seen = expect_verdict(r1, "tls", target, "down", "500 over TLS")
    assert "500" in seen["why"], "reason: {}".format(seen)
    server.tell(name, "ok")
    expect_verdict(r1, "tls", target, "up", "200 again")
    # A port that speaks no TLS.
    configure(r1, "tls", "port 80")
    seen = expect_verdict(r1, "tls", target, "down", "no TLS there")
    assert seen["why"], "no reason: {}".format(seen)


def test_default_ports(net):
    "tcp has none and says so; http 80, https 443 were used above."
    r1, _, _ = net
    cl.configure(r1, "cluster probe noport", "type tcp", "target " + V4)
    seen = cl.expect(lambda: cl.instance(r1, "noport", V4), "no instance")
    assert "needs a port" in seen["why"], "reason: {}".format(seen)
    assert seen["verdict"] != "up", "verdict: {}".format(seen)
    configure(r1, "noport", "port 8080")
    expect_verdict(r1, "noport", V4, "up", "the port is configured now")


# Checks come by command and by event only.
HOUR = ["interval 3600000", "fast-interval 10", "rise 1", "fall 1"]


def expect_held(r1, name, target):
    "The service is up, its connection open."

    def held():
        seen = cl.instance(r1, name, target)
        if seen["verdict"] != "up":
            cl.vtysh(r1, "cluster probe {} now".format(name))
        return seen["verdict"] == "up" and seen["hold"]["state"] == "held", seen

    return cl.expect(held, "no connection is held")[1]


def held_peers(r1, server, listener, target, *lines):
    """
    Whom the server sees of a probe with hold: checks and the held connection.
    It has a name that no test had before, of which something would be known.
    """
    name = "-".join(["held", str(LISTENERS.index(listener))] + list(lines))
    name = "".join(c if c.isalnum() else "-" for c in name)
    before = server.stat(listener)["connections"]
    configure(r1, name, *HOUR, "hold", "port 80", *lines, "target " + target)
    seen = expect_held(r1, name, target)
    assert seen["hold"]["connections"] >= 1, "none: {}".format(seen)
    return cl.expect(
        lambda: len(server.peers_since(listener, before))
        == seen["runs"] + seen["hold"]["connections"]
        and set(server.peers_since(listener, before)),
        "the server has seen others than {}".format(seen),
    )


@pytest.mark.parametrize(
    "target,listener,own",
    [
        (V4, 0, {"203.0.113.1", "203.0.113.2"}),
        (V6, 1, {"2001:db8:2::1", "2001:db8:2::2"}),
    ],
    ids=FAMILIES,
)
@pytest.mark.parametrize("kind", ["http", "tcp"])
def test_source(net, kind, target, listener, own):
    "The server sees the configured source address (case 16)."
    r1, _, server = net
    name = LISTENERS[listener]
    lines = ["type " + kind, "port 80", "target " + target]
    configure(r1, "web", *lines)
    expect_verdict(r1, "web", target, "up", "without a source")
    # The address that the system doesn't choose by itself.
    source = (own - {server.stat(name)["peers"][-1]}).pop()
    configure(r1, "web", "source " + source)
    cl.expect(
        lambda: set(server.stat(name)["peers"][-3:]) == {source},
        "the server sees another source",
    )
    expect_verdict(r1, "web", target, "up", "with a source")
    absent = "203.0.113.66" if listener == 0 else "2001:db8:2::66"
    configure(r1, "web", "source " + absent)
    seen = expect_verdict(r1, "web", target, "down", "the source isn't ours")
    assert absent in seen["why"] or "assign" in seen["why"], "reason: {}".format(seen)
    configure(r1, "web", "no source")
    expect_verdict(r1, "web", target, "up", "without a source again")
    # A held connection, too.
    cl.forget_all(r1)
    lines = ["type " + kind, "source " + source]
    peers = held_peers(r1, server, name, target, *lines)
    assert peers == {source}, "with hold: {}".format(peers)


def sent_on(gear, interface):
    "Packets sent on an interface."
    return int(
        gear.net.cmd_raises(
            "cat /sys/class/net/{}/statistics/tx_packets".format(interface)
        )
    )


@pytest.mark.parametrize(
    "target,listener,first,second",
    [
        (FAR_V4, 5, {"203.0.113.1", "203.0.113.2"}, {"198.51.100.1"}),
        (FAR_V6, 6, {"2001:db8:2::1", "2001:db8:2::2"}, {"2001:db8:3::1"}),
    ],
    ids=FAMILIES,
)
def test_interface(net, target, listener, first, second):
    "The probe leaves by the configured interface, against the route (case 16)."
    r1, _, server = net
    name = LISTENERS[listener]
    configure(r1, "web", "type http", "target " + target)
    expect_verdict(r1, "web", target, "up", "by the preferred route")
    seen = set(server.stat(name)["peers"][-3:])
    assert seen <= first, "without an interface the server sees {}".format(seen)
    configure(r1, "web", "interface r1-eth1")
    cl.expect(
        lambda: set(server.stat(name)["peers"][-3:]) <= second,
        "the probe doesn't leave by r1-eth1",
    )
    expect_verdict(r1, "web", target, "up", "by the other interface")
    configure(r1, "web", "interface nosuch0")
    seen = expect_verdict(r1, "web", target, "down", "no such interface")
    assert "nosuch0" in seen["why"] or "device" in seen["why"], "reason: {}".format(
        seen
    )
    configure(r1, "web", "no interface")
    expect_verdict(r1, "web", target, "up", "without an interface again")
    # A held connection, too.
    cl.forget_all(r1)
    lines = ["type tcp", "interface r1-eth1"]
    peers = held_peers(r1, server, name, target, *lines)
    assert peers <= second, "with hold: {}".format(peers)


def test_icmp_interface_and_source(net):
    "The same for echo requests: they are counted on the interface."
    r1, _, _ = net
    configure(r1, "ping", "type icmp", "target " + FAR_V4, "interface r1-eth1")
    expect_verdict(r1, "ping", FAR_V4, "up", "by the other interface")
    before = sent_on(r1, "r1-eth1")
    runs = cl.instance(r1, "ping", FAR_V4)["runs"]
    cl.expect(
        lambda: cl.instance(r1, "ping", FAR_V4)["runs"] >= runs + 10, "no more runs"
    )
    sent = sent_on(r1, "r1-eth1") - before
    assert sent >= 10, "10 runs, but {} packets by r1-eth1".format(sent)
    configure(r1, "ping", "source 203.0.113.66")
    seen = expect_verdict(r1, "ping", FAR_V4, "down", "the source isn't ours")
    assert (
        "203.0.113.66" in seen["why"] or "assign" in seen["why"]
    ), "reason: {}".format(seen)


def test_now(net):
    "A check by command, long before its turn."
    r1, _, server = net
    hour = "interval 3600000"
    lines = [hour, "jitter 0", "fall 1", "rise 1", "type http", "port 8080"]
    configure(r1, "now", *lines, "target " + V4)
    expect_verdict(r1, "now", V4, "up", "200")
    server.tell(LISTENERS[4], "500")
    out = cl.vtysh(r1, "cluster probe now now")
    assert out == "", "the command printed: {}".format(out)
    seen = expect_verdict(r1, "now", V4, "down", "checked by command")
    assert (seen["runs"], seen["prompted"]) == (2, 1), "counters: {}".format(seen)
    out = cl.vtysh(r1, "cluster probe nosuch now")
    assert "no such probe: nosuch" in out, "printed: {}".format(out)
    out = cl.configure(r1, "cluster probe template", "type tcp", "port 80")
    out = cl.vtysh(r1, "cluster probe template now")
    assert "template checks nothing" in out, "printed: {}".format(out)


# A service by name: which type, port, listener.  (Not https: the server knows
# of no connection before its handshake.)
SERVICES = {
    "tcp": ("tcp", 8080, 4),
    "http": ("http", 8080, 4),
}


@pytest.mark.parametrize("service", SERVICES)
def test_hold(net, service):
    "The death of a service is noticed at once, an hour before the next check."
    r1, _, server = net
    name = "hold-" + service
    kind, port, number = SERVICES[service]
    listener = LISTENERS[number]
    lines = ["type " + kind, "port {}".format(port), "target " + V4, "hold"]
    configure(r1, name, *lines, *HOUR)
    before = expect_held(r1, name, V4)
    # A service that only closes the connection is asked, and stays up.
    server.tell(listener, "ok")
    cl.expect(
        lambda: cl.instance(r1, name, V4)["runs"] == before["runs"] + 1,
        "no check follows the end of the connection",
    )
    seen = expect_held(r1, name, V4)
    assert seen["prompted"] == before["prompted"] + 1, "out of turn: {}".format(seen)
    assert (seen["fails"], seen["hold"]["lost"]) == (0, 1), "no failure: {}".format(
        seen
    )
    server.tell(listener, "close")
    seen = expect_verdict(r1, name, V4, "down", "nobody listens")
    assert seen["runs"] == before["runs"] + 2, "one check is enough: {}".format(seen)
    cl.expect(
        lambda: cl.instance(r1, name, V4)["hold"]["state"] == "idle",
        "a connection to a dead service",
    )
    out = cl.vtysh(r1, "show cluster probe " + name)
    assert "Connection idle" in out and "2 lost" in out, "text: {}".format(out)
    server.tell(listener, "ok")
    expect_held(r1, name, V4)
    # What isn't wanted any more is closed.
    open_before = server.stat(listener)["open"]
    out = cl.configure(r1, "cluster probe " + name, "no hold")
    assert out == "", "no hold printed: {}".format(out)
    cl.expect(
        lambda: server.stat(listener)["open"] == open_before - 1
        or server.stat(listener)["open"] == 0,
        "the connection stays",
    )
    assert "hold" not in cl.instance(r1, name, V4), "hold is still shown"


def leaves_of(r1, name):
    "Of the instance that checks V4, by YANG; another test's may linger."
    probes = oper.operational(r1, "frr-clusterd-probe", "cluster-probes")["probe"]
    instances = oper.by_key(probes, "name")[(name,)]["state"]["instance"]
    return oper.by_key(instances, "vrf", "target")[("default", V4)]


def test_hold_dropped(net):
    "A server that closes every connection at once makes no storm of checks."
    r1, _, server = net
    server.tell(LISTENERS[4], "drop")
    lines = ["type tcp", "port 8080", "target " + V4, "hold", "fast-interval 10"]
    configure(r1, "port", *lines)
    cl.expect(lambda: cl.instance(r1, "port", V4)["runs"] >= 50, "no checks")
    seen = cl.instance(r1, "port", V4)
    assert seen["verdict"] == "up", "verdict: {}".format(seen)
    # 5 s: at 0, 1, 3 and 7 s
    assert 1 <= seen["hold"]["connections"] <= 6, "connections: {}".format(seen)
    assert seen["prompted"] <= 6, "checks out of turn: {}".format(seen)
    cl.expect(
        lambda: cl.instance(r1, "port", V4)["hold"]["backOffMsec"] > 0, "no back-off"
    )
    assert "closed by the service" in seen["hold"]["lastEnd"], "end: {}".format(seen)
    leaves = leaves_of(r1, "port")
    assert "closed by the service" in leaves["hold-last-end"], leaves
    assert oper.TIME.search(leaves["hold-since"]), leaves
    expect_same(r1, "probe")


def descriptors(r1, limit=None):
    "How many clusterd may open; from now on so many. Asked by its own user."
    return r1.net.cmd_raises(
        "setpriv --reuid frr --regid frr --clear-groups prlimit --pid {} {}".format(
            cl.pid_of(r1, "clusterd"),
            "--nofile --noheadings --raw --output SOFT"
            if limit is None
            else "--nofile={}:".format(limit),
        )
    ).strip()


def used(r1):
    "The descriptors of clusterd."
    command = "ls /proc/{}/fd".format(cl.pid_of(r1, "clusterd"))
    return {int(number) for number in r1.net.cmd_raises(command).split()}


HOLDER = """
import socket, sys
held = []
for _ in range(int(sys.argv[1])):
    held.append(socket.socket(socket.AF_UNIX))
    held[-1].connect("/var/run/frr/clusterd.vty")
sys.stdin.read()
"""


def expect_waiting(watcher, number):
    "What the summary says of checks that wait, in all its forms."

    def leaves():
        told = json.loads(watcher.types("show cluster summary json"))["probes"]
        shown = [told["socketsOpen"], told["socketsMax"], told["socketsWaiting"]]
        told = watcher.types(
            "show yang operational-data /frr-clusterd:cluster-summary/probes"
        )
        told = json.loads(told)["frr-clusterd:cluster-summary"]["probes"]
        names = ("sockets-open", "sockets-max", "sockets-waiting")
        good = [told[name] for name in names] == shown and shown[2] == number
        return good, shown, told

    _, shown, _ = cl.expect(leaves, "checks wait, and the summary doesn't say it")
    text = watcher.types("show cluster summary")
    line = "Checks with a socket: {} of at most {}, {} wait: clusterd may open too few"
    assert line.format(*shown) in text, text


def test_no_descriptors(net):
    "Others have them all: checks wait, and the services don't fail for it."
    r1, _, server = net
    names = {"tcp": V4, "http": V4, "https": V6}
    for kind, target in names.items():
        lines = ["type " + kind, "target " + target]
        configure(r1, "few-" + kind, *lines, *(["port 80"] if kind == "tcp" else []))
    for kind, target in names.items():
        expect_verdict(r1, "few-" + kind, target, "up", "it answers")
    before = descriptors(r1)
    watcher = Typist(r1, daemon="clusterd")
    # Sessions of vtysh take what no check has at the moment.
    looks = [used(r1) for _ in range(10)]
    limit = max(max(look) for look in looks) + 1
    free = max(limit - len(look) for look in looks)

    def all_taken():
        now = used(r1)
        return now >= set(range(limit)), now

    def silent():
        "So long that each would have had its turn ten times."
        last = max(server.stat(LISTENERS[n])["times"][-1] for n in (0, 3))
        return time.monotonic() - last > 1.5, last

    descriptors(r1, limit)
    holder = r1.net.popen(
        ["/usr/bin/python3", "-c", HOLDER, str(free)], stdin=subprocess.PIPE
    )
    try:
        cl.expect(all_taken, "descriptors are left")
        cl.expect(silent, "checks go on without descriptors")
        expect_waiting(watcher, len(names))
    finally:
        descriptors(r1, before)
        watcher.end()
        holder.kill()
        holder.wait()
    for kind, target in names.items():
        runs = cl.instance(r1, "few-" + kind, target)["runs"]
        cl.expect(
            lambda k=kind, t=target, n=runs: cl.instance(r1, "few-" + k, t)["runs"]
            > n + 2,
            "{} doesn't go on".format(kind),
        )
        seen = expect_verdict(r1, "few-" + kind, target, "up", "as before")
        assert seen["local"] == 0, "failed: {}".format(seen)


def test_late_and_cancelled(net):
    "A daemon that stands still is late; what a change ends has no result."
    r1, _, server = net
    server.tell(LISTENERS[4], "hang")
    count = server.stat(LISTENERS[4])["connections"]
    lines = ["type http", "port 8080", "target " + V4]
    configure(r1, "slow", *lines, "interval 30000", "timeout 30000", "jitter 0")
    cl.expect(
        lambda: server.stat(LISTENERS[4])["connections"] > count, "nothing is checked"
    )
    leaves = leaves_of(r1, "slow")
    assert oper.TIME.search(leaves["last-run"]), leaves
    assert "last-result-time" not in leaves and "consecutive" not in leaves, leaves
    cl.configure(r1, "cluster probe slow", "path /other")
    cl.expect(
        lambda: (int(leaves_of(r1, "slow")["cancelled"]) == 1, leaves_of(r1, "slow")),
        "the check that ran isn't counted",
    )
    expect_same(r1, "probe")
    assert ", 1 cancelled" in cl.vtysh(r1, "show cluster probe slow"), "text"
    cl.configure(r1, "no cluster probe slow")

    server.tell(LISTENERS[4], "ok")
    configure(r1, "web", *lines)
    expect_verdict(r1, "web", V4, "up", "200")
    late = int(leaves_of(r1, "web")["late"])
    cl.send_signal(r1, "clusterd", signal.SIGSTOP)
    try:
        cl.expect(
            lambda: time.monotonic() - server.stat(LISTENERS[4])["times"][-1] > 1.2,
            "checks by a daemon that is stopped",
        )
    finally:
        cl.send_signal(r1, "clusterd", signal.SIGCONT)
    # it was due a tenth of a second after the last one
    cl.expect(
        lambda: (leaves_of(r1, "web")["late-max"] > 1000000, leaves_of(r1, "web")),
        "the late check isn't told",
    )
    leaves = leaves_of(r1, "web")
    assert int(leaves["late"]) > late and leaves["late-max"] < 60000000, leaves
    expect_same(r1, "probe")
    out = cl.vtysh(r1, "show cluster probe web")
    assert "runs began late, at most by {} us".format(leaves["late-max"]) in out, out


def test_never_overlapping(net):
    "A server that hangs longer than the interval: one check at a time."
    r1, _, server = net
    server.tell(LISTENERS[4], "hang")
    configure(
        r1,
        "slow",
        "type http",
        "port 8080",
        "target " + V4,
        "timeout 500",
    )
    count = server.stat(LISTENERS[4])["connections"]
    cl.expect(
        lambda: server.stat(LISTENERS[4])["connections"] >= count + 5, "no more checks"
    )
    seen = server.stat(LISTENERS[4])
    assert seen["maxOpen"] == 1, "{} checks at a time".format(seen["maxOpen"])
    gaps = [b - a for a, b in zip(seen["times"][-5:], seen["times"][-4:])]
    assert min(gaps) > 0.4, "time-out 500 ms, checks after {} s".format(gaps)


def test_interval(net):
    "The checks come at the interval, without drift."
    r1, _, server = net
    configure(r1, "web", "type http", "port 8080", "target " + V4)
    count = server.stat(LISTENERS[4])["connections"]
    cl.expect(
        lambda: server.stat(LISTENERS[4])["connections"] >= count + 31, "no more checks"
    )
    times = server.stat(LISTENERS[4])["times"][-30:]
    mean = (times[-1] - times[0]) / 29
    assert 0.095 < mean < 0.15, "interval 100 ms, mean {:.3f} s".format(mean)


def test_fast_interval(net):
    "While verdict and last result disagree the checks come faster."
    r1, _, server = net
    configure(
        r1,
        "web",
        "type http",
        "port 8080",
        "target " + V4,
        "interval 1000",
        "fast-interval 50",
        "fall 6",
    )
    expect_verdict(r1, "web", V4, "up", "200")
    server.tell(LISTENERS[4], "500")
    expect_verdict(r1, "web", V4, "down", "500")
    times = server.stat(LISTENERS[4])["times"][-6:]
    spread = times[-1] - times[0]
    assert spread < 0.9, "six failures at 50 ms took {:.2f} s".format(spread)
    # Verdict and results agree again: back to the interval.
    count = server.stat(LISTENERS[4])["connections"]
    cl.expect(
        lambda: server.stat(LISTENERS[4])["connections"] >= count + 3, "no more checks"
    )
    times = server.stat(LISTENERS[4])["times"][-3:]
    assert times[1] - times[0] > 0.8, "the fast interval stays: {}".format(times)


def test_counters(net):
    "Counters in JSON and text add up."
    r1, _, server = net
    configure(r1, "web", "type http", "port 8080", "target " + V4)
    expect_verdict(r1, "web", V4, "up", "200")
    server.tell(LISTENERS[4], "500")
    expect_verdict(r1, "web", V4, "down", "500")

    def adds_up():
        "But for a run in flight, which only 'runs' has."
        seen = cl.instance(r1, "web", V4)
        ended = seen["passes"] + seen["fails"] + seen["cancelled"]
        return seen["runs"] == ended, seen

    _, seen = cl.expect(adds_up, "the counters don't add up")
    assert seen["sinceMsec"] < 60000, "since: {}".format(seen)
    assert seen["lastResult"], "last result: {}".format(seen)
    assert cl.probe(r1, "web")["type"] == "http", "type in JSON"
    out = cl.vtysh(r1, "show cluster probe web")
    for text in ("web", V4, "down", "500"):
        assert text in out, "show cluster probe web lacks {!r}: {}".format(text, out)
    counts = cl.summary(r1)["probes"]
    assert counts["total"] == 1 and counts["down"] == 1, "summary: {}".format(counts)
    leaves = leaves_of(r1, "web")
    kinds = ("timeouts", "refused", "unreachable", "response", "not-up", "local")
    assert int(leaves["fails"]) == sum(int(leaves[k]) for k in kinds) >= 2, leaves
    assert leaves["references"] == 1, leaves
    expect_same(r1)
