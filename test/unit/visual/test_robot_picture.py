# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

from charmie_dynamics import Model
from charmie_dynamics.visual.pictures import render_robot

SIZE = (480, 360)


def drawn(path: Path, model: Model, **options: object) -> np.ndarray:
    position = model.zero_position()
    compute = model.compute if options.pop("dynamics", True) else model.kinematics
    base = options.pop("base", None)
    if base is not None:
        position[:3] = base
    state = compute(position)
    render_robot(path, model, state, size=SIZE, **options)  # type: ignore[arg-type]
    return imread(path)[..., :3]


@pytest.mark.parametrize("style", ["solid", "skeleton"])
def test_robot_stands_in_the_middle_of_the_picture(
    tmp_path: Path, charmie: Model, style: str
) -> None:
    image = drawn(tmp_path / "a.png", charmie, style=style)
    middle = image[40:320, 60:400]
    assert image.shape == (SIZE[1], SIZE[0], 3)
    assert (middle.min(axis=2) < 0.5).sum() > 500


@pytest.mark.parametrize("style", ["solid", "skeleton"])
def test_robots_of_other_kinds_can_be_drawn(tmp_path: Path, crane: Model, style: str) -> None:
    image = drawn(tmp_path / "a.png", crane, style=style, reactions=True, labels=True)
    assert (image.min(axis=2) < 0.5).sum() > 500


def test_colour_scale_is_left_out_where_there_are_no_loads(tmp_path: Path, charmie: Model) -> None:
    right_rim = np.s_[80:280, 395:]
    with_loads = drawn(tmp_path / "a.png", charmie)[right_rim]
    without = drawn(tmp_path / "b.png", charmie, dynamics=False)[right_rim]
    assert np.ptp(with_loads, axis=2).max() > 0.5  # the two ends are strong colours
    assert np.ptp(without, axis=2).max() < 0.2


def test_robot_is_seen_from_the_same_side_wherever_it_stands(
    tmp_path: Path, charmie: Model
) -> None:
    here = drawn(tmp_path / "a.png", charmie)
    there = drawn(tmp_path / "b.png", charmie, base=(4.0, -3.0, 2.0))
    body = np.s_[40:200, 60:400]  # above the grid of the floor, which does not turn
    assert np.abs(here[body] - there[body]).mean() < 0.02


def test_labels_leave_ink_beside_the_robot(tmp_path: Path, charmie: Model) -> None:
    labelled = drawn(tmp_path / "a.png", charmie, labels=True, azimuth=90.0)
    plain = drawn(tmp_path / "b.png", charmie, azimuth=90.0)
    assert (np.abs(labelled - plain).max(axis=2) > 0.3).sum() > 300
