# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Plants of one robot or world that move side by side, on several cores."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from charmie_dynamics.core.arrays import PAIRS_TOO_MANY, REACHED
from charmie_dynamics.core.integration.plants import run_plants
from charmie_dynamics.core.integration.stepping import run_stages
from charmie_dynamics.errors import InputError, SimulationError
from charmie_dynamics.model.flat.checks import converted, require_finite
from charmie_dynamics.model.flat.parallel import run_in_parts
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.addresses import address_of, address_table
from charmie_dynamics.numerics.jit import entry_of
from charmie_dynamics.numerics.vectors import Floats, Ints
from charmie_dynamics.simulation.contact.contact_scene import ContactScene
from charmie_dynamics.simulation.contact.contact_step import default_step
from charmie_dynamics.simulation.energy import EnergyBalance
from charmie_dynamics.simulation.integrators import integrator_of
from charmie_dynamics.simulation.plant import LONGEST_STEP, Plant
from charmie_dynamics.simulation.world_run import ContactTable

MOST_STARTS = 8  # of which the step that contacts need is computed
FEWEST_STAGES = 200  # for each of two threads: below, they cost more than they save
LINE = 8  # floats of a line of the cache, so that no two threads write into one


class PlantBatch:
    """Plants of one robot or world that move side by side, on several cores.

    Each moves as a `Plant` alone with the same step, bit for bit, however many there are and on
    however many cores. Plants are independent: one that fails stops, and the
    others continue.

    Parameters
    ----------
    model : Model
    position : (p,) or (n, p) array_like
        At the start, the same for all or of each plant.
    velocity : (v,) or (n, v) array_like, optional
        Zero if omitted.
    count : int, optional
        n; required unless position or velocity has a row for each plant.
    workers : int, optional
        Number of threads; one for each core if omitted.
    contacts : ContactScene, optional
        Shapes that may touch, see `World.contacts`.
    **options
        Integrator, step and so on, as of a `Plant`. If the step is omitted, contacts are
        considered at up to `MOST_STARTS` of the starts, and all plants have the shortest step.

    Raises
    ------
    InputError
        As `Plant`, and if numbers of plants differ.
    UnknownNameError
        As `Plant`.

    Attributes
    ----------
    failures : dict of int to SimulationError
        Plants that could not take all steps of the last `advance`, and why; and those that have
        lost the balance of their energies, see `Plant.require_balance`. The former are where
        they were before the step that failed, the latter at the end of `advance`. `reset` such a
        plant, or `advance` tries again.

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics.simulation import load_world
    >>> from charmie_dynamics.simulation.batch import PlantBatch
    >>> world = load_world("athena")
    >>> start = {"contacts": world.contacts, "step": 5e-4}
    >>> batch = PlantBatch(world.model, world.position, count=3, **start)
    >>> effort = np.zeros((3, 18))
    >>> effort[1] = 0.1
    >>> batch.advance(effort, steps=40)
    >>> batch.position.shape, batch.time.round(6).tolist()
    ((3, 25), [0.02, 0.02, 0.02])
    >>> bool((batch.position[0] == batch.position[2]).all())
    True
    >>> batch.reset(world.position, plants=[1])
    >>> batch.time.round(6).tolist()
    [0.02, 0.0, 0.02]
    """

    def __init__(
        self,
        model: Model,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        *,
        count: int | None = None,
        workers: int | None = None,
        contacts: ContactScene | None = None,
        **options: Any,
    ) -> None:
        if workers is not None and workers < 1:
            raise InputError(f"workers: expected at least 1, got {workers}")
        self._workers = workers
        method = integrator_of(options.get("integrator", "rk4"))
        n = _count_of(position, velocity, count)
        p = rows_of("position", position, n, model.position_names)
        v = rows_of("velocity", velocity, n, model.velocity_names)
        if options.get("step") is None:
            rows = np.hstack([p, v])[np.unique(np.linspace(0, n - 1, MOST_STARTS, dtype=int))]
            starts = (np.split(row, [p.shape[1]]) for row in np.unique(rows, axis=0))
            options["step"] = min(
                default_step(model, contacts, (start[0], start[1]), method.stability, LONGEST_STEP)
                for start in starts
            )
        self._plants = [
            Plant(
                model, p[k], v[k], contacts=None if contacts is None else contacts.copied(),
                **options,
            )
            for k in range(n)
        ]  # fmt: skip
        self.failures: dict[int, SimulationError] = {}
        self._place(len(method.nodes))

    def _place(self, stages: int) -> None:
        """Move the arrays of all plants into one."""
        first = self._plants[0].stepper
        ends = np.cumsum([0, *(len(array) for array in first.arrays)])
        names = first.arrays._fields
        self._at = {
            name: slice(int(a), int(b))
            for name, a, b in zip(names, ends[:-1], ends[1:], strict=True)
        }
        n, width = len(self._plants), LINE * (math.ceil(int(ends[-1]) / LINE) + 1)
        self._arrays: Floats = np.zeros((n, width))
        index = np.zeros((n, 2 * len(first.arrays.velocity) + 2), dtype=np.int64)
        for plant, row, of_plant in zip(self._plants, self._arrays, index, strict=True):
            plant.stepper.place(row, of_plant)
        self._status: Ints = np.zeros(n, dtype=np.int64)
        self._whole = ends.astype(np.int64), self._status, index
        self._tables = first.tables
        self._driven = first.driven
        self._stages = stages
        self._method = first.method
        self._addresses = address_table([plant.stepper.addresses for plant in self._plants])
        self._run: Callable[..., int] = entry_of(run_plants)
        self._run_stages = address_of(run_stages)

    def __len__(self) -> int:
        """Return the number of plants."""
        return len(self._plants)

    @property
    def time(self) -> Floats:
        """Of each plant (n,), in seconds.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.simulation.batch import PlantBatch
        >>> model = load_model("scara")
        >>> PlantBatch(model, model.zero_position(), count=2).time
        array([0., 0.])
        """
        return np.array([plant.time for plant in self._plants])

    @property
    def position(self) -> Floats:
        """Positions (n, p): rad, m, pin-to-pin length.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.simulation.batch import PlantBatch
        >>> model = load_model("scara")
        >>> PlantBatch(model, model.zero_position(), count=2).position.shape
        (2, 5)
        """
        first = self._at["position"].start
        width = len(self._plants[0].stepper.position)
        return self._arrays[:, first : first + width].copy()

    @property
    def velocity(self) -> Floats:
        """Velocities (n, v).

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.simulation.batch import PlantBatch
        >>> model = load_model("scara")
        >>> PlantBatch(model, [0.0] * 5, [[0.1] * 5, [0.2] * 5]).velocity[:, 0]
        array([0.1, 0.2])
        """
        return self._arrays[:, self._at["velocity"]].copy()

    @property
    def effort(self) -> Floats:
        """Efforts (n, a) that acted, within their limits.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.simulation.batch import PlantBatch
        >>> model = load_model("scara")
        >>> batch = PlantBatch(model, model.zero_position(), count=2)
        >>> batch.advance([[0.5] * 5, [0.0] * 5])
        >>> batch.effort[:, 0]
        array([0.5, 0. ])
        """
        return self._arrays[:, self._at["acting"]][:, self._driven]

    def contacts(self, plant: int) -> ContactTable:
        """Return the points of contact of one plant.

        Examples
        --------
        >>> from charmie_dynamics.simulation import load_world
        >>> from charmie_dynamics.simulation.batch import PlantBatch
        >>> world = load_world("athena")
        >>> batch = PlantBatch(world.model, world.position, count=2, contacts=world.contacts)
        >>> len(batch.contacts(1))
        6
        """
        return self._of(plant).contacts

    def energy(self, plant: int) -> EnergyBalance:
        """Return the energies (J) of one plant, see `Plant.energy`.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.simulation.batch import PlantBatch
        >>> model = load_model("scara")
        >>> float(PlantBatch(model, model.zero_position(), count=2).energy(0).kinetic)
        0.0
        """
        return self._of(plant).energy

    def carry(self, plant: int, model: Model) -> None:
        """Replace the loads of one plant, see `Plant.carry`.

        Examples
        --------
        >>> from charmie_dynamics import Payload, load_model
        >>> from charmie_dynamics.simulation.batch import PlantBatch
        >>> model = load_model()
        >>> batch = PlantBatch(model, model.zero_position(), count=2)
        >>> batch.carry(1, model.with_loads({"left_tool": Payload(1.0)}))
        >>> batch.advance([model.compute(model.zero_position()).actuator_effort] * 2, steps=10)
        >>> bool(abs(batch.velocity[0]).max() < 1e-6 < abs(batch.velocity[1]).max())
        True
        """
        self._of(plant).carry(model)
        self._addresses = address_table([each.stepper.addresses for each in self._plants])

    def reset(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        plants: Sequence[int] | None = None,
        time: float = 0.0,
    ) -> None:
        """Restart at a state and a time (s), with zero effort; the other plants are unchanged.

        Parameters
        ----------
        position : (p,) or (k, p) array_like
            The same for all k plants, or of each.
        velocity : (v,) or (k, v) array_like, optional
            Zero if omitted.
        plants : sequence of int, optional
            Which; all if omitted.
        time : float

        Raises
        ------
        CharmieError
            As `Plant.reset`.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.simulation.batch import PlantBatch
        >>> model = load_model("scara")
        >>> batch = PlantBatch(model, model.zero_position(), count=3)
        >>> batch.reset([0.1] * 5, plants=[2])
        >>> batch.position[:, 0]
        array([0. , 0. , 0.1])
        """
        which = range(len(self)) if plants is None else plants
        model = self._plants[0].model
        p = rows_of("position", position, len(which), model.position_names)
        v = rows_of("velocity", velocity, len(which), model.velocity_names)
        for row, k in enumerate(which):
            self._of(k).reset(p[row], v[row], time)
            self.failures.pop(k, None)

    def advance(self, effort: npt.ArrayLike, steps: int = 1) -> None:
        """Advance all plants by some steps under constant efforts (n, a).

        Raises
        ------
        InputError
            For efforts of the wrong shape or that are not finite.
        SimulationError
            If a plant cannot take a step, after all others have taken theirs; see `failures`.

        Examples
        --------
        >>> import numpy as np
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.simulation.batch import PlantBatch
        >>> model = load_model("scara")
        >>> batch = PlantBatch(model, model.zero_position(), count=2)
        >>> batch.advance(np.ones((2, 5)), steps=100)
        >>> bool((batch.velocity[0] == batch.velocity[1]).all())
        True
        """
        names = self._plants[0].model.actuator_names
        given = converted("effort", effort, (len(self), len(names)))
        require_finite("effort", given, names)
        self._arrays[:, self._at["asked"].start + self._driven] = given
        h, how = self._plants[0].step, (self._method, 0, steps * self._stages)

        def make_work() -> Callable[[slice], int]:
            def work(here: slice) -> int:
                which = self._run_stages, here.start, here.stop
                return self._run(
                    which, self._addresses, how, self._whole, self._tables, self._arrays, h
                )

            return work

        smallest = math.ceil(FEWEST_STAGES / max(1, how[2]))
        failed = run_in_parts(len(self), self._workers, make_work, smallest, 1)
        if any(failed):
            self._retry(how, h)
        for plant in self._plants:
            plant.note()
        self.failures = self._refused()
        if self.failures:
            raise self._first_failure()

    def _refused(self) -> dict[int, SimulationError]:
        found = {}
        for k, plant in enumerate(self._plants):
            if self._status[k] != REACHED:
                cause = plant.stepper.refusal(int(self._status[k]))
                found[k] = plant.stopped(cause)
                found[k].__cause__ = cause
                continue
            try:
                plant.require_balance()
            except SimulationError as error:
                found[k] = error
        return found

    def _retry(self, how: tuple[int, int, int], h: float) -> None:
        """Enlarge the workspace of plants with too many pairs of near shapes, and run them."""
        few = np.flatnonzero(self._status == PAIRS_TOO_MANY).tolist()
        for k in few:
            while self._status[k] == PAIRS_TOO_MANY:
                self._status[k] = self._plants[k].stepper.retry(how, h)
        if few:
            self._addresses = address_table([each.stepper.addresses for each in self._plants])

    def _first_failure(self) -> SimulationError:
        """Return the error that names the plants that failed."""
        (first, error), *others = self.failures.items()
        more = ""
        if others:
            more = f"; likewise plants {', '.join(str(k) for k, _ in others)}"
        found = SimulationError(error.time, f"plant {first}: {error.message}{more}")
        found.__cause__ = error
        return found

    def _of(self, plant: int) -> Plant:
        if not 0 <= plant < len(self):
            raise InputError(f"plant: expected a number from 0 to {len(self) - 1}, got {plant}")
        return self._plants[plant]


def _count_of(position: npt.ArrayLike, velocity: npt.ArrayLike | None, count: int | None) -> int:
    """Return the number of plants."""
    counts = {} if count is None else {"count": int(count)}
    for name, given in (("position", position), ("velocity", velocity)):
        if given is not None and np.ndim(given) == 2:
            counts[name] = len(np.asarray(given))
    if len(set(counts.values())) != 1 or min(counts.values()) < 1:
        raise InputError(
            "plants: expected one number of at least 1, by count or by rows of position or "
            f"velocity, got {counts or 'none'}"
        )
    return next(iter(counts.values()))


def rows_of(subject: str, given: npt.ArrayLike | None, count: int, names: Sequence[str]) -> Floats:
    """Return an input of each plant (count, k), zeros if it is None."""
    shape = count, len(names)
    if given is None:
        return np.zeros(shape)
    if np.ndim(given) == 1:
        return np.tile(converted(subject, given, shape[1:]), (count, 1))
    return converted(subject, given, shape)
