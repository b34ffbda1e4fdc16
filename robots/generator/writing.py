# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Write links and joints as URDF; a comment states the source of each number."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from .solids import ORIGIN, Solid, Vector, together

HEAD = """\
<?xml version="1.0"?>
<!-- SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
     SPDX-License-Identifier: Apache-2.0 -->
"""
SIXTH = math.pi / 3.0
DIGITS = 15  # significant digits; values below 1e-15 are round-off
ESTIMATED = "estimated"


class Limits(NamedTuple):
    """Range (rad), rated torque (N m) and rated velocity (rad/s) of a joint."""

    lower: float
    upper: float
    effort: float
    velocity: float


class Shape(NamedTuple):
    """A collision shape in the axes of its link; kind and size as of a `Solid`."""

    kind: str
    size: tuple[float, ...]
    xyz: Vector = ORIGIN
    rpy: Vector = ORIGIN


class Link(NamedTuple):
    """A link with its solids and collision shapes."""

    name: str
    solids: Sequence[Solid] = ()
    collisions: Sequence[Shape] = ()


class Joint(NamedTuple):
    """A joint in the axes of its parent; `source` refers to its position."""

    name: str
    kind: str
    parent: str
    child: str
    xyz: Vector = ORIGIN
    rpy: Vector = ORIGIN
    axis: Vector | None = None
    limits: Limits | None = None
    source: str = ESTIMATED


def urdf(
    name: str,
    comment: str,
    materials: Mapping[str, str],
    parts: Iterable[Link | Joint],
) -> str:
    """Return the text of a URDF file."""
    lines = [HEAD + "<!--" + comment + "-->", f'<robot name="{name}">']
    for material, rgba in materials.items():
        lines.append(f'  <material name="{material}"><color rgba="{rgba}"/></material>')
    for part in parts:
        lines.append("")
        lines.extend(_link(part) if isinstance(part, Link) else _joint(part))
    return "\n".join([*lines, "</robot>", ""])


def _number(value: float) -> str:
    return f"{0.0 if abs(value) < 1e-15 else value:.{DIGITS}g}"


def _numbers(values: Iterable[float]) -> str:
    return " ".join(_number(float(value)) for value in values)


def _origin(xyz: Iterable[float], rpy: Vector = ORIGIN) -> str:
    turned = f' rpy="{_numbers(rpy)}"' if any(rpy) else ""
    return f'<origin xyz="{_numbers(xyz)}"{turned}/>'


def _link(link: Link) -> Iterable[str]:
    if not link.solids and not link.collisions:
        yield f'  <link name="{link.name}"/>'
        return
    yield f'  <link name="{link.name}">'
    for solid in link.solids:
        yield from _visual(solid)
    for kind, size, xyz, rpy in link.collisions:
        geometry = f"<geometry>{_geometry(kind, size)}</geometry>"
        yield f"    <collision>{_origin(xyz, rpy)}{geometry}</collision>"
    if link.solids:
        whole = together(link.solids)
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = whole.inertia
        moments = {"ixx": xx, "ixy": xy, "ixz": xz, "iyy": yy, "iyz": yz, "izz": zz}
        entries = " ".join(f'{key}="{_number(value)}"' for key, value in moments.items())
        densities = sorted({f"{solid.density:g}" for solid in link.solids}, key=float)
        yield f"    <inertial>  <!-- {ESTIMATED}: solids of {', '.join(densities)} kg/m^3 -->"
        yield f"      {_origin(whole.centre)}"
        yield f'      <mass value="{_number(whole.mass)}"/>'
        yield f"      <inertia {entries}/>"
        yield "    </inertial>"
    yield "  </link>"


def _visual(solid: Solid) -> Iterable[str]:
    """Yield a visual, or three boxes for a hexagonal prism: each spans two of its six faces."""
    parts = [(solid.kind, solid.size, solid.rpy)]
    if solid.kind == "hexagon":
        radius, length = solid.size
        box = (2.0 * radius, 2.0 * radius / math.sqrt(3.0), length)
        parts = [("box", box, (0.0, 0.0, solid.rpy[2] + k * SIXTH)) for k in range(3)]
    for kind, size, rpy in parts:
        yield "    <visual>"
        yield f"      {_origin(solid.xyz, rpy)}"
        yield f"      <geometry>{_geometry(kind, size)}</geometry>"
        yield f'      <material name="{solid.material}"/>'
        yield "    </visual>"


def _geometry(kind: str, size: tuple[float, ...]) -> str:
    if kind == "box":
        return f'<box size="{_numbers(size)}"/>'
    if kind == "sphere":
        return f'<sphere radius="{_number(size[0])}"/>'
    return f'<{kind} radius="{_number(size[0])}" length="{_number(size[1])}"/>'


def _joint(joint: Joint) -> Iterable[str]:
    yield f'  <joint name="{joint.name}" type="{joint.kind}">'
    yield f'    <parent link="{joint.parent}"/>'
    yield f'    <child link="{joint.child}"/>'
    if joint.xyz != ORIGIN or joint.rpy != ORIGIN:
        yield f"    {_origin(joint.xyz, joint.rpy)}  <!-- {joint.source} -->"
    if joint.axis is not None:
        yield f'    <axis xyz="{_numbers(joint.axis)}"/>'
    if joint.limits is not None:
        values = zip(Limits._fields, joint.limits, strict=True)
        entries = " ".join(f'{key}="{_number(value)}"' for key, value in values)
        yield f"    <limit {entries}/>  <!-- {ESTIMATED} -->"
    yield "  </joint>"
