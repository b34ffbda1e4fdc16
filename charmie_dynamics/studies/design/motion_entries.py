# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The entries of motions in a study file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from charmie_dynamics.errors import InputError
from charmie_dynamics.model.description.package_robots import world_file
from charmie_dynamics.model.description.world import RobotEntity, read_world
from charmie_dynamics.model.model import Model

from .study_motion import (
    RATE,
    StudyMotion,
    make_study_motion,
    random_motion,
    recorded_motion,
    require_within_limits,
    restricted,
)
from .world_motion import WorldMotion

TEXT = {"type": "string", "minLength": 1}
POSITIVE = {"type": "number", "exclusiveMinimum": 0}
DURATION = 10.0  # s, without a duration of the motion
KINDS = ("named", "bag", "random", "world")
# further keys of each kind
BESIDE = {
    "named": ("duration", "rate", "actuators", "static", "beyond_limits"),
    "bag": ("actuators", "static", "beyond_limits"),
    "random": ("duration", "rate", "actuators", "static", "beyond_limits"),
    "world": ("robot", "motion", "duration", "rate", "beyond_limits"),
}
MOTION: dict[str, Any] = {
    "named": {**TEXT, "description": "motion of the package"},
    "bag": {**TEXT, "description": "folder of a recording"},
    "random": {"type": "integer", "minimum": 0, "description": "seed of a random motion"},
    "world": {
        **TEXT,
        "description": "world file, or name of one of the package, in which each candidate is "
        "simulated",
    },
    "robot": {
        **TEXT,
        "description": "entity of the world that the candidate replaces (default: the first)",
    },
    "motion": {
        **TEXT,
        "description": "motion of the package that the robot follows in the world (default: it "
        "holds its pose)",
    },
    "duration": {**POSITIVE, "description": "duration, except of a recording (s)"},
    "rate": {**POSITIVE, "description": "sampling rate, except of a recording (Hz)"},
    "actuators": {
        "type": "array",
        "items": TEXT,
        "minItems": 1,
        "description": "actuators that move (default: all)",
    },
    "static": {"type": "boolean", "description": "evaluate the poses at rest"},
    "beyond_limits": {
        "type": "boolean",
        "description": "allow motions beyond the limits of actuators",
    },
}


def motion_of_entry(
    key: str, entry: Mapping[str, Any], model: Model, folder: Path | None
) -> StudyMotion | WorldMotion:
    """Return the motion of an entry that the schema accepts.

    Parameters
    ----------
    key : str
        Its name in the study.
    entry : mapping
    model : Model
        The described robot.
    folder : Path or None
        Base folder of recordings and worlds.

    Raises
    ------
    CharmieError
        If the entry is invalid, or the robot cannot perform the motion.
    """
    kinds = [name for name in KINDS if name in entry]
    if len(kinds) != 1:
        *most, last = KINDS
        raise InputError(
            f"expected one of {', '.join(most)} and {last}, got {' and '.join(kinds) or 'none'}"
        )
    (kind,) = kinds
    for name in entry:
        if name != kind and name not in BESIDE[kind]:
            raise InputError(f"expected no {name} beside {kind}")
    if kind == "world":
        return _of_world(key, entry, folder)
    rate = float(entry.get("rate", RATE))
    if kind == "named":
        motion = make_study_motion(entry["named"], model, duration=entry.get("duration"), rate=rate)
    elif kind == "bag":
        motion = recorded_motion(model, key, (folder or Path()) / entry["bag"])
    else:
        duration = float(entry.get("duration", DURATION))
        motion = random_motion(model, key, entry["random"], duration=duration, rate=rate)
    actuators, static = entry.get("actuators", ()), bool(entry.get("static", False))
    motion = restricted(model, motion, actuators, static=static)
    is_free = bool(entry.get("beyond_limits", False))
    if not is_free:
        require_within_limits(model, motion)
    return replace(motion, name=key, beyond_limits=is_free)


def _of_world(key: str, entry: Mapping[str, Any], folder: Path | None) -> WorldMotion:
    name = entry["world"]
    path = (folder or Path()) / name if Path(name).suffix else world_file(name)
    world = read_world(path)
    robots = [e.name for e in world.entities if isinstance(e, RobotEntity)]
    if not robots:
        raise InputError(f"world '{name}': expected one with a robot")
    return WorldMotion(
        key,
        world,
        entry.get("robot", robots[0]),
        entry.get("motion", ""),
        float(entry.get("duration", DURATION)),
        float(entry.get("rate", RATE)),
        bool(entry.get("beyond_limits", False)),
    )
