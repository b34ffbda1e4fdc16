# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Movable joints of a robot, those that mimic others included, and its moving frames."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from charmie_dynamics.errors import UnsupportedError
from charmie_dynamics.numerics.vectors import Floats, Ints

from .description.mechanisms.added_joints import relation_links
from .description.robot import Limit
from .model import Model

# of a coordinate without actuator: nothing is known
NO_LIMIT = Limit(-math.inf, math.inf, 0.0, 0.0)


class MovableJoints(NamedTuple):
    """All movable joints: the q independent ones, then their mimic joints.

    A joint with several numbers has an entry for each. Floating joints are omitted, since their
    positions and velocities are of different kinds, and so are the sliders of joint relations,
    which are no joints of the machine.

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
    sliders = set(relation_links(model.tree, model.mechanisms.loop_joints))
    mimics = [j for j in model.tree.joints if j.mimic is not None and j.child not in sliders]
    rows = [model.flat.body_names.index(joint.child) for joint in mimics]
    tree = model.flat.tree
    independent = single_joints(model)
    own = len(independent)
    leader = np.concatenate((independent, tree.coordinate[rows]))
    return MovableJoints(
        [*(model.joint_names[i] for i in independent), *(joint.name for joint in mimics)],
        leader,
        np.concatenate((np.ones(own), tree.multiplier[rows])),
        np.concatenate((np.zeros(own), tree.offset[rows])),
        np.where(np.arange(len(leader)) < own, 1.0, 0.0),
    )


def single_joints(model: Model) -> Ints:
    """Return the coordinates that are no part of a floating joint: one number each."""
    return np.flatnonzero(model.flat.freedoms.floating_body < 0)


def coordinate_limits(model: Model) -> list[Limit]:
    """Return the limits of all v coordinates, those of the actuators where there is one."""
    limits = [NO_LIMIT] * len(model.velocity_names)
    for i, limit in zip(model.actuator_index.tolist(), model.actuator_limits(), strict=True):
        limits[i] = limit
    return limits


def moving_frames(model: Model) -> Ints:
    """Return the frames that move in their parent, or may: all but links on fixed joints.

    The links of the sliders of joint relations are omitted.
    """
    coordinate = model.flat.tree.coordinate
    moving = np.ones(len(model.frame_names), dtype=bool)
    moving[: len(coordinate)] = coordinate >= 0
    for link in relation_links(model.tree, model.mechanisms.loop_joints):
        moving[model.frame_names.index(link)] = False
    return np.flatnonzero(moving)


def require_actuators_alone(model: Model, subject: str) -> None:
    """Refuse what needs an actuator for each number of position.

    Raises
    ------
    UnsupportedError
        If there are passive, planar or floating joints.
    """
    names = [name for name in model.position_names if name not in model.actuator_names]
    if names:
        raise UnsupportedError(
            f"{subject}: expected a robot whose joints all have an actuator, got '{model.name}' "
            f"with {', '.join(names)}"
        )


class FloatingBase(NamedTuple):
    """The body that moves freely.

    Attributes
    ----------
    joint, link : str
        Its floating joint, and the body.
    velocities, positions : list of int
        Its numbers among those of the model.
    """

    joint: str
    link: str
    velocities: list[int]
    positions: list[int]


def floating_base(model: Model, subject: str) -> FloatingBase:
    """Return the base of a robot with a floating joint.

    Raises
    ------
    UnsupportedError
        If no joint is floating; the message begins with the subject.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.model.movable import floating_base
    >>> floating_base(load_model("athena"), "walk").joint
    'floating_base_joint'
    """
    base = model.tree.joint_of(model.mechanisms.base_body or model.tree.root)
    if base is None or base.type != "floating":
        raise UnsupportedError(
            f"{subject}: expected a base body on a floating joint, got '{model.name}' without"
        )
    part = f"{base.name}/"
    rows, places = (
        [k for k, name in enumerate(names) if name.startswith(part)]
        for names in (model.velocity_names, model.position_names)
    )
    return FloatingBase(base.name, base.child, rows, places)
