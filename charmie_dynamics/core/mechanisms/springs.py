# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Extension springs between two bodies: members whose ends they pull together."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from charmie_dynamics.core.arrays import (
    MECHANISM_COLLAPSED,
    REACHED,
    Dynamics,
    Kinematics,
    Tree,
)
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import (
    Floats,
    Ints,
    add,
    cross,
    rotate_back,
    scale,
    store,
)

from .auxiliary_bodies import place_members
from .kernels import MechanismKernels, NoResults


class SpringsBetweenBodies(NamedTuple):
    """Where each spring is attached, and which rows are its own."""

    base_body: Annotated[Ints, "springs"]
    p_body_base: Annotated[Floats, "springs", 3]  # pin in the base body
    tip_body: Annotated[Ints, "springs"]
    p_body_tip: Annotated[Floats, "springs", 3]  # pin in the tip body
    member: Annotated[Ints, "springs"]  # row among the members
    frame: Annotated[Ints, "springs"]  # row of its base part among the frames, the tip's follows
    spring: Annotated[Ints, "springs"]  # row among all extension springs
    is_damped: Annotated[Ints, "springs"]  # 1: a damper beside it
    damping: Annotated[Floats, "springs"]  # N s/m


@compiled
def place_springs(
    tree: Tree, springs: SpringsBetweenBodies, out: Kinematics, own: NoResults
) -> tuple[int, int]:
    """Write length, direction and frames of each spring, see `MechanismKernels`."""
    collapsed = place_members(springs, out)
    if collapsed >= 0:
        return MECHANISM_COLLAPSED, collapsed
    for k in range(springs.spring.shape[0]):
        out.spring_length[springs.spring[k]] = out.member_length[springs.member[k]]
    return REACHED, 0


@compiled
def pull_bodies(
    tree: Tree,
    springs: SpringsBetweenBodies,
    kinematics: Kinematics,
    placed: NoResults,
    out: Dynamics,
    own: NoResults,
) -> None:
    """Add the pull of each spring to the loads of its two bodies, see `MechanismKernels`."""
    for k in range(springs.spring.shape[0]):
        pull = scale(
            out.spring_tension[springs.spring[k]], kinematics.u_world_member[springs.member[k]]
        )
        base = springs.base_body[k]
        f_base = rotate_back(kinematics.R_world_frame[base], pull)
        store(out.load_force[base], add(out.load_force[base], f_base))
        t_base = cross(springs.p_body_base[k], f_base)
        store(out.load_torque[base], add(out.load_torque[base], t_base))
        tip = springs.tip_body[k]
        f_tip = rotate_back(kinematics.R_world_frame[tip], scale(-1.0, pull))
        store(out.load_force[tip], add(out.load_force[tip], f_tip))
        t_tip = cross(springs.p_body_tip[k], f_tip)
        store(out.load_torque[tip], add(out.load_torque[tip], t_tip))


KERNELS = MechanismKernels(
    parameters=SpringsBetweenBodies, place=place_springs, apply_loads=pull_bodies
)
