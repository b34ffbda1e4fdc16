# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Workspace and results of the kernels of forward dynamics.

The sizes in the shapes are those of `core.arrays`: `d` degrees of freedom, `q` coordinates, `s`
coordinates that move joints at several places. All quantities are in SI units.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from charmie_dynamics.core.inverse.records import CycleRecord
from charmie_dynamics.numerics.vectors import Floats


class ArticulatedBodies(NamedTuple):
    """Articulated inertias that each degree of freedom moves, see `articulated_bodies`.

    As in `core.equations`, all are in world axes and at one point at rest, so that those of several
    bodies can be added without transformation. A spatial vector is stored in two arrays: of a
    motion the angular and the linear part, of a force the torque and the force.

    The inertia I is symmetric. It has three blocks: torque by angular acceleration (kg m^2), torque
    by linear acceleration (kg m), force by linear acceleration (kg). Of the first and the last,
    which are symmetric, xx, xy, xz, yy, yz, zz are stored.
    """

    axis_angular: Annotated[Floats, "d", 3]  # S: angular part
    axis_linear: Annotated[Floats, "d", 3]  # S: linear part
    torque_by_angular: Annotated[Floats, "d", 6]
    torque_by_linear: Annotated[Floats, "d", 3, 3]
    force_by_linear: Annotated[Floats, "d", 6]
    size_angular: Annotated[Floats, "d"]  # trace of torque_by_angular, joints beyond locked
    size_linear: Annotated[Floats, "d"]  # a third of the trace of force_by_linear, likewise: mass
    push_torque: Annotated[Floats, "d", 3]  # U = I S: torque
    push_force: Annotated[Floats, "d", 3]  # U: force
    inverse: Annotated[Floats, "d"]  # 1 / D, with D = S . U
    is_poor: Annotated[Floats, 1]  # 1 if any D is a small difference of large numbers, else 0


class SharedCoordinates(NamedTuple):
    """Of coordinates that move joints at several places, see `shared_coordinates`."""

    coupling: Annotated[Floats, "q", "s"]  # K: effort of a coordinate by a shared acceleration
    complement: Annotated[Floats, "s", "s"]  # Schur complement of the mass matrix; then L, 1 / D
    size: Annotated[Floats, "s"]  # of the complement's diagonal, all other coordinates locked
    value: Annotated[Floats, "s"]  # efforts, then accelerations


class Sweep(NamedTuple):
    """Workspace of the sweeps: forces from the tips, and accelerations from the root."""

    torque: Annotated[Floats, "d", 3]  # N m
    force: Annotated[Floats, "d", 3]  # N
    angular: Annotated[Floats, "d", 3]  # rad/s^2
    linear: Annotated[Floats, "d", 3]  # m/s^2


class ForwardRoom(NamedTuple):
    """Workspace of `run_forward`."""

    at_rest: Annotated[Floats, "q"]  # zeros; of batches: the acceleration of the last iteration
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
