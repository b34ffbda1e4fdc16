# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Compute the foot forces of a hexapod from its recorded joints and odometry.

Run: python examples/contact_forces_of_a_recording.py BAG
"""

import sys
from pathlib import Path

from charmie_dynamics import load_model
from charmie_dynamics.recordings import (
    AnalysisSettings,
    RecordedInputs,
    analyse,
    recorded_contacts,
    table,
)

model = load_model("athena")
with RecordedInputs(Path(sys.argv[1]) if sys.argv[1:] else sys.exit(__doc__)) as bag:
    contacts = recorded_contacts(model, bag, "examples/robots/athena_feet.yaml")
    settings = AnalysisSettings(contacts=contacts)
    analysis = analyse(model, bag, settings)

columns = table(model, analysis.cycles)
normal = {k: columns[f"leg_{k}_foot.normal_force"] for k in range(1, 7)}  # N, of each cycle
if analysis.contact_forces is not None:
    print(analysis.contact_forces.lines())
for summary in analysis.summaries[:3]:
    print(f"{summary.name}: {summary.rms_effort:.2f} N m RMS, with these forces")
