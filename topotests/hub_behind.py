#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Runs a command right behind a datagram that this node sends.

    hub_behind.py ADDRESS[,ADDRESS...] COMMAND [ARGUMENT...]

Waits for the next UDP datagram to one of the addresses (IPv4). If the command ends the
node, who counts how long nothing was heard of it begins with that datagram.
"""

import os
import socket
import sys

ETH_P_ALL = 3
ETH_P_IP = 0x0800


def main(addresses, *command):
    """One datagram, one command."""
    wanted = {socket.inet_aton(address) for address in addresses.split(",")}
    # What is sent is shown only to who wants all there is.
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL))
    sock.settimeout(20)
    while True:
        data, (_, protocol, kind, *_) = sock.recvfrom(64)
        if (
            kind == socket.PACKET_OUTGOING
            and protocol == ETH_P_IP
            and data[9] == socket.IPPROTO_UDP
            and data[16:20] in wanted
        ):
            os.execvp(command[0], command)


if __name__ == "__main__":
    main(*sys.argv[1:])
