# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Derivation of the symbolic equations of motion of a robot."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from charmie_dynamics.core.arrays import Tree
from charmie_dynamics.errors import (
    CharmieError,
    DerivationWarning,
    UnknownNameError,
    UnsupportedError,
    choices,
)
from charmie_dynamics.model.flat.flat_robot import FlatRobot
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.reading import load_model

from .duration import LONG, expected_duration
from .engines import Engine, choose_engine
from .equations import SymbolicEquations
from .joint_terms import with_body_springs, with_joint_terms
from .linear_actuators import actuator_terms, with_actuator_rotors
from .parameters import SymbolicParameter, with_symbols
from .subject import ActuatorRow, Subject
from .tree import PlacedLinks, beginning, count_coordinates, count_positions, without_fixed_links

# method: module and function
METHODS = {
    "structural": ("structural", "terms_by_structure"),
    "lagrange": ("lagrange", "terms_by_lagranges_equations"),
    "kane": ("kane", "terms_by_kanes_equations"),
    "christoffel": ("christoffel", "terms_by_christoffel_symbols"),
}


# velocities (rad/s) and positions (rad) among the numbers of planar and floating joints
TURNS = ("angle", "wx", "wy", "wz")


def derive(
    urdf: str | Path | Model,
    method: str,
    *,
    engine: str | None = None,
    mechanisms: str | Path | None = None,
    symbols: Sequence[str] | Mapping[str, str] = (),
) -> SymbolicEquations:
    """Derive the equations of motion of a robot.

    All methods give the same result, in the coordinates of the independent joints and with the
    numbers of the files. They differ in the duration and in the number of operations.

        effort = M acceleration + C velocity + g

    M includes the rotors of joints and linear actuators. Springs and balance mechanisms add their
    elastic efforts to g and their dampers to C, which then is not the matrix of the Christoffel
    symbols alone. The coordinates of linear actuators are those of the joints that they move; their
    lengths, moment arms and forces follow from these. Barrels and rods with mass are bodies, whose
    loops are closed by loop joints. Loop joints
    with the Jacobian J add J^T times their multipliers to the effort, and the constraint
    J acceleration + J' velocity = 0.

    Parameters
    ----------
    urdf : path, str or Model
        A URDF, the name of a robot of this package, or a robot with its payloads. Fixed links are
        parts of their parents, mimic joints move with their joints; external loads and friction are
        omitted.
    method : str
        "structural": the structural paper's coefficients. "lagrange" or "kane": SymPy's own
        classes. "christoffel": the mass matrix of composite rigid bodies, and its derivatives
        (GIM-Christoffel).
    engine : str, optional
        "symengine" or "sympy"; default: the former if it is installed. "lagrange" and "kane" always
        use SymPy for their equations, and the engine for the following steps.
    mechanisms : path, optional
        A mechanisms file with loop joints, rotors and springs, as for `load_model`.
    symbols : sequence or mapping of str, optional
        Parameters that remain symbols, by the names of `Model.parameters` and of studies, such as
        ``inertials.crank.mass``, ``joints.coupler_joint.xyz[2]`` or
        ``loop_joints.pin.first_point[0]``. A mapping contains the names of the symbols.

    Returns
    -------
    SymbolicEquations

    Raises
    ------
    UnknownNameError
        For an unknown method, engine or parameter.
    InputError
        For a parameter that cannot be a symbol.
    CharmieError
        If SymPy is missing, or the robot has no movable joint.
    UnsupportedError
        For a floating joint with the method "lagrange": its velocities are not rates of its
        positions.
    ModelFileError
        As for `load_model`.

    Warns
    -----
    DerivationWarning
        For a robot with dampers of springs that only pull: the equations omit these. For more than
        12 joints: the expected duration.

    Examples
    --------
    >>> from charmie_dynamics.symbolic import derive
    >>> equations = derive("scara", "christoffel")
    >>> equations.joint_names
    ('joint_1', 'joint_2', 'joint_3', 'joint_4', 'joint_5')
    >>> equations.gravity[4]
    -0.1962*cos(q5)
    """
    if method not in METHODS:
        raise UnknownNameError(f"method '{method}' is unknown{choices(method, METHODS)}")
    chosen = choose_engine(engine)
    model = urdf if isinstance(urdf, Model) else load_model(urdf, mechanisms)
    if not model.joint_names:
        raise CharmieError(f"robot '{model.name}': expected a movable joint, got none")
    for joint in model.tree.joints:
        if joint.type == "floating" and method == "lagrange":
            raise UnsupportedError(
                f"robot '{model.name}', method lagrange: expected joints whose velocities are the "
                f"rates of their positions, got joint '{joint.name}' of type floating; choose one "
                "of the methods structural, kane and christoffel"
            )
    flat, parameters = with_symbols(model, symbols)
    tree, links = without_fixed_links(flat.tree)
    _warn(model, tree, method, chosen)
    loops = LoopRobot(flat, links)
    program = _solve(tree, method, chosen, loops)
    return SymbolicEquations(program, _subject(model, method, parameters), chosen.name)


class LoopRobot(NamedTuple):
    """The arrays of a robot, and its links in the bodies of the tree."""

    flat: FlatRobot
    links: PlacedLinks


def _warn(model: Model, tree: Tree, method: str, engine: Engine) -> None:
    """Warn about the duration, and about omitted parts of the robot."""
    if any(spring.damping and not spring.pushes for spring in model.mechanisms.springs):
        warnings.warn(
            f"robot '{model.name}': the equations omit the dampers of springs that only pull; "
            "Model.compute and Model.forward include them",
            DerivationWarning,
            stacklevel=3,
        )
    joints = min(len(model.joint_names), len(tree.parent) - 1)  # a floating joint counts as one
    if joints > LONG:
        said = expected_duration(
            joints, lambda count: _solve(beginning(tree, count), method, engine)
        )
        warnings.warn(
            f"robot '{model.name}' has {joints} joints, more than {LONG}: {said}; loop "
            "joints, and the compilation of `function()`, take longer",
            DerivationWarning,
            stacklevel=3,
        )


def _solve(tree: Tree, method: str, engine: Engine, robot: LoopRobot | None = None) -> Any:
    """Return the program of a tree, with the mechanisms of a robot."""
    from .loops import loop_terms
    from .program import Program

    module, name = METHODS[method]
    terms: Callable[..., Any] = getattr(import_module(f".{module}", __package__), name)
    velocity = engine.symbols("v", count_coordinates(tree))
    numbered = engine.symbols("q", count_positions(tree))
    if robot is None:
        return Program(engine, terms(tree, engine, numbered, velocity))
    freedoms = robot.flat.freedoms
    entries = [*freedoms.position_entry, *freedoms.scalar_entry]
    position = [numbered[k] for k in entries]
    result = with_joint_terms(terms(tree, engine, position, velocity), robot.flat, engine, position)
    result = with_body_springs(result, tree, robot.links, robot.flat, engine, position)
    actuators = actuator_terms(tree, robot.links, robot.flat, engine, position)
    result = with_actuator_rotors(result, actuators, robot.flat, engine, position, velocity)
    joints = robot.flat.mechanisms.by_type.loop_joints
    if not len(joints.row_joint):
        return Program(engine, result, None, actuators)
    loops = loop_terms(tree, robot.links, joints, engine, position, velocity)
    return Program(engine, result, loops, actuators)


def _subject(model: Model, method: str, parameters: Sequence[SymbolicParameter]) -> Subject:
    sympy = choose_engine("sympy")
    flat = model.flat
    kinds = {joint.name: joint.type for joint in model.tree.joints}

    def unit(name: str) -> str:
        if name in kinds:
            return "m" if kinds[name] == "prismatic" else "rad"
        number = name.rpartition("/")[2]
        return "rad" if number in TURNS else "1" if number.startswith("q") else "m"

    driven = {actuator.name: actuator.joint for actuator in model.mechanisms.linear_actuators}
    names = [driven.get(name, name) for name in flat.position_names]
    loops = flat.mechanisms.by_type.loop_joints
    rows = flat.mechanisms.actuators
    coordinates = flat.tree.coordinate[rows.joint_body].tolist()
    actuated = flat.actuator_index.tolist()
    own = zip(flat.linear_actuator_names, coordinates, rows.load_share.tolist(), strict=True)
    return Subject(
        robot=model.name,
        method=method,
        joints=model.joint_names,
        units=[unit(name) for name in model.joint_names],
        position_joints=names,
        position_units=[unit(name) for name in names],
        position=sympy.symbols("q", len(names)),
        velocity=sympy.symbols("v", len(model.joint_names)),
        parameters=parameters,
        rows=[flat.mechanism_names["loop_joints"][k] for k in loops.row_joint],
        actuated=actuated,
        linear_actuators=[ActuatorRow(name, c, actuated.index(c), s) for name, c, s in own],
    )
