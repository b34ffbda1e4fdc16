# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Contacts that actuators detected: their intervals, and the lines that report them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from charmie_dynamics.live.measured import contact_thresholds
from charmie_dynamics.model.model import Model

from .comparisons import CONTACT
from .cycles import Cycles
from .summary import MOST_LINES, Interval, intervals, times_and_steps


@dataclass(frozen=True)
class Contact(Interval):
    """An interval in which an actuator detected a contact; `peak` is its external effort.

    Parameters
    ----------
    actuator : str
    """

    actuator: str


def find_contacts(model: Model, cycles: Cycles, gap: float) -> list[Contact] | None:
    """Return all contacts in the order of their beginning; None if they are not known.

    They are known for a robot with thresholds and measured efforts.

    Parameters
    ----------
    model : Model
    cycles : Cycles
    gap : float
        Interval between cycles (s) that ends a contact.
    """
    efforts = cycles.arrays.get(CONTACT)
    if efforts is None or not np.isfinite(contact_thresholds(model)).any():
        return None
    time, step = times_and_steps(cycles, gap)
    contacts = [
        Contact(each.start, each.end, each.peak, name)
        for name, effort in zip(model.actuator_names, efforts.T, strict=True)
        for each in intervals(time, step, effort, ~np.isnan(effort))
    ]
    return sorted(contacts, key=lambda contact: contact.start)


def contact_lines(contacts: list[Contact], units: dict[str, str]) -> str:
    """Return a line for each contact, at most `MOST_LINES` of an actuator."""
    if not contacts:
        return "no contact was felt"
    lines = []
    count: Counter[str] = Counter()
    for contact in contacts:
        name = contact.actuator
        count[name] += 1
        if count[name] <= MOST_LINES:
            lines.append(
                f"contact at {name}: {contact.start:.3f} to {contact.end:.3f} s, up to "
                f"{contact.peak:.3f} {units[name]} from outside"
            )
    lines += [
        f"and {number - MOST_LINES} more contacts at {name}"
        for name, number in count.items()
        if number > MOST_LINES
    ]
    return "\n".join(lines)
