# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""One harness in a process of its own: ``python -m fuzz.harness NAME [libFuzzer option...]``."""

from __future__ import annotations

import os
import sys
import time
from importlib import import_module
from pkgutil import walk_packages
from types import FunctionType

import atheris

with atheris.instrument_imports(include=["yaml"]):
    import yaml  # noqa: F401  before numba, which has use for it too

# compiled code cannot be instrumented: it is imported before, or left out by its file
import charmie_dynamics.live.estimation.kernels  # noqa: F401
from charmie_dynamics import core
from charmie_dynamics.live.wire.cdr import Reader, Walk

for kernels in walk_packages(core.__path__, f"{core.__name__}."):
    import_module(kernels.name)
COMPILED = ("charmie_dynamics.live.step", "charmie_dynamics.live.wire.scatter")
with atheris.instrument_imports(include=["charmie_dynamics"], exclude=COMPILED):
    from . import mutations, seeds, targets

# not compiled, but in a file that was imported before
CLASSES = (Walk, Reader)
MOST_SECONDS = 1.0  # of processor time for one input


def instrument(owner: type) -> None:
    """Let the fuzzer see the way through the methods of a class."""
    for name, function in list(vars(owner).items()):
        if isinstance(function, FunctionType):
            setattr(owner, name, atheris.instrument_func(function))


def main() -> None:
    """Fuzz until libFuzzer's options say stop, or until an input breaks a rule."""
    name, *options = sys.argv[1:]
    for owner in CLASSES:
        instrument(owner)
    target = targets.TARGETS[name]

    def run(data: bytes) -> None:
        start = time.process_time()
        target(data)
        seconds = time.process_time() - start
        targets.require(seconds < MOST_SECONDS, f"{len(data)} bytes took {seconds:.2f} s")

    def mutate(data: bytes, most: int) -> bytes:
        return bytes(atheris.Mutate(data, most))  # there only once `Fuzz` runs

    words = seeds.words(name)
    mutator = mutations.of_text(words, mutate) if words else mutations.of_messages(mutate)
    for seed in seeds.seeds(name):  # compiles what is compiled, which takes longer than allowed
        target(seed)
    atheris.Setup([sys.argv[0], *options], run, custom_mutator=mutator)
    atheris.Fuzz()


if __name__ == "__main__":
    os.environ.setdefault("PYTHONHASHSEED", "0")
    main()
