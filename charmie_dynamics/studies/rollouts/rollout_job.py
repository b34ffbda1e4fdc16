# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Rollouts: a robot or world under a policy, from many starts, with many parameters.

They run in parallel on the cores of a worker, and on all workers. The results do not depend on the
distribution.
"""

from __future__ import annotations

import hashlib
import inspect
import pickle
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from charmie_dynamics.errors import InputError, SimulationError
from charmie_dynamics.model.flat.checks import converted, finite_numbers, require_finite
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation import PlantBatch, World
from charmie_dynamics.simulation.integrators.batch import rows_of
from charmie_dynamics.simulation.integrators.plant import LONGEST_STEP
from charmie_dynamics.tasks.engine import TaskEngine
from charmie_dynamics.tasks.task import Arrays, Job, JobTask, Result
from charmie_dynamics.tasks.versions import PACKAGE, versions

Policy = Callable[[Floats, Floats, Floats, Floats], npt.ArrayLike]
Reward = Callable[[Floats, Floats, Floats], npt.ArrayLike]
# rollouts per task, independent of the number of workers, so that results do not depend on it
CHUNK = 16


class Rollouts(NamedTuple):
    """Results of rollouts.

    Attributes
    ----------
    time : (t + 1,) array
        In seconds.
    position, velocity : (N, t + 1, p), (N, t + 1, v) array
        NaN after a failure; t is 0 without stored motions: the start only.
    effort : (N, t, a) array
        Efforts that acted.
    total_reward : (N,) array
        Sum of the rewards, each times the period; for a failed rollout up to the failure.
    duration : (N,) array
        Duration of each rollout (s).
    reasons : (N,) array of str
        Reason of a failure; empty without one.
    """

    time: Floats
    position: Floats
    velocity: Floats
    effort: Floats
    total_reward: Floats
    duration: Floats
    reasons: Any


class RolloutJob(Job):
    """Rollouts of a policy on a robot or in a world.

    Parameters
    ----------
    source : Model or World
    policy : callable
        ``policy(parameters, time, position, velocity)``, called with (N, k), (N,), (N, p), (N, v)
        arrays, returns the efforts (N, a) for a period. Each row may depend only on the same row of
        the arguments: N varies between calls.
    duration : float
        In seconds.
    rate : float
        Rate of decisions (Hz); a period is a whole number of steps.
    reward : callable, optional
        ``reward(position, velocity, effort)`` after a period, returns (N,); default: zero.
    keep_motion : bool
        Return positions, velocities and efforts.
    threads : int
        Number of threads for the rollouts of a task. More than one are for workers with a machine
        of their own.
    **options
        Step, integrator and so on, as of a `Plant`; a period is a whole number of steps.

    Raises
    ------
    InputError
        For bad input.

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.studies import RolloutJob, roll_out
    >>> from charmie_dynamics.tasks.engine import SerialEngine
    >>> def spring(parameters, time, position, velocity):
    ...     return -parameters[:, :1] * position - parameters[:, 1:] * velocity
    >>> job = RolloutJob(load_model("scara"), spring, duration=0.1)
    >>> with SerialEngine(job) as engine:
    ...     found = roll_out(engine, [[5e-3, 1e-3], [1e-2, 2e-3]], position=[0.1] * 5)
    >>> found.position.shape, found.reasons.tolist()
    ((2, 11, 5), ['', ''])
    """

    def __init__(
        self,
        source: Model | World,
        policy: Policy,
        duration: float,
        rate: float = 100.0,
        *,
        reward: Reward | None = None,
        keep_motion: bool = True,
        threads: int = 1,
        **options: Any,
    ) -> None:
        if isinstance(source, World) and options.get("step") is None and rate > 0.0:
            need = source.contact_need(options.get("integrator", "rk4"))
            if need is not None and need.step < LONGEST_STEP:
                options["step"] = 1.0 / (rate * np.ceil(1.0 / (rate * need.step)))
        step = float(options.setdefault("step", LONGEST_STEP))
        for name, value in (("duration", duration), ("rate", rate), ("step", step)):
            if not (np.isfinite(value) and value > 0.0):
                raise InputError(f"{name}: expected a finite number above 0, got {value}")
        self._steps = round(1.0 / (rate * step))
        if self._steps < 1 or abs(self._steps * step * rate - 1.0) > 1e-9:
            raise InputError(
                f"rate: expected periods of a whole number of steps of {step:g} s, got {rate:g} Hz"
            )
        self.source, self._policy, self._reward = source, policy, reward
        self._count, self.period = max(1, round(duration * rate)), self._steps * step
        self._keep, self._threads, self._options = keep_motion, threads, options

    @property
    def model(self) -> Model:
        """Of the robot or world."""
        return self.source.model if isinstance(self.source, World) else self.source

    @property
    def digest(self) -> str:
        """Identifier of the computation: the robot or world, the policy's text, and the options."""
        digest = hashlib.sha256(versions().get(PACKAGE, "").encode())
        digest.update(self.model.flat.blocks.floats.tobytes())
        if isinstance(self.source, World):
            digest.update(repr(self.source.description).encode())
        how = self._count, self._steps, self._keep, sorted(self._options.items())
        for part in (repr(how), _text_of(self._policy), _text_of(self._reward)):
            digest.update(f"{len(part)} {part}".encode())
        return digest.hexdigest()

    def execute(self, task: JobTask) -> Result:
        """Return the rollouts of a task: the fields of `Rollouts`, by name.

        Examples
        --------
        >>> import numpy as np
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.studies import RolloutJob
        >>> from charmie_dynamics.tasks.task import JobTask
        >>> job = RolloutJob(load_model("scara"), lambda k, t, p, v: k, duration=0.1)
        >>> rows = dict.fromkeys(("parameters", "position", "velocity"), np.zeros((3, 5)))
        >>> job.execute(JobTask("some", 0, "roll_out", rows))["effort"].shape
        (3, 10, 5)
        """
        rollouts = self._rolled_out(task.arrays)
        return {name: np.asarray(value) for name, value in rollouts._asdict().items()}

    def _rolled_out(self, arrays: Arrays) -> Rollouts:
        batch = PlantBatch(
            self.model, arrays["position"], arrays["velocity"], workers=self._threads,
            contacts=self.source.contacts if isinstance(self.source, World) else None,
            **self._options,
        )  # fmt: skip
        kept = self._count if self._keep else 0
        n, a = len(batch), len(self.model.actuator_names)
        position, velocity = (
            np.full((n, kept + 1, each.shape[1]), np.nan)
            for each in (batch.position, batch.velocity)
        )
        position[:, 0], velocity[:, 0] = batch.position, batch.velocity
        effort = np.full((n, kept, a), np.nan)
        total: Floats = np.zeros(n)
        lasted: Floats = np.zeros(n)
        reasons = [""] * n
        for k in range(self._count):
            wanted = self._wanted(arrays["parameters"], batch, reasons)
            try:
                batch.advance(wanted, self._steps)
            except SimulationError:
                for plant, error in batch.failures.items():
                    reasons[plant] = reasons[plant] or str(error)
            going = np.array([not reason for reason in reasons])
            if not going.any():
                break
            lasted[going] += self.period
            now = batch.position, batch.velocity, batch.effort
            if self._reward is not None:
                gained = np.broadcast_to(np.asarray(self._reward(*now), dtype=np.float64), (n,))
                total[going] += gained[going] * self.period
            if self._keep:
                position[going, k + 1], velocity[going, k + 1], effort[going, k] = (
                    each[going] for each in now
                )
        time = np.arange(kept + 1, dtype=np.float64) * self.period
        texts = np.array(reasons, dtype=np.str_)
        return Rollouts(time, position, velocity, effort, total, lasted, texts)

    def _wanted(self, parameters: Floats, batch: PlantBatch, reasons: list[str]) -> Floats:
        """Return the efforts of the policy, and record invalid ones."""
        efforts = self._policy(parameters, batch.time, batch.position, batch.velocity)
        shape = len(parameters), len(self.model.actuator_names)
        wanted = np.array(converted("the policy's efforts", efforts, shape))
        for k, effort in enumerate(wanted):
            if not np.isfinite(effort).all():
                wrong = f"at {batch.time[k]:.6g} s: the policy's effort is {effort}"
                reasons[k] = reasons[k] or wrong
                wanted[k] = 0.0
        return wanted


def roll_out(
    engine: TaskEngine[RolloutJob],
    parameters: npt.ArrayLike,
    position: npt.ArrayLike | None = None,
    velocity: npt.ArrayLike | None = None,
    stage: str = "rollouts",
) -> Rollouts:
    """Return rollouts with parameters (N, k), each from its start.

    Parameters
    ----------
    engine : TaskEngine of a RolloutJob
        This process (`SerialEngine`) or workers (`DaskEngine`); results are the same.
    parameters : (N, k) array_like
        Of the policy.
    position : (p,) or (N, p) array_like, optional
        At the start; default: that of the world, or the zero position.
    velocity : (v,) or (N, v) array_like, optional
        Default: zero.
    stage : str
        Prefix in the journal; must differ between calls.

    Raises
    ------
    InputError
        If shapes do not match, or numbers are not finite.
    CharmieError
        If the workers cannot compute.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.studies import RolloutJob, roll_out
    >>> from charmie_dynamics.tasks.engine import SerialEngine
    >>> def constant(parameters, time, position, velocity):
    ...     return parameters
    >>> job = RolloutJob(load_model("scara"), constant, duration=0.05, keep_motion=False,
    ...     reward=lambda position, velocity, effort: position[:, 0])
    >>> with SerialEngine(job) as engine:
    ...     total = roll_out(engine, [[0.0] * 5, [1.0] + [0.0] * 4]).total_reward
    >>> bool(total[1] > total[0])
    True
    """
    job = engine.job
    shape = np.shape(parameters)
    if len(shape) != 2 or not shape[0]:
        raise InputError(f"parameters: expected shape (N, k) with N above 0, got {shape}")
    rows = finite_numbers("parameters", parameters, shape)
    start: tuple[Floats, Floats | None] = job.model.zero_position(), None
    if isinstance(job.source, World):
        start = job.source.position, job.source.velocity
    initial = (
        start[0] if position is None else position,
        start[1] if velocity is None else velocity,
    )
    names = job.model.position_names, job.model.velocity_names
    p, v = (
        rows_of(name, each, len(rows), own)
        for name, each, own in zip(("position", "velocity"), initial, names, strict=True)
    )
    require_finite("position", p, names[0])
    require_finite("velocity", v, names[1])
    arrays = {"parameters": rows, "position": p, "velocity": v}
    tasks = [
        JobTask(stage, k, "roll_out", {name: each[i : i + CHUNK] for name, each in arrays.items()})
        for k, i in enumerate(range(0, len(rows), CHUNK))
    ]
    parts = [Rollouts(**result) for result in engine.run(tasks)]
    joined = (np.concatenate(each) for each in list(zip(*parts, strict=True))[1:])
    return Rollouts(parts[0].time, *joined)


def _text_of(function: Any) -> str:
    """Return an identifier of a function: its text if available, else its pickle."""
    try:
        return inspect.getsource(function)
    except (TypeError, OSError):
        pass
    try:
        return pickle.dumps(function, protocol=4).hex()
    except (pickle.PicklingError, AttributeError, TypeError):
        return repr(getattr(function, "__qualname__", type(function)))
