# SPDX-License-Identifier: GPL-2.0-or-later
"""
ADDRESS: connects to its port 80 and asks, again and again.  One line each: when,
and what went wrong, if anything.
"""

import socket
import sys
import time

while True:
    began = time.time()
    said = ""
    try:
        with socket.create_connection((sys.argv[1], 80), 2) as sock:
            sock.sendall(b"GET / HTTP/1.0\r\n\r\n")
            if not sock.recv(100):
                said = "closed"
    except OSError as error:
        said = str(error)
    print(began, said, flush=True)
    time.sleep(0.005)
