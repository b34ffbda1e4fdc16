# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The method by Kane's equations: SymPy's class for bodies in frames of its mechanics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy
from sympy.physics.mechanics import (
    KanesMethod,
    Point,
    ReferenceFrame,
    RigidBody,
    dynamicsymbols,
    inertia,
)

from charmie_dynamics.core.arrays import FLOATING, Tree

from .bias import SymbolicTerms, terms_of_forcing
from .engines import Engine, Expressions
from .floating import commutators, position_rates
from .kinematics import freedoms_of, poses
from .tree import expressed


def terms_by_kanes_equations(
    tree: Tree, engine: Engine, position: Sequence[Any], velocity: Sequence[Any]
) -> SymbolicTerms:
    """Return the terms of the equations of motion of a tree of numbers."""
    own = Engine("sympy", sympy)
    tree = expressed(tree, own)
    q = [dynamicsymbols(str(symbol)) for symbol in position]
    u = [dynamicsymbols(str(symbol)) for symbol in velocity]
    world, frames, origins = _body_frames(tree, own, q, u)
    bodies, loads = [], []
    for i in range(1, len(frames)):
        centre = origins[i].locatenew(f"c{i}", _vector(frames[i], tree.p_body_com[i]))
        centre.v2pt_theory(origins[i], world, frames[i])
        entries = [tree.inertia[i][k] for k in ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))]
        about = inertia(frames[i], *entries), centre
        bodies.append(RigidBody(f"body{i}", centre, frames[i], tree.mass[i], about))
        loads.append((centre, _vector(world, tree.mass[i] * tree.gravity)))
    rates = position_rates(tree, own, q, u)
    kinematic = [each.diff() - rate for each, rate in zip(q, rates, strict=True)]
    method = KanesMethod(world, q_ind=q, u_ind=u, kd_eqs=kinematic)
    method.kanes_equations(bodies, loads)
    names = [str(symbol) for symbol in (*position, *velocity)]
    symbols = dict(zip([*q, *u], sympy.symbols(names), strict=True))
    terms = terms_of_forcing(engine, method.mass_matrix, method.forcing, symbols, velocity)
    if FLOATING not in tree.joint_type:
        return terms
    turning = engine.half() * (terms.mass_matrix @ commutators(tree, engine, velocity))
    return terms._replace(coriolis_matrix=terms.coriolis_matrix + turning)


def _body_frames(
    tree: Tree, engine: Engine, q: Sequence[Any], u: Sequence[Any]
) -> tuple[ReferenceFrame, list[ReferenceFrame], list[Point]]:
    """Return the world, and a frame and an origin with their velocities for each body."""
    world = ReferenceFrame("world")
    frames, origins = [world], [Point("o0")]
    origins[0].set_vel(world, 0)
    placed = poses(tree, engine, q)
    for i in range(1, len(tree.parent)):
        parent, origin = frames[tree.parent[i]], origins[tree.parent[i]]
        frame = ReferenceFrame(f"body{i}")
        R = sympy.Matrix(placed[i].R_parent_body.tolist())
        frame.orient_explicit(parent, R)
        point = origin.locatenew(f"o{i}", _vector(parent, placed[i].p_parent_body))
        point.v2pt_theory(origin, world, parent)  # as if fixed to the parent
        freedoms = [(u[each.coordinate], each) for each in freedoms_of(tree, engine, i)]
        angular = sum(rate * each.angular for rate, each in freedoms)
        linear = sum(rate * each.linear for rate, each in freedoms)
        frame.set_ang_vel(parent, _vector(frame, angular))
        point.set_vel(world, point.vel(world) + _vector(frame, linear))
        frames.append(frame)
        origins.append(point)
    return world, frames, origins


def _vector(frame: ReferenceFrame, components: Expressions) -> Any:
    x, y, z = components
    return x * frame.x + y * frame.y + z * frame.z
