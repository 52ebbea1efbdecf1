#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
The control protocol's document says what the sources say.

Every table of doc/developer/control-protocol.rst is made from the sources:
types, TLVs, flags, reasons, numbers, lengths from ctl_wire.h; the state
machines from ctl_peer.c and ctl_dial.c; the counters from ctl_core.h. A table
follows a comment ".. from the sources: NAME".

    check_ctl_doc.py            compare; prints what differs
    check_ctl_doc.py --write    bring the document up to date
"""

import os
import re
import sys

TOP = os.environ.get("CLUSTER_SRCDIR", ".")
CORE = os.path.join(TOP, "clusterd", "core")
DOC = os.path.join(TOP, "doc", "developer", "control-protocol.rst")
MARK = ".. from the sources: "


def read(path):
    with open(path, encoding="utf-8") as source:
        return source.read()


def csv(header, rows):
    """Lines of an rst csv-table."""

    def line(cells):
        return "   " + ", ".join('"%s"' % str(c).replace('"', '""') for c in cells)

    return [".. csv-table::", line(header).replace("   ", "   :header: ", 1), ""] + [
        line(row) for row in rows
    ]


def enum(text, name):
    """(identifier, value or None, comment) of an enumeration, in order."""
    body = re.search(r"enum %s \{(.*?)\n\}" % name, text, re.S).group(1)
    entry = r"^\s*(\w+)(?:\s*=\s*(\w+))?,[ \t]*(?:/\*\s*(.*?)\s*\*/)?"
    return [
        (m[1], m[2] and int(m[2], 0), re.sub(r"\s+", " ", m[3] or ""))
        for m in re.finditer(entry, body, re.M | re.S)
    ]


def defines(text):
    """Name -> value of everything that Python can compute, and its comment."""
    values, comments = {}, {}
    joined = text.replace("\\\n", " ")
    found = re.findall(r"^#define (\w+)(\([a-z]+\))?[ \t]+(.*?)[ \t]*$", joined, re.M)
    code = {}
    for name, argument, value in found:
        comment = re.search(r"/\*\s*(.*?)\s*\*/", value)
        comments[name] = comment[1] if comment else ""
        value = re.sub(r"/\*.*?\*/", "", value)
        value = re.sub(r"INT64_C\((\d+)\)", r"\1", value)
        code[name] = (argument, value)
    for _ in range(len(code)):
        for name, (argument, value) in code.items():
            try:
                if argument:
                    values[name] = eval(
                        "lambda %s: %s" % (argument[1:-1], value), values
                    )
                    values[name](0)
                else:
                    values[name] = eval(value, values)
            except (NameError, SyntaxError, TypeError):
                values.pop(name, None)
    return values, comments


def wire_tables():
    text = read(os.path.join(CORE, "ctl_wire.h"))
    codec = read(os.path.join(CORE, "ctl_codec.c"))
    values, comments = defines(text)
    tables = {}

    header = re.search(r"\*\theader\n(.*?)\n \*\n", text, re.S)[1]
    rows = re.findall(r"\*\t +(\d+) +(\d+) +(.*)", header)
    assert len(rows) == 9, "the header's comment in ctl_wire.h"
    tables["header"] = csv(("offset", "octets", "field"), rows)

    names = dict(re.findall(r"\[(CTL_\w+)\] = \{ \"([a-z-]+)\"", codec))
    rows = []
    for name, value, comment in enum(text, "ctl_type"):
        length = values["CTL_LEN_" + name[4:]]
        length = "%d + payload" % length(0) if callable(length) else length
        rows.append((value, names[name], length, comment))
    tables["types"] = csv(("type", "name", "octets", "meaning"), rows)

    limits = re.search(r"tlvs\[CTL_TLV_MAX \+ 1\] = \{(.*?)\n\};", codec, re.S)[1]
    limits = dict(
        (m[0], (eval(m[1], values), eval(m[2], values)))
        for m in re.findall(r"\[(\w+)\] = \{ ([^,]+), ([^}]+) \}", limits)
    )
    rows = []
    for name, value, comment in enum(text, "ctl_tlv"):
        least, most = limits[name]
        size = least if least == most else "%d to %d" % (least, most)
        rows.append((value, name[8:].lower(), size, comment))
    tables["tlvs"] = csv(("TLV", "name", "octets", "value"), rows)

    rows = [
        ("0x%x" % values[name], name[9:].lower(), comments[name])
        for name in values
        if re.match(r"CTL_LINK_(?!LEN)", name)
    ]
    tables["flags"] = csv(("bit", "name", "meaning"), rows)

    rows = [
        (value, name[11:].lower().replace("_", " "), comment)
        for name, value, comment in enum(text, "ctl_reason")
        if value
    ]
    tables["reasons"] = csv(("reason", "name", "meaning"), rows)

    rows = [
        (values[name], name[9:].lower().replace("_", " "), comments[name])
        for name in ("CTL_ITEM_SYNC_BEGIN", "CTL_ITEM_SYNC_END", "CTL_ITEM_USER")
    ]
    tables["items"] = csv(("item type", "name", "meaning"), rows)

    rows = [
        ("UDP port", values["CTL_PORT"]),
        ("magic", "0x%x" % values["CTL_MAGIC"]),
        ("version", values["CTL_VERSION"]),
        ("longest datagram", values["CTL_DATAGRAM_MAX"]),
        ("header", values["CTL_HEADER_LEN"]),
        ("trailer", values["CTL_TRAILER_LEN"]),
        ("longest payload of an item", values["CTL_PAYLOAD_MAX"]),
    ]
    tables["numbers"] = csv(("what", "value"), rows)
    return tables


def limits_table():
    values = {}
    for name in (
        "ctl_wire.h",
        "ctl_auth.h",
        "ctl_core.h",
        "ctl_stream.h",
        "ctl_replay.h",
        "ctl_rate.h",
    ):
        found, _ = defines(read(os.path.join(CORE, name)))
        values.update(found)
    rows = [
        (
            "keepalive",
            "%(CTL_KEEPALIVE_MIN_MS)d to %(CTL_KEEPALIVE_MAX_MS)d ms, default %(CTL_KEEPALIVE_DEFAULT_MS)d",
        ),
        (
            "dead interval",
            "%(CTL_DEAD_MIN_MS)d to %(CTL_DEAD_MAX_MS)d ms, default %(CTL_DEAD_DEFAULT_MS)d, at least two keepalives",
        ),
        ("peers", "%(CTL_PEERS_MAX)d"),
        ("links of a peer", "%(CTL_LINKS_MAX)d"),
        ("memory of a peer", "%(CTL_PEER_SIZE_MAX)d octets"),
        (
            "queue of a peer",
            "%(CTL_STREAM_ITEMS)d items and %(CTL_STREAM_OCTETS)d octets",
        ),
        (
            "not acknowledged",
            "%(CTL_STREAM_WINDOW)d items and %(CTL_STREAM_WINDOW_OCTETS)d octets",
        ),
        ("capabilities", "%(CTL_CAPABILITIES_MAX)d"),
        ("replay window", "%(CTL_REPLAY_WINDOW)d datagrams"),
        ("life of a cookie", "%(CTL_COOKIE_LIFE_US)d µs"),
        ("sources whose rate is known", "%(CTL_RATE_SOURCES)d"),
    ]
    return csv(("what", "limit"), [(what, text % values) for what, text in rows])


def state_table(name, states):
    """The transitions of a state machine: a row an event, a column a state."""
    text = read(os.path.join(CORE, name))
    events = [(e[0], e[2]) for e in enum(text, "event") if e[0] != "EVENTS"]
    table = re.search(r"transitions\[\w+\]\[EVENTS\] = \{(.*?)\n\};", text, re.S)[1]
    cells = {}
    for state, body in re.findall(r"\[(\w+)\] = \{\n(.*?)\n\t\},", table, re.S):
        for event, following, action in re.findall(
            r"\[(\w+)\]\s*= \{ (\w+),\s*(\w+) \}", body
        ):
            assert (state, event) not in cells, (state, event)
            cells[state, event] = (following, action)
    rows = []
    for event, _ in events:
        row = [event.lower().replace("_", " ")]
        for state in states:
            # Every cell is filled: a missing one is an error here.
            following, action = cells.pop((state, event))
            text = "" if following == state else "→ " + following.lower()
            if action not in ("ignore", "none"):
                text += (", " if text else "") + action.replace("_", " ")
            row.append(text or "–")
        rows.append(row)
    assert not cells, cells
    return csv(["event"] + [s.lower() for s in states], rows)


def counters_table():
    text = read(os.path.join(CORE, "ctl_core.h"))
    code = read(os.path.join(CORE, "ctl_core.c"))
    names = dict(re.findall(r"\[(CTL_\w+)\] = \"(\w+)\"", code))
    rows = [
        (names[name], comment.lstrip(". ") or "see its name")
        for name, _, comment in enum(text, "ctl_counter")
        if name != "CTL_COUNTERS"
    ]
    return csv(("counter", "datagrams that ..."), rows)


def main():
    tables = wire_tables()
    tables["limits"] = limits_table()
    tables["peer"] = state_table(
        "ctl_peer.c", ["DOWN", "OPENING", "UP", "RENEWING", "CONTESTED"]
    )
    tables["dial"] = state_table("ctl_dial.c", ["WAIT", "HELLO", "OPEN", "JOINED"])
    tables["counters"] = counters_table()

    write = "--write" in sys.argv[1:]
    out, wrong, lines = [], 0, read(DOC).splitlines()
    i = 0
    while i < len(lines):
        out.append(lines[i])
        i += 1
        if not out[-1].startswith(MARK):
            continue
        name = out[-1][len(MARK) :]
        table = tables.pop(name)
        end = i
        while end < len(lines) and (
            not lines[end] or lines[end].startswith(("   ", ".. csv"))
        ):
            end += 1
        old = lines[i:end]
        new = [""] + table + [""]
        if old != new:
            wrong += 1
            if not write:
                print("%s: the table '%s' isn't what the sources say" % (DOC, name))
                for line in new:
                    if line not in old:
                        print("  sources:  " + line.strip())
                for line in old:
                    if line not in new:
                        print("  document: " + line.strip())
        out += new
        i = end
    for name in tables:
        print("%s: no table '%s'" % (DOC, name))
    if write:
        with open(DOC, "w", encoding="utf-8") as doc:
            doc.write("\n".join(out).rstrip() + "\n")
        return 0
    print("%d tables wrong, %d missing" % (wrong, len(tables)))
    return 1 if wrong or tables else 0


if __name__ == "__main__":
    sys.exit(main())
