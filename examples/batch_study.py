# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Count overloaded drives in a hundred thousand poses of CHARMIE with 2 kg in each hand.

A batch computes many samples at once, on all cores.

Run: python examples/batch_study.py [NUMBER OF POSES]
"""

import sys

import numpy as np

from charmie_dynamics import Payload, load_model

count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
model = load_model().with_loads({"left_tool": Payload(2.0), "right_tool": Payload(2.0)})
limits = model.actuator_limits()
low = np.array([max(limit.lower, -np.pi) for limit in limits])
high = np.array([min(limit.upper, np.pi) for limit in limits])
position = np.random.default_rng(1).uniform(low, high, (count, len(limits)))

effort = np.abs(model.compute(position).actuator_effort)
rated = np.array([limit.effort for limit in limits])
ratio = np.divide(effort, rated, out=np.zeros_like(effort), where=rated > 0.0)

print(f"{'% of the rated effort':<22}{'median':>8}{'99 %':>8}{'largest':>9}{'overloaded':>12}")
for k in np.argsort(-ratio.max(axis=0))[:6]:
    middle, most = 100.0 * np.quantile(ratio[:, k], (0.5, 0.99))
    print(
        f"{model.actuator_names[k]:<22}{middle:8.1f}{most:8.1f}{100.0 * ratio[:, k].max():9.1f}"
        f"{100.0 * (ratio[:, k] > 1.0).mean():10.2f} %"
    )
worst = int(ratio.max(axis=1).argmax())
print("worst pose:", position[worst].round(3).tolist())
