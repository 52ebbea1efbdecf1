# SPDX-License-Identifier: GPL-2.0-or-later
"""
Flows whose other end says whom it sees.

    flow.py server			answers over TCP and UDP with the address that asks
    flow.py tcp|udp ADDRESS [SOURCE]	asks, for each line of its input on the same flow:
					the answer, or "silence"
"""

import selectors
import socket
import sys

PORT = 7777
PATIENCE = 3  # a neighbour's address that must be asked for again takes a second


def served(sock):
    "One answer."
    if sock.type == socket.SOCK_DGRAM:
        _, peer = sock.recvfrom(100)
        sock.sendto(peer[0].encode(), peer)
        return None
    if sock.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
        return sock.accept()[0]
    if not sock.recv(100):
        sock.close()
        return sock
    sock.send(sock.getpeername()[0].encode())
    return None


def serve():
    "For ever."
    wait = selectors.DefaultSelector()
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        for family, address in ((socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::")):
            sock = socket.socket(family, kind)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            sock.bind((address, PORT))
            if kind == socket.SOCK_STREAM:
                sock.listen()
            wait.register(sock, selectors.EVENT_READ)
    print("ready", flush=True)
    while True:
        for key, _ in wait.select():
            other = served(key.fileobj)
            if other is key.fileobj:
                wait.unregister(other)
            elif other:
                wait.register(other, selectors.EVENT_READ)


def ask(kind, address, source=None):
    "One flow."
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    sock = socket.socket(
        family, socket.SOCK_STREAM if kind == "tcp" else socket.SOCK_DGRAM
    )
    sock.settimeout(PATIENCE)
    if source:
        sock.bind((source, 0))
    connected = False
    for _ in sys.stdin:
        try:
            if not connected:
                sock.connect((address, PORT))
                connected = True
            sock.send(b"?")
            print(sock.recv(100).decode(), flush=True)
        except socket.timeout:
            print("silence", flush=True)
        except OSError as error:
            print(error, flush=True)


if sys.argv[1] == "server":
    serve()
else:
    ask(*sys.argv[1:])
