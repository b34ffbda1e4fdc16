# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Links that overlap, compared with Pinocchio's kinematics of the URDF and coal."""

from __future__ import annotations

import numpy as np
import pytest

from charmie_dynamics import load_model
from charmie_dynamics.collision.contact_shape import shapes_of_robot
from charmie_dynamics.model.description.files import share_file
from charmie_dynamics.model.description.package_robots import PACKAGE_ROBOTS
from charmie_dynamics.simulation.contact.link_overlaps import LinkOverlaps

pinocchio = pytest.importorskip("pinocchio")
EXACT = 1e-6  # m, of coal's distances
STATES = 150


@pytest.mark.parametrize("robot", ["charmie", "charmie_lar", "arm_6r"])
def test_the_links_that_overlap_are_those_of_pinocchio_and_coal(robot: str) -> None:
    model, path = load_model(robot), str(share_file(*PACKAGE_ROBOTS[robot].urdf))
    other = pinocchio.buildModelFromUrdf(path)
    shapes = pinocchio.buildGeomFromUrdf(other, path, pinocchio.GeometryType.COLLISION)
    shapes.addAllCollisionPairs()
    data, placed = other.createData(), shapes.createData()
    links = [other.frames[shape.parentFrame].name for shape in shapes.geometryObjects]
    overlaps = LinkOverlaps(model.flat, list(shapes_of_robot(model.tree, model.mechanisms)))

    rng = np.random.default_rng(5)
    limits = np.array([(limit.lower, limit.upper) for limit in model.actuator_limits()])
    low, high = np.clip(limits, -3.0, 3.0).T
    columns = [model.position_names.index(name) for name in model.actuator_names]
    overlapping = 0
    for _ in range(STATES):
        position = model.zero_position()
        position[columns] = rng.uniform(low, high)
        state = model.kinematics(position)
        joints = dict(zip(state.joint_names, state.joint_position.tolist(), strict=True))
        q = pinocchio.neutral(other)
        for joint in model.tree.joints:
            if joint.mimic is not None:
                value = joint.mimic.multiplier * joints[joint.mimic.joint] + joint.mimic.offset
            elif joint.name in joints:
                value = joints[joint.name]
            else:
                continue
            entry = other.joints[other.getJointId(joint.name)]
            angle = [np.cos(value), np.sin(value)] if entry.nq == 2 else [value]
            q[entry.idx_q : entry.idx_q + entry.nq] = angle
        pinocchio.updateGeometryPlacements(other, data, shapes, placed, q)
        pinocchio.computeDistances(shapes, placed)
        nearest: dict[frozenset[str], float] = {}
        for pair, result in zip(shapes.collisionPairs, placed.distanceResults, strict=True):
            names = frozenset((links[pair.first], links[pair.second]))
            nearest[names] = min(nearest.get(names, np.inf), result.min_distance)
        kinematics = state.kinematics
        found = {
            frozenset(overlaps.links[k] for k in pair)
            for pair in overlaps.find(kinematics.R_world_frame, kinematics.p_world_frame).tolist()
        }
        for names, distance in nearest.items():
            if len(names) == 2 and abs(distance) > EXACT:
                assert (names in found) == (distance < 0.0), (set(names), distance)
        overlapping += len(found)
    assert overlapping > STATES
