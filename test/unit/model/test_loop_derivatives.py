# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Derivatives of robots with loop joints equal differences along closed motions."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from loop_robots import rod_between_balls

from charmie_dynamics import InputError, Model, OutOfReachError, load_model
from charmie_dynamics.model.description.files import share_file
from charmie_dynamics.model.equations.file_parameters import file_parameters
from charmie_dynamics.numerics.vectors import Floats

STEP = 1e-4
ACCURACY = 1e-9  # relative to the largest


class Closed(NamedTuple):
    """A robot and its closed motion; `kept` are its coordinates that are not passive."""

    model: Model
    position: Floats
    velocity: Floats
    acceleration: Floats
    kept: list[int]

    def effort(
        self, position: Floats, velocity: Floats, acceleration: Floats, model: Model | None = None
    ) -> Floats:
        """Return the efforts of the actuators; passive coordinates follow."""
        of = self.model if model is None else model
        return of.compute(*of.assemble(position, velocity, acceleration)).actuator_effort.copy()


def four_bar(_: Path) -> Model:
    return load_model(*(share_file("robots", f"four_bar.{kind}") for kind in ("urdf", "yaml")))


ROBOTS: dict[str, Callable[[Path], Model]] = {
    "four_bar": four_bar,
    "delta": lambda _: load_model("delta"),
    # with an idle motion, whose inertia is, or is not, coupled to the crank
    "rod": rod_between_balls,
    "massless rod": lambda folder: rod_between_balls(folder, 0.0),
}


# out of the plane of the four-bar
# also: an axis that is not given
OPENING = re.compile(r"loop_joints\.pin\.((first|second)_point\[1\]|axis\[[02]\]|second_axis)")


@pytest.fixture(scope="module", params=ROBOTS)
def closed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Closed:
    model = ROBOTS[request.param](tmp_path_factory.mktemp("robot"))
    passive = model.mechanisms.passive_joints
    kept = [k for k, name in enumerate(model.velocity_names) if name not in passive]
    rng = np.random.default_rng(4)
    velocity, acceleration = np.zeros((2, len(model.velocity_names)))
    velocity[kept], acceleration[kept] = rng.uniform(-0.5, 0.5, (2, len(kept)))
    start = model.rest_position()
    start[kept] += 0.3
    motion = model.assemble(start, velocity, acceleration)
    idle = model.constraints(motion.position).idle_motions
    if idle.size:
        motion = model.assemble(motion.position, motion.velocity + 0.7 * idle[:, 0], acceleration)
    return Closed(model, *motion, kept)


def differences(closed: Closed, function: Callable[[Floats], Floats]) -> Floats:
    """Return the derivatives of a function of a change (v,), column by column."""
    columns = []
    for unit in np.eye(len(closed.velocity))[closed.kept]:
        near, far = (function(h * unit) - function(-h * unit) for h in (STEP, 2.0 * STEP))
        columns.append((8.0 * near - far) / (12.0 * STEP))
    return np.array(columns).T


def assert_close(found: Floats, expected: Floats, accuracy: float = ACCURACY) -> None:
    size = max(1.0, float(np.abs(expected).max()))
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=accuracy * size)


def test_efforts_change_with_the_motion_of_the_actuators(closed: Closed) -> None:
    model, x, v, a, _ = closed
    found = model.derivatives(x, v, a)
    by_position = differences(closed, lambda d: closed.effort(model.assemble(x + d)[0], v, a))
    assert_close(found.effort_by_position, by_position)
    by_velocity = differences(closed, lambda d: closed.effort(x, v + d, a))
    assert_close(found.effort_by_velocity, by_velocity)
    by_acceleration = differences(closed, lambda d: closed.effort(x, v, a + d))
    assert_close(found.effort_by_acceleration, by_acceleration)
    equations = model.equations(x, v)
    assert_close(found.effort_by_acceleration, equations.mass_matrix, 1e-12)


def test_efforts_change_with_all_parameters(closed: Closed) -> None:
    model, x, v, a, _ = closed
    names = [name for name in model.parameters if not OPENING.match(name)]
    found = model.derivatives(x, v, a, parameters=names).effort_by_parameter
    known = file_parameters(model.robot)
    for column, name in zip(found.T, names, strict=True):
        number = known[name]

        def at(step: float, number=number) -> Floats:
            changed = Model(*number.changed(number.value + step))
            return closed.effort(x, v, a, changed)

        near, far = (at(h) - at(-h) for h in (STEP, 2.0 * STEP))
        assert_close(column, (8.0 * near - far) / (12.0 * STEP), 1e-7)


def test_a_parameter_that_opens_a_planar_loop_is_refused() -> None:
    model = four_bar(Path())
    position = model.assemble(model.rest_position()).position
    with pytest.raises(InputError, match=r"'loop_joints.pin.first_point\[1\]': no motion of the"):
        model.derivatives(position, parameters=["loop_joints.pin.first_point[1]"])


def test_accelerations_change_against_the_efforts(closed: Closed) -> None:
    model, x, v, a, _ = closed
    effort = model.compute(x, v, a).actuator_effort
    forward, inverse = model.forward_derivatives(x, v, effort), model.derivatives(x, v, a)
    M = inverse.effort_by_acceleration
    for name in ("position", "velocity"):
        product = M @ getattr(forward, f"acceleration_by_{name}")
        assert_close(product, -getattr(inverse, f"effort_by_{name}"), 1e-8)
    assert_close(M @ forward.acceleration_by_effort, np.eye(len(M)), 1e-12)


def test_many_states_have_the_derivatives_of_each(closed: Closed) -> None:
    model, x, v, a, _ = closed
    names = list(model.parameters)[:2]
    rows = np.array([v, 0.5 * v]), np.array([a, a])
    many = model.derivatives(x, *rows, parameters=names)
    for n in range(2):
        one = model.derivatives(x, rows[0][n], rows[1][n], parameters=names)
        np.testing.assert_array_equal(many.block[n], one.block)
        np.testing.assert_array_equal(many.effort_by_parameter[n], one.effort_by_parameter)


def test_open_loops_have_no_derivatives() -> None:
    model = load_model("delta")
    position = model.assemble(model.rest_position()).position
    position[0] += 0.1
    with pytest.raises(OutOfReachError, match="open"):
        model.derivatives(position)


@pytest.mark.parametrize("absent", ["second_axis[0]", "second_axis[1]", "length"])
def test_what_a_loop_joint_does_not_have_is_no_parameter(absent: str) -> None:
    files = share_file("robots", "four_bar.urdf"), share_file("robots", "four_bar.yaml")
    parameters = load_model(*files).parameters
    assert f"loop_joints.pin.{absent}" not in parameters
    assert "loop_joints.pin.axis[0]" in parameters
