# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Identified bodies that contradict the description of a robot."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("scipy", reason="SciPy is missing, with which robots are identified")

from charmie_dynamics import load_model
from charmie_dynamics.model.description.robot import Inertial
from charmie_dynamics.studies.identification.plausibility import implausible_bodies, robot_size

MODEL = load_model("scara")
NAME = next(name for name, link in MODEL.tree.links.items() if link.inertial)
DESCRIBED = MODEL.tree.links[NAME].inertial
assert DESCRIBED is not None


def body(mass: float = 1.0, inertia: float = 1.0) -> dict[str, Inertial]:
    """Return the described body with mass and inertia multiplied."""
    assert DESCRIBED is not None
    return {
        NAME: Inertial(mass * DESCRIBED.mass, DESCRIBED.p_link_com, inertia * DESCRIBED.inertia)
    }


@pytest.mark.parametrize("mass", [0.6, 1.0, 1.8])
def test_masses_near_the_described_ones_are_not_reported(mass: float) -> None:
    assert implausible_bodies(MODEL, body(mass, mass)) == []


@pytest.mark.parametrize("mass", [0.1, 3.0])
def test_masses_far_from_the_described_ones_are_reported(mass: float) -> None:
    (line,) = implausible_bodies(MODEL, body(mass, mass))
    assert f"link '{NAME}': identified mass" in line and "mA" in line
    assert "not the mass of one link alone" in line and "--find-payload" in line


def test_a_radius_of_gyration_larger_than_the_robot_is_reported() -> None:
    (line,) = implausible_bodies(MODEL, body(1.0, 1e6))
    assert "radius of gyration" in line and f"({robot_size(MODEL):.4g} m)" in line


def test_the_size_of_a_robot_is_at_least_its_reach() -> None:
    state = MODEL.kinematics(MODEL.zero_position())
    positions = np.array([state.frame(name)[0] for name in MODEL.frame_names])
    assert robot_size(MODEL) >= np.ptp(positions, axis=0).max()
