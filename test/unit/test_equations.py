# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""docs/equations.md says where in the code each equation stands, and which test guards it."""

from __future__ import annotations

import re

import pytest

from validation.equations import (
    ROOT,
    document,
    numbers_of,
    references,
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
    for row in (*multibody.values(), *kinematics.values()):
        assert "](../charmie_dynamics/" in row or "not used: a number of the robot" in row


def test_every_reference_leads_to_a_line_that_names_its_equation() -> None:
    for number, places in [
        *(*scan().items(), *scan(structural=True).items(), *scan_contact().items())
    ]:
        for file, line in places:
            text = (ROOT / file).read_text(encoding="utf-8").splitlines()[line - 1]
            assert "eq." in text.lower(), f"eq. {number}: {file}:{line}: {text}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("20", [20]),
        ("13 and 14", [13, 14]),
        ("7 to 9", [7, 8, 9]),
        ("36, 38, 42 and 43", [36, 38, 42, 43]),
        ("1, 3 to 5 and 9", [1, 3, 4, 5, 9]),
    ],
)
def test_numbers_of_a_reference(text: str, expected: list[int]) -> None:
    assert numbers_of(text) == expected


def test_references_are_found_in_comments_and_docstrings_of_functions() -> None:
    source = '''"""All of it (eq. 1 to 43)."""
x = 1  # eq. 2
# printed otherwise, see eq. 3,
# 4 and 5
def f():
    """Eq. 6.

    Also (eq. 7
    and 8).
    """
    return "eq. 9"
'''
    expected = [(2, 2), (3, 3), (4, 3), (5, 3), (6, 6), (7, 8), (8, 8)]
    assert sorted(references(source)) == expected


def test_every_misprint_is_guarded_by_a_test_that_exists() -> None:
    sections = document().split("## Misprints, and what holds")[1].split("\n### ")[1:]
    assert len(sections) >= 11
    for section in sections:
        guards = GUARD.findall(section)
        assert guards, f"no test is named in: {section.splitlines()[0]}"
        for file, name in guards:
            assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8"), f"{file}::{name}"
