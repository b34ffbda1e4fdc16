# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Parameters of the simulator."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from rclpy.node import Node

from charmie_dynamics.errors import InputError
from charmie_dynamics.model.description.package_robots import PACKAGE_WORLDS
from charmie_dynamics.motions import MOTION_NAMES
from charmie_dynamics.ros.process.declaring import ParameterError, ParameterSpec, declare_known
from charmie_dynamics.ros.process.parameters import ROBOT_SPECS, specs_named
from charmie_dynamics.simulation.session.settings import IDLE, VELOCITIES, SessionSettings

SESSION = SessionSettings()
FASTEST = 1000.0  # times real time
_OF_SESSION: tuple[tuple[str, str, tuple[float, float] | None], ...] = (
    ("step", "Step (s); reduced if contacts require it", (1e-6, 0.1)),
    ("rate", "Samples per second of simulated time (Hz), rounded to whole steps", (0.1, 10000.0)),
    ("seed", "Of the noise, and of random poses in a world", (0, 2**31 - 1)),
    (
        "motion",
        f"Motion to follow from the start: {', '.join(MOTION_NAMES)}, or a table (.csv); "
        "empty: none",
        None,
    ),
    ("loop", "Repeat the motion; false: stay at its end", None),
    ("idle", "Without command and motion: hold the pose, or move without efforts", None),
    ("tracking_gain", "Of the errors of followed motions (1/s^2)", (1.0, 1e6)),
    (
        "input_timeout",
        "Effort and joint commands, and wrenches, older than this (s, simulated) are dropped",
        (0.001, 3600.0),
    ),
    ("limit_efforts", "Limit the efforts to the rated ones", None),
    ("joint_stops", "Stop joints at their limits", None),
    ("angle_resolution", "Steps (rad) of measured angles; 0: none", (0.0, 1.0)),
    ("length_resolution", "Steps (m) of measured lengths; 0: none", (0.0, 1.0)),
    ("angle_noise", "Standard deviation (rad) of measured angles", (0.0, 1.0)),
    ("length_noise", "Standard deviation (m) of measured lengths", (0.0, 1.0)),
    (
        "velocities",
        "Published velocities: exact, differences of measured positions, or none",
        None,
    ),
    ("sensor_delay", "Delay (s) of the publication of a measurement", (0.0, 10.0)),
)
VALID = {"idle": IDLE, "velocities": VELOCITIES}
SPECS: tuple[ParameterSpec, ...] = (
    *ROBOT_SPECS,
    ParameterSpec(
        "world",
        "",
        f"Path of a world file (YAML), or {' or '.join(PACKAGE_WORLDS)}; empty: the robot alone",
    ),
    ParameterSpec(
        "robot",
        "",
        "Entity of the world whose topics are published and read; empty: the first robot with "
        "actuators",
    ),
    ParameterSpec(
        "speed",
        1.0,
        "Ratio of simulated to real time; 0: as fast as possible",
        (0.0, FASTEST),
        read_only=False,
    ),
    ParameterSpec("paused", False, "Start paused"),
    ParameterSpec(
        "bridge",
        "",
        "Path of a bridge file (YAML) for publishing the robot's own topics; robot: the file of "
        "the built robot; empty: none",
    ),
    *specs_named("world_frame", "frame_prefix"),
    *(
        ParameterSpec(name, getattr(SESSION, name), text, bounds, VALID.get(name, ()))
        for name, text, bounds in _OF_SESSION
    ),
)


@dataclass(frozen=True)
class SimulatorSettings:
    """Values of the parameters other than those of the session."""

    session: SessionSettings
    model: str
    mechanisms: str
    world: str
    robot: str
    speed: float
    paused: bool
    bridge: str
    world_frame: str
    frame_prefix: str


def declare_parameters(node: Node) -> SimulatorSettings:
    """Declare all parameters on a node and return their values.

    Raises
    ------
    ParameterError
        For a value that cannot be used, or a parameter that does not exist.
    """
    values: dict[str, Any] = declare_known(node, SPECS)
    for name in ("model", "mechanisms"):
        if values["world"] and values[name]:
            raise ParameterError(
                f"parameter '{name}': expected an empty text with a world, whose file defines the "
                f"robots, got '{values[name]}'"
            )
    if values["robot"] and not values["world"]:
        raise ParameterError(
            f"parameter 'robot': expected an empty text without a world, got '{values['robot']}'"
        )
    names = {field.name for field in fields(SessionSettings)}
    try:
        session = SessionSettings(**{name: values.pop(name) for name in names})
    except InputError as error:
        raise ParameterError(f"parameter {error}") from None
    if not values["world_frame"]:
        raise ParameterError("parameter 'world_frame' must not be empty")
    return SimulatorSettings(session=session, **values)
