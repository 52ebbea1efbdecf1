# SPDX-License-Identifier: GPL-2.0-or-later
"""
frr-reload on a node with 100 VIPs: what changed changes, nothing else does.

    h1 (web servers) --- r1 (node) --- r2 (router)

VIP n has 192.0.2.n and 2001:db8:ff::n, the probe p(n % 10) and, except for
those below, one member.  r2 logs every prefix that an UPDATE names.
"""

import re

import pytest
import lib_cluster as cl

R1 = {4: "198.51.100.1", 6: "2001:db8:1::1"}
UP = {4: "203.0.113.11", 6: "2001:db8:2::11"}
OTHER = "203.0.113.12"
FAILED = "203.0.113.13"
SERVICES = ["{}:8080".format(a) for a in (UP[4], "[%s]" % UP[6], OTHER, FAILED)]
VIPS = range(1, 101)
PROBES = range(10)
TWO_MEMBERS = 30  # both healthy
HALF = 40  # one healthy, one failed
DOWN = 50  # the failed one alone

SERVER = {}


def address(number, family=4):
    "Address of a VIP."
    return ("192.0.2.{}" if family == 4 else "2001:db8:ff::{}").format(number)


def probe_section(number, more=()):
    "A probe."
    lines = [" type tcp", " port 8080", " interval 500", " timeout 250"]
    return ["cluster probe p{}".format(number), *lines, *more, "exit"]


def vip_section(number):
    "A VIP."
    members = {TWO_MEMBERS: [OTHER], HALF: [FAILED], DOWN: []}
    hosts = [UP[4], UP[6]] + members.get(number, [])
    if number == DOWN:
        hosts = [FAILED]
    return (
        ["cluster vip v{:03}".format(number), " probe p{}".format(number % 10)]
        + [" member " + host for host in hosts]
        + [" address " + address(number), " address " + address(number, 6), "exit"]
    )


def sections():
    "All of ours, {first line: lines}."
    found = [probe_section(n) for n in PROBES] + [vip_section(n) for n in VIPS]
    return {lines[0]: lines for lines in found}


def text_of(ours):
    "The text of sections."
    return "".join("".join(line + "\n" for line in s) + "!\n" for s in ours.values())


def changed(section, *edits):
    """
    Our sections with edits of one: ("+", line) adds behind the first line,
    ("-", line) removes.
    """
    ours = sections()
    for sign, line in edits:
        if sign == "+":
            ours[section].insert(1, " " + line)
        else:
            ours[section].remove(" " + line)
    return text_of(ours)


def build(tgen):
    "h1 - r1 - r2"
    for name in ("r1", "r2"):
        tgen.add_router(name)
    tgen.add_host("h1", ip=UP[4] + "/24", defaultRoute="via 203.0.113.1")
    cl.connect(tgen, s1=("r1", "r2"), s2=("r1", "h1"))


def prepare(tgen):
    "Addresses of the host."
    host = tgen.gears["h1"].net
    for member in (OTHER, FAILED):
        host.cmd_raises("ip address add {}/24 dev h1-eth0".format(member))
    host.cmd_raises("ip address add {}/64 dev h1-eth0 nodad".format(UP[6]))


def setup_module(module):
    "Start all, and load the 100 VIPs by a reload."
    tgen = cl.start(
        module,
        build,
        {"r1": ["zebra", "bgpd", "clusterd"], "r2": ["zebra", "bgpd"]},
        prepare=prepare,
    )
    r1, r2 = tgen.gears["r1"], tgen.gears["r2"]
    SERVER["h1"] = cl.HttpServer(tgen.gears["h1"], SERVICES)
    SERVER["h1"].tell(SERVICES[3], "close")
    for peer in R1.values():
        cl.warm_up(r2, peer)
    cl.vtysh(r2, "debug bgp updates in")
    # What vtysh would write is what an operator has in the file.
    cl.vtysh(r1, "write memory")
    SERVER["base"] = cl.frr_conf(r1)


def teardown_module(_module):
    "End."
    cl.stop()


def full(ours):
    "A frr.conf with these sections of ours."
    return SERVER["base"] + "!\n" + ours


def reload(r1, ours):
    "frr-reload with these sections of ours."
    SERVER["loaded"] = None
    out = cl.frr_reload(r1, full(ours))
    assert out == "", "frr-reload printed: {}".format(out)
    SERVER["loaded"] = ours


def in_table(router, numbers):
    "For expect(): exactly these VIPs are in the router's BGP table."
    for family in (4, 6):
        out = cl.vtysh_json(router, "show bgp ipv{} unicast json".format(family))
        seen = set(out.get("routes", {}))
        wanted = {
            cl.prefix_of(address(n, family))
            for n in numbers
            if family == 4 or n != DOWN
        }
        if seen != wanted:
            return False, seen ^ wanted
    return True, numbers


ANNOUNCED = [n for n in VIPS if n != DOWN]


@pytest.fixture(name="net")
def fixture_net():
    "r1, r2; the 100 VIPs as above, all is quiet."
    tgen = cl.usable()
    r1, r2 = tgen.gears["r1"], tgen.gears["r2"]
    for service in SERVICES[:3]:
        SERVER["h1"].tell(service, "ok")
    SERVER["h1"].tell(SERVICES[3], "close")
    if SERVER.get("loaded") != text_of(sections()):
        reload(r1, text_of(sections()))
    cl.expect(lambda: in_table(r2, ANNOUNCED), "the VIPs at the router")
    cl.expect(
        lambda: (
            set(cl.rib_hops(r1, address(TWO_MEMBERS))) == {UP[4], OTHER},
            cl.rib_hops(r1, address(TWO_MEMBERS)),
        ),
        "both members count",
    )
    return r1, r2


class Unchanged:
    "What a reload must leave alone: remembered, then compared."

    def __init__(self, r1, r2):
        self.r1, self.r2 = r1, r2
        self.sessions = self.sessions_now()
        self.instances = self.instances_now()
        self.pids = self.pids_now()
        self.mark = cl.log_mark(r2, "bgpd")

    def sessions_now(self):
        "Of the neighbour."
        return {peer: cl.session_start(self.r2, peer) for peer in R1.values()}

    def pids_now(self):
        "Of the node's daemons."
        return {d: cl.pid_of(self.r1, d) for d in cl.all_daemons(self.r1)}

    def instances_now(self):
        "The instances that the 100 VIPs use (others linger for a while)."
        out = cl.vtysh_json(self.r1, "show cluster probe json")
        return {
            (name, one["target"]): one
            for name, seen in out.items()
            for one in seen["instances"]
            if one["target"] in UP.values() or name == "p0"
        }

    def prefixes(self):
        "What UPDATEs have named: [(prefix, announced)]."
        return cl.prefixes_received(self.r2, self.mark)

    def check(self, why, skip=()):
        "Nothing was restarted, no counter went back, no verdict changed."
        assert self.sessions_now() == self.sessions, "{}: session reset".format(why)
        assert self.pids_now() == self.pids, "{}: daemon restarted".format(why)
        now = self.instances_now()
        for key, before in self.instances.items():
            if key[0] in skip:
                continue
            after = now.get(key)
            assert after, "{}: instance {} is gone".format(why, key)
            for counter in ("runs", "passes", "fails", "timeouts"):
                assert after[counter] >= before[counter], "{}: {} of {} reset".format(
                    why, counter, key
                )
            for same in ("verdict", "target"):
                assert after[same] == before[same], "{}: {} of {}: {} -> {}".format(
                    why, same, key, before[same], after[same]
                )
            assert (
                after["sinceMsec"] >= before["sinceMsec"]
            ), "{}: verdict of {} changed in between".format(why, key)


def ran_since(r1, numbers, before):
    "Wait until these probes ran twice more."

    def check():
        for number in numbers:
            name = "p{}".format(number)
            one = cl.instance(r1, name, UP[4])
            if one["runs"] < before[(name, UP[4])]["runs"] + 2:
                return False, one
        return True

    cl.expect(check, "the probes have stopped")


def test_unchanged_file(net):
    "The same file again: nothing to do, nothing done."
    r1, r2 = net
    same = Unchanged(r1, r2)
    config = cl.running_config(r1)
    sent = cl.summary(r1)["routes"]
    assert cl.pending_reload(r1, full(text_of(sections()))) == "", "work to do"
    reload(r1, text_of(sections()))
    ran_since(r1, PROBES, same.instances)
    same.check("unchanged file")
    assert same.prefixes() == [], "UPDATEs were sent"
    assert cl.running_config(r1) == config, "the configuration has changed"
    assert cl.summary(r1)["routes"] == sent, "routes were sent to zebra"


def weights(r1, of):
    "Next hops with their weights as configured: zebra 10 scales them up to 254."
    hops = cl.rib_hops(r1, of)
    return {hop: round(weight / min(hops.values())) for hop, weight in hops.items()}


ONE_MEMBER = 20
BOTH = {UP[4]: 1, OTHER: 1}
CHANGES = {
    # name: (VIP, edits, what UPDATEs must name, next hops at the node)
    "weight": (
        TWO_MEMBERS,
        [("-", "member " + OTHER), ("+", "member {} weight 7".format(OTHER))],
        [],
        {UP[4]: 1, OTHER: 7},
    ),
    "only member's weight": (
        ONE_MEMBER,
        [("-", "member " + UP[4]), ("+", "member {} weight 7".format(UP[4]))],
        [],
        {UP[4]: 1},
    ),
    "member's probe": (
        TWO_MEMBERS,
        [("-", "member " + OTHER), ("+", "member {} probe p1".format(OTHER))],
        [],
        BOTH,
    ),
    "probe": (ONE_MEMBER, [("-", "probe p0"), ("+", "probe p1")], [], {UP[4]: 1}),
    "member removed": (TWO_MEMBERS, [("-", "member " + OTHER)], [], {UP[4]: 1}),
    "member added": (TWO_MEMBERS, [("+", "member " + FAILED)], [], BOTH),
    "tag": (TWO_MEMBERS, [("+", "tag 85")], [(4, True), (6, True)], BOTH),
    "metric": (TWO_MEMBERS, [("+", "metric 5")], [(4, True), (6, True)], BOTH),
    "min-up": (TWO_MEMBERS, [("+", "min-up 2")], [(6, False)], BOTH),
    "address": (
        TWO_MEMBERS,
        [("-", "address " + address(TWO_MEMBERS)), ("+", "address 192.0.2.200")],
        [("192.0.2.200", True), (4, False)],
        {},
    ),
    "shutdown": (
        TWO_MEMBERS,
        [("+", "drain-time 0"), ("+", "shutdown")],
        [(4, False), (6, False)],
        {},
    ),
}


@pytest.mark.parametrize("what", CHANGES)
def test_one_vip_changes(net, what):
    "A change of one VIP of 100: UPDATEs name that one only."
    r1, r2 = net
    number, edits, wanted, hops = CHANGES[what]
    wanted = sorted(
        (address(number, of) if of in (4, 6) else of, up) for of, up in wanted
    )
    section = "cluster vip v{:03}".format(number)
    same = Unchanged(r1, r2)
    sent = cl.summary(r1)["routes"]
    reload(r1, changed(section, *edits))
    cl.expect(
        lambda: (sorted(same.prefixes()) == wanted, same.prefixes()),
        "{}: prefixes in UPDATEs, wanted {}".format(what, wanted),
        10,
    )
    ran_since(r1, PROBES, same.instances)
    cl.expect(
        lambda: (
            weights(r1, address(number)) == hops,
            cl.rib_hops(r1, address(number)),
        ),
        "{}: next hops".format(what),
        10,
    )
    seen = sorted(same.prefixes())
    assert seen == wanted, "{}: late UPDATEs: {}".format(what, seen)
    same.check(what, skip=["p0"] if "probe" in what else [])
    now = cl.summary(r1)["routes"]
    assert now["addsSent"] - sent["addsSent"] <= 2, "{}: other routes sent".format(what)
    assert now["deletesSent"] - sent["deletesSent"] <= 2, "{}: others deleted".format(
        what
    )
    left = cl.pending_reload(r1, full(changed(section, *edits)))
    assert left == "", "{}: a second reload would do: {}".format(what, left)


def test_vip_added_and_removed(net):
    "One more VIP, then without it: the other 100 see nothing (case 11)."
    r1, r2 = net
    same = Unchanged(r1, r2)
    more = text_of({"": ["cluster vip more", " member " + UP[4]]})
    reload(r1, text_of(sections()) + more.replace("!", " address 192.0.2.201\nexit\n!"))
    cl.expect(
        lambda: (same.prefixes() == [("192.0.2.201", True)], same.prefixes()),
        "a VIP was added",
        10,
    )
    reload(r1, text_of(sections()))
    cl.expect(
        lambda: (
            same.prefixes() == [("192.0.2.201", True), ("192.0.2.201", False)],
            same.prefixes(),
        ),
        "the VIP was removed",
        10,
    )
    same.check("one more VIP")


def test_address_moves_to_another_vip(net):
    "An address goes from one section to another: never withdrawn."
    r1, r2 = net
    same = Unchanged(r1, r2)
    ours = sections()
    ours["cluster vip v001"].remove(" address " + address(1))
    ours["cluster vip v002"].insert(1, " address " + address(1))
    reload(r1, text_of(ours))
    ran_since(r1, PROBES, same.instances)
    assert same.prefixes() == [], "UPDATEs were sent: {}".format(same.prefixes())
    same.check("address moved")
    assert address(1) in [a["address"] for a in cl.vip(r1, "v002")["addresses"]]


PROBE_EDITS = {
    "timing": [("-", "interval 500"), ("+", "interval 400"), ("+", "rise 5")],
    "type": [("-", "type tcp"), ("+", "type http")],
}


@pytest.mark.parametrize("what", PROBE_EDITS)
def test_one_probe_changes(net, what):
    "Others' counters and verdicts are untouched, no route event (case 30)."
    r1, r2 = net
    same = Unchanged(r1, r2)
    sent = cl.summary(r1)["routes"]
    reload(r1, changed("cluster probe p3", *PROBE_EDITS[what]))
    ran_since(r1, [n for n in PROBES if n != 3], same.instances)
    same.check(what, skip=["p3"])
    assert same.prefixes() == [], "{}: UPDATEs: {}".format(what, same.prefixes())
    assert cl.summary(r1)["routes"] == sent, "{}: routes were sent".format(what)
    for target in UP.values():
        seen = cl.instance(r1, "p3", target)
        assert seen["verdict"] == "up", "{}: edited probe: {}".format(what, seen)


def test_down_stays_down(net):
    "A VIP and a member that are down stay so over reloads (cases 3 to 5)."
    r1, r2 = net
    same = Unchanged(r1, r2)
    section = "cluster vip v{:03}".format(HALF)
    assert set(cl.rib_hops(r1, address(HALF))) == {UP[4]}, "failed member counts"
    for ours in (
        text_of(sections()),
        changed(
            section, ("-", "member " + FAILED), ("+", "member %s weight 3" % FAILED)
        ),
        changed("cluster probe p0", ("+", "rise 1")),
        text_of(sections()),
    ):
        reload(r1, ours)
        ran_since(r1, [0], same.instances)
        assert set(cl.rib_hops(r1, address(HALF))) == {UP[4]}, "failed member counts"
        seen = cl.vip(r1, "v{:03}".format(DOWN))
        assert seen["state"] == "down", "VIP that is down: {}".format(seen)
    assert same.prefixes() == [], "UPDATEs were sent: {}".format(same.prefixes())
    SERVER["h1"].tell(SERVICES[3], "ok")
    cl.expect(lambda: cl.in_kernel(r2, address(DOWN)), "the service is back")
    cl.expect(
        lambda: (
            len(cl.rib_hops(r1, address(HALF))) == 2,
            cl.rib_hops(r1, address(HALF)),
        ),
        "the member is back",
    )
    SERVER["h1"].tell(SERVICES[3], "close")
    cl.expect(lambda: cl.not_in_kernel(r2, address(DOWN)), "the service failed")


def test_file_without_our_sections(net):
    "Exactly ours go; the same file with them brings them back."
    r1, r2 = net
    same = Unchanged(r1, r2)
    before = cl.running_config(r1)
    reload(r1, "")
    cl.expect(lambda: in_table(r2, []), "withdrawn")
    assert cl.cluster_config(r1) == "", "left: {}".format(cl.cluster_config(r1))
    assert cl.vtysh_json(r1, "show cluster vip json") == {}, "VIPs are left"
    rest = "\n".join(
        line
        for line in re.sub(
            r"(?ms)^cluster .*?^exit\n(!\n)?", "", before + "\n"
        ).splitlines()
    )
    assert cl.running_config(r1) == rest, "more than ours was changed"
    assert cl.pending_reload(r1, full("")) == "", "work left to do"
    withdrawn = same.prefixes()
    # Each once, and as withdrawn.
    wanted = [(address(n), False) for n in ANNOUNCED]
    wanted += [(address(n, 6), False) for n in ANNOUNCED]
    assert sorted(withdrawn) == sorted(wanted), "UPDATEs named something else"
    mark = cl.log_mark(r2, "bgpd")
    reload(r1, text_of(sections()))
    cl.expect(lambda: in_table(r2, ANNOUNCED), "all are back")
    assert cl.running_config(r1) == before, "the configuration isn't the same"
    seen = cl.prefixes_received(r2, mark)
    assert sorted(seen) == sorted(
        (p, True) for p, _ in wanted
    ), "announced more than once"
    assert same.sessions_now() == same.sessions, "session reset"


def test_file_with_a_bad_line(net):
    "A mistyped line: frr-reload refuses the file, and nothing has changed."
    r1, r2 = net
    same = Unchanged(r1, r2)
    config = cl.running_config(r1)
    SERVER["loaded"] = None
    out = cl.frr_reload(r1, full(changed("cluster vip v001", ("+", "wieght 3"))))
    assert "wieght" in out, "frr-reload doesn't name the line: {!r}".format(out)
    assert cl.running_config(r1) == config, "the configuration has changed"
    same.check("bad line")
    assert same.prefixes() == [], "UPDATEs were sent: {}".format(same.prefixes())
