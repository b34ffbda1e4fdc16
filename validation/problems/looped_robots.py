# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The mechanisms of the loop benchmark, released from rest without efforts.

All programs read the same text: every moving link has a mass, and no joint follows another. The
position is near a closed one (`validation.references.loops.LoopReference.closed`).
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import yaml

from charmie_dynamics.model.description.package_robots import model_files
from validation.urdf_tree import UrdfTree

from . import bricard, four_bar
from .problem import Problem
from .robot_text import (
    BASE,
    ORIGIN,
    Vector,
    X,
    Y,
    Z,
    joint,
    link,
    mechanisms,
    revolute_loop,
    robot,
)

ROBOTS = Path(__file__).resolve().parents[2] / "robots"
GRAVITY = (0.0, 0.0, -9.81)
LIGHT = 0.01, 1e-5  # kg, kg m^2: of links without mass
LIMIT = {"lower": "-100", "upper": "100", "effort": "1e6", "velocity": "1e6"}


def problems() -> tuple[Problem, ...]:
    """Return all mechanisms of the benchmark."""
    return (
        plain(four_bar.problem(1), "four-bar", 1.0),
        plain(bricard.problem(), "Bricard", 1.0),
        of_package("delta", "Delta", 0.2, {"arm_joint_1": 0.3, "arm_joint_2": -0.1}),
        of_package("stewart", "Stewart platform", 0.2, {"leg_1": 0.05, "leg_4": -0.05}),
        charmie(),
        of_package("spring_leg", "Cassie-like leg", 0.3, held=("shin_joint", "heel_joint")),
        biped(),
    )


def plain(problem: Problem, title: str, duration: float) -> Problem:
    """Return a problem without efforts and velocities, as all programs read it."""
    content = yaml.safe_load(problem.mechanisms)
    return _released(problem.name, title, problem.urdf, content, duration)


def of_package(
    name: str,
    title: str,
    duration: float,
    position: Mapping[str, float] = MappingProxyType({}),
    held: Collection[str] = (),
) -> Problem:
    """Return a robot of the folder robots, near a position, without springs; some joints held."""
    urdf, file = (ROBOTS / f"{name}{end}" for end in (".urdf", "_mechanisms.yaml"))
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    text = urdf.read_text(encoding="utf-8")
    return replace(_released(name, title, text, content, duration, held), position=position)


def charmie() -> Problem:
    """Return CHARMIE with tubes, rods and loop joints in place of its linear actuators.

    Without springs and balance mechanisms; its grippers do not move.
    """
    path, file = model_files("", "")
    tree = ElementTree.parse(path).getroot()
    document = yaml.safe_load(Path(str(file)).read_text(encoding="utf-8"))
    held = set()
    for element in tree.findall("joint"):
        follows = element.find("mimic")
        if follows is not None:
            held |= {element.get("name", ""), follows.get("joint", "")}
            element.remove(follows)
    at_zero = UrdfTree(ElementTree.tostring(tree, encoding="unicode")).motion({}, {})
    loops, passive = {}, []
    for name in ("lift", "torso"):
        given = document["linear_actuators"][f"{name}_actuator"]
        base, tip = given["base_body"], given["tip_body"]
        d = at_zero[tip].at(given["tip_point"])[0] - at_zero[base].at(given["base_point"])[0]
        d = at_zero[base].axes.T @ d
        tube, length = f"{name}_tube", (0.0, 0.0, float(np.linalg.norm(d)))
        tilt = (float(np.arctan2(-d[1], d[2])), 0.0, 0.0)
        parts = [
            joint(f"{name}_pivot", "revolute", base, tube, given["base_point"], X, tilt),
            link(tube, 0.5, (0.0, 0.0, 0.1), 3 * (0.003,)),
            joint(f"{name}_slide", "prismatic", tube, f"{name}_rod", length),
            link(f"{name}_rod", 0.3, (0.0, 0.0, -0.1), 3 * (0.002,)),
        ]
        tree.extend(ElementTree.fromstring(part) for part in parts)
        loops[f"{name}_pin"] = revolute_loop(f"{name}_rod", ORIGIN, tip, given["tip_point"], X)
        passive += [given["joint"], f"{name}_pivot"]
    content = {"gravity": list(GRAVITY), "loop_joints": loops, "passive_joints": passive}
    urdf = ElementTree.tostring(tree, encoding="unicode")
    return _released("charmie", "CHARMIE", urdf, content, 0.2, held)


def biped() -> Problem:
    """Return two legs that hang from a pelvis; four-bars bend the knees, two rods each foot."""
    parts, loops, passive = [], {}, []
    for side, sign in (("left", 1.0), ("right", -1.0)):

        def named(name: str, side: str = side) -> str:
            return f"{side}_{name}"

        hip, shin = named("hip"), named("shin")
        motor, tip, pull = np.array((0.03, 0.0, -0.1)), (-0.05, 0.0, 0.02), (-0.06, 0.0, 0.01)
        knee, ankle = np.array((0.1, 0.0, -0.35)), np.array((-0.12, 0.0, -0.38))
        rod = knee + pull - motor - tip
        parts += [
            joint(named("yaw"), "revolute", BASE, hip, (0.0, 0.1 * sign, 0.0)),
            link(hip, 1.5, (0.01, 0.0, -0.02), 3 * (0.004,)),
            joint(named("roll"), "revolute", hip, named("fork"), (0.0, 0.0, -0.05), X),
            link(named("fork"), 1.2, (0.0, 0.01 * sign, 0.0), 3 * (0.003,)),
            joint(named("pitch"), "revolute", named("fork"), named("thigh"), axis=Y),
            link(named("thigh"), 4.0, (0.05, 0.0, -0.15), (0.05, 0.05, 0.02)),
            joint(named("knee_motor"), "revolute", named("thigh"), named("crank"), motor, Y),
            link(named("crank"), 0.2, (-0.02, 0.0, 0.01), 3 * (2e-4,)),
            joint(named("knee_rod"), "revolute", named("crank"), named("rod"), tip, Y),
            _bar(named("rod"), 0.2, rod),
            joint(named("knee"), "revolute", named("thigh"), shin, knee, Y),
            link(shin, 2.0, (-0.05, 0.0, -0.17), (0.03, 0.03, 0.005)),
            joint(named("ankle_pitch"), "revolute", shin, named("cross"), ankle, Y),
            link(named("cross"), *_light()),
            joint(named("ankle_roll"), "revolute", named("cross"), named("foot"), axis=X),
            link(named("foot"), 0.8, (0.03, 0.0, -0.04), 3 * (0.002,)),
        ]
        loops[named("knee_pin")] = revolute_loop(named("rod"), rod, shin, pull, Y)
        passive += [named(n) for n in ("knee_rod", "knee", "ankle_pitch", "ankle_roll")]
        for inner, lateral in (("inner", -0.04), ("outer", 0.04)):
            pivot = ankle + np.array((0.0, lateral, 0.22 if inner == "inner" else 0.15))
            end, arm = np.array((-0.05, lateral, -0.01)), np.array((-0.045, 0.0, 0.01))
            reach, motor_name = ankle + end - pivot - arm, named(f"{inner}_motor")
            rod_name = named(f"{inner}_rod")
            parts += [
                joint(motor_name, "revolute", shin, f"{motor_name}_crank", pivot, Y),
                link(f"{motor_name}_crank", 0.1, 0.4 * arm, 3 * (1e-4,)),
                *_crossed(rod_name, f"{motor_name}_crank", arm, f"{rod_name}_body"),
                _bar(f"{rod_name}_body", 0.1, reach),
            ]
            loops[f"{rod_name}_ball"] = _ball(f"{rod_name}_body", reach, named("foot"), end)
            passive += [f"{rod_name}_x", f"{rod_name}_y"]
    text = mechanisms("biped", GRAVITY, loop_joints=loops, passive_joints=passive)
    urdf = robot("biped", *parts)
    return _released("biped", "biped, six loops", urdf, yaml.safe_load(text), 0.1)


def _released(
    name: str,
    title: str,
    urdf: str,
    content: Mapping[str, Any],
    duration: float,
    held: Collection[str] = (),
) -> Problem:
    """Return a problem of links with mass and of joints of one coordinate, without shapes."""
    root = ElementTree.fromstring(urdf.encode())
    moving = {child.get("link") for child in root.iterfind("joint/child")}
    passive = list(content["passive_joints"])
    for element in root.findall("joint"):
        if element.get("name") in held:
            element.set("type", "fixed")
        elif element.get("type") == "floating":
            passive += _unfold(root, element)
    for element in root.findall("joint"):
        for part in ("limit", "dynamics", "safety_controller"):
            for found in element.findall(part):
                element.remove(found)
        if element.get("type") != "fixed":
            element.set("type", element.get("type", "").replace("continuous", "revolute"))
            ElementTree.SubElement(element, "limit", LIMIT)
    for element in root.findall("link"):
        for shape in (*element.findall("visual"), *element.findall("collision")):
            element.remove(shape)
        if element.get("name") in moving and element.find("inertial") is None:
            element.extend(ElementTree.fromstring(link("light", *_light())))
    loops = {
        key: {f"{end}_point": list(ORIGIN) for end in ("first", "second")} | entry
        for key, entry in content["loop_joints"].items()
    }
    gravity = content.get("gravity", GRAVITY)
    text = mechanisms(name, gravity, loop_joints=loops, passive_joints=passive)
    document = ElementTree.tostring(root, encoding="unicode")
    return Problem(name, title, document, text, {}, {}, duration, "multipliers, converged")


def _unfold(root: ElementTree.Element, floating: ElementTree.Element) -> list[str]:
    """Put three slides and three hinges in the place of a floating joint; return their names."""
    child, name = floating.find("child"), floating.get("name", "")
    assert child is not None
    names = [f"{name}_{k}" for k in range(6)]
    links = [*(f"{name}_link" for name in names[:5]), child.get("link", "")]
    floating.set("name", names[0])
    floating.set("type", "prismatic")
    ElementTree.SubElement(floating, "axis", xyz="1 0 0")
    child.set("link", links[0])
    parts = [link(before, *_light()) for before in links[:5]]
    for k in range(1, 6):
        kind = "prismatic" if k < 3 else "revolute"
        parts.append(joint(names[k], kind, links[k - 1], links[k], axis=(X, Y, Z)[k % 3]))
    root.extend(ElementTree.fromstring(part) for part in parts)
    return names


def _light() -> tuple[float, Vector, Vector]:
    return LIGHT[0], ORIGIN, 3 * (LIGHT[1],)


def _bar(name: str, mass: float, tip: Any) -> str:
    return link(name, mass, 0.5 * np.asarray(tip), 3 * (mass * float(np.dot(tip, tip)) / 12.0,))


def _ball(first: str, first_point: Any, second: str, second_point: Any) -> dict[str, Any]:
    hinge = revolute_loop(first, first_point, second, second_point)
    return {key: value for key, value in hinge.items() if key != "axis"} | {"type": "spherical"}


def _crossed(name: str, parent: str, at: Any, child: str) -> list[str]:
    """Return two crossed hinges, along x and y, that support a link."""
    return [
        joint(f"{name}_x", "revolute", parent, f"{name}_cross", at, X),
        link(f"{name}_cross", *_light()),
        joint(f"{name}_y", "revolute", f"{name}_cross", child, axis=Y),
    ]
