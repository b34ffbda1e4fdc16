# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Derivatives that kernels propagate: duals and jets from arrays, their values and derivatives.

A kernel that is written for one number also runs on duals and jets: numbers of several float64,
the first of which is the value. In memory such numbers are the rows of an array. Pass it to a
kernel by `as_duals` or `as_jets`, or to `blocks.lay_out` for all arrays of a record. Other
arguments of the kernel may be plain numbers: their derivatives are zero.

A dual is a value and its derivatives along seven directions, both of inputs and of results. A jet
is a value, its rate and its acceleration (the second derivative itself, not halved as in Taylor's
series).
"""

from __future__ import annotations

from typing import Any

from .compiled_types.widths import DUAL_WIDTH, JET_WIDTH
from .jit import HAS_NUMBA
from .plain_numbers import NumberArray, PlainDual, PlainJet, PlainNumber


def as_duals(numbers: Any) -> Any:
    """Return a (k, 8) or (8 k,) array of numbers as a (k,) array of duals, for kernels.

    The array may be given by its address; then the result has no extent.
    """
    return NumberArray(numbers.reshape(-1, DUAL_WIDTH), PlainDual)


def as_jets(numbers: Any) -> Any:
    """Return a (k, JET_WIDTH) or flat array of numbers as a (k,) array of jets, for kernels."""
    return NumberArray(numbers.reshape(-1, JET_WIDTH), PlainJet)


def value_of(x: Any) -> Any:
    """Return a number without its derivatives."""
    return x.value if isinstance(x, PlainNumber) else x


def derivative_of(x: Any, k: int) -> float:
    """Return the derivative of a dual along direction `k`, or the `k`-th time derivative of a jet.

    Parameters
    ----------
    x : dual or jet
    k : int
        From 1 on.
    """
    return float(x.parts[k])


def by_chain_rule(x: Any, f: Any, df: Any, ddf: Any) -> Any:
    """Return f(x) with its derivatives by the chain rule.

    Parameters
    ----------
    x : number of any kind
    f, df, ddf : number
        f, f' and f'' at ``value_of(x)``.
    """
    return x.function(f, df, ddf) if isinstance(x, PlainNumber) else f


if HAS_NUMBA:
    from numba import types

    from .compiled_types.differentials import DifferentialType
    from .compiled_types.duals import dual
    from .compiled_types.inlined import define_inlined
    from .compiled_types.jets import jet
    from .compiled_types.kinds import as_numbers, kind_for

    def _type_value(x: Any) -> Any:
        kind = kind_for(x)
        if isinstance(kind, DifferentialType):
            return types.float64, (kind,)
        return kind and (kind, (kind,))

    def _value(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        (kind,) = sig.args
        if not isinstance(kind, DifferentialType):
            return arguments[0]
        return kind.value(builder, *arguments)

    def _type_derivative(x: Any, k: Any) -> Any:
        is_defined = isinstance(x, DifferentialType) and isinstance(k, types.Integer)
        return (types.float64, (x, types.intp)) if is_defined else None

    def _derivative(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        return builder.extract_element(*arguments)

    def _type_function(x: Any, f: Any, df: Any, ddf: Any) -> Any:
        kind = kind_for(x)
        if isinstance(kind, DifferentialType):
            return kind, (kind, *[types.float64] * 3)
        kind = kind_for(x, f, df, ddf)
        return kind and (kind, (kind,) * 4)

    def _function(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        kind = sig.args[0]
        if not isinstance(kind, DifferentialType):
            return arguments[1]
        return kind.function(builder, *arguments)

    define_inlined(as_duals, (types.Any,), *as_numbers(dual))
    define_inlined(as_jets, (types.Array,), *as_numbers(jet))
    define_inlined(value_of, (types.Any,), _type_value, _value)
    define_inlined(derivative_of, (types.Any, types.Integer), _type_derivative, _derivative)
    define_inlined(by_chain_rule, (types.Any,) * 4, _type_function, _function)
