# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""SDF to a `ConvertedRobot`: a joint whose child has another parent already closes a loop."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

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
from charmie_dynamics.model.description.world.entities import moments_by_mass
from charmie_dynamics.numerics.vectors import Floats

from .converted_robot import GREY, UNLIMITED, ConvertedRobot, friction_of, numbers
from .sdf_frames import FramePose, ModelFrames, floats, pose_of
from .sdf_scopes import ScopedModels, placement, read_sdf

SINGLE = {"revolute": "revolute", "continuous": "continuous", "prismatic": "prismatic"}
CLOSING = {"revolute": "revolute", "continuous": "revolute", "prismatic": "prismatic",
           "fixed": "fixed", "ball": "spherical"}  # fmt: skip
LEFT_OUT = ("sensor", "plugin", "gripper", "light", "particle_emitter", "projector", "battery")
SHAPES = {"box": ("size",), "sphere": ("radius",), "cylinder": ("radius", "length"),
          "capsule": ("radius", "length"), "mesh": ("scale",)}  # fmt: skip
WATER = 1000.0  # kg/m^3, the density where a file states none
PARALLEL = 1e-6  # 1 - cosine
LARGE = 1e16  # limits beyond it are those of an unlimited joint


def convert_sdf(path: Path, package_path: Sequence[Path] = ()) -> ConvertedRobot:
    """Return the robot of an SDF file: its first model that is not static.

    Parameters
    ----------
    path : Path
    package_path : sequence of Path
        Where models of other files are looked for, see `find_mesh`.

    Raises
    ------
    ModelFileError
        If there is no model, or a part of it cannot be used.
    """
    root, scopes = read_sdf(path), ScopedModels(package_path)
    folder = path.resolve().parent
    models = [(model, folder) for model in (*root.findall("model"), *root.findall("world/model"))]
    for include in (*root.findall("include"), *root.findall("world/include")):
        try:
            models.append(scopes.included(include, folder))
        except ModelFileError as error:
            scopes.dropped.append(str(error))
    if not models:
        reason = f"; {scopes.dropped[0]}" if scopes.dropped else ""
        raise ModelFileError(f"{path}: expected a <model>, got none{reason}")
    chosen = next((k for k, (model, _) in enumerate(models) if not _is_static(model)), 0)
    model, folder = models.pop(chosen)
    robot = _Conversion(model, scopes.flat(model, folder), path.stem).robot
    gravity = root.findtext("world/gravity") or root.findtext("world/physics/gravity")
    if gravity is not None:
        x, y, z = floats(gravity, 3, "gravity")
        robot.gravity = x, y, z
    robot.dropped += scopes.dropped
    robot.dropped += [f"model '{other.get('name')}' of the world" for other, _ in models]
    robot.dropped += [
        f"{count} elements <{tag}> of the world"
        for tag in ("joint", "frame")
        if (count := len(root.findall(f"world/{tag}")))
    ]
    return robot


def _is_static(model: Element) -> bool:
    return (model.findtext("static") or "").strip() in ("true", "1")


class _Conversion:
    def __init__(self, given: Element, model: Element, name: str) -> None:
        self.robot = robot = ConvertedRobot(model.get("name") or name)
        self.frames = ModelFrames(model)
        pose = given.find("pose")
        if pose is not None and pose.get("relative_to") not in (None, "", "world"):
            robot.dropped.append(f"pose of the model: relative to '{pose.get('relative_to')}'")
        self.placed = placement(given, model)
        self.links = {element.get("name", ""): element for element in model.findall("link")}
        names = [element.get("name", "") for element in model.findall("link")]
        for link in names:
            if link in ("", "world") or names.count(link) > 1:
                raise ModelFileError(
                    f"link '{link}': expected names that each link has alone, other than 'world'"
                )
        every = list(model.findall("joint"))
        gearboxes = [joint for joint in every if joint.get("type") == "gearbox"]
        joints = [joint for joint in every if joint.get("type") != "gearbox"]
        self.kinds = {joint.get("name", ""): joint.get("type", "") for joint in joints}
        left = Counter(e.tag for e in model.iter() if e.tag in LEFT_OUT or ":" in e.tag)
        robot.dropped += [f"{count} elements <{tag}>" for tag, count in left.items()]
        self.ends = {
            id(joint): tuple(
                self.frames.link_of((joint.findtext(end) or "").strip())
                for end in ("parent", "child")
            )
            for joint in joints
        }
        for joint in joints:
            self.check(joint)
        self.add_tree(model, joints)
        for plugin in model.iter("plugin"):
            robot.driven |= {(e.text or "").strip() for e in plugin.iter("joint_name")}
        for joint in gearboxes:
            self.add_gearbox(joint, joints)

    def check(self, joint: Element) -> None:
        for link in self.ends[id(joint)]:
            if link != "world" and link not in self.links:
                raise ModelFileError(f"joint '{joint.get('name')}': link '{link}' is unknown")

    def add_tree(self, model: Element, joints: list[Element]) -> None:
        """Add the links from the world outwards; joints to links that are there close loops."""
        robot = self.robot
        robot.add_link("world")
        children = {child for _, child in self.ends.values()}
        starts, held = [], self.connected("world")
        for link in self.links:
            if link not in held:
                group = self.connected(link)
                free = (name for name in self.links if name in group and name not in children)
                starts.append(next(free, link))
                held |= group
        static = _is_static(model)
        for name in starts:
            kind: Any = "fixed" if static else "floating"
            self.add_joint(f"{name}_{kind}", kind, "world", name, self.placed.of(self.pose(name)))
            self.add_link(name)
        waiting, left = deque(("world", *starts)), list(joints)
        while waiting:
            link = waiting.popleft()
            for joint in [j for j in left if link in self.ends[id(j)]]:
                left.remove(joint)
                parent, child = self.ends[id(joint)]
                if parent in robot.links and child in robot.links:
                    self.close(joint)
                elif child == link:
                    self.open(joint, child, parent, sign=-1.0)
                    waiting.append(parent)
                else:
                    self.open(joint, parent, child)
                    waiting.append(child)

    def add_gearbox(self, gearbox: Element, joints: list[Element]) -> None:
        """Relate the angles of two joints: that of the child is -ratio times that of the parent.

        Both are measured from the reference body, about `axis` and `axis2` of the gearbox.
        """
        name = gearbox.get("name", "")
        body = (gearbox.findtext("gearbox_reference_body") or "").strip()
        ratio = self.number(gearbox, "gearbox_ratio", 1.0, f"joint '{name}'")
        reference = self.frames.link_of(body) if body else ""
        angles = []
        for end, key in (("parent", "axis"), ("child", "axis2")):
            link, axis = (
                self.frames.link_of((gearbox.findtext(end) or "").strip()),
                gearbox.find(key),
            )
            for joint in joints:
                ends, kind = self.ends[id(joint)], joint.get("type")
                if set(ends) != {reference, link} or kind not in ("revolute", "continuous"):
                    continue
                along = [
                    self.frames.of_joint(each).R
                    @ self.axis(each, Element("axis") if a is None else a)
                    for each, a in ((gearbox, axis), (joint, joint.find("axis")))
                ]
                sense = float(along[0] @ along[1]) * (1.0 if ends[1] == link else -1.0)
                if abs(abs(sense) - 1.0) < PARALLEL:
                    angles.append((joint.get("name", ""), float(np.sign(sense))))
                    break
        known = {joint.name: joint for joint in self.robot.joints}
        if len(angles) < 2 or ratio == 0.0 or not {own for own, _ in angles} <= set(known):
            self.robot.dropped.append(
                f"gearbox '{name}': expected hinges parallel to its axes from its reference body "
                f"'{body}' to parent and child; joint_relations of the mechanisms file relate "
                "other joints"
            )
            return
        (first, one), (second, other) = angles
        multiplier = -ratio * one * other
        pairs = [(second, first, multiplier), (first, second, 1.0 / multiplier)]
        for follower, leader, value in sorted(pairs, key=lambda pair: pair[0] in self.robot.driven):
            if known[follower].mimic is None and known[leader].mimic is None:
                n = self.robot.joints.index(known[follower])
                mimic = Mimic(leader, value, 0.0)
                self.robot.joints[n] = Joint(**{**vars(known[follower]), "mimic": mimic})
                return
        coefficients = {second: 1.0, first: -multiplier}
        self.robot.joint_relations[name] = {"coefficients": coefficients}

    def connected(self, link: str) -> set[str]:
        """Return the links that joints connect with one."""
        found, more = {link}, True
        while more:
            ends = [set(pair) for pair in self.ends.values()]
            more = bool(new := set().union(*(pair for pair in ends if pair & found)) - found)
            found |= new
        return found

    def pose(self, name: str) -> FramePose:
        return self.frames.in_model("" if name == "world" else name)

    def add_joint(
        self,
        name: str,
        kind: Any,
        parent: str,
        child: str,
        pose: FramePose,
        axis: Floats | None = None,
        limit: Limit = UNLIMITED,
        friction: Any = None,
        mimic: Mimic | None = None,
    ) -> None:
        along = np.array((0.0, 0.0, 1.0)) if axis is None else axis
        self.robot.joints.append(
            Joint(name, kind, parent, child, pose.p, pose.R, along, limit, mimic, friction)
        )

    def open(self, joint: Element, parent: str, child: str, sign: float = 1.0) -> None:
        """Add a joint of the tree and its child: a frame at the joint, and the link fixed to it.

        The sign is -1 for a joint whose parent is moved by its child.
        """
        name, kind = joint.get("name", ""), joint.get("type", "")
        own = self.frames.of_joint(joint)
        within = self.pose(parent).inverse().of(own)
        offset = own.inverse().of(self.pose(child))
        steps = self.steps(joint, name, kind, sign)
        is_at_link = bool(np.allclose(offset.p, 0.0) and np.allclose(offset.R, np.eye(3)))
        if kind == "fixed":
            self.add_joint(name, kind, parent, child, within.of(offset))
        for n, (own_name, own_kind, axis, limit, friction, mimic) in enumerate(steps):
            is_last = n + 1 == len(steps) and is_at_link
            link = child if is_last else f"{own_name}_frame"
            self.add_joint(own_name, own_kind, parent, link, within, axis, limit, friction, mimic)
            if not is_last:
                self.robot.add_link(link)
            parent, within = link, FramePose(np.zeros(3), np.eye(3))
        if steps and not is_at_link:
            self.add_joint(f"{name}_fixed", "fixed", parent, child, offset)
        self.add_link(child)

    def steps(self, joint: Element, name: str, kind: str, sign: float) -> list[Any]:
        """Return name, type, axis, limit, friction and mimic of the joints that one becomes."""
        if kind == "fixed":
            return []
        if kind in SINGLE:
            return [self.step(joint, joint.find("axis"), name, kind, sign)]
        if sign < 0.0:
            raise ModelFileError(
                f"joint '{name}': expected a parent that the root reaches; exchange parent "
                "and child"
            )
        if kind in ("universal", "revolute2"):
            axes = joint.find("axis"), joint.find("axis2")
            return [
                self.step(joint, axis, f"{name}_{n}", "revolute") for n, axis in enumerate(axes)
            ]
        if kind == "ball":
            self.robot.dropped.append(
                f"ball joint '{name}': three hinges in its place, singular at a quarter turn of "
                f"'{name}_y'"
            )
            return [
                (f"{name}_{letter}", "continuous", axis, UNLIMITED, None, None)
                for axis, letter in zip(np.eye(3), "xyz", strict=True)
            ]
        known = ", ".join([*SINGLE, "fixed", "universal", "ball"])
        advice = ""
        if kind == "screw":
            advice = (
                "; write a light link on a revolute joint, and from it a prismatic joint along "
                "the same axis that mimics the revolute one (multiplier in m/rad)"
            )
        raise ModelFileError(f"joint '{name}': expected one of {known}, got '{kind}'{advice}")

    def step(
        self, joint: Element, axis: Element | None, name: str, kind: str, sign: float = 1.0
    ) -> Any:
        """Return a joint about or along one axis."""
        if axis is None:
            raise ModelFileError(f"joint '{name}': expected an <axis>, got none")
        limits = [
            self.number(axis, f"limit/{key}", default, f"joint '{name}'")
            for key, default in (
                ("lower", -np.inf), ("upper", np.inf), ("effort", np.inf), ("velocity", np.inf),
            )
        ]  # fmt: skip
        lower, upper, effort, velocity = (v if abs(v) < LARGE else np.inf * v for v in limits)
        effort, velocity = (v if v > 0.0 else np.inf for v in (effort, velocity))
        if kind == "revolute" and np.isinf((lower, upper)).all():
            kind = "continuous"
        laws = {
            key: self.number(axis, f"dynamics/{key}", 0.0, f"joint '{name}'")
            for key in ("damping", "friction", "spring_stiffness", "spring_reference")
        }
        if laws["spring_stiffness"]:
            self.robot.joint_springs[f"{name}_spring"] = {
                "joint": name,
                "stiffness": laws["spring_stiffness"],
                "rest": laws["spring_reference"],
            }
        friction = friction_of(laws["damping"], laws["friction"])
        along = sign * self.axis(joint, axis)
        limit = Limit(lower, upper, effort, velocity)
        return name, kind, along, limit, friction, self.mimic(axis, name)

    def mimic(self, axis: Element, name: str) -> Mimic | None:
        """Return what the axis of a joint follows."""
        given = axis.find("mimic")
        if given is None:
            return None
        leader = given.get("joint", "")
        if leader not in self.kinds:
            raise ModelFileError(f"joint '{name}': it follows '{leader}', which is unknown")
        where = f"mimic of '{name}'"
        multiplier, offset, reference = (
            self.number(given, key, default, where)
            for key, default in (("multiplier", 1.0), ("offset", 0.0), ("reference", 0.0))
        )
        if self.kinds[leader] in ("universal", "revolute2"):
            leader += "_1" if given.get("axis") == "axis2" else "_0"
        return Mimic(leader, multiplier, offset - multiplier * reference)

    @staticmethod
    def number(element: Element, key: str, default: float, where: str) -> float:
        """Return a number in an element, which may be infinite."""
        text = element.findtext(key)
        try:
            value = float(text) if text and text.strip() else default
        except ValueError:
            value = np.nan
        if np.isnan(value):
            raise ModelFileError(f"{where}, {key}: expected a number, got '{text}'")
        return value

    def axis(self, joint: Element, axis: Element) -> Floats:
        """Return an axis (3,) in the frame of its joint."""
        xyz = axis.find("xyz")
        text = "0 0 1" if xyz is None else xyz.text
        values = np.array(floats(text, 3, f"axis of joint '{joint.get('name')}'"))
        named = "" if xyz is None else xyz.get("expressed_in", "")
        own = self.frames.of_joint(joint)
        if named:
            values = own.R.T @ self.frames.in_model(named).R @ values
        length = float(np.linalg.norm(values))
        if length == 0.0:
            raise ModelFileError(f"axis of joint '{joint.get('name')}': expected a length above 0")
        result: Floats = values / length
        return result

    def close(self, joint: Element) -> None:
        """Add a loop joint between two links that are there."""
        name, kind = joint.get("name", ""), joint.get("type", "")
        if kind not in CLOSING:
            self.robot.dropped.append(
                f"joint '{name}': a loop closed by '{kind}'; expected {', '.join(CLOSING)}"
            )
            return
        parent, child = self.ends[id(joint)]
        own = self.frames.of_joint(joint)
        first, second = (self.pose(link).inverse().of(own) for link in (parent, child))
        entry: dict[str, Any] = {
            "type": CLOSING[kind],
            "first_body": parent,
            "first_point": numbers(first.p),
            "second_body": child,
            "second_point": numbers(second.p),
        }
        if CLOSING[kind] in ("revolute", "prismatic"):
            axis = joint.find("axis")
            along = self.axis(joint, Element("axis") if axis is None else axis)
            entry["axis"] = numbers(first.R @ along)
            if CLOSING[kind] == "revolute":
                entry["second_axis"] = numbers(second.R @ along)
        if CLOSING[kind] in ("prismatic", "fixed"):
            entry["second_rpy"] = numbers(rpy_from_rotation(first.R @ second.R.T))
        self.robot.loop_joints[name] = entry

    def add_link(self, name: str) -> None:
        if name == "world":
            return
        element = self.links[name]
        visuals, collisions = [], []
        for shape in element:
            if shape.tag in ("visual", "collision"):
                found = self.shape(name, shape)
                if found is None:
                    continue
                kind, size, mesh = found
                pose = self.pose(name).inverse().of(self.frames.of(shape, outer=name))
                if shape.tag == "collision":
                    collisions.append(Collision(kind, size, pose.p, pose.R, mesh))
                elif kind != "capsule":
                    visuals.append(Visual(kind, size, pose.p, pose.R, GREY, mesh))
        if (element.findtext("gravity") or "").strip() in ("false", "0"):
            self.robot.dropped.append(f"<gravity> of '{name}': gravity acts on it")
        inertial = self.inertial(element, name, collisions)
        self.robot.add_link(name, inertial, visuals, collisions)

    def shape(self, link: str, element: Element) -> tuple[Any, tuple[float, ...], str] | None:
        geometry = element.find("geometry")
        for kind, keys in SHAPES.items():
            own = None if geometry is None else geometry.find(kind)
            if own is None:
                continue
            where = f"shape '{element.get('name')}' of '{link}'"
            if kind == "mesh":
                size = floats(own.findtext("scale") or "1 1 1", 3, where)
                return kind, tuple(size), (own.findtext("uri") or "").strip()
            count = 3 if kind == "box" else 1
            sizes = [v for key in keys for v in floats(own.findtext(key), count, where)]
            return kind, tuple(sizes), ""
        what = "empty" if geometry is None or not len(geometry) else geometry[0].tag
        self.robot.dropped.append(f"shape '{element.get('name')}' of '{link}': {what}")
        return None

    def inertial(self, element: Element, name: str, collisions: list[Collision]) -> Inertial | None:
        inertial = element.find("inertial")
        if inertial is None:
            # the values that SDF has for links without any
            return Inertial(1.0, np.zeros(3), np.eye(3))
        where = f"inertial of '{name}'"
        if inertial.get("auto", "") in ("true", "1"):
            return self.auto_inertial(element, inertial, where, collisions)
        if inertial.find("fluid_added_mass") is not None:
            self.robot.dropped.append(f"{where}: <fluid_added_mass>")
        mass = self.number(inertial, "mass", 1.0, where)
        entries = {
            key: self.number(inertial, f"inertia/{key}", float(key[1] == key[2]), where)
            for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
        }
        own = [[entries["i" + "".join(sorted(a + b))] for b in "xyz"] for a in "xyz"]
        pose = pose_of(inertial, where)
        return Inertial(mass, pose.p, pose.R @ np.array(own) @ pose.R.T)

    def auto_inertial(
        self, element: Element, inertial: Element, where: str, shapes: list[Collision]
    ) -> Inertial:
        """Return the inertial of the collision shapes of a link, by their densities (kg/m^3)."""
        given = element.findall("collision")
        if not given or len(shapes) < len(given) or any(s.kind == "mesh" for s in shapes):
            raise ModelFileError(
                f"{where}: auto='true' needs collisions that are boxes, spheres, cylinders or "
                "capsules; `gz sdf --expand-auto-inertials -p` computes others"
            )
        default = self.number(inertial, "density", WATER, where)
        masses = np.array(
            [
                _volume(shape.kind, shape.size) * self.number(own, "density", default, where)
                for own, shape in zip(given, shapes, strict=True)
            ]
        )
        total = float(masses.sum())
        if not 0.0 < total < np.inf:
            raise ModelFileError(f"{where}: expected densities above 0, got {total:g} kg in all")
        centre = masses @ np.array([s.p_link_collision for s in shapes]) / total
        inertia = np.zeros((3, 3))
        for mass, shape in zip(masses, shapes, strict=True):
            R, d = shape.R_link_collision, shape.p_link_collision - centre
            own = np.diag(moments_by_mass(shape.kind, shape.size))
            inertia += mass * (R @ own @ R.T + d @ d * np.eye(3) - np.outer(d, d))
        mass = self.number(inertial, "mass", total, where)  # a given mass scales the inertia
        return Inertial(mass, centre, inertia * mass / total)


def _volume(kind: str, size: tuple[float, ...]) -> float:
    """Return the volume (m^3) of a box, sphere, cylinder or capsule."""
    if kind == "box":
        return float(np.prod(size))
    ball = 4.0 / 3.0 * np.pi * size[0] ** 3
    if kind == "sphere":
        return float(ball)
    rod = np.pi * size[0] ** 2 * size[1]
    return float(rod + ball if kind == "capsule" else rod)
