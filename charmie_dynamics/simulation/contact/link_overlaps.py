# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Overlaps of the links of a robot in given poses."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations

import numpy as np

from charmie_dynamics.collision.contact_shape import KINDS, ContactShape
from charmie_dynamics.collision.polyhedra import polyhedra_of
from charmie_dynamics.core.contact.detection.detector import Detector
from charmie_dynamics.core.contact.detection.records import FOUND, Shapes
from charmie_dynamics.model.flat.flat_robot import FlatRobot
from charmie_dynamics.numerics.vectors import Floats, Ints


class LinkOverlaps:
    """The pairs of links whose shapes overlap.

    Parameters
    ----------
    flat : FlatRobot
    shapes : sequence of ContactShape
    excluded : collection of frozenset of str
        Pairs of links that are not checked.

    Attributes
    ----------
    links : tuple of str
        The links with shapes, in the order of the results.
    """

    def __init__(
        self,
        flat: FlatRobot,
        shapes: Sequence[ContactShape],
        excluded: Collection[frozenset[str]] = (),
    ) -> None:
        self.links = tuple(dict.fromkeys(shape.link for shape in shapes))
        self._link = np.array([self.links.index(shape.link) for shape in shapes])
        kinds = [KINDS[shape.kind] for shape in shapes]
        sizes = [shape.half_size for shape in shapes]
        pairs = [
            i * len(shapes) + j
            for (i, first), (j, second) in combinations(enumerate(shapes), 2)
            if first.link == second.link or frozenset((first.link, second.link)) in excluded
        ]
        arrays = Shapes(
            np.array(kinds),
            np.array([flat.body_names.index(shape.link) for shape in shapes]),
            np.array(sizes),
            np.array([shape.R_link_shape for shape in shapes]),
            np.array([shape.p_link_shape for shape in shapes]),
            np.array(pairs, dtype=np.int64),
        )
        polyhedra = polyhedra_of(kinds, sizes, [shape.mesh for shape in shapes])
        self._detector = Detector(arrays, polyhedra=polyhedra)

    def find(self, R: Floats, p: Floats) -> Ints:
        """Return the pairs (k, 2) of numbers of links that overlap, each once, the lower first.

        Parameters
        ----------
        R, p : (n, 3, 3), (n, 3) array
            Orientations and positions of the bodies in the world.
        """
        k = self._detector.find(R, p)
        contacts = self._detector.contacts
        touching = (contacts.pair_distance[:k] < 0.0) & (contacts.pair_status[:k] == FOUND)
        shapes = contacts.pair_first[:k][touching], contacts.pair_second[:k][touching]
        pairs = np.sort(self._link[np.column_stack(shapes)], axis=1)
        found: Ints = np.unique(pairs, axis=0)
        return found
