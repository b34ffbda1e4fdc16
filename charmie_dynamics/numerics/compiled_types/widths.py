# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Of how many float64 a number of each kind consists; known without numba as well."""

LANES = 8
DIRECTIONS = 7
DUAL_WIDTH = 1 + DIRECTIONS  # a line of the processor's cache
JET_WIDTH = 4  # value, rate, acceleration; the last number means nothing
