# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Other programs as rows of the table. Each is imported where its row is made."""

from __future__ import annotations

import logging
from functools import partial
from importlib import metadata
from typing import Any

import numpy as np

from validation.harness.timing import calls_of

from .candidates import OPEN_TREE, Candidate
from .case import Array, Case, Joints, Solution

SUBSTITUTE_MASS = 1e-12  # kg; MuJoCo moves no body without mass


def pinocchio(case: Case) -> Candidate:
    """Return the row of Pinocchio: rnea, then framesForwardKinematics."""
    import pinocchio as pin

    from validation.pinocchio_reference import Reference

    reference = Reference(case.tree.tree.urdf, is_fixed=True)
    model, data = reference.model, reference.data
    model.gravity.linear = case.tree.flat.tree.gravity
    names = case.tree.joint_names
    states = [reference.arrays(names, state) for state in case.joints.swapaxes(0, 1)]
    fold = states[0][3]
    frames = [model.getFrameId(name, pin.FrameType.BODY) for name in case.tree.flat.body_names]
    rnea, kinematics = pin.rnea, pin.framesForwardKinematics

    def cycle(q: Array, v: Array, a: Array) -> Any:
        load = rnea(model, data, q, v, a)
        kinematics(model, data, q)
        return load

    def solve(k: int) -> Solution:
        load = cycle(*states[k][:3])
        return Solution(np.array([data.oMf[i].translation for i in frames]), fold @ load)

    run = calls_of(cycle, [state[:3] for state in states])
    name = "Pinocchio: `rnea` + `framesForwardKinematics`"
    return Candidate(name, f"pin {metadata.version('pin')}", OPEN_TREE, solve, run)


def pinocchio_batch(case: Case, samples: int) -> Candidate:
    """Return the row of Pinocchio's rneaInParallel on one core, which omits the frames.

    `samples` is a multiple of the number of states of the case.
    """
    import pinocchio as pin

    from validation.pinocchio_reference import Reference

    reference = Reference(case.tree.tree.urdf, is_fixed=True)
    reference.model.gravity.linear = case.tree.flat.tree.gravity
    pool = pin.ModelPool(reference.model, 1)
    names = case.tree.joint_names
    states = [reference.arrays(names, state) for state in case.joints.swapaxes(0, 1)]
    fold = states[0][3]
    motion = [np.array([state[i] for state in states]).T for i in range(3)]
    tiled = [np.asfortranarray(np.tile(part, samples // len(states))) for part in motion]
    run = calls_of(
        partial(pin.rneaInParallel, 1, pool), (tiled, [x[:, ::-1].copy("F") for x in tiled])
    )

    def solve(k: int) -> Solution:
        return Solution(None, fold @ pin.rneaInParallel(1, pool, *tiled)[:, k])

    name = "Pinocchio: `rneaInParallel`, 1 core"
    return Candidate(name, f"pin {metadata.version('pin')}", OPEN_TREE, solve, run, samples)


def mujoco(case: Case) -> Candidate:
    """Return the row of MuJoCo: mj_inverse, whose position stage places the bodies."""
    import mujoco as mj

    from charmie_dynamics.conversion.mjcf_writer import write_mjcf

    joints = Joints(case)
    model = mj.MjModel.from_xml_string(write_mjcf(case.tree, SUBSTITUTE_MASS))
    # Mimic joints are constraints there, which inverse dynamics would mix with the forces.
    model.opt.disableflags |= mj.mjtDisableBit.mjDSBL_CONSTRAINT
    data = mj.MjData(model)
    index = np.array([model.joint(name).dofadr[0] for name in joints.names])
    full = np.zeros((3, joints.values.shape[1], model.nv))
    full[:, :, index] = joints.values
    bodies = [model.body(name).id for name in case.tree.flat.body_names[1:]]
    qpos, qvel, qacc, inverse = data.qpos, data.qvel, data.qacc, mj.mj_inverse

    def cycle(q: Array, v: Array, a: Array) -> None:
        qpos[:] = q
        qvel[:] = v
        qacc[:] = a
        inverse(model, data)

    def solve(k: int) -> Solution:
        cycle(*full[:, k])
        place = np.vstack([np.zeros(3), data.xpos[bodies]])
        return Solution(place, joints.fold(data.qfrc_inverse[index]))

    run = calls_of(cycle, full.swapaxes(0, 1))
    version = f"mujoco-core {metadata.version('mujoco-core')}"
    return Candidate("MuJoCo: `mj_inverse`", version, OPEN_TREE, solve, run)


def drake(case: Case) -> Candidate:
    """Return the row of Drake: CalcInverseDynamics, which places the bodies on its way."""
    logging.getLogger("drake").setLevel(logging.ERROR)  # it warns of mimic joints
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import MultibodyForces

    joints = Joints(case)
    plant = MultibodyPlant(0.0)
    Parser(plant).AddModelsFromString(case.tree.tree.urdf, "urdf")
    root = case.tree.tree.root
    if root != "world":  # that one is Drake's own
        plant.WeldFrames(plant.world_frame(), plant.GetFrameByName(root))
    plant.mutable_gravity_field().set_gravity_vector(case.tree.flat.tree.gravity)
    plant.Finalize()
    context = plant.CreateDefaultContext()
    forces = MultibodyForces(plant)
    index = np.array([plant.GetJointByName(name).velocity_start() for name in joints.names])
    places = np.array([plant.GetJointByName(name).position_start() for name in joints.names])
    count = joints.values.shape[1]
    q, v, a = np.zeros((3, count, plant.num_velocities()))
    q[:, places], v[:, index], a[:, index] = joints.values
    states = list(zip(np.hstack([q, v]), a, strict=True))
    bodies = [plant.GetBodyByName(name) for name in case.tree.flat.body_names]
    place = plant.SetPositionsAndVelocities
    springs_and_gravity = plant.CalcForceElementsContribution
    inverse = plant.CalcInverseDynamics

    def cycle(x: Array, a: Array) -> Any:
        place(context, x)
        springs_and_gravity(context, forces)
        return inverse(context, a, forces)

    def solve(k: int) -> Solution:
        load = cycle(*states[k])
        poses = [plant.EvalBodyPoseInWorld(context, body).translation() for body in bodies]
        return Solution(np.array(poses), joints.fold(load[index]))

    run = calls_of(cycle, states)
    name = "Drake: `CalcInverseDynamics`"
    return Candidate(name, f"drake {metadata.version('drake')}", OPEN_TREE, solve, run)


def make_others(case: Case) -> tuple[list[Candidate], dict[str, str]]:
    """Return the rows of the programs that are installed, and why the others have none."""
    made: list[Candidate] = []
    missing: dict[str, str] = {}
    for name, make in {"Pinocchio": pinocchio, "MuJoCo": mujoco, "Drake": drake}.items():
        try:
            made.append(make(case))
        except ImportError as error:
            missing[name] = f"the Python module `{error.name}` cannot be imported"
    return made, missing
