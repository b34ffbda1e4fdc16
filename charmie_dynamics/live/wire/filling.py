# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Sources: locations in a block of the numbers of messages, as records of `scatter`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.numerics.vectors import Floats, Ints

from .scatter import COPY, POINT, ROTATION, Records, scatter, scatter_rows
from .templates import Template, join


@dataclass(frozen=True, eq=False)
class BlockSource:
    """Numbers that are ``factor * block[index] + addend``.

    Rotation matrices, recognised by the shape (..., 3, 3), become quaternions.
    """

    index: Ints
    factor: Floats | float = 1.0
    addend: Floats | float = 0.0


class PointSource(NamedTuple):
    """The point of a floor about which a load has no tilting torque (m).

    Zero for x and y where the floor would have to pull.

    Attributes
    ----------
    force, torque : int
        Where the load begins in the block, in a frame whose z axis is normal to the floor.
    height : float
        z of the floor (m).
    """

    force: int
    torque: int
    height: float


# by the names of places in a template
Sources = Mapping[str, BlockSource | PointSource]
# a template and the sources of its numbers
Message = tuple[Template, Sources]


class Filler:
    """Fills messages from a block, all in one pass; they are moved into one block of memory.

    Attributes
    ----------
    arguments : tuple
        Of `scatter`, from `copies` on.
    """

    def __init__(self, messages: Sequence[Message]) -> None:
        memory = join([template for template, _ in messages])
        copies: list[Records] = [np.empty(0, COPY)]
        rotations: list[Records] = [np.empty(0, ROTATION)]
        points: list[tuple[int, int, int, float]] = []
        stamps: list[Ints] = [np.empty(0, dtype=np.int64)]
        for template, sources in messages:
            stamps.append(template.places("stamp").reshape(-1, 2)[:, 0] + 2 * template.first)
            for name, source in sources.items():
                to = template.places(name) + template.first
                if isinstance(source, PointSource):
                    points.append((source.force, source.torque, int(to[0, 0]), source.height))
                elif 4 * source.index.size == 9 * to.size:  # matrices into quaternions
                    first = source.index.reshape(-1, 9)[:, 0]
                    rotations.append(_records(ROTATION, first, to.reshape(-1, 4)[:, 0]))
                else:
                    index = source.index.ravel()
                    target = to.reshape(index.shape)
                    copies.append(_records(COPY, index, target, source.factor, source.addend))
        self.arguments: tuple[Any, ...] = (
            np.concatenate(copies),
            np.concatenate(rotations),
            np.array(points, POINT),
            np.concatenate(stamps),
            memory,
        )
        self._fewest = 1 + int(self.columns().max(initial=-1))

    def fill(self, stamp: int, block: Floats) -> None:
        """Fill the messages for a stamp (ns) and a block.

        Raises
        ------
        CharmieError
            If the block is too short.
        """
        if len(block) < self._fewest:
            raise CharmieError(
                f"block of {len(block)} numbers for the messages of a cycle; expected at least "
                f"{self._fewest}: those of a state and those of the estimator"
            )
        scatter(stamp, block, *self.arguments)

    def columns(self) -> Ints:
        """Return which numbers of a block are read, ascending."""
        copies, rotations, points = self.arguments[:3]
        first = [copies["source"], *(rotations["source"] + k for k in range(9))]
        for name in ("force", "torque"):
            first += [points[name] + k for k in range(3)]
        return np.unique(np.concatenate(first))

    def fill_rows(self, stamps: Ints, rows: Floats, columns: Ints) -> Floats:
        """Return the memory of the messages for each row of numbers.

        Parameters
        ----------
        stamps : (n,) array of int
            ns.
        rows : (n, c) array
            Of each block the numbers of some columns.
        columns : (c,) array of int
            Ascending; all of `columns` are among them.

        Returns
        -------
        memory : (n, m) array
            The messages of each row, each at its template's `span`.
        """
        # adjacent numbers of a block are also adjacent among the columns
        copies, rotations, points, stamps_to, memory = self.arguments
        copies, rotations, points = copies.copy(), rotations.copy(), points.copy()
        for sources in (copies["source"], rotations["source"], points["force"], points["torque"]):
            sources[:] = np.searchsorted(columns, sources)
        filled = np.empty((len(rows), len(memory)))
        rows = np.ascontiguousarray(rows)
        scatter_rows(stamps, rows, copies, rotations, points, stamps_to, memory, filled)
        return filled


def _records(kind: np.dtype[np.void], *columns: Ints | Floats | float) -> Records:
    """Return records of a kind whose fields are these arrays, broadcast against each other."""
    shaped = np.broadcast_arrays(*columns)
    records = np.empty(shaped[0].size, kind)
    for name, column in zip(kind.names or (), shaped, strict=True):
        records[name] = column.ravel()
    return records
