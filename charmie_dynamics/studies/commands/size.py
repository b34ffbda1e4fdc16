# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The command charmie_size: the smallest motors and gears that can make a motion."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from charmie_dynamics.errors import CharmieError, InputError
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.reading import read_model
from charmie_dynamics.motions.named import MOTION_NAMES
from charmie_dynamics.numerics.announcing import announce_compilation
from charmie_dynamics.studies.design.study_motion import (
    StudyMotion,
    named_motion,
    recorded_motion,
)
from charmie_dynamics.studies.sizing.drive_table import SMALLEST_BY, read_drive_table
from charmie_dynamics.studies.sizing.sizing import SizedDrive, size_drives


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="charmie_size",
        description="Find the smallest of many motors and gears that can make a motion.",
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--bag", type=Path, metavar="BAG", help="recording of what the robot does")
    what.add_argument(
        "--motion", metavar="NAME", help=f"motion of the package: {', '.join(MOTION_NAMES)}"
    )
    parser.add_argument(
        "--table", type=Path, required=True, metavar="FILE", help="motors and gears (YAML)"
    )
    parser.add_argument("--urdf", metavar="FILE", help="or the name of a robot of this package")
    parser.add_argument("--mechanisms", type=Path, metavar="FILE", help="mechanisms file")
    parser.add_argument(
        "--actuators", nargs="+", default=[], metavar="NAME", help="all unless told"
    )
    parser.add_argument(
        "--duty", type=float, default=1.0, metavar="SHARE",
        help="share of the time in which the motion is made; default: %(default)g",
    )  # fmt: skip
    parser.add_argument(
        "--smallest", choices=SMALLEST_BY, default="mass", help="default: %(default)s"
    )
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="picture of speeds and torques, .png or .svg"
    )
    return parser


def run(options: argparse.Namespace) -> list[SizedDrive]:
    """Return a drive for each actuator.

    Raises
    ------
    CharmieError
        If the table, the robot or the motion cannot be used.
    """
    model = read_model(options.urdf, options.mechanisms)
    motion = _motion(model, options)
    drives = size_drives(
        model, motion, read_drive_table(options.table), options.actuators,
        duty=options.duty, smallest=options.smallest,
    )  # fmt: skip
    if options.plot:
        _draw(options.plot, drives, motion)
    return drives


def _motion(model: Model, options: argparse.Namespace) -> StudyMotion:
    if options.motion:
        return named_motion(model, options.motion)
    if not options.bag.exists():
        raise InputError(f"bag '{options.bag}': there is no such folder")
    return recorded_motion(model, options.bag.name, options.bag)


def _draw(path: Path, drives: Sequence[SizedDrive], motion: StudyMotion) -> None:
    # needs matplotlib, which nothing else here does
    from charmie_dynamics.visual.pictures.speed_torque import MotorDiagram, plot_speed_torque

    diagrams = [
        MotorDiagram(
            f"{drive.actuator}: {drive.motor.name}, {drive.gear.name}"
            + ("" if drive.is_enough else " (not enough)"),
            drive.load.speed, drive.load.torque, drive.motor.envelope,
            (drive.motor.rated_speed, drive.motor.rated_torque),
        )
        for drive in drives
    ]  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    plot_speed_torque(path, diagrams, title="Motors", subtitle=f"during {motion.name}")


def table(drives: Sequence[SizedDrive]) -> str:
    """Return the drives as a table."""
    rows: list[tuple[str, ...]] = [
        ("actuator", "motor", "gear", "peak", "heat", "speed", "gear load", "")
    ]
    for drive in drives:
        shares = (f"{100.0 * share:.0f} %" for share in drive.use)
        told = "" if drive.is_enough else f"not enough: {drive.use.limit}"
        rows.append((drive.actuator, drive.motor.name, drive.gear.name, *shares, told))
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) for row in rows]
    return "\n".join(line.rstrip() for line in lines)


def main(arguments: list[str] | None = None) -> int:
    """Size; exit status 0 if there is a drive for each actuator, else 1."""
    options = make_parser().parse_args(arguments)
    announce_compilation()
    try:
        drives = run(options)
    except (CharmieError, OSError) as error:
        print(f"charmie_size: {error}", file=sys.stderr)
        return 1
    print(table(drives))
    return 0 if all(drive.is_enough for drive in drives) else 1


if __name__ == "__main__":
    sys.exit(main())
