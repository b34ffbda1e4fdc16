# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The tasks of a study: evaluate candidates, or search from a start."""

from __future__ import annotations

import hashlib
from functools import cache, cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from charmie_dynamics.studies.design.study import Study
from charmie_dynamics.studies.search.local_search import LocalSearch
from charmie_dynamics.studies.search.scalarisation import Scalarisation
from charmie_dynamics.tasks.task import Arrays, Job, JobTask, Result
from charmie_dynamics.tasks.versions import PACKAGE, imported, versions


class StudyJob(Job):
    """A study, divided into tasks.

    Parameters
    ----------
    study : Study

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics.studies import parse_study
    >>> from charmie_dynamics.studies.engine.study_job import StudyJob, evaluation_task
    >>> study = parse_study('''
    ... variables:
    ...   stiffness: {path: springs.torso_spring.stiffness, bounds: [1000, 9000]}
    ... motions: {wave: {named: wave, rate: 20}}
    ... objectives: {torso: {rms: torso_actuator}}
    ... methods: [grid]
    ... ''')
    >>> task = evaluation_task("grid", 0, np.array([[2000.0], [4000.0]]))
    >>> StudyJob(study).execute(task)["values"].shape
    (2, 1)
    """

    def __init__(self, study: Study) -> None:
        self.study = study

    @cached_property
    def digest(self) -> str:
        """Identifier of the computation: file, robot, motions and versions."""
        study = self.study
        base = study.evaluator.base
        digest = hashlib.sha256(versions().get(PACKAGE, "").encode())
        for text in (study.text, base.tree.urdf, study.mechanisms_text):
            digest.update(f"{len(text)} {text}".encode())
        digest.update(base.flat.blocks.floats.tobytes())
        for motion in study.evaluator.motions:
            for array in (motion.time, motion.position, motion.velocity, motion.acceleration):
                digest.update(array.tobytes())
        for world in study.evaluator.worlds:
            digest.update(repr(world).encode())
        return digest.hexdigest()

    def execute(self, task: JobTask) -> Result:
        """Return the result of a task.

        Returns
        -------
        dict of str to array
            ``candidates`` (N, n), ``values`` (N, m), ``reasons`` (N,), and for a search ``best``
            (n,) and ``best_values`` (m,).
        """
        # the rounding of libraries of linear algebra depends on the number of threads
        with _threads().limit(limits=1, user_api="blas"):
            return _KINDS[task.kind](self.study, task.arrays)


def evaluation_task(stage: str, number: int, candidates: npt.NDArray[np.float64]) -> JobTask:
    """Return the task to evaluate candidates (N, n)."""
    return JobTask(stage, number, "evaluate", {"candidates": candidates})


def local_task(
    stage: str,
    number: int,
    start: npt.NDArray[np.float64],
    scalarisation: Scalarisation,
    iterations: int,
) -> JobTask:
    """Return the task to search from a start (n,)."""
    arrays = {"start": start, "iterations": np.array(iterations), **scalarisation._asdict()}
    return JobTask(stage, number, "local", arrays)


@cache
def _threads() -> Any:
    """Return the thread controller of the loaded libraries.

    It is created once: a Ctrl-C during the creation is lost in a callback of threadpoolctl.
    """
    return imported("threadpoolctl", "studies need threadpoolctl").ThreadpoolController()


def _evaluate(study: Study, arrays: Arrays) -> Result:
    evaluations = [study.evaluator.evaluate(candidate) for candidate in arrays["candidates"]]
    shape = len(evaluations), len(study.names)
    return {
        "candidates": np.array(arrays["candidates"]),
        "values": np.array([each.values for each in evaluations]).reshape(shape),
        "reasons": np.array([each.reason for each in evaluations], dtype=np.str_),
    }


def _local(study: Study, arrays: Arrays) -> Result:
    scalarisation = Scalarisation(*(arrays[name] for name in Scalarisation._fields))
    result = LocalSearch(study, scalarisation).run(arrays["start"], int(arrays["iterations"]))
    return {
        "candidates": result.tried,
        "values": result.tried_values,
        "reasons": np.array(result.reasons, dtype=np.str_),
        "best": result.candidate,
        "best_values": result.values,
    }


_KINDS = {"evaluate": _evaluate, "local": _local}
