# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Random trees with all joint types against Pinocchio."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

TESTS = Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "unit"), str(TESTS / "combinations")]

from descriptions import NUMBERS  # noqa: E402
from generator import KINDS, JointPlan, Plan, described  # noqa: E402
from situations import DescribedSituation  # noqa: E402

SEEDS = range(40)


def planned(seed: int) -> Plan:
    """Return a plan; the planes of planar joints are those of Pinocchio."""
    rng = np.random.default_rng(seed)
    kinds = [KINDS[k] for k in rng.integers(0, len(KINDS), 6)]
    joints = [JointPlan(k, int(rng.integers(0, n + 1)), n % 3 == 2) for n, k in enumerate(kinds)]
    return Plan(tuple(joints), ("gravity",), seed)


class Compared:
    """The same tree and state in both programs.

    Attributes
    ----------
    ratio : (n, v) array
        Of Pinocchio's velocities, those of mimic joints included, to those of the model.
    drift : (n,) array
        Acceleration in Pinocchio without one in the model.
    """

    def __init__(self, seed: int) -> None:
        robot = described(planned(seed)).copy()
        for joint in robot.joints:
            if joint.kind == "planar":
                joint.axis = np.array([0.0, 0.0, 1.0])
        self.s = s = DescribedSituation(robot)
        free = robot.copy()
        for joint in free.joints:
            joint.mimic = None
        self.theirs = theirs = pin.buildModelFromXML(free.urdf())
        theirs.gravity = pin.Motion(np.concatenate((s.model.mechanisms.gravity, np.zeros(3))))
        self.data = theirs.createData()
        self.q, self.ratio = pin.neutral(theirs), np.zeros((theirs.nv, len(s.v)))
        self.drift = np.zeros(theirs.nv)
        for joint in robot.joints:
            if joint.kind == "fixed":
                continue
            k = theirs.getJointId(joint.name)
            leader, multiplier, offset = robot.leader_of(joint)
            names = NUMBERS[robot.joint(leader).kind]
            x = np.array([s.x[s.model.position_names.index(leader + e)] for e in names[0]])
            own = [s.model.velocity_names.index(leader + e) for e in names[1]]
            rows = slice(theirs.idx_vs[k], theirs.idx_vs[k] + theirs.nvs[k])
            x, block = multiplier * x + offset, multiplier * np.eye(len(own))
            if joint.kind == "planar":  # the rates of x and y are those along the axes of the body
                cosine, sine = np.cos(x[2]), np.sin(x[2])
                block = np.array([[cosine, sine, 0.0], [-sine, cosine, 0.0], [0.0, 0.0, 1.0]])
                vx, vy, w = block @ s.v[own]
                self.drift[rows] = w * vy, -w * vx, 0.0
            if joint.kind in ("planar", "continuous"):
                x = np.array([*x[:-1], np.cos(x[-1]), np.sin(x[-1])])
            self.q[theirs.idx_qs[k] : theirs.idx_qs[k] + theirs.nqs[k]] = x
            self.ratio[rows, own] = block

    @property
    def motion(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.q, self.ratio @ self.s.v, self.ratio @ self.s.a + self.drift


@pytest.fixture(params=SEEDS)
def compared(request: pytest.FixtureRequest) -> Compared:
    return Compared(request.param)


def close(ours: np.ndarray, theirs: np.ndarray) -> None:
    size = max(1.0, float(np.abs(theirs).max(initial=0.0)))
    np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=1e-10 * size)


def test_efforts_agree(compared: Compared) -> None:
    effort = pin.rnea(compared.theirs, compared.data, *compared.motion)
    close(compared.s.state.generalized_force, compared.ratio.T @ effort)


def test_mass_matrices_agree(compared: Compared) -> None:
    upper = np.triu(pin.crba(compared.theirs, compared.data, compared.q))
    whole = upper + np.triu(upper, 1).T
    ours = compared.s.model.equations(compared.s.x).mass_matrix
    close(ours, compared.ratio.T @ whole @ compared.ratio)


def test_derivatives_agree(compared: Compared) -> None:
    if compared.s.robot.independent("planar"):
        return  # their velocities are not those of Pinocchio
    by_q, by_v, _ = pin.computeRNEADerivatives(compared.theirs, compared.data, *compared.motion)
    s, ratio = compared.s, compared.ratio
    found = s.model.derivatives(s.x, s.v, s.a)
    close(found.effort_by_position, ratio.T @ by_q @ ratio)
    close(found.effort_by_velocity, ratio.T @ by_v @ ratio)
