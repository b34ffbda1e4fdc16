# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A robot and the states that every program computes, the same for all."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from charmie_dynamics import Model, load_model
from charmie_dynamics.model.description.files import share_file
from charmie_dynamics.model.model import DEFAULT_URDF

Array = npt.NDArray[np.float64]
SEED = 7
WIDEST = 3.1  # rad or m to either side of the middle of a range that is wider
ACCELERATIONS = 5.0  # 1/s times the velocity limit
FASTEST = 3.0  # rad/s or m/s, of a joint without limit


class Solution(NamedTuple):
    """Places of all n links in the world (n, 3) and generalised forces (q,) of the open tree.

    Of what computes the whole cycle also the efforts (q,) of the actuators.
    """

    position: Array | None
    generalized_force: Array | None
    actuator_effort: Array | None = None


@dataclass(frozen=True)
class Case:
    """A robot, whole and as the open tree alone, in random states within its limits.

    Attributes
    ----------
    name : str
    urdf : Path or None
        None: CHARMIE with its mechanisms.
    model, tree : Model
        The robot with what the mechanisms file adds, and its URDF alone.
    actuators : (3, N, q) array
        Positions, velocities and accelerations of the actuators.
    joints : (3, N, q) array
        Those of the independent joints, in the same states.
    """

    name: str
    urdf: Path | None
    model: Model = field(repr=False)
    tree: Model = field(repr=False)
    actuators: Array = field(repr=False)
    joints: Array = field(repr=False)

    @property
    def bodies(self) -> int:
        """Number of links apart from the root."""
        return len(self.tree.flat.body_names) - 1


def make_case(name: str, urdf: Path | None = None, states: int = 256) -> Case:
    """Return a robot in random states."""
    model = load_model(urdf)
    tree = model if urdf else load_model(share_file(*DEFAULT_URDF))
    actuators = draw_states(model, states)
    computed = [model.kinematics(*actuators[:, k]) for k in range(states)]
    joints = [[s.joint_position, s.joint_velocity, s.joint_acceleration] for s in computed]
    return Case(name, urdf, model, tree, actuators, np.array(joints).swapaxes(0, 1).copy())


def draw_states(model: Model, count: int, seed: int = SEED) -> Array:
    """Return random positions, velocities and accelerations (3, count, q) of the actuators."""
    low, high, speed = [], [], []
    for limit in model.actuator_limits():
        bounded = math.isfinite(limit.lower) and math.isfinite(limit.upper)
        middle = 0.5 * (limit.lower + limit.upper) if bounded else 0.0
        half = min(0.5 * (limit.upper - limit.lower), WIDEST) if bounded else WIDEST
        low.append(middle - 0.95 * half)
        high.append(middle + 0.95 * half)
        speed.append(limit.velocity if math.isfinite(limit.velocity) else FASTEST)
    rng = np.random.default_rng(seed)
    position = rng.uniform(low, high, size=(count, len(low)))
    velocity, acceleration = rng.uniform(-1.0, 1.0, size=(2, count, len(low))) * np.array(speed)
    return np.array([position, velocity, ACCELERATIONS * acceleration])


class Joints:
    """All movable joints of a tree, mimic joints included, for programs that leave them free.

    Attributes
    ----------
    names : tuple of str
        m joints.
    values : (3, N, m) array
        Their positions, velocities and accelerations in the states of the case.
    """

    def __init__(self, case: Case) -> None:
        tree = case.tree.flat.tree
        above = {joint.child: joint.name for joint in case.tree.tree.joints}
        moving = np.flatnonzero(tree.coordinate >= 0)
        self.names = tuple(above[case.tree.flat.body_names[i]] for i in moving)
        self._coordinate = tree.coordinate[moving]
        self._multiplier = tree.multiplier[moving]
        self._coordinates = len(case.tree.joint_names)
        self.values = self._multiplier * case.joints[:, :, self._coordinate]
        self.values[0] += tree.offset[moving]

    def fold(self, load: Array) -> Array:
        """Return the generalised forces (q,) for loads (m,) on joints that the mimics follow."""
        folded = np.zeros(self._coordinates)
        np.add.at(folded, self._coordinate, self._multiplier * load)
        return folded
