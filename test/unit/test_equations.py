# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""docs/validation.md says where in the code each equation stands, and which test guards it."""

from __future__ import annotations

import re

from validation.equations import (
    ROOT,
    document,
    numbers_of,
    scan,
    scan_contact,
)
from validation.harness.pages import DOCS

PAGE = DOCS / "validation.md"
GUARD = re.compile(r"`([\w/]+\.py)::(\w+)`")


def test_document_is_up_to_date() -> None:
    hint = "run: python -m validation --only equations"
    assert PAGE.read_text(encoding="utf-8") == document(), hint


def numbers(heading: str, column: int = 0) -> list[int]:
    """Return the equations in a column of the table below a heading of the page."""
    section = PAGE.read_text(encoding="utf-8").split(f"\n### {heading}\n")[1].split("\n##")[0]
    rows = [line.split("|")[1:] for line in section.splitlines() if re.match(r"\| \d", line)]
    assert rows and all(
        "](../charmie_dynamics/" in row[-2] or "not used" in row[-2] for row in rows
    )
    cells = [row[column].strip() for row in rows]
    return sorted(number for cell in cells if cell for number in numbers_of(cell))


def test_every_equation_of_the_papers_has_a_row_with_a_place_or_a_reason() -> None:
    papers = "Multibody and forward kinematics papers"
    assert numbers(papers) == list(range(1, 44))
    assert numbers(papers, 1) == list(range(1, 26))
    assert set(range(23, 33)) <= set(numbers("Structural paper"))
    assert set(range(37, 51)) <= set(numbers("Contact paper"))


def test_every_reference_leads_to_a_line_that_names_its_equation() -> None:
    for number, places in [
        *(*scan().items(), *scan(structural=True).items(), *scan_contact().items())
    ]:
        for file, line in places:
            text = (ROOT / file).read_text(encoding="utf-8").splitlines()[line - 1]
            assert "eq." in text.lower(), f"eq. {number}: {file}:{line}: {text}"


def test_every_misprint_is_guarded_by_a_test_that_exists() -> None:
    section = document().split("## Misprints, and what holds")[1]
    rows = [line for line in section.splitlines() if line.startswith("|")][2:]
    assert len(rows) >= 11
    for row in rows:
        guards = GUARD.findall(row)
        assert guards, f"no test is named in: {row}"
        for file, name in guards:
            text = (ROOT / "test" / "unit" / file).read_text(encoding="utf-8")
            assert f"def {name}(" in text, f"{file}::{name}"
