#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
What a run of topotests left of crashes: signals and backtraces in the logs of daemons, and
sanitizers' reports.

    crashes.py FOLDER       print it, the oldest first; bounded: for who has only the output

FOLDER is what topotests/run leaves: MODULE/ROUTER/DAEMON.log, MODULE/ROUTER.DAEMON.asan.PID.
"""

import pathlib
import re
import sys

CRASH = re.compile(
    r"Received signal \d+ at|[Aa]ssertion .* failed|ERROR: (Address|Leak)Sanitizer"
    r"|runtime error:"
)
# What a daemon of FRR writes behind these two isn't looked at until it starts again:
# some crash when they are ended (zebra 8.4 does with VRFs that are namespaces).
ENDS = "Terminating on signal"
STARTS = re.compile(r" starting: .*vty@")

MAX_CRASHES = 3
MAX_LINES = 40
MAX_LENGTH = 200
BEFORE = 3


def crashes_in(lines, ours):
    """The lines of every crash, and some before it. ours: not one of FRR's daemons."""
    ended, upto = False, 0
    for n, line in enumerate(lines):
        if ENDS in line:
            ended = not ours
        elif STARTS.search(line):
            ended = False
        elif not ended and n >= upto and CRASH.search(line):
            first = max(n - BEFORE, upto)
            upto = next(
                (
                    end
                    for end in range(n + 1, min(first + MAX_LINES, len(lines)))
                    if STARTS.search(lines[end])
                ),
                first + MAX_LINES,
            )
            yield cut(lines[first:], upto - first)


def cut(lines, limit):
    """At most so many lines; the last is a sanitizer's summary if there is one."""
    summary = [line for line in lines[limit:] if line.startswith("SUMMARY: ")]
    if summary:
        return lines[: limit - 1] + summary[:1]
    return lines[:limit]


def files_of(folder):
    """The files that tell of crashes, the one that was last written to last."""
    found = set(folder.glob("*/*/*")) | set(folder.glob("**/*.asan.*"))
    return sorted(
        (path for path in found if path.is_file()),
        key=lambda path: (path.stat().st_mtime_ns, path),
    )


def main():
    folder = pathlib.Path(sys.argv[1])
    found = [
        (path, crash)
        for path in files_of(folder)
        for crash in crashes_in(
            path.read_text(encoding="utf-8", errors="replace").splitlines(),
            "clusterd" in path.name,
        )
    ]
    for path, crash in found[:MAX_CRASHES]:
        print("crash: {}".format(path.relative_to(folder)))
        for line in crash:
            print("    " + line[:MAX_LENGTH])
    if len(found) > MAX_CRASHES:
        print("crashes: {} more".format(len(found) - MAX_CRASHES))


if __name__ == "__main__":
    main()
