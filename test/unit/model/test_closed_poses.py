# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Closed poses by driven coordinates, on assembly branches, at random; singular positions."""

from __future__ import annotations

import math
from pathlib import Path

import loop_robots
import numpy as np
import pytest
from loop_robots import narrowed, rod_between_balls, stewart

from charmie_dynamics import InputError, Model, OutOfReachError, UnknownNameError, load_model
from charmie_dynamics.errors import LoopError
from charmie_dynamics.model import closed_poses
from charmie_dynamics.model.closed_poses import driven_entries
from validation.random_linkages import random_linkage

OTHER = (0.5, 2.0, 3.0)  # near the second way to close the four-bar at 0.5
PARALLEL = (0.5, 0.5 * math.pi - 0.5, 0.5)  # a parallelogram, whose links lie flat at pi / 2


@pytest.fixture(scope="module")
def bars() -> Model:
    return load_model("four_bar")


@pytest.fixture
def legs(tmp_path: Path) -> Model:
    return stewart(tmp_path)


def linkage(folder: Path, monkeypatch: pytest.MonkeyPatch, *lengths: float) -> Model:
    """Return a four-bar with lengths of crank, coupler, rocker and ground."""
    names = "CRANK", "COUPLER", "ROCKER", "GROUND"
    for name, length in zip(names, lengths, strict=True):
        monkeypatch.setattr(loop_robots, name, length)
    return loop_robots.four_bar(folder)


def opening(model: Model, position: np.ndarray) -> float:
    return float(abs(model.constraints(position).error).max())


def sign(model: Model, position: np.ndarray) -> float:
    """Return the sign of the determinant of the independent rows of passive joints."""
    passive = [n in model.mechanisms.passive_joints for n in model.velocity_names]
    columns = model.constraints(position).jacobian[:, passive]
    rows = np.flatnonzero(abs(columns).max(axis=1) > 1e-9)
    assert len(rows) == columns.shape[1]
    return float(np.linalg.slogdet(columns[rows])[0])


def test_driven_coordinates_by_name_and_in_order_give_the_assembled_position(bars: Model) -> None:
    found = bars.closed_pose({"crank_joint": 0.5})
    np.testing.assert_array_equal(found, bars.closed_pose([0.5]))
    np.testing.assert_array_equal(found, bars.assemble([0.5, 0.0, 0.0]).position)


def test_unnamed_coordinates_are_those_of_the_start(legs: Model) -> None:
    start = legs.closed_pose({"leg0": 0.1, "leg3": -0.05})
    found = legs.closed_pose({"leg3": 0.05}, branch=start)
    own = [legs.position_names.index(f"leg{k}") for k in range(6)]
    np.testing.assert_array_equal(found[own], [0.1, 0.0, 0.0, 0.05, 0.0, 0.0])
    assert opening(legs, found) < 1e-12


def test_a_start_selects_the_assembly_and_a_branch_keeps_it(bars: Model) -> None:
    one, other = bars.closed_pose([0.5]), bars.closed_pose([0.5], near=OTHER)
    assert abs(one - other).max() > 1.0 and opening(bars, other) < 1e-12
    assert sign(bars, one) == -sign(bars, other)
    for angle in np.linspace(-20.0, 20.0, 21):
        ends = bars.closed_pose([angle], branch=one), bars.closed_pose([angle], branch=other)
        assert [sign(bars, end) for end in ends] == [sign(bars, one), sign(bars, other)]
        assert max(opening(bars, end) for end in ends) < 1e-12


def test_the_branch_is_that_of_small_steps(legs: Model) -> None:
    branch = legs.closed_pose({})
    target = {f"leg{k}": 0.02 * (k + 1) * (-1) ** k for k in range(6)}
    position = branch
    for part in np.linspace(0.0, 1.0, 101)[1:]:
        position = legs.closed_pose({name: part * x for name, x in target.items()}, near=position)
    np.testing.assert_allclose(legs.closed_pose(target, branch=branch), position, atol=1e-10)


def test_many_poses_equal_single_ones_bit_for_bit(bars: Model) -> None:
    branch = bars.closed_pose([0.5])
    driven = np.linspace(-2.0, 2.0, 6).reshape(2, 3, 1)
    for where in ({}, {"near": branch}, {"branch": branch}):
        found = bars.closed_pose(driven, **where)
        assert found.shape == (2, 3, 3)
        single = [bars.closed_pose(row, **where) for row in driven.reshape(6, 1)]
        np.testing.assert_array_equal(found.reshape(6, 3), single)


def test_idle_motions_stay(tmp_path: Path) -> None:
    model = rod_between_balls(tmp_path)
    branch = model.closed_pose({})
    names = {n for n in model.position_names if n not in model.mechanisms.passive_joints}
    found = model.closed_pose(dict.fromkeys(names, 0.4), branch=branch)
    assert opening(model, found) < 1e-12
    assert model.constraints(found).conditioning > 0.01


@pytest.mark.parametrize("seed", [40, 55, 80, 119, 123, 144])
def test_a_base_that_moves_carries_the_loops(tmp_path: Path, seed: int) -> None:
    linkage = random_linkage(seed)
    assert linkage is not None and linkage.base != "fixed"
    urdf, file = tmp_path / "r.urdf", tmp_path / "r.yaml"
    urdf.write_text(linkage.urdf())
    file.write_text(linkage.mechanisms())
    model = load_model(urdf, file)
    start = model.assemble(linkage.inputs(model, linkage.position, np.zeros(linkage.size))[0])
    entries = driven_entries(model.flat)
    names = [model.position_names[entry] for entry in entries]
    driven = start.position[entries] + np.random.default_rng(seed).uniform(-0.05, 0.05, len(names))
    turn = [k for k, name in enumerate(names) if name.startswith("base_joint/q")]
    driven[turn] /= np.linalg.norm(driven[turn])
    found = model.closed_pose(driven, branch=start.position)
    np.testing.assert_allclose(found[entries], driven, rtol=0.0, atol=1e-15)
    assert opening(model, found) < 1e-12
    unled = start.position.copy()
    unled[entries] = driven
    assert opening(model, unled) > 1e-4


def test_a_branch_ends_in_a_singular_position(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = linkage(tmp_path, monkeypatch, 0.2, 0.6, 0.2, 0.6)
    branch = model.closed_pose([0.5], near=PARALLEL)
    assert sign(model, model.closed_pose([1.5], branch=branch)) == sign(model, branch)
    with pytest.raises(LoopError, match=r"on the branch, .* at 0\.714 of .* another branch") as e:
        model.closed_pose([2.0], branch=branch)
    assert e.value.name in model.mechanisms.passive_joints


def test_the_end_of_reach_names_the_loop_joint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = linkage(tmp_path, monkeypatch, 0.6, 0.3, 0.3, 0.2)
    branch = model.closed_pose([2.0])
    with pytest.raises(OutOfReachError, match=r"'pin': expected driven positions .* opens at") as e:
        model.closed_pose([4.0], branch=branch)
    assert e.value.name == "pin"
    with pytest.raises(OutOfReachError, match=r"sample 1: loop joint 'pin' cannot be closed"):
        model.closed_pose([[2.0], [4.0]])


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"branch": (0.5, 0.0, 0.0)}, OutOfReachError, "branch: loop joint 'pin' is open by"),
        ({"branch": "elbow"}, InputError, r"branch: expected a position \(p,\), got 'elbow'"),
        ({"near": (0.0, 0.0)}, InputError, r"near: expected shape \(3,\), got \(2,\)"),
        ({"near": OTHER, "branch": OTHER}, InputError, "expected near or branch, got both"),
        ({"driven": {"crank": 1.0}}, UnknownNameError, "did you mean 'crank_joint'"),
        ({"driven": {"rocker_joint": 1.0}}, UnknownNameError, "unknown, or passive"),
        ({"driven": {"crank_joint": math.nan}}, InputError, "driven 'crank_joint'"),
        ({"driven": [0.1, 0.2]}, InputError, r"driven: expected shape \(1,\), got \(2,\)"),
        ({"driven": [math.inf]}, InputError, "driven"),
    ],
)
def test_wrong_inputs_are_refused(
    bars: Model, given: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        bars.closed_pose(**{"driven": [0.5], **given})  # type: ignore[arg-type]


def test_a_singular_branch_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = linkage(tmp_path, monkeypatch, 0.2, 0.6, 0.2, 0.6)
    flat = 0.5 * math.pi, 0.0, 0.5 * math.pi
    assert model.constraints(flat).conditioning < 1e-12
    with pytest.raises(LoopError, match="branch: passive joint"):
        model.closed_pose([1.0], branch=flat)


def test_conditioning_is_that_of_the_passive_columns(legs: Model) -> None:
    found = legs.constraints(legs.closed_pose({}))
    passive = [name in legs.mechanisms.passive_joints for name in legs.velocity_names]
    columns = found.jacobian[:, passive] / found.size[:, None]
    assert found.conditioning == pytest.approx(1.0 / np.linalg.cond(columns), rel=1e-12)


@pytest.mark.parametrize("end", [6.0, -6.0])
def test_a_path_that_crosses_singular_positions_reports_when(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: float
) -> None:
    model = linkage(tmp_path, monkeypatch, 0.2, 0.6, 0.2, 0.6)
    path = np.array([[0.5], [0.25 * end], [end]])
    found = model.singular_positions(path, [0.0, 1.0, 2.0], near=PARALLEL)
    crossed = np.array([0.5, 1.5]) * math.copysign(math.pi, end)
    way = math.copysign(1.0, end)
    expected = np.interp(way * crossed, way * path[:, 0], [0.0, 1.0, 2.0])
    assert [each.kind for each in found] == ["crosses", "crosses"]
    np.testing.assert_allclose([each.time for each in found], expected, atol=2e-5)
    for each, angle in zip(found, crossed, strict=True):
        assert each.conditioning < 1e-4 and each.name in model.mechanisms.passive_joints
        assert each.position[0] == pytest.approx(angle, abs=1e-4)


def test_a_path_of_all_coordinates_begins_on_its_own_branch(bars: Model) -> None:
    other = bars.closed_pose([0.5], near=OTHER)
    path = np.array([other, [9.0, np.nan, np.nan]])
    assert bars.singular_positions(path) == ()


def test_a_path_beyond_reach_ends_where_the_loop_opens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = linkage(tmp_path, monkeypatch, 0.6, 0.3, 0.3, 0.2)
    (end,) = model.singular_positions([[2.0], [2.5], [4.0], [2.0]])
    stretched = math.pi - math.asin(0.2 / 1.2)  # coupler and rocker in a line
    assert end.kind == "ends" and end.conditioning < 0.01
    assert end.time == pytest.approx(1.0 + (stretched - 2.5) / 1.5, abs=1e-5)


def test_a_path_near_a_singular_position_touches_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = linkage(tmp_path, monkeypatch, 0.2, 0.6, 0.201, 0.6)
    path = [[0.5], [3.0]]
    (found,) = model.singular_positions(path, near=PARALLEL, least=0.1)
    assert found.kind == "touches" and 1e-4 < found.conditioning < 0.1
    assert found.position[0] == pytest.approx(0.5 * math.pi, abs=0.2)
    assert model.singular_positions(path, near=PARALLEL, least=0.1 * found.conditioning) == ()


def test_linear_actuators_are_singular_in_dead_centres() -> None:
    model = load_model()
    lengths = model.reach("torso_actuator")
    k = model.position_names.index("torso_actuator")
    path = np.tile(model.zero_position(), (3, 1))
    path[1, k] = lengths[1] * (1.0 - 1e-9)
    (found,) = model.singular_positions(path, [0.0, 1.0, 3.0])
    assert (found.name, found.kind, found.time) == ("torso_actuator", "touches", 1.0)
    assert found.conditioning < 1e-3
    path[1, k] = lengths[1] + 0.01
    (found,) = model.singular_positions(path)
    assert (found.name, found.kind) == ("torso_actuator", "ends")
    assert found.position[k] == pytest.approx(lengths[1], abs=1e-4)
    with pytest.raises(OutOfReachError, match="torso_actuator"):
        model.closed_pose({"torso_actuator": lengths[1] + 0.01})


@pytest.mark.parametrize(
    ("path", "times", "message"),
    [
        ([0.1, 0.2], None, r"path: expected shape \(k, 1\) or \(k, 3\), got \(2,\)"),
        (np.zeros((0, 1)), None, "path: expected shape"),
        ([[0.1], [0.2]], [1.0], r"times: expected shape \(2,\), got \(1,\)"),
    ],
)
def test_wrong_paths_are_refused(bars: Model, path: object, times: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        bars.singular_positions(path, times)  # type: ignore[arg-type]


def within_limits(model: Model, poses: np.ndarray) -> bool:
    """Return whether driven and passive joints of one coordinate are within their limits."""
    limits = {joint.name: joint.limit for joint in model.tree.joints}
    limits.update((part.name, part.limit) for part in model.mechanisms.linear_actuators)
    ends = [limits[name] for name in model.position_names]
    low, high = np.array([(limit.lower, limit.upper) for limit in ends]).T
    return bool(((poses >= low) & (poses <= high)).all())


def test_random_poses_of_a_platform_stay_on_their_branch(legs: Model) -> None:
    branch = legs.closed_pose({})
    model = narrowed(legs, branch, 0.3)
    poses = model.random_poses(200, seed=2)
    assert {sign(model, pose) for pose in poses} == {sign(model, branch)}
    assert max(opening(model, pose) for pose in poses) < 1e-9
    assert within_limits(model, poses)
    columns = [model.position_names.index(f"leg{k}") for k in range(6)]
    assert (abs(poses[:, columns]).max(axis=0) > 0.25).all()


def test_random_poses_of_linear_actuators_are_within_limits_and_reach() -> None:
    model = load_model()
    poses = model.random_poses(300, seed=2)
    assert within_limits(model, poses)
    model.kinematics(poses)


def test_passive_joints_are_within_their_limits(legs: Model) -> None:
    model = narrowed(legs, legs.closed_pose({}), 0.1, {"pr": 0.05})
    poses = model.random_poses(20, seed=1)
    assert within_limits(model, poses) and len(poses) == 20
    without = narrowed(legs, legs.closed_pose({}), 0.1).random_poses(20, seed=1)
    assert not within_limits(model, without)


def test_equal_seeds_give_equal_poses_and_generators_continue(bars: Model) -> None:
    poses = bars.random_poses(5, seed=3)
    np.testing.assert_array_equal(poses, bars.random_poses(5, seed=3))
    rng = np.random.default_rng(3)
    parts = bars.random_poses(2, rng), bars.random_poses(3, rng)
    np.testing.assert_array_equal(poses, np.concatenate(parts))
    assert bars.random_poses(0).shape == (0, 3)


def test_random_poses_are_on_the_branch_of_a_position(bars: Model) -> None:
    other = bars.closed_pose([0.5], near=OTHER)
    signs = {sign(bars, pose) for pose in bars.random_poses(50, branch=other)}
    assert signs == {sign(bars, other)} != {sign(bars, bars.closed_pose([0.5]))}


def test_limits_without_closed_poses_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = linkage(tmp_path, monkeypatch, 0.6, 0.3, 0.3, 0.2)
    branch = model.closed_pose([2.0])
    beyond = narrowed(model, np.array([4.0, 0.0, 0.0]), 0.1)
    monkeypatch.setattr(closed_poses, "MOST_REJECTED", 50)
    message = "none in 50 random positions; narrow the limits .* loop joint 'pin'"
    with pytest.raises(InputError, match=message):
        beyond.random_poses(1, branch=branch)
    with pytest.raises(InputError, match="expected a number of at least 0, got -1"):
        model.random_poses(-1, branch=branch)


@pytest.mark.parametrize("name", ["parallel_gripper", "spring_leg"])
@pytest.mark.parametrize("rows", [[], [-0.5], [-0.007, 0.013], [-0.02, 0.02]])
def test_a_path_through_flat_parallelograms_crosses_them(name: str, rows: list[float]) -> None:
    """Of the gripper two at once; the loops may leave on another branch wherever a row lies."""
    model = load_model(name)
    flat, end = {"parallel_gripper": (-1.4668517113662407, -2.0), "spring_leg": (1.6, 2.0)}[name]
    column = model.actuator_names.index({"parallel_gripper": "left_crank_joint",
                                         "spring_leg": "knee_joint"}[name])  # fmt: skip
    path = np.zeros((len(rows) + 2, len(model.actuator_names)))
    path[1:, column] = [*(flat + np.sign(end) * row for row in rows), end]
    found = model.singular_positions(path)
    assert "ends" not in [each.kind for each in found]
    (crossing,) = [each for each in found if each.kind == "crosses"]
    place = model.position_names.index(model.actuator_names[column])
    assert crossing.position[place] == pytest.approx(flat, abs=1e-4)
    with pytest.raises(LoopError):
        model.closed_pose(path[-1], branch=model.closed_pose(path[0]))
