# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Other programs as rows of the table. Each is imported where its row is made."""

from __future__ import annotations

import logging
from collections.abc import Callable
from importlib import metadata
from itertools import cycle, islice
from time import perf_counter

import numpy as np

from .candidates import OPEN_TREE, Candidate, rows
from .case import Case, Joints, Solution

SUBSTITUTE_MASS = 1e-12  # kg; MuJoCo moves no body without mass


def pinocchio(case: Case) -> Candidate:
    """Return the row of Pinocchio: rnea, then framesForwardKinematics."""
    import pinocchio as pin

    joints = Joints(case)
    model = pin.buildModelFromXML(case.tree.tree.urdf)
    model.gravity.linear = case.tree.flat.tree.gravity
    data = model.createData()
    ids = [model.getJointId(name) for name in joints.names]
    index_v = np.array([model.idx_vs[k] for k in ids])
    count = joints.values.shape[1]
    q = np.tile(pin.neutral(model), (count, 1))
    v, a = np.zeros((2, count, model.nv))
    v[:, index_v], a[:, index_v] = joints.values[1:]
    for k, position in zip(ids, joints.values[0].T, strict=True):
        first = model.idx_qs[k]
        if model.nqs[k] == 2:  # a continuous joint is a point on the unit circle
            q[:, first], q[:, first + 1] = np.cos(position), np.sin(position)
        else:
            q[:, first] = position
    frames = [model.getFrameId(name, pin.FrameType.BODY) for name in case.tree.flat.body_names]
    rnea, kinematics = pin.rnea, pin.framesForwardKinematics
    states = list(zip(q, v, a, strict=True))
    endless = cycle(states)

    def solve(k: int) -> Solution:
        load = rnea(model, data, *states[k])
        kinematics(model, data, q[k])
        place = np.array([data.oMf[i].translation for i in frames])
        return Solution(place, joints.fold(load[index_v]))

    def run(calls: int) -> float:
        chosen = list(islice(endless, calls))
        start = perf_counter()
        for q_k, v_k, a_k in chosen:
            rnea(model, data, q_k, v_k, a_k)
            kinematics(model, data, q_k)
        return perf_counter() - start

    name = "Pinocchio: `rnea` + `framesForwardKinematics`"
    return Candidate(name, f"pin {metadata.version('pin')}", OPEN_TREE, solve, run)


def mujoco(case: Case) -> Candidate:
    """Return the row of MuJoCo: mj_inverse, whose position stage places the bodies."""
    import mujoco as mj

    from validation.mujoco_model import write_mjcf

    joints = Joints(case)
    model = mj.MjModel.from_xml_string(write_mjcf(case.tree, SUBSTITUTE_MASS))
    # Mimic joints are constraints there, which inverse dynamics would mix with the forces.
    model.opt.disableflags |= mj.mjtDisableBit.mjDSBL_CONSTRAINT
    data = mj.MjData(model)
    index = np.array([model.joint(name).dofadr[0] for name in joints.names])
    full = np.zeros((3, joints.values.shape[1], model.nv))
    full[:, :, index] = joints.values
    bodies = [model.body(name).id for name in case.tree.flat.body_names[1:]]
    endless = rows(full)
    qpos, qvel, qacc, inverse = data.qpos, data.qvel, data.qacc, mj.mj_inverse

    def solve(k: int) -> Solution:
        qpos[:], qvel[:], qacc[:] = full[:, k]
        inverse(model, data)
        place = np.vstack([np.zeros(3), data.xpos[bodies]])
        return Solution(place, joints.fold(data.qfrc_inverse[index]))

    def run(calls: int) -> float:
        chosen = [tuple(state) for state in islice(endless, calls)]
        start = perf_counter()
        for q_k, v_k, a_k in chosen:
            qpos[:] = q_k
            qvel[:] = v_k
            qacc[:] = a_k
            inverse(model, data)
        return perf_counter() - start

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
    endless = cycle(states)
    bodies = [plant.GetBodyByName(name) for name in case.tree.flat.body_names]
    place = plant.SetPositionsAndVelocities
    springs_and_gravity = plant.CalcForceElementsContribution
    inverse = plant.CalcInverseDynamics

    def solve(k: int) -> Solution:
        x_k, a_k = states[k]
        place(context, x_k)
        springs_and_gravity(context, forces)
        load = inverse(context, a_k, forces)
        poses = [plant.EvalBodyPoseInWorld(context, body).translation() for body in bodies]
        return Solution(np.array(poses), joints.fold(load[index]))

    def run(calls: int) -> float:
        chosen = list(islice(endless, calls))
        start = perf_counter()
        for x_k, a_k in chosen:
            place(context, x_k)
            springs_and_gravity(context, forces)
            inverse(context, a_k, forces)
        return perf_counter() - start

    name = "Drake: `CalcInverseDynamics`"
    return Candidate(name, f"drake {metadata.version('drake')}", OPEN_TREE, solve, run)


OTHERS: dict[str, Callable[[Case], Candidate]] = {
    "Pinocchio": pinocchio,
    "MuJoCo": mujoco,
    "Drake": drake,
}


def make_others(case: Case) -> tuple[list[Candidate], dict[str, str]]:
    """Return the rows of the programs that are installed, and why the others have none."""
    made: list[Candidate] = []
    missing: dict[str, str] = {}
    for name, make in OTHERS.items():
        try:
            made.append(make(case))
        except ImportError as error:
            missing[name] = f"the Python module `{error.name}` cannot be imported"
    return made, missing
