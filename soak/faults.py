# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The kinds of faults that are mixed into the good signal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from . import bad_messages, bad_streams
from .feed import Feed

Fault = Callable[[Feed, np.random.Generator], Iterator[None]]


@dataclass(frozen=True)
class Kind:
    """A kind of fault.

    Attributes
    ----------
    name : str
    run : callable
        Injects it once.
    skipped : int
        Good samples after it that go without an output by design: time that jumps back by less
        than the timeout takes one to be told from disorder, and to send 20 MB takes longer than a
        period.
    reconnects : bool
        Whether publishers are made anew: samples are lost until they and the node have found
        each other.
    held : float
        How long after it the process may still hold memory of it (s).
    """

    name: str
    run: Fault
    skipped: int = 0
    reconnects: bool = False
    held: float = 0.0


KINDS = (
    Kind("positions not finite", bad_messages.not_finite),
    Kind("no velocities", bad_messages.no_velocities),
    Kind("wrong array lengths", bad_messages.wrong_lengths),
    Kind("repeated names", bad_messages.repeated_names),
    Kind("unknown names", bad_messages.unknown_names),
    Kind("broken bytes", bad_messages.broken_bytes),
    # 20 MB; the node looks at its memory twice a second, and needs some looks
    Kind("a million entries", bad_messages.Oversized(1_000_000), skipped=2, held=4.0),
    Kind("missing joint", bad_streams.missing_joint),
    Kind("stale lengths", bad_streams.stale_lengths),
    Kind("stale joints", bad_streams.stale_joints),
    Kind("length out of reach", bad_messages.out_of_reach),
    Kind("leaps", bad_messages.leaps),
    Kind("time goes back", bad_streams.time_back, skipped=1),
    Kind("stamps of zero", bad_streams.zero_stamps, skipped=1),
    Kind("repeated stamps", bad_streams.repeated_stamps),
    Kind("wrong order", bad_streams.disorder),
    # those that come within 0.3 s, in which a busy machine still reads the burst
    Kind("burst at 5 kHz", bad_streams.burst, skipped=30),
    # those that come within a fifth of a second, in which the queues are read
    Kind("full queues", bad_streams.full_queues, skipped=20),
    Kind("node held up", bad_streams.held_up),
    Kind("publishers restart", bad_streams.publisher_restart, reconnects=True),
    Kind("two publishers", bad_streams.two_publishers),
    Kind("subscribers come and go", bad_streams.subscribers),
)
