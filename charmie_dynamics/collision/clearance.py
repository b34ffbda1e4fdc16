# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The nearest of many pairs of shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from charmie_dynamics.core.contact.detection.detector import Detector
from charmie_dynamics.core.contact.detection.nearest import RESULTS
from charmie_dynamics.core.contact.detection.records import Shapes
from charmie_dynamics.model.state import State
from charmie_dynamics.numerics.vectors import Floats, Ints

from .contact_shape import KINDS, ContactShape, require_methods
from .polyhedra import polyhedra_of


class Clearance(NamedTuple):
    """The nearest pair of shapes of a state, or of many (...).

    Attributes
    ----------
    distance : (...) array
        In m; negative if they overlap: then the least motion that separates them. Infinite if
        there is no pair.
    first, second : (...) array of str
        Their links; empty if there is no pair.
    p_first, p_second : (..., 3) array
        The nearest points of the two, in world axes (m).

    Examples
    --------
    >>> from charmie_dynamics.simulation import load_world
    >>> world = load_world("bouncing_ball")
    >>> clearance = world.clearance(world.position)
    >>> float(clearance.distance), str(clearance.first), clearance.p_second.round(6).tolist()
    (0.45, 'ground', [0.0, 0.0, 0.45])
    """

    distance: Any
    first: Any
    second: Any
    p_first: Floats
    p_second: Floats


class ShapeDistances:
    """Groups of pairs of shapes, of which the nearest are found.

    Parameters
    ----------
    shapes : sequence of ContactShape
    bodies : (h,) array of int
        The body of each shape among the frames of the states; their number: a body at rest at the
        origin.
    groups : sequence of sequence of (int, int)
        The pairs of each group.

    Attributes
    ----------
    pairs : (k, 2) array of int
        Of all groups.

    Raises
    ------
    ModelFileError
        If there is no method for a pair.
    """

    def __init__(
        self,
        shapes: Sequence[ContactShape],
        bodies: Ints,
        groups: Sequence[Sequence[tuple[int, int]]],
    ) -> None:
        self.shapes, self.bodies = tuple(shapes), bodies
        self.pairs = np.array([pair for group in groups for pair in group], dtype=np.int64)
        self.pairs = self.pairs.reshape(-1, 2)
        self._ends = np.cumsum([len(group) for group in groups], dtype=np.int64)
        require_methods(self.shapes, self.pairs.tolist())
        kinds = [KINDS[shape.kind] for shape in shapes]
        sizes = [shape.half_size for shape in shapes]
        fixed = Shapes(
            np.array(kinds, dtype=np.int64), bodies, np.reshape(sizes, (-1, 3)),
            np.reshape([shape.R_link_shape for shape in shapes], (-1, 3, 3)),
            np.reshape([shape.p_link_shape for shape in shapes], (-1, 3)),
            np.zeros(0, dtype=np.int64),
        )  # fmt: skip
        polyhedra = polyhedra_of(kinds, sizes, [shape.mesh for shape in shapes])
        self._detector = Detector(fixed, [(i, j) for i, j in self.pairs.tolist()], polyhedra)
        links = np.array([shape.link for shape in shapes], dtype=str)
        self._names = np.append(links[self.pairs], [["", ""]], axis=0)  # the last: of no pair

    def nearest(self, state: State) -> Clearance:
        """Return the nearest pair of each group (..., g) at one state or many (...)."""
        found, results = self.first_of(state)
        names = self._names[found]
        return Clearance(
            results[..., 0], names[..., 0], names[..., 1], results[..., 1:4], results[..., 4:7]
        )

    def first_of(
        self, state: State, factor: Floats | None = None, depth: float = 0.0
    ) -> tuple[Ints, Floats]:
        """Return the results of `Detector.nearest` at states, (..., g) and (..., g, 7)."""
        kinematics = state.kinematics
        R, p = kinematics.R_world_frame, kinematics.p_world_frame
        leading, count, groups = p.shape[:-2], p.shape[-2], len(self._ends)
        poses = np.concatenate([R.reshape(-1, 9 * count), p.reshape(-1, 3 * count)], axis=1)
        found, results = self._detector.nearest(poses, self._ends, factor, depth)
        return found.reshape(*leading, groups), results.reshape(*leading, groups, RESULTS)
