#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
A web server that can be told to misbehave.

    httpserver.py NAME CONTROL ADDRESS:PORT ...

It answers every request with 200 and NAME.  An ADDRESS:PORT with "s" behind it
(203.0.113.1:443s) speaks TLS, with the certificate in $CERTIFICATE; with "f"
it binds to an address that need not be this machine's (IP_FREEBIND).  Lines
written to the Unix socket CONTROL steer one listener each; every line is
answered by one line of JSON:

    ADDRESS:PORT ok        answer (the start)
    ADDRESS:PORT 503       answer with that status
    ADDRESS:PORT hang      accept, read, never answer
    ADDRESS:PORT close     stop listening: connections are refused
    ADDRESS:PORT drop      accept, close at once
    ADDRESS:PORT untidy    answer without a length, end TCP without ending TLS
    ADDRESS:PORT cut       the same, but with half of the announced length
    ADDRESS:PORT endless   headers without end
    ADDRESS:PORT long      one header without end
    ADDRESS:PORT astray    redirect to what is no URL
    ADDRESS:PORT goto      redirect / to /there, that to another host's /end, which
                           answers 200
    ADDRESS:PORT cert=FILE another certificate from now on, and answer
    ADDRESS:PORT stat      {"pid", "mode", "connections", "open", "maxOpen",
                            "times": [...], "peers": [...], "serverNames":
                            [...], "requests": [...]} of this listener: times
                            (monotonic, s), clients' addresses, names asked
                            for in TLS (SNI; null: none) and first lines with
                            Host of the last 1000; maxOpen since the mode was
                            set
    * MODE                 all listeners
"""

import asyncio
import collections
import json
import os
import socket
import ssl
import sys
import time


# linux/in.h, linux/in6.h: the module socket hasn't got them.
IP_FREEBIND = 15
IPV6_FREEBIND = 78


class Listener:
    """One address and its behaviour."""

    def __init__(self, server, name):
        self.server_name = server
        self.name = name
        host, port = name.rsplit(":", 1)
        self.host = host.strip("[]")
        self.port = int(port.rstrip("sf"))
        self.freebind = port.endswith("f")
        self.tls = None
        if port.endswith("s"):
            self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.tls.load_cert_chain(os.environ["CERTIFICATE"])
            self.tls.sni_callback = self.asked_for
        self.mode = "ok"
        self.connections = 0
        self.open = 0
        self.max_open = 0
        self.times = collections.deque(maxlen=1000)
        self.peers = collections.deque(maxlen=1000)
        self.server_names = collections.deque(maxlen=1000)
        self.requests = collections.deque(maxlen=1000)
        self.server = None
        self.writers = set()

    def asked_for(self, _tls, name, _context):
        """Of a handshake: the server name of the client, or None."""
        self.server_names.append(name)

    async def listen(self):
        """Start to listen, if it doesn't."""
        if self.server is None:
            self.server = await asyncio.start_server(
                self.serve, sock=self.socket(), ssl=self.tls
            )

    def socket(self):
        """A socket that is bound to the address."""
        v6 = ":" in self.host
        sock = socket.socket(socket.AF_INET6 if v6 else socket.AF_INET)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if v6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        if self.freebind and v6:
            sock.setsockopt(socket.IPPROTO_IPV6, IPV6_FREEBIND, 1)
        elif self.freebind:
            sock.setsockopt(socket.IPPROTO_IP, IP_FREEBIND, 1)
        # of an address with an interface behind % only this finds the interface
        sock.bind(socket.getaddrinfo(self.host, self.port)[0][4])
        return sock

    async def set(self, mode):
        """Change the behaviour, also of the connections that are open."""
        if mode.startswith("cert="):
            self.tls.load_cert_chain(mode[5:])
            mode = "ok"
        self.mode = mode
        for writer in list(self.writers):
            writer.transport.abort()
        self.max_open = 0
        if mode == "close":
            if self.server is not None:
                self.server.close()
                await self.server.wait_closed()
                self.server = None
        else:
            await self.listen()

    async def serve(self, reader, writer):
        """One connection: one request, one answer."""
        self.connections += 1
        self.times.append(time.monotonic())
        self.peers.append(writer.get_extra_info("peername")[0])
        self.open += 1
        self.max_open = max(self.max_open, self.open)
        self.writers.add(writer)
        try:
            if self.mode == "drop":
                return
            if self.mode == "hang":
                while await reader.read(4096):
                    pass
                return
            line = (await reader.readline()).decode().strip()
            if not line:
                return
            host = ""
            while True:
                header = (await reader.readline()).decode().strip()
                if not header:
                    break
                if header.lower().startswith("host:"):
                    host = header[5:].strip()
            self.requests.append(line + " " + host)
            more = ""
            target = {"/": "/there", "/there": "http://elsewhere.example:{}/end"}.get(
                line.split()[1]
            )
            if self.mode == "goto" and target:
                more = "Location: {}\r\n".format(target.format(self.port))
            if self.mode in ("endless", "long"):
                writer.write(b"HTTP/1.1 200 OK\r\nX: ")
                more = b"x" * 1000 + (b"\r\nX: " if self.mode == "endless" else b"")
                while True:
                    writer.write(more)
                    await writer.drain()
            if self.mode == "astray":
                more = "Location: http://\x01/\r\n"
            status = self.mode + " Told So"
            if more:
                status = "302 Found"
            elif self.mode in ("ok", "goto", "untidy", "cut"):
                status = "200 OK"
            body = (self.server_name + "\n").encode()
            if self.mode == "cut":
                more += "Content-Length: {}\r\n".format(2 * len(body))
            elif self.mode != "untidy":
                more += "Content-Length: {}\r\n".format(len(body))
            head = "HTTP/1.1 {}\r\nConnection: close\r\n{}\r\n"
            writer.write(head.format(status, more).encode() + body)
            await writer.drain()
            if self.mode in ("untidy", "cut"):
                writer.transport.abort()
        except ConnectionError:
            pass
        finally:
            self.open -= 1
            self.writers.discard(writer)
            writer.close()

    def stat(self):
        """What the control socket tells."""
        return {
            "pid": os.getpid(),
            "mode": self.mode,
            "connections": self.connections,
            "open": self.open,
            "maxOpen": self.max_open,
            "times": list(self.times),
            "peers": list(self.peers),
            "serverNames": list(self.server_names),
            "requests": list(self.requests),
        }


async def main(server, control, names):
    """Serve until killed."""
    listeners = {name: Listener(server, name) for name in names}
    for listener in listeners.values():
        await listener.listen()

    async def steer(reader, writer):
        while True:
            line = (await reader.readline()).decode()
            if not line:
                break
            name, order = line.split()
            chosen = listeners.values() if name == "*" else [listeners[name]]
            answer = {}
            for listener in chosen:
                if order != "stat":
                    await listener.set(order)
                answer[listener.name] = listener.stat()
            writer.write(json.dumps(answer).encode() + b"\n")
            await writer.drain()
        writer.close()

    await asyncio.start_unix_server(steer, control)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
