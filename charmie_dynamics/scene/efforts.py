"""Efforts of the joints that have a drive of their own: arcs and arrows."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..model.loops import plane_across
from ..model.model import Model
from ..model.state import State
from .appearance import Rows
from .arcs import bend_arcs, stretch_arrows
from .colors import EXPONENT, NEUTRAL
from .part import Loads, size_of
from .room import room_for_arc, room_for_arrow
from .shapes import Floats, Shape

ARC_POINTS = 25
FULL_ARC = 1.5 * math.pi  # of an arc at the rated effort
FULL_ARROW = 0.6  # m, at the rated force
SHAFT = 0.01
HEAD_DIAMETER = 0.035
HEAD_LENGTH = 0.04
LEAST_SHARE = 0.05  # of smaller efforts there would be a lone arrow head, apart from the joint


class Efforts:
    """Arcs about revolute joints and arrows along prismatic ones, as share of the rated effort.

    An arc of the rated effort takes three quarters of a turn, an arrow of it 0.6 m on a robot of
    CHARMIE's size; smaller ones are as long as their colour is strong, see `colors.EXPONENT`.
    Both are beside the bodies, arrows on the side they point to, and heads shrink with arcs and
    arrows that are short. Linear actuators show their load by colour instead.
    """

    def __init__(self, model: Model) -> None:
        joints = {joint.name: joint for joint in model.tree.joints}
        own = [
            (i, joints[name])
            for i, name in enumerate(model.joint_names)
            if model.actuator_names[i] == name
        ]
        turning = [(i, joint) for i, joint in own if joint.type != "prismatic"]
        sliding = [(i, joint) for i, joint in own if joint.type == "prismatic"]
        self._turning = np.array([i for i, _ in turning], dtype=np.intp)
        self._sliding = np.array([i for i, _ in sliding], dtype=np.intp)
        planes = [plane_across(joint.axis) for _, joint in turning]
        size = size_of(model)
        room = np.array([room_for_arc(model.tree, joint, size) for _, joint in turning])
        offset, radius = room.reshape(-1, 2).T
        self._radius = np.ascontiguousarray(radius)
        axes = np.array([joint.axis for _, joint in turning]).reshape(-1, 3)
        self._centre = offset[:, None] * axes
        basis = np.array(planes).reshape(-1, 2, 3)
        self._first = self._radius[:, None] * basis[:, 0]
        self._second = self._radius[:, None] * basis[:, 1]
        axes = np.array([joint.axis for _, joint in sliding]).reshape(-1, 3)
        tail = np.array([room_for_arrow(model.tree, joint, size) for _, joint in sliding])
        self._tail = tail[:, None] * axes
        self._full_arrow = FULL_ARROW * size * axes
        self._shaft = SHAFT * size
        self._longest_head = HEAD_LENGTH * size
        head = (self._shaft, HEAD_DIAMETER * size, self._longest_head)
        frames = [joint.child for _, joint in turning]
        self.shapes: Sequence[Shape] = [
            *(
                _shape("line_strip", k, frame, (self._shaft, 0.0, 0.0), ARC_POINTS)
                for k, frame in enumerate(frames)
            ),
            *(_shape("arrow", len(frames) + k, frame, head, 2) for k, frame in enumerate(frames)),
            *(
                _shape("arrow", 2 * len(frames) + k, joint.child, head, 2)
                for k, (_, joint) in enumerate(sliding)
            ),
        ]

    def attach(self, rows: Rows) -> None:
        """Take the rows: the arcs, their heads, the arrows."""
        m, n = len(self._turning), len(self._sliding)
        on_arcs = m * ARC_POINTS
        self._arcs = rows.part(slice(0, m), slice(0, on_arcs))
        self._heads = rows.part(slice(m, 2 * m), slice(on_arcs, on_arcs + 2 * m))
        self._arrows = rows.part(slice(2 * m, None), slice(on_arcs + 2 * m, None))
        self._arc_points = self._arcs.points.reshape(m, ARC_POINTS, 3)
        self._head_points = self._heads.points.reshape(m, 2, 3)
        self._arrow_points = self._arrows.points.reshape(n, 2, 3)
        self._arc_heads, self._arrow_heads = np.empty(m), np.empty(n)

    def update(self, state: State, loads: Loads) -> None:
        """Bend the arcs and stretch the arrows."""
        share = loads.effort
        amount = np.abs(share)
        shown = np.copysign(np.minimum(amount, 1.0) ** EXPONENT, share)
        visible = amount >= LEAST_SHARE
        bend_arcs(
            FULL_ARC * shown[self._turning],
            self._radius,
            self._centre,
            self._first,
            self._second,
            self._longest_head,
            self._arc_points,
            self._head_points,
            self._arc_heads,
        )
        self._arcs.visible[:] = visible[self._turning]
        self._arcs.color[:] = loads.effort_color[self._turning]
        self._heads.visible[:] = self._arcs.visible
        self._heads.color[:] = self._arcs.color
        _scale_heads(self._heads, self._arc_heads)
        stretch_arrows(
            shown[self._sliding],
            self._tail,
            self._full_arrow,
            self._longest_head,
            self._arrow_points,
            self._arrow_heads,
        )
        self._arrows.visible[:] = visible[self._sliding]
        self._arrows.color[:] = loads.effort_color[self._sliding]
        _scale_heads(self._arrows, self._arrow_heads)


def _scale_heads(rows: Rows, length: Floats) -> None:
    rows.scale[:, 1] = length * (HEAD_DIAMETER / HEAD_LENGTH)
    rows.scale[:, 2] = length


def _shape(kind: str, id: int, frame: str, scale: tuple[float, float, float], points: int) -> Shape:
    return Shape(
        namespace="efforts",
        id=id,
        kind=kind,  # type: ignore[arg-type]
        frame=frame,
        scale=scale,
        color=NEUTRAL,
        points=np.zeros((points, 3)),
    )
