# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""One harness: ``python -m fuzz NAME FOLDER [libFuzzer option...]``; see ``scripts/fuzz``.

The seeds are written into ``FOLDER/corpus``, and their words into ``FOLDER/words.dict``.
"""

import sys
import time
from hashlib import sha1
from importlib import import_module
from pathlib import Path
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
    from . import seeds, targets

MOST_SECONDS = 1.0  # of processor time for one input


def main() -> None:
    """Fuzz until libFuzzer's options say stop, or until an input breaks a rule."""
    name, folder, *options = sys.argv[1:]
    for owner in (Walk, Reader):  # not compiled, but in a file that was imported before
        for method, function in list(vars(owner).items()):
            if isinstance(function, FunctionType):
                setattr(owner, method, atheris.instrument_func(function))
    target = targets.TARGETS[name]
    corpus, words = Path(folder, "corpus"), Path(folder, "words.dict")
    corpus.mkdir(parents=True, exist_ok=True)
    first = list(seeds.seeds(name))
    for seed in first:
        (corpus / sha1(seed).hexdigest()).write_bytes(seed)
        target(seed)  # compiles what is compiled, which takes longer than allowed
    words.write_text(seeds.dictionary(first), encoding="utf-8")

    def run(data: bytes) -> None:
        start = time.process_time()
        target(data)
        seconds = time.process_time() - start
        targets.require(seconds < MOST_SECONDS, f"{len(data)} bytes took {seconds:.2f} s")

    atheris.Setup([sys.argv[0], *options, f"-dict={words}", str(corpus)], run)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
