# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The power balance: what the actuators do is what the robot's energy gains."""

from __future__ import annotations

import math

import numpy as np
import pytest
from differences import FIRST
from pose_series import kinetic_energy, mass_moments, potential_energy
from random_states import random_motion

from charmie_dynamics import Model, State

STEP = 0.005
# nine velocities, each from the nine poses about it
GRID = STEP * np.arange(-8, 9)


def spring_lengths(model: Model, state: State) -> np.ndarray:
    """Lengths (n, s) from the places of the bodies alone."""
    lengths = []
    for spring in model.mechanisms.springs:
        ends = []
        for body, point in (
            (spring.base_body, spring.base_point),
            (spring.tip_body, spring.tip_point),
        ):
            p, R = state.frame(body)
            ends.append(p + R @ np.array(point))
        lengths.append(np.linalg.norm(ends[1] - ends[0], axis=-1))
    for part in model.mechanisms.balance_mechanisms:
        p_frame, R_frame = state.frame(part.frame_body)
        p_carried, _ = state.frame(part.carried_body)
        up = np.einsum("ni,ni->n", p_carried - p_frame, R_frame[:, :, 2])
        rise = up + part.carried_point_z - part.link_height - part.pivot[2]
        angle = np.arcsin(rise / part.bar_length)
        x = part.pivot[0] + part.side * part.spring_arm * np.cos(angle) - part.spring_anchor[0]
        y = part.pivot[1] - part.spring_anchor[1]
        z = part.pivot[2] + part.spring_arm * np.sin(angle) - part.spring_anchor[2]
        lengths.append(np.sqrt(x * x + y * y + z * z))
    return np.array(lengths).T


def spring_energy(model: Model, lengths: np.ndarray) -> float:
    parts = [*model.mechanisms.springs, *model.mechanisms.balance_mechanisms]
    energy = 0.0
    for part, length in zip(parts, lengths, strict=True):
        stretch = max(length - part.free_length, 0.0)
        energy += 0.5 * part.stiffness * stretch**2 + part.pretension * stretch
    return energy


def world_poses(model: Model, state: State) -> np.ndarray:
    n = len(model.flat.body_names)
    T = np.zeros((len(GRID), n, 4, 4))
    T[:, :, :3, :3] = state.kinematics.R_world_frame[:, :n]
    T[:, :, :3, 3] = state.kinematics.p_world_frame[:, :n]
    T[:, :, 3, 3] = 1.0
    return T


def energies(model: Model, state: State, lengths: np.ndarray) -> np.ndarray:
    """Kinetic, potential and spring energy (9,) at the inner times of the grid."""
    T, J = world_poses(model, state), mass_moments(model.flat.tree)
    gravity = np.array(model.mechanisms.gravity)
    result = []
    for k in range(4, 13):
        rate = np.tensordot(FIRST, T[k - 4 : k + 5], axes=1) / STEP
        result.append(
            kinetic_energy(J, rate)
            + potential_energy(J, T[k], gravity)
            + spring_energy(model, lengths[k])
        )
    return np.array(result)


@pytest.fixture(params=["charmie", "crane"])
def model(request: pytest.FixtureRequest) -> Model:
    return request.getfixturevalue(request.param)


@pytest.mark.parametrize("seed", range(8))
def test_power_of_the_actuators_is_the_change_of_all_energy(model: Model, seed: int) -> None:
    motion = random_motion(model, np.random.default_rng(seed))
    for start in range(100):  # a spring that falls slack within the grid has a kink there
        position, velocity, acceleration = motion(GRID + 0.1 * start)
        state = model.compute(position, velocity, acceleration)
        lengths = spring_lengths(model, state)
        free = [s.free_length for s in model.mechanisms.springs]
        free += [b.free_length for b in model.mechanisms.balance_mechanisms]
        if (lengths.min(axis=0) > free).sum() + (lengths.max(axis=0) < free).sum() == len(free):
            break
    power = state.actuator_effort[8] @ velocity[8]
    gain = FIRST @ energies(model, state, lengths) / STEP
    assert power == pytest.approx(gain, rel=1e-8, abs=1e-7)


def test_motions_of_these_tests_stretch_and_slacken_springs(crane: Model) -> None:
    tension = crane.compute(crane.zero_position()).spring_tension
    assert tension["jib_spring"] > 0.0
    assert tension["slack_spring"] == 0.0
    assert not math.isnan(sum(tension.values()))
