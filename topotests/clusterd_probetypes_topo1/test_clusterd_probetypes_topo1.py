# SPDX-License-Identifier: GPL-2.0-or-later
"""
Probes that ask something else than a server: commands.

    r1 === r2
"""

import os

import pytest
import lib_cluster as cl

TARGET = "203.0.113.2"
COMMANDS = {}


def build(tgen):
    "One link."
    tgen.add_router("r1")
    tgen.add_router("r2")
    switch = tgen.add_switch("s1")
    for name in ("r1", "r2"):
        switch.add_link(tgen.gears[name])


def setup_module(module):
    "Start all; scripts that anybody may run."
    tgen = cl.start(module, build, {"r1": ["zebra", "clusterd"], "r2": ["zebra"]})
    folder = os.path.join("/tmp", "clusterd-probetypes")
    tgen.gears["r1"].net.cmd_raises("mkdir -p -m 755 " + folder)
    COMMANDS["folder"] = folder


def teardown_module(_module):
    "End."
    cl.stop()


def forget_all(r1):
    "No probe is configured."
    text = "".join(
        "no {}\n".format(line)
        for line in cl.cluster_config(r1).splitlines()
        if line.startswith("cluster ")
    )
    if text:
        out = cl.load_file(r1, text)
        assert out == "", "deleting the probes printed: {}".format(out)


@pytest.fixture(name="r1")
def fixture_r1():
    "r1; no probe is configured."
    r1 = cl.usable().gears["r1"]
    forget_all(r1)
    yield r1


def script(r1, name, text):
    "A shell script in the node."
    path = os.path.join(COMMANDS["folder"], name)
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n" + text + "\n")
    r1.net.cmd_raises("chmod 755 " + path)
    return path


def configure(r1, name, *lines):
    "A probe with short times."
    out = cl.configure(
        r1, "cluster probe " + name, "interval 100", "rise 1", "fall 2", *lines
    )
    assert out == "", "{}: {}".format(name, out)


def expect_verdict(r1, name, verdict, why, target=TARGET):
    "The instance comes to that verdict."
    cl.expect(
        lambda: cl.verdict_is(r1, name, target, verdict),
        "probe {} isn't {}: {}".format(name, verdict, why),
    )
    return cl.instance(r1, name, target)


def processes(r1, text):
    "Process IDs whose command line has the text."
    out = r1.net.cmd_status("pgrep -f '{}'".format(text), warn=False)[1]
    return out.split()


def test_command(r1):
    "Exit status 0 passes; the first line is shown, the environment is ours."
    flag = os.path.join(COMMANDS["folder"], "flag")
    path = script(
        r1,
        "check",
        'echo "$1 $CLUSTER_PROBE $CLUSTER_TARGET $CLUSTER_VRF"; test -e ' + flag,
    )
    r1.net.cmd_raises("touch " + flag)
    configure(
        r1, "cmd", "type command", "command {} x".format(path), "target " + TARGET
    )
    seen = expect_verdict(r1, "cmd", "up", "the command succeeds")
    assert seen["lastDetail"] == "x cmd {} default".format(TARGET), seen
    r1.net.cmd_raises("rm " + flag)
    seen = expect_verdict(r1, "cmd", "down", "the command fails")
    assert "exit status 1: x cmd" in seen["why"], "reason: {}".format(seen)
    r1.net.cmd_raises("touch " + flag)
    expect_verdict(r1, "cmd", "up", "the command succeeds again")
    shown = cl.probe(r1, "cmd")
    assert shown["command"] == path + " x", "in JSON: {}".format(shown)


def test_command_confined(r1):
    "No capabilities, no way to get some, no descriptors of the daemon."
    path = script(
        r1,
        "confined",
        "sed -n 's/^\\(CapPrm\\|CapEff\\|NoNewPrivs\\):[^1-9]*//p' /proc/self/status"
        " | tr '\\n' ,; id -u -n | tr '\\n' ' '; ls /proc/$$/fd | wc -l",
    )
    configure(r1, "confined", "type command", "command " + path, "target " + TARGET)
    seen = expect_verdict(r1, "confined", "up", "the command succeeds")
    rights, _, rest = seen["lastDetail"].rpartition(",")
    assert rights.strip("0") == ",,1", "capabilities: {}".format(seen)
    user, number = rest.split()
    assert int(number) <= 6, "descriptors: {}".format(seen)
    assert user != "nobody", "user: {}".format(seen)
    configure(r1, "confined", "user nobody")
    cl.expect(
        lambda: "nobody" in cl.instance(r1, "confined", TARGET)["lastDetail"],
        "the command doesn't run as another user: {}".format(
            cl.instance(r1, "confined", TARGET)
        ),
    )
    configure(r1, "confined", "user nosuch")
    seen = expect_verdict(r1, "confined", "down", "there is no such user")
    assert "user nosuch" in seen["why"], "reason: {}".format(seen)


def test_command_hangs(r1):
    """
    A command that never ends is killed with all that it has started, reaped,
    and delays no other check (cases 17 and 29).
    """
    path = script(r1, "hang", "trap '' TERM INT; sleep 4712 & sleep 4712 & sleep 4712")
    configure(r1, "quick", "type command", "command /bin/true", "target " + TARGET)
    expect_verdict(r1, "quick", "up", "/bin/true succeeds")
    cl.vtysh(r1, "clear cluster probe quick counters")
    for user in ("", "user nobody"):
        lines = ["type command", "command " + path, "timeout 90", user]
        configure(r1, "hang" + user[-6:], *[l for l in lines if l], "target " + TARGET)
    for name in ("hang", "hangnobody"):
        cl.expect(
            lambda n=name: cl.instance(r1, n, TARGET)["timeouts"] >= 10,
            "no time-outs of " + name,
        )
        seen = cl.instance(r1, name, TARGET)
        assert seen["verdict"] == "down" and seen["timeouts"] == seen["fails"], seen
        assert len(processes(r1, "sleep 471[2]")) <= 6, "processes pile up"
    seen = cl.instance(r1, "quick", TARGET)
    assert seen["fails"] == 0, "delayed by another one: {}".format(seen)
    forget_all(r1)
    cl.expect(lambda: not processes(r1, "sleep 471[2]"), "processes are left")
    counts = cl.summary(r1)["probes"]
    cl.expect(
        lambda: cl.summary(r1)["probes"]["commandsRunning"] == 0,
        "some still run: {}".format(counts),
    )
    children = r1.net.cmd_raises("ps -e -o stat=,comm=")
    assert "Z" not in {l.split()[0][0] for l in children.splitlines()}, children


def test_command_not_startable(r1):
    "What can't be run is a failure of its own kind, and what makes no sense is said."
    configure(r1, "nocmd", "type command", "target " + TARGET)
    cl.expect(
        lambda: "command needs a command" in cl.instance(r1, "nocmd", TARGET)["why"],
        "it isn't said what is missing",
    )
    out = cl.configure(r1, "cluster probe nocmd", "command true")
    assert "absolute path" in out, "a relative path: {}".format(out)
    out = cl.configure(r1, "cluster probe nocmd", "user root")
    assert "root" in out, "root: {}".format(out)
    configure(r1, "nocmd", "command /nonexistent/check -w 5")
    seen = expect_verdict(r1, "nocmd", "down", "there is no such command")
    assert "No such file" in seen["why"], "reason: {}".format(seen)
    assert seen["local"] == seen["fails"] >= 2, "kind: {}".format(seen)
