# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Parts of some work that can be computed anywhere: arrays in, arrays out, no state.

On processors of one type a task gives the same result in any process, so that results do not depend
on the number of workers, nor on workers that die.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Arrays = Mapping[str, npt.NDArray[Any]]
Result = dict[str, npt.NDArray[Any]]


class JobTask(NamedTuple):
    """A part of some work.

    Attributes
    ----------
    stage : str
        What it is a part of.
    number : int
        Which part.
    kind : str
        Which computation of its job.
    arrays : mapping of str to array
        Of numbers or text.
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


class Job(ABC):
    """Some work that consists of tasks: what they have in common, and how one is computed.

    A job is pickled for workers.
    """

    @property
    @abstractmethod
    def digest(self) -> str:
        """What the job computes, in a word: equal for equal jobs, whenever they are made."""

    @abstractmethod
    def execute(self, task: JobTask) -> Result:
        """Return what a task comes to; it depends on nothing but the job and the task."""
