# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Derivation of the symbolic equations of motion of a robot."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from charmie_dynamics.core.arrays import Tree
from charmie_dynamics.errors import (
    CharmieError,
    DerivationWarning,
    UnknownNameError,
    UnsupportedError,
    choices,
)
from charmie_dynamics.model.flat.freedoms import PLANAR_POSITION
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.reading import load_model

from .duration import LONG, expected_duration
from .engines import Engine, choose_engine
from .equations import SymbolicEquations
from .joint_terms import with_joint_terms
from .tree import beginning, count_coordinates, without_fixed_links

# method: module and function
METHODS = {
    "structural": ("structural", "terms_by_structure"),
    "lagrange": ("lagrange", "terms_by_lagranges_equations"),
    "kane": ("kane", "terms_by_kanes_equations"),
    "christoffel": ("christoffel", "terms_by_christoffel_symbols"),
}


def derive(
    urdf: str | Path | Model,
    method: str,
    *,
    engine: str | None = None,
    mechanisms: str | Path | None = None,
) -> SymbolicEquations:
    """Derive the equations of motion of a tree of revolute, prismatic and planar joints.

    All methods give the same result: effort = M acceleration + C velocity + g in the coordinates of
    the independent joints, with the numbers of the URDF. They differ in the duration and in the
    number of operations. M includes the rotors of joints. Joint springs add their elastic efforts
    to g and their dampers to the diagonal of C, which then is not the matrix of the Christoffel
    symbols alone.

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
        A mechanisms file with rotors and joint springs, as for `load_model`.

    Returns
    -------
    SymbolicEquations

    Raises
    ------
    UnknownNameError
        For an unknown method or engine.
    CharmieError
        If SymPy is missing, or the robot has no movable joint.
    UnsupportedError
        For a floating joint, whose velocities are not rates of its positions.
    ModelFileError
        As for `load_model`.

    Warns
    -----
    DerivationWarning
        For a robot with linear actuators, loop joints, or springs other than joint springs: the
        equations are those of its open tree. For more than 12 joints: the expected duration.

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
        if joint.type == "floating":
            raise UnsupportedError(
                f"robot '{model.name}': expected revolute, continuous, prismatic, planar and fixed "
                f"joints, got joint '{joint.name}' of type floating; replace it by a fixed joint, "
                "or by three prismatic and three revolute joints with links without mass"
            )
    tree = without_fixed_links(model.flat.tree)
    _warn(model, tree, method, chosen)
    return _derived(model, tree, method, chosen)


def _warn(model: Model, tree: Tree, method: str, engine: Engine) -> None:
    """Warn about the duration, and about omitted parts of the robot."""
    parts = model.mechanisms.parts()
    mechanisms = [part.title for section, part in parts if section != "joint_springs"]
    if mechanisms:
        kinds = ", ".join(dict.fromkeys(f"{title}s" for title in mechanisms))
        warnings.warn(
            f"robot '{model.name}' has {kinds}: the equations are those of its open tree, in the "
            "coordinates of its joints, without what these add",
            DerivationWarning,
            stacklevel=3,
        )
    joints = len(model.joint_names)
    if joints > LONG:
        said = expected_duration(
            joints, lambda count: _solve(beginning(tree, count), method, engine)
        )
        warnings.warn(
            f"robot '{model.name}' has {joints} joints, more than {LONG}: {said}",
            DerivationWarning,
            stacklevel=3,
        )


def _solve(tree: Tree, method: str, engine: Engine, model: Model | None = None) -> Any:
    """Return the program of a tree, with the rotors and joint springs of a model."""
    from .program import Program

    count = count_coordinates(tree)
    module, name = METHODS[method]
    terms: Callable[..., Any] = getattr(import_module(f".{module}", __package__), name)
    position = engine.symbols("q", count)
    result = terms(tree, engine, position, engine.symbols("v", count))
    if model is not None:
        result = with_joint_terms(result, model, engine, position)
    return Program(engine, result)


def _derived(model: Model, tree: Tree, method: str, engine: Engine) -> SymbolicEquations:
    from .code import Subject

    names = model.joint_names
    sympy = choose_engine("sympy")
    slides = {joint.name for joint in model.tree.joints if joint.type == "prismatic"}
    planar = [joint.name for joint in model.tree.joints if joint.type == "planar"]
    slides |= {f"{name}/{number}" for name in planar for number in PLANAR_POSITION[:2]}
    units = ["m" if name in slides else "rad" for name in names]
    position, velocity = (sympy.symbols(letter, len(names)) for letter in ("q", "v"))
    subject = Subject(model.name, method, names, units, position, velocity)
    program = _solve(tree, method, engine, model)
    return SymbolicEquations(program, subject, engine.name)
