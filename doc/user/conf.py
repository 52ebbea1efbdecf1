# SPDX-License-Identifier: GPL-2.0-or-later
"""Sphinx configuration of the user manual (FRR's directives: clicmd)."""

project = "frr-clusterd"
copyright = "the frr-clusterd authors"
master_doc = "index"
source_suffix = ".rst"
extensions = []
html_theme = "alabaster"
highlight_language = "none"


def setup(app):
    """FRR's manual marks every command with this directive."""
    app.add_object_type(
        "clicmd", "clicmd", indextemplate="pair: %s; configuration command"
    )
