"""Efforts of the joints that have a drive of their own: arcs and arrows."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..model.loops import plane_across
from ..model.model import Model
from ..model.state import State
from .appearance import Rows
from .colors import EXPONENT, NEUTRAL, load_colors
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
        offset, self._radius = room.reshape(-1, 2).T
        axes = np.array([joint.axis for _, joint in turning]).reshape(-1, 3)
        self._centre = offset[:, None] * axes
        basis = np.array(planes).reshape(-1, 2, 3)
        self._first = self._radius[:, None] * basis[:, 0]
        self._second = self._radius[:, None] * basis[:, 1]
        axes = np.array([joint.axis for _, joint in sliding]).reshape(-1, 3)
        tail = np.array([room_for_arrow(model.tree, joint, size) for _, joint in sliding])
        self._tail = tail[:, None] * axes
        self._full_arrow = FULL_ARROW * size * axes
        self._full_length = FULL_ARROW * size
        self._shaft = SHAFT * size
        self._head_length = HEAD_LENGTH * size
        self._ramp = np.linspace(0.0, 1.0, ARC_POINTS)
        head = (self._shaft, HEAD_DIAMETER * size, self._head_length)
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

    def update(self, state: State, loads: Loads) -> None:
        """Bend the arcs and stretch the arrows."""
        share = loads.effort
        shown = np.copysign(np.minimum(np.abs(share), 1.0) ** EXPONENT, share)
        self._bend_arcs(share[self._turning], shown[self._turning])
        self._stretch_arrows(share[self._sliding], shown[self._sliding])

    def _bend_arcs(self, share: Floats, shown: Floats) -> None:
        angle = FULL_ARC * shown
        length = np.abs(angle) * self._radius
        head = np.minimum(self._head_length, 0.5 * length)
        angle -= np.copysign(head / self._radius, angle)  # the head takes the rest
        along = angle[:, None] * self._ramp
        cosine, sine = np.cos(along), np.sin(along)
        arc, tip = self._arc_points, self._head_points
        np.multiply(cosine[:, :, None], self._first[:, None, :], out=arc)
        arc += sine[:, :, None] * self._second[:, None, :]
        arc += self._centre[:, None, :]
        tip[:, 0] = arc[:, -1]
        forward = np.copysign(head / self._radius, angle)
        tangent = cosine[:, -1:] * self._second - sine[:, -1:] * self._first
        np.add(arc[:, -1], forward[:, None] * tangent, out=tip[:, 1])
        self._heads.scale[:, 1] = head * (HEAD_DIAMETER / HEAD_LENGTH)
        self._heads.scale[:, 2] = head
        colors = load_colors(share)
        self._arcs.color[:] = colors
        self._heads.color[:] = colors
        np.greater_equal(np.abs(share), LEAST_SHARE, out=self._arcs.visible)
        self._heads.visible[:] = self._arcs.visible

    def _stretch_arrows(self, share: Floats, shown: Floats) -> None:
        tail, tip = self._arrow_points[:, 0], self._arrow_points[:, 1]
        np.multiply(np.copysign(1.0, share)[:, None], self._tail, out=tail)
        np.multiply(shown[:, None], self._full_arrow, out=tip)
        tip += tail
        head = np.minimum(self._head_length, 0.5 * self._full_length * np.abs(shown))
        self._arrows.scale[:, 1] = head * (HEAD_DIAMETER / HEAD_LENGTH)
        self._arrows.scale[:, 2] = head
        self._arrows.color[:] = load_colors(share)
        np.greater_equal(np.abs(share), LEAST_SHARE, out=self._arrows.visible)


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
