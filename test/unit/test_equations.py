# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""docs/equations.md says where in the code each equation stands, and which test guards it."""

from __future__ import annotations

import re

from validation.equations import (
    ROOT,
    document,
    scan,
    scan_contact,
)
from validation.harness.pages import DOCS

PAGE = DOCS / "equations.md"
GUARD = re.compile(r"`(test/[\w/]+\.py)::(\w+)`")


def test_document_is_up_to_date() -> None:
    hint = "run: python -m validation --only equations"
    assert PAGE.read_text(encoding="utf-8") == document(), hint


def rows_of(heading: str) -> dict[int, str]:
    """Return the rows of the table below a heading of the page, by the number of the equation."""
    section = PAGE.read_text(encoding="utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return {int(number): row for number, row in re.findall(r"^\| (\d+) (\|.*)$", section, re.M)}


def test_every_equation_of_the_papers_has_a_row_with_a_place_or_a_reason() -> None:
    multibody, kinematics = rows_of("Multibody paper"), rows_of("Forward kinematics paper")
    assert list(multibody) == list(range(1, 44))
    assert list(kinematics) == list(range(1, 26))
    assert set(range(23, 33)) <= set(rows_of("Structural paper"))
    assert set(range(37, 51)) <= set(rows_of("Contact paper"))
    for row in multibody.values():
        assert "](../charmie_dynamics/" in row or "not used: a number of the robot" in row
    assert {int(row.strip("| ")) for row in kinematics.values()} <= set(multibody)


def test_every_reference_leads_to_a_line_that_names_its_equation() -> None:
    for number, places in [
        *(*scan().items(), *scan(structural=True).items(), *scan_contact().items())
    ]:
        for file, line in places:
            text = (ROOT / file).read_text(encoding="utf-8").splitlines()[line - 1]
            assert "eq." in text.lower(), f"eq. {number}: {file}:{line}: {text}"


def test_every_misprint_is_guarded_by_a_test_that_exists() -> None:
    sections = document().split("## Misprints, and what holds")[1].split("\n### ")[1:]
    assert len(sections) >= 11
    for section in sections:
        guards = GUARD.findall(section)
        assert guards, f"no test is named in: {section.splitlines()[0]}"
        for file, name in guards:
            assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8"), f"{file}::{name}"
