"""What the elements of a URDF must hold, told with its line; and those that are read as text."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple
from xml.etree import ElementTree

from charmie_dynamics.errors import ModelFileError, choices, shown

from .robot import JointType
from .xml_document import LARGEST_NUMBER, Element, Grammar

# An element takes 15 to 25 us in all, about half of it in the library. A chain of 2500 links with
# inertials has 25 000. Both limits keep the largest file clearly below a second.
MOST_LINKS = 2500
MOST_READ = 26_000

JOINT_TYPES: dict[str, JointType] = {
    "fixed": "fixed",
    "revolute": "revolute",
    "continuous": "continuous",
    "prismatic": "prismatic",
}
VERSIONS = ("1.0", "1.1", "1.2")


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
# element: what cannot be missing in it
NEEDED = {"inertial": ("mass",), "visual": ("geometry",), "joint": ("parent", "child")}


class _Attribute(NamedTuple):
    """An attribute that is read. `numbers`: how many it holds, 0 for text."""

    name: str
    numbers: int = 0
    needed: bool = True
    largest: float = LARGEST_NUMBER


_NAME = _Attribute("name")
ATTRIBUTES: dict[str, tuple[_Attribute, ...]] = {
    "robot": (_NAME,),
    "link": (_NAME,),
    "joint": (_NAME, _Attribute("type")),
    "origin": (_Attribute("xyz", 3, needed=False), _Attribute("rpy", 3, needed=False)),
    "mass": (_Attribute("value", 1),),
    "inertia": tuple(_Attribute(f"i{axes}", 1) for axes in ("xx", "xy", "xz", "yy", "yz", "zz")),
    "parent": (_Attribute("link"),),
    "child": (_Attribute("link"),),
    "axis": (_Attribute("xyz", 3),),
    "limit": (
        _Attribute("lower", 1, needed=False, largest=math.inf),
        _Attribute("upper", 1, needed=False, largest=math.inf),
        _Attribute("effort", 1, largest=math.inf),
        _Attribute("velocity", 1, largest=math.inf),
    ),
    "mimic": (
        _Attribute("joint"),
        _Attribute("multiplier", 1, needed=False),
        _Attribute("offset", 1, needed=False),
    ),
    "color": (_Attribute("rgba", 4),),
    "box": (_Attribute("size", 3),),
    "cylinder": (_Attribute("radius", 1), _Attribute("length", 1)),
    "sphere": (_Attribute("radius", 1),),
    "mesh": (_Attribute("filename"), _Attribute("scale", 3, needed=False)),
}


def elements_by_name(robot: Element) -> tuple[dict[str, Element], dict[str, Element]]:
    """Return the links and the joints.

    Raises
    ------
    ModelFileError
        For a version of URDF that is unknown, a name that is missing or used twice, no link, or
        more than `MOST_LINKS`.
    """
    version = robot.attributes.get("version", VERSIONS[0])
    if version not in VERSIONS:
        raise robot.error(f"version '{shown(version)}' is unknown{choices(version, VERSIONS)}")
    robot.text("name")
    links = _by_name(robot, "link")
    if not links:
        raise robot.error("has no link; expected at least 1")
    if len(links) > MOST_LINKS:
        first_beyond = list(links.values())[MOST_LINKS]
        raise first_beyond.error(f"the file has {len(links)} links; expected at most {MOST_LINKS}")
    return links, _by_name(robot, "joint")


def _by_name(robot: Element, tag: str) -> dict[str, Element]:
    found: dict[str, Element] = {}
    for element in robot.all(tag):
        name = element.text("name")
        first = found.setdefault(name, element)
        if first is not element:
            raise ModelFileError(
                f"{element.source}, line {element.line}: {tag} name '{shown(name)}' is used more "
                f"than once, first on line {first.line}"
            )
    return found


def plain_text(robot: Element) -> str:
    """Check the form of a URDF and write what is read of it.

    Parameters
    ----------
    robot : Element
        Read by `GRAMMAR`, with sound names.

    Returns
    -------
    str
        XML of those elements and attributes alone that the model is made of.

    Raises
    ------
    ModelFileError
        Naming file, line and element: where an element or attribute is missing or stands twice,
        is not of the form that URDF gives it, or there are more than `MOST_READ` elements.
    """
    beyond = next(islice(_walk(robot), MOST_READ, None), None)
    if beyond is not None:
        raise beyond.error(f"more than {MOST_READ} elements that are read; no robot is that large")
    return ElementTree.tostring(_plain(robot), encoding="unicode")


def _walk(element: Element) -> Iterator[Element]:
    yield element
    for child in element.children:
        yield from _walk(child)


def _plain(element: Element) -> ElementTree.Element:
    tag = element.tag
    plain = ElementTree.Element(tag, _attributes(element))
    if tag == "geometry" and len(element.children) != 1:
        shapes = ", ".join(sorted(GRAMMAR["geometry"][0]))
        raise element.error(
            f"not a valid URDF: expected one shape, got {len(element.children)}. Valid: {shapes}"
        )
    first: dict[str, Element] = {}
    for child in element.children:
        if tag != "robot" and child.tag != "visual":
            found = first.setdefault(child.tag, child)
            if found is not child:
                raise child.error(f"stands twice, first on line {found.line}; expected once")
        if not _is_unused(child, element):
            if tag == "robot":
                child.text("name")  # of a material, which in a visual may go without
            plain.append(_plain(child))
    for needed in NEEDED.get(tag, ()):
        element.need(needed)
    return plain


def _is_unused(element: Element, above: Element) -> bool:
    """Whether nothing is read of an element where it stands, whatever it holds."""
    if above.tag == "joint":
        return element.tag in ("axis", "mimic") and above.attributes["type"] == "fixed"
    # a material of the robot is there for its color
    return above.tag == "robot" and element.tag == "material" and not element.children


def _attributes(element: Element) -> dict[str, str]:
    """Return the attributes that are read, each sound."""
    given, tag = element.attributes, element.tag
    if tag == "material":  # the library wants a name
        return {"name": given.get("name", "")}
    read: dict[str, str] = {}
    for name, numbers, needed, largest in ATTRIBUTES.get(tag, ()):
        if not needed and name not in given:
            continue
        if numbers == 0:
            element.text(name)
        elif numbers == 1:
            element.number(name, None, largest)
        else:
            element.numbers(name, numbers, largest)
        read[name] = given[name]
    if tag == "joint" and read["type"] not in JOINT_TYPES:
        kind = read["type"]
        raise element.error(f"type '{shown(kind)}' is not supported{choices(kind, JOINT_TYPES)}")
    if tag == "origin" and "quat_xyzw" in given:
        raise element.error("quat_xyzw is not supported; expected rpy")
    return read
