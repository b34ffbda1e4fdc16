# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Reference parameters in both files that the reference cases do not show."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from charmie_dynamics import Model
from charmie_dynamics.model.description.robot import Joint
from charmie_dynamics.model.model import DEFAULT_MECHANISMS

# frames of INTERFACE.md's robot that stand for no body of the papers
EXTRA_FRAMES = {"world", "base_link", "base_footprint", "left_tool", "right_tool"}


@pytest.fixture(scope="module")
def given(reference: Path) -> dict[str, Any]:
    return yaml.safe_load((reference / "charmie_parameters.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def bodies(given: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {body["name"]: body for body in given["bodies"]}


@pytest.fixture(scope="module")
def joints(charmie: Model) -> dict[str, Joint]:
    return {joint.child: joint for joint in charmie.tree.joints}


@pytest.fixture(scope="module")
def loops(repository: Path) -> dict[str, Any]:
    return yaml.safe_load(repository.joinpath(*DEFAULT_MECHANISMS).read_text(encoding="utf-8"))


def test_links_are_the_bodies_and_a_few_frames(charmie: Model, bodies: dict[str, Any]) -> None:
    assert set(charmie.tree.links) == set(bodies) | EXTRA_FRAMES


def test_inertials_are_those_given_and_the_rest_is_massless(
    charmie: Model, given: dict[str, Any]
) -> None:
    for name, link in charmie.tree.links.items():
        if name not in given["inertials"]:
            assert link.inertial is None
            continue
        expected = given["inertials"][name]
        assert link.inertial.mass == expected["mass"]
        assert link.inertial.p_link_com.tolist() == expected["com"]
        assert link.inertial.inertia.tolist() == np.diag(expected["inertia"]).tolist()


def test_undetermined_reactions_are_halved(charmie: Model) -> None:
    # multibody paper, eq. 36, 38 and 43; eq. 42 leaves nothing to the lift actuator
    shares = [a.reaction_share for a in charmie.mechanisms.linear_actuators]
    assert shares == [0.0, 0.5]
    assert [b.torque_share for b in charmie.mechanisms.balance_mechanisms] == [0.5, 0.5]


def test_rep_103_frames_stand_on_the_base_with_x_to_its_front(joints: dict[str, Joint]) -> None:
    # x forward is the robot's y, y left its -x; the footprint is on the floor
    for name, height in (("base_link", 0.0), ("base_footprint", -0.0368)):
        joint = joints[name]
        assert (joint.parent, joint.type) == ("base", "fixed")
        assert joint.p_parent_joint.tolist() == [0.0, 0.0, height]
        np.testing.assert_allclose(
            joint.R_parent_joint, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], rtol=0.0, atol=1e-15
        )


def test_gravity_and_base(charmie: Model, given: dict[str, Any]) -> None:
    assert list(charmie.mechanisms.gravity) == given["gravity"]
    assert charmie.mechanisms.base_body == "base"
    assert charmie.mechanisms.base_joints == ("base_x_joint", "base_y_joint", "base_yaw_joint")


@pytest.mark.parametrize("group", ["linear_actuators", "springs", "balance_mechanisms"])
def test_mechanisms_file_marks_each_entry_as_the_reference_does(
    loops: dict[str, Any], given: dict[str, Any], group: str
) -> None:
    marks = {name: entry["source"] for name, entry in loops[group].items()}
    assert marks == {name: entry["source"] for name, entry in given[group].items()}


def test_mechanisms_file_says_which_groups_are_estimates(charmie: Model) -> None:
    assert dict(charmie.mechanisms.sources) == {
        "contact": "estimated",
        "geometry": "published",
        "inertials": "estimated",
        "limits": "estimated",
        "springs": "estimated",
        "wheel_contacts": "estimated",
    }


def test_wheel_contacts_are_below_the_wheels_on_the_floor(charmie: Model) -> None:
    wheels = [
        visual
        for visual in charmie.tree.links["base"].visuals
        if visual.kind == "cylinder" and visual.size[0] == 0.05
    ]
    lowest = {(*v.p_link_visual[:2], round(v.p_link_visual[2] - v.size[0], 9)) for v in wheels}
    assert set(charmie.mechanisms.wheel_contacts) == lowest
    _, _, z = charmie.mechanisms.wheel_contacts[0]
    assert charmie.compute(charmie.zero_position()).frame("base")[0][2] + z == 0.0


def test_every_actuator_has_a_range_and_rated_effort_and_velocity(charmie: Model) -> None:
    for name, limit in zip(charmie.actuator_names, charmie.actuator_limits(), strict=True):
        assert limit.lower < limit.upper, name
        assert 0.0 < limit.effort < math.inf, name
        assert 0.0 < limit.velocity < math.inf, name


def test_range_of_a_driven_joint_lies_within_that_of_its_actuator(charmie: Model) -> None:
    for actuator in charmie.mechanisms.linear_actuators:
        limit = next(j.limit for j in charmie.tree.joints if j.name == actuator.joint)
        for q in (limit.lower, limit.upper):
            length, _, _ = charmie.actuator_from_joint(actuator.joint, q)
            assert actuator.limit.lower <= length <= actuator.limit.upper + 1e-4
