# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Arrays of a record in compiled code: the same places and bounds as those of numpy."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import pytest

from charmie_dynamics.numerics.blocks import lay_out, pack
from charmie_dynamics.numerics.branches import LANES, as_lanes
from charmie_dynamics.numerics.jit import HAS_NUMBA, compiled
from charmie_dynamics.numerics.vectors import Floats, Ints


class Counts(NamedTuple):
    n: int
    m: int


class Arrays(NamedTuple):
    parent: Annotated[Ints, "n"]
    before: Annotated[Floats, "m"]  # so that nothing begins where its block does
    position: Annotated[Floats, "n", 3]
    rotation: Annotated[Floats, "n", 3, 3]


COUNTS = Counts(n=4, m=2)


@compiled
def read(ints: Ints, floats: Floats, sizes: Counts, n: int, i: int, j: int):
    record = lay_out(Arrays, ints, floats, sizes)
    matrix = record.rotation[n]
    row = record.rotation[n, i]
    numbers = record.rotation[n, i, j], matrix[i, j], matrix[i][j], row[j]
    return record.parent[n], record.position[n, i], record.position[n][i], numbers


@compiled
def write(ints: Ints, floats: Floats, sizes: Counts, n: int, i: int, j: int) -> None:
    record = lay_out(Arrays, ints, floats, sizes)
    record.parent[n] = 7
    record.position[n, i] = 8  # an int where a float is kept
    record.rotation[n][i, j] = 9.5


@compiled
def read_parent(ints: Ints, floats: Floats, sizes: Counts, n: int) -> int:
    return lay_out(Arrays, ints, floats, sizes).parent[n]


def make_record() -> Arrays:
    n = COUNTS.n
    return Arrays(
        parent=np.arange(n),
        before=np.full(COUNTS.m, np.nan),
        position=np.arange(10.0, 10.0 + 3 * n).reshape(n, 3),
        rotation=np.arange(100.0, 100.0 + 9 * n).reshape(n, 3, 3),
    )


@pytest.mark.parametrize(("n", "i", "j"), [(0, 0, 0), (3, 2, 1), (1, 0, 2)])
def test_numbers_and_rows_are_found_where_numpy_finds_them(n: int, i: int, j: int) -> None:
    record = make_record()
    parent, at, in_row, numbers = read(*pack(record, COUNTS), COUNTS, n, i, j)
    assert parent == record.parent[n]
    assert at == in_row == record.position[n, i]
    assert numbers == (record.rotation[n, i, j],) * 4


def test_a_number_is_written_to_its_place_alone() -> None:
    ints, floats = pack(make_record(), COUNTS)
    write(ints, floats, COUNTS, 2, 1, 0)
    expected = make_record()
    expected.parent[2] = 7
    expected.position[2, 1] = 8.0
    expected.rotation[2, 1, 0] = 9.5
    expected_ints, expected_floats = pack(expected, COUNTS)
    np.testing.assert_array_equal(ints, expected_ints)
    np.testing.assert_array_equal(floats, expected_floats)


@pytest.mark.skipif(not HAS_NUMBA, reason="numba is not there or switched off")
def test_what_is_no_whole_number_is_no_index() -> None:
    from numba.core.errors import TypingError

    @compiled
    def slice_of(ints: Ints, floats: Floats, sizes: Counts):
        return lay_out(Arrays, ints, floats, sizes).position[0:1]

    @compiled
    def at_a_float(ints: Ints, floats: Floats, sizes: Counts):
        return lay_out(Arrays, ints, floats, sizes).position[0.5]

    @compiled
    def with_one_too_many(ints: Ints, floats: Floats, sizes: Counts):
        return lay_out(Arrays, ints, floats, sizes).position[0, 0, 0]

    for function in (slice_of, at_a_float, with_one_too_many):
        with pytest.raises(TypingError):
            function(*pack(make_record(), COUNTS), COUNTS)


def test_lanes_are_read_and_written_row_by_row() -> None:
    @compiled
    def double_the_corner(ints: Ints, block: Floats, sizes: Counts) -> None:
        record = lay_out(Arrays, ints, as_lanes(block), sizes)
        record.rotation[1, 2, 2] = 2.0 * record.position[3, 1]

    ints, floats = pack(make_record(), COUNTS)
    block = floats[:, None] + np.arange(LANES)
    expected = block.copy()
    first = COUNTS.m + 3 * COUNTS.n + 9
    expected[first + 8] = 2.0 * block[COUNTS.m + 10]
    double_the_corner(ints, block, COUNTS)
    np.testing.assert_array_equal(block, expected)


BEYOND = """
import numpy as np
from test_views import COUNTS, make_record, pack, read, read_parent, write
ints, floats = pack(make_record(), COUNTS)
for name, call in {
    "first": lambda: read_parent(ints, floats, COUNTS, 4),
    "last": lambda: read(ints, floats, COUNTS, 3, 2, 3),
    "negative": lambda: read_parent(ints, floats, COUNTS, -5),
    "written": lambda: write(ints, floats, COUNTS, 0, 3, 0),
}.items():
    try:
        call()
    except IndexError:
        print(name)
print("within", read_parent(ints, floats, COUNTS, 3))
"""


@pytest.mark.parametrize("variable", ["NUMBA_BOUNDSCHECK", "NUMBA_DISABLE_JIT"])
def test_bounds_are_checked_where_numba_checks_those_of_arrays(
    variable: str, tmp_path: Path
) -> None:
    environment = {**os.environ, variable: "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", BEYOND],
        cwd=Path(__file__).parent,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["first", "last", "negative", "written", "within", "3"]
