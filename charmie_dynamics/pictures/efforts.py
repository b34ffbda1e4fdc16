"""Efforts over time: one small diagram for each group of actuators, as a PNG file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

from ..model.errors import InputError, UnknownNameError, choices

Floats = NDArray[np.float64]

SIZE = (1600, 1000)
DPI = 100
LEFT, RIGHT, GAP = 0.06, 0.985, 0.075  # in widths of the figure
INK = "#20262d"
MUTED = "#6b7480"
# Okabe and Ito's colours without yellow and black: told apart with every kind of colour vision.
LINES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")


@dataclass(frozen=True)
class EffortGroup:
    """Actuators that share a diagram.

    Parameters
    ----------
    title : str
        Heading of the diagram.
    unit : str
        Of the efforts: "N" or "N m".
    labels : mapping of str to str
        Name of each actuator to its name in the diagram; at most six.
    row : int
        Row of the figure that the diagram stands in; diagrams of a row share its width.
    """

    title: str
    unit: str
    labels: Mapping[str, str]
    row: int


def _arm(side: str) -> dict[str, str]:
    return {f"{side}_arm_joint_{i}": f"joint {i}" for i in range(1, 7)}


CHARMIE_GROUPS = (
    EffortGroup("Base, force", "N", {"base_x_joint": "x", "base_y_joint": "y"}, 0),
    EffortGroup("Base, torque", "N m", {"base_yaw_joint": "yaw"}, 0),
    EffortGroup(
        "Lift and torso actuator", "N", {"lift_actuator": "lift", "torso_actuator": "torso"}, 0
    ),
    EffortGroup("Left arm", "N m", _arm("left"), 1),
    EffortGroup("Right arm", "N m", _arm("right"), 1),
    EffortGroup(
        "Grippers", "N m", {"left_gripper_joint": "left", "right_gripper_joint": "right"}, 2
    ),
    EffortGroup("Neck", "N m", {"neck_pan_joint": "pan", "neck_tilt_joint": "tilt"}, 2),
)


def plot_efforts(
    path: str | os.PathLike[str],
    time: Floats,
    names: Sequence[str],
    effort: Floats,
    groups: Sequence[EffortGroup] = CHARMIE_GROUPS,
    *,
    title: str = "Actuator efforts",
) -> None:
    """Draw the efforts of all actuators over time and write a PNG file of 1600 by 1000 pixels.

    Parameters
    ----------
    path : path-like
        The file, overwritten.
    time : array, shape (n,)
        Time of each sample (s), ascending.
    names : sequence of str
        Name of each of the m actuators.
    effort : array, shape (n, m)
        Effort of each actuator at each time (N or N m). A value that is not finite leaves a gap.
    groups : sequence of EffortGroup, optional
        What is drawn where. Actuators in no group are left out.
    title : str, optional
        Heading of the figure.

    Raises
    ------
    InputError
        The shapes disagree, there are fewer than two samples, or a group is too large.
    UnknownNameError
        A group names an actuator that is not in `names`.
    """
    time = np.asarray(time, dtype=np.float64)
    effort = np.asarray(effort, dtype=np.float64)
    if time.ndim != 1 or len(time) < 2 or effort.shape != (len(time), len(names)):
        raise InputError(
            f"efforts to plot: expected time of shape (n,) with n of at least 2 and effort of "
            f"shape (n, {len(names)}), got {time.shape} and {effort.shape}"
        )
    column = {name: i for i, name in enumerate(names)}
    for group in groups:
        if len(group.labels) > len(LINES):
            raise InputError(
                f"group '{group.title}': expected at most {len(LINES)} actuators in a diagram, "
                f"got {len(group.labels)}"
            )
        for name in group.labels:
            if name not in column:
                raise UnknownNameError(
                    f"group '{group.title}': unknown actuator '{name}'" + choices(name, names)
                )

    figure = Figure(figsize=(SIZE[0] / DPI, SIZE[1] / DPI), dpi=DPI, facecolor="white")
    FigureCanvasAgg(figure)
    figure.text(LEFT, 0.975, title, fontsize=19, fontweight="bold", color=INK, va="top")
    rows = sorted({group.row for group in groups})
    for i, row in enumerate(rows):
        members = [group for group in groups if group.row == row]
        grid = figure.add_gridspec(
            1,
            len(members),
            left=LEFT,
            right=RIGHT,
            top=0.885 - i * 0.94 / len(rows),
            bottom=0.885 - (i + 1) * 0.94 / len(rows) + 0.12,
            wspace=GAP * len(members) / (RIGHT - LEFT - GAP * (len(members) - 1)),
        )
        for j, group in enumerate(members):
            _draw(figure.add_subplot(grid[0, j]), time, effort, column, group)
    figure.savefig(path, format="png", dpi=DPI)


def _draw(
    axes: Axes, time: Floats, effort: Floats, column: Mapping[str, int], group: EffortGroup
) -> None:
    axes.axhline(0.0, color=MUTED, linewidth=0.8)
    for k, (name, label) in enumerate(group.labels.items()):
        axes.plot(time, effort[:, column[name]], color=LINES[k], linewidth=1.8, label=label)
    axes.set_title(group.title, loc="left", fontsize=13, fontweight="bold", color=INK, pad=8)
    axes.legend(
        loc="lower right",
        bbox_to_anchor=(1.01, 0.985),
        ncol=len(group.labels),
        frameon=False,
        fontsize=11,
        labelcolor=INK,
        handlelength=1.1,
        handletextpad=0.4,
        columnspacing=1.0,
        borderaxespad=0.2,
    )
    quantity = "force" if group.unit == "N" else "torque"
    axes.set_ylabel(f"{quantity} / {group.unit}", fontsize=12, color=INK)
    axes.set_xlabel("time / s", fontsize=12, color=INK, labelpad=2)
    axes.set_xlim(time[0], time[-1])
    low, high = axes.get_ylim()
    if high - low < 1e-6:  # all but zero: keep round-off from filling the diagram
        axes.set_ylim(-1.0, 1.0)
    axes.tick_params(labelsize=11, color=MUTED, labelcolor=INK)
    axes.grid(True, color="#e3e7eb", linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(MUTED)
