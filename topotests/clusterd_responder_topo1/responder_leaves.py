# SPDX-License-Identifier: GPL-2.0-or-later
"Operational data of responders, and that it is what `show cluster responder` says."

import datetime

import lib_cluster as cl
import lib_oper as oper

# Leaves of counters, and where the JSON has them.
COUNTERS = {
    "echo-received": ("received", "echo"),
    "echo-sent": ("echoSent",),
    "arp-received": ("received", "arp"),
    "arp-sent": ("arpSent",),
    "neighbor-received": ("received", "neighbor"),
    "neighbor-sent": ("neighborSent",),
    "held": ("held",),
    "filtered": ("filtered",),
    "limited": ("limited",),
    "malformed": ("received", "malformed"),
    "fragments": ("received", "fragment"),
    "bad-source": ("received", "badSource"),
    "reverse-flow": ("received", "reverseFlow"),
    "conflicts": ("received", "conflict"),
    "other": ("received", "other"),
    "tx-errors": ("txErrors",),
}


def leaves(router):
    "{responder: its state by YANG}; times are seconds, as in JSON."
    found = oper.operational(router, "frr-clusterd-responder", "cluster-responders")
    states = {entry["name"]: entry["state"] for entry in found["responder"]}
    for state in states.values():
        for entry in state["address"]:
            entry["since"] = seconds(entry["since"])
        if "last-requester" in state:
            last = state["last-requester"]
            last["time"] = seconds(last["time"])
    return states


def seconds(text):
    "Of a date-and-time."
    assert oper.TIME.match(text), text
    moment = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return int(moment.timestamp())


def by_json(router, name):
    "The same leaves, as they follow from the JSON of `show`."
    shown = cl.vtysh_json(router, "show cluster responder {} json".format(name))[name]
    counters = {}
    for leaf, path in COUNTERS.items():
        value = shown["counters"]
        for key in path:
            value = value[key]
        counters[leaf] = str(value)
    state = {
        "condition": shown["condition"],
        "condition-why": shown.get("conditionWhy", ""),
        "address": [
            {
                "address": one["address"],
                "status": one["state"],
                "why": one["why"],
                "since": one["since"],
            }
            for one in shown["addresses"]
        ],
        "interface": shown["interfaces"],
        "counters": counters,
        "last-requester": shown.get("lastRequester", {}),
    }
    for entry in [state] + state["address"]:
        for leaf in [leaf for leaf, value in entry.items() if value in ("", {})]:
            del entry[leaf]
    return state


def expect_leaves(router, name="PE"):
    "Waits until YANG and JSON say the same: a frame may come in between. YANG's."

    def check():
        state, wanted = leaves(router)[name], by_json(router, name)
        return state == wanted, (state, wanted)

    return cl.expect(check, "YANG and JSON")[1][0]
