# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The command charmie_size: the smallest motors and gears for a motion."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from charmie_dynamics.errors import InputError
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.reading import read_model
from charmie_dynamics.studies.design.study_motion import (
    StudyMotion,
    make_study_motion,
    recorded_motion,
)
from charmie_dynamics.studies.sizing.drive_table import read_drive_table
from charmie_dynamics.studies.sizing.sizing import DriveUse, SizedDrive, size_drives

USE_HEADINGS = {"gear": "gear load"}  # "gear" is the heading of its name


def size(options: argparse.Namespace) -> list[SizedDrive]:
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
    """Return the named motion of the option, else the one of the bag."""
    if options.motion:
        return make_study_motion(options.motion, model)
    if not options.bag.exists():
        raise InputError(f"bag '{options.bag}': there is no such folder")
    return recorded_motion(model, options.bag.name, options.bag)


def _draw(path: Path, drives: Sequence[SizedDrive], motion: StudyMotion) -> None:
    # the only part that needs matplotlib
    from charmie_dynamics.visual.study_charts.speed_torque import MotorDiagram, plot_speed_torque

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


def drive_table_text(drives: Sequence[SizedDrive]) -> str:
    """Return the drives as a table."""
    uses = (USE_HEADINGS.get(field, field) for field in DriveUse._fields)
    rows: list[tuple[str, ...]] = [("actuator", "motor", "gear", *uses, "")]
    for drive in drives:
        shares = (f"{100.0 * share:.0f} %" for share in drive.use)
        remark = "" if drive.is_enough else f"not enough: {drive.use.limit}"
        rows.append((drive.actuator, drive.motor.name, drive.gear.name, *shares, remark))
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) for row in rows]
    return "\n".join(line.rstrip() for line in lines)


def run(options: argparse.Namespace) -> int:
    """Size the drives; return exit status 0 if each actuator has a sufficient drive, else 1."""
    drives = size(options)
    print(drive_table_text(drives))
    return 0 if all(drive.is_enough for drive in drives) else 1
