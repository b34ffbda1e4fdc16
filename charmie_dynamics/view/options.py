# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The options of charmie_view."""

from __future__ import annotations

import argparse

from charmie_dynamics.command_line import Parser

HOST, PORT = "localhost", 8080


def _port(text: str) -> int:
    value = int(text)
    if not 1 <= value <= 65535:
        raise argparse.ArgumentTypeError(f"expected a port from 1 to 65535, got {value}")
    return value


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = Parser(
        "charmie_view",
        "Serve a live view of the robot for browsers, from its markers and TF. ROS arguments may "
        "follow.",
        "charmie_view --port 8081 --ros-args -r __ns:=/charmie",
    )
    parser.add_argument(
        "--host", default=HOST, help="address to listen on; 0.0.0.0: all; default: %(default)s"
    )
    parser.add_argument(
        "--port", type=_port, default=PORT, help="port to listen on; default: %(default)s"
    )
    return parser
