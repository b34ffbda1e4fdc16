# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Robots with loop joints."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from charmie_dynamics.model import Model, load_model
from charmie_dynamics.model.description.package_robots import model_files

Floats = np.ndarray


def text_of(numbers: Iterable[float]) -> str:
    return " ".join(repr(float(x)) for x in numbers)


def link(name: str, mass: float = 0.0, com: Sequence[float] = (0, 0, 0), size: float = 0.1) -> str:
    """Return a link, an even box of that size; without mass one without inertial."""
    if not mass:
        return f'<link name="{name}"/>'
    i = mass * size**2
    return (
        f'<link name="{name}"><inertial><origin xyz="{text_of(com)}" rpy="0.3 -0.2 0.5"/>'
        f'<mass value="{mass}"/><inertia ixx="{0.5 * i}" iyy="{0.7 * i}" izz="{0.9 * i}" ixy="0" '
        'ixz="0" iyz="0"/></inertial></link>'
    )


def joint(
    name: str,
    kind: str,
    parent: str,
    child: str,
    xyz: Sequence[float] = (0, 0, 0),
    axis: Sequence[float] = (0, 1, 0),
    rpy: Sequence[float] = (0, 0, 0),
) -> str:
    limit = '<limit lower="-9" upper="9" effort="9" velocity="9"/>'
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{text_of(xyz)}" rpy="{text_of(rpy)}"/><axis xyz="{text_of(axis)}"/>'
        f"{limit if kind in ('revolute', 'prismatic') else ''}</joint>"
    )


def robot(folder: Path, parts: Iterable[str], mechanisms: dict[str, Any], name: str = "r") -> Model:
    """Write both files and load the robot."""
    urdf, file = folder / f"{name}.urdf", folder / f"{name}.yaml"
    urdf.write_text(f'<robot name="{name}">{"".join(parts)}</robot>')
    file.write_text(yaml.safe_dump(mechanisms))
    return load_model(urdf, file)


def narrowed(
    model: Model, position: Floats, width: float, passive: Mapping[str, float] | None = None
) -> Model:
    """Return a robot whose limits are as near as `width` to a position (p,).

    Limits of passive joints stay, but for those in `passive`.
    """
    widths = {**dict.fromkeys(model.actuator_names, width), **(passive or {})}

    def limited(part: Any) -> Any:
        if part.name not in widths:
            return part
        at = float(position[model.position_names.index(part.name)])
        ends = {"lower": at - widths[part.name], "upper": at + widths[part.name]}
        return replace(part, limit=replace(part.limit, **ends))

    mechanisms, tree = model.mechanisms, model.tree
    actuators = tuple(map(limited, mechanisms.linear_actuators))
    joints = tuple(map(limited, tree.joints))
    return Model(replace(tree, joints=joints), replace(mechanisms, linear_actuators=actuators))


CRANK, COUPLER, ROCKER, GROUND = 0.2, 0.6, 0.4, 0.5


def four_bar(folder: Path, kind: str = "revolute", **entry: Any) -> Model:
    """Return a planar four-bar in the xz plane: crank driven, coupler and rocker not."""
    pin = {
        "type": kind,
        "first_body": "coupler",
        "first_point": [0.0, 0.0, COUPLER],
        "second_body": "rocker",
        "second_point": [0.0, 0.0, ROCKER],
    }
    if kind == "revolute":
        pin["axis"] = [0.0, 1.0, 0.0]
    parts = [
        link("ground"),
        link("crank", 1.2, (0.01, 0.0, 0.1)),
        link("coupler", 2.0, (0.02, 0.0, 0.3)),
        link("rocker", 1.5, (-0.01, 0.0, 0.2)),
        joint("crank_joint", "continuous", "ground", "crank"),
        joint("coupler_joint", "continuous", "crank", "coupler", (0, 0, CRANK)),
        joint("rocker_joint", "continuous", "ground", "rocker", (GROUND, 0, 0)),
    ]
    mechanisms = {
        "loop_joints": {"pin": {**pin, **entry}},
        "passive_joints": ["coupler_joint", "rocker_joint"],
    }
    return robot(folder, parts, mechanisms, "four_bar")


def welded_four_bar(folder: Path) -> Model:
    """Return the four-bar whose pin is a joint of the tree, and whose loop a weld closes."""
    parts = [
        link("ground"),
        link("crank", 1.2, (0.01, 0.0, 0.1)),
        link("coupler", 2.0, (0.02, 0.0, 0.3)),
        link("rocker", 1.5, (-0.01, 0.0, 0.2)),
        link("eye"),
        joint("crank_joint", "continuous", "ground", "crank"),
        joint("coupler_joint", "continuous", "crank", "coupler", (0, 0, CRANK)),
        joint("rocker_joint", "continuous", "ground", "rocker", (GROUND, 0, 0)),
        joint("eye_joint", "continuous", "rocker", "eye", (0, 0, ROCKER), rpy=(0, 0.4, 0)),
    ]
    weld = {
        "type": "fixed",
        "first_body": "coupler",
        "first_point": [0.0, 0.0, COUPLER],
        "second_body": "eye",
        "second_rpy": [0.0, 0.3, 0.0],
    }
    passive = ["coupler_joint", "rocker_joint", "eye_joint"]
    return robot(folder, parts, {"loop_joints": {"pin": weld}, "passive_joints": passive}, "welded")


def slider_crank(folder: Path) -> Model:
    """Return crank, rod and slider in a skew plane; the slider's guide closes the loop."""
    tilt = (0.3, -0.2, 0.7)
    parts = [
        link("ground"),
        link("frame"),
        link("crank", 1.2, (0.01, 0.03, 0.1)),
        link("rod", 2.0, (0.02, 0.0, 0.3)),
        link("slider", 1.5, (-0.01, 0.05, 0.2)),
        joint("mount", "fixed", "ground", "frame", (0.2, 0.1, 0.3), rpy=tilt),
        joint("crank_joint", "continuous", "frame", "crank"),
        joint("rod_joint", "continuous", "crank", "rod", (0, 0, CRANK)),
        joint("slider_joint", "continuous", "rod", "slider", (0, 0, COUPLER)),
    ]
    guide = {
        "type": "prismatic",
        "first_body": "frame",
        "first_point": [0.0, 0.0, 0.05],
        "second_body": "slider",
        "axis": [2.0, 0.0, 0.0],
    }
    passive = ["rod_joint", "slider_joint"]
    mechanisms = {"loop_joints": {"guide": guide}, "passive_joints": passive}
    return robot(folder, parts, mechanisms, "slider_crank")


def stewart(folder: Path, kind: str = "spherical") -> Model:
    """Return a platform on six legs.

    With `kind` spherical each leg is a tube and a rod on a universal joint, driven by its slide;
    with distance it is a rod without mass, whose foot moves on a driven slide.
    """
    axes = np.vstack([np.eye(3), np.eye(3)])
    names = ["px", "py", "pz", "pr", "pp", "pw"]
    parts = [link("ground")]
    before = "ground"
    for k, name in enumerate(names):
        child = "platform" if k == 5 else f"between_{k}"
        parts.append(link(child, 2.0 if k == 5 else 0.0, (0.03, 0.02, 0.05), 0.4))
        place = (0, 0, 1) if k == 2 else (0, 0, 0)
        slide = "prismatic" if k < 3 else "revolute"
        parts.append(joint(name, slide, before, child, place, axes[k]))
        before = child
    loops: dict[str, Any] = {}
    passive = list(names)
    for k in range(6):
        at_base = k // 2 * 2 * math.pi / 3 + (0.2 if k % 2 else -0.2)
        at_top = (k + 1) // 2 * 2 * math.pi / 3 - math.pi / 3 + (-0.3 if k % 2 else 0.3)
        base = np.array([math.cos(at_base), math.sin(at_base), 0.0])
        top = 0.6 * np.array([math.cos(at_top), math.sin(at_top), 0.0])
        second = {"second_body": "platform", "second_point": top.tolist()}
        if kind == "distance":
            parts += [
                link(f"foot{k}", 0.5),
                joint(f"leg{k}", "prismatic", "ground", f"foot{k}", base, (0, 0, 1)),
            ]
            loops[f"rod{k}"] = {"type": "distance", "first_body": f"foot{k}", **second}
            continue
        d = np.add(top, (0.0, 0.0, 1.0)) - base
        pitch, yaw = math.atan2(math.hypot(d[0], d[1]), d[2]), math.atan2(d[1], d[0])
        parts += [
            link(f"cross{k}"),
            link(f"tube{k}", 0.8, (0, 0.01, 0.2)),
            link(f"rod{k}", 0.5, (0.01, 0, -0.2)),
            joint(f"a{k}", "revolute", "ground", f"cross{k}", base, (1, 0, 0), (0, pitch, yaw)),
            joint(f"b{k}", "revolute", f"cross{k}", f"tube{k}"),
            joint(
                *(f"leg{k}", "prismatic", f"tube{k}", f"rod{k}"),
                *((0, 0, np.linalg.norm(d)), (0, 0, 1)),
            ),
        ]
        loops[f"ball{k}"] = {"type": "spherical", "first_body": f"rod{k}", **second}
        passive += [f"a{k}", f"b{k}"]
    return robot(folder, parts, {"loop_joints": loops, "passive_joints": passive}, "stewart")


# of both linear actuators of CHARMIE: joint, what carries the tube, its pin, what the rod moves,
# its pin (m)
ACTUATORS = ("lift", "torso")


def looped_charmie(folder: Path, kind: str = "revolute") -> Model:
    """Return CHARMIE with tubes, rods and loop joints in place of its linear actuators.

    The position of ``lift_rod`` and ``torso_rod`` is the length of the actuator.
    """
    urdf, config = model_files("", "")
    tree = ET.parse(urdf).getroot()
    document = yaml.safe_load(Path(config).read_text())
    loops, passive = {}, []
    for name in ACTUATORS:
        given = document["linear_actuators"][f"{name}_actuator"]
        tube, rod = f"{name}_tube", f"{name}_rod_body"
        parts = [
            link(tube),
            link(rod),
            joint(f"{name}_pivot", "continuous", given["base_body"], tube, given["base_point"],
                  (1, 0, 0)),
            joint(f"{name}_rod", "prismatic", tube, rod, axis=(0, 0, 1)),
        ]  # fmt: skip
        tree.extend(ET.fromstring(part) for part in parts)
        loops[f"{name}_pin"] = {
            "type": kind,
            "first_body": rod,
            "second_body": given["tip_body"],
            "second_point": given["tip_point"],
            **({"axis": [1.0, 0.0, 0.0]} if kind == "revolute" else {}),
        }
        passive += [given["joint"], f"{name}_pivot"]
    del document["linear_actuators"]
    document["joint_groups"]["torso"] = [f"{name}_rod" for name in ACTUATORS]
    document["loop_joints"], document["passive_joints"] = loops, passive
    path, file = folder / "looped.urdf", folder / "looped.yaml"
    path.write_text(ET.tostring(tree, encoding="unicode"))
    file.write_text(yaml.safe_dump(document))
    return load_model(path, file)


def wrist(folder: Path, kind: str = "fixed", **entry: Any) -> Model:
    """Return three hinges whose axes cross in a point, and whose hand a loop joint holds."""
    parts = [link("base"), link("a"), link("b"), link("hand", 1.0, (0.1, 0.02, 0.05))]
    chain = (("base", "a", (1, 0, 0)), ("a", "b", (0, 1, 0)), ("b", "hand", (0, 0, 1)))
    parts += [joint(f"{c}_joint", "continuous", p, c, axis=axis) for p, c, axis in chain]
    hold = {"type": kind, "first_body": "base", "second_body": "hand", **entry}
    passive = ["a_joint", "b_joint", "hand_joint"]
    mechanisms = {"loop_joints": {"hold": hold}, "passive_joints": passive}
    return robot(folder, parts, mechanisms, "wrist")


def hexagon(radius: float, *angles: float) -> list[tuple[float, float, float]]:
    return [
        (radius * math.cos(math.radians(a)), radius * math.sin(math.radians(a)), 0) for a in angles
    ]


def hung_platform(folder: Path, kind: str = "floating") -> Model:
    """Return a platform on six driven legs without mass.

    It hangs on a passive floating joint, or, with `kind` chain, on six passive single joints.
    """
    parts = [link("base"), link("platform", 8.0, (0.06, 0.02, 0.03), 0.4)]
    passive = ["float"]
    if kind == "floating":
        parts.append(joint("float", "floating", "base", "platform", (0, 0, 0.5)))
    else:
        passive = [kind + axis for kind in ("slide_", "turn_") for axis in "xyz"]
        before = "base"
        for k, name in enumerate(passive):
            after = "platform" if k == 5 else f"{name}_link"
            parts += [] if k == 5 else [link(after)]
            slides = "prismatic" if k < 3 else "continuous"
            place = (0, 0, 0.5) if k == 0 else (0, 0, 0)
            parts.append(joint(name, slides, before, after, place, np.eye(3)[k % 3]))
            before = after
    loops = {}
    feet, heads = (
        hexagon(0.5, -14, 15, 105, 134, 226, 255),
        hexagon(0.3, -45, 44, 75, 165, 195, 285),
    )
    for k, (place, point) in enumerate(zip(feet, heads, strict=True)):
        parts += [link(f"{name}{k}") for name in ("cross", "tube", "rod")]
        parts += [
            joint(f"x{k}", "continuous", "base", f"cross{k}", place, (1, 0, 0)),
            joint(f"y{k}", "continuous", f"cross{k}", f"tube{k}", axis=(0, 1, 0)),
            joint(f"leg{k}", "prismatic", f"tube{k}", f"rod{k}", (0, 0, 0.58), (0, 0, 1)),
        ]
        passive += [f"x{k}", f"y{k}"]
        loops[f"ball{k}"] = {
            "type": "spherical",
            "first_body": f"rod{k}",
            "second_body": "platform",
            "second_point": list(point),
        }
    return robot(folder, parts, {"loop_joints": loops, "passive_joints": passive}, kind)


def rod_between_balls(folder: Path, mass: float = 0.8, is_thin: bool = False) -> Model:
    """Return a driven crank, a rod with a ball joint at each end, and a rocker."""
    rod = link("rod", mass, (0.2, 0.05, 0.1))
    if is_thin:  # no inertia about the line of the ball joints, (4, 1, 2) / sqrt(21)
        line = np.array([4.0, 1.0, 2.0]) / math.sqrt(21.0)
        i = 0.02 * (np.eye(3) - np.outer(line, line))
        moments = (
            " ".join(
                f'i{a}{b}="{i["xyz".index(a), "xyz".index(b)]!r}"'
                for a, b in ("xx", "yy", "zz", "xy", "xz", "yz")
            )
            .replace("np.float64(", "")
            .replace(")", "")
        )
        rod = (
            '<link name="rod"><inertial><origin xyz="0.2 0.05 0.1"/>'
            f'<mass value="{mass}"/><inertia {moments}/></inertial></link>'
        )
    parts = [link("base"), link("crank", 0.5, (0, 0, 0.05)), rod, link("rocker", 1.0, (0, 0, 0.1))]
    parts += [link("ring"), link("fork")]
    parts += [
        joint("crank_joint", "continuous", "base", "crank", axis=(1, 0, 0)),
        joint("rocker_joint", "continuous", "base", "rocker", (0.4, 0.1, 0.05), (0, 1, 0)),
        joint("ring_joint", "continuous", "crank", "ring", (0, 0, 0.1), (1, 0, 0)),
        joint("fork_joint", "continuous", "ring", "fork", axis=(0, 1, 0)),
        joint("spin_joint", "continuous", "fork", "rod", axis=(0, 0, 1)),
    ]
    ball = {
        "type": "spherical",
        "first_body": "rod",
        "first_point": [0.4, 0.1, 0.2],
        "second_body": "rocker",
        "second_point": [0.0, 0.0, 0.25],
    }
    passive = ["rocker_joint", "ring_joint", "fork_joint", "spin_joint"]
    return robot(folder, parts, {"loop_joints": {"ball": ball}, "passive_joints": passive}, "rod")
