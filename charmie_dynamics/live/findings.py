# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The statuses of /diagnostics, all their warnings and errors, with meanings and remedies.

The messages of the statuses contain these texts, with names and numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

# of the dynamics node, in the order in which they are reported, each behind the node's name
STATUSES: dict[str, str] = {
    "inputs": "rate, age and refused messages of each input topic; actuators with measured, "
    "estimated or unknown velocity; ignored names; faults of values",
    "estimator": "remaining settling time of the estimated velocities and accelerations, their "
    "start stamp, and the actuators",
    "cycle": "cycles: number, rate and time since the last report, failures, skipped samples",
    "loads": "effort of each actuator relative to the rated one; payloads and wrenches in use",
    "contacts": "residual and external effort of each actuator whose effort is measured",
    "stability": "zero-moment point and tip-over margin",
    "clearance": "nearest pair of links, or of a link and the surroundings, with a `world`",
    "model": "name and mass of the robot, and which of its values are estimates",
    "start": "number of kernels compiled or loaded at the start, and the time for it",
    "graph": "frames that two nodes publish, and incompatible quality of service; published "
    "immediately after a change",
}
SOURCE = "each source"
SIMULATOR = "simulator"
POLICY = "policy"
CONTROLLER = "controller"


@dataclass(frozen=True)
class Finding:
    """A warning or an error of a status.

    Parameters
    ----------
    status : str
        Name of the status; `SOURCE` for those that the bridge has for each of its sources,
        `SIMULATOR`, `POLICY` and `CONTROLLER` for those of these nodes.
    level : {"warning", "error"}
    text : str
        In the message of the status.
    meaning, remedy : str
        For the reference.
    """

    status: str
    level: Literal["warning", "error"]
    text: str
    meaning: str
    remedy: str


COMPILING = Finding(
    "start",
    "warning",
    "compiling",
    "the first start of a version compiles its kernels; the node starts afterwards",
    "wait; run `charmie_prepare` after an installation",
)
MISSING = Finding(
    "inputs",
    "error",
    "missing or stale",
    "these actuators have no value younger than `input_timeout`; only diagnostics are published",
    "check with `ros2 topic hz` whether messages arrive, and under *ignored names* whether their "
    "joint names are those of the model; start the driver or the bridge; raise `input_timeout` for "
    "a slow source",
)
NOT_FINITE = Finding(
    "inputs",
    "warning",
    "no finite position",
    "positions that are NaN or infinite; the last value is used until `input_timeout`",
    "check the driver of these joints",
)
OUTSIDE_LIMITS = Finding(
    "inputs",
    "warning",
    "outside limits",
    "positions outside the range of the model, computed as measured",
    "check unit and zero of the joint; else correct the limit in the model",
)
IMPOSSIBLE_RATE = Finding(
    "inputs",
    "warning",
    "impossible rate",
    "a position has jumped: ten times the rated velocity would be needed; estimates restart",
    "check for lost steps, wrapped angles and two publishers of one joint",
)
CONTRADICTORY = Finding(
    "inputs",
    "warning",
    "contradictory values",
    "measured velocities do not fit the motion, or two measurements of one joint differ; "
    "velocities are used as measured, lengths before joint angles, driven joints before passive "
    "ones",
    "the message names ratio and probable cause: correct unit, sign or zero in the driver or the "
    "bridge file; a driver that does not measure velocities sends none",
)
REFUSED = Finding(
    "inputs",
    "warning",
    "refused",
    "unusable messages; their causes are named",
    "see the table of causes",
)
SETTLING = Finding(
    "estimator",
    "warning",
    "settling for another",
    "the estimates have just started, or restarted after a gap: efforts, loads and residuals of "
    "these cycles may be far off and are not judged",
    "wait; use only cycles whose `estimator_settling` is 0",
)
STARTED_ANEW = Finding(
    "estimator",
    "warning",
    "restarted recently",
    "estimates of these actuators restarted since the last report, after a gap or a jump",
    "check for gaps in the topic and for `impossible rate`",
)
CYCLE_FAILED = Finding(
    "cycle",
    "error",
    "cycle failed",
    "the newest sample has no outputs for the named reason: a length at which a loop does not "
    "close, values that are too large, or an exception with its traceback in the log",
    "compare the length with the named reach, then check pins and zero in the mechanisms file; "
    "report an exception as a bug",
)
FAILED_LATELY = Finding(
    "cycle",
    "warning",
    "cycles failed lately",
    "some samples since the last report had no outputs; the newest sample has outputs",
    "as above",
)
OVERRUNS = Finding(
    "cycle",
    "warning",
    "cycles took longer than until the next sample",
    "the node is too slow: samples are skipped, but the newest is always computed",
    "lower the rate of the inputs or `marker_rate`, set `publish_markers` to false, or check for "
    "other load of the processor",
)
OVERLOAD = Finding(
    "loads",
    "warning",
    "overload",
    "the computed effort of these actuators exceeds the rated one",
    "reduce speed or payload; check the assumed payload",
)
CONTACT = Finding(
    "contacts",
    "warning",
    "contact felt by",
    "measured effort that the model does not explain is above the threshold",
    "if nothing touches the robot: publish the payload, identify the friction, raise the threshold",
)
EFFORTS_CONTRADICT = Finding(
    "contacts",
    "warning",
    "measured efforts contradict the model",
    "during the last motions the measured efforts were a multiple of the computed ones or had the "
    "opposite sign",
    "convert currents to N m or N, or correct the sign, in the driver or by `factor` in the bridge "
    "file; else set the payload, or correct masses",
)
FLOOR_PULLS = Finding(
    "stability",
    "error",
    "the floor would have to pull",
    "the load on the base points away from the floor",
    "check the direction of gravity and the accelerations",
)
TIPS_OVER = Finding(
    "stability",
    "error",
    "tips over",
    "the zero-moment point lies outside the wheel contacts",
    "reduce the speed; lower heavy parts or move them inwards",
)
NEAR_TIPPING = Finding(
    "stability",
    "warning",
    "small tip-over margin",
    "the zero-moment point is near the edge of the wheel contacts",
    "as for `tips over`",
)
OVERLAP = Finding(
    "clearance",
    "error",
    "shapes overlap",
    "the collision shapes of two links, or of a link and the surroundings, overlap",
    "stop the robot; if nothing collides, correct the shapes in the URDF or the world file",
)
SMALL_CLEARANCE = Finding(
    "clearance",
    "warning",
    "small clearance",
    "two links, or a link and the surroundings, are nearer than `clearance_margin`",
    "move the named links apart, or reduce the margin",
)
CANNOT_BE_RIGHT = Finding(
    "model",
    "warning",
    "cannot be right",
    "links with impossible moments of inertia, or mimic joints whose leader does not exist; the "
    "values of the URDF are used",
    "correct the URDF at the lines that the log names; set `strict_inertials` to refuse such files",
)
BASE_STALE = Finding(
    "inputs",
    "warning",
    "stale, the base counts as upright and at rest",
    "messages of `imu` or `odom` older than `input_timeout` by arrival or stamp, or with stamps of "
    "another clock than the joint states; the remaining topic, or the base at rest, is used",
    "check with `ros2 topic hz` and `ros2 topic delay`; raise `input_timeout` for a slow source",
)
NOTHING_BEARS = Finding(
    "inputs",
    "warning",
    "no contact bears a force",
    "with `contacts` and `odom`, all points have been above the floor or moved away from it since "
    "the last report: efforts contain no forces of the floor",
    "if the robot touches the floor: compare the named height with pose and axes of `odom`, and "
    "correct these, or points and floor in the contacts file",
)
FLOATING_HELD = Finding(
    "model",
    "warning",
    "floating joints held without rotation, at the origin of their parent",
    "joint states cannot contain the motion of a floating joint: robot, TF and markers are "
    "computed as if it rested there",
    "publish `imu` and `odom` of the base; else do not use results that depend on that motion, or, "
    "if only the robot above it matters, make it the root",
)
TWO_PUBLISHERS = Finding(
    "graph",
    "error",
    "transforms published by another node too",
    "tf2 alternates between two poses of these frames; the other publishers are named",
    "give this node a `frame_prefix` or set `publish_tf` to false, or stop the other node",
)
INCOMPATIBLE_QOS = Finding(
    "graph",
    "warning",
    "incompatible QoS on",
    "a node requests a policy that the publisher of the topic does not offer, and receives nothing",
    "change the named policy in that node, in most cases to best effort or volatile",
)
NOT_SUBSCRIBED = Finding(
    SOURCE,
    "error",
    "not subscribed",
    "the type of the messages cannot be imported or lacks a field of the bridge file; the import "
    "is retried every second",
    "source the workspace with the package of the messages, or correct the bridge file",
)
NO_MESSAGE = Finding(
    SOURCE,
    "warning",
    "no message on",
    "no message arrived lately, or the topic has another type, which is named",
    "start the driver, or correct topic and type in the bridge file",
)
VALUES_MISSING = Finding(
    SOURCE,
    "warning",
    "values missing",
    "these entries never arrived or were not finite in the last message",
    "correct the path of the field in the bridge file, or check the driver",
)
SIMULATION_FAILED = Finding(
    SIMULATOR,
    "error",
    "simulation paused after a fault",
    "the robot could not be advanced from the reported time: a loop of a linear actuator out of "
    "reach, or numbers that are not finite",
    "reset the simulation, or move the robot or send another command, and continue",
)
COMMANDS_REFUSED = Finding(
    SIMULATOR,
    "warning",
    "commands refused",
    "commands that cannot be used were received; the last one is reported with its fault. Earlier "
    "commands stay in force",
    "correct the sender",
)
SIMULATION_SLOW = Finding(
    SIMULATOR,
    "warning",
    "slower than requested",
    "this machine cannot advance the robot at the requested `speed`",
    "lower `speed` or `rate`, use a longer `step`, check for other load",
)
POLICY_STOPPED = Finding(
    POLICY,
    "warning",
    "stopped, inputs missing or stale",
    "these actuators have no value younger than `input_timeout`, or these entities no such pose on "
    "/tf; the policy node holds the pose and continues when they return",
    "start the driver, the bridge or the perception; raise `input_timeout` for a slow source",
)
CONTROLLER_LOST = Finding(
    CONTROLLER,
    "error",
    "no recent inputs",
    "these actuators have no value younger than `input_timeout`; the controller ended all goals "
    "and sends the efforts of its `fallback`",
    "start the driver or the bridge; raise `input_timeout` for a slow source",
)
CONTROLLER_STOPPED = Finding(
    CONTROLLER,
    "warning",
    "stopped",
    "`~/stop` was called; the efforts are those of the `fallback`, and goals are refused",
    "call `~/start`",
)
NOT_HEARD = Finding(
    CONTROLLER,
    "warning",
    "no subscriber",
    "no node receives the efforts, so that goals are refused",
    "start the simulator or the driver of the robot; compare the topic names",
)
INTERVENED = Finding(
    CONTROLLER,
    "warning",
    "intervention",
    "since the last report the controller was stopped, or lost inputs or the subscriber of its "
    "efforts, or the stamps jumped; all goals ended",
    "send the goals again; if it returns, find the cause that the message names",
)
GOAL_FAILED = Finding(
    CONTROLLER,
    "warning",
    "goal not reached",
    "a goal since the last report was refused or ended early; the message has the reason of the "
    "last one",
    "correct the trajectory, or its tolerances",
)
EFFORTS_LIMITED = Finding(
    CONTROLLER,
    "warning",
    "efforts limited",
    "commands since the last report needed more than an effort limit: the robot lags behind",
    "use slower trajectories, smaller gains or payloads",
)

FINDINGS = (
    COMPILING,
    *(MISSING, BASE_STALE, NOTHING_BEARS),
    *(NOT_FINITE, OUTSIDE_LIMITS, IMPOSSIBLE_RATE, CONTRADICTORY, REFUSED),
    *(SETTLING, STARTED_ANEW),
    *(CYCLE_FAILED, FAILED_LATELY, OVERRUNS),
    *(OVERLOAD, EFFORTS_CONTRADICT, CONTACT, FLOOR_PULLS, TIPS_OVER, NEAR_TIPPING),
    *(OVERLAP, SMALL_CLEARANCE),
    *(CANNOT_BE_RIGHT, FLOATING_HELD),
    *(TWO_PUBLISHERS, INCOMPATIBLE_QOS),
    *(NOT_SUBSCRIBED, NO_MESSAGE, VALUES_MISSING),
    *(SIMULATION_FAILED, COMMANDS_REFUSED, SIMULATION_SLOW, POLICY_STOPPED),
    *(CONTROLLER_LOST, CONTROLLER_STOPPED, NOT_HEARD, INTERVENED, GOAL_FAILED, EFFORTS_LIMITED),
)
