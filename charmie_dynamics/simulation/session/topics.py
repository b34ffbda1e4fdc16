# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Topics of a simulated robot. Those that the dynamics node has, too, are defined in `live`."""

from __future__ import annotations

from dataclasses import replace

from charmie_dynamics.live.topics import (
    CONTACT_MARKERS,
    ENTITY_MARKERS,
    JOINT_TRAJECTORY,
    LATCHED,
    TF,
    TF_STATIC,
    Qos,
    Topic,
)
from charmie_dynamics.live.wire.messages import (
    CLOCK,
    IMU,
    JOINT_STATE,
    LASER_SCAN,
    ODOMETRY,
    POINT_CLOUD,
    STRING,
)
from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, JOINT_STATES

TWIST = "geometry_msgs/msg/Twist"
STAMPED_TWIST = "geometry_msgs/msg/TwistStamped"
NUMBERS = "std_msgs/msg/Float64MultiArray"
# reliable, so that subscribers can get each sample; a subscriber may request less
OF_A_SAMPLE = Qos(100)
# Hz of stamps: robots publish their odometry at a lower rate
ODOMETRY_RATE = 100.0

CLOCK_TOPIC = Topic("/clock", CLOCK, OF_A_SAMPLE, "simulated time, before messages with that stamp")
MEASURED_LENGTHS = Topic(
    ACTUATOR_LENGTHS,
    JOINT_STATE,
    OF_A_SAMPLE,
    "measured linear actuators: pin-to-pin length (m), its rate, effort (N)",
)
MEASURED_JOINTS = Topic(
    JOINT_STATES,
    JOINT_STATE,
    OF_A_SAMPLE,
    "all other measured actuators: position (rad, m), velocity, effort (N m, N)",
)
TRUE_ODOMETRY = Topic(
    "ground_truth/odom",
    ODOMETRY,
    OF_A_SAMPLE,
    "exact pose of the base in the world, and its velocity in its own axes; at most "
    f"{ODOMETRY_RATE:g} times a second",
)
TRUE_ACTUATORS = Topic(
    "ground_truth/actuators",
    JOINT_TRAJECTORY,
    OF_A_SAMPLE,
    "exact state of all actuators, as a trajectory of one point: positions, velocities, "
    "accelerations, and the efforts of the preceding step",
)
ODOMETRY_ESTIMATE = Topic(
    "odom",
    ODOMETRY,
    OF_A_SAMPLE,
    "pose of the base from the encoders of its joints or wheels, with drift, since the start; its "
    f"velocity in its own axes; at most {ODOMETRY_RATE:g} times a second",
)
ODOMETRY_TF = replace(TF, content="with `odom_tf`: the pose of `odom`")
IMU_MEASUREMENT = Topic(
    "imu",
    IMU,
    OF_A_SAMPLE,
    "orientation in the world; angular velocity and specific force (at rest 9.81 m/s^2 upwards) in "
    "the axes of `imu_link`",
)
SCAN = Topic(
    "scan",
    LASER_SCAN,
    OF_A_SAMPLE,
    "with `scan_link`: distances to the shapes of the world, except those of the robot",
)
# by the field of the measurement; a topic of a bridge file replaces the one of its name
OF_MOUNTED_SENSORS = {"odometry": ODOMETRY_ESTIMATE, "imu": IMU_MEASUREMENT, "scan": SCAN}
OF_THE_ROBOT = (MEASURED_LENGTHS, MEASURED_JOINTS, TRUE_ACTUATORS, TRUE_ODOMETRY)

CONTACT_POINTS = Topic(
    "ground_truth/contact_points",
    POINT_CLOUD,
    OF_A_SAMPLE,
    "in a world: a row for each point of contact, world axes: x, y, z (m), normal of the first "
    "shape, outward, indentation (m), its rate, normal force (N), friction force on the first "
    "body, numbers of the first and the second shape",
)
CONTACT_SHAPES = Topic(
    "ground_truth/shapes",
    STRING,
    LATCHED,
    "in a world: the shapes by their numbers, as JSON: entity, frame and kind of each",
)
WORLD_TF = replace(
    TF,
    content="in a world: all entities; of the robot, its root and the children of floating joints",
)
WORLD_TF_STATIC = replace(TF_STATIC, content=WORLD_TF.content)
OF_A_WORLD = (
    *(WORLD_TF, WORLD_TF_STATIC, CONTACT_MARKERS, CONTACT_POINTS, CONTACT_SHAPES, ENTITY_MARKERS),
)
# in the order of publication: lengths before the joints whose cycle needs them
PUBLISHED = (CLOCK_TOPIC, *OF_THE_ROBOT, *OF_MOUNTED_SENSORS.values(), ODOMETRY_TF, *OF_A_WORLD)

EFFORT_COMMANDS = Topic(
    "effort_commands",
    NUMBERS,
    Qos(10),
    "an effort for each actuator, in their order (N m, N), from the next step on; dropped after "
    "`input_timeout`",
)
JOINT_COMMANDS = Topic(
    "joint_commands",
    JOINT_STATE,
    Qos(10, reliable=False),
    "targets of position drives, from the next step on: position and velocity of actuators, and an "
    "effort that is added; NaN or an empty array: not commanded. Actuators that are not named keep "
    "their efforts and targets, or else hold their position; dropped after `input_timeout`, by "
    "themselves for each actuator, unless `hold_joint_commands` is true",
)
VELOCITY_COMMANDS = Topic(
    "cmd_vel",
    TWIST,
    Qos(10, reliable=False),
    "velocity of the base in its own axes, from the next step on; after `input_timeout` the base "
    "stops and holds its position. With `stamped_cmd_vel` of the type TwistStamped",
)
TRAJECTORY_COMMANDS = Topic(
    "joint_trajectory",
    JOINT_TRAJECTORY,
    Qos(10),
    "trajectory of joints or linear actuators, up to 1000 points, followed by computed torque; "
    "actuators that are not named hold their position. Starts immediately or at the stamp of its "
    "header; without points all motion stops",
)
READ = (EFFORT_COMMANDS, JOINT_COMMANDS, VELOCITY_COMMANDS, TRAJECTORY_COMMANDS)


def ground_truth_topics() -> dict[str, Topic]:
    """Return the topics that only a simulator can publish, by name."""
    own = "ground_truth/"
    return {topic.name: topic for topic in PUBLISHED if topic.name.startswith(own)}
