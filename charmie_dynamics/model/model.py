# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Facade of the package: the methods of a robot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from charmie_dynamics.numerics.vectors import Floats, Ints

from . import (
    assembly,
    closed_poses,
    contributions,
    derivatives,
    forward_dynamics,
    friction,
    inverse_dynamics,
    inverse_kinematics,
    robots,
)
from .assembly import AssembledMotion
from .closed_poses import SingularPosition
from .contributions import Contributions
from .description.description_warnings import DescriptionWarning
from .description.mechanisms import MechanismSet
from .description.mechanisms.added_joints import with_added_joints
from .description.mechanisms.cylinders import with_cylinders
from .description.package_robots import DEFAULT, PACKAGE_ROBOTS
from .description.robot import Limit, RobotTree
from .equations import equations_of_motion, jacobians, regressor
from .equations.constraints import LoopConstraints, loop_constraints
from .equations.file_parameters import file_parameters
from .equations.jacobians import ORIGIN, Point
from .equations.results import Derivatives, Energy, Equations, ForwardDerivatives
from .flat import actuators, positions
from .flat.block_layout import BlockLayout
from .flat.census import Census, take_census
from .flat.checks import checked_motion
from .flat.flat_robot import FlatRobot
from .flat.prepared_robot import PreparedRobot
from .inverse_kinematics import InverseKinematics
from .loads import Payload, Wrench
from .state import State

_, DEFAULT_URDF, DEFAULT_MECHANISMS = PACKAGE_ROBOTS[DEFAULT]


class Model:
    """A robot, ready to compute.

    Its methods are calls of functions of `robot` and arrays: one function for each algorithm, in
    the module with its name. Quantities are in the coordinates of the actuators, with loops,
    springs and balance mechanisms; `open_tree` is the robot without them, in coordinates of joints.

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
    robot : PreparedRobot
        The data of the robot, with its kernels.

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
        tree, mechanisms = with_added_joints(tree, mechanisms, source)
        self.robot = robots.prepare_robot(*with_cylinders(tree, mechanisms, source), source)

    @staticmethod
    def of(robot: PreparedRobot) -> Model:
        """Return the model of a prepared robot."""
        model = Model.__new__(Model)
        model.robot = robot
        return model

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

    @property
    def tree(self) -> RobotTree:
        """Links and joints, step 1."""
        return self.robot.tree

    @property
    def mechanisms(self) -> MechanismSet:
        """Linear actuators, springs and other mechanisms, step 1."""
        return self.robot.mechanisms

    @property
    def flat(self) -> FlatRobot:
        """Arrays of the kernels, step 2, with loads."""
        return self.robot.flat

    @property
    def layout(self) -> BlockLayout:
        """Place of each array of a state in its block."""
        return self.robot.layout

    @property
    def loads(self) -> tuple[Mapping[str, Payload], Mapping[str, Wrench]]:
        """Payloads and wrenches, by link."""
        return self.robot.loads

    @property
    def name(self) -> str:
        """Name of the robot."""
        return self.tree.name

    @property
    def position_names(self) -> tuple[str, ...]:
        """Names of the p numbers of position; the order of all arrays of positions.

        Those of the actuators where there is nothing else. A floating joint has x, y, z, qx, qy,
        qz, qw of the child in the parent, a planar one x, y and the angle about its normal.
        """
        return self.flat.position_names

    @property
    def velocity_names(self) -> tuple[str, ...]:
        """Names of the v numbers of velocity; the order of velocities and accelerations.

        A floating joint has the linear, then the angular velocity, in the axes of the child.
        """
        return self.flat.velocity_names

    @property
    def actuator_names(self) -> tuple[str, ...]:
        """Names of the a actuators; the order of all arrays of efforts.

        Floating and planar joints have none.
        """
        return self.flat.actuator_names

    @property
    def actuator_index(self) -> Ints:
        """Which of the v numbers of velocity are those of the actuators, (a,)."""
        return self.flat.actuator_index

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the v coordinates of the independent joints, each in the place of its actuator.

        That of the joint, or ``joint/number`` for a joint with several, see `velocity_names`.
        """
        return self.flat.joint_names

    @property
    def frame_names(self) -> tuple[str, ...]:
        """Names of all frames: the links, parents first, then the auxiliary bodies."""
        return self.flat.frame_names

    @property
    def spring_names(self) -> tuple[str, ...]:
        """Names of the springs, those of the balance mechanisms included."""
        return self.flat.spring_names

    @property
    def effort_units(self) -> tuple[str, ...]:
        """Unit of each actuator's effort: "N" for linear actuators and slides, else "N m"."""
        return actuators.effort_units(self.robot)

    @property
    def warnings(self) -> tuple[DescriptionWarning, ...]:
        """Warnings of impossible or unsupported parts of the URDF, in the order of the file.

        Links with moments of inertia that no body has or that are larger than the robot, mimic
        joints without a leader, and elements that have a physical meaning and are not read. With
        impossible moments the mass matrix need not be positive definite, so that what inverts it
        may fail.
        """
        return self.tree.warnings

    @property
    def total_mass(self) -> float:
        """Mass of all bodies (kg)."""
        return float(self.flat.tree.mass.sum())

    @property
    def has_friction(self) -> bool:
        """Whether the files define friction of any joint or actuator."""
        return bool(self.flat.sizes.e)

    @property
    def has_passive_coordinates(self) -> bool:
        """Whether there are coordinates that no actuator moves."""
        return len(self.actuator_names) < len(self.velocity_names)

    def census(self) -> Census:
        """Count rigid bodies and joints, auxiliary ones included.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> load_model().census()
        Census(rigid_bodies=40, revolute=34, prismatic=10, fixed=3)
        """
        return take_census(self.tree, self.mechanisms)

    def actuator_limits(self) -> tuple[Limit, ...]:
        """Return range, rated effort and rated velocity of each actuator.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> model.actuator_names[3], model.actuator_limits()[3]
        ('lift_actuator', Limit(lower=0.38, upper=0.5813, effort=200.0, velocity=0.1))
        """
        return actuators.actuator_limits(self.robot)

    def reach(self, actuator: str) -> tuple[float, float]:
        """Return the shortest and longest length (m) at which a linear actuator's loop closes.

        The mechanisms on the body that it moves count as parts of the loop.

        Raises
        ------
        UnknownNameError
            If there is no linear actuator of that name.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> shortest, longest = model.reach("lift_actuator")
        >>> print(f"{shortest:.3f} to {longest:.3f} m")
        0.299 to 0.690 m
        """
        return actuators.reach(self.robot, actuator)

    def actuator_from_joint(
        self, joint: str, position: float, velocity: float = 0.0, acceleration: float = 0.0
    ) -> tuple[float, float, float]:
        """Return the state of the linear actuator that puts its joint into a given state.

        Parameters
        ----------
        joint : str
            A joint that is moved by a linear actuator.
        position, velocity, acceleration : float
            Of the joint (rad or m, per s, per s^2).

        Returns
        -------
        length, rate, acceleration : float
            Of the actuator (m, m/s, m/s^2).

        Raises
        ------
        UnknownNameError
            If no linear actuator moves such a joint.
        OutOfReachError
            If the joint is at or beyond a dead centre of the loop, where the length would
            mean another joint position.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> length, rate, _ = model.actuator_from_joint("torso_joint", 0.2, velocity=0.1)
        >>> print(f"{length:.4f} m, {rate:.4f} m/s")
        0.4498 m, 0.0082 m/s
        """
        return actuators.actuator_from_joint(self.robot, joint, position, velocity, acceleration)

    def zero_position(self) -> Floats:
        """Return the positions (p,) that put every joint at zero, floating ones without a turn.

        The length of a linear actuator on the inverted branch is that with its joint at zero, too;
        there it means the other joint position.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> print(model.zero_position()[3:5].round(4))  # m, lift and torso actuator
        [0.5813 0.4324]
        """
        return positions.zero_position(self.robot)

    def rest_position(self) -> Floats:
        """Return the positions (p,) of the rest pose of the mechanisms file.

        Actuators that it does not name are in the middle of their range, or as near to zero as
        possible if that is wider than 2 pi (rad or m). All other coordinates are zero, unless it
        names them.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> float(model.rest_position()[model.position_names.index("left_arm_joint_2")])
        1.35
        """
        return positions.rest_position(self.robot)

    def position_rate(self, position: npt.ArrayLike, velocity: npt.ArrayLike) -> Floats:
        """Return how the positions change with a velocity.

        That is the velocity itself, but for floating joints: x' = R v, and q' = q (w, 0) / 2 of the
        quaternion q, with the linear part v and the angular part w in the axes of the child.

        Parameters
        ----------
        position : (..., p) array_like
        velocity : (..., v) array_like

        Returns
        -------
        (..., p) array

        Raises
        ------
        InputError
            For an array of the wrong shape, or values that are not finite.

        Examples
        --------
        >>> import numpy as np
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> velocity = np.ones(21)
        >>> bool((model.position_rate(model.zero_position(), velocity) == velocity).all())
        True
        """
        return positions.position_rate(self.robot, position, velocity)

    def normalised_position(self, position: npt.ArrayLike) -> Floats:
        """Return positions (..., p) with the quaternions of floating joints of length one.

        Raises
        ------
        InputError
            For an array of the wrong shape, values that are not finite, or a quaternion of zeros.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> position = model.zero_position()
        >>> bool((model.normalised_position(position) == position).all())
        True
        """
        return positions.normalised_position(self.robot, position)

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
        return Model.of(robots.with_loads(self.robot, payloads or {}, wrenches or {}))

    def without_friction(self) -> Model:
        """Return this robot without friction; the robot itself if its files define none.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()  # the friction of CHARMIE is not known
        >>> model.without_friction() is model
        True
        """
        robot = robots.without_friction(self.robot)
        return self if robot is self.robot else robot.cache[Model.of]

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
        return Model.of(robots.open_tree(self.robot))

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
        motion = position, velocity, acceleration
        return inverse_dynamics.compute(self.robot, motion, friction, workers)

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
        motion = position, velocity, acceleration
        return inverse_dynamics.kinematics(self.robot, motion, workers)

    def forward(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        effort: npt.ArrayLike | None = None,
        *,
        friction: bool = True,
        workers: int | None = None,
    ) -> State:
        """Return the state to which efforts lead: forward dynamics.

        Parameters
        ----------
        position : (..., p) array_like
            As for `compute`.
        velocity : (..., v) array_like, optional
            Zero if omitted.
        effort : (..., a) array_like, optional
            Of the actuators (N or N m); zero if omitted.
        friction : bool
            Whether the friction that the files define acts.
        workers : int, optional
            Number of threads for many states; all cores if omitted.

        Returns
        -------
        State
            Its ``acceleration`` is the result, its ``actuator_effort`` the given effort. Loads are
            computed on first access.

        Raises
        ------
        InputError, OutOfReachError
            As `compute`; for efforts that are not finite it names the actuator. Loop joints may
            be open by what integration leaves.
        MassMatrixError
            If a joint, or several together, move no mass, or so little that no digit of an
            acceleration would be right.

        Notes
        -----
        By articulated bodies (Featherstone, Rigid Body Dynamics Algorithms, 2008, section 7.3), in
        time linear in the bodies; with loop joints by the mass matrix and the constraints.

        Examples
        --------
        >>> import numpy as np
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> position = model.zero_position()
        >>> effort = model.compute(position).actuator_effort  # holds it still
        >>> state = model.forward(position, effort=effort)
        >>> bool(abs(state.acceleration).max() < 1e-9)
        True
        """
        inputs = position, velocity, effort
        return forward_dynamics.forward(self.robot, inputs, friction, workers)

    def equations(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        *,
        friction: bool = True,
        workers: int | None = None,
    ) -> Equations:
        """Return the terms of the equations of motion.

        Parameters
        ----------
        position : (..., p) array_like
            As for `compute`.
        velocity : (..., v) array_like, optional
            Zero if omitted.
        friction : bool
            Include the friction that the files define; otherwise `friction_effort` is zero.
        workers : int, optional
            Number of threads for many states; all cores if omitted.

        Returns
        -------
        Equations
            ``mass_matrix``, ``coriolis_matrix`` (..., k, k), ``gravity_effort``,
            ``spring_effort``, ``external_effort``, ``friction_effort`` (..., k), for the k
            coordinates that are not passive; k = v without loop joints.

        Raises
        ------
        InputError, OutOfReachError
            As `compute`.
        LoopError
            If the loops leave a passive joint free.
        UnsupportedError
            If loop joints leave fewer motions than there are actuators.

        Notes
        -----
        With loop joints the terms are in the coordinates that are not passive, in the order of
        `velocity_names`: with the motion v = G u of all coordinates by that of these, they are
        G^T M G, G^T (C G + M G'), and G^T times the efforts. Idle motions (`LoopConstraints.idle`)
        accelerate as they do without effort; the effort for their velocity, which exists while the
        actuators rest as well, is part of ``external_effort``.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> equations = model.equations(model.zero_position())
        >>> print(equations.mass_matrix[0, 0].round(2))  # kg: the whole mass, along x
        57.82
        """
        motion = position, velocity, None
        return equations_of_motion.equations(self.robot, motion, friction, workers)

    def energy(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        *,
        workers: int | None = None,
    ) -> Energy:
        """Return kinetic, gravitational (zero: origin of the world) and elastic energy (J).

        Parameters
        ----------
        position, velocity : (..., p) and (..., v) array_like
            As for `equations`.
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
        >>> energy = model.energy(model.zero_position())
        >>> f"{energy.gravitational:.1f} J, {energy.elastic:.1f} J"
        '333.0 J, 32.7 J'
        """
        return equations_of_motion.energy(self.robot, (position, velocity, None), workers)

    def jacobian(
        self,
        position: npt.ArrayLike,
        frame: str,
        point: Point = ORIGIN,
        *,
        workers: int | None = None,
    ) -> Floats:
        """Return how the motion of a point depends on the velocities of the actuators.

        Parameters
        ----------
        position : (..., p) array_like
            As for `compute`.
        frame : str
            Name of a link or of an auxiliary body.
        point : (3,) sequence
            Fixed in that frame (m); its origin if omitted.
        workers : int, optional
            Number of threads for many states; all cores if omitted.

        Returns
        -------
        (..., 6, v) array
            Three rows of the point's velocity, then three of the angular velocity of the frame;
            world axes.

        Raises
        ------
        UnknownNameError
            If there is no such frame.
        InputError, OutOfReachError
            As `compute`; and for an invalid point.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> jacobian = model.jacobian(model.zero_position(), "left_tool", point=(0, 0, 0.1))
        >>> print(jacobian[2, 3].round(3))  # of the lift actuator, upwards: geared up
        1.014
        """
        return jacobians.jacobian(self.robot, position, frame, point, workers)

    def inverse_kinematics(
        self,
        frame: str,
        position: npt.ArrayLike,
        rotation: npt.ArrayLike | None = None,
        *,
        direction: npt.ArrayLike | None = None,
        axis: Point = (0.0, 0.0, 1.0),
        point: Point = ORIGIN,
        start: npt.ArrayLike | None = None,
        actuators: Sequence[str] | None = None,
        restarts: int = 100,
        seed: int = 0,
        tolerance: float = 1e-9,
        partial: bool = False,
        workers: int | None = None,
    ) -> InverseKinematics:
        """Return positions of the robot, within the limits, that bring a frame to its target.

        Loops are closed, on the branch of the start. Without a rotation and a direction only the
        position is a target.

        Parameters
        ----------
        frame : str
            Name of a link or of an auxiliary body.
        position : (..., 3) array_like
            Target of the point (m), world axes. The leading axes of all arguments broadcast.
        rotation : (..., 3, 3) array_like, optional
            Target of the frame's rotation matrix.
        direction : (..., 3) array_like, optional
            Target of the axis, world axes, of any length; the frame may turn about it.
        axis : (3,) sequence
            Direction in the frame; its z axis if omitted.
        point : (3,) sequence
            Fixed in the frame (m); its origin if omitted.
        start : (..., p) array_like, optional
            Where the search begins, `rest_position` if omitted. Coordinates that do not move
            stay there.
        actuators : sequence of str, optional
            Names of those that may move; all that move the frame if omitted.
        restarts : int
            Number of searches from random positions, if that from the start fails. Of ranges wider
            than 2 pi (rad or m) they are within pi of the start.
        seed : int
            Of the random positions, which all targets have in common.
        tolerance : float
            Largest error of the position (m) and of the rotation (rad).
        partial : bool
            Whether targets may be missed: their ``position`` is not a number, and ``reached`` is
            False. Otherwise they are an error.
        workers : int, optional
            Number of threads for many targets; all cores if omitted.

        Returns
        -------
        InverseKinematics
            ``position`` (..., p), ``reached``, ``position_error``, ``rotation_error``,
            ``iterations`` (...). The results of many targets equal those of single calls.

        Raises
        ------
        OutOfReachError
            If no position was found for a target; names the frame, the target and the least error.
            If the start has no pose.
        UnknownNameError
            If there is no such frame or actuator.
        InputError
            For an array of the wrong shape, values that are not finite, a matrix that is no
            rotation, a start beyond the limits, or actuators that do not move the frame.

        Examples
        --------
        A gripper at an upright can: its y axis is vertical, whatever side it comes from.

        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> target = [-0.3, 0.6, 0.8]
        >>> options = {"direction": [0, 0, 1], "axis": (0, 1, 0)}
        >>> found = model.inverse_kinematics("left_tool", target, **options)
        >>> print(model.kinematics(found.position).frame("left_tool")[0].round(6))
        [-0.3  0.6  0.8]
        """
        return inverse_kinematics.inverse_kinematics(
            self.robot,
            frame,
            position,
            rotation,
            direction=direction,
            axis=axis,
            point=point,
            start=start,
            actuators=actuators,
            restarts=restarts,
            seed=seed,
            tolerance=tolerance,
            partial=partial,
            workers=workers,
        )

    @property
    def inertial_parameters(self) -> Floats:
        """Inertial parameters (10 n,) of the n links, payloads included, link by link.

        Ten of each, in its own axes: mass m (kg), m c (3) with its centre of mass c, and the
        inertia about its origin xx, xy, yy, xz, yz, zz (kg m^2).
        """
        return regressor.inertial_parameters(self.robot)

    @property
    def inertial_parameter_names(self) -> tuple[str, ...]:
        """Names of the inertial parameters: those of the link and of the parameter."""
        return regressor.inertial_parameter_names(self.robot)

    def regressor(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        acceleration: npt.ArrayLike | None = None,
        *,
        workers: int | None = None,
    ) -> Floats:
        """Return how the efforts depend on the inertial parameters, in which they are linear.

        Parameters
        ----------
        position, velocity, acceleration : (..., p), (..., v) and (..., v) array_like
            As for `compute`.
        workers : int, optional
            Number of threads for many states; all cores if omitted.

        Returns
        -------
        (..., v, 10 n) array
            Efforts less those of springs, wrenches and friction, and less those that accelerate
            rotors (`rotor_effort`) = regressor @ inertial_parameters.

            With loop joints its rows are those of `equations`.

        Raises
        ------
        InputError, OutOfReachError, LoopError, UnsupportedError
            As `equations`.

        Examples
        --------
        >>> import numpy as np
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> position = model.zero_position()
        >>> effort = model.regressor(position) @ model.inertial_parameters
        >>> effort += model.equations(position).spring_effort
        >>> bool(np.allclose(effort, model.compute(position).actuator_effort))
        True
        """
        motion = position, velocity, acceleration
        return regressor.regressor(self.robot, motion, workers)

    def rotor_effort(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        acceleration: npt.ArrayLike | None = None,
    ) -> Floats:
        """Return the efforts of the actuators that accelerate the rotors of motors.

        The regressor does not contain them: actuator efforts = regressor @ inertial_parameters +
        rotor_effort + spring_effort + external_effort + friction_effort.

        Parameters
        ----------
        position, velocity, acceleration : (..., p), (..., v) and (..., v) array_like
            As for `compute`.

        Returns
        -------
        (..., v) array
            N m or N; with loop joints in the coordinates of `equations`.

        Raises
        ------
        InputError, OutOfReachError
            As `compute`.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model("scara")
        >>> model.rotor_effort(model.zero_position()).tolist()  # no rotors
        [0.0, 0.0, 0.0, 0.0, 0.0]
        """
        return derivatives.rotor_effort(self.robot, (position, velocity, acceleration))

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
        return friction.friction_effort(self.robot, velocity, position)

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
            In the coordinates of `velocity_names` that are not passive. A payload is part of the
            link that holds it; springs and friction are separate.

        Raises
        ------
        InputError, OutOfReachError
            As `compute`.
        UnsupportedError
            As `equations`.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> found = model.contributions(model.zero_position())
        >>> total = found.gravity_effort.sum(axis=0) + found.spring_effort
        >>> print(total[3:5].round(2))  # lift and torso actuator, N
        [ 74.21 -44.04]
        """
        return contributions.contributions(self.robot, (position, velocity, None))

    @property
    def parameters(self) -> dict[str, float]:
        """Values of all parameters of the files by which there are derivatives, by their names.

        Those of the mechanisms file that efforts depend on, by their paths in it, those of the
        links' inertials: mass, centre of mass ``com``, inertia about it along the link's axes, and
        ``damping`` and ``friction`` of joints.
        """
        return {name: each.value for name, each in file_parameters(self.robot).items()}

    def derivatives(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        acceleration: npt.ArrayLike | None = None,
        *,
        parameters: Sequence[str] = (),
        friction: bool = True,
        workers: int | None = None,
    ) -> Derivatives:
        """Return the derivatives of the efforts of the actuators, exact but for round-off.

        Parameters
        ----------
        position, velocity, acceleration : (..., p), (..., v) and (..., v) array_like
            As for `compute`.
        parameters : sequence of str
            Names of `parameters` by which there are derivatives, too.
        friction : bool
            As for `compute`. Its slope is the one below the transition speed where a
            velocity is smaller than that, zero included.
        workers : int, optional
            Number of threads for many states; all cores if omitted.

        Returns
        -------
        Derivatives
            ``effort_by_position``, ``effort_by_velocity``, ``effort_by_acceleration`` (..., k, k),
            ``effort_by_parameter`` (..., k, n), for the k coordinates of `equations` and the n
            parameters.

        Raises
        ------
        InputError, OutOfReachError
            As `compute`; InputError for a number that cannot change by itself, too.
        UnknownNameError
            If there is no number of a name.
        LoopError, UnsupportedError
            As `equations`.

        Notes
        -----
        With loop joints they are those of the efforts by the motion of the coordinates that are not
        passive, in the order of `equations`; all others follow. Idle motions keep their position
        and velocity. The accelerations of passive coordinates are not read.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> position = model.zero_position()
        >>> derivatives = model.derivatives(position, parameters=["springs.torso_spring.stiffness"])
        >>> print(derivatives.effort_by_position[4, 4].round(1))  # N/m, torso actuator
        -4949.9
        >>> print(derivatives.effort_by_parameter[4].round(4))  # N by N/m
        [-0.0044]
        """
        motion = position, velocity, acceleration
        return derivatives.derivatives(self.robot, motion, parameters, friction, workers)

    def forward_derivatives(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        effort: npt.ArrayLike | None = None,
        *,
        parameters: Sequence[str] = (),
        friction: bool = True,
        workers: int | None = None,
    ) -> ForwardDerivatives:
        """Return the derivatives of the accelerations to which efforts lead.

        Parameters
        ----------
        position, velocity, effort
            As for `forward`.
        parameters : sequence of str
            As for `derivatives`.
        friction : bool
            As for `forward`.
        workers : int, optional
            Number of threads for many states; all cores if omitted.

        Returns
        -------
        ForwardDerivatives
            ``acceleration_by_position``, ``acceleration_by_velocity``, ``acceleration_by_effort``
            (..., k, k), ``acceleration_by_parameter`` (..., k, n), as for `derivatives`.

        Raises
        ------
        InputError, OutOfReachError, MassMatrixError
            As `forward`.
        LoopError, UnsupportedError
            As `equations`.

        Notes
        -----
        With loop joints they are those of the coordinates that are not passive, as `derivatives`.

        Examples
        --------
        >>> import numpy as np
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> position = model.zero_position()
        >>> derivatives = model.forward_derivatives(position)
        >>> mass_matrix = model.equations(position).mass_matrix
        >>> product = mass_matrix @ derivatives.acceleration_by_effort
        >>> bool(np.allclose(product, np.eye(21)))
        True
        """
        inputs = position, velocity, effort
        return forward_dynamics.forward_derivatives(
            self.robot, inputs, parameters, friction, workers
        )

    def assemble(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        acceleration: npt.ArrayLike | None = None,
    ) -> AssembledMotion:
        """Return the motion of the passive joints that closes the loops.

        Positions by Newton's method, velocities and accelerations by linear equations (kinematic
        analysis, contact paper, figure 3). The motion of all others is kept.

        Idle motions, as the spin of a rod between two ball joints, keep their position and
        velocity (the shortest step), and are accelerated such that they need no effort;
        `LoopConstraints.idle` names them.

        Parameters
        ----------
        position : (..., p) array_like
            Of all coordinates; that of passive joints is where the search begins, and decides
            between several ways to close the loops. Quaternions of passive floating joints are
            normalised, and zeros become no rotation.
        velocity, acceleration : (..., v) array_like, optional
            Of all coordinates, zero if omitted; those of passive joints count for idle
            motions only.

        Returns
        -------
        AssembledMotion
            ``position``, ``velocity``, ``acceleration``: copies.

        Raises
        ------
        OutOfReachError
            If a loop cannot be closed; names the loop joint and by how much it stays open.
        LoopError
            If the loops leave a passive joint free, as in a singular position; names it.
        InputError
            As `compute`; and where driven joints contradict each other.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.model.description.files import share_file
        >>> files = share_file("robots", "four_bar.urdf"), share_file("robots", "four_bar.yaml")
        >>> model = load_model(*files)
        >>> motion = model.assemble([0.5, 0.0, 0.0], velocity=[1.0, 0.0, 0.0])
        >>> print(motion.position.round(4), motion.velocity.round(4))
        [ 0.5    -0.5595  0.1539] [ 1.     -1.2088  0.2141]
        """
        return assembly.assemble(self.robot, (position, velocity, acceleration))

    def project(
        self, position: npt.ArrayLike, velocity: npt.ArrayLike | None = None
    ) -> tuple[Floats, Floats]:
        """Return a position and a velocity near the given ones with which the loops are closed.

        All coordinates may move, driven ones as well. Each step of Newton's method and the change
        of velocity are the shortest in the sense of least squares, with 1 m for 1 rad.

        Parameters
        ----------
        position : (..., p) array_like
        velocity : (..., v) array_like, optional
            Zero if omitted.

        Returns
        -------
        position, velocity : (..., p), (..., v) array

        Raises
        ------
        OutOfReachError
            If a loop cannot be closed.
        InputError
            As `compute`.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.model.description.files import share_file
        >>> files = share_file("robots", "four_bar.urdf"), share_file("robots", "four_bar.yaml")
        >>> model = load_model(*files)
        >>> position, velocity = model.project([0.5, -0.6, 0.1])
        >>> print(position.round(3))
        [ 0.516 -0.578  0.157]
        """
        motion = assembly.project(self.robot, (position, velocity, None))
        return motion.position, motion.velocity

    def closed_pose(
        self,
        driven: npt.ArrayLike | Mapping[str, float],
        near: npt.ArrayLike | None = None,
        branch: npt.ArrayLike | None = None,
    ) -> Floats:
        """Return the position with closed loops for positions of the driven coordinates.

        An assembly branch consists of the closed positions that motions reach from one of them
        without a singular position on the way. Linear actuators select theirs by ``branch`` in the
        mechanisms file.

        Parameters
        ----------
        driven : (..., n) array_like, or mapping of str to float
            Positions of the coordinates that are not passive, in the order of `position_names`. A
            mapping names some coordinates; the others are those of `near` or `branch`.
        near : (p,) array_like, optional
            Where the search for passive positions begins, see `assemble`; that position need not be
            closed, and the result may be on another branch than nearby ones. Default:
            `rest_position`.
        branch : (p,) array_like, optional
            A closed position, instead of `near`: the result is on its branch. It is followed along
            the straight path of the driven coordinates.

        Returns
        -------
        (..., p) array

        Raises
        ------
        OutOfReachError
            If the loops cannot be closed, or not on the branch; names the loop joint or linear
            actuator.
        LoopError
            If a singular position is on the way, or there; names the passive coordinate.
        InputError, UnknownNameError
            For wrong shapes and names.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model("four_bar")
        >>> one = model.closed_pose({"crank_joint": 0.5})
        >>> other = model.closed_pose([0.5], near=[0.5, 2.0, 3.0])
        >>> print(one.round(4), other.round(4))
        [ 0.5    -0.5595  0.1539] [0.5    1.555  4.0065]
        >>> print(model.closed_pose([1.5], branch=other).round(4))
        [1.5    0.2932 3.4561]
        """
        return closed_poses.closed_pose(self.robot, driven, near, branch)

    def random_poses(
        self,
        count: int,
        seed: int | np.random.Generator = 0,
        branch: npt.ArrayLike | None = None,
    ) -> Floats:
        """Return random positions with closed loops, within the limits, on one assembly branch.

        Positions of the actuators are uniform within their limits and the reach of linear
        actuators; a missing limit is half a turn, or 1 m, from zero, or from the other limit if
        that is farther. Those that no straight path from `branch` reaches, see `closed_pose`, and
        those with passive joints beyond their limits are drawn again.

        Parameters
        ----------
        count : int
        seed : int or numpy.random.Generator
            Equal seeds give equal results.
        branch : (p,) array_like, optional
            A closed position; other driven coordinates, such as those of a floating base, stay
            there. Default: closed from `rest_position`, or from `zero_position` if it is out of
            reach.

        Returns
        -------
        (count, p) array

        Raises
        ------
        InputError
            If 1000 random positions in sequence are rejected.
        OutOfReachError, LoopError
            If the loops are not closed at `branch`, or singular.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model("delta")
        >>> poses = model.random_poses(3, seed=1)
        >>> poses.shape, bool(abs(model.constraints(poses[2]).error).max() < 1e-12)
        ((3, 21), True)
        """
        return closed_poses.random_poses(self.robot, count, seed, branch)

    def singular_positions(
        self,
        path: npt.ArrayLike,
        times: npt.ArrayLike | None = None,
        *,
        near: npt.ArrayLike | None = None,
        branch: npt.ArrayLike | None = None,
        least: float = 1e-3,
    ) -> tuple[SingularPosition, ...]:
        """Return where a path crosses, touches or ends at a singular position.

        The path is straight between its rows. The loops are followed in steps of at most 0.2 rad
        or m of their coordinates, and shorter near singular positions.

        Parameters
        ----------
        path : (k, n) or (k, p) array_like
            Positions of the driven coordinates as of `closed_pose`, such as those of
            `Motion.sampled`, or of all coordinates; passive ones are read in the first row only.
        times : (k,) array_like, optional
            Of the rows (s); default: their numbers.
        near, branch : (p,) array_like, optional
            As for `closed_pose`, for the first row.
        least : float
            Minima of the conditioning below it are returned.

        Returns
        -------
        tuple of SingularPosition
            In the order of the path. It ends where the loops cannot be closed.

        Raises
        ------
        OutOfReachError, LoopError
            If the loops are not closed, or singular, in the first row.
        InputError
            For wrong shapes.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model("four_bar")
        >>> model.singular_positions([[0.0], [3.0], [7.0]])
        ()
        """
        return closed_poses.singular_positions(self.robot, path, times, near, branch, least)

    def constraints(
        self, position: npt.ArrayLike, velocity: npt.ArrayLike | None = None
    ) -> LoopConstraints:
        """Return the constraints of the loop joints: Jacobian, rank, the motions that they leave.

        They are those of one state, since their rank differs between states.

        Parameters
        ----------
        position : (p,) array_like
            The loops need not be closed.
        velocity : (v,) array_like, optional
            Zero if omitted.

        Raises
        ------
        InputError, OutOfReachError
            As `compute`.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.model.description.files import share_file
        >>> files = share_file("robots", "four_bar.urdf"), share_file("robots", "four_bar.yaml")
        >>> model = load_model(*files)
        >>> constraints = model.constraints(model.zero_position())
        >>> len(constraints.rows), constraints.rank, constraints.mobility, constraints.undetermined
        (5, 2, 1, ('pin',))
        """
        motion = checked_motion(self.robot, (position, velocity, None))
        return loop_constraints(self.robot, motion)
