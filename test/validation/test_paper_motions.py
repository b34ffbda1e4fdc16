# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from charmie_dynamics import Model, load_model
from validation.paper_motions import (
    Differences,
    compare_5s,
    compare_20s,
    earlier_robot,
    read_samples,
    run,
)

QUANTITIES_5S = 12
QUANTITIES_20S = 6


@pytest.fixture(scope="module")
def charmie() -> Model:
    return load_model()


@pytest.fixture(scope="module")
def differences_5s(charmie: Model) -> Differences:
    samples = read_samples("motion_5s.json")
    assert len(samples) == 51
    return compare_5s(charmie, samples)


@pytest.fixture(scope="module")
def differences_20s(charmie: Model) -> Differences:
    samples = read_samples("motion_20s.json")
    assert len(samples) == 81
    return compare_20s(earlier_robot(charmie), samples)


def test_every_quantity_of_the_5s_motion_agrees(differences_5s: Differences) -> None:
    assert len(differences_5s) == QUANTITIES_5S
    assert {q: d for q, (d, limit) in differences_5s.items() if not d <= limit} == {}


def test_every_quantity_of_the_20s_motion_agrees(differences_20s: Differences) -> None:
    assert len(differences_20s) == QUANTITIES_20S
    assert {q: d for q, (d, limit) in differences_20s.items() if not d <= limit} == {}


def test_the_20s_motion_needs_the_earlier_robot(charmie: Model) -> None:
    differences = compare_20s(charmie, read_samples("motion_20s.json"))
    assert differences["positions of left_tool"][0] > 0.1
    assert differences["positions of head_top"][0] < 1e-9


@pytest.mark.parametrize(
    ("quantity", "path"),
    [
        ("positions of all frames (29)", ("frames", "left_tool", "position", 2)),
        ("rotations of all frames (29)", ("frames", "head", "rotation", 1, 0)),
        ("positions of lift and torso", ("torso_joint", 0)),
        ("velocities of lift and torso", ("lift_joint", 1)),
        ("accelerations of lift and torso", ("torso_joint", 2)),
        ("actuator efforts", ("actuator_effort", "torso_actuator")),
        ("generalised forces of the open tree", ("generalized_force", "lift_joint")),
        ("spring lengths", ("springs", "torso_spring", "length")),
        ("spring tensions", ("springs", "lift_balance_left", "tension")),
        ("force of body 2 on body 3", ("base_wrench", "force", 1)),
        ("torque of body 2 on body 3", ("base_wrench", "torque", 0)),
    ],
)
def test_one_wrong_number_is_noticed_in_its_quantity_only(
    charmie: Model, quantity: str, path: tuple[str | int, ...]
) -> None:
    samples = copy.deepcopy(read_samples("motion_5s.json")[20:22])
    field = samples[1]["expected"]
    for key in path[:-1]:
        field = field[key]
    field[path[-1]] += 1e-3
    differences = compare_5s(charmie, samples)
    assert [q for q, (d, limit) in differences.items() if d > limit] == [quantity]


def test_each_of_the_three_figures_is_written_and_small(tmp_path: Path) -> None:
    figures = [figure for check in run(tmp_path) for figure in check.figures]
    assert sorted(figures) == sorted(path.name for path in tmp_path.iterdir())
    assert len(figures) == 3
    assert all(10_000 < path.stat().st_size < 150_000 for path in tmp_path.iterdir())
