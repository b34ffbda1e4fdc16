# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The robots and worlds that come with this package, by their short names."""

from __future__ import annotations

from pathlib import Path

from charmie_dynamics.errors import ModelFileError, choices

from .files import share_file

# name: URDF; mechanisms, None where there are none
PACKAGE_ROBOTS: dict[str, tuple[tuple[str, str], tuple[str, str] | None]] = {
    "charmie": (("urdf", "charmie.urdf"), ("config", "charmie_mechanisms.yaml")),
    "charmie_lar": (("urdf", "charmie_lar.urdf"), ("config", "charmie_lar_mechanisms.yaml")),
    "charmie_wheeled": (
        ("urdf", "charmie_wheeled.urdf"),
        ("config", "charmie_wheeled_mechanisms.yaml"),
    ),
    "scara": (("robots", "scara.urdf"), None),
    "delta": (("robots", "delta.urdf"), ("robots", "delta_mechanisms.yaml")),
    "athena": (("robots", "athena.urdf"), ("robots", "athena_mechanisms.yaml")),
    "quadruped": (("robots", "quadruped.urdf"), ("robots", "quadruped_mechanisms.yaml")),
    "arm_6r": (("robots", "arm_6r.urdf"), ("robots", "arm_6r_mechanisms.yaml")),
}
DEFAULT = "charmie"
PACKAGE_WORLDS = ("athena", "bouncing_ball", "charmie_wheeled", "quadruped")


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
        If a file of this package is not where it should be.
    """
    files = PACKAGE_ROBOTS.get(str(urdf) or DEFAULT)
    if files is None:
        return Path(urdf), Path(mechanisms) if mechanisms else None
    own_urdf, own_mechanisms = files
    if mechanisms:
        return share_file(*own_urdf), Path(mechanisms)
    return share_file(*own_urdf), share_file(*own_mechanisms) if own_mechanisms else None


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
        If a file of this package is not where it should be, or what has neither folder nor
        ending is no world of this package.
    """
    name = str(world)
    if name in PACKAGE_WORLDS:
        return share_file("worlds", f"{name}.yaml")
    path = Path(world)
    if not path.suffix and path.name == name and not path.exists():
        raise ModelFileError(f"world '{name}' is unknown{choices(name, PACKAGE_WORLDS)}")
    return path
