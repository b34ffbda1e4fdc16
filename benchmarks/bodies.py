# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Cost of a cycle against the number of bodies."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .candidates import Candidate, batch, compute, kernel, textbook
from .case import Case, make_case
from .chains import chain_urdf
from .others import pinocchio
from .timing import TOLERANCE, Timing, largest_difference, time_in_rounds

ARMS = (2, 4, 6)
CHAINS = (10, 20, 50, 100, 200, 500, 1000)
STATES = 64
CHECKED = 4  # states
# createData of Pinocchio 4.1 takes memory in proportion to the cube of the number of joints: 0.03
# GB for a chain of 100, 0.27 GB for one of 200, some 30 GB for one of 1000.
PINOCCHIO_LINKS = 200
CHARMIE = "CHARMIE"
COLUMNS = ("`Model.compute`", "kernel", "`compute_batch`, 1 core", "Pinocchio")


@dataclass(frozen=True)
class Fit:
    """The line through the times of the chains: start + slope * bodies (s).

    `largest` is the largest distance of a point from the line, relative to the line. The line is
    the one with the least relative squares, so that short chains count as much as long ones.
    """

    start: float
    slope: float
    largest: float


@dataclass(frozen=True)
class Cost:
    """Times (s) of each robot (r rows) by each column; NaN where one is not measured."""

    names: tuple[str, ...]
    bodies: tuple[int, ...]
    timings: tuple[tuple[Timing | None, ...], ...]
    refused: tuple[str, ...]

    def medians(self, column: int) -> np.ndarray:
        """Return the medians (r,) of a column."""
        cells = [row[column] for row in self.timings]
        return np.array([np.nan if cell is None else cell.median for cell in cells])

    def fit(self, column: int) -> Fit | None:
        """Return the line through the chains and arms, None if there are none."""
        chain = np.array([name != CHARMIE for name in self.names])
        bodies, time = np.array(self.bodies)[chain], self.medians(column)[chain]
        bodies, time = bodies[np.isfinite(time)], time[np.isfinite(time)]
        return fit_line(bodies, time) if len(time) > 2 else None


def fit_line(bodies: np.ndarray, time: np.ndarray) -> Fit:
    """Return the line of least relative squares."""
    columns = np.stack([np.ones(len(bodies)), bodies], axis=1)
    start, slope = np.linalg.lstsq(columns / time[:, None], np.ones(len(time)), rcond=None)[0]
    line = start + slope * bodies
    return Fit(float(start), float(slope), float(np.abs(time / line - 1.0).max()))


def measure(folder: Path, version: str, rounds: int) -> Cost:
    """Measure all robots in the same rounds.

    Parameters
    ----------
    folder : Path
        Where the URDFs of the chains are written.
    version : str
        Of this package.
    rounds : int
    """
    cases = []
    for count in (*ARMS, *CHAINS):
        urdf = folder / f"chain_{count}.urdf"
        urdf.write_text(chain_urdf(count), encoding="utf-8")
        name = f"{count}-DOF arm" if count in ARMS else f"chain of {count}"
        cases.append(make_case(name, urdf, STATES))
    cases.append(make_case(CHARMIE, None, STATES))
    cases.sort(key=lambda case: case.bodies)
    table = [_columns(case, version) for case in cases]
    refused = []
    for case, row in zip(cases, table, strict=True):
        reference = textbook(case)
        for column, candidate in enumerate(row):
            if candidate is None:
                continue
            difference = largest_difference(candidate, reference, CHECKED)
            if not difference <= TOLERANCE:
                row[column] = None
                refused.append(
                    f"{case.name}, {COLUMNS[column]}: differs by {difference:.1e}, "
                    f"expected at most {TOLERANCE:g}"
                )
    present = [candidate for row in table for candidate in row if candidate is not None]
    timings = iter(time_in_rounds(present, rounds))
    timed = [tuple(None if c is None else next(timings) for c in row) for row in table]
    return Cost(
        tuple(case.name for case in cases),
        tuple(case.bodies for case in cases),
        tuple(timed),
        tuple(refused),
    )


def _columns(case: Case, version: str) -> list[Candidate | None]:
    ours = [compute(case, version), kernel(case, version), batch(case, version, 1)]
    if case.bodies > PINOCCHIO_LINKS:
        return [*ours, None]
    try:
        return [*ours, pinocchio(case)]
    except ImportError:
        return [*ours, None]


def draw(cost: Cost, path: Path) -> None:
    """Draw the times over the number of bodies."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6.4, 4.2), layout="constrained")
    chain = np.array([name != CHARMIE for name in cost.names])
    bodies = np.array(cost.bodies)
    for column, (label, marker) in enumerate(zip(COLUMNS, "osD^", strict=True)):
        time = 1e6 * cost.medians(column)
        (line,) = axes.loglog(bodies[chain], time[chain], marker=marker, ms=4, lw=1)
        line.set_label(label.replace("`", ""))
        axes.loglog(
            bodies[~chain],
            time[~chain],
            marker=marker,
            ms=8,
            mfc="none",
            ls="",
            color=line.get_color(),
        )
    axes.set_xlabel("links apart from the root")
    axes.set_ylabel("time of a cycle (us), median")
    axes.set_title(
        f"Arms and chains; open markers: {CHARMIE}, ours with all mechanisms", fontsize=9
    )
    axes.grid(True, which="major", lw=0.5, alpha=0.5)
    axes.legend(fontsize=8)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=100, metadata={"Software": None})
    pyplot.close(figure)
