# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What symbolic equations cost.

The time to derive them by each method with each engine, each in a process of its own, the
operations that are left, and the time of one evaluation beside the kernels. What differs from the
kernels is not timed.
"""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from itertools import product
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from charmie_dynamics import Model, load_model
from charmie_dynamics.core.equations.structural import (
    carried_bodies,
    coriolis_matrix,
    structural_coefficients,
    sum_of_bodies,
)
from charmie_dynamics.symbolic import METHODS, SymbolicEquations, derive
from validation.harness.machine import describe_machine
from validation.harness.pages import fill
from validation.harness.run import Evidence
from validation.harness.tables import bullets, table
from validation.harness.timing import Calls, Timing, calls_of, time_calls

from .arms import arm_urdf
from .case import Array

ROBOTS = {"SCARA": 5, "2 joints": 2, "4 joints": 4, "6 joints": 6}
ENGINES = ("sympy", "symengine")
TITLES = {"sympy": "SymPy", "symengine": "SymEngine"}
PATIENCE = 300.0  # s, after which a derivation is given up
REPEATED = 3  # times at most, within so many seconds
SECONDS = 8.0
STATES, SEED, ROUNDS = 64, 5, 100
TOLERANCE = 1e-10  # of the largest entry
PROGRAMS = ("numpy", "numba", "sympy", "symengine")


def load(robot: str) -> Model:
    """Return a robot of the tables."""
    if robot == "SCARA":
        return load_model("scara")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "arm.urdf")
        path.write_text(arm_urdf(ROBOTS[robot]), encoding="utf-8")
        return load_model(path)


def draw_states(model: Model) -> Array:
    """Return positions, velocities and accelerations (3, N, q)."""
    shape = (3, STATES, len(model.joint_names))
    return np.random.default_rng(SEED).uniform(-1.5, 1.5, shape)


def difference(function: Callable[..., Any], model: Model, states: Array) -> float:
    """Return by how much terms differ from those of the kernels, relative to the largest entry."""
    largest = 0.0
    for position, velocity in states[:2].swapaxes(0, 1)[:8]:
        numeric = model.equations(position, velocity)
        expected = numeric.mass_matrix, numeric.coriolis_matrix, numeric.gravity_effort
        for mine, other in zip(function(position, velocity), expected, strict=True):
            scale = max(1e-3, float(np.abs(other).max()))
            largest = float(np.maximum(largest, np.abs(mine - other).max() / scale))
    return largest


def plain(equations: SymbolicEquations) -> Callable[..., Any]:
    """Return the function of the generated code in plain Python."""
    scope: dict[str, Any] = {}
    exec(equations.code("python"), scope)
    return next(each for name, each in scope.items() if name.endswith("_equations"))


def derive_once(robot: str, method: str, engine: str) -> dict[str, Any]:
    """Derive in this process; return the time (s), the operations and the difference."""
    from sympy.core.cache import clear_cache

    with tempfile.TemporaryDirectory() as folder:  # imports whatever it takes
        path = Path(folder, "first.urdf")
        path.write_text(arm_urdf(1), encoding="utf-8")
        derive(path, method, engine=engine)
    model = load(robot)
    seconds: list[float] = []
    while len(seconds) < REPEATED and sum(seconds) < SECONDS:
        clear_cache()
        begin = perf_counter()
        equations = derive(model, method, engine=engine)
        seconds.append(perf_counter() - begin)
    return {
        "seconds": median(seconds),
        "operations": list(equations.operations),
        "difference": difference(plain(equations), model, draw_states(model)),
    }


def derive_apart(robot: str, method: str, engine: str) -> dict[str, Any]:
    """Do so in another process; an empty record if that takes too long."""
    command = [sys.executable, "-m", "benchmarks.symbolic", robot, method, engine]
    print(f"benchmarks: {robot}, {method}, {engine} ...", file=sys.stderr, flush=True)
    try:
        done = subprocess.run(
            command, stdout=subprocess.PIPE, text=True, check=True, timeout=PATIENCE
        )
    except subprocess.TimeoutExpired:
        return {}
    record: dict[str, Any] = json.loads(done.stdout)
    if record["difference"] > TOLERANCE:
        raise SystemExit(f"{robot}, {method}, {engine}: differs by {record['difference']:.1g}")
    return record


def numeric_structural_form(model: Model) -> Callable[..., Any]:
    """Return the structural form computed with numbers, in numpy, as the paper does."""
    tree = model.flat.tree
    n, q = len(tree.parent), len(model.joint_names)

    def compute(position: Array, velocity: Array) -> Any:
        placed = model.kinematics(position).kinematics
        bodies = carried_bodies(tree, placed.R_parent_frame[:n], placed.p_parent_frame[:n])
        whole = sum_of_bodies(structural_coefficients(bodies, q))
        return whole.inertia, coriolis_matrix(whole, velocity), whole.gravity

    return compute


def c_function(equations: SymbolicEquations, folder: Path) -> Any:
    """Return the generated C, compiled."""
    name = f"{equations.method}_{len(equations.joint_names)}"
    source, library = folder / f"{name}.c", folder / f"{name}.so"
    source.write_text(equations.code("c"), encoding="utf-8")
    command = ["cc", "-O2", "-shared", "-fPIC", str(source), "-o", str(library), "-lm"]
    subprocess.run(command, check=True)
    plain_name = plain(equations).__name__
    function = getattr(ctypes.CDLL(str(library)), plain_name)
    function.argtypes = [ctypes.c_void_p] * 5
    function.restype = None
    return function


def run_c(function: Any, states: Array) -> Calls:
    """Return what calls a compiled function, whose inputs stand ready in memory."""
    q = states.shape[2]
    arrays = [(np.array(x), np.array(v)) for x, v in states[:2].swapaxes(0, 1)]
    found = np.empty((q, q)), np.empty((q, q)), np.empty(q)
    out = tuple(array.ctypes.data for array in found)
    calls = calls_of(function, [(x.ctypes.data, v.ctypes.data, *out) for x, v in arrays])

    def run(count: int, keep: Any = (arrays, found)) -> float:  # the memory lives as long
        return calls(count)

    return run


def solved_by_c(function: Any, q: int) -> Callable[..., Any]:
    """Return a compiled function with arrays in and out."""

    def compute(position: Array, velocity: Array) -> Any:
        given = np.array(position), np.array(velocity)
        found = np.empty((q, q)), np.empty((q, q)), np.empty(q)
        function(*(array.ctypes.data for array in (*given, *found)))
        return found

    return compute


def evaluations(model: Model, folder: Path) -> dict[str, Calls]:
    """Return the rows of one evaluation, each held against the kernels."""
    states = draw_states(model)
    pairs = np.ascontiguousarray(states[:2].swapaxes(0, 1))

    def of_equations(position: Array, velocity: Array) -> Any:
        found = model.equations(position, velocity)
        return found.mass_matrix, found.coriolis_matrix, found.gravity_effort

    shortest = derive(model, "christoffel")
    compiled = c_function(shortest, folder)
    by_c = 'C, `code("c")` through ctypes, christoffel'
    functions: dict[str, Callable[..., Any]] = {
        "kernels, `Model.equations`": of_equations,
        "numba, `function()`, christoffel": shortest.function(),
        "numba, `function()`, structural": derive(model, "structural").function(),
        by_c: solved_by_c(compiled, len(model.joint_names)),
        'Python, `code("python")`, christoffel': plain(shortest),
        "structural form in numbers, numpy": numeric_structural_form(model),
    }
    for name, function in functions.items():
        found = difference(function, model, states)
        if found > TOLERANCE:
            raise SystemExit(f"{model.name}, {name}: differs by {found:.1g}")
    rows = {name: calls_of(function, pairs) for name, function in functions.items()}
    return {
        **rows,
        "kernels, `Model.equations`": calls_of(model.equations, pairs),
        by_c: run_c(compiled, states),
    }


def two_digits(number: float) -> str:
    """Return a positive number with two digits, or all of those before the point."""
    return f"{number:.2g}" if number < 10.0 else f"{number:.0f}"


def derivation_tables(records: dict[tuple[str, str, str], dict[str, Any]]) -> tuple[str, str]:
    """Return the tables of times and of operations."""
    columns = list(product(ROBOTS, ENGINES))
    head = ["method", *(f">{robot}, {TITLES[engine]}" for robot, engine in columns)]
    times, counts = [], []
    for method in METHODS:
        seconds, operations = [method], [method]
        for robot, engine in columns:
            record = records[robot, method, engine]
            if not record:
                seconds.append(f"> {PATIENCE:.0f}")
                operations.append("-")
                continue
            ratio = record["seconds"] / records[robot, "structural", engine]["seconds"]
            seconds.append(f"{record['seconds']:.2g} ({two_digits(ratio)})")
            operations.append(" + ".join(map(str, record["operations"][:2])))
        times.append(seconds)
        counts.append(operations)
    return table(head, times), table(head, counts)


def evaluation_table(timed: dict[str, dict[str, Timing]]) -> str:
    """Return the table of one evaluation: medians, and their ratio to the kernels."""
    rows = []
    for name in next(iter(timed.values())):
        pairs = [(own[name].median, next(iter(own.values())).median) for own in timed.values()]
        cells = [f"{two_digits(1e6 * time)} ({two_digits(time / base)})" for time, base in pairs]
        rows.append((name, *cells))
    return table(("computed by", *(f">{robot}" for robot in timed)), rows)


def make(rounds: int = ROUNDS) -> Evidence:
    """Derive and time, and return the page."""
    machine = describe_machine(os.getloadavg()[0], PROGRAMS)
    records = {key: derive_apart(*key) for key in product(ROBOTS, METHODS, ENGINES)}
    times, counts = derivation_tables(records)
    timed = {}
    with tempfile.TemporaryDirectory() as folder:
        for robot in ROBOTS:
            timed[robot] = time_calls(evaluations(load(robot), Path(folder)), rounds)
    sections = {
        "machine": bullets(machine),
        "times": times,
        "operations": counts,
        "evaluation": evaluation_table(timed),
    }
    return Evidence({"symbolic.md": fill("symbolic", sections)})


if __name__ == "__main__":
    print(json.dumps(derive_once(*sys.argv[1:])))
