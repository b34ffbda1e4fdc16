# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Links between the pages, to their parts and to files of the repository lead somewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    *(ROOT / "README.md", ROOT / "CONTRIBUTING.md"),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "examples").rglob("*.md")),
]
FENCE = re.compile(r"^ *```.*?^ *```$", re.DOTALL | re.MULTILINE)


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def text_of(page: Path) -> str:
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def links(text: str) -> Iterator[str]:
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", text)):
        if not re.match(r"\w+:", target):
            yield unquote(target)


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub and the site make of the headings of a page."""
    if named(page) == "docs/contributing.md":
        page = ROOT / "CONTRIBUTING.md"
    found = re.findall(r"^#+ (.*)$", text_of(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    for target in links(text_of(page)):
        path, _, part = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        is_line = re.fullmatch(r"L\d+", part)
        if not file.exists() or (part and not is_line and part not in anchors(file)):
            broken.append(target)
    assert broken == []


def test_every_page_can_be_reached_from_the_front() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^[\w/]+$", index, re.MULTILINE))
    pages = {p.relative_to(ROOT / "docs").as_posix() for p in (ROOT / "docs").rglob("*.md")}
    expected = {page.removesuffix(".md") for page in pages if not page.endswith(".in.md")}
    assert listed == expected - {"index"}


def test_topics_of_the_graph_are_those_of_the_reference() -> None:
    reference = (ROOT / "docs/reference/topics.md").read_text(encoding="utf-8")
    rows = [row for row in text_of(ROOT / "docs/graph.md").splitlines() if row.startswith("| `")]
    names = [name for row in rows for name in re.findall(r"`([^`]+)`", row.split("|", 2)[2])]
    known = {name.replace("NAME", "left") for name in names if not name.endswith("...")}
    assert len(rows) > 5 and known
    assert {name for name in known if f"`{name}`" not in reference} == set()
