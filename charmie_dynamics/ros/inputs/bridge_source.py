# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Sources of the bridge: the type, the subscription and the messages of each."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.node import Node
from rclpy.serialization import deserialize_message

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.live.bridge.configuration import Source
from charmie_dynamics.live.bridge.field_path import FieldPath
from charmie_dynamics.live.bridge.translator import Translation, Translator
from charmie_dynamics.live.findings import NO_MESSAGE, NOT_SUBSCRIBED, VALUES_MISSING
from charmie_dynamics.live.monitors import START_TIME, InputMonitor
from charmie_dynamics.live.topics import SENSOR
from charmie_dynamics.model.model import Model
from charmie_dynamics.ros.outputs.conversions import stamp_from_time
from charmie_dynamics.ros.outputs.diagnostics import found, status
from charmie_dynamics.ros.outputs.profiles import qos_profile

from .message_types import load_type, require_fields, stamp_path

STALE = 2.5  # s without a message: two periods of a source of 1 Hz


class BridgeSource:
    """Receives a topic whose type may not be there yet.

    Parameters
    ----------
    node : Node
    source : Source
    model : Model
    receive : callable
        Called with this source and each message (bytes).
    """

    def __init__(
        self,
        node: Node,
        source: Source,
        model: Model,
        receive: Callable[[BridgeSource, bytes], None],
    ) -> None:
        self.source = source
        self.monitor = InputMonitor()
        self.fault = "not yet subscribed"
        self._node = node
        self._receive = receive
        self._translator = Translator(source, model)
        self._type: Any = None
        self._stamp: FieldPath | None = None
        self._unusable: dict[str, str] = {}
        self._seen: set[str] = set()
        self._begin = time.monotonic()

    def try_to_subscribe(self) -> bool:
        """Subscribe if necessary; return whether it is subscribed. `fault` is the reason if not."""
        if self._type is not None:
            return True
        try:
            message_type = load_type(self.source.type)
            require_fields(self.source)
            self._stamp = stamp_path(self.source)
        except CharmieError as error:
            self.fault = str(error)
            return False
        self._node.create_subscription(
            message_type, self.source.topic, self._on_message, qos_profile(SENSOR), raw=True
        )
        self._type, self.fault = message_type, ""
        return True

    def read(self, data: bytes, now: int) -> tuple[int, Translation] | None:
        """Return the time (ns) and the values of a message; None if it contains no value.

        Parameters
        ----------
        data : bytes
        now : int
            Time of arrival (ns) on the node's clock, for messages without a time.
        """
        if not self._translator.may_hold(data):
            return None
        message = deserialize_message(data, self._type)
        time_of = None if self._stamp is None else self._stamp.value_in(message)
        stamp = now if time_of is None else (stamp_from_time(time_of) or now)
        result = self._translator.translate(message, stamp)
        values = (*result.joints.names, *result.lengths.names)
        if not (values or result.not_finite):
            return None
        self.monitor.received += 1
        self.monitor.last_arrival = time.monotonic()
        self._seen.update(values)
        self._unusable = dict.fromkeys(result.not_finite, "not finite")
        for joint in result.beyond:
            self.monitor.reject(f"'{joint}' beyond its actuator's reach")
        return stamp, result

    def status(self, name: str, now: float) -> DiagnosticStatus:
        """Report the state of the source at steady time `now` (s).

        Values that never arrived are a warning only after `START_TIME`.
        """
        monitor, source = self.monitor, self.source
        age = None if monitor.last_arrival is None else now - monitor.last_arrival
        values = {
            "topic": source.topic,
            "type": source.type,
            "rate (Hz)": f"{monitor.rate:.1f}",
            "age (s)": "never" if age is None else f"{age:.3f}",
            "time of the measurement": "of arrival" if self._stamp is None else self._stamp.text,
        }
        values.update({f"delay of {n}'s velocity (s)": f"{d:.3f}" for n, d in self.delays()})
        values.update({f"rejected: {text}": str(n) for text, n in monitor.rejected.items()})
        if self.fault:
            text = f"{NOT_SUBSCRIBED.text}: {self.fault}"
            return found(name, NOT_SUBSCRIBED, text, values)
        is_waiting = now - self._begin < START_TIME
        if age is None or age > STALE:
            topic = self._node.resolve_topic_name(source.topic)
            others = self._other_types()
            if age is None and is_waiting and not others:
                return status(name, DiagnosticStatus.OK, f"waiting for {topic}", values)
            text = f"{NO_MESSAGE.text} {topic}"
            if others:
                text += f", which is published as {', '.join(others)}, expected {source.type}"
            return found(name, NO_MESSAGE, text, values)
        missing = [e.name for e in source.entries if e.name not in self._seen]
        if is_waiting and missing and not self._unusable:
            text = f"waiting for {', '.join(missing)}"
            return status(name, DiagnosticStatus.OK, text, values)
        if missing or self._unusable:
            absent = [
                *(f"{n} never came" for n in missing),
                *(f"{n} {w}" for n, w in self._unusable.items()),
            ]
            text = f"{VALUES_MISSING.text}: {', '.join(absent)}"
            return found(name, VALUES_MISSING, text, values)
        return status(name, DiagnosticStatus.OK, f"{monitor.rate:.1f} Hz", values)

    def delays(self) -> list[tuple[str, float]]:
        """Return by how much (s) the velocities of smoothed values follow the motion."""
        return self._translator.delays()

    def _other_types(self) -> list[str]:
        infos = self._node.get_publishers_info_by_topic(
            self._node.resolve_topic_name(self.source.topic)
        )
        return sorted({info.topic_type for info in infos} - {self.source.type})

    def _on_message(self, data: bytes) -> None:
        self._receive(self, data)
