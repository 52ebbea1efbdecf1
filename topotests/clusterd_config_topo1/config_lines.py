# SPDX-License-Identifier: GPL-2.0-or-later
"""
The lines of the configuration that test_clusterd_config_topo1.py types: all
commands, how each is taken back, and wrong ones.
"""

# Every command with a value that isn't the default, in the order in which
# show running-config prints it.
EVERYTHING = """\
cluster bgp route-map CLUSTERD-vips
cluster bgp next-hop 203.0.113.1
cluster bgp next-hop unchanged
cluster metrics file /run/frr/metrics.prom interval 5000
!
cluster probe every.thing_1:a-b
 type https
 target 203.0.113.12
 port 8443
 path /health?deep=1&x=%20
 host www.example.com
 interval 2000
 timeout 1500
 rise 4
 fall 5
 fast-interval 250
 source 203.0.113.1
 interface r1-eth0
 vrf red
 start up
 jitter 50
exit
!
cluster probe ping
 type tcp
 target 2001:db8:2::12
 port 22
exit
!
cluster probe second
 interval 300
exit
!
cluster vip every.thing_2:a-b
 tag 4294967295
 drain-tag 4294967294
 metric 4294967295
 community 65001:100
 community no-export
 large-community 65001:1:2
 large-community 4294967295:0:1
 local-preference 4294967295
 link-bandwidth 25600
 distance 255
 min-up 2
 shutdown
 drain
 drain-time 0
 drain file /run/drain/web-1.2:a
 drain on-exit
 fail-open
 hold-down 3600000
 flip-interval 0
 slow-start 86400000
 damping penalty 1 half-life 1000 suppress 1000000 reuse 2 max-time 86400000
 probe ping
 probe every.thing_1:a-b also
 probe second also
 probe-need 2
 uplink bgp-routes 1000
 uplink probe every.thing_1:a-b
 member 203.0.113.11 interface r1-eth0 weight 255 probe every.thing_1:a-b drain
 member 203.0.113.12
 member 2001:db8:2::11 weight 7
 member fe80::11 interface r1-eth0
 address 192.0.2.1
 address 192.0.2.2
 address 2001:db8:ff::1
exit
!
cluster vip in-a-vrf
 vrf red
 damping off
 member 203.0.113.11
 address 192.0.2.3
exit
!
cluster control
 peer 203.0.113.12
 peer 203.0.113.13 port 4000 source 203.0.113.1
exit
!
cluster responder every.thing_3:a-b
 interface r1-eth0
 interface r1-eth9
 condition tunnels 65535 interface wg*
 condition probe ping
 condition vip in-a-vrf
 hold-down 3600000
 accept prefix-list LIST
 rate-limit 100000
 handoff nat
 handoff nat source 203.0.113.1
 handoff nat source 2001:db8:2::1
 shutdown
 address 203.0.113.50
 address 2001:db8:2::50
exit
!
cluster track every.thing_4:a-b
 probe ping
 tag 4294967295
 metric 4294967295
 distance 254
 down metric 4294967295
 down distance 253
 last-resort keep
 announce edges
 shutdown
 next-hop 203.0.113.11 interface r1-eth0 preference 65535 probe ping
 next-hop 203.0.113.12
 next-hop 203.0.113.13 probe ping gateway 0a0b0c0d-1111-4111-8111-0123456789ab gateway-track a.b:c_d-e
 next-hop 203.0.113.14 gateway 0a0b0c0d-1111-4111-8111-0123456789ab
 route 10.0.0.0/8
 route 2001:db8:4::/48
exit
"""

# Node, line with a value, the form that takes it back; behind it nothing of
# the line may be left.
LEAVES = [
    ("probe", "type tcp", "no type"),
    ("probe", "type tcp", "no type tcp"),
    ("probe", "target 203.0.113.12", "no target"),
    ("probe", "target 2001:db8:2::12", "no target 2001:db8:2::12"),
    ("probe", "port 81", "no port"),
    ("probe", "port 81", "no port 81"),
    ("probe", "path /x", "no path"),
    ("probe", "path /x", "no path /x"),
    ("probe", "host example.com", "no host"),
    ("probe", "host example.com", "no host example.com"),
    ("probe", "interval 77", "no interval"),
    ("probe", "interval 77", "no interval 77"),
    ("probe", "timeout 77", "no timeout"),
    ("probe", "timeout 77", "no timeout 77"),
    ("probe", "threshold 7", "no threshold"),
    ("probe", "threshold 7", "no threshold 7"),
    ("probe", "rise 7", "no rise"),
    ("probe", "rise 7", "no rise 7"),
    ("probe", "fall 7", "no fall"),
    ("probe", "fall 7", "no fall 7"),
    ("probe", "command /bin/true -x 'y", "no command"),
    ("probe", "command /bin/true", "no command /bin/true"),
    ("probe", "user nobody", "no user"),
    ("probe", "prefix 192.0.2.0/24", "no prefix"),
    ("probe", "prefix 2001:db8::/32", "no prefix 2001:db8::/32"),
    ("probe", "profile fast", "no profile"),
    ("probe", "hops 3", "no hops 3"),
    ("probe", "dns-name www.example.com", "no dns-name"),
    ("probe", "dns-type txt", "no dns-type txt"),
    ("probe", "dns-answer v=1", "no dns-answer"),
    ("probe", "key-chain keys", "no key-chain"),
    ("probe", "socket /run/frr/x", "no socket"),
    ("probe", "socket /run/frr/x", "no socket /run/frr/x"),
    ("probe", "fast-interval 77", "no fast-interval"),
    ("probe", "fast-interval 77", "no fast-interval 77"),
    ("probe", "source 203.0.113.1", "no source"),
    ("probe", "source 203.0.113.1", "no source 203.0.113.1"),
    ("probe", "vrf red", "no vrf"),
    ("probe", "vrf red", "no vrf red"),
    ("probe", "interface r1-eth0", "no interface"),
    ("probe", "interface r1-eth0", "no interface r1-eth0"),
    ("probe", "start up", "no start"),
    ("probe", "start up", "no start up"),
    ("probe", "jitter 99", "no jitter"),
    ("probe", "jitter 99", "no jitter 99"),
    ("vip", "vrf red", "no vrf"),
    ("vip", "vrf red", "no vrf red"),
    ("vip", "tag 7", "no tag"),
    ("vip", "tag 7", "no tag 7"),
    ("vip", "drain-tag 7", "no drain-tag"),
    ("vip", "drain-tag 7", "no drain-tag 7"),
    ("vip", "community 65001:7", "no community 65001:7"),
    ("vip", "community no-export", "no community no-export"),
    ("vip", "large-community 65001:7:7", "no large-community 65001:7:7"),
    ("vip", "local-preference 7", "no local-preference"),
    ("vip", "local-preference 0", "no local-preference 0"),
    ("vip", "link-bandwidth 7", "no link-bandwidth"),
    ("vip", "link-bandwidth 7", "no link-bandwidth 7"),
    ("vip", "metric 7", "no metric"),
    ("vip", "metric 7", "no metric 7"),
    ("vip", "distance 7", "no distance"),
    ("vip", "distance 7", "no distance 7"),
    ("vip", "min-up 7", "no min-up"),
    ("vip", "min-up 7", "no min-up 7"),
    ("vip", "shutdown", "no shutdown"),
    ("vip", "drain", "no drain"),
    ("vip", "drain file /tmp/x", "no drain file"),
    ("vip", "drain file /tmp/x", "no drain file /tmp/x"),
    ("vip", "drain on-exit", "no drain on-exit"),
    ("vip", "drain-time 7", "no drain-time"),
    ("vip", "drain-time 0", "no drain-time 0"),
    ("vip", "fail-open", "no fail-open"),
    ("vip", "hold-down 7", "no hold-down"),
    ("vip", "hold-down 7", "no hold-down 7"),
    ("vip", "flip-interval 7", "no flip-interval"),
    ("vip", "flip-interval 0", "no flip-interval 0"),
    ("vip", "slow-start 7", "no slow-start"),
    ("vip", "slow-start 7", "no slow-start 7"),
    ("vip", "damping off", "no damping off"),
    ("vip", "damping penalty 7", "no damping penalty 7"),
    (
        "vip",
        "damping penalty 7 half-life 7000 suppress 77 reuse 7 max-time 7777",
        "no damping half-life 7000",
    ),
    ("vip", "probe web", "no probe"),
    ("vip", "probe web", "no probe web"),
    ("vip", "probe web also", "no probe web also"),
    ("vip", "probe-need any", "no probe-need"),
    ("vip", "probe-need 7", "no probe-need 7"),
    ("vip", "uplink bgp-routes 7", "no uplink bgp-routes"),
    ("vip", "uplink bgp-routes 7", "no uplink bgp-routes 7"),
    ("vip", "uplink probe web", "no uplink probe"),
    ("vip", "uplink probe web", "no uplink probe web"),
    ("vip", "member 203.0.113.11", "no member 203.0.113.11"),
    (
        "vip",
        "member 203.0.113.11 interface r1-eth0 weight 3 probe web",
        "no member 203.0.113.11 interface r1-eth0 weight 3 probe web",
    ),
    ("vip", "member 203.0.113.11 weight 3", "no member 203.0.113.11"),
    ("vip", "member 203.0.113.11 drain", "no member 203.0.113.11 drain"),
    ("vip", "member 2001:db8:2::11", "no member 2001:db8:2::11"),
    ("vip", "address 192.0.2.9", "no address 192.0.2.9"),
    ("vip", "address 2001:db8:ff::9", "no address 2001:db8:ff::9"),
]

# Lines that set the default: nothing is printed.
DEFAULTS = [
    ("probe", "type icmp"),
    ("probe", "path /"),
    ("probe", "interval 1000"),
    ("probe", "start down"),
    ("probe", "jitter 10"),
    ("vip", "tag 84"),
    ("vip", "drain-tag 85"),
    ("vip", "metric 0"),
    ("vip", "distance 15"),
    ("vip", "min-up 1"),
    ("vip", "no shutdown"),
    ("vip", "probe-need all"),
    ("vip", "no drain"),
    ("vip", "drain-time 30000"),
    ("vip", "no fail-open"),
    ("vip", "hold-down 0"),
    ("vip", "flip-interval 5000"),
    ("vip", "slow-start 0"),
    ("vip", "damping penalty 1000 half-life 60000 suppress 3000 reuse 750"),
    ("vip", "damping max-time 300000"),
]

UNKNOWN = r"% Unknown command"
INCOMPLETE = r"% (Command incomplete|Unknown command)"

# Node (None: configuration mode), line, what the answer must match.
BAD_INPUT = [
    (None, "cluster", INCOMPLETE),
    (None, "cluster probe", INCOMPLETE),
    (None, "cluster vip", INCOMPLETE),
    (None, "cluster nosuch web", UNKNOWN),
    (None, "cluster probe web web", UNKNOWN),
    (None, "cluster vip www www", UNKNOWN),
    (None, "no cluster", INCOMPLETE),
    (None, "no cluster probe", INCOMPLETE),
    (None, "no cluster vip", INCOMPLETE),
    (None, "cluster probe -web", r"[Nn]ame"),
    (None, "cluster probe .web", r"[Nn]ame"),
    (None, "cluster probe a/b", r"[Nn]ame"),
    (None, "cluster probe a'b", r"[Nn]ame"),
    (None, "cluster probe a[b]", r"[Nn]ame"),
    (None, "cluster probe " + "x" * 64, r"[Nn]ame"),
    (None, "cluster vip _www", r"[Nn]ame"),
    (None, "cluster vip a/b", r"[Nn]ame"),
    (None, "cluster vip a$b", r"[Nn]ame"),
    (None, "cluster vip \u00e4", r"[Nn]ame|Unknown"),
    (None, "cluster vip " + "x" * 64, r"[Nn]ame"),
    (None, "debug cluster nosuch", UNKNOWN),
    ("probe", "nosuch", UNKNOWN),
    ("probe", "type", INCOMPLETE),
    ("probe", "type ftp", UNKNOWN),
    ("probe", "type tcp tcp", UNKNOWN),
    ("probe", "target", INCOMPLETE),
    ("probe", "target 300.1.1.1", UNKNOWN),
    ("probe", "target 203.0.113.11/32", UNKNOWN),
    ("probe", "target www.example.com", UNKNOWN),
    ("probe", "target 2001:db8::g", UNKNOWN),
    ("probe", "target 0.0.0.0", r"% 0\.0\.0\.0"),
    ("probe", "target 224.0.0.1", r"% 224\.0\.0\.1"),
    ("probe", "target 255.255.255.255", r"% 255\.255\.255\.255"),
    ("probe", "target ff02::1", r"% ff02::1"),
    ("probe", "target ::ffff:192.0.2.1", r"use 192\.0\.2\.1"),
    ("probe", "port", INCOMPLETE),
    ("probe", "port 0", UNKNOWN),
    ("probe", "port 65536", UNKNOWN),
    ("probe", "port http", UNKNOWN),
    ("probe", "path", INCOMPLETE),
    ("probe", "path a b", UNKNOWN),
    ("probe", "path health", r"% a path must start"),
    ("probe", "path /a#b", r"% '#'"),
    ("probe", "path /\u00e4", r"% a path has printable"),
    ("probe", "path /" + "x" * 255, r"% a path has at most"),
    ("probe", "host", INCOMPLETE),
    ("probe", "host a b", UNKNOWN),
    ("probe", "host -a", r"% a host name"),
    ("probe", "host a:80", r"% a host name"),
    ("probe", "host " + "x" * 254, r"% a host name"),
    ("probe", "socket", INCOMPLETE),
    ("probe", "socket x", r"% give the whole path"),
    ("probe", "socket /", r"% / is a folder"),
    ("probe", "socket /" + "x" * 107, r"% the path of a socket has at most 107"),
    ("probe", "interval", INCOMPLETE),
    ("probe", "interval 9", UNKNOWN),
    ("probe", "interval 3600001", UNKNOWN),
    ("probe", "interval 1.5", UNKNOWN),
    ("probe", "interval -1", UNKNOWN),
    ("probe", "timeout", INCOMPLETE),
    ("probe", "timeout 0", UNKNOWN),
    ("probe", "timeout 3600001", UNKNOWN),
    ("probe", "threshold", INCOMPLETE),
    ("probe", "threshold 0", UNKNOWN),
    ("probe", "threshold 256", UNKNOWN),
    ("probe", "rise", INCOMPLETE),
    ("probe", "rise 0", UNKNOWN),
    ("probe", "rise 256", UNKNOWN),
    ("probe", "fall", INCOMPLETE),
    ("probe", "fall 0", UNKNOWN),
    ("probe", "fall 256", UNKNOWN),
    ("probe", "fast-interval", INCOMPLETE),
    ("probe", "fast-interval 9", UNKNOWN),
    ("probe", "fast-interval 3600001", UNKNOWN),
    ("probe", "source", INCOMPLETE),
    ("probe", "source r1-eth0", UNKNOWN),
    ("probe", "source 0.0.0.0", r"% 0\.0\.0\.0"),
    ("probe", "interface", INCOMPLETE),
    ("probe", "interface 0123456789abcdef", r"% an interface"),
    ("probe", "interface a/b", r"% an interface"),
    ("probe", "start", INCOMPLETE),
    ("probe", "start maybe", UNKNOWN),
    ("probe", "jitter", INCOMPLETE),
    ("probe", "jitter 101", UNKNOWN),
    ("probe", "jitter -1", UNKNOWN),
    ("vip", "nosuch", UNKNOWN),
    ("vip", "vrf", INCOMPLETE),
    ("vip", "vrf " + "x" * 36, r"% the name of a VRF"),
    ("vip", "tag", INCOMPLETE),
    ("vip", "tag 0", UNKNOWN),
    ("vip", "tag 4294967296", UNKNOWN),
    ("vip", "drain-tag 0", UNKNOWN),
    ("vip", "drain-tag 4294967296", UNKNOWN),
    ("vip", "community", INCOMPLETE),
    ("vip", "no community", INCOMPLETE),
    ("vip", "community 0:0", r"% 0:0 is not a community"),
    ("vip", "community 65536:1", r"% 65536:1 is not a community"),
    ("vip", "community internet", r"% internet is not a community"),
    ("vip", "community 1:2:3", r"% 1:2:3 is not a community"),
    ("vip", "community 1:2 1:3", UNKNOWN),
    ("vip", "large-community", INCOMPLETE),
    ("vip", "large-community 1:2", r"% 1:2 is not a large community"),
    ("vip", "large-community 1:2:4294967296", r"is not a large community"),
    ("vip", "local-preference", INCOMPLETE),
    ("vip", "local-preference 4294967296", UNKNOWN),
    ("vip", "link-bandwidth", INCOMPLETE),
    ("vip", "link-bandwidth 0", UNKNOWN),
    ("vip", "link-bandwidth 25601", UNKNOWN),
    ("vip", "metric", INCOMPLETE),
    ("vip", "metric -1", UNKNOWN),
    ("vip", "metric 4294967296", UNKNOWN),
    ("vip", "distance", INCOMPLETE),
    ("vip", "distance 0", UNKNOWN),
    ("vip", "distance 256", UNKNOWN),
    ("vip", "min-up", INCOMPLETE),
    ("vip", "min-up 0", UNKNOWN),
    ("vip", "min-up 257", UNKNOWN),
    ("vip", "shutdown now", UNKNOWN),
    ("vip", "damping", INCOMPLETE),
    ("vip", "damping reuse 3000", r"reuse \(3000\) must be less than suppress"),
    ("vip", "damping suppress 700", r"reuse \(750\) must be less than suppress"),
    ("vip", "drain-time 3600001", UNKNOWN),
    ("vip", "drain file tmp/x", r"tmp/x is not a path: begin with /"),
    (None, "cluster vip nobody drain", r"VIP nobody is not configured"),
    ("vip", "probe", INCOMPLETE),
    ("vip", "probe a/b", r"[Nn]ame"),
    ("vip", "member", INCOMPLETE),
    ("vip", "member www", UNKNOWN),
    ("vip", "member 203.0.113.11/32", UNKNOWN),
    ("vip", "member 203.0.113.11 weight", INCOMPLETE),
    ("vip", "member 203.0.113.11 weight 0", UNKNOWN),
    ("vip", "member 203.0.113.11 weight 256", UNKNOWN),
    ("vip", "member 203.0.113.11 interface", INCOMPLETE),
    ("vip", "member 203.0.113.11 interface 0123456789abcdef", r"% an interface"),
    ("vip", "member fe80::1 interface eth\u00e9", r"% an interface"),
    ("vip", "member fe80::1", r"interface"),
    ("vip", "member 203.0.113.11 probe", INCOMPLETE),
    ("vip", "member 203.0.113.11 probe a/b", r"[Nn]ame"),
    ("vip", "member 203.0.113.11 nosuch 1", UNKNOWN),
    ("vip", "member 203.0.113.11 weight 1 weight 2", UNKNOWN),
    ("vip", "member 0.0.0.0", r"0\.0\.0\.0"),
    ("vip", "member 224.0.0.1", r"224\.0\.0\.1"),
    ("vip", "member ff02::1", r"ff02::1"),
    ("vip", "member ::", r"::"),
    ("vip", "no member", INCOMPLETE),
    ("vip", "address", INCOMPLETE),
    ("vip", "address www", UNKNOWN),
    ("vip", "address 192.0.2.9/32", UNKNOWN),
    ("vip", "address 192.0.2.256", UNKNOWN),
    ("vip", "address 0.0.0.0", r"0\.0\.0\.0"),
    ("vip", "address 127.0.0.1", r"127\.0\.0\.1"),
    ("vip", "address 224.0.0.1", r"224\.0\.0\.1"),
    ("vip", "address 255.255.255.255", r"255\.255\.255\.255"),
    ("vip", "address ::", r"::"),
    ("vip", "address ::1", r"::1"),
    ("vip", "address ff02::1", r"ff02::1"),
    ("vip", "address fe80::1", r"fe80::1"),
    ("vip", "no address", INCOMPLETE),
]

BAD_SHOW = [
    ("show cluster", INCOMPLETE),
    ("show cluster nosuch", UNKNOWN),
    ("show cluster vip www json json", UNKNOWN),
    ("show cluster probe web nosuch", UNKNOWN),
    ("show cluster summary nosuch", UNKNOWN),
]

SECTION = {"probe": "cluster probe web", "vip": "cluster vip www"}
