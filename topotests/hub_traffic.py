#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
UDP from and to one node, all the time; what was lost of it, and for how long.

    hub_traffic.py CONTROL echo=ADDRESS ... flow=NAME,SOURCE,ADDRESS ...

A flow sends a datagram every 20 ms and wants it back.  Every line that comes by the
Unix socket CONTROL is answered by a line of JSON:

    mark    counts anew from now on: {"pid"}
    report  since then: {"flows": {NAME: {"sent", "answered", "gap"}},
                         "echoes": {client's address: {"heard", "gap"}}}

gap: the longest time, in s, in which nothing came; the last one may go on.
"""

import json
import os
import selectors
import socket
import struct
import sys
import time

PORT = 7777
INTERVAL = 0.02


class Arrivals:
    """How many came, and the longest time without any."""

    def __init__(self):
        self.count = 0
        self.longest = 0.0
        self.last = time.monotonic()

    def came(self):
        """One more."""
        self.count += 1
        self.longest = self.gap()
        self.last = time.monotonic()

    def gap(self):
        """The longest one, with the one that isn't over."""
        return max(self.longest, time.monotonic() - self.last)


def udp(address):
    """A socket that doesn't block."""
    sock = socket.socket(
        socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM
    )
    sock.setblocking(False)
    return sock


class Flow:
    """Datagrams to somewhere that echoes them."""

    def __init__(self, source, address):
        self.sock = udp(address)
        self.sock.bind((source, 0))
        self.address = address
        self.number = 0
        self.mark()

    def mark(self):
        """From now on."""
        self.first = self.number + 1
        self.arrivals = Arrivals()

    def send(self):
        """The next one; without a route it is lost as others are."""
        self.number += 1
        try:
            self.sock.sendto(struct.pack("!Q", self.number), (self.address, PORT))
        except OSError:
            pass

    def read(self):
        """Answers; those to what was sent before the mark don't count."""
        try:
            number = struct.unpack("!Q", self.sock.recv(8))[0]
        except OSError:
            return
        if number >= self.first:
            self.arrivals.came()

    def report(self):
        """Since the mark."""
        return {
            "sent": self.number - self.first + 1,
            "answered": self.arrivals.count,
            "gap": self.arrivals.gap(),
        }


class Echo:
    """Sends back what comes."""

    def __init__(self, address):
        self.sock = udp(address)
        self.sock.bind((address, PORT))
        self.clients = {}

    def mark(self):
        """From now on."""
        self.clients = {client: Arrivals() for client in self.clients}

    def read(self):
        """One datagram."""
        try:
            data, client = self.sock.recvfrom(8)
            self.clients.setdefault(client[0], Arrivals()).came()
            self.sock.sendto(data, client)
        except OSError:
            pass

    def report(self):
        """Since the mark."""
        return {
            client: {"heard": a.count, "gap": a.gap()}
            for client, a in self.clients.items()
        }


def answer(control, flows, echoes):
    """One connection of the control socket."""
    conn, _ = control.accept()
    with conn:
        conn.settimeout(1)
        order = conn.recv(100).decode().strip()
        if order == "mark":
            for one in [*flows.values(), *echoes]:
                one.mark()
            said = {"pid": os.getpid()}
        else:
            said = {
                "flows": {name: flow.report() for name, flow in flows.items()},
                "echoes": {k: v for echo in echoes for k, v in echo.report().items()},
            }
        conn.sendall(json.dumps(said).encode() + b"\n")


def main(path, *wanted):
    """Never ends."""
    flows, echoes = {}, []
    for what in wanted:
        kind, value = what.split("=")
        if kind == "echo":
            echoes.append(Echo(value))
        else:
            name, source, address = value.split(",")
            flows[name] = Flow(source, address)
    control = socket.socket(socket.AF_UNIX)
    control.bind(path)
    control.listen()
    selector = selectors.DefaultSelector()
    for one in [*flows.values(), *echoes]:
        selector.register(one.sock, selectors.EVENT_READ, one.read)
    selector.register(
        control, selectors.EVENT_READ, lambda: answer(control, flows, echoes)
    )
    due = time.monotonic()
    while True:
        for key, _ in selector.select(max(0, due - time.monotonic())):
            key.data()
        if flows and time.monotonic() >= due:
            for flow in flows.values():
                flow.send()
        if time.monotonic() >= due:
            # What was missed by a busy machine isn't made up for.
            due = max(due + INTERVAL, time.monotonic())


if __name__ == "__main__":
    main(*sys.argv[1:])
