# SPDX-License-Identifier: GPL-2.0-or-later
"""
Services that flap, daemons that are killed, reloads, for $CLUSTER_SOAK seconds.

    g1 (servers) --- r1 (node, a server) --- r2 (BGP neighbour)

r1 also has a responder that r2 pings, with a NAT hand-off: it answers while a VIP is
announced and a probe is up.

Each round is a storm of some of these, then quiet.  At every quiet point
zebra's RIB, the kernels of node and neighbour and the local table have what
configuration and health imply, and nothing else; while it is quiet nothing is
sent, although the same file is loaded again; and with the first configuration
and all services up clusterd has no more memory than it had the first time.

spec: issue 5, "Soak"; tests/sim/sim_soak.c is the same under a virtual clock.
"""

import json
import os
import random
import re
import signal
import time

import pytest
import lib_cluster as cl

MEMBERS = ["203.0.113.11", "203.0.113.12", "203.0.113.13"]
HERE = "127.0.0.1"
NEIGHBOUR = "198.51.100.2"
NODE = "198.51.100.1"
TRACKED = "192.0.2.128/26"
VIRTUAL = "198.51.100.10"
MODES = ["503", "hang", "close", "drop"]
# A settled state lasts at least so long: longer than any probe takes to find out.
STABLE = 2.0
QUIET = 3.0
SETTLE = 90
STORM_STEPS = 5
SECONDS = float(os.environ.get("CLUSTER_SOAK") or 60)


class World:
    """What is configured, what the services do, and what follows from it."""

    def __init__(self, tgen):
        self.r1, self.r2 = tgen.gears["r1"], tgen.gears["r2"]
        self.text = cl.own_conf(__file__, "r1")
        self.servers = {
            "g1": cl.HttpServer(tgen.gears["g1"], [m + ":8080" for m in MEMBERS]),
            "r1": cl.HttpServer(self.r1, [HERE + ":8080"]),
        }
        self.modes = {address: "ok" for address in MEMBERS + [HERE]}
        self.min_up = 2
        self.vips = {"any", "two", "local"}
        self.track_shut = self.responder_shut = False

    # -- the configuration --

    def config(self):
        """frr.conf as it should be."""
        text = self.text.replace(" min-up 2\n", " min-up {}\n".format(self.min_up))
        for name in {"any", "two", "local"} - self.vips:
            text = re.sub(
                r"^cluster vip {}\n.*?^exit\n!\n".format(name),
                "",
                text,
                flags=re.M | re.S,
            )
        if self.track_shut:
            text = text.replace("cluster track out\n", "cluster track out\n shutdown\n")
        if self.responder_shut:
            text = text.replace(
                "cluster responder PE\n", "cluster responder PE\n shutdown\n"
            )
        return text

    def reload(self):
        """frr-reload with it."""
        out = cl.frr_reload(self.r1, self.config())
        assert out == "", "reload: {}".format(out)

    # -- what is implied --

    def alive(self, address):
        """Its service answers."""
        return self.modes[address] == "ok"

    def implied(self):
        """{prefix: {next hops}} in r1's kernel."""
        up = {m for m in MEMBERS if self.alive(m)}
        # tcp doesn't look at what is answered, and drop and hang do connect.
        ways = [m for m in MEMBERS[:2] if self.modes[m] != "close"]
        routes = {}
        if "any" in self.vips and up:
            routes["192.0.2.1"] = routes["192.0.2.2"] = up
        if "two" in self.vips and len(up) >= self.min_up:
            routes["192.0.2.3"] = up
        if "local" in self.vips and self.alive(HERE):
            routes["192.0.2.4"] = {"lo"}
        if ways and not self.track_shut:
            routes[TRACKED] = {ways[0]}
        return routes

    def responder_answers(self):
        """The virtual address answers a ping."""
        any_up = "any" in self.vips and any(self.alive(m) for m in MEMBERS)
        return any_up and self.alive(HERE) and not self.responder_shut

    # -- what is there --

    def kernel(self, router):
        """{prefix: {gateways or devices}} of all services."""
        out = router.net.cmd_raises("ip -j route show root 192.0.2.0/24")
        found = {}
        for route in json.loads(out or "[]"):
            # Next hops are resolved by zebra: all are behind g1's address.
            hops = route.get("nexthops", [route])
            found[route["dst"]] = {h.get("gateway") or h.get("dev") for h in hops}
        return found

    def rib(self):
        """{prefix: {next hops}} of our routes in zebra, unresolved."""
        found = {}
        table = cl.vtysh_json(self.r1, "show ip route openfabric json")
        for prefix, routes in table.items():
            for route in routes:
                found[prefix[:-3] if prefix.endswith("/32") else prefix] = {
                    hop.get("ip") or hop.get("interfaceName") or "blackhole"
                    for hop in route["nexthops"]
                    # Those that resolve a next hop are listed behind it.
                    if not hop.get("resolver")
                }
                assert route.get("installed"), "not installed: {}".format(route)
        return found

    def as_implied(self):
        """For expect(): everything is as it should be."""
        routes = self.implied()
        hidden = {} if self.responder_shut else {VIRTUAL: {"blackhole"}}
        rib = self.rib()
        if rib != {**routes, **hidden}:
            return False, "RIB {}, implied {}".format(rib, {**routes, **hidden})
        kernel = self.kernel(self.r1)
        if set(kernel) != set(routes):
            return False, "kernel {}, implied {}".format(kernel, routes)
        neighbour = self.kernel(self.r2)
        if neighbour != {prefix: {NODE} for prefix in routes}:
            return False, "neighbour {}, implied {}".format(neighbour, routes)
        local = self.r1.net.cmd_raises("ip -j route show table local proto 84")
        local = {route["dst"] for route in json.loads(local or "[]")}
        if local != {prefix for prefix in routes if routes[prefix] == {"lo"}}:
            return False, "local table {}, implied {}".format(local, routes)
        return self.responder_as_implied(routes)

    def responder_as_implied(self, routes):
        """For as_implied(): also for who pings."""
        state = cl.vtysh_json(self.r1, "show cluster responder PE json")["PE"]
        if state["handoff"]["state"] != "active":
            return False, state["handoff"]
        # what isn't answered within this on a link without delay isn't at all
        command = "ping -n -q -c 1 -W 0.3 " + VIRTUAL
        answers = self.r2.net.cmd_status(command, warn=False)[0] == 0
        if answers != self.responder_answers():
            return False, "answers: {}; {}".format(answers, state["addresses"])
        return True, routes

    def responder_neighbour(self):
        """ARP is answered whether pings are or not, but not while it's shut down."""
        self.r2.net.cmd_raises("ip neighbour flush to " + VIRTUAL)
        self.r2.net.cmd_status("ping -n -q -c 1 -W 1 " + VIRTUAL, warn=False)
        known = "lladdr" in self.r2.net.cmd_raises("ip neighbour show " + VIRTUAL)
        assert known != self.responder_shut, "ARP: {}".format(known)

    def settle(self):
        """Waits until it is so, and has been for a while."""
        since = [None]

        def check():
            good, seen = self.as_implied()
            if not good:
                since[0] = None
                return False, seen
            since[0] = since[0] or time.monotonic()
            return time.monotonic() - since[0] > STABLE, "not for long"

        cl.expect(check, "not what configuration and health imply", SETTLE)

    def traffic(self):
        """What changes if anything is sent: to zebra, to the neighbour."""
        return (
            cl.route_messages(self.r1),
            cl.updates_received(self.r2, NODE),
            cl.session_start(self.r2, NODE),
        )

    def quiet(self):
        """Settles; then nothing is sent, whatever is done without a change."""
        self.settle()
        before = self.traffic()
        self.reload()
        cl.stays(self.as_implied, "changed without a cause", QUIET)
        self.responder_neighbour()
        assert self.traffic() == before, "something was sent without a cause"

    # -- storms --

    def flap(self, rng):
        """One service does something else."""
        address = rng.choice(MEMBERS + [HERE])
        mode = rng.choice(MODES) if self.alive(address) else "ok"
        name = "r1" if address == HERE else "g1"
        self.servers[name].tell(address + ":8080", mode)
        self.modes[address] = mode
        return "{} {}".format(address, mode)

    def node_lives(self, seconds):
        """For so long, whatever else is dead."""
        cl.stays(lambda: cl.alive(self.r1, "clusterd"), "clusterd has died", seconds)

    def restart_servers(self, rng):
        """All of a machine's services die and come back."""
        name = rng.choice(["g1", "r1"])
        self.servers[name].kill()
        self.node_lives(rng.random())
        self.servers[name].start()
        for address in MEMBERS if name == "g1" else [HERE]:
            self.modes[address] = "ok"
        return "servers of {} killed".format(name)

    def kill_clusterd(self, _rng):
        """As watchfrr would find it."""
        cl.end_daemon(self.r1, "clusterd", signal.SIGKILL)
        cl.start_daemon(self.r1, "clusterd")
        return "clusterd killed"

    def kill_bgpd(self, _rng):
        """The node's."""
        cl.end_daemon(self.r1, "bgpd", signal.SIGKILL)
        cl.start_daemon(self.r1, "bgpd")
        return "bgpd killed"

    def kill_zebra(self, _rng):
        """bgpd as well: it doesn't get over zebra's restart (all versions)."""
        for daemon in ("bgpd", "zebra"):
            cl.end_daemon(self.r1, daemon, signal.SIGKILL)
        for daemon in ("zebra", "staticd", "bgpd"):
            if daemon in cl.all_daemons(self.r1) and not cl.alive(self.r1, daemon):
                cl.start_daemon(self.r1, daemon)
        return "zebra and bgpd killed"

    def edit(self, rng):
        """Another configuration, by a reload."""
        what = rng.randrange(4)
        if what == 0:
            self.min_up = rng.randint(1, 3)
        elif what == 1:
            self.vips ^= {rng.choice(["any", "two", "local"])}
        elif what == 2:
            self.track_shut = not self.track_shut
        else:
            self.responder_shut = not self.responder_shut
        self.reload()
        return "edit: {} {} {} {}".format(
            self.min_up, sorted(self.vips), self.track_shut, self.responder_shut
        )

    def storm(self, rng):
        """Some of it, in any order."""
        kinds = [self.flap] * 8 + [self.restart_servers, self.edit, self.edit]
        kinds += [self.kill_clusterd, self.kill_bgpd, self.kill_zebra]
        return [rng.choice(kinds)(rng) for _ in range(STORM_STEPS)]

    def all_well(self):
        """The first configuration, every service up."""
        for server in self.servers.values():
            server.tell("*", "ok")
        self.modes = dict.fromkeys(self.modes, "ok")
        self.min_up, self.vips = 2, {"any", "two", "local"}
        self.track_shut = self.responder_shut = False
        self.reload()
        self.quiet()

    def objects(self):
        """{type: objects} that clusterd has now."""
        text = cl.vtysh(self.r1, "show memory", daemon="clusterd")
        text = text[text.index("--- qmem clusterd ---") :].split("--- qmem", 2)[1]
        types = dict(re.findall(r"^(\S.*?) *: +(\d+) ", text, re.M))
        assert types, "no memory of clusterd: {}".format(text)
        return {name: int(count) for name, count in types.items()}

    def memory(self):
        """(pid, {type: objects}, KB) of clusterd; least numbers of some moments, as
        there are objects of checks that are under way."""
        pid = cl.pid_of(self.r1, "clusterd")
        least = self.objects()
        for _ in range(8):
            now = self.objects()
            least = {name: min(n, now.get(name, 0)) for name, n in least.items()}
        status = self.r1.net.cmd_raises("cat /proc/{}/status".format(pid))
        return pid, least, int(re.search(r"VmRSS:\s+(\d+)", status).group(1))


def setup_module(module):
    "Start all."
    tgen = cl.start(
        module,
        {"s1": ("r1", "r2"), "s2": ("r1", "g1")},
        {
            "r1": ["zebra", "bgpd", "clusterd"],
            "r2": ["zebra", "bgpd"],
            "g1": ["zebra"],
        },
    )
    cl.warm_up(tgen.gears["r2"], NODE)


def teardown_module(_module):
    "End."
    cl.stop()


def check_memory(first, now):
    """No more objects than the first time, of the same process."""
    more = {
        name: (first[1].get(name, 0), count)
        for name, count in now[1].items()
        if count > first[1].get(name, 0)
    }
    assert not more, "more objects than at first: {}".format(more)
    # The sanitizer's allocator keeps what was freed for a while.
    if not os.environ.get("CLUSTER_ASAN"):
        assert now[2] < first[2] * 1.1 + 512, "VmRSS {} KB, was {}".format(
            now[2], first[2]
        )


def test_soak():
    "Storms and quiet points in turn."
    world = World(cl.usable())
    seed = int(os.environ.get("CLUSTER_SOAK_SEED") or random.randrange(1 << 30))
    rng = random.Random(seed)
    world.all_well()
    first = world.memory()
    compared = rounds = 0
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline or rounds < 2:
        rounds += 1
        done = "nothing"
        try:
            done = world.storm(rng)
            world.quiet()
            world.all_well()
        except AssertionError as error:
            pytest.fail(
                "CLUSTER_SOAK_SEED={}, round {}, after {}: {}".format(
                    seed, rounds, done, error
                )
            )
        now = world.memory()
        if now[0] == first[0]:
            compared += 1
            check_memory(first, now)
        else:
            first = now
        print("round {}: {}; {} KB".format(rounds, "; ".join(done), now[2]))
    print("seed {}, {} rounds, memory compared {} times".format(seed, rounds, compared))
