# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Loads of a model: payloads and external wrenches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from charmie_dynamics.core.inverse.records import Robot
from charmie_dynamics.errors import InputError, UnknownNameError, choices
from charmie_dynamics.numerics.addresses import Blocks
from charmie_dynamics.numerics.blocks import places_of
from charmie_dynamics.numerics.vectors import Floats

from .flat.checks import finite_numbers
from .flat.flat_robot import FlatRobot

SLACK = 1e-6  # of the largest moment of inertia, for rounding
LENGTHS = (1, 4, 10)  # mass; centre of mass; inertia


@dataclass(frozen=True)
class Payload:
    """A rigid body that is held by a link.

    Parameters
    ----------
    mass : float
        kg, positive.
    p_link_com : (3,) sequence of float
        Centre of mass in the link's frame (m).
    inertia : (3, 3) sequence of float, optional
        About the centre of mass, along the link's axes (kg m^2); zero if omitted.

    Raises
    ------
    InputError
        If no body can have these values.

    Examples
    --------
    >>> from charmie_dynamics import Payload, load_model
    >>> bottle = Payload(1.5, p_link_com=(0.0, 0.0, 0.08))
    >>> model = load_model().with_loads({"left_tool": bottle})
    """

    mass: float
    p_link_com: Floats | tuple[float, ...] = (0.0, 0.0, 0.0)
    inertia: Floats | tuple[tuple[float, ...], ...] = ((0.0,) * 3,) * 3

    def __post_init__(self) -> None:
        """Check the values and turn them into arrays."""
        com = _finite("payload: centre of mass", self.p_link_com, (3,))
        inertia = _finite("payload: inertia", self.inertia, (3, 3))
        if not 0.0 < self.mass < np.inf:
            raise InputError(f"payload: mass: expected a positive number, got {self.mass}")
        slack = SLACK * float(np.abs(inertia).max())
        low, middle, high = np.linalg.eigvalsh(inertia).tolist()
        if np.abs(inertia - inertia.T).max() > slack or low < -slack:
            raise InputError(
                f"payload: inertia: expected a symmetric matrix without negative principal "
                f"moments, got {inertia.tolist()}"
            )
        if high > low + middle + slack:
            raise InputError(
                "payload: inertia: the largest principal moment exceeds the sum of the others "
                f"(triangle inequality): {[low, middle, high]}"
            )
        object.__setattr__(self, "p_link_com", com)
        object.__setattr__(self, "inertia", inertia)


def payload_from_numbers(numbers: Sequence[float]) -> Payload | None:
    """Return the payload of a list of numbers; None without payload.

    Parameters
    ----------
    numbers : sequence of 1, 4 or 10 floats
        Mass (kg; zero for no payload), centre of mass (m) and inertia about it (kg m^2: xx, xy,
        xz, yy, yz, zz), in the frame of the link that holds it.

    Raises
    ------
    InputError
        If no body can have these values.
    """
    values = [float(number) for number in numbers]
    if len(values) not in LENGTHS:
        raise InputError(f"payload: expected 1, 4 or 10 numbers, got {len(values)}")
    if not any(values):
        return None
    mass, x, y, z, xx, xy, xz, yy, yz, zz = [*values, *[0.0] * (LENGTHS[-1] - len(values))]
    return Payload(mass, (x, y, z), ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))


@dataclass(frozen=True)
class Wrench:
    """A load on a link from outside the robot.

    Parameters
    ----------
    force, torque : (3,) sequence of float
        Along the link's axes (N, N m); the torque about the link's origin.

    Raises
    ------
    InputError
        If a value is not finite.

    Examples
    --------
    >>> from charmie_dynamics import Wrench, load_model
    >>> push = Wrench(force=(0.0, 0.0, -20.0))
    >>> model = load_model().with_loads(wrenches={"right_tool": push})
    """

    force: Floats | tuple[float, ...] = (0.0, 0.0, 0.0)
    torque: Floats | tuple[float, ...] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        """Check the values and turn them into arrays."""
        object.__setattr__(self, "force", _finite("wrench: force", self.force, (3,)))
        object.__setattr__(self, "torque", _finite("wrench: torque", self.torque, (3,)))


def load(
    robot: FlatRobot, payloads: Mapping[str, Payload], wrenches: Mapping[str, Wrench]
) -> FlatRobot:
    """Return a robot with loads on some of its links.

    Parameters
    ----------
    robot : FlatRobot
        Without loads; not modified.
    payloads : mapping of str to Payload
        By link.
    wrenches : mapping of str to Wrench
        By link.

    Raises
    ------
    UnknownNameError
        If there is no such link.
    """
    tree, floats = robot.tree, robot.blocks.floats.copy()
    changed = {
        name: getattr(tree, name).copy()
        for name in ("mass", "p_body_com", "inertia", "external_force", "external_torque")
    }
    for link, payload in payloads.items():
        _add_payload(changed, _row(robot, link), payload)
    for link, wrench in wrenches.items():
        i = _row(robot, link)
        changed["external_force"][i] = wrench.force
        changed["external_torque"][i] = wrench.torque
    places = places_of(Robot, robot.sizes)[1]
    for name, values in changed.items():
        first = places[f"tree.{name}"].first
        floats[first : first + values.size] = values.ravel()
        values.flags.writeable = False
    return replace(robot, tree=tree._replace(**changed), blocks=Blocks(robot.blocks.ints, floats))


def _add_payload(changed: dict[str, Floats], i: int, payload: Payload) -> None:
    """Join a payload rigidly to body `i`."""
    com, inertia = np.asarray(payload.p_link_com), np.asarray(payload.inertia)
    own_mass, own_com = float(changed["mass"][i]), changed["p_body_com"][i].copy()
    mass = own_mass + payload.mass
    together = (own_mass * own_com + payload.mass * com) / mass
    changed["mass"][i] = mass
    changed["p_body_com"][i] = together
    changed["inertia"][i] += (
        inertia
        + _about_elsewhere(own_mass, own_com - together)
        + _about_elsewhere(payload.mass, com - together)
    )


def _about_elsewhere(mass: float, r: Floats) -> Floats:
    """Return what the parallel axis theorem adds for a distance `r` from the centre of mass."""
    result: Floats = mass * (np.dot(r, r) * np.eye(3) - np.outer(r, r))
    return result


def _row(robot: FlatRobot, link: str) -> int:
    if link not in robot.body_names:
        raise UnknownNameError(f"link '{link}' is unknown{choices(link, robot.body_names)}")
    return robot.body_names.index(link)


def _finite(subject: str, values: npt.ArrayLike, shape: tuple[int, ...]) -> Floats:
    array = finite_numbers(subject, values, shape)
    array.flags.writeable = False
    return array
