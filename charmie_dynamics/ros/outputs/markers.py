# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The scene as RViz markers.

Every shape of the scene is in every message, so that the layout never changes; one that is not
visible has the action DELETE.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from charmie_dynamics.live.wire.cdr import CdrError
from charmie_dynamics.live.wire.messages import DELETE, MARKER_TYPES, Marker, markers
from charmie_dynamics.live.wire.scatter import MARKER, scatter_markers
from charmie_dynamics.live.wire.stamps import NANOSECONDS
from charmie_dynamics.live.wire.templates import Template
from charmie_dynamics.numerics.vectors import Floats, Ints
from charmie_dynamics.visual.shapes.appearance import Appearance
from charmie_dynamics.visual.shapes.shape import Shape


class SceneMarkers:
    """The markers of a scene's shapes; texts keep their length.

    Parameters
    ----------
    shapes : sequence of Shape, length k
        The constant parts of the markers.
    frame_prefix : str
        Put before the shapes' frames.
    lifetime : float
        Time (s) after which a marker that is not renewed disappears.
    frame_locked : bool
        They move with their frames from message to message.

    Attributes
    ----------
    identities : frozenset of Marker
        Namespace and id of each marker; see `deletion`.
    """

    def __init__(
        self,
        shapes: Sequence[Shape],
        frame_prefix: str,
        lifetime: float,
        frame_locked: bool = False,
    ) -> None:
        given = [
            Marker(
                shape.namespace,
                shape.id,
                MARKER_TYPES[shape.kind],
                frame_prefix + shape.frame,
                mesh=shape.mesh,
                points=0 if shape.points is None else len(shape.points),
                text=shape.text,
                lifetime=int(lifetime * NANOSECONDS),
                frame_locked=frame_locked,
            )
            for shape in shapes
        ]
        self.identities = frozenset(
            m._replace(points=0, text="", lifetime=0, frame_locked=False) for m in given
        )
        self._template = template = markers(given)
        self._memory: Floats = template.float64
        self._records = np.empty(len(given), MARKER)
        for name in MARKER.names or ():
            self._records[name] = [field.start for field in template.ranges(name)]
        self._points: Ints = np.array(
            [point.start for point in template.ranges("point")], dtype=np.int64
        )
        texts = [marker.text for marker in given]
        self._texts = tuple(texts)
        self._widths = [len(text) for text in texts]
        self._letters: Ints = np.array(
            [place for letters in template.ranges("text") for place in letters], dtype=np.int64
        )

    def write(self, stamp: int, appearance: Appearance) -> Template:
        """Return the message, filled for the shapes' appearance at a time (ns)."""
        texts = appearance.texts
        scatter_markers(stamp, appearance[:-1], self._records, self._points, self._memory)
        if texts != self._texts:
            self._write_texts(texts)
        return self._template

    def _write_texts(self, texts: tuple[str, ...]) -> None:
        """Write all texts at once, which takes a fraction of the time of single writes."""
        letters = "".join(texts).encode()
        widths = [len(text) for text in texts]
        if widths != self._widths or len(letters) != len(self._letters):
            raise CdrError(
                f"texts of markers: expected {len(self._letters)} bytes with the lengths "
                f"{self._widths}, got {len(letters)} bytes with the lengths {widths}"
            )
        self._template.uint8[self._letters] = np.frombuffer(letters, np.uint8)
        self._texts = texts


def deletion(identities: Iterable[Marker], stamp: int) -> Template:
    """Return the message that deletes some markers, at a time (ns)."""
    template = markers(sorted(identities))
    template.int32[template.places("action")] = DELETE
    template.float64[template.places("orientation")[:, 3]] = 1.0  # a rotation, as RViz expects
    template.set_stamp(stamp)
    return template
