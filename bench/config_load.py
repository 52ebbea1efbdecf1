# SPDX-License-Identifier: GPL-2.0-or-later
"""Time to load configurations of thousands of VIPs, against staticd.

    node --- servers        node: zebra as packaged, clusterd or staticd

frr.conf is loaded as at boot, by our `vtysh -b`, into daemons that have just
started; clusterd runs with all its defaults, so also with its watchdog.

ours    N VIPs of five lines (and `exit`): entry, probe, tag, member, address.
        The probe's verdict starts up, and its first runs are an hour away, so
        that all VIPs are announced at once and no probe is measured.
static  5 x N static routes, one line each.

Both are timed from the start of vtysh to its end; when all of clusterd's
routes are installed is printed too, as are the CPU seconds of vtysh, of the
daemon and of zebra.  The ratios are

share   ours / static, at the largest N; goal 1
growth  CPU seconds of vtysh and clusterd at the largest N / those at half of
        it, as a share of its goal, 2.6: what is linear has a growth of 2, a
        share of 0.77.  (Not time: the two are measured half a minute apart.)

each from a pair measured in turn; the result is the worse of both.

At the largest N it also prints (and judges not, but for the number of VIPs
that are left) how long it takes to delete a tenth of the VIPs by a file, and
to change the tag of one VIP by typing, and how much memory clusterd has.
"""

import argparse
import json
import resource
import statistics
import sys
import time

import lab as lab_module
from lab import Box, LabError, Link, Router, cpu, memory, poll
from verdict import conclude

NODE, SERVERS = "198.18.0.1", 200  # the servers' addresses follow the node's
GOAL = 1.0
GROWTH = 2.6
LINES_A_VIP = 5
EDITS = 5
EDIT_GOAL = 0.5  # s
MEMORY_GOAL = 5.0  # KB a VIP
TIMEOUT = 120

HEAD = f"""\
hostname node
log file {Router.LOG}
!
"""

PROBE = """\
cluster probe WEB
 type tcp
 port 80
 interval 3600000
 start up
 jitter 100
exit
"""


def server(i):
    return f"198.18.1.{i % SERVERS + 1}"


def address(i):
    return f"10.{i >> 16}.{i >> 8 & 255}.{i & 255}"


def name(i):
    return f"SERVICE-{i:05}"


def vips(n):
    sections = (
        f"cluster vip {name(i)}\n"
        " probe WEB\n"
        f" tag {100 + i % 50}\n"
        f" member {server(i)}\n"
        f" address {address(i)}\n"
        "exit\n"
        for i in range(n)
    )
    return HEAD + PROBE + "".join(sections)


def routes(n):
    return HEAD + "".join(f"ip route {address(i)}/32 {server(i)}\n" for i in range(n))


def children_cpu():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Bench:
    def __init__(self, lab, n):
        self.n = n
        self.node = Router(lab, "node", ["zebra"], HEAD)
        box = Box(lab, "servers", gateway=NODE)
        Link(self.node, f"{NODE}/15", box, "198.19.0.1/15")
        lab.power_on()

    def kernel_routes(self):
        return self.node.run("ip", "route", "show", "root", "10.0.0.0/8")

    def stop(self, daemon):
        """Ends the daemon; waits until zebra has removed its routes."""
        self.node.kill(daemon)
        poll(
            lambda: not self.kernel_routes(),
            TIMEOUT,
            f"zebra removes {daemon}'s routes",
        )

    def load(self, daemon, what, text):
        """Loads a configuration into a fresh daemon; returns the seconds, and
        those of CPU time that vtysh and the daemon used."""
        node = self.node
        node.path("/etc/frr/frr.conf").write_text(text)
        node.start_daemon(daemon)
        pids = [node.processes[name].pid for name in (daemon, "zebra")]
        before = [children_cpu(), *map(cpu, pids)]
        self.memory_before = memory(pids[0], "Rss")
        self.began = time.monotonic()
        node.run("vtysh", "-b", "-n", timeout=TIMEOUT)
        seconds = time.monotonic() - self.began
        after = [children_cpu(), *map(cpu, pids)]
        used = [b - a for a, b in zip(before, after)]
        print(
            f"  {what:24} {seconds:7.2f} s, CPU: vtysh {used[0]:.2f},"
            f" {daemon} {used[1]:.2f}, zebra {used[2]:.2f}",
            flush=True,
        )
        return seconds, used[0] + used[1]

    def summary(self):
        return json.loads(
            self.node.run("vtysh", "-c", "show cluster summary json", timeout=TIMEOUT)
        )

    def installed(self, n):
        """Waits until exactly n VIPs are there and announced."""

        def look():
            if self.node.processes["clusterd"].poll() is not None:
                raise LabError("clusterd has ended: " + self.node.log())
            summary = self.summary()
            counts = summary["vips"]
            return (
                not summary["configurationLoading"]
                and counts["total"] == n
                and counts["announced"] == n
            )

        try:
            poll(look, TIMEOUT, f"all {n} VIPs are announced")
        except LabError as error:
            raise LabError(f"{error}\n{self.others()}") from None

    def others(self):
        """The first VIPs that aren't announced, as clusterd and zebra see them."""
        text = self.node.run("vtysh", "-c", "show cluster vip json", timeout=TIMEOUT)
        texts = []
        for vip, state in json.loads(text).items():
            for entry in state["addresses"] if state["state"] != "announced" else ():
                route = self.node.run(
                    "vtysh", "-c", f"show ip route {entry['address']}"
                )
                texts.append(f"{vip}: {entry}\n{route}")
        return "\n".join(texts[:5])

    def ours(self, n):
        result = self.load("clusterd", f"{n} VIPs", vips(n))
        self.installed(n)
        total = time.monotonic() - self.began
        pid = self.node.processes["clusterd"].pid
        self.memory = (memory(pid, "Rss") - self.memory_before) / n
        print(
            f"{'':28}announced after {total:.2f} s, clusterd's CPU by then"
            f" {cpu(pid):.2f} s, {self.memory:.1f} KB a VIP",
            flush=True,
        )
        return result

    def static(self, n):
        seconds, _ = self.load("staticd", f"{n} static routes", routes(n))
        # Routes that still wait in zebra's queue when their owner dies, stay.
        poll(
            lambda: self.kernel_routes().count("\n") == n,
            TIMEOUT,
            f"zebra installs {n} static routes",
        )
        self.stop("staticd")
        return seconds

    def edit(self, tag):
        """Seconds, and clusterd's CPU seconds, of one typed change."""
        pid = self.node.processes["clusterd"].pid
        began, used = time.monotonic(), cpu(pid)
        self.node.configure(f"cluster vip {name(self.n // 2)}", f"tag {tag}")
        return time.monotonic() - began, cpu(pid) - used

    def delete(self, n):
        """Seconds to delete the first n VIPs by `vtysh -f`."""
        lines = "".join(f"no cluster vip {name(i)}\n" for i in range(n))
        self.node.path("/etc/frr/delete.conf").write_text(lines)
        began = time.monotonic()
        self.node.run("vtysh", "-f", "/etc/frr/delete.conf", timeout=TIMEOUT)
        seconds = time.monotonic() - began
        self.installed(self.n - n)
        return seconds

    def afterwards(self):
        """What is measured once the largest configuration is loaded."""
        edits = [self.edit(1000 + i) for i in range(EDITS)]
        deleted = self.n // 10
        seconds = self.delete(deleted)
        self.extra.append((statistics.median(e[0] for e in edits), seconds))
        print(
            f"  one typed change: {statistics.median(e[0] for e in edits):.2f} s"
            f" (CPU {statistics.median(e[1] for e in edits):.2f} s),"
            f" {deleted} deletions: {seconds:.2f} s",
            flush=True,
        )

    def measure(self, pairs):
        ratios = {"share": [], "growth": []}
        self.extra = []
        for pair in range(pairs):
            print(f"pair {pair + 1}", flush=True)
            if pair == 0:
                self.static(self.n // 10 * LINES_A_VIP)
            self.ours(self.n // 10)
            self.stop("clusterd")
            _, half_cpu = self.ours(self.n // 2)
            self.stop("clusterd")
            whole, whole_cpu = self.ours(self.n)
            self.afterwards()
            self.stop("clusterd")
            static = self.static(self.n * LINES_A_VIP)
            ratios["share"].append(whole / static)
            ratios["growth"].append(whole_cpu / half_cpu / GROWTH)
            print(
                f"  ours / static {whole / static:.3f}, growth {whole_cpu / half_cpu:.2f}"
                f" (goal <= {GROWTH})",
                flush=True,
            )
        edit, deletion = (statistics.median(values) for values in zip(*self.extra))
        print(
            f"at {self.n} VIPs: one typed change {edit:.2f} s (goal <= {EDIT_GOAL}),"
            f" {self.n // 10} deletions {deletion:.2f} s,"
            f" memory {self.memory:.1f} KB a VIP (goal <= {MEMORY_GOAL})"
        )
        self.missed = []
        if edit > EDIT_GOAL:
            self.missed.append("a typed change takes too long")
        if self.memory > MEMORY_GOAL:
            self.missed.append("too much memory")
        return ratios


def main():
    parser = argparse.ArgumentParser(
        prog="bench/config-load",
        description="Times the loading of thousands of VIPs against staticd.",
    )
    parser.add_argument("--pairs", type=int, default=5, help="default 5")
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
            measured = Bench(lab, n)
            status = conclude(
                "config-load",
                lambda: measured.measure(pairs),
                GOAL,
                reruns=0 if options.smoke else 1,
                missed=lambda: measured.missed,
            )
            return 0 if options.smoke else status
        except LabError as error:
            for box in lab.boxes.values():
                if isinstance(box, Router) and box.on:
                    print(f"--- {box.name}: the end of its log\n{box.log()}")
            print(f"config-load: failed: {error}", flush=True)
            return 3

    return lab_module.run_isolated(bench)


if __name__ == "__main__":
    sys.exit(main())
