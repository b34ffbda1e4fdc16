# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Worlds: robots and single bodies that touch each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from charmie_dynamics.errors import InputError, SimulationError, UnknownNameError, choices
from charmie_dynamics.model.description.meshes import find_mesh, read_mesh
from charmie_dynamics.model.description.package_robots import world_file
from charmie_dynamics.model.description.world import (
    Entity,
    RobotEntity,
    ShapeEntity,
    WorldDescription,
    parse_world,
    read_world,
)
from charmie_dynamics.model.description.world.entities import EntityPose
from charmie_dynamics.model.description.world.merging import (
    FREE,
    merge_mechanisms,
    merge_trees,
    name_in,
)
from charmie_dynamics.model.flat.checks import converted
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.rotations import quaternions_from_matrices
from charmie_dynamics.numerics.vectors import Floats, Ints

from .accuracy import LOST_BALANCE
from .batch import PlantBatch
from .contact.contact_scene import ContactScene, ContactShape
from .contact.contact_step import ContactNeed, contact_need
from .contact.overlaps import require_apart
from .integrators import INTEGRATORS, integrator_of
from .joint_laws import joint_laws
from .plant import Plant
from .simulate import simulate
from .stepper import Stepper
from .world_run import WorldRun

MOST_HALVINGS = 5  # of the default step, where a run with contacts loses its balance
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
        self.position, self.velocity = self._start()
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

    def simulate(self, duration: float, effort: Any = None, **options: Any) -> WorldRun:
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
        return WorldRun.of(run, self)

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
        return Plant(self.model, self.position, self.velocity, contacts=contacts, **options)

    def batch(
        self, count: int, poses: Mapping[str, Any] | None = None, **options: Any
    ) -> PlantBatch:
        """Return plants side by side, with the start velocity and the contacts.

        Parameters
        ----------
        count : int
            n.
        poses : mapping of str to (n, 6) array_like, optional
            Poses of free entities at the start of each plant: x y z (m) roll pitch yaw (rad).
        **options
            As of a `PlantBatch`.

        Raises
        ------
        InputError
            For poses of a fixed entity, or of the wrong shape.
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
        position = np.tile(self.position, (count, 1))
        for name, given in (poses or {}).items():
            if self.require(name).moves != "free":
                raise InputError(f"pose of '{name}': expected an entity with moves: free")
            rows = converted(f"poses of '{name}'", given, (count, 6))
            first = self.model.position_names.index(f"{name_in(name, FREE)}/x")
            for k, row in enumerate(rows):
                pose = EntityPose.of(tuple(row.tolist()))
                position[k, first : first + 7] = _numbers_of(pose)
        velocity = np.tile(self.velocity, (count, 1))
        return PlantBatch(self.model, position, velocity, contacts=self.contacts, **options)

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

        Examples
        --------
        >>> from charmie_dynamics.simulation import load_world
        >>> load_world("bouncing_ball").require_apart()
        """
        laws = joint_laws(self.model, step=1.0)
        stepper = Stepper(self.model, laws, contacts=self.contacts)
        start = self.position if position is None else position
        stepper.begin(start, np.zeros_like(self.velocity))
        when = "at the start " if position is None else ""
        require_apart(
            self.model, self.contacts, start, stepper.table(), f"world '{self.name}'", when, entity
        )

    def require(self, entity: str) -> Entity:
        """Return an entity by its name.

        Raises
        ------
        UnknownNameError
            If the name is unknown.

        Examples
        --------
        >>> from charmie_dynamics.simulation import world_of
        >>> world_of("entities: {arm: {urdf: scara}}").require("arm").moves
        'fixed'
        """
        found = self.entities.get(entity)
        if found is None:
            raise UnknownNameError(f"entity '{entity}' is unknown{choices(entity, self.entities)}")
        return found

    def link_of(self, entity: str) -> str:
        """Return the link that represents an entity: its base, or the single body.

        Examples
        --------
        >>> from charmie_dynamics.simulation import world_of
        >>> world_of("entities: {robot: {urdf: charmie}}").link_of("robot")
        'robot/base'
        """
        found = self.require(entity)
        if isinstance(found, ShapeEntity):
            return found.name
        return name_in(entity, found.mechanisms.base_body or found.tree.root)

    def _start(self) -> tuple[Floats, Floats]:
        model = self.model
        position, velocity = model.zero_position(), np.zeros(len(model.velocity_names))
        rows = {name: k for k, name in enumerate(model.position_names)}
        speeds = {name: k for k, name in enumerate(model.velocity_names)}
        for name, value in model.mechanisms.rest_pose.items():
            position[rows[name]] = value
        for entity in self.entities.values():
            if entity.moves == "free":
                joint = name_in(entity.name, FREE)
                first = rows[f"{joint}/x"]
                position[first : first + 7] = _numbers_of(entity.pose)
                # velocities of a floating joint are in the axes of the body
                R = entity.pose.R_world_body
                first = speeds[_first_with(f"{joint}/", model.velocity_names)]
                velocity[first : first + 3] = R.T @ entity.twist[:3]
                velocity[first + 3 : first + 6] = R.T @ entity.twist[3:]
            if isinstance(entity, RobotEntity):
                for name, value in entity.position.items():
                    position[self._row_of(entity.name, name)] = value
        return model.assemble(position).position, velocity

    def _row_of(self, entity: str, name: str) -> int:
        """Return which of the positions of the world a coordinate of an entity is."""
        names, part = self.model.position_names, name_in(entity, "")
        if part + name not in names:
            valid = [other[len(part) :] for other in names if other.startswith(part)]
            raise UnknownNameError(
                f"position of '{entity}': '{name}' is unknown{choices(name, valid)}"
            )
        return names.index(part + name)


def _numbers_of(pose: EntityPose) -> Floats:
    """Return position and quaternion (7,) of a pose."""
    quaternion = np.empty((1, 4))
    quaternions_from_matrices(pose.R_world_body[None], quaternion)
    return np.concatenate([pose.p_world_body, quaternion[0]])


def shapes_of(description: WorldDescription) -> list[ContactShape]:
    """Return the shapes of all entities: single bodies, and collision elements of robots."""
    found = []
    for entity in description.entities:
        material = description.materials.get(entity.material)
        if isinstance(entity, ShapeEntity):
            own = entity.name, entity.name, entity.shape, entity.size
            middle = np.zeros(3) if entity.mesh is None else entity.mesh.middle
            shape = ContactShape(*own, middle, np.eye(3), material, mesh=entity.mesh)
            found.append(shape)
            continue
        folder = Path(entity.files[0]).parent if entity.files[0] else None
        for link in entity.tree.links.values():
            axle, angle = _roller_of(entity, link.name)
            for collision in link.collisions:
                of_link = (
                    entity.name, name_in(entity.name, link.name), collision.kind, collision.size
                )  # fmt: skip
                p, R = collision.p_link_collision, collision.R_link_collision
                mesh = None
                if collision.kind == "mesh":
                    mesh = read_mesh(find_mesh(collision.mesh, folder), collision.size)
                    p = p + R @ mesh.middle
                own_axle = None if axle is None else R.T @ axle
                found.append(ContactShape(*of_link, p, R, material, own_axle, angle, mesh))
    return found


def _roller_of(robot: RobotEntity, link: str) -> tuple[Floats | None, float]:
    """Return the axle of a wheel with rollers, in its link, and the angle of these."""
    roller, joint = robot.mechanisms.rollers.get(link), robot.tree.joint_of(link)
    if roller is None or joint is None:
        return None, 0.0
    return joint.axis, roller.angle


def _first_with(prefix: str, names: Sequence[str]) -> str:
    return next(name for name in names if name.startswith(prefix))


def load_world(path: str | Path) -> World:
    """Load a world.

    Parameters
    ----------
    path : str or path
        Of its file, or the name of a world of this package (the folder ``worlds``).

    Raises
    ------
    ModelFileError
        Names the file, line and entry, and the expected and actual content.

    Examples
    --------
    >>> from charmie_dynamics.simulation import load_world
    >>> world = load_world("bouncing_ball")
    >>> sorted(world.entities)
    ['ball', 'ground']
    """
    return World(read_world(world_file(path)), str(path))


def world_of(text: str, folder: Path | None = None) -> World:
    """Return the world of a text in the format of a world file; as `load_world`.

    Parameters
    ----------
    text : str
    folder : Path, optional
        Folder of the files of robots.

    Examples
    --------
    >>> from charmie_dynamics.simulation import world_of
    >>> sorted(world_of("entities: {ground: {shape: plane}, arm: {urdf: scara}}").entities)
    ['arm', 'ground']
    """
    return World(parse_world(text, "world", folder), "world")
