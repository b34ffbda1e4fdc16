# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the compiler is given: ``python -m benchmarks.kernel_sizes [node]``; no clock.

Of each function that is compiled for a start without compiled code, numba prints the instructions
of LLVM that it has made of it, before any optimisation. Making them is one half of the time that a
first start takes, and the number of instructions says how long. The other half is LLVM's: it
writes each called function out in its callers, down from the kernels that Python calls, and
optimises what comes of it. Functions of `compiled_apart` it optimises once in each kernel.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from .first_start import STARTS, run

MARK = "#budget"
CHILD = f"""
from charmie_dynamics.numerics.jit import on_compilation
on_compilation(lambda name: print("{MARK} kernel", name))
"""
HEADING = re.compile(r"-+LLVM DUMP <function descriptor '(.+?)(?:\$\d+)?'>-+")
DEFINITION = re.compile(r'define .*?@"([^"]+)"\(')
CALL = re.compile(r'\bcall .*?@"([^"]+)"\(')
ROWS = 40


@dataclass(frozen=True)
class Function:
    """A function as numba hands it to LLVM: name, number of instructions, calls by symbol.

    Attributes
    ----------
    is_apart : bool
        Whether it is not written out where it is called.
    """

    name: str
    instructions: int
    calls: Counter[str]
    is_apart: bool


@dataclass(frozen=True)
class KernelSizes:
    """All that was compiled.

    Attributes
    ----------
    kernels : tuple of str
        Functions that were compiled by themselves, for calls from Python or by address.
    functions : dict
        Everything that was compiled, parts and kernels, by symbol.
    """

    kernels: tuple[str, ...]
    functions: dict[str, Function]

    @property
    def instructions(self) -> int:
        """Number of instructions that numba has made."""
        return sum(function.instructions for function in self.functions.values())

    @property
    def optimized(self) -> int:
        """Number of instructions that LLVM gets, with all calls written out."""
        return sum(self.by_function.values())

    @cached_property
    def by_function(self) -> Counter[str]:
        """How many of the instructions that LLVM gets come of each function, by name."""
        called = {symbol for function in self.functions.values() for symbol in function.calls}
        known: dict[str, Counter[str]] = {}
        total: Counter[str] = Counter()
        for kernel in self.functions.keys() - called:
            total += self._written_out(kernel, known)
            for symbol in self._apart_in(kernel):
                total += self._written_out(symbol, known)
        return total

    def _written_out(self, symbol: str, known: dict[str, Counter[str]]) -> Counter[str]:
        if symbol not in known:
            function = self.functions[symbol]
            total = Counter({function.name: function.instructions})
            for callee, count in self._calls_of(symbol):
                if not self.functions[callee].is_apart:
                    for name, instructions in self._written_out(callee, known).items():
                        total[name] += count * instructions
            known[symbol] = total
        return known[symbol]

    def _apart_in(self, kernel: str) -> set[str]:
        """Return the functions apart that a kernel calls, and those that they call."""
        reached, found = {kernel}, [kernel]
        while found:
            new = {callee for callee, _ in self._calls_of(found.pop())} - reached
            reached |= new
            found += new
        return {symbol for symbol in reached - {kernel} if self.functions[symbol].is_apart}

    def _calls_of(self, symbol: str) -> list[tuple[str, int]]:
        calls = self.functions[symbol].calls.items()
        return [(to, count) for to, count in calls if to in self.functions and to != symbol]


def measure(*names: str) -> list[KernelSizes]:
    """Return what was compiled after each of some starts of `STARTS`, in one process."""
    steps = (f"{STARTS[name]}\nprint('{MARK} done')\n" for name in names)
    with tempfile.TemporaryDirectory() as folder:
        text = run(CHILD + "".join(steps), Path(folder), NUMBA_DUMP_LLVM="1")
    return read(text)


def read(text: str) -> list[KernelSizes]:
    """Return what had been compiled at each mark in the output of numba."""
    found = []
    kernels: list[str] = []
    functions: dict[str, Function] = {}
    name = symbol = ""
    for line in text.splitlines():
        if heading := HEADING.fullmatch(line):
            name = heading[1]
        elif line.startswith(MARK):
            what, _, kernel = line.removeprefix(MARK).strip().partition(" ")
            if what == "done":
                found.append(KernelSizes(tuple(kernels), dict(functions)))
            else:
                kernels.append(kernel)
        elif definition := DEFINITION.match(line):
            symbol = definition[1]
            functions[symbol] = Function(name, 0, Counter(), "alwaysinline" not in line)
        elif line.startswith("}"):
            symbol = ""
        elif symbol and line.startswith("  "):
            function = functions[symbol]
            calls = function.calls + Counter(CALL.findall(line))
            functions[symbol] = replace(
                function, instructions=function.instructions + 1, calls=calls
            )
    return found


def table(sizes: KernelSizes, rows: int = ROWS) -> str:
    """Return the largest functions, by what LLVM gets of each, and the sums."""
    compiled = Counter(function.name for function in sizes.functions.values())
    made: Counter[str] = Counter()
    for function in sizes.functions.values():
        made[function.name] += function.instructions
    lines = [f"{'function':40} {'compiled':>8} {'instructions':>12} {'written out':>12}"]
    for name, instructions in sizes.by_function.most_common(rows):
        lines.append(f"{name[:40]:40} {compiled[name]:8} {made[name]:12} {instructions:12}")
    sums = len(sizes.functions), sizes.instructions, sizes.optimized
    lines.append(f"{'all':40} {sums[0]:8} {sums[1]:12} {sums[2]:12}")
    lines.append(f"{len(sizes.kernels)} compiled by themselves: {', '.join(sizes.kernels)}")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Print the table of a start."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.kernel_sizes",
        description="Show what a start without compiled code compiles: how often each function, "
        "how many instructions numba makes of it, and how many LLVM gets with calls written out.",
    )
    parser.add_argument("start", choices=STARTS, nargs="?", default="everything")
    (sizes,) = measure(parser.parse_args(arguments).start)
    print(table(sizes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
