#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Print one line a test from what a test runner left, in the form of lib.sh's result.

    results.py V KIND check FOLDER TEST...   automake's TEST.log and TEST.trs in FOLDER
    results.py V KIND junit FILE FOLDER      pytest's --junitxml, of a folder of topotests
    results.py V KIND coverage FILE PERCENT SOURCE...
                                             gcovr's --json-summary: SOURCE below PERCENT of lines fails
"""

import json
import os
import re
import select
import sys
import xml.etree.ElementTree

TRS_STATUS = {"PASS": "PASS", "XFAIL": "PASS", "SKIP": "SKIP"}
CMOCKA_CASE = re.compile(r"^\[ +(OK|FAILED|SKIPPED) +\] (\w+)$", re.M)
CMOCKA_STATUS = {"OK": "PASS", "FAILED": "FAIL", "SKIPPED": "SKIP"}


def from_check(folder, *tests):
    """A cmocka program counts as its cases, any other test as one."""
    for test in tests:
        base = os.path.join(folder, re.sub(r"\.(py|sh)$", "", test))
        try:
            with open(base + ".trs", encoding="utf-8") as file:
                status = re.search(r"^:global-test-result: (\S+)", file.read(), re.M)
            with open(base + ".log", encoding="utf-8", errors="replace") as file:
                log = file.read()
        except FileNotFoundError:
            yield "FAIL", test, "not run"
            continue
        status = TRS_STATUS.get(status and status.group(1), "FAIL")
        # The names of failed cases are repeated at the end: the dictionary keeps one.
        cases = {name: CMOCKA_STATUS[word] for word, name in CMOCKA_CASE.findall(log)}
        for name, case in cases.items():
            yield case, test + " " + name, ""
        if status == "FAIL" and "FAIL" not in cases.values() or not cases:
            why = [line for line in log.splitlines() if line.strip()]
            yield status, test, why[-1] if why and status != "PASS" else ""


def from_junit(path, folder):
    """Errors count as failures; every message is cut to its first line."""
    for case in xml.etree.ElementTree.parse(path).iter("testcase"):
        name = folder + " " + case.get("name")
        status, why = "PASS", ""
        for tag, word in (("skipped", "SKIP"), ("failure", "FAIL"), ("error", "FAIL")):
            found = case.find(tag)
            if found is not None:
                status, why = word, (found.get("message") or "").partition("\n")[0]
        yield status, name + " (%.1f s)" % float(case.get("time", 0)), why


def from_coverage(path, percent, *sources):
    """A source that no test was linked with has no lines: 0 %."""
    with open(path, encoding="utf-8") as file:
        files = json.load(file)["files"]
    # gcovr doesn't follow the links: build/V/src/SOURCE
    found = {entry["filename"].partition("/src/")[2]: entry for entry in files}
    for source in sources:
        entry = found.get(source, {"line_covered": 0, "line_total": 0})
        part = 100 * entry["line_covered"] / max(entry["line_total"], 1)
        yield (
            "PASS" if part >= float(percent) else "FAIL",
            "coverage %-36s %4d of %4d lines %5.1f %%"
            % (source, entry["line_covered"], entry["line_total"], part),
            "" if part >= float(percent) else "below %s %%" % percent,
        )


def tell(line):
    """In one piece: a pipe that others write to, too, takes so much without mixing lines."""
    os.write(1, line.encode()[: select.PIPE_BUF - 1] + b"\n")


def main():
    version, kind, form, *args = sys.argv[1:]
    source = {"check": from_check, "junit": from_junit, "coverage": from_coverage}[form]
    for status, name, why in source(*args):
        line = "%s  %-5s%-10s %s" % (status, version, kind, name)
        tell(line + (why and ": " + why))


if __name__ == "__main__":
    main()
