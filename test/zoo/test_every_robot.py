"""Every URDF of example-robot-data agrees with Pinocchio, or is refused for a true reason."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from charmie_dynamics import ModelFileError, load_model
from validation.example_robots import FILES, REFUSALS, UNPHYSICAL, find_robots, mend
from validation.pinocchio_reference import TOLERANCE, Differences, Reference, compare, random_states

Record = Callable[[Differences], None]
ROBOTS = find_robots()


def test_every_file_of_the_package_is_known() -> None:
    assert len(ROBOTS) == FILES
    assert REFUSALS.keys() <= ROBOTS.keys()


@pytest.mark.parametrize("robot", [robot for robot in ROBOTS if robot not in REFUSALS])
def test_robot_agrees_with_pinocchio(robot: str, record: Record) -> None:
    path = ROBOTS[robot]
    differences = compare(load_model(urdf=path), Reference(path.read_text(encoding="utf-8")))
    record(differences)
    assert not differences.beyond(TOLERANCE)


@pytest.mark.parametrize("robot", REFUSALS)
def test_robot_is_refused_for_what_is_wrong_in_its_file(robot: str) -> None:
    with pytest.raises(ModelFileError) as caught:
        load_model(urdf=ROBOTS[robot])
    for words in (str(ROBOTS[robot]), *REFUSALS[robot]):
        assert words in str(caught.value)


@pytest.mark.parametrize("robot", UNPHYSICAL)
def test_robot_with_unphysical_inertias_agrees_with_pinocchio_once_its_file_is_mended(
    robot: str, tmp_path: Path, record: Record
) -> None:
    text = mend(ROBOTS[robot].read_text(encoding="utf-8"))
    path = tmp_path / "mended.urdf"
    path.write_text(text, encoding="utf-8")
    differences = compare(load_model(urdf=path), Reference(text))
    record(differences)
    assert not differences.beyond(TOLERANCE)


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
