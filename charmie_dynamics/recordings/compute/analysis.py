# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The analysis of a recording: computed cycles and their summary."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from tqdm import tqdm

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.live.tracked_points import tracked_points
from charmie_dynamics.live.wire.stamps import SECONDS
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats, Ints
from charmie_dynamics.recordings.read.received import (
    BaseMessage,
    LoadMessage,
    ReceivedSample,
    Recording,
)

from .causal import causal_cycles
from .contact_loads import ContactsSummary, summarise_contacts
from .contacts import Contact, find_contacts
from .cycles import NOTHING, AnalysisSettings, CycleCounts, Cycles, StateSelection, joined
from .loads import LoadCounts, LoadHistory
from .measured import EffortComparison, MeasuredSamples, compare, scaled
from .position_jumps import PositionJumps
from .summary import ActuatorSummary, summarise
from .zero_phase import zero_phase_cycles

METHODS: dict[str, Callable[..., Iterator[Cycles]]] = {
    "zero-phase": zero_phase_cycles,
    "causal": causal_cycles,
}


class CyclesWriter(Protocol):
    """Writes computed cycles.

    Attributes
    ----------
    columns : (c,) array of int
        Indices in a state's block that `rows` of the cycles must contain.
    """

    columns: Ints

    def write(self, cycles: Cycles) -> None:
        """Write a part of the cycles."""


class NothingComputedError(CharmieError):
    """Raised if no cycle of a recording could be computed."""


@dataclass(frozen=True, eq=False)
class Analysis:
    """The results of an analysis.

    Parameters
    ----------
    model : Model
    settings : AnalysisSettings
    cycles : Cycles
        Without poses.
    tally : CycleCounts
    loads : LoadCounts
    measured : array, shape (n, q)
        Measured efforts, NaN where unknown.
    summaries : list of ActuatorSummary
        Empty without loads.
    comparisons : list of EffortComparison
        Empty without measured efforts, or without loads.
    contacts : list of Contact or None
        None without information about contacts.
    contact_forces : ContactsSummary or None
        None without the setting `contacts`.
    """

    model: Model
    settings: AnalysisSettings
    cycles: Cycles
    counts: CycleCounts
    loads: LoadCounts
    measured: Floats
    summaries: list[ActuatorSummary]
    comparisons: list[EffortComparison]
    contacts: list[Contact] | None
    contact_forces: ContactsSummary | None

    @property
    def warnings(self) -> list[str]:
        """Omitted cycles and contradictory inputs, one line each."""
        efforts = [f"'{c.name}': {c.contradiction}" for c in self.comparisons if c.contradiction]
        return [*self.counts.lines(), *efforts]

    @property
    def duration(self) -> float:
        """Duration of the cycles (s), without jumps back."""
        step = np.diff(self.cycles.stamps) * SECONDS
        return float(step[step > 0.0].sum())

    def friction(self) -> Floats:
        """Return the identified effort against friction (n, q); NaN where none was identified."""
        result = np.full_like(self.measured, np.nan)
        for comparison in self.comparisons:
            if comparison.friction is not None:
                i = self.model.actuator_names.index(comparison.name)
                velocity = self.cycles.arrays["velocity"][:, i]
                result[:, i] = comparison.friction.effort(velocity)
        return result


def analyse(
    model: Model,
    recording: Recording,
    settings: AnalysisSettings,
    bag: CyclesWriter | None = None,
    *,
    progress: bool = False,
) -> Analysis:
    """Compute all cycles of a recording.

    Parameters
    ----------
    model : Model
    recording : Recording
    settings : AnalysisSettings
    bag : CyclesWriter, optional
        Receives the cycles part by part.
    progress : bool
        Show a progress bar on standard error.

    Raises
    ------
    NothingComputedError
        If no cycle could be computed; states the reasons.

    Examples
    --------
    >>> from pathlib import Path
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.recordings import analyse
    >>> from charmie_dynamics.recordings import AnalysisSettings
    >>> from charmie_dynamics.recordings import RecordedInputs
    >>> with RecordedInputs(Path("bag")) as bag:
    ...     analysis = analyse(load_model(), bag, AnalysisSettings())
    >>> analysis.cycles.arrays["actuator_effort"].shape
    (200, 21)
    """
    settings.require_known(model)
    also = NOTHING if bag is None else bag.columns
    points = tracked_points(model, settings.tracked_points)
    selection = StateSelection(model, dynamics=settings.dynamics, also=also, points=points)
    counts = CycleCounts()
    history = LoadHistory(model, settings)
    efforts = MeasuredSamples(model, settings.timeout)
    parts: list[Cycles] = []
    with _Bar(recording.count, progress) as bar:
        received = history.passing(bar.passing(recording.received()))
        received = _counted(scaled(received, settings.effort_factors), counts)
        received = PositionJumps(model, counts).passing(efforts.passing(received))
        for part in METHODS[settings.smoothing](model, received, settings, selection, counts):
            if bag is not None:
                bag.write(part)
            parts.append(joined([part], rows=False))
            bar.note_cycles(len(part.stamps))
    if not any(len(part.stamps) for part in parts):
        reasons = [*recording.diagnostics.lines(), *counts.lines()]
        raise NothingComputedError(
            f"no cycle could be computed from {sum(counts.samples.values())} samples: "
            f"{'; '.join(reasons) or 'the recording has no samples'}{_hint(model, counts)}"
        )
    cycles = joined(parts)
    measured = efforts.at(cycles.stamps, cycles.arrivals)
    return conclude(model, settings, cycles, counts, history.counts, measured)


def conclude(
    model: Model,
    settings: AnalysisSettings,
    cycles: Cycles,
    counts: CycleCounts,
    loads: LoadCounts,
    measured: Floats,
) -> Analysis:
    """Return the analysis of computed cycles."""
    with_loads = settings.dynamics
    reach = settings.polynomials.position_width / settings.cutoff
    return Analysis(
        model,
        settings,
        cycles,
        counts,
        loads,
        measured,
        summarise(model, cycles, settings.timeout) if with_loads else [],
        compare(model, cycles, measured, reach) if with_loads else [],
        find_contacts(model, cycles, settings.timeout),
        summarise_contacts(cycles.arrays, cycles.settled),
    )


def _counted(received: Iterable[ReceivedSample], counts: CycleCounts) -> Iterator[ReceivedSample]:
    """Yield samples, and count those with the same stamp as the one before."""
    last: dict[tuple[str, tuple[str, ...]], int] = {}
    for entry in received:
        publisher, stamp = (entry.topic, entry.sample.names), entry.sample.stamp
        if publisher in last:
            counts.repeated[entry.topic] += last[publisher] == stamp
        else:
            counts.names.update(entry.sample.names)
        last[publisher] = stamp
        yield entry


def _hint(model: Model, counts: CycleCounts) -> str:
    never = [name for name, count in counts.missing.items() if count >= counts.triggers > 0]
    if not never:
        return ""
    some = " ".join(f"{name}=VALUE" for name in model.actuator_names if name in never[:3])
    return f"; joints that were not recorded can be held at a position: --hold {some}"


class _Bar:
    """A progress bar that counts samples and cycles."""

    def __init__(self, total: int, shown: bool) -> None:
        # a line from time to time in a log file, a moving bar on a terminal
        interval = 0.1 if sys.stderr.isatty() else 5.0
        self._bar = tqdm(
            total=total, desc="samples", unit="", file=sys.stderr, mininterval=interval,
            disable=not shown,
        )  # fmt: skip
        self._cycles = 0

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def passing(
        self, received: Iterable[ReceivedSample | LoadMessage | BaseMessage]
    ) -> Iterator[ReceivedSample | LoadMessage | BaseMessage]:
        for entry in received:
            self._bar.update()
            yield entry

    def note_cycles(self, count: int) -> None:
        self._cycles += count
        self._bar.set_postfix_str(f"{self._cycles} cycles")
