# SPDX-License-Identifier: GPL-2.0-or-later
"""
What the tests of probe types share: who is asked, who sends, and what is on the
wire.
"""

import os
import signal
import subprocess

import lib_cluster as cl

# Addresses of one name, still in one datagram.
MANY = range(100, 124)
# And so many that they aren't: the query is repeated over TCP.
TOO_MANY = ["198.18.{}.{}".format(n // 100, n % 100) for n in range(300)]

SENDER = os.path.join(cl.HERE, "../tools/clusterd-heartbeat")


def instance(router, name, target, vrf):
    "The instance of a probe in a VRF."
    for found in cl.probe(router, name).get("instances", []):
        if (found["target"], found["vrf"]) == (target, vrf):
            return found
    return {}


class Capture:
    "tcpdump on an interface: the source addresses of what is sent to a target."

    def __init__(self, r1, netns, interface, target, *also):
        enter = ["/usr/sbin/ip", "netns", "exec", netns] if netns else []
        command = ["/usr/bin/tcpdump", "-n", "-l", "-Q", "out", "-i", interface]
        self.process = r1.net.popen(
            enter + command + ["dst", "host", target] + list(also),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.lines = []
        # It listens when it has said so.
        while "listening on" not in self.process.stdout.readline():
            assert self.process.poll() is None, "tcpdump has ended"
        os.set_blocking(self.process.stdout.fileno(), False)

    def sources(self):
        "So far; tcpdump puts .PORT behind an address."
        self.lines += self.process.stdout.readlines()
        return [line.split()[2] for line in self.lines if " > " in line]

    def end(self):
        "Stop."
        self.process.kill()
        self.process.wait()


def dns_server(gear, *addresses, interface=None):
    """
    dnsmasq, which knows some names below example.com, and no others.  It listens
    at the addresses, and those of an interface.
    """
    return gear.net.popen(
        [
            "dnsmasq",
            "--keep-in-foreground",
            "--conf-file=/dev/null",
            "--no-resolv",
            "--no-hosts",
            "--pid-file",
            "--user=root",
            "--bind-interfaces",
            *(["--interface=" + interface] if interface else []),
            "--listen-address=" + ",".join(addresses),
            "--local=/example.com/",
            "--host-record=www.example.com,192.0.2.80,2001:db8:80::80",
            "--txt-record=www.example.com,v=one",
            "--cname=alias.example.com,elsewhere.example.net",
            "--no-round-robin",
        ]
        + ["--host-record=many.example.com,192.0.2.{}".format(n) for n in MANY]
        + ["--host-record=most.example.com," + address for address in TOO_MANY]
    )


class Heart:
    "The real sender of heartbeats on a host, which runs a command."

    def __init__(self, host, folder, name, to, *options, key="a-secret-of-this-test"):
        self.host = host
        path = os.path.join(folder, "key-" + name)
        with open(path, "w", encoding="ascii") as file:
            file.write(key + "\n")
        os.chmod(path, 0o600)
        line = [SENDER, "--probe", name, "--to", to, "--key-file", path]
        self.process = self.host.net.popen(
            line + ["--interval", "100"] + list(options) + ["--", "sleep", "4713"]
        )

    def children(self):
        "Process IDs of the command."
        out = self.host.net.cmd_status(
            "pgrep -P {}".format(self.process.pid), warn=False
        )[1]
        return [int(pid) for pid in out.split()]

    def end(self, number=signal.SIGKILL):
        "Ends the sender; and the command, if that stays."
        children = self.children()
        self.process.send_signal(number)
        self.process.wait()
        for pid in children:
            self.host.net.cmd_status("kill {}".format(pid), warn=False)


class Hearts:
    "Senders that don't outlive the test."

    def __init__(self, folder):
        self.folder = folder
        self.running = []

    def start(self, host, *arguments, **options):
        "One more."
        self.running.append(Heart(host, self.folder, *arguments, **options))
        return self.running[-1]

    def end(self):
        "What still runs."
        for heart in self.running:
            if heart.process.poll() is None:
                heart.end()
