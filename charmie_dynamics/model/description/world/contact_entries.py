# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""An entry of the section ``contacts``: its laws, and the parameters that these have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from charmie_dynamics.core.contact.law_types import FrictionLaw, LawParameter, NormalLaw
from charmie_dynamics.core.contact.registry import FRICTION_LAWS, NORMAL_LAWS
from charmie_dynamics.errors import ModelFileError, choices, shown

from .contact_rules import STIFFNESS, ContactRule

NORMAL, FRICTION = "normal", "friction"
OTHER_KEYS = {NORMAL, FRICTION, "between", "source"}
WITHOUT_FRICTION = "none"
HERTZ = 1.5  # the exponent with which materials and radii give the stiffness
LINEAR = 1.0  # of laws without exponent
# from the key of an entry ("" for the entry itself) and the fault to the error
Fault = Callable[[str, str], ModelFileError]


def read_entry(
    given: Mapping[str, Any], default: Mapping[str, Any], place: str, fault: Fault
) -> ContactRule:
    """Return the rule of an entry.

    Parameters
    ----------
    given : mapping
        The entry, which its schema accepts.
    default : mapping
        The entry whose values hold where this one has none; empty for the default itself.
    place : str
        File and line of the entry.
    fault : callable
        See `Fault`.

    Raises
    ------
    ModelFileError
        For an unknown law, a parameter that the laws do not have or that is missing, or a number
        that it may not be.
    """
    entry = {**default, **given}
    if NORMAL not in entry:
        raise fault("", f"expected a normal law{choices('', NORMAL_LAWS)}")
    normal_name, friction_name = entry[NORMAL], entry.get(FRICTION, WITHOUT_FRICTION)
    for key, name, laws in (
        (NORMAL, normal_name, NORMAL_LAWS),
        (FRICTION, friction_name, FRICTION_LAWS),
    ):
        if name not in laws:
            raise fault(key, f"{key} law '{shown(name)}' is unknown{choices(name, laws)}")
    normal, friction = NORMAL_LAWS[normal_name], FRICTION_LAWS[friction_name]
    titles = f"normal law '{normal_name}'", f"friction law '{friction_name}'"
    known = [parameter.name for parameter in (*normal.parameters, *friction.parameters)]
    for key in given:
        if key not in known and key not in OTHER_KEYS:
            raise fault(key, f"no parameter of {' or '.join(titles)}{choices(key, known)}")
    needs = _needs_stiffness(normal, titles[0], (given, default), fault)
    normal_values = _values(normal.parameters, titles[0], entry, fault, leave_out=needs)
    friction_values = _values(friction.parameters, titles[1], entry, fault)
    _require_order(friction, titles[1], friction_values, given, fault)
    return ContactRule(normal_name, friction_name, normal_values, friction_values, place, needs)


def _needs_stiffness(
    law: NormalLaw, title: str, entries: tuple[Mapping[str, Any], Mapping[str, Any]], fault: Fault
) -> bool:
    """Return whether the stiffness follows from materials and radii.

    Its unit depends on the exponent. So the default applies only to laws of the same exponent.
    """
    given, default = entries
    if STIFFNESS in given or all(p.name != STIFFNESS for p in law.parameters):
        return False
    exponent = _exponent(law, {**default, **given})
    if STIFFNESS in default:
        theirs = _exponent(NORMAL_LAWS[default[NORMAL]], default)
        if theirs == exponent:
            return False
        raise fault(
            "",
            f"expected stiffness, as {title} has the exponent {exponent:g} here and that of the "
            f"default is for {theirs:g}",
        )
    if exponent != HERTZ:
        raise fault(
            "",
            f"expected stiffness, as {title} has the exponent {exponent:g} here; it follows from "
            f"materials and radii for {HERTZ:g} alone",
        )
    return True


def _exponent(law: NormalLaw, entry: Mapping[str, Any]) -> float:
    for parameter in law.parameters:
        if parameter.name == "exponent":
            return float(entry.get(parameter.name, parameter.default))
    return LINEAR


def _values(
    parameters: Iterable[LawParameter],
    title: str,
    entry: Mapping[str, Any],
    fault: Fault,
    *,
    leave_out: bool = False,
) -> dict[str, float]:
    """Return the parameters of a law, without the stiffness if it is to be left out."""
    found: dict[str, float] = {}
    for parameter in parameters:
        name = parameter.name
        if leave_out and name == STIFFNESS:
            continue
        value = entry.get(name, parameter.default)
        if isinstance(value, str):
            value = found[value]
        if value is None:
            raise fault("", f"expected {name}, {parameter.meaning}, of {title}")
        if not parameter.takes(float(value)):
            raise fault(name, f"expected {parameter.expected} with {title}, got {value:g}")
        found[name] = float(value)
    return found


def _require_order(
    law: FrictionLaw,
    title: str,
    values: Mapping[str, float],
    given: Mapping[str, Any],
    fault: Fault,
) -> None:
    for smaller, larger in law.ordered:
        if values[smaller] > values[larger]:
            raise fault(
                larger if larger in given else smaller,
                f"expected {smaller} up to {larger} with {title}, got {values[smaller]:g} and "
                f"{values[larger]:g}",
            )
