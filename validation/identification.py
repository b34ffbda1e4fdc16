# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The page of how well robots are identified.

The page is ``docs/identification.md``, made of ``docs/identification.in.md`` and what is computed
here. The recording is that of the UR10 named in the template, which is not part of this package;
without it, or without the PyPI package example-robot-data, what the page says of it stays.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from tqdm import tqdm

from charmie_dynamics import Model, load_model
from charmie_dynamics.motions import SampledMotion, make_motion
from charmie_dynamics.recordings import AnalysisSettings, RecordedInputs, analyse
from charmie_dynamics.studies import (
    ExcitationRegression,
    ExcitationSettings,
    IdentificationSettings,
    Unknowns,
    identify,
    propose,
    samples_of_recording,
)
from charmie_dynamics.studies.excitation.fourier import FourierMotions

from . import closed_loop_arms
from .harness.pages import fill, kept
from .harness.run import Evidence
from .harness.tables import table
from .identified import Run, run

RUNS = 40
FEWER = 8  # times less runs of a robot with many parameters
ROBOTS = {
    "scara": (ExcitationSettings(duration=40.0, rounds=8), 1),
    "charmie": (ExcitationSettings(duration=40.0), FEWER),
}
PROPOSED = ("scara", "arm_6r", "charmie")
DURATIONS = (10.0, 40.0)  # s
SERIES, HARMONICS, INSTANTS = 15, 20, 600  # random Fourier series of 40 s
LOOPS: dict[str, dict[str, float]] = {
    "joints stick": {},
    "joints stick, motions up to 0.2 Hz": {"base": 0.04},
    "joints stick, noise of 300 urad": {"noise": 3e-4},
    "friction tanh(velocity / 0.05 rad/s)": {"ramp": 0.05},
    "joints stick, nearly exact sensors": {"noise": 1e-6, "effort_noise": 1e-5},
}
UR10 = "ur_description/urdf/ur10_robot.urdf"


def wave(model: Model, regression: ExcitationRegression, step: float) -> SampledMotion:
    """Return the motion `wave` with the base at rest."""
    motion = make_motion("wave", model)
    time = np.arange(0.0, motion.duration, step)
    rows = motion.sampled(time)[1:]
    return SampledMotion(
        time, *regression.whole(tuple(part[:, regression.moving] for part in rows))
    )


def excitation_table() -> str:
    """Return the table of condition numbers."""
    rows = []
    for name in PROPOSED:
        model = load_model(name)
        regression = ExcitationRegression(model, Unknowns(), ())
        short, long = (propose(model, ExcitationSettings(duration=each)) for each in DURATIONS)
        rows.append(
            (name, str(len(regression.columns.names)), _condition_of_wave(model, regression),
             f"{_random_condition(regression):.1f}", f"{short.condition:.1f}",
             f"{long.condition:.1f}", f"{100.0 * long.share:.0f} %", _metres(long.margin))
        )  # fmt: skip
    heads = (
        "robot", "unknowns", "`wave`", "median of random series, 40 s", "proposed, 10 s",
        "proposed, 40 s", "largest share of a rated effort", "least tip-over margin",
    )  # fmt: skip
    return _numbers_table(heads, rows)


def _condition_of_wave(model: Model, regression: ExcitationRegression) -> str:
    return f"{regression.condition(wave(model, regression, 0.02)[1:]):.1f}"


def _random_condition(regression: ExcitationRegression) -> float:
    """Return the median condition of random Fourier series within the limits."""
    family = FourierMotions.of(regression.model, regression.moving, 40.0, HARMONICS, 0.3)
    rng, time = np.random.default_rng(0), np.linspace(0.0, 40.0, INSTANTS)
    shape = len(regression.moving), family.free
    found = [
        regression.condition(regression.whole(family.at(rng.uniform(-1.0, 1.0, shape), time)))
        for _ in range(SERIES)
    ]
    return float(np.median(found))


def closed_loop_table(runs: int) -> str:
    """Return the table of intervals of arms under a PD loop."""
    rows = []
    for name, how in LOOPS.items():
        found = closed_loop_arms.coverage(1000, runs, **how)
        rows.append(
            (name, str(runs), f"{100.0 * found.base:.1f} %", f"{100.0 * found.friction:.1f} %")
        )
    return _numbers_table(("friction and noise", "arms", "base parameters", "friction"), rows)


def coverage(name: str, runs: int) -> list[Run]:
    """Return the runs of one robot."""
    model, (settings, fewer) = load_model(name), ROBOTS[name]
    motion, seeds = propose(model, settings).motion, range(max(1, runs // fewer))
    unseen = wave(model, ExcitationRegression(model, Unknowns(), ()), 0.02)
    return [run(model, motion, unseen, seed) for seed in tqdm(seeds, desc=name, mininterval=5.0)]


def coverage_table(found: dict[str, list[Run]]) -> str:
    """Return the table of intervals that hold, and of efforts on an unseen motion."""
    rows = []
    for name, runs in found.items():
        inside = np.array([each.inside / each.numbers for each in runs])
        rows.append(
            (name, str(len(runs)), str(runs[0].numbers),
             f"{np.mean([each.determined for each in runs]):.1f}",
             f"{100.0 * inside.mean():.1f} %", f"{100.0 * inside.min():.1f} %",
             f"{100.0 * np.mean([each.total[0] for each in runs]):.1f} %",
             f"{100.0 * np.mean([each.total[1] for each in runs]):.2f} %",
             f"{100.0 * np.max([each.total[1] for each in runs]):.2f} %",
             f"{100.0 * np.max([each.errors[1] for each in runs]):.2f} %")
        )  # fmt: skip
    heads = (
        "robot", "runs", "base parameters", "determined", "within 95 %", "worst run", "described",
        "identified", "worst run", "worst actuator of all runs",
    )  # fmt: skip
    return _numbers_table(heads, rows)


def ur10_table(recording: Path, urdf: Path) -> str:
    """Return the table of a real robot: errors on the half that was not seen."""
    model = load_model(urdf)
    settings = AnalysisSettings()
    with RecordedInputs(recording) as bag:
        published = analyse(model, bag, settings).comparisons
    with RecordedInputs(recording) as bag:
        samples = samples_of_recording(model, bag, settings)
    found = []
    for cutoff in (math.inf, None):
        how = IdentificationSettings(Unknowns(offsets=True), effort_cutoff=cutoff)
        found.append(identify(model, samples, how))
    plain, filtered = found
    rows = []
    columns = []
    for known, one, other in zip(published, plain.judgements, filtered.judgements, strict=True):
        values = (
            known.measured, known.unseen, one.friction, one.identified,
            other.friction, other.identified,
        )  # fmt: skip
        columns.append(values)
        rows.append((known.name, *(f"{value:.3f}" for value in values)))
    total = np.sqrt(np.sum(np.array(columns) ** 2, axis=0))
    rows.append(("all together", *(f"{value:.3f}" for value in total)))
    shares = (total[3] / total[2], total[5] / total[4], total[5] / total[1])
    heads = (
        "joint", "measured", "friction, charmie_analyze", "friction", "identified",
        "friction, filtered", "identified, filtered",
    )  # fmt: skip
    count = len(filtered.numbers) - len(filtered.undetermined)
    return (
        f"{_numbers_table(heads, rows)}\n\n"
        f"*Identified* is {shares[0]:.2f} of *friction*; with the identified low pass, "
        f"{filtered.effort_cutoff:g} Hz, it is {shares[1]:.2f} of *friction* with the same low "
        f"pass, and {shares[2]:.2f} of what charmie_analyze leaves. {count} of "
        f"{len(filtered.numbers)} parameters are determined by this motion."
    )


def _metres(value: float) -> str:
    return f"{value:.3f} m" if math.isfinite(value) else "-"


def _numbers_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return table((heads[0], *(f">{head}" for head in heads[1:])), rows)


def make(recording: str | None = None, urdf: str | None = None, runs: int = RUNS) -> Evidence:
    """Return the page; what it says of the UR10 is kept without the recording."""
    if recording is None:
        ur10 = kept("identification", "ur10")
    else:
        from .example_robots import find_robots  # needs the package example-robot-data

        ur10 = ur10_table(Path(recording), Path(urdf) if urdf else find_robots()[UR10])
    sections = {
        "ur10": f"<!-- ur10 -->\n\n{ur10}\n\n<!-- end of ur10 -->",
        "excitation": excitation_table(),
        "closed_loop": closed_loop_table(runs),
        "coverage": coverage_table({name: coverage(name, runs) for name in ROBOTS}),
    }
    return Evidence({"identification.md": fill("identification", sections)})
