# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Import the nodes and load their kernels in the process that the tests fork nodes from."""

from __future__ import annotations

import gc
from importlib import import_module

from charmie_dynamics.prepare.processes import load
from charmie_dynamics.ros.nodes.simulator_node import CONTACTS, TASKS

NODES = ("bridge", "controller", "dynamics", "policy")
for module in (*(f"{name}_node" for name in NODES), "motion_player", "recorder"):
    import_module(f"charmie_dynamics.ros.nodes.{module}")
for task in (*TASKS, CONTACTS):
    load(task)
gc.freeze()
