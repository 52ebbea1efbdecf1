# SPDX-License-Identifier: GPL-2.0-or-later
"""
zebra, bgpd and clusterd die in every order and come back: what is announced is
what the configuration and the services' health say, whatever was before.

    h1 (web servers) --- r1 (node) --- r2 (router)
                 |       r1 VRF red
                 +---------- + ------- r3 (router)

While all of r1's daemons are dead, one VIP is deleted from the file, one is
added, and one VIP's service dies.  One is local, one is drained and one held, all
the time.  VRF red, a network namespace, has a plain VIP and one with attributes, for which clusterd keeps a
route-map in bgpd.
"""

import itertools
import json
import re
import signal

import pytest
import lib_cluster as cl
from lib_same import expect_same

R1 = {4: "198.51.100.1", 6: "2001:db8:1::1"}
GOOD = {4: "203.0.113.11", 6: "2001:db8:2::11"}
RED = {4: "198.51.100.139", 6: "2001:db8:3::11"}
R1_RED = {4: "198.51.100.129", 6: "2001:db8:3::1"}
BAD = {4: "203.0.113.12", 6: "2001:db8:2::12"}
DYING = {4: "203.0.113.13", 6: "2001:db8:2::13"}
# VIP: (number of its addresses, members)
VIPS = {
    "up": (1, GOOD),
    "down": (2, BAD),
    "deleted": (3, GOOD),
    "dies": (4, DYING),
    "added": (5, GOOD),
    "local": (6, {4: "lo", 6: "lo"}),
    "drained": (7, GOOD),
    "waits": (8, GOOD),
    "red": (9, RED),
    "rich": (10, RED),
}
IN_RED = ("red", "rich")
# VRFs of the node: the routers that hear of their VIPs.
ROUTERS = {None: "r2", "red": "r3"}
NODES = ("r1", *ROUTERS.values())
COMMUNITIES = ["65001:300", "65001:301"]
METRIC = 50
# These have a state of their own, which nothing changes.
ALWAYS = {"local": "announced", "drained": "drained", "waits": "held"}
LINES = {
    "local": " local\n",
    "drained": " drain\n",
    "waits": " hold-down 3600000\n",
    "red": " vrf red\n",
    "rich": " vrf red\n metric {}\n".format(METRIC)
    + "".join(" community {}\n".format(c) for c in COMMUNITIES),
}
BEFORE = ["up", "down", "deleted", "dies", *ALWAYS, *IN_RED]
AFTER = ["up", "down", "dies", "added", *ALWAYS, *IN_RED]
SERVICES = {
    name: [text.format(hosts[f]) + ":8080" for f, text in ((4, "{}"), (6, "[{}]"))]
    for name, hosts in (("good", GOOD), ("bad", BAD), ("dying", DYING), ("red", RED))
}
PROBE = """\
cluster probe web
 type http
 port 8080
 interval 200
 timeout 150
 rise 2
 fall 3
exit
"""
ORDERS = list(itertools.permutations(["zebra", "bgpd", "clusterd"]))

SERVER = {}


def addresses(name):
    "Both addresses of a VIP."
    number = VIPS[name][0]
    return ["192.0.2.{}".format(number), "2001:db8:ff::{}".format(number)]


def sections(names):
    "The probe and these VIPs."
    text = PROBE
    for name in names:
        hosts = VIPS[name][1]
        text += "cluster vip {}\n".format(name) + LINES.get(name, "")
        if name != "local":
            text += " probe web\n"
            text += "".join(" member {}\n".format(hosts[f]) for f in (4, 6))
        text += "".join(" address {}\n".format(a) for a in addresses(name))
        text += "exit\n"
    return text


def build(tgen):
    "h1 - r1 - r2, and the link in VRF red"
    for name in ("r1", "r2", "r3"):
        tgen.add_router(name)
    tgen.add_host("h1", ip=GOOD[4] + "/24", defaultRoute="via 203.0.113.1")
    cl.connect(tgen, s1=("r1", "r2"), s2=("r1", "h1"), s3=("r1", "r3", "h1"))


def prepare(tgen):
    "VRF red, addresses of the host."
    r1 = tgen.gears["r1"].net
    r1.cmd_raises("ip netns add red")
    r1.cmd_raises("ip link set r1-eth2 netns red")
    r1.cmd_raises("ip -n red link set r1-eth2 up")
    r1.cmd_raises("ip -n red link set lo up")
    host = tgen.gears["h1"].net
    host.cmd_raises("ip address add {}/25 dev h1-eth1".format(RED[4]))
    host.cmd_raises("ip address add {}/64 dev h1-eth1 nodad".format(RED[6]))
    for hosts in (GOOD, BAD, DYING):
        if hosts is not GOOD:
            host.cmd_raises("ip address add {}/24 dev h1-eth0".format(hosts[4]))
        host.cmd_raises("ip address add {}/64 dev h1-eth0 nodad".format(hosts[6]))


def setup_module(module):
    "Start all."
    tgen = cl.start(
        module,
        build,
        {
            "r1": ["zebra", "bgpd", "clusterd"],
            "r2": ["zebra", "bgpd"],
            "r3": ["zebra", "bgpd"],
        },
        netns_vrf=("r1",),
        prepare=prepare,
    )
    r2, r3 = tgen.gears["r2"], tgen.gears["r3"]
    SERVER["h1"] = cl.HttpServer(tgen.gears["h1"], sum(SERVICES.values(), []))
    for service in SERVICES["bad"]:
        SERVER["h1"].tell(service, "close")
    for peer in R1.values():
        cl.warm_up(r2, peer)
    for peer in R1_RED.values():
        cl.warm_up(r3, peer)
    for router in (r2, r3):
        cl.vtysh(router, "debug bgp updates in")


def teardown_module(_module):
    "End."
    cl.stop()


def service_of(name, mode):
    "Both families of a service."
    for service in SERVICES[name]:
        SERVER["h1"].tell(service, mode)


def write_conf(r1, names, kept=""):
    "frr.conf with these VIPs, and the kept route-map if `write memory` wrote it."
    cl.write_frr_conf(r1, kept + cl.own_conf(__file__, "r1") + sections(names))


def kept_map(r1):
    "As it is in bgpd."
    text = cl.running_config(r1, "bgpd")
    found = re.findall(r"^route-map CLUSTERD-red .*?^exit\n", text, re.M | re.S)
    assert found, "there is none: {}".format(text)
    return "".join(found)


def in_step(r1):
    "For expect(): bgpd has the kept route-map."
    seen = cl.vtysh_json(r1, "show cluster bgp policy json").get("red", {})
    return seen.get("status") == "in-step", seen


def vrf_of(name):
    "Of a VIP."
    return "red" if name in IN_RED else None


class Seen:
    """
    Everything at one moment, by few commands: the test asks all of this again
    and again.
    """

    def __init__(self):
        gears = cl.usable().gears
        families = ("ipv4", "ipv6")
        commands = []
        for vrf in ROUTERS:
            of = "vrf {} ".format(vrf) if vrf else ""
            commands += ["show {} route {}json".format(f, of) for f in ("ip", "ipv6")]
            commands += ["show bgp {}{} unicast json".format(of, f) for f in families]
        out = cl.vtysh_jsons(gears["r1"], *commands, "show cluster vip json")
        self.vips = out.pop()
        self.rib, self.bgp, self.kernel = {}, {}, {}
        for vrf, name in ROUTERS.items():
            self.rib[vrf] = {
                prefix: {
                    hop.get("ip") or hop.get("interfaceName")
                    for hop in route["nexthops"]
                    if hop.get("active")
                }
                for table in out[:2]
                for prefix, routes in table.items()
                for route in routes
                if route["protocol"] == "openfabric"
            }
            self.bgp["r1", vrf] = self.table(out[2:4])
            self.bgp[name, vrf] = self.table(
                cl.vtysh_jsons(
                    gears[name],
                    *("show bgp {} unicast json".format(f) for f in families)
                )
            )
            self.kernel["r1", vrf] = cl.kernel_routes(gears["r1"], vrf)
            self.kernel[name, vrf] = cl.kernel_routes(gears[name])
            out = out[4:]

    @staticmethod
    def table(tables):
        "Prefixes of BGP tables."
        return {prefix for table in tables for prefix in table.get("routes", {})}

    def stale(self, name, vrfs=tuple(ROUTERS)):
        "Where routes of a VIP are: a list of texts."
        found = []
        for address, vrf in itertools.product(addresses(name), vrfs):
            prefix = cl.prefix_of(address)
            for router in ("r1", ROUTERS[vrf]):
                if self.kernel[router, vrf].get(address):
                    found.append("{} in the kernel of {}".format(address, router))
                if prefix in self.bgp[router, vrf]:
                    found.append("{} in BGP of {}".format(address, router))
            if prefix in self.rib[vrf]:
                found.append("{} in the RIB of r1".format(address))
        return found

    def missing(self, name, node_only=False):
        "What isn't as it is for an announced VIP: a list of texts."
        found = []
        vrf = vrf_of(name)
        for family, address in zip((4, 6), addresses(name)):
            wanted = {VIPS[name][1][family]}
            seen = self.rib[vrf].get(cl.prefix_of(address))
            if seen != wanted:
                found.append("{}: RIB of r1: {}".format(address, seen))
            seen = self.kernel["r1", vrf].get(address)
            if seen != wanted:
                found.append("{}: kernel of r1: {}".format(address, seen))
            router = ROUTERS[vrf]
            if not node_only and not self.kernel[router, vrf].get(address):
                found.append("{}: not in the kernel of {}".format(address, router))
        found += self.stale(name, set(ROUTERS) - {vrf})
        return found + self.not_in_state(name, "announced")

    def not_in_state(self, name, state):
        "As a list of texts."
        seen = self.vips.get(name, {}).get("state")
        return [] if seen == state else ["VIP {} is {}".format(name, seen)]


def state_is(up, down, gone):
    "For expect(): announced are `up` and nothing else."
    seen = Seen()
    wrong = [text for name in [*up, "local", *IN_RED] for text in seen.missing(name)]
    for name in ("drained", "waits"):
        wrong += seen.stale(name) + seen.not_in_state(name, ALWAYS[name])
    for name in down:
        wrong += seen.stale(name) + seen.not_in_state(name, "down")
    for name in gone:
        wrong += seen.stale(name)
        if name in seen.vips:
            wrong.append("VIP {} is shown".format(name))
    return not wrong, wrong


def expect_state(up, down, gone, why):
    "Announced are `up` and nothing else, sooner or later."
    cl.expect(lambda: state_is(up, down, gone), why, 60)
    r3 = cl.usable().gears["r3"]
    for name, communities, metric in (("red", [], 0), ("rich", COMMUNITIES, METRIC)):
        for address in addresses(name):
            path = cl.bgp_path(r3, address)
            seen = path.get("community", {}).get("list", []), path.get("metric")
            assert seen == (communities, metric), "{}: {} has {}".format(
                why, address, seen
            )


@pytest.fixture(name="net")
def fixture_net():
    "r1, r2: all daemons run, the VIPs of BEFORE, all but one healthy."
    tgen = cl.usable()
    r1, r2 = tgen.gears["r1"], tgen.gears["r2"]
    service_of("dying", "ok")
    write_conf(r1, BEFORE)
    if not all(cl.alive(r1, daemon) for daemon in cl.all_daemons(r1)):
        # An earlier test failed half-way.
        for daemon in cl.running_daemons(r1):
            cl.end_daemon(r1, daemon)
        cl.start_all(r1)
    text = "".join("no cluster vip {}\n".format(n) for n in VIPS if n not in BEFORE)
    out = cl.load_file(r1, text + sections(BEFORE))
    assert out == "", "loading printed: {}".format(out)
    cl.expect(lambda: in_step(r1), "the kept route-map")
    expect_state(["up", "deleted", "dies"], ["down"], ["added"], "before the test")
    return r1, r2


def left_in(*names):
    "VIPs in the kernels of these routers, of r1's VRFs: {(router, address)}."
    gears = cl.usable().gears
    vips = {a for n in VIPS for a in addresses(n)}
    found = {
        (name, address)
        for name in names
        for vrf in (ROUTERS if name == "r1" else [None])
        for address in cl.kernel_routes(gears[name], vrf)
    }
    return {(name, address) for name, address in found if address in vips}


class Updates:
    "What the routers are told from now on."

    def __init__(self):
        self.routers = [cl.usable().gears[name] for name in ROUTERS.values()]
        self.marks = [cl.log_mark(router, "bgpd") for router in self.routers]

    def seen(self):
        "[(address, announced)]"
        pairs = zip(self.routers, self.marks)
        return sorted(sum((cl.prefixes_received(r, mark) for r, mark in pairs), []))

    def expect_one_each(self, names, why):
        "What is up was announced once, and nothing else was named."
        names = [*names, "local", *IN_RED]
        wanted = sorted((a, True) for n in names for a in addresses(n))
        assert self.seen() == wanted, "{}: UPDATEs named {}".format(why, self.seen())


def restart_in_order(r1, order):
    "Each daemon with its part of the file."
    for daemon in order:
        cl.start_daemon(r1, daemon)


def restart_as_watchfrr(r1, _order):
    "zebra first, then its clients, then the file."
    for daemon in cl.all_daemons(r1):
        if not cl.alive(r1, daemon):
            cl.start_daemon(r1, daemon, load=False)
    cl.load_boot(r1)


@pytest.mark.parametrize("order", ORDERS, ids="-".join)
@pytest.mark.parametrize(
    "signum, restart",
    [(signal.SIGKILL, restart_in_order), (signal.SIGTERM, restart_as_watchfrr)],
    ids=["kill-9", "term"],
)
def test_all_die(net, signum, restart, order):
    """
    All three in one of the six orders; the file changes meanwhile.  watchfrr's way is
    tried with a file that has the kept route-map, the other one without.
    """
    r1, r2 = net
    kept = kept_map(r1) if restart is restart_as_watchfrr else ""
    why = "{} by signal {:d}".format(", ".join(order), signum)
    for daemon in order:
        cl.end_daemon(r1, daemon, signum)
    cl.expect(
        lambda: (not left_in("r2", "r3"), left_in("r2", "r3")),
        "{}: a VIP survives bgpd at a router".format(why),
    )
    updates = Updates()
    write_conf(r1, AFTER, kept)
    service_of("dying", "close")
    restart(r1, order)
    expect_state(["up", "added"], ["down", "dies"], ["deleted"], why)
    updates.expect_one_each(["up", "added"], why)
    assert "zebra" in cl.summary(r1), "no summary"
    advice = cl.summary(r1)["zebra"].get("advice")
    older = restart is restart_in_order and order.index("bgpd") < order.index("zebra")
    assert bool(advice) == older, "{}: advice: {}".format(why, advice)


@pytest.mark.parametrize("signum", [signal.SIGKILL, signal.SIGTERM], ids=int)
def test_clusterd_alone(net, signum):
    "The same for clusterd alone: withdrawn, then announced once."
    r1, _ = net
    cl.end_daemon(r1, "clusterd", signum)

    def withdrawn():
        left = left_in(*NODES)
        return not left, left

    cl.expect(withdrawn, "clusterd is dead", 2 * cl.AT_ONCE)
    updates = Updates()
    write_conf(r1, AFTER)
    service_of("dying", "close")
    cl.start_daemon(r1, "clusterd")
    why = "clusterd was restarted"
    expect_state(["up", "added"], ["down", "dies"], ["deleted"], why)
    updates.expect_one_each(["up", "added"], why)


@pytest.mark.parametrize("signum", [signal.SIGKILL, signal.SIGTERM], ids=int)
def test_bgpd_alone(net, signum):
    "bgpd alone: clusterd and the node's kernel don't notice."
    r1, _ = net
    sent = cl.summary(r1)["routes"]
    updates = Updates()
    cl.end_daemon(r1, "bgpd", signum)
    cl.start_daemon(r1, "bgpd")
    expect_state(["up", "deleted", "dies"], ["down"], ["added"], "bgpd was restarted")
    assert cl.summary(r1)["routes"] == sent, "clusterd sent routes"
    updates.expect_one_each(["up", "deleted", "dies"], "bgpd was restarted")


@pytest.mark.parametrize("signum", [signal.SIGKILL, signal.SIGTERM], ids=int)
def test_zebra_alone(net, signum):
    """
    zebra without bgpd, which FRR can't do: our side is right within seconds, and
    we say what is to be done; that is true, and it helps.
    """
    r1, r2 = net
    assert "advice" not in cl.summary(r1)["zebra"], "advice before the restart"
    before = cl.log_mark(r1, "clusterd")
    cl.end_daemon(r1, "zebra", signum)
    service_of("dying", "close")
    cl.start_daemon(r1, "zebra")

    def own_side(up, down):
        "For expect(): the node itself; the router isn't asked."
        seen = Seen()
        wrong = [text for name in up for text in seen.missing(name, node_only=True)]
        for name in down:
            wrong += [text for text in seen.stale(name) if text.endswith("RIB of r1")]
            wrong += [
                text for text in seen.stale(name) if text.endswith("kernel of r1")
            ]
        return not wrong, wrong

    cl.expect(
        lambda: own_side(
            ["up", "deleted", "local", *IN_RED], ["down", "dies", "drained"]
        ),
        "zebra is back",
        15,
    )
    # What zebra says before it has its own routes is no failure of a service.
    log = cl.log_of(r1)[before:]
    assert "has no route" not in log, "a member was down:\n" + log
    held = [line for line in log.splitlines() if "held" in line]
    held = [line for line in held if "VIP waits" not in line]
    assert not held, "a VIP was held back: {}".format(held)
    advice = cl.summary(r1)["zebra"].get("advice", "")
    assert "bgpd" in advice, "advice: {!r}".format(advice)
    assert "restarted" in cl.vtysh(r1, "show cluster summary"), "no advice in the text"
    expect_same(r1, "summary")
    assert "bgpd" in cl.log_of(r1)[before:], "the log doesn't say it"
    # True: bgpd doesn't hear of a new VIP.  Drop the advice when it does.
    write_conf(r1, AFTER)
    out = cl.load_file(r1, "no cluster vip deleted\n" + sections(AFTER))
    assert out == "", "loading printed: {}".format(out)
    cl.expect(lambda: own_side(["added"], ["deleted"]), "a VIP was added")
    cl.stays(
        lambda: cl.not_in_kernel(r2, addresses("added")[0]),
        "bgpd follows a restarted zebra: the advice is wrong",
        2,
    )
    # And it helps.
    cl.end_daemon(r1, "bgpd")
    cl.start_daemon(r1, "bgpd")
    why = "zebra, then bgpd was restarted"
    expect_state(["up", "added"], ["down", "dies"], ["deleted"], why)
    assert "advice" not in cl.summary(r1)["zebra"], "advice after bgpd's restart"


def ask_clusterd(r1, command):
    "JSON, without the other daemons: vtysh waits for one that is stopped."
    return json.loads(cl.vtysh(r1, command, daemon="clusterd"))


MANY = ["198.18.{}.{}".format(i // 100, i % 100 + 1) for i in range(250)]


def test_many_changes_while_zebra_hangs(net):
    "They don't pile up: the last one of each address is sent, when there is room."
    r1, _ = net
    lines = ["cluster vip many", "drain-time 0", "member {}".format(GOOD[4])]
    lines += ["address {}".format(a) for a in MANY] + ["exit", ""]
    assert cl.load_file(r1, "\n".join(lines)) == "", "refused"
    cl.expect(lambda: cl.vip_is(r1, "many", "announced"), "isn't announced")

    def routes():
        "Numbers of the summary."
        return ask_clusterd(r1, "show cluster summary json")["routes"]

    def flap():
        "Every address goes and comes."
        for line in ("shutdown", "no shutdown"):
            cl.vtysh(
                r1, "configure terminal", "cluster vip many", line, daemon="clusterd"
            )
        return routes()["waiting"] > 0

    cl.send_signal(r1, "zebra", signal.SIGSTOP)
    try:
        cl.expect(flap, "zebra has room for everything", 8 * cl.DEADLINE, 0)
        before = routes()
        for _ in range(10):
            flap()
        after = routes()
        assert 0 < after["waiting"] <= after["wanted"] + len(MANY), after
        for name in ("addsSent", "deletesSent"):
            assert before[name] == after[name], "{} -> {}".format(before, after)
        text = cl.vtysh(r1, "show cluster summary", daemon="clusterd")
        assert "changes wait for zebra" in text, text
        path = "/frr-clusterd:cluster-summary"
        found = ask_clusterd(r1, "show yang operational-data {} clusterd".format(path))[
            "frr-clusterd:cluster-summary"
        ]["routes"]
        assert found["waiting"] == after["waiting"], (found, after)
    finally:
        cl.send_signal(r1, "zebra", signal.SIGCONT)
    cl.expect(
        lambda: (routes()["installed"] == routes()["wanted"], routes()),
        "zebra doesn't get what it was owed",
    )
    assert routes()["waiting"] == 0, routes()
    cl.expect(
        lambda: (set(MANY) <= set(cl.kernel_routes(r1)), len(cl.kernel_routes(r1))),
        "routes are missing",
    )
    assert cl.load_file(r1, "no cluster vip many\n") == "", "refused"
    cl.expect(
        lambda: (not set(MANY) & set(cl.kernel_routes(r1)), "there yet"),
        "routes are left",
    )


def test_zebra_and_clusterd_killed(net):
    "Nobody cleans up; what no file names any more is swept (bgpd restarted)."
    r1, _ = net
    for daemon in ("zebra", "clusterd"):
        cl.end_daemon(r1, daemon, signal.SIGKILL)
    names = ("up", "deleted", "dies", *IN_RED)
    left = {("r1", a) for n in names for a in addresses(n)}
    assert left <= left_in("r1"), "nothing was left: the test is void"
    write_conf(r1, AFTER)
    service_of("dying", "close")
    for daemon in ("zebra", "clusterd"):
        cl.start_daemon(r1, daemon)
    left = {a for n in ("deleted", "dies") for a in addresses(n)}
    cl.expect(
        lambda: (not left & set(cl.kernel_routes(r1)), cl.kernel_routes(r1)),
        "left in the kernel",
        20,
    )
    advice = cl.summary(r1)["zebra"].get("advice", "")
    assert "bgpd" in advice, "advice: {!r}".format(advice)
    cl.end_daemon(r1, "bgpd")
    cl.start_daemon(r1, "bgpd")
    expect_state(["up", "added"], ["down", "dies"], ["deleted"], "bgpd was restarted")


def set_graceful(r1, r2, lines):
    "Configure it, and make new sessions that negotiate it."
    out = cl.configure(r1, "router bgp 65001", *lines)
    before = {peer: cl.session_start(r2, peer) for peer in R1.values()}
    cl.vtysh(r1, "clear bgp *")
    for peer in R1.values():
        cl.expect(
            lambda p=peer: (cl.session_start(r2, p) != before[p], before[p]),
            "the session with {} wasn't reset: {}".format(peer, out),
        )
        cl.warm_up(r2, peer)


def test_bgpd_graceful_restart(net):
    "The router keeps the VIPs over bgpd's death and return."
    r1, r2 = net
    up = ["up", "deleted", "dies"]
    on = ["bgp graceful-restart", "bgp graceful-restart preserve-fw-state"]
    conf = cl.frr_conf(r1)
    set_graceful(r1, r2, on)
    try:
        expect_state(up, ["down"], ["added"], "graceful restart is on")
        cl.write_frr_conf(
            r1, conf.replace(" neighbor", "\n ".join([""] + on) + "\n neighbor", 1)
        )

        wanted = {a for n in up for a in addresses(n)}

        def kept():
            seen = cl.kernel_routes(r2)
            return wanted <= set(seen), seen

        cl.end_daemon(r1, "bgpd", signal.SIGKILL)
        cl.stays(kept, "the router dropped a VIP when bgpd died", 1)
        cl.start_daemon(r1, "bgpd")
        mark = cl.log_mark(r2, "bgpd")
        for peer in R1.values():
            cl.stays_until(
                kept,
                lambda p=peer: cl.settled(r2, p),
                "the router dropped a VIP when bgpd returned",
            )
        cl.stays(kept, "the router dropped a VIP after the end of RIB", 2)
        expect_state(up, ["down"], ["added"], "bgpd is back")
        withdrawn = [a for a, up_ in cl.prefixes_received(r2, mark) if not up_]
        assert not withdrawn, "withdrawn in between: {}".format(withdrawn)
    finally:
        cl.write_frr_conf(r1, conf)
        if not cl.alive(r1, "bgpd"):
            cl.start_daemon(r1, "bgpd")
        set_graceful(r1, r2, ["no " + line for line in reversed(on)])
