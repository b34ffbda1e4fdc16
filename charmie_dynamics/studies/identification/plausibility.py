# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Identified bodies that contradict the description or the size of a robot."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from charmie_dynamics.model.description.robot import Inertial
from charmie_dynamics.model.model import Model

# ratio of an identified and a described mass from which they contradict, above and below 1, and
# the mass (fraction of the robot's) below which a body is not checked
LARGEST_RATIO = 2.0
LEAST_SHARE = 0.005
COMBINED = (
    "the efforts determine combinations of links, not the mass of one link alone, so the "
    "difference is not the mass of a payload (--find-payload identifies one)"
)
ADVICE = (
    "check the units of measured efforts (N m, not A, mA or N mm) and of the URDF (m and kg, not "
    "mm or g), the factors of efforts, and payloads"
)


def implausible_bodies(model: Model, identified: Mapping[str, Inertial]) -> list[str]:
    """Return a warning for each implausible identified body.

    Parameters
    ----------
    model : Model
        The described robot.
    identified : mapping of str to Inertial
        By the names of links.
    """
    described = {name: link.inertial for name, link in model.tree.links.items() if link.inertial}
    least = LEAST_SHARE * sum(inertial.mass for inertial in described.values())
    size = robot_size(model)
    result = []
    for name, value in identified.items():
        before = described.get(name)
        if before is not None and max(before.mass, value.mass) >= least:
            ratio = value.mass / before.mass if before.mass > 0.0 else math.inf
            if not 1.0 / LARGEST_RATIO <= ratio <= LARGEST_RATIO:
                result.append(
                    f"link '{name}': identified mass {value.mass:.4g} kg, described "
                    f"{before.mass:.4g} kg: {COMBINED}; {ADVICE}"
                )
        radius = radius_of_gyration(value)
        if radius > size > 0.0:
            result.append(
                f"link '{name}': identified radius of gyration {radius:.4g} m, larger than the "
                f"robot ({size:.4g} m): {ADVICE}"
            )
    return result


def radius_of_gyration(inertial: Inertial) -> float:
    """Return the largest radius of gyration of a body about its centre of mass (m)."""
    if not inertial.mass > 0.0:
        return 0.0
    largest = float(np.linalg.eigvalsh(inertial.inertia)[-1])
    return math.sqrt(max(largest, 0.0) / inertial.mass)


def robot_size(model: Model) -> float:
    """Return an approximate bound (m) on the distances of the bodies of a robot.

    The sum of the distances between joints, the travel of prismatic joints and the largest body.
    """
    tree = model.tree
    way = sum(float(np.linalg.norm(joint.p_parent_joint)) for joint in tree.joints)
    for joint in tree.joints:
        travel = joint.limit.upper - joint.limit.lower
        way += travel if joint.type == "prismatic" and math.isfinite(travel) else 0.0
    bodies = [link.inertial for link in tree.links.values() if link.inertial]
    return way + max(
        (float(np.linalg.norm(b.p_link_com)) + radius_of_gyration(b) for b in bodies), default=0.0
    )
