# SPDX-License-Identifier: GPL-2.0-or-later
"""
The configuration language: what is written is read back, what is wrong is
refused and changes nothing, one mistake doesn't take the rest along.

    h1 (member addresses) --- r1 (zebra, bgpd, clusterd)
"""

import re
import signal
import time

import pytest
import lib_cluster as cl
import config_lines
import hub_lines
import lib_oper as oper
from lib_typist import Typist

EVERYTHING = config_lines.EVERYTHING + hub_lines.EVERYTHING
LEAVES = config_lines.LEAVES + hub_lines.LEAVES
DEFAULTS = config_lines.DEFAULTS + hub_lines.DEFAULTS
BAD_INPUT = config_lines.BAD_INPUT + hub_lines.BAD_INPUT
BAD_SHOW = config_lines.BAD_SHOW + hub_lines.BAD_SHOW
SECTION = {**config_lines.SECTION, **hub_lines.SECTION}
# All of them, without a line inside; as show running-config prints them.
EMPTY = "\n".join(line + "\nexit" for line in SECTION.values())

MEMBER = "203.0.113.11"
VIPS = 1000


def build(tgen):
    "h1 - r1"
    tgen.add_router("r1")
    tgen.add_host("h1", ip=MEMBER + "/24", defaultRoute="via 203.0.113.1")
    tgen.add_switch("s1")
    for gear in ("r1", "h1"):
        tgen.gears["s1"].add_link(tgen.gears[gear])


def setup_module(module):
    "Start all."
    cl.start(module, build, {"r1": ["zebra", "bgpd", "clusterd"]})


def teardown_module(_module):
    "End."
    cl.stop()


@pytest.fixture(name="r1")
def fixture_r1():
    "The router without any cluster section; what the test leaves is deleted."
    r1 = cl.usable().gears["r1"]
    if not cl.alive(r1, "clusterd"):
        cl.start_daemon(r1, "clusterd", load=False)
    clear(r1)
    yield r1
    assert cl.alive(r1, "clusterd"), "clusterd died"


def clear(r1):
    "Delete all cluster sections."
    cl.forget_all(r1)
    left = cl.cluster_config(r1)
    assert left == "", "sections that can't be deleted: {}".format(left)


def without_log(text):
    "Configuration without the log lines that the framework adds."
    return "\n".join(
        line for line in text.splitlines() if not re.match(r"(no )?log ", line)
    )


def wanted_config(text):
    "What cl.cluster_config() returns for a text with separators."
    return "\n".join(line for line in text.splitlines() if line != "!")


def expect_maps(r1):
    "bgpd's part is written behind the reply; a VRF of the file may not exist."

    def check():
        seen = cl.vtysh_json(r1, "show cluster bgp policy json")
        states = {one.get("status") for one in seen.values()}
        return states <= {None, "in-step", "invalid"}, seen

    cl.expect(check, "bgpd's route-maps aren't written")


def in_any_order(text):
    "Sections: bgpd of FRR 10 prints route-maps in the order of their creation."
    return sorted(text.split("\n!\n"))


def test_round_trip(r1):
    "Configure, write, restart, compare byte for byte."
    out = cl.load_file(r1, EVERYTHING)
    assert out == "", "loading printed: {}".format(out)
    shown = cl.cluster_config(r1)
    assert shown == wanted_config(EVERYTHING), "running configuration: {}".format(shown)
    expect_maps(r1)
    before = without_log(cl.running_config(r1))

    out = cl.vtysh(r1, "write memory")
    assert "frr.conf" in out, "write memory printed: {}".format(out)
    written = without_log(cl.frr_conf(r1))
    # commands of one line stand before all sections, of other daemons, too
    for part in EVERYTHING.split("!\n", 1):
        assert wanted_config(part) in wanted_config(written), "frr.conf: " + written
    out = cl.vtysh(r1, "write memory")
    again = without_log(cl.frr_conf(r1))
    assert again == written, "writing twice gives different files"

    cl.write_frr_conf(r1, written + "\n")
    cl.end_all(r1)
    out = cl.start_all(r1)
    assert "%" not in out, "vtysh -b printed: {}".format(out)
    expect_maps(r1)
    after = without_log(cl.running_config(r1))
    assert cl.cluster_config(r1) == shown, "our part after the restart"
    assert in_any_order(after) == in_any_order(
        before
    ), "configuration after the restart:\n{}\nbefore:\n{}".format(after, before)


def test_sections_printed_once(r1):
    "show running-config of all daemons prints every section once."
    cl.load_file(r1, EVERYTHING)
    whole = cl.running_config(r1).splitlines()
    for line in EVERYTHING.splitlines():
        if line.startswith("cluster "):
            assert whole.count(line) == 1, "{!r} is printed {} times".format(
                line, whole.count(line)
            )


def test_paste_in_any_order(r1):
    "The order of lines and sections doesn't matter."
    sections = [s for s in EVERYTHING.split("!\n") if s]
    text = ""
    for section in reversed(sections):
        first, *lines, last = section.strip().splitlines()
        text += "\n".join([first] + lines[::-1] + [last]) + "\n"
    out = cl.load_file(r1, text)
    assert out == "", "loading printed: {}".format(out)
    shown = cl.cluster_config(r1)
    assert shown == wanted_config(EVERYTHING), "running configuration: {}".format(shown)


def test_without_exit_lines(r1):
    "A section may begin inside another one."
    text = re.sub(r"^exit\n", "", EVERYTHING, flags=re.M).replace("!\n", "")
    out = cl.configure(r1, *text.splitlines())
    assert out == "", "configuration printed: {}".format(out)
    shown = cl.cluster_config(r1)
    assert shown == wanted_config(EVERYTHING), "running configuration: {}".format(shown)


def test_loading_twice_changes_nothing(r1):
    "The same file again: the same configuration."
    for _ in range(2):
        out = cl.load_file(r1, EVERYTHING)
        assert out == "", "loading printed: {}".format(out)
    shown = cl.cluster_config(r1)
    assert shown == wanted_config(EVERYTHING), "running configuration: {}".format(shown)


def test_leaving_nodes(r1):
    "exit, quit and end leave the nodes of the sections."
    for section in ("cluster probe web", "cluster vip www"):
        for leave in ("exit", "quit"):
            out = cl.configure(r1, section, leave, "hostname r1", "exit")
            assert out == "", "{}, {}: {}".format(section, leave, out)
        out = cl.configure(r1, section, "end", "show version")
        assert "FRRouting" in out, "{}, end: {}".format(section, out)


def type_script(r1, lines):
    """
    Type lines in one vtysh, going on behind errors; the answer to each.
    """
    path = "/tmp/typed-{}".format(r1.name)
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    out = r1.net.cmd("COLUMNS=1000 timeout 120 vtysh < " + path)
    # "r1(config)# line", then the answer.
    parts = re.split(r"^r1(?:\(\S+\))?# ", out, flags=re.M)[1:]
    answers = []
    for line, part in zip(lines, parts):
        typed, _, answer = part.partition("\n")
        assert typed == line, "{!r} wasn't typed: {}".format(line, part)
        answers.append(answer)
    assert len(answers) == len(lines), "vtysh ended early: {}".format(out[-500:])
    return answers


def test_no_forms(r1):
    "Every line can be taken back, with and without its value."
    empty = EMPTY
    out = cl.configure(r1, *empty.splitlines())
    assert out == "", "empty sections: {}".format(out)
    assert cl.cluster_config(r1) == empty, "empty sections aren't shown"
    show = "show running-config clusterd"
    script = []
    for node, line, undo in LEAVES:
        script += ["configure terminal", SECTION[node], line, "end", show]
        script += ["configure terminal", SECTION[node], undo, "end", show]
    answers = iter(type_script(r1, script))
    for node, line, undo in LEAVES:
        for typed in (line, undo):
            _, _, answer, _, shown = [next(answers) for _ in range(5)]
            errors = [
                text
                for text in answer.splitlines()
                if text.startswith("%") and not cl.NOTE.match(text)
            ]
            assert not errors, "{}: {}: {}".format(node, typed, errors)
            shown = "\n".join(
                text
                for text in shown[shown.find("cluster ") :].splitlines()
                if text not in ("!", "end", "")
            )
            if typed == line:
                assert "\n " + line + "\n" in shown, "{} isn't shown: {}".format(
                    line, shown
                )
            else:
                assert shown == empty, "left behind {!r}: {}".format(undo, shown)


def test_defaults_are_not_shown(r1):
    "A line that sets the default isn't printed."
    empty = EMPTY
    cl.configure(r1, *empty.splitlines())
    for node, line in DEFAULTS:
        out = cl.configure(r1, SECTION[node], line)
        assert out == "", "{}: {}: {}".format(node, line, out)
    assert cl.cluster_config(r1) == empty, "defaults are shown: {}".format(
        cl.cluster_config(r1)
    )


def test_member_line_replaces(r1):
    "A member's line replaces its attributes; their order is free."
    cl.configure(
        r1,
        "cluster vip www",
        "member 203.0.113.11 probe web weight 3 interface r1-eth0",
    )
    assert (
        " member 203.0.113.11 interface r1-eth0 weight 3 probe web"
        in cl.cluster_config(r1).splitlines()
    ), "attributes in another order: {}".format(cl.cluster_config(r1))
    cl.configure(r1, "cluster vip www", "member 203.0.113.11 weight 2")
    assert (
        " member 203.0.113.11 weight 2" in cl.cluster_config(r1).splitlines()
    ), "the new line doesn't replace: {}".format(cl.cluster_config(r1))
    cl.configure(r1, "cluster vip www", "member 203.0.113.11")
    assert (
        " member 203.0.113.11" in cl.cluster_config(r1).splitlines()
    ), "the new line doesn't replace: {}".format(cl.cluster_config(r1))


def test_ipv6_forms(r1):
    "One address, however it is written, is one object."
    cl.configure(
        r1,
        "cluster vip www",
        "member 2001:DB8:2:0:0::11",
        "member 2001:db8:2::11 weight 2",
        "address 2001:0db8:00ff:0000:0000:0000:0000:0001",
        "address 2001:DB8:FF::1",
    )
    wanted = [
        "cluster vip www",
        " member 2001:db8:2::11 weight 2",
        " address 2001:db8:ff::1",
        "exit",
    ]
    shown = cl.cluster_config(r1).splitlines()
    assert shown == wanted, "IPv6 forms: {}".format(shown)
    out = cl.configure(
        r1,
        "cluster vip www",
        "no member 2001:DB8:2:0::11",
        "no address 2001:db8:ff:0::1",
    )
    assert out == "", "deleting by another form: {}".format(out)
    assert cl.cluster_config(r1) == "cluster vip www\nexit", "forms: {}".format(
        cl.cluster_config(r1)
    )


def test_odd_names(r1):
    "Names that look like something else."
    names = ["0", "a.b", "A:b", "vip", "exit", "no", "weight", "interface"]
    names += ["1.2.3.4", "2001:db8::1", "x" * 63, "a--b__c..d::e"]
    for name in names:
        out = cl.configure(
            r1,
            "cluster probe " + name,
            "type tcp",
            "port 80",
            "exit",
            "cluster vip " + name,
            "probe " + name,
            "member {} weight 2 probe {}".format(MEMBER, name),
        )
        assert out == "", "name {!r}: {}".format(name, out)
        state = cl.vip(r1, name)
        assert state, "show cluster vip {} json is empty".format(name)
        assert state["members"][0]["probe"] == name, "name {!r}: {}".format(name, state)
        assert cl.probe(r1, name), "show cluster probe {} json is empty".format(name)
    shown = cl.cluster_config(r1)
    for name in names:
        for line in (
            "cluster probe " + name,
            "cluster vip " + name,
            " member {} weight 2 probe {}".format(MEMBER, name),
        ):
            assert line in shown.splitlines(), "{!r} isn't shown: {}".format(
                line, shown
            )
    cl.load_file(r1, "no cluster vip nosuch\n")
    out = cl.load_file(r1, shown + "\n")
    assert out == "", "loading what was shown printed: {}".format(out)
    assert cl.cluster_config(r1) == shown, "loading what was shown changed it"


def test_one_word_begins_another(r1):
    "`cluster hub` isn't taken for the beginning of `cluster hub-cluster NAME`."
    clusters = "cluster hub-cluster east\n load-limit 7\nexit"
    hub = "cluster hub\n port 7\nexit"
    abbreviated = "cluster hub-c east\n load-limit 7\nexit"
    for text in (clusters + "\n" + hub, hub + "\n" + abbreviated):
        clear(r1)
        # by a file, and typed
        out = cl.load_file(r1, text + "\n")
        assert out == "", "loading printed: {}".format(out)
        assert cl.cluster_config(r1) == clusters + "\n" + hub
        assert cl.configure(r1, *text.splitlines()) == ""
        assert cl.cluster_config(r1) == clusters + "\n" + hub

    assert "tunnel-address" in cl.configure(r1, "cluster hub", "list")
    assert "auto-rebalance" in cl.configure(r1, "cluster hub-cluster west", "list")
    cl.configure(r1, "no cluster hub-cluster west")

    cl.configure(r1, "no cluster hub")
    assert cl.cluster_config(r1) == clusters, "no cluster hub"
    cl.load_file(r1, hub + "\nno cluster hub-cluster east\n")
    assert cl.cluster_config(r1) == hub, "no cluster hub-cluster"


BASE = """\
cluster probe web
 type tcp
 port 80
exit
cluster vip www
 probe web
 member 203.0.113.11
 address 192.0.2.1
exit
"""


def test_bad_input(r1):
    "Every command with bad input: refused, with a reason, nothing changes."
    hubs = "".join(f"{line}\nexit\n" for line in hub_lines.SECTION.values())
    out = cl.load_file(r1, BASE + hubs)
    assert out == "", "loading printed: {}".format(out)
    before = cl.cluster_config(r1)
    pid = cl.pid_of(r1, "clusterd")
    for node in (None, *SECTION):
        table = [entry[1:] for entry in BAD_INPUT if entry[0] == node]
        entry = ["configure terminal"] + ([SECTION[node]] if node else [])
        script = []
        for line, _ in table:
            script += entry + [line, "end"]
        answers = type_script(r1, script)[len(entry) :: len(entry) + 2]
        for (line, wanted), answer in zip(table, answers):
            assert re.search(wanted, answer), "{!r} answered: {!r}".format(line, answer)
        after = cl.cluster_config(r1)
        assert after == before, "bad input changed the configuration: {}".format(after)
    for line, answer in BAD_SHOW:
        out = cl.vtysh(r1, line)
        assert re.search(answer, out), "{!r} answered: {!r}".format(line, out)
    assert cl.pid_of(r1, "clusterd") == pid, "clusterd was restarted"
    cl.expect(lambda: cl.vip(r1, "www"), "clusterd answers no more")


def test_full_lists(r1):
    "One more than a list has room for is refused, typed and in a file."
    for node, lines, more, why in hub_lines.FULL:
        out = cl.load_file(r1, "\n".join([SECTION[node], *lines, "exit", ""]))
        assert out == "", "{}: {}".format(node, out)
        before = cl.cluster_config(r1)
        out = cl.configure(r1, SECTION[node], more)
        assert why in out, "{!r} answered {!r}".format(more, out)
        out = cl.load_file(r1, "\n".join([SECTION[node], more, "exit", ""]))
        assert why in out, "{!r} in a file: {!r}".format(more, out)
        out = cl.configure(r1, SECTION[node], lines[0])
        assert out == "", "{!r}, which is there: {!r}".format(lines[0], out)
        assert cl.cluster_config(r1) == before, "the configuration has changed"
        out = cl.configure(r1, SECTION[node], "no " + lines[0], more)
        assert out == "", "one less, one more: {!r}".format(out)
        assert " " + more in cl.cluster_config(r1).splitlines(), "isn't there"


def test_bad_line_in_a_file(r1):
    "A bad line in a file is named, with its number; the rest is loaded."
    text = BASE.replace(" member", " member 300.1.1.1\n member")
    out = cl.load_file(r1, text)
    assert re.search(r"line 7.*member 300\.1\.1\.1", out), "vtysh -f: {}".format(out)
    assert cl.cluster_config(r1) == BASE.strip(), "loaded: {}".format(
        cl.cluster_config(r1)
    )


def test_dry_run(r1):
    "vtysh -C: a good file is good, a bad one bad; nothing is loaded."
    cl.write_frr_conf(r1, EVERYTHING)
    rc, out, err = r1.net.cmd_status("timeout 20 vtysh -C", warn=False)
    assert rc == 0, "vtysh -C of a good file: {} {} {}".format(rc, out, err)
    cl.write_frr_conf(r1, EVERYTHING.replace("port 22", "port 70000"))
    rc, out, err = r1.net.cmd_status("timeout 20 vtysh -C", warn=False)
    assert rc != 0, "vtysh -C of a bad file: {} {}".format(out, err)
    assert "port 70000" in out + err, "vtysh -C doesn't name the line: {}".format(
        out + err
    )
    assert cl.cluster_config(r1) == "", "vtysh -C changed the configuration"


def test_completion(r1):
    "vtysh knows the commands: ? and completion."
    out = cl.vtysh(r1, "list")
    for text in ("show cluster vip", "show cluster probe", "show cluster summary"):
        assert text in out, "vtysh's list lacks {!r}".format(text)
    out = cl.configure(r1, "cluster vip www", "list")
    for text in ("member", "address", "min-up ![(1-256)]", "shutdown", "exit", "end"):
        assert text in out, "vtysh's list in a VIP lacks {!r}: {}".format(text, out)
    out = cl.configure(r1, "cluster probe web", "list")
    for text in ("type ![<icmp|tcp|http|https|", "interval ![(10-3600000)]", "exit"):
        assert text in out, "vtysh's list in a probe lacks {!r}: {}".format(text, out)


def test_unknown_probe(r1):
    "A probe that isn't configured: accepted, down with the reason, then used."
    out = cl.configure(
        r1,
        "cluster vip www",
        "probe later",
        "member " + MEMBER,
        "address 192.0.2.1",
    )
    assert "%" not in out, "an unknown probe is refused: {}".format(out)
    cl.expect(
        lambda: "later" in cl.vip(r1, "www")["members"][0]["why"],
        "the reason doesn't name the probe",
    )
    assert cl.vip(r1, "www")["state"] != "announced", "announced without its probe"
    cl.configure(r1, "cluster probe later", "type icmp", "interval 100")
    cl.expect(lambda: cl.vip_is(r1, "www", "announced"), "the probe exists now")
    cl.configure(r1, "no cluster probe later")
    cl.expect(lambda: cl.vip_is(r1, "www", "down"), "the probe was deleted")


def test_incomplete_objects(r1):
    "Objects that lack something say what."
    cl.configure(r1, "cluster vip empty")
    state = cl.vip(r1, "empty")
    assert state["state"] == "down" and state["why"], "no address: {}".format(state)
    cl.configure(r1, "cluster vip empty", "address 192.0.2.1")
    cl.expect(
        lambda: "member" in cl.vip(r1, "empty")["addresses"][0]["why"], "no member"
    )
    cl.configure(r1, "cluster probe noport", "type tcp", "target " + MEMBER)
    cl.expect(
        lambda: "port" in cl.instance(r1, "noport", MEMBER)["why"], "tcp without port"
    )
    cl.configure(r1, "cluster vip red", "vrf red", "address 192.0.2.2")
    cl.expect(lambda: cl.vip_is(r1, "red", "waiting"), "a VRF that doesn't exist")
    assert "red" in cl.vip(r1, "red")["why"], "the reason doesn't name the VRF"


def many(bad=None):
    """
    1000 VIPs; section number 500 has the line `bad` instead of its address.
    """
    text = []
    for number in range(VIPS):
        text.append("cluster vip v{}".format(number))
        text.append(" member " + MEMBER)
        address = " address 192.0.{}.{}".format(2 + number // 250, 1 + number % 250)
        text.append(bad if bad and number == 500 else address)
        text.append("exit")
    return "\n".join(text) + "\n"


def announced(r1):
    "How many VIPs are announced, in the RIB, in BGP."
    return (
        cl.summary(r1)["vips"]["announced"],
        len(cl.vtysh_json(r1, "show ip route openfabric json")),
        cl.vtysh_json(r1, "show bgp ipv4 unicast json").get("totalRoutes")
        or len(cl.vtysh_json(r1, "show bgp ipv4 unicast json").get("routes", {})),
    )


def expect_announced(r1, count, why, timeout=cl.DEADLINE):
    "So many, everywhere."
    cl.expect(
        lambda: (announced(r1) == (count,) * 3, announced(r1)),
        "announced (clusterd, RIB, BGP), {}".format(why),
        timeout,
        interval=0.3,
    )


def base_conf():
    "The router's own sections."
    return cl.own_conf(__file__, "r1")


def boot(r1, text):
    "Restart clusterd with that frr.conf, as at boot; vtysh's output."
    cl.end_daemon(r1, "clusterd")
    cl.write_frr_conf(r1, text)
    cl.start_daemon(r1, "clusterd", load=False)
    return cl.load_boot(r1, "clusterd")


@pytest.mark.parametrize(
    "bad",
    [
        " address 192.0.2.300",
        " address 224.0.0.1",
        " nosuch line",
        " min-up 0",
        " member 203.0.113.11 weight 256",
    ],
)
def test_one_bad_section_of_1000(r1, bad):
    "One section with a bad line: the other 999 are announced."
    out = boot(r1, many(bad))
    assert (
        bad.strip() in out or "500" in out or bad.split()[1] in out
    ), "nobody names the bad line: {}".format(out[-2000:])
    expect_announced(r1, VIPS - 1, "one section is bad")
    state = cl.vip(r1, "v500")
    assert state["state"] == "down", "the bad section: {}".format(state)


def test_unknown_entry_line(r1):
    """
    An entry line that doesn't exist: vtysh names it and returns an error; the
    lines of its section are refused one by one, the other sections load.
    """
    text = many().replace("cluster vip v500\n", "cluster vipp v500\n")
    out = boot(r1, text)
    assert re.search(
        r"line 2001.*vipp", out
    ), "nobody names the unknown line: {}".format(out[-2000:])
    expect_announced(r1, VIPS - 1, "one entry line is unknown")
    rc, _, _ = r1.net.cmd_status("timeout 60 vtysh -b", warn=False)
    assert rc not in (0, 124), "vtysh -b returns {}".format(rc)
    rc, out, err = r1.net.cmd_status("timeout 60 vtysh -C", warn=False)
    assert rc not in (0, 124), "vtysh -C returns {}".format(rc)
    assert "vipp" in out + err, "vtysh -C doesn't name the line: {}".format(out + err)


def test_refused_entry_line(r1):
    "A section whose name is refused."
    text = many().replace("cluster vip v500\n", "cluster vip v/500\n")
    boot(r1, text)
    expect_announced(r1, VIPS - 1, "one name is bad")
    log = cl.log_of(r1)
    assert "v/500" in log, "the log doesn't name the bad section"


def test_long_commit(r1):
    """
    libfrr takes seconds to commit a prefix list of some hundred lines, which is
    no hang: the watchdog, here of half a second, waits while a file is loaded.
    """
    cl.end_daemon(r1, "clusterd")
    cl.start_daemon(r1, "clusterd", "--watchdog 500")
    pid = cl.pid_of(r1, "clusterd")
    text = "".join(
        "ip prefix-list BIG seq {} permit 10.{}.{}.0/24\n".format(i, i >> 8, i & 255)
        for i in range(1, 401)
    )
    out = cl.load_file(r1, text)
    assert out == "", out[-2000:]
    lines = cl.vtysh(r1, "show running-config", daemon="clusterd").count("list BIG")
    assert (lines, cl.pid_of(r1, "clusterd")) == (400, pid), "it was ended"
    # it is back to its own time-out with the next beat
    cl.stays(lambda: cl.alive(r1, "clusterd"), "it was ended", 0.3)
    cl.send_signal(r1, "clusterd", signal.SIGSTOP)
    cl.expect(lambda: not cl.alive(r1, "clusterd"), "the watchdog stays patient")
    cl.start_daemon(r1, "clusterd")
    assert cl.load_file(r1, "no ip prefix-list BIG\n") == ""


def test_long_commit_while_others_load(r1):
    """
    Two load files: the end of the one isn't that of the other, whose prefix list
    is committed by the line for its end, in a time that the watchdog waits.  One
    who leaves has come to an end as well.
    """

    def loads():
        return cl.summary(r1)["configurationLoading"]

    cl.end_daemon(r1, "clusterd")
    cl.start_daemon(r1, "clusterd", "--watchdog 500")
    pid = cl.pid_of(r1, "clusterd")
    begin = ("configure terminal", "XFRR_start_configuration")
    slow = Typist(r1, *begin, daemon="clusterd")
    quick = Typist(r1, *begin, daemon="clusterd")
    gone = Typist(r1, *begin, daemon="clusterd")
    try:
        quick.types("XFRR_end_configuration")
        gone.end()
        # three beats of the watchdog's: it knows what it knows
        cl.stays(loads, "the end of one file is that of all", 0.3)
        for i in range(1, 401):
            slow.types(
                "ip prefix-list BIG seq {} permit 10.{}.{}.0/24".format(
                    i, i >> 8, i & 255
                )
            )
        slow.types("XFRR_end_configuration")
        assert cl.pid_of(r1, "clusterd") == pid, "it was ended"
        assert not loads(), "the end wasn't noticed"
        slow.types("XFRR_start_configuration")
        assert loads(), "the second file"
    finally:
        slow.end()
        quick.end()
    cl.expect(lambda: not loads(), "nobody is there any more")
    # it is back to its own time-out with the next beat
    cl.stays(lambda: not loads(), "somebody is there again", 0.3)
    cl.send_signal(r1, "clusterd", signal.SIGSTOP)
    cl.expect(lambda: not cl.alive(r1, "clusterd"), "the watchdog stays patient")
    cl.start_daemon(r1, "clusterd")


def test_ended_while_it_reads(r1):
    "SIGTERM in the middle of a file: what wasn't committed yet is dropped."
    reader = Typist(
        r1, "configure terminal", "XFRR_start_configuration", daemon="clusterd"
    )
    try:
        for line in ("cluster probe web", "type tcp", "exit", "cluster vip www"):
            reader.types(line)
        cl.end_daemon(r1, "clusterd")
    finally:
        reader.end()
    log = cl.log_of(r1).rpartition("Terminating on signal")[2]
    assert not cl.CRASH.search(log), log
    cl.start_daemon(r1, "clusterd", load=False)


def test_long_operational_data(r1):
    """
    libfrr collects the operational data of 1000 VIPs in one go, which may take
    longer than the watchdog waits: that is no hang.
    """
    cl.write_frr_conf(r1, many())
    cl.end_daemon(r1, "clusterd")
    cl.start_daemon(r1, "clusterd", "--watchdog 1500")
    expect_announced(r1, VIPS, "after loading")
    pid = cl.pid_of(r1, "clusterd")
    seen = oper.operational(r1, "frr-clusterd-vip", "cluster-vips")
    assert len(seen["vip"]) == VIPS, "{} VIPs".format(len(seen["vip"]))
    assert cl.pid_of(r1, "clusterd") == pid, "it was ended"
    cl.end_daemon(r1, "clusterd")
    cl.start_daemon(r1, "clusterd", load=False)


def test_1000_deletions(r1):
    "1000 sections are loaded and deleted in seconds."
    start = time.monotonic()
    out = cl.load_file(r1, many())
    loading = time.monotonic() - start
    assert out == "", "loading printed: {}".format(out[-2000:])
    expect_announced(r1, VIPS, "after loading")
    start = time.monotonic()
    out = cl.load_file(
        r1, "".join("no cluster vip v{}\n".format(n) for n in range(VIPS))
    )
    deleting = time.monotonic() - start
    assert out == "", "deleting printed: {}".format(out[-2000:])
    expect_announced(r1, 0, "after deleting")
    assert cl.cluster_config(r1) == "", "sections are left"
    assert loading < 20, "loading took {:.1f} s".format(loading)
    assert deleting < 20, "deleting took {:.1f} s".format(deleting)


def test_debug_commands(r1):
    "debug cluster: switched on, shown, written, switched off."
    categories = ("probe", "sched", "vip", "zebra")
    for category in categories:
        out = cl.vtysh(r1, "debug cluster " + category, "show debugging")
        assert (
            "Cluster {} debugging is on".format(category) in out
        ), "show debugging: {}".format(out)
    out = cl.vtysh(r1, "no debug cluster", "show debugging")
    assert (
        "debugging is on" not in out.partition("Cluster")[2]
    ), "show debugging: {}".format(out)
    for category in categories:
        cl.configure(r1, "debug cluster " + category)
        shown = cl.running_config(r1).splitlines()
        assert (
            shown.count("debug cluster " + category) == 1
        ), "running configuration: {}".format(shown)
        cl.configure(r1, "no debug cluster " + category)
        shown = cl.running_config(r1).splitlines()
        assert (
            "debug cluster " + category not in shown
        ), "running configuration: {}".format(shown)


def test_notes(r1):
    "Who types is told what can't work yet; a file is loaded without notes."
    text = "cluster vip www\n probe later\nexit\n"
    out = cl.vtysh(r1, "configure terminal", *text.splitlines())
    assert "Note:" in out and "later" in out, "an unknown probe: {!r}".format(out)
    for section, line in (
        ("cluster track t", "probe later"),
        ("cluster track t", "next-hop 192.0.2.9 probe later"),
        ("cluster responder r", "condition probe later"),
    ):
        out = cl.vtysh(r1, "configure terminal", section, line)
        assert "Note: probe later is not configured yet" in out, (line, out)
    out = cl.vtysh(r1, "configure terminal", "cluster probe later", "type tcp")
    out = cl.vtysh(r1, "configure terminal", "no cluster probe later")
    assert "Note: probe later is in use" in out, "a probe in use: {!r}".format(out)
    out = cl.vtysh(r1, "configure terminal", "cluster probe idle", "exit")
    out = cl.vtysh(r1, "configure terminal", "no cluster probe idle")
    assert out == "", "a probe that nobody uses: {!r}".format(out)
    out = cl.vtysh(r1, "configure terminal", "cluster probe p", "type tcp")
    assert "Note:" in out and "port" in out, "tcp without a port: {!r}".format(out)
    out = cl.load_file(r1, text + "cluster probe p\n type tcp\nexit\n")
    assert out == "", "loading a file printed: {}".format(out)
