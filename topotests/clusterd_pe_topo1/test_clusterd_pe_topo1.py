# SPDX-License-Identifier: GPL-2.0-or-later
"""
A provider edge router whose routes follow pings of a gateway's virtual address,
as an IP SLA with a track does it: the example of the specification and of the
manual, whole.  The PE is an FRR router with a clusterd of its own; ping, arping
and fping are strangers.

    pe: VRF CUSTOMER1 --- gw-eth0  gw --- site     10.1.1.1, 192.168.100.1
        VRF CUSTOMER2 --- gw-eth1   |
                                  tun0 ... (a veth, as a tunnel)
"""

import json
import signal

import pytest
import lib_cluster as cl

VIRTUAL = "192.168.10.10"
INTERFACE = {"CUSTOMER1": "pe-eth0", "CUSTOMER2": "pe-eth1"}
# What the one track governs: VRF, prefix, next hop.
GOVERNED = [
    ("CUSTOMER1", "default", "192.168.11.101"),
    ("CUSTOMER2", "default", "192.168.12.101"),
    ("CUSTOMER1", "10.0.0.0/8", VIRTUAL),
    ("CUSTOMER2", "10.0.0.0/8", VIRTUAL),
    ("CUSTOMER1", "192.168.100.0/24", VIRTUAL),
]


def prepare(tgen):
    "VRFs of the PE; the gateway forwards and has a tunnel."
    pe, gw = tgen.gears["pe"].net, tgen.gears["gw"].net
    for vrf, interface in INTERFACE.items():
        pe.cmd_raises("ip netns add " + vrf)
        pe.cmd_raises("ip link set {} netns {}".format(interface, vrf))
        pe.cmd_raises("ip -n {0} link set {1} up".format(vrf, interface))
        pe.cmd_raises("ip -n {0} link set lo up".format(vrf))
    gw.cmd_raises("ip link add tun0 type veth peer name tun0-far")
    gw.cmd_raises("ip link set tun0 up; ip link set tun0-far up")
    gw.cmd_raises("sysctl -q -w net.ipv4.ip_forward=1")
    gw.cmd_raises("sysctl -q -w net.ipv4.conf.all.rp_filter=0")


def setup_module(module):
    "Start all."
    cl.start(
        module,
        {"s1": ("pe", "gw"), "s2": ("pe", "gw"), "s3": ("gw", "site")},
        {
            "pe": ["zebra", "clusterd"],
            "gw": ["zebra", "clusterd"],
            "site": ["zebra"],
        },
        netns_vrf=("pe",),
        prepare=prepare,
    )


def teardown_module(_module):
    "End."
    cl.stop()


@pytest.fixture(name="gears")
def fixture_gears():
    "The PE and the gateway; the tunnel is up, and all routes are there."
    tgen = cl.usable()
    pe, gw = tgen.gears["pe"], tgen.gears["gw"]
    if not cl.alive(gw, "clusterd"):
        cl.start_daemon(gw, "clusterd")
    gw.net.cmd_raises("ip link set tun0 up")
    governed(pe, True)
    return pe, gw


def inside(pe, vrf, command):
    "Status and output of a command in a VRF."
    rc, out, err = pe.net.cmd_status(
        "ip netns exec {} {}".format(vrf, command), warn=False
    )
    return rc, out + err


def gateways(pe, vrf, prefix):
    "Of a prefix in the VRF's kernel."
    out = pe.net.cmd_raises("ip -n {} -j route show {}".format(vrf, prefix))
    return [route.get("gateway") for route in json.loads(out or "[]")]


def governed(pe, there):
    "Waits until all routes of the track are there, or none is."
    for vrf, prefix, gateway in GOVERNED:
        wanted = [gateway] if there else []
        cl.expect(
            lambda v=vrf, p=prefix, w=wanted: (gateways(pe, v, p) == w, p),
            "{} in {} isn't {}".format(prefix, vrf, wanted or "gone"),
        )
    for vrf, prefix, _ in GOVERNED:
        rib = cl.vtysh_json(
            pe,
            "show ip route vrf {} {} json".format(
                vrf, prefix.replace("default", "0.0.0.0/0")
            ),
        )
        assert any(rib.values()) == there, "{}: {} in the RIB".format(vrf, prefix)


def reaches(pe, vrf, source, address):
    "One ping through the gateway."
    rc, out = inside(pe, vrf, "ping -n -c 1 -W 1 -I {} {}".format(source, address))
    return rc == 0, out


def test_traffic(gears):
    "Every route carries traffic; some of them by the virtual address itself."
    pe, gw = gears
    for vrf, source, address in (
        ("CUSTOMER1", "192.168.10.1", "10.1.1.1"),
        ("CUSTOMER1", "192.168.10.1", "192.168.100.1"),
        ("CUSTOMER1", "192.168.11.1", "203.0.113.2"),
        ("CUSTOMER2", "192.168.12.1", "10.1.1.1"),
        ("CUSTOMER2", "192.168.12.1", "203.0.113.2"),
    ):
        cl.expect(
            lambda v=vrf, s=source, a=address: reaches(pe, v, s, a),
            "{}: {} isn't reached".format(vrf, address),
        )
    # one probe for both VRFs
    seen = cl.vtysh_json(pe, "show cluster probe json")["sla-1"]
    assert [i["vrf"] for i in seen["instances"]] == ["CUSTOMER1"], seen

    def last():
        state = cl.vtysh_json(gw, "show cluster responder PE json")["PE"]
        return state["lastRequester"]["source"] == "192.168.10.1", state

    cl.expect(last, "the PE's ping isn't the last request")


@pytest.mark.parametrize("vrf", sorted(INTERFACE))
def test_strangers(gears, vrf):
    "ping, fping and arping; without a tunnel only arping has answers."
    pe, gw = gears
    mac = gw.net.cmd_raises(
        "cat /sys/class/net/gw-eth{}/address".format(int(vrf[-1]) - 1)
    ).strip()
    ping = "ping -n -q -c 3 -i 0.2 -W 1 -I 192.168.10.1 " + VIRTUAL
    fping = "fping -q -c 3 -p 50 -t 500 -S 192.168.10.1 " + VIRTUAL
    arping = "arping -c 2 -w 5 -I {} {}".format(INTERFACE[vrf], VIRTUAL)
    rc, out = inside(pe, vrf, ping)
    assert rc == 0 and " 3 received" in out, out
    rc, out = inside(pe, vrf, fping)
    assert rc == 0 and "= 3/3/0%" in out, out
    rc, out = inside(pe, vrf, arping)
    assert rc == 0 and mac.upper() in out, out
    gw.net.cmd_raises("ip link set tun0 down")
    governed(pe, False)
    rc, out = inside(pe, vrf, ping)
    assert rc != 0 and " 0 received" in out, out
    rc, out = inside(pe, vrf, fping)
    assert rc != 0 and "= 3/0/100%" in out, out
    rc, out = inside(pe, vrf, arping)
    assert rc == 0 and mac.upper() in out, out


def test_no_tunnels(gears):
    "No clients, no routes, in both VRFs; the others stay; they come back."
    pe, gw = gears
    gw.net.cmd_raises("ip link set tun0 down")
    governed(pe, False)
    seen = cl.instance(pe, "sla-1", VIRTUAL)
    assert seen["verdict"] == "down" and seen["timeouts"] >= 1, seen
    for vrf, network in (
        ("CUSTOMER1", "192.168.10.0/24"),
        ("CUSTOMER1", "192.168.11.0/24"),
        ("CUSTOMER2", "192.168.12.0/24"),
    ):
        assert gateways(pe, vrf, network) == [None], "{} is gone".format(network)
    gw.net.cmd_raises("ip link set tun0 up")
    governed(pe, True)
    cl.expect(lambda: reaches(pe, "CUSTOMER1", "192.168.10.1", "10.1.1.1"), "no way")


def test_killed(gears):
    "A clusterd that is killed is silent: the PE withdraws its routes."
    pe, gw = gears
    cl.end_daemon(gw, "clusterd", signal.SIGKILL)
    governed(pe, False)
    rc, _ = inside(pe, "CUSTOMER1", "arping -c 1 -w 1 -I pe-eth0 " + VIRTUAL)
    assert rc != 0, "ARP is answered"
    cl.start_daemon(gw, "clusterd")
    governed(pe, True)


def handoff(gw):
    "The state of the NAT hand-off."
    return cl.vtysh_json(gw, "show cluster responder PE json")["PE"]["handoff"]


def test_nat_handoff(gears):
    "NAT hand-off: flows to sites are refused, the own address is silent."
    pe, gw = gears
    site = cl.usable().gears["site"]
    assert reaches(pe, "CUSTOMER1", "192.168.10.1", "10.1.1.1")[0], "no way before"
    cl.configure(gw, "cluster responder PE", "handoff nat")
    try:
        cl.expect(lambda: (handoff(gw)["state"] == "active", handoff(gw)), "not active")
        # sites reach the PE, and its answers come back
        rc, out, _ = site.net.cmd_status(
            "ping -n -c 1 -W 2 -I 10.1.1.1 192.168.11.1", warn=False
        )
        assert rc == 0, out
        before = handoff(gw)
        assert not reaches(pe, "CUSTOMER1", "192.168.10.1", "10.1.1.1")[0], "forwarded"
        assert not reaches(pe, "CUSTOMER1", "192.168.11.1", "192.168.11.101")[0]
        for key in ("refused", "pings"):
            cl.expect(
                lambda k=key: (handoff(gw)[k] == before[k] + 1, handoff(gw)),
                "{} aren't counted".format(key),
            )
        # the virtual address is answered as before, and takes nothing else
        assert reaches(pe, "CUSTOMER1", "192.168.10.1", VIRTUAL)[0], "no answer"

        def refused():
            state = cl.vtysh_json(gw, "show cluster responder PE json")["PE"]
            return state["counters"]["received"]["reverseFlow"]

        before = refused()
        send = (
            "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM);"
            "s.sendto(b'x', ('{}', 9))"
        ).format(VIRTUAL)
        inside(pe, "CUSTOMER1", '/usr/bin/python3 -c "{}"'.format(send))
        cl.expect(lambda: refused() == before + 1, "a reverse flow isn't counted")
        governed(pe, True)
    finally:
        cl.configure(gw, "cluster responder PE", "no handoff nat")
