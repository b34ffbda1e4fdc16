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
    "(int, int, int)",
    "addresses2",
    "(int, int, int)",
    "(ints, ints, ints2)",
    "(floats2, floats2, floats2, floats2, floats2)",
    "floats2",
    "float",
    nogil=True,
)
def run_plants(
    which: tuple[Address, int, int],
    addresses: Any,
    how: tuple[int, int, int],
    whole: tuple[Ints, Ints, Ints],
    tables: tuple[Floats, Floats, Floats, Floats, Floats],
    arrays: Floats,
    h: float,
) -> int:
    """Run some stages of some plants.

    Parameters
    ----------
    which : tuple of Address and int
        Of `run_stages`; the first of the plants, and the one after the last.
    addresses : (n, 21) array
        Of each plant, the calls and then the robots of `run_stages`.
    how : tuple of int
        As of `run_stages`.
    whole : tuple of array
        Offsets in a row of `arrays` at which each of `StepArrays` begins, and the last ends (19,);
        output: the status (n,) of each plant; and the index (n, 2 v + 2) of each.
    tables : tuple of array
        As of `run_stages`, the same for all plants.
    arrays : (n, k) array
        Of each plant those of `StepArrays`, concatenated.
    h : float
        Step (s).

    Returns
    -------
    int
        Number of plants whose status is not REACHED. A failed plant does not stop the others.
    """
    run, first, end = which
    places, status, index = whole
    failed = 0
    for n in range(first, end):
        row, of = arrays[n], addresses[n]
        calls = (of[0], of[1], of[2], of[3])
        robots = (
            of[4], of[5], of[6], of[7], of[8], of[9], of[10], of[11], of[12], of[13], of[14],
            of[15], of[16], of[17], of[18], of[19], of[20],
        )  # fmt: skip
        given = (
            row[places[0] : places[1]],
            row[places[1] : places[2]],
            row[places[2] : places[3]],
            row[places[3] : places[4]],
            row[places[4] : places[5]],
            row[places[5] : places[6]],
            row[places[6] : places[7]],
            row[places[7] : places[8]],
            row[places[8] : places[9]],
            row[places[9] : places[10]],
            row[places[10] : places[11]],
            row[places[11] : places[12]],
            row[places[12] : places[13]],
            row[places[13] : places[14]],
            row[places[14] : places[15]],
            row[places[15] : places[16]],
            row[places[16] : places[17]],
            row[places[17] : places[18]],
        )
        status[n] = call_at(run, calls, robots, how, index[n], tables, given, h)
        if status[n] != REACHED:
            failed += 1
    return failed
