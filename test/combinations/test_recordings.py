# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Recordings of random robots with faults: no wrong number without a report."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
from descriptions import Description, arrays
from drawn_recordings import (
    OF_SAMPLES,
    OF_STAMPS,
    TABLE_START,
    Channels,
    Fault,
    Motion,
    RecordingPlan,
    channels,
    recording_plans,
    target_of,
    with_faults,
    with_rest_pose,
    write_bag,
    write_table,
)
from generator import LOOPS, OF_TREES, Plan, described, plans
from hypothesis import assume, given, note
from hypothesis.strategies import integers, sampled_from

from charmie_dynamics import Model, OutOfReachError
from charmie_dynamics.errors import LoopError
from charmie_dynamics.live.estimation.following import start_position
from charmie_dynamics.recordings import Analysis, AnalysisSettings, RecordedInputs, analyse
from charmie_dynamics.recordings.compute.analysis import NothingComputedError
from charmie_dynamics.recordings.read.columns import read_table_format
from charmie_dynamics.recordings.read.tabular import TabularRecording

# friction, and damped springs that become slack, make efforts jump
LEFT_OUT = ("friction", "joint friction", "damped spring")
SMOOTH = tuple(name for name in OF_TREES if name not in LEFT_OUT)
OF_TIME = ("came after newer ones", "repeat", "jumped back", "in the order of their times")
NOT_GIVEN = ("no fresh value", "could not be computed")
WORSE, MARGIN = (
    {"zero-phase": 4.0, "causal": 6.0},
    0.04,
)  # than without faults; share of the largest true value
# largest share without faults; the lag of causal estimates may exceed the efforts
LAG = {"zero-phase": 0.3, "causal": np.inf}


class Analysed(NamedTuple):
    """The analysis of a recording, None if nothing could be computed, and its reports."""

    analysis: Analysis | None
    reports: list[str]


def analysed(model: Model, found: Channels, plan: RecordingPlan) -> Analysed:
    settings = AnalysisSettings(smoothing=plan.smoothing)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "recording"
        if plan.is_table:
            write_table(path, found, plan)
            lengths = [each.name for each in model.mechanisms.linear_actuators]
            table = read_table_format(path.with_suffix(".yaml"))
            recording = TabularRecording(path, table, lengths)
        else:
            write_bag(path, found, plan)
            recording = RecordedInputs(path)
        try:
            analysis = analyse(model, recording, settings)
        except NothingComputedError as error:
            return Analysed(None, [str(error)])
        finally:
            if not plan.is_table:
                recording.bag.close()
        return Analysed(analysis, [*recording.diagnostics.lines(), *analysis.warnings])


Errors = dict[str, np.ndarray]


def errors(result: Analysed, found: Channels, motion: Motion, plan: RecordingPlan) -> Errors:
    """Return the errors (n, k) of each quantity; NaN if not given."""
    analysis = result.analysis
    if analysis is None:
        return {}
    cycles = analysis.cycles
    times: dict[int, float] = {}
    for each in found.values():
        keys = each.stamps - TABLE_START if plan.is_table else each.arrivals
        times.update(zip(keys[each.exists].tolist(), each.time[each.exists], strict=True))
    time = np.array([times[int(key)] for key in cycles.arrivals])
    rows = np.searchsorted(motion.time, time)
    known = cycles.settled[:, None]
    arrays = cycles.arrays
    result = {
        "actuator_effort": arrays["actuator_effort"] - motion.effort[rows],
        "joint_position": arrays["joint_position"] - motion.joint_position[rows],
        "measured": analysis.measured - motion.effort[rows],
    }
    if "external_effort" in arrays:
        result["external_effort"] = arrays["external_effort"]
    return {name: np.where(known, error, np.nan) for name, error in result.items()}


def largest(error: np.ndarray) -> np.ndarray:
    """Return the largest error (k,) of the values (n, k) that are given."""
    result: np.ndarray = np.nan_to_num(np.abs(error)).max(axis=0, initial=0.0)
    return result


def wrong(found: Errors, bounds: Errors) -> list[str]:
    """Return the quantities with an error above the bound (k,)."""
    result = []
    for name in found.keys() & bounds.keys():
        worst, bound = largest(found[name]), bounds[name]
        for k in np.flatnonzero(worst > bound):
            at = int(np.nan_to_num(np.abs(found[name][:, k])).argmax())
            size = len(found[name])
            text = f"error {worst[k]:.3g} at cycle {at} of {size}, bound {bound[k]:.3g}"
            result.append(f"{name} {k}: {text}")
    return result


def bounds(clean: Errors, motion: Motion, plan: RecordingPlan) -> Errors:
    """Return the bounds (k,) of the errors with faults, from those without."""
    efforts = np.abs(motion.effort).max(axis=0, initial=0.1)
    sizes = {name: efforts for name in clean}
    sizes["joint_position"] = np.abs(motion.joint_position).max(axis=0, initial=0.2)
    assert wrong(clean, {name: LAG[plan.smoothing] * size for name, size in sizes.items()}) == []
    usual = {name: largest(error) for name, error in clean.items()}
    if plan.smoothing == "causal" and "external_effort" in usual:
        # velocities are extrapolated to missing samples with the estimated acceleration
        usual["external_effort"] = np.maximum(usual["external_effort"], usual["actuator_effort"])
    return {name: WORSE[plan.smoothing] * usual[name] + MARGIN * sizes[name] for name in clean}


def is_reported(fault: Fault, plan: RecordingPlan, found: Channels, result: Analysed) -> bool:
    """Return whether reports name a fault that may falsify numbers."""
    if fault.kind in OF_SAMPLES or (fault.kind == "late_stamp" and not plan.is_table):
        return False  # these are left out
    if fault.kind in OF_STAMPS:
        return any(words in line for line in result.reports for words in OF_TIME)
    name = target_of(found, fault)
    assert result.analysis is not None
    if fault.kind == "effort_of_wrong_sign":
        own = [each for each in result.analysis.comparisons if each.name == name]
        # the motion does not determine it, or the lag hides it: the residual is twice the effort
        if any(
            np.isnan(each.gain) or (plan.smoothing == "causal" and each.residual > each.measured)
            for each in own
        ):
            return True
    names = {name}
    for each in result.analysis.model.mechanisms.linear_actuators:
        names |= {each.name, each.joint} if name in (each.name, each.joint) else set()
    return any(f"'{each}'" in line for line in result.reports for each in names)


def recorded(robot: Description, plan: RecordingPlan) -> tuple[Model, Channels, Motion]:
    """Return a robot that moves smoothly, its faultless samples and its true motion."""
    robot = with_rest_pose(robot)
    note(f"{plan}\n{robot.report()}")
    try:
        model = robot.load()
        found, motion = channels(model, robot, plan)
    except (OutOfReachError, LoopError):
        assume(False)
    assume(motion.values and motion.is_smooth)
    if model.mechanisms.loop_joints:
        # without passive joints, a rest pose may close on another assembly
        begin = start_position(model)
        assume(np.allclose(begin, arrays(robot, model)[0], atol=1e-6))
    return model, found, motion


def check(robot: Description, plan: RecordingPlan) -> None:
    model, found, motion = recorded(robot, plan)
    clean = analysed(model, found, plan)
    assume(clean.analysis is not None)  # the loops cannot be followed from the rest pose
    # reported: without passive joints, the loops may be followed on another assembly
    assume(not any("the actual one is unknown" in line for line in clean.reports))
    unknown = ["not known to the model, ignored: unknown_joint"] if plan.has_unknown else []
    # a cylinder's joint may come after its newer length, which has precedence
    expected = (*NOT_GIVEN, "came after newer ones") if plan.cylinders == "both" else NOT_GIVEN
    others = [line for line in clean.reports if not any(words in line for words in expected)]
    assert others == unknown, others
    usual = bounds(errors(clean, found, motion, plan), motion, plan)
    faults = plan.faults
    while faults:
        faulty = with_faults(found, plan, faults)
        result = analysed(model, faulty, plan)
        bad = wrong(errors(result, faulty, motion, plan), usual)
        if not bad:
            return
        silent = tuple(each for each in faults if not is_reported(each, plan, found, result))
        if silent == faults:
            note("\n".join([*map(str, faults), *result.reports]))
            raise AssertionError(f"not reported: {'; '.join(bad)}")
        faults = silent


@given(plan=plans(SMOOTH), recording=recording_plans())
def test_of_trees(plan: Plan, recording: RecordingPlan) -> None:
    check(described(plan), recording)


@given(plan=plans((*LOOPS, *SMOOTH)), loop=sampled_from(LOOPS), recording=recording_plans())
def test_of_closed_loops(plan: Plan, loop: str, recording: RecordingPlan) -> None:
    joints, features, seed = plan
    check(described(Plan(joints[:3], (loop, *features[:2]), seed)), recording)


@given(
    plan=plans(SMOOTH),
    recording=recording_plans(),
    kind=sampled_from(["zero_velocity", "velocity_in_degrees"]),
    target=integers(0, 9),
)
def test_wrong_velocities_of_small_motions_are_named(
    plan: Plan, recording: RecordingPlan, kind: str, target: int
) -> None:
    fault = Fault(kind, 0.5, 0.5, target)
    recording = recording._replace(has_velocity=True, faults=(fault,))
    model, found, _ = recorded(described(plan), recording)
    faulty, name = with_faults(found, recording, (fault,)), target_of(found, fault)
    # no such fault if the joint rests, and a length has precedence over its joint
    topic = next((topic for topic, each in found.items() if name in each.values), None)
    assume(topic is not None)
    right, wrong_ones = found[topic].values[name], faulty[topic].values[name]
    assume(not np.array_equal(wrong_ones, right, equal_nan=True))
    is_outranked = any(
        each.joint == name and recording.cylinders == "both"
        for each in model.mechanisms.linear_actuators
    )
    assume(not is_outranked)
    result = analysed(model, faulty, recording)
    assume(result.analysis is not None)
    note("\n".join(result.reports))
    assert is_reported(fault, recording, found, result)
