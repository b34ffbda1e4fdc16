# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Ten robots of different kinds agree with Pinocchio; `scripts/test zoo` takes all there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from charmie_dynamics import load_model
from validation.example_robots import find_robots
from validation.pinocchio_reference import TOLERANCE, Reference, compare

ROBOTS = find_robots()
TEN = {
    "arm": "ur_description/urdf/ur5_robot.urdf",
    "arm with a gripper of mimic joints": "panda_description/urdf/panda.urdf",
    "arm with continuous joints": "kinova_description/robots/kinova.urdf",
    "two arms on a pedestal": "baxter_description/urdf/baxter.urdf",
    "quadruped": "solo_description/robots/solo12.urdf",
    "centaur on wheels": "centauro_description/urdf/centauro.urdf",
    "humanoid with skew axes": "icub_description/robots/icub.urdf",
    "humanoid whose fingers follow a joint beside them": "romeo_description/urdf/romeo.urdf",
    "humanoid with hands": "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf",
    "mobile manipulator with a lift": "tiago_pro_description/robots/tiago_pro.urdf",
}


# elements of simulators that the package does not read
pytestmark = pytest.mark.filterwarnings("ignore::charmie_dynamics.ModelFileWarning")


@pytest.mark.parametrize("kind", TEN)
def test_robot_agrees_with_pinocchio(kind: str) -> None:
    path = ROBOTS[TEN[kind]]
    differences = compare(load_model(urdf=path), Reference(path.read_text(encoding="utf-8")))
    assert not differences.beyond(TOLERANCE)


# A small change in the file of the Panda arm: what, where, and in which quantity it shows.
CHANGES = {
    "mass": ('<mass value="3.587895"/>', '<mass value="3.587896"/>', "base_force"),
    "mass of the root": ('<mass value="0.629769"/>', '<mass value="0.62977"/>', "base_force"),
    "centre of mass": ("1.0517e-02 -4.252e-03", "1.0517e-02 -4.253e-03", "base_torque"),
    "moment of inertia": ('ixx="0.012516"', 'ixx="0.012517"', "generalized_force"),
    "product of inertia": ('ixz="-0.001196"', 'ixz="-0.001197"', "generalized_force"),
    "place of a joint": ('xyz="0 -0.316 0"', 'xyz="0 -0.316001 0"', "position"),
    "turn of a joint": ('rpy="0 0 -0.7853981633974483"', 'rpy="0 0 -0.785398"', "rotation"),
    "axis of a mimic joint": ('<axis xyz="0 -1 0"/>', '<axis xyz="0.000001 -1 0"/>', "position"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_change_of_a_millionth_is_noticed(change: str, tmp_path: Path) -> None:
    old, new, quantity = CHANGES[change]
    text = ROBOTS[TEN["arm with a gripper of mimic joints"]].read_text(encoding="utf-8")
    assert text.count(old) == 1
    path = tmp_path / "changed.urdf"
    path.write_text(text.replace(old, new), encoding="utf-8")
    assert quantity in compare(load_model(urdf=path), Reference(text)).beyond(TOLERANCE)
