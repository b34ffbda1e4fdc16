# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The points of contact of a motion."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from charmie_dynamics.core.contact import records
from charmie_dynamics.errors import UnknownNameError, choices
from charmie_dynamics.numerics.vectors import Floats, Ints

from .contact_scene import ContactScene


@dataclass(frozen=True, eq=False)
class ContactTable:
    """Points of contact, a row each, in the order of time.

    Attributes
    ----------
    time : (c,) array
    first, second : (c,) array of int
        Shapes, whose entities are `entities`. Which of two is the first follows from their kinds
        and from the order of the entities in the world file: `on` gives a table without that.
    point : (c, 3) array
        In the world (m).
    normal : (c, 3) array
        Of the first shape, outward.
    indentation, indentation_rate : (c,) array
        In m, m/s.
    normal_force : (c,) array
        In N, at least zero: it pushes the second body along the normal, and the first against it.
    friction_force : (c, 3) array
        On the first body, world axes (N); on the second it is the opposite.
    friction_coefficient : (c,) array
        Friction may be as large by the normal force: the static coefficient of the law, else the
        kinetic one; nan where the law has none.
    entities : tuple of str
        Of each shape.
    links : tuple of str
        Of each shape.
    moves : tuple of bool
        Of each shape, whether it moves or is fixed to the world.

    Examples
    --------
    >>> from charmie_dynamics.model.description.files import share_file
    >>> from charmie_dynamics.simulation import load_world
    >>> run = load_world(share_file("worlds", "bouncing_ball.yaml")).simulate(0.4)
    >>> bool(run.contacts.normal_force.min() >= 0.0)
    True
    """

    time: Floats
    first: Ints
    second: Ints
    point: Floats
    normal: Floats
    indentation: Floats
    indentation_rate: Floats
    normal_force: Floats
    friction_force: Floats
    friction_coefficient: Floats
    entities: tuple[str, ...]
    links: tuple[str, ...]
    moves: tuple[bool, ...]

    @classmethod
    def from_rows(cls, scene: ContactScene, time: Floats, rows: Floats) -> ContactTable:
        """Return the table of rows (c, COLUMNS), see `core.contact.records`, at times (c,)."""
        first, second = rows[:, [records.FIRST, records.SECOND]].astype(np.int64).T
        return cls(
            time,
            first,
            second,
            rows[:, records.POINT : records.POINT + 3],
            rows[:, records.NORMAL : records.NORMAL + 3],
            rows[:, records.DEPTH],
            rows[:, records.DEPTH_RATE],
            rows[:, records.NORMAL_FORCE],
            rows[:, records.FRICTION_FORCE : records.FRICTION_FORCE + 3],
            scene.friction_coefficients(first, second),
            tuple(shape.entity for shape in scene.shapes),
            tuple(shape.link for shape in scene.shapes),
            scene.moves,
        )

    def __len__(self) -> int:
        return len(self.time)

    def of(self, *names: str) -> ContactTable:
        """Return the contacts of an entity or link, or those between two.

        Raises
        ------
        UnknownNameError
            If a name has no shape.

        Examples
        --------
        >>> from charmie_dynamics.model.description.files import share_file
        >>> from charmie_dynamics.simulation import load_world
        >>> run = load_world(share_file("worlds", "bouncing_ball.yaml")).simulate(0.4)
        >>> len(run.contacts.of("ball", "ground")) == len(run.contacts)
        True
        """
        keep = np.ones(len(self.time), dtype=bool)
        for name in names:
            if name not in self.entities and name not in self.links:
                valid = sorted({*self.entities, *self.links})
                raise UnknownNameError(f"'{name}' has no shape{choices(name, valid)}")
            own = self._belongs(name)
            keep &= own[self.first] | own[self.second]
        return self.part(keep)

    def on(self, name: str) -> ContactTable:
        """Return the contacts of an entity or link as seen from it: it has the first shape in each.

        The normal points outwards, and the friction force acts on this entity or link.

        Raises
        ------
        UnknownNameError
            If no shape belongs to it.

        Examples
        --------
        >>> from charmie_dynamics.model.description.files import share_file
        >>> from charmie_dynamics.simulation import load_world
        >>> run = load_world(share_file("worlds", "bouncing_ball.yaml")).simulate(0.4)
        >>> print(run.contacts.on("ball").normal[0].round(6) + 0.0)
        [ 0.  0. -1.]
        """
        table = self.of(name)
        turned = ~self._belongs(name)[table.first]
        sign = np.where(turned, -1.0, 1.0)[:, None]
        return replace(
            table,
            first=np.where(turned, table.second, table.first),
            second=np.where(turned, table.first, table.second),
            normal=sign * table.normal,
            friction_force=sign * table.friction_force,
        )

    def _belongs(self, name: str) -> np.ndarray:
        """Return which shapes belong to an entity or link."""
        pairs = zip(self.entities, self.links, strict=True)
        return np.array([name in pair for pair in pairs], dtype=bool)

    def part(self, rows: Ints | np.ndarray | slice) -> ContactTable:
        """Return some of the rows."""
        names = [field.name for field in fields(self)[:-3]]
        return replace(self, **{name: getattr(self, name)[rows] for name in names})

    def force_on(self, name: str, times: Floats) -> Floats:
        """Return the force (k, 3) of all contacts on an entity or link, world axes, at times (k,).

        Parameters
        ----------
        name : str
        times : (k,) array
            Those of the run.

        Examples
        --------
        >>> from charmie_dynamics.model.description.files import share_file
        >>> from charmie_dynamics.simulation import load_world
        >>> run = load_world(share_file("worlds", "bouncing_ball.yaml")).simulate(0.4)
        >>> force = run.contacts.force_on("ball", run.time)
        >>> bool(force[:, 2].max() > 1000.0)  # N
        True
        """
        own = self._belongs(name)
        force = self.friction_force - self.normal_force[:, None] * self.normal  # on the first
        total = np.zeros((len(times), 3))
        row = np.searchsorted(times, self.time)
        np.add.at(total, row[own[self.first]], force[own[self.first]])
        np.add.at(total, row[own[self.second]], -force[own[self.second]])
        return total
