# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Straight lines of a tool, and motions from rest to rest."""

from __future__ import annotations

import numpy as np

from charmie_dynamics import load_model
from charmie_dynamics.motions.tool_lines import PARTS, ToolLines, from_rest_to_rest


def test_a_tool_moves_along_a_line_until_it_is_out_of_reach() -> None:
    model = load_model("arm_6r")
    start = np.tile(model.rest_position(), (2, 1))
    start[:, [1, 2, 4]] = -0.6, 1.2, 1.0
    p, R = model.kinematics(start).frame("tool0")
    last = p + np.array([[0.0, 0.0, -0.08], [5.0, 0.0, 0.0]])
    lines = ToolLines(model, "tool0", model.actuator_names)
    path = lines.line(p, last, R, start)
    assert path.shape == (PARTS + 1, *start.shape)
    found = model.kinematics(path[:, 0]).frame("tool0")
    wanted = p[0] + np.linspace(0.0, 1.0, PARTS + 1)[:, None] * (last - p)[0]
    np.testing.assert_allclose(found[0], wanted, atol=1e-6)
    np.testing.assert_allclose(found[1], np.tile(R[:1], (PARTS + 1, 1, 1)), atol=1e-6)
    assert np.isnan(path[-1, 1]).all()


def test_a_motion_from_rest_to_rest_passes_the_points_of_its_path() -> None:
    path = np.random.default_rng(0).normal(size=(3, 2, 4))
    positions = from_rest_to_rest(path, 200)
    np.testing.assert_array_equal(positions[[0, -1]], path[[0, -1]])
    np.testing.assert_allclose(positions[100], path[1], atol=1e-12)
    speed = np.abs(np.diff(positions, axis=0))
    assert speed[[0, -1]].max() < 1e-3 * speed.max()
