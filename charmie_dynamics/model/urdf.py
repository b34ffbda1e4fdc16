"""Step 1: read a URDF into a `Tree`. What is wrong is told with its line."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ..core.vectors import Floats
from .errors import ModelFileError, choices, shown
from .inertials import Given, make_inertials
from .mimics import require_mimic_leaders
from .robot import Inertial, Joint, JointType, Limit, Link, Mimic, Tree, Visual
from .tree_root import find_root
from .xml_document import Element, Grammar, read_xml

logger = logging.getLogger(__name__)

JOINT_TYPES: dict[str, JointType] = {
    "fixed": "fixed",
    "revolute": "revolute",
    "continuous": "continuous",
    "prismatic": "prismatic",
}
SHAPES = ("box", "cylinder", "sphere", "mesh")
VERSIONS = ("1.0", "1.1", "1.2")
GREY = (0.7, 0.7, 0.7, 1.0)
# shared by all that have no origin
_ZERO, _IDENTITY = np.zeros(3), np.eye(3)
_ZERO.flags.writeable = _IDENTITY.flags.writeable = False


def _of(read: str, skipped: str = "") -> tuple[frozenset[str], frozenset[str]]:
    return frozenset(read.split()), frozenset(skipped.split())


# element: what is read in it, and what else URDF knows there, a flaw in which is no harm here
GRAMMAR: Grammar = {
    "robot": _of("link joint material", "gazebo transmission"),
    "link": _of("inertial visual", "collision origin verbose sensor self_collision_checking"),
    "inertial": _of("origin mass inertia"),
    "visual": _of("origin geometry material", "verbose"),
    "geometry": _of("box cylinder sphere mesh"),
    "material": _of("color", "texture"),
    "joint": _of("origin parent child axis limit mimic", "dynamics safety_controller calibration"),
}


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
        Naming file, line, element, what was expected and what was found.
    """
    robot, notices = read_xml(text, source, "robot", GRAMMAR)
    name = robot.text("name")
    version = robot.attributes.get("version", VERSIONS[0])
    if version not in VERSIONS:
        raise robot.error(f"version '{shown(version)}' is unknown{choices(version, VERSIONS)}")
    link_elements, link_lines = _by_name(robot, "link")
    joint_elements, joint_lines = _by_name(robot, "joint")
    if not link_elements:
        raise robot.error("has no link; expected at least 1")
    colors = _colors(robot.all("material"))
    given = [_inertial(element) for element in link_elements if element.all("inertial")]
    inertials = make_inertials(given, source) if given else {}
    links = {e.text("name"): _link(e, inertials, colors) for e in link_elements}
    joints = tuple(_joint(element, links) for element in joint_elements)
    require_mimic_leaders(joints, joint_lines, source)
    root = find_root(links, joints, link_lines, joint_lines, source)
    for notice in notices:
        logger.info("%s", notice)
    _report_missing_meshes(link_elements)
    return Tree(name=name, root=root, links=links, joints=joints, urdf=text)


def _by_name(robot: Element, tag: str) -> tuple[list[Element], dict[str, int]]:
    """Return the links or joints, and the line of each."""
    lines: dict[str, int] = {}
    elements = robot.all(tag)
    for element in elements:
        name = element.text("name")
        if name in lines:
            raise ModelFileError(
                f"{element.source}, line {element.line}: {tag} name '{shown(name)}' is used more "
                f"than once, first on line {lines[name]}"
            )
        lines[name] = element.line
    return elements, lines


def rotation_from_rpy(rpy: Sequence[float]) -> Floats:
    """Return R_parent_child (3, 3) of URDF's roll, pitch and yaw (rad, fixed axes x, y, z)."""
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(a), math.sin(a)) for a in rpy)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def _pose(element: Element) -> tuple[Floats, Floats]:
    """Return position and rotation of the origin of a link, joint, inertial or visual."""
    origin = element.find("origin")
    if origin is None:
        return _ZERO, _IDENTITY
    if "quat_xyzw" in origin.attributes:
        raise origin.error("quat_xyzw is not supported; expected rpy")
    p, R = _ZERO, _IDENTITY
    if "xyz" in origin.attributes:
        p = np.array(origin.numbers("xyz", 3))
    if "rpy" in origin.attributes:
        R = rotation_from_rpy(origin.numbers("rpy", 3))
    return p, R


def _inertial(link: Element) -> Given:
    element = link.find("inertial")
    if element is None:
        raise link.error("not a valid URDF: <inertial> is missing")
    p, R = _pose(element)
    inertia = element.find("inertia")
    six: tuple[float, ...] = (0.0,) * 6
    if inertia is not None:
        names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        six = tuple(inertia.number(name, None) for name in names)
    mass = element.need("mass")
    return Given(link.text("name"), element.line, mass.number("value", None), p, R, six)


def _link(
    element: Element,
    inertials: dict[str, Inertial],
    colors: dict[str, tuple[float, float, float, float]],
) -> Link:
    name = element.text("name")
    visuals = tuple(_visual(visual, colors) for visual in element.all("visual"))
    return Link(name=name, inertial=inertials.get(name), visuals=visuals)


def _colors(materials: Sequence[Element]) -> dict[str, tuple[float, float, float, float]]:
    colors = {}
    for material in materials:
        color = material.find("color")
        if color is not None:
            colors[material.text("name")] = _rgba(color)
    return colors


def _rgba(color: Element) -> tuple[float, float, float, float]:
    r, g, b, a = color.numbers("rgba", 4)
    return r, g, b, a


def _visual(element: Element, colors: dict[str, tuple[float, float, float, float]]) -> Visual:
    p, R = _pose(element)
    rgba = GREY
    material = element.find("material")
    if material is not None:
        color = material.find("color")
        if color is None:
            rgba = colors.get(material.attributes.get("name", ""), GREY)
        else:
            rgba = _rgba(color)
    geometry = element.need("geometry")
    if len(geometry.children) != 1:
        raise geometry.error(
            f"not a valid URDF: expected one shape, got {len(geometry.children)}. "
            f"Valid: {', '.join(SHAPES)}"
        )
    (shape,) = geometry.children
    if shape.tag == "mesh":
        scale = shape.numbers("scale", 3) if "scale" in shape.attributes else (1.0, 1.0, 1.0)
        return Visual("mesh", scale, p, R, rgba, mesh=shape.text("filename"))
    if shape.tag == "box":
        return Visual("box", _size(shape, shape.numbers("size", 3)), p, R, rgba)
    radius = shape.number("radius", None)
    if shape.tag == "sphere":
        return Visual("sphere", _size(shape, (radius,)), p, R, rgba)
    return Visual("cylinder", _size(shape, (radius, shape.number("length", None))), p, R, rgba)


def _size(shape: Element, size: tuple[float, ...]) -> tuple[float, ...]:
    if min(size) < 0.0:
        raise shape.error(f"sizes must not be negative, got {list(size)}")
    return size


def _joint(element: Element, links: dict[str, Link]) -> Joint:
    given = element.text("type")
    kind = JOINT_TYPES.get(given)
    if kind is None:
        raise element.error(f"type '{shown(given)}' is not supported{choices(given, JOINT_TYPES)}")
    ends = []
    for role in ("parent", "child"):
        end = element.need(role)
        name = end.text("link")
        if name not in links:
            raise end.error(f"{role} link '{shown(name)}' does not exist{choices(name, links)}")
        ends.append(name)
    p, R = _pose(element)
    axis = np.array([1.0, 0.0, 0.0])
    given_axis = element.find("axis")
    if given_axis is not None and kind != "fixed":
        axis = np.array(given_axis.numbers("xyz", 3))
        length = math.hypot(*axis)
        if length < 1e-12:
            raise given_axis.error(f"axis must not be zero, got {axis.tolist()}")
        axis = axis / length
    mimic = element.find("mimic")
    return Joint(
        name=element.text("name"),
        type=kind,
        parent=ends[0],
        child=ends[1],
        p_parent_joint=p,
        R_parent_joint=R,
        axis=axis,
        limit=_limit(element.find("limit"), kind),
        mimic=None if mimic is None or kind == "fixed" else _mimic(mimic),
    )


def _mimic(mimic: Element) -> Mimic:
    return Mimic(
        joint=mimic.text("joint"),
        multiplier=mimic.number("multiplier", 1.0),
        offset=mimic.number("offset", 0.0),
    )


def _limit(limit: Element | None, kind: JointType) -> Limit:
    if limit is None:
        return Limit(-math.inf, math.inf, math.inf, math.inf)
    lower, upper = (limit.number(name, 0.0, math.inf) for name in ("lower", "upper"))
    effort, velocity = (limit.number(name, None, math.inf) for name in ("effort", "velocity"))
    if kind == "continuous":
        lower, upper = -math.inf, math.inf
    if lower > upper:
        raise limit.error(f"lower limit must not exceed the upper, got {lower} and {upper}")
    return Limit(lower, upper, effort, velocity)


def _report_missing_meshes(links: Sequence[Element]) -> None:
    """Warn of mesh files that are not there: the robot computes the same, but shows less."""
    missing: dict[str, Element] = {}
    for link in links:
        for visual in link.all("visual"):
            for mesh in visual.need("geometry").all("mesh"):
                name = mesh.text("filename")
                path = name[len("file://") :] if name.startswith("file://") else name
                # what package:// means depends on what is installed where it is shown
                if path.startswith("/") and name not in missing and not _exists(path):
                    missing[name] = mesh
    if missing:
        name, mesh = next(iter(missing.items()))
        others = f" and {len(missing) - 1} other meshes do" if len(missing) > 1 else " does"
        logger.warning(
            "%s, line %d: the mesh '%s'%s not exist and cannot be shown",
            mesh.source,
            mesh.line,
            shown(name),
            others,
        )


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):  # a name too long for the system
        return False
