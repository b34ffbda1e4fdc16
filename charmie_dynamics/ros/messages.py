"""The messages of a cycle as ordinary message objects, made once and filled each cycle.

The reference for the templates, and what the node falls back to where those do not hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from geometry_msgs.msg import PointStamped, TransformStamped, WrenchStamped
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage

from ..core.rotations import quaternions_from_matrices
from ..core.vectors import Floats, Ints
from .conversions import doubles, fill_transforms, time_from_stamp


class Writer(Protocol):
    """Fills one message; `write` takes the stamp (ns) and arrays and returns what is published."""

    def write(self, stamp: int, *values: Any) -> Any:
        """Return the message or its serialised form; it is valid until the next call."""


class Reference(Writer, Protocol):
    """A writer of ordinary messages, which can also say how to try it out."""

    message: Any

    def trial(self) -> tuple[Any, ...]:
        """Return arguments for `write` that give every number of the message another value."""


class JointStateMessage:
    """A joint state with the fields that it has each cycle.

    Parameters
    ----------
    names : sequence of str
    frame : str
    fields : sequence of {"position", "velocity", "effort"}
        In the order in which `write` takes them; the others stay empty.
    """

    def __init__(self, names: Sequence[str], frame: str, fields: Sequence[str]) -> None:
        self.fields = tuple(fields)
        self.message = JointState(name=list(names))
        self.message.header.frame_id = frame
        for field in self.fields:
            setattr(self.message, field, doubles(np.zeros(len(names))))

    def write(self, stamp: int, *values: Floats) -> JointState:
        """Return the message with one array for each of the fields."""
        self.message.header.stamp = time_from_stamp(stamp)
        for field, array in zip(self.fields, values, strict=True):
            setattr(self.message, field, doubles(array))
        return self.message

    def trial(self) -> tuple[Any, ...]:
        """Return arguments for `write` that give every number of the message another value."""
        return TRIAL_STAMP, *numbers(len(self.fields), len(self.message.name))


class TransformsMessage:
    """Transforms of the frames that move.

    Parameters
    ----------
    transforms : sequence of TransformStamped
        With the frame ids set.
    frames : (k,) array
        Their rows in the arrays that `write` takes.
    """

    def __init__(self, transforms: Sequence[TransformStamped], frames: Ints) -> None:
        self.message = TFMessage(transforms=list(transforms))
        self.frames = frames
        self._quaternions = np.empty((len(frames), 4))

    def write(self, stamp: int, p_parent_frame: Floats, R_parent_frame: Floats) -> TFMessage:
        """Return the message for the poses of all frames, (f, 3) and (f, 3, 3)."""
        quaternions_from_matrices(R_parent_frame[self.frames], self._quaternions)
        p = p_parent_frame[self.frames]
        fill_transforms(self.message.transforms, time_from_stamp(stamp), p, self._quaternions)
        return self.message

    def trial(self) -> tuple[Any, ...]:
        """Return arguments for `write` that give every number of the message another value."""
        rows = int(self.frames.max(initial=-1)) + 1
        # quaternions without a zero; they need not be those of a rotation
        return TRIAL_STAMP, numbers(rows, 3), numbers(rows, 3, 3) ** 2


class WrenchMessage:
    """A force and a torque in a frame."""

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

    def trial(self) -> tuple[Any, ...]:
        """Return arguments for `write` that give every number of the message another value."""
        return TRIAL_STAMP, *numbers(2, 3)


class PointMessage:
    """A point in a frame."""

    def __init__(self, frame: str) -> None:
        self.message = PointStamped()
        self.message.header.frame_id = frame

    def write(self, stamp: int, x: float, y: float, z: float) -> PointStamped:
        """Return the message for the coordinates of a point."""
        self.message.header.stamp = time_from_stamp(stamp)
        point = self.message.point
        point.x, point.y, point.z = x, y, z
        return self.message

    def trial(self) -> tuple[Any, ...]:
        """Return arguments for `write` that give every number of the message another value."""
        return TRIAL_STAMP, *numbers(3).tolist()


TRIAL_STAMP = 1_234_567_890_987_654_321  # ns


def numbers(*shape: int) -> Floats:
    """Return an array without zeros in which no number is there twice."""
    return np.arange(1.0, np.prod(shape, dtype=int) + 1.0).reshape(shape) / 7.0
