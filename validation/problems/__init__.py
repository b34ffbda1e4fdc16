# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Problems of multibody dynamics with known answers, as robots of this package.

In reading order: `robot_text` (URDF and mechanisms in a few words), `problem`; then one module a
problem, each with a function ``problem`` that takes what may be varied: `pendulum` (A01 of the
library of benchmark problems of IFToMM), `four_bars` (A02), `squeezer` (A03), `bricard` (A04),
`governor` (A05), `slider_crank`, `four_bar`, `free_box`, `chain`, `cart_pole`. `looped_robots` has
the mechanisms of the loop benchmark.
"""
