# SPDX-License-Identifier: GPL-2.0-or-later
"""Sphinx configuration of the user manual (FRR's directives: clicmd)."""

from pygments.lexers.special import TextLexer
from sphinx import addnodes
from sphinx.directives import ObjectDescription
from sphinx.util.nodes import make_id

project = "frr-clusterd"
copyright = "the frr-clusterd authors"
master_doc = "index"
source_suffix = ".rst"
extensions = []
html_theme = "alabaster"
highlight_language = "none"


class Command(ObjectDescription):
    """
    A command: an entry of the index.  No object of Sphinx's, whose names must be unique in the manual: several sections have
    commands of the same name.
    """

    def handle_signature(self, sig, signode):
        """Shown as it is."""
        signode += addnodes.desc_name(sig, sig)
        return sig

    def add_target_and_index(self, name, sig, signode):
        """A place that the index and links can lead to."""
        node_id = make_id(self.env, self.state.document, self.objtype, name)
        signode["ids"].append(node_id)
        self.state.document.note_explicit_target(signode)
        entry = ("pair", f"{name}; configuration command", node_id, "", None)
        self.indexnode["entries"].append(entry)


def setup(app):
    """FRR's manual marks every command with clicmd, configurations with frr."""
    app.add_lexer("frr", TextLexer)
    app.add_directive("clicmd", Command)
