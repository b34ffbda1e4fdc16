# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Pictures and plots from bags of robots with joints that no actuator moves."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import numpy as np
import pytest
from loop_robots import four_bar
from recordings import MCAP, START, STEP, STORES, header
from rosbags.rosbag2 import Writer

from charmie_dynamics import CharmieError, Model, load_model
from charmie_dynamics.model.movable import single_joints
from charmie_dynamics.recordings.commands import plot_options, render_options
from charmie_dynamics.recordings.compute.states import base_wrenches, state_at
from charmie_dynamics.recordings.read.all_coordinates import in_all_coordinates
from charmie_dynamics.recordings.read.bag import Bag
from charmie_dynamics.recordings.read.recorded_motion import RecordedMotion, read_motion

Capture = pytest.CaptureFixture[str]
SAMPLES = 9
ROVER = """<robot name="rover"><link name="ground"/>
<link name="cart"><visual><geometry><box size="0.4 0.3 0.1"/></geometry></visual><inertial>
<mass value="5"/><inertia ixx="0.1" iyy="0.1" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="arm"><inertial><origin xyz="0 0 0.2"/><mass value="1"/>
<inertia ixx="0.02" iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="drive" type="planar"><parent link="ground"/><child link="cart"/><axis xyz="0 0 1"/>
</joint><joint name="shoulder" type="revolute"><parent link="cart"/><child link="arm"/>
<origin xyz="0.1 0 0.3"/><axis xyz="0 1 0"/>
<limit lower="-3" upper="3" effort="50" velocity="20"/></joint></robot>"""


def closed_motion(model: Model) -> list[tuple[np.ndarray, ...]]:
    """Return closed positions, velocities and accelerations of a crank that swings."""
    motion, position = [], model.zero_position()
    for k in range(SAMPLES):
        t = k * STEP * 1e-9
        position[0] = 0.5 * np.sin(t)
        closed = model.assemble(position, [0.5 * np.cos(t), 0, 0], [-0.5 * np.sin(t), 0, 0])
        position = closed.position.copy()
        motion.append(tuple(closed))
    return motion


def planar_motion(model: Model) -> list[tuple[np.ndarray, ...]]:
    """Return positions, velocities and accelerations of a cart that is pushed evenly."""
    a = np.array([0.4, -0.2, 0.3, 1.0])
    times = STEP * 1e-9 * np.arange(SAMPLES)
    return [(0.5 * a * t**2, a * t, a) for t in times]


def written(
    folder: Path, model: Model, motion: list[tuple[np.ndarray, ...]], without: Collection[str] = ()
) -> Path:
    """Write what the node publishes of a motion, without some topics or joints."""
    types = STORES.types
    urdf = (folder / f"{model.name}.urdf").read_text()
    with Writer(folder / "bag", version=8, storage_plugin=MCAP) as writer:
        kind = "std_msgs/msg/String"
        connection = writer.add_connection("/robot_description", kind, typestore=STORES)
        text = types[kind](data=urdf)
        writer.write(connection, START, STORES.serialize_cdr(text, kind))
        kind = "sensor_msgs/msg/JointState"
        topics = {
            topic: writer.add_connection(f"/{topic}", kind, typestore=STORES)
            for topic in ("actuator_efforts", "resolved_joint_states")
            if topic not in without
        }
        names = model.joint_names
        published = [i for i in single_joints(model).tolist() if names[i] not in without]
        for k, row in enumerate(motion):
            state = model.compute(*row)
            rows = {
                "actuator_efforts": (
                    model.actuator_names,
                    row[0][[model.position_names.index(name) for name in model.actuator_names]],
                    row[1][model.actuator_index],
                    state.actuator_effort,
                ),
                "resolved_joint_states": (
                    [model.joint_names[i] for i in published],
                    state.joint_position[published],
                    state.joint_velocity[published],
                    np.zeros(len(published)),
                ),
            }
            for topic, connection in topics.items():
                names, p, v, e = rows[topic]
                message = types[kind](header=header(k), name=list(names), position=np.array(p),
                                      velocity=np.array(v), effort=np.array(e))  # fmt: skip
                data = STORES.serialize_cdr(message, kind)
                writer.write(connection, START + k * STEP, data)
    return folder / "bag"


def read(path: Path, model: Model) -> RecordedMotion:
    with Bag(path) as bag:
        return in_all_coordinates(bag, model, read_motion(bag))


def test_states_of_a_closed_loop_are_those_that_were_recorded(tmp_path: Path) -> None:
    model = four_bar(tmp_path)
    motion = closed_motion(model)
    recorded = read(written(tmp_path, model, motion), model)
    assert recorded.position.shape == (SAMPLES, 3) and recorded.effort.shape == (SAMPLES, 1)
    wrenches = base_wrenches(model, recorded)
    for k, row in enumerate(motion):
        true, found = model.compute(*row), state_at(model, recorded, k)
        np.testing.assert_allclose(found.actuator_effort, true.actuator_effort, atol=1e-8)
        np.testing.assert_allclose(found.base_wrench, true.base_wrench, atol=1e-6)
        np.testing.assert_allclose(wrenches[k], np.concatenate(true.base_wrench), atol=1e-6)
        np.testing.assert_allclose(found.loop_force("pin"), true.loop_force("pin"), atol=1e-6)


def test_accelerations_of_planar_joints_are_differences_of_their_velocities(tmp_path: Path) -> None:
    (tmp_path / "rover.urdf").write_text(ROVER)
    model = load_model(tmp_path / "rover.urdf")
    motion = planar_motion(model)
    recorded = read(written(tmp_path, model, motion), model)
    for k, row in enumerate(motion):
        found, true = state_at(model, recorded, k), model.compute(*row)
        np.testing.assert_allclose(found.actuator_effort, true.actuator_effort, atol=1e-9)
        np.testing.assert_allclose(found.base_wrench, true.base_wrench, atol=1e-8)


def test_pictures_and_plots_are_drawn_of_both(tmp_path: Path, capsys: Capture) -> None:
    bag = written(tmp_path, four_bar(tmp_path), closed_motion(four_bar(tmp_path)))
    mechanisms = ("--mechanisms", str(tmp_path / "four_bar.yaml"))
    picture = tmp_path / "p.png"
    options = ("--output", str(picture), "--size", "240x200", "--reactions", "--at", "1")
    assert render_options.main([str(bag), *mechanisms, *options]) == 0
    assert picture.stat().st_size > 1000
    topics = ("--topics", "efforts", "tools", "base_load")
    assert plot_options.main([str(bag), *mechanisms, *topics, "--output", str(tmp_path)]) == 0
    assert (tmp_path / "efforts.png").exists()
    other = tmp_path / "other"
    other.mkdir()
    (other / "rover.urdf").write_text(ROVER)
    model = load_model(other / "rover.urdf")
    bag = written(other, model, planar_motion(model))
    options = ("--output", str(picture), "--size", "240x200", "--at", "1")
    assert render_options.main([str(bag), *options]) == 0


def test_a_bag_without_the_joints_is_refused_with_their_names(
    tmp_path: Path, capsys: Capture
) -> None:
    model = four_bar(tmp_path)
    bag = written(tmp_path, model, closed_motion(model), without=("resolved_joint_states",))
    options = ("--mechanisms", str(tmp_path / "four_bar.yaml"), "--output", str(tmp_path / "p.png"))
    assert render_options.main([str(bag), *options, "--at", "0"]) == 1
    told = capsys.readouterr().err
    assert "resolved_joint_states" in told and "coupler_joint, rocker_joint" in told


def test_a_bag_without_one_of_the_joints_is_refused_with_its_name(tmp_path: Path) -> None:
    model = four_bar(tmp_path)
    bag = written(tmp_path, model, closed_motion(model), without=("rocker_joint",))
    with pytest.raises(CharmieError, match="all joints without actuator, rocker_joint are missing"):
        read(bag, model)


def test_floating_joints_stay_at_zero(tmp_path: Path) -> None:
    (tmp_path / "rover.urdf").write_text(ROVER.replace('type="planar"', 'type="floating"'))
    model = load_model(tmp_path / "rover.urdf")
    row = (model.zero_position(), *2 * [np.zeros(len(model.velocity_names))])
    recorded = read(written(tmp_path, model, [row] * SAMPLES), model)
    np.testing.assert_array_equal(recorded.position, [model.zero_position()] * SAMPLES)
