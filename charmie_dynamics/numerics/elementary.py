# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Elementary functions of all kinds of numbers, for kernels.

Compiled, they are those of `math`. In plain Python `math` would convert a number with derivatives
to a float.
"""

from __future__ import annotations

import math
from typing import Any

from .jit import HAS_NUMBA
from .plain_numbers import PlainNumber


def sqrt(x: Any) -> float:
    """Return the square root."""
    return x.sqrt() if isinstance(x, PlainNumber) else math.sqrt(x)  # type: ignore[return-value]


def sin(x: Any) -> float:
    """Return the sine."""
    return x.sin() if isinstance(x, PlainNumber) else math.sin(x)  # type: ignore[return-value]


def cos(x: Any) -> float:
    """Return the cosine."""
    return x.cos() if isinstance(x, PlainNumber) else math.cos(x)  # type: ignore[return-value]


def atan2(y: Any, x: Any) -> float:
    """Return the angle of the point (x, y), in (-pi, pi]."""
    if isinstance(y, PlainNumber):
        return y.atan2(x)  # type: ignore[return-value]
    return type(x).of(y).atan2(x) if isinstance(x, PlainNumber) else math.atan2(y, x)  # type: ignore[return-value]


if HAS_NUMBA:
    from numba import types

    from .compiled_types.inlined import define_inlined
    from .compiled_types.kinds import kind_for

    def _define(function: Any, count: int, meant: Any) -> None:
        def typing(*arguments: Any) -> Any:
            kind = kind_for(*arguments)
            return kind and (kind, (kind,) * count)

        def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
            return context.get_function(meant, sig)(builder, arguments)

        define_inlined(function, (types.Any,) * count, typing, generate)

    _define(sqrt, 1, math.sqrt)
    _define(sin, 1, math.sin)
    _define(cos, 1, math.cos)
    _define(atan2, 2, math.atan2)
