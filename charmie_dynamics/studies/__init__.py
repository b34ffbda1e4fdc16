# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Studies: properties of a robot from many of its states, and designs that improve it.

In reading order:

- ``robot_parameters``: base parameters, and the files of a robot with other parameters.
- ``design``: variables and quantities of a study.
- ``search``: how candidates are generated.
- ``engine``: the tasks that compute them.
- ``results``: tables, pictures, and files of the best candidates.
- ``identification``: masses, friction and springs from motions with measured efforts.
- ``excitation``: motions for the identification.
- ``sizing``: motors and gears for a motion.
- ``rollouts``: policies on robots, for training.
- ``commands``: charmie_study, charmie_size, charmie_identify.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from charmie_dynamics.lazy_names import lazy_names

if TYPE_CHECKING:
    from .design.study import Study
    from .design.study_file import parse_study, read_study
    from .design.study_motion import StudyMotion, make_study_motion, random_motion
    from .design.variables import DesignSpace, Variable
    from .excitation.proposal import Excitation, ExcitationRegression, ExcitationSettings, propose
    from .identification.identify import IdentificationSettings, identify
    from .identification.recorded import samples_of_recording
    from .identification.result import IdentificationResult, IdentifiedNumber
    from .identification.samples import EffortSamples, samples_of_motion, samples_of_positions
    from .identification.unknowns import Unknowns
    from .robot_parameters.base_parameters import find_base_parameters
    from .rollouts.rollout_job import RolloutJob, roll_out
    from .search.local_search import LocalSearch
    from .search.scalarisation import weighted_sum
    from .sizing.sizing import SizedDrive, size_drives

__all__ = [
    "DesignSpace",
    "EffortSamples",
    "Excitation",
    "ExcitationRegression",
    "ExcitationSettings",
    "IdentificationResult",
    "IdentificationSettings",
    "IdentifiedNumber",
    "LocalSearch",
    "RolloutJob",
    "SizedDrive",
    "Study",
    "StudyMotion",
    "Unknowns",
    "Variable",
    "find_base_parameters",
    "identify",
    "make_study_motion",
    "parse_study",
    "propose",
    "random_motion",
    "read_study",
    "roll_out",
    "samples_of_motion",
    "samples_of_positions",
    "samples_of_recording",
    "size_drives",
    "weighted_sum",
]

if not TYPE_CHECKING:  # a type checker would accept any name
    __getattr__ = lazy_names(
        __name__,
        {
            "robot_parameters.base_parameters": "find_base_parameters",
            "design.variables": "DesignSpace Variable",
            "design.study": "Study",
            "design.study_file": "parse_study read_study",
            "design.study_motion": "StudyMotion make_study_motion random_motion",
            "search.local_search": "LocalSearch",
            "search.scalarisation": "weighted_sum",
            "identification.identify": "IdentificationSettings identify",
            "identification.recorded": "samples_of_recording",
            "identification.result": "IdentificationResult IdentifiedNumber",
            "identification.samples": "EffortSamples samples_of_motion samples_of_positions",
            "identification.unknowns": "Unknowns",
            "excitation.proposal": "Excitation ExcitationRegression ExcitationSettings propose",
            "sizing.sizing": "SizedDrive size_drives",
            "rollouts.rollout_job": "RolloutJob roll_out",
        },
    )
