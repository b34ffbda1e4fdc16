# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The benchmark of robots on a floor: its tables, and that its errors are those of the steps."""

from __future__ import annotations

from functools import partial

from benchmarks import contact_report
from benchmarks.contact_batches import BatchCost
from benchmarks.contact_cases import DURATION, athena
from benchmarks.contact_speed import (
    OURS,
    OWN,
    SPRING,
    THEIRS,
    USUAL,
    ContactCosts,
    Row,
    Subject,
    plant_run,
)
from benchmarks.contact_steps import METHODS, StiffFoot


def cells(line: str) -> list[str]:
    return line.strip("| ").split(" | ")


def row(program: str, contact: str, steps: int, error: float, real_times: float) -> Row:
    return Row(Subject(program, contact, "rk4", steps), error, DURATION / real_times)


def test_times_stand_beside_those_of_ours_that_are_as_exact() -> None:
    rows = (
        row(OURS, OWN, 1, 2e-4, 50.0),
        row(OURS, OWN, 2, 5e-5, 24.0),
        row(OURS, SPRING, 1, 1e-5, 40.0),
        row(THEIRS, SPRING, 1, 9.5e-6, 20.0),
        row(THEIRS, USUAL, 1, 1.0, 90.0),
        row(THEIRS, USUAL, 2, 5e-6, 10.0),
        Row(Subject(THEIRS, USUAL, "Euler", 4), reason="no MuJoCo"),
    )
    costs = ContactCosts("athena", rows, 2e-6)
    _, _, *lines = contact_report.speed_table([costs]).splitlines()
    table = [cells(line) for line in lines]
    assert table[0][4:7] == ["1", "2e+02", "50.0"]
    assert table[1][4:7] == ["0.5", "50", "24.0 (at least 20: met)"]
    assert table[3][7] == "2.0 (at least 1: met)"
    assert table[4][5:] == ["another motion", "90.0", "-"]
    assert table[5][7] == "-"
    assert "not timed: no MuJoCo" in lines[6]
    assert lines[-1].endswith("never more than 2 um apart.")
    assert not costs.complete


def test_tables_of_feet_and_batches_have_a_row_for_each() -> None:
    by_method = partial(dict.fromkeys, METHODS)
    foot = StiffFoot("nylon", 2e9, 4e8, 9e-6, by_method(2e-4), by_method(1e-6), by_method(12.0))
    line = cells(contact_report.steps_table([foot]).splitlines()[-1])
    assert line == ["nylon", "2000", "4.0e+08", "9", *["0.2", "1", "12.0"] * 2]
    cost = BatchCost("athena", 64, 30.0, {1: 1.0, 2: 1.9}, {1: 1.0, 2: 1.02}, 0.01)
    line = cells(contact_report.batches_table([cost]).splitlines()[-1])
    assert line == ["athena", "64", "30.0", "1.90", "1.02", "1.0 %"]


def test_a_shorter_step_brings_the_hexapod_nearer_to_where_it_walks() -> None:
    case = athena()
    servo = case.servo.first(40)
    fine, middle, coarse = (
        plant_run(case.spring_world, servo, "rk4", steps)().base for steps in (16, 4, 1)
    )
    assert abs(middle - fine).max() < abs(coarse - fine).max() < 1e-5
