# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Small trees for the tests of the core, as the core's own arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from pose_series import turn

from charmie_dynamics.core.arrays import FIXED, PRISMATIC, REVOLUTE, Kinematics, Tree
from charmie_dynamics.core.inverse.forward_kinematics import forward_kinematics, joint_terms
from charmie_dynamics.core.inverse.newton_euler import (
    project_on_coordinates,
    propagate_loads,
    propagate_motion,
)
from charmie_dynamics.core.inverse.records import Sizes
from charmie_dynamics.numerics.blocks import lay_out, places_of

Record = TypeVar("Record", bound=tuple[Any, ...])
GRAVITY = (0.0, 0.0, -9.81)
X, Y, Z = np.eye(3)


class Body(NamedTuple):
    parent: int
    joint_type: int = FIXED
    axis: Sequence[float] = (0.0, 0.0, 1.0)
    origin: Sequence[float] = (0.0, 0.0, 0.0)
    R_parent_joint: np.ndarray = np.eye(3)
    mass: float = 0.0
    com: Sequence[float] = (0.0, 0.0, 0.0)
    inertia: np.ndarray = np.zeros((3, 3))
    # coordinate, multiplier, offset; None: a coordinate of its own
    mimic: tuple[int, float, float] | None = None


ROOT = Body(-1)


def make_tree(bodies: Sequence[Body], gravity: Sequence[float] = GRAVITY) -> Tree:
    coordinates = []
    count = 0
    for body in bodies:
        if body.joint_type == FIXED:
            coordinates.append((-1, 0.0, 0.0))
        elif body.mimic is not None:
            coordinates.append(body.mimic)
        else:
            coordinates.append((count, 1.0, 0.0))
            count += 1
    integers = [[b.parent for b in bodies], [b.joint_type for b in bodies]]
    parent, joint_type = (np.array(x, dtype=np.int64) for x in integers)
    axis = np.array([b.axis for b in bodies], dtype=float)
    R_parent_joint = np.array([b.R_parent_joint for b in bodies], dtype=float)
    return Tree(
        parent,
        joint_type,
        axis,
        R_parent_joint,
        np.array([b.origin for b in bodies], dtype=float),
        np.array([c for c, _, _ in coordinates], dtype=np.int64),
        np.array([m for _, m, _ in coordinates]),
        np.array([o for _, _, o in coordinates]),
        np.array([b.mass for b in bodies], dtype=float),
        np.array([b.com for b in bodies], dtype=float),
        np.array([b.inertia for b in bodies], dtype=float),
        np.array(gravity, dtype=float),
        *joint_terms(R_parent_joint, axis),
        np.zeros((len(bodies), 2, 3)),
        np.full(len(bodies), -1, dtype=np.int64),
        np.zeros((len(bodies), 3)),
        np.zeros((len(bodies), 3)),
    )


def random_tree(rng: np.random.Generator, bodies: int = 7) -> Tree:
    """Branches, skew axes, turned origins, all joint types, one mimic; gravity askew."""
    parts = [Body(-1, **_random_inertial(rng))]
    for i in range(1, bodies):
        axis = rng.normal(size=3)
        parts.append(
            Body(
                parent=int(rng.integers(0, i)),
                joint_type=(REVOLUTE, PRISMATIC, REVOLUTE, REVOLUTE, FIXED, PRISMATIC)[i % 6],
                axis=axis / np.linalg.norm(axis),
                origin=rng.normal(size=3),
                R_parent_joint=random_rotation(rng),
                mimic=(0, -0.7, 0.3) if i == bodies - 1 else None,
                **_random_inertial(rng),
            )
        )
    return make_tree(parts, gravity=rng.normal(size=3))


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    axis = rng.normal(size=3)
    return turn(axis / np.linalg.norm(axis), rng.uniform(-np.pi, np.pi))


def _random_inertial(rng: np.random.Generator) -> dict:
    """That of five point masses, which is physical whatever they are."""
    mass, p = rng.uniform(0.1, 1.0, size=5), rng.normal(size=(5, 3))
    com = mass @ p / mass.sum()
    r = p - com
    inertia = sum(m * (x @ x * np.eye(3) - np.outer(x, x)) for m, x in zip(mass, r, strict=True))
    return {"mass": mass.sum(), "com": com, "inertia": inertia}


def empty_record(record: type[Record], **sizes: int) -> Record:
    """A record of results for so many of each thing, NaN so that what is not written shows."""
    counts = Sizes(**{**dict.fromkeys(Sizes._fields, 0), **sizes})
    block = np.full(places_of(record, counts)[3], np.nan)
    return lay_out(record, np.zeros(0, dtype=np.int64), block, counts)


class Solution(NamedTuple):
    R_parent_body: np.ndarray
    p_parent_body: np.ndarray
    R_world_body: np.ndarray
    p_world_body: np.ndarray
    force: np.ndarray
    torque: np.ndarray
    generalized_force: np.ndarray


def inverse_dynamics(
    tree: Tree, q: Sequence[float], qd: Sequence[float], qdd: Sequence[float]
) -> Solution:
    """Steps 4 and 6 of the core."""
    q, qd, qdd = (np.array(x, dtype=float) for x in (q, qd, qdd))
    n = len(tree.parent)
    w, dw, a, force, torque = np.full((5, n, 3), np.nan)
    poses = empty_record(Kinematics, n=n, f=n, q=len(q))
    poses.joint_position[:] = q
    forward_kinematics(tree, poses)
    R_parent, p_parent = poses.R_parent_frame, poses.p_parent_frame
    propagate_motion(tree, R_parent, p_parent, qd, qdd, w, dw, a)
    propagate_loads(tree, R_parent, p_parent, w, dw, a, force, torque)
    generalized = np.full(len(q), np.nan)
    project_on_coordinates(tree, R_parent, force, torque, generalized)
    world = poses.R_world_frame, poses.p_world_frame
    return Solution(R_parent, p_parent, *world, force, torque, generalized)
