# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Points of contact as point clouds: of the floor in the dynamics node, of a simulated world."""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol

import numpy as np

from charmie_dynamics.numerics.vectors import Floats, Ints

from .messages import FLOAT32, UINT32, point_cloud
from .templates import Template

# name and type of each column
POINT_FIELDS: tuple[tuple[str, int], ...] = (
    *((name, FLOAT32) for name in ("x", "y", "z", "normal_x", "normal_y", "normal_z")),
    *((name, FLOAT32) for name in ("indentation", "indentation_rate", "normal_force")),
    *((name, FLOAT32) for name in ("friction_x", "friction_y", "friction_z")),
    *((name, UINT32) for name in ("first", "second")),
)
COLUMNS = {name: k for k, (name, _) in enumerate(POINT_FIELDS)}
CACHED_TEMPLATES = 64  # numbers of contact points whose templates are kept


class PointRows(Protocol):
    """The rows of a table, as `simulation.ContactTable` has them."""

    @property
    def first(self) -> Ints:
        """Numbers of the first shapes (c,)."""

    @property
    def second(self) -> Ints:
        """Numbers of the second shapes (c,)."""

    @property
    def point(self) -> Floats:
        """Positions (c, 3) (m)."""

    @property
    def normal(self) -> Floats:
        """Of the first shape (c, 3), outward."""

    @property
    def indentation(self) -> Floats:
        """Depths (c,) (m)."""

    @property
    def indentation_rate(self) -> Floats:
        """Their rates (c,) (m/s)."""

    @property
    def normal_force(self) -> Floats:
        """Amounts (c,) (N)."""

    @property
    def friction_force(self) -> Floats:
        """On the first body (c, 3) (N)."""


class ContactCloud:
    """Point clouds of contact points, in a frame."""

    def __init__(self, frame: str) -> None:
        self._template_of = lru_cache(CACHED_TEMPLATES)(
            lambda count: point_cloud(frame, POINT_FIELDS, count)
        )

    def filled(self, stamp: int, table: PointRows) -> Template:
        """Return the message at a time (ns), valid until the next call."""
        count = len(table.point)
        template = self._template_of(count)
        template.set_stamp(stamp)
        if count:
            rows = np.empty((count, len(POINT_FIELDS)), dtype="<f4")
            whole = rows.view("<u4")
            for name in ("indentation", "indentation_rate", "normal_force"):
                rows[:, COLUMNS[name]] = getattr(table, name)
            for name in ("first", "second"):
                whole[:, COLUMNS[name]] = getattr(table, name)
            for name, vector in (
                ("x", table.point),
                ("normal_x", table.normal),
                ("friction_x", table.friction_force),
            ):
                rows[:, COLUMNS[name] : COLUMNS[name] + 3] = vector
            template.uint8[template.places("data")[0]] = rows.view(np.uint8).ravel()
        return template
