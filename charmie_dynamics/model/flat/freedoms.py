# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Coordinates and degrees of freedom: their names, their order, and their arrays."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from charmie_dynamics.core import arrays
from charmie_dynamics.core.arrays import FLOATING, PLANAR, PRISMATIC, Freedoms, Tree, read_only
from charmie_dynamics.model.description.robot import Joint
from charmie_dynamics.numerics.rotations import from_z_to_direction
from charmie_dynamics.numerics.vectors import Floats, Ints

# of joints with several numbers: of their positions, and of their velocities
PLANAR_POSITION = ("x", "y", "angle")
FLOATING_POSITION = ("x", "y", "z", "qx", "qy", "qz", "qw")
FLOATING_VELOCITY = ("vx", "vy", "vz", "wx", "wy", "wz")


class CoordinateNames(NamedTuple):
    """Names of the coordinates, and in which order they come.

    Attributes
    ----------
    first : dict
        First coordinate of velocity of each independent joint, by its name.
    joints : tuple of str
        Of the coordinates of velocity: the name of the joint, and of a joint with several numbers
        ``joint/number``.
    positions : tuple of str
        Of the numbers of position, as above.
    actuated : tuple of str
        The joints that an actuator moves.
    """

    first: dict[str, int]
    joints: tuple[str, ...]
    positions: tuple[str, ...]
    actuated: tuple[str, ...]


def name_coordinates(
    independent: Sequence[Joint], passive: Collection[str] = ()
) -> CoordinateNames:
    """Return the names of all coordinates of the joints that mimic no other.

    Those in `passive` have no actuator.
    """
    first: dict[str, int] = {}
    joints: list[str] = []
    positions: list[str] = []
    for joint in independent:
        first[joint.name] = len(joints)
        if joint.type == "planar":
            joints += [f"{joint.name}/{number}" for number in PLANAR_POSITION]
            positions += [f"{joint.name}/{number}" for number in PLANAR_POSITION]
        elif joint.type == "floating":
            joints += [f"{joint.name}/{number}" for number in FLOATING_VELOCITY]
            positions += [f"{joint.name}/{number}" for number in FLOATING_POSITION]
        else:
            joints.append(joint.name)
            positions.append(joint.name)
    actuated = [
        joint.name
        for joint in independent
        if joint.type not in ("planar", "floating") and joint.name not in passive
    ]
    return CoordinateNames(first, tuple(joints), tuple(positions), tuple(actuated))


def axes_of_plane(normal: Floats) -> Floats:
    """Return x and y (rows) of a planar joint in its frame: those of the smallest turn of z to it.

    For the normal z they are the axes x and y of the joint.
    """
    R = np.empty((3, 3))
    from_z_to_direction(normal, R)
    return R[:, :2].T


def flatten_freedoms(tree: Tree, names: CoordinateNames) -> Freedoms:
    """Return the degrees of freedom of a tree, parents first."""
    rows: list[tuple[int, int, int, int, int, int]] = []
    axes: list[Floats] = []
    last = np.full(len(tree.parent), -1, dtype=np.int64)
    floating_body = np.full(len(names.joints), -1, dtype=np.int64)
    for i in range(len(tree.parent)):
        before = -1 if tree.parent[i] < 0 else int(last[tree.parent[i]])
        last[i] = before
        for k, (turns, frame, axis) in enumerate(_axes(tree, i)):
            is_floating = tree.joint_type[i] == FLOATING
            carrier = before if is_floating else int(last[i])
            c = int(tree.coordinate[i]) + k
            rows.append((i, int(last[i]), carrier, c, int(turns), frame))
            axes.append(axis)
            last[i] = len(rows) - 1
            if is_floating:
                floating_body[c] = i
    columns = list(np.array(rows, dtype=np.int64).reshape(-1, 6).T.copy())
    beside, solved_at = _find_places(columns[1], columns[3], len(names.joints))
    # the vector part of a quaternion takes the places of an angular velocity
    scalars = len(names.positions) - len(names.joints)
    position_entry, scalar_entry, shift = [], np.zeros(scalars, dtype=np.int64), 0
    for c, floating in enumerate(floating_body):
        position_entry.append(c + shift)
        if floating >= 0 and c == tree.coordinate[floating] + 5:
            shift += 1
            scalar_entry[tree.scalar[floating]] = c + shift
    return read_only(
        Freedoms(
            freedom_body=columns[0],
            freedom_before=columns[1],
            freedom_carrier=columns[2],
            freedom_coordinate=columns[3],
            freedom_turns=columns[4],
            freedom_frame=columns[5],
            freedom_axis=np.array(axes, dtype=np.float64).reshape(-1, 3),
            freedom_multiplier=tree.multiplier[columns[0]],
            freedom_beside=beside,
            last_freedom=last,
            position_entry=np.array(position_entry, dtype=np.int64),
            floating_body=floating_body,
            solved_at=solved_at,
            scalar_entry=scalar_entry,
        )
    )


def coordinates_by_link(links: Sequence[str], freedoms: Freedoms) -> dict[str, tuple[int, ...]]:
    """Return the coordinates of the parent joint of each link."""
    found: dict[str, list[int]] = {link: [] for link in links}
    for i, c in zip(freedoms.freedom_body, freedoms.freedom_coordinate, strict=True):
        found[links[i]].append(int(c))
    return {link: tuple(coordinates) for link, coordinates in found.items()}


def _axes(tree: Tree, i: int) -> list[tuple[bool, int, Floats]]:
    """Return of each freedom of body `i`'s joint whether it turns, and its axis in which body."""
    kind = tree.joint_type[i]
    if kind == arrays.FIXED:
        return []
    if kind == PLANAR:
        plane = tree.u_parent_plane[i]
        parent = int(tree.parent[i])
        return [(False, parent, plane[0]), (False, parent, plane[1]), (True, i, tree.axis[i])]
    if kind == FLOATING:
        slides = [(False, i, axis) for axis in np.eye(3)]
        return slides + [(True, i, axis) for axis in np.eye(3)]
    return [(kind != PRISMATIC, i, tree.axis[i])]


def _find_places(before: Ints, coordinate: Ints, count: int) -> tuple[Ints, Ints]:
    """Return where the acceleration of each coordinate is found, see `Freedoms`.

    Returns
    -------
    beside : (d,) array of int
    solved_at : (q,) array of int
    """
    beside = np.full(len(coordinate), -1, dtype=np.int64)
    solved_at = np.empty(count, dtype=np.int64)
    elsewhere = 0
    for c in range(count):
        own = np.flatnonzero(coordinate == c)
        if len(set(before[own].tolist())) == 1:
            solved_at[c] = own[0]
            beside[own[:-1]] = own[1:]
        else:
            elsewhere += 1
            solved_at[c] = -elsewhere
    return beside, solved_at


def read_only_ints(numbers: Iterable[int]) -> Ints:
    """Return some indices as an array."""
    array = np.array(list(numbers), dtype=np.int64)
    array.flags.writeable = False
    return array
