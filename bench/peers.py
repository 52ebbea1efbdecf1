# SPDX-License-Identifier: GPL-2.0-or-later
"""What people announce services with today, beside clusterd.

    clusterd ----+
    exabgp ------+
    keepalived --+-- router      each with an HTTP server and an address for it
    bird --------+               router: zebra and bgpd as packaged, a BGP
                                 session with each

Every second each asks its own server over HTTP; one failure is enough to
withdraw the address, one success to announce it (interval 1 s, fall 1, rise 1,
no damping).  Each is configured as its own documentation has it:

clusterd    a local VIP, a probe of type http with `hold`; bgpd redistributes
exabgp      its healthcheck with curl as the command, --withdraw-on-down
keepalived  a VRRP instance with priority 255 (master at once) that tracks a
            vrrp_script with curl; its address on lo is redistributed by bgpd
            (`redistribute connected route-map`).  (Its checkers of real servers
            need IPVS, which not every kernel has, and announce nothing.)
bird        a static route on lo, which a script enables and disables by
            birdc, as often as it asks

death    The server is killed by -9.  Until the route is gone from the router's
         kernel.
start    It is started.  From when it listens until the route is there.
killed   The tool is killed by -9 while its server lives: its main process, and
         of those with several the one that checks, too.  Until the route is
         gone, or never: it is still there 10 s later.  Then the server is
         killed, too: whether something (the tool, started again by its own
         parent) still sees that.

When a check would come next decides most of the time, so the server is killed
in the first, second, ... fifth part of the second after a check of its own
tool: a round is one kill of each part, and its figure the median.  The ratio of
a round is clusterd's median / the peer's; the result is the median of the
rounds, of the peer that comes nearest.
"""

import argparse
import statistics
import subprocess
import sys
import time

import lab as lab_module
from lab import Box, LabError, Link, Router, RouteWatch, poll
from verdict import conclude

GOAL = 0.33
PARTS = 5  # of the second between two checks
NEVER = 10.0  # s
QUIET = 0.4  # s, longer than every queue's hold
UP_TIMEOUT = 20

HEAD = f"""\
hostname {{name}}
log file {Router.LOG}
log timestamp precision 6
!
ip prefix-list SERVICE permit 192.0.2.0/24 ge 32
route-map SERVICE permit 10
 match ip address prefix-list SERVICE
exit
!
"""

NODE_BGP = """\
router bgp 65100
 bgp router-id {here}
 neighbor {there} remote-as 65000
 neighbor {there} timers connect 1
 address-family ipv4 unicast
  neighbor {there} route-map SERVICE in
  neighbor {there} route-map SERVICE out
  redistribute {protocol} route-map SERVICE
 exit-address-family
exit
"""

CLUSTERD = """\
cluster probe WEB
 type http
 target 127.0.0.1
 interval 1000
 rise 1
 fall 1
 hold
exit
cluster vip SHOP
 local
 probe WEB
 flip-interval 0
 damping off
 address {vip}
exit
"""

CHECK = "/usr/bin/curl -sf -m 1 http://127.0.0.1/"

EXABGP = """\
process watch {{
    run /usr/bin/python3 -m exabgp healthcheck --cmd "{check}" --interval 1 \
--fast-interval 1 --timeout 1 --rise 1 --fall 1 --withdraw-on-down --no-syslog \
--ip {vip}/32;
    encoder text;
}}
neighbor {there} {{
    router-id {here};
    local-address {here};
    local-as 65100;
    peer-as 65000;
    api {{ processes [ watch ]; }}
}}
"""

KEEPALIVED = """\
global_defs {{
    router_id node
    script_user root
    enable_script_security
}}
vrrp_script check {{
    script "{check}"
    interval 1
    timeout 1
    rise 1
    fall 1
}}
vrrp_instance SHOP {{
    state MASTER
    interface router
    virtual_router_id 80
    priority 255
    virtual_ipaddress {{
        {vip}/32 dev lo
    }}
    track_script {{
        check
    }}
}}
"""

BIRD = """\
router id {here};
protocol device {{ }}
protocol static shop {{
    disabled;
    ipv4;
    route {vip}/32 via "lo";
}}
protocol bgp uplink {{
    local {here} as 65100;
    neighbor {there} as 65000;
    ipv4 {{
        import none;
        export where source = RTS_STATIC;
        next hop self;
    }};
}}
"""

BIRD_WATCH = """\
last=
while :; do
	if {check} >/dev/null; then now=enable; else now=disable; fi
	[ "$now" = "$last" ] || birdc -s {socket} "$now" shop
	last=$now
	sleep 1
done
"""


class Tool:
    """A node with a server and one of the tools.

    processes: names of those to kill; for each its name and how it is brought
    back.
    """

    name = None
    package = "", ""  # for people, and of Debian

    def __init__(self, lab, number):
        self.lab = lab
        self.vip = f"192.0.2.{80 + number}"
        self.here = f"198.51.100.{4 * number + 2}"
        self.there = f"198.51.100.{4 * number + 1}"
        self.box = self.make_box()

    def text(self, template, **more):
        return template.format(
            name=self.name,
            vip=self.vip,
            here=self.here,
            there=self.there,
            check=CHECK,
            **more,
        )

    def file(self, name, text):
        path = self.lab.folder / f"{self.name}.{name}"
        path.write_text(text)
        return str(path)

    def make_box(self):
        return Box(self.lab, self.name)

    def begin(self):
        """Starts the tool; FRR runs already."""

    def kills(self):
        """[(what, kill, back)]: kill() ends something and returns when."""
        raise NotImplementedError

    # -- the server --

    def server_start(self):
        program = str(lab_module.TOP / "tools/lab_http.py")
        self.box.output("http").unlink(missing_ok=True)
        self.box.start("http", "/usr/bin/python3", program, self.name, "log")

    def server_log(self, what):
        lines = self.box.output("http").read_text().splitlines()
        return [float(line.split()[1]) for line in lines if line.startswith(what)]

    def version(self):
        """Not asked in its box, which may have a /var/lib of its own."""
        name, package = self.package
        words = "dpkg-query", "-W", "-f", f"{name} ${{Version}}", package
        return subprocess.run(words, check=True, capture_output=True, text=True).stdout

    def listens(self):
        """Since when the server listens."""
        return poll(lambda: self.server_log("listens"), 10, "the server listens")[0]

    def server_kill(self, part):
        """Kills the server in that part of the second behind a check."""
        known = len(self.server_log("asked"))
        poll(
            lambda: len(self.server_log("asked")) > known,
            UP_TIMEOUT,
            f"{self.name} asks its server",
        )
        due = self.server_log("asked")[-1] + (part + 0.5) / PARTS
        time.sleep(max(0, due - time.time()))
        return self.box.kill("http")

    def start(self, name, *command):
        self.box.output(name).unlink(missing_ok=True)
        self.box.start(name, *command)

    def child(self, parent, words):
        """The pid of a process whose parent is `parent` and whose command line
        has `words`."""
        for stat in lab_module.Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
                line = (stat.parent / "cmdline").read_text().replace("\0", " ")
            except OSError:
                continue
            if int(fields[1]) == parent and words in line:
                return int(stat.parent.name)
        return None


class Clusterd(Tool):
    name = "clusterd"

    def version(self):
        return self.box.vtysh("show version").split("\n")[0]

    def make_box(self):
        text = self.text(HEAD + CLUSTERD) + self.text(NODE_BGP, protocol="openfabric")
        return Router(self.lab, self.name, ["zebra", "bgpd", "clusterd"], text)

    def kills(self):
        def back():
            self.box.start_daemon("clusterd")
            self.box.load("clusterd")

        return [("clusterd", lambda: self.box.kill("clusterd"), back)]


class Exabgp(Tool):
    name = "exabgp"
    package = "ExaBGP", "exabgp"

    def begin(self):
        path = self.file("conf", self.text(EXABGP))
        self.start(
            "exabgp",
            "env",
            "exabgp.daemon.user=root",
            "exabgp.daemon.drop=false",
            "exabgp.api.cli=false",
            "exabgp.log.destination=stdout",
            "exabgp.log.level=WARNING",
            "exabgp",
            path,
        )

    def kills(self):
        return [
            ("exabgp", lambda: self.box.kill("exabgp"), self.begin),
            ("its healthcheck", self.kill_check, self.after_check),
        ]

    def kill_check(self):
        main = self.box.processes["exabgp"].pid
        pid = poll(lambda: self.child(main, "healthcheck"), 10, "the healthcheck runs")
        return kill(pid)

    def after_check(self):
        """ExaBGP starts it again by itself."""


class Keepalived(Tool):
    name = "keepalived"
    package = "keepalived", "keepalived"

    def make_box(self):
        text = self.text(HEAD) + self.text(NODE_BGP, protocol="connected")
        return Router(self.lab, self.name, ["zebra", "bgpd"], text)

    def begin(self):
        path = self.file("conf", self.text(KEEPALIVED))
        # Root's and for root only, as enable_script_security has it.
        lab_module.Path(path).chmod(0o600)
        self.box.run("rm", "-f", "/run/keepalived.pid", "/run/vrrp.pid")
        self.start(
            "keepalived",
            "keepalived",
            "--dont-fork",
            "--vrrp",
            "--log-console",
            "--use-file",
            path,
        )

    def kills(self):
        return [
            ("keepalived", lambda: self.box.kill("keepalived"), self.back),
            ("its VRRP process", self.kill_vrrp, lambda: None),
            ("both", self.kill_both, self.back),
        ]

    def vrrp(self):
        main = self.box.processes["keepalived"].pid
        return poll(lambda: self.child(main, "keepalived"), 10, "VRRP runs")

    def kill_vrrp(self):
        return kill(self.vrrp())

    def kill_both(self):
        vrrp = self.vrrp()
        self.box.processes["keepalived"].send_signal(19)
        sent = kill(vrrp)
        self.box.kill("keepalived")
        return sent

    def back(self):
        # What it left behind, so that the next measurement begins anew.
        self.box.run("ip", "address", "flush", "dev", "lo", "to", "192.0.2.0/24")
        self.begin()


class Bird(Tool):
    name = "bird"
    package = "BIRD", "bird2"

    def begin(self):
        self.socket = str(self.lab.folder / "bird.ctl")
        path = self.file("conf", self.text(BIRD))
        self.start("bird", "bird", "-f", "-c", path, "-s", self.socket)
        poll(lambda: lab_module.Path(self.socket).exists(), 10, "bird starts")
        self.watch()

    def watch(self):
        path = self.file("watch", self.text(BIRD_WATCH, socket=self.socket))
        self.start("watch", "sh", path)

    def kills(self):
        return [("the script", lambda: self.box.kill("watch"), self.watch)]


def kill(pid):
    sent = time.time()
    lab_module.os.kill(pid, 9)
    return sent


class Bench:
    def __init__(self, lab):
        neighbours = ""
        self.router = Router(lab, "router", ["zebra", "bgpd"], "")
        kinds = (Clusterd, Exabgp, Keepalived, Bird)
        self.tools = [kind(lab, number) for number, kind in enumerate(kinds)]
        for tool in self.tools:
            Link(self.router, f"{tool.there}/30", tool.box, f"{tool.here}/30")
            neighbours += (
                f" neighbor {tool.here} remote-as 65100\n"
                f" neighbor {tool.here} timers connect 1\n"
            )
        self.router.config = (
            HEAD.format(name="router")
            + "router bgp 65000\n no bgp ebgp-requires-policy\n"
            + " bgp router-id 198.51.100.1\n"
            + neighbours
            + "exit\n"
        )

    def begin(self):
        self.watch = RouteWatch(self.router)
        for tool in self.tools:
            print(f"{tool.name:12}", tool.version())
            tool.server_start()
            tool.begin()
        for tool in self.tools:
            self.announced(tool)

    def announced(self, tool):
        """Waits until the router has the route; returns since when."""
        since = self.watch.wait(tool.vip, {tool.here}, UP_TIMEOUT)
        time.sleep(QUIET)
        return since

    def settled(self, tool):
        """As announced(), and what was left behind is over."""
        while True:
            since = self.announced(tool)
            time.sleep(1)
            self.watch.read()
            if self.announced(tool) == since:
                return

    def gone(self, tool, timeout=15.0):
        return self.watch.wait(tool.vip, (), timeout)

    def gone_after(self, tool, since):
        """ms, None: it stays."""
        try:
            return (self.gone(tool, NEVER) - since) * 1000
        except LabError:
            return None

    def death(self, tool, part):
        """(death, start) in ms"""
        killed = tool.server_kill(part)
        down = (self.gone(tool) - killed) * 1000
        # Of those who have just checked, too, all parts of a second.
        time.sleep(QUIET + (2 * part % PARTS + 0.5) / PARTS)
        tool.server_start()
        since = tool.listens()
        return down, (self.announced(tool) - since) * 1000

    def rounds(self, rounds, parts):
        """{tool: ([median of deaths a round], [...of starts])}"""
        found = {tool.name: ([], []) for tool in self.tools}
        for number in range(rounds):
            times = {tool.name: [] for tool in self.tools}
            for step, part in enumerate(parts):
                turn = (number + step) % len(self.tools)
                for tool in self.tools[turn:] + self.tools[:turn]:
                    times[tool.name].append(self.death(tool, part))
            print(f"round {number + 1}, ms:    death" + " " * 31 + "start")
            for tool in self.tools:
                columns = [
                    " ".join(f"{row[kind]:6.0f}" for row in times[tool.name])
                    for kind in (0, 1)
                ]
                print(f"  {tool.name:12} {columns[0]}    {columns[1]}", flush=True)
                for kind, values in enumerate(found[tool.name]):
                    values.append(statistics.median(r[kind] for r in times[tool.name]))
        return found

    def kills(self, times):
        """Prints what becomes of the route when the tool itself is killed."""
        print("tool killed by -9, its server lives:")
        for tool in self.tools:
            for what, end, back in tool.kills():
                results = []
                for _ in range(times):
                    killed = end()
                    ms = self.gone_after(tool, killed)
                    if ms is None:
                        seen = self.gone_after(tool, tool.box.kill("http"))
                        tool.server_start()
                        tool.listens()
                        results.append(
                            "never, and its server's death after it is "
                            + ("unseen" if seen is None else "seen")
                        )
                    else:
                        results.append(f"gone after {ms:.0f} ms")
                    back()
                    self.settled(tool)
                print(f"  {tool.name}: {what}: {', '.join(results)}", flush=True)

    def measure(self, rounds, parts):
        found = self.rounds(rounds, parts)
        print("median of the rounds, ms:  death   start")
        for name, (deaths, starts) in found.items():
            print(
                f"  {name:22} {statistics.median(deaths):7.0f}"
                f" {statistics.median(starts):7.0f}"
            )
        ours = found["clusterd"][0]
        return {
            name: [a / b for a, b in zip(ours, deaths)]
            for name, (deaths, _) in found.items()
            if name != "clusterd"
        }


def main():
    parser = argparse.ArgumentParser(
        prog="bench/peers",
        description="Times withdrawals by clusterd, ExaBGP, keepalived and BIRD.",
    )
    parser.add_argument("--rounds", type=int, default=5, help="default 5")
    parser.add_argument(
        "--smoke",
        action="store_true",
        help="one round of two kills; status 0 if that works, whatever the ratio",
    )
    # argparse's own status for an error, 2, is a result here.
    parser.error = lambda text: parser.exit(3, f"{parser.prog}: {text}\n")
    options = parser.parse_args()
    rounds, parts, times = options.rounds, range(PARTS), 3
    if options.smoke:
        rounds, parts, times = 1, (0, PARTS - 1), 1

    def bench(lab):
        try:
            measured = Bench(lab)
            lab.power_on()
            measured.begin()
            measured.kills(times)
            status = conclude(
                "peers",
                lambda: measured.measure(rounds, parts),
                GOAL,
                0 if options.smoke else 1,
            )
            return 0 if options.smoke else status
        except LabError as error:
            for box in lab.boxes.values():
                if isinstance(box, Router) and box.on:
                    print(f"--- {box.name}: the end of its log\n{box.log()}")
            print(f"peers: failed: {error}", flush=True)
            return 3

    return lab_module.run_isolated(bench)


if __name__ == "__main__":
    sys.exit(main())
