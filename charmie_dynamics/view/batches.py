# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Markers as a few nodes of a browser scene: solids of one form, lines of one width, texts.

A node contains all solids of one form in a namespace. One message with their poses moves them all;
surface, sizes and colours are sent only after a change.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from charmie_dynamics.numerics.vectors import Floats, Ints

from .poses import Poses, from_z_to, multiply, rotate

Form = Literal["box", "cylinder", "sphere", "line_strip", "line_list", "arrow", "mesh", "text"]
# A hidden solid is invisibly small: with zero, the directions of its surface would be undefined.
HIDDEN = 1e-9
USUAL_HEAD = 0.25  # of an arrow's length


class MarkerLayout(NamedTuple):
    """The part of k markers that is equal in all messages.

    Parameters
    ----------
    namespaces, forms, frames, meshes : tuples of length k
        `forms` is None for a marker that cannot be shown; `meshes` are URLs.
    counts : array of int, shape (k,)
        Number of points of each.
    lifetime : float
        Time (s) after which they disappear unless they are renewed; 0: never.
    """

    namespaces: tuple[str, ...]
    forms: tuple[Form | None, ...]
    frames: tuple[str, ...]
    meshes: tuple[str, ...]
    counts: Ints
    lifetime: float


class MarkerAppearance(NamedTuple):
    """The variable part of k markers; its fields are those of ``visualization_msgs/Marker``.

    Parameters
    ----------
    visible : array of bool, shape (k,)
    position, scale : arrays, shape (k, 3)
    quaternion, color : arrays, shape (k, 4)
    points : array, shape (p, 3)
        Of all markers, concatenated.
    texts : tuple of str, length k
    """

    visible: NDArray[np.bool_]
    position: Floats
    quaternion: Floats
    scale: Floats
    color: Floats
    points: Floats
    texts: tuple[str, ...]


def in_world(layout: MarkerLayout, appearance: MarkerAppearance, poses: Poses) -> MarkerAppearance:
    """Return an appearance with poses and points in the world; unknown frames are hidden.

    Parameters
    ----------
    layout : MarkerLayout
    appearance : MarkerAppearance
    poses : Poses
        Of the frame of each marker.
    """
    position = poses.position + rotate(poses.quaternion, appearance.position)
    quaternion = multiply(poses.quaternion, appearance.quaternion)
    of = np.repeat(np.arange(len(layout.counts)), layout.counts)
    points = position[of] + rotate(quaternion[of], appearance.points)
    return appearance._replace(
        visible=appearance.visible & poses.known,
        position=position,
        quaternion=quaternion,
        points=points,
    )


class Instances(NamedTuple):
    """Solids of one form: arrays with one row each; scale and opacity are those of markers."""

    position: Floats
    quaternion: Floats
    scale: Floats
    color: Floats


class Solids:
    """Boxes, cylinders, spheres or copies of one mesh.

    Attributes
    ----------
    rows : array of int
        The marker of each solid.
    """

    def __init__(self, namespace: str, form: str, rows: Ints, mesh: str = "") -> None:
        self.namespace, self.form, self.rows, self.mesh = namespace, form, rows, mesh

    def place(self, appearance: MarkerAppearance) -> Instances:
        """Return the solids in the world."""
        rows = self.rows
        scale = np.where(appearance.visible[rows, None], appearance.scale[rows], HIDDEN)
        return Instances(
            appearance.position[rows], appearance.quaternion[rows], scale, appearance.color[rows]
        )


class Arrows(Solids):
    """Shafts (form ``cylinder``) or heads (form ``cone``) of arrows between two points."""

    def __init__(self, namespace: str, form: str, rows: Ints, first: Ints) -> None:
        super().__init__(namespace, form, rows)
        self._first = first

    def place(self, appearance: MarkerAppearance) -> Instances:
        """Return the shafts or heads in the world."""
        rows = self.rows
        tail, tip = appearance.points[self._first], appearance.points[self._first + 1]
        length = np.linalg.norm(tip - tail, axis=1)
        shown = appearance.visible[rows] & (length > HIDDEN)
        direction = (tip - tail) / np.where(shown, length, 1.0)[:, None]
        direction[~shown] = (0.0, 0.0, 1.0)
        wide, head = appearance.scale[rows, 1], appearance.scale[rows, 2]
        head = np.minimum(np.where(head > 0.0, head, USUAL_HEAD * length), length)
        neck = tip - head[:, None] * direction
        if self.form == "cylinder":
            position, wide, long = 0.5 * (tail + neck), appearance.scale[rows, 0], length - head
        else:
            position, long = neck, head
        scale = np.column_stack((wide, wide, long))
        scale = np.where(shown[:, None], np.maximum(scale, HIDDEN), HIDDEN)
        return Instances(position, from_z_to(direction), scale, appearance.color[rows])


class Lines:
    """Line strips and line lists of one width.

    Parameters
    ----------
    namespace : str
    width : float
        In m.
    rows, ends : array of int, shape (s,) and (s, 2)
        Of each segment: its marker, and the indices of its points.
    """

    def __init__(self, namespace: str, width: float, rows: Ints, ends: Ints) -> None:
        self.namespace, self.width, self.rows, self._ends = namespace, width, rows, ends

    def segments(self, appearance: MarkerAppearance) -> tuple[Floats, Floats] | None:
        """Return ends (s, 2, 3) and their colours (s, 2, 3); None if nothing is visible.

        The number of segments is constant: hidden ones coincide with a visible one.
        """
        visible = appearance.visible[self.rows]
        if not visible.any():
            return None
        shown = np.where(visible, np.arange(len(visible)), int(visible.argmax()))
        color = appearance.color[self.rows[shown], None, :3]
        return appearance.points[self._ends[shown]], np.repeat(color, 2, axis=1)


class Texts:
    """Texts that face the viewer."""

    def __init__(self, namespace: str, rows: Ints) -> None:
        self.namespace, self.rows = namespace, rows


Batch = Solids | Lines | Texts


def make_batches(layout: MarkerLayout, appearance: MarkerAppearance) -> list[Batch]:
    """Return the nodes for markers, by namespace in the order of the message."""
    batches: list[Batch] = []
    first = np.concatenate(([0], np.cumsum(layout.counts)))
    for namespace in dict.fromkeys(layout.namespaces):
        rows = [i for i, other in enumerate(layout.namespaces) if other == namespace]
        for form in ("box", "cylinder", "sphere"):
            chosen = [i for i in rows if layout.forms[i] == form]
            if chosen:
                batches.append(Solids(namespace, form, np.array(chosen)))
        for mesh in dict.fromkeys(layout.meshes[i] for i in rows if layout.forms[i] == "mesh"):
            chosen = [i for i in rows if layout.meshes[i] == mesh]
            batches.append(Solids(namespace, "mesh", np.array(chosen), mesh))
        arrows = [i for i in rows if layout.forms[i] == "arrow" and layout.counts[i] == 2]
        if arrows:
            for part in ("cylinder", "cone"):
                batches.append(Arrows(namespace, part, np.array(arrows), first[arrows]))
        batches += _lines(namespace, rows, layout, appearance, first)
        texts = [i for i in rows if layout.forms[i] == "text"]
        if texts:
            batches.append(Texts(namespace, np.array(texts)))
    return batches


def _lines(
    namespace: str,
    rows: Sequence[int],
    layout: MarkerLayout,
    appearance: MarkerAppearance,
    first: Ints,
) -> list[Batch]:
    by_width: dict[float, list[tuple[int, int]]] = {}
    for i in rows:
        step = {"line_strip": 1, "line_list": 2}.get(str(layout.forms[i]))
        if step is not None:
            starts = range(int(first[i]), int(first[i + 1]) - 1, step)
            by_width.setdefault(float(appearance.scale[i, 0]), []).extend((i, k) for k in starts)
    batches: list[Batch] = []
    for width, segments in by_width.items():
        if segments:
            row, start = np.array(segments).T
            batches.append(Lines(namespace, width, row, np.column_stack((start, start + 1))))
    return batches
