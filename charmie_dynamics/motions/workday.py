# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Ten minutes of work of CHARMIE: four errands between home, floor, table and shelf.

In each it looks around, drives to an object, bends or rises to it, grips, lifts, moves and puts it
down, waits and drives home. Between poses all actuators move by quintic polynomials from rest
to rest. The object has no mass: use a payload of the model instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from charmie_dynamics.numerics.vectors import Floats


class ArmPose(NamedTuple):
    """Lift and torso actuator (m), and the six joints of the left arm (rad), mirrored to the right.

    Examples
    --------
    >>> from charmie_dynamics.motions.workday import ArmPose
    >>> pose = ArmPose(0.5, 0.43, (0.1, 1.4, -1.4, 0.5, 0.0, 0.2))
    >>> pose.values()["right_arm_joint_1"]
    -0.1
    """

    lift: float
    torso: float
    arm: tuple[float, float, float, float, float, float]

    def values(self) -> dict[str, float]:
        """Return the positions by actuator."""
        positions = {"lift_actuator": self.lift, "torso_actuator": self.torso}
        for k, (angle, mirrored) in enumerate(zip(self.arm, MIRRORED, strict=True), 1):
            positions[f"left_arm_joint_{k}"] = angle
            positions[f"right_arm_joint_{k}"] = mirrored * angle
        return positions


MIRRORED = (-1.0, 1.0, -1.0, 1.0, -1.0, 1.0)
POSES = {
    "ready": ArmPose(0.50, 0.425, (0.15, 1.35, -1.45, 0.60, 0.0, 0.0)),
    "carry": ArmPose(0.50, 0.430, (0.04, 1.54, -1.29, 1.32, 0.0, 0.23)),
    "above the floor": ArmPose(0.42, 0.360, (-0.40, 1.57, -1.35, 1.00, 0.0, 0.1)),
    "at the floor": ArmPose(0.39, 0.338, (-1.12, 1.62, -1.48, 0.0, 0.0, 0.0)),
    "before the table": ArmPose(0.50, 0.420, (-0.10, 1.57, -1.32, 1.60, 0.0, 0.2)),
    "at the table": ArmPose(0.46, 0.400, (-0.43, 1.59, -1.34, 1.34, 0.0, 0.21)),
    "before the shelf": ArmPose(0.575, 0.430, (-0.44, 1.57, -1.31, 1.81, 0.0, 0.34)),
    "at the shelf": ArmPose(0.575, 0.430, (-0.84, 1.62, -1.38, 1.23, 0.0, 0.16)),
}
PLACES = {  # base: x, y (m), yaw (rad)
    "home": (0.0, 0.0, 0.0),
    "floor": (1.2, 1.6, -0.5),
    "table": (-1.5, 1.0, 0.9),
    "shelf": (0.6, -1.4, -1.2),
}
BASE = ("base_x_joint", "base_y_joint", "base_yaw_joint")
OPEN, CLOSED = 0.7, 0.3  # rad, of the grippers
ERRANDS = (("floor", "table"), ("floor", "shelf"), ("table", "shelf"), ("shelf", "floor"))


def errand(source: str, target: str) -> list[tuple[float, Mapping[str, float]]]:
    """Return the steps of an errand: duration of each (s), and positions of moving actuators.

    Examples
    --------
    >>> from charmie_dynamics.motions.workday import errand
    >>> sum(seconds for seconds, _ in errand("floor", "table"))
    150.0
    """
    approach = {place: "above the floor" if place == "floor" else f"before the {place}"
                for place in PLACES}  # fmt: skip
    return [
        (4.0, _look(0.9, 0.1)),
        (6.0, _look(-0.9, 0.1)),
        (4.0, _look(0.0, 0.0)),
        (6.0, {}),
        (12.0, _place(source)),
        (6.0, {**_pose(approach[source]), **_look(0.0, 0.5), **_grip(OPEN)}),
        (5.0, _pose(f"at the {source}")),
        (2.0, _grip(CLOSED)),
        (5.0, _pose(approach[source])),
        (6.0, {**_pose("carry"), **_look(0.0, 0.1)}),
        (16.0, _place(target)),
        (6.0, {**_pose(approach[target]), **_look(0.0, 0.4)}),
        (5.0, _pose(f"at the {target}")),
        (2.0, _grip(OPEN)),
        (4.0, _pose(approach[target])),
        (6.0, {**_pose("ready"), **_look(0.0, 0.0), **_grip(CLOSED)}),
        (15.0, {}),
        (12.0, _place("home")),
        (28.0, {}),
    ]


def way_points() -> tuple[Floats, list[dict[str, float]]]:
    """Return times (k,), and the position of each actuator at these times, by name.

    Examples
    --------
    >>> from charmie_dynamics.motions.workday import way_points
    >>> time, points = way_points()
    >>> float(time[-1]), points[0] == points[-1]
    (600.0, True)
    """
    times = [0.0]
    points = [{**_place("home"), **_pose("ready"), **_look(0.0, 0.0), **_grip(CLOSED)}]
    for source, target in ERRANDS:
        for seconds, moved in errand(source, target):
            times.append(times[-1] + seconds)
            points.append({**points[-1], **moved})
    return np.array(times), points


def _place(name: str) -> dict[str, float]:
    return dict(zip(BASE, PLACES[name], strict=True))


def _pose(name: str) -> dict[str, float]:
    return POSES[name].values()


def _look(pan: float, tilt: float) -> dict[str, float]:
    return {"neck_pan_joint": pan, "neck_tilt_joint": tilt}


def _grip(angle: float) -> dict[str, float]:
    return {"left_gripper_joint": -angle, "right_gripper_joint": angle}
