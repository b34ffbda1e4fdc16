# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Messages of a world: the poses of its entities, and their contacts."""

from __future__ import annotations

import json

import numpy as np

from charmie_dynamics.live.wire import messages
from charmie_dynamics.live.wire.contact_points import ContactCloud
from charmie_dynamics.live.wire.templates import Template
from charmie_dynamics.model.description.world.merging import WORLD, name_in
from charmie_dynamics.model.state import State
from charmie_dynamics.numerics.rotations import quaternions_from_matrices
from charmie_dynamics.numerics.vectors import Floats, Ints
from charmie_dynamics.simulation.contact.contact_table import ContactTable

from . import topics
from .message_buffers import MessageBuffers
from .simulated_system import SimulatedSystem


class WorldMessages:
    """Transforms of all entities, contact points, and the shapes of these.

    Of the robot whose topics are published, only its root and the frames after floating joints are
    included: its place in the world. `robot_state_publisher` publishes its other frames.

    Parameters
    ----------
    system : SimulatedSystem
        A world.
    world_frame, frame_prefix : str
        As in the dynamics node.
    places_root : bool
        Include the root of the robot.
    """

    def __init__(
        self,
        system: SimulatedSystem,
        world_frame: str,
        frame_prefix: str,
        places_root: bool = True,
    ) -> None:
        model = system.model
        self._world = frame_prefix + world_frame
        self._prefix, self._system = frame_prefix, system
        frames = frames_of(system, places_root)
        # one for each link; the frames after the links are auxiliary bodies, which all move
        coordinate = model.flat.tree.coordinate
        is_fixed = np.array([i < len(coordinate) and coordinate[i] < 0 for i in frames], dtype=bool)
        self._moving, self._fixed = frames[~is_fixed], frames[is_fixed]
        self._transforms = messages.transforms(self._pairs(self._moving))
        self._cloud = ContactCloud(self._world)

    def transforms(self, stamp: int, state: State) -> list[MessageBuffers]:
        """Return the moving frames, at a time (ns)."""
        if not len(self._moving):
            return []
        motion, moving = state.kinematics, self._moving
        self._transforms.set_stamp(stamp)
        _fill(self._transforms, motion.p_parent_frame[moving], motion.R_parent_frame[moving])
        return [(topics.WORLD_TF, self._transforms)]

    def static(self) -> list[MessageBuffers]:
        """Return the fixed frames, and the shapes by their numbers."""
        tree = self._system.model.flat.tree
        template = messages.transforms(self._pairs(self._fixed))
        p, R = tree.p_parent_joint[self._fixed], tree.R_parent_joint[self._fixed]
        _fill(template, p, R)
        return [
            (topics.WORLD_TF_STATIC, template),
            (topics.CONTACT_SHAPES, messages.string(self._shapes())),
        ]

    def contact_points(self, stamp: int, table: ContactTable) -> MessageBuffers:
        """Return the contact points at a time (ns)."""
        return topics.CONTACT_POINTS, self._cloud.filled(stamp, table)

    def _pairs(self, frames: Ints) -> list[tuple[str, str]]:
        """Return the frame ids of parents and children."""
        model, prefix = self._system.model, self._prefix
        pairs = []
        for i in frames.tolist():
            parent, child = model.flat.frame_parents[i], model.frame_names[i]
            of_parent = self._world if parent == WORLD else prefix + self._system.frame_id(parent)
            pairs.append((of_parent, prefix + self._system.frame_id(child)))
        return pairs

    def _shapes(self) -> str:
        scene = self._system.contacts
        shapes = () if scene is None else scene.shapes
        return json.dumps(
            [
                {
                    "shape": k,
                    "entity": shape.entity,
                    "frame": self._prefix + self._system.frame_id(shape.link),
                    "kind": shape.kind,
                }
                for k, shape in enumerate(shapes)
            ]
        )


def _fill(template: Template, p: Floats, R: Floats) -> None:
    """Write translations (k, 3) and rotations (k, 3, 3)."""
    if not len(p):
        return
    quaternions = np.empty((len(p), 4))
    quaternions_from_matrices(np.ascontiguousarray(R), quaternions)
    template.float64[template.places("translation").reshape(-1, 3)] = p
    template.float64[template.places("rotation").reshape(-1, 4)] = quaternions


def frames_of(system: SimulatedSystem, places_root: bool = True) -> Ints:
    """Return the frames that a world publishes; of the robot only those of its place."""
    model, robot = system.model, system.robot
    if robot is None:
        return np.arange(1, len(model.frame_names))
    root = name_in(robot.name, robot.model.tree.root)
    located = ({root} if places_root else set()) | {
        joint.child
        for joint in model.tree.joints
        if joint.type == "floating" and joint.child.startswith(robot.prefix)
    }
    return np.array(
        [
            i
            for i, name in enumerate(model.frame_names)
            if i > 0 and (name in located or not name.startswith(robot.prefix))
        ],
        dtype=np.int64,
    )
