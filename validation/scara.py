# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The SCARA of the package and what it is to do: two turns of a circle that lies askew.

The path is chosen, since that of the structural paper is not to be had, so that every joint moves:
the circle is tilted, so that the first joint lifts, and the tool nods.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from charmie_dynamics import Model
from charmie_dynamics.model.description.robot import Joint, JointFriction
from charmie_dynamics.motions import SampledMotion
from charmie_dynamics.numerics.vectors import Floats

STEP = 1e-3  # s, of the controller
DURATION = 4.0  # s
TURNS = 2
CENTRE = (0.62, 0.05, 0.38)  # m, in the world
RADIUS = 0.12  # m
TILT = 0.5  # rad, about y
NOD = 0.4  # rad, of joint 5
# Where the robot stands at first, beside the path: d1 (m), and the angles (rad).
OFFSET = (0.02, 0.10, -0.10, 0.10, -0.10)
# viscous (N s/m, N m s), Coulomb (N, N m); estimated as all numbers of this robot
FRICTION = {
    "joint_1": JointFriction(40.0, 15.0),
    "joint_2": JointFriction(1.0, 1.0),
    "joint_3": JointFriction(0.3, 0.3),
    "joint_4": JointFriction(0.05, 0.05),
    "joint_5": JointFriction(0.004, 0.008),
}


class _Course(NamedTuple):
    """A quantity over time with its first and second derivative."""

    value: Floats
    rate: Floats
    acceleration: Floats

    def __add__(self, other: Any) -> _Course:
        if isinstance(other, _Course):
            return _Course(*(a + b for a, b in zip(self, other, strict=True)))
        return self._replace(value=self.value + other)

    def __mul__(self, factor: Any) -> _Course:
        return _Course(*(factor * a for a in self))


def desired_motion(model: Model) -> SampledMotion:
    """Return the motion of the five joints at each step.

    Links 4 and 5 keep pointing along x; so the two-link arm before them has to reach a point, and
    its rates and accelerations follow from its Jacobian.
    """
    time = np.arange(round(DURATION / STEP) + 1, dtype=float) * STEP
    angle = _turns(time)
    sine, cosine = _of_angle(angle, np.sin), _of_angle(angle, np.cos)
    joint_5 = sine * NOD
    hand, tool = _reach(model, "joint_5"), _reach(model, "tool_mount_joint")
    nod_x, nod_z = _of_angle(joint_5, np.cos) * tool, _of_angle(joint_5, np.sin) * -tool
    x = cosine * (RADIUS * np.cos(TILT)) + nod_x * -1.0 + (CENTRE[0] - hand)
    y = sine * RADIUS + CENTRE[1]
    z = cosine * (-RADIUS * np.sin(TILT)) + nod_z * -1.0 + CENTRE[2]
    joint_2, joint_3 = _two_links(x, y, _reach(model, "joint_3"), _reach(model, "joint_4"))
    joint_4 = (joint_2 + joint_3) * -1.0
    lift = z + -float(_joint(model, "joint_1").p_parent_joint[2])
    joints = (lift, joint_2, joint_3, joint_4, joint_5)
    return SampledMotion(time, *(np.column_stack(parts) for parts in zip(*joints, strict=True)))


def circle(angles: Floats) -> Floats:
    """Return points (k, 3) of the path."""
    across = RADIUS * np.cos(angles)
    return np.column_stack(
        (
            CENTRE[0] + across * np.cos(TILT),
            CENTRE[1] + RADIUS * np.sin(angles),
            CENTRE[2] - across * np.sin(TILT),
        )
    )


def scaled_masses(model: Model, factor: float) -> Model:
    """Return the robot with all masses and moments of inertia times a factor."""
    links = {
        name: link
        if link.inertial is None
        else replace(
            link,
            inertial=replace(
                link.inertial,
                mass=factor * link.inertial.mass,
                inertia=factor * link.inertial.inertia,
            ),
        )
        for name, link in model.tree.links.items()
    }
    return Model(replace(model.tree, links=links), model.mechanisms)


def with_friction(model: Model) -> Model:
    """Return the robot with friction in its joints."""
    return Model(model.tree, replace(model.mechanisms, friction=FRICTION))


def _turns(time: Floats) -> _Course:
    """Return the angle on the circle: from rest to rest by a polynomial of fifth degree."""
    s, scale = time / DURATION, 2.0 * np.pi * TURNS
    return _Course(
        scale * s**3 * (10.0 - 15.0 * s + 6.0 * s**2),
        scale / DURATION * 30.0 * s**2 * (1.0 - s) ** 2,
        scale / DURATION**2 * 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s),
    )


def _of_angle(angle: _Course, function: np.ufunc) -> _Course:
    """Return the sine or cosine of an angle."""
    shift = 0.5 * np.pi
    value = function(angle.value)
    slope = function(angle.value + shift)  # the derivative of either
    return _Course(value, slope * angle.rate, slope * angle.acceleration - value * angle.rate**2)


def _two_links(x: _Course, y: _Course, first: float, second: float) -> tuple[_Course, _Course]:
    """Return the angles of two links in a plane that reach a point, the elbow at the right."""
    bend = (x.value**2 + y.value**2 - first**2 - second**2) / (2.0 * first * second)
    elbow = np.arccos(bend)
    inner = second * np.sin(elbow), first + second * np.cos(elbow)
    shoulder = np.arctan2(y.value, x.value) - np.arctan2(*inner)
    total = shoulder + elbow
    cos_1, sin_1 = first * np.cos(shoulder), first * np.sin(shoulder)
    cos_2, sin_2 = second * np.cos(total), second * np.sin(total)
    determinant = cos_1 * sin_2 - sin_1 * cos_2

    def solved(right_x: Floats, right_y: Floats) -> tuple[Floats, Floats]:
        """Return what stands for the rates of `shoulder` and `total`."""
        return (
            (right_x * cos_2 + right_y * sin_2) / determinant,
            -(right_x * cos_1 + right_y * sin_1) / determinant,
        )

    rate_1, rate_2 = solved(x.rate, y.rate)
    acceleration_1, acceleration_2 = solved(
        x.acceleration + cos_1 * rate_1**2 + cos_2 * rate_2**2,
        y.acceleration + sin_1 * rate_1**2 + sin_2 * rate_2**2,
    )
    return (
        _Course(shoulder, rate_1, acceleration_1),
        _Course(elbow, rate_2 - rate_1, acceleration_2 - acceleration_1),
    )


def _joint(model: Model, name: str) -> Joint:
    return next(joint for joint in model.tree.joints if joint.name == name)


def _reach(model: Model, joint: str) -> float:
    """Return how far a joint is from the one before it, along x (m)."""
    return float(_joint(model, joint).p_parent_joint[0])
