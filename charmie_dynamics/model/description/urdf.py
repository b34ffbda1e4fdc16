# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Step 1: read a URDF into a `RobotTree`; each element is checked when it is read."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeVar

import numpy as np

from charmie_dynamics.errors import choices, shown
from charmie_dynamics.numerics.vectors import Floats

from .description_warnings import DescriptionWarning
from .inertials import Given, make_inertials
from .mimics import require_mimic_leaders, without_lost_mimics
from .proportions import oversized_inertials
from .robot import (
    Collision,
    Inertial,
    Joint,
    JointFriction,
    JointType,
    Limit,
    Link,
    Mimic,
    RobotTree,
    Visual,
)
from .transmissions import read_rotors
from .tree_root import find_root
from .urdf_form import FORM, JOINT_TYPES, elements_by_name, unsupported
from .xml_document import Element, read_xml

logger = logging.getLogger(__name__)

Color = tuple[float, float, float, float]
VisibleKind = Literal["box", "cylinder", "sphere", "mesh"]
Kind = TypeVar("Kind", bound=str)

# by the name of the element
VISIBLE: dict[str, VisibleKind] = {
    "box": "box",
    "cylinder": "cylinder",
    "sphere": "sphere",
    "mesh": "mesh",
}
TOUCHABLE: dict[str, VisibleKind | Literal["capsule"]] = {**VISIBLE, "capsule": "capsule"}

FRICTION = ("damping", "friction")  # attributes of <dynamics>
# joints whose friction has no law
NO_FRICTION = ("fixed", "planar", "floating")
GREY = (0.7, 0.7, 0.7, 1.0)
AXES_OF_INERTIA = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
# shared by all that have no origin
_ZERO, _IDENTITY = np.zeros(3), np.eye(3)
_ZERO.flags.writeable = _IDENTITY.flags.writeable = False
_NONE = (0.0, 0.0, 0.0)


def parse_urdf(text: str, source: str, *, strict: bool = False) -> RobotTree:
    """Read a URDF.

    Parameters
    ----------
    text : str
        The XML.
    source : str
        Name of the file, for messages.
    strict : bool
        Refuse what otherwise is a warning of the tree: moments of inertia that no body has, and
        mimic joints whose leader does not exist.

    Returns
    -------
    RobotTree
        Links and joints, checked: one root, no cycle, unique names, masses that are not negative,
        axes of unit length.

    Raises
    ------
    ModelFileError
        Naming file, line, element, the expected and the actual value.
    """
    document, skipped = read_xml(text, source, FORM)
    link_elements, joint_elements = elements_by_name(document)
    inertials, doubts = _inertials(link_elements, source, strict=strict)
    colors = _named_colors(document)
    links = {
        name: _link(element, inertials.get(name), colors) for name, element in link_elements.items()
    }
    joints = tuple(_joint(element, links) for element in joint_elements.values())
    link_lines, joint_lines = _lines(link_elements), _lines(joint_elements)
    joints, lost = without_lost_mimics(joints, joint_lines, source, strict=strict)
    require_mimic_leaders(joints, joint_lines, source)
    root = find_root(links, joints, link_lines, joint_lines, source)
    _report_missing_meshes(link_elements.values())
    doubts += oversized_inertials(links, joints, root, link_lines, source)
    doubts += _friction_warnings(joints, joint_elements, source)
    rotors, unassigned = read_rotors(document.all("transmission"), joints)
    found = [*doubts, *lost, *unassigned, *unsupported(skipped, source)]
    warnings = tuple(sorted(found, key=lambda warning: warning.line))
    return RobotTree(document.text("name"), root, links, joints, text, warnings, rotors)


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


def rpy_from_rotation(R: Floats) -> tuple[float, float, float]:
    """Return URDF's roll, pitch and yaw (rad) of a rotation; at a pitch of 90 degrees, no roll."""
    across = math.hypot(R[0, 0], R[1, 0])
    pitch = math.atan2(-R[2, 0], across)
    if across < 1e-12:
        return 0.0, pitch, math.atan2(-R[0, 1], R[1, 1])
    return math.atan2(R[2, 1], R[2, 2]), pitch, math.atan2(R[1, 0], R[0, 0])


def _pose(element: Element) -> tuple[Floats, Floats]:
    """Return position and rotation of the origin of a joint, inertial or visual."""
    origin = element.find("origin")
    if origin is None:
        return _ZERO, _IDENTITY
    xyz, rpy = origin.numbers("xyz", 3, _NONE), origin.numbers("rpy", 3, _NONE)
    if "quat_xyzw" in origin.attributes:
        raise origin.error("quat_xyzw is not supported; expected rpy")
    p, R = _ZERO, _IDENTITY
    if any(xyz):
        p = np.array(xyz)
    if any(rpy):
        R = rotation_from_rpy(rpy)
    return p, R


def _inertials(
    links: Mapping[str, Element], source: str, *, strict: bool
) -> tuple[dict[str, Inertial], list[DescriptionWarning]]:
    """Return the inertials of the links that have one, and which of them no body has."""
    given = []
    for name, link in links.items():
        inertial = link.find("inertial")
        if inertial is None:
            continue
        p, R = _pose(inertial)
        mass = inertial.need("mass").number("value", None)
        inertia = inertial.find("inertia")
        six: tuple[float, ...] = (0.0,) * 6
        if inertia is not None:
            six = tuple([inertia.number(axes, None) for axes in AXES_OF_INERTIA])
        given.append(Given(name, inertial.line, mass, p, R, six))
    return make_inertials(given, source, strict=strict) if given else ({}, [])


def _named_colors(robot: Element) -> dict[str, Color]:
    """Return the colors of the materials of a robot, which its visuals refer to."""
    materials = (material for material in robot.all("material") if material.children)
    return {material.text("name"): _rgba(material.need("color")) for material in materials}


def _rgba(color: Element) -> Color:
    r, g, b, a = color.numbers("rgba", 4)
    return r, g, b, a


def _link(link: Element, inertial: Inertial | None, colors: Mapping[str, Color]) -> Link:
    visuals = tuple([_visual(visual, colors) for visual in link.all("visual")])
    collisions = tuple([_collision(collision) for collision in link.all("collision")])
    return Link(link.text("name"), inertial, visuals, collisions)


def _visual(visual: Element, colors: Mapping[str, Color]) -> Visual:
    p, R = _pose(visual)
    shape, kind = _shape(visual, VISIBLE)
    return Visual(kind, _size(shape), p, R, _color(visual, colors), _mesh(shape))


def _collision(collision: Element) -> Collision:
    p, R = _pose(collision)
    shape, kind = _shape(collision, TOUCHABLE)
    return Collision(kind, _size(shape), p, R, _mesh(shape))


def _shape(element: Element, kinds: Mapping[str, Kind]) -> tuple[Element, Kind]:
    """Return the only shape of a visual or collision, and its kind."""
    geometry = element.need("geometry")
    shapes = [shape for shape in geometry.children if shape.tag in kinds]
    if len(shapes) != 1:
        raise geometry.error(
            f"not a valid URDF: expected one shape, got {len(shapes)}. "
            f"Valid: {', '.join(sorted(kinds))}"
        )
    return shapes[0], kinds[shapes[0].tag]


def _mesh(shape: Element) -> str:
    return shape.text("filename") if shape.tag == "mesh" else ""


def _size(shape: Element) -> tuple[float, ...]:
    if shape.tag == "mesh":
        return shape.numbers("scale", 3, (1.0, 1.0, 1.0))  # negative ones mirror it
    if shape.tag == "box":
        size = shape.numbers("size", 3)
    else:
        size = (shape.number("radius", None),)
        if shape.tag != "sphere":
            size = (*size, shape.number("length", None))
    if min(size) < 0.0:
        raise shape.error(f"sizes must not be negative, got {list(size)}")
    return size


def _color(visual: Element, colors: Mapping[str, Color]) -> Color:
    material = visual.find("material")
    if material is None:
        return GREY
    color = material.find("color")
    return colors.get(material.attributes.get("name", ""), GREY) if color is None else _rgba(color)


def _joint(joint: Element, links: Mapping[str, Link]) -> Joint:
    name = joint.text("type")
    kind = JOINT_TYPES.get(name)
    if kind is None:
        raise joint.error(f"type '{shown(name)}' is not supported{choices(name, JOINT_TYPES)}")
    p, R = _pose(joint)
    is_fixed = kind in ("fixed", "floating")
    mimic = None if kind == "fixed" else joint.find("mimic")
    if mimic is not None and kind in ("planar", "floating"):
        raise mimic.error(
            f"a {kind} joint cannot mimic another; expected a revolute or prismatic one"
        )
    # what a fixed joint cannot have is not read
    friction = None if kind == "fixed" else _friction(joint.find("dynamics"))
    return Joint(
        name=joint.text("name"),
        type=kind,
        parent=_end(joint, "parent", links),
        child=_end(joint, "child", links),
        p_parent_joint=p,
        R_parent_joint=R,
        axis=_axis(None if is_fixed else joint.find("axis")),
        limit=_limit(joint.find("limit"), kind),
        mimic=_mimic(mimic),
        friction=None if kind in NO_FRICTION else friction,
    )


def _end(joint: Element, role: str, links: Mapping[str, Link]) -> str:
    """Return the link at an end of a joint, which there must be."""
    element = joint.need(role)
    name = element.text("link")
    if name not in links:
        raise element.error(f"{role} link '{shown(name)}' does not exist{choices(name, links)}")
    return name


def _axis(axis: Element | None) -> Floats:
    if axis is None:
        return np.array([1.0, 0.0, 0.0])
    xyz = axis.numbers("xyz", 3)
    length = math.hypot(*xyz)
    if length < 1e-12:
        raise axis.error(f"axis must not be zero, got {list(xyz)}")
    return np.array(xyz) / length


def _mimic(mimic: Element | None) -> Mimic | None:
    if mimic is None:
        return None
    joint = mimic.text("joint")
    return Mimic(joint, mimic.number("multiplier", 1.0), mimic.number("offset", 0.0))


def _friction(dynamics: Element | None) -> JointFriction | None:
    """Return the friction of a joint, None where it has none."""
    if dynamics is None:
        return None
    found = JointFriction(*(dynamics.number(name, 0.0) for name in FRICTION))
    if min(found.viscous, found.coulomb) < 0.0:
        raise dynamics.error(
            f"damping and friction must not be negative, got {found.viscous} and {found.coulomb}"
        )
    return found if found.viscous or found.coulomb else None


def _friction_warnings(
    joints: Sequence[Joint], elements: Mapping[str, Element], source: str
) -> list[DescriptionWarning]:
    """Return warnings of what <dynamics> of joints defines and is not read."""
    found = []
    for joint in joints:
        dynamics = elements[joint.name].find("dynamics")
        if dynamics is None:
            continue
        faults = [
            f"attribute '{shown(name)}' of <dynamics> is not supported"
            for name in dynamics.attributes
            if name not in FRICTION
        ]
        given = [dynamics.attributes.get(name, "0") for name in FRICTION]
        if joint.type in NO_FRICTION and any(text.strip("0. ") for text in given):
            faults.append(f"friction of a {joint.type} joint is not supported")
        found += [
            DescriptionWarning("joint", joint.name, fault, "ignored", source, dynamics.line)
            for fault in faults
        ]
    return found


def _limit(limit: Element | None, kind: JointType) -> Limit:
    if limit is None:
        return Limit(-math.inf, math.inf, math.inf, math.inf)
    lower, upper = limit.number("lower", 0.0, math.inf), limit.number("upper", 0.0, math.inf)
    effort, velocity = (limit.number(name, None, math.inf) for name in ("effort", "velocity"))
    if kind in ("continuous", "planar", "floating"):
        lower, upper = -math.inf, math.inf
    if lower > upper:
        raise limit.error(f"lower limit must not exceed the upper, got {lower} and {upper}")
    return Limit(lower, upper, effort, velocity)


def _report_missing_meshes(links: Iterable[Element]) -> None:
    """Warn of mesh files that are not there: the robot computes the same, but shows less."""
    missing: dict[str, Element] = {}
    for link in links:
        for visual in link.all("visual"):
            for mesh in visual.need("geometry").all("mesh"):
                name = mesh.text("filename")
                path = name[len("file://") :] if name.startswith("file://") else name
                # package:// depends on the packages installed where the robot is shown
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
