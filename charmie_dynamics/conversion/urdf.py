# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""URDF to a `ConvertedRobot`, for its meshes: they are found, and get convex hulls."""

from __future__ import annotations

from pathlib import Path

from charmie_dynamics.model.description.files import read_text
from charmie_dynamics.model.description.urdf import parse_urdf

from .converted_robot import ConvertedRobot


def convert_urdf(path: Path) -> ConvertedRobot:
    """Return the robot of a URDF.

    Raises
    ------
    ModelFileError
        If it cannot be read.
    """
    tree = parse_urdf(read_text(path), str(path))
    return ConvertedRobot(
        tree.name,
        tree.root,
        links=dict(tree.links),
        joints=list(tree.joints),
        rotors={name: dict(vars(rotor)) for name, rotor in tree.rotors.items()},
        dropped=[str(warning) for warning in tree.warnings],
    )
