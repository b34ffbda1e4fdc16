# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Poses of entities in the world, from /tf and /tf_static."""

from __future__ import annotations

import math
import time
from collections.abc import Collection
from functools import partial

import numpy as np
from rclpy.node import Node
from tf2_msgs.msg import TFMessage

from charmie_dynamics.live.topics import TF, TF_STATIC
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.ros.outputs.profiles import make_subscription
from charmie_dynamics.ros.process.log import Log

UNIT = 1e-3  # by which the length of a quaternion may differ from one


class EntityPoses:
    """The newest poses of entities whose frames are children of the world frame.

    Parameters
    ----------
    node : Node
    names : collection of str
        Of the entities.
    prefix, world_frame : str
        Prefix of all frame ids, and the world frame without it.
    log : Log

    Attributes
    ----------
    newest : dict of str to (6,) array
        See `EntityPose.of`.
    """

    def __init__(
        self, node: Node, names: Collection[str], prefix: str, world_frame: str, log: Log
    ) -> None:
        self.newest: dict[str, Floats] = {}
        self._arrivals: dict[str, float] = {}
        self._names = {prefix + name: name for name in names}
        self._parent, self._log = prefix + world_frame, log
        for topic in (TF, TF_STATIC):
            make_subscription(node, topic, partial(self._take, topic is TF_STATIC))

    def missing(self, names: Collection[str], now: float, timeout: float) -> list[str]:
        """Return the entities whose pose is unknown or older than a timeout (s)."""
        return [
            f"pose of '{name}'"
            for name in sorted(names)
            if now - self._arrivals.get(name, -math.inf) > timeout
        ]

    def _take(self, is_static: bool, message: TFMessage) -> None:
        for transform in message.transforms:
            name = self._names.get(transform.child_frame_id)
            if name is None or transform.header.frame_id != self._parent:
                continue
            p, q = transform.transform.translation, transform.transform.rotation
            xyzw = np.array([q.x, q.y, q.z, q.w])
            length = float(np.linalg.norm(xyzw))
            if not (math.isfinite(p.x + p.y + p.z) and abs(length - 1.0) < UNIT):
                self._log.warn(f"pose of {name}", f"pose of '{name}' ignored: expected finite "
                               "numbers and a quaternion of length one")  # fmt: skip
                continue
            self.newest[name] = np.array([p.x, p.y, p.z, *_rpy(*(xyzw / length).tolist())])
            self._arrivals[name] = math.inf if is_static else time.monotonic()


def _rpy(x: float, y: float, z: float, w: float) -> tuple[float, float, float]:
    """Return roll, pitch and yaw (rad, fixed axes) of a unit quaternion."""
    return (
        math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y)),
        math.asin(min(max(2.0 * (w * y - z * x), -1.0), 1.0)),
        math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)),
    )
