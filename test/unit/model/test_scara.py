# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The SCARA of the package: five joints of which the first one lifts, and efforts by hand."""

from __future__ import annotations

import numpy as np
import pytest

from charmie_dynamics import Model

G = 9.81


def test_it_has_a_prismatic_joint_and_four_revolute_ones(scara: Model) -> None:
    types = [joint.type for joint in scara.tree.joints if joint.type != "fixed"]
    assert types == ["prismatic", *["revolute"] * 4]
    assert scara.actuator_names == scara.joint_names  # no mechanisms
    assert scara.warnings == ()


def test_every_number_of_it_is_marked_as_estimated(scara: Model) -> None:
    text = scara.tree.urdf
    assert text.count("<inertial> ") == text.count("<inertial>")
    for line in text.splitlines():
        if "<limit" in line or "<inertial" in line or (line.startswith("    <origin")):
            assert "<!-- estimated -->" in line, line


def test_the_first_joint_carries_all_and_the_last_one_its_lever(scara: Model) -> None:
    position = np.array([0.1, 0.4, -0.9, 0.3, 0.5])
    effort = scara.compute(position).actuator_effort
    assert effort[0] == pytest.approx(scara.total_mass * G)
    np.testing.assert_allclose(effort[1:4], 0.0, atol=1e-12)  # about vertical axes
    assert effort[4] == pytest.approx(-0.4 * G * 0.05 * np.cos(0.5))
