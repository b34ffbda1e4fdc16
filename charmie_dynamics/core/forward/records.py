# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Workspace and results of the kernels of forward dynamics."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from charmie_dynamics.core.inverse.records import CycleRecord
from charmie_dynamics.numerics.vectors import Floats


class ArticulatedBodies(NamedTuple):
    """Articulated inertias that each degree of freedom moves, see `articulated_bodies`.

    As in `core.equations`, all are in world axes and at one point at rest, so that those of several
    bodies can be added without transformation. A spatial vector is stored in two arrays: of a
    motion the angular and the linear part, of a force the torque and the force.
    """

    axis_angular: Annotated[Floats, "d", 3]  # S
    axis_linear: Annotated[Floats, "d", 3]
    # I, symmetric: of torque and force by the angular and the linear part of an acceleration; of
    # the symmetric ones xx, xy, xz, yy, yz, zz
    torque_by_angular: Annotated[Floats, "d", 6]
    torque_by_linear: Annotated[Floats, "d", 3, 3]
    force_by_linear: Annotated[Floats, "d", 6]
    size_angular: Annotated[Floats, "d"]  # trace of the first, and of the last by 3, if the joints
    size_linear: Annotated[Floats, "d"]  # beyond were locked
    push_torque: Annotated[Floats, "d", 3]  # U = I S
    push_force: Annotated[Floats, "d", 3]
    inverse: Annotated[Floats, "d"]  # 1 / D, with D = S . U
    is_poor: Annotated[Floats, 1]  # 1 if any D is a small difference of large numbers, else 0


class SharedCoordinates(NamedTuple):
    """Of coordinates that move joints at several places, see `shared_coordinates`."""

    coupling: Annotated[Floats, "q", "s"]  # K, by the other coordinates
    left: Annotated[Floats, "s", "s"]  # mass matrix with these yielding; then its L D L^T
    size: Annotated[Floats, "s"]  # of its diagonal, if the others were locked
    value: Annotated[Floats, "s"]  # efforts, then accelerations


class Sweep(NamedTuple):
    """Workspace of the sweeps: forces from the tips, and accelerations from the root."""

    torque: Annotated[Floats, "d", 3]
    force: Annotated[Floats, "d", 3]
    angular: Annotated[Floats, "d", 3]
    linear: Annotated[Floats, "d", 3]


class ForwardRoom(NamedTuple):
    """Workspace of `run_forward`."""

    at_rest: Annotated[Floats, "q"]  # zeros
    effort: Annotated[Floats, "q"]  # of the actuators
    column: Annotated[Floats, "q"]  # efforts of the joints, then their accelerations
    ratio: Annotated[Floats, "q"]  # dq/dL of each joint by its actuator
    rotor: Annotated[Floats, "q"]  # reflected inertia of all rotors, in coordinates of the joints
    bodies: ArticulatedBodies
    shared: SharedCoordinates
    sweep: Sweep


class ForwardMotion(NamedTuple):
    """The common beginning of the results of `run_forward` and `run_constrained_forward`."""

    forward_acceleration: Annotated[Floats, "q"]  # of the actuators
    friction_effort: Annotated[Floats, "q"]  # of the actuators, part of the given effort
    external_power: Annotated[Floats, 1]  # of external loads (W)
    damping_power: Annotated[Floats, 1]  # of the dampers of springs (W)


class ForwardResult(NamedTuple):
    """Results of `run_forward`.

    Inputs and results of steps 3 to 5 of the cycle are those of the state. Steps 6 and 7 are those
    without acceleration.
    """

    motion: ForwardMotion
    cycle: CycleRecord
