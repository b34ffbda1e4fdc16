# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Recorded motions of robots with joints without actuators: passive, planar, floating."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.live import topics
from charmie_dynamics.model.model import Model

from .bag import Bag, stamp_of
from .recorded_motion import RecordedMotion

JOINTS = topics.RESOLVED_JOINT_STATES.name


def in_all_coordinates(bag: Bag, model: Model, motion: RecordedMotion) -> RecordedMotion:
    """Return a motion with positions (n, p) and velocities (n, v) of all coordinates.

    Coordinates without actuator are in the topic `resolved_joint_states`; samples without such a
    message are omitted. Floating joints, which are not published, stay at `zero_position`.

    Parameters
    ----------
    bag : Bag
    model : Model
    motion : RecordedMotion
        Of the actuators of the model.

    Raises
    ------
    CharmieError
        If the topic was not recorded, or lacks a joint.
    """
    if model.actuator_names == model.position_names:
        return motion
    others = sorted(set(model.position_names) - set(model.actuator_names))
    if not bag.count(JOINTS):
        raise CharmieError(
            f"bag '{bag.path}': expected the topic '{JOINTS}', which contains the joints without "
            f"actuator ({', '.join(others)}); it was not recorded"
        )
    names, joints = _joints(bag)
    rows = np.flatnonzero(np.isin(motion.stamps, np.array(list(joints), dtype=np.int64)))
    if not len(rows):
        raise CharmieError(
            f"bag '{bag.path}': expected messages of '{JOINTS}' with the stamps of the efforts, "
            "got others"
        )
    missing = sorted(set(others) - set(names) - _floating(model))
    if missing:
        raise CharmieError(
            f"topic '{JOINTS}' of bag '{bag.path}': expected all joints without actuator, "
            f"{', '.join(missing)} are missing"
        )
    samples = [joints[stamp] for stamp in motion.stamps[rows].tolist()]
    positions, velocities = (np.array(values) for values in zip(*samples, strict=True))
    position = np.tile(model.zero_position(), (len(rows), 1))
    velocity = np.zeros((len(rows), len(model.velocity_names)))
    for result, known, of_actuators, of_joints in (
        (position, model.position_names, motion.position, positions),
        (velocity, model.velocity_names, motion.velocity, velocities),
    ):
        for k, name in enumerate(known):
            if name in model.actuator_names:
                result[:, k] = of_actuators[rows, model.actuator_names.index(name)]
            elif name in names:
                result[:, k] = of_joints[:, names.index(name)]
    return replace(
        motion,
        stamps=motion.stamps[rows],
        position=position,
        velocity=velocity,
        effort=motion.effort[rows],
        loads=tuple(motion.loads[k] for k in rows) if motion.loads else (),
        settling=None if motion.settling is None else motion.settling[rows],
    )


def _floating(model: Model) -> set[str]:
    """Return the positions of floating joints, which are not published."""
    prefixes = tuple(f"{joint.name}/" for joint in model.tree.joints if joint.type == "floating")
    return {name for name in model.position_names if name.startswith(prefixes)}


def _joints(bag: Bag) -> tuple[list[str], dict[int, tuple[list[float], list[float]]]]:
    """Return the names of all joints, and their positions and velocities by stamp (ns).

    Raises
    ------
    CharmieError
        If the joints differ from those of earlier messages, or values are missing.
    """
    joints: dict[int, tuple[list[float], list[float]]] = {}
    first: list[str] = []
    for message in bag.messages(JOINTS):
        names = list(message.name)
        first = first or names
        position, velocity = list(message.position), list(message.velocity)
        if names != first or not len(names) == len(position) == len(velocity):
            raise CharmieError(
                f"topic '{JOINTS}' of bag '{bag.path}': expected position and velocity of the same "
                f"{len(first)} joints in each message, got {len(position)} and {len(velocity)} of "
                f"{len(names)}"
            )
        joints.setdefault(stamp_of(message.header), (position, velocity))
    return first, joints
