# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Simulated time of a robot or a world: stop, play, pause; steps, samples, resets."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt

from charmie_dynamics.errors import CharmieError, InputError
from charmie_dynamics.live.loads import KnownLoads
from charmie_dynamics.live.wire.stamps import NANOSECONDS
from charmie_dynamics.model.loads import Wrench
from charmie_dynamics.model.model import Model
from charmie_dynamics.motions import Trajectory
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation.contact.contact_table import ContactTable
from charmie_dynamics.simulation.integrators.plant import Plant

from .commands import Commands
from .drives import Drives
from .mounted_sensors import mounted_sensors
from .sensors import Sensors, SimulatedSample, TrueSample
from .settings import SessionSettings
from .simulated_system import SimulatedSystem
from .state_transfer import WorldState, transferred_memory, transferred_state

# tolerance of the energy balance: a live robot with sudden commands loses more energy than a run
# may; contacts that are too stiff for their step lose much more
ENERGY_TOLERANCE = 0.05


class PlayState(Enum):
    """State of the simulated time."""

    STOPPED = "stopped"  # paused, at the start
    PLAYING = "playing"
    PAUSED = "paused"
    LOADING_WORLD = "loading a world"  # time does not advance until the world is replaced
    NO_WORLD = "no world"  # without entities


class Session:
    """A robot, or a world, in simulated time. It reads no clock: time advances with `advance` only.

    A command between two steps acts from the next step. The same settings and the same commands
    between the same steps give the same samples, bit for bit, after each reset.

    In a world, one robot receives the commands; the others hold their pose.

    Parameters
    ----------
    system : Model or SimulatedSystem
        A robot alone, or a world.
    settings : SessionSettings
    frame_prefix : str
        Prefix of the frames of wrenches.

    Attributes
    ----------
    system : SimulatedSystem
    state : PlayState
    steps : int
        Since time zero.
    fault : str
        Reason of a pause after an error; empty: no error.
    notes : dict of str to object
        Information about entities that clients have set, by entity.
    parts : tuple of (int, str)
        Number of parts into which a step is divided, and the reason.

    Raises
    ------
    CharmieError
        From the constructor, if the robot cannot take its start position, if entities overlap at
        the start, or if contacts need far shorter steps.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.simulation.session.session import Session
    >>> from charmie_dynamics.simulation.session.settings import SessionSettings
    >>> model = load_model()
    >>> session = Session(model, SessionSettings(idle="free", joint_stops=False))
    >>> sample = session.advance(20)  # up to the first sample
    >>> session.steps, sample.now, sample.true.stamp  # ns
    (10, 10000000, 10000000)
    """

    def __init__(
        self, system: Model | SimulatedSystem, settings: SessionSettings, frame_prefix: str = ""
    ) -> None:
        self.settings = settings
        self._step = settings.step_nanoseconds
        self._timeout = settings.input_timeout
        self._prefix = frame_prefix
        self.load(SimulatedSystem.alone(system) if isinstance(system, Model) else system)

    def load(self, system: SimulatedSystem) -> None:
        """Restart with another system, stopped, as a new session.

        Raises
        ------
        CharmieError
            As from the constructor; the session cannot be used then.
        """
        if system.world is not None:
            system.world.require_apart()
        settings = self.settings
        self.state = PlayState.STOPPED
        self.fault = ""
        self.notes: dict[str, Any] = {}
        self.system, self._first = system, system
        self._drives = Drives(system, settings)
        self._plant, self.parts = self._made_plant(system, self._drives)
        self._effort = np.zeros(len(system.model.actuator_names))
        robot = system.robot
        self._sensors: Sensors | None = None
        if robot is not None:
            mounted = mounted_sensors(robot, lambda: self.system, settings)
            self._sensors = Sensors(robot.model, robot.columns, settings, mounted)
        # the start of the commands and of the entities
        self._known, self._homes = self._drives.by_name, dict(system.entities)
        self._loads = KnownLoads()
        self.reset()

    def _made_plant(self, system: SimulatedSystem, drives: Drives) -> tuple[Plant, tuple[int, str]]:
        """Return a plant at the start, and the number of parts of a step with the reason."""
        settings = self.settings
        parts = system.parts_of_step(settings.step)
        plant = Plant(
            system.model,
            *drives.start_state(),
            step=self._step / NANOSECONDS / parts[0],
            effort_limits=settings.limit_efforts,
            joint_stops=settings.joint_stops,
            contacts=system.contacts,
            energy_tolerance=ENERGY_TOLERANCE,
        )
        return plant, parts

    @property
    def model(self) -> Model:
        """Of the whole system."""
        return self.system.model

    @property
    def commands(self) -> Commands | None:
        """Commands of the robot whose topics are published; None: no such robot."""
        return None if self.system.robot is None else self._drives.commanded.commands

    @property
    def sensors(self) -> tuple[str, ...]:
        """The sensors besides encoders, by the fields of `Measurement`."""
        return () if self._sensors is None else tuple(self._sensors.mounted)

    @property
    def now(self) -> int:
        """Simulated time (ns)."""
        return self.steps * self._step

    @property
    def position(self) -> Floats:
        """Of all coordinates (p,)."""
        return self._plant.position

    @property
    def velocity(self) -> Floats:
        """Of all coordinates (v,)."""
        return self._plant.velocity

    @property
    def acceleration(self) -> Floats:
        """Of all coordinates (v,), under the last efforts."""
        return self._plant.acceleration

    @property
    def contacts(self) -> ContactTable | None:
        """Present contact points; None: contacts are not possible."""
        return None if self.system.contacts is None else self._plant.contacts

    @property
    def is_active(self) -> bool:
        """Whether there is a robot or a world that can be played, paused and reset."""
        return self.state not in (PlayState.NO_WORLD, PlayState.LOADING_WORLD)

    def unload(self) -> None:
        """Remove all entities; the session is inactive until `load`."""
        self.load(SimulatedSystem.empty())
        self.state = PlayState.NO_WORLD

    def warm_up(self) -> None:
        """Compile or load all kernels of steps and samples.

        Raises
        ------
        CharmieError
            If the system cannot be simulated.
        """
        sample = None
        while sample is None or (self.commands is not None and sample.measured is None):
            sample = self.advance(self.settings.steps_per_sample)
        self.reset()

    def play(self) -> None:
        """Start the simulated time."""
        self.state, self.fault = PlayState.PLAYING, ""

    def pause(self) -> None:
        """Stop the simulated time."""
        self.state = PlayState.PAUSED

    def stop(self) -> None:
        """Return to the start, and stop the simulated time."""
        self.reset()
        self.state = PlayState.STOPPED

    def reset(self, *, time: bool = True, state: bool = True, spawned: bool = True) -> None:
        """Return to the start, and forget commands and wrenches.

        Parameters
        ----------
        time : bool
            Restart the time at zero; false: the time continues.
        state : bool
            Restart positions and motions; false: they are kept.
        spawned : bool
            Remove entities that were added since the start. With `state`, removed entities return.
            If everything is reset, the notes are dropped.
        """
        if self.system is not self._first:
            self._go_back(state, spawned)
        self.fault = ""
        if time:
            self.steps = 0
        # samples stay on the grid, as odometry is published at some of its times
        period = self.settings.steps_per_sample
        self._next_sample = (self.steps // period + 1) * period
        self._loads = KnownLoads()
        self._loads.configure(self.model, "", {})
        self._update_loads()
        if state:
            self._effort = np.zeros_like(self._effort)
            self._plant.reset(*self._drives.start_state())
        if self._sensors is not None:
            self._sensors.begin()
        self._drives.begin(self._plant.position, self.now)
        kept = () if time and state and spawned else self.system.entity_names
        self.notes = {name: note for name, note in self.notes.items() if name in kept}

    def exchange(self, system: SimulatedSystem, restarted: Collection[str]) -> None:
        """Replace the world; entities that both worlds have keep their motion.

        Commands and wrenches stay active.

        Parameters
        ----------
        system : SimulatedSystem
            With the same robot whose topics are published.
        restarted : collection of str
            Entities that start as the new world states.

        Raises
        ------
        CharmieError
            If the new world cannot be simulated: a restarted entity overlaps others, or contacts
            need far shorter steps. Nothing is changed then.
        """
        self._continue_in(system, restarted, self.require_possible(system, restarted))
        self.notes = {n: note for n, note in self.notes.items() if n in system.entities}

    def require_possible(self, system: SimulatedSystem, restarted: Collection[str]) -> WorldState:
        """Return the state after `exchange`, with its parameters and errors; nothing is changed."""
        state = self._transferred_state(system, restarted)
        if system.world is not None:
            for name in restarted:
                system.world.require_apart(state.position, name)
        system.parts_of_step(self.settings.step)
        return state

    def _transferred_state(self, system: SimulatedSystem, restarted: Collection[str]) -> WorldState:
        plant = self._plant
        memory = plant.stepper.memory.copy()
        state = WorldState(plant.position, plant.velocity, memory, self._effort)
        return transferred_state(self.system, system, state, restarted)

    def _continue_in(
        self, system: SimulatedSystem, restarted: Collection[str], state: WorldState
    ) -> None:
        """Replace the world as in `exchange`, with a state of the new world."""
        known = self._drives.by_name
        for name in restarted:
            known.pop(name, None)
        drives = Drives(system, self.settings, known)
        made, parts = self._made_plant(system, drives)
        made.reset(state.position, state.velocity, memory=state.memory)
        drives.begin_added(known, state.position, self.now)
        for name in set(system.entities) - set(self.system.entities):
            self._homes[name] = system.entities[name]
        self.system, self._drives, self._plant, self.parts = system, drives, made, parts
        self._effort = state.effort
        if self._sensors is not None and system.robot is not None:
            self._sensors.columns = system.robot.columns
        self._loads.go_on_with(system.model)
        self._update_loads()

    def put(
        self, position: npt.ArrayLike, velocity: npt.ArrayLike, restarted: Collection[str] = ()
    ) -> None:
        """Set positions and velocities at once; a held pose becomes the new one.

        Parameters
        ----------
        position, velocity : (p,) and (v,) array_like
            For passive joints of loops, the start of their search.
        restarted : collection of str
            Entities that were moved: they may not overlap others, and their contacts restart.

        Raises
        ------
        InputError, OutOfReachError, LoopError
            As `Model.compute`, `Model.assemble`, `World.require_apart`; nothing is changed.
        """
        if self.model.mechanisms.loop_joints:
            position, velocity, _ = self.model.assemble(position, velocity)
        else:
            self.model.kinematics(position, velocity)
        scene, world, plant = self.system.contacts, self.system.world, self._plant
        if world is not None:
            for name in restarted:
                world.require_apart(np.asarray(position, dtype=np.float64), name)
        before = plant.position
        memory = transferred_memory(scene, scene, plant.stepper.memory.copy(), restarted)
        plant.reset(position, velocity, memory=memory)
        self._effort = np.zeros_like(self._effort)
        self._drives.note_displacement(before, plant.position)

    def take_efforts(self, efforts: npt.ArrayLike) -> None:
        """Apply efforts from the next step; see `Commands.take_efforts`."""
        robot, commands = self._drives.commanded
        commands.take_efforts(efforts, self.now, self._plant.position[robot.columns.position])

    def take_velocity(self, twist: npt.ArrayLike) -> None:
        """Drive the base at a velocity from the next step; see `Commands.take_velocity`."""
        robot, commands = self._drives.commanded
        position, velocity, _ = robot.columns
        measured = self._plant.position[position], self._plant.velocity[velocity]
        commands.take_velocity(twist, self.now, measured)

    def take_targets(
        self,
        names: Sequence[str],
        position: npt.ArrayLike = (),
        velocity: npt.ArrayLike = (),
        effort: npt.ArrayLike = (),
    ) -> None:
        """Follow targets of drives from the next step; see `Commands.take_targets`."""
        robot, commands = self._drives.commanded
        measured = self._plant.position[robot.columns.position]
        commands.take_targets(names, (position, velocity, effort), self.now, measured)

    def take_trajectory(self, trajectory: Trajectory, start: int | None = None) -> None:
        """Follow a trajectory from the next step; see `Commands.take_trajectory`."""
        robot, commands = self._drives.commanded
        position, velocity, _ = robot.columns
        measured = self._plant.position[position], self._plant.velocity[velocity]
        commands.take_trajectory(trajectory, start, self.now, measured)

    def take_wrench(self, message: Any) -> str:
        """Apply a wrench to a link from the next step, and return the link.

        Parameters
        ----------
        message : geometry_msgs.msg.WrenchStamped
            Or an object with its fields, in the frame of a link of the robot or of another entity.

        Raises
        ------
        InputError
            If the frame is not that of a link, or a value is not finite.
        """
        frame_id = message.header.frame_id
        own = frame_id[len(self._prefix) :] if frame_id.startswith(self._prefix) else frame_id
        link = self.system.link_of(own)
        self._loads.push(link, message.wrench, self.now / NANOSECONDS)
        self._update_loads()
        return self.system.frame_id(link)

    def advance(self, most: int) -> SimulatedSample:
        """Advance by up to `most` steps, but at most to the next sample or measurement that is due.

        Raises
        ------
        CharmieError
            If a step fails: the state before that step is kept, and the session pauses.
        """
        due = None if self._sensors is None else self._sensors.next_due
        target = self._next_sample if due is None else min(self._next_sample, due)
        target = min(target, self.steps + most)
        try:
            while self.steps < target:
                self._move(target - self.steps)
        except CharmieError as error:
            self.fault = f"at {self.now / NANOSECONDS:.9g} s: {error}"
            self.state = PlayState.PAUSED
            raise
        true = contacts = measured = None
        if self.steps == self._next_sample:
            self._next_sample += self.settings.steps_per_sample
            true, contacts = self.sample(), self.contacts
            if self._sensors is not None:
                self._sensors.measure(self.steps, true)
        if self._sensors is not None:
            measured = self._sensors.take(self.steps)
        return SimulatedSample(self.now, true, measured, contacts)

    def sample(self) -> TrueSample:
        """Return the present state."""
        plant = self._plant
        return TrueSample(
            self.now, plant.position, plant.velocity, plant.acceleration, self._effort
        )

    def _move(self, most: int) -> None:
        """Advance by one step, or by several under constant efforts."""
        plant, now = self._plant, self.now
        if self._loads.expire(now / NANOSECONDS, self._timeout):
            self._update_loads()
        before = plant.position, plant.velocity
        memory = plant.stepper.memory.copy()
        effort, until, target = self._drives.effort(now, *before)
        held = -((now - until) // self._step)  # steps that begin before that
        # with wrenches, each step checks whether they have ended
        count = 1 if self._loads.wrenches else max(1, min(most, held))
        targets: Sequence[Floats] = ()
        if target is not None:
            plant.stepper.drive(target.stiffness, target.damping)
            targets = target[2:] if target.damping.any() else ()
        try:
            plant.advance(effort, count * self.parts[0], *targets)
        except CharmieError:
            # repeat up to the failing step alone, so that the result does not depend on the count
            plant.reset(*before, memory=memory)
            if count == 1:
                raise
            return self._move(1)
        self._effort = np.array(plant.effort)
        self.steps += count

    def _update_loads(self) -> None:
        """Add the wrenches that were taken to the loads of the model."""
        payloads, own = self.model.robot.loads
        wrenches = dict(own)
        for link, taken in self._loads.wrenches.items():
            first = wrenches.get(link, Wrench())
            force, torque = np.add(first.force, taken.force), np.add(first.torque, taken.torque)
            wrenches[link] = Wrench(force, torque)
        try:
            loaded = self.model.with_loads(payloads, wrenches)
        except CharmieError as error:
            raise InputError(f"external_wrench: {error}") from error
        self._plant.carry(loaded)

    def _go_back(self, state: bool, spawned: bool) -> None:
        """Restore the first system, or reset the remaining entities as `reset` requests."""
        if not (state and spawned):
            left = [
                self._homes[name] if state else entity
                for name, entity in self.system.entities.items()
                if not spawned or self._homes[name] is self._first.entities.get(name)
            ]
            moved = [e.name for e in left if e is not self.system.entities[e.name]]
            other = self.system.with_entities(left)
            self._continue_in(other, moved, self._transferred_state(other, moved))
            return
        system = self.system = self._first
        self._drives = Drives(system, self.settings, self._known)
        self._plant, self.parts = self._made_plant(system, self._drives)
        self._effort = np.zeros(len(system.model.actuator_names))
        self._homes = dict(system.entities)
        if self._sensors is not None and system.robot is not None:
            self._sensors.columns = system.robot.columns
