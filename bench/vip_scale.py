# SPDX-License-Identifier: GPL-2.0-or-later
"""10,000 VIPs up and down at once, against redistributed routes of FRR and the kernel.

    servers ---+
    statics ---+- node --- router    node: zebra, bgpd, staticd, clusterd
                                     router: zebra, bgpd; all as packaged

All that is announced by the node has one address each (/32).  One kind at a time
goes and comes again as a whole, while the others stay.  Measured is the time
until the last one is gone from, or there in, the router's kernel.

kernel   Kernel routes, deleted and added by `ip -batch`, under `redistribute
         kernel`: from the start of ip.
static   Static routes of staticd under `redistribute static`, whose common next
         hop goes with its link: from the change of the link.
members  VIPs with a member each (200 servers) and one probe: from the time stamp
         of its verdict in clusterd's log.  How long it took to find out is no
         part of it.
local    The same with VIPs that are served on the node: the kernel has its
         local routes (AnyIP) set before, and taken away after.  Until they are
         gone, too, is printed.

One such time is full of chance.  bgpd's process queue, on both ends, rests for
50 ms whenever it has run empty, and how often it does so among 10,000 routes
depends on how the processes share the processors: the same thing takes 0.60 s
and 0.70 s.  So a pair compares sums: each kind goes and comes --turns times,
in turn with the others and in an order that rotates, and the ratio of the pair
is sum of ours / sum of kernel, for down and up each; those to static are
printed, and judged as well.  Nothing that was measured is left out but one turn
of each kind before the first pair, in which daemons get their memory.

The router's kernel is asked as little as possible, since that takes time of the
processors from the daemons: its reports of routes are counted (5 % of one
processor), and the table itself is looked at only once there have been as many as
services.

What is noisy, by members or local, is measured once more; what isn't stays.  Also
printed: what clusterd took of CPU time, and its memory for each VIP.
"""

import argparse
import datetime
import re
import socket
import statistics
import sys
import time

import lab as lab_module
from lab import Box, LabError, Link, Router, cpu, memory, poll
from verdict import conclude, noisy

GOAL = 1.2
SERVERS = 200
TIMEOUT = 120
QUIET = 0.5  # s, longer than every queue's hold
STEADY = 20  # s, until clusterd has ended its search for leftovers in zebra

# kind: the first half of its addresses
NETS = {"kernel": "10.1", "static": "10.2", "members": "10.3", "local": "10.4"}

LOG = f"""\
log file {Router.LOG}
log timestamp precision 6
!
"""

HEAD = f"""\
hostname {{name}}
{LOG}ip prefix-list SERVICE permit 10.0.0.0/8 ge 32
route-map SERVICE permit 10
 match ip address prefix-list SERVICE
exit
!
router bgp {{here_as}}
 bgp router-id {{here}}
 no bgp ebgp-requires-policy
 neighbor {{there}} remote-as {{there_as}}
 neighbor {{there}} timers connect 1
 address-family ipv4 unicast
{{redistribute}}
 exit-address-family
exit
!
"""

REDISTRIBUTE = "\n".join(
    f"  redistribute {protocol} route-map SERVICE"
    for protocol in ("kernel", "static", "openfabric")
)

PROBE = """\
cluster probe WEB
 type tcp
 target 198.19.0.2
 port 80
 interval 100
 rise 1
 fall 1
exit
"""


def address(kind, i):
    # The last byte of a service's address is never 0 or 255.
    return f"{NETS[kind]}.{i // 250}.{i % 250 + 1}"


def vips(kind, n):
    service = "local" if kind == "local" else "member 198.19.1.{}"
    return "".join(
        f"cluster vip SERVICE-{i:05}\n"
        " probe WEB\n"
        " flip-interval 0\n"
        " damping off\n"
        f" {service.format(i % SERVERS + 1)}\n"
        f" address {address(kind, i)}\n"
        "exit\n"
        for i in range(n)
    )


class RouteReports:
    """Counts what a box's kernel reports of its IPv4 routes."""

    SO_RCVBUFFORCE, RTMGRP_IPV4_ROUTE = 33, 0x40

    def __init__(self, box):
        with box.network():
            self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
            self.socket.bind((0, self.RTMGRP_IPV4_ROUTE))
        # Nobody reads while `ip -batch` runs.
        self.socket.setsockopt(socket.SOL_SOCKET, self.SO_RCVBUFFORCE, 1 << 26)
        self.socket.setblocking(False)

    def take(self):
        """How many there were since the last time; infinitely many if some
        got lost."""
        count = 0
        try:
            while self.socket.recv(64):
                count += 1
        except BlockingIOError:
            return count
        except OSError:
            return float("inf")


class Bench:
    def __init__(self, lab, n, turns):
        self.n = n
        self.turns = turns
        self.settled = {}  # the ratios of kinds that weren't noisy
        config = {
            "router": HEAD.format(
                name="router",
                here_as=65000,
                there_as=65100,
                here="198.51.100.1",
                there="198.51.100.2",
                redistribute="!",
            ),
            "node": HEAD.format(
                name="node",
                here_as=65100,
                there_as=65000,
                here="198.51.100.2",
                there="198.51.100.1",
                redistribute=REDISTRIBUTE,
            )
            + "".join(
                f"ip route {address('static', i)}/32 198.18.0.2\n" for i in range(n)
            ),
        }
        # First, so that their links are there when the node's zebra starts: while it
        # reads 10,000 statics it has been seen to miss a connected route.
        self.servers = Box(lab, "servers", gateway="198.19.0.1")
        self.statics = Box(lab, "statics", gateway="198.18.0.1")
        self.router = Router(lab, "router", ["zebra", "bgpd"], config["router"])
        self.node = Router(
            lab, "node", ["zebra", "bgpd", "staticd", "clusterd"], config["node"]
        )
        Link(self.router, "198.51.100.1/30", self.node, "198.51.100.2/30")
        Link(self.node, "198.19.0.1/16", self.servers, "198.19.0.2/16")
        Link(self.node, "198.18.0.1/16", self.statics, "198.18.0.2/16")
        self.batches = {}

    def begin(self):
        """Once the lab has power: what is compared with is announced."""
        for word in "add", "del":
            path = self.node.lab.folder / f"batch.{word}"
            path.write_text(
                "".join(
                    f"route {word} {address('kernel', i)} via 198.19.0.2\n"
                    for i in range(self.n)
                )
            )
            self.batches[word] = str(path)
        self.node.run("ip", "-batch", self.batches["add"], timeout=TIMEOUT)
        poll(
            lambda: self.router.run("ip", "route", "show", "root", "10.0.0.0/8").count(
                "\n"
            )
            == 2 * self.n,
            TIMEOUT,
            "the router has all kernel and static routes",
        )
        self.base = self.prefixes() - 2 * self.n
        self.reports = RouteReports(self.router)
        self.server_start()

    def server_start(self):
        program = str(lab_module.TOP / "tools/lab_http.py")
        self.servers.start("http", "/usr/bin/python3", program, "server")

    # -- the router's kernel --

    def prefixes(self):
        """How many routes it has, counted by the kernel itself, which takes a
        millisecond."""
        path = f"/proc/{self.router.holder.pid}/net/fib_triestat"
        with open(path, encoding="ascii") as file:
            return int(re.search(r"Prefixes:\s*(\d+)", file.read()).group(1))

    def services(self):
        return self.prefixes() - self.base

    def reached(self, n):
        """Waits until the router has that many services; returns when."""
        deadline = time.monotonic() + TIMEOUT
        self.reports.take()  # of before
        missing = abs(n - self.services())
        while missing > 0:
            time.sleep(0.002)
            if time.monotonic() > deadline:
                raise LabError(
                    f"the router has {self.services()} services, and not {n}"
                )
            missing -= self.reports.take()
            if missing <= 0:
                # Reports of other changes were among them, or some got lost.
                missing = abs(n - self.services())
        return time.time()

    # -- what goes and comes: (seconds down, seconds up) each --

    def both(self, down, up, settled=lambda there: None):
        """down() and up() return when it began; settled(there) waits for what
        follows after it."""
        time.sleep(QUIET)
        gone = -down() + self.reached(2 * self.n)
        settled(False)
        time.sleep(QUIET)
        there = -up() + self.reached(3 * self.n)
        settled(True)
        return gone, there

    def kernel(self):
        def batch(word):
            began = time.time()
            self.node.run("ip", "-batch", self.batches[word], timeout=TIMEOUT)
            return began

        return self.both(lambda: batch("del"), lambda: batch("add"))

    def static(self):
        def link(state):
            began = time.time()
            self.node.ip(f"link set statics {state}")
            return began

        return self.both(lambda: link("down"), lambda: link("up"))

    # The line in which clusterd says what the probe has found.
    LINE = re.compile(
        r"^(\S+ \S+) CLUSTER: .*\] probe WEB of \S+ in VRF default: (up|down)", re.M
    )

    def log_end(self):
        return self.node.path(Router.LOG).stat().st_size

    def verdict(self, word, after, mark):
        """When, later than `after`, the log behind `mark` says so."""

        def look():
            # Not all of it, again and again: that would be measured, too.
            with self.node.path(Router.LOG).open("rb") as file:
                file.seek(mark)
                text = file.read(65536).decode(errors="replace")
            for stamp, verdict in self.LINE.findall(text):
                when = datetime.datetime.strptime(
                    stamp + "+0000", "%Y/%m/%d %H:%M:%S.%f%z"
                ).timestamp()
                if when > after and verdict == word:
                    return when
            return None

        return poll(look, 10, f"clusterd's probe is {word}")

    def ours(self):
        def down():
            mark = self.log_end()
            return self.verdict("down", self.servers.kill("http"), mark)

        def up():
            mark, began = self.log_end(), time.time()
            self.server_start()
            return self.verdict("up", began, mark)

        def local(there):
            if self.kind == "local":
                self.local_routes(self.n if there else 0)

        pid = self.node.processes["clusterd"].pid
        used = cpu(pid)
        result = self.both(down, up, local)
        self.used.append(cpu(pid) - used)
        return result

    def local_routes(self, n):
        """Waits until the node has that many; returns when."""
        poll(
            lambda: self.node.run(
                "ip", "route", "show", "table", "local", "proto", "84"
            ).count("\n")
            == n,
            TIMEOUT,
            f"the node has {n} local routes",
        )
        return time.time()

    def load(self, kind):
        """The VIPs of that kind, instead of others."""
        self.kind, self.used = kind, []
        pid = self.node.processes["clusterd"].pid
        before = memory(pid, "Rss")
        path = self.node.path("/etc/frr/frr.conf")
        path.write_text(f"{LOG}{PROBE}{vips(kind, self.n)}")
        began, used = time.time(), cpu(pid)
        self.node.run("vtysh", "-b", "-n", "-d", "clusterd", timeout=TIMEOUT)
        loaded = time.time()
        there = self.reached(3 * self.n)
        print(
            f"{self.n} VIPs, {kind}: loaded in {loaded - began:.1f} s, all at the router"
            f" {there - loaded:.1f} s later; clusterd's CPU {cpu(pid) - used:.2f} s,"
            f" {(memory(pid, 'Rss') - before) / self.n:.1f} KB each",
            flush=True,
        )

    def unload(self):
        """clusterd without VIPs again; how long its death takes is printed."""
        killed = self.node.kill("clusterd")
        gone = self.reached(2 * self.n) - killed
        self.node.start_daemon("clusterd")
        self.local_routes(0)
        print(
            f"clusterd killed by -9: all gone after {gone:.2f} s; its leftovers"
            f" {time.time() - killed:.1f} s after it, with the next one",
            flush=True,
        )

    def turn(self, first):
        """One of each: [(seconds down, seconds up)] of kernel, static and ours."""
        kinds = [self.kernel, self.static, self.ours]
        row = [None] * 3
        for step in range(3):
            kind = (first + step) % 3
            row[kind] = kinds[kind]()
        return row

    def pairs(self, kind, n_pairs):
        """{"kind / against word": ratios}"""
        self.load(kind)
        time.sleep(STEADY)
        names = ["kernel", "static", kind]

        def line(title, row):
            times = "  ".join(f"{down:6.2f} {up:6.2f}" for down, up in row)
            print(f"{title:34}{times}", flush=True)

        print(
            "s until the last is gone / there: " + "  ".join(f"{n:>13}" for n in names)
        )
        line("not counted", self.turn(0))
        sums, first = [], 0
        for pair in range(n_pairs):
            rows = []
            for _ in range(self.turns):
                rows.append(self.turn(first))
                line(f"pair {pair + 1}", rows[-1])
                first += 1
            sums.append(
                [[sum(row[k][w] for row in rows) for w in (0, 1)] for k in range(3)]
            )
        line(
            "mean",
            [
                [statistics.mean(s[k][w] for s in sums) / self.turns for w in (0, 1)]
                for k in range(3)
            ],
        )
        print(f"clusterd's CPU for down and up: {statistics.median(self.used):.2f} s")
        self.unload()
        return {
            f"{kind} / {against} {word}": [s[2][w] / s[k][w] for s in sums]
            for k, against in enumerate(names[:2])
            for w, word in enumerate(("down", "up"))
        }

    def measure(self, n_pairs):
        results = {}
        for kind in ("members", "local"):
            ratios = self.settled.get(kind) or self.pairs(kind, n_pairs)
            if not any(noisy(values) for values in ratios.values()):
                self.settled[kind] = ratios
            results |= ratios
        return results


def main():
    parser = argparse.ArgumentParser(
        prog="bench/vip-scale",
        description="Times thousands of VIPs up and down against redistributed routes.",
    )
    parser.add_argument("--pairs", type=int, default=5, help="default 5")
    parser.add_argument(
        "--turns", type=int, default=5, help="of each kind in a pair, default 5"
    )
    parser.add_argument("--vips", type=int, default=10000, help="default 10000")
    parser.add_argument(
        "--smoke",
        action="store_true",
        help="2 pairs of 1000 VIPs; status 0 if that works, whatever the ratio",
    )
    # argparse's own status for an error, 2, is a result here.
    parser.error = lambda text: parser.exit(3, f"{parser.prog}: {text}\n")
    options = parser.parse_args()
    pairs, n = (2, 1000) if options.smoke else (options.pairs, options.vips)

    def bench(lab):
        try:
            measured = Bench(lab, n, 1 if options.smoke else options.turns)
            lab.power_on()
            measured.begin()
            status = conclude(
                "vip-scale",
                lambda: measured.measure(pairs),
                GOAL,
                0 if options.smoke else 1,
            )
            return 0 if options.smoke else status
        except LabError as error:
            for box in lab.boxes.values():
                if isinstance(box, Router) and box.on:
                    print(f"--- {box.name}: the end of its log\n{box.log()}")
            print(f"vip-scale: failed: {error}", flush=True)
            return 3

    return lab_module.run_isolated(bench)


if __name__ == "__main__":
    sys.exit(main())
