# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The motion of the base of a robot, from recorded odometry."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.live.wire.messages import ODOMETRY
from charmie_dynamics.numerics.vectors import Floats, Ints

from .bag import Bag, stamp_of


class RecordedBase(NamedTuple):
    """n poses and twists of a frame of the base.

    Attributes
    ----------
    topic, frame : str
        Topic, and frame of the poses.
    stamps : (n,) array of int
        Ascending, no two equal (ns).
    position : (n, 3) array
        In the world (m).
    quaternion : (n, 4) array
        x, y, z, w, of length one.
    linear, angular : (n, 3) array
        Along the axes of the frame (m/s, rad/s).
    """

    topic: str
    frame: str
    stamps: Ints
    position: Floats
    quaternion: Floats
    linear: Floats
    angular: Floats


def read_recorded_base(bag: Bag, topic: str | None = None) -> RecordedBase:
    """Return the odometry of a bag.

    Parameters
    ----------
    bag : Bag
    topic : str, optional
        Required if odometry was recorded on several topics.

    Raises
    ------
    CharmieError
        If it was not recorded, was recorded on several topics, or contains an invalid pose.
    """
    name = _topic_of(bag, topic)
    rows: dict[int, Floats] = {}
    frames: set[str] = set()
    for message in bag.messages(name):
        pose, twist = message.pose.pose, message.twist.twist
        parts = (pose.position, pose.orientation, twist.linear, twist.angular)
        numbers = [
            float(getattr(part, axis))
            for part in parts
            for axis in ("xyzw" if part is pose.orientation else "xyz")
        ]
        rows[stamp_of(message.header)] = np.array(numbers)
        frames.add(message.child_frame_id)
    if len(frames) != 1:
        raise CharmieError(
            f"topic '{name}' of bag '{bag.path}': expected odometry of one frame, got "
            f"{', '.join(sorted(frames)) or 'no message'}"
        )
    stamps = np.array(sorted(rows), dtype=np.int64)
    values = np.array([rows[stamp] for stamp in stamps.tolist()])
    length = np.linalg.norm(values[:, 3:7], axis=1)
    if not (np.isfinite(values).all() and (np.abs(length - 1.0) < 0.01).all()):
        raise CharmieError(
            f"topic '{name}' of bag '{bag.path}': expected finite poses with quaternions of "
            "length one"
        )
    quaternion = values[:, 3:7] / length[:, None]
    # q and -q are the same rotation: choose the sign of the neighbour
    turned = np.sum(quaternion[1:] * quaternion[:-1], axis=1) < 0.0
    quaternion[1:] *= np.where(np.cumsum(turned) % 2 == 1, -1.0, 1.0)[:, None]
    return RecordedBase(
        name, frames.pop(), stamps, values[:, :3], quaternion, values[:, 7:10], values[:, 10:]
    )


def _topic_of(bag: Bag, topic: str | None) -> str:
    known = [name for name in bag.topics if bag.types[name] == ODOMETRY]
    if topic is not None:
        name = "/" + topic.strip("/")
        if name not in known:
            raise CharmieError(
                f"bag '{bag.path}' has no topic '{name}'; those with odometry are: "
                f"{', '.join(known) or 'none'}"
            )
        return name
    if len(known) != 1:
        raise CharmieError(
            f"bag '{bag.path}': expected odometry on one topic, the motion of the base; "
            f"got {', '.join(known) or 'none'}"
        )
    return known[0]
