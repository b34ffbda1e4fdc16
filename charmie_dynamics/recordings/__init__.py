# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Recordings: read, compute and write bags and tables without ROS. Needs rosbags and mcap.

In reading order:

- ``read``: recordings of all kinds.
- ``compute``: cycles of a recording, and their evaluation.
- ``write``: results as bags, tables, charts and reports.
- ``commands``: charmie_analyze, charmie_plot, charmie_render.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from charmie_dynamics.lazy_names import lazy_names

if TYPE_CHECKING:
    from .compute.analysis import Analysis, analyse
    from .compute.contact_loads import recorded_contacts
    from .compute.cycles import AnalysisSettings, Cycles
    from .read.recorded_inputs import RecordedInputs
    from .write.export import table
    from .write.friction_file import friction_section

__all__ = [
    "Analysis",
    "AnalysisSettings",
    "Cycles",
    "RecordedInputs",
    "analyse",
    "friction_section",
    "recorded_contacts",
    "table",
]

if not TYPE_CHECKING:  # a type checker would accept any name
    __getattr__ = lazy_names(
        __name__,
        {
            "read.recorded_inputs": "RecordedInputs",
            "compute.cycles": "AnalysisSettings Cycles",
            "compute.analysis": "Analysis analyse",
            "compute.contact_loads": "recorded_contacts",
            "write.export": "table",
            "write.friction_file": "friction_section",
        },
    )
