# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Poses of entities from transforms: names, frames, rotations, ages."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from geometry_msgs.msg import TransformStamped
from graph import Checker
from tf2_msgs.msg import TFMessage

from charmie_dynamics.model.description.world.placement import EntityPose
from charmie_dynamics.ros.inputs.entity_poses import EntityPoses
from charmie_dynamics.ros.process.log import Log
from charmie_dynamics.simulation.session.message_buffers import quaternion


@pytest.fixture
def poses() -> Any:
    with Checker(name="poses") as checker:
        yield EntityPoses(checker.node, ["can", "table"], "c/", "map", Log(checker.node))


def message(pose: Sequence[float], child: str = "c/can", parent: str = "c/map") -> TFMessage:
    transform = TransformStamped(child_frame_id=child)
    transform.header.frame_id = parent
    p, q = transform.transform.translation, transform.transform.rotation
    given = EntityPose.of(pose)
    p.x, p.y, p.z = given.p_world_body.tolist()
    q.x, q.y, q.z, q.w = map(float, quaternion(given.R_world_body))
    return TFMessage(transforms=[transform])


def test_a_pose_has_the_numbers_of_a_world_file(poses: EntityPoses) -> None:
    rng = np.random.default_rng(2)
    for pose in rng.uniform(-1.5, 1.5, (20, 6)).tolist():
        poses._take(False, message(pose))
        np.testing.assert_allclose(poses.newest["can"], pose, atol=1e-12)


def test_other_frames_are_ignored(poses: EntityPoses) -> None:
    pose = (0.1, 0.2, 0.3, 0.0, 0.0, 0.0)
    for names in (("can", "c/map"), ("c/can", "c/odom"), ("c/chair", "c/map")):
        poses._take(False, message(pose, *names))
    spoiled = message(pose)
    spoiled.transforms[0].transform.translation.x = math.nan
    poses._take(False, spoiled)
    assert not poses.newest


def test_poses_on_tf_become_stale_and_static_ones_do_not(poses: EntityPoses) -> None:
    now = time.monotonic()
    assert poses.missing(["can", "table"], now, 0.5) == ["pose of 'can'", "pose of 'table'"]
    poses._take(False, message((0.1, 0.2, 0.3, 0.0, 0.0, 0.0)))
    poses._take(True, message((0.1, 0.2, 0.3, 0.0, 0.0, 0.0), "c/table"))
    now = time.monotonic()
    assert poses.missing(["can", "table"], now, 30.0) == []
    assert poses.missing(["can", "table"], now + 31.0, 30.0) == ["pose of 'can'"]
