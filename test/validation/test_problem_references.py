# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The references of the problems hold what is known of them, and can be made again."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from validation.multipliers import accelerations
from validation.problems import bricard, free_box, pendulum, slider_crank, squeezer
from validation.problems.problem import Problem
from validation.references import bricard as bricard_reference
from validation.references import planar
from validation.references.lagrange import System
from validation.references.solutions import SOLUTIONS, solve_slider_crank

FILE = Path(__file__).resolve().parents[1] / "reference" / "problems.json"
KEPT = json.loads(FILE.read_text(encoding="utf-8"))


def test_every_solution_is_kept() -> None:
    assert list(KEPT) == list(SOLUTIONS)


def test_the_squeezer_ends_where_the_test_set_says() -> None:
    found = {name: values[-1] for name, values in KEPT["A03"]["positions"].items()}
    assert found == pytest.approx(squeezer.ANSWER, abs=2e-9)


@pytest.mark.parametrize(
    ("time", "x", "y"),
    [(1.0, -0.986291751, -0.165010853), (5.0, 0.942305435, -0.334754338)],
)
def test_the_pendulum_is_where_it_is_known_to_be(time: float, x: float, y: float) -> None:
    angle = pendulum.answer(time)
    np.testing.assert_allclose((np.cos(angle), np.sin(angle)), (x, y), atol=1e-9)


@pytest.mark.parametrize("name", [name for name in KEPT if "energy_drift" in KEPT[name]])
def test_a_reference_keeps_its_energy(name: str) -> None:
    assert KEPT[name]["energy_drift"] < 1e-10


def test_the_box_keeps_its_angular_momentum() -> None:
    rotations = Rotation.from_quat(np.array(KEPT["free_box"]["position"])[:, 3:])
    momenta = rotations.apply(np.array(KEPT["free_box"]["velocity"])[:, 3:] * free_box.INERTIA)
    np.testing.assert_allclose(momenta, np.tile(momenta[0], (len(momenta), 1)), atol=1e-11)


def test_a_reference_is_made_again() -> None:
    again = solve_slider_crank("pin")
    kept = KEPT["slider_crank_pin"]
    for name, values in again["positions"].items():
        np.testing.assert_allclose(values, kept["positions"][name], atol=1e-10)


def test_equations_with_constraints_are_those_of_virtual_work() -> None:
    system = planar.slider_crank()
    position, velocity = system.closed((0.7, 0.0, 1.0), (2.0, 0.0, 0.0), 1)
    acceleration, _ = system.acceleration(position, velocity)
    step = 1e-4  # s, along the motion
    energies = []
    for sign in (-1.0, 1.0):
        moved = position + sign * step * velocity + 0.5 * step**2 * acceleration
        energies.append(system.energy(moved, velocity + sign * step * acceleration))
    power = (energies[1] - energies[0]) / (2.0 * step)
    assert power == pytest.approx(0.7 * velocity[0], rel=1e-5)


@pytest.mark.parametrize(
    ("problem", "system", "start", "names"),
    [
        (slider_crank.problem(), planar.slider_crank(), None, ("crank_joint", "slider_joint")),
        (bricard.problem(), bricard_reference.bricard(0.1), ((0, 0), (0, 0)), ("hinge_1",)),
    ],
    ids=["slider-crank", "Bricard"],
)
def test_two_witnesses_of_accelerations_agree(
    problem: Problem, system: System, start: tuple | None, names: tuple[str, ...]
) -> None:
    angle, speed = slider_crank.ANGLE, slider_crank.SPEED
    position, velocity = start or system.closed((angle, 0.0, 1.0), (speed, 0.0, 0.0), 1)
    expected, _ = system.acceleration(position, velocity)
    found = accelerations(
        problem.urdf, problem.mechanisms, problem.position, problem.velocity, problem.effort
    ).acceleration
    of_crank_and_slide = [expected[0], expected[-1]][: len(names)]
    np.testing.assert_allclose([found[name] for name in names], of_crank_and_slide, rtol=1e-9)


def test_one_of_five_constraints_of_bricard_is_redundant() -> None:
    problem = bricard.problem()
    found = accelerations(problem.urdf, problem.mechanisms, {}, {}, {})
    assert (found.rank, found.rows) == (4, 5)
    assert found.undetermined == {"hinge_6": True}
