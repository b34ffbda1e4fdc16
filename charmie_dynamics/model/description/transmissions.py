# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Rotors of the transmissions of a URDF.

Of an ``<actuator>`` in a ``<transmission>`` its rotor inertia is read (``<motorInertia>``,
``<rotorInertia>`` or Drake's ``<drake:rotor_inertia value="...">``) and its gear ratio
(``<mechanicalReduction>``, there or in the transmission, or ``<drake:gear_ratio value="...">``).
A transmission without rotor inertia has no effect.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from charmie_dynamics.errors import shown

from .description_warnings import DescriptionWarning
from .robot import SINGLE_JOINTS, Joint, Rotor
from .urdf_form import ROTOR_INERTIA
from .xml_document import Element

CONSEQUENCE = "its rotor inertia has no effect"


def read_rotors(
    transmissions: Sequence[Element], joints: Sequence[Joint]
) -> tuple[dict[str, Rotor], list[DescriptionWarning]]:
    """Return the rotors of the transmissions by joint, and the rotors that cannot be assigned.

    Several rotors of one joint become one with their total reflected inertia.

    Raises
    ------
    ModelFileError
        If an inertia or a gear ratio is no number, an inertia is negative, or a ratio is 0.
    """
    types = {joint.name: joint.type for joint in joints}
    found: dict[str, Rotor] = {}
    doubts: list[DescriptionWarning] = []
    for transmission in transmissions:
        for actuator in transmission.all("actuator"):
            inertia = _first(actuator, ROTOR_INERTIA)
            if inertia is None:
                continue
            names = [joint.attributes.get("name", "") for joint in transmission.all("joint")]
            fault = _fault(names, types)
            if fault:
                name = names[0] if names else ""
                line = inertia.line
                doubts.append(
                    DescriptionWarning("joint", name, fault, CONSEQUENCE, inertia.source, line)
                )
                continue
            (name,) = names
            rotor = Rotor(_value(inertia), _gear_ratio(transmission, actuator))
            if rotor.inertia < 0.0:
                raise inertia.error(f"must not be negative, got {rotor.inertia}")
            if name in found:
                rotor = Rotor(found[name].reflected + rotor.reflected)
            found[name] = rotor
    return found, doubts


def _fault(names: Sequence[str], types: Mapping[str, str]) -> str:
    """Return why the rotor of a transmission cannot be assigned to its joint, or nothing."""
    if len(names) != 1:
        return f"transmission with rotor inertia: expected one joint, got {len(names)}"
    kind = types.get(names[0])
    if kind is None:
        return f"transmission with rotor inertia: the joint '{shown(names[0])}' does not exist"
    if kind not in SINGLE_JOINTS:
        return (
            "transmission with rotor inertia: expected a revolute, continuous or prismatic "
            f"joint, got one that is {kind}"
        )
    return ""


def _gear_ratio(transmission: Element, actuator: Element) -> float:
    element = _first(actuator, ("drake:gear_ratio", "mechanicalReduction")) or _first(
        transmission, ("mechanicalReduction",)
    )
    if element is None:
        return 1.0
    ratio = abs(_value(element))
    if ratio == 0.0:
        raise element.error("expected a gear ratio other than 0, got 0")
    return ratio


def _first(element: Element, tags: Sequence[str]) -> Element | None:
    return next((child for tag in tags for child in element.all(tag)), None)


def _value(element: Element) -> float:
    """Return the number of an element: its attribute ``value``, or its text."""
    if "value" not in element.attributes:
        element.attributes["value"] = element.content.strip()
    return element.number("value", None)
