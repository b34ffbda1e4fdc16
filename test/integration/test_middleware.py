# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The middleware reads its configuration once, at its first use in a process."""

from __future__ import annotations

import subprocess
import sys

from node_process import child_environment

from charmie_dynamics.ros.process.middleware import CYCLONE, LINGER, PROFILES, USE_PROFILES

# a node that cannot be made, after work that may use the middleware: the report of compilations
NODE = """
import os
from charmie_dynamics.errors import CharmieError
from charmie_dynamics.ros.process.running import run_node

def make_node():
    raise CharmieError("not wanted")

def prepare():
    for name in {names}:
        print(name, os.environ.get(name))

run_node(make_node, "node", [], prepare)
"""


def test_the_middleware_is_configured_before_a_node_prepares() -> None:
    names = (CYCLONE, PROFILES[0], USE_PROFILES)
    environment = {
        name: value
        for name, value in child_environment().items()
        if name not in (*PROFILES, USE_PROFILES, CYCLONE)
    }
    command = [sys.executable, "-c", NODE.format(names=names)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120.0)
    values = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    assert values[CYCLONE] == LINGER
    assert values[PROFILES[0]].endswith("fast_dds.xml")
    assert values[USE_PROFILES] == "1"
