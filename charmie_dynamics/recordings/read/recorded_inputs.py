# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The recorded inputs of a robot and its loads, from which charmie_analyze computes cycles."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.live.topics import IMU_MESSAGE, INERTIA
from charmie_dynamics.live.wire.messages import JOINT_STATE, ODOMETRY, STRING, WRENCH
from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, JOINT_STATES

from .bag import Bag
from .description import DESCRIPTION, read_description
from .received import BaseMessage, LoadMessage, ReceivedSample
from .recorded_samples import RecordedSamples

USED = (JOINT_STATE, STRING, INERTIA, WRENCH, ODOMETRY, IMU_MESSAGE)


class RecordedInputs:
    """A bag as a recording; a context manager. Damaged parts are omitted, with a notice.

    Parameters
    ----------
    path : Path
        Folder of a rosbag2, or one of its storage files (.mcap, .db3).
    namespace : str, optional
        Of the node; required if several have been recorded.
    topics : dict, optional
        Recorded names of ``joint_states`` and ``actuator_lengths``, if they differ.

    Attributes
    ----------
    description, count, diagnostics
        See `received.Recording`.
    bag : Bag
    samples : RecordedSamples
    prefix : str
        Namespace of the joint states; "/" without one.

    Raises
    ------
    CharmieError
        If no message can be read, or a topic exists in several namespaces.

    Examples
    --------
    >>> from pathlib import Path
    >>> from charmie_dynamics.recordings import RecordedInputs
    >>> with RecordedInputs(Path("bag")) as bag:
    ...     print(bag.count, "messages")
    400 messages
    """

    def __init__(
        self, path: Path, namespace: str = "", topics: dict[str, str] | None = None
    ) -> None:
        self.bag = Bag(path, namespace, salvaged=USED)
        try:
            self._names = self._resolve(topics or {})
            self.prefix = self._prefix(is_given=bool(topics))
            self.samples = RecordedSamples(self.bag, self.prefix)
            self.diagnostics = self.samples.diagnostics
            used = (*self._names.values(), *self.samples.loads.names, *self.samples.base)
            self.count = sum(self.bag.count(name) for name in used)
            self.description = self._description()
        except BaseException:
            self.bag.close()
            raise

    def __enter__(self) -> RecordedInputs:
        return self

    def __exit__(self, *_: object) -> None:
        self.bag.close()

    def missing_topics(self, *, needs_lengths: bool) -> list[str]:
        """Return the input topics that a robot requires and that the bag lacks.

        Examples
        --------
        >>> from pathlib import Path
        >>> from charmie_dynamics.recordings import RecordedInputs
        >>> with RecordedInputs(Path("bag")) as bag:
        ...     print(bag.missing_topics(needs_lengths=True))
        []
        """
        needed = (JOINT_STATES, ACTUATOR_LENGTHS) if needs_lengths else (JOINT_STATES,)
        return [topic for topic in needed if topic not in self._names]

    def received(self) -> Iterator[ReceivedSample | LoadMessage | BaseMessage]:
        """Yield the samples of both input topics, and the messages about loads and base.

        Examples
        --------
        >>> from pathlib import Path
        >>> from charmie_dynamics.recordings import RecordedInputs
        >>> with RecordedInputs(Path("bag")) as bag:
        ...     print(sum(1 for _ in bag.received()))
        400
        """
        read = yield from self.samples.read({name: topic for topic, name in self._names.items()})
        if read < self.count:
            self.diagnostics.notices.append(f"{read} of {self.count} messages could be read")

    def _resolve(self, remapped: dict[str, str]) -> dict[str, str]:
        """Return the full names of the input topics that are in the bag."""
        names = {}
        for topic in (JOINT_STATES, ACTUATOR_LENGTHS):
            if topic in remapped:
                name: str | None = self._given(remapped[topic])
            else:
                name = self.bag.name(topic, JOINT_STATE)
            if name is not None:
                names[topic] = name
        return names

    def _given(self, topic: str) -> str:
        name = "/" + topic.strip("/")
        joints = sorted(name for name, kind in self.bag.types.items() if kind == JOINT_STATE)
        if name not in joints:
            raise CharmieError(
                f"bag '{self.bag.path}' has no topic '{name}'; those with joint states are: "
                f"{', '.join(joints) or 'none'}"
            )
        return name

    def _prefix(self, *, is_given: bool) -> str:
        """Return the namespace of the robot; "/" if topics are given by name."""
        if is_given and not self.bag.namespace:
            return "/"
        topic = JOINT_STATES if JOINT_STATES in self._names else ACTUATOR_LENGTHS
        return self.bag.prefix(topic, JOINT_STATE)

    def _description(self) -> str | None:
        """Return the URDF; of several, the one in the namespace of the inputs."""
        names = self.bag.names(DESCRIPTION, STRING)
        if not names:
            return None
        own = self.prefix + DESCRIPTION
        return read_description(self.bag, own if own in names else names[0], self.diagnostics)
