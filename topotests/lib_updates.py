# SPDX-License-Identifier: GPL-2.0-or-later
"""What a neighbour's UPDATEs said of one address."""

import re

import lib_cluster as cl

ATTRIBUTES = re.compile(r"rcvd UPDATE w/ attr: (.*)")


def log_updates(router):
    """
    Has bgpd log the attributes, too; `debug bgp updates in` is in its frr.conf.
    Of FRR 10 only: 8.4 always does, and has no such command.
    """
    router.vtysh_cmd("debug bgp updates detail")


def updates(router, mark, address):
    """
    The attributes of each UPDATE about the address since cl.log_mark(), as bgpd
    writes them; None: withdrawn.
    """
    seen, attributes = [], ""
    for line in cl.log_of(router, "bgpd")[mark:].splitlines():
        found = ATTRIBUTES.search(line)
        if found:
            attributes = found[1]
            continue
        found = cl.RECEIVED.search(line)
        if found and found[1] == address:
            seen.append(attributes if found[3] is None else None)
    return seen
