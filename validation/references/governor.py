# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The flyball governor in three coordinates: both rods make the same angle."""

from __future__ import annotations

import sympy as sp

from validation.problems import governor as gv

from .lagrange import Body, System, planar_rotation, vector


def governor() -> System:
    """Return the governor: turn of the shaft, rise of the slider, drop of the rods."""
    spin, rise, drop = sp.symbols("spin rise drop")
    shaft = planar_rotation(spin)
    below = gv.DROP + drop
    tilt = sp.Matrix(  # about y: x of the rod goes down
        [[sp.cos(below), 0, sp.sin(below)], [0, 1, 0], [-sp.sin(below), 0, sp.cos(below)]]
    )
    thin = gv.ROD_MASS * gv.WIDTH**2 / 6
    along = sp.diag(thin, 0, 0)
    lateral = gv.ROD_MASS * (gv.LENGTH**2 + gv.WIDTH**2) / 12 * sp.diag(0, 1, 1)
    cube = gv.CUBE_MASS * gv.CUBE**2 / 6 * sp.eye(3)
    bodies = [
        Body(gv.ROD_MASS, vector(0, 0, gv.LENGTH / 2), shaft, sp.diag(0, 0, thin)),
        Body(gv.CUBE_MASS, vector(0, 0, gv.SLIDER + rise), shaft, cube),
    ]
    for side in (0, sp.pi):
        rotation = shaft * planar_rotation(side) * tilt
        hinge = shaft * planar_rotation(side) * vector(gv.ARM, 0, gv.LENGTH)
        ball = hinge + rotation * vector(gv.LENGTH, 0)
        bodies += [
            Body(
                gv.ROD_MASS, hinge + rotation * vector(gv.LENGTH / 2, 0), rotation, along + lateral
            ),
            Body(gv.BALL, ball),
        ]
    across = gv.ARM + gv.LENGTH / 2 * sp.cos(below) - gv.CUBE / 2
    height = gv.LENGTH - gv.LENGTH / 2 * sp.sin(below) - gv.SLIDER - rise
    length = sp.sqrt(across**2 + height**2)

    def dampers(q: sp.Matrix, v: sp.Matrix) -> sp.Matrix:
        slope = sp.Matrix([length]).jacobian(q)
        return -2 * gv.DAMPING * slope.T * (slope * v)

    potential = gv.STIFFNESS * (length - gv.FREE_LENGTH) ** 2
    return System((spin, rise, drop), bodies, (0, 0, -gv.GRAVITY), (), potential, dampers)
