# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the file of a type of mechanism has to say to the description: entry, checks and arrays."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from charmie_dynamics.errors import ModelFileError, shown

from ..robot import Joint, RobotTree

# types of values, defined in mechanisms.schema.json
NAME = {"$ref": "#/definitions/name"}
NUMBER = {"type": "number"}
NOT_NEGATIVE = {"$ref": "#/definitions/not_negative"}
POSITIVE = {"$ref": "#/definitions/positive"}
RANGE = {"$ref": "#/definitions/range"}
SHARE = {"$ref": "#/definitions/share"}
VECTOR3 = {"$ref": "#/definitions/vector3"}
SOURCE = {"type": "string", "description": "origin of the values, for readers; not used"}


def described(value: Mapping[str, Any], meaning: str) -> dict[str, Any]:
    """Return the schema of a value with what it means, for the reference of the file's format."""
    return {**value, "description": meaning}


# keys of mechanisms with an extension spring, see `Mechanism.spring_ends`
EXTENSION_SPRING = {
    "stiffness": described(NOT_NEGATIVE, "tension for each metre above the free length (N/m)"),
    "free_length": described(NOT_NEGATIVE, "length with the coils closed (m)"),
}
PRETENSION = {
    "pretension": described(NOT_NEGATIVE, "load at which the closed coils begin to part (N)")
}


def entry_schema(required: Mapping[str, Any], optional: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON schema of an entry with these keys, and with one for its source.

    Parameters
    ----------
    required, optional : mapping of str to dict
        Schemas of the values by their keys, from `described`.
    """
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(required),
        "properties": {**required, **optional, "source": SOURCE},
    }


@dataclass(frozen=True)
class Numbering:
    """Which rows of the arrays belong to what, by name.

    Attributes
    ----------
    tree : RobotTree
    links, coordinates : mapping of str to int
        Rows of the links, and of the coordinates by the joints that they move.
    frames : mapping of str to int
        Rows of all frames: of the links and of the auxiliary bodies, ``{mechanism}_{body}``.
    members, springs : mapping of str to int
        Rows of the two-point bodies and of the extension springs, by mechanism.
    places : mapping of str to str
        Of each mechanism: file and line of its entry, as messages name them.
    coordinate_count : int
        How many there are.
    moved_by : mapping of str to tuple of int
        Coordinates that move each link in its parent.
    passive : tuple of str
        Joints without actuator.
    """

    tree: RobotTree
    links: Mapping[str, int]
    coordinates: Mapping[str, int]
    frames: Mapping[str, int]
    members: Mapping[str, int]
    springs: Mapping[str, int]
    places: Mapping[str, str]
    coordinate_count: int
    moved_by: Mapping[str, tuple[int, ...]]
    passive: tuple[str, ...]

    def fault(self, part: Mechanism, message: str) -> ModelFileError:
        """Return the error for a fault of a mechanism, with its place in the file."""
        place = self.places[part.name]
        return ModelFileError(f"{place}: {part.title} '{shown(part.name)}': {message}")


@dataclass(frozen=True)
class Mechanism(ABC):
    """A mechanism as its file has it; each type is a subclass, its module has it as ``TYPE``.

    The fields of a subclass are the keys of its entry; those with a default may be missing there.

    Attributes
    ----------
    title : str
        What messages call it.
    schema : dict
        JSON schema of its entry, from `entry_schema`.
    links, joints : tuple of str
        Its fields that name links of the tree, and independent movable joints.
    takes_mimics : bool
        Whether these joints may mimic another.
    bodies : tuple of str
        Its auxiliary bodies. Their frames, ``{name}_{body}``, have the first of `links` as parent.
    revolute, prismatic : int
        Numbers of its own joints that connect these bodies to the others.
    is_member : bool
        Whether it reaches from a pin to a pin, as `members.pins_of` says.
    spring_ends : (str, str) or None
        Those of its bodies between which it has an extension spring, whose law is in its fields
        ``stiffness``, ``free_length``, ``pretension`` and ``pushes``; None: it has none.
    parts_of_their_own : tuple of str
        Fields that are zero where there is no such part: then they are no parameters.
    """

    name: str

    title: ClassVar[str]
    schema: ClassVar[Mapping[str, Any]]
    links: ClassVar[tuple[str, ...]] = ()
    joints: ClassVar[tuple[str, ...]] = ()
    takes_mimics: ClassVar[bool] = False
    bodies: ClassVar[tuple[str, ...]] = ()
    revolute: ClassVar[int] = 0
    prismatic: ClassVar[int] = 0
    is_member: ClassVar[bool] = False
    spring_ends: ClassVar[tuple[str, str] | None] = None
    parts_of_their_own: ClassVar[tuple[str, ...]] = ()

    @property
    def pushes(self) -> float:
        """1.0 where its spring also pushes, 0.0 where it only pulls."""
        return 0.0

    @property
    def frame_parent(self) -> str:
        """The link that the frames of its bodies lie in."""
        return str(getattr(self, self.links[0]))

    @classmethod
    def read(cls, name: str, entry: Mapping[str, Any]) -> Mechanism:
        """Return the mechanism of an entry that its schema accepts."""
        fields = {key: _value(value) for key, value in entry.items() if key != "source"}
        return cls(name, **fields)

    def faults(self) -> Iterator[tuple[str, str]]:
        """Yield faults that the schema does not detect, each as a key and a message."""
        yield from ()

    @classmethod
    @abstractmethod
    def flatten(cls, parts: Sequence[Any], numbering: Numbering) -> tuple[Any, ...]:
        """Return the parameters of the kernels for all mechanisms of this type.

        Raises
        ------
        ModelFileError
            Where they do not fit the tree, from `Numbering.fault`.
        """

    def loaded_links(self, tree: RobotTree) -> list[str]:
        """Return the links that its loads act on; their ancestors need not be named."""
        joints = {joint.name: joint.child for joint in tree.joints}
        links = [getattr(self, field) for field in self.links]
        return [*links, *(joints[getattr(self, field)] for field in self.joints)]

    def joint_range(self, joint: Joint) -> tuple[float, float]:
        """Return the positions of a joint between which it stays within its reach."""
        return -math.inf, math.inf

    def out_of_reach(self) -> tuple[str, str, str]:
        """Return the link that is out of its reach, why, and how far it reaches, for a message.

        For types whose kernels find that; those that know how far say so.
        """
        link = getattr(self, self.links[-1])
        return link, f"{self.title} '{self.name}' reaches less far", "that"


def _value(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_value(item) for item in value)
    return float(value) if isinstance(value, int) else value
