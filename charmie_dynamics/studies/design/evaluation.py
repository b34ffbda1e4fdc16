# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Evaluation of a candidate: its quantities and their derivatives."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from charmie_dynamics.errors import (
    CharmieError,
    InputError,
    LoopError,
    ModelFileError,
    OutOfReachError,
    SimulationError,
)
from charmie_dynamics.model.description.mechanisms import MechanismSet
from charmie_dynamics.model.description.robot import RobotTree
from charmie_dynamics.model.equations.number_paths import (
    NumberPath,
    numbers_by_path,
    path_of,
    with_numbers,
)
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats, Ints

from .candidate_checks import require_allowed
from .outcome import StudyOutcome
from .quantities import KINDS, StudyQuantity
from .study_motion import StudyMotion, beyond_limits, on_candidate
from .variables import DesignSpace
from .world_motion import WorldMotion

# sections about the geometry between actuators and joints: pins, loops, origins of joints
MOVING = ("linear_actuators", "loop_joints", "joints")
# errors of a candidate that is invalid, or cannot perform the motions
UNDEFINED = (ModelFileError, OutOfReachError, LoopError, SimulationError)
LOOKED_AT = 500  # samples of an impossible motion that are checked for the reason
STEP = 1e-3  # of the range of a variable, for differences
MARGIN = 1e-6  # m between the length limits of a candidate and its reach
LENGTH_LIMITS = "length_limits"
AT_ONCE = 4096  # samples per computation of exact derivatives: about ten kB each
# sixth order: exact up to round-off for a polynomial of degree 6 in the variable
CENTRAL = {-3: -1 / 60, -2: 9 / 60, -1: -45 / 60, 1: 45 / 60, 2: -9 / 60, 3: 1 / 60}
FORWARD = {0: -147 / 60, 1: 6.0, 2: -7.5, 3: 20 / 3, 4: -3.75, 5: 1.2, 6: -1 / 6}
STENCILS = (CENTRAL, FORWARD, {-times: -weight for times, weight in FORWARD.items()})


class Evaluation(NamedTuple):
    """Quantities (m,) of a candidate, NaN if undefined, and the reason (empty if defined)."""

    values: Floats
    reason: str = ""


class Evaluator:
    """Evaluates candidates of a design space.

    Parameters
    ----------
    base : Model
        The robot as its files describe it.
    space : DesignSpace
    motions : sequence of StudyMotion
        Of the actuators of `base`.
    quantities : sequence of StudyQuantity
    worlds : sequence of WorldMotion, optional
        Motions that are simulated for each candidate.

    Raises
    ------
    UnknownNameError
        For an unknown path, actuator, spring, motion or property; lists the valid ones.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.studies.design.evaluation import Evaluator
    >>> from charmie_dynamics.studies.design.quantities import StudyQuantity
    >>> from charmie_dynamics.studies import make_study_motion
    >>> from charmie_dynamics.studies import DesignSpace, Variable
    >>> model = load_model()
    >>> stiffness = Variable("k", {"springs.torso_spring.stiffness": 1.0}, 1000.0, 9000.0)
    >>> evaluator = Evaluator(
    ...     model, DesignSpace((stiffness,)), [make_study_motion("wave", model)],
    ...     [StudyQuantity("torso", "peak", "torso_actuator")],
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
        quantities: Sequence[StudyQuantity],
        worlds: Sequence[WorldMotion] = (),
    ) -> None:
        self.base, self.space = base, space
        self.motions, self.quantities = tuple(motions), tuple(quantities)
        self.worlds = tuple(worlds)
        described = base.tree, base.mechanisms
        self._paths: dict[str, NumberPath] = {
            path: path_of(*described, path)
            for variable in space.variables
            for path in variable.factors
        }
        self._described = numbers_by_path(*described)
        self._doubtful = {w.name for w in base.warnings if w.element == "link"}
        names = {m.name for m in self.motions} | {m.name for m in self.worlds}
        for quantity in self.quantities:
            quantity.require_robot(base)
            unknown = set(quantity.motions) - names
            if unknown or not names:
                raise InputError(
                    f"'{quantity.name}': expected motions of the study, {', '.join(sorted(names))}"
                    f"; got {', '.join(sorted(unknown)) or 'none'}"
                )
            quantity.numbers(space.properties(space.bounds[:, 0]))

    @property
    def described(self) -> Floats:
        """The variables (n,) of the described robot, which the bounds may exclude.

        NaN for a list without the described part.
        """
        return np.array([v.described(self._described) for v in self.space.variables])

    @property
    def moves_pins(self) -> bool:
        """Return whether actuators of a candidate may move differently for the same joints."""
        return any(
            path.section in MOVING and path.place is not None for path in self._paths.values()
        )

    @property
    def continuous_paths(self) -> list[str]:
        """Paths of the numbers of variables without steps."""
        return [p for v in self.space.variables if not v.is_discrete for p in v.factors]

    def model(self, candidate: Sequence[float] | Floats) -> Model:
        """Return the robot of a candidate.

        Length limits are narrowed to the reach of a linear actuator if its pins have moved.

        Raises
        ------
        ModelFileError
            If the robot is impossible, or its files would be invalid.
        """
        numbers = self.space.numbers(np.asarray(candidate, dtype=np.float64))
        values = {self._paths[path]: value for path, value in numbers.items()}
        tree, mechanisms = with_numbers(self.base.tree, self.base.mechanisms, values)
        require_allowed(tree, mechanisms, values, self._doubtful)
        try:
            return Model(tree, mechanisms, "candidate")
        except ModelFileError:
            narrowed = self._within_reach(tree, mechanisms)
            if narrowed is None:
                raise
            return Model(tree, narrowed, "candidate")

    def numbers(self, candidate: Sequence[float] | Floats) -> dict[str, float]:
        """Return the variable numbers of a candidate's files, narrowed length limits included."""
        numbers = self.space.numbers(np.asarray(candidate, dtype=np.float64))
        own = {part.name: part for part in self.base.mechanisms.linear_actuators}
        for part in self.model(candidate).mechanisms.linear_actuators:
            before, after = own[part.name].limit, part.limit
            for k, (old, new) in enumerate(
                ((before.lower, after.lower), (before.upper, after.upper))
            ):
                path = f"linear_actuators.{part.name}.{LENGTH_LIMITS}[{k}]"
                if new != old and path not in numbers:
                    numbers[path] = new
        return numbers

    def _within_reach(self, tree: RobotTree, mechanisms: MechanismSet) -> MechanismSet | None:
        """Return mechanisms with length limits within reach; None without moved pins."""
        varied = {path.name for path in self._paths.values() if path.field == LENGTH_LIMITS}
        if not self.moves_pins or not mechanisms.linear_actuators:
            return None
        open_ended = tuple(
            replace(part, limit=replace(part.limit, lower=0.0, upper=math.inf))
            for part in mechanisms.linear_actuators
        )
        free = replace(mechanisms, linear_actuators=open_ended, rest_pose={})
        model = Model(tree, free, "candidate")
        parts = []
        for part in mechanisms.linear_actuators:
            low, high = model.reach(part.name)
            lower = max(part.limit.lower, low + MARGIN) if part.limit.lower > 0.0 else 0.0
            upper = min(part.limit.upper, high - MARGIN)
            if lower == 0.0 and math.isfinite(upper):
                lower = low + MARGIN
            is_narrowed = (lower, upper) != (part.limit.lower, part.limit.upper)
            if lower >= upper or (is_narrowed and part.name in varied):
                return None
            parts.append(replace(part, limit=replace(part.limit, lower=lower, upper=upper)))
        return replace(mechanisms, linear_actuators=tuple(parts))

    def evaluate(self, candidate: Sequence[float] | Floats) -> Evaluation:
        """Return the quantities of a candidate."""
        return self._evaluated(lambda: self.outcome(candidate), lambda: self.model(candidate))

    def evaluate_described(self) -> Evaluation:
        """Return the quantities of the described robot.

        Those that depend on a column of a list are NaN if the list lacks the described part.
        """
        return self._evaluated(self.described_outcome, lambda: self.base)

    def outcome(self, candidate: Sequence[float] | Floats) -> StudyOutcome:
        """Return the states of a candidate in the motions.

        Raises
        ------
        ModelFileError, OutOfReachError, SimulationError
            If the robot is impossible, or cannot perform the motions within its limits.
        """
        point = np.asarray(candidate, dtype=np.float64)
        model = self.model(point)
        motions = self.motions
        if self.moves_pins:
            motions = tuple(on_candidate(model, self.base, motion) for motion in motions)
        return self._outcome(model, motions, self.space.properties(point))

    def described_outcome(self) -> StudyOutcome:
        """Return the states of the described robot in the motions.

        Raises
        ------
        OutOfReachError, SimulationError
            If it cannot be simulated in a world, or exceeds its limits there.
        """
        return self._outcome(self.base, self.motions, self.space.described(self._described))

    def _outcome(
        self, model: Model, motions: tuple[StudyMotion, ...], properties: Mapping[str, float]
    ) -> StudyOutcome:
        simulated = [world.of(model) for world in self.worlds]
        motions = (*motions, *(motion for motion, _ in simulated))
        for motion in motions:
            fault = beyond_limits(model, motion)
            if fault and not motion.beyond_limits:
                raise OutOfReachError(motion.name, f"motion '{motion.name}': {fault}")
        states = tuple(
            model.compute(m.position, m.velocity, m.acceleration, workers=1) for m in motions
        )
        efforts = {motion.name: effort for motion, effort in simulated}
        return StudyOutcome(model, motions, states, properties, efforts)

    def _evaluated(
        self, outcome_of: Callable[[], StudyOutcome], model_of: Callable[[], Model]
    ) -> Evaluation:
        try:
            outcome = outcome_of()
            values = [q.value(q.signal(part), part) for q, part in self.parts(outcome)]
        except UNDEFINED as error:
            undefined = np.full(len(self.quantities), np.nan)
            return Evaluation(undefined, self._reason(model_of, error))
        return Evaluation(np.array(values))

    def at(self, candidate: Sequence[float] | Floats) -> Linearisation:
        """Return the quantities of a candidate with their derivatives."""
        return Linearisation(self, np.asarray(candidate, dtype=np.float64))

    def parts(self, outcome: StudyOutcome) -> list[tuple[StudyQuantity, StudyOutcome]]:
        """Return each quantity with the part of an outcome that it refers to."""
        return [(quantity, outcome.of_motions(quantity.motions)) for quantity in self.quantities]

    def _reason(self, model_of: Callable[[], Model], error: CharmieError) -> str:
        """Return the reason for missing quantities: the limit, and how often it is exceeded."""
        if isinstance(error, (ModelFileError, SimulationError)):
            return str(error)
        model = model_of()
        failed: Counter[str] = Counter()
        total = 0
        for motion in self.motions:
            # evenly spaced samples of a long motion
            looked_at = np.unique(np.linspace(0, len(motion) - 1, LOOKED_AT).astype(int))
            total += len(looked_at)
            for n in looked_at:
                try:
                    row = _part(motion, np.array([n]))
                    if self.moves_pins:
                        row = on_candidate(model, self.base, row)
                    model.kinematics(row.position[0])
                except (OutOfReachError, LoopError) as fault:
                    failed[fault.name] += 1
        if not failed:
            return str(error)
        failures = ", ".join(f"{name} in {count}" for name, count in failed.most_common())
        return f"out of reach: {failures} of {total} samples; {error}"


class Linearisation:
    """Signals of a candidate, and their derivatives by the variables.

    Parameters
    ----------
    evaluator : Evaluator
    candidate : (n,) array

    Raises
    ------
    ModelFileError, OutOfReachError
        As for `Evaluator.outcome`.
    """

    def __init__(self, evaluator: Evaluator, candidate: Floats) -> None:
        self._evaluator, self._candidate = evaluator, candidate
        self._outcome = evaluator.outcome(candidate)
        self._found: dict[int, dict[str, Floats]] = {}

    @cached_property
    def signals(self) -> dict[str, Floats]:
        """Signal (N,) of each quantity."""
        return {q.name: q.signal(part) for q, part in self._evaluator.parts(self._outcome)}

    def part(self, quantity: StudyQuantity) -> StudyOutcome:
        """Return the samples that a quantity refers to."""
        return self._outcome.of_motions(quantity.motions)

    def slopes(self, quantity: StudyQuantity, samples: Ints) -> Floats:
        """Return the derivatives (k, n) of a signal at some samples by the variables.

        Those of efforts by numbers of the files are exact, others are differences of sixth order.
        Variables with steps have none.
        """
        variables = self._evaluator.space.variables
        result = np.zeros((len(samples), len(variables)))
        exact = self._has_derivatives(quantity)
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

    def _has_derivatives(self, quantity: StudyQuantity) -> bool:
        """Return whether the model has derivatives of a signal by all variable numbers."""
        evaluator = self._evaluator
        return (
            KINDS[quantity.kind].by_effort is not None
            and not (evaluator.moves_pins or evaluator.worlds)
            and self._is_determined
            and all(path in self._numbers for path in evaluator.continuous_paths)
        )

    @cached_property
    def _is_determined(self) -> bool:
        """Return whether the efforts follow from the motion, as without loop joints."""
        model = self._outcome.model
        if not model.mechanisms.loop_joints:
            return True
        found = model.constraints(self._outcome.motions[0].position[0])
        motions = found.mobility - found.idle_motions.shape[1]
        return bool(motions == len(model.actuator_names))

    @cached_property
    def _numbers(self) -> dict[str, float]:
        return self._outcome.model.parameters

    def _effort_slopes(self, quantity: StudyQuantity, samples: Ints) -> dict[str, Floats]:
        """Return the derivatives (k,) of a signal of an effort, by numbers of the files."""
        model, names = self._outcome.model, self._evaluator.continuous_paths
        # rows of the coordinates that are not passive, which are the actuators
        own = model.actuator_names.index(quantity.subject)
        part = self.part(quantity)
        available = [
            np.concatenate([getattr(motion, what) for motion in part.motions])[samples]
            for what in ("position", "velocity", "acceleration")
        ]
        values: Floats = np.empty((len(samples), len(names)))
        for first in range(0, len(samples), AT_ONCE):
            here = slice(first, first + AT_ONCE)
            rows = (array[here] for array in available)
            derivatives = model.derivatives(*rows, parameters=names, workers=1)
            values[here] = derivatives.effort_by_parameter[:, own]
        by_effort = KINDS[quantity.kind].by_effort
        factor = by_effort(part, quantity.subject)[samples] if by_effort else 1.0
        return {name: factor * values[:, k] for k, name in enumerate(names)}

    def _differences(self, k: int) -> dict[str, Floats]:
        """Return the derivatives (N,) of the signals of all quantities by a variable."""
        if k not in self._found:
            evaluator = self._evaluator
            variable = evaluator.space.variables[k]
            step = STEP * (variable.upper - variable.lower)
            total = {name: np.zeros_like(signal) for name, signal in self.signals.items()}
            for stencil in STENCILS if step > 0.0 else ():
                try:
                    total = self._by_stencil(k, step, stencil)
                    break
                except UNDEFINED:
                    # without a robot on one side or both, derivatives are unknown
                    continue
            self._found[k] = total
        return self._found[k]

    def _by_stencil(self, k: int, step: float, stencil: Mapping[int, float]) -> dict[str, Floats]:
        total: dict[str, Floats] = {name: np.zeros(1) for name in self.signals}
        for times, weight in stencil.items():
            moved = self._candidate.copy()
            moved[k] += times * step
            for quantity, part in self._evaluator.parts(self._evaluator.outcome(moved)):
                change = weight / step * quantity.signal(part)
                total[quantity.name] = total[quantity.name] + change
        return total


def _part(motion: StudyMotion, rows: Ints) -> StudyMotion:
    arrays = (motion.time, motion.position, motion.velocity, motion.acceleration)
    time, q, v, a = (array[rows] for array in arrays)
    return StudyMotion(motion.name, time, q, v, a)
