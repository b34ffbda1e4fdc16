# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Selection of the smallest drive for a motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from charmie_dynamics.errors import InputError, UnknownNameError, choices
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.studies.design.study_motion import StudyMotion, require_actuator_names

from .drive_table import SMALLEST_BY, DriveTable, Gear, Motor


class MotorLoad(NamedTuple):
    """Speeds (rad/s) and torques (N m) of a motor in a motion, (n,)."""

    speed: Floats
    torque: Floats


class DriveUse(NamedTuple):
    """Utilisation of a drive in a motion; above one it is not sufficient.

    Attributes
    ----------
    peak : float
        Largest torque relative to the torque that the motor has at that speed.
    heat : float
        Root mean square of the torque, including the duty, relative to the rated one.
    speed : float
        Largest speed relative to the maximum of motor and gear.
    gear : float
        Effort at the output of the gear: peak and cubic mean, relative to its limits.
    """

    peak: float
    heat: float
    speed: float
    gear: float

    @property
    def largest(self) -> float:
        """The largest utilisation."""
        return max(self)

    @property
    def limit(self) -> str:
        """The name of the largest utilisation."""
        return self._fields[int(np.argmax(self))]


@dataclass(frozen=True, eq=False)
class SizedDrive:
    """A drive for an actuator.

    Attributes
    ----------
    actuator : str
    motor, gear : Motor, Gear
    use : DriveUse
    load : MotorLoad
    is_enough : bool
        False: no drive of the table is sufficient; this one is nearest.
    """

    actuator: str
    motor: Motor
    gear: Gear
    use: DriveUse
    load: MotorLoad
    is_enough: bool


def motor_load(
    motor: Motor, gear: Gear, velocity: Floats, acceleration: Floats, effort: Floats
) -> MotorLoad:
    """Return the load of a motor for efforts (n,) of an actuator, velocities and accelerations.

    The losses of the gear are included in both directions, and the inertia of rotor and gear, too.

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics.studies.sizing.drive_table import Gear, Motor
    >>> from charmie_dynamics.studies.sizing.sizing import motor_load
    >>> motor = Motor("m", 1.0, 2.0, 300.0, 600.0)
    >>> gear = Gear("g", 50.0, efficiency=0.8)
    >>> velocity, effort = np.array([2.0, -2.0]), np.array([20.0, 20.0])
    >>> load = motor_load(motor, gear, velocity, np.zeros(2), effort)
    >>> load.speed, load.torque.round(2)
    (array([ 100., -100.]), array([0.5 , 0.32]))
    """
    drives = effort * velocity >= 0.0
    through = np.where(drives, 1.0 / gear.efficiency, gear.efficiency)
    own = (motor.rotor_inertia + gear.inertia) * gear.ratio * acceleration
    return MotorLoad(gear.ratio * velocity, effort / gear.ratio * through + own)


def drive_use(
    motor: Motor, gear: Gear, load: MotorLoad, effort: Floats, weight: Floats, duty: float
) -> DriveUse:
    """Return the utilisation of a drive in a motion.

    Parameters
    ----------
    motor, gear : Motor, Gear
    load : MotorLoad
    effort : (n,) array
        At the output of the gear.
    weight : (n,) array
        Duration (s) that each sample represents.
    duty : float
        Fraction of the time with the motion; the motor rests in between.
    """
    share = weight / weight.sum()
    room = motor.peak_torque_at(load.speed)
    torque = np.abs(load.torque)
    peak = np.divide(torque, room, out=np.where(torque > 0.0, np.inf, 0.0), where=room > 0.0)
    heat = np.sqrt(duty * float(share @ load.torque**2)) / motor.rated_torque
    fastest = float(np.abs(load.speed).max(initial=0.0))
    # the wear of a gear grows with the cube of the effort, at its speed
    speeds = share * np.abs(load.speed)
    total = speeds.sum()
    cubic = float(speeds @ np.abs(effort) ** 3 / total) ** (1.0 / 3.0) if total > 0.0 else 0.0
    at_output = float(np.abs(effort).max(initial=0.0)) / gear.peak_effort
    return DriveUse(
        float(peak.max(initial=0.0)),
        float(heat),
        fastest / min(motor.max_speed, gear.max_input_speed),
        max(at_output, cubic / gear.rated_effort),
    )


def size_drives(
    model: Model,
    motion: StudyMotion,
    table: DriveTable,
    actuators: Sequence[str] = (),
    *,
    duty: float = 1.0,
    smallest: str = "mass",
) -> list[SizedDrive]:
    """Return the smallest sufficient drive of each actuator for a motion.

    Parameters
    ----------
    model : Model
    motion : StudyMotion
    table : DriveTable
    actuators : sequence of str, optional
        Default: all.
    duty : float
        See `drive_use`.
    smallest : {"mass", "cost", "rated_torque"}
        Of motor and gear together.

    Raises
    ------
    UnknownNameError
        For an unknown actuator or measure.
    InputError
        If the table has no gear for an actuator, or the duty is not in 0 to 1.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.studies import make_study_motion
    >>> from charmie_dynamics.studies.sizing.drive_table import parse_drive_table
    >>> from charmie_dynamics.studies import size_drives
    >>> table = parse_drive_table('''
    ... motors:
    ...   small: {rated_torque: 0.1, peak_torque: 0.3, rated_speed: 300, max_speed: 600, mass: 0.2}
    ...   large: {rated_torque: 1.0, peak_torque: 3.0, rated_speed: 300, max_speed: 600, mass: 1.0}
    ... gears: {screw: {lead: 0.002, efficiency: 0.5}}
    ... ''')
    >>> model = load_model()
    >>> drives = size_drives(model, make_study_motion("wave", model), table, ["lift_actuator"])
    >>> drives[0].motor.name, drives[0].is_enough
    ('small', True)
    """
    if not 0.0 < duty <= 1.0:
        raise InputError(f"duty: expected a share above 0 and up to 1, got {duty:g}")
    if smallest not in SMALLEST_BY:
        raise UnknownNameError(f"smallest: '{smallest}' is unknown{choices(smallest, SMALLEST_BY)}")
    require_actuator_names(model, actuators)
    states = model.compute(motion.position, motion.velocity, motion.acceleration)
    drives = []
    for name in actuators or model.actuator_names:
        k = model.actuator_names.index(name)
        columns = motion.velocity[:, k], motion.acceleration[:, k], states.actuator_effort[:, k]
        is_linear = model.effort_units[k] == "N"
        drives.append(_smallest(name, is_linear, table, columns, motion.weight, (duty, smallest)))
    return drives


def _smallest(
    actuator: str,
    is_linear: bool,
    table: DriveTable,
    columns: tuple[Floats, Floats, Floats],
    weight: Floats,
    asked: tuple[float, str],
) -> SizedDrive:
    duty, measure = asked
    drives = []
    for gear in table.gears:
        if gear.linear == is_linear:
            for motor in table.motors:
                load = motor_load(motor, gear, *columns)
                use = drive_use(motor, gear, load, columns[2], weight, duty)
                drives.append(SizedDrive(actuator, motor, gear, use, load, use.largest <= 1.0))
    if not drives:
        kind, key = ("a screw", "lead") if is_linear else ("a gear", "ratio")
        raise InputError(f"actuator '{actuator}' needs {kind}: expected gears with {key}")
    enough = [drive for drive in drives if drive.is_enough]
    if not enough:
        return min(drives, key=lambda drive: drive.use.largest)

    def size(drive: SizedDrive) -> tuple[float, float]:
        # gears have no rated torque of a motor
        beside = 0.0 if measure == "rated_torque" else getattr(drive.gear, measure)
        return getattr(drive.motor, measure) + beside, -drive.use.largest

    return min(enough, key=size)
