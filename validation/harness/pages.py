# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Pages of docs/ with contents that are computed: from a template, or between two comments."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
IMAGES = DOCS / "images"
REFERENCE = DOCS / "reference"
DETAILS = DOCS.parent / "build" / "reports"  # complete tables, of which pages have a part
PLACE = re.compile(r"\{\{(.*?)\}\}")


def template(page: str) -> Path:
    """Return the template of a page, which stands beside it."""
    return DOCS / f"{page}.in.md"


def places(page: str) -> set[str]:
    """Return the names of the places in the template of a page."""
    return set(PLACE.findall(template(page).read_text(encoding="utf-8")))


def fill(page: str, sections: Mapping[str, str]) -> str:
    """Return the text of a page: its template with each ``{{name}}`` replaced.

    Raises
    ------
    ValueError
        If the template lacks a place for a section, or has one without.
    """
    text = template(page).read_text(encoding="utf-8")
    if differences := places(page) ^ set(sections):
        raise ValueError(
            f"{template(page).name}: places and sections differ: {sorted(differences)}"
        )
    return PLACE.sub(lambda found: sections[found[1]], text)


def between(text: str, name: str, content: str) -> str:
    """Return a text with other content between ``<!-- name: ... -->`` and ``<!-- end of name -->``.

    Raises
    ------
    ValueError
        If it does not have both comments once.
    """
    mark = re.escape(name)
    place = re.compile(rf"(<!-- {mark}(?:: [^>]*)? -->).*?(<!-- end of {mark} -->)", re.DOTALL)
    text, count = place.subn(lambda found: f"{found[1]}\n\n{content}\n\n{found[2]}", text)
    if count != 1:
        raise ValueError(f"'{name}': expected one place with its two comments, found {count}")
    return text


def kept(page: str, name: str) -> str:
    """Return what a page has between two comments; nothing if there are none."""
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    found = re.search(rf"<!-- {name} -->(.*)<!-- end of {name} -->", text, re.DOTALL)
    return found[1].strip() if found else ""


def renew(page: str, sections: Mapping[str, str], inline: Mapping[str, str] | None = None) -> str:
    """Return the text of a page with some of its sections, and the others as the page has them.

    Each section is between two comments, which name it; texts inside a line are not.

    Raises
    ------
    ValueError
        If the template lacks a place for a section, or the page has no text for another place.
    """
    names, inside = places(page), inline or {}
    texts = {name: kept(page, name) for name in names.difference(sections, inside)}
    texts |= {**sections, **inside}
    if wrong := sorted(set(texts) - names | {name for name in names if not texts[name]}):
        raise ValueError(f"{template(page).name}: places and sections differ: {wrong}")
    text = template(page).read_text(encoding="utf-8")

    def marked(found: re.Match[str]) -> str:
        name = found[1]
        if name in inside:
            return texts[name]
        return f"<!-- {name} -->\n\n{texts[name]}\n\n<!-- end of {name} -->"

    return PLACE.sub(marked, text)
