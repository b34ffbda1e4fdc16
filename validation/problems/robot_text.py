# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""URDF and mechanisms files of mechanisms, in a few words.

Links have their origins at the joints that carry them, and all axes are those of the world where
the joints stand at zero, unless a joint is turned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from charmie_dynamics.numerics.vectors import Floats

Vector = Sequence[float] | Floats
BASE = "base"
ORIGIN = (0.0, 0.0, 0.0)
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def link(name: str, mass: float, centre: Vector, inertia: Vector) -> str:
    """Return a link: mass (kg), centre of mass (m), moments about it, xx yy zz (kg m^2)."""
    xx, yy, zz = map(repr, map(float, inertia))
    return (
        f'<link name="{name}"><inertial><origin xyz="{_numbers(centre)}"/><mass value="{mass!r}"/>'
        f'<inertia ixx="{xx}" ixy="0" ixz="0" iyy="{yy}" iyz="0" izz="{zz}"/></inertial></link>'
    )


def rod(name: str, mass: float, tip: Vector, width: float = 0.0) -> str:
    """Return a uniform rod from the origin to a point on one of its axes, of square section (m)."""
    squares = [x * x for x in tip]
    slender, thick = mass / 12.0, mass * width**2 / 12.0
    inertia = [
        slender * (sum(squares) - along) + (2.0 if along else 1.0) * thick for along in squares
    ]
    return link(name, mass, [0.5 * x for x in tip], inertia)


def joint(
    name: str,
    kind: str,
    parent: str,
    child: str,
    at: Vector = ORIGIN,
    axis: Vector = Z,
    turned: Vector = ORIGIN,
) -> str:
    """Return a joint: its place in the parent (m), its axis, roll pitch yaw of the child."""
    limit = '<limit lower="-100" upper="100" effort="1e6" velocity="1e6"/>'
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{_numbers(at)}" rpy="{_numbers(turned)}"/><axis xyz="{_numbers(axis)}"/>'
        f"{limit if kind == 'prismatic' else ''}</joint>"
    )


def robot(name: str, *parts: str) -> str:
    """Return the URDF of a robot that stands on `BASE`."""
    return "\n".join([f'<robot name="{name}">', f'<link name="{BASE}"/>', *parts, "</robot>", ""])


def revolute_loop(
    first: str, first_point: Vector, second: str, second_point: Vector, axis: Vector = Z
) -> dict[str, Any]:
    """Return a loop joint that is a hinge; its axis in the axes of the first body."""
    return {
        "type": "revolute",
        "first_body": first,
        "first_point": _list(first_point),
        "second_body": second,
        "second_point": _list(second_point),
        "axis": _list(axis),
    }


def mechanisms(
    name: str,
    gravity: Vector,
    *,
    loop_joints: Mapping[str, Mapping[str, Any]] | None = None,
    passive_joints: Sequence[str] = (),
    springs: Mapping[str, Mapping[str, Any]] | None = None,
) -> str:
    """Return the text of a mechanisms file."""
    content: dict[str, Any] = {"robot": name, "gravity": _list(gravity)}
    if loop_joints:
        content["loop_joints"] = {key: dict(value) for key, value in loop_joints.items()}
    if passive_joints:
        content["passive_joints"] = list(passive_joints)
    if springs:
        content["springs"] = {key: dict(value) for key, value in springs.items()}
    return yaml.safe_dump(content, sort_keys=False)


def _list(vector: Vector) -> list[float]:
    return [float(x) for x in vector]


def _numbers(vector: Vector) -> str:
    return " ".join(map(repr, _list(vector)))
