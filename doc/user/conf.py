# SPDX-License-Identifier: GPL-2.0-or-later
"""Sphinx configuration of the user manual (FRR's directives: clicmd)."""

from pygments.lexers.special import TextLexer

project = "frr-clusterd"
copyright = "the frr-clusterd authors"
master_doc = "index"
source_suffix = ".rst"
extensions = []
html_theme = "alabaster"
highlight_language = "none"


def setup(app):
    """FRR's manual marks every command with clicmd, configurations with frr."""
    app.add_lexer("frr", TextLexer)
    app.add_object_type(
        "clicmd", "clicmd", indextemplate="pair: %s; configuration command"
    )
