# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Types that exist in compiled code only; all modules but `widths` need numba.

In reading order:

- ``inlined``: functions that the compiler expands at the call.
- ``views``: the arrays of a record in compiled code.
- ``widths``: number of float64 in a number of each kind.
- ``kinds``: types that can replace a float64 in a kernel, and their operators.
- ``lanes``: several numbers, so that a kernel computes several samples at once.
- ``differentials``: common base of duals and jets.
- ``duals``: a number and its derivatives in several directions.
- ``jets``: a number and its first two derivatives by time.
"""
