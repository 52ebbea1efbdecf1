# SPDX-License-Identifier: GPL-2.0-or-later
"""
Facts about FRR that clusterd is built on.

    h1 --- r1 (node) --- r2 (router)
    h2 --- r1 VRF red --- r3 (router of the VRF)

VRF red is a network namespace (zebra's netns backend).
"""

import lib_cluster as cl

DEFAULT_V4 = "198.51.100.1"
DEFAULT_V6 = "2001:db8:1::1"
RED_V4 = "198.51.100.129"
RED_V6 = "2001:db8:3::1"
VIP_V4 = "192.0.2.1"
VIP_V6 = "2001:db8:ff::1"
PROTO_ANYIP = 85

SERVER = {}


def build(tgen):
    "Two separate halves with r1 in both"
    for name in ("r1", "r2", "r3"):
        tgen.add_router(name)
    tgen.add_host("h1", ip="203.0.113.11/25", defaultRoute="via 203.0.113.1")
    tgen.add_host("h2", ip="203.0.113.139/25", defaultRoute="via 203.0.113.129")
    cl.connect(
        tgen,
        s1=("r1", "r2"),
        s2=("r1", "h1"),
        s3=("r1", "r3"),
        s4=("r1", "h2"),
    )


def prepare(tgen):
    "The VRF; IPv6 members."
    r1 = tgen.gears["r1"].net
    r1.cmd_raises("ip netns add red")
    for interface in ("r1-eth2", "r1-eth3"):
        r1.cmd_raises("ip link set {} netns red".format(interface))
        r1.cmd_raises("ip -n red link set {} up".format(interface))
    r1.cmd_raises("ip -n red link set lo up")
    r1.cmd_raises("ip netns exec red sysctl -w net.ipv4.ip_forward=1")
    r1.cmd_raises("ip netns exec red sysctl -w net.ipv6.conf.all.forwarding=1")
    for host, address in (("h1", "2001:db8:2::11"), ("h2", "2001:db8:4::11")):
        tgen.gears[host].net.cmd_raises(
            "ip address add {}/64 dev {}-eth0 nodad".format(address, host)
        )


def setup_module(module):
    "Start all; the netns backend is an option of zebra, on 10.x of all daemons."
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
    SERVER["h2"] = cl.HttpServer(tgen.gears["h2"], ["203.0.113.139:8080"])
    for router, addresses in (
        ("r2", (DEFAULT_V4, DEFAULT_V6)),
        ("r3", (RED_V4, RED_V6)),
    ):
        for address in addresses:
            cl.warm_up(tgen.gears[router], address)


def teardown_module(_module):
    "End."
    cl.stop()


def gears():
    "r1, r2, r3"
    tgen = cl.usable()
    return tgen.gears["r1"], tgen.gears["r2"], tgen.gears["r3"]


def communities(router, address):
    "Communities of the best path."
    return cl.bgp_path(router, address).get("community", {}).get("string")


def community_is(router, address, wanted):
    "For expect()."
    seen = communities(router, address)
    return seen == wanted, seen


def test_redistributed_in_default_vrf():
    "IPv4 and IPv6 host routes of our type reach BGP with a community by tag."
    r1, r2, _ = gears()
    for suffix, community in (("1", "65001:84"), ("85", "65001:85")):
        for address in ("192.0.2." + suffix, "2001:db8:ff::" + suffix):
            cl.expect(
                lambda a=address, c=community: community_is(r2, a, c),
                "{} with community {}".format(address, community),
            )
            cl.expect(lambda a=address: cl.in_kernel(r2, a), address)
            route = cl.rib(r1, address)
            assert route.get("selected"), "{} isn't selected: {}".format(address, route)
            assert route.get("installed"), "{} isn't installed: {}".format(
                address, route
            )
            assert route["distance"] == 15, "{}: {}".format(address, route)
    assert cl.bgp_path(r2, "192.0.2.85")["metric"] == 85, "MED by tag"


def in_bgp(router, name):
    "What clusterd knows of each address of a VIP: (all the same, what)."
    vip = cl.vip(router, name)
    seen = {address.get("inBgp") for address in vip["addresses"]}
    return (seen.pop() if len(seen) == 1 else seen), vip


def in_bgp_is(router, name, wanted):
    "For expect()."
    seen, vip = in_bgp(router, name)
    return seen is wanted, vip


def test_tag_without_entry_stays():
    """
    A tag that the route-map doesn't match isn't announced, and shown: bgpd is
    asked where clusterd keeps a map, whatever map it redistributes by.
    """
    r1, r2, _ = gears()
    for address in ("192.0.2.86", "2001:db8:ff::86"):
        cl.expect(
            lambda a=address: cl.in_kernel(r1, a), "{} on the node".format(address)
        )
        assert not cl.bgp_path(r2, address), "{} is announced".format(address)
    # The VIP is announced to zebra, and zebra has it.
    cl.expect(lambda: cl.vip_is(r1, "blue-86", "announced"), "state of the VIP")
    vip = cl.vip(r1, "blue-86")
    assert vip["why"] == "", "no map is kept, and bgpd is asked: {}".format(vip)
    assert in_bgp(r1, "blue-86")[0] is None, "no map is kept: {}".format(vip)
    cl.configure(r1, "cluster bgp route-map CLUSTERD-FACTS")
    try:
        cl.expect(lambda: in_bgp_is(r1, "blue-86", False), "denied by the map", 60)
        vip = cl.vip(r1, "blue-86")
        assert vip["state"] == "announced", "it is a remark: {}".format(vip)
        hint = "no `redistribute openfabric route-map CLUSTERD-FACTS`"
        assert "not in bgpd" in vip["why"] and hint in vip["why"], vip["why"]
        assert "not in bgpd" in r1.vtysh_cmd("show cluster vip blue-86")
        assert in_bgp(r1, "blue")[0] is True, "others: {}".format(cl.vip(r1, "blue"))
        assert in_bgp(r1, "red")[0] is None, "of another VRF, without a map"
        counts = cl.vtysh_json(r1, "show cluster summary json")["vips"]
        assert counts["addressesNotInBgp"] == 2, counts
        assert "2 of them NOT in bgpd" in r1.vtysh_cmd("show cluster summary")
        # It is there for a moment: the remark goes; and comes back.
        entry = "route-map VIPS permit 30"
        cl.configure(r1, entry, "match tag 86")
        cl.expect(lambda: in_bgp_is(r1, "blue-86", True), "permitted", 60)
        assert cl.vip(r1, "blue-86")["why"] == "", "the remark stays"
        cl.configure(r1, "no " + entry)
        cl.expect(lambda: in_bgp_is(r1, "blue-86", False), "denied again", 60)
    finally:
        cl.configure(r1, "no cluster bgp route-map CLUSTERD-FACTS")
    cl.expect(lambda: in_bgp_is(r1, "blue-86", None), "no map is kept any more")
    assert cl.vip(r1, "blue-86")["why"] == "", "no map is kept, and it remarks"
    cl.configure(r1, "no route-map CLUSTERD-FACTS")


def test_redistributed_in_vrf():
    "The same prefixes in a netns VRF: other routes, other neighbours."
    r1, _, r3 = gears()
    for address in (VIP_V4, VIP_V6):
        cl.expect(
            lambda a=address: community_is(r3, a, "65001:84"),
            "{} in the VRF".format(address),
        )
        cl.expect(
            lambda a=address: cl.in_kernel(r3, a), "{} in the VRF".format(address)
        )
    hops = cl.kernel_hops(r1, VIP_V4, "red")
    assert set(hops) == {"203.0.113.139"}, "next hops in the VRF: {}".format(hops)
    hops = cl.kernel_hops(r1, VIP_V4)
    assert set(hops) == {"203.0.113.11"}, "next hops outside: {}".format(hops)
    assert cl.vip(r1, "red")["vrf"] == "red", "VRF in JSON"


def test_probe_in_vrf():
    "A probe runs inside the VRF of the VIP that uses it (case 16)."
    r1, _, r3 = gears()
    server = SERVER["h2"]
    cl.expect(lambda: cl.in_kernel(r3, "192.0.2.3"), "VIP with a probe in the VRF")
    seen = cl.instance(r1, "red-web", "203.0.113.139")
    assert seen["vrf"] == "red", "VRF of the instance: {}".format(seen)
    assert server.stat("203.0.113.139:8080")["connections"], "nothing arrived there"
    server.tell("*", "503")
    cl.expect(lambda: cl.not_in_kernel(r3, "192.0.2.3"), "the service in the VRF fails")
    server.tell("*", "ok")
    cl.expect(lambda: cl.in_kernel(r3, "192.0.2.3"), "the service is back")


def network(router, instance, address, no=""):
    "bgpd of a router announces an address, or not any more."
    cl.configure(
        router,
        "{}ip route {}/32 Null0".format(no, address),
        instance,
        "address-family ipv4 unicast",
        "{}network {}/32".format(no, address),
    )


def test_uplink_in_vrf():
    "Routes that BGP has brought to the VRF, and an interface of it, count only."
    r1, r2, r3 = gears()
    outer, inner, vip = "192.0.2.201", "192.0.2.202", "192.0.2.8"
    cable = "ip {0} link add cable0 type veth peer name cable1"
    cable += " && ip {0} link set cable0 up && ip {0} link set cable1 up"

    def expect_down(why):
        cl.expect(lambda: cl.not_in_kernel(r3, vip), "announced: " + why)
        seen = cl.vip(r1, "up-red")
        assert why in seen["why"], "reason: {}".format(seen)

    try:
        cl.configure(
            r1,
            "cluster probe cable",
            "type interface",
            "interface cable0",
            "cluster vip up-red",
            "vrf red",
            "flip-interval 0",
            "damping off",
            "uplink bgp-routes 1",
            "member 203.0.113.139",
            "address " + vip,
        )
        network(r2, "router bgp 65002", outer)
        cl.expect(lambda: cl.in_kernel(r1, outer), "not learned")
        cl.expect(lambda: cl.vip_is(r1, "up-red", "down"), "routes of another VRF")
        expect_down("too few routes learned by BGP in VRF red")
        network(r3, "router bgp 65003", inner)
        cl.expect(lambda: cl.in_kernel(r3, vip), "the VRF has a learned route")

        r1.net.cmd_raises(cable.format(""))
        cl.configure(r1, "cluster vip up-red", "uplink probe cable")
        expect_down("probe cable is not up")
        r1.net.cmd_raises(cable.format("-n red"))
        cl.expect(lambda: cl.in_kernel(r3, vip), "the interface is in the VRF now")
        r1.net.cmd_raises("ip -n red link set cable1 down")
        expect_down("probe cable is not up")
        r1.net.cmd_raises("ip -n red link set cable1 up")
        cl.expect(lambda: cl.in_kernel(r3, vip), "the interface is up again")
        network(r3, "router bgp 65003", inner, "no ")
        expect_down("too few routes learned by BGP in VRF red")
    finally:
        cl.configure(r1, "no cluster vip up-red", "no cluster probe cable")
        for netns in ("", "-n red"):
            r1.net.cmd_status("ip {} link del cable0".format(netns), warn=False)
        network(r2, "router bgp 65002", outer, "no ")
        network(r3, "router bgp 65003", inner, "no ")


def test_no_redistribute_in_vrf():
    "no redistribute in one VRF leaves the others alone."
    r1, r2, r3 = gears()
    vrf = ["router bgp 65001 vrf red", "address-family ipv4 unicast"]
    cl.configure(r1, *vrf, "no redistribute openfabric")
    cl.expect(lambda: cl.not_in_kernel(r3, VIP_V4), "no redistribute in the VRF")
    assert cl.kernel_hops(r3, VIP_V6), "IPv6 of the VRF went, too"
    out = cl.configure(
        r1, "cluster vip blue", "address 192.0.2.7", "address 2001:db8:ff::7"
    )
    assert out == "", "configuration printed: {}".format(out)
    for address in ("192.0.2.7", "2001:db8:ff::7"):
        cl.expect(
            lambda a=address: cl.in_kernel(r2, a),
            "{} in the default VRF".format(address),
        )
    cl.configure(
        r1, "cluster vip blue", "no address 192.0.2.7", "no address 2001:db8:ff::7"
    )
    cl.configure(r1, *vrf, "redistribute openfabric route-map VIPS")
    cl.expect(lambda: cl.in_kernel(r3, VIP_V4), "redistribute in the VRF again")


def test_vip_changes_its_vrf():
    "A VIP is moved to another VRF and back."
    r1, r2, r3 = gears()
    cl.configure(
        r1,
        "cluster vip mover",
        "member 203.0.113.11",
        "member 203.0.113.139",
        "address 192.0.2.4",
    )
    cl.expect(lambda: cl.in_kernel(r2, "192.0.2.4"), "in the default VRF")
    cl.configure(r1, "cluster vip mover", "vrf red")
    cl.expect(lambda: cl.in_kernel(r3, "192.0.2.4"), "in VRF red")
    cl.expect(lambda: cl.not_in_kernel(r2, "192.0.2.4"), "no more in the default VRF")
    cl.configure(r1, "cluster vip mover", "no vrf")
    cl.expect(lambda: cl.in_kernel(r2, "192.0.2.4"), "in the default VRF again")
    cl.expect(lambda: cl.not_in_kernel(r3, "192.0.2.4"), "no more in VRF red")
    cl.configure(r1, "no cluster vip mover")
    cl.expect(lambda: cl.not_in_kernel(r2, "192.0.2.4"), "deleted")


def test_anyip_is_invisible():
    """
    AnyIP (a local route for the VIP, no address): zebra doesn't see it, our
    route stays selected and announced, `redistribute connected` and `kernel`
    don't pick it up.
    """
    r1, r2, _ = gears()
    routes = [
        ("-4", VIP_V4),
        ("-6", VIP_V6),
        ("-4", "192.0.2.123"),
        ("-6", "2001:db8:ff::123"),
    ]
    families = ["address-family ipv4 unicast", "address-family ipv6 unicast"]
    updates = cl.updates_received(r2, DEFAULT_V4)
    for family, address in routes:
        r1.net.cmd_raises(
            "ip {} route add local {} dev lo table local proto {}".format(
                family, address, PROTO_ANYIP
            )
        )
    try:
        for family in families:
            for kind in ("connected", "kernel"):
                cl.configure(r1, "router bgp 65001", family, "redistribute " + kind)
        # The connected routes show that redistribution has happened.
        cl.expect(
            lambda: cl.bgp_path(r1, "203.0.113.0")
            or cl.vtysh_json(r1, "show bgp ipv4 unicast 203.0.113.0/25 json").get(
                "paths"
            ),
            "connected routes aren't redistributed",
        )
        cl.stays(
            lambda: (
                not cl.bgp_path(r1, "192.0.2.123")
                and not cl.bgp_path(r1, "2001:db8:ff::123")
            ),
            "a local route reached bgpd",
            1,
        )
        for address in (VIP_V4, VIP_V6):
            route = cl.rib(r1, address)
            assert route.get("selected"), "{} is hidden: {}".format(address, route)
            assert cl.kernel_hops(r2, address), "{} was withdrawn".format(address)
            assert communities(r2, address) == "65001:84", "{} changed".format(address)
        assert cl.vip(r1, "blue")["state"] == "announced", "state: {}".format(
            cl.vip(r1, "blue")
        )
        # What comes from outside is delivered here, not forwarded.
        cl.expect(
            lambda: r2.net.cmd_status("ping -c 1 -W 1 " + VIP_V4, warn=False)[0] == 0,
            "the VIP isn't delivered locally",
        )
    finally:
        for family in families:
            for kind in ("connected", "kernel"):
                cl.configure(r1, "router bgp 65001", family, "no redistribute " + kind)
        for family, address in routes:
            r1.net.cmd_status(
                "ip {} route del local {} dev lo table local proto {}".format(
                    family, address, PROTO_ANYIP
                ),
                warn=False,
            )
    cl.expect(lambda: cl.in_kernel(r2, VIP_V4), "the VIP without AnyIP")
    assert cl.updates_received(r2, DEFAULT_V4) >= updates, "the session was reset"


def test_address_on_lo_hides():
    "An address on lo hides the VIP: withdrawn, shown, and back (case 12)."
    r1, r2, _ = gears()
    for address, other in ((VIP_V4, VIP_V6), (VIP_V6, VIP_V4)):
        r1.net.cmd_raises("ip address add {} dev lo".format(cl.prefix_of(address)))
        try:
            cl.expect(
                lambda a=address: cl.address_is(r1, "blue", a, "hidden"),
                "{} on lo".format(address),
            )
            state = cl.vip(r1, "blue")
            why = [a["why"] for a in state["addresses"] if a["address"] == address][0]
            assert "lo" in why.split() or "lo" in why, "reason: {}".format(why)
            assert state["state"] == "partial", "state of the VIP: {}".format(state)
            cl.expect(
                lambda a=address: (not cl.bgp_path(r2, a), cl.bgp_path(r2, a)),
                "{} is announced though hidden".format(address),
            )
            assert cl.kernel_hops(r2, other), "{} went, too".format(other)
        finally:
            r1.net.cmd_raises("ip address del {} dev lo".format(cl.prefix_of(address)))
        cl.expect(
            lambda a=address: cl.address_is(r1, "blue", a, "announced"),
            "{} isn't on lo any more".format(address),
        )
        cl.expect(lambda a=address: cl.in_kernel(r2, a), "{} is back".format(address))


def test_better_route_hides():
    "A static route for the VIP's prefix hides it; shown with the reason."
    r1, _, _ = gears()
    route = "ip route {}/32 203.0.113.12".format(VIP_V4)
    cl.configure(r1, route)
    try:
        cl.expect(lambda: cl.address_is(r1, "blue", VIP_V4, "hidden"), "a static route")
        why = [a["why"] for a in cl.vip(r1, "blue")["addresses"]]
        assert any(why), "no reason: {}".format(why)
    finally:
        cl.configure(r1, "no " + route)
    cl.expect(lambda: cl.address_is(r1, "blue", VIP_V4, "announced"), "no static route")


def test_session_of_vrf_is_independent():
    "clusterd dies: both VRFs are withdrawn at once, both come back."
    r1, r2, r3 = gears()
    cl.end_daemon(r1, "clusterd", cl.signal.SIGKILL)
    for router in (r2, r3):
        for address in (VIP_V4, VIP_V6):
            cl.expect(
                lambda r=router, a=address: cl.not_in_kernel(r, a),
                "{}: {} is left".format(router.name, address),
                cl.AT_ONCE,
            )
    cl.start_daemon(r1, "clusterd")
    for router in (r2, r3):
        for address in (VIP_V4, VIP_V6):
            cl.expect(
                lambda r=router, a=address: cl.in_kernel(r, a),
                "{}: {} doesn't come back".format(router.name, address),
            )
