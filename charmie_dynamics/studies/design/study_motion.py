# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motions in a study: samples of a motion of the joints.

The motion of the joints is prescribed: if a candidate has the pins of a linear actuator at other
points, the same motion needs other lengths.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from charmie_dynamics.errors import InputError, UnknownNameError, UnsupportedError, choices
from charmie_dynamics.live.estimation.following import closed_motion, followed_motion
from charmie_dynamics.model.flat.loop_following import is_passive
from charmie_dynamics.model.model import Model
from charmie_dynamics.motions import joined_points, make_motion
from charmie_dynamics.motions.named import natural_stance
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.recordings.compute.analysis import analyse
from charmie_dynamics.recordings.compute.cycles import AnalysisSettings
from charmie_dynamics.recordings.read.recorded_inputs import RecordedInputs

RATE = 100.0  # Hz
SPAN = 0.8  # of the range of an actuator, for random motions
SWIFT = 0.5  # of its rated velocity, their average
SLOWEST = 1.0  # s between two points of a random motion, at least
WIDE = math.pi  # rad or m: range about zero of actuators without limits
UNRATED = 1.0  # rad/s or m/s
MOST_SAMPLES = 1_000_000  # of a motion
LEEWAY = 1e-9  # rad or m beyond a limit: round-off


@dataclass(frozen=True, eq=False)
class StudyMotion:
    """Samples of a motion of the actuators of the described robot.

    Attributes
    ----------
    name : str
    time : (N,) array
        In s.
    position, velocity, acceleration : (N, a) array
    beyond_limits : bool
        Whether limits of the actuators may be exceeded.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.studies import make_study_motion
    >>> wave = make_study_motion("wave", load_model(), duration=10.0)
    >>> wave.position.shape, float(wave.weight.sum().round(6))
    ((1000, 21), 10.0)
    """

    name: str
    time: Floats
    position: Floats
    velocity: Floats
    acceleration: Floats
    beyond_limits: bool = False

    def __len__(self) -> int:
        return len(self.time)

    @property
    def weight(self) -> Floats:
        """Duration (s) that each sample represents (N,): half of the time to each neighbour."""
        if len(self.time) < 2:
            return np.ones(len(self.time))
        step = np.diff(self.time)
        edges = np.concatenate(([step[0]], step, [step[-1]]))
        return np.asarray(0.5 * (edges[1:] + edges[:-1]))


def make_study_motion(
    name: str, model: Model, *, duration: float | None = None, rate: float = RATE
) -> StudyMotion:
    """Return a motion of the package, see `make_motion`, of a duration (s) at a rate (Hz).

    Raises
    ------
    CharmieError
        If the name is unknown, or the motion is not for this robot.
    """
    motion = make_motion(name, model)
    length = motion.duration if duration is None else duration
    time = _times(name, length, rate)
    # a closed motion repeats
    _, position, velocity, acceleration = motion.sampled(time % motion.duration)
    return with_passive(model, StudyMotion(name, time, position, velocity, acceleration))


def random_motion(
    model: Model, name: str, seed: int, *, duration: float = 10.0, rate: float = RATE
) -> StudyMotion:
    """Return a smooth motion through random points within limits and reach of the actuators.

    Parameters
    ----------
    model : Model
    name : str
        Its name in the study.
    seed : int
    duration, rate : float
        In s, Hz.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.studies import random_motion
    >>> motion = random_motion(load_model(), "any", seed=1, duration=5.0)
    >>> len(motion)
    500
    """
    time = _times(name, duration, rate)
    rng = np.random.default_rng(seed)
    limits = model.actuator_limits()
    lower = np.array([limit.lower if math.isfinite(limit.lower) else -WIDE for limit in limits])
    upper = np.array([limit.upper if math.isfinite(limit.upper) else WIDE for limit in limits])
    for actuator in model.mechanisms.linear_actuators:
        k, (low, high) = model.actuator_names.index(actuator.name), model.reach(actuator.name)
        lower[k] = max(lower[k], low)
        upper[k] = min(upper[k], high)
    rated = np.array(
        [limit.velocity if math.isfinite(limit.velocity) else UNRATED for limit in limits]
    )
    middle, half = 0.5 * (lower + upper), 0.5 * SPAN * (upper - lower)
    points, times = [middle + half * rng.uniform(-1.0, 1.0, len(limits))], [0.0]
    while times[-1] < duration:
        way = half * rng.uniform(-1.0, 1.0, len(limits)) + middle - points[-1]
        # actuators that would exceed their velocity go a part of the way
        step = rng.uniform(SLOWEST, 2.0 * SLOWEST)
        room = SWIFT * rated * step
        points.append(points[-1] + np.clip(way, -room, room))
        times.append(times[-1] + step)
    path = joined_points(np.array(times), np.array(points))
    _, position, velocity, acceleration = path.sampled(time)
    inside = np.clip(position, lower, upper)
    return with_passive(model, StudyMotion(name, time, inside, velocity, acceleration))


def _times(name: str, duration: float, rate: float) -> Floats:
    """Return the times (s) of the samples of a motion."""
    count = duration * rate
    if not count <= MOST_SAMPLES:
        raise InputError(
            f"motion '{name}': expected at most {MOST_SAMPLES} samples, got {count:g} of "
            f"{duration:g} s at {rate:g} Hz"
        )
    return np.arange(max(1, round(count))) / rate


def restricted(
    model: Model, motion: StudyMotion, actuators: Sequence[str], *, static: bool
) -> StudyMotion:
    """Return a motion of some or all actuators, optionally quasi-static.

    Parameters
    ----------
    model : Model
    motion : StudyMotion
    actuators : sequence of str
        The moving actuators; the others rest as in `motions.named.natural_stance`; empty: all.
    static : bool
        Whether velocities and accelerations are zero: a sequence of static poses.

    Raises
    ------
    UnknownNameError
        For an unknown actuator.

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.studies import make_study_motion
    >>> from charmie_dynamics.studies.design.study_motion import restricted
    >>> model = load_model()
    >>> wave = restricted(model, make_study_motion("wave", model), ["lift_actuator"], static=True)
    >>> moves = np.ptp(wave.position, axis=0) > 0.0
    >>> [model.actuator_names[k] for k in np.flatnonzero(moves)]
    ['lift_actuator']
    """
    require_actuator_names(model, actuators)
    if not (actuators or static):
        return motion
    if motion.position.shape[1] != len(model.actuator_names):
        raise UnsupportedError(
            f"motion '{motion.name}': expected a robot whose coordinates all have an actuator, got "
            f"'{model.name}' without; actuators and static are for such"
        )
    moves = np.isin(model.actuator_names, actuators) | (not actuators)
    position = np.where(moves, motion.position, natural_stance(model))
    share = np.where(moves & (not static), 1.0, 0.0)
    return StudyMotion(
        motion.name, motion.time, position, share * motion.velocity, share * motion.acceleration
    )


def require_actuator_names(model: Model, names: Sequence[str]) -> None:
    """Raise an `UnknownNameError` for the name of an actuator that the robot does not have."""
    for name in names:
        if name not in model.actuator_names:
            raise UnknownNameError(
                f"actuator '{name}' is unknown{choices(name, model.actuator_names)}"
            )


def recorded_motion(model: Model, name: str, bag: Path) -> StudyMotion:
    """Return the motion of a robot in a bag, smoothed with zero phase.

    Raises
    ------
    CharmieError
        If the bag cannot be read, or contains no motion of this robot.
    """
    settings = AnalysisSettings(dynamics=False)
    with RecordedInputs(bag) as recording:
        cycles = analyse(model, recording, settings).cycles
    arrays = cycles.arrays
    time = (cycles.stamps - cycles.stamps[0]) * 1e-9
    if (np.diff(time) <= 0.0).any():
        raise InputError(f"bag '{bag}': expected increasing stamps, as of one recorded run")
    q, v, a = (arrays[key] for key in ("position", "velocity", "acceleration"))
    return StudyMotion(name, time, q, v, a)


def with_passive(model: Model, motion: StudyMotion) -> StudyMotion:
    """Return a motion of the actuators with the dependent passive joints of the loops.

    Raises
    ------
    UnsupportedError
        If a joint has no actuator and is not part of a loop.
    OutOfReachError, LoopError
        If the loops cannot be closed.
    """
    if model.position_names == model.actuator_names:
        return motion
    passive = set(np.array(model.velocity_names)[is_passive(model.flat)].tolist())
    free = [n for n in model.velocity_names if n not in model.actuator_names and n not in passive]
    if free:
        raise UnsupportedError(
            f"motion '{motion.name}': nothing moves '{free[0]}'; expected a robot whose joints all "
            "have actuators or are parts of loops, or a recording that contains the others"
        )
    own = [model.velocity_names.index(name) for name in model.actuator_names]
    states = np.zeros((3, len(motion), len(model.velocity_names)))
    states[:, :, own] = motion.position, motion.velocity, motion.acceleration
    return _closed(model, motion, states)


def _closed(model: Model, motion: StudyMotion, states: Floats) -> StudyMotion:
    """Return a motion with closed loops, from the motion of the actuators (3, N, v)."""
    followed = followed_motion(model)
    if followed is None:
        return motion
    closed = [closed_motion(model, followed, tuple(sample)) for sample in states.transpose(1, 0, 2)]
    q, v, a = (np.array(part) for part in zip(*closed, strict=True))
    return StudyMotion(motion.name, motion.time, q, v, a, motion.beyond_limits)


def require_within_limits(model: Model, motion: StudyMotion) -> None:
    """Refuse positions beyond the limits of an actuator.

    Raises
    ------
    InputError
        Names actuator, position, time and limit.
    """
    fault = beyond_limits(model, motion)
    if fault:
        raise InputError(f"{fault}; expected a motion within them, or `beyond_limits: true`")


def beyond_limits(model: Model, motion: StudyMotion) -> str:
    """Return the actuator that exceeds its limits, the time and the count; empty if none does."""
    for name, limit in zip(model.actuator_names, model.actuator_limits(), strict=True):
        position = motion.position[:, model.position_names.index(name)]
        beyond = np.maximum(position - limit.upper, limit.lower - position)
        n = int(np.argmax(beyond))
        if beyond[n] > LEEWAY:
            count = int((beyond > LEEWAY).sum())
            return (
                f"actuator '{name}' is at {position[n]:.6g} after {motion.time[n]:.6g} s, beyond "
                f"its limits {limit.lower:.6g} to {limit.upper:.6g}, and so in {count} of "
                f"{len(motion)} samples"
            )
    return ""


def on_candidate(model: Model, base: Model, motion: StudyMotion) -> StudyMotion:
    """Return a motion of the joints of `base` as motion of the actuators of a candidate.

    Raises
    ------
    OutOfReachError
        If a linear actuator of the candidate cannot reach a position of its joint.
    """
    states = base.kinematics(motion.position, motion.velocity, motion.acceleration, workers=1)
    if model.mechanisms.loop_joints:
        states_given = np.array((states.joint_position, motion.velocity, motion.acceleration))
        motion = _closed(model, motion, states_given)
    arrays = np.array((motion.position, motion.velocity, motion.acceleration))
    of_joints = states.joint_position, states.joint_velocity, states.joint_acceleration
    for actuator in model.mechanisms.linear_actuators:
        own = model.actuator_names.index(actuator.name)
        k = model.joint_names.index(actuator.joint)
        for n in range(len(motion)):
            state = (float(array[n, k]) for array in of_joints)
            arrays[:, n, own] = model.actuator_from_joint(actuator.joint, *state)
    q, v, a = arrays
    return StudyMotion(motion.name, motion.time, q, v, a, motion.beyond_limits)
