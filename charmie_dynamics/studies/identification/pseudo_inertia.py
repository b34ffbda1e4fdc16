# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Physically consistent inertial parameters: pseudo-inertias and log-Cholesky parameters.

The pseudo-inertia of a body is J = [[S, h], [h', m]] with its mass m, first moments h and second
moments S = tr(I) / 2 - I. The parameters are physically consistent if J is positive definite
(Wensing, Kim and Slotine, Linear Matrix Inequalities for Physically-Consistent Inertial Parameter
Identification, IEEE Robotics and Automation Letters 3 (2018) 60; Traversaro et al., IROS 2016).
With J = U U' and ::

    U = exp(a) [[exp(d1), s12, s13, t1], [0, exp(d2), s23, t2], [0, 0, exp(d3), t3], [0, 0, 0, 1]]

every vector (a, d1, d2, d3, s12, s23, s13, t1, t2, t3) describes one such body, smoothly, and
every such body has a vector (Rucker and Wensing, Smooth Parameterization of Rigid-Body Inertia,
IEEE Robotics and Automation Letters 7 (2022) 2771).
"""

from __future__ import annotations

import numpy as np

from charmie_dynamics.numerics.vectors import Floats

UPPER = ((0, 1), (1, 2), (0, 2))  # of s12, s23, s13
# least second moments, to which those of a point, a plate or an impossible body are raised
LEAST_SHARE = 1e-6  # fraction of the largest one
LEAST_RADIUS = 1e-3  # m


def pseudo_inertia(parameters: Floats) -> Floats:
    """Return J (4, 4) of the ten inertial parameters m, m c, xx, xy, yy, xz, yz, zz."""
    m, hx, hy, hz, xx, xy, yy, xz, yz, zz = parameters
    inertia = np.array([(xx, xy, xz), (xy, yy, yz), (xz, yz, zz)])
    J = np.empty((4, 4))
    J[:3, :3] = 0.5 * np.trace(inertia) * np.eye(3) - inertia
    J[:3, 3] = J[3, :3] = (hx, hy, hz)
    J[3, 3] = m
    return J


def inertial_parameters_of(J: Floats) -> Floats:
    """Return the ten parameters (..., 10) of pseudo-inertias (..., 4, 4); linear in them."""
    second = J[..., :3, :3]
    trace = np.trace(second, axis1=-2, axis2=-1)[..., None, None]
    inertia = trace * np.eye(3) - second
    rows, columns = np.tril_indices(3)
    return np.concatenate((J[..., 3, 3, None], J[..., :3, 3], inertia[..., rows, columns]), axis=-1)


def log_cholesky(parameters: Floats) -> Floats:
    """Return the log-Cholesky parameters (10,) of a body, or of the nearest consistent one.

    Parameters
    ----------
    parameters : (10,) array
        Inertial parameters with a mass above zero.
    """
    J = pseudo_inertia(parameters)
    m = J[3, 3]
    c = J[:3, 3] / m
    central = J[:3, :3] - m * np.outer(c, c)
    moments, axes = np.linalg.eigh(central)
    least = m * max(LEAST_SHARE * float(moments.max()) / m, LEAST_RADIUS**2)
    central = (axes * np.maximum(moments, least)) @ axes.T
    # U of J consists of the central part and the mass: t = c, and the remaining block
    flip = np.eye(3)[::-1]
    block = flip @ np.linalg.cholesky(flip @ central @ flip) @ flip / np.sqrt(m)
    d = np.log(np.diag(block))
    return np.array([0.5 * np.log(m), *d, *(block[place] for place in UPPER), *c])


def from_log_cholesky(eta: Floats) -> tuple[Floats, Floats]:
    """Return the inertial parameters (10,) and their derivatives (10, 10) by each of `eta`."""
    grown, d, t = np.exp(eta[0]), np.exp(eta[1:4]), eta[7:10]
    U = np.eye(4)
    U[[0, 1, 2], [0, 1, 2]] = d
    for value, place in zip(eta[4:7], UPPER, strict=True):
        U[place] = value
    U[:3, 3] = t
    U *= grown
    change = np.zeros((10, 4, 4))
    change[0] = U
    for k in range(3):
        change[1 + k, k, k] = grown * d[k]
        change[(4 + k, *UPPER[k])] = grown
        change[7 + k, k, 3] = grown
    dJ = change @ U.T
    dJ += dJ.swapaxes(1, 2)
    return inertial_parameters_of(U @ U.T), inertial_parameters_of(dJ).T


def size_of(parameters: Floats) -> float:
    """Return the radius of gyration of a body about its centre of mass (m), at least 1 cm."""
    J = pseudo_inertia(parameters)
    c = J[:3, 3] / J[3, 3]
    square = float(np.trace(J[:3, :3])) / J[3, 3] - float(c @ c)
    return float(np.sqrt(max(square, 1e-4)))
