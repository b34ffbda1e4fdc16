# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The tables of symbolic equations say what was found, and time nothing that differs."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks import symbolic
from charmie_dynamics import Model
from charmie_dynamics.symbolic import METHODS, derive

DOCS = Path(__file__).resolve().parents[3] / "docs"


def test_a_derivation_is_timed_and_held_against_the_kernels() -> None:
    record = symbolic.derive_once("2 joints", "christoffel", "sympy")
    operations = derive(symbolic.load("2 joints"), "christoffel", engine="sympy").operations
    assert record["operations"] == list(operations)
    assert record["seconds"] > 0.0
    assert record["difference"] < symbolic.TOLERANCE


def test_a_wrong_function_differs(robot_of: Callable[[str], Model]) -> None:
    model = robot_of("scara")
    compute = symbolic.plain(derive(model, "christoffel"))

    def wrong(*state: Any) -> Any:
        mass_matrix, coriolis_matrix, gravity = compute(*state)
        return mass_matrix, 1.001 * coriolis_matrix, gravity

    states = symbolic.draw_states(model)
    assert symbolic.difference(compute, model, states) < symbolic.TOLERANCE
    assert symbolic.difference(wrong, model, states) == pytest.approx(1e-3)


def test_the_structural_form_in_numbers_is_a_row_that_agrees(
    robot_of: Callable[[str], Model],
) -> None:
    model = robot_of("odd")
    compute = symbolic.numeric_structural_form(model)
    assert symbolic.difference(compute, model, symbolic.draw_states(model)) < symbolic.TOLERANCE


def test_tables_have_a_row_for_each_method_and_say_what_was_given_up() -> None:
    found = {"seconds": 0.5, "operations": [3, 4, 2], "difference": 0.0}
    records: dict[Any, Any] = {
        (robot, method, engine): found
        for robot in symbolic.ROBOTS
        for method in METHODS
        for engine in symbolic.ENGINES
    }
    records["6 joints", "lagrange", "sympy"] = {}
    records["SCARA", "kane", "sympy"] = {**found, "seconds": 6.0}
    times, counts = symbolic.derivation_tables(records)
    rows = {line.split(" | ")[0].strip("| "): line for line in times.splitlines()[2:]}
    assert list(rows) == list(METHODS)
    assert rows["kane"].startswith("| kane | 6 (12) | 0.5 (1) |")
    assert rows["lagrange"].endswith("| > 300 | 0.5 (1) |")
    assert "| kane | 3 + 4 |" in counts and "| - | 3 + 4 |" in counts


def test_the_page_has_the_text_of_its_template_and_all_methods() -> None:
    template = (DOCS / symbolic.TEMPLATE).read_text(encoding="utf-8")
    page = (DOCS / symbolic.REPORT).read_text(encoding="utf-8")
    for passage in re.split(r"\{\{\w+\}\}", template):
        assert passage in page
    for method in METHODS:
        assert page.count(f"\n| {method} |") == 2
