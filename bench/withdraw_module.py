# SPDX-License-Identifier: GPL-2.0-or-later
"""What the module of bgpd (frr-clusterd-bgp) takes off a withdrawal's time, and
what it costs.

Three labs of withdraw_floor.py run at once, and are measured in turn:

floor    `ip route del` of a redistributed kernel route; nothing has the module
node     the VIP's verdict; the node has the module
both     the same; the router has it, too

Who has the module also has `zebra work-queue 0`: zebra's queue holds 10 ms of
its own.  Times run from the cause (the kernel's report of the deletion, the
verdict in clusterd's log) to the end of the route in the router's kernel.  The
ratios are node / floor and both / floor of each pair.

The price: a bgpd without zebra gets the same table from two neighbours at
once, and announces it to a third.  Its CPU time and the UPDATE messages that
the third one gets, with and without the module, are printed, not judged.
"""

import argparse
import statistics
import subprocess
import sys
import time

import lab as lab_module
from lab import BGP_MODULE, ENV, Box, LabError, Link, Router, cpu, poll
from verdict import conclude
from withdraw_floor import Bench

GOALS = {"node": 0.65, "both": 0.1}
WITH_MODULE = ({"bgpd": BGP_MODULE}, "zebra work-queue 0\n!\n")

# --- the time of a withdrawal ---------------------------------------------------


def measure(kinds, pairs, warm_up):
    """Returns the ratios of every pair: {"node": [...], "both": [...]}"""
    rows = []
    print("ms from the cause to the route's end in the router's kernel:")
    print("pair    floor     node     both", flush=True)
    names = list(kinds)
    for pair in range(-warm_up, pairs):
        turn = pair % len(names)
        row = {name: kinds[name]() for name in names[turn:] + names[:turn]}
        figures = " ".join(f"{row[name]:8.1f}" for name in names)
        print(f"{pair + 1:4} {figures}" if pair >= 0 else f"warm {figures}", flush=True)
        if pair >= 0:
            rows.append(row)
    medians = (statistics.median(row[name] for row in rows) for name in names)
    print("median" + " ".join(f"{median:8.1f}" for median in medians)[1:])
    return {name: [row[name] / row["floor"] for row in rows] for name in GOALS}


class Times:
    """The three labs."""

    def __init__(self, lab):
        self.benches = {
            "floor": Bench(lab, "-0"),
            "node": Bench(lab, "-1", WITH_MODULE),
            "both": Bench(lab, "-2", WITH_MODULE, WITH_MODULE),
        }
        self.both = None

    def begin(self):
        """Once the lab has power."""
        for bench in self.benches.values():
            bench.begin()

    def measure(self, pairs, warm_up):
        """The ratios that are judged by their spread.  Where both ends have the
        module, the few ms that are left are mostly the scheduler's."""
        ratios = measure(
            {
                "floor": self.benches["floor"].floor,
                "node": self.benches["node"].verdict,
                "both": self.benches["both"].verdict,
            },
            pairs,
            warm_up,
        )
        self.both = statistics.median(ratios.pop("both"))
        print(f"both: median ratio {self.both:.3f} (goal <= {GOALS['both']})")
        return ratios

    def missed(self):
        """What else is short."""
        return ["both ends"] if self.both > GOALS["both"] else []


# --- its price -----------------------------------------------------------------

CONFIG = """\
hostname dut
log file {log}
!
router bgp 65000
 bgp router-id 198.51.100.1
 no bgp ebgp-requires-policy
{neighbours}
exit
"""
NEIGHBOUR = """\
 neighbor 198.51.{0}.2 remote-as 6500{0}
 neighbor 198.51.{0}.2 passive"""
QUIET = 3  # s without an UPDATE: all has been announced


class Price:
    """bgpd between two neighbours with a table and one that counts."""

    def __init__(self, lab, suffix, options):
        config = CONFIG.format(
            log=Router.LOG, neighbours="\n".join(map(NEIGHBOUR.format, (1, 2, 3)))
        )
        bgpd = {"bgpd": ["-Z", *options]}
        self.dut = Router(lab, "dut" + suffix, ["bgpd"], config, bgpd)
        self.boxes = [Box(lab, f"peer{n}{suffix}") for n in (1, 2, 3)]
        for n, box in enumerate(self.boxes, 1):
            Link(self.dut, f"198.51.{n}.1/30", box, f"198.51.{n}.2/30")

    def run(self, prefixes):
        """(CPU seconds, UPDATE messages, seconds) for the table from both."""
        self.dut.kill("bgpd")
        self.dut.start_daemon("bgpd")
        self.dut.load("bgpd")
        speakers = [
            subprocess.Popen(
                [*box.enter(), sys.executable]
                + [str(lab_module.TOP / "bench/bgp_speaker.py")]
                + [f"198.51.{n}.1", f"198.51.{n}.2", f"6500{n}"]
                + [str(prefixes if n < 3 else 0)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env=ENV,
            )
            for n, box in enumerate(self.boxes, 1)
        ]
        try:
            for speaker in speakers:
                if speaker.stdout.readline() != "ready\n":
                    raise LabError("a speaker got no session")
            return self.count(speakers)
        finally:
            for speaker in speakers:
                speaker.kill()
                speaker.wait()

    def count(self, speakers):
        """The same, with sessions that are up."""

        def ask(speaker):
            speaker.stdin.write("\n")
            speaker.stdin.flush()

        def answer(speaker):
            ask(speaker)
            updates, quiet = speaker.stdout.readline().split()
            return int(updates), float(quiet)

        bgpd = self.dut.processes["bgpd"].pid
        began, used = time.monotonic(), cpu(bgpd)
        for speaker in speakers:
            ask(speaker)  # the start
        poll(
            lambda: all(answer(s)[1] > QUIET for s in speakers)
            and answer(speakers[2])[0],
            600,
            "everything is announced",
        )
        updates, quiet = answer(speakers[2])
        return cpu(bgpd) - used, updates, time.monotonic() - began - quiet


def price(stock, module, prefixes, rounds):
    """Prints both, in turn."""
    print(f"{prefixes} prefixes from two neighbours at once, announced to a third:")
    print("          stock: CPU s  UPDATEs      s   module: CPU s  UPDATEs      s")
    ratios = []
    for turn in range(rounds):
        found = {}
        for name in ("stock", "module") if turn % 2 == 0 else ("module", "stock"):
            found[name] = (stock if name == "stock" else module).run(prefixes)
        row = [
            f"{c:14.2f} {u:8} {s:6.1f}"
            for c, u, s in map(found.get, ("stock", "module"))
        ]
        print(f"round {turn + 1} {'  '.join(row)}", flush=True)
        ratios.append([m / s for s, m in zip(found["stock"], found["module"])])
    time_ratio, updates, _ = (statistics.median(column) for column in zip(*ratios))
    print(f"module / stock: CPU {time_ratio:.2f}, UPDATEs {updates:.2f}", flush=True)


def main():
    """See above."""
    parser = argparse.ArgumentParser(
        prog="bench/withdraw-module",
        description="Times a withdrawal with bgpd's module against FRR's floor without.",
    )
    parser.add_argument("--pairs", type=int, default=15, help="default 15")
    parser.add_argument(
        "--prefixes", type=int, default=200000, help="of the table, default 200000"
    )
    parser.add_argument("--rounds", type=int, default=3, help="of the table, default 3")
    parser.add_argument(
        "--smoke",
        action="store_true",
        help="5 pairs, a small table; status 0 if that works, whatever the ratio",
    )
    parser.error = lambda text: parser.exit(3, f"{parser.prog}: {text}\n")
    options = parser.parse_args()
    pairs, warm_up, reruns = (5, 1, 0) if options.smoke else (options.pairs, 2, 2)
    if options.smoke:
        options.prefixes, options.rounds = 5000, 1

    def bench(lab):
        times = Times(lab)
        prices = Price(lab, "-s", []), Price(lab, "-m", BGP_MODULE)
        try:
            lab.power_on()
            price(*prices, options.prefixes, options.rounds)
            times.begin()
            status = conclude(
                "withdraw-module",
                lambda: times.measure(pairs, warm_up),
                GOALS["node"],
                reruns,
                times.missed,
            )
            return 0 if options.smoke else status
        except LabError as error:
            for box in lab.boxes.values():
                if isinstance(box, Router) and box.on:
                    print(f"--- {box.name}: the end of its log\n{box.log()}")
            print(f"withdraw-module: failed: {error}", flush=True)
            return 3

    return lab_module.run_isolated(bench)


if __name__ == "__main__":
    sys.exit(main())
