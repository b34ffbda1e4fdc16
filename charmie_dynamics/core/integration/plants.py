# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Steps of many plants in sequence, each by `run_stages` on its own arrays."""

from __future__ import annotations

from typing import Any

from charmie_dynamics.core.arrays import REACHED
from charmie_dynamics.numerics.addresses import Address, call_at
from charmie_dynamics.numerics.jit import compiled_for
from charmie_dynamics.numerics.vectors import Floats, Ints


@compiled_for(
    "int",
    *("addresses", "int", "int"),
    *("int", "int", "float"),
    *("floats2", "ints"),
    nogil=True,
)
def run_plants(
    run_stages: Address,
    plants: Any,
    first: int,
    end: int,
    method: int,
    stages: int,
    h: float,
    no_rows: Floats,
    status: Ints,
) -> int:
    """Run some stages of some plants, from the first stage of a step on.

    Parameters
    ----------
    run_stages : Address
    plants : (n,) array
        Address of the `PlantAddresses` of each plant.
    first, end : int
        The first of the plants, and the one after the last.
    method, stages : int
        The method and the number of stages, as of `run_stages`.
    h : float
        Step (s).
    no_rows : (0, 0) array
    status : (n,) array of int
        Output: the result of `run_stages` for each plant.

    Returns
    -------
    int
        Number of plants whose status is not REACHED. A failed plant does not stop the others.
    """
    failed = 0
    for n in range(first, end):
        status[n] = call_at(run_stages, plants[n], method, 0, stages, h, no_rows, no_rows)
        if status[n] != REACHED:
            failed += 1
    return failed
