# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Recordings of robots with joints without actuator."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from floating_robots import random_urdf
from loop_robots import four_bar, hung_platform

from charmie_dynamics import Model, UnknownNameError, load_model
from charmie_dynamics.errors import UnsupportedError
from charmie_dynamics.live.estimation.following import assembly_lines
from charmie_dynamics.model.movable import require_actuators_alone
from charmie_dynamics.recordings import Analysis, AnalysisSettings, analyse, table
from charmie_dynamics.recordings.read.columns import read_table_format
from charmie_dynamics.recordings.read.tabular import TabularRecording
from charmie_dynamics.visual.scene.scene import Scene

TIME = np.arange(400) * 0.005


def analysis_of(
    folder: Path, model: Model, motion: dict[str, np.ndarray], smoothing: str
) -> Analysis:
    """Return the analysis of a table of positions, with the efforts zero as measured ones."""
    names = list(motion)
    layout = "\n".join(
        [
            f"joints: [{', '.join(names)}]",
            "time: t",
            f"position: [{', '.join(f'p{k}' for k in range(len(names)))}]",
            f"effort: [{', '.join(f'e{k}' for k in range(len(names)))}]",
        ]
    )
    (folder / "columns.yaml").write_text(layout)
    heading = ["t", *(f"p{k}" for k in range(len(names))), *(f"e{k}" for k in range(len(names)))]
    columns = [TIME, *motion.values(), *(np.full(len(TIME), 0.1) for _ in names)]
    rows = [",".join(map(repr, map(float, row))) for row in zip(*columns, strict=True)]
    (folder / "table.csv").write_text("\n".join([",".join(heading), *rows]))
    recording = TabularRecording(
        folder / "table.csv", read_table_format(folder / "columns.yaml"), ()
    )
    return analyse(model, recording, AnalysisSettings(smoothing=smoothing))


@pytest.mark.parametrize("smoothing", ["causal", "zero-phase"])
def test_efforts_of_a_closed_loop_are_those_of_its_true_motion(
    tmp_path: Path, smoothing: str
) -> None:
    model = four_bar(tmp_path)
    angle, rate = 0.5 * np.sin(2.0 * TIME), np.cos(2.0 * TIME)
    found = analysis_of(tmp_path, model, {"crank_joint": angle}, smoothing)
    position = model.assemble(model.zero_position()).position
    true = []
    for p, v, a in zip(angle, rate, -4.0 * angle, strict=True):
        position[0] = p
        closed = model.assemble(position, [v, 0.0, 0.0], [a, 0.0, 0.0])
        position = closed.position
        true.append(model.compute(*closed).actuator_effort[0])
    cycles = found.cycles
    steps = np.rint((cycles.stamps - cycles.stamps[0]) * 1e-9 / 0.005).astype(int)
    judged = (steps > 100) & (steps < 300)
    error = abs(cycles.arrays["actuator_effort"][:, 0] - np.array(true)[steps])[judged]
    assert judged.sum() > 150
    assert error.max() < (0.02 if smoothing == "zero-phase" else 0.2) * np.ptp(true)
    columns = table(model, cycles)
    assert abs(columns["rocker_joint.joint_position"]).max() > 0.1
    assert "external_effort" in cycles.arrays


@pytest.mark.parametrize("smoothing", ["causal", "zero-phase"])
def test_coordinates_of_passive_joints_are_known_and_ignored(
    tmp_path: Path, smoothing: str
) -> None:
    model = hung_platform(tmp_path)
    names = ["float/vx", "stranger", *(f"leg{k}" for k in range(6))]
    motion = {name: np.zeros(len(TIME)) for name in names}
    assert analysis_of(tmp_path, model, motion, smoothing).counts.unknown == ["stranger"]


@pytest.mark.parametrize("smoothing", ["causal", "zero-phase"])
def test_planar_joints_are_read_and_floating_ones_are_held(tmp_path: Path, smoothing: str) -> None:
    urdf = tmp_path / "r.urdf"
    urdf.write_text(random_urdf(np.random.default_rng(4)))
    model = load_model(urdf)
    told = [n for n in model.joint_names if not n.endswith(("vx", "vy", "vz", "wx", "wy", "wz"))]
    motion = {name: 0.2 * np.sin(TIME + k) for k, name in enumerate(told)}
    found = analysis_of(tmp_path, model, motion, smoothing)
    assert len(found.cycles.stamps) > 300
    columns = table(model, found.cycles)
    planar = next(name for name in told if name.endswith("/angle"))
    assert columns[f"{planar}.joint_position"][200] == pytest.approx(motion[planar][200], abs=0.02)
    assert not any("/wx" in name for name in columns)


def test_an_actuator_to_be_held_must_be_one_that_samples_tell(tmp_path: Path) -> None:
    model = four_bar(tmp_path)
    with pytest.raises(UnknownNameError, match="'rocker_joint' to be held is unknown"):
        AnalysisSettings(hold={"rocker_joint": 0.0}).require_known(model)


def test_what_needs_an_actuator_for_each_joint_refuses_others(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match=r"a bag: .*coupler_joint, rocker_joint"):
        require_actuators_alone(four_bar(tmp_path), "a bag")


def test_the_arrow_of_a_loop_joint_points_along_its_force(tmp_path: Path) -> None:
    model = four_bar(tmp_path)
    scene = Scene(model, reactions=True, labels=True)
    state = model.compute(*model.assemble(model.zero_position(), [2.0, 0.0, 0.0]))
    look = scene.update(state)
    k = max(i for i, shape in enumerate(scene.shapes) if shape.namespace == "reactions")
    first = scene.first_point[k]
    tail, tip = look.points[first], look.points[first + 1]
    p, R = state.frame("rocker")
    assert scene.shapes[k].frame == "rocker"
    assert np.linalg.norm(p + R @ tail - (p + R @ np.array([0.0, 0.0, 0.4]))) < 1e-9
    along, force = R @ (tip - tail), state.loop_force("pin")[:3]
    assert np.linalg.norm(np.cross(along, force)) < 1e-9 * np.linalg.norm(force)
    assert along @ force > 0.0


@pytest.mark.parametrize("smoothing", ["causal", "zero-phase"])
def test_an_assembly_that_nothing_decides_is_reported(tmp_path: Path, smoothing: str) -> None:
    model = four_bar(tmp_path)
    angle, pose = 0.1 * np.sin(2.0 * TIME), model.assemble(model.zero_position()).position
    passive = "rocker_joint"
    rocker = [model.assemble([p, *pose[1:]]).position[2] for p in angle]
    driven, both = {"crank_joint": angle}, {"crank_joint": angle, passive: np.array(rocker)}
    found = analysis_of(tmp_path, model, driven, smoothing)
    (line,) = assembly_lines(model, found.counts.names)
    assert passive in line
    found = analysis_of(tmp_path, model, both, smoothing)
    assert not assembly_lines(model, found.counts.names)
    decided = replace(model.mechanisms, rest_pose={passive: float(pose[2])})
    assert not assembly_lines(Model(model.tree, decided), {"crank_joint"})
