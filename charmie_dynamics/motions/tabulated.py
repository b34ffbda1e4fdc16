# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motions in tables: CSV files with time and the motion of each actuator.

The first line names the columns, as in ``charmie_analyze --export``: ``time`` (s), and for each
actuator ``NAME.position``, ``NAME.velocity`` and ``NAME.acceleration`` (rad or m). Other columns
are ignored.
"""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from charmie_dynamics.errors import CharmieError, InputError
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats

from .motion import SampledMotion
from .splines import PiecewisePolynomial, joined_points

ENDING = ".csv"
QUANTITIES = ("position", "velocity", "acceleration")
MOST_ROWS = 1_000_000


def is_table(name: str) -> bool:
    """Return whether a motion's name is the path of a table."""
    return name.lower().endswith(ENDING)


def write_motion(path: str | os.PathLike[str], names: Sequence[str], motion: SampledMotion) -> None:
    """Write a motion of some actuators as a table.

    Raises
    ------
    CharmieError
        If it cannot be written, or there is not one name for each actuator.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from charmie_dynamics.motions import SampledMotion
    >>> from charmie_dynamics.motions import write_motion
    >>> rest = np.zeros((2, 1))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "rest.csv"
    ...     write_motion(path, ["lift"], SampledMotion(np.array([0.0, 1.0]), rest, rest, rest))
    ...     print(path.read_text().splitlines()[0])
    time,lift.position,lift.velocity,lift.acceleration
    """
    file, count = Path(path), motion.position.shape[1]
    if len(names) != count:
        raise InputError(f"names: expected one for each of {count} actuators, got {len(names)}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("w", encoding="utf-8", newline="") as text:
            writer = csv.writer(text, lineterminator="\n")
            writer.writerow(["time", *(f"{name}.{what}" for name in names for what in QUANTITIES)])
            values = np.stack(motion[1:], axis=2).reshape(len(motion.time), -1)
            for time, row in zip(motion.time.tolist(), values.tolist(), strict=True):
                writer.writerow([repr(time), *map(repr, row)])
    except OSError as error:
        raise CharmieError(f"motion '{path}': cannot be written: {error.strerror}") from None


def read_motion(path: str | os.PathLike[str], model: Model) -> PiecewisePolynomial:
    """Return the motion of all actuators of a model in a table, quintic between its rows.

    Raises
    ------
    CharmieError
        If it cannot be read, lacks an actuator, or its times do not increase.
    """
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as text:
            lines = csv.reader(text)
            heads = next(lines, [])
            wanted = ["time", *(f"{n}.{what}" for n in model.actuator_names for what in QUANTITIES)]
            missing = [name for name in wanted if name not in heads]
            if missing:
                raise CharmieError(
                    f"motion '{path}': has no column {', '.join(missing[:4])}"
                    f"{', ...' if len(missing) > 4 else ''}; expected time and position, velocity "
                    f"and acceleration of each actuator of '{model.name}'"
                )
            columns = [heads.index(name) for name in wanted]
            rows = [_numbers(row, columns, path, lines.line_num) for row in lines if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise CharmieError(f"motion '{path}': cannot be read: {reason}") from None
    if not 2 <= len(rows) <= MOST_ROWS:
        raise CharmieError(f"motion '{path}': expected 2 to {MOST_ROWS} rows, got {len(rows)}")
    table: Floats = np.array(rows)
    time = table[:, 0] - table[0, 0]
    if not (np.diff(time) > 0.0).all():
        raise CharmieError(f"motion '{path}': expected times that increase")
    position, velocity, acceleration = (table[:, 1 + k :: 3] for k in range(3))
    return joined_points(time, position, velocity, acceleration)


def _numbers(
    row: list[str], columns: list[int], path: str | os.PathLike[str], line: int
) -> list[float]:
    try:
        values = [float(row[k]) for k in columns]
    except (ValueError, IndexError):
        values = [math.nan]
    if not all(map(math.isfinite, values)):
        raise CharmieError(f"motion '{path}', line {line}: expected finite numbers")
    return values
