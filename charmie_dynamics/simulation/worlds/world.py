# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Worlds: robots and single bodies that touch each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from charmie_dynamics.collision.clearance import Clearance, ShapeDistances
from charmie_dynamics.collision.contact_shape import shapes_of
from charmie_dynamics.errors import (
    InputError,
    OverlapError,
    SimulationError,
    UnknownNameError,
    choices,
)
from charmie_dynamics.model.description.package_robots import world_file
from charmie_dynamics.model.description.world import (
    Entity,
    RobotEntity,
    ShapeEntity,
    WorldDescription,
    parse_world,
    read_world,
)
from charmie_dynamics.model.description.world.merging import (
    FREE,
    merge_mechanisms,
    merge_trees,
    name_in,
)
from charmie_dynamics.model.description.world.placement import EntityPose, placed
from charmie_dynamics.model.flat.checks import converted
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats, Ints
from charmie_dynamics.simulation.contact.contact_need import ContactNeed, contact_need
from charmie_dynamics.simulation.contact.contact_scene import ContactScene
from charmie_dynamics.simulation.contact.overlaps import require_apart
from charmie_dynamics.simulation.integrators.accuracy import LOST_BALANCE
from charmie_dynamics.simulation.integrators.batch import PlantBatch
from charmie_dynamics.simulation.integrators.joint_laws import (
    JointDrives,
    joint_laws,
    suspensions,
)
from charmie_dynamics.simulation.integrators.methods import INTEGRATORS, integrator_of
from charmie_dynamics.simulation.integrators.plant import Plant
from charmie_dynamics.simulation.integrators.run import Run
from charmie_dynamics.simulation.integrators.simulate import simulate
from charmie_dynamics.simulation.integrators.stepper import Stepper

from .start_state import pose_parameters, start_state

MOST_HALVINGS = 5  # of the default step, where a run with contacts loses its balance
MOST_DRAWS = 100  # of random poses, until nothing overlaps
MOST_OF_ADAPTIVE = 8  # free single bodies, up to which the default integrator varies its step


class World:
    """Robots and single bodies in one world, as one robot whose root is the world.

    Parameters
    ----------
    description : WorldDescription
    source : str
        Name of the world file, for messages.

    Attributes
    ----------
    name : str
    description : WorldDescription
    source : str
    entities : mapping of str to Entity
    model : Model
        All of them together; the names of an entity's parts begin with its name: ``charmie/base``.
    position, velocity : (p,), (v,) array
        At the start.

    Raises
    ------
    ModelFileError
        If robots and world do not fit together.

    Examples
    --------
    >>> from charmie_dynamics.simulation import world_of
    >>> world = world_of('''
    ... contacts: {default: {normal: hertz, stiffness: 1.0e6}}
    ... entities:
    ...   ground: {shape: plane}
    ...   ball: {shape: sphere, size: [0.05], mass: 1.0, pose: [0, 0, 0.5, 0, 0, 0]}
    ... ''')
    >>> run = world.simulate(1.0)
    >>> position, quaternion = run.pose("ball")
    >>> bool(position[:, 2].min() > 0.03)
    True
    """

    def __init__(self, description: WorldDescription, source: str = "world") -> None:
        self.name = description.name
        self.description, self.source = description, source
        self.entities: Mapping[str, Entity] = {e.name: e for e in description.entities}
        tree = merge_trees(description.name, description.entities)
        self.model = Model(
            tree, merge_mechanisms(description.gravity, description.entities), source
        )
        self.position, self.velocity = start_state(self.model, self.entities.values())
        shapes = shapes_of(description)
        self.contacts = ContactScene(
            self.model.flat, shapes, description.contacts, description.slots
        )

    def columns(self, entity: str, what: str = "actuators") -> Ints:
        """Return which numbers of the world belong to an entity, in its own order.

        Parameters
        ----------
        entity : str
        what : {"actuators", "position", "velocity"}

        Raises
        ------
        UnknownNameError
            If there is no such entity.

        Examples
        --------
        >>> from charmie_dynamics.simulation import world_of
        >>> world = world_of("entities: {arm: {urdf: scara}, robot: {urdf: scara}}")
        >>> world.columns("robot")
        array([5, 6, 7, 8, 9])
        """
        self.require(entity)
        names = {
            "actuators": self.model.actuator_names,
            "position": self.model.position_names,
            "velocity": self.model.velocity_names,
        }
        if what not in names:
            raise UnknownNameError(f"'{what}' of an entity is unknown{choices(what, names)}")
        own = name_in(entity, "")
        return np.array(
            [k for k, name in enumerate(names[what]) if name.startswith(own)], dtype=int
        )

    def simulate(self, duration: float, effort: Any = None, **options: Any) -> Run:
        """Return the motion from the start; parameters and errors are those of `simulate`.

        The default step of a fixed-step method is no longer than that of `contact_need`; if the run
        loses the balance of its energies, or contacts return more than `energy_tolerance` in an
        impact, it is repeated with half the step, up to five times. The default integrator of
        worlds with more than `MOST_OF_ADAPTIVE` free single bodies is "rk4": the steps of others
        grow shorter with each body that touches or parts.

        Raises
        ------
        InputError
            If entities overlap at the start; names them and the overlap. If a contact is so stiff
            that no step is short enough.

        Examples
        --------
        >>> from charmie_dynamics.simulation import world_of
        >>> world = world_of('''
        ... contacts: {default: {normal: hooke, stiffness: 1.0e5}}
        ... entities:
        ...   ground: {shape: plane}
        ...   box: {shape: box, size: [0.1, 0.1, 0.1], mass: 1.0, pose: [0, 0, 0.05, 0, 0, 0]}
        ... ''')
        >>> run = world.simulate(0.1, integrator="rk4", step=1e-4)
        >>> len(run.contacts) > 0
        True
        """
        self.require_apart()
        if "integrator" not in options and self._free_bodies() > MOST_OF_ADAPTIVE:
            options["integrator"] = "rk4"
        method = INTEGRATORS.get(options.get("integrator", ""))
        need = self.contact_need("rk4" if method is None else method.name)
        halvings = 0
        if method is not None and options.get("step") is None:
            options["step"] = method.step if need is None else min(method.step, need.step)
            halvings = 0 if need is None else MOST_HALVINGS
        while True:
            limit = {}
            if halvings and method is not None:
                limit["contact_gain"] = options.get("energy_tolerance") or method.tolerance
            try:
                run = simulate(
                    self.model, self.position, self.velocity, duration, effort,
                    contacts=self.contacts, **{**limit, **options},
                )  # fmt: skip
                break
            except SimulationError as error:
                if method is None:
                    raise
                if halvings == 0 or LOST_BALANCE not in error.message:
                    raise self._with_need(error, method.name, options["step"]) from error
            halvings -= 1
            options["step"] *= 0.5
        links = {entity: self.link_of(entity) for entity in self.entities}
        return replace(run, links_of=links)

    def plant(self, **options: Any) -> Plant:
        """Return a plant at the start, with the start velocity and the contacts.

        Parameters
        ----------
        **options
            As of a `Plant`. The default step is at most 1 ms and that of `contact_need`.

        Examples
        --------
        >>> from charmie_dynamics.simulation import load_world
        >>> plant = load_world("bouncing_ball").plant()
        >>> plant.advance([], steps=10)
        >>> bool(plant.velocity[2] < 0.0)
        True
        """
        contacts = self.contacts.copied()
        options = self._with_drives(options)
        return Plant(self.model, self.position, self.velocity, contacts=contacts, **options)

    def batch(
        self,
        count: int,
        poses: Mapping[str, npt.ArrayLike] | None = None,
        watched: Iterable[tuple[str, str]] = (),
        **options: Any,
    ) -> PlantBatch:
        """Return plants side by side, with the start velocity and the contacts.

        Parameters
        ----------
        count : int
            n.
        poses : mapping of str to (n, 6) array_like, optional
            Poses of entities at the start of each plant: x y z (m) roll pitch yaw (rad). Of the
            fixed ones, single bodies; see `PlantBatch`.
        watched : iterable of tuple of str
            Pairs of links, see `PlantBatch.watched`.
        **options
            As of a `PlantBatch`.

        Raises
        ------
        InputError
            For poses of a fixed robot, or of the wrong shape.
        UnknownNameError
            For an entity that does not exist.

        Examples
        --------
        >>> import numpy as np
        >>> from charmie_dynamics.simulation import load_world
        >>> poses = np.zeros((3, 6))
        >>> poses[:, 2] = 0.4, 0.5, 0.6
        >>> batch = load_world("bouncing_ball").batch(3, poses={"ball": poses})
        >>> batch.position[:, 2]
        array([0.4, 0.5, 0.6])
        """
        given = poses or {}
        free = {name: rows for name, rows in given.items() if self.require(name).moves == "free"}
        return PlantBatch(
            self.model,
            self.positions(free, count),
            np.tile(self.velocity, (count, 1)),
            contacts=self.contacts.watching(watched),
            poses={name: rows for name, rows in given.items() if name not in free},
            **self._with_drives(options),
        )

    def positions(self, poses: Mapping[str, npt.ArrayLike], count: int) -> Floats:
        """Return positions (n, p) at the start, with free entities at given poses.

        Parameters
        ----------
        poses : mapping of str to (n, 6) array_like
            As of `batch`.
        count : int
            n.

        Raises
        ------
        InputError
            For poses of a fixed entity, or of the wrong shape.
        """
        position = np.tile(self.position, (count, 1))
        for name, given in poses.items():
            if self.require(name).moves != "free":
                raise InputError(f"pose of '{name}': expected an entity with moves: free")
            first = self.model.position_names.index(f"{name_in(name, FREE)}/x")
            for k, row in enumerate(converted(f"poses of '{name}'", given, (count, 6)).tolist()):
                position[k, first : first + 7] = pose_parameters(EntityPose.of(tuple(row)))
        return position

    def random_poses(self, rng: np.random.Generator) -> dict[str, Floats]:
        """Return random poses (6,) of the entities that have one, for `batch` and `positions`.

        Each number of a pose changes by at most the `spread` of the entity, uniformly. Entities may
        overlap; `PlantBatch.reset` refuses that.

        Examples
        --------
        >>> import numpy as np
        >>> from charmie_dynamics.simulation import world_of
        >>> world = world_of('''
        ... contacts: {default: {normal: hooke, stiffness: 1.0e5}}
        ... entities:
        ...   table: {shape: box, size: [1, 1, 0.1], moves: fixed, spread: [0.1, 0.1, 0, 0, 0, 0]}
        ...   ball: {shape: sphere, size: [0.05], mass: 1.0, on: table, pose: [0, 0, 0.1, 0, 0, 0]}
        ... ''')
        >>> poses = world.random_poses(np.random.default_rng(0))
        >>> (poses["ball"] - poses["table"]).round(6)
        array([0. , 0. , 0.1, 0. , 0. , 0. ])
        """
        placements = {name: entity.placement for name, entity in self.entities.items()}
        vary: set[str] = set()
        for name, how in placements.items():
            if any(how.spread) or how.on in vary:
                vary.add(name)
        poses = placed(placements, rng)
        return {name: poses[name].numbers for name in placements if name in vary}

    def _with_drives(self, options: dict[str, Any]) -> dict[str, Any]:
        """Return the options of a plant, with no default drives of suspensions."""
        drives = options.get("joint_drives", False)
        if not drives:
            return options
        drives = JointDrives() if drives is True else drives
        robots = (entity for entity in self.entities.values() if isinstance(entity, RobotEntity))
        names = {name_in(robot.name, name) for robot in robots for name in suspensions(robot)}
        none = dict.fromkeys(names, 0.0)
        stiffness, damping = (
            {**none, **(given or {})} if given is None or isinstance(given, Mapping) else given
            for given in (drives.stiffness, drives.damping)
        )
        return {**options, "joint_drives": JointDrives(stiffness, damping, drives.frequency)}

    def _free_bodies(self) -> int:
        """Return the number of free single bodies."""
        entities = self.entities.values()
        return sum(isinstance(e, ShapeEntity) and e.moves == "free" for e in entities)

    def _with_need(self, error: SimulationError, integrator: str, step: float) -> SimulationError:
        """Return the error of a run in fixed steps, with the step that its contacts need."""
        need = self.contact_need(integrator)
        if need is None or need.step >= step:
            return error
        return SimulationError(
            error.time,
            f"{error.message}; the contact of '{need.first}' and '{need.second}' needs a step of "
            f"at most {need.step:.1e} s with '{integrator}', got {step:.1e} s",
        )

    def contact_need(self, integrator: str) -> ContactNeed | None:
        """Return the step that the contacts require of a fixed-step method, and the decisive pair.

        None if nothing can touch. Loads are those of entities at rest at the start, one above the
        other; single bodies hit with the speed of their start and fall. A longer step may suffice
        if less rests on a shape, and faster impacts may need a shorter one; a run that loses its
        accuracy raises.

        Raises
        ------
        UnknownNameError
            If there is no such fixed-step method.

        Examples
        --------
        >>> from charmie_dynamics.simulation import world_of
        >>> world = world_of('''
        ... contacts: {default: {normal: hooke, stiffness: 1.0e4}}
        ... entities:
        ...   ground: {shape: plane}
        ...   ball: {shape: sphere, size: [0.05], mass: 1.0, pose: [0, 0, 0.05, 0, 0, 0]}
        ... ''')
        >>> need = world.contact_need("rk4")
        >>> need.second, round(need.step, 3)  # s: a fifth of a period of 63 ms
        ('ball', 0.013)
        """
        stability = integrator_of(integrator).stability
        return contact_need(self.model, self.contacts, self.position, stability, self.velocity)

    def require_apart(self, position: Floats | None = None, entity: str = "") -> None:
        """Refuse shapes that overlap, see `contact.overlaps`.

        Parameters
        ----------
        position : (p,) array, optional
            Where everything is; at the start if omitted.
        entity : str
            Look at the contacts of this entity alone; empty: at all.

        Raises
        ------
        OverlapError
            Names the two links and their overlap.
        """
        laws = joint_laws(self.model, step=1.0)
        stepper = Stepper(self.model, laws, contacts=self.contacts)
        start = self.position if position is None else position
        stepper.begin(start, np.zeros_like(self.velocity))
        when = "at the start " if position is None else ""
        require_apart(
            self.model, self.contacts, start, stepper.table(), f"world '{self.name}'", when, entity
        )

    def clearance(self, position: npt.ArrayLike) -> Clearance:
        """Return the nearest of all pairs of shapes that may meet, at one position or many.

        Parameters
        ----------
        position : (..., p) array_like

        Raises
        ------
        InputError
            If values are not finite.
        OutOfReachError
            If a loop cannot be closed.

        Examples
        --------
        >>> from charmie_dynamics.simulation import load_world
        >>> world = load_world("bouncing_ball")
        >>> float(world.clearance(world.position).distance)
        0.45
        """
        found = self._distances.nearest(self.model.kinematics(position))
        return Clearance(
            *(part[..., 0] for part in found[:3]), *(part[..., 0, :] for part in found[3:])
        )

    @cached_property
    def _distances(self) -> ShapeDistances:
        frames = self.model.layout.frame_index
        bodies = np.array([frames[shape.link] for shape in self.contacts.shapes], dtype=np.int64)
        first, second, _ = self.contacts.meeting_pairs()
        pairs = list(zip(first.tolist(), second.tolist(), strict=True))
        return ShapeDistances(self.contacts.shapes, bodies, [pairs])

    def require(self, entity: str) -> Entity:
        """Return an entity by its name.

        Raises
        ------
        UnknownNameError
            If the name is unknown.
        """
        found = self.entities.get(entity)
        if found is None:
            raise UnknownNameError(f"entity '{entity}' is unknown{choices(entity, self.entities)}")
        return found

    def link_of(self, entity: str) -> str:
        """Return the link that represents an entity: its base, or the single body."""
        found = self.require(entity)
        if isinstance(found, ShapeEntity):
            return found.name
        return name_in(entity, found.mechanisms.base_body or found.tree.root)


def load_world(path: str | Path, seed: int | None = None) -> World:
    """Load a world.

    Parameters
    ----------
    path : str or path
        Of its file, or the name of a world of this package (the folder ``worlds``).
    seed : int, optional
        Of random poses, which entities with a `spread` have: the first in which none overlap.
        Without it their poses are those in the file.

    Raises
    ------
    ModelFileError
        Names the file, line and entry, and the expected and actual content.
    OverlapError
        If entities overlap in `MOST_DRAWS` draws in sequence.

    Examples
    --------
    >>> from charmie_dynamics.simulation import load_world
    >>> world = load_world("bouncing_ball")
    >>> sorted(world.entities)
    ['ball', 'ground']
    """
    return _at_random(World(read_world(world_file(path)), str(path)), seed)


def world_of(text: str, folder: Path | None = None, seed: int | None = None) -> World:
    """Return the world of a text in the format of a world file; as `load_world`.

    Parameters
    ----------
    text : str
    folder : Path, optional
        Folder of the files of robots.
    seed : int, optional

    Examples
    --------
    >>> from charmie_dynamics.simulation import world_of
    >>> sorted(world_of("entities: {ground: {shape: plane}, arm: {urdf: scara}}").entities)
    ['arm', 'ground']
    """
    return _at_random(World(parse_world(text, "world", folder), "world"), seed)


def _at_random(world: World, seed: int | None) -> World:
    """Return a world with the random poses of a seed, in which nothing overlaps."""
    if seed is None:
        return world
    rng = np.random.default_rng(seed)
    for draw in range(1, MOST_DRAWS + 1):
        poses = world.random_poses(rng)
        if not poses:
            return world
        entities = tuple(
            replace(entity, pose=EntityPose.of(poses[entity.name].tolist()))
            if entity.name in poses
            else entity
            for entity in world.description.entities
        )
        drawn = World(replace(world.description, entities=entities), world.source)
        try:
            drawn.require_apart()
            return drawn
        except OverlapError:
            if draw == MOST_DRAWS:
                raise
    return world
