# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import charmie_dynamics
from charmie_dynamics.live.estimation import kernels

COMPILED = hasattr(kernels.admit, "signatures")
SCRIPT = """
from array import array
from charmie_dynamics.live import step
from charmie_dynamics import load_model
from charmie_dynamics.live.estimation import kernels, trackers
from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, JOINT_STATES
from charmie_dynamics.live.pipeline import Pipeline
from charmie_dynamics.live.wire.samples import make_sample

def versions():
    found = {name: getattr(f, "signatures", None) for module in (trackers, kernels, step)
             for name, f in vars(module).items()}
    return {name: len(types) for name, types in found.items() if types is not None}

model = load_model()
pipeline = Pipeline(model)
pipeline.warm_up()
before = versions()
names, driven = list(model.joint_names), ["lift_actuator", "torso_actuator"]
zero = array("d", [0.0] * len(names))
rest = array("d", [model.zero_position()[model.actuator_names.index(name)] for name in driven])
computed = 0
for k in range(3):
    stamp = 1_700_000_000_000_000_000 + 1_000_000 * k
    lengths = make_sample(driven, rest, array("d"), array("d"), stamp)
    joints = make_sample(names, zero, zero if k else array("d"), zero, stamp)
    for topic, sample in ((JOINT_STATES, joints), (ACTUATOR_LENGTHS, lengths)):
        computed += pipeline.take(topic, sample, 0.001 * k) is not None
for k in (1, 0):  # late, and once more: a jump back
    pipeline.take(JOINT_STATES, make_sample(names, zero, zero, zero, stamp - 2 + k), 0.003)
print(computed, before["take"], before == versions())
"""


@pytest.mark.skipif(not COMPILED, reason="numba is not there or switched off")
def test_nothing_is_left_to_compile_after_the_warm_up() -> None:
    command = [sys.executable, "-c", SCRIPT]
    root = Path(charmie_dynamics.__file__).parents[1]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    computed, versions, unchanged = done.stdout.split()
    assert (int(computed), int(versions)) == (3, 1)
    assert unchanged == "True"
