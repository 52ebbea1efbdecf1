#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Every text of a state, or of why it is so, is explained in the user manual.

A text is every string literal of the daemon with a space in it, but for those that are
given to something which isn't a state (SPOKEN) or are in a place that makes
none (ELSEWHERE).  So a new file, or another way to make a text, is seen without
anything here: its texts have to be in the manual, or a line below says why not.

Reasons of hub clustering that have names are in test_manual.py.
"""

import collections
import pathlib
import re
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]

TOKEN = re.compile(
    r"""
    (?P<skipped>/\*.*?\*/|//[^\n]*|^[ \t]*\#[ \t]*include[^\n]*)
   |^[ \t]*\#[ \t]*define[ \t]+(?P<define>\w+)
   |(?P<string>"(?:\\.|[^"\\])*")
   |(?P<char>'(?:\\.|[^'\\])*')
   |(?P<word>[A-Za-z_]\w*)
   |(?P<sign>[(){}\[\],;:?=])
    """,
    re.X | re.S | re.M,
)

# What is called with the text: a terminal, the log, JSON's keys, help, names.
SPOKEN = re.compile(
    r"vty_out|cluster_vty_refuse|ttable_add_row|json_\w+"
    r"|zlog_\w+|flog_\w+|\w+_DEBUG|fprintf"
    r"|DEF[A-Z]+(_\w+)?|ALIAS\w*|FRR_\w+|_Static_assert|\w+_STR"
    r"|str(n?cmp|len|match|str)|sscanf"
)

# (source, function that has it or is called with it): what the texts are.
ELSEWHERE = {
    (r".*_cli\.c", ".*"): "refusals, where something is typed",
    (r".*_nb\.c", ".*"): "the same, from the northbound",
    (r".*", r".*_flaw(_\w+)?"): "the same: why a value is none",
    (r"probe/probe_match\.c", ".*"): "the same",
    (r"cluster_later\.c", "cluster_later_new"): "the same",
    (r"vip/bgp_peers\.c", "put|begin"): "what a command prints",
    (r"cluster_(debug|main)\.c", ""): "names of debugging, options",
    (r"cluster_errors\.c", ""): "the catalogue: test_manual.py",
    (r"hubcluster/hc_reason\.c", ".*"): "texts of names: test_manual.py",
    (r".*_metrics\.c", ""): "the metrics file describes itself",
    (r"(hubcluster/hc_daemon|track/track_ctl)\.c", ""): "names of capabilities",
    (r"hubcluster/hc_ctl\.c", "hc_ctl_new"): "name of a capability",
    (r"core/ctl_codec\.c", "ctl_encode"): "a fault of ours",
    (r"core/ctl_codec\.c", r"ctl_decode_\w+"): "log of `debug cluster control`",
    (r"core/ctl_\w+\.c", "ctl_refused"): "log of `debug cluster control`",
    (r"core/local_netlink\.c", "socket_failed"): "log",
    (r"probe/probe_heartbeat\.c", "where_text"): "log",
    (r"probe/probe\.c", "instance_text"): "log",
    (r"responder/responder_nat\.c", "failed"): "log",
    (r"vip/bgp_(keeper|map)\.c", "say|append|append_number"): "for bgpd",
    (r"vip/bgp_keeper\.c", "do_read"): "for bgpd",
    (r"vip/bgp_map\.c", "bgp_map_plan"): "for bgpd",
}

Text = collections.namedtuple("Text", "text line function called")


def literals(source):
    """
    All string literals; adjacent ones are one, and so is what a macro between them
    brings.  `called`: functions whose arguments they are in, the outermost first.
    """
    open_, function, before = [], "", ""
    candidate, pending = "", None
    for token in TOKEN.finditer(source):
        kind, text = token.lastgroup, token.group()
        if kind == "skipped":
            continue
        if kind == "string":
            if pending:
                pending = pending._replace(text=pending.text + text[1:-1])
                continue
            line = source.count("\n", 0, token.start()) + 1
            called = [name for name in open_ if name]
            pending = Text(text[1:-1], line, function, called)
            continue
        if pending and kind == "word" and text.isupper():
            # METRICS_SUFFIX
            pending = pending._replace(text=pending.text + "%s")
            continue
        if pending and kind == "word" and text.startswith("PRI"):
            continue  # PRIu64: its % is there
        if pending:
            yield pending
            pending = None
        if kind == "define":
            function = function if open_ else token.group("define")
        elif text in (";", "=") and not open_:
            candidate = ""
        elif text == "(":
            if not open_:
                candidate = before
            open_.append(before)
        elif text == "{":
            if not open_:
                function = candidate
            open_.append("")
        elif text in (")", "}") and open_:
            open_.pop()
            if text == "}" and not open_:
                function, candidate = "", ""
        before = text if kind == "word" else ""
    if pending:
        yield pending


def longest_piece(text):
    "The longest piece between two conversions is what people search for."
    pieces = re.split(r"%[-+.*0-9]*[a-z]*[A-Za-z0-9]*|\\n", text)
    pieces = [piece.strip(" ,:;`()") for piece in pieces]
    pieces = [piece for piece in pieces if re.search(r"\w \w|\w' \w", piece)]
    return max(pieces, key=len) if pieces else None


def exceptions(name, text):
    "The lines of ELSEWHERE for it."
    places = [text.function, *text.called]
    return [
        (source, place)
        for source, place in ELSEWHERE
        if re.fullmatch(source, name) and any(re.fullmatch(place, p) for p in places)
    ]


def spoken(text):
    "Is it given to what isn't a state?"
    return any(SPOKEN.fullmatch(place) for place in [text.function, *text.called])


def states(folder):
    "(source:line, what to search for) of every text of a state."
    for path in sorted(folder.rglob("*.c")):
        name = str(path.relative_to(folder))
        for text in literals(path.read_text(encoding="utf-8")):
            piece = longest_piece(text.text)
            if piece and not spoken(text) and not exceptions(name, text):
                yield "{}:{}".format(name, text.line), piece


def names_of(manual):
    "What the manual explains: its literals, first columns of tables and lists."
    squeezed = re.sub(r"\s+", " ", manual)
    names = re.findall(r"``((?:[^`]|`(?!`))+)``", squeezed)
    for row in re.findall(r"^ *\* - (.+)$", manual, re.M):
        names += row.split(", ")
    names += re.findall(r"^ *(\S.+?)  +\S", manual, re.M)
    # one word is none
    return [name for name in names if " " in name.strip()]


class States(unittest.TestCase):
    def test_every_text_is_explained(self):
        manual = "\n".join(
            path.read_text(encoding="utf-8")
            for path in sorted((TOP / "doc" / "user").glob("*.rst"))
        )
        names = names_of(manual)
        found = list(states(TOP / "clusterd"))
        self.assertGreater(len(found), 200, "texts")
        missing = [
            "{} {!r}".format(where, piece)
            for where, piece in found
            if not any(piece in n or len(n) >= 8 and n in piece for n in names)
        ]
        self.assertEqual(missing, [], "in no chapter of the manual")

    def test_every_exception_is_one(self):
        "A line of ELSEWHERE that no text needs would hide one that comes."
        needed = set()
        for path in (TOP / "clusterd").rglob("*.c"):
            name = str(path.relative_to(TOP / "clusterd"))
            for text in literals(path.read_text(encoding="utf-8")):
                if longest_piece(text.text):
                    needed.update(exceptions(name, text))
        self.assertEqual(set(ELSEWHERE) - needed, set())

    def test_literals(self):
        source = """
#include "no text"
#define LATER "not decided yet"
static const char *const names[] = { "the first", [B] = "the second" };
static const char *f(int n) /* "no, this" */
{
	char c = '"';

	say(g("a b" PRIu64 " c", other("d e")), n ? "f g" : "h"
	    " i");
	return "it \\"quotes\\"";
}
"""
        self.assertEqual(
            [(t.text, t.function, t.called) for t in literals(source)],
            [
                ("not decided yet", "LATER", []),
                ("the first", "", []),
                ("the second", "", []),
                ("a b c", "f", ["say", "g"]),
                ("d e", "f", ["say", "g", "other"]),
                ("f g", "f", ["say"]),
                ("h i", "f", ["say"]),
                ('it \\\\"quotes\\\\"'.replace("\\\\", "\\"), "f", []),
            ],
        )


if __name__ == "__main__":
    unittest.main()
