# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A robot that moves in fixed steps under constant efforts."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from charmie_dynamics.control import PerActuator
from charmie_dynamics.errors import CharmieError, InputError, SimulationError
from charmie_dynamics.model.flat.checks import checked
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation.contact.contact_need import default_step
from charmie_dynamics.simulation.contact.contact_scene import ContactScene
from charmie_dynamics.simulation.contact.contact_table import ContactTable
from charmie_dynamics.simulation.contact.overlaps import require_apart

from .accuracy import GAIN, SETTLING_ENERGY, BalanceWatch
from .energy import EnergyBalance
from .joint_laws import JointDrives, JointStops, joint_laws, stop_energy
from .methods import integrator_of, require_positive
from .step_rows import motion_of
from .stepper import Stepper

LONGEST_STEP = 1e-3  # s, by default
WATCHED = 100  # steps between two checks of the balance


class Plant:
    """A robot that moves in fixed steps under constant efforts.

    The same start and the same efforts give the same motion, bit for bit, after any reset; and a
    number of steps at once the same as one by one.

    Parameters
    ----------
    model : Model
    position : (p,) array_like
    velocity : (v,) array_like, optional
        Zero if omitted.
    integrator : str
        Name of a fixed-step method, see `integrators`.
    step : float, optional
        In seconds; if omitted 1 ms, or less if the contacts need it, see `World.contact_need`.
    friction : bool
        Whether the friction that the files define acts.
    effort_limits : bool, float, (a,) array_like or mapping of str to float, optional
        Largest efforts: True for the rated ones of the model, or as for a `control.Controller`.
    joint_stops : bool or JointStops
        Whether the actuators are stopped at the ends of their ranges, and how.
    joint_drives : bool or JointDrives
        Whether the actuators follow targets of position and velocity, and how stiffly.
    contacts : ContactScene, optional
        Shapes that may touch, see `World.contacts`.
    energy_tolerance : float, optional
        As of `simulate`: permitted error of the balance of a plant with contacts, as a fraction of
        the exchanged energy.

    Raises
    ------
    InputError
        For arrays of the wrong shape, values that are not finite, a step that is not above zero.
    UnknownNameError
        For an integrator or actuator that does not exist.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.simulation import Plant
    >>> model = load_model()
    >>> plant = Plant(model, model.zero_position(), effort_limits=True)
    >>> effort = model.compute(model.zero_position()).actuator_effort  # holds it still
    >>> plant.advance(effort, steps=100)
    >>> round(plant.time, 6), bool(abs(plant.velocity).max() < 1e-6)
    (0.1, True)
    """

    def __init__(
        self,
        model: Model,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        *,
        integrator: str = "rk4",
        step: float | None = None,
        friction: bool = True,
        effort_limits: PerActuator | bool | None = None,
        joint_stops: JointStops | bool = False,
        joint_drives: JointDrives | bool = False,
        contacts: ContactScene | None = None,
        energy_tolerance: float | None = None,
    ) -> None:
        self._method = integrator_of(integrator)
        if step is None:
            start = (
                checked("position", position, model.position_names),
                checked("velocity", velocity, model.velocity_names),
            )
            stability = self._method.stability
            step = default_step(model, contacts, start, stability, LONGEST_STEP)
        require_positive(step=step)
        self.step = step
        self._has_friction = friction
        model = self._with_friction(model)
        laws = joint_laws(
            model, step=step, effort_limits=effort_limits, joint_stops=joint_stops,
            joint_drives=joint_drives,
            position=checked("position", position, model.position_names),
        )  # fmt: skip
        self._stepper = Stepper(model, laws, self._method, step, contacts)
        self._acceleration: Floats | None = None
        self._balance: BalanceWatch | None = None
        self._tolerance = energy_tolerance or self._method.tolerance
        self._unwatched = 0  # steps since the balance was checked
        self.reset(position, velocity)

    @property
    def model(self) -> Model:
        """The robot, with its loads."""
        return self._stepper.model

    @property
    def stepper(self) -> Stepper:
        """Its arrays and kernels, see `batch`."""
        return self._stepper

    @property
    def time(self) -> float:
        """In seconds."""
        return self._start + self._count * self.step

    @property
    def position(self) -> Floats:
        """Positions (p,): rad, m, pin-to-pin length."""
        return self._stepper.position.copy()

    @property
    def velocity(self) -> Floats:
        """Velocities (v,)."""
        return self._stepper.arrays.velocity.copy()

    @property
    def acceleration(self) -> Floats:
        """Accelerations (v,) at this state under the efforts held until now."""
        if self._acceleration is None:
            self._settle()
        return np.array(self._acceleration)

    @property
    def effort(self) -> Floats:
        """Efforts (a,) that acted, within their limits."""
        return self._stepper.effort

    @property
    def energy(self) -> EnergyBalance:
        """Energies (J), a number each; work and losses since the last reset."""
        stepper = self._stepper
        position, velocity = self.position, self.velocity
        now = self._stored(self.model, position, velocity)
        in_contacts = stepper.contact_energy()
        now = now[0], now[1], now[2] + in_contacts
        work, lost = stepper.energies
        lost -= in_contacts
        error = sum(now) - self._start_energy - (work - lost)
        return EnergyBalance(*(np.asarray(part) for part in (*now, work, lost, error)))

    @property
    def contacts(self) -> ContactTable:
        """Points of contact at this state.

        Raises
        ------
        InputError
            If the plant has no contacts.
        """
        stepper = self._stepper
        if stepper.contacts is None:
            raise InputError("plant: no contacts; expected contacts=world.contacts")
        rows = stepper.table()
        return ContactTable.from_rows(stepper.contacts, np.full(len(rows), self.time), rows)

    def reset(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        time: float = 0.0,
        memory: Floats | None = None,
    ) -> None:
        """Restart at a state and a time (s), with zero effort.

        Without the `memory` (m,) of contacts only the fact that they touch is known.

        Raises
        ------
        CharmieError
            As `Model.forward`.
        OverlapError
            If shapes overlap and no memory is given, see `contact.overlaps`.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.simulation import Plant
        >>> model = load_model("scara")
        >>> plant = Plant(model, model.zero_position())
        >>> plant.advance([0.5, 0.0, 0.0, 0.0, 0.0], steps=100)
        >>> plant.reset(model.zero_position())
        >>> plant.time
        0.0
        """
        model, stepper = self.model, self._stepper
        p = checked("position", position, model.position_names)
        v = checked("velocity", velocity, model.velocity_names)
        self._start, self._count = float(time), 0
        self._begin = model, model.normalised_position(p), v
        stepper.begin(*self._begin[1:])
        if memory is not None and len(memory):
            stepper.memory[:] = memory
            stepper.probe_and_update_contacts()
        elif stepper.contacts is not None:
            require_apart(model, stepper.contacts, stepper.position, stepper.table(), "plant")
        stepper.require_closed()
        self._start_energy = sum(self._stored(*self._begin)) + self._stepper.contact_energy()
        self._settle()
        self._watch_balance()

    def carry(self, model: Model) -> None:
        """Replace the loads: `model` is the same robot with the new ones.

        Raises
        ------
        InputError
            If the model has other actuators.

        Examples
        --------
        >>> from charmie_dynamics import Payload, load_model
        >>> from charmie_dynamics.simulation import Plant
        >>> model = load_model()
        >>> plant = Plant(model, model.zero_position())
        >>> plant.carry(model.with_loads({"left_tool": Payload(1.0)}))
        >>> round(plant.model.total_mass - model.total_mass, 6)
        1.0
        """
        if model.velocity_names != self.model.velocity_names:
            raise InputError(
                f"plant: expected a robot with {', '.join(self.model.velocity_names)}, "
                f"got {', '.join(model.velocity_names)}"
            )
        self._stepper.replace_robot(self._with_friction(model))
        self._settle()
        self._watch_balance()

    def _with_friction(self, model: Model) -> Model:
        return model if self._has_friction else model.without_friction()

    def advance(
        self,
        effort: npt.ArrayLike,
        steps: int = 1,
        position: npt.ArrayLike | None = None,
        velocity: npt.ArrayLike | None = None,
        acceleration: npt.ArrayLike | None = None,
    ) -> None:
        """Advance by some steps under constant efforts, which the drives add theirs to.

        Parameters
        ----------
        effort : (a,) array_like
        steps : int
        position : (a,) array_like, optional
            New targets of the drives; the present ones continue if omitted. They are where the
            actuators are after a reset.
        velocity, acceleration : (a,) array_like, optional
            With which these move from now on; zero if omitted.

        Raises
        ------
        InputError
            For efforts or targets of the wrong shape or that are not finite; for targets of a plant
            without drives.
        SimulationError
            If a step cannot be taken, with the cause and the time; the state is that before it.
            If the balance of the energies is lost, see `require_balance`.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.simulation import Plant
        >>> model = load_model("scara")
        >>> plant = Plant(model, model.zero_position())
        >>> plant.advance([0.5, 0.0, 0.0, 0.0, 0.0], steps=100)
        >>> bool(plant.velocity.any())
        True
        """
        stepper = self._stepper
        names = self.model.actuator_names
        stepper.set_efforts(checked("effort", effort, names))
        if position is not None:
            stepper.require_drives()
            stepper.set_targets(
                checked("target position", position, names),
                checked("target velocity", velocity, names),
                checked("target acceleration", acceleration, names),
            )
        try:
            stepper.run(0, steps * len(self._method.nodes), self.step)
        except CharmieError as error:
            self.note()
            raise self.stopped(error) from error
        self.note()
        self.require_balance()

    def note(self) -> None:
        """Count the steps that the stepper has finished in its last call."""
        self._count += self._stepper.finished
        self._unwatched += self._stepper.finished
        self._acceleration = None  # computed on request

    def require_balance(self) -> None:
        """Check the balance of the energies of a plant with contacts.

        `advance` calls this at its end. Before `WATCHED` steps have been taken since the last
        check, nothing is checked. A plant that has lost the balance keeps its state.
        The energies do not contain the work of external wrenches: with these nothing is checked.

        Raises
        ------
        SimulationError
            If it is off by more than `simulate` allows.
        """
        row = np.empty((1, self._stepper.row_size))
        watch = self.due_watch(row)
        if watch is not None:
            watch.look(motion_of(self._stepper, np.array([self.time]), row))

    def due_watch(self, row: Floats) -> BalanceWatch | None:
        """Return the watch of the balance if a check is due, and write the state into a row.

        Raises
        ------
        SimulationError
            If the state cannot be computed.
        """
        if self._balance is None or self._unwatched < WATCHED:
            return None
        self._unwatched = 0
        try:
            self._stepper.probe(row)
        except CharmieError as error:
            raise SimulationError(self.time, str(error)) from error
        return self._balance

    def _watch_balance(self) -> None:
        """Begin to check the balance of the energies."""
        self._balance, flat = None, self.model.flat
        loads = flat.tree.external_force, flat.tree.external_torque
        if self._stepper.contacts is not None and not any(load.any() for load in loads):
            advice = "try a shorter step, see World.contact_need"
            laws, tolerance = self._stepper.laws, self._tolerance
            gain, settling = GAIN * tolerance, self._method.settling(self.step)
            self._balance = BalanceWatch(
                self.model, laws, tolerance, SETTLING_ENERGY, advice, gain=gain, settling=settling
            )
            self._unwatched = WATCHED
            self.require_balance()

    def stopped(self, error: CharmieError) -> SimulationError:
        """Return the error of a step that cannot be taken."""
        return SimulationError(self.time, f"{error}; try a shorter step, limits or stops")

    def _stored(
        self, model: Model, position: Floats, velocity: Floats
    ) -> tuple[float, float, float]:
        """Return kinetic, gravitational and elastic energy at a state."""
        found = model.energy(position, velocity)
        stops = stop_energy(self._stepper.laws, self._stepper.entries, position[None])
        elastic = found.elastic + float(stops[0])
        return float(found.kinetic), float(found.gravitational), float(elastic)

    def _settle(self) -> None:
        """Compute the accelerations at the state."""
        try:
            self._stepper.probe()
        except CharmieError as error:
            raise SimulationError(self.time, str(error)) from error
        self._acceleration = np.array(self._stepper.arrays.acceleration)
