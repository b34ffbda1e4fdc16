# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Simulation: the motion of robots and worlds under efforts, with its energies.

A run that loses its accuracy is an error. In reading order:

- ``contact``: shapes that may touch, and the requirements of their contacts.
- ``integrators``: the motion of one robot or world in time.
- ``worlds``: robots and single bodies that touch each other.
- ``session``: a simulated robot with commands as inputs and samples as outputs.
"""

from charmie_dynamics.collision.clearance import Clearance

from .contact.contact_need import ContactNeed
from .contact.contact_scene import ContactScene
from .contact.contact_table import ContactTable
from .integrators.applied_efforts import EffortLaw
from .integrators.batch import PlantBatch
from .integrators.energy import EnergyBalance
from .integrators.events import Event, LimitEvent, limit_events
from .integrators.joint_laws import JointDrives, JointStops
from .integrators.plant import Plant
from .integrators.run import EntityTwist, Run
from .integrators.simulate import simulate
from .worlds.entity_efforts import EntityEfforts
from .worlds.self_collisions import SelfCollisionPairs, self_collision_pairs
from .worlds.world import World, load_world, world_of

__all__ = [
    "Clearance",
    "ContactNeed",
    "ContactScene",
    "ContactTable",
    "EffortLaw",
    "EnergyBalance",
    "EntityEfforts",
    "EntityTwist",
    "Event",
    "JointDrives",
    "JointStops",
    "LimitEvent",
    "Plant",
    "PlantBatch",
    "Run",
    "SelfCollisionPairs",
    "World",
    "limit_events",
    "load_world",
    "self_collision_pairs",
    "simulate",
    "world_of",
]
