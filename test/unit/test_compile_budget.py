# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a first start compiles stays within a budget: counted, since a clock tells of the machine.

When a kernel exceeds a bound, ``python -m benchmarks.kernel_sizes`` shows where the instructions
come from. What helps, in this order: views and numbers in place of numpy's arrays in what kernels
call; one function in place of two that say the same; a part that a kernel calls several times apart
(`numerics.jit.compiled_apart`); a large function that several kernels call is called by its address
(`numerics.addresses`); what Python seldom calls stays plain Python. If all of it is needed, raise
the bound and run ``scripts/bench``: its section *First start* names the seconds that a start may
take.

The bounds hold for each version of numba that the package supports: between them a few functions
differ, and one in a hundred of the instructions.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import NamedTuple

import pytest

from benchmarks import kernel_sizes
from benchmarks.kernel_sizes import KernelSizes
from charmie_dynamics.numerics.jit import HAS_NUMBA
from charmie_dynamics.prepare.tasks import TASKS

if not HAS_NUMBA:
    pytest.skip("numba is not there or switched off", allow_module_level=True)


class Bound(NamedTuple):
    """The most that a start may compile.

    Attributes
    ----------
    functions : int
        Parts and kernels, each once for each types of its arguments.
    instructions : int
        Of LLVM, as numba makes them.
    optimized : int
        With the calls written out, as LLVM gets them.
    """

    functions: int
    instructions: int
    optimized: int


BOUNDS = {
    "compute": Bound(106, 37_000, 55_000),
    "node": Bound(160, 70_000, 94_500),
    "everything": Bound(933, 496_000, 846_000),
}
COMPUTE = ["linear_actuator_of_joint", "run_cycle"]
# called by users of the model, and not in the cycles of the node
OF_USERS = {"linear_actuator_of_joint"}


@pytest.fixture(scope="module")
def sizes() -> Mapping[str, KernelSizes]:
    return dict(zip(BOUNDS, kernel_sizes.measure(*BOUNDS), strict=True))


@pytest.mark.parametrize("start", BOUNDS)
@pytest.mark.parametrize("measure", Bound._fields)
def test_a_first_start_stays_within_its_budget(
    sizes: Mapping[str, KernelSizes], start: str, measure: str
) -> None:
    found = getattr(sizes[start], measure)
    found = len(found) if measure == "functions" else found
    bound = getattr(BOUNDS[start], measure)
    # far below it, the bound would hold nothing any more: then lower it
    assert 0.8 * bound < found <= bound, kernel_sizes.table(sizes[start])


@pytest.mark.parametrize("start", BOUNDS)
def test_only_the_kernels_of_the_tasks_are_compiled_by_themselves(
    sizes: Mapping[str, KernelSizes], start: str
) -> None:
    tasks = TASKS.values() if start == "everything" else [TASKS["node"]]
    kernels = [name for task in tasks for name in task.kernels] if start != "compute" else COMPUTE
    assert sorted(sizes[start].kernels) == sorted(kernels)


# in plain Python, where each call can be seen: how often Python calls each kernel at the start of
# the node, and in some samples after it
CALLS = """
import json, sys
from collections import Counter
from types import FunctionType
from charmie_dynamics.numerics import jit

codes = set()

def noted(function):
    codes.add(function.__code__)
    return function

plain = jit.compiled_for
jit.compiled = noted
# another code, so that its calls do not count
jit.plain = lambda f: FunctionType(f.__code__.replace(co_name="plain"), f.__globals__)
jit.compiled_for = lambda *types, **options: lambda f: noted(plain(*types, **options)(f))

import numpy as np
from charmie_dynamics import load_model
from charmie_dynamics.live.pipeline import Pipeline
from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, JOINT_STATES, JointSample
from charmie_dynamics.prepare.tasks import TASKS
from charmie_dynamics.ros.outputs.markers import SceneMarkers
from charmie_dynamics.visual.scene.scene import Scene

calls = Counter()

def see(frame, event, _):
    if event == "call" and frame.f_code in codes and frame.f_back.f_code not in codes:
        calls[frame.f_code.co_name] += 1

sys.setprofile(see)
TASKS['node'].work()
start = dict(calls)
sys.setprofile(None)
model = load_model()
pipeline = Pipeline(model)
scene = Scene(model)
markers = SceneMarkers(scene.shapes, "", 1.0)
position = model.zero_position()
actuators = [a.name for a in model.mechanisms.linear_actuators]
driven = [model.actuator_names.index(name) for name in actuators]
lengths = position[driven]
calls.clear()
sys.setprofile(see)
for k in range(3):
    stamp, now = 10**7 * k, 0.01 * k
    pipeline.take(ACTUATOR_LENGTHS, JointSample(tuple(actuators), lengths, None, stamp), now)
    joints = np.zeros(len(model.joint_names))
    pipeline.take(JOINT_STATES, JointSample(model.joint_names, joints, None, stamp), now)
    pipeline.missing(now)
    markers.write(stamp, scene.update(model.compute(position)))
sys.setprofile(None)
print(json.dumps([start, dict(calls)]))
"""


def test_nothing_is_compiled_by_itself_to_be_called_at_the_start_alone() -> None:
    """What Python calls only then is called as plain Python, see `numerics.jit.plain`."""
    done = subprocess.run(
        [sys.executable, "-c", CALLS],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    at_start, later = json.loads(done.stdout)
    assert at_start.keys() == set(TASKS["node"].kernels)
    again = {name for name, count in later.items() if count >= 3}
    assert at_start.keys() - again == OF_USERS
