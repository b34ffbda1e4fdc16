# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The page of the contact laws and its figures.

As figures 7 and 8 of the contact paper: normal force over indentation in an impact, friction over
velocity; beside them what restitution comes out, and what a block on a slope does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from charmie_dynamics.core.contact.evaluation import friction_force
from charmie_dynamics.core.contact.impacts import restitution_of
from charmie_dynamics.core.contact.registry import FRICTION_LAWS

from .contact_runs import impact, slide
from .harness.charts import Diagram, Line, draw
from .harness.pages import IMAGES, fill
from .harness.run import Evidence

NORMAL_FIGURE, FRICTION_FIGURE = "contact_normal.png", "contact_friction.png"
HYSTERETIC = ("hunt_crossley", "lankarani_nikravesh", "flores", "calibrated")
ASKED = (0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95)
SPEED, MASS = 1.0, 1.0  # m/s, kg
LINEAR = 1e5  # N/m
ROUND = 2e6  # N/m^1.5
KINETIC, STATIC, V0, V1, XI = 0.5, 0.6, 0.01, 0.02, 100.0
TANGENTIAL = {"tangential_stiffness": 2e4, "tangential_damping": 150.0}
LAW_VALUES = {"kinetic": KINETIC, "static": STATIC, "v0": V0, "v1": V1, "xi": XI, **TANGENTIAL}
OVER_SPEED = ("coulomb", "threlfall", "bengisu_akay", "ambrosio")
SLOPE = math.atan(0.3)


def _impact_line(label: str, law: str, **values: float) -> Line:
    run = impact(law, values, speed=SPEED, mass=MASS, evenly=True)
    return Line(label, 1e3 * run.indentation, run.force)


def _loops(title: str, lines: Sequence[Line]) -> Diagram:
    return Diagram(title, "indentation / mm", "normal force / N", lines)


def normal_diagrams() -> list[Diagram]:
    """Return the diagrams of the normal laws."""
    dampings = {f"D = {d:g} N s/m": d for d in (50.0, 200.0)}
    asked = np.linspace(0.01, 1.0, 200)
    came = [
        Line(law, asked, np.array([restitution_of(law, {"restitution": c}) for c in asked]))
        for law in HYSTERETIC
    ]

    def hysteretic(c: float) -> list[Line]:
        return [_impact_line(law, law, stiffness=ROUND, restitution=c) for law in HYSTERETIC]

    return [
        _loops("hooke", [_impact_line("", "hooke", stiffness=LINEAR)]),
        _loops("hertz", [_impact_line("", "hertz", stiffness=ROUND)]),
        _loops(
            "kelvin_voigt",
            [
                _impact_line(label, "kelvin_voigt", stiffness=LINEAR, damping=d)
                for label, d in dampings.items()
            ],
        ),
        _loops("requested restitution 0.7", hysteretic(0.7)),
        _loops("requested restitution 0.3", hysteretic(0.3)),
        Diagram("resulting restitution", "requested restitution", "restitution", came),
    ]


def _friction_line(law: str) -> Line:
    found = FRICTION_LAWS[law]
    address, numbers = found.address, found.numbers(LAW_VALUES)
    at_rest = (0.0, 0.0, 0.0)
    speeds = np.linspace(-0.05, 0.05, 2001)
    force = [
        -friction_force(address, numbers, 1.0, (float(v), 0.0, 0.0), at_rest)[0][0] for v in speeds
    ]
    return Line("", 1e3 * speeds, np.array(force))


def _bristle_line() -> Line:
    """Return the force of bristles that are moved to and fro, ever farther, under 20 N."""
    found = FRICTION_LAWS["elasto_plastic"]
    address, numbers = found.address, found.numbers(LAW_VALUES)
    normal, step = 20.0, 1e-5
    time = np.arange(0.0, 3.0, step)
    position = 4e-4 * time * np.sin(2.0 * np.pi * time)
    velocity = np.gradient(position, step)
    bent, force = 0.0, np.zeros(len(time))
    for k, v in enumerate(velocity.tolist()):
        load, rate, _ = friction_force(address, numbers, normal, (v, 0.0, 0.0), (bent, 0.0, 0.0))
        force[k] = -load[0] / normal
        bent += step * rate[0]
    return Line("", 1e3 * position[::100], force[::100])


def friction_diagrams() -> list[Diagram]:
    """Return the diagrams of the friction laws."""
    over_speed = [
        Diagram(law, "velocity / mm/s", "friction by normal force", [_friction_line(law)])
        for law in OVER_SPEED
    ]
    times = np.linspace(0.0, 1.0, 201)
    creep = [
        Line(law, times, 1e3 * slide(law, LAW_VALUES, SLOPE, times)[:, 0])
        for law in ("threlfall", "bengisu_akay", "ambrosio", "elasto_plastic")
    ]
    return [
        *over_speed,
        Diagram(
            "elasto_plastic, to and fro",
            "displacement / mm",
            "friction by normal force",
            [_bristle_line()],
        ),
        Diagram("a block on a slope of 0.3", "time / s", "displacement / mm", creep),
    ]


def restitution_table() -> str:
    """Return the rows of what restitution comes out of each law."""
    rows = []
    for asked in ASKED:
        came = (restitution_of(law, {"restitution": asked}) for law in HYSTERETIC)
        rows.append(f"| {asked:g} | {' | '.join(f'{e:.4f}' for e in came)} |")
    return "\n".join(rows)


def page() -> str:
    """Return the text of the page of the contact laws."""
    return fill("contact", {"restitution table": restitution_table()})


def make() -> Evidence:
    """Draw both figures and return the page."""
    draw(
        IMAGES / NORMAL_FIGURE,
        normal_diagrams(),
        "Normal laws: an impact",
        f"{MASS:g} kg at {SPEED:g} m/s; K = {1e-3 * LINEAR:g} kN/m, or {1e-6 * ROUND:g} MN/m^1.5",
    )
    draw(
        IMAGES / FRICTION_FIGURE,
        friction_diagrams(),
        "Friction laws",
        f"kinetic {KINETIC:g}, static {STATIC:g}, v0 = {1e3 * V0:g} mm/s, v1 = {1e3 * V1:g} mm/s, "
        f"xi = {XI:g} s/m",
    )
    return Evidence({"contact.md": page()})
