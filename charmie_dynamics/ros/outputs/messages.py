"""Messages of the node as ordinary message objects, made once and filled each cycle.

The reference for the serialised templates, and what the node falls back to where those do not
hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from geometry_msgs.msg import PointStamped, TransformStamped, WrenchStamped
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage

from charmie_dynamics.numerics.rotations import quaternions_from_matrices
from charmie_dynamics.numerics.vectors import Floats

from .conversions import doubles, fill_transforms, time_from_stamp

# path of a field and, where the numbers stand in fields below it, their names
Target = tuple[str, str]


class Writer(Protocol):
    """Fills one message; `write` takes the stamp (ns) and arrays and returns what is published."""

    def write(self, stamp: int, *values: Any) -> Any:
        """Return the message or its filled template; it is valid until the next call."""


class Reference(Writer, Protocol):
    """A writer of ordinary messages, which can also say how to try it out."""

    message: Any

    def trial(self) -> tuple[Any, ...]:
        """Return arguments for `write` that give every number of the message another value."""


class CycleMessage(Writer, Protocol):
    """A message whose numbers all come from a state as they are, and where they stand in it.

    Attributes
    ----------
    message
        The message itself.
    stamp : str
        Path of its stamp.
    targets : sequence of Target
        Of each array that `write` takes.
    """

    message: Any
    stamp: str
    targets: Sequence[Target]


class JointStateMessage:
    """A joint state with the fields that it has each cycle.

    Parameters
    ----------
    names : sequence of str
    frame : str
    fields : sequence of {"position", "velocity", "effort"}
        In the order in which `write` takes them; the others stay empty.
    """

    stamp = "header.stamp"

    def __init__(self, names: Sequence[str], frame: str, fields: Sequence[str]) -> None:
        self.targets: Sequence[Target] = tuple((field, "") for field in fields)
        self.message = JointState(name=list(names))
        self.message.header.frame_id = frame
        for field in fields:
            setattr(self.message, field, doubles(np.zeros(len(names))))

    def write(self, stamp: int, *values: Floats) -> JointState:
        """Return the message with one array for each of the fields."""
        self.message.header.stamp = time_from_stamp(stamp)
        for (field, _), array in zip(self.targets, values, strict=True):
            setattr(self.message, field, doubles(array))
        return self.message


class TransformsMessage:
    """Transforms.

    Parameters
    ----------
    transforms : sequence of k TransformStamped
        With the frame ids set.
    """

    stamp = "transforms.header.stamp"
    targets: Sequence[Target] = (
        ("transforms.transform.translation", "xyz"),
        ("transforms.transform.rotation", "xyzw"),
    )

    def __init__(self, transforms: Sequence[TransformStamped]) -> None:
        self.message = TFMessage(transforms=list(transforms))
        self._quaternions = np.empty((len(transforms), 4))

    def write(self, stamp: int, p_parent_frame: Floats, R_parent_frame: Floats) -> TFMessage:
        """Return the message for poses, (k, 3) and (k, 3, 3)."""
        quaternions_from_matrices(R_parent_frame, self._quaternions)
        time = time_from_stamp(stamp)
        fill_transforms(self.message.transforms, time, p_parent_frame, self._quaternions)
        return self.message


class WrenchMessage:
    """A force and a torque in a frame."""

    stamp = "header.stamp"
    targets: Sequence[Target] = (("wrench.force", "xyz"), ("wrench.torque", "xyz"))

    def __init__(self, frame: str) -> None:
        self.message = WrenchStamped()
        self.message.header.frame_id = frame

    def write(self, stamp: int, force: Floats, torque: Floats) -> WrenchStamped:
        """Return the message for a force (3,) and a torque (3,)."""
        self.message.header.stamp = time_from_stamp(stamp)
        wrench = self.message.wrench
        wrench.force.x, wrench.force.y, wrench.force.z = force.tolist()
        wrench.torque.x, wrench.torque.y, wrench.torque.z = torque.tolist()
        return self.message


class PointMessage:
    """A point in a frame."""

    stamp = "header.stamp"
    targets: Sequence[Target] = (("point", "xyz"),)

    def __init__(self, frame: str) -> None:
        self.message = PointStamped()
        self.message.header.frame_id = frame

    def write(self, stamp: int, point: Floats) -> PointStamped:
        """Return the message for the coordinates of a point (3,)."""
        self.message.header.stamp = time_from_stamp(stamp)
        self.message.point.x, self.message.point.y, self.message.point.z = point.tolist()
        return self.message


TRIAL_STAMP = 1_234_567_890_987_654_321  # ns


def numbers(*shape: int) -> Floats:
    """Return an array without zeros in which no number is there twice."""
    return np.arange(1.0, np.prod(shape, dtype=int) + 1.0).reshape(shape) / 7.0
