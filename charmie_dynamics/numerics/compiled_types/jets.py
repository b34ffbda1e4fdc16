# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Jets: a value and its first two derivatives by time.

They are the derivatives themselves and not the coefficients of Taylor's series: the second is not
halved. Set the rates and accelerations of a kernel's inputs; the results contain their own.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from .differentials import DifferentialType
from .kinds import register
from .widths import JET_WIDTH


class JetType(DifferentialType):
    """A value, its rate and its acceleration; a fourth number fills the register."""

    def __init__(self) -> None:
        super().__init__("jet", JET_WIDTH)

    def product_rule(self, builder: Any, x: Any, y: Any, first: Any) -> Any:
        """Return x_0 y' + y_0 x' + z' and x_0 y'' + 2 x' y' + y_0 x'' + z''."""
        y_0 = self.repeated(builder, self.value(builder, y))
        rates = self._second(builder, builder.fmul(x, y))
        both = self.in_one_instruction(builder, "fmuladd", y_0, x, first)
        return builder.fadd(both, builder.fadd(rates, rates))

    def chain_rule(self, builder: Any, x: Any, df: Any, ddf: Any) -> Any:
        """Return f' x' and f' x'' + f'' x'^2."""
        squares = self._second(builder, builder.fmul(x, x))
        first = builder.fmul(self.repeated(builder, df), x)
        return self.in_one_instruction(
            builder, "fmuladd", self.repeated(builder, ddf), squares, first
        )

    def _second(self, builder: Any, x: Any) -> Any:
        """Return a register with the first derivative of x in place of the second, else zero."""
        order = [JET_WIDTH, JET_WIDTH, 1, JET_WIDTH]
        mask = ir.Constant(ir.VectorType(ir.IntType(32), JET_WIDTH), order)
        return builder.shuffle_vector(x, ir.Constant(self.vector, [0.0] * JET_WIDTH), mask)


jet = JetType()
register(JetType)
