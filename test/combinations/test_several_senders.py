# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Commands of several senders to random robots: the newest one of each actuator, until it ends."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from bases import add_planar_base
from descriptions import SINGLE
from generator import OF_TREES, Plan, described, plans
from hypothesis import assume, given, note
from hypothesis import strategies as st
from situations import assert_close

from charmie_dynamics import OutOfReachError
from charmie_dynamics.control import ControlEffort
from charmie_dynamics.motions import Trajectory
from charmie_dynamics.simulation.session.base_drive import BaseDrive
from charmie_dynamics.simulation.session.base_pose import base_frame
from charmie_dynamics.simulation.session.commands import Commands
from charmie_dynamics.simulation.session.joint_targets import FOREVER
from charmie_dynamics.simulation.session.settings import SessionSettings

MILLISECOND = 1_000_000
TIMEOUT = 150 * MILLISECOND
TRACKED = 1e6  # N or N m, of the controller; the senders command less
HELD, BASE, PATH, EFFORT, TARGET = range(5)
MESSAGES = st.lists(
    st.tuples(
        st.sampled_from(["efforts", "some efforts", "targets", "targets", "velocity", "path"]),
        st.integers(1, 12),  # periods until the next one
        st.integers(0, 999),
    ),
    min_size=1,
    max_size=10,
)


class Command(NamedTuple):
    """What an actuator has to do: the kind, position, velocity and effort, start and end (ns)."""

    kind: int
    position: float = np.nan
    velocity: float = np.nan
    effort: float = 0.0
    start: int = 0
    end: int = FOREVER


class Recorder:
    """Notes the desired motion, and returns efforts that no sender commands."""

    def compute(self, q: Any, v: Any, q_d: Any, v_d: Any, a_d: Any) -> ControlEffort:
        self.position, self.velocity = q_d.copy(), v_d.copy()
        return ControlEffort(np.full(len(q), TRACKED), np.zeros(len(q), dtype=bool))


class Senders:
    """Sends commands, and knows what each actuator has to do."""

    def __init__(self, model: Any, position: np.ndarray, holds: bool) -> None:
        self.settings = SessionSettings(
            input_timeout=TIMEOUT * 1e-9, hold_joint_commands=holds, joint_stops=False
        )
        self.model, self.recorder, self.now = model, Recorder(), 0
        self.rng, self.names = np.random.default_rng(1), model.actuator_names
        limits = [(each.lower, each.upper) for each in model.actuator_limits()]
        self.limits = np.array(limits).T
        self.gains = self.rng.uniform(1.0, 2.0, (2, len(self.names)))
        self.commands = Commands(model, self.settings, self.recorder, lambda: tuple(self.gains))
        self.drive = BaseDrive.of(model, base_frame(model))
        self.base = [] if self.drive is None else self.drive.columns.tolist()
        self.position, self.velocity = position.copy(), 0.0 * position
        self.commands.begin(self.position, 0)
        self.told = [Command(HELD, p) for p in position.tolist()]
        self.speed, self.base_end, self.last = np.zeros(3), 0, 0

    def send(self, kind: str, seed: int) -> None:
        rng, count, now = np.random.default_rng(seed), len(self.names), self.now
        values = rng.uniform(-1.0, 1.0, (3, count))
        chosen = rng.random(count) < 0.5
        end = FOREVER if self.settings.hold_joint_commands else now + TIMEOUT
        if kind == "efforts":
            self.commands.take_efforts(values[2], now, self.position)
            self.told = [Command(EFFORT, effort=e, end=now + TIMEOUT) for e in values[2].tolist()]
        elif kind == "some efforts":
            assume(chosen.any() and not chosen.all())
            values[2, ~chosen] = np.nan
            self.commands.take_efforts(values[2], now, self.position)
            self.tell(np.full((2, count), np.nan), values[2], now + TIMEOUT)
        elif kind == "targets":
            values[:2, :] += [self.position, 0.0 * self.position]
            values[rng.random((3, count)) < 0.3] = np.nan
            values[:, ~chosen] = np.nan
            rows = rng.permutation(np.flatnonzero(chosen))
            assume(len(rows))
            names, (x, v, e) = [self.names[k] for k in rows], values[:, rows]
            self.commands.take_targets(names, (x, v, e), now, self.position)
            self.tell(values[:2], values[2], end)
        elif kind == "velocity" and self.base:
            twist = rng.uniform(-0.4, 0.4, 6)
            self.commands.take_velocity(twist, now, (self.position, self.velocity))
            if self.told[self.base[0]].kind != BASE:
                columns = self.drive.columns
                start = self.drive.jacobian(self.position[columns]) @ self.velocity[columns]
                self.speed, self.last = start, now
            self.base_end = now + TIMEOUT
            for k in self.base:
                self.told[k] = Command(BASE)
        elif kind == "path":
            rows = np.flatnonzero(chosen)
            assume(len(rows))
            names, target = [self.names[k] for k in rows], self.position[rows] + values[0, rows]
            path = Trajectory(names, np.array([0.1]), target[None])
            try:
                self.commands.take_trajectory(path, None, now, (self.position, self.velocity))
            except OutOfReachError:
                return
            is_base_moved = any(k in self.base for k in rows)
            for k, old in enumerate(self.told):
                if old.kind != BASE or is_base_moved:
                    self.told[k] = Command(HELD)
            for k, position in zip(rows.tolist(), target.tolist(), strict=True):
                self.told[k] = Command(PATH, position, start=now + 100 * MILLISECOND)

    def tell(self, parts: np.ndarray, effort: np.ndarray, end: int) -> None:
        """Replace the commands of the actuators that have a value."""
        given = ~np.isnan([*parts, effort]).all(axis=0)
        if not given.any():
            return
        for k, old in enumerate(self.told):
            is_base = old.kind == BASE and given[self.base].any()
            if given[k]:
                x, v = parts[:, k].tolist()
                self.told[k] = Command(TARGET, x, v, np.nan_to_num(effort[k]), self.now, end)
            elif old.kind == PATH or is_base:
                self.told[k] = Command(HELD)

    def advance(self, periods: int) -> None:
        for _ in range(periods):
            self.now += 20 * MILLISECOND
            walk = 0.01 * self.rng.normal(size=len(self.position))
            self.position = np.clip(self.position + walk, *self.limits)
            self.velocity = 0.1 * self.rng.normal(size=len(self.position))
            self.check()

    def check(self) -> None:
        now = self.now
        for k, each in enumerate(self.told):
            if each.end <= now:
                self.told[k] = Command(HELD, float(self.position[k]))
        found = self.commands.effort(now, self.position, self.velocity)
        assert found.until <= min(each.end for each in self.told) or found.until == now
        stiffness, damping, position, velocity = found.target or np.zeros((4, len(self.told)))
        for k, each in enumerate(self.told):
            if each.kind in (HELD, BASE, PATH):
                assert found.effort[k] == TRACKED and not stiffness[k] and not damping[k]
                if each.kind != BASE and now >= each.start and not np.isnan(each.position):
                    assert_close(self.recorder.position[k], each.position)
                    assert abs(self.recorder.velocity[k]) < 1e-12
                continue
            assert found.effort[k] == each.effort
            has_position, has_velocity = ~np.isnan([each.position, each.velocity])
            assert stiffness[k] == (self.gains[0, k] if has_position else 0.0)
            assert damping[k] == (self.gains[1, k] if has_position or has_velocity else 0.0)
            rate = float(np.nan_to_num(each.velocity))
            if has_position:
                moved = each.position + rate * (now - each.start) * 1e-9
                assert_close(position[k], np.clip(moved, *self.limits[:, k]))
            elif has_velocity:
                assert velocity[k] == rate
        if self.base and self.told[self.base[0]].kind == BASE:
            columns = self.drive.columns
            J = self.drive.jacobian(self.position[columns])
            speed, duration = J @ self.recorder.velocity[columns], (now - self.last) * 1e-9
            most = self.settings.base_acceleration * duration
            assert np.abs(speed - self.speed).max() < most * 1.001
            if now >= self.base_end:
                slower = np.maximum(np.abs(self.speed) - most, 0.0)
                assert (np.abs(speed) <= np.maximum(slower, np.abs(self.speed) + 1e-9)).all()
            self.speed, self.last = speed, now


@given(
    plan=plans(OF_TREES, kinds=SINGLE),
    has_base=st.booleans(),
    holds=st.booleans(),
    messages=MESSAGES,
)
def test_the_newest_command_of_each_actuator_applies_until_it_ends(
    plan: Plan, has_base: bool, holds: bool, messages: list[tuple[str, int, int]]
) -> None:
    robot = described(plan).copy()
    if has_base:
        add_planar_base(robot, np.random.default_rng([plan.seed, 7]))
    note(robot.report())
    model = robot.load()
    assume(model.actuator_names == model.position_names)
    senders = Senders(model, model.rest_position(), holds)
    if senders.drive is not None:
        assume(np.linalg.cond(senders.drive.jacobian(senders.position[senders.base])) < 8.0)
    for kind, periods, seed in messages:
        senders.send(kind, seed)
        senders.advance(periods)
    senders.advance(60)
    if senders.base and senders.told[senders.base[0]].kind == BASE:
        assert not senders.recorder.velocity[senders.base].any()
    ended = [each for each in senders.told if each.kind in (EFFORT, TARGET)]
    assert holds or not ended
