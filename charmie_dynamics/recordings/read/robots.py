# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The model of the robot that a bag was recorded from."""

from __future__ import annotations

from pathlib import Path

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.model.description.description_warnings import warning_lines
from charmie_dynamics.model.description.files import read_text
from charmie_dynamics.model.description.mechanisms import MechanismSet, parse_mechanisms
from charmie_dynamics.model.description.package_robots import PACKAGE_ROBOTS, robot_of_urdf
from charmie_dynamics.model.description.urdf import parse_urdf
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.reading import read_model

from .bag import Bag
from .description import DESCRIPTION, read_description
from .recorded_motion import RecordedMotion


def model_of(bag: Bag, mechanisms: Path | None = None) -> tuple[Model, list[str]]:
    """Return the model of a recorded robot, and notices for the user.

    The URDF is in the bag, the mechanisms are not: without a file, they are those of the robot of
    this package with this URDF; for other robots there are no mechanisms.

    Raises
    ------
    ModelFileError
        If URDF or mechanisms do not describe a valid robot.
    """
    return model_from_description(read_description(bag), f"bag '{bag.path}'", mechanisms)


def model_from_description(
    description: str | None, source: str, mechanisms: Path | None = None
) -> tuple[Model, list[str]]:
    """Return the model of a recorded URDF, or CHARMIE without a URDF; see `model_of`."""
    if description is None:
        notice = f"no topic '{DESCRIPTION}' in the bag: the robot is taken to be CHARMIE"
        return read_model(mechanisms=mechanisms), [notice]
    name = robot_of_urdf(description)
    if name is not None:
        return read_model(name, mechanisms), []
    tree = parse_urdf(description, f"'{DESCRIPTION}' of {source}")
    warnings = warning_lines(tree.warnings)
    if mechanisms is None:
        notice = (
            f"the bag's robot '{tree.name}' is not a robot of this version "
            f"({' or '.join(PACKAGE_ROBOTS)}), and no mechanisms file is given: the robot is "
            "assumed to have no linear actuators, springs or balances"
        )
        return Model(tree, MechanismSet()), [notice, *warnings]
    mechanisms_source = str(mechanisms)
    parsed = parse_mechanisms(read_text(mechanisms), mechanisms_source)
    return Model(tree, parsed, mechanisms_source), warnings


def require_same_actuators(model: Model, motion: RecordedMotion, bag: Bag) -> None:
    """Check that a recorded motion has the actuators of the model.

    Raises
    ------
    CharmieError
        If they differ; names the actuators that only one of them has.
    """
    if motion.names == model.actuator_names:
        return
    missing = sorted(set(model.actuator_names) - set(motion.names))
    strange = sorted(set(motion.names) - set(model.actuator_names))
    difference = (
        f"not recorded: {', '.join(missing) or 'none'}; unknown: {', '.join(strange) or 'none'}"
        if missing or strange
        else "they are in another order"
    )
    raise CharmieError(
        f"bag '{bag.path}': the recorded actuators are not those of the robot '{model.name}'; "
        f"{difference}. Is the mechanisms file the right one?"
    )
