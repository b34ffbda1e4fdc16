# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Texts with names and loads, in columns next to the robot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from charmie_dynamics.model.model import Model
from charmie_dynamics.model.stability import Support
from charmie_dynamics.model.state import State
from charmie_dynamics.visual.shapes.appearance import Rows
from charmie_dynamics.visual.shapes.colors import INK
from charmie_dynamics.visual.shapes.part import RelativeLoads, size_of
from charmie_dynamics.visual.shapes.shape import DIGIT, Floats, Shape, text_scale

LETTER = 0.034
ASIDE = 0.4  # m, between a column and the outermost point on its side
COLUMN = 0.9  # m, width of a column of texts next to the robot
NUMBER = 8  # letters


class Labels:
    """Name and effort of each actuator, name and tension of each spring, tip-over margin.

    The texts are in two columns to the left and right of the robot, each on the side and at the
    height of its actuator or spring. Each text has a fixed width.
    """

    def __init__(self, model: Model, support: Support) -> None:
        flat = model.flat
        size = size_of(model)
        joints = {joint.name: joint for joint in model.tree.joints}
        frames = list(flat.frame_names)
        linear = {actuator.name for actuator in model.mechanisms.linear_actuators}
        self._names: list[str] = []
        self._units = list(model.effort_units)
        rows: list[int] = []
        self._actuators = flat.actuator_index
        for i, actuator in zip(flat.actuator_index.tolist(), flat.actuator_names, strict=True):
            joint = flat.joint_names[i]
            self._names.append(actuator)
            rows.append(
                frames.index(f"{actuator}_rod" if actuator in linear else joints[joint].child)
            )
        for spring, tip in zip(flat.spring_names, flat.spring_tips, strict=True):
            self._names.append(spring)
            self._units.append("N")
            rows.append(frames.index(tip))
        self._rows = np.array(rows, dtype=np.intp)
        self._middle = frames.index(model.mechanisms.base_body or model.tree.root)
        self._floor = frames.index(support.frame)
        self._has_margin = len(support.polygon) > 0
        self._aside = ASIDE * size
        self._almost = 0.02 * size  # keeps labels of central parts on one side
        self._line = 1.5 * LETTER * size
        self._format = "\n".join(self._lines([f"%{NUMBER}.1f"] * len(rows)))
        blank = self._lines([number(None)] * len(rows))
        if self._has_margin:
            blank.append(f"tip-over margin {number(None)} m")
        self._blank = tuple(blank)
        scale = text_scale(LETTER * size, DIGIT)
        self.shapes: Sequence[Shape] = [
            Shape("labels", i, "text", model.tree.root, scale=scale, color=INK, text=text)
            for i, text in enumerate(blank)
        ]
        self.texts: tuple[str, ...] = self._blank

    def attach(self, rows: Rows) -> None:
        """Set the rows of the texts."""
        self._visible = rows.visible
        self._position = rows.position

    def update(self, state: State, loads: RelativeLoads) -> None:
        """Write the texts, and place them next to the actuators and springs."""
        stability = loads.stability
        self._visible[:] = stability is not None
        if state.dynamics is None or stability is None:
            self.texts = self._blank
            return
        dynamics = state.dynamics
        effort = dynamics.actuator_effort[self._actuators]
        values = np.concatenate((effort, dynamics.spring_tension))
        self.texts = self._write(values, stability.margin)
        kinematics = state.kinematics
        position = self._position
        position[: len(self._rows)] = kinematics.p_world_frame[self._rows]
        if self._has_margin:
            point = stability.zero_moment_point
            self._visible[-1] = point[0] == point[0]
            p, R = kinematics.p_world_frame[self._floor], kinematics.R_world_frame[self._floor]
            position[-1] = p + R @ np.nan_to_num(point)
        middle = kinematics.p_world_frame[self._middle]
        right = kinematics.R_world_frame[self._middle, :, 0]
        across = (position - middle) @ right
        # both columns in one vertical plane: lines keep their distance in every view
        position[:, :2] = middle[:2]
        for side, rows in (
            (-1.0, np.flatnonzero(across < -self._almost)),
            (1.0, np.flatnonzero(across >= -self._almost)),
        ):
            if len(rows):
                column = side * (float(np.abs(across[rows]).max()) + self._aside)
                position[rows] += column * right
                self._spread(rows)

    def _spread(self, rows: NDArray[np.intp]) -> None:
        """Lift the texts of one side to a distance of at least a line."""
        height = self._position[rows, 2]
        order = height.argsort(kind="stable")
        below = self._line * np.arange(len(rows))
        lifted = np.maximum.accumulate(height[order] - below) + below
        self._position[rows[order], 2] = lifted

    def _write(self, values: Floats, margin: float) -> tuple[str, ...]:
        if np.abs(values).max(initial=0.0) < 10.0 ** (NUMBER - 3) - 1.0:
            # one format of all numbers is faster than one of each
            rounded = np.round(values, 1) + 0.0  # never -0.0
            lines = (self._format % tuple(rounded.tolist())).split("\n") if len(values) else []
        else:
            lines = self._lines([number(value) for value in values.tolist()])
        if self._has_margin:
            lines.append(f"tip-over margin {number(margin, 3)} m")
        return tuple(lines)

    def _lines(self, numbers: Sequence[str]) -> list[str]:
        parts = zip(self._names, numbers, self._units, strict=True)
        return [f"{name} {text} {unit}" for name, text, unit in parts]


def number(value: float | None, digits: int = 1) -> str:
    """Return a number in NUMBER letters, a dash for None."""
    if value is None or value != value:
        return "-".rjust(NUMBER)
    text = f"{round(value, digits) + 0.0:{NUMBER}.{digits}f}"  # never -0.0
    return text if len(text) == NUMBER else f"{value:{NUMBER}.1e}"
