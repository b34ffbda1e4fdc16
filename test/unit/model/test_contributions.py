# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What each body adds to the equations of motion, in the coordinates of the actuators."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from floating_robots import random_urdf
from loop_robots import looped_charmie
from random_states import random_state

from charmie_dynamics import Model, Payload, UnknownNameError, Wrench, load_model
from charmie_dynamics.model.contributions import ALL, SPRINGS

BOTTLE = Payload(1.5, (0.01, 0.0, 0.08), np.diag([0.01, 0.012, 0.004]))
PUSH = Wrench((3.0, 4.0, -20.0), (1.0, -2.0, 3.0))


@pytest.fixture(params=["charmie", "charmie_lar", "crane", "boom", "loaded", "open tree"])
def robot(request: pytest.FixtureRequest, repository: Path, charmie: Model, crane: Model) -> Model:
    """Robots of the package, of the examples and of the tests; one with loads, one open."""
    if request.param == "open tree":
        return charmie.with_loads({"left_tool": BOTTLE}, {"head": PUSH}).open_tree()
    if request.param == "boom":
        folder = repository / "examples" / "robots"
        return load_model(urdf=folder / "boom.urdf", mechanisms=folder / "boom.yaml")
    if request.param == "loaded":
        return charmie.with_loads({"left_tool": BOTTLE}, {"right_tool": PUSH, "upper_body": PUSH})
    known = {"charmie": charmie, "crane": crane}
    return known.get(request.param) or load_model(urdf=request.param)


def assert_close(actual: np.ndarray, expected: np.ndarray, tolerance: float = 1e-10) -> None:
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    np.testing.assert_allclose(actual, expected, rtol=0.0, atol=tolerance * scale)


def test_unit_accelerations_and_velocities_give_the_coefficients(robot: Model) -> None:
    position, *_ = random_state(robot, np.random.default_rng(5))
    q = len(position)
    contributions, unit, still = robot.contributions(position), np.eye(q), np.zeros(q)
    rest = robot.compute(position).actuator_effort
    inertia, centrifugal, coriolis = (
        array.sum(axis=0)
        for array in (contributions.inertia, contributions.centrifugal, contributions.coriolis)
    )
    for j in range(q):
        accelerated = robot.compute(position, still, unit[j]).actuator_effort
        assert_close(inertia[:, j], accelerated - rest)
        moved = robot.compute(position, unit[j]).actuator_effort
        assert_close(centrifugal[:, j], moved - rest)
        k = (j + 1) % q
        both = robot.compute(position, unit[j] + unit[k]).actuator_effort
        product = both - rest - centrifugal[:, j] - centrifugal[:, k]
        assert_close(coriolis[:, min(j, k), max(j, k)], product if j != k else 0.0 * product)


def test_units_of_contributions_are_those_of_each_number_of_a_joint(tmp_path: Path) -> None:
    urdf = random_urdf(np.random.default_rng(1), ("floating", "planar", "prismatic"))
    (tmp_path / "free.urdf").write_text(urdf)
    robot = load_model(tmp_path / "free.urdf")
    contributions = robot.contributions(robot.zero_position())
    units = dict(zip(contributions.velocity_names, contributions.effort_units, strict=True))
    assert {name for name, unit in units.items() if unit == "N m"} == {
        *(f"joint_1/{number}" for number in ("wx", "wy", "wz")),
        "joint_2/angle",
    }
    assert contributions.table("joint_1/vz").unit == "N"


def test_payload_is_a_contribution_of_the_link_that_holds_it(charmie: Model) -> None:
    position, velocity, _ = random_state(charmie, np.random.default_rng(9))
    bare = charmie.contributions(position, velocity)
    held = charmie.with_loads({"left_tool": BOTTLE}).contributions(position, velocity)
    tool = bare.body_names.index("left_tool")
    for name in ("inertia", "centrifugal", "coriolis", "gravity_effort"):
        difference = getattr(held, name) - getattr(bare, name)
        assert not getattr(bare, name)[tool].any()  # a frame without mass
        assert np.abs(difference[tool]).max() > 0.1
        assert not np.delete(difference, tool, axis=0).any()


def test_wrench_is_a_contribution_of_the_link_that_it_acts_on(charmie: Model) -> None:
    position, *_ = random_state(charmie, np.random.default_rng(10))
    pushed = charmie.with_loads(wrenches={"right_tool": PUSH})
    contributions = pushed.contributions(position)
    tool = contributions.body_names.index("right_tool")
    change = pushed.compute(position).actuator_effort - charmie.compute(position).actuator_effort
    assert_close(contributions.external_effort[tool], change)
    assert not np.delete(contributions.external_effort, tool, axis=0).any()
    [row] = [r for r in contributions.table("base_x_joint").rows if r.name == "right_tool"]
    assert row.external == contributions.external_effort[tool, 0]


def test_table_begins_with_the_body_of_the_largest_inertia(charmie: Model) -> None:
    position, velocity, _ = random_state(charmie, np.random.default_rng(11))
    contributions = charmie.contributions(position, velocity)
    table = contributions.table("torso_actuator")
    of_bodies = [row for row in table.rows if row.name != SPRINGS]
    inertia = [row.inertia for row in of_bodies]
    assert inertia == sorted(inertia, reverse=True)
    assert {"base", "lower_body"}.isdisjoint(row.name for row in table.rows)  # it moves neither
    assert table.rows[0].name == "upper_body"
    assert (table.rows[-1].name, table.total.name) == (SPRINGS, ALL)
    rest = charmie.compute(position).actuator_effort[4]
    assert table.total.gravity == pytest.approx(rest, abs=1e-9)
    whole = charmie.compute(position, velocity).actuator_effort[4]
    motion = table.total.centrifugal + table.total.coriolis
    assert rest + motion == pytest.approx(whole, abs=1e-8)


def test_text_of_a_table_leaves_out_columns_without_a_number(charmie: Model) -> None:
    position = charmie.zero_position()
    at_rest = str(charmie.contributions(position).table("lift_actuator"))
    heading, *rows = at_rest.splitlines()
    assert heading.split() == ["lift_actuator", *"inertia / kg gravity / N".split()]
    assert rows[0].split()[0] == "lower_body" and rows[-1].split()[0] == ALL
    assert "-0.0" not in at_rest
    velocity = np.full(len(position), 0.1)
    moving = str(
        charmie.with_loads(wrenches={"head": PUSH})
        .contributions(position, velocity)
        .table("base_yaw_joint")
    )
    assert "inertia / kg m^2" in moving
    for column in ("external", "centrifugal", "Coriolis"):
        assert f"{column} / N m" in moving
    assert len({len(line) for line in moving.splitlines()}) == 1


def test_numbers_of_a_table_are_as_fine_as_its_largest(charmie: Model) -> None:
    text = str(charmie.contributions(charmie.zero_position()).table("left_gripper_joint"))
    assert text.splitlines()[-1].split() == ["all", "0.00057600"]  # kg m^2


def test_unknown_actuator_is_refused_with_the_nearest_name(charmie: Model) -> None:
    contributions = charmie.contributions(charmie.zero_position())
    with pytest.raises(UnknownNameError, match="did you mean 'torso_actuator'"):
        contributions.table("torso_actuater")


def test_loop_joints_give_the_contributions_of_linear_actuators(
    charmie: Model, tmp_path: Path
) -> None:
    """Tubes and rods of the same loops have no mass."""
    position, velocity, _ = random_state(charmie, np.random.default_rng(12))
    looped = looped_charmie(tmp_path)
    columns = [
        looped.velocity_names.index(name.replace("_actuator", "_rod"))
        for name in charmie.velocity_names
    ]
    state = charmie.compute(position, velocity)
    near = looped.zero_position()
    for name, angle in zip(charmie.joint_names, state.joint_position, strict=True):
        near[looped.position_names.index(name)] = angle
    near[columns], driven = position, np.zeros(len(looped.velocity_names))
    driven[columns] = velocity
    closed = looped.assemble(near, driven)
    found = looped.contributions(closed.position, closed.velocity)
    order = [found.velocity_names.index(looped.velocity_names[k]) for k in columns]
    bodies = [found.body_names.index(name) for name in charmie.contributions(position).body_names]
    expected = charmie.contributions(position, velocity)
    for name in ("inertia", "centrifugal", "gravity_effort", "external_effort", "coriolis"):
        own = getattr(found, name)[bodies]
        for axis in range(1, own.ndim):
            own = own.take(order, axis=axis)
        if name == "coriolis":  # of each pair in the order of the coordinates
            own = np.triu(own + own.swapaxes(-1, -2), 1)
        assert_close(own, getattr(expected, name), 1e-9)
    assert found.effort_units[found.velocity_names.index("lift_rod")] == "N"
    many = looped.contributions(np.array([closed.position] * 2), closed.velocity)
    np.testing.assert_array_equal(many.coriolis[1], found.coriolis)
