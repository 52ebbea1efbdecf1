# SPDX-License-Identifier: GPL-2.0-or-later
"""
The responder's NAT hand-off, with real flows both ways.

    site --- gw (clusterd) --- pe
              |                |
              +-- VRF red -----+   (a network namespace)

The PE knows routes to the site's own addresses, so that only the gateway can be
what refuses a flow.
"""

import json
import os
import signal
import subprocess

import pytest
import lib_cluster as cl
import lib_oper

FLOW = os.path.join(os.path.dirname(os.path.abspath(__file__)), "flow.py")
VIRTUAL = "192.168.10.10"
TABLE = "clusterd/PE"
PE = {"v4": "192.168.10.1", "v6": "2001:db8:10::1"}
SITE = {"v4": "10.1.1.1", "v6": "2001:db8:1::1"}
GW = {"v4": "192.168.10.2", "v6": "2001:db8:10::2"}
GW_INSIDE = {"v4": "10.1.1.254", "v6": "2001:db8:1::254"}
OWN = "198.51.100.9"  # another address of the gateway
FAMILIES = pytest.mark.parametrize("family", ["v4", "v6"])
SECTION = """\
cluster responder PE
 interface gw-eth0
 handoff nat
{} address 192.168.10.10
exit
"""
RED = """\
cluster responder RED
 vrf red
 interface gw-eth2
 handoff nat
 address 192.168.20.10
exit
"""
RED_TABLE = "ip netns exec red nft list table inet clusterd/RED"
servers = []


def prepare(tgen):
    "The VRF; the gateway forwards; servers at both ends."
    gw = tgen.gears["gw"].net
    gw.cmd_raises("ip netns add red; ip link set gw-eth2 netns red")
    gw.cmd_raises("ip -n red link set gw-eth2 up; ip -n red link set lo up")
    for name in ("gw", "pe", "site"):
        for family in ("ipv4.ip_forward", "ipv6.conf.all.forwarding"):
            tgen.gears[name].net.cmd_raises("sysctl -q -w net.{}=1".format(family))
    for name in ("pe", "site"):
        # What the kernel may keep of an own duplicate address detection.
        tgen.gears[name].net.cmd_raises("sysctl -q -w net.ipv6.conf.all.accept_dad=0")
        server = tgen.gears[name].net.popen(
            ["/usr/bin/python3", FLOW, "server"], stdout=subprocess.PIPE
        )
        servers.append(server)
        assert server.stdout.readline(), "{}: no server".format(name)


def setup_module(module):
    "Start all."
    cl.start(
        module,
        {"s1": ("gw", "pe"), "s2": ("gw", "site"), "s3": ("gw", "pe")},
        {
            "gw": ["zebra", "clusterd"],
            "pe": ["zebra"],
            "site": ["zebra"],
        },
        netns_vrf=("gw",),
        prepare=prepare,
        options=lib_oper.LISTENER,
    )


def teardown_module(_module):
    "End."
    for server in servers:
        server.kill()
        server.wait()
    cl.stop()


@pytest.fixture(name="net")
def fixture_net():
    "The gateway with its first configuration and an active hand-off."
    tgen = cl.usable()
    gw, pe, site = (tgen.gears[name] for name in ("gw", "pe", "site"))
    if not cl.alive(gw, "clusterd"):
        cl.start_daemon(gw, "clusterd")
    configure(gw, "")
    cl.expect(lambda: active(gw), "the hand-off doesn't come up")
    for family in ("v4", "v6"):
        cl.expect(
            lambda f=family: Flow(site, "udp", PE[f]).ask() != "silence",
            "{}: the site has no way to the PE".format(family),
        )
    return gw, pe, site


def configure(gw, lines):
    "The responder, anew if it is another than the one that there is."
    wanted = SECTION.format(lines)
    if cl.cluster_config(gw) + "\n" != wanted:
        out = cl.load_file(gw, "no cluster responder PE\n" + wanted)
        assert out == "", out


def handoff(gw, name="PE"):
    "Its state."
    out = cl.vtysh_json(gw, "show cluster responder {} json".format(name))
    return out[name].get("handoff", {})


def state(gw, name="PE"):
    "(state, why)"
    seen = handoff(gw, name)
    return seen.get("state"), seen.get("why")


def active(gw):
    "For expect()."
    seen = state(gw)
    return seen == ("active", ""), seen


def tables(gw):
    "Names of the kernel's tables."
    found = json.loads(gw.net.cmd_raises("nft -j list tables"))["nftables"]
    return [entry["table"]["name"] for entry in found if "table" in entry]


class Flow:
    "One flow from a router; each ask() goes over it."

    def __init__(self, router, kind, address, source=None):
        args = ["/usr/bin/python3", FLOW, kind, address] + ([source] if source else [])
        self.process = router.net.popen(
            args, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def ask(self):
        "What the other end sees, or silence."
        self.process.stdin.write("?\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def __del__(self):
        self.process.stdin.close()
        self.process.wait()


class Watch:
    "The next frames of a kind on a router's first interface."

    def __init__(self, router, count, what, patience=20):
        self.process = router.net.popen(
            ["timeout", str(patience), "tcpdump", "-nlc", str(count)]
            + ["-i", router.name + "-eth0", what],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        said = ""
        while "listening" not in said:
            said = self.process.stderr.readline()
            assert said, "tcpdump has ended"

    def lines(self):
        "One each, when all are there or patience has run out."
        return [line for line in self.process.communicate()[0].splitlines() if line]


def ping(router, address, *options):
    "Whether one ping is answered, within a second."
    command = ["ping", "-n", "-c", "1", "-W", "1", *options, address]
    return router.net.cmd_status(" ".join(command), warn=False)[0] == 0


def counted(gw, key, check, message):
    "A counter grows by at least one while check() runs."
    before = handoff(gw)[key]
    check()
    cl.expect(
        lambda: (handoff(gw)[key] > before, handoff(gw)),
        "{}: {} isn't counted".format(message, key),
    )


@FAMILIES
@pytest.mark.parametrize("kind", ["tcp", "udp"])
def test_site_to_pe(net, family, kind):
    "The PE sees the gateway's own address; answers come back."
    gw, _, site = net

    def flow():
        seen = Flow(site, kind, PE[family])
        assert seen.ask() == GW[family], "not translated"
        assert seen.ask() == GW[family], "the second answer"

    counted(gw, "flows", flow, "a flow of the site")


@FAMILIES
def test_site_pings_pe(net, family):
    "Echo has no ports: translated by its identifier, two at a time."
    _, pe, site = net
    watch = Watch(pe, 4, "icmp or (icmp6 and ip6[40] >= 128 and ip6[40] <= 129)")
    for _ in range(2):
        assert ping(site, PE[family]), "no answer"
    seen = watch.lines()
    assert len(seen) == 4, seen
    for line in seen:
        assert GW[family] in line and SITE[family] not in line, seen


@FAMILIES
def test_errors_come_back(net, family):
    "An ICMP error about a site's packet is part of its flow."
    _, _, site = net
    script = (
        "import socket; s = socket.socket(socket.AF_INET{}, socket.SOCK_DGRAM);"
        "s.settimeout(3); s.connect(('{}', 9)); s.send(b'x');\n"
        "try:\n s.recv(1)\nexcept OSError as e: print(type(e).__name__)"
    ).format("6" if family == "v6" else "", PE[family])
    out = site.net.cmd_raises('python3 -c "{}"'.format(script))
    assert out.strip() == "ConnectionRefusedError", out


@FAMILIES
@pytest.mark.parametrize("kind", ["tcp", "udp", "icmp"])
def test_pe_to_site(net, family, kind):
    "A flow that the PE begins works without the mode; with it, it is refused and counted."
    gw, pe, _ = net

    def answer():
        if kind == "icmp":
            return PE[family] if ping(pe, SITE[family]) else "silence"
        return Flow(pe, kind, SITE[family]).ask()

    def refused():
        assert answer() == "silence", "not refused"

    # First, so that silence is the mode's: not of a neighbour that isn't known yet.
    cl.configure(gw, "cluster responder PE", "no handoff nat")
    cl.expect(lambda: TABLE not in tables(gw), "the table is still there")
    cl.expect(lambda: answer() == PE[family], "the test's own way is broken")
    cl.configure(gw, "cluster responder PE", "handoff nat")
    cl.expect(lambda: active(gw), "not active")
    counted(gw, "refused", refused, "a reverse flow")


def test_not_a_packet_of_no_flow(net):
    "A segment that belongs to no connection isn't let through as a new one either."
    gw, pe, site = net
    watch = Watch(site, 1, "tcp dst port 4444", patience=5)
    script = (
        "import socket, struct; s = socket.socket(2, 3, 6);"
        "s.sendto(struct.pack('>HHIIBBHHH', 1, 4444, 1, 1, 0x50, 0x10, 99, 0, 0),"
        " ('{}', 0))"
    ).format(SITE["v4"])
    counted(
        gw,
        "refused",
        lambda: pe.net.cmd_raises('python3 -c "{}"'.format(script)),
        "a stray segment",
    )
    assert watch.lines() == [], "it has come through"


@FAMILIES
def test_older_flow(net, family):
    "A flow that the PE has begun before the mode was on ends; one of a site doesn't."
    gw, pe, site = net
    cl.configure(gw, "cluster responder PE", "no handoff nat")
    cl.expect(lambda: TABLE not in tables(gw), "the table is still there")
    reverse, forth = Flow(pe, "udp", SITE[family]), Flow(site, "udp", PE[family])
    assert reverse.ask() == PE[family], "no flow to begin with"
    assert forth.ask() == SITE[family], "no flow to begin with"
    cl.configure(gw, "cluster responder PE", "handoff nat")
    cl.expect(lambda: active(gw), "not active")
    counted(gw, "refused", reverse.ask, "the flow of before")
    assert reverse.ask() == "silence", "the flow of before goes on"
    # Translated or not: by whether the kernel has tracked it before.
    assert forth.ask() in (SITE[family], GW[family]), "a site's flow is cut"


@FAMILIES
def test_own_address_is_silent(net, family):
    "The gateway's own address answers no ping of the PE's side; the virtual one does."
    gw, pe, site = net

    def silent():
        assert not ping(pe, GW[family]), "the own address answers"
        assert not ping(pe, GW_INSIDE[family]), "the inner address answers"

    counted(gw, "pings", silent, "pings of own addresses")
    assert ping(pe, VIRTUAL), "the virtual address is silent, too"
    assert ping(site, GW[family]), "silent towards the site, too"
    cl.configure(gw, "cluster responder PE", "no handoff nat")
    cl.expect(lambda: ping(pe, GW[family]), "silent without the mode")


def test_own_traffic(net):
    "What the gateway itself sends keeps its address."
    gw, pe, _ = net
    gw.net.cmd_raises("ip address add {}/32 dev lo".format(OWN))
    try:
        for source in (OWN, GW["v4"]):
            cl.expect(
                lambda s=source: Flow(gw, "tcp", PE["v4"], s).ask() == s,
                "{} is translated".format(source),
            )
        # the PE may talk to the gateway itself
        assert Flow(pe, "tcp", GW["v4"]).ask() == "[Errno 111] Connection refused"
    finally:
        gw.net.cmd_raises("ip address del {}/32 dev lo".format(OWN))


def test_source(net):
    "A given source; one that no interface has is a reason, for as long."
    gw, _, site = net
    cl.configure(gw, "cluster responder PE", "handoff nat source " + OWN)
    cl.expect(
        lambda: state(gw) == ("waiting", "no interface has the source " + OWN),
        "a source that isn't there",
    )
    gw.net.cmd_raises("ip address add {}/32 dev lo".format(OWN))
    try:
        cl.expect(lambda: active(gw), "the source isn't found")
        assert Flow(site, "tcp", PE["v4"]).ask() == OWN, "another address"
        assert Flow(site, "tcp", PE["v6"]).ask() == GW["v6"], "IPv6 has its own"
    finally:
        gw.net.cmd_raises("ip address del {}/32 dev lo".format(OWN))
    cl.configure(gw, "cluster responder PE", "no handoff nat source " + OWN)
    cl.expect(lambda: active(gw), "still waits")
    cl.expect(lambda: Flow(site, "tcp", PE["v4"]).ask() == GW["v4"], "still the source")


def test_interface_without_address(net):
    "Nothing to translate to is a reason, too."
    gw, _, _ = net
    gw.net.cmd_raises(
        "ip link add bare type veth peer name bare-far;"
        " ip link set bare up; ip link set bare-far up"
    )
    try:
        cl.configure(gw, "cluster responder PE", "interface bare")
        cl.expect(
            lambda: state(gw)
            == ("waiting", "interface bare has no IPv4 address to translate to"),
            "no reason",
        )
        gw.net.cmd_raises("ip address add 203.0.113.1/24 dev bare")
        cl.expect(lambda: active(gw), "doesn't recover")
    finally:
        gw.net.cmd_raises("ip link del bare")


def test_ends_with_the_configuration(net):
    "The table goes with `no handoff nat`, the responder, a clean stop."
    gw, pe, _ = net
    assert TABLE in tables(gw), "no table"
    cl.configure(gw, "cluster responder PE", "no handoff nat")
    cl.expect(lambda: TABLE not in tables(gw), "left by `no handoff nat`")
    assert handoff(gw) == {}, "there is still a state"
    cl.configure(gw, "cluster responder PE", "handoff nat")
    cl.expect(lambda: TABLE in tables(gw), "not back")
    cl.configure(gw, "no cluster responder PE")
    cl.expect(lambda: TABLE not in tables(gw), "left by `no cluster responder`")
    assert Flow(pe, "tcp", SITE["v4"]).ask() == PE["v4"], "still refused"
    configure(gw, "")
    cl.expect(lambda: active(gw), "not back")
    # neither shutdown nor the condition is about what sites send
    configure(gw, " shutdown\n")
    cl.expect(lambda: active(gw), "gone with shutdown")
    cl.end_daemon(gw, "clusterd", signal.SIGTERM)
    assert TABLE not in tables(gw), "left by a clean stop"


def test_killed(net):
    "The table outlives kill -9, and is taken over with its counters."
    gw, pe, site = net
    others = ("mine", "clusterd-other/PE")
    for name in others:
        gw.net.cmd_raises("nft add table inet " + name)
    counted(gw, "refused", lambda: ping(pe, SITE["v4"]), "a ping of the site")
    before = handoff(gw)["refused"]
    cl.end_daemon(gw, "clusterd", signal.SIGKILL)
    assert TABLE in tables(gw), "gone with the process"
    assert not ping(pe, SITE["v4"]), "open while nobody is there"
    assert Flow(site, "tcp", PE["v4"]).ask() == GW["v4"], "not translated"
    cl.start_daemon(gw, "clusterd")
    cl.expect(lambda: active(gw), "not taken over")
    cl.expect(
        lambda: (handoff(gw)["refused"] > before, handoff(gw)),
        "the counters began anew",
    )
    # the configuration changes while nobody is there
    cl.end_daemon(gw, "clusterd", signal.SIGKILL)
    cl.start_daemon(gw, "clusterd", load=False)
    cl.expect(lambda: TABLE not in tables(gw), "not swept")
    assert set(others) <= set(tables(gw)), "others' tables were swept"
    for name in others:
        gw.net.cmd_raises("nft delete table inet " + name)


@pytest.mark.parametrize(
    "command",
    ["flush ruleset", "flush chain inet {} refuse", "delete table inet {}"],
    ids=["all", "chain", "table"],
)
def test_somebody_else_removes_it(net, command):
    "It is put in again, with its counters."
    gw, pe, _ = net
    counted(gw, "refused", lambda: ping(pe, SITE["v4"]), "a ping of the site")
    before = handoff(gw)["refused"]
    gw.net.cmd_raises("nft " + command.format(TABLE))
    cl.expect(
        lambda: "drop"
        in gw.net.cmd_raises("nft list ruleset").split("chain refuse")[-1],
        "not put in again",
    )
    cl.expect(lambda: active(gw), "not active")
    assert not ping(pe, SITE["v4"]), "open"
    assert handoff(gw)["refused"] >= before, "the counters began anew"


def test_refused_by_the_kernel(net):
    "A table that another program owns: failed, with a reason; recovers by itself."
    gw, _, _ = net
    configure(gw, " shutdown\n")
    cl.configure(gw, "cluster responder PE", "no handoff nat")
    cl.expect(lambda: TABLE not in tables(gw), "the table is still there")
    owner = gw.net.popen(["nft", "-i"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    owner.stdin.write("add table inet {} {{ flags owner; }}\n".format(TABLE))
    owner.stdin.flush()
    cl.expect(lambda: TABLE in tables(gw), "nft hasn't made its table")
    cl.configure(gw, "cluster responder PE", "handoff nat")
    cl.expect(
        lambda: state(gw)[0] == "failed" and "another program owns" in state(gw)[1],
        "no reason: {}".format(state(gw)),
    )
    assert "owner" in gw.net.cmd_raises("nft list table inet " + TABLE), "it's harmed"
    owner.stdin.close()
    owner.wait()
    cl.expect(lambda: active(gw), "doesn't recover")


def test_states_and_configuration(net):
    "Lines come back; what can't be is a state; wrong input is refused."
    gw, _, _ = net
    lines = " handoff nat source 198.51.100.9\n handoff nat source 2001:db8:ff::9\n"
    configure(gw, lines)
    assert cl.cluster_config(gw) + "\n" == SECTION.format(lines), cl.cluster_config(gw)
    # as a reload takes it back: what is gone already may go again
    out = cl.configure(
        gw,
        "cluster responder PE",
        "no handoff nat",
        "no handoff nat source 198.51.100.9",
        "no handoff nat",
    )
    assert out == "", out
    assert "handoff" not in cl.cluster_config(gw), "left over"
    # a source brings the mode with it
    cl.configure(gw, "cluster responder PE", "handoff nat source 2001:db8:ff::9")
    assert " handoff nat\n" in cl.cluster_config(gw), cl.cluster_config(gw)
    cl.configure(gw, "cluster responder PE", "no handoff nat source 2001:db8:ff::9")
    cl.expect(lambda: active(gw), "not active")
    out = cl.configure(gw, "cluster responder PE", "handoff nat source 224.0.0.1")
    assert "224.0.0.1 is not the address of a host" in out, out
    cl.configure(gw, "cluster responder PE", "no interface gw-eth0")
    cl.expect(
        lambda: state(gw) == ("incomplete", "no interface configured"), "no reason"
    )
    cl.expect(lambda: TABLE not in tables(gw), "a table without an interface")
    cl.configure(gw, "cluster responder PE", "interface gw-eth0")
    second = SECTION.format("").replace("PE", "QE").replace(VIRTUAL, "192.168.10.11")
    assert cl.load_file(gw, second) == ""
    cl.expect(
        lambda: state(gw, "QE")
        == ("conflict", "responder PE hands over by interface gw-eth0"),
        "no conflict",
    )
    assert "clusterd/QE" not in tables(gw), "two tables for one interface"
    cl.configure(gw, "no cluster responder PE")
    cl.expect(lambda: state(gw, "QE") == ("active", ""), "doesn't take over")
    assert tables(gw) == ["clusterd/QE"], tables(gw)
    cl.configure(gw, "no cluster responder QE")


def test_vrf(net):
    "In a VRF that is a namespace: its own table, its own pings; others' are untouched."
    gw, pe, _ = net
    assert cl.load_file(gw, RED) == ""
    cl.expect(lambda: (state(gw, "RED") == ("active", ""), state(gw, "RED")), "RED")
    inside = RED_TABLE
    assert 'iifname "gw-eth2"' in gw.net.cmd_raises(inside), "no table in the VRF"
    assert tables(gw) == [TABLE], tables(gw)
    cl.expect(lambda: ping(pe, "192.168.20.10"), "the virtual address is silent")

    def silent():
        assert not ping(pe, "192.168.20.2"), "the own address answers"

    before = handoff(gw)["pings"]
    seen = handoff(gw, "RED")["pings"]
    silent()
    cl.expect(lambda: handoff(gw, "RED")["pings"] > seen, "not counted")
    assert handoff(gw)["pings"] == before, "counted by another"
    # into another VRF: out of the old one
    cl.configure(gw, "cluster responder RED", "no vrf")
    cl.expect(lambda: "clusterd/RED" in tables(gw), "no table in the default VRF")
    assert gw.net.cmd_status(inside, warn=False)[0] != 0, "left in the VRF"
    cl.configure(gw, "cluster responder RED", "vrf red")
    cl.expect(lambda: (state(gw, "RED") == ("active", ""), state(gw, "RED")), "RED")
    assert tables(gw) == [TABLE], "left in the default VRF"
    # a leftover in the VRF is swept
    cl.end_daemon(gw, "clusterd", signal.SIGKILL)
    gw.net.cmd_raises(inside)
    cl.start_daemon(gw, "clusterd")
    cl.expect(
        lambda: gw.net.cmd_status(inside, warn=False)[0] != 0, "not swept in the VRF"
    )


def test_vrf_made_anew(net):
    "A namespace of the same name is another one: it gets the table."
    gw, _, _ = net
    if cl.summary(gw)["frrVersion"].startswith("10.3"):
        pytest.skip("zebra 10.3 crashes behind it: doc/developer/frr-versions.rst")

    def red(*wanted):
        "For expect()."
        if cl.zebra_fell(gw):
            cl.load_file(gw, RED)
        return state(gw, "RED") == wanted, state(gw, "RED")

    assert cl.load_file(gw, RED) == ""
    cl.expect(lambda: red("active", ""), "RED")
    begin = cl.log_mark(gw, "clusterd")
    gw.net.cmd_raises("ip -n red link set gw-eth2 netns $$; ip netns del red")
    try:
        cl.expect(lambda: red("waiting", "VRF is not there"), "no word of it")
    finally:
        gw.net.cmd_raises("ip netns add red; ip link set gw-eth2 netns red")
        gw.net.cmd_raises("ip -n red link set gw-eth2 up; ip -n red link set lo up")
    cl.expect(lambda: red("active", ""), "RED, anew")
    gw.net.cmd_raises(RED_TABLE)
    log = cl.log_of(gw)[begin:]
    assert "somebody has changed or removed table" not in log, log
    cl.configure(gw, "no cluster responder RED")
    cl.expect(
        lambda: gw.net.cmd_status(RED_TABLE, warn=False)[0] != 0, "left in the VRF"
    )


def test_many_interfaces(net):
    "As many as there may be, in one transaction; nft can read what it shows."
    gw, _, _ = net
    names = "".join(" interface many{}\n".format(i) for i in range(31))
    assert cl.load_file(gw, "cluster responder PE\n" + names + "exit\n") == ""
    cl.expect(lambda: active(gw), "not active")
    shown = gw.net.cmd_raises("nft list table inet " + TABLE)
    assert 'oifname "many30" goto translate' in shown, shown
    gw.net.cmd_raises(
        "nft list table inet {0} > /tmp/table.nft; nft delete table inet {0};"
        " nft -f /tmp/table.nft".format(TABLE)
    )
    assert gw.net.cmd_raises("nft list table inet " + TABLE) == shown, "not the same"
    cl.configure(gw, "cluster responder PE", "interface many31")
    cl.expect(
        lambda: state(gw)
        == ("incomplete", "33 interfaces configured, at most 32 are possible"),
        "no reason",
    )


def test_shown(net):
    "As text, in YANG, and in the list of events."
    gw, pe, _ = net
    counted(gw, "pings", lambda: ping(pe, GW["v4"]), "a ping of the gateway")
    counted(gw, "refused", lambda: ping(pe, SITE["v4"]), "a ping of the site")
    out = cl.vtysh(gw, "show cluster responder PE")
    seen = handoff(gw)
    assert "NAT hand-off     active" in out, out
    assert (
        "hand-off: {flows} flows translated; {refused} packets to sites and {pings}"
        " pings of own addresses refused; table clusterd/PE".format(**seen) in out
    ), out
    yang = lib_oper.operational(gw, "frr-clusterd-responder", "cluster-responders")
    entry = yang["responder"][0]["state"]["handoff"]
    lib_oper.check_leaves(
        entry,
        {
            "status": "active",
            "since": lib_oper.TIME,
            "table": "clusterd/PE",
            "refused": lambda n: int(n) >= seen["refused"] > 0,
            "pings": lambda n: int(n) >= seen["pings"] > 0,
            "flows": lambda n: int(n) >= seen["flows"] > 0,
        },
    )
    told = lib_oper.notifications(gw, "frr-clusterd-responder:responder-handoff-change")
    change = {"responder": "PE", "since": lib_oper.TIME}
    cl.configure(gw, "cluster responder PE", "no handoff nat")
    told({**change, "status": "off"})
    cl.configure(gw, "cluster responder PE", "handoff nat")
    cl.expect(lambda: active(gw), "not active")
    told({**change, "status": "waiting", "why": "rules are on their way"})
    told({**change, "status": "active"})
    events = cl.vtysh_json(gw, "show cluster events json")["events"]
    changes = [(e["before"], e["after"]) for e in events if e["kind"] == "responder"]
    assert ("hand-off waiting", "hand-off active") in changes, changes
