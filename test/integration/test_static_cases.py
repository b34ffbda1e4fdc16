# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The reference cases at rest, published on the inputs, come back on every output.

On both middlewares, whichever the other tests use.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import DEFAULT_RMW, QUICK_RMW, has_middleware
from node_process import child_environment, start_dynamics_node
from robot_inputs import ACTUATORS, static_cases

CHECKER = Path(__file__).with_name("static_cases_checker.py")
CASES = static_cases()
ORDERS = ("joints first", "lengths first")
# of what is printed in the reference with 12 digits; efforts of the loops have numeric derivatives
ABSOLUTE = 1e-6
RELATIVE = 1e-6


@pytest.fixture(scope="module", params=[DEFAULT_RMW, QUICK_RMW])
def played(request: pytest.FixtureRequest, folder: Path) -> dict[str, list[dict[str, Any]]]:
    """What came back on a middleware, by what was played."""
    if not has_middleware(request.param):
        pytest.skip(f"{request.param} is not installed")
    environment = {"RMW_IMPLEMENTATION": request.param}
    with start_dynamics_node(folder, environment=environment):
        done = subprocess.run(
            [sys.executable, str(CHECKER)],
            env=child_environment(environment),
            capture_output=True,
            text=True,
            timeout=300,
        )
    assert done.returncode == 0, done.stderr
    results: dict[str, list[dict[str, Any]]] = json.loads(done.stdout.splitlines()[-1])
    return results


@pytest.fixture(params=ORDERS)
def results(
    request: pytest.FixtureRequest, played: dict[str, list[dict[str, Any]]]
) -> list[dict[str, Any]]:
    return played[request.param]


@pytest.fixture(params=range(len(CASES)), ids=lambda k: f"case{k}")
def pair(
    request: pytest.FixtureRequest, results: list[dict[str, Any]]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What came back, and what the reference says."""
    return results[request.param], CASES[request.param]["expected"]


def assert_agree(got: dict[str, float], expected: dict[str, float]) -> None:
    names = list(expected)
    np.testing.assert_allclose(
        [got[name] for name in names],
        [expected[name] for name in names],
        rtol=RELATIVE,
        atol=ABSOLUTE,
        err_msg=", ".join(names),
    )


def test_efforts_agree(pair: tuple[dict[str, Any], dict[str, Any]]) -> None:
    got, expected = pair
    assert tuple(got["actuator_names"]) == ACTUATORS
    assert_agree(got["actuator_effort"], expected["actuator_effort"])


def test_lift_and_torso_joint_agree(pair: tuple[dict[str, Any], dict[str, Any]]) -> None:
    got, expected = pair
    joints = {name: expected[name][0] for name in ("lift_joint", "torso_joint")}
    assert_agree(got["joint_position"], joints)


def test_generalized_forces_agree(pair: tuple[dict[str, Any], dict[str, Any]]) -> None:
    got, expected = pair
    assert_agree(got["generalized_force"], expected["generalized_force"])


def test_spring_lengths_agree(pair: tuple[dict[str, Any], dict[str, Any]]) -> None:
    got, expected = pair
    lengths = {name: spring["length"] for name, spring in expected["springs"].items()}
    assert_agree(got["spring_length"], lengths)


def test_spring_tensions_agree(pair: tuple[dict[str, Any], dict[str, Any]]) -> None:
    got, expected = pair
    tensions = {name: spring["tension"] for name, spring in expected["springs"].items()}
    assert_agree(got["spring_tension"], tensions)


def test_base_wrench_agrees(pair: tuple[dict[str, Any], dict[str, Any]]) -> None:
    got, expected = pair
    wrench = expected["base_wrench"]
    np.testing.assert_allclose(
        [*got["force"], *got["torque"]],
        [*wrench["force"], *wrench["torque"]],
        rtol=RELATIVE,
        atol=ABSOLUTE,
    )


def test_all_frames_agree_in_a_tf2_buffer(pair: tuple[dict[str, Any], dict[str, Any]]) -> None:
    got, expected = pair
    assert len(expected["frames"]) == 29
    for name, frame in expected["frames"].items():
        found = got["frames"][name]
        np.testing.assert_allclose(
            found["position"], frame["position"], rtol=0.0, atol=ABSOLUTE, err_msg=name
        )
        np.testing.assert_allclose(
            rotation(found["quaternion"]), frame["rotation"], rtol=0.0, atol=ABSOLUTE, err_msg=name
        )


def test_efforts_settle_within_a_second_where_velocities_are_not_known(
    played: dict[str, list[dict[str, Any]]],
) -> None:
    """By the stamps: how fast the machine is does not matter."""
    results = played["positions only"]
    assert [result["settled_after"] <= 1.0 for result in results] == [True] * 3, results


def rotation(quaternion: list[float]) -> np.ndarray:
    """Return the rotation matrix of a quaternion x, y, z, w."""
    x, y, z, w = quaternion
    return np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
            [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
            [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )
