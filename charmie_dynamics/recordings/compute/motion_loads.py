# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Payloads and external wrenches of a recorded motion at each sample."""

from __future__ import annotations

from dataclasses import replace

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.live.loads import Loads
from charmie_dynamics.model.model import Model
from charmie_dynamics.recordings.read.bag import Bag
from charmie_dynamics.recordings.read.received import NO_LOADS
from charmie_dynamics.recordings.read.recorded_motion import EFFORTS, RecordedMotion
from charmie_dynamics.recordings.read.recorded_samples import RecordedSamples

from .cycles import AnalysisSettings
from .loads import LoadHistory


def with_loads(
    bag: Bag, model: Model, motion: RecordedMotion, frame_prefix: str = ""
) -> tuple[RecordedMotion, list[str]]:
    """Return a motion with the loads that were known when each sample was recorded.

    Parameters
    ----------
    bag : Bag
        Source of the motion.
    model : Model
        Without loads.
    motion : RecordedMotion
    frame_prefix : str
        Of the frames of the loads.

    Returns
    -------
    motion : RecordedMotion
    notices : list of str
        Loads that could not be used, with the reasons.
    """
    samples = RecordedSamples(bag, bag.prefix(EFFORTS))
    if not samples.has_loads:
        return motion, samples.diagnostics.lines()
    known: dict[int, Loads] = {}
    try:
        history = LoadHistory(model, AnalysisSettings(frame_prefix=frame_prefix))
        for entry in history.passing(samples.published()):
            known.setdefault(entry.sample.stamp, entry.loads)
    except CharmieError as error:
        return motion, [f"payloads and wrenches are not used: {error}"]
    notices = [*samples.diagnostics.lines(), *history.counts.lines()]
    loads = tuple(known.get(stamp, NO_LOADS) for stamp in motion.stamps.tolist())
    return replace(motion, loads=loads), notices
