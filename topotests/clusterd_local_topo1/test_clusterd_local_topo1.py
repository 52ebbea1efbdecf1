# SPDX-License-Identifier: GPL-2.0-or-later
"""
Local VIPs: the service runs on the node, which takes the packets by AnyIP.

    h1 (client) --- r2 (router) --- r1, r3 (nodes, on one switch)
                         |
                         +--------- r1 VRF blue

VRF blue is a network namespace (zebra's netns backend).  Both nodes have VIP
www; r3 redistributes connected and kernel routes, too.  r2 passes a VIP on
from one node to the other (as-override), so that the node whose service is
down can use that of the other.
"""

import json
import os
import re
import signal

import pytest

import lib_cluster as cl
import lib_oper as oper
from lib_watch import Watch

WWW = ("192.0.2.1", "2001:db8:ff::1")
ITSELF = ("192.0.2.2", "2001:db8:ff::2")
BLUE = ("192.0.2.3", "2001:db8:ff::3")
SESSIONS = {
    "r1": ("198.51.100.1", "2001:db8:1::1"),
    "r3": ("198.51.100.3", "2001:db8:1::3"),
    "blue": ("198.51.100.129", "2001:db8:3::1"),
}
HEALTH = "127.0.0.1:8080"
# Bound before the address is the node's; wildcard listeners for the others.
WWW_LISTENERS = ["{}:80f".format(WWW[0]), "[{}]:80f".format(WWW[1])]
ITSELF_LISTENERS = ["0.0.0.0:81", "[::]:81"]
PROTOCOL = "84"
KEPT = "CLUSTERD-www"
# Milliseconds; long enough to see both families at the router.
DRAIN_TIME = 15000

SERVER = {}


def build(tgen):
    "r1 and r3 on s1 with r2; r1's VRF on s3 with r2; h1 behind r2"
    for name in ("r1", "r2", "r3"):
        tgen.add_router(name)
    tgen.add_host("h1", ip="203.0.113.11/24", defaultRoute="via 203.0.113.1")
    cl.connect(
        tgen,
        s1=("r1", "r2", "r3"),
        s2=("r1", "r2"),
        s3=("r2", "h1"),
    )


def prepare(tgen):
    "The VRF; the host's IPv6; what an earlier clusterd has left."
    r1 = tgen.gears["r1"].net
    r1.cmd_raises("ip netns add blue")
    r1.cmd_raises("ip link set r1-eth1 netns blue")
    r1.cmd_raises("ip -n blue link set r1-eth1 up")
    r1.cmd_raises("ip -n blue link set lo up")
    for space in ("", "-n blue "):
        for address in ("192.0.2.99", "2001:db8:ff::99"):
            r1.cmd_raises(
                "ip {}route add local {} dev lo table local "
                "proto {} metric 84".format(space, address, PROTOCOL)
            )
    # Another program's, which is none of our business.
    r1.cmd_raises("ip route add local 192.0.2.98 dev lo table local proto 99")
    h1 = tgen.gears["h1"].net
    h1.cmd_raises("ip address add 2001:db8:2::11/64 dev h1-eth0 nodad")
    h1.cmd_raises("ip -6 route add default via 2001:db8:2::1")


def setup_module(module):
    "Start all but the services."
    tgen = cl.start(
        module,
        build,
        {
            "r1": ["zebra", "bgpd", "clusterd"],
            "r2": ["zebra", "bgpd"],
            "r3": ["zebra", "bgpd", "clusterd"],
        },
        netns_vrf=("r1",),
        prepare=prepare,
    )
    for addresses in SESSIONS.values():
        for address in addresses:
            cl.warm_up(tgen.gears["r2"], address)
    cl.vtysh(tgen.gears["r2"], "debug bgp updates in")


def teardown_module(_module):
    "End."
    cl.stop()


def gears():
    "r1, r2, r3, h1"
    tgen = cl.usable()
    return [tgen.gears[name] for name in ("r1", "r2", "r3", "h1")]


# ------------------------------------------------------------ what is there


def server(name, running=True):
    "The services of a node run, or don't."
    if running and name not in SERVER:
        names = [HEALTH] + WWW_LISTENERS + ITSELF_LISTENERS
        SERVER[name] = cl.HttpServer(cl.usable().gears[name], names)
    found = SERVER.get(name)
    if found and running and found not in cl.HttpServer.running:
        found.start()
    if found and not running and found in cl.HttpServer.running:
        found.kill()
    if running:
        found.tell("*", "ok")
    return found


def local_routes(router, space=""):
    "Our routes in the kernel's local table: a set of addresses."
    found = set()
    for family in ("-4", "-6"):
        out = router.net.cmd_raises(
            "ip {}{} -j route show table local proto {}".format(
                "-n {} ".format(space) if space else "", family, PROTOCOL
            )
        )
        found |= {route["dst"] for route in json.loads(out or "[]")}
    return found


def local_is(router, wanted, space=""):
    "For expect(): our local routes are those."
    seen = local_routes(router, space)
    return seen == set(wanted), seen


def hops_are(router, address, nodes):
    "For expect(): the router's kernel has the VIP over that many nodes."
    hops = cl.kernel_hops(router, address)
    return len(hops) == nodes, hops


def expect_hops(addresses, nodes, why, timeout=cl.DEADLINE):
    "The router's kernel has the VIP over that many nodes."
    r2 = gears()[1]
    for address in addresses:
        cl.expect(
            lambda a=address: hops_are(r2, a, nodes),
            "{} isn't over {} nodes at the router: {}".format(address, nodes, why),
            timeout,
        )


def expect_states(router, name, states, why):
    "A VIP and its addresses say so: (state, local route)."
    state, local = states

    def check():
        seen = cl.vip(router, name)
        found = {(a["state"], a["localRoute"]) for a in seen["addresses"]}
        return found == {(state, local)}, seen

    cl.expect(check, "VIP {} isn't {}: {}".format(name, states, why))


def expect_leaves(router, name, states, why, addresses=None):
    "The same by YANG; of some addresses only."

    def check():
        vips = oper.operational(router, "frr-clusterd-vip", "cluster-vips")["vip"]
        seen = [
            address
            for address in oper.by_key(vips, "name")[(name,)]["state"]["address"]
            if addresses is None or address["address"] in addresses
        ]
        return {(a["status"], a["local-route"]) for a in seen} == {states}, seen

    cl.expect(check, "VIP {} isn't {} by YANG: {}".format(name, states, why))


def r1_alone():
    "The state in which most tests begin: r1 serves, r3 doesn't."
    r1, r2, r3, h1 = gears()
    server("r3", False)
    server("r1")
    # the failure of one test isn't that of all others
    cl.configure(r1, "cluster vip www", "no shutdown")
    expect_states(r1, "www", ("announced", "set"), "before the test")
    expect_states(r1, "itself", ("announced", "set"), "before the test")
    expect_hops(WWW + ITSELF, 1, "before the test")
    return r1, r2, r3, h1


# -------------------------------------------------- watching order and time


class Traffic:
    "A client that connects again and again: [(when, error or None)]."

    SCRIPT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "traffic.py")

    def __init__(self, gear, address):
        self.path = "/tmp/traffic-{}".format(address.replace(":", "."))
        with open(self.path, "w", encoding="utf-8") as out:
            self.process = gear.net.popen(
                ["/usr/bin/python3", self.SCRIPT, address], stdout=out
            )
        cl.expect(
            lambda: any(error is None for _, error in self.results()),
            "the client gets no answer from {}".format(address),
        )

    def results(self):
        "What came of the connections so far."
        with open(self.path, encoding="utf-8") as file:
            lines = [line.split(" ", 1) for line in file.read().splitlines()]
        return [(float(began), said.strip() or None) for began, said in lines]

    def failures(self):
        "For expect(): connections fail."
        seen = [r for r in self.results() if r[1]]
        return bool(seen), len(seen)

    def end(self):
        "Stop."
        self.process.kill()
        self.process.wait()


def withdrawal(act, addresses=WWW):
    """
    While a client connects, act() makes r1 withdraw.  No connection may fail
    that began before the router dropped the route, and the local route goes
    after that.
    """
    r1, r2, _, h1 = r1_alone()
    watches = {"r1": Watch(r1), "r2": Watch(r2)}
    traffic = {address: Traffic(h1, address) for address in addresses}
    try:
        act(r1)
        for address in addresses:
            cl.expect(traffic[address].failures, "{} is still served".format(address))
            cl.expect(
                lambda a=address: watches["r1"].times("Deleted local " + a),
                "the local route to {} stays".format(address),
            )
            dropped = watches["r2"].times("Deleted {} ".format(address))
            assert dropped, "the router keeps {}: {}".format(
                address, watches["r2"].text()
            )
            # (IPv6's is deleted and added when an UPDATE has changed it)
            early = [
                r for r in traffic[address].results() if r[1] and r[0] < dropped[-1]
            ]
            # A connection in the very moment sees the one or the other; and what
            # tells us of the moment gets its turn late on a busy machine.
            early = [r for r in early if all(abs(r[0] - t) > 0.2 for t in dropped)]
            assert not early, "{}: refused before the router knew: {}".format(
                address, early
            )
            removed = watches["r1"].times("Deleted local " + address)
            assert (
                removed[0] - dropped[-1] > 0.3
            ), "the local route to {} went {} s after the router's".format(
                address, removed[0] - dropped[-1]
            )
    finally:
        for thing in list(watches.values()) + list(traffic.values()):
            thing.end()


# ------------------------------------------------------------------- tests


def test_nothing_before_the_service_is_up():
    "Down service: not announced, and no local route but for the check of it."
    r1, r2, r3, _ = gears()
    for router in (r1, r3):
        cl.expect(
            lambda r=router: cl.instance(r, "health", "127.0.0.1").get("fails", 0) >= 3,
            "the probe doesn't fail without a service",
        )
        expect_states(router, "www", ("down", "none"), "no service")
    # The check of the address itself needs the route.
    expect_states(r1, "itself", ("down", "set"), "no service")
    expect_leaves(r1, "www", ("down", "none"), "no service")
    expect_leaves(r1, "itself", ("down", "set"), "no service")
    assert "refused" in cl.vip(r1, "itself")["why"], "reason: {}".format(
        cl.vip(r1, "itself")
    )
    out = cl.vtysh(r1, "show cluster vip itself")
    assert "local route set for the check" in out, out
    for address in WWW + ITSELF:
        hops = cl.kernel_hops(r2, address)
        assert not hops, "{} announced without a service: {}".format(address, hops)


def test_leftovers_are_swept():
    "Routes that a killed clusterd has left go, those of others stay."
    r1 = gears()[0]
    cl.expect(lambda: local_is(r1, ITSELF), "leftovers stay in the default VRF")
    cl.expect(lambda: local_is(r1, BLUE, "blue"), "leftovers stay in VRF blue")
    out = r1.net.cmd_raises("ip route show table local proto 99")
    assert "192.0.2.98" in out, "another program's route is gone: {}".format(out)


def test_served():
    "The service comes up: announced, and the client behind the router served."
    r1, _, _, h1 = r1_alone()
    for address in WWW + ITSELF:
        cl.expect(
            lambda a=address: cl.fetch(h1, a, 80 if a in WWW else 81) == "r1",
            "no answer from {}".format(address),
        )
    assert local_routes(r1) == set(WWW + ITSELF), "local routes: {}".format(
        local_routes(r1)
    )
    out = cl.vtysh(r1, "show cluster vip itself")
    assert "for the check" not in out, out
    out = cl.vtysh(r1, "show cluster vip www")
    for text in ("local route set", "held for 1000 ms", "probe health"):
        assert text in out, "show cluster vip www lacks {!r}: {}".format(text, out)


def test_vrf_that_is_a_namespace():
    "The same in a VRF: the router reaches the VIP of VRF blue."
    r1, r2, _, _ = gears()
    expect_states(r1, "blue", ("announced", "set"), "it needs no probe")
    expect_hops(BLUE, 1, "VRF blue")
    for address in BLUE:
        cl.expect(
            lambda a=address: r2.net.cmd_status("ping -c1 -W1 " + a, warn=False)[0]
            == 0,
            "no answer from {}".format(address),
        )
        assert address not in local_routes(r1), "it is in the default VRF, too"


OLD = "/tmp/netns-blue"


def namespace_delete(router):
    "VRF blue's is deleted; what it was isn't before the link has left it."
    router.net.cmd_raises("touch {0}; mount --bind /run/netns/blue {0}".format(OLD))
    router.net.cmd_raises("ip netns del blue")


def namespace_make(router):
    "Another one by that name, with the link of the old one."
    router.net.cmd_raises("ip netns add blue")
    router.net.cmd_raises("ip -n blue link set lo up")
    router.net.cmd_raises("nsenter --net={} ip link set r1-eth1 netns blue".format(OLD))
    router.net.cmd_raises("umount {0}; rm {0}".format(OLD))
    router.net.cmd_raises("ip -n blue link set r1-eth1 up")
    # whoever is first, zebra or we
    for address in ("198.51.100.129/25", "2001:db8:3::1/64"):
        router.net.cmd_raises(
            "ip -n blue address replace {} dev r1-eth1".format(address)
        )


def test_namespace_goes_and_comes_back():
    """
    A VRF that is deleted while it holds VIPs: waiting, with its reason, and the
    other VIPs know nothing of it; made again: announced once.
    """
    r1, r2, _, _ = r1_alone()
    if cl.summary(r1)["frrVersion"].startswith("10.3"):
        pytest.skip("zebra 10.3 crashes behind it: doc/developer/frr-versions.rst")
    expect_states(r1, "blue", ("announced", "set"), "before")
    watch = Watch(r1)
    begin = cl.log_mark(r2, "bgpd")
    fell = []

    def says_so():
        fell.append(cl.zebra_fell(r1))
        why = cl.vip(r1, "blue")["why"] or ""
        return "VRF blue is not there" in why, why

    def is_back():
        fell.append(cl.zebra_fell(r1))
        return local_is(r1, BLUE, "blue")

    try:
        namespace_delete(r1)
        try:
            cl.expect(says_so, "VIP blue doesn't miss its VRF")
            expect_states(r1, "blue", ("waiting", "none"), "its VRF is gone")
            expect_hops(BLUE, 0, "its VRF is gone")
            assert cl.alive(r1, "clusterd"), "it crashed"
            mark = cl.log_mark(r2, "bgpd")
        finally:
            namespace_make(r1)
        cl.expect(is_back, "local routes of VRF blue")
        expect_states(r1, "blue", ("announced", "set"), "its VRF is back")
        expect_hops(BLUE, 1, "its VRF is back")
        if any(fell):
            # the start of all daemons sends more than this test counts
            return
        for address in BLUE:
            # (r3 sends back what it gets, also the withdrawals)
            seen = [t for a, t in cl.prefixes_received(r2, mark) if a == address]
            assert True in seen, "{}: {}".format(address, seen)
            assert all(seen[seen.index(True) :]), "{}: {}".format(address, seen)
        gone = watch.times("Deleted local")
        assert not gone, "of another VRF: {}".format(watch.text())
        others = {a for a, _ in cl.prefixes_received(r2, begin)} & set(WWW + ITSELF)
        assert not others, "UPDATEs about VIPs of another VRF: {}".format(others)
    finally:
        watch.end()


def test_kernel_refuses():
    """
    lo down in the VRF: the kernel drops IPv6's local route and takes none; the
    state has its reason, and it recovers.  (IPv4's survives.)
    """
    r1 = gears()[0]
    r1.net.cmd_raises("ip -n blue link set lo down")
    try:
        cl.expect(
            lambda: cl.address_is(r1, "blue", BLUE[1], "rejected"),
            "lo is down, and no word of it",
        )
        refused = ("rejected", "failed")
        expect_leaves(r1, "blue", refused, "lo is down", BLUE[1:])
        assert "local route can't be set" in cl.vip(r1, "blue")["why"], cl.vip(
            r1, "blue"
        )
        expect_hops(BLUE[1:], 0, "lo is down")
    finally:
        r1.net.cmd_raises("ip -n blue link set lo up")
    expect_states(r1, "blue", ("announced", "set"), "lo is up again")
    expect_hops(BLUE, 1, "lo is up again")


def test_removed_by_somebody():
    "A local route that somebody deletes comes back, and nothing is announced."
    r1, r2, _, _ = r1_alone()
    updates = cl.updates_received(r2, SESSIONS["r1"][0])
    r1.net.cmd_raises("ip route del local {} table local".format(WWW[0]))
    cl.expect(lambda: local_is(r1, WWW + ITSELF), "it doesn't come back")
    expect_states(r1, "www", ("announced", "set"), "it is back")
    assert cl.updates_received(r2, SESSIONS["r1"][0]) == updates, "an UPDATE"


def test_address_on_lo():
    "Case 12: a /32 on lo hides our route; that is said, and ends with it."
    r1, _, _, h1 = r1_alone()
    r1.net.cmd_raises("ip address add {}/32 dev lo".format(WWW[0]))
    try:
        cl.expect(lambda: cl.address_is(r1, "www", WWW[0], "hidden"), "a hidden VIP")
        assert "interface lo" in cl.vip(r1, "www")["why"], "reason: {}".format(
            cl.vip(r1, "www")
        )
        expect_hops(WWW[:1], 0, "the connected route hides it")
        expect_hops(WWW[1:], 1, "the other family")
    finally:
        r1.net.cmd_raises("ip address del {}/32 dev lo".format(WWW[0]))
    expect_states(r1, "www", ("announced", "set"), "the address is gone")
    expect_hops(WWW, 1, "the address is gone")
    assert local_routes(r1) == set(WWW + ITSELF), "local routes: {}".format(
        local_routes(r1)
    )
    cl.expect(lambda: cl.fetch(h1, WWW[0]) == "r1", "not served any more")


def test_shutdown_withdraws_first():
    "Case 1: shutdown; the local route goes behind the router's."
    withdrawal(lambda r1: cl.configure(r1, "cluster vip www", "shutdown"))
    r1 = gears()[0]
    expect_states(r1, "www", ("shutdown", "none"), "shut down")
    cl.configure(r1, "cluster vip www", "no shutdown")
    r1_alone()


def redistribute(router, route_map):
    "bgpd takes VIPs by that route-map."
    for version in ("ipv4", "ipv6"):
        out = cl.configure(
            router,
            "router bgp 65001",
            "address-family {} unicast".format(version),
            "redistribute openfabric route-map " + route_map,
        )
        assert out == "", out


def kept(router):
    "For expect(): the kept route-map is in bgpd."
    seen = cl.vtysh_json(router, "show cluster bgp policy json")["default"]
    return seen.get("status") == "in-step" and seen["entries"] > 1, seen


def graceful(router, address, wanted):
    "For expect(): the router has the VIP, with 65535:0 or without."
    path = cl.bgp_path(router, address)
    seen = "graceful" in str(path.get("community"))
    return bool(path) and seen == wanted, path


def expect_graceful(wanted, why):
    "Both families."
    for address in WWW:
        cl.expect(
            lambda a=address: graceful(gears()[1], a, wanted),
            "{} is {} with 65535:0: {}".format(
                address, "not" if wanted else "still", why
            ),
        )


@pytest.fixture(name="drains")
def fixture_drains():
    "VIP www has a drain-time, and a route-map that tells the neighbours."
    r1 = r1_alone()[0]
    try:
        cl.configure(r1, "cluster bgp route-map " + KEPT)
        cl.expect(lambda: kept(r1), "no route-map in bgpd")
        redistribute(r1, KEPT)
        out = cl.configure(r1, "cluster vip www", "drain-time {}".format(DRAIN_TIME))
        assert out == "", out
        expect_graceful(False, "before the test")
        yield r1
    finally:
        cl.configure(r1, "cluster vip www", "no drain", "drain-time 0")
        expect_graceful(False, "after the test")
        redistribute(r1, "VIPS")
        cl.configure(r1, "no cluster bgp route-map " + KEPT)
        cl.configure(r1, "no route-map " + KEPT)


def drain(router):
    "Attributes first; the local route is there as long as it is served."
    out = cl.configure(router, "cluster vip www", "drain")
    assert out == "", out
    expect_graceful(True, "it drains")


def test_drain_withdraws_last(drains):
    "Case 1: drained; 65535:0, then no route, and then no local route."
    r2 = gears()[1]
    r1_alone()
    mark = cl.log_mark(r2, "bgpd")
    withdrawal(drain)
    expect_states(drains, "www", ("drained", "none"), "drained")
    for address in WWW:
        # r3 sends back what it gets
        seen = [there for a, there in cl.prefixes_received(r2, mark) if a == address]
        assert set(seen) == {True, False}, "{}: {}".format(address, seen)
        assert seen == sorted(seen, reverse=True), "{}: {}".format(address, seen)


def test_drain_undone_keeps_all(drains):
    "Undone in the middle: neither withdrawn nor refused."
    r1, r2, _, h1 = r1_alone()
    watch = Watch(r1)
    mark = cl.log_mark(r2, "bgpd")
    try:
        drain(r1)
        expect_states(r1, "www", ("draining", "set"), "it drains")
        for address in WWW:
            cl.expect(lambda a=address: cl.fetch(h1, a) == "r1", "not served")
        cl.configure(r1, "cluster vip www", "no drain")
        expect_graceful(False, "undone")
        cl.stays(
            lambda: local_is(r1, WWW + ITSELF),
            "the local route goes in the end",
            DRAIN_TIME / 1000 + 1.5,
        )
        expect_states(drains, "www", ("announced", "set"), "undone")
        gone = watch.times("Deleted local")
        assert not gone, "deleted: {}".format(watch.text())
        seen = [u for u in cl.prefixes_received(r2, mark) if u[0] in WWW]
        assert set(seen) == {(a, True) for a in WWW}, "UPDATEs: {}".format(seen)
    finally:
        watch.end()


def test_failed_check_withdraws_first():
    "Case 1: the check fails while connections still work."
    withdrawal(lambda r1: SERVER["r1"].tell(HEALTH, "503"))
    r1_alone()


def test_stop_withdraws_first():
    "Case 1: SIGTERM; afterwards nothing of ours is left."
    withdrawal(lambda r1: cl.end_daemon(r1, "clusterd"), WWW + ITSELF[:0])
    r1 = gears()[0]
    for space in ("", "blue"):
        cl.expect(lambda s=space: local_is(r1, (), s), "left behind by a stop")
    cl.start_daemon(r1, "clusterd")
    r1_alone()


def test_stop_holds_and_answers():
    "SIGTERM: withdrawn, held while clusterd still answers; again: ends at once."
    r1, _, _, h1 = r1_alone()
    cl.configure(r1, "cluster vip www", "local-hold 60000")
    cl.send_signal(r1, "clusterd", signal.SIGTERM)
    expect_hops(WWW, 0, "clusterd is about to end")
    expect_states(r1, "www", ("drained", "held"), "within the hold")
    assert "about to end" in cl.vip(r1, "www")["why"], cl.vip(r1, "www")
    cl.expect(lambda: local_is(r1, WWW), "what has the default hold stays, too")
    cl.stays(
        lambda: (cl.alive(r1, "clusterd"), cl.log_of(r1)[-500:]),
        "it didn't wait for the hold",
        1,
    )
    cl.send_signal(r1, "clusterd", signal.SIGTERM)
    cl.expect(lambda: not cl.alive(r1, "clusterd"), "it doesn't end", 20)
    cl.expect(lambda: local_is(r1, ()), "left behind by a stop", 2)
    cl.start_daemon(r1, "clusterd")
    cl.configure(r1, "cluster vip www", "no local-hold")
    r1_alone()
    cl.expect(lambda: cl.fetch(h1, WWW[0]) == "r1", "not served any more")


def shown(router, name):
    "A VIP's state, of clusterd alone: vtysh would wait for a zebra that hangs."
    out = cl.vtysh(router, "show cluster vip {} json".format(name), daemon="clusterd")
    return json.loads(out)[name]


def is_held(router, name):
    "For expect(): the VIP isn't announced, and its local routes are held."
    seen = shown(router, name)
    return {a["localRoute"] for a in seen["addresses"]} == {"held"}, seen


def test_zebra_dies():
    """
    zebra alone, killed: bgpd goes on announcing what it had, so what comes is
    taken, and the local route of a service that fails isn't given up yet.
    """
    r1, _, _, h1 = r1_alone()
    watches = [Watch(r1), Watch(r1, "blue")]

    def kept():
        "For stays(): served, and no local route has gone."
        gone = [w.times("Deleted local") for w in watches]
        answers = {a: cl.fetch(h1, a, 80 if a in WWW else 81) for a in WWW + ITSELF}
        return not any(gone) and set(answers.values()) == {"r1"}, (gone, answers)

    try:
        cl.end_daemon(r1, "zebra", signal.SIGKILL)
        try:
            cl.expect(
                lambda: (
                    cl.summary(r1)["zebra"]["state"] == "down",
                    cl.summary(r1)["zebra"],
                ),
                "clusterd doesn't notice that zebra is gone",
            )
            cl.stays(kept, "refused while bgpd announces it", 4)
            expect_states(r1, "www", ("waiting", "set"), "zebra is gone")
            # Its check fails while zebra is away; connections still work.
            SERVER["r1"].tell(HEALTH, "503")
            cl.expect(lambda: is_held(r1, "www"), "its local route isn't held")
            cl.stays(kept, "not withdrawn, and given up", 4)
        finally:
            cl.start_daemon(r1, "zebra")
        cl.expect(lambda: local_is(r1, ITSELF), "zebra is back, and it stays")
        expect_states(r1, "www", ("down", "none"), "zebra is back")
        for address in ITSELF + BLUE:
            for watch in watches:
                gone = watch.times("Deleted local {} ".format(address))
                assert not gone, "{} was removed: {}".format(address, watch.text())
    finally:
        for watch in watches:
            watch.end()
        # bgpd doesn't follow a new zebra.
        cl.end_daemon(r1, "bgpd")
        cl.start_daemon(r1, "bgpd")
        for addresses in SESSIONS.values():
            for address in addresses:
                cl.warm_up(gears()[1], address)
    r1_alone()
    expect_states(r1, "blue", ("announced", "set"), "all is back")


def other_zebra(router, change):
    "While zebra is away: change(); bgpd doesn't follow a new zebra."
    for daemon in ("bgpd", "zebra"):
        cl.end_daemon(router, daemon, signal.SIGKILL)
    try:
        change()
    finally:
        for daemon in ("zebra", "bgpd"):
            cl.start_daemon(router, daemon)
    for addresses in SESSIONS.values():
        for address in addresses:
            cl.warm_up(gears()[1], address)


def test_zebra_numbers_vrfs_anew():
    """
    The next zebra finds another namespace first: VRF blue has another ID, and the
    former one is another VRF's.  Ours follow, and none gets into the other one.
    """
    r1 = r1_alone()[0]
    expect_states(r1, "blue", ("announced", "set"), "before")
    net = r1.net
    mark = cl.log_mark(r1, "clusterd")
    other_zebra(r1, lambda: net.cmd_raises("ip netns add another"))
    try:
        if cl.FRR_8:
            # (others may find them in another order)
            cl.expect(
                lambda: re.search(r"VRF blue (has|is)", cl.log_of(r1)[mark:]),
                "zebra has the same numbers: it isn't tested",
            )
        expect_states(r1, "blue", ("announced", "set"), "another number")
        expect_hops(BLUE, 1, "another number")
        expect_states(r1, "www", ("announced", "set"), "another number")
        for family in ("-4", "-6"):
            routes = net.cmd_raises(
                "ip {} -n another route show table all".format(family)
            )
            assert "192.0.2." not in routes and ":ff::" not in routes, routes
    finally:
        other_zebra(r1, lambda: net.cmd_raises("ip netns del another"))
    expect_states(r1, "blue", ("announced", "set"), "as before")
    expect_hops(BLUE, 1, "as before")


def test_stop_without_zebra():
    "zebra ended first: nobody is waited for but the hold."
    r1 = r1_alone()[0]
    cl.end_daemon(r1, "zebra", signal.SIGKILL)
    try:
        cl.expect(
            lambda: cl.summary(r1)["zebra"]["state"] == "down",
            "clusterd doesn't notice that zebra is gone",
        )
        assert local_routes(r1) == set(WWW + ITSELF), local_routes(r1)
        cl.send_signal(r1, "clusterd", signal.SIGTERM)
        # The hold is 1 s; the word of a zebra would be awaited for 3 s more.
        cl.expect(lambda: local_is(r1, ()), "local routes stay", 3.5)
        cl.expect(lambda: not cl.alive(r1, "clusterd"), "it doesn't end")
    finally:
        cl.end_daemon(r1, "bgpd")
        for daemon in ("zebra", "bgpd", "clusterd"):
            cl.start_daemon(r1, daemon)
        for addresses in SESSIONS.values():
            for address in addresses:
                cl.warm_up(gears()[1], address)
    r1_alone()


def test_zebra_hangs():
    "It can't withdraw: the hold doesn't begin before it goes on."
    r1, _, _, h1 = r1_alone()
    watch = Watch(r1)

    def kept():
        "For stays(): served, and no local route has gone."
        gone = watch.times("Deleted local")
        answers = {address: cl.fetch(h1, address) for address in WWW}
        return not gone and set(answers.values()) == {"r1"}, (gone, answers)

    try:
        cl.send_signal(r1, "zebra", signal.SIGSTOP)
        try:
            SERVER["r1"].tell(HEALTH, "503")
            cl.expect(lambda: is_held(r1, "www"), "the check fails")
            cl.stays(kept, "given up before it is withdrawn", 6)
        finally:
            cl.send_signal(r1, "zebra", signal.SIGCONT)
        expect_hops(WWW, 0, "zebra goes on")
        cl.expect(lambda: local_is(r1, ITSELF), "the local routes stay")
        expect_states(r1, "www", ("down", "none"), "zebra goes on")
    finally:
        watch.end()
    r1_alone()


def test_hold_is_configurable():
    "local-hold 30000: held, and said so; undone meanwhile: nothing happened."
    r1, _, _, h1 = r1_alone()
    cl.configure(r1, "cluster vip www", "local-hold 30000")
    watch = Watch(r1)
    try:
        cl.configure(r1, "cluster vip www", "shutdown")
        expect_states(r1, "www", ("shutdown", "held"), "within the hold")
        expect_hops(WWW, 0, "shut down")
        cl.configure(r1, "cluster vip www", "no shutdown")
        expect_states(r1, "www", ("announced", "set"), "undone")
        cl.expect(lambda: cl.fetch(h1, WWW[0]) == "r1", "not served after it")
        gone = watch.times("Deleted local")
        assert not gone, "deleted within the hold: {}".format(watch.text())
    finally:
        watch.end()
        cl.configure(r1, "cluster vip www", "no local-hold")


def test_hold_by_yang():
    "The leaves while addresses are held, and when they aren't any more."
    r1 = r1_alone()[0]
    cl.configure(r1, "cluster vip www", "local-hold 60000")
    try:
        cl.configure(r1, "cluster vip www", "shutdown")
        expect_leaves(r1, "www", ("shutdown", "held"), "within the hold")
    finally:
        cl.configure(r1, "cluster vip www", "no shutdown", "no local-hold")
    expect_leaves(r1, "www", ("announced", "set"), "undone")


def test_killed_and_restarted():
    "kill -9: the routes stay; the next one keeps what is wanted, sweeps the rest."
    r1, _, _, h1 = r1_alone()
    cl.end_daemon(r1, "clusterd", signal.SIGKILL)
    expect_hops(WWW + ITSELF + BLUE, 0, "zebra withdraws what a dead client had")
    assert local_routes(r1) == set(WWW + ITSELF), "who removed them? {}".format(
        local_routes(r1)
    )
    conf = cl.frr_conf(r1)
    cl.write_frr_conf(r1, conf.replace(" address {}\n".format(ITSELF[1]), ""))
    watches = [Watch(r1), Watch(r1, "blue")]
    try:
        cl.start_daemon(r1, "clusterd")
        cl.expect(lambda: local_is(r1, WWW + ITSELF[:1]), "what isn't configured stays")
        expect_states(r1, "www", ("announced", "set"), "restarted")
        expect_states(r1, "blue", ("announced", "set"), "restarted")
        for address in WWW + ITSELF[:1] + BLUE:
            for watch in watches:
                gone = watch.times("Deleted local {} ".format(address))
                assert not gone, "{} was removed: {}".format(address, watch.text())
        cl.expect(lambda: cl.fetch(h1, WWW[1]) == "r1", "not served after it")
    finally:
        for watch in watches:
            watch.end()
        cl.write_frr_conf(r1, conf)
        cl.configure(r1, "cluster vip itself", "address " + ITSELF[1])


def test_node_of_a_failed_service_uses_the_others():
    "No local route for the VIP of a dead service: r1 itself is served by r3."
    r1, _, r3, h1 = r1_alone()
    server("r3")
    expect_states(r3, "www", ("announced", "set"), "its service runs")
    expect_hops(WWW, 2, "both nodes serve")
    server("r1", False)
    expect_hops(WWW, 1, "r1's service is dead")
    expect_states(r1, "www", ("down", "none"), "its service is dead")
    for address in WWW:
        for gear in (r1, h1):
            cl.expect(
                lambda g=gear, a=address: cl.fetch(g, a) == "r3",
                "{} isn't served by r3 at {}".format(gear.name, address),
            )
    r1_alone()


def test_two_nodes_on_one_link():
    "Case 18: one IPv6 VIP on two nodes of a link: no address, no DAD."
    r1, _, r3, h1 = r1_alone()
    server("r3")
    expect_hops(WWW, 2, "both nodes serve")
    for router in (r1, r3):
        out = router.net.cmd_raises("ip -6 address show")
        assert WWW[1] not in out and "dadfailed" not in out, out
    r3.net.cmd_raises("ip link set r3-eth0 down")
    r3.net.cmd_raises("ip link set r3-eth0 up")
    expect_states(r1, "www", ("announced", "set"), "r3's link came up")
    cl.expect(lambda: cl.fetch(h1, WWW[1]) == "r1", "r1 doesn't serve it")


def test_redistribute_connected():
    "Case 13: nothing but the VIP's own route announces it."
    r1_alone()
    r3 = gears()[2]
    cl.warm_up(gears()[1], SESSIONS["r3"][0])
    server("r3")
    expect_states(r3, "www", ("announced", "set"), "its service runs")
    server("r3", False)
    expect_states(r3, "www", ("down", "none"), "its service is dead")
    expect_hops(WWW, 1, "only r1 serves")
    # While the route is held, too: shut down by hand with a long hold.
    server("r3")
    cl.configure(r3, "cluster vip www", "local-hold 10000")
    expect_hops(WWW, 2, "both nodes serve")
    cl.configure(r3, "cluster vip www", "shutdown")
    expect_states(r3, "www", ("shutdown", "held"), "within the hold")
    expect_hops(WWW, 1, "only r1 serves")
    cl.configure(r3, "cluster vip www", "no shutdown", "no local-hold")


def test_members_and_local_exclude_each_other():
    "Both configured: invalid, with what to do; recovers."
    r1 = r1_alone()[0]
    said = cl.configure(r1, "cluster vip www", "member 198.51.100.2")
    assert not said, "refused: {}".format(said)
    cl.expect(lambda: cl.vip_is(r1, "www", "invalid"), "local with a member")
    why = cl.vip(r1, "www")["why"]
    assert "local" in why and "remove" in why, "reason: {}".format(why)
    expect_hops(WWW, 0, "invalid")
    cl.configure(r1, "cluster vip www", "no member 198.51.100.2")
    r1_alone()
