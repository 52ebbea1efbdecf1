# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of the control protocol share."""

import lib_cluster as cl

DIR = "/var/lib/frr-clusterd"


def own_ids(names):
    "For cl.start(): the folder of the logical ID is each router's own."

    def prepare(tgen):
        for name in names:
            net = tgen.gears[name].net
            net.cmd_raises("mkdir -p " + DIR)
            net.cmd_raises("mount -t tmpfs none " + DIR)
            net.cmd_raises("chown frr:frr " + DIR)

    return prepare


def node(router):
    "The router's logical ID."
    return cl.vtysh_json(router, "show cluster control json")["id"]


def session(router, other):
    "What the router says of its session with the other one's ID."
    return cl.vtysh_json(router, "show cluster control sessions json")[other]


def counters(router):
    "All counters."
    return cl.vtysh_json(router, "show cluster control counters json")


def is_up(router, other, links=1):
    "A check: the session is up, over so many links."

    def check():
        seen = session(router, other)
        up = [link for link in seen["links"] if link["up"] and link["hearsUs"]]
        return seen["up"] and len(up) == links, seen

    return check


def is_down(router, other, reason):
    "A check: it is down, and why."

    def check():
        seen = session(router, other)
        return not seen["up"] and seen["lastReason"] == reason, seen

    return check
