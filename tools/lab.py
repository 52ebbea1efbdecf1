# SPDX-License-Identifier: GPL-2.0-or-later
"""A lab of routers and hosts in network namespaces, for tools/demo and bench/.

Lab     all boxes of one run.  It lives in a PID, mount and network namespace
        of its own, as that PID namespace's first process: when it ends,
        however it ends, the kernel ends every process of the lab, and its
        namespaces go with them.  None of them has a name, so that runs cannot
        meet, and the machine is left as it was.
Box     one machine: network, mount and UTS namespaces, held by a process.
Router  a Box that runs FRR's daemons from the installed package, clusterd and
        vtysh from the build folder, with its own /etc/frr, /run, /var/lib,
        /var/log/frr and /var/tmp.
RouteWatch  the routes of a box as its kernel reports them, with times.

run_isolated() starts a function as such a first process; kept_enter() and
kept_remove() deal with a lab that it left up.
"""

import contextlib
import ctypes
import datetime
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
STAGE = TOP / "build" / os.environ.get("FRR_VERSION", "8.4") / "stage"
CLUSTERD = STAGE / "usr/lib/frr/clusterd"
VTYSH = STAGE / "usr/lib/frr-clusterd/vtysh"
# bgpd's options that load clusterd's module into it.
BGP_MODULE = ["--moduledir", *map(str, STAGE.glob("usr/lib/*/frr/modules"))] + [
    "-M",
    "clusterd",
]
LABS = TOP / "build/lab"

ENV = {
    "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/root",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    "TERM": os.environ.get("TERM", "dumb"),
    "VTYSH_PAGER": "cat",
    "VTYSH_HISTFILE": "/run/vtysh.history",
}


class LabError(Exception):
    """Something in the lab is not as it should be; the text is for people."""


def poll(check, timeout, what):
    """Calls check() until its value is true, and returns that value."""
    deadline = time.monotonic() + timeout
    while not (value := check()):
        if time.monotonic() > deadline:
            raise LabError(f"not within {timeout} s: {what}")
        time.sleep(0.02)
    return value


def enter_words(holder):
    """The words before a command that make it run in a box's namespaces."""
    return ["nsenter", f"--target={holder}", "--net", "--mount", "--uts", "--"]


# --- boxes -------------------------------------------------------------------


class Box:
    """A machine of the lab.  It starts without power."""

    SYSCTLS = {
        "net/ipv4/ip_forward": 1,
        "net/ipv4/fib_multipath_hash_policy": 1,
    }

    def __init__(self, lab, name, gateway=None, sysctls=None, addresses=()):
        """gateway: the default route; addresses: on lo."""
        self.lab = lab
        self.name = name
        self.gateway = gateway
        self.sysctls = self.SYSCTLS | (sysctls or {})
        self.addresses = addresses
        self.holder = None
        self.processes = {}
        lab.boxes[name] = self

    @property
    def on(self):
        return self.holder is not None

    def setup(self):
        """The shell commands that make the box, inside its namespaces."""
        yield f"hostname {self.name}"
        yield "ip link set lo up"
        for name, value in self.sysctls.items():
            yield f"echo {value} >/proc/sys/{name}"
        for address in self.addresses:
            yield f"ip address add {address} dev lo"

    def power_on(self):
        self.holder = subprocess.Popen(
            ["unshare", "--net", "--mount", "--uts", "sh", "-ec"]
            + ["\n".join([*self.setup(), "echo ready", "exec sleep infinity 2>&-"])],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            env=ENV,
            start_new_session=True,
        )
        if self.holder.stdout.readline() != b"ready\n":
            raise LabError(f"{self.name}: could not make its namespaces")
        for link in self.lab.links:
            if self in link.boxes:
                link.plug()

    def power_off(self):
        """Ends everything in it at once.  Returns when that began."""
        began = time.time()
        processes = [*self.processes.values(), self.holder]
        for process in processes:
            process.kill()
        for process in processes:
            process.wait()
        self.holder.stdout.close()
        self.holder = None
        self.processes = {}
        return began

    @contextlib.contextmanager
    def network(self):
        """This process is in the box's network meanwhile: to open sockets."""
        here = os.open("/proc/self/ns/net", os.O_RDONLY)
        there = os.open(f"/proc/{self.holder.pid}/ns/net", os.O_RDONLY)
        _libc("setns", there, 0)
        try:
            yield
        finally:
            _libc("setns", here, 0)
            os.close(here)
            os.close(there)

    def enter(self):
        """The words before a command that make it run in this box."""
        return enter_words(self.holder.pid)

    def path(self, path):
        """The box's file `path`, as the lab can reach it."""
        return Path(f"/proc/{self.holder.pid}/root{path}")

    def run(self, *command, stdin="", timeout=20, check=True):
        """Runs a command to its end and returns what it printed; with check
        it must succeed."""
        words = " ".join(command)
        try:
            done = subprocess.run(
                [*self.enter(), *command],
                input=stdin,
                capture_output=True,
                text=True,
                env=ENV,
                timeout=timeout,
            )
        except subprocess.TimeoutExpired:
            raise LabError(f"{self.name}: `{words}` hangs") from None
        if check and done.returncode != 0:
            output = f"{done.stdout}{done.stderr}".strip()
            raise LabError(f"{self.name}: `{words}` failed: {output}")
        return done.stdout

    def ip(self, *lines):
        """Runs lines of `ip -batch`."""
        self.run("ip", "-batch", "-", stdin="\n".join(lines) + "\n")

    def next_hops(self, prefix):
        """The set of next hops that the kernel has for prefix now."""
        return next_hops_in(self.run("ip", "route", "show", prefix))

    def start(self, name, *command):
        """Starts a process that stays until kill()."""
        with self.output(name).open("ab") as out:
            self.processes[name] = subprocess.Popen(
                [*self.enter(), *command],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                env=ENV,
                start_new_session=True,
            )

    def kill(self, name, sig=signal.SIGKILL):
        """Ends a process of the box.  Returns when the signal was sent."""
        process = self.processes.pop(name)
        sent = time.time()
        process.send_signal(sig)
        process.wait(20)
        return sent

    def output(self, name):
        """The file with what process `name` has printed."""
        return self.lab.folder / f"{self.name}.{name}.log"


class Router(Box):
    """A box with FRR.  Its frr.conf is loaded as at boot, by `vtysh -b`."""

    FOLDERS = "/run", "/etc/frr", "/var/log/frr", "/var/lib", "/var/tmp"
    LOG = "/var/log/frr/frr.log"
    OPTIONS = {"zebra": ["-s", "90000000"]}  # as in the package's daemons file

    def __init__(self, lab, name, daemons, config, options=None, **box):
        """options: of daemons, {name: [word...]}."""
        super().__init__(lab, name, **box)
        self.options = self.OPTIONS | (options or {})
        # FRR 10's vtysh reads no configuration without it.
        mgmtd = ["mgmtd"] if Path("/usr/lib/frr/mgmtd").exists() else []
        self.daemons = mgmtd + daemons
        self.config = config

    def setup(self):
        for folder in self.FOLDERS:
            yield f"mount -t tmpfs -o mode=755 lab {folder}"
            yield f"chown frr:frr {folder}"
        yield "install -d -o frr -g frr /run/frr /var/lib/frr"
        # As the package does by a diversion: ours knows clusterd.
        if VTYSH.exists():
            yield f"mount --bind '{VTYSH}' /usr/bin/vtysh"
        yield from super().setup()

    def power_on(self):
        super().power_on()
        self.path("/etc/frr/vtysh.conf").write_text("service integrated-vtysh-config\n")
        self.path("/etc/frr/frr.conf").write_text(self.config)
        for daemon in self.daemons:
            self.start_daemon(daemon)
        self.load()

    def start_daemon(self, daemon):
        """Starts a daemon and waits until vtysh can talk to it."""
        program = CLUSTERD if daemon == "clusterd" else f"/usr/lib/frr/{daemon}"
        socket = self.path(f"/run/frr/{daemon}.vty")
        socket.unlink(missing_ok=True)  # a killed predecessor's
        self.start(
            daemon, str(program), "-A", "127.0.0.1", *self.options.get(daemon, [])
        )

        def listens():
            if self.processes[daemon].poll() is not None:
                raise LabError(
                    f"{self.name}: {daemon} ended while starting:\n"
                    f"{self.output(daemon).read_text()}{self.log()}"
                )
            return socket.exists()

        poll(listens, 10, f"{self.name}: {daemon} starts")

    def load(self, daemon=None):
        """Loads frr.conf into every daemon, or one, as FRR's scripts do."""
        self.run("vtysh", "-b", "-n", *(["-d", daemon] if daemon else []))

    def vtysh(self, *commands):
        return self.run("vtysh", *(w for c in commands for w in ("-c", c)))

    def configure(self, *commands):
        """Types configuration commands; any answer is a refusal."""
        answer = self.vtysh("configure terminal", *commands).strip()
        if answer:
            raise LabError(f"{self.name}: `{'; '.join(commands)}`: {answer}")

    def log(self, lines=12):
        """The end of the daemons' log."""
        with contextlib.suppress(OSError):
            return "\n".join(self.path(self.LOG).read_text().splitlines()[-lines:])
        return ""


class Link:
    """A veth pair; each end is named after the box at the other end."""

    def __init__(self, a, a_address, b, b_address):
        """The addresses are written with their prefix lengths."""
        self.boxes = a, b
        self.ends = (a, a_address, b, b_address), (b, b_address, a, a_address)
        a.lab.links.append(self)

    def plug(self):
        """Makes the link, once both boxes have power."""
        a, b = self.boxes
        if not (a.on and b.on):
            return
        a.lab.run(
            *f"ip link add {b.name} netns {a.holder.pid} type veth".split(),
            *f"peer name {a.name} netns {b.holder.pid}".split(),
        )
        for box, address, peer, peer_address in self.ends:
            lines = [
                f"address add {address} dev {peer.name}",
                f"link set {peer.name} up",
            ]
            if box.gateway and box.gateway == peer_address.split("/")[0]:
                lines.append(f"route add default via {box.gateway}")
            box.ip(*lines)


class Lab:
    """The boxes and links of one run."""

    def __init__(self, folder):
        """folder: for what the lab's processes print."""
        self.folder = folder
        self.boxes = {}
        self.links = []

    def run(self, *command):
        subprocess.run(command, check=True, env=ENV, stdin=subprocess.DEVNULL)

    def power_on(self):
        for box in self.boxes.values():
            box.power_on()


# --- what a kernel does, and when ---------------------------------------------


def next_hops_in(text):
    """The addresses of a route's next hops, as `ip` prints them; of one
    without addresses, the devices."""
    return set(
        re.findall(r"via (?:inet6 )?(\S+)", text) or re.findall(r"dev (\S+)", text)
    )


def cpu(pid):
    """CPU seconds of a process's threads so far, as the scheduler counts them."""
    files = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(file.read_text().split()[0]) for file in files) / 1e9


def memory(pid, kind):
    """KB of a process: "Pss" (its proportional set size), "Rss", "Anonymous"."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith(f"{kind}:"):
            return int(line.split()[1])
    raise LabError(f"process {pid} has no memory")


class RouteWatch:
    """Follows a box's kernel routes by `ip monitor`, which stamps each change
    the moment it is reported; times are comparable with time.time().

    The kernel reports a route that is added, replaced or deleted, but not one
    that loses a next hop with its link; so a report about a link makes us ask.
    """

    ROUTE = re.compile(r"\[(\S+)\] (Deleted )?([0-9a-f.:]+(?:/\d+)?) (.*)")
    LINK = re.compile(r"\[(\S+)\] (?:Deleted )?\d+: ")

    def __init__(self, box):
        self.box = box
        self.routes = {}  # prefix -> set of its next hops' addresses or devices
        self.changed = {}  # prefix -> when it got them
        with box.output("ip-monitor").open("ab") as err:
            self.process = subprocess.Popen(
                [*box.enter(), "ip", "-oneline", "-tshort", "monitor", "route", "link"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=err,
                env=ENV,
                start_new_session=True,
            )
        self.pending = b""
        self._begin()

    def _begin(self):
        """Waits until the monitor hears the kernel, and takes the table."""
        me = self.process.pid
        table = Path(f"/proc/{me}/net/netlink")

        def listens():
            rows = [row.split() for row in table.read_text().splitlines()[1:]]
            return any(int(r[2]) == me and int(r[3], 16) for r in rows)

        poll(listens, 5, f"{self.box.name}: `ip monitor` starts")
        self._ask(0.0)

    def _ask(self, when):
        """Takes the whole table, as it is since `when`."""
        routes = {}
        for family in "-4", "-6":
            table = self.box.run("ip", "-oneline", family, "route", "show")
            for line in table.splitlines():
                prefix, _, rest = line.partition(" ")
                routes[prefix] = next_hops_in(rest)
        for prefix in self.routes.keys() | routes.keys():
            self._set(prefix, routes.get(prefix, set()), when)

    def _set(self, prefix, hops, when):
        if hops != self.routes.get(prefix, set()):
            self.routes[prefix] = hops
            self.changed[prefix] = when

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def read(self, timeout=0.0):
        """Takes in what has been reported; waits up to timeout for more."""
        out = self.process.stdout
        while select.select([out], [], [], timeout)[0]:
            data = os.read(out.fileno(), 65536)
            if not data:
                raise LabError(f"{self.box.name}: `ip monitor` ended")
            *lines, self.pending = (self.pending + data).split(b"\n")
            for line in lines:
                self._take(line.decode())
            timeout = 0

    def _take(self, line):
        if match := self.LINK.match(line):
            self._ask(self._time(match.group(1)))
        elif match := self.ROUTE.match(line):
            stamp, deleted, prefix, rest = match.groups()
            if "table local" not in rest:
                hops = set() if deleted else next_hops_in(rest)
                self._set(prefix, hops, self._time(stamp))

    @staticmethod
    def _time(stamp):
        return datetime.datetime.fromisoformat(stamp + "+00:00").timestamp()

    def wait(self, prefix, hops, timeout=15.0):
        """Waits until prefix has exactly these next hops (none: no route).

        Returns the time at which the kernel got them.
        """
        deadline = time.monotonic() + timeout
        hops = set(hops)
        self.read()
        while self.routes.get(prefix, set()) != hops:
            left = deadline - time.monotonic()
            if left <= 0:
                raise LabError(
                    f"{self.box.name}'s kernel: {prefix} has"
                    f" {names(self.routes.get(prefix))} after {timeout:g} s,"
                    f" and not {names(hops)}"
                )
            self.read(left)
        return self.changed.get(prefix, 0.0)


def names(words):
    """{"b", "a"} -> "a b", for people."""
    return " ".join(sorted(words)) if words else "none"


# --- the lab's process ---------------------------------------------------------

CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET = 0x00020000, 0x20000000, 0x40000000
MS_REC, MS_PRIVATE = 0x4000, 0x40000
PR_SET_PDEATHSIG = 1


def _libc(name, *args):
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*args) != 0:
        err = ctypes.get_errno()
        raise OSError(err, f"{name}: {os.strerror(err)}")


def run_isolated(main, keep=False):
    """Runs main(lab) in namespaces of its own and returns its exit status.

    With keep the lab stays up when main returns, until kept_remove().
    """
    if os.geteuid() != 0:
        raise SystemExit("a lab needs root: it makes network namespaces")
    _sweep()
    LABS.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=LABS, prefix=""))
    _note(folder, os.getpid())
    sys.stdout.flush()
    result, result_end = os.pipe()
    _libc("unshare", CLONE_NEWPID)
    pid = os.fork()
    if pid == 0:
        os.close(result)
        _first_process(main, folder, keep, result_end)
    os.close(result_end)
    stopped_by = []

    def stop(sig, _):
        stopped_by.append(sig)
        os.kill(pid, signal.SIGKILL)

    for sig in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        signal.signal(sig, stop)
    with open(result, encoding="utf-8") as answer:
        kept = answer.readline()
    if kept and not stopped_by:
        kept = json.loads(kept)
        _note(folder, pid, boxes=kept["boxes"])
        return kept["status"]
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    shutil.rmtree(folder, ignore_errors=True)
    if status < 0:
        print("interrupted, the lab is removed", file=sys.stderr)
        return 128 + (stopped_by[0] if stopped_by else -status)
    return status


def _first_process(main, folder, keep, result):
    """Never returns.  When this process ends, the kernel kills all others of
    its PID namespace; it ends itself when the one that started it does."""
    status = 1
    try:
        _libc("prctl", PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        os.setsid()
        _libc("unshare", CLONE_NEWNS | CLONE_NEWNET)
        _libc("mount", None, b"/", None, MS_REC | MS_PRIVATE, None)
        _libc("mount", b"proc", b"/proc", b"proc", 0, None)
        lab = Lab(folder)
        status = main(lab)
        if keep:
            _libc("prctl", PR_SET_PDEATHSIG, 0, 0, 0, 0)
            _stay(lab, status, result)
    except BaseException:  # pylint: disable=broad-except
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _stay(lab, status, result):
    boxes = {name: box.holder.pid for name, box in lab.boxes.items() if box.on}
    sys.stdout.flush()
    null = os.open(os.devnull, os.O_RDWR)
    for fd in range(3):
        os.dup2(null, fd)
    os.write(result, json.dumps({"status": status, "boxes": boxes}).encode() + b"\n")
    os.close(result)
    while True:
        signal.pause()


# --- labs that were kept -------------------------------------------------------


def _born(pid):
    """When the process began (ticks since boot), None without such a process:
    tells it from a later one with the same number."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    return int(stat.rpartition(")")[2].split()[19])


def _note(folder, pid, boxes=None):
    """Notes which process holds the lab; boxes (name: holder) if it is kept."""
    note = {"pid": pid, "born": _born(pid), "boxes": boxes}
    (folder / "new").write_text(json.dumps(note))
    (folder / "new").rename(folder / "lab.json")


def _labs():
    """{id: _note()'s} of the labs that are up."""
    labs = {}
    for file in LABS.glob("*/lab.json"):
        with contextlib.suppress(OSError, ValueError):
            lab = json.loads(file.read_text())
            if _born(lab["pid"]) == lab["born"]:
                labs[file.parent.name] = lab
    return labs


def _sweep():
    """Removes the folders of labs that ended without doing so."""
    for file in LABS.glob("*/lab.json"):
        if file.parent.name not in _labs():
            shutil.rmtree(file.parent, ignore_errors=True)


def _kept(lab_id):
    labs = {name: lab for name, lab in _labs().items() if lab["boxes"]}
    if lab_id not in labs:
        raise SystemExit(f"no lab {lab_id} was kept; there are: {names(labs)}")
    return labs[lab_id]


def kept_enter(lab_id, box, command):
    """Becomes `command` (or a shell) in a box of a kept lab."""
    lab = _kept(lab_id)
    if box not in lab["boxes"]:
        raise SystemExit(f"no box {box} in it; there are: {names(lab['boxes'])}")
    os.execvpe(
        "nsenter",
        ["nsenter", f"--target={lab['pid']}", "--pid", "--mount", "--"]
        + enter_words(lab["boxes"][box])
        + (command or ["/bin/bash", "--norc"]),
        ENV | {"PS1": f"{box}# "},
    )


def kept_remove(lab_id):
    """Removes a kept lab; returns when nothing of it is left."""
    lab = _kept(lab_id)
    os.kill(lab["pid"], signal.SIGKILL)
    poll(lambda: _born(lab["pid"]) != lab["born"], 10, f"lab {lab_id} ends")
    shutil.rmtree(LABS / lab_id, ignore_errors=True)
