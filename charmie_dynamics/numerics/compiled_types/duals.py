# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Dual numbers: a value and its derivatives in several directions at once.

Set the derivatives of a kernel's inputs along each direction, one element of the register for each
direction. The results contain the derivatives along these directions.
"""

from __future__ import annotations

from typing import Any

from .differentials import DifferentialType
from .kinds import register
from .widths import DUAL_WIDTH


class DualType(DifferentialType):
    """A value, then its derivatives, see `widths`."""

    def __init__(self) -> None:
        super().__init__("dual", DUAL_WIDTH)

    def product_rule(self, builder: Any, x: Any, y: Any, first: Any) -> Any:
        """Return x_0 y' + z' + y_0 x'."""
        y_0 = self.repeated(builder, self.value(builder, y))
        return self.in_one_instruction(builder, "fmuladd", y_0, x, first)

    def chain_rule(self, builder: Any, x: Any, df: Any, ddf: Any) -> Any:
        """Return f' x'."""
        return builder.fmul(self.repeated(builder, df), x)


dual = DualType()
register(DualType)
