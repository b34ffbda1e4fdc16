# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""SDF to a `ConvertedRobot`: a joint whose child has another parent already closes a loop."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np

from charmie_dynamics.errors import ModelFileError
from charmie_dynamics.model.description.robot import (
    Collision,
    Inertial,
    Joint,
    Limit,
    Link,
    Visual,
)
from charmie_dynamics.model.description.urdf import rpy_from_rotation
from charmie_dynamics.numerics.vectors import Floats

from .converted_robot import GREY, UNLIMITED, ConvertedRobot, friction_of, numbers
from .sdf_frames import MODEL, FramePose, ModelFrames, floats, pose_of

SINGLE = {"revolute": "revolute", "continuous": "continuous", "prismatic": "prismatic"}
CLOSING = {"revolute": "revolute", "continuous": "revolute", "prismatic": "prismatic",
           "fixed": "fixed", "ball": "spherical"}  # fmt: skip
LEFT_OUT = ("include", "model", "sensor", "plugin", "gripper", "light")
SHAPES = {"box": ("size",), "sphere": ("radius",), "cylinder": ("radius", "length"),
          "capsule": ("radius", "length"), "mesh": ("scale",)}  # fmt: skip
LARGE = 1e16  # limits beyond it are those of an unlimited joint


def convert_sdf(path: Path) -> ConvertedRobot:
    """Return the robot of an SDF file: its first model.

    Raises
    ------
    ModelFileError
        If there is no model, or a part of it cannot be used.
    """
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError) as error:
        raise ModelFileError(f"{path}: {error}") from None
    models = [*root.findall("model"), *root.findall("world/model")]
    if not models:
        raise ModelFileError(f"{path}: expected a <model>, got none")
    robot = _Conversion(models[0], path).robot
    gravity = root.findtext("world/gravity")
    if gravity is not None:
        x, y, z = floats(gravity, 3, "gravity")
        robot.gravity = x, y, z
    robot.dropped += [f"model '{model.get('name')}'" for model in models[1:]]
    return robot


class _Conversion:
    def __init__(self, model: Element, path: Path) -> None:
        self.folder = path.resolve().parent
        self.robot = robot = ConvertedRobot(model.get("name") or path.stem)
        self.frames = ModelFrames(model)
        self.links = {element.get("name", ""): element for element in model.findall("link")}
        joints = list(model.findall("joint"))
        for tag in LEFT_OUT:
            count = len(list(model.iter(tag))) - (tag == "model")
            robot.dropped += [f"{count} elements <{tag}>"] if count else []
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

    def check(self, joint: Element) -> None:
        for link in self.ends[id(joint)]:
            if link != "world" and link not in self.links:
                raise ModelFileError(f"joint '{joint.get('name')}': link '{link}' is unknown")

    def add_tree(self, model: Element, joints: list[Element]) -> None:
        """Add the links from the world outwards; joints to links that are there close loops."""
        robot = self.robot
        robot.add_link("world")
        children = {child for _, child in self.ends.values()}
        starts = [name for name in self.links if name not in children] or list(self.links)[:1]
        static = (model.findtext("static") or "").strip() in ("true", "1")
        placed = self.frames.of(model)
        if any("world" in ends for ends in self.ends.values()):
            starts = []
        for name in starts:
            kind: Any = "fixed" if static else "floating"
            self.add_joint(f"{name}_{kind}", kind, "world", name, placed.of(self.pose(name)))
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
                    raise ModelFileError(
                        f"joint '{joint.get('name')}': expected a parent that the root reaches, "
                        f"got '{parent}'; exchange parent and child"
                    )
                else:
                    self.open(joint, parent, child)
                    waiting.append(child)
        missing = sorted(set(self.links) - set(robot.links))
        if missing:
            raise ModelFileError(f"no joint connects {', '.join(missing)} with '{robot.root}'")

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
    ) -> None:
        along = np.array((0.0, 0.0, 1.0)) if axis is None else axis
        self.robot.joints.append(
            Joint(name, kind, parent, child, pose.p, pose.R, along, limit, friction=friction)
        )

    def open(self, joint: Element, parent: str, child: str) -> None:
        """Add a joint of the tree and its child: a frame at the joint, and the link fixed to it."""
        name, kind = joint.get("name", ""), joint.get("type", "")
        own = self.frames.in_model(name)
        within = self.pose(parent).inverse().of(own)
        offset = own.inverse().of(self.pose(child))
        steps = self.steps(joint, name, kind)
        is_at_link = bool(np.allclose(offset.p, 0.0) and np.allclose(offset.R, np.eye(3)))
        if kind == "fixed":
            self.add_joint(name, kind, parent, child, within.of(offset))
        for n, (own_name, own_kind, axis, limit, friction) in enumerate(steps):
            is_last = n + 1 == len(steps) and is_at_link
            link = child if is_last else f"{own_name}_frame"
            self.add_joint(own_name, own_kind, parent, link, within, axis, limit, friction)
            if not is_last:
                self.robot.add_link(link)
            parent, within = link, FramePose(np.zeros(3), np.eye(3))
        if steps and not is_at_link:
            self.add_joint(f"{name}_fixed", "fixed", parent, child, offset)
        self.add_link(child)

    def steps(self, joint: Element, name: str, kind: str) -> list[Any]:
        """Return name, type, axis, limit and friction of the joints that a joint becomes."""
        if kind == "fixed":
            return []
        if kind in SINGLE:
            return [self.step(joint, joint.find("axis"), name, kind)]
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
                (f"{name}_{letter}", "continuous", axis, UNLIMITED, None)
                for axis, letter in zip(np.eye(3), "xyz", strict=True)
            ]
        known = ", ".join([*SINGLE, "fixed", "universal", "ball"])
        raise ModelFileError(f"joint '{name}': expected one of {known}, got '{kind}'")

    def step(self, joint: Element, axis: Element | None, name: str, kind: str) -> Any:
        """Return a joint about or along one axis."""
        if axis is None:
            raise ModelFileError(f"joint '{name}': expected an <axis>, got none")
        limits = [
            float(axis.findtext(f"limit/{key}") or default)
            for key, default in (
                ("lower", "-inf"), ("upper", "inf"), ("effort", "inf"), ("velocity", "inf"),
            )
        ]  # fmt: skip
        lower, upper, effort, velocity = (v if abs(v) < LARGE else np.inf * v for v in limits)
        effort, velocity = (v if v > 0.0 else np.inf for v in (effort, velocity))
        if kind == "revolute" and np.isinf((lower, upper)).all():
            kind = "continuous"
        laws = {
            key: float(axis.findtext(f"dynamics/{key}") or 0.0)
            for key in ("damping", "friction", "spring_stiffness", "spring_reference")
        }
        if laws["spring_stiffness"]:
            self.robot.joint_springs[f"{name}_spring"] = {
                "joint": name,
                "stiffness": laws["spring_stiffness"],
                "rest": laws["spring_reference"],
            }
        friction = friction_of(laws["damping"], laws["friction"])
        along = self.axis(joint, axis)
        return name, kind, along, Limit(lower, upper, effort, velocity), friction

    def axis(self, joint: Element, axis: Element) -> Floats:
        """Return an axis (3,) in the frame of its joint."""
        xyz = axis.find("xyz")
        text = "0 0 1" if xyz is None else xyz.text
        values = np.array(floats(text, 3, f"axis of joint '{joint.get('name')}'"))
        named = "" if xyz is None else xyz.get("expressed_in", "")
        uses_model = (axis.findtext("use_parent_model_frame") or "").strip() in ("true", "1")
        own = self.frames.in_model(joint.get("name", ""))
        if named or uses_model:
            values = own.R.T @ self.frames.in_model(MODEL if uses_model else named).R @ values
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
        own = self.frames.in_model(name)
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
        own = Link(name, self.inertial(element, name), tuple(visuals), tuple(collisions))
        self.robot.add_link(name, own.inertial, own.visuals, own.collisions)

    def shape(self, link: str, element: Element) -> tuple[Any, tuple[float, ...], str] | None:
        geometry = element.find("geometry")
        for kind, keys in SHAPES.items():
            own = None if geometry is None else geometry.find(kind)
            if own is None:
                continue
            where = f"shape '{element.get('name')}' of '{link}'"
            if kind == "mesh":
                size = floats(own.findtext("scale") or "1 1 1", 3, where)
                return kind, tuple(size), self.mesh((own.findtext("uri") or "").strip())
            count = 3 if kind == "box" else 1
            sizes = [v for key in keys for v in floats(own.findtext(key), count, where)]
            return kind, tuple(sizes), ""
        what = "empty" if geometry is None or not len(geometry) else geometry[0].tag
        self.robot.dropped.append(f"shape '{element.get('name')}' of '{link}': {what}")
        return None

    def mesh(self, uri: str) -> str:
        """Return the place of a mesh: the path of a file beside the SDF, else the URI."""
        path = self.folder / uri.removeprefix("file://")
        return str(path) if "://" not in uri or uri.startswith("file://") else uri

    def inertial(self, element: Element, name: str) -> Inertial | None:
        inertial = element.find("inertial")
        if inertial is None:
            # the values that SDF has for links without any
            return Inertial(1.0, np.zeros(3), np.eye(3))
        mass = float(inertial.findtext("mass") or 1.0)
        entries = {
            key: float(inertial.findtext(f"inertia/{key}") or (1.0 if key[1] == key[2] else 0.0))
            for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
        }
        own = [[entries["i" + "".join(sorted(a + b))] for b in "xyz"] for a in "xyz"]
        pose = pose_of(inertial, f"inertial of '{name}'")
        return Inertial(mass, pose.p, pose.R @ np.array(own) @ pose.R.T)
