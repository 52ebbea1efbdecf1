# SPDX-License-Identifier: GPL-2.0-or-later
"""
bgpd's module (bgp-module/): what it adjusts, and that whatever doesn't fit
leaves bgpd as it is.

    r1 (node) --- r2 (router)
"""

import glob
import os
import shutil

import pytest
import lib_cluster as cl

VIP = "192.0.2.1"
SHOW = "show bgp process-queue json"
NAME = "bgpd_clusterd.so"
MODULE = glob.glob(os.path.join(cl.STAGE, "usr/lib/*/frr/modules", NAME))[0]


def setup_module(module):
    "Start both, bgpd as it is packaged."
    cl.start(
        module,
        {"s1": ("r1", "r2"), "s2": ("r1",)},
        {"r1": ["zebra", "bgpd", "clusterd"], "r2": ["zebra", "bgpd"]},
    )


def teardown_module(_module):
    "End."
    cl.stop()


@pytest.fixture(name="net")
def fixture_net():
    "r1, r2"
    tgen = cl.usable()
    return tgen.gears["r1"], tgen.gears["r2"]


def restart(r1, r2, argument, module=MODULE):
    "Start r1's bgpd anew with the module; the VIP must be announced, and what bgpd printed is returned."
    cl.end_daemon(r1, "bgpd")
    errors = os.path.join(r1.net.logdir, r1.name, "bgpd.err")
    before = os.path.getsize(errors) if os.path.exists(errors) else 0
    folder = os.path.dirname(module)
    cl.start_daemon(r1, "bgpd", "--moduledir {} -M {}".format(folder, argument))
    cl.expect(lambda: cl.in_kernel(r2, VIP), "the VIP isn't announced")
    with open(errors, encoding="utf-8", errors="replace") as file:
        file.seek(before)
        return file.read()


def unknown(router):
    "Whether bgpd doesn't know the module's command."
    return "Unknown command" in cl.vtysh(router, SHOW)


def test_stock(net):
    "Without the option nothing of it is there."
    assert unknown(net[0]), "bgpd knows the module's command"


@pytest.mark.parametrize("argument, hold", [("clusterd", 2), ("clusterd:hold=7", 7)])
def test_adjusted(net, argument, hold):
    "An instance with a session holds for the wanted time, says so, and announces."
    restart(*net, argument)
    seen = cl.vtysh_json(net[0], SHOW)
    assert seen == {"VRF default": {"holdMsec": hold, "adjusted": True}}, seen
    said = "held {} ms instead of 50".format(hold)
    assert said in cl.log_of(net[0], "bgpd"), "the log doesn't tell"


def test_second_instance(net):
    "One that is made later is adjusted, too."
    r1, r2 = net
    restart(r1, r2, "clusterd")
    out = cl.configure(
        r1, "router bgp 65001 view other", "neighbor 198.51.100.9 remote-as 65009"
    )
    assert out == "", out

    def adjusted():
        seen = cl.vtysh_json(r1, SHOW)
        return seen["VIEW other"] == {"holdMsec": 2, "adjusted": True}, seen

    cl.expect(adjusted, "the second instance isn't adjusted")
    out = cl.configure(r1, "no router bgp 65001 view other")
    assert out == "", out
    assert cl.in_kernel(r2, VIP)[0], "the VIP is gone"


@pytest.mark.parametrize("hold", ["hold=0", "hold=50", "hold=2x", "hold=", "hald=2"])
def test_wrong_argument(net, hold):
    "bgpd starts all the same, and says what is wrong."
    said = restart(*net, "clusterd:" + hold)
    assert '"{}" is not hold=(1-49)'.format(hold) in said, said
    assert unknown(net[0]), "the module does something"


def test_built_for_another_frr(net):
    "One that was made for another libfrr does nothing, and bgpd starts."
    folder = os.path.join(os.environ["CLUSTER_BUILD"], "other-module")
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    version = cl.vtysh(net[0], "show version").split()[1].encode() + b"\0"
    with open(MODULE, "rb") as file:
        data = file.read()
    assert version in data, "no version in the module"
    other = os.path.join(folder, NAME)
    with open(other, "wb") as file:
        file.write(data.replace(version, b"9" + version[1:]))
    said = restart(*net, "clusterd", other)
    assert "was built for FRR 9" in said, said
    assert unknown(net[0]), "the module does something"
