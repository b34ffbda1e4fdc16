# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Cycles from the efforts that the node published, for bags without its inputs."""

from __future__ import annotations

import numpy as np

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.recordings.read.recorded_motion import settling_at
from charmie_dynamics.recordings.read.recorded_samples import RecordedSamples

from .cycles import SETTLING, Cycles


def recorded_cycles(model: Model, samples: RecordedSamples) -> Cycles | None:
    """Return the published position, velocity and effort of the actuators.

    None if they were not recorded.

    Raises
    ------
    CharmieError
        If the actuators differ from those of the model.
    """
    stamps: list[int] = []
    arrivals: list[int] = []
    rows: list[Floats] = []
    wanted = set(model.actuator_names)
    order: list[int] = []
    names: tuple[str, ...] = ()
    for message, arrival in samples.efforts():
        values = message.values()
        if not order:
            if set(values.names) != wanted:
                strange = ", ".join(sorted(wanted ^ set(values.names)))
                raise CharmieError(
                    f"recorded efforts of bag '{samples.bag.path}': expected those of the "
                    f"actuators of '{model.name}'; only one of the two has: {strange}"
                )
            names = values.names
            order = [names.index(name) for name in model.actuator_names]
        fields = (values.position, values.velocity, values.effort)
        if values.names != names or any(field is None for field in fields):
            continue
        row = np.array(fields)[:, order]
        if np.isfinite(row).all():
            stamps.append(values.stamp)
            arrivals.append(arrival)
            rows.append(row)
    if not rows:
        return None
    arrays = dict(zip(("position", "velocity", "actuator_effort"), np.array(rows).swapaxes(0, 1),
                      strict=True))  # fmt: skip
    settling = settling_at(samples.bag, np.array(stamps))
    if settling is not None:
        arrays[SETTLING] = settling
    return Cycles(np.array(stamps), np.array(arrivals), arrays)
