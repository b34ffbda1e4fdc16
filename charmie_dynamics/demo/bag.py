"""Read a recorded bag: rates, efforts, and the last complete picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_typestore

from ..core.vectors import Floats
from ..model.errors import CharmieError
from ..scene.shapes import Kind, Shape

Frames = dict[str, tuple[Floats, Floats]]

KINDS: dict[int, Kind] = {
    0: "arrow",
    1: "box",
    2: "sphere",
    3: "cylinder",
    4: "line_strip",
    9: "text",
    10: "mesh",
}
ADD = 0


@dataclass(frozen=True)
class Efforts:
    """Efforts over time: stamps (N,) in s since the first, names, efforts (N, q)."""

    time: Floats
    names: tuple[str, ...]
    effort: Floats


class Bag:
    """A recorded bag.

    Parameters
    ----------
    path : Path
        Folder of a rosbag2.

    Raises
    ------
    CharmieError
        If there is no readable bag.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._reader = AnyReader([path], default_typestore=get_typestore(Stores.ROS2_HUMBLE))
            self._reader.open()
        except Exception as error:  # the reader raises whatever its storage does
            raise CharmieError(f"bag '{path}' cannot be read: {error}") from error

    def __enter__(self) -> Bag:
        return self

    def __exit__(self, *_: object) -> None:
        self._reader.close()

    def count(self, topic: str) -> int:
        """Return the number of messages on a topic; its name may lack the namespace."""
        return sum(c.msgcount for c in self._reader.connections if _is(c.topic, topic))

    def stamps(self, topic: str) -> list[int]:
        """Return the header stamps (ns) on a topic."""
        return [_stamp(_header(message)) for message in self.messages(topic)]

    def messages(self, topic: str) -> Iterator[Any]:
        """Yield the messages of a topic; its name may lack the namespace."""
        wanted = [c for c in self._reader.connections if _is(c.topic, topic)]
        if not wanted:
            known = ", ".join(sorted(c.topic for c in self._reader.connections))
            raise CharmieError(f"the bag has no topic '{topic}'; it has: {known}")
        for connection, _, data in self._reader.messages(connections=wanted):
            yield self._reader.deserialize(data, connection.msgtype)

    def efforts(self) -> Efforts:
        """Return all efforts over time."""
        stamps: list[int] = []
        rows: list[Floats] = []
        names: Sequence[str] = ()
        for message in self.messages("actuator_efforts"):
            names = message.name
            stamps.append(_stamp(message.header))
            rows.append(message.effort)
        if not rows:
            raise CharmieError("the bag holds no efforts")
        time = (np.array(stamps) - stamps[0]) * 1e-9
        return Efforts(time, tuple(names), np.array(rows))

    def picture(self, stamp: int) -> tuple[list[Shape], Frames]:
        """Return the shapes and frames that were published nearest to a stamp (ns)."""
        arrays = [message for message in self.messages("markers") if len(message.markers)]
        if not arrays:
            raise CharmieError("the bag holds no markers")
        array = min(arrays, key=lambda a: abs(_stamp(a.markers[0].header) - stamp))
        shapes = [shape_from_marker(m) for m in array.markers if m.action == ADD]
        at = _stamp(array.markers[0].header)
        transforms = [t for m in self.messages("/tf_static") for t in m.transforms]
        for message in self.messages("/tf"):
            if _stamp(message.transforms[0].header) == at:
                transforms += message.transforms
        return shapes, frames_from_transforms(transforms)


def shape_from_marker(marker: Any) -> Shape:
    """Return the shape that a marker shows."""
    p, q = marker.pose.position, marker.pose.orientation
    points = None
    if len(marker.points):
        points = np.array([(point.x, point.y, point.z) for point in marker.points])
    return Shape(
        namespace=marker.ns,
        id=marker.id,
        kind=KINDS[marker.type],
        frame=marker.header.frame_id,
        position=(p.x, p.y, p.z),
        rotation=_rotation(q),
        scale=(marker.scale.x, marker.scale.y, marker.scale.z),
        color=(marker.color.r, marker.color.g, marker.color.b, marker.color.a),
        points=points,
        text=marker.text,
        mesh=marker.mesh_resource,
    )


def frames_from_transforms(transforms: Sequence[Any]) -> Frames:
    """Return p_root_frame and R_root_frame of every frame of a tree of transforms."""
    edges: Mapping[str, Any] = {t.child_frame_id: t for t in transforms}
    frames: Frames = {}
    for root in {t.header.frame_id for t in transforms} - set(edges):
        frames[root] = (np.zeros(3), np.eye(3))

    def resolve(name: str) -> tuple[Floats, Floats]:
        chain = []
        while name not in frames:
            chain.append(name)
            name = edges[name].header.frame_id
        for child in reversed(chain):
            p, R = frames[name]
            t = edges[child].transform
            offset = np.array([t.translation.x, t.translation.y, t.translation.z])
            frames[child] = (p + R @ offset, R @ _rotation(t.rotation))
            name = child
        return frames[name]

    for name in edges:
        resolve(name)
    return frames


def _rotation(q: Any) -> Floats:
    x, y, z, w = q.x, q.y, q.z, q.w
    return np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
            [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
            [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )


def _is(topic: str, name: str) -> bool:
    return topic == name or (not name.startswith("/") and topic.endswith("/" + name))


def _header(message: Any) -> Any:
    if hasattr(message, "header"):
        return message.header
    parts = message.transforms if hasattr(message, "transforms") else message.markers
    return parts[0].header


def _stamp(header: Any) -> int:
    return int(header.stamp.sec) * 1_000_000_000 + int(header.stamp.nanosec)
