# SPDX-License-Identifier: GPL-2.0-or-later
"""
Which next hop the neighbours see for a VIP with members.

    h1 (near member) --+
    r2 (eBGP) ---------+-- r1 (node) --- r3 (iBGP)
                           |
                           h2 (far members)

bgpd takes a VIP's first member as next hop.  A neighbour in that member's
subnet, or any iBGP neighbour, then goes past the node.  A route-map at
`redistribute` that sets the node's own address prevents that; so does
next-hop-self.
"""

import pytest
import lib_cluster as cl

EBGP = {4: "198.51.100.2", 6: "2001:db8:1::2"}
IBGP = {4: "198.51.100.130", 6: "2001:db8:3::2"}
NODE = {4: "198.51.100.1", 6: "2001:db8:1::1"}
# The node's address on the link to the iBGP neighbour.
NODE_IBGP = {4: "198.51.100.129", 6: "2001:db8:3::1"}
NEAR = {4: "198.51.100.11", 6: "2001:db8:1::11"}
FAR = {4: "203.0.113.11", 6: "2001:db8:2::11"}
VIP_NEAR = {4: "192.0.2.1", 6: "2001:db8:ff::1"}
VIP_FAR = {4: "192.0.2.2", 6: "2001:db8:ff::2"}
FAMILY = {4: "address-family ipv4 unicast", 6: "address-family ipv6 unicast"}


def build(tgen):
    "r1 in the middle"
    for name in ("r1", "r2", "r3"):
        tgen.add_router(name)
    tgen.add_host("h1", ip=NEAR[4] + "/25", defaultRoute="via 198.51.100.1")
    tgen.add_host("h2", ip=FAR[4] + "/24", defaultRoute="via 203.0.113.1")
    cl.connect(
        tgen,
        s1=("r1", "r2", "h1"),
        s2=("r1", "r3"),
        s3=("r1", "h2"),
    )


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
    )
    for family in (4, 6):
        cl.warm_up(tgen.gears["r2"], NODE[family])
        cl.warm_up(tgen.gears["r3"], NODE_IBGP[family])
    for name in ("near", "far"):
        cl.expect(
            lambda n=name: cl.vip_is(tgen.gears["r1"], n, "announced"),
            "VIP {} isn't in zebra".format(name),
        )


def teardown_module(_module):
    "End."
    cl.stop()


def gears():
    "r1, r2, r3"
    tgen = cl.usable()
    return tgen.gears["r1"], tgen.gears["r2"], tgen.gears["r3"]


@pytest.fixture(name="bgp")
def fixture_bgp():
    "Configures address families of bgpd; takes everything back in the end."
    r1 = gears()[0]
    undo = []

    def configure(*lines):
        for family in (4, 6):
            for line in lines:
                line = line.format(
                    family="" if family == 4 else "6",
                    ebgp=EBGP[family],
                    ibgp=IBGP[family],
                )
                out = cl.configure(r1, "router bgp 65001", FAMILY[family], line)
                assert out == "", "{}: {}".format(line, out)
                undo.append((family, "no " + line))

    yield configure
    for family, line in reversed(undo):
        if line.startswith("no redistribute"):
            line = "no redistribute openfabric"
        cl.configure(r1, "router bgp 65001", FAMILY[family], line)
    for router in gears()[1:]:
        for address in list(VIP_NEAR.values()) + list(VIP_FAR.values()):
            cl.expect(
                lambda r=router, a=address: cl.not_in_kernel(r, a),
                "{}: {} is left over".format(router.name, address),
            )


def next_hop_is(router, address, wanted):
    """
    For expect(): the next hop that the neighbour got (global address for
    IPv6), whether or not it can be used.
    """
    out = cl.vtysh_json(
        router,
        "show bgp {} unicast {} json".format(
            "ipv6" if ":" in address else "ipv4", cl.prefix_of(address)
        ),
    )
    seen = [
        hop["ip"]
        for path in out.get("paths", [])
        for hop in path["nexthops"]
        if hop.get("scope", "global") == "global"
    ]
    return seen == [wanted], seen


def expect_next_hops(router, address, wanted, why):
    "All VIPs of both families; `address` and `wanted` by family."
    for family in (4, 6):
        cl.expect(
            lambda f=family: next_hop_is(router, address[f], wanted[f]),
            "{}: next hop of {} isn't {}: {}".format(
                router.name, address[family], wanted[family], why
            ),
        )


@pytest.mark.parametrize("outbound_map", [False, True])
def test_plain_map(bgp, outbound_map):
    "No next hop set: third-party where the neighbour is in the subnet, or iBGP."
    _, r2, r3 = gears()
    bgp("redistribute openfabric route-map PLAIN")
    if outbound_map:
        bgp("neighbor {ebgp} route-map OUT out", "neighbor {ibgp} route-map OUT out")
        cl.expect(
            lambda: cl.bgp_path(r2, VIP_NEAR[4])["community"]["string"] == "65001:1",
            "the outbound map isn't in effect",
        )
    expect_next_hops(r2, VIP_NEAR, NEAR, "eBGP, member in the neighbour's subnet")
    expect_next_hops(r2, VIP_FAR, NODE, "eBGP, member elsewhere")
    expect_next_hops(r3, VIP_NEAR, NEAR, "iBGP, unchanged")
    expect_next_hops(r3, VIP_FAR, FAR, "iBGP, unchanged: the first member")
    # Without a route to the members the iBGP neighbour can't use it at all.
    cl.expect(lambda: cl.not_in_kernel(r3, VIP_FAR[4]), "iBGP without a route")


@pytest.mark.parametrize("outbound_map", [False, True])
def test_own_address_set(bgp, outbound_map):
    "set ip next-hop OWN at redistribute: through the node, everywhere."
    r1, r2, r3 = gears()
    bgp("redistribute openfabric route-map OWN{family}")
    if outbound_map:
        bgp("neighbor {ebgp} route-map OUT out", "neighbor {ibgp} route-map OUT out")
        cl.expect(
            lambda: cl.bgp_path(r2, VIP_NEAR[4])["community"]["string"] == "65001:1",
            "the outbound map isn't in effect",
        )
    for address in (VIP_NEAR, VIP_FAR):
        expect_next_hops(r2, address, NODE, "eBGP, own address set")
        expect_next_hops(r3, address, NODE, "iBGP, own address set")
        for family in (4, 6):
            for router in (r2, r3):
                cl.expect(
                    lambda r=router, a=address[family]: cl.in_kernel(r, a),
                    "{}: {} can't be used".format(router.name, address[family]),
                )
    # The VIP itself goes to the members as before.
    hops = cl.kernel_hops(r1, VIP_FAR[4])
    assert set(hops) == {FAR[4], "203.0.113.12"}, "next hops of the node: {}".format(
        hops
    )


def test_next_hop_self(bgp):
    "next-hop-self: the session's own address."
    _, r2, r3 = gears()
    bgp(
        "redistribute openfabric route-map PLAIN",
        "neighbor {ebgp} next-hop-self",
        "neighbor {ibgp} next-hop-self",
    )
    for address in (VIP_NEAR, VIP_FAR):
        expect_next_hops(r2, address, NODE, "eBGP, next-hop-self")
        expect_next_hops(r3, address, NODE_IBGP, "iBGP, next-hop-self")
        for family in (4, 6):
            for router in (r2, r3):
                cl.expect(
                    lambda r=router, a=address[family]: cl.in_kernel(r, a),
                    "{}: {} can't be used".format(router.name, address[family]),
                )


def test_first_member_changes(bgp):
    "The first member fails or goes: nothing changes for the neighbours."
    r1, r2, r3 = gears()
    bgp("redistribute openfabric route-map OWN{family}")
    for address in (VIP_NEAR, VIP_FAR):
        expect_next_hops(r2, address, NODE, "before")
        expect_next_hops(r3, address, NODE, "before")
    before = [
        cl.updates_received(r2, NODE[4]),
        cl.updates_received(r3, NODE_IBGP[4]),
    ]
    cl.configure(r1, "cluster vip far", "no member " + FAR[4])
    try:
        cl.expect(
            lambda: set(cl.kernel_hops(r1, VIP_FAR[4])) == {"203.0.113.12"},
            "the node keeps the member",
        )
        # A later change that does reach the neighbours marks the end.
        cl.configure(r1, "cluster vip far", "address 192.0.2.3")
        for router in (r2, r3):
            cl.expect(
                lambda r=router: cl.in_kernel(r, "192.0.2.3"),
                "{}: the new address".format(router.name),
            )
        after = [
            cl.updates_received(r2, NODE[4]),
            cl.updates_received(r3, NODE_IBGP[4]),
        ]
        assert after == [
            count + 1 for count in before
        ], "another first member sent UPDATEs: {} -> {}".format(before, after)
    finally:
        cl.configure(r1, "cluster vip far", "member " + FAR[4], "no address 192.0.2.3")


def map_is_there(router):
    "For expect(): bgpd warns of one that doesn't exist."
    seen = cl.vtysh_json(router, "show cluster bgp policy json")["default"]
    return seen["status"] == "in-step" and seen["entries"] > 0, seen


def test_maintained_map(bgp):
    "clusterd's own map sets the node's address, and leaves the next hop alone."
    r1, _, r3 = gears()
    cl.configure(
        r1,
        "cluster bgp route-map CLUSTERD-VIP",
        "cluster bgp next-hop " + NODE[4],
        "cluster bgp next-hop " + NODE[6],
    )
    try:
        cl.expect(lambda: map_is_there(r1), "the map isn't written")
        bgp("redistribute openfabric route-map CLUSTERD-VIP")
        expect_next_hops(r3, VIP_FAR, NODE, "the node's address")
        cl.configure(r1, "cluster bgp next-hop unchanged")
        expect_next_hops(r3, VIP_FAR, FAR, "unchanged: the first member")
        cl.configure(r1, "no cluster bgp next-hop unchanged")
        expect_next_hops(r3, VIP_FAR, NODE, "the node's address again")
    finally:
        cl.configure(
            r1,
            "no cluster bgp next-hop unchanged",
            "no cluster bgp next-hop " + NODE[4],
            "no cluster bgp next-hop " + NODE[6],
            "no cluster bgp route-map CLUSTERD-VIP",
        )


def test_what_bgpd_refuses():
    "The two ways that don't work, so that the manual may say so."
    r1 = gears()[0]
    out = cl.configure(r1, "route-map BAD permit 10", "set ip next-hop 0.0.0.0")
    assert "%" in out, "set ip next-hop 0.0.0.0 is accepted now: {}".format(out)
    cl.configure(r1, "no route-map BAD")
