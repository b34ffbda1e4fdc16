# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Terms of rotors, joint springs, springs between bodies, balance mechanisms and dampers.

With the reflected inertia I of the rotors of coordinate q, and for each joint spring k (x - rest) +
d x' on a joint x = m q + offset, the effort of q has the terms

    I q'' + m^2 d q' + m k (m q + offset - rest)

A spring between bodies of length l and gradient G has the tension t = k (l - l0) + t0 and
the efforts t G + d G G^T v. One that only pulls has t (1 + sign(l - l0)) / 2; its damper never
pushes, is no matrix times the velocity, and is omitted. The spring of a balance mechanism has the
same terms: its length depends on the slide alone, by the angle of the bar.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from charmie_dynamics.core.arrays import Tree
from charmie_dynamics.model.flat.flat_robot import FlatRobot

from .bias import SymbolicTerms
from .engines import Engine
from .loops import Member, member
from .tree import PlacedLinks


def with_joint_terms(
    terms: SymbolicTerms, flat: FlatRobot, engine: Engine, position: Sequence[Any]
) -> SymbolicTerms:
    """Return the terms of a tree with the rotors of its joints and the joint springs.

    Dampers are in the diagonal of the Coriolis matrix, elastic efforts in gravity.
    """
    M, C, g = (each.copy() for each in terms)
    tree, mechanisms = flat.tree, flat.mechanisms
    for c, inertia in enumerate(engine.numbers(mechanisms.rotors.joint_rotor)):
        M[c, c] += inertia
    for body, *law in zip(*mechanisms.by_type.joint_springs, strict=True):
        stiffness, rest, damping = engine.numbers(law)
        m, offset = engine.numbers([tree.multiplier[body], tree.offset[body]])
        c = tree.coordinate[body]
        C[c, c] += m * m * damping
        g[c] += m * m * stiffness * position[c]
        g[c] += m * stiffness * (offset - rest)
    return SymbolicTerms(M, C, g)


def with_body_springs(
    terms: SymbolicTerms,
    tree: Tree,
    links: PlacedLinks,
    flat: FlatRobot,
    engine: Engine,
    position: Sequence[Any],
) -> SymbolicTerms:
    """Return the terms of a tree with the springs between its bodies."""
    M, C, g = terms
    springs, laws = flat.mechanisms.by_type.springs, flat.mechanisms.springs
    pins = springs.base_body, springs.p_body_base, springs.tip_body, springs.p_body_tip
    sprung: list[tuple[int, Any, Member]] = [
        (s, damping, member(tree, links, engine, position, ends))
        for s, damping, *ends in zip(springs.spring, springs.damping, *pins, strict=True)
    ]
    balance = flat.mechanisms.by_type.balance_mechanisms.spring
    sprung += [
        (s, 0.0, each)
        for s, each in zip(balance, _balance_springs(flat, engine, position), strict=True)
    ]
    for s, damping, (length, G) in sprung:
        law = laws.stiffness[s], laws.free_length[s], laws.pretension[s], damping
        stiffness, free_length, pretension, damping = engine.numbers(law)
        tension = stiffness * (length - free_length) + pretension
        if laws.pushes[s]:
            C = C + damping * np.outer(G, G)
        else:
            tension *= engine.half() * (1 + engine.module.sign(length - free_length))
        g = g + tension * G
    return SymbolicTerms(M, C, g)


def _balance_springs(flat: FlatRobot, engine: Engine, position: Sequence[Any]) -> Iterator[Member]:
    """Yield the springs of balance mechanisms (multibody paper, eq. 22 to 27)."""
    tree, balance = flat.tree, flat.mechanisms.by_type.balance_mechanisms
    for k, body in enumerate(balance.carried_body):
        c = tree.coordinate[body]
        m, offset, up = engine.numbers(
            [tree.multiplier[body], tree.offset[body], tree.u_parent_axis[body, 2]]
        )
        slot, above, below, bar, arm, side = engine.numbers(
            [
                *(tree.p_parent_joint[body, 2], balance.carried_point_z[k], balance.link_height[k]),
                *(balance.bar_length[k], balance.spring_arm[k], balance.side[k]),
            ]
        )
        pivot = engine.numbers(balance.p_frame_pivot[k])
        rise = slot + up * (m * position[c] + offset) + above - below - pivot[2]
        run = side * (bar * bar - rise * rise) ** engine.half()
        along = np.array([run, engine.number(0), rise], dtype=object)
        d = pivot + arm / bar * along - engine.numbers(balance.p_frame_anchor[k])
        length = (d @ d) ** engine.half()
        gradient = np.full(len(flat.joint_names), engine.number(0), dtype=object)
        gradient[c] = length.diff(position[c])
        yield Member(length, gradient)
