# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The simulated system: a robot alone, or a world with the robot in it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from charmie_dynamics.errors import InputError, UnknownNameError, UnsupportedError, choices
from charmie_dynamics.model.description.mechanisms import MechanismSet
from charmie_dynamics.model.description.robot import Link, RobotTree
from charmie_dynamics.model.description.world import Entity, RobotEntity, ShapeEntity
from charmie_dynamics.model.description.world.merging import WORLD, name_in
from charmie_dynamics.model.friction import friction_of_actuators
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation.contact.contact_scene import ContactScene
from charmie_dynamics.simulation.integrators.joint_laws import inverse_inertia
from charmie_dynamics.simulation.integrators.methods import integrator_of
from charmie_dynamics.simulation.worlds.world import World

from .base_pose import base_frame
from .sensors import ActuatorColumns

METHOD = "rk4"  # the integrator of a plant
MOST_PARTS = 100  # parts of a step
MOST_PARTS_OF_FRICTION = 10  # stiffer friction is not stable at rest
FRICTION_MARGIN = 0.5  # of the longest stable step at the start: inertias depend on the pose


@dataclass(frozen=True, eq=False)
class SimulatedRobot:
    """A robot with actuators in the simulated system.

    Attributes
    ----------
    name : str
        Of the entity.
    model : Model
        The robot alone, with its own names; its root is the world.
    columns : ActuatorColumns
        Columns of its actuators in the arrays of the whole system.
    prefix : str
        Prefix of its names in the whole system.
    """

    name: str
    model: Model
    columns: ActuatorColumns
    prefix: str = ""

    @classmethod
    def of(cls, name: str, model: Model, whole: Model, prefix: str) -> SimulatedRobot:
        """Return a robot whose names in the model of the system have a prefix."""
        names = [prefix + actuator for actuator in model.actuator_names]
        places = [
            np.array([every.index(own) for own in names], dtype=np.int64)
            for every in (whole.position_names, whole.velocity_names, whole.actuator_names)
        ]
        return cls(name, model, ActuatorColumns(*places), prefix)

    @property
    def base(self) -> str:
        """The frame of its base, by its own name."""
        return base_frame(self.model)


class SimulatedSystem:
    """A robot alone, a world, or nothing.

    Attributes
    ----------
    model : Model
        Of the whole system.
    position, velocity : (p,), (v,) array
        At the start.
    contacts : ContactScene or None
    world : World or None
        None: a robot alone, or nothing.
    robot : SimulatedRobot or None
        The robot whose topics are published; None: no such robot.
    others : tuple of SimulatedRobot
        The other robots with actuators.
    """

    def __init__(
        self,
        model: Model,
        start: tuple[Floats, Floats],
        robot: SimulatedRobot | None,
        others: Iterable[SimulatedRobot] = (),
        world: World | None = None,
    ) -> None:
        self.model = model
        self.position, self.velocity = start
        self.robot, self.others, self.world = robot, tuple(others), world
        self._require_other_frames()

    @classmethod
    def alone(cls, model: Model) -> SimulatedSystem:
        """Return a robot alone."""
        start = start_position(model), np.zeros(len(model.velocity_names))
        return cls(model, start, SimulatedRobot.of(model.name, model, model, ""))

    @classmethod
    def empty(cls) -> SimulatedSystem:
        """Return a system without entities."""
        tree = RobotTree("", WORLD, {WORLD: Link(WORLD, None)}, (), "")
        return cls(Model(tree, MechanismSet()), (np.zeros(0), np.zeros(0)), None)

    @classmethod
    def of_world(
        cls, world: World, robot: str | None = "", known: Mapping[str, Model] | None = None
    ) -> SimulatedSystem:
        """Return a world.

        Parameters
        ----------
        world : World
        robot : str or None
            The entity whose topics are published; empty: the first robot with actuators; None:
            none.
        known : mapping of str to Model, optional
            Models of robots alone that exist already.

        Raises
        ------
        UnknownNameError
            If no robot with actuators has this name.
        InputError
            If a frame of another entity has the name of one of the robot's.
        """
        known = known or {}
        robots = [
            SimulatedRobot.of(
                entity.name,
                known.get(entity.name) or standalone_model(entity, world),
                world.model,
                name_in(entity.name, ""),
            )
            for entity in world.entities.values()
            if isinstance(entity, RobotEntity)
        ]
        driven = {part.name: part for part in robots if part.model.actuator_names}
        if robot and robot not in driven:
            raise UnknownNameError(
                f"robot: '{robot}' is no robot with actuators of the world '{world.name}'"
                + (choices(robot, driven) if driven else "; this world has none")
            )
        name = next(iter(driven), "") if robot == "" else robot
        chosen = driven.pop(name, None) if name else None
        start = clamped_start(world)
        return cls(world.model, start, chosen, driven.values(), world)

    @property
    def is_alone(self) -> bool:
        """Whether it is a robot without a world."""
        return self.world is None and self.robot is not None

    @property
    def contacts(self) -> ContactScene | None:
        """Possible contacts; None: not possible."""
        return None if self.world is None else self.world.contacts

    @property
    def robots(self) -> tuple[SimulatedRobot, ...]:
        """All robots with actuators, the one whose topics are published first."""
        return self.others if self.robot is None else (self.robot, *self.others)

    @property
    def entities(self) -> Mapping[str, Entity]:
        """Entities by name; empty for a robot alone."""
        return {} if self.world is None else self.world.entities

    @property
    def entity_names(self) -> tuple[str, ...]:
        """Names of all entities; for a robot alone the name of its model."""
        if self.world is not None:
            return tuple(self.world.entities)
        return tuple(robot.name for robot in self.robots)

    def frame_of(self, entity: str) -> str:
        """Return the frame of the base of an entity, by its name in the model of the system."""
        if self.world is None:
            return base_frame(self.model)
        description = self.world.require(entity)
        if isinstance(description, ShapeEntity):
            return entity
        for part in self.robots:
            if part.name == entity:
                return part.prefix + part.base
        return name_in(entity, description.mechanisms.base_body or description.tree.root)

    def frame_id(self, frame: str) -> str:
        """Return the frame id of a frame of the model: frames of the robot without its prefix."""
        prefix = "" if self.robot is None else self.robot.prefix
        return frame[len(prefix) :] if prefix and frame.startswith(prefix) else frame

    def link_of(self, frame_id: str) -> str:
        """Return the frame of the model for a frame id; an unknown id is returned unchanged."""
        if self.robot is not None and self.robot.prefix + frame_id in self.model.frame_names:
            return self.robot.prefix + frame_id
        return frame_id

    def with_entities(self, entities: Sequence[Entity]) -> SimulatedSystem:
        """Return the world with other entities, and the same robot.

        Raises
        ------
        CharmieError
            If they are not compatible.
        """
        if self.world is None:
            raise UnsupportedError(
                "a robot alone: expected a world for adding and removing entities"
            )
        known = {part.name: part.model for part in self.robots}
        known = {
            entity.name: known[entity.name]
            for entity in entities
            if entity is self.entities.get(entity.name) and entity.name in known
        }
        description = replace(self.world.description, entities=tuple(entities))
        name = None if self.robot is None else self.robot.name
        return SimulatedSystem.of_world(World(description, self.world.source), name, known)

    def parts_of_step(self, step: float) -> tuple[int, str]:
        """Return the number of parts of a step (s) that contacts and friction need, and the reason.

        Raises
        ------
        InputError
            If contacts need a far shorter step; names it and the pair of entities.
        """
        parts, reason = self._parts_of_friction(step)
        need = None if self.world is None else self.world.contact_need(METHOD)
        if need is not None and step > parts * need.step:
            parts, pair = math.ceil(step / need.step), f"'{need.first}' and '{need.second}'"
            reason = f"the contact of {pair} needs at most {need.step:.2e} s"
            if parts > MOST_PARTS:
                raise InputError(
                    f"step: the contact of {pair} needs at most {need.step:.2e} s, got {step:g} s; "
                    f"expected at most {MOST_PARTS} times as much"
                )
        if parts == 1:
            return 1, ""
        return parts, f"each step of {step:g} s is divided into {parts} parts: {reason}"

    def _parts_of_friction(self, step: float) -> tuple[int, str]:
        """Return the parts of a step in which the slope of friction through zero is stable.

        Otherwise velocities of light bodies alternate at rest, although positions are constant.
        """
        laws = friction_of_actuators(self.model.robot)
        root = np.sqrt(laws.coulomb / laws.transition + laws.viscous)
        if not root.any():
            return 1, ""
        inverse = inverse_inertia(self.model, self.position)
        rates, directions = np.linalg.eigh(root[:, None] * inverse * root)
        longest = FRICTION_MARGIN * integrator_of(METHOD).stability / float(rates[-1])
        name = self.model.actuator_names[int(np.abs(directions[:, -1]).argmax())]
        parts = min(max(1, math.ceil(step / longest)), MOST_PARTS_OF_FRICTION)
        return parts, f"the friction of '{name}' needs at most {longest:.2e} s"

    def _require_other_frames(self) -> None:
        if self.robot is None:
            return
        own, prefix = self.robot.model.frame_names, self.robot.prefix
        rest = [name for name in self.model.frame_names[1:] if not name.startswith(prefix)]
        for name in rest:
            if name in own:
                raise InputError(
                    f"entity '{name}': the robot '{self.robot.name}' has a frame of that name; "
                    "expected another name"
                )


def standalone_model(entity: RobotEntity, world: World) -> Model:
    """Return the model of a robot of a world alone, at its pose; its root is the world."""
    # gravity in the axes of its root
    x, y, z = entity.pose.R_world_body.T @ np.array(world.description.gravity)
    gravity = float(x), float(y), float(z)
    return Model(entity.tree, replace(entity.mechanisms, gravity=gravity), entity.name)


def start_position(model: Model) -> Floats:
    """Return the start position (p,) of a robot: its rest pose, or zero without one.

    Positions are limited to the range of the actuators: zero may lie slightly beyond a stop.
    """
    start = model.zero_position()
    for k, name in enumerate(model.position_names):
        start[k] = model.mechanisms.rest_pose.get(name, start[k])
    return model.assemble(within_limits(model, start)).position


def clamped_start(world: World) -> tuple[Floats, Floats]:
    """Return the start (p,), (v,) of a world; positions of actuators are limited to their range.

    Positions in the world file are not changed.
    """
    named = {
        name_in(entity.name, name)
        for entity in world.entities.values()
        if isinstance(entity, RobotEntity)
        for name in entity.position
    }
    position = within_limits(world.model, world.position.copy(), named)
    return world.model.assemble(position).position, world.velocity.copy()


def within_limits(model: Model, position: Floats, but: Iterable[str] = ()) -> Floats:
    """Limit positions (..., p) to the range of the actuators except for `but`; return them."""
    left = set(but)
    places = {name: k for k, name in enumerate(model.position_names)}
    for name, limit in zip(model.actuator_names, model.actuator_limits(), strict=True):
        if name not in left:
            k = places[name]
            position[..., k] = np.clip(position[..., k], limit.lower, limit.upper)
    return position
