# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The options of charmie_import."""

from __future__ import annotations

import sys
from pathlib import Path

from charmie_dynamics.command_line import Parser, run_program


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = Parser(
        "charmie_import",
        "Convert a robot with its loops from MJCF or SDF to a URDF and a mechanisms file; find the "
        "meshes of a URDF.",
        "charmie_import cassie.xml --out cassie",
    )
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="MJCF (.xml), SDF (.sdf) or URDF (.urdf)"
    )
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FOLDER", help="for the files of the robot"
    )
    parser.add_argument(
        "--driven",
        nargs="+",
        metavar="JOINT",
        help="joints with motors (default: those of the file's actuators); others in loops are "
        "passive",
    )
    parser.add_argument(
        "--hulls",
        action="store_true",
        help="write convex hulls of the meshes of collisions that are no convex solids",
    )
    parser.add_argument(
        "--package-path",
        nargs="+",
        type=Path,
        default=[],
        metavar="FOLDER",
        help="folders with packages (package://) and models (model://), before those of "
        "AMENT_PREFIX_PATH, ROS_PACKAGE_PATH, GZ_SIM_RESOURCE_PATH, SDF_PATH and "
        "GAZEBO_MODEL_PATH",
    )
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Parse the options and run the command; return its exit status."""
    options = make_parser().parse_args(arguments)
    program = "charmie_dynamics.conversion.import_command"
    return run_program("charmie_import", program, options, "mjcf")


if __name__ == "__main__":
    sys.exit(main())
