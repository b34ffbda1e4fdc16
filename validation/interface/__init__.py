# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The tables of the reference, made from the tables in the code.

``python -m validation --only reference`` writes them into the pages of ``docs/reference``, each
between two comments. Tables that need ROS 2 are unchanged without it; ``scripts/docs --write``
writes all. `sections` lists the tables and their pages.
"""

from __future__ import annotations

from importlib.util import find_spec

from validation.harness.pages import between
from validation.harness.run import Evidence


def make() -> Evidence:
    """Return the pages."""
    from .sections import SECTIONS

    has_ros = find_spec("rclpy") is not None
    texts: dict[str, str] = {}
    for section in SECTIONS:
        page = f"reference/{section.page}"
        texts.setdefault(page, section.path.read_text(encoding="utf-8"))
        if has_ros or not section.needs_ros:
            texts[page] = between(texts[page], section.name, section.make())
    return Evidence(texts)
