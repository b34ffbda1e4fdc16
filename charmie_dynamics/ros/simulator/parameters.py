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
from charmie_dynamics.simulation.session.sensor_settings import TRANSFORMS
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
        "Commands except trajectories, and wrenches, older than this (s, simulated) are dropped",
        (0.001, 3600.0),
    ),
    (
        "hold_joint_commands",
        "Joint commands stay active until the next command, as ros2_control expects",
        None,
    ),
    (
        "base_acceleration",
        "Largest change (m/s^2, rad/s^2) of the velocity of the base by cmd_vel",
        (0.01, 1000.0),
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
    ("odom", "Publish the odometry of a base with joints or Swedish wheels", None),
    (
        "odom_tf",
        "Publish the transform from odom_frame to odom_child_frame (child), or that to the root of "
        "the robot which follows from it (root: other nodes publish the frames of the robot)",
        None,
    ),
    ("odom_frame", "Parent frame of the odometry", None),
    (
        "odom_child_frame",
        "Child frame of the odometry; empty: base_footprint, or the base without such a frame",
        None,
    ),
    (
        "odom_linear_noise",
        "Standard deviation (m) of the drift after 1 m or 1 rad; grows with the root of the travel",
        (0.0, 1.0),
    ),
    ("odom_angular_noise", "The same of the yaw angle (rad)", (0.0, 1.0)),
    ("imu", "Publish an inertial measurement unit of a robot whose base can move", None),
    ("imu_link", "Link of the inertial measurement unit; empty: the base", None),
    ("imu_orientation_noise", "Standard deviation (rad) of orientations", (0.0, 1.0)),
    ("imu_gyro_noise", "Standard deviation (rad/s) of angular velocities", (0.0, 10.0)),
    ("imu_accelerometer_noise", "Standard deviation (m/s^2) of specific forces", (0.0, 100.0)),
    (
        "scan_link",
        "Frame of a laser scanner, which turns about its z axis; empty: none. The shapes of its "
        "own robot are transparent",
        None,
    ),
    ("scan_angle_min", "First angle (rad) from the x axis", (-6.3, 6.3)),
    ("scan_angle_max", "Last angle (rad) from the x axis", (-6.3, 6.3)),
    ("scan_count", "Number of rays", (2, 100000)),
    ("scan_range_min", "Smallest range (m)", (0.0, 1000.0)),
    ("scan_range_max", "Largest range (m)", (0.001, 1000.0)),
    ("scan_rate", "Scans per second of simulated time (Hz), in whole samples", (0.01, 1000.0)),
    ("scan_noise", "Standard deviation (m) of ranges", (0.0, 1.0)),
)
VALID = {"idle": IDLE, "velocities": VELOCITIES, "odom_tf": TRANSFORMS}
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
    ParameterSpec("stamped_cmd_vel", False, "Type of cmd_vel: TwistStamped; false: Twist"),
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
    stamped_cmd_vel: bool
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
    if values["world"] and session.odom_tf != "off" and session.odom_frame == values["world_frame"]:
        raise ParameterError(
            f"parameter 'odom_tf': '{session.odom_frame}' is also the world frame, in which the "
            "entities have their true poses; expected another world_frame, such as map"
        )
    return SimulatorSettings(session=session, **values)
