#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
The package under systemd: FRR's unit starts, supervises and ends clusterd.

    test_systemd.py VERSION PACKAGE OPERATIONS      (by tests/package/run, as a unit of systemd)

OPERATIONS is the manual's chapter, whose drop-in is taken from there.  Chapters
and output are as in test_package.py.
"""

import os
import pathlib
import re
import signal
import sys

from machine import (
    CLUSTER_CONFIG,
    CONFIG,
    DAEMONS,
    VIP,
    VIP2,
    WATCHED,
    WORK,
    at_peer,
    peer_says,
    pid_of,
    pids,
    poll,
    run,
    start_neighbours,
    tell,
    wait_for_no_vip,
    wait_for_vip,
    write_config,
)

VERSION, PACKAGE, OPERATIONS = sys.argv[1:4]
UNIT = "frr.service"
ALL = WATCHED + ("clusterd",)
# What drains is announced for that long, and has another tag.
DRAIN_SECONDS = 4
DRAINING = """route-map VIPS permit 20
 match tag 85
 set community graceful-shutdown additive
exit
!
"""


def prepare():
    "A machine with FRR and frr-clusterd, nothing runs."
    WORK.mkdir()
    run("dpkg", "-i", PACKAGE)
    DAEMONS.write_text(DAEMONS.read_text().replace("bgpd=no", "bgpd=yes"))
    run("frr-clusterd-enable")
    write_config(CONFIG + DRAINING + CLUSTER_CONFIG)
    start_neighbours()


def systemctl(*arguments, status=0):
    "What it says."
    return run("timeout", "100", "systemctl", "--no-pager", *arguments, status=status)


def unit(name):
    "A property of FRR's unit."
    return systemctl("show", "--value", "--property", name, UNIT).strip()


def ours(pid):
    "Whether systemd takes the process for one of FRR's unit."
    with open("/proc/{}/cgroup".format(pid), encoding="ascii") as file:
        return UNIT in file.read()


def processes():
    "Command names of all processes."
    return run("ps", "-e", "-o", "comm=", quiet=True).split()


def test_start():
    "systemd: the unit starts clusterd, the VIP is at the peer"
    systemctl("start", UNIT)
    wait_for_vip()
    assert unit("ActiveState") == "active", systemctl("status", UNIT, status=None)
    for name, pid in pids(ALL).items():
        assert ours(pid), "{} isn't in the unit".format(name)


def test_killed():
    "systemd: clusterd killed by -9 comes back by watchfrr, the unit goes on"
    before = pids(ALL)
    os.kill(before["clusterd"], signal.SIGKILL)
    poll(lambda: pid_of("clusterd") not in (None, before["clusterd"]), "a new clusterd")
    wait_for_vip()
    assert pids() == {name: before[name] for name in WATCHED}, "others restarted"
    assert ours(pid_of("clusterd")), "clusterd has left the unit"
    assert unit("NRestarts") == "0", "the unit restarted"


def test_reload():
    "systemd: systemctl reload takes over one more VIP"
    before = pids(ALL[1:])
    two = " address 192.0.2.80\n address 192.0.2.81\n"
    more = CLUSTER_CONFIG.replace(" address 192.0.2.80\n", two)
    write_config(CONFIG + DRAINING + more)
    systemctl("reload", UNIT)
    wait_for_vip(VIP2)
    wait_for_vip()
    assert pids(ALL[1:]) == before, "daemons restarted"


def test_restart():
    "systemd: systemctl restart brings all back"
    before = pids(ALL)
    systemctl("restart", UNIT)
    wait_for_vip()
    wait_for_vip(VIP2)
    after = pids(ALL)
    same = [name for name in ALL if after[name] == before[name]]
    assert not same, "not restarted: {}".format(same)


def test_watchfrr_killed():
    "systemd: watchfrr killed by -9, the unit is restarted"
    before = pids(ALL)
    os.kill(before["watchfrr"], signal.SIGKILL)
    poll(lambda: pid_of("watchfrr") not in (None, before["watchfrr"]), "a new watchfrr")
    poll(lambda: unit("ActiveState") == "active", "the unit is active")
    wait_for_vip()
    assert pid_of("clusterd") != before["clusterd"], "clusterd outlived its unit"
    assert unit("NRestarts") == "1", "restarts: " + unit("NRestarts")


def test_drop_in():
    "systemd: with the manual's drop-in a stop drains first"
    text = pathlib.Path(OPERATIONS).read_text(encoding="utf-8")
    drop_in = re.search(r"::\n\n((?: +\[Service\]\n)(?: +Exec.*\n)+)", text).group(1)
    drop_in = re.sub(r"(?m)^ +", "", drop_in)
    path, seconds = re.search(r"touch (\S+) && sleep (\d+)", drop_in).groups()
    drop_in = drop_in.replace("sleep " + seconds, "sleep 10")
    folder = pathlib.Path("/etc/systemd/system/frr.service.d")
    folder.mkdir(parents=True)
    (folder / "drain.conf").write_text(drop_in)
    systemctl("daemon-reload")
    lines = " drain file {}\n drain-time {}\n".format(path, DRAIN_SECONDS * 1000)
    end = " address 192.0.2.80\n"
    write_config(CONFIG + DRAINING + CLUSTER_CONFIG.replace(end, lines + end))
    systemctl("reload", UNIT)
    wait_for_no_vip(VIP2)

    systemctl("stop", "--no-block", UNIT)
    entry = "show bgp ipv4 unicast " + VIP
    poll(
        lambda: "gracefulShutdown" in str(peer_says(entry)),
        "the peer sees that it drains",
    )
    poll(lambda: not at_peer(), "withdrawn")
    pids(ALL)
    poll(lambda: unit("ActiveState") == "inactive", "stopped")
    assert unit("Result") == "success", systemctl("status", UNIT, status=None)
    left = [name for name in processes() if name in ALL or name == "clusterd-guard"]
    # the peer's bgpd is none of the unit
    assert left == ["bgpd"], "processes are left: {}".format(left)
    assert not os.path.exists(path), "the next start would drain"


def test_start_after_drain():
    "systemd: the next start announces again"
    # Debian's unit allows three starts in three minutes, and these were that many.
    systemctl("reset-failed", UNIT)
    systemctl("start", UNIT)
    wait_for_vip()


if __name__ == "__main__":
    sys.exit(tell(VERSION, prepare, globals()))
