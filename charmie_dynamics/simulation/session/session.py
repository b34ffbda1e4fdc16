# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A robot that is played: stopped, playing or paused; steps, samples, resets."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from charmie_dynamics.errors import CharmieError, InputError
from charmie_dynamics.live.loads import KnownLoads
from charmie_dynamics.live.wire.stamps import NANOSECONDS
from charmie_dynamics.model.model import Model
from charmie_dynamics.motions.trajectory import Trajectory
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation.plant import Plant

from .commands import Commands
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
    """

    now: int
    true: TrueSample | None
    measured: Measurement | None


class Session:
    """A robot in simulated time. Reads no clock; who calls `advance` makes time go on.

    What is commanded between two steps acts from the next step on. The same settings and the same
    commands between the same steps give the same samples, bit for bit, after each reset.

    Parameters
    ----------
    model : Model
    settings : SessionSettings
    frame_prefix : str
        Of the frames in which wrenches are told.

    Attributes
    ----------
    state : PlayState
    steps : int
        Since time zero.
    fault : str
        Why it has paused by itself; empty: it has not.

    Raises
    ------
    CharmieError
        From the constructor, if the robot cannot take its start position.

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

    def __init__(self, model: Model, settings: SessionSettings, frame_prefix: str = "") -> None:
        self.model, self.settings = model, settings
        self.state = PlayState.STOPPED
        self.fault = ""
        self._step = settings.step_nanoseconds
        self._timeout = settings.input_timeout
        self._prefix = frame_prefix
        self.commands = Commands(model, settings)
        of_motion = self.commands.start_state()
        # in full swing where the motion is: a robot at rest would have to jump onto it
        self._start = (start_position(model), None) if of_motion is None else of_motion
        self._effort = np.zeros(len(model.actuator_names))
        self._plant = Plant(
            model,
            self._start[0],
            step=self._step / NANOSECONDS,
            effort_limits=settings.limit_efforts,
            joint_stops=settings.joint_stops,
        )
        self._sensors = Sensors(model, settings)
        self.reset()

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
        self._loads.configure(self.model, self._prefix, {})
        self._carry()
        if state:
            self._effort = np.zeros_like(self._effort)
            self._plant.reset(*self._start)
        self._sensors.begin()
        self.commands.begin(self._plant.position, self.now)

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
        self.commands.note_put(self._plant.position)

    def take_efforts(self, efforts: npt.ArrayLike) -> None:
        """Apply efforts from the next step on; see `Commands.take_efforts`."""
        self.commands.take_efforts(efforts, self.now)

    def take_trajectory(self, trajectory: Trajectory, start: int | None = None) -> None:
        """Follow a trajectory from the next step on; see `Commands.take_trajectory`."""
        measured = self._plant.position, self._plant.velocity
        self.commands.take_trajectory(trajectory, start, self.now, measured)

    def take_wrench(self, message: object) -> str:
        """Let a wrench push a link from the next step on, and return the link.

        Parameters
        ----------
        message : geometry_msgs/msg/WrenchStamped
            In the frame of the link.

        Raises
        ------
        InputError
            If it is in no link's frame, or not finite.
        """
        link = self._loads.take_wrench(message, self.now / NANOSECONDS)
        self._carry()
        return link

    def advance(self, most: int) -> Told:
        """Advance by up to `most` steps, but not beyond what is to be told next.

        Raises
        ------
        CharmieError
            If the robot could not be advanced: it stays where it was before that step, and the
            session pauses.
        """
        due = self._sensors.next_due
        target = self._next_sample if due is None else min(self._next_sample, due)
        target = min(target, self.steps + most)
        try:
            while self.steps < target:
                self._move(target - self.steps)
        except CharmieError as error:
            self.fault = f"at {self.now / NANOSECONDS:.9g} s: {error}"
            self.state = PlayState.PAUSED
            raise
        true = None
        if self.steps == self._next_sample:
            self._next_sample += self.settings.steps_per_sample
            true = self.sample()
            self._sensors.measure(self.steps, true)
        return Told(self.now, true, self._sensors.take(self.steps))

    def sample(self) -> TrueSample:
        """Return the actuators as they are now."""
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
        effort, until = self.commands.effort(now, *before)
        held = -((now - until) // self._step)  # steps that begin before that
        # each step looks anew at wrenches that may be over
        count = 1 if self._loads.wrenches else max(1, min(most, held))
        try:
            plant.advance(effort, count)
        except CharmieError:
            # back to the step that fails: how far several have come must not count
            plant.reset(*before)
            if count == 1:
                raise
            return self._move(1)
        self._effort = np.array(plant.effort)
        self.steps += count

    def _carry(self) -> None:
        try:
            loaded = self.model.loaded(wrenches=self._loads.wrenches)
        except CharmieError as error:
            raise InputError(f"external_wrench: {error}") from error
        self._plant.carry(loaded)


def start_position(model: Model) -> Floats:
    """Return where a robot begins (p,): in its rest pose, at zero where it has none.

    Within its limits, lest it stand in a stop: a zero position may lie a little beyond one.
    """
    start = model.zero_position()
    limits = dict(zip(model.actuator_names, model.actuator_limits(), strict=True))
    for k, name in enumerate(model.position_names):
        start[k] = model.mechanisms.rest_pose.get(name, start[k])
        if name in limits:
            start[k] = min(max(start[k], limits[name].lower), limits[name].upper)
    return model.assemble(start).position
