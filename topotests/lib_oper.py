# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of operational data share."""

import json
import re

import lib_cluster as cl

TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$")


def operational(router, module, container):
    "The container's operational data."
    out = cl.vtysh(
        router, "show yang operational-data /{}:{} clusterd".format(module, container)
    )
    return json.loads(out)["{}:{}".format(module, container)]


def by_key(entries, *keys):
    "A YANG list as a dictionary."
    return {tuple(entry[key] for key in keys): entry for entry in entries}


def check_leaves(entry, expected):
    "`expected`: {leaf: value, pattern or predicate}; nothing else may be there."
    assert set(entry) == set(expected), "leaves of {}".format(entry)
    for leaf, want in expected.items():
        got = entry[leaf]
        if callable(want):
            assert want(got), "{}: {!r} in {}".format(leaf, got, entry)
        elif isinstance(want, re.Pattern):
            assert want.search(got), "{}: {!r}".format(leaf, got)
        else:
            assert got == want, "{}: {!r} instead of {!r}".format(leaf, got, want)


def number(text):
    "64 bit counters are strings in JSON."
    return int(text)
