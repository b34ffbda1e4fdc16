# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The results of a study as a table: Parquet in a file, xarray in memory."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.studies.design.study import Study
from charmie_dynamics.studies.engine.methods import MethodResult
from charmie_dynamics.studies.search.sensitivity import Sensitivity
from charmie_dynamics.tasks.versions import imported, versions

TABLE = "results.parquet"
STUDY_KEY = b"charmie_study"


def columns_of(study: Study, results: Sequence[MethodResult]) -> dict[str, Any]:
    """Return the columns of all evaluated candidates, in the order of the methods.

    ``method`` (name of the result), a column for each variable and quantity, ``excess`` over the
    constraints, whether the candidate is ``feasible`` and why it is ``undefined``.
    """
    candidates = np.concatenate([result.candidates for result in results])
    values = np.concatenate([result.values for result in results])
    columns: dict[str, Any] = {
        "method": [result.name for result in results for _ in result.candidates]
    }
    columns.update(_named(study, candidates, values))
    columns["excess"] = study.excess(values)
    columns["feasible"] = study.feasible(values)
    columns["undefined"] = [str(reason) for result in results for reason in result.reasons]
    return columns


def _named(study: Study, candidates: Floats, values: Floats) -> dict[str, Any]:
    """Return a column for each variable, and for each quantity."""
    names = [f"variable.{name}" for name in study.evaluator.space.names]
    names += [f"quantity.{name}" for name in study.names]
    return dict(zip(names, [*candidates.T, *values.T], strict=True))


class IndexRow(NamedTuple):
    """Sobol's indices of one quantity by one variable, with half widths of 95 % intervals."""

    quantity: str
    variable: str
    first: float
    first_error: float
    total: float
    total_error: float


def index_rows(study: Study, sensitivity: Sensitivity) -> list[IndexRow]:
    """Return Sobol's indices, quantity by quantity."""
    return [
        IndexRow(
            quantity,
            variable,
            *(float(array[k, n]) for array in (
                sensitivity.first, sensitivity.first_error,
                sensitivity.total, sensitivity.total_error,
            )),
        )
        for k, quantity in enumerate(study.names)
        for n, variable in enumerate(study.evaluator.space.names)
    ]  # fmt: skip


def write_table(path: Path, study: Study, results: Sequence[MethodResult]) -> None:
    """Write all candidates as Parquet; its metadata are the study file, versions and seed.

    Raises
    ------
    CharmieError
        If pyarrow is not installed.
    """
    _write(path, study, columns_of(study, results))


def write_method_tables(folder: Path, study: Study, results: Sequence[MethodResult]) -> list[Path]:
    """Write Sobol's indices and Pareto fronts as Parquet; return the files.

    ``RESULT_indices.parquet`` has a row for each quantity and variable, see `IndexRow`;
    ``RESULT_front.parquet`` one for each point, with ``variable.NAME`` and ``quantity.NAME``.

    Raises
    ------
    CharmieError
        If pyarrow is not installed.
    """
    paths = []
    for result in results:
        if result.sensitivity is not None:
            rows = index_rows(study, result.sensitivity)
            columns = {name: [getattr(row, name) for row in rows] for name in IndexRow._fields}
            paths.append(folder / f"{result.name}_indices.parquet")
            _write(paths[-1], study, columns)
        if len(study.objectives) > 1 and len(result.best) > 1:
            columns = _named(study, result.best, result.best_values)
            paths.append(folder / f"{result.name}_front.parquet")
            _write(paths[-1], study, columns)
    return paths


def _write(path: Path, study: Study, columns: Mapping[str, Any]) -> None:
    pyarrow, parquet = _parquet()
    table = pyarrow.table(dict(columns))
    about = {"study": study.text, "seed": study.seed, "versions": versions()}
    metadata = {**(table.schema.metadata or {}), STUDY_KEY: json.dumps(about).encode()}
    partial = path.with_suffix(".partial")
    parquet.write_table(table.replace_schema_metadata(metadata), partial)
    partial.replace(path)


def read_table(path: Path) -> Any:
    """Return the table of a study as an `xarray.Dataset` along ``candidate``.

    Its attributes are the study file, versions and seed.

    Raises
    ------
    CharmieError
        If the table is missing, or a library is not installed.
    """
    _, parquet = _parquet()
    try:
        table = parquet.read_table(path)
    except FileNotFoundError:
        raise CharmieError(f"'{path}': there is no such table of a study") from None
    about = json.loads((table.schema.metadata or {}).get(STUDY_KEY, b"{}"))
    xarray = imported("xarray", "results need xarray")
    arrays = {name: ("candidate", table[name].to_numpy()) for name in table.column_names}
    attributes = {**about, "versions": json.dumps(about.get("versions", {}))}
    return xarray.Dataset(arrays, attrs=attributes)


def _parquet() -> tuple[Any, Any]:
    need = "results need pyarrow"
    return imported("pyarrow", need), imported("pyarrow.parquet", need)
