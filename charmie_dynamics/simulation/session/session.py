# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A robot or a world that is played: stopped, playing or paused; steps, samples, resets."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from charmie_dynamics.errors import CharmieError, InputError
from charmie_dynamics.live.loads import KnownLoads
from charmie_dynamics.live.wire.stamps import NANOSECONDS
from charmie_dynamics.model.model import Model
from charmie_dynamics.motions.trajectory import Trajectory
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation.plant import Plant
from charmie_dynamics.simulation.world_run import ContactTable

from .commands import FOREVER, Commands, controller_of
from .played import Played, PlayedRobot
from .sensors import Measurement, Sensors, TrueSample
from .settings import SessionSettings


class PlayState(Enum):
    """Whether time goes on."""

    STOPPED = "stopped"  # paused, at the start
    PLAYING = "playing"
    PAUSED = "paused"


class Told(NamedTuple):
    """What is to be told after some steps.

    Attributes
    ----------
    now : int
        ns.
    true : TrueSample or None
        None where no sample is due.
    measured : Measurement or None
        None where no measurement is due.
    contacts : ContactTable or None
        With a sample, where something may touch.
    """

    now: int
    true: TrueSample | None
    measured: Measurement | None
    contacts: ContactTable | None = None


class Driven(NamedTuple):
    """A robot with actuators, and what drives it."""

    robot: PlayedRobot
    commands: Commands


class Session:
    """A robot, or a world, in simulated time. Reads no clock; who calls `advance` makes time go on.

    What is commanded between two steps acts from the next step on. The same settings and the same
    commands between the same steps give the same samples, bit for bit, after each reset.

    In a world the commands are those of one robot; the others hold their pose.

    Parameters
    ----------
    played : Model or Played
        A robot alone, or a world.
    settings : SessionSettings
    frame_prefix : str
        Of the frames in which wrenches are told.

    Attributes
    ----------
    played : Played
    state : PlayState
    steps : int
        Since time zero.
    fault : str
        Why it has paused by itself; empty: it has not.

    Raises
    ------
    CharmieError
        From the constructor, if the robot cannot take its start position, if entities overlap at
        the start, or if contacts need shorter steps.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.simulation.session.session import Session
    >>> from charmie_dynamics.simulation.session.settings import SessionSettings
    >>> model = load_model()
    >>> session = Session(model, SessionSettings(idle="free", joint_stops=False))
    >>> told = session.advance(20)  # up to the first sample
    >>> session.steps, told.now, told.true.stamp  # ns
    (10, 10000000, 10000000)
    """

    def __init__(
        self, played: Model | Played, settings: SessionSettings, frame_prefix: str = ""
    ) -> None:
        if isinstance(played, Model):
            played = Played.alone(played)
        played.require_playable(settings)
        self.settings = settings
        self.state = PlayState.STOPPED
        self.fault = ""
        self._step = settings.step_nanoseconds
        self._timeout = settings.input_timeout
        self._prefix = frame_prefix
        self._take(played, {})
        robot = played.robot
        self._sensors = None if robot is None else Sensors(robot.model, robot.columns, settings)
        self.reset()

    def _take(self, played: Played, known: dict[str, Commands]) -> None:
        """Play something, by robots that are known, else by such as hold their pose."""
        settings = self.settings
        self.played = played
        idle = replace(settings, motion="", idle="hold")
        self._driven: list[Driven] = []
        for robot in played.robots:
            of_robot = settings if robot is played.robot else idle
            commands = known.get(robot.name)
            if commands is None:
                controller = controller_of(robot, played, of_robot)
                commands = Commands(robot.model, of_robot, controller)
            self._driven.append(Driven(robot, commands))
        self._effort = np.zeros(len(played.model.actuator_names))
        self._start = self._start_state()
        self._plant = Plant(
            played.model,
            self._start[0],
            self._start[1],
            step=self._step / NANOSECONDS,
            effort_limits=settings.limit_efforts,
            joint_stops=settings.joint_stops,
            contacts=played.contacts,
        )

    def _start_state(self) -> tuple[Floats, Floats]:
        """Return the start (p,), (v,), in full swing where a motion is followed."""
        position, velocity = self.played.position.copy(), self.played.velocity.copy()
        for robot, commands in self._driven:
            of_motion = commands.start_state()
            if of_motion is not None:  # at rest the robot would have to jump onto it
                position[robot.columns.position], velocity[robot.columns.velocity] = of_motion
        return position, velocity

    @property
    def model(self) -> Model:
        """Of all that is played."""
        return self.played.model

    @property
    def commands(self) -> Commands | None:
        """Those of the robot whose topics are published; None: there is none."""
        return None if self.played.robot is None else self._driven[0].commands

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
        """Of all coordinates (v,), under the efforts that have acted until now."""
        return self._plant.acceleration

    @property
    def contacts(self) -> ContactTable | None:
        """Points of contact now; None: nothing may touch."""
        return None if self.played.contacts is None else self._plant.contacts

    def play(self) -> None:
        """Let time go on."""
        self.state, self.fault = PlayState.PLAYING, ""

    def pause(self) -> None:
        """Let time stand still."""
        self.state = PlayState.PAUSED

    def stop(self) -> None:
        """Go back to the start, and let time stand still."""
        self.reset()
        self.state = PlayState.STOPPED

    def reset(self, *, time: bool = True, state: bool = True) -> None:
        """Go back to the start; commands and wrenches are forgotten.

        Parameters
        ----------
        time : bool
            Time begins at zero; false: it goes on.
        state : bool
            The robot is at its start, at rest or as its motion begins; false: it stays as it is.
        """
        self.fault = ""
        if time:
            self.steps = 0
        self._next_sample = self.steps + self.settings.steps_per_sample
        self._loads = KnownLoads()
        self._loads.configure(self.model, "", {})
        self._carry()
        if state:
            self._effort = np.zeros_like(self._effort)
            self._plant.reset(*self._start)
        if self._sensors is not None:
            self._sensors.begin()
        position = self._plant.position
        for robot, commands in self._driven:
            commands.begin(position[robot.columns.position], self.now)

    def put(self, position: npt.ArrayLike, velocity: npt.ArrayLike) -> None:
        """Put the robot elsewhere, at once. A pose that is held is the new one; commands stay.

        Parameters
        ----------
        position, velocity : (p,) and (v,) array_like
            What is said of passive joints of loops is where their search begins.

        Raises
        ------
        InputError, OutOfReachError, LoopError
            As `Model.compute` and `Model.assemble`; nothing has changed then.
        """
        if self.model.mechanisms.loop_joints:
            position, velocity, _ = self.model.assemble(position, velocity)
        else:
            self.model.compute(position, velocity, dynamics=False)
        self._plant.reset(position, velocity)
        self._effort = np.zeros_like(self._effort)
        for robot, commands in self._driven:
            commands.note_put(self._plant.position[robot.columns.position])

    def take_efforts(self, efforts: npt.ArrayLike) -> None:
        """Apply efforts from the next step on; see `Commands.take_efforts`."""
        self._commanded().commands.take_efforts(efforts, self.now)

    def take_trajectory(self, trajectory: Trajectory, start: int | None = None) -> None:
        """Follow a trajectory from the next step on; see `Commands.take_trajectory`."""
        robot, commands = self._commanded()
        position, velocity, _ = robot.columns
        measured = self._plant.position[position], self._plant.velocity[velocity]
        commands.take_trajectory(trajectory, start, self.now, measured)

    def take_wrench(self, message: Any) -> str:
        """Let a wrench push a link from the next step on, and return the link.

        Parameters
        ----------
        message : geometry_msgs/msg/WrenchStamped, or what has its fields
            In the frame of the link: one of the robot's, or of another entity.

        Raises
        ------
        InputError
            If it is in no link's frame, or not finite.
        """
        frame_id = message.header.frame_id
        own = frame_id[len(self._prefix) :] if frame_id.startswith(self._prefix) else frame_id
        link = self.played.link_of(own)
        self._loads.push(link, message.wrench, self.now / NANOSECONDS)
        self._carry()
        return self.played.frame_id(link)

    def advance(self, most: int) -> Told:
        """Advance by up to `most` steps, but not beyond what is to be told next.

        Raises
        ------
        CharmieError
            If the robot could not be advanced: it stays where it was before that step, and the
            session pauses.
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
        return Told(self.now, true, measured, contacts)

    def sample(self) -> TrueSample:
        """Return all as it is now."""
        plant = self._plant
        return TrueSample(
            self.now, plant.position, plant.velocity, plant.acceleration, self._effort
        )

    def _move(self, most: int) -> None:
        """Advance by one step, or by more of them while the same efforts are held."""
        plant, now = self._plant, self.now
        if self._loads.expire(now / NANOSECONDS, self._timeout):
            self._carry()
        before = plant.position, plant.velocity
        memory = plant.memory
        effort, until = self._asked(now, *before)
        held = -((now - until) // self._step)  # steps that begin before that
        # each step looks anew at wrenches that may be over
        count = 1 if self._loads.wrenches else max(1, min(most, held))
        try:
            plant.advance(effort, count)
        except CharmieError:
            # back to the step that fails: how far several have come must not count
            plant.reset(*before, memory=memory)
            if count == 1:
                raise
            return self._move(1)
        self._effort = np.array(plant.effort)
        self.steps += count

    def _asked(self, now: int, position: Floats, velocity: Floats) -> tuple[Floats, int]:
        """Return the efforts of all actuators (a,), and until when they may be held (ns)."""
        effort, end = np.zeros_like(self._effort), FOREVER
        for robot, commands in self._driven:
            columns = robot.columns
            own, until = commands.effort(
                now, position[columns.position], velocity[columns.velocity]
            )
            effort[columns.effort], end = own, min(end, until)
        return effort, end

    def _commanded(self) -> Driven:
        """Return the robot that is commanded.

        Raises
        ------
        InputError
            If there is none.
        """
        if self.played.robot is None:
            raise InputError("there is no robot with actuators, expected no commands")
        return self._driven[0]

    def _carry(self) -> None:
        try:
            loaded = self.model.loaded(wrenches=self._loads.wrenches)
        except CharmieError as error:
            raise InputError(f"external_wrench: {error}") from error
        self._plant.carry(loaded)
