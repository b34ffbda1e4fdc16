"""The result of one computed cycle, or of a batch of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..core.arrays import Dynamics, Kinematics
from ..core.vectors import Floats
from .errors import CharmieError, UnknownNameError, choices
from .flatten import FlatRobot


@dataclass(frozen=True)
class State:
    """Everything that `Model.compute` found out; arrays are read-only and stay valid.

    After `Model.compute_batch` each array has a leading axis of N samples. World and body frames
    are those of the URDF; units are SI.

    Attributes
    ----------
    position, velocity, acceleration : (q,) array
        Of the actuators, as given.
    kinematics : Kinematics
        Raw results of steps 3 to 5.
    dynamics : Dynamics or None
        Raw results of steps 6 and 7; None after a purely kinematic computation.
    """

    position: Floats
    velocity: Floats
    acceleration: Floats
    kinematics: Kinematics
    dynamics: Dynamics | None
    robot: FlatRobot = field(repr=False)
    frame_index: Mapping[str, int] = field(repr=False)
    base_body: int = field(repr=False)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the q independent joints, in the order of the URDF."""
        return self.robot.joint_names

    @property
    def joint_position(self) -> Floats:
        """Joint positions (q,), in rad or m, converted from the actuators."""
        return self.kinematics.joint_position

    @property
    def joint_velocity(self) -> Floats:
        """Joint velocities (q,), in rad/s or m/s."""
        return self.kinematics.joint_velocity

    @property
    def joint_acceleration(self) -> Floats:
        """Joint accelerations (q,), in rad/s^2 or m/s^2."""
        return self.kinematics.joint_acceleration

    @property
    def actuator_effort(self) -> Floats:
        """Force or torque (q,) of each actuator, positive along its increasing position."""
        return self._dynamics().actuator_effort

    @property
    def generalized_force(self) -> Floats:
        """Inverse dynamics (q,) of the open tree: without springs, balances and actuators."""
        return self._dynamics().generalized_force

    @property
    def base_wrench(self) -> tuple[Floats, Floats]:
        """Force (3,) and torque (3,) on the base body by what carries it, its axes and origin."""
        dynamics = self._dynamics()
        i = self.base_body
        return dynamics.link_force[..., i, :], dynamics.link_torque[..., i, :]

    @property
    def spring_length(self) -> dict[str, Floats]:
        """Length (m) of each spring and of each balance mechanism's spring, by name."""
        lengths = self.kinematics.spring_length
        return {name: lengths[..., k] for k, name in enumerate(self.robot.spring_names)}

    @property
    def spring_tension(self) -> dict[str, Floats]:
        """Tension (N) of each spring and of each balance mechanism's spring, by name."""
        tensions = self._dynamics().spring_tension
        return {name: tensions[..., k] for k, name in enumerate(self.robot.spring_names)}

    def frame(self, name: str) -> tuple[Floats, Floats]:
        """Return where a frame is in the world.

        Parameters
        ----------
        name : str
            A link of the URDF or an auxiliary body, see `Model.frame_names`.

        Returns
        -------
        p_world_frame : (3,) array
        R_world_frame : (3, 3) array

        Raises
        ------
        UnknownNameError
            If there is no such frame.
        """
        i = self.frame_index.get(name)
        if i is None:
            raise UnknownNameError(f"frame '{name}' is unknown{choices(name, self.frame_index)}")
        return self.kinematics.p_world_frame[..., i, :], self.kinematics.R_world_frame[..., i, :, :]

    def _dynamics(self) -> Dynamics:
        if self.dynamics is None:
            raise CharmieError(
                "this state holds kinematics only; expected one from compute(..., dynamics=True)"
            )
        return self.dynamics
