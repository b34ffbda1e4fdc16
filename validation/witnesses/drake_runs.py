# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Problems with spherical and revolute loop joints in Drake: discrete steps with ball constraints.

Only its discrete plants have constraints; their method is of first order. A hinge is held at two
points of its axis.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import yaml
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import DiscreteContactApproximation, MultibodyPlant
from pydrake.multibody.tree import JacobianWrtVariable, MultibodyForces
from pydrake.systems.analysis import Simulator

from validation.problems.problem import Problem
from validation.urdf_tree import UrdfTree

from . import JointState, WitnessRun, balance, hinge_points, witness_run


def run(problem: Problem, steps: int) -> WitnessRun:
    """Simulate a problem without efforts in equal steps over its duration."""
    tree, plant, names, _ = _robot(problem, problem.duration / steps)
    simulator = Simulator(plant)
    context = simulator.get_mutable_context()
    start = problem.position, problem.velocity
    state = np.concatenate([[values.get(name, 0.0) for name in names] for values in start])
    plant.SetPositionsAndVelocities(context, state)
    simulator.Initialize()
    begin = time.process_time()
    simulator.AdvanceTo(problem.duration * (1.0 + 1e-12))
    seconds = time.process_time() - begin
    ends = plant.GetPositionsAndVelocities(simulator.get_context()).reshape(2, -1)
    position, velocity = (dict(zip(names, map(float, x), strict=True)) for x in ends)
    return witness_run(tree, tree.motion(position, velocity), seconds)


def efforts(problem: Problem, states: Sequence[JointState]) -> list[dict[str, float]]:
    """Return the efforts of the actuators: those of the tree, balanced by multipliers."""
    _, plant, names, pins = _robot(problem, 1e-3)
    context, forces, found = plant.CreateDefaultContext(), MultibodyForces(plant), []
    inactive = yaml.safe_load(problem.mechanisms)["passive_joints"]
    passive = [k for k, name in enumerate(names) if name in inactive]
    driven = [k for k in range(len(names)) if k not in passive]
    world, kind = plant.world_frame(), JacobianWrtVariable.kV
    for state in states:
        q, v, a = (np.array([values[name] for name in names]) for values in state)
        plant.SetPositionsAndVelocities(context, np.concatenate((q, v)))
        plant.CalcForceElementsContribution(context, forces)
        load = plant.CalcInverseDynamics(context, a, forces)
        jacobian = np.vstack(
            [
                np.subtract(
                    *(
                        plant.CalcJacobianTranslationalVelocity(
                            context, kind, body.body_frame(), point, world, world
                        )
                        for body, point in pair
                    )
                )
                for pair in pins
            ]
        )
        effort = balance(load, jacobian, passive, driven)
        found.append(dict(zip([names[k] for k in driven], map(float, effort), strict=True)))
    return found


def _robot(problem: Problem, step: float) -> tuple[UrdfTree, Any, list[str], list[Any]]:
    """Return tree, plant, names of its coordinates, and bodies and points that are pinned."""
    logging.getLogger("drake").setLevel(logging.ERROR)
    tree, file = UrdfTree(problem.urdf), yaml.safe_load(problem.mechanisms)
    plant = MultibodyPlant(step)
    plant.set_discrete_contact_approximation(DiscreteContactApproximation.kSap)
    Parser(plant).AddModelsFromString(problem.urdf, "urdf")
    if tree.root != "world":
        plant.WeldFrames(plant.world_frame(), plant.GetFrameByName(tree.root))
    plant.mutable_gravity_field().set_gravity_vector(file["gravity"])
    pins = []
    for entry in file["loop_joints"].values():
        first, second = (plant.GetBodyByName(entry[f"{end}_body"]) for end in ("first", "second"))
        for p, q in hinge_points(entry, tree):
            plant.AddBallConstraint(first, p, second, q)
            pins.append(((first, p), (second, q)))
    plant.Finalize()
    moving = [joint.name for joint in tree.joints if joint.kind != "fixed"]
    return tree, plant, sorted(moving, key=lambda n: plant.GetJointByName(n).velocity_start()), pins
