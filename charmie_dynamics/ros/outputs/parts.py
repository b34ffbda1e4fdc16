"""Things that are made from settings, kept as long as what they are made from stays the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Part = TypeVar("Part")


class Parts:
    """Parts by their names, each with the key that it was made for.

    To make all that a node publishes takes 50 ms, in which it computes nothing; most changes of
    parameters touch none of it.
    """

    def __init__(self) -> None:
        self._made: dict[str, tuple[Any, Any, list[str]]] = {}

    def copy(self) -> Parts:
        """Return parts of which some can be made anew while these stay in use."""
        result = Parts()
        result._made = dict(self._made)
        return result

    def get(self, name: str, key: Any, make: Callable[[Callable[[str], None]], Part]) -> Part:
        """Return a part, made anew if its key is another one than before.

        Parameters
        ----------
        name : str
        key
            What the part depends on, comparable.
        make : callable
            Makes it; is given a function to which it may tell its troubles.
        """
        if name not in self._made or self._made[name][0] != key:
            troubles: list[str] = []
            self._made[name] = key, make(troubles.append), troubles
        part: Part = self._made[name][1]
        return part

    @property
    def troubles(self) -> tuple[str, ...]:
        """What the makers of all parts have told."""
        return tuple(text for _, _, troubles in self._made.values() for text in troubles)
