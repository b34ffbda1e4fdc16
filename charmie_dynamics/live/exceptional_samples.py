# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Treatment of exceptional samples: one function for each code of an outcome."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, NoReturn

import numpy as np

from charmie_dynamics.core.arrays import OVERFLOW
from charmie_dynamics.errors import CharmieError, InputError, OutOfReachError
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.state import State
from charmie_dynamics.numerics.vectors import Floats

from .estimation.estimator import Estimator
from .estimation.following import refusal_of_loops
from .step import BEYOND_DEAD_CENTRE, FAILED, LATE, Outcome, Step
from .wire.joint_states import Message
from .wire.samples import JointSample


class Case(NamedTuple):
    """A sample with an exceptional outcome, and its context.

    Attributes
    ----------
    outcome : Outcome
    step : Step
        That took the sample.
    estimator : Estimator
    model : Model
    sample : Message or JointSample
    arrival, now : float
        As given to `Step.take` (s).
    run : bool
        As given there.
    """

    outcome: Outcome
    step: Step
    estimator: Estimator
    model: Model
    sample: Message | JointSample
    arrival: float
    now: float
    run: bool


def take_late(case: Case) -> Outcome:
    """Take a late sample again without its late entries, or after a jump back of time."""
    step, sample = case.step, case.sample
    drop = case.estimator.note_late(
        step.entries_of(sample), sample.stamp, case.outcome.detail, is_trigger=step.triggers(sample)
    )
    return step.take(sample, case.arrival, case.now, run=case.run, drop_late=drop)


def refuse_dead_centre(case: Case) -> NoReturn:
    """Raise for a joint value that no length of its linear actuator reaches.

    Raises
    ------
    OutOfReachError
        Naming the actuator, the value and the reach.
    """
    entry = case.step.entries_of(case.sample)[case.outcome.detail]
    joint = case.model.mechanisms.linear_actuators[entry["actuator"]].joint
    case.model.actuator_from_joint(joint, float(entry["position"]))
    raise CharmieError(f"joint '{joint}': beyond a dead centre of its linear actuator")


def report_failed(case: Case) -> NoReturn:
    """Raise for a cycle that could not be computed.

    Raises
    ------
    OutOfReachError, LoopError
        If a loop cannot be closed.
    InputError
        If values are so large that the results are not finite; names the largest.
    """
    followed = case.step.followed
    inputs: tuple[Floats, ...]
    if followed is None:
        state = State(case.model.layout, case.outcome.block, False)
        inputs = state.position, state.velocity, state.acceleration
    else:
        fault = refusal_of_loops(case.model, followed)
        if fault is not None:
            raise fault
        inputs = followed.arrays.position, followed.arrays.velocity, followed.arrays.acceleration
    # the motion of a tracked point may overflow when all else is finite
    is_too_large = case.outcome.detail == OVERFLOW
    try:
        case.model.compute(*inputs)
    except OutOfReachError:
        raise
    except InputError:
        is_too_large = True
    if is_too_large:
        row = int(np.argmax([abs(values).max(initial=0.0) for values in inputs]))
        i = int(np.argmax(abs(inputs[row])))
        kind = ("position", "velocity", "acceleration")[row]
        names = case.model.velocity_names if row else case.model.position_names
        raise InputError(
            f"{kind} {inputs[row][i]:.3g} of '{names[i]}': so large that results are not finite"
        )
    raise CharmieError(f"cycle at {case.sample.stamp} ns failed, but its repetition succeeded")


TREATMENTS: dict[int, Callable[[Case], Outcome]] = {
    LATE: take_late,
    BEYOND_DEAD_CENTRE: refuse_dead_centre,
    FAILED: report_failed,
}
