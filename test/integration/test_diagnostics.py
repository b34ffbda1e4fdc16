# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What /diagnostics says: levels, texts and what a monitor needs to show them."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from graph import Checker
from node_process import Process
from robot_inputs import LENGTHS, Inputs, pose
from small_robots import HOLLOW_LINK, HOLLOW_URDF

from charmie_dynamics import Model
from charmie_dynamics.live.monitors import CycleMonitor, InputMonitor
from charmie_dynamics.live.pipeline import CycleStatistics, Pipeline
from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, JOINT_STATES, JointSample
from charmie_dynamics.model.description.mechanisms import MechanismSet
from charmie_dynamics.model.description.urdf import parse_urdf
from charmie_dynamics.ros.outputs.diagnostics import (
    cycle_status,
    estimator_status,
    input_status,
    load_status,
    model_status,
    unjudged,
)

OK, WARN, ERROR = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR
MS = 10**6


def values_of(status: DiagnosticStatus) -> dict[str, str]:
    return {item.key: item.value for item in status.values}


@pytest.fixture
def pipeline(model: Model) -> Pipeline:
    """One that has got a sample of everything at time 0."""
    pipeline = Pipeline(model)
    add(pipeline, pose(0), 0.0)
    return pipeline


def add(pipeline: Pipeline, values: dict[str, float], arrival: float, *, run: bool = False) -> None:
    for topic in (ACTUATOR_LENGTHS, JOINT_STATES):
        part = {n: x for n, x in values.items() if (n in LENGTHS) == (topic == ACTUATOR_LENGTHS)}
        names, position = tuple(part), np.array(list(part.values()))
        sample = JointSample(names, position, None, round(1e9 * arrival))
        pipeline.take(topic, sample, arrival, run=run)


def report(pipeline: Pipeline, monitor: InputMonitor, now: float) -> DiagnosticStatus:
    found = pipeline.take_contradictions()
    return input_status("inputs", {"t": monitor}, pipeline.estimator, pipeline.model, now, found)


def test_rate_is_that_of_all_messages_and_age_that_of_the_last_usable(pipeline: Pipeline) -> None:
    monitor = InputMonitor(received=50, last_arrival=0.1)
    monitor.close_interval(0.5)
    values = values_of(report(pipeline, monitor, 0.3))
    assert (values["t rate (Hz)"], values["t age (s)"]) == ("100.0", "0.200")
    assert values["oldest value in use (s)"] == "0.300"


def test_refused_messages_are_a_warning_for_one_report(pipeline: Pipeline) -> None:
    monitor = InputMonitor()
    for cause in ("no names", "no names", "repeated name"):
        monitor.reject(cause)
    monitor.close_interval(1.0)
    status = report(pipeline, monitor, 0.1)
    assert status.level == WARN
    assert status.message == "t refused: 3 messages (no names, repeated name)"
    monitor.close_interval(1.0)
    status = report(pipeline, monitor, 0.1)
    assert (status.level, status.message) == (OK, "all inputs fresh")
    assert values_of(status)["t rejected: no names"] == "2"


def test_missing_inputs_are_an_error_that_says_what_else_is_wrong(pipeline: Pipeline) -> None:
    add(pipeline, {**pose(0), "neck_pan_joint": math.nan}, 0.4)
    status = report(pipeline, InputMonitor(), 0.6)
    assert status.level == ERROR
    assert status.message == "missing or stale: neck_pan_joint; no finite position: neck_pan_joint"


def test_values_that_have_not_come_yet_are_no_error_at_the_start(model: Model) -> None:
    pipeline, monitor = Pipeline(model), {"t": InputMonitor()}
    expected = {True: (OK, "waiting for "), False: (ERROR, "missing or stale: ")}
    for is_waiting, (level, text) in expected.items():
        status = input_status("inputs", monitor, pipeline.estimator, model, 0.0, {}, is_waiting)
        assert (status.level, status.message[: len(text)]) == (level, text)


def test_a_robot_that_nothing_bears_is_a_warning_that_says_how_high_it_is(model: Model) -> None:
    pipeline, monitor = Pipeline(model), {"t": InputMonitor()}
    add(pipeline, pose(0), 0.0)
    status = input_status(
        *("inputs", monitor, pipeline.estimator, model, 0.1, {}),
        unborne="the lowest, 'foot', is 0.0500 m above the floor",
    )
    text = "no contact bears a force: the lowest, 'foot', is 0.0500 m above the floor"
    assert (status.level, status.message) == (WARN, text)


def estimates(pipeline: Pipeline) -> DiagnosticStatus:
    estimator = pipeline.estimator
    return estimator_status("estimator", estimator.take_settling(), estimator.settling_times)


def moved(pipeline: Pipeline, first: int, last: int, *absent: str) -> None:
    """Compute cycles of a robot at rest, 10 ms apart."""
    for k in range(first, last):
        values = {name: x for name, x in pose(0).items() if name not in absent}
        add(pipeline, values, 0.01 * k, run=True)


def test_the_estimator_says_for_how_long_it_settles_and_since_when(model: Model) -> None:
    pipeline = Pipeline(model)
    assert (estimates(pipeline).level, estimates(pipeline).message) == (
        OK,
        "nothing to estimate yet",
    )
    moved(pipeline, 100, 106)
    status = estimates(pipeline)
    assert status.level == WARN
    assert status.message.startswith(
        "settling for another 0.110 s, since stamp 1.000: base_x_joint"
    )
    values = values_of(status)
    assert values["settling for another (s)"] == "0.110"
    assert values["settling time on positions (s)"] == "0.160"
    assert values["settling time on velocities (s)"] == "0.134"
    moved(pipeline, 106, 130)
    status = estimates(pipeline)
    assert (status.level, status.message) == (OK, "settled, youngest since stamp 1.000")
    assert values_of(status)["settling"] == values_of(status)["started anew"] == "none"


def test_an_estimate_that_began_anew_is_named_for_one_report(model: Model) -> None:
    """Also where it has settled since, which takes less time than from report to report."""
    pipeline = Pipeline(model)
    moved(pipeline, 100, 130)
    estimates(pipeline)
    moved(pipeline, 130, 170, "neck_pan_joint")
    moved(pipeline, 190, 220)
    status = estimates(pipeline)
    assert (status.level, status.message) == (WARN, "restarted recently: neck_pan_joint")
    assert values_of(status)["neck_pan_joint started anew"] == "1 times"
    assert estimates(pipeline).level == OK


def test_nothing_is_judged_while_estimates_settle(model: Model) -> None:
    acceleration = np.full(len(model.actuator_names), 1e4)
    position = [pose(0)[name] for name in model.actuator_names]
    state = model.compute(position, None, acceleration)
    assert load_status("loads", model, state, {}).level == WARN
    status = unjudged(load_status("loads", model, state, {}))
    assert (status.level, status.message) == (OK, "not judged while the estimates settle")
    assert set(values_of(status)) == {f"{name} (% of rated)" for name in model.actuator_names}


def test_cycle_times_are_those_since_the_last_report() -> None:
    monitor = CycleMonitor()
    for k, seconds in enumerate((0.001, 0.003)):
        monitor.note(10 * MS * k, seconds)
    values = values_of(cycle_status("cycle", monitor.close_interval(0.1), CycleStatistics(7), 0))
    assert (values["cycles"], values["rate (Hz)"]) == ("7", "20.0")
    assert values["mean cycle time (us)"] == "2000.0"
    assert values["longest cycle time (us)"] == "3000.0"
    monitor.note(30 * MS, 0.002)
    assert monitor.close_interval(0.1).longest_time == 0.002


def test_overruns_are_cycles_longer_than_the_time_to_the_next_sample() -> None:
    monitor = CycleMonitor()
    for stamp, seconds in ((0, 0.009), (10, 0.011), (20, 0.015), (40, 0.015), (50, 0.001)):
        monitor.note(stamp * MS, seconds)
    found = monitor.close_interval(1.0)
    assert (found.cycles, found.overruns) == (5, 2)
    status = cycle_status("cycle", found, CycleStatistics(5), 0)
    assert (status.level, values_of(status)["overruns"]) == (WARN, "2")


def test_a_jump_back_in_time_is_no_overrun() -> None:
    monitor = CycleMonitor()
    for stamp in (10**10, 0, 10**9):
        monitor.note(stamp, 0.001)
    assert monitor.close_interval(1.0).overruns == 0


def test_rare_overruns_are_no_warning() -> None:
    monitor = CycleMonitor()
    for k in range(100):
        monitor.note(10 * MS * k, 0.02 if k == 50 else 0.001)
    status = cycle_status("cycle", monitor.close_interval(1.0), CycleStatistics(100), 0)
    assert (status.level, values_of(status)["overruns"]) == (OK, "1")


def test_a_fault_is_an_error_while_it_lasts_and_then_a_warning_once() -> None:
    monitor, levels = CycleMonitor(), []
    monitor.note(0, 0.001)
    monitor.fail("'x' is out of reach")
    for repaired in (False, True, True):
        if repaired:
            monitor.fail("'x' is out of reach") if len(levels) == 1 else None
            monitor.note(10 * MS * (1 + len(levels)), 0.001)
        status = cycle_status("cycle", monitor.close_interval(1.0), CycleStatistics(), 0)
        levels.append(status.level)
        assert ("'x' is out of reach" in status.message) == (status.level != OK)
    assert levels == [ERROR, WARN, OK]


def test_overload_is_told_as_share_of_the_rated_effort(model: Model) -> None:
    state = model.compute([pose(0)[name] for name in model.actuator_names])
    status = load_status("loads", model, state, {})
    limits = dict(zip(model.actuator_names, model.actuator_limits(), strict=True))
    efforts = dict(zip(model.actuator_names, state.actuator_effort, strict=True))
    assert set(values_of(status)) == {f"{name} (% of rated)" for name in model.actuator_names}
    for name in ("lift_actuator", "left_arm_joint_2", "neck_tilt_joint"):
        share = 100.0 * abs(efforts[name]) / limits[name].effort
        assert float(values_of(status)[f"{name} (% of rated)"]) == pytest.approx(share, abs=0.051)
    assert (status.level, status.message) == (OK, "no overload")


def test_overload_is_a_warning_that_names_the_actuator(model: Model) -> None:
    acceleration = np.zeros(len(model.actuator_names))
    acceleration[model.actuator_names.index("neck_pan_joint")] = 1e4
    position = [pose(0)[name] for name in model.actuator_names]
    status = load_status("loads", model, model.compute(position, None, acceleration), {})
    assert status.level == WARN
    assert status.message.startswith("overload: ") and "neck_pan_joint" in status.message
    assert float(values_of(status)["neck_pan_joint (% of rated)"]) > 100.0


def test_the_model_is_named_and_whether_its_inertials_are_estimates(model: Model) -> None:
    status = model_status("model", model)
    assert status.message == f"{model.name}, inertials estimated"
    measured = dataclasses.replace(model.mechanisms, sources={"inertials": "measured"})
    assert "inertials measured" in model_status("model", Model(model.tree, measured)).message
    bare = Model(model.tree, MechanismSet())
    assert "inertials of unknown source" in model_status("model", bare).message


def test_what_cannot_be_right_in_the_model_is_a_warning_that_names_it() -> None:
    tree = parse_urdf(HOLLOW_URDF, "hollow.urdf")
    status = model_status("model", Model(tree, MechanismSet()))
    assert status.level == WARN
    assert status.message.endswith(f"cannot be right: link '{HOLLOW_LINK}'")
    assert "triangle inequality" in values_of(status)[f"link '{HOLLOW_LINK}'"]


NODE_PARAMETERS = {"publish_markers": False}


def require_readable(array: Any) -> None:
    """Hold a message against what diagnostic_aggregator and rqt_robot_monitor show."""
    assert array.header.stamp.sec > 0
    names = [status.name for status in array.status]
    assert len(set(names)) == len(names)
    for status in array.status:
        assert status.name.startswith("/charmie_dynamics: ")
        assert status.level in (OK, WARN, ERROR)
        assert status.hardware_id == "charmie"
        keys = [item.key for item in status.values]
        assert len(set(keys)) == len(keys)
        texts = [status.message, *keys, *(item.value for item in status.values)]
        assert all(text and text.isprintable() and len(text) < 2000 for text in texts)


def test_diagnostics_are_readable_whatever_comes_in(checker: Checker, node: Process) -> None:
    """Nothing, good samples, and names made to break a line or a window."""
    checker.wait_for(lambda: checker.received["/diagnostics"], "diagnostics without input")
    inputs = Inputs(checker)
    inputs.cycle(pose(), topics=("actuator_efforts",))
    odd = {"a\nb": 0.0, "": 0.0, "x" * 5000: 0.0, "\u5173\u8282\x07": 0.0, **pose()}
    odd.update({f"{k}" + "y" * 300: 0.0 for k in range(100)})
    checker.wait_for_status(
        ": inputs",
        lambda _, values: "ignored names" in values,
        "ignored names",
        doing=lambda: inputs.send(odd),
        rate=20.0,
    )
    for array in checker.received["/diagnostics"]:
        require_readable(array)
    assert max(map(len, node.output().splitlines())) < 500


def test_each_part_is_reported_once_a_second(checker: Checker) -> None:
    checker.forget()
    checker.wait_for(lambda: len(checker.received["/diagnostics"]) >= 3, "three reports")
    parts = {
        status.name.partition(": ")[2] for status in checker.received["/diagnostics"][1].status
    }
    assert parts >= {"inputs", "estimator", "cycle", "loads", "stability", "model"}


def test_the_number_of_received_messages_is_told(checker: Checker) -> None:
    """What a recording of them is held against."""

    key = "joint_states received"
    told = checker.wait_for_status(": inputs", lambda _, values: key in values, "a number")
    before = int(values_of(told)[key])
    Inputs(checker).cycle(pose(), topics=("actuator_efforts",))
    checker.wait_for_status(
        ": inputs", lambda _, values: int(values[key]) > before, "another message"
    )
