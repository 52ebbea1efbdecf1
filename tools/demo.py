# SPDX-License-Identifier: GPL-2.0-or-later
"""The main job of frr-clusterd, shown in a lab:

                             +-- node1 --+-- s11   HTTP servers, the members
    client --- router -------+           +-- s12   of VIP 192.0.2.80: each has
               bgpd, ECMP    |                     the address on its lo and
                             +-- node2 --+-- s21   answers the client itself
                                         +-- s22

Both nodes run zebra, bgpd and clusterd.  clusterd probes the node's servers
by HTTP and puts a route to the VIP over the healthy ones into zebra; bgpd
announces it to the router, which spreads the client's connections over the
nodes.  Each step does something to the lab, waits until the kernels have the
routes that must follow, and lets the client try.
"""

import argparse
import sys
import time

import lab as lab_module
from lab import Box, LabError, Link, Router, RouteWatch, names

VIP = "192.0.2.80"
ROUTER_AS, NODES_AS = 65000, 65100
REQUESTS = 40
SERVERS = {"node1": ("s11", "s12"), "node2": ("s21", "s22")}

# Addresses, by the two ends of a link.
CLIENT_NET = "198.51.100.0/28"
CLIENT = {"router": "198.51.100.1", "client": "198.51.100.2"}
UPLINK = {
    "node1": ("198.51.100.17", "198.51.100.18"),  # (router's end, node's end)
    "node2": ("198.51.100.33", "198.51.100.34"),
}
MEMBER = {
    "s11": ("203.0.113.1", "203.0.113.2"),  # (node's end, server's end)
    "s12": ("203.0.113.5", "203.0.113.6"),
    "s21": ("203.0.113.9", "203.0.113.10"),
    "s22": ("203.0.113.13", "203.0.113.14"),
}

ROUTER_CONFIG = f"""\
hostname router
log file {Router.LOG}
log timestamp precision 6
!
ip prefix-list CLIENTS permit {CLIENT_NET}
ip prefix-list VIPS permit 192.0.2.0/24 ge 32
!
route-map TO-NODES permit 10
 match ip address prefix-list CLIENTS
exit
route-map FROM-NODES permit 10
 match ip address prefix-list VIPS
exit
!
router bgp {ROUTER_AS}
 bgp router-id {CLIENT["router"]}
 neighbor NODES peer-group
 neighbor NODES remote-as {NODES_AS}
 neighbor NODES timers 3 9
 bgp listen range 198.51.100.0/24 peer-group NODES
 address-family ipv4 unicast
  network {CLIENT_NET}
  maximum-paths 16
  neighbor NODES route-map FROM-NODES in
  neighbor NODES route-map TO-NODES out
 exit-address-family
exit
"""

NODE_CONFIG = """\
hostname {node}
log file {log}
log timestamp precision 6
!
route-map VIPS permit 10
 match tag 84
exit
route-map VIPS permit 20
 match tag 85
 set community graceful-shutdown additive
exit
route-map ALL permit 10
exit
!
cluster probe WEB
 type http
 interval 200
 rise 2
 fall 2
exit
cluster vip SHOP
 drain-time 2000
 flip-interval 0
 damping off
 probe WEB
{members}
 address {vip}
exit
!
router bgp {node_as}
 bgp router-id {address}
 neighbor {router} remote-as {router_as}
 neighbor {router} timers 3 9
 neighbor {router} timers connect 1
 address-family ipv4 unicast
  redistribute openfabric route-map VIPS
  neighbor {router} route-map ALL in
  neighbor {router} route-map VIPS out
 exit-address-family
exit
"""


def build(lab):
    """The boxes and links of the picture above, without power."""
    router = Router(lab, "router", ["zebra", "bgpd"], ROUTER_CONFIG)
    client = Box(lab, "client", gateway=CLIENT["router"])
    Link(router, f"{CLIENT['router']}/28", client, f"{CLIENT['client']}/28")
    for name, servers in SERVERS.items():
        router_end, node_end = UPLINK[name]
        config = NODE_CONFIG.format(
            node=name,
            log=Router.LOG,
            vip=VIP,
            members="\n".join(f" member {MEMBER[s][1]}" for s in servers),
            router=router_end,
            router_as=ROUTER_AS,
            node_as=NODES_AS,
            address=node_end,
        )
        # By the router's hash, which the kernel computes here in the same
        # way, all of a node's connections would go to one server: use another.
        ports_only = {
            "net/ipv4/fib_multipath_hash_policy": 3,
            "net/ipv4/fib_multipath_hash_fields": 0x0010,
        }
        daemons = ["zebra", "bgpd", "clusterd"]
        # A default route of the machine's own: by BGP alone the VIP could be
        # announced a moment before there is a way back to the clients.
        node = Router(
            lab, name, daemons, config, gateway=router_end, sysctls=ports_only
        )
        Link(router, f"{router_end}/28", node, f"{node_end}/28")
        for server in servers:
            here, there = MEMBER[server]
            box = Box(lab, server, gateway=here, addresses=[f"{VIP}/32"])
            Link(node, f"{here}/30", box, f"{there}/30")


class Demo:
    """Does the steps, prints and checks what follows from each."""

    def __init__(self, lab):
        self.boxes = lab.boxes
        self.steps = 0
        self.serving = set()  # servers that run
        self.routers_watch = None
        self.began = 0.0

    # The lab in the words of the steps.

    def step(self, text):
        self.steps += 1
        print(f"\n{self.steps:2}. {text}", flush=True)

    def report(self, who, what):
        print(f"    {who:16} {what}", flush=True)

    def server_up(self, *servers):
        """Starts HTTP servers.  Returns when that began."""
        began = time.time()
        for server in servers:
            program = str(lab_module.TOP / "tools/lab_http.py")
            self.boxes[server].start("http", "/usr/bin/python3", program, server)
            self.serving.add(server)
        return began

    def server_down(self, *servers):
        """Kills HTTP servers.  Returns when the last one was killed."""
        self.serving -= set(servers)
        return [self.boxes[server].kill("http") for server in servers][-1]

    def follows(self, began, *nodes):
        """The router's kernel must now get the VIP over exactly these nodes."""
        watch = self.routers_watch
        changed = watch.wait(VIP, {UPLINK[node][1] for node in nodes})
        ms = (changed - began) * 1000
        self.report("router's kernel", f"VIP over {names(nodes)} after {ms:.0f} ms")
        self.stays(*nodes)

    def stays(self, *nodes):
        """The router's kernel must have the VIP over exactly these nodes."""
        hops = self.boxes["router"].next_hops(VIP)
        if hops != {UPLINK[node][1] for node in nodes}:
            raise LabError(f"the router's kernel has the VIP over {names(hops)}")

    def node_follows(self, node, watch, began, *servers):
        """The node's kernel must get the VIP over exactly these servers."""
        changed = watch.wait(VIP, {MEMBER[server][1] for server in servers})
        ms = (changed - began) * 1000
        self.report(f"{node}'s kernel", f"VIP over {names(servers)} after {ms:.0f} ms")

    def bgp_is_up(self, node):
        """Waits until the node has a route that only BGP can bring."""
        kernel = self.boxes[node].next_hops
        hops = {UPLINK[node][0]}
        lab_module.poll(
            lambda: kernel(CLIENT_NET) == hops, 15, f"{node}'s BGP session is up"
        )

    def client_tries(self, *servers):
        """Every request must be answered; by all of these servers, no other."""
        lines = (
            self.boxes["client"]
            .run(
                *"curl --silent --max-time 5".split(),
                *("--write-out", r"%{onerror}failed: %{errormsg}\n"),
                f"http://{VIP}/[1-{REQUESTS}]",
                timeout=REQUESTS * 6,
                check=False,
            )
            .splitlines()
        )
        answers = [line for line in lines if line in self.boxes]
        by = ", ".join(f"{s} {answers.count(s)}" for s in sorted(set(answers)))
        self.report("client", f"{len(answers)} of {REQUESTS} requests answered: {by}")
        if len(answers) != REQUESTS:
            raise LabError("\n".join(line for line in lines if line not in answers))
        if set(answers) != set(servers):
            raise LabError(
                f"answers came from {names(set(answers))}, expected {names(servers)}"
            )

    # What happens.

    def run(self, smoke):
        self.began = time.monotonic()
        self.boot()
        if smoke:
            self.kill_clusterd()
        else:
            self.servers_fail()
            self.kill_clusterd()
            self.drain()
            self.lose_node()
        seconds = time.monotonic() - self.began
        print(f"\ndemo: ok, {self.steps} steps in {seconds:.0f} s")

    def boot(self):
        all_servers = [s for servers in SERVERS.values() for s in servers]
        self.step("All boxes boot: routers load their frr.conf by `vtysh -b`")
        for name, box in self.boxes.items():
            box.power_on()
            if name == "router":
                self.routers_watch = RouteWatch(box)
        for node in SERVERS:
            self.bgp_is_up(node)
        seconds = time.monotonic() - self.began
        self.report("BGP sessions", f"up on both nodes after {seconds:.1f} s")
        self.step("The HTTP servers start, the VIP comes up on both nodes")
        self.follows(self.server_up(*all_servers), "node1", "node2")
        self.settle("node1", "node2")
        self.client_tries(*all_servers)

    def servers_fail(self):
        watch = RouteWatch(self.boxes["node1"])
        self.step("Server s11 is killed; its node serves on by s12")
        self.node_follows("node1", watch, self.server_down("s11"), "s12")
        self.stays("node1", "node2")
        self.client_tries("s12", "s21", "s22")

        self.step("Server s12 is killed too: node1 has no healthy server left")
        self.follows(self.server_down("s12"), "node2")
        self.client_tries("s21", "s22")

        self.step("Both start again")
        self.follows(self.server_up("s11", "s12"), "node1", "node2")
        self.settle("node1")
        self.client_tries("s11", "s12", "s21", "s22")
        watch.close()

    def kill_clusterd(self):
        node = self.boxes["node1"]
        self.step("clusterd on node1 is killed by -9: zebra drops its routes")
        self.follows(node.kill("clusterd"), "node2")
        self.client_tries("s21", "s22")

        self.step("clusterd on node1 is started again, as watchfrr would")
        began = time.time()
        node.start_daemon("clusterd")
        node.load("clusterd")
        self.follows(began, "node1", "node2")
        self.settle("node1")
        self.client_tries("s11", "s12", "s21", "s22")

    def drain(self):
        node = self.boxes["node2"]
        self.step("node2: `cluster vip SHOP`, `drain`: in order, 2 s of it")
        began = time.time()
        node.configure("cluster vip SHOP", "drain")
        self.follows(began, "node1")
        self.client_tries("s11", "s12")

        self.step("node2: `no drain`")
        began = time.time()
        node.configure("cluster vip SHOP", "no drain")
        self.follows(began, "node1", "node2")
        self.client_tries("s11", "s12", "s21", "s22")

    def lose_node(self):
        node = self.boxes["node2"]
        self.step("node2 loses power: all its processes and links end")
        self.follows(node.power_off(), "node1")
        self.client_tries("s11", "s12")

        self.step("node2 boots again")
        began = time.time()
        node.power_on()
        self.follows(began, "node1", "node2")
        self.settle("node2")
        self.client_tries("s11", "s12", "s21", "s22")

    def settle(self, *nodes):
        """Waits until the nodes' kernels have all their servers: the verdict
        on the last one may come a moment after the announcement."""
        for node in nodes:
            kernel = self.boxes[node].next_hops
            hops = {MEMBER[server][1] for server in SERVERS[node]}
            lab_module.poll(lambda: kernel(VIP) == hops, 15, f"{node} uses all servers")

    def explain(self):
        """After a failure: what the routers think."""
        for name in "router", *SERVERS:
            box = self.boxes[name]
            if not box.on:
                continue
            commands = [f"show ip route {VIP}", f"show bgp ipv4 unicast {VIP}"]
            if name in SERVERS:
                commands += ["show cluster vip", "show cluster probe"]
            for command in commands:
                print(f"\n--- {name}: {command}")
                try:
                    print(box.vtysh(command).strip())
                except LabError as error:
                    print(error)
            print(f"\n--- {name}: the end of its log\n{box.log()}", flush=True)


def main():
    parser = argparse.ArgumentParser(
        prog="tools/demo",
        description="Shows frr-clusterd at work in a lab of network namespaces.",
    )
    parser.add_argument("--smoke", action="store_true", help="the first steps only")
    parser.add_argument(
        "--keep",
        action="store_true",
        help="leave the lab up; prints how to enter and how to remove it",
    )
    parser.add_argument("--remove", metavar="LAB", help="remove a lab that was kept")
    parser.add_argument(
        "--enter",
        nargs=argparse.REMAINDER,
        metavar="LAB BOX [COMMAND...]",
        help="a command, or a shell, in a box of a lab that was kept",
    )
    options = parser.parse_args()

    if options.remove:
        lab_module.kept_remove(options.remove)
        print(f"lab {options.remove} is removed")
        return 0
    if options.enter is not None:
        if len(options.enter) < 2:
            parser.error("--enter needs a lab and a box")
        lab_module.kept_enter(*options.enter[:2], options.enter[2:])

    def show(lab):
        build(lab)
        demo = Demo(lab)
        status = 0
        try:
            demo.run(options.smoke)
        except LabError as error:
            demo.explain()
            print(f"\ndemo: FAILED in step {demo.steps}: {error}", flush=True)
            status = 1
        if options.keep:
            enter = f"tools/demo --enter {lab.folder.name}"
            print(
                f"""
The lab stays up.  Try:
    {enter} client curl http://{VIP}/[1-10]
    {enter} router vtysh -c 'show ip route {VIP}'
    {enter} node1 vtysh
    {enter} s11 bash
Boxes: {names(lab.boxes)}
What their processes print: {lab.folder.relative_to(lab_module.TOP)}/
Remove it by:
    tools/demo --remove {lab.folder.name}"""
            )
        return status

    return lab_module.run_isolated(show, keep=options.keep)


if __name__ == "__main__":
    sys.exit(main())
