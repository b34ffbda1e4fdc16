# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Quantities of a study: against plain NumPy, and their slopes against differences."""

from __future__ import annotations

import math

import numpy as np
import pytest
from study_texts import study_of

from charmie_dynamics import InputError, Model, UnknownNameError, load_model
from charmie_dynamics.model.equations.number_paths import numbers_by_path
from charmie_dynamics.model.stability import Support, tip_over_margin, zero_moment_point
from charmie_dynamics.studies import DesignSpace, StudyMotion, Variable, make_study_motion
from charmie_dynamics.studies.design.evaluation import Evaluator
from charmie_dynamics.studies.design.outcome import StudyOutcome
from charmie_dynamics.studies.design.quantities import KINDS, StudyQuantity, unit_of

LIFT, TORSO, SPRING = "lift_actuator", "torso_actuator", "torso_spring"
# each kind once, with options that are not the defaults
QUANTITIES = [
    StudyQuantity("peak", "peak", TORSO),
    StudyQuantity("rms", "rms", LIFT),
    StudyQuantity("energy", "energy", LIFT, {"recovered": 0.3}),
    StudyQuantity("size", "size", TORSO, {"overload": 1.5}),
    StudyQuantity("share", "share_of_rated", "neck_pan_joint"),
    StudyQuantity("longest", "longest", TORSO),
    StudyQuantity("shortest", "shortest", TORSO),
    StudyQuantity("tension", "spring_tension", SPRING),
    StudyQuantity("slack", "spring_slack", SPRING),
    StudyQuantity("length", "spring_length", SPRING),
    StudyQuantity("short", "spring_shortest", SPRING),
    StudyQuantity("stretch", "spring_stretch", SPRING),
    StudyQuantity("stress", "spring_stress", SPRING, {"wire": 0.003, "coil": 0.03}),
    StudyQuantity("margin", "margin"),
    StudyQuantity("mass", "mass", "", {"besides": 0.25}),
]


def space(*paths: str) -> DesignSpace:
    return DesignSpace(tuple(Variable(path, {path: 1.0}, 0.0, 1.0) for path in paths))


def sparse(motion: StudyMotion, step: int) -> StudyMotion:
    arrays = (motion.time, motion.position, motion.velocity, motion.acceleration)
    return StudyMotion(motion.name, *(array[::step] for array in arrays))


def actuator_of(model: Model) -> str:
    """Return an actuator that has a rated effort."""
    limits = zip(model.actuator_names, model.actuator_limits(), strict=True)
    return next(name for name, limit in limits if math.isfinite(limit.effort) and limit.effort > 0)


@pytest.fixture(scope="module")
def outcome(charmie: Model) -> StudyOutcome:
    motion = make_study_motion("wave", charmie, duration=4.0, rate=10.0)
    states = charmie.compute(motion.position, motion.velocity, motion.acceleration)
    return StudyOutcome(charmie, (motion,), (states,), {})


def plain(charmie: Model, outcome: StudyOutcome, actuator: str) -> dict[str, float]:
    """Return each of `QUANTITIES` in a line of NumPy, from single cycles."""
    motion = outcome.motions[0]
    rows = zip(motion.position, motion.velocity, motion.acceleration, strict=True)
    states = [charmie.compute(*row) for row in rows]
    index = charmie.actuator_names.index
    lift, torso, other = (
        np.array([state.actuator_effort[index(name)] for state in states])
        for name in (LIFT, TORSO, actuator)
    )
    tension, length = (
        np.array([getattr(state, what)[SPRING] for state in states])
        for what in ("spring_tension", "spring_length")
    )
    support = Support.of(charmie)
    margins = [
        float(tip_over_margin(zero_moment_point(*s.base_wrench, support.height), support.polygon))
        for s in states
    ]
    power = lift * motion.velocity[:, index(LIFT)]
    place = motion.position[:, index(TORSO)]
    c = 0.03 / 0.003
    wahl = (4 * c - 1) / (4 * c - 4) + 0.615 / c
    rated = charmie.actuator_limits()[index(actuator)].effort
    return {
        "peak": np.abs(torso).max(),
        "rms": np.sqrt(np.mean(lift**2)),
        "energy": 0.1 * (power[power > 0].sum() + 0.3 * power[power < 0].sum()),
        "size": max(np.sqrt(np.mean(torso**2)), np.abs(torso).max() / 1.5),
        "share": np.abs(other).max() / rated,
        "longest": place.max(),
        "shortest": place.min(),
        "tension": tension.max(),
        "slack": tension.min(),
        "length": length.max(),
        "short": length.min(),
        "stretch": length.max() / charmie.mechanisms.springs[0].free_length - 1.0,
        "stress": wahl * 8 * tension.max() * 0.03 / (math.pi * 0.003**3),
        "margin": min(margins),
        "mass": charmie.total_mass + 0.25,
    }


def test_each_kind_is_what_plain_numpy_says(charmie: Model, outcome: StudyOutcome) -> None:
    actuator = actuator_of(charmie)
    expected = plain(charmie, outcome, actuator)
    assert {quantity.kind for quantity in QUANTITIES} == set(KINDS)
    for quantity in QUANTITIES:
        if quantity.kind == "share_of_rated":
            quantity = StudyQuantity("share", "share_of_rated", actuator)
        found = quantity.value(quantity.signal(outcome), outcome)
        assert found == pytest.approx(expected[quantity.name], rel=1e-9), quantity.name


def test_samples_count_for_as_long_as_they_stand(charmie: Model) -> None:
    motion = make_study_motion("wave", charmie, duration=4.0, rate=10.0)
    uneven = np.r_[0:20, 20:40:4]
    arrays = (motion.time, motion.position, motion.velocity, motion.acceleration)
    thinned = StudyMotion("thinned", *(array[uneven] for array in arrays))
    assert thinned.weight[:18] == pytest.approx(0.1)
    assert thinned.weight[21:] == pytest.approx(0.4)


def test_several_motions_count_together_unless_some_are_named(charmie: Model) -> None:
    wave = make_study_motion("wave", charmie, duration=4.0, rate=10.0)
    at_rest = np.zeros((1, 21))
    still = StudyMotion("still", wave.time[:1], wave.position[:1], at_rest, at_rest)
    quantities = [
        StudyQuantity("both", "peak", TORSO),
        StudyQuantity("one", "peak", TORSO, motions=("still",)),
        StudyQuantity("other", "peak", TORSO, motions=("wave",)),
    ]
    evaluator = Evaluator(charmie, space("gravity[2]"), [still, wave], quantities)
    both, one, other = evaluator.evaluate([-9.81]).values
    assert both == max(one, other)
    assert one != other


@pytest.mark.parametrize(
    "path",
    [
        "springs.torso_spring.stiffness",  # exact, from the model
        "springs.torso_spring.free_length",
        "inertials.head.mass",
        "gravity[0]",
        "linear_actuators.torso_actuator.base_point[0]",  # the same motion, other lengths
        "joints.torso_joint.xyz[2]",
    ],
)
def test_slopes_of_all_quantities_are_those_of_differences(charmie: Model, path: str) -> None:
    motion = sparse(make_study_motion("wave", charmie, duration=4.0, rate=10.0), 4)
    actuator = actuator_of(charmie)
    quantities = [
        StudyQuantity("share", "share_of_rated", actuator) if q.kind == "share_of_rated" else q
        for q in QUANTITIES
    ]
    start = numbers_by_path(charmie.tree, charmie.mechanisms)[path]
    width = max(0.2 * abs(start), 0.02)
    variable = Variable("x", {path: 1.0}, start - width, start + width)
    evaluator = Evaluator(charmie, DesignSpace((variable,)), [motion], quantities)
    at = evaluator.at([start])
    step = 1e-5 * width
    plus, minus = (evaluator.outcome([start + sign * step]) for sign in (1.0, -1.0))
    for quantity in quantities:
        part = at.part(quantity)
        pieces = quantity.pieces(at.signals[quantity.name], part)
        high, low = (quantity.pieces(quantity.signal(o), o).value for o in (plus, minus))
        expected = (high - low) / (2.0 * step)
        slopes = at.slopes(quantity, np.arange(len(at.signals[quantity.name])))[:, 0]
        single = pieces.sample >= 0
        found = np.zeros(len(pieces.value))
        found[single] = pieces.slope[single] * slopes[pieces.sample[single]]
        if pieces.slopes is not None:
            found[~single] = pieces.slopes @ slopes
        scale = max(abs(expected).max(), abs(pieces.value).max() / width)
        assert abs(found - expected).max() <= 2e-5 * scale, quantity.name


def test_a_margin_beyond_the_floor_counts_as_one_metre(charmie: Model) -> None:
    motion = make_study_motion("wave", charmie, duration=1.0, rate=10.0)
    evaluator = Evaluator(charmie, space("gravity[2]"), [motion], [StudyQuantity("m", "margin")])
    assert evaluator.evaluate([9.81]).values[0] == -1.0


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        (("q", "peek", TORSO), UnknownNameError, "'peek' is no quantity.*'peak'"),
        (("q", "peak", TORSO, {"overlod": 1.0}), UnknownNameError, "has no option 'overlod'"),
        (("q", "size", TORSO, {"overlod": 1.0}), UnknownNameError, "'overload'"),
        (("q", "spring_stress", SPRING, {"wire": 0.1}), InputError, "needs coil: mean diameter"),
    ],
)
def test_a_quantity_that_cannot_be_is_refused(given, error, message: str) -> None:
    with pytest.raises(error, match=message):
        StudyQuantity(*given)


def test_what_a_robot_does_not_have_is_refused_before_anything_is_computed(charmie: Model) -> None:
    scara = load_model("scara")
    for quantity, message in (
        (StudyQuantity("q", "peak", "lift_joint"), "actuator 'lift_joint' is unknown"),
        (StudyQuantity("q", "margin"), "margin needs wheel_contacts"),
        (StudyQuantity("q", "spring_tension", "coil"), "spring 'coil' is unknown"),
    ):
        with pytest.raises((UnknownNameError, InputError), match=message):
            quantity.require_robot(scara)
    with pytest.raises(UnknownNameError, match="'wir' is no variable or column of a list"):
        StudyQuantity("q", "spring_stress", SPRING, {"wire": "wir", "coil": 1.0}).numbers(
            {"wire": 1.0}
        )


def test_units_are_those_of_the_actuator(charmie: Model) -> None:
    assert unit_of(StudyQuantity("q", "peak", "neck_pan_joint"), charmie) == "N m"
    assert unit_of(StudyQuantity("q", "longest", "neck_pan_joint"), charmie) == "rad"
    assert unit_of(StudyQuantity("q", "longest", TORSO), charmie) == "m"
    assert unit_of(StudyQuantity("q", "share_of_rated", TORSO), charmie) == ""


def test_a_column_of_a_list_is_an_option(charmie: Model) -> None:
    study = study_of(
        variables=(
            "coil: {list: {springs.torso_spring.stiffness: [1000, 2000], "
            "wire: [0.002, 0.004], kg: [0.1, 0.3]}}"
        ),
        objectives=(
            "stress: {spring_stress: torso_spring, wire: coil.wire, coil: 0.03}\n"
            "mass: {mass: true, besides: coil.kg}"
        ),
    )
    thin, thick = (study.evaluator.evaluate([row]).values for row in (0.0, 1.0))
    assert thick[1] - thin[1] == pytest.approx(0.2)
    assert thin[0] > thick[0]
