# SPDX-License-Identifier: GPL-2.0-or-later
"""
Who is on the way of the control protocol and has no key, in a namespace:

    ctl_wire.py capture INTERFACE FILE    all datagrams, until it is ended
    ctl_wire.py replay FILE               sends them, from whom they were from

A FILE is a list of records: two octets of length, and that many of the packet
from its IPv4 header on, the first of them changed: 4 for what left the
interface, else 0.  replay() takes records as capture() writes them.
"""

import socket
import struct
import sys

PORT = 8484
ETH_P_ALL = 3
PACKET_OUTGOING = 4
UDP = 17


def records(path):
    "(left the interface, packet) of a file"
    with open(path, "rb") as file:
        data = file.read()
    at = 0
    while at + 2 <= len(data):
        length = struct.unpack_from("!H", data, at)[0]
        packet = data[at + 2 : at + 2 + length]
        if len(packet) < length:
            break  # is being written
        at += 2 + length
        yield packet[0] == PACKET_OUTGOING, b"\x45" + packet[1:]


def write(path, packets):
    "a file of packets to replay"
    with open(path, "wb") as file:
        for packet in packets:
            file.write(struct.pack("!H", len(packet)) + b"\0" + packet[1:])


def payload(packet):
    "the datagram in a packet"
    return packet[28:]


def source(packet):
    "address it came from"
    return socket.inet_ntoa(packet[12:16])


def capture(interface, path):
    "Everything of the control protocol, until the process is ended."
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL))
    sock.bind((interface, ETH_P_ALL))
    with open(path, "wb", buffering=0) as file:
        while True:
            packet, address = sock.recvfrom(2048)
            if packet[:1] != b"\x45" or packet[9] != UDP:
                continue
            if PORT not in struct.unpack_from("!HH", packet, 20):
                continue
            kind = PACKET_OUTGOING if address[2] == PACKET_OUTGOING else 0
            file.write(struct.pack("!HB", len(packet), kind) + packet[1:])


def replay(path):
    "Each packet once, as it was but for the checksum that a veth leaves out."
    sock = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    for _, packet in records(path):
        to = socket.inet_ntoa(packet[16:20])
        sock.sendto(packet[:26] + b"\0\0" + packet[28:], (to, 0))


if __name__ == "__main__":
    {"capture": capture, "replay": replay}[sys.argv[1]](*sys.argv[2:])
