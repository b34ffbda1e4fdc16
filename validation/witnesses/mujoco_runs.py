# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The problems in MuJoCo: the tree in its joints, loop joints as equality constraints, method RK4.

Its constraints yield in proportion to their force, so that it does not converge to a mechanism that
closes exactly, however short the steps.
"""

from __future__ import annotations

import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np
import yaml
from scipy.spatial.transform import Rotation

from validation.problems.problem import Problem
from validation.urdf_tree import UrdfJoint, UrdfTree

from . import JointState, WitnessRun, balance, hinge_points, witness_run

JOINTS = {"revolute": "hinge", "continuous": "hinge", "prismatic": "slide"}
STIFF = 2.0  # steps: time constant of the constraints, the shortest that MuJoCo takes
LIGHT = 1e-14  # what MuJoCo calls massless


def run(problem: Problem, steps: int, *, tuned: bool = True) -> WitnessRun:
    """Simulate a problem in equal steps over its duration.

    Without `tuned` method, solver and constraints are the defaults of MuJoCo.
    """
    tree, file = UrdfTree(problem.urdf), yaml.safe_load(problem.mechanisms)
    step = problem.duration / steps
    model = mujoco.MjModel.from_xml_string(_model(problem, tree, file, step, tuned))
    data = mujoco.MjData(model)
    joints = [joint.name for joint in tree.joints if joint.kind in JOINTS]
    for name in joints:
        data.joint(name).qpos[0] = problem.position.get(name, 0.0)
        data.joint(name).qvel[0] = problem.velocity.get(name, 0.0)
        data.joint(name).qfrc_applied[0] = problem.effort.get(name, 0.0)
    begin = time.process_time()
    mujoco.mj_step(model, data, nstep=steps)
    seconds = time.process_time() - begin
    if not np.isfinite(data.qpos).all() or data.warning[mujoco.mjtWarning.mjWARN_BADQACC].number:
        raise ArithmeticError("MuJoCo: the accelerations became too large")
    position, velocity = (
        {name: float(getattr(data.joint(name), kind)[0]) for name in joints}
        for kind in ("qpos", "qvel")
    )
    return witness_run(tree, tree.motion(position, velocity), seconds)


def efforts(
    problem: Problem, states: Sequence[JointState], *, tuned: bool = True
) -> list[dict[str, float]]:
    """Return the efforts of the actuators for motions.

    Those of `mj_inverse` with its soft constraints, or, `tuned`, those that balance its efforts
    without constraints by multipliers of `efc_J`.
    """
    tree, file = UrdfTree(problem.urdf), yaml.safe_load(problem.mechanisms)
    model = mujoco.MjModel.from_xml_string(_model(problem, tree, file, 1e-3, tuned))
    data = mujoco.MjData(model)
    names = [joint.name for joint in tree.joints if joint.kind in JOINTS]
    column = {name: int(model.joint(name).dofadr[0]) for name in names}
    passive = [column[name] for name in names if name in file["passive_joints"]]
    driven = [name for name in names if name not in file["passive_joints"]]
    columns, found = [column[name] for name in driven], []
    for state in states:
        for values, target in zip(state, (data.qpos, data.qvel, data.qacc), strict=True):
            target[list(column.values())] = [values[name] for name in column]
        jacobian = np.zeros((0, model.nv))
        if tuned:
            mujoco.mj_fwdPosition(model, data)
            jacobian = data.efc_J.reshape(-1, model.nv).copy()
            model.opt.disableflags = int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
        mujoco.mj_inverse(model, data)
        model.opt.disableflags = 0
        load = data.qfrc_inverse
        effort = balance(load, jacobian, passive, columns) if tuned else load[columns]
        found.append(dict(zip(driven, map(float, effort), strict=True)))
    return found


def _model(
    problem: Problem, tree: UrdfTree, file: dict[str, Any], step: float, tuned: bool = True
) -> str:
    root = ElementTree.Element("mujoco", model=problem.name)
    ElementTree.SubElement(root, "compiler", angle="radian", boundmass=f"{LIGHT!r}")
    option = {"timestep": repr(step), "gravity": _text(file["gravity"])}
    if tuned:
        option |= {"integrator": "RK4", "iterations": "100", "tolerance": "1e-14"}
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
    hard = {"solref": f"{STIFF * step!r} 1", "solimp": "0.9999 0.9999 0.001 0.5 2"}
    for name, entry in file.get("loop_joints", {}).items():
        if entry["type"] not in ("revolute", "spherical"):
            raise ValueError(f"MuJoCo has no constraint for {entry['type']}")
        for k, points in enumerate(hinge_points(entry, tree)):
            sites = []
            for end, point in zip(("first", "second"), points, strict=True):
                link = entry[f"{end}_body"]
                sites.append(f"{name}_{k}_{link}")
                place = _text(point)
                ElementTree.SubElement(elements[link], "site", name=sites[-1], pos=place)
            pins = dict(zip(("site1", "site2"), sites, strict=True)) | (hard if tuned else {})
            ElementTree.SubElement(equality, "connect", pins)
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
