# SPDX-License-Identifier: GPL-2.0-or-later
"""What clusterd adds to the time that FRR itself needs to withdraw a route.

    server --- node --- router      node: zebra, bgpd, clusterd
                                    router: zebra, bgpd; both as packaged

A route that leaves through bgpd pays fixed times on both ends: bgpd's process
queue holds 50 ms, zebra's 10 ms.  No program on the node can be faster; that
floor is measured here, in the same lab and in turn with ours:

floor    A kernel route on the node, announced by `redistribute kernel`, is
         deleted by `ip route del`.  From the moment the node's kernel reports
         the deletion to the moment the router's kernel reports its own.
verdict  The VIP's server is killed, and the next run of its probe (tcp,
         fall 1) is refused.  From the time stamp of the probe's verdict in
         clusterd's log to the router's kernel.  How long the probe took to
         find out is no part of it.
killed   clusterd is killed by -9.  From the signal to the router's kernel.

All times are of one clock, CLOCK_REALTIME of this machine; kernels are watched
by `ip monitor`, which stamps what they report.  A pair is one measurement of
each kind, in an order that rotates; before each, the lab has been quiet, so
that no queue is running.  Pairs for warming up are not counted: what bgpd
announces first after a session came up waits a second longer.

The ratio of a pair is ours / floor.  The result is the median of the ratios,
of the worse of both kinds; an interquartile range over 10 % of the median is
`noisy` and measured again, twice at most.
"""

import argparse
import datetime
import re
import statistics
import sys
import time

import lab as lab_module
from lab import Box, LabError, Link, Router, RouteWatch
from verdict import conclude

VIP = "192.0.2.80"
FLOOR = "192.0.2.81"
SERVER = {"node": "203.0.113.1", "server": "203.0.113.2"}
UPLINK = {"node": "198.51.100.1", "router": "198.51.100.2"}
GOAL = 1.1
QUIET = 0.4  # s, longer than every queue's hold

BGP = """\
hostname {name}
log file {log}
log timestamp precision 6
!
ip prefix-list SERVICE permit 192.0.2.0/24 ge 32
route-map VIPS permit 10
 match tag 84
exit
route-map SERVICE permit 10
 match ip address prefix-list SERVICE
exit
!
{more}
!
router bgp {here_as}
 bgp router-id {here}
 neighbor {there} remote-as {there_as}
 neighbor {there} timers connect 1
 address-family ipv4 unicast
  neighbor {there} route-map SERVICE in
  neighbor {there} route-map SERVICE out
{redistribute}
 exit-address-family
exit
"""

CLUSTER = f"""\
cluster probe WEB
 type tcp
 port 80
 interval 100
 rise 1
 fall 1
exit
cluster vip SHOP
 flip-interval 0
 damping off
 probe WEB
 member {SERVER["server"]}
 address {VIP}
exit"""

REDISTRIBUTE = """\
  redistribute kernel route-map SERVICE
  redistribute openfabric route-map VIPS"""


def config(here, there, numbers, more="!", redistribute="!"):
    return BGP.format(
        name=here,
        log=Router.LOG,
        here=UPLINK[here],
        there=UPLINK[there],
        here_as=numbers[0],
        there_as=numbers[1],
        more=more,
        redistribute=redistribute,
    )


class Bench:
    """A lab, and one method for each kind of measurement: in it the route
    is announced, withdrawn, and the withdrawal timed (ms)."""

    CLUSTER = CLUSTER

    def __init__(self, lab, suffix="", node=None, router=None):
        """suffix: of the boxes' names; node, router: (options, more lines of
        frr.conf) instead of none."""
        node_options, node_lines = node or ({}, "")
        router_options, router_lines = router or ({}, "")
        self.router = Router(
            lab,
            "router" + suffix,
            ["zebra", "bgpd"],
            config("router", "node", (65000, 65100), router_lines),
            router_options,
        )
        self.node = Router(
            lab,
            "node" + suffix,
            ["zebra", "bgpd", "clusterd"],
            config(
                "node",
                "router",
                (65100, 65000),
                node_lines + self.CLUSTER,
                REDISTRIBUTE,
            ),
            node_options,
        )
        self.server = Box(lab, "server" + suffix, gateway=SERVER["node"])
        Link(
            self.router,
            f"{UPLINK['router']}/30",
            self.node,
            f"{UPLINK['node']}/30",
        )
        Link(self.node, f"{SERVER['node']}/30", self.server, f"{SERVER['server']}/30")

    def begin(self):
        """Once the lab has power."""
        self.start_server()
        self.at_node = RouteWatch(self.node)
        self.at_router = RouteWatch(self.router)

    def start_server(self):
        program = str(lab_module.TOP / "tools/lab_http.py")
        self.server.start("http", "/usr/bin/python3", program, "server")

    def announced(self, prefix):
        """Waits until the router has it and everything is quiet."""
        self.at_router.wait(prefix, {UPLINK["node"]})
        time.sleep(QUIET)
        self.at_node.read()

    def withdrawn(self, prefix, since):
        return (self.at_router.wait(prefix, ()) - since) * 1000

    def floor(self):
        self.node.ip(f"route add {FLOOR} via {SERVER['server']}")
        self.announced(FLOOR)
        self.node.ip(f"route del {FLOOR}")
        return self.withdrawn(FLOOR, self.at_node.wait(FLOOR, ()))

    def verdict(self):
        self.announced(VIP)
        killed = self.server.kill("http")
        ms = self.withdrawn(VIP, self.verdict_time(killed))
        self.start_server()
        return ms

    def killed(self):
        self.announced(VIP)
        ms = self.withdrawn(VIP, self.node.kill("clusterd"))
        self.node.start_daemon("clusterd")
        self.node.load("clusterd")
        return ms

    # The line in which clusterd says that the probe is down.
    LINE = re.compile(r"^(\S+ \S+) CLUSTER: .*\] probe WEB .*\bdown\b", re.M)

    def verdict_time(self, after):
        """When clusterd's log has the verdict that came after `after`."""

        def look():
            text = self.node.path(Router.LOG).read_text()
            for stamp in self.LINE.findall(text):
                when = datetime.datetime.strptime(
                    stamp + "+0000", "%Y/%m/%d %H:%M:%S.%f%z"
                ).timestamp()
                if when > after:
                    return when
            return None

        return lab_module.poll(look, 10, "clusterd logs the probe's verdict")

    def kinds(self):
        """What is measured; the first is the floor."""
        return [self.floor, self.verdict, self.killed]

    def measure(self, pairs, warm_up):
        """Returns the ratios of every pair: {"verdict": [...], "killed": [...]}"""
        kinds = self.kinds()
        rows = []
        print("ms from the cause to the route's end in the router's kernel:")
        names = " ".join(f"{kind.__name__:>8}" for kind in kinds)
        print(f"pair {names}", flush=True)
        for pair in range(-warm_up, pairs):
            turn = pair % len(kinds)
            row = {kind.__name__: kind() for kind in kinds[turn:] + kinds[:turn]}
            figures = " ".join(f"{row[kind.__name__]:8.1f}" for kind in kinds)
            print(f"{pair + 1:4} {figures}" if pair >= 0 else f"warm {figures}")
            sys.stdout.flush()
            if pair >= 0:
                rows.append(row)
        medians = (statistics.median(r[kind.__name__] for r in rows) for kind in kinds)
        print("median" + " ".join(f"{median:8.1f}" for median in medians)[1:])
        return {
            ours.__name__: [row[ours.__name__] / row["floor"] for row in rows]
            for ours in kinds[1:]
        }


def main(name="withdraw-floor", kind=Bench, goal=GOAL):
    parser = argparse.ArgumentParser(
        prog=f"bench/{name}",
        description="Times a withdrawal by clusterd against FRR's own floor.",
    )
    parser.add_argument("--pairs", type=int, default=15, help="default 15")
    parser.add_argument(
        "--smoke",
        action="store_true",
        help="5 pairs, measured once; status 0 if that works, whatever the ratio",
    )
    # argparse's own status for an error, 2, is a result here.
    parser.error = lambda text: parser.exit(3, f"{parser.prog}: {text}\n")
    options = parser.parse_args()
    pairs, warm_up, reruns = (5, 1, 0) if options.smoke else (options.pairs, 2, 2)

    def bench(lab):
        try:
            measured = kind(lab)
            lab.power_on()
            measured.begin()
            status = conclude(
                name,
                lambda: measured.measure(pairs, warm_up),
                goal,
                reruns,
            )
            return 0 if options.smoke else status
        except LabError as error:
            for box in lab.boxes.values():
                if isinstance(box, Router) and box.on:
                    print(f"--- {box.name}: the end of its log\n{box.log()}")
            print(f"{name}: failed: {error}", flush=True)
            return 3

    return lab_module.run_isolated(bench)


if __name__ == "__main__":
    sys.exit(main())
