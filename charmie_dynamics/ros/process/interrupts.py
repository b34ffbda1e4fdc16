# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""SIGINT and SIGTERM in a process of this package, from its first line to its last.

1. `end_at_once`: during imports and compilation no work needs to be completed. No exception is
   raised, because it might occur in a destructor, which drops it and prints a traceback.
2. `note`: from the first call of rclpy on. While the node runs, `call_on_signal` makes it end.
3. `ignore`: when all is done.

Only the start of the interpreter itself, before any code of this package runs, is not covered.
An entry point loads this module first, so it imports nothing that takes time.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SIGNALS = (signal.SIGINT, signal.SIGTERM)

_noted = False


def end_at_once() -> None:
    """End the process with status 0 on a signal."""
    for number in SIGNALS:
        signal.signal(number, lambda *_: os._exit(0))


def note() -> None:
    """Only record a signal, for `noted`."""
    for number in SIGNALS:
        signal.signal(number, _note)


def noted() -> bool:
    """Return whether a signal has arrived since the first `note`."""
    return _noted


@contextmanager
def call_on_signal(call: Callable[[], object]) -> Iterator[None]:
    """Call a function from a separate thread when one of `SIGNALS` arrives meanwhile.

    Where the main thread waits in compiled code, Python's signal handlers are not run. rclpy's own
    handlers would end the context while a callback is using it. The thread has ended afterwards:
    if it still referred to the executor of `call` at the end of the interpreter, rclpy would
    release Python objects without Python's lock, which aborts the process.
    """
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    lock = threading.Lock()
    active = True

    def wait() -> None:
        while came := os.read(reader, 64):  # the numbers of signals with a handler in Python
            with lock:
                if active and any(number in came for number in SIGNALS):
                    call()
        os.close(reader)

    thread = threading.Thread(target=wait, name="signals", daemon=True)
    thread.start()
    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        with lock:
            active = False
        os.close(writer)
        thread.join()


def ignore() -> None:
    """Let no further signal change how the process ends."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def _note(*_: object) -> None:
    global _noted
    _noted = True
