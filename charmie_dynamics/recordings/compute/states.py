# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The states of a recorded motion, recomputed with the model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from charmie_dynamics.model.flat.loop_following import is_passive
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.state import State
from charmie_dynamics.numerics.vectors import Floats, Ints
from charmie_dynamics.recordings.read.recorded_motion import RecordedMotion, Series

DIFFERENCE = 1e-3  # of the largest load


def state_at(model: Model, motion: RecordedMotion, sample: int) -> State:
    """Return the state of a recorded sample; without loads if no efforts were recorded."""
    model = _loaded(model, motion, sample)
    row = slice(sample, sample + 1)
    position, velocity = motion.position[sample], motion.velocity[sample]
    if not np.isfinite(motion.effort[sample]).all():
        return model.kinematics(position, velocity)
    acceleration = accelerations(
        model,
        motion.position[row],
        motion.velocity[row],
        motion.effort[row],
        unmoved_accelerations(model, motion)[row],
    )
    return model.compute(position, velocity, acceleration[0])


def base_wrenches(model: Model, motion: RecordedMotion) -> Floats:
    """Return force and torque on the base (n, 6) of each sample; NaN without efforts."""
    result = np.full((len(motion.stamps), 6), np.nan)
    known = np.flatnonzero(np.isfinite(motion.effort).all(axis=1))
    unmoved = unmoved_accelerations(model, motion)
    for some in _equally_loaded(motion, known):
        loaded = _loaded(model, motion, int(some[0]))
        position, velocity = motion.position[some], motion.velocity[some]
        acceleration = accelerations(loaded, position, velocity, motion.effort[some], unmoved[some])
        batch = loaded.compute(position, velocity, acceleration)
        result[some] = np.concatenate(batch.base_wrench, axis=1)
    return result


def _loaded(model: Model, motion: RecordedMotion, sample: int) -> Model:
    return model.with_loads(*motion.loads[sample]) if motion.loads else model


def _equally_loaded(motion: RecordedMotion, samples: Ints) -> list[Ints]:
    """Return the samples in parts with constant loads."""
    if not motion.loads or not len(samples):
        return [samples] if len(samples) else []
    loads = [motion.loads[k] for k in samples.tolist()]
    changes = [k for k in range(1, len(loads)) if loads[k] is not loads[k - 1]]
    return list(np.split(samples, changes))


def unmoved_accelerations(model: Model, motion: RecordedMotion) -> Floats:
    """Return the accelerations (n, v) of coordinates without actuator, zero elsewhere.

    Efforts do not determine those of planar and floating joints, but differences of their recorded
    velocities do. Passive joints of loops follow from the others; their values do not matter.
    """
    result = np.zeros((len(motion.stamps), len(model.velocity_names)))
    others = np.setdiff1d(np.arange(result.shape[1]), model.actuator_index)
    if len(others) and len(motion.stamps) > 1:
        result[:, others] = np.gradient(motion.velocity[:, others], motion.time, axis=0)
    return result


def accelerations(
    model: Model,
    position: Floats,
    velocity: Floats,
    effort: Floats,
    unmoved: Floats | None = None,
) -> Floats:
    """Return the accelerations (n, v) for which the model yields the recorded efforts.

    Efforts are linear in the accelerations: effort = E(position) acceleration + rest(position,
    velocity). The model computes E and rest; so the accelerations that the node had estimated, and
    with them all loads, are recovered up to round-off. Differentiating the recorded velocities
    would give others.

    Parameters
    ----------
    model : Model
    position : array, shape (n, p)
    velocity : array, shape (n, v)
    effort : array, shape (n, q)
    unmoved : array, shape (n, v), optional
        See `unmoved_accelerations`; zero if omitted.
    """
    result = np.empty_like(velocity)
    unmoved = np.zeros_like(velocity) if unmoved is None else unmoved
    for k in range(len(position)):
        result[k] = _acceleration(model, position[k], velocity[k], effort[k], unmoved[k])
    return result


def _acceleration(
    model: Model, position: Floats, velocity: Floats, effort: Floats, unmoved: Floats
) -> Floats:
    """Return the accelerations (v,) of one sample.

    Samples are computed one by one: the node's functions are compiled already where it has run,
    while compiling those of a batch for this purpose would take longer than any recording.
    """

    def closed(acceleration: Floats) -> Floats:
        if not model.mechanisms.loop_joints:
            return acceleration
        return model.assemble(position, velocity, acceleration).acceleration

    base = closed(unmoved)
    units = np.eye(len(velocity))[model.actuator_index]
    # directions of acceleration that the loops allow, for each actuator
    ways = np.stack([closed(unmoved + unit) - base for unit in units], axis=1)
    rest = model.compute(position, velocity, base).actuator_effort
    trials = [model.compute(position, velocity, base + way).actuator_effort for way in ways.T]
    columns = np.stack(trials, axis=1) - rest[:, None]
    # a pseudo-inverse: a joint that moves no mass has zero effort at any acceleration
    result: Floats = base + ways @ (np.linalg.pinv(columns) @ (effort - rest))
    return result


def are_accelerations_determined(model: Model) -> bool:
    """Return whether efforts determine all accelerations: all joints are driven or passive."""
    determined = is_passive(model.flat)
    determined[model.actuator_index] = True
    return bool(determined.all())


def wrench_difference(
    model: Model, motion: RecordedMotion, wrench: Series | None, samples: Sequence[int]
) -> str | None:
    """Return a notice if the recorded load on the base is not the one that the model gives.

    Efforts, accelerations and the load on the base are consistent in one model only: otherwise
    the bag was recorded with another model.
    """
    if wrench is None or not are_accelerations_determined(model):
        return None
    place = {int(stamp): k for k, stamp in enumerate(wrench.stamps)}
    for sample in samples:
        state = state_at(model, motion, sample)
        k = place.get(int(motion.stamps[sample]))
        if k is None or state.dynamics is None:
            continue
        recorded, computed = wrench.values[k], np.concatenate(state.base_wrench)
        if not np.abs(recorded - computed).max() <= DIFFERENCE * np.abs(recorded).max():
            return (
                f"the recorded load on the base differs from the computed load of '{model.name}': "
                "the recording was made with another URDF or mechanisms file, or with payloads or "
                "wrenches that it does not contain; computed loads may be wrong"
            )
    return None
