# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the tests of the scene share: poses, and the shapes of a state."""

from __future__ import annotations

import numpy as np

from charmie_dynamics import Model
from charmie_dynamics.visual.scene import Scene, Shape, visible_shapes

POSES = [(0.0, 0.0), (0.15, -0.9), (0.2, 0.2)]


def pose(model: Model, lift: float, torso: float) -> np.ndarray:
    position = model.zero_position()
    for joint, value in (("lift_joint", lift), ("torso_joint", torso)):
        position[model.joint_names.index(joint)] = model.actuator_from_joint(joint, value)[0]
    return position


def shapes_of(model: Model, position: np.ndarray, namespace: str, **options: object) -> list[Shape]:
    """Return the visible shapes of a namespace at rest in a position."""
    scene = Scene(model, **options)  # type: ignore[arg-type]
    shapes = visible_shapes(scene.shapes, scene.update(model.compute(position)))
    return [shape for shape in shapes if shape.namespace == namespace]


def in_world(model: Model, position: np.ndarray, shape: Shape, point: np.ndarray) -> np.ndarray:
    p, R = model.compute(position).frame(shape.frame)
    return p + R @ (np.asarray(shape.position) + shape.rotation @ point)
