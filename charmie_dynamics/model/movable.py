# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Movable joints of a robot, those that mimic others included, and its moving frames."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from charmie_dynamics.numerics.vectors import Floats, Ints

from .model import Model


class MovableJoints(NamedTuple):
    """All movable joints: the q independent ones, then those that mimic one of them.

    Attributes
    ----------
    names : list of str, length j
    leader : (j,) array of int
        The independent joint that each one follows, for those q themselves.
    multiplier, offset : (j,) array
        Position of a joint = multiplier * position of its leader + offset.
    bears : (j,) array
        1 for the independent joints, 0 for the others: the generalised force of a mimic joint is
        in that of the joint that it follows.
    """

    names: list[str]
    leader: Ints
    multiplier: Floats
    offset: Floats
    bears: Floats


def movable_joints(model: Model) -> MovableJoints:
    """Return all movable joints of a model."""
    mimics = [joint for joint in model.tree.joints if joint.mimic is not None]
    rows = [model.flat.body_names.index(joint.child) for joint in mimics]
    tree, own = model.flat.tree, len(model.joint_names)
    leader = np.concatenate((np.arange(own), tree.coordinate[rows]))
    return MovableJoints(
        [*model.joint_names, *(joint.name for joint in mimics)],
        leader,
        np.concatenate((np.ones(own), tree.multiplier[rows])),
        np.concatenate((np.zeros(own), tree.offset[rows])),
        np.where(np.arange(len(leader)) < own, 1.0, 0.0),
    )


def moving_frames(model: Model) -> Ints:
    """Return the frames that move in their parent, or may: all but links on fixed joints."""
    coordinate = model.flat.tree.coordinate
    moving = np.ones(len(model.frame_names), dtype=bool)
    moving[: len(coordinate)] = coordinate >= 0
    return np.flatnonzero(moving)
