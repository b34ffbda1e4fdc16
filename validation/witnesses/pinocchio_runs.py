# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Problems with spherical and revolute loop joints in Pinocchio, by `constraintDynamics`.

Pinocchio has no integrator: RK4 in Python calls it, and the time is that of its calls alone. A
hinge is held at two points of its axis; the proximal method copes with the sixth row.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pinocchio as pin
import yaml

from validation.problems.problem import Problem
from validation.urdf_tree import UrdfTree

from . import JointState, WitnessRun, balance, hinge_points, witness_run

PROXIMAL = (1e-10, 1e-8, 10)  # accuracy, parameter, iterations; smaller parameters are less exact
FEEDBACK = 0.1  # times 1/step: of Baumgarte


class _Robot:
    def __init__(self, problem: Problem, step: float) -> None:
        self.tree, file = UrdfTree(problem.urdf), yaml.safe_load(problem.mechanisms)
        self.model = model = pin.buildModelFromXML(problem.urdf)
        model.gravity.linear = np.array(file["gravity"])
        self.names = list(model.names)[1:]
        self.passive = [k for k, name in enumerate(self.names) if name in file["passive_joints"]]
        self.driven = [k for k in range(model.nv) if k not in self.passive]
        self.constraints = pin.StdVec_RigidConstraintModel()
        for entry in file["loop_joints"].values():
            for points in hinge_points(entry, self.tree):
                ends: list[Any] = []
                for end, point in zip(("first", "second"), points, strict=True):
                    frame = model.frames[model.getFrameId(entry[f"{end}_body"], pin.BODY)]
                    ends += [frame.parentJoint, frame.placement * pin.SE3(np.eye(3), point)]
                pins = pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, *ends, pin.LOCAL)
                gain = FEEDBACK / step
                pins.m_baumgarte_parameters.Kp = gain**2
                pins.m_baumgarte_parameters.Kd = 2.0 * gain
                self.constraints.append(pins)
        self.data = model.createData()
        self.constraint_data = pin.StdVec_RigidConstraintData()
        for pins in self.constraints:
            self.constraint_data.append(pins.createData())
        pin.initConstraintDynamics(model, self.data, self.constraints, self.constraint_data)


def run(problem: Problem, steps: int, *, proximal: bool = True) -> WitnessRun:
    """Simulate a problem without efforts in equal steps over its duration.

    Without `proximal` dependent rows are not permitted.

    Raises
    ------
    ArithmeticError
        If the accelerations are not finite.
    """
    h = problem.duration / steps
    robot = _Robot(problem, h)
    start = problem.position, problem.velocity
    q, v = (np.array([x.get(name, 0.0) for name in robot.names]) for x in start)
    none, seconds = np.zeros_like(v), 0.0
    settings = pin.ProximalSettings(*(PROXIMAL if proximal else (PROXIMAL[0], 0.0, 1)))
    given = none, robot.constraints, robot.constraint_data, settings

    def acceleration(q: Any, v: Any) -> Any:
        nonlocal seconds
        begin = time.thread_time()
        found = pin.constraintDynamics(robot.model, robot.data, q, v, *given)
        seconds += time.thread_time() - begin
        return found.copy()

    for _ in range(steps):
        a1 = acceleration(q, v)
        v2 = v + 0.5 * h * a1
        a2 = acceleration(q + 0.5 * h * v, v2)
        v3 = v + 0.5 * h * a2
        a3 = acceleration(q + 0.5 * h * v2, v3)
        v4 = v + h * a3
        a4 = acceleration(q + h * v3, v4)
        q = q + h / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4)
        v = v + h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
    if not np.isfinite(v).all():
        raise ArithmeticError("Pinocchio: the accelerations are not finite")
    ends = (dict(zip(robot.names, map(float, x), strict=True)) for x in (q, v))
    return witness_run(robot.tree, robot.tree.motion(*ends), seconds)


def efforts(problem: Problem, states: Sequence[JointState]) -> list[dict[str, float]]:
    """Return the efforts of the actuators: `rnea`, balanced by multipliers of the Jacobian."""
    robot, found = _Robot(problem, 1e-3), []
    for state in states:
        q, v, a = (np.array([values[name] for name in robot.names]) for values in state)
        load = pin.rnea(robot.model, robot.data, q, v, a).copy()
        pin.computeJointJacobians(robot.model, robot.data, q)
        for pins, data in zip(robot.constraints, robot.constraint_data, strict=True):
            pins.calc(robot.model, robot.data, data)
        jacobian = pin.getConstraintsJacobian(
            robot.model, robot.data, robot.constraints, robot.constraint_data
        )
        effort = balance(load, jacobian, robot.passive, robot.driven)
        names = [robot.names[k] for k in robot.driven]
        found.append(dict(zip(names, map(float, effort), strict=True)))
    return found
