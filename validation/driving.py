# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The robot on wheels, on the page of robots that walk and drive, and its figures.

The robot stands, drives by the efforts of its wheels, and tips over; each time what the floor says
is compared with what the model of the robot says.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from charmie_dynamics.numerics.vectors import Floats

from .driven_robot import DrivenRobot, Pose, Sample
from .driving_charts import draw_loads, draw_path, draw_tilt
from .harness.pages import IMAGES
from .tip_over import DIRECTIONS, TipOver, falls_at, tip_over

RAMP = 0.5  # s
ARM = 0.14  # m, of the suspension
SETTLES, STANDS = 1.5, 3.0  # s
BESIDE = 0.05  # by which share of the load at which it tips one is taken to prove it


class Leg(NamedTuple):
    """A part of the drive: what is asked for (m/s, rad/s), and for how long (s)."""

    name: str
    velocity: tuple[float, float, float]
    duration: float

    def at(self, time: float) -> Floats:
        """Return the velocity (3,) that is asked for: it rises and falls within `RAMP`."""
        share = min(1.0, time / RAMP, (self.duration - time) / RAMP)
        return max(0.0, share) * np.array(self.velocity)


LEGS = (
    Leg("forward", (0.0, 0.5, 0.0), 2.5),
    Leg("to the right", (0.5, 0.0, 0.0), 2.5),
    Leg("turning", (0.0, 0.0, 0.8), 2.5),
    Leg("in an arc", (0.2, 0.4, 0.6), 4.0),
)


class Drive(NamedTuple):
    """A leg as it was driven.

    Attributes
    ----------
    leg : Leg
    start : Sample
    samples : list of Sample
    """

    leg: Leg
    start: Sample
    samples: list[Sample]

    @property
    def steady(self) -> list[Sample]:
        """Those at full velocity, a little after the ramp."""
        begin = self.start.time
        last = begin + self.leg.duration - RAMP
        return [s for s in self.samples if begin + 2.0 * RAMP < s.time < last]


def drive_legs() -> list[Drive]:
    """Drive all legs, one after the other."""
    driven, drives = DrivenRobot(), []
    driven.follow((0.0, 0.0, 0.0), SETTLES)
    for leg in LEGS:
        start = driven.look()
        drives.append(Drive(leg, start, driven.follow(leg.at, leg.duration)))
    return drives


def standing_table() -> tuple[str, float]:
    """Return a row for each wheel, and by how much the robot creeps (um/s)."""
    driven = DrivenRobot()
    settled = driven.follow((0.0, 0.0, 0.0), SETTLES)[-1]
    at = [driven.robot.position_names.index(n) for n in _suspension(driven)]
    up = 1e3 * ARM * np.sin(settled.position[at])
    found = zip(driven.wheels.wheel_names, settled.loads, settled.by_model, up, strict=True)
    rows = [
        f"| {name.replace('_', ' ')} | {load:.1f} | {model:.1f} | {way:.2f} |"
        for name, load, model, way in found
    ]
    before = driven.follow((0.0, 0.0, 0.0), STANDS)[-1]
    after = driven.follow((0.0, 0.0, 0.0), STANDS)[-1]
    creep = math.hypot(after.true.x - before.true.x, after.true.y - before.true.y) / STANDS
    return "\n".join(rows), 1e6 * creep


def _suspension(driven: DrivenRobot) -> list[str]:
    return [name.replace("wheel_joint", "suspension_joint") for name in driven.wheels.joint_names]


def driving_table(drives: list[Drive]) -> str:
    """Return a row for each leg: velocities, loads, and how far odometry is off at its end."""
    rows = []
    for drive in drives:
        asked = drive.leg.velocity
        true = np.mean([s.velocity for s in drive.steady], axis=0)
        off = _between(drive.start.true, drive.samples[-1].true)
        told = _between(drive.start.odometry, drive.samples[-1].odometry)
        points = [(s.pressure, s.stability.zero_moment_point[:2]) for s in drive.samples]
        gap = max(np.abs(pressure - point).max() for pressure, point in points)
        loads = max(np.abs(s.loads - s.by_model).max() for s in drive.samples)
        rows.append(
            f"| {drive.leg.name} | {_triple(asked)} | {_triple(true)} | {_triple(off)} | "
            f"{_triple(told)} | {1e3 * gap:.2f} | {loads:.2f} |"
        )
    return "\n".join(rows)


def _triple(numbers: object) -> str:
    return ", ".join(f"{value + 0.0:.3f}" for value in np.round(np.asarray(numbers), 4))


def _between(start: Pose, end: Pose) -> Pose:
    """Return the end in the axes of the start."""
    c, s = math.cos(start.yaw), math.sin(start.yaw)
    x, y = end.x - start.x, end.y - start.y
    turn = math.remainder(end.yaw - start.yaw, math.tau)
    return Pose(c * x + s * y, -s * x + c * y, turn)


def odometry_sentence(drives: list[Drive]) -> str:
    """Return by how much odometry is off at the end, and how much is left with the true radius."""
    places = np.array([s.true[:2] for drive in drives for s in drive.samples])
    length = float(np.linalg.norm(np.diff(places, axis=0), axis=1).sum())
    pressed = drives[0].start.indentation
    short = 0.5 * pressed / float(DrivenRobot().wheels.radii.mean())
    as_given, corrected = (_odometry_error(drives, scale) for scale in (1.0, 1.0 - short))
    return (
        f"After {length:.2f} m odometry is off by {as_given}. Nearly all of this error has one "
        f"cause. The rollers indent by {1e3 * pressed:.2f} mm and the force acts at half of this "
        f"depth, so that the effective radius is {1e2 * short:.2f} % smaller. With this radius "
        f"odometry is off by {corrected}."
    )


def _odometry_error(drives: list[Drive], scale: float) -> str:
    """Return how far odometry is off at the end, whose velocities are scaled."""
    start, end = drives[0].start, drives[-1].samples[-1]
    place, yaw, before = np.array(start.true[:2]), start.true.yaw, start
    for sample in (s for drive in drives for s in drive.samples):
        step = sample.time - before.time
        x, y, turn = 0.5 * scale * step * (before.by_wheels + sample.by_wheels)
        c, s = math.cos(yaw + 0.5 * turn), math.sin(yaw + 0.5 * turn)
        place += (c * x - s * y, s * x + c * y)
        yaw, before = yaw + turn, sample
    gap = float(np.linalg.norm(place - end.true[:2]))
    turned = math.degrees(abs(math.remainder(yaw - end.true.yaw, math.tau)))
    return f"{1e3 * gap:.1f} mm and {turned:.2f} degrees"


def tipping_rows(falls: dict[tuple[str, str], TipOver]) -> str:
    """Return a row for each load and direction."""
    rows = []
    for (loading, direction), fall in falls.items():
        scale, unit = (math.degrees(1.0), "&deg;") if loading == "tilt" else (1.0, " N")
        numbers = (f"{scale * x:.1f}{unit}" for x in (fall.predicted, fall.first_lift, fall.tips))
        stands = not falls_at(loading, direction, (1.0 - BESIDE) * fall.tips)
        tips = falls_at(loading, direction, (1.0 + BESIDE) * fall.tips)
        rows.append(
            f"| {loading}, {direction} | {' | '.join(numbers)} | {1e3 * fall.margin:.1f} | "
            f"{'upright' if stands else 'tipped'}, {'tipped' if tips else 'upright'} |"
        )
    return "\n".join(rows)


def sections() -> dict[str, str]:
    """Run all and draw; return the contents of the page of robots that walk and drive."""
    standing, creep = standing_table()
    drives = drive_legs()
    draw_path(IMAGES / "driving_path.png", drives)
    draw_loads(IMAGES / "driving_loads.png", drives)
    falls = {
        (loading, direction): tip_over(loading, direction)
        for loading in ("tilt", "push")
        for direction in DIRECTIONS
    }
    draw_tilt(IMAGES / "driving_tilt.png", falls["tilt", "front"])
    return {
        "standing": standing,
        "creep": f"{1e3 * creep:.2g}",
        "driving": driving_table(drives),
        "odometry": odometry_sentence(drives),
        "tipping": tipping_rows(falls),
    }
