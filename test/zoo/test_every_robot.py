# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Every URDF of example-robot-data agrees with Pinocchio; what cannot be right in it is told."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pinocchio as pin
import pytest

from charmie_dynamics import ModelFileError, ModelFileWarning, load_model
from charmie_dynamics.model.description import inertials, mimics
from charmie_dynamics.model.reading import read_model
from validation.example_robots import EMPTY, FILES, UNPHYSICAL, find_doubtful, find_robots
from validation.pinocchio_equations import TOLERANCE as EQUATIONS_TOLERANCE
from validation.pinocchio_equations import compare_equations
from validation.pinocchio_reference import TOLERANCE, Differences, Reference, compare, random_states

Record = Callable[[Differences], None]
ROBOTS = find_robots()
# consequences of what no robot can be
IMPOSSIBLE = (inertials.CONSEQUENCE, mimics.CONSEQUENCE)
# the root of a pendulum, whose inertial no body of its size has; a fixed root needs none
PLACEHOLDER = "base_link"


def test_every_file_of_the_package_is_known() -> None:
    assert len(ROBOTS) == FILES
    assert UNPHYSICAL.keys() | EMPTY.keys() <= ROBOTS.keys()


@pytest.mark.parametrize("robot", [robot for robot in ROBOTS if robot not in EMPTY])
def test_robot_agrees_with_pinocchio(robot: str, record: Record) -> None:
    path = ROBOTS[robot]
    differences = compare(read_model(path), Reference(path.read_text(encoding="utf-8")))
    record(differences)
    assert not differences.beyond(TOLERANCE)


@pytest.mark.parametrize("robot", [robot for robot in ROBOTS if robot not in EMPTY])
def test_equations_of_the_robot_agree_with_pinocchio(robot: str) -> None:
    path = ROBOTS[robot]
    found = compare_equations(read_model(path), Reference(path.read_text(encoding="utf-8")))
    assert not found.beyond(EQUATIONS_TOLERANCE)


@pytest.mark.parametrize("robot", [robot for robot in ROBOTS if robot not in EMPTY])
def test_warnings_name_what_cannot_be_right_and_nothing_else(robot: str) -> None:
    warnings = [w for w in read_model(ROBOTS[robot]).warnings if w.consequence in IMPOSSIBLE]
    found = {(warning.element, warning.name) for warning in warnings}
    assert found == find_doubtful(ROBOTS[robot].read_text(encoding="utf-8"))
    assert bool(found) == (robot in UNPHYSICAL)


@pytest.mark.parametrize("robot", [robot for robot in ROBOTS if robot not in EMPTY])
def test_other_warnings_are_of_elements_friction_and_one_placeholder(robot: str) -> None:
    others = [w for w in read_model(ROBOTS[robot]).warnings if w.consequence not in IMPOSSIBLE]
    assert all(w.consequence.startswith("ignored") for w in others if w.name != PLACEHOLDER)
    assert sum(w.name == PLACEHOLDER for w in others) == ("double_pendulum_simple" in robot)


@pytest.mark.parametrize("robot", [robot for robot in ROBOTS if robot not in EMPTY])
def test_friction_of_joints_is_that_of_pinocchio(robot: str) -> None:
    text = ROBOTS[robot].read_text(encoding="utf-8")
    reference = Reference(text)
    names = [joint.name for joint in read_model(ROBOTS[robot]).tree.joints]
    friction = {joint.name: joint.friction for joint in read_model(ROBOTS[robot]).tree.joints}
    for name in names:
        k = reference.model.getJointId(name)
        if k < reference.model.njoints and friction[name] is not None:
            first = reference.model.idx_vs[k]
            found = friction[name].viscous, friction[name].coulomb
            expected = reference.model.damping[first], reference.model.friction[first]
            np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("robot", UNPHYSICAL)
def test_robot_that_cannot_be_right_warns_or_is_refused_if_it_has_to_be(robot: str) -> None:
    with pytest.warns(ModelFileWarning) as warned:
        load_model(urdf=ROBOTS[robot])
    with pytest.raises(ModelFileError) as refused:
        load_model(urdf=ROBOTS[robot], strict=True)
    for words in (str(ROBOTS[robot]), *UNPHYSICAL[robot]):
        assert words in str(warned[0].message)
        assert words in str(refused.value)


@pytest.mark.parametrize("robot", EMPTY)
def test_file_that_is_no_robot_is_refused_for_what_is_wrong_in_it(robot: str) -> None:
    with pytest.raises(ModelFileError) as caught:
        load_model(urdf=ROBOTS[robot])
    for words in (str(ROBOTS[robot]), *EMPTY[robot]):
        assert words in str(caught.value)


@pytest.mark.parametrize(
    "robot",
    [
        "baxter_description/urdf/baxter.urdf",
        "panda_description/urdf/panda.urdf",
        "pr2_description/urdf/pr2.urdf",
        "tiago_pro_description/robots/tiago_pro.urdf",
    ],
)
def test_folded_mimic_joints_are_those_of_pinocchio(robot: str) -> None:
    text = ROBOTS[robot].read_text(encoding="utf-8")
    reference = Reference(text)
    model = pin.buildModelFromXML(text, mimic=True)
    assert reference.followers
    assert len(reference.joints) == model.nv
    ids = [model.getJointId(joint) for joint in reference.joints]
    for state in random_states(len(ids)):
        q, v, a = pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
        for k, (position, velocity, acceleration) in zip(ids, state.T, strict=True):
            circle = (np.cos(position), np.sin(position))
            q[model.idx_qs[k] :][: model.nqs[k]] = circle if model.nqs[k] == 2 else position
            v[model.idx_vs[k]], a[model.idx_vs[k]] = velocity, acceleration
        load = pin.rnea(model, model.createData(), q, v, a)
        expected = load[[model.idx_vs[k] for k in ids]]
        folded = reference.solve((), reference.joints, state).generalized_force
        np.testing.assert_allclose(folded, expected, rtol=0.0, atol=1e-12 * np.abs(expected).max())
