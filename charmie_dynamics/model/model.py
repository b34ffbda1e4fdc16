# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Facade of the package: a robot that computes cycles."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from charmie_dynamics.core import arrays
from charmie_dynamics.core.inverse.cycle import run_cycle
from charmie_dynamics.core.inverse.friction import AT_ACTUATOR, AT_JOINT
from charmie_dynamics.errors import InputError
from charmie_dynamics.numerics.jit import ready
from charmie_dynamics.numerics.vectors import Floats

from .batch import INPUTS, BatchState
from .closed_loops import ClosedLoops
from .description.mechanisms import MechanismSet
from .description.package_robots import DEFAULT, PACKAGE_ROBOTS
from .description.robot import RobotTree
from .equations.contributions import (
    ContributionNames,
    Contributions,
    contributions_of,
    joined,
)
from .equations.evaluation import Given, rows_of
from .flat.block_layout import BlockLayout
from .flat.checks import (
    are_many,
    computed_again,
    in_rows,
    refusal_of_sample,
    require_finite,
    require_limits_within_reach,
    require_rest_pose_within_limits,
)
from .flat.flatten import flatten
from .flat.loop_cycles import ClosedCycle
from .friction import friction_of_coordinates
from .loads import Payload, Wrench, load
from .loop_closure import of_each
from .state import State

_, DEFAULT_URDF, DEFAULT_MECHANISMS = PACKAGE_ROBOTS[DEFAULT]


class Model(ClosedLoops):
    """A robot, ready to compute.

    Parameters
    ----------
    tree : RobotTree
        Links and joints.
    mechanisms : MechanismSet
        Linear actuators, springs and other mechanisms; may be empty.
    source : str
        Name of the mechanisms file, for messages.

    Attributes
    ----------
    tree, mechanisms : RobotTree, MechanismSet
        The description, step 1.
    flat : FlatRobot
        The kernels' arrays, step 2.
    loads : tuple of mapping
        Payloads and wrenches, by link.
    layout : BlockLayout
        Place of each array of a state in its block.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> model = load_model()
    >>> model
    <Model 'charmie': degrees of freedom 21, actuators 21, bodies 32, loops 4, base 'base'>
    >>> state = model.compute(model.zero_position())
    >>> print(state.actuator_effort[3:5].round(2))  # lift and torso actuator, N
    [ 74.21 -44.04]
    """

    def __init__(
        self, tree: RobotTree, mechanisms: MechanismSet, source: str = "mechanisms"
    ) -> None:
        super().__init__(tree, mechanisms, flatten(tree, mechanisms, source))
        self._unloaded = self.flat
        self.loads: tuple[Mapping[str, Payload], Mapping[str, Wrench]] = {}, {}
        self.layout = BlockLayout(self.flat, mechanisms.base_body or tree.root)
        # what each cycle needs at once
        self._run: Any = None
        self._at_rest = np.zeros(len(self.velocity_names))
        require_limits_within_reach(self.flat, tree, mechanisms, source)
        require_rest_pose_within_limits(
            self.actuator_names, self.actuator_limits(), mechanisms, source
        )

    def __repr__(self) -> str:
        mechanisms = self.mechanisms
        loops = (
            len(mechanisms.loop_joints)
            + len(mechanisms.linear_actuators)
            + len(mechanisms.balance_mechanisms)
        )
        # loop joints leave fewer degrees of freedom than coordinates; how many needs a computation
        freedoms = "coordinates" if mechanisms.loop_joints else "degrees of freedom"
        return (
            f"<Model '{self.name}': {freedoms} {len(self.velocity_names)}, "
            f"actuators {len(self.actuator_names)}, bodies {len(self.tree.links)}, loops {loops}, "
            f"base '{self.frame_names[self.layout.base_body]}'>"
        )

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy or another process is given: no machine code."""
        return {**self.__dict__, "_run": None}

    def with_loads(
        self,
        payloads: Mapping[str, Payload] | None = None,
        wrenches: Mapping[str, Wrench] | None = None,
    ) -> Model:
        """Return this robot with loads; they replace those that it may have already.

        Parameters
        ----------
        payloads : mapping of str to Payload, optional
            Bodies that links hold, by the names of the links.
        wrenches : mapping of str to Wrench, optional
            Loads from outside on links, by the names of the links.

        Raises
        ------
        UnknownNameError
            If there is no such link.

        Examples
        --------
        >>> from charmie_dynamics import Payload, Wrench, load_model
        >>> model = load_model()
        >>> held = model.with_loads({"left_tool": Payload(1.5, (0.0, 0.0, 0.08))})
        >>> round(held.total_mass - model.total_mass, 6)
        1.5
        >>> pushed = model.with_loads(wrenches={"right_tool": Wrench(force=(0.0, 0.0, -20.0))})
        """
        result = copy.copy(self)
        result.loads = payloads or {}, wrenches or {}
        result.flat = load(self._unloaded, *result.loads)
        result.layout = BlockLayout(result.flat, self.frame_names[self.layout.base_body])
        return result

    def compute(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        acceleration: npt.ArrayLike | None = None,
        *,
        friction: bool = True,
        workers: int | None = None,
    ) -> State:
        """Run the steps 3 to 7, once for each state.

        Parameters
        ----------
        position : (..., p) array_like
            In the order of `position_names`: rad, m, pin-to-pin length of linear actuators.
        velocity, acceleration : (..., v) array_like, optional
            In the order of `velocity_names`, zero if omitted. The leading axes of all arguments
            broadcast.
        friction : bool
            Include the friction that the files define in the efforts.
        workers : int, optional
            Number of threads for many states; all cores if omitted.

        Returns
        -------
        State
            Its arrays have the leading axes, and the values of single calls. It owns them; no
            reference to the arguments is kept. Of many states, efforts, joints, springs and the
            base wrench are stored; all else is computed on access.

        Raises
        ------
        InputError
            For an array of the wrong shape, values that are not finite, loads that overflow, or
            velocities and accelerations that open a loop joint.
        OutOfReachError
            If a length closes no loop; names actuator, length and reach. If a loop joint is open.
        LoopError
            If no efforts of the actuators balance a passive joint.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> position = model.zero_position()
        >>> velocity = 0.1 * position
        >>> state = model.compute(position, velocity)
        >>> state.actuator_effort.shape
        (21,)

        Many states:

        >>> import numpy as np
        >>> position = np.tile(position, (100, 1))
        >>> position[:, 4] = np.linspace(0.36, 0.42, 100)  # m, the torso actuator
        >>> states = model.compute(position)
        >>> states.actuator_effort.shape, states.frame("left_tool")[0].shape
        ((100, 21), (100, 3))
        """
        if not friction and self.has_friction:
            return self.without_friction().compute(
                position, velocity, acceleration, workers=workers
            )
        return self._cycle(position, velocity, acceleration, True, workers)

    def kinematics(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        acceleration: npt.ArrayLike | None = None,
        *,
        workers: int | None = None,
    ) -> State:
        """Run the steps 3 to 5: the kinematics of `compute`, without loads.

        Parameters
        ----------
        position, velocity, acceleration : (..., p), (..., v) and (..., v) array_like
            As for `compute`.
        workers : int, optional
            Number of threads for many states; all cores if omitted.

        Raises
        ------
        InputError, OutOfReachError
            As `compute`.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> state = model.kinematics(model.zero_position())
        >>> print(state.frame("head")[0].round(3), state.has_dynamics)  # m
        [ 0.015 -0.005  1.32 ] False
        """
        return self._cycle(position, velocity, acceleration, False, workers)

    def _cycle(
        self, position: Any, velocity: Any, acceleration: Any, dynamics: bool, workers: int | None
    ) -> State:
        block = np.empty(self.layout.size)
        rest = self._at_rest
        try:
            # the kernel refuses many states as well, but slowly
            status = position.ndim - 1 or (self._run or self._make_ready())(
                position,
                rest if velocity is None else velocity,
                rest if acceleration is None else acceleration,
                block,
                dynamics,
            )
        except Exception:  # whatever is no array of floats, or read-only: copies are tried below
            status = arrays.WRONG_SHAPE
        if status != arrays.REACHED:
            given = position, velocity, acceleration
            if are_many(*given):
                return self._cycles(given, dynamics, workers)
            run = self._run or self._make_ready()
            computed_again(
                (self.flat, self.tree, self.mechanisms),
                given,
                lambda *inputs: run(*inputs, block, dynamics),
            )
        return State(self.layout, block, dynamics)

    def _cycles(self, given: Given, dynamics: bool, workers: int | None) -> BatchState:
        names = self.position_names, self.velocity_names, self.velocity_names
        (p, v, a), leading = in_rows(INPUTS, given, names)
        if p is None:
            raise InputError(f"position: expected shape (..., {len(names[0])}), got None")
        states = BatchState(self.layout, (p, v, a), dynamics, workers, leading=leading)
        if states.is_unfit:
            for subject, array, own in zip(INPUTS, states.inputs, names, strict=True):
                require_finite(subject, array, own)
        if states.failure is not None:
            n, status = states.failure
            sample = (states.inputs[0][n], states.inputs[1][n], states.inputs[2][n])
            raise refusal_of_sample((self.flat, self.tree, self.mechanisms), n, status, sample)
        return states

    def _make_ready(self) -> Any:
        """Compile the kernel or load it from the cache."""
        run = ClosedCycle(self.flat) if self.flat.sizes.r else ready(run_cycle)
        self._run = partial(run, *self.flat.blocks.addresses)
        return self._run

    def contributions(
        self, position: npt.ArrayLike, velocity: npt.ArrayLike | None = None
    ) -> Contributions:
        """Return what each body adds to inertia, gravity and velocity efforts of each coordinate.

        Parameters
        ----------
        position : (..., p) array_like
            As for `compute`.
        velocity : (..., v) array_like, optional
            For centrifugal and Coriolis efforts and for friction; zero if omitted.

        Returns
        -------
        Contributions
            In the coordinates of `velocity_names`. A payload is part of the link that holds it;
            springs and friction are separate.

        Raises
        ------
        InputError, OutOfReachError
            As `compute`.
        UnsupportedError
            If there are loop joints.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> found = model.contributions(model.zero_position())
        >>> total = found.gravity_effort.sum(axis=0) + found.spring_effort
        >>> print(total[3:5].round(2))  # lift and torso actuator, N
        [ 74.21 -44.04]
        """
        self.require_no_loop_joints("contributions")
        rows, leading = rows_of(self, (position, velocity, None))
        found = of_each(rows, leading, lambda n, motion: self._contributions(*motion[:2]))
        if not leading:
            return found[0]
        at_zero = [] if found else [self._contributions(self.zero_position(), self._at_rest)]
        return joined(found or at_zero, leading)

    def _contributions(self, position: Floats, velocity: Floats) -> Contributions:
        state = self.compute(position, velocity, friction=False)
        unit_rates = self.kinematics(position, np.ones(len(self.velocity_names)))
        units = np.full(len(self.velocity_names), "N m")
        units[self.flat.freedoms.freedom_coordinate[self.flat.freedoms.freedom_turns == 0]] = "N"
        units[self.actuator_index] = self.effort_units
        names = ContributionNames(self.flat.body_names, self.velocity_names, tuple(units.tolist()))
        dynamics = cast(arrays.Dynamics, state.dynamics)
        states = state.kinematics, dynamics, unit_rates.kinematics
        flat = self.flat
        friction = self.equations(position, velocity).friction_effort
        return contributions_of(
            flat.tree, flat.mechanisms, names, *states, state.velocity, friction
        )

    def without_friction(self) -> Model:
        """Return this robot without friction; the robot itself if its files define none.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()  # the friction of CHARMIE is not known
        >>> model.without_friction() is model
        True
        """
        if not self.has_friction:
            return self
        prepared = self.flat.blocks.prepared
        if Model not in prepared:
            joints = tuple(replace(joint, friction=None) for joint in self.tree.joints)
            tree, mechanisms = replace(self.tree, joints=joints), self.mechanisms
            prepared[Model] = Model(tree, replace(mechanisms, friction={})).with_loads(*self.loads)
        found: Model = prepared[Model]
        return found

    def friction_effort(
        self, velocity: npt.ArrayLike, position: npt.ArrayLike | None = None
    ) -> Floats:
        """Return the efforts that overcome the friction alone.

        With them, ``compute(position, velocity).actuator_effort`` is the sum of that with
        ``friction=False`` and this.

        Parameters
        ----------
        velocity : (..., v) array_like
            As for `compute`.
        position : (..., p) array_like, optional
            Required if there is friction at a joint that a linear actuator or a loop moves: how
            much of it an actuator feels depends on the position.

        Returns
        -------
        (..., a) array
            Of the actuators (N or N m), zero at rest.

        Raises
        ------
        InputError
            For an array of the wrong shape, values that are not finite, or a missing position.
        OutOfReachError
            As `compute`.

        Examples
        --------
        >>> import numpy as np
        >>> from charmie_dynamics import load_model
        >>> model = load_model()  # the friction of CHARMIE is not known
        >>> bool(model.friction_effort(np.ones((5, 21))).any())
        False
        """
        laws = self.flat.mechanisms.friction
        names = self.position_names, self.velocity_names
        (p, v), leading = in_rows(INPUTS[:2], (position, velocity), names)
        if v is None:
            raise InputError(f"velocity: expected shape (..., {len(names[1])}), got None")
        require_finite("velocity", v if leading else v[0], self.velocity_names)
        if AT_JOINT not in laws.friction_place:
            found = friction_of_coordinates(laws, AT_ACTUATOR, v)[:, self.actuator_index]
        elif p is None:
            raise InputError(
                f"position: expected shape (..., {len(names[0])}), since friction acts "
                "at joints that linear actuators or loops move; got none"
            )
        elif self.flat.sizes.r:
            smooth = self.without_friction()
            # any acceleration that keeps the loops closed
            motion = p, v, smooth.forward(p, v).acceleration
            found = self.compute(*motion).actuator_effort - smooth.compute(*motion).actuator_effort
        else:
            found = self.equations(p, v).friction_effort[:, self.actuator_index]
        return found.reshape(*leading, len(self.actuator_index))

    def open_tree(self) -> Model:
        """Return the bare tree: without linear actuators, other mechanisms and friction.

        Its actuators are the joints. Gravity, payloads, wrenches and the rotors of joints are those
        of this robot.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> tree = model.open_tree()
        >>> tree.actuator_names[3:5]
        ('lift_joint', 'torso_joint')
        >>> state = model.compute(model.zero_position())
        >>> effort = tree.compute(state.joint_position).actuator_effort
        >>> bool(abs(effort - state.generalized_force).max() < 1e-9)
        True
        """
        mechanisms = self.mechanisms
        linear = {part.name for part in mechanisms.linear_actuators}
        bare = MechanismSet(
            gravity=mechanisms.gravity,
            base_body=mechanisms.base_body,
            rotors={name: own for name, own in mechanisms.rotors.items() if name not in linear},
        )
        return Model(self.without_friction().tree, bare).with_loads(*self.loads)
