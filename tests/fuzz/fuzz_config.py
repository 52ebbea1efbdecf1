#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Random commands, valid and not, on a live clusterd.

The commands are made from the command strings of the sources and the nodes
that they are installed in, so that a new command is covered without a word
here.  They reach the daemon by two vty sessions at a time and by files that
vtysh reads.  In the meantime a link goes up and down.

* every variable of every command is each of some words with a meaning to a
  path, a format or a file (HOSTILE), before the first round;
* the daemon never ends before SIGTERM, always answers, and frees what it has
  when it ends: by the leak sanitizer, and by libfrr's own count of what is
  left;
* what it doesn't take is refused by a text of ours: the northbound's says
  nothing to whoever typed, and the line is answered as if all were well;
* what `write` saved is loaded by `vtysh -b` into a new daemon without a
  complaint, and is its running configuration again: frr-reload has nothing to
  add to it or to delete, and VIPs and probes are configured as they had become
  line by line.

A round is a fresh daemon and ROUND_COMMANDS commands; rounds follow each other
for FUZZ_SECONDS (20).  The first round's seed is FUZZ_SEED (random), each
further one's is one more: a failed round is repeated by its seed alone.

CLUSTER_BUILD is the build folder of one FRR version (build/8.4); the daemon is
the one with sanitizers (tools/build --asan) if there is one.
"""

import json
import os
import pathlib
import random
import re
import secrets
import select
import signal
import socket
import subprocess
import sys
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("CLUSTER_BUILD", TOP / "build/8.4")).resolve()
os.environ["FRR_VERSION"] = BUILD.name
sys.path.insert(0, str(TOP / "tools"))

import lab as lab_module  # noqa: E402
from lab import Box, LabError, Link, Router  # noqa: E402

ROUND_COMMANDS = 300
ANSWER = 30  # s
STOP_SIGNALS = 4
HISTORY = 40  # commands that are printed after a failure

# Of `show cluster vip json`: what the configuration alone decides.
VIP_KEYS = ["vrf", "tag", "metric", "distance", "minUp", "local", "localHoldMsec"]
VIP_KEYS += ["drainFile", "probe"]
MEMBER_KEYS = ["address", "interface", "weight", "probe", "drain"]

# Words for the variables of commands, most of them good.  Few names, so that
# objects refer to each other.
NAMES = ["A", "B", "c-1", "d.e:f_g", "0", "default", "x" * 62, "Z9" * 31 + "x"]
BAD_NAMES = ["-a", "", "a'b", "a]b", "a/b", '"', "ä", "x" * 64, "x" * 300, "%s%n", "*"]
V4 = ["203.0.113.2", "203.0.113.3", "203.0.113.77", "192.0.2.1", "192.0.2.2"]
BAD_V4 = ["0.0.0.0", "224.0.0.1", "255.255.255.255", "127.0.0.1", "1.2.3", "1.2.3.256"]
V6 = ["2001:db8:2::2", "2001:DB8:2::3", "2001:db8::1", "fe80::1", "::ffff:192.0.2.1"]
BAD_V6 = ["::", "::1", "ff02::1", "2001:db8::g", "1::2::3", "fe80::1%lo"]
IFNAMES = ["host", "lo", "none", "x" * 15, "x" * 16, "a/b"]
WORDS = {
    "PATH": (["/", "/a?b=c&d=%20", "/" + "p" * 254], ["a", "/ ", "/" + "p" * 255]),
    "HOST": (["example.com", "h" * 253], ["-", "a..", "h" * 254, "a b"]),
    "FILE": (["/nonexistent/ca.pem"], ["ca.pem", "/" + "p" * 255]),
    "COMMAND...": (["/bin/true", "/bin/true a b", "/x " + "a" * 500], ["true", "/x ä"]),
    "LINE...": (["PING\\r\\n", "^a( b)?$", "l" * 255], ["\\q", "(", "l" * 256]),
    "RANGES": (["200", "200-299,404"], ["2xx", "299-200", "200,"]),
    "A.B.C.D/M": (
        ["203.0.113.0/24", "10.0.0.0/8", "0.0.0.0/0"],
        ["203.0.113.1/24", "1.2.3.4/33", "224.0.0.0/4"],
    ),
    "X:X::X:X/M": (
        ["2001:db8::/32", "::/0"],
        ["2001:db8::1/64", "fe80::/10", "::/129"],
    ),
    "COMMUNITY": (
        ["65001:1", "65001:2", "no-export", "1:2:3", "65001:4294967295:0"],
        ["0:0", "1", "65536:1", "a:b:c", "1:2:3:4", "internet"],
    ),
    "IFNAME": (IFNAMES, ["x" * 200]),
    "UUID": (
        ["%08x-0000-4000-8000-%012x" % (i % 2, i) for i in range(1, 7)]
        + ["ABCDEF00-0000-4000-8000-ABCDEF000000"],
        ["0", "00000000-0000-0000-0000-000000000000", "'", "f" * 36, "1-2-3-4-5"],
    ),
}
# What has a meaning where a word may end up: a path, a format, a file.
HOSTILE = ["a'b", 'a"b', "a]b", "%s%n", "../..", "ä", "x" * 1100]
# Octets that aren't UTF-8 (as Python writes them), and controls.
HOSTILE += ["\udcff", "a\x7f"]
# What FRR's parser takes for good, and libyang or our models may not.
HOSTILE_KINDS = {
    "PATH": ["/", "/\udcff", "/a\x01.prom", "/.prom", "/\udcc3.prom", "/a\u00a0b"],
    "FILE": ["/\udcff", "/a\x01", "/a\u00a0b"],
    "COMMAND...": ["/x a|\tb", "/x |\tb", "/x \udcff", "/x a\x01"],
    "LINE...": ["a|\tb", "a |\tb", "a\udcff", "a\x01b", "a\u0085b", "a\u00a0b"],
    "COMMUNITY": ["000000065001:1", "0000000000000065001", "000000065001:1:1"],
    "A.B.C.D": ["203.0.113.00", "203.0.00.3"],
    "A.B.C.D/M": ["203.0.113.00/24", "203.0.113.0/024", "203.0.113.0/ 24"],
    "X:X::X:X": ["2001:db8::192.0.2.00", "::2:3:4:5:6:7:8:9", "2001:db8::00001"],
    "X:X::X:X/M": ["2001:db8::/032", "2001:db8::192.0.2.00/128"],
}
HOSTILE_NUMBERS = ["+{}", "000000000000000000000000{}", "\v{}"]
# libfrr's own words for what was typed well and isn't applied.
RAW = re.compile(
    r"Failed to edit configuration|Configuration failed|Failed to apply|libyang"
)
# What libfrr counts as left at the end; FRR 8 itself keeps its list of key chains.
LEFT = re.compile(r"memstats: +(.*\S) *: +(\d+) \*")
FRR_8 = BUILD.name.startswith("8.")
LEFT_BY_FRR = {("Link List", "1")} if FRR_8 else set()
FORMS = 8  # of each command, at random
JUNK = [
    "",
    " ",
    "?",
    "!",
    "# x",
    "no",
    "exit x",
    "cluster",
    "member",
    "no no",
    "\t",
    "|",
]


# --- command strings ------------------------------------------------------------


class Grammar:
    """FRR's language of command strings: <a|b>, [a], {a|b}, ![a], (1-9), NAME."""

    TOKEN = re.compile(r"\(-?\d+-\d+\)|!\[|[<>\[\]{}|]|[^\s<>\[\]{}|]+")

    def __init__(self, text):
        self.tokens = self.TOKEN.findall(re.sub(r"\$\w+", "", text))
        self.tree = self.alternatives(None)

    def alternatives(self, end):
        """One or more sequences with | between, up to the token `end`."""
        found = [[]]
        while self.tokens:
            token = self.tokens.pop(0)
            if token == end:
                break
            if token == "|":
                found.append([])
            elif token in "<{[" or token == "![":
                close = {"<": ">", "{": "}"}.get(token, "]")
                found[-1].append((token, self.alternatives(close)))
            else:
                found[-1].append(token)
        return found

    def words(self, rng, wild):
        """A command of this form; `wild`: the probability of a bad word."""
        return [self.word(token, rng, wild) for token in self.form(self.tree[0], rng)]

    def hostile(self, rng):
        """Commands, good but for one word: each variable is each of HOSTILE."""
        forms = {tuple(self.form(self.tree[0], rng)) for _ in range(FORMS)}
        for form in sorted(forms):
            for place, token in enumerate(form):
                if token.isupper() or token[0] == "(":
                    words = [self.word(other, rng, 0) for other in form]
                    hostile = HOSTILE + HOSTILE_KINDS.get(token, [])
                    if token[0] == "(":
                        hostile += [
                            text.format(words[place]) for text in HOSTILE_NUMBERS
                        ]
                    for words[place] in hostile:
                        yield " ".join(words)

    def form(self, items, rng):
        """The tokens of one of its forms, its variables among them."""
        tokens = []
        for item in items:
            if isinstance(item, str):
                tokens.append(item)
                continue
            kind, inner = item
            if kind == "<":
                tokens += self.form(rng.choice(inner), rng)
            elif kind == "{":
                for choice in rng.sample(inner, rng.randint(1, len(inner))):
                    tokens += self.form(choice, rng)
            elif kind == "![":  # optional behind `no` only
                if tokens[:1] != ["no"] or rng.random() < 0.5:
                    tokens += self.form(rng.choice(inner), rng)
            elif inner == [["no"]]:
                tokens += ["no"] if rng.random() < 0.25 else []
            elif rng.random() < 0.6:
                tokens += self.form(rng.choice(inner), rng)
        return tokens

    @staticmethod
    def word(token, rng, wild):
        bad = rng.random() < wild
        if match := re.fullmatch(r"\((-?\d+)-(\d+)\)", token):
            low, high = map(int, match.groups())
            if bad:
                return str(rng.choice([low - 1, high + 1, -5, 1 << 64, "x", "1x"]))
            near = min(high, low + 2000)
            return str(rng.choice([low, high, rng.randint(low, near)]))
        if token in ("A.B.C.D", "X:X::X:X"):
            good, worse = (V4, BAD_V4) if token == "A.B.C.D" else (V6, BAD_V6)
            return rng.choice(worse if bad else good)
        if token.isupper():
            good, worse = WORDS.get(token, (NAMES, BAD_NAMES))
            return rng.choice(worse if bad else good)
        if bad and rng.random() < 0.2:
            return token[:-1]  # an abbreviation, if it is one
        return token


def source_commands():
    """{node's name: the Grammars of its commands}"""
    texts, nodes = {}, {}
    define = re.compile(
        r"^DEF(?:PY|UN)\w* ?\(\w+,\s*(\w+),\s*((?:\"[^\"]*\"\s*)+),", re.M
    )
    install = re.compile(r"install_element\((\w+), &(\w+)\)")
    files = [p.read_text(encoding="utf-8") for p in (TOP / "clusterd").rglob("*.c")]
    for file in files:
        for name, text in define.findall(file):
            texts[name] = "".join(re.findall(r"\"([^\"]*)\"", text))
    for file in files:
        for node, name in install.findall(file):
            if name in texts:
                nodes.setdefault(node, []).append(Grammar(texts[name]))
    return nodes


class Generator:
    """Commands, one after the other, as somebody would type them who knows
    the language, makes mistakes, and forgets where they are."""

    def __init__(self, rng, nodes):
        self.rng = rng
        self.nodes = {
            node: sorted(grammars, key=lambda g: str(g.tree))
            for node, grammars in sorted(nodes.items())
        }
        self.config = self.nodes["CONFIG_NODE"]
        self.show = self.nodes["VIEW_NODE"] + self.nodes["ENABLE_NODE"]
        self.inside = [n for n in self.nodes if n.startswith("CLUSTER_")]

    def entry(self, node, wild=0.05):
        """The command that enters a node: `cluster vip NAME`."""
        kind = node.removeprefix("CLUSTER_").removesuffix("_NODE").lower()
        kind = kind.replace("_", "-")
        entries = [g for g in self.config if g.tree[0][:2] == ["cluster", kind]]
        return " ".join(entries[0].words(self.rng, wild))

    def section(self):
        """A section of some lines, from its entry to its exit."""
        node = self.rng.choice(self.inside)
        wild = self.rng.choice([0, 0, 0.1, 0.4])
        yield self.entry(node)
        for _ in range(self.rng.randint(0, 12)):
            place = node if self.rng.random() < 0.97 else self.rng.choice(self.inside)
            yield self.line(self.rng.choice(self.nodes[place]), wild)
        if self.rng.random() < 0.9:
            yield self.rng.choice(["exit", "exit", "quit"])

    def hostile_sections(self):
        """Every command with every variable a HOSTILE word, node by node."""
        for node in self.inside:
            for grammar in self.nodes[node]:
                yield self.entry(node, 0)
                yield from grammar.hostile(self.rng)
                yield "exit"
        for grammar in self.config:
            yield from grammar.hostile(self.rng)
        for grammar in self.show:
            for command in grammar.hostile(self.rng):
                yield "do " + command

    def line(self, grammar, wild):
        if self.rng.random() < 0.03 + wild / 10:
            return self.junk()
        return " ".join(grammar.words(self.rng, wild))

    def junk(self):
        if self.rng.random() < 0.5:
            return self.rng.choice(JUNK)
        length = self.rng.choice([3, 10, 100, 1000])
        # No NUL, which ends a command, and no end of line.
        letters = [c for c in map(chr, range(1, 256)) if c not in "\n\r"]
        return "".join(self.rng.choice(letters) for _ in range(length))

    def piece(self):
        """Some commands that belong together."""
        dice = self.rng.random()
        if dice < 0.75:
            yield from self.section()
        elif dice < 0.90:
            yield self.line(self.rng.choice(self.config), 0.1)
        else:
            yield "do " + self.line(self.rng.choice(self.show), 0.1)


# --- the daemon -----------------------------------------------------------------


class Session:
    """A connection to clusterd's vty socket, as vtysh has one."""

    def __init__(self, path, locked):
        self.path = path
        # FRR 8 has no such lock.
        lock = " file-lock" if locked and not FRR_8 else ""
        self.start = ["enable", "configure terminal" + lock]
        self.connect()

    def connect(self):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(self.path))
        self.started = False

    def run(self, command):
        """Returns (status, answer)."""
        if not self.started:
            self.started = True
            for line in self.start:
                self.run(line)
        data = b""
        deadline = time.monotonic() + ANSWER
        self.socket.sendall(command.encode("utf-8", "surrogateescape") + b"\0")
        while not (len(data) >= 4 and data[-4:-1] == b"\0\0\0"):
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.socket], [], [], left)[0]:
                raise LabError(f"no answer after {ANSWER} s")
            more = self.socket.recv(65536)
            if not more:
                raise ConnectionError
            data += more
        return data[-1], data[:-4].decode("utf-8", "replace")

    def close(self):
        self.socket.close()


class Fuzz:
    def __init__(self, lab, nodes):
        self.nodes = nodes
        self.node = Router(lab, "node", ["zebra"], "hostname node\n")
        host = Box(lab, "host")
        Link(self.node, "203.0.113.1/24", host, "203.0.113.2/24")
        lab.power_on()
        self.config = self.node.path("/etc/frr/frr.conf")
        self.history = []
        self.counts = {"commands": 0, "accepted": 0, "sections kept": 0}

    def begin(self):
        """A fresh daemon, and nothing of what was before."""
        self.history = []
        self.config.write_text("hostname node\n")
        self.renew_zebra()
        # The address went with the link.
        self.node.ip(
            "link set host up", "address replace 2001:db8:2::1/64 dev host nodad"
        )
        self.start()

    def renew_zebra(self):
        """Lines of ours outside of their section may be FRR's: `interface`."""
        self.node.kill("zebra", signal.SIGTERM)
        self.node.start_daemon("zebra")

    def start(self):
        self.node.OPTIONS["clusterd"] = ["--watchdog", "0"]
        self.node.start_daemon("clusterd")

    def alive(self):
        process = self.node.processes["clusterd"]
        if process.poll() is not None:
            raise LabError(f"clusterd ended with status {process.returncode}")
        text = self.node.vtysh("show cluster summary json")
        json.loads(text)

    def say(self, session, command):
        self.history.append(command)
        self.counts["commands"] += 1
        try:
            status, answer = session.run(command)
            self.counts["accepted"] += status == 0
            if raw := RAW.search(answer):
                raise LabError(f"{command!r}: answered with {raw[0]!r} only")
        except ConnectionError:  # by enough `exit`s, or by the end of the daemon
            self.alive()
            session.connect()

    def by_sessions(self, generator, rng, n):
        """Types n commands into two sessions, a section at a time in one."""
        socket_path = self.node.path("/run/frr/clusterd.vty")
        sessions = [Session(socket_path, False), Session(socket_path, False)]
        until = self.counts["commands"] + n
        while self.counts["commands"] < until:
            session = rng.choice(sessions)
            for command in generator.piece():
                self.say(session, command)
                # Now and then the other one comes between, or leaves.
                if rng.random() < 0.02:
                    self.say(sessions[0], generator.line(rng.choice(generator.show), 0))
            if rng.random() < 0.02:
                sessions.remove(session)
                session.close()
                sessions.append(Session(socket_path, rng.random() < 0.5))
        for session in sessions:
            session.close()

    def by_file(self, generator, n):
        """Lets vtysh read a file of n lines or a few more."""
        lines = []
        while len(lines) < n:
            # vtysh ends its configuration at some junk: not what is tested.
            lines += [c for c in generator.piece() if c.isprintable()]
        self.history += ["--- vtysh -f"] + lines + ["--- end of vtysh -f"]
        self.counts["commands"] += len(lines)
        path = self.node.path("/etc/frr/fuzz.conf")
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        self.node.run("vtysh", "-f", "/etc/frr/fuzz.conf", timeout=60, check=False)

    def running(self):
        return self.ours(self.node.vtysh("show running-config"))

    @staticmethod
    def ours(text):
        """clusterd's part of a configuration: the rest is no matter of ours."""
        sections = re.findall(r"^cluster .*\n(?: .*\n)*exit$", text, re.M)
        lines = re.findall(r"^debug cluster .*", text, re.M)
        return "\n".join(sorted(lines) + sections).splitlines()

    def pending_reload(self):
        """The lines of ours that a reload of frr.conf would delete or add now."""
        script = lab_module.STAGE / "usr/lib/frr-clusterd/frr-reload.py"
        words = [sys.executable, str(script), "--test", "/etc/frr/frr.conf"]
        out = self.node.run(*words, timeout=120)
        found, ours = [], False
        for line in out.splitlines():
            # An `exit` belongs to what it ends.  All else is its log, or FRR's.
            if line[:1] not in (" ", "") and (line != "exit" or not ours):
                ours = bool(re.match(r"(no )?(debug )?cluster ", line))
            if ours and line.strip():
                found.append(line)
        return "\n".join(found)

    def objects(self):
        """What VIPs and probes have of the configuration, and not by events."""
        vips = json.loads(self.node.vtysh("show cluster vip json"))
        probes = json.loads(self.node.vtysh("show cluster probe json"))
        found = {}
        for name, vip in vips.items():
            members = [{k: m.get(k) for k in MEMBER_KEYS} for m in vip["members"]]
            found["vip " + name] = {k: vip.get(k) for k in VIP_KEYS}
            found["vip " + name]["members"] = sorted(members, key=str)
        for name, probe in probes.items():
            del probe["instances"]
            if probe["configured"]:
                found["probe " + name] = probe
        return found

    def save_and_restart(self):
        self.node.vtysh("write memory")
        before = self.running()
        self.counts["sections kept"] += sum(s.startswith("cluster ") for s in before)
        saved = self.ours(self.config.read_text())
        if saved != before:
            raise LabError(f"write memory: {saved}, which runs as {before}")
        # A random line may be FRR's, and none that it loads again (`host` of a
        # probe, outside of it, is a long hostname).
        self.config.write_text("\n".join(["hostname node", *saved, ""]))
        objects = self.objects()
        self.stop()
        self.renew_zebra()
        self.start()
        done = subprocess.run(
            [*self.node.enter(), "vtysh", "-b"],
            env=lab_module.ENV,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=60,
            check=False,
        )
        complaint = done.stdout.decode("utf-8", "replace")
        if done.returncode != 0 or "%" in complaint or "line " in complaint:
            raise LabError(f"vtysh -b: {complaint}\n{self.config.read_text()}")
        after = self.running()
        if before != after:
            raise LabError(
                "another configuration after a restart, - before, + after:\n"
                + "\n".join(f"-{line}" for line in before if line not in after)
                + "\n"
                + "\n".join(f"+{line}" for line in after if line not in before)
            )
        for name, now in self.objects().items():
            if now != objects.get(name):
                raise LabError(f"{name} was {objects.get(name)}, after a restart {now}")
        if pending := self.pending_reload():
            raise LabError(f"frr-reload after a restart:\n{pending}")

    def stop(self):
        """By SIGTERM; it must free everything."""
        process = self.node.processes.pop("clusterd")
        session = Session(self.node.path("/run/frr/clusterd.vty"), False)
        session.run("debug memstats-at-exit")
        session.close()
        status = None
        for _ in range(STOP_SIGNALS):
            # `drain on-exit` and `local-hold` may take longer; one more ends each.
            process.terminate()
            try:
                status = process.wait(10)
                break
            except subprocess.TimeoutExpired:
                continue
        if status != 0:
            raise LabError(f"after SIGTERM clusterd's status is {status}")
        # libfrr writes the same there, too.
        for file in pathlib.Path("/tmp").glob(f"frr-memstats-clusterd-{process.pid}-*"):
            file.unlink()
        said = self.node.output("clusterd").read_text(errors="replace")
        if "memory group clusterd" not in said:
            raise LabError("clusterd doesn't count what it leaves")
        if left := set(LEFT.findall(said)) - LEFT_BY_FRR:
            raise LabError(f"clusterd didn't free {sorted(left)}")

    def hostile_words(self, seed):
        """Each variable of each command; then the daemon is stopped in order."""
        self.begin()
        session = Session(self.node.path("/run/frr/clusterd.vty"), False)
        for command in Generator(random.Random(seed), self.nodes).hostile_sections():
            self.say(session, command)
        self.alive()
        session.close()
        self.stop()

    def round(self, seed):
        rng = random.Random(seed)
        generator = Generator(rng, self.nodes)
        self.begin()
        for part in range(4):
            self.by_sessions(generator, rng, ROUND_COMMANDS // 6)
            self.alive()
            self.node.ip("link set host down" if part % 2 else "link set host up")
            self.by_file(generator, ROUND_COMMANDS // 12)
            self.alive()
        self.node.ip("link set host up")
        self.save_and_restart()
        self.stop()


def sanitizers():
    """Uses the daemon that has them; it says on standard error what is wrong."""
    program = BUILD / "asan/clusterd/clusterd"
    if program.exists():
        lab_module.CLUSTERD = program
    options = "detect_leaks=1:abort_on_error=0:exitcode=99:handle_abort=1"
    lab_module.ENV["ASAN_OPTIONS"] = options
    lab_module.ENV["UBSAN_OPTIONS"] = "print_stacktrace=1:halt_on_error=1"
    return program.exists()


def main():
    seconds = float(os.environ.get("FUZZ_SECONDS") or 20)
    seed = int(os.environ.get("FUZZ_SEED") or secrets.randbelow(10**9))
    nodes = source_commands()
    with_asan = sanitizers()

    def fuzz(lab):
        fuzzed = Fuzz(lab, nodes)
        began = time.monotonic()
        rounds = 0
        print(
            f"fuzz_config: seed {seed},"
            f" {sum(map(len, nodes.values()))} commands in {len(nodes)} nodes,"
            f" {'with' if with_asan else 'without'} sanitizers",
            flush=True,
        )
        try:
            fuzzed.hostile_words(seed)
            while rounds == 0 or time.monotonic() - began < seconds:
                fuzzed.round(seed + rounds)
                rounds += 1
        except (LabError, OSError, ValueError, subprocess.TimeoutExpired) as error:
            print("\n".join(map(ascii, fuzzed.history[-HISTORY:])))
            print(fuzzed.node.output("clusterd").read_text(errors="replace")[-6000:])
            print(f"fuzz_config: failed: {error}\nrepeat: FUZZ_SEED={seed + rounds}")
            return 1
        counts = ", ".join(f"{n} {what}" for what, n in fuzzed.counts.items())
        print(f"fuzz_config: {rounds} rounds, {counts}")
        return 0

    return lab_module.run_isolated(fuzz)


if __name__ == "__main__":
    sys.exit(main())
