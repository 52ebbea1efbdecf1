# SPDX-License-Identifier: GPL-2.0-or-later
"""
What the tests of hub clustering share: the network, and what is seen of it.

    g1, g2   gateways
    h1 - h3  hubs, AS 65001 - 65003
    e1 - e4  edges; their sites are addresses of lo
    sw       the L3 switch, AS 65000, a link to each hub
    srv      the server behind it

WAN 198.51.100.0/24 has all but sw and srv; so has the second one, 203.0.113.0/24,
but of the hubs only h1.  10.255.0.0/24 stands for the tunnels: this kernel has no
tunnel devices, and to routes a WireGuard interface with many peers looks alike.
"""

import json
import math
import os
import re
import socket

import lib_cluster as cl
import lib_control as ctl
from lib_oper import by_key, operational

GATEWAYS = ("g1", "g2")
HUBS = ("h1", "h2", "h3")
EDGES = ("e1", "e2", "e3", "e4")
NODES = GATEWAYS + HUBS + EDGES
CLUSTER = "c0000000-0000-4000-8000-000000000001"
# Of the edges: those of the specification's table of assignments.
ID = {
    name: {"g": "a", "h": "b", "e": "0"}[name[0]]
    + "0000000-0000-4000-8000-00000000000"
    + name[1]
    for name in NODES
}
NAME = {logical_id: name for name, logical_id in ID.items()}

SERVER = "192.0.2.80"
SERVER_V6 = "2001:db8:2::80"
LAN = "192.0.2.0/24"
UPLINK = "65000:85"
TUNNEL = {name: "10.255.0.{}".format(10 + int(name[1])) for name in HUBS}
TUNNEL.update({name: "10.255.0.{}".format(20 + int(name[1])) for name in EDGES})
HERE = os.path.dirname(os.path.abspath(__file__))
TRAFFIC = os.path.join(HERE, "hub_traffic.py")
BEHIND = os.path.join(HERE, "hub_behind.py")
FOLDER = os.path.join(HERE, "clusterd_hub_topo1")


def site(edge, version=4):
    "The prefix of an edge's site."
    return ("10.1.{}.0/24" if version == 4 else "2001:db8:1:{}::/64").format(edge[1])


def host(edge, version=4):
    "An address in it."
    return ("10.1.{}.1" if version == 4 else "2001:db8:1:{}::1").format(edge[1])


def build(tgen):
    "The networks; the order makes the interfaces' names."
    for name in NODES + ("sw",):
        tgen.add_router(name)
    tgen.add_host("srv", ip=SERVER + "/24", defaultRoute="via 192.0.2.1")
    for switch, gears in {
        "s1": NODES,
        "s2": HUBS + EDGES,
        "s3": ("h1", "sw"),
        "s4": ("h2", "sw"),
        "s5": ("h3", "sw"),
        "s6": ("sw", "srv"),
        "s7": GATEWAYS + ("h1",) + EDGES,
    }.items():
        tgen.add_switch(switch)
        for gear in gears:
            tgen.gears[switch].add_link(tgen.gears[gear])


def prepare(tgen):
    "Logical IDs that are known; the server's IPv6."
    ctl.own_ids(NODES)(tgen)
    for name in NODES:
        tgen.gears[name].net.cmd_raises("echo {} >{}/node-id".format(ID[name], ctl.DIR))
    srv = tgen.gears["srv"].net
    srv.cmd_raises("ip address add {}/64 dev srv-eth0 nodad".format(SERVER_V6))
    srv.cmd_raises("ip -6 route add default via 2001:db8:2::1")


def start(module, netns_vrf=(), options=None):
    "The network, its daemons, and traffic over it."
    daemons = {name: ["zebra", "clusterd"] for name in GATEWAYS + EDGES}
    daemons.update({name: ["zebra", "bgpd", "clusterd"] for name in HUBS})
    daemons["sw"] = ["zebra", "bgpd"]
    tgen = cl.start(
        module,
        build,
        daemons,
        netns_vrf=netns_vrf,
        prepare=prepare,
        options=options,
        folder=FOLDER,
    )
    for name in HUBS:
        number = name[1]
        for address in (
            "10.20.{}.1".format(number),
            "2001:db8:20:{}::1".format(number),
        ):
            cl.warm_up(tgen.gears["sw"], address)
    Traffic.start_all(tgen)
    return tgen


def stop():
    "All of it."
    Traffic.stop_all()
    cl.stop()


def gear(name):
    "A node."
    return cl.usable().gears[name]


def gears(*names):
    "Some nodes."
    return [gear(name) for name in names]


# ---------------------------------------------------------------- traffic


class Traffic:
    """
    hub_traffic.py in a node: every edge has flows to the server (v4, v6) and e1 one
    to the site of e2 and of e3.
    """

    running = {}

    def __init__(self, node, *wanted):
        self.control = "/tmp/traffic-{}".format(node.name)
        if os.path.exists(self.control):
            os.unlink(self.control)
        self.net = node.net
        self.process = node.net.popen(
            ["/usr/bin/python3", TRAFFIC, self.control, *wanted]
        )
        cl.expect(
            lambda: os.path.exists(self.control),
            "{}: no traffic".format(node.name),
        )
        self.running[node.name] = self
        self.pid = self.tell("mark")["pid"]

    def tell(self, order):
        "mark or report; the answer."
        with socket.socket(socket.AF_UNIX) as sock:
            sock.settimeout(20)
            sock.connect(self.control)
            sock.sendall(order.encode())
            return json.loads(sock.makefile().readline())

    @classmethod
    def start_all(cls, tgen):
        "At all nodes that have some, when they have their addresses."
        for name in EDGES:
            cl.expect(
                lambda n=name: host(n) in tgen.gears[n].net.cmd_raises("ip address"),
                "{} isn't configured".format(name),
            )
        cls(tgen.gears["srv"], "echo=" + SERVER, "echo=" + SERVER_V6)
        for name in EDGES:
            wanted = ["echo=" + host(name)]
            for flow, version, target in [("v4", 4, SERVER), ("v6", 6, SERVER_V6)] + [
                (other, 4, host(other)) for other in ("e2", "e3") if name == "e1"
            ]:
                wanted.append("flow={},{},{}".format(flow, host(name, version), target))
            cls(tgen.gears[name], *wanted)

    @classmethod
    def stop_all(cls):
        "End the processes."
        for one in cls.running.values():
            one.net.cmd_status("kill {}".format(one.pid), warn=False)
            one.process.wait()
        cls.running.clear()


def mark():
    "Traffic counts from now on."
    for one in Traffic.running.values():
        one.tell("mark")


def flow(edge, name="v4"):
    """
    A flow of an edge since the mark: sent, heard (at the other end), answered, gap (s,
    of answers), gap_there.
    """
    seen = Traffic.running[edge].tell("report")["flows"][name]
    end = name if name in EDGES else "srv"
    echoes = Traffic.running[end].tell("report")["echoes"]
    there = echoes.get(host(edge, 6 if name == "v6" else 4), {"heard": 0, "gap": 999})
    return dict(seen, heard=there["heard"], gap_there=there["gap"])


def flows_now(*edges, names=("v4", "v6")):
    "For expect(): both ways work for these edges, from a mark on that is made here."
    mark()

    def check():
        for edge in edges:
            for name in names:
                seen = flow(edge, name)
                if seen["answered"] < 5:
                    return False, (edge, name, seen)
        return True, None

    return check


# ----------------------------------------------------------------- routes


def hops(node, prefix):
    "Gateways of a prefix in the node's kernel."
    family = "-6" if ":" in prefix else "-4"
    out = node.net.cmd_raises("ip {} -j route show {}".format(family, prefix))
    return {
        one.get("gateway") or one.get("via", {}).get("host") or one.get("dev")
        for route in json.loads(out or "[]")
        for one in route.get("nexthops", [route])
    }


def routed_by(edge):
    "The hub that an edge's kernel sends the server's traffic to; None without."
    return via_hub(hops(gear(edge), LAN))


def returned_by(edge):
    "The hub that the switch sends the site's traffic to; None without."
    return via_hub(hops(gear("sw"), site(edge)))


def via_hub(addresses):
    "h1 for {10.255.0.11} or {10.20.1.1}."
    names = {
        "h" + found[0]
        for address in addresses
        for found in [re.findall(r"^10\.(?:255\.0\.1|20\.)(\d)", address)]
        if found
    }
    assert len(names) < 2, "more than one hub: {}".format(addresses)
    return names.pop() if names else None


def placed(**wanted):
    "For expect(): e1='h2', ...: both directions go over that hub."

    def check():
        seen = {edge: (routed_by(edge), returned_by(edge)) for edge in wanted}
        return seen == {edge: (hub, hub) for edge, hub in wanted.items()}, seen

    return check


def all_placed():
    "{edge: hub} as edges are routed now."
    return {edge: routed_by(edge) for edge in EDGES}


def move(edge, target):
    "cluster move at the gateway that all edges prefer; what it said."
    return cl.vtysh(
        gear("g1"),
        "cluster move lab edge {} hub {}".format(ID[edge], ID[target]),
    ).strip()


MODULO = {"e1": "h2", "e2": "h3", "e3": "h1", "e4": "h2"}


def _mixed(value):
    "64 well mixed bits (MurmurHash3's finaliser)."
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53, None):
        value ^= value >> 33
        if factor:
            value = value * factor % 2**64
    return value


def rendezvous(edge, **capacities):
    "The hub that an edge is assigned to by rendezvous, of these with their capacities."

    def cost(name):
        bits = 0
        for logical_id in (ID[edge], ID[name]):
            octets = bytes.fromhex(logical_id.replace("-", ""))
            for half in (octets[:8], octets[8:]):
                bits = _mixed(bits ^ int.from_bytes(half, "big")) + 0x9E3779B97F4A7C15
                bits %= 2**64
        return (64 - math.log2(bits | 1)) / capacities[name]

    return min(capacities, key=cost)


def restart_edges(*edges):
    "These (all) are without a hub for a moment."
    for edge in edges or EDGES:
        edge_line(edge, "shutdown")
    for edge in edges or EDGES:
        cl.expect(lambda e=edge: routed_by(e) is None, edge + " goes on")
    for edge in edges or EDGES:
        edge_line(edge, "no shutdown")


def restore():
    "All daemons run, every edge is at its hub by modulo, and traffic flows."
    for name in NODES:
        if not cl.alive(gear(name), "clusterd"):
            cl.start_daemon(gear(name), "clusterd")
    cl.expect(all_there, "hubs are missing")

    def check():
        seen = placed(**MODULO)()
        if not seen[0]:
            for edge, (there, _) in seen[1].items():
                if there and there != MODULO[edge]:
                    move(edge, MODULO[edge])
        return seen

    cl.expect(check, "edges aren't where they belong", interval=0.5)
    cl.expect(flows_now(*EDGES), "traffic doesn't flow")


def behind_keepalive(name, edge, command):
    """
    Runs a command of a hub when it has just sent something to this edge: of all moments
    to end it that from which on the edge has to wait longest.
    """
    wan = ",".join(
        "{}.{}".format(net, 20 + int(edge[1])) for net in ("198.51.100", "203.0.113")
    )
    gear(name).net.cmd_raises("/usr/bin/python3 {} {} {}".format(BEHIND, wan, command))


def kill_behind_keepalive(name, edge):
    "kill -9 of a hub's clusterd at that moment."
    router = gear(name)
    pid = cl.pid_of(router, "clusterd")
    behind_keepalive(name, edge, "kill -9 {}".format(pid))
    cl.expect(
        lambda: not cl.alive(router, "clusterd"), "{} survives kill -9".format(name)
    )


def cables(name, edge=None):
    """
    A hub loses all of its cables, with an edge right behind a keepalive to that one;
    what brings them back.
    """
    router, sw = gears(name, "sw")
    switch = "ip link set sw-eth{} {{}}".format(int(name[1]) - 1)
    links = [link for link in router.links if link != "lo"]
    # All at once: what is cut first must not be what only traffic needs.
    ours = "; ".join("ip link set {} {{0}}".format(link) for link in sorted(links))
    if edge:
        behind_keepalive(name, edge, "sh -c '{}'".format(ours.format("down")))
    else:
        router.net.cmd_raises(ours.format("down"))
    sw.net.cmd_raises(switch.format("down"))

    def back():
        router.net.cmd_raises(ours.format("up"))
        sw.net.cmd_raises(switch.format("up"))

    return back


def outage(*edges, names=("v4", "v6")):
    """
    The longest time since the mark in which a flow of these edges got nothing, in
    s, when all of them work again.
    """
    begin = {(e, n): flow(e, n)["answered"] for e in edges for n in names}

    def check():
        for (edge, name), before in begin.items():
            seen = flow(edge, name)
            if seen["answered"] < before + 5:
                return False, (edge, name, seen)
        return True, None

    cl.expect(check, "traffic doesn't come back")
    gaps = {(e, n): flow(e, n)["gap"] for e in edges for n in names}
    print("outages:", {key: round(gap, 2) for key, gap in gaps.items()})
    return max(gaps.values())


def lost(*edges, names=("v4", "v6")):
    """
    How many datagrams of a flow were lost since the mark, at most. What is under way
    isn't: an answer that came late, as on a busy machine, was none that was lost.
    """

    def check():
        seen = {
            (e, n): one["sent"] - one["answered"]
            for e in edges
            for n in names
            for one in [flow(e, n)]
        }
        return max(seen.values()) <= 2, seen

    try:
        seen = cl.expect(check, "", timeout=2)[1]
    except AssertionError:
        seen = check()[1]
    print("lost:", seen)
    return max(seen.values())


# ------------------------------------------------------- what clusterd says


def hubs(gateway):
    "Hubs of the cluster, as a gateway sees them: {name: ...}."
    seen = cl.vtysh_json(gateway, "show cluster hub-cluster lab json")
    return {NAME[i]: one for i, one in seen["clusters"]["lab"]["hubs"].items()}


def edges(gateway):
    "Its edges: {name: ...}; hub and told are names, too."
    seen = cl.vtysh_json(gateway, "show cluster hub-cluster lab edges json")["lab"]
    for one in seen.values():
        for key in ("hub", "told"):
            one[key] = NAME.get(one.get(key))
    return {NAME[i]: one for i, one in seen.items()}


def hub_self(name):
    "What a hub says of itself."
    return cl.vtysh_json(gear(name), "show cluster hub json")


def edge_self(name):
    "What an edge says of itself."
    return cl.vtysh_json(gear(name), "show cluster edge json")


def leaves(name):
    "The same of any node by YANG: hub-clustering's operational data."
    return operational(gear(name), "frr-clusterd-hub", "hub-clustering")


def hub_leaves(gateway, name):
    "A hub as a gateway has it by YANG."
    (lab,) = leaves(gateway)["cluster"]
    return by_key(lab["state"]["hub"], "id")[(ID[name],)]


def moves():
    "How often each edge was moved so far."
    return {name: edge_self(name)["moves"] for name in EDGES}


def bgp_path(router, prefix):
    "The best path of a prefix."
    out = cl.vtysh_json(
        router,
        "show bgp {} unicast {} json".format(
            "ipv6" if ":" in prefix else "ipv4", prefix
        ),
    )
    for path in out.get("paths", []):
        if path.get("bestpath", {}).get("overall"):
            return path
    return {}


def bgp_prefixes(router):
    "All prefixes in BGP, v4 and v6."
    found = set()
    for family in ("ipv4", "ipv6"):
        out = cl.vtysh_json(router, "show bgp {} unicast json".format(family))
        found |= set(out.get("routes", {}))
    return found


def timers(keepalive, dead, *names):
    "Of the sessions of these nodes."
    for name in names:
        out = cl.configure(
            gear(name),
            "cluster control",
            "timers keepalive {} dead {}".format(keepalive, dead),
        )
        assert out == "", out


def preferred(edge):
    "The gateway that an edge follows; None without."
    for logical_id, one in edge_self(edge)["gateways"].items():
        if one["preferred"]:
            return NAME[logical_id]
    return None


def knows_all(gateway):
    "For expect(): the gateway knows of all edges where they are."

    def check():
        seen = {edge: one["hub"] for edge, one in edges(gateway).items()}
        return seen == all_placed(), seen

    return check


def hub_edges(router):
    "The prefixes of a hub's edges: {name: {prefix: why not; None: accepted}}."
    return {
        NAME[i]: {
            prefix: None if seen["accepted"] else seen["why"]
            for prefix, seen in one["prefixes"].items()
        }
        for i, one in cl.vtysh_json(router, "show cluster hub edges json").items()
    }


def refused(gateway):
    "Hubs that it refused."
    return cl.vtysh_json(gateway, "show cluster hub-cluster json")["refused"]


# ----------------------------------------------------------- configuration


def edge_line(edge, *lines):
    "Configure an edge; nothing may be said."
    configured(gear(edge), "cluster edge", *lines)


def hub_line(name, *lines):
    "Configure a hub; nothing may be said."
    configured(gear(name), "cluster hub", *lines)


def cluster_line(gateway, *lines):
    "Configure the cluster at a gateway; nothing may be said."
    configured(gateway, "cluster hub-cluster lab", *lines)


def configured(router, *lines):
    "Type lines that nothing is said to."
    out = cl.configure(router, *lines)
    assert out == "", "{}: {}: {}".format(router.name, lines, out)


def gateways_line(*lines):
    "Configure the cluster at both."
    for router in gears(*GATEWAYS):
        cluster_line(router, *lines)


def reason_of_none(edge):
    "Why gateways say that there is no hub; {None}: one says that there is."
    return {
        one.get("reason") if "hub" not in one else None
        for one in edge_self(edge)["gateways"].values()
        if one["answered"]
    }


def all_there():
    "For expect(): both gateways see all hubs, eligible."
    for router in gears(*GATEWAYS):
        seen = hubs(router)
        if set(seen) != set(HUBS) or not all(h["eligible"] for h in seen.values()):
            return False, (router.name, seen)
    return True, None


def all_learned():
    "For expect(): all hubs have the server's networks by BGP, so both sessions are up."
    seen = {name: hub_self(name) for name in HUBS}
    counts = {n: (one["routesIpv4"], one["routesIpv6"]) for n, one in seen.items()}
    return set(counts.values()) == {(1, 1)}, counts
