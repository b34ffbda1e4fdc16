# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""One run: the node, the feed, the faults by a seeded schedule, and what was seen."""

from __future__ import annotations

import math
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.signals import SignalHandlerOptions

from charmie_dynamics.ros.process.executors import make_executor
from validation.harness.processes import Process, Sizes

from .faults import KINDS, Kind
from .feed import Feed
from .outputs import Outputs

START = 120.0  # s; the first start compiles
CONNECT = 30.0  # s until the first output
PATIENCE = 5.0  # s until a fault counts as one that the node does not recover from
QUIET = 2.0  # s without faults at the end
SAMPLED = 1.0  # s between two looks at the process


@dataclass(frozen=True)
class Plan:
    """What is to be run.

    Attributes
    ----------
    seconds : float
        Length of the run, without the start of the node (s).
    warm_up : float
        Part of it in which memory may still grow (s).
    rate : float
        Good samples a second (Hz).
    pause : (float, float)
        Shortest and longest time between two faults (s).
    seed : int
    kinds : sequence of Kind
        In each round every kind is injected once, in a random order.
    """

    seconds: float = 3600.0
    warm_up: float = 300.0
    rate: float = 100.0
    pause: tuple[float, float] = (0.5, 2.5)
    seed: int = 1
    kinds: Sequence[Kind] = KINDS


@dataclass(frozen=True)
class Recovery:
    """What came after one fault.

    Attributes
    ----------
    kind : Kind
    seconds : float or None
        From the first good sample after it to the first output of a good sample; None if none
        came.
    skipped : int
        Good samples before the one that gave this output.
    """

    kind: Kind
    seconds: float | None
    skipped: int


@dataclass
class Result:
    """What was seen in a run.

    Attributes
    ----------
    plan : Plan
    seconds : float
        How long it was.
    sizes : list of Sizes
        Of the node's process, about one a second, but for those of `unsettled`.
    unsettled : list of Sizes
        While it may hold memory of a fault: see `Kind.held`.
    recoveries : list of Recovery
    good : int
        Good samples.
    received, not_finite, wrong : Counter
        See `outputs.Outputs`.
    log : str
        What the node has printed.
    died : bool
        Whether it ended by itself.
    status : int
        Its exit status.
    interrupted : bool
        Whether the run was ended before its time.
    """

    plan: Plan
    seconds: float = 0.0
    sizes: list[Sizes] = field(default_factory=list)
    unsettled: list[Sizes] = field(default_factory=list)
    recoveries: list[Recovery] = field(default_factory=list)
    good: int = 0
    received: Counter[str] = field(default_factory=Counter)
    not_finite: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    log: str = ""
    died: bool = False
    status: int = 0
    interrupted: bool = False


class _Watch:
    """Waits for the first output of a good sample after a fault."""

    def __init__(self, kind: Kind, first: int) -> None:
        self._kind = kind
        self._first = first
        self._start = time.monotonic()
        self._recovery: Recovery | None = None

    def note(self, number: int, arrival: float) -> None:
        if self._recovery is None and number >= self._first:
            self._recovery = Recovery(self._kind, arrival - self._start, number - self._first)

    def result(self) -> Recovery | None:
        """Return what was seen, if there was an output, or none for too long."""
        if self._recovery is None and time.monotonic() - self._start > PATIENCE:
            self._recovery = Recovery(self._kind, None, 0)
        return self._recovery


def run(plan: Plan, progress: Callable[[Result], None] = lambda result: None) -> Result:
    """Run the node and return what was seen.

    Parameters
    ----------
    plan : Plan
    progress : callable
        Is told once a second what was seen so far.

    Raises
    ------
    RuntimeError
        If the node does not start, or sends nothing before the first fault.
    """
    result = Result(plan)
    node = _start()
    try:
        _feed(plan, node, result, progress)
    except KeyboardInterrupt:
        result.interrupted = True
    finally:
        result.died = not node.is_running
        result.status = node.close()
        result.log = node.log
    return result


def _start() -> Process:
    """Start a node that finds its kernels compiled: to compile them takes memory that it keeps."""
    command = (sys.executable, "-u", "-m", "charmie_dynamics.ros.nodes.dynamics_node")
    for last in (False, True):
        node = Process(command, None)
        try:
            node.wait_for("' ready: ", START)
        except BaseException:
            node.close()
            raise
        if last or " kernels compiled" not in node.log:
            return node
        node.close()
    raise AssertionError


def _feed(plan: Plan, process: Process, result: Result, progress: Callable[[Result], None]) -> None:
    context = rclpy.Context()
    # an interrupt is Python's here, so that it ends the run with a table
    rclpy.init(args=[], context=context, signal_handler_options=SignalHandlerOptions.NO)
    # two nodes: the executor of the listener has nothing to do with publishers that restart
    source = rclpy.create_node("soak_source", context=context)
    listener = rclpy.create_node("soak_listener", context=context)
    feed = Feed(source, plan.rate, process.hold, process.go_on)
    outputs = Outputs(listener, feed)
    result.received, result.wrong = outputs.received, outputs.wrong
    result.not_finite = outputs.not_finite
    executor = make_executor(context=context)
    executor.add_node(listener)
    thread = threading.Thread(target=_spin, args=(executor,), daemon=True)
    thread.start()
    try:
        _connect(feed, outputs)
        _inject(plan, process, feed, outputs, result, progress)
    finally:
        context.try_shutdown()
        thread.join()
        for node in (source, listener):
            node.destroy_node()


def _spin(executor: rclpy.executors.Executor) -> None:
    try:
        executor.spin()
    except ExternalShutdownException:
        pass


def _connect(feed: Feed, outputs: Outputs) -> None:
    """Send good samples until something comes back on all outputs that a cycle has."""
    deadline = time.monotonic() + CONNECT
    seen = threading.Event()
    outputs.on_efforts = lambda number, arrival: seen.set()
    while not seen.is_set():
        if time.monotonic() > deadline:
            raise RuntimeError(f"the node has sent nothing in {CONNECT} s")
        feed.good()
        time.sleep(1.0 / feed.rate)


def _inject(
    plan: Plan,
    process: Process,
    feed: Feed,
    outputs: Outputs,
    result: Result,
    progress: Callable[[Result], None],
) -> None:
    """Send one sample a period, good or not, until the time is over."""
    start = due = next_look = time.monotonic()
    faults = _Faults(plan, feed, outputs, result.recoveries)
    for is_good in faults.slots():
        if not process.is_running:
            return
        now = time.monotonic()
        if now >= next_look:
            next_look = now + SAMPLED
            found = result.sizes if now >= faults.held_until else result.unsettled
            try:
                found.append(process.sizes(now - start))
            except ProcessLookupError:
                return  # it has ended since
            result.seconds, result.good = now - start, feed.count
            progress(result)
        if is_good:
            feed.good()
        due = max(due + 1.0 / plan.rate, time.monotonic())  # what was late is not made up for
        time.sleep(max(0.0, due - time.monotonic()))


class _Faults:
    """Injects one fault after the other and notes recoveries.

    Attributes
    ----------
    held_until : float
        When the process must have given back what it holds of a fault (steady clock, s).
    """

    def __init__(
        self, plan: Plan, feed: Feed, outputs: Outputs, recoveries: list[Recovery]
    ) -> None:
        self._plan = plan
        self._feed = feed
        self._outputs = outputs
        self._recoveries = recoveries
        self.held_until = -math.inf

    def slots(self) -> Iterator[bool]:
        """Yield for each sample whether it is to be a good one, until the time is over."""
        plan, rng = self._plan, np.random.default_rng(self._plan.seed)
        end = time.monotonic() + plan.seconds
        for kind in _rounds(plan.kinds, rng):
            pause_end = time.monotonic() + rng.uniform(*plan.pause)
            if pause_end > end - QUIET:
                pause_end = end
            while time.monotonic() < pause_end:
                yield True
            if pause_end == end:
                return
            for _ in kind.run(self._feed, rng):
                self._note_held(kind)
                yield False
            self._note_held(kind)
            watch = _Watch(kind, self._feed.count)
            self._outputs.on_efforts = watch.note
            while (recovery := watch.result()) is None:
                yield True
            self._recoveries.append(recovery)

    def _note_held(self, kind: Kind) -> None:
        if kind.held:
            self.held_until = time.monotonic() + kind.held


def _rounds(kinds: Sequence[Kind], rng: np.random.Generator) -> Iterator[Kind]:
    """Return rounds of all kinds in random orders."""
    while True:
        for i in rng.permutation(len(kinds)):
            yield kinds[i]
