# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Frames and stamps by which a node recognises its own transforms when it receives them."""

from __future__ import annotations

from dataclasses import dataclass

from charmie_dynamics.live.outputs import published_frames
from charmie_dynamics.model.model import Model
from charmie_dynamics.ros.process.parameters import Settings


@dataclass(frozen=True)
class OwnFrames:
    """Child frames that this node publishes, on /tf and on /tf_static."""

    moving: frozenset[str] = frozenset()
    fixed: frozenset[str] = frozenset()

    @classmethod
    def of(cls, model: Model, settings: Settings) -> OwnFrames:
        """Return the published frames of a model; empty if `publish_tf` is off."""
        if not settings.publish_tf:
            return cls()
        prefix = settings.frame_prefix
        return cls(
            *(
                frozenset(prefix + model.frame_names[row] for row in rows)
                for rows in published_frames(model, settings)
            )
        )

    @property
    def all(self) -> frozenset[str]:
        """Frames of both kinds."""
        return self.moving | self.fixed


class OwnStamps:
    """Stamps that this node has published and whose messages it has not met again yet."""

    def __init__(self) -> None:
        self._new: dict[int, int] = {}
        self._old: dict[int, int] = {}

    def add(self, stamp: int) -> None:
        """Record a message; a stamp may recur after a jump back in time."""
        self._new[stamp] = self._new.get(stamp, 0) + 1

    def take(self, stamp: int | None) -> bool:
        """Return whether a message with this stamp is expected, and expect one less."""
        if stamp is None:
            return False
        for stamps in (self._old, self._new):
            count = stamps.pop(stamp, 0)
            if count > 1:
                stamps[stamp] = count - 1
            if count:
                return True
        return False

    def age(self) -> None:
        """Discard the stamps noted before the last call; their messages have arrived by now."""
        self._old, self._new = self._new, {}
