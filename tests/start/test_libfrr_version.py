#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
clusterd refuses a libfrr of another upstream version, before anything else.

The libfrr is a copy of the installed one in which every mention of its version
is another one of the same length; the dynamic linker finds it first. An
unchanged copy is the control: with it the same daemon starts.
"""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

CLUSTERD = pathlib.Path(os.environ.get("CLUSTERD", "clusterd/clusterd")).resolve()


def linked_libfrr():
    "The libfrr that the daemon runs with."
    out = subprocess.run(["ldd", CLUSTERD], check=True, capture_output=True, text=True)
    return pathlib.Path(re.search(r"libfrr\.so\S* => (\S+)", out.stdout)[1])


def with_version(binary, old, new):
    "The same file in which strings of C that end in `old` end in `new`."
    assert len(old) == len(new)
    # A linker may merge a string with the end of another one.
    changed, count = re.subn(rb"(?<![0-9.])" + re.escape(old) + rb"(?=\0)", new, binary)
    assert count, "libfrr doesn't name its version"
    return changed


class OtherLibfrr(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.libfrr = linked_libfrr()
        self.version = self.ask(self.libfrr.read_bytes(), "--version").stdout.split()[2]

    def ask(self, libfrr, *options):
        "Runs clusterd with these bytes as its libfrr."
        (self.folder / self.libfrr.name).write_bytes(libfrr)
        return subprocess.run(
            [CLUSTERD, *options],
            env={"PATH": "/usr/bin:/bin", "LD_LIBRARY_PATH": str(self.folder)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def other(self):
        "A version of the same length: another last digit."
        digit = (int(self.version[-1]) + 1) % 10
        return self.version[:-1] + str(digit)

    def changed(self):
        return with_version(
            self.libfrr.read_bytes(), self.version.encode(), self.other().encode()
        )

    def test_same(self):
        "The control: a copy of the right one is taken."
        answer = self.ask(self.libfrr.read_bytes(), "--version")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertEqual(answer.stderr, "")
        self.assertIn("clusterd version " + self.version, answer.stdout)

    def test_other(self):
        "Refused in one line that says what to do, whatever the options are."
        for options in (
            ["--version"],
            ["--log", "stdout", "-z", str(self.folder / "none")],
        ):
            answer = self.ask(self.changed(), *options)
            self.assertEqual(answer.returncode, 1, answer)
            self.assertEqual(answer.stdout, "")
            self.assertEqual(
                answer.stderr,
                f"clusterd was built for FRR {self.version}, but libfrr here is "
                f"{self.other()}: install the frr-clusterd package that belongs to "
                "this FRR, or build it again\n",
            )


if __name__ == "__main__":
    unittest.main()
