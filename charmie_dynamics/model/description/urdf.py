"""Step 1: read a URDF into a `Tree`. Parsing is urdf_parser_py's; the checks are ours.

The library tells no lines, reports on stderr and raises what comes. So it gets no text but one that
has been checked, and lines are those of the element with the same name.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from urdf_parser_py import urdf as library

from charmie_dynamics.errors import ModelFileError, choices, shown
from charmie_dynamics.numerics.vectors import Floats

from .inertials import Given, make_inertials
from .mimics import require_mimic_leaders
from .robot import Inertial, Joint, JointType, Limit, Link, Mimic, Tree, Visual
from .tree_root import find_root
from .urdf_form import GRAMMAR, JOINT_TYPES, elements_by_name, plain_text
from .xml_document import Element, read_xml

logger = logging.getLogger(__name__)

Color = tuple[float, float, float, float]

GREY = (0.7, 0.7, 0.7, 1.0)
# shared by all that have no origin
_ZERO, _IDENTITY = np.zeros(3), np.eye(3)
_ZERO.flags.writeable = _IDENTITY.flags.writeable = False


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
    document, notices = read_xml(text, source, "robot", GRAMMAR)
    link_elements, joint_elements = elements_by_name(document)
    robot = _read(plain_text(document), source)
    given = [
        _given(link, link_elements[link.name].need("inertial"))
        for link in robot.links
        if link.inertial is not None
    ]
    inertials = make_inertials(given, source) if given else {}
    colors = {material.name: _rgba(material.color) for material in robot.materials}
    links = {
        link.name: _link(link, link_elements[link.name], inertials, colors) for link in robot.links
    }
    joints = tuple(_joint(joint, joint_elements[joint.name], links) for joint in robot.joints)
    link_lines, joint_lines = _lines(link_elements), _lines(joint_elements)
    require_mimic_leaders(joints, joint_lines, source)
    root = find_root(links, joints, link_lines, joint_lines, source)
    for notice in notices:
        logger.info("%s", notice)
    _report_missing_meshes(link_elements.values())
    return Tree(name=robot.name, root=root, links=links, joints=joints, urdf=text)


def _read(text: str, source: str) -> Any:
    """Return the robot that the library reads in a text which has been checked."""
    try:
        return library.URDF.from_xml_string(text)
    except Exception as error:  # anything from AssertionError to its own ParseError
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ModelFileError(f"{source}: not a valid URDF: {shown(reason)}") from error


def _lines(elements: Mapping[str, Element]) -> dict[str, int]:
    return {name: element.line for name, element in elements.items()}


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


def _pose(origin: Any) -> tuple[Floats, Floats]:
    """Return position and rotation of the origin of a joint, inertial or visual."""
    if origin is None:
        return _ZERO, _IDENTITY
    p, R = _ZERO, _IDENTITY
    if any(origin.xyz):
        p = np.array(origin.xyz)
    if any(origin.rpy):
        R = rotation_from_rpy(origin.rpy)
    return p, R


def _given(link: Any, element: Element) -> Given:
    inertial, inertia = link.inertial, link.inertial.inertia
    p, R = _pose(inertial.origin)
    six: tuple[float, ...] = (0.0,) * 6
    if inertia is not None:
        six = (inertia.ixx, inertia.ixy, inertia.ixz, inertia.iyy, inertia.iyz, inertia.izz)
    return Given(link.name, element.line, inertial.mass, p, R, six)


def _link(
    link: Any, element: Element, inertials: Mapping[str, Inertial], colors: Mapping[str, Color]
) -> Link:
    visuals = tuple(
        _visual(visual, visual_element, colors)
        for visual, visual_element in zip(link.visuals, element.all("visual"), strict=True)
    )
    return Link(name=link.name, inertial=inertials.get(link.name), visuals=visuals)


def _rgba(color: Any) -> Color:
    r, g, b, a = color.rgba
    return r, g, b, a


def _visual(visual: Any, element: Element, colors: Mapping[str, Color]) -> Visual:
    p, R = _pose(visual.origin)
    rgba, material = GREY, visual.material
    if material is not None:
        named = colors.get(material.name, GREY)
        rgba = named if material.color is None else _rgba(material.color)
    shape = visual.geometry
    if isinstance(shape, library.Mesh):
        scale = (1.0, 1.0, 1.0) if shape.scale is None else tuple(shape.scale)
        return Visual("mesh", scale, p, R, rgba, mesh=shape.filename)
    (shape_element,) = element.need("geometry").children
    if isinstance(shape, library.Box):
        return Visual("box", _size(shape.size, shape_element), p, R, rgba)
    if isinstance(shape, library.Sphere):
        return Visual("sphere", _size((shape.radius,), shape_element), p, R, rgba)
    return Visual("cylinder", _size((shape.radius, shape.length), shape_element), p, R, rgba)


def _size(size: Sequence[float], element: Element) -> tuple[float, ...]:
    if min(size) < 0.0:
        raise element.error(f"sizes must not be negative, got {list(size)}")
    return tuple(size)


def _joint(joint: Any, element: Element, links: Mapping[str, Link]) -> Joint:
    for role, name in (("parent", joint.parent), ("child", joint.child)):
        if name not in links:
            raise element.need(role).error(
                f"{role} link '{shown(name)}' does not exist{choices(name, links)}"
            )
    kind = JOINT_TYPES[joint.type]
    p, R = _pose(joint.origin)
    axis = np.array([1.0, 0.0, 0.0])
    if joint.axis is not None:
        length = math.hypot(*joint.axis)
        if length < 1e-12:
            raise element.need("axis").error(f"axis must not be zero, got {joint.axis}")
        axis = np.array(joint.axis) / length
    return Joint(
        name=joint.name,
        type=kind,
        parent=joint.parent,
        child=joint.child,
        p_parent_joint=p,
        R_parent_joint=R,
        axis=axis,
        limit=_limit(joint.limit, kind, element),
        mimic=None if joint.mimic is None else _mimic(joint.mimic),
    )


def _mimic(mimic: Any) -> Mimic:
    multiplier = 1.0 if mimic.multiplier is None else mimic.multiplier
    offset = 0.0 if mimic.offset is None else mimic.offset
    return Mimic(joint=mimic.joint, multiplier=multiplier, offset=offset)


def _limit(limit: Any, kind: JointType, joint: Element) -> Limit:
    if limit is None:
        return Limit(-math.inf, math.inf, math.inf, math.inf)
    lower, upper = float(limit.lower), float(limit.upper)  # the library's default is an integer
    if kind == "continuous":
        lower, upper = -math.inf, math.inf
    if lower > upper:
        raise joint.need("limit").error(
            f"lower limit must not exceed the upper, got {lower} and {upper}"
        )
    return Limit(lower, upper, limit.effort, limit.velocity)


def _report_missing_meshes(links: Iterable[Element]) -> None:
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
