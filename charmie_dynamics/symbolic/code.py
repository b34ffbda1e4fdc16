# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Programs of steps as source text, in Python and C: complete functions with documentation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sympy.printing.c import C99CodePrinter
from sympy.printing.pycode import PythonCodePrinter

from .program import Program

MOST_FACTORS = 4  # largest power that is written as a product


class Subject(NamedTuple):
    """The subject of generated code."""

    robot: str
    method: str
    joints: Sequence[str]
    units: Sequence[str]  # of the positions of the joints
    position: Sequence[Any]  # symbols
    velocity: Sequence[Any]

    @property
    def function(self) -> str:
        """Name of the function in the code."""
        return re.sub(r"\W", "_", f"{self.robot}_equations", flags=re.ASCII).lstrip("0123456789")

    @property
    def coordinates(self) -> list[str]:
        """One line per coordinate."""
        rows = zip(self.joints, self.units, self.position, self.velocity, strict=True)
        return [f"{q}, {v}: {quoted(joint)} ({unit}, {unit}/s)" for joint, unit, q, v in rows]


def quoted(name: str) -> str:
    """Return a name of a URDF without characters that end a comment or a text."""
    return re.sub(r"[^\w .:/+-]", "_", name)


def python_code(program: Program, subject: Subject) -> str:
    """Return a module of Python; numba can compile its function unchanged."""
    n = program.size
    printer = _PythonPrinter({"fully_qualified_modules": False})
    lines = [
        f'"""Equations of motion of the robot {quoted(subject.robot)}, generated code.',
        "",
        f"Derived by charmie_dynamics.symbolic with the method {subject.method}.",
        '"""',
        "",
        "from math import cos, sin",
        "",
        "import numpy as np",
        "",
        "",
        f"def {subject.function}(position, velocity):",
        '    """Return the terms of: effort = M acceleration + C velocity + g.',
        "",
        "    Parameters",
        "    ----------",
        f"    position, velocity : ({n},) array",
        "        In this order:",
        "",
        *(f"        {line}" for line in subject.coordinates),
        "",
        "    Returns",
        "    -------",
        f"    mass_matrix : ({n}, {n}) array",
        f"    coriolis_matrix : ({n}, {n}) array",
        "        That of the Christoffel symbols: d/dt M - 2 C is skew.",
        f"    gravity : ({n},) array",
        "        In N for the coordinates in m, in N m for those in rad.",
        '    """',
        *(f"    {name} = {source}[{k}]" for name, source, k in _inputs(program, subject)),
        *(f"    {symbol} = {printer.doprint(step)}" for symbol, step in program.shared),
        f"    mass_matrix = np.empty(({n}, {n}))",
        f"    coriolis_matrix = np.empty(({n}, {n}))",
        f"    gravity = np.empty({n})",
    ]
    for array, *index, value in _outputs(program, printer):
        lines.append(f"    {array}[{', '.join(map(str, index))}] = {value}")
    return "\n".join([*lines, "    return mass_matrix, coriolis_matrix, gravity", ""])


def c_code(program: Program, subject: Subject) -> str:
    """Return a file of C99."""
    n = program.size
    printer = _CPrinter()
    lines = [
        f"/* Equations of motion of the robot {quoted(subject.robot)}, generated code.",
        " *",
        f" * Derived by charmie_dynamics.symbolic with the method {subject.method}. C99; link with",
        " * the library of mathematics (-lm).",
        " */",
        "#include <math.h>",
        "",
        "/* Writes the terms of: effort = M acceleration + C velocity + g.",
        " *",
        f" * position, velocity: {n} numbers each, in this order:",
        *(f" *     {line}" for line in subject.coordinates),
        f" * mass_matrix, coriolis_matrix: {n} x {n} numbers each, row by row; the latter is that",
        " *     of the Christoffel symbols: d/dt M - 2 C is skew.",
        f" * gravity: {n} numbers, in N for the coordinates in m, in N m for those in rad.",
        " */",
        f"void {subject.function}(const double *position, const double *velocity,",
        "    double *mass_matrix, double *coriolis_matrix, double *gravity)",
        "{",
        "    (void)position;",
        "    (void)velocity;",
    ]
    lines += [f"    const double {s} = {a}[{k}];" for s, a, k in _inputs(program, subject)]
    for symbol, step in program.shared:
        lines.append(f"    const double {symbol} = {printer.doprint(step)};")
    for array, *index, value in _outputs(program, printer):
        place = index[0] if len(index) == 1 else index[0] * n + index[1]
        lines.append(f"    {array}[{place}] = {value};")
    return "\n".join([*lines, "}", ""])


def _inputs(program: Program, subject: Subject) -> Iterator[tuple[str, str, int]]:
    """Yield name, array and index of each used symbol."""
    steps = [*(step for _, step in program.shared), *program.outputs]
    used = {str(symbol) for step in steps for symbol in step.free_symbols}
    for array, symbols in (("position", subject.position), ("velocity", subject.velocity)):
        for k, symbol in enumerate(symbols):
            if str(symbol) in used:
                yield str(symbol), array, k


def _outputs(program: Program, printer: Any) -> Iterator[tuple[Any, ...]]:
    """Yield array, indices and text of each output number."""
    n = program.size
    mass = iter(program.mass_matrix)
    for i in range(n):
        for j in range(i, n):
            text = printer.doprint(next(mass))
            yield "mass_matrix", i, j, text
            if i != j:
                yield "mass_matrix", j, i, text
    for k, value in enumerate(program.coriolis_matrix):
        yield "coriolis_matrix", k // n, k % n, printer.doprint(value)
    for i, value in enumerate(program.gravity):
        yield "gravity", i, printer.doprint(value)


def _product(printer: Any, power: Any) -> str | None:
    """Return a small integer power as a product, which needs no function."""
    base, exponent = power.args
    if not (exponent.is_Integer and 1 < exponent <= MOST_FACTORS):
        return None
    text = printer.doprint(base)
    factor = text if base.is_Symbol else f"({text})"
    return "*".join([factor] * int(exponent))


class _Numbers:
    """Numbers and powers in the same way in all languages."""

    def _print_Float(self, expr: Any) -> str:  # noqa: N802
        return repr(float(expr))  # the shortest text with all digits

    def _print_Pow(self, expr: Any, **settings: Any) -> str:  # noqa: N802
        others: Any = super()
        return _product(self, expr) or str(others._print_Pow(expr, **settings))


class _PythonPrinter(_Numbers, PythonCodePrinter):
    pass


class _CPrinter(_Numbers, C99CodePrinter):
    pass
