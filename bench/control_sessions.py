# SPDX-License-Identifier: GPL-2.0-or-later
"""What sessions of the control protocol cost, against bfdd's.

    node --- peers      node: zebra, clusterd and bfdd
                        peers: control_peers twice, the other side of all

clusterd and bfdd keep sessions with a message a second in both directions, at
the same time: what else the machine does hits both.  A pair is the CPU time of
both in one window of the run, for each session.  First both have 1,000
sessions, then clusterd has 10,000.  (bfdd takes a minute to load 1,000, and more
than linear time for more.)

The ratio is the CPU time of a session of clusterd / that of bfdd.  The goal is
1, with as many sessions and with ten times as many: a session that
authenticates every message, has others show their address before it keeps
state, and can carry state may cost as much as one that does nothing of that.

Besides, for clusterd with 10,000:
CPU       of all sessions: at most half of a core.
Lateness  by how much more than a second passed between two keepalives of a
          session: the 99th percentile may be 1 s, so that the dead interval
          of 7 s holds with a margin.  And how long after a keepalive that asks
          for one the answer is there, a hundred times a second: for information.
Memory    Anonymous memory a session, above that of the daemon before them.
Sessions  None may go down.
"""

import json
import os
import signal
import sys
import time

import lab as lab_module
from lab import Box, Link, Router, cpu, memory, poll
import frame

PEERS = (
    lab_module.TOP
    / "build"
    / os.environ.get("FRR_VERSION", "8.4")
    / "obj/bench/control_peers"
)
NODE, OTHERS = "203.0.113.1", "203.0.113.2"
KIND = {"clusterd": "control", "bfdd": "bfd"}
GOAL = 1.0
CORE_GOAL = 0.5
LATE_GOAL_MS = 1000

CONTROL = f"""\
hostname node
log file {Router.LOG}
!
key chain nodes
 key 1
  cryptographic-algorithm hmac-sha-256
  key-string sesame
 exit
exit
cluster control
 key-chain nodes
exit
"""


def bfd(n, interval):
    peers = (
        f" peer 198.19.{(i + 1) >> 8}.{(i + 1) & 255}\n"
        "  detect-multiplier 7\n"
        f"  receive-interval {interval}\n"
        f"  transmit-interval {interval}\n"
        " exit\n"
        for i in range(n)
    )
    return "bfd\n" + "".join(peers) + "exit\n"


class Bench:
    def __init__(self, lab, options):
        self.options = options
        self.n = {}
        self.missed = []
        Router.OPTIONS["bfdd"] = ["--limit-fds", "100000"]
        self.node = Router(lab, "node", ["zebra"], "hostname node\n")
        self.peers = Box(lab, "peers", gateway=NODE)
        Link(self.node, f"{NODE}/30", self.peers, f"{OTHERS}/30")
        lab.power_on()
        self.peers.ip("route add local 198.18.0.0/15 dev lo")
        self.node.ip(f"route add 198.18.0.0/15 via {OTHERS}")
        hmac = json.loads(self.peers.run(str(PEERS), "hmac"))
        print(
            f"HMAC of a keepalive: {hmac['sign_us']} us to sign,"
            f" {hmac['check_us']} us to check"
        )
        self.load("clusterd", CONTROL)
        self.idle = memory(self.pid("clusterd"), "Anonymous")
        self.load("bfdd", bfd(options.bfd, options.interval))
        self.connect("bfdd", options.bfd)

    def load(self, daemon, text):
        """Starts a daemon with that configuration."""
        self.node.start_daemon(daemon)
        self.node.path("/etc/frr/frr.conf").write_text(text)
        began = time.monotonic()
        self.node.run("vtysh", "-b", "-n", "-d", daemon, timeout=600)
        took = time.monotonic() - began
        print(f"{daemon}: configuration loaded in {took:.1f} s", flush=True)

    def connect(self, daemon, n):
        """Makes the other side of n sessions, in the place of what was there."""
        if daemon in self.peers.processes:
            self.peers.kill(daemon)
            self.peers.output(daemon).unlink()
        self.n[daemon] = n
        words = KIND[daemon], str(n), str(self.options.interval), NODE
        self.peers.start(daemon, str(PEERS), *words)
        poll(self.peers.output(daemon).read_text, 10, "the other side starts")
        poll(lambda: self.all_up(daemon), 120, f"all sessions of {daemon} are up")
        if daemon == "clusterd":
            poll(lambda: self.sessions()[1] == n, 60, "clusterd thinks so, too")

    def pid(self, name):
        return self.node.processes[name].pid

    def report(self, daemon):
        """What the other side of a daemon has seen since the last time."""
        file = self.peers.output(daemon)
        lines = len(file.read_text().splitlines())
        self.peers.processes[daemon].send_signal(signal.SIGUSR1)
        text = poll(lambda: file.read_text().splitlines()[lines:], 10, "a report")
        return json.loads(text[0])

    def all_up(self, daemon):
        return self.report(daemon)["up"] == self.n[daemon]

    def sessions(self):
        """How often sessions of clusterd came up, and how many are."""
        text = self.node.run(
            "vtysh", "-c", "show cluster control sessions json", timeout=60
        )
        seen = json.loads(text).values()
        return sum(session["ups"] for session in seen), sum(s["up"] for s in seen)

    def phase(self, n, windows, seconds):
        """Ratios with n sessions of clusterd, its CPU, its reports."""
        self.connect("clusterd", n)
        ratios, cores = [], []
        before_all = self.sessions()
        for name in self.n:
            self.report(name)
        print(f"{n} sessions of clusterd: CPU, us a session and second, % of a core")
        print("window clusterd     bfdd    core", flush=True)
        for window in range(windows):
            before = {name: cpu(self.pid(name)) for name in self.n}
            since = time.monotonic()
            time.sleep(seconds)
            took = time.monotonic() - since
            used = {
                name: (cpu(self.pid(name)) - before[name]) / took for name in before
            }
            each = {name: 1e6 * used[name] / self.n[name] for name in used}
            ratios.append(each["clusterd"] / each["bfdd"])
            cores.append(used["clusterd"])
            print(
                f"{window + 1:6} {each['clusterd']:8.2f} {each['bfdd']:8.2f}"
                f" {100 * used['clusterd']:7.2f}",
                flush=True,
            )
        print("ms:                    n   median      p99      max")
        for name in self.n:
            seen = self.report(name)
            for what in ("late", "answers"):
                s = seen[what]
                print(
                    f"{name:9} {what:8} {s['n']:6} {s['median']:8.3f}"
                    f" {s['p99']:8.3f} {s['max']:8.3f}"
                )
            if name == "clusterd" and seen["late"]["p99"] > LATE_GOAL_MS:
                self.missed.append("too late")
        after_all = self.sessions()
        if after_all != before_all:
            print(
                f"sessions of clusterd that came up, that are: {before_all}, then {after_all}"
            )
            self.missed.append("sessions went down")
        if sorted(cores)[len(cores) // 2] > CORE_GOAL:
            self.missed.append("more than half a core")
        return ratios

    def measure(self, windows, seconds):
        self.missed = []
        few, many = self.options.bfd, self.options.sessions
        ratios = {
            f"{few} each": self.phase(few, windows, seconds),
            f"{many} of clusterd": self.phase(many, windows, seconds),
        }
        each = (memory(self.pid("clusterd"), "Anonymous") - self.idle) / many
        print(f"memory: {each:.2f} KB a session of clusterd")
        return ratios


def main():
    parser = frame.parser(
        "control-sessions",
        "CPU, memory and punctuality of control sessions against bfdd.",
        6,
        5,
        2,
    )
    parser.add_argument("--sessions", type=int, default=10000, help="default 10000")
    parser.add_argument("--bfd", type=int, default=1000, help="of bfdd, default 1000")
    parser.add_argument("--interval", type=int, default=1000, help="ms, default 1000")
    return frame.run(parser.parse_args(), Bench, GOAL)


if __name__ == "__main__":
    sys.exit(main())
