# SPDX-License-Identifier: GPL-2.0-or-later
"""
What the tests of clusterd share.

Routers are FRR's TopoRouter objects.  Nothing here waits a fixed time:
expect() polls until a deadline, and every check is given a message.
"""

import glob
import json
import os
import re
import shlex
import signal
import socket
import time

import pytest
from crashes import CRASH, ENDS
from lib.topogen import Topogen, TopoRouter, get_topogen

FRR_8 = os.path.basename(os.environ["CLUSTER_BUILD"]).startswith("8.")
# Its zebra crashes at the first route after a VRF's namespace was deleted.
FRR_10_3 = os.path.basename(os.environ["CLUSTER_BUILD"]) == "10.3"
HERE = os.path.dirname(os.path.abspath(__file__))
STAGE = os.path.join(os.environ["CLUSTER_BUILD"], "stage")

# A machine with two cores runs several of these beside other work; the
# deadlines only say when to give up.
DEADLINE = 30

# Longest time in which the neighbour must have followed an event that is
# reported at once (a dead daemon, a command): FRR's queues take 0.1 to 0.2 s.
AT_ONCE = 3

NOTE = re.compile(r"(% )?Note: ")
# The last three are mgmtd's, of lines that change nothing (FRR 10.7), or nothing for a
# daemon that it knows (10.3).
PROGRESS = re.compile(
    r"\[\d+\|\w+\] (sending configuration|done)$|Waiting for children to finish"
    r"|% Configuration applied with notes:$|No changes found to be committed!$"
    r"|MGMTD: No connected daemons interested in changes$"
)

# A host prefix that an UPDATE named, in the log of `debug bgp updates in`.
RECEIVED = re.compile(
    r"rcvd (?:UPDATE about )?([0-9a-f.:]+)/(32|128) IPv[46] unicast"
    r"(?:( -- withdrawn)|$| ?,|\.\.\.| -- DENIED)",
    re.M,
)

DAEMONS = {
    "zebra": TopoRouter.RD_ZEBRA,
    "bgpd": TopoRouter.RD_BGP,
    "bfdd": TopoRouter.RD_BFD,
    "clusterd": TopoRouter.RD_CLUSTER,
    "fabricd": TopoRouter.RD_FABRIC,
}


def start(
    module, topology, daemons, netns_vrf=(), prepare=None, options=None, folder=None
):
    """
    Set a topology up and start its routers.

    topology: what Topogen takes (dictionary or function).
    daemons: {"r1": ["zebra", ...]}; the configuration of router rN is rN/frr.conf
        beside the test.
    netns_vrf: routers whose VRFs are network namespaces.
    prepare: called with tgen before the daemons start.
    options: {daemon: command line options}, on every router.
    folder: where the configurations are, if not there.
    """
    options = options or {}
    tgen = Topogen(topology, module.__name__)
    tgen.start_topology()
    folder = folder or os.path.dirname(os.path.abspath(module.__file__))
    for name, wanted in daemons.items():
        router = tgen.gears[name]
        router.load_config(TopoRouter.RD_FRR, os.path.join(folder, name, "frr.conf"))
        zebra = None
        if name in netns_vrf:
            # zebra watches the folder only if it is there when it starts.
            router.net.cmd_raises("mkdir -p /run/netns")
            # An option of every daemon since FRR 10, of zebra before.
            if hasattr(router, "use_netns_vrf"):
                router.use_netns_vrf()
            else:
                zebra = "-n"
        for daemon in wanted:
            router.load_config(
                DAEMONS[daemon],
                "",
                zebra if daemon == "zebra" else options.get(daemon),
            )
    try:
        if prepare:
            prepare(tgen)
        tgen.start_router()
        for name, wanted in daemons.items():
            for daemon in wanted:
                check_started(tgen.gears[name], daemon)
    except BaseException:
        tgen.stop_topology()
        raise
    return tgen


def connect(tgen, **switches):
    """
    Switches, NAME=names of the gears on it: the order makes the names of the
    gears' interfaces.
    """
    for name, gears in switches.items():
        switch = tgen.add_switch(name)
        for gear in gears:
            switch.add_link(tgen.gears[gear])


def check_started(router, daemon):
    """A daemon that didn't start fails the test's set-up with what it said."""
    if alive(router, daemon):
        return
    said = ""
    for suffix in (".out", ".err", ".log"):
        path = os.path.join(router.net.logdir, router.name, daemon + suffix)
        if os.path.exists(path):
            with open(path, encoding="utf-8", errors="replace") as file:
                said += file.read()[-2000:]
    raise AssertionError("{}: {} didn't start: {}".format(router.name, daemon, said))


def stop(wanted=None):
    """
    End the topology; daemons of all routers stop side by side.  A daemon that
    crashed, also while it stopped, is an error of the test, unless the line that says
    so has the text that is wanted.
    """
    tgen = get_topogen()
    if tgen is None:
        return
    for server in list(HttpServer.running):
        server.kill()
    for router in tgen.routers().values():
        for daemon in running_daemons(router):
            send_signal(router, daemon, signal.SIGCONT)
            send_signal(router, daemon, signal.SIGTERM)
    routers = [(r.name, r.net.logdir) for r in tgen.routers().values()]
    tgen.stop_topology()
    crashes = [c for name, folder in routers for c in crashes_of(name, folder, wanted)]
    # Results show the first line only: of clusterd, if it is among them (tools/flaky.py).
    crashes.sort(key=lambda crash: "clusterd" not in crash.partition(": ")[0])
    assert not crashes, "daemons crashed: " + "\n".join(crashes)


def crashes_of(router, folder, wanted=None):
    """
    Lines of a router's logs that only a crash, a sanitizer or, from clusterd,
    memory that wasn't freed writes (FRR 8 itself frees no key chains).  Daemons
    of FRR that crash when they are ended are FRR's (zebra 8.4 does with
    VRFs that are namespaces).
    """
    found = []
    for path in glob.glob(os.path.join(folder, router, "*")) + glob.glob(
        os.path.join(folder, router + ".*.asan*")
    ):
        if not os.path.isfile(path):
            continue
        ours = "clusterd" in os.path.basename(path)
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                if not ours and ENDS in line:
                    break
                leak = ours and "memstats:" in line and not FRR_8
                if ours and wanted and wanted in line:
                    continue
                if leak or CRASH.search(line):
                    name = os.path.relpath(path, folder)
                    found.append("{}: {}".format(name, line.strip()))
                    break
    return found


def usable():
    """The topology; skips the test when an earlier one broke it for good."""
    tgen = get_topogen()
    if tgen is None:
        pytest.skip("no topology")
    return tgen


# ---------------------------------------------------------------- waiting


def expect(check, message, timeout=DEADLINE, interval=0.1):
    """
    Poll check() until it returns something true, and return that.

    A check says what it saw by returning a false value together with a
    reason, (False, reason), or by a failing assertion.
    """
    deadline = time.monotonic() + timeout
    while True:
        try:
            seen = check()
        except (AssertionError, KeyError, IndexError, ValueError) as error:
            seen = (False, "{}: {}".format(type(error).__name__, error))
        good = seen[0] if isinstance(seen, tuple) else seen
        if good:
            return seen
        if time.monotonic() > deadline:
            break
        time.sleep(interval)
    raise AssertionError(
        "{} (waited {} s, last seen: {})".format(message, timeout, seen)
    )


def stays(check, message, duration):
    """check() must be true from now on for so many seconds."""
    deadline = time.monotonic() + duration
    while time.monotonic() < deadline:
        seen = check()
        good = seen[0] if isinstance(seen, tuple) else seen
        assert good, "{} (seen: {})".format(message, seen)
        time.sleep(0.1)


def stays_until(check, event, message, timeout=DEADLINE):
    """check() must be true from now on until event() is."""
    deadline = time.monotonic() + timeout
    while True:
        seen = check()
        good = seen[0] if isinstance(seen, tuple) else seen
        assert good, "{} (seen: {})".format(message, seen)
        seen = event()
        if seen[0] if isinstance(seen, tuple) else seen:
            return
        assert time.monotonic() < deadline, "waited {} s in vain: {}".format(
            timeout, seen
        )


def took(check, message, timeout=DEADLINE):
    """Like expect(), polling fast; returns the seconds that passed."""
    start_time = time.monotonic()
    expect(check, message, timeout, interval=0.01)
    return time.monotonic() - start_time


# ------------------------------------------------------------------ vtysh


def vtysh(router, *commands, daemon=None):
    """Run commands in one vtysh; its output and errors."""
    args = " ".join("-c " + shlex.quote(command) for command in commands)
    if daemon:
        args = "-d {} {}".format(daemon, args)
    # vtysh waits for ever for a daemon that is stopped.
    _, out, err = router.net.cmd_status("timeout 60 vtysh " + args, warn=False)
    return out + err


def vtysh_json(router, command):
    """The JSON that a command prints; an error if it isn't JSON."""
    out = vtysh(router, command)
    try:
        return json.loads(out)
    except ValueError:
        raise AssertionError(
            "{}: '{}' printed no JSON: {!r}".format(router.name, command, out)
        ) from None


def vtysh_jsons(router, *commands):
    """The JSON of several commands, by one vtysh: a list."""
    out = vtysh(router, *commands).strip()
    found = []
    try:
        while out:
            one, end = json.JSONDecoder().raw_decode(out)
            found.append(one)
            out = out[end:].lstrip()
    except ValueError:
        raise AssertionError(
            "{}: no JSON from {}: {!r}".format(router.name, commands, out)
        ) from None
    assert len(found) == len(commands), "{}: {} answers to {}".format(
        router.name, len(found), commands
    )
    return found


def configure(router, *lines):
    """
    Type lines in configuration mode; the output (empty when all is well).
    Notes, which clusterd gives to who types, don't count.
    """
    out = without_progress(vtysh(router, "configure terminal", *lines))
    return "\n".join(line for line in out.splitlines() if line and not NOTE.match(line))


def without_progress(text):
    """What vtysh prints without FRR 10's report on each daemon and on no change."""
    return "".join(line for line in text.splitlines(True) if not PROGRESS.match(line))


def load_file(router, text, *args):
    """vtysh ARGS -f FILE with that text; the output."""
    path = os.path.join("/tmp", "load-{}.conf".format(router.name))
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    _, out, err = router.net.cmd_status(
        "timeout 120 vtysh {} -f {}".format(" ".join(args), path),
        warn=False,
    )
    return without_progress(out + err)


def running_config(router, daemon=None):
    """show running-config without the lines that name the moment."""
    out = vtysh(router, "show running-config" + (" " + daemon if daemon else ""))
    return "\n".join(
        line
        for line in out.splitlines()
        if line not in ("Building configuration...", "Current configuration:", "")
    )


def cluster_config(router):
    """The cluster sections and lines of show running-config."""
    lines = []
    inside = False
    for line in running_config(router, "clusterd").splitlines():
        if re.match(r"cluster (bgp|metrics) ", line):
            lines.append(line)
            continue
        inside = inside or line.startswith("cluster ")
        if inside:
            lines.append(line)
        if line == "exit":
            inside = False
    return "\n".join(lines)


def forget_all(router):
    """Delete all cluster sections."""
    text = "".join(
        "no {}\n".format(line)
        for line in cluster_config(router).splitlines()
        if line.startswith("cluster ")
    )
    if text:
        out = load_file(router, text)
        assert out == "", "deleting the sections printed: {}".format(out)


# ---------------------------------------------------------------- daemons


def pid_of(router, daemon):
    """Process id of a daemon, as the router's pid file says; None without."""
    _, out, _ = router.net.cmd_status(
        "cat /var/run/frr/{}.pid".format(daemon), warn=False
    )
    return int(out) if out.strip().isdigit() else None


def alive(router, daemon):
    """Is the process of the pid file there (a zombie isn't)?"""
    pid = pid_of(router, daemon)
    if pid is None:
        return False
    rc, out, _ = router.net.cmd_status(
        "sed -n 's/^State:\\t//p' /proc/{}/status".format(pid), warn=False
    )
    return rc == 0 and out != "" and not out.startswith("Z")


def running_daemons(router):
    """The daemons of a router that have a pid file and a process."""
    _, out, _ = router.net.cmd_status("ls /var/run/frr", warn=False)
    names = [n[:-4] for n in out.split() if n.endswith(".pid")]
    return [name for name in names if alive(router, name)]


def send_signal(router, daemon, signum):
    """A signal to a daemon."""
    pid = pid_of(router, daemon)
    assert pid, "{}: {} has no pid file".format(router.name, daemon)
    router.net.cmd_status("kill -{} {}".format(int(signum), pid), warn=False)


def end_daemon(router, daemon, signum=signal.SIGTERM):
    """A signal to a daemon, and wait until its process is gone."""
    send_signal(router, daemon, signum)
    expect(
        lambda: not alive(router, daemon),
        "{}: {} survives signal {}".format(router.name, daemon, int(signum)),
    )


def start_daemon(router, daemon, options="", load=True):
    """
    Start one daemon as FRR's start script does, and give it its part of
    frr.conf (load).
    """
    net = router.net
    own = net.daemons_options.get(daemon) or ""
    if getattr(net, "use_netns_vrf", False):
        own += " -w"
    net.cmd_raises(
        "cd {folder}/{router} && "
        "ASAN_OPTIONS=log_path={folder}/{router}.{daemon}.asan "
        "{binary} {own} {options} --command-log-always "
        "--log file:{daemon}.log --log-level debug -d "
        ">> {daemon}.out 2>> {daemon}.err".format(
            folder=net.logdir,
            router=router.name,
            binary=os.path.join(net.daemondir, daemon),
            own=own,
            options=options,
            daemon=daemon,
        )
    )
    expect(
        lambda: router.net.cmd_status(
            "test -S /var/run/frr/{}.vty".format(daemon), warn=False
        )[0]
        == 0,
        "{}: {} doesn't open its vty socket".format(router.name, daemon),
    )
    if load:
        load_boot(router, daemon)


def all_daemons(router):
    """The daemons of a router in the order of their start."""
    first = ["mgmtd", "zebra", "staticd"]
    wanted = [name for name, on in router.net.daemons.items() if on]
    return [d for d in first if d in wanted] + [d for d in wanted if d not in first]


def end_all(router, signum=signal.SIGTERM):
    """End all daemons of a router, the last one started first."""
    for daemon in reversed(all_daemons(router)):
        end_daemon(router, daemon, signum)


def start_all(router):
    """Start all daemons, then load frr.conf, as FRR's start script does."""
    for daemon in all_daemons(router):
        start_daemon(router, daemon, load=False)
    return load_boot(router)


def zebra_fell(router):
    """
    Was a namespace that is a VRF too much for zebra when it was deleted (a race of FRR
    8.4: doc/developer/frr-versions.rst)?  Starts all daemons again then, as watchfrr
    does.
    """
    if alive(router, "zebra"):
        return False
    end_all(router)
    start_all(router)
    return True


def load_boot(router, daemon=None):
    """vtysh -b, for one daemon or all; its output."""
    _, out, err = router.net.cmd_status(
        "timeout 120 vtysh -b" + (" -d " + daemon if daemon else ""),
        warn=False,
    )
    return without_progress(out + err)


def _run_frr_reload(router, mode, text):
    """frr-reload.py with that text as the router's frr.conf."""
    write_frr_conf(router, text)
    rc, out, err = router.net.cmd_status(
        "timeout 120 /usr/bin/python3 {}/usr/lib/frr-clusterd/frr-reload.py "
        "{} /etc/frr/frr.conf".format(STAGE, mode),
        warn=False,
    )
    return rc, without_progress(out + err)


def frr_reload(router, text):
    """
    Write frr.conf and reload as `systemctl reload frr` does, with our
    frr-reload; what it printed (nothing when all is well).
    """
    rc, out = _run_frr_reload(router, "--reload", text)
    return out or ("status {}".format(rc) if rc else "")


def pending_reload(router, text):
    """Write frr.conf; the lines that a reload would send now."""
    rc, out = _run_frr_reload(router, "--test", text)
    assert rc == 0, "frr-reload --test ended with {}: {}".format(rc, out)
    return "\n".join(
        line
        for line in out.splitlines()
        if line and not re.match(r"\d{4}-\d\d-\d\d ", line)
    )


def log_of(router, daemon="clusterd"):
    """What a daemon has logged so far."""
    path = os.path.join(router.net.logdir, router.name, daemon + ".log")
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def write_frr_conf(router, text):
    """Replace a router's frr.conf."""
    path = os.path.join("/tmp", "frr-{}.conf".format(router.name))
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    router.net.cmd_raises(
        "install -m 0660 -o frr -g frr {} /etc/frr/frr.conf".format(path)
    )


def own_conf(test, router):
    """The frr.conf that lies beside a test file (its __file__)."""
    path = os.path.join(os.path.dirname(os.path.abspath(test)), router, "frr.conf")
    with open(path, encoding="utf-8") as file:
        return file.read()


def frr_conf(router):
    """A router's frr.conf as it is now."""
    return router.net.cmd_raises("cat /etc/frr/frr.conf")


# ------------------------------------------------------------------ state


def vip(router, name):
    """State of one VIP: show cluster vip NAME json."""
    return vtysh_json(router, "show cluster vip {} json".format(name)).get(name, {})


def vip_is(router, name, state):
    """For expect(): the VIP's state is that."""
    seen = vip(router, name)
    return seen.get("state") == state, (seen.get("state"), seen.get("why"))


def address_is(router, name, address, state):
    """For expect(): the state of one address of a VIP is that."""
    seen = {a["address"]: a for a in vip(router, name).get("addresses", [])}
    found = seen.get(address, {})
    return found.get("state") == state, (found.get("state"), found.get("why"))


def probe(router, name):
    """State of one probe: show cluster probe NAME json."""
    return vtysh_json(router, "show cluster probe {} json".format(name)).get(name, {})


def instance(router, name, target):
    """One instance of a probe."""
    for found in probe(router, name).get("instances", []):
        if found["target"] == target:
            return found
    return {}


def verdict_is(router, name, target, verdict):
    """For expect(): verdict of one instance of a probe."""
    seen = instance(router, name, target)
    return seen.get("verdict") == verdict, seen


def summary(router):
    """show cluster summary json."""
    return vtysh_json(router, "show cluster summary json")


def prefix_of(address):
    """Host prefix of an address."""
    return address + ("/128" if ":" in address else "/32")


def route_messages(router):
    """
    The messages about routes that zebra has got from clusterd, by its own
    counters: {"IPv4": (added, updated, deleted), "IPv6": ...}.  bgpd tells nobody of a
    route that was sent again as it was, so UPDATEs alone don't show these.
    """
    clients = vtysh(router, "show zebra client").split("Client: ")
    ours = [c for c in clients if re.match(r"openfabric\s", c)]
    assert len(ours) == 1, "{}: {} clients are clusterd".format(router.name, len(ours))
    counts = re.findall(r"^(IPv[46]) +(\d+) +(\d+) +(\d+)", ours[0], re.M)
    assert len(counts) == 2, "zebra counts no routes: {}".format(ours[0])
    return {family: tuple(map(int, numbers)) for family, *numbers in counts}


def kernel_hops(router, address, netns=None):
    """
    Next hops of a VIP in the router's kernel: {gateway or device: weight};
    empty without a route.
    """
    family = "-6" if ":" in address else "-4"
    inside = "ip netns exec {} ".format(netns) if netns else ""
    _, out, _ = router.net.cmd_status(
        "{}ip {} -j route show {}".format(inside, family, prefix_of(address)),
        warn=False,
    )
    hops = {}
    for route in json.loads(out or "[]"):
        for hop in route.get("nexthops", [route]):
            via = hop.get("gateway") or hop.get("via", {}).get("host")
            hops[via or hop.get("dev")] = hop.get("weight", 1)
    return hops


def kernel_routes(router, netns=None):
    """
    All host routes of the router's kernel: {address: {gateway or device}}.
    """
    found = {}
    for family in ("-4", "-6"):
        inside = "-n {} ".format(netns) if netns else ""
        out = router.net.cmd_raises("ip {}{} -j route show".format(inside, family))
        for route in json.loads(out or "[]"):
            address = route["dst"]
            if "/" in address or address == "default":
                continue
            found[address] = {
                hop.get("gateway") or hop.get("via", {}).get("host") or hop.get("dev")
                for hop in route.get("nexthops", [route])
            }
    return found


def in_kernel(router, address):
    """For expect(): the router's kernel has a route for the VIP."""
    hops = kernel_hops(router, address)
    return bool(hops), hops


def not_in_kernel(router, address):
    """For expect(): it has none."""
    hops = kernel_hops(router, address)
    return not hops, hops


def rib(router, address, protocol="openfabric", vrf=None):
    """The route of one protocol for a VIP in zebra's RIB; {} without."""
    out = vtysh_json(
        router,
        "show {} route {}{} json".format(
            "ipv6" if ":" in address else "ip",
            "vrf {} ".format(vrf) if vrf else "",
            prefix_of(address),
        ),
    )
    for route in out.get(prefix_of(address), []):
        if route["protocol"] == protocol:
            return route
    return {}


def rib_hops(router, address):
    """Active next hops of our route in the RIB: {address or interface: weight}."""
    return {
        hop.get("ip") or hop.get("interfaceName"): hop.get("weight", 1)
        for hop in rib(router, address).get("nexthops", [])
        if hop.get("active")
    }


# -------------------------------------------------------------------- BGP


def neighbor(router, address):
    """A BGP neighbour: show bgp neighbors ADDRESS json."""
    return vtysh_json(router, "show bgp neighbors {} json".format(address)).get(
        address, {}
    )


def established(router, address):
    """For expect(): the session with that neighbour is up."""
    seen = neighbor(router, address).get("bgpState")
    return seen == "Established", seen


def updates_received(router, address):
    """UPDATE messages that came from a neighbour since the daemon's start."""
    return neighbor(router, address)["messageStats"]["updatesRecv"]


def session_start(router, address):
    """What changes if, and only if, the session with the neighbour restarts."""
    seen = neighbor(router, address)
    return seen["connectionsEstablished"], seen["connectionsDropped"]


def log_mark(router, daemon):
    """Where a daemon's log ends now, for prefixes_received()."""
    return len(log_of(router, daemon))


def prefixes_received(router, mark):
    """
    What the UPDATEs named that came since the mark: [(address, announced)], an
    entry for each time.  The router needs `debug bgp updates in`.
    """
    return [
        (found[1], found[3] is None)
        for found in RECEIVED.finditer(log_of(router, "bgpd"), mark)
    ]


def bgp_path(router, address, vrf=None):
    """The best BGP path of a VIP; {} without."""
    out = vtysh_json(
        router,
        "show bgp {}{} unicast {} json".format(
            "vrf {} ".format(vrf) if vrf else "",
            "ipv6" if ":" in address else "ipv4",
            prefix_of(address),
        ),
    )
    paths = out.get("paths", [])
    for path in paths:
        if path.get("bestpath", {}).get("overall"):
            return path
    return {}


def settled(router, address):
    """For expect(): the session is up and the neighbour's first table is here."""
    seen = neighbor(router, address)
    if seen.get("bgpState") != "Established":
        return False, seen.get("bgpState")
    families = seen.get("gracefulRestartInfo", {})
    ends = [
        family["endOfRibStatus"].get("endOfRibRecv")
        for family in families.values()
        if isinstance(family, dict) and "endOfRibStatus" in family
    ]
    return any(ends), families


def warm_up(router, neighbor_address, seconds=DEADLINE):
    """
    Wait until the session is up and the first exchange is over: the first
    announcement after session-up waits for bgpd's coalesce time.

    On FRR 10.7 that may take until the neighbour's next keepalive, whose interval must
    be short (doc/developer/frr-versions.rst).
    """
    expect(
        lambda: settled(router, neighbor_address),
        "{}: no BGP session with {}".format(router.name, neighbor_address),
        seconds,
    )


# ---------------------------------------------------------------- servers


class HttpServer:
    """httpserver.py in a router's or host's namespace; names are "ADDRESS:PORT"."""

    running = []

    def __init__(self, gear, names, certificate=None):
        self.gear = gear
        self.certificate = certificate
        self.names = list(names)
        self.control = "/tmp/httpserver-{}.{}".format(gear.name, id(self))
        self.process = None
        self.pid = None
        self.start()

    def start(self):
        """Start the process; returns when it listens."""
        if os.path.exists(self.control):
            os.unlink(self.control)
        self.process = self.gear.net.popen(
            [
                "/usr/bin/env",
                "CERTIFICATE={}".format(self.certificate),
                "/usr/bin/python3",
                os.path.join(HERE, "httpserver.py"),
                self.gear.name,
                self.control,
            ]
            + self.names
        )
        HttpServer.running.append(self)
        # The socket's file is there before anybody listens on it.
        self.pid = expect(
            lambda: self.stat(self.names[0])["pid"],
            "{}: web server doesn't start".format(self.gear.name),
        )

    def tell(self, name, order):
        """Send an order ("ok", "503", "hang", "close", "stat"); the answer."""
        with socket.socket(socket.AF_UNIX) as sock:
            sock.settimeout(10)
            try:
                sock.connect(self.control)
            except OSError as error:
                raise AssertionError("web server is gone: {}".format(error)) from None
            sock.sendall("{} {}\n".format(name, order).encode())
            return json.loads(sock.makefile().readline())

    def stat(self, name):
        """Counters of one listener."""
        return self.tell(name, "stat")[name]

    def peers_since(self, name, connections):
        """Clients' addresses of all but the first so many connections."""
        seen = self.stat(name)
        return seen["peers"][len(seen["peers"]) + connections - seen["connections"] :]

    def kill(self):
        """kill -9: the kernel closes everything."""
        self.gear.net.cmd_status("kill -9 {}".format(self.pid), warn=False)
        self.process.wait()
        HttpServer.running.remove(self)


def fetch(gear, address, port=80, timeout=3):
    """GET / from a gear's namespace: the body, or "" on any failure."""
    script = (
        "import http.client;"
        "c=http.client.HTTPConnection({!r},{},timeout={});"
        "c.request('GET','/');print(c.getresponse().read().decode(),end='')"
    ).format(address, port, timeout)
    _, out, _ = gear.net.cmd_status(["/usr/bin/python3", "-c", script], warn=False)
    return out.strip()
