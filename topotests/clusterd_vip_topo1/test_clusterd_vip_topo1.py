# SPDX-License-Identifier: GPL-2.0-or-later
"""
A VIP is announced while its service is healthy.

    h1 (web server) --- r1 (node: zebra, bgpd, clusterd) --- r2 (router)

h1 holds the member addresses and the VIPs; r1 announces the VIPs by BGP; what
counts is r2's kernel.
"""

import re
import signal

import lib_cluster as cl
from lib_typist import Typist

R1_V4 = "198.51.100.1"
R1_V6 = "2001:db8:1::1"
MEMBER_V4 = "203.0.113.11"
MEMBER_V6 = "2001:db8:2::11"
VIP_V4 = "192.0.2.1"
VIP_V6 = "2001:db8:ff::1"
SERVICES = [
    MEMBER_V4 + ":8080",
    "[" + MEMBER_V6 + "]:8080",
    VIP_V4 + ":80",
    "[" + VIP_V6 + "]:80",
]
RISE = 3
FALL = 3
INTERVAL = 0.2
TIMEOUT = 0.15

# The watchdog's own time-out is 5 s.
WATCHDOG = 15

SERVER = {}


def build(tgen):
    "h1 - r1 - r2"
    for name in ("r1", "r2"):
        tgen.add_router(name)
    tgen.add_host("h1", ip=MEMBER_V4 + "/24", defaultRoute="via 203.0.113.1")
    cl.connect(tgen, s1=("r1", "r2"), s2=("r1", "h1"))


def prepare(tgen):
    "Addresses of the host."
    host = tgen.gears["h1"].net
    host.cmd_raises("ip address add {}/32 dev lo".format(VIP_V4))
    host.cmd_raises("ip address add {}/128 dev lo nodad".format(VIP_V6))
    host.cmd_raises("ip address add {}/64 dev h1-eth0 nodad".format(MEMBER_V6))
    host.cmd_raises("ip -6 route add default via 2001:db8:2::1")


def setup_module(module):
    "Start all but the web server."
    tgen = cl.start(
        module,
        build,
        {"r1": ["zebra", "bgpd", "clusterd"], "r2": ["zebra", "bgpd"]},
        prepare=prepare,
    )
    for address in (R1_V4, R1_V6):
        cl.warm_up(tgen.gears["r2"], address)


def teardown_module(_module):
    "End."
    cl.stop()


def gears():
    "r1, r2"
    tgen = cl.usable()
    return tgen.gears["r1"], tgen.gears["r2"]


def server_up():
    "The web server runs and answers."
    if "h1" not in SERVER:
        SERVER["h1"] = cl.HttpServer(cl.usable().gears["h1"], SERVICES)
    server = SERVER["h1"]
    if server not in cl.HttpServer.running:
        server.start()
    server.tell("*", "ok")
    return server


def expect_announced(router, node, why):
    "Both addresses are in the router's kernel and the node says so."
    for address in (VIP_V4, VIP_V6):
        cl.expect(
            lambda a=address: cl.in_kernel(router, a),
            "{} isn't in the router's kernel: {}".format(address, why),
        )
    cl.expect(
        lambda: cl.vip_is(node, "www", "announced"),
        "the node doesn't say announced: {}".format(why),
    )


def expect_gone(router, why, timeout=cl.DEADLINE):
    "Neither address is in the router's kernel."
    for address in (VIP_V4, VIP_V6):
        cl.expect(
            lambda a=address: cl.not_in_kernel(router, a),
            "{} is still in the router's kernel: {}".format(address, why),
            timeout,
        )


def healthy():
    "The state in which every test begins."
    r1, r2 = gears()
    server = server_up()
    expect_announced(r2, r1, "before the test")
    return r1, r2, server


def test_not_announced_before_the_service_is_up():
    "No server: the VIP is down, says why, and the router has no route."
    r1, r2 = gears()
    cl.expect(
        lambda: cl.instance(r1, "web", MEMBER_V4).get("fails", 0) >= FALL,
        "the probe doesn't fail without a server",
    )
    state = cl.vip(r1, "www")
    assert state["state"] == "down", "VIP without a service: {}".format(state)
    assert state["why"], "a VIP that is down gives no reason: {}".format(state)
    for member in state["members"]:
        assert member["state"] == "down", "member without a service: {}".format(member)
        assert member["why"], "no reason for a member: {}".format(member)
    for address in (VIP_V4, VIP_V6):
        hops = cl.kernel_hops(r2, address)
        assert not hops, "{} announced without a service: {}".format(address, hops)


def test_announced_after_rise_passes():
    "The route appears at the router only behind the third passed probe."
    r1, r2 = gears()
    server = server_up()
    cl.took(lambda: cl.in_kernel(r2, VIP_V4), "VIP isn't announced")
    accepts = server.stat(SERVICES[0])["connections"]
    assert accepts >= RISE, "announced after {} probes, rise is {}".format(
        accepts, RISE
    )
    expect_announced(r2, r1, "after the service came up")
    seen = cl.instance(r1, "web", MEMBER_V4)
    assert seen["verdict"] == "up", "verdict of a healthy service: {}".format(seen)
    assert seen["passes"] >= RISE, "passes of a healthy service: {}".format(seen)
    assert 0 < seen["rttUsec"] < TIMEOUT * 1e6, "round trip time: {}".format(seen)
    state = cl.vip(r1, "www")
    assert {a["address"] for a in state["addresses"]} == {
        VIP_V4,
        VIP_V6,
    }, "addresses in JSON: {}".format(state)
    for address in state["addresses"]:
        assert address["state"] == "announced", "address: {}".format(address)
    assert (state["tag"], state["metric"], state["distance"]) == (
        84,
        0,
        15,
    ), "default attributes: {}".format(state)


def test_traffic_arrives():
    "The router's requests to the VIPs are answered by the host."
    _, r2, _ = healthy()
    for address in (VIP_V4, VIP_V6):
        cl.expect(
            lambda a=address: cl.fetch(r2, a) == "h1",
            "no answer from http://{}".format(address),
        )


def test_text_output():
    "The commands for people name state, reason and counters."
    r1, _, _ = healthy()
    out = cl.vtysh(r1, "show cluster vip")
    for text in ("www", "announced"):
        assert text in out, "show cluster vip lacks {!r}: {}".format(text, out)
    out = cl.vtysh(r1, "show cluster vip www")
    for text in (VIP_V4, VIP_V6, MEMBER_V4, MEMBER_V6, "announced"):
        assert text in out, "show cluster vip www lacks {!r}: {}".format(text, out)
    out = cl.vtysh(r1, "show cluster probe")
    for text in ("web", MEMBER_V4, "up"):
        assert text in out, "show cluster probe lacks {!r}: {}".format(text, out)
    out = cl.vtysh(r1, "show cluster summary")
    for text in ("openfabric", "connected"):
        assert text in out, "show cluster summary lacks {!r}: {}".format(text, out)


def test_show_unknown_names():
    "Unknown objects: empty JSON."
    r1, _, _ = healthy()
    for kind in ("vip", "probe"):
        seen = cl.vtysh_json(r1, "show cluster {} nosuch json".format(kind))
        assert seen == {}, "show cluster {} nosuch json: {}".format(kind, seen)


def test_summary_counts():
    "The summary tells zebra's state and counts by state."
    r1, _, _ = healthy()
    seen = cl.summary(r1)
    assert seen["zebra"]["state"] == "connected", "zebra: {}".format(seen)
    assert seen["routeType"] == "openfabric", "route type: {}".format(seen)
    assert seen["vips"]["total"] >= 1, "total: {}".format(seen)
    assert seen["vips"]["announced"] >= 1, "announced: {}".format(seen)


def test_server_killed():
    "kill -9 of the server withdraws, its return announces."
    r1, r2, server = healthy()
    server.kill()
    expect_gone(r2, "the server was killed")
    cl.expect(lambda: cl.vip_is(r1, "www", "down"), "VIP of a dead server")
    seen = cl.instance(r1, "web", MEMBER_V4)
    assert seen["verdict"] == "down", "verdict of a dead server: {}".format(seen)
    assert "refused" in seen["why"].lower(), "reason: {}".format(seen)
    server.start()
    expect_announced(r2, r1, "the server is back")


def test_server_killed_while_a_file_is_loaded():
    """
    Somebody began to load a file and is slow, or has been interrupted: that
    there is nothing for clusterd in it so far withdraws as ever.
    """
    r1, r2, server = healthy()
    loader = Typist(
        r1, "configure terminal", "XFRR_start_configuration", daemon="clusterd"
    )
    try:
        assert cl.summary(r1)["configurationLoading"], "nobody loads"
        server.kill()
        expect_gone(r2, "the server was killed, a file is loaded")
        cl.expect(lambda: cl.vip_is(r1, "www", "down"), "VIP of a dead server")
        # nothing of ours is in it
        assert cl.summary(r1)["configurationLoading"], "the load has ended by itself"
        loader.types("XFRR_end_configuration")
        assert not cl.summary(r1)["configurationLoading"], "the end wasn't noticed"
    finally:
        loader.end()
    server.start()
    expect_announced(r2, r1, "the server is back")


def test_server_killed_while_half_a_file_is_applied():
    """
    A line for something else has libfrr apply the part of the file that came
    before: nothing is decided about that, but what it has not changed yet goes
    when its service goes, and doesn't come up before the end.
    """
    r1, r2, server = healthy()
    other = "192.0.2.77"
    held = "decisions are held"
    loader = Typist(
        r1, "configure terminal", "XFRR_start_configuration", daemon="clusterd"
    )
    try:
        for line in (
            "cluster vip other",
            "member " + MEMBER_V4,
            "address " + other,
            "exit",
            "hostname r1",
        ):
            loader.types(line)
        cl.expect(lambda: cl.vip(r1, "other"), "the part isn't applied")
        assert held in cl.vtysh(r1, "show cluster summary"), "not held"
        assert cl.in_kernel(r2, VIP_V4)[0], "the part of a file withdraws"
        server.kill()
        expect_gone(r2, "the server was killed, half a file is applied")
        cl.expect(lambda: cl.vip_is(r1, "www", "down"), "VIP of a dead server")
        server.start()
        cl.expect(
            lambda: cl.verdict_is(r1, "web", MEMBER_V4, "up"), "the server is back"
        )
        # the half minute of silence begins anew
        loader.types("hostname r1")
        assert held in cl.vtysh(r1, "show cluster summary"), "the hold has ended"
        assert "still being read" in cl.vip(r1, "other")["why"], "decided"
        loader.types("XFRR_end_configuration")
        cl.expect(lambda: cl.vip_is(r1, "other", "announced"), "the other VIP")
        expect_announced(r2, r1, "the end of the file")
    finally:
        loader.end()
        cl.configure(r1, "no cluster vip other")
    cl.expect(lambda: cl.not_in_kernel(r2, other), "the other VIP is left")


def test_half_a_file_is_applied_and_no_more_comes():
    """
    Who loads a file was stopped in the middle of it, and is still there: what is
    typed meanwhile counts after half a minute, and at once from then on.  If he
    goes on, decisions wait for his end again.
    """
    r1, r2, _ = healthy()
    other = "192.0.2.77"
    held = "decisions are held"
    loader = Typist(
        r1, "configure terminal", "XFRR_start_configuration", daemon="clusterd"
    )

    def summary():
        return cl.vtysh(r1, "show cluster summary")

    try:
        for line in (
            "cluster vip other",
            "member " + MEMBER_V4,
            "address " + other,
            "exit",
        ):
            loader.types(line)
        # commits what the other one has sent
        assert cl.configure(r1, "cluster vip www", "shutdown") == ""
        assert held in summary(), "half a file is decided about"
        assert cl.load_file(r1, "!\n") == ""
        assert held in summary(), "the end of one file is that of all"
        assert cl.in_kernel(r2, VIP_V4)[0], "what was typed counts at once"
        expect_gone(r2, "shut down by who doesn't load", 60)
        assert held not in summary(), "some are decided, others held"
        assert cl.summary(r1)["configurationLoading"], "the load has ended"
        cl.expect(lambda: cl.vip_is(r1, "other", "announced"), "the other VIP")
        assert cl.configure(r1, "cluster vip www", "no shutdown") == ""
        assert held not in summary(), "what is typed is held again"
        expect_announced(r2, r1, "no shutdown")

        for line in ("cluster vip other", "shutdown", "exit", "hostname r1"):
            loader.types(line)
        assert held in summary(), "it went on, and is decided about"
        assert cl.vip_is(r1, "other", "announced")[0], "decided about before the end"
        loader.types("XFRR_end_configuration")
        cl.expect(lambda: cl.vip_is(r1, "other", "draining"), "after the end")
    finally:
        loader.end()
        cl.configure(r1, "cluster vip www", "no shutdown")
        cl.configure(r1, "no cluster vip other")
    cl.expect(lambda: cl.not_in_kernel(r2, other), "the other VIP is left")


def test_fall_failures_are_needed():
    "Fewer failures than fall change nothing."
    r1, r2, server = healthy()
    session = cl.session_start(r2, R1_V4)
    updates = cl.updates_received(r2, R1_V4)
    fails = cl.instance(r1, "web", MEMBER_V4)["fails"]
    server.tell(SERVICES[0], "503")
    cl.took(
        lambda: cl.instance(r1, "web", MEMBER_V4)["fails"] > fails, "no failure seen"
    )
    server.tell(SERVICES[0], "ok")
    seen = cl.instance(r1, "web", MEMBER_V4)
    if seen["fails"] - fails >= FALL:
        # The machine was too slow for the test; the verdict must be down.
        assert seen["verdict"] == "down", "{} failures: {}".format(FALL, seen)
        return
    runs = seen["runs"]
    cl.expect(
        lambda: cl.instance(r1, "web", MEMBER_V4)["runs"] > runs + RISE,
        "the probe stopped",
    )
    assert cl.instance(r1, "web", MEMBER_V4)["verdict"] == "up", "verdict fell early"
    assert cl.updates_received(r2, R1_V4) == updates, "an UPDATE was sent"
    assert cl.session_start(r2, R1_V4) == session, "the session was reset"


def test_server_hangs():
    "A server that accepts and never answers withdraws by the time-out."
    r1, r2, server = healthy()
    timeouts = cl.instance(r1, "web", MEMBER_V4)["timeouts"]
    server.tell("*", "hang")
    expect_gone(r2, "the server hangs")
    seen = cl.instance(r1, "web", MEMBER_V4)
    assert seen["timeouts"] >= timeouts + FALL, "time-outs counted: {}".format(seen)
    assert re.search("time", seen["why"], re.I), "reason: {}".format(seen)
    server.tell("*", "ok")
    expect_announced(r2, r1, "the server answers again")


def test_server_answers_503():
    "A status that isn't 200-399 withdraws."
    r1, r2, server = healthy()
    server.tell("*", "503")
    expect_gone(r2, "the server answers 503")
    seen = cl.instance(r1, "web", MEMBER_V4)
    assert "503" in seen["why"], "the reason doesn't name the status: {}".format(seen)
    server.tell("*", "ok")
    expect_announced(r2, r1, "the server answers 200 again")


def test_one_family_fails():
    "The IPv6 service fails: the IPv4 address stays announced."
    r1, r2, server = healthy()
    server.tell(SERVICES[1], "close")
    cl.expect(lambda: cl.not_in_kernel(r2, VIP_V6), "the IPv6 address isn't withdrawn")
    seen = cl.kernel_hops(r2, VIP_V4)
    assert seen, "the IPv4 address went too"
    cl.expect(lambda: cl.vip_is(r1, "www", "partial"), "VIP with one family down")
    cl.expect(lambda: cl.address_is(r1, "www", VIP_V4, "announced"), "IPv4 address")
    cl.expect(lambda: cl.address_is(r1, "www", VIP_V6, "down"), "IPv6 address")
    server.tell(SERVICES[1], "ok")
    expect_announced(r2, r1, "the IPv6 service is back")


def test_shutdown():
    "shutdown withdraws at once, no shutdown announces at once."
    r1, r2, _ = healthy()
    out = cl.configure(r1, "cluster vip www", "shutdown")
    assert out == "", "shutdown printed: {}".format(out)
    expect_gone(r2, "shutdown", cl.AT_ONCE)
    cl.expect(lambda: cl.vip_is(r1, "www", "shutdown"), "state after shutdown")
    out = cl.configure(r1, "cluster vip www", "no shutdown")
    assert out == "", "no shutdown printed: {}".format(out)
    expect_announced(r2, r1, "no shutdown")


def test_nexthop_unresolved():
    "A next hop without a route withdraws; its route's return announces."
    r1, r2, _ = healthy()
    gateway = "192.0.2.200"
    route = "ip route {}/32 {}".format(gateway, MEMBER_V4)
    try:
        out = cl.configure(
            r1,
            "cluster vip far",
            "member " + gateway,
            "address 192.0.2.77",
        )
        assert out == "", "configuration printed: {}".format(out)
        cl.expect(lambda: cl.vip_is(r1, "far", "down"), "VIP of an unresolved next hop")
        member = cl.vip(r1, "far")["members"][0]
        assert member["state"] == "down", "unresolved member: {}".format(member)
        assert "no route" in member["why"], "reason: {}".format(member)
        cl.configure(r1, route)
        cl.expect(lambda: cl.in_kernel(r2, "192.0.2.77"), "next hop got a route")
        cl.configure(r1, "no " + route)
        cl.expect(lambda: cl.not_in_kernel(r2, "192.0.2.77"), "next hop lost its route")
        cl.configure(r1, route)
        cl.expect(lambda: cl.in_kernel(r2, "192.0.2.77"), "next hop got it back")
    finally:
        cl.configure(r1, "no cluster vip far")
        cl.configure(r1, "no " + route)
    cl.expect(lambda: cl.not_in_kernel(r2, "192.0.2.77"), "VIP was deleted")
    assert cl.vip(r1, "far") == {}, "a deleted VIP is still shown"


def test_member_interface():
    "A member whose interface is given counts while the interface is up."
    r1, r2, _ = healthy()
    try:
        out = cl.configure(
            r1,
            "cluster vip direct",
            "member {} interface r1-eth1".format(MEMBER_V4),
            "address 192.0.2.78",
        )
        assert out == "", "configuration printed: {}".format(out)
        cl.expect(lambda: cl.in_kernel(r2, "192.0.2.78"), "VIP with an interface")
        hops = cl.kernel_hops(r1, "192.0.2.78")
        assert list(hops) == [MEMBER_V4], "next hops on the node: {}".format(hops)
        cl.configure(
            r1,
            "cluster vip direct",
            "member {} interface nosuch0".format(MEMBER_V4),
        )
        cl.expect(
            lambda: cl.not_in_kernel(r2, "192.0.2.78"), "the interface doesn't exist"
        )
        member = cl.vip(r1, "direct")["members"][0]
        assert "nosuch0" in member["why"], "reason: {}".format(member)
    finally:
        cl.configure(r1, "no cluster vip direct")


def link(gear, interface, state):
    "ip link set"
    gear.net.cmd_raises("ip link set {} {}".format(interface, state))


def test_interface_down():
    "The members' interface goes down on the node's side, then up."
    r1, r2, _ = healthy()
    try:
        link(r1, "r1-eth1", "down")
        expect_gone(r2, "the members' interface is down", cl.AT_ONCE)
    finally:
        link(r1, "r1-eth1", "up")
    expect_announced(r2, r1, "the members' interface is up")


def test_carrier_lost():
    "The same, by the other end."
    r1, r2, _ = healthy()
    host = cl.usable().gears["h1"]
    try:
        link(cl.usable().gears["s2"], "s2-eth0", "down")
        expect_gone(r2, "the members' interface has no carrier", cl.AT_ONCE)
    finally:
        link(cl.usable().gears["s2"], "s2-eth0", "up")
    expect_announced(r2, r1, "the carrier is back")
    assert cl.fetch(host, MEMBER_V4, 8080) == "h1", "the server itself is unhurt"


def restart_clusterd(r1, r2):
    "Start it again; the VIPs come back."
    cl.start_daemon(r1, "clusterd")
    expect_announced(r2, r1, "clusterd runs again")


def test_clusterd_terminated():
    "SIGTERM withdraws at once and leaves nothing."
    r1, r2, _ = healthy()
    mark = cl.log_mark(r1, "clusterd")
    cl.send_signal(r1, "clusterd", signal.SIGTERM)
    expect_gone(r2, "clusterd was terminated", cl.AT_ONCE)
    cl.expect(lambda: not cl.alive(r1, "clusterd"), "clusterd survives SIGTERM")
    for address in (VIP_V4, VIP_V6):
        assert not cl.kernel_hops(r1, address), "a route is left on the node"
    assert "taken out of the configuration" not in cl.log_of(r1)[mark:]
    restart_clusterd(r1, r2)


def test_clusterd_killed():
    "kill -9 withdraws at once: zebra's dead-man's switch."
    r1, r2, _ = healthy()
    cl.send_signal(r1, "clusterd", signal.SIGKILL)
    expect_gone(r2, "clusterd was killed", cl.AT_ONCE)
    for address in (VIP_V4, VIP_V6):
        assert not cl.kernel_hops(r1, address), "a route is left on the node"
    restart_clusterd(r1, r2)


def test_clusterd_stopped():
    "A clusterd that doesn't run (SIGSTOP) is ended by its watchdog."
    r1, r2, _ = healthy()
    cl.send_signal(r1, "clusterd", signal.SIGSTOP)
    expect_gone(r2, "clusterd is stopped", WATCHDOG)
    cl.expect(lambda: not cl.alive(r1, "clusterd"), "the watchdog left it alive")
    restart_clusterd(r1, r2)


def test_no_other_update():
    "A healthy VIP: the session is the one of the start, nothing flaps."
    r1, r2, _ = healthy()
    updates, messages = cl.updates_received(r2, R1_V4), cl.route_messages(r1)
    runs = cl.instance(r1, "web", MEMBER_V4)["runs"]
    cl.expect(
        lambda: cl.instance(r1, "web", MEMBER_V4)["runs"] >= runs + 10,
        "the probe stopped",
    )
    assert cl.route_messages(r1) == messages, "probes send routes to zebra"
    assert cl.updates_received(r2, R1_V4) == updates, "probes send UPDATEs"
