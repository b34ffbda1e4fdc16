# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Simulation: the motion that efforts make, with its energies, or an error where it is not exact.

In reading order:

- ``integrators``: the fixed-step methods and their default steps.
- ``joint_laws``: limits and stops of the actuators.
- ``applied_efforts``: none, constant, or a law of time and state, of each robot of a world.
- ``integrated_motion``: a motion at its computed times and between them.
- ``stepper``: the fixed-step methods for one robot, compiled.
- ``energy``: the energies of a motion, and their balance.
- ``run``: the result of a simulation.
- ``contact``: shapes that may touch, and the requirements of their contacts.
- ``events``: functions whose zeros are found, and which may end a run.
- ``accuracy``: detection of a loss of accuracy.
- ``plant``: a robot that moves in fixed steps under constant efforts.
- ``fixed_step``: runs in fixed steps.
- ``touches``: times within a step at which contacts begin and end.
- ``adaptive``: runs by SciPy with variable step and order.
- ``simulate``: the entry point.
- ``world_run``: the result of a simulation of a world.
- ``batch``: many plants side by side, on several cores.
- ``world``: robots and single bodies that touch each other.
- ``session``: a simulated robot with commands as inputs and samples as outputs.
"""

from .applied_efforts import EntityEfforts
from .energy import EnergyBalance
from .events import LimitEvent, limit_events
from .joint_laws import JointStops
from .plant import Plant
from .run import Run
from .simulate import simulate
from .world import World, load_world, world_of
from .world_run import ContactTable, WorldRun

__all__ = [
    "ContactTable",
    "EnergyBalance",
    "EntityEfforts",
    "JointStops",
    "LimitEvent",
    "Plant",
    "Run",
    "World",
    "WorldRun",
    "limit_events",
    "load_world",
    "simulate",
    "world_of",
]
