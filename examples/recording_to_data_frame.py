# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Efforts, joints and springs of a recording as a pandas data frame.

Needs pandas: pip install pandas ".[analysis]"

Run: python examples/recording_to_data_frame.py BAG
"""

import sys
from pathlib import Path

import pandas as pd

from charmie_dynamics import load_model
from charmie_dynamics.recordings import AnalysisSettings, RecordedInputs, analyse, table

model = load_model()
with RecordedInputs(Path(sys.argv[1]) if sys.argv[1:] else sys.exit(__doc__)) as bag:
    analysis = analyse(model, bag, AnalysisSettings())

frame = pd.DataFrame(table(model, analysis.cycles)).set_index("time")
efforts = frame.filter(regex=r"\.effort$").rename(columns=lambda name: name.split(".")[0])
print(f"{len(frame)} cycles, {len(frame.columns)} columns, {analysis.duration:.2f} s")
print(efforts.abs().agg(["mean", "max"]).T.round(3).to_string())
