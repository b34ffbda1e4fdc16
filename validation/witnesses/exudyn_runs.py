# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The problems in Exudyn: free bodies and joints of all kinds, generalised alpha method (index 3).

Constraints that are redundant in a plane are left out at the loop joints, since its solvers want
none; where that is not enough (`redundant`) its dense solver is told to live with them.
"""

from __future__ import annotations

import time
from typing import Any

import exudyn
import numpy as np
import yaml
from exudyn.utilities import RigidBodyInertia

from validation.problems.problem import Problem
from validation.urdf_tree import LinkMotion, UrdfTree

from . import WitnessRun, witness_run

exudyn.config.printToConsole = False  # of failures, which are raised as well
FREE = {"revolute": [5], "continuous": [5], "prismatic": [2], "spherical": [3, 4, 5], "fixed": []}


def run(
    problem: Problem, steps: int, *, planar: bool = True, redundant: bool = False
) -> WitnessRun:
    """Simulate a problem.

    Parameters
    ----------
    problem : Problem
    steps : int
        Equal steps over its duration.
    planar : bool
        Whether all of it moves across the axes of its loop joints.
    redundant : bool
        Whether constraints are left that others imply.
    """
    tree, file = UrdfTree(problem.urdf), yaml.safe_load(problem.mechanisms)
    motion = tree.motion(problem.position, problem.velocity)
    container = exudyn.SystemContainer()
    system = container.AddSystem()
    bodies = {tree.root: system.CreateGround()}
    for link in tree.links:
        if link != tree.root:
            bodies[link] = _add_body(system, tree, link, motion[link], file["gravity"])
    for joint in tree.joints:
        along = motion[joint.child].axes @ joint.axis
        place = motion[joint.child].place
        ends = [bodies[joint.parent], bodies[joint.child]]
        _add_joint(system, ends, place, along, FREE[joint.kind])
        if torque := problem.effort.get(joint.name):
            # about an axis of the world that no other body turns
            system.CreateTorque(itemNumber=bodies[joint.child], loadVector=torque * along)
    for entry in file.get("loop_joints", {}).values():
        first = entry["first_body"]
        place, _ = motion[first].at(entry["first_point"])
        along = motion[first].axes @ np.array(entry.get("axis", (0.0, 0.0, 1.0)))
        free = FREE[entry["type"]] + ([2, 3, 4] if planar else [])
        ends = [bodies[first], bodies[entry["second_body"]]]
        _add_joint(system, ends, place, along, free)
    for entry in file.get("springs", {}).values():
        system.CreateSpringDamper(
            itemNumbers=[bodies[entry["base_body"]], bodies[entry["tip_body"]]],
            localPosition0=entry["base_point"],
            localPosition1=entry["tip_point"],
            referenceLength=entry["free_length"],
            stiffness=entry["stiffness"],
            damping=entry.get("damping", 0.0),
        )
    system.Assemble()
    settings = _settings(problem.duration, steps, redundant)
    begin = time.process_time()
    system.SolveDynamic(settings)
    seconds = time.process_time() - begin
    last = dict(motion)
    kinds = exudyn.OutputVariableType
    for link, body in bodies.items():
        if link != tree.root:
            place, axes, velocity, spin = (
                np.array(system.GetObjectOutputBody(body, kind, [0.0, 0.0, 0.0]))
                for kind in (
                    *(kinds.Position, kinds.RotationMatrix),
                    *(kinds.Velocity, kinds.AngularVelocity),
                )
            )
            last[link] = LinkMotion(place, axes.reshape(3, 3), velocity, spin)
    return witness_run(tree, last, seconds)


def _add_body(system: Any, tree: UrdfTree, link: str, moves: LinkMotion, gravity: Any) -> Any:
    body = tree.links[link]
    return system.CreateRigidBody(
        inertia=RigidBodyInertia(body.mass, body.inertia, body.centre, inertiaTensorAtCOM=True),
        referencePosition=moves.place,
        referenceRotationMatrix=moves.axes,
        initialVelocity=moves.velocity,
        initialAngularVelocity=moves.spin,
        gravity=gravity,
    )


def _add_joint(system: Any, ends: list[Any], place: Any, along: Any, free: list[int]) -> None:
    """Add a joint that leaves some of three places and three turns free, z along its axis."""
    z = along / np.linalg.norm(along)
    x = np.cross(np.eye(3)[np.argmin(np.abs(z))], z)
    x /= np.linalg.norm(x)
    system.CreateGenericJoint(
        itemNumbers=ends,
        position=place,
        rotationMatrixAxes=np.column_stack((x, np.cross(z, x), z)),
        constrainedAxes=[int(k not in free) for k in range(6)],
    )


def _settings(duration: float, steps: int, redundant: bool) -> Any:
    settings = exudyn.SimulationSettings()
    settings.timeIntegration.numberOfSteps = steps
    settings.timeIntegration.endTime = duration
    settings.timeIntegration.verboseMode = 0
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    settings.timeIntegration.newton.useModifiedNewton = True
    settings.solution.file.write = False
    settings.solution.sensors.writePeriod = duration
    if redundant:
        settings.linearSolver.solverType = exudyn.LinearSolverType.EigenDense
        settings.linearSolver.ignoreSingularJacobian = True
    return settings
