# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A task: a world, its random starts, observations and rewards."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import numpy as np

from charmie_dynamics.errors import InputError, UnknownNameError, choices
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.state import State
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation import World, load_world


class ObservedQuantity(NamedTuple):
    """A part of an observation.

    Attributes
    ----------
    name : str
        With its frame.
    unit : str
    low, high : array_like
        Its range, one number for each of its own; values outside are set to the limit.

    Examples
    --------
    >>> from charmie_dynamics.learning import ObservedQuantity
    >>> ObservedQuantity("p_world_tool", "m", [-3.0] * 3, [3.0] * 3).unit
    'm'
    """

    name: str
    unit: str
    low: Any
    high: Any


class Start(NamedTuple):
    """A random start.

    Attributes
    ----------
    position : (p,) array
        Of the world.
    poses : mapping of str to (6,) array
        Of fixed entities, see `World.batch`.
    data : mapping of str to array
        Of the episode, see `LearningTask.remembered`.
    model : Model, optional
        With other masses and loads than the world's.

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics.learning import Start
    >>> start = Start(np.zeros(6), data={"goal": np.array([0.3, 0.2, 1.0])})
    >>> start.model is None
    True
    """

    position: Floats
    poses: Mapping[str, Floats] = MappingProxyType({})
    data: Mapping[str, Floats] = MappingProxyType({})
    model: Model | None = None


class Situation(NamedTuple):
    """The situation of n worlds after a period.

    Attributes
    ----------
    time : (n,) array
        Since the start (s).
    position, velocity : (n, p), (n, v) array
    state : State
        Kinematics of the world's model.
    poses : mapping of str to (n, 6) array
        Of fixed entities.
    collision : (n,) array
        Largest normal force of forbidden contacts in the period (N).
    data : mapping of str to (n, ...) array
        Of the episodes.
    models : sequence of Model
        Of the simulated robots; a policy does not know them.
    """

    time: Floats
    position: Floats
    velocity: Floats
    state: State
    poses: Mapping[str, Floats]
    collision: Floats
    data: Mapping[str, Floats]
    models: Sequence[Model]


class Judgement(NamedTuple):
    """Terms of the reward, success and end.

    Attributes
    ----------
    terms : mapping of str to (n,) array
        Parts of the reward, which is their sum.
    is_success, ends : (n,) array of bool
        Whether the task is fulfilled, and whether the episode ends.

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics.learning import Judgement
    >>> distance = np.array([0.01, 0.3])
    >>> Judgement({"distance": -distance}, distance < 0.02, distance < 0.02).is_success
    array([ True, False])
    """

    terms: Mapping[str, Any]
    is_success: Any
    ends: Any


class LearningTask(ABC):
    """A task in a world with one robot.

    Attributes
    ----------
    name : str
        Of the environment, without its namespace.
    world_file : str
        Name or path of the world.
    robot : str
        Entity.
    actuators : tuple of str
        Actuators of the robot that actions move; others hold their positions.
    gripper : str
        Actuator that closes the hand; empty: none.
    tool : str
        Frame that a tool motion moves.
    duration : float
        Of an episode (s).
    rate : float
        Of actions (Hz).
    step : float
        Of the simulation (s).
    controls : tuple of str
        Permitted names of `controls.CONTROLS`, the default first.
    lower, upper : (k,) array
        Ends of the ranges of `actuators`.
    fixed : dict of str to (6,) array
        Poses of the fixed entities in the file of the world.

    Examples
    --------
    >>> from charmie_dynamics.learning import make_task
    >>> task = make_task("Reach-v0")
    >>> task.tool_frame, task.controls[0]
    ('charmie/left_tool', 'tool_motion')
    """

    name: ClassVar[str]
    world_file: ClassVar[str] = "kitchen"
    robot: ClassVar[str] = "charmie"
    actuators: ClassVar[tuple[str, ...]]
    gripper: ClassVar[str] = ""
    tool: ClassVar[str] = "left_tool"
    duration: ClassVar[float] = 10.0
    rate: ClassVar[float] = 20.0
    step: ClassVar[float] = 2e-3
    controls: ClassVar[tuple[str, ...]] = ("tool_motion", "joint_velocities", "efforts")

    def __init__(self, world: World | None = None) -> None:
        self.world = load_world(self.world_file) if world is None else world
        model = self.world.model
        self.tool_frame = f"{self.robot}/{self.tool}"
        own = [f"{self.robot}/{name}" for name in self.actuators]
        for name in own:
            if name not in model.actuator_names:
                raise UnknownNameError(
                    f"actuator '{name}' does not exist in this world; expected the robot of the "
                    f"task{choices(name, model.actuator_names)}"
                )
        self.columns, self.entries, self.freedoms = (
            np.array([names.index(name) for name in own], dtype=np.int64)
            for names in (model.actuator_names, model.position_names, model.velocity_names)
        )
        limits = [model.actuator_limits()[k] for k in self.columns]
        self.lower, self.upper = np.array([(limit.lower, limit.upper) for limit in limits]).T
        entities = self.world.entities.items()
        self.fixed = {name: e.pose.numbers for name, e in entities if e.moves == "fixed"}

    @property
    def periods(self) -> int:
        """Number of actions in an episode."""
        return round(self.duration * self.rate)

    @property
    @abstractmethod
    def forbidden(self) -> Sequence[tuple[str, str]]:
        """Pairs of links whose contact is a collision."""

    @abstractmethod
    def start(self, rng: np.random.Generator) -> Start:
        """Return a random start; one with overlaps is drawn again."""

    @abstractmethod
    def quantities(self) -> Sequence[ObservedQuantity]:
        """Return the parts of an observation."""

    @abstractmethod
    def observe(self, now: Situation) -> Sequence[Floats]:
        """Return the values of these parts, (n, ...) each."""

    @property
    def observation_limits(self) -> tuple[Floats, Floats]:
        """Lower and upper limits (k,) of observations."""
        parts = self.quantities()
        return np.hstack([part.low for part in parts]), np.hstack([part.high for part in parts])

    def observation(self, now: Situation, limits: tuple[Floats, Floats]) -> Floats:
        """Return observations (n, k) within limits, those of `observation_limits`."""
        parts = [np.reshape(part, (len(now.time), -1)) for part in self.observe(now)]
        return np.clip(np.concatenate(parts, axis=1), *limits)

    @abstractmethod
    def achieved_goal(self, now: Situation) -> Floats:
        """Return the achieved goal (n, g)."""

    @abstractmethod
    def desired_goal(self, now: Situation) -> Floats:
        """Return the desired goal (n, g)."""

    @abstractmethod
    def judge(self, achieved: Floats, desired: Floats, info: Mapping[str, Any]) -> Judgement:
        """Return the judgement of goals (n, g).

        Parameters
        ----------
        achieved, desired : (n, g) array
        info : mapping
            `collision` (n,), and what `measures` returns.
        """

    def remembered(self, now: Situation) -> Mapping[str, Floats]:
        """Return the data of the episodes (n, ...) that a period has changed."""
        return {}

    def measures(self, now: Situation) -> Mapping[str, Floats]:
        """Return further numbers (n,) that rewards depend on."""
        return {}

    def baseline(self, now: Situation) -> Floats:
        """Return the efforts (n, k), as parts of the rated ones, that `corrections` change."""
        return np.zeros((len(now.time), len(self.actuators)))

    def demonstrate(self, now: Situation) -> Floats:
        """Return actions (n, m) of the default control that fulfil the task.

        Raises
        ------
        InputError
            For a task without demonstrations.
        """
        raise InputError(f"task '{self.name}': expected one with demonstrations")

    @property
    def goal_limits(self) -> tuple[Floats, Floats]:
        """Lower and upper limits (g,) of goals."""
        return np.full(3, -5.0), np.full(3, 5.0)
