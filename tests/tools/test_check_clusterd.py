#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check-clusterd: the exit status and the line for every kind of answer."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
CHECK = TOP / "tools" / "check-clusterd"

SUMMARY = {
    "configurationLoading": False,
    "zebra": {"state": "connected"},
    "watchdog": {"running": True},
    "vips": {"total": 2, "announced": 2, "membersUp": 3},
    "probes": {"down": 0},
}

FAKE = """#!{python}
import pathlib, signal, sys
here = pathlib.Path(__file__).parent
if (here / "hang").exists():
    signal.pause()
path = here / sys.argv[-1].split()[2]
print(path.read_text() if path.exists() else "{{}}", end="")
"""


class Check(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        vtysh = self.path / "vtysh"
        vtysh.write_text(FAKE.format(python=sys.executable), encoding="utf-8")
        os.chmod(vtysh, 0o755)

    def run_check(self, states, *options, **summary):
        vips = {
            name: {"state": state, "why": why, **dict.fromkeys(flags, True)}
            for name, (state, why, *flags) in states.items()
        }
        for name, text in (
            ("summary", json.dumps({**SUMMARY, **summary})),
            ("vip", json.dumps(vips)),
        ):
            (self.path / name).write_text(text, encoding="utf-8")
        return self.run_raw(*options)

    def run_raw(self, *options):
        done = subprocess.run(
            [sys.executable, CHECK, "--vtysh", self.path / "vtysh", *options],
            stdout=subprocess.PIPE,
            encoding="utf-8",
            check=False,
        )
        self.assertEqual(len(done.stdout.splitlines()), 1, "one line of output")
        return done.returncode, done.stdout

    def test_ok(self):
        status, line = self.run_check({"a": ("announced", ""), "b": ("shutdown", "")})
        self.assertEqual(status, 0, line)
        self.assertIn("CLUSTERD OK: 2 of 2 VIPs announced | vips=2", line)

    def test_not_in_bgp(self):
        vip = {"state": "announced", "why": "not in bgpd: because"}
        for seen, wanted in (({"inBgp": False}, 1), ({"inBgp": True}, 0), ({}, 0)):
            self.run_check({})
            vips = {"a": {**vip, "addresses": [{}, seen]}}
            (self.path / "vip").write_text(json.dumps(vips), encoding="utf-8")
            status, line = self.run_raw()
            self.assertEqual(status, wanted, line)
            self.assertEqual("not in bgpd: because" in line, bool(wanted), line)

    def test_states(self):
        expected = {
            "announced": 0,
            "shutdown": 0,
            "drained": 0,
            "draining": 1,
            "held": 1,
            "partial": 1,
            "pending": 1,
            "hidden": 1,
            "down": 2,
            "rejected": 2,
            "invalid": 2,
            "waiting": 2,
            "a state of a later version": 3,
        }
        for state, wanted in expected.items():
            with self.subTest(state=state):
                status, line = self.run_check({"a": (state, "because")})
                self.assertEqual(status, wanted, line)
                if wanted:
                    self.assertIn("VIP a {}: because".format(state), line)

    def test_fail_open(self):
        states = {"a": ("announced", "fail-open: none is up", "failOpen")}
        status, line = self.run_check(states)
        self.assertEqual(status, 1, line)
        self.assertIn("VIP a announced: fail-open: none is up", line)

    def test_why_is_no_performance_data(self):
        why = "10.0.0.1: exit status 2: LOAD CRITICAL | load=9;1;2"
        status, line = self.run_check({"a": ("down", why)})
        self.assertEqual(status, 2, line)
        self.assertIn("LOAD CRITICAL / load=9;1;2 | vips=", line)

    def test_worst_first_and_bounded(self):
        states = {"p{}".format(i): ("pending", "") for i in range(9)}
        states["z"] = ("down", "all members down")
        status, line = self.run_check(states)
        self.assertEqual(status, 2, line)
        self.assertIn("CRITICAL: VIP z down: all members down; VIP p0", line)
        self.assertIn("5 more", line)

    def test_one_vip_only(self):
        states = {"a": ("announced", ""), "b": ("down", "no member")}
        self.assertEqual(self.run_check(states, "--vip", "a")[0], 0)
        self.assertEqual(self.run_check(states, "--vip", "b")[0], 2)
        status, line = self.run_check(states, "--vip", "nobody")
        self.assertEqual(status, 2)
        self.assertIn("nobody is not configured", line)

    def test_daemon(self):
        zebra = {"state": "refused", "why": "fabricd runs"}
        status, line = self.run_check({}, zebra=zebra)
        self.assertEqual(status, 2)
        self.assertIn("zebra refused: fabricd runs", line)
        zebra = {"state": "silent", "why": "no answer for 12 s"}
        for only in ((), ("--vip", "a")):
            states = {"a": ("announced", "")}
            status, line = self.run_check(states, *only, zebra=zebra)
            self.assertEqual(status, 2, "what is withdrawn stays")
            self.assertIn("CRITICAL: zebra silent: no answer for 12 s", line)
        zebra = {"state": "connected", "advice": "restart bgpd, too"}
        status, line = self.run_check({}, zebra=zebra)
        self.assertEqual(status, 1)
        self.assertIn("WARNING: restart bgpd, too", line)
        self.assertEqual(self.run_check({}, configurationLoading=True)[0], 1)
        for timeout, text in ((0, "is off"), (5000, "has no guard process")):
            watchdog = {"running": False, "timeoutMsec": timeout}
            status, line = self.run_check({}, watchdog=watchdog)
            self.assertEqual(status, 1)
            self.assertIn("WARNING: watchdog " + text, line)

    def other(self, what, answer, wanted, *texts):
        "With that answer to `show cluster WHAT json`, and nothing else wrong."
        path = self.path / what
        path.write_text(json.dumps(answer), encoding="utf-8")
        status, line = self.run_check({})
        self.assertEqual(status, wanted, line)
        for text in texts:
            self.assertIn(text, line)
        path.unlink()

    def test_tracks(self):
        def track(state):
            route = {"prefix": "10.0.0.0/8", "state": state, "why": "because"}
            return {"T": {"routes": [route]}}

        for state in ("up", "shutdown"):
            self.other("track", track(state), 0)
        for state in ("degraded", "last-resort"):
            self.other("track", track(state), 1)
        for state in ("down", "incomplete", "conflict", "waiting", "new one"):
            text = "track T: 10.0.0.0/8 {}: because".format(state)
            self.other("track", track(state), 2, text)

    def test_others_dont_matter_for_one_vip(self):
        (self.path / "edge").write_text('{"state": "waiting"}', encoding="utf-8")
        vips = {"a": ("announced", "")}
        self.assertEqual(self.run_check(vips)[0], 2)
        self.assertEqual(self.run_check(vips, "--vip", "a")[0], 0)

    def test_responders(self):
        def responder(state, handoff=None):
            address = {"address": "192.0.2.1", "state": state, "why": "because"}
            found = {"addresses": [address]}
            if handoff:
                found["handoff"] = {"state": handoff, "why": "no nft"}
            return {"R": found}

        self.other("responder", responder("answering", "active"), 0)
        self.other("responder", responder("shutdown", "off"), 0)
        text = "responder R: 192.0.2.1 held: because"
        self.other("responder", responder("held"), 1, text)
        self.other("responder", responder("conflict"), 2)
        text = "responder R: NAT hand-off failed: no nft"
        self.other("responder", responder("answering", "failed"), 2, text)

    def test_gateway(self):
        def cluster(without=0, **hub):
            hub = {"eligible": True, "name": "h1", **hub}
            return {
                "clusters": {
                    "C": {
                        "state": "running",
                        "edges": 3,
                        "edgesWithoutHub": without,
                        "hubs": {"00-11": hub},
                    }
                }
            }

        self.other("hub-cluster", cluster(), 0)
        found = cluster(eligible=False, eligibleWhy="it drains")
        text = "hub cluster C: hub h1 not eligible: it drains"
        self.other("hub-cluster", found, 1, text)
        text = "hub cluster C: 2 of 3 edges have no hub"
        self.other("hub-cluster", cluster(2), 2, text)
        waiting = {"clusters": {"C": {"state": "waiting", "why": "no id", "hubs": {}}}}
        self.other("hub-cluster", waiting, 2, "hub cluster C waiting: no id")

    def test_hub_and_edge(self):
        hub = {"state": "running", "gateways": 2, "draining": False}
        self.other("hub", hub, 0)
        self.other("hub", {**hub, "gateways": 0}, 2, "hub: no session with a gateway")
        self.other("hub", {**hub, "draining": True}, 1, "hub: draining")
        self.other("hub", {**hub, "advice": "set a capacity"}, 1, "set a capacity")
        self.other("hub", {"state": "shutdown", "draining": False}, 0)
        edge = {"state": "running", "hub": "00-11"}
        self.other("edge", edge, 0)
        self.other("edge", {"state": "shutdown"}, 0)
        without = {"state": "running", "hubWhy": "no gateway answers"}
        self.other("edge", without, 2, "edge: no hub: no gateway answers")
        waiting = {"state": "waiting", "why": "it has no cluster"}
        self.other("edge", waiting, 2, "edge waiting: it has no cluster")

    def test_no_answer(self):
        (self.path / "summary").write_text("% daemon not running\n", encoding="utf-8")
        status, line = self.run_raw()
        self.assertEqual(status, 3)
        self.assertIn("UNKNOWN: no answer to `show cluster summary json`", line)
        self.assertEqual(self.run_raw("--vtysh", "/nonexistent/vtysh")[0], 3)

    def test_not_running(self):
        (self.path / "summary").write_text(
            "Exiting: failed to connect to any daemons.\n"
            "Hint: if this seems wrong, try running me as a privileged user!\n",
            encoding="utf-8",
        )
        status, line = self.run_raw()
        self.assertEqual(status, 2, line)
        self.assertIn("CRITICAL: clusterd doesn't run: Exiting", line)
        self.assertIn("privileged user", line)

    def test_hang(self):
        (self.path / "hang").touch()
        status, line = self.run_raw("--timeout", "0.2")
        self.assertEqual(status, 2, line)


if __name__ == "__main__":
    unittest.main()
