# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Programs of steps as source text, in Python and C: complete functions with documentation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sympy import Mul, Pow, sign
from sympy.printing.c import C99CodePrinter
from sympy.printing.precedence import PRECEDENCE
from sympy.printing.pycode import PythonCodePrinter

from .program import Program, Steps
from .solvers import c_solvers, python_solvers
from .subject import Subject, quoted

MOST_FACTORS = 4  # largest power that is written as a product


def python_code(program: Program, subject: Subject) -> str:
    """Return a module of Python; numba can compile its function unchanged."""
    n, p, r = program.size, len(subject.position), len(subject.rows)
    printer = PythonPrinter({"fully_qualified_modules": False})
    steps = [*_steps(program), *_steps(program.actuators)]
    functions = ["cos", "sin", *(["sqrt"] if _has_roots(steps) else [])]
    functions = [*(["copysign"] if any(s.has(sign) for s in steps) else []), *functions]
    arguments, values = "position, velocity", []
    if subject.parameters:
        arguments = f"{arguments}, parameters"
        values = [
            f"    parameters : ({len(subject.parameters)},) array",
            "        In SI units:",
            "",
        ]
        values += [f"        {line}" for line in subject.values]
    results, loops = ["mass_matrix", "coriolis_matrix", "gravity"], []
    if subject.rows:
        results += ["jacobian", "jacobian_rate"]
        loops = [
            f"    jacobian, jacobian_rate : ({r}, {n}) array",
            "        Of loop joints: jacobian acceleration + jacobian_rate velocity = 0. Rows:",
            "",
            *(f"        {quoted(row)}" for row in subject.rows),
        ]
    lines = [
        f'"""Equations of motion of the robot {quoted(subject.robot)}, generated code.',
        "",
        f"Derived by charmie_dynamics.symbolic with the method {subject.method}.",
        '"""',
        "",
        f"from math import {', '.join(functions)}",
        "",
        "import numpy as np",
        "",
        "",
        f"def {subject.function}({arguments}):",
        '    """Return the terms of: effort = M acceleration + C velocity + g.',
        "",
        "    Parameters",
        "    ----------",
        f"    position, velocity : ({n},) array"
        if p == n
        else f"    position, velocity : ({p},) and ({n},) array",
        "        In this order:",
        "",
        *(f"        {line}" for line in subject.coordinates),
        *values,
        "",
        "    Returns",
        "    -------",
        f"    mass_matrix : ({n}, {n}) array",
        f"    coriolis_matrix : ({n}, {n}) array",
        "        That of the Christoffel symbols: d/dt M - 2 C is skew.",
        f"    gravity : ({n},) array",
        "        In N for the coordinates in m, in N m for those in rad.",
        *loops,
        '    """',
        *(f"    {name} = {source}[{k}]" for name, source, k in _inputs(program, subject)),
        *(f"    {symbol} = {printer.doprint(step)}" for symbol, step in program.shared),
        f"    mass_matrix = np.empty(({n}, {n}))",
        f"    coriolis_matrix = np.empty(({n}, {n}))",
        f"    gravity = np.empty({n})",
        *(f"    {each} = np.empty(({r}, {n}))" for each in results[3:]),
    ]
    for array, *index, value in _outputs(program, printer):
        lines.append(f"    {array}[{', '.join(map(str, index))}] = {value}")
    text = "\n".join([*lines, f"    return {', '.join(results)}", ""])
    text += python_solvers(subject) if subject.rows else ""
    return text + _python_actuators(program.actuators, subject, printer, arguments)


def _python_actuators(steps: Steps, subject: Subject, printer: Any, arguments: str) -> str:
    """Return the function of linear actuators in Python, empty for a robot without them."""
    rows, b = subject.linear_actuators, len(subject.linear_actuators)
    if not rows:
        return ""
    results = "actuator_length, moment_arm, actuator_rate, actuator_force"
    lines = [
        "",
        "",
        f"def {subject.name}_linear_actuators({arguments}, effort):",
        '    """Return lengths, moment arms, rates and forces of the linear actuators.',
        "",
        "    Parameters",
        "    ----------",
        f"    {arguments}",
        f"        As for {subject.function}.",
        f"    effort : ({len(subject.actuated)},) array",
        f"        In N m or N, of the joints {subject.efforts}.",
        "",
        "    Returns",
        "    -------",
        f"    {results} : ({b},) array",
        "        In m, m (1 for prismatic joints), m/s and N, a positive force pushes the pins",
        "        apart. Of the linear actuators:",
        "",
        *(f"        {line}" for line in subject.driven),
        '    """',
        *(f"    {name} = {source}[{k}]" for name, source, k in _inputs(steps, subject)),
        *(f"    {symbol} = {printer.doprint(step)}" for symbol, step in steps.shared),
        *(f"    {name} = np.empty({b})" for name in results.split(", ")),
        *(f"    {line}" for line in _actuator_lines(steps, subject, printer)),
        f"    return {results}",
        "",
    ]
    return "\n".join(lines)


def _actuator_lines(steps: Steps, subject: Subject, printer: Any) -> Iterator[str]:
    """Yield the assignments of the outputs of linear actuators, in both languages."""
    for k, (row, length, arm) in enumerate(
        zip(subject.linear_actuators, *steps.reduced, strict=True)
    ):
        yield f"actuator_length[{k}] = {printer.doprint(length)}"
        yield f"moment_arm[{k}] = {printer.doprint(arm)}"
        yield f"actuator_rate[{k}] = moment_arm[{k}]*velocity[{row.coordinate}]"
        yield f"actuator_force[{k}] = {row.share!r}*effort[{row.actuator}]/moment_arm[{k}]"


def c_code(program: Program, subject: Subject) -> str:
    """Return a file of C99."""
    n, p, r = program.size, len(subject.position), len(subject.rows)
    printer = CPrinter()
    counts = f"{n} numbers each" if p == n else f"{p} and {n} numbers"
    inputs, used, values = "const double *position, const double *velocity,", [], []
    if subject.parameters:
        inputs, used = f"{inputs} const double *parameters,", ["    (void)parameters;"]
        values = [f" * parameters: {len(subject.parameters)} numbers in SI units:"]
        values += [f" *     {line}" for line in subject.values]
    outputs, loops = "double *mass_matrix, double *coriolis_matrix, double *gravity", []
    if subject.rows:
        outputs = f"{outputs},\n    double *jacobian, double *jacobian_rate"
        loops = [
            f" * jacobian, jacobian_rate: {r} x {n} numbers each, of loop joints:",
            " *     jacobian acceleration + jacobian_rate velocity = 0. Rows:",
            *(f" *     {quoted(row)}" for row in subject.rows),
        ]
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
        f" * position, velocity: {counts}, in this order:",
        *(f" *     {line}" for line in subject.coordinates),
        *values,
        f" * mass_matrix, coriolis_matrix: {n} x {n} numbers each, row by row; the latter is that",
        " *     of the Christoffel symbols: d/dt M - 2 C is skew.",
        f" * gravity: {n} numbers, in N for the coordinates in m, in N m for those in rad.",
        *loops,
        " */",
        f"void {subject.function}({inputs}",
        f"    {outputs})",
        "{",
        "    (void)position;",
        "    (void)velocity;",
        *used,
    ]
    lines += [f"    const double {s} = {a}[{i}];" for s, a, i in _inputs(program, subject)]
    for symbol, step in program.shared:
        lines.append(f"    const double {symbol} = {printer.doprint(step)};")
    for array, *index, value in _outputs(program, printer):
        place = index[0] if len(index) == 1 else index[0] * n + index[1]
        lines.append(f"    {array}[{place}] = {value};")
    text = "\n".join([*lines, "}", ""])
    text += c_solvers(subject) if subject.rows else ""
    return text + _c_actuators(program.actuators, subject, printer, inputs)


def _c_actuators(steps: Steps, subject: Subject, printer: Any, inputs: str) -> str:
    """Return the function of linear actuators in C99, empty for a robot without them."""
    if not subject.linear_actuators:
        return ""
    lines = [
        "",
        "/* Writes lengths (m), moment arms (m, or 1 for prismatic joints), rates (m/s) and",
        " * forces (N) of the linear actuators; a positive force pushes the pins apart. The first",
        f" * inputs are those of {subject.function}.",
        " *",
        f" * effort: {len(subject.actuated)} numbers, of the joints {subject.efforts}.",
        " * actuator_length, moment_arm, actuator_rate, actuator_force: one number each for the",
        " *     linear actuators:",
        *(f" *     {line}" for line in subject.driven),
        " */",
        f"void {subject.name}_linear_actuators({inputs}",
        "    const double *effort, double *actuator_length, double *moment_arm,",
        "    double *actuator_rate, double *actuator_force)",
        "{",
        "    (void)position;",
        *(["    (void)parameters;"] if subject.parameters else []),
        *(f"    const double {s} = {a}[{i}];" for s, a, i in _inputs(steps, subject)),
        *(f"    const double {symbol} = {printer.doprint(step)};" for symbol, step in steps.shared),
        *(f"    {line};" for line in _actuator_lines(steps, subject, printer)),
    ]
    return "\n".join([*lines, "}", ""])


def _steps(steps: Steps) -> list[Any]:
    """Return the expressions of all steps."""
    return [*(step for _, step in steps.shared), *steps.outputs]


def _has_roots(steps: Sequence[Any]) -> bool:
    """Return whether square roots occur."""
    return any(not power.exp.is_Integer for step in steps for power in step.atoms(Pow))


def _inputs(steps: Steps, subject: Subject) -> Iterator[tuple[str, str, int]]:
    """Yield name, array and index of each used symbol."""
    used = {str(symbol) for step in _steps(steps) for symbol in step.free_symbols}
    values = [each.symbol for each in subject.parameters]
    arrays = ("position", subject.position), ("velocity", subject.velocity), ("parameters", values)
    for array, symbols in arrays:
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
    for name in ("jacobian", "jacobian_rate"):
        for k, value in enumerate(getattr(program, name)):
            yield name, k // n, k % n, printer.doprint(value)


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

    def _print_Mul(self, expr: Any) -> str:  # noqa: N802
        # the base class divides by a power without parentheses, which a product needs
        others: Any = super()
        divisors = [
            factor
            for factor in expr.args
            if factor.is_Pow and factor.exp.is_Integer and -MOST_FACTORS <= factor.exp < -1
        ]
        if not divisors:
            return str(others._print_Mul(expr))
        rest = Mul(*(factor for factor in expr.args if factor not in divisors))
        text = "*".join(f"({_product(self, 1 / factor)})" for factor in divisors)
        printer: Any = self
        return f"{printer.parenthesize(rest, PRECEDENCE['Mul'])}/({text})"

    def _print_Pow(self, expr: Any, **settings: Any) -> str:  # noqa: N802
        others: Any = super()
        return _product(self, expr) or str(others._print_Pow(expr, **settings))


class PythonPrinter(_Numbers, PythonCodePrinter):
    """Expressions as Python."""


class CPrinter(_Numbers, C99CodePrinter):
    """Expressions as C99."""
