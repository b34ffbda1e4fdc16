# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Recordings in tables: CSV and similar text, in the format of `columns.TableFormat`."""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Collection, Iterator
from itertools import takewhile
from pathlib import Path

import numpy as np

from charmie_dynamics.errors import CharmieError, choices
from charmie_dynamics.live.wire.samples import (
    ACTUATOR_LENGTHS,
    JOINT_STATES,
    DistinctNames,
    JointSample,
)
from charmie_dynamics.live.wire.stamps import NANOSECONDS
from charmie_dynamics.numerics.vectors import Floats, Ints

from .columns import Column, Quantity, TableFormat
from .received import ReadDiagnostics, ReceivedSample

DELIMITERS = (",", ";", "\t", "|")


class Table:
    """Rows of numbers, and the names of the columns, if any.

    Parameters
    ----------
    path : Path
    table_format : TableFormat
    diagnostics : ReadDiagnostics
        Receives notices of cells that are not numbers.

    Raises
    ------
    CharmieError
        If the file cannot be read or contains no row.
    """

    def __init__(self, path: Path, table_format: TableFormat, diagnostics: ReadDiagnostics) -> None:
        self._path = path
        try:
            # utf-8-sig: spreadsheets put a byte order mark before the first name
            text = path.read_text(encoding="utf-8-sig", errors="replace")
        except OSError as error:
            raise CharmieError(f"table '{path}': cannot be read: {error.strerror}") from error
        lines = [line for line in text.splitlines()[table_format.skip_rows :] if line.strip()]
        comments = list(takewhile(lambda line: line.startswith(table_format.comment), lines))
        lines = [line for line in lines if not line.startswith(table_format.comment)]
        if not lines:
            raise CharmieError(f"table '{path}': holds no row")
        delimiter = table_format.delimiter or _delimiter(lines)
        first = _cells(lines[0], delimiter)
        self._decimal = table_format.decimal or _decimal(delimiter, _sample(lines))
        header = table_format.header
        if header is None:
            header = not any(math.isfinite(self._number(cell)) for cell in first)
        self.names: list[str] = []
        if header:
            self.names = first
            lines = lines[1:]
        elif comments:
            # a heading in a comment, as numpy.savetxt writes it
            heading = _cells(comments[-1][len(table_format.comment) :].strip(), delimiter)
            self.names = heading if len(heading) == len(first) else []
        self._columns = self._read(lines, delimiter, diagnostics)

    def _read(self, lines: list[str], delimiter: str, diagnostics: ReadDiagnostics) -> Floats:
        rows = [_cells(line, delimiter) for line in lines]
        if not rows:
            raise CharmieError(f"table '{self._path}': holds a heading but no row")
        width = max(len(self.names), Counter(len(row) for row in rows).most_common(1)[0][0])
        uneven = sum(len(row) != width for row in rows)
        if uneven:
            diagnostics.notices.append(f"{uneven} of {len(rows)} rows do not have {width} cells")
        numbers = np.full((len(rows), width), np.nan)
        for target, row in zip(numbers, rows, strict=True):
            target[: len(row)] = [self._number(cell) for cell in row[:width]]
        return numbers

    def column(self, column: Column) -> Floats:
        """Return a column by its name, or by its number from 0.

        Raises
        ------
        CharmieError
            If the column is missing; names the existing columns.
        """
        if isinstance(column, int) and str(column) not in self.names:
            if not 0 <= column < self._columns.shape[1]:
                raise CharmieError(
                    f"table '{self._path}': expected a column from 0 to "
                    f"{self._columns.shape[1] - 1}, got {column}"
                )
            return self._columns[:, column]
        name = str(column)
        if name in self.names:
            return self._columns[:, self.names.index(name)]
        folded = [other.casefold() for other in self.names]
        if folded.count(name.casefold()) == 1:
            return self._columns[:, folded.index(name.casefold())]
        raise CharmieError(
            f"table '{self._path}': column '{name}' is unknown{choices(name, self.names)}"
        )

    def __len__(self) -> int:
        return len(self._columns)

    def _number(self, cell: str) -> float:
        if self._decimal == ",":
            cell = cell.replace(",", ".")
        try:
            value = float(cell)
        except ValueError:
            return math.nan
        return value if math.isfinite(value) else math.nan


class TabularRecording:
    """A table as a recording; unusable rows and cells are omitted, with a notice.

    Parameters
    ----------
    path : Path
    table_format : TableFormat
    lengths : collection of str
        Names that belong to linear actuators.

    Attributes
    ----------
    description, count, diagnostics
        See `received.Recording`.

    Raises
    ------
    CharmieError
        If the table cannot be read, or lacks a column or usable rows.
    """

    description: str | None = None

    def __init__(
        self, path: Path, table_format: TableFormat, lengths: Collection[str] = ()
    ) -> None:
        self.diagnostics = ReadDiagnostics()
        table = Table(path, table_format, self.diagnostics)
        count = len(table_format.joints)
        position = _values(table, table_format.position, count)
        velocity = _values(table, table_format.velocity, count) if table_format.velocity else None
        effort = _values(table, table_format.effort, count) if table_format.effort else None
        time = np.arange(len(table)) / table_format.rate
        if table_format.time is not None:
            time = table.column(table_format.time) * table_format.time_scale
        rows = _usable(time, position, self.diagnostics)
        if not len(rows):
            raise CharmieError(
                f"table '{path}': expected rows with a time and a position, found none in "
                f"{len(table)} rows"
            )
        for what, values in (("position", position), ("velocity", velocity), ("effort", effort)):
            if values is not None:
                _note_gaps(what, table_format.joints, values[rows], self.diagnostics)
        self._stamps = _stamps(time[rows])
        self._position = position[rows]
        self._velocity = None if velocity is None else velocity[rows]
        self._effort = None if effort is None else effort[rows]
        self._parts = []
        for topic, wanted in ((ACTUATOR_LENGTHS, True), (JOINT_STATES, False)):
            own = [k for k, name in enumerate(table_format.joints) if (name in lengths) == wanted]
            if own:
                names = DistinctNames(table_format.joints[k] for k in own)
                self._parts.append((topic, names, np.array(own)))
        self.count = len(rows) * len(self._parts)

    def received(self) -> Iterator[ReceivedSample]:
        """Yield the samples, row by row."""
        for k, stamp in enumerate(self._stamps.tolist()):
            for topic, names, own in self._parts:
                velocity = None if self._velocity is None else self._velocity[k, own]
                effort = None if self._effort is None else self._effort[k, own]
                sample = JointSample(names, self._position[k, own], velocity, stamp, effort)
                yield ReceivedSample(topic, sample, stamp)


def _cells(line: str, delimiter: str) -> list[str]:
    if delimiter.isspace() and delimiter != "\t":
        return line.split()
    (row,) = csv.reader([line], delimiter=delimiter)
    return [cell.strip() for cell in row]


def _delimiter(lines: list[str]) -> str:
    """Return the delimiter that is most frequent in a sample of rows; by default a space."""
    counts = {sign: sum(line.count(sign) for line in _sample(lines)) for sign in DELIMITERS}
    if counts[";"] or counts["\t"]:
        counts[","] = 0  # these commas are decimal separators
    best = max(counts, key=lambda sign: counts[sign])
    return best if counts[best] else " "


def _sample(lines: list[str]) -> list[str]:
    """Return rows from the middle on: the first may be a heading, and a number may be whole."""
    return lines[len(lines) // 2 :][:20]


def _decimal(delimiter: str, lines: list[str]) -> str:
    return "," if delimiter != "," and any("," in line for line in lines) else "."


def _values(table: Table, quantity: Quantity, count: int) -> Floats:
    values = np.full((len(table), count), np.nan)
    for k, column in enumerate(quantity.columns):
        if column is not None:
            values[:, k] = quantity.factor[k] * table.column(column) + quantity.offset[k]
    return values


def _usable(time: Floats, position: Floats, diagnostics: ReadDiagnostics) -> Ints:
    """Return the usable rows, in the order of their times; of equal times the last."""
    known = np.flatnonzero(np.isfinite(time) & np.isfinite(position).any(axis=1))
    if len(known) < len(time):
        diagnostics.notices.append(
            f"{len(time) - len(known)} of {len(time)} rows have no time or no position"
        )
    if (np.diff(time[known]) < 0.0).any():
        diagnostics.notices.append("the rows are not in the order of their times: sorted")
    _, last = np.unique(time[known][::-1], return_index=True)
    if len(last) < len(known):
        diagnostics.notices.append(f"{len(known) - len(last)} rows repeat a time: the last is used")
    return known[len(known) - 1 - last]


def _note_gaps(
    what: str, joints: tuple[str, ...], values: Floats, diagnostics: ReadDiagnostics
) -> None:
    missing = (~np.isfinite(values)).sum(axis=0)
    for name, count in zip(joints, missing.tolist(), strict=True):
        if 0 < count < len(values):
            diagnostics.notices.append(f"{what} of '{name}': no number in {count} rows")


def _stamps(time: Floats) -> Ints:
    """Return the stamps (ns); times that begin at zero or earlier are shifted to one second."""
    shift = 1.0 - time[0] if time[0] <= 0.0 else 0.0
    stamps: Ints = np.rint((time + shift) * NANOSECONDS).astype(np.int64)
    return stamps
