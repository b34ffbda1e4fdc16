# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Poses of frames from transforms, against those of the model."""

from __future__ import annotations

import numpy as np
import pytest

from charmie_dynamics import Model, load_model
from charmie_dynamics.numerics.rotations import quaternions_from_matrices
from charmie_dynamics.view.poses import Frames, from_z_to, multiply, rotate

Floats = np.ndarray


@pytest.fixture(scope="module")
def model() -> Model:
    return load_model()


def quaternions(matrices: Floats) -> Floats:
    result = np.zeros((len(matrices), 4))
    quaternions_from_matrices(np.ascontiguousarray(matrices), result)
    return result


def matrix(quaternion: Floats) -> Floats:
    """Return the rotation matrix of one quaternion, column by column."""
    return rotate(np.tile(quaternion, (3, 1)), np.eye(3)).T


@pytest.fixture
def frames_and_state(model: Model) -> tuple[Frames, object]:
    state = model.compute(model.zero_position() + 0.05)
    rows = [i for i, parent in enumerate(model.flat.frame_parents) if parent]
    kinematics = state.kinematics
    poses = np.hstack((kinematics.p_parent_frame, quaternions(kinematics.R_parent_frame)))
    frames = Frames()
    parents = [model.flat.frame_parents[i] for i in rows]
    frames.set(parents, [model.frame_names[i] for i in rows], poses[rows])
    return frames, state


def test_positions_are_those_of_the_model(model: Model, frames_and_state: tuple) -> None:
    frames, state = frames_and_state
    found = frames.poses(model.frame_names).position
    np.testing.assert_allclose(found, state.kinematics.p_world_frame, atol=1e-12)


def test_orientations_are_those_of_the_model(model: Model, frames_and_state: tuple) -> None:
    frames, state = frames_and_state
    found = [matrix(q) for q in frames.poses(model.frame_names).quaternion]
    np.testing.assert_allclose(found, state.kinematics.R_world_frame, atol=1e-12)


def test_a_frame_without_transforms_is_not_known() -> None:
    frames = Frames()
    frames.set(["world"], ["base"], np.array([[1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0]]))
    assert frames.poses(["world", "base", "arm"]).known.tolist() == [True, True, False]


def test_frames_in_a_circle_end_the_search() -> None:
    frames = Frames()
    row = np.array([[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]])
    frames.set(["a"], ["b"], row)
    frames.set(["b"], ["a"], row)
    assert np.isfinite(frames.poses(["a", "b"]).position).all()


def test_the_depth_counts_the_frames_above() -> None:
    frames = Frames()
    row = np.array([[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]])
    frames.set(["world"], ["base"], row)
    frames.set(["base"], ["arm"], row)
    assert [frames.depth(name) for name in ("world", "base", "arm")] == [0, 1, 2]


def test_a_product_turns_by_the_second_first() -> None:
    random = np.random.default_rng(1)
    a, b = (q / np.linalg.norm(q, axis=1)[:, None] for q in random.normal(size=(2, 50, 4)))
    v = random.normal(size=(50, 3))
    np.testing.assert_allclose(rotate(multiply(a, b), v), rotate(a, rotate(b, v)), atol=1e-12)


def test_z_is_turned_into_any_direction() -> None:
    random = np.random.default_rng(2)
    directions = np.vstack((random.normal(size=(50, 3)), np.eye(3), -np.eye(3)))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    z = np.tile([0.0, 0.0, 1.0], (len(directions), 1))
    np.testing.assert_allclose(rotate(from_z_to(directions), z), directions, atol=1e-9)
