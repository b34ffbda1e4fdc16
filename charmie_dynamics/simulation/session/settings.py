# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Settings of a session: the parameters of the simulator node."""

from __future__ import annotations

import math
from dataclasses import dataclass

from charmie_dynamics.errors import InputError, choices
from charmie_dynamics.live.settings import DEFAULTS
from charmie_dynamics.live.wire.stamps import NANOSECONDS
from charmie_dynamics.motions import MOTION_NAMES
from charmie_dynamics.motions.tabulated import is_table

from .sensor_settings import MobileSensorSettings

# source of the motion while no command is active
IDLE = ("hold", "free")
# reported velocities: true, differences of the measured positions, or none
VELOCITIES = ("exact", "difference", "none")
ROUNDING = 1e-6  # relative difference of a rate or delay that is not reported


@dataclass(frozen=True)
class SessionSettings(MobileSensorSettings):
    """Settings of a session, with those of `MobileSensorSettings`.

    Parameters
    ----------
    step : float
        Length of a step (s), rounded to whole nanoseconds.
    rate : float
        Samples a second of simulated time (Hz), rounded to whole steps between two; see
        `rounded_values`.
    seed : int
        Of the noise.
    motion : str
        Name of a motion, or path of a table (.csv), that is followed without other commands;
        empty: none.
    loop : bool
        Repeat the motion at its end; false: stay there.
    idle : {"hold", "free"}
        Without a command and a motion: hold the pose, or apply no effort.
    tracking_gain : float
        Of the errors of followed motions (1/s^2), see `ComputedTorque`.
    input_timeout : float
        Commands except trajectories, and wrenches, older than this (s, simulated) are forgotten.
    hold_joint_commands : bool
        Joint commands stay active until the next command, as ros2_control expects of hardware.
    base_acceleration : float
        Largest change of the velocity of the base by velocity commands (m/s^2, rad/s^2).
    limit_efforts : bool
        Limit the efforts to the rated ones.
    joint_stops : bool
        Let joints meet stops at their limits.
    angle_resolution, length_resolution : float
        Steps to which measured positions are rounded (rad, m); 0: none.
    angle_noise, length_noise : float
        Standard deviation of measured positions (rad, m).
    velocities : {"exact", "difference", "none"}
        Reported velocities.
    sensor_delay : float
        Delay of a measurement (s), rounded to whole steps.

    Raises
    ------
    InputError
        If a value is not allowed; names it.

    Examples
    --------
    >>> from charmie_dynamics.simulation.session.settings import SessionSettings
    >>> SessionSettings(step=0.001, rate=100.0).steps_per_sample
    10
    """

    step: float = 0.001
    rate: float = 100.0
    seed: int = 0
    motion: str = ""
    loop: bool = True
    idle: str = "hold"
    tracking_gain: float = 400.0
    input_timeout: float = DEFAULTS.input_timeout
    hold_joint_commands: bool = False
    base_acceleration: float = 1.0
    limit_efforts: bool = True
    joint_stops: bool = True
    angle_resolution: float = 0.0
    length_resolution: float = 0.0
    angle_noise: float = 0.0
    length_noise: float = 0.0
    velocities: str = "exact"
    sensor_delay: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, valid in (("idle", IDLE), ("velocities", VELOCITIES)):
            value = getattr(self, name)
            if value not in valid:
                raise InputError(f"{name}: '{value}' is no choice{choices(value, valid)}")
        if self.motion and self.motion not in MOTION_NAMES and not is_table(self.motion):
            raise InputError(
                f"motion: '{self.motion}' is unknown{choices(self.motion, MOTION_NAMES)}"
            )
        if not self.seed >= 0:
            raise InputError(f"seed: expected a number of at least 0, got {self.seed}")
        for name in ("step", "rate", "tracking_gain", "input_timeout", "base_acceleration"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0.0):
                raise InputError(f"{name}: expected a finite number above 0, got {value:g}")
        if self.step * NANOSECONDS < 1.0:
            raise InputError(f"step: expected at least a nanosecond, got {self.step:g} s")
        for name in ENCODERS:
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0.0):
                raise InputError(f"{name}: expected a finite number of at least 0, got {value:g}")

    @property
    def step_nanoseconds(self) -> int:
        """Length of a step (ns)."""
        return round(self.step * NANOSECONDS)

    @property
    def steps_per_sample(self) -> int:
        """Steps from one sample to the next."""
        return max(1, round(1.0 / (self.rate * self.step)))

    @property
    def delay_steps(self) -> int:
        """Steps from a measurement to its publication."""
        return round(self.sensor_delay / self.step)

    @property
    def rounded_values(self) -> tuple[str, ...]:
        """A sentence for each rate and delay that is rounded, with the value in use."""
        rate = 1.0 / (self.steps_per_sample * self.step)
        scan_rate = NANOSECONDS / period_of(self, self.scan_rate) if self.scan_link else math.nan
        values = (
            ("rate", self.rate, rate, "Hz", "steps"),
            ("scan_rate", self.scan_rate, scan_rate, "Hz", "samples"),
            ("sensor_delay", self.sensor_delay, self.delay_steps * self.step, "s", "steps"),
        )
        return tuple(
            f"{name}: {given:g} {unit} is not a whole number of {parts}; {used:g} {unit} is used"
            for name, given, used, unit, parts in values
            if abs(given - used) > ROUNDING * given
        )


def period_of(settings: SessionSettings, rate: float) -> int:
    """Return the time between messages (ns) at a rate (Hz), in whole samples.

    Messages are due at its multiples, so that a reset repeats them.
    """
    sample = settings.steps_per_sample * settings.step_nanoseconds
    return max(1, round(NANOSECONDS / (rate * sample))) * sample


# values of at least zero
ENCODERS = (
    *("angle_resolution", "length_resolution", "angle_noise", "length_noise"),
    "sensor_delay",
)
