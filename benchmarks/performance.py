# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Measure times for ``docs/performance.md``; ``scripts/bench`` adds those with ROS 2.

The page has the tables that its template places, ``build/reports/performance.md`` all of them; it
keeps the tables of closed loops, which `benchmarks.loops` measures.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from validation.harness.machine import describe_machine
from validation.harness.pages import places, renew
from validation.harness.run import Evidence
from validation.harness.tables import at_most, bullets, table

from . import (
    contacts,
    cycles,
    environments,
    equations,
    first_start,
    heaps,
    kernel_sizes,
    node_tables,
    papers,
    simulation,
)
from .contact_cases import athena

ROUNDS = 200
SIMULATION_SHARE = 10  # so many times fewer rounds of whole motions
CONTACT_SHARE = 40  # likewise, of motions with contacts


def make(
    rounds: int = ROUNDS,
    load: float | None = None,
    node: str = "",
    simulator: str = "",
    controlled: str = "",
    missing: str = "",
    part: str = "",
) -> Evidence:
    """Measure all, or one part, and return the page and all parts, or the part.

    Parameters
    ----------
    rounds : int
        Turns of each row.
    load : float, optional
        Average load before the run; None: that of now.
    node, simulator, controlled : str
        Files with what `benchmarks.node`, `.simulator` and `.controlled_robot` print.
    missing : str
        What of ROS 2 is not measured, and why.
    part : str
        Name of a table.
    """
    machine = bullets(describe_machine(os.getloadavg()[0] if load is None else load))
    faults: list[str] = []
    few = max(1, rounds // CONTACT_SHARE)
    records = node_tables.read_records(node)

    def checked(found: tuple[str, list[str]]) -> str:
        faults.extend(found[1])
        return found[0]

    parts: dict[str, Callable[[], str]] = {
        "machine": lambda: machine,
        "first_start": first_start_table,
        "comparison": lambda: checked(cycles.comparison(rounds)),
        "equations": lambda: checked(equations.measure(rounds)),
        "simulation": lambda: checked(simulation.measure(max(1, rounds // SIMULATION_SHARE))),
        "contact_speed": lambda: checked(contacts.speed_table(few)),
        "contact_steps": lambda: contacts.steps_table(athena(), few),
        "contact_batches": lambda: contacts.batches_table(athena(), 10 * few),
        "heaps": lambda: heaps.table(few),
        "papers": lambda: papers.measure(max(1, rounds // SIMULATION_SHARE)),
        "environments": lambda: checked(environments.measure()),
        "arms": lambda: checked(cycles.arms(rounds)),
        "bodies": lambda: checked(cycles.bodies(rounds)),
        "node": lambda: node_tables.node_table(records, missing),
        "ratios": lambda: node_tables.ratio_table(records),
        "simulator": lambda: node_tables.simulator_table(
            node_tables.read_records(simulator), missing
        ),
        "controlled": lambda: node_tables.controlled_table(
            node_tables.read_records(controlled), missing
        ),
    }
    if part:
        return Evidence({part: parts[part]()}, faults)
    found = {name: measure() for name, measure in parts.items()}
    placed = places("performance") & set(found)
    page = renew("performance", {name: found[name] for name in placed})
    every = "\n\n".join(f"## {name}\n\n{text}" for name, text in found.items())
    return Evidence({"performance.md": page}, faults, {"performance.md": f"{every}\n"})


def first_start_table() -> str:
    """Return the table of first starts: CPU time, its budget and the compiled instructions."""
    rows = []
    for name, start in first_start.measure().items():
        size = kernel_sizes.measure(name)[0]
        compilation = start.first - start.second
        rows.append(
            (
                name,
                at_most(start.first, first_start.BUDGET.get(name)),
                f"{start.ratio:.1f}",
                f"{start.second:.2f}",
                str(size.instructions),
                str(size.optimized),
                f"{1e6 * compilation / size.instructions:.0f}",
            )
        )
    heads = (
        *("start", "first: CPU (s)", ">times the reference", ">second: CPU (s)"),
        *(">instructions", ">with calls written out", ">us per instruction"),
    )
    return table(heads, rows)
