# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Efforts of joints with a drive: arcs and arrows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from charmie_dynamics.model.model import Model
from charmie_dynamics.model.state import State
from charmie_dynamics.numerics.rotations import plane_across
from charmie_dynamics.visual.shapes.appearance import Rows
from charmie_dynamics.visual.shapes.colors import EXPONENT, NEUTRAL
from charmie_dynamics.visual.shapes.part import RelativeLoads, size_of
from charmie_dynamics.visual.shapes.shape import Kind, Shape

from .arcs import ARC_POINTS, HEAD_DIAMETER, HEAD_LENGTH, show_efforts
from .clearance import arc_clearance, arrow_clearance

FULL_ARROW = 0.6  # m, at the rated force
SHAFT = 0.01


class Efforts:
    """Arcs about revolute joints and arrows along prismatic ones, relative to the rated effort.

    An arc of the rated effort is three quarters of a turn, an arrow is 0.6 m on a robot of
    CHARMIE's size; smaller efforts have lengths with the exponent of their colours, see
    `colors.EXPONENT`. Both are next to the bodies, arrows on the side to which they point, and
    heads shrink with short arcs and arrows. Linear actuators display their load by colour instead.
    """

    def __init__(self, model: Model) -> None:
        joints = {joint.name: joint for joint in model.tree.joints}
        own = [
            (i, joints[model.joint_names[i]])
            for i, name in zip(model.actuator_index.tolist(), model.actuator_names, strict=True)
            if model.joint_names[i] == name
        ]
        turning = [(i, joint) for i, joint in own if joint.type != "prismatic"]
        sliding = [(i, joint) for i, joint in own if joint.type == "prismatic"]
        self._turning = np.array([i for i, _ in turning], dtype=np.intp)
        self._sliding = np.array([i for i, _ in sliding], dtype=np.intp)
        planes = [plane_across(joint.axis) for _, joint in turning]
        size = size_of(model)
        clearance = np.array([arc_clearance(model.tree, joint, size) for _, joint in turning])
        offset, radius = clearance.reshape(-1, 2).T
        self._radius = np.ascontiguousarray(radius)
        axes = np.array([joint.axis for _, joint in turning]).reshape(-1, 3)
        self._centre = offset[:, None] * axes
        basis = np.array(planes).reshape(-1, 2, 3)
        self._first = self._radius[:, None] * basis[:, 0]
        self._second = self._radius[:, None] * basis[:, 1]
        axes = np.array([joint.axis for _, joint in sliding]).reshape(-1, 3)
        tail = np.array([arrow_clearance(model.tree, joint, size) for _, joint in sliding])
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
        """Set the rows: the arcs, their heads, the arrows."""
        self._rows = (rows.visible, rows.scale, rows.color)
        m, n = len(self._turning), len(self._sliding)
        arcs, heads, arrows = np.split(rows.points, np.cumsum((m * ARC_POINTS, 2 * m)))
        self._points = (
            arcs.reshape(m, ARC_POINTS, 3),
            heads.reshape(m, 2, 3),
            arrows.reshape(n, 2, 3),
        )

    def update(self, state: State, loads: RelativeLoads) -> None:
        """Bend the arcs and stretch the arrows."""
        show_efforts(
            (loads.effort, loads.effort_color),
            (self._turning, self._radius, self._centre, self._first, self._second),
            (self._sliding, self._tail, self._full_arrow),
            self._longest_head,
            EXPONENT,
            self._rows,
            self._points,
        )


def _shape(
    kind: Kind, id: int, frame: str, scale: tuple[float, float, float], points: int
) -> Shape:
    at_rest = np.zeros((points, 3))
    return Shape("efforts", id, kind, frame, scale=scale, color=NEUTRAL, points=at_rest)
