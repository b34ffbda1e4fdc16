# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motions in a world with contact: the motion of a candidate and the loads of its actuators.

The robot of the study replaces an entity, and has the drives of the simulator: it follows a
motion of the package, or holds its pose. So the motion depends on the candidate.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from charmie_dynamics.errors import InputError, SimulationError, UnknownNameError, choices
from charmie_dynamics.model.description.world import RobotEntity, WorldDescription
from charmie_dynamics.model.description.world.entities import with_solid_links
from charmie_dynamics.model.description.world.merging import name_in
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation import World
from charmie_dynamics.simulation.session.sensors import TrueSample
from charmie_dynamics.simulation.session.session import Session
from charmie_dynamics.simulation.session.settings import SessionSettings
from charmie_dynamics.simulation.session.simulated_system import SimulatedSystem

from .study_motion import StudyMotion


@dataclass(frozen=True, eq=False)
class WorldMotion:
    """A motion that is simulated for each candidate.

    Parameters
    ----------
    name : str
    world : WorldDescription
    entity : str
        Of the world, which the robot of the study replaces.
    motion : str
        Motion of the package to follow; empty: hold the pose.
    duration, rate : float
        In s, Hz of the samples; rounded as in `SessionSettings`.
    beyond_limits : bool
        Whether limits of the actuators may be exceeded.

    Raises
    ------
    UnknownNameError
        If the entity is not a robot of the world.
    InputError
        If the duration is shorter than the time between two samples.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.model.description.package_robots import world_file
    >>> from charmie_dynamics.model.description.world import read_world
    >>> from charmie_dynamics.studies.design.world_motion import WorldMotion
    >>> stand = WorldMotion("stand", read_world(world_file("athena")), "athena", "", 0.1, 100.0)
    >>> motion, effort = stand.of(load_model("athena"))
    >>> len(motion), effort.shape
    (10, (10, 18))
    """

    name: str
    world: WorldDescription
    entity: str
    motion: str
    duration: float
    rate: float
    beyond_limits: bool = False

    def __post_init__(self) -> None:
        robots = [e.name for e in self.world.entities if isinstance(e, RobotEntity)]
        if self.entity not in robots:
            raise UnknownNameError(
                f"motion '{self.name}': '{self.entity}' is no robot of the world"
                f"{choices(self.entity, robots)}"
            )
        if not self.duration * self.rate >= 1.0:
            raise InputError(
                f"motion '{self.name}': expected a duration of at least one sample at "
                f"{self.rate:g} Hz, got {self.duration:g} s"
            )

    def of(self, model: Model) -> tuple[StudyMotion, Floats]:
        """Return the motion of a candidate, and the efforts (N, a) of its actuators.

        Raises
        ------
        SimulationError
            If it cannot be simulated.
        """
        try:
            session = self._session(model)
            samples: list[TrueSample] = []
            while session.now < round(self.duration * 1e9):
                sample = session.advance(session.settings.steps_per_sample).true
                if sample is not None:
                    samples.append(sample)
        except InputError as error:
            raise SimulationError(0.0, str(error)) from error
        prefix, whole = name_in(self.entity, ""), session.model
        positions, velocities, efforts = (
            [every.index(prefix + name) for name in own]
            for every, own in (
                (whole.position_names, model.position_names),
                (whole.velocity_names, model.velocity_names),
                (whole.actuator_names, model.actuator_names),
            )
        )
        motion = StudyMotion(
            self.name,
            np.array([sample.stamp for sample in samples]) * 1e-9,
            np.array([sample.position[positions] for sample in samples]),
            np.array([sample.velocity[velocities] for sample in samples]),
            np.array([sample.acceleration[velocities] for sample in samples]),
            self.beyond_limits,
        )
        return motion, np.array([sample.effort[efforts] for sample in samples])

    def _session(self, model: Model) -> Session:
        entities = tuple(
            replace(
                entity,
                tree=with_solid_links(model.tree, entity.solid),
                mechanisms=model.mechanisms,
            )
            if isinstance(entity, RobotEntity) and entity.name == self.entity
            else entity
            for entity in self.world.entities
        )
        world = World(replace(self.world, entities=entities), f"motion '{self.name}'")
        settings = SessionSettings(
            rate=self.rate, motion=self.motion, limit_efforts=False, joint_stops=False
        )
        session = Session(SimulatedSystem.of_world(world, self.entity), settings)
        session.play()
        return session
