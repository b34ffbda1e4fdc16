# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Check of trajectories on request: efforts and a verdict, before anything moves."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from charmie_dynamics.collision.clearance import ShapeDistances
from charmie_dynamics.errors import CharmieError, InputError
from charmie_dynamics.live import topics
from charmie_dynamics.live.wire.stamps import NANOSECONDS
from charmie_dynamics.model.model import Model
from charmie_dynamics.motions import Trajectory, Verdict, judge
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.ros.outputs.conversions import doubles
from charmie_dynamics.ros.outputs.profiles import make_publisher, make_subscription

MOST_POINTS = 1000  # takes 60 ms, for which the node's cycles wait
NAME = "trajectory"


class TrajectoryCheck:
    """Answers on two topics, each with the header of the trajectory that it is about.

    Parameters
    ----------
    node : Node
    situation : callable
        Returns the model with its loads, the positions (q,) of its actuators now, and the pairs of
        shapes that are checked.
    """

    def __init__(
        self, node: Node, situation: Callable[[], tuple[Model, Floats, ShapeDistances | None]]
    ) -> None:
        self._situation = situation
        self._efforts = make_publisher(node, topics.TRAJECTORY_EFFORTS)
        self._verdict = make_publisher(node, topics.VERDICT)
        make_subscription(node, topics.TRAJECTORY, self._answer)

    def _answer(self, message: JointTrajectory) -> None:
        status = DiagnosticStatus(name=NAME)
        try:
            model, position, distances = self._situation()
            status.hardware_id = model.name
            verdict = judge(model, trajectory_from_message(message), position, distances)
        except CharmieError as error:
            status.level, status.message = DiagnosticStatus.ERROR, f"not computed: {error}"
        else:
            self._efforts.publish(_efforts_message(message, model, verdict))
            _describe(status, model, verdict)
        array = DiagnosticArray(status=[status])
        array.header = message.header
        self._verdict.publish(array)


def trajectory_from_message(message: JointTrajectory, most: int = MOST_POINTS) -> Trajectory:
    """Return the trajectory of a message with `most` points or fewer.

    Raises
    ------
    InputError
        If it has too many points, or points with different fields.
    """
    points = message.points
    if len(points) > most:
        raise InputError(f"trajectory: expected up to {most} points, got {len(points)}")
    names = list(message.joint_names)
    parts: dict[str, Floats | None] = {}
    for field in ("positions", "velocities", "accelerations"):
        rows = [getattr(point, field) for point in points]
        lengths = {len(row) for row in rows}
        if lengths <= {0} and field != "positions":
            parts[field] = None
            continue
        if lengths - {len(names)}:
            raise InputError(
                f"trajectory: {field}: expected {len(names)} in each point, got "
                f"{' and '.join(str(n) for n in sorted(lengths))}"
            )
        parts[field] = np.array(rows, dtype=np.float64).reshape(len(points), len(names))
    if parts["velocities"] is None:
        parts["accelerations"] = None
    stamps = [point.time_from_start for point in points]
    time = np.array([stamp.sec + stamp.nanosec / NANOSECONDS for stamp in stamps])
    position = parts["positions"]
    if position is None:
        raise InputError("trajectory: expected positions")
    return Trajectory(names, time, position, parts["velocities"], parts["accelerations"])


def _efforts_message(asked: JointTrajectory, model: Model, verdict: Verdict) -> JointTrajectory:
    """Return all actuators at the points, with their efforts."""
    message = JointTrajectory(joint_names=list(model.actuator_names))
    message.header = asked.header
    motion = verdict.motion
    message.points = [
        JointTrajectoryPoint(
            positions=doubles(motion.position[k]),
            velocities=doubles(motion.velocity[k]),
            accelerations=doubles(motion.acceleration[k]),
            effort=doubles(verdict.effort[k]),
            time_from_start=point.time_from_start,
        )
        for k, point in enumerate(asked.points)
    ]
    return message


def _describe(status: DiagnosticStatus, model: Model, verdict: Verdict) -> None:
    worst = int(verdict.share.argmax()) if len(verdict.share) else 0
    if verdict.faults:
        status.level = DiagnosticStatus.WARN
        status.message = "; ".join(verdict.faults)
    else:
        status.level = DiagnosticStatus.OK
        status.message = (
            f"within all limits; {model.actuator_names[worst]} needs the largest share of its "
            f"rated effort, {100.0 * verdict.share[worst]:.0f} %"
        )
    status.values = [
        KeyValue(key=f"{name} (% of rated)", value=f"{100.0 * share:.1f}")
        for name, share in zip(model.actuator_names, verdict.share, strict=True)
    ]
