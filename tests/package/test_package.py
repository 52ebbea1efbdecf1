#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
The Debian package's life on one machine, from installation to purge.

    test_package.py VERSION PACKAGE MODULE_PACKAGE      (by tests/package/run, in a throw-away root)

Each function test_* is a chapter of one story, in the order of the file; the
first that fails ends it.  Results go to standard output, what was run and what
it said to standard error.
"""

import json
import os
import pathlib
import re
import shutil
import signal
import sys

from machine import (
    CLUSTER_CONFIG,
    CONFIG,
    DAEMONS,
    ETC,
    FRR,
    INIT,
    OURS,
    VIP2,
    VTYSH,
    WATCHED,
    WORK,
    digest,
    pid_of,
    pids,
    poll,
    run,
    start_neighbours,
    tell,
    vtysh,
    wait_for_no_vip,
    wait_for_vip,
    write_config,
)

VERSION, PACKAGE, MODULE = sys.argv[1:4]
TOP = pathlib.Path(__file__).resolve().parents[2]
RELOAD = FRR / "frr-reload.py"
DIVERTED = {VTYSH: VTYSH.parent / "vtysh.frr", RELOAD: FRR / "frr-reload.py.frr"}
MARK = "# frr-clusterd-enable\n"
# What is there before frr-clusterd, to be compared with what is left of it.
STOCK = {}
OWNER = {}
FILES = set()
# New packages that the chapters need, by name.
DEBS = {}


# ---- helpers ---------------------------------------------------------------


def dpkg(*arguments, status=0):
    "dpkg as an unattended upgrade runs it: a question would find no answer, and fail."
    text = run("dpkg", *arguments, status=status, seconds=300)
    assert "Configuration file" not in text, "dpkg asked about a configuration file"
    return text


def installed(package):
    "Its version, or None."
    text = run(
        "dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}", package, status=None
    )
    return text.split()[1] if text.startswith("installed ") else None


def diversions():
    "Our diversions: {from: to}."
    text = run("dpkg-divert", "--list", "*frr*")
    return dict(
        re.findall(r"^diversion of (\S+) to (\S+) by frr-clusterd$", text, re.M)
    )


def files():
    "All files of the system, but those that FRR itself leaves (saved configuration)."
    paths = set()
    for top in ("/etc", "/usr"):
        for folder, _, names in os.walk(top):
            paths.update(
                os.path.join(folder, name) for name in names if name != "frr.conf.sav"
            )
    return paths


def sourced(before=""):
    "What FRR's scripts make of the daemons file, under set -e: daemons/enabled/options."
    script = 'DAEMONS=zebra; {}; . /etc/frr/daemons; echo "$DAEMONS/$clusterd/$clusterd_options"'
    return run("bash", "-ec", script.format(before or ":")).strip()


def check_ours():
    "vtysh and frr-reload are ours, FRR's own are aside, dpkg has no complaint."
    for path, aside in DIVERTED.items():
        assert path.resolve() == OURS / path.name, "{} isn't ours".format(path)
        assert aside.exists(), "{} is missing".format(aside)
    expected = {str(path): str(aside) for path, aside in DIVERTED.items()}
    assert diversions() == expected, "diversions: {}".format(diversions())
    assert run("dpkg", "--audit") == "", "dpkg --audit complains"


def check_stock():
    "Everything is as it was before the first installation."
    for path, value in STOCK.items():
        assert digest(path) == value, "{} isn't the stock one".format(path)
    assert diversions() == {}, "diversions are left: {}".format(diversions())
    left = [
        path for path in (OURS, FRR / "clusterd", *DIVERTED.values()) if path.exists()
    ]
    assert not left, "left over: {}".format(left)
    assert run("dpkg", "--audit") == "", "dpkg --audit complains"


def check_files():
    "No file has come or gone since before the first installation."
    now = files()
    assert now == FILES, "left over: {}, missing: {}".format(
        sorted(now - FILES), sorted(FILES - now)
    )


def check_contents():
    "The package has every model, manual page and chapter of the manual."
    listed = {
        path[: -len(".gz")] if path.endswith(".gz") else path
        for path in run("dpkg-query", "-L", "frr-clusterd").splitlines()
    }
    for source, target in (
        ("yang/*.yang", "/usr/share/yang"),
        ("doc/manpages/*.1", "/usr/share/man/man1"),
        ("doc/manpages/*.8", "/usr/share/man/man8"),
        ("debian/sbin/*.8", "/usr/share/man/man8"),
        ("doc/user/*.rst", "/usr/share/doc/frr-clusterd"),
    ):
        names = {os.path.join(target, path.name) for path in TOP.glob(source)}
        assert names, "no {}".format(source)
        assert names <= listed, "not in the package: {}".format(names - listed)


def check_enabled(yes=True):
    "The one line is there, or the file is as before."
    lines = [
        line for line in DAEMONS.read_text().splitlines(True) if "clusterd" in line
    ]
    if yes:
        assert len(lines) == 1 and lines[0].endswith(MARK), "lines: {}".format(lines)
    else:
        assert digest(DAEMONS) == STOCK[DAEMONS], "daemons isn't as before"
    stat = DAEMONS.stat()
    assert (stat.st_uid, stat.st_gid, stat.st_mode) == OWNER[
        "daemons"
    ], "owner or mode changed"


def unpacked(deb, name):
    "A package's tree, to change something in it."
    tree = WORK / "tree" / name
    shutil.rmtree(tree, ignore_errors=True)
    run("dpkg-deb", "--raw-extract", deb, tree)
    return tree


def set_version(tree, version):
    "Give the package in a tree another version."
    control = tree / "DEBIAN/control"
    control.write_text(
        re.sub(r"(?m)^Version: .*", "Version: " + version, control.read_text())
    )


def packed(tree, name):
    "Make a package of a tree."
    DEBS[name] = WORK / (name + ".deb")
    run("dpkg-deb", "--root-owner-group", "-Znone", "--build", tree, DEBS[name])
    return DEBS[name]


def repack(package):
    "The tree of an installed package whose files nobody has changed yet."
    tree = WORK / "tree" / package
    (tree / "DEBIAN").mkdir(parents=True)
    for path in run("dpkg-query", "-L", package).splitlines():
        target = tree / path.lstrip("/")
        # /lib is the base system's link, though it is in the list
        if os.path.isdir(path):
            target.mkdir(parents=True, exist_ok=True)
        elif os.path.lexists(path):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target, follow_symlinks=False)
    for path in run("dpkg-query", "--control-path", package).splitlines():
        kind = path.rsplit(".", maxsplit=1)[1]
        if kind not in ("list", "md5sums"):
            shutil.copy2(path, tree / "DEBIAN" / kind)
    # dpkg has the list of configuration files in the package's fields
    section = r"(?m)^Conffiles:\n((?: .*\n)+)"
    fields = re.sub(r"(?m)^Status: .*\n", "", run("dpkg-query", "-s", package))
    found = re.search(section, fields)
    if found:
        paths = [line.split()[0] + "\n" for line in found.group(1).splitlines()]
        (tree / "DEBIAN/conffiles").write_text("".join(paths))
    (tree / "DEBIAN/control").write_text(re.sub(section, "", fields))
    return tree


def prepare_debs():
    "New revisions and versions of frr and frr-pythontools, whose vtysh and frr-reload differ; and the installed ones."
    version = installed("frr")
    upstream = version.split("-")[0]
    for package, path in (("frr", VTYSH), ("frr-pythontools", RELOAD)):
        tree = repack(package)
        packed(tree, package + "-old")
        file = tree / str(path).lstrip("/")
        file.write_bytes(file.read_bytes() + b"\n# new\n")
        set_version(tree, version + "+test1")
        packed(tree, package + "-revision")
        set_version(tree, upstream + ".9-1")
        packed(tree, package + "-upstream")


# ---- the story -------------------------------------------------------------


def prepare():
    "The machine before frr-clusterd: FRR is installed and set up, but not started."
    WORK.mkdir()
    # what depends on the revision of frr would be in the way of a new one
    for package in run("dpkg-query", "-W", "-f", "${Package}\n", "frr*").split():
        if package not in ("frr", "frr-pythontools") and installed(package):
            dpkg("--purge", package)
    prepare_debs()
    DAEMONS.write_text(DAEMONS.read_text().replace("bgpd=no", "bgpd=yes"))
    write_config(CONFIG)
    for path in (DAEMONS, *DIVERTED):
        STOCK[path] = digest(path)
        assert STOCK[path], "no {} to begin with".format(path)
    FILES.update(files())
    stat = DAEMONS.stat()
    OWNER["daemons"] = (stat.st_uid, stat.st_gid, stat.st_mode)
    start_neighbours()


def test_failed_first_installation():
    "a first installation that fails leaves the stock files"
    tree = unpacked(PACKAGE, "clash")
    # a file of another package, without a diversion: dpkg refuses it after having unpacked some
    (tree / "usr/lib/frr/zebra").write_text("")
    dpkg("-i", packed(tree, "clash"), status=1)
    assert installed("frr-clusterd") is None, "it is installed"
    dpkg("--purge", "frr-clusterd", status=None)
    check_stock()


def test_install():
    "install: vtysh and frr-reload diverted, nothing enabled"
    dpkg("-i", PACKAGE)
    check_ours()
    check_enabled(False)
    for path, aside in DIVERTED.items():
        assert digest(aside) == STOCK[path], "{} isn't the stock file".format(aside)
    check_contents()
    names = run(FRR / "clusterd", "--version")
    assert "clusterd" in names, "clusterd --version says: {}".format(names)


def test_enable_refuses():
    "enable: refuses a file that isn't as expected, and says what to do"
    text = DAEMONS.read_text()
    for bad, advice in (
        (text + 'DAEMONS="$DAEMONS clusterd"\n', "Remove them"),
        (text + "clusterd=yes\n", "Remove them"),
        (text.rstrip("\n"), "line feed"),
        (text + "if\n", "Correct it"),
        (text + "clusterd=no " + MARK, "was changed"),
        (text + "true " + MARK + "true " + MARK, "all but one"),
    ):
        DAEMONS.write_text(bad)
        said = run("frr-clusterd-enable", status=1)
        assert advice in said, "'{}' not in the advice: {}".format(advice, said)
        assert DAEMONS.read_text() == bad, "the file was changed"
    DAEMONS.write_text(text)
    elsewhere = DAEMONS.rename(ETC / "elsewhere")
    assert "no file" in run(
        "frr-clusterd-enable", status=1
    ), "a missing file isn't told"
    DAEMONS.symlink_to(elsewhere)
    assert "symbolic link" in run("frr-clusterd-enable", status=1), "a link isn't told"
    elsewhere.rename(DAEMONS)
    run("frr-clusterd-enable", "--now", status=2)
    check_enabled(False)


def test_enable():
    "enable, disable: one line, once, and back"
    run("frr-clusterd-disable")
    check_enabled(False)
    run("frr-clusterd-enable")
    check_enabled()
    once = digest(DAEMONS)
    run("frr-clusterd-enable")
    assert digest(DAEMONS) == once, "the second enable changed the file"
    for before, after in (("", "-A 127.0.0.1"), ("clusterd_options=-x", "-x")):
        said = sourced(before)
        assert said == "zebra clusterd/yes/" + after, "FRR's scripts see: {}".format(
            said
        )
    run("frr-clusterd-disable")
    check_enabled(False)
    run("frr-clusterd-enable")
    left = sorted(path.name for path in ETC.glob("daemons*"))
    assert left == ["daemons"], "left in /etc/frr: {}".format(left)


def test_start():
    "start: FRR brings clusterd up, the VIP is at the peer"
    write_config(CONFIG + CLUSTER_CONFIG)
    run(INIT, "start")
    pids(WATCHED + ("clusterd",))
    wait_for_vip()
    status = run(INIT, "status")
    assert "clusterd: running" in status, "status doesn't say that clusterd runs"


def test_write_memory():
    "write memory keeps clusterd's configuration"
    vtysh("write memory")
    text = (ETC / "frr.conf").read_text()
    for line in (
        "cluster vip www",
        " member 203.0.113.11",
        " address 192.0.2.80",
        "router bgp 65001",
    ):
        assert line in text.splitlines(), "'{}' isn't in the written frr.conf".format(
            line
        )


def test_killed():
    "kill -9: watchfrr brings clusterd back with its configuration"
    before = pids(WATCHED + ("clusterd",))
    config = vtysh("show running-config")
    os.kill(before["clusterd"], signal.SIGKILL)
    poll(lambda: pid_of("clusterd") not in (None, before["clusterd"]), "a new clusterd")
    wait_for_vip()
    poll(
        lambda: vtysh("show running-config") == config, "the same running configuration"
    )
    after = pids()
    assert after == {name: before[name] for name in WATCHED}, "other daemons restarted"


def test_reload():
    "frrinit.sh reload takes over one more VIP"
    before = pids(WATCHED[1:] + ("clusterd",))
    config = (ETC / "frr.conf").read_text()
    write_config(
        config.replace(
            " address 192.0.2.80\n", " address 192.0.2.80\n address 192.0.2.81\n"
        )
    )
    run(INIT, "reload")
    wait_for_vip(VIP2)
    wait_for_vip()
    assert pids(WATCHED[1:] + ("clusterd",)) == before, "daemons restarted"


def test_bgp_module():
    "the module of bgpd: enabled, loaded; removed while enabled, bgpd starts without it"
    daemons = DAEMONS.read_text()
    assert "not installed" in run(
        "frr-clusterd-enable", "--bgp-module", status=1
    ), "enabled without the module"
    dpkg("-i", MODULE)
    run("frr-clusterd-enable", "--bgp-module")
    run("frr-clusterd-enable", "--bgp-module")
    line = DAEMONS.read_text()[len(daemons) :]
    assert line.count("\n") == 1 and "-M clusterd" in line, "added: " + line
    run(INIT, "restart")
    wait_for_vip()
    command = "show bgp process-queue json"
    state = json.loads(vtysh(command))
    assert state["VRF default"] == {"holdMsec": 2, "adjusted": True}, state
    dpkg("--purge", "frr-clusterd-bgp")
    run(INIT, "restart")
    wait_for_vip()
    pids(WATCHED + ("clusterd",))
    said = run("timeout", "20", "vtysh", "-c", command, status=None)
    assert "Unknown command" in said, "the module is still there"
    run("frr-clusterd-disable", "--bgp-module")
    assert DAEMONS.read_text() == daemons, "disable left something"


def test_frr_revision():
    "a new Debian revision of frr: no question, vtysh stays ours, a warning"
    before = pids(("zebra", "bgpd", "clusterd"))
    said = dpkg("-i", DEBS["frr-revision"], DEBS["frr-pythontools-revision"])
    assert installed("frr").endswith("+test1"), "frr isn't the new one"
    check_ours()
    check_enabled()
    for path, aside in DIVERTED.items():
        assert digest(aside) != STOCK[path], "{} isn't the new file".format(aside)
    assert said.count("are newer than ours") == 1, "no warning, or several"
    assert pids(("zebra", "bgpd", "clusterd")) == before, "daemons restarted"
    wait_for_vip()


def test_failed_upgrade():
    "an upgrade of ours that fails changes nothing"
    before = digest(OURS / "vtysh")
    tree = unpacked(PACKAGE, "clash")
    set_version(tree, "99")
    (tree / "usr/lib/frr/zebra").write_text("")
    dpkg("-i", packed(tree, "clash"), status=1)
    assert digest(OURS / "vtysh") == before, "vtysh changed"
    assert installed("frr-clusterd") not in (None, "99"), "the old one isn't installed"
    check_ours()
    check_enabled()
    wait_for_vip()


def test_upgrade():
    "an upgrade of ours keeps configuration and state; restarting only clusterd uses it"
    before = pids(WATCHED + ("clusterd",))
    tree = unpacked(PACKAGE, "upgrade")
    set_version(tree, installed("frr-clusterd").replace("+frr", "+test+frr"))
    said = dpkg("-i", packed(tree, "upgrade"))
    check_ours()
    check_enabled()
    assert pid_of("clusterd") == before["clusterd"], "clusterd restarted by itself"
    wait_for_vip()
    command = re.search(r"To restart it: (.*)", said)
    assert command, "how to restart it isn't told"
    run(*command.group(1).split())
    poll(lambda: pid_of("clusterd") not in (None, before["clusterd"]), "a new clusterd")
    wait_for_vip()
    wait_for_vip(VIP2)
    assert pids() == {name: before[name] for name in WATCHED}, "other daemons restarted"


def test_frr_upstream():
    "another upstream version of frr doesn't go with ours, and the way back"
    said = run("apt-get", "--simulate", "install", DEBS["frr-upstream"], status=None)
    assert "Remv frr-clusterd" in said, "apt doesn't see the conflict"
    # past apt: dpkg unpacks it, and leaves our trigger to when the dependency is fulfilled
    dpkg("-i", DEBS["frr-upstream"], status=None)
    assert "frr-clusterd" in run("dpkg", "--audit"), "dpkg has no complaint"
    dpkg("-i", DEBS["frr-old"], DEBS["frr-pythontools-old"])
    check_ours()
    check_enabled()
    for path, aside in DIVERTED.items():
        assert digest(aside) == STOCK[path], "{} isn't the old file again".format(aside)


def test_disable():
    "disable, and the commands it tells: clusterd ends, all else goes on"
    before = pids(WATCHED[1:])
    said = run("frr-clusterd-disable")
    check_enabled(False)
    commands = re.findall(r"(/usr/lib/frr/\S+ [a-z ]+)", said)
    assert len(commands) == 2, "commands told: {}".format(commands)
    for command in commands:
        run(*command.split())
    wait_for_no_vip()
    assert pid_of("clusterd") is None, "clusterd still runs"
    assert pids(WATCHED[1:]) == before, "other daemons restarted"


def test_remove():
    "remove and purge: the stock state is back"
    write_config(CONFIG)
    for action in ("--remove", "--purge"):
        dpkg(action, "frr-clusterd")
        check_stock()
        check_enabled(False)
    check_files()
    vtysh("show bgp summary")
    run(INIT, "restart")
    pids()


def test_enable_with_reload():
    "enable in a running FRR: a reload starts clusterd, nothing else restarts"
    dpkg("-i", PACKAGE)
    before = pids(WATCHED[1:])
    run("frr-clusterd-enable")
    write_config(CONFIG + CLUSTER_CONFIG)
    run(INIT, "reload")
    poll(lambda: pid_of("clusterd"), "clusterd started")
    wait_for_vip()
    assert pids(WATCHED[1:]) == before, "other daemons restarted"


def test_remove_running():
    "removed while it runs: warned, VIPs withdrawn, FRR starts again"
    before = pids(WATCHED[1:])
    said = dpkg("--remove", "frr-clusterd")
    for warning in ("still enabled", "sections"):
        assert warning in said, "no warning: {}".format(warning)
    wait_for_no_vip()
    poll(lambda: pid_of("clusterd") is None, "clusterd ends")
    assert pids(WATCHED[1:]) == before, "other daemons restarted"
    run(INIT, "restart")
    pids()
    poll(lambda: "65002" in vtysh("show bgp summary"), "bgpd has its configuration")
    # the sections were the last, as vtysh writes them; stock vtysh writes what it knows
    vtysh("write memory")
    assert "cluster " not in (ETC / "frr.conf").read_text(), "cluster sections are left"
    check_enabled()
    assert sourced() == "zebra//", "the line isn't without effect: {}".format(sourced())
    # frr's preinst sources it, too
    dpkg("-i", DEBS["frr-old"])
    dpkg("--purge", "frr-clusterd")


def test_without_pythontools():
    "frr-pythontools may come and go"
    dpkg("--remove", "frr-pythontools")
    dpkg("-i", PACKAGE)
    assert RELOAD.resolve() == OURS / "frr-reload.py", "frr-reload isn't ours"
    run(RELOAD, "--help")
    dpkg("-i", DEBS["frr-pythontools-old"])
    check_ours()
    dpkg("--purge", "frr-clusterd")
    run("sed", "-i", "/{}/d".format(MARK.strip()), DAEMONS)
    check_stock()
    run(INIT, "stop")


if __name__ == "__main__":
    sys.exit(tell(VERSION, prepare, globals()))
