# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Errors of stages that cannot be computed."""

from __future__ import annotations

from charmie_dynamics.core.arrays import CONTACTS_TOO_MANY, PASSES_UNSEEN
from charmie_dynamics.core.contact.passing import DEEPEST, SHARE
from charmie_dynamics.core.contact.records import (
    MEMORY,
    PASSING_FIRST,
    PASSING_SECOND,
    PASSING_SPEED,
)
from charmie_dynamics.core.integration.rosenbrock import SINGULAR
from charmie_dynamics.core.integration.step_arrays import StepArrays
from charmie_dynamics.errors import CharmieError, InputError, MassMatrixError
from charmie_dynamics.model.flat.checks import refusal
from charmie_dynamics.model.model import Model
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
    inputs = arrays.stage.position, arrays.stage_velocity, arrays.effort
    return refusal(model.robot, status, inputs, "effort")


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
