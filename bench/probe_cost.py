# SPDX-License-Identifier: GPL-2.0-or-later
"""What 1,000 TCP probes a second cost, and how punctual they are.

    node --- targets        node: zebra, clusterd and probe_cost_loop
                            targets: probe_cost_loop as server

clusterd and a bare epoll loop in C (probe_cost_loop.c) do the same checks, of
1,000 targets each every second, at the same time: what else the machine does
hits both.  A pair is the CPU time of both in one window of the run.

CPU       user and system time, by the scheduler's account (schedstat).
Lateness  A target's checks are a second apart, so its earliest one, in
          relation to that raster, tells when all others were due.  The kernel
          stamps the SYNs as they leave the node's link.  Over the whole run,
          99 of 100 checks of clusterd may be at most 1 ms later than the
          loop's are.
Memory    Anonymous memory of clusterd after the first window and after the
          last one, which may differ by 64 KB; and what it has above the
          daemon without a probe (PSS): at most keepalived's 7.7 MiB.

The ratio is the CPU time of clusterd / that of the loop.
"""

import json
import socket
import sys
import time

import lab as lab_module
from lab import Box, LabError, Link, Router, cpu, memory, poll
from packet_watch import PacketWatch
import frame

LOOP = lab_module.TOP / "build/bench/probe_cost_loop"
NODE, TARGETS = "203.0.113.1", "203.0.113.2"
PREFIX = {"clusterd": "198.18", "loop": "198.19"}
GOAL = 1.3
LATE_GOAL_MS = 1.0
GROWTH_KB = 64
MEMORY_KB = 7.7 * 1024
QUANTILE = 0.99

# Frames that leave with a first SYN over IPv4, without options in the IP
# header: `ip and tcp[tcpflags] == tcp-syn`, 34 bytes of each.
BPF = [
    (0x28, 0, 0, 12),  # ldh [12]
    (0x15, 0, 5, 0x0800),  # jeq #0x800
    (0x30, 0, 0, 23),  # ldb [23]
    (0x15, 0, 3, 6),  # jeq #6
    (0x30, 0, 0, 47),  # ldb [47]
    (0x15, 0, 1, 0x02),  # jeq #2
    (0x06, 0, 0, 34),  # ret #34
    (0x06, 0, 0, 0),  # ret #0
]


def config(n, interval):
    sections = (
        f"cluster probe P{i:04}\n"
        " type tcp\n"
        f" target {PREFIX['clusterd']}.{i // 250}.{i % 250 + 1}\n"
        " port 80\n"
        f" interval {interval}\n"
        " jitter 100\n"
        "exit\n"
        for i in range(n)
    )
    return f"hostname node\nlog file {Router.LOG}\n!\n" + "".join(sections)


class SynWatch(PacketWatch):
    """The SYNs that leave a link."""

    def __init__(self, box, link):
        super().__init__(box, link, BPF)
        self.seen = {}  # address -> times, s

    def frame(self, when, frame):
        address = socket.inet_ntoa(frame[30:34])
        self.seen.setdefault(address, []).append(when)

    def lateness(self, prefix, interval):
        """How late the checks of prefix's targets were, in ms, sorted."""
        late = []
        for address, times in self.seen.items():
            if not address.startswith(prefix + "."):
                continue
            phases = [
                t - times[0] - round((t - times[0]) / interval) * interval
                for t in times
            ]
            first = min(phases)
            late.extend((phase - first) * 1000 for phase in phases)
        return sorted(late)


class Bench:
    def __init__(self, lab, options):
        n, interval = options.probes, options.interval
        self.n, self.interval = n, interval
        self.missed = []
        self.node = Router(lab, "node", ["zebra"], "hostname node\n")
        self.targets = Box(lab, "targets", gateway=NODE)
        Link(self.node, f"{NODE}/30", self.targets, f"{TARGETS}/30")
        lab.power_on()
        for prefix in PREFIX.values():
            self.targets.ip(f"route add local {prefix}.0.0/16 dev lo")
            self.node.ip(f"route add {prefix}.0.0/16 via {TARGETS}")
        self.targets.start("server", str(LOOP), "serve")
        self.node.path("/etc/frr/frr.conf").write_text(config(n, interval))
        self.node.start_daemon("clusterd")
        self.idle = memory(self.pid("clusterd"), "Pss")
        self.node.load("clusterd")
        self.node.start(
            "loop", str(LOOP), "probe", PREFIX["loop"], str(n), str(interval)
        )
        poll(self.all_up, 30, f"{n} probes are up")

    def pid(self, name):
        return self.node.processes[name].pid

    def all_up(self):
        text = self.node.run("vtysh", "-c", "show cluster summary json")
        return json.loads(text)["probes"]["up"] == self.n

    def measure(self, windows, seconds):
        watch = SynWatch(self.node, "targets")
        ratios, rates = [], []
        began = time.monotonic()
        print("CPU, % of a core:\nwindow clusterd     loop", flush=True)
        for window in range(windows):
            before = {name: cpu(self.pid(name)) for name in PREFIX}
            since = time.monotonic()
            watch.read(began + (window + 1) * seconds)
            took = time.monotonic() - since
            used = {name: cpu(self.pid(name)) - before[name] for name in PREFIX}
            ratios.append(used["clusterd"] / used["loop"])
            figures = " ".join(f"{100 * used[name] / took:8.2f}" for name in PREFIX)
            print(f"{window + 1:6} {figures}", flush=True)
            if window == 0:
                first = memory(self.pid("clusterd"), "Anonymous")
        last = memory(self.pid("clusterd"), "Anonymous")
        more = memory(self.pid("clusterd"), "Pss") - self.idle
        took = time.monotonic() - began
        print("lateness, ms:    checks/s   median      p99      max")
        late = {}
        for name, prefix in PREFIX.items():
            values = watch.lateness(prefix, self.interval / 1000)
            late[name] = values[int(QUANTILE * len(values))]
            rates.append(len(values) / took)
            print(
                f"{name:16} {rates[-1]:9.0f} {values[len(values) // 2]:8.3f}"
                f" {late[name]:8.3f} {values[-1]:8.3f}"
            )
        later = late["clusterd"] - late["loop"]
        print(f"p99: {later:+.3f} ms (goal <= {LATE_GOAL_MS:+} ms)")
        print(
            f"memory: {first} KB after the first window, {last} KB after the last;"
            f" {more} KB (PSS) above the idle daemon (goal <= {MEMORY_KB:.0f} KB)"
        )
        self.missed = []
        if min(rates) < 0.98 * self.n * 1000 / self.interval:
            self.missed.append("checks are missing")
        if later > LATE_GOAL_MS:
            self.missed.append("too late")
        if last - first > GROWTH_KB:
            self.missed.append("memory grows")
        if more > MEMORY_KB:
            self.missed.append("too much memory")
        if not self.all_up():
            raise LabError("not all probes are up")
        return {"cpu": ratios}


def main():
    parser = frame.parser(
        "probe-cost",
        "CPU and punctuality of TCP probes against a bare epoll loop.",
        8,
        7.5,
        2,
    )
    parser.add_argument("--probes", type=int, default=1000, help="default 1000")
    parser.add_argument("--interval", type=int, default=1000, help="ms, default 1000")
    return frame.run(parser.parse_args(), Bench, GOAL)


if __name__ == "__main__":
    sys.exit(main())
