# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The equations of motion of CHARMIE, by this package and by Pinocchio.

``python -m benchmarks.equations`` prints their table alone.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice
from time import perf_counter
from typing import Any

import numpy as np

from charmie_dynamics import Model

from .candidates import Run
from .case import Array, Case, make_case
from .timing import CHECKED, TOLERANCE, Timing, time_in_rounds

FRAME = "left_tool"
SAMPLES = 8192  # of a batch
SINGLE, BATCH = 0.8, 0.3  # what is wanted of a call and of a sample, over Pinocchio's call
ROUNDS = 200


@dataclass(frozen=True)
class Subject:
    """A method of `Model` and its counterpart.

    Attributes
    ----------
    name : str
        Of the method.
    counterpart : str
        Functions of Pinocchio.
    inputs : int
        How many of position, velocity, and acceleration or effort it takes.
    result : callable
        From model and inputs to what is compared.
    wanted : bool
        Whether `SINGLE` and a limit of batches hold for it.
    batch : float
        What is wanted of a sample of a batch.
    """

    name: str
    counterpart: str
    inputs: int
    result: Callable[..., Array] = field(repr=False)
    wanted: bool = True
    batch: float = BATCH


@dataclass(frozen=True)
class Row:
    """What is timed: `run`, of which one call computes `cycles` samples."""

    run: Run
    cycles: int = 1


@dataclass(frozen=True)
class Cost:
    """Times of a method (s); None where one is not measured, for `reason`."""

    subject: Subject
    pinocchio: Timing | None
    tree: Timing | None
    batches: tuple[Timing | None, ...]  # of the tree, per sample, by numbers of cores
    loops: Timing | None
    loop_batch: Timing | None
    reason: str = ""


@dataclass(frozen=True)
class EquationCosts:
    """Times of all methods, and the numbers of cores of the batches."""

    costs: tuple[Cost, ...]
    cores: tuple[int, ...]
    missing: str = ""  # why there is no counterpart

    @property
    def complete(self) -> bool:
        """Whether each method was timed."""
        return all(cost.tree is not None for cost in self.costs)


def _terms(model: Model, q: Array, v: Array, _: Array) -> Array:
    terms = model.equations(q, v)
    return np.vstack([terms.mass_matrix, terms.coriolis_matrix @ v, terms.gravity_effort])


def _derivatives(model: Model, *state: Array) -> Array:
    found = model.derivatives(*state)
    parts = found.effort_by_position, found.effort_by_velocity, found.effort_by_acceleration
    return np.vstack(parts)


def _forward(model: Model, q: Array, v: Array, a: Array) -> Array:
    return model.forward(q, v, model.compute(q, v, a).actuator_effort).acceleration


SUBJECTS = (
    Subject("jacobian", "computeJointJacobians", 1, lambda m, q, *_: m.jacobian(q, FRAME)),
    Subject("equations", "crba + computeCoriolisMatrix + computeGeneralizedGravity", 2, _terms),
    Subject("derivatives", "computeRNEADerivatives", 3, _derivatives),
    Subject(
        "regressor",
        "computeJointTorqueRegressor",
        3,
        lambda m, *state: m.regressor(*state) @ m.inertial_parameters,
    ),
    Subject("forward", "aba", 3, _forward, batch=0.25),
)


def measure(
    rounds: int, subjects: Sequence[Subject] = SUBJECTS, states: int = 256
) -> EquationCosts:
    """Check that the methods agree with Pinocchio, then time all in the same rounds."""
    case = make_case("CHARMIE", states=states)
    try:
        counterpart: Pinocchio | None = Pinocchio(case)
    except ImportError as error:
        counterpart, missing = None, f"the Python module `{error.name}` cannot be imported"
    else:
        missing = ""
    available = len(os.sched_getaffinity(0))
    cores = (1, available) if available > 1 else (1,)
    reasons = {s.name: "" if counterpart is None else counterpart.refusal(s) for s in subjects}
    rows: dict[tuple[str, Any], Row] = {}
    for subject in subjects:
        if reasons[subject.name]:
            continue
        if counterpart is not None:
            rows[subject.name, "pinocchio"] = counterpart.row(subject)
        tree, whole = (case.tree, case.joints), (case.model, case.actuators)
        rows[subject.name, "tree"] = single(subject, *tree)
        rows[subject.name, "loops"] = single(subject, *whole)
        rows[subject.name, "loop_batch"] = batch(subject, *whole, 1)
        for count in cores:
            rows[subject.name, count] = batch(subject, *tree, count)
    timings = dict(zip(rows, time_in_rounds(list(rows.values()), rounds), strict=True))

    def cost(subject: Subject) -> Cost:
        def of(key: Any) -> Timing | None:
            return timings.get((subject.name, key))

        batches = tuple(of(count) for count in cores)
        return Cost(
            subject,
            of("pinocchio"),
            of("tree"),
            batches,
            of("loops"),
            of("loop_batch"),
            reasons[subject.name],
        )

    return EquationCosts(tuple(cost(subject) for subject in subjects), cores, missing)


def inputs_of(subject: Subject, model: Model, states: Array) -> list[tuple[Any, ...]]:
    """Return the arguments of a method for each of some states (3, N, q)."""
    position, velocity, last = states
    if subject.name == "forward":
        last = model.compute_batch(*states).actuator_effort
    parts = [np.ascontiguousarray(array) for array in (position, velocity, last)]
    rows = list(zip(*parts[: subject.inputs], strict=True))
    return [(*row, FRAME) for row in rows] if subject.name == "jacobian" else rows


def single(subject: Subject, model: Model, states: Array) -> Row:
    """Return the row of single calls, each with another state than the one before."""
    function = getattr(model, subject.name)
    endless = cycle(inputs_of(subject, model, states))

    def run(calls: int) -> float:
        chosen = list(islice(endless, calls))
        start = perf_counter()
        for arguments in chosen:
            function(*arguments)
        return perf_counter() - start

    return Row(run)


def batch(subject: Subject, model: Model, states: Array, cores: int) -> Row:
    """Return the row of a batch on a number of cores."""
    function = getattr(model, f"{subject.name}_batch")
    tiled = np.tile(states, (1, -(-SAMPLES // states.shape[1]), 1))[:, :SAMPLES]
    given = inputs_of(subject, model, tiled)
    arrays = [np.array(array) for array in list(zip(*given, strict=True))[: subject.inputs]]
    rest = given[0][subject.inputs :]
    endless = cycle([arrays, [array[::-1].copy() for array in arrays]])

    def run(calls: int) -> float:
        chosen = list(islice(endless, calls))
        start = perf_counter()
        for parts in chosen:
            function(*parts, *rest, workers=cores)
        return perf_counter() - start

    return Row(run, SAMPLES)


class Pinocchio:
    """The open tree of a case in Pinocchio, whose mimic joints are free."""

    def __init__(self, case: Case) -> None:
        import pinocchio as pin

        from validation.pinocchio_reference import Reference

        self._pin = pin
        self._case = case
        self._reference = Reference(case.tree.tree.urdf).with_fixed_root()
        self._model = self._reference.model
        self._model.gravity.linear = case.tree.flat.tree.gravity
        self._data = self._model.createData()
        states = case.joints.swapaxes(0, 1)
        found = [self._reference.arrays(case.tree.joint_names, state) for state in states]
        self._states = [arrays[:3] for arrays in found]
        self._fold = found[0][3]

    def row(self, subject: Subject) -> Row:
        """Return the row of its counterpart."""
        pin, model, data = self._pin, self._model, self._data
        states = self._states
        if subject.name == "forward":
            states = [(q, v, pin.rnea(model, data, q, v, a).copy()) for q, v, a in states]
        given = [(model, data, *state[: subject.inputs]) for state in states]
        endless = cycle(given)
        if subject.name == "equations":
            crba, coriolis = pin.crba, pin.computeCoriolisMatrix
            gravity = pin.computeGeneralizedGravity

            def run(calls: int) -> float:
                chosen = list(islice(endless, calls))
                start = perf_counter()
                for model, data, q, v in chosen:
                    crba(model, data, q)
                    coriolis(model, data, q, v)
                    gravity(model, data, q)
                return perf_counter() - start

            return Row(run)
        function = getattr(pin, subject.counterpart)

        def run_one(calls: int) -> float:
            chosen = list(islice(endless, calls))
            start = perf_counter()
            for arguments in chosen:
                function(*arguments)
            return perf_counter() - start

        return Row(run_one)

    def refusal(self, subject: Subject, states: int = CHECKED) -> str:
        """Return why a method is not timed: it does not compute the same."""
        largest = 0.0
        for k in range(min(states, len(self._states))):
            ours = subject.result(self._case.tree, *self._case.joints[:, k])
            theirs = getattr(self, f"_{subject.name}")(*self._states[k])
            scale = float(np.abs(theirs).max())
            largest = float(np.maximum(largest, np.abs(ours - theirs).max() / scale))
        if largest <= TOLERANCE:
            return ""
        return f"results differ by {largest:.1e}, expected at most {TOLERANCE:g}"

    def _jacobian(self, q: Array, *_: Array) -> Array:
        pin, model, data = self._pin, self._model, self._data
        frame = model.getFrameId(FRAME, pin.FrameType.BODY)
        jacobian = pin.computeFrameJacobian(model, data, q, frame, pin.LOCAL_WORLD_ALIGNED)
        return jacobian @ self._fold.T

    def _equations(self, q: Array, v: Array, _: Array) -> Array:
        pin, model, data, fold = self._pin, self._model, self._data, self._fold
        bias = pin.computeCoriolisMatrix(model, data, q, v) @ v
        gravity = pin.computeGeneralizedGravity(model, data, q)
        return np.vstack([self._mass_matrix(q), fold @ bias, fold @ gravity])

    def _mass_matrix(self, q: Array) -> Array:
        upper = np.triu(self._pin.crba(self._model, self._data, q))
        return self._fold @ (upper + np.triu(upper, 1).T) @ self._fold.T

    def _derivatives(self, q: Array, v: Array, a: Array) -> Array:
        fold = self._fold
        found = self._pin.computeRNEADerivatives(self._model, self._data, q, v, a)
        return np.vstack([*(fold @ part @ fold.T for part in found[:2]), self._mass_matrix(q)])

    def _regressor(self, q: Array, v: Array, a: Array) -> Array:
        regressor = self._pin.computeJointTorqueRegressor(self._model, self._data, q, v, a)
        bodies = list(self._model.inertias)[1:]
        return self._fold @ regressor @ np.hstack([body.toDynamicParameters() for body in bodies])

    def _forward(self, q: Array, v: Array, a: Array) -> Array:
        # of the joints with the mimics held to their leaders, which aba has not
        fold, model, data = self._fold, self._model, self._data
        effort = fold @ self._pin.rnea(model, data, q, v, a)
        bias = fold @ self._pin.nonLinearEffects(model, data, q, v)
        return np.linalg.solve(self._mass_matrix(q), effort - bias)


def main(arguments: list[str] | None = None) -> int:
    """Print the table; exit status 0 only if all was timed."""
    from .report import equations_table

    parser = argparse.ArgumentParser(prog="python -m benchmarks.equations")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"default {ROUNDS}")
    costs = measure(parser.parse_args(arguments).rounds)
    print(equations_table(costs))
    return 0 if costs.complete else 1


if __name__ == "__main__":
    sys.exit(main())
