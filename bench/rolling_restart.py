# SPDX-License-Identifier: GPL-2.0-or-later
"""HTTP requests that are lost while two nodes are restarted, one after the
other.

                          +-- node1 --+-- s1    HTTP servers, the members of
    client --- router ----+           X         VIP 192.0.2.80; they answer
               bgpd, ECMP +-- node2 --+-- s2    by the router, not by a node

Both nodes have both servers as members, in the same order and with the same
hash: a connection that moves to the other node reaches the same server.  The
client asks at a steady rate, each time over a new connection.  "Lost" is a
request without an answer of 200 in 5 s, refused or reset; "slow" one that took
more than 0.5 s, because a packet had to be sent again.

A restart is of all the node's FRR daemons: SIGTERM as the package's stop
script does it (zebra last), start, `vtysh -b`; the next node's turn comes when
the router has both nodes again.

plain     Just that: the node withdraws the VIP as it stops, but forgets its
          own route at once, while the router still sends.
sudden    `shutdown` with drain-time 0 first, the restart when the router has
          no more route by the node.
drained   `shutdown` with the drain-time of the configuration: the router is asked
          to prefer the other node (graceful-shutdown, and a worse MED) while
          this one still serves, and then the route goes; the restart when it
          is gone.

The result is the number of requests lost per 1,000 in `drained`: the goal is
none in any run.
"""

import argparse
import json
import signal
import subprocess
import sys
import time

import lab as lab_module
from lab import Box, LabError, Link, Router, RouteWatch

VIP = "192.0.2.80"
CLIENT = {"router": "198.51.100.1", "client": "198.51.100.2"}
UPLINK = {  # (router's end, node's end)
    "node1": ("198.51.100.17", "198.51.100.18"),
    "node2": ("198.51.100.33", "198.51.100.34"),
}
SERVERS = {"s1": 1, "s2": 2}
NODES = {"node1": 1, "node2": 2}
SLOW = 0.5  # s
SETTLE = 1.0  # s of load before and after

ROUTER_CONFIG = f"""\
hostname router
log file {Router.LOG}
log timestamp precision 6
!
route-map ALL permit 10
exit
!
router bgp 65000
 bgp router-id {CLIENT["router"]}
 neighbor NODES peer-group
 neighbor NODES remote-as 65100
 neighbor NODES timers 3 9
 bgp listen range 198.51.100.0/24 peer-group NODES
 address-family ipv4 unicast
  maximum-paths 16
  neighbor NODES route-map ALL in
  neighbor NODES route-map ALL out
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
 rise 1
 fall 2
exit
cluster vip SHOP
 drain-time 3000
 flip-interval 0
 damping off
 probe WEB
{members}
 address {vip}
exit
!
router bgp 65100
 bgp router-id {address}
 neighbor {router} remote-as 65000
 neighbor {router} timers 3 9
 neighbor {router} timers connect 1
 address-family ipv4 unicast
  redistribute openfabric route-map VIPS
  neighbor {router} route-map ALL in
  neighbor {router} route-map ALL out
 exit-address-family
exit
"""


def inside(node, server):
    """(node's, server's) address on the link of both."""
    base = f"203.0.113.{16 * NODES[node] + 4 * SERVERS[server]}".rsplit(".", 1)
    return tuple(f"{base[0]}.{int(base[1]) + i}" for i in (1, 2))


def reply(server):
    """(router's, server's) address on the link of both."""
    return tuple(f"198.51.100.{128 + 4 * SERVERS[server] + i}" for i in (1, 2))


def node_config(node):
    router_end, node_end = UPLINK[node]
    members = [inside(node, server)[1] for server in SERVERS]
    return NODE_CONFIG.format(
        node=node,
        log=Router.LOG,
        members="\n".join(f" member {m}" for m in members),
        vip=VIP,
        address=node_end,
        router=router_end,
    )


class Bench:
    STOP = "clusterd", "bgpd", "zebra"

    def __init__(self, lab, rate):
        self.rate = rate
        self.router = Router(lab, "router", ["zebra", "bgpd"], ROUTER_CONFIG)
        self.client = Box(lab, "client", gateway=CLIENT["router"])
        Link(
            self.router,
            f"{CLIENT['router']}/28",
            self.client,
            f"{CLIENT['client']}/28",
        )
        servers = {}
        for name in SERVERS:
            gateway, here = reply(name)
            servers[name] = Box(lab, name, gateway=gateway, addresses=[f"{VIP}/32"])
            Link(self.router, f"{gateway}/30", servers[name], f"{here}/30")
        self.nodes = {}
        for name, (router_end, node_end) in UPLINK.items():
            node = self.nodes[name] = Router(
                lab,
                name,
                ["zebra", "bgpd", "clusterd"],
                node_config(name),
                gateway=router_end,
                # By the ports only: the router's own hash would leave each
                # node with the connections of one server.
                sysctls={
                    "net/ipv4/fib_multipath_hash_policy": 3,
                    "net/ipv4/fib_multipath_hash_fields": 0x0010,
                },
            )
            Link(self.router, f"{router_end}/28", node, f"{node_end}/28")
            for server, box in servers.items():
                here, there = inside(name, server)
                Link(node, f"{here}/30", box, f"{there}/30")
        lab.power_on()
        for name, box in servers.items():
            program = str(lab_module.TOP / "tools/lab_http.py")
            box.start("http", "/usr/bin/python3", program, name)
        self.watch = RouteWatch(self.router)
        self.all_in()

    def all_in(self):
        self.watch.wait(VIP, {ends[1] for ends in UPLINK.values()}, 60)

    def leave(self, name, kind):
        """Takes the node out of service; returns when the router is without it."""
        commands = {"sudden": ["drain-time 0", "shutdown"], "drained": ["shutdown"]}
        node = self.nodes[name]
        node.configure("cluster vip SHOP", *commands[kind])
        others = {ends[1] for other, ends in UPLINK.items() if other != name}
        self.watch.wait(VIP, others)
        deadline = time.monotonic() + 30
        while True:
            text = node.run("vtysh", "-c", "show cluster vip SHOP json")
            if json.loads(text)["SHOP"]["state"] == "shutdown":
                break
            if time.monotonic() > deadline:
                raise LabError(f"{name}: the VIP isn't shut down")
            time.sleep(0.1)
        time.sleep(0.2)  # what is on its way

    def restart(self, name, kind):
        node = self.nodes[name]
        if kind != "plain":
            self.leave(name, kind)
        for daemon in self.STOP:
            node.kill(daemon, signal.SIGTERM)
        for daemon in node.daemons:
            node.start_daemon(daemon)
        node.load()
        self.all_in()

    def run(self, kind):
        """Restarts both nodes under load; returns (requests, lost, slow)."""
        program = str(lab_module.TOP / "bench/rolling_load.py")
        load = subprocess.Popen(
            [*self.client.enter(), "/usr/bin/python3", program, VIP, str(self.rate)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=lab_module.ENV,
        )
        began = time.monotonic()
        time.sleep(SETTLE)
        for name in self.nodes:
            self.restart(name, kind)
        time.sleep(SETTLE)
        took = time.monotonic() - began
        results = json.loads(load.communicate(timeout=30)[0])
        lost = [error for _, _, error in results if error]
        slow = sum(1 for _, seconds, error in results if not error and seconds > SLOW)
        print(
            f"{kind:9} {took:6.1f} s, {len(results):5} requests,"
            f" {len(lost):3} lost, {slow:3} slow",
            flush=True,
        )
        for error in sorted(set(lost)):
            print(f"          {lost.count(error):3} x {error}")
        return len(results), len(lost), slow

    def measure(self, runs):
        """Returns the requests lost per 1,000 of every drained run."""
        rates = []
        for _ in range(runs):
            for kind in "plain", "sudden", "drained":
                requests, lost, _ = self.run(kind)
                if kind == "drained":
                    rates.append(1000 * lost / requests)
        return rates


def main():
    parser = argparse.ArgumentParser(
        prog="bench/rolling-restart",
        description="Counts HTTP requests lost while two nodes are restarted.",
    )
    parser.add_argument("--runs", type=int, default=3, help="default 3")
    parser.add_argument("--rate", type=float, default=100, help="requests a second")
    parser.add_argument(
        "--smoke",
        action="store_true",
        help="one run; status 0 if that works, whatever is lost",
    )
    # argparse's own status for an error, 2, is a result here.
    parser.error = lambda text: parser.exit(3, f"{parser.prog}: {text}\n")
    options = parser.parse_args()

    def bench(lab):
        try:
            measured = Bench(lab, options.rate)
            worst = max(measured.measure(1 if options.smoke else options.runs))
            word = "ok" if worst == 0 else "short"
            print(f"rolling-restart: ratio {worst:.2f} (goal <= 0): {word}", flush=True)
            return 0 if options.smoke or worst == 0 else 1
        except LabError as error:
            for box in lab.boxes.values():
                if isinstance(box, Router) and box.on:
                    print(f"--- {box.name}: the end of its log\n{box.log()}")
            print(f"rolling-restart: failed: {error}", flush=True)
            return 3

    return lab_module.run_isolated(bench)


if __name__ == "__main__":
    sys.exit(main())
