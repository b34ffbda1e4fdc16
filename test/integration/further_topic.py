# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A further entry in the table of outputs, and a node with it: the accelerations of the joints."""

from __future__ import annotations

import sys

from charmie_dynamics import Model
from charmie_dynamics.live import outputs, topics
from charmie_dynamics.live.settings import LiveSettings
from charmie_dynamics.live.wire import messages
from charmie_dynamics.live.wire.filling import BlockSource
from charmie_dynamics.ros.nodes import dynamics_node


def _accelerations(model: Model, settings: LiveSettings) -> outputs.Content:
    world = settings.frame_prefix + settings.world_frame
    sources = {
        "position": BlockSource(model.layout.index("joint_position")),
        "effort": BlockSource(model.layout.index("joint_acceleration")),
    }
    return outputs.Content(messages.joint_state(model.joint_names, world, tuple(sources)), sources)


ENTRY = outputs.CycleOutput(
    topics.Topic(
        "joint_accelerations",
        messages.JOINT_STATE,
        topics.OF_A_CYCLE,
        "independent joints: position, and acceleration (rad/s^2, m/s^2) as effort",
    ),
    _accelerations,
)

if __name__ == "__main__":
    outputs.CYCLE_OUTPUTS.append(ENTRY)
    sys.exit(dynamics_node.main(sys.argv))
