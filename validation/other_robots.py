# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Other robots against Pinocchio: every URDF of the PyPI package example-robot-data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict
from importlib import metadata
from pathlib import Path

from charmie_dynamics import Model, ModelFileError
from charmie_dynamics.model.reading import read_model

from .check import Check
from .example_robots import EMPTY, find_doubtful, find_robots
from .harness.tables import table
from .pinocchio_equations import TOLERANCE as EQUATIONS_TOLERANCE
from .pinocchio_equations import compare_equations
from .pinocchio_reference import TOLERANCE, Reference, compare

QUANTITIES = {
    "position": "link positions",
    "rotation": "link rotations",
    "generalized_force": "generalised forces",
    "base_force": "force on the base",
    "base_torque": "torque on the base",
}
EQUATIONS = {
    "mass_matrix": "mass matrix, `crba`",
    "coriolis_effort": "C v, `computeCoriolisMatrix`",
    "mass_matrix_rate": "C and its transpose, which is the rate of the mass matrix, from the same",
    "gravity_effort": "gravity, `computeGeneralizedGravity`",
    "jacobian": "Jacobians of a point of each link, `computeFrameJacobian`",
    "kinetic": "kinetic energy",
    "gravitational": "gravitational energy",
    "by_position": "derivatives of efforts by positions, `computeRNEADerivatives`",
    "by_velocity": "by velocities, from the same",
    "by_acceleration": "by accelerations, from the same",
    "regressor": "regressor, `computeJointTorqueRegressor`",
}


def run(figures: Path) -> list[Check]:
    """Return one check for each quantity, the largest difference over all robots that load."""
    files = find_robots()
    robots = {name: read_model(path) for name, path in files.items() if name not in EMPTY}
    largest = dict.fromkeys([*QUANTITIES, *EQUATIONS], (0.0, ""))
    for name, model in robots.items():
        reference = Reference(files[name].read_text(encoding="utf-8"))
        differences = asdict(compare(model, reference))
        differences.update(asdict(compare_equations(model, reference)))
        for quantity in largest:
            largest[quantity] = max(largest[quantity], (differences[quantity], name))
    versions = f"Pinocchio {metadata.version('pin')}"
    collection = f"example-robot-data {metadata.version('example-robot-data')}"
    loaded = f"{len(robots)} of {len(files)} files of {collection} load."
    return [
        Check(
            title=f"Other robots: {words}",
            compared=f"{len(robots)} robots at five random states each",
            against=versions,
            largest=largest[quantity][0],
            unit="relative",
            limit=TOLERANCE,
            remarks=f"Largest in `{largest[quantity][1]}`. {loaded}",
        )
        for quantity, words in QUANTITIES.items()
    ] + [
        _check_equations(largest, versions),
        _check_warnings(files, robots, collection),
        _check_refusals(files, collection),
    ]


def _check_equations(largest: Mapping[str, tuple[float, str]], versions: str) -> Check:
    """Return the check of the equations of motion, with the largest difference of each term."""
    rows = [
        (words, f"{largest[quantity][0]:.0e}", f"`{largest[quantity][1]}`")
        for quantity, words in EQUATIONS.items()
    ]
    return Check(
        title="Other robots: equations of motion",
        compared="matrices, derivatives, Jacobians, energies and regressor",
        against=versions,
        largest=max(largest[quantity][0] for quantity in EQUATIONS),
        unit="relative",
        limit=EQUATIONS_TOLERANCE,
        remarks="Largest differences, each relative to the largest compared number:\n\n"
        + table(("term", ">largest difference", "in"), rows),
    )


def _check_warnings(
    files: Mapping[str, Path], robots: Mapping[str, Model], collection: str
) -> Check:
    """Return the check that robots load with the warnings that their files deserve, and no other.

    `find_doubtful` finds what is wrong without this package.
    """
    rows, wrong = [], 0
    for name, model in robots.items():
        warnings = model.warnings
        # all others are tested one by one in test/unit/model
        named = {(w.element, w.name) for w in warnings if re.search("moments|mimics", w.fault)}
        wrong += named != find_doubtful(files[name].read_text(encoding="utf-8"))
        if warnings:
            first = str(warnings[0]).removeprefix(f"{files[name]}, ")
            rows.append((f"`{name}`", len(warnings), first))
    return Check(
        title="Other robots: warnings",
        compared=f"the links and joints that the warnings of {len(robots)} robots name",
        against="links that no body can be, mimic joints without a leader",
        largest=float(wrong),
        unit="files",
        limit=0.0,
        remarks=f"Of {collection}, {len(rows)} robots load with warnings. They are among the "
        "robots above: their results equal those of Pinocchio.\n\n"
        + table(("file", ">warnings", "the first"), rows),
    )


def _check_refusals(files: Mapping[str, Path], collection: str) -> Check:
    """Return the check that each file which does not load is refused for what is wrong in it."""
    rows, wrong = [], 0
    for name, words in EMPTY.items():
        try:
            read_model(files[name])
            reason = "not refused"
        except ModelFileError as error:
            reason = str(error).removeprefix(f"{files[name]}, ")
        wrong += not all(word in reason for word in words)
        rows.append((f"`{name}`", reason))
    return Check(
        title="Other robots: refused files",
        compared=f"the reason that is given for {len(EMPTY)} file which does not load",
        against="the fault of the file: it contains comments only",
        largest=float(wrong),
        unit="files",
        limit=0.0,
        remarks=f"Of {collection}.\n\n" + table(("file", "refused because"), rows),
    )
