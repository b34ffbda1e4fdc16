# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Configuration of the documentation site; scripts/docs builds it."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import charmie_dynamics  # noqa: E402

project = "charmie_dynamics"
copyright = "CHARMIE dynamics maintainers, Apache-2.0"
version = release = charmie_dynamics.__version__
extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx-mathjax-offline",  # formulas are also readable without a network
]
rosdoc2_settings = {"allow_other_extensions": True}  # of rosdoc2.yaml
exclude_patterns = ["*.in.md"]  # templates of the pages beside them

html_theme = "furo"
html_title = "charmie_dynamics"
html_static_path = ["style"]
html_css_files = ["site.css"]

myst_heading_anchors = 4
myst_enable_extensions = ["dollarmath"]

# docstrings state types, shapes and units, signatures the names and defaults
autodoc_typehints = "none"
autodoc_member_order = "bysource"
smartquotes = False  # they would turn --option into a dash
default_role = "py:obj"
numpydoc_show_class_members = False  # autodoc shows them
