# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Kernels also compile with numba's public interface alone, with the same results."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import charmie_dynamics
from charmie_dynamics.numerics.jit import HAS_NUMBA

if not HAS_NUMBA:
    pytest.skip("numba is not installed or switched off", allow_module_level=True)

from charmie_dynamics.numerics.compiler import FORCE_PUBLIC, NEWEST_TESTED

PACKAGE = Path(charmie_dynamics.__file__).parent
PRIVATE = PACKAGE / "numerics" / "numba_private.py"
# with the low-level interfaces for extensions and for events, which numba documents
PUBLIC_MODULES = {
    *("numba", "numba.core", "numba.extending", "numba.types", "numba.core.types"),
    *("numba.core.cgutils", "numba.core.event", "numba.core.typing.templates"),
}
RESULTS = """
import json, sys
import numpy as np
from charmie_dynamics import load_model
from charmie_dynamics.numerics import compiler
from charmie_dynamics.numerics.addresses import address_of, call_at, number_at, vectors_at
from charmie_dynamics.numerics.jit import compiled, compiled_apart, compiled_at_once, ready
from charmie_dynamics.numerics.jit import compiled_for, count_compilations
from charmie_dynamics.numerics.vectors import cross

@compiled_for("floats", "int")
def doubled(values, place):
    values[place] *= 2.0
    return place + 1

@compiled
def double_all(address, values):
    place = 0
    while place < values.shape[0]:
        place = call_at(address, values, place)

@compiled_apart
def root(x):
    return np.sqrt(x) / 3.0

@compiled
def apply(number, vectors, x):
    turned, along, y = vectors_at(vectors, x)
    return number_at(number, root(x)) * turned[2] + along[0] * y

generator = np.random.default_rng(5)
values = generator.normal(size=7)
double_all(address_of(doubled), values)
law = compiled_at_once(lambda x: x * x / 7.0, "float")
vectors = compiled_at_once(lambda x: (cross((x, 1.0, 2.0), (3.0, x, x)), (x, x, x), x), "float")
numbers = [*values, apply(address_of(law), address_of(vectors), 0.7)]
model = load_model()
position, velocity, acceleration = generator.normal(size=(3, len(model.position_names))) / 100.0
position += model.zero_position()
numbers += model.compute(position, velocity, acceleration).block.tolist()
print(json.dumps([compiler.private is None, *count_compilations(), numbers]))
"""


def run(code: str, **variables: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_results_of_the_public_interface_are_equal_bit_for_bit(tmp_path: Path) -> None:
    is_public, *_, expected = json.loads(run(RESULTS))
    assert not is_public
    public = {FORCE_PUBLIC: "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    is_public, compiled, _, numbers = json.loads(run(RESULTS, **public))
    assert is_public
    assert len(numbers) > 100
    assert numbers == expected
    # stored, except the functions of this text
    is_public, compiled_again, loaded, numbers = json.loads(run(RESULTS, **public))
    assert numbers == expected
    assert compiled_again < compiled / 5
    assert loaded > 0


NEWER = f"""
import json, warnings
import numba
numba.__version__ = "{NEWEST_TESTED[0]}.{NEWEST_TESTED[1] + 1}.0rc1"
"""
MISSING = """
import json, warnings
import numba.core.caching
del numba.core.caching._CacheLocator
"""
WARNINGS = """
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    from charmie_dynamics.numerics import addresses, blocks, compiler
    from charmie_dynamics.numerics.jit import compiled
    half = compiled(lambda x: 0.5 * x)
    found = half(3.0)
messages = [str(each.message) for each in caught if "numba" in str(each.message)]
print(json.dumps([compiler.private is None, found, messages]))
"""


@pytest.mark.parametrize(
    ("change", "reason"),
    [(NEWER, "is newer than"), (MISSING, "_CacheLocator")],
    ids=["newer", "missing"],
)
def test_a_version_that_was_not_tested_is_used_with_one_warning(change: str, reason: str) -> None:
    is_public, found, messages = json.loads(run(change + WARNINGS))
    assert (is_public, found) == (True, 1.5)
    (message,) = messages
    assert reason in message
    assert "\n" not in message


def test_the_tested_versions_use_the_private_interfaces_without_a_warning() -> None:
    assert json.loads(run("import json, warnings\n" + WARNINGS)) == [False, 1.5, []]


def test_one_module_alone_imports_private_interfaces_of_numba() -> None:
    found = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [each.name for each in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module or ""]
                if node.module == "numba.core":
                    names = [f"numba.core.{each.name}" for each in node.names]
            of_numba = {name for name in names if name.split(".")[0] == "numba"}
            if of_numba - PUBLIC_MODULES:
                found.add(path)
    assert found == {PRIVATE}
