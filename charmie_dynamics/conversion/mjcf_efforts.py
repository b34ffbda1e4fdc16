# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""How much the efforts that hold a robot differ in MuJoCo."""

from __future__ import annotations

from typing import Any, NamedTuple

import mujoco
import numpy as np

from charmie_dynamics.model.model import Model
from charmie_dynamics.model.state import State
from charmie_dynamics.numerics.vectors import Floats

from .mjcf_writer import joint_values

RANK = 1e-9  # singular values below this share of the largest count as zero


class EffortDifference(NamedTuple):
    """How an exported robot differs in some poses at rest.

    Attributes
    ----------
    effort : float
        Largest difference of an effort (N or N m).
    largest : float
        Largest effort.
    opening : float
        Largest error of MuJoCo's constraints (m or rad).
    poses : int
        Their number.
    """

    effort: float
    largest: float
    opening: float
    poses: int


def effort_difference(model: Model, text: str, count: int, seed: int = 0) -> EffortDifference:
    """Compare the efforts that hold random closed poses with those by MuJoCo's terms.

    MuJoCo's bias, springs, constraint Jacobian and moment arms, with rigid constraints: its soft
    solver has no part. Actuators that share a motion have those of least norm.

    Parameters
    ----------
    model : Model
    text : str
        The MJCF, as `write_mjcf` returns it.
    count, seed : int
        Of the poses, see `Model.random_poses`.
    """
    exported = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(exported)
    is_passive = model.flat.mechanisms.by_type.loop_joints.is_passive
    # free bases, which need a wrench; the loops hold other bodies that float
    free = [
        joint.name
        for joint in model.tree.joints
        if joint.type == "floating"
        and not is_passive[model.velocity_names.index(f"{joint.name}/vx")]
    ]
    difference = largest = opening = 0.0
    for position in model.random_poses(count, seed):
        state = model.compute(position)
        _place(exported, data, model, state)
        J = data.efc_J[: data.ne * exported.nv].reshape(data.ne, exported.nv)
        arms = np.zeros((exported.nu, exported.nv))
        mujoco.mju_sparse2dense(
            arms, data.actuator_moment, data.moment_rownnz, data.moment_rowadr, data.moment_colind
        )
        held = np.zeros((6 * len(free), exported.nv))
        for n, name in enumerate(free):
            first = int(exported.joint(name).dofadr[0])
            held[6 * n : 6 * n + 6, first : first + 6] = np.eye(6)
        force = data.qfrc_bias - data.qfrc_passive
        columns = np.vstack((J, held, arms)).T
        effort = np.linalg.lstsq(columns, force, rcond=RANK)[0][len(J) + len(held) :]
        difference = max(difference, float(np.abs(effort - state.actuator_effort).max(initial=0.0)))
        largest = max(largest, float(np.abs(state.actuator_effort).max(initial=0.0)))
        opening = max(opening, float(np.abs(data.efc_pos[: data.ne]).max(initial=0.0)))
    return EffortDifference(difference, largest, opening, count)


def _place(exported: Any, data: Any, model: Model, state: State) -> None:
    """Put MuJoCo's bodies where those of a state are, at rest."""
    data.qpos[:] = exported.qpos0
    data.qvel[:] = 0.0
    for name, value in joint_values(model, state).items():
        data.qpos[exported.joint(name).qposadr[0]] = value
    for joint in model.tree.joints:
        if joint.type == "floating":
            first = exported.joint(joint.name).qposadr[0]
            p, R = state.frame(joint.child)
            data.qpos[first : first + 3] = p
            quaternion: Floats = np.empty(4)
            mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(R).ravel())
            data.qpos[first + 3 : first + 7] = quaternion
    mujoco.mj_fwdPosition(exported, data)
    mujoco.mj_fwdVelocity(exported, data)
