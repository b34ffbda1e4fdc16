# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Checks of inputs and of a description that contradicts itself, with their messages."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from charmie_dynamics.core import arrays
from charmie_dynamics.core.inverse.cycle import STATUSES
from charmie_dynamics.core.mechanisms.all_types import mechanism_of
from charmie_dynamics.errors import (
    CharmieError,
    InputError,
    LoopError,
    MassMatrixError,
    OutOfReachError,
    UnknownNameError,
    shown,
)
from charmie_dynamics.model.description.description_warnings import DescriptionWarning
from charmie_dynamics.model.description.mechanisms.mechanism import Mechanism
from charmie_dynamics.numerics.vectors import Floats

from .actuators import reach_of
from .loop_refusals import is_of_loops, refusal_of_loop
from .prepared_robot import PreparedRobot


def checked(subject: str, values: npt.ArrayLike | None, names: Sequence[str]) -> Floats:
    """Return a copy of an input of one sample, zeros for None.

    Parameters
    ----------
    subject : str
        What it is, for messages.
    values : (q,) array_like or None
    names : sequence of str
        Of the q actuators.

    Raises
    ------
    InputError
        If it has another shape, or a value that is no finite number.
    """
    if values is None:
        return np.zeros(len(names))
    array = converted(subject, values, (len(names),)).copy()
    require_finite(subject, array, names)
    return array


def checked_motion(
    robot: PreparedRobot,
    given: tuple[npt.ArrayLike | None, npt.ArrayLike | None, npt.ArrayLike | None],
    last: str = "acceleration",
) -> tuple[Floats, Floats, Floats]:
    """Return copies of position, velocity and acceleration, or `last`, of one sample.

    Raises
    ------
    InputError
        As `checked`.
    """
    position, velocity, acceleration = given
    return (
        checked("position", position, robot.flat.position_names),
        checked("velocity", velocity, robot.flat.velocity_names),
        checked(last, acceleration, robot.flat.velocity_names),
    )


def converted(subject: str, values: npt.ArrayLike, shape: tuple[int, ...]) -> Floats:
    """Return an input as an array of float64, itself if it is one.

    Raises
    ------
    InputError
        If it has another shape or holds no numbers.
    """
    array = _as_floats(subject, values, shape)
    if array.shape != shape:
        raise InputError(f"{subject}: expected shape {shape}, got {array.shape}")
    return array


def _as_floats(subject: str, values: npt.ArrayLike, shape: object) -> Floats:
    if getattr(getattr(values, "dtype", None), "kind", "") == "c":
        raise InputError(f"{subject}: expected real numbers of shape {shape}, got complex ones")
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{subject}: expected numbers of shape {shape}: {error}") from None


def are_many(*given: npt.ArrayLike | None) -> bool:
    """Return whether any input has leading axes; not if it holds no numbers."""
    for values in given:
        try:
            if values is not None and _as_floats("input", values, "").ndim > 1:
                return True
        except InputError:
            continue
    return False


def in_rows(
    subjects: Sequence[str],
    given: Sequence[npt.ArrayLike | None],
    names: Sequence[Sequence[str]],
) -> tuple[list[Floats | None], tuple[int, ...]]:
    """Return inputs (..., n) that broadcast as rows (N, n), and their leading axes.

    Arrays that need no conversion are returned as views. None stays None.

    Raises
    ------
    InputError
        If an input has another shape or holds no numbers, or the leading axes do not broadcast.
    """
    arrays = []
    for subject, values, own in zip(subjects, given, names, strict=True):
        array = None if values is None else _as_floats(subject, values, f"(..., {len(own)})")
        if array is not None and array.shape[-1:] != (len(own),):
            shape = f"(..., {len(own)})" if array.ndim > 1 else f"({len(own)},)"
            raise InputError(f"{subject}: expected shape {shape}, got {array.shape}")
        arrays.append(array)
    known = [array.shape[:-1] for array in arrays if array is not None]
    try:
        leading = np.broadcast_shapes(*known)
    except ValueError:
        raise InputError(
            f"{', '.join(subjects)}: expected leading axes that broadcast, got "
            f"{', '.join(map(str, known))}"
        ) from None
    rows: list[Floats | None] = []
    for array in arrays:
        if array is not None:
            whole = *leading, array.shape[-1]
            array = array if array.shape == whole else np.broadcast_to(array, whole)
            array = array.reshape(math.prod(leading), whole[-1])
        rows.append(array)
    return rows, leading


def of_rows(compute: Callable[..., Floats], rows: Sequence[Floats | None]) -> Floats:
    """Return the results of a function of one row each of arrays (N, n), (N, ...)."""
    return np.array(
        [compute(*row) for row in zip(*(a for a in rows if a is not None), strict=True)]
    )


def finite_numbers(subject: str, values: npt.ArrayLike, shape: tuple[int, ...]) -> Floats:
    """Return a copy of a small array whose numbers have no names.

    Raises
    ------
    InputError
        If it has another shape, holds no numbers, or some that are not finite.
    """
    array = _as_floats(subject, values, shape).copy()
    if array.shape != shape or not np.isfinite(array).all():
        raise InputError(
            f"{subject}: expected finite numbers of shape {shape}, got {shown(str(array.tolist()))}"
        )
    return array


def unit_vector(subject: str, values: npt.ArrayLike) -> Floats:
    """Return the unit vector (3,) along a vector.

    Raises
    ------
    InputError
        If it is not three finite numbers, or zero.
    """
    vector = finite_numbers(subject, values, (3,))
    largest = abs(vector).max()
    if largest == 0.0:
        raise InputError(f"{subject}: expected a vector that is not zero, got {vector.tolist()}")
    vector /= largest  # squares of the largest and smallest numbers overflow or vanish
    return vector / np.linalg.norm(vector)


def require_finite(subject: str, array: Floats, names: Sequence[str]) -> None:
    """Check an input (q,) or (N, q).

    Raises
    ------
    InputError
        If any value is no finite number; names the first.
    """
    if np.isfinite(array).all():
        return
    where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
    sample = f" of sample {where[0]}" if array.ndim == 2 else ""
    raise InputError(
        f"{subject}{sample}: expected finite values, got {array[where]} for '{names[where[-1]]}'"
    )


def computed_again(
    robot: PreparedRobot,
    given: tuple[npt.ArrayLike | None, npt.ArrayLike | None, npt.ArrayLike | None],
    run: Callable[[Floats, Floats, Floats], int],
    last: str = "acceleration",
) -> None:
    """Run a kernel that could not take its inputs as they were, with copies that it can take.

    Parameters
    ----------
    robot : PreparedRobot
    given : three array_like or None
        Position, velocity and acceleration of the actuators; None: zeros.
    run : callable
        Returns the status of `run_cycle`.
    last : str
        What the last of the inputs is, for messages.

    Raises
    ------
    InputError, OutOfReachError, LoopError, MassMatrixError
        Naming the fault.
    """
    inputs = checked_motion(robot, given, last)
    status = run(*inputs)
    if status != arrays.REACHED:
        raise refusal(robot, status, inputs, last)


def error_of_sample(n: int, error: CharmieError) -> CharmieError:
    """Return the error of a single state as that of sample `n` of many."""
    if isinstance(error, UnknownNameError):
        return error
    message = f"sample {n}: {error}"
    if isinstance(error, OutOfReachError | LoopError | MassMatrixError):
        return type(error)(error.name, message)
    return InputError(message)


def refusal(
    robot: PreparedRobot,
    status: int,
    inputs: tuple[Floats, Floats, Floats],
    last: str = "acceleration",
    sample_number: int | None = None,
) -> CharmieError:
    """Return the error for the status of `run_cycle`.

    Parameters
    ----------
    robot : PreparedRobot
    status : int
        Not REACHED.
    inputs : (p,) and two (v,) arrays
        Positions, velocities and accelerations that it was given; finite.
    last : str
        What the last of them is.
    sample_number : int, optional
        Of the state among many.
    """
    if sample_number is not None:
        return error_of_sample(sample_number, refusal(robot, status, inputs, last))
    flat, mechanisms = robot.flat, robot.mechanisms
    if is_of_loops(status):
        return refusal_of_loop(flat, status, inputs, searched=False)
    k, status = divmod(status, STATUSES)
    if status == arrays.NOT_FINITE:
        return InputError("positions and velocities: expected finite numbers; got others")
    if status == arrays.OVERFLOW:
        return InputError(
            f"velocity or {last}: so large that the results are not finite, "
            f"got magnitudes up to {np.abs(np.concatenate(inputs[1:])).max():.3g}"
        )
    if status == arrays.NOT_OF_LENGTH_ONE:
        w = int(flat.freedoms.scalar_entry[k])
        name = flat.position_names[w].rpartition("/")[0]
        quaternion = inputs[0][w - 3 : w + 1]
        return InputError(
            f"position of '{name}': expected a quaternion x, y, z, w of length one, got "
            f"{quaternion.tolist()} of length {np.linalg.norm(quaternion):.9g}"
        )
    if status == arrays.MASS_IS_SINGULAR:
        return mass_fault(k, flat.velocity_names, robot.tree.warnings)
    if status == arrays.ACTUATOR_OUT_OF_REACH:
        return _length_out_of_reach(robot, k, inputs[0])
    if status == arrays.ACTUATOR_COLLAPSED:
        members = (*mechanisms.linear_actuators, *mechanisms.load_sharing)
        return _collapsed(members[k].name)
    kind, k = mechanism_of(k)
    part: Mechanism = getattr(mechanisms, kind)[k]
    if status == arrays.MECHANISM_COLLAPSED:
        return _collapsed(part.name)
    return _mechanism_out_of_reach(robot, part, inputs[0])


def _collapsed(name: str) -> OutOfReachError:
    return OutOfReachError(
        name, f"'{name}': its two pins are in the same place; expected a length above 0"
    )


def _mechanism_out_of_reach(
    robot: PreparedRobot, part: Mechanism, position: Floats
) -> OutOfReachError:
    link, why, extent = part.out_of_reach()
    joint = robot.tree.joint_of(link)
    for driver, actuator in enumerate(robot.mechanisms.linear_actuators):
        if joint is not None and actuator.joint == joint.name:
            return _length_out_of_reach(robot, driver, position, f"; {why}")
    return OutOfReachError(part.name, f"'{link}' is out of reach; {why} than {extent}")


def _length_out_of_reach(
    robot: PreparedRobot, k: int, position: Floats, cause: str = ""
) -> OutOfReachError:
    name = robot.mechanisms.linear_actuators[k].name
    length = position[robot.flat.position_names.index(name)]
    low, high = reach_of(robot, k)
    return OutOfReachError(
        name,
        f"linear actuator '{name}': length {length:.6g} m is out of reach; expected more than "
        f"{low:.6g} m and less than {high:.6g} m{cause}",
    )


def mass_fault(
    k: int, names: Sequence[str], warnings: Sequence[DescriptionWarning]
) -> MassMatrixError:
    """Return the error of a mass matrix whose row `k` adds nothing to those before it."""
    links = [warning.name for warning in warnings if warning.element != "element"]
    cause = (
        f"the URDF has values that no body can have, see Model.warnings: {', '.join(links)}"
        if links
        else "what it moves has no mass or inertia, or other joints move it in the same way"
    )
    return MassMatrixError(
        names[k],
        f"mass matrix: expected positive definite, but '{names[k]}' adds no mass of its own: "
        f"{cause}",
    )
