# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Options that the commands for recordings share, and the values of these options."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from charmie_dynamics.errors import InputError

if TYPE_CHECKING:
    from charmie_dynamics.model.loads import Payload

TOPIC_OPTIONS = ("--namespace", "--joint-states", "--actuator-lengths")


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


def effort_factor(text: str) -> tuple[str, float]:
    """Return name and value of ACTUATOR=FACTOR; the factor is not zero."""
    name, value = held(text)
    if value == 0.0:
        raise argparse.ArgumentTypeError(f"expected a factor other than 0, got '{text}'")
    return name, value


def payload(text: str) -> tuple[str, Payload | None]:
    """Return name and payload of NAME=MASS[,X,Y,Z[,IXX,...]]."""
    from charmie_dynamics.model.loads import payload_from_numbers  # not for a parser

    name, _, numbers = text.partition("=")
    try:
        return name, payload_from_numbers([float(number) for number in numbers.split(",")])
    except InputError as error:
        raise argparse.ArgumentTypeError(f"'{text}': {error}") from None
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"expected NAME=MASS[,X,Y,Z[,IXX,...]] in numbers, got '{text}'"
        ) from None


def add_robot(parser: argparse.ArgumentParser) -> Any:
    """Add the options that select the recorded robot; return their group."""
    robot = parser.add_argument_group("the robot")
    robot.add_argument(
        "--urdf", metavar="FILE",
        help="URDF, or a robot of this package; default: recorded robot_description, CHARMIE",
    )  # fmt: skip
    robot.add_argument(
        "--mechanisms", type=Path, metavar="FILE",
        help="mechanisms file; default: that of a robot of this package, none with another",
    )  # fmt: skip
    robot.add_argument(
        "--hold", nargs="+", default=[], type=held, metavar="ACTUATOR=VALUE",
        help="positions of actuators that were not recorded (rad or m)",
    )  # fmt: skip
    robot.add_argument(
        "--payload", nargs="+", default=[], type=payload,
        metavar="NAME=MASS[,X,Y,Z[,IXX,IXY,IXZ,IYY,IYZ,IZZ]]",
        help="payload from the start, as in the node's parameters payload_NAME (kg, m, kg m^2); "
        "replaces the recorded initial payload",
    )  # fmt: skip
    return robot


def add_topics(group: Any) -> None:
    """Add the options that select the recorded inputs."""
    namespace, *topics = TOPIC_OPTIONS
    group.add_argument(namespace, default="", metavar="NS", help="namespace of the node")
    for topic in topics:
        group.add_argument(topic, metavar="TOPIC", help="topic, if renamed")
    group.add_argument(
        "--effort-factor", nargs="+", default=[], type=effort_factor, metavar="ACTUATOR=FACTOR",
        help="factors of measured efforts, as torque constants of recorded currents (N m/A), or "
        "-1 for an opposite sign",
    )  # fmt: skip
    group.add_argument(
        "--columns", type=Path, metavar="YAML", help="file that describes the columns of a table"
    )
