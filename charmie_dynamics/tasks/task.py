# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Tasks that any process can execute: arrays in, arrays out, no state.

On processors of one type a task gives the same result in any process, so that results do not depend
on the number of workers, nor on failing workers.
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
    """A part of a job.

    Attributes
    ----------
    stage : str
        Name of the part of the work.
    number : int
        Index within the stage.
    kind : str
        Name of the computation of the job.
    arrays : mapping of str to array
        Of numbers or text.
    """

    stage: str
    number: int
    kind: str
    arrays: Arrays

    @property
    def key(self) -> str:
        """Identifier of the task, equal for equal tasks."""
        digest = hashlib.sha256(self.kind.encode())
        for name in sorted(self.arrays):
            array = np.ascontiguousarray(self.arrays[name])
            digest.update(f"{name} {array.dtype} {array.shape}".encode())
            digest.update(array.tobytes())
        return digest.hexdigest()


class Job(ABC):
    """Work that consists of tasks: their common data, and the computation of a task.

    Jobs are pickled for workers.
    """

    @property
    @abstractmethod
    def digest(self) -> str:
        """Identifier of the job: equal for equal jobs, independent of the time of creation."""

    @abstractmethod
    def execute(self, task: JobTask) -> Result:
        """Return the result of a task; it depends only on the job and the task."""
