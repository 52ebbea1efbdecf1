# SPDX-License-Identifier: GPL-2.0-or-later
"""
What a probe expects of an answer; and where its packets go, in a VRF too.

    h1 --- r1
           r1 VRF red === h2 (two links)

VRF red is a network namespace, with the same addresses as the default VRF.
"""

import os
import subprocess

import pytest
import lib_cluster as cl
from lib_probe import Capture, dns_server, instance

V4, V6 = "203.0.113.11", "2001:db8:2::11"
# Addresses of h2 that are reached over both links, the first one preferred.
FAR = {"4": "192.0.2.200", "6": "2001:db8:ff::200"}
# And one that is nothing without the interface.
LINK_LOCAL = "fe80::11"
PLAIN, TLS = V4 + ":80", V4 + ":443s"
H2C, H2 = 8002, 8443
FOLDER = "/tmp/certificates"
SERVER = {}


def build(tgen):
    "One link to h1, two to h2"
    tgen.add_router("r1")
    for name in ("h1", "h2"):
        tgen.add_host(name, ip=V4 + "/25", defaultRoute="via 203.0.113.1")
    for switch, host in (("s1", "h1"), ("s2", "h2"), ("s3", "h2")):
        tgen.add_switch(switch)
        for gear in ("r1", host):
            tgen.gears[switch].add_link(tgen.gears[gear])


def openssl(*args):
    "Run it, in the folder of the certificates."
    subprocess.run(
        ["/usr/bin/openssl"] + list(args), cwd=FOLDER, check=True, capture_output=True
    )


def make_certificates():
    "A CA, and what it and others signed: FILE.pem, with its key."
    os.makedirs(FOLDER, exist_ok=True)
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]

    def self_signed(name, subject):
        out = ["-keyout", name + ".key", "-out", name + ".crt"]
        openssl("req", "-x509", "-days", "30", "-subj", subject, *curve, *out)

    def signed(name, names, days):
        with open(os.path.join(FOLDER, name + ".ext"), "w", encoding="ascii") as file:
            file.write("subjectAltName=" + names + "\n")
        out = ["-keyout", name + ".key", "-out", name + ".csr"]
        openssl("req", "-new", "-subj", "/CN=" + name, *curve, *out)
        by = ["-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial"]
        ext = ["-extfile", name + ".ext", "-days", str(days)]
        files = ["-in", name + ".csr", "-out", name + ".crt"]
        openssl("x509", "-req", *files, *by, *ext)

    self_signed("ca", "/CN=Test CA")
    self_signed("self", "/CN=www.example.com")
    signed("good", "DNS:www.example.com,IP:" + V4, 30)
    signed("other", "DNS:other.example.com", 30)
    # Ends now: has expired when it is used.
    signed("expired", "DNS:www.example.com", 0)
    for name in ("self", "good", "other", "expired"):
        with open(os.path.join(FOLDER, name + ".pem"), "wb") as out:
            for suffix in (".key", ".crt"):
                with open(os.path.join(FOLDER, name + suffix), "rb") as part:
                    out.write(part.read())


def prepare(tgen):
    "The VRF; IPv6 addresses."
    r1 = tgen.gears["r1"].net
    r1.cmd_raises("ip netns add red")
    for interface in ("r1-eth1", "r1-eth2"):
        r1.cmd_raises("ip link set {} netns red".format(interface))
        r1.cmd_raises("ip -n red link set {} up".format(interface))
    r1.cmd_raises("ip -n red link set lo up")
    for host in ("h1", "h2"):
        tgen.gears[host].net.cmd_raises(
            "ip address add {}/64 dev {}-eth0 nodad".format(V6, host)
        )
    h2 = tgen.gears["h2"].net
    for address in ("198.51.100.11/24", "2001:db8:3::11/64 nodad"):
        address, _, flag = address.partition(" ")
        h2.cmd_raises("ip address add {} dev h2-eth1 {}".format(address, flag))
    h2.cmd_raises("ip address add {}/64 dev h2-eth1 nodad".format(LINK_LOCAL))
    for address in FAR.values():
        h2.cmd_raises("ip address add {} dev lo".format(address))


def setup_module(module):
    "Start all."
    make_certificates()
    daemons = {"r1": ["zebra", "clusterd"]}
    tgen = cl.start(module, build, daemons, netns_vrf=("r1",), prepare=prepare)
    node = tgen.gears["r1"].net
    for family, gateways in (
        ("4", (V4, "198.51.100.11")),
        ("6", (V6, "2001:db8:3::11")),
    ):
        for number, gateway in enumerate(gateways):
            command = "ip -n red -{} route replace {} via {} dev r1-eth{} metric {}"
            command = command.format(
                family, FAR[family], gateway, number + 1, 100 * (number + 1)
            )
            cl.expect(
                lambda c=command: node.cmd_status(c, warn=False)[0] == 0,
                "the VRF's addresses don't appear",
            )
    good = os.path.join(FOLDER, "good.pem")
    names = [PLAIN, "[{}]:80".format(V6), TLS]
    SERVER["h1"] = cl.HttpServer(tgen.gears["h1"], names, good)
    listeners = ["{}:80".format(a) for a in (V4, "[" + V6 + "]", FAR["4"])]
    listeners.append("[{}]:80".format(FAR["6"]))
    listeners.append("[{}%h2-eth1]:80".format(LINK_LOCAL))
    SERVER["h2"] = cl.HttpServer(tgen.gears["h2"], listeners)
    SERVER["dns1"] = dns_server(tgen.gears["h1"], V4, V6)
    names = [V4, V6, *FAR.values()]
    SERVER["dns2"] = dns_server(tgen.gears["h2"], *names, interface="h2-eth1")
    www = os.path.join(FOLDER, "www")
    os.makedirs(www, exist_ok=True)
    with open(os.path.join(www, "index.html"), "w", encoding="ascii") as file:
        file.write("HTTP/2 it is\n")
    pair = [os.path.join(FOLDER, "good." + suffix) for suffix in ("key", "crt")]
    for args in (["--no-tls", str(H2C)], [str(H2)] + pair):
        SERVER[args[-1]] = tgen.gears["h1"].net.popen(
            ["/usr/sbin/nghttpd", "-d", www, "-a", V4] + args
        )


def teardown_module(_module):
    "End."
    for server in SERVER.values():
        if isinstance(server, subprocess.Popen):
            server.kill()
            server.wait()
    cl.stop()


@pytest.fixture(name="net")
def fixture_net():
    "r1, h1's server; no probe is configured, everything answers."
    tgen = cl.usable()
    r1 = tgen.gears["r1"]
    cl.forget_all(r1)
    SERVER["h1"].tell(PLAIN, "ok")
    return r1, SERVER["h1"]


def configure(r1, name, *lines):
    "A probe with short times."
    times = ["interval 100", "rise 1", "fall 1", "jitter 0"]
    out = cl.configure(r1, "cluster probe " + name, *lines, *times)
    assert out == "", "{}: {}".format(name, out)


def expect_verdict(r1, name, verdict, text, target=V4, vrf="default"):
    "The instance comes to that verdict, and its last result says so."

    def check():
        seen = instance(r1, name, target, vrf)
        return seen["verdict"] == verdict and text in seen["lastDetail"], seen

    return cl.expect(check, "{} isn't {}: {}".format(name, verdict, text))[1]


def test_status_and_body(net):
    "Statuses, and a regular expression."
    r1, server = net
    lines = ["type http", "target " + V4]
    configure(r1, "web", *lines, "expect status 200-299,404")
    expect_verdict(r1, "web", "up", "200")
    server.tell(PLAIN, "302")
    expect_verdict(r1, "web", "down", "302")
    server.tell(PLAIN, "404")
    expect_verdict(r1, "web", "up", "404")
    configure(r1, "web", "expect regex ^h[0-9]$")
    server.tell(PLAIN, "ok")
    configure(r1, "other", *lines, "expect regex no such text")
    expect_verdict(r1, "other", "down", "no match in 3 bytes of the body")
    expect_verdict(r1, "web", "up", "200")
    configure(r1, "other", "no expect regex", "method head")
    expect_verdict(r1, "other", "up", "200")
    asked = server.stat(PLAIN)["requests"]
    assert any(line.startswith("HEAD / ") for line in asked), "no HEAD: {}".format(
        asked[-5:]
    )


def test_redirects(net):
    "Followed as often as configured, all to the target."
    r1, server = net
    server.tell(PLAIN, "goto")
    lines = ["type http", "target " + V4, "expect status 200"]
    configure(r1, "web", *lines)
    expect_verdict(r1, "web", "down", "302")
    configure(r1, "web", "follow 1")
    expect_verdict(r1, "web", "down", "redirect")
    configure(r1, "web", "follow 2")
    expect_verdict(r1, "web", "up", "200")
    asked = server.stat(PLAIN)["requests"][-3:]
    assert "GET /end HTTP/1.1 elsewhere.example" in asked, "asked: {}".format(asked)


def test_certificates(net):
    "What is wrong with a certificate is the reason, each its own."
    r1, server = net
    ca_file = "tls ca-file " + os.path.join(FOLDER, "ca.crt")
    lines = ["type https", "target " + V4, "host www.example.com", "tls verify"]
    configure(r1, "web", *lines, ca_file)
    expect_verdict(r1, "web", "up", "200")
    for name, text in (
        ("expired", "certificate has expired"),
        ("self", "certificate is self-signed"),
        ("other", "certificate isn't for www.example.com"),
    ):
        server.tell(TLS, "cert=" + os.path.join(FOLDER, name + ".pem"))
        expect_verdict(r1, "web", "down", text)
        # Not by another probe's mood: verified is what asks for it.
        configure(r1, "lax", "type https", "target " + V4, "host www.example.com")
        expect_verdict(r1, "lax", "up", "200")
    server.tell(TLS, "cert=" + os.path.join(FOLDER, "good.pem"))
    expect_verdict(r1, "web", "up", "200")
    configure(r1, "web", "no host")
    expect_verdict(r1, "web", "up", "200")
    # Nobody's CA is known to the system.
    configure(r1, "web", "no tls ca-file")
    expect_verdict(r1, "web", "down", "certificate is by an unknown CA")
    configure(r1, "web", "tls ca-file /nonexistent/ca.pem")
    seen = expect_verdict(r1, "web", "down", "/nonexistent/ca.pem: No such file")
    assert seen["lastResult"] == "local", "kind: {}".format(seen)
    # Nothing that is waited for, or has no end.
    fifo, huge = os.path.join(FOLDER, "fifo"), os.path.join(FOLDER, "huge")
    os.mkfifo(fifo)
    os.chmod(fifo, 0o666)
    with open(huge, "wb") as file:
        file.truncate(4 * 1024 * 1024 + 1)
    for path, text in (
        (fifo, "not a regular file"),
        ("/dev/zero", "not a regular file"),
        (FOLDER, "not a regular file"),
        (huge, "more than 4 MiB"),
    ):
        configure(r1, "web", "tls ca-file " + path)
        seen = expect_verdict(r1, "web", "down", path + ": " + text)
        assert seen["lastResult"] == "local", "kind: {}".format(seen)
    configure(r1, "web", ca_file)
    expect_verdict(r1, "web", "up", "200")
    asked = server.stat(TLS)["requests"]
    assert asked, "no request"


def test_tls_without_end(net):
    "TLS that isn't ended before TCP: what has come is judged, if it is all."
    r1, server = net
    lines = ["type https", "target " + V4]
    configure(r1, "web", *lines, "expect regex ^h[0-9]$")
    configure(r1, "other", *lines, "expect regex no such text")
    configure(r1, "plain", *lines, "expect status 404")
    server.tell(TLS, "untidy")
    expect_verdict(r1, "web", "up", "200")
    expect_verdict(r1, "other", "down", "no match in 3 bytes of the body")
    expect_verdict(r1, "plain", "down", "HTTP status 200")
    server.tell(TLS, "cut")
    seen = expect_verdict(r1, "web", "down", "TLS connection")
    assert seen["lastResult"] == "response", "kind: {}".format(seen)
    server.tell(TLS, "ok")
    expect_verdict(r1, "web", "up", "200")


@pytest.mark.parametrize(
    "mode, text",
    [("endless", "header"), ("long", "header"), ("astray", "URL")],
    ids=["endless", "long", "astray"],
)
def test_bad_answers(net, mode, text):
    "What a server sends is its fault, and not one of this machine."
    r1, server = net
    configure(r1, "web", "type http", "target " + V4, "follow 1")
    expect_verdict(r1, "web", "up", "200")
    server.tell(PLAIN, mode)
    seen = expect_verdict(r1, "web", "down", text)
    assert seen["lastResult"] == "response", "kind: {}".format(seen)
    server.tell(PLAIN, "ok")
    expect_verdict(r1, "web", "up", "200")


def test_http2(net):
    "Over TLS and without, by a server that speaks it, and by one that doesn't."
    r1, _ = net
    lines = ["target " + V4, "http2", "expect regex ^HTTP/2 it is"]
    configure(r1, "plain", "type http", "port {}".format(H2C), *lines)
    expect_verdict(r1, "plain", "up", "200")
    ca_file = "tls ca-file " + os.path.join(FOLDER, "ca.crt")
    lines += ["tls verify", ca_file]
    configure(r1, "tls", "type https", "port {}".format(H2), *lines)
    expect_verdict(r1, "tls", "up", "200")
    configure(r1, "old", "type https", "target " + V4, "http2")
    expect_verdict(r1, "old", "down", "speaks no HTTP/2")


def test_tcp_dialog(net):
    "A greeting, or an answer to what is sent."
    r1, _ = net
    lines = ["type tcp", "port 80", "target " + V4]
    talk = ["send GET / HTTP/1.0\\r\\n\\r\\n", "expect regex ^HTTP/1\\.1 200 "]
    configure(r1, "talk", *lines, *talk)
    expect_verdict(r1, "talk", "up", "")
    configure(r1, "talk", "expect regex ^SSH-2\\.0")
    expect_verdict(r1, "talk", "down", "no match in")


def test_refused(net):
    "Nonsense is refused where it is typed, and costs nothing else."
    r1, _ = net
    for line, text in (
        ("expect status 299-200", "such as 200-299,404"),
        ("expect status 2xx", "such as 200-299,404"),
        ("expect regex a(b", "bad expression"),
        ("send PING\\q", "after a backslash"),
        ("send " + 256 * "x", "at most 255"),
        ("tls ca-file ca.pem", "whole path"),
        ("tls ca-file /a\x01", "control characters"),
        # The parser makes one space of the tab.
        ("command /bin/x a|\tb", "into a script"),
        ("send a|\tb", "as \\x20"),
        ("expect regex a|\tb", "as \\x20"),
        ("send a\x01", "as \\xHH"),
        ("target 203.0.113.00", "needless zeros"),
        ("source 203.0.113.00", "needless zeros"),
    ):
        out = cl.configure(r1, "cluster probe web", line)
        assert text in out, "{}: {}".format(line, out)
    configure(r1, "web", "type http", "target " + V4)
    cl.configure(r1, "cluster probe web", "method head", "expect regex x")
    cl.expect(
        lambda: "no body" in cl.instance(r1, "web", V4)["why"],
        "nothing is said of a body that can't be",
    )


def test_round_trip(net):
    "What is configured is shown so, and can be taken back."
    r1, _ = net
    wanted = [
        "hold",
        "expect status 200-204,404",
        "expect regex it is  well|[ab]{2}$",
        "send A\\r\\n\\x00",
        "method options",
        "follow 3",
        "http2",
        "tls verify",
        "tls ca-file /etc/ssl/ca.pem",
    ]
    configure(r1, "web", "type tcp", *wanted)
    text = cl.cluster_config(r1)
    for line in wanted:
        # vtysh puts one space between words
        line = " ".join(line.split())
        assert "\n " + line + "\n" in text, "{!r} in {}".format(line, text)
    out = cl.configure(r1, "cluster probe web", *["no " + line for line in wanted])
    assert out == "", "printed: {}".format(out)
    text = cl.cluster_config(r1)
    for line in wanted:
        assert line.split()[0] not in text, "{!r} stays: {}".format(line, text)


def wire_lines(kind):
    """
    Of type `kind`; hold: tcp, with a connection that is kept; dns-tcp: dns over
    UDP, and then TCP.
    """
    if kind == "icmp":
        return ["type icmp"]
    if kind == "hold":
        return ["type tcp", "port 80", "hold"]
    if kind == "dns":
        return ["type dns", "dns-name www.example.com"]
    if kind == "dns-tcp":
        # the answer is too long for a datagram
        return ["type dns", "dns-name most.example.com", "dns-answer 198.18.2.99"]
    return ["type " + kind, "port 80"]


KINDS = ["icmp", "tcp", "http", "hold", "dns", "dns-tcp"]


def expect_held(r1, target, vrf):
    "The connection of the probe is open; what has been counted."

    def held():
        seen = instance(r1, "wire", target, vrf)
        return seen["hold"]["state"] == "held", seen

    return cl.expect(held, "no connection is held")[1]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("family", ["4", "6"])
@pytest.mark.parametrize("vrf", ["default", "red"])
def test_on_the_wire(net, vrf, family, kind):
    """
    Source and VRF of what is sent (case 16): the second address, by the VRF's
    interface and no other, although both VRFs have all these addresses.
    """
    r1, _ = net
    target = V4 if family == "4" else V6
    source = "203.0.113.2" if family == "4" else "2001:db8:2::2"
    configure(r1, "wire", *wire_lines(kind), "source " + source)
    right = ("red", "r1-eth1") if vrf == "red" else (None, "r1-eth0")
    wrong = (None, "r1-eth0") if vrf == "red" else ("red", "r1-eth1")
    captures = [Capture(r1, *place, target) for place in (right, wrong)]
    use = ["probe wire", "member " + target, "address 192.0.2.9"]
    cl.configure(r1, "cluster vip user", "vrf " + vrf, *use)
    expect_verdict(r1, "wire", "up", "", target, vrf)
    if kind == "hold":
        expect_held(r1, target, vrf)
    # tcpdump hears of both at the same time, and after a while.
    number = len(captures[0].sources())
    cl.expect(lambda: len(captures[0].sources()) >= number + 20, "nothing is sent")
    seen = captures[0].sources()
    if kind == "dns-tcp":
        assert any(" Flags [" in line for line in captures[0].lines), "never by TCP"
    for sender in seen:
        assert sender == source or sender.startswith(source + "."), seen
    assert captures[1].sources() == [], "sent in the other VRF, too"
    for capture in captures:
        capture.end()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("family", ["4", "6", "link-local"])
def test_interface_on_the_wire(net, family, kind):
    "By the configured interface of the VRF, against its routes (case 16)."
    r1, _ = net
    target, listener, own = {
        "4": (FAR["4"], FAR["4"] + ":80", "198.51.100.1"),
        "6": (FAR["6"], "[{}]:80".format(FAR["6"]), "2001:db8:3::1"),
        "link-local": (LINK_LOCAL, "[{}%h2-eth1]:80".format(LINK_LOCAL), "fe80::"),
    }[family]
    member = "member " + target
    if family == "link-local":
        member += " interface r1-eth2"
    before = SERVER["h2"].stat(listener)["connections"]
    configure(r1, "wire", *wire_lines(kind), "interface r1-eth2")
    places = ("r1-eth2", "r1-eth1")
    captures = [Capture(r1, "red", place, target) for place in places]
    use = ["probe wire", member, "address 192.0.2.9"]
    cl.configure(r1, "cluster vip user", "vrf red", *use)
    cl.expect(lambda: len(captures[0].sources()) >= 5, "nothing is sent by r1-eth2")
    expect_verdict(r1, "wire", "up", "", target, "red")
    if kind == "hold":
        seen = expect_held(r1, target, "red")
        number = seen["runs"] + seen["hold"]["connections"]
        cl.expect(
            lambda: len(SERVER["h2"].peers_since(listener, before)) >= number,
            "the server doesn't see all connections",
        )
    if kind in ("tcp", "http", "hold"):
        peers = set(SERVER["h2"].peers_since(listener, before))
        assert peers, "the server sees nobody"
        assert all(peer.startswith(own) for peer in peers), peers
    seen = captures[0].sources()
    assert all(sender.startswith(own) for sender in seen), seen
    # A reset for what arrives behind the end of a check goes by the routes.
    if kind in ("icmp", "dns"):
        assert captures[1].sources() == [], "also sent by the preferred route"
    for capture in captures:
        capture.end()
