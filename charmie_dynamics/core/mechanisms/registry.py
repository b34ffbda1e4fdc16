# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The types of mechanisms: the one place that a new type is entered in.

A name is that of the section in a mechanisms file, and of the type's module in each of three
folders: ``core/mechanisms`` (kernels), ``model/description/mechanisms`` (how it is read) and
``visual/scene/mechanisms`` (how it is drawn). Rows and frames stand in the order of the names.
"""

TYPES = (
    "springs",
    "balance_mechanisms",
    "loop_joints",
    "joint_springs",
)
