"""Step 2 for the loops: reduce linear actuators and balance mechanisms to their planes."""

from __future__ import annotations

import math

import numpy as np

from charmie_dynamics.core import arrays
from charmie_dynamics.core.arrays import read_only
from charmie_dynamics.errors import ModelFileError, shown
from charmie_dynamics.numerics.vectors import Floats

from .description.robot import Joint, LinearActuator, MechanismSet, Tree


def flatten_linear_actuators(
    robot: Tree,
    mechanisms: MechanismSet,
    index: dict[str, int],
    coordinates: dict[str, int],
    source: str,
) -> arrays.LinearActuators:
    """Reduce each linear actuator's loop to the plane across its joint's axis.

    Raises
    ------
    ModelFileError
        Where the pins do not lie on the two sides of the joint, or the geometry is degenerate.
    """
    parts = mechanisms.linear_actuators
    joints = {joint.name: joint for joint in robot.joints}
    count = len(parts)
    F = np.zeros((count, 2))
    G_zero = np.zeros((count, 2))
    pins = np.zeros((count, 3))
    side, along, across, branch = (np.zeros(count) for _ in range(4))
    body: list[int] = []
    carriers: list[tuple[int, int, int]] = []
    for k, part in enumerate(parts):
        where = mechanisms.where(source, "linear_actuators", part.name)
        subject = f"{where}: linear actuator '{shown(part.name)}'"
        joint = joints[part.joint]
        body.append(index[joint.child])
        p_joint_fixed, p_joint_pin, side[k] = _pins(robot, joint, part, subject)
        pins[k] = p_joint_pin
        ends = (part.tip_body, part.base_body)
        moving, fixed = ends if side[k] > 0.0 else ends[::-1]
        common = _common_carrier(robot, moving, fixed)
        carriers.append((index[moving], index[fixed], index[common]))
        d = p_joint_pin - p_joint_fixed
        along[k] = joint.axis @ d
        if joint.type == "prismatic":
            across[k] = math.sqrt(max(d @ d - along[k] ** 2, 0.0))
            zero_branch = along[k]
            if part.reaction_share:
                raise ModelFileError(
                    f"{subject}: reaction_share is for a revolute joint, but '{joint.name}' is "
                    "prismatic and carries all undetermined reactions; expected 0"
                )
        else:
            basis = plane_across(joint.axis)
            F[k] = basis @ p_joint_fixed
            G_zero[k] = basis @ p_joint_pin
            zero_branch = F[k, 1] * (G_zero[k, 0] - F[k, 0]) - F[k, 0] * (G_zero[k, 1] - F[k, 1])
            if min(math.hypot(*F[k]), math.hypot(*G_zero[k])) < 1e-9:
                raise ModelFileError(
                    f"{subject}: a pin lies on the axis of '{joint.name}'; it could not turn it"
                )
        if abs(zero_branch) < 1e-9:
            raise ModelFileError(
                f"{subject}: at the zero position of '{joint.name}' the loop is at a dead centre, "
                "which cannot tell the two branches apart; move the joint's zero"
            )
        branch[k] = math.copysign(1.0, zero_branch) * (1.0 if part.branch == "upright" else -1.0)
    result = arrays.LinearActuators(
        joint_body=np.array(body, dtype=np.int64),
        coordinate=np.array([coordinates[part.joint] for part in parts], dtype=np.int64),
        moving_pin_body=np.array([moving for moving, _, _ in carriers], dtype=np.int64),
        fixed_pin_body=np.array([fixed for _, fixed, _ in carriers], dtype=np.int64),
        common_body=np.array([common for _, _, common in carriers], dtype=np.int64),
        side=side,
        p_body_pin=pins,
        F=F,
        G_zero=G_zero,
        along_zero=along,
        across=across,
        branch=branch,
        reaction_share=np.array([part.reaction_share for part in parts], dtype=np.float64),
    )
    return read_only(result)


def flatten_balance(
    robot: Tree, mechanisms: MechanismSet, index: dict[str, int], source: str
) -> arrays.BalanceMechanisms:
    """Check that each mechanism spans a vertical slide, and fill its arrays."""
    parts = mechanisms.balance_mechanisms
    shares: dict[str, float] = {}
    for part in parts:
        where = mechanisms.where(source, "balance_mechanisms", part.name)
        subject = f"{where}: balance mechanism '{shown(part.name)}'"
        joint = robot.joint_of(part.carried_body)
        if (
            joint is None
            or joint.type != "prismatic"
            or joint.parent != part.frame_body
            or not np.allclose(np.abs(joint.axis), [0.0, 0.0, 1.0], atol=1e-9)
            or not np.allclose(joint.R_parent_joint, np.eye(3), atol=1e-9)
        ):
            raise ModelFileError(
                f"{subject}: expected carried_body '{part.carried_body}' on a prismatic joint "
                f"along z of frame_body '{part.frame_body}', without rotation between the two"
            )
        if part.spring_anchor[1] != part.pivot[1]:
            raise ModelFileError(
                f"{subject}: spring_anchor must lie in the plane of the bar, at the pivot's y of "
                f"{part.pivot[1]}, got {part.spring_anchor[1]}"
            )
        shares[part.carried_body] = shares.get(part.carried_body, 0.0) + part.torque_share
        if shares[part.carried_body] > 1.0 + 1e-12:
            raise ModelFileError(
                f"{subject}: the torque shares on '{part.carried_body}' must not exceed 1 in sum, "
                f"got {shares[part.carried_body]}"
            )
    result = arrays.BalanceMechanisms(
        frame_body=np.array([index[part.frame_body] for part in parts], dtype=np.int64),
        carried_body=np.array([index[part.carried_body] for part in parts], dtype=np.int64),
        p_frame_pivot=np.array([part.pivot for part in parts]).reshape(-1, 3),
        p_frame_anchor=np.array([part.spring_anchor for part in parts]).reshape(-1, 3),
        side=np.array([float(part.side) for part in parts]),
        bar_length=np.array([part.bar_length for part in parts]),
        spring_arm=np.array([part.spring_arm for part in parts]),
        link_height=np.array([part.link_height for part in parts]),
        carried_point_z=np.array([part.carried_point_z for part in parts]),
        torque_share=np.array([part.torque_share for part in parts]),
    )
    return read_only(result)


def _pins(
    robot: Tree, joint: Joint, part: LinearActuator, subject: str
) -> tuple[Floats, Floats, float]:
    """Return fixed and moving pin in the joint's frame at zero, and which end moves (+1: tip)."""
    ends = [
        _in_movable_body(robot, part.base_body, np.array(part.base_point)),
        _in_movable_body(robot, part.tip_body, np.array(part.tip_point)),
    ]
    ground, p_ground_parent, R_ground_parent = _movable_body(robot, joint.parent)
    side = 1.0
    if ends[0][0] == joint.child:
        ends.reverse()
        side = -1.0
    (fixed_body, p_fixed), (moving_body, p_moving) = ends
    if fixed_body != ground or moving_body != joint.child:
        raise ModelFileError(
            f"{subject}: expected one pin on each side of joint '{joint.name}' (on '{joint.parent}'"
            f" and on '{joint.child}', or on bodies fixed to them), got '{part.base_body}' and "
            f"'{part.tip_body}'"
        )
    p_parent_fixed = R_ground_parent.T @ (p_fixed - p_ground_parent)
    return joint.R_parent_joint.T @ (p_parent_fixed - joint.p_parent_joint), p_moving, side


def _common_carrier(robot: Tree, one: str, other: str) -> str:
    """Return the nearest link that carries both links, which may be one of them."""
    carriers = set(_carriers(robot, one))
    return next(link for link in _carriers(robot, other) if link in carriers)


def _carriers(robot: Tree, link: str) -> list[str]:
    """Return a link and all that carry it, down to the root."""
    carriers = [link]
    joint = robot.joint_of(link)
    while joint is not None:
        carriers.append(joint.parent)
        joint = robot.joint_of(joint.parent)
    return carriers


def _movable_body(robot: Tree, link: str) -> tuple[str, Floats, Floats]:
    """Return the nearest movable body (or root) that carries `link`, and the pose of `link` in it.

    The pose is p_body_link (3,) and R_body_link (3, 3).
    """
    p = np.zeros(3)
    R = np.eye(3)
    joint = robot.joint_of(link)
    while joint is not None and joint.type == "fixed":
        p = joint.p_parent_joint + joint.R_parent_joint @ p
        R = joint.R_parent_joint @ R
        link = joint.parent
        joint = robot.joint_of(link)
    return link, p, R


def _in_movable_body(robot: Tree, link: str, p_link_point: Floats) -> tuple[str, Floats]:
    body, p_body_link, R_body_link = _movable_body(robot, link)
    return body, p_body_link + R_body_link @ p_link_point


def plane_across(axis: Floats) -> Floats:
    """Return two unit vectors (rows) which with `axis` form a right-handed triad."""
    start = np.eye(3)[int(np.argmin(np.abs(axis)))]
    first = np.cross(start, axis)
    first /= np.linalg.norm(first)
    return np.array([first, np.cross(axis, first)])


def reach_of(tree: arrays.Tree, mechanisms: arrays.Mechanisms, k: int) -> tuple[float, float]:
    """Return the shortest and longest length (m) at which the loop of linear actuator `k` closes.

    Balance mechanisms on the body that it moves are parts of the loop: their bars reach only so
    far up and down.
    """
    actuators, balance = mechanisms.actuators, mechanisms.balance
    body = actuators.joint_body[k]
    if tree.joint_type[body] == arrays.REVOLUTE:
        e = math.hypot(*actuators.F[k])
        radius = math.hypot(*actuators.G_zero[k])
        along = float(actuators.along_zero[k])
        return math.hypot(e - radius, along), math.hypot(e + radius, along)
    low, high = float(actuators.across[k]), math.inf
    for b in np.flatnonzero(balance.carried_body == body):
        level = tree.p_parent_joint[body, 2] + balance.carried_point_z[b] - balance.link_height[b]
        rise = np.array([-1.0, 1.0]) * balance.bar_length[b] + balance.p_frame_pivot[b, 2] - level
        # of the pins along the joint's axis, counted in the direction of the branch
        apart = actuators.branch[k] * (actuators.along_zero[k] + rise * tree.axis[body, 2])
        lengths = np.hypot(np.maximum(np.sort(apart), 0.0), actuators.across[k])
        low, high = max(low, float(lengths[0])), min(high, float(lengths[1]))
    return low, high
