# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Read serialised messages in place: parsed once, then only numbers are read at known offsets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from charmie_dynamics.live.wire.cdr import HEADER_SIZE, Reader
from charmie_dynamics.live.wire.messages import ADD, FIELDS, MARKER_TYPES
from charmie_dynamics.live.wire.stamps import NANOSECONDS
from charmie_dynamics.numerics.vectors import Floats

from .batches import Form, MarkerAppearance, MarkerLayout

FORMS: dict[int, Any] = {number: form for form, number in MARKER_TYPES.items()}
# bytes of the smallest marker, transform and of other elements of sequences
MARKER, TRANSFORM, POINT, COLOR, TEXTURE_POINT = 190, 70, 24, 16, 8
# stored forms of messages for each topic
REMEMBERED = 16


class MessageForm:
    """Offsets of the numbers in messages of equal structure.

    Parameters
    ----------
    data : bytes
        The message; all bytes but the fields that `walk` names are constant.
    walk : callable
        Passes all fields of the message with a reader, and returns a result. Variable fields have
        names, numeric ones also an entry in `types`.
    types : dict of str to str
        Types of numpy, by the names of fields.

    Attributes
    ----------
    kept
        Result of `walk`.

    Raises
    ------
    CdrError
        If the bytes are not such a message.
    """

    def __init__(self, data: bytes, walk: Callable[[Reader], Any], types: dict[str, str]) -> None:
        reader = Reader(data)
        self.kept = walk(reader)
        self._size = reader.end - HEADER_SIZE
        self._encoding = data[:2]
        # compared as whole words, which is much faster
        self._memory = np.zeros(self._size // 8 + 1)
        self._bytes = self._memory.view(np.uint8)[: self._size]
        changing = np.zeros(len(self._memory) * 8, dtype=bool)
        changing[reader.gaps] = True
        order = ">" if reader.is_big else "<"
        self._fields: dict[str, tuple[Any, NDArray[np.int64]]] = {}
        for name, kind in types.items():
            view = self._memory.view(order + kind)
            self._fields[name] = view, reader.places(name)
            _mark(changing, reader.ranges(name), view.itemsize)
        self._letters = [slice(text.start, text.stop) for text in reader.ranges("text")]
        _mark(changing, reader.ranges("text"), 1)
        _mark(changing, reader.ranges("stamp"), 4)
        self._fixed = np.where(changing, 0, 255).astype(np.uint8).view(np.uint64)
        self._bytes[:] = np.frombuffer(data, np.uint8, self._size, HEADER_SIZE)
        self._expected = self._words()

    def _words(self) -> NDArray[np.uint64]:
        result: NDArray[np.uint64] = self._memory.view(np.uint64) & self._fixed
        return result

    def take(self, data: bytes) -> bool:
        """Accept a message of this form, and return whether it is one; see `read` and `texts`."""
        if len(data) < self._size + HEADER_SIZE or data[:2] != self._encoding:
            return False
        self._bytes[:] = np.frombuffer(data, np.uint8, self._size, HEADER_SIZE)
        return bool((self._words() == self._expected).all())

    def read(self, name: str, width: int) -> NDArray[Any]:
        """Return a copy of a field of the last accepted message, (k, width)."""
        view, places = self._fields[name]
        return view[places.reshape(-1, width)]

    def texts(self) -> tuple[str, ...]:
        """Return the texts of the last accepted message."""
        return tuple(self._bytes[part].tobytes().decode(errors="replace") for part in self._letters)


def _mark(changing: NDArray[np.bool_], ranges: Sequence[range], size: int) -> None:
    for places in ranges:
        changing[places.start * size : places.stop * size] = True


class _Forms:
    """The forms of the messages on one topic."""

    def __init__(self, walk: Callable[[Reader], Any], types: dict[str, str]) -> None:
        self._walk = walk
        self._types = types
        self._forms: list[MessageForm] = []

    def of(self, data: bytes) -> MessageForm:
        """Return the form that has accepted a message."""
        for form in self._forms:
            if form.take(data):
                return form
        form = MessageForm(data, self._walk, self._types)
        self._forms = [form, *self._forms[: REMEMBERED - 1]]
        return form


class EffortsReader:
    """Reads sensor_msgs/JointState for time (s), names and efforts."""

    def __init__(self) -> None:
        self._forms = _Forms(_walk_joint_state, {**dict.fromkeys(FIELDS, "f8"), "stamp": "i4"})

    def read(self, data: bytes) -> tuple[float, Sequence[str], Floats]:
        """Return the content of a serialised message; without efforts, without names."""
        form = self._forms.of(data)
        seconds, nanoseconds = form.read("stamp", 2)[0].tolist()
        effort = form.read("effort", 1).ravel().astype(np.float64)
        return seconds + nanoseconds / NANOSECONDS, form.kept if len(effort) else (), effort


def _walk_joint_state(reader: Reader) -> list[str]:
    reader.stamp("stamp")
    reader.string()
    names = reader.strings()
    for field in FIELDS:
        reader.float64s(field)
    return names


class TransformsReader:
    """Reads tf2_msgs/TFMessage for parents, children and poses (k, 7) as `Frames` takes them."""

    def __init__(self) -> None:
        self._forms = _Forms(_walk_transforms, {"pose": "f8"})

    def read(self, data: bytes) -> tuple[Sequence[str], Sequence[str], Floats]:
        """Return the content of a serialised message."""
        form = self._forms.of(data)
        return *form.kept, form.read("pose", 7).astype(np.float64)


def _walk_transforms(reader: Reader) -> tuple[tuple[str, ...], tuple[str, ...]]:
    parents, children = [], []
    for _ in range(reader.length(TRANSFORM)):
        reader.stamp("stamp")
        parents.append(reader.string())
        children.append(reader.string())
        reader.float64("pose", 7)
    return tuple(parents), tuple(children)


class MarkersReader:
    """Reads visualization_msgs/MarkerArray.

    It requires that publishers send all of their markers in each message, as the dynamics node
    does.
    """

    def __init__(self) -> None:
        types = {
            "action": "i4",
            "position": "f8",
            "orientation": "f8",
            "scale": "f8",
            "color": "f4",
            "point": "f8",
        }
        self._forms = _Forms(_walk_markers, types)

    def read(self, data: bytes) -> tuple[MarkerLayout, MarkerAppearance]:
        """Return the content of a serialised message; equal layouts are one object."""
        form = self._forms.of(data)
        appearance = MarkerAppearance(
            visible=form.read("action", 1).ravel() == ADD,
            position=form.read("position", 3).astype(np.float64),
            quaternion=form.read("orientation", 4).astype(np.float64),
            scale=form.read("scale", 3).astype(np.float64),
            color=form.read("color", 4).astype(np.float64),
            points=form.read("point", 3).astype(np.float64),
            texts=form.texts(),
        )
        return form.kept, appearance


class _ConstantFields(NamedTuple):
    """The constant fields of one marker."""

    namespace: str
    form: Form | None
    frame: str
    mesh: str
    points: int
    lifetime: int  # ns


def _walk_markers(reader: Reader) -> MarkerLayout:
    fixed = [_walk_marker(reader) for _ in range(reader.length(MARKER))]
    lifetimes = [marker.lifetime for marker in fixed]
    return MarkerLayout(
        namespaces=tuple(marker.namespace for marker in fixed),
        forms=tuple(marker.form for marker in fixed),
        frames=tuple(marker.frame for marker in fixed),
        meshes=tuple(marker.mesh for marker in fixed),
        counts=np.array([marker.points for marker in fixed], dtype=np.int64),
        lifetime=0.0 if 0 in lifetimes else max(lifetimes, default=0) / NANOSECONDS,
    )


def _walk_marker(reader: Reader) -> _ConstantFields:
    reader.stamp("stamp")
    frame = reader.string()
    namespace = reader.string()
    reader.int32()  # id
    form = FORMS.get(reader.int32())
    reader.int32("action")
    reader.float64("position", 3)
    reader.float64("orientation", 4)
    reader.float64("scale", 3)
    reader.float32("color", 4)
    lifetime = reader.stamp()
    reader.uint8()  # frame_locked
    points = reader.length(POINT)
    for _ in range(points):
        reader.float64("point", 3)
    for _ in range(reader.length(COLOR)):
        reader.float32("", 4)
    reader.string()  # texture_resource
    reader.stamp()  # texture
    reader.string()
    reader.string()
    reader.octets()
    for _ in range(reader.length(TEXTURE_POINT)):
        reader.float32("", 2)
    reader.string("text")
    mesh = reader.string()
    reader.string()  # mesh_file
    reader.octets()
    reader.uint8()  # mesh_use_embedded_materials
    return _ConstantFields(namespace, form, frame, mesh, points, lifetime)
