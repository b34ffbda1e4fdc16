# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Recorded samples in the order in which the node processes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from charmie_dynamics.live.ordering import LengthsFirst
from charmie_dynamics.live.wire.stamps import SECONDS

from .received import ReceivedSample


def in_order(
    received: Iterable[ReceivedSample], order: LengthsFirst[ReceivedSample]
) -> Iterator[ReceivedSample]:
    """Yield samples in the recorded order, but joints after the lengths with the same stamp."""
    for entry in received:
        now = entry.arrival * SECONDS
        yield from order.overdue(now)
        yield from order.add(entry.topic, entry.sample, now, entry)
    yield from order.rest()
