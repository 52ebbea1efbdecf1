#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
What of failed topotests may have been bad luck, and what became of it when it was run once more.

    flaky.py folders RESULTS OPTIONAL    folders to run once more, "VERSION FOLDER" a line
    flaky.py merge RESULTS AGAIN         RESULTS, after those of their second run

RESULTS and AGAIN have lines of lib.sh's result. Failures of the version OPTIONAL are not red, so it isn't run again.
"""

import re
import sys

# More is no bad luck.
MAX_FOLDERS = 3

LINE = re.compile(
    r"(?P<status>FAIL|PASS|SKIP)  (?P<version>\S+) +topotests +"
    r"(?P<folder>clusterd_\w+)(?: (?P<test>\S.*?))?(?: \(\d+\.\d s\))?(?:: (?P<why>.*))?$"
)
# Nobody's bad luck, but a fault of ours.
OURS = re.compile(r"daemons crashed: \S*clusterd")


def read(path):
    """(Line, what LINE made of it or None) of a file."""
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file.read().splitlines():
            yield line, LINE.match(line)


def folders(results, optional):
    """
    Of folders with failures those in which just tests failed: not the whole run (a sanitizer's
    report, the time limit), and clusterd didn't crash.
    """
    failed, faults = {}, set()
    for _, found in read(results):
        if found and found["status"] == "FAIL" and found["version"] != optional:
            key = found["version"] + " " + found["folder"]
            failed[key] = True
            if not found["test"] or OURS.search(found["why"] or ""):
                faults.add(key)
    if len(failed) <= MAX_FOLDERS:
        yield from (key for key in failed if key not in faults)


def merge(results, again):
    """Failed and then passed is FLAKY; what fails now has failed; all else is as it was."""
    second = {}
    for line, found in read(again):
        key = found.group("version", "folder", "test") if found else line
        if key not in second or line.startswith("FAIL"):
            second[key] = line
    for line, found in read(results):
        key = found and found.group("version", "folder", "test")
        now = second.get(key, "")
        if now.startswith("PASS") and found["status"] == "FAIL":
            line = "FLAKY  {:<5}topotests  {} {}".format(*key)
            line += " (first: {})".format(found["why"])
        if not now.startswith("FAIL"):
            yield line
    yield from (line for line in second.values() if line.startswith("FAIL"))


def main():
    what, *args = sys.argv[1:]
    for line in {"folders": folders, "merge": merge}[what](*args):
        print(line)


if __name__ == "__main__":
    main()
