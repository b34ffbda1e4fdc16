# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A node is ended by SIGINT and SIGTERM, and by no other signal that a program handles."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator

import pytest

from charmie_dynamics.ros.process import entry
from charmie_dynamics.ros.process.interrupts import SIGNALS, call_on_signal

SOON = 10.0  # s
NOT_YET = 0.2  # s


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """Handlers that do nothing, for the time of a test."""
    before = {s: signal.signal(s, lambda *_: None) for s in (*SIGNALS, signal.SIGUSR1)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def is_called_after(number: signal.Signals, seconds: float) -> bool:
    called = threading.Event()
    with call_on_signal(called.set):
        os.kill(os.getpid(), number)
        return called.wait(seconds)


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_a_signal_that_ends_a_node_is_told(number: signal.Signals) -> None:
    assert is_called_after(number, SOON)


def test_a_signal_of_somebody_else_is_not_told() -> None:
    assert not is_called_after(signal.SIGUSR1, NOT_YET)


def test_no_thread_is_left_afterwards() -> None:
    """A thread that still refers to the executor aborts the process at the interpreter's end."""
    before = threading.active_count()
    with call_on_signal(lambda: None):
        assert threading.active_count() == before + 1
    assert threading.active_count() == before


def test_the_wakeup_descriptor_of_another_library_is_restored() -> None:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer)
    try:
        with call_on_signal(lambda: None):
            pass
    finally:
        restored = signal.set_wakeup_fd(-1)
        os.close(reader)
        os.close(writer)
    assert restored == writer


def test_charmie_view_can_be_ended_during_its_imports(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    monkeypatch.setattr(entry, "end_at_once", lambda: calls.append("end_at_once"))

    def load(module: str) -> None:
        calls.append(module)
        raise ImportError(module)

    monkeypatch.setattr(entry, "import_module", load)
    with pytest.raises(ImportError):
        entry.charmie_view()
    assert calls == ["end_at_once", "charmie_dynamics.view.options"]
