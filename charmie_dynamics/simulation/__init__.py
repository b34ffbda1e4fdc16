# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Simulation: the motion that efforts make, with its energies, or an error where it is not exact.

In reading order:

- ``integrators``: the fixed-step methods and their default steps.
- ``joint_laws``: limits and stops of the actuators.
- ``applied_efforts``: none, constant, or a law of time and state, of each robot of a world.
- ``integrated_motion``: a motion at the times at which it was computed, and between them.
- ``stepper``: the fixed-step methods for one robot, compiled.
- ``energy``: the energies of a motion, and their balance.
- ``run``: the result of a simulation.
- ``contact``: shapes that may touch, and what their contacts need.
- ``events``: functions whose zeros are found, and which may end a run.
- ``accuracy``: what tells that a run has lost its accuracy.
- ``plant``: a robot that moves in fixed steps under efforts that are held.
- ``fixed_step``: runs in fixed steps.
- ``touches``: when contacts begin and end within a step.
- ``adaptive``: runs by SciPy, which varies step and order.
- ``simulate``: the entrance.
- ``world_run``: the result of a simulation of a world.
- ``batch``: many plants side by side, on several cores.
- ``world``: robots and single bodies that touch each other.
- ``session``: a robot that is played: commands in, samples out.
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
