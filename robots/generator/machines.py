# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Machines with closed chains: URDF and mechanisms file of each, by the names of the files.

Planar machines move in the xz plane. Their angles increase from x to z, so that all hinges turn
about -y, and the x axis of a link points along it. Cylinders are drawn from pin to pin.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import yaml

from .solids import ACTUATOR, ALONG_X, ALONG_Y, ALUMINIUM, ORIGIN, STEEL, Solid, Vector, together
from .writing import HEAD, Limits

DIGITS = 12  # significant
HINGE: Vector = (0.0, -1.0, 0.0)
MATERIALS = {"frame": "0.24 0.26 0.29 1", "link": "0.93 0.71 0.13 1", "rod": "0.55 0.57 0.60 1"}
SHELL = 2500.0  # kg/m^3, welded boxes and hollow parts
CYLINDER = 5000.0  # barrel with oil

Pin = tuple[float, float]


class Machine:
    """The parts of a machine, added from the root to the tips."""

    def __init__(self, name: str, base: str, comment: str) -> None:
        self.name, self.base, self.comment = name, base, comment.strip("\n")
        self.lines: list[str] = []
        self.loops: dict[str, dict[str, Any]] = {}
        self.passive: list[str] = []
        self.sections: dict[str, Any] = {}

    def link(self, name: str, *solids: Solid) -> None:
        """Add a link of solids, which are also its collision shapes."""
        self.lines.append(f'  <link name="{name}"{"" if solids else "/"}>')
        for solid in solids:
            shape = f"{_origin(solid.xyz, solid.rpy)}<geometry>{_geometry(solid)}</geometry>"
            self.lines.append(f'    <visual>{shape}<material name="{solid.material}"/></visual>')
            self.lines.append(f"    <collision>{shape}</collision>")
        if solids:
            whole = together(solids)
            entries = " ".join(
                f'i{"xyz"[i]}{"xyz"[j]}="{_text(whole.inertia[i, j])}"'
                for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
            )
            mass = f'<mass value="{_text(whole.mass)}"/>'
            self.lines.append(
                f"    <inertial>{_origin(whole.centre)}{mass}<inertia {entries}/></inertial>"
            )
            self.lines.append("  </link>")

    def joint(
        self,
        name: str,
        kind: str,
        parent: str,
        child: str,
        xyz: Vector = ORIGIN,
        rpy: Vector = ORIGIN,
        axis: Vector | None = None,
        limits: Limits | None = None,
        more: str = "",
        *,
        passive: bool = False,
    ) -> None:
        """Add a joint; `more` are further elements."""
        self.lines.append(f'  <joint name="{name}" type="{kind}">')
        text = f'<parent link="{parent}"/><child link="{child}"/>{_origin(xyz, rpy)}'
        text += f'<axis xyz="{_texts(axis)}"/>' if axis else ""
        if limits:
            pairs = zip(Limits._fields, limits, strict=True)
            text += "<limit " + " ".join(f'{key}="{_text(x)}"' for key, x in pairs) + "/>"
        self.lines.append(f"    {text}{more}")
        self.lines.append("  </joint>")
        if passive:
            self.passive.append(name)

    def hinge(
        self,
        parent: str,
        child: str,
        at: Pin,
        angle: float,
        limits: Limits | None = None,
        more: str = "",
        *,
        y: float = 0.0,
        passive: bool = True,
    ) -> None:
        """Add a hinge of a planar machine, `CHILD_joint`, and its angle at zero (rad)."""
        kind = "revolute" if limits else "continuous"
        place = (at[0], y, at[1]), (0.0, -angle, 0.0), HINGE
        self.joint(f"{child}_joint", kind, parent, child, *place, limits, more, passive=passive)

    def pin(self, name: str, first: str, at: Pin, second: str, other: Pin, y: float = 0.0) -> None:
        """Add a loop joint about the axis of the hinges of a planar machine."""
        self.loops[name] = {
            "type": "revolute",
            **{"first_body": first, "first_point": _rounded((at[0], y, at[1]))},
            **{"second_body": second, "second_point": _rounded((other[0], y, other[1]))},
            "axis": list(HINGE),
        }

    def cylinder(
        self,
        name: str,
        parent: str,
        start: Vector,
        end: Vector,
        radius: float,
        limits: Limits,
        planar: bool = False,
    ) -> None:
        """Add a barrel on a hinge or on two crossed hinges, and a driven rod.

        The rod's origin is its pin, at `end` at zero; both points are in the parent's axes.
        """
        d = np.subtract(end, start)
        length = float(np.linalg.norm(d))
        yaw = 0.0 if planar else math.atan2(d[1], d[0])
        pitch = math.atan2(-d[2], d[0] if planar else math.hypot(d[0], d[1]))
        barrel, rod = f"{name}_barrel", f"{name}_rod"
        if planar:
            self.joint(
                f"{barrel}_joint", "continuous", parent, barrel, start, (0.0, pitch, 0.0), HINGE,
                passive=True,
            )  # fmt: skip
        else:
            cross, place = f"{name}_cross", (start, (0.0, pitch, yaw))
            self.joint(
                f"{name}_swing", "continuous", parent, cross, *place, (0.0, 1.0, 0.0), passive=True
            )
            self.link(cross)
            self.joint(
                f"{name}_lean", "continuous", cross, barrel, axis=(0.0, 0.0, 1.0), passive=True
            )
        half = 0.51 * (length + limits.upper)  # of barrel and rod, which overlap at full stroke
        middle: Vector = (0.5 * half, 0.0, 0.0)
        tube = Solid("cylinder", (radius, half), CYLINDER, "frame", middle, ALONG_X)
        self.link(barrel, tube)
        self.joint(name, "prismatic", barrel, rod, (length, 0.0, 0.0), ORIGIN, (1.0, 0.0, 0.0),
                   limits)  # fmt: skip
        middle = (-0.5 * half, 0.0, 0.0)
        self.link(rod, Solid("cylinder", (0.5 * radius, half), STEEL, "rod", middle, ALONG_X))

    def urdf(self) -> str:
        """Return the URDF."""
        lines = [
            f"{HEAD}<!--\n{self.comment}\n",
            "  Generated by `python -m robots.generator`; edit the generator.",
            "  Units: m, kg, rad, s, N, N m. All numbers are estimated; links are drawn solids.",
            f'-->\n<robot name="{self.name}">',
        ]
        for material, rgba in MATERIALS.items():
            lines.append(f'  <material name="{material}"><color rgba="{rgba}"/></material>')
        return "\n".join([*lines, *self.lines, "</robot>", ""])

    def mechanisms(self) -> str:
        """Return the mechanisms file."""
        head = [line.strip("<!-> ") for line in HEAD.splitlines()[1:]]
        lines = [
            *(f"# {line}" for line in head),
            f"\n# Mechanisms of {self.name}.urdf. Units: m, kg, rad, s, N, N m.",
            "# Generated by `python -m robots.generator`; edit the generator.",
            f"robot: {self.name}\nbase_body: {self.base}",
        ]
        sections = {
            "loop_joints": self.loops,
            "passive_joints": self.passive,
            **self.sections,
            "sources": dict.fromkeys(("geometry", "inertials", "limits"), "estimated"),
        }
        for name, section in sections.items():
            text = yaml.safe_dump(
                {name: section}, default_flow_style=None, sort_keys=False, width=96
            )
            lines.append("\n" + text.rstrip())
        return "\n".join([*lines, ""])


def _text(value: float) -> str:
    return f"{0.0 if abs(value) < 1e-12 else value:.{DIGITS}g}"


def _texts(values: Iterable[float]) -> str:
    return " ".join(_text(float(value)) for value in values)


def _rounded(values: Iterable[float]) -> list[float]:
    return [float(_text(float(value))) for value in values]


def _origin(xyz: Iterable[float], rpy: Sequence[float] = ORIGIN) -> str:
    turned = f' rpy="{_texts(rpy)}"' if any(rpy) else ""
    return f'<origin xyz="{_texts(xyz)}"{turned}/>'


def _geometry(solid: Solid) -> str:
    if solid.kind == "box":
        return f'<box size="{_texts(solid.size)}"/>'
    return f'<cylinder radius="{_text(solid.size[0])}" length="{_text(solid.size[1])}"/>'


def _bar(start: Pin, end: Pin, width: float, height: float, density: float,
         material: str = "link", *, y: float = 0.0) -> Solid:  # fmt: skip
    """Return a bar of a planar machine from one point to another."""
    (x, z), (dx, dz) = start, (end[0] - start[0], end[1] - start[1])
    size = (math.hypot(dx, dz), width, height)
    middle = (x + 0.5 * dx, y, z + 0.5 * dz)
    return Solid("box", size, density, material, middle, (0.0, -math.atan2(dz, dx), 0.0))


def _turned(point: Pin, angle: float, origin: Pin = (0.0, 0.0)) -> Pin:
    """Return a point of a link, whose x axis is at an angle, in the axes of its parent."""
    c, s = math.cos(angle), math.sin(angle)
    return (origin[0] + c * point[0] - s * point[1], origin[1] + s * point[0] + c * point[1])


def _angle(start: Pin, end: Pin) -> float:
    return math.atan2(end[1] - start[1], end[0] - start[0])


def _apex(first: Pin, radius: float, second: Pin, other: float) -> Pin:
    """Return the point at given distances from two points, left of the way to the second."""
    distance = math.dist(first, second)
    along = (distance**2 + radius**2 - other**2) / (2.0 * distance)
    return _turned((along, math.sqrt(radius**2 - along**2)), _angle(first, second), first)


def _linear_actuator(joint: str, base: str, start: Pin, tip: str, end: Pin, limits: Limits) -> Any:
    return {
        "joint": joint,
        **{"base_body": base, "base_point": [start[0], 0.0, start[1]]},
        **{"tip_body": tip, "tip_point": [end[0], 0.0, end[1]]},
        "length_limits": [limits.lower, limits.upper],
        **{"effort_limit": limits.effort, "velocity_limit": limits.velocity},
    }


def excavator() -> Machine:
    """Return the arm of an excavator of 20 t."""
    m = Machine("excavator", "undercarriage", """
  The arm of an excavator. Cylinders move boom and stick: linear actuators of the mechanisms file.
  The cylinder of the bucket, barrel and rod with mass, moves it by a four-bar of stick, rocker,
  coupler and bucket, which two loop joints close.
""")  # fmt: skip
    m.link("undercarriage", Solid("box", (3.6, 2.6, 0.8), 500.0, "frame", (0.0, 0.0, 0.4)))
    m.joint("swing_joint", "continuous", "undercarriage", "upper", (0.0, 0.0, 1.0), ORIGIN,
            (0.0, 0.0, 1.0), more='<limit effort="60000" velocity="1.2"/>')  # fmt: skip
    m.link("upper", Solid("box", (3.2, 2.4, 1.1), 900.0, "frame", (-1.2, 0.0, 0.5)))
    m.hinge("upper", "boom", (0.5, 0.6), 0.6, Limits(-1.2, 0.5, 9e5, 1.0), passive=False)
    bend, end = (2.2, 0.8), (5.0, 0.0)
    m.link("boom", _bar((0.0, 0.0), bend, 0.4, 0.5, 900.0), _bar(bend, end, 0.4, 0.45, 900.0))
    m.hinge("boom", "stick", end, -1.9, Limits(-0.7, 0.9, 3e5, 1.5), passive=False)
    m.link("stick", _bar((-0.7, 0.15), (2.6, 0.0), 0.3, 0.4, 1500.0))
    tip, pivot, tooth = (2.6, 0.0), (2.1, 0.05), -0.7
    elbow = _turned((0.6, 0.0), 1.8, pivot)
    ear = _apex(elbow, 0.6, tip, 0.45)
    m.hinge("stick", "bucket", tip, tooth)
    corners = ((0.0, 0.0), (-0.34, 0.3), (0.1, 0.75), (0.8, 0.65), (1.35, 0.0))
    m.link("bucket", *(_bar(*ends, 1.0, 0.03, STEEL) for ends in pairwise(corners)))
    m.hinge("stick", "rocker", pivot, 1.8)
    m.link("rocker", _bar((0.0, 0.0), (0.6, 0.0), 0.2, 0.08, SHELL, "rod"))
    m.hinge("rocker", "coupler", (0.6, 0.0), _angle(elbow, ear) - 1.8)
    m.link("coupler", _bar((0.0, 0.0), (0.6, 0.0), 0.2, 0.08, SHELL, "rod"))
    foot = (0.2, 0.0, 0.45)
    stroke = Limits(-0.25, 0.6, 2.5e5, 0.6)
    m.cylinder("bucket_cylinder", "stick", foot, (elbow[0], 0.0, elbow[1]), 0.07, stroke, True)
    m.pin("bucket_pin", "coupler", (0.6, 0.0), "bucket", _turned((ear[0] - 2.6, ear[1]), -tooth))
    m.pin("rocker_pin", "bucket_cylinder_rod", (0.0, 0.0), "rocker", (0.6, 0.0))
    m.sections["linear_actuators"] = {
        "boom_cylinder": _linear_actuator(
            "boom_joint", "upper", (1.1, 0.1), "boom", (2.2, 0.6), Limits(1.55, 2.6, 5e5, 0.4)
        ),
        "stick_cylinder": _linear_actuator(
            "stick_joint", "boom", (2.3, 1.1), "stick", (-0.75, 0.3), Limits(2.2, 3.6, 4e5, 0.6)
        ),
    }
    m.sections["payload_links"] = {"bucket": "bucket"}
    return m


def parallel_ankle() -> Machine:
    """Return a foot on a universal joint, which two cylinders move."""
    m = Machine("parallel_ankle", "shank", """
  The ankle of a humanoid: the foot turns about two crossed hinges, pitch and roll. Two cylinders
  behind the shank span both. The root is the shank, its origin the ankle, x forward, z up.
""")  # fmt: skip
    m.link("shank", Solid("box", (0.08, 0.08, 0.36), 1200.0, "frame", (0.0, 0.0, 0.22)))
    y: Vector = (0.0, 1.0, 0.0)
    m.joint("pitch_joint", "revolute", "shank", "cross", ORIGIN, ORIGIN, y,
            Limits(-0.6, 0.6, 200.0, 8.0), passive=True)  # fmt: skip
    m.link("cross", Solid("cylinder", (0.015, 0.06), STEEL, "rod", ORIGIN, ALONG_Y))
    m.joint("roll_joint", "revolute", "cross", "foot", ORIGIN, ORIGIN, (1.0, 0.0, 0.0),
            Limits(-0.35, 0.35, 100.0, 8.0), passive=True)  # fmt: skip
    m.link("foot", Solid("box", (0.25, 0.11, 0.03), 1500.0, "link", (0.04, 0.0, -0.06)))
    m.joint("toe_joint", "fixed", "foot", "toe", (0.165, 0.0, -0.06))
    m.link("toe")
    for side, left in (("left", 1.0), ("right", -1.0)):
        ends = (-0.06, left * 0.045, 0.30), (-0.07, left * 0.04, -0.03)
        m.cylinder(f"{side}_cylinder", "shank", *ends, 0.016, Limits(-0.055, 0.055, 2500.0, 0.5))
        m.loops[f"{side}_ball"] = {
            "type": "spherical",
            "first_body": f"{side}_cylinder_rod",
            **{"second_body": "foot", "second_point": list(ends[1])},
        }
    m.sections["payload_links"] = {"toe": "toe"}
    return m


def scissor_lift() -> Machine:
    """Return a lift of two pairs of crossed bars."""
    m = Machine("scissor_lift", "base", """
  A scissor lift: two pairs of crossed bars, a platform, and a slide at the base and below the
  platform. A cylinder between the lower bars opens them: a linear actuator of the mechanisms file.
  Bars have their origins at their hinges to the part before: upright bars at their lower ends,
  crossing bars at their middles.
""")  # fmt: skip
    angle, half = 0.5, 0.5  # of the bars at zero; of their length
    whole = (2.0 * half, 0.0)
    m.link("base", Solid("box", (1.2, 0.6, 0.06), SHELL, "frame", (0.5, 0.0, -0.06)))
    turns = Limits(-0.3, 0.6, 2e4, 1.0)
    doubled = Limits(-1.2, 0.6, 2e4, 1.0)
    reach = 2.0 * half * math.cos(angle)
    m.hinge("base", "lower", (0.0, 0.0), angle, turns)
    m.link("lower", _bar((0.0, 0.0), whole, 0.06, 0.08, SHELL, y=-0.2))
    m.hinge("lower", "lower_cross", (half, 0.0), math.pi - 2.0 * angle, doubled, passive=False)
    m.link("lower_cross", _bar((-half, 0.0), (half, 0.0), 0.06, 0.08, SHELL, y=-0.13))
    m.hinge("lower_cross", "upper", (half, 0.0), 2.0 * angle - math.pi)
    m.link("upper", _bar((0.0, 0.0), whole, 0.06, 0.08, SHELL, y=-0.2))
    m.hinge("upper", "upper_cross", (half, 0.0), math.pi - 2.0 * angle)
    m.link("upper_cross", _bar((-half, 0.0), (half, 0.0), 0.06, 0.08, SHELL, y=-0.13))
    m.hinge("upper_cross", "platform", (half, 0.0), angle - math.pi)
    m.link("platform", Solid("box", (1.2, 0.6, 0.05), SHELL, "frame", (0.5, 0.0, 0.06)))
    for name, body in (("base_slide", "base"), ("top_slide", "platform")):
        m.joint(f"{name}_joint", "prismatic", body, name, (reach, 0.0, 0.0), ORIGIN,
                (1.0, 0.0, 0.0), Limits(-0.5, 0.15, 1e4, 1.0), passive=True)  # fmt: skip
        m.link(name, Solid("cylinder", (0.03, 0.1), STEEL, "rod", (0.0, -0.16, 0.0), ALONG_Y))
    m.pin("base_roller", "lower_cross", (-half, 0.0), "base_slide", (0.0, 0.0))
    m.pin("middle_pin", "upper_cross", (-half, 0.0), "lower", whole)
    m.pin("top_roller", "upper", whole, "top_slide", (0.0, 0.0))
    m.sections["linear_actuators"] = {
        "lift_cylinder": _linear_actuator(
            "lower_cross_joint", "lower", (0.05, 0.0), "lower_cross", (0.15, 0.0),
            Limits(0.34, 0.52, 4e4, 0.1),
        )
    }  # fmt: skip
    m.sections["payload_links"] = {"platform": "platform"}
    return m


def spring_leg() -> Machine:
    """Return a leg whose tarsus a rod guides, with two leaf springs in this loop."""
    m = Machine("spring_leg", "pelvis", """
  A leg like those of Cassie. A rod between hip and heel guides the tarsus: thigh, shin, tarsus and
  rod are a four-bar. Shin and heel are leaf springs: joints with a stiffness and without motor,
  whose deflection is measured. A crank and a rod on the tarsus move the foot.
""")  # fmt: skip
    hip, knee = (0.0, 0.0), _turned((0.12, 0.0), -0.3)
    ankle = _turned((0.45, 0.0), -1.9, knee)
    m.link("pelvis", Solid("box", (0.2, 0.25, 0.12), 1000.0, "frame", (-0.05, 0.0, 0.1)))
    m.hinge("pelvis", "thigh", hip, -0.3, Limits(-0.9, 0.9, 200.0, 8.0), passive=False)
    m.link("thigh", _bar((0.0, 0.0), (0.12, 0.0), 0.1, 0.1, ACTUATOR))
    m.hinge("thigh", "knee", (0.12, 0.0), -1.6, Limits(-0.5, 0.9, 200.0, 8.0), passive=False)
    m.link("knee", Solid("cylinder", (0.04, 0.06), ACTUATOR, "frame", ORIGIN, ALONG_Y))
    m.hinge("knee", "shin", (0.0, 0.0), 0.0, Limits(-0.3, 0.3, 0.0, 20.0),
            passive=False)  # fmt: skip
    m.link("shin", _bar((0.0, 0.0), (0.45, 0.0), 0.03, 0.03, ALUMINIUM))
    m.hinge("shin", "tarsus", (0.45, 0.0), 0.9)
    m.link("tarsus", _bar((0.0, 0.0), (0.4, 0.0), 0.03, 0.03, ALUMINIUM))
    m.hinge("tarsus", "heel", (0.0, 0.0), 1.0 - 0.3 + math.pi, Limits(-0.3, 0.3, 0.0, 20.0),
            passive=False)  # fmt: skip
    m.link("heel", _bar((0.0, 0.0), (0.12, 0.0), 0.03, 0.03, ALUMINIUM, material="rod"))
    end = _turned((0.12, 0.0), math.pi - 0.3, ankle)
    place = ((0.0, 0.06, 0.0), (0.0, -_angle(hip, end), 0.0))
    m.joint("guide_swing", "continuous", "pelvis", "guide_cross", *place, HINGE, passive=True)
    m.link("guide_cross")
    m.joint("guide_lean", "continuous", "guide_cross", "guide", axis=(0.0, 0.0, 1.0), passive=True)
    length = math.dist(hip, end)
    m.link("guide", Solid("cylinder", (0.008, length), ALUMINIUM, "rod", (0.5 * length, 0, 0),
                          ALONG_X))  # fmt: skip
    m.loops["guide_ball"] = {
        "type": "spherical",
        **{"first_body": "guide", "first_point": _rounded((length, 0.0, 0.0))},
        **{"second_body": "heel", "second_point": [0.12, 0.06, 0.0]},
    }
    crank, rod = 0.06, 0.28
    m.hinge("tarsus", "crank", (0.12, 0.0), 2.0, Limits(-0.8, 0.8, 60.0, 12.0), passive=False)
    m.link("crank", _bar((0.0, 0.0), (crank, 0.0), 0.02, 0.02, SHELL))
    m.hinge("crank", "plantar", (crank, 0.0), -2.0)
    m.link("plantar", _bar((0.0, 0.0), (rod, 0.0), 0.012, 0.012, ALUMINIUM, "rod"))
    m.hinge("tarsus", "foot", (0.4, 0.0), 1.0)
    ear = _turned((crank, 0.0), 1.0)
    sole = _bar((-0.06, -0.03), (0.12, -0.03), 0.06, 0.03, SHELL)
    m.link("foot", sole, _bar((0.0, 0.0), ear, 0.02, 0.02, SHELL))
    m.pin("foot_pin", "plantar", (rod, 0.0), "foot", ear)
    m.sections["joint_springs"] = {
        "shin_spring": {"joint": "shin_joint", "stiffness": 1500.0, "damping": 2.0},
        "heel_spring": {"joint": "heel_joint", "stiffness": 1250.0, "damping": 2.0},
    }
    m.sections["payload_links"] = {"foot": "foot"}
    return m


def stewart() -> Machine:
    """Return a platform on six cylinders."""
    m = Machine("stewart", "base", """
  A Stewart platform: six cylinders on crossed hinges of the base, ball joints at the platform. The
  coordinates of the platform are those of a floating joint without actuator.
""")  # fmt: skip
    height = 0.7
    m.link("base", Solid("cylinder", (0.6, 0.06), SHELL, "frame", (0.0, 0.0, -0.06)))
    m.joint("platform_joint", "floating", "base", "platform", (0.0, 0.0, height))
    m.link("platform", Solid("cylinder", (0.38, 0.04), 1500.0, "link", (0.0, 0.0, 0.05)))
    for k in range(6):
        turn, side = 2.0 * math.pi / 3.0 * (k // 2), 1.0 - 2.0 * (k % 2)
        start, end = (
            (radius * math.cos(turn + side * a), radius * math.sin(turn + side * a), z)
            for radius, a, z in ((0.55, 0.2, 0.0), (0.35, 0.85, height))
        )
        m.cylinder(f"leg_{k + 1}", "base", start, end, 0.03, Limits(-0.2, 0.2, 2000.0, 0.5))
        m.loops[f"ball_{k + 1}"] = {
            "type": "spherical",
            "first_body": f"leg_{k + 1}_rod",
            **{"second_body": "platform", "second_point": _rounded((*end[:2], 0.0))},
        }
    m.sections["payload_links"] = {"platform": "platform"}
    return m


def parallel_gripper() -> Machine:
    """Return two fingers on parallelograms whose cranks mesh."""
    m = Machine("parallel_gripper", "palm", """
  A gripper: each finger is the coupler of a parallelogram and does not turn. The cranks mesh as
  gears: the right one mimics the left one, which is driven.
""")  # fmt: skip
    m.link("palm", Solid("box", (0.12, 0.05, 0.06), SHELL, "frame", (0.0, 0.0, 0.0)))
    for side, sign, angle in (("left", -1.0, math.pi - 1.0), ("right", 1.0, 1.0)):
        crank, rocker, finger = (f"{side}_{part}" for part in ("crank", "rocker", "finger"))
        follows = '<mimic joint="left_crank_joint" multiplier="-1"/>' if sign > 0.0 else ""
        limits = Limits(*((-0.7, 0.5) if sign < 0.0 else (-0.5, 0.7)), 5.0, 4.0)
        m.hinge("palm", crank, (sign * 0.015, 0.04), angle, limits, follows, passive=False)
        gear = Solid("cylinder", (0.015, 0.01), STEEL, "rod", (0.0, -0.015, 0.0), ALONG_Y)
        m.link(crank, _bar((0.0, 0.0), (0.06, 0.0), 0.012, 0.01, SHELL), gear)
        m.hinge("palm", rocker, (sign * 0.04, 0.02), angle)
        m.link(rocker, _bar((0.0, 0.0), (0.06, 0.0), 0.012, 0.01, SHELL))
        m.hinge(crank, finger, (0.06, 0.0), -angle)
        knuckle, pad = (sign * 0.025, -0.02), (-sign * 0.005, 0.05)
        m.link(finger, _bar(knuckle, (0.0, 0.0), 0.016, 0.012, SHELL),
               _bar((0.0, 0.0), pad, 0.016, 0.01, SHELL))  # fmt: skip
        m.pin(f"{side}_pin", rocker, (0.06, 0.0), finger, knuckle)
    return m


MACHINES = (excavator, parallel_ankle, scissor_lift, spring_leg, stewart, parallel_gripper)


def texts() -> dict[str, Callable[[], str]]:
    """Return functions that write the files, by the names of the files."""
    return {
        f"{make.__name__}{ending}": partial(_written, make, ending)
        for make in MACHINES
        for ending in (".urdf", "_mechanisms.yaml")
    }


def _written(make: Callable[[], Machine], ending: str) -> str:
    return make().urdf() if ending == ".urdf" else make().mechanisms()
