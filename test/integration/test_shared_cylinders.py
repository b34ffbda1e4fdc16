# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The node with a robot that has several linear actuators on one joint."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from graph import Checker
from node_process import start_dynamics_node
from robot_inputs import Inputs, named
from special_robots import write_shared_crane

from charmie_dynamics import load_model

TOPICS = ("actuator_efforts", "cylinder_efforts", "resolved_joint_states")


def test_the_force_of_each_cylinder_is_published_under_its_name(folder: Path) -> None:
    urdf, mechanisms = write_shared_crane(folder)
    model = load_model(urdf, mechanisms)
    parameters = {"model": urdf, "mechanisms": mechanisms, "acceleration_source": "zero"}
    with start_dynamics_node(folder, parameters), Checker(TOPICS) as checker:
        inputs = Inputs(checker)
        zero = dict(zip(model.actuator_names, model.zero_position().tolist(), strict=True))
        inputs.connect(zero, TOPICS)
        for change in (0.0, 0.03, -0.04):
            values = {**zero, "left_boom": zero["left_boom"] + change}
            rates = {name: 0.3 - 0.2 * k for k, name in enumerate(values)}
            found = inputs.cycle(values, topics=TOPICS, velocity=rates)
            order = list(model.actuator_names)
            state = model.compute([values[n] for n in order], [rates[n] for n in order])
            message = found["cylinder_efforts"]
            assert named(message) == pytest.approx(state.linear_actuator_effort, abs=1e-9)
            lengths, speeds = state.linear_actuator_length, state.linear_actuator_velocity
            assert named(message, "position") == pytest.approx(lengths, abs=1e-12)
            assert named(message, "velocity") == pytest.approx(speeds, abs=1e-12)
            efforts = np.array([*named(found["actuator_efforts"]).values()])
            assert efforts == pytest.approx(state.actuator_effort, abs=1e-9)
