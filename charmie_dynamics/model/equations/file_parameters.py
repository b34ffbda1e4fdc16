# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Parameters of a robot's files, by name, and how the flat arrays change with each.

A name is the path of a number in the files, see `number_paths`. Places and limits of joints are not
included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from charmie_dynamics.core.arrays import Rotors
from charmie_dynamics.core.inverse.records import Robot
from charmie_dynamics.errors import InputError, ModelFileError, UnknownNameError, choices
from charmie_dynamics.model.description.mechanisms import MechanismSet
from charmie_dynamics.model.description.mechanisms.mechanism import SHARE
from charmie_dynamics.model.description.robot import RobotTree
from charmie_dynamics.model.flat.flatten import flatten
from charmie_dynamics.model.flat.prepared_robot import PreparedRobot
from charmie_dynamics.numerics.blocks import places_of
from charmie_dynamics.numerics.vectors import Floats

from .number_paths import (
    JOINTS,
    LIMIT_KEYS,
    WHEEL_CONTACTS,
    is_of_friction,
    numbers_by_path,
    parsed,
    with_numbers,
)

SOURCE = "mechanisms"  # for messages
STEP = 1e-3  # of a number, or of 1 where it is smaller
# sixth order: exact but for round-off for whatever is a polynomial of degree 6 in the number
WEIGHTS = {1: 45.0 / 60.0, 2: -9.0 / 60.0, 3: 1.0 / 60.0}


class FileParameter(NamedTuple):
    """A number in one of a robot's files.

    Attributes
    ----------
    section : str
        `GRAVITY`, `INERTIALS`, or a section of mechanisms.
    value : float
    changed : callable
        Returns tree and mechanisms with another value in its place.
    """

    section: str
    value: float
    changed: Callable[[float], tuple[RobotTree, MechanismSet]]


def file_parameters(robot: PreparedRobot) -> dict[str, FileParameter]:
    """Return all parameters that efforts may depend on, by their names."""
    tree, mechanisms = robot.tree, robot.mechanisms
    values = numbers_by_path(tree, mechanisms)

    def parameter(path: str) -> FileParameter:
        place = parsed(path)

        def changed(new: float) -> tuple[RobotTree, MechanismSet]:
            return with_numbers(tree, mechanisms, {place: new})

        return FileParameter(place.section, values[path], changed)

    return {path: parameter(path) for path in _paths(robot)}


def parameter_named(parameters: dict[str, FileParameter], name: str) -> FileParameter:
    """Return a parameter by its name.

    Raises
    ------
    UnknownNameError
        If no parameter has that name.
    """
    if name not in parameters:
        raise UnknownNameError(f"parameter '{name}' is unknown{choices(name, parameters)}")
    return parameters[name]


def block_derivative(robot: PreparedRobot, name: str, parameter: FileParameter) -> Floats:
    """Return the derivative (k,) of the floats of the robot's block by one of its parameters.

    Raises
    ------
    InputError
        If a robot with another value in its place alone cannot be.
    """
    step = STEP * max(abs(parameter.value), 1.0)
    result = np.zeros(len(robot.flat.blocks.floats))
    try:
        for k, weight in WEIGHTS.items():
            above = flatten(*parameter.changed(parameter.value + k * step), SOURCE).blocks.floats
            below = flatten(*parameter.changed(parameter.value - k * step), SOURCE).blocks.floats
            result += weight / step * (above - below)
    except ModelFileError as error:
        raise InputError(
            f"parameter '{name}': expected one that can change by itself; {error}"
        ) from None
    return result


def rotors_part(direction: Floats, robot: PreparedRobot) -> Rotors:
    """Return the part of a direction that belongs to the rotors."""
    return Rotors(
        *(part_of(direction, robot, f"mechanisms.rotors.{name}") for name in Rotors._fields)
    )


def part_of(direction: Floats, robot: PreparedRobot, name: str) -> Floats:
    """Return the part of a direction that belongs to an array of a `Robot`."""
    first, shape = places_of(Robot, robot.flat.sizes)[1][name]
    count = int(np.prod(shape))
    return direction[first : first + count].reshape(shape)


def _paths(robot: PreparedRobot) -> Iterator[str]:
    """Yield the paths of all numbers that efforts may depend on; not of places and limits."""
    tree, mechanisms = robot.tree, robot.mechanisms
    parts = {(section, part.name): part for section, part in mechanisms.parts()}
    linear = (*mechanisms.linear_actuators, *mechanisms.load_sharing)
    # pins of links are places of their joints
    fixed = {("linear_actuators", part.name) for part in linear if part.has_links}
    fixed |= {("loop_joints", f"{part.name}_tip") for part in linear if part.has_links}
    for path in numbers_by_path(tree, mechanisms):
        section, name, field, place = number = parsed(path)
        if is_of_friction(number):
            yield path
            continue
        if section in (JOINTS, WHEEL_CONTACTS) or (field, place) in LIMIT_KEYS:
            continue
        if (section, name) in fixed or (section, field) == ("linear_actuators", "share"):
            continue
        part = parts.get((section, name))
        if part is not None:
            # choices are no numbers, and shares of undetermined reactions change no effort
            schema = part.schema["properties"].get(field, {"enum": []})
            if "enum" in schema or schema.get("$ref") == SHARE["$ref"]:
                continue
            if field in part.parts_of_their_own and not np.any(getattr(part, field)):
                continue
        yield path
