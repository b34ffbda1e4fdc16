# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The view shows robots with other names and other numbers of actuators."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from charmie_dynamics import load_model
from charmie_dynamics.live.wire.messages import joint_state
from charmie_dynamics.ros.outputs.markers import SceneMarkers
from charmie_dynamics.view.history import EffortHistory
from charmie_dynamics.view.layer import Layer
from charmie_dynamics.view.messages import EffortsReader
from charmie_dynamics.view.poses import Frames
from charmie_dynamics.view.robot import Joints
from charmie_dynamics.visual.scene.scene import Scene


class Stage:
    """In the place of the stage: what was shown."""

    def __init__(self) -> None:
        self.count = 0

    def update(self, source: str, layout: Any, look: Any, place: Any) -> None:
        self.count = len(look.position)
        assert np.isfinite(look.position).all()

    def layouts(self, source: str) -> list[Any]:
        return []


@pytest.mark.parametrize("name", ["arm_6r", "delta"])
def test_a_robot_with_other_names_is_shown_with_its_efforts(name: str) -> None:
    model = load_model(name)
    assert "left" not in model.mechanisms.payload_links
    state = model.compute(model.assemble(model.zero_position())[0])
    scene = Scene(model)
    markers = SceneMarkers(scene.shapes, "", 1.0).write(0, scene.update(state))
    parents = np.array(model.flat.frame_parents, dtype=object)
    parents[parents == ""] = "odom"
    poses = np.tile([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], (len(parents), 1))
    frames, stage = Frames(), Stage()
    frames.set(tuple(parents), model.frame_names, poses)
    layer = Layer(stage, frames, "markers", is_robot=True)  # type: ignore[arg-type]
    layer.take(bytes(markers), 1.0)
    assert stage.count == len(scene.shapes)

    history, reader = EffortHistory(), EffortsReader()
    message = joint_state(model.actuator_names, "odom", ("position", "velocity", "effort"))
    message.float64[message.places("effort").ravel()] = state.actuator_effort
    history.add(*reader.read(bytes(message)))
    assert tuple(history.names) == model.actuator_names
    joints = Joints(model.tree.urdf)
    parent_of = dict(zip(model.frame_names, parents.tolist(), strict=True))
    driven = {joint.name: joint.child for joint in model.tree.joints}
    for actuator in model.actuator_names:
        assert joints.actuator_of(driven[actuator], history.names, parent_of.get) == actuator
