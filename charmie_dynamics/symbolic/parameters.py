# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Parameters of a robot's files as symbols in its arrays.

The names are those of `Model.parameters` and of studies, see `model.equations.number_paths`. The
arrays are affine in such a parameter: differences of the arrays for other values yield the factors.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from charmie_dynamics.core.inverse.records import Robot
from charmie_dynamics.errors import InputError, ModelFileError, UnknownNameError, choices
from charmie_dynamics.model.equations.file_parameters import part_of
from charmie_dynamics.model.equations.number_paths import numbers_by_path, parsed, with_numbers
from charmie_dynamics.model.flat.flat_robot import FlatRobot
from charmie_dynamics.model.flat.flatten import flatten
from charmie_dynamics.model.loads import load
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats

from .engines import choose_engine

STEP = 2.0**-10  # change of a parameter
ROUND_OFF = 1e-9
# arrays of a robot in which a symbol may occur, and other arrays of the equations
AFFINE = (
    *(f"tree.{name}" for name in ("mass", "p_body_com", "inertia", "gravity", "p_parent_joint")),
    "mechanisms.rotors.joint_rotor",
    "mechanisms.by_type.loop_joints.p_first_point",
    "mechanisms.by_type.loop_joints.p_second_point",
    "mechanisms.by_type.joint_springs.joint_stiffness",
    "mechanisms.by_type.joint_springs.rest_position",
    "mechanisms.by_type.joint_springs.joint_damping",
    *(f"mechanisms.actuators.{name}" for name in ("p_body_base", "p_body_tip")),
    "mechanisms.rotors.actuator_rotor",
    *(
        f"mechanisms.by_type.balance_mechanisms.{name}"
        for name in (
            *("p_frame_pivot", "p_frame_anchor", "bar_length", "spring_arm"),
            *("link_height", "carried_point_z"),
        )
    ),
    *(f"mechanisms.by_type.springs.{name}" for name in ("p_body_base", "p_body_tip", "damping")),
    *(f"mechanisms.springs.{name}" for name in ("stiffness", "free_length", "pretension")),
)
CONSTANT = (
    *(f"tree.{name}" for name in ("R_parent_joint", "axis", "multiplier", "offset")),
    "mechanisms.by_type.loop_joints.u_first",
    "mechanisms.actuators.load_share",
)
# names of symbols in generated code
RESERVED = re.compile(
    r"[qvx]\d+|sin|cos|sqrt|pow|exp|fabs|position|velocity|acceleration|effort|multipliers?|parameters|np|"
    r"mass_matrix|coriolis_matrix|gravity|jacobian|jacobian_rate|moment_arm|actuator_(length|rate|force)|E|I|S|N|O|Q|pi|"
    r"auto|break|case|char|const|default|do|double|enum|extern|float|goto|inline|int|long|"
    r"register|restrict|short|signed|sizeof|static|struct|switch|typedef|union|unsigned|void|"
    r"volatile|.*_(equations|accelerations|efforts|linear_actuators)"
)


class SymbolicParameter(NamedTuple):
    """A parameter of a robot's files as a symbol of SymPy, and its value in the files."""

    name: str
    symbol: Any
    value: float


def with_symbols(
    model: Model, names: Sequence[str] | Mapping[str, str]
) -> tuple[FlatRobot, list[SymbolicParameter]]:
    """Return the arrays of a robot with symbols in place of some parameters of its files.

    Parameters
    ----------
    model : Model
    names : sequence or mapping of str
        Of the parameters; a mapping contains the names of the symbols.

    Raises
    ------
    UnknownNameError
        For an unknown parameter.
    InputError
        For a parameter on which the equations do not depend, or depend otherwise than by affine
        arrays; for a name of a symbol that code cannot contain.
    """
    flat = model.flat
    if not names:
        return flat, []
    parameters = _parameters(model, names)
    slopes = [_slopes(model, each) for each in parameters]
    _require_sum(model, parameters, slopes)
    number = choose_engine("sympy").number
    block = flat.blocks.floats.astype(object)
    for k in np.flatnonzero(np.any(slopes, axis=0)):
        terms = [(_whole(row[k]), p) for row, p in zip(slopes, parameters, strict=True) if row[k]]
        rest = _whole(block[k] - sum(slope * p.value for slope, p in terms))
        block[k] = number(rest) + sum(number(slope) * p.symbol for slope, p in terms)
    record = Robot(np.array(flat.sizes), flat.tree, flat.freedoms, flat.mechanisms)
    for name in AFFINE:
        values = choose_engine("sympy").numbers(part_of(block, model.robot, name))
        record = _replaced(record, name, values)
    return replace(flat, tree=record.tree, mechanisms=record.mechanisms), parameters


def _replaced(record: Any, name: str, values: Any) -> Any:
    """Return a record with another array in a place such as ``tree.mass``."""
    first, _, rest = name.partition(".")
    return record._replace(
        **{first: _replaced(getattr(record, first), rest, values) if rest else values}
    )


def _parameters(model: Model, names: Sequence[str] | Mapping[str, str]) -> list[SymbolicParameter]:
    """Return the named parameters, after checks of their names."""
    sympy = choose_engine("sympy").module
    if isinstance(names, str):
        raise InputError(f"symbols: expected a list of parameters, got the text '{names}'")
    values = numbers_by_path(model.tree, model.mechanisms)
    named = dict(names) if isinstance(names, Mapping) else {name: "" for name in names}
    result, used = [], set()
    for name, given in named.items():
        if name not in values:
            raise UnknownNameError(f"parameter '{name}' is unknown{choices(name, values)}")
        short = given or re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")
        is_word = re.fullmatch(r"[A-Za-z]\w*", short, flags=re.ASCII) is not None
        if not is_word or keyword.iskeyword(short) or RESERVED.fullmatch(short) or short in used:
            reason = "it is used twice" if short in used else "it is reserved, or no identifier"
            raise InputError(
                f"symbol '{short}' of parameter '{name}' is not possible: {reason}; choose another "
                f"by symbols={{'{name}': 'p_1'}}"
            )
        used.add(short)
        result.append(SymbolicParameter(name, sympy.Symbol(short), values[name]))
    return result


def _slopes(model: Model, parameter: SymbolicParameter) -> Floats:
    """Return the derivative (k,) of the floats of a robot by a parameter."""
    name, now = parameter.name, model.flat.blocks.floats
    unused = (
        f"parameter '{name}': expected one on which the equations depend: of inertials, places of "
        "joints, gravity, rotors, springs, linear actuators, balance mechanisms or loop joints"
    )
    if not np.isfinite(parameter.value):
        raise InputError(unused)
    above, below = (_floats(model, {parameter: sign * STEP}) for sign in (1.0, -1.0))
    slope = (above - below) / (2.0 * STEP)
    moves = abs(slope) > ROUND_OFF
    is_curved = _differ(above + below, 2.0 * now)
    affine, constant = _mask(model, AFFINE), _mask(model, CONSTANT)
    if moves[constant].any() or is_curved[affine].any():
        raise InputError(
            f"parameter '{name}': expected one in which masses and positions are linear, as a mass "
            "of a link without payload or a coordinate of a point; angles and ratios are numbers"
        )
    if not moves[affine].any():
        raise InputError(unused)
    return np.where(moves & affine, slope, 0.0)


def _require_sum(
    model: Model, parameters: Sequence[SymbolicParameter], slopes: Sequence[Floats]
) -> None:
    """Raise an error if a product of two parameters occurs in an array."""
    changes = {each: STEP * (1 + k) for k, each in enumerate(parameters)}
    steps = zip(slopes, changes.values(), strict=True)
    expected = model.flat.blocks.floats + sum(slope * h for slope, h in steps)
    if _differ(_floats(model, changes), expected)[_mask(model, AFFINE)].any():
        listed = ", ".join(each.name for each in parameters)
        raise InputError(
            f"parameters {listed}: expected parameters of different parts; a mass or position "
            "contains the product of two of them"
        )


def _differ(a: Floats, b: Floats) -> Any:
    """Return where the results of two changes differ by more than round-off."""
    return abs(a - b) > ROUND_OFF * STEP * (1.0 + abs(b))


def _mask(model: Model, names: Sequence[str]) -> Any:
    """Return which floats of a robot belong to some of its arrays."""
    mask = np.zeros(len(model.flat.blocks.floats), dtype=bool)
    for name in names:
        part_of(mask, model.robot, name)[...] = True
    return mask


def _floats(model: Model, changes: Mapping[SymbolicParameter, float]) -> Floats:
    """Return the floats of a robot after changes of parameters."""
    new = {parsed(each.name): each.value + change for each, change in changes.items()}
    try:
        flat = flatten(*with_numbers(model.tree, model.mechanisms, new), "mechanisms")
        return load(flat, *model.loads).blocks.floats
    except ModelFileError as error:
        listed = ", ".join(each.name for each in changes)
        raise InputError(f"parameter {listed}: expected one that can change; {error}") from None


def _whole(value: float) -> float:
    """Return a value without the round-off of a difference."""
    near = round(float(value), 6)
    return near if abs(value - near) < ROUND_OFF else float(value)
