# SPDX-License-Identifier: GPL-2.0-or-later
"""
A VIP over several members is an ECMP route over those that are healthy.

    h1, h2, h3 (web servers) --- r1 (node) --- r2 (router)

The members have weights 1, 2 and 4.  FRR 10.x scales weights before the kernel
gets them, so ratios are compared.
"""

import lib_cluster as cl

R1_V4 = "198.51.100.1"
R1_V6 = "2001:db8:1::1"
VIP_V4 = "192.0.2.1"
VIP_V6 = "2001:db8:ff::1"
HOSTS = ("h1", "h2", "h3")
WEIGHTS = {"h1": 1, "h2": 2, "h3": 4}
V4 = {"h1": "203.0.113.11", "h2": "203.0.113.12", "h3": "203.0.113.13"}
V6 = {"h1": "2001:db8:2::11", "h2": "2001:db8:2::12", "h3": "2001:db8:2::13"}

SERVERS = {}


def build(tgen):
    "h1, h2, h3 - r1 - r2"
    for name in ("r1", "r2"):
        tgen.add_router(name)
    for name in HOSTS:
        tgen.add_host(name, ip=V4[name] + "/24", defaultRoute="via 203.0.113.1")
    cl.connect(tgen, s1=("r1", "r2"), s2=("r1",) + HOSTS)


def prepare(tgen):
    "Addresses of the hosts; flows are spread by ports, too."
    for name in HOSTS:
        host = tgen.gears[name].net
        host.cmd_raises("ip address add {}/32 dev lo".format(VIP_V4))
        host.cmd_raises("ip address add {}/128 dev lo nodad".format(VIP_V6))
        host.cmd_raises("ip address add {}/64 dev {}-eth0 nodad".format(V6[name], name))
        host.cmd_raises("ip -6 route add default via 2001:db8:2::1")
    node = tgen.gears["r1"].net
    node.cmd_raises("sysctl -w net.ipv4.fib_multipath_hash_policy=1")
    node.cmd_raises("sysctl -w net.ipv6.fib_multipath_hash_policy=1")


def setup_module(module):
    "Start all."
    tgen = cl.start(
        module,
        build,
        {"r1": ["zebra", "bgpd", "clusterd"], "r2": ["zebra", "bgpd"]},
        prepare=prepare,
    )
    for name in HOSTS:
        SERVERS[name] = cl.HttpServer(
            tgen.gears[name],
            [
                V4[name] + ":8080",
                "[" + V6[name] + "]:8080",
                VIP_V4 + ":80",
                "[" + VIP_V6 + "]:80",
            ],
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


def ratios(hops):
    "Weights in relation to the smallest."
    least = min(hops.values(), default=1)
    return {hop: weight / least for hop, weight in hops.items()}


def spread_is(router, address, wanted):
    """
    For expect(): RIB and kernel have exactly these next hops, with weights in
    this ratio (FRR rounds when it scales: within 2 %).
    """
    wanted = ratios(wanted)
    for place, seen in (
        ("RIB", cl.rib_hops(router, address)),
        ("kernel", cl.kernel_hops(router, address)),
    ):
        got = ratios(seen)
        if set(got) != set(wanted):
            return False, "{} of {}: {}".format(place, address, seen)
        for hop, ratio in wanted.items():
            if abs(got[hop] - ratio) > 0.02 * ratio:
                return False, "weights in {} of {}: {}".format(place, address, seen)
    return True, ""


def expect_spread(names, why, weights=None):
    "The VIP goes over these members, both families, and over no others."
    r1, r2 = gears()
    weights = weights or WEIGHTS
    for address, members in ((VIP_V4, V4), (VIP_V6, V6)):
        wanted = {members[name]: weights[name] for name in names}
        cl.expect(
            lambda a=address, w=wanted: spread_is(r1, a, w),
            "ECMP of {} isn't over {}: {}".format(address, names, why),
        )
        if names:
            cl.expect(
                lambda a=address: cl.in_kernel(r2, a),
                "{} isn't at the router: {}".format(address, why),
            )
        else:
            cl.expect(
                lambda a=address: cl.not_in_kernel(r2, a),
                "{} is still at the router: {}".format(address, why),
            )


def everything_healthy():
    "All servers answer, all members carry."
    for name in HOSTS:
        if SERVERS[name] not in cl.HttpServer.running:
            SERVERS[name].start()
        SERVERS[name].tell("*", "ok")
    expect_spread(HOSTS, "before the test")
    return gears()


def probe_only(name, order):
    "Steer the listeners that are probed, not those that serve the VIP."
    for address in (V4[name] + ":8080", "[" + V6[name] + "]:8080"):
        SERVERS[name].tell(address, order)


def test_weights():
    "RIB and kernel spread 1:2:4, IPv4 and IPv6."
    r1, _ = everything_healthy()
    cl.expect(lambda: cl.vip_is(r1, "pool", "announced"), "state of the VIP")
    state = cl.vip(r1, "pool")
    seen = {m["address"]: (m["weight"], m["state"]) for m in state["members"]}
    wanted = {}
    for name in HOSTS:
        wanted[V4[name]] = (WEIGHTS[name], "up")
        wanted[V6[name]] = (WEIGHTS[name], "up")
    assert seen == wanted, "members in JSON: {}".format(state)


def answering(router, address, requests):
    "Which hosts answered."
    return {cl.fetch(router, address) for _ in range(requests)}


def test_traffic_is_spread():
    "Many connections reach more than one member; none is lost."
    _, r2 = everything_healthy()
    for address in (VIP_V4, VIP_V6):
        cl.expect(lambda a=address: cl.fetch(r2, a), "no answer at all")
        seen = answering(r2, address, 20)
        assert "" not in seen, "requests to {} got lost".format(address)
        assert len(seen) > 1, "all of {} went to {}".format(address, seen)


def test_member_fails():
    "A failed member leaves RIB and kernel, and comes back (case 14)."
    r1, r2 = everything_healthy()
    session = cl.session_start(r2, R1_V4)
    for name in HOSTS:
        rest = tuple(n for n in HOSTS if n != name)
        probe_only(name, "close")
        expect_spread(rest, "{} failed".format(name))
        for address in (VIP_V4, VIP_V6):
            seen = answering(r2, address, 6)
            assert not seen - set(rest), "{} after {} failed: {}".format(
                address, name, seen
            )
        member = [m for m in cl.vip(r1, "pool")["members"] if m["address"] == V4[name]]
        assert member[0]["state"] == "down", "failed member: {}".format(member)
        assert member[0]["why"], "no reason for a failed member: {}".format(member)
        probe_only(name, "ok")
        expect_spread(HOSTS, "{} is back".format(name))
    assert cl.session_start(r2, R1_V4) == session, "the BGP session was reset"


def test_host_disappears():
    "A member that answers nothing, not even ARP."
    everything_healthy()
    switch = cl.usable().gears["s2"].net
    try:
        switch.cmd_raises("ip link set s2-eth2 down")
        expect_spread(("h1", "h3"), "h2 has no link")
    finally:
        switch.cmd_raises("ip link set s2-eth2 up")
    expect_spread(HOSTS, "h2 has its link again")


def test_all_members_fail():
    "All fail: withdrawn, with the reason; back with the first (case 8)."
    r1, _ = everything_healthy()
    for name in HOSTS:
        probe_only(name, "close")
    expect_spread((), "all members failed")
    cl.expect(lambda: cl.vip_is(r1, "pool", "down"), "state of the VIP")
    state = cl.vip(r1, "pool")
    assert state["why"], "no reason: {}".format(state)
    for address in state["addresses"]:
        assert address["state"] == "down", "address: {}".format(address)
        assert address["why"], "no reason for the address: {}".format(address)
    probe_only("h2", "ok")
    expect_spread(("h2",), "the first member is back")


def test_min_up():
    "Below min-up the VIP is withdrawn, at it the VIP is announced."
    r1, _ = everything_healthy()
    try:
        out = cl.configure(r1, "cluster vip pool", "min-up 2")
        assert out == "", "min-up printed: {}".format(out)
        expect_spread(HOSTS, "min-up 2, three up")
        probe_only("h1", "close")
        expect_spread(("h2", "h3"), "min-up 2, two up")
        probe_only("h2", "close")
        expect_spread((), "min-up 2, one up")
        state = cl.vip(r1, "pool")
        assert state["state"] == "down", "one of three, min-up 2: {}".format(state)
        assert (
            "1" in state["why"] and "2" in state["why"]
        ), "the reason names neither count: {}".format(state)
        cl.configure(r1, "cluster vip pool", "min-up 1")
        expect_spread(("h3",), "min-up 1, one up")
        cl.configure(r1, "cluster vip pool", "min-up 4")
        expect_spread((), "more wanted than there are")
    finally:
        cl.configure(r1, "cluster vip pool", "no min-up")
    probe_only("h1", "ok")
    probe_only("h2", "ok")
    expect_spread(HOSTS, "all are back")


def test_member_removed_and_added():
    "Members come and go by configuration."
    r1, r2 = everything_healthy()
    updates = cl.updates_received(r2, R1_V4)
    out = cl.configure(
        r1,
        "cluster vip pool",
        "no member {} weight 4".format(V4["h3"]),
        "no member " + V6["h3"],
    )
    assert out == "", "no member printed: {}".format(out)
    expect_spread(("h1", "h2"), "h3 isn't configured")
    out = cl.configure(
        r1,
        "cluster vip pool",
        "member {} weight 4".format(V4["h3"]),
        "member {} weight 4".format(V6["h3"]),
    )
    assert out == "", "member printed: {}".format(out)
    expect_spread(HOSTS, "h3 is configured again")
    assert (
        cl.updates_received(r2, R1_V4) == updates
    ), "the router got UPDATEs though only the node's own next hops changed"


def test_weight_changed():
    "A new weight reaches RIB and kernel; a line without weight means 1."
    r1, _ = everything_healthy()
    new = {"h1": 5, "h2": 2, "h3": 1}
    cl.configure(
        r1,
        "cluster vip pool",
        *["member {} weight {}".format(V4[n], new[n]) for n in ("h1", "h2")],
        "member " + V4["h3"],
        *["member {} weight {}".format(V6[n], new[n]) for n in ("h1", "h2")],
        "member " + V6["h3"],
    )
    expect_spread(HOSTS, "weights were changed", new)
    cl.configure(
        r1,
        "cluster vip pool",
        *["member {} weight {}".format(V4[n], WEIGHTS[n]) for n in HOSTS],
        *["member {} weight {}".format(V6[n], WEIGHTS[n]) for n in HOSTS],
    )
    expect_spread(HOSTS, "weights were changed back")


def test_member_without_probe():
    "A member without a probe counts when its next hop is resolved."
    r1, r2 = everything_healthy()
    try:
        cl.configure(
            r1,
            "cluster vip plain",
            "member {}".format(V4["h1"]),
            "member {}".format(V4["h2"]),
            "address 192.0.2.5",
        )
        wanted = {V4["h1"]: 1, V4["h2"]: 1}
        cl.expect(
            lambda: spread_is(r1, "192.0.2.5", wanted), "VIP without a probe, spread"
        )
        cl.expect(lambda: cl.in_kernel(r2, "192.0.2.5"), "VIP without a probe")
        cl.configure(r1, "cluster vip plain", "member {} probe web".format(V4["h2"]))
        probe_only("h2", "close")
        cl.expect(
            lambda: spread_is(r1, "192.0.2.5", {V4["h1"]: 1}),
            "the member's own probe failed",
        )
        probe_only("h2", "ok")
        cl.expect(lambda: spread_is(r1, "192.0.2.5", wanted), "its probe passes again")
    finally:
        cl.configure(r1, "no cluster vip plain")
    cl.expect(lambda: cl.not_in_kernel(r2, "192.0.2.5"), "deleted VIP")


def test_attributes():
    "Tag, metric and distance reach the RIB; the tag decides what is announced."
    r1, r2 = everything_healthy()
    try:
        cl.configure(r1, "cluster vip pool", "tag 85", "metric 17", "distance 33")

        def in_rib(address):
            route = cl.rib(r1, address)
            seen = [route.get(key) for key in ("tag", "metric", "distance")]
            return seen == [85, 17, 33], seen

        for address in (VIP_V4, VIP_V6):
            cl.expect(lambda a=address: in_rib(a), "attributes in the RIB")
            cl.expect(
                lambda a=address: cl.not_in_kernel(r2, a),
                "a tag that the route-map doesn't match is announced",
            )
    finally:
        cl.configure(r1, "cluster vip pool", "no tag", "no metric", "no distance")
    expect_spread(HOSTS, "default attributes again")
    assert cl.rib(r1, VIP_V4)["tag"] == 84, "default tag"
