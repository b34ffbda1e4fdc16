# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The robots, worlds and studies that come with this package, by their short names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from charmie_dynamics.errors import ModelFileError, choices

from .files import read_text, share_file

# the form of names of robots, worlds and studies; everything else is a path
NAME_FORM = re.compile(r"\w{1,64}")


class PackageRobot(NamedTuple):
    """A robot of this package; files are folder and name in the share folder."""

    description: str
    urdf: tuple[str, str]
    mechanisms: tuple[str, str] | None = None


# the only list of robots: nodes, messages and docs/robots.md take it from here
PACKAGE_ROBOTS = {
    "charmie": PackageRobot(
        "the mobile manipulator with two arms, as published",
        ("urdf", "charmie.urdf"),
        ("config", "charmie_mechanisms.yaml"),
    ),
    "charmie_lar": PackageRobot(
        "the robot of the laboratory, with one arm",
        ("urdf", "charmie_lar.urdf"),
        ("config", "charmie_lar_mechanisms.yaml"),
    ),
    "charmie_wheeled": PackageRobot(
        "the mobile manipulator on four Swedish wheels with suspension",
        ("urdf", "charmie_wheeled.urdf"),
        ("config", "charmie_wheeled_mechanisms.yaml"),
    ),
    "scara": PackageRobot("an arm with five joints", ("robots", "scara.urdf")),
    "delta": PackageRobot(
        "a parallel robot with three driven joints",
        ("robots", "delta.urdf"),
        ("robots", "delta_mechanisms.yaml"),
    ),
    "four_bar": PackageRobot(
        "a planar linkage with one loop",
        ("robots", "four_bar.urdf"),
        ("robots", "four_bar.yaml"),
    ),
    "excavator": PackageRobot(
        "the arm of an excavator with three cylinders",
        ("robots", "excavator.urdf"),
        ("robots", "excavator_mechanisms.yaml"),
    ),
    "parallel_ankle": PackageRobot(
        "a foot that two cylinders turn about two axes",
        ("robots", "parallel_ankle.urdf"),
        ("robots", "parallel_ankle_mechanisms.yaml"),
    ),
    "scissor_lift": PackageRobot(
        "a lift of two pairs of crossed bars",
        ("robots", "scissor_lift.urdf"),
        ("robots", "scissor_lift_mechanisms.yaml"),
    ),
    "spring_leg": PackageRobot(
        "a leg with leaf springs in its loop",
        ("robots", "spring_leg.urdf"),
        ("robots", "spring_leg_mechanisms.yaml"),
    ),
    "stewart": PackageRobot(
        "a platform on six cylinders",
        ("robots", "stewart.urdf"),
        ("robots", "stewart_mechanisms.yaml"),
    ),
    "parallel_gripper": PackageRobot(
        "two fingers on geared parallelograms",
        ("robots", "parallel_gripper.urdf"),
        ("robots", "parallel_gripper_mechanisms.yaml"),
    ),
    "athena": PackageRobot(
        "a hexapod with 18 driven joints",
        ("robots", "athena.urdf"),
        ("robots", "athena_mechanisms.yaml"),
    ),
    "quadruped": PackageRobot(
        "four legs with 12 driven joints",
        ("robots", "quadruped.urdf"),
        ("robots", "quadruped_mechanisms.yaml"),
    ),
    "arm_6r": PackageRobot(
        "a serial arm with six revolute joints",
        ("robots", "arm_6r.urdf"),
        ("robots", "arm_6r_mechanisms.yaml"),
    ),
}
DEFAULT = "charmie"
BUILT = "charmie_lar"  # with the topics of config/charmie_bridge.yaml
PACKAGE_STUDIES = (
    "balancing",
    "bought_springs",
    "exact_lift",
    "exact_torso",
    "lift_springs",
    "torso_front",
    "torso_springs",
)
PACKAGE_WORLDS = ("athena", "bouncing_ball", "charmie_wheeled", "kitchen", "quadruped", "room")


def model_files(urdf: str | Path, mechanisms: str | Path) -> tuple[Path, Path | None]:
    """Return the paths of a robot's URDF and mechanisms file.

    Parameters
    ----------
    urdf : str or path
        Name of a robot of this package (a file of that name needs another spelling, such as
        ``./charmie_lar``), or a path; empty: the default robot.
    mechanisms : str or path
        A path; empty: that of the robot of this package if it has one, None for a path of another.

    Raises
    ------
    ModelFileError
        If a file of this package is missing, or a name without folder and ending is no robot of
        this package.
    """
    files = PACKAGE_ROBOTS.get(str(urdf) or DEFAULT)
    if files is None:
        return _path("robot", PACKAGE_ROBOTS, urdf), Path(mechanisms) if mechanisms else None
    if mechanisms:
        return share_file(*files.urdf), Path(mechanisms)
    return share_file(*files.urdf), share_file(*files.mechanisms) if files.mechanisms else None


def robot_of_urdf(text: str) -> str | None:
    """Return the name of the robot of this package that has this URDF; None for another."""
    for name, robot in PACKAGE_ROBOTS.items():
        if text.strip() == read_text(share_file(*robot.urdf)).strip():
            return name
    return None


def world_file(world: str | Path) -> Path:
    """Return the path of a world file.

    Parameters
    ----------
    world : str or path
        Name of a world of this package (a file of that name needs another spelling, such as
        ``./athena``), or a path.

    Raises
    ------
    ModelFileError
        If a file of this package is missing, or a name with neither folder nor ending is no
        world of this package.
    """
    return _named_file("world", "worlds", PACKAGE_WORLDS, world)


def study_file(study: str | Path) -> Path:
    """Return the path of a study file.

    Parameters
    ----------
    study : str or path
        Name of a study of this package (a file of that name needs another spelling, such as
        ``./balancing``), or a path.

    Raises
    ------
    ModelFileError
        If a file of this package is missing, or a name with neither folder nor ending is no
        study of this package.
    """
    return _named_file("study", "studies", PACKAGE_STUDIES, study)


def _named_file(kind: str, folder: str, known: Sequence[str], given: str | Path) -> Path:
    name = str(given)
    if name in known:
        return share_file(folder, f"{name}.yaml")
    return _path(kind, known, given)


def _path(kind: str, known: Iterable[str], given: str | Path) -> Path:
    """Return a path; raise for what looks like a name and is neither a file nor known."""
    name, path = str(given), Path(given)
    if NAME_FORM.fullmatch(name) and not path.exists():
        raise ModelFileError(f"{kind} '{name}' is unknown{choices(name, known)}")
    return path
