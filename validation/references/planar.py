# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Slider-crank, four-bar and Andrews' squeezer in the plane."""

from __future__ import annotations

import sympy as sp
from scipy.spatial.transform import Rotation

from validation.problems import four_bar as fb
from validation.problems import slider_crank as sc
from validation.problems import squeezer as sq

from .lagrange import Body, System, planar_body, planar_rotation, vector


def slider_crank() -> System:
    """Return the slider-crank: angle of the crank, absolute angle of the rod, slide."""
    crank, rod, slide = sp.symbols("crank rod slide")
    pin = planar_rotation(crank) * vector(sc.CRANK, 0)
    tip = pin + planar_rotation(rod) * vector(sc.ROD, 0)
    place = vector(slide, sc.BESIDE)
    return System(
        (crank, rod, slide),
        [
            _body(sc.CRANK_BODY, vector(0, 0), crank),
            _body(sc.ROD_BODY, pin, rod),
            planar_body(sc.SLIDER_MASS, 0.0, place, 0, (0, 0)),
        ],
        (0, -sc.GRAVITY, 0),
        list((tip - place)[:2]),
        force=lambda q, v: vector(sc.TORQUE, 0, 0),
    )


def squeezer() -> System:
    """Return the squeezer in the seven angles of the test set."""
    names = "beta theta gamma phi delta omega epsilon"
    beta, theta, gamma, phi, delta, omega, epsilon = angles = sp.symbols(names)
    b, a, origin = vector(*sq.B), vector(*sq.A), vector(0, 0)
    f = planar_rotation(beta) * vector(sq.RR, 0)
    g = a + planar_rotation(delta) * vector(sq.ZT, 0)
    h = a + planar_rotation(epsilon) * vector(0, -sq.U)
    tips = (
        f + planar_rotation(beta + theta) * vector(-sq.D, 0),
        b + planar_rotation(gamma) * vector(0, -sq.SS),
        g + planar_rotation(phi + delta) * vector(0, -sq.E),
        h + planar_rotation(omega + epsilon) * vector(sq.ZF, 0),
    )
    pins = (
        (origin, beta, (sq.RA, 0)),
        (f, beta + theta, (-sq.DA, 0)),
        (b, gamma, (sq.SB, -sq.SA)),
        (g, phi + delta, (0, sq.EA - sq.E)),
        (a, delta, (sq.TA, sq.TB)),
        (h, omega + epsilon, (sq.ZF - sq.FA, 0)),
        (a, epsilon, (-sq.UB, -sq.UA)),
    )
    end = b + planar_rotation(gamma) * vector(sq.SD, -sq.SC) - vector(*sq.C)
    length = sp.sqrt(end.dot(end))
    return System(
        angles,
        [
            planar_body(mass, inertia, pin, angle, centre)
            for mass, inertia, (pin, angle, centre) in zip(sq.MASS, sq.INERTIA, pins, strict=True)
        ],
        (0, 0, 0),
        [component for tip in tips[1:] for component in (tips[0] - tip)[:2]],
        sq.STIFFNESS * (length - sq.FREE_LENGTH) ** 2 / 2,
        lambda q, v: sp.Matrix([sq.TORQUE, *[0] * 6]),
    )


def four_bar(seed: int) -> System:
    """Return a four-bar of random geometry in the absolute angles of its links."""
    g = fb.geometry(seed)
    crank, coupler, follower = sp.symbols("crank coupler follower")
    p = [vector(*corner) for corner in g.hinges]
    pin = p[0] + planar_rotation(crank) * (p[1] - p[0])
    tip = pin + planar_rotation(coupler) * (p[2] - p[1])
    other = p[3] + planar_rotation(follower) * (p[2] - p[3])
    bodies = [
        planar_body(float(mass), float(inertia), at, angle, centre)
        for mass, inertia, at, angle, centre in zip(
            *(g.masses, g.inertias, (p[0], pin, p[3]), (crank, coupler, follower), g.centres),
            strict=True,
        )
    ]
    down = Rotation.from_euler("xyz", g.plane).inv().apply((0.0, 0.0, -fb.GRAVITY))
    return System(
        (crank, coupler, follower),
        bodies,
        down,
        list((tip - other)[:2]),
        force=lambda q, v: vector(g.torque, 0, 0),
    )


def _body(body: tuple[float, tuple[float, float], float], pin: sp.Matrix, angle: sp.Expr) -> Body:
    mass, centre, inertia = body
    return planar_body(mass, inertia, pin, angle, centre)
