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


class Deaf:
    """
    A router hears no datagrams of the protocol that match, while it lasts: a rule of
    nftables for what has come for its port.
    """

    # The fourth octet behind UDP's eight is the type of the message.
    ALL_BUT_CHALLENGES = "udp dport 8484 @th,88,8 != 2"

    def __init__(self, router, rule):
        self.net = router.net
        self.rule = rule

    def __enter__(self):
        self.net.cmd_raises(
            "nft add table inet deaf && "
            "nft 'add chain inet deaf in {{ type filter hook input priority 0; }}' && "
            "nft add rule inet deaf in {} drop".format(self.rule)
        )

    def __exit__(self, *_):
        self.net.cmd_raises("nft delete table inet deaf")


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
