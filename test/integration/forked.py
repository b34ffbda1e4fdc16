# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Nodes forked from a process that has imported them: a start costs a tenth of the CPU time."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from multiprocessing import forkserver, get_context
from pathlib import Path
from unittest import mock

PATIENCE = 60.0  # s
_context = get_context("forkserver")


def stop_server() -> None:
    """End the process that nodes are forked from."""
    forkserver._forkserver._stop()  # type: ignore[attr-defined]


class Forked:
    """``python -m MODULE ARGUMENT...`` in a session of its own, with the methods of a `Popen`."""

    def __init__(
        self, module: str, arguments: Sequence[str], log: Path, environment: Mapping[str, str]
    ) -> None:
        folder = str(Path(__file__).parent)
        paths = os.pathsep.join((folder, environment["PYTHONPATH"]))
        with mock.patch.dict(os.environ, {**environment, "PYTHONPATH": paths}):
            _context.set_forkserver_preload(["preloaded_nodes"])
            forkserver.ensure_running()
        self._child = _context.Process(
            target=_run, args=(module, list(arguments), str(log), dict(environment)), daemon=True
        )
        self._child.start()
        assert self._child.pid is not None
        self.pid: int = self._child.pid
        self._wait_for_session()

    @property
    def returncode(self) -> int | None:
        return self._child.exitcode

    def poll(self) -> int | None:
        return self._child.exitcode

    def wait(self, timeout: float) -> int:
        self._child.join(timeout)
        if self._child.exitcode is None:
            raise subprocess.TimeoutExpired(self._child.name, timeout)
        return self._child.exitcode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def _wait_for_session(self) -> None:
        """Wait until the process leads a group, so that signals to the group reach it."""
        deadline = time.monotonic() + PATIENCE
        with suppress(ProcessLookupError):  # it has ended already
            while os.getpgid(self.pid) != self.pid:
                assert time.monotonic() < deadline, "the forked process does not start"
                time.sleep(0.002)


def _run(module: str, arguments: list[str], log: str, environment: dict[str, str]) -> None:
    os.setsid()
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    for number, source in enumerate((os.open(os.devnull, os.O_RDONLY), out, out)):
        os.dup2(source, number)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = [module, *arguments]
    sys.modules.pop(module, None)  # as where nothing has imported it
    runpy.run_module(module, run_name="__main__", alter_sys=True)
