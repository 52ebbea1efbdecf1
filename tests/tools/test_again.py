#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
tools/test --again, with topotests whose results are given here: what is run once more, and
what it prints of it.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
COPIED = (
    "tools/flaky.py",
    "tools/lib.sh",
    "tools/results.py",
    "tools/test",
    "topotests/crashes.py",
)

# Stands for topotests/run: FOLDER's first run has the failures of plan/FOLDER, the second
# one those of plan/FOLDER-again, both as "test=message" lines, and the exit status of rc.
RUN = """#!{python}
import pathlib, subprocess, sys
from xml.sax.saxutils import quoteattr
top = pathlib.Path(__file__).parents[1]
name = sys.argv[sys.argv.index("--results") + 1]
with open(top / "runs", "a") as file:
    print(name, *sys.argv[1:], file=file)
plan = top / "plan" / name
lines = plan.read_text().splitlines() if plan.exists() else []
failed = dict(line.split("=", 1) for line in lines)
rc = int(failed.pop("rc", 1 if failed else 0))
out = top / "build/8.4/topotests" / name
out.mkdir(parents=True)
with open(out / "topotests.xml", "w") as file:
    print("<testsuite>", file=file)
    for test in ("test_a", "test_b"):
        print('<testcase classname="x.y" time="1" name="%s">' % test, file=file)
        if test in failed:
            word, message = "failure", failed[test]
            if message.startswith("skip"):
                word = "skipped"
            print("<%s message=%s/>" % (word, quoteattr(message)), file=file)
        print("</testcase>", file=file)
    print("</testsuite>", file=file)
if "crash" in str(failed):
    log = out / "module" / "r1" / "zebra.log"
    log.parent.mkdir(parents=True)
    log.write_text("all well\\n" * 9 + "ZEBRA: Received signal 11 at 1\\n" + "#frame\\n" * 99)
    with open(out / "crashes.txt", "w") as file:
        subprocess.run([sys.executable, top / "topotests/crashes.py", out], stdout=file)
sys.exit(rc)
"""


class Again(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name)
        for name in ("tools", "topotests", "plan"):
            (self.top / name).mkdir()
        for name in COPIED:
            shutil.copy(TOP / name, self.top / name)
        self.write("tools/build", "#!/bin/sh\n")
        self.write("topotests/run", RUN.format(python=sys.executable))

    def write(self, name, text):
        path = self.top / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)

    def run_test(self, plans, *options, folders="abcde"):
        """The exit status, the lines of the output, and what was run."""
        for letter in folders:
            (self.top / "topotests" / ("clusterd_" + letter)).mkdir()
        for name, plan in plans.items():
            self.write("plan/clusterd_" + name, plan)
        done = subprocess.run(
            [self.top / "tools/test", "--frr", "8.4", *options, "topotests"],
            env={**os.environ, "CLUSTER_ROOT": "8.4", "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            encoding="utf-8",
            check=False,
        )
        runs = (self.top / "runs").read_text(encoding="utf-8").splitlines()
        return done.returncode, done.stdout.splitlines(), [r.split()[0] for r in runs]

    def results(self, status):
        text = (self.top / "build/results.txt").read_text(encoding="utf-8")
        return [line for line in text.splitlines() if line.startswith(status)]

    def test_passes_the_second_time(self):
        "Flaky, told at the end, and all is well; nothing else is run again."
        code, lines, runs = self.run_test(
            {"b": "test_b=it took 1 s\n", "d": "test_a=gone\n"}, "--again"
        )
        flaky = [
            "FLAKY  8.4  topotests  clusterd_b test_b (first: it took 1 s)",
            "FLAKY  8.4  topotests  clusterd_d test_a (first: gone)",
        ]
        # (folders run two at a time: either may end first)
        self.assertEqual(sorted(lines[-3:-1]), flaky)
        self.assertEqual(lines[-1], "10 passed, 0 failed, 0 skipped")
        self.assertEqual(sorted(self.results("FLAKY")), flaky)
        self.assertEqual(len(self.results("PASS")), 8)
        self.assertEqual(sorted(runs[5:]), ["clusterd_b-again", "clusterd_d-again"])
        self.assertEqual(sorted(runs[:5]), ["clusterd_" + f for f in "abcde"])
        self.assertEqual(code, 0)

    def test_fails_twice(self):
        "A failure, with the second reason; of its neighbours each for itself."
        code, lines, _ = self.run_test(
            {"a": "test_a=one\ntest_b=two\n", "a-again": "test_b=three\n"}, "--again"
        )
        self.assertEqual(
            lines[-3:],
            [
                "summary: FAIL  8.4  topotests  clusterd_a test_b (1.0 s): three",
                "FLAKY  8.4  topotests  clusterd_a test_a (first: one)",
                "9 passed, 1 failed, 0 skipped",
            ],
        )
        self.assertEqual(code, 1)

    def test_fails_only_the_second_time(self):
        code, lines, _ = self.run_test(
            {"a": "test_a=one\n", "a-again": "test_b=two\n"}, "--again"
        )
        self.assertEqual(lines[-1], "9 passed, 1 failed, 0 skipped")
        self.assertEqual(code, 1)

    def test_skipped_the_second_time(self):
        "That isn't passed."
        code, lines, _ = self.run_test(
            {"a": "test_a=one\n", "a-again": "test_a=skip\nrc=0\n"}, "--again"
        )
        self.assertEqual(lines[-1], "9 passed, 1 failed, 0 skipped")
        self.assertEqual(code, 1)

    def test_second_run_breaks_off(self):
        code, lines, _ = self.run_test(
            {"a": "test_a=one\n", "a-again": "rc=137\n"}, "--again"
        )
        self.assertIn("topotests/run ended with 137", lines[-3])
        self.assertEqual(lines[-1], "10 passed, 1 failed, 0 skipped")
        self.assertEqual(code, 1)

    def test_too_many(self):
        "Four folders: no bad luck."
        code, lines, runs = self.run_test(
            dict.fromkeys("abcd", "test_a=one\n"), "--again"
        )
        self.assertEqual(lines[-1], "6 passed, 4 failed, 0 skipped")
        self.assertEqual((len(runs), code), (5, 1))

    def test_faults_of_ours(self):
        "A sanitizer's report, the time limit, and a crash of clusterd are no bad luck."
        code, lines, runs = self.run_test(
            {
                "a": "rc=3\n",
                "b": "test_a=one\nrc=137\n",
                "c": "test_b=on teardown: daemons crashed: r1/clusterd.log: signal 6\n",
            },
            "--again",
        )
        self.assertEqual(lines[-1], "8 passed, 4 failed, 0 skipped")
        self.assertEqual((len(runs), code), (5, 1))

    def test_not_asked_for(self):
        code, lines, runs = self.run_test({"a": "test_a=one\n"})
        self.assertEqual(
            lines[-2:],
            [
                "summary: FAIL  8.4  topotests  clusterd_a test_a (1.0 s): one",
                "9 passed, 1 failed, 0 skipped",
            ],
        )
        self.assertEqual((len(runs), code), (5, 1))

    def test_no_failure(self):
        code, lines, runs = self.run_test({}, "--again", folders="a")
        self.assertEqual(lines[-1], "2 passed, 0 failed, 0 skipped")
        self.assertEqual((runs, code), (["clusterd_a"], 0))

    def test_crash(self):
        "Of the first run, between failures and numbers; bounded."
        crash = "test_a=on teardown: daemons crashed: r1/zebra.log: signal 11\n"
        code, lines, runs = self.run_test({"a": crash}, "--again", folders="a")
        start = "crash: build/8.4/topotests/clusterd_a/module/r1/zebra.log"
        told = lines[lines.index(start) + 1 : -2]
        self.assertEqual(len(told), 40)
        self.assertEqual(told[2:5:2], ["    all well", "    #frame"])
        self.assertEqual(told[3], "    ZEBRA: Received signal 11 at 1")
        self.assertTrue(lines[-2].startswith("FLAKY  8.4  topotests  clusterd_a"))
        self.assertEqual((len(runs), code), (2, 0))

    def test_long(self):
        "Cut in the summary, whole in the file."
        _, lines, _ = self.run_test({"a": "test_a=%s\n" % ("x" * 2000)}, folders="a")
        self.assertEqual(len(lines[-2]), len("summary: ") + 300 + len("..."))
        self.assertIn("x" * 2000, self.results("FAIL")[0])


if __name__ == "__main__":
    unittest.main()
