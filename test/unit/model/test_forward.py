# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forward dynamics undoes inverse dynamics, and says where it cannot."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from all_robots import ROBOTS, robot

from charmie_dynamics import CharmieError, Model, load_model
from charmie_dynamics.errors import MassMatrixError

ARM = """
<robot name="arm">
  <link name="base"/>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
  <link name="upper"><inertial><origin xyz="0 0 0.3"/><mass value="2"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.01"/></inertial></link>
  <joint name="wrist" type="{type}"><parent link="upper"/><child link="last"/>
    <origin xyz="0 0 0.6"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
  <link name="last">{inertial}</link>
</robot>"""


def arm(folder: Path, inertial: str = "", type: str = "revolute") -> Model:
    path = folder / "arm.urdf"
    path.write_text(ARM.format(type=type, inertial=inertial), encoding="utf-8")
    return load_model(urdf=path)


@pytest.fixture(params=ROBOTS)
def model(request: pytest.FixtureRequest) -> Model:
    return robot(request.param)


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_joint_without_mass_behind_it_is_named(tmp_path: Path, kind: str) -> None:
    model = arm(tmp_path, type=kind)
    assert model.compute([0.1, 0.2]).actuator_effort.shape == (2,)
    assert model.equations([0.1, 0.2]).mass_matrix[1, 1] == 0.0
    for call in (model.forward, model.forward_derivatives):
        with pytest.raises(MassMatrixError, match="'wrist' adds no mass of its own") as caught:
            call([0.1, 0.2])
        assert caught.value.name == "wrist"
        assert isinstance(caught.value, CharmieError)


def test_joint_without_mass_is_named_in_a_batch(tmp_path: Path) -> None:
    model = arm(tmp_path)
    for call in (model.forward, model.forward_derivatives):
        with pytest.raises(MassMatrixError, match="'wrist' adds no mass of its own"):
            call(np.zeros((3, 2)))


def test_joints_about_the_same_line_that_turn_the_same_body_are_named(tmp_path: Path) -> None:
    path = tmp_path / "twice.urdf"
    joint = (
        '<joint name="{0}" type="revolute"><parent link="{1}"/><child link="{2}"/>'
        '<axis xyz="0.3 1 0.2"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>'
    )
    inertial = (
        '<inertial><origin xyz="0.1 0.2 0.3"/><mass value="2"/>'
        '<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>'
    )
    path.write_text(
        '<robot name="twice"><link name="base"/><link name="between"/>'
        f'<link name="body">{inertial}</link>'
        + joint.format("inner", "base", "between")
        + joint.format("outer", "between", "body")
        + "</robot>",
        encoding="utf-8",
    )
    model = load_model(urdf=path)
    with pytest.raises(MassMatrixError, match=r"'inner'.*other joints move it in the same way"):
        model.forward([0.4, -0.2])


# principal moments that no body has: the sum is negative about the axis of the last joint
UNPHYSICAL = (
    '<inertial><mass value="0.1"/>'
    '<inertia ixx="0.1" ixy="0" ixz="0" iyy="-0.3" iyz="0" izz="0.1"/></inertial>'
)


@pytest.mark.filterwarnings("ignore")
def test_links_that_no_body_can_be_are_named_where_the_mass_matrix_is_not_positive(
    tmp_path: Path,
) -> None:
    model = arm(tmp_path, UNPHYSICAL)
    assert [warning.name for warning in model.warnings] == ["last"]
    with pytest.raises(MassMatrixError, match=r"see Model\.warnings: last"):
        model.forward([0.1, 0.2])


@pytest.mark.filterwarnings("ignore")
def test_robot_with_warnings_and_a_positive_mass_matrix_is_computed(tmp_path: Path) -> None:
    # a slender body whose moments break the triangle inequality, though none is negative
    inertial = (
        '<inertial><mass value="0.1"/>'
        '<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.5" iyz="0" izz="0.1"/></inertial>'
    )
    model = arm(tmp_path, inertial)
    assert model.warnings
    position, velocity, acceleration = [0.3, -0.4], [0.2, 0.1], [1.0, 2.0]
    effort = model.compute(position, velocity, acceleration).actuator_effort
    found = model.forward(position, velocity, effort).acceleration
    np.testing.assert_allclose(found, acceleration, rtol=1e-12)
