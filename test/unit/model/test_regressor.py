# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The regressor: efforts are linear in the inertial parameters."""

from __future__ import annotations

import numpy as np
import pytest
from all_robots import ROBOTS, robot

from charmie_dynamics import Model, Payload

PARAMETERS = ("m", "mx", "my", "mz", "xx", "xy", "yy", "xz", "yz", "zz")


@pytest.fixture(params=ROBOTS)
def model(request: pytest.FixtureRequest) -> Model:
    return robot(request.param)


def test_parameters_of_a_payload_are_in_the_order_of_their_names(charmie: Model) -> None:
    mass, c = 2.0, np.array([0.1, 0.2, -0.3])
    inertia = np.array([[0.3, 0.02, 0.01], [0.02, 0.4, 0.03], [0.01, 0.03, 0.5]])
    held = charmie.with_loads({"left_tool": Payload(mass, tuple(c), inertia)})
    about_origin = inertia + mass * (c @ c * np.eye(3) - np.outer(c, c))
    by_name = dict(
        zip(
            held.inertial_parameter_names,
            held.inertial_parameters - charmie.inertial_parameters,
            strict=True,
        )
    )
    axes = {"x": 0, "y": 1, "z": 2}
    expected = {"m": mass, "mx": mass * c[0], "my": mass * c[1], "mz": mass * c[2]}
    for name in PARAMETERS[4:]:
        expected[name] = about_origin[axes[name[0]], axes[name[1]]]
    own = [name for name in by_name if name.startswith("left_tool ")]
    assert own == [f"left_tool {name}" for name in PARAMETERS]
    for name, value in expected.items():
        assert by_name[f"left_tool {name}"] == pytest.approx(value, rel=1e-12)


def test_parameters_are_ten_of_each_link(model: Model) -> None:
    links = model.flat.body_names
    assert model.inertial_parameters.shape == (10 * len(links),)
    names = model.inertial_parameter_names
    assert names == tuple(f"{link} {name}" for link in links for name in PARAMETERS)
    assert model.inertial_parameters[::10].sum() == pytest.approx(model.total_mass)
