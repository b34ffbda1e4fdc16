# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Named motions of the actuators: those of two papers, a smooth one, a day's work, and gaits."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from charmie_dynamics.errors import CharmieError, UnknownNameError, choices
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats

from .gaits import GAITS
from .motion import Motion, MotionPoint
from .splines import joined_points
from .tabulated import is_table, read_motion
from .walking import LeggedWalk
from .workday import way_points


def make_motion(name: str, model: Model) -> Motion:
    """Return a named motion.

    Parameters
    ----------
    name : {"paper_5s", "paper_20s", "wave", "workday", "tripod", "trot"}, or the path of a table
    model : Model
        The papers' motions and `workday` are for CHARMIE; `wave` is for any robot; `tripod` for
        the hexapod `athena` and `trot` for the `quadruped`. A table (.csv) has the motion of each
        actuator, see `tabulated`.

    Raises
    ------
    UnknownNameError
        For an unknown name.
    CharmieError
        If the motion does not fit the model.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.motions import make_motion
    >>> motion = make_motion("paper_5s", load_model())
    >>> position, velocity, acceleration = motion.at(2.5)
    >>> motion.duration, round(float(velocity[0]), 3)  # s, m/s
    (5.0, -0.075)
    """
    if is_table(name):
        table = read_motion(name, model)
        return Motion(name, float(table.time[-1]), table.at)
    maker = _MAKERS.get(name)
    if maker is None:
        raise UnknownNameError(f"motion '{name}' is unknown{choices(name, _MAKERS)}")
    return maker(model)


def natural_stance(model: Model) -> Floats:
    """Return the rest positions of the actuators (a,): the rest pose, or the middle of their range.

    In a wide range it is as near to zero as possible.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.motions.named import natural_stance
    >>> model = load_model()
    >>> float(natural_stance(model)[model.actuator_names.index("left_arm_joint_2")])
    1.35
    """
    entries = model.flat.freedoms.position_entry[model.actuator_index]
    stance: Floats = model.rest_position()[entries]
    return stance


def _by_name(model: Model, motion: str, rest: float, others: dict[str, float]) -> Floats:
    """Return one value for each actuator: `others` by name, and `rest` by default."""
    for name in others:
        if name not in model.actuator_names:
            raise CharmieError(
                f"motion '{motion}' needs the actuator '{name}'; expected CHARMIE, got the robot "
                f"'{model.name}' with {', '.join(model.actuator_names)}"
            )
    return np.array([others.get(name, rest) for name in model.actuator_names])


def _paper_5s(model: Model) -> Motion:
    """Return the motion of the multibody paper, section 6: constant accelerations for 2.5 s each.

    First backwards, then forwards. Every revolute actuator has pi/9 rad/s^2, the two linear
    actuators 3 mm/s^2 from a length of 400 mm, the two slides of the base 30 mm/s^2; all are at
    rest after 5 s.
    """
    lengths = {"lift_actuator": 0.4, "torso_actuator": 0.4}
    start = _by_name(model, "paper_5s", 0.0, lengths)
    rates = {"lift_actuator": 0.003, "torso_actuator": 0.003}
    slides = {"base_x_joint": 0.03, "base_y_joint": 0.03}
    reference = _by_name(model, "paper_5s", math.pi / 9.0, {**rates, **slides})
    half = 2.5

    def at(t: float) -> MotionPoint:
        t = min(max(t, 0.0), 2.0 * half)
        if t < half:
            return MotionPoint(start - 0.5 * t * t * reference, -t * reference, -reference)
        left = 2.0 * half - t
        end = start - half * half * reference
        return MotionPoint(end + 0.5 * left * left * reference, -left * reference, reference)

    return Motion("paper_5s", 2.0 * half, at)


def _paper_20s(model: Model) -> Motion:
    """Return the motion of the forward kinematics paper, section 4.4: constant velocities.

    Revolute joints pi/36 rad/s (neck pi/72), slides and lift actuator 5 mm/s from 400 mm, torso
    actuator 2.5 mm/s from 350 mm.
    """
    lengths = {"lift_actuator": 0.4, "torso_actuator": 0.35}
    start = _by_name(model, "paper_20s", 0.0, lengths)
    neck = math.pi / 72.0
    slow = {"neck_pan_joint": neck, "neck_tilt_joint": neck}
    slides = {"base_x_joint": 0.005, "base_y_joint": 0.005}
    linear = {"lift_actuator": 0.005, "torso_actuator": 0.0025}
    velocity = _by_name(model, "paper_20s", math.pi / 36.0, {**slow, **slides, **linear})

    def at(t: float) -> MotionPoint:
        t = min(max(t, 0.0), 20.0)
        return MotionPoint(start + t * velocity, velocity.copy(), np.zeros_like(velocity))

    return Motion("paper_20s", 20.0, at)


def _wave(model: Model) -> Motion:
    """Return a smooth periodic motion of all actuators within their limits.

    Each actuator oscillates about its rest pose with whole numbers of cycles in 20 s, so that the
    motion is periodic, including its derivatives. Velocities are below the rated ones, if defined.
    """
    duration = 20.0
    base = 2.0 * math.pi / duration
    limits = model.actuator_limits()
    count = len(limits)
    middle = natural_stance(model)
    swing = np.zeros(count)
    slow = 1.0 + np.arange(count) % 2  # cycles in the duration
    fast = slow + 2.0
    phase = 0.7 * np.arange(count)
    fastest = base * (0.8 * slow + 0.2 * fast)  # of an oscillation of amplitude one, for any phase
    for i, limit in enumerate(limits):
        room = min(limit.upper - middle[i], middle[i] - limit.lower)
        # 0 denotes an undefined rated velocity
        swing[i] = min(0.6 * room, 0.4, 0.8 * (limit.velocity or math.inf) / fastest[i])

    def at(t: float) -> MotionPoint:
        position, velocity, acceleration = middle.copy(), np.zeros(count), np.zeros(count)
        for share, cycles in ((0.8, slow), (0.2, fast)):
            w = base * cycles
            angle = w * t + phase
            position += share * swing * np.sin(angle)
            velocity += share * swing * w * np.cos(angle)
            acceleration -= share * swing * w * w * np.sin(angle)
        return MotionPoint(position, velocity, acceleration)

    return Motion("wave", duration, at)


def _workday(model: Model) -> Motion:
    """Return the motion of ``workday``, at rest at each of its points."""
    time, points = way_points()
    position = np.array([_by_name(model, "workday", 0.0, point) for point in points])
    unknown = set(model.actuator_names) - set(points[0])
    if unknown:
        raise CharmieError(
            f"motion 'workday' does not know the actuators {', '.join(sorted(unknown))}; expected "
            f"CHARMIE, got the robot '{model.name}'"
        )
    rest = np.zeros_like(position)
    return Motion("workday", float(time[-1]), joined_points(time, position, rest, rest).at)


def _gait(name: str) -> Callable[[Model], Motion]:
    def make(model: Model) -> Motion:
        walk = LeggedWalk(model, name)
        return Motion(name, walk.duration, walk.at)

    return make


_MAKERS: dict[str, Callable[[Model], Motion]] = {
    "paper_5s": _paper_5s,
    "paper_20s": _paper_20s,
    "wave": _wave,
    "workday": _workday,
    **{name: _gait(name) for name in GAITS},
}
