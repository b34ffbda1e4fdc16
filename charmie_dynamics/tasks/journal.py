# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Stored results of a job: a file per task, so that a resumed job computes only the others."""

from __future__ import annotations

import io
import json
import os
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from charmie_dynamics.errors import CharmieError

from .task import JobTask, Result

JOB = "job.json"
# Errors of reading a file that is incomplete or damaged. With a damaged header, zipfile raises
# NotImplementedError and RuntimeError (encrypted), bz2 an OSError. Such a result is computed again.
TORN = (ValueError, KeyError, EOFError, RuntimeError, OSError, zipfile.BadZipFile, zlib.error)


class Journal:
    """Results of the tasks of one job in a folder.

    A result is written completely or not at all: the file is renamed at the end.

    Parameters
    ----------
    folder : Path
        Created if it is missing.
    digest : str
        Of the job.

    Raises
    ------
    CharmieError
        If the folder contains the results of another job, or cannot be created.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from charmie_dynamics.tasks.journal import Journal
    >>> from charmie_dynamics.tasks.task import JobTask
    >>> task = JobTask("grid", 0, "evaluate", {"candidates": np.zeros((1, 2))})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     journal = Journal(Path(folder), "a job")
    ...     journal.write(task, {"values": np.ones(1)})
    ...     Journal(Path(folder), "a job").read(task)["values"]
    array([1.])
    """

    def __init__(self, folder: Path, digest: str) -> None:
        self._folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CharmieError(f"'{folder}': expected a folder, got {error.strerror}") from error
        path = folder / JOB
        if not path.exists():
            _write(path, json.dumps({"digest": digest}).encode())
        elif _digest_in(path) != digest:
            raise CharmieError(
                f"'{folder}' holds results of other work, or of work whose files, robot or "
                "motions have changed since, or of another version of this package; expected "
                "an empty folder: choose another, or remove it"
            )

    def read(self, task: JobTask) -> Result | None:
        """Return the result of a task; None if it is not stored."""
        try:
            content = io.BytesIO(self._path(task).read_bytes())
        except FileNotFoundError:
            return None
        try:
            with np.load(content, allow_pickle=False) as archive:
                result = {name: archive[name] for name in archive.files}
            key, *names = np.atleast_1d(result.pop("key")).tolist()
        except TORN:
            return None
        # results of earlier versions have no names
        is_whole = not names or names == sorted(result)
        return result if key == task.key and is_whole else None

    def write(self, task: JobTask, result: Result) -> None:
        """Store the result of a task."""
        content = io.BytesIO()
        # the names reveal arrays that a damaged directory of the file lacks
        arrays: Any = {"key": np.array([task.key, *sorted(result)]), **result}
        np.savez_compressed(content, **arrays)
        _write(self._path(task), content.getvalue())

    def _path(self, task: JobTask) -> Path:
        return self._folder / f"{task.stage}-{task.number:06d}.npz"


def _digest_in(path: Path) -> str:
    """Return the digest of the job with results in a folder; empty if it cannot be read."""
    try:
        return str(json.loads(path.read_text(encoding="utf-8"))["digest"])
    except (ValueError, KeyError, TypeError):
        return ""


def _write(path: Path, content: bytes) -> None:
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    with partial.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
