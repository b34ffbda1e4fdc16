# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The command charmie_import: the files of a robot, and a report of omissions."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from charmie_dynamics.errors import InputError, UnknownNameError, choices

from .converted_robot import ConvertedRobot, ImportedRobot


def import_robot(
    file: Path,
    folder: Path,
    driven: list[str] | None = None,
    package_path: Sequence[Path] = (),
    *,
    hulls: bool = False,
) -> tuple[ConvertedRobot, ImportedRobot]:
    """Convert a robot, write its files, and load them.

    Parameters
    ----------
    file : Path
        MJCF (.xml, .mjcf), SDF (.sdf) or URDF (.urdf).
    folder : Path
    driven : list of str, optional
        Joints with motors; those of the file's actuators if omitted.
    package_path : sequence of Path
        Folders with packages and models, before those of the environment, see `find_mesh`.
    hulls : bool
        Write convex hulls of the meshes of collisions that are no convex solids.

    Raises
    ------
    InputError
        If the format is unknown.
    UnknownNameError
        If no joint has the name of a driven one.
    ModelFileError
        If the file cannot be read, or its robot not be described.
    """
    if file.suffix in (".xml", ".mjcf"):
        from .mjcf import convert_mjcf

        robot = convert_mjcf(file)
    elif file.suffix == ".sdf":
        from .sdf import convert_sdf

        robot = convert_sdf(file, package_path)
    elif file.suffix == ".urdf":
        from .urdf import convert_urdf

        robot = convert_urdf(file)
    else:
        raise InputError(f"'{file}': expected a file .xml, .mjcf, .sdf or .urdf")
    if driven is not None:
        names = [joint.name for joint in robot.joints]
        for name in driven:
            if name not in names:
                raise UnknownNameError(f"joint '{name}' is unknown{choices(name, names)}")
        robot.driven = set(driven)
    return robot, robot.write(folder, file.resolve().parent, package_path, hulls=hulls)


def run(options: argparse.Namespace) -> int:
    """Convert a robot and print the report."""
    robot, imported = import_robot(
        options.file, options.out, options.driven, options.package_path, hulls=options.hulls
    )
    print(f"{imported.urdf}, {imported.mechanisms}")
    for line in imported.report():
        print(line)
    print("left out:" if robot.dropped else "left out: nothing")
    for line in robot.dropped:
        print(f"  {line}")
    return 0
