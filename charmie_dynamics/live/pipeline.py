"""From samples to computed cycles: when to compute, with what, and why not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from charmie_dynamics.errors import InputError, OutOfReachError
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.state import State
from charmie_dynamics.numerics.vectors import Floats

from .estimation.align import Aligned, Aligner
from .estimation.kernels import NEVER
from .ordering import LengthsFirst
from .wire.samples import ACTUATOR_LENGTHS, JOINT_STATES, JointSample

# older than any stamp
BEFORE_ALL = -(2**63)


class Cycle(NamedTuple):
    """A computed state, and what it was computed from.

    Attributes
    ----------
    stamp : int
        Of the sample (ns).
    state : State
    effort : (q,) array or None
        Measured (N m or N); NaN where it was not, None where none was.
    """

    stamp: int
    state: State
    effort: Floats | None = None


class Arrived(NamedTuple):
    """A sample, the topic on which it came, and when on a steady clock (s)."""

    topic: str
    sample: JointSample
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
    """Aligner and model in one: samples in, cycles out. Knows no ROS, reads no clock of its own.

    One cycle is computed for each joint sample that is newer than the last, at its stamp. The first
    waits until there are lengths. That each waits for those of its own stamp is up to the caller,
    by `order`: samples are taken in, in the order in which they come from there.

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
        False: base joints that nobody reports are at zero.
    compute_dynamics : bool
        False: kinematics only.

    Attributes
    ----------
    aligner : Aligner
    trigger : {"joint_states", "actuator_lengths"}
        Topic whose samples set off cycles.
    order : LengthsFirst
        The order in which samples are to be taken in.
    statistics : CycleStatistics
    """

    model: Model
    input_timeout: float = 0.5
    acceleration_cutoff: float = 10.0
    estimate_acceleration: bool = True
    require_base_joints: bool = False
    compute_dynamics: bool = True
    statistics: CycleStatistics = field(default_factory=CycleStatistics)

    def __post_init__(self) -> None:
        self.aligner = self._make_aligner()
        driven = {actuator.joint for actuator in self.model.mechanisms.linear_actuators}
        direct = set(self.model.joint_names) - driven
        # a robot that has linear actuators only is driven by their samples
        self.trigger = JOINT_STATES if direct or not driven else ACTUATOR_LENGTHS
        actuators = [actuator.name for actuator in self.model.mechanisms.linear_actuators]
        waits = self.trigger == JOINT_STATES
        self.order: LengthsFirst[Any] = LengthsFirst(actuators if waits else ())
        self._waiting: int | None = None
        self._last_stamp: int | None = None

    def warm_up(self) -> None:
        """Compile or load all kernels, so that the first sample does not wait for them.

        Raises
        ------
        OutOfReachError
            If the model cannot take its zero position.
        """
        model, aligner = self.model, self._make_aligner()
        zero = np.zeros(len(model.actuator_names))
        aligner.add(self.trigger, JointSample(model.actuator_names, zero, None, 0), 0.0)
        aligner.missing(0.0)
        aligner.at(0)
        for stamp in (1, 0, 0):  # the last two are late, which is taken for a jump back
            aligner.add(JOINT_STATES, JointSample(model.joint_names, zero, None, stamp), 0.0)
        model.compute(model.zero_position())

    def _make_aligner(self) -> Aligner:
        return Aligner(
            self.model,
            timeout=self.input_timeout,
            cutoff=self.acceleration_cutoff,
            require_base_joints=self.require_base_joints,
            estimate_acceleration=self.estimate_acceleration,
        )

    def reset(self) -> None:
        """Forget all samples, as after a jump of time."""
        self.aligner.reset()
        self._waiting = None
        self._last_stamp = None

    def missing(self, now: float) -> list[str]:
        """Return the actuators without a fresh value at steady time `now` (s)."""
        return self.aligner.missing(now)

    def add(
        self, topic: str, sample: JointSample, arrival: float, now: float | None = None
    ) -> Cycle | None:
        """Take in a sample and compute the cycle that it makes possible: `take_in`, `compute`.

        Parameters
        ----------
        topic : {"joint_states", "actuator_lengths"}
        sample : JointSample
        arrival : float
            Time of arrival on a steady clock (s).
        now : float, optional
            On that clock (s); that of the arrival if omitted.

        Returns
        -------
        Cycle or None
            None when the sample starts no cycle, or when an input is missing or stale.

        Raises
        ------
        OutOfReachError
            If a loop cannot be closed.
        InputError
            As `compute`.
        """
        now = arrival if now is None else now
        if topic == self.trigger:
            return self._advance(topic, sample, arrival, now)
        self.take_in(topic, sample, arrival)
        return self.compute(now)

    def _advance(self, topic: str, sample: JointSample, arrival: float, now: float) -> Cycle | None:
        """As `add`, for a sample that sets off a cycle; quickly if nothing is unusual."""
        aligner, stamp = self.aligner, sample.stamp
        jumps = aligner.counters.jumps_back
        added, block = aligner.advance(
            topic, sample, arrival, self.newest, now, self.model, self.compute_dynamics
        )
        if block is None:
            if added:
                self._note(topic, stamp, aligner.counters.jumps_back > jumps, was_reset=False)
            return self.compute(now)
        return self._note_run(stamp, block)

    @property
    def newest(self) -> int:
        """Stamp (ns) than which a sample must be newer to set off a cycle at once."""
        if self._waiting is not None:
            return NEVER
        return BEFORE_ALL if self._last_stamp is None else self._last_stamp

    def note_advance(
        self, stamp: int, oldest: float, has_efforts: bool, block: Floats | None, now: float
    ) -> Cycle | None:
        """Note that `kernels.advance` has taken in a sample that is newer than `newest`.

        Parameters
        ----------
        stamp : int
            Of the sample (ns).
        oldest : float
            Of `kernels.advance`.
        has_efforts : bool
            Whether the sample holds any.
        block : (k,) array or None
            All numbers of the cycle; None if none was run, or if it did not succeed.
        now : float
            On a steady clock (s).

        Returns
        -------
        Cycle or None
            As of `add`.

        Raises
        ------
        OutOfReachError, InputError
            As `compute`.
        """
        self.aligner.note_taken(oldest, has_efforts)
        if block is not None:
            return self._note_run(stamp, block)
        self._note(self.trigger, stamp, has_jumped=False, was_reset=False)
        return self.compute(now)

    def _note_run(self, stamp: int, block: Floats) -> Cycle:
        self.statistics.computed += 1
        self._last_stamp = stamp
        state = State(self.model.plan, block, self.compute_dynamics)
        return Cycle(stamp, state, self.aligner.efforts())

    def take_in(self, topic: str, sample: JointSample, arrival: float) -> None:
        """Take in a sample without computing; parameters as for `add`.

        Raises
        ------
        OutOfReachError
            If a joint value lies beyond the dead centre of its actuator's loop.
        """
        jumps, resets = self.aligner.counters.jumps_back, self.aligner.resets
        if self.aligner.add(topic, sample, arrival):
            has_jumped = self.aligner.counters.jumps_back > jumps
            was_reset = self.aligner.resets > resets
            self._note(topic, sample.stamp, has_jumped, was_reset=was_reset)

    def _note(self, topic: str, stamp: int, has_jumped: bool, *, was_reset: bool) -> None:
        """Note a sample that was taken in, and whether that was a jump back in time."""
        if has_jumped:
            self._last_stamp = None
            # lengths may be the last to follow a small jump: the joints wait for them
            if topic == self.trigger or was_reset:
                self._waiting = None
        if topic == self.trigger and (self._last_stamp is None or stamp > self._last_stamp):
            if self._waiting is None or stamp > self._waiting:
                self._waiting = stamp

    def compute(self, now: float) -> Cycle | None:
        """Compute the cycle at the newest joint sample, unless it has been computed before.

        Parameters
        ----------
        now : float
            On a steady clock (s).

        Returns
        -------
        Cycle or None
            None when there is nothing new, or when an input is missing or stale.

        Raises
        ------
        OutOfReachError
            If a loop cannot be closed.
        InputError
            If values are so large that the results are not finite; names the largest.
        """
        if self._waiting is None or self.aligner.missing(now):
            return None
        stamp, self._waiting = self._waiting, None
        aligned = self.aligner.at(stamp)
        try:
            state = self.model.compute(
                aligned.position,
                aligned.velocity,
                aligned.acceleration,
                dynamics=self.compute_dynamics,
            )
        except OutOfReachError:
            self.statistics.out_of_reach += 1
            raise
        except InputError:
            raise InputError(self._describe_largest(aligned)) from None
        self.statistics.computed += 1
        self._last_stamp = stamp
        return Cycle(stamp, state, self.aligner.efforts())

    def _describe_largest(self, aligned: Aligned) -> str:
        """Name what is to blame for results which are not finite, since the inputs are."""
        values = np.array((aligned.position, aligned.velocity, aligned.acceleration))
        row, i = np.unravel_index(np.argmax(np.abs(values)), values.shape)
        kind = ("position", "velocity", "acceleration")[row]
        return (
            f"{kind} {values[row, i]:.3g} of '{self.model.actuator_names[i]}': so large that "
            "results are not finite"
        )
