# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A robot with real closed loops in MuJoCo: motions that the loops admit, and forces for them."""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np

from charmie_dynamics import Model, State
from charmie_dynamics.conversion.mjcf_writer import joint_values, write_mjcf

# derivative from equally spaced values, central differences of eighth order
STENCIL = np.array([3.0, -32.0, 168.0, -672.0, 0.0, 672.0, -168.0, 32.0, -3.0]) / 840.0
STEP = 2e-3  # s; truncation is (rate * STEP)^8, round-off 1e-16 / STEP
CLOSED = 1e-14  # m and rad, residual at which Newton's iteration ends
ITERATIONS = 10
RANK = 1e-9  # singular values below this share of the largest count as zero
PATH_STEPS = 6  # from the zero position to any other


class Motion(NamedTuple):
    """Coordinates, rates and accelerations (v,) of all joints, those inside the loops included.

    `bias` (e,) is what the rates alone make of the constraints' accelerations: J' times velocity.
    """

    position: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray
    bias: np.ndarray


class Forces(NamedTuple):
    """Solution of tau = J^T lambda + A^T u.

    Attributes
    ----------
    effort : (q,) array
        u, the forces of the actuators in the order of the model.
    tension : (s,) array
        Of the springs in the order of the model, from MuJoCo's passive forces.
    unbalanced : float
        Largest entry of tau - J^T lambda - A^T u (N, N m).
    undetermined : int
        Dimension of the solutions u. At 0, u is unique, however redundant the constraints are.
    """

    effort: np.ndarray
    tension: np.ndarray
    unbalanced: float
    undetermined: int


class ClosedLoopRobot:
    """A `Model` in MuJoCo.

    Parameters
    ----------
    model : Model
    substitute_mass : float
        See `mjcf_writer.write_mjcf`.

    Attributes
    ----------
    mj_model, mj_data
        MuJoCo's own.
    driven : (q,) array of int
        Joint of each actuator, in the order of the model: those whose motion is prescribed.
    passive : array of int
        All others: lift and torso joint, pins, bars, uprights, sliders and mimic joints.
    start : (v,) array
        Coordinates with all independent joints of the tree at zero and the loops closed.
    """

    def __init__(self, model: Model, substitute_mass: float) -> None:
        self.model = model
        self.mj_model = mujoco.MjModel.from_xml_string(write_mjcf(model, substitute_mass))
        self.mj_data = mujoco.MjData(self.mj_model)
        self.driven = self.mj_model.actuator_trnid[:, 0].copy()
        self.passive = np.setdiff1d(np.arange(self.mj_model.nv), self.driven)
        self.start = self._zero()

    def joint(self, name: str) -> int:
        """Return the index of a joint."""
        return int(self.mj_model.joint(name).id)

    def configuration(self, state: State) -> np.ndarray:
        """Return the coordinates (v,) that put every body where `state` has it.

        Nothing is solved here: how far the loops are open at these coordinates is the error of
        the state's kinematics.
        """
        q = np.zeros(self.mj_model.nq)
        for name, value in joint_values(self.model, state).items():
            q[self.joint(name)] = value
        return q

    def constraints(self, position: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return how far the loops are open (e,), in m and rad, and the Jacobian J (e, v)."""
        self.mj_data.qpos[:] = position
        mujoco.mj_fwdPosition(self.mj_model, self.mj_data)
        rows, columns = self.mj_data.ne, self.mj_model.nv
        J = self.mj_data.efc_J[: rows * columns].reshape(rows, columns)
        return self.mj_data.efc_pos[:rows].copy(), J.copy()

    def close(self, position: np.ndarray, velocity: np.ndarray, acceleration: np.ndarray) -> Motion:
        """Return the motion that the constraints allow when the actuators move as given.

        The loops are followed from the zero position of all joints, so that neither the joints'
        positions nor the choice between the solutions of a loop comes from the model's core.

        Parameters
        ----------
        position, velocity, acceleration : (q,) array
            Of the actuators, in the order of the model.
        """
        q = self.start.copy()
        for share in np.linspace(0.0, 1.0, PATH_STEPS + 1)[1:]:
            q[self.driven] = self.start[self.driven] + share * (position - self.start[self.driven])
            q = self.closed(q)
        _, J = self.constraints(q)
        v, a = np.zeros((2, self.mj_model.nv))
        v[self.driven] = velocity
        v[self.passive] = -_solve(J[:, self.passive], J @ v)
        bias = np.zeros(len(J))
        for weight, k in zip(STENCIL, range(-4, 5), strict=True):
            bias += weight / STEP * (self.constraints(q + k * STEP * v)[1] @ v)
        a[self.driven] = acceleration
        a[self.passive] = -_solve(J[:, self.passive], J @ a + bias)
        return Motion(q, v, a, bias)

    def closed(self, position: np.ndarray) -> np.ndarray:
        """Return coordinates (v,) with the loops closed by the passive joints (Newton)."""
        q = position.copy()
        for _ in range(ITERATIONS):
            gap, J = self.constraints(q)
            if np.abs(gap).max() < CLOSED:
                return q
            q[self.passive] -= _solve(J[:, self.passive], gap)
        raise ArithmeticError(
            f"{self.model.name}: a loop stays open by {np.abs(gap).max():.1e} m or rad after "
            f"{ITERATIONS} iterations; expected less than {CLOSED:.0e}"
        )

    def forces(self, motion: Motion) -> Forces:
        """Return the actuators' forces that a motion needs: MuJoCo's terms, hard constraints.

        tau = M a + bias - springs of the opened tree, J of the equality constraints and the
        moment arms A of the actuators are MuJoCo's; its soft constraint solver has no part.
        """
        _, J = self.constraints(motion.position)
        self.mj_data.qvel[:] = motion.velocity
        mujoco.mj_fwdVelocity(self.mj_model, self.mj_data)
        tau = np.zeros(self.mj_model.nv)
        mujoco.mj_mulM(self.mj_model, self.mj_data, tau, motion.acceleration)
        tau += self.mj_data.qfrc_bias - self.mj_data.qfrc_passive
        columns = np.vstack([J, self._moment_arms()]).T
        solution, _, rank, _ = np.linalg.lstsq(columns, tau, rcond=RANK)
        hold = np.linalg.matrix_rank(J, rtol=RANK)
        tension = -_solve(self._spring_jacobian().T, self.mj_data.qfrc_passive)
        return Forces(
            effort=solution[len(J) :],
            tension=tension,
            unbalanced=float(np.abs(columns @ solution - tau).max()),
            undetermined=len(self.driven) + int(hold) - int(rank),
        )

    def place(self, position: np.ndarray, velocity: np.ndarray) -> None:
        """Bring MuJoCo's data to a state (v,), (v,), as far as they do not depend on forces."""
        self.mj_data.qpos[:], self.mj_data.qvel[:] = position, velocity
        mujoco.mj_fwdPosition(self.mj_model, self.mj_data)
        mujoco.mj_fwdVelocity(self.mj_model, self.mj_data)

    def origins(self, names: tuple[str, ...]) -> np.ndarray:
        """Return where bodies are in the world (n, 3) at the state of the last call."""
        return np.array([self.mj_data.body(name).xpos for name in names])

    def tendon(self, name: str) -> tuple[float, float]:
        """Return length and rate of a tendon at the state of the last call."""
        k = self.mj_model.tendon(name).id
        return float(self.mj_data.ten_length[k]), float(self.mj_data.ten_velocity[k])

    def _zero(self) -> np.ndarray:
        """Return the coordinates with the tree's joints at zero, lengths measured by MuJoCo."""
        q = np.zeros(self.mj_model.nq)
        self.constraints(q)
        for actuator in self.model.mechanisms.linear_actuators:
            q[self.joint(f"{actuator.name}_slide")] = self.tendon(actuator.name)[0]
        return self.closed(q)

    def _moment_arms(self) -> np.ndarray:
        data = self.mj_data
        A = np.zeros((self.mj_model.nu, self.mj_model.nv))
        mujoco.mju_sparse2dense(
            A, data.actuator_moment, data.moment_rownnz, data.moment_rowadr, data.moment_colind
        )
        return A

    def _spring_jacobian(self) -> np.ndarray:
        model = self.mj_model
        J = np.zeros((model.ntendon, model.nv))
        mujoco.mju_sparse2dense(
            J, self.mj_data.ten_J, model.ten_J_rownnz, model.ten_J_rowadr, model.ten_J_colind
        )
        return J[[model.tendon(name).id for name in self.model.spring_names]]


def _solve(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the solution of equations that are consistent, though more than the unknowns."""
    return np.linalg.lstsq(matrix, right, rcond=RANK)[0]
