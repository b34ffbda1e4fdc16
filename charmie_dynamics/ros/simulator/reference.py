# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Services of the simulator, for the reference: names, types and meanings."""

from __future__ import annotations

# by name: type and description
SERVICES: dict[str, tuple[str, str]] = {
    "get_simulator_features": (
        "simulation_interfaces/srv/GetSimulatorFeatures",
        "supported features of simulation_interfaces",
    ),
    "get_simulation_state": (
        "simulation_interfaces/srv/GetSimulationState",
        "stopped, playing, paused, loading a world or without a world; with the reason after a "
        "pause due to a fault",
    ),
    "set_simulation_state": (
        "simulation_interfaces/srv/SetSimulationState",
        "play, pause, stop (pause at the start) or quit",
    ),
    "step_simulation": (
        "simulation_interfaces/srv/StepSimulation",
        "advance a paused simulation by some steps and reply when they are complete. During more "
        "than 10,000 steps other requests are served, and pause, stop or reset end them",
    ),
    "simulate_steps": (
        "simulation_interfaces/action/SimulateSteps",
        "the same as an action, which can be cancelled; commands and services are served meanwhile",
    ),
    "reset_simulation": (
        "simulation_interfaces/srv/ResetSimulation",
        "reset time, state or spawned entities, or all, to the start; commands and "
        "wrenches are dropped",
    ),
    "get_entities": (
        "simulation_interfaces/srv/GetEntities",
        "names of entities: a robot alone is the only one; filters by regular expression, "
        "category, tags and overlap with a box, sphere or convex hull",
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
        "move a robot's base or a body to a pose that its joints permit and where it overlaps "
        "nothing; the other joints keep their positions. A fixed body has no velocity",
    ),
    "get_entity_info": (
        "simulation_interfaces/srv/GetEntityInfo",
        "category and description: robots have actuators, other entities are static or dynamic "
        "objects; or the values of `set_entity_info`",
    ),
    "set_entity_info": (
        "simulation_interfaces/srv/SetEntityInfo",
        "set category, description and tags, until everything is reset",
    ),
    "get_entity_bounds": (
        "simulation_interfaces/srv/GetEntityBounds",
        "box about the shapes, in the axes of the entity's frame; planes are unbounded",
    ),
    "spawn_entity": (
        "simulation_interfaces/srv/SpawnEntity",
        "in a world: add a body or robot from a URDF (file or text), an entity of a world file "
        "(YAML, file or text) or a robot of this package; the other entities continue to move",
    ),
    "spawn_entities": (
        "simulation_interfaces/srv/SpawnEntities",
        "the same for several entities: all, or none if one is refused",
    ),
    "delete_entity": (
        "simulation_interfaces/srv/DeleteEntity",
        "in a world: remove an entity, except the robot whose topics are published",
    ),
    "get_spawnables": (
        "simulation_interfaces/srv/GetSpawnables",
        "the robots of this package",
    ),
    "load_world": (
        "simulation_interfaces/srv/LoadWorld",
        "replace robot or world by a world file (file or text) or a world of this package, stopped "
        "at its start; a world that cannot be simulated is refused and changes nothing",
    ),
    "unload_world": (
        "simulation_interfaces/srv/UnloadWorld",
        "remove all entities; the simulation is inactive until a world is loaded",
    ),
    "get_current_world": (
        "simulation_interfaces/srv/GetCurrentWorld",
        "name, source, description and tags of the world",
    ),
    "get_available_worlds": (
        "simulation_interfaces/srv/GetAvailableWorlds",
        "the worlds of this package and the world files of given folders; filter by tags",
    ),
    "get_named_poses": (
        "simulation_interfaces/srv/GetNamedPoses",
        "the `named_poses` of the world file; filter by tags",
    ),
    "get_named_pose_bounds": (
        "simulation_interfaces/srv/GetNamedPoseBounds",
        "the bounds of a named pose, in its axes",
    ),
    "pause": ("std_srvs/srv/SetBool", "true: pause, false: play"),
    "reset": ("std_srvs/srv/Trigger", "reset to the start"),
}
