# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The problems in MuJoCo: the tree in its joints, loop joints as equality constraints, method RK4.

Its constraints yield in proportion to their force, so that it does not converge to a mechanism that
closes exactly, however short the steps.
"""

from __future__ import annotations

import time
import xml.etree.ElementTree as ElementTree
from typing import Any

import mujoco
import numpy as np
import yaml
from scipy.spatial.transform import Rotation

from validation.problems.problem import Problem
from validation.urdf_tree import UrdfJoint, UrdfTree

from . import WitnessRun

JOINTS = {"revolute": "hinge", "continuous": "hinge", "prismatic": "slide"}
STIFF = 2.0  # steps: time constant of the constraints, the shortest that MuJoCo takes
LIGHT = 1e-14  # what MuJoCo calls massless


def run(problem: Problem, steps: int) -> WitnessRun:
    """Simulate a problem in equal steps over its duration."""
    tree, file = UrdfTree(problem.urdf), yaml.safe_load(problem.mechanisms)
    step = problem.duration / steps
    model = mujoco.MjModel.from_xml_string(_model(problem, tree, file, step))
    data = mujoco.MjData(model)
    for joint in tree.joints:
        if joint.kind in JOINTS:
            data.joint(joint.name).qpos[0] = problem.position.get(joint.name, 0.0)
            data.joint(joint.name).qvel[0] = problem.velocity.get(joint.name, 0.0)
            data.joint(joint.name).qfrc_applied[0] = problem.effort.get(joint.name, 0.0)
    begin = time.process_time()
    mujoco.mj_step(model, data, nstep=steps)
    seconds = time.process_time() - begin
    mujoco.mj_kinematics(model, data)
    if not np.isfinite(data.qpos).all() or data.warning[mujoco.mjtWarning.mjWARN_BADQACC].number:
        raise ArithmeticError("MuJoCo: the accelerations became too large")
    places = {}
    for link, body in tree.links.items():
        if body.mass > 0.0 and link != tree.root:
            at = data.body(link)
            places[link] = at.xpos + at.xmat.reshape(3, 3) @ body.centre
    return WitnessRun(places, seconds)


def _model(problem: Problem, tree: UrdfTree, file: dict[str, Any], step: float) -> str:
    root = ElementTree.Element("mujoco", model=problem.name)
    ElementTree.SubElement(root, "compiler", angle="radian", boundmass=f"{LIGHT!r}")
    option = {"timestep": repr(step), "integrator": "RK4", "gravity": _text(file["gravity"])}
    option |= {"iterations": "100", "tolerance": "1e-14"}
    ElementTree.SubElement(root, "option", option)
    world = ElementTree.SubElement(root, "worldbody")
    children: dict[str, list[UrdfJoint]] = {}
    for joint in tree.joints:
        children.setdefault(joint.parent, []).append(joint)
    pending = [(world, joint) for joint in children.get(tree.root, [])]
    elements = {tree.root: world}
    while pending:
        parent, joint = pending.pop()
        body = elements[joint.child] = _add_body(parent, tree, joint)
        pending += [(body, after) for after in children.get(joint.child, [])]
    equality = ElementTree.SubElement(root, "equality")
    at_zero = tree.motion({}, {})
    for name, entry in file.get("loop_joints", {}).items():
        if entry["type"] not in ("revolute", "spherical"):
            raise ValueError(f"MuJoCo has no constraint for {entry['type']}")
        first, second = entry["first_body"], entry["second_body"]
        along = np.array(entry.get("axis", (0.0, 0.0, 0.0)))
        turned = at_zero[second].axes.T @ at_zero[first].axes @ along
        # a hinge is held at two points of its axis
        for k in range(2 if entry["type"] == "revolute" else 1):
            sites = []
            for link, point, axis in (
                (first, entry["first_point"], along),
                (second, entry["second_point"], turned),
            ):
                sites.append(f"{name}_{k}_{link}")
                at = _text(np.array(point) + k * axis)
                ElementTree.SubElement(elements[link], "site", name=sites[-1], pos=at)
            ElementTree.SubElement(
                equality,
                "connect",
                site1=sites[0],
                site2=sites[1],
                solref=f"{STIFF * step!r} 1",
                solimp="0.9999 0.9999 0.001 0.5 2",
            )
    tendons = ElementTree.SubElement(root, "tendon")
    for name, entry in file.get("springs", {}).items():
        tendon = ElementTree.SubElement(
            tendons,
            "spatial",
            name=name,
            stiffness=repr(entry["stiffness"]),
            damping=repr(entry.get("damping", 0.0)),
            springlength=repr(entry["free_length"]),
        )
        for end in ("base", "tip"):
            site = f"{name}_{end}"
            at = _text(entry[f"{end}_point"])
            ElementTree.SubElement(elements[entry[f"{end}_body"]], "site", name=site, pos=at)
            ElementTree.SubElement(tendon, "site", site=site)
    return ElementTree.tostring(root, encoding="unicode")


def _add_body(parent: ElementTree.Element, tree: UrdfTree, joint: UrdfJoint) -> ElementTree.Element:
    quaternion = Rotation.from_matrix(joint.axes).as_quat()[[3, 0, 1, 2]]
    body = ElementTree.SubElement(
        parent, "body", name=joint.child, pos=_text(joint.place), quat=_text(quaternion)
    )
    if joint.kind in JOINTS:
        ElementTree.SubElement(
            body, "joint", name=joint.name, type=JOINTS[joint.kind], axis=_text(joint.axis)
        )
    link = tree.links[joint.child]
    if link.mass > 0.0:
        values = [link.inertia[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
        values[:3] = [max(value, LIGHT) for value in values[:3]]
        ElementTree.SubElement(
            body,
            "inertial",
            pos=_text(link.centre),
            mass=repr(link.mass),
            fullinertia=_text(values),
        )
    return body


def _text(values: Any) -> str:
    return " ".join(repr(float(value)) for value in values)
