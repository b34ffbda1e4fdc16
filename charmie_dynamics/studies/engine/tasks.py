# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The parts of a study that can be computed anywhere: arrays in, arrays out, no state.

A task gives the same result wherever and whenever it is computed, so that studies give equal
results with equal seeds, however many workers there are and whatever becomes of them.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.studies.design.study import Study
from charmie_dynamics.studies.search.local_search import LocalSearch
from charmie_dynamics.studies.search.scalarisation import Scalarisation

from .versions import PACKAGE, versions

Arrays = Mapping[str, npt.NDArray[Any]]


class StudyTask(NamedTuple):
    """A part of a study.

    Attributes
    ----------
    stage : str
        What it is a part of.
    number : int
        Which part.
    kind : {"evaluate", "local"}
    arrays : mapping of str to array
    """

    stage: str
    number: int
    kind: str
    arrays: Arrays

    @property
    def key(self) -> str:
        """What the task is, in a word: equal for equal tasks."""
        digest = hashlib.sha256(self.kind.encode())
        for name in sorted(self.arrays):
            array = np.ascontiguousarray(self.arrays[name])
            digest.update(f"{name} {array.dtype} {array.shape}".encode())
            digest.update(array.tobytes())
        return digest.hexdigest()


def evaluation_task(stage: str, number: int, candidates: npt.NDArray[np.float64]) -> StudyTask:
    """Return the task to evaluate candidates (N, n)."""
    return StudyTask(stage, number, "evaluate", {"candidates": candidates})


def local_task(
    stage: str,
    number: int,
    start: npt.NDArray[np.float64],
    scalarisation: Scalarisation,
    iterations: int,
) -> StudyTask:
    """Return the task to search from a start (n,)."""
    arrays = {"start": start, "iterations": np.array(iterations), **scalarisation._asdict()}
    return StudyTask(stage, number, "local", arrays)


def execute(study: Study, task: StudyTask) -> dict[str, npt.NDArray[Any]]:
    """Return what a task comes to.

    Returns
    -------
    dict of str to array
        ``candidates`` (N, n), ``values`` (N, m), ``reasons`` (N,), and of a search ``best`` (n,)
        and ``best_values`` (m,).

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics.studies.design.study_file import parse_study
    >>> from charmie_dynamics.studies.engine.tasks import evaluation_task, execute
    >>> study = parse_study('''
    ... variables:
    ...   stiffness: {path: springs.torso_spring.stiffness, bounds: [1000, 9000]}
    ... motions: {wave: {named: wave, rate: 20}}
    ... objectives: {torso: {rms: torso_actuator}}
    ... methods: [grid]
    ... ''')
    >>> result = execute(study, evaluation_task("grid", 0, np.array([[2000.0], [4000.0]])))
    >>> result["values"].shape
    (2, 1)
    """
    # libraries of linear algebra round otherwise with other numbers of threads
    with _threads().threadpool_limits(limits=1, user_api="blas"):
        return _KINDS[task.kind](study, task.arrays)


def _threads() -> Any:
    try:
        return import_module("threadpoolctl")
    except ImportError as error:
        raise CharmieError(
            f"studies need threadpoolctl, which cannot be imported ({error}); install the extra "
            "'studies'"
        ) from None


def _evaluate(study: Study, arrays: Arrays) -> dict[str, npt.NDArray[Any]]:
    found = [study.evaluator.evaluate(candidate) for candidate in arrays["candidates"]]
    shape = len(found), len(study.names)
    return {
        "candidates": np.array(arrays["candidates"]),
        "values": np.array([each.values for each in found]).reshape(shape),
        "reasons": np.array([each.reason for each in found], dtype=np.str_),
    }


def _local(study: Study, arrays: Arrays) -> dict[str, npt.NDArray[Any]]:
    scalarisation = Scalarisation(*(arrays[name] for name in Scalarisation._fields))
    found = LocalSearch(study, scalarisation).run(arrays["start"], int(arrays["iterations"]))
    return {
        "candidates": found.tried,
        "values": found.tried_values,
        "reasons": np.array(found.reasons, dtype=np.str_),
        "best": found.candidate,
        "best_values": found.values,
    }


_KINDS = {"evaluate": _evaluate, "local": _local}


def packed(study: Study) -> bytes:
    """Return a study as bytes for another process; equal for equal studies."""
    return pickle.dumps(study, protocol=4)


def digest_of(study: Study) -> str:
    """Return what a study computes, in a word: its file, its robot, its motions, and by what."""
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
