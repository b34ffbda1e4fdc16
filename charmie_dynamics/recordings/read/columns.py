# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The format of a table: a YAML file describes the columns, see ``docs/analysis.md``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from charmie_dynamics.errors import ModelFileError, choices
from charmie_dynamics.model.description.files import read_text
from charmie_dynamics.model.description.yaml_document import load_yaml
from charmie_dynamics.numerics.vectors import Floats

Column = str | int
KEYS = ("joints", "time", "rate", "position", "velocity", "effort", "hold",
        "delimiter", "decimal", "comment", "header", "skip_rows")  # fmt: skip
QUANTITY_KEYS = ("columns", "unit", "factor", "offset", "first")
TIME_KEYS = ("column", "unit")
TIME_UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
DEGREE = math.pi / 180.0
LARGEST_NUMBER = 1e30  # of an entry; larger ones overflow in the unit of the values
UNITS = {
    "position": {"rad": 1.0, "deg": DEGREE, "m": 1.0, "mm": 1e-3},
    "velocity": {
        "rad/s": 1.0, "deg/s": DEGREE, "rpm": math.pi / 30.0, "m/s": 1.0, "mm/s": 1e-3,
    },
    "effort": {"N m": 1.0, "N": 1.0, "A": 1.0, "mA": 1e-3},
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Quantity:
    """The columns of a quantity: the value of a joint is ``factor * cell + offset``.

    Parameters
    ----------
    columns : tuple of (str, int or None), length n
        Name or number of the column of each joint; None without a column.
    factor, offset : array, shape (n,)
        Both include the unit.
    """

    columns: tuple[Column | None, ...]
    factor: Floats
    offset: Floats


@dataclass(frozen=True, eq=False)
class TableFormat:
    """The columns of a table, and the format of its text.

    Parameters
    ----------
    joints : tuple of str, length n
        Of the model: joints, or linear actuators.
    position : Quantity
    velocity, effort : Quantity or None
    time : str or int or None
        Column; None: constant `rate`.
    time_scale : float
        Unit of the time (s).
    rate : float
        Rows per second; NaN with a column.
    hold : mapping
        Positions of actuators that are not in the table.
    delimiter, decimal, comment : str or None
        None: detected.
    header : bool or None
    skip_rows : int
    """

    joints: tuple[str, ...]
    position: Quantity
    velocity: Quantity | None
    effort: Quantity | None
    time: Column | None
    time_scale: float
    rate: float
    hold: Mapping[str, float] = field(default_factory=dict)
    delimiter: str | None = None
    decimal: str | None = None
    comment: str = "#"
    header: bool | None = None
    skip_rows: int = 0


def read_table_format(path: Path) -> TableFormat:
    """Read the format of a table from its YAML file.

    Raises
    ------
    ModelFileError
        If it cannot be read or an entry is missing; names the entry.
    """
    document, _ = load_yaml(read_text(path), str(path))
    entry = _Entry(document, str(path), "")
    entry.require_keys(KEYS)
    joints = tuple(str(name) for name in entry.list_of("joints"))
    if not joints or len(set(joints)) < len(joints):
        raise entry.error("joints: expected a list of distinct names")
    rate = entry.number("rate", math.nan)
    if ("time" in entry.values) == ("rate" in entry.values) or rate <= 0.0:
        raise entry.error("expected either 'time', a column, or 'rate', rows a second above 0")
    time, scale = _time(entry)
    position = _quantity(entry, "position", joints)
    if position is None:
        raise entry.error("expected an entry 'position' with the columns of the positions")
    header = entry.values.get("header")
    if header not in (None, True, False):
        raise entry.error(f"header: expected true or false, got '{header}'")
    hold = _Entry(entry.values.get("hold", {}), entry.source, "hold")
    return TableFormat(
        joints=joints,
        position=position,
        velocity=_quantity(entry, "velocity", joints),
        effort=_quantity(entry, "effort", joints),
        time=time,
        time_scale=scale,
        rate=rate,
        hold={str(name): hold.number(name, 0.0) for name in hold.values},
        delimiter=entry.text("delimiter"),
        decimal=entry.text("decimal"),
        comment=entry.text("comment") or "#",
        header=header,
        skip_rows=entry.whole("skip_rows", 0),
    )


class _Entry:
    """A mapping of the file; errors name file and entry."""

    def __init__(self, values: Any, source: str, name: str) -> None:
        self.source = source
        self.name = name
        if not isinstance(values, Mapping):
            raise self.error(f"expected a mapping, got {type(values).__name__}")
        self.values = values

    def error(self, text: str) -> ModelFileError:
        where = f"{self.name}: " if self.name else ""
        return ModelFileError(f"{self.source}: {where}{text}")

    def require_keys(self, valid: Iterable[str]) -> None:
        for key in self.values:
            if key not in valid:
                raise self.error(f"'{key}' is unknown{choices(str(key), valid)}")

    def number(self, key: str, default: float) -> float:
        value = self.values.get(key, default)
        if key in self.values and not _is_number(value):
            raise self.error(f"{key}: expected a finite number, got '{value}'")
        return float(value)

    def whole(self, key: str, default: int) -> int:
        """Return a whole number of at least 0."""
        value = self.number(key, default)
        if not (0.0 <= value < math.inf and value == int(value)):
            raise self.error(f"{key}: expected a whole number from 0, got '{value:g}'")
        return int(value)

    def text(self, key: str) -> str | None:
        value = self.values.get(key)
        if value is not None and (not isinstance(value, str) or not value):
            raise self.error(f"{key}: expected a text, got '{value}'")
        return value

    def list_of(self, key: str) -> list[Any]:
        value = self.values.get(key)
        if not isinstance(value, list):
            raise self.error(f"{key}: expected a list")
        return value

    def unit(self, valid: Mapping[str, float], default: str) -> float:
        unit = self.values.get("unit", default)
        if unit not in valid:
            raise self.error(f"unit '{unit}' is unknown{choices(str(unit), valid)}")
        return valid[unit]


def _time(entry: _Entry) -> tuple[Column | None, float]:
    entry_of_time = entry.values.get("time")
    if entry_of_time is None:
        return None, 1.0
    if not isinstance(entry_of_time, Mapping):
        entry_of_time = {"column": entry_of_time}
    time = _Entry(entry_of_time, entry.source, "time")
    time.require_keys(TIME_KEYS)
    column = _column(time, time.values.get("column"))
    if column is None:
        raise time.error("expected the name or number of a column")
    return column, time.unit(TIME_UNITS, "s")


def _quantity(entry: _Entry, name: str, joints: tuple[str, ...]) -> Quantity | None:
    selection = entry.values.get(name)
    if selection is None:
        return None
    if not isinstance(selection, Mapping):
        selection = {"columns": selection}
    quantity = _Entry(selection, entry.source, name)
    quantity.require_keys(QUANTITY_KEYS)
    units = UNITS[name]
    unit = quantity.unit(units, next(iter(units)))
    columns = quantity.values.get("columns")
    if isinstance(columns, str):
        first = quantity.whole("first", 1)
        numbered = [columns.replace("{}", str(first + k)) for k in range(len(joints))]
        named = [column.replace("{joint}", n) for column, n in zip(numbered, joints, strict=True)]
        if len(joints) > 1 and len(set(named)) < len(named):
            raise quantity.error(
                f"columns '{columns}': expected a list, or a text with {{}} for the number or "
                "{joint} for the name of the joint"
            )
        columns = named
    if not isinstance(columns, list) or len(columns) != len(joints):
        raise quantity.error(f"columns: expected a pattern, or a list of {len(joints)}")
    return Quantity(
        tuple(_column(quantity, column) for column in columns),
        unit * _numbers(quantity, "factor", 1.0, len(joints)),
        unit * _numbers(quantity, "offset", 0.0, len(joints)),
    )


def _column(entry: _Entry, value: Any) -> Column | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if value >= 0 and value == int(value):
            return int(value)
    raise entry.error(f"column '{value}': expected a name, or a number from 0")


def _numbers(entry: _Entry, key: str, default: float, count: int) -> Floats:
    value = entry.values.get(key, default)
    values = value if isinstance(value, list) else [value] * count
    if len(values) != count or not all(map(_is_number, values)):
        raise entry.error(f"{key}: expected a number or a list of {count} numbers, finite")
    return np.array(values, dtype=np.float64)


def _is_number(value: Any) -> bool:
    """Return whether a value of the file is a finite number."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and abs(value) <= LARGEST_NUMBER
