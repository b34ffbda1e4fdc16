# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Properties of a URDF for the view: the joint that moves a frame, its unit, doubtful parts."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Sequence

from charmie_dynamics.errors import ModelFileError
from charmie_dynamics.live.topics import ROBOT_DESCRIPTION
from charmie_dynamics.model.description.description_warnings import warning_lines
from charmie_dynamics.model.description.urdf import parse_urdf


class Joints:
    """The movable joints of a URDF; empty before the URDF has arrived.

    Parameters
    ----------
    urdf : str
        Its text. An invalid URDF counts as empty.
    """

    def __init__(self, urdf: str = "") -> None:
        self._type: dict[str, str] = {}
        self._of_child: dict[str, str] = {}
        try:
            elements = list(ElementTree.fromstring(urdf).iter("joint"))
        except ElementTree.ParseError:
            elements = []
        for joint in elements:
            child = joint.find("child")
            kind = joint.get("type", "fixed")
            if child is not None and kind != "fixed":
                self._type[joint.get("name", "")] = kind
                self._of_child[child.get("link", "")] = joint.get("name", "")

    def unit(self, actuator: str) -> str:
        """Return the unit of an actuator's effort. Unknown joints count as linear actuators."""
        if not self._type:
            return ""
        turning = self._type.get(actuator, "prismatic") in ("revolute", "continuous")
        return "N m" if turning else "N"

    def actuator_of(
        self, frame: str, actuators: Sequence[str], parent: Callable[[str], str | None]
    ) -> str | None:
        """Return the actuator that moves a frame or is drawn in it; None without one.

        A frame without a joint belongs to the actuator of its ancestor.

        Parameters
        ----------
        frame : str
            With or without a prefix.
        actuators : sequence of str
            Actuators with an effort.
        parent : callable
            Returns the parent of a frame.
        """
        at: str | None = frame
        for _ in range(100):
            if at is None:
                return None
            for actuator in actuators:
                if actuator not in self._type and actuator in at:
                    return actuator
            links = [child for child in self._of_child if _ends(at, child)]
            if links:
                joint = self._of_child[max(links, key=len)]
                return joint if joint in actuators else None
            at = parent(at)
        return None


def doubtful_parts(urdf: str) -> list[str]:
    """Return a line for each doubtful part of a URDF; empty for an unreadable one.

    The displayed efforts were computed with this URDF.
    """
    try:
        return warning_lines(parse_urdf(urdf, ROBOT_DESCRIPTION.name).warnings)
    except ModelFileError:
        return []


def _ends(frame: str, name: str) -> bool:
    """Return whether a frame is a link, with an optional prefix such as ``left/`` or ``left_``."""
    return frame == name or frame.endswith(("/" + name, "_" + name))
