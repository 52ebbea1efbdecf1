# SPDX-License-Identifier: GPL-2.0-or-later
"""What our YANG modules define, read from their files."""

import os
import re

YANG = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "yang")
TOKEN = re.compile(
    r'"(?:[^"\\]|\\.)*"|\'[^\']*\'|//[^\n]*|/\*.*?\*/|[{};]|[^\s{};"\']+', re.S
)
DATA = ("container", "list", "leaf", "leaf-list")


def statements(tokens):
    "Up to the closing brace: [(keyword, argument, statements)]."
    found = []
    for keyword in tokens:
        if keyword == "}":
            break
        words = []
        token = next(tokens)
        while token not in ("{", ";"):
            words.append(token)
            token = next(tokens)
        inner = statements(tokens) if token == "{" else []
        found.append((keyword, " ".join(words), inner))
    return found


def nodes(module):
    "Of a module without submodules: {path of data node: (keyword, configuration?)}."
    with open(os.path.join(YANG, module + ".yang"), encoding="utf-8") as file:
        tokens = [t for t in TOKEN.findall(file.read()) if t[:2] not in ("//", "/*")]
    ((_, _, body),) = statements(iter(tokens))
    groupings = {name: inner for key, name, inner in body if key == "grouping"}
    found = {}

    def walk(body, path, config):
        for key, name, inner in body:
            if key == "uses":
                walk(groupings[name], path, config)
            if key not in DATA:
                continue
            here = config and ("config", "false", []) not in inner
            found[path + "/" + name] = (key, here)
            walk(inner, path + "/" + name, here)

    walk(body, "", True)
    return found


def leaf_name(field):
    "A field of our JSON as YANG writes it: units are told by the module."
    name = re.sub("[A-Z]", lambda letter: "-" + letter[0].lower(), field)
    return re.sub("-(msec|usec)$", "", name)
