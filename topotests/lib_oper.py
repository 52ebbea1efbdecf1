# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of operational data share."""

import json
import os
import re

import lib_cluster as cl
import prometheus_client.parser

# Options of clusterd: who listens to its notifications, and logs them.
LISTENER = {
    "clusterd": "-M {}/obj/tests/listener/notification_log.so".format(
        os.environ["CLUSTER_BUILD"]
    )
}

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


def notifications(router, name):
    """
    For those that were sent since: call the result with what a check of their
    leaves waits for.
    """
    before = len(cl.log_of(router))

    def check(expected):
        log = cl.log_of(router)[before:]
        assert "bad notification" not in log, "notifications: {}".format(
            [l for l in log.splitlines() if "bad notification" in l]
        )
        texts = re.findall(r"notification: (\{.*\})$", log, re.M)
        seen = [json.loads(text).get(name) for text in texts]
        return any(matches(leaves, expected) for leaves in seen if leaves), seen

    def expect(expected):
        cl.expect(lambda: check(expected), "{}: no {}".format(name, expected))

    return expect


def matches(entry, expected):
    "For notifications: check_leaves() without an error."
    try:
        check_leaves(entry, expected)
    except AssertionError:
        return False
    return True


def metrics(path):
    "The file, by Prometheus's parser: families and {(sample, labels): value}."
    with open(path, encoding="utf-8") as file:
        text = file.read()
    assert text.endswith("\n"), "half a file: {!r}".format(text[-80:])
    families = list(prometheus_client.parser.text_string_to_metric_families(text))
    values = {}
    for sample in (sample for family in families for sample in family.samples):
        key = (sample.name, tuple(sorted(sample.labels.items())))
        assert key not in values, "twice: {}".format(key)
        values[key] = sample.value
    return families, values


def value(path, name, **labels):
    "Of one sample; None: it isn't there."
    return metrics(path)[1].get(("clusterd_" + name, tuple(sorted(labels.items()))))
