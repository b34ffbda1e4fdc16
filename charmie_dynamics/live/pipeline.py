# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""From samples to computed cycles: one for each joint sample that is newer than the last."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from charmie_dynamics.errors import OutOfReachError
from charmie_dynamics.model.contact_forces import ContactLoads
from charmie_dynamics.model.description.robot import TrackedPoint
from charmie_dynamics.model.description.world.robot_contacts import RobotContacts
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.state import State
from charmie_dynamics.numerics.vectors import Floats

from .estimation.base_motion import MeasuredBase
from .estimation.entries import EntryTable, measured_joints
from .estimation.estimator import Estimator
from .estimation.following import followed_motion
from .estimation.measured_passive import MeasuredPassive
from .exceptional_samples import TREATMENTS, Case
from .mobile_base import MobileBase
from .ordering import LengthsFirst
from .settings import DEFAULTS
from .step import COMPUTED, FAILED, TAKEN, Step
from .wire.joint_states import Message
from .wire.samples import ACTUATOR_LENGTHS, JOINT_STATES, JointSample
from .wire.scatter import MessageRecords


class Cycle(NamedTuple):
    """A computed state and its inputs.

    Attributes
    ----------
    stamp : int
        Of the sample (ns).
    state : State
    effort : (q,) array or None
        Measured (N m or N); NaN where it was not, None where none was.
    settling : float
        How long (s) the estimated velocities and accelerations still settle; 0: they have.
    contacts : ContactLoads or None
        Of the contacts with the floor; None if they are not known.
    """

    stamp: int
    state: State
    effort: Floats | None = None
    settling: float = 0.0
    contacts: ContactLoads | None = None


class Arrived(NamedTuple):
    """A sample, its topic, and its arrival on a steady clock (s)."""

    topic: str
    sample: Message | JointSample
    arrival: float


@dataclass
class CycleStatistics:
    """How many cycles were computed since the start, and how many were not."""

    computed: int = 0
    out_of_reach: int = 0
    # joint samples that got no cycle of their own, because newer ones waited already
    passed_over: int = 0


@dataclass
class Pipeline:
    """Estimator and model in one: samples in, cycles out. Knows no ROS, reads no clock of its own.

    One cycle is computed for each joint sample that is newer than the last, at its stamp. The first
    waits until there are lengths. The caller lets joints wait for the lengths with their stamp by
    `order`, and passes the samples in the order that it returns.

    Parameters
    ----------
    model : Model
    input_timeout : float
        Age (s) from which an input is stale.
    acceleration_cutoff : float
        Of the estimator (Hz).
    estimate_acceleration : bool
        False: accelerations are zero.
    require_base_joints : bool
        False: base joints that no message reports are at zero.
    compute_dynamics : bool
        False: kinematics only.
    contacts : RobotContacts, optional
        Of a robot with a floating base: their forces are included in the efforts of the cycles
        with odometry.

    Attributes
    ----------
    estimator : Estimator
    base : MeasuredBase
        Messages of imu and odometry, see there.
    trigger : {"joint_states", "actuator_lengths"}
        Topic whose samples always trigger cycles; those of the other one may, see `Step`.
    order : LengthsFirst
        The order of processing of samples.
    statistics : CycleStatistics
    """

    model: Model
    input_timeout: float = DEFAULTS.input_timeout
    acceleration_cutoff: float = DEFAULTS.acceleration_cutoff
    estimate_acceleration: bool = True
    require_base_joints: bool = DEFAULTS.require_base_joints
    compute_dynamics: bool = DEFAULTS.compute_dynamics
    contacts: RobotContacts | None = None
    statistics: CycleStatistics = field(default_factory=CycleStatistics)

    def __post_init__(self) -> None:
        model = self.model
        self.estimator = Estimator(
            model,
            timeout=self.input_timeout,
            cutoff=self.acceleration_cutoff,
            require_base_joints=self.require_base_joints,
            estimate_acceleration=self.estimate_acceleration,
            dynamics=self.compute_dynamics,
        )
        actuators = model.mechanisms.linear_actuators
        driven = {actuator.joint for actuator in actuators}
        direct = set(measured_joints(model).values()) - driven
        # for a robot with linear actuators only, samples on both topics trigger cycles
        self.trigger = JOINT_STATES if direct or not driven else ACTUATOR_LENGTHS
        waits = self.trigger == JOINT_STATES
        names = [actuator.name for actuator in actuators]
        self.followed = followed_motion(model)
        self._passive: MeasuredPassive | None = None
        if self.followed is not None and self.followed.is_passive.any():
            self._passive = MeasuredPassive(model, [self.followed])
        self.order: LengthsFirst[Any] = LengthsFirst(names if waits else ())
        self.base = MeasuredBase(
            model,
            self.input_timeout,
            self.acceleration_cutoff,
            estimate_acceleration=self.estimate_acceleration,
        )
        self._mobile = MobileBase(model, self.base, self.followed, self.contacts)
        self._steps = {topic: self._make_step(topic) for topic in (JOINT_STATES, ACTUATOR_LENGTHS)}

    def _make_step(self, topic: str) -> Step:
        unknown = self.estimator.unknown_names
        return Step(
            EntryTable(self.model, unknown, topic),
            self.estimator,
            self.model,
            is_trigger=topic == self.trigger or self.trigger == ACTUATOR_LENGTHS,
            followed=self.followed,
        )

    def warm_up(self) -> None:
        """Compile or load all kernels, so that the first sample does not wait for them.

        Raises
        ------
        OutOfReachError
            If the model cannot take its rest pose.
        """
        model, apart = self.model, Pipeline(self.model)
        apart.missing(0.0)
        joints = measured_joints(model)
        if apart.followed is None:
            start = model.kinematics(model.rest_position()).joint_position
        else:
            start = apart.followed.arrays.start_joints
        sample = JointSample(tuple(joints.values()), start[list(joints)], None, 1)
        apart.take(JOINT_STATES, sample, 0.0)

    def carry(self, model: Model) -> None:
        """Replace the loads: `model` is the same robot with the new ones; gravity is kept."""
        self.model = self._mobile.carry(model)
        for step in self._steps.values():
            step.carry(self.model)

    def track(self, points: tuple[TrackedPoint, ...]) -> None:
        """Append the motion of these points to the numbers of each cycle."""
        for step in self._steps.values():
            step.track(points)

    def triggers(self, topic: str, sample: Message | JointSample) -> bool:
        """Return whether a sample on a topic triggers a cycle, by its names."""
        return self._steps[topic].triggers(sample)

    def set_message_records(self, messages: MessageRecords) -> None:
        """Set where each cycle writes its messages, see `wire.scatter`."""
        for step in self._steps.values():
            step.messages = messages

    def take_contradictions(self) -> dict[str, str]:
        """Return how measured values contradict each other, by actuator or joint, with advice."""
        found = self.estimator.take_contradictions()
        if self._passive is not None:
            found.update(self._passive.take_contradictions())
        return found

    def take_unborne(self) -> str | None:
        """Return the lowest contact if none bore anything since the last call; None: one did.

        None, too, if there were no cycles with contacts and odometry.
        """
        return self._mobile.take_unborne()

    def missing(self, now: float) -> list[str]:
        """Return the actuators without a fresh value at steady time `now` (s)."""
        return self.estimator.missing(now)

    def take(
        self,
        topic: str,
        sample: Message | JointSample,
        arrival: float,
        now: float | None = None,
        *,
        run: bool = True,
    ) -> Cycle | None:
        """Process a sample, and compute its cycle.

        Parameters
        ----------
        topic : {"joint_states", "actuator_lengths"}
            Values are matched by name on both: joints, also those which linear actuators move,
            lengths of linear actuators, and passive joints. A length outranks a joint value until
            it is stale.
        sample : Message or JointSample
        arrival : float
            Its arrival on a steady clock (s).
        now : float, optional
            On that clock (s); that of the arrival if omitted.
        run : bool
            False: no cycle is computed; a later sample may set it off.

        Returns
        -------
        Cycle or None
            None when the sample starts no cycle, or when an input is missing or stale.

        Raises
        ------
        OutOfReachError
            If a joint value lies beyond the dead centre of its actuator's loop; the sample is then
            discarded. If a loop cannot be closed in the cycle.
        InputError
            If values are so large that the results are not finite; names the largest.
        """
        now = arrival if now is None else now
        if self._passive is not None:
            sample = self._passive.completed(topic, sample)
        step = self._steps[topic]
        if run and self.base.is_used:
            changed = self._mobile.move(sample.stamp, now)
            if changed is not None:
                self.model = changed
                for each in self._steps.values():
                    each.carry(changed)
        outcome = step.take(sample, arrival, now, run=run)
        while outcome.code > COMPUTED:
            case = Case(outcome, step, self.estimator, self.model, sample, arrival, now, run)
            try:
                outcome = TREATMENTS[outcome.code](case)
            except OutOfReachError:
                self.statistics.out_of_reach += outcome.code == FAILED
                raise
        if outcome.code == TAKEN:
            return None
        self.statistics.computed += 1
        state = State(self.model.layout, outcome.block, self.compute_dynamics)
        settling = float(outcome.block[self.model.layout.size])
        contacts = None
        if self.base.is_used:
            state, contacts = self._mobile.with_contacts(state, step.messages)
        return Cycle(outcome.detail, state, self.estimator.efforts(), settling, contacts)
