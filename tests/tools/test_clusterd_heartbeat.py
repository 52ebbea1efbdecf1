#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""clusterd-heartbeat: the datagrams, its options, and how it ends."""

import hashlib
import hmac
import importlib.machinery
import importlib.util
import os
import pathlib
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

TOP = pathlib.Path(__file__).resolve().parents[2]
SENDER = TOP / "tools" / "clusterd-heartbeat"
KEY = b"a secret"
DEADLINE = 30


class Sender(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.key = pathlib.Path(self.folder.name) / "key"
        self.key.write_bytes(KEY + b"\n")
        self.key.chmod(0o600)
        self.sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(self.sock.close)
        self.sock.bind(("127.0.0.1", 0))
        self.sock.settimeout(DEADLINE)
        self.where = self.sock.getsockname()
        self.newest = 0

    def start(self, *arguments, to=None, **options):
        process = subprocess.Popen(
            [
                sys.executable,
                str(SENDER),
                "--probe=web",
                "--to=" + (to or "127.0.0.1:{}".format(self.where[1])),
                "--key-file={}".format(self.key),
                "--interval=20",
                *arguments,
            ],
            stderr=subprocess.PIPE,
            **options,
        )
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def receive(self):
        "State and target of the next heartbeat, everything else being right."
        message = self.sock.recv(2048)
        head, mac = message[:-32], message[-32:]
        self.assertEqual(mac, hmac.new(KEY, head, hashlib.sha256).digest())
        (
            magic,
            version,
            state,
            length,
            zero,
            key_id,
            time_us,
            target,
            name,
        ) = struct.unpack("!4sBBBBIQ16s3s", head)
        self.assertEqual(
            (magic, version, length, zero, key_id, name), (b"FCHB", 1, 3, 0, 7, b"web")
        )
        self.assertGreater(time_us, self.newest, "times don't increase")
        self.newest = time_us
        return state, target

    def goodbye(self):
        "Heartbeats, then the goodbyes."
        while self.receive()[0]:
            pass
        for _ in range(2):
            self.assertEqual(self.receive()[0], 0)

    def test_stopped(self):
        process = self.start("--key-id=7")
        for _ in range(3):
            self.assertEqual(
                self.receive(), (1, bytes(10) + b"\xff\xff\x7f\0\0\1"), "heartbeat"
            )
        process.terminate()
        self.goodbye()
        self.assertEqual(process.wait(DEADLINE), 0)

    def test_target(self):
        self.start("--key-id=7", "--target=2001:db8::1")
        expected = socket.inet_pton(socket.AF_INET6, "2001:db8::1")
        self.assertEqual(self.receive(), (1, expected))

    def test_address6(self):
        self.sock.close()
        self.sock = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        self.addCleanup(self.sock.close)
        self.sock.bind(("::1", 0))
        self.sock.settimeout(DEADLINE)
        port = self.sock.getsockname()[1]
        self.start("--key-id=7", to="[::1]:{}".format(port))
        self.assertEqual(self.receive(), (1, bytes(15) + b"\1"))

    def test_command(self):
        process = self.start("--key-id=7", "--", "sh", "-c", "read x; exit 3", stdin=-1)
        self.addCleanup(process.stdin.close)
        self.assertEqual(self.receive()[0], 1)
        process.stdin.write(b"\n")
        process.stdin.flush()
        self.goodbye()
        self.assertEqual(process.wait(DEADLINE), 3)

    def test_command_terminated(self):
        process = self.start("--key-id=7", "--", "sleep", "1000")
        self.assertEqual(self.receive()[0], 1)
        process.terminate()
        self.goodbye()
        self.assertEqual(process.wait(DEADLINE), 128 + signal.SIGTERM)

    def test_process(self):
        with subprocess.Popen(["sleep", "1000"]) as other:
            process = self.start("--key-id=7", "--pid={}".format(other.pid))
            self.assertEqual(self.receive()[0], 1)
            other.kill()
            self.goodbye()
            self.assertEqual(process.wait(DEADLINE), 1)

    def test_refused(self):
        "What can't work is said, and ends with 2."
        for arguments, text in (
            (["--interval=1"], b"at least 10 ms"),
            (["--target=x"], b"--target"),
            (["--pid=1", "--", "true"], b"exclude"),
            (["--to=nowhere"], b"not ADDRESS:PORT or /PATH"),
            (["--to=localhost:7400"], b"only an address is taken: localhost"),
            (["--to=[fe80::1%lo"], b"not ADDRESS:PORT or /PATH"),
            (["--probe=" + "x" * 64], b"no name of a probe"),
            (["--key-file=/nonexistent"], b"No such file"),
            (["--", "/nonexistent"], b"/nonexistent"),
        ):
            process = self.start(*arguments)
            self.assertEqual(process.wait(DEADLINE), 2, arguments)
            self.assertIn(text, process.stderr.read())
        self.key.chmod(0o644)
        process = self.start()
        self.assertEqual(process.wait(DEADLINE), 2)
        self.assertIn(b"chmod 600", process.stderr.read())
        self.key.chmod(0o600)
        os.truncate(self.key, 0)
        process = self.start()
        self.assertEqual(process.wait(DEADLINE), 2)
        self.assertIn(b"no key", process.stderr.read())

    def listen_unix(self, path):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(self.sock.close)
        self.sock.bind(path)
        self.sock.settimeout(DEADLINE)

    def test_unix(self):
        "Over a Unix socket; a listener that is made anew is found at once."
        path = self.folder.name + "/beats"
        self.sock.close()
        self.listen_unix(path)
        process = self.start("--key-id=7", to=path)
        localhost = bytes(10) + b"\xff\xff\x7f\0\0\1"
        self.assertEqual(self.receive(), (1, localhost))
        self.sock.close()
        os.unlink(path)
        self.assertIn(b"No such file", process.stderr.readline())
        self.listen_unix(path)
        self.assertIn(b"beats: sent again", process.stderr.readline())
        self.assertEqual(self.receive(), (1, localhost))
        # nobody takes them: the sender isn't held up, and ends
        self.assertIn(b"temporarily", process.stderr.readline())
        process.terminate()
        self.assertEqual(process.wait(DEADLINE), 0)

    def test_nobody_listens(self):
        "It is told once, and sent again when there is somebody."
        self.sock.close()
        process = self.start("--key-id=7")
        self.assertIn(b"Connection refused", process.stderr.readline())
        self.sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(self.sock.close)
        self.sock.bind(self.where)
        self.sock.settimeout(DEADLINE)
        self.assertIn(b"sent again", process.stderr.readline())
        self.assertEqual(self.receive()[0], 1)


class Times(unittest.TestCase):
    "What a datagram says of the time, whatever the clock does."

    def test_clock(self):
        loader = importlib.machinery.SourceFileLoader("heartbeat", str(SENDER))
        heartbeat = importlib.util.module_from_spec(
            importlib.util.spec_from_loader("heartbeat", loader)
        )
        with unittest.mock.patch.object(sys, "dont_write_bytecode", True):
            loader.exec_module(heartbeat)
        receiver = unittest.mock.Mock()
        sender = heartbeat.Sender(unittest.mock.Mock(to=[]), KEY)
        sender.receivers = [receiver]
        for clock_s, expected_us in (
            (1000, 1000000000),
            (1000, 1000000001),
            (1001, 1001000000),
            # set back a little: believed times go on
            (941, 1001000001),
            (942, 1001000002),
            (1002, 1002000000),
            # nobody has believed that one
            (5000, 5000000000),
            (1003, 1003000000),
            (1003, 1003000001),
        ):
            with unittest.mock.patch("time.time_ns", return_value=clock_s * 10**9):
                sender.send(True)
            receiver.send.assert_called_with(expected_us, True)


if __name__ == "__main__":
    unittest.main()
