# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Points of a robot whose motion is published: those of its mechanisms file, or others."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from charmie_dynamics.core.equations.point_motion import POINT_NUMBERS
from charmie_dynamics.errors import InputError, choices, shown
from charmie_dynamics.model.description.files import read_text
from charmie_dynamics.model.description.mechanisms import MechanismSet, parse_mechanisms
from charmie_dynamics.model.description.names import MOST_POINTS, POINT_NAME
from charmie_dynamics.model.description.package_robots import model_files
from charmie_dynamics.model.description.robot import TrackedPoint, Vector3
from charmie_dynamics.model.description.xml_document import LARGEST_NUMBER
from charmie_dynamics.model.model import Model

from .settings import FROM_FILE

NONE = ("none",)
FORM = "NAME:FRAME or NAME:FRAME:X,Y,Z"


def tracked_points(model: Model, given: tuple[str, ...] = FROM_FILE) -> tuple[TrackedPoint, ...]:
    """Return the points that a parameter `tracked_points` names.

    Raises
    ------
    InputError
        Names the entry, the expected form and the valid frames.
    """
    if given == FROM_FILE:
        return model.mechanisms.tracked_points
    if given == NONE:
        return ()
    if len(given) > MOST_POINTS:
        raise InputError(f"tracked_points: {len(given)} points; expected at most {MOST_POINTS}")
    found: dict[str, TrackedPoint] = {}
    for text in given:
        point = _read(text, model.frame_names)
        if point.name in found:
            raise InputError(f"tracked_points: duplicate name '{point.name}'")
        found[point.name] = point
    return tuple(found.values())


def point_names(
    given: tuple[str, ...] = FROM_FILE, urdf: str = "", mechanisms: str = ""
) -> tuple[str, ...]:
    """Return the names of the points that a parameter `tracked_points` names, for their topics.

    Parameters
    ----------
    given : tuple of str
        The parameter.
    urdf, mechanisms : str
        The node's parameters `model` and `mechanisms`.

    Raises
    ------
    InputError, ModelFileError
        If they cannot be read.
    """
    if given == FROM_FILE:
        return tuple(point.name for point in mechanisms_of(urdf, mechanisms).tracked_points)
    return () if given == NONE else tuple(_name_of(text)[0] for text in given)


def mechanisms_of(urdf: str = "", mechanisms: str = "") -> MechanismSet:
    """Return the mechanisms of the robot of a node, without its URDF.

    Parameters
    ----------
    urdf, mechanisms : str
        The node's parameters `model` and `mechanisms`.

    Raises
    ------
    InputError, ModelFileError
        If they cannot be read.
    """
    path = model_files(urdf, mechanisms)[1]
    return parse_mechanisms(read_text(path), str(path)) if path else MechanismSet()


def place_of(model: Model, k: int) -> int:
    """Return where the numbers of a tracked point begin, in the block of a step."""
    return model.layout.size + 1 + POINT_NUMBERS * k


def _name_of(text: str) -> tuple[str, str]:
    """Return the name that an entry begins with, and the rest."""
    name, colon, rest = text.partition(":")
    if not colon or not rest:
        raise InputError(f"tracked_points: expected {FORM}, got '{shown(text)}'")
    if not re.match(POINT_NAME, name):
        raise InputError(
            "tracked_points: expected a name of up to 100 letters, digits and underscores that "
            f"begins with a letter, got '{shown(name)}'"
        )
    return name, rest


def _read(text: str, frames: Sequence[str]) -> TrackedPoint:
    name, rest = _name_of(text)
    if rest in frames:
        return TrackedPoint(name, rest)
    frame, _, numbers = rest.rpartition(":")
    if frame not in frames:
        frame = frame or rest
        raise InputError(
            f"tracked_points: frame '{shown(frame)}' of '{name}' is unknown{choices(frame, frames)}"
        )
    try:
        x, y, z = (float(number) for number in numbers.split(","))
    except ValueError:
        x = y = z = math.nan
    point: Vector3 = x, y, z
    if not all(-LARGEST_NUMBER <= number <= LARGEST_NUMBER for number in point):
        raise InputError(
            f"tracked_points: expected three finite numbers X,Y,Z (m) for '{name}', got "
            f"'{shown(numbers)}'"
        )
    return TrackedPoint(name, frame, point)
