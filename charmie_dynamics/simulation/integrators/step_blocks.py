# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The memory of a stepper: two blocks, which may be moved and whose workspaces may change."""

from __future__ import annotations

import numpy as np

from charmie_dynamics.core.integration.step_arrays import StepArrays, StepSizes
from charmie_dynamics.numerics.addresses import address_of_block
from charmie_dynamics.numerics.blocks import lay_out, places_of
from charmie_dynamics.numerics.vectors import Floats, Ints


class StepBlocks:
    """The two blocks of a `StepArrays`; empty until `resize` is called.

    Attributes
    ----------
    sizes : StepSizes
    arrays : StepArrays
        Views of the blocks.
    """

    def __init__(self) -> None:
        self.sizes = StepSizes(*[0] * len(StepSizes._fields))
        self._ints, self._floats = np.zeros(0, dtype=np.int64), np.zeros(0)

    @property
    def addresses(self) -> tuple[int, int]:
        """Addresses of the blocks of ints and of floats."""
        return address_of_block(self._ints), address_of_block(self._floats)

    def resize(self, sizes: StepSizes) -> None:
        """Change the sizes of results and workspaces of kernels, and set these to zero.

        The other sizes may only change the first time.
        """
        if sizes != self.sizes:
            _, _, int_count, size = places_of(StepArrays, sizes)
            self._move(sizes, np.zeros(int_count, dtype=np.int64), np.zeros(size))
        self.arrays.sizes[:] = sizes
        self._floats[self._first_workspace :] = 0.0

    def move(self, ints: Ints, floats: Floats) -> None:
        """Use given memory, with the present values of all but results and workspaces."""
        self._move(self.sizes, ints, floats)

    def clear(self) -> None:
        """Set all floats to zero."""
        self._floats[:] = 0.0

    def _move(self, sizes: StepSizes, ints: Ints, floats: Floats) -> None:
        # results and workspaces of kernels come last, so that their sizes move no other array
        first = places_of(StepArrays, sizes)[1]["forward_workspace"].first
        if len(self._ints):
            ints[:], floats[:first] = self._ints, self._floats[:first]
        self.sizes, self._first_workspace = sizes, first
        self._ints, self._floats = ints, floats
        self.arrays: StepArrays = lay_out(StepArrays, ints, floats, sizes)
