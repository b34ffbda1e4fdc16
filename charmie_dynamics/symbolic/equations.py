# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The equations of motion as symbols: matrices, operations, code, a compiled function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from charmie_dynamics.errors import UnknownNameError, choices

if TYPE_CHECKING:
    from .code import Subject
    from .compilation import EquationsFunction
    from .program import Operations, Program

LANGUAGES = ("python", "c")


class Symbols(NamedTuple):
    """The symbols of the coordinates, SymPy's.

    Examples
    --------
    >>> from charmie_dynamics.symbolic import derive
    >>> derive("scara", "christoffel").symbols.position
    (q1, q2, q3, q4, q5)
    """

    position: tuple[Any, ...]
    velocity: tuple[Any, ...]


class SymbolicEquations:
    """effort = mass_matrix acceleration + coriolis_matrix velocity + gravity, as symbols.

    For the open tree, in the coordinates of its independent joints. `derive` creates it.

    Parameters
    ----------
    program : Program
        The expressions.
    subject : Subject
        The subject of the code.
    engine : str
        Name of the engine.

    Attributes
    ----------
    method, engine : str
        Method and engine of the derivation.
    joint_names : tuple of str
        The coordinates, in their order.
    symbols : Symbols

    Examples
    --------
    >>> from charmie_dynamics.symbolic import derive
    >>> equations = derive("scara", "christoffel")
    >>> print(f"{equations.mass_matrix[0, 0]:.1f} kg")  # all that the first joint lifts
    16.6 kg
    """

    def __init__(self, program: Program, subject: Subject, engine: str) -> None:
        self._program = program
        self._subject = subject
        self.method = subject.method
        self.engine = engine
        self.joint_names = tuple(subject.joints)
        self.symbols = Symbols(tuple(subject.position), tuple(subject.velocity))

    @property
    def mass_matrix(self) -> Any:
        """The mass matrix (v, v), SymPy's."""
        return self._program.whole.mass_matrix

    @property
    def coriolis_matrix(self) -> Any:
        """The Coriolis matrix (v, v), SymPy's: without joint dampers, d/dt M - 2 C is skew."""
        return self._program.whole.coriolis_matrix

    @property
    def gravity(self) -> Any:
        """The efforts at rest (v, 1), against gravity and joint springs, SymPy's."""
        return self._program.whole.gravity

    @property
    def operations(self) -> Operations:
        """Counts of operations of one evaluation, after common subexpressions."""
        return self._program.operations

    def function(self) -> EquationsFunction:
        """Return the equations as a function of position and velocity.

        Compiled by numba if it is installed, with a duration that grows with the number of
        operations; otherwise plain Python.

        Examples
        --------
        >>> from charmie_dynamics.symbolic import derive
        >>> function = derive("scara", "christoffel").function()
        >>> mass_matrix, coriolis_matrix, gravity = function([0.1, 0.2, 0.3, 0.4, 0.5])
        >>> print(mass_matrix[0, 0].round(6))
        16.6
        """
        from .compilation import EquationsFunction

        return EquationsFunction(self.code("python"), self._subject.function, self.joint_names)

    def code(self, language: str) -> str:
        """Return the equations as source text: a complete file with one documented function.

        Parameters
        ----------
        language : str
            "python": a module that needs numpy; numba can compile its function. "c": C99.

        Raises
        ------
        UnknownNameError
            For an unknown language.

        Examples
        --------
        >>> from charmie_dynamics.symbolic import derive
        >>> equations = derive("scara", "christoffel")
        >>> "def scara_equations(position, velocity):" in equations.code("python")
        True
        >>> "void scara_equations(const double *position" in equations.code("c")
        True
        """
        if language not in LANGUAGES:
            end = choices(language, LANGUAGES)
            raise UnknownNameError(f"language '{language}' is unknown{end}")
        from .code import c_code, python_code

        write = python_code if language == "python" else c_code
        return write(self._program, self._subject)
