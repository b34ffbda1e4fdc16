# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Command interfaces of joints, from the section ``<ros2_control>`` of a URDF."""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree import ElementTree


def command_interfaces(urdf: str) -> Mapping[str, frozenset[str]]:
    """Return the command interfaces by the names of the joints; empty without a section.

    Parameters
    ----------
    urdf : str
        Text of the URDF.

    Examples
    --------
    >>> from charmie_dynamics.simulation.session.command_interfaces import command_interfaces
    >>> joint = "<joint name='elbow'><command_interface name='position'/></joint>"
    >>> text = f"<robot><ros2_control>{joint}</ros2_control></robot>"
    >>> command_interfaces(text)
    {'elbow': frozenset({'position'})}
    """
    if "ros2_control" not in urdf:
        return {}
    return {
        joint.get("name", ""): frozenset(
            interface.get("name", "") for interface in joint.findall("command_interface")
        )
        for joint in ElementTree.fromstring(urdf).findall("ros2_control/joint")
    }
