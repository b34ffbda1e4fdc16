# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Limits of efforts, position drives, and stops of joints."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from charmie_dynamics.control import PerActuator
from charmie_dynamics.control.per_actuator import per_actuator, rated_efforts
from charmie_dynamics.control.wheel_drive import joints_at_wheels
from charmie_dynamics.core.integration import step_arrays as rows
from charmie_dynamics.errors import LoopError, OutOfReachError
from charmie_dynamics.model.description.world import RobotEntity
from charmie_dynamics.model.equations.accelerations import solve_accelerations
from charmie_dynamics.model.equations.constraints import reduction
from charmie_dynamics.model.flat.loop_following import is_passive
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats, Ints

from .methods import require_positive

# defaults of stops
YIELD = 0.05  # rad, and tenths of m: under the rated effort they yield by this at most
STEPS_A_RADIAN = 5.0  # steps for a radian of the oscillation of a joint in a stop
DAMPING_RATIO = 0.5  # of that oscillation
RAMP = 1e-3  # rad, and tenths of m: where their damping is whole
# defaults of drives
DRIVE_FREQUENCY = (
    200.0  # rad/s, of an actuator with all bodies that it moves, if the step allows it
)
MOST_A_STEP = 0.2  # rad of this oscillation


@dataclass(frozen=True)
class JointStops:
    """Springs and dampers at the ends of the ranges, see `core.integration.joint_loads`.

    Omitted values follow from the robot and the step h. Let m be the inertia that an actuator moves
    at the zero position while all others yield; at the start if loops do not close at zero. The
    stiffness is (1 / (5 h))^2 m, so that there are five steps for a radian of the oscillation in
    the stop, or the stiffness that yields by 0.05 rad or 5 mm to the rated effort, if that is
    larger. The damping is sqrt(stiffness m), half of the critical damping.

    Parameters
    ----------
    stiffness : float, (a,) array_like or mapping of str to float, optional
        In N/m or N m/rad; 0: no stop.
    damping : float, (a,) array_like or mapping of str to float, optional
        In N s/m or N m s/rad.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.simulation import JointStops, Plant
    >>> model = load_model("charmie_lar")
    >>> plant = Plant(model, model.zero_position(), joint_stops=JointStops(stiffness=500.0))
    """

    stiffness: PerActuator | None = None
    damping: PerActuator | None = None


@dataclass(frozen=True)
class JointDrives:
    """Position drives, which add `stiffness (target - q) + damping (target' - v)` to the efforts.

    Omitted values follow from the robot: `stiffness = m w^2`, `damping = 2 m w`, with the inertia m
    that an actuator moves at the start while all others yield. Suspensions of wheels have springs
    and no drive.

    Parameters
    ----------
    stiffness : float, (a,) array_like or mapping of str to float, optional
        In N/m or N m/rad; 0 and no damping: no drive. Actuators that a mapping does not name have
        the default.
    damping : float, (a,) array_like or mapping of str to float, optional
        In N s/m or N m s/rad.
    frequency : float, optional
        w (rad/s); if omitted min(200, 0.2 / (c h)) with the step h. The coupling c of the drives,
        from 1 to their number, is the largest eigenvalue of M^-1 diag(m).

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.simulation import JointDrives, Plant
    >>> model = load_model("scara")
    >>> plant = Plant(model, model.zero_position(), joint_drives=JointDrives())
    >>> plant.advance([0.0] * 5, steps=500, position=[0.1, 0.0, 0.0, 0.0, 0.0])
    >>> round(float(plant.position[0]), 2)
    0.1
    """

    stiffness: PerActuator | None = None
    damping: PerActuator | None = None
    frequency: float | None = None


def joint_laws(
    model: Model,
    *,
    step: float,
    effort_limits: PerActuator | bool | None = None,
    joint_stops: JointStops | bool = False,
    joint_drives: JointDrives | bool = False,
    position: Floats | None = None,
) -> Floats:
    """Return the laws (LAW_COUNT, v) of `core.integration.step_arrays`.

    Parameters
    ----------
    model : Model
    step : float
        For which stops are made (s).
    effort_limits : optional
        Largest efforts: True for the rated ones, or as for a `Controller`; None or False: no limit.
    joint_stops : JointStops or bool
        True for those by default.
    joint_drives : JointDrives or bool
        The same.
    position : (p,) array, optional
        At the start; the zero position if omitted.

    Raises
    ------
    InputError, UnknownNameError
        As for a `Controller`.
    """
    names = model.actuator_names
    laws = np.zeros((rows.LAW_COUNT, len(model.velocity_names)))
    laws[rows.LARGEST_EFFORT] = math.inf
    laws[rows.STOP_RAMP] = 1.0
    driven = model.actuator_index
    start = model.zero_position() if position is None else position
    if effort_limits is not None and effort_limits is not False:
        limits: PerActuator = {} if effort_limits is True else effort_limits
        rated = rated_efforts(model)
        laws[rows.LARGEST_EFFORT, driven] = per_actuator("effort_limits", limits, names, rest=rated)
    if joint_stops:
        stops = JointStops() if joint_stops is True else joint_stops
        reference = _closed_position(model, start)
        of_stops = slice(rows.LOWER_STOP, rows.STOP_RAMP + 1)
        laws[of_stops, driven] = _stop_laws(model, stops, step, reference)
        passive, found = _passive_stop_laws(model, stops, step, reference)
        laws[of_stops, passive] = found
    if joint_drives:
        drives = JointDrives() if joint_drives is True else joint_drives
        frequency = drives.frequency
        if frequency is None:
            frequency = min(DRIVE_FREQUENCY, MOST_A_STEP / (coupling_of(model, start) * step))
        require_positive(frequency=frequency)
        gains = drive_gains(model, start, frequency)
        for row, gain, name in (
            (rows.DRIVE_STIFFNESS, gains[0], "stiffness"),
            (rows.DRIVE_DAMPING, gains[1], "damping"),
        ):
            given = getattr(drives, name)
            if isinstance(given, Mapping):
                given = {**dict(zip(names, gain.tolist(), strict=True)), **given}
            if given is not None:
                gain = per_actuator(f"{name} of joint drives", given, names)
            laws[row, driven] = gain
    return laws


def inverse_inertia(model: Model, position: Floats) -> Floats:
    """Return the rows and columns of actuators (a, a) of the inverse M^-1 of the mass matrix.

    While all others yield, an actuator moves the inertia 1 / (M^-1)_ii.

    Raises
    ------
    MassMatrixError
        If the motion of a joint has no inertia; names it.
    """
    moving = _moving(model)
    entries = [moving.index(name) for name in model.actuator_names]
    return _inverse_mass(model, position)[np.ix_(entries, entries)]


def _inverse_mass(model: Model, position: Floats) -> Floats:
    M, moving = model.equations(position).mass_matrix, _moving(model)
    return solve_accelerations(M, np.eye(len(moving)), moving, model.warnings)


def _moving(model: Model) -> list[str]:
    """Return the names of the coordinates that are not passive."""
    names: list[str] = np.array(model.velocity_names)[~is_passive(model.flat)].tolist()
    return names


def drive_gains(model: Model, position: Floats, frequency: float) -> tuple[Floats, Floats]:
    """Return stiffness and damping (a,) of drives, see `JointDrives`.

    Parameters
    ----------
    model : Model
    position : (p,) array
        At the start.
    frequency : float
        In rad/s.
    """
    inertia = _driven_inertia(model, inverse_inertia(model, position))
    return inertia * frequency**2, 2.0 * inertia * frequency


def coupling_of(model: Model, position: Floats) -> float:
    """Return the coupling of the drives, see `JointDrives`."""
    inverse = inverse_inertia(model, position)
    root = np.sqrt(_driven_inertia(model, inverse))
    return max(1.0, float(np.linalg.eigvalsh(root[:, None] * inverse * root)[-1]))


def _driven_inertia(model: Model, inverse: Floats) -> Floats:
    free = suspensions(model)
    driven = np.array([name not in free for name in model.actuator_names], dtype=np.float64)
    inertia: Floats = driven / np.diagonal(inverse)
    return inertia


def suspensions(model: Model | RobotEntity) -> set[str]:
    """Return the actuators between the base and a wheel with rollers, without those of wheels."""
    if not model.mechanisms.rollers:
        return set()
    wheels = set()
    for link in model.mechanisms.rollers:
        joint = model.tree.joint_of(link)
        if joint is not None:
            wheels.add(joint.name)
    return joints_at_wheels(model) - wheels


def _stop_laws(model: Model, stops: JointStops, step: float, position: Floats) -> Floats:
    """Return the rows of the stops (5, a)."""
    names, limits = model.actuator_names, model.actuator_limits()
    lower = np.array([limit.lower for limit in limits])
    upper = np.array([limit.upper for limit in limits])
    length = np.array([0.1 if unit == "N" else 1.0 for unit in model.effort_units])
    inertia = 1.0 / np.diagonal(inverse_inertia(model, position))
    rated = np.array([limit.effort for limit in limits])
    found = inertia / (STEPS_A_RADIAN * step) ** 2
    found = np.maximum(found, np.where(np.isfinite(rated), rated, 0.0) / (YIELD * length))
    stiffness = found if stops.stiffness is None else _given("stiffness", stops.stiffness, names)
    damping = 2.0 * DAMPING_RATIO * np.sqrt(stiffness * inertia)
    if stops.damping is not None:
        damping = _given("damping", stops.damping, names)
    open_ended = ~(np.isfinite(lower) | np.isfinite(upper))
    return np.array([lower, upper, np.where(open_ended, 0.0, stiffness), damping, RAMP * length])


def _passive_stop_laws(
    model: Model, stops: JointStops, step: float, position: Floats
) -> tuple[Ints, Floats]:
    """Return the passive coordinates (k,) with limits, and the rows of their stops (5, k).

    Those in idle motions have no stops.
    """
    limits = {
        joint.name: joint for joint in model.tree.joints if joint.type in ("revolute", "prismatic")
    }
    names = model.flat.joint_names
    own = [c for c in np.flatnonzero(is_passive(model.flat)) if names[c] in limits]
    if not own:
        return np.empty(0, dtype=np.int64), np.empty((rows.STOP_RAMP + 1 - rows.LOWER_STOP, 0))
    still = np.zeros(len(names))
    found = reduction(model.flat, (position, still, still), model.constraints(position))
    ratio = found.ratio[own]
    inverse = _inverse_mass(model, position)
    mobility = np.einsum("ki,ij,kj->k", ratio, inverse, ratio)
    own = [c for c, moves in zip(own, mobility > 0.0, strict=True) if moves]
    inertia = 1.0 / mobility[mobility > 0.0]
    joints = [limits[names[c]] for c in own]
    length = np.array([0.1 if joint.type == "prismatic" else 1.0 for joint in joints])
    stiffness = _for_all(stops.stiffness, inertia / (STEPS_A_RADIAN * step) ** 2)
    damping = _for_all(stops.damping, 2.0 * DAMPING_RATIO * np.sqrt(stiffness * inertia))
    lower = np.array([joint.limit.lower for joint in joints])
    upper = np.array([joint.limit.upper for joint in joints])
    found_laws = np.array([lower, upper, stiffness, damping, RAMP * length])
    return np.array(own, dtype=np.int64), found_laws


def _for_all(given: PerActuator | None, rest: Floats) -> Floats:
    """Return a single number for all, or `rest` if another form names actuators."""
    is_single = given is not None and not isinstance(given, Mapping) and np.ndim(given) == 0
    return np.full(len(rest), given, dtype=np.float64) if is_single else rest


def _closed_position(model: Model, start: Floats) -> Floats:
    """Return the zero position with closed loops, or the start if they do not close there."""
    zero = model.zero_position()
    if not model.mechanisms.loop_joints:
        return zero
    try:
        return model.assemble(zero).position
    except (LoopError, OutOfReachError):
        return start


def _given(subject: str, given: PerActuator, names: tuple[str, ...]) -> Floats:
    return per_actuator(f"{subject} of joint stops", given, names)


def stop_energy(laws: Floats, entries: np.ndarray, position: Floats) -> Floats:
    """Return the energy (k,) in the stops at positions (k, p)."""
    x = position[:, entries]
    depth = np.maximum(laws[rows.LOWER_STOP] - x, x - laws[rows.UPPER_STOP])
    energy: Floats = 0.5 * np.sum(laws[rows.STOP_STIFFNESS] * np.maximum(depth, 0.0) ** 2, axis=1)
    return energy
