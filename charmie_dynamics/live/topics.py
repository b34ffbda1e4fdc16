# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Definitions of all topics: name, type, quality of service and content.

``outputs`` defines their rates and the sources of their numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .settings import (
    CONTACT_MARKERS_RATE,
    CONTACTS_RATE,
    POINTS_RATE,
    STABILITY_RATE,
)
from .wire.messages import (
    ACCEL,
    JOINT_STATE,
    ODOMETRY,
    POINT,
    POINT_CLOUD,
    STRING,
    TRANSFORMS,
    TWIST,
    WRENCH,
)
from .wire.messages import MARKERS as MARKER_ARRAY
from .wire.samples import ACTUATOR_LENGTHS, JOINT_STATES

IMU_MESSAGE = "sensor_msgs/msg/Imu"
INERTIA = "geometry_msgs/msg/InertiaStamped"
JOINT_TRAJECTORY = "trajectory_msgs/msg/JointTrajectory"
DIAGNOSTIC_ARRAY = "diagnostic_msgs/msg/DiagnosticArray"


@dataclass(frozen=True)
class Qos:
    """Quality of service: the newest `depth` messages are kept.

    Parameters
    ----------
    depth : int
    reliable : bool
        False: best effort.
    latched : bool
        Whether later subscribers also receive the newest message (transient local).
    """

    depth: int
    reliable: bool = True
    latched: bool = False


@dataclass(frozen=True)
class Topic:
    """A topic.

    Parameters
    ----------
    name : str
        A relative name moves with the node's namespace, an absolute one does not.
    type : str
        Of its messages, such as ``sensor_msgs/msg/JointState``.
    qos : Qos
    content : str
        Its content, for the reference.
    """

    name: str
    type: str
    qos: Qos
    content: str = ""


# a best-effort subscription matches every publisher, as robot_state_publisher's does; room for half
# a second at 1 kHz, since a busy machine may delay the node by 80 ms
SENSOR = Qos(500, reliable=False)
# as deep as /tf in other packages: a listener may be delayed by 100 cycles, and loses no topic of a
# cycle before another
OF_A_CYCLE = Qos(100)
LATCHED = Qos(1, latched=True)
# of a subscription that must receive every message, of several publishers too
LISTENER_DEPTH = 200


def payload(name: str) -> Topic:
    """Return the topic for setting a payload."""
    return Topic(
        f"payload/{name}",
        INERTIA,
        Qos(10),
        "payload: mass, centre of mass, inertia about it, in the frame of the link; a mass of 0 "
        "removes it; one topic for each of `payload_links` of the mechanisms file",
    )


def assumed_payload(name: str) -> Topic:
    """Return the topic on which the assumed payload is published."""
    return Topic(
        f"assumed_payload/{name}",
        INERTIA,
        LATCHED,
        "the assumed payload; one topic for each of `payload_links`",
    )


def twist_of_point(name: str) -> Topic:
    """Return the topic on which the velocity of a tracked point is published."""
    return Topic(
        f"tracked_points/{name}/twist",
        TWIST,
        OF_A_CYCLE,
        "velocity of a tracked point (m/s) and angular velocity of its body (rad/s) in world axes, "
        f"at most {POINTS_RATE:g} times a second; one topic for each of `tracked_points`",
    )


def accel_of_point(name: str) -> Topic:
    """Return the topic on which the acceleration of a tracked point is published."""
    return Topic(
        f"tracked_points/{name}/accel",
        ACCEL,
        OF_A_CYCLE,
        "acceleration of a tracked point (m/s^2, without gravity) and angular acceleration of its "
        "body (rad/s^2), as `twist`",
    )


INPUTS = (
    Topic(
        JOINT_STATES,
        JOINT_STATE,
        SENSOR,
        "joints: position (rad, m), velocity if known; also joints that linear actuators move, "
        "lengths of linear actuators and measured passive joints, by their names",
    ),
    Topic(
        ACTUATOR_LENGTHS,
        JOINT_STATE,
        SENSOR,
        "linear actuators: pin-to-pin length (m) and, if known, its rate (m/s); also joints, by "
        "their names",
    ),
)
EXTERNAL_WRENCH = Topic(
    "external_wrench",
    WRENCH,
    Qos(10, reliable=False),
    "wrench on the link that `frame_id` names, in its axes and at its origin; dropped after "
    "`input_timeout`",
)
IMU = Topic(
    "imu",
    IMU_MESSAGE,
    Qos(100, reliable=False),
    "specific force of a link (m/s^2, upward at rest), its angular velocity and, if known, its "
    "orientation: acceleration of a floating base; direction of gravity of any other robot",
)
ODOM = Topic(
    "odom",
    ODOMETRY,
    Qos(100, reliable=False),
    "pose and velocity of a link on a floating base; other robots ignore it",
)
TRAJECTORY = Topic(
    "trajectory",
    JOINT_TRAJECTORY,
    Qos(10),
    "trajectory to check before it is executed, up to 1000 points; joints or linear actuators",
)

_FRAMES = "one frame for each body, actuators, springs and balance bars included"
TF = Topic("/tf", TRANSFORMS, OF_A_CYCLE, _FRAMES)
TF_STATIC = Topic("/tf_static", TRANSFORMS, LATCHED, _FRAMES)
ACTUATOR_EFFORTS = Topic(
    "actuator_efforts",
    JOINT_STATE,
    OF_A_CYCLE,
    "all actuators: position, velocity, effort with friction (N, N m), positive along "
    "increasing position",
)
RESOLVED_JOINT_STATES = Topic(
    "resolved_joint_states",
    JOINT_STATE,
    OF_A_CYCLE,
    "every movable joint; effort = generalised force of the open tree, the force of a mimic joint "
    "is included in that of its leader",
)
SPRING_FORCES = Topic(
    "spring_forces",
    JOINT_STATE,
    OF_A_CYCLE,
    "springs: position = length (m), effort = tension (N)",
)
CYLINDER_EFFORTS = Topic(
    "cylinder_efforts",
    JOINT_STATE,
    OF_A_CYCLE,
    "linear actuators that share the load of a joint: length (m), velocity (m/s) and effort (N) of "
    "each; `actuator_efforts` has the force of the first if it were alone",
)
BASE_WRENCH = Topic(
    "base_wrench",
    WRENCH,
    OF_A_CYCLE,
    "load on `base` from its support, in its frame (N, N m)",
)
SETTLING = Topic(
    "estimator_settling",
    JOINT_STATE,
    OF_A_CYCLE,
    "position = time (s) for which the estimated velocities and accelerations of the cycle still "
    "settle after a start, gap or pause; 0: settled. Published when it changes, else "
    "once per second: the last value applies to all later stamps. Use efforts, "
    "`base_wrench` and residuals only of stamps where it is 0",
)
STABILITY = Topic(
    "stability",
    POINT,
    OF_A_CYCLE,
    "zero-moment point on the floor plane of the wheel contacts, in the frame of `base` (m), at "
    f"most {STABILITY_RATE:g} times a second; not published if the contacts are unknown or the "
    "floor would have to pull",
)
EFFORT_RESIDUAL = Topic(
    "effort_residual",
    JOINT_STATE,
    OF_A_CYCLE,
    "measured minus estimated effort of the actuators whose effort is measured, as "
    "`actuator_efforts` (N, N m)",
)
EXTERNAL_EFFORTS = Topic(
    "external_efforts",
    JOINT_STATE,
    OF_A_CYCLE,
    "external effort of measured actuators, from a momentum observer, which needs no acceleration",
)
CONTACTS = Topic(
    "contacts",
    JOINT_STATE,
    OF_A_CYCLE,
    f"the actuators that feel a contact, with their external effort; at most {CONTACTS_RATE:g} "
    "times a second, changes immediately; not published without a measured effort and a threshold",
)
CONTACT_FORCES = Topic(
    "contact_forces",
    MARKER_ARRAY,
    Qos(5),
    "with `contacts` and fresh odometry: forces of the floor as arrows, with their points and "
    f"friction cones; at most {CONTACT_MARKERS_RATE:g} times a second",
)
FLOOR_CONTACTS = Topic(
    "contact_points",
    POINT_CLOUD,
    OF_A_CYCLE,
    "these forces as a table, as `ground_truth/contact_points` of the simulator: a row for each "
    "point that bears; first is 0, the floor, and second the number of the contact, from 1 on",
)
MARKERS = Topic(
    "markers",
    MARKER_ARRAY,
    Qos(5),
    "namespaces `bodies`, `springs`, `actuators`, `balance`, `efforts`, `stability`; on request "
    "`reactions`, `labels`, `legend`",
)
# of a simulated world
CONTACT_MARKERS = Topic(
    "ground_truth/contacts",
    MARKER_ARRAY,
    Qos(5),
    "in a world: forces of contacts as arrows, their points and friction cones, in the namespaces "
    "`contacts`, `contact_points`, `friction_cones`; at most "
    f"{CONTACT_MARKERS_RATE:g} times a second",
)
ENTITY_MARKERS = Topic(
    "ground_truth/entities",
    MARKER_ARRAY,
    LATCHED,
    "in a world: shapes of the entities except the robot, in their frames",
)
TRAJECTORY_EFFORTS = Topic(
    "trajectory_efforts",
    JOINT_TRAJECTORY,
    Qos(10),
    "all actuators at the points of the trajectory, with their efforts",
)
VERDICT = Topic(
    "trajectory_verdict",
    DIAGNOSTIC_ARRAY,
    Qos(10),
    "OK, or a warning with the exceeded limits and their times, at or between the points, a "
    "tip-over, and with a `world` the first collision and its time; header of the trajectory",
)
CLEARANCE = Topic(
    "clearance",
    DIAGNOSTIC_ARRAY,
    Qos(10),
    "with a `world`: the nearest pair of the robot's own links and that with the surroundings, "
    "their distance (m) and nearest points in the frame of the header; a warning below "
    "`clearance_margin`, an error if they overlap; at most `clearance_rate` times a second",
)
ROBOT_DESCRIPTION = Topic("robot_description", STRING, LATCHED, "the URDF in use")
DIAGNOSTICS = Topic(
    "/diagnostics",
    DIAGNOSTIC_ARRAY,
    Qos(10),
    "inputs (rates, ages, rejected samples), estimator (a warning while it settles), cycle, loads, "
    "contacts, stability (tip-over margin: a warning below 0.05 m, an error outside the wheel "
    "contacts), clearance, model (a warning of impossible values in the URDF), start (kernels that "
    "are compiled), graph (frames that another node also publishes, incompatible quality of "
    "service); once a second, and immediately when the graph changes",
)


def requests(payloads: Iterable[str]) -> tuple[Topic, ...]:
    """Return the inputs other than samples, by the names of the payloads."""
    return (*map(payload, payloads), IMU, ODOM, EXTERNAL_WRENCH, TRAJECTORY)


def answers(payloads: Iterable[str]) -> tuple[Topic, ...]:
    """Return the replies to requests, by the names of the payloads."""
    return (*map(assumed_payload, payloads), TRAJECTORY_EFFORTS, VERDICT)
