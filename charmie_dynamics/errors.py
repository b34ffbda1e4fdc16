# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The errors of this package, which have one root, and its warnings."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

# of a text that a message quotes, and of names among which it looks for the nearest
LONGEST = 100
MOST_COMPARED = 5000


class CharmieError(Exception):
    """Root of the errors of this package.

    Examples
    --------
    >>> from charmie_dynamics import CharmieError, load_model
    >>> try:
    ...     load_model(urdf="no_such.urdf")
    ... except CharmieError as error:
    ...     print(type(error).__name__)
    ModelFileError
    """


class ModelFileError(CharmieError):
    """A URDF, mechanisms, world or mesh file cannot be read, or describes nothing usable.

    Examples
    --------
    >>> from charmie_dynamics import ModelFileError, load_model
    >>> try:
    ...     load_model(urdf="no_such.urdf")
    ... except ModelFileError as error:
    ...     print(error)
    no_such.urdf: cannot be read: No such file or directory
    """


class MissingFileError(ModelFileError):
    """A robot, mesh or mechanisms file does not exist.

    Examples
    --------
    >>> from charmie_dynamics.errors import MissingFileError
    >>> from charmie_dynamics.model.description.world import parse_world
    >>> try:
    ...     parse_world("entities: {arm: {urdf: no_such.urdf}}", "world.yaml")
    ... except MissingFileError as error:
    ...     print(str(error)[:50])
    world.yaml, line 1: entities.arm.urdf: 'no_such.ur
    """


class ModelFileWarning(UserWarning):
    """A URDF that cannot be right is computed as it is written; `Model.warnings` tells more.

    Examples
    --------
    >>> import warnings
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from charmie_dynamics import ModelFileWarning, load_model
    >>> text = '''<robot name="block"><link name="block"><inertial><mass value="1"/>
    ... <inertia ixx="9" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>'''
    >>> with TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always", ModelFileWarning)
    ...     _ = Path(folder, "block.urdf").write_text(text)
    ...     model = load_model(Path(folder, "block.urdf"))
    >>> [warning.name for warning in model.warnings], caught[0].category.__name__
    (['block'], 'ModelFileWarning')
    """


class DerivationWarning(UserWarning):
    """Symbolic equations of motion omit a part of the robot, or may take long to derive.

    Examples
    --------
    >>> import warnings
    >>> from charmie_dynamics import DerivationWarning
    >>> from charmie_dynamics.symbolic import derive
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", DerivationWarning)
    ...     try:
    ...         derive("charmie_lar", "christoffel")
    ...     except DerivationWarning as warning:
    ...         print(str(warning).partition(",")[0])
    robot 'charmie_lar' has 13 joints
    """


class UnknownNameError(CharmieError):
    """A name that does not exist: of a body, joint, actuator, motion, law or method.

    Examples
    --------
    >>> from charmie_dynamics import UnknownNameError, load_model
    >>> from charmie_dynamics.motions import make_motion
    >>> try:
    ...     make_motion("wav", load_model())
    ... except UnknownNameError as error:
    ...     print(str(error).partition(" Valid")[0])
    motion 'wav' is unknown; did you mean 'wave'?
    """


class InputError(CharmieError):
    """An input of the wrong shape, with values that are not finite, or outside its range.

    Examples
    --------
    >>> from charmie_dynamics import InputError, load_model
    >>> try:
    ...     load_model().compute([0.1, 0.2])
    ... except InputError as error:
    ...     print(error)
    position: expected shape (21,), got (2,)
    """


class OverlapError(InputError):
    """Bodies of a world overlap where they may not.

    Examples
    --------
    >>> from charmie_dynamics.errors import OverlapError
    >>> from charmie_dynamics.simulation import world_of
    >>> world = world_of('''
    ... contacts: {default: {normal: hooke, stiffness: 1.0e5}}
    ... entities:
    ...   ground: {shape: plane}
    ...   ball: {shape: sphere, size: [0.05], mass: 1.0, pose: [0, 0, 0.04, 0, 0, 0]}
    ... ''')
    >>> try:
    ...     world.require_apart()
    ... except OverlapError as error:
    ...     print(error)
    world 'world': 'ground' and 'ball' overlap at the start by 0.01 m, expected at most 0.001 m
    """


class OutOfReachError(CharmieError):
    """A linear actuator, mechanism, loop joint, leg or frame that cannot take the demanded place.

    Attributes
    ----------
    name : str
        The actuator, mechanism, loop joint, leg or frame.

    Examples
    --------
    >>> from charmie_dynamics import OutOfReachError, load_model
    >>> model = load_model()
    >>> position = model.zero_position()
    >>> position[3] = 2.0  # m, of the lift actuator
    >>> try:
    ...     model.compute(position)
    ... except OutOfReachError as error:
    ...     print(error.name)
    lift_actuator
    """

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


class LoopError(CharmieError):
    """A passive joint that the loops of a robot do not determine, or whose effort they do not hold.

    Attributes
    ----------
    name : str
        The joint.

    Examples
    --------
    >>> from charmie_dynamics.errors import CharmieError, LoopError
    >>> LoopError("rocker_joint", "is free").name, issubclass(LoopError, CharmieError)
    ('rocker_joint', True)
    """

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


class UnsupportedError(CharmieError):
    """A computation that does not take into account what a robot has, and so is not made.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.errors import UnsupportedError
    >>> from charmie_dynamics.model.contact_forces import ContactForces, ContactPoint
    >>> try:
    ...     ContactForces(load_model("scara"), [ContactPoint("base_link", 0.5)])
    ... except UnsupportedError as error:
    ...     print(error)
    contact forces: expected a base body on a floating joint, got 'scara' without
    """


class MassMatrixError(CharmieError):
    """A mass matrix that cannot be inverted: a joint, or several together, move no mass.

    Attributes
    ----------
    name : str
        The first actuator whose row depends on those before it.
    """

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


class SimulationError(CharmieError):
    """A simulation that has lost its accuracy, or does not get on.

    Attributes
    ----------
    time : float
        When (s).
    message : str
        What happened then.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.errors import SimulationError
    >>> from charmie_dynamics.simulation import simulate
    >>> model = load_model("charmie_lar")
    >>> try:
    ...     _ = simulate(model, model.zero_position(), None, 1.0, integrator="rk4", step=0.3)
    ... except SimulationError as error:
    ...     print(error.time > 0.0)
    True
    """

    def __init__(self, time: float, message: str) -> None:
        super().__init__(f"simulation at {time:.6g} s: {message}")
        self.time = float(time)
        self.message = message


def shown(text: str) -> str:
    """Return a text of a file as a message quotes it: whole, unless it is very long."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def choices(given: str, valid: Iterable[str]) -> str:
    """Return the end of a message about a wrong name: the nearest name and all valid ones."""
    names = list(valid)
    # the time to compare grows with the square of the length of a name
    compared = names[:MOST_COMPARED] if len(given) <= LONGEST else []
    near = difflib.get_close_matches(given, compared, n=1)
    hint = f"; did you mean '{near[0]}'?" if near else "."
    listed = ", ".join(shown(name) for name in names[:40]) + (", ..." if len(names) > 40 else "")
    return f"{hint} Valid: {listed or 'none'}"
