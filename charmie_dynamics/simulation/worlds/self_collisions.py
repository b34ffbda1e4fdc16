# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Which links of a robot can touch each other, by sampling its configurations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from charmie_dynamics.collision.contact_shape import shapes_of_robot
from charmie_dynamics.errors import InputError
from charmie_dynamics.model.description.robot import RobotTree
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.reading import load_model
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation.contact.link_overlaps import LinkOverlaps

LinkPairs = tuple[tuple[str, str], ...]
CHUNK = 500  # configurations whose kinematics are held at a time


@dataclass(frozen=True)
class SelfCollisionPairs:
    """The pairs of links with collision shapes, sorted by what they can do.

    Attributes
    ----------
    adjacent : tuple of (str, str)
        Joined by a joint, by a loop joint, or through links without shapes.
    always, sometimes, never : tuple of (str, str)
        Whether their shapes overlap in all, some or none of the samples.
    samples : int
        Configurations that were computed. A pair in `never` overlaps in less than 3 / `samples` of
        all configurations, with 95 % confidence.
    """

    adjacent: LinkPairs
    always: LinkPairs
    sometimes: LinkPairs
    never: LinkPairs
    samples: int


def self_collision_pairs(
    robot: Model | str | Path, samples: int = 10_000, seed: int = 0
) -> SelfCollisionPairs:
    """Classify the pairs of links of a robot by random configurations.

    The configurations are those of `Model.random_poses`, so loops are on their usual assembly
    branch. `SelfCollisionPairs.sometimes` is a value of the key ``self`` of a world.

    Parameters
    ----------
    robot : Model, or str or path as of `load_model`
    samples : int
        Number of random configurations.
    seed : int
        Equal seeds give equal results.

    Raises
    ------
    InputError
        Unless there is a sample, and as `Model.random_poses`.

    Examples
    --------
    >>> from charmie_dynamics.simulation import self_collision_pairs
    >>> pairs = self_collision_pairs("scara", samples=200)
    >>> ("link_1", "link_2") in pairs.adjacent, ("base", "link_5") in pairs.sometimes
    (True, True)
    """
    if samples < 1:
        raise InputError(f"samples: expected at least 1, got {samples}")
    model = robot if isinstance(robot, Model) else load_model(robot)
    shapes = list(shapes_of_robot(model.tree, model.mechanisms))
    solid = tuple(dict.fromkeys(shape.link for shape in shapes))
    adjacent = _adjacent(model, solid)
    pairs = [frozenset(pair) for pair in combinations(solid, 2)]
    hits: Counter[frozenset[str]] = Counter()
    count = 0
    if len(pairs) > len(adjacent):
        overlaps = LinkOverlaps(model.flat, shapes, adjacent)
        for R, p in _poses(model, samples, np.random.default_rng(seed)):
            found = overlaps.find(R, p).tolist()
            hits.update(frozenset((overlaps.links[i], overlaps.links[j])) for i, j in found)
            count += 1
    kinds: dict[str, list[tuple[str, str]]] = {
        kind: [] for kind in ("adjacent", "always", "sometimes", "never")
    }
    for pair in pairs:
        first, second = sorted(pair)
        kind = {0: "never", count: "always"}.get(hits[pair], "sometimes")
        kinds["adjacent" if pair in adjacent else kind].append((first, second))
    rows = {kind: tuple(sorted(found)) for kind, found in kinds.items()}
    return SelfCollisionPairs(**rows, samples=count)


def _adjacent(model: Model, solid: Sequence[str]) -> set[frozenset[str]]:
    """Return the pairs of solid links that joints connect, with links without shapes between."""
    tree = model.tree
    found = set()
    for link in solid:
        joint = tree.joint_of(link)
        if joint is not None:
            found.add(frozenset((link, _solid_above(tree, joint.parent, solid))))
    for joint in model.mechanisms.loop_joints:
        bodies = joint.first_body, joint.second_body
        found.add(frozenset(_solid_above(tree, body, solid) for body in bodies))
    return {pair for pair in found if len(pair) == 2 and "" not in pair}


def _solid_above(tree: RobotTree, link: str, solid: Sequence[str]) -> str:
    """Return a link if it is solid, else the nearest such link towards the root; empty: none."""
    while link not in solid:
        joint = tree.joint_of(link)
        if joint is None:
            return ""
        link = joint.parent
    return link


def _poses(model: Model, samples: int, rng: np.random.Generator) -> Iterator[tuple[Floats, Floats]]:
    """Yield orientations (n, 3, 3) and positions (n, 3) of the bodies in each configuration."""
    bodies = len(model.flat.body_names)
    for first in range(0, samples, CHUNK):
        positions = model.random_poses(min(CHUNK, samples - first), rng)
        kinematics = model.kinematics(positions).kinematics
        yield from zip(
            kinematics.R_world_frame[:, :bodies], kinematics.p_world_frame[:, :bodies],
            strict=True,
        )  # fmt: skip
