# SPDX-License-Identifier: GPL-2.0-or-later
"""How late the decisions of 500 ICMP probes are, and what the probes cost.

    node --- targets        node: zebra, clusterd, probe_precision_loop, fping
                            targets: answers half of all addresses

clusterd, a bare epoll loop in C (probe_precision_loop.c) and fping ping 500
targets each, every second with a time-out of 0.5 s, at the same time: what else
the machine does hits all.  Half of the targets are black holes.  In each window
the halves change sides, so that all 500 probes of each decide once: down after
three misses in a row, up after three replies.

Lateness  The kernel stamps requests and replies on the node's link.  They tell
          when a decision was due: with the third reply in a row, or a time-out
          after the third request that had none.  clusterd logs its decisions with
          their times, the loop prints them.  Every one has to be there, at most
          50 ms late, and 99 of 100 of clusterd at most 1 ms later than those
          of the loop.
CPU       User and system time of clusterd, with all that it does beyond pings,
          by the scheduler's account (schedstat), against fping's, which decides
          nothing.  A pair is both in one window.

The ratio is the CPU time of clusterd / that of fping.
"""

import datetime
import json
import re
import socket
import sys
import time

import lab as lab_module
from lab import Box, Link, Router, cpu, poll
from packet_watch import PacketWatch
import frame

LOOP = lab_module.TOP / "build/bench/probe_precision_loop"
NODE, TARGETS = "203.0.113.1", "203.0.113.2"
PREFIX = {"clusterd": "198.18", "loop": "198.19", "fping": "198.20"}
COUNT = 3
GOAL = 1.6
LATER_GOAL_MS = 1.0
LATE_MAX_MS = 50
QUANTILE = 0.99

# Echo requests and replies over IPv4 without options in the IP header.
BPF = [
    (0x28, 0, 0, 12),  # ldh [12]
    (0x15, 0, 6, 0x0800),  # jeq #0x800
    (0x30, 0, 0, 23),  # ldb [23]
    (0x15, 0, 4, 1),  # jeq #1
    (0x30, 0, 0, 34),  # ldb [34]
    (0x15, 1, 0, 8),  # jeq #8
    (0x15, 0, 1, 0),  # jeq #0
    (0x06, 0, 0, 42),  # ret #42
    (0x06, 0, 0, 0),  # ret #0
]


def target(name, i):
    return f"{PREFIX[name]}.{i // 250}.{i % 250 + 1}"


def config(options):
    sections = (
        f"cluster probe P{i:04}\n"
        f" target {target('clusterd', i)}\n"
        f" interval {options.interval}\n"
        f" timeout {options.timeout}\n"
        f" threshold {COUNT}\n"
        " jitter 100\n"
        "exit\n"
        for i in range(options.probes)
    )
    return (
        f"hostname node\nlog file {Router.LOG}\nlog timestamp precision 6\n!\n"
        + "".join(sections)
    )


class PingWatch(PacketWatch):
    """Requests and replies on a link: address -> {(ident, sequence): time}."""

    def __init__(self, box, link):
        super().__init__(box, link, BPF)
        self.requests, self.replies = {}, {}

    def frame(self, when, frame):
        key = frame[38:42]
        if frame[34] == 8:
            one = self.requests.setdefault(socket.inet_ntoa(frame[30:34]), {})
        else:
            one = self.replies.setdefault(socket.inet_ntoa(frame[26:30]), {})
        # Sequences come again, ages later.
        one.setdefault(key, []).append(when)

    def due(self, address, timeout, end):
        """When that target's decisions were due: [(time, up)]."""
        results = []
        for key, sent in self.requests.get(address, {}).items():
            for at in sent:
                answers = self.replies.get(address, {}).get(key, [])
                answer = [t for t in answers if at <= t <= at + timeout]
                results.append((answer[0], True) if answer else (at + timeout, False))
        decisions, up, streak = [], False, 0
        for at, passed in sorted(results):
            streak = 0 if passed == up else streak + 1
            if streak == COUNT and at < end:
                up, streak = passed, 0
                decisions.append((at, up))
        return decisions


def logged(text):
    """clusterd's decisions by its log: address -> [(time, up)]."""
    found = {}
    line = re.compile(
        r"^(\S+ \S+) CLUSTER: .*probe P\d+ of (\S+) in VRF default: (up|down)", re.M
    )
    for when, address, verdict in line.findall(text):
        one = found.setdefault(address, [])
        # A line may tell another reason for the same verdict; all start down.
        if (verdict == "up") != (one[-1][1] if one else False):
            at = datetime.datetime.strptime(when + "+0000", "%Y/%m/%d %H:%M:%S.%f%z")
            one.append((at.timestamp(), verdict == "up"))
    return found


def printed(text):
    """The loop's decisions."""
    found = {}
    for line in text.splitlines():
        when, address, verdict = line.split()
        found.setdefault(address, []).append((int(when) / 1e6, verdict == "up"))
    return found


class Bench:
    def __init__(self, lab, options):
        self.options = options
        self.missed = []
        self.half = 0
        self.node = Router(lab, "node", ["zebra"], "hostname node\n")
        self.targets = Box(lab, "targets", gateway=NODE)
        Link(self.node, f"{NODE}/30", self.targets, f"{TARGETS}/30")
        lab.power_on()
        for prefix in PREFIX.values():
            self.targets.ip(f"route add blackhole {prefix}.0.0/16")
            self.targets.ip(f"route add local {prefix}.0.0/24 dev lo")
            self.node.ip(f"route add {prefix}.0.0/16 via {TARGETS}")
        self.watch = PingWatch(self.node, "targets")
        self.node.path("/etc/frr/frr.conf").write_text(config(options))
        self.node.start_daemon("clusterd")
        self.node.load("clusterd")
        n, interval, timeout = (
            str(x) for x in (options.probes, options.interval, options.timeout)
        )
        self.node.start(
            "loop", str(LOOP), PREFIX["loop"], n, interval, timeout, str(COUNT)
        )
        self.node.start(
            "fping",
            *["fping", "-l", "-q", "-i", "1", "-p", interval, "-t", timeout],
            *(target("fping", i) for i in range(options.probes)),
        )
        poll(self.half_up, 30, "half of the probes are up")

    def half_up(self):
        text = self.node.run("vtysh", "-c", "show cluster summary json")
        return json.loads(text)["probes"]["up"] == self.options.probes // 2

    def swap(self):
        """The halves change sides."""
        old, self.half = self.half, 1 - self.half
        for prefix in PREFIX.values():
            self.targets.ip(
                f"route del local {prefix}.{old}.0/24 dev lo",
                f"route add local {prefix}.{self.half}.0/24 dev lo",
            )

    def lateness(self, name, decisions, end):
        """Sorted, in ms, of all decisions since the start; and what is wrong."""
        late, wrong = [], 0
        for i in range(self.options.probes):
            address = target(name, i)
            due = self.watch.due(address, self.options.timeout / 1000, end)
            made = decisions.get(address, [])[: len(due)]
            if [up for _, up in due] != [up for _, up in made]:
                wrong += 1
                continue
            late.extend((m - d) * 1000 for (m, _), (d, _) in zip(made, due))
        return sorted(late), wrong

    def measure(self, windows, seconds):
        pids = {name: self.node.processes[name].pid for name in PREFIX}
        ratios = []
        began = time.monotonic()
        print(
            "CPU, % of a core:\nwindow clusterd     loop    fping",
            flush=True,
        )
        for window in range(windows):
            self.swap()
            before = {name: cpu(pid) for name, pid in pids.items()}
            since = time.monotonic()
            self.watch.read(began + (window + 1) * seconds)
            took = time.monotonic() - since
            used = {name: cpu(pid) - before[name] for name, pid in pids.items()}
            ratios.append(used["clusterd"] / used["fping"])
            figures = " ".join(f"{100 * used[name] / took:8.2f}" for name in pids)
            print(f"{window + 1:6} {figures}", flush=True)
        # What is due in the last moment may not be written down yet.
        end = time.time() - 1
        self.report(end)
        return {"cpu": ratios}

    def report(self, end):
        """Compares the decisions with when they were due."""
        decisions = {
            "clusterd": logged(self.node.path(Router.LOG).read_text()),
            "loop": printed(self.node.output("loop").read_text()),
        }
        self.missed = []
        print("lateness, ms:    decisions   median      p99      max")
        p99 = {}
        for name, made in decisions.items():
            late, wrong = self.lateness(name, made, end)
            if wrong or not late:
                self.missed.append(f"{name}: decisions of {wrong} probes differ")
            if not late:
                continue
            p99[name] = late[int(QUANTILE * len(late))]
            print(
                f"{name:16} {len(late):9} {late[len(late) // 2]:8.3f}"
                f" {p99[name]:8.3f} {late[-1]:8.3f}"
            )
            if name == "clusterd" and late[-1] > LATE_MAX_MS:
                self.missed.append(f"a decision was {late[-1]:.0f} ms late")
        if len(p99) == 2:
            later = p99["clusterd"] - p99["loop"]
            print(f"p99: {later:+.3f} ms (goal <= {LATER_GOAL_MS:+} ms)")
            if later > LATER_GOAL_MS:
                self.missed.append("too late")


def main():
    parser = frame.parser(
        "probe-precision",
        "How late ICMP probes decide, against a bare loop; CPU against fping.",
        8,
        6,
        5,
    )
    parser.add_argument("--probes", type=int, default=500, help="default 500")
    parser.add_argument("--interval", type=int, default=1000, help="ms, default 1000")
    parser.add_argument("--timeout", type=int, default=500, help="ms, default 500")
    return frame.run(parser.parse_args(), Bench, GOAL)


if __name__ == "__main__":
    sys.exit(main())
