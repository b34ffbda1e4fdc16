# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Put mistakes into the kernels, one at a time, and see whether a test fails.

``python -m validation.mutation``; docs/mutation.md says in which environment, and what came out.
The package and its tests are copied to a folder of their own first, so that the source is never
touched. The session file remembers each outcome: a run that was interrupted goes on, and
``--retry-survivors`` tries new tests on what survived.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import math
import os
import random
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COPIED = (
    "charmie_dynamics",
    "benchmarks",
    "config",
    "urdf",
    "test",
    "validation",
    "pyproject.toml",
)
PACKAGE = "charmie_dynamics"
MODULES = (
    "core/inverse/spring_tension",
    "core/mechanisms/springs",
    "core/mechanisms/balance_mechanisms",
    "core/inverse/linear_actuators",
    "core/inverse/loops",
    "core/inverse/newton_euler",
    "core/mechanisms/auxiliary_bodies",
    "core/inverse/forward_kinematics",
    "numerics/rotations",
    "numerics/trigonometry",
)
LIBRARIES = (
    "numpy.testing",
    "matplotlib.figure",
    "pytest",
    "hypothesis",
    "yaml",
    "jsonschema",
)
# those first that see most mistakes soonest
TESTS = (
    "test/unit/model/test_reference_cases.py",
    "test/unit/numerics/test_rotations.py::test_quaternions_of_several_matrices_stay_apart",
    "test/unit/numerics/test_rotations.py::test_quaternion_is_precise_whichever_component_is_largest",
    "test/unit/core",
    "test/unit/numerics",
    "test/unit/model/test_equilibrium.py",
    "test/unit/model/test_energy.py",
    "test/unit/model/test_compute.py",
    "test/unit/model/test_model_edges.py",
)
# these look at what numba makes of the kernels
OF_NUMBA = (
    "core/test_allocation",
    "core/test_operation_count",
    "numerics/test_jit",
    "numerics/test_read_only_install",
)
# A bit operator or a remainder in place of a product is no mistake that anybody makes, and every
# such mutant fails at once.
OPERATORS = (
    "core/NumberReplacer",
    "core/ReplaceBinaryOperator_Add_Sub",
    "core/ReplaceBinaryOperator_Sub_Add",
    "core/ReplaceBinaryOperator_Mul_Div",
    "core/ReplaceBinaryOperator_Div_Mul",
    "core/ReplaceUnaryOperator_Delete_USub",
    "core/ReplaceComparisonOperator_Eq_NotEq",
    "core/ReplaceComparisonOperator_NotEq_Eq",
    "core/ReplaceComparisonOperator_Gt_GtE",
    "core/ReplaceComparisonOperator_Gt_Lt",
    "core/ReplaceComparisonOperator_GtE_Gt",
    "core/ReplaceComparisonOperator_GtE_Lt",
    "core/ReplaceComparisonOperator_Lt_LtE",
    "core/ReplaceComparisonOperator_Lt_GtE",
    "core/ReplaceAndWithOr",
    "core/ReplaceOrWithAnd",
    "core/AddNot",
    "core/ZeroIterationForLoop",
    "vectors/ConfuseFunction",
    "vectors/SwapArguments",
    "vectors/DropTerm",
    "vectors/DropSummand",
    "vectors/DropStatement",
)


def copy_parts(names: Sequence[str], start: Path, folder: Path) -> None:
    """Copy files and folders from `start` to `folder`, in place of what is there."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        source = start / name
        if source.is_dir():
            shutil.rmtree(folder / name, ignore_errors=True)
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, folder / name)


def run_pytest(command: str, folder: Path, timeout: float) -> tuple[bool, str]:
    """Run pytest in a forked process, which finds the libraries imported but not the package.

    Returns
    -------
    passed : bool
        False too where the tests take longer than `timeout` (s): a mutant may never end.
    output : str
    """
    import pytest

    log = folder / "output.txt"
    child = os.fork()
    if child == 0:
        signal.alarm(math.ceil(timeout))
        output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(output, 1)
        os.dup2(output, 2)
        sys.path.insert(0, str(folder))
        status = 1
        try:
            status = int(pytest.main(command.split()))
        finally:
            sys.stdout.flush()
            os._exit(status)
    _, status = os.waitpid(child, 0)
    return status == 0, log.read_text(encoding="utf-8", errors="replace")


def main() -> int:
    """Run the mutants that have no outcome yet; return 0 if every one was killed."""
    parser = argparse.ArgumentParser(prog="python -m validation.mutation", description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("/tmp/charmie_mutants"))
    parser.add_argument("--modules", nargs="+", choices=MODULES, default=list(MODULES))
    parser.add_argument("--sample", type=int, help="run only that many, drawn at random")
    parser.add_argument("--retry-survivors", action="store_true", help="with the tests of today")
    arguments = parser.parse_args()
    if importlib.util.find_spec("numba"):
        sys.exit(
            "numba is installed here: it would compile every mutant anew, see docs/mutation.md"
        )

    import cosmic_ray.plugins
    from cosmic_ray import mutating
    from cosmic_ray.commands import init
    from cosmic_ray.work_db import WorkDB, use_db
    from cosmic_ray.work_item import TestOutcome

    from .mutation_operators import VectorOperators

    for name in LIBRARIES:
        importlib.import_module(name)
    cosmic_ray.plugins.OPERATOR_PROVIDERS["vectors"] = VectorOperators()
    folder = arguments.folder.resolve()
    session = folder.with_suffix(".sqlite")
    fresh = not session.exists()
    # the mutants of a session belong to the source that it began with; tests may be added
    if fresh:
        copy_parts(COPIED, ROOT, folder)
        copy_parts(("charmie_dynamics",), ROOT, folder / "original")
    else:
        copy_parts(("test", "validation"), ROOT, folder)
        copy_parts(("charmie_dynamics",), folder / "original", folder)
    os.chdir(folder)
    os.environ.update(
        PYTHONPATH=str(folder),
        PYTHONDONTWRITEBYTECODE="1",
        PYTEST_DISABLE_PLUGIN_AUTOLOAD="1",
    )
    tests = [name for name in TESTS if (folder / name.split("::")[0]).exists()]
    ignored = [f"--ignore=test/unit/{name}.py" for name in OF_NUMBA]
    command = f"-x -q --tb=no -p no:cacheprovider {' '.join([*ignored, *tests])}"

    def run_tests(command: str, timeout: float) -> tuple[TestOutcome, str]:
        passed, output = run_pytest(command, folder, timeout)
        return TestOutcome.SURVIVED if passed else TestOutcome.KILLED, output

    # in place of a fresh interpreter for each mutant, most of whose time goes into imports
    mutating.run_tests = run_tests
    unharmed, output = run_tests(command, 600.0)
    if unharmed is not TestOutcome.SURVIVED:
        sys.exit(f"the tests fail without any mutation:\n{output}")
    with use_db(session, WorkDB.Mode.create) as db:
        if fresh:
            init([Path(PACKAGE, f"{name}.py") for name in MODULES], db, {})
        chosen = {f"{PACKAGE}/{name}.py" for name in arguments.modules}
        items = {
            item.job_id: item.mutations[0]
            for item in db.work_items
            if item.mutations[0].operator_name in OPERATORS
            and str(item.mutations[0].module_path) in chosen
        }
        done = dict(db.results)
        due = [
            job
            for job in items
            if job not in done
            or (arguments.retry_survivors and done[job].test_outcome is TestOutcome.SURVIVED)
        ]
        # in no order, so that a part of a run is a fair sample
        random.Random(0).shuffle(due)
        due = due[: arguments.sample]
        for number, job in enumerate(due, 1):
            result = mutating.mutate_and_test([items[job]], command, 60.0)
            db.set_result(job, result)
            outcome = getattr(result.test_outcome, "name", result.worker_outcome)
            spec = items[job]
            print(
                f"{number}/{len(due)} {outcome} {spec.module_path}:{spec.start_pos[0]} "
                f"{spec.operator_name}",
                flush=True,
            )
        done = {job: result for job, result in db.results if job in items}
        outcomes = Counter(getattr(r.test_outcome, "name", "NONE") for r in done.values())
        for job, result in done.items():
            if result.test_outcome is not TestOutcome.KILLED:
                spec = items[job]
                print(f"\n{spec.module_path}:{spec.start_pos[0]} {spec.operator_name}")
                print(result.diff or result.output)
        print(f"\n{len(items)} mutants, {len(done)} run: {dict(outcomes)}")
        return 0 if outcomes["KILLED"] == len(items) else 1


if __name__ == "__main__":
    sys.exit(main())
