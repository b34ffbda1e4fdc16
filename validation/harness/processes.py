# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A process that is measured: its start, what it says, what it takes up, its end."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from threading import Thread
from typing import NamedTuple

TICK = os.sysconf("SC_CLK_TCK")
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


class Process:
    """A process whose output is read as it comes, so that it never waits for a full pipe.

    Parameters
    ----------
    command : sequence of str
    kept : int, optional
        Lines of the output that are kept; None: all.
    variables : str
        Of its environment, beside those of this process.
    """

    def __init__(self, command: Sequence[str], kept: int | None = 100, **variables: str) -> None:
        self._process = subprocess.Popen(
            command,
            env={**os.environ, **variables},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,  # an interrupt of the run is not one of the process
        )
        self._proc = Path(f"/proc/{self._process.pid}")
        self._is_asked = False
        self._command = " ".join(command)
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._seen: deque[str] = deque(maxlen=kept)
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def log(self) -> str:
        """What it has printed, as far as that is kept."""
        return "".join(self._seen)

    @property
    def is_running(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    def tell(self, line: str) -> None:
        """Write a line to its standard input."""
        if self._process.stdin is not None:
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()

    def wait_for(self, said: str, seconds: float) -> str:
        """Return the next line that contains a text.

        Raises
        ------
        RuntimeError
            If the process ends before, or does not say it in that many seconds.
        """
        deadline = time.monotonic() + seconds
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise RuntimeError(self._failure(f"said no '{said}' in {seconds:g} s")) from None
            if line is None:
                raise RuntimeError(self._failure(f"ended before it said '{said}'"))
            if said in line:
                return line

    def next_line(self, said: str, seconds: float) -> str:
        """Return a line that contains a text and is said from now on; see `wait_for`."""
        while not self._lines.empty():
            if self._lines.get() is None:
                raise RuntimeError(self._failure(f"ended before it said '{said}'"))
        return self.wait_for(said, seconds)

    @property
    def cpu_time(self) -> float:
        """Time that all threads of the process have run (s)."""
        fields = (self._proc / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def sizes(self, now: float = 0.0) -> Sizes:
        """Return what it takes up; the kernel's counts, exact at this moment."""
        resident = own = 0
        for line in (self._proc / "smaps_rollup").read_text(encoding="utf-8").splitlines():
            field, _, rest = line.partition(":")
            if field == "Rss":
                resident = 1024 * int(rest.split()[0])
            elif field.startswith("Private_") and field != "Private_Hugetlb":
                own += 1024 * int(rest.split()[0])
        threads, descriptors = (len(os.listdir(self._proc / part)) for part in ("task", "fd"))
        return Sizes(now, resident, own, threads, descriptors)

    def hold(self) -> None:
        """Stop it where it is, as a machine that is too slow does."""
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it run on after `hold`."""
        self._process.send_signal(signal.SIGCONT)

    def interrupt(self) -> None:
        """Ask the process to end, without waiting for it.

        Once: an interrupt while Python ends already would give an exit status other than 0.
        """
        if self._is_asked:
            return
        self._is_asked = True
        if self._process.stdin is not None:
            self._process.stdin.close()
        if self.is_running:
            self.go_on()
            self._process.send_signal(signal.SIGINT)

    def finish(self) -> None:
        """End a process whose results matter.

        Raises
        ------
        RuntimeError
            If its exit status is not 0.
        """
        if status := self.close():
            raise RuntimeError(self._failure(f"ended with status {status}"))

    def close(self) -> int:
        """End the process, by force if it does not end by itself, and return its exit status."""
        self.interrupt()
        try:
            self._process.wait(END)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(END)
        if self._process.stdout is not None:
            self._process.stdout.close()
        return int(self._process.returncode)

    def _read(self) -> None:
        for line in self._process.stdout or ():
            self._seen.append(line)
            self._lines.put(line)
        self._lines.put(None)

    def _failure(self, what: str) -> str:
        return f"{self._command}: {what}; last output:\n{self.log}"
