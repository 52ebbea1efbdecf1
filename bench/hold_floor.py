# SPDX-License-Identifier: GPL-2.0-or-later
"""From the death of a service to the end of its route, with `hold`.

The lab and the floor of withdraw_floor.py, in turn with:

held     The VIP's server is killed by -9.  Its probe (tcp, interval 1000, fall 1)
         holds a connection.  From the signal to the end of the route in the
         router's kernel: that the probe finds out is part of it.

Before each the connection has been held for a while, and more than a fast
interval has passed since the last check out of turn.
"""

import json
import sys
import time

import withdraw_floor
from lab import poll
from withdraw_floor import VIP, Bench

GOAL = 1.2
FAST = 1.0  # s; the default: the interval


class HoldBench(Bench):
    """Two kinds."""

    CLUSTER = withdraw_floor.CLUSTER.replace("interval 100\n", "hold\n")
    last = 0

    def kinds(self):
        return [self.floor, self.held]

    def is_held(self):
        """The server is up, its connection open."""
        answer = json.loads(self.node.vtysh("show cluster probe WEB json"))
        (instance,) = answer["WEB"]["instances"]
        return instance["hold"]["state"] == "held"

    def held(self):
        self.announced(VIP)
        poll(self.is_held, 10, "clusterd holds a connection")
        time.sleep(max(0, self.last + FAST + 0.1 - time.time()))
        self.last = self.server.kill("http")
        ms = self.withdrawn(VIP, self.last)
        self.start_server()
        return ms


if __name__ == "__main__":
    sys.exit(withdraw_floor.main("hold-floor", HoldBench, GOAL))
