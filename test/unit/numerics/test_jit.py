# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Compiled code never outlives the source that it was made from."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[3] / "charmie_dynamics"
# a caller in one file, its callee in another
SCRIPT = """
import numpy as np
from charmie_dynamics.core.inverse.newton_euler import project_on_coordinates
from charmie_dynamics.core.arrays import REVOLUTE, Tree
one = np.ones(1)
tree = Tree(
    parent=np.array([-1]), joint_type=np.array([REVOLUTE]), axis=np.array([[1.0, 0.0, 0.0]]),
    R_parent_joint=np.eye(3)[None], p_parent_joint=np.zeros((1, 3)), coordinate=np.array([0]),
    multiplier=one, offset=one, mass=one, p_body_com=np.zeros((1, 3)),
    inertia=np.zeros((1, 3, 3)), gravity=np.zeros(3), R_sine=np.zeros((1, 3, 3)),
    R_versine=np.zeros((1, 3, 3)), u_parent_axis=np.zeros((1, 3)),
    u_parent_plane=np.zeros((1, 2, 3)), scalar=np.array([-1]),
    external_force=np.zeros((1, 3)), external_torque=np.zeros((1, 3)),
)
result = np.zeros(1)
torque = np.array([[3.0, 0.0, 0.0]])
project_on_coordinates(tree, np.zeros((1, 3, 3)), np.zeros((1, 3)), torque, result)
print(result[0])
"""


def run(folder: Path) -> float:
    environment = {**os.environ, "PYTHONPATH": str(folder), "NUMBA_CACHE_DIR": str(folder / "c")}
    command = [sys.executable, "-c", SCRIPT]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def test_change_of_a_called_kernel_in_another_file_takes_effect(tmp_path: Path) -> None:
    shutil.copytree(
        PACKAGE, tmp_path / "charmie_dynamics", ignore=shutil.ignore_patterns("__pycache__")
    )
    assert run(tmp_path) == 3.0
    vectors = tmp_path / "charmie_dynamics" / "numerics" / "vectors.py"
    old = "multiply_add(a[1], b[1], a[0] * b[0])"
    text = vectors.read_text(encoding="utf-8")
    assert text.count(old) == 1
    vectors.write_text(text.replace(old, old.replace("a[0]", "2.0 * a[0]")))
    assert run(tmp_path) == 6.0
