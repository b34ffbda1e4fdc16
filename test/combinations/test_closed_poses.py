# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Closed poses of random robots with loops: on their branch, closed, within limits, repeatable."""

from __future__ import annotations

import numpy as np
import pytest
from generator import LOOPS, OF_TREES, Plan, plans
from hypothesis import assume, given
from hypothesis import strategies as st
from loop_robots import narrowed
from situations import DescribedSituation, situation

from charmie_dynamics import Model
from charmie_dynamics.errors import CharmieError, LoopError, OutOfReachError

FINE = 200  # steps of the path that a pose is compared with
CLOSED = 1e-9
WIDTH = 0.3  # rad or m, of the limits about the present position
JUMP = 0.05  # rad or m, of a passive joint in a step of the path, near a singular position


def looped(plan: Plan, loop: str) -> DescribedSituation:
    """Return a robot with at least one loop, not near a singular position."""
    joints, features, seed = plan
    s = situation(Plan(joints[:3], (loop, *features[:2]), seed))
    assume(s.has_loops and s.is_regular)
    return s


def columns_at(s: DescribedSituation, model: Model, x: np.ndarray) -> np.ndarray:
    return model.constraints(x).jacobian[:, ~s.kept]


def same_orientation(before: np.ndarray, after: np.ndarray) -> bool:
    """Return whether independent rows have determinants of one sign; dependent ones follow."""
    U, values, V = np.linalg.svd(before, full_matrices=False)
    rank = int((values > 1e-8 * values[0]).sum()) if values.size else 0
    return bool(np.linalg.slogdet(U[:, :rank].T @ after @ V[:rank].T)[0] > 0.0)


def followed(
    s: DescribedSituation, model: Model, target: np.ndarray
) -> tuple[np.ndarray | None, float]:
    """Follow the path from the present position in small steps.

    Returns
    -------
    end : (p,) array or None
        None: there is a singular position on the path.
    largest : float
        Of the steps of passive joints.
    """
    x, before, largest = s.x, columns_at(s, model, s.x), 0.0
    names = model.velocity_names
    driven = [model.position_names.index(names[c]) for c in np.flatnonzero(s.kept)]
    for part in np.linspace(0.0, 1.0, FINE + 1)[1:]:
        trial = x.copy()
        trial[driven] = s.x[driven] + part * (target[driven] - s.x[driven])
        try:
            x = model.assemble(trial).position
        except CharmieError:
            return None, largest
        largest = max(largest, float(abs(x - trial).max()))
        after = columns_at(s, model, x)
        if not same_orientation(before, after):
            return None, largest
        before = after
    return x, largest


def single(s: DescribedSituation) -> bool:
    """Return whether all coordinates that are not passive have one position each."""
    kept = [name for name, is_kept in zip(s.model.velocity_names, s.kept, strict=True) if is_kept]
    return set(kept) <= set(s.model.position_names)


@given(plan=plans((*LOOPS, *OF_TREES)), loop=st.sampled_from(LOOPS), seed=st.integers(0, 999))
def test_a_closed_pose_is_the_end_of_a_fine_path(plan: Plan, loop: str, seed: int) -> None:
    s = looped(plan, loop)
    assume(single(s))
    m, rng = s.model, np.random.default_rng(seed)
    driven = [name for name in m.position_names if name in m.actuator_names]
    assume(driven)
    at = [m.position_names.index(name) for name in driven]
    target = s.x.copy()
    target[at] += rng.uniform(-WIDTH, WIDTH, len(at))
    values = dict(zip(driven, target[at].tolist(), strict=True))
    try:
        found = m.closed_pose(values, branch=s.x)
    except (LoopError, OutOfReachError):
        # a path that keeps well away from singular positions is not refused
        end, largest = followed(s, m, target)
        assert end is None or largest > JUMP or m.constraints(end).conditioning < 1e-3
        return
    np.testing.assert_array_equal(found[at], target[at])
    assert abs(m.constraints(found).error).max() < CLOSED
    end, _ = followed(s, m, target)
    assert end is not None
    np.testing.assert_allclose(found, end, atol=1e-7)


@given(plan=plans((*LOOPS, *OF_TREES)), loop=st.sampled_from(LOOPS), seed=st.integers(0, 999))
def test_random_poses_are_closed_and_within_limits(plan: Plan, loop: str, seed: int) -> None:
    s = looped(plan, loop)
    model = narrowed(s.model, s.x, 0.2 * WIDTH).with_loads(*s.model.loads)
    try:
        poses = model.random_poses(6, seed, branch=s.x)
    except CharmieError as error:
        # loops that the actuators do not move independently
        assert "none in 1000" in str(error)
        return
    np.testing.assert_array_equal(poses, model.random_poses(6, seed, branch=s.x))
    columns = [model.position_names.index(name) for name in model.actuator_names]
    low, high = np.array([(x.lower, x.upper) for x in model.actuator_limits()]).reshape(-1, 2).T
    assert (poses[:, columns] >= low).all() and (poses[:, columns] <= high).all()
    if columns:
        assert len(np.unique(poses[:, columns], axis=0)) == len(poses)
    for pose in poses:
        assert abs(model.constraints(pose).error).max() < CLOSED
        if single(s):
            end, _ = followed(s, model, pose)
            assert end is not None
            np.testing.assert_allclose(pose, end, atol=1e-7)


@given(plan=plans((*LOOPS, *OF_TREES)), loop=st.sampled_from(LOOPS), seed=st.integers(0, 999))
def test_paths_end_or_cross_where_poses_leave_the_branch(plan: Plan, loop: str, seed: int) -> None:
    s = looped(plan, loop)
    assume(single(s) and len(s.model.actuator_names))
    m, rng = s.model, np.random.default_rng(seed)
    at = [m.position_names.index(name) for name in m.actuator_names]
    path = np.array([s.x, s.x])
    path[1, at] += rng.uniform(-3.0, 3.0, len(at))
    found = m.singular_positions(path, [0.0, 1.0], branch=s.x)
    left = [each for each in found if each.kind in ("crosses", "ends")]
    last = left[0].time if left else 1.0

    def pose_at(part: float) -> np.ndarray:
        x = path[0] + part * (path[1] - path[0])
        return m.closed_pose({m.position_names[k]: float(x[k]) for k in at}, branch=s.x)

    assert abs(m.constraints(pose_at(0.999 * last)).error).max() < CLOSED
    if left:
        assert all(0.0 <= each.time <= 1.0 for each in left)
        with pytest.raises(CharmieError):
            pose_at(min(1.0, 1.001 * last + 1e-6))
