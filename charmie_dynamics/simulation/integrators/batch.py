# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Plants of one robot or world that move side by side, on several cores."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from charmie_dynamics.core.arrays import PAIRS_TOO_MANY, REACHED
from charmie_dynamics.core.contact.records import (
    WATCHED_FIRST,
    WATCHED_FORCE,
    WATCHED_SECOND,
)
from charmie_dynamics.core.integration.plants import run_plants
from charmie_dynamics.core.integration.step_arrays import StepArrays
from charmie_dynamics.core.integration.stepping import run_stages
from charmie_dynamics.errors import InputError, SimulationError
from charmie_dynamics.model.description.world.placement import EntityPose
from charmie_dynamics.model.equations.results import Energy
from charmie_dynamics.model.flat.checks import converted, require_finite
from charmie_dynamics.model.flat.parallel import run_in_parts
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.addresses import address_block, address_of
from charmie_dynamics.numerics.blocks import lay_out, places_of
from charmie_dynamics.numerics.jit import ready
from charmie_dynamics.numerics.vectors import Floats, Ints
from charmie_dynamics.simulation.contact.contact_need import default_step
from charmie_dynamics.simulation.contact.contact_scene import ContactScene
from charmie_dynamics.simulation.contact.contact_table import ContactTable
from charmie_dynamics.simulation.integrators.accuracy import BalanceWatch, unbalanced
from charmie_dynamics.simulation.integrators.energy import EnergyBalance, balance_of
from charmie_dynamics.simulation.integrators.methods import integrator_of
from charmie_dynamics.simulation.integrators.plant import LONGEST_STEP, Plant
from charmie_dynamics.simulation.integrators.step_rows import motion_of
from charmie_dynamics.simulation.integrators.stepper import NO_ROWS, Stages

MOST_STARTS = 8  # of which the step that contacts need is computed
FEWEST_STAGES = 200  # for each of two threads: below, they cost more than they save
LINE = 8  # floats of a line of the cache, so that no two threads write into one


class WatchedContacts(NamedTuple):
    """The largest normal forces of plants.

    Attributes
    ----------
    force : (n,) array
        In N; 0: no contact.
    first, second : (n,) array of int
        Shapes of the point of contact.
    """

    force: Floats
    first: Ints
    second: Ints


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
    poses : mapping of str to (n, 6) array_like, optional
        Of links that are fixed to the world, in each plant: x y z (m) roll pitch yaw (rad). They
        move the shapes of `contacts`, not the frames of the model.
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
    >>> from charmie_dynamics.simulation import PlantBatch
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
        poses: Mapping[str, npt.ArrayLike] | None = None,
        **options: Any,
    ) -> None:
        if workers is not None and workers < 1:
            raise InputError(f"workers: expected at least 1, got {workers}")
        self._workers = workers
        method = integrator_of(options.get("integrator", "rk4"))
        n = _count_of(position, velocity, count)
        p = rows_of("position", position, n, model.position_names)
        v = rows_of("velocity", velocity, n, model.velocity_names)
        scenes = [None if contacts is None else contacts.copied() for _ in range(n)]
        fixed = _poses_of(poses, n)
        for k, scene in enumerate(scenes):
            _place(scene, fixed, k)
        if options.get("step") is None:
            tried = np.unique(np.linspace(0, n - 1, MOST_STARTS, dtype=int))
            starts = np.hstack([p, v, *fixed.values()])[tried]
            options["step"] = min(
                default_step(model, scenes[k], (p[k], v[k]), method.stability, LONGEST_STEP)
                for k in tried[np.unique(starts, axis=0, return_index=True)[1]].tolist()
            )
        self._plants = [
            Plant(model, p[k], v[k], contacts=scene, **options) for k, scene in enumerate(scenes)
        ]
        self.failures: dict[int, SimulationError] = {}
        self._place(len(method.nodes))

    def _place(self, stages: int) -> None:
        """Move the arrays of all plants into one."""
        first = self._plants[0].stepper
        _, _, int_count, float_count = places_of(StepArrays, first.sizes)
        n, width = len(self._plants), LINE * (math.ceil(float_count / LINE) + 1)
        ints, floats = np.zeros((n, int_count), dtype=np.int64), np.zeros((n, width))
        for plant, own_ints, own_floats in zip(self._plants, ints, floats, strict=True):
            plant.stepper.move_arrays(own_ints, own_floats[:float_count])
        self._arrays = lay_out(StepArrays, ints, floats, first.sizes)
        self._status: Ints = np.zeros(n, dtype=np.int64)
        self._driven = first.driven
        self._laws = np.stack([plant.stepper.laws for plant in self._plants], axis=1)
        self._stages = stages
        self._method = first.method
        self._find()
        self._run: Callable[..., int] = ready(run_plants)
        self._run_stages = address_of(run_stages)

    def _find(self) -> None:
        """Collect the addresses of all plants."""
        self._addresses = address_block([plant.stepper.address for plant in self._plants])

    def __len__(self) -> int:
        """Return the number of plants."""
        return len(self._plants)

    @property
    def time(self) -> Floats:
        """Of each plant (n,), in seconds."""
        return np.array([plant.time for plant in self._plants])

    @property
    def position(self) -> Floats:
        """Positions (n, p): rad, m, pin-to-pin length."""
        return self._arrays.states.position.copy()

    @property
    def velocity(self) -> Floats:
        """Velocities (n, v)."""
        return self._arrays.velocity.copy()

    @property
    def effort(self) -> Floats:
        """Efforts (n, a) that acted, within their limits."""
        return self._arrays.acting[:, self._driven]

    @property
    def watched(self) -> WatchedContacts:
        """Return the largest forces of watched pairs in the last `advance`.

        See `ContactScene.watching`. All states are considered for which forces were computed.
        """
        totals = self._arrays.contact_totals
        first, second = (totals[:, k].astype(np.int64) for k in (WATCHED_FIRST, WATCHED_SECOND))
        return WatchedContacts(totals[:, WATCHED_FORCE].copy(), first, second)

    def contacts(self, plant: int) -> ContactTable:
        """Return the points of contact of one plant."""
        return self._of(plant).contacts

    def energy(self, plant: int) -> EnergyBalance:
        """Return the energies (J) of one plant, see `Plant.energy`."""
        return self._of(plant).energy

    def carry(self, plant: int, model: Model) -> None:
        """Replace the loads of one plant, see `Plant.carry`.

        Examples
        --------
        >>> from charmie_dynamics import Payload, load_model
        >>> from charmie_dynamics.simulation import PlantBatch
        >>> model = load_model()
        >>> batch = PlantBatch(model, model.zero_position(), count=2)
        >>> batch.carry(1, model.with_loads({"left_tool": Payload(1.0)}))
        >>> batch.advance([model.compute(model.zero_position()).actuator_effort] * 2, steps=10)
        >>> bool(abs(batch.velocity[0]).max() < 1e-6 < abs(batch.velocity[1]).max())
        True
        """
        self._of(plant).carry(model)
        self._find()

    def scale_friction(self, plant: int, factor: float) -> None:
        """Multiply the contact friction of one plant, see `ContactScene.scale_friction`."""
        scene = self._of(plant).stepper.contacts
        if scene is not None:
            scene.scale_friction(factor)

    def reset(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike | None = None,
        plants: Sequence[int] | None = None,
        time: float = 0.0,
        poses: Mapping[str, npt.ArrayLike] | None = None,
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
        poses : mapping of str to (k, 6) array_like, optional
            Of links that are fixed to the world, as at the beginning; the others stay.

        Raises
        ------
        CharmieError
            As `Plant.reset`.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.simulation import PlantBatch
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
        fixed = _poses_of(poses, len(which))
        for row, k in enumerate(which):
            _place(self._of(k).stepper.contacts, fixed, row)
            self._of(k).reset(p[row], v[row], time)
            self.failures.pop(k, None)

    def advance(
        self,
        effort: npt.ArrayLike,
        steps: int = 1,
        position: npt.ArrayLike | None = None,
        velocity: npt.ArrayLike | None = None,
        acceleration: npt.ArrayLike | None = None,
    ) -> None:
        """Advance all plants by some steps under constant efforts, as `Plant.advance`.

        Parameters
        ----------
        effort : (n, a) array_like
        steps : int
        position, velocity, acceleration : (n, a) array_like, optional
            Targets of the drives.

        Raises
        ------
        InputError
            As `Plant.advance`.
        SimulationError
            If a plant cannot take a step, after all others have taken theirs; see `failures`.

        Examples
        --------
        >>> import numpy as np
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.simulation import PlantBatch
        >>> model = load_model("scara")
        >>> batch = PlantBatch(model, model.zero_position(), count=2)
        >>> batch.advance(np.ones((2, 5)), steps=100)
        >>> bool((batch.velocity[0] == batch.velocity[1]).all())
        True
        """
        self._arrays.asked[:, self._driven] = self._checked("effort", effort)
        if position is not None:
            self._plants[0].stepper.require_drives()
            aim = self._checked("target position", position)
            rate: Any = 0.0 if velocity is None else self._checked("target velocity", velocity)
            change: Any = 0.0
            if acceleration is not None:
                change = self._checked("target acceleration", acceleration)
            self._arrays.target_position[:, self._driven] = aim
            self._arrays.target_velocity[:, self._driven] = rate
            self._arrays.target_acceleration[:, self._driven] = change
        self._arrays.contact_totals[:, WATCHED_FORCE] = 0.0
        h, stages = self._plants[0].step, steps * self._stages

        def make_work() -> Callable[[slice], int]:
            def work(here: slice) -> int:
                return self._run(
                    self._run_stages, self._addresses, here.start, here.stop,
                    self._method, stages, h, NO_ROWS, self._status,
                )  # fmt: skip

            return work

        smallest = math.ceil(FEWEST_STAGES / max(1, stages))
        failed = run_in_parts(len(self), self._workers, make_work, smallest, 1)
        if any(failed):
            self._retry(stages, h)
        for plant in self._plants:
            plant.note()
        self.failures = self._refused()
        if self.failures:
            raise self._first_failure()

    def _checked(self, subject: str, given: npt.ArrayLike) -> Floats:
        names = self._plants[0].model.actuator_names
        found = converted(subject, given, (len(self), len(names)))
        require_finite(subject, found, names)
        return found

    def _refused(self) -> dict[int, SimulationError]:
        found, due, watches = {}, [], []
        rows = np.empty((len(self), self._plants[0].stepper.row_size))
        for k, plant in enumerate(self._plants):
            if self._status[k] != REACHED:
                cause = plant.stepper.error_of(int(self._status[k]))
                found[k] = plant.stopped(cause)
                found[k].__cause__ = cause
                continue
            try:
                watch = plant.due_watch(rows[k : k + 1])
            except SimulationError as error:
                found[k] = error
                continue
            if watch is not None:
                due.append(k)
                watches.append(watch)
        if due:
            faults = self._unbalanced(due, watches, rows[due])
            found |= {due[i]: fault for i, fault in faults.items()}
        return dict(sorted(found.items()))

    def _unbalanced(
        self, which: Sequence[int], watches: Sequence[BalanceWatch], rows: Floats
    ) -> dict[int, SimulationError]:
        """Check the balances of some plants at once, see `Plant.require_balance`."""
        plants = [self._plants[k] for k in which]
        stepper = plants[0].stepper
        motion = motion_of(stepper, np.array([plant.time for plant in plants]), rows)
        stored = [
            plant.model.energy(position, velocity)
            for plant, position, velocity in zip(
                plants, motion.position, motion.velocity, strict=True
            )
        ]
        laws = self._laws[:, which]
        energy = balance_of(Energy(*np.array(stored).T), laws, stepper.entries, motion, None)
        return unbalanced(watches, motion, energy)

    def _retry(self, stages: int, h: float) -> None:
        """Enlarge the workspace of plants with too many pairs of near shapes, and run them."""
        whole = Stages(self._method, 0, stages)
        for k in np.flatnonzero(self._status == PAIRS_TOO_MANY).tolist():
            while self._status[k] == PAIRS_TOO_MANY:
                self._status[k] = self._plants[k].stepper.retry(whole, h)

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


def _poses_of(poses: Mapping[str, npt.ArrayLike] | None, count: int) -> dict[str, Floats]:
    return {
        link: converted(f"poses of '{link}'", given, (count, 6))
        for link, given in (poses or {}).items()
    }


def _place(scene: ContactScene | None, poses: Mapping[str, Floats], row: int) -> None:
    """Move the shapes of fixed links of one plant."""
    for link, rows in poses.items():
        if scene is None:
            raise InputError(f"pose of '{link}': expected a plant with contacts")
        pose = EntityPose.of(tuple(rows[row].tolist()))
        scene.place(link, pose.p_world_body, pose.R_world_body)


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
