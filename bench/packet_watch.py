# SPDX-License-Identifier: GPL-2.0-or-later
"""Frames on a link of a lab's box, with the kernel's time stamps."""

import ctypes
import select
import socket
import struct
import time

SO_ATTACH_FILTER, SO_TIMESTAMPNS, ETH_P_ALL = 26, 35, 3


class PacketWatch:
    """A packet socket with a classic BPF filter, which is a list of (code, jump
    if true, jump if false, k)."""

    def __init__(self, box, link, bpf):
        with box.network():
            self.socket = socket.socket(
                socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL)
            )
            self.attach(bpf)
            self.socket.bind((link, ETH_P_ALL))

    def attach(self, bpf):
        code = b"".join(struct.pack("HBBI", *line) for line in bpf)
        self.code = ctypes.create_string_buffer(code)
        program = struct.pack("HP", len(bpf), ctypes.addressof(self.code))
        self.socket.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, program)
        self.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        self.socket.setblocking(False)

    def read(self, until):
        """Hands frame() what comes until that time (monotonic)."""
        while (left := until - time.monotonic()) > 0:
            # In gulps: whatever this process takes, the others don't get.
            time.sleep(min(left, 0.2))
            while select.select([self.socket], [], [], 0)[0]:
                frame, extra, _, _ = self.socket.recvmsg(64, 64)
                sec, nsec = struct.unpack("qq", extra[0][2])
                self.frame(sec + nsec / 1e9, frame)

    def frame(self, when, frame):
        """A frame, and the time of day when it passed."""
        raise NotImplementedError
