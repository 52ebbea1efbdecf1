# SPDX-License-Identifier: GPL-2.0-or-later
"""
zebra, bgpd and clusterd die in every order and come back: what is announced is
what the configuration and the services' health say, whatever was before.

    h1 (web servers) --- r1 (node) --- r2 (router)

While all of r1's daemons are dead, one VIP is deleted from the file, one is
added, and one VIP's service dies.
"""

import itertools
import signal

import pytest
import lib_cluster as cl

R1 = {4: "198.51.100.1", 6: "2001:db8:1::1"}
GOOD = {4: "203.0.113.11", 6: "2001:db8:2::11"}
BAD = {4: "203.0.113.12", 6: "2001:db8:2::12"}
DYING = {4: "203.0.113.13", 6: "2001:db8:2::13"}
# VIP: (number of its addresses, members)
VIPS = {
    "up": (1, GOOD),
    "down": (2, BAD),
    "deleted": (3, GOOD),
    "dies": (4, DYING),
    "added": (5, GOOD),
}
BEFORE = ["up", "down", "deleted", "dies"]
AFTER = ["up", "down", "dies", "added"]
SERVICES = {
    name: [text.format(hosts[f]) + ":8080" for f, text in ((4, "{}"), (6, "[{}]"))]
    for name, hosts in (("good", GOOD), ("bad", BAD), ("dying", DYING))
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
        text += "cluster vip {}\n probe web\n".format(name)
        text += "".join(" member {}\n".format(hosts[f]) for f in (4, 6))
        text += "".join(" address {}\n".format(a) for a in addresses(name))
        text += "exit\n"
    return text


def build(tgen):
    "h1 - r1 - r2"
    for name in ("r1", "r2"):
        tgen.add_router(name)
    tgen.add_host("h1", ip=GOOD[4] + "/24", defaultRoute="via 203.0.113.1")
    for switch, gears in {"s1": ("r1", "r2"), "s2": ("r1", "h1")}.items():
        tgen.add_switch(switch)
        for gear in gears:
            tgen.gears[switch].add_link(tgen.gears[gear])


def prepare(tgen):
    "Addresses of the host."
    host = tgen.gears["h1"].net
    for hosts in (GOOD, BAD, DYING):
        if hosts is not GOOD:
            host.cmd_raises("ip address add {}/24 dev h1-eth0".format(hosts[4]))
        host.cmd_raises("ip address add {}/64 dev h1-eth0 nodad".format(hosts[6]))


def setup_module(module):
    "Start all."
    tgen = cl.start(
        module,
        build,
        {"r1": ["zebra", "bgpd", "clusterd"], "r2": ["zebra", "bgpd"]},
        prepare=prepare,
    )
    r2 = tgen.gears["r2"]
    SERVER["h1"] = cl.HttpServer(tgen.gears["h1"], sum(SERVICES.values(), []))
    for service in SERVICES["bad"]:
        SERVER["h1"].tell(service, "close")
    for peer in R1.values():
        cl.warm_up(r2, peer)
    cl.vtysh(r2, "debug bgp updates in")


def teardown_module(_module):
    "End."
    cl.stop()


def service_of(name, mode):
    "Both families of a service."
    for service in SERVICES[name]:
        SERVER["h1"].tell(service, mode)


def write_conf(r1, names):
    "frr.conf with these VIPs."
    cl.write_frr_conf(r1, cl.own_conf(__file__, "r1") + sections(names))


def where(r1, r2, name):
    "Where the VIP's routes are: a list of texts, empty if nowhere."
    found = []
    for address in addresses(name):
        for router in (r1, r2):
            hops = cl.kernel_hops(router, address)
            if hops:
                found.append("{}: kernel of {}: {}".format(address, router.name, hops))
        if cl.rib(r1, address):
            found.append("{}: RIB of r1".format(address))
        for router in (r1, r2):
            if cl.bgp_path(router, address):
                found.append("{}: BGP of {}".format(address, router.name))
    return found


def announced(r1, r2, name):
    "For expect(): the VIP is everywhere, over exactly its members."
    for family, address in zip((4, 6), addresses(name)):
        wanted = {VIPS[name][1][family]}
        for what, seen in (
            ("RIB of r1", cl.rib_hops(r1, address)),
            ("kernel of r1", cl.kernel_hops(r1, address)),
        ):
            if set(seen) != wanted:
                return False, "{}: {}: {}".format(address, what, seen)
        if not cl.kernel_hops(r2, address):
            return False, "{}: not in the kernel of r2".format(address)
    return cl.vip_is(r1, name, "announced")


def nowhere(r1, r2, name):
    "For expect(): no route of the VIP anywhere."
    found = where(r1, r2, name)
    return not found, found


def expect_state(r1, r2, up, down, gone, why):
    "Announced are `up` and nothing else."
    for name in up:
        cl.expect(
            lambda n=name: announced(r1, r2, n),
            "{}: VIP {} should be announced".format(why, name),
            60,
        )
    for name in down + gone:
        cl.expect(
            lambda n=name: nowhere(r1, r2, n),
            "{}: stale route of VIP {}".format(why, name),
        )
    for name in down:
        cl.expect(
            lambda n=name: cl.vip_is(r1, n, "down"), "{}: state of {}".format(why, name)
        )
    for name in gone:
        assert cl.vip(r1, name) == {}, "{}: VIP {} is shown".format(why, name)


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
    expect_state(
        r1, r2, ["up", "deleted", "dies"], ["down"], ["added"], "before the test"
    )
    return r1, r2


def expect_one_update_each(r2, mark, why):
    "Since the mark, what is up was announced once, and nothing else was named."
    seen = cl.prefixes_received(r2, mark)
    wanted = [(a, True) for n in ("up", "added") for a in addresses(n)]
    assert sorted(seen) == sorted(wanted), "{}: UPDATEs named {}".format(why, seen)


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
    "All three in one of the six orders; the file changes meanwhile."
    r1, r2 = net
    why = "{} by signal {:d}".format(", ".join(order), signum)
    for daemon in order:
        cl.end_daemon(r1, daemon, signum)
    for name in BEFORE:
        for address in addresses(name):
            cl.expect(
                lambda a=address: cl.not_in_kernel(r2, a),
                "{}: {} survives bgpd at the router".format(why, address),
            )
    mark = cl.log_mark(r2, "bgpd")
    write_conf(r1, AFTER)
    service_of("dying", "close")
    restart(r1, order)
    expect_state(r1, r2, ["up", "added"], ["down", "dies"], ["deleted"], why)
    expect_one_update_each(r2, mark, why)
    assert "zebra" in cl.summary(r1), "no summary"
    advice = cl.summary(r1)["zebra"].get("advice")
    older = restart is restart_in_order and order.index("bgpd") < order.index("zebra")
    assert bool(advice) == older, "{}: advice: {}".format(why, advice)


@pytest.mark.parametrize("signum", [signal.SIGKILL, signal.SIGTERM], ids=int)
def test_clusterd_alone(net, signum):
    "The same for clusterd alone: withdrawn, then announced once."
    r1, r2 = net
    cl.end_daemon(r1, "clusterd", signum)
    for name in BEFORE:
        cl.expect(lambda n=name: nowhere(r1, r2, n), "clusterd is dead", cl.AT_ONCE)
    mark = cl.log_mark(r2, "bgpd")
    write_conf(r1, AFTER)
    service_of("dying", "close")
    cl.start_daemon(r1, "clusterd")
    why = "clusterd was restarted"
    expect_state(r1, r2, ["up", "added"], ["down", "dies"], ["deleted"], why)
    expect_one_update_each(r2, mark, why)


@pytest.mark.parametrize("signum", [signal.SIGKILL, signal.SIGTERM], ids=int)
def test_bgpd_alone(net, signum):
    "bgpd alone: clusterd and the node's kernel don't notice."
    r1, r2 = net
    sent = cl.summary(r1)["routes"]
    mark = cl.log_mark(r2, "bgpd")
    cl.end_daemon(r1, "bgpd", signum)
    cl.start_daemon(r1, "bgpd")
    expect_state(
        r1, r2, ["up", "deleted", "dies"], ["down"], ["added"], "bgpd was restarted"
    )
    assert cl.summary(r1)["routes"] == sent, "clusterd sent routes"
    wanted = [(a, True) for n in ("up", "deleted", "dies") for a in addresses(n)]
    seen = cl.prefixes_received(r2, mark)
    assert sorted(seen) == sorted(wanted), "UPDATEs named {}".format(seen)


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

    def own_side(name, hosts):
        for family, address in zip((4, 6), addresses(name)):
            wanted = {hosts[family]} if hosts else set()
            for seen in (cl.rib_hops(r1, address), cl.kernel_hops(r1, address)):
                if set(seen) != wanted:
                    return False, (address, seen)
        return True

    for name, hosts in (("up", GOOD), ("deleted", GOOD), ("down", None)):
        cl.expect(
            lambda n=name, h=hosts: own_side(n, h), "zebra is back: {}".format(name), 10
        )
        cl.expect(
            lambda n=name, h=hosts: cl.vip_is(r1, n, "announced" if h else "down"),
            "state of {}".format(name),
        )
    cl.expect(lambda: own_side("dies", None), "a service died without zebra")
    advice = cl.summary(r1)["zebra"].get("advice", "")
    assert "bgpd" in advice, "advice: {!r}".format(advice)
    assert "restarted" in cl.vtysh(r1, "show cluster summary"), "no advice in the text"
    assert "bgpd" in cl.log_of(r1)[before:], "the log doesn't say it"
    # True: bgpd doesn't hear of a new VIP.  Drop the advice when it does.
    write_conf(r1, AFTER)
    out = cl.load_file(r1, "no cluster vip deleted\n" + sections(AFTER))
    assert out == "", "loading printed: {}".format(out)
    cl.expect(lambda: own_side("added", GOOD), "a VIP was added")
    cl.stays(
        lambda: cl.not_in_kernel(r2, addresses("added")[0]),
        "bgpd follows a restarted zebra: the advice is wrong",
        2,
    )
    # And it helps.
    cl.end_daemon(r1, "bgpd")
    cl.start_daemon(r1, "bgpd")
    why = "zebra, then bgpd was restarted"
    expect_state(r1, r2, ["up", "added"], ["down", "dies"], ["deleted"], why)
    assert "advice" not in cl.summary(r1)["zebra"], "advice after bgpd's restart"


def test_zebra_and_clusterd_killed(net):
    "Nobody cleans up; what no file names any more is swept (bgpd restarted)."
    r1, r2 = net
    for daemon in ("zebra", "clusterd"):
        cl.end_daemon(r1, daemon, signal.SIGKILL)
    for name in ("up", "deleted", "dies"):
        for address in addresses(name):
            assert cl.kernel_hops(r1, address), "nothing was left: the test is void"
    write_conf(r1, AFTER)
    service_of("dying", "close")
    for daemon in ("zebra", "clusterd"):
        cl.start_daemon(r1, daemon)
    for name in ("deleted", "dies"):
        for address in addresses(name):
            cl.expect(
                lambda a=address: cl.not_in_kernel(r1, a), "left in the kernel", 20
            )
            cl.expect(lambda a=address: not cl.rib(r1, a), "left in the RIB", 20)
    advice = cl.summary(r1)["zebra"].get("advice", "")
    assert "bgpd" in advice, "advice: {!r}".format(advice)
    cl.end_daemon(r1, "bgpd")
    cl.start_daemon(r1, "bgpd")
    expect_state(
        r1, r2, ["up", "added"], ["down", "dies"], ["deleted"], "bgpd was restarted"
    )


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
        expect_state(r1, r2, up, ["down"], ["added"], "graceful restart is on")
        cl.write_frr_conf(
            r1, conf.replace(" neighbor", "\n ".join([""] + on) + "\n neighbor", 1)
        )

        def kept():
            for name in up:
                for address in addresses(name):
                    if not cl.kernel_hops(r2, address):
                        return False, address
            return True

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
        expect_state(r1, r2, up, ["down"], ["added"], "bgpd is back")
        withdrawn = [a for a, up_ in cl.prefixes_received(r2, mark) if not up_]
        assert not withdrawn, "withdrawn in between: {}".format(withdrawn)
    finally:
        cl.write_frr_conf(r1, conf)
        if not cl.alive(r1, "bgpd"):
            cl.start_daemon(r1, "bgpd")
        set_graceful(r1, r2, ["no " + line for line in reversed(on)])
