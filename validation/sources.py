# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Which numbers of the model are published and which are estimated, from the files that say so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from charmie_dynamics import Model
from charmie_dynamics.model.description.files import read_text, share_file
from charmie_dynamics.model.model import DEFAULT_MECHANISMS

from .harness.tables import table

PARAMETERS = Path(__file__).resolve().parents[1] / "test" / "reference" / "charmie_parameters.yaml"
PUBLISHED = "published"


def source_table(model: Model) -> str:
    """Return a Markdown table of the numbers, how many of what, and their source.

    Raises
    ------
    ValueError
        If the parameters and the mechanisms file disagree on a source.
    """
    parameters = yaml.safe_load(PARAMETERS.read_text(encoding="utf-8"))
    mechanisms = yaml.safe_load(read_text(share_file(*(DEFAULT_MECHANISMS or ()))))
    bodies = Counter(body["source"] for body in parameters["bodies"])
    inertials = parameters["inertials"]
    rows = [
        ("types, axes and origins of the joints", _counted(bodies, "bodies")),
        *(
            (f"tool point `{name}`", point["source"])
            for name, point in parameters["tool_points"].items()
        ),
        (
            "masses, centres of mass, inertias",
            _counted(Counter(entry["source"] for entry in inertials.values()), "bodies"),
        ),
        (
            f"share of estimated masses in the {model.total_mass:.2f} kg",
            f"{_share_of_estimated_mass(inertials, model):.0%}",
        ),
        ("limits of position, effort and velocity", mechanisms["sources"]["limits"]),
    ]
    for kind, what in (
        ("linear_actuators", "pins of `{}`"),
        ("springs", "all of `{}`"),
        ("balance_mechanisms", "all of `{}`"),
    ):
        for name, entry in mechanisms[kind].items():
            if entry["source"] != parameters[kind][name]["source"]:
                raise ValueError(
                    f"source of '{name}': '{entry['source']}' in the mechanisms file, "
                    f"'{parameters[kind][name]['source']}' in the parameters"
                )
            rows.append((what.format(name), entry["source"]))
    return table(("number", "source"), rows)


def _counted(sources: Mapping[str, int], what: str) -> str:
    total = sum(sources.values())
    return "; ".join(f"{source} ({count} of {total} {what})" for source, count in sources.items())


def _share_of_estimated_mass(inertials: Mapping[str, Any], model: Model) -> float:
    estimated = sum(entry["mass"] for entry in inertials.values() if entry["source"] != PUBLISHED)
    return float(estimated / model.total_mass)
