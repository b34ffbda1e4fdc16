# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Every number of a robot's files has a path, and can be another one."""

from __future__ import annotations

import math

import pytest

from charmie_dynamics import InputError, Model, UnknownNameError, load_model
from charmie_dynamics.model.equations.number_paths import (
    numbers_by_path,
    path_of,
    with_numbers,
)

MODEL = load_model()


def changed(values: dict[str, float]) -> dict[str, float]:
    given = MODEL.tree, MODEL.mechanisms
    places = {path_of(*given, path): value for path, value in values.items()}
    return numbers_by_path(*with_numbers(*given, places))


@pytest.mark.parametrize(
    "section", ["gravity", "springs", "balance", "linear", "inertials", "joints", "wheel"]
)
def test_a_number_that_is_changed_is_found_again_and_all_others_stay(section: str) -> None:
    before = numbers_by_path(MODEL.tree, MODEL.mechanisms)
    paths = [path for path in before if path.startswith(section) and ".rpy" not in path]
    assert paths
    for path in paths[:: max(1, len(paths) // 25)]:
        value = 0.75 * before[path] if math.isfinite(before[path]) else 3.0
        value += 0.01
        assert changed({path: value}) == pytest.approx({**before, path: value}, abs=1e-12)


def test_the_angles_of_a_joint_change_one_by_one() -> None:
    paths = {f"joints.left_arm_joint_2.rpy[{k}]": value for k, value in enumerate((0.3, 0.4, -1))}
    found = changed(paths)
    assert {path: found[path] for path in paths} == pytest.approx(paths, abs=1e-12)
    before = numbers_by_path(MODEL.tree, MODEL.mechanisms)
    others = [path for path in before if path not in paths]
    assert [found[path] for path in others] == pytest.approx([before[path] for path in others])


def test_a_robot_with_another_mass_is_the_one_of_such_a_file() -> None:
    path = path_of(MODEL.tree, MODEL.mechanisms, "inertials.head.mass")
    tree, mechanisms = with_numbers(MODEL.tree, MODEL.mechanisms, {path: 5.0})
    change = 5.0 - numbers_by_path(MODEL.tree, MODEL.mechanisms)["inertials.head.mass"]
    assert Model(tree, mechanisms).total_mass == pytest.approx(MODEL.total_mass + change)


def test_a_path_to_nowhere_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"stifness.*springs\.torso_spring\.stiffness"):
        path_of(MODEL.tree, MODEL.mechanisms, "springs.torso_spring.stifness")


def test_a_value_that_is_not_finite_is_refused() -> None:
    path = path_of(MODEL.tree, MODEL.mechanisms, "inertials.head.mass")
    with pytest.raises(InputError, match=r"inertials\.head\.mass"):
        with_numbers(MODEL.tree, MODEL.mechanisms, {path: math.nan})
