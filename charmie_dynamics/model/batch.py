"""The arrays of many cycles: some kept, the others computed when they are asked for."""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ..core.arrays import Dynamics
from ..core.batch import run_batch
from ..core.cycle import run_cycle
from ..core.jit import ready
from ..core.memory import Place
from ..core.vectors import Floats, Ints
from .errors import CharmieError
from .plan import Plan
from .state import State

# of a robot's thousands of numbers, those that studies are made for
KEPT = (
    "joint_position",
    "joint_velocity",
    "joint_acceleration",
    "spring_length",
)
KEPT_LOADS = (
    "generalized_force",
    "joint_effort",
    "actuator_effort",
    "spring_tension",
)
SMALLEST_PART = 512  # samples: below, a thread costs more than it saves


class BatchState(State):
    """The state of a batch.

    Its arrays have a leading axis of N samples. Those that are not kept are computed from the
    inputs when they are asked for.

    Parameters
    ----------
    plan : Plan
    inputs : three (N, q) arrays
        Checked copies.
    dynamics : bool
    workers : int or None
        Number of threads; None: one for each core.

    Attributes
    ----------
    failure : (int, int) or None
        First sample that could not be computed and its status, see `core.cycle.run_cycle`.
    """

    def __init__(
        self,
        plan: Plan,
        inputs: tuple[Floats, Floats, Floats],
        dynamics: bool,
        workers: int | None,
    ) -> None:
        super().__init__(plan, inputs[0], dynamics)
        self._inputs = inputs
        self._workers = workers or len(os.sched_getaffinity(0))
        self.failure: tuple[int, int] | None = None
        names = [*KEPT, *(KEPT_LOADS if dynamics else ())]
        wanted = {(name, -1): plan.places[name] for name in names}
        if dynamics:
            for name in ("link_force", "link_torque"):
                wanted[name, plan.base_body] = plan.row_of(name, plan.base_body)
        self._found: dict[tuple[str, int], Floats] = {}
        self._compute(wanted, dynamics)
        given = zip(("position", "velocity", "acceleration"), inputs, strict=True)
        for name, array in given:
            view = array[:]
            view.flags.writeable = False
            self._found[name, -1] = view

    @property
    def block(self) -> Floats:
        """Refused: a batch keeps some arrays only."""
        raise CharmieError("a batch has no block of all numbers; expected the state of one cycle")

    def _array(self, name: str) -> Floats:
        return self._get(name, -1, self._plan.places[name])

    def _row(self, name: str, index: int) -> Floats:
        return self._get(name, index, self._plan.row_of(name, index))

    def _get(self, name: str, index: int, place: Place) -> Floats:
        if (name, index) not in self._found:
            self._compute({(name, index): place}, name in Dynamics._fields)
        return self._found[name, index]

    def _compute(self, wanted: dict[tuple[str, int], Place], dynamics: bool) -> None:
        """Run all samples and keep some of the results."""
        ranges = [range(p.first, p.first + math.prod(p.shape)) for p in wanted.values()]
        columns = np.array([k for r in ranges for k in r], dtype=np.int64)
        count = len(self._inputs[0])
        out = np.empty((count, len(columns)))
        statuses = self._run(columns, out, dynamics)
        failed = [status for status in statuses if status >= 0]
        if failed:
            self._note_failure(min(failed), dynamics)
            return
        out.flags.writeable = False
        first = 0
        for key, place in wanted.items():
            size = math.prod(place.shape)
            self._found[key] = out[:, first : first + size].reshape(count, *place.shape)
            first += size

    def _run(self, columns: Ints, out: Floats, dynamics: bool) -> list[int]:
        """Return for each part of the samples the first that failed, or -1."""
        run = ready(run_batch)
        count = len(out)
        parts = max(1, min(self._workers, count // SMALLEST_PART))
        edges = [count * k // parts for k in range(parts + 1)]

        def part(k: int) -> int:
            here = slice(edges[k], edges[k + 1])
            position, velocity, acceleration = (array[here] for array in self._inputs)
            flat = self._plan.robot
            failed: int = run(
                flat.ints, flat.floats, position, velocity, acceleration, columns, out[here],
                self._plan.size, dynamics,
            )  # fmt: skip
            return failed if failed < 0 else failed + edges[k]

        if parts == 1:
            return [part(0)]
        with ThreadPoolExecutor(parts) as pool:
            return list(pool.map(part, range(parts)))

    def _note_failure(self, n: int, dynamics: bool) -> None:
        position, velocity, acceleration = (array[n].copy() for array in self._inputs)
        robot = self._plan.robot
        status = ready(run_cycle)(
            robot.ints, robot.floats, position, velocity, acceleration,
            np.empty(self._plan.size), dynamics,
        )  # fmt: skip
        self.failure = (n, status)
