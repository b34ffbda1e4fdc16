# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The data of a robot on which the functions of this package work."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from charmie_dynamics.model.description.mechanisms import MechanismSet
from charmie_dynamics.model.description.robot import RobotTree

from .block_layout import BlockLayout
from .flat_robot import FlatRobot

Result = TypeVar("Result")


class Cache(dict[Any, Any]):
    """Results of functions of a robot, such as kernels with their addresses.

    ``robot.cache[make]`` is ``make(robot)``, computed at the first access. The cache releases the
    oldest results when it is full.
    """

    SIZE = 32

    def __init__(self, robot: PreparedRobot) -> None:
        super().__init__()
        self._robot = weakref.ref(robot)
        self._lock = threading.Lock()

    def __missing__(self, make: Callable[[PreparedRobot | None], Result]) -> Result:
        made = make(self._robot())
        with self._lock:
            if make not in self and len(self) >= self.SIZE:
                del self[next(iter(self))]
            first: Result = self.setdefault(make, made)  # another thread may have been faster
            return first

    if TYPE_CHECKING:

        def __getitem__(self, make: Callable[[PreparedRobot], Result]) -> Result: ...


@dataclass(frozen=True, eq=False)
class PreparedRobot:
    """A robot, ready to compute.

    A copy, in this process or another, has an empty cache, because addresses of memory belong to
    one robot in one process.

    Attributes
    ----------
    tree, mechanisms : RobotTree, MechanismSet
        The description, step 1.
    unloaded, flat : FlatRobot
        The kernels' arrays, step 2, without and with loads.
    layout : BlockLayout
        Place of each array of a state in its block.
    loads : tuple of mapping
        Payloads and wrenches, by link.
    cache : Cache
    """

    tree: RobotTree
    mechanisms: MechanismSet
    unloaded: FlatRobot
    flat: FlatRobot
    layout: BlockLayout
    loads: tuple[Mapping[str, Any], Mapping[str, Any]] = ({}, {})
    cache: Cache = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Begin with an empty cache."""
        self.__dict__["cache"] = Cache(self)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "cache"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()

    def with_flat(self, flat: FlatRobot, **changes: Any) -> PreparedRobot:
        """Return this robot with other arrays of the same sizes."""
        layout = BlockLayout(flat, flat.frame_names[self.layout.base_body])
        return replace(self, flat=flat, layout=layout, **changes)
