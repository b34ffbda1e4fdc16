# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from recordings import motion, write_recording

from charmie_dynamics import CharmieError, Model, load_model
from charmie_dynamics.errors import ModelFileError
from charmie_dynamics.model.description.files import share_file
from charmie_dynamics.model.description.package_robots import PACKAGE_ROBOTS
from charmie_dynamics.model.description.urdf import parse_urdf
from charmie_dynamics.recordings.compute.states import (
    accelerations,
    base_wrenches,
    state_at,
    wrench_difference,
)
from charmie_dynamics.recordings.read.bag import Bag
from charmie_dynamics.recordings.read.recorded_motion import (
    RecordedMotion,
    Series,
    read_motion,
    read_wrench,
)
from charmie_dynamics.recordings.read.robots import (
    model_from_description,
    model_of,
    require_same_actuators,
)
from charmie_dynamics.recordings.write.charts import _with_gaps


@pytest.fixture
def recorded(bag: Path) -> RecordedMotion:
    with Bag(bag) as opened:
        return read_motion(opened)


@pytest.fixture
def wrench(bag: Path) -> Series:
    with Bag(bag) as opened:
        series = read_wrench(opened)
    assert series is not None
    return series


def test_accelerations_come_back_from_the_efforts(charmie: Model, recorded: RecordedMotion) -> None:
    found = accelerations(charmie, recorded.position, recorded.velocity, recorded.effort)
    np.testing.assert_allclose(found, motion(charmie)[2], atol=1e-8)


def test_accelerations_of_a_robot_with_everything_come_back(crane: Model) -> None:
    position, velocity, acceleration = motion(crane, 5)
    effort = crane.compute(position, velocity, acceleration).actuator_effort
    found = accelerations(crane, position, velocity, effort)
    np.testing.assert_allclose(found, acceleration, atol=1e-8)


def test_computed_loads_are_the_recorded_ones(
    charmie: Model, recorded: RecordedMotion, wrench: Series
) -> None:
    np.testing.assert_allclose(base_wrenches(charmie, recorded), wrench.values, atol=1e-8)
    state = state_at(charmie, recorded, 7)
    np.testing.assert_allclose(state.actuator_effort, recorded.effort[7], atol=1e-9)


def test_a_sample_without_efforts_gives_a_state_without_loads(
    charmie: Model, recorded: RecordedMotion
) -> None:
    effort = recorded.effort.copy()
    effort[3, 0] = np.nan
    without = replace(recorded, effort=effort)
    assert state_at(charmie, without, 3).dynamics is None
    assert state_at(charmie, without, 4).dynamics is not None


def test_the_recorded_load_agrees_with_the_model_that_made_it(
    charmie: Model, recorded: RecordedMotion, wrench: Series
) -> None:
    assert wrench_difference(charmie, recorded, wrench, [0, 10]) is None


def test_another_model_than_the_recorded_one_is_noticed(
    recorded: RecordedMotion, wrench: Series
) -> None:
    text = share_file("urdf", "charmie.urdf").read_text()
    heavier = text.replace('<mass value="', '<mass value="1', 1)
    assert heavier != text
    model = load_model()
    other = Model(parse_urdf(heavier, "heavier"), model.mechanisms)
    notice = wrench_difference(other, recorded, wrench, [0])
    assert notice is not None and "another URDF" in notice


def test_the_urdf_of_the_package_is_known_as_charmie(bag: Path, charmie: Model) -> None:
    with Bag(bag) as opened:
        model, notices = model_of(opened)
    assert notices == []
    assert model.actuator_names == charmie.actuator_names


@pytest.mark.parametrize("name", PACKAGE_ROBOTS)
def test_the_robots_of_the_package_are_known_by_their_urdf(
    tmp_path: Path, charmie: Model, name: str
) -> None:
    robot = load_model(name)
    with Bag(write_recording(tmp_path / "b", charmie, urdf=robot.tree.urdf)) as opened:
        model, notices = model_of(opened)
    assert notices == []
    assert model.actuator_names == robot.actuator_names
    assert model.mechanisms == robot.mechanisms


def test_without_description_charmie_is_assumed_and_that_is_said(
    tmp_path: Path, charmie: Model
) -> None:
    path = write_recording(tmp_path / "b", charmie, without=("robot_description",))
    with Bag(path) as opened:
        model, notices = model_of(opened)
    assert model.actuator_names == charmie.actuator_names
    assert "robot_description" in notices[0]


def test_another_robot_has_the_mechanisms_that_are_given_and_else_none(
    tmp_path: Path, crane: Model, data: Path
) -> None:
    urdf = (data / "crane.urdf").read_text()
    with Bag(write_recording(tmp_path / "b", crane, urdf=urdf)) as opened:
        recorded = read_motion(opened)
        bare, notices = model_of(opened)
        assert "no linear actuators" in notices[0]
        with pytest.raises(CharmieError, match="mechanisms file"):
            require_same_actuators(bare, recorded, opened)
        model, notices = model_of(opened, data / "crane.yaml")
        require_same_actuators(model, recorded, opened)
    assert notices == []
    assert model.spring_names == crane.spring_names


def test_a_description_that_is_no_urdf_is_refused(tmp_path: Path, charmie: Model) -> None:
    with (
        Bag(write_recording(tmp_path / "b", charmie, urdf="<robot")) as opened,
        pytest.raises(ModelFileError, match="robot_description"),
    ):
        model_of(opened)


def test_a_zero_moment_point_that_was_not_published_is_a_gap(recorded: RecordedMotion) -> None:
    """The node publishes none where the floor would have to pull."""
    kept = np.array([0, 1, 2, 5, 6])
    values = np.arange(15.0).reshape(5, 3)
    stamps, filled = _with_gaps(recorded, Series(recorded.stamps[kept], values, "base"))
    np.testing.assert_array_equal(stamps, recorded.stamps)
    np.testing.assert_array_equal(filled[kept], values)
    assert np.isnan(np.delete(filled, kept, axis=0)).all()


def test_a_recorded_link_that_no_body_can_be_is_a_notice() -> None:
    urdf = (
        '<robot name="r">\n<link name="arm"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="3" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>'
    )
    model, notices = model_from_description(urdf, "bag 'b'")
    assert [warning.name for warning in model.warnings] == ["arm"]
    assert notices[-1].startswith("'robot_description' of bag 'b', line 2: link 'arm': no body")
