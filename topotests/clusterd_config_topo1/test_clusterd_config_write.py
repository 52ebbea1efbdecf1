# SPDX-License-Identifier: GPL-2.0-or-later
"""
`write memory` never loses what frr.conf has of clusterd: when it isn't there, ends
meanwhile, or has not read it; nor when the disk is full.

    r1 (zebra, bgpd, clusterd)
"""

import re
import signal
import subprocess

import pytest
import lib_cluster as cl
from lib_typist import Typist

PROBE = "cluster probe web\n type tcp\n port 80\nexit\n!\n"
VIP = "cluster vip www\n probe web\n member 203.0.113.11\n address 192.0.2.1\nexit\n!\n"
OURS = PROBE + VIP
NOT_READ = "has not read its lines"
NO_CONNECTION = "no connection to clusterd"


def build(tgen):
    "r1 alone."
    tgen.add_router("r1")
    cl.connect(tgen, s1=("r1",))


def setup_module(module):
    "Start all."
    cl.start(module, build, {"r1": ["zebra", "bgpd", "clusterd"]})


def teardown_module(_module):
    "End."
    cl.stop()


@pytest.fixture(name="r1")
def fixture_r1():
    "All daemons run; frr.conf with OURS was read, and written."
    r1 = cl.usable().gears["r1"]
    for daemon in cl.all_daemons(r1):
        if not cl.alive(r1, daemon):
            cl.start_daemon(r1, daemon)
    cl.forget_all(r1)
    assert cl.load_file(r1, OURS) == "", "refused"
    write(r1)
    for line in OURS.splitlines():
        assert line in cl.frr_conf(r1).splitlines(), "no {!r}".format(line)
    yield r1
    assert cl.alive(r1, "clusterd"), "clusterd died"


def write(r1):
    "It is written."
    out = cl.vtysh(r1, "write memory")
    assert "saved to /etc/frr/frr.conf" in out and "%" not in out, out


def expect_refused(r1, why, text, moment):
    "It isn't written, and that is said."
    out = cl.vtysh(r1, "write memory")
    assert "frr.conf is not written" in out and why in out, "{}: {!r}".format(
        moment, out
    )
    assert cl.frr_conf(r1) == text, "{}: frr.conf was written".format(moment)


def restart(r1):
    "clusterd, which is given nothing to read."
    cl.end_daemon(r1, "clusterd", signal.SIGKILL)
    cl.start_daemon(r1, "clusterd", load=False)


class Vtysh:
    "One that stays."

    def __init__(self, router):
        self.process = router.net.popen(
            ["timeout", "120", "vtysh"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )

        # It has said "enable" to all daemons then.
        self.say("show cluster summary")
        self.until("Watchdog")

    def say(self, line):
        "A command, whose answer isn't waited for."
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def until(self, text):
        "Reads lines until one begins so."
        while not self.process.stdout.readline().startswith(text):
            assert self.process.poll() is None, "vtysh ended"

    def end(self):
        "The rest of what it prints."
        return self.process.communicate()[0]

    def kill(self):
        "Now."
        self.process.kill()
        self.process.wait()


def test_write_without_clusterd(r1):
    """
    FRR's `write memory` asks the daemons that are there: without clusterd it is
    refused while frr.conf has sections of clusterd, also by a vtysh that was
    connected before.
    """
    written = cl.frr_conf(r1)
    for section in ((), ("cluster vip www",), ("router bgp 65001",)):
        out = cl.configure(r1, *section, "do write memory")
        assert "%" not in out, "{} and do write memory: {}".format(section, out)
    assert cl.frr_conf(r1) == written, "written from the configuration"
    old = Vtysh(r1)
    try:
        cl.end_daemon(r1, "clusterd")
        old.say("write memory")
        answers = [old.end()]
        for line in ("write memory", "write file", "copy running startup"):
            answers.append(cl.vtysh(r1, line))
        for answer in answers:
            assert "frr.conf is not written" in answer, answer
            assert NO_CONNECTION in answer, answer
            assert "Start clusterd" in answer, answer
        assert cl.frr_conf(r1) == written, "frr.conf was written"

        # whoever doesn't want it any more takes its lines away
        others = re.sub(r"^cluster .*?^exit\n", "", written, flags=re.M | re.S)
        cl.write_frr_conf(r1, others)
        out = cl.vtysh(r1, "write memory")
        assert "not written" not in out, "still refused: {}".format(out)
    finally:
        old.kill()
        cl.start_daemon(r1, "clusterd", load=False)


def test_write_before_it_has_read(r1):
    """
    watchfrr starts clusterd and then gives it the file: until it has come to the
    file's end, what clusterd has is nothing, or a part.
    """
    text = cl.frr_conf(r1)
    restart(r1)
    expect_refused(r1, NOT_READ, text, "nothing was read")
    reader = Typist(
        r1, "configure terminal", "XFRR_start_configuration", daemon="clusterd"
    )
    try:
        for line in PROBE.splitlines():
            reader.types(line)
        expect_refused(r1, NOT_READ, text, "a part was read")
    finally:
        reader.end()
    cl.expect(
        lambda: not cl.summary(r1)["configurationLoading"], "the reader isn't missed"
    )
    expect_refused(r1, NOT_READ, text, "who loaded it left before its end")
    assert cl.load_boot(r1, "clusterd") == "", "vtysh -b"
    write(r1)
    assert sorted(cl.frr_conf(r1).splitlines()) == sorted(text.splitlines())


def test_write_while_it_reads(r1):
    "A reload that is under way: the running configuration is half of each."
    text = cl.frr_conf(r1)
    begin = ("configure terminal", "XFRR_start_configuration")
    reader = Typist(r1, *begin, "no cluster vip www", daemon="clusterd")
    try:
        expect_refused(r1, NOT_READ, text, "it reads")
        reader.types("XFRR_end_configuration")
        write(r1)
    finally:
        reader.end()
    assert "cluster vip" not in cl.frr_conf(r1), "it is there"


def test_nothing_to_read(r1):
    """
    A node that has no lines for clusterd, or no file at all, where nobody loads
    one: what is typed is written, again and again.
    """
    others = re.sub(r"^cluster .*?^exit\n", "", cl.frr_conf(r1), flags=re.M | re.S)
    for there in (True, False):
        cl.end_daemon(r1, "clusterd", signal.SIGKILL)
        if there:
            cl.write_frr_conf(r1, others)
        else:
            r1.net.cmd_raises("rm /etc/frr/frr.conf")
        cl.start_daemon(r1, "clusterd", load=False)
        for line in OURS.split("!\n")[:-1]:
            cl.configure(r1, *line.splitlines())
            write(r1)
            assert line.splitlines()[0] in cl.frr_conf(r1), "not written"


@pytest.mark.parametrize(
    "size, fill, said",
    [
        (
            "size=64k",
            "dd if=/dev/zero of=/etc/frr/fill bs=1k count=100",
            "could not be written to its end, and is as it was",
        ),
        (
            "nr_inodes=64",
            "touch /etc/frr/fill{01..64}",
            "failed to open configuration file /etc/frr/frr.conf: No space left",
        ),
    ],
    ids=["data", "files"],
)
def test_disk_is_full(r1, size, fill, said):
    """
    FRR says [OK] of an empty file, or leaves none; here the former one stays, and it
    is said.
    """
    text = cl.frr_conf(r1)
    r1.net.cmd_raises(
        "cp -a /etc/frr /tmp/etc-frr && rm -f /tmp/etc-frr/frr.conf.sav && "
        "mount -t tmpfs -o {},mode=0775 tmpfs /etc/frr && "
        "chown frr:frr /etc/frr && cp -a /tmp/etc-frr/. /etc/frr".format(size)
    )
    try:
        assert r1.net.cmd_status(fill, warn=False)[0] != 0, "it isn't full"
        # twice: the second one must not take an empty file for the former one
        for _ in range(2):
            out = cl.vtysh(r1, "write memory")
            assert said in out, out
            assert "[OK]" not in out, out
            assert cl.frr_conf(r1) == text, "it is another file"
        r1.net.cmd_raises("rm /etc/frr/fill*")
        write(r1)
        assert cl.frr_conf(r1) == text
    finally:
        r1.net.cmd_raises("umount /etc/frr && rm -r /tmp/etc-frr")


@pytest.mark.parametrize("back", [False, True], ids=["gone", "back"])
def test_clusterd_dies_meanwhile(r1, back):
    """
    While vtysh asks the daemons for their configuration: here it waits for bgpd,
    which is asked before clusterd, and frr.conf is as it was.
    """
    text = cl.frr_conf(r1)
    vtysh = Vtysh(r1)
    cl.send_signal(r1, "bgpd", signal.SIGSTOP)
    try:
        vtysh.say("write memory")
        vtysh.until("Building Configuration")
        cl.end_daemon(r1, "clusterd", signal.SIGKILL)
        assert cl.frr_conf(r1) == text, "it is empty while daemons are asked"
        if back:
            cl.start_daemon(r1, "clusterd", load=False)
        cl.send_signal(r1, "bgpd", signal.SIGCONT)
        vtysh.say("show running-config")
        out = vtysh.end()
    finally:
        cl.send_signal(r1, "bgpd", signal.SIGCONT)
        vtysh.kill()
    if not back:
        cl.start_daemon(r1, "clusterd", load=False)
    assert "frr.conf is not written" in out, out
    assert (NOT_READ if back else NO_CONNECTION) in out, out
    assert cl.frr_conf(r1) == text, "it was written"
    # What was collected in vain isn't printed by the next command.
    assert out.count("\nrouter bgp ") == 1, "printed twice: {}".format(out)
