# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Charts of a recorded motion: efforts, tool paths, load on the base, stability."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.live.wire.stamps import SECONDS
from charmie_dynamics.model.flat.load_sharing import cylinder_loads, shared_cylinders
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.stability import Support, tip_over_margin, zero_moment_point
from charmie_dynamics.numerics.vectors import Floats, Ints
from charmie_dynamics.recordings.compute.cycles import Cycles, Flags
from charmie_dynamics.recordings.compute.states import base_wrenches
from charmie_dynamics.recordings.read.recorded_motion import RecordedMotion, Series
from charmie_dynamics.visual.pictures.chart import (
    Cell,
    Curve,
    Path2D,
    PathDiagram,
    TimeDiagram,
    draw_chart,
)
from charmie_dynamics.visual.pictures.efforts import groups_of, plot_efforts

MOST_TOOLS = 6
AXES = ("x", "y", "z")


def default_tools(model: Model) -> tuple[str, ...]:
    """Return the frames that end in "tool", or else the last links of the tree."""
    named = [name for name in model.frame_names if name.endswith("tool")]
    parents = {joint.parent for joint in model.tree.joints}
    last = [name for name in model.frame_names if name in model.tree.links and name not in parents]
    return tuple((named or last)[:MOST_TOOLS])


def chart_efforts(path: Path, model: Model, motion: RecordedMotion, theme: str) -> None:
    """Draw the recorded efforts of all actuators.

    Raises
    ------
    CharmieError
        If none were recorded.
    """
    if not motion.has_efforts:
        raise CharmieError("no efforts were recorded, positions only")
    subtitle = f"of the model, as recorded{_unjudged(motion.judged)}"
    forces = _shared_forces(model, motion)
    _draw_efforts(path, model, motion.time, motion.effort, forces, motion.judged, subtitle, theme)


def chart_computed_efforts(path: Path, model: Model, cycles: Cycles, theme: str = "light") -> None:
    """Draw the computed efforts of two or more cycles."""
    time = (cycles.stamps - cycles.stamps[0]) * SECONDS
    forces = cycles.arrays.get("cylinder_effort", np.empty((len(time), 0)))
    is_judged = cycles.judged
    subtitle = f"of the model{_unjudged(is_judged)}"
    effort = cycles.arrays["actuator_effort"]
    _draw_efforts(path, model, time, effort, forces, is_judged, subtitle, theme)


def _draw_efforts(
    path: Path,
    model: Model,
    time: Floats,
    effort: Floats,
    forces: Floats,
    is_judged: Flags,
    subtitle: str,
    theme: str,
) -> None:
    """Draw efforts (n, a), and the forces (n, k) of the linear actuators that share a load.

    Without forces, as of recorded efforts alone, k is 0.
    """
    parts = (*model.mechanisms.linear_actuators, *model.mechanisms.load_sharing)
    shared = [parts[k] for k in shared_cylinders(model.flat)[: forces.shape[1]]]
    names = (*model.actuator_names, *(part.name for part in shared))
    limits = (*model.actuator_limits(), *(part.limit for part in shared))
    units = (*model.effort_units, *("N" for _ in shared))
    plot_efforts(
        path,
        time,
        names,
        np.where(is_judged[:, np.newaxis], np.hstack([effort, forces]), np.nan),
        groups_of(dict(zip(names, units, strict=True))),
        rated={name: limit.effort for name, limit in zip(names, limits, strict=True)},
        subtitle=subtitle,
        theme=theme,
    )


def _shared_forces(model: Model, motion: RecordedMotion) -> Floats:
    """Return the forces (n, k) of the linear actuators that share a load."""
    shared = list(shared_cylinders(model.flat))
    if not shared:
        return np.empty((len(motion.time), 0))
    joint_position = model.kinematics(motion.position).columns(model.layout.index("joint_position"))
    effort = np.zeros_like(joint_position)
    effort[:, model.actuator_index] = motion.effort
    forces: Floats = cylinder_loads(model.flat, joint_position, effort, effort).effort[:, shared]
    return forces


def _unjudged(is_judged: Flags) -> str:
    count = int((~is_judged).sum())
    return f", without {count} samples at which the estimates settled" if count else ""


def chart_tools(
    path: Path, model: Model, motion: RecordedMotion, tools: tuple[str, ...], theme: str
) -> None:
    """Draw the paths of tools in the world, from the recorded positions."""
    batch = model.kinematics(motion.position)
    paths = {tool: batch.frame(tool)[0] for tool in tools}
    root = model.tree.root
    labels = {tool: tool.replace("_", " ") for tool in tools}
    cells = [
        Cell(
            TimeDiagram(
                f"{axis} over time",
                axis,
                "m",
                [Curve(labels[t], motion.time, paths[t][:, i]) for t in tools],
            ),
            (i, i + 1),
            (0, 1),
        )
        for i, axis in enumerate(AXES)
    ]
    for k, (title, i, j) in enumerate((("Path in x and y", 0, 1), ("Path in x and z", 0, 2))):
        plane = PathDiagram(
            title,
            (AXES[i], AXES[j]),
            [Path2D(labels[t], paths[t][:, [i, j]]) for t in tools],
        )
        cells.append(Cell(plane, (1.5 * k, 1.5 * k + 1.5), (1, 2)))
    draw_chart(
        path,
        cells,
        title="Tool paths",
        subtitle=f"position in the frame '{root}', computed from the recorded positions of the "
        "actuators; ring: start, dot: end",
        theme=theme,
    )


def chart_base_load(
    path: Path, model: Model, motion: RecordedMotion, wrench: Series | None, theme: str
) -> None:
    """Draw force and torque on the base, recorded or computed."""
    series, source = _base_load(model, motion, wrench)
    time = series.seconds(int(motion.stamps[0]))
    cells = []
    for row, (name, quantity, unit) in enumerate(
        (("Force", "force", "N"), ("Torque", "torque", "N m"))
    ):
        for column, axis in enumerate(AXES):
            curve = Curve("", time, series.values[:, 3 * row + column])
            title = f"{name} along {axis}" if row == 0 else f"{name} about {axis}"
            panel = TimeDiagram(title, quantity, unit, [curve])
            cells.append(Cell(panel, (row, row + 1), (column, column + 1)))
    body = model.mechanisms.base_body or model.tree.root
    draw_chart(
        path,
        cells,
        title="Load on the base",
        subtitle=f"applied by the floor side on '{body}', in its frame at its origin, {source}",
        theme=theme,
    )


def chart_stability(
    path: Path,
    model: Model,
    motion: RecordedMotion,
    wrench: Series | None,
    stability: Series | None,
    theme: str,
) -> None:
    """Draw zero-moment point and tip-over margin.

    Raises
    ------
    CharmieError
        If the contacts of the robot with the floor are unknown.
    """
    support = Support.of(model)
    if not len(support.polygon):
        raise CharmieError(
            f"the robot '{model.name}' has no wheel_contacts in its mechanisms file, which the "
            "support polygon is made of"
        )
    if stability is not None and stability.frame.endswith(support.frame):  # with any prefix
        stamps, point = _with_gaps(motion, stability)
        point[np.isin(stamps, motion.stamps[~motion.judged])] = np.nan
        source = f"as recorded{_unjudged(motion.judged)}"
    else:
        series, load = _base_load(model, motion, wrench)
        stamps = series.stamps
        point = zero_moment_point(series.values[:, :3], series.values[:, 3:], support.height)
        source = f"from the load on the base, {load}"
    time = (stamps - motion.stamps[0]) * SECONDS
    margin = tip_over_margin(point, support.polygon)
    lower, upper = support.polygon.min(axis=0), support.polygon.max(axis=0)
    cells = [
        Cell(
            TimeDiagram(
                "Tip-over margin",
                "distance to the edge",
                "m",
                [Curve("", time, margin)],
                marks=((0.0, "tips over"),),
            ),
            (0, 1),
            (0, 1),
        )
    ]
    for i in (0, 1):
        marks = ((float(lower[i]), "extent of the polygon"), (float(upper[i]), ""))
        curves = [Curve("", time, point[:, i])]
        panel = TimeDiagram(f"Zero-moment point, {AXES[i]}", AXES[i], "m", curves, marks)
        cells.append(Cell(panel, (i + 1, i + 2), (0, 1)))
    plane = PathDiagram(
        "Path on the floor",
        ("x", "y"),
        [Path2D("zero-moment point", point[:, :2])],
        outline=support.polygon,
        outline_label="support polygon",
    )
    cells.append(Cell(plane, (0, 3), (1, 2)))
    draw_chart(
        path,
        cells,
        title="Stability",
        subtitle=f"in the frame '{support.frame}' on the floor, {source}; ring: start, dot: end",
        theme=theme,
    )


def _with_gaps(motion: RecordedMotion, series: Series) -> tuple[Ints, Floats]:
    """Return stamps and values, with NaN at cycles that were not published."""
    silent = np.setdiff1d(motion.stamps, series.stamps)
    stamps = np.concatenate([series.stamps, silent])
    values = np.concatenate([series.values, np.full((len(silent), 3), np.nan)])
    order = np.argsort(stamps)
    return stamps[order], values[order]


def _base_load(model: Model, motion: RecordedMotion, wrench: Series | None) -> tuple[Series, str]:
    """Return the load on the base, k = 6, and its source."""
    settling = motion.stamps[~motion.judged]
    if wrench is not None:
        known = ~np.isin(wrench.stamps, settling)
        judged = np.where(known[:, np.newaxis], wrench.values, np.nan)
        return replace(wrench, values=judged), f"as recorded{_unjudged(motion.judged)}"
    if not motion.has_efforts:
        raise CharmieError("neither the load on the base nor efforts were recorded")
    values: Floats = np.where(motion.judged[:, np.newaxis], base_wrenches(model, motion), np.nan)
    source = f"computed from the recorded efforts{_unjudged(motion.judged)}"
    return Series(motion.stamps, values), source
