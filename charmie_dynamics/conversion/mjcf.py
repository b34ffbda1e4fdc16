# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""MJCF to a `ConvertedRobot`. MuJoCo compiles the file: defaults, includes, meshes and units.

- Bodies with several joints become links without mass between these; ball joints three hinges.
- `connect` and `weld` become loop joints; `joint` equalities, and those of fixed tendons over two
  joints, become mimic joints. MuJoCo softens them; here they are rigid.
- Springs, dampers, friction and armatures of joints, and springs along spatial tendons between two
  sites, keep their laws.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from charmie_dynamics.errors import ModelFileError
from charmie_dynamics.model.description.robot import (
    Collision,
    Inertial,
    Joint,
    Limit,
    Mimic,
    Visual,
)
from charmie_dynamics.model.description.urdf import rpy_from_rotation
from charmie_dynamics.numerics.vectors import Floats

from .converted_robot import GREY, UNLIMITED, ConvertedRobot, friction_of, numbers

HINGE, SLIDE, FREE, BALL = (
    int(getattr(mujoco.mjtJoint, f"mjJNT_{kind}")) for kind in ("HINGE", "SLIDE", "FREE", "BALL")
)
TYPES = {HINGE: "revolute", SLIDE: "prismatic", FREE: "floating"}
KINDS = {"BOX": "box", "SPHERE": "sphere", "CYLINDER": "cylinder", "CAPSULE": "capsule",
         "MESH": "mesh"}  # fmt: skip
# parts without counterpart, and their number in a model
LEFT_OUT = {
    "sensors": "nsensor",
    "cameras": "ncam",
    "lights": "nlight",
    "pairs of contacts": "npair",
    "excluded contacts": "nexclude",
    "flexible bodies": "nflex",
    "plugins": "nplugin",
}


def convert_mjcf(path: Path) -> ConvertedRobot:
    """Return the robot of an MJCF file.

    Raises
    ------
    ModelFileError
        If MuJoCo does not compile it, or a name is used twice.
    """
    try:
        model = mujoco.MjModel.from_xml_path(str(path))
    except (ValueError, FileNotFoundError) as error:
        raise ModelFileError(f"{path}: {' '.join(str(error).split())}") from None
    return _Conversion(model, path.stem).robot


class _Conversion:
    """The parts of a compiled model, in the order of its bodies."""

    def __init__(self, model: Any, name: str) -> None:
        self.model = model
        x, y, z = numbers(model.opt.gravity)
        self.robot = ConvertedRobot(name, gravity=(x, y, z))
        self.joint_names = [
            self.name("JOINT", k, f"{self.body(model.jnt_bodyid[k])}_joint_{k}")
            for k in range(model.njnt)
        ]
        self.add_actuators()
        self.add_shapes_of_the_world()
        for body in range(1, model.nbody):
            self.add_body(body)
        for equality in range(model.neq):
            self.add_equality(equality)
        self.add_tendons()
        counts = ((what, int(getattr(model, count, 0))) for what, count in LEFT_OUT.items())
        self.robot.dropped += [f"{count} {what}" for what, count in counts if count]
        self.robot.poses += [self.pose_of(row) for row in model.key_qpos]

    def name(self, kind: str, k: int, default: str) -> str:
        found = mujoco.mj_id2name(self.model, getattr(mujoco.mjtObj, f"mjOBJ_{kind}"), int(k))
        return found or default

    def body(self, k: int) -> str:
        return self.name("BODY", k, f"body_{k}")

    def zero_of(self, joint: int) -> float:
        """Return what MuJoCo calls the zero position of a joint with one coordinate."""
        return float(self.model.qpos0[self.model.jnt_qposadr[joint]])

    def pose_of(self, qpos: Floats) -> dict[str, float]:
        model = self.model
        pose = {}
        for k, name in enumerate(self.joint_names):
            first = int(model.jnt_qposadr[k])
            if model.jnt_type[k] in (HINGE, SLIDE):
                pose[name] = float(qpos[first]) - self.zero_of(k)
            elif model.jnt_type[k] == BALL:
                R = _matrix(qpos[first : first + 4])
                pose[f"{name}_x"] = float(np.arctan2(-R[1, 2], R[2, 2]))
                pose[f"{name}_y"] = float(np.arcsin(np.clip(R[0, 2], -1.0, 1.0)))
                pose[f"{name}_z"] = float(np.arctan2(-R[0, 1], R[0, 0]))
        return pose

    def add_body(self, body: int) -> None:
        model, robot, name = self.model, self.robot, self.body(body)
        parent, p = self.body(model.body_parentid[body]), model.body_pos[body].copy()
        R = _matrix(model.body_quat[body])
        first = int(model.body_jntadr[body])
        joints = range(first, first + int(model.body_jntnum[body]))
        anchor = np.zeros(3)
        steps = [step for joint in joints for step in self.steps(joint)]
        for n, (joint_name, kind, axis, own, joint) in enumerate(steps):
            is_last = n + 1 == len(steps) and not own.any()
            child = name if is_last else f"{name}_{joint_name}"
            if not is_last:
                robot.add_link(child)
            robot.joints.append(
                Joint(joint_name, kind, parent, child, p + R @ (own - anchor), R, axis,
                      self.limit(joint, kind), friction=self.friction(joint, kind))
            )  # fmt: skip
            parent, p, R, anchor = child, np.zeros(3), np.eye(3), own
        if not steps or anchor.any():
            fixed = f"{name}_fixed"
            axis = np.array((0.0, 0.0, 1.0))
            robot.joints.append(
                Joint(fixed, "fixed", parent, name, p - R @ anchor, R, axis, UNLIMITED)
            )
        robot.add_link(name, self.inertial(body), *self.shapes(body))

    def steps(self, joint: int) -> Iterator[tuple[str, Any, Floats, Floats, int]]:
        """Yield name, type, axis and anchor of the joints that a joint becomes."""
        model, name, kind = self.model, self.joint_names[joint], int(self.model.jnt_type[joint])
        anchor = np.array(model.jnt_pos[joint])
        if kind == BALL:
            self.robot.dropped.append(
                f"ball joint '{name}': three hinges in its place, singular at a quarter turn of "
                f"'{name}_y'"
            )
            for axis, letter in zip(np.eye(3), "xyz", strict=True):
                yield f"{name}_{letter}", "continuous", axis, anchor, joint
            return
        self.add_law(joint)
        if kind == HINGE and not model.jnt_limited[joint]:
            yield name, "continuous", np.array(model.jnt_axis[joint]), anchor, joint
        else:
            yield name, TYPES[kind], np.array(model.jnt_axis[joint]), anchor, joint

    def add_law(self, joint: int) -> None:
        """Add spring and rotor of a joint."""
        model, name = self.model, self.joint_names[joint]
        freedom = int(model.jnt_dofadr[joint])
        armature = float(model.dof_armature[freedom])
        stiffness = float(np.ravel(model.jnt_stiffness[joint])[0])
        if model.jnt_type[joint] == FREE:
            if armature:
                self.robot.dropped.append(f"armature of the free joint '{name}'")
            return
        if armature:
            self.robot.rotors[name] = {"inertia": armature}
        if stiffness:
            rest = float(model.qpos_spring[model.jnt_qposadr[joint]]) - self.zero_of(joint)
            entry = {"joint": name, "stiffness": stiffness, "rest": rest}
            self.robot.joint_springs[f"{name}_spring"] = entry

    def friction(self, joint: int, kind: str) -> Any:
        if kind == "floating":
            return None
        freedom = int(self.model.jnt_dofadr[joint])
        damping = float(np.ravel(self.model.dof_damping[freedom])[0])
        return friction_of(damping, float(self.model.dof_frictionloss[freedom]))

    def limit(self, joint: int, kind: str) -> Limit:
        model = self.model
        lower, upper = -np.inf, np.inf
        if model.jnt_limited[joint] and model.jnt_type[joint] in (HINGE, SLIDE):
            lower, upper = numbers(model.jnt_range[joint] - self.zero_of(joint))
        effort = self.effort_limits.get(joint, np.inf)
        if model.jnt_actfrclimited[joint]:
            effort = min(effort, float(np.abs(model.jnt_actfrcrange[joint]).max()))
        return Limit(lower, upper, effort, np.inf)

    def inertial(self, body: int) -> Inertial | None:
        model = self.model
        mass = float(model.body_mass[body])
        if mass == 0.0:
            return None
        R = _matrix(model.body_iquat[body])
        inertia = R @ np.diag(model.body_inertia[body]) @ R.T
        return Inertial(mass, np.array(model.body_ipos[body]), 0.5 * (inertia + inertia.T))

    def shapes(self, body: int) -> tuple[list[Visual], list[Collision]]:
        """Return the geoms of a body; planes, height fields and ellipsoids are left out."""
        model = self.model
        visuals: list[Visual] = []
        collisions: list[Collision] = []
        first = int(model.body_geomadr[body])
        for k in range(first, first + int(model.body_geomnum[body])):
            name = mujoco.mjtGeom(int(model.geom_type[k])).name.removeprefix("mjGEOM_")
            if name not in KINDS:
                shape = self.name("GEOM", k, f"{self.body(body)}_geom_{k}")
                self.robot.dropped.append(f"shape '{shape}': {name.lower()}")
                continue
            kind: Any = KINDS[name]
            p, R = np.array(model.geom_pos[k]), _matrix(model.geom_quat[k])
            size, mesh = self.size(k, kind), self.mesh(k) if kind == "mesh" else ""
            rgba = tuple(numbers(model.geom_rgba[k])) or GREY
            if kind != "capsule":
                visuals.append(Visual(kind, size, p, R, rgba, mesh))  # type: ignore[arg-type]
            if model.geom_contype[k] or model.geom_conaffinity[k]:
                collisions.append(Collision(kind, size, p, R, mesh))
        return visuals, collisions

    def size(self, geom: int, kind: str) -> tuple[float, ...]:
        x, y, z = numbers(self.model.geom_size[geom])
        if kind == "box":
            return 2.0 * x, 2.0 * y, 2.0 * z
        if kind == "mesh":
            return 1.0, 1.0, 1.0
        return (x,) if kind == "sphere" else (x, 2.0 * y)

    def mesh(self, geom: int) -> str:
        """Return the name of the file of a geom's mesh, whose triangles the robot gets."""
        model, mesh = self.model, int(self.model.geom_dataid[geom])
        name = f"{self.name('MESH', mesh, f'mesh_{mesh}')}.stl"
        first, face = int(model.mesh_vertadr[mesh]), int(model.mesh_faceadr[mesh])
        corners = model.mesh_face[face : face + int(model.mesh_facenum[mesh])]
        self.robot.meshes[name] = model.mesh_vert[first + corners].astype(np.float64)
        return name

    def add_shapes_of_the_world(self) -> None:
        self.robot.add_link("world", None, *self.shapes(0))

    def add_actuators(self) -> None:
        """Note which joints have motors, and their largest efforts."""
        model = self.model
        self.effort_limits: dict[int, float] = {}
        of_joints = {int(getattr(mujoco.mjtTrn, f"mjTRN_{w}")) for w in ("JOINT", "JOINTINPARENT")}
        for k in range(model.nu):
            joint = int(model.actuator_trnid[k, 0])
            own, gear = self.name("ACTUATOR", k, f"actuator_{k}"), abs(model.actuator_gear[k, 0])
            if int(model.actuator_trntype[k]) not in of_joints or gear == 0.0:
                self.robot.dropped.append(f"actuator '{own}': it does not act on one joint")
                continue
            self.robot.driven.add(self.joint_names[joint])
            if model.actuator_biastype[k] != int(mujoco.mjtBias.mjBIAS_NONE):
                self.robot.dropped.append(f"actuator '{own}': its control law; the motor is kept")
            elif model.actuator_ctrllimited[k]:
                gain = abs(float(model.actuator_gainprm[k, 0])) * gear
                largest = gain * float(np.abs(model.actuator_ctrlrange[k]).max())
                self.effort_limits[joint] = largest
            if model.actuator_forcelimited[k]:
                largest = float(gear * np.abs(model.actuator_forcerange[k]).max())
                self.effort_limits[joint] = min(self.effort_limits.get(joint, np.inf), largest)

    def add_equality(self, k: int) -> None:
        model, data, names = self.model, self.model.eq_data[k], mujoco.mjtEq
        name = self.name("EQUALITY", k, f"equality_{k}")
        kind = names(int(model.eq_type[k]))
        if not model.eq_active0[k]:
            self.robot.dropped.append(f"equality '{name}': it is not active")
        elif kind == names.mjEQ_JOINT:
            first, second = int(model.eq_obj1id[k]), int(model.eq_obj2id[k])
            self.relate(name, {first: 1.0, **({second: -float(data[1])} if second >= 0 else {})},
                        float(data[0]), bool(data[2:5].any()))  # fmt: skip
        elif kind == names.mjEQ_TENDON and model.eq_obj2id[k] < 0:
            tendon = int(model.eq_obj1id[k])
            terms = self.terms_of(tendon)
            if terms is None:
                self.robot.dropped.append(f"equality '{name}': a spatial tendon of constant length")
                return
            self.relate(name, terms, float(data[0]), is_curved=False)
        elif kind in (names.mjEQ_CONNECT, names.mjEQ_WELD):
            self.robot.loop_joints[name] = self.loop_joint(k, kind == names.mjEQ_WELD)
        else:
            what = kind.name.removeprefix("mjEQ_").lower()
            self.robot.dropped.append(f"equality '{name}': {what} has no rigid counterpart")

    def loop_joint(self, k: int, is_weld: bool) -> dict[str, Any]:
        """Return the entry of a connect or weld."""
        model, data = self.model, self.model.eq_data[k]
        first, second = int(model.eq_obj1id[k]), int(model.eq_obj2id[k])
        if model.eq_objtype[k] == int(mujoco.mjtObj.mjOBJ_SITE):
            bodies = model.site_bodyid[first], model.site_bodyid[second]
            points = model.site_pos[first], model.site_pos[second]
            first_R, second_R = (_matrix(model.site_quat[site]) for site in (first, second))
            R = first_R @ second_R.T
        else:
            bodies = first, max(second, 0)
            R = _matrix(data[6:10]) if is_weld else np.eye(3)
            # of a weld the anchor is that of the second body
            points = (data[3:6], data[:3]) if is_weld else (data[:3], data[3:6])
        entry: dict[str, Any] = {
            "type": "fixed" if is_weld else "spherical",
            "first_body": self.body(bodies[0]),
            "first_point": numbers(points[0]),
            "second_body": self.body(bodies[1]),
            "second_point": numbers(points[1]),
        }
        if is_weld:
            entry["second_rpy"] = numbers(rpy_from_rotation(R))
        return entry

    def relate(self, name: str, terms: dict[int, float], sum_of: float, is_curved: bool) -> None:
        """Make a joint mimic another: the sum of coefficients times displacements is constant."""
        robot, names = self.robot, [self.joint_names[joint] for joint in terms]
        if is_curved or len(terms) != 2:
            robot.dropped.append(
                f"equality '{name}': expected a linear relation of two joints, got "
                f"{'a polynomial' if is_curved else 'one'} of {', '.join(names)}"
            )
            return
        (_, own), (_, other) = terms.items()
        n = next(k for k, joint in enumerate(robot.joints) if joint.name == names[0])
        if robot.joints[n].mimic is not None or own == 0.0 or other == 0.0:
            robot.dropped.append(f"equality '{name}': '{names[0]}' follows another joint already")
            return
        fields = {**vars(robot.joints[n]), "mimic": Mimic(names[1], -other / own, sum_of / own)}
        robot.joints[n] = Joint(**fields)

    def terms_of(self, tendon: int) -> dict[int, float] | None:
        """Return the coefficients of the joints of a fixed tendon; None of a spatial one."""
        model, first = self.model, int(self.model.tendon_adr[tendon])
        places = range(first, first + int(model.tendon_num[tendon]))
        if any(model.wrap_type[k] != int(mujoco.mjtWrap.mjWRAP_JOINT) for k in places):
            return None
        return {int(model.wrap_objid[k]): float(model.wrap_prm[k]) for k in places}

    def add_tendons(self) -> None:
        """Add springs along straight spatial tendons between two sites."""
        model = self.model
        related = {
            int(model.eq_obj1id[k])
            for k in range(model.neq)
            if model.eq_type[k] == int(mujoco.mjtEq.mjEQ_TENDON)
        }
        for tendon in set(range(model.ntendon)) - related:
            name = self.name("TENDON", tendon, f"tendon_{tendon}")
            first = int(model.tendon_adr[tendon])
            places = range(first, first + int(model.tendon_num[tendon]))
            is_of_sites = all(model.wrap_type[k] == int(mujoco.mjtWrap.mjWRAP_SITE) for k in places)
            stiffness = float(np.ravel(model.tendon_stiffness[tendon])[0])
            low, high = numbers(model.tendon_lengthspring[tendon])
            if not is_of_sites or len(places) != 2 or not stiffness or (low > 0.0 and low != high):
                self.robot.dropped.append(f"tendon '{name}': no spring between two sites")
                continue
            sites = [int(model.wrap_objid[k]) for k in places]
            entry: dict[str, Any] = {}
            for end, site in zip(("base", "tip"), sites, strict=True):
                entry[f"{end}_body"] = self.body(model.site_bodyid[site])
                entry[f"{end}_point"] = numbers(model.site_pos[site])
            entry |= {"stiffness": stiffness, "free_length": high}
            damping = float(np.ravel(model.tendon_damping[tendon])[0])
            entry |= {"damping": damping} if damping else {}
            entry |= {"acts": "both"} if low == high else {}
            self.robot.springs[name] = entry


def _matrix(quaternion: Floats) -> Floats:
    """Return the rotation matrix of a quaternion (w, x, y, z)."""
    result = np.empty(9)
    mujoco.mju_quat2Mat(result, np.array(quaternion, dtype=np.float64))
    return result.reshape(3, 3)
