# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A model that MuJoCo compiled: names of its parts, and what of it has no counterpart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import mujoco
import numpy as np

HINGE, SLIDE, FREE, BALL = (
    int(getattr(mujoco.mjtJoint, f"mjJNT_{kind}")) for kind in ("HINGE", "SLIDE", "FREE", "BALL")
)
# MuJoCo's defaults: time constant (s) and damping ratio; shares of impedance
TIME_CONSTANT, SMALLEST_SHARE, LARGEST_SHARE = 0.02, 0.9, 0.95
# parts without counterpart, and their number in a model
COUNTS = {
    "sensors": "nsensor",
    "cameras": "ncam",
    "lights": "nlight",
    "pairs of contacts": "npair",
    "excluded contacts": "nexclude",
    "flexible bodies": "nflex",
    "plugins": "nplugin",
    "mocap bodies, which are fixed to the world": "nmocap",
}


class CompiledMjcf:
    """A compiled model with names for all parts.

    Attributes
    ----------
    model : mujoco.MjModel
    joint_names : list of str
    """

    def __init__(self, model: Any) -> None:
        self.model = model
        self.joint_names = [
            self.name("JOINT", k, f"{self.body(model.jnt_bodyid[k])}_joint_{k}")
            for k in range(model.njnt)
        ]

    def name(self, kind: str, k: int, default: str = "") -> str:
        """Return the name of a part; of one without, the default or its kind and number."""
        found = mujoco.mj_id2name(self.model, getattr(mujoco.mjtObj, f"mjOBJ_{kind}"), int(k))
        return found or default or f"{kind.lower()}_{k}"

    def body(self, k: int) -> str:
        """Return the name of a body."""
        return self.name("BODY", k)

    def is_off(self, flag: str) -> bool:
        """Return whether the file disables a part of physics, as GRAVITY."""
        bit = getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}", 0)
        return bool(self.model.opt.disableflags & int(bit))

    def number(self, array: str, k: int, off: str = "") -> float:
        """Return a number of a part; zero if the file disables it, or MuJoCo has no such array."""
        values = getattr(self.model, array, None)
        if values is None or (off and self.is_off(off)):
            return 0.0
        return float(np.ravel(values[k])[0])

    def softness(self, equality: int) -> str:
        """Return how an equality is softer than by MuJoCo's defaults; empty: it is not."""
        first, second = (float(x) for x in self.model.eq_solref[equality])
        least, most = (float(x) for x in self.model.eq_solimp[equality][:2])
        # of the constraint's acceleration by its error (1/s^2)
        stiffness = -first if first < 0.0 else 1.0 / (first * second) ** 2
        if stiffness < (1.0 - 1e-9) / TIME_CONSTANT**2:
            return f"solref {first:g} {second:g}"
        if least < SMALLEST_SHARE or most < LARGEST_SHARE:
            return f"solimp {least:g} {most:g}"
        return ""

    def path_of(self, tendon: int) -> list[tuple[str, int, float]]:
        """Return kind, index and coefficient of the joints, sites and geoms along a tendon."""
        model, first = self.model, int(self.model.tendon_adr[tendon])
        return [
            (
                mujoco.mjtWrap(int(model.wrap_type[k])).name.removeprefix("mjWRAP_"),
                int(model.wrap_objid[k]),
                float(model.wrap_prm[k]),
            )
            for k in range(first, first + int(model.tendon_num[tendon]))
        ]

    def terms_of(self, tendon: int) -> dict[int, float] | None:
        """Return the coefficients of the joints of a fixed tendon; None of a spatial one."""
        path = self.path_of(tendon)
        if any(kind != "JOINT" for kind, _, _ in path):
            return None
        return {joint: coefficient for _, joint, coefficient in path}

    def where(self, tendon: int) -> str:
        """Return what a tendon consists of, for messages."""
        terms = self.terms_of(tendon)
        if terms is not None:
            return f"over the joints {', '.join(self.joint_names[joint] for joint in terms)}"
        names = (self.name("SITE", k) for kind, k, _ in self.path_of(tendon) if kind == "SITE")
        return f"along the sites {', '.join(names)}"

    def laws_of(self, tendon: int) -> list[str]:
        """Return the laws that make a tendon act on the robot."""
        polynomials = ("stiffnesspoly", "dampingpoly", "springyield")
        named = {
            "stiffness": self.number("tendon_stiffness", tendon, "SPRING"),
            "damping": self.number("tendon_damping", tendon, "DAMPER"),
            "armature": self.number("tendon_armature", tendon),
            "friction": self.number("tendon_frictionloss", tendon, "FRICTIONLOSS"),
            "limits": float(self.model.tendon_limited[tendon]),
            "nonlinear terms": float(any(self._any(f"tendon_{p}", tendon) for p in polynomials)),
        }
        return [law for law, value in named.items() if value]

    def omissions(self) -> Iterator[str]:
        """Yield unsupported elements, except actuators, shapes, equalities and tendons."""
        model, option = self.model, self.model.opt
        for what, count in COUNTS.items():
            if getattr(model, count, 0):
                yield f"{getattr(model, count)} {what}"
        if option.density or option.viscosity:
            yield "the medium: its density and viscosity; the robot moves in empty space"
        floating = [self.body(int(k)) for k in np.flatnonzero(model.body_gravcomp)]
        if floating:
            yield f"gravity compensation (gravcomp) of {', '.join(floating)}: gravity acts on them"
        for joint, name in enumerate(self.joint_names):
            left = list(self._laws_left_of(joint))
            if left:
                yield f"joint '{name}': its {', '.join(left)}"

    def _laws_left_of(self, joint: int) -> Iterator[str]:
        freedom = int(self.model.jnt_dofadr[joint])
        kind = int(self.model.jnt_type[joint])
        if kind in (BALL, FREE):
            if self.number("jnt_stiffness", joint, "SPRING"):
                yield "spring"
            if self.number("dof_armature", freedom):
                yield "armature"
            if kind == BALL and self.model.jnt_limited[joint]:
                yield "limits"
            if kind == FREE and self.number("dof_damping", freedom, "DAMPER"):
                yield "damping"
            if kind == FREE and self.number("dof_frictionloss", freedom, "FRICTIONLOSS"):
                yield "friction"
        if self._any("jnt_stiffnesspoly", joint) or self._any("jnt_springyield", joint):
            yield "nonlinear spring, of which the linear part is kept"
        if self._any("dof_dampingpoly", freedom):
            yield "nonlinear damping, of which the linear part is kept"

    def _any(self, array: str, k: int) -> bool:
        values = getattr(self.model, array, None)
        return values is not None and bool(np.any(values[k]))
