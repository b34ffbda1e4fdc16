# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Optimise the spring of a custom robot with a study file, robots/boom_springs.yaml.

A gradient search starts from the present robot, once for each permitted free length. The command
`charmie_study examples/robots/boom_springs.yaml` also uses other methods, tables and pictures.

Needs SciPy: pip install ".[studies]"

Run: python examples/better_springs.py
"""

from pathlib import Path

import numpy as np

from charmie_dynamics.studies import LocalSearch, read_study, weighted_sum

study = read_study(Path(__file__).parent / "robots" / "boom_springs.yaml")
names = study.evaluator.space.names
before = study.evaluator.evaluate(study.start).values
print(f"present spring: cylinder of {before[0]:.0f} N, tension up to {before[1]:.0f} N")

search = LocalSearch(study, weighted_sum(np.ones(1), study.scales()))
found = []
for free_length in study.evaluator.space.variables[names.index("free_length")].steps:
    start = study.start.copy()
    start[names.index("free_length")] = free_length
    found.append(search.run(start))
    pairs = zip(names, found[-1].candidate, strict=True)
    values = ", ".join(f"{name} {value:.3f}" for name, value in pairs)
    print(f"{values}: cylinder of {found[-1].values[0]:.0f} N, {found[-1].evaluations} evaluations")
