# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The types of mechanisms. To add a type, add its name here.

A name equals that of the section in a mechanisms file, and of the type's module in each of three
folders: ``core/mechanisms`` (kernels), ``model/description/mechanisms`` (reader) and
``visual/scene/mechanisms`` (drawing). Rows and frames have the order of the names.
"""

TYPES = (
    "springs",
    "balance_mechanisms",
    "loop_joints",
    "joint_springs",
)
