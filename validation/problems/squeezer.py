# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A03: Andrews' squeezer, seven bodies and three loops, driven by a constant torque.

Names, numbers and the state at 0.03 s are those of the Test Set for Initial Value Problem Solvers
(problem Andrews; F. Mazzia, C. Magherini; also in the R package deTestSet of rforge/bvpsolve).
Point B is at (-0.03635, 0.03273): the page of A03 for OpenSim prints it with the other sign.
Angles are those of the test set: bodies 1 to 7 stand along x where they are zero, theta, phi and
omega are relative.
"""

from __future__ import annotations

from .problem import Problem
from .robot_text import BASE, joint, link, mechanisms, revolute_loop, robot

MASS = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)  # kg, bodies 1 to 7
INERTIA = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)  # kg m^2
A, B, C = (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)  # m
D, DA, E, EA = 28e-3, 115e-4, 2e-2, 1421e-5
RR, RA, SS, SA, SB, SC, SD = 7e-3, 92e-5, 35e-3, 1874e-5, 1043e-5, 18e-3, 2e-2
TA, TB, U, UA, UB = 2308e-5, 916e-5, 4e-2, 1228e-5, 449e-5
ZF, ZT, FA = 2e-2, 4e-2, 1421e-5
STIFFNESS, FREE_LENGTH, TORQUE = 4530.0, 7785e-5, 33e-3  # N/m, m, N m
START = {
    "beta": -0.0617138900142764496358948458001,
    "theta": 0.0,
    "gamma": 0.455279819163070380255912382449,
    "phi": 0.222668390165885884674473185609,
    "delta": 0.487364979543842550225598953530,
    "omega": -0.222668390165885884674473185609,
    "epsilon": 1.23054744454982119249735015568,
}
ANSWER = {
    "beta": 15.81077119629904,
    "theta": -15.75637105984298,
    "gamma": 0.04082224013073101,
    "phi": -0.5347301163226948,
    "delta": 0.5244099658805304,
    "omega": 0.5347301163226948,
    "epsilon": 1.048080741042263,
}


def problem(duration: float = 0.03) -> Problem:
    """Return the squeezer; the answer holds for the duration of the test set alone."""
    bodies = (  # name, joint, parent, where the joint is, centre of mass
        ("crank", "beta", BASE, (0.0, 0.0), (RA, 0.0)),
        ("coupler", "theta", "crank", (RR, 0.0), (-DA, 0.0)),
        ("triangle", "gamma", BASE, B, (SB, -SA)),
        ("finger", "phi", "arm", (ZT, 0.0), (0.0, EA - E)),
        ("arm", "delta", BASE, A, (TA, TB)),
        ("thumb", "omega", "leg", (0.0, -U), (ZF - FA, 0.0)),
        ("leg", "epsilon", BASE, A, (-UB, -UA)),
    )
    parts = []
    for mass, inertia, (body, hinge, parent, at, centre) in zip(MASS, INERTIA, bodies, strict=True):
        parts += [
            joint(hinge, "continuous", parent, body, (*at, 0.0)),
            link(body, mass, (*centre, 0.0), (inertia, inertia, inertia)),
        ]
    tip = (-D, 0.0, 0.0)
    return Problem(
        "A03",
        "A03 Andrews' squeezer",
        robot("squeezer", *parts),
        mechanisms(
            "squeezer",
            (0.0, 0.0, 0.0),
            loop_joints={
                "triangle_pin": revolute_loop("coupler", tip, "triangle", (0.0, -SS, 0.0)),
                "finger_pin": revolute_loop("coupler", tip, "finger", (0.0, -E, 0.0)),
                "thumb_pin": revolute_loop("coupler", tip, "thumb", (ZF, 0.0, 0.0)),
            },
            passive_joints=[hinge for _, hinge, *_ in bodies[1:]],
            springs={
                "spring": {
                    "base_body": BASE,
                    "base_point": [*C, 0.0],
                    "tip_body": "triangle",
                    "tip_point": [SD, -SC, 0.0],
                    "stiffness": STIFFNESS,
                    "free_length": FREE_LENGTH,
                    "acts": "both",
                }
            },
        ),
        START,
        {},
        duration,
        "Test Set for IVP Solvers, problem Andrews: state at 0.03 s",
        effort={"beta": TORQUE},
        answer=ANSWER if duration == 0.03 else {},
    )
