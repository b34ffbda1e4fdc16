# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace

import pytest

from charmie_dynamics import Model, load_model
from charmie_dynamics.model.description.robot import JointFriction

FRICTION = {"joint_1": JointFriction(40.0, 15.0), "joint_4": JointFriction(0.05, 0.1)}


@pytest.fixture(scope="session")
def scara() -> Model:
    return load_model("scara")


@pytest.fixture(scope="session")
def rough_scara(scara: Model) -> Model:
    """The SCARA with friction in two of its joints."""
    return Model(scara.tree, replace(scara.mechanisms, friction=FRICTION))
