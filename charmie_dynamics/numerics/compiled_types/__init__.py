# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Types that compiled code alone knows; all but `widths` need numba.

In reading order:

- ``builtins``: functions that the compiler writes out where they are called.
- ``views``: the arrays of a record in compiled code.
- ``widths``: of how many float64 a number of each kind consists.
- ``kinds``: what may stand in place of a number in a kernel, and the operators of all such kinds.
- ``lanes``: several numbers, so that a kernel computes several samples at once.
- ``differentials``: what is common to numbers that carry derivatives.
- ``duals``: a number and its derivatives in several directions.
- ``jets``: a number and its first two derivatives by time.
"""
