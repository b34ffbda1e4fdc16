# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Values of options on a command line: numbers, held actuators, payloads."""

from __future__ import annotations

import argparse
import math

from charmie_dynamics.errors import InputError
from charmie_dynamics.model.loads import Payload, payload_from_numbers


def positive(text: str) -> float:
    """Return a finite number above 0."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"expected a number above 0, got '{text}'")
    return value


def held(text: str) -> tuple[str, float]:
    """Return name and value of ACTUATOR=VALUE."""
    name, equals, number = text.rpartition("=")
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not (equals and name and math.isfinite(value)):
        raise argparse.ArgumentTypeError(f"expected ACTUATOR=VALUE, got '{text}'")
    return name, value


def payload(text: str) -> tuple[str, Payload | None]:
    """Return name and payload of NAME=MASS[,X,Y,Z[,IXX,...]]."""
    name, _, numbers = text.partition("=")
    try:
        return name, payload_from_numbers([float(number) for number in numbers.split(",")])
    except InputError as error:
        raise argparse.ArgumentTypeError(f"'{text}': {error}") from None
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"expected NAME=MASS[,X,Y,Z[,IXX,...]] in numbers, got '{text}'"
        ) from None
