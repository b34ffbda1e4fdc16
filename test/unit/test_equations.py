# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""docs/equations.md says where in the code each equation stands, and which test guards it."""

from __future__ import annotations

import re

import pytest

from validation.equation_list import (
    CONTACT,
    FORWARD_KINEMATICS,
    MULTIBODY,
    NOT_USED,
    STRUCTURAL,
)
from validation.equations import (
    DOCUMENT,
    ROOT,
    document,
    numbers_of,
    references,
    scan,
    scan_contact,
)

GUARD = re.compile(r"`(test/[\w/]+\.py)::(\w+)`")


def test_document_is_up_to_date() -> None:
    hint = "run: python -m validation.equations"
    assert DOCUMENT.read_text(encoding="utf-8") == document(), hint


def test_every_equation_of_the_multibody_paper_is_in_the_code_or_not_used_for_a_reason() -> None:
    found = scan()
    assert list(MULTIBODY) == list(range(1, 44))
    assert set(found) | set(NOT_USED) == set(MULTIBODY)
    assert not set(found) & set(NOT_USED)
    assert all(len(reason) > 10 for reason in NOT_USED.values())


def test_every_equation_of_the_forward_kinematics_paper_has_one_in_the_code() -> None:
    found = scan()
    assert list(FORWARD_KINEMATICS) == list(range(1, 26))
    assert {counterpart for _, counterpart in FORWARD_KINEMATICS.values()} <= set(found)


def test_every_coefficient_of_the_structural_paper_is_in_the_code() -> None:
    assert set(range(23, 33)) <= set(STRUCTURAL)
    assert set(scan(structural=True)) == set(STRUCTURAL)


def test_every_law_of_the_contact_paper_is_in_the_code() -> None:
    assert list(CONTACT) == list(range(28, 51))
    assert set(range(37, 51)) <= set(scan_contact()) <= set(CONTACT)


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
