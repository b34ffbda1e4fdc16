# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Integration of the equations of motion in fixed steps, compiled. In reading order.

==================== ===============================================================================
module               what
==================== ===============================================================================
``step_arrays``      workspace of the methods, and the laws of each coordinate
``joint_loads``      efforts within their limits, stops
``rosenbrock``       the linearly implicit method
``stepping``         all methods, stage by stage
``plants``           the same for many plants
==================== ===============================================================================
"""
