# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Limits of efforts, and stops of joints."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from charmie_dynamics.control.per_actuator import PerActuator, per_actuator
from charmie_dynamics.core.integration import step_arrays as rows
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats

# defaults of stops
YIELD = 0.05  # rad, and tenths of m: under the rated effort they yield by this at most
STEPS_A_RADIAN = 5.0  # steps for a radian of the oscillation of a joint in a stop
DAMPING_RATIO = 0.5  # of that oscillation
RAMP = 1e-3  # rad, and tenths of m: where their damping is whole


@dataclass(frozen=True)
class JointStops:
    """Springs and dampers at the ends of the ranges, see `core.integration.joint_loads`.

    Omitted values follow from the robot and the step h. Let m be the inertia that an actuator moves
    at the zero position while all others yield. The stiffness is (1 / (5 h))^2 m, so that there are
    five steps for a radian of the oscillation in the stop, or the stiffness that yields by 0.05 rad
    or 5 mm to the rated effort, if that is larger. The damping is sqrt(stiffness m), half of the
    critical damping.

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


def joint_laws(
    model: Model,
    *,
    step: float,
    effort_limits: PerActuator | bool | None = None,
    joint_stops: JointStops | bool = False,
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
    if effort_limits is not None and effort_limits is not False:
        limits: PerActuator = {} if effort_limits is True else effort_limits
        # 0 denotes an unknown rated effort
        rated = np.array([limit.effort or math.inf for limit in model.actuator_limits()])
        laws[rows.LARGEST_EFFORT, driven] = per_actuator("effort_limits", limits, names, rest=rated)
    if joint_stops:
        stops = JointStops() if joint_stops is True else joint_stops
        laws[rows.LOWER_STOP :, driven] = _stop_laws(model, stops, step)
    return laws


def _stop_laws(model: Model, stops: JointStops, step: float) -> Floats:
    """Return the rows of the stops (5, a)."""
    names, driven = model.actuator_names, model.actuator_index
    limits = model.actuator_limits()
    lower = np.array([limit.lower for limit in limits])
    upper = np.array([limit.upper for limit in limits])
    length = np.array([0.1 if unit == "N" else 1.0 for unit in model.effort_units])
    mass_matrix = model.equations(model.zero_position()).mass_matrix
    yielding = np.diagonal(np.linalg.inv(mass_matrix))
    # with closed loops it is the inverse for the actuators alone
    inertia = 1.0 / (yielding if len(yielding) == len(driven) else yielding[driven])
    rated = np.array([limit.effort for limit in limits])
    found = inertia / (STEPS_A_RADIAN * step) ** 2
    found = np.maximum(found, np.where(np.isfinite(rated), rated, 0.0) / (YIELD * length))
    stiffness = found if stops.stiffness is None else _given("stiffness", stops.stiffness, names)
    damping = 2.0 * DAMPING_RATIO * np.sqrt(stiffness * inertia)
    if stops.damping is not None:
        damping = _given("damping", stops.damping, names)
    open_ended = ~(np.isfinite(lower) | np.isfinite(upper))
    return np.array([lower, upper, np.where(open_ended, 0.0, stiffness), damping, RAMP * length])


def _given(subject: str, given: PerActuator, names: tuple[str, ...]) -> Floats:
    return per_actuator(f"{subject} of joint stops", given, names)


def stop_energy(laws: Floats, entries: np.ndarray, position: Floats) -> Floats:
    """Return the energy (k,) in the stops at positions (k, p)."""
    x = position[:, entries]
    depth = np.maximum(laws[rows.LOWER_STOP] - x, x - laws[rows.UPPER_STOP])
    energy: Floats = 0.5 * np.sum(laws[rows.STOP_STIFFNESS] * np.maximum(depth, 0.0) ** 2, axis=1)
    return energy
