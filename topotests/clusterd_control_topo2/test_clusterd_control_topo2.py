# SPDX-License-Identifier: GPL-2.0-or-later
"""
Sessions between real daemons against who is on the way: replay, forgery,
floods; keys that change; who is accepted.

    r2 --- r1 --- h1      (one switch)

r2 dials r1.  h1 has no key, but everything that r1 and r2 ever said.
"""

import os
import signal
import subprocess
import time

import ctl_wire
import lib_cluster as cl
from lib_control import counters, is_down, is_up, node, own_ids, session

HERE = os.path.dirname(os.path.abspath(__file__))
WIRE = os.path.join(HERE, "ctl_wire.py")
FLOOD = "/tmp/ctl_flood"
CAPTURED, PICKED = "/tmp/control-captured", "/tmp/control-picked"
NAMES = ("r1", "r2")
REFUSED = (
    "rxBadLength rxForeign rxUnknownVersion rxUnknownType rxMalformed rxUnknownKey"
    " rxWrongMac rxLimited rxReflected rxBadCookie rxReplayed rxUnknownSession"
    " rxUnknownLink rxUnexpected"
).split()


def build(tgen):
    "r1, r2 and h1 on one switch"
    switch = tgen.add_switch("s1")
    for name in NAMES:
        switch.add_link(tgen.add_router(name))
    tgen.add_host("h1", ip="192.0.2.9/24", defaultRoute="via 192.0.2.1")
    switch.add_link(tgen.gears["h1"])


def setup_module(module):
    "Start all."
    subprocess.run(
        ["cc", "-O2", "-Wall", "-o", FLOOD, os.path.join(HERE, "ctl_flood.c")],
        check=True,
    )
    cl.start(
        module,
        build,
        {name: ["zebra", "clusterd"] for name in NAMES},
        prepare=own_ids(NAMES),
    )


def teardown_module(_module):
    "End."
    cl.stop()


def gears():
    "r1, r2, h1"
    tgen = cl.usable()
    return tgen.gears["r1"], tgen.gears["r2"], tgen.gears["h1"]


def both_up(r1, r2):
    "The session is as it should be."
    cl.expect(is_up(r1, node(r2)), "r1 has no session with r2")
    cl.expect(is_up(r2, node(r1)), "r2 has no session with r1")


class Capture:
    "What passes r1's interface while it lasts."

    def __init__(self, router, path=CAPTURED):
        self.path = path
        if os.path.exists(path):
            os.unlink(path)
        self.process = router.net.popen(
            ["/usr/bin/python3", WIRE, "capture", "r1-eth0", path]
        )
        cl.expect(lambda: os.path.exists(path), "nothing can be captured")

    def __enter__(self):
        return self

    def packets(self, outgoing=False):
        "What came in, or went out, so far."
        return [p for out, p in ctl_wire.records(self.path) if out == outgoing]

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def replay(host, packets):
    "All of them from the host, once more."
    ctl_wire.write(PICKED, packets)
    host.net.cmd_raises("/usr/bin/python3 {} replay {}".format(WIRE, PICKED))


def hellos(packets):
    "How many of them may be answered whenever they come."
    return sum(ctl_wire.payload(packet)[3] == 1 for packet in packets)


def refused(router):
    "How many datagrams, for whatever reason."
    seen = counters(router)
    return sum(seen[name] for name in REFUSED)


def refuses(router, before, count):
    "A check: so many more were refused."
    return lambda: (refused(router) >= before + count, counters(router))


def life_of_a_session(r1, r2):
    "Everything that r2 says in its life: hello to goodbye."
    other = node(r2)
    cl.end_daemon(r2, "clusterd")
    cl.expect(is_down(r1, other, "stopped"), "no goodbye")
    with Capture(r1) as capture:
        cl.start_daemon(r2, "clusterd")
        both_up(r1, r2)
        cl.end_daemon(r2, "clusterd")
        cl.expect(is_down(r1, other, "stopped"), "no goodbye")
        packets = [p for p in capture.packets() if ctl_wire.source(p) == "192.0.2.2"]
    types = {ctl_wire.payload(packet)[3] for packet in packets}
    assert {1, 3, 5, 7} <= types, "not all of a life: {}".format(types)
    return packets


def test_replay():
    "What was recorded is worth nothing, in a session, without, after a restart."
    r1, r2, h1 = gears()
    both_up(r1, r2)
    other = node(r2)
    packets = life_of_a_session(r1, r2)
    size = sum(len(ctl_wire.payload(packet)) for packet in packets)

    # r2 is dead; twice, the second time to a r1 that has never heard of it
    for again in (False, True):
        if again:
            cl.end_daemon(r1, "clusterd", signal.SIGKILL)
            cl.start_daemon(r1, "clusterd")
        before = refused(r1)
        with Capture(r1, "/tmp/control-answers") as answers:
            replay(h1, packets)
            count = len(packets) - hellos(packets)
            cl.expect(refuses(r1, before, count), "replayed, and taken")
            sent = sum(len(ctl_wire.payload(p)) for p in answers.packets(True))
        seen = cl.vtysh_json(r1, "show cluster control sessions json").get(other)
        assert not seen or not seen["up"], "up by a replay: {}".format(seen)
        assert not again or seen is None, "state for a stranger: {}".format(seen)
        assert 0 < sent <= size, "{} octets answered by {}".format(size, sent)

    # r2 is there
    cl.vtysh(r1, "debug cluster control")
    cl.start_daemon(r2, "clusterd")
    both_up(r1, r2)
    ups, before = session(r1, other)["ups"], refused(r1)
    with Capture(r1) as capture:
        cl.expect(lambda: len(capture.packets()) > 4, "r2 says nothing")
        packets += capture.packets()
    replay(h1, packets)
    count = len(packets) - hellos(packets)
    cl.expect(refuses(r1, before, count), "replayed, and taken")
    assert counters(r1)["rxReplayed"] > 0, "nothing of this session was replayed"
    seen = session(r1, other)
    assert seen["up"] and seen["ups"] == ups, "the session suffers: {}".format(seen)
    log = [line for line in cl.log_of(r1).splitlines() if "control: " in line]
    found = [line for line in log if "node {}: rxReplayed".format(other) in line]
    assert found, "debug says nothing of replays: {}".format(log)
    assert not any("sesame" in line for line in log), "the key is in the log"
    cl.vtysh(r1, "no debug cluster control")


def cpu(router):
    "Seconds of CPU that clusterd has had."
    text = router.net.cmd_raises(
        "cat /proc/{}/schedstat".format(cl.pid_of(router, "clusterd"))
    )
    return int(text.split()[0]) / 1e9


def test_flood():
    "Forged and damaged by the million: the session lives, and the CLI answers."
    r1, r2, h1 = gears()
    both_up(r1, r2)
    with Capture(r1) as capture:
        cl.expect(lambda: len(capture.packets()) > 3, "r2 says nothing")
        packets = capture.packets()
    with open(PICKED, "wb") as file:
        for packet in packets:
            data = ctl_wire.payload(packet)
            file.write(len(data).to_bytes(2, "big") + data)
    before, was, used = counters(r1), session(r1, node(r2)), cpu(r1)
    count = os.environ["CLUSTER_FLOOD"]
    process = h1.net.popen(
        ["/usr/bin/env", FLOOD, PICKED, "192.0.2.1", "192.0.2.2", count, "600"],
        stdout=subprocess.PIPE,
    )
    worst, began_all = 0, time.monotonic()
    while process.poll() is None:
        began = time.monotonic()
        seen = session(r1, node(r2))
        worst = max(worst, time.monotonic() - began)
        assert seen["up"] and seen["ups"] == was["ups"], "lost: {}".format(seen)
    took = time.monotonic() - began_all
    sent = int(process.stdout.read())
    after, seen = counters(r1), session(r1, node(r2))
    came = after["rx"] - before["rx"]
    print(
        "{} sent in {:.1f} s, {} arrived and took {:.2f} s of CPU,"
        " show took {:.2f} s at worst: {}".format(
            sent,
            took,
            came,
            cpu(r1) - used,
            worst,
            {name: after[name] - before[name] for name in REFUSED},
        )
    )
    assert came > sent / 100, "next to nothing arrived"
    assert seen["links"][0]["rx"] > was["links"][0]["rx"], "no keepalive came through"
    # what wasn't refused is the session's own
    own = came - sum(after[name] - before[name] for name in REFUSED)
    assert own <= 2 * (seen["links"][0]["rx"] - was["links"][0]["rx"]) + 10, after
    for name in ("rxWrongMac", "rxBadLength", "rxForeign", "rxUnknownKey", "rxLimited"):
        assert after[name] > before[name], "{} didn't rise: {}".format(name, after)
    # (a forged logical ID is nobody's)
    known = cl.vtysh_json(r1, "show cluster control sessions json")
    assert list(known) == [node(r2)], "others are known: {}".format(known)
    both_up(r1, r2)
    summary = cl.summary(r1)["control"]
    assert summary["sessionsUp"] == 1 and summary["running"], summary


def lifetime(begin, end):
    "As FRR has it typed; 0: long ago, or never."
    form = "%H:%M:%S %-d %B %Y"
    first = time.strftime(form, time.localtime(begin or time.time() - 86400))
    last = time.strftime(form, time.localtime(end)) if end else "infinite"
    return first + " " + last


def key(number, text, send, accept):
    "The lines of a key."
    return [
        "key {}".format(number),
        "cryptographic-algorithm hmac-sha-256",
        "key-string " + text,
        "send-lifetime " + lifetime(*send),
        "accept-lifetime " + lifetime(*accept),
        "exit",
    ]


def test_key_roll_over():
    "Lifetimes change the key between real daemons, and no datagram is lost."
    r1, r2, _ = gears()
    both_up(r1, r2)
    change = int(time.time()) + 8
    for router in (r1, r2):
        out = cl.configure(
            router,
            "key chain nodes",
            *key(1, "sesame", (0, change), (0, change + 3)),
            *key(2, "open-up", (change, 0), (0, 0))
        )
        assert out == "", "refused: " + out
    was = {router.name: counters(router) for router in (r1, r2)}
    ups = session(r1, node(r2))["ups"]
    with Capture(r1) as capture:

        def keys():
            return [ctl_wire.payload(p)[-33] for p in capture.packets()]

        # well after the end of the old one
        cl.expect(lambda: keys().count(2) > 6, "the new key isn't sent", timeout=60)
        order = keys()
        assert order == sorted(order) and 1 in order, "mixed: {}".format(order)
    for router in (r1, r2):
        seen = counters(router)
        for name in ("rxUnknownKey", "rxWrongMac", "txNoKey"):
            assert seen[name] == was[router.name][name], "lost: {}".format(seen)
    assert session(r1, node(r2))["ups"] == ups, "the session was lost"

    # and one that has expired, at r1 only
    cl.configure(r1, "key chain nodes", *key(2, "open-up", (0, 0), (0, change)))
    cl.expect(is_down(r1, node(r2), "dead"), "an expired key does no harm")
    assert counters(r1)["rxUnknownKey"] > 0, "it isn't counted"
    cl.configure(r1, "key chain nodes", *key(2, "open-up", (0, 0), (0, 0)))
    both_up(r1, r2)


def without_log(text):
    "A configuration but for the log, which the framework sets for each daemon."
    return "\n".join(x for x in text.splitlines() if not x.startswith("log "))


def test_accept_list():
    "Who isn't on it has no session; it survives a restart, and is written once."
    r1, r2, _ = gears()
    both_up(r1, r2)
    other, ups = node(r2), session(r1, node(r2))["ups"]
    cl.configure(r1, "ip prefix-list nodes seq 5 permit 192.0.2.0/24")
    out = cl.configure(r1, "cluster control", "accept prefix-list nodes")
    assert out == "", "refused: " + out
    cl.configure(r1, "ip prefix-list nodes seq 4 permit 192.0.2.9/32")
    cl.stays(is_up(r1, other), "a session that is permitted ends", 2)
    assert session(r1, other)["ups"] == ups, "it was up anew"

    cl.configure(r1, "ip prefix-list nodes seq 3 deny 192.0.2.2/32")
    cl.expect(is_down(r1, other, "not permitted"), "it goes on", timeout=cl.AT_ONCE)
    cl.expect(
        lambda: cl.vtysh_json(r2, "show cluster control json")["peers"][0]["refused"]
        == "not permitted",
        "r2 doesn't know why",
    )
    assert counters(r1)["rxNotPermitted"] > 0, "not counted"
    # whom r1 itself dials
    cl.configure(r1, "cluster control", "peer 192.0.2.2")
    both_up(r1, r2)
    cl.configure(r1, "cluster control", "no peer 192.0.2.2")
    cl.expect(is_down(r1, other, "closed"), "it goes on")

    text = without_log(cl.running_config(r1))
    cl.vtysh(r1, "write memory")
    cl.end_all(r1)
    said = cl.start_all(r1)
    assert said == "", "the configuration is refused: " + said
    again = without_log(cl.running_config(r1))
    assert again == text, "something is lost: {}".format(again)
    for line in (
        "ip prefix-list nodes seq 3 deny 192.0.2.2/32",
        "ip prefix-list nodes seq 5 permit 192.0.2.0/24",
        " accept prefix-list nodes",
        "key chain nodes",
    ):
        assert text.count("\n" + line + "\n") == 1, line + " is not in:\n" + text
    was = counters(r1)["rxNotPermitted"]
    cl.expect(
        lambda: counters(r1)["rxNotPermitted"] > was, "r2 isn't refused after a restart"
    )
    out = cl.configure(r1, "no ip prefix-list nodes seq 3")
    assert out == "", out
    both_up(r1, r2)

    cl.configure(r1, "no ip prefix-list nodes")
    cl.expect(is_down(r1, other, "not permitted"), "without the list it goes on")
    seen = cl.vtysh_json(r1, "show cluster control json")
    assert "no such prefix-list" in seen["acceptProblem"], seen
    cl.configure(r1, "cluster control", "no accept prefix-list")
    both_up(r1, r2)
