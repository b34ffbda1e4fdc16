# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A process around the measurement of the node: its start, what it says, its CPU time, its end."""

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

TICK = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
END = 20.0  # s
KEPT = 100  # lines that an error message shows


class Process:
    """A process whose output is read as it comes, so that it never waits for a full pipe.

    Parameters
    ----------
    command : sequence of str
    domain : int
        ROS 2 domain: processes of different domains do not hear each other.
    """

    def __init__(self, command: Sequence[str], domain: int) -> None:
        self._process = subprocess.Popen(
            command,
            env={**os.environ, "ROS_DOMAIN_ID": str(domain)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self._is_asked = False
        self._command = " ".join(command)
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._seen: deque[str] = deque(maxlen=KEPT)
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

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
        stat = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="utf-8")
        fields = stat.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    @property
    def memory(self) -> float:
        """Resident memory (bytes)."""
        statm = Path(f"/proc/{self._process.pid}/statm").read_text(encoding="utf-8")
        return float(statm.split()[1]) * PAGE

    def interrupt(self) -> None:
        """Ask the process to end, without waiting for it.

        Once: an interrupt while Python ends already would give an exit status other than 0.
        """
        if self._is_asked:
            return
        self._is_asked = True
        if self._process.stdin is not None:
            self._process.stdin.close()
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)

    def finish(self) -> None:
        """End a process whose results matter.

        Raises
        ------
        RuntimeError
            If its exit status is not 0.
        """
        self.close()
        if self._process.returncode:
            raise RuntimeError(self._failure(f"ended with status {self._process.returncode}"))

    def close(self) -> None:
        """End the process, by force if it does not end by itself."""
        self.interrupt()
        try:
            self._process.wait(END)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(END)
        if self._process.stdout is not None:
            self._process.stdout.close()

    def _read(self) -> None:
        for line in self._process.stdout or ():
            self._seen.append(line)
            self._lines.put(line)
        self._lines.put(None)

    def _failure(self, what: str) -> str:
        return f"{self._command}: {what}; last output:\n{''.join(self._seen)}"
