# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motions with measured efforts from recordings, smoothed and aligned as by charmie_analyze."""

from __future__ import annotations

from itertools import pairwise

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.movable import require_actuators_alone
from charmie_dynamics.recordings.compute.analysis import analyse
from charmie_dynamics.recordings.compute.cycles import AnalysisSettings
from charmie_dynamics.recordings.read.received import Recording

from .samples import EffortSamples, without_ends

SMOOTHING = "zero-phase"
SECONDS = 1e-9


def samples_of_recording(
    model: Model, recording: Recording, settings: AnalysisSettings, *, progress: bool = False
) -> list[EffortSamples]:
    """Return the samples of a recording: one set for each time that its stamps jump back.

    Parameters
    ----------
    model : Model
    recording : Recording
    settings : AnalysisSettings
        With zero-phase smoothing and dynamics.
    progress : bool
        Whether a bar is shown on standard error.

    Raises
    ------
    CharmieError
        If nothing can be computed, or other settings are given.
    UnsupportedError
        If the robot has joints without actuator.

    Examples
    --------
    >>> from pathlib import Path
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.recordings.compute.cycles import AnalysisSettings
    >>> from charmie_dynamics.recordings.read.recorded_inputs import RecordedInputs
    >>> from charmie_dynamics.studies.identification.recorded import samples_of_recording
    >>> with RecordedInputs(Path("bag")) as bag:
    ...     (samples,) = samples_of_recording(
    ...         load_model(), bag, AnalysisSettings(smoothing="zero-phase")
    ...     )
    >>> samples.measured.shape
    (200, 21)
    """
    require_actuators_alone(model, "identification")
    if settings.smoothing != SMOOTHING or not settings.dynamics:
        raise CharmieError(
            f"identification: expected {SMOOTHING} smoothing with dynamics, got "
            f"{settings.smoothing}"
        )
    analysis = analyse(model.without_friction(), recording, settings, progress=progress)
    cycles = analysis.cycles
    result = []
    stamps = cycles.stamps
    begins = [0, *((stamps[1:] <= stamps[:-1]).nonzero()[0] + 1).tolist(), len(stamps)]
    for first, end in pairwise(begins):
        rows = slice(first, end)
        time = (stamps[rows] - stamps[first]) * SECONDS
        result.append(
            EffortSamples(
                time,
                cycles.arrays["position"][rows],
                cycles.arrays["velocity"][rows],
                cycles.arrays["acceleration"][rows],
                without_ends(time, analysis.measured[rows], settings.cutoff),
                cycles.arrays["actuator_effort"][rows],
            )
        )
    return result
