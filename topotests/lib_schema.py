# SPDX-License-Identifier: GPL-2.0-or-later
"""What our YANG modules define, read from their files."""

import functools
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


@functools.lru_cache(maxsize=None)
def body_of(module):
    "The statements of a module and its submodules."
    with open(os.path.join(YANG, module + ".yang"), encoding="utf-8") as file:
        tokens = [t for t in TOKEN.findall(file.read()) if t[:2] not in ("//", "/*")]
    ((_, _, body),) = statements(iter(tokens))
    return body + [
        statement
        for key, name, _ in body
        if key == "include"
        for statement in body_of(name)
    ]


def named(body, keyword):
    "Statements of a kind by their names."
    return {name: inner for key, name, inner in body if key == keyword}


def walk(module, inside=DATA):
    """
    (path, keyword, configuration?, statements) of each data node of a module;
    `inside`: keywords of what is gone into at the top.
    """
    top = body_of(module)
    groupings = named(top, "grouping")

    def below(body, path, config, keywords):
        for key, name, inner in body:
            if key == "uses":
                yield from below(groupings[name], path, config, DATA)
            if key not in keywords:
                continue
            here = config and ("config", "false", []) not in inner
            yield path + "/" + name, key, here, inner
            yield from below(inner, path + "/" + name, here, DATA)

    return below(top, "", True, inside)


def nodes(module):
    "Of a module: {path of data node: (keyword, configuration?)}."
    return {path: (key, config) for path, key, config, _ in walk(module)}


def notifications(module):
    "Of a module: {name: its leaves}."
    found = {}
    for path, key, _, _ in walk(module, ("notification",)):
        name, _, leaf = path[1:].partition("/")
        found.setdefault(name, [])
        found[name] += [leaf] if key == "leaf" else []
    return found


def enumerations(module):
    """
    Of what a module tells, operational data and notifications: {path of leaf:
    its values}.
    """
    found = {}
    for path, key, config, inner in walk(module, DATA + ("notification",)):
        told = not config or path.split("/")[1] in notifications(module)
        (kind,) = [s for s in inner if s[0] == "type"] if key == "leaf" else (None,)
        # Prefixes of our modules are their names.
        types = named(body_of(module), "typedef")
        while kind and (kind[1] in types or kind[1].startswith("frr-clusterd")):
            if ":" in kind[1]:
                types = named(body_of(kind[1].partition(":")[0]), "typedef")
            (kind,) = [s for s in types[kind[1].rpartition(":")[2]] if s[0] == "type"]
        if told and kind and kind[1] == "enumeration":
            found[path] = [name for key, name, _ in kind[2] if key == "enum"]
    return found


def leaf_name(field):
    "A field of our JSON as YANG writes it: units are told by the module."
    name = re.sub("[A-Z]", lambda letter: "-" + letter[0].lower(), field)
    return re.sub("-(msec|usec)$", "", name)
