# SPDX-License-Identifier: GPL-2.0-or-later
"""
What the tests of hub clustering's operational data share.

    g1 (gateway) --- h1 (hub), h2 (hub of another cluster), e1 (edge)
"""

import os
import re

import lib_cluster as cl
import lib_control as ctl
from lib_oper import LISTENER, by_key, check_leaves, number, operational

FOLDER = os.path.join(cl.HERE, "clusterd_hub_oper_topo1")
NODES = ("g1", "h1", "h2", "e1")
ID = {
    "g1": "a0000000-0000-4000-8000-000000000001",
    "h1": "b0000000-0000-4000-8000-000000000001",
    "h2": "b0000000-0000-4000-8000-000000000002",
    "e1": "e0000000-0000-4000-8000-000000000001",
}
CLUSTER = "c0000000-0000-4000-8000-000000000001"
OTHER = "c0000000-0000-4000-8000-000000000002"
PERCENT = re.compile(r"^(100|\d{1,2})\.\d{1,2}$")


def build(tgen):
    "All on one network."
    for name in NODES:
        tgen.add_router(name)
    tgen.add_switch("s1")
    for name in NODES:
        tgen.gears["s1"].add_link(tgen.gears[name])


def prepare(tgen):
    "Logical IDs that are known."
    ctl.own_ids(NODES)(tgen)
    for name in NODES:
        tgen.gears[name].net.cmd_raises("echo {} >{}/node-id".format(ID[name], ctl.DIR))


def start(module):
    "The network and its daemons."
    daemons = {name: ["zebra", "clusterd"] for name in NODES}
    cl.start(module, build, daemons, prepare=prepare, options=LISTENER, folder=FOLDER)


def state(name):
    "hub-clustering of a node."
    return operational(cl.usable().gears[name], "frr-clusterd-hub", "hub-clustering")


def show(name, command):
    "The JSON of show cluster."
    gear = cl.usable().gears[name]
    return cl.vtysh_json(gear, "show cluster {} json".format(command))


def restore():
    "Waits until the edge is at its hub, both hubs were heard and reported twice."

    def there():
        seen = show("g1", "hub-cluster")
        hub = seen["clusters"]["east"]["hubs"].get(ID["h1"], {})
        edge = show("e1", "edge")
        route = edge["routes"]["192.0.2.0/24"]["status"]
        ok = (
            "routesBefore" in hub
            and hub["edges"] == 1
            # The edge counts twice from its assignment to the hub's report.
            and hub["tunnels"] == 10
            and seen["refused"]
            and edge.get("hub") == ID["h1"]
            and route == "installed"
            and not seen["clusters"]["east"]["settleLeftMsec"]
        )
        return ok, (seen, edge)

    cl.expect(there, "the edge isn't at its hub")


def positive(value):
    "Of a 64 bit counter."
    return number(value) > 0


def east(seen):
    "Of a gateway's state: the cluster."
    return by_key(seen["cluster"], "name")[("east",)]["state"]


def hub_of(name):
    "... one of its hubs."
    return lambda seen: by_key(east(seen)["hub"], "id")[(ID[name],)]


def edge_of(seen):
    "... the edge."
    return by_key(east(seen)["edge"], "id")[(ID["e1"],)]


def own_hub(seen):
    "Of a hub's state: itself."
    return seen["hub"]["state"]


def own_edge(seen):
    "Of an edge's state: itself."
    return seen["edge"]["state"]


def become(name, part, wanted, gone=()):
    "Waits until a part of a node's state has these leaves, and none of others."

    def check():
        seen = part(state(name))
        assert not set(gone) & set(seen), seen
        check_leaves({leaf: seen[leaf] for leaf in wanted}, wanted)
        return seen

    return cl.expect(check, "{}: not {}, without {}".format(name, wanted, gone))


def configured(name, *lines):
    "Type lines that nothing is said to."
    out = cl.configure(cl.usable().gears[name], *lines)
    assert out == "", "{}: {}: {}".format(name, lines, out)


def more(text):
    "A counter has gone on since then."
    return lambda now: number(now) > number(text)
