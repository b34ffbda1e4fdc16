# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Counts the floating-point operations of a cycle, in plain Python: run as a script.

Prints, as JSON, additions and multiplications of the kernel for chains of the lengths given. Needs
``NUMBA_DISABLE_JIT=1``: the kernels then take arrays of any objects, here of numbers that count.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.case import make_case
from benchmarks.chains import chain_urdf
from charmie_dynamics import Model
from charmie_dynamics.core.inverse.cycle import run_steps
from charmie_dynamics.core.inverse.records import CycleRecord, Robot
from charmie_dynamics.numerics.blocks import lay_out, places_of


class Number(float):
    """A number that counts what is done with it."""

    additions = 0
    multiplications = 0

    def __add__(self, other):
        Number.additions += 1
        return Number(float.__add__(self, other))

    def __sub__(self, other):
        Number.additions += 1
        return Number(float.__sub__(self, other))

    def __rsub__(self, other):
        Number.additions += 1
        return Number(float.__rsub__(self, other))

    def __mul__(self, other):
        Number.multiplications += 1
        return Number(float.__mul__(self, other))

    def __truediv__(self, other):
        Number.multiplications += 1
        return Number(float.__truediv__(self, other))

    def __rtruediv__(self, other):
        Number.multiplications += 1
        return Number(float.__rtruediv__(self, other))

    def __neg__(self):
        return Number(float.__neg__(self))

    __radd__, __rmul__ = __add__, __mul__


def counting(record):
    """Return a copy of (nested) arrays whose floating-point numbers count."""
    if isinstance(record, tuple):
        return type(record)(*map(counting, record))
    if record.dtype.kind != "f":
        return record
    result = np.empty(record.shape, dtype=object)
    result[...] = np.frompyfunc(Number, 1, 1)(record)
    return result


def count(model: Model, state: np.ndarray) -> tuple[int, int]:
    """Return additions and multiplications (divisions among them) of one cycle."""
    flat = model.flat
    block = counting(np.zeros(places_of(CycleRecord, flat.sizes)[3]))
    cycle = lay_out(CycleRecord, flat.blocks.ints, block, flat.sizes)
    for view, row in zip(cycle.inputs[:3], state, strict=True):
        view[...] = counting(row)
    parts = counting(flat.tree), flat.freedoms, counting(flat.mechanisms)
    robot = Robot(np.array(flat.sizes), *parts)
    Number.additions = Number.multiplications = 0
    run_steps(robot, cycle, True)
    counted = Number.additions, Number.multiplications
    expected = model.compute(*state).actuator_effort
    np.testing.assert_allclose(cycle.dynamics.actuator_effort.astype(float), expected, rtol=1e-12)
    return counted


def main() -> None:
    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        for bodies in sys.argv[1:]:
            urdf = Path(folder, "chain.urdf")
            urdf.write_text(chain_urdf(int(bodies)), encoding="utf-8")
            case = make_case("chain", urdf, states=1)
            counts[bodies] = count(case.model, case.actuators[:, 0])
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
