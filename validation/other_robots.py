"""Other robots against Pinocchio: every URDF of the PyPI package example-robot-data."""

from __future__ import annotations

from dataclasses import asdict
from importlib import metadata
from pathlib import Path

from charmie_dynamics import ModelFileError, load_model

from .check import Check
from .example_robots import EMPTY, REFUSALS, UNPHYSICAL, find_robots
from .pinocchio_reference import TOLERANCE, Reference, compare

QUANTITIES = {
    "position": "link positions",
    "rotation": "link rotations",
    "generalized_force": "generalised forces",
    "base_force": "force on the base",
    "base_torque": "torque on the base",
}


def run(figures: Path) -> list[Check]:
    """Return one check for each quantity, the largest difference over all robots that load."""
    robots = {name: path for name, path in find_robots().items() if name not in REFUSALS}
    largest = dict.fromkeys(QUANTITIES, (0.0, ""))
    for name, path in robots.items():
        reference = Reference(path.read_text(encoding="utf-8"))
        differences = asdict(compare(load_model(urdf=path), reference))
        for quantity in QUANTITIES:
            largest[quantity] = max(largest[quantity], (differences[quantity], name))
    versions = f"Pinocchio {metadata.version('pin')}"
    collection = f"example-robot-data {metadata.version('example-robot-data')}"
    loaded = f"{len(robots)} of {len(robots) + len(REFUSALS)} files of {collection} load."
    return [
        Check(
            title=f"Other robots: {words}",
            compared=f"{words} of {len(robots)} robots at five random states each",
            against=versions,
            largest=largest[quantity][0],
            unit="relative",
            limit=TOLERANCE,
            remarks=f"Largest in `{largest[quantity][1]}`. {loaded}",
        )
        for quantity, words in QUANTITIES.items()
    ] + [_check_refusals(collection)]


def _check_refusals(collection: str) -> Check:
    """Return the check that each file which does not load is refused for what is wrong in it."""
    files = find_robots()
    rows = []
    wrong = 0
    for name, words in REFUSALS.items():
        try:
            load_model(urdf=files[name])
            reason = "not refused"
        except ModelFileError as error:
            reason = str(error).removeprefix(f"{files[name]}: ")
        wrong += not all(word in reason for word in words)
        rows.append(f"| `{name}` | {reason} |")
    return Check(
        title="Other robots: refused files",
        compared=f"the reasons that are given for {len(REFUSALS)} files which do not load",
        against="what is wrong in each file, as `validation/example_robots.py` lists it",
        largest=float(wrong),
        unit="files",
        limit=0.0,
        remarks=f"Of {collection}. The {len(UNPHYSICAL)} with unphysical inertias also agree once "
        f"these are mended (`scripts/test zoo`); {len(EMPTY)} has no content.\n\n"
        "| file | refused because |\n| --- | --- |\n" + "\n".join(rows),
    )
