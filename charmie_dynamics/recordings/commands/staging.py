# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Results are written to temporary places, and moved when all are complete.

A process that is killed leaves no partial file or folder at the final place.
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NAME = "{name}"  # in the path of a result: the recording's name
SINGLE = ("json", "friction", "plots", "out")  # options, besides the list of --export


def results_of(options: argparse.Namespace) -> list[Path]:
    """Return the paths of all requested results, that of a bag last.

    Examples
    --------
    >>> import argparse
    >>> from pathlib import Path
    >>> from charmie_dynamics.recordings.commands.staging import results_of
    >>> asked = argparse.Namespace(export=[Path("a.csv")], json=None, friction=None, plots=None)
    >>> asked.out = Path("{name}")
    >>> results_of(asked) == [Path("a.csv"), Path("{name}")]
    True
    """
    single = (getattr(options, name) for name in SINGLE)
    return [*options.export, *(path for path in single if path is not None)]


def name_of(recording: Path) -> str:
    """Return the name of a recording: its folder, or its file without the ending."""
    return recording.stem if recording.is_file() else recording.resolve().name


def with_name(options: argparse.Namespace, recording: Path) -> argparse.Namespace:
    """Return the options for one recording, with its name inserted into the paths of results."""
    name = name_of(recording)

    def placed(path: Path | None) -> Path | None:
        return None if path is None else Path(str(path).replace(NAME, name))

    options_in_stage = argparse.Namespace(**vars(options))
    options_in_stage.recording = recording
    options_in_stage.export = [placed(path) for path in options.export]
    for option in SINGLE:
        setattr(options_in_stage, option, placed(getattr(options, option)))
    return options_in_stage


@contextmanager
def staged(options: argparse.Namespace) -> Iterator[argparse.Namespace]:
    """Yield options with temporary places of the results; move these to their places in the end.

    Existing results are overwritten: if a process was killed after moving its results, repeating
    the computation yields the same ones.
    """
    moves: list[tuple[Path, Path]] = []

    def beside(path: Path) -> Path:
        folder = f".{path.name}.{socket.gethostname()}.{os.getpid()}.partial"
        moves.append((path.absolute().parent / folder / path.name, path))
        return moves[-1][0]

    changed = argparse.Namespace(**vars(options))
    changed.export = [beside(path) for path in options.export]
    for name in SINGLE:
        if getattr(options, name) is not None:
            setattr(changed, name, beside(getattr(options, name)))
    try:
        for partial, _ in moves:
            partial.parent.mkdir(parents=True, exist_ok=True)
        yield changed
        for partial, path in moves:
            _move(partial, path)
    finally:
        for partial, _ in moves:
            shutil.rmtree(partial.parent, ignore_errors=True)


def clear(paths: list[Path]) -> None:
    """Remove temporary files that killed processes left."""
    for path in paths:
        for left in path.absolute().parent.glob(f".{path.name}.*.partial"):
            shutil.rmtree(left, ignore_errors=True)


def _move(partial: Path, path: Path) -> None:
    if partial.is_file() or (partial.is_dir() and not path.exists()):
        partial.replace(path)
    elif partial.is_dir():
        for each in sorted(partial.iterdir()):
            each.replace(path / each.name)
