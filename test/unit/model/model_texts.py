# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Texts of model files: URDFs made of parts, and files with a few words changed."""

from __future__ import annotations

MASS = '<inertial><mass value="{}"/></inertial>'
NO_INERTIA = '<inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/>'


def robot(inside: str) -> str:
    return f'<robot name="r">{inside}</robot>'


def chain(count: int, joint: str = "", inertial: str = "") -> str:
    parts = ['<link name="stand"/>']
    for i in range(count):
        parent = f"link_{i - 1}" if i else "stand"
        parts.append(
            f'<link name="link_{i}">{inertial}</link>\n'
            f'<joint name="hinge_{i}" type="continuous"><parent link="{parent}"/>'
            f'<child link="link_{i}"/>{joint.format(before=i - 1) if i else ""}</joint>\n'
        )
    return robot("".join(parts))


def changed(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new, 1)
