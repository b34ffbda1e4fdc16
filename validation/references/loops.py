# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Trees with spherical and revolute loop joints by Lagrange multipliers, in extended precision.

Reads the URDF and the mechanisms file itself. All arrays have the type of the positions: efforts
are computed in extended precision (`EXTENDED`), motions in double precision by a method of order 8
with tolerances near round-off.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import yaml
from scipy.integrate import solve_ivp

from validation.urdf_tree import LinkMotion, UrdfTree

EXTENDED = np.longdouble
RTOL, ATOL = 1e-11, 1e-13
RANK = 1e-9  # of singular values relative to the largest
STEPS = 30  # of Newton's method
CLOSED = 1e-13  # m
REFINEMENTS = 4  # of a solution in double precision


class Terms(NamedTuple):
    """M a + h = S u + D^T lambda, D a = gamma; `opening` (m) of the loops, axes at 1 m."""

    mass: Any
    bias: Any
    jacobian: Any
    gamma: Any
    opening: Any


class LoopReference:
    """A robot with loops.

    Attributes
    ----------
    tree : UrdfTree
    names : tuple of str
        Coordinates: the joints that are not fixed.
    driven : (n,) array of bool
        Those that have an actuator.
    """

    def __init__(self, urdf: str, mechanisms: str) -> None:
        self.tree, self._file = UrdfTree(urdf), yaml.safe_load(mechanisms)
        self.names = tuple(joint.name for joint in self.tree.joints if joint.kind != "fixed")
        passive = self._file.get("passive_joints", ())
        self.driven = np.array([name not in passive for name in self.names])
        self._column = {name: k for k, name in enumerate(self.names)}
        self._gravity = np.array(self._file["gravity"])

    def array(self, values: Mapping[str, float]) -> Any:
        """Return values by names as coordinates (n,), zero where not named."""
        return np.array([values.get(name, 0.0) for name in self.names])

    def by_name(self, values: Any) -> dict[str, float]:
        """Return coordinates (n,) by names."""
        return dict(zip(self.names, map(float, values), strict=True))

    def terms(self, q: Any, v: Any) -> Terms:
        """Return the equations at a state."""
        n, kind = len(q), q.dtype
        zero = np.zeros(3, kind)
        # place, axes, Jacobian (6, n), and accelerations at joint accelerations of zero
        links = {self.tree.root: (zero, np.eye(3, dtype=kind), np.zeros((6, n), kind), zero, zero)}
        M, h = np.zeros((n, n), kind), np.zeros(n, kind)
        for joint in self.tree.joints:
            p, R, J, a, dw = links[joint.parent]
            w, arm, R = J[3:] @ v, R @ joint.place, R @ joint.axes
            J, axis = J.copy(), R @ joint.axis
            if joint.kind != "fixed":
                k = self._column[joint.name]
                arm = arm + (q[k] * axis if joint.kind == "prismatic" else 0.0)
            a = a + np.cross(dw, arm) + np.cross(w, np.cross(w, arm))
            J[:3] -= _cross(arm) @ J[3:]
            if joint.kind == "prismatic":
                J[:3, k] = axis
                a = a + 2.0 * np.cross(w, axis * v[k])
            elif joint.kind != "fixed":
                J[3:, k] = axis
                dw = dw + np.cross(w, axis * v[k])
                R = R @ _turn(joint.axis, q[k])
            links[joint.child] = p + arm, R, J, a, dw
            body = self.tree.links[joint.child]
            s, w, inertia = R @ body.centre, J[3:] @ v, R @ body.inertia @ R.T
            J_c = J[:3] - _cross(s) @ J[3:]
            a_c = a + np.cross(dw, s) + np.cross(w, np.cross(w, s)) - self._gravity
            M += body.mass * J_c.T @ J_c + J[3:].T @ inertia @ J[3:]
            h += body.mass * J_c.T @ a_c + J[3:].T @ (inertia @ dw + np.cross(w, inertia @ w))
        rows: list[tuple[Any, Any, Any]] = []
        for entry in self._file["loop_joints"].values():
            rows += _rows(entry, links, v)
        D, gamma, opening = (np.array([row[k] for row in rows]) for k in range(3))
        return Terms(M, h, D, gamma, opening)

    def closed(self, q: Any, v: Any) -> tuple[Any, Any]:
        """Return the state with closed loops at the same driven coordinates.

        Raises
        ------
        ArithmeticError
            If Newton's method finds none.
        """
        q, v, passive = q.copy(), v.copy(), ~self.driven
        for _ in range(STEPS):
            found = self.terms(q, v)
            step = _solved(found.jacobian[:, passive], found.opening)
            q[passive] -= step
            if np.abs(step).max() < 8.0 * np.finfo(q.dtype).eps:
                break
        if not np.abs(self.terms(q, v).opening).max() < CLOSED:
            raise ArithmeticError("the loops cannot be closed near this position")
        D = self.terms(q, v).jacobian
        v[passive] = _solved(D[:, passive], -D[:, self.driven] @ v[self.driven])
        return q, v

    def inverse(self, q: Any, v: Any, driven_acceleration: Any) -> tuple[Any, Any]:
        """Return the efforts of the driven coordinates and all accelerations (n,)."""
        found, passive = self.terms(q, v), ~self.driven
        D, a = found.jacobian, np.zeros_like(q)
        a[self.driven] = driven_acceleration
        a[passive] = _solved(D[:, passive], found.gamma - D[:, self.driven] @ driven_acceleration)
        load = found.mass @ a + found.bias
        multipliers = _solved(D[:, passive].T, load[passive])
        return load[self.driven] - D[:, self.driven].T @ multipliers, a

    def acceleration(self, q: Any, v: Any) -> Any:
        """Return the accelerations (n,) without efforts."""
        M, h, D, gamma, _ = self.terms(q, v)
        scale = 1.0 / np.sqrt(np.diag(M))
        rows = D * scale
        matrix = np.block([[M * np.outer(scale, scale), -rows.T], [rows, np.zeros(2 * (len(D),))]])
        return scale * _solved(matrix, np.concatenate((-h * scale, gamma)), 0)[: len(q)]

    def energy(self, motion: Mapping[str, LinkMotion]) -> tuple[float, float]:
        """Return kinetic and potential energy (J)."""
        kinetic = potential = 0.0
        for name, body in self.tree.links.items():
            if name != self.tree.root:
                place, velocity = motion[name].at(body.centre)
                spin = motion[name].axes.T @ motion[name].spin
                kinetic += 0.5 * (body.mass * velocity @ velocity + spin @ body.inertia @ spin)
                potential -= body.mass * float(self._gravity @ place)
        return float(kinetic), potential

    def centres(self, motion: Mapping[str, LinkMotion]) -> Any:
        """Return the centres of mass of the links (k, 3) (m)."""
        links = self.tree.links.items()
        return np.array([motion[name].at(body.centre)[0] for name, body in links])

    def opening(self, motion: Mapping[str, LinkMotion]) -> float:
        """Return the largest distance (m) of the points of a loop joint."""
        gaps = []
        for entry in self._file["loop_joints"].values():
            ends = (motion[entry[f"{k}_body"]].at(entry[f"{k}_point"]) for k in ("first", "second"))
            gaps.append(np.linalg.norm(np.subtract(*(place for place, _ in ends))))
        return float(max(gaps))

    def motion(self, q: Any, v: Any) -> dict[str, LinkMotion]:
        """Return how the links move."""
        return self.tree.motion(self.by_name(q), self.by_name(v))

    def end(self, q: Any, v: Any, duration: float, parts: int = 4) -> tuple[Any, Any]:
        """Return the state after a motion without efforts from a closed state (n,).

        The loops are closed again after each of the equal parts.
        """
        n = len(q)
        for _ in range(parts):
            run = solve_ivp(
                lambda _, y: np.concatenate((y[n:], self.acceleration(y[:n], y[n:]))),
                (0.0, duration / parts),
                np.concatenate((q, v)),
                method="DOP853",
                rtol=RTOL,
                atol=ATOL,
            )
            q, v = self.closed(run.y[:n, -1], run.y[n:, -1])
        return q, v


def _rows(entry: Mapping[str, Any], links: Mapping[str, Any], v: Any) -> list[tuple[Any, Any, Any]]:
    """Return row of D, gamma and opening of each constraint of a loop joint."""
    ends = []
    for end in ("first", "second"):
        p, R, J, a, dw = links[entry[f"{end}_body"]]
        s, w = R @ np.array(entry[f"{end}_point"]), J[3:] @ v
        a = a + np.cross(dw, s) + np.cross(w, np.cross(w, s))
        ends.append((p + s, J[:3] - _cross(s) @ J[3:], a))
    found = list(zip(*(y - x for x, y in zip(*ends, strict=True)), strict=True))
    rows = [(row, -bias, gap) for gap, row, bias in found]
    if entry["type"] == "revolute":
        (_, R1, J1, _, dw1), (_, R2, J2, _, dw2) = (
            links[entry[f"{end}_body"]] for end in ("first", "second")
        )
        local = np.array(entry["axis"])
        # both links are parallel at zero, or turned about the axis
        first, second, w1 = R1 @ local, R2 @ local, J1[3:] @ v
        spin, turn = J2[3:] - J1[3:], np.cross(first, second)
        x = np.cross(first, np.eye(3)[np.argmin(np.abs(first))])
        for u in (x, np.cross(first, x)):
            gamma = -(u @ (dw2 - dw1) + np.cross(w1, u) @ (spin @ v))
            rows.append((u @ spin, gamma, u @ turn))
    elif entry["type"] != "spherical":
        raise ValueError(f"no constraint for {entry['type']}")
    return rows


def _solved(matrix: Any, right: Any, refinements: int = REFINEMENTS) -> Any:
    """Return the shortest solution of consistent equations, refined in their own precision."""
    inverse = np.linalg.pinv(matrix.astype(float), rcond=RANK)
    x = inverse @ right
    for _ in range(refinements):
        x = x + inverse @ (right - matrix @ x)
    return x


def _turn(axis: Any, angle: Any) -> Any:
    K = _cross(axis)
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * (K @ K)


def _cross(vector: Any) -> Any:
    x, y, z = vector
    return np.array([(0.0 * x, -z, y), (z, 0.0 * x, -x), (-y, x, 0.0 * x)])
