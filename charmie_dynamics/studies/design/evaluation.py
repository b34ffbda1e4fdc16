# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What becomes of a robot with the numbers of a candidate: its quantities and their derivatives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from charmie_dynamics.errors import CharmieError, InputError, ModelFileError, OutOfReachError
from charmie_dynamics.model.batch import BatchState
from charmie_dynamics.model.equations.number_paths import NumberPath, path_of, with_numbers
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats, Ints

from .quantities import Quantity
from .study_motion import StudyMotion, on_candidate
from .variables import DesignSpace

PINS = "linear_actuators"
STEP = 1e-3  # of the range of a variable, of differences
# sixth order: exact but for round-off for whatever is a polynomial of degree 6 in the variable
WEIGHTS = {1: 45.0 / 60.0, 2: -9.0 / 60.0, 3: 1.0 / 60.0}


class Evaluation(NamedTuple):
    """Quantities (m,) of a candidate, NaN where undefined, and why (empty: they are defined)."""

    values: Floats
    reason: str = ""


@dataclass(frozen=True, eq=False)
class Outcome:
    """A candidate during some motions, sample after sample.

    Attributes
    ----------
    model : Model
    motions : tuple of StudyMotion
        Of its actuators.
    states : tuple of BatchState
        One for each motion.
    properties : mapping of str to float
        Values of the variables, and of the columns of lists.
    """

    model: Model
    motions: tuple[StudyMotion, ...]
    states: tuple[BatchState, ...]
    properties: Mapping[str, float]

    def of(self, names: Sequence[str]) -> Outcome:
        """Return the part with some of the motions; all if none are named."""
        if not names:
            return self
        chosen = [k for k, motion in enumerate(self.motions) if motion.name in names]
        return replace(
            self,
            motions=tuple(self.motions[k] for k in chosen),
            states=tuple(self.states[k] for k in chosen),
        )

    @property
    def weight(self) -> Floats:
        """For how long (s) each sample stands (N,)."""
        return np.concatenate([motion.weight for motion in self.motions])

    def effort(self, actuator: str) -> Floats:
        """Return the effort of an actuator (N,)."""
        k = self.model.actuator_names.index(actuator)
        return np.concatenate([state.actuator_effort[:, k] for state in self.states])

    def velocity(self, actuator: str) -> Floats:
        """Return the velocity of an actuator (N,)."""
        k = self.model.actuator_names.index(actuator)
        return np.concatenate([motion.velocity[:, k] for motion in self.motions])

    def position(self, actuator: str) -> Floats:
        """Return the position of an actuator (N,)."""
        k = self.model.actuator_names.index(actuator)
        return np.concatenate([motion.position[:, k] for motion in self.motions])

    def of_springs(self, what: str, spring: str) -> Floats:
        """Return ``spring_length`` or ``spring_tension`` of a spring (N,)."""
        return np.concatenate([getattr(state, what)[spring] for state in self.states])


class Evaluator:
    """Evaluates candidates of a design space.

    Parameters
    ----------
    base : Model
        The robot as its files describe it.
    space : DesignSpace
    motions : sequence of StudyMotion
        Of the actuators of `base`.
    quantities : sequence of Quantity

    Raises
    ------
    UnknownNameError
        For a path, actuator, spring, motion or property that is not there; with the valid ones.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.studies.design.evaluation import Evaluator
    >>> from charmie_dynamics.studies.design.quantities import Quantity
    >>> from charmie_dynamics.studies.design.study_motion import named_motion
    >>> from charmie_dynamics.studies.design.variables import DesignSpace, Variable
    >>> model = load_model()
    >>> stiffness = Variable("k", {"springs.torso_spring.stiffness": 1.0}, 1000.0, 9000.0)
    >>> evaluator = Evaluator(
    ...     model, DesignSpace((stiffness,)), [named_motion(model, "wave")],
    ...     [Quantity("torso", "peak", "torso_actuator")],
    ... )
    >>> soft, stiff = (evaluator.evaluate([k]).values[0] for k in (1000.0, 4200.0))
    >>> bool(stiff < soft)
    True
    """

    def __init__(
        self,
        base: Model,
        space: DesignSpace,
        motions: Sequence[StudyMotion],
        quantities: Sequence[Quantity],
    ) -> None:
        self.base, self.space = base, space
        self.motions, self.quantities = tuple(motions), tuple(quantities)
        described = base.tree, base.mechanisms
        self._paths: dict[str, NumberPath] = {
            path: path_of(*described, path)
            for variable in space.variables
            for path in variable.factors
        }
        names = {motion.name for motion in self.motions}
        for quantity in self.quantities:
            quantity.require_subject(base.actuator_names, base.spring_names)
            unknown = set(quantity.motions) - names
            if unknown or not self.motions:
                raise InputError(
                    f"'{quantity.name}': expected motions of the study, {', '.join(sorted(names))}"
                    f"; got {', '.join(sorted(unknown)) or 'none'}"
                )
            quantity.numbers(space.properties(space.bounds[:, 0]))

    @property
    def moves_pins(self) -> bool:
        """Whether candidates may have the pins of linear actuators elsewhere."""
        return any(path.section == PINS and path.place is not None for path in self._paths.values())

    @property
    def continuous_paths(self) -> list[str]:
        """Paths of the numbers that follow variables without steps."""
        return [p for v in self.space.variables if not v.is_discrete for p in v.factors]

    def model(self, candidate: Sequence[float] | Floats) -> Model:
        """Return the robot of a candidate.

        Raises
        ------
        ModelFileError
            If there can be no such robot.
        """
        numbers = self.space.numbers(np.asarray(candidate, dtype=np.float64))
        values = {self._paths[path]: value for path, value in numbers.items()}
        tree, mechanisms = with_numbers(self.base.tree, self.base.mechanisms, values)
        return Model(tree, mechanisms, "candidate")

    def evaluate(self, candidate: Sequence[float] | Floats) -> Evaluation:
        """Return the quantities of a candidate."""
        try:
            outcome = self.outcome(candidate)
            values = [q.value(q.signal(part), part) for q, part in self.parts(outcome)]
        except (ModelFileError, OutOfReachError) as error:
            undefined = np.full(len(self.quantities), np.nan)
            return Evaluation(undefined, self._reason(candidate, error))
        return Evaluation(np.array(values))

    def outcome(self, candidate: Sequence[float] | Floats) -> Outcome:
        """Return what a candidate does in the motions.

        Raises
        ------
        ModelFileError, OutOfReachError
            If there can be no such robot, or it cannot make the motions.
        """
        given = np.asarray(candidate, dtype=np.float64)
        model = self.model(given)
        motions = self.motions
        if self.moves_pins:
            motions = tuple(on_candidate(model, self.base, motion) for motion in motions)
        states = tuple(
            model.compute_batch(m.position, m.velocity, m.acceleration, workers=1) for m in motions
        )
        return Outcome(model, motions, states, self.space.properties(given))

    def at(self, candidate: Sequence[float] | Floats) -> Linearisation:
        """Return the quantities of a candidate with their derivatives."""
        return Linearisation(self, np.asarray(candidate, dtype=np.float64))

    def parts(self, outcome: Outcome) -> list[tuple[Quantity, Outcome]]:
        """Return each quantity with the part of an outcome that counts for it."""
        return [(quantity, outcome.of(quantity.motions)) for quantity in self.quantities]

    def _reason(self, candidate: Sequence[float] | Floats, error: CharmieError) -> str:
        """Return why a candidate has no quantities; which limit, and how often."""
        if isinstance(error, ModelFileError):
            return str(error)
        model = self.model(candidate)
        failed: Counter[str] = Counter()
        total = sum(len(motion) for motion in self.motions)
        for motion in self.motions:
            for n in range(len(motion)):
                try:
                    row = _part(motion, np.array([n]))
                    if self.moves_pins:
                        row = on_candidate(model, self.base, row)
                    model.compute(row.position[0], dynamics=False)
                except OutOfReachError as fault:
                    failed[fault.name] += 1
        told = ", ".join(f"{name} in {count}" for name, count in failed.most_common())
        return f"out of reach: {told} of {total} samples; {error}"


class Linearisation:
    """Signals of a candidate, and how they change with its variables.

    Parameters
    ----------
    evaluator : Evaluator
    candidate : (n,) array

    Raises
    ------
    ModelFileError, OutOfReachError
        As `Evaluator.outcome`.
    """

    def __init__(self, evaluator: Evaluator, candidate: Floats) -> None:
        self._evaluator, self._candidate = evaluator, candidate
        self._outcome = evaluator.outcome(candidate)
        self._found: dict[int, dict[str, Floats]] = {}

    @cached_property
    def signals(self) -> dict[str, Floats]:
        """Signal (N,) of each quantity."""
        return {q.name: q.signal(part) for q, part in self._evaluator.parts(self._outcome)}

    def part(self, quantity: Quantity) -> Outcome:
        """Return the samples that count for a quantity."""
        return self._outcome.of(quantity.motions)

    def slopes(self, quantity: Quantity, samples: Ints) -> Floats:
        """Return the derivatives (k, n) of a signal at some samples by the variables.

        Those of efforts are exact, others come from differences of sixth order. Variables with
        steps have none.
        """
        variables = self._evaluator.space.variables
        result = np.zeros((len(samples), len(variables)))
        exact = self._exact(quantity)
        by_number = self._effort_slopes(quantity, samples) if exact else None
        for k, variable in enumerate(variables):
            if variable.is_discrete:
                continue
            if by_number is None:
                result[:, k] = self._differences(k)[quantity.name][samples]
            else:
                for path, factor in variable.factors.items():
                    result[:, k] += factor * by_number[path]
        return result

    def _exact(self, quantity: Quantity) -> bool:
        """Tell whether the model has derivatives of a signal by all numbers that vary."""
        evaluator, model = self._evaluator, self._outcome.model
        return (
            quantity.kind in EFFORT_KINDS
            and not evaluator.moves_pins
            and not model.mechanisms.loop_joints
            and all(path in self._numbers for path in evaluator.continuous_paths)
        )

    @cached_property
    def _numbers(self) -> dict[str, float]:
        return self._outcome.model.numbers

    def _effort_slopes(self, quantity: Quantity, samples: Ints) -> dict[str, Floats]:
        """Return the derivatives (k,) of an effort at samples by numbers of the files."""
        model, names = self._outcome.model, self._evaluator.continuous_paths
        own = model.actuator_names.index(quantity.subject)
        part = self.part(quantity)
        given = (
            np.concatenate([getattr(motion, what) for motion in part.motions])[samples]
            for what in ("position", "velocity", "acceleration")
        )
        found = model.derivatives_batch(*given, numbers=names, workers=1).effort_by_number[:, own]
        return {name: found[:, k] for k, name in enumerate(names)}

    def _differences(self, k: int) -> dict[str, Floats]:
        """Return the derivatives (N,) of the signals of all quantities by a variable."""
        if k not in self._found:
            evaluator = self._evaluator
            variable = evaluator.space.variables[k]
            step = STEP * (variable.upper - variable.lower)
            total = {quantity.name: np.zeros(1) for quantity in evaluator.quantities}
            for times, weight in WEIGHTS.items():
                for sign in (1.0, -1.0):
                    moved = self._candidate.copy()
                    moved[k] += sign * times * step
                    outcome = evaluator.outcome(moved)
                    for quantity, part in evaluator.parts(outcome):
                        change = sign * weight / step * quantity.signal(part)
                        total[quantity.name] = total[quantity.name] + change
            self._found[k] = total
        return self._found[k]


EFFORT_KINDS = ("peak", "rms", "energy", "size", "share_of_rated")


def _part(motion: StudyMotion, rows: Ints) -> StudyMotion:
    arrays = (motion.time, motion.position, motion.velocity, motion.acceleration)
    return StudyMotion(motion.name, *(array[rows] for array in arrays))
