# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The equations of motion as symbols: matrices, operations, code, a compiled function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from charmie_dynamics.errors import InputError, UnknownNameError, UnsupportedError, choices

if TYPE_CHECKING:
    from .compilation import EquationsFunction
    from .program import Operations, Program
    from .subject import Subject

LANGUAGES = ("python", "c")


class Symbols(NamedTuple):
    """The symbols of the coordinates and parameters, SymPy's.

    Examples
    --------
    >>> from charmie_dynamics.symbolic import derive
    >>> derive("scara", "christoffel").symbols.position
    (q1, q2, q3, q4, q5)
    """

    position: tuple[Any, ...]
    velocity: tuple[Any, ...]
    parameters: tuple[Any, ...] = ()


class ReducedEquations(NamedTuple):
    """The equations of a robot with loop joints in the k coordinates of its actuators alone.

    effort = mass_matrix u' + coriolis_matrix u + gravity. All velocities are ratio u.

    Attributes
    ----------
    mass_matrix, coriolis_matrix : (k, k) sympy.Matrix
        Functions of all positions and velocities.
    gravity : (k, 1) sympy.Matrix
    ratio : (v, k) sympy.Matrix
    """

    mass_matrix: Any
    coriolis_matrix: Any
    gravity: Any
    ratio: Any


class SymbolicLinearActuators(NamedTuple):
    """Linear actuators as functions of the positions and velocities of the joints.

    Attributes
    ----------
    length : (b, 1) sympy.Matrix
        Distance of the pins (m).
    moment_arm : (b, 1) sympy.Matrix
        dL/dq for the joint that each moves (m, or 1 for a prismatic joint).
    rate : (b, 1) sympy.Matrix
        Rate of the length (m/s).
    force_ratio : (b, 1) sympy.Matrix
        Force for a unit of the joint's effort: the actuator's share / moment_arm.
    """

    length: Any
    moment_arm: Any
    rate: Any
    force_ratio: Any


class SymbolicEquations:
    """effort = mass_matrix acceleration + coriolis_matrix velocity + gravity, as symbols.

    In the coordinates of the independent joints. With loop joints the effort includes jacobian^T
    multipliers, and jacobian acceleration + jacobian_rate velocity = 0. `derive` creates it.

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
    parameters : dict of str to float
        The parameters that are symbols, in the order of the arguments of code, and their values in
        the files.
    constraint_names : tuple of str
        The loop joint of each row of the Jacobian.
    linear_actuator_names : tuple of str
        The rows of `linear_actuators`.

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
        self.parameters = {each.name: each.value for each in subject.parameters}
        self.constraint_names = tuple(subject.rows)
        self.linear_actuator_names = tuple(each.name for each in subject.linear_actuators)
        self.symbols = Symbols(
            tuple(subject.position),
            tuple(subject.velocity),
            tuple(each.symbol for each in subject.parameters),
        )

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
        """The efforts at rest (v, 1), against gravity and springs, SymPy's."""
        return self._program.whole.gravity

    @property
    def jacobian(self) -> Any:
        """The Jacobian (r, v) of the loop joints, SymPy's; the rows are those of the model."""
        return self._program.whole_loops.jacobian

    @property
    def jacobian_rate(self) -> Any:
        """The time derivative (r, v) of the Jacobian, SymPy's."""
        return self._program.whole_loops.jacobian_rate

    @property
    def linear_actuators(self) -> SymbolicLinearActuators:
        """Lengths, moment arms, rates and force ratios of the linear actuators, SymPy's.

        An actuator pushes its pins apart with force_ratio times the effort of its joint.

        Raises
        ------
        UnsupportedError
            For a robot without linear actuators.
        """
        rows, steps = self._subject.linear_actuators, self._program.actuators
        if not rows:
            raise UnsupportedError(
                f"robot '{self._subject.robot}': expected linear actuators, got none"
            )
        length, arm = (steps.whole_list(part) for part in steps.reduced)
        v = self._subject.velocity
        rate = [each * v[row.coordinate] for each, row in zip(arm, rows, strict=True)]
        ratio = [row.share / each for each, row in zip(arm, rows, strict=True)]
        column = type(self.gravity)
        return SymbolicLinearActuators(*map(column, (length, arm, rate, ratio)))

    def reduced(self, rows: Sequence[int] | None = None) -> ReducedEquations:
        """Return the equations of a robot with loop joints in the coordinates of the actuators.

        The velocities of the other coordinates follow from as many independent rows of the
        Jacobian. The positions of all coordinates remain symbols.

        Parameters
        ----------
        rows : sequence of int, optional
            These rows. Default: all rows that are not zero.

        Raises
        ------
        InputError
            If the number of rows differs from that of the coordinates without actuator, or the
            Jacobian has no inverse for these.

        Examples
        --------
        >>> from charmie_dynamics.model.description.files import share_file
        >>> from charmie_dynamics.symbolic import derive
        >>> files = share_file("robots", "four_bar.urdf"), share_file("robots", "four_bar.yaml")
        >>> equations = derive(files[0], "structural", mechanisms=files[1])
        >>> equations.reduced().mass_matrix.shape
        (1, 1)
        """
        subject = self._subject
        own, driven = subject.passive, list(subject.actuated)
        D = self.jacobian
        if rows is None:
            rows = [r for r in range(D.rows) if not D.row(r).is_zero_matrix]
        by_own = D.extract(list(rows), own)
        if not own or len(rows) != len(own) or by_own.det(method="berkowitz") == 0:
            raise InputError(
                f"robot '{subject.robot}': expected {len(own)} independent rows of the Jacobian, "
                f"the number of coordinates without actuator, got {len(rows)} ({list(rows)}); "
                "choose them by rows"
            )
        M, C = self.mass_matrix, self.coriolis_matrix
        adjugate, scale = by_own.adjugate(), by_own.det(method="berkowitz")
        of_own = -adjugate * D.extract(list(rows), driven) / scale
        # by_own G' = -(by_driven' + by_own' G)
        rate = self.jacobian_rate.extract(list(rows), list(range(D.cols)))
        G, G_rate = (M.zeros(M.rows, len(driven)).as_mutable() for _ in range(2))
        for k, c in enumerate(driven):
            G[c, k] = 1
        for k, c in enumerate(own):
            G[c, :] = of_own.row(k)
        of_rate = -adjugate * (rate * G) / scale
        for k, c in enumerate(own):
            G_rate[c, :] = of_rate.row(k)
        return ReducedEquations(
            G.T * M * G, G.T * (C * G + M * G_rate), G.T * self.gravity, G.as_immutable()
        )

    @property
    def operations(self) -> Operations:
        """Counts of operations of one evaluation, after common subexpressions."""
        return self._program.operations

    def function(self) -> EquationsFunction:
        """Return the equations as a function of position, velocity and parameters.

        The function returns `EquationArrays`: ``mass_matrix``, ``coriolis_matrix`` and ``gravity``;
        of a robot with loop joints `LoopEquationArrays`, followed by ``jacobian`` and
        ``jacobian_rate``. Of such a robot it has methods for forward and inverse dynamics, of
        one with linear actuators the method `linear_actuators`. Compiled by numba if it is
        installed, with a duration that grows with the number of operations; otherwise plain Python.

        Examples
        --------
        >>> from charmie_dynamics.symbolic import derive
        >>> function = derive("scara", "christoffel").function()
        >>> mass_matrix, coriolis_matrix, gravity = function([0.1, 0.2, 0.3, 0.4, 0.5])
        >>> print(mass_matrix[0, 0].round(6))
        16.6
        """
        from .compilation import EquationsFunction

        return EquationsFunction(self.code("python"), self._subject)

    def code(self, language: str) -> str:
        """Return the equations as source text: a complete file with documented functions.

        ``NAME_equations`` computes the terms. For a robot with loop joints ``NAME_accelerations``
        and ``NAME_efforts`` solve forward and inverse dynamics. For a robot with linear actuators
        ``NAME_linear_actuators`` computes their lengths, moment arms, rates and forces.

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
