# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Measured passive joints: they select the assembly of loops, and replace driven joints.

An angle sensor on the bucket of an excavator measures a joint that the loops move. If all driven
joints are measured as well, the measured angle is compared with the one at which the loops close,
and selects among several ways to assemble them. If some are not, their positions follow from the
measured passive joints by Newton's method, with the Jacobian of the closed loops.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from charmie_dynamics.core.arrays import REACHED
from charmie_dynamics.errors import CharmieError
from charmie_dynamics.live.wire.joint_states import Message
from charmie_dynamics.live.wire.samples import DistinctNames, JointSample
from charmie_dynamics.model.flat.loop_following import FollowedMotion
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats

from .entries import driven_coordinates, measured_joints, places_of_names
from .following import followed_motion, idle_joints

# a measured passive joint contradicts the closed loops if it differs from them by more than SLACK
# (rad or m) plus its motion in TIME_SLACK (s), the time between the two measurements
SLACK = 0.05
TIME_SLACK = 0.05
# Newton's method: iterations, longest step of a joint, halvings of a step, relative accuracy, and
# the least influence (rad/rad, rad/m) of a driven joint on a passive one, and that from which on it
# can be determined: nearer to a dead centre either direction is possible
ITERATIONS = 60
LONGEST_STEP = 0.2
HALVINGS = 12
ACCURACY = 1e-13
LEAST_INFLUENCE = 1e-6
DETERMINED = 0.02
REMEMBERED = 64


class MeasuredPassive:
    """Uses the measured passive joints of samples.

    Parameters
    ----------
    model : Model
        With loop joints.
    followed : sequence of FollowedMotion
        Those that lead the passive joints from cycle to cycle; they start again where the measured
        joints show another way to assemble the loops.
    """

    def __init__(self, model: Model, followed: Sequence[FollowedMotion]) -> None:
        own = followed_motion(model)
        assert own is not None
        self._model = model
        self._own = own
        self._followed = (own, *followed)
        self._block = np.empty(model.layout.size)
        self._entry = model.flat.freedoms.position_entry
        self._driven = driven_coordinates(model)
        self._given = measured_joints(model)
        joints = {name: i for i, name in enumerate(model.joint_names)}
        moved = own.is_passive & (model.flat.freedoms.floating_body < 0)
        idle = idle_joints(model)  # the loops do not determine these
        self._passive = {n: i for n, i in joints.items() if moved[i] and n not in idle}
        self._turns = {j.name for j in model.tree.joints if j.type in ("revolute", "continuous")}
        self._newest: dict[int, tuple[int, float, float]] = {}  # stamp, position, velocity
        self._lengths: set[int] = set()
        self._holds_passive: dict[tuple[str, ...], bool] = {}
        self._is_measured = False
        # newest samples before the first passive joint, by topic and names
        self._earlier: dict[tuple[str, tuple[str, ...]], Message | JointSample] = {}
        self._contradictions: dict[str, str] = {}
        self._undetermined: dict[str, tuple[str, list[int]]] = {}  # text, and driven joints

    def completed(self, topic: str, sample: Message | JointSample) -> Message | JointSample:
        """Return a sample with the driven joints that its passive joints determine.

        Samples of robots that do not measure passive joints are returned unchanged.
        """
        names = sample.names
        holds = self._holds_passive.get(names)
        if holds is None:
            if len(self._holds_passive) >= REMEMBERED:
                self._holds_passive.clear()
            holds = not self._passive.keys().isdisjoint(names)
            self._holds_passive[names] = holds
        if not (holds or self._is_measured):
            if len(self._earlier) >= REMEMBERED:
                self._earlier.clear()
            self._earlier[topic, names] = sample
            return sample
        self._is_measured = True
        for (of_topic, _), earlier in self._earlier.items():
            self._note(of_topic, earlier.values())
        self._earlier.clear()
        values = sample.values()
        speeds = self._note(topic, values)
        if not holds:
            return sample
        measured = [i for n, i in self._passive.items() if n in names and i in self._newest]
        unknown = [i for i in self._given if i not in self._newest]
        position = self._start()
        if unknown and measured:
            solved = self._solve(position, unknown, measured)
            if solved is None:
                self._note_undetermined(unknown, measured)
                return sample
            found, rates = solved
            self._compare(position, measured, speeds)
            return self._extended(values, found, position, rates)
        if measured:
            self._compare(position, measured, speeds)
        return sample

    def take_contradictions(self) -> dict[str, str]:
        """Return how measured passive joints contradict the closed loops, since the last call."""
        found, self._contradictions = self._contradictions, {}
        undetermined, self._undetermined = self._undetermined, {}
        for name, (text, unknown) in undetermined.items():
            # driven joints on another topic may have come later
            if not self._newest.keys() >= set(unknown):
                found.setdefault(name, text)
        return found

    def _note(self, topic: str, sample: JointSample) -> dict[int, float]:
        """Note the values of a sample; return the speeds at which the passive joints moved."""
        places = places_of_names(self._model, topic)
        speeds: dict[int, float] = {}
        for k, name in enumerate(sample.names):
            position = float(sample.position[k])
            velocity = math.nan if sample.velocity is None else float(sample.velocity[k])
            if not math.isfinite(position):
                continue
            if name in self._passive:
                i = self._passive[name]
                before = self._newest.get(i)
                if before is not None and sample.stamp > before[0]:
                    speeds[i] = abs(position - before[1]) / ((sample.stamp - before[0]) * 1e-9)
            elif name in places:
                i, is_length = places[name]
                if is_length:
                    self._lengths.add(i)
                elif i in self._lengths:
                    continue  # a length outranks a joint value
                elif i in self._driven:
                    joint = self._model.joint_names[i]
                    try:
                        position, velocity, _ = self._model.actuator_from_joint(
                            joint, position, velocity
                        )
                    except CharmieError:
                        continue
            else:
                continue
            self._newest[i] = sample.stamp, position, velocity
        return speeds

    def _start(self) -> Floats:
        """Return the newest positions (v,) of the driven joints, others where the search begins."""
        position = self._own.nearest[self._entry]
        for i in self._given:
            if i in self._newest:
                position[i] = self._newest[i][1]
        return position

    def _close(self, position: Floats, velocity: Floats) -> bool:
        """Close the loops for driven joints (v,); return whether that succeeded."""
        motion = position, velocity, np.zeros_like(position)
        return self._own.take(self._model.flat, motion, self._block) == REACHED

    def _errors(self, measured: list[int]) -> Floats:
        """Return measured less closed positions of passive joints; angles within half a turn."""
        closed = self._own.arrays.position[self._entry[measured]]
        return self._differences(measured, closed)

    def _differences(self, measured: list[int], closed: Floats) -> Floats:
        errors = np.array([self._newest[i][1] for i in measured]) - closed
        for k, i in enumerate(measured):
            if self._model.joint_names[i] in self._turns:
                errors[k] = math.remainder(errors[k], 2.0 * math.pi)
        return errors

    def _jacobian(self, position: Floats, unknown: list[int], measured: list[int]) -> Floats | None:
        """Return the rates of passive joints (k, m) by driven ones; None if loops do not close."""
        columns = []
        for i in unknown:
            velocity = np.zeros_like(position)
            velocity[i] = 1.0
            if not self._close(position, velocity):
                return None
            columns.append(self._own.arrays.velocity[measured])
        return np.array(columns).T

    def _solve(
        self, position: Floats, unknown: list[int], measured: list[int]
    ) -> tuple[list[int], Floats] | None:
        """Find the driven joints that passive ones determine; None if they do not.

        Parameters
        ----------
        position : (v,) array
            Of the driven joints; those that are found are written.
        unknown, measured : list of int
            Coordinates of driven joints without a measurement, and of measured passive joints.

        Returns
        -------
        found : list of int
            The m coordinates.
        rates : (m,) array
            NaN where not all velocities were measured.
        """
        J = self._jacobian(position, unknown, measured)
        if J is None:
            return None
        reach = np.abs(J).max(axis=0) > LEAST_INFLUENCE
        found = [i for i, has in zip(unknown, reach.tolist(), strict=True) if has]
        if not found:
            return None
        for _ in range(ITERATIONS):
            J = self._jacobian(position, found, measured)
            if J is None or np.linalg.matrix_rank(J, tol=DETERMINED) < len(found):
                return None
            step = np.linalg.lstsq(J, self._errors(measured), rcond=None)[0]
            longest = max(float(np.abs(step).max()), float(np.abs(J @ step).max()))
            step *= min(1.0, LONGEST_STEP / longest) if longest > 0.0 else 1.0
            before = position[found].copy()
            for _ in range(HALVINGS):
                position[found] = before + step
                if self._close(position, np.zeros_like(position)):
                    break
                step *= 0.5
            else:
                return None
            if float(np.abs(step).max()) <= ACCURACY * (1.0 + float(np.abs(before).max())):
                return found, self._rates(position, J, found, measured)
        return None

    def _note_undetermined(self, unknown: list[int], measured: list[int]) -> None:
        """Note that driven joints without a measurement do not follow from passive ones."""
        names = ", ".join(f"'{self._model.velocity_names[i]}'" for i in unknown)
        for i in measured:
            text = (
                f"passive joint measured at {self._newest[i][1]:.4g}: the loops do not close there "
                f"at a unique position of {names}, which are not measured; check its zero, or "
                "measure the driven joints"
            )
            self._undetermined[self._model.joint_names[i]] = text, unknown

    def _rates(self, position: Floats, J: Floats, found: list[int], measured: list[int]) -> Floats:
        velocity = np.zeros_like(position)
        known = [i for i in self._given if i in self._newest]
        velocity[known] = [self._newest[i][2] for i in known]
        target = np.array([self._newest[i][2] for i in measured])
        if not (np.isfinite(velocity).all() and np.isfinite(target).all()):
            return np.full(len(found), np.nan)
        if not self._close(position, velocity):
            return np.full(len(found), np.nan)
        left = target - self._own.arrays.velocity[measured]
        rates: Floats = np.linalg.lstsq(J, left, rcond=None)[0]
        return rates

    def _extended(
        self, sample: JointSample, found: list[int], position: Floats, rates: Floats
    ) -> JointSample:
        """Return a sample with the values of further driven joints or actuators."""
        names = list(sample.names)
        values = sample.position.tolist()
        speeds = [math.nan] * len(names) if sample.velocity is None else sample.velocity.tolist()
        for i, rate in zip(found, rates.tolist(), strict=True):
            name = self._model.velocity_names[i]
            if name in names:  # such as with an effort alone
                k = names.index(name)
                values[k], speeds[k] = float(position[i]), rate
            else:
                names.append(name)
                values.append(float(position[i]))
                speeds.append(rate)
        effort = sample.effort
        if effort is not None:
            effort = np.concatenate((effort, np.full(len(names) - len(effort), np.nan)))
        return JointSample(
            DistinctNames(names), np.array(values), np.array(speeds), sample.stamp, effort
        )

    def _compare(self, position: Floats, measured: list[int], speeds: dict[int, float]) -> None:
        """Compare measured passive joints with the closed loops, and assemble these as measured."""
        slack = np.array([SLACK + TIME_SLACK * speeds.get(i, 0.0) for i in measured])
        is_closed = self._close(position, np.zeros_like(position))
        errors = self._errors(measured)
        if is_closed and (np.abs(errors) <= slack).all():
            return
        start = self._own.nearest
        start[self._entry[list(self._given)]] = position[list(self._given)]
        start[self._entry[measured]] = [self._newest[i][1] for i in measured]
        try:
            closed = self._model.assemble(start).position
            other = self._differences(measured, closed[self._entry[measured]])
            if (np.abs(other) <= slack).all():
                joints = self._model.kinematics(closed).kinematics.joint_position
                for followed in self._followed:
                    followed.begin_at(closed, joints)
                return
        except CharmieError:
            pass
        for k in np.flatnonzero(np.abs(errors) > slack) if is_closed else ():
            i = measured[k]
            value = self._newest[i][1]
            self._contradictions[self._model.joint_names[i]] = (
                f"passive joint measured at {value:.4g}, the loops close at "
                f"{value - errors[k]:.4g}: check its zero and sign"
            )
