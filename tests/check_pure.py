#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Pure files decide and compute; they neither do I/O nor read a clock.

Proved by their includes: following our own headers, a pure file reaches none
of FRR's headers for events, CLI, northbound and zebra, and no system header
for sockets, files, processes or threads.

    check_pure.py [FILE...]        default: $CLUSTER_PURE, below $CLUSTER_SRCDIR
"""

import os
import re
import sys

FORBIDDEN = {
    # FRR
    *("frrevent.h", "thread.h", "event.h", "frr_pthread.h", "sigevent.h"),
    *("command.h", "vty.h", "northbound.h", "northbound_cli.h", "yang.h"),
    *("zclient.h", "stream.h", "network.h", "sockopt.h", "privs.h", "libfrr.h"),
    *("if.h", "vrf.h", "workqueue.h", "log.h", "zlog.h", "monotime.h", "mgmt.h"),
    # ours: includes most of the above
    "cluster_compat.h",
    # the system
    *("sys/socket.h", "sys/epoll.h", "sys/timerfd.h", "sys/ioctl.h", "poll.h"),
    *("netdb.h", "unistd.h", "fcntl.h", "pthread.h", "threads.h", "signal.h"),
    *("time.h", "sys/time.h", "curl/curl.h", "stdio_ext.h", "sys/wait.h"),
}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)


def own_file(name, includer, top):
    """The path of an include if it is one of ours, else None."""
    for folder in (os.path.dirname(includer), top, os.path.join(top, "clusterd")):
        path = os.path.normpath(os.path.join(folder, name))
        if os.path.isfile(path):
            return path
    return None


def violations(path, top, trail=(), seen=None):
    """Yields (chain of files, forbidden header)."""
    seen = set() if seen is None else seen
    if path in seen:
        return
    seen.add(path)
    trail = trail + (os.path.relpath(path, top),)
    with open(path, encoding="utf-8") as source:
        names = INCLUDE.findall(source.read())
    for name in names:
        if name in FORBIDDEN or os.path.basename(name) == "cluster_compat.h":
            yield trail, name
            continue
        ours = own_file(name, path, top)
        if ours:
            yield from violations(ours, top, trail, seen)


def main():
    top = os.path.abspath(os.environ.get("CLUSTER_SRCDIR", "."))
    files = sys.argv[1:] or os.environ.get("CLUSTER_PURE", "").split()
    bad = 0
    for name in files:
        for trail, header in violations(os.path.join(top, name), top):
            print("%s is not pure: %s" % (name, " -> ".join(trail + (header,))))
            bad += 1
    print("%d pure files, %d violations" % (len(files), bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
