#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
What `show cluster ... json` knows is operational data, and the other way round.

The names of all fields of the JSON, as the sources of the commands have them,
against the leaves of the YANG modules. What is known to one only, or has another
name, is listed here with its reason. The values are compared by topotests
(lib_same.py).
"""

import os
import re
import sys
from collections import namedtuple

TOP = os.environ.get("CLUSTER_SRCDIR", ".")
sys.path.insert(0, os.path.join(TOP, "topotests"))
# pylint: disable=wrong-import-position
from lib_schema import leaf_name, nodes  # noqa: E402

# source: of the command. top: where its data is, or a tuple. names: (source, function or
# array) whose texts are fields. renamed: {field: its leaves}. show: {field that no leaf has: why}.
# yang: {leaf that no field is: why}.
Show = namedtuple("Show", "source module top names renamed show yang")

STATE = {"state": ["status"], "sinceMsec": ["last-change"]}
ONE_MOMENT = "the same moment as last-change"

SHOWS = (
    Show(
        "vip/vip_show.c",
        "frr-clusterd-vip",
        "/cluster-vips",
        (),
        {**STATE, "members": ["member"], "addresses": ["address"]},
        {"since": ONE_MOMENT},
        {"probes": "`probe` of a member, which is a leaf of the configuration"},
    ),
    Show(
        "probe/probe_show.c",
        "frr-clusterd-probe",
        "/cluster-probes",
        (("probe/probe_show.c", "heartbeat_json"),),
        {
            "state": ["hold-state", "heartbeat-state"],
            "sinceMsec": ["last-change", "hold-since"],
            "lastResultMsec": ["last-result-time"],
            "instances": ["instance"],
            "lastMsec": ["heartbeat-last"],
            **{
                field: ["hold-" + leaf_name(field)]
                for field in ("connections", "lost", "failed", "backOffMsec", "lastEnd")
            },
            **{
                field: ["heartbeats-" + leaf_name(field)]
                for field in (
                    "received",
                    "malformed",
                    "version",
                    "unknown",
                    "noKey",
                    "badMac",
                    "clock",
                    "replay",
                )
            },
        },
        {
            "heartbeat": "an object: its fields are leaves heartbeat-...",
            "rejected": "an object: its fields are leaves heartbeats-...",
        },
        {},
    ),
    Show(
        "vip/bgp_show.c",
        "frr-clusterd-bgp",
        "/cluster-bgp",
        (),
        {
            "sinceMsec": ["last-change"],
            "lastErrorMsec": ["last-error-time"],
            "lines": ["line"],
        },
        {},
        {},
    ),
    Show(
        "vip/bgp_peers.c",
        "frr-clusterd-bgp",
        "/cluster-bgp-peers",
        (),
        {
            "warning": ["why"],
            "vips": ["vip"],
            "addresses": ["address"],
            "others": ["other"],
            "vrfs": ["vrf"],
            "sessions": ["session"],
            "uptimeMsec": ["last-change"],
        },
        {},
        {
            "status": "the command waits for the answers",
            "last-answer": "it shows them at once",
            "name": "a key: the JSON is an object of VIPs and one of VRFs",
            "neighbor": "a key, as well",
            "number": "of an entry of an array",
        },
    ),
    Show(
        "cluster_summary.c",
        "frr-clusterd",
        "/cluster-summary",
        (
            ("vip/vip_reason.c", "vip_state_name"),
            ("track/track_decide.c", "track_state_name"),
            ("responder/responder_decide.c", "state_names"),
        ),
        {"state": ["status"], "writtenMsec": ["last-written"]},
        {},
        {},
    ),
    Show(
        "core/cluster_event.c",
        "frr-clusterd",
        "/cluster-events",
        (),
        {"events": ["event"]},
        {"ageMsec": "the same moment as time"},
        {"total": "the value of the kind's member of `changes`"},
    ),
    Show(
        "responder/responder_show.c",
        "frr-clusterd-responder",
        "/cluster-responders",
        (("responder/responder_packet.c", "kind_names"),),
        {
            "state": ["status"],
            "sinceMsec": ["since"],
            "addresses": ["address"],
            "interfaces": ["interface"],
            "mode": ["handoff"],
            **{f: [f + "-received"] for f in ("arp", "neighbor", "echo")},
            "fragment": ["fragments"],
            "conflict": ["conflicts"],
        },
        {"received": "an object: its fields are leaves of `counters`"},
        {},
    ),
    Show(
        "track/track_show.c",
        "frr-clusterd-track",
        "/cluster-tracks",
        (),
        {
            "state": ["status"],
            "sinceMsec": ["since"],
            "nextHops": ["next-hop"],
            "routes": ["route"],
        },
        {},
        {
            "node": "a key: the JSON of the announcements is an object of nodes",
            "track": "a key, as well",
            "sessions": "show cluster control has them",
            "refused": "the text of show cluster track-announcements ends with it",
        },
    ),
    Show(
        "core/ctl_show.c",
        "frr-clusterd-control",
        "/cluster-control",
        (),
        {
            **STATE,
            "lastMsecAgo": ["last"],
            "heardMsecAgo": ["last-heard"],
            "sockets": ["socket"],
            "peers": ["peer"],
            "duplicates": ["duplicate"],
            "links": ["link"],
        },
        {},
        {
            "name": "a key: the JSON of the counters is an object of names",
            "value": "its values",
        },
    ),
    Show(
        "hubcluster/hc_show.c",
        "frr-clusterd-hub",
        ("/hub-clustering/cluster", "/hub-clustering/refused"),
        (),
        {
            "state": ["status"],
            "asn": ["as-number"],
            "cpuPercent": ["cpu"],
            "memoryPercent": ["memory"],
            "reportMsec": ["last-report"],
            "addresses": ["address"],
            "toldMsec": ["told-time"],
            "lastMsec": ["last"],
        },
        {"clusters": "a list of its own: `cluster`"},
        {},
    ),
    Show(
        "hubcluster/hc_self_show.c",
        "frr-clusterd-hub",
        ("/hub-clustering/hub", "/hub-clustering/edge"),
        (),
        {
            "state": ["status"],
            "cluster": ["hub-cluster"],
            "draining": ["drain"],
            "cpuPercent": ["cpu"],
            "memoryPercent": ["memory"],
            "tunnelAddresses": ["tunnel-address"],
            "prefixes": ["prefix"],
            "gateways": ["gateway", "gateways"],
            "routes": ["route"],
        },
        {
            "tunnelSource": "configuration: which case of container tunnel there is",
        },
        {"id": "a key: the JSON is an object of nodes"},
    ),
)

COMMAND = re.compile(r"^\s+\"show cluster [^\"]*json\$json", re.M)


def read(source):
    with open(os.path.join(TOP, "clusterd", source), encoding="utf-8") as file:
        return file.read()


def texts_of(source, name):
    "The texts in a function's body, or of an array."
    pattern = r"\b%s(?:\([^)]*\)\n|\[[^=]*= ?)\{(.*?)\n\}" % name
    body = re.search(pattern, read(source), re.S)
    return set(re.findall(r"\"([\w-]+)\"", body[1])) if body else set()


def fields_of(show):
    "What the command's JSON may have."
    text = read(show.source)
    found = set(re.findall(r"\b(?:hcd_)?json\w*\(\s*\w+,\s*\"(\w+)\"", text))
    found |= set(re.findall(r"\bhcd_json_why\(\w+,\s*\"\w+\",\s*\"(\w+)\"", text))
    for source, name in show.names:
        texts = texts_of(source, name)
        if not texts:
            sys.exit("clusterd/%s: no texts in %s" % (source, name))
        found |= texts
    return found


def name_of(path):
    return path.rpartition("/")[2]


def compare(show):
    "What is wrong, as texts."
    tops = (show.top,) if isinstance(show.top, str) else show.top
    tops = tuple(top + "/" for top in tops)
    below = {
        path: node
        for path, node in nodes(show.module).items()
        if (path + "/").startswith(tops)
    }
    known = {name_of(path) for path in below}
    state = {
        name_of(path)
        for path, (kind, config) in below.items()
        if kind.startswith("leaf") and not config
    }
    fields = fields_of(show)
    told = {
        leaf: field
        for field in fields
        for leaf in show.renamed.get(field, [leaf_name(field)])
    }
    wrong = [
        "field %s: %s has no %s" % (field, show.module, leaf)
        for leaf, field in told.items()
        if leaf not in known and field not in show.show
    ]
    wrong += [
        "leaf %s of %s: no such field" % (leaf, show.module)
        for leaf in state - set(told) - set(show.yang)
    ]
    stale = {field for field in (*show.show, *show.renamed) if field not in fields}
    stale |= {field for field in show.show if leaf_name(field) in known}
    stale |= {leaf for leaf in show.yang if leaf in told or leaf not in state}
    return wrong + ["%s: the exception is of no use" % text for text in stale]


def commands():
    "Sources of commands that have JSON."
    folder = os.path.join(TOP, "clusterd")
    for path, _, names in os.walk(folder):
        for name in names:
            source = os.path.relpath(os.path.join(path, name), folder)
            if name.endswith(".c") and COMMAND.search(read(source)):
                yield source


def main():
    wrong = [
        "clusterd/%s: %s" % (show.source, text)
        for show in SHOWS
        for text in compare(show)
    ]
    listed = {show.source for show in SHOWS}
    wrong += ["clusterd/%s: not in the list" % s for s in listed ^ set(commands())]
    for text in wrong:
        print(text)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
