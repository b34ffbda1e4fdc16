# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Executors that cost little for each message.

`WaitSetExecutor` and `wait_sets` are only for Humble: remove them with its support.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from rclpy.context import Context
from rclpy.exceptions import InvalidHandle
from rclpy.executors import (
    Executor,
    ExternalShutdownException,
    ShutdownException,
    SingleThreadedExecutor,
    TimeoutException,
)

from .wait_sets import Entities, reset

# most messages of a subscription that are handled after one wait: with more of them a backlog is
# processed earlier, and all else waits longer
TURNS = 10


def make_executor(*, context: Context | None = None) -> Executor:
    """Return the executor that costs least on this distribution.

    That is the events executor, which Humble lacks, and `WaitSetExecutor` there.

    The events executor knows no guard conditions, which no node of this package uses.
    """
    try:
        from rclpy.experimental.events_executor import EventsExecutor
    except ImportError:
        return WaitSetExecutor(context=context)
    return EventsExecutor(context=context)


def stop(executor: Executor) -> None:
    """Make an executor of `make_executor` return after the callback that it is in now.

    Later callbacks are not handled. May be called from another thread.
    """
    if isinstance(executor, WaitSetExecutor):
        executor.stop()
    else:
        executor.shutdown(timeout_sec=0.0)  # without waiting, it only requests the end


def call_after_queue(executor: Executor | None, work: Callable[[], None]) -> None:
    """Call `work` after the queued callbacks of an executor; at once if it has no queue.

    The events executor queues an event for each arriving message, also for one that a callback has
    taken itself. With a slow callback that takes several messages, the queue would grow without
    bound; events without a message are processed quickly.

    `work` must not raise.
    """
    if executor is None or isinstance(executor, Executor):
        work()
    else:
        executor.create_task(work)


class WaitSetExecutor(SingleThreadedExecutor):
    """Handles messages and timers from one wait set that lives as long as the entities do.

    rclpy's own single-threaded executor collects all entities, builds a wait set and makes a
    coroutine for each message that it delivers. Here that is done only when entities are added or
    removed. Subscriptions and timers are handled at once; everything else (services, clients,
    events, guard conditions, tasks) is rare and handled by the base class, and so is everything if
    a callback of a subscription or timer is a coroutine.
    """

    def spin(self) -> None:
        """Handle callbacks until a shutdown; exceptions of callbacks are passed on.

        Raises
        ------
        ExternalShutdownException
            When the context ends.
        """
        while self._is_running():
            with ExitStack() as in_use:
                guards = (self._guard, self._sigint_gc)
                entities = Entities(self.context, self.get_nodes(), guards, in_use)
                while entities.plain and not self._ready_tasks and self._handle_plain(entities):
                    pass
            if entities.plain:
                self._handle_the_rest()
            else:
                self.spin_once()

    def stop(self) -> None:
        """Make `spin` return after the callback that it is in now, if it is in one."""
        self._is_shutdown = True
        self._guard.trigger()

    def _is_running(self) -> bool:
        """Return whether no shutdown has occurred.

        The guard condition is reset first: the base class triggers it with each callback that it
        runs, so that after a single one all messages of a stream would use its slow path. The other
        causes of a trigger are checked next: new or destroyed entities, tasks, a shutdown.
        """
        if not self.context.ok() or self._is_shutdown:
            return False
        reset(self.context, self._guard)
        return self.context.ok() and not self._is_shutdown

    def _handle_plain(self, entities: Entities) -> bool:
        """Wait, handle messages and timers; return whether nothing else was ready."""
        try:
            ready = entities.wait()
        except InvalidHandle:
            return False  # a callback has destroyed something
        if self._is_shutdown:
            return False
        if not self.context.ok():
            raise ExternalShutdownException
        if ready.guards or ready.others:
            for guard in entities.guards:
                # waiting has reset it; the base class triggers it again when it is marked
                guard._executor_triggered |= guard.handle.pointer in ready.guards
            return False
        for pointer in ready.timers:
            if pointer not in entities.timers:
                return False  # a waitable's own
            _handle_timer(entities.timers[pointer])
        subscriptions = []
        for pointer in ready.subscriptions:
            if pointer not in entities.subscriptions:
                return False
            subscriptions.append(entities.subscriptions[pointer])
        if not ready.timers and not subscriptions:
            return False
        # in turns, which largely preserves the order of messages of several topics
        for _ in range(TURNS):
            subscriptions = [s for s in subscriptions if _handle_message(s)]
            if not subscriptions:
                break
        return True

    def _handle_the_rest(self) -> None:
        """Handle in the way of the base class, once, everything that is ready now."""
        while True:
            try:
                task, _, _ = self.wait_for_ready_callbacks(timeout_sec=0.0)
            except (TimeoutException, ShutdownException):
                return
            task()
            if task.exception() is not None:
                raise task.exception()


def _handle_timer(timer: Any) -> None:
    try:
        with timer.handle:
            if not timer.handle.is_timer_ready():  # nor is one that was cancelled
                return
            timer.handle.call_timer()
    except InvalidHandle:
        return
    timer.callback()


def _handle_message(subscription: Any) -> bool:
    """Pass one message to its callback; return whether there was one."""
    try:
        with subscription.handle:
            taken = subscription.handle.take_message(subscription.msg_type, subscription.raw)
    except InvalidHandle:
        return False  # destroyed by a callback before
    if taken is None:
        return False
    subscription.callback(taken[0])
    return True
