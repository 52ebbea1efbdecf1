# SPDX-License-Identifier: GPL-2.0-or-later
"""
The file for Prometheus: its numbers are those that are known.
"""

import os
import re
import shutil
import time

import lib_cluster as cl
import pytest
from lib_oper import TIME, check_leaves, metrics, number, operational, value
from lib_same import expect_same
from oper_router import MEMBER_DOWN, MEMBER_UP, STATES, r1, start


def setup_module(module):
    "Start."
    start(module)


def teardown_module(_module):
    "End."
    cl.stop()


@pytest.fixture(name="metrics_folder")
def _metrics_folder():
    "Where clusterd is to write metrics; not there yet.  The file is removed again."
    router = r1()
    folder = os.path.join(router.net.logdir, "r1", "metrics")
    path = os.path.join(folder, "clusterd.prom")
    out = cl.configure(router, "cluster metrics file {} interval 1000".format(path))
    assert out == "", "the command says: {}".format(out)
    yield router, folder, path
    out = cl.configure(router, "no cluster metrics file")
    assert out == "", "`no` says: {}".format(out)
    cl.expect(lambda: cl.summary(router)["metrics"] == {}, "metrics are still on")
    assert not os.path.exists(path), "an old file is left"
    assert not os.path.exists(path + ".tmp"), "a temporary file is left"
    assert "cluster metrics" not in cl.vtysh(router, "show running-config")
    shutil.rmtree(folder)


def test_metrics(metrics_folder):
    "Errors are told, once; then the file has the numbers, and is always whole."
    router, folder, path = metrics_folder

    def problem(text):
        return text in cl.summary(router)["metrics"].get("problem", "")

    line = "cluster metrics file {} interval 1000".format(path)
    assert line in cl.vtysh(router, "show running-config"), "not in the configuration"
    cl.expect(lambda: problem("No such file"), "a missing folder isn't told")
    os.makedirs(folder)
    cl.expect(lambda: problem("Permission denied"), "a foreign folder isn't told")
    state = operational(router, "frr-clusterd", "cluster-summary")["metrics"]
    expected = {"file": path, "problem": re.compile("Permission denied"), "octets": "0"}
    check_leaves(state, expected)
    expect_same(router, "summary")
    shutil.chown(folder, "frr", "frr")
    cl.expect(lambda: os.path.exists(path), "no file is written")
    cl.expect(
        lambda: "problem" not in cl.summary(router)["metrics"], "an old problem stays"
    )
    state = operational(router, "frr-clusterd", "cluster-summary")["metrics"]
    check_leaves(
        state,
        {"file": path, "last-written": TIME, "octets": lambda v: number(v) > 1000},
    )
    expect_same(router, "summary")
    assert "Metrics: {}, written".format(path) in cl.vtysh(
        router, "show cluster summary"
    ), "not in the summary"
    for text in ("No such file", "Permission denied"):
        warnings = re.findall("metrics file .*" + text, cl.log_of(router))
        assert len(warnings) == 1, "logged {} times: {}".format(len(warnings), text)
    assert os.stat(path).st_mode & 0o777 == 0o644, "others can't read it"

    families, _ = metrics(path)
    for family in families:
        assert family.documentation, "no help: {}".format(family.name)
        assert family.type in ("gauge", "counter"), "{}".format(family)
        assert family.samples, "empty: {}".format(family.name)

    check_values(router, path)

    # Readers never see half a file while it is written again and again.
    written = {os.stat(path).st_mtime_ns}

    def written_again():
        metrics(path)
        written.add(os.stat(path).st_mtime_ns)
        return len(written) > 3

    cl.expect(written_again, "it isn't written again")


def check_values(router, path):
    "What is known of this router."
    shown = cl.summary(router)
    one = {
        "zebra_connected": 1,
        "zebra_silent_seconds": 0,
        "watchdog_running": 1,
        "routes_wanted": 2,
        "routes_installed": 2,
        "probes": 2,
        "control_nodes": 0,
        "control_sessions_up": 0,
    }
    for name, number_of in one.items():
        assert value(path, name) == number_of, "{}: {}".format(name, value(path, name))
    info = {"version": shown["version"], "frr_version": shown["frrVersion"]}
    assert value(path, "info", **info, route_type="openfabric") == 1, "info"
    started = value(path, "start_time_seconds")
    assert time.time() - 600 < started <= time.time(), "start: {}".format(started)
    assert value(path, "route_messages_total", type="add") >= 2, "messages"

    for state in STATES:
        expected = int(state in ("announced", "down"))
        assert value(path, "vips", state=state) == expected, "VIPs {}".format(state)
    assert value(path, "vip_state", vip="www", state="announced") == 1, "www"
    assert value(path, "vip_state", vip="www", state="down") is None, "www"
    assert value(path, "vip_state", vip="down", state="down") == 1, "down"
    for vip, numbers in {"www": (1, 1, 2, 2), "down": (1, 0, 1, 0)}.items():
        names = ("members", "members_up", "addresses", "addresses_announced")
        found = tuple(value(path, "vip_" + name, vip=vip) for name in names)
        assert found == numbers, "{}: {}".format(vip, found)

    for verdict, expected in {"up": 2, "down": 1, "unknown": 0}.items():
        found = value(path, "probe_targets", verdict=verdict)
        assert found == expected, "{} targets {}".format(found, verdict)
    web = {"probe": "web", "vrf": "default"}
    passing, failing = dict(web, target=MEMBER_UP), dict(web, target=MEMBER_DOWN)
    assert value(path, "probe_up", **passing) == 1, "probe of the good member"
    assert value(path, "probe_up", **failing) == 0, "probe of the bad member"
    assert value(path, "probe_transitions_total", **failing) == 0, "transitions"
    assert value(path, "probe_transitions_total", **passing) >= 1, "transitions"
    assert 0 < value(path, "probe_rtt_seconds", **passing) < 1, "RTT"
    assert value(path, "probe_rtt_seconds", **failing) is None, "RTT of nothing"
    assert value(path, "probe_results_total", result="pass", **failing) == 0, "pass"
    refused = value(path, "probe_results_total", result="refused", **failing)
    assert refused > 3, "refused: {}".format(refused)
    # Clearing is for people: the counter goes on.
    cl.vtysh(router, "clear cluster probe web counters")
    assert cl.instance(router, "web", MEMBER_DOWN)["refused"] < refused, "not cleared"
    cl.expect(
        lambda: value(path, "probe_results_total", result="refused", **failing)
        > refused,
        "the counter stands still",
    )

    changes = cl.vtysh_json(router, "show cluster events json")["changes"]
    for kind, count in changes.items():
        found = value(path, "state_changes_total", kind=kind)
        assert found is not None and found <= count, "{}: {}".format(kind, found)
    assert value(path, "state_changes_total", kind="zebra") >= 1, "zebra"


def test_metrics_of_others(metrics_folder):
    "Addresses of VIPs, tracks and responders; what isn't configured has none."
    router, folder, path = metrics_folder
    os.makedirs(folder)
    shutil.chown(folder, "frr", "frr")
    cl.expect(lambda: os.path.exists(path), "no file is written")
    names = {key[0] for key in metrics(path)[1]}
    assert not [n for n in names if "_track_" in n or "_responder_" in n], names
    address = {"vip": "www", "address": "192.0.2.3"}
    assert value(path, "vip_address_state", state="announced", **address) == 1, "VIP"
    assert value(path, "vip_address_nexthops", **address) == 1, "next hops"
    down = {"vip": "down", "address": "192.0.2.2"}
    assert value(path, "vip_address_state", state="down", **down) == 1, "VIP"

    out = cl.load_file(
        router,
        "cluster track uplink\n next-hop {}\n next-hop 198.51.100.77\n"
        " route 10.99.0.0/16\nexit\n"
        "cluster responder gw\n interface r1-eth0\n condition vip down\n"
        " handoff nat\n address 198.51.100.9\nexit\n".format(MEMBER_UP),
    )
    assert out == "", "configuration: {}".format(out)
    try:
        states = cl.vtysh_json(router, "show cluster responder json")
        assert "gw" in states, states
        route = {"track": "uplink", "prefix": "10.99.0.0/16"}
        for name, labels, expected in (
            ("track_route_state", dict(route, state="up"), 1),
            ("track_route_state", dict(route, state="down"), None),
            ("track_next_hop_up", {"next_hop": MEMBER_UP}, 1),
            ("track_next_hop_used", {"next_hop": MEMBER_UP}, 1),
            ("track_next_hop_up", {"next_hop": "198.51.100.77"}, 0),
            ("track_next_hop_used", {"next_hop": "198.51.100.77"}, 0),
        ):
            if "next_hop" in labels:
                labels = dict(labels, track="uplink", interface="")
            cl.expect(
                lambda n=name, l=labels, e=expected: (
                    value(path, n, **l) == e,
                    [k for k in metrics(path)[1] if n in k[0]],
                ),
                "{} {}".format(name, labels),
            )
        address = {"responder": "gw", "address": "198.51.100.9"}
        (state,) = [a["state"] for a in responder(router)["addresses"]]
        cl.expect(
            lambda: value(path, "responder_address_state", state=state, **address) == 1,
            "the responder's address: {}".format(state),
        )
        assert value(path, "responder_condition_met", responder="gw") == 0, "condition"
        for kind in ("arp", "neighbor", "echo"):
            sent = value(path, "responder_sent_total", responder="gw", kind=kind)
            assert sent == 0, "{} answers: {}".format(kind, sent)
        for reason in ("condition", "source", "rate"):
            labels = {"responder": "gw", "reason": reason}
            assert value(path, "responder_not_answered_total", **labels) == 0, reason
        bare = "interface r1-eth0 has no IPv4 address to translate to"
        cl.expect(
            lambda: (
                responder(router)["handoff"]["why"] == bare,
                responder(router)["handoff"],
            ),
            "the hand-off's state",
        )
        labels = {"responder": "gw", "state": "waiting"}
        cl.expect(
            lambda: value(path, "responder_handoff_state", **labels) == 1,
            "the hand-off in the metrics",
        )
        for kind in ("flow", "ping"):
            labels = {"responder": "gw", "kind": kind}
            found = value(path, "responder_handoff_refused_total", **labels)
            assert found == 0, kind
        assert value(path, "responder_handoff_flows_total", responder="gw") == 0
    finally:
        cl.load_file(router, "no cluster track uplink\nno cluster responder gw\n")
    cl.expect(
        lambda: not [k for k in metrics(path)[1] if "_track_" in k[0]],
        "a track that is gone is still there",
    )


def responder(router):
    "show cluster responder json, of gw."
    return cl.vtysh_json(router, "show cluster responder json")["gw"]


def test_metrics_refused():
    "What can't be right is refused where it is typed."
    router = r1()
    for path, why in {
        "clusterd.prom": "give the whole path",
        "/tmp/clusterd.txt": "the name has to end with .prom",
        "/" + "x" * 251 + ".prom": "too long",
    }.items():
        out = cl.configure(router, "cluster metrics file {}".format(path))
        assert why in out, "{}: {}".format(path, out)
    cl.configure(router, "no cluster metrics file")


def test_metrics_at_the_end(metrics_folder):
    "The file goes with the daemon."
    router, folder, path = metrics_folder
    os.makedirs(folder)
    shutil.chown(folder, "frr", "frr")
    cl.expect(lambda: os.path.exists(path), "no file is written")
    cl.end_daemon(router, "clusterd")
    left = os.listdir(folder)
    cl.start_daemon(router, "clusterd")
    r1()
    assert left == [], "left behind: {}".format(left)
