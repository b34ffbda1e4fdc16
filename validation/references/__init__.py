# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Answers of the problems by Lagrange's equations of the second kind, without this package.

In reading order: `lagrange` (a few coordinates as symbols, closed loops as constraints among
them), then the problems, `planar`, `bricard`, `governor`, `chain`; `solutions` lists them all.
``python -m validation.references`` writes ``test/reference/problems.json`` anew. `loops` has the
references of the loop benchmark: multipliers in extended precision.
"""
