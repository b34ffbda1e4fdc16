"""What measured efforts tell, as messages: residuals, efforts from outside, contacts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sensor_msgs.msg import JointState

from charmie_dynamics.live.measured import Comparison
from charmie_dynamics.numerics.vectors import Ints

from . import topics
from .conversions import doubles, time_from_stamp
from .cycle_messages import CycleMessages, Entry, Source
from .messages import JointStateMessage
from .thinning import Thinning

# Hz of stamps, but for changes, which are told at once
CONTACTS_RATE = 200.0
# sets of measured actuators whose messages are kept as templates
REMEMBERED = 8


class MeasuredOutputs:
    """Publishes comparisons of one model.

    Only actuators whose effort is measured are named in a message.

    Parameters
    ----------
    names : tuple of str
        Of the q actuators.
    frame : str
        Frame id of the messages.
    has_thresholds : bool
        Whether contacts can be told.
    publish : callable
        Takes a topic and a message.
    templates : bool
        False: ordinary messages.
    report : callable
        Is told why a message is sent as an ordinary one although templates were asked for.
    """

    def __init__(
        self,
        names: tuple[str, ...],
        frame: str,
        has_thresholds: bool,
        publish: Callable[[topics.Topic, Any], None],
        templates: bool,
        report: Callable[[str], None],
    ) -> None:
        self._names = names
        self._frame = frame
        self._has_thresholds = has_thresholds
        self._publish = publish
        self._templates = templates
        self._report = report
        self._messages: dict[bytes, CycleMessages] = {}
        everything = np.ones(len(names), dtype=bool)
        self._messages_for(everything.tobytes(), np.flatnonzero(everything))
        self._thinning = Thinning(CONTACTS_RATE)
        self._felt: Ints = np.empty(0, dtype=np.int64)

    def publish(self, comparison: Comparison) -> None:
        """Publish one comparison."""
        measured = comparison.measured
        messages = self._messages_for(measured.tobytes(), np.flatnonzero(measured))
        block = np.concatenate((comparison.residual, comparison.external))
        block.flags.writeable = False  # as the blocks of states: one type, compiled once
        found = messages.write(comparison.stamp, block)
        for topic, message in zip(topics.COMPARED, found, strict=False):
            self._publish(topic, message)
        if self._has_thresholds:
            self._publish_contacts(comparison)

    def _messages_for(self, key: bytes, measured: Ints) -> CycleMessages:
        """Return the messages that name some actuators; those of many sets are made each time."""
        messages = self._messages.get(key)
        if messages is None:
            names = [self._names[i] for i in measured]
            count = len(self._names)
            entries = [
                Entry(
                    JointStateMessage(names, self._frame, ("effort",)),
                    (Source(measured + first),),
                )
                for first in (0, count)
            ]
            room = len(self._messages) < REMEMBERED
            messages = CycleMessages(entries, 2 * count, self._templates and room, self._report)
            if room:
                self._messages[key] = messages
        return messages

    def _publish_contacts(self, comparison: Comparison) -> None:
        felt = np.flatnonzero(comparison.contacts)
        changed = not np.array_equal(felt, self._felt)
        if not self._thinning.picks(comparison.stamp) and not changed:
            return
        self._felt = felt
        message = JointState(name=[self._names[i] for i in felt])
        message.header.frame_id = self._frame
        message.header.stamp = time_from_stamp(comparison.stamp)
        message.effort = doubles(comparison.external[felt])
        self._publish(topics.CONTACTS, message)
