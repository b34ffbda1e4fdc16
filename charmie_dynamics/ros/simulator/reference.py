# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the simulator answers, for the reference: names, types and meanings of all services."""

from __future__ import annotations

# by name: type, and what it does
SERVICES: dict[str, tuple[str, str]] = {
    "get_simulator_features": (
        "simulation_interfaces/srv/GetSimulatorFeatures",
        "what of simulation_interfaces there is",
    ),
    "get_simulation_state": (
        "simulation_interfaces/srv/GetSimulationState",
        "stopped, playing or paused; with the reason if it has paused by itself",
    ),
    "set_simulation_state": (
        "simulation_interfaces/srv/SetSimulationState",
        "play, pause, stop (pause at the start) or quit",
    ),
    "step_simulation": (
        "simulation_interfaces/srv/StepSimulation",
        "make some steps of a paused simulation; answers when they are made. Of more than 10,000 "
        "others are answered in between, and pause, stop or reset end them",
    ),
    "simulate_steps": (
        "simulation_interfaces/action/SimulateSteps",
        "the same as an action: commands and services go on, it can be cancelled",
    ),
    "reset_simulation": (
        "simulation_interfaces/srv/ResetSimulation",
        "back to the start: time, state, what was spawned, or some of them; commands and wrenches "
        "are forgotten",
    ),
    "get_entities": (
        "simulation_interfaces/srv/GetEntities",
        "names of entities: a robot alone is the only one; filters by regular expression and "
        "category",
    ),
    "get_entities_states": (
        "simulation_interfaces/srv/GetEntitiesStates",
        "the same with their states",
    ),
    "get_entity_state": (
        "simulation_interfaces/srv/GetEntityState",
        "pose, velocity and acceleration of a robot's base or of a body, in world axes",
    ),
    "set_entity_state": (
        "simulation_interfaces/srv/SetEntityState",
        "put a robot's base or a body elsewhere, where its joints can have it and it overlaps "
        "nothing; the other joints stay. What is fixed has no velocity",
    ),
    "get_entity_info": (
        "simulation_interfaces/srv/GetEntityInfo",
        "category and description: robots have actuators, other entities are static or dynamic "
        "objects",
    ),
    "spawn_entity": (
        "simulation_interfaces/srv/SpawnEntity",
        "in a world: a body or robot comes, from a URDF (file or text), an entity of a world file "
        "(YAML, file or text) or a robot of this package; the rest moves on",
    ),
    "delete_entity": (
        "simulation_interfaces/srv/DeleteEntity",
        "in a world: an entity goes, but for the robot whose topics are published",
    ),
    "get_spawnables": (
        "simulation_interfaces/srv/GetSpawnables",
        "the robots of this package",
    ),
    "pause": ("std_srvs/srv/SetBool", "true: pause, false: play"),
    "reset": ("std_srvs/srv/Trigger", "back to the start"),
}
