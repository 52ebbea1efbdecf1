# SPDX-License-Identifier: GPL-2.0-or-later
"""When routes of a router's kernel came and went."""

import re
import time

import lib_cluster as cl


class Watch:
    "`ip monitor route`: when routes came and went (time of day, s)."

    LINE = re.compile(r"\[(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)\.(\d+)\](.*)")

    def __init__(self, router, space=""):
        self.path = "/tmp/watch-{}{}".format(router.name, space)
        self.ip = "ip {}route ".format("-n {} ".format(space) if space else "")
        with open(self.path, "w", encoding="utf-8") as out:
            self.process = router.net.popen(
                (["ip", "netns", "exec", space] if space else [])
                + ["stdbuf", "-oL", "ip", "-ts", "monitor", "route"],
                stdout=out,
            )
        # It watches when it reports a route that we make.
        router.net.cmd_raises(self.ip + "replace blackhole 192.0.2.200")
        cl.expect(
            lambda: "192.0.2.200" in self.text() or self.poke(router),
            "ip monitor says nothing",
        )

    def poke(self, router):
        "Something to report."
        router.net.cmd_raises(self.ip + "del blackhole 192.0.2.200")
        router.net.cmd_raises(self.ip + "replace blackhole 192.0.2.200")
        return False

    def text(self):
        "All lines so far."
        with open(self.path, encoding="utf-8") as file:
            return file.read()

    def times(self, what):
        "When lines that match a regular expression came."
        found = []
        for day, clock, fraction, line in self.LINE.findall(self.text()):
            if re.search(what, line):
                stamp = time.strptime(day + clock, "%Y-%m-%d%H:%M:%S")
                found.append(time.mktime(stamp) + float("0." + fraction))
        return found

    def end(self):
        "Stop watching."
        self.process.kill()
        self.process.wait()
