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
        "back to the start: time, state or both; commands and wrenches are forgotten",
    ),
    "get_entities": (
        "simulation_interfaces/srv/GetEntities",
        "names of entities: the robot; filters by regular expression and category",
    ),
    "get_entities_states": (
        "simulation_interfaces/srv/GetEntitiesStates",
        "the same with their states",
    ),
    "get_entity_state": (
        "simulation_interfaces/srv/GetEntityState",
        "pose, velocity and acceleration of the base, in world axes",
    ),
    "set_entity_state": (
        "simulation_interfaces/srv/SetEntityState",
        "put the base elsewhere, where its joints can have it; the other joints stay",
    ),
    "get_entity_info": (
        "simulation_interfaces/srv/GetEntityInfo",
        "category robot, with the number of actuators and the mass",
    ),
    "spawn_entity": (
        "simulation_interfaces/srv/SpawnEntity",
        "answers that it is not supported",
    ),
    "delete_entity": (
        "simulation_interfaces/srv/DeleteEntity",
        "answers that it is not supported",
    ),
    "pause": ("std_srvs/srv/SetBool", "true: pause, false: play"),
    "reset": ("std_srvs/srv/Trigger", "back to the start"),
}
