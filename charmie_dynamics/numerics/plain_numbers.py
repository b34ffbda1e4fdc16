# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Duals and jets in plain Python, without the compiler.

Their rules are those of `compiled_types.duals` and `compiled_types.jets`; they are slower.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from .compiled_types.widths import DUAL_WIDTH, JET_WIDTH

Floats = npt.NDArray[np.float64]


class PlainNumber(ABC):
    """A value and its derivatives; comparisons use the value only.

    Parameters
    ----------
    parts : (k,) array
        The value first.
    """

    __array_ufunc__ = None  # numbers of NumPy leave it to this class what they are times it
    __hash__ = None  # type: ignore[assignment]
    WIDTH = 0

    def __init__(self, parts: Floats) -> None:
        self.parts = parts

    @classmethod
    def of(cls, number: Any) -> PlainNumber:
        """Return a number of this class, of a plain one with derivatives of zero."""
        if isinstance(number, PlainNumber):
            return number
        parts = np.zeros(cls.WIDTH)
        parts[0] = number
        return cls(parts)

    @abstractmethod
    def derivatives_of_product(self, other: PlainNumber) -> Floats:
        """Return the derivatives of the product of two numbers, in their places."""

    @abstractmethod
    def derivatives_of_function(self, df: float, ddf: float) -> Floats:
        """Return the derivatives of f of this number from f' and f'' at its value."""

    @property
    def value(self) -> float:
        """The value alone."""
        return self.parts[0]  # type: ignore[no-any-return]

    def function(self, f: float, df: float, ddf: float) -> PlainNumber:
        """Return f of this number from f, f' and f'' at its value."""
        parts = self.derivatives_of_function(df, ddf)
        parts[0] = f
        return type(self)(parts)

    def __add__(self, other: Any) -> PlainNumber:
        return type(self)(self.parts + self.of(other).parts)

    def __sub__(self, other: Any) -> PlainNumber:
        return type(self)(self.parts - self.of(other).parts)

    def __rsub__(self, other: Any) -> PlainNumber:
        return type(self)(self.of(other).parts - self.parts)

    def __mul__(self, other: Any) -> PlainNumber:
        factor = self.of(other)
        parts = self.derivatives_of_product(factor)
        parts[0] = self.value * factor.value
        return type(self)(parts)

    def __truediv__(self, other: Any) -> PlainNumber:
        divisor = self.of(other)
        r = 1.0 / divisor.value
        result = self * divisor.function(r, -r * r, 2.0 * r * r * r)
        result.parts[0] = self.value / divisor.value
        return result

    def __rtruediv__(self, other: Any) -> PlainNumber:
        return self.of(other) / self

    def __neg__(self) -> PlainNumber:
        return type(self)(-self.parts)

    def __abs__(self) -> PlainNumber:
        return -self if self.value < 0.0 else self

    def __lt__(self, other: Any) -> bool:
        return bool(self.value < self.of(other).value)

    def __gt__(self, other: Any) -> bool:
        return bool(self.value > self.of(other).value)

    def __eq__(self, other: object) -> bool:
        return bool(self.value == self.of(other).value)

    def __ne__(self, other: object) -> bool:
        return bool(self.value != self.of(other).value)

    __radd__, __rmul__ = __add__, __mul__

    def sqrt(self) -> PlainNumber:
        """Return the square root."""
        f = np.sqrt(self.value)
        return self.function(f, 0.5 / f, -0.25 / (f * self.value))

    def sin(self) -> PlainNumber:
        """Return the sine."""
        f, df = math.sin(self.value), math.cos(self.value)
        return self.function(f, df, -f)

    def cos(self) -> PlainNumber:
        """Return the cosine."""
        f, df = math.cos(self.value), -math.sin(self.value)
        return self.function(f, df, -f)

    def atan2(self, other: Any) -> PlainNumber:
        """Return the angle of the point (other, self)."""
        x, y = self.of(other), self
        # see `compiled_types.differentials`
        along = x.value * x + y.value * y
        across = x.value * y - y.value * x
        across.parts[0] = 0.0
        change = across / along
        change.parts[0] = math.atan2(y.value, x.value)
        return change


class PlainDual(PlainNumber):
    """A value and its derivatives in seven directions."""

    WIDTH = DUAL_WIDTH

    def derivatives_of_product(self, other: PlainNumber) -> Floats:
        """Return x y' + y x'."""
        return self.value * other.parts + other.value * self.parts

    def derivatives_of_function(self, df: float, ddf: float) -> Floats:
        """Return f' x'."""
        return df * self.parts


class PlainJet(PlainNumber):
    """A value, its rate and its acceleration; a fourth number means nothing."""

    WIDTH = JET_WIDTH

    def derivatives_of_product(self, other: PlainNumber) -> Floats:
        """Return x y' + y x' and x y'' + 2 x' y' + y x''."""
        parts = self.value * other.parts + other.value * self.parts
        parts[2] += 2.0 * self.parts[1] * other.parts[1]
        return parts

    def derivatives_of_function(self, df: float, ddf: float) -> Floats:
        """Return f' x' and f' x'' + f'' x'^2."""
        parts = df * self.parts
        parts[2] += ddf * self.parts[1] * self.parts[1]
        return parts


class NumberArray:
    """An array of such numbers in the memory of an array of float64, for kernels.

    Parameters
    ----------
    parts : (..., k) array
        Each row along the last axis is a number.
    kind : type
        `PlainDual` or `PlainJet`.
    """

    def __init__(self, parts: Floats, kind: type[PlainNumber]) -> None:
        self.parts = parts
        self.kind = kind

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the number of elements along each axis."""
        return self.parts.shape[:-1]

    def reshape(self, *shape: int) -> NumberArray:
        """Return the same numbers along other axes."""
        return NumberArray(self.parts.reshape(*shape, self.kind.WIDTH), self.kind)

    def _place(self, index: Any) -> tuple[Any, ...]:
        return (*(index if isinstance(index, tuple) else (index,)), slice(None))

    def __getitem__(self, index: Any) -> Any:
        part = self.parts[self._place(index)]
        # a copy, so that later writes to the array do not change the number
        return self.kind(part.copy()) if part.ndim == 1 else NumberArray(part, self.kind)

    def __setitem__(self, index: Any, number: Any) -> None:
        self.parts[self._place(index)] = self.kind.of(number).parts
