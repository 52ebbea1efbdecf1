# SPDX-License-Identifier: GPL-2.0-or-later
"""
Lines of hub clustering for the tests of the configuration: tables as in
config_lines.py.
"""

from config_lines import INCOMPLETE, UNKNOWN

CLUSTER = "5b1a9d0e-7c3f-4f6e-9d2a-8f1e6c7b0a11"
NODE = "0f8e7d6c-5b4a-4392-8170-6f5e4d3c2b1a"
OTHER = "1f8e7d6c-5b4a-4392-8170-6f5e4d3c2b1a"

EVERYTHING = f"""\
!
cluster hub-cluster every.thing_5:a-b
 id {CLUSTER}
 assignment rendezvous
 auto-rebalance interval 3600 hold 86400
 load-limit 99
 route-loss percent 100
 route-loss delay 600
 route-loss reaction immediate hold 60000
 bulk-hold 3600
 settle-time 600
 member {NODE}
 member {OTHER}
 shutdown
exit
!
cluster hub-cluster plain
 id {OTHER}
 auto-rebalance
 route-loss reaction immediate
 bulk-hold 0
 settle-time 0
exit
!
cluster hub
 hub-cluster {CLUSTER}
 address 203.0.113.1
 address 2001:db8:2::1
 port 65535
 tunnel-address 10.255.0.1
 tunnel-address 2001:db8:255::1
 tunnel capacity 1000000
 tunnel source command /usr/local/bin/tunnels timeout 60000
 model x1
 asn 4294967295
 vrf red
 uplink-community 65001:100
 learned-routes exclude tag 4294967295
 site-prefixes prefix-list SITES
 site-prefixes ipv6 prefix-list SITES6
 site-route distance 254
 site-route metric 4294967295
 site-route tag 4294967295
 report interval 300
 report trigger-delay 60000
 report trigger-hold 60000
 drain
 shutdown
exit
!
cluster edge
 hub-cluster {CLUSTER}
 tunnel-address 10.255.1.1
 tunnel-address 2001:db8:255::2
 site-prefix 10.1.0.0/16
 site-prefix 2001:db8:a::/48
 route 0.0.0.0/0
 route 10.0.0.0/8
 route ::/0
 route distance 254
 route metric 4294967295
 route tag 4294967295
 vrf red
 gateway {NODE} preference 1
 gateway {OTHER} preference 255
 gateway-failover sticky
 retry-interval 3600
 connect-timeout 300
 unreachable-time 3600
 tunnel action command /usr/local/bin/tunnel
 tunnel preestablish
 tunnel vrf blue
 shutdown
exit
"""

SECTION = {
    "hub-cluster": "cluster hub-cluster east",
    "hub": "cluster hub",
    "edge": "cluster edge",
}


def taken_back(node, line, *undone):
    "Entries of LEAVES: one line, and what takes it back."
    return [(node, line, undo) for undo in undone]


LEAVES = [
    *taken_back("hub-cluster", f"id {CLUSTER}", "no id", f"no id {CLUSTER}"),
    *taken_back(
        "hub-cluster", "assignment rendezvous", "no assignment", "assignment modulo"
    ),
    *taken_back(
        "hub-cluster",
        "auto-rebalance interval 7 hold 7",
        "no auto-rebalance",
        "no auto-rebalance interval 7",
    ),
    *taken_back("hub-cluster", "load-limit 7", "no load-limit", "load-limit 70"),
    *taken_back("hub-cluster", "route-loss percent 7", "no route-loss percent"),
    *taken_back(
        "hub-cluster",
        "route-loss delay 7",
        "no route-loss delay",
        "route-loss delay 30",
    ),
    *taken_back(
        "hub-cluster",
        "route-loss reaction immediate hold 7",
        "no route-loss reaction immediate",
        "no route-loss reaction immediate hold 7",
    ),
    *taken_back("hub-cluster", "bulk-hold 7", "no bulk-hold", "bulk-hold 120"),
    *taken_back("hub-cluster", "settle-time 7", "no settle-time", "settle-time 10"),
    *taken_back("hub-cluster", f"member {NODE}", f"no member {NODE.upper()}"),
    *taken_back("hub-cluster", "shutdown", "no shutdown"),
    *taken_back("hub", f"hub-cluster {CLUSTER}", "no hub-cluster"),
    *taken_back("hub", "address 192.0.2.7", "no address 192.0.2.7"),
    *taken_back("hub", "port 7", "no port", "no port 7"),
    *taken_back("hub", "tunnel-address 10.7.7.7", "no tunnel-address 10.7.7.7"),
    *taken_back("hub", "tunnel capacity 7", "no tunnel capacity"),
    *taken_back(
        "hub",
        "tunnel source interface wg*",
        "no tunnel source",
        "tunnel source sessions",
        "no tunnel source interface wg*",
    ),
    *taken_back(
        "hub", "tunnel source command /bin/x timeout 777", "no tunnel source command /x"
    ),
    *taken_back("hub", "tunnel source fixed 0", "no tunnel source fixed 0"),
    *taken_back("hub", "model x7", "no model", "no model x7"),
    *taken_back("hub", "asn 7", "no asn"),
    *taken_back("hub", "vrf red", "no vrf", "vrf default"),
    *taken_back(
        "hub", "uplink-community 7", "no uplink-community", "no uplink-community 7"
    ),
    *taken_back("hub", "learned-routes exclude tag 7", "no learned-routes exclude tag"),
    *taken_back("hub", "site-prefixes prefix-list A", "no site-prefixes prefix-list"),
    *taken_back(
        "hub", "site-prefixes ipv6 prefix-list A", "no site-prefixes ipv6 prefix-list A"
    ),
    *taken_back("hub", "site-route distance 7", "no site-route distance"),
    *taken_back("hub", "site-route metric 7", "no site-route metric 7"),
    *taken_back("hub", "site-route tag 7", "no site-route tag", "site-route tag 86"),
    *taken_back("hub", "report interval 7", "no report interval", "report interval 30"),
    *taken_back("hub", "report trigger-delay 7", "no report trigger-delay"),
    *taken_back("hub", "report trigger-hold 7", "no report trigger-hold 7"),
    *taken_back("hub", "drain", "no drain"),
    *taken_back("hub", "shutdown", "no shutdown"),
    *taken_back("edge", f"hub-cluster {CLUSTER}", f"no hub-cluster {CLUSTER}"),
    *taken_back("edge", "tunnel-address 10.7.7.7", "no tunnel-address 10.7.7.7"),
    *taken_back("edge", "site-prefix 10.7.0.0/16", "no site-prefix 10.7.0.0/16"),
    *taken_back("edge", "route 2001:db8:7::/48", "no route 2001:db8:7::/48"),
    *taken_back("edge", "route distance 7", "no route distance", "route distance 1"),
    *taken_back("edge", "route metric 7", "no route metric", "route metric 0"),
    *taken_back("edge", "route tag 7", "no route tag", "route tag 86"),
    *taken_back("edge", "vrf red", "no vrf red"),
    *taken_back(
        "edge",
        f"gateway {NODE} preference 7",
        f"no gateway {NODE}",
        f"no gateway {NODE} preference 9",
    ),
    *taken_back("edge", "gateway-failover sticky", "no gateway-failover sticky"),
    *taken_back("edge", "retry-interval 7", "no retry-interval", "retry-interval 5"),
    *taken_back("edge", "connect-timeout 7", "no connect-timeout"),
    *taken_back("edge", "unreachable-time 7", "unreachable-time 30"),
    *taken_back(
        "edge",
        "tunnel action command /bin/x",
        "no tunnel action",
        "tunnel action route",
        "no tunnel action command /bin/x",
    ),
    *taken_back("edge", "tunnel preestablish", "no tunnel preestablish"),
    *taken_back("edge", "tunnel vrf red", "no tunnel vrf", "tunnel vrf default"),
    *taken_back("edge", "shutdown", "no shutdown"),
]

DEFAULTS = [
    ("hub-cluster", "assignment modulo"),
    ("hub-cluster", "load-limit 70"),
    ("hub-cluster", "route-loss delay 30"),
    ("hub-cluster", "bulk-hold 120"),
    ("hub-cluster", "settle-time 10"),
    ("hub", "port 8484"),
    ("hub", "tunnel source sessions"),
    ("hub", "vrf default"),
    ("hub", "site-route distance 1"),
    ("hub", "site-route metric 0"),
    ("hub", "site-route tag 86"),
    ("hub", "report interval 30"),
    ("hub", "report trigger-delay 50"),
    ("hub", "report trigger-hold 500"),
    ("edge", "route distance 1"),
    ("edge", "route metric 0"),
    ("edge", "route tag 86"),
    ("edge", "vrf default"),
    ("edge", "retry-interval 5"),
    ("edge", "connect-timeout 10"),
    ("edge", "unreachable-time 30"),
    ("edge", "tunnel action route"),
    ("edge", "tunnel vrf default"),
]


def out_of_range(node, line, *values):
    "Entries of BAD_INPUT: a number that the command doesn't take."
    return [(node, line, INCOMPLETE)] + [
        (node, f"{line} {value}", UNKNOWN) for value in values
    ]


BAD_INPUT = [
    (None, "cluster hub-cluster", INCOMPLETE),
    (None, "cluster hub-cluster a/b", r"[Nn]ame"),
    (None, "cluster edge nosuch", UNKNOWN),
    ("hub-cluster", "id", INCOMPLETE),
    ("hub-cluster", "id east", r"% east is not the ID of a cluster: `uuidgen`"),
    ("hub-cluster", f"id {CLUSTER}0", r"is not the ID of a cluster"),
    ("hub-cluster", "id 00000000-0000-0000-0000-000000000000", r"is not the ID"),
    ("hub-cluster", "assignment", INCOMPLETE),
    ("hub-cluster", "assignment random", UNKNOWN),
    *out_of_range("hub-cluster", "auto-rebalance interval", 0, 3601),
    *out_of_range("hub-cluster", "auto-rebalance hold", 0, 86401),
    *out_of_range("hub-cluster", "load-limit", 0, 100),
    *out_of_range("hub-cluster", "route-loss percent", 0, 101),
    *out_of_range("hub-cluster", "route-loss delay", 0, 601),
    ("hub-cluster", "route-loss reaction", INCOMPLETE),
    ("hub-cluster", "route-loss reaction soon", UNKNOWN),
    *out_of_range("hub-cluster", "route-loss reaction immediate hold", -1, 60001),
    *out_of_range("hub-cluster", "bulk-hold", -1, 3601),
    *out_of_range("hub-cluster", "settle-time", -1, 601),
    ("hub-cluster", "member", INCOMPLETE),
    ("hub-cluster", "member 192.0.2.1", r"% 192\.0\.2\.1 is not the ID of a node"),
    ("hub-cluster", "shutdown now", UNKNOWN),
    ("hub", "hub-cluster east", r"is not the ID of a cluster"),
    ("hub", "address", INCOMPLETE),
    ("hub", "address www", UNKNOWN),
    ("hub", "address 0.0.0.0", r"% 0\.0\.0\.0 "),
    ("hub", "address 224.0.0.1", r"% 224\.0\.0\.1 "),
    ("hub", "address 127.0.0.1", r"% 127\.0\.0\.1 "),
    ("hub", "address fe80::1", r"% fe80::1 "),
    ("hub", "tunnel-address ff02::1", r"% ff02::1 "),
    ("hub", "tunnel-address 10.0.0.1/24", UNKNOWN),
    *out_of_range("hub", "port", 0, 65536),
    *out_of_range("hub", "tunnel capacity", 0, 1000001),
    ("hub", "tunnel source", INCOMPLETE),
    ("hub", "tunnel source magic", UNKNOWN),
    ("hub", "tunnel source interface", INCOMPLETE),
    ("hub", "tunnel source interface " + "x" * 64, r"% a pattern has at most 63"),
    ("hub", "tunnel source command tunnels", r"% a command is run without a shell"),
    ("hub", "tunnel source command /" + "x" * 255, r"% the path of a command has at"),
    *out_of_range("hub", "tunnel source command /x timeout", 99, 60001),
    *out_of_range("hub", "tunnel source fixed", -1, 1000001),
    ("hub", "model", INCOMPLETE),
    ("hub", "model " + "x" * 64, r"% a model has at most 63"),
    *out_of_range("hub", "asn", 0, 4294967296),
    ("hub", "vrf " + "x" * 36, r"% the name of a VRF"),
    ("hub", "uplink-community", INCOMPLETE),
    ("hub", "uplink-community 0", r"% 0 is not a community"),
    ("hub", "uplink-community 0:0", r"% 0:0 is not a community"),
    ("hub", "uplink-community 65536:1", r"% 65536:1 is not a community"),
    ("hub", "uplink-community 4294967296", r"is not a community: use AA:NN"),
    ("hub", "uplink-community no-export", r"% no-export is not a community"),
    *out_of_range("hub", "learned-routes exclude tag", 0, 4294967296),
    ("hub", "site-prefixes prefix-list", INCOMPLETE),
    ("hub", "site-prefixes prefix-list " + "x" * 129, r"% a prefix list's name has"),
    ("hub", "site-prefixes ipv6 prefix-list " + "x" * 129, r"% a prefix list's name"),
    *out_of_range("hub", "site-route distance", 0, 255),
    *out_of_range("hub", "site-route metric", -1, 4294967296),
    *out_of_range("hub", "site-route tag", 0, 4294967296),
    *out_of_range("hub", "report interval", 0, 301),
    *out_of_range("hub", "report trigger-delay", -1, 60001),
    *out_of_range("hub", "report trigger-hold", -1, 60001),
    ("edge", "hub-cluster 7", r"% 7 is not the ID of a cluster"),
    ("edge", "tunnel-address 0.0.0.0", r"% 0\.0\.0\.0 "),
    ("edge", "site-prefix", INCOMPLETE),
    ("edge", "site-prefix 10.1.1.1", UNKNOWN),
    ("edge", "site-prefix 10.1.1.1/16", r"has bits behind its length: 10\.1\.0\.0/16"),
    ("edge", "site-prefix 2001:db8::1/64", r"2001:db8::/64 is the prefix"),
    ("edge", "site-prefix 224.0.0.0/4", r"% 224\.0\.0\.0/4 is a multicast address"),
    ("edge", "site-prefix fe80::/64", r"% fe80::/64 is link-local"),
    ("edge", "route 127.0.0.0/8", r"% 127\.0\.0\.0/8 is a loopback address"),
    ("edge", "route 10.0.0.1/8", r"has bits behind its length: 10\.0\.0\.0/8"),
    *out_of_range("edge", "route distance", 0, 255),
    *out_of_range("edge", "route metric", -1, 4294967296),
    *out_of_range("edge", "route tag", 0, 4294967296),
    ("edge", "gateway", INCOMPLETE),
    ("edge", f"gateway {NODE}", INCOMPLETE),
    ("edge", "gateway gw1 preference 1", r"% gw1 is not the ID of a node"),
    *out_of_range("edge", f"gateway {NODE} preference", 0, 256),
    ("edge", "gateway-failover", INCOMPLETE),
    *out_of_range("edge", "retry-interval", 0, 3601),
    *out_of_range("edge", "connect-timeout", 0, 301),
    *out_of_range("edge", "unreachable-time", 0, 3601),
    ("edge", "tunnel action", INCOMPLETE),
    ("edge", "tunnel action magic", UNKNOWN),
    ("edge", "tunnel vrf", INCOMPLETE),
    ("edge", "tunnel action command tunnel", r"% a command is run without a shell"),
]

BAD_SHOW = [
    ("show cluster edge nosuch", UNKNOWN),
    ("show cluster hub-cluster nosuch", r"% hub-cluster nosuch is not configured"),
    (f"cluster move nosuch edge {NODE} hub {OTHER}", r"nosuch is not configured"),
    (f"cluster move east edge x hub {OTHER}", r"% x is not the ID of a node"),
    (f"cluster move east edge {NODE} hub x", r"% x is not the ID of a node"),
]

# (section, what fills it, one more, the text that says so)
FULL = [
    (
        "hub-cluster",
        [f"member {NODE[:-2]}{i:02x}" for i in range(64)],
        f"member {OTHER}",
        "there are 64 of `member` already",
    ),
    (
        "hub",
        [f"address 192.0.2.{i}" for i in range(1, 5)],
        "address 192.0.2.5",
        "there are 4 of `address` already",
    ),
    (
        "edge",
        [f"tunnel-address 192.0.2.{i}" for i in range(1, 5)],
        "tunnel-address 2001:db8::5",
        "there are 4 of `tunnel-address` already",
    ),
    (
        "edge",
        [f"site-prefix 10.{i}.0.0/16" for i in range(50)],
        "site-prefix 10.50.0.0/16",
        "there are 50 of `site-prefix` already",
    ),
    (
        "edge",
        [f"gateway {NODE[:-2]}{i:02x} preference {i + 1}" for i in range(16)],
        f"gateway {OTHER} preference 1",
        "there are 16 of `gateway` already",
    ),
]
