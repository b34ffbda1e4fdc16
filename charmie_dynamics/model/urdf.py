"""Step 1: read a URDF into a `Tree`. Parsing is urdf_parser_py's; the checks are ours."""

from __future__ import annotations

import logging
import math
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from urdf_parser_py import urdf as parser
from urdf_parser_py.xml_reflection import core as reflection

from ..core.vectors import Floats
from .errors import ModelFileError, choices
from .robot import Inertial, Joint, JointType, Limit, Link, Mimic, Tree, Visual

logger = logging.getLogger(__name__)

JOINT_TYPES: dict[str, JointType] = {
    "fixed": "fixed",
    "revolute": "revolute",
    "continuous": "continuous",
    "prismatic": "prismatic",
}
GREY = (0.7, 0.7, 0.7, 1.0)
# Nothing here reads these elements; the parser would refuse a robot for a flaw in one of them.
UNREAD = ("collision", "gazebo", "texture", "transmission")


def parse_urdf(text: str, source: str) -> Tree:
    """Read a URDF.

    Parameters
    ----------
    text : str
        The XML.
    source : str
        Name of the file, for messages.

    Returns
    -------
    Tree
        Links and joints, checked: one root, no cycle, unique names, physical inertials, axes of
        unit length.

    Raises
    ------
    ModelFileError
        Naming file, element, what was expected and what was found.
    """
    robot = _parse(text, source)
    if not robot.links:
        raise ModelFileError(f"{source}: the robot '{robot.name}' has no link; expected at least 1")
    _require_unique((link.name for link in robot.links), "link", source)
    _require_unique((joint.name for joint in robot.joints), "joint", source)
    materials = {m.name: m for m in robot.materials if m.color is not None}
    links = {link.name: _link(link, materials, source) for link in robot.links}
    joints = tuple(_joint(joint, links, source) for joint in robot.joints)
    _require_mimic_leaders(joints, source)
    root = _root(links, joints, source)
    return Tree(name=robot.name or "robot", root=root, links=links, joints=joints, urdf=text)


def _parse(text: str, source: str) -> Any:
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise ModelFileError(
            f"{source}: has a DOCTYPE or ENTITY declaration; expected plain XML without either"
        )
    notices: list[str] = []
    report, reflection.on_error = reflection.on_error, notices.append
    try:
        robot = parser.Robot.from_xml_string(_without_unread(text))
    except Exception as error:  # the parser raises anything from KeyError to ParseError
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ModelFileError(f"{source}: not a valid URDF: {reason}") from error
    finally:
        reflection.on_error = report
    for notice in notices:
        logger.info("%s: %s (ignored)", source, notice)
    return robot


def _without_unread(text: str) -> bytes:
    robot = ElementTree.fromstring(text.encode())
    for element in list(robot.iter()):
        for child in list(element):
            if child.tag in UNREAD:
                element.remove(child)
    return ElementTree.tostring(robot)


def _require_unique(names: Iterable[str], what: str, source: str) -> None:
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise ModelFileError(f"{source}: {what} name '{repeated[0]}' is used more than once")


def _vector(value: Sequence[float] | None, subject: str, count: int = 3) -> Floats:
    vector = np.zeros(count) if value is None else np.array(value, dtype=np.float64)
    if not np.isfinite(vector).all():
        raise ModelFileError(f"{subject}: expected finite numbers, got {list(vector)}")
    return vector


def rotation_from_rpy(rpy: Floats) -> Floats:
    """Return R_parent_child (3, 3) of URDF's roll, pitch and yaw (rad, fixed axes x, y, z)."""
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(a), math.sin(a)) for a in rpy)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def _pose(origin: Any, subject: str) -> tuple[Floats, Floats]:
    if origin is None:
        return np.zeros(3), np.eye(3)
    p = _vector(origin.xyz, f"{subject}, origin xyz")
    return p, rotation_from_rpy(_vector(origin.rpy, f"{subject}, origin rpy"))


def _link(link: Any, materials: dict[str, Any], source: str) -> Link:
    subject = f"{source}: link '{link.name}'"
    inertial = None
    if link.inertial is not None:
        inertial = _inertial(link.inertial, subject)
    visuals = tuple(_visual(visual, materials, subject) for visual in link.visuals)
    return Link(name=link.name, inertial=inertial, visuals=visuals)


def _inertial(inertial: Any, subject: str) -> Inertial:
    mass = float(inertial.mass)
    if not (math.isfinite(mass) and mass >= 0.0):
        raise ModelFileError(f"{subject}: mass must be finite and not negative, got {mass}")
    p, R = _pose(inertial.origin, f"{subject}, inertial")
    given = np.zeros((3, 3)) if inertial.inertia is None else inertial.inertia.to_matrix()
    inertia = np.array(given, dtype=np.float64)
    if not np.isfinite(inertia).all():
        raise ModelFileError(f"{subject}: inertia must be finite, got {inertia.tolist()}")
    moments = np.linalg.eigvalsh(inertia)
    # for rounding: of the file's decimals, and of the moments of a mass within a micrometre
    slack = max(1e-6 * float(np.abs(moments).max()), 1e-12 * mass, 1e-18)
    if moments[0] < -slack:
        raise ModelFileError(
            f"{subject}: principal moments of inertia must not be negative, got {moments.tolist()}"
        )
    if moments[2] > moments[0] + moments[1] + slack:
        raise ModelFileError(
            f"{subject}: no body has these principal moments of inertia, the largest exceeds the "
            f"sum of the others (triangle inequality): {moments.tolist()}"
        )
    return Inertial(mass=mass, p_link_com=p, inertia=R @ inertia @ R.T)


def _visual(visual: Any, materials: dict[str, Any], subject: str) -> Visual:
    p, R = _pose(visual.origin, f"{subject}, visual")
    rgba = GREY
    if visual.material is not None:
        material = visual.material
        if material.color is None:
            material = materials.get(material.name, material)
        if material.color is not None:
            r, g, b, a = (float(x) for x in material.color.rgba)
            rgba = (r, g, b, a)
    shape = visual.geometry
    if isinstance(shape, parser.Box):
        return Visual("box", tuple(float(x) for x in shape.size), p, R, rgba)
    if isinstance(shape, parser.Cylinder):
        return Visual("cylinder", (float(shape.radius), float(shape.length)), p, R, rgba)
    if isinstance(shape, parser.Sphere):
        return Visual("sphere", (float(shape.radius),), p, R, rgba)
    scale = (1.0, 1.0, 1.0) if shape.scale is None else tuple(float(x) for x in shape.scale)
    return Visual("mesh", scale, p, R, rgba, mesh=shape.filename)


def _joint(joint: Any, links: dict[str, Link], source: str) -> Joint:
    subject = f"{source}: joint '{joint.name}'"
    kind = JOINT_TYPES.get(joint.type)
    if kind is None:
        raise ModelFileError(
            f"{subject}: type '{joint.type}' is not supported{choices(joint.type, JOINT_TYPES)}"
        )
    for role, name in (("parent", joint.parent), ("child", joint.child)):
        if name not in links:
            raise ModelFileError(
                f"{subject}: {role} link '{name}' does not exist{choices(name, links)}"
            )
    p, R = _pose(joint.origin, subject)
    axis = np.array([1.0, 0.0, 0.0])
    if joint.axis is not None and kind != "fixed":
        axis = _vector(joint.axis, f"{subject}, axis")
    length = float(np.linalg.norm(axis))
    if length < 1e-12:
        raise ModelFileError(f"{subject}: axis must not be zero, got {axis.tolist()}")
    mimic = None
    if joint.mimic is not None and kind != "fixed":
        multiplier = 1.0 if joint.mimic.multiplier is None else float(joint.mimic.multiplier)
        offset = 0.0 if joint.mimic.offset is None else float(joint.mimic.offset)
        _vector((multiplier, offset), f"{subject}, mimic", count=2)
        mimic = Mimic(joint=joint.mimic.joint, multiplier=multiplier, offset=offset)
    return Joint(
        name=joint.name,
        type=kind,
        parent=joint.parent,
        child=joint.child,
        p_parent_joint=p,
        R_parent_joint=R,
        axis=axis / length,
        limit=_limit(joint.limit, kind, subject),
        mimic=mimic,
    )


def _limit(limit: Any, kind: JointType, subject: str) -> Limit:
    if limit is None:
        return Limit(-math.inf, math.inf, math.inf, math.inf)
    values = [0.0 if x is None else float(x) for x in (limit.lower, limit.upper)]
    lower, upper = (-math.inf, math.inf) if kind == "continuous" else values
    effort, velocity = float(limit.effort), float(limit.velocity)
    if any(math.isnan(x) for x in (lower, upper, effort, velocity)):
        raise ModelFileError(f"{subject}: limits must be numbers, got {lower, upper}")
    if lower > upper:
        raise ModelFileError(
            f"{subject}: lower limit must not exceed the upper, got {lower} and {upper}"
        )
    return Limit(lower, upper, effort, velocity)


def _require_mimic_leaders(joints: Sequence[Joint], source: str) -> None:
    by_name = {joint.name: joint for joint in joints}
    for joint in joints:
        seen = [joint.name]
        mimic = joint.mimic
        while mimic is not None:
            subject = f"{source}: joint '{joint.name}' mimics '{mimic.joint}'"
            leader = by_name.get(mimic.joint)
            if leader is None:
                raise ModelFileError(
                    f"{subject}, which does not exist{choices(mimic.joint, by_name)}"
                )
            if leader.type == "fixed":
                raise ModelFileError(f"{subject}, which is fixed; expected a movable joint")
            if leader.name in seen:
                raise ModelFileError(f"{subject}, and so in the end itself: {' -> '.join(seen)}")
            seen.append(leader.name)
            mimic = leader.mimic


def _root(links: dict[str, Link], joints: Sequence[Joint], source: str) -> str:
    children = Counter(joint.child for joint in joints)
    for child, count in children.items():
        if count > 1:
            raise ModelFileError(
                f"{source}: link '{child}' is the child of {count} joints; expected at most 1"
            )
    roots = [name for name in links if name not in children]
    if len(roots) != 1:
        raise ModelFileError(
            f"{source}: expected one root link (child of no joint), got {len(roots)}: "
            f"{', '.join(roots[:5]) or 'the joints form a cycle'}"
        )
    successors: dict[str, list[str]] = {}
    for joint in joints:
        successors.setdefault(joint.parent, []).append(joint.child)
    reached = {roots[0]}
    pending = [roots[0]]
    while pending:
        following = successors.get(pending.pop(), [])
        reached.update(following)
        pending.extend(following)
    if len(reached) < len(links):
        lost = next(name for name in links if name not in reached)
        raise ModelFileError(f"{source}: link '{lost}' lies on a cycle of joints, expected a tree")
    return roots[0]
