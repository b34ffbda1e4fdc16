# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Length, velocity and force of the linear actuators that share the load of a joint."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from charmie_dynamics.model.flat.load_sharing import cylinder_loads, shared_cylinders
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.movable import single_joints
from charmie_dynamics.numerics.vectors import Floats

OF_CYLINDERS = ("cylinder_length", "cylinder_velocity", "cylinder_effort")


def cylinder_arrays(model: Model, arrays: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return the arrays `OF_CYLINDERS` (n, k) of cycles; empty for robots without shared loads.

    Parameters
    ----------
    model : Model
    arrays : mapping
        Of `Cycles`, with loads.
    """
    shared = shared_cylinders(model.flat)
    if not shared:
        return {}
    joints, single = [], single_joints(model)
    for name, columns in (
        ("joint_position", single),
        ("joint_velocity", single),
        ("actuator_effort", model.actuator_index),
    ):
        values = np.zeros((len(arrays[name]), model.flat.sizes.q))
        values[:, columns] = arrays[name]
        joints.append(values)
    loads = cylinder_loads(model.flat, *joints)
    return {name: each[:, shared] for name, each in zip(OF_CYLINDERS, loads, strict=True)}
