# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Laws of contact: a function and its parameters.

Kernels call the function by its address. So compiled code treats laws of users and of the package
in the same way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from charmie_dynamics.errors import InputError
from charmie_dynamics.numerics.addresses import Address, address_of
from charmie_dynamics.numerics.jit import compiled_at_once, plain
from charmie_dynamics.numerics.vectors import Floats, Vector

from .friction import FRICTION_ARGUMENTS, FrictionLoad
from .normal import NORMAL_ARGUMENTS

NormalFunction = Callable[[Floats, float, float, float], float]
FrictionFunction = Callable[[Floats, float, Vector, Vector], FrictionLoad]


@dataclass(frozen=True)
class LawParameter:
    """A parameter of a law: its meaning and its range.

    Parameters
    ----------
    name, meaning : str
        Key in a world file; meaning, with the unit.
    least, most : float
        Limits, both allowed, unless `above`.
    above : bool
        Whether `least` itself is not allowed.
    default : float or str, optional
        Default value, or the name of the parameter whose value is the default.

    Examples
    --------
    >>> from charmie_dynamics.core.contact.law_types import LawParameter
    >>> LawParameter("yield_force", "force at which it yields (N)", above=True).expected
    'above 0'
    """

    name: str
    meaning: str
    least: float = 0.0
    most: float = math.inf
    above: bool = False
    default: float | str | None = None

    def takes(self, value: float) -> bool:
        """Return whether a value is within the range.

        Examples
        --------
        >>> from charmie_dynamics.core.contact.law_types import LawParameter
        >>> LawParameter("share", "of the load", most=1.0).takes(1.5)
        False
        """
        return self.least <= value <= self.most and not (self.above and value == self.least)

    @property
    def expected(self) -> str:
        """Return the range in words.

        Examples
        --------
        >>> from charmie_dynamics.core.contact.law_types import LawParameter
        >>> LawParameter("share", "of the load", most=1.0).expected
        '0 to 1'
        """
        if math.isinf(self.most):
            return f"above {self.least:g}" if self.above else f"at least {self.least:g}"
        return f"{'above ' if self.above else ''}{self.least:g} to {self.most:g}"


@dataclass(frozen=True)
class NormalLaw:
    """A law of the normal force.

    Parameters
    ----------
    force : callable
        From parameters (n,), indentation x (m), its rate (m/s, positive while the bodies approach)
        and the rate at touch (m/s) to the force (N), at least zero, and zero for x <= 0.
        A function of plain Python, which is compiled automatically, or a kernel of the package. The
        force at the rate zero is elastic, and its work is the stored energy.
    parameters : sequence of LawParameter
        In the order of the array.
    restitution : callable, optional
        From the array, speed (m/s) and mass (kg) to the resulting restitution; None: not known in
        closed form.
    factor : callable, optional
        From the parameter "restitution" to the number that the array contains in its place.

    Examples
    --------
    Register a law of a user with one line; world files can name it afterwards:

    >>> from charmie_dynamics.core.contact.law_types import LawParameter, NormalLaw
    >>> from charmie_dynamics.core.contact.registry import NORMAL_LAWS
    >>> def foam(parameters, indentation, rate, touch_rate):
    ...     k, hard = parameters[0], parameters[1]
    ...     return k * indentation / (1.0 - indentation / hard) if indentation > 0.0 else 0.0
    >>> keys = LawParameter("stiffness", "at touch (N/m)"), LawParameter("hard", "limit (m)")
    >>> NORMAL_LAWS["foam"] = NormalLaw(foam, keys)
    >>> NORMAL_LAWS["foam"].numbers({"stiffness": 1000.0, "hard": 0.02})
    array([1.e+03, 2.e-02])
    >>> del NORMAL_LAWS["foam"]
    """

    force: NormalFunction
    parameters: tuple[LawParameter, ...]
    restitution: Callable[[Floats, float, float], float] | None = None
    factor: Callable[[float], float] | None = None

    @property
    def address(self) -> Address:
        """Where its code is, for `evaluation`.

        Raises
        ------
        InputError
            Where it cannot be compiled, or does not return one number.

        Examples
        --------
        >>> from charmie_dynamics.core.contact.evaluation import normal_force
        >>> from charmie_dynamics.core.contact.law_types import NormalLaw
        >>> def plate(parameters, indentation, rate, touch_rate):
        ...     return 5.0 if indentation > 0.0 else 0.0
        >>> law = NormalLaw(plate, ())
        >>> normal_force(law.address, law.numbers({}), 0.001, 0.0, 1.0)  # N, and W lost
        (5.0, 0.0)
        """
        return _address(self.force, NORMAL_ARGUMENTS, _with_number)

    def numbers(self, values: Mapping[str, float]) -> Floats:
        """Return the array that its function reads.

        Raises
        ------
        InputError
            For a parameter that is missing.

        Examples
        --------
        >>> from charmie_dynamics.core.contact.registry import NORMAL_LAWS
        >>> values = {"stiffness": 1e5, "restitution": 0.6}
        >>> [float(x) for x in NORMAL_LAWS["hunt_crossley"].numbers(values).round(12)]
        [100000.0, 1.5, 0.6, 0.01]
        """
        found = _numbers(self.parameters, values)
        if self.factor is not None:
            names = [parameter.name for parameter in self.parameters]
            k = names.index("restitution")
            found[k] = self.factor(float(found[k]))
        return found


@dataclass(frozen=True)
class FrictionLaw:
    """A law of the friction force.

    Parameters
    ----------
    force : callable
        From parameters (n,), normal force (N), tangential velocity (m/s) and internal displacement
        (m), both vectors of three numbers, to the force (N), the rate of the displacement (m/s) and
        the energy stored in it (J). In plain Python, or a kernel of the package.
    parameters : sequence of LawParameter
        In the order of the array.
    ordered : sequence of (str, str)
        Parameters of which the first must not be larger than the second.
    is_elastic : bool
        Whether the internal displacement is used.

    Examples
    --------
    >>> from charmie_dynamics.core.contact.law_types import FrictionLaw, LawParameter
    >>> def grease(parameters, normal_force, velocity, displacement):
    ...     d = -parameters[0]
    ...     force = d * velocity[0], d * velocity[1], d * velocity[2]
    ...     return force, (0.0, 0.0, 0.0), 0.0
    >>> law = FrictionLaw(grease, (LawParameter("viscous", "force for each m/s (N s/m)"),))
    >>> law.numbers({"viscous": 3.0})
    array([3.])
    """

    force: FrictionFunction
    parameters: tuple[LawParameter, ...]
    ordered: tuple[tuple[str, str], ...] = ()
    is_elastic: bool = False

    @property
    def address(self) -> Address:
        """Where its code is, for `evaluation`.

        Raises
        ------
        InputError
            Where it cannot be compiled, or does not return two vectors and a number.

        Examples
        --------
        >>> from charmie_dynamics.core.contact.evaluation import friction_force
        >>> from charmie_dynamics.core.contact.registry import FRICTION_LAWS
        >>> law = FRICTION_LAWS["coulomb"]
        >>> numbers, at_rest = law.numbers({"kinetic": 0.5}), (0.0, 0.0, 0.0)
        >>> friction_force(law.address, numbers, 20.0, (0.0, 0.1, 0.0), at_rest)[0][1]  # N
        -10.0
        """
        return _address(self.force, FRICTION_ARGUMENTS, _with_vectors)

    def numbers(self, values: Mapping[str, float]) -> Floats:
        """Return the array that its function reads.

        Raises
        ------
        InputError
            For a parameter that is missing.

        Examples
        --------
        >>> from charmie_dynamics.core.contact.registry import FRICTION_LAWS
        >>> [float(x) for x in FRICTION_LAWS["bengisu_akay"].numbers({"kinetic": 0.4})]
        [0.4, 0.4, 0.01, 100.0]
        """
        return _numbers(self.parameters, values)

    def coefficient(self, values: Mapping[str, float]) -> float:
        """Return the largest friction that the parameters allow, by the normal force.

        The parameter "static", else "kinetic"; nan for a law that has neither.

        Examples
        --------
        >>> from charmie_dynamics.core.contact.registry import FRICTION_LAWS
        >>> FRICTION_LAWS["bengisu_akay"].coefficient({"kinetic": 0.4, "static": 0.5})
        0.5
        >>> FRICTION_LAWS["none"].coefficient({})
        nan
        """
        names = [parameter.name for parameter in self.parameters]
        for name in ("static", "kinetic"):
            if name in names:
                return float(self.numbers(values)[names.index(name)])
        return math.nan


def _numbers(parameters: tuple[LawParameter, ...], values: Mapping[str, float]) -> Floats:
    found = np.empty(len(parameters))
    for k, parameter in enumerate(parameters):
        value: float | str | None = values.get(parameter.name, parameter.default)
        if isinstance(value, str):
            value = values.get(value)
        if value is None:
            raise InputError(f"parameter '{parameter.name}': missing: {parameter.meaning}")
        found[k] = value
    return found


# laws of users, compiled; references are kept because kernels use their addresses
_made: dict[Callable[..., Any], Callable[..., Any]] = {}


def _address(
    function: Callable[..., Any],
    arguments: tuple[str, ...],
    with_types: Callable[[Any], Callable[..., Any]],
) -> Address:
    if getattr(function, "argument_types", None) == arguments:
        return address_of(function)
    if function not in _made:
        try:
            inner = compiled_at_once(plain(function), *arguments)
            _made[function] = compiled_at_once(with_types(inner), *arguments)
        except Exception as error:  # numba raises many types
            name = getattr(function, "__name__", str(function))
            raise InputError(f"law '{name}' cannot be compiled: {error}") from error
    return address_of(_made[function])


# convert the results of a user's function to the types of the machine
def _with_number(law: Any) -> Callable[..., Any]:
    def call(parameters: Any, indentation: Any, rate: Any, touch_rate: Any) -> Any:
        return float(law(parameters, indentation, rate, touch_rate))

    return call


def _with_vectors(law: Any) -> Callable[..., Any]:
    def call(parameters: Any, normal_force: Any, velocity: Any, displacement: Any) -> Any:
        f, r, stored = law(parameters, normal_force, velocity, displacement)
        force = float(f[0]), float(f[1]), float(f[2])
        return force, (float(r[0]), float(r[1]), float(r[2])), float(stored)

    return call
