# SPDX-License-Identifier: GPL-2.0-or-later
"""
The ping responder against strangers: ping, ARP and ND of a plain kernel.

    r1 (node) --- r2 (the provider edge)
       |
       tun0 ... (a veth, as a tunnel)

Case 35 is here; the address must be silent whenever nobody stands behind it.
"""

import re
import signal
import socket
import struct

import pytest
import lib_cluster as cl
import lib_oper as oper
from responder_leaves import expect_leaves, leaves

VIRTUAL = "192.168.10.10"
VIRTUAL_V6 = "2001:db8:10::10"
SECTION = """\
cluster responder PE
 interface r1-eth0
{} address 192.168.10.10
 address 2001:db8:10::10
exit
"""


def prepare(tgen):
    "A tunnel, as far as its state matters."
    tgen.gears["r1"].net.cmd_raises("ip link add tun0 type veth peer name tun0-far")


def setup_module(module):
    "Start both."
    cl.start(
        module,
        {"s1": ("r1", "r2")},
        {"r1": ["zebra", "clusterd"], "r2": ["zebra"]},
        prepare=prepare,
        options=oper.LISTENER,
    )


def teardown_module(_module):
    "End."
    cl.stop()


@pytest.fixture(name="net")
def fixture_net():
    "r1 with its first configuration, r2 with an empty neighbour table."
    tgen = cl.usable()
    r1, r2 = tgen.gears["r1"], tgen.gears["r2"]
    for daemon in ("zebra", "clusterd"):
        if not cl.alive(r1, daemon):
            cl.start_daemon(r1, daemon)
    configure(r1, "")
    cl.expect(lambda: answering(r1), "the responder doesn't come up")
    return r1, r2


def configure(r1, lines):
    "The responder anew, with more lines."
    text = "no cluster responder PE\n" + SECTION.format(lines)
    out = cl.load_file(r1, text)
    assert out == "", out


def responder(r1, name="PE"):
    "Its state."
    return cl.vtysh_json(r1, "show cluster responder {} json".format(name))[name]


def states(r1):
    "{address: (state, why)}"
    return {a["address"]: (a["state"], a["why"]) for a in responder(r1)["addresses"]}


def answering(r1, address=VIRTUAL):
    "For expect()."
    seen = states(r1)[address]
    return seen[0] == "answering", seen


def ping(router, address, *options):
    "Whether one ping is answered, within a second."
    command = ["ping", "-n", "-c", "1", "-W", "1", *options, address]
    rc, out, _ = router.net.cmd_status(" ".join(command), warn=False)
    return rc == 0, out


def forget_neighbours(r2):
    "So that the next question is asked by ARP or ND."
    r2.net.cmd_raises("ip neighbour flush dev r2-eth0")


def neighbour(r2, address):
    "The hardware address that r2's kernel has, or None."
    out = r2.net.cmd_raises("ip neighbour show " + address)
    words = out.split()
    return words[words.index("lladdr") + 1] if "lladdr" in words else None


def mac_of(router, interface):
    "Of an interface."
    path = "/sys/class/net/{}/address".format(interface)
    return router.net.cmd_raises("cat " + path).strip()


@pytest.mark.parametrize("address", [VIRTUAL, VIRTUAL_V6], ids=["v4", "v6"])
def test_ping(net, address):
    "A stranger's ping is answered, with the interface's hardware address."
    r1, r2 = net
    forget_neighbours(r2)
    source = "192.168.10.1" if address == VIRTUAL else "2001:db8:10::1"
    cl.expect(lambda: ping(r2, address, "-I", source), "no answer")
    assert neighbour(r2, address) == mac_of(r1, "r1-eth0"), "wrong neighbour"
    last = {"kind": "echo", "source": source, "address": address}
    last.update({"interface": "r1-eth0", "mac": mac_of(r2, "r2-eth0")})

    def asked():
        "Again, if r2's kernel asked for the neighbour in between."
        answered = ping(r2, address, "-I", source)[0]
        seen = expect_leaves(r1)["last-requester"]
        return answered and last.items() <= seen.items(), seen

    cl.expect(asked, "not who asked last")
    # large, and with a pattern that is compared
    good, out = ping(r2, address, "-s", "1400", "-p", "a55a")
    assert good and "wrong data" not in out, out
    state = expect_leaves(r1)
    kind = "arp" if address == VIRTUAL else "neighbor"
    for leaf in ("echo-sent", kind + "-received", kind + "-sent"):
        assert int(state["counters"][leaf]) >= 1, state
    assert state["condition"] is True and "condition-why" not in state, state
    assert state["interface"] == [{"interface": "r1-eth0", "listening": True}], state
    assert {a["status"] for a in state["address"]} == {"answering"}, state


def test_silent_when_dead(net):
    "Nothing answers once clusterd has been killed, or stopped."
    r1, r2 = net
    for signum in (signal.SIGKILL, signal.SIGTERM):
        if not cl.alive(r1, "clusterd"):
            cl.start_daemon(r1, "clusterd")
        cl.expect(lambda: ping(r2, VIRTUAL), "no answer at the beginning")
        cl.end_daemon(r1, "clusterd", signum)
        forget_neighbours(r2)
        for address in (VIRTUAL, VIRTUAL_V6):
            assert not ping(r2, address)[0], "{} is answered".format(address)
            assert not neighbour(r2, address), "{} has a neighbour".format(address)


def second_tunnel(r1):
    "A tun1 that is up."
    r1.net.cmd_status("ip link del tun1", warn=False)
    r1.net.cmd_raises("ip link add tun1 type veth peer name tun1-far")
    r1.net.cmd_raises("ip link set tun1 up; ip link set tun1-far up")


def changes(r1, mark):
    "What the log says since then about the responder's state."
    return [
        line for line in cl.log_of(r1)[mark:].splitlines() if "responder PE:" in line
    ]


@pytest.mark.parametrize("signum", [signal.SIGKILL, signal.SIGTERM], ids=int)
def test_zebra_away(net, signum):
    "ARP, ND and pings need no zebra, and its return changes nothing."
    r1, r2 = net
    for address in (VIRTUAL, VIRTUAL_V6):
        cl.expect(lambda a=address: ping(r2, a), "no answer to begin with")
    mark = cl.log_mark(r1, "clusterd")
    cl.end_daemon(r1, "zebra", signum)
    cl.expect(lambda: cl.summary(r1)["zebra"]["state"] == "down", "not noticed")
    forget_neighbours(r2)
    for address in (VIRTUAL, VIRTUAL_V6):
        assert ping(r2, address)[0], "{} isn't answered without zebra".format(address)
    assert answering(r1)[0], states(r1)
    cl.start_daemon(r1, "zebra")
    cl.expect(
        lambda: "blackhole" in r1.net.cmd_raises("ip route show " + VIRTUAL),
        "no blackhole after zebra's return",
    )
    forget_neighbours(r2)
    assert ping(r2, VIRTUAL)[0], "not answered with the new zebra"
    assert not changes(r1, mark), "the state has changed"


def test_changes_while_zebra_is_away(net):
    "Interfaces that go down, up, or for good are noticed without zebra."
    r1, r2 = net
    r1.net.cmd_raises("ip link set tun0 up; ip link set tun0-far up")
    second_tunnel(r1)
    configure(r1, " condition tunnels 1 interface tun[0-9]\n")
    cl.expect(lambda: answering(r1), "doesn't begin")
    # an address that its interface loses meanwhile
    r1.net.cmd_raises("ip address add {}/128 dev r1-eth0 nodad".format(VIRTUAL_V6))
    cl.expect(lambda: states(r1)[VIRTUAL_V6][0] == "conflict", "no conflict")
    cl.end_daemon(r1, "zebra", signal.SIGKILL)
    cl.expect(lambda: cl.summary(r1)["zebra"]["state"] == "down", "not noticed")
    assert answering(r1)[0], states(r1)
    r1.net.cmd_raises("ip address del {}/128 dev r1-eth0".format(VIRTUAL_V6))
    cl.expect(lambda: answering(r1, VIRTUAL_V6), "goes on to be a conflict")

    r1.net.cmd_raises("ip link set tun0 down")
    assert ping(r2, VIRTUAL)[0], "the other tunnel is up"
    r1.net.cmd_raises("ip link del tun1")
    none_up = ("held", "0 of 1 tunnels (tun[0-9]) up")
    cl.expect(lambda: states(r1)[VIRTUAL] == none_up, "without a tunnel")
    assert not ping(r2, VIRTUAL)[0], "answered without a tunnel"
    assert neighbour(r2, VIRTUAL), "ARP isn't answered"
    r1.net.cmd_raises("ip link set tun0 up")
    cl.expect(lambda: answering(r1), "a tunnel is up")
    r1.net.cmd_raises("ip link set tun0 down")
    cl.expect(lambda: states(r1)[VIRTUAL] == none_up, "without a tunnel")

    r1.net.cmd_raises("ip link set r1-eth0 down")
    no_interface = ("waiting", "no interface is up (not connected to zebra)")
    cl.expect(lambda: states(r1)[VIRTUAL] == no_interface, "its own interface is down")
    r1.net.cmd_raises("ip link set r1-eth0 up")
    cl.expect(lambda: states(r1)[VIRTUAL] == none_up, "its own interface is up")

    cl.start_daemon(r1, "zebra")
    cl.expect(lambda: cl.summary(r1)["zebra"]["state"] == "connected", "no zebra")
    # The new zebra never had tun1, and says nothing of it.
    mark = cl.log_mark(r1, "clusterd")
    r1.net.cmd_raises("ip link set tun0 up")
    cl.expect(lambda: answering(r1), "the new zebra's word about tun0")
    r1.net.cmd_raises("ip link set tun0 down")
    cl.expect(lambda: states(r1)[VIRTUAL] == none_up, "tun1 counts yet")
    assert len(changes(r1, mark)) == 4, changes(r1, mark)


def test_gone_in_the_moment(net):
    "An interface that goes just before the new zebra has its first look."
    r1, _ = net
    r1.net.cmd_raises("ip link set tun0 down")
    second_tunnel(r1)
    configure(r1, " condition tunnels 1 interface tun[0-9]\n")
    cl.expect(lambda: answering(r1), "doesn't begin")
    # clusterd sleeps through all of it
    cl.send_signal(r1, "clusterd", signal.SIGSTOP)
    cl.end_daemon(r1, "zebra", signal.SIGKILL)
    r1.net.cmd_raises("ip link del tun1")
    cl.start_daemon(r1, "zebra", load=False)
    cl.send_signal(r1, "clusterd", signal.SIGCONT)
    cl.load_boot(r1, "zebra")
    cl.expect(lambda: cl.summary(r1)["zebra"]["state"] == "connected", "no zebra")
    cl.expect(
        lambda: states(r1)[VIRTUAL] == ("held", "0 of 1 tunnels (tun[0-9]) up"),
        "an interface that is gone counts",
    )


def test_kernel_keeps_quiet(net):
    "A blackhole is there: no error, no forwarding; counted as other traffic."
    r1, r2 = net
    r1.net.cmd_raises("sysctl -q -w net.ipv4.ip_forward=1")
    cl.expect(
        lambda: "blackhole" in r1.net.cmd_raises("ip route show " + VIRTUAL),
        "no blackhole in the kernel",
    )
    cl.expect(lambda: ping(r2, VIRTUAL), "no answer")
    before = responder(r1)["counters"]["received"]["reverseFlow"]
    probe = (
        "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM);"
        "s.settimeout(1); s.connect(('{}', 9)); s.send(b'x');\n"
        "try:\n s.recv(1)\nexcept OSError as e: print(type(e).__name__)"
    ).format(VIRTUAL)
    out = r2.net.cmd_raises('python3 -c "{}"'.format(probe))
    assert out.strip() in ("timeout", "TimeoutError"), "an error came: " + out
    after = responder(r1)["counters"]["received"]["reverseFlow"]
    assert after == before + 1, "{} -> {}".format(before, after)
    assert int(expect_leaves(r1)["counters"]["reverse-flow"]) == after


def test_condition_tunnels(net):
    "Pings follow the number of tunnels; ARP, and with it a next hop, does not."
    r1, r2 = net
    why = "0 of 1 tunnels (tun[0-9]) up"
    told = oper.notifications(r1, "frr-clusterd-responder:responder-status-change")
    change = {"responder": "PE", "address": VIRTUAL, "since": oper.TIME}
    r1.net.cmd_raises("ip link set tun0 down; ip link set tun0-far up")
    configure(r1, " condition tunnels 1 interface tun[0-9]\n")
    cl.expect(
        lambda: states(r1)[VIRTUAL] == ("held", why),
        "not held: {}".format(states(r1)),
    )
    told({**change, "status": "held", "why": why})
    forget_neighbours(r2)
    for address in (VIRTUAL, VIRTUAL_V6):
        assert not ping(r2, address)[0], "answered without a tunnel"
        assert neighbour(r2, address), "ARP or ND isn't answered"
    assert responder(r1)["counters"]["held"] >= 2
    state = expect_leaves(r1)
    assert (state["condition"], state["condition-why"]) == (False, why), state
    assert {(a["status"], a["why"]) for a in state["address"]} == {("held", why)}, state
    r1.net.cmd_raises("ip link set tun0 up")
    cl.expect(lambda: ping(r2, VIRTUAL), "no answer with a tunnel")
    told({**change, "status": "answering"})
    r1.net.cmd_raises("ip link set tun0 down")
    cl.expect(lambda: not ping(r2, VIRTUAL)[0], "answered without a tunnel")


def test_hold_down(net):
    "After the condition holds again, hold-down passes first."
    r1, r2 = net
    r1.net.cmd_raises("ip link set tun0 down; ip link set tun0-far up")
    configure(r1, " condition tunnels 1 interface tun0\n hold-down 3000\n")
    cl.expect(lambda: states(r1)[VIRTUAL][0] == "held", "not held")
    r1.net.cmd_raises("ip link set tun0 up")
    cl.expect(lambda: "hold-down" in states(r1)[VIRTUAL][1], "no hold-down")
    assert not ping(r2, VIRTUAL)[0], "answered at once"
    cl.expect(lambda: ping(r2, VIRTUAL), "never answered")


def test_condition_probe_and_vip(net):
    "A probe with a target, and a VIP; both must hold."
    r1, r2 = net
    r1.net.cmd_raises("ip address add 203.0.113.1/24 dev tun0-far")
    text = (
        "cluster probe peer\n target 192.168.10.1\n interval 200\n fall 1\nexit\n"
        "cluster vip V\n drain-time 0\n member 192.168.10.1\n address 192.0.2.9\nexit\n"
    )
    assert cl.load_file(r1, text) == ""
    configure(r1, " condition probe peer\n condition vip V\n")
    cl.expect(lambda: ping(r2, VIRTUAL), "no answer")
    cl.configure(r1, "cluster vip V", "shutdown")
    cl.expect(
        lambda: "VIP V is shutdown" in states(r1)[VIRTUAL][1],
        "the VIP doesn't matter",
    )
    assert not ping(r2, VIRTUAL)[0], "answered"
    cl.configure(r1, "cluster vip V", "no shutdown")
    cl.expect(lambda: cl.vip_is(r1, "V", "announced"), "the VIP doesn't recover")
    # Not with some later decision: the VIP's state follows from zebra's word alone.
    cl.expect(lambda: answering(r1), "doesn't follow the VIP", cl.AT_ONCE)
    cl.configure(r1, "cluster probe peer", "target 192.168.10.99")
    cl.expect(
        lambda: states(r1)[VIRTUAL][1].startswith("probe peer: down"),
        "the probe doesn't matter",
    )
    cl.load_file(r1, "no cluster vip V\nno cluster probe peer\n")
    cl.expect(
        lambda: states(r1)[VIRTUAL][0] == "held", "answered without what it refers to"
    )


def test_condition_probe_changes(net):
    "Another probe as the condition changes nothing before it has a result."
    r1, _ = net

    def condition(name, target):
        "A probe that hasn't run yet, and in the same breath the condition."
        text = (
            "cluster probe {0}\n target {1}\n interval 2000\n rise 2\n fall 1\nexit\n"
            "cluster responder PE\n condition probe {0}\nexit\n"
        )
        assert cl.load_file(r1, text.format(name, target)) == ""

    configure(r1, "")
    condition("one", "192.168.10.1")
    cl.stays_until(
        lambda: answering(r1),
        lambda: cl.instance(r1, "one", "192.168.10.1").get("verdict") == "up",
        "a condition that is new counts",
    )
    condition("two", "192.168.10.1")
    cl.stays_until(
        lambda: answering(r1),
        lambda: cl.instance(r1, "two", "192.168.10.1").get("verdict") == "up",
        "a probe that has no result yet counts",
    )
    condition("dead", "192.168.10.99")
    cl.expect(lambda: not answering(r1)[0], "the result of the new one doesn't count")
    names = ("one", "two", "dead")
    cl.load_file(r1, "".join("no cluster probe {}\n".format(n) for n in names))


def test_own_address(net):
    "Case 35: an interface's address is told when typed, is a state, and recovers."
    r1, r2 = net
    out = cl.vtysh(
        r1, "configure terminal", "cluster responder PE", "address 192.168.10.2"
    )
    assert "Note: interface r1-eth0 has this address" in out, out
    cl.expect(
        lambda: states(r1)["192.168.10.2"]
        == ("conflict", "interface r1-eth0 has this address"),
        "no conflict",
    )
    assert ping(r2, VIRTUAL)[0], "the others stopped, too"
    # one that appears later
    r1.net.cmd_raises("ip address add {}/24 dev r1-eth0".format(VIRTUAL))
    cl.expect(lambda: states(r1)[VIRTUAL][0] == "conflict", "goes on")
    cl.expect(
        lambda: "blackhole" not in r1.net.cmd_raises("ip route show " + VIRTUAL),
        "the blackhole is still there",
    )
    r1.net.cmd_raises("ip address del {}/24 dev r1-eth0".format(VIRTUAL))
    cl.expect(lambda: answering(r1), "doesn't recover")
    cl.expect(lambda: ping(r2, VIRTUAL), "no answer")


def test_filter_and_rate(net):
    "Sources that aren't accepted, and what is over the rate."
    r1, r2 = net
    r2.net.cmd_raises("ip address replace 192.168.10.77/24 dev r2-eth0")
    configure(r1, " accept prefix-list MONITOR\n rate-limit 5\n")
    cl.expect(lambda: ping(r2, VIRTUAL, "-I", "192.168.10.1"), "no answer")
    assert not ping(r2, VIRTUAL, "-I", "192.168.10.77")[0], "answered"
    assert responder(r1)["counters"]["filtered"] == 1
    out = r2.net.cmd_status(
        "ping -n -q -c 40 -i 0.01 -W 1 -I 192.168.10.1 " + VIRTUAL, warn=False
    )[1]
    assert " 40 received" not in out, out
    seen = responder(r1)["counters"]
    assert seen["limited"] >= 20 and seen["echoSent"] >= 10, seen
    counters = expect_leaves(r1)["counters"]
    assert counters["filtered"] == "1" and int(counters["limited"]) >= 20, counters


def frame_of(vlan, source_mac, target_mac, source, target, fragment=0, damage=0):
    "An echo request, tagged or (0) not."

    def total(data):
        value = sum(struct.unpack(">%dH" % (len(data) // 2), data))
        while value >> 16:
            value = (value & 0xFFFF) + (value >> 16)
        return ~value & 0xFFFF

    icmp = struct.pack(">BBHHH", 8, 0, 0, 1, 1) + b"abcdefgh"
    icmp = icmp[:2] + struct.pack(">H", total(icmp) ^ damage) + icmp[4:]
    head = struct.pack(
        ">BBHHHBBH4s4s",
        0x45,
        0,
        20 + len(icmp),
        0,
        fragment,
        64,
        1,
        0,
        socket.inet_aton(source),
        socket.inet_aton(target),
    )
    head = head[:10] + struct.pack(">H", total(head)) + head[12:]
    macs = bytes.fromhex((target_mac + source_mac).replace(":", ""))
    tag = struct.pack(">HH", 0x8100, vlan) if vlan else b""
    return macs + tag + struct.pack(">H", 0x0800) + head + icmp


TAGGED = """\
import socket, sys
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
s.bind(("r2-eth0", 0))
s.setsockopt(263, 8, 1)
s.settimeout(5)
s.send(bytes.fromhex(sys.argv[1]))
while True:
    data, control, _, address = s.recvmsg(2048, 256)
    if address[2] == 4:
        continue
    tag = int.from_bytes(control[0][2][16:18], "little") if control else 0
    status = int.from_bytes(control[0][2][:4], "little") if control else 0
    if data[12:14] == b"\\x08\\x00" and data[23] == 1:
        print(tag if status & 16 else "none", data[34])
        break
"""


def test_vlan(net):
    "A tagged request is answered with the same tag."
    r1, r2 = net
    macs = mac_of(r2, "r2-eth0"), mac_of(r1, "r1-eth0")

    def ask(vlan):
        frame = frame_of(vlan, *macs, "192.168.10.1", VIRTUAL)
        out = r2.net.cmd_raises(
            "python3 -c '{}' {}".format(TAGGED.replace("'", '"'), frame.hex())
        )
        assert out.split() == [str(vlan), "0"], out
        last = expect_leaves(r1)["last-requester"]
        return last.get("vlan") == vlan & 0xFFF, last

    for vlan in (0x0064, 0x2FFE):
        # again, if r2's kernel asked for the neighbour in between
        cl.expect(lambda v=vlan: ask(v), "not the tag of who asked last")


SEND = """\
import socket, sys
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind(("r2-eth0", 0))
s.send(bytes.fromhex(sys.argv[1]))
"""


def send(r2, frame):
    "A frame from r2."
    r2.net.cmd_raises("python3 -c '{}' {}".format(SEND.replace("'", '"'), frame.hex()))


def count_is(r1, leaf, value):
    "Waits for a counter, by YANG."
    cl.expect(
        lambda: (leaves(r1)["PE"]["counters"][leaf] == str(value), leaves(r1)["PE"]),
        "{} isn't {}".format(leaf, value),
    )


def test_claimed(net):
    "Somebody else says that the address is his, or asks all for an echo."
    r1, r2 = net
    mac, all_of_them = mac_of(r2, "r2-eth0"), "ff:ff:ff:ff:ff:ff"
    arp = struct.pack(">HHBBH", 1, 0x0800, 6, 4, 1)
    arp += bytes.fromhex(mac.replace(":", "")) + socket.inet_aton(VIRTUAL)
    arp += bytes(6) + socket.inet_aton("192.168.10.254")
    macs = bytes.fromhex((all_of_them + mac).replace(":", ""))
    before = {k: int(v) for k, v in expect_leaves(r1)["counters"].items()}
    for count in (1, 2):
        send(r2, macs + struct.pack(">H", 0x0806) + arp)
        count_is(r1, "conflicts", before["conflicts"] + count)
    log = "{} on r1-eth0 says that {} is its own".format(mac, VIRTUAL)
    assert cl.log_of(r1).count(log) == 1, "not logged once a minute"
    send(r2, frame_of(0, mac, all_of_them, "192.168.10.1", VIRTUAL))
    count_is(r1, "other", before["other"] + 1)
    after = expect_leaves(r1)["counters"]["echo-sent"]
    assert int(after) == before["echo-sent"], "answered"
    assert ping(r2, VIRTUAL)[0], "no answer"


def test_answer_too_long(net):
    """
    A request that is longer than the interface sends, which comes in nevertheless: links
    leave room for a VLAN tag.
    """
    r1, r2 = net
    r1.net.cmd_raises("ip link set r1-eth0 mtu 1300")
    try:
        assert ping(r2, VIRTUAL, "-s", str(1300 - 28))[0], "no answer"
        count_is(r1, "tx-errors", 0)
        assert not ping(r2, VIRTUAL, "-s", str(1304 - 28))[0], "sent: the test is void"
        count_is(r1, "tx-errors", 1)
    finally:
        r1.net.cmd_raises("ip link set r1-eth0 mtu 1500")
    expect_leaves(r1)


def test_interface_that_is_none(net):
    "It isn't listened on, and why; the other one is."
    r1, _ = net
    configure(r1, " interface nowhere\n interface tun0\n")
    r1.net.cmd_raises("ip link set tun0 down")
    wanted = [
        {"interface": "nowhere", "listening": False, "why": "doesn't exist"},
        {"interface": "r1-eth0", "listening": True},
        {"interface": "tun0", "listening": False, "why": "down"},
    ]
    cl.expect(
        lambda: (leaves(r1)["PE"]["interface"] == wanted, leaves(r1)["PE"]),
        "interfaces by YANG",
    )
    expect_leaves(r1)


@pytest.mark.parametrize(
    "source, options, kind",
    [
        ("192.168.10.1", {"fragment": 0x2000}, "fragment"),
        ("192.168.10.1", {"fragment": 0x0001}, "fragment"),
        ("192.168.10.1", {"damage": 0x0100}, "malformed"),
        ("192.168.10.255", {}, "badSource"),
        ("255.255.255.255", {}, "badSource"),
        ("224.0.0.5", {}, "badSource"),
        ("0.0.0.0", {}, "badSource"),
    ],
    ids=["first", "last", "checksum", "network", "broadcast", "multicast", "none"],
)
def test_never_answered(net, source, options, kind):
    "Damaged requests, fragments, and those whose answer would go to many."
    r1, r2 = net
    macs = mac_of(r2, "r2-eth0"), mac_of(r1, "r1-eth0")

    before = responder(r1)["counters"]
    send(r2, frame_of(0, *macs, source, VIRTUAL, **options))
    cl.expect(
        lambda: (
            responder(r1)["counters"]["received"][kind] == before["received"][kind] + 1,
            responder(r1)["counters"],
        ),
        "not counted",
    )
    assert responder(r1)["counters"]["echoSent"] == before["echoSent"], "answered"
    # the same without what is wrong with it
    send(r2, frame_of(0, *macs, "192.168.10.1", VIRTUAL))
    cl.expect(
        lambda: responder(r1)["counters"]["echoSent"] == before["echoSent"] + 1,
        "the frame is no good to begin with",
    )
    leaf = {"fragment": "fragments", "badSource": "bad-source"}.get(kind, kind)
    after = int(expect_leaves(r1)["counters"][leaf])
    assert after == before["received"][kind] + 1, "{}: {}".format(leaf, after)


def test_next_hop_stays(net):
    "The address is a next hop of the other router's routes, also while held."
    r1, r2 = net
    r1.net.cmd_raises("ip link set tun0 down")
    configure(r1, " condition tunnels 1 interface tun0\n")
    cl.expect(lambda: states(r1)[VIRTUAL][0] == "held", "not held")
    forget_neighbours(r2)
    r2.net.cmd_raises("ip route replace 10.0.0.0/8 via " + VIRTUAL)
    r2.net.cmd_status("ping -n -c 1 -W 1 10.1.1.1", warn=False)
    cl.expect(
        lambda: neighbour(r2, VIRTUAL) == mac_of(r1, "r1-eth0"),
        "the next hop isn't resolved",
    )


def test_shutdown_and_configuration(net):
    "Shutdown answers nothing; every line comes back from the configuration."
    r1, r2 = net
    lines = (
        " condition tunnels 2 interface wg*\n condition probe P\n condition vip V\n"
        " hold-down 5000\n accept prefix-list MONITOR\n rate-limit 7\n shutdown\n"
    )
    configure(r1, lines)
    config = cl.cluster_config(r1)
    for line in lines.splitlines():
        assert line in config, config
    forget_neighbours(r2)
    assert not ping(r2, VIRTUAL)[0]
    assert not neighbour(r2, VIRTUAL), "ARP is answered"
    assert states(r1)[VIRTUAL] == ("shutdown", "shut down")
    out = cl.configure(
        r1,
        "cluster responder PE",
        "no condition tunnels",
        "no condition probe",
        "no condition vip",
        "no hold-down",
        "no accept prefix-list",
        "no rate-limit",
        "no shutdown",
    )
    assert out == "", out
    assert cl.cluster_config(r1) == SECTION.format("").rstrip("\n"), "left over"
    cl.expect(lambda: ping(r2, VIRTUAL), "no answer")


def test_second_responder(net):
    "Of two with one address the first by name has it; it goes over."
    r1, r2 = net
    text = SECTION.format("").replace("responder PE", "responder QE")
    assert cl.load_file(r1, text) == ""
    cl.expect(
        lambda: responder(r1, "QE")["addresses"][0]["why"]
        == "responder PE has this address",
        "no conflict",
    )
    cl.configure(r1, "no cluster responder PE")
    cl.expect(lambda: ping(r2, VIRTUAL), "nobody answers")
    cl.configure(r1, "no cluster responder QE")
    assert cl.vtysh_json(r1, "show cluster responder json") == {}
    events = cl.vtysh_json(r1, "show cluster events json")["events"]
    last = [event for event in events if event["kind"] == "responder"][-1]
    assert (last["name"], last["after"]) == ("QE", "removed"), last
    cl.expect(
        lambda: not r1.net.cmd_raises("ip route show " + VIRTUAL).strip(),
        "the blackhole is left",
    )


def many(number):
    "Sections of so many responders, each with an address of its own."
    line = "cluster responder M{0}\n interface r1-eth0\n address 192.168.10.{0}\nexit\n"
    return "".join(line.format(100 + i) for i in range(number))


@pytest.fixture(name="crowd")
def fixture_crowd(net):
    "r1 with 40 responders more; their names."
    r1, _ = net
    assert cl.load_file(r1, many(40)) == ""
    names = ["M{}".format(100 + i) for i in range(40)]
    yield r1, names
    text = "".join("no cluster responder {}\n".format(name) for name in names)
    assert cl.load_file(r1, text) == ""


def listening(r1, names):
    "For expect(): whether all of them have a socket; the reasons of the others."
    seen = cl.vtysh_json(r1, "show cluster responder json")
    reasons = [seen[name]["interfaces"][0].get("why", "") for name in names]
    return not any(reasons), reasons


def test_sockets_end_one_by_one(crowd):
    "The end of each takes the kernel some milliseconds: the loop goes on between."
    r1, names = crowd
    cl.expect(lambda: listening(r1, names), "they don't listen")

    def ended():
        "How often the loop has closed one."
        for word in ("event", "thread"):  # FRR 10, 8
            shown = cl.vtysh(r1, "show {} cpu".format(word), daemon="clusterd")
            for line in shown.splitlines():
                if line.endswith(" close_one"):
                    return int(line.split()[2])
        return 0

    before = ended()
    r1.net.cmd_raises("ip link set r1-eth0 down")
    try:
        cl.expect(lambda: ended() >= before + 41, "they aren't closed")
    finally:
        r1.net.cmd_raises("ip link set r1-eth0 up")
    cl.expect(lambda: listening(r1, names), "they don't listen again")


def open_files(r1):
    "Descriptors of clusterd, {number: what}."
    out = r1.net.cmd_raises("ls -l /proc/{}/fd".format(cl.pid_of(r1, "clusterd")))
    return dict(re.findall(r" (\d+) -> (\S+)", out))


def limit_files(r1, number):
    "How many descriptors clusterd may have; None: as ever."
    # As the daemon's user: root needs a capability that containers hold back.
    r1.net.cmd_raises(
        "setpriv --reuid frr --regid frr --clear-groups "
        "prlimit --pid {} --nofile={}:".format(
            cl.pid_of(r1, "clusterd"), number or 1024
        )
    )


def test_sockets_replaced_with_few_descriptors(crowd):
    """
    All are closed and others opened at once, as by a link that goes down for a
    moment: no room for both, and there is as soon as the old ones are closed.
    """
    r1, names = crowd
    cl.expect(lambda: listening(r1, names), "they don't listen")
    limit_files(r1, (len(open_files(r1)) + 10) * 4 // 3)
    refused = cl.log_of(r1).count("Too many open files")
    others = [name.replace("M", "N") for name in names]
    removed = "".join("no cluster responder {}\n".format(name) for name in names)
    try:
        assert cl.load_file(r1, removed + many(len(names)).replace("M", "N")) == ""
        cl.expect(
            lambda: cl.log_of(r1).count("Too many open files") > refused,
            "there was room for all",
        )
        # Well before the time after which a refusal alone is forgotten.
        cl.expect(lambda: listening(r1, others), "they don't listen again", 7)
    finally:
        limit_files(r1, None)
        assert cl.load_file(r1, removed.replace("M", "N")) == ""
        assert cl.load_file(r1, many(len(names))) == ""


def test_other_addresses_with_few_descriptors(net, crowd):
    """
    Addresses come and go: the sockets stay, so that no descriptor is needed, and let
    in what is for the new ones; their multicast groups follow.
    """
    r1, r2, names = *net, crowd[1]
    cl.expect(lambda: listening(r1, names), "they don't listen")

    def groups():
        "Solicited-node groups that r1-eth0 is in."
        out = r1.net.cmd_raises("ip maddress show dev r1-eth0")
        return set(re.findall(r"33:33:ff:99:00:[0-9a-f]{2}", out))

    def sockets():
        return {n for n in open_files(r1).items() if n[1].startswith("socket:")}

    def change(line):
        text = "cluster responder {0}\n " + line + "\nexit\n"
        lines = [text.format(name, name[1:], int(name[1:])) for name in names]
        assert cl.load_file(r1, "".join(lines)) == "", "refused"

    # (without those of vtys that come and go)
    before = set.intersection(*(sockets() for _ in range(5)))
    refused = cl.log_of(r1).count("Too many open files")
    limit_files(r1, len(open_files(r1)) * 4 // 3 + 4)
    try:
        assert groups() == set(), "before: {}".format(groups())
        for line in ("address 2001:db8:10::99:{2:x}", "address 192.168.11.{1}"):
            change(line)
        wanted = {"33:33:ff:99:00:{:02x}".format(int(name[1:])) for name in names}
        cl.expect(lambda: (groups() == wanted, groups()), "groups")
        for address in ("192.168.10.139", "2001:db8:10::99:8b"):
            cl.expect(lambda a=address: ping(r2, a), "{} is silent".format(address))
        change("no address 2001:db8:10::99:{2:x}")
        cl.expect(lambda: (groups() == set(), groups()), "groups stay")
        cl.expect(lambda: not ping(r2, "2001:db8:10::99:8b")[0], "it answers yet")
        assert ping(r2, "192.168.10.139")[0], "the other one is silent"
        assert listening(r1, names)[0], listening(r1, names)
        assert cl.log_of(r1).count("Too many open files") == refused, "refused"
        assert before <= sockets(), "other sockets: {}".format(before - sockets())
    finally:
        limit_files(r1, None)


def test_few_descriptors(net):
    "Responders leave a quarter of them, say so, and listen when there are more."
    r1, _ = net
    files = len(open_files(r1))
    limit_files(r1, 2 * files)
    names = ["M{}".format(100 + i) for i in range(2 * files)]
    try:
        assert cl.load_file(r1, many(2 * files)) == ""

        def refused():
            reasons = listening(r1, names)[1]
            return (
                0 < reasons.count("can't listen: Too many open files")
                and reasons.count("") > 0
                and cl.summary(r1)["responders"]["total"] == 2 * files + 1
            ), reasons

        cl.expect(refused, "all listen, or none")

        def told():
            "A responder that hears nothing doesn't say that it answers."
            every = cl.vtysh_json(r1, "show cluster responder json")
            seen = [
                (
                    [a["state"] for a in every[name]["addresses"]],
                    every[name]["interfaces"][0]["listening"],
                )
                for name in names
            ]
            good = [(["answering"], True), (["failed"], False)]
            return all(one in good for one in seen), seen

        cl.expect(told, "states and sockets differ")

        def told_by_yang():
            "The same by YANG."
            every = leaves(r1)
            seen = [a for name in names for a in every[name]["address"]]
            found = {(a["status"], a.get("why")) for a in seen}
            refused = ("failed", "can't listen: Too many open files")
            return found == {("answering", None), refused}, found

        cl.expect(told_by_yang, "states by YANG")
        log = cl.log_of(r1).count(": packet socket on ")
        assert log < files, "logged {} times".format(log)
        # One's place is another's, and the next one is refused again.
        listens = listening(r1, names)[1].count("")
        assert cl.load_file(r1, "no cluster responder {}\n".format(names.pop(0))) == ""

        def replaced():
            reasons = listening(r1, names)[1]
            return reasons.count("") >= listens, reasons

        cl.expect(replaced, "nobody takes the place")
        assert cl.log_of(r1).count(": packet socket on ") == log, "logged again"
        limit_files(r1, None)
        cl.expect(lambda: listening(r1, names), "the others don't listen")
        shown = cl.vtysh(r1, "show cluster summary")
        assert "Responders: {}; addresses: ".format(2 * files) in shown, shown
    finally:
        limit_files(r1, None)
        text = "".join("no cluster responder {}\n".format(name) for name in names)
        assert cl.load_file(r1, text) == ""
