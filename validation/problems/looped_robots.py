# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The mechanisms of the loop benchmark, released from rest without efforts.

All programs read the same text: every moving link has a mass, and no joint follows another. The
position is near a closed one (`validation.references.loops.LoopReference.closed`).
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
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
        delta(),
        stewart(),
        charmie(),
        cassie_leg(),
        biped(),
    )


def plain(problem: Problem, title: str, duration: float) -> Problem:
    """Return a problem without efforts and velocities, as all programs read it."""
    content = yaml.safe_load(problem.mechanisms)
    return _released(problem.name, title, problem.urdf, content, duration)


def delta() -> Problem:
    """Return the Delta robot of the package; its arms fall from different angles."""
    urdf, file = (ROBOTS / name for name in ("delta.urdf", "delta_mechanisms.yaml"))
    content = yaml.safe_load(file.read_text())
    problem = _released("delta", "Delta", urdf.read_text(), content, 0.2)
    return replace(problem, position={"arm_joint_1": 0.3, "arm_joint_2": -0.1})


def stewart() -> Problem:
    """Return a platform of 8 kg on six legs, each a tube on crossed hinges and a driven slide."""
    at, parts = (0.0, 0.0, 0.8), []
    names = ["x", "y", "z", "roll", "pitch", "yaw"]
    before = BASE
    for k, name in enumerate(names):
        after = "platform" if k == 5 else f"{name}_stage"
        body = (8.0, (0.02, 0.01, 0.03), (0.3, 0.25, 0.4)) if k == 5 else _light()
        kind = "prismatic" if k < 3 else "revolute"
        place = at if k == 2 else ORIGIN
        parts += [joint(name, kind, before, after, place, (X, Y, Z)[k % 3]), link(after, *body)]
        before = after
    loops, passive = {}, list(names)
    for k in range(6):
        turn = k // 2 * 2.0 * np.pi / 3.0 + (0.2 if k % 2 else -0.2)
        turn_top = (k + 1) // 2 * 2.0 * np.pi / 3.0 - np.pi / 3.0 + (-0.3 if k % 2 else 0.3)
        foot = np.array([np.cos(turn), np.sin(turn), 0.0])
        head = 0.5 * np.array([np.cos(turn_top), np.sin(turn_top), 0.0])
        leg = np.array(at) + head - foot
        parts += [
            *_crossed(f"leg_{k}", BASE, foot, f"tube_{k}"),
            link(f"tube_{k}", 0.8, 0.3 * leg, 3 * (0.02,)),
            joint(f"slide_{k}", "prismatic", f"tube_{k}", f"rod_{k}", leg, leg),
            link(f"rod_{k}", 0.5, -0.3 * leg, 3 * (0.01,)),
        ]
        loops[f"ball_{k}"] = _ball(f"rod_{k}", ORIGIN, "platform", head)
        passive += [f"leg_{k}_x", f"leg_{k}_y"]
    return _built("stewart", "Stewart platform", parts, loops, passive, 0.2)


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
            held |= {element.get("name"), follows.get("joint")}
            element.remove(follows)
    for element in tree.findall("joint"):
        if element.get("name") in held:
            element.set("type", "fixed")
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
    return _released("charmie", "CHARMIE", urdf, content, 0.2)


def cassie_leg() -> Problem:
    """Return a leg like that of Cassie: a rod from the hip to the tarsus, another to the toe."""
    heel, hip_pin, crank, toe = (-0.1, 0.0, 0.02), (-0.05, 0.045, 0.0), (0.05, 0.0), (0.06, 0.0)
    knee, tarsus, ankle = (0.12, 0.0, -0.4), (-0.3, 0.0, -0.35), (0.25, 0.0, -0.3)
    heel_place = np.add(np.add(knee, tarsus), heel)
    motor, rod_end = (0.04, 0.02, -0.05), np.add(ankle, (*toe, 0.03))
    rod_start = np.add(motor, (crank[0], 0.0, 0.03))
    parts = [
        joint("hip_roll", "revolute", BASE, "hip", axis=X),
        link("hip", 1.8, (0.01, 0.0, 0.0), 3 * (0.004,)),
        joint("hip_yaw", "revolute", "hip", "yaw", (0.0, 0.0, -0.05)),
        link("yaw", 1.2, (0.0, 0.01, -0.02), 3 * (0.003,)),
        joint("hip_pitch", "revolute", "yaw", "thigh", axis=Y),
        link("thigh", 5.5, (0.06, 0.0, -0.1), (0.06, 0.06, 0.02)),
        joint("knee", "revolute", "thigh", "shin", knee, Y),
        link("shin", 0.8, (-0.15, 0.0, -0.17), (0.02, 0.02, 0.003)),
        joint("tarsus", "revolute", "shin", "tarsus_link", tarsus, Y),
        link("tarsus_link", 0.9, (0.1, 0.0, -0.12), (0.02, 0.02, 0.003)),
        *_crossed("achilles", "thigh", hip_pin, "achilles_rod"),
        _bar("achilles_rod", 0.2, heel_place - hip_pin),
        joint("toe_motor", "revolute", "tarsus_link", "toe_crank", motor, Y),
        link("toe_crank", 0.1, (0.02, 0.0, 0.01), 3 * (1e-4,)),
        joint("plantar", "revolute", "toe_crank", "plantar_rod", rod_start - motor, Y),
        _bar("plantar_rod", 0.12, rod_end - rod_start),
        joint("toe", "revolute", "tarsus_link", "foot", ankle, Y),
        link("foot", 0.3, (0.03, 0.0, 0.0), 3 * (1e-3,)),
    ]
    loops = {
        "heel": _ball("achilles_rod", heel_place - hip_pin, "tarsus_link", heel),
        "toe_pin": revolute_loop("plantar_rod", rod_end - rod_start, "foot", rod_end - ankle, Y),
    }
    passive = ["tarsus", "achilles_x", "achilles_y", "plantar", "toe"]
    return _built("cassie_leg", "Cassie-like leg", parts, loops, passive, 0.3)


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
    return _built("biped", "biped, six loops", parts, loops, passive, 0.1)


def _built(
    name: str,
    title: str,
    parts: Sequence[str],
    loops: Mapping[str, Any],
    passive: Sequence[str],
    duration: float,
) -> Problem:
    text = mechanisms(name, GRAVITY, loop_joints=loops, passive_joints=passive)
    return _released(name, title, robot(name, *parts), yaml.safe_load(text), duration)


def _released(
    name: str, title: str, urdf: str, content: Mapping[str, Any], duration: float
) -> Problem:
    """Return a problem of links with mass and joints with limits, without shapes."""
    root = ElementTree.fromstring(urdf.encode())
    moving = {child.get("link") for child in root.iterfind("joint/child")}
    for element in root.findall("link"):
        for shape in (*element.findall("visual"), *element.findall("collision")):
            element.remove(shape)
        if element.get("name") in moving and element.find("inertial") is None:
            element.extend(ElementTree.fromstring(link("light", *_light())))
    for element in root.findall("joint"):
        if element.get("type") in ("continuous", "revolute", "prismatic"):
            kind = element.get("type", "").replace("continuous", "revolute")
            element.set("type", kind)
            for limit in element.findall("limit"):
                element.remove(limit)
            ElementTree.SubElement(element, "limit", LIMIT)
        for part in ("dynamics", "safety_controller"):
            for found in element.findall(part):
                element.remove(found)
    kept = ("gravity", "loop_joints", "passive_joints")
    text = yaml.safe_dump(
        {"robot": root.get("name"), "gravity": list(GRAVITY)}
        | {key: content[key] for key in kept if key in content},
        sort_keys=False,
    )
    document = ElementTree.tostring(root, encoding="unicode")
    return Problem(name, title, document, text, {}, {}, duration, "multipliers, converged")


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
