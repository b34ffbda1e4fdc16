# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Numbers of a robot's files, by name, and how the flat arrays change with each.

A name is the path of a number in the mechanisms file, ``springs.NAME.stiffness``,
``linear_actuators.NAME.base_point[1]``, ``gravity[2]``, or that of a link's inertial,
``inertials.LINK.mass``, ``.com[0]``, ``.inertia.xy``: of the centre of mass, along the link's axes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any, NamedTuple

import numpy as np

from charmie_dynamics.core.inverse.records import Robot
from charmie_dynamics.errors import InputError, ModelFileError, UnknownNameError, choices
from charmie_dynamics.model.description.mechanisms import MechanismSet
from charmie_dynamics.model.description.mechanisms.mechanism import SHARE
from charmie_dynamics.model.description.robot import Inertial, RobotTree
from charmie_dynamics.model.flat.described_robot import DescribedRobot
from charmie_dynamics.model.flat.flatten import flatten
from charmie_dynamics.numerics.blocks import places_of
from charmie_dynamics.numerics.vectors import Floats

GRAVITY, INERTIALS = "gravity", "inertials"
SOURCE = "mechanisms"  # for messages
STEP = 1e-3  # of a number, or of 1 where it is smaller
# sixth order: exact but for round-off for whatever is a polynomial of degree 6 in the number
WEIGHTS = {1: 45.0 / 60.0, 2: -9.0 / 60.0, 3: 1.0 / 60.0}
INERTIA_AXES = {"xx": (0, 0), "xy": (0, 1), "xz": (0, 2), "yy": (1, 1), "yz": (1, 2), "zz": (2, 2)}


class Number(NamedTuple):
    """A number of a robot's files.

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


def numbers_of(robot: DescribedRobot) -> dict[str, Number]:
    """Return all numbers that efforts may depend on, by their names."""
    found = dict(_of_mechanisms(robot.tree, robot.mechanisms))
    found.update(_of_inertials(robot.tree, robot.mechanisms))
    return found


def number_named(numbers: dict[str, Number], name: str) -> Number:
    """Return a number by its name.

    Raises
    ------
    UnknownNameError
        If there is none of that name.
    """
    if name not in numbers:
        raise UnknownNameError(f"number '{name}' is unknown{choices(name, numbers)}")
    return numbers[name]


def direction_of(robot: DescribedRobot, name: str, number: Number) -> Floats:
    """Return the derivative (k,) of the floats of the robot's block by a number of its files.

    Raises
    ------
    InputError
        If a robot with another value in its place alone cannot be.
    """
    step = STEP * max(abs(number.value), 1.0)
    result = np.zeros(len(robot.flat.blocks.floats))
    try:
        for k, weight in WEIGHTS.items():
            above = flatten(*number.changed(number.value + k * step), SOURCE).blocks.floats
            below = flatten(*number.changed(number.value - k * step), SOURCE).blocks.floats
            result += weight / step * (above - below)
    except ModelFileError as error:
        raise InputError(
            f"number '{name}': expected one that can change by itself; {error}"
        ) from None
    return result


def tree_part(direction: Floats, robot: DescribedRobot, name: str) -> Floats:
    """Return the part of a direction that belongs to an array of `core.arrays.Tree`."""
    first, shape = places_of(Robot, robot.flat.sizes)[1][f"tree.{name}"]
    count = int(np.prod(shape))
    return direction[first : first + count].reshape(shape)


def _of_mechanisms(tree: RobotTree, mechanisms: MechanismSet) -> Iterator[tuple[str, Number]]:
    for k, value in enumerate(mechanisms.gravity):

        def changed(new: float, k: int = k) -> tuple[RobotTree, MechanismSet]:
            gravity: Any = _with(mechanisms.gravity, k, new)
            return tree, replace(mechanisms, gravity=gravity)

        yield f"{GRAVITY}[{k}]", Number(GRAVITY, value, changed)
    for section, part in mechanisms.parts():
        keys = part.schema["properties"]
        for field in fields(part):
            value = getattr(part, field.name)
            schema = keys.get(field.name, {"enum": []})
            # choices are no numbers, and shares of undetermined reactions change no effort
            if "enum" in schema or schema.get("$ref") == SHARE["$ref"]:
                continue
            if field.name in part.parts_of_their_own and value == 0.0:
                continue
            for place, entry in _entries(value):

                def replaced(
                    new: float,
                    section: str = section,
                    part: Any = part,
                    field: str = field.name,
                    place: int | None = place,
                ) -> tuple[RobotTree, MechanismSet]:
                    own = new if place is None else _with(getattr(part, field), place, new)
                    of_type = tuple(
                        replace(other, **{field: own}) if other is part else other
                        for other in getattr(mechanisms, section)
                    )
                    changes: dict[str, Any] = {section: of_type}
                    return tree, replace(mechanisms, **changes)

                index = "" if place is None else f"[{place}]"
                name = f"{section}.{part.name}.{field.name}{index}"
                yield name, Number(section, entry, replaced)


def _entries(value: Any) -> Iterator[tuple[int | None, float]]:
    """Yield the floats of a field with their places, None for a single one."""
    if isinstance(value, float):
        yield None, value
    elif isinstance(value, tuple) and all(isinstance(entry, float) for entry in value):
        yield from enumerate(value)


def _with(values: tuple[float, ...], k: int, new: float) -> tuple[float, ...]:
    return (*values[:k], new, *values[k + 1 :])


def _of_inertials(tree: RobotTree, mechanisms: MechanismSet) -> Iterator[tuple[str, Number]]:
    for name, link in tree.links.items():
        inertial = link.inertial
        if inertial is None:
            continue

        def changed(
            new: float, path: str, name: str = name, inertial: Inertial = inertial
        ) -> tuple[RobotTree, MechanismSet]:
            links = dict(tree.links)
            links[name] = replace(links[name], inertial=_with_value(inertial, path, new))
            return replace(tree, links=links), mechanisms

        for path, value in _paths(inertial):

            def replaced(
                new: float, path: str = path, changed: Any = changed
            ) -> tuple[RobotTree, MechanismSet]:
                result: tuple[RobotTree, MechanismSet] = changed(new, path)
                return result

            yield f"{INERTIALS}.{name}.{path}", Number(INERTIALS, value, replaced)


def _paths(inertial: Inertial) -> Iterator[tuple[str, float]]:
    yield "mass", inertial.mass
    for k in range(3):
        yield f"com[{k}]", float(inertial.p_link_com[k])
    for axes, place in INERTIA_AXES.items():
        yield f"inertia.{axes}", float(inertial.inertia[place])


def _with_value(inertial: Inertial, path: str, new: float) -> Inertial:
    if path == "mass":
        return replace(inertial, mass=new)
    if path.startswith("com"):
        com = inertial.p_link_com.copy()
        com[int(path[4])] = new
        return replace(inertial, p_link_com=com)
    inertia = inertial.inertia.copy()
    i, j = INERTIA_AXES[path.rpartition(".")[2]]
    inertia[i, j] = inertia[j, i] = new
    return replace(inertial, inertia=inertia)
