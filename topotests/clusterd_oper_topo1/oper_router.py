# SPDX-License-Identifier: GPL-2.0-or-later
"""
The router of these tests: its members are addresses of its own loopback
interface.
"""

import os

import lib_cluster as cl
from lib_oper import LISTENER

MEMBER_UP, MEMBER_DOWN = "203.0.113.11", "203.0.113.12"
STATES = (
    "announced",
    "partial",
    "pending",
    "hidden",
    "rejected",
    "waiting",
    "down",
    "invalid",
    "shutdown",
    "held",
    "drained",
    "draining",
)
SERVER = {}


def build(tgen):
    "r1"
    tgen.add_router("r1")
    tgen.add_switch("s1").add_link(tgen.gears["r1"])


def prepare(tgen):
    "Members on the loopback interface; one of two services runs."
    for address in (MEMBER_UP, MEMBER_DOWN):
        tgen.gears["r1"].net.cmd_raises("ip addr add {}/32 dev lo".format(address))
    SERVER["r1"] = cl.HttpServer(tgen.gears["r1"], [MEMBER_UP + ":8080"])


def start(module):
    "For setup_module()."
    cl.start(
        module,
        build,
        {"r1": ["zebra", "clusterd"]},
        prepare=prepare,
        options=LISTENER,
        folder=os.path.dirname(os.path.abspath(__file__)),
    )


def r1():
    "The router, with both VIPs in their final states."
    router = cl.usable().gears["r1"]
    cl.expect(lambda: cl.vip_is(router, "www", "announced"), "www isn't announced")
    cl.expect(
        lambda: cl.verdict_is(router, "web", MEMBER_DOWN, "down")[0]
        and cl.instance(router, "web", MEMBER_DOWN)["runs"] > 3
        and cl.vip_is(router, "down", "down"),
        "the VIP without a service isn't down",
    )
    return router
