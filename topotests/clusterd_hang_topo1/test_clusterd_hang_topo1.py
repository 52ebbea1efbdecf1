# SPDX-License-Identifier: GPL-2.0-or-later
"""
What hangs: clusterd, of which nothing stays announced, and its guards; zebra.

    r1 (node: zebra, bgpd, clusterd) --- r2 (router)
    r3 (node without IPv4: zebra, clusterd)

A module makes clusterd's loop spin for ever (tests/hang).  A clusterd that is
stopped (SIGSTOP) is in clusterd_vip_topo1, what a file that takes long means in
clusterd_config_topo1, what hangs with zebra in clusterd_{restart,matrix,local}_topo1.
"""

import json
import os
import re
import shutil
import signal
import sys
import time

import lib_cluster as cl
import pytest
from lib_oper import LISTENER, notifications, value

VIPS = ("192.0.2.1", "2001:db8:ff::1")
TIMEOUT = 2  # seconds
HANG = "{}/obj/tests/hang/loop_hang.so".format(os.environ["CLUSTER_BUILD"])
# Of the module: all signals are blocked then, and there will be no backtrace.
DEAF = signal.SIGRTMIN
ABORTED = "Received signal 6 at"


def build(tgen):
    "r1 - r2, r3; members would be on the switches s2 and s3."
    for name in ("r1", "r2", "r3"):
        tgen.add_router(name)
    cl.connect(tgen, s1=("r1", "r2"), s2=("r1",), s3=("r3",))


def setup_module(module):
    "Start all."
    tgen = cl.start(
        module,
        build,
        {
            "r1": ["zebra", "bgpd", "clusterd"],
            "r2": ["zebra", "bgpd"],
            "r3": ["zebra", "clusterd"],
        },
        options={
            "clusterd": "{} -M {} --watchdog {}".format(
                LISTENER["clusterd"], HANG, TIMEOUT * 1000
            )
        },
    )
    for address in ("198.51.100.1", "2001:db8:1::1"):
        cl.warm_up(tgen.gears["r2"], address)


def teardown_module(_module):
    "End; that the watchdog ended clusterd is no crash."
    cl.stop(wanted=ABORTED)


@pytest.fixture(name="net")
def fixture_net():
    "r1 and r2, the VIPs at the neighbour, and guards that run."
    tgen = cl.usable()
    r1, r2 = tgen.gears["r1"], tgen.gears["r2"]
    if not cl.alive(r1, "clusterd"):
        cl.start_daemon(r1, "clusterd")
    expect_announced(r1, r2, "before the test")
    return r1, r2


def expect_announced(r1, r2, why):
    "All is well."
    cl.expect(
        lambda: (all(cl.in_kernel(r2, vip)[0] for vip in VIPS), "at r2"),
        "not at the neighbour: {}".format(why),
    )
    cl.expect(lambda: cl.vip_is(r1, "www", "announced"), why)
    cl.expect(lambda: len(guards(r1)) == 2, "no guard processes: {}".format(why))


def guards(r1):
    "Process IDs of the guards; [] without."
    found = re.search(r"^Watchdog: .*$", cl.vtysh(r1, "show cluster summary"), re.M)
    return [int(pid) for pid in re.findall(r", guard process (\d+)", found[0])]


def is_guard(r1, pid):
    "Is there such a process? A zombie is none."
    _, out, _ = r1.net.cmd_status("cat /proc/{}/stat".format(pid), warn=False)
    return "(clusterd-guard)" in out and ") Z " not in out


def in_zebra(r1):
    "The VIPs that zebra has a route for, of zebra alone: clusterd hangs."
    found = set()
    for vip in VIPS:
        command = "show {} route {} json".format(
            "ipv6" if ":" in vip else "ip", cl.prefix_of(vip)
        )
        if json.loads(cl.vtysh(r1, command, daemon="zebra")):
            found.add(vip)
    return found


def gone(r1, r2):
    "For expect(): no route is left in the neighbour, the node's kernel, zebra."
    left = {r.name: v for r in (r2, r1) for v in VIPS if cl.kernel_hops(r, v)}
    left = left or {"zebra": in_zebra(r1)}
    return not any(left.values()), left


def expect_ended(r1, r2, longest, why):
    "All routes are gone within that time, and clusterd and its guard."
    cl.expect(lambda: gone(r1, r2), why, longest)
    cl.expect(lambda: not cl.alive(r1, "clusterd"), "it is alive: {}".format(why))


def expect_hang_noticed(r1, r2, signum=signal.SIGUSR2, and_then=lambda _: None):
    """
    The loop hangs from now on: a guard ends clusterd.  What else happens gets the
    guards.
    """
    of = guards(r1)
    began = time.monotonic()
    cl.send_signal(r1, "clusterd", signum)
    and_then(of)
    # (what spins has one core for itself)
    expect_ended(r1, r2, 3 * TIMEOUT + 2 * cl.AT_ONCE, "the loop hangs")
    passed = time.monotonic() - began
    # The guard looks eight times in the timeout.
    assert passed > TIMEOUT * 0.75, "ended after {:.2f} s".format(passed)
    expect_no_guards(r1, of)


def expect_no_guards(r1, of):
    "They end with clusterd (one that was stopped, too: it is killed)."
    for pid in of:
        cl.expect(lambda p=pid: not is_guard(r1, p), "a guard is left")


@pytest.mark.parametrize("signum", [signal.SIGUSR2, DEAF], ids=["busy", "deaf"])
def test_hung_loop(net, signum):
    "A loop that spins for ever, also with all signals blocked; it comes back."
    r1, r2 = net
    before = cl.log_of(r1).count(ABORTED)
    expect_hang_noticed(r1, r2, signum)
    backtraces = cl.log_of(r1).count(ABORTED) - before
    assert backtraces == (signum != DEAF), "{} backtraces".format(backtraces)
    cl.start_daemon(r1, "clusterd")
    expect_announced(r1, r2, "clusterd runs again")


def expect_another_guard(r1, old, said, timeout=cl.DEADLINE):
    "It is told, and another one runs; the other one is the same."
    cl.expect(
        lambda: (len(guards(r1)) == 2 and old not in guards(r1), guards(r1)),
        "no new guard",
        timeout,
    )
    for pid in guards(r1):
        cl.expect(lambda p=pid: is_guard(r1, p), "it isn't there")
    assert not is_guard(r1, old), "the old one is left"
    text = "the guard process {} {}".format(old, said)
    log = [line for line in cl.log_of(r1).splitlines() if text in line]
    assert len(log) == 1, "log: {}".format(log)


@pytest.mark.parametrize("which", [0, 1])
def test_guard_killed(net, which):
    "There is another one, which does its work; nothing happens to the VIPs."
    r1, r2 = net
    pid, messages = cl.pid_of(r1, "clusterd"), cl.route_messages(r1)
    other = guards(r1)[1 - which]
    for _ in range(2):
        of = guards(r1)[which]
        r1.net.cmd_raises("kill -9 {}".format(of))
        expect_another_guard(r1, of, "ended; starting another")
    assert guards(r1)[1 - which] == other, "the other one was replaced"
    assert cl.pid_of(r1, "clusterd") == pid, "clusterd is another one"
    assert cl.route_messages(r1) == messages, "routes were sent"
    assert cl.summary(r1)["watchdog"]["running"], "it isn't said to run"
    expect_hang_noticed(
        r1,
        r2,
        and_then=lambda of: r1.net.cmd_raises("kill -9 {}".format(of[1 - which])),
    )


def test_guard_stopped(net):
    "One that doesn't run (SIGSTOP) would notice nothing: it is replaced."
    r1, r2 = net
    for which in (0, 1):
        of = guards(r1)[which]
        r1.net.cmd_raises("kill -STOP {}".format(of))
        longest = 2 * TIMEOUT + cl.DEADLINE
        expect_another_guard(r1, of, "doesn't run; ending it", longest)
    expect_hang_noticed(r1, r2)


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("how", ["KILL", "STOP"])
def test_guard_lost_in_a_hang(net, which, how):
    "Nobody can replace it then: the other one does its work, of a stopped daemon too."
    r1, r2 = net
    expect_hang_noticed(
        r1,
        r2,
        signal.SIGSTOP,
        lambda of: r1.net.cmd_raises("kill -{} {}".format(how, of[which])),
    )


def test_no_guard(net):
    "No process can be started: it is told, tried again, and is over."
    r1, _ = net
    text = "a hang would not be noticed"

    pid = cl.pid_of(r1, "clusterd")
    limits = r1.net.cmd_raises("cat /proc/{}/limits".format(pid))
    most = re.search(r"Max processes +\S+ +(\S+)", limits)[1]

    def limit(number):
        "How many processes its user may have."
        # As that user: root needs a capability that containers hold back.
        r1.net.cmd_raises(
            "setpriv --reuid frr --regid frr --clear-groups "
            "prlimit --pid {} --nproc={}:".format(pid, number)
        )

    before = cl.log_of(r1).count(text)
    limit(1)
    r1.net.cmd_raises("kill -9 {} {}".format(*guards(r1)))
    cl.expect(
        lambda: (not cl.summary(r1)["watchdog"]["running"], cl.summary(r1)["watchdog"]),
        "it isn't told",
    )
    assert "Watchdog: 2000 ms, NO guard process" in cl.vtysh(
        r1, "show cluster summary"
    ), "text"
    # Several beats later: it isn't logged with each.
    cl.stays(lambda: not guards(r1), "a guard in spite of the limit", TIMEOUT)
    assert cl.log_of(r1).count(text) == before + 2, "not logged once of each"
    limit(most)
    cl.expect(lambda: len(guards(r1)) == 2, "no new guards")
    assert cl.summary(r1)["watchdog"]["running"], "it isn't said to run"
    assert cl.vip(r1, "www")["state"] == "announced", "VIPs have suffered"


def test_clusterd_killed(net):
    "The guards follow it at once."
    r1, r2 = net
    of = guards(r1)
    cl.send_signal(r1, "clusterd", signal.SIGKILL)
    expect_ended(r1, r2, 2 * cl.AT_ONCE, "clusterd was killed")
    expect_no_guards(r1, of)


def test_all_killed(net):
    "Guards and clusterd at the same time: zebra sees it; all come back."
    r1, r2 = net
    of = guards(r1)
    r1.net.cmd_raises("kill -9 {} {} {}".format(*of, cl.pid_of(r1, "clusterd")))
    expect_ended(r1, r2, 2 * cl.AT_ONCE, "all were killed")
    cl.start_daemon(r1, "clusterd")
    expect_announced(r1, r2, "clusterd runs again")
    assert all(is_guard(r1, pid) for pid in guards(r1)), "there is no guard"
    expect_hang_noticed(r1, r2)


def ask(router, command):
    "JSON of clusterd alone: vtysh waits for a zebra that is stopped."
    return json.loads(cl.vtysh(router, command, daemon="clusterd"))


def check_clusterd(router):
    "What monitoring gets: exit status and line."
    tool = os.path.join(cl.HERE, "..", "tools", "check-clusterd")
    status, out, err = router.net.cmd_status([sys.executable, tool], warn=False)
    return status, out + err


def zebra_status(router):
    "By YANG."
    path = "/frr-clusterd:cluster-summary"
    found = ask(router, "show yang operational-data {} clusterd".format(path))
    return found["frr-clusterd:cluster-summary"]["zebra"]


@pytest.fixture(name="node")
def fixture_node():
    "r3, its VIP, and the file with its metrics."
    r3 = cl.usable().gears["r3"]
    assert r3.net.cmd_raises("ip -4 -o address show scope global") == "", "has IPv4"
    folder = os.path.join(r3.net.logdir, "r3", "metrics")
    os.makedirs(folder)
    shutil.chown(folder, "frr", "frr")
    path = os.path.join(folder, "clusterd.prom")
    line = "cluster metrics file {} interval 1000".format(path)
    assert cl.configure(r3, line) == "", "refused"
    cl.expect(lambda: os.path.exists(path), "no metrics")
    cl.expect(lambda: cl.vip_is(r3, "alone", "announced"), "its VIP")
    yield r3, path
    cl.send_signal(r3, "zebra", signal.SIGCONT)
    cl.configure(r3, "no cluster metrics file")
    cl.configure(r3, "cluster vip alone", "no shutdown")
    shutil.rmtree(folder)


def test_zebra_hangs(node):
    """
    What is withdrawn stays, and everybody is told, also without a router ID: summary,
    event, metric, notification, YANG, monitoring; and when it is over.
    """
    r3, path = node
    vip = "2001:db8:ff::3"

    def state():
        seen = ask(r3, "show cluster summary json")["zebra"]
        return seen["state"], seen.get("why", "")

    def changes():
        "Of zebra, the oldest first."
        events = ask(r3, "show cluster events json")["events"]
        return [(e["after"], e["why"]) for e in events if e["kind"] == "zebra"]

    told = notifications(r3, "frr-clusterd:zebra-change")
    assert state() == ("connected", ""), "before: {}".format(state())
    assert value(path, "zebra_silent_seconds") == 0, "metric before"
    assert check_clusterd(r3)[0] == 0, "monitoring before: {}".format(
        check_clusterd(r3)
    )
    why = re.compile(r"zebra has not answered for \d+ s: what is withdrawn may still")

    cl.send_signal(r3, "zebra", signal.SIGSTOP)
    cl.vtysh(
        r3, "configure terminal", "cluster vip alone", "shutdown", daemon="clusterd"
    )
    cl.expect(lambda: (state()[0] == "silent", state()), "it isn't told")
    assert why.match(state()[1]), "why: {}".format(state())
    assert cl.in_kernel(r3, vip)[0], "a stopped zebra has removed the route"
    told({"status": "silent", "why": why})
    assert changes()[-1][0] == "silent", "events: {}".format(changes())
    assert why.match(changes()[-1][1]), "events: {}".format(changes())
    cl.expect(lambda: value(path, "zebra_silent_seconds") >= 10, "metric")
    assert value(path, "zebra_connected") == 1, "it is connected"
    seen = zebra_status(r3)
    assert seen["status"] == "silent" and why.match(seen["why"]), "YANG: {}".format(
        seen
    )
    status, line = check_clusterd(r3)
    assert status == 2 and "zebra silent: zebra has not" in line, line

    cl.send_signal(r3, "zebra", signal.SIGCONT)
    cl.expect(lambda: (state() == ("connected", ""), state()), "it stays")
    told({"status": "connected"})
    assert changes()[-1] == ("connected", ""), "events: {}".format(changes())
    cl.expect(lambda: cl.not_in_kernel(r3, vip), "the route stays")
    cl.expect(lambda: value(path, "zebra_silent_seconds") == 0, "metric afterwards")
    assert zebra_status(r3) == {"status": "connected"}, zebra_status(r3)
    assert check_clusterd(r3)[0] == 0, "monitoring: {}".format(check_clusterd(r3))
    # The question leaves nothing in zebra.
    cl.expect(lambda: "0.0.0.0" not in cl.vtysh(r3, "show ip nht"), "it is left")
