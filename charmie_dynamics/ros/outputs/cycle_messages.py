"""The messages whose numbers all come from a computed state: filled together, in one pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from charmie_dynamics.core.floor import point_under_load
from charmie_dynamics.live.wire.cdr import join
from charmie_dynamics.live.wire.scatter import COPY, POINT, ROTATION, Records, scatter
from charmie_dynamics.numerics.vectors import Floats, Ints

from .conversions import WalkedTemplate, template_of
from .messages import TRIAL_STAMP, CycleMessage, numbers
from .templates import require_equal


@dataclass(frozen=True)
class Source:
    """Where the numbers of an array come from: ``factor * block[index] + addend``.

    Rotation matrices, recognised by the shape (..., 3, 3), are taken as they are.
    """

    index: Ints
    factor: Floats | float = 1.0
    addend: Floats | float = 0.0

    def take(self, block: Floats) -> Floats:
        """Return the array for a state's block."""
        result: Floats = self.factor * block[self.index] + self.addend
        return result


@dataclass(frozen=True)
class PointSource:
    """Where the point of a floor comes from about which a load has no tilting torque (3,), m.

    Zero for x and y where the floor would have to pull.

    Parameters
    ----------
    force, torque : int
        Where the load begins in the block, in a frame whose z axis is normal to the floor.
    height : float
        z of the floor (m).
    """

    force: int
    torque: int
    height: float

    def take(self, block: Floats) -> Floats:
        """Return the point for a state's block."""
        _, x, y = point_under_load(block, self.force, self.torque, self.height)
        return np.array((x, y, self.height))


class Entry(NamedTuple):
    """A message, and where the arrays that its `write` takes come from."""

    ordinary: CycleMessage
    sources: tuple[Source | PointSource, ...]

    def write(self, stamp: int, block: Floats) -> Any:
        """Return the ordinary message for a state's block."""
        return self.ordinary.write(stamp, *(source.take(block) for source in self.sources))


class CycleMessages:
    """All messages of a cycle.

    Parameters
    ----------
    entries : sequence of Entry
    size : int
        Length of a state's block.
    templates : bool
        False: ordinary messages, which the serialised templates are measured by.
    report : callable
        Is told why a message is sent as an ordinary one although templates were asked for.
    """

    def __init__(
        self, entries: Sequence[Entry], size: int, templates: bool, report: Callable[[str], None]
    ) -> None:
        found = [_template_of(entry, size, report) if templates else None for entry in entries]
        held = [template for template in found if template is not None]
        self._filler = Filler(
            [entry for entry, template in zip(entries, found, strict=True) if template], held
        )
        self._entries = entries
        self._templates = found
        self._are_templates = len(held) == len(found)

    @property
    def filler(self) -> Filler:
        """What fills those messages that are templates."""
        return self._filler

    def filled(self, stamp: int, block: Floats) -> Sequence[Any]:
        """Return the messages of a cycle for which `filler` has filled the templates."""
        if self._are_templates:
            return self._templates
        return [
            entry.write(stamp, block) if template is None else template
            for entry, template in zip(self._entries, self._templates, strict=True)
        ]

    def write(self, stamp: int, block: Floats) -> Sequence[Any]:
        """Fill all messages for a stamp (ns) and a state's block; they are in their order.

        They are ordinary messages or templates, each valid until the next call.
        """
        self._filler.fill(stamp, block)
        return self.filled(stamp, block)


class Filler:
    """Fills templates, which are moved into one block of memory.

    Attributes
    ----------
    arguments : tuple
        Of `scatter`, from `copies` on.
    """

    def __init__(self, entries: Sequence[Entry], templates: Sequence[WalkedTemplate]) -> None:
        memory = join(templates)
        copies, rotations, points = [np.empty(0, COPY)], [np.empty(0, ROTATION)], []
        stamps: list[Ints] = [np.empty(0, dtype=np.int64)]
        for entry, template in zip(entries, templates, strict=True):
            stamps.append(template.index(entry.ordinary.stamp + ".sec") + 2 * template.first)
            for source, target in zip(entry.sources, entry.ordinary.targets, strict=True):
                to = template.index(*target) + template.first
                if isinstance(source, PointSource):
                    points.append((source.force, source.torque, to[0, 0], source.height))
                elif source.index.shape[-2:] == (3, 3):
                    rotations.append(_records(ROTATION, source.index[:, 0, 0], to[:, 0]))
                else:
                    addresses = source.index, to.reshape(source.index.shape)
                    copies.append(_records(COPY, *addresses, source.factor, source.addend))
        self.arguments: tuple[Any, ...] = (
            np.concatenate(copies),
            np.concatenate(rotations),
            np.array(points, POINT),
            np.concatenate(stamps),
            memory,
        )

    def fill(self, stamp: int, block: Floats) -> None:
        """Write a stamp (ns) and a state's block into the templates."""
        scatter(stamp, block, *self.arguments)


def _records(kind: np.dtype[np.void], *columns: Ints | Floats | float) -> Records:
    """Return records of a kind whose fields are these arrays, broadcast against each other."""
    shaped = np.broadcast_arrays(*columns)
    records = np.empty(shaped[0].size, kind)
    for name, column in zip(kind.names or (), shaped, strict=True):
        records[name] = column.ravel()
    return records


def _template_of(entry: Entry, size: int, report: Callable[[str], None]) -> WalkedTemplate | None:
    """Return the template of a message if it is right here and now, else None.

    The template is filled with trial numbers and decoded by the middleware in use.
    """
    try:
        template = template_of(entry.ordinary.message)
        trial = numbers(size)
        trial.flags.writeable = False  # as the blocks of states: one type, compiled once
        Filler([entry], [template]).fill(TRIAL_STAMP, trial)
        require_equal(bytes(template), entry.write(TRIAL_STAMP, trial))
    except Exception as error:
        # another form of serialisation may break anything, and ordinary messages always work
        report(f"{type(error).__name__}: {error}")
        return None
    return template
