# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Identify masses, friction and springs from a recording with measured efforts.

Prints the largest changes from the description, and the errors of predicted efforts.

Run: python examples/masses_from_a_recording.py BAG
"""

import sys
from pathlib import Path

from charmie_dynamics import CharmieError, load_model
from charmie_dynamics.recordings import AnalysisSettings, RecordedInputs
from charmie_dynamics.studies import identify, samples_of_recording

model = load_model()
try:
    with RecordedInputs(Path(sys.argv[1]) if sys.argv[1:] else sys.exit(__doc__)) as bag:
        samples = samples_of_recording(model, bag, AnalysisSettings())
    result = identify(model, samples)
except CharmieError as error:
    sys.exit(str(error))

known = [number for number in result.numbers if number.is_determined]
known.sort(key=lambda n: -abs(n.estimate - n.described) / n.half_width)
print(f"the motion determines {len(known)} of {len(result.numbers)} parameters; largest changes:")
for n in known[:5]:
    print(f"{n.name}: {n.described:.4g}, now {n.estimate:.4g} +- {n.half_width:.2g} {n.unit}")
for judged in result.judgements:
    print(f"{judged.name} off by {judged.described:.3g}, now {judged.identified:.3g} {judged.unit}")
