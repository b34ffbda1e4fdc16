# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Bags of robots that walk: joint states, and odometry as a simulator or a robot tells it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from input_recordings import KIND, PERIOD, header_of, message
from recordings import MCAP, START, STORES, Writer

from charmie_dynamics import Model
from charmie_dynamics.numerics.vectors import Floats

ODOMETRY = "nav_msgs/msg/Odometry"


def odometry(stamp: int, frame: str, pose: Floats, twist: Floats) -> bytes:
    """Return an odometry: pose (7,), and twist (6,) along the axes of the frame."""
    types = STORES.types
    vector = types["geometry_msgs/msg/Vector3"]
    covariance = np.zeros(36)
    built = types[ODOMETRY](
        header=header_of(stamp, "world"),
        child_frame_id=frame,
        pose=types["geometry_msgs/msg/PoseWithCovariance"](
            pose=types["geometry_msgs/msg/Pose"](
                position=types["geometry_msgs/msg/Point"](*pose[:3]),
                orientation=types["geometry_msgs/msg/Quaternion"](*pose[3:]),
            ),
            covariance=covariance,
        ),
        twist=types["geometry_msgs/msg/TwistWithCovariance"](
            twist=types["geometry_msgs/msg/Twist"](
                linear=vector(*twist[:3]), angular=vector(*twist[3:])
            ),
            covariance=covariance,
        ),
    )
    return bytes(STORES.serialize_cdr(built, ODOMETRY))


def write_walk(
    folder: Path,
    model: Model,
    motion: tuple[Floats, Floats],
    *,
    effort: Floats | None = None,
    frame: str = "base_link",
    topics: tuple[str, ...] = ("/odom",),
    period: int = PERIOD,
) -> Path:
    """Write positions (n, p) and velocities (n, v) of a robot on a floating joint, one a period.

    The pose of its base body is that of the joint, whose numbers come first.
    """
    position, velocity = motion
    entries = [model.position_names.index(name) for name in model.actuator_names]
    with Writer(folder, version=8, storage_plugin=MCAP) as writer:
        joints = writer.add_connection("/joint_states", KIND, typestore=STORES)
        told: list[Any] = [
            writer.add_connection(topic, ODOMETRY, typestore=STORES) for topic in topics
        ]
        for k in range(len(position)):
            stamp = START + k * period
            rates = velocity[k, model.actuator_index]
            measured = None if effort is None else np.ascontiguousarray(effort[k])
            names = model.actuator_names
            data = message(names, position[k, entries], rates, stamp, measured)
            writer.write(joints, stamp, data)
            for connection in told:
                pose = odometry(stamp, frame, position[k, :7], velocity[k, :6])
                writer.write(connection, stamp, pose)
    return folder
