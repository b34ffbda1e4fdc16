# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Whatever publishers do with names, values and stamps, the inputs stay right: a state machine.

Three publishers, two of which share a joint, send samples of a common clock that each of them reads
a little differently. Hypothesis puts together what goes wrong: the clock leaps, messages are late,
come twice or hold no number, publishers fall silent.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)
from inputs import aligned

from charmie_dynamics import load_model
from charmie_dynamics.live.pipeline import Cycle, Pipeline
from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, JOINT_STATES, JointSample

MODEL = load_model()
NAMES = MODEL.actuator_names
LENGTHS = ("lift_actuator", "torso_actuator")
BASE = NAMES[:3]
SHARED = ("neck_pan_joint",)
ARMS = tuple(name for name in NAMES if "arm" in name or "gripper" in name)
# topic and names of each publisher
PUBLISHERS = (
    (JOINT_STATES, (*ARMS, *SHARED)),
    (JOINT_STATES, (*SHARED, "neck_tilt_joint", *BASE)),
    (ACTUATOR_LENGTHS, LENGTHS),
)
MS = 1_000_000
PERIOD = 10 * MS
TIMEOUT = 0.5  # s
START = 10_000_000 * MS

publishers = st.integers(0, len(PUBLISHERS) - 1)
leaps = st.one_of(
    st.integers(-600, 600), st.sampled_from([-100, -1000, -3_600_000, 1000, 3_600_000])
)


class InputMachine(RuleBasedStateMachine):
    """Samples into a pipeline, and what is known of them without its logic."""

    @initialize(offsets=st.tuples(*[st.integers(-20, 20)] * len(PUBLISHERS)))
    def start(self, offsets: tuple[int, ...]) -> None:
        self.offsets = [MS * offset for offset in offsets]
        self.pipeline = Pipeline(MODEL, input_timeout=TIMEOUT, compute_dynamics=False)
        self.clock = START  # of the publishers (ns)
        self.now = 0.0  # steady (s)
        self.number = 0  # of samples sent
        self.newest: dict[str, list[float]] = {name: [] for name in NAMES}
        self.newest_cycle: int | None = None
        self.jumps = 0  # back in time, at the newest cycle
        # by actuator: finite values sent, when (s) and with which stamp
        self.sent: dict[str, dict[float, tuple[float, int]]] = {name: {} for name in NAMES}

    def send(self, publisher: int, stamp: int, absent: tuple[str, ...] = ()) -> dict[str, float]:
        """Send a sample at rest, each with values of its own; return the finite ones."""
        topic, names = PUBLISHERS[publisher]
        self.number += 1
        value = 1e-6 * self.number
        values = {name: value + (0.4 if name in LENGTHS else 0.0) for name in names}
        values.update(dict.fromkeys(set(absent) & set(names), np.nan))
        finite = {name: v for name, v in values.items() if name not in absent}
        for name, v in finite.items():
            self.sent[name][v] = (self.now, stamp)
        position = np.array(list(values.values()))
        sample = JointSample(tuple(values), position, np.zeros(len(names)), stamp)
        cycle = self.pipeline.take(topic, sample, self.now)
        if cycle is not None:
            self.check_cycle(cycle)
        return finite

    def check_cycle(self, cycle: Cycle) -> None:
        """A cycle has the stamp of a joint sample, newer than the last one but after a jump."""
        joints = set(NAMES) - set(LENGTHS)
        stamps = {s for name in joints for _, s in self.sent[name].values()}
        assert cycle.stamp in stamps
        jumps = self.pipeline.estimator.counters.jumps_back
        assert jumps > self.jumps or self.newest_cycle is None or cycle.stamp > self.newest_cycle
        self.newest_cycle = cycle.stamp
        self.jumps = jumps
        assert not self.pipeline.missing(self.now)
        assert np.isfinite(cycle.state.position).all()

    def tick(self, steps: int = 1) -> None:
        self.clock += steps * PERIOD
        self.now += 1e-9 * steps * PERIOD

    @rule(publisher=publishers, absent=st.lists(st.sampled_from(NAMES), max_size=3))
    def sample(self, publisher: int, absent: list[str]) -> None:
        self.tick()
        self.send(publisher, self.clock + self.offsets[publisher], tuple(absent))

    @rule(publisher=publishers, late=st.integers(0, 80))
    def late_or_repeated_sample(self, publisher: int, late: int) -> None:
        self.send(publisher, self.clock + self.offsets[publisher] - MS * late)

    @rule(steps=st.integers(1, 80))
    def silence(self, steps: int) -> None:
        self.tick(steps)

    @rule(milliseconds=leaps)
    def leap_of_the_clock(self, milliseconds: int) -> None:
        """Two rounds later everything is there again, and nothing is of before."""
        self.clock += MS * milliseconds
        self.two_rounds()

    @rule(milliseconds=st.integers(600, 4_000_000))
    def leap_far_back(self, milliseconds: int) -> None:
        """Beyond the timeout a single round is enough."""
        self.two_rounds()
        self.clock -= MS * milliseconds
        self.round()
        self.check_round()

    @rule()
    def reset(self) -> None:
        """As when simulated time jumps back."""
        self.pipeline.estimator.reset()
        self.newest_cycle = None
        self.two_rounds()

    def round(self) -> None:
        """Let all publishers send once; all values are of this round then."""
        self.tick()
        for publisher, (_, names) in enumerate(PUBLISHERS):
            values = self.send(publisher, self.clock + self.offsets[publisher])
            for name in names:
                # of a shared one the newer stamp counts, maybe of the last round
                kept = self.newest[name][-3:] if name in SHARED else []
                self.newest[name] = [*kept, values[name]]

    def two_rounds(self) -> None:
        self.round()
        self.round()
        self.check_round()

    def check_round(self) -> None:
        assert self.pipeline.missing(self.now) == []
        for name, value in self.values().items():
            assert value in self.newest[name], name
        assert self.newest_cycle is not None
        joints = {
            self.clock + o
            for o, (t, _) in zip(self.offsets, PUBLISHERS, strict=True)
            if t == JOINT_STATES
        }
        assert self.newest_cycle in joints

    def values(self) -> dict[str, float]:
        position = aligned(self.pipeline, self.clock).position
        return dict(zip(NAMES, position.tolist(), strict=True))

    @invariant()
    def values_are_what_was_sent_and_come_to_rest(self) -> None:
        found = aligned(self.pipeline, self.clock)
        assert np.isfinite(found).all()
        assert self.pipeline.estimator.efforts() is None
        assert not found.velocity.any()
        assert not found.acceleration.any()
        for name, value in self.values().items():
            assert value == 0.0 or value in self.sent[name], name

    @invariant()
    def what_is_stale_is_missing_and_what_is_missing_is_named(self) -> None:
        missing = self.pipeline.missing(self.now)
        for name in NAMES:
            arrivals = [when for when, _ in self.sent[name].values()]
            fresh = bool(arrivals) and self.now - max(arrivals) <= TIMEOUT
            held = name in BASE and not arrivals
            assert fresh or held or name in missing, name

    @precondition(lambda self: self.number > 0)
    @rule()
    def nothing_is_missing_but_what_is_stale(self) -> None:
        self.two_rounds()
        for _ in range(int(TIMEOUT * 1e9 / PERIOD) - 1):
            self.tick()
            assert self.pipeline.missing(self.now) == []
        self.tick(3)
        assert self.pipeline.missing(self.now) == list(NAMES)


TestInputs: Any = InputMachine.TestCase
TestInputs.settings = settings(max_examples=60, stateful_step_count=25)
