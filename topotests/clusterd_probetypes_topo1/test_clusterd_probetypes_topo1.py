# SPDX-License-Identifier: GPL-2.0-or-later
"""
Probes that ask something else than a server: commands, interfaces, routes,
BFD; and DNS servers, and services that tell themselves.

    r1 === r2 (two links)
"""

import os
import signal

import pytest
import lib_cluster as cl
import lib_probe
from lib_oper import TIME, by_key, operational
from lib_same import expect_same

TARGET = "203.0.113.2"
TARGET_V6 = "2001:db8:2::2"
# Of probes whose subject has no address.
NONE = "0.0.0.0"
COMMANDS = {}


def build(tgen):
    "Two links."
    tgen.add_router("r1")
    tgen.add_router("r2")
    for switch in (tgen.add_switch("s1"), tgen.add_switch("s2")):
        for name in ("r1", "r2"):
            switch.add_link(tgen.gears[name])


def setup_module(module):
    "Start all; scripts that anybody may run."
    tgen = cl.start(
        module,
        build,
        {"r1": ["zebra", "bfdd", "clusterd"], "r2": ["zebra", "bfdd"]},
    )
    folder = os.path.join("/tmp", "clusterd-probetypes")
    tgen.gears["r1"].net.cmd_raises("mkdir -p -m 755 " + folder)
    COMMANDS["folder"] = folder


def teardown_module(_module):
    "End."
    cl.stop()


@pytest.fixture(name="r1")
def fixture_r1():
    "r1; no probe is configured."
    r1 = cl.usable().gears["r1"]
    cl.forget_all(r1)
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


# Starting a process takes its time on a busy machine; where the reason of a
# failure counts, that isn't it.
UNHURRIED = ["interval 1000", "timeout 1000"]


def watch(r1, name, *lines):
    "A probe of a type that watches: whatever happens, no interval is waited for."
    out = cl.configure(r1, "cluster probe " + name, "interval 3600000", *lines)
    assert out == "" or out.startswith("Note: "), "{}: {}".format(name, out)


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
        r1,
        "cmd",
        "type command",
        "command {} x".format(path),
        "target " + TARGET,
        *UNHURRIED
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
    lines = ["type command", "command " + path, "target " + TARGET]
    configure(r1, "confined", *lines, *UNHURRIED)
    seen = expect_verdict(r1, "confined", "up", "the command succeeds")
    rights, _, rest = seen["lastDetail"].rpartition(",")
    assert rights.strip("0") == ",,1", "capabilities: {}".format(seen)
    user, number = rest.split()
    assert int(number) <= 6, "descriptors: {}".format(seen)
    assert user != "nobody", "user: {}".format(seen)
    configure(r1, "confined", "user nobody", *UNHURRIED)
    cl.expect(
        lambda: "nobody" in cl.instance(r1, "confined", TARGET)["lastDetail"],
        "the command doesn't run as another user: {}".format(
            cl.instance(r1, "confined", TARGET)
        ),
    )
    configure(r1, "confined", "user nosuch", *UNHURRIED)
    seen = expect_verdict(r1, "confined", "down", "there is no such user")
    assert "user nosuch" in seen["why"], "reason: {}".format(seen)


def test_command_hangs(r1):
    """
    A command that never ends is killed with all that it has started, reaped,
    and delays no other check (cases 17 and 29).
    """
    path = script(r1, "hang", "trap '' TERM INT; sleep 4712 & sleep 4712 & sleep 4712")
    lines = ["type command", "command /bin/true", "target " + TARGET]
    configure(r1, "quick", *lines, *UNHURRIED)
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
        assert seen["verdict"] == "down" and seen["passes"] == 0, seen
        assert len(processes(r1, "sleep 471[2]")) <= 6, "processes pile up"
    cl.expect(
        lambda: cl.instance(r1, "quick", TARGET)["passes"] >= 2,
        "the other one doesn't run: {}".format(cl.instance(r1, "quick", TARGET)),
    )
    seen = cl.instance(r1, "quick", TARGET)
    assert seen["fails"] == 0, "delayed by another one: {}".format(seen)
    cl.forget_all(r1)
    cl.expect(lambda: not processes(r1, "sleep 471[2]"), "processes are left")
    counts = cl.summary(r1)["probes"]
    cl.expect(
        lambda: cl.summary(r1)["probes"]["commandsRunning"] == 0,
        "some still run: {}".format(counts),
    )
    children = r1.net.cmd_raises("ps -e -o stat=,comm=")
    assert "Z" not in {l.split()[0][0] for l in children.splitlines()}, children


def test_commands_wait(r1):
    "No more than 64 at a time; the summary tells of the others."
    one = (
        "cluster probe many{}\n type command\n command /bin/sleep 4714\n"
        " target {}\n interval {}\n timeout {}\n jitter 0\nexit\n"
    )

    def commands():
        shown = cl.summary(r1)["probes"]
        told = operational(r1, "frr-clusterd", "cluster-summary")["probes"]
        kinds = ("running", "waiting", "starved")
        numbers = [int(told["commands-" + kind]) for kind in kinds]
        assert numbers == [shown["commands" + k.capitalize()] for k in kinds], shown
        assert (told["commands-max"], shown["commandsMax"]) == (64, 64), told
        return numbers

    text = [one.format(n, TARGET, 600000, 600000) for n in range(67)]
    before = commands()[2]
    out = cl.load_file(r1, "".join(text))
    assert out == "", "configuration: {}".format(out)
    cl.expect(
        lambda: (commands() == [64, 3, before], commands()),
        "64 run, 3 wait",
        timeout=60,
    )
    assert "  Commands: 64 of at most 64 running, 3 waiting, {} timed out".format(
        before
    ) in cl.vtysh(r1, "show cluster summary"), "text"
    assert len(processes(r1, "sleep 471[4]")) >= 64, "processes"
    # another one, whose time-out comes before its turn
    cl.load_file(r1, one.format("-late", TARGET, 1000, 100))
    cl.expect(lambda: (commands()[2] > before, commands()), "nothing timed out waiting")
    cl.forget_all(r1)
    cl.expect(lambda: (commands()[:2] == [0, 0], commands()), "some still run or wait")
    cl.expect(lambda: not processes(r1, "sleep 471[4]"), "processes are left")


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
    configure(r1, "nocmd", "command /nonexistent/check -w 5", *UNHURRIED)
    # it starts down: the reason tells when it is down for that
    cl.expect(
        lambda: "No such file" in cl.instance(r1, "nocmd", TARGET)["why"],
        "there is no such command",
    )
    seen = cl.instance(r1, "nocmd", TARGET)
    assert seen["verdict"] == "down", "verdict: {}".format(seen)
    assert seen["local"] == seen["fails"] >= 2, "kind: {}".format(seen)


def link(router, interface, state):
    "Sets an interface up or down."
    router.net.cmd_raises("ip link set {} {}".format(interface, state))


def test_interface(r1):
    "Up and down with the interface, at once and not after an interval."
    watch(r1, "if", "type interface")
    seen = cl.expect(lambda: cl.instance(r1, "if", NONE), "no instance")
    assert "interface needs an interface" in seen["why"], "reason: {}".format(seen)
    watch(r1, "if", "interface r1-eth1")
    expect_verdict(r1, "if", "up", "the interface is up", NONE)
    link(r1, "r1-eth1", "down")
    text = cl.vtysh(
        r1, "show cluster probe", "show cluster probe if", "show cluster events"
    )
    assert NONE not in text, "an address that there isn't: " + text
    assert " probe if: up, was down" in text, "the event: " + text
    seen = expect_verdict(r1, "if", "down", "the interface is down", NONE)
    assert "r1-eth1 is down" in seen["why"] and seen["notUp"] == 1, seen
    link(r1, "r1-eth1", "up")
    expect_verdict(r1, "if", "up", "the interface is up again", NONE)
    watch(r1, "if", "interface nosuch0")
    seen = expect_verdict(r1, "if", "down", "there is no such interface", NONE)
    assert "no interface nosuch0" in seen["why"], "reason: {}".format(seen)
    r1.net.cmd_raises("ip link add nosuch0 type veth peer name nosuch1")
    link(r1, "nosuch1", "up")
    link(r1, "nosuch0", "up")
    expect_verdict(r1, "if", "up", "the interface has come", NONE)
    r1.net.cmd_raises("ip link del nosuch0")
    expect_verdict(r1, "if", "down", "the interface has gone", NONE)


@pytest.mark.parametrize(
    "prefix,covering,gateway",
    [
        ("192.0.2.0/24", "192.0.0.0/16", TARGET),
        ("0.0.0.0/0", None, TARGET),
        ("192.0.2.7/32", "192.0.2.0/24", TARGET),
        ("2001:db8:7::/48", "::/0", TARGET_V6),
    ],
    ids=["IPv4", "default", "host", "IPv6"],
)
def test_route(r1, prefix, covering, gateway):
    "Exactly that route, and not one that covers it."
    name = "rt" + prefix.split("/", maxsplit=1)[0].replace(":", "")

    def route(verb, which):
        r1.net.cmd_raises("ip route {} {} via {}".format(verb, which, gateway))

    if covering:
        route("add", covering)
    watch(r1, name, "type route", "prefix " + prefix)
    seen = expect_verdict(r1, name, "down", "there is no such route", NONE)
    cl.expect(
        lambda: "no usable route to " + prefix in cl.instance(r1, name, NONE)["why"],
        "the reason isn't told: {}".format(seen),
    )
    route("add", prefix)
    expect_verdict(r1, name, "up", "the route is there", NONE)
    route("del", prefix)
    expect_verdict(r1, name, "down", "the route has gone", NONE)
    if covering:
        route("del", covering)


def bfd_peer(router, address):
    "The session of bfdd with that peer, or None."
    for peer in cl.vtysh_json(router, "show bfd peers json"):
        if peer["peer"] == address:
            return peer
    return None


@pytest.mark.parametrize(
    "target,lines",
    [(TARGET, []), (TARGET_V6, ["hops 2", "source 2001:db8:2::1"])],
    ids=["single-hop", "multihop"],
)
def test_bfd(r1, target, lines):
    "A session with r2 goes up and down; it ends with its last user (case 32)."
    r2 = cl.usable().gears["r2"]
    names = ["bfd{}{}".format(n, len(lines)) for n in (1, 2)]
    for name in names:
        watch(r1, name, "type bfd", "target " + target, "profile fast", *lines)
    # (half typed, the second one was another session that bfdd can't tell apart)
    for name in names:
        before = expect_verdict(r1, name, "up", "the session is up", target)["local"]
    session = bfd_peer(r1, target)
    assert session["multihop"] == bool(lines), "session: {}".format(session)
    assert session["transmit-interval"] == 100, "profile: {}".format(session)
    assert out_of_config(r1, names[0]) == "", "deleting"
    cl.stays(
        lambda: cl.verdict_is(r1, names[1], target, "up")[0]
        and bfd_peer(r1, target)["status"] == "up",
        "the other probe's session ends",
        0.5,
    )
    cl.send_signal(r2, "bfdd", signal.SIGSTOP)
    try:
        seen = expect_verdict(r1, names[1], "down", "the peer is silent", target)
    finally:
        cl.send_signal(r2, "bfdd", signal.SIGCONT)
    assert "session is down" in seen["why"], "reason: {}".format(seen)
    assert seen["notUp"] >= 1 and seen["local"] == before, "kind: {}".format(seen)
    expect_verdict(r1, names[1], "up", "the peer is back", target)
    assert out_of_config(r1, names[1]) == "", "deleting"
    cl.expect(lambda: bfd_peer(r1, target) is None, "the session stays")


def test_bfd_of_tracks(r1):
    "Case 32: a track that goes takes neither BFD nor routes of another with it."
    track = (
        "cluster probe b{0}\n type bfd\n profile fast\nexit\n"
        "cluster track t{0}\n probe b{0}\n next-hop 203.0.113.2\n"
        " route 10.{0}.0.0/16\nexit\n"
    )
    assert cl.load_file(r1, track.format(1) + track.format(2)) == ""

    def kernel(number):
        out = r1.net.cmd_raises("ip route show 10.{}.0.0/16".format(number))
        return TARGET in out

    for number in (1, 2):
        cl.expect(lambda n=number: kernel(n), "no route {}".format(number))
    before = bfd_peer(r1, TARGET)
    changes = cl.summary(r1)["routes"]
    for line in ("no cluster track t1", "no cluster probe b1"):
        assert cl.configure(r1, line) == ""
    cl.expect(lambda: not kernel(1), "the track's own route stays")
    cl.stays(
        lambda: kernel(2) and bfd_peer(r1, TARGET)["status"] == "up",
        "the other track's route or session ends",
        1,
    )
    after = bfd_peer(r1, TARGET)
    assert after["id"] == before["id"], "another session: {}".format(after)
    assert after["uptime"] >= before["uptime"], "it was interrupted"
    now = cl.summary(r1)["routes"]
    assert now["addsSent"] == changes["addsSent"], "routes were sent again"
    assert now["deletesSent"] == changes["deletesSent"] + 1, now
    for line in ("no cluster track t2", "no cluster probe b2"):
        assert cl.configure(r1, line) == ""
    cl.expect(lambda: bfd_peer(r1, TARGET) is None, "the session stays")


def test_edited_bfd(r1):
    "Another profile, another source: a new session, and no failure (case 6)."
    name = "edited"
    watch(r1, name, "type bfd", "target " + TARGET, "profile fast")
    before = expect_verdict(r1, name, "up", "the session is up")["transitions"]
    for line in ("profile other", "source 203.0.113.1", "no source", "profile fast"):
        session = bfd_peer(r1, TARGET)["id"]
        watch(r1, name, line)
        cl.expect(
            lambda s=session: bfd_peer(r1, TARGET)["id"] != s
            and bfd_peer(r1, TARGET)["status"] == "up",
            "no new session by `{}`".format(line),
        )
        seen = expect_verdict(r1, name, "up", line)
        assert seen["transitions"] == before, "down by `{}`: {}".format(line, seen)
    # A session that doesn't come up is one.
    watch(r1, name, "source 203.0.113.77")
    expect_verdict(r1, name, "down", "there is no such address")


def test_edited_route(r1):
    "Another route that is there, and another interface that is up: no failure."
    places = ("192.0.2.0/25", "192.0.2.128/25", "2001:db8:7::/48", "0.0.0.0/0")
    add = "ip route add {} via {}"
    for prefix in places:
        gateway = TARGET_V6 if ":" in prefix else TARGET
        r1.net.cmd_raises(add.format(prefix, gateway))
    try:
        watch(r1, "edited", "type route", "prefix " + places[0])
        watch(r1, "edited-if", "type interface", "interface r1-eth1")
        before = expect_verdict(r1, "edited", "up", "the route is there", NONE)
        expect_verdict(r1, "edited-if", "up", "the interface is up", NONE)
        for prefix in places[1:]:
            passes = cl.instance(r1, "edited", NONE)["passes"]
            watch(r1, "edited", "prefix " + prefix)
            cl.expect(
                lambda n=passes: cl.instance(r1, "edited", NONE)["passes"] > n,
                "{} isn't looked at".format(prefix),
            )
            seen = expect_verdict(r1, "edited", "up", prefix, NONE)
            assert seen["transitions"] == before["transitions"], (prefix, seen)
        watch(r1, "edited-if", "interface r1-eth0")
        cl.expect(
            lambda: cl.instance(r1, "edited-if", NONE)["passes"] > 1, "not looked at"
        )
        seen = cl.instance(r1, "edited-if", NONE)
        assert (seen["verdict"], seen["transitions"]) == ("up", 1), seen
        watch(r1, "edited", "prefix 192.0.2.64/26")
        expect_verdict(r1, "edited", "down", "there is no such route", NONE)
    finally:
        for prefix in places:
            r1.net.cmd_status("ip route del " + prefix, warn=False)


def out_of_config(r1, name):
    "Deletes a probe."
    return cl.configure(r1, "no cluster probe " + name)


def test_bfdd_killed(r1):
    "bfdd gone is a failure of its own kind; when it is back the session is, too."
    watch(r1, "bfd3", "type bfd", "target " + TARGET, "profile fast")
    expect_verdict(r1, "bfd3", "up", "the session is up")
    cl.end_daemon(r1, "bfdd", signal.SIGKILL)
    seen = expect_verdict(r1, "bfd3", "down", "bfdd is dead")
    assert "bfdd is not running" in seen["why"] and seen["local"] == 1, seen
    cl.start_daemon(r1, "bfdd")
    expect_verdict(r1, "bfd3", "up", "bfdd is back")


@pytest.fixture(name="dns", scope="module")
def fixture_dns():
    "A DNS server on r2."
    server = lib_probe.dns_server(cl.usable().gears["r2"], TARGET, TARGET_V6)
    yield server
    server.kill()
    server.wait()


@pytest.mark.parametrize("target", [TARGET, TARGET_V6], ids=["IPv4", "IPv6"])
def test_dns(r1, dns, target):
    "The answer, and every way of not getting it, told apart."
    assert dns.poll() is None, "dnsmasq doesn't run"
    name = "dns4" if target == TARGET else "dns6"
    configure(r1, name, "type dns", "target " + target, "timeout 1000")
    cl.expect(
        lambda: "dns needs a name" in cl.instance(r1, name, target)["why"],
        "it isn't said what is missing",
    )
    configure(r1, name, "dns-name www.example.com")
    seen = expect_verdict(r1, name, "up", "the name has an address", target)
    assert seen["lastDetail"] == "192.0.2.80", "answer: {}".format(seen)

    for lines, kind, text in (
        (["dns-answer 192.0.2.81"], "response", "answer 192.0.2.80, not 192.0.2.81"),
        (["dns-answer 192.0.2.80"], None, "192.0.2.80"),
        (["dns-type aaaa", "dns-answer 2001:db8:80::80"], None, "2001:db8:80::80"),
        (["dns-type txt", "dns-answer TWO"], "response", "not TWO"),
        (["no dns-answer"], None, "v=one"),
        (["dns-name nosuch.example.com"], "response", "NXDOMAIN"),
        (["dns-type a", "dns-name www.example.net"], "response", "REFUSED"),
        # whatever its place in the answer
        (["dns-name many.example.com", "dns-answer 192.0.2.100"], None, "192.0.2.100"),
        (["dns-answer 192.0.2.123"], None, "192.0.2.123"),
        (["dns-name most.example.com", "dns-answer 198.18.0.0"], None, "198.18.0.0"),
        (["dns-answer 198.18.2.99"], None, "198.18.2.99"),
        (["dns-answer 198.18.3.0"], "response", "not 198.18.3.0"),
        (["no dns-answer", "dns-name alias.example.com"], "response", "no such record"),
        (["dns-name www.example.com", "port 54"], "refused", "refused"),
        (["no port"], None, "192.0.2.80"),
    ):
        configure(r1, name, *lines)
        cl.expect(
            lambda t=text, k=kind: t in cl.instance(r1, name, target)["lastDetail"]
            and cl.instance(r1, name, target)["lastResult"] == (k or "pass"),
            "{}: not {} {!r}: {}".format(
                lines, kind or "pass", text, cl.instance(r1, name, target)
            ),
        )
    configure(r1, name, "timeout 90")
    dns.send_signal(signal.SIGSTOP)
    try:
        seen = expect_verdict(r1, name, "down", "the server is silent", target)
    finally:
        dns.send_signal(signal.SIGCONT)
    assert seen["lastResult"] == "timeout", "kind: {}".format(seen)
    expect_verdict(r1, name, "up", "the server answers again", target)
    configure(
        r1,
        name,
        "source " + ("203.0.113.66" if ":" not in target else "2001:db8:2::66"),
    )
    seen = expect_verdict(r1, name, "down", "the source isn't ours", target)
    assert seen["lastResult"] == "local" and "assign" in seen["lastDetail"], seen


def heartbeats(r1, name, target=TARGET):
    "What the probe has heard."
    return cl.instance(r1, name, target)["heartbeat"]


@pytest.fixture(name="hearts")
def fixture_hearts():
    "Starts senders on r2, or on the node itself, that don't outlive the test."
    hearts = lib_probe.Hearts(COMMANDS["folder"])

    def start(name, to, *options, **more):
        host = cl.usable().gears["r1" if to.startswith("/") else "r2"]
        return hearts.start(host, name, to, *options, **more)

    yield start
    hearts.end()


def listen(r1, name, target, port, *lines):
    "A heartbeat probe."
    configure(
        r1,
        name,
        "type heartbeat",
        "target " + target,
        "port {}".format(port),
        "key-chain beats",
        "rise 2",
        "fall 3",
        *lines
    )


@pytest.mark.parametrize("target", [TARGET, TARGET_V6], ids=["IPv4", "IPv6"])
def test_heartbeat(r1, hearts, target):
    "Up while they come; down when the sender is killed, or the service ends."
    name = "beat4" if target == TARGET else "beat6"
    to = "203.0.113.1:7401" if target == TARGET else "[2001:db8:2::1]:7401"
    configure(r1, name, "type heartbeat", "target " + target)
    for line, missing in (
        ("port 7401", "heartbeat needs a port"),
        ("key-chain beats", "heartbeat needs a key-chain"),
    ):
        cl.expect(
            lambda t=missing: t in cl.instance(r1, name, target)["why"],
            "it isn't said what is missing: " + missing,
        )
        configure(r1, name, line)
    listen(r1, name, target, 7401)
    seen = expect_verdict(r1, name, "down", "nobody sends", target)
    cl.expect(
        lambda: "no heartbeat for" in cl.instance(r1, name, target)["why"],
        "reason: {}".format(seen),
    )
    heart = hearts(name, to)
    expect_verdict(r1, name, "up", "the service lives", target)
    before = cl.instance(r1, name, target)["transitions"]
    cl.stays(lambda: cl.verdict_is(r1, name, target, "up"), "it doesn't stay up", 1)
    assert cl.instance(r1, name, target)["transitions"] == before, "it flaps"
    assert sum(heartbeats(r1, name, target)["rejected"].values()) == 0, "rejects"

    heart.end(signal.SIGKILL)
    seen = expect_verdict(r1, name, "down", "the sender is dead", target)
    assert "no heartbeat for" in seen["why"] and seen["timeouts"] >= 1, seen
    assert heartbeats(r1, name, target)["state"] == "missing", seen

    # With an interval that nothing could wait for, the goodbye is at once.
    configure(r1, name, "interval 600000", "timeout 600000")
    heart = hearts(name, to)
    expect_verdict(r1, name, "up", "the service lives again", target)
    for pid in cl.expect(heart.children, "the command isn't there"):
        heart.host.net.cmd_raises("kill {}".format(pid))
    seen = expect_verdict(r1, name, "down", "the service has ended", target)
    assert "goodbye" in seen["why"] and seen["notUp"] >= 1, seen
    assert heart.process.wait() == 128 + signal.SIGTERM, "its exit status"
    shown = cl.vtysh(r1, "show cluster probe " + name)
    assert "Heartbeats: goodbye" in shown, shown


def test_heartbeat_unix(r1, hearts):
    "Over a Unix socket: restarts, a file that was removed, one that is in use."
    folder = os.path.join(COMMANDS["folder"], "run")
    path, local = os.path.join(folder, "beats"), "127.0.0.1"
    r1.net.cmd_raises("install -d -o frr " + folder)
    configure(r1, "unix", "type heartbeat", "target " + local, "key-chain beats")
    configure(r1, "unix", "port 7404", "socket " + path)
    cl.expect(
        lambda: "a port or a socket, not both" in cl.instance(r1, "unix", local)["why"],
        "port and socket",
    )
    configure(r1, "unix", "no port", "rise 2", "fall 3")
    heart = hearts("unix", path)
    expect_verdict(r1, "unix", "up", "the service lives", local)
    mode = r1.net.cmd_raises("stat -c %F,%a,%U " + path).strip()
    assert mode == "socket,666,frr", "the socket: " + mode
    assert "Listens at " + path in cl.vtysh(r1, "show cluster probe unix")

    # what is rejected says where
    hearts("unix", path, key="another-secret")
    cl.expect(
        lambda: heartbeats(r1, "unix", local)["rejected"]["badMac"] > 0,
        "a forged one isn't counted",
    )
    assert "heartbeat of unix at {} rejected: wrong key".format(path) in cl.log_of(r1)

    # killed, it leaves its file, and the next one takes its place
    cl.end_daemon(r1, "clusterd", signal.SIGKILL)
    r1.net.cmd_raises("test -S " + path)
    cl.start_daemon(r1, "clusterd", load=False)
    beats = "key chain beats\nkey 1\nkey-string a-secret-of-this-test\n"
    beats += "cryptographic-algorithm hmac-sha-256\nexit\nexit\n"
    cl.load_file(r1, beats)
    configure(r1, "unix", "type heartbeat", "target " + local, "key-chain beats")
    configure(r1, "unix", "socket " + path, "interval 100", "rise 2", "fall 3")
    expect_verdict(r1, "unix", "up", "clusterd was restarted", local)

    # a file that goes is made again
    r1.net.cmd_raises("rm " + path)
    cl.expect(
        lambda: r1.net.cmd_status("test -S " + path, warn=False)[0] == 0,
        "the socket isn't made again",
    )
    expect_verdict(r1, "unix", "up", "the socket is there again", local)
    for pid in cl.expect(heart.children, "the command isn't there"):
        r1.net.cmd_raises("kill {}".format(pid))
    seen = expect_verdict(r1, "unix", "down", "the service has ended", local)
    assert "goodbye" in seen["why"], seen

    # with the probe it goes
    configure(r1, "unix", "no socket")
    cl.expect(
        lambda: r1.net.cmd_status("test -e " + path, warn=False)[0] != 0,
        "the socket is left",
    )
    # what isn't ours is left alone
    r1.net.cmd_raises("touch " + path)
    configure(r1, "unix", "socket " + path)
    cl.expect(
        lambda: "is no socket" in cl.instance(r1, "unix", local)["lastDetail"],
        "a file in the way",
    )
    assert cl.instance(r1, "unix", local)["lastResult"] == "local"
    r1.net.cmd_raises("test -f {0} && rm {0}".format(path))
    other = r1.net.popen(
        [
            "python3",
            "-c",
            "import socket as s, signal; a = s.socket(s.AF_UNIX, s.SOCK_DGRAM);"
            "a.bind('{0}2'); import os; os.chmod('{0}2', 0o666); os.rename('{0}2', '{0}.other');"
            "signal.pause()".format(path),
        ]
    )
    try:
        cl.expect(
            lambda: r1.net.cmd_status("test -S {}.other".format(path), warn=False)[0]
            == 0,
            "the other listener doesn't start",
        )
        configure(r1, "unix", "socket {}.other".format(path))
        cl.expect(
            lambda: "somebody else listens at"
            in cl.instance(r1, "unix", local)["lastDetail"],
            "a socket of somebody else",
        )
        r1.net.cmd_raises("test -S {}.other".format(path))
    finally:
        other.kill()
        other.wait()
    hearts("unix", path + ".other")
    expect_verdict(r1, "unix", "up", "the other one has ended", local)


def test_heartbeat_rejected(r1, hearts):
    """
    A wrong key, an unknown name or key, garbage, a repetition: counted, and
    never believed; several probes share a port.
    """
    to = "203.0.113.1:7402"
    listen(r1, "good", TARGET, 7402)
    listen(r1, "forged", TARGET, 7402, "start up")
    listen(r1, "nokey", TARGET, 7402, "source 203.0.113.1", "port 7403")
    hearts("good", to)
    hearts("forged", to, key="another-secret")
    hearts("stranger", to)
    hearts("nokey", "203.0.113.1:7403", "--key-id", "2")
    for name, why in (("forged", "wrong key"), ("nokey", "no such key")):
        cl.expect(
            lambda n=name, w=why: cl.verdict_is(r1, n, TARGET, "down")[0]
            and "last rejected: " + w in cl.instance(r1, n, TARGET)["lastDetail"],
            "{}: {}".format(name, why),
        )
    expect_verdict(r1, "good", "up", "its own sender is good")
    cl.expect(
        lambda: heartbeats(r1, "good")["rejected"]["unknown"] > 0,
        "the stranger isn't counted",
    )
    assert heartbeats(r1, "forged")["received"] == 0, "a forged one was believed"
    assert heartbeats(r1, "forged")["rejected"]["badMac"] > 0, "not counted"

    # A recorded goodbye and a recorded heartbeat, played again.
    r1.net.cmd_raises(
        """python3 -B -c '
import importlib.machinery, importlib.util, socket, time
loader = importlib.machinery.SourceFileLoader("sender", "{}")
sender = importlib.util.module_from_spec(
    importlib.util.spec_from_loader("sender", loader))
loader.exec_module(sender)
now = time.time_ns() // 1000
key = b"a-secret-of-this-test"
sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sock.connect(("203.0.113.1", 7402))
for at, alive in ((now + 10000000, True), (now + 10000000, False),
                  (now - 1000000, False), (now + 60000000, False)):
    sock.send(sender.build(key, 1, "good", "{}", at, alive))
sock.send(b"FCHB")
sock.send(b"x" * 2000)
'""".format(
            lib_probe.SENDER, TARGET
        )
    )
    cl.expect(
        lambda: heartbeats(r1, "good")["rejected"]["malformed"] == 2,
        "garbage isn't counted: {}".format(heartbeats(r1, "good")),
    )
    rejected = heartbeats(r1, "good")["rejected"]
    assert rejected["replay"] >= 2 and rejected["clock"] == 1, rejected
    before = heartbeats(r1, "good")
    probes = operational(r1, "frr-clusterd-probe", "cluster-probes")["probe"]
    (entry,) = by_key(probes, "name")[("good",)]["state"]["instance"]
    after = heartbeats(r1, "good")
    assert entry["heartbeat-state"] in (before["state"], after["state"]), entry
    assert TIME.search(entry["heartbeat-last"]), entry
    expect_same(r1, "probe")
    for leaf, key in (("no-key", "noKey"), ("bad-mac", "badMac")):
        for seen in (before, after):
            seen["rejected"][leaf] = seen["rejected"].pop(key)
    for seen in (before, after):
        seen["rejected"]["received"] = seen["received"]
    for leaf, value in before["rejected"].items():
        number = int(entry["heartbeats-" + leaf])
        assert value <= number <= after["rejected"][leaf], (leaf, entry, after)

    # Its true sender is 10 s behind what was believed.
    seen = expect_verdict(r1, "good", "down", "only old ones come")
    assert "last rejected: old or repeated" in seen["why"], seen
    expect_verdict(r1, "good", "up", "its clock has passed that")
