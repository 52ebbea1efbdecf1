# SPDX-License-Identifier: GPL-2.0-or-later
"""
What VIPs are announced with, and the route-maps that clusterd keeps for it.

    r2 (eBGP) --- r1 (node) --- r3 (iBGP)
                  r1 VRF red --- r4 (eBGP)

VRF red is a network namespace.  The members need not exist: VIPs without
probes are announced when zebra can resolve them.
"""

import json
import re
import signal
import time

import pytest
import lib_cluster as cl
import lib_oper as oper
import lib_updates
from lib_same import expect_same
from lib_typist import Typist
from operator_files import OPERATOR_LINES, Loader, operator_lines

NODE = {4: "198.51.100.1", 6: "2001:db8:1::1"}
NODE_IBGP = {4: "198.51.100.65", 6: "2001:db8:3::1"}
NODE_RED = "198.51.100.129"
PEERS = {
    "r2": {4: "198.51.100.2", 6: "2001:db8:1::2"},
    "r3": {4: "198.51.100.66", 6: "2001:db8:3::2"},
}
FAMILY = {4: "ipv4 unicast", 6: "ipv6 unicast"}
PLAIN = {4: "192.0.2.1", 6: "2001:db8:ff::1"}
RICH = {4: "192.0.2.2", 6: "2001:db8:ff::2"}
RED = "192.0.2.3"
MAP = "CLUSTERD-main"


def build(tgen):
    "r1 in the middle"
    for name in ("r1", "r2", "r3", "r4"):
        tgen.add_router(name)
    cl.connect(
        tgen,
        s1=("r1", "r2"),
        s2=("r1", "r3"),
        s3=("r1", "r4"),
    )


def prepare(tgen):
    "The VRF."
    r1 = tgen.gears["r1"].net
    r1.cmd_raises("ip netns add red")
    r1.cmd_raises("ip link set r1-eth2 netns red")
    r1.cmd_raises("ip -n red link set r1-eth2 up")
    r1.cmd_raises("ip -n red link set lo up")


def setup_module(module):
    "Start all; the maps are there."
    tgen = cl.start(
        module,
        build,
        {
            "r1": ["zebra", "bgpd", "clusterd"],
            "r2": ["zebra", "bgpd"],
            "r3": ["zebra", "bgpd"],
            "r4": ["zebra", "bgpd"],
        },
        netns_vrf=("r1",),
        prepare=prepare,
        options=oper.LISTENER,
    )
    lib_updates.log_updates(tgen.gears["r2"])
    for family in (4, 6):
        cl.warm_up(tgen.gears["r2"], NODE[family])
        cl.warm_up(tgen.gears["r3"], NODE_IBGP[family])
    cl.warm_up(tgen.gears["r4"], NODE_RED)
    expect_in_step(tgen.gears["r1"], "at the start")


def teardown_module(_module):
    "End."
    cl.stop()


def gears(*names):
    "Routers by name."
    tgen = cl.usable()
    return tuple(tgen.gears[name] for name in names)


def policy(router, vrf="default"):
    "show cluster bgp policy json, of a VRF."
    return cl.vtysh_json(router, "show cluster bgp policy json").get(vrf, {})


def in_step(router, vrf="default"):
    "For expect()."
    seen = policy(router, vrf)
    good = (
        seen.get("status") == "in-step"
        and seen["entries"] == seen["entriesWanted"]
        and seen["vipsWaiting"] == 0
    )
    return good, {k: v for k, v in seen.items() if k != "wanted"}


def expect_in_step(router, why):
    "Both maps are as they should be."
    for vrf in ("default", "red"):
        cl.expect(
            lambda v=vrf: in_step(router, v), "VRF {}, not in step: {}".format(vrf, why)
        )


def leaves(router, vrf="default"):
    "A VRF's state by YANG."
    found = oper.operational(router, "frr-clusterd-bgp", "cluster-bgp")["vrf"]
    return oper.by_key(found, "name")[(vrf,)]["state"]


def expect_leaves(router, vrf="default", **wanted):
    "Every leaf of a map's state: in step, if nothing else is wanted; the same by JSON."
    shown, state = policy(router, vrf), leaves(router, vrf)
    assert len(state.pop("wanted")) == wanted["entries_wanted"], state
    expected = {
        "status": "in-step",
        "why": "",
        "last-change": oper.TIME,
        "repairs": str(shown["repairs"]),
        "session": "watching",
        "readings": lambda value: oper.number(value) > 0,
        "writings": lambda value: oper.number(value) > 0,
        "errors": str(shown["errors"]),
        "last-error": shown.get("lastError", ""),
        "vips-waiting": 0,
        **{leaf.replace("_", "-"): value for leaf, value in wanted.items()},
    }
    if expected["last-error"]:
        expected["last-error-time"] = oper.TIME
    oper.check_leaves(state, expected)
    expect_same(router, "bgp policy")


def rules(router, name=MAP):
    "The entries of a route-map in bgpd: {sequence number: (type, matches, sets)}."
    # only bgpd's: the command asks every daemon
    out = cl.vtysh(router, "show route-map {} json".format(name), daemon="bgpd")
    seen = {}
    for rule in re.findall(
        r'"sequenceNumber":(\d+),\s*"type":"(\w+)".*?"matchClauses":\[(.*?)\].*?'
        r'"setClauses":\[(.*?)\]',
        out,
        re.S,
    ):
        seen[int(rule[0])] = (
            rule[1],
            re.findall(r'"(.*?)"', rule[2]),
            sorted(re.findall(r'"(.*?)"', rule[3])),
        )
    return seen


def path_of(router, address):
    "What counts of a path: (communities, large communities, MED, local-pref, LB)."
    path = cl.bgp_path(router, address)
    return {
        "communities": sorted(path.get("community", {}).get("list", [])),
        "large": sorted(path.get("largeCommunity", {}).get("list", [])),
        "med": path.get("metric"),
        "localPreference": path.get("locPrf"),
        "bandwidth": path.get("extendedCommunity", {}).get("string", "").split(" ")[0],
        "nextHop": next(
            (
                hop["ip"]
                for hop in path.get("nexthops", [])
                if hop.get("scope", "global") == "global"
            ),
            None,
        ),
    }


def expect_path(router, address, why, **wanted):
    "The neighbour's path has these."

    def check():
        seen = path_of(router, address)
        return all(seen[key] == value for key, value in wanted.items()), seen

    cl.expect(check, "{}: {} isn't {}: {}".format(router.name, address, wanted, why))


def vip_line(router, name, *lines):
    "Configure a VIP; nothing may be said."
    out = cl.configure(router, "cluster vip " + name, *lines)
    assert out == "", "cluster vip {}: {}: {}".format(name, lines, out)


RICH_SEEN = {
    "communities": ["65001:100", "noPeer"],
    "large": ["65001:1:1", "65001:1:2"],
    "bandwidth": "LB:65001:125000000",
}


def test_attributes():
    "All attributes of a VIP are seen at eBGP and iBGP neighbours, v4 and v6."
    r2, r3 = gears("r2", "r3")
    for family in (4, 6):
        expect_path(
            r2, PLAIN[family], "eBGP", communities=[], med=0, nextHop=NODE[family]
        )
        expect_path(
            r2,
            RICH[family],
            "eBGP",
            med=50,
            localPreference=None,
            nextHop=NODE[family],
            **RICH_SEEN,
        )
        expect_path(
            r3, PLAIN[family], "iBGP", localPreference=100, nextHop=NODE[family]
        )
        expect_path(
            r3,
            RICH[family],
            "iBGP",
            med=50,
            localPreference=200,
            nextHop=NODE[family],
            **RICH_SEEN,
        )
        for router in (r2, r3):
            cl.expect(
                lambda r=router, a=RICH[family]: cl.in_kernel(r, a),
                "{}: {} isn't used".format(router.name, RICH[family]),
            )


def test_tags_are_shown():
    "The tag that the map's entry matches, and whether it is the configured one."
    r1 = gears("r1")[0]
    tags = {"plain": 84}
    for name in ("rich", "red"):
        tags[name] = cl.vip(r1, name)["routeTag"]
        assert tags[name] != 84, "{}: {}".format(name, cl.vip(r1, name))
    for name, table in (("plain", MAP), ("rich", MAP), ("red", "CLUSTERD-red")):
        matches = [entry[1] for entry in rules(r1, table).values()]
        assert ["tag {}".format(tags[name])] in matches, "{}: {}".format(name, matches)
        shown = r1.vtysh_cmd("show cluster vip " + name)
        made = " (made of its attributes)" if name != "plain" else ""
        assert "tag {}{},".format(tags[name], made) in shown, shown


def test_outbound_map():
    "The same with a route-map of the neighbour's, which adds to it."
    r1, r2, r3 = gears("r1", "r2", "r3")
    neighbors = [
        (family, "neighbor {} route-map OUT out".format(peer[family]))
        for peer in PEERS.values()
        for family in (4, 6)
    ]
    try:
        for family, line in neighbors:
            cl.configure(
                r1, "router bgp 65001", "address-family " + FAMILY[family], line
            )
        for family in (4, 6):
            for router in (r2, r3):
                expect_path(
                    router,
                    RICH[family],
                    "with an outbound map",
                    nextHop=NODE[family],
                    **dict(
                        RICH_SEEN, communities=["65001:1"] + RICH_SEEN["communities"]
                    ),
                )
    finally:
        for family, line in neighbors:
            cl.configure(
                r1,
                "router bgp 65001",
                "address-family " + FAMILY[family],
                "no " + line,
            )
    expect_path(r2, RICH[4], "without the outbound map", **RICH_SEEN)


def test_vrf():
    "Another BGP instance: its own map, and its own router ID as next hop."
    r1, r4 = gears("r1", "r4")
    expect_path(r4, RED, "VRF red", communities=["65001:300"], nextHop=NODE_RED)
    entries = rules(r1, "CLUSTERD-red").values()
    hops = {line for _, _, sets in entries for line in sets if "next-hop" in line}
    assert hops == {"ip next-hop " + NODE_RED}, "next hops in VRF red: {}".format(hops)
    assert not any(
        "65001:300" in line for _, _, sets in rules(r1).values() for line in sets
    ), "the default VRF's map has entries of VRF red"


def test_every_phase_has_its_entry():
    "Drain and slow start change the tag only: the entries are there before."
    r1 = gears("r1")[0]
    seen = rules(r1)
    assert all(kind == "permit" for kind, _, _ in seen.values()), seen
    # plain: normal, drain; rich: normal, drain and 9 steps
    assert len(seen) == 2 + 2 + 9, "entries: {}".format(seen)
    sets = [line for _, _, lines in seen.values() for line in lines]
    draining = [line for line in sets if "graceful-shutdown" in line]
    assert len(draining) == 2, "entries of draining VIPs: {}".format(seen)
    expect_in_step(r1, "what its leaves say")
    hops = {"next_hop_ipv4": NODE[4], "next_hop_ipv6": NODE[6]}
    expect_leaves(r1, entries_wanted=13, entries=13, vips=2, **hops)
    red = len(rules(r1, "CLUSTERD-red"))
    assert 0 < red < 13, "entries of VRF red: {}".format(red)
    expect_leaves(
        r1, "red", entries_wanted=red, entries=red, vips=1, next_hop_ipv4=NODE_RED
    )
    plain = {"tag": 84, "line": ["match tag 84", "set ip next-hop " + NODE_RED]}
    entries = leaves(r1, "red")["wanted"]
    assert plain in entries, entries
    tag = cl.vip(r1, "red")["routeTag"]
    assert tag not in (84, 85), "made of the attributes: {}".format(tag)
    (entry,) = [e["line"] for e in entries if e["tag"] == tag]
    assert "set community 65001:300" in " ".join(entry), entries
    vips = oper.operational(r1, "frr-clusterd-vip", "cluster-vips")["vip"]
    vips = {vip["name"]: vip["state"]["route-tag"] for vip in vips}
    assert (vips["plain"], vips["red"]) == (84, tag), vips
    expect_same(r1)
    bandwidths = {int(line.split()[-1]) for line in sets if "bandwidth" in line}
    assert bandwidths == {n * 100 for n in range(1, 11)}, bandwidths


def test_change_is_one_update():
    "Another attribute of an announced VIP: an UPDATE a family, no withdrawal."
    r1, r2 = gears("r1", "r2")
    mark = cl.log_mark(r2, "bgpd")
    try:
        vip_line(r1, "plain", "community 65001:7")
        for family in (4, 6):
            expect_path(r2, PLAIN[family], "changed", communities=["65001:7"])
        expect_in_step(r1, "after the change")
        # The map is looked at again a while later: nothing comes of it.
        cl.stays(lambda: in_step(r1), "still in step", 3)
        seen = sorted(cl.prefixes_received(r2, mark))
        wanted = sorted((address, True) for address in PLAIN.values())
        assert seen == wanted, "UPDATEs: {}".format(seen)
    finally:
        vip_line(r1, "plain", "no community 65001:7")
        expect_path(r2, PLAIN[4], "changed back", communities=[])


def test_old_entries_go():
    "What no VIP uses any more leaves the map after a while."
    r1 = gears("r1")[0]
    cl.expect(
        lambda: (len(rules(r1)) == 13, sorted(rules(r1))),
        "old entries stay",
        timeout=40,
        interval=0.5,
    )


EDITS = {
    "entry removed": ["no route-map {map} permit {seq}"],
    "clause added": ["route-map {map} permit {seq}", "set metric 77"],
    "clause changed": ["route-map {map} permit {seq}", "match tag 4711"],
    "denied": ["route-map {map} deny {seq}"],
    "entry added": ["route-map {map} deny 1"],
    "map removed": ["no route-map {map}"],
}


@pytest.mark.parametrize("what", EDITS)
def test_edit_of_others_is_repaired(what):
    "Somebody edits the map: it is as it was within seconds."
    r1, r2 = gears("r1", "r2")
    expect_in_step(r1, "before")
    before = sorted((k, m, s) for k, m, s in rules(r1).values())
    repairs = int(leaves(r1)["repairs"])
    lines = [line.format(map=MAP, seq=min(rules(r1))) for line in EDITS[what]]
    out = cl.configure(r1, *lines)
    assert out == "", "{}: {}".format(what, out)
    changed = sorted((k, m, s) for k, m, s in rules(r1).values())
    took = cl.took(
        lambda: (
            sorted((k, m, s) for k, m, s in rules(r1).values()) == before,
            rules(r1),
        ),
        "{}: not repaired".format(what),
    )
    print("{}: repaired after {:.1f} s".format(what, took))
    assert changed != before or took < 3, "{}: no edit".format(what)
    expect_in_step(r1, what)
    assert int(leaves(r1)["repairs"]) > repairs, "not counted"
    for family in (4, 6):
        expect_path(r2, RICH[family], what, **RICH_SEEN)


def test_nobody_loses_a_line():
    """
    An operator types, and another one loads files of 5,000 lines, while the map
    changes 100 times: every line arrives, and the map is in step in the end.
    """
    r1 = gears("r1")[0]
    typist = Typist(r1, "configure terminal", "route-map OPTYPED permit 10")
    editor = Typist(r1, "configure terminal", "cluster vip plain", daemon="clusterd")
    watcher = Typist(r1, daemon="clusterd")
    loader = Loader(r1)

    def writings():
        "How often the map was written."
        return json.loads(watcher.types("show cluster bgp policy json"))["default"][
            "writings"
        ]

    first, changes, amid = writings(), 0, 0
    try:
        while changes < 100:
            if not loader.busy():
                loader.load()
            # A change of the map, and a line of the operator.
            changes += 1
            editor.types("local-preference {}".format(changes))
            typist.types("set local-preference {}".format(changes))
            cl.expect(
                lambda: writings() - first >= changes,
                "the map isn't written any more",
                timeout=60,
                interval=0.05,
            )
            amid += loader.loads > 1 and loader.process.poll() is None
        cl.expect(lambda: not loader.busy(), "the last file", timeout=120)
        print(
            "{} files of {} lines, {} changes, {} of them in the middle of a file".format(
                loader.loads, OPERATOR_LINES, changes, amid
            )
        )
        assert amid >= 5, "no change met a file"
        typist.types("end")
        editor.types("no local-preference")
    finally:
        for session in (typist, editor, watcher, loader):
            session.end()
    typed = "route-map OPTYPED permit 10 set local-preference {}".format(changes)
    assert typed in operator_lines(r1), "what was typed last is lost"
    expect_in_step(r1, "in the end")
    assert policy(r1)["errors"] == 0, policy(r1)
    cleanup = ["no route-map OPTYPED", "no route-map OPLOADED"]
    for n in range(OPERATOR_LINES // 250):
        cleanup.append("no bgp community-list standard OP{}".format(n))
    cl.load_file(r1, "\n".join(cleanup) + "\n")
    cl.expect(lambda: not operator_lines(r1), "the operator's lines are gone")


def without_map(text):
    "A configuration without the kept route-maps."
    return re.sub(r"(?m)^route-map CLUSTERD-.*\n( .*\n)*(exit\n)?!?\n?", "", text)


def saved(router):
    "What `write memory` writes now."
    cl.vtysh(router, "write memory")
    return cl.frr_conf(router)


def test_reload_never_touches_the_map():
    "A file without the map, or with another: no command for it, no UPDATE."
    r1, r2 = gears("r1", "r2")
    text = saved(r1)
    assert "route-map " + MAP in text, "the map isn't saved: {}".format(text)
    bare = without_map(text)
    assert MAP + " permit" not in bare, bare
    other = text.replace(" set local-preference 200", " set local-preference 201")
    assert other != text
    try:
        before, mark = rules(r1), cl.log_mark(r2, "bgpd")
        updates = cl.updates_received(r2, NODE[4])
        for file in (bare, other, text):
            assert "CLUSTERD" not in cl.pending_reload(r1, file), "commands for the map"
            assert cl.frr_reload(r1, file) == "", "reload"
            assert rules(r1) == before, "the map has changed"
        cl.stays(lambda: in_step(r1), "still in step", 3)
        assert cl.prefixes_received(r2, mark) == [], "UPDATEs"
        assert cl.updates_received(r2, NODE[4]) == updates, "UPDATEs"
    finally:
        cl.write_frr_conf(r1, text)


@pytest.mark.parametrize("with_map", [True, False])
def test_cold_start_of_bgpd(with_map):
    "bgpd starts anew, with and without the map in frr.conf."
    r1, r2 = gears("r1", "r2")
    text = saved(r1)
    try:
        if not with_map:
            cl.write_frr_conf(r1, without_map(text))
        told = oper.notifications(r1, "frr-clusterd-bgp:bgp-map-status-change")
        entry = {"vrf": "default", "route-map": MAP, "last-change": oper.TIME}
        cl.end_daemon(r1, "bgpd", signal.SIGKILL)
        cl.expect(lambda: cl.not_in_kernel(r2, RICH[4]), "the route stays")
        cl.expect(lambda: policy(r1)["status"] == "away", "bgpd is away")
        told({**entry, "status": "away", "why": re.compile("bgpd")})
        state = leaves(r1)
        assert (state["session"], state["status"]) == ("away", "away"), state
        assert 0 <= state["retry"] <= 1000, state
        cl.start_daemon(r1, "bgpd")
        began = time.monotonic()
        expect_path(r2, RICH[4], "after the start", **RICH_SEEN)
        announced = time.monotonic() - began
        expect_in_step(r1, "after the start")
        told({**entry, "status": "in-step"})
        print(
            "frr.conf {} the map: announced after {:.1f} s, in step after {:.1f} s".format(
                "with" if with_map else "without", announced, time.monotonic() - began
            )
        )
        assert policy(r1)["errors"] == 0, policy(r1)
    finally:
        cl.write_frr_conf(r1, text)
    for family in (4, 6):
        cl.warm_up(r2, NODE[family])
    cl.warm_up(gears("r4")[0], NODE_RED)
    cl.warm_up(gears("r3")[0], NODE_IBGP[4])


def test_not_configured():
    "Without `cluster bgp`: nothing is touched, and what is printed by hand works."
    r1, r2 = gears("r1", "r2")
    lines = [
        line
        for line in cl.cluster_config(r1).splitlines()
        if line.startswith("cluster bgp")
    ]
    assert len(lines) == 4, lines
    expect_in_step(r1, "before")
    try:
        cl.configure(r1, *("no " + line for line in lines))
        before = rules(r1)
        seen = policy(r1)
        assert "routeMap" not in seen and "status" not in seen, seen
        assert len(seen["wanted"]) == 13, seen
        state = leaves(r1)
        assert len(state.pop("wanted")) == 13, state
        # zebra's router ID, the highest address; IPv6 has none
        expected = {"vips": 2, "vips-waiting": 0, "next-hop-ipv4": NODE_IBGP[4]}
        oper.check_leaves(state, expected)
        expect_same(r1, "bgp policy")
        text = cl.vtysh(r1, "show cluster bgp policy").split("VRF red")[0]
        hand = text[text.index("!\nroute-map") :]
        assert cl.load_file(r1, hand) == "", hand
        for version in FAMILY.values():
            out = cl.configure(
                r1,
                "router bgp 65001",
                "address-family " + version,
                "redistribute openfabric route-map VIPS",
            )
            assert out == "", out
        cl.configure(r1, "route-map {} deny 1".format(MAP))
        for family in (4, 6):
            expect_path(r2, RICH[family], "by hand", **RICH_SEEN)
        assert set(rules(r1)) == set(before) | {1}, "the map was touched"
    finally:
        cl.configure(r1, *lines)
        for version in FAMILY.values():
            cl.configure(
                r1,
                "router bgp 65001",
                "address-family " + version,
                "redistribute openfabric route-map " + MAP,
            )
        cl.configure(r1, "no route-map VIPS")
    expect_in_step(r1, "configured again")
    expect_path(r2, RICH[4], "configured again", **RICH_SEEN)


def test_bad_input():
    "What the commands refuse."
    r1 = gears("r1")[0]
    for line, answer in {
        "cluster bgp route-map VIPS": "has to begin with CLUSTERD-",
        "cluster bgp route-map CLUSTERD-": "has to begin with CLUSTERD-",
        "cluster bgp next-hop 198.51.100.2": "is not an address of this node",
        "cluster bgp next-hop 198.51.100.1 vrf red": "is not an address of this node",
        "cluster bgp next-hop 224.0.0.1": "use an address of this node",
        "cluster bgp next-hop 198.51.100.1 vrf " + "x" * 36: "the name of a VRF",
    }.items():
        out = cl.configure(r1, line)
        assert answer in out, "{}: {}".format(line, out)


def test_two_vrfs_with_one_map():
    "The second one by name is invalid, the first one goes on."
    r1 = gears("r1")[0]
    try:
        cl.configure(r1, "cluster bgp route-map {} vrf red".format(MAP))
        cl.expect(
            lambda: (policy(r1, "red")["status"] == "invalid", policy(r1, "red")),
            "the same name in two VRFs",
        )
        assert "same name" in policy(r1, "red")["why"], policy(r1, "red")
        state = leaves(r1, "red")
        assert state["status"] == "invalid" and "same name" in state["why"], state
        cl.expect(lambda: in_step(r1), "the first one")
    finally:
        cl.configure(r1, "cluster bgp route-map CLUSTERD-red vrf red")
    expect_in_step(r1, "each its own")


def test_drain_is_seen():
    "A drain: 65535:0 and the worst MED, with all the rest; the map isn't written."
    r1, r2 = gears("r1", "r2")
    expect_in_step(r1, "before")
    writings = policy(r1)["writings"]
    try:
        vip_line(r1, "rich", "drain")
        for family in (4, 6):
            expect_path(
                r2,
                RICH[family],
                "draining",
                med=4294967295,
                **dict(
                    RICH_SEEN,
                    communities=["65001:100", "gracefulShutdown", "noPeer"],
                ),
            )
    finally:
        vip_line(r1, "rich", "no drain")
    for family in (4, 6):
        expect_path(r2, RICH[family], "undone", med=50, **RICH_SEEN)
    assert policy(r1)["writings"] == writings, "the map was written"


# What the service of VIP rich hangs on in a test: a route.
GATE = "203.0.113.0/24"
STEPS = ["LB:65001:{}".format(12500000 * tenths) for tenths in range(1, 11)]


def bandwidths(router, mark, address):
    "The link bandwidth of each UPDATE about an address; None: withdrawn."
    found = []
    for attributes in lib_updates.updates(router, mark, address):
        named = attributes and re.search(r"LB:\d+:\d+", attributes)
        found.append(named and named[0])
    return found


def expect_bandwidths(router, mark, why, wanted, timeout=cl.DEADLINE):
    "These and no others, of both families."

    def check():
        seen = [bandwidths(router, mark, RICH[family]) for family in (4, 6)]
        return seen == [wanted, wanted], seen

    cl.expect(check, why, timeout)
    return check


def test_slow_start():
    """
    The link bandwidth grows by tenths, each of them one UPDATE, and begins anew
    when the service fails meanwhile; the map has it all before.
    """
    r1, r2 = gears("r1", "r2")
    gate = "ip route {{}} {} via 198.51.100.2".format(GATE)
    expect_in_step(r1, "before")
    writings = policy(r1)["writings"]
    session = cl.session_start(r2, NODE[4])
    r1.net.cmd_raises(gate.format("add"))
    try:
        mark = cl.log_mark(r2, "bgpd")
        cl.configure(r1, "cluster probe gate", "type route", "prefix " + GATE)
        vip_line(
            r1,
            "rich",
            "slow-start 40000",
            "flip-interval 0",
            "damping off",
            "probe gate",
        )
        cl.expect(lambda: cl.verdict_is(r1, "gate", "0.0.0.0", "up"), "no route")
        r1.net.cmd_raises(gate.format("del"))
        expect_bandwidths(r2, mark, "the service fails", [None])

        mark = cl.log_mark(r2, "bgpd")
        r1.net.cmd_raises(gate.format("add"))
        complete = expect_bandwidths(r2, mark, "not step by step", STEPS, 120)
        expect_path(r2, RICH[4], "in the end", med=50, **RICH_SEEN)
        cl.stays(complete, "an UPDATE without a change", 3)

        mark = cl.log_mark(r2, "bgpd")
        for steps in (3, 1):
            r1.net.cmd_raises(gate.format("del"))
            # (behind the next step, perhaps)
            cl.expect(
                lambda m=mark: all(
                    bandwidths(r2, m, RICH[family])[-1:] == [None] for family in (4, 6)
                ),
                "the service fails",
            )
            mark = cl.log_mark(r2, "bgpd")
            r1.net.cmd_raises(gate.format("add"))
            expect_bandwidths(r2, mark, "not from the beginning", STEPS[:steps])
            mark = cl.log_mark(r2, "bgpd")
    finally:
        vip_line(r1, "rich", "no slow-start", "no probe")
        vip_line(r1, "rich", "no flip-interval", "no damping")
        cl.configure(r1, "no cluster probe gate")
        r1.net.cmd_status(gate.format("del"), warn=False)
    for family in (4, 6):
        expect_path(r2, RICH[family], "without slow start", **RICH_SEEN)
    assert policy(r1)["writings"] == writings, "the map was written"
    assert cl.session_start(r2, NODE[4]) == session, "the session was reset"


def test_bgpd_refuses():
    """
    A file that is being loaded has a line that bgpd will refuse, and sessions
    share one candidate: ours is refused as well.  It is said, tried again, taken.
    """
    r1, r2 = gears("r1", "r2")
    expect_in_step(r1, "before")
    errors = policy(r1)["errors"]
    notified = oper.notifications(r1, "frr-clusterd-bgp:bgp-map-status-change")
    loader = Typist(r1, "configure terminal", "XFRR_start_configuration")
    try:
        loader.type("route-map OPWRONG permit 10")
        loader.type("on-match goto 5")
        vip_line(r1, "plain", "community 65001:13")

        # The next attempt, a second later, may be taken.
        entry = {"vrf": "default", "route-map": MAP, "last-change": oper.TIME}
        why = re.compile("^bgpd refused `.*; tried again in 1 s$")
        notified({**entry, "status": "back-off", "why": why})
        state = leaves(r1)
        assert int(state["errors"]) > errors, state
        assert "refused `" in state["last-error"], state
        assert oper.TIME.search(state["last-error-time"]), state
        assert policy(r1)["errors"] > errors, policy(r1)
        assert "refused `" in policy(r1)["lastError"], policy(r1)
        for family in (4, 6):
            expect_path(r2, PLAIN[family], "taken", communities=["65001:13"])
        expect_in_step(r1, "tried again")
        assert "OPWRONG" not in cl.running_config(r1, "bgpd"), "taken, too"
    finally:
        loader.end()
        vip_line(r1, "plain", "no community 65001:13")
    expect_path(r2, PLAIN[4], "changed back", communities=[])
