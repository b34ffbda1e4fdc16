# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the tests of symbolic equations share: small robots, and their terms as numbers."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from benchmarks.arms import arm_urdf
from charmie_dynamics import Model, load_model

# a branched tree with everything that arms have not: skew axes, turned frames, a prismatic joint
# behind a revolute one, links fixed to others, a joint that mimics another, a link without mass
ODD = """
<robot name="odd">
  <link name="root"><inertial><mass value="3"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="stand" type="fixed"><parent link="root"/><child link="stand"/>
    <origin xyz="0.1 0.2 0.3" rpy="0.3 0.1 0"/></joint>
  <link name="stand"/>
  <joint name="swing" type="revolute"><parent link="stand"/><child link="beam"/>
    <origin xyz="0 0.1 0" rpy="0 0 0.4"/><axis xyz="0.6 0 0.8"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <link name="beam"><inertial><origin xyz="0.3 0.02 0" rpy="0 0.2 0"/><mass value="2"/>
    <inertia ixx="0.03" iyy="0.05" izz="0.04" ixy="0.001" ixz="0.002" iyz="-0.003"/>
    </inertial></link>
  <joint name="bolt" type="fixed"><parent link="beam"/><child link="plate"/>
    <origin xyz="0.4 0 0" rpy="0 0 1.2"/></joint>
  <link name="plate"><inertial><origin xyz="0 0.1 0"/><mass value="0.5"/>
    <inertia ixx="0.002" iyy="0.001" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="slide" type="prismatic"><parent link="plate"/><child link="slider"/>
    <origin xyz="0 0.05 0.1"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <link name="slider"><inertial><origin xyz="0.05 0 0"/><mass value="0.7"/>
    <inertia ixx="0.002" iyy="0.003" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="follow" type="revolute"><parent link="beam"/><child link="flap"/>
    <origin xyz="0.2 0 0.1"/><axis xyz="1 0 0"/>
    <mimic joint="slide" multiplier="-1.5" offset="0.2"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <link name="flap"><inertial><origin xyz="0 0 0.1"/><mass value="0.3"/>
    <inertia ixx="0.001" iyy="0.002" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="free" type="continuous"><parent link="flap"/><child link="bare"/>
    <origin xyz="0 0 0.2"/><axis xyz="0 0 1"/></joint>
  <link name="bare"/>
  <joint name="tip" type="fixed"><parent link="bare"/><child link="weight"/>
    <origin xyz="0.1 0 0"/></joint>
  <link name="weight"><inertial><mass value="0.2"/>
    <inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
</robot>
"""
SIZES = {"arm_2": 2, "arm_4": 4, "arm_6": 6}


class Terms(NamedTuple):
    mass_matrix: np.ndarray
    bias: np.ndarray
    gravity: np.ndarray


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out what needs SymPy where that is missing."""
    if importlib.util.find_spec("sympy") is None:
        for item in items:
            if "symbolic" in item.path.parts and "without_sympy" not in item.name:
                item.add_marker(pytest.mark.skip(reason="SymPy is missing"))


@pytest.fixture(scope="session")
def robot_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Model]:
    """A function that returns a robot by its name."""
    folder: Path = tmp_path_factory.mktemp("robots")

    def robot_of(name: str) -> Model:
        if name == "scara":
            return load_model("scara")
        path = folder / f"{name}.urdf"
        path.write_text(ODD if name == "odd" else arm_urdf(SIZES[name]))
        return load_model(path)

    return robot_of


def numeric_terms(model: Model, position: np.ndarray, velocity: np.ndarray) -> Terms:
    """The terms by inverse dynamics: efforts of unit accelerations, and of none."""

    def effort(velocity: np.ndarray, acceleration: np.ndarray) -> np.ndarray:
        return model.compute(position, velocity, acceleration).generalized_force

    rest = np.zeros_like(position)
    gravity = effort(rest, rest)
    columns = [effort(rest, unit) - gravity for unit in np.eye(len(position))]
    return Terms(np.array(columns).T, effort(velocity, rest) - gravity, gravity)


@pytest.fixture(scope="session")
def terms_of() -> Callable[..., Terms]:
    """A function that returns the numeric terms of a model, a position and a velocity."""
    return numeric_terms
