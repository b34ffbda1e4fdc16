# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The state in which the entities of a world start."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from charmie_dynamics.errors import UnknownNameError, choices
from charmie_dynamics.model.description.world import Entity, RobotEntity
from charmie_dynamics.model.description.world.merging import FREE, name_in
from charmie_dynamics.model.description.world.placement import EntityPose
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.rotations import quaternions_from_matrices
from charmie_dynamics.numerics.vectors import Floats


def start_state(model: Model, entities: Iterable[Entity]) -> tuple[Floats, Floats]:
    """Return position (p,) and velocity (v,) of a world at the start, with its loops closed.

    Raises
    ------
    UnknownNameError
        If an entity defines the position of a coordinate that does not exist.
    """
    position, velocity = model.zero_position(), np.zeros(len(model.velocity_names))
    rows = {name: k for k, name in enumerate(model.position_names)}
    for name, value in model.mechanisms.rest_pose.items():
        position[rows[name]] = value
    for entity in entities:
        part = name_in(entity.name, "")
        if entity.moves == "free":
            joint = name_in(entity.name, FREE)
            first = rows[f"{joint}/x"]
            position[first : first + 7] = pose_parameters(entity.pose)
            # velocities of a floating joint are in the axes of the body
            R = entity.pose.R_world_body
            first = model.velocity_names.index(f"{joint}/vx")
            velocity[first : first + 3] = R.T @ entity.twist[:3]
            velocity[first + 3 : first + 6] = R.T @ entity.twist[3:]
        if isinstance(entity, RobotEntity):
            for name, value in entity.position.items():
                if part + name not in rows:
                    valid = [other[len(part) :] for other in rows if other.startswith(part)]
                    raise UnknownNameError(
                        f"position of '{entity.name}': '{name}' is unknown{choices(name, valid)}"
                    )
                position[rows[part + name]] = value
    return model.assemble(position).position, velocity


def pose_parameters(pose: EntityPose) -> Floats:
    """Return position and quaternion (7,) of a pose."""
    quaternion = np.empty((1, 4))
    quaternions_from_matrices(pose.R_world_body[None], quaternion)
    return np.concatenate([pose.p_world_body, quaternion[0]])
