# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The equations of motion of CHARMIE, by this package and by Pinocchio."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from charmie_dynamics import Model
from validation.harness.tables import at_most, table
from validation.harness.timing import Calls, Timing, calls_of, time_calls

from .case import Array, Case, make_case
from .cycles import microseconds

FRAME = "left_tool"
SAMPLES = 8192  # of a batch
SINGLE = 0.8  # what is wanted of a call, over Pinocchio's


class Subject(NamedTuple):
    """A method of `Model` and its counterpart.

    Attributes
    ----------
    name : str
        Of the method.
    counterpart : tuple of str
        Functions of Pinocchio.
    inputs : int
        How many of position, velocity, and acceleration or effort it takes.
    batch : float
        What is wanted of a sample of a batch, over Pinocchio's call.
    """

    name: str
    counterpart: tuple[str, ...]
    inputs: int
    batch: float = 0.3


SUBJECTS = (
    Subject("jacobian", ("computeJointJacobians",), 1),
    Subject("equations", ("crba", "computeCoriolisMatrix", "computeGeneralizedGravity"), 2),
    Subject("derivatives", ("computeRNEADerivatives",), 3),
    Subject("regressor", ("computeJointTorqueRegressor",), 3),
    Subject("forward", ("aba",), 3, 0.25),
)


def measure(rounds: int, subjects: Sequence[Subject] = SUBJECTS) -> tuple[str, list[str]]:
    """Time all in the same rounds; return the table, and what differs from Pinocchio."""
    case = make_case("CHARMIE")
    available = len(os.sched_getaffinity(0))
    cores = (1, available) if available > 1 else (1,)
    rows: dict[tuple[str, Any], Calls] = {}
    tree, whole = (case.tree, case.joints), (case.model, case.actuators)
    try:
        rows, faults = _pinocchio(case, subjects)
        missing = ""
    except ImportError as error:
        faults, missing = [], f"the Python module `{error.name}` cannot be imported"
    for subject in subjects:
        rows[subject.name, "tree"] = _single(subject, *tree)
        rows[subject.name, "loops"] = _single(subject, *whole)
        rows[subject.name, "loop_batch"] = _batch(subject, *whole, 1)
        for count in cores:
            rows[subject.name, count] = _batch(subject, *tree, count)
    regressor = case.tree.regressor(*case.joints[:, 0])
    rows["regressor", "memory"] = calls_of(_clear_new_memory, [((SAMPLES, regressor.size),)])
    once = {("regressor", "memory"), *(key for key in rows if key[1] == "loop_batch")}
    once.update(key for key in rows if isinstance(key[1], int))
    batches = dict.fromkeys(once, SAMPLES)
    timings = time_calls(rows, rounds, batches)

    def cells(subject: Subject) -> list[str]:
        def of(key: Any) -> Timing | None:
            return timings.get((subject.name, key))

        base = of("pinocchio")
        found = [f"`{subject.name}`", " + ".join(f"`{name}`" for name in subject.counterpart)]
        found.append(_median(base))
        for key, limit in (("tree", SINGLE), *((count, subject.batch) for count in cores)):
            own = of(key)
            ratio = at_most(own.median / base.median, limit) if own and base else "-"
            found += [_median(own), ratio]
        return [*found, _median(of("loops")), _median(of("loop_batch"))]

    many = [f"{count} core{'s' if count > 1 else ''}" for count in cores]
    heads = [
        *("method", "Pinocchio", ">Pinocchio (us)", ">open tree (us)", ">times Pinocchio"),
        *(cell for one in many for cell in (f">batch, {one} (us a sample)", ">times Pinocchio")),
        *(">with loops and springs (us)", ">their batch, 1 core (us a sample)"),
    ]
    text = table(heads, [cells(subject) for subject in subjects])
    memory, size = timings["regressor", "memory"], round(8e-3 * regressor.size)
    new = f"New memory for a regressor of a batch, {size} kB, takes {_median(memory)} us of this."
    text += f"\n\n{new}"
    return text + (f"\n\nPinocchio is not measured: {missing}." if missing else ""), faults


def _clear_new_memory(shape: tuple[int, int]) -> None:
    np.empty(shape).fill(0.0)


def _median(timing: Timing | None) -> str:
    return "-" if timing is None else microseconds(timing.median)


def _inputs_of(subject: Subject, model: Model, states: Array) -> list[tuple[Any, ...]]:
    """Return the arguments of a method for each of some states (3, N, q)."""
    position, velocity, last = states
    if subject.name == "forward":
        last = model.compute(*states).actuator_effort
    parts = [np.ascontiguousarray(array) for array in (position, velocity, last)]
    rows = list(zip(*parts[: subject.inputs], strict=True))
    return [(*row, FRAME) for row in rows] if subject.name == "jacobian" else rows


def _single(subject: Subject, model: Model, states: Array) -> Calls:
    return calls_of(getattr(model, subject.name), _inputs_of(subject, model, states))


def _batch(subject: Subject, model: Model, states: Array, cores: int) -> Calls:
    tiled = np.tile(states, (1, -(-SAMPLES // states.shape[1]), 1))[:, :SAMPLES]
    given = _inputs_of(subject, model, tiled)
    arrays = [np.array(array) for array in list(zip(*given, strict=True))[: subject.inputs]]
    rest = given[0][subject.inputs :]
    backwards = [array[::-1].copy() for array in arrays]
    function = partial(getattr(model, subject.name), workers=cores)
    return calls_of(function, [(*arrays, *rest), (*backwards, *rest)])


def _pinocchio(
    case: Case, subjects: Sequence[Subject]
) -> tuple[dict[tuple[str, Any], Calls], list[str]]:
    """Return the rows of the open tree in Pinocchio, whose mimic joints are free.

    That both compute the same is checked first, as the tests check it.
    """
    import pinocchio as pin

    from validation.pinocchio_equations import (
        FORWARD_TOLERANCE,
        TOLERANCE,
        compare_equations,
        compare_forward,
    )
    from validation.pinocchio_reference import Reference

    reference = Reference(case.tree.tree.urdf)
    apart = {
        **compare_equations(case.tree, reference).beyond(TOLERANCE),
        **compare_forward(case.tree, reference).beyond(FORWARD_TOLERANCE),
    }
    fixed = reference.with_fixed_root()
    model, data = fixed.model, fixed.data
    model.gravity.linear = case.tree.flat.tree.gravity
    states = [fixed.arrays(case.tree.joint_names, s)[:3] for s in case.joints.swapaxes(0, 1)]
    rows: dict[tuple[str, Any], Calls] = {}
    for subject in subjects:
        chosen = states
        if subject.name == "forward":
            chosen = [(q, v, pin.rnea(model, data, q, v, a).copy()) for q, v, a in states]
        given = [(model, data, *state[: subject.inputs]) for state in chosen]
        if len(subject.counterpart) == 1:
            rows[subject.name, "pinocchio"] = calls_of(getattr(pin, subject.counterpart[0]), given)
        else:
            rows[subject.name, "pinocchio"] = calls_of(_terms, [(pin, *each) for each in given])
    return rows, [f"{name} differs by {value:.1e}" for name, value in apart.items()]


def _terms(pin: Any, model: Any, data: Any, q: Array, v: Array) -> None:
    pin.crba(model, data, q)
    pin.computeCoriolisMatrix(model, data, q, v)
    pin.computeGeneralizedGravity(model, data, q)
