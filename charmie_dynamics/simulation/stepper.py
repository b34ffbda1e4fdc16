# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The fixed-step methods for one robot: its arrays, and calls of the kernel."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from charmie_dynamics.core.arrays import (
    CONTACTS_TOO_MANY,
    LOOP_OPENS,
    NOT_FINITE,
    PAIRS_TOO_MANY,
    PASSES_UNSEEN,
    REACHED,
)
from charmie_dynamics.core.contact.contact_loads import run_contact_loads
from charmie_dynamics.core.contact.passing import DEEPEST, SHARE
from charmie_dynamics.core.contact.records import (
    COLUMNS,
    CONTACT_COUNT,
    CONTACT_STORED,
    CONTACT_TOTALS,
    FIRST,
    FREE_TIME,
    MEMORY,
    NORMAL_FORCE,
    PASSING_FIRST,
    PASSING_SECOND,
    PASSING_SPEED,
    SECOND,
    ContactRoom,
)
from charmie_dynamics.core.equations.derivatives import run_derivatives
from charmie_dynamics.core.integration.rosenbrock import SINGULAR
from charmie_dynamics.core.integration.step_arrays import (
    LOST,
    LOST_POWER,
    PROBE,
    ROSENBROCK,
    RUNGE_KUTTA,
    TOTAL_COUNT,
    TOUCH,
    WORK,
    WORK_POWER,
    StepArrays,
)
from charmie_dynamics.core.integration.stepping import run_stages
from charmie_dynamics.core.inverse.cycle import STATUSES
from charmie_dynamics.core.inverse.floating_joints import run_normalisation, run_position_rate
from charmie_dynamics.errors import (
    CharmieError,
    InputError,
    MassMatrixError,
    UnsupportedError,
)
from charmie_dynamics.model.accelerated import FORWARD
from charmie_dynamics.model.closed_loops import CONSTRAINED_FORWARD
from charmie_dynamics.model.constraints import opening_fault
from charmie_dynamics.model.differentiation import DERIVATIVES
from charmie_dynamics.model.equations.evaluation import prepare
from charmie_dynamics.model.flat.checks import refusal
from charmie_dynamics.model.flat.loop_cycles import close, stabilized
from charmie_dynamics.model.flat.loop_refusals import is_of_loops, refusal_of_loop
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.addresses import address_of
from charmie_dynamics.numerics.blocks import float_count
from charmie_dynamics.numerics.jit import entry_of, ready
from charmie_dynamics.numerics.vectors import Floats, Ints

from .accuracy import MOST_OPEN
from .applied_efforts import AppliedEfforts
from .contact.contact_scene import ContactScene
from .integrated_motion import IntegratedMotion
from .integrators import Integrator, stabilization_of

NO_ROWS = np.zeros((0, 0))
NO_CONTACTS = 0, 0, 0, 0, 0
MOST_AT_FIRST = 64  # initial capacity of the table of contacts
# near a singular position, where a motion opens the loops by a fraction s of other motions, closed
# positions are known to eps / s and the velocities that keep them closed to eps / s^2, which
# exceeds the error of integration. Below this fraction velocities are not corrected
SHALLOW = 1e-3
# how far loops may be open and opening at the start: as at the end of another run, whose velocities
# have the error of its method
AT_START = (MOST_OPEN, 1e-3)


class Stepper:
    """The fixed-step methods for one robot.

    Parameters
    ----------
    model : Model
    laws : (LAW_COUNT, v) array
        See `core.integration.step_arrays`.
    integrator : Integrator or None
        None: no step is taken, rates alone are computed.
    step : float or None
        For the stabilisation of loop joints (s); None: no stabilisation.
    contacts : ContactScene, optional
        Shapes of the robot that may touch.

    Raises
    ------
    UnsupportedError
        If the method needs derivatives that there are not.

    Attributes
    ----------
    arrays : StepArrays
        State and all that it is computed with.
    entries : (v,) array of int
        Index of a coordinate's position among the positions.
    driven : (a,) array of int
        Which of the coordinates have an actuator.
    row_size : int
        Numbers of a row.
    method : int
        By which the kernel knows it.
    """

    def __init__(
        self,
        model: Model,
        laws: Floats,
        integrator: Integrator | None = None,
        step: float | None = None,
        contacts: ContactScene | None = None,
    ) -> None:
        self.laws = laws
        self.contacts = contacts
        self.memory_size = 0 if contacts is None else contacts.memory_size
        self._stabilization = 0.0 if step is None else stabilization_of(step)
        self.method = PROBE if integrator is None else integrator.method
        self.driven = model.actuator_index
        freedoms, v = model.flat.freedoms, len(model.velocity_names)
        self._index = np.zeros(2 * v + 2, dtype=np.int64)
        self.entries: Ints = self._index[:v]
        self.entries[:] = freedoms.position_entry
        self._index[2 * v] = len(freedoms.scalar_entry)
        self._run = entry_of(run_stages)
        self._normalise = ready(run_normalisation)
        if self.method == ROSENBROCK:
            model.require_no_loop_joints("integrator 'rosenbrock'")
            if contacts is not None:
                raise UnsupportedError(
                    "integrator 'rosenbrock' with contacts: expected one of rk4, "
                    "semi_implicit_euler or adaptive"
                )
        self.carry(model)

    def carry(self, model: Model) -> None:
        """Replace the robot by one with the same coordinates, for example with other loads."""
        p, v = len(model.position_names), len(model.velocity_names)
        has_loops = model.flat.sizes.r > 0
        robot, call = model, FORWARD
        if has_loops:
            robot, call = copy.copy(model), CONSTRAINED_FORWARD
            robot.flat = stabilized(model.flat, self._stabilization, self._stabilization)
        forward = robot.flat.blocks.prepared.get(call) or prepare(robot, call)
        self._calls: tuple[Any, ...] = (
            address_of(call.kernel),
            address_of(run_position_rate),
            address_of(run_normalisation),
            address_of(run_derivatives) if self.method == ROSENBROCK else 0,
        )
        x = p + self.memory_size
        self.row_size = x + 3 * v + 5 + (4 * model.flat.sizes.r + 1 if has_loops else 0)
        contacts = self.contacts
        room = 0 if contacts is None else float_count(ContactRoom, model.flat.sizes)
        sizes = forward.room_size, forward.size, room, 0, 0
        robots = forward.addresses
        self._kept: list[Any] = [robot, forward]
        if self.method == ROSENBROCK:
            exact = model.flat.blocks.prepared.get(DERIVATIVES) or prepare(model, DERIVATIVES)
            sizes = *sizes[:2], exact.room_size, exact.size, v * v
            robots = *robots, *exact.addresses
            self._kept.append(exact)
        else:
            robots = *robots, *robots
        self._robots = *robots, *NO_CONTACTS
        if contacts is not None:
            self._robots = *robots, address_of(run_contact_loads), *contacts.addresses
        self._parameters = (NO_ROWS, NO_ROWS) if contacts is None else contacts.parameters
        lengths = x, *[v] * 6, x, v, x, x, v, TOTAL_COUNT + CONTACT_TOTALS, *sizes
        before: StepArrays | None = getattr(self, "arrays", None)
        if before is None or lengths != tuple(len(array) for array in before):
            self.arrays = StepArrays(*(np.zeros(length) for length in lengths))
            if before is not None:
                for old, new in zip(before[:13], self.arrays[:13], strict=True):
                    new[:] = old
        for array in self.arrays[13:]:
            array[:] = 0.0
        self._given = tuple(self.arrays)
        self._at_rest, self._movable = np.zeros(v), np.ones(v)
        self.model = model

    def place(self, row: Floats, index: Ints) -> None:
        """Move arrays and index, with their present values, to given memory."""
        ends = np.cumsum([len(array) for array in self.arrays])
        parts = np.split(row[: ends[-1]], ends[:-1])
        for old, new in zip((*self.arrays, self._index), (*parts, index), strict=True):
            new[:] = old
        self.arrays, self._index = StepArrays(*parts), index
        self.entries = index[: len(self.arrays.velocity)]
        self._given = tuple(self.arrays)

    @property
    def addresses(self) -> tuple[Any, ...]:
        """The arguments of `run_stages` for the robot and its contacts."""
        return *self._calls, *self._robots

    @property
    def tables(self) -> tuple[Floats, ...]:
        """The tables of `run_stages`, without outputs."""
        return self.laws, NO_ROWS, *self._parameters, NO_ROWS

    def begin(self, position: Floats, velocity: Floats) -> None:
        """Take a state; energies begin at zero."""
        for array in self.arrays:
            array[:] = 0.0
        self.position[:] = position
        self.arrays.velocity[:] = velocity
        if self.contacts is not None:
            self.contacts.begin()
            self._advance((TOUCH, 0, 1), 0.0, np.empty((1, self.row_size)))
            # so that the losses begin at zero, see `IntegratedMotion.energies`
            self.arrays.totals[LOST] = self.arrays.totals[TOTAL_COUNT + CONTACT_STORED]

    @property
    def position(self) -> Floats:
        """Positions (p,) of the state; may be written."""
        return self.arrays.position[: len(self.arrays.position) - self.memory_size]

    @property
    def stage(self) -> tuple[Floats, Floats]:
        """Positions (p,) and velocities (v,) of the stage."""
        arrays = self.arrays
        return arrays.stage_position[: len(self.position)], arrays.stage_velocity

    @property
    def memory(self) -> Floats:
        """The memory of contacts in the state; may be written."""
        return self.arrays.position[len(self.arrays.position) - self.memory_size :]

    def normalise(self) -> None:
        """Make the quaternions of the state of length one."""
        if self._index[-2] > 0:
            self._normalise(*self._robots[:2], self.arrays.position)

    def close(self) -> None:
        """Normalise the quaternions and close the loops, as `Model.project`.

        Near a singular position velocities do not change in the directions that are about to
        become free, see `SHALLOW`.

        Raises
        ------
        CharmieError
            If the loops cannot be closed.
        """
        self.normalise()
        flat = self.model.flat
        if not flat.sizes.r:
            return
        motion = self.position, self.arrays.velocity, self._at_rest
        status = close(flat, motion, self._movable, 2, 0, SHALLOW)
        # velocities may be left as they were near a singular position
        if status == REACHED or status % STATUSES == LOOP_OPENS:
            return
        if is_of_loops(status):
            raise refusal_of_loop(flat, status, motion, searched=True)
        raise refusal(flat, self.model.tree, self.model.mechanisms, status, motion)

    def ask(self, effort: Floats) -> None:
        """Take efforts (a,) of the actuators."""
        self.arrays.asked[self.driven] = effort

    @property
    def effort(self) -> Floats:
        """Efforts (a,) of the actuators that acted, within their limits."""
        return self.arrays.acting[self.driven]

    @property
    def energies(self) -> tuple[float, float]:
        """Work and losses since the start (J)."""
        return float(self.arrays.totals[WORK]), float(self.arrays.totals[LOST])

    @property
    def contact_energy(self) -> float:
        """Energy stored in contacts at the state (J)."""
        if self.contacts is None:
            return 0.0
        self.probe(np.empty((1, self.row_size)))
        return float(self.arrays.totals[TOTAL_COUNT + CONTACT_STORED])

    @property
    def powers(self) -> tuple[float, float]:
        """Powers of actuators and losses (W) at the stage."""
        return float(self.arrays.totals[WORK_POWER]), float(self.arrays.totals[LOST_POWER])

    def probe(self, rows: Floats = NO_ROWS) -> None:
        """Compute rates at the state.

        Raises
        ------
        CharmieError
            As `Model.forward`.
        """
        self._advance((PROBE, 0, 1), 0.0, rows)

    def run(self, first: int, count: int, h: float, rows: Floats = NO_ROWS) -> None:
        """Run some stages from the `first` on.

        Raises
        ------
        CharmieError
            As `Model.forward`; the state is that before the step that failed.
        """
        self._advance((self.method, first, count), h, rows)

    def require_closed(self) -> None:
        """Check that the loops are as closed as at the end of a run, and stay so.

        Raises
        ------
        CharmieError
            As `Model.forward`.
        """
        r, v = self.model.flat.sizes.r, len(self.arrays.velocity)
        if r:
            self.probe()
            error, rate, size = self.arrays.out[v + r : v + 4 * r].reshape(3, r)
            motion = self.position, self.arrays.velocity, self.arrays.acceleration
            fault = opening_fault(self.model.flat, motion, error, rate, size, AT_START)
            if fault is not None:
                raise fault

    def evaluated(self, efforts: AppliedEfforts, motion: IntegratedMotion) -> IntegratedMotion:
        """Return a motion with all derived quantities; the stepper is then at its end."""
        arrays = self.arrays
        rows = np.empty((len(motion.time), self.row_size))
        for n, time in enumerate(motion.time.tolist()):
            self.position[:], arrays.velocity[:] = motion.position[n], motion.velocity[n]
            self.memory[:] = motion.memory[n]
            arrays.totals[WORK], arrays.totals[LOST] = motion.energies[n]
            self.normalise()
            self.ask(efforts.at(time, self.position, arrays.velocity))
            self.probe(rows[n : n + 1])
        return self.motion_of(motion.time, rows)

    def motion_of(self, time: Floats, rows: Floats) -> IntegratedMotion:
        """Return the motion of rows (k, row_size) at times (k,)."""
        p, v = len(self.position), len(self.arrays.velocity)
        ends = np.cumsum([p, self.memory_size, v, v, v, 2, 2, 1])
        q, memory, rate, change, acting, *rest = np.split(rows, ends, axis=1)
        energies, powers, stored, loops = rest
        efforts = acting[:, self.driven], energies, powers, stored, loops
        return IntegratedMotion(time, q, rate, change, *efforts, memory)

    @property
    def finished(self) -> int:
        """How many steps the last call has finished."""
        return int(self._index[-1])

    def touch(self) -> None:
        """Compute rates at the state, where contacts may begin and end: their memory is written.

        Raises
        ------
        CharmieError
            As `Model.forward`.
        """
        self._advance((TOUCH, 0, 1), 0.0, NO_ROWS)

    @property
    def free_time(self) -> float:
        """Time without new contacts (s), at most the horizon of the last `table`."""
        return float(self.arrays.totals[TOTAL_COUNT + FREE_TIME])

    def table(self, horizon: float = 0.0) -> Floats:
        """Return the contacts (k, COLUMNS) at the state, see `core.contact.records`.

        Parameters
        ----------
        horizon : float
            In seconds; if above zero `free_time` is also computed.

        Raises
        ------
        CharmieError
            As `Model.forward`.
        """
        table = np.zeros((MOST_AT_FIRST, COLUMNS))
        while True:
            self._advance((PROBE, 0, 1), horizon, NO_ROWS, table)
            count = int(self.arrays.totals[TOTAL_COUNT + CONTACT_COUNT])
            if count <= len(table):
                return table[:count]
            table = np.zeros((count, COLUMNS))

    def hardest_contact(self, motion: IntegratedMotion) -> str:
        """Return the links whose contact has the largest normal force at the time of a motion.

        The state becomes that of the motion.
        """
        scene = self.contacts
        self.position[:], self.memory[:] = motion.position[0], motion.memory[0]
        self.arrays.velocity[:] = motion.velocity[0]
        rows = self.table()
        if scene is None or not len(rows):
            return "contacts"
        row = rows[int(rows[:, NORMAL_FORCE].argmax())]
        first, second = (scene.shapes[int(row[k])].link for k in (FIRST, SECOND))
        return f"contact of '{first}' and '{second}'"

    def _advance(
        self, how: tuple[int, int, int], h: float, rows: Floats, table: Floats = NO_ROWS
    ) -> None:
        status = self._status(how, h, rows, table)
        while status == PAIRS_TOO_MANY:
            status = self.retry(how, h, rows, table)
        if status != REACHED:
            raise self.refusal(status)

    def _status(
        self, how: tuple[int, int, int], h: float, rows: Floats, table: Floats = NO_ROWS
    ) -> int:
        tables = self.laws, rows, *self._parameters, table
        return int(self._run(self._calls, self._robots, how, self._index, tables, self._given, h))

    def retry(
        self,
        how: tuple[int, int, int],
        h: float,
        rows: Floats = NO_ROWS,
        table: Floats = NO_ROWS,
    ) -> int:
        """Run the stages that the last call of `run_stages` has left, in a larger workspace.

        Parameters
        ----------
        how, h, rows, table
            Of that call.

        Returns
        -------
        int
            The status.
        """
        contacts = self.contacts
        assert contacts is not None
        contacts.enlarge()
        self._robots = *self._robots[: -len(contacts.addresses)], *contacts.addresses
        method, first, count = how
        done = self.finished
        stages = done * (4 if method == RUNGE_KUTTA else 1)
        status = self._status((method, first + stages, count - stages), h, rows[done:], table)
        self._index[-1] += done
        return status

    def passing(self) -> InputError:
        """Return the error of shapes that would pass unseen in a step, or have pressed through."""
        scene, totals = self.contacts, self.arrays.totals[TOTAL_COUNT:]
        assert scene is not None
        pair = int(totals[PASSING_FIRST]), int(totals[PASSING_SECOND])
        first, second = (scene.shapes[k] for k in pair)
        speed = float(totals[PASSING_SPEED])
        thickness = first.half_thickness + second.half_thickness
        subject = f"contact of '{first.link}' and '{second.link}'"
        if speed < 0.0:
            return InputError(
                f"{subject}: the indentation is more than {DEEPEST:g} of half of the thickness of "
                f"both, {thickness:.3g} m; expected stiffer contacts, thicker shapes or slower ones"
            )
        return InputError(
            f"{subject}: points approach at up to {speed:.3g} "
            f"m/s, so that shapes of {2.0 * first.half_thickness:.3g} m and "
            f"{2.0 * second.half_thickness:.3g} m thickness would pass unseen; expected a step of "
            f"at most {SHARE * thickness / speed:.1e} s"
        )

    def refusal(self, status: int) -> CharmieError:
        """Return the error for a status of `run_stages`."""
        model, arrays = self.model, self.arrays
        if status == SINGULAR:
            name = model.velocity_names[0]
            return MassMatrixError(name, "the equations of a stage have no solution")
        if status == CONTACTS_TOO_MANY:
            return InputError(
                f"contacts: expected at most {self.memory_size // MEMORY} points at a time, got "
                "more; give the world more contact_slots"
            )
        if status == PASSES_UNSEEN:
            return self.passing()
        if status % STATUSES == NOT_FINITE:
            return InputError("positions and velocities: expected finite numbers; got others")
        p = len(self.position)
        inputs = arrays.stage_position[:p], arrays.stage_velocity, arrays.effort
        return refusal(model.flat, model.tree, model.mechanisms, status, inputs, "effort")
