# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The command charmie_prepare: compile all kernels in advance, several at once."""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import sys
import time
from pathlib import Path
from typing import TextIO

from charmie_dynamics.command_line import Parser, run_program

TASK_NAMES = (
    *("node", "batch", "equations", "forward", "loops", "simulation", "plants"),
    *("distances", "contacts", "recordings", "points", "pictures"),
)
WIDTH = 24  # of the bar


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = Parser(
        "charmie_prepare",
        "Compile all kernels of this version of the package and store them on disk. "
        "Otherwise the first start of each program compiles the kernels that it needs.",
        "charmie_prepare --only node --jobs 2",
    )
    parser.add_argument(
        "--only", choices=TASK_NAMES, nargs="+", default=TASK_NAMES, metavar="TASK",
        help=f"kernels to compile: {', '.join(TASK_NAMES)} (default: all)",
    )  # fmt: skip
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, metavar="N",
        help="number of processes that compile at once (default: one for each core)",
    )  # fmt: skip
    parser.add_argument(
        "--clean", action="store_true",
        help="remove the compiled code of other versions and variants (such as checked bounds)",
    )  # fmt: skip
    return parser


class ProgressBar:
    """Progress as a bar on a terminal, otherwise as one line for each kernel.

    A task reports only the beginning of each kernel that it compiles. So `begin` counts the task's
    previous kernel as finished, and `end` all that are not counted: the last one and loaded ones.
    """

    def __init__(self, total: int, stream: TextIO) -> None:
        self.compiled = 0
        self._total = total
        self._done = 0
        self._stream = stream
        self._is_bar = stream.isatty()
        self._busy: dict[str, str] = {}
        self._start = time.monotonic()

    def begin(self, task: str, kernel: str) -> None:
        """Record that the compilation of a kernel begins."""
        self._done += task in self._busy
        self._busy[task] = kernel
        self.compiled += 1
        if not self._is_bar:
            print(f"compiling kernel {self.compiled}: {kernel}", file=self._stream, flush=True)

    def end(self, task: str, kernels: int) -> None:
        """Record that a task has ended with `kernels` that are not counted yet."""
        self._busy.pop(task, None)
        self._done += kernels

    def show(self) -> None:
        """Redraw the bar."""
        if not self._is_bar or not self._total:
            return
        share = min(1.0, self._done / self._total)
        bar = "#" * round(WIDTH * share)
        seconds = time.monotonic() - self._start
        busy = ", ".join(self._busy.values())
        text = f"[{bar:-<{WIDTH}}] {self._done}/{self._total} kernels, {seconds:.0f} s  {busy}"
        width = shutil.get_terminal_size().columns - 1
        print(f"\r{text[:width]:<{width}}", end="", file=self._stream, flush=True)

    def close(self) -> None:
        """End the line of the bar."""
        self.show()
        if self._is_bar and self._total:
            print(file=self._stream)


def ready_mark(folder: Path, task: str) -> Path:
    """Return the file that marks the kernels of a task as stored.

    They depend on the processor and on the minor version of Python.
    """
    from llvmlite import binding

    from .tasks import TASKS

    features = binding.get_host_cpu_features().flatten()
    python = ".".join(map(str, sys.version_info[:2]))
    text = f"{python} {binding.get_host_cpu_name()} {features} {TASKS[task].kernels}"
    return folder / f"{task}-{hashlib.sha256(text.encode()).hexdigest()[:16]}.ready"


def clean(folder: Path) -> int:
    """Remove the folders of other versions and variants next to `folder`; return their number."""
    others = [p for p in folder.parent.glob("kernels-*") if p.is_dir() and p != folder]
    for path in others:
        shutil.rmtree(path, ignore_errors=True)
    return len(others)


def main(arguments: list[str] | None = None) -> int:
    """Parse the options and run the command; return its exit status."""
    options = make_parser().parse_args(arguments)
    # `run_program` imports the module of `run` by name: here this one, for other commands another
    return run_program("charmie_prepare", "charmie_dynamics.prepare.command", options)


def run(options: argparse.Namespace) -> int:
    """Compile the requested kernels; return exit status 0 if all are on disk."""
    from charmie_dynamics.numerics.jit import HAS_NUMBA

    from .processes import compile_in_processes
    from .tasks import TASKS

    if not HAS_NUMBA:
        print("numba is not installed: kernels run in plain Python, slowly; nothing to compile")
        return 0
    from charmie_dynamics.numerics.cache import cache_folder

    folder = cache_folder()
    if folder is None:
        return 1  # `cache_folder` has issued a warning with the reason
    if options.clean:
        print(f"removed the code of {clean(folder)} other versions and variants")
    # loading the kernels to check them would take half a second for each task
    requested = [task for task in TASKS if task in options.only]
    tasks = [task for task in requested if not ready_mark(folder, task).exists()]
    start = time.monotonic()
    progress = ProgressBar(sum(len(TASKS[task].kernels) for task in tasks), sys.stderr)
    faults = compile_in_processes(tasks, options.jobs, progress)
    progress.close()
    for fault in faults:
        print(f"charmie_prepare: {fault}", file=sys.stderr)
    if faults:
        return 1
    for task in tasks:
        ready_mark(folder, task).touch()
    seconds = time.monotonic() - start
    print(f"{progress.compiled} kernels compiled in {seconds:.1f} s, all are ready in {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
