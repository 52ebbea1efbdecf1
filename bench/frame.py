# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line and the frame of benchmarks that compare windows of one run."""

import argparse

import lab as lab_module
from lab import LabError, Router
from verdict import conclude

SMOKE_WINDOWS = 5


def parser(name, description, windows, seconds, smoke_seconds):
    """What all of them have: --windows, --seconds, --smoke; add their own."""
    made = argparse.ArgumentParser(prog=f"bench/{name}", description=description)
    made.add_argument("--windows", type=int, default=windows, help=f"default {windows}")
    made.add_argument("--seconds", type=float, default=seconds, help="of a window")
    made.add_argument(
        "--smoke",
        action="store_true",
        help=f"{SMOKE_WINDOWS} windows of {smoke_seconds} s;"
        " status 0 if that works, whatever the ratio",
    )
    made.set_defaults(name=name, smoke_seconds=smoke_seconds)
    # argparse's own status for an error, 2, is a result here.
    made.error = lambda text: made.exit(3, f"{made.prog}: {text}\n")
    return made


def run(options, make, goal):
    """
    The exit status.  make(lab, options) sets up what has measure(windows,
    seconds), which returns the ratios, and `missed`, texts of what else fell
    short in the last measurement.
    """
    windows, seconds = options.windows, options.seconds
    if options.smoke:
        windows, seconds = SMOKE_WINDOWS, options.smoke_seconds

    def bench(lab):
        try:
            measured = make(lab, options)
            status = conclude(
                options.name,
                lambda: measured.measure(windows, seconds),
                goal,
                reruns=0 if options.smoke else 2,
                missed=lambda: measured.missed,
            )
            return 0 if options.smoke else status
        except LabError as error:
            for box in lab.boxes.values():
                if isinstance(box, Router) and box.on:
                    print(f"--- {box.name}: the end of its log\n{box.log()}")
            print(f"{options.name}: failed: {error}", flush=True)
            return 3

    return lab_module.run_isolated(bench)
