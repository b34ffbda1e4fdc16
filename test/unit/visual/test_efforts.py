# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.image import imread

from charmie_dynamics import Model
from charmie_dynamics.errors import InputError, UnknownNameError
from charmie_dynamics.visual.pictures import EffortGroup, effort_groups, plot_efforts
from charmie_dynamics.visual.pictures.themes import LIGHT

TIME = np.linspace(0.0, 5.0, 101)
EFFORT = np.c_[np.sin(TIME), np.full(101, -2.0)]
PAIR = (EffortGroup("Pair", "N", {"a": "first", "b": "second"}),)
FIRST_LINE = np.array(to_rgb(LIGHT.lines[0]))


def line_pixels(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns that show the first line, the legend above the diagram left out."""
    image = imread(path)[..., :3]
    assert image.shape == (1000, 1600, 3)
    rows, columns = np.nonzero(np.abs(image - FIRST_LINE).max(axis=2) < 0.02)
    return rows[rows > 135], columns[rows > 135]


def test_line_runs_across_its_diagram(tmp_path: Path) -> None:
    plot_efforts(tmp_path / "e.png", TIME, ["a", "b"], EFFORT, PAIR)
    _, columns = line_pixels(tmp_path / "e.png")
    assert columns.max() - columns.min() > 1400


def test_values_that_are_not_finite_leave_a_gap(tmp_path: Path) -> None:
    effort = EFFORT.copy()
    effort[TIME > 2.5, 0] = np.nan
    plot_efforts(tmp_path / "e.png", TIME, ["a", "b"], effort, PAIR)
    _, columns = line_pixels(tmp_path / "e.png")
    assert 650 < columns.max() - columns.min() < 800


@pytest.mark.parametrize(("rating", "drawn"), [(4.5, True), (40.0, False)])
def test_rated_effort_is_a_line_where_there_is_room(
    tmp_path: Path, rating: float, drawn: bool
) -> None:
    """That is up to 2.5 times the largest value, here 4."""
    effort = 2.0 * np.abs(EFFORT)
    path = tmp_path / "e.png"
    plot_efforts(path, TIME, ["a", "b"], effort, PAIR, rated={"a": rating})
    near = np.abs(imread(path)[..., :3] - FIRST_LINE).max(axis=2) < 0.4
    assert (near.sum(axis=1).max() > 600) == drawn


def test_actuators_of_a_limb_share_diagrams(charmie: Model) -> None:
    groups = effort_groups(charmie)
    assert [(group.title, list(group.labels.values())) for group in groups] == [
        ("Base", ["x", "y"]),
        ("Base", ["yaw"]),
        ("Lift and torso", ["lift", "torso"]),
        *(
            (f"{side} arm", [f"joint {k}", f"joint {k + 1}"])
            for side in ("Left", "Right")
            for k in (1, 3, 5)
        ),
        ("Neck", ["pan", "tilt"]),
        ("Grippers", ["left", "right"]),
    ]


@pytest.mark.parametrize("robot", ["charmie", "crane"])
def test_every_actuator_is_in_one_diagram_of_its_unit(
    robot: str, request: pytest.FixtureRequest
) -> None:
    model: Model = request.getfixturevalue(robot)
    groups = effort_groups(model)
    shown = [name for group in groups for name in group.labels]
    assert sorted(shown) == sorted(model.actuator_names)
    slides = {joint.name for joint in model.tree.joints if joint.type == "prismatic"}
    slides |= {actuator.name for actuator in model.mechanisms.linear_actuators}
    for group in groups:
        assert {name in slides for name in group.labels} == {group.unit == "N"}


def test_unknown_actuator_of_a_group_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="group 'Pair': unknown actuator 'b'"):
        plot_efforts(tmp_path / "e.png", TIME, ["a"], np.zeros((101, 1)), PAIR)


@pytest.mark.parametrize("shape", [(101,), (100, 2), (101, 3)])
def test_efforts_of_another_shape_are_refused(tmp_path: Path, shape: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match="shape"):
        plot_efforts(tmp_path / "e.png", TIME, ["a", "b"], np.zeros(shape), PAIR)
