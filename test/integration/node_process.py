# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A node of the package as a process of its own, which ends with the test."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from forked import Forked

import charmie_dynamics

# the first start compiles the kernels, on a machine that may be busy
START = 120.0  # s
END = 20.0  # s
FROM_SCRATCH: Mapping[str, str] = {}  # an environment for a node that is not forked


def child_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment for a child that imports the same package as the tests."""
    environment = dict(os.environ)
    package = str(Path(charmie_dynamics.__file__).resolve().parents[1])
    paths = [package, *filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))]
    environment["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(paths))
    environment["PYTHONUNBUFFERED"] = "1"
    environment.update(extra or {})
    return environment


def ros_arguments(
    parameters: Mapping[str, Any] | None = None, namespace: str = "", name: str = ""
) -> list[str]:
    """Return the command line arguments that set parameters, namespace and name of a node."""
    arguments = ["--ros-args"]
    for key, value in (parameters or {}).items():
        arguments += ["-p", f"{key}:={json.dumps(value)}"]
    if namespace:
        arguments += ["-r", f"__ns:=/{namespace}"]
    if name:
        arguments += ["-r", f"__node:={name}"]
    return arguments


class Process:
    """A child process in a process group of its own; stdout and stderr go to one log.

    Parameters
    ----------
    command : sequence of str
    log : Path
    environment : mapping, optional
        What is set besides the environment of the tests.
    is_forked : bool
        ``python -m MODULE ARGUMENT...`` starts from a process that has imported the nodes.
    """

    def __init__(
        self,
        command: Sequence[str],
        log: Path,
        environment: Mapping[str, str] | None = None,
        *,
        is_forked: bool = False,
    ) -> None:
        self.command = list(command)
        self._log = log
        self._child: subprocess.Popen[bytes] | Forked
        if is_forked:
            _, _, module, *arguments = self.command
            log.touch()
            self._child = Forked(module, arguments, log, child_environment(environment))
            return
        with log.open("wb") as out:
            self._child = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                env=child_environment(environment),
                start_new_session=True,
            )

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    @property
    def pid(self) -> int:
        return self._child.pid

    def output(self) -> str:
        """Return everything that the process has printed so far."""
        return self._log.read_text(encoding="utf-8", errors="replace")

    def is_running(self) -> bool:
        return self._child.poll() is None

    def wait_for_output(self, text: str, timeout: float = START) -> None:
        """Wait until the process has printed `text`."""
        deadline = time.monotonic() + timeout
        while text not in self.output():
            if not self.is_running():
                raise AssertionError(
                    f"ended with status {self._child.returncode} before it said '{text}':\n"
                    f"{self.output()}"
                )
            if time.monotonic() > deadline:
                raise AssertionError(f"did not say '{text}' in {timeout} s:\n{self.output()}")
            time.sleep(0.02)

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal to the process alone."""
        self._child.send_signal(number)

    def wait(self, timeout: float = END) -> int:
        """Return the exit status."""
        try:
            return self._child.wait(timeout)
        except subprocess.TimeoutExpired:
            raise AssertionError(
                f"{self.command} still runs after {timeout} s:\n{self.output()}"
            ) from None

    def end(self) -> None:
        """End the process and all its children, whatever it takes."""
        for number, patience in ((signal.SIGINT, END), (signal.SIGKILL, END)):
            if self.is_running():
                self._signal_group(number)
            try:
                self._child.wait(patience)
                break
            except subprocess.TimeoutExpired:
                continue
        self._signal_group(signal.SIGKILL)

    def _signal_group(self, number: signal.Signals) -> None:
        try:
            os.killpg(self._child.pid, number)
        except ProcessLookupError:
            pass


def start_node(
    module: str,
    folder: Path,
    parameters: Mapping[str, Any] | None = None,
    *,
    namespace: str = "",
    name: str = "",
    environment: Mapping[str, str] | None = None,
) -> Process:
    """Start ``charmie_dynamics.ros.nodes.<module>``; its log goes into `folder`.

    With an environment of its own, even `FROM_SCRATCH`, it starts with an interpreter; else it is
    forked from a process that has imported the nodes.
    """
    number = sum(1 for _ in folder.glob("*.log"))
    command = [
        *(sys.executable, "-m", f"charmie_dynamics.ros.nodes.{module}"),
        *ros_arguments(parameters, namespace, name),
    ]
    log = folder / f"{module}_{number}.log"
    return Process(command, log, environment, is_forked=environment is None)


def start_dynamics_node(
    folder: Path, parameters: Mapping[str, Any] | None = None, **options: Any
) -> Process:
    """Start the dynamics node and wait until it listens."""
    process = start_node("dynamics_node", folder, parameters, **options)
    try:
        process.wait_for_output("' ready: ")
    except BaseException:
        process.end()
        raise
    return process
