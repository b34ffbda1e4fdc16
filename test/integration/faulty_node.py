# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The dynamics node with a fault in one of its functions.

Usage: ``faulty_node.py MODULE CLASS FUNCTION PERIOD --ros-args ...``: every PERIOD-th call of the
function raises, once the node is ready.
"""

from __future__ import annotations

import sys
from importlib import import_module
from itertools import count
from typing import Any

from charmie_dynamics.ros.nodes.dynamics_node import DynamicsNode, main

MESSAGE = "a fault made on purpose"
ready = False


class FaultMadeOnPurpose(Exception):  # noqa: N818  (named as a reader of the log would like it)
    """No error of the package: nobody expects it."""


def break_now_and_then(owner: Any, name: str, period: int) -> None:
    """Replace a function by one that raises in every `period`-th call."""
    sound = getattr(owner, name)
    calls = count(1)

    def faulty(*arguments: Any, **options: Any) -> Any:
        if ready and next(calls) % period == 0:
            raise FaultMadeOnPurpose(MESSAGE)
        return sound(*arguments, **options)

    setattr(owner, name, faulty)


def note_when_ready(node: type[DynamicsNode]) -> None:
    """Let faults begin when the node has been made."""
    sound = node.__init__

    def make(self: DynamicsNode, **options: Any) -> None:
        global ready
        sound(self, **options)
        ready = True

    node.__init__ = make  # type: ignore[method-assign]


if __name__ == "__main__":
    module, owner, function, period = sys.argv[1:5]
    break_now_and_then(getattr(import_module(module), owner), function, int(period))
    note_when_ready(DynamicsNode)
    sys.exit(main(sys.argv))
