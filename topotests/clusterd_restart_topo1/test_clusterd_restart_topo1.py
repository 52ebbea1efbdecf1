# SPDX-License-Identifier: GPL-2.0-or-later
"""
Restarts and changes of the configuration: verdicts survive, nothing flaps,
nothing is left behind.  The cases are those of other programs' trackers.

    h1 (web servers) --- r1 (node) --- r2 (router)

Every test loads the cluster sections that it needs.
"""

import signal
import time

import pytest
import lib_cluster as cl

R1_V4 = "198.51.100.1"
MEMBERS = {"one": "203.0.113.11", "two": "203.0.113.12"}
NOBODY = "203.0.113.99"
VIP = "192.0.2.1"
VIP_V6 = "2001:db8:ff::1"
SERVICE = {name: address + ":8080" for name, address in MEMBERS.items()}
INTERVAL = 0.2

PROBE = """\
cluster probe web
 type http
 port 8080
 interval 200
 timeout 150
 rise 2
 fall 3
exit
"""
ONE = (
    PROBE
    + """\
cluster vip www
 drain-time 0
 flip-interval 0
 damping off
 probe web
 member 203.0.113.11
 address 192.0.2.1
exit
"""
)
TWO = ONE.replace(" address", " member 203.0.113.12\n address")

SERVER = {}


def build(tgen):
    "h1 - r1 - r2"
    for name in ("r1", "r2"):
        tgen.add_router(name)
    tgen.add_host("h1", ip=MEMBERS["one"] + "/24", defaultRoute="via 203.0.113.1")
    cl.connect(tgen, s1=("r1", "r2"), s2=("r1", "h1"))


def prepare(tgen):
    "The second member."
    host = tgen.gears["h1"].net
    host.cmd_raises("ip address add {}/24 dev h1-eth0".format(MEMBERS["two"]))


def setup_module(module):
    "Start all."
    tgen = cl.start(
        module,
        build,
        {"r1": ["zebra", "bgpd", "clusterd"], "r2": ["zebra", "bgpd"]},
        prepare=prepare,
    )
    SERVER["h1"] = cl.HttpServer(tgen.gears["h1"], SERVICE.values())
    cl.warm_up(tgen.gears["r2"], R1_V4)


def teardown_module(_module):
    "End."
    cl.stop()


def base_conf():
    "The node's own sections."
    return cl.own_conf(__file__, "r1")


@pytest.fixture(name="net")
def fixture_net():
    "r1, r2, server; all daemons run, no cluster section is configured."
    tgen = cl.usable()
    r1, r2 = tgen.gears["r1"], tgen.gears["r2"]
    for daemon in cl.all_daemons(r1):
        if not cl.alive(r1, daemon):
            cl.start_daemon(r1, daemon)
    SERVER["h1"].tell("*", "ok")
    cl.forget_all(r1)
    cl.warm_up(r2, R1_V4)
    for address in (VIP, VIP_V6, "192.0.2.2"):
        cl.expect(
            lambda a=address: cl.not_in_kernel(r2, a), "left over from another test"
        )
    cl.write_frr_conf(r1, base_conf())
    return r1, r2, SERVER["h1"]


def load(r1, text):
    "Load sections."
    out = cl.load_file(r1, text)
    assert out == "", "loading printed: {}".format(out)


def reload_file(r1, text):
    "What an operator's reload does: the same file again."
    cl.write_frr_conf(r1, base_conf() + text)
    out = cl.load_boot(r1)
    assert "%" not in out, "vtysh -b printed: {}".format(out)
    cl.send_signal(r1, "clusterd", signal.SIGHUP)


def runs(r1, target, more, name="web"):
    "Wait until an instance has run so many times more."
    start = cl.instance(r1, name, target)["runs"]
    cl.expect(
        lambda: cl.instance(r1, name, target)["runs"] >= start + more,
        "the probe of {} stopped".format(target),
    )


def in_rib(r1, address, wanted):
    "For expect(): next hops in the RIB."
    seen = set(cl.rib_hops(r1, address))
    return seen == set(wanted), seen


def announced(r1, r2, why, wanted=(MEMBERS["one"],)):
    "The VIP is at the router, and goes over these members at the node."
    cl.expect(lambda: cl.in_kernel(r2, VIP), "not announced: {}".format(why))
    cl.expect(lambda: in_rib(r1, VIP, wanted), "next hops: {}".format(why))


def flips(router):
    "UPDATEs that the router got from the node."
    return cl.updates_received(router, R1_V4)


def flips_at_rest(router):
    "The same, once none has come for half a second: bgpd may still be announcing."
    seen = {"count": flips(router), "since": time.monotonic()}

    def at_rest():
        count = flips(router)
        if count != seen["count"]:
            seen.update(count=count, since=time.monotonic())
        return time.monotonic() - seen["since"] > 0.5

    cl.expect(at_rest, "UPDATEs come all the time")
    return seen["count"]


def rate(server, name, seconds):
    "Connections a second at a listener, over so many seconds."
    count = server.stat(name)["connections"]
    start = time.monotonic()
    cl.stays(lambda: True, "", seconds)
    return (server.stat(name)["connections"] - count) / (time.monotonic() - start)


def test_one_instance_after_changes(net):
    "Configuration changed and reloaded: one probe instance (case 2)."
    r1, r2, server = net
    load(r1, ONE)
    announced(r1, r2, "first configuration")
    for interval in (100, 150, 200):
        cl.configure(r1, "cluster probe web", "interval {}".format(interval))
    for _ in range(2):
        reload_file(r1, ONE)
    instances = cl.probe(r1, "web")["instances"]
    assert len(instances) == 1, "instances: {}".format(instances)
    seen = rate(server, SERVICE["one"], 2)
    assert seen < 1.5 / INTERVAL, "{:.1f} checks a second, {} wanted".format(
        seen, 1 / INTERVAL
    )
    assert seen > 0.5 / INTERVAL, "{:.1f} checks a second, {} wanted".format(
        seen, 1 / INTERVAL
    )
    assert server.stat(SERVICE["one"])["maxOpen"] == 1, "two checks at a time"


def test_shared_probe_is_one_instance(net):
    "Two VIPs with one probe and member: one instance, gone with the last."
    r1, r2, server = net
    load(
        r1,
        ONE
        + "cluster vip other\n probe web\n member 203.0.113.11\n address 192.0.2.2\nexit\n",
    )
    announced(r1, r2, "first VIP")
    cl.expect(lambda: cl.in_kernel(r2, "192.0.2.2"), "second VIP")
    instances = cl.probe(r1, "web")["instances"]
    assert len(instances) == 1, "instances: {}".format(instances)
    cl.configure(r1, "no cluster vip www")
    cl.expect(lambda: cl.not_in_kernel(r2, VIP), "the first VIP was deleted")
    runs(r1, MEMBERS["one"], 5)
    seen = cl.kernel_hops(r2, "192.0.2.2")
    assert seen, "the second VIP went with the first"
    assert server.stat(SERVICE["one"])["maxOpen"] == 1, "two checks at a time"


def test_reload_keeps_a_vip_down(net):
    "VIP down, reload: stays down (case 3)."
    r1, r2, server = net
    load(r1, ONE)
    announced(r1, r2, "before")
    server.tell("*", "503")
    cl.expect(lambda: cl.not_in_kernel(r2, VIP), "the service fails")
    before = flips(r2)
    for _ in range(3):
        reload_file(r1, ONE)
        runs(r1, MEMBERS["one"], 3)
    cl.configure(r1, "cluster vip www", "no address " + VIP, "address " + VIP)
    runs(r1, MEMBERS["one"], 3)
    assert not cl.kernel_hops(r2, VIP), "a reload announced a VIP that is down"
    assert flips(r2) == before, "a reload announced a VIP that is down, for a while"
    assert cl.vip(r1, "www")["state"] == "down", "state: {}".format(cl.vip(r1, "www"))
    server.tell("*", "ok")
    announced(r1, r2, "the service is back")


def test_reload_keeps_a_vip_up(net):
    "VIP up, reload: no UPDATE, no reset of counters."
    r1, r2, _ = net
    load(r1, ONE)
    announced(r1, r2, "before")
    before = flips(r2)
    passes = cl.instance(r1, "web", MEMBERS["one"])["passes"]
    for _ in range(3):
        reload_file(r1, ONE)
    runs(r1, MEMBERS["one"], 3)
    assert flips(r2) == before, "reloads sent UPDATEs"
    after = cl.instance(r1, "web", MEMBERS["one"])["passes"]
    assert after > passes, "the counters were reset: {} -> {}".format(passes, after)


def test_failed_member_recovers_after_reload(net):
    "Member down, reload, member recovers: comes back (case 4)."
    r1, r2, server = net
    load(r1, TWO)
    announced(r1, r2, "before", MEMBERS.values())
    server.tell(SERVICE["two"], "close")
    announced(r1, r2, "the second member failed")
    reload_file(r1, TWO)
    runs(r1, MEMBERS["two"], 3)
    announced(r1, r2, "the second member is still down")
    server.tell(SERVICE["two"], "ok")
    announced(r1, r2, "the second member recovered", MEMBERS.values())


def test_reload_does_not_raise_a_failed_member(net):
    "A failed member stays down through changes of its line (case 5)."
    r1, r2, server = net
    load(r1, TWO)
    announced(r1, r2, "before", MEMBERS.values())
    server.tell(SERVICE["two"], "close")
    announced(r1, r2, "the second member failed")
    wanted = {MEMBERS["one"]}

    def no_second():
        seen = set(cl.rib_hops(r1, VIP))
        return seen == wanted, seen

    for lines in (
        ["member {} weight 5".format(MEMBERS["two"])],
        ["member {} probe web".format(MEMBERS["two"])],
        ["no member {}".format(MEMBERS["two"]), "member {}".format(MEMBERS["two"])],
        ["no probe", "probe web"],
    ):
        cl.configure(r1, "cluster vip www", *lines)
        cl.stays(no_second, "{} raised the failed member".format(lines), 0.5)
    reload_file(r1, TWO)
    cl.stays(no_second, "a reload raised the failed member", 0.5)


def test_new_unreachable_member_starts_down(net):
    "A new member that nobody is behind never counts (case 5)."
    r1, r2, _ = net
    load(r1, ONE)
    announced(r1, r2, "before")
    cl.configure(r1, "cluster vip www", "member " + NOBODY)

    def not_there():
        seen = set(cl.rib_hops(r1, VIP))
        return seen == {MEMBERS["one"]}, seen

    cl.stays(not_there, "an unreachable new member counted", 1.5)
    member = [m for m in cl.vip(r1, "www")["members"] if m["address"] == NOBODY][0]
    assert member["state"] == "down", "unreachable member: {}".format(member)
    assert member["why"], "no reason: {}".format(member)


def test_start_up(net):
    "start up: counts before the first result."
    r1, r2, server = net
    server.tell("*", "ok")
    load(r1, ONE.replace(" interval 200", " interval 60000\n start up\n jitter 100"))
    cl.expect(lambda: cl.in_kernel(r2, VIP), "start up: not announced", 5)


def test_editing_a_check_keeps_the_verdict(net):
    "Each parameter of a passing check changes: up all the time (case 6)."
    r1, r2, server = net
    load(r1, ONE)
    announced(r1, r2, "before")
    before = flips(r2)
    for line in (
        "path /other",
        "host www.example.com",
        "interval 100",
        "timeout 90",
        "rise 5",
        "fall 2",
        "fast-interval 50",
        "jitter 0",
        "source 203.0.113.1",
        "interface r1-eth1",
        "start up",
        "type tcp",
        "type http",
    ):
        out = cl.configure(r1, "cluster probe web", line)
        assert out == "", "{}: {}".format(line, out)
        seen = cl.instance(r1, "web", MEMBERS["one"])
        assert seen["verdict"] == "up", "behind {!r}: {}".format(line, seen)
        runs(r1, MEMBERS["one"], 2)
        seen = cl.instance(r1, "web", MEMBERS["one"])
        assert seen["verdict"] == "up", "{!r} took it down: {}".format(line, seen)
    assert flips(r2) == before, "editing a check sent UPDATEs"
    # A new check that fails takes the member down, after fall failures.
    connections = server.stat(SERVICE["one"])["connections"]
    cl.configure(r1, "cluster probe web", "no start", "port 8081")
    cl.expect(lambda: cl.not_in_kernel(r2, VIP), "the new check fails")
    assert (
        server.stat(SERVICE["one"])["connections"] <= connections + 3
    ), "the old port is still checked"
    cl.configure(r1, "cluster probe web", "port 8080")
    announced(r1, r2, "the check passes again")


def test_down_verdict_survives_editing(net):
    "The same with a failing check: down all the time."
    r1, r2, server = net
    server.tell("*", "503")
    load(r1, ONE)
    runs(r1, MEMBERS["one"], 3)
    # A check that passed before 503 was told may have announced it for a moment.
    cl.expect(
        lambda: cl.instance(r1, "web", MEMBERS["one"])["verdict"] == "down",
        "the check passes",
    )
    cl.expect(lambda: cl.not_in_kernel(r2, VIP), "announced")
    before = flips(r2)
    for line in ("interval 100", "rise 1", "fall 9", "path /other", "start up"):
        cl.configure(r1, "cluster probe web", line)
        runs(r1, MEMBERS["one"], 2)
        seen = cl.instance(r1, "web", MEMBERS["one"])
        assert seen["verdict"] == "down", "behind {!r}: {}".format(line, seen)
    assert flips(r2) == before, "editing a failing check announced the VIP"


def test_two_vips_share_an_address(net):
    "Withdrawn with the last of two VIPs, in both orders (case 7)."
    r1, r2, _ = net
    second = "cluster vip zzz\n member 203.0.113.12\n address 192.0.2.1\nexit\n"
    for first, last in (("www", "zzz"), ("zzz", "www")):
        load(r1, ONE + second)
        announced(r1, r2, "two VIPs, one address", MEMBERS.values())
        before = flips_at_rest(r2)
        cl.configure(r1, "no cluster vip " + first)
        rest = MEMBERS["two" if first == "www" else "one"]
        announced(r1, r2, "{} was deleted".format(first), [rest])
        assert flips(r2) == before, "deleting {} sent an UPDATE".format(first)
        cl.configure(r1, "no cluster vip " + last)
        cl.expect(lambda: cl.not_in_kernel(r2, VIP), "both VIPs were deleted")
        assert not cl.kernel_hops(r1, VIP), "the node kept the route"


def test_shared_address_attributes(net):
    "The first VIP by name gives the attributes; shutdown of one keeps the other."
    r1, r2, _ = net
    load(
        r1,
        "cluster vip aaa\n metric 7\n drain-time 0\n member 203.0.113.12\n address 192.0.2.1\nexit\n"
        + ONE,
    )
    announced(r1, r2, "two VIPs, one address", MEMBERS.values())
    assert cl.rib(r1, VIP)["metric"] == 7, "metric: {}".format(cl.rib(r1, VIP))
    cl.configure(r1, "cluster vip aaa", "shutdown")
    announced(r1, r2, "the first VIP is shut down", [MEMBERS["one"]])
    cl.expect(lambda: cl.rib(r1, VIP)["metric"] == 0, "attributes of the remaining VIP")


def test_announced_only_when_installed(net):
    "zebra doesn't answer: pending, not announced (case 10)."
    r1, r2, _ = net
    load(r1, PROBE)
    cl.send_signal(r1, "zebra", signal.SIGSTOP)
    try:
        out = cl.vtysh(
            r1,
            "configure terminal",
            "cluster vip www",
            "member 203.0.113.11 interface r1-eth1",
            "address " + VIP,
            daemon="clusterd",
        )
        assert out == "", "configuration printed: {}".format(out)

        def state():
            return cl.json.loads(
                cl.vtysh(r1, "show cluster vip www json", daemon="clusterd")
            )["www"]

        cl.expect(lambda: state()["state"] == "pending", "zebra has said nothing")
        cl.stays(
            lambda: (state()["state"] != "announced", state()),
            "announced before zebra has installed it",
            1,
        )
        assert state()["why"], "no reason for pending: {}".format(state())
    finally:
        cl.send_signal(r1, "zebra", signal.SIGCONT)
    announced(r1, r2, "zebra runs again")
    cl.expect(lambda: cl.vip_is(r1, "www", "announced"), "state")


def test_zebra_hangs(net):
    "What is withdrawn then is still announced: the summary says so while it lasts."
    r1, r2, server = net
    load(r1, ONE)
    announced(r1, r2, "before")

    def show(command):
        # Of clusterd alone: vtysh would wait for zebra.
        return cl.vtysh(r1, "show cluster " + command, daemon="clusterd")

    def zebra():
        return cl.json.loads(show("summary json"))["zebra"]

    def told():
        seen = zebra()
        return (
            seen["state"] == "silent" and "zebra has not answered" in seen["why"],
            seen,
        )

    assert zebra() == {"state": "connected"}, "while it runs: {}".format(zebra())
    cl.send_signal(r1, "zebra", signal.SIGSTOP)
    try:
        server.tell("*", "close")
        cl.expect(told, "it isn't told", 4 * cl.DEADLINE)
        assert "zebra has not answered" in show("summary"), show("summary")
        assert '"down"' in show("vip www json"), show("vip www json")
        assert cl.in_kernel(r2, VIP)[0], "a stopped zebra has withdrawn it"
    finally:
        cl.send_signal(r1, "zebra", signal.SIGCONT)
    cl.expect(lambda: (zebra() == {"state": "connected"}, zebra()), "it is told yet")
    cl.expect(lambda: cl.not_in_kernel(r2, VIP), "not withdrawn")
    log = cl.log_of(r1)
    for line in ("zebra doesn't answer", "zebra answers again"):
        assert line in log, "not in the log: " + line


def test_configuration_changed_while_stopped(net):
    "clusterd stopped, another VIP configured: only that one (case 19)."
    r1, r2, _ = net
    load(r1, ONE)
    announced(r1, r2, "before")
    cl.end_daemon(r1, "clusterd")
    cl.write_frr_conf(r1, base_conf() + ONE.replace("192.0.2.1", "192.0.2.2"))
    cl.start_daemon(r1, "clusterd")
    cl.expect(lambda: cl.in_kernel(r2, "192.0.2.2"), "the new VIP")
    for router in (r1, r2):
        assert not cl.kernel_hops(router, VIP), "{} still has the old VIP".format(
            router.name
        )


def kill_all(r1):
    "kill -9, zebra before its clients: nobody cleans the kernel's table."
    for daemon in cl.all_daemons(r1):
        cl.end_daemon(r1, daemon, signal.SIGKILL)
    assert cl.kernel_hops(r1, VIP), "nothing was left in the kernel: test is void"


def test_configuration_changed_while_all_were_dead(net):
    "The same when zebra died, too, and left its routes in the kernel (case 19)."
    r1, r2, _ = net
    load(r1, ONE)
    announced(r1, r2, "before")
    kill_all(r1)
    cl.write_frr_conf(r1, base_conf() + ONE.replace("192.0.2.1", "192.0.2.2"))
    cl.start_all(r1)
    cl.expect(lambda: cl.in_kernel(r2, "192.0.2.2"), "the new VIP")
    for router in (r1, r2):
        cl.expect(
            lambda r=router: cl.not_in_kernel(r, VIP),
            "{} still has the old VIP".format(router.name),
        )


def test_unconfigured_after_all_were_dead(net):
    "No VIP is configured any more: the left-over goes all the same."
    r1, r2, _ = net
    load(r1, ONE)
    announced(r1, r2, "before")
    kill_all(r1)
    cl.write_frr_conf(r1, base_conf())
    cl.start_all(r1)
    for router in (r1, r2):
        cl.expect(
            lambda r=router: cl.not_in_kernel(r, VIP),
            "{} still has the old VIP".format(router.name),
        )


def test_start_sends_no_withdrawal(net):
    "clusterd starts with a failing service: not one UPDATE (case 20)."
    r1, r2, server = net
    server.tell("*", "503")
    cl.end_daemon(r1, "clusterd")
    cl.write_frr_conf(r1, base_conf() + ONE)
    before = flips(r2)
    cl.start_daemon(r1, "clusterd")
    runs(r1, MEMBERS["one"], 5)
    assert flips(r2) == before, "starting sent UPDATEs"
    server.tell("*", "ok")
    announced(r1, r2, "the service is back")
    assert flips(r2) == before + 1, "announcing took {} UPDATEs".format(
        flips(r2) - before
    )


def test_start_announces_once(net):
    "Restart with all healthy: announced by one UPDATE, no flap."
    r1, r2, _ = net
    load(r1, TWO)
    announced(r1, r2, "before", MEMBERS.values())
    cl.end_daemon(r1, "clusterd")
    cl.expect(lambda: cl.not_in_kernel(r2, VIP), "clusterd was stopped")
    cl.write_frr_conf(r1, base_conf() + TWO)
    before = flips(r2)
    cl.start_daemon(r1, "clusterd")
    announced(r1, r2, "clusterd was started", MEMBERS.values())
    runs(r1, MEMBERS["one"], 5)
    assert flips(r2) == before + 1, "announcing took {} UPDATEs".format(
        flips(r2) - before
    )


def test_probes_do_not_start_together(net):
    "Jitter: 40 probes begin spread over their interval (case 22)."
    r1, _, server = net
    text = "".join(
        "cluster probe p{}\n type http\n target 203.0.113.11\n port 8080\n"
        " interval 2000\n jitter 100\nexit\n".format(n)
        for n in range(40)
    )
    first = server.stat(SERVICE["one"])["connections"]
    load(r1, text)
    cl.expect(
        lambda: server.stat(SERVICE["one"])["connections"] >= first + 80,
        "the probes don't run",
    )
    times = server.stat(SERVICE["one"])["times"][-80:]
    spread = times[39] - times[0]
    assert spread > 1, "the first 40 checks came within {:.2f} s".format(spread)
    most = max(sum(1 for t in times if s <= t < s + 0.1) for s in times)
    assert most <= 15, "{} of 80 checks came within 100 ms".format(most)


def test_all_daemons_restarted(net):
    "What watchfrr does when one of them died."
    r1, r2, _ = net
    load(r1, ONE)
    announced(r1, r2, "before")
    cl.write_frr_conf(r1, base_conf() + ONE)
    cl.end_all(r1)
    cl.start_all(r1)
    announced(r1, r2, "all daemons were restarted")


@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGKILL])
def test_zebra_and_bgpd_restarted(net, signum):
    "clusterd lives on: it reconnects, and the VIP returns."
    r1, r2, _ = net
    load(r1, TWO)
    announced(r1, r2, "before", MEMBERS.values())
    cl.write_frr_conf(r1, base_conf() + TWO)
    pid = cl.pid_of(r1, "clusterd")
    for daemon in ("bgpd", "zebra"):
        cl.end_daemon(r1, daemon, signum)
    cl.expect(lambda: cl.not_in_kernel(r2, VIP), "bgpd is gone")
    cl.expect(
        lambda: cl.summary(r1)["zebra"]["state"] == "down",
        "clusterd doesn't notice that zebra is gone",
    )
    state = cl.vip(r1, "www")
    assert state["state"] != "announced", "announced without zebra: {}".format(state)
    assert "zebra" in state["why"], "reason: {}".format(state)
    for daemon in ("zebra", "bgpd"):
        cl.start_daemon(r1, daemon)
    announced(r1, r2, "zebra and bgpd are back", MEMBERS.values())
    cl.expect(lambda: cl.vip_is(r1, "www", "announced"), "state")
    assert cl.pid_of(r1, "clusterd") == pid, "clusterd was restarted"


def test_zebra_restarted(net):
    "zebra alone: our route is complete again within seconds."
    r1, r2, _ = net
    load(r1, TWO)
    announced(r1, r2, "before", MEMBERS.values())
    cl.write_frr_conf(r1, base_conf() + TWO)
    cl.end_daemon(r1, "zebra", signal.SIGKILL)
    cl.start_daemon(r1, "zebra")
    cl.expect(
        lambda: in_rib(r1, VIP, MEMBERS.values()), "next hops after zebra's return", 10
    )
    cl.expect(lambda: cl.vip_is(r1, "www", "announced"), "state", 10)
    # bgpd's redistribution doesn't survive a restart of zebra; all FRR
    # versions.  It does with bgpd's own restart.
    cl.end_daemon(r1, "bgpd")
    cl.start_daemon(r1, "bgpd")
    announced(r1, r2, "bgpd was restarted", MEMBERS.values())


def test_vip_changed_while_zebra_is_away(net):
    "Changes made without zebra are in effect when it returns."
    r1, r2, _ = net
    load(r1, TWO)
    announced(r1, r2, "before", MEMBERS.values())
    cl.write_frr_conf(r1, base_conf())
    for daemon in ("bgpd", "zebra"):
        cl.end_daemon(r1, daemon, signal.SIGKILL)
    cl.configure(
        r1,
        "cluster vip www",
        "no address " + VIP,
        "address 192.0.2.2",
        "no member " + MEMBERS["two"],
    )
    for daemon in ("zebra", "bgpd"):
        cl.start_daemon(r1, daemon)
    cl.expect(lambda: cl.in_kernel(r2, "192.0.2.2"), "the new address")
    cl.expect(lambda: in_rib(r1, "192.0.2.2", [MEMBERS["one"]]), "next hops")
    for router in (r1, r2):
        cl.expect(
            lambda r=router: cl.not_in_kernel(r, VIP),
            "{} still has the old address".format(router.name),
        )


def test_fabricd_beside_us(net):
    "fabricd runs: refused with advice; it ends: clusterd comes up by itself."
    r1, r2, _ = net
    cl.end_daemon(r1, "clusterd")
    cl.write_frr_conf(r1, base_conf() + ONE)
    r1.net.daemons["fabricd"] = 1
    try:
        cl.start_daemon(r1, "fabricd", load=False)
        cl.start_daemon(r1, "clusterd")
        cl.expect(
            lambda: cl.summary(r1)["zebra"]["state"] == "refused",
            "clusterd doesn't refuse to share its route type",
        )
        why = cl.summary(r1)["zebra"]["why"]
        assert "fabricd" in why, "the reason doesn't name fabricd: {}".format(why)
        assert (
            "--route-type" in why or "stop" in why.lower()
        ), "the reason gives no advice: {}".format(why)
        assert "fabricd" in cl.log_of(r1), "the log doesn't name fabricd"
        cl.expect(
            lambda: cl.verdict_is(r1, "web", MEMBERS["one"], "up"),
            "the probe doesn't run meanwhile",
        )
        assert not cl.kernel_hops(r1, VIP), "a route in spite of the refusal"
        state = cl.vip(r1, "www")
        assert state["state"] not in (
            "announced",
            "partial",
        ), "state while refused: {}".format(state)
    finally:
        cl.end_daemon(r1, "fabricd")
        r1.net.daemons["fabricd"] = 0
    announced(r1, r2, "fabricd is gone")
    assert cl.summary(r1)["zebra"]["state"] == "connected", "state: {}".format(
        cl.summary(r1)
    )


def test_fabricd_dies_beside_us(net):
    "A second client of our type takes our routes along: sent again, and said."
    r1, r2, _ = net
    cl.end_daemon(r1, "clusterd")
    cl.write_frr_conf(r1, base_conf() + ONE)
    cl.start_daemon(r1, "clusterd")
    announced(r1, r2, "before")
    text = "somebody else removed from zebra"
    before = cl.log_of(r1).count(text)
    r1.net.daemons["fabricd"] = 1
    try:
        cl.start_daemon(r1, "fabricd", load=False)
        cl.expect(
            lambda: cl.vtysh(r1, "show zebra client summary").count("openfabric") > 1,
            "fabricd doesn't reach zebra",
        )
    finally:
        cl.end_daemon(r1, "fabricd", signal.SIGKILL)
        r1.net.daemons["fabricd"] = 0
    cl.expect(
        lambda: cl.log_of(r1).count(text) > before,
        "the log doesn't say that routes were removed",
    )
    announced(r1, r2, "sent again")


def test_another_route_type(net):
    "--route-type babel works like the default, beside a running fabricd."
    r1, r2, _ = net
    cl.end_daemon(r1, "clusterd")
    cl.write_frr_conf(r1, base_conf() + ONE)
    cl.configure(
        r1,
        "router bgp 65001",
        "address-family ipv4 unicast",
        "redistribute babel route-map VIPS",
    )
    try:
        cl.start_daemon(r1, "fabricd", load=False)
        cl.start_daemon(r1, "clusterd", options="--route-type babel")
        cl.expect(lambda: cl.in_kernel(r2, VIP), "route type babel isn't announced")
        assert cl.summary(r1)["routeType"] == "babel", "summary: {}".format(
            cl.summary(r1)
        )
        assert cl.rib(r1, VIP, "babel"), "the RIB doesn't have it as babel"
    finally:
        cl.end_daemon(r1, "fabricd")
        cl.end_daemon(r1, "clusterd")
        cl.configure(
            r1,
            "router bgp 65001",
            "address-family ipv4 unicast",
            "no redistribute babel",
        )


def test_options_refused(net):
    "Bad options: an error, no daemon."
    r1, _, _ = net
    for option in (
        "--route-type static",
        "--route-type nosuch",
        "--watchdog abc",
        "--watchdog 1",
        "--nosuch",
    ):
        rc, out, err = r1.net.cmd_status(
            "timeout 10 {}/clusterd {} -i /tmp/none.pid".format(
                r1.net.daemondir, option
            ),
            warn=False,
        )
        assert rc not in (0, 124), "{} is accepted: {}".format(option, rc)
        assert out + err, "{}: no message".format(option)
