# SPDX-License-Identifier: GPL-2.0-or-later
"""An HTTP server that answers every GET with its name: lab_http.py NAME [log]

With `log` it prints "listens TIME" once and "asked TIME" for every request.
"""

import http.server
import socketserver
import sys
import time

LOG = sys.argv[2:] == ["log"]


def note(what):
    if LOG:
        print(f"{what} {time.time():.6f}", flush=True)


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        note("asked")
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.end_headers()
        self.wfile.write(sys.argv[1].encode() + b"\n")

    def log_message(self, format, *args):
        """Nothing: the probes ask several times a second."""


class Server(socketserver.ThreadingTCPServer):
    """Not http.server's own: that one asks the DNS for the machine's name."""

    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128


server = Server(("", 80), Handler)
note("listens")
server.serve_forever()
