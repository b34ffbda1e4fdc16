# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The command charmie_import: the files of a robot, and a report of omissions."""

from __future__ import annotations

import argparse
from pathlib import Path

from charmie_dynamics.errors import InputError, UnknownNameError, choices

from .converted_robot import ConvertedRobot, ImportedRobot


def import_robot(
    file: Path, folder: Path, driven: list[str] | None = None
) -> tuple[ConvertedRobot, ImportedRobot]:
    """Convert a robot, write its files, and load them.

    Parameters
    ----------
    file : Path
        MJCF (.xml, .mjcf) or SDF (.sdf).
    folder : Path
    driven : list of str, optional
        Joints with motors; those of the file's actuators if omitted.

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
        from .mjcf import convert_mjcf as convert
    elif file.suffix == ".sdf":
        from .sdf import convert_sdf as convert
    else:
        raise InputError(f"'{file}': expected a file .xml, .mjcf or .sdf")
    robot = convert(file)
    if driven is not None:
        names = [joint.name for joint in robot.joints]
        for name in driven:
            if name not in names:
                raise UnknownNameError(f"joint '{name}' is unknown{choices(name, names)}")
        robot.driven = set(driven)
    return robot, robot.write(folder)


def run(options: argparse.Namespace) -> int:
    """Convert a robot and print the report."""
    robot, imported = import_robot(options.file, options.out, options.driven)
    print(f"{imported.urdf}, {imported.mechanisms}")
    for line in imported.report():
        print(line)
    print("left out:" if robot.dropped else "left out: nothing")
    for line in robot.dropped:
        print(f"  {line}")
    return 0
