# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The result of a simulation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from charmie_dynamics.core.contact.records import COLUMNS
from charmie_dynamics.errors import UnknownNameError, choices
from charmie_dynamics.model.batch import BatchState
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.rotations import quaternions_from_matrices
from charmie_dynamics.numerics.vectors import Floats, Ints
from charmie_dynamics.simulation.contact.contact_scene import ContactScene
from charmie_dynamics.simulation.contact.contact_table import ContactTable

from .energy import EnergyBalance, energy_of
from .integrated_motion import IntegratedMotion
from .stepper import Stepper


class EntityTwist(NamedTuple):
    """Velocity of a body in world axes: linear, of its origin, and angular (k, 3)."""

    linear: Floats
    angular: Floats


@dataclass(frozen=True, eq=False)
class Run:
    """A simulated motion of a robot or a world at k times.

    Its properties are `time`, `position`, `velocity`, `acceleration`, `effort`, `energy` and, with
    loop joints, `constraint_error`, `constraint_rank` and the method `constraint_force`.

    Attributes
    ----------
    model : Model
        The robot, or all entities of the world together.
    integrator : str
        Name of the method.
    motion : IntegratedMotion
        All results of the integration.
    laws : (LAW_COUNT, v) array
        Limits and stops, see `core.integration.step_arrays`.
    start_energy : float
        Stored at the start (J).
    event_times : tuple of (e,) array
        When each of the events happened (s).
    evaluations : int
        How often accelerations were computed.
    scene : ContactScene or None
        Shapes that may touch.
    links_of : mapping of str to str
        The link that represents each entity of a world.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.simulation import load_world, simulate
    >>> model = load_model("charmie_lar")
    >>> run = simulate(model, model.zero_position(), None, 0.01, integrator="rk4")
    >>> run.position.shape, run.evaluations
    ((11, 6), 40)
    >>> run = load_world("bouncing_ball").simulate(0.4)
    >>> position, quaternion = run.pose("ball")
    >>> float(position[0, 2]), sorted(set(run.contacts.entities))  # m
    (0.5, ['ball', 'ground'])
    """

    model: Model
    integrator: str
    motion: IntegratedMotion
    laws: Floats
    start_energy: float
    event_times: tuple[Floats, ...] = ()
    evaluations: int = 0
    scene: ContactScene | None = None
    links_of: Mapping[str, str] = field(default_factory=dict)

    @property
    def time(self) -> Floats:
        """Times (k,) in seconds."""
        return self.motion.time

    @property
    def position(self) -> Floats:
        """Positions (k, p): rad, m, pin-to-pin length; quaternions of length one."""
        return self.motion.position

    @property
    def velocity(self) -> Floats:
        """Velocities (k, v)."""
        return self.motion.velocity

    @property
    def acceleration(self) -> Floats:
        """Accelerations (k, v)."""
        return self.motion.acceleration

    @property
    def effort(self) -> Floats:
        """Efforts (k, a) of the actuators, within their limits (N m or N)."""
        return self.motion.effort

    @cached_property
    def energy(self) -> EnergyBalance:
        """Energies (k,) each (J)."""
        return energy_of(self.model, self.laws, self.motion, self.start_energy)

    @property
    def constraint_error(self) -> Floats:
        """Largest opening of the loop joints (k,): m, or the sine of an angle."""
        error: Floats = np.abs(self._of_loops(1)).max(axis=1, initial=0.0)
        return error

    @property
    def constraint_rank(self) -> Ints:
        """Number of independent constraints of loop joints (k,)."""
        if not self.model.flat.sizes.r:
            return np.zeros(len(self.time), dtype=np.int64)
        return self.motion.loops[:, -1].astype(np.int64)

    def constraint_force(self, name: str) -> Floats:
        """Return force, then torque (k, 6) of a loop joint, by the first body on the second.

        World axes, at the second point; see `State.loop_force`.

        Raises
        ------
        UnknownNameError
            If there is no loop joint of that name.
        """
        names = self.model.flat.mechanism_names["loop_joints"]
        if name not in names:
            raise UnknownNameError(f"loop joint '{name}' is unknown{choices(name, names)}")
        motion = self.position, self.velocity, self.acceleration
        multipliers = np.ascontiguousarray(self._of_loops(0))
        return BatchState(self.model.layout, motion, True, 1, multipliers).loop_force(name)

    def pose(self, entity: str) -> tuple[Floats, Floats]:
        """Return positions (k, 3) and quaternions (k, 4), x y z w, of an entity of a world.

        Raises
        ------
        UnknownNameError
            If there is no such entity.
        """
        position, R = self._states.frame(self._link(entity))
        quaternion = np.empty((len(position), 4))
        quaternions_from_matrices(np.ascontiguousarray(R), quaternion)
        return position, quaternion

    def twist(self, entity: str) -> EntityTwist:
        """Return linear and angular velocities (k, 3) of an entity of a world, world axes.

        Raises
        ------
        UnknownNameError
            If there is no such entity.
        """
        motion = self._states.motion(self._link(entity))
        return EntityTwist(motion.velocity, motion.angular_velocity)

    @cached_property
    def contacts(self) -> ContactTable:
        """All points of contact at the times of the run.

        Raises
        ------
        UnknownNameError
            If the run has no shapes that may touch.
        """
        scene = self.scene
        if scene is None:
            raise UnknownNameError("contacts: this run is not that of a world")
        stepper = Stepper(self.model, self.laws, contacts=scene)
        tables = [np.zeros((0, COLUMNS))]
        rows = zip(self.position, self.motion.memory, self.velocity, strict=True)
        for position, memory, velocity in rows:
            stepper.position[:], stepper.memory[:] = position, memory
            stepper.arrays.velocity[:] = velocity
            tables.append(stepper.table())
        counts = [len(table) for table in tables[1:]]
        return ContactTable.from_rows(scene, np.repeat(self.time, counts), np.concatenate(tables))

    @cached_property
    def _states(self) -> BatchState:
        motion = self.position, self.velocity, self.acceleration
        return BatchState(self.model.layout, motion, False, 1)

    def _link(self, entity: str) -> str:
        if entity not in self.links_of:
            raise UnknownNameError(f"entity '{entity}' is unknown{choices(entity, self.links_of)}")
        return self.links_of[entity]

    def _of_loops(self, part: int) -> Floats:
        """Return a part (k, r) of the data on loops, see `IntegratedMotion`."""
        r = self.model.flat.sizes.r
        return self.motion.loops[:, part * r : (part + 1) * r]
