# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Equations of motion, in reading order.

- ``structural``: explicit coefficients of each body, from geometry and masses alone.
"""
