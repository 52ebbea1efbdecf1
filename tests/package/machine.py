# SPDX-License-Identifier: GPL-2.0-or-later
"""
What the stories of the package share: a router whose FRR speaks BGP to a peer (a
bgpd in another network namespace) and whose VIP has a member in a third one.
"""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading
import time

WORK = pathlib.Path("/run/test")
ETC = pathlib.Path("/etc/frr")
DAEMONS = ETC / "daemons"
FRR = pathlib.Path("/usr/lib/frr")
VTYSH = pathlib.Path("/usr/bin/vtysh")
OURS = pathlib.Path("/usr/lib/frr-clusterd")
INIT = FRR / "frrinit.sh"
WATCHED = ("watchfrr", "zebra", "staticd", "bgpd")
VIP = "192.0.2.80/32"
VIP2 = "192.0.2.81/32"
# watchfrr notices a death at once, but its commands are not quick.
DEADLINE = 60

CONFIG = """frr defaults traditional
hostname router
service integrated-vtysh-config
!
route-map VIPS permit 10
 match tag 84
exit
!
router bgp 65001
 bgp router-id 198.51.100.1
 no bgp ebgp-requires-policy
 neighbor 198.51.100.2 remote-as 65002
 neighbor 198.51.100.2 timers 3 9
 neighbor 198.51.100.2 timers connect 1
 address-family ipv4 unicast
  redistribute openfabric route-map VIPS
 exit-address-family
exit
!
"""
CLUSTER_CONFIG = """cluster probe ping
 interval 200
exit
!
cluster vip www
 probe ping
 member 203.0.113.11
 address 192.0.2.80
exit
!
"""
PEER_CONFIG = """router bgp 65002
 bgp router-id 198.51.100.2
 no bgp ebgp-requires-policy
 neighbor 198.51.100.1 remote-as 65001
 neighbor 198.51.100.1 timers 3 9
 neighbor 198.51.100.1 timers connect 1
exit
"""


def say(text):
    "A line of the log."
    print(text, file=sys.stderr, flush=True)


def run(*command, status=0, seconds=120, quiet=False):
    "Standard output and error of a command that ends with that status (None: any)."
    command = [str(word) for word in command]
    if not quiet:
        say("$ " + " ".join(command))
    # a file and not a pipe: daemons inherit it and stay
    with open(WORK / "output", "w+b") as output:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            timeout=seconds,
            check=False,
        )
        output.seek(0)
        text = output.read().decode(errors="replace")
    if text and not quiet:
        say(text.rstrip())
    assert status in (None, done.returncode), "status {} of: {}\n{}".format(
        done.returncode, " ".join(command), text[-2000:]
    )
    return text


def poll(check, what):
    "Wait until check() is true, and return its value."
    end = time.monotonic() + DEADLINE
    pause = threading.Event()
    while True:
        value = check()
        if value:
            return value
        assert time.monotonic() < end, "not within {} s: {}".format(DEADLINE, what)
        pause.wait(0.2)


def digest(path):
    "Of a file's contents, or None."
    path = pathlib.Path(path)
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else None


def vtysh(*commands):
    "What the machine's vtysh says."
    words = [word for command in commands for word in ("-c", command)]
    return run("timeout", "20", "vtysh", *words)


def pid_of(daemon):
    "Process ID of a running daemon of FRR, or None."
    path = pathlib.Path("/run/frr") / (daemon + ".pid")
    try:
        pid = int(path.read_text())
        return pid if os.readlink("/proc/{}/exe".format(pid)) else None
    except (OSError, ValueError):
        return None


def pids(daemons=WATCHED):
    "All of them, which must run."
    found = {daemon: pid_of(daemon) for daemon in daemons}
    assert all(found.values()), "not all daemons run: {}".format(found)
    return found


def peer_says(command):
    "The JSON that the peer's bgpd prints for a command; {} if it doesn't."
    output = subprocess.run(
        "timeout 10 {} --vty_socket {} -c".format(
            OURS / "vtysh" if OURS.exists() else VTYSH, WORK / "peer"
        ).split()
        + [command + " json"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
    ).stdout
    try:
        return json.loads(output)
    except ValueError:
        return {}


def at_peer(prefix=VIP):
    "Whether the peer's BGP has the prefix."
    return prefix in peer_says("show bgp ipv4 unicast").get("routes", {})


def in_kernel(prefix=VIP):
    "Whether the machine's kernel forwards to the prefix."
    return bool(
        run("ip", "route", "show", prefix.split("/", maxsplit=1)[0], quiet=True).strip()
    )


def wait_for_vip(prefix=VIP):
    "The VIP is in our kernel and at the peer."
    poll(lambda: in_kernel(prefix) and at_peer(prefix), prefix + " announced")


def wait_for_no_vip(prefix=VIP):
    "The VIP is nowhere."
    poll(lambda: not in_kernel(prefix) and not at_peer(prefix), prefix + " withdrawn")


def write_config(text):
    "The administrator's frr.conf, keeping owner and mode."
    with open(ETC / "frr.conf", "w", encoding="ascii") as out:
        out.write(text)


def start_neighbours():
    "The peer and the member, each in a namespace."
    run("ip", "link", "set", "lo", "up")
    for name, ours, theirs in (
        ("peer", "198.51.100.1/24", "198.51.100.2/24"),
        ("member", "203.0.113.1/24", "203.0.113.11/24"),
    ):
        run("ip", "netns", "add", name)
        run(
            "ip",
            "link",
            "add",
            name,
            "type",
            "veth",
            "peer",
            "name",
            "eth0",
            "netns",
            name,
        )
        run("ip", "address", "add", ours, "dev", name)
        run("ip", "link", "set", name, "up")
        run("ip", "-n", name, "address", "add", theirs, "dev", "eth0")
        run("ip", "-n", name, "link", "set", "eth0", "up")
        run("ip", "-n", name, "link", "set", "lo", "up")
    peer = WORK / "peer"
    peer.mkdir()
    shutil.chown(peer, "frr", "frr")
    os.chmod(WORK, 0o755)
    (WORK / "peer.conf").write_text(PEER_CONFIG)
    # no zebra there; without -z it would find ours
    command = "ip netns exec peer {}/bgpd -d -z {}/none -f {}/peer.conf -i {}/bgpd.pid --vty_socket {} -A 127.0.0.1"
    run(*command.format(FRR, peer, WORK, peer, peer).split())


def diagnose():
    "What the daemons think, for the log of a failure."
    bgp = "show bgp ipv4 unicast"
    vtysh(
        "show watchfrr",
        "show ip route",
        "show cluster vip",
        bgp,
        bgp + " summary",
        bgp + " update-groups",
    )
    vtysh(bgp + " neighbors 198.51.100.2 advertised-routes")
    command = [
        "timeout",
        "10",
        VTYSH,
        "--vty_socket",
        WORK / "peer",
        "-c",
        bgp,
        "-c",
        bgp + " summary",
    ]
    run(*command, "-c", "show bgp neighbors", status=None)
    run("ps", "-ef")


def tell(version, prepare, story):
    """
    A story's chapters are its functions test_*, in their order: one line of
    result for each; the first that fails ends it.
    """
    chapters = [(name, item) for name, item in story.items() if name[:5] == "test_"]
    line = "{}  {:<5}{:<10} {}"
    failed = None
    for name, chapter in [("prepare", prepare)] + chapters:
        if failed:
            print(
                line.format("SKIP", version, "package", chapter.__doc__)
                + ": after a failure",
                flush=True,
            )
            continue
        say("==== " + name)
        begin = time.monotonic()
        try:
            chapter()
        except Exception as error:  # pylint: disable=broad-except
            failed = "{}: {}".format(type(error).__name__, error)
            say(failed)
            try:
                diagnose()
            except Exception as second:  # pylint: disable=broad-except
                say(str(second))
            first = failed.splitlines()[0]
            print(
                line.format("FAIL", version, "package", chapter.__doc__) + ": " + first,
                flush=True,
            )
        else:
            say("==== {}: {:.1f} s".format(name, time.monotonic() - begin))
            if chapter is not prepare:
                print(
                    line.format("PASS", version, "package", chapter.__doc__), flush=True
                )
    return 1 if failed else 0
