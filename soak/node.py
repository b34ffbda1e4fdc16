# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The node's process, and what it takes up: memory, threads, file descriptors."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

START = 120.0  # s; the first start compiles
END = 20.0  # s


class Sizes(NamedTuple):
    """What a process takes up at a time.

    Attributes
    ----------
    time : float
        Since the start of the run (s).
    resident, own : int
        Resident memory, and the part of it that no other process shares (bytes).
    threads, descriptors : int
    """

    time: float
    resident: int
    own: int
    threads: int
    descriptors: int


class NodeProcess:
    """A dynamics node as a process of its own.

    Parameters
    ----------
    folder : Path
        For its log.

    Raises
    ------
    RuntimeError
        If it ends before it is ready, or takes too long.
    """

    def __init__(self, folder: Path) -> None:
        self._log = folder / "node.log"
        environment = {**os.environ, "PYTHONUNBUFFERED": "1", "ROS_LOG_DIR": str(folder)}
        with self._log.open("wb") as out:
            self._child = subprocess.Popen(
                [sys.executable, "-m", "charmie_dynamics.ros.nodes.dynamics_node"],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,  # an interrupt of the run is not one of the node
            )
        self._proc = Path(f"/proc/{self._child.pid}")
        try:
            self._wait_until_ready()
        except BaseException:
            self.end()
            raise

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + START
        while "' ready: " not in self.output():
            if not self.is_running():
                raise RuntimeError(f"the node ended before it was ready:\n{self.output()}")
            if time.monotonic() > deadline:
                raise RuntimeError(f"the node was not ready in {START} s:\n{self.output()}")
            time.sleep(0.05)

    def output(self) -> str:
        """Return everything that it has printed so far."""
        return self._log.read_text(encoding="utf-8", errors="replace")

    def is_running(self) -> bool:
        """Tell whether it still runs."""
        return self._child.poll() is None

    def sizes(self, now: float) -> Sizes:
        """Return what it takes up; the kernel's counts, exact at this moment."""
        resident = own = 0
        for line in (self._proc / "smaps_rollup").read_text().splitlines():
            field, _, rest = line.partition(":")
            if field == "Rss":
                resident = 1024 * int(rest.split()[0])
            elif field.startswith("Private_") and field != "Private_Hugetlb":
                own += 1024 * int(rest.split()[0])
        threads = len(os.listdir(self._proc / "task"))
        descriptors = len(os.listdir(self._proc / "fd"))
        return Sizes(now, resident, own, threads, descriptors)

    def hold(self) -> None:
        """Stop it where it is, as a machine that is too slow does."""
        self._child.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it run on after `hold`."""
        self._child.send_signal(signal.SIGCONT)

    def end(self) -> int | None:
        """Interrupt it and return its exit status; None if it had to be killed."""
        if self.is_running():
            self.go_on()
            self._child.send_signal(signal.SIGINT)
        try:
            return self._child.wait(END)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
            return None
