#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
frr-reload's comparison of configurations, with our sections in them.

Runs on the frr-reload.py that was built (argument or $CLUSTER_RELOAD); needs no
vtysh: the configurations are given as the lines that vtysh would show.
"""

import importlib.util
import itertools
import logging
import os
import pathlib
import re
import sys
import unittest

SCRIPT = os.environ.get("CLUSTER_RELOAD", "vtysh-ext/frr-reload.py")

IDS = (
    "0f8e7d6c-5b4a-4392-8170-6f5e4d3c2b1a",
    "1f8e7d6c-5b4a-4392-8170-6f5e4d3c2b1a",
)

BASE = """
cluster probe web
 type tcp
 port 80
 interval 500
exit
cluster vip one
 tag 90
 probe web
 member 10.0.0.1 weight 5
 member 10.0.0.2 interface eth0
 address 192.0.2.1
 community 65001:1
 community no-export
exit
cluster vip two
 member 10.0.0.1
 address 192.0.2.2
exit
cluster track way
 next-hop 10.0.0.1 preference 5
 next-hop fe80::1 interface eth0
 down metric 7
 route 10.1.0.0/16
exit
cluster responder pe
 interface eth0
 condition probe web
 handoff nat
 handoff nat source 192.0.2.1
 address 192.0.2.9
exit
cluster hub-cluster east
 id 5b1a9d0e-7c3f-4f6e-9d2a-8f1e6c7b0a11
 load-limit 60
 route-loss percent 5
 route-loss delay 50
 member %s
exit
cluster hub
 hub-cluster 5b1a9d0e-7c3f-4f6e-9d2a-8f1e6c7b0a11
 tunnel capacity 100
 tunnel source fixed 7
 site-route metric 5
exit
cluster edge
 hub-cluster 5b1a9d0e-7c3f-4f6e-9d2a-8f1e6c7b0a11
 tunnel-address 10.9.0.1
 site-prefix 10.4.0.0/16
 route 10.6.0.0/16
 route tag 5
 gateway %s preference 8
exit
router bgp 65000
 bgp router-id 10.0.0.9
exit
""" % (
    IDS[0],
    IDS[0],
)

KEPT = """
route-map CLUSTERD-x permit 10
 match tag 84
exit
route-map CLUSTERD-x permit 20
 match tag 85
 set community graceful-shutdown
exit
"""


def load_script():
    """The built frr-reload.py as a module."""
    spec = importlib.util.spec_from_file_location("frr_reload", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.log = logging.getLogger("frr-reload")
    return module


reload = load_script()


def config(text):
    """A configuration as frr-reload has it after reading."""
    result = reload.Config(None)
    result.lines = [line.strip() for line in text.splitlines() if line.strip()]
    result.load_contexts()
    return result


def compare(old, new):
    """(what is sent together, what is deleted one by one), as texts."""
    add, delete = reload.compare_context_objects(config(new), config(old))
    commands = [
        "\n".join(reload.lines_to_config(keys, line, False)) + "\n"
        for keys, line in add
    ]
    return (
        "".join(reload.cluster_join_sections(commands)),
        ["\n".join(reload.lines_to_config(keys, line, True)) for keys, line in delete],
    )


class OurSections(unittest.TestCase):
    """What a change in a `cluster` section becomes."""

    def check(self, old, new, expected, change=None):
        """BASE with `old` replaced by `new` sends exactly `expected`."""
        self.assertIn(old, BASE, "the test itself is wrong")
        sent, deleted = compare(BASE, change or BASE.replace(old, new))
        self.assertEqual(sent, expected, "what is sent")
        self.assertEqual(deleted, [], "nothing of ours is deleted one by one")

    def test_unchanged(self):
        """No change, no command; the order of lines is none either."""
        self.check("tag 90", "tag 90", "")
        self.check(" tag 90\n probe web\n", " probe web\n tag 90\n", "")

    def test_changed_leaf(self):
        """The new value alone: it replaces the old one."""
        self.check("tag 90", "tag 91", "cluster vip one\n tag 91\nexit\n")
        self.check(
            "interval 500", "interval 600", "cluster probe web\n interval 600\nexit\n"
        )

    def test_changed_member(self):
        """A member stays while its attributes change."""
        for attributes in (" weight 10", " weight 5 probe other", ""):
            self.check(
                "10.0.0.1 weight 5",
                "10.0.0.1" + attributes,
                "cluster vip one\n member 10.0.0.1%s\nexit\n" % attributes,
            )

    def test_other_member(self):
        """One member for another: removed and added together."""
        self.check(
            "10.0.0.1 weight 5",
            "10.0.0.11 weight 5",
            "cluster vip one\n no member 10.0.0.1 weight 5\n"
            " member 10.0.0.11 weight 5\nexit\n",
        )

    def test_changed_next_hop(self):
        """A next hop stays while its attributes change; its interface is none."""
        self.check(
            "10.0.0.1 preference 5",
            "10.0.0.1 preference 6 probe web",
            "cluster track way\n next-hop 10.0.0.1 preference 6 probe web\nexit\n",
        )
        self.check(
            "fe80::1 interface eth0",
            "fe80::1 interface eth1",
            "cluster track way\n no next-hop fe80::1 interface eth0\n"
            " next-hop fe80::1 interface eth1\nexit\n",
        )

    def test_hub_clustering(self):
        """Hubs and edges: what is a leaf and what an entry."""
        for old, new, sent in (
            ("load-limit 60", "load-limit 61", "hub-cluster east\n load-limit 61"),
            (
                "route-loss percent 5",
                "route-loss percent 6",
                "hub-cluster east\n route-loss percent 6",
            ),
            (
                "member %s" % IDS[0],
                "member %s" % IDS[1],
                "hub-cluster east\n no member %s\n member %s" % IDS,
            ),
            ("capacity 100", "capacity 200", "hub\n tunnel capacity 200"),
            (
                "source fixed 7",
                "source interface wg*",
                "hub\n tunnel source interface wg*",
            ),
            (
                "site-route metric 5",
                "site-route tag 5",
                "hub\n no site-route metric 5\n site-route tag 5",
            ),
            (
                "tunnel-address 10.9.0.1",
                "tunnel-address 10.9.0.2",
                "edge\n no tunnel-address 10.9.0.1\n tunnel-address 10.9.0.2",
            ),
            (
                "site-prefix 10.4.0.0/16",
                "site-prefix 10.5.0.0/16",
                "edge\n no site-prefix 10.4.0.0/16\n site-prefix 10.5.0.0/16",
            ),
            (
                "route 10.6.0.0/16",
                "route 10.7.0.0/16",
                "edge\n no route 10.6.0.0/16\n route 10.7.0.0/16",
            ),
            ("route tag 5", "route tag 6", "edge\n route tag 6"),
            ("preference 8", "preference 6", "edge\n gateway %s preference 6" % IDS[0]),
        ):
            self.check(old, new, "cluster %s\nexit\n" % sent)

    def test_changed_route(self):
        """A prefix is not the new value of another; `down` has two leaves."""
        self.check(
            "route 10.1.0.0/16",
            "route 10.2.0.0/16",
            "cluster track way\n no route 10.1.0.0/16\n route 10.2.0.0/16\nexit\n",
        )
        self.check(
            "down metric 7",
            "down distance 7",
            "cluster track way\n no down metric 7\n down distance 7\nexit\n",
        )

    def test_changed_responder(self):
        """Interfaces are many, and so are the kinds of conditions."""
        self.check(
            "interface eth0\n condition",
            "interface eth1\n condition",
            "cluster responder pe\n no interface eth0\n interface eth1\nexit\n",
        )
        self.check(
            "condition probe web",
            "condition vip one",
            "cluster responder pe\n no condition probe web\n"
            " condition vip one\nexit\n",
        )
        self.check(
            "source 192.0.2.1",
            "source 192.0.2.7",
            "cluster responder pe\n handoff nat source 192.0.2.7\nexit\n",
        )
        self.check(
            "source 192.0.2.1",
            "source 2001:db8::7",
            "cluster responder pe\n no handoff nat source 192.0.2.1\n"
            " handoff nat source 2001:db8::7\nexit\n",
        )
        self.check(
            " handoff nat\n handoff nat source 192.0.2.1\n",
            "",
            "cluster responder pe\n no handoff nat\n"
            " no handoff nat source 192.0.2.1\nexit\n",
        )

    def test_changed_address(self):
        """An address is not the new value of another address."""
        self.check(
            "address 192.0.2.1\n",
            "address 192.0.2.3\n",
            "cluster vip one\n no address 192.0.2.1\n address 192.0.2.3\nexit\n",
        )

    def test_changed_community(self):
        """A community is not the new value of another one."""
        self.check(
            "community 65001:1\n",
            "community 65001:2\n",
            "cluster vip one\n no community 65001:1\n community 65001:2\nexit\n",
        )

    def test_moved_address(self):
        """An address that moves to another VIP: one change."""
        moved = BASE.replace(" address 192.0.2.2\n", " address 192.0.2.1\n")
        moved = moved.replace(" address 192.0.2.1\n", " address 192.0.2.2\n", 1)
        self.check(
            "192.0.2.1",
            "",
            "cluster vip one\n no address 192.0.2.1\nexit\n"
            "cluster vip two\n no address 192.0.2.2\nexit\n"
            "cluster vip one\n address 192.0.2.2\nexit\n"
            "cluster vip two\n address 192.0.2.1\nexit\n",
            change=moved,
        )

    def test_removed_line(self):
        """A line that nothing replaces is deleted, also without a value."""
        self.check(" tag 90\n", "", "cluster vip one\n no tag 90\nexit\n")
        self.check(
            "cluster vip two\n",
            "cluster vip two\n shutdown\n",
            "cluster vip two\n shutdown\nexit\n",
        )
        sent, deleted = compare(BASE.replace(" tag 90\n", " shutdown\n"), BASE)
        self.assertEqual(sent, "cluster vip one\n no shutdown\n tag 90\nexit\n")
        self.assertEqual(deleted, [])

    def test_shared_first_words(self):
        """What begins as a changed line does, but is another thing, goes."""
        for gone, old, new in (
            ("drain", "drain file /a", "drain file /b"),
            ("drain on-exit", "drain file /a", "drain file /b"),
            ("probe db also", "probe web", "probe cache"),
            ("uplink bgp-routes 3", "uplink probe web", "uplink probe cache"),
        ):
            before = "cluster vip one\n %s\n %s\nexit\n" % (old, gone)
            after = "cluster vip one\n %s\nexit\n" % new
            self.assertEqual(
                compare(before, after),
                ("cluster vip one\n no %s\n %s\nexit\n" % (gone, new), []),
            )

    def test_every_command(self):
        """No two commands of a kind of section are taken for one leaf."""
        command = re.compile(r'DEFPY_YANG \(\w+,\s*\w+,\s*"(?:\[no\] )?([^"]*)"')
        top = pathlib.Path(__file__).resolve().parents[2]
        folders = {}
        for path in top.glob("clusterd/*/*_cli.c"):
            lines = folders.setdefault(path.parent.name, set())
            for text in command.findall(path.read_text(encoding="utf-8")):
                if text.startswith(("no ", "cluster ")):
                    continue
                # without what may be left out, and with some value
                words = re.sub(r" ?!?[\[{].*", "", text).split()
                lines.add(" ".join(w if re.match(r"[a-z]", w) else "x1" for w in words))
        self.assertGreaterEqual(len(folders), 5, "the commands aren't found")
        for folder, lines in folders.items():
            for one, other in itertools.combinations(sorted(lines), 2):
                self.assertNotEqual(
                    reload.cluster_leaf("cluster %s x" % folder, one),
                    reload.cluster_leaf("cluster %s x" % folder, other),
                    "%s: `%s` and `%s`" % (folder, one, other),
                )

    def test_same_leaf_in_another_section(self):
        """A leaf replaces that of its own section only."""
        sent, _ = compare(
            BASE,
            BASE.replace(" tag 90\n", "").replace("vip two\n", "vip two\n tag 7\n"),
        )
        self.assertEqual(
            sent,
            "cluster vip one\n no tag 90\nexit\ncluster vip two\n tag 7\nexit\n",
        )

    def test_renamed_section(self):
        """The old one goes and the new one comes in one batch."""
        self.check(
            "vip two",
            "vip three",
            "no cluster vip two\n"
            "cluster vip three\n member 10.0.0.1\n address 192.0.2.2\nexit\n",
        )

    def test_lines_keep_their_section(self):
        """New lines of a section stay inside it, in their order, in one block."""
        sent, _ = compare("", BASE)
        self.assertIn(
            "cluster vip one\n tag 90\n probe web\n member 10.0.0.1 weight 5\n"
            " member 10.0.0.2 interface eth0\n address 192.0.2.1\n"
            " community 65001:1\n community no-export\nexit\n",
            sent,
        )

    def test_kept_route_maps(self):
        """A map that clusterd keeps is left alone, whatever the file has of it."""
        changed = KEPT.replace("84", "4711").replace("permit 20", "deny 30")
        for old, new in (
            (KEPT, ""),
            ("", KEPT),
            (KEPT, changed),
            (KEPT, KEPT.replace(" match tag 84\n", "")),
        ):
            sent, deleted = compare(BASE + old, BASE + new)
            self.assertEqual((sent, deleted), ("", []), "%r -> %r" % (old, new))
        # Others of a similar name are not.
        other = KEPT.replace("CLUSTERD-x", "CLUSTERDX")
        sent, deleted = compare(BASE + other, BASE)
        self.assertEqual(len(deleted), 2, deleted)

    def test_one_line_commands(self):
        """Commands of ours that are no section: one changes, the other stays."""
        lines = "cluster bgp route-map CLUSTERD-x\ncluster bgp next-hop 10.0.0.9\n"
        sent, deleted = compare(
            lines + BASE, lines.replace("10.0.0.9", "10.0.0.8") + BASE
        )
        self.assertEqual(
            sent, "no cluster bgp next-hop 10.0.0.9\ncluster bgp next-hop 10.0.0.8\n"
        )
        self.assertEqual(deleted, [])
        self.assertEqual(compare(lines + BASE, lines + BASE), ("", []))

    def test_frr_sections(self):
        """FRR's sections are treated as before: deleted one by one."""
        sent, deleted = compare(
            BASE, BASE.replace("router-id 10.0.0.9", "router-id 10.0.0.8")
        )
        self.assertIn("bgp router-id 10.0.0.8", sent)
        self.assertEqual(len(deleted), 1)
        self.assertIn("no bgp router-id 10.0.0.9", deleted[0])


if __name__ == "__main__":
    if len(sys.argv) > 1 and os.path.exists(sys.argv[1]):
        SCRIPT = sys.argv.pop(1)
        reload = load_script()
    unittest.main()
