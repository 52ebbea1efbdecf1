# SPDX-License-Identifier: GPL-2.0-or-later
"""
Sessions of the control protocol between real daemons.

    r2 --- r1 --- r3      (one switch)

r2 dials r1 by IPv4 and IPv6: one session of two links; r3 dials it by IPv4.
"""

import os
import re
import shutil
import signal
import time
import uuid

import lib_cluster as cl
from lib_oper import (
    LISTENER,
    TIME,
    by_key,
    check_leaves,
    metrics,
    notifications,
    number,
    operational,
    value,
)
from lib_control import (
    DIR,
    Deaf,
    counters,
    is_down,
    is_up,
    node,
    own_ids,
    session,
)
from lib_same import expect_same

NAMES = ("r1", "r2", "r3")


def build(tgen):
    "r1, r2, r3 on one switch"
    switch = tgen.add_switch("s1")
    for name in NAMES:
        switch.add_link(tgen.add_router(name))


def setup_module(module):
    "Start all."
    cl.start(
        module,
        build,
        {name: ["zebra", "clusterd"] for name in NAMES},
        prepare=own_ids(NAMES),
        options=LISTENER,
    )


def teardown_module(_module):
    "End."
    cl.stop()


def gears():
    "r1, r2, r3"
    tgen = cl.usable()
    return [tgen.gears[name] for name in NAMES]


def all_up(r1, r2, r3):
    "Every session is as it should be."
    for router, other, links in ((r1, r2, 2), (r2, r1, 2), (r1, r3, 1), (r3, r1, 1)):
        cl.expect(
            is_up(router, node(other), links),
            "{} has no session with {}".format(router.name, other.name),
        )


def test_sessions():
    "Each node has an ID of its own; two addresses are two links of a session."
    r1, r2, r3 = gears()
    ids = {node(router) for router in (r1, r2, r3)}
    assert len(ids) == 3, "logical IDs are not unique: {}".format(ids)
    assert all(uuid.UUID(i).version == 4 for i in ids), "not random: {}".format(ids)
    all_up(r1, r2, r3)
    assert session(r1, node(r2))["ups"] == 1, "two sessions for two links"


def control_state(router):
    "Operational data: of the protocol, and its configured peers."
    data = operational(router, "frr-clusterd-control", "cluster-control")
    return data["state"], by_key(data.get("peer", []), "address")


def above(limit):
    "A number of 64 bits, which is a string in JSON."
    return lambda value: number(value) > limit


def test_operational_of_node():
    "Every leaf of who dials: the node, its sockets and its peers."
    r1, r2, r3 = gears()
    all_up(r1, r2, r3)
    state, peers = control_state(r2)
    for address in ("192.0.2.1", "2001:db8::1"):
        check_leaves(peers[(address,)]["state"], {"status": "joined", "node": node(r1)})
    sockets = by_key(state.pop("socket"), "address")
    assert set(sockets) == {("192.0.2.2",), ("2001:db8::2",)}, "sockets"
    for (address,), entry in sockets.items():
        check_leaves(
            entry,
            {
                "vrf": "default",
                "address": address,
                "port": 8484,
                "open": True,
                "rx": above(0),
                "tx": above(0),
                "tx-errors": "0",
            },
        )
    del state["session"], state["counter"]
    check_leaves(state, {"id": node(r2), "id-kept": True, "running": True})


def test_operational_of_session():
    "Every leaf of a session and of its links, at the side that was dialled."
    r1, r2, r3 = gears()
    all_up(r1, r2, r3)
    state, _ = control_state(r1)
    sessions = by_key(state["session"], "id")
    assert set(sessions) == {(node(r2),), (node(r3),)}, "sessions: {}".format(state)
    entry = sessions[(node(r2),)]
    links = by_key(entry.pop("link"), "remote")
    check_leaves(
        entry,
        {
            "id": node(r2),
            "status": "up",
            "up": True,
            "last-change": TIME,
            "last-reason": "none",
            "ups": "1",
            "dead": 7000,
            "keepalive": 1000,
            "their-keepalive": 1000,
            "items-rx": lambda value: number(value) >= 0,
            "items-tx": lambda value: number(value) >= 0,
            "items-resent": lambda value: number(value) >= 0,
            "items-queued": 0,
        },
    )
    own = {"192.0.2.2": "192.0.2.1", "2001:db8::2": "2001:db8::1"}
    assert set(links) == {(remote,) for remote in own}, "links: {}".format(links)
    for (remote,), link in links.items():
        check_leaves(
            link,
            {
                "local": own[remote],
                "remote": remote,
                "port": 8484,
                "up": True,
                "dialled": False,
                "hears-us": True,
                "last-change": TIME,
                "last-heard": TIME,
                "rx": above(0),
                "tx": above(0),
            },
        )
    values = by_key(state["counter"], "name")
    shown = counters(r1)
    assert {name for (name,) in values} == set(shown), "counters: {}".format(values)
    for name, value in shown.items():
        seen = number(values[(name,)]["value"])
        assert seen <= value, "{}: {} before {}".format(name, seen, value)
        assert seen or not value or name != "rx", "nothing came in: {}".format(values)


def session_state(router, other):
    "Operational data of the session with the other one: itself, links by address."
    return session_state_of(router, node(other))


def session_state_of(router, name):
    "The same with that ID."
    state, _ = control_state(router)
    entry = by_key(state["session"], "id")[(name,)]
    return entry, by_key(entry.get("link", []), "remote")


def expect_session(router, other, wanted):
    "Waits for these leaves of the session."

    def check():
        entry, _ = session_state(router, other)
        check_leaves({leaf: entry[leaf] for leaf in wanted}, wanted)
        return entry

    cl.expect(check, "{}: no {}".format(router.name, wanted))


def expect_peer(router, address, wanted):
    "Waits until these are the leaves of who is dialled."

    def check():
        check_leaves(control_state(router)[1][(address,)]["state"], wanted)
        return True

    cl.expect(check, "{}: peer {} isn't {}".format(router.name, address, wanted))


def test_same_as_show():
    "What `show` knows, YANG knows, and the other way round."
    routers = gears()
    all_up(*routers)
    for router in routers:
        expect_same(router, "control")


def test_operational_of_an_opening():
    """
    r3 starts anew and hears nothing but challenges: it asks for sessions, and gets none.
    r1 keeps the one before until it is dead.
    """
    r1, r2, r3 = gears()
    all_up(r1, r2, r3)
    ups = str(session(r1, node(r3))["ups"])
    cl.configure(r1, "cluster control", "timers keepalive 1000 dead 600000")
    try:
        with Deaf(r3, Deaf.ALL_BUT_CHALLENGES):
            cl.end_daemon(r3, "clusterd", signal.SIGKILL)
            cl.start_daemon(r3, "clusterd")
            renewing = {"status": "renewing", "up": True, "ups": ups, "dead": 600000}
            expect_session(r1, r3, renewing)
            expect_same(r1, "control")
            expect_peer(r3, "192.0.2.1", {"status": "opening", "node": node(r1)})
            none = {"status": "down", "up": False, "last-reason": "none", "ups": "0"}
            expect_session(r3, r1, none)
            expect_same(r3, "control")
            cl.configure(r1, "cluster control", "no timers")
            opening = {"status": "opening", "up": False, "last-reason": "dead"}
            expect_session(r1, r3, {**opening, "ups": ups})
            expect_same(r1, "control")
            text = cl.vtysh(r1, "show cluster control sessions")
            assert re.search("%s  opening .* dead$" % node(r3), text, re.M), text
    finally:
        cl.configure(r1, "cluster control", "no timers")
    all_up(r1, r2, r3)


def test_operational_of_timers():
    "Each side says its own interval; the other's is shown, too."
    r1, r2, r3 = gears()
    all_up(r1, r2, r3)
    cl.configure(r3, "cluster control", "timers keepalive 400 dead 5000")
    try:
        theirs = {"dead": 7000, "keepalive": 1000, "their-keepalive": 400}
        expect_session(r1, r3, {**theirs, "status": "up"})
        ours = {"dead": 5000, "keepalive": 400, "their-keepalive": 1000}
        expect_session(r3, r1, {**ours, "status": "up"})
        seen = session(r3, node(r1))
        names = ("deadMsec", "keepaliveMsec", "theirKeepaliveMsec")
        assert [seen[name] for name in names] == list(ours.values()), seen
        link = session_state(r3, r1)[1][("192.0.2.1",)]
        assert link["dialled"] is True, "r3 dials: {}".format(link)
    finally:
        cl.configure(r3, "cluster control", "no timers")


FAULTS = (
    "peer 192.0.2.99",
    "peer 2001:db8::99",
    "accept prefix-list none",
    "listen 192.0.2.3",
    "listen 192.0.2.3 port 9000",
    "listen 192.0.2.33",
)


def test_operational_of_a_fault():
    "A problem, sockets that can't be, and the state of who isn't reached."
    r1, r2, r3 = gears()
    all_up(r1, r2, r3)
    cl.configure(r3, "cluster control", *FAULTS)
    try:
        expect_peer(r3, "192.0.2.99", {"status": "calling"})
        state, peers = control_state(r3)
        assert peers[("2001:db8::99",)]["state"] == {"status": "no-socket"}, peers
        expect_same(r3, "control")
        assert (
            "no such prefix-list" in state["accept-problem"]
        ), "no problem: {}".format(state)
        sockets = by_key(state["socket"], "address", "port")
        none = {"vrf": "default", "rx": "0", "tx": "0", "tx-errors": "0"}
        check_leaves(
            sockets[("192.0.2.3", 9000)],
            {**none, "address": "192.0.2.3", "port": 9000, "open": True},
        )
        entry = {"address": "192.0.2.33", "port": 8484, "open": False}
        why = re.compile("^bind: ")
        check_leaves(sockets[("192.0.2.33", 8484)], {**none, **entry, "why": why})
        # the kernel refuses to send
        r3.net.cmd_raises(
            "nft add table inet t && "
            "nft 'add chain inet t out { type filter hook output priority 0; }' && "
            "nft add rule inet t out udp dport 8484 drop"
        )
        cl.expect(
            lambda: number(
                by_key(control_state(r3)[0]["socket"], "address", "port")[
                    ("192.0.2.3", 8484)
                ]["tx-errors"]
            )
            > 0,
            "errors aren't counted",
        )
    finally:
        r3.net.cmd_status("nft delete table inet t", warn=False)
        cl.configure(
            r3, "cluster control", *("no " + line for line in reversed(FAULTS))
        )
    all_up(r1, r2, r3)


def test_a_tenth_lost():
    "nftables drops a tenth of all datagrams: nobody is taken for dead."
    r1, r2, r3 = gears()
    all_up(r1, r2, r3)
    before = {router.name: session(r1, node(router)) for router in (r2, r3)}
    came = before["r3"]["links"][0]["rx"]
    for router in (r1, r2, r3):
        router.net.cmd_raises(
            "nft add table inet t && "
            "nft 'add chain inet t in { type filter hook input priority 0; }' && "
            "nft add rule inet t in udp dport 8484 numgen random mod 10 0 counter drop"
        )
    try:
        # half a minute of keepalives
        cl.expect(
            lambda: session(r1, node(r3))["links"][0]["rx"] > came + 30,
            "no keepalives arrive",
            timeout=60,
        )
        for other in (r2, r3):
            seen = session(r1, node(other))
            ups = before[other.name]["ups"]
            assert seen["up"] and seen["ups"] == ups, "false dead: {}".format(seen)
    finally:
        for router in (r1, r2, r3):
            router.net.cmd_raises("nft delete table inet t")


def test_one_link_of_two():
    "IPv4 between r1 and r2 is cut: the session goes on over IPv6."
    r1, r2, r3 = gears()
    all_up(r1, r2, r3)
    ups = session(r1, node(r2))["ups"]
    with Deaf(r2, "ip saddr 192.0.2.1 udp dport 8484"):
        cl.expect(is_up(r1, node(r2), 1), "the link is not noticed to be down")
        seen = session(r1, node(r2))
        assert seen["ups"] == ups, "the session went down: {}".format(seen)
        # r1 hears r2 on both, and is told that r2 doesn't on one of them
        for router, other, remote, wanted in (
            (r1, r2, "192.0.2.2", {"up": True, "hears-us": False, "dialled": False}),
            (r1, r2, "2001:db8::2", {"up": True, "hears-us": True}),
            (r2, r1, "192.0.2.1", {"up": False, "dialled": True}),
        ):
            link = session_state(router, other)[1][(remote,)]
            assert wanted.items() <= link.items(), "{}: {}".format(router.name, link)
        expect_same(r1, "control")
        expect_same(r2, "control")
    cl.expect(is_up(r1, node(r2), 2), "the link doesn't come back")
    assert session(r1, node(r2))["ups"] == ups, "the session went down"


def test_clean_stop():
    "SIGTERM: a goodbye, and the other side knows at once. The ID is kept."
    r1, r2, r3 = gears()
    all_up(r1, r2, r3)
    name = node(r3)
    told = notifications(r1, "frr-clusterd-control:session-change")
    cl.end_daemon(r3, "clusterd")
    cl.expect(
        is_down(r1, name, "stopped"), "no goodbye", timeout=cl.AT_ONCE, interval=0.05
    )
    told({"id": name, "up": False, "reason": "stopped"})
    ups = str(session(r1, name)["ups"])
    down = {"up": False, "status": "down", "last-reason": "stopped", "ups": ups}
    entry, links = session_state_of(r1, name)
    assert down.items() <= entry.items() and not links, entry
    cl.start_daemon(r3, "clusterd")
    assert node(r3) == name, "another ID after a restart"
    all_up(r1, r2, r3)
    told({"id": name, "up": True})
    seen = operational(r1, "frr-clusterd", "cluster-events")["event"]
    changes = [(e["before"], e["after"]) for e in seen if e["kind"] == "control"]
    assert changes[-2:] == [("up", "down"), ("down", "up")], seen
    expect_same(r1, "events")


def test_killed():
    "kill -9: dead after the dead interval, up again after the restart."
    r1, r2, r3 = gears()
    all_up(r1, r2, r3)
    name = node(r3)
    begin = time.monotonic()
    cl.end_daemon(r3, "clusterd", signal.SIGKILL)
    cl.expect(is_down(r1, name, "dead"), "not noticed")
    seconds = time.monotonic() - begin
    assert seconds > 5.5, "dead after {} s already".format(seconds)
    cl.start_daemon(r3, "clusterd")
    all_up(r1, r2, r3)


def test_fast_restart():
    "Killed and started before anybody noticed: a new session, not the old one."
    r1, r2, r3 = gears()
    all_up(r1, r2, r3)
    name = node(r1)
    ups = session(r2, name)["ups"]
    cl.end_daemon(r1, "clusterd", signal.SIGKILL)
    cl.start_daemon(r1, "clusterd")
    cl.expect(lambda: session(r2, name)["ups"] > ups, "the restart is not noticed")
    all_up(r1, r2, r3)


def test_wrong_key():
    "Another key-string: down after the dead interval, counted, up when mended."
    r1, r2, r3 = gears()
    all_up(r1, r2, r3)
    cl.configure(r3, "key chain nodes", "key 1", "key-string wrong")
    cl.expect(is_down(r1, node(r3), "dead"), "a wrong key does no harm")
    assert counters(r1)["rxWrongMac"] > 0, "wrong MACs are not counted"
    assert session(r1, node(r2))["up"], "the others suffer"
    cl.configure(r3, "key chain nodes", "key 1", "key-string sesame")
    all_up(r1, r2, r3)


def test_no_key_chain():
    "A key chain that doesn't exist is a state, not a refusal."
    r1, r2, r3 = gears()
    all_up(r1, r2, r3)
    out = cl.configure(r3, "cluster control", "key-chain nobody")
    assert out == "", "refused: " + out
    cl.expect(
        lambda: "no such key chain"
        in cl.vtysh_json(r3, "show cluster control json")["problem"],
        "the missing key chain isn't shown",
    )
    problem = control_state(r3)[0]["problem"]
    assert "no such key chain" in problem, problem
    cl.expect(is_down(r1, node(r3), "dead"), "it goes on without keys")
    cl.configure(r3, "cluster control", "key-chain nodes")
    all_up(r1, r2, r3)


def test_metrics():
    "Numbers of every session, which go on when it ends."
    r1, r2, r3 = gears()
    all_up(r1, r2, r3)
    folder = os.path.join(r1.net.logdir, "r1", "metrics")
    path = os.path.join(folder, "clusterd.prom")
    os.makedirs(folder)
    shutil.chown(folder, "frr", "frr")
    out = cl.configure(r1, "cluster metrics file {} interval 1000".format(path))
    assert out == "", "the command says: {}".format(out)
    try:
        cl.expect(lambda: os.path.exists(path), "no file is written")
        for other, links in ((r2, 2), (r3, 1)):
            labels = {"node": node(other)}
            assert value(path, "control_session_up", **labels) == 1, metrics(path)
            assert value(path, "control_links", **labels) == links, "links"
            ups = value(path, "control_sessions_total", **labels)
            assert ups == session(r1, node(other))["ups"], "sessions"
            for direction in ("sent", "received"):
                assert (
                    value(path, "control_messages_total", direction=direction, **labels)
                    is not None
                ), direction
            assert value(path, "control_messages_resent_total", **labels) >= 0
        labels = {"node": node(r3)}
        ups = value(path, "control_sessions_total", **labels)
        cl.end_daemon(r3, "clusterd", signal.SIGKILL)
        cl.expect(
            lambda: value(path, "control_session_up", **labels) == 0, "r3 is dead"
        )
        assert value(path, "control_links", **labels) == 0, "links of the dead"
        cl.start_daemon(r3, "clusterd")
        cl.expect(
            lambda: value(path, "control_sessions_total", **labels) == ups + 1,
            "the new session isn't counted",
        )
    finally:
        cl.configure(r1, "no cluster metrics file")
        if not cl.alive(r3, "clusterd"):
            cl.start_daemon(r3, "clusterd")
    all_up(r1, r2, r3)


def test_duplicate_id():
    "r3 has a copy of r2's ID: it gets no session, and both sides show it."
    r1, r2, r3 = gears()
    all_up(r1, r2, r3)
    own, other = node(r3), node(r2)
    ups = session(r1, other)["ups"]
    cl.end_daemon(r3, "clusterd")
    r3.net.cmd_raises("echo {} >{}/node-id".format(other, DIR))
    cl.start_daemon(r3, "clusterd")
    cl.expect(
        lambda: [
            d["remote"]
            for d in cl.vtysh_json(r1, "show cluster control json")["duplicates"]
        ]
        == ["192.0.2.3"],
        "r1 doesn't show the duplicate",
    )
    (entry,) = control_state(r1)[0]["duplicate"]
    check_leaves(
        entry,
        {
            "id": other,
            "local": "192.0.2.1",
            "address": "192.0.2.3",
            "port": 8484,
            "count": above(0),
            "last": TIME,
        },
    )
    cl.expect(
        lambda: cl.vtysh_json(r3, "show cluster control json")["peers"][0]["refused"]
        == "duplicate logical ID",
        "r3 doesn't know why",
    )
    state = control_state(r3)[1][("192.0.2.1",)]["state"]
    assert state["refused"] == "duplicate logical ID", "peer: {}".format(state)
    seen = session(r1, other)
    assert seen["up"] and seen["ups"] == ups, "the first one lost its session"
    cl.end_daemon(r3, "clusterd")
    r3.net.cmd_raises("echo {} >{}/node-id".format(own, DIR))
    cl.start_daemon(r3, "clusterd")
    all_up(r1, r2, r3)


def test_operational_of_a_rival():
    """
    r3 has a copy of r2's ID, and r1 doesn't hear r2: it waits for who of them speaks.
    Then r3 is refused.
    """
    r1, r2, r3 = gears()
    all_up(r1, r2, r3)
    own, other = node(r3), node(r2)
    ups = str(session(r1, other)["ups"])
    mac = r2.net.cmd_raises("cat /sys/class/net/r2-eth0/address").strip()
    slow = {"keepalive": 60000, "dead": 600000}
    for router in (r1, r2):
        cl.configure(router, "cluster control", "timers keepalive 60000 dead 600000")
    expect_session(r1, r2, {**slow, "their-keepalive": 60000})
    try:
        # of both families
        with Deaf(r1, "ether saddr {} udp dport 8484".format(mac)):
            cl.end_daemon(r3, "clusterd")
            r3.net.cmd_raises("echo {} >{}/node-id".format(other, DIR))
            cl.start_daemon(r3, "clusterd")
            up = {"up": True, "ups": ups}
            expect_session(r1, r2, {**up, "status": "contested"})
            expect_same(r1, "control")
            expect_peer(r3, "192.0.2.1", {"status": "opening", "node": node(r1)})
            expect_same(r3, "control")
        for router in (r1, r2):
            cl.configure(router, "cluster control", "no timers")
        refused = {"refused": "duplicate logical ID", "node": node(r1)}
        expect_peer(r3, "192.0.2.1", {**refused, "status": "waiting"})
        expect_same(r3, "control")
        expect_session(r1, r2, {**up, "status": "up"})
        expect_same(r1, "control")
    finally:
        for router in (r1, r2):
            cl.configure(router, "cluster control", "no timers")
        cl.end_daemon(r3, "clusterd")
        r3.net.cmd_raises("echo {} >{}/node-id".format(own, DIR))
        cl.start_daemon(r3, "clusterd")
    all_up(r1, r2, r3)


def test_bad_id_file():
    "Without a usable file the node says that its ID will not last."
    r1, r2, r3 = gears()
    all_up(r1, r2, r3)
    own = node(r3)
    cl.end_daemon(r3, "clusterd")
    r3.net.cmd_raises("echo nonsense >{}/node-id".format(DIR))
    cl.start_daemon(r3, "clusterd")
    cl.expect(lambda: node(r3) != own, "the ID isn't of the file")
    assert not cl.vtysh_json(r3, "show cluster control json")["idKept"], "idKept"
    assert "NOT KEPT" in cl.vtysh(r3, "show cluster control"), "not shown"
    check_leaves(
        {"id-kept": control_state(r3)[0]["id-kept"]},
        {"id-kept": False},
    )
    cl.end_daemon(r3, "clusterd")
    r3.net.cmd_raises("echo {} >{}/node-id".format(own, DIR))
    cl.start_daemon(r3, "clusterd")
    all_up(r1, r2, r3)


def test_configuration():
    "What is typed comes out again; `no cluster control` takes all of it away."
    r1, r2, r3 = gears()
    all_up(r1, r2, r3)
    cl.configure(
        r3,
        "cluster control",
        "timers keepalive 1000 dead 5000",
        "listen 192.0.2.3 port 8484",
        "listen 2001:db8::3 port 9000",
        "peer 2001:db8::1 port 9000 source 2001:db8::3",
    )
    text = cl.running_config(r3)
    for line in (
        " timers keepalive 1000 dead 5000",
        " listen 192.0.2.3",
        " listen 2001:db8::3 port 9000",
        " peer 192.0.2.1",
        " peer 2001:db8::1 port 9000 source 2001:db8::3",
    ):
        assert text.count("\n" + line + "\n") == 1, line + " is not in:\n" + text
    assert text.count("\nkey chain nodes\n") == 1, "key chain missing:\n" + text
    refused = {
        "peer fe80::1": "is a link-local address",
        "peer 224.0.0.9": "of a node",
        "peer 192.0.2.77 source 2001:db8::3": "of another family than the peer",
        "listen fe80::1": "is a link-local address",
        "listen 224.0.0.9": "of a node",
    }
    before = cl.running_config(r3)
    for command, why in refused.items():
        out = cl.configure(r3, "cluster control", command)
        assert why in out, out
        assert cl.running_config(r3) == before, "taken all the same"
    # A file may have more than there is room for: what is left out is said.
    listens = "".join(" listen 192.0.2.3 port {}\n".format(9100 + i) for i in range(15))
    assert cl.load_file(r3, "cluster control\n{}exit\n".format(listens)) == ""
    problem = "only 16 of the addresses to `listen` at are used"
    cl.expect(
        lambda: cl.vtysh_json(r3, "show cluster control json").get("problem")
        == problem,
        "17 addresses, and no word about it",
    )
    cl.configure(r3, "no cluster control")
    assert "cluster control" not in cl.running_config(r3), "something is left"
    cl.expect(
        is_down(r1, node(r3), "closed"),
        "no goodbye",
        timeout=cl.AT_ONCE,
        interval=0.05,
    )
    assert cl.alive(r3, "clusterd"), "clusterd is gone"
    state, peers = control_state(r3)
    off = {"id": node(r3), "id-kept": True, "running": False}
    check_leaves(state, {**off, "problem": re.compile("off|no key-chain")})
    assert not peers, peers
    cl.configure(r3, "cluster control", "key-chain nodes", "peer 192.0.2.1")
    all_up(r1, r2, r3)
