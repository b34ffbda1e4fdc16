# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Pages of the documentation whose figures are measured: a text with places for tables."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1] / "docs"


def write(template: str, page: str, sections: Mapping[str, str]) -> None:
    """Write a page of docs/ from the template beside it, see `fill`."""
    text = (DOCS / template).read_text(encoding="utf-8")
    (DOCS / page).write_text(fill(template, text, sections), encoding="utf-8")


def fill(name: str, text: str, sections: Mapping[str, str]) -> str:
    """Return the text of a template with each ``{{name}}`` replaced.

    Raises
    ------
    ValueError
        If the template, whose name is given for messages, lacks a place for a section, or has
        one without.
    """
    result = text
    for section, content in sections.items():
        place = f"{{{{{section}}}}}"
        if place not in text:
            raise ValueError(f"{name}: expected a place {place} for the section '{section}'")
        result = result.replace(place, content)
    if "{{" in result:
        raise ValueError(f"{name}: a place without section; expected only {sorted(sections)}")
    return result
