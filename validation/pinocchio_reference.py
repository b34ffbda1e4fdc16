# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A robot as Pinocchio computes it, and how far this package's results are from that.

The URDF is read by Pinocchio's own parser (urdfdom), with a free joint at the root that stays at
rest: its load is what the world applies on the root link. Mimic joints are free in Pinocchio's
model and are folded into their leaders here, because its own mimic joints must follow a joint that
precedes them in the tree. Where they do, a test holds the folding against them.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from charmie_dynamics import Model

TOLERANCE = 1e-9
STATES = 5


class Follower(NamedTuple):
    """Position of a joint: multiplier * position of the leader + offset."""

    leader: str
    multiplier: float
    offset: float


class Beyond:
    """What dataclasses of differences have in common."""

    def beyond(self, tolerance: float) -> dict[str, float]:
        """Return those that exceed a tolerance, or are no numbers."""
        found: dict[str, float] = vars(self)
        return {name: value for name, value in found.items() if not value <= tolerance}


@dataclass(frozen=True)
class Differences(Beyond):
    """Largest differences, each relative to the largest number of what is compared.

    Attributes
    ----------
    position : float
        Of the origins of all links in the world.
    rotation : float
        Of the elements of all links' rotation matrices.
    generalized_force : float
        Of the independent joints, in the open tree.
    base_force, base_torque : float
        By the world on the root link, at its origin. A torque that cancels out is compared with
        that of the force on an arm of a millimetre.
    """

    position: float
    rotation: float
    generalized_force: float
    base_force: float
    base_torque: float


class Solution(NamedTuple):
    """What is compared, of all states of a robot."""

    position: np.ndarray
    rotation: np.ndarray
    generalized_force: np.ndarray
    base_force: np.ndarray
    base_torque: np.ndarray


class Reference:
    """Inverse dynamics of a URDF by Pinocchio.

    Attributes
    ----------
    links : tuple of str
        All links.
    joints : tuple of str
        The independent joints in the order of the file.
    """

    def __init__(self, text: str, *, is_fixed: bool = False) -> None:
        self._text = text
        robot = ElementTree.fromstring(text.encode())
        moving = [joint for joint in robot.iterfind("joint") if joint.get("type") != "fixed"]
        self.links = tuple(link.get("name", "") for link in robot.iterfind("link"))
        names = [joint.get("name", "") for joint in moving]
        followers = {joint.get("name", ""): _follower(joint) for joint in moving}
        # a joint whose leader does not exist moves on its own
        self.followers = {
            name: follower
            for name, follower in followers.items()
            if follower is not None and follower.leader in names
        }
        self.joints = tuple(name for name in names if name not in self.followers)
        root = () if is_fixed else (pin.JointModelFreeFlyer(),)
        self.model = pin.buildModelFromXML(text, *root)
        self.data = self.model.createData()

    def solve(self, links: tuple[str, ...], joints: tuple[str, ...], state: np.ndarray) -> Solution:
        """Return the results for the links and independent joints in the order given.

        Parameters
        ----------
        state : (3, n) array
            Position, velocity and acceleration of the joints.
        """
        q, v, a, fold = self.arrays(joints, state)
        load = pin.rnea(self.model, self.data, q, v, a)
        pin.framesForwardKinematics(self.model, self.data, q)
        ids = [self.model.getFrameId(link, pin.FrameType.BODY) for link in links]
        return Solution(
            position=np.array([self.data.oMf[i].translation for i in ids]),
            rotation=np.array([self.data.oMf[i].rotation for i in ids]),
            generalized_force=fold @ load,
            base_force=load[0:3],
            base_torque=load[3:6],
        )

    def with_fixed_root(self) -> Reference:
        """Return the same robot with its root fixed to the world."""
        return Reference(self._text, is_fixed=True)

    def arrays(
        self, joints: tuple[str, ...], state: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return Pinocchio's position, velocity and acceleration, and the matrix that folds.

        Parameters
        ----------
        joints : tuple of str
            The independent joints.
        state : (3, n) array
            Their position, velocity and acceleration.

        Returns
        -------
        q, v, a : array
            Of all joints of Pinocchio's model.
        fold : (n, nv) array
            From its efforts to those of the independent joints.
        """
        index = {name: i for i, name in enumerate(joints)}
        q = pin.neutral(self.model)
        v, a = np.zeros((2, self.model.nv))
        fold = np.zeros((len(joints), self.model.nv))
        for joint in [*joints, *self.followers]:
            leader, multiplier, offset = self._lead(joint)
            position, velocity, acceleration = state[:, index[leader]]
            k = self.model.getJointId(joint)
            angle = multiplier * position + offset
            # a continuous joint is a point on the unit circle
            circle = self.model.nqs[k] == 2
            q_k = (np.cos(angle), np.sin(angle)) if circle else (angle,)
            q[self.model.idx_qs[k] :][: len(q_k)] = q_k
            v[self.model.idx_vs[k]] = multiplier * velocity
            a[self.model.idx_vs[k]] = multiplier * acceleration
            fold[index[leader], self.model.idx_vs[k]] = multiplier
        return q, v, a, fold

    def _lead(self, joint: str) -> Follower:
        """Return which independent joint moves a joint in the end, and how."""
        multiplier, offset = 1.0, 0.0
        while joint in self.followers:
            joint, m, o = self.followers[joint]
            multiplier, offset = multiplier * m, multiplier * o + offset
        return Follower(joint, multiplier, offset)


def _follower(joint: ElementTree.Element) -> Follower | None:
    mimic = joint.find("mimic")
    if mimic is None:
        return None
    multiplier, offset = mimic.get("multiplier", "1"), mimic.get("offset", "0")
    return Follower(mimic.get("joint", ""), float(multiplier), float(offset))


def random_states(joints: int, seed: int = 20) -> np.ndarray:
    """Return states (STATES, 3, joints): turns all round, speeds and accelerations of a robot."""
    states = np.random.default_rng(seed).uniform(-1.0, 1.0, size=(STATES, 3, joints))
    return states * np.array([[3.1], [4.0], [20.0]])


def compare(model: Model, reference: Reference) -> Differences:
    """Return the largest differences between this package and Pinocchio over random states."""
    assert sorted(model.joint_names) == sorted(reference.joints)
    assert sorted(model.frame_names) == sorted(reference.links)
    largest = np.zeros(5)
    for state in random_states(len(model.joint_names)):
        ours = _solve(model, state)
        theirs = reference.solve(model.frame_names, model.joint_names, state)
        least = (0.0, 0.0, 0.0, 0.0, 1e-3 * np.abs(theirs.base_force).max())
        differences = [relative(*triple) for triple in zip(ours, theirs, least, strict=True)]
        largest = np.maximum(largest, differences)
    return Differences(*largest.tolist())


def _solve(model: Model, state: np.ndarray) -> Solution:
    result = model.compute(*state)
    poses = [result.frame(name) for name in model.frame_names]
    force, torque = result.base_wrench
    return Solution(
        position=np.array([p for p, _ in poses]),
        rotation=np.array([R for _, R in poses]),
        generalized_force=result.generalized_force,
        base_force=force,
        base_torque=torque,
    )


def relative(ours: np.ndarray, theirs: np.ndarray, least: float = 0.0) -> float:
    """NaN, which no tolerance lets pass, if one of them has one; absolute where all is zero."""
    if theirs.size == 0:
        return 0.0
    return float(np.abs(ours - theirs).max() / (max(np.abs(theirs).max(), least) or 1.0))
