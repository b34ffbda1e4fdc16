# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Equations of motion of a model, in reading order.

- ``shares``: what each body adds to them.
"""
