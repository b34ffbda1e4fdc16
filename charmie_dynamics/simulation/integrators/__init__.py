# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The motion of one robot or world under efforts, in fixed or variable steps.

In reading order:

- ``methods``: the fixed-step methods and their default steps.
- ``joint_laws``: limits and stops of the actuators.
- ``applied_efforts``: the efforts of a run: none, constant, or a law of time and state.
- ``integrated_motion``: a motion at its computed times and between them.
- ``energy``: the energies of a motion, and their balance.
- ``accuracy``: detection of a loss of accuracy.
- ``refusals``: errors of stages that cannot be computed.
- ``step_blocks``: the memory of a stepper.
- ``stepper``: the fixed-step methods for one robot, compiled.
- ``step_rows``: the motion that a stepper has written, row by row.
- ``events``: functions whose zeros are found, and which may end a run.
- ``run``: the result of a simulation.
- ``fixed_step``: runs in fixed steps.
- ``touches``: times within a step at which contacts begin and end.
- ``adaptive``: runs by SciPy with variable step and order.
- ``simulate``: the entry point.
- ``plant``: a robot that moves in fixed steps under constant efforts.
- ``batch``: many plants side by side, on several cores.
"""
