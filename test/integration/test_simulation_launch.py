# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""simulation.launch.py: the simulator, and the dynamics node on its time."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest
from graph import Checker, stamp_of
from launch import LaunchContext
from launch.actions import DeclareLaunchArgument
from launch.utilities import perform_substitutions
from launch_descriptions import commands, describe
from node_process import Process

from charmie_dynamics import CharmieError, Model
from charmie_dynamics.live.estimation.settling import ON_VELOCITIES, REMAINING
from charmie_dynamics.live.pipeline import Pipeline
from charmie_dynamics.model.description.files import share_file
from charmie_dynamics.motions import make_motion
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.ros.nodes.launching import robot_of_world
from charmie_dynamics.ros.simulator.parameters import SPECS

LAUNCH = "simulation.launch.py"


def arguments() -> dict[str, DeclareLaunchArgument]:
    return {argument.name: argument for argument in describe(LAUNCH).get_launch_arguments()}


def default_of(name: str) -> str:
    return str(perform_substitutions(LaunchContext(), arguments()[name].default_value))


def test_each_parameter_of_both_nodes_is_an_argument() -> None:
    assert {spec.name for spec in SPECS} | {"acceleration_cutoff", "rviz"} <= set(arguments())
    assert all(argument.description.strip(" .") for argument in arguments().values())
    assert default_of("use_sim_time") == "true"
    assert (default_of("step"), default_of("idle"), default_of("paused")) == (
        "0.001",
        "hold",
        "false",
    )


def test_simulator_and_node_are_started() -> None:
    started = [" ".join(command) for command in commands(LAUNCH)]
    assert sum("simulator_node" in command for command in started) == 1
    assert sum("dynamics_node" in command for command in started) == 1
    assert not any("rviz2" in command for command in started)
    assert any("rviz2" in " ".join(command) for command in commands(LAUNCH, rviz="true"))


def test_the_node_computes_the_robot_of_a_world() -> None:
    assert robot_of_world("", "") == robot_of_world("bouncing_ball", "") == {}
    found = robot_of_world("athena", "")
    assert found["publish_location"] == "false"
    assert [Path(found[name]).name for name in ("model", "mechanisms")] == [
        "athena.urdf",
        "athena_mechanisms.yaml",
    ]
    with pytest.raises(CharmieError, match="Valid: athena"):
        robot_of_world("athena", "athina")


def test_in_a_world_every_frame_is_told_once_and_the_robot_stands(folder: Path) -> None:
    command = [
        *(sys.executable, "-m", "charmie_dynamics.demo.launch_file"),
        *(str(share_file("launch", LAUNCH)), "world:=athena"),
    ]
    with (
        Process(command, folder / "world.log") as process,
        Checker(("/tf", "/tf_static", "actuator_efforts"), name="of_a_world") as checker,
    ):
        efforts = checker.received["actuator_efforts"]
        checker.wait_for(lambda: len(efforts) > 100, "efforts", timeout=300.0)
        parents: dict[str, set[str]] = {}
        for topic in ("/tf", "/tf_static"):
            for message in checker.received[topic]:
                for transform in message.transforms:
                    told = parents.setdefault(transform.child_frame_id, set())
                    told.add(transform.header.frame_id)
        frames = [t for m in checker.received["/tf"] for t in m.transforms]
        assert "another node publishes" not in process.output()
    assert parents["base_link"] == {"world"} and parents["world"] == {"odom"}
    assert parents["leg_1_coxa"] == {"base_link"} and parents["ground"] == {"odom"}
    bases = [t.transform.translation.z for t in frames if t.child_frame_id == "base_link"]
    # by the simulator alone: the node would hold it at the origin
    assert min(bases) > 0.13 and max(bases) < 0.15


@pytest.fixture(scope="module")
def launched(folder: Path) -> Process:
    command = [
        *(sys.executable, "-m", "charmie_dynamics.demo.launch_file"),
        *(str(share_file("launch", LAUNCH)), "motion:=wave", "namespace:=launched"),
    ]
    with Process(command, folder / "launch.log") as process:
        yield process


def test_the_node_estimates_the_efforts_of_the_motion(launched: Process, model: Model) -> None:
    topics = ("actuator_efforts", "estimator_settling", "effort_residual")
    with Checker(topics, namespace="launched") as checker:
        residuals = checker.received["effort_residual"]
        checker.wait_for(lambda: len(residuals) > 150, "residuals", timeout=120.0)
    settled = [m for m in residuals if checker.is_settled(stamp_of(m))]
    assert len(settled) > 50
    residual = np.array([message.effort for message in settled])
    # measured less estimated is all that the estimator of accelerations misses
    assert (np.abs(residual).max(axis=0) < most_missed(model)).all()


def most_missed(model: Model) -> Floats:
    """Return what the estimator may miss of the efforts of the motion (a,).

    Its three poles on measured velocities are late by 3 / omega, and of what it did not know when
    it began `REMAINING` is left. The simulator applies the rest exactly: it begins in the state
    in which the motion begins, and its joint states tell of efforts, velocities and positions
    of one instant.
    """
    motion = make_motion("wave", model)
    late = (1 + ON_VELOCITIES) / (2.0 * math.pi * Pipeline.acceleration_cutoff)
    instants = np.linspace(0.0, motion.duration, 401)
    position, velocity, acceleration = (
        np.array(rows) for rows in zip(*(motion.at(t) for t in instants), strict=True)
    )
    before = np.array([motion.at(t - late)[2] for t in instants])
    exact, lagging, unknown = (
        model.compute(position, velocity, known).actuator_effort
        for known in (acceleration, before, 0.0 * acceleration)
    )
    lag, start = (np.abs(exact - other).max(axis=0) for other in (lagging, unknown))
    bound: Floats = lag + REMAINING * start
    return bound
