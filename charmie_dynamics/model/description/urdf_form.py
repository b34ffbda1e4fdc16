# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The elements of a URDF that are read, and what holds for the file as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

from charmie_dynamics.errors import ModelFileError, choices, shown

from .description_warnings import DescriptionWarning
from .names import length_fault
from .robot import JointType
from .xml_document import Element, Form, Skipped

# A chain of 2500 links with inertials has 25 000 elements, <dynamics> not counted. Both limits keep
# the time for the largest file below a second.
MOST_LINKS = 2500
MOST_READ = 26_000
UNCOUNTED = frozenset(("dynamics", "transmission"))

# by their names in a URDF, which are plain `str`
JOINT_TYPES: dict[str, JointType] = {name: name for name in get_args(JointType)}
VERSIONS = ("1.0", "1.1", "1.2")
# elements of an actuator of a transmission, any of which is the inertia of its rotor
ROTOR_INERTIA = ("motorInertia", "rotorInertia", "drake:rotor_inertia")


def _parts(read: str, skipped: str = "") -> tuple[frozenset[str], frozenset[str]]:
    return frozenset(read.split()), frozenset(skipped.split())


# element: the parts that are read, and the other parts of URDF, whose faults have no effect here
GRAMMAR: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    "robot": _parts(
        "link joint material transmission",
        "gazebo sensor ros2_control drake:collision_filter_group",
    ),
    "link": _parts(
        "inertial visual collision",
        "origin verbose sensor gazebo self_collision_checking self_collide self_filter "
        "collision_checking",
    ),
    "inertial": _parts("origin mass inertia"),
    "visual": _parts("origin geometry material", "verbose"),
    "collision": _parts("origin geometry", "verbose material"),
    "geometry": _parts("box capsule cylinder sphere mesh"),
    "material": _parts("color", "texture"),
    "joint": _parts(
        "origin parent child axis limit mimic dynamics",
        "safety_controller calibration"
        # in a transmission
        " hardwareInterface mechanicalReduction offset role",
    ),
    "transmission": _parts("joint actuator mechanicalReduction"),
    "actuator": _parts(f"mechanicalReduction drake:gear_ratio {' '.join(ROTOR_INERTIA)}"),
}
# elements whose text is read
WITH_TEXT = frozenset(("mechanicalReduction", *ROTOR_INERTIA))
# elements that define shapes and colours: unknown elements in them do not change the motion
APPEARANCE = ("visual", "collision", "geometry", "material")
# except these
CONTACT = frozenset(["contact_coefficients", "drake:proximity_properties", "surface"])
# elements of which the rotor alone matters
TRANSMISSIONS = ("transmission", "actuator")
# elements of Gazebo that change the motion of a robot
WATCHED: Mapping[str, frozenset[str]] = {
    "gazebo": frozenset(
        "mu mu1 mu2 fdir1 slip1 slip2 kp kd minDepth maxVel dampingFactor springStiffness "
        "springReference implicitSpringDamper stopKp stopKd stopCfm stopErp cfmDamping fudgeFactor "
        "turnGravityOff gravity kinematic velocity_decay joint surface".split()
    )
}
FORM = Form("robot", GRAMMAR, WATCHED, WITH_TEXT, MOST_READ, UNCOUNTED)
# by a part of the name of an element: where its meaning is defined instead
INSTEAD = {
    "loop": "loop joints are defined by `loop_joints` of a mechanisms file",
    "constraint": "loop joints are defined by `loop_joints` of a mechanisms file",
    "spring": "springs are defined in a mechanisms file",
    "damp": "dampers are defined in a mechanisms file",
    "rotor": "rotors are defined in a mechanisms file",
    "actuator": "linear actuators are defined in a mechanisms file",
    "contact": "contacts are defined in a world file",
    "surface": "contacts are defined in a world file",
    "friction": "contacts are defined in a world file",
}


def unsupported(skipped: Sequence[Skipped], source: str) -> list[DescriptionWarning]:
    """Return a warning for each kind of elements that have a physical meaning and are not read."""
    found = []
    for tag, above, line, number, inside in skipped:
        if above in TRANSMISSIONS or (above in APPEARANCE and tag not in CONTACT):
            continue
        fault = f"in <{above}> is not supported"
        if inside:
            fault = f"with {', '.join(sorted(inside))} {fault}"
        if number > 1:
            fault += f" ({number} elements)"
        words = f"{tag} {' '.join(inside)}".lower()
        # one place only, that of the first matching word of `INSTEAD`
        instead = [place for word, place in INSTEAD.items() if word in words][:1]
        consequence = "; ".join(["ignored", *instead])
        found.append(DescriptionWarning("element", tag, fault, consequence, source, line))
    return found


def elements_by_name(robot: Element) -> tuple[dict[str, Element], dict[str, Element]]:
    """Return the links and the joints.

    Raises
    ------
    ModelFileError
        For a version of URDF that is unknown, a name that is missing, too long or used twice, no
        link, or more than `MOST_LINKS`.
    """
    version = robot.attributes.get("version", VERSIONS[0])
    if version not in VERSIONS:
        raise robot.error(f"version '{shown(version)}' is unknown{choices(version, VERSIONS)}")
    _name(robot)
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
        name = _name(element)
        first = found.setdefault(name, element)
        if first is not element:
            raise ModelFileError(
                f"{element.source}, line {element.line}: {tag} name '{shown(name)}' is used more "
                f"than once, first on line {first.line}"
            )
    return found


def _name(element: Element) -> str:
    name = element.text("name")
    fault = length_fault(name)
    if fault is not None:
        raise element.error(f"the name {fault}")
    return name
