from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.image import imread

from charmie_dynamics.model.errors import InputError, UnknownNameError
from charmie_dynamics.pictures import CHARMIE_GROUPS, EffortGroup, plot_efforts

TIME = np.linspace(0.0, 5.0, 101)
EFFORT = np.c_[np.sin(TIME), np.full(101, -2.0)]
PAIR = (EffortGroup("Pair", "N", {"a": "first", "b": "second"}, 0),)
FIRST_LINE = np.array(to_rgb("#0072b2"))


def line_columns(path: Path) -> np.ndarray:
    """Columns of the picture that show the first line, the legend above the diagram left out."""
    image = imread(path)[..., :3]
    assert image.shape == (1000, 1600, 3)
    rows, columns = np.nonzero(np.abs(image - FIRST_LINE).max(axis=2) < 0.02)
    return np.unique(columns[rows > 140])


def test_line_runs_across_its_diagram(tmp_path: Path) -> None:
    plot_efforts(tmp_path / "e.png", TIME, ["a", "b"], EFFORT, PAIR)
    columns = line_columns(tmp_path / "e.png")
    assert columns.max() - columns.min() > 1400


def test_values_that_are_not_finite_leave_a_gap(tmp_path: Path) -> None:
    effort = EFFORT.copy()
    effort[TIME > 2.5, 0] = np.nan
    plot_efforts(tmp_path / "e.png", TIME, ["a", "b"], effort, PAIR)
    columns = line_columns(tmp_path / "e.png")
    assert 650 < columns.max() - columns.min() < 800


def test_every_charmie_actuator_stands_in_one_diagram() -> None:
    shown = [name for group in CHARMIE_GROUPS for name in group.labels]
    arms = [f"{side}_arm_joint_{i}" for side in ("left", "right") for i in range(1, 7)]
    others = ["base_x_joint", "base_y_joint", "base_yaw_joint", "lift_actuator", "torso_actuator"]
    others += ["left_gripper_joint", "right_gripper_joint", "neck_pan_joint", "neck_tilt_joint"]
    assert sorted(shown) == sorted(arms + others)


def test_unknown_actuator_of_a_group_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="group 'Pair': unknown actuator 'b'"):
        plot_efforts(tmp_path / "e.png", TIME, ["a"], np.zeros((101, 1)), PAIR)


@pytest.mark.parametrize("shape", [(101,), (100, 2), (101, 3)])
def test_efforts_of_another_shape_are_refused(tmp_path: Path, shape: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match="shape"):
        plot_efforts(tmp_path / "e.png", TIME, ["a", "b"], np.zeros(shape), PAIR)
