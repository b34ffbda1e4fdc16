# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Random goals of several groups: checked, waiting for their start, replaced, stopped."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from descriptions import SINGLE
from generator import OF_TREES, JointPlan, Plan, plans
from goal_clients import Client, Delayed
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from situations import assert_close, situation
from test_execution import PERIOD, SECOND, Run

from charmie_dynamics import Model
from charmie_dynamics.execution.goals import (
    BRAKING_TIME,
    Code,
    Defaults,
    Goal,
    tolerances_of,
    trajectory_goal,
)
from charmie_dynamics.motions import Trajectory
from charmie_dynamics.ros.controller.goal_runs import LONGEST_LEAD, GoalRuns

EVENTS = st.lists(
    st.tuples(
        st.sampled_from(["goal"] * 6 + ["foreign", "cancel", "stop", "stop all", "jump"]),
        st.integers(0, 1),  # group
        st.integers(-30, 120),  # start, in periods from now; below 0: in the past or immediately
        st.integers(1, 40),  # periods until the next event
        st.integers(0, 40),  # periods that a check lasts
        st.integers(0, 999),
    ),
    min_size=1,
    max_size=10,
)

# the last goal begins before the one that was sent before it
OVERTAKING = [("goal", 0, 0, 1, 0, 0)] * 6
OVERTAKING += [("goal", 0, 0, 6, 0, 2), ("goal", 0, 0, 1, 0, 0), ("goal", 0, 0, 1, 0, 0)]


class Sent(NamedTuple):
    """A goal that was sent at the `number` of an event (ns)."""

    client: Client
    group: str
    names: tuple[str, ...]
    target: np.ndarray
    sent: int
    start: int | None
    duration: int
    number: int


class Site(Run):
    """A robot that follows exactly, its goals and their clients."""

    def __init__(self, model: Model, position: np.ndarray, is_checked: bool) -> None:
        super().__init__(model, position, "pd")
        self.delay, self.is_checked = 0, is_checked
        self.checks = Delayed(lambda: self.now + self.delay * PERIOD)
        self.runs = GoalRuns(self.controller, lambda: "", checks=self.checks, is_checked=is_checked)
        self.open = list[Sent]()
        self.valid: dict[str, int] = {}  # event of the last valid goal of a group
        self.stopped: dict[str, int] = dict.fromkeys(self.groups, -1)
        self.moved = dict.fromkeys(self.groups, 0)
        self.count = self.jumps = 0

    def step(self, periods: int) -> None:
        for _ in range(periods):
            before = self.controller.desired(self.now)
            self.now += PERIOD
            self.checks.make(self.now)
            ahead = self.controller.desired(self.now)
            state = self.model.kinematics(ahead.position, ahead.velocity)
            self.runs.finish(self.controller.update(self.now, state))
            self.runs.advance(self.now)
            after = self.controller.desired(self.now)
            # what begins now begins where the group is; mean velocities lie near those at both ends
            assert_close(after.position, ahead.position, 0.02)
            step, dt = after.position - before.position, PERIOD / SECOND
            least, most = np.sort([before.velocity, after.velocity], axis=0)
            bend = dt * np.abs([before.acceleration, after.acceleration]).max(axis=0)
            assert (step >= dt * (least - 3.0 * bend) - 1e-3).all()
            assert (step <= dt * (most + 3.0 * bend) + 1e-3).all()
            self.judge()

    def judge(self) -> None:
        """Compare the goals that have ended with what happened to them."""
        for name, group in self.groups.items():
            if name in self.runs.clients:
                self.moved[name] = self.now
            elif self.now - self.moved[name] > BRAKING_TIME * SECOND + PERIOD:
                assert not self.controller.desired(self.now).velocity[list(group.columns)].any()
        for each in [each for each in self.open if each.client.outcome is not None]:
            self.open.remove(each)
            outcome = each.client.outcome
            assert outcome is not None and outcome.group == each.group
            if each.client.is_cancelled:
                assert each.client.is_cancel_requested
            elif outcome.code == Code.SUCCESSFUL:
                assert_close(self.here(each.names), each.target, 1e-8)
                begin = each.sent if each.start is None else max(each.start, each.sent)
                assert self.now >= (begin if each.start is None else each.start) + each.duration
                if each.start is not None:
                    assert self.now <= begin + each.duration + PERIOD
            elif outcome.code == Code.OLD_HEADER_TIMESTAMP:
                assert each.start is not None
                assert each.start + each.duration <= self.now + LONGEST_LEAD * SECOND
            else:
                assert outcome.code == Code.INVALID_GOAL
                newer = self.valid[each.group] > each.number
                ended = self.stopped[each.group] > each.number
                if "replaced" in outcome.text:
                    assert newer
                elif not ("stopped" in outcome.text and ended):
                    # reach and limits, or a begin that others changed too often
                    assert self.is_checked or self.model.mechanisms.linear_actuators or newer

    def goal_of(self, group: str, start: int, seed: int, is_foreign: bool) -> None:
        rng, own = np.random.default_rng(seed), self.groups[group]
        names = tuple(name for name in own.names if rng.random() < 0.7) or own.names[:1]
        if is_foreign:
            names = tuple(n for name, each in self.groups.items() if name != group
                          for n in each.names)  # fmt: skip
        count = int(rng.integers(1, 4))
        time = np.cumsum(rng.integers(5, 40, count)) * (PERIOD / SECOND)
        stamp = None if start in range(-10, 0) else self.now + start * PERIOD
        points = self.here(names) + 0.05 * rng.standard_normal((count, len(names))).cumsum(axis=0)

        def make() -> Goal:
            tolerances = tolerances_of(names, {}, {}, 0.0, Defaults())
            path = Trajectory(names, time, points)
            return trajectory_goal(own, self.model, path, stamp, tolerances)

        client, duration = Client(), round(time[-1] * SECOND)
        before = [*self.runs.waiting, *self.runs.clients]
        self.runs.accept(group, make, client, self.now)
        if is_foreign:
            assert client.code == Code.INVALID_JOINTS
            assert before == [*self.runs.waiting, *self.runs.clients]
            return
        if client.code != Code.OLD_HEADER_TIMESTAMP:
            self.valid[group] = self.count
        number = self.count
        sent = Sent(client, group, names, points[-1], self.now, stamp, duration, number)
        self.open.append(sent)

    def happen(self, kind: str, name: str, start: int, seed: int) -> None:
        self.count += 1
        if kind in ("goal", "foreign"):
            if kind == "goal" or len(self.groups) > 1:
                self.goal_of(name, start, seed, kind == "foreign")
        elif kind == "cancel":
            mine = [each for each in self.open if each.group == name]
            if mine:
                mine[seed % len(mine)].client.is_cancel_requested = True
        elif kind == "jump":
            position = self.controller.desired(self.now).position
            self.now += 2 * SECOND
            ended = self.controller.update(self.now, self.model.kinematics(position))
            assert self.controller.was_interrupted
            self.runs.end_waiting("stopped by a jump of time")
            self.runs.finish([end._replace(text="stopped by a jump of time") for end in ended])
            self.stopped = dict.fromkeys(self.groups, self.count)
            assert not self.runs.clients and not self.runs.waiting
            assert_close(self.controller.desired(self.now).position, position)
            self.moved = dict.fromkeys(self.groups, 0)
        else:
            for group in [name] if kind == "stop" else list(self.groups):
                self.runs.end_waiting("stopped", group)
                self.runs.finish(self.controller.stop_group(group, self.now))
                self.stopped[group], self.moved[group] = self.count, self.now
                assert group not in self.runs.clients
        self.judge()


@settings(max_examples=2 * settings.default.max_examples)
@given(plan=plans(OF_TREES, kinds=SINGLE), events=EVENTS, is_checked=st.booleans())
@example(Plan((JointPlan("revolute", 0, False),), (), 0), OVERTAKING, False)
def test_each_goal_ends_once_for_a_reason_at_its_time_and_place(
    plan: Plan, events: list[tuple[str, int, int, int, int, int]], is_checked: bool
) -> None:
    s = situation(plan)
    assume(s.model.actuator_names == s.model.position_names)
    site = Site(s.model, s.x, is_checked)
    goals = 0
    for kind, number, start, periods, delay, seed in events:
        name = f"group_{number}" if f"group_{number}" in site.groups else "group_0"
        site.delay = delay
        site.happen(kind, name, start, seed)
        goals += kind == "goal" or (kind == "foreign" and len(site.groups) > 1)
        site.step(periods)
    site.step(600)
    assert not site.open and not site.runs.clients and not site.runs.waiting
    assert sum(site.runs.ended.values()) == goals
