# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A robot by its description: names, limits, masses, and the motions that its loops allow."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from charmie_dynamics.core.inverse.floating_joints import run_normalisation, run_position_rate
from charmie_dynamics.core.inverse.linear_actuators import linear_actuator_of_joint
from charmie_dynamics.errors import (
    InputError,
    OutOfReachError,
    UnknownNameError,
    choices,
)
from charmie_dynamics.model.description.description_warnings import DescriptionWarning
from charmie_dynamics.model.description.mechanisms import MechanismSet
from charmie_dynamics.model.description.robot import Limit, RobotTree
from charmie_dynamics.numerics.jit import ready
from charmie_dynamics.numerics.vectors import Floats, Ints

from .census import Census, take_census
from .checks import are_many, checked, in_rows, of_rows
from .flatten import FlatRobot
from .reach import reach_of


class DescribedRobot:
    """Properties of a robot that need no computed cycle.

    Parameters
    ----------
    tree : RobotTree
    mechanisms : MechanismSet
    flat : FlatRobot
        Both as arrays.
    """

    def __init__(self, tree: RobotTree, mechanisms: MechanismSet, flat: FlatRobot) -> None:
        self.tree = tree
        self.mechanisms = mechanisms
        self.flat = flat
        # those that no actuator moves
        self.has_passive_coordinates = len(flat.actuator_names) < len(flat.velocity_names)
        self._driver_of = {
            actuator.joint: k for k, actuator in enumerate(mechanisms.linear_actuators)
        }

    @property
    def has_friction(self) -> bool:
        """Whether the files define friction of any joint or actuator.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> load_model().has_friction  # the friction of CHARMIE is not known
        False
        """
        return bool(self.flat.sizes.e)

    @property
    def name(self) -> str:
        """Name of the robot.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> load_model().name
        'charmie'
        """
        return self.tree.name

    @property
    def actuator_names(self) -> tuple[str, ...]:
        """Names of the a actuators; the order of all arrays of efforts.

        Floating and planar joints have none.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> load_model().actuator_names[:4]
        ('base_x_joint', 'base_y_joint', 'base_yaw_joint', 'lift_actuator')
        """
        return self.flat.actuator_names

    @property
    def position_names(self) -> tuple[str, ...]:
        """Names of the p numbers of position; the order of all arrays of positions.

        Those of the actuators where there is nothing else. A floating joint has x, y, z, qx, qy,
        qz, qw of the child in the parent, a planar one x, y and the angle about its normal.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> model.position_names == model.actuator_names
        True
        """
        return self.flat.position_names

    @property
    def velocity_names(self) -> tuple[str, ...]:
        """Names of the v numbers of velocity; the order of velocities and accelerations.

        A floating joint has the linear, then the angular velocity, in the axes of the child.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> model.velocity_names == model.actuator_names
        True
        """
        return self.flat.velocity_names

    @property
    def actuator_index(self) -> Ints:
        """Which of the v numbers of velocity are those of the actuators, (a,).

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> load_model().actuator_index[:3]
        array([0, 1, 2])
        """
        return self.flat.actuator_index

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the v coordinates of the independent joints, each in the place of its actuator.

        That of the joint, or ``joint/number`` for a joint with several, see `velocity_names`.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> load_model().joint_names[:4]
        ('base_x_joint', 'base_y_joint', 'base_yaw_joint', 'lift_joint')
        """
        return self.flat.joint_names

    @property
    def effort_units(self) -> tuple[str, ...]:
        """Unit of each actuator's effort: "N" for linear actuators and slides, else "N m".

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> load_model().effort_units[2:5]
        ('N m', 'N', 'N')
        """
        slides = {joint.name for joint in self.tree.joints if joint.type == "prismatic"}
        pushing = slides | set(self._driver_of)
        names = np.array(self.joint_names)[self.actuator_index]
        return tuple("N" if name in pushing else "N m" for name in names.tolist())

    @property
    def frame_names(self) -> tuple[str, ...]:
        """Names of all frames: the links, parents first, then the auxiliary bodies.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> load_model().frame_names[-1]
        'lift_balance_right_spring_tip'
        """
        return self.flat.frame_names

    @property
    def spring_names(self) -> tuple[str, ...]:
        """Names of the springs, those of the balance mechanisms included.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> load_model().spring_names
        ('torso_spring', 'lift_balance_left', 'lift_balance_right')
        """
        return self.flat.spring_names

    @property
    def warnings(self) -> tuple[DescriptionWarning, ...]:
        """Warnings of impossible or unsupported parts of the URDF, in the order of the file.

        Links with moments of inertia that no body has or that are larger than the robot, mimic
        joints without a leader, and elements that have a physical meaning and are not read. With
        impossible moments the mass matrix need not be positive definite, so that what inverts it
        may fail.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> load_model().warnings
        ()
        """
        return self.tree.warnings

    @property
    def total_mass(self) -> float:
        """Mass of all bodies (kg).

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> round(load_model().total_mass, 2)
        57.82
        """
        return float(self.flat.tree.mass.sum())

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
        joints = {joint.name: joint.limit for joint in self.tree.joints}
        lengths = {a.joint: a.limit for a in self.mechanisms.linear_actuators}
        names = np.array(self.joint_names)[self.actuator_index].tolist()
        return tuple(lengths.get(name, joints[name]) for name in names)

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
        k = self._linear_actuator(actuator)
        return reach_of(self.flat, self.tree, self.mechanisms, k)

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
        k = self._driver_of.get(joint)
        if k is None:
            raise UnknownNameError(
                f"joint '{joint}' is not moved by a linear actuator"
                f"{choices(joint, self._driver_of)}"
            )
        convert = ready(linear_actuator_of_joint)
        blocks = self.flat.blocks.ints, self.flat.blocks.floats
        on_branch, *state = convert(*blocks, k, position, velocity, acceleration)
        if not on_branch:
            name = self.mechanisms.linear_actuators[k].name
            raise OutOfReachError(
                name,
                f"linear actuator '{name}': joint '{joint}' at {position:.6g} is at or beyond a "
                "dead centre of its loop, expected a position between the dead centres",
            )
        length, rate, acceleration = state
        return length, rate, acceleration

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
        position = np.zeros(len(self.position_names))
        position[self.flat.freedoms.scalar_entry] = 1.0
        for joint, k in self._driver_of.items():
            driver = self.mechanisms.linear_actuators[k]
            if driver.branch == "inverted":
                blocks = self.flat.blocks.ints, self.flat.blocks.floats
                _, length, *_ = ready(linear_actuator_of_joint)(*blocks, k, 0.0, 0.0, 0.0)
            else:
                length, _, _ = self.actuator_from_joint(joint, 0.0)
            position[self.position_names.index(driver.name)] = length
        return position

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
        names = self.position_names, self.velocity_names
        if are_many(position, velocity):
            rows, leading = in_rows(("position", "velocity"), (position, velocity), names)
            rates = of_rows(self.position_rate, rows)
            return rates.reshape(*leading, len(names[0]))
        p = checked("position", position, names[0])
        v = checked("velocity", velocity, names[1])
        rate = np.empty(len(p))
        ready(run_position_rate)(*self.flat.blocks.addresses, p, v, rate)
        return rate

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
        names = (self.position_names,)
        if are_many(position):
            rows, leading = in_rows(("position",), (position,), names)
            return of_rows(self.normalised_position, rows).reshape(*leading, len(names[0]))
        p = checked("position", position, names[0])
        for last in self.flat.freedoms.scalar_entry.tolist():
            if not p[last - 3 : last + 1].any():
                name = self.position_names[last].rpartition("/")[0]
                raise InputError(
                    f"position of '{name}': expected a quaternion x, y, z, w, got zeros"
                )
        ready(run_normalisation)(*self.flat.blocks.addresses, p)
        return p

    def _linear_actuator(self, name: str) -> int:
        names = [actuator.name for actuator in self.mechanisms.linear_actuators]
        if name not in names:
            raise UnknownNameError(f"linear actuator '{name}' is unknown{choices(name, names)}")
        return names.index(name)
