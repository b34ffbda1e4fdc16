# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Inverse kinematics: targets are reached within the limits, or reported as not reached."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from loop_robots import hung_platform, looped_charmie

from charmie_dynamics import InputError, Model, OutOfReachError, UnknownNameError, load_model

ARM = [f"left_arm_joint_{k}" for k in range(1, 7)]
LINEAR = ["lift_actuator", "torso_actuator"]
TOLERANCE = 1e-9
Floats = np.ndarray


def drawn(model: Model, actuators: list[str], count: int, seed: int) -> Floats:
    """Return positions (count, p) with some actuators anywhere in their range."""
    rng = np.random.default_rng(seed)
    positions = np.tile(model.rest_position(), (count, 1))
    for name, limit in zip(model.actuator_names, model.actuator_limits(), strict=True):
        if name in actuators:
            column = model.position_names.index(name)
            positions[:, column] = rng.uniform(limit.lower, limit.upper, count)
    return positions


def require_within_limits(model: Model, positions: Floats) -> None:
    for name, limit in zip(model.actuator_names, model.actuator_limits(), strict=True):
        own = positions[..., model.position_names.index(name)]
        assert (own >= limit.lower).all() and (own <= limit.upper).all(), name


def angles(first: Floats, second: Floats) -> Floats:
    """Return the angles (rad) between rotation matrices (..., 3, 3), small ones accurately."""
    chord = np.linalg.norm(first - second, axis=(-2, -1)) / np.sqrt(8.0)
    return 2.0 * np.arcsin(np.minimum(chord, 1.0))


def as_seen(model: Model, positions: Floats, frame: str) -> tuple[Floats, Floats]:
    return model.kinematics(positions).frame(frame)


ROBOTS = {
    "charmie": ("left_tool", [*LINEAR, *ARM]),
    "charmie_lar": (
        "xarm_link_tcp",
        ["lift_actuator", "torso_actuator", *(f"xarm_joint{k}" for k in range(1, 7))],
    ),
    "arm_6r": ("tool0", [f"joint_{k}" for k in range(1, 7)]),
}


@pytest.mark.parametrize("name", ROBOTS)
def test_random_poses_are_reached_within_the_limits(name: str) -> None:
    model, (frame, actuators) = load_model(name), ROBOTS[name]
    p, R = as_seen(model, drawn(model, actuators, 60, 1), frame)
    found = model.inverse_kinematics(frame, p, R, actuators=actuators, restarts=60)
    assert found.reached.all()
    at, turned = as_seen(model, found.position, frame)
    assert np.linalg.norm(at - p, axis=1).max() <= 2.0 * TOLERANCE
    assert angles(turned, R).max() <= 2.0 * TOLERANCE
    require_within_limits(model, found.position)
    fixed = [k for k, each in enumerate(model.position_names) if each not in actuators]
    expected = np.broadcast_to(model.rest_position()[fixed], (60, len(fixed)))
    np.testing.assert_array_equal(found.position[:, fixed], expected)


def test_positions_alone_are_targets_of_a_point(charmie: Model) -> None:
    point = np.array((0.02, -0.03, 0.1))
    p, R = as_seen(charmie, drawn(charmie, ARM, 40, 2), "left_tool")
    targets = p + R @ point
    found = charmie.inverse_kinematics("left_tool", targets, point=point, actuators=ARM)
    p, R = as_seen(charmie, found.position, "left_tool")
    np.testing.assert_allclose(p + R @ point, targets, rtol=0, atol=2.0 * TOLERANCE)
    assert not found.rotation_error.any()


def test_the_frame_may_turn_about_a_fixed_axis(charmie: Model) -> None:
    actuators = [*LINEAR, *ARM]
    p, R = as_seen(charmie, drawn(charmie, actuators, 40, 3), "left_tool")
    axis = np.array((0.0, 2.0, 1.0)) / np.sqrt(5.0)
    options: dict[str, Any] = {"direction": 3.0 * R @ axis, "axis": axis, "actuators": actuators}
    found = charmie.inverse_kinematics("left_tool", p, **options)
    at, turned = as_seen(charmie, found.position, "left_tool")
    np.testing.assert_allclose(at, p, rtol=0, atol=2.0 * TOLERANCE)
    np.testing.assert_allclose(turned @ axis, R @ axis, rtol=0, atol=2.0 * TOLERANCE)
    assert angles(turned, R).max() > 0.1  # which is free


def test_an_opposite_direction_is_reached(charmie: Model) -> None:
    p, R = as_seen(charmie, charmie.rest_position(), "left_tool")
    options: dict[str, Any] = {"direction": -R[:, 1], "axis": (0, 1, 0)}
    found = charmie.inverse_kinematics("left_tool", p, **options)
    np.testing.assert_allclose(
        as_seen(charmie, found.position, "left_tool")[1][:, 1], -R[:, 1], atol=2.0 * TOLERANCE
    )


def test_a_half_turn_is_reached(charmie: Model) -> None:
    start = charmie.rest_position()
    p, R = as_seen(charmie, start, "left_tool")
    target = R @ np.diag((-1.0, -1.0, 1.0))
    found = charmie.inverse_kinematics("left_tool", p, target)
    turned = as_seen(charmie, found.position, "left_tool")[1]
    np.testing.assert_allclose(turned, target, rtol=0, atol=2.0 * TOLERANCE)


def test_the_start_is_the_result_where_it_is_at_the_target(charmie: Model) -> None:
    start = drawn(charmie, ARM, 1, 4)[0]
    p, R = as_seen(charmie, start, "left_tool")
    found = charmie.inverse_kinematics("left_tool", p, R, start=start)
    np.testing.assert_array_equal(found.position, start)
    assert found.iterations == 0 and found.reached.all()


def test_a_target_at_a_limit_is_reached(charmie: Model) -> None:
    start = charmie.rest_position()
    goal = start.copy()
    limits = dict(zip(charmie.actuator_names, charmie.actuator_limits(), strict=True))
    for name in ("lift_actuator", "left_arm_joint_2", "left_arm_joint_5"):
        goal[charmie.position_names.index(name)] = limits[name].upper
    p, R = as_seen(charmie, goal, "left_tool")
    found = charmie.inverse_kinematics("left_tool", p, R, actuators=["lift_actuator", *ARM])
    assert found.reached.all()
    require_within_limits(charmie, found.position)


@pytest.mark.parametrize("restarts", [0, 30])
def test_many_targets_equal_single_ones_bit_for_bit(charmie: Model, restarts: int) -> None:
    poses = drawn(charmie, [*LINEAR, *ARM], 12, 5)
    p, R = (array.reshape(3, 4, *array.shape[1:]) for array in as_seen(charmie, poses, "left_tool"))
    options: dict[str, Any] = {"restarts": restarts, "partial": True, "actuators": ARM, "seed": 8}
    many = charmie.inverse_kinematics("left_tool", p, R, **options)
    assert many.position.shape == (3, 4, 21) and many.reached.shape == (3, 4)
    assert 0 < many.reached.sum()
    for n in np.ndindex(3, 4):
        single = charmie.inverse_kinematics("left_tool", p[n], R[n], **options)
        for name, array in vars(single).items():
            np.testing.assert_array_equal(getattr(many, name)[n], array, err_msg=f"{name} {n}")


def test_other_seeds_have_other_searches(charmie: Model) -> None:
    p, R = as_seen(charmie, drawn(charmie, ARM, 12, 6), "left_tool")
    first, same, other = (
        charmie.inverse_kinematics("left_tool", p, R, actuators=ARM, seed=seed, partial=True)
        for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first.position, same.position)
    assert (first.iterations != other.iterations).any()


def test_a_target_broadcasts_with_starts(charmie: Model) -> None:
    starts = drawn(charmie, ARM, 5, 7)
    found = charmie.inverse_kinematics("left_tool", [-0.3, 0.6, 0.8], start=starts)
    assert found.position.shape == (5, 21)
    assert len(np.unique(found.position.round(6), axis=0)) == 5


def test_no_targets_have_no_positions(charmie: Model) -> None:
    found = charmie.inverse_kinematics("left_tool", np.zeros((0, 3)))
    assert found.position.shape == (0, 21) and found.reached.shape == (0,)


def test_a_target_beyond_reach_is_an_error_or_not_a_number(charmie: Model) -> None:
    targets = np.array([[-0.3, 0.6, 0.8], [0.0, 0.0, 9.0]])
    with pytest.raises(OutOfReachError, match=r"^sample 1: frame 'left_tool'.*\(0, 0, 9\) m") as e:
        charmie.inverse_kinematics("left_tool", targets, restarts=2)
    assert e.value.name == "left_tool"
    with pytest.raises(OutOfReachError, match=r"^frame 'left_tool'.* best of 3 searches is 7\."):
        charmie.inverse_kinematics("left_tool", targets[1], restarts=2)
    found = charmie.inverse_kinematics("left_tool", targets, restarts=2, partial=True)
    assert found.reached.tolist() == [True, False]
    assert np.isfinite(found.position[0]).all() and np.isnan(found.position[1]).all()
    assert found.position_error[1] > 7.0


def test_limits_bound_what_is_reached(charmie: Model) -> None:
    """The lift raises the tool by 0.2 m, and no more."""
    p = as_seen(charmie, charmie.rest_position(), "left_tool")[0]
    targets = p + np.array([[0.0, 0.0, 0.05], [0.0, 0.0, 0.4]])
    options: dict[str, Any] = {"actuators": ["lift_actuator"], "partial": True}
    found = charmie.inverse_kinematics("left_tool", targets, **options)
    assert found.reached.tolist() == [True, False]


def test_the_delta_stays_closed_on_its_branch() -> None:
    model = load_model("delta")
    rng = np.random.default_rng(9)
    arms = rng.uniform(-0.3, 0.7, (12, 3))
    start = np.tile(model.zero_position(), (12, 1))
    start[:, model.actuator_index] = arms
    expected = model.assemble(start).position
    p = as_seen(model, expected, "tool")[0]
    found = model.inverse_kinematics("tool", p)
    np.testing.assert_allclose(
        found.position[:, model.actuator_index], arms, rtol=0, atol=1e-7
    )  # the delta's arms are on their own branch, too
    for position in found.position:
        assert abs(model.constraints(position).error).max() < 1e-9
    np.testing.assert_allclose(as_seen(model, found.position, "tool")[0], p, atol=2.0 * TOLERANCE)
    single = model.inverse_kinematics("tool", p[3])
    np.testing.assert_array_equal(single.position, found.position[3])


@pytest.mark.parametrize(
    ("robot", "frame", "lengths"),
    [
        (looped_charmie, "left_tool", {"lift_rod": 0.48, "torso_rod": 0.42}),
        (hung_platform, "platform", {}),
    ],
)
def test_robots_with_loops_return_to_a_pose(
    robot: Callable[[Path], Model], frame: str, lengths: dict[str, float], tmp_path: Path
) -> None:
    model = robot(tmp_path)
    start = model.zero_position()
    for name, length in lengths.items():
        start[model.position_names.index(name)] = length
    start = model.assemble(start).position
    goal = start.copy()
    goal[model.flat.freedoms.position_entry[model.actuator_index]] -= 0.03
    goal = model.assemble(goal).position
    p, R = as_seen(model, goal, frame)
    found = model.inverse_kinematics(frame, p, R, start=start)
    at, turned = as_seen(model, found.position, frame)
    np.testing.assert_allclose(at, p, rtol=0, atol=2.0 * TOLERANCE)
    assert angles(turned, R) < 2.0 * TOLERANCE


def test_floating_joints_stay_put() -> None:
    model = load_model("athena")
    start = model.rest_position()
    frame = next(name for name in model.frame_names if "foot" in name)
    p = as_seen(model, start, frame)[0] + (0.01, -0.01, 0.02)
    found = model.inverse_kinematics(frame, p, start=start)
    passive = [k for k, n in enumerate(model.position_names) if n not in model.actuator_names]
    assert passive
    np.testing.assert_array_equal(found.position[passive], start[passive])
    np.testing.assert_allclose(as_seen(model, found.position, frame)[0], p, atol=2.0 * TOLERANCE)


INVALID: dict[str, tuple[type[Exception], str, dict[str, Any]]] = {
    "frame": (UnknownNameError, "frame 'left_tol' is unknown; did", {"frame": "left_tol"}),
    "shape": (InputError, r"position: expected shape \(3,\), got \(2,\)", {"position": [1, 2]}),
    "not a number": (InputError, "position: expected finite .*'z'", {"position": [0, 0, np.nan]}),
    "rotation": (InputError, "rotation: expected shape", {"rotation": np.eye(4)}),
    "stretch": (InputError, "rotation: expected rotation matr", {"rotation": 2 * np.eye(3)}),
    "mirror": (InputError, "rotation: expected rotation matr", {"rotation": -np.eye(3)}),
    "no direction": (InputError, "direction: expected a vector", {"direction": [0, 0, 0]}),
    "no axis": (InputError, "axis: expected a vector", {"axis": (0, 0, 0)}),
    "both": (InputError, "got both", {"rotation": np.eye(3), "direction": [0, 0, 1]}),
    "broadcast": (
        InputError,
        "leading axes",
        {"position": np.zeros((2, 3)), "direction": np.ones((3, 3))},
    ),
    "actuator": (UnknownNameError, "actuator 'lifter' is unknown", {"actuators": ["lifter"]}),
    "no actuators": (InputError, "actuators: expected some that move", {"actuators": []}),
    "other arm": (
        InputError,
        "actuators: expected some that move frame 'left_tool', got right_arm_joint_1",
        {"actuators": ["right_arm_joint_1"]},
    ),
    "fixed frame": (InputError, "actuators: expected some", {"frame": "world"}),
    "tolerance": (InputError, "expected tolerance > 0", {"tolerance": 0.0}),
    "restarts": (InputError, "restarts >= 0", {"restarts": -1}),
    "start": (InputError, r"start: expected shape \(21,\)", {"start": np.zeros(3)}),
    "point": (InputError, "point: expected shape", {"point": (0, 0)}),
}


@pytest.mark.parametrize("case", INVALID)
def test_invalid_input_is_refused(charmie: Model, case: str) -> None:
    error, message, changes = INVALID[case]
    options = {"frame": "left_tool", "position": [-0.3, 0.6, 0.8], **changes}
    if options["frame"] == "world":
        options["frame"] = charmie.frame_names[0]
    with pytest.raises(error, match=message):
        charmie.inverse_kinematics(**options)


def test_a_start_beyond_the_limits_is_refused(charmie: Model) -> None:
    start = charmie.rest_position()
    start[charmie.position_names.index("right_arm_joint_2")] = 2.7
    with pytest.raises(InputError, match=r"start: expected 'right_arm_joint_2' within -2.6 to 2.6"):
        charmie.inverse_kinematics("left_tool", [-0.3, 0.6, 0.8], start=start)
