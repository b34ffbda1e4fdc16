# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Computed cycles as a table: CSV, or Parquet with pyarrow."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path

import numpy as np

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.live.wire.stamps import SECONDS
from charmie_dynamics.model.flat.load_sharing import shared_cylinders
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.movable import single_joints
from charmie_dynamics.numerics.vectors import Floats, Ints
from charmie_dynamics.recordings.compute.comparisons import COMPARED
from charmie_dynamics.recordings.compute.contact_loads import (
    CONTACT_FIELDS,
    CONTACT_PREFIX,
    MISSING_WRENCH,
    contact_names,
)
from charmie_dynamics.recordings.compute.cycles import SETTLING, TRACKED, Cycles
from charmie_dynamics.recordings.compute.cylinders import OF_CYLINDERS

Columns = dict[str, Floats | Ints]
Arrays = Mapping[str, Floats]

FORMATS = ("csv", "parquet")
# names of columns, and the arrays of actuators, joints, springs and the base in them
BY_ACTUATOR = {
    "position": "position",
    "velocity": "velocity",
    "acceleration": "acceleration",
    "effort": "actuator_effort",
}
BY_JOINT = {
    "joint_position": "joint_position",
    "joint_velocity": "joint_velocity",
    "generalized_force": "generalized_force",
}
BY_SPRING = {"length": "spring_length", "tension": "spring_tension"}
BY_CYLINDER = {name: name for name in OF_CYLINDERS}
BASE = {"force": "link_force", "torque": "link_torque"}
# columns of a tracked point, in the order of `core.equations.point_motion`
BY_POINT = ("position", "velocity", "acceleration", "angular_velocity", "angular_acceleration")


def require_format(path: Path) -> None:
    """Check before the computation that a table can be written.

    Raises
    ------
    CharmieError
        For an ending that is not in `FORMATS`, or without pyarrow.
    """
    ending = path.suffix.lstrip(".").lower()
    if ending not in FORMATS:
        raise CharmieError(
            f"export '{path}': expected the ending .csv or .parquet, got '.{ending}'"
        )
    if ending == "parquet":
        try:
            import_module("pyarrow.parquet")
        except ImportError as error:
            raise CharmieError(
                f"export '{path}': Parquet needs the package pyarrow, which cannot be imported "
                f"({error}); `pip install pyarrow`, or export to .csv"
            ) from None


def table(
    model: Model, cycles: Cycles, measured: Floats | None = None, friction: Floats | None = None
) -> Columns:
    """Return the columns of the table by name, SI units, one row for each cycle.

    Parameters
    ----------
    model : Model
    cycles : Cycles
    measured, friction : array, shape (n, q), optional
        Measured effort and effort against friction.

    Returns
    -------
    dict of str to array, shape (n,)
        Columns about measured efforts are omitted for actuators without measured efforts.

    Examples
    --------
    >>> from pathlib import Path
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.recordings import analyse
    >>> from charmie_dynamics.recordings import AnalysisSettings
    >>> from charmie_dynamics.recordings import RecordedInputs
    >>> from charmie_dynamics.recordings import table
    >>> with RecordedInputs(Path("bag")) as bag:
    ...     analysis = analyse(load_model(), bag, AnalysisSettings())
    >>> columns = table(analysis.model, analysis.cycles)
    >>> len(columns["lift_actuator.effort"])
    200
    """
    arrays = cycles.arrays
    columns: Columns = {
        "stamp_ns": cycles.stamps,
        "time": (cycles.stamps - cycles.stamps[0]) * SECONDS,
    }
    if SETTLING in arrays:
        columns[SETTLING] = arrays[SETTLING]
    groups = (
        (model.actuator_names, BY_ACTUATOR),
        (tuple(model.joint_names[i] for i in single_joints(model)), BY_JOINT),
        (model.spring_names, BY_SPRING),
        (_shared_names(model), BY_CYLINDER),
    )
    for names, fields in groups:
        for k, name in enumerate(names):
            for field, array in fields.items():
                if array in arrays:
                    columns[f"{name}.{field}"] = arrays[array][:, k]
    columns.update(_base_columns(model, arrays))
    columns.update(_point_columns(arrays))
    columns.update(_contact_columns(arrays))
    optional = {"measured_effort": measured, "friction": friction}
    optional.update({field: arrays.get(field) for field in COMPARED})
    columns.update(_optional_columns(model, optional))
    return columns


def _shared_names(model: Model) -> tuple[str, ...]:
    return tuple(model.flat.linear_actuator_names[k] for k in shared_cylinders(model.flat))


def _base_columns(model: Model, arrays: Arrays) -> Iterator[tuple[str, Floats]]:
    base = model.frame_names[model.layout.base_body]
    for field, array in BASE.items():
        if array in arrays:
            for k, axis in enumerate("xyz"):
                yield f"{base}.{field}_{axis}", arrays[array][:, k]


def _point_columns(arrays: Arrays) -> Iterator[tuple[str, Floats]]:
    for name in arrays:
        if name.startswith(TRACKED):
            point = name.removeprefix(TRACKED)
            for k, field in enumerate(BY_POINT):
                for j, axis in enumerate("xyz"):
                    yield f"{point}.{field}_{axis}", arrays[name][:, 3 * k + j]


def _contact_columns(arrays: Arrays) -> Iterator[tuple[str, Floats]]:
    for name in contact_names(arrays):
        for k, field in enumerate(CONTACT_FIELDS):
            yield f"{name}.{field}", arrays[CONTACT_PREFIX + name][:, k]
    if MISSING_WRENCH in arrays:
        for k, axis in enumerate("xyz"):
            yield f"missing.force_{axis}", arrays[MISSING_WRENCH][:, k]
            yield f"missing.torque_{axis}", arrays[MISSING_WRENCH][:, 3 + k]


def _optional_columns(
    model: Model, arrays: Mapping[str, Floats | None]
) -> Iterator[tuple[str, Floats]]:
    """Yield the columns of actuators (n, q) that have values."""
    for field, values in arrays.items():
        if values is not None:
            for k, name in enumerate(model.actuator_names):
                if np.isfinite(values[:, k]).any():
                    yield f"{name}.{field}", values[:, k]


def export(path: Path, columns: Columns) -> None:
    """Write a table; the ending of the file selects the format, see `require_format`.

    Numbers in CSV have enough digits to restore the same float64; unknown values are empty.
    """
    require_format(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix.lower() == ".parquet":
        pyarrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
        parquet.write_table(pyarrow.table(columns), path)
        return
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for row in zip(*(values.tolist() for values in columns.values()), strict=True):
            writer.writerow(["" if value != value else value for value in row])
