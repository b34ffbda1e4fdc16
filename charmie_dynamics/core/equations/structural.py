# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Structural form of the equations of motion: explicit coefficients, body by body.

The form of the *structural paper* (eq. 23 to 32; it extends one of Bertrand and Bruneau to
prismatic joints): every coefficient follows from axes, distances and masses at one position by
algebra of 3 x 3 matrices, without recursion of velocities and without derivatives of energies. Its
formulas are derived here for any tree, with joints that mimic others.

The dual tensor of a vector a is the skew matrix [a] with [a] b = a x b. For one body, let joint k
be any of its ancestor joints, z_k its axis (times its multiplier, for one that mimics) and r_k the
distance from its origin to the body's centre of mass. A unit rate of joint k adds to the body

    revolute joint:   w_k = z_k   and   v_k = [z_k] r_k      (angular; centre of mass)
    prismatic joint:  w_k = 0     and   v_k = z_k            (eq. 1, 4)

A revolute joint j rotates only the joints and bodies behind it: dz_k/dq_j = [z_j] z_k for every
joint k behind it, and dv_k/dq_j = [w_j] v_k for those and for j itself. With joint j before k, or
j = k, on the way from the root, so that the axis of j rotates that of k,

    w' = sum_k w_k q_k'' + sum_(j<k) [w_j] w_k q_j' q_k'                                  (eq. 5)
    a  = sum_k v_k q_k'' + sum_j [w_j] v_j q_j'^2 + sum_(j<k) 2 [w_j] v_k q_j' q_k'      (eq. 14)

(the second derivative of a position is symmetric, hence the 2). Torque about the centre of mass,
I w' + [w] I w, has for the product q_j' q_k' the coefficient

    I [w_j] w_k + [w_j] I w_k + [w_k] I w_j  =  (I [w_j] + [w_j] I - [I w_j]) w_k
                                             =  [(tr(I) - 2 I) w_j] w_k          (eq. 18)

since I [a] + [a] I = tr(I) [a] - [I a] for any symmetric I; for q_j'^2 it is [w_j] I w_j. The
effort of joint i is what of force and torque lies along v_i and w_i (eq. 16), which gives

    M_ij  = m v_i . v_j + w_i . I w_j                                                       (eq. 24)
    B_ij  = m v_i . [w_j] v_j + w_i . [w_j] I w_j                                           (eq. 25)
    C_ijk = 2 m v_i . [w_j] v_k + w_i . [(tr(I) - 2 I) w_j] w_k,  j before k                (eq. 26)
    g_i   = -m v_i . gravity                                                                (eq. 27)
    f_i   = -(v_i . force + w_i . torque)                                                   (eq. 28)

with all signs such that the effort is their sum (eq. 23). A prismatic joint j has w_j = 0: it
neither has a centrifugal effort nor is the first joint of a Coriolis term. The matrices between i
and k are skew, so that for i behind j

    C_ijk = -C_kji,   C_jjk = -2 B_kj,   B_jj = 0,

and only the others are computed. They are nonzero only if i, j and k are ancestors of the body.

A planar joint is two prismatic joints and a revolute one. A floating joint has three slides and
three hinges through the origin of its body, all fixed in it: each hinge turns all six axes, and no
slide moves a hinge's arm. For any two of these and for every i, therefore,

    C_ijk = m v_i . ([w_j] v_k + [w_k] v_j) + w_i . ([w_j] I w_k + [w_k] I w_j)

and the relations of C above hold for all other pairs alone.

All products are scalars, so the vectors may be expressed in any axes, different ones for each body.
`carried_bodies` uses the body's own axes. There the inertia is that of the description, and
positions of joints that rotate the entire chain do not occur. Arrays may hold floats or symbols
(``dtype=object``): the code uses matrix products and sums only, and all constants are integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from charmie_dynamics.core.arrays import FLOATING, PLANAR, REVOLUTE, Tree

Array = npt.NDArray[Any]  # of floats or of symbols


class CarriedBody(NamedTuple):
    """A body, its h freedoms, and its loads; vectors in any one set of axes."""

    coordinates: Sequence[int]  # which coordinate moves each freedom, from the root on
    is_revolute: Sequence[bool]  # or prismatic
    floating_joint: Sequence[int]  # the body behind the floating joint that it is part of, or -1
    axis: Array  # (h, 3), unit vectors times multipliers of mimic joints
    arm: Array  # (h, 3), from the origin of each joint to the centre of mass
    mass: Any
    inertia: Array  # (3, 3), about the centre of mass
    gravity: Array  # (3,)
    force: Array  # (3,), from outside
    torque: Array  # (3,), from outside, about the centre of mass


class Coefficients(NamedTuple):
    """The coefficients of n bodies for q coordinates.

    effort_i = sum over bodies of sum_j M_ij q_j'' + sum_j B_ij q_j'^2 + sum_(j<k) C_ijk q_j' q_k'
    + g_i + f_i (eq. 23)
    """

    inertia: Array  # M (n, q, q)
    centrifugal: Array  # B (n, q, q)
    coriolis: Array  # C (n, q, q, q), zero but for j < k
    gravity: Array  # g (n, q)
    external: Array  # f (n, q)


def dual(a: Array) -> Array:
    """Return the dual tensor of a vector (eq. 3): dual(a) @ b = a x b."""
    x, y, z = a
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], dtype=a.dtype)


def carried_bodies(tree: Tree, R_parent_body: Array, p_parent_body: Array) -> list[CarriedBody]:
    """Return each body with its ancestor joints, in the body's own axes.

    Parameters
    ----------
    tree : Tree
        n bodies; arrays of floats or of symbols.
    R_parent_body, p_parent_body : (n or more, 3, 3), (n or more, 3) array
        Pose of each body in its parent, of the root in the world.
    """
    poses = R_parent_body, p_parent_body
    return [_carried_body(tree, poses, body) for body in range(len(tree.parent))]


def _carried_body(tree: Tree, poses: tuple[Array, Array], body: int) -> CarriedBody:
    """Go from a body to the root, and note the joints on the way."""
    R_parent_body, p_parent_body = poses
    freedoms: list[_Freedom] = []
    R_body_k: Array | None = None  # none: the identity
    arm = tree.p_body_com[body]  # from the origin of body k
    k = body
    while k >= 0:
        R_k_parent = R_parent_body[k].T
        R_body_parent = R_k_parent if R_body_k is None else R_body_k @ R_k_parent
        freedoms += _freedoms_of(tree, k, (R_body_k, R_body_parent), arm)
        arm = arm + _turned(R_body_k, R_k_parent @ p_parent_body[k])
        R_body_k = R_body_parent
        k = int(tree.parent[k])
    force = tree.external_force[body]
    at_com = tree.external_torque[body] - dual(tree.p_body_com[body]) @ force
    freedoms.reverse()
    return CarriedBody(
        [freedom.coordinate for freedom in freedoms],
        [freedom.turns for freedom in freedoms],
        [freedom.floating_joint for freedom in freedoms],
        _rows([freedom.axis for freedom in freedoms]),
        _rows([freedom.arm for freedom in freedoms]),
        tree.mass[body],
        tree.inertia[body],
        _turned(R_body_k, tree.gravity),
        force,
        at_com,
    )


class _Freedom(NamedTuple):
    """One row of a `CarriedBody`."""

    coordinate: int
    turns: bool
    floating_joint: int
    axis: Array
    arm: Array


def _freedoms_of(
    tree: Tree, k: int, rotations: tuple[Array | None, Array], arm: Array
) -> list[_Freedom]:
    """Return the freedoms of the joint of body k, the last first.

    Parameters
    ----------
    tree : Tree
    k : int
    rotations : tuple of (3, 3) array
        Of the axes of body k, and of its parent, into those of the result.
    arm : (3,) array
        From the origin of body k to the centre of mass.
    """
    R_body_k, R_body_parent = rotations
    first, kind = int(tree.coordinate[k]), tree.joint_type[k]
    if first < 0:
        return []
    if kind == FLOATING:
        axes = [_turned(R_body_k, axis) for axis in np.eye(3)]
        return [
            _Freedom(first + 3 * turns + n, bool(turns), k, axes[n], arm)
            for turns in (1, 0)
            for n in (2, 1, 0)
        ]
    axis = _turned(R_body_k, tree.multiplier[k] * tree.axis[k])
    if kind == PLANAR:
        slides = [
            _Freedom(first + n, False, -1, R_body_parent @ tree.u_parent_plane[k, n], arm)
            for n in (1, 0)
        ]
        return [_Freedom(first + 2, True, -1, axis, arm), *slides]
    return [_Freedom(first, bool(kind == REVOLUTE), -1, axis, arm)]


def _turned(R: Array | None, a: Array) -> Array:
    return a if R is None else R @ a


def structural_coefficients(bodies: Sequence[CarriedBody], count: int) -> Coefficients:
    """Return all coefficients of all bodies (eq. 24 to 28).

    Parameters
    ----------
    bodies : sequence of CarriedBody
        As `carried_bodies` returns them.
    count : int
        Number q of coordinates.

    Returns
    -------
    Coefficients
        Arrays of symbols if any of the bodies' arrays is one.
    """
    dtype = np.result_type(*(np.asarray(array) for body in bodies for array in body[3:]), float)
    q = count
    shapes = (q, q), (q, q), (q, q, q), (q,), (q,)
    result = Coefficients(*(np.zeros((len(bodies), *shape), dtype) for shape in shapes))
    for b, body in enumerate(bodies):
        _write_body(body, Coefficients(*(array[b] for array in result)))
    return result


def sum_of_bodies(coefficients: Coefficients) -> Coefficients:
    """Return the coefficients of the robot as a whole: arrays without the axis of the bodies.

    Its `inertia` is the mass matrix (eq. 30), its `gravity` and `external` are those of eq. 29.
    """
    return Coefficients(*(array.sum(axis=0) for array in coefficients))


def coriolis_matrix(coefficients: Coefficients, velocity: Array) -> Array:
    """Return the matrix of centrifugal and Coriolis efforts (eq. 31 and 32).

    Of all matrices with the same product with the velocity it is the one of the Christoffel
    symbols: d/dt M - 2 C is skew.

    Parameters
    ----------
    coefficients : Coefficients
        Of bodies, or of their sum.
    velocity : (q,) array
        Of the coordinates.

    Returns
    -------
    (n, q, q) or (q, q) array
    """
    upper = coefficients.coriolis
    both = upper + upper.swapaxes(-1, -2)
    result: Array = coefficients.centrifugal * velocity + (both @ velocity) / 2
    return result


def effort(coefficients: Coefficients, velocity: Array, acceleration: Array) -> Array:
    """Return the efforts (n, q), or (q,) of the sum of bodies (eq. 23)."""
    result: Array = (
        coefficients.inertia @ acceleration
        + coefficients.centrifugal @ (velocity * velocity)
        + (coefficients.coriolis @ velocity) @ velocity
        + coefficients.gravity
        + coefficients.external
    )
    return result


def _write_body(body: CarriedBody, out: Coefficients) -> None:
    """Write the coefficients of one body: arrays of `out` without the axis of the bodies."""
    joint = list(zip(body.is_revolute, body.axis, body.arm, strict=True))
    w = _rows([z if turns else 0 * z for turns, z, _ in joint])  # eq. 1
    v = _rows([dual(z) @ r if turns else z for turns, z, r in joint])  # eq. 4
    own = body.coordinates
    if not _is_zero([body.mass]):
        _add(out.gravity, own, v @ (body.gravity * -body.mass))  # eq. 27
    if not _is_zero([*body.force, *body.torque]):
        _add(out.external, own, -(v @ body.force + w @ body.torque))  # eq. 28
    if _is_zero([body.mass, *body.inertia.flat]):
        return
    for j in range(len(own)):
        force, torque = v[j] * body.mass, body.inertia @ w[j]
        column = v[: j + 1] @ force + w[: j + 1] @ torque  # eq. 24
        for i, value in enumerate(column):
            out.inertia[own[i], own[j]] += value
            if i < j:
                out.inertia[own[j], own[i]] += value
    for i, j, k, value in _velocity_terms(body, v, w):
        a, b, c = own[i], *sorted((own[j], own[k]))
        if b == c:  # the same joint, or one that mimics the other
            out.centrifugal[a, b] += value
        else:
            out.coriolis[a, b, c] += value


def _velocity_terms(body: CarriedBody, v: Array, w: Array) -> Iterator[tuple[int, int, int, Any]]:
    """Yield i, j, k and the coefficient of q_j' q_k' in the effort of joint i, j <= k."""
    inertia = body.inertia
    trace = inertia[0, 0] + inertia[1, 1] + inertia[2, 2]
    spread = np.eye(3, dtype=inertia.dtype) * trace - 2 * inertia
    for j, turns in enumerate(body.is_revolute):
        if body.floating_joint[j] >= 0:
            yield from _terms_of_floating_joint(body, v, w, j)
        if not turns:
            continue
        turning, momentum = dual(w[j]), inertia @ w[j]
        force, torque = turning @ v[j] * body.mass, turning @ momentum
        for i, value in enumerate(v @ force + w @ torque):  # eq. 25
            if i != j:
                yield i, j, j, value
            if i > j and not _of_one_floating_joint(body, i, j):
                yield j, j, i, -2 * value
        of_force = turning * (2 * body.mass)
        of_torque = dual(spread @ w[j])
        for k in range(j + 1, len(v)):
            if _of_one_floating_joint(body, j, k):
                continue
            force, torque = of_force @ v[k], of_torque @ w[k]
            for i, value in enumerate(v[:k] @ force + w[:k] @ torque):  # eq. 26
                if i != j:
                    yield i, j, k, value
                if i > j and not _of_one_floating_joint(body, i, j):
                    yield k, j, i, -value


def _of_one_floating_joint(body: CarriedBody, j: int, k: int) -> bool:
    """Return whether two freedoms belong to the same floating joint."""
    return body.floating_joint[j] == body.floating_joint[k] >= 0


def _terms_of_floating_joint(
    body: CarriedBody, v: Array, w: Array, j: int
) -> Iterator[tuple[int, int, int, Any]]:
    """Yield i, j, k and the coefficient for j and each k behind it in its floating joint."""
    for k in range(j + 1, len(v)):
        if _of_one_floating_joint(body, j, k):
            force = (dual(w[j]) @ v[k] + dual(w[k]) @ v[j]) * body.mass
            torque = dual(w[j]) @ body.inertia @ w[k] + dual(w[k]) @ body.inertia @ w[j]
            yield from ((i, j, k, value) for i, value in enumerate(v @ force + w @ torque))


def _rows(vectors: Sequence[Array]) -> Array:
    return np.array(vectors).reshape(len(vectors), 3)


def _add(out: Array, own: Sequence[int], values: Array) -> None:
    """Add values of joints to those of their coordinates."""
    for coordinate, value in zip(own, values, strict=True):
        out[coordinate] += value


def _is_zero(values: Iterable[Any]) -> bool:
    """Return whether all values are zero; symbols count as nonzero."""
    return all(bool(value == 0) for value in values)
