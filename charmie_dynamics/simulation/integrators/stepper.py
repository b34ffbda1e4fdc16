# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The rates and the fixed-step methods of one robot: its arrays, and calls of the kernel."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from charmie_dynamics.core.arrays import (
    LOOP_OPENS,
    PAIRS_TOO_MANY,
    REACHED,
)
from charmie_dynamics.core.contact.contact_loads import run_contact_loads
from charmie_dynamics.core.contact.records import (
    COLUMNS,
    CONTACT_COUNT,
    CONTACT_STORED,
    FIRST,
    FREE_TIME,
    NORMAL_FORCE,
    SECOND,
    ContactRoom,
)
from charmie_dynamics.core.equations.derivatives import run_derivatives
from charmie_dynamics.core.forward.free_motions import run_free_motions
from charmie_dynamics.core.forward.loop_closure import MOST_OPEN, SHALLOW, run_closure
from charmie_dynamics.core.forward.loop_records import ClosureRoom, ForwardTerms
from charmie_dynamics.core.integration.step_arrays import (
    DRIVE_DAMPING,
    DRIVE_STIFFNESS,
    LOST,
    LOST_POWER,
    PROBE,
    ROSENBROCK,
    RUNGE_KUTTA,
    TOUCH,
    WORK,
    WORK_POWER,
    PlantAddresses,
    StepArrays,
    StepRow,
    StepSizes,
)
from charmie_dynamics.core.integration.stepping import run_stages
from charmie_dynamics.core.inverse.cycle import STATUSES
from charmie_dynamics.core.inverse.floating_joints import run_normalisation, run_position_rate
from charmie_dynamics.errors import CharmieError, InputError, UnsupportedError
from charmie_dynamics.model.derivatives import DERIVATIVES
from charmie_dynamics.model.equations.constraints import opening_fault
from charmie_dynamics.model.flat.checks import refusal
from charmie_dynamics.model.flat.loop_cycles import addresses_of, stabilized
from charmie_dynamics.model.flat.loop_refusals import is_of_loops, refusal_of_loop
from charmie_dynamics.model.flat.prepared_robot import PreparedRobot
from charmie_dynamics.model.forward_dynamics import CONSTRAINED_FORWARD, FORWARD
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.addresses import address_block, address_of, address_of_block
from charmie_dynamics.numerics.blocks import float_count, lay_out
from charmie_dynamics.numerics.jit import ready
from charmie_dynamics.numerics.vectors import Floats, Ints
from charmie_dynamics.simulation.contact.contact_scene import ContactScene

from .integrated_motion import IntegratedMotion
from .methods import Integrator, stabilization_of
from .refusals import refusal_of_stage
from .step_blocks import StepBlocks

NO_ROWS = np.zeros((0, 0))
MOST_AT_FIRST = 64  # initial capacity of the table of contacts
# how far loops may be open and opening at the start: as at the end of another run, whose velocities
# have the error of its method
AT_START = (MOST_OPEN, 1e-3)


class Stages(NamedTuple):
    """The stages of a call of `run_stages`, see there."""

    method: int
    first: int
    stage_count: int


RATES = Stages(PROBE, 0, 1)
RATES_AND_CONTACTS = Stages(TOUCH, 0, 1)


@dataclass(frozen=True)
class _Stabilized:
    """What makes a robot with stabilized loop joints, for its cache."""

    coefficient: float

    def __call__(self, robot: PreparedRobot) -> PreparedRobot:
        return robot.with_flat(stabilized(robot.flat, self.coefficient, self.coefficient))


class Stepper:
    """The rates of one robot, and its steps with a fixed-step method.

    Adaptive methods use the rates alone: they write the state, then call `probe` or
    `probe_and_update_contacts`.

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
        self.method = PROBE if integrator is None else integrator.method
        self._stabilization = 0.0 if step is None else stabilization_of(step, self.method)
        self.driven = model.actuator_index
        self.entries: Ints = model.flat.freedoms.position_entry
        self._blocks = StepBlocks()
        self._run = ready(run_stages)
        self._normalise = ready(run_normalisation)
        if self.method == ROSENBROCK:
            self._stabilization = 0.0  # its second stage would have an error of order zero
            if contacts is not None:
                raise UnsupportedError(
                    "integrator 'rosenbrock' with contacts: expected one of rk4, "
                    "semi_implicit_euler or adaptive"
                )
        self.replace_robot(model)

    def replace_robot(self, model: Model) -> None:
        """Replace the robot by one with the same coordinates, for example with other loads."""
        v = len(model.velocity_names)
        has_loops = model.flat.sizes.r > 0
        closes_loops = has_loops and self.method in (RUNGE_KUTTA, ROSENBROCK)
        robot, call = model.robot, FORWARD
        if has_loops:
            robot, call = robot.cache[_Stabilized(self._stabilization)], CONSTRAINED_FORWARD
        forward = robot.cache[call]
        is_implicit = self.method == ROSENBROCK
        exact = model.robot.cache[DERIVATIVES] if is_implicit else None
        contacts = self.contacts
        self._blocks.resize(
            StepSizes(
                p=len(model.position_names),
                v=v,
                memory=self.memory_size,
                r=model.flat.sizes.r,
                ranks=int(has_loops),
                forward_workspace=forward.workspace_size,
                forward_out=forward.size,
                closure_workspace=(float_count(ClosureRoom, model.flat.sizes) if has_loops else 0),
                contact_workspace=(
                    0 if contacts is None else float_count(ContactRoom, model.flat.sizes)
                ),
                derivative_workspace=0 if exact is None else exact.workspace_size,
                derivative_out=0 if exact is None else exact.size,
                factors=v * v if is_implicit else 0,
                motions=v * v if is_implicit and has_loops else 0,
            )
        )
        self.row_size = float_count(StepRow, self.sizes)
        self.arrays.position_entry[:] = self.entries
        self.arrays.laws[:] = self.laws
        self._kept: list[Any] = [robot, forward, exact]  # whose memory the addresses refer to
        robot_ints, robot_floats = robot.flat.blocks.addresses
        self._kernels = PlantAddresses(
            step_ints=0,  # see `_write_addresses`
            step_floats=0,
            robot_ints=robot_ints,
            robot_floats=robot_floats,
            forward=forward.addresses,
            derivatives=0 if exact is None else exact.addresses,
            scene=0 if contacts is None else contacts.address,
            run_forward=address_of(call.kernel),
            run_position_rate=address_of(run_position_rate),
            run_normalisation=address_of(run_normalisation),
            run_derivatives=0 if exact is None else address_of(run_derivatives),
            run_contact_loads=0 if contacts is None else address_of(run_contact_loads),
            run_free_motions=address_of(run_free_motions) if is_implicit and has_loops else 0,
            run_closure=address_of(run_closure) if closes_loops else 0,
        )
        self._write_addresses()
        self._at_rest, self._movable = np.zeros(v), np.ones(v)
        if has_loops:
            self._run_closure, self._closing = ready(run_closure), addresses_of(model.flat)
        self.model = model

    @property
    def sizes(self) -> StepSizes:
        """Sizes of the arrays."""
        return self._blocks.sizes

    @property
    def arrays(self) -> StepArrays:
        """State and all that it is computed with."""
        return self._blocks.arrays

    def move_arrays(self, ints: Ints, floats: Floats) -> None:
        """Move all arrays to given memory; `address` changes."""
        self._blocks.move(ints, floats)
        self._write_addresses()

    def _write_addresses(self) -> None:
        """Write all addresses into a block."""
        ints, floats = self._blocks.addresses
        self._plant = address_block(self._kernels._replace(step_ints=ints, step_floats=floats))
        self.address = address_of_block(self._plant)

    def begin(self, position: Floats, velocity: Floats) -> None:
        """Take a state; energies begin at zero."""
        self._blocks.clear()
        self.arrays.laws[:] = self.laws
        self.arrays.movable[:] = 1.0
        self.position[:] = position
        self.arrays.velocity[:] = velocity
        self.arrays.target_position[:] = self.position[self.entries]
        if self.contacts is not None:
            self.contacts.begin()
            self._advance(RATES_AND_CONTACTS, 0.0, np.empty((1, self.row_size)))
            # so that the losses begin at zero, see `IntegratedMotion.energies`
            self.arrays.totals[LOST] = self.arrays.contact_totals[CONTACT_STORED]

    @property
    def position(self) -> Floats:
        """Positions (p,) of the state; may be written."""
        return self.arrays.states.position

    @property
    def stage(self) -> tuple[Floats, Floats]:
        """Positions (p,) and velocities (v,) of the stage."""
        return self.arrays.stage.position, self.arrays.stage_velocity

    @property
    def memory(self) -> Floats:
        """The memory of contacts in the state; may be written."""
        return self.arrays.states.memory

    def normalise(self) -> None:
        """Make the quaternions of the state of length one."""
        if len(self.position) > len(self.arrays.velocity):
            self._normalise(*self.model.flat.blocks.addresses, self.position)

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
        wanted = self._movable, 2, 0, SHALLOW, math.inf
        status: int = self._run_closure(
            *self._closing, *motion, *wanted, self.arrays.closure_workspace
        )
        # velocities may be left as they were near a singular position
        if status == REACHED or status % STATUSES == LOOP_OPENS:
            return
        if is_of_loops(status):
            raise refusal_of_loop(flat, status, motion, searched=True)
        raise refusal(self.model.robot, status, motion)

    def set_efforts(self, effort: Floats) -> None:
        """Set efforts (a,) of the actuators, which `load_joints` reads at each stage."""
        self.arrays.asked[self.driven] = effort

    def set_targets(self, position: Floats, velocity: Floats, acceleration: Floats) -> None:
        """Set targets (a,) of the drives, which move at constant acceleration from now on."""
        self.arrays.target_position[self.driven] = position
        self.arrays.target_velocity[self.driven] = velocity
        self.arrays.target_acceleration[self.driven] = acceleration

    def drive(self, stiffness: Floats, damping: Floats) -> None:
        """Replace the gains (a,) of the drives."""
        for laws in (self.laws, self.arrays.laws):
            laws[DRIVE_STIFFNESS, self.driven] = stiffness
            laws[DRIVE_DAMPING, self.driven] = damping

    def require_drives(self) -> None:
        """Refuse targets of a plant without drives.

        Raises
        ------
        InputError
        """
        if not self.laws[DRIVE_STIFFNESS : DRIVE_DAMPING + 1].any():
            raise InputError("targets: expected a plant with joint_drives, got one without drives")

    @property
    def effort(self) -> Floats:
        """Efforts (a,) of the actuators that acted, within their limits."""
        return self.arrays.acting[self.driven]

    @property
    def energies(self) -> tuple[float, float]:
        """Work and losses since the start (J)."""
        return float(self.arrays.totals[WORK]), float(self.arrays.totals[LOST])

    def contact_energy(self) -> float:
        """Compute the energy stored in contacts at the state (J)."""
        if self.contacts is None:
            return 0.0
        self.probe(np.empty((1, self.row_size)))
        return float(self.arrays.contact_totals[CONTACT_STORED])

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
        self._advance(RATES, 0.0, rows)

    def run(self, first: int, count: int, h: float, rows: Floats = NO_ROWS) -> None:
        """Run some stages from the `first` on: one, or from the beginning of a step.

        Raises
        ------
        CharmieError
            As `Model.forward`; positions and velocities are those before the step that failed.
        """
        self._advance(Stages(self.method, first, count), h, rows)

    def require_closed(self) -> None:
        """Check that the loops are as closed as at the end of a run, and stay so.

        Raises
        ------
        CharmieError
            As `Model.forward`.
        """
        r = self.model.flat.sizes.r
        if r:
            self.probe()
            flat = self.model.flat
            found = lay_out(ForwardTerms, flat.blocks.ints, self.arrays.forward_out, flat.sizes)
            error, rate, size = (
                found.constraint_error,
                found.constraint_rate,
                found.constraint_size,
            )
            motion = self.position, self.arrays.velocity, self.arrays.acceleration
            fault = opening_fault(self.model.flat, motion, error, rate, size, AT_START)
            if fault is not None:
                raise fault

    @property
    def finished(self) -> int:
        """How many steps the last call has finished."""
        return int(self.arrays.finished[0])

    def probe_and_update_contacts(self) -> None:
        """Compute rates at the state, where contacts may begin and end: their memory is written.

        Raises
        ------
        CharmieError
            As `Model.forward`.
        """
        self._advance(RATES_AND_CONTACTS, 0.0, NO_ROWS)

    @property
    def free_time(self) -> float:
        """Time without new contacts (s), at most the horizon of the last `table`."""
        return float(self.arrays.contact_totals[FREE_TIME])

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
            self._advance(RATES, horizon, NO_ROWS, table)
            count = int(self.arrays.contact_totals[CONTACT_COUNT])
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

    def _advance(self, stages: Stages, h: float, rows: Floats, table: Floats = NO_ROWS) -> None:
        status = self._status(stages, h, rows, table)
        while status == PAIRS_TOO_MANY:
            status = self.retry(stages, h, rows, table)
        if status != REACHED:
            raise self.error_of(status)

    def _status(self, stages: Stages, h: float, rows: Floats, table: Floats) -> int:
        return int(self._run(self.address, *stages, h, rows, table))

    def retry(
        self, stages: Stages, h: float, rows: Floats = NO_ROWS, table: Floats = NO_ROWS
    ) -> int:
        """Run the stages that the last call of `run_stages` has left, in a larger workspace.

        Parameters
        ----------
        stages, h, rows, table
            Of that call. Finished steps are skipped as whole steps: more than one stage must begin
            with a step.

        Returns
        -------
        int
            The status.
        """
        contacts = self.contacts
        assert contacts is not None
        contacts.enlarge()
        done, stages_of_step = self.finished, 4 if stages.method == RUNGE_KUTTA else 1
        assert stages.stage_count == 1 or stages.first % stages_of_step == 0
        skipped = done * stages_of_step
        rest = stages._replace(
            first=stages.first + skipped, stage_count=stages.stage_count - skipped
        )
        status = self._status(rest, h, rows[done:], table)
        self.arrays.finished[0] += done
        return status

    def error_of(self, status: int) -> CharmieError:
        """Return the error for a status of `run_stages`."""
        return refusal_of_stage(self.model, self.contacts, self.arrays, status)
