# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Wait sets that live as long as the entities do: those that are ready often, and all."""

from __future__ import annotations

import inspect
import math
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from typing import Any, NamedTuple

from rclpy.context import Context
from rclpy.exceptions import InvalidHandle
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.waitable import NumberOfEntities

FOREVER = -1
# s after which services and events are polled during a stream of messages
RARELY = 0.05
# of entities, in the order in which NumberOfEntities counts them
KINDS = ("subscription", "guard_condition", "timer", "client", "service")


class Ready(NamedTuple):
    """The result of a wait: pointers of guard conditions, timers and subscriptions."""

    guards: list[int]
    timers: list[int]
    subscriptions: list[int]
    others: bool  # whether services or clients are ready


class WaitSet:
    """A wait set and its entities.

    Parameters
    ----------
    context : Context
    entities : mapping of str to list
        Handles by the kind of entity.
    waitables : sequence
        Further ones, which add themselves.
    """

    def __init__(
        self, context: Context, entities: Mapping[str, list[Any]], waitables: Sequence[Any]
    ) -> None:
        count = NumberOfEntities(*(len(entities.get(kind, ())) for kind in KINDS))
        for waitable in waitables:
            count = count + waitable.get_num_entities()
        self._set = rclpy_implementation.WaitSet(
            count.num_subscriptions,
            count.num_guard_conditions,
            count.num_timers,
            count.num_clients,
            count.num_services,
            count.num_events,
            context.handle,
        )
        self._asks_others = bool(entities.get("service") or entities.get("client"))
        self._additions: list[tuple[Any, Any]] = []
        for kind, handles in entities.items():
            add = getattr(self._set, f"add_{kind}")
            self._additions += [(add, handle) for handle in handles]
        self._additions += [(waitable.add_to_wait_set, self._set) for waitable in waitables]

    def wait(self, timeout: int) -> Ready:
        """Wait for `timeout` nanoseconds, or `FOREVER`, until anything is ready.

        rcl requires the wait set to be filled before each wait.
        """
        self._set.clear_entities()
        for add, entity in self._additions:
            add(entity)
        self._set.wait(timeout)
        ready = self._set.get_ready_entities
        return Ready(
            ready("guard_condition"),
            ready("timer"),
            ready("subscription"),
            self._asks_others and bool(ready("service") or ready("client")),
        )


def reset(context: Context, guard: Any) -> None:
    """Forget that a guard condition was triggered. To wait is the only way."""
    with suppress(InvalidHandle), guard.handle, context.handle:
        WaitSet(context, {"guard_condition": [guard.handle]}, ()).wait(0)


class Entities:
    """All entities of the nodes, their handles kept valid, and the wait sets that hold them.

    Most entities of a node are hardly ever ready: its services, and an event for each quality of
    service that may not fit. Those are not in the wait set that is used between two messages of a
    stream, and are polled once in `RARELY`: the time to fill and query a wait set grows with the
    number of entities.

    Parameters
    ----------
    context : Context
    nodes : sequence of Node
    guards : sequence of GuardCondition
        Further ones, of the executor.
    in_use : ExitStack
        Holds the handles until it is closed. Entities destroyed before are omitted.
    """

    def __init__(
        self, context: Context, nodes: Sequence[Any], guards: Sequence[Any], in_use: ExitStack
    ) -> None:
        self.guards = self._valid([g for node in nodes for g in node.guards], in_use)
        further_guards = self._valid(list(guards), in_use)
        subscriptions = self._valid([s for node in nodes for s in node.subscriptions], in_use)
        timers = self._valid([t for node in nodes for t in node.timers], in_use)
        services = self._valid([s for node in nodes for s in node.services], in_use)
        clients = self._valid([c for node in nodes for c in node.clients], in_use)
        self.subscriptions = {s.handle.pointer: s for s in subscriptions}
        self.timers = {t.handle.pointer: t for t in timers}
        # those that are handled at once; a coroutine of a service is a task of the base class
        self.plain = all(map(_is_plain, (*subscriptions, *timers)))
        waitables: list[Any] = []
        for waitable in (w for node in nodes for w in node.waitables):
            try:
                in_use.enter_context(waitable)
            except InvalidHandle:
                continue
            waitables.append(waitable)
            self.plain &= waitable.get_num_entities().num_guard_conditions == 0
        in_use.enter_context(context.handle)
        often = {
            "subscription": [s.handle for s in subscriptions],
            "guard_condition": [g.handle for g in (*further_guards, *self.guards)],
            "timer": [t.handle for t in timers],
        }
        rarely = {
            "client": [c.handle for c in clients],
            "service": [s.handle for s in services],
        }
        self._often = WaitSet(context, often, ())
        self._all = WaitSet(context, {**often, **rarely}, waitables)
        self._all_due = -math.inf

    def _valid(self, entities: list[Any], in_use: ExitStack) -> list[Any]:
        valid = []
        for entity in entities:
            try:
                in_use.enter_context(entity.handle)
            except InvalidHandle:
                continue
            valid.append(entity)
        return valid

    def wait(self) -> Ready:
        """Wait until anything is ready."""
        left = self._all_due - time.monotonic()
        if left > 0.0:
            ready = self._often.wait(math.ceil(1e9 * left))
            if any(ready):
                return ready
        ready = self._all.wait(FOREVER)
        self._all_due = time.monotonic() + RARELY
        return ready


def _is_plain(entity: Any) -> bool:
    """Return whether a callback is an ordinary function of the message alone, or of nothing."""
    kinds = getattr(type(entity), "CallbackType", None)
    if kinds is not None and entity._callback_type is not kinds.MessageOnly:
        return False
    return not inspect.iscoroutinefunction(getattr(entity, "callback", None))
