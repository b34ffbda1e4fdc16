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
UR10_CUTOFF = 1.4  # Hz: leaves the smallest errors, compared with 1 and 2 Hz
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
    found = [
        identify(
            model, samples, IdentificationSettings(Unknowns(offsets=True), effort_cutoff=cutoff)
        )
        for cutoff in (None, UR10_CUTOFF)
    ]
    columns = [
        (known.measured, known.unseen, one.friction, one.identified, low.friction, low.identified)
        for known, one, low in zip(published, *(each.judgements for each in found), strict=True)
    ]
    total = np.sqrt(np.sum(np.array(columns) ** 2, axis=0))
    names = *(known.name for known in published), "all together"
    rows = [
        (name, *(f"{value:.3f}" for value in values))
        for name, values in zip(names, np.vstack((columns, total)), strict=True)
    ]
    low_pass = f"{UR10_CUTOFF:g} Hz"
    heads = (
        "joint", "measured", "friction, charmie_analyze", "friction", "identified",
        f"friction, {low_pass}", f"identified, {low_pass}",
    )  # fmt: skip
    by_itself, _ = found
    passes = by_itself.effort_cutoff
    says = f"of {passes:g} Hz" if math.isfinite(passes) else "none"
    undetermined = len(by_itself.numbers) - len(by_itself.undetermined)
    return (
        f"{_numbers_table(heads, rows)}\n\n"
        f"*Identified* is {total[3] / total[2]:.2f} of *friction*, and with the low pass "
        f"{total[5] / total[4]:.2f}. The low pass that charmie_identify finds by itself: {says}. "
        f"{undetermined} of {len(by_itself.numbers)} parameters are determined by this motion."
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
