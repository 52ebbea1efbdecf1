# SPDX-License-Identifier: GPL-2.0-or-later
"""
FRR's topotest framework, unmodified, with clusterd added.

The framework comes from the FRR source that the daemon was built against
($CLUSTER_BUILD/frr-src), the FRR daemons from the installed package, clusterd
and vtysh from $CLUSTER_BUILD/stage; with $CLUSTER_ASAN the clusterd that has
the sanitizers.  Only differences between FRR and "FRR plus clusterd" are
bridged here; what tests share is in lib_cluster.py.

Start it by topotests/run, which makes the namespaces: this file relies on a
private /tmp.
"""

import importlib.util
import io
import os
import shutil
import sys
import tempfile
import time

BUILD = os.environ["CLUSTER_BUILD"]
FRAMEWORK = os.path.join(BUILD, "frr-src", "tests", "topotests")
STAGE = os.path.join(BUILD, "stage")
CLUSTERD = os.path.join(STAGE, "usr", "lib", "frr", "clusterd")
if os.environ.get("CLUSTER_ASAN"):
    CLUSTERD = os.path.join(BUILD, "asan", "clusterd", "clusterd")
VTYSH = os.path.join(STAGE, "usr", "lib", "frr-clusterd", "vtysh")
PACKAGED = "/usr/lib/frr"

sys.path.insert(0, FRAMEWORK)
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

# pylint: disable=wrong-import-position
from lib import topogen, topotest  # noqa: E402


def _merged_daemon_folder():
    """The packaged daemons and clusterd in one folder, as installed."""
    folder = tempfile.mkdtemp(prefix="frr-daemons-")
    os.chmod(folder, 0o755)
    for name in os.listdir(PACKAGED):
        os.symlink(os.path.join(PACKAGED, name), os.path.join(folder, name))
    # Copies: a build that goes on beside the tests doesn't change them.
    for path in (
        CLUSTERD,
        os.path.join(os.path.dirname(CLUSTERD), "clusterd-launch"),
        VTYSH,
    ):
        if not os.path.exists(path):
            sys.exit("{} is missing; tools/build makes it".format(path))
        shutil.copy2(path, folder)
    return folder


def _wrap(cls, name, after):
    """Call after(self, result) behind the method cls.name."""
    method = getattr(cls, name)

    def wrapper(self, *args, **kwargs):
        return after(self, method(self, *args, **kwargs), args)

    setattr(cls, name, wrapper)


# The framework's own check wants daemons that Debian doesn't package (pim6d)
# and looks for kernel modules, which a monolithic kernel doesn't list.
def _diagnose_env(rundir):
    os.makedirs(rundir, exist_ok=True)
    return True


topogen.diagnose_env_linux = _diagnose_env
if not os.path.exists("/proc/modules"):
    topotest.module_present = lambda module, load=True: True


def _only_network(setter):
    """
    The framework sets core patterns and limits of the whole machine; only
    what belongs to our network namespace may change.
    """

    def wrapper(commander, variable, *args, **kwargs):
        if variable.startswith("net."):
            return setter(commander, variable, *args, **kwargs)
        return None

    return wrapper


topotest.sysctl_atleast = _only_network(topotest.sysctl_atleast)
topotest.sysctl_assure = _only_network(topotest.sysctl_assure)

# FRR 10's gives a daemon 10 s to start: not enough on a busy machine.
if hasattr(topotest, "Timeout"):
    _timeout = topotest.Timeout
    topotest.Timeout = lambda seconds: _timeout(max(seconds, 60))


def _await_namespaces(parent, process):
    """
    FRR 10 starts the process that holds a node's namespaces from within the
    topology's, and takes it for ready when it is in others than pytest: that
    may still be the topology's, and the node's mounts and host name would
    end up there.
    """
    outer = {_mount_namespace("self"), _mount_namespace(getattr(parent, "pid", None))}
    deadline = time.monotonic() + 30
    while process.poll() is None and time.monotonic() < deadline:
        if _mount_namespace(process.pid) not in outer:
            return
        time.sleep(0.01)


def _mount_namespace(pid):
    try:
        return os.readlink("/proc/{}/ns/mnt".format(pid))
    except OSError:
        return None


try:
    from munet.base import Commander

    def _popen(self, cmd, **kwargs):
        process = _munet_popen(self, cmd, **kwargs)
        if isinstance(cmd, list) and any("--unshare-flags" in str(a) for a in cmd):
            _await_namespaces(self, process)
        return process

    _munet_popen = Commander.popen
    Commander.popen = _popen
except ImportError:
    pass  # FRR 8 has no munet

# Daemons that the framework doesn't know.  fabricd is the one whose route
# type we use.
topogen.TopoRouter.RD_CLUSTER = 184
topogen.TopoRouter.RD_FABRIC = 185
topogen.TopoRouter.RD[topogen.TopoRouter.RD_CLUSTER] = "clusterd"
topogen.TopoRouter.RD[topogen.TopoRouter.RD_FABRIC] = "fabricd"

# SNMP isn't tested, and a folder /etc/snmp would be left on the machine.
topogen.TopoRouter.PRIVATE_DIRS = [
    folder for folder in topogen.TopoRouter.PRIVATE_DIRS if folder != "/etc/snmp"
]

DAEMONS = _merged_daemon_folder()


def _router_made(router, result, _args):
    router.daemons["clusterd"] = 0
    router.daemons["fabricd"] = 0
    return result


def _router_configured(router, result, _args):
    router.daemondir = DAEMONS
    return result


def _gear_made(gear, result, _args):
    gear.net.cmd_raises("mount --bind {}/vtysh /usr/bin/vtysh".format(DAEMONS))
    return result


# 10.x waits until a daemon named Xd appears as X among zebra's clients; we
# are there under our route type.
def _command_run(_router, result, args):
    if args and "show zebra client summary" in str(args[0]):
        if "openfabric" in result:
            result += "\ncluster\nfabric\n"
    return result


_wrap(topotest.Router, "__init__", _router_made)
_wrap(topotest.Router, "_config_frr", _router_configured)
_wrap(topotest.Router, "cmd", _command_run)
_wrap(topogen.TopoRouter, "__init__", _gear_made)

# FRR's conftest.py: its options, hooks and fixtures become ours.
_spec = importlib.util.spec_from_file_location(
    "frr_topotest_conftest", os.path.join(FRAMEWORK, "conftest.py")
)
_frr = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_frr)
# It ends whatever an earlier run left on the machine; our namespaces leave
# nothing, and the machine is not ours.
_frr.cleanup_previous = lambda: None


# It reads the daemons' logs as ASCII; commands with other characters, which
# the tests type, are logged.
def _open_log(path, mode="r", **kwargs):
    if kwargs.get("encoding") == "ascii":
        kwargs.update(encoding="utf-8", errors="replace")
    return io.open(path, mode, **kwargs)


_frr.open = _open_log
globals().update(
    {name: obj for name, obj in vars(_frr).items() if not name.startswith("__")}
)
