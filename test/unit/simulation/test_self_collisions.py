# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Pairs of links that can touch each other, found by sampling."""

from __future__ import annotations

from pathlib import Path

import pytest

from charmie_dynamics import InputError, Model, load_model
from charmie_dynamics.model.description.package_robots import world_file
from charmie_dynamics.model.description.world import RobotEntity, read_world
from charmie_dynamics.simulation import self_collision_pairs

LINK = """<link name="{name}"><inertial><mass value="1"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>{shape}</link>"""
BAR = """<collision><origin xyz="{x} 0 0"/><geometry><box size="{length} 0.04 0.04"/></geometry>
</collision>"""
JOINT = """<joint name="{child}_joint" type="revolute"><parent link="{parent}"/>
<child link="{child}"/><origin xyz="{x} 0 {z}"/><axis xyz="0 0 1"/>
<limit lower="{lower}" upper="{upper}" effort="1" velocity="1"/></joint>"""


def bar(name: str, x: float = 0.1, length: float = 0.2) -> str:
    return LINK.format(name=name, shape=BAR.format(x=x, length=length))


def joint(parent: str, child: str, x: float, reach: float, z: float = 0.0) -> str:
    return JOINT.format(parent=parent, child=child, x=x, z=z, lower=-reach, upper=reach)


def robot(folder: Path, *parts: str) -> Model:
    path = folder / "robot.urdf"
    path.write_text(f'<robot name="robot">{"".join(parts)}</robot>', encoding="utf-8")
    return load_model(path)


def folding_arm(folder: Path, reach: float) -> Model:
    """Return three bars in a row whose two joints turn as far as `reach` to both sides."""
    return robot(
        folder,
        *(bar("first"), bar("second"), bar("third")),
        *(joint("first", "second", 0.2, reach), joint("second", "third", 0.2, reach)),
    )


def test_a_pair_that_can_touch_is_found_and_joined_links_are_adjacent(tmp_path: Path) -> None:
    pairs = self_collision_pairs(folding_arm(tmp_path, reach=3.0), samples=500)
    assert pairs.adjacent == (("first", "second"), ("second", "third"))
    assert pairs.sometimes == (("first", "third"),)
    assert (pairs.always, pairs.never, pairs.samples) == ((), (), 500)


def test_a_pair_that_the_limits_keep_apart_never_touches(tmp_path: Path) -> None:
    pairs = self_collision_pairs(folding_arm(tmp_path, reach=0.5), samples=500)
    assert (pairs.sometimes, pairs.never) == ((), (("first", "third"),))


def test_links_without_shapes_join_those_at_both_ends(tmp_path: Path) -> None:
    frame = LINK.format(name="frame", shape="")
    joints = joint("first", "frame", 0.2, 3.0), joint("frame", "second", 0.0, 3.0)
    pairs = self_collision_pairs(robot(tmp_path, bar("first"), frame, bar("second"), *joints), 50)
    assert pairs.adjacent == (("first", "second"),)
    assert (pairs.always, pairs.sometimes, pairs.never) == ((), (), ())


def test_links_that_overlap_in_every_position_always_touch(tmp_path: Path) -> None:
    parts = [bar("post", 0.0, 0.1), bar("left", 0.1), bar("right", 0.1)]
    joints = joint("post", "left", 0.0, 0.2, 0.03), joint("post", "right", 0.0, 0.2, 0.05)
    pairs = self_collision_pairs(robot(tmp_path, *parts, *joints), samples=200)
    assert pairs.always == (("left", "right"),)


def test_the_loops_of_a_linkage_are_closed_and_its_loop_joint_makes_links_adjacent() -> None:
    pairs = self_collision_pairs("four_bar", samples=200)
    assert ("coupler", "rocker") in pairs.adjacent
    assert 0 < pairs.samples <= 200
    # closed, the rocker stands at the other side of the ground and coupler lies beside its plane
    assert ("crank", "rocker") in pairs.never


def test_equal_seeds_give_equal_results_and_batches_do_not_matter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = self_collision_pairs("scara", samples=300, seed=4)
    monkeypatch.setattr("charmie_dynamics.simulation.worlds.self_collisions.CHUNK", 7)
    assert self_collision_pairs(load_model("scara"), samples=300, seed=4) == first


@pytest.mark.parametrize(("lower", "upper"), [("4", "inf"), ("-inf", "-4")])
def test_a_joint_with_one_limit_is_sampled_beyond_it(
    tmp_path: Path, lower: str, upper: str
) -> None:
    joints = joint("first", "second", 0.2, 3.0), joint("second", "third", 0.2, 3.0)
    limits = 'lower="-3.0" upper="3.0"', f'lower="{lower}" upper="{upper}"'
    parts = bar("first"), bar("second"), bar("third"), joints[0], joints[1].replace(*limits)
    assert self_collision_pairs(robot(tmp_path, *parts), 500).sometimes == (("first", "third"),)


def test_samples_below_one_are_refused() -> None:
    with pytest.raises(InputError, match="samples: expected at least 1, got 0"):
        self_collision_pairs("scara", samples=0)


def test_the_pairs_in_the_world_of_charmie_are_those_that_sampling_finds() -> None:
    world = read_world(world_file("kitchen"))
    (entity,) = (entity for entity in world.entities if isinstance(entity, RobotEntity))
    written = {frozenset(n.partition("/")[2] for n in pair) for pair in entity.self_pairs}
    assert written == set(map(frozenset, self_collision_pairs("charmie", samples=50_000).sometimes))
