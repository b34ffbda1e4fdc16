# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""MJCF to a `ConvertedRobot`. MuJoCo compiles the file: defaults, includes, meshes and units.

- Bodies with several joints become links without mass between these; ball joints three hinges.
- `connect` and `weld` become loop joints; `joint` equalities, and those of fixed tendons, become
  mimic joints if they relate two joints, else `joint_relations`. MuJoCo softens them; here they are
  rigid.
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

from .compiled_mjcf import BALL, FREE, HINGE, SLIDE, CompiledMjcf
from .converted_robot import GREY, UNLIMITED, ConvertedRobot, friction_of, numbers

TYPES = {HINGE: "revolute", SLIDE: "prismatic", FREE: "floating"}
KINDS = {"BOX": "box", "SPHERE": "sphere", "CYLINDER": "cylinder", "CAPSULE": "capsule",
         "MESH": "mesh"}  # fmt: skip
OF_JOINTS = {int(getattr(mujoco.mjtTrn, f"mjTRN_{w}")) for w in ("JOINT", "JOINTINPARENT")}
OF_TENDONS = int(mujoco.mjtTrn.mjTRN_TENDON)


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


class _Conversion(CompiledMjcf):
    """The parts of a compiled model, in the order of its bodies."""

    def __init__(self, model: Any, name: str) -> None:
        super().__init__(model)
        x, y, z = np.zeros(3) if self.is_off("GRAVITY") else numbers(model.opt.gravity)
        self.robot = ConvertedRobot(name, gravity=(float(x), float(y), float(z)))
        self.add_actuators()
        self.robot.add_link("world", None, *self.shapes(0))
        for body in range(1, model.nbody):
            self.add_body(body)
        for equality in range(model.neq):
            self.add_equality(equality)
        self.add_tendons()
        self.robot.dropped += self.omissions()
        self.robot.poses += [self.pose_of(row) for row in model.key_qpos]

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
        """Add spring and rotor of a joint with one coordinate."""
        model, name = self.model, self.joint_names[joint]
        if model.jnt_type[joint] == FREE:
            return
        armature = self.number("dof_armature", int(model.jnt_dofadr[joint]))
        armature += self.armatures.get(joint, 0.0)
        stiffness = self.number("jnt_stiffness", joint, "SPRING")
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
        damping = self.number("dof_damping", freedom, "DAMPER") + self.dampings.get(joint, 0.0)
        return friction_of(damping, self.number("dof_frictionloss", freedom, "FRICTIONLOSS"))

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

    def add_actuators(self) -> None:
        """Note which joints have motors, their largest efforts, and what the motors add to them."""
        model = self.model
        self.effort_limits: dict[int, float] = {}
        self.armatures: dict[int, float] = {}
        self.dampings: dict[int, float] = {}
        laws = []
        count = len(model.actuator_trnid)
        # MuJoCo 4 has actuators with several controls or outputs
        controls = getattr(model, "actuator_ctrladr", range(count))
        outputs = getattr(model, "actuator_outadr", range(count))
        for k in range(count):
            own, target = self.name("ACTUATOR", k), int(model.actuator_trnid[k, 0])
            gear = abs(float(model.actuator_gear[outputs[k], 0]))
            kind = int(model.actuator_trntype[k])
            if kind == OF_TENDONS and self.terms_of(target):
                joints = [self.joint_names[joint] for joint in self.terms_of(target) or ()]
                self.robot.driven |= set(joints)
                self.robot.dropped.append(
                    f"actuator '{own}' of a tendon: each of {', '.join(joints)} counts as driven; "
                    "name one with --driven"
                )
                continue
            is_single = kind in OF_JOINTS and model.jnt_type[target] in (HINGE, SLIDE)
            if not is_single or gear == 0.0:
                self.robot.dropped.append(
                    f"actuator '{own}': it does not act on one hinge or slide; name driven joints "
                    "with --driven"
                )
                continue
            self.robot.driven.add(self.joint_names[target])
            for array, found in (("armature", self.armatures), ("damping", self.dampings)):
                added = gear**2 * self.number(f"actuator_{array}", k)
                found[target] = found.get(target, 0.0) + added
            control = int(controls[k])
            if model.actuator_biastype[k] != int(mujoco.mjtBias.mjBIAS_NONE):
                laws.append(own)
            elif model.actuator_ctrllimited[control]:
                gain = abs(float(model.actuator_gainprm[k, 0])) * gear
                largest = gain * float(np.abs(model.actuator_ctrlrange[control]).max())
                self.effort_limits[target] = largest
            if model.actuator_forcelimited[k]:
                largest = float(gear * np.abs(model.actuator_forcerange[k]).max())
                self.effort_limits[target] = min(self.effort_limits.get(target, np.inf), largest)
        if laws:
            self.robot.dropped.append(
                f"control laws of the actuators {', '.join(laws)}; their motors are kept"
            )

    def add_equality(self, k: int) -> None:
        model, data, names = self.model, self.model.eq_data[k], mujoco.mjtEq
        name, dropped = self.name("EQUALITY", k), self.robot.dropped
        kind = names(int(model.eq_type[k]))
        first, second = int(model.eq_obj1id[k]), int(model.eq_obj2id[k])
        if not model.eq_active0[k] or self.is_off("EQUALITY"):
            dropped.append(f"equality '{name}': it is not active; set active=\"true\" to keep it")
            return
        if kind in (names.mjEQ_CONNECT, names.mjEQ_WELD):
            self.robot.loop_joints[name] = self.loop_joint(k, kind == names.mjEQ_WELD)
        elif kind in (names.mjEQ_JOINT, names.mjEQ_TENDON):
            found = self.displacements(kind, first), self.displacements(kind, second)
            if found[0] is None or found[1] is None:
                dropped.append(
                    f"equality '{name}': the length of a spatial tendon; a loop joint of the type "
                    "'distance' in the mechanisms file keeps two points apart"
                )
                return
            slope = float(data[1]) if second >= 0 else 0.0
            terms = dict(found[0])
            for joint, coefficient in found[1].items():
                terms[joint] = terms.get(joint, 0.0) - slope * coefficient
            if not self.relate(name, terms, float(data[0]), bool(second >= 0 and data[2:5].any())):
                return
        else:
            what = kind.name.removeprefix("mjEQ_").lower()
            dropped.append(f"equality '{name}': {what} has no rigid counterpart")
            return
        softness = self.softness(k)
        if softness:
            dropped.append(
                f"softness of the equality '{name}' ({softness}): here it is rigid; if it models a "
                "compliant part, leave it out and add a spring to the mechanisms file"
            )

    def displacements(self, kind: Any, k: int) -> dict[int, float] | None:
        """Return the coefficients of joints whose sum is that of a joint or of a fixed tendon."""
        if k < 0:
            return {}
        return {k: 1.0} if kind == mujoco.mjtEq.mjEQ_JOINT else self.terms_of(k)

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

    def relate(self, name: str, terms: dict[int, float], sum_of: float, is_curved: bool) -> bool:
        """Relate joints: the sum of coefficients times displacements is constant.

        Of two joints the one without a motor mimics the other, else the first. More are a relation.
        Returns whether the robot has it.
        """
        terms = {joint: own for joint, own in terms.items() if own} or terms
        robot, names = self.robot, [self.joint_names[joint] for joint in terms]
        if is_curved or len(terms) < 2:
            listed = ", ".join(names)
            relation = "a polynomial of" if is_curved else "one of"
            advice = "make it a fixed joint" if len(terms) == 1 else "they move independently here"
            robot.dropped.append(
                f"equality '{name}': expected a linear relation of two joints or more, got "
                f"{relation} {listed}; {advice}"
            )
            return False
        if len(terms) > 2:
            self.add_relation(name, terms, sum_of)
            return True
        follows = {j.name: j.mimic.joint for j in robot.joints if isinstance(j.mimic, Mimic)}
        ways = [tuple(terms.items()), tuple(terms.items())[::-1]]
        for (joint, own), (leader, other) in sorted(
            ways, key=lambda way: self.joint_names[way[0][0]] in robot.driven
        ):
            follower, led = self.joint_names[joint], self.joint_names[leader]
            above = led
            while above in follows and above != follower:
                above = follows[above]
            if follower in follows or above == follower or own == 0.0 or other == 0.0:
                continue
            n = next(k for k, known in enumerate(robot.joints) if known.name == follower)
            mimic = Mimic(led, -other / own, sum_of / own)
            robot.joints[n] = Joint(**{**vars(robot.joints[n]), "mimic": mimic})
            if follower in robot.driven:
                robot.dropped.append(f"motor of '{follower}', which follows '{led}'")
                robot.driven.remove(follower)
            return True
        if len({self.leader_of(joint, follows) for joint in names}) == 2:
            self.add_relation(name, terms, sum_of)
            return True
        robot.dropped.append(
            f"equality '{name}': {' and '.join(names)} follow other joints already, or each other"
        )
        return False

    @staticmethod
    def leader_of(name: str, follows: dict[str, str]) -> str:
        """Return the joint at the end of a chain of mimic joints."""
        while name in follows:
            name = follows[name]
        return name

    def add_relation(self, name: str, terms: dict[int, float], sum_of: float) -> None:
        """Add an entry of `joint_relations`."""
        coefficients = {self.joint_names[joint]: float(own) for joint, own in terms.items()}
        entry = {"coefficients": coefficients, "constant": sum_of}
        self.robot.joint_relations[name] = entry if sum_of else {"coefficients": coefficients}

    def add_tendons(self) -> None:
        """Add springs along straight spatial tendons between two sites."""
        model = self.model
        for tendon in range(model.ntendon):
            name, laws = self.name("TENDON", tendon), self.laws_of(tendon)
            path = self.path_of(tendon)
            low, high = numbers(model.tendon_lengthspring[tendon])
            is_line = len(path) == 2 and all(kind == "SITE" for kind, _, _ in path)
            if is_line and "stiffness" in laws and (low <= 0.0 or low == high):
                entry: dict[str, Any] = {}
                for end, (_, site, _) in zip(("base", "tip"), path, strict=True):
                    entry[f"{end}_body"] = self.body(model.site_bodyid[site])
                    entry[f"{end}_point"] = numbers(model.site_pos[site])
                stiffness = self.number("tendon_stiffness", tendon)
                entry |= {"stiffness": stiffness, "free_length": max(high, 0.0)}
                entry |= {"pretension": -stiffness * high} if high < 0.0 else {}
                damping = self.number("tendon_damping", tendon, "DAMPER")
                entry |= {"damping": damping} if damping else {}
                entry |= {"acts": "both"} if low == high else {}
                self.robot.springs[name] = entry
                laws = [law for law in laws if law not in ("stiffness", "damping")]
            if laws:
                self.robot.dropped.append(
                    f"tendon '{name}' {self.where(tendon)}: its {', '.join(laws)}; springs of a "
                    "mechanisms file act on one joint, or between two points"
                )


def _matrix(quaternion: Floats) -> Floats:
    """Return the rotation matrix of a quaternion (w, x, y, z)."""
    result = np.empty(9)
    mujoco.mju_quat2Mat(result, np.array(quaternion, dtype=np.float64))
    return result.reshape(3, 3)
