# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Loops that hold an actuator, and springs on idle motions, are reported when a robot is loaded."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
import yaml
from loop_robots import four_bar, rod_between_balls

from charmie_dynamics import Model, ModelFileWarning, load_model
from charmie_dynamics.errors import LoopError
from charmie_dynamics.live.estimation.following import followed_motion, idle_lines
from charmie_dynamics.model.description.package_robots import PACKAGE_ROBOTS, model_files
from charmie_dynamics.model.reading import read_model


def with_gear(folder: Path, multiplier: float, offset: float = 0.0) -> tuple[Path, Path]:
    """Return the files of a four-bar whose rocker is geared to the crank."""
    four_bar(folder)
    urdf, file = folder / "four_bar.urdf", folder / "four_bar.yaml"
    mimic = f'<mimic joint="crank_joint" multiplier="{multiplier}" offset="{offset}"/>'
    before = '<parent link="ground"/><child link="rocker"/>'
    urdf.write_text(urdf.read_text().replace(before, before + mimic))
    mechanisms = yaml.safe_load(file.read_text())
    mechanisms["passive_joints"] = ["coupler_joint"]
    file.write_text(yaml.safe_dump(mechanisms))
    return urdf, file


def test_a_gear_that_contradicts_its_loop_is_refused(tmp_path: Path) -> None:
    files = with_gear(tmp_path, 0.5)
    with pytest.raises(
        LoopError, match=r"'crank_joint': the loops of 'pin' hold it.*'rocker_joint'"
    ):
        load_model(*files)
    model = read_model(*files)
    with pytest.raises(LoopError, match=r"'crank_joint': the loops of 'pin' hold it"):
        followed_motion(model)


def test_hinges_that_are_not_parallel_are_refused(tmp_path: Path) -> None:
    urdf, file = model_files("four_bar", "")
    assert file is not None
    tilted = tmp_path / "tilted.yaml"
    tilted.write_text(file.read_text().replace("axis: [0.0, 1.0, 0.0]", "axis: [0.0, 1.0, 1e-4]"))
    with pytest.raises(LoopError, match=r"'crank_joint'.*hinges of a planar loop are not parallel"):
        load_model(urdf, tilted)


def test_robots_of_the_package_are_accepted(package_robot: Model) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", ModelFileWarning)
        load_model(package_robot.name)


@pytest.fixture(params=sorted(PACKAGE_ROBOTS))
def package_robot(request: pytest.FixtureRequest) -> Model:
    return read_model(request.param)


@pytest.mark.parametrize("stiffness", [0.0, 4.0])
def test_a_spring_on_an_idle_motion_is_reported(tmp_path: Path, stiffness: float) -> None:
    rod_between_balls(tmp_path)
    (file,) = tmp_path.glob("*.yaml")
    mechanisms = yaml.safe_load(file.read_text())
    spring = {"joint": "spin_joint", "stiffness": stiffness, "damping": 0.1}
    mechanisms["joint_springs"] = {"twist": spring}
    file.write_text(yaml.safe_dump(mechanisms))
    files = file.with_suffix(".urdf"), file
    if stiffness:
        with pytest.warns(ModelFileWarning, match=r"'spin_joint': joint spring 'twist'"):
            model = load_model(*files)
        assert "joint spring 'twist'" in idle_lines(model)[-1]
        return
    with warnings.catch_warnings():
        warnings.simplefilter("error", ModelFileWarning)
        load_model(*files)
