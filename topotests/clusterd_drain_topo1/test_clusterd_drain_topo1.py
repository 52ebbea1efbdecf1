# SPDX-License-Identifier: GPL-2.0-or-later
"""
VIPs that come and go in order: draining, damping, slow start, fail-open.

    h1 (web servers) --- r1 (node) --- r2 (router)

r1's route-map is written by hand: it turns the draining tag into the community
graceful-shutdown.  What counts is which UPDATEs r2 gets, and when.
"""

import re
import signal
import time

import pytest
import lib_cluster as cl
import lib_oper as oper
import lib_updates
from lib_same import expect_same

R1 = "198.51.100.1"
MEMBERS = ("203.0.113.11", "203.0.113.12")
VIP = "192.0.2.1"
OTHER = "192.0.2.2"
SERVICES = [member + ":8080" for member in MEMBERS] + [VIP + ":80"]
WORST = 4294967295

# Seconds; long enough to look at the router in between.
DRAIN_TIME = 6

PROBE = """\
cluster probe web
 type http
 port 8080
 interval 100
 timeout 150
 rise 2
 fall 2
exit
"""
WWW = """\
cluster vip www
{lines} drain-time {drain}
 probe web
 member 203.0.113.11
 member 203.0.113.12
 address 192.0.2.1
exit
"""
QUICK = " flip-interval 0\n damping off\n"

SERVER = {}


def build(tgen):
    "h1 - r1 - r2"
    for name in ("r1", "r2"):
        tgen.add_router(name)
    tgen.add_host("h1", ip=MEMBERS[0] + "/24", defaultRoute="via 203.0.113.1")
    cl.connect(tgen, s1=("r1", "r2"), s2=("r1", "h1"))


def prepare(tgen):
    "The second member, and the VIP."
    host = tgen.gears["h1"].net
    host.cmd_raises("ip address add {}/24 dev h1-eth0".format(MEMBERS[1]))
    host.cmd_raises("ip address add {}/32 dev lo".format(VIP))


def setup_module(module):
    "Start all."
    tgen = cl.start(
        module,
        build,
        {"r1": ["zebra", "bgpd", "clusterd"], "r2": ["zebra", "bgpd"]},
        prepare=prepare,
    )
    lib_updates.log_updates(tgen.gears["r2"])
    SERVER["h1"] = cl.HttpServer(tgen.gears["h1"], SERVICES)
    cl.warm_up(tgen.gears["r2"], R1)


def teardown_module(_module):
    "End."
    cl.stop()


class Net:
    "The routers, and what every test asks."

    def __init__(self, tgen):
        self.r1, self.r2 = tgen.gears["r1"], tgen.gears["r2"]
        self.server = SERVER["h1"]
        self.mark = self.session = None

    def clear(self):
        "No cluster section is configured, all servers answer."
        self.server.tell("*", "ok")
        if not cl.alive(self.r1, "clusterd"):
            cl.start_daemon(self.r1, "clusterd")
        names = re.findall(r"^cluster vip (\S+)", cl.cluster_config(self.r1), re.M)
        cl.load_file(
            self.r1, "".join("no cluster vip {}\n".format(name) for name in names)
        )
        for address in (VIP, OTHER):
            cl.expect(
                lambda a=address: cl.not_in_kernel(self.r2, a),
                "left over from another test",
            )

    def load(self, lines=QUICK, drain=DRAIN_TIME, more=""):
        "A VIP that is announced."
        text = PROBE + WWW.format(lines=lines, drain=drain * 1000) + more
        out = cl.load_file(self.r1, text)
        assert out == "", "loading printed: {}".format(out)
        self.state("announced")
        self.router_has("plain")
        self.begin()

    def begin(self):
        "From now on the UPDATEs count."
        self.mark = cl.log_mark(self.r2, "bgpd")
        self.session = cl.session_start(self.r2, R1)

    def configure(self, *lines):
        "In the VIP's section."
        out = cl.configure(self.r1, "cluster vip www", *lines)
        assert out == "", "{} printed: {}".format(lines, out)

    def state(self, state, timeout=cl.DEADLINE):
        "Wait for the VIP's state."
        cl.expect(
            lambda: cl.vip_is(self.r1, "www", state),
            "the VIP isn't {}".format(state),
            timeout,
        )

    def why(self):
        "The VIP's reason."
        return cl.vip(self.r1, "www")["why"]

    def leaves(self):
        "By YANG: the states of the VIP and of its only address."
        found = oper.operational(self.r1, "frr-clusterd-vip", "cluster-vips")["vip"]
        state = oper.by_key(found, "name")[("www",)]["state"]
        (address,) = state["address"]
        return state, address

    def router_has(self, what, address=VIP):
        'Wait until the router has it: "plain", "draining" or "gone".'

        def check():
            path = cl.bgp_path(self.r2, address)
            seen = "plain" if path else "gone"
            if "graceful" in str(path.get("community")):
                seen = "draining"
            return seen == what, path

        cl.expect(check, "the router's path to {} isn't {}".format(address, what))

    def updates(self, address=VIP):
        "What the UPDATEs since begin() were: plain, draining, gone."
        return [
            "gone"
            if attributes is None
            else "draining"
            if re.search(r"65535:0|graceful-shutdown", attributes)
            else "plain"
            for attributes in lib_updates.updates(self.r2, self.mark, address)
        ]

    def expect_updates(self, *wanted, address=VIP):
        "These came and no others, and the session is the same."
        wanted = list(wanted)

        def check():
            seen = self.updates(address)
            return seen == wanted, seen

        cl.expect(check, "UPDATEs about {}, {} wanted".format(address, wanted))
        seen = cl.session_start(self.r2, R1)
        assert seen == self.session, "the session was reset: {} -> {}".format(
            self.session, seen
        )


@pytest.fixture(name="net")
def fixture_net():
    "All daemons run, nothing is configured."
    net = Net(cl.usable())
    net.clear()
    return net


REQUESTS = {
    "drain": (("drain",), ("no drain",), "drained"),
    "shutdown": (("shutdown",), ("no shutdown",), "shutdown"),
}


@pytest.mark.parametrize("how", REQUESTS)
def test_drain_in_order(net, how):
    "65535:0 first, the withdrawal after drain-time, and back (case 15)."
    on, off, after = REQUESTS[how]
    net.load()
    began = time.monotonic()
    net.configure(*on)
    net.router_has("draining")
    path = cl.bgp_path(net.r2, VIP)
    assert path["metric"] == WORST, "MED while it drains: {}".format(path)
    assert path.get("locPrf") == 0, "RFC 8326 at the router: {}".format(path)
    net.state("draining")
    assert "withdrawn in" in net.why(), "reason: {}".format(net.why())
    assert cl.fetch(net.r2, VIP).startswith("h1"), "not served while it drains"
    net.router_has("gone")
    took = time.monotonic() - began
    assert took >= DRAIN_TIME - 0.1, "withdrawn after {:.1f} s".format(took)
    net.state(after)
    net.expect_updates("draining", "gone")
    net.configure(*off)
    net.router_has("plain")
    net.expect_updates("draining", "gone", "plain")
    net.state("announced")


def test_undone(net):
    "A drain that is taken back: never withdrawn."
    net.load()
    for count in (1, 2):
        net.configure("drain")
        net.router_has("draining")
        net.configure("no drain")
        net.router_has("plain")
        net.expect_updates(*("draining", "plain") * count)
    cl.stays(
        lambda: cl.in_kernel(net.r2, VIP), "withdrawn in the end", DRAIN_TIME + 0.5
    )
    net.expect_updates(*("draining", "plain") * 2)


def test_one_line(net):
    "The command from outside of the section; it is the section's line."
    net.load()
    out = cl.configure(net.r1, "cluster vip www drain")
    assert out == "", "it printed: {}".format(out)
    net.router_has("draining")
    config = cl.cluster_config(net.r1)
    assert "\n drain\n" in config, "configuration: {}".format(config)
    out = cl.configure(net.r1, "no cluster vip www drain")
    assert out == "", "it printed: {}".format(out)
    net.router_has("plain")
    net.expect_updates("draining", "plain")
    out = cl.configure(net.r1, "cluster vip nobody drain")
    assert "not configured" in out, "unknown VIP: {}".format(out)
    assert "nobody" not in cl.cluster_config(net.r1), "a VIP was made"


def test_file(net):
    "A file that is there drains, and announces when it is gone."
    path = "/tmp/drain"
    net.load(QUICK + " drain file {}\n".format(path), drain=1)
    try:
        net.r1.net.cmd_raises("touch " + path)
        net.router_has("gone")
        net.state("drained")
        assert "file" in net.why(), "reason: {}".format(net.why())
        seen = cl.vip(net.r1, "www")
        assert (seen["drainFile"], seen["drainFileExists"]) == (path, True), seen
        state, _ = net.leaves()
        assert state["drain-file-exists"] and "drain-file-error" not in state, state
        expect_same(net.r1, "vip")
        shown = net.r1.vtysh_cmd("show cluster vip www")
        assert "Drains while {} exists: it does\n".format(path) in shown, shown
        net.expect_updates("draining", "gone")
    finally:
        net.r1.net.cmd_raises("rm -f " + path)
    net.router_has("plain")
    net.expect_updates("draining", "gone", "plain")


def test_file_out_of_reach(net):
    "A folder that clusterd may not enter is told, and drains nothing."
    folder = "/tmp/drain.closed"
    path = folder + "/file"
    net.r1.net.cmd_raises(
        "install -d -m 700 -o root {0}; touch {1}".format(folder, path)
    )
    try:
        net.load(QUICK + " drain file {}\n".format(path))
        seen = cl.vip(net.r1, "www")
        assert seen["drainFileError"] == "Permission denied", seen
        assert not seen["drainFileExists"], seen
        state, _ = net.leaves()
        told = state["drain-file-error"], state["drain-file-exists"]
        assert told == ("Permission denied", False), state
        expect_same(net.r1, "vip")
        shown = net.r1.vtysh_cmd("show cluster vip www")
        assert "it can't be looked for: Permission denied\n" in shown, shown
        net.r1.net.cmd_raises("chmod 755 " + folder)
        net.state("drained")
        seen = cl.vip(net.r1, "www")
        assert "drainFileError" not in seen and seen["drainFileExists"], seen
    finally:
        net.r1.net.cmd_raises("rm -rf " + folder)
    net.router_has("plain")


def test_sigterm(net):
    "The end drains what is configured so, withdraws the rest at once."
    other = "cluster vip other\n member 203.0.113.11\n address 192.0.2.2\nexit\n"
    net.load(QUICK + " drain on-exit\n", more=other)
    net.router_has("plain", OTHER)
    net.begin()
    began = time.monotonic()
    cl.send_signal(net.r1, "clusterd", signal.SIGTERM)
    net.router_has("draining")
    net.expect_updates("gone", address=OTHER)
    assert cl.alive(net.r1, "clusterd"), "it didn't wait"
    cl.expect(lambda: not cl.alive(net.r1, "clusterd"), "it doesn't end")
    took = time.monotonic() - began
    assert took >= DRAIN_TIME - 0.1, "ended after {:.1f} s".format(took)
    net.router_has("gone")
    net.expect_updates("draining", "gone")


def test_second_signal(net):
    "Who is in a hurry signals twice."
    net.load(QUICK + " drain on-exit\n", drain=60)
    cl.send_signal(net.r1, "clusterd", signal.SIGINT)
    net.router_has("draining")
    cl.send_signal(net.r1, "clusterd", signal.SIGTERM)
    cl.expect(lambda: not cl.alive(net.r1, "clusterd"), "it doesn't end", 10)
    net.expect_updates("draining", "gone")


def test_drained_at_start(net):
    "A restart of a drained VIP announces nothing."
    net.load()
    net.configure("drain")
    net.router_has("gone")
    cl.write_frr_conf(
        net.r1, cl.own_conf(__file__, "r1") + cl.cluster_config(net.r1) + "\n"
    )
    cl.end_daemon(net.r1, "clusterd")
    cl.start_daemon(net.r1, "clusterd")
    net.state("drained")
    cl.expect(
        lambda: cl.verdict_is(net.r1, "web", MEMBERS[0], "up"), "the probe isn't up"
    )
    net.expect_updates("draining", "gone")


def test_draining_members(net):
    "Only draining members are left: they don't hold the VIP up (case 9)."
    net.load()
    net.configure("member 203.0.113.11 drain")

    def hops():
        seen = set(cl.rib_hops(net.r1, VIP))
        return seen == {MEMBERS[1]}, seen

    cl.expect(hops, "next hops with one member that drains")
    net.expect_updates()
    net.configure("member 203.0.113.12 drain")
    net.router_has("gone")
    net.state("down")
    assert "drained" in net.why(), "reason: {}".format(net.why())
    cl.configure(net.r1, "cluster vip www", "member 203.0.113.12")
    net.router_has("plain")
    net.expect_updates("gone", "plain")


def test_fail_open(net):
    "All members fail at once: still announced, and it says so (case 8)."
    net.load(QUICK + " fail-open\n")
    for service in SERVICES[:2]:
        net.server.tell(service, "503")
    cl.expect(
        lambda: ("fail-open" in net.why(), net.why()), "fail-open isn't mentioned"
    )
    net.state("announced")
    seen = set(cl.rib_hops(net.r1, VIP))
    assert seen == set(MEMBERS), "next hops: {}".format(seen)
    state = net.leaves()[0]
    assert (state["status"], state["fail-open"]) == ("announced", True), state
    net.configure("no fail-open")
    net.router_has("gone")
    state = net.leaves()[0]
    assert (state["status"], state["fail-open"]) == ("down", False), state
    net.expect_updates("gone")


def test_slow_start(net):
    "A service that comes back is the worse one for a while."
    net.load(QUICK + " slow-start 10000\n")
    for order, path in (("503", "gone"), ("ok", "plain")):
        for service in SERVICES[:2]:
            net.server.tell(service, order)
        net.router_has(path)
    path = cl.bgp_path(net.r2, VIP)
    assert path["metric"] == 1, "MED at the beginning: {}".format(path)
    cl.expect(
        lambda: (cl.bgp_path(net.r2, VIP).get("metric") == 0, path),
        "MED in the end",
    )
    net.expect_updates("gone", "plain", "plain")


def test_slow_start_is_told(net):
    "By YANG: the share of the weight, which grows slowly here."
    net.load(QUICK + " slow-start 600000\n")
    for order, path in (("503", "gone"), ("ok", "plain")):
        for service in SERVICES[:2]:
            net.server.tell(service, order)
        net.router_has(path)
    state, leaves = net.leaves()
    assert (state["status"], leaves["status"]) == ("announced", "announced"), state
    assert (leaves["weight-tenths"], leaves["left"]) == (1, 0), leaves
    expect_same(net.r1, "vip")


def test_flapping_service(net):
    "Up and down all the time: few UPDATEs, then let go (case 23)."
    net.load(lines="")
    for _ in range(4):
        for order, verdict in (("503", "down"), ("ok", "up")):
            for service in SERVICES[:2]:
                net.server.tell(service, order)
            for member in MEMBERS:
                cl.expect(
                    lambda m=member, v=verdict: cl.verdict_is(net.r1, "web", m, v),
                    "the probe doesn't follow",
                )
    net.state("held")
    cl.expect(
        lambda: ("flapped too often" in net.why(), net.why()), "reason of the damping"
    )
    address = cl.vip(net.r1, "www")["addresses"][0]
    assert address["penalty"] > 3000, "penalty: {}".format(address)
    assert address["leftMsec"] > 60000, "time left: {}".format(address)
    state, leaves = net.leaves()
    assert (state["status"], leaves["status"]) == ("held", "held"), state
    assert 3000 < leaves["penalty"] <= address["penalty"], leaves
    assert 60000 < leaves["left"] <= address["leftMsec"], leaves
    expect_same(net.r1)
    net.expect_updates("gone")
    out = cl.vtysh(net.r1, "clear cluster vip www damping")
    assert out == "", "clear printed: {}".format(out)
    net.router_has("plain")
    net.expect_updates("gone", "plain")


def bgp_brings(net, *lines):
    "Lines for r2's bgpd, whose networks have to be routes, too."
    for number in (1, 2):
        cl.configure(net.r2, "ip route 192.0.2.{}/32 Null0".format(100 + number))
    cl.configure(net.r2, "router bgp 65002", "address-family ipv4 unicast", *lines)


def test_uplink(net):
    "A node that BGP brings no routes doesn't announce."
    net.load(QUICK)
    net.configure("uplink bgp-routes 2")
    net.router_has("gone")
    net.state("down")
    assert "learned by BGP" in net.why(), "reason: {}".format(net.why())
    for count, path in ((1, "gone"), (2, "plain")):
        bgp_brings(net, "network 192.0.2.{}/32".format(100 + count))
        cl.expect(
            lambda c=count: cl.in_kernel(net.r1, "192.0.2.{}".format(100 + c)),
            "the node doesn't learn the route",
        )
        net.router_has(path)
    net.expect_updates("gone", "plain")
    bgp_brings(net, "no network 192.0.2.101/32")
    net.router_has("gone")
    net.configure("no uplink bgp-routes")
    net.router_has("plain")
    net.expect_updates("gone", "plain", "gone", "plain")
    bgp_brings(net, "no network 192.0.2.102/32")


CABLE = """\
cluster probe cable
 type interface
 interface cable0
 interval 3600000
exit
"""


def test_uplink_interface(net):
    "A probe without a target, which nobody waits for; and both conditions at a time."
    net.r1.net.cmd_raises(
        "ip link add cable0 type veth peer name cable1;"
        "ip link set cable1 up; ip link set cable0 up"
    )
    try:
        net.load(QUICK + " uplink probe cable\n", more=CABLE)
        net.r1.net.cmd_raises("ip link set cable1 down")
        net.router_has("gone")
        assert "uplink: probe cable is not up" in net.why(), net.why()
        net.r1.net.cmd_raises("ip link set cable1 up")
        net.router_has("plain")
        net.expect_updates("gone", "plain")

        # Each alone is enough to withdraw it.
        net.configure("uplink bgp-routes 1")
        net.router_has("gone")
        assert "learned by BGP" in net.why(), "reason: {}".format(net.why())
        bgp_brings(net, "network 192.0.2.101/32")
        net.router_has("plain")
        net.r1.net.cmd_raises("ip link del cable0")
        net.router_has("gone")
        assert "uplink: probe cable is not up" in net.why(), net.why()
        net.configure("no uplink probe")
        net.router_has("plain")
        net.expect_updates("gone", "plain", "gone", "plain", "gone", "plain")
    finally:
        net.r1.net.cmd_status("ip link del cable0", warn=False)
        bgp_brings(net, "no network 192.0.2.101/32")


def test_uplink_probe(net):
    "A tracked probe; several VIPs may name it."
    uplink = PROBE.replace("web", "up").replace(" rise", " target 203.0.113.12\n rise")
    net.load(QUICK + " uplink probe up\n", more=uplink)
    net.configure("no member 203.0.113.12")
    net.begin()
    net.server.tell(SERVICES[1], "503")
    net.router_has("gone")
    assert "uplink: probe up is not up" in net.why(), "reason: {}".format(net.why())
    net.server.tell(SERVICES[1], "ok")
    net.router_has("plain")
    net.expect_updates("gone", "plain")


def test_several_probes(net):
    "All probes of a member, or any of them."
    second = PROBE.replace("web", "second").replace("port 8080", "port 8081")
    net.load(QUICK, more=second)
    net.configure("probe second also", "probe-need any")
    cl.expect(
        lambda: cl.verdict_is(net.r1, "second", MEMBERS[0], "down"),
        "nobody listens on the second port",
    )
    net.expect_updates()
    net.state("announced")
    net.configure("probe-need all")
    net.router_has("gone")
    assert "probe second down" in net.why(), "reason: {}".format(net.why())
    net.configure("no probe second also")
    net.router_has("plain")
    net.expect_updates("gone", "plain")
