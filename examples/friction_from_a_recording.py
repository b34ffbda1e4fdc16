# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Identify the friction of the drives from a recording with measured efforts.

The output is the section `friction` of a mechanisms file.

Run: python examples/friction_from_a_recording.py BAG
"""

import sys
from pathlib import Path

from charmie_dynamics import load_model
from charmie_dynamics.recordings import AnalysisSettings, RecordedInputs, analyse, friction_section

with RecordedInputs(Path(sys.argv[1])) as bag:
    analysis = analyse(load_model(), bag, AnalysisSettings())

if not analysis.comparisons:
    sys.exit("no effort was measured: the field `effort` of the joint states is empty")
print(friction_section(analysis, source=sys.argv[1]))
for comparison in analysis.comparisons:
    if comparison.friction is not None:
        print(
            f"# {comparison.name}: RMS {comparison.measured:.2f} measured, "
            f"{comparison.residual:.2f} without friction, {comparison.remaining:.2f} with it"
        )
