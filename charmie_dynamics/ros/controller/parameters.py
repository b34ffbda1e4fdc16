# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Parameters of the controller node."""

from __future__ import annotations

from dataclasses import dataclass, fields

from rclpy.node import Node

from charmie_dynamics.errors import InputError
from charmie_dynamics.execution.goals import Defaults
from charmie_dynamics.execution.robot_controller import FALLBACKS, MODES, ControlSettings
from charmie_dynamics.ros.process.declaring import ParameterError, ParameterSpec, declare_known
from charmie_dynamics.ros.process.parameters import ROBOT_SPECS, specs_named

CONTROL, DEFAULTS = ControlSettings(), Defaults()
OF_THE_MODE = (0.0,)  # gains
SPECS: tuple[ParameterSpec, ...] = (
    *ROBOT_SPECS,
    ParameterSpec(
        "mode",
        CONTROL.mode,
        "Control law; gravity compensation follows no trajectories",
        valid=MODES,
    ),
    ParameterSpec(
        "kp",
        OF_THE_MODE,
        "Gains of position: one, or one for each actuator; computed_torque: 1/s^2, else N m/rad or "
        "N/m; [0.0]: those of the mode, 20 rad/s",
    ),
    ParameterSpec(
        "kd",
        OF_THE_MODE,
        "Gains of velocity: one, or one for each actuator; computed_torque: 1/s, else N m s/rad or "
        "N s/m; [0.0]: critical damping",
    ),
    ParameterSpec(
        "groups",
        ("",),
        "Groups and grippers of the mechanisms file that are commanded; one empty text: all",
    ),
    ParameterSpec("rate", 1000.0, "At most so many commands a second (Hz)", (1.0, 10000.0)),
    ParameterSpec(
        "fallback",
        CONTROL.fallback,
        "After ~/stop and without inputs: hold the pose, slow down under compensated gravity, or "
        "apply no effort",
        valid=FALLBACKS,
    ),
    ParameterSpec("damping", CONTROL.damping, "Rate (1/s) of the fallback damp", (0.0, 100.0)),
    ParameterSpec(
        "check_goals",
        True,
        "Refuse trajectories that exceed limits, tip over or collide, before they begin",
    ),
    ParameterSpec(
        "path_tolerance", DEFAULTS.path, "Of goals that state none (rad, m)", (0.0, 1000.0)
    ),
    ParameterSpec(
        "goal_tolerance", DEFAULTS.goal, "Of goals that state none (rad, m)", (0.0, 1000.0)
    ),
    ParameterSpec(
        "goal_velocity_tolerance",
        DEFAULTS.speed,
        "Of goals that state none (rad/s, m/s)",
        (0.0, 1000.0),
    ),
    ParameterSpec(
        "goal_time_tolerance", DEFAULTS.time, "Of goals that state none (s)", (0.0, 1000.0)
    ),
    ParameterSpec("feedback_rate", 20.0, "Of the feedback of goals (Hz)", (0.1, 1000.0)),
    ParameterSpec(
        "input_timeout",
        CONTROL.timeout,
        "Inputs older than this (s) end all goals; so does a longer time between two stamps",
        (0.001, 3600.0),
    ),
    *specs_named("world", "frame_prefix", "acceleration_cutoff"),
)


@dataclass(frozen=True)
class ControllerSettings:
    """Values of the parameters; `control` has those of the law, `defaults` the tolerances."""

    control: ControlSettings
    defaults: Defaults
    model: str
    mechanisms: str
    world: str
    frame_prefix: str
    acceleration_cutoff: float
    groups: tuple[str, ...]
    rate: float
    check_goals: bool
    feedback_rate: float
    input_timeout: float


def declare_parameters(node: Node) -> ControllerSettings:
    """Declare all parameters on a node and return their values.

    Raises
    ------
    ParameterError
        For a value that cannot be used, or a parameter that does not exist.
    """
    values = declare_known(node, SPECS)
    kp, kd = (() if values[name] == OF_THE_MODE else values[name] for name in ("kp", "kd"))
    try:
        control = ControlSettings(
            values["mode"], kp, kd, values["fallback"], values["damping"], values["input_timeout"]
        )
    except InputError as error:
        raise ParameterError(f"parameter {error}") from None
    defaults = Defaults(
        values["path_tolerance"],
        values["goal_tolerance"],
        values["goal_velocity_tolerance"],
        values["goal_time_tolerance"],
    )
    values["groups"] = tuple(name for name in values["groups"] if name)
    others = {field.name for field in fields(ControllerSettings)} - {"control", "defaults"}
    return ControllerSettings(control, defaults, **{name: values[name] for name in others})
