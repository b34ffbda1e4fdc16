# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The Delta robot of the package against virtual work on closed-form geometry."""

from __future__ import annotations

import numpy as np
import pytest

from charmie_dynamics import Model, OutOfReachError, Payload, load_model
from validation.references.delta import HEIGHT, delta
from validation.references.lagrange import System

ARMS = ("arm_joint_1", "arm_joint_2", "arm_joint_3")
GRAVITY = 9.81


@pytest.fixture(scope="module")
def robot() -> Model:
    return load_model("delta")


@pytest.fixture(scope="module")
def witness() -> System:
    return delta()


def whole(model: Model, values: np.ndarray) -> np.ndarray:
    """Return all coordinates with those of the arms, zero elsewhere."""
    out = np.zeros(len(model.position_names))
    out[[model.position_names.index(arm) for arm in ARMS]] = values
    return out


def test_only_the_arms_are_driven(robot: Model) -> None:
    assert robot.actuator_names == ARMS
    assert robot.warnings == ()
    assert robot.constraints(robot.zero_position()).rank == 18


@pytest.mark.parametrize("seed", range(4))
def test_efforts_are_those_of_virtual_work(robot: Model, witness: System, seed: int) -> None:
    rng = np.random.default_rng(seed)
    arms = rng.uniform((-0.4, -1.0, -5.0), (0.6, 1.0, 5.0), (3, 3)).T
    position, velocity = witness.closed(np.append(arms[0], np.zeros(3)), [*arms[1], 0, 0, 0], 3)
    assembled = robot.assemble(*(whole(robot, values) for values in arms))
    state = robot.compute(*assembled)
    place, turned = state.frame("platform")
    np.testing.assert_allclose(place, position[3:] - (0.0, 0.0, HEIGHT), atol=1e-10)
    np.testing.assert_allclose(turned, np.eye(3), atol=1e-10)  # what parallelograms are for
    np.testing.assert_allclose(state.motion("platform").velocity, velocity[3:], atol=1e-10)
    expected = witness.inverse(position, velocity, arms[2])
    np.testing.assert_allclose(state.actuator_effort, expected, rtol=1e-9)
    undone = robot.forward(assembled[0], assembled[1], state.actuator_effort)
    np.testing.assert_allclose(undone.acceleration, assembled[2], atol=1e-8)


def test_a_payload_is_held_by_the_slope_of_its_height(robot: Model, witness: System) -> None:
    arms = np.array((0.2, 0.35, -0.1))
    at = robot.assemble(whole(robot, arms))
    loaded = robot.with_loads({"tool": Payload(0.8)})
    more = loaded.compute(at[0]).actuator_effort - robot.compute(at[0]).actuator_effort
    step, slopes = 1e-5, []
    for unit in np.eye(3):
        heights = [
            witness.closed([*(arms + sign * step * unit), 0, 0, 0], np.zeros(6), 3)[0][5]
            for sign in (1.0, -1.0)
        ]
        slopes.append((heights[0] - heights[1]) / (2.0 * step))
    np.testing.assert_allclose(more, 0.8 * GRAVITY * np.array(slopes), rtol=1e-6)


def test_arms_that_no_platform_can_follow_are_refused(robot: Model) -> None:
    with pytest.raises(OutOfReachError, match="ball"):
        robot.assemble(whole(robot, np.array((-3.1, 0.0, 0.0))))
