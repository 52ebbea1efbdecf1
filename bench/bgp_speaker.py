# SPDX-License-Identifier: GPL-2.0-or-later
"""A BGP speaker (RFC 4271) that brings a large table, or counts what it gets.

    bgp_speaker.py NEIGHBOUR OWN_ADDRESS AS PREFIXES

Connects, says "ready", waits for a line on standard input, sends an UPDATE for
every five of so many prefixes, and then goes on reading.  For each further
line it prints the UPDATE messages received and the seconds since the last one.
"""

import os
import random
import select
import socket
import struct
import sys
import time

OPEN, UPDATE, NOTIFICATION, KEEPALIVE = 1, 2, 3, 4
HOLD = 180
GROUP = 5  # prefixes that share their attributes; about what the Internet's table has


def message(kind, body=b""):
    """One BGP message."""
    return b"\xff" * 16 + struct.pack(">HB", 19 + len(body), kind) + body


def update(numbers, path, next_hop):
    """UPDATE for the /24s of these numbers."""
    attributes = b"\x40\x01\x01\x00" + struct.pack(
        f">BBBBB{len(path)}H", 0x40, 2, 2 + 2 * len(path), 2, len(path), *path
    )
    attributes += b"\x40\x03\x04" + socket.inet_aton(next_hop)
    routes = b"".join(b"\x18" + struct.pack(">I", n << 8)[:3] for n in numbers)
    body = struct.pack(">HH", 0, len(attributes)) + attributes + routes
    return message(UPDATE, body)


def table(own, number, prefixes):
    """All of it, the last message first.  The paths differ in length from speaker to speaker, so that
    each has the better one for a part of the prefixes."""
    dice = random.Random(number)
    first = 1 << 16  # 1.0.0.0
    parts = []
    for start in range(first, first + prefixes, GROUP):
        path = [number] + [dice.randrange(1, 64000) for _ in range(dice.randrange(5))]
        group = range(start, min(start + GROUP, first + prefixes))
        parts.append(update(group, path, own))
    parts.reverse()
    return parts


class Closed(Exception):
    """The neighbour closed the session."""


class Speaker:
    """One session."""

    def __init__(self, neighbour, own, number):
        self.socket = socket.create_connection((neighbour, 179), 30, (own, 0))
        self.received = b""
        self.updates = 0
        self.last = time.monotonic()
        self.pending = message(
            OPEN,
            struct.pack(">BHH4sB", 4, number, HOLD, socket.inet_aton(own), 0),
        )
        self.established = False
        self.alive = time.monotonic()

    def take(self):
        """Reads, and counts whole messages."""
        data = self.socket.recv(1 << 18)
        if not data:
            raise Closed
        self.received += data
        at = 0
        while len(self.received) - at >= 19:
            length, kind = struct.unpack_from(">HB", self.received, at + 16)
            if len(self.received) - at < length:
                break
            at += length
            if kind == OPEN:
                self.pending += message(KEEPALIVE)
            elif kind == KEEPALIVE:
                self.established = True
            elif kind == UPDATE:
                self.updates += 1
                self.last = time.monotonic()
            elif kind == NOTIFICATION:
                raise SystemExit("bgp_speaker: the neighbour sent a NOTIFICATION")
        self.received = self.received[at:]

    def step(self, others=()):
        """Reads and writes what goes; returns those of others that can be read."""
        if time.monotonic() - self.alive > HOLD / 3:
            self.alive = time.monotonic()
            self.pending += message(KEEPALIVE)
        wants = [self.socket] if self.pending else []
        readable, writable, _ = select.select([self.socket, *others], wants, [], 1)
        if self.socket in readable:
            self.take()
        if writable:
            sent = self.socket.send(self.pending[: 1 << 16])
            self.pending = self.pending[sent:]
        return [other for other in others if other in readable]


def establish(neighbour, own, number):
    """A session; bgpd refuses them in its first second."""
    deadline = time.monotonic() + 30
    while True:
        speaker = Speaker(neighbour, own, number)
        try:
            while not speaker.established:
                speaker.step()
            return speaker
        except (Closed, ConnectionError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def main():
    """See above."""
    neighbour, own = sys.argv[1:3]
    number, prefixes = map(int, sys.argv[3:5])
    speaker = establish(neighbour, own, number)
    content = table(own, number, prefixes)
    print("ready", flush=True)
    asked = 0
    while True:
        if speaker.step([sys.stdin.buffer.raw]):
            # not by lines: select() doesn't know what a buffer holds
            lines = os.read(0, 1024).count(b"\n")
            if not lines:
                return
            for _ in range(max(asked, 1), asked + lines):
                left = len(content) + len(speaker.pending)
                quiet = 0.0 if left else time.monotonic() - speaker.last
                print(speaker.updates, f"{quiet:.3f}", flush=True)
            asked += lines
        # Some at a time: what is pending is cut at every write.  Whole messages:
        # a keepalive may come behind them.
        if asked and content and len(speaker.pending) < 1 << 16:
            more = [content.pop() for _ in range(min(len(content), 4096))]
            speaker.pending += b"".join(more)


if __name__ == "__main__":
    main()
