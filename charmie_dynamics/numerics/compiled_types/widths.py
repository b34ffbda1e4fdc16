# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Number of float64 in a number of each kind; does not need numba."""

LANES = 8
DIRECTIONS = 7
DUAL_WIDTH = 1 + DIRECTIONS  # a line of the processor's cache
JET_WIDTH = 4  # value, rate, acceleration; the last number is unused
