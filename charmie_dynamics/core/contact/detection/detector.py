# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Shapes and their contacts for Python: the blocks, and calls of the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from charmie_dynamics.numerics.addresses import address_of_block
from charmie_dynamics.numerics.blocks import lay_out, places_of
from charmie_dynamics.numerics.jit import ready
from charmie_dynamics.numerics.vectors import Floats, Ints

from .kernels import run_detection
from .methods import method_addresses
from .nearest import RESULTS, run_nearest
from .records import ContactPairs, Detection, DetectionSizes, Polyhedra, Shapes

COUNTED = ("vertex", "edge_vertex", "face_normal", "corner_vertex")  # in the order of the sizes


class Detector:
    """Contact detection for given poses of the bodies.

    Parameters
    ----------
    shapes : Shapes
        The shapes, each fixed to a body.
    pairs : sequence of (int, int), optional
        The pairs to compute, in this order. By default the pairs of different bodies whose bounding
        boxes are near each other, except `Shapes.excluded_pairs`.
    polyhedra : sequence of array, optional
        Required for meshes: the fields of `Polyhedra` up to `corner_share`.

    Attributes
    ----------
    detection : Detection
        All arrays, as views of the two blocks `ints` and `floats`.

    Examples
    --------
    A ball of 0.1 m, with its centre 0.09 m above a floor:

    >>> import numpy as np
    >>> from charmie_dynamics.core.contact.detection.detector import Detector
    >>> from charmie_dynamics.core.contact.detection.records import PLANE, SPHERE, Shapes
    >>> sizes = np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0]])
    >>> upright, origin = np.tile(np.eye(3), (2, 1, 1)), np.zeros((2, 3))
    >>> none = np.zeros(0, dtype=int)
    >>> shapes = Shapes(np.array([PLANE, SPHERE]), np.array([0, 1]), sizes, upright, origin, none)
    >>> detector = Detector(shapes)
    >>> detector.find(upright, np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.09]]))
    1
    >>> float(detector.contacts.pair_distance[0].round(6))
    -0.01
    >>> detector.contacts.pair_normal[0].tolist()
    [0.0, 0.0, 1.0]
    """

    def __init__(
        self,
        shapes: Shapes,
        pairs: Sequence[tuple[int, int]] | None = None,
        polyhedra: Sequence[npt.NDArray[Any]] = (),
    ) -> None:
        self._shapes, self._polyhedra = shapes, polyhedra
        self._count = -1 if pairs is None else len(pairs)
        self._methods = method_addresses(shapes.shape_type.tolist())
        self._make_room(4 * len(shapes.shape_type) if pairs is None else max(1, len(pairs)))
        for k, (first, second) in enumerate(pairs or ()):
            self.contacts.pair_first[k] = first
            self.contacts.pair_second[k] = second

    def _make_room(self, pairs: int) -> None:
        fields = dict(zip(Polyhedra._fields, self._polyhedra, strict=False))
        counts = [len(fields.get(name, ())) for name in COUNTED]
        sizes = DetectionSizes(
            len(self._shapes.shape_type), pairs, len(self._shapes.excluded_pairs), *counts
        )
        _, _, int_count, float_count = places_of(Detection, sizes)
        self.ints = np.zeros(int_count, dtype=np.int64)
        self.floats = np.zeros(float_count)
        self._no_factor = np.ones(pairs)
        self._blocks = address_of_block(self.ints), address_of_block(self.floats)
        self.detection: Detection = lay_out(Detection, self.ints, self.floats, sizes)
        self.detection.detection_sizes[:] = sizes
        for given, kept in zip(self._shapes, self.detection.shapes, strict=True):
            kept[...] = given
        for given, kept in zip(self._polyhedra, self.detection.polyhedra, strict=False):
            kept[...] = given
        self.detection.placed.sweep_order[:] = np.arange(sizes.shapes)

    @property
    def contacts(self) -> ContactPairs:
        """Return the pairs; the number of valid ones is the result of `find`."""
        return self.detection.contacts

    def find(self, R: npt.ArrayLike, p: npt.ArrayLike, margin: float = 0.0) -> int:
        """Place the shapes and compute their contacts.

        Parameters
        ----------
        R, p : (n, 3, 3), (n, 3) array
            Orientations and positions of the bodies in the world.
        margin : float
            Largest distance of bounding boxes (m).

        Returns
        -------
        int
            Number of pairs in `contacts`.
        """
        R, p = np.asarray(R, dtype=float), np.asarray(p, dtype=float)
        poses = np.ascontiguousarray(np.hstack([R.reshape(-1, 9), p.reshape(-1, 3)]))
        given, run = (self._methods, poses, self._count, margin), ready(run_detection)
        count: int = run(*self._blocks, *given)
        room = len(self.contacts.pair_first)
        if count > room:
            self._make_room(2 * count)
            count = run(*self._blocks, *given)
        return count

    def nearest(
        self, poses: Floats, ends: Ints, factor: Floats | None = None, depth: float = 0.0
    ) -> tuple[Ints, Floats]:
        """Return the nearest pair of each group (n, g) and its distance and points (n, g, 7).

        Parameters are those of `run_nearest`; all factors are 1 if omitted.
        """
        factor = self._no_factor if factor is None else factor
        nearest = np.empty((len(poses), len(ends)), dtype=np.int64)
        results = np.empty((len(poses), RESULTS * len(ends)))
        given = self._methods, poses, ends, factor, depth, nearest, results
        ready(run_nearest)(*self._blocks, *given)
        return nearest, results.reshape(len(poses), len(ends), RESULTS)
