# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Cycles one by one, with the pipeline of the node and the same results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import numpy as np

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.live.measured import Comparison
from charmie_dynamics.live.pipeline import Cycle, Pipeline
from charmie_dynamics.live.topics import IMU
from charmie_dynamics.live.wire.base_messages import read_imu, read_odometry
from charmie_dynamics.live.wire.joint_states import Message
from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, JOINT_STATES, JointSample
from charmie_dynamics.live.wire.stamps import SECONDS
from charmie_dynamics.model.contact_forces import ContactLoads
from charmie_dynamics.model.description.world.robot_contacts import RobotContacts
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.recordings.read.ordering import in_order
from charmie_dynamics.recordings.read.received import NO_LOADS, BaseMessage, ReceivedSample

from .comparisons import attempt, measured_efforts, with_comparisons
from .contact_loads import contact_arrays
from .cycles import AnalysisSettings, CycleCounts, Cycles, StateSelection

PART = 2048  # cycles that are yielded together


def causal_cycles(
    model: Model,
    received: Iterable[ReceivedSample],
    settings: AnalysisSettings,
    selection: StateSelection,
    counts: CycleCounts,
) -> Iterator[Cycles]:
    """Yield the cycles that the node computes from these samples.

    Joints wait for their lengths as in the node. The arrival time in the node is the time of
    recording here. A node that is too slow skips samples; here each sample has its cycle.
    """
    pipeline = Pipeline(
        model,
        input_timeout=settings.timeout,
        acceleration_cutoff=settings.cutoff,
        estimate_acceleration=settings.estimate_acceleration,
        require_base_joints=settings.require_base_joints,
        compute_dynamics=settings.dynamics,
        contacts=None if settings.contacts is None else settings.contacts.contacts,
    )
    pipeline.track(selection.points)
    efforts = measured_efforts(model, settings)
    reported: set[str] = set()
    layouts: set[tuple[str, ...]] = set()
    held = _held(model, settings, reported)
    part = _Part(selection, pipeline.contacts)
    start: int | None = None
    known = NO_LOADS
    for topic, sample, arrival, loads, base in in_order(received, pipeline.order):
        start = arrival if start is None else start
        now = (arrival - start) * SECONDS
        for message in base:
            _take_base(pipeline, message, start, settings.frame_prefix, counts)
        if loads is not known:
            known = loads
            pipeline.carry(model.with_loads(*known))
            efforts.carry(pipeline.model)
        counts.samples[topic] += 1
        if settings.hold and sample.names not in layouts:
            layouts.add(sample.names)
            reported.update(sample.names)
            held = _held(model, settings, reported)
        is_trigger = pipeline.triggers(topic, sample)
        counts.triggers += is_trigger
        cycle = _cycle(pipeline, held if is_trigger else (), topic, sample, now, counts)
        if cycle is not None:
            efforts.carry(pipeline.model)  # gravity may have changed
            part.add(cycle, arrival, attempt(partial(efforts.update, cycle), counts))
        elif is_trigger:
            counts.missing.update(pipeline.missing(now))
        if part.count == PART:
            _note_values(pipeline, counts)
            yield part.taken()
            counts.computed += PART
    _note_values(pipeline, counts)
    if part.count:
        counts.computed += part.count
        yield part.taken()
    counters = pipeline.estimator.counters
    counts.unknown = pipeline.estimator.unknown_names
    counts.jumps_back = counters.jumps_back
    counts.late = counters.late


def _take_base(
    pipeline: Pipeline, message: BaseMessage, start: int, prefix: str, counts: CycleCounts
) -> None:
    arrival, data = message.arrival, message.raw.data
    others = (arrival - start) * SECONDS, arrival, prefix
    try:
        if message.topic == IMU.name:
            pipeline.base.take_imu(read_imu(data), *others)
        else:
            pipeline.base.take_odometry(read_odometry(data), *others)
    except CharmieError as error:
        count, text = counts.base.get(message.topic, (0, str(error)))
        counts.base[message.topic] = count + 1, text


def _note_values(pipeline: Pipeline, counts: CycleCounts) -> None:
    """Count positions outside the limits and contradictory values."""
    findings = pipeline.estimator.take_findings()
    for name, count in findings.outside.items():
        before, _ = counts.outside.get(name, (0, ""))
        counts.outside[name] = before + count, findings.outside_values[name]
    counts.contradictions.update(pipeline.take_contradictions())


class _Part:
    """Cycles that are not yielded yet, at most `PART`."""

    def __init__(self, selection: StateSelection, contacts: RobotContacts | None) -> None:
        self._selection, self._contacts = selection, contacts
        self._rows = np.empty((PART, len(selection.columns)))
        self._begin()

    def _begin(self) -> None:
        self._stamps: list[int] = []
        self._arrivals: list[int] = []
        self._comparisons: list[Comparison | None] = []
        self._loads: list[ContactLoads | None] = []

    @property
    def count(self) -> int:
        return len(self._stamps)

    def add(self, cycle: Cycle, arrival: int, comparison: Comparison | None) -> None:
        self._rows[self.count] = cycle.state.block[self._selection.columns]
        self._stamps.append(cycle.stamp)
        self._arrivals.append(arrival)
        self._comparisons.append(comparison)
        self._loads.append(cycle.contacts)

    def taken(self) -> Cycles:
        """Return the cycles, and start an empty part."""
        rows = self._rows[: self.count].copy()
        cycles = self._selection.of_rows(self._stamps, self._arrivals, rows)
        cycles = with_comparisons(cycles, self._comparisons)
        if self._contacts is not None:
            cycles = cycles._replace(arrays={**cycles.arrays, **self._contact_arrays()})
        self._begin()
        return cycles

    def _contact_arrays(self) -> dict[str, Floats]:
        """Return the contacts of the cycles; NaN without odometry."""
        first = next((loads for loads in self._loads if loads is not None), None)
        if first is None or self._contacts is None:
            return {}
        unknown = ContactLoads(*(np.full_like(array, np.nan) for array in first))
        rows = [unknown if loads is None else loads for loads in self._loads]
        stacked = ContactLoads(*(np.array(arrays) for arrays in zip(*rows, strict=True)))
        return contact_arrays(self._contacts, stacked)


def _cycle(
    pipeline: Pipeline,
    held: Iterable[tuple[str, JointSample]],
    topic: str,
    sample: Message | JointSample,
    now: float,
    counts: CycleCounts,
) -> Cycle | None:
    try:
        for held_topic, values in held:
            pipeline.take(held_topic, values._replace(stamp=sample.stamp), now, run=False)
        return pipeline.take(topic, sample, now)
    except CharmieError as error:
        counts.note_unreachable(error)
    return None


def _held(
    model: Model, settings: AnalysisSettings, reported: set[str]
) -> list[tuple[str, JointSample]]:
    """Return samples of held positions, to process before each sample that starts a cycle."""
    driven = {a.name: a.joint for a in model.mechanisms.linear_actuators}
    hold = [name for name in settings.hold if not reported & {name, driven.get(name, name)}]
    result = []
    for topic, is_length in ((ACTUATOR_LENGTHS, True), (JOINT_STATES, False)):
        names = tuple(name for name in hold if (name in driven) == is_length)
        if names:
            position = np.array([settings.hold[name] for name in names])
            result.append((topic, JointSample(names, position, np.zeros(len(names)), 0)))
    return result
