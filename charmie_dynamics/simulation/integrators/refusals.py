# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Errors of stages that cannot be computed."""

from __future__ import annotations

from charmie_dynamics.core.arrays import CONTACTS_TOO_MANY, LOOP_OPEN, PASSES_UNSEEN
from charmie_dynamics.core.contact.passing import DEEPEST, SHARE
from charmie_dynamics.core.contact.records import (
    MEMORY,
    PASSING_FIRST,
    PASSING_SECOND,
    PASSING_SPEED,
)
from charmie_dynamics.core.forward.loop_closure import MOST_OPEN
from charmie_dynamics.core.forward.loop_records import ForwardTerms
from charmie_dynamics.core.integration.rosenbrock import SINGULAR
from charmie_dynamics.core.integration.step_arrays import StepArrays
from charmie_dynamics.core.inverse.cycle import STATUSES
from charmie_dynamics.errors import CharmieError, InputError, MassMatrixError, OutOfReachError
from charmie_dynamics.model.flat.checks import refusal
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.blocks import lay_out
from charmie_dynamics.simulation.contact.contact_scene import ContactScene


def refusal_of_stage(
    model: Model, scene: ContactScene | None, arrays: StepArrays, status: int
) -> CharmieError:
    """Return the error for a status of `run_stages`."""
    if status == SINGULAR:
        name = model.velocity_names[0]
        return MassMatrixError(name, "the equations of a stage have no solution")
    if scene is not None and status == CONTACTS_TOO_MANY:
        return InputError(
            f"contacts: expected at most {scene.memory_size // MEMORY} points at a time, got "
            "more; give the world more contact_slots"
        )
    if scene is not None and status == PASSES_UNSEEN:
        return refusal_of_passing(scene, arrays)
    row, kind = divmod(status, STATUSES)
    if kind == LOOP_OPEN:
        flat = model.flat
        found = lay_out(ForwardTerms, flat.blocks.ints, arrays.forward_out, flat.sizes)
        return refusal_of_opening(
            model, row, found.constraint_error[row], found.constraint_size[row]
        )
    inputs = arrays.stage.position, arrays.stage_velocity, arrays.effort
    return refusal(model.robot, status, inputs, "effort")


def refusal_of_opening(model: Model, row: int, error: float, size: float) -> OutOfReachError:
    """Return the error of a constraint that steps have opened, with its error and its size."""
    joint = model.flat.mechanisms.by_type.loop_joints.row_joint[row]
    name = model.flat.mechanism_names["loop_joints"][joint]
    return OutOfReachError(
        name,
        f"loop joint '{name}' is open by {error:.1e}, expected at most {MOST_OPEN * size:.1e}: the "
        "step is too long",
    )


def refusal_of_passing(scene: ContactScene, arrays: StepArrays) -> InputError:
    """Return the error of shapes that would pass unseen in a step, or have pressed through."""
    totals = arrays.contact_totals
    first, second = (scene.shapes[int(totals[k])] for k in (PASSING_FIRST, PASSING_SECOND))
    speed = float(totals[PASSING_SPEED])
    thickness = first.half_thickness + second.half_thickness
    subject = f"contact of '{first.link}' and '{second.link}'"
    if speed < 0.0:
        return InputError(
            f"{subject}: the indentation is more than {DEEPEST:g} of half of the thickness of "
            f"both, {thickness:.3g} m; expected stiffer contacts, thicker shapes or slower ones"
        )
    return InputError(
        f"{subject}: points approach at up to {speed:.3g} "
        f"m/s, so that shapes of {2.0 * first.half_thickness:.3g} m and "
        f"{2.0 * second.half_thickness:.3g} m thickness would pass unseen; expected a step of "
        f"at most {SHARE * thickness / speed:.1e} s"
    )
