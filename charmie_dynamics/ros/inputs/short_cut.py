"""A usual message goes from its bytes to filled messages in one compiled call.

At a kilohertz nearly every message is like the one before: the same joints, newer, and nothing is
missing. What is done with it is compiled, `read_numbers`, `advance` and `scatter`; but in a node
that has slept the Python between these costs more than they do, since nothing of it is left in the
processor's caches. Here they are called by one another. Whatever is unusual about a message is
found out before anything has changed, and it goes the long way, by samples and cycles.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from charmie_dynamics.core.arrays import REACHED
from charmie_dynamics.live.estimation.kernels import advance
from charmie_dynamics.live.pipeline import Cycle, Pipeline
from charmie_dynamics.live.wire.joint_state_reader import Layout, Records, read_numbers
from charmie_dynamics.live.wire.scatter import scatter
from charmie_dynamics.live.wire.stamps import NANOSECONDS
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import Floats, Ints
from charmie_dynamics.ros.outputs.cycle_messages import Filler

# what has come of a message: nothing, so that it has to go the long way; no cycle, or one that did
# not succeed; filled messages
LONG_WAY = 0
TAKEN = 1
COMPUTED = 2


class Outcome(NamedTuple):
    """What has come of a message.

    Attributes
    ----------
    is_done : bool
        False: it has to go the long way; nothing has changed.
    cycle : Cycle or None
        None if it set off none.
    """

    is_done: bool
    cycle: Cycle | None


class ShortCut:
    """The way from usual messages to filled ones.

    Parameters
    ----------
    pipeline : Pipeline
        With its model as it is now.
    filler : Filler
        Of all messages of a cycle.
    begin : callable
        Publishes the first of them, as soon as they are filled: what is noted of a cycle would
        hold it up.
    """

    def __init__(self, pipeline: Pipeline, filler: Filler, begin: Callable[[], None]) -> None:
        self._pipeline = pipeline
        self._begin = begin
        self._size = pipeline.model.plan.size
        self._filler = filler
        self._layout: Layout | None = None
        self._arguments: tuple[Any, ...] = ()

    def take(self, data: bytes, layout: Layout, now: float) -> Outcome:
        """Take a message in, compute its cycle, fill the messages and begin, if all is as usual.

        Parameters
        ----------
        data : bytes
            Joint states.
        layout : Layout
            Of the message before.
        now : float
            When it came, on the steady clock (s).

        Raises
        ------
        OutOfReachError, InputError
            As `Pipeline.add`.
        """
        pipeline = self._pipeline
        if not pipeline.order.is_idle:
            return UNUSUAL
        if layout is not self._layout:
            self._follow(layout)
        block = np.empty(self._size)
        outcome, stamp, oldest = pass_through(data, pipeline.newest, now, block, *self._arguments)
        if outcome == LONG_WAY:
            return UNUSUAL
        if outcome == COMPUTED:
            self._begin()
        pipeline.order.note_joints(stamp)
        computed = block if outcome == COMPUTED else None
        return Outcome(True, pipeline.note_advance(stamp, oldest, layout.has_effort, computed, now))

    def _follow(self, layout: Layout) -> None:
        """Prepare for messages with a layout."""
        pipeline = self._pipeline
        self._layout = layout
        self._arguments = (
            *layout.arguments,
            *pipeline.model.blocks,
            *pipeline.aligner.records(pipeline.trigger, layout.names),
            *pipeline.aligner.settings,
            pipeline.compute_dynamics,
            *self._filler.arguments,
        )


UNUSUAL = Outcome(False, None)


@compiled
def pass_through(
    data: bytes,
    newest: int,
    now: float,
    block: Floats,
    expected: npt.NDArray[np.uint8],
    fixed: Ints,
    forms: Records,
    doubles: Floats,
    ints: Ints,
    floats: Floats,
    entries: Records,
    trackers: Records,
    inputs: Records,
    timeout: float,
    omega: float,
    gap: float,
    with_acceleration: bool,
    with_dynamics: bool,
    copies: Records,
    rotations: Records,
    points: Records,
    stamps: Ints,
    memory: Floats,
) -> tuple[int, int, float]:
    """Read a message, take it in, run its cycle and fill the messages.

    Parameters
    ----------
    data, expected, fixed, doubles
        Of `read_numbers`.
    forms : (1,) array of FORM
    ints, floats, entries, trackers, inputs, newest, now, timeout, omega, gap, block
        Of `advance`, as are `with_acceleration` and `with_dynamics`.
    copies, rotations, points, stamps, memory
        Of `scatter`.

    Returns
    -------
    outcome : int
        LONG_WAY, TAKEN or COMPUTED.
    stamp : int
        Of the message (ns).
    oldest : float
        Of `advance` (s).
    """
    form: Any = forms[0]
    is_big = form["is_big"] == 1
    fits, seconds, nanoseconds = read_numbers(data, expected, fixed, form["start"], is_big, doubles)
    stamp = seconds * NANOSECONDS + nanoseconds
    # without a stamp, or before 1970; or nothing new
    if not fits or stamp <= 0 or stamp <= newest:
        return LONG_WAY, stamp, now
    number = form["number"]
    position = doubles[form["position"] : form["position"] + number]
    for k in range(number):
        if not math.isfinite(position[k]):
            return LONG_WAY, stamp, now
    velocity = doubles[form["velocity"] : form["velocity"] + form["velocities"]]
    effort = doubles[form["effort"] : form["effort"] + form["efforts"]]
    usable, _, lag, beyond, oldest, status = advance(
        ints,
        floats,
        entries,
        trackers,
        inputs,
        position,
        velocity,
        effort,
        stamp,
        now,
        False,
        newest,
        now,
        timeout,
        omega,
        gap,
        with_acceleration,
        with_dynamics,
        block,
    )
    if usable == 0 or lag > 0 or beyond >= 0:
        return LONG_WAY, stamp, now
    if status != REACHED:
        return TAKEN, stamp, oldest
    scatter(stamp, block, copies, rotations, points, stamps, memory)
    return COMPUTED, stamp, oldest
