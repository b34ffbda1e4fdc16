# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Groups of joints that one trajectory moves together, and grippers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from charmie_dynamics.errors import UnknownNameError, choices
from charmie_dynamics.model.model import Model
from charmie_dynamics.motions.trajectory import columns_of

ALL = "robot"  # the group of a robot whose files define none


class JointGroup(NamedTuple):
    """Joints that one trajectory moves together, or the joint of a gripper.

    Attributes
    ----------
    name : str
    names : tuple of str, length m
        Joints, or linear actuators instead of the joints that they move.
    columns : tuple of int, length m
        Their actuators.
    is_gripper : bool
    """

    name: str
    names: tuple[str, ...]
    columns: tuple[int, ...]
    is_gripper: bool = False


def groups_of(model: Model, selected: Sequence[str] = ()) -> dict[str, JointGroup]:
    """Return groups and grippers of a robot by name; without any, one group of all actuators.

    Parameters
    ----------
    model : Model
    selected : sequence of str
        Names of the groups to return; empty: all.

    Raises
    ------
    UnknownNameError
        For a selected group that the robot's files do not define.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.execution.groups import groups_of
    >>> list(groups_of(load_model()))
    ['left_arm', 'right_arm', 'torso', 'head', 'base', 'left_gripper', 'right_gripper']
    >>> groups_of(load_model("scara"))["robot"].columns
    (0, 1, 2, 3)
    """
    mechanisms = model.mechanisms
    found = {
        name: JointGroup(name, names, tuple(columns_of(model, names)))
        for name, names in mechanisms.joint_groups.items()
    }
    for name, joint in mechanisms.grippers.items():
        found[name] = JointGroup(name, (joint,), tuple(columns_of(model, [joint])), True)
    if not found:
        names = model.actuator_names
        found[ALL] = JointGroup(ALL, names, tuple(range(len(names))))
    for name in selected:
        if name not in found:
            raise UnknownNameError(
                f"groups: '{name}' is no group of '{model.name}'{choices(name, found)}"
            )
    return {name: found[name] for name in selected or found}
