"""From samples to computed cycles: when to compute, with what, and why not."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..model.errors import OutOfReachError
from ..model.model import Model
from ..model.state import State
from .align import ACTUATOR_LENGTHS, JOINT_STATES, Aligner
from .samples import JointSample


class Cycle(NamedTuple):
    """A computed state and the stamp (ns) of the sample that it was computed from."""

    stamp: int
    state: State


@dataclass
class CycleStatistics:
    """What the cycles cost and what kept them from being computed, since the last `take`."""

    computed: int = 0
    total_time: float = 0.0
    longest_time: float = 0.0
    out_of_reach: int = 0

    def note(self, seconds: float) -> None:
        """Count one computed cycle."""
        self.computed += 1
        self.total_time += seconds
        self.longest_time = max(self.longest_time, seconds)


@dataclass
class Pipeline:
    """Aligner and model in one: samples in, cycles out. Knows no ROS, reads no clock of its own.

    One cycle is computed for each joint sample that is newer than the last, at its stamp. A joint
    sample that came before the lengths it needs waits for them.

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
        aligner.add(JOINT_STATES, JointSample(model.joint_names, zero, None, 0), 0.0)
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

    def add(self, topic: str, sample: JointSample, arrival: float) -> Cycle | None:
        """Take in a sample and compute the cycle that it makes possible: `take_in`, `compute`.

        Parameters
        ----------
        topic : {"joint_states", "actuator_lengths"}
        sample : JointSample
        arrival : float
            Time of arrival on a steady clock (s).

        Returns
        -------
        Cycle or None
            None when the sample starts no cycle, or when an input is missing or stale.

        Raises
        ------
        OutOfReachError
            If a loop cannot be closed.
        """
        self.take_in(topic, sample, arrival)
        return self.compute(arrival)

    def take_in(self, topic: str, sample: JointSample, arrival: float) -> None:
        """Take in a sample without computing; parameters as for `add`.

        Raises
        ------
        OutOfReachError
            If a joint value lies beyond the dead centre of its actuator's loop.
        """
        jumps = self.aligner.counters.jumps_back
        if not self.aligner.add(topic, sample, arrival):
            return
        if self.aligner.counters.jumps_back > jumps:
            self._waiting = None
            self._last_stamp = None
        if topic == self.trigger and (self._last_stamp is None or sample.stamp > self._last_stamp):
            if self._waiting is None or sample.stamp > self._waiting:
                self._waiting = sample.stamp

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
        """
        if self._waiting is None or self.aligner.missing(now):
            return None
        stamp, self._waiting = self._waiting, None
        aligned = self.aligner.at(stamp)
        start = time.perf_counter()
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
        self.statistics.note(time.perf_counter() - start)
        self._last_stamp = stamp
        return Cycle(stamp, state)
