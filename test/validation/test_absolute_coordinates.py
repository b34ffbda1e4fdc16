# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A robot in absolute coordinates moves as its tree does, and its multipliers are the reactions."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from charmie_dynamics import Model, load_model
from charmie_dynamics.model.description.mechanisms import MechanismSet
from validation.absolute_coordinates import (
    AbsoluteRobot,
    absolute_coordinates,
    absolute_state,
    joint_efforts_as_wrenches,
    tree_reactions,
)
from validation.problems import chain
from validation.problems.robot_text import BASE, joint, link, robot

GRAVITY = (0.5, -1.0, -9.5)
ROOT = Path(__file__).resolve().parents[2]


def branched() -> str:
    """Return a tree with two branches, a slide, skew axes and a tool that is fixed to its link."""
    turned, skew = (0.3, -0.5, 0.8), (0.6, -0.3, 0.7)
    return robot(
        "branched",
        joint("trunk_joint", "continuous", BASE, "trunk", (0.1, 0.2, 0.3), skew, turned),
        link("trunk", 2.0, (0.1, -0.2, 0.3), (0.2, 0.3, 0.25)),
        joint("slide", "prismatic", "trunk", "cart", (0.2, 0.0, 0.4), (0.2, 0.9, -0.1), turned),
        link("cart", 1.5, (0.05, 0.1, -0.1), (0.05, 0.06, 0.04)),
        joint("wrist", "continuous", "cart", "hand", (0.0, 0.3, 0.1), (1.0, 0.2, 0.0), skew),
        link("hand", 0.7, (0.1, 0.0, 0.05), (0.01, 0.02, 0.02)),
        joint("grip", "fixed", "hand", "tool", (0.1, 0.1, 0.0), turned=(0.0, 0.4, 0.0)),
        link("tool", 0.3, (0.02, 0.0, 0.1), (0.001, 0.002, 0.002)),
        joint("branch", "continuous", "trunk", "tail", (-0.3, 0.1, 0.0), (0.0, 0.4, 0.9)),
        link("tail", 1.1, (-0.2, 0.1, 0.0), (0.03, 0.05, 0.06)),
    )


class Pair(NamedTuple):
    """A tree, the same robot in absolute coordinates, and what is known of that."""

    tree: Model
    absolute: Model
    robot: AbsoluteRobot


@pytest.fixture(scope="module", params=["branched", "scara", "chain"])
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Pair:
    text = {
        "branched": branched,
        "scara": lambda: (ROOT / "robots" / "scara.urdf").read_text(encoding="utf-8"),
        "chain": lambda: chain.problem(4).urdf,
    }[request.param]()
    found = absolute_coordinates(text, GRAVITY)
    folder = tmp_path_factory.mktemp(request.param)
    for name, content in (
        ("tree.urdf", text),
        ("absolute.urdf", found.urdf),
        ("absolute.yaml", found.mechanisms),
    ):
        (folder / name).write_text(content, encoding="utf-8")
    tree = Model(load_model(urdf=folder / "tree.urdf").tree, MechanismSet(gravity=GRAVITY))
    absolute = load_model(urdf=folder / "absolute.urdf", mechanisms=folder / "absolute.yaml")
    return Pair(tree, absolute, found)


def test_every_body_is_free_and_every_joint_is_cut(pair: Pair) -> None:
    moving = [j for j in pair.tree.tree.joints if j.type != "fixed"]
    assert len(pair.absolute.velocity_names) == 6 * len(moving)
    assert len(pair.absolute.mechanisms.loop_joints) == len(moving)
    assert pair.absolute.actuator_names == ()


@pytest.mark.parametrize("seed", range(3))
def test_accelerations_and_reactions_are_those_of_the_tree(pair: Pair, seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = len(pair.tree.actuator_names)
    position, velocity = rng.uniform(-0.6, 0.6, count), rng.uniform(-1.5, 1.5, count)
    effort = rng.uniform(-3.0, 3.0, count)
    tree = pair.tree.forward(position, velocity, effort)
    placed, moving, expected = absolute_state(pair.robot, pair.absolute, tree)
    pushed = pair.absolute.with_loads(wrenches=joint_efforts_as_wrenches(pair.tree, tree, effort))
    found = pushed.forward(placed, moving)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(found.acceleration, expected, atol=1e-10 * scale)
    for name, reaction in tree_reactions(pair.tree, tree, effort).items():
        np.testing.assert_allclose(
            found.loop_force(name), reaction, atol=1e-10 * max(1.0, np.abs(reaction).max())
        )


def test_the_multipliers_have_the_rank_of_all_joints(pair: Pair) -> None:
    count = len(pair.tree.actuator_names)
    tree = pair.tree.compute(np.full(count, 0.2))
    placed, moving, _ = absolute_state(pair.robot, pair.absolute, tree)
    found = pair.absolute.constraints(placed, moving)
    assert found.rank == 5 * count


def test_what_cannot_be_in_absolute_coordinates_is_refused() -> None:
    weightless = joint("first", "continuous", BASE, "a") + '<link name="a"/>'
    with pytest.raises(ValueError, match="body 'a' has no mass"):
        absolute_coordinates(robot("weightless", weightless), GRAVITY)
