# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The robot in the mirror: its right arm does what its left arm did, with the same efforts.

CHARMIE is symmetric about the plane x = 0 of its base but for its neck and head, whose joints and
centres of mass lie off that plane. The mirror image is therefore a robot with those reflected; that
the unreflected head does not do shows that the check sees as little as that.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from charmie_dynamics import Model
from charmie_dynamics.model.description.robot import Joint, RobotTree

from .states import Floats, centre_of_mass, random_states, relative

MIRROR = np.diag([-1.0, 1.0, 1.0])
OFF_PLANE = "neck_mount"


def mirrored_tree(tree: RobotTree, links: set[str]) -> RobotTree:
    """Return the tree with what hangs on the joints of `links` reflected in its x = 0 plane."""

    def joint(old: Joint) -> Joint:
        if old.child not in links:
            return old
        return replace(
            old,
            p_parent_joint=MIRROR @ old.p_parent_joint,
            R_parent_joint=MIRROR @ old.R_parent_joint @ MIRROR,
        )

    changed = dict(tree.links)
    for name in links:
        inertial = tree.links[name].inertial
        if inertial is not None:
            changed[name] = replace(
                tree.links[name],
                inertial=replace(
                    inertial,
                    p_link_com=MIRROR @ inertial.p_link_com,
                    inertia=MIRROR @ inertial.inertia @ MIRROR,
                ),
            )
    return replace(tree, links=changed, joints=tuple(joint(old) for old in tree.joints))


def links_after(tree: RobotTree, link: str) -> set[str]:
    """Return the links that `link` carries, itself excluded."""
    found: set[str] = set()
    pending = [link]
    while pending:
        parent = pending.pop()
        children = [joint.child for joint in tree.joints if joint.parent == parent]
        found.update(children)
        pending.extend(children)
    return found


def mirror_map(model: Model, image: Model) -> tuple[list[int], Floats]:
    """Find the mirror image of each actuator from where it moves the masses.

    Returns
    -------
    partner : list of int
        The actuator of `image` whose motion is the mirror image.
    sign : (q,) array
        +1 or -1: direction of that motion.
    """
    zero = _upright(model)
    partner, sign = [], np.zeros(len(zero))
    for k in range(len(zero)):
        moved = zero.copy()
        moved[k] += 0.03
        cloud = _masses(model, moved)
        cloud[:, 1:] = cloud[:, 1:] @ MIRROR
        distance = {}
        for other in range(len(zero)):
            for s in (1.0, -1.0):
                candidate = zero.copy()
                candidate[other] += s * (moved[k] - zero[k])
                distance[other, s] = _apart(cloud, _masses(image, candidate))
        best = min(distance, key=distance.__getitem__)
        others = [d for pair, d in distance.items() if pair != best]
        if distance[best] > 1e-9 or min(others) < 1e-6:
            raise ValueError(f"'{model.actuator_names[k]}' has no single mirror image")
        partner.append(best[0])
        sign[k] = best[1]
    return partner, sign


def _upright(model: Model) -> Floats:
    """Return joints at zero, linear actuators in the middle of their range."""
    position = np.zeros(len(model.actuator_names))
    for actuator in model.mechanisms.linear_actuators:
        middle = 0.5 * (actuator.limit.lower + actuator.limit.upper)
        position[model.actuator_names.index(actuator.name)] = middle
    return position


def _masses(model: Model, position: Floats) -> Floats:
    """Return mass and place in the world (n, 4) of each centre of mass."""
    state = model.kinematics(position)
    tree = model.flat.tree
    rows = [
        [tree.mass[i], *centre_of_mass(model, state, name)]
        for i, name in enumerate(model.flat.body_names)
        if tree.mass[i] > 0.0
    ]
    return np.array(rows)


def _apart(one: Floats, other: Floats) -> float:
    """Return the largest distance of a mass of `one` from its nearest like in `other`."""
    return float(np.abs(one[:, None] - other[None]).max(axis=2).min(axis=1).max())


def mirrored_efforts(model: Model, count: int = 20) -> tuple[float, float, list[str]]:
    """Compare the efforts of the mirror image in mirrored states with the mirrored efforts.

    Returns
    -------
    agreement : float
        Largest difference relative to the largest effort of a state.
    unreflected : float
        The same where the head stays as it is: its asymmetry, which must show.
    map : list of str
        Each actuator's image with its sign, such as ``base_x_joint -> -base_x_joint``.
    """
    image = Model(mirrored_tree(model.tree, links_after(model.tree, OFF_PLANE)), model.mechanisms)
    partner, sign = mirror_map(model, image)
    agreement = unreflected = 0.0
    for state in random_states(model, count, seed=4):
        reflected = [np.empty_like(values) for values in state]
        for values, turned in zip(state, reflected, strict=True):
            turned[partner] = sign * values
        effort = model.compute(*state).actuator_effort
        there = image.compute(*reflected).actuator_effort[partner] * sign
        agreement = max(agreement, relative(there - effort, effort))
        there = model.compute(*reflected).actuator_effort[partner] * sign
        unreflected = max(unreflected, relative(there - effort, effort))
    names = model.actuator_names
    shown = [
        f"{name} -> {'-' if s < 0.0 else ''}{names[other]}"
        for name, other, s in zip(names, partner, sign, strict=True)
    ]
    return agreement, unreflected, shown
