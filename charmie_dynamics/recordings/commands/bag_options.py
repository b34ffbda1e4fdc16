# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The options of commands that draw a bag."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_bag_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of every command that reads a bag."""
    parser.add_argument("bag", type=Path, metavar="BAG", help="folder of a rosbag2")
    parser.add_argument(
        "--mechanisms", type=Path, metavar="FILE",
        help="mechanisms file of the robot; default: CHARMIE's with CHARMIE, else none",
    )  # fmt: skip
    parser.add_argument(
        "--namespace", default="", metavar="NS",
        help="namespace of the node, if the bag contains several",
    )  # fmt: skip
    parser.add_argument(
        "--frame-prefix", default="", metavar="PREFIX",
        help="prefix of frames of recorded payloads and wrenches",
    )  # fmt: skip
