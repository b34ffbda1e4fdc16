# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The laws of contact by their names, one line each. To add a law, add a line here."""

from __future__ import annotations

from . import friction, normal
from . import restitution as impact
from .law_types import FrictionLaw, LawParameter, NormalLaw
from .restitution import LEAST_RESTITUTION

STIFFNESS = LawParameter("stiffness", "of the contact (N/m, or N/m^n with an exponent)", above=True)
EXPONENT = LawParameter("exponent", "of the indentation", least=1.0, most=10.0, default=1.5)
DAMPING = LawParameter("damping", "of the contact (N s/m)")
ASKED = LawParameter("restitution", "speed after an impact by that before it", most=1.0)
# near 0 the damping would be infinite
ABOVE_ZERO = LawParameter(ASKED.name, ASKED.meaning, least=LEAST_RESTITUTION, most=1.0)
LEAST_SPEED = LawParameter(
    "least_speed",
    "of a touch for which damping is adapted; below it damping is that of this speed (m/s)",
    above=True,
    default=1e-2,
)
KINETIC = LawParameter("kinetic", "coefficient of friction while sliding")
STATIC = LawParameter("static", "coefficient of friction at its largest", default="kinetic")
V0 = LawParameter("v0", "speed of sliding, see the law (m/s)", above=True, default=0.01)
FROM_V0 = LawParameter("v0", "speed of sliding up to which friction is zero (m/s)")
V1 = LawParameter("v1", "speed of sliding from which friction is whole (m/s)", above=True)
XI = LawParameter("xi", "how fast friction falls to kinetic with speed (s/m)", default=100.0)
TANGENTIAL_STIFFNESS = LawParameter("tangential_stiffness", "until it slips (N/m)", above=True)
TANGENTIAL_DAMPING = LawParameter("tangential_damping", "until it slips (N s/m)")

IMPACT = STIFFNESS, EXPONENT, ASKED, LEAST_SPEED
IMPACT_ABOVE_ZERO = STIFFNESS, EXPONENT, ABOVE_ZERO, LEAST_SPEED
PRESLIDING = KINETIC, STATIC, TANGENTIAL_STIFFNESS, TANGENTIAL_DAMPING, V0
UP_TO_STATIC = (("kinetic", "static"),)

NORMAL_LAWS: dict[str, NormalLaw] = {
    "hooke": NormalLaw(normal.hooke, (STIFFNESS,), impact.of_spring),
    "hertz": NormalLaw(normal.hertz, (STIFFNESS, EXPONENT), impact.of_spring),
    "kelvin_voigt": NormalLaw(normal.kelvin_voigt, (STIFFNESS, DAMPING), impact.of_kelvin_voigt),
    "hunt_crossley": NormalLaw(
        normal.hysteretic, IMPACT, impact.of_hysteretic, impact.hunt_crossley_factor
    ),
    "lankarani_nikravesh": NormalLaw(
        normal.hysteretic, IMPACT, impact.of_hysteretic, impact.lankarani_nikravesh_factor
    ),
    "flores": NormalLaw(
        normal.hysteretic, IMPACT_ABOVE_ZERO, impact.of_hysteretic, impact.flores_factor
    ),
    "calibrated": NormalLaw(
        normal.hysteretic, IMPACT_ABOVE_ZERO, impact.of_hysteretic, impact.calibrated_factor
    ),
}
FRICTION_LAWS: dict[str, FrictionLaw] = {
    "none": FrictionLaw(friction.no_friction, ()),
    "coulomb": FrictionLaw(friction.coulomb, (KINETIC,)),
    "threlfall": FrictionLaw(friction.threlfall, (KINETIC, V0)),
    "bengisu_akay": FrictionLaw(friction.bengisu_akay, (KINETIC, STATIC, V0, XI), UP_TO_STATIC),
    "ambrosio": FrictionLaw(friction.ambrosio, (KINETIC, FROM_V0, V1), (("v0", "v1"),)),
    "elasto_plastic": FrictionLaw(
        friction.elasto_plastic, PRESLIDING, UP_TO_STATIC, is_elastic=True
    ),
}
