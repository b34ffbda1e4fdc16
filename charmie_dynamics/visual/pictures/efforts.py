# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Efforts over time: one small diagram for each group of actuators."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from charmie_dynamics.errors import InputError, UnknownNameError, choices
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats

from .chart import Cell, Curve, TimeDiagram, draw_chart
from .themes import LIGHT

# Colours of other figures on light ground.
INK, MUTED, LINES = LIGHT.ink, LIGHT.muted, LIGHT.lines
COLUMNS = 3
MOST_IN_GROUP = 2  # actuators of one limb in a diagram
RATED_NOTE = "in brackets the rated efforts, dashed where there is room for them"


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
    """

    title: str
    unit: str
    labels: Mapping[str, str]


def effort_groups(model: Model) -> tuple[EffortGroup, ...]:
    """Return the diagrams of a robot: actuators with one unit and names that differ at the end.

    Those that are left alone share a diagram if their names end alike, as those of two grippers.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.visual.pictures import effort_groups
    >>> [group.title for group in effort_groups(load_model())][:4]
    ['Base', 'Base', 'Lift and torso', 'Left arm']
    """
    return groups_of(dict(zip(model.actuator_names, model.effort_units, strict=True)))


def groups_of(units: Mapping[str, str]) -> tuple[EffortGroup, ...]:
    """Return the diagrams of actuators by the units of their efforts, see `effort_groups`."""
    rows = [(unit, *_parts(name), name) for name, unit in units.items()]
    stems = Counter((unit, stem) for unit, stem, _, _ in rows)
    alone = [row for row in rows if stems[row[:2]] == 1]
    ends = Counter((unit, label) for unit, _, label, _ in alone)
    paired = [row for row in alone if ends[row[0], row[2]] > 1]
    members: dict[tuple[str, str], dict[str, str]] = {}
    for unit, stem, label, name in rows:
        if (unit, stem, label, name) not in paired:
            members.setdefault((unit, stem), {})[name] = label
    for unit, stem, label, name in paired:
        members.setdefault((unit, f"{label}s"), {})[name] = stem
    groups = []
    for (unit, stem), labels in members.items():
        for start in range(0, len(labels), MOST_IN_GROUP):
            part = dict(list(labels.items())[start : start + MOST_IN_GROUP])
            title = (stem or " and ".join(part.values())).capitalize()
            groups.append(EffortGroup(title, unit, part))
    return tuple(groups)


def _parts(name: str) -> tuple[str, str]:
    """Return the common part of the names in a limb, and the label of this actuator."""
    words = [word for word in name.split("_") if word not in ("joint", "actuator")]
    *stem, label = words or [name]
    return " ".join(stem), f"joint {label}" if label.isdigit() else label


def plot_efforts(
    path: str | os.PathLike[str],
    time: Floats,
    names: Sequence[str],
    effort: Floats,
    groups: Sequence[EffortGroup],
    *,
    rated: Mapping[str, float] | None = None,
    title: str = "Actuator efforts",
    subtitle: str = "",
    theme: str = "light",
) -> None:
    """Draw the efforts of all actuators over time, see `draw_chart`.

    Parameters
    ----------
    path : path-like
        The file, .png or .svg, overwritten.
    time : array, shape (n,)
        Time of each sample (s), ascending.
    names : sequence of str
        Name of each of the m actuators.
    effort : array, shape (n, m)
        Effort of each actuator at each time (N or N m). A value that is not finite leaves a gap.
    groups : sequence of EffortGroup
        See `effort_groups`. The diagrams, three in a row. Actuators without a group are omitted.
    rated : mapping of str to float, optional
        Rated effort of actuators: in the legend, and a dashed line if it is within the range.
    title, subtitle : str, optional
        Heading of the figure; the meaning of ratings is added.
    theme : {"light", "dark"}, optional

    Raises
    ------
    InputError
        The shapes disagree, there are fewer than two samples, or a group is too large.
    UnknownNameError
        A group names an actuator that is not in `names`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.visual.pictures import effort_groups, plot_efforts
    >>> model = load_model()
    >>> time = np.linspace(0.0, 1.0, 50)
    >>> position = np.tile(model.zero_position(), (50, 1))
    >>> position[:, 4] -= 0.01 * time  # m, the torso actuator
    >>> effort = model.compute(position).actuator_effort
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "efforts.svg"
    ...     plot_efforts(path, time, model.actuator_names, effort, effort_groups(model))
    ...     path.exists()
    True
    """
    time = np.asarray(time, dtype=np.float64)
    effort = np.asarray(effort, dtype=np.float64)
    if time.ndim != 1 or len(time) < 2 or effort.shape != (len(time), len(names)):
        raise InputError(
            f"efforts to plot: expected time of shape (n,) with n of at least 2 and effort of "
            f"shape (n, {len(names)}), got {time.shape} and {effort.shape}"
        )
    column = {name: i for i, name in enumerate(names)}
    limits = rated or {}
    cells = []
    for k, group in enumerate(groups):
        for name in group.labels:
            if name not in column:
                raise UnknownNameError(
                    f"group '{group.title}': unknown actuator '{name}'" + choices(name, names)
                )
        curves = [
            Curve(_with_rating(label, rating), time, effort[:, column[name]], rating)
            for name, label in group.labels.items()
            for rating in (limits.get(name, np.inf),)
        ]
        quantity = "force" if group.unit == "N" else "torque"
        row, place = divmod(k, COLUMNS)
        panel = TimeDiagram(group.title, quantity, group.unit, curves)
        cells.append(Cell(panel, (row, row + 1), (place, place + 1)))
    explained = "; ".join(filter(None, (subtitle, RATED_NOTE if limits else "")))
    draw_chart(path, cells, title=title, subtitle=explained, theme=theme)


def _with_rating(label: str, rating: float) -> str:
    return f"{label} (\N{PLUS-MINUS SIGN}{rating:g})" if np.isfinite(rating) else label
