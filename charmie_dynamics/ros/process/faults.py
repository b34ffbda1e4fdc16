# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Faults of cycles: reported and counted, without ending the node."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any, TypeVar

from charmie_dynamics.errors import CharmieError, OutOfReachError
from charmie_dynamics.live.monitors import CycleMonitor

from .log import Log

Result = TypeVar("Result")


class Faults:
    """Reports exceptions of cycles.

    Parameters
    ----------
    cycles : CycleMonitor
        Counts each fault.
    log : Log
    """

    def __init__(self, cycles: CycleMonitor, log: Log) -> None:
        self._cycles = cycles
        self._log = log

    def guarded(self, work: Callable[..., Result], *arguments: Any) -> Result | None:
        """Return the result of `work`; an exception is reported, and the result is then None."""
        try:
            return work(*arguments)
        except OutOfReachError as error:
            self._cycles.fail(str(error))
            self._log.warn(f"{error.name} out of reach", str(error))
        except CharmieError as error:
            self._cycles.fail(str(error))
            self._log.warn(type(error).__name__, str(error))
        except Exception as error:
            self.note(error)
        return None

    def note(self, error: Exception) -> None:
        """Log all details of an unexpected error, from within its `except`."""
        fault = type(error).__name__
        self._cycles.fail(f"{fault}: {error}")
        self._log.warn(f"cycle {fault}", f"cycle failed: {traceback.format_exc()}")
