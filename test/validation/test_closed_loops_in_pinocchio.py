# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Accelerations with closed loops, and their derivatives, equal Pinocchio's.

Pinocchio differentiates `constraintDynamics` by all coordinates, at constraints that stay violated
by a change of position. This package follows the closed motion: the passive positions and
velocities depend on the driven ones. Pinocchio's matrices are therefore multiplied with the changes
of all positions and velocities along the closed motion. Only constraints of points (3 rows) and
frames (6 rows) have a counterpart in Pinocchio.

Pinocchio 4.1 has a fault: with a constraint between two moving bodies, `ddq_dq` differs from the
differences of `constraintDynamics` in the column of the first joint of the model. The robots
therefore get a first joint that no loop contains, see `IDLE`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pinocchio as pin
import pytest

from charmie_dynamics import Model, load_model

STEP = 5e-4  # rad, m; of the differences of the passive velocities
TOLERANCE = 1e-8  # relative to the largest
KINDS = {"spherical": pin.ContactType.CONTACT_3D, "fixed": pin.ContactType.CONTACT_6D}
INERTIA = '<inertia ixx="0.02" iyy="0.03" izz="0.025" ixy="0.001" ixz="0" iyz="-0.002"/>'
IDLE = (
    '<link name="0_idle"><inertial><mass value="1"/>'
    f'{INERTIA}</inertial></link><joint name="0_idle_joint" type="prismatic"><parent link="%s"/>'
    '<child link="0_idle"/><limit effort="0" velocity="0" lower="0" upper="0"/></joint></robot>'
)


class Terms(NamedTuple):
    """Accelerations (v,) of Pinocchio and their derivatives (v, v), in this package's order."""

    acceleration: np.ndarray
    by_position: np.ndarray
    by_velocity: np.ndarray
    by_effort: np.ndarray


def chain_with_welded_ends(folder: Path) -> Model:
    """Return eight hinges in a row, the last link welded to the base: two motions remain."""
    rng = np.random.default_rng(6)  # far from singular positions
    text, end = '<robot name="chain"><link name="link_0"/>', np.zeros(3)
    for k in range(1, 9):
        (x, y, z), axis = 0.3 * rng.normal(size=3), rng.normal(size=3)
        end += x, y, z
        text += (
            f'<link name="link_{k}"><inertial><origin xyz="{0.1 * y} 0.05 {0.1 * x}"/>'
            f'<mass value="{0.5 + 0.1 * k}"/>{INERTIA}</inertial></link>'
            f'<joint name="hinge_{k}" type="continuous"><parent link="link_{k - 1}"/>'
            f'<child link="link_{k}"/><origin xyz="{x} {y} {z}"/>'
            f'<axis xyz="{axis[0]} {axis[1]} {axis[2]}"/></joint>'
        )
    (folder / "chain.urdf").write_text(text + "</robot>")
    loop = f"type: fixed, first_body: link_0, first_point: {end.tolist()}, second_body: link_8"
    passive = ", ".join(f"hinge_{k}" for k in range(3, 9))
    mechanisms = f"loop_joints: {{weld: {{{loop}}}}}\npassive_joints: [{passive}]\n"
    (folder / "chain.yaml").write_text(mechanisms)
    return load_model(folder / "chain.urdf", folder / "chain.yaml")


def constraints_of(model: Model, robot: pin.Model) -> pin.StdVec_RigidConstraintModel:
    """Return the loop joints; the axes of both bodies are parallel where all joints are at zero."""
    found = pin.StdVec_RigidConstraintModel()
    for joint in model.mechanisms.loop_joints:
        ends = []
        for body, point in (
            (joint.first_body, joint.first_point),
            (joint.second_body, joint.second_point),
        ):
            frame = robot.frames[robot.getFrameId(body, pin.FrameType.BODY)]
            offset = pin.SE3(np.eye(3), np.array(point, dtype=float))
            ends += [frame.parentJoint, frame.placement * offset]
        kind, axes = KINDS[joint.type], pin.ReferenceFrame.LOCAL
        found.append(pin.RigidConstraintModel(kind, robot, *ends, axes))
    return found


def terms_of(model: Model, x: np.ndarray, v: np.ndarray, effort: np.ndarray) -> Terms:
    """Return Pinocchio's results for a state and efforts of the actuators."""
    text = model.tree.urdf.replace("</robot>", IDLE % model.tree.root)
    robot = pin.buildModelFromXML(text)
    assert robot.names[1] == "0_idle_joint"
    robot.gravity.linear = np.array(model.flat.tree.gravity)
    data, (u, tau) = robot.createData(), np.zeros((2, robot.nv))
    q, place, own = pin.neutral(robot), [], 0
    for name in dict.fromkeys(name.split("/")[0] for name in model.velocity_names):
        k = robot.getJointId(name)
        # a continuous joint is a point on the unit circle
        is_circle = robot.nvs[k] == 1 and robot.nqs[k] == 2
        size = 1 if is_circle else robot.nqs[k]
        values = x[own : own + size]
        own += size
        q[robot.idx_qs[k] :][: robot.nqs[k]] = (
            (np.cos(values[0]), np.sin(values[0])) if is_circle else values
        )
        place += range(robot.idx_vs[k], robot.idx_vs[k] + robot.nvs[k])
    u[place] = v
    tau[np.array(place)[model.actuator_index]] = effort
    constraints, states = constraints_of(model, robot), pin.StdVec_RigidConstraintData()
    states.extend([each.createData() for each in constraints])
    settings = pin.ProximalSettings(1e-14, 0.0, 50)
    pin.initConstraintDynamics(robot, data, constraints, states)
    a = pin.constraintDynamics(robot, data, q, u, tau, constraints, states, settings)[place]
    pin.computeConstraintDynamicsDerivatives(robot, data, constraints, states, settings)
    matrices = (data.ddq_dq, data.ddq_dv, data.ddq_dtau)
    return Terms(a, *(matrix[np.ix_(place, place)].copy() for matrix in matrices))


def close(ours: np.ndarray, theirs: np.ndarray) -> None:
    np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=TOLERANCE * np.abs(theirs).max())


@pytest.mark.parametrize("seed", [5, 6])
@pytest.mark.parametrize(
    "load", [lambda _: load_model("stewart"), lambda _: load_model("delta"), chain_with_welded_ends]
)
def test_accelerations_change_as_in_pinocchio(
    load: Callable[[Path], Model], seed: int, tmp_path: Path
) -> None:
    model = load(tmp_path)
    names, kept = model.velocity_names, model.actuator_index
    at = [model.position_names.index(names[k]) for k in kept]
    rng = np.random.default_rng(seed)
    x, v = model.rest_position(), np.zeros(len(names))
    x[at] += rng.uniform(-0.05, 0.05, len(kept))
    v[kept] = rng.uniform(-1.0, 1.0, len(kept))
    x, v, _ = model.assemble(x, v)
    effort = rng.uniform(-5.0, 5.0, len(kept))
    found = model.forward_derivatives(x, v, effort, friction=False)
    expected = terms_of(model, x, v, effort)
    close(model.forward(x, v, effort, friction=False).acceleration, expected.acceleration)

    moved, faster = np.zeros((2, len(names), len(kept)))  # of all velocities by the driven joints
    for column, (k, row) in enumerate(zip(kept, at, strict=True)):
        moved[:, column] = model.assemble(x, np.eye(len(names))[k])[1]
        step = STEP * np.eye(len(x))[row]
        one, two = (
            model.assemble(x + n * step, v)[1] - model.assemble(x - n * step, v)[1] for n in (1, 2)
        )
        faster[:, column] = (8.0 * one - two) / (12.0 * STEP)
    by_position = expected.by_position @ moved + expected.by_velocity @ faster
    close(found.acceleration_by_position, by_position[kept])
    close(found.acceleration_by_velocity, (expected.by_velocity @ moved)[kept])
    close(found.acceleration_by_effort, expected.by_effort[np.ix_(kept, kept)])
