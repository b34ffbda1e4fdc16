# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Tasks in which networks learn; importing this package registers them with Gymnasium.

In reading order:

- ``task``: a task: a world, its starts, observations and rewards.
- ``kitchen_task``, ``reach``, ``pick_can``, ``track_trajectory``: tasks of CHARMIE.
- ``controls``: what an action means.
- ``randomisation``: domain randomisation.
- ``batch_environment``: episodes in many worlds side by side.
- ``gymnasium_environments``: the same as environments of Gymnasium.
- ``network``, ``evaluation``: policies in files, and their success.
- ``deployment``: a policy on a robot.
- ``imitation``: learning from demonstrations.
- ``pictures``: pictures of episodes.
- ``registry``: all tasks.
- ``commands``: charmie_train, charmie_evaluate.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from charmie_dynamics.lazy_names import lazy_names

from .registry import NAMESPACE, TASKS

if TYPE_CHECKING:
    from charmie_dynamics.kitchen.scripted_grasp import run_grasps

    from .batch_environment import BatchEnvironment
    from .evaluation import evaluate
    from .imitation import imitate
    from .network import Policy, load_policy
    from .randomisation import Randomisation
    from .registry import make_task
    from .task import Judgement, LearningTask, ObservedQuantity, Situation, Start

__all__ = [
    "BatchEnvironment",
    "Judgement",
    "LearningTask",
    "ObservedQuantity",
    "Policy",
    "Randomisation",
    "Situation",
    "Start",
    "evaluate",
    "imitate",
    "load_policy",
    "make_task",
    "run_grasps",
]
if not TYPE_CHECKING:  # a type checker would accept any name
    __getattr__ = lazy_names(
        __name__,
        {
            ".kitchen.scripted_grasp": "run_grasps",
            "batch_environment": "BatchEnvironment",
            "evaluation": "evaluate",
            "imitation": "imitate",
            "network": "Policy load_policy",
            "randomisation": "Randomisation",
            "registry": "make_task",
            "task": "Judgement ObservedQuantity Situation Start LearningTask",
        },
    )

# policies run without Gymnasium, on the robot
if find_spec("gymnasium") is not None:
    import gymnasium

    for _name in TASKS:
        gymnasium.register(
            f"{NAMESPACE}/{_name}",
            entry_point=f"{__name__}.gymnasium_environments:TaskEnvironment",
            vector_entry_point=f"{__name__}.gymnasium_environments:TaskVectorEnvironment",
            kwargs={"task": _name},
        )
