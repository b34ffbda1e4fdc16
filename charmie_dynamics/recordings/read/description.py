# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The URDF of the robot in a bag."""

from __future__ import annotations

from charmie_dynamics.live.topics import ROBOT_DESCRIPTION
from charmie_dynamics.live.wire.messages import STRING
from charmie_dynamics.live.wire.samples import RefusedSampleError

from .bag import Bag, decode
from .received import ReadDiagnostics

DESCRIPTION = ROBOT_DESCRIPTION.name


def read_description(
    bag: Bag, name: str | None = None, diagnostics: ReadDiagnostics | None = None
) -> str | None:
    """Return the URDF; None if it was not recorded.

    Parameters
    ----------
    bag : Bag
    name : str, optional
        Full name of its topic; default: search for it.
    trouble : ReadDiagnostics, optional
        Collects the messages that cannot be decoded, which are errors without it.

    Raises
    ------
    CharmieError
        If it was recorded in several namespaces, or cannot be read.
    """
    if name is None:
        name = bag.name(DESCRIPTION, STRING)
    for raw in bag.raw({name}) if name else ():
        try:
            return str(decode(raw).data)
        except RefusedSampleError as error:
            if diagnostics is None:
                raise
            diagnostics.refuse(raw.topic, error)
    return None
