# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Which laws of contact act between which entities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from .materials import Surface, stiffness_between

STIFFNESS = "stiffness"


@dataclass(frozen=True)
class ContactRule:
    """The laws of a contact and their parameters.

    Attributes
    ----------
    normal, friction : str
        Names of the laws in `core.contact.registry`.
    normal_values, friction_values : mapping of str to float
        All parameters of each law, those not given at their defaults. The stiffness is missing
        where it follows from materials and radii.
    place : str
        File and line of the entry, for messages.

    Examples
    --------
    >>> from charmie_dynamics.model.description.world import ContactRule
    >>> rule = ContactRule("hooke", "coulomb", {"stiffness": 1e5}, {"kinetic": 0.5}, "world.yaml")
    >>> rule.needs_stiffness
    False
    """

    normal: str
    friction: str
    normal_values: Mapping[str, float]
    friction_values: Mapping[str, float]
    place: str
    needs_stiffness: bool = False

    def between(self, first: Surface, second: Surface) -> ContactRule:
        """Return the rule for two surfaces, with a stiffness.

        Raises
        ------
        ModelFileError
            Where it does not follow from the surfaces.

        Examples
        --------
        >>> import math
        >>> from charmie_dynamics.model.description.world import ContactRule, Material, Surface
        >>> rule = ContactRule("hertz", "none", {"exponent": 1.5}, {}, "world.yaml", True)
        >>> rubber = Material("rubber", 5e6, 0.49)
        >>> ball, floor = Surface("ball", rubber, 0.05), Surface("floor", rubber, math.inf)
        >>> round(rule.between(ball, floor).normal_values["stiffness"])  # N/m^1.5
        980861
        """
        if not self.needs_stiffness:
            return self
        stiffness = stiffness_between(first, second, self.place)
        values = {**self.normal_values, STIFFNESS: stiffness}
        return replace(self, normal_values=values, needs_stiffness=False)


@dataclass(frozen=True)
class ContactRules:
    """The rules of a world: one for all contacts, and others for some pairs of entities or links.

    Attributes
    ----------
    default : ContactRule or None
        None: contacts act between the pairs alone.
    pairs : mapping of frozenset to ContactRule
        By the names of the two entities or links (``entity/link``).
    self_pairs : frozenset
        Pairs of links of one entity that can touch each other.

    Examples
    --------
    >>> from charmie_dynamics.model.description.world import ContactRules
    >>> print(ContactRules().of("ball", "ground"))
    None
    """

    default: ContactRule | None = None
    pairs: Mapping[frozenset[str], ContactRule] = field(default_factory=dict)
    self_pairs: frozenset[frozenset[str]] = frozenset()

    def between(self, first: Surface, second: Surface) -> ContactRule | None:
        """Return the rule of two surfaces with a stiffness, None if they never touch.

        A rule between links holds before one with an entity.

        Raises
        ------
        ModelFileError
            As `ContactRule.between`.

        Examples
        --------
        >>> from charmie_dynamics.model.description.world import ContactRule, ContactRules, Surface
        >>> soft = ContactRule("hooke", "none", {"stiffness": 1e4}, {}, "world.yaml, line 4")
        >>> rules = ContactRules(pairs={frozenset(("arm/pad", "can")): soft})
        >>> rules.between(Surface("can"), Surface("arm", link="arm/pad")).normal
        'hooke'
        """
        rule = self.of_surfaces(first, second)
        return None if rule is None else rule.between(first, second)

    def of_surfaces(self, first: Surface, second: Surface) -> ContactRule | None:
        """Return the rule of `between`, without a stiffness that follows from the surfaces."""
        links = first.link or first.entity, second.link or second.entity
        if first.entity == second.entity and frozenset(links) not in self.self_pairs:
            return None
        choices = (links, (links[0], second.entity), (first.entity, links[1]))
        known = (self.pairs.get(frozenset(names)) for names in choices)
        return next((rule for rule in known if rule), self.of(first.entity, second.entity))

    def of(self, first: str, second: str) -> ContactRule | None:
        """Return the rule of two entities in either order, None if none acts between them.

        Examples
        --------
        >>> from charmie_dynamics.model.description.world import ContactRule, ContactRules
        >>> hard = ContactRule("hooke", "none", {"stiffness": 1e6}, {}, "world.yaml, line 3")
        >>> rules = ContactRules(pairs={frozenset(("ball", "ground")): hard})
        >>> rules.of("ground", "ball").normal, rules.of("ball", "table")
        ('hooke', None)
        """
        return self.pairs.get(frozenset((first, second)), self.default)
