# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Mimic joints: whether each has a leader, and what each follows in the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from charmie_dynamics.errors import ModelFileError, choices, shown

from .description_warnings import DescriptionWarning
from .robot import Joint
from .xml_document import LARGEST_NUMBER

# of a mimic joint whose leader does not exist
CONSEQUENCE = "taken for a joint of its own"


def without_lost_mimics(
    joints: Sequence[Joint], lines: Mapping[str, int], source: str, *, strict: bool
) -> tuple[tuple[Joint, ...], list[DescriptionWarning]]:
    """Return the joints, those that mimic a joint which does not exist as independent ones.

    Parameters
    ----------
    joints : sequence of Joint
    lines : mapping of str to int
        Line of each joint in the file.
    source : str
        Name of the file, for messages.
    strict : bool
        Refuse the first joint that mimics one which does not exist.

    Returns
    -------
    tuple of Joint
    list of DescriptionWarning
        Of the joints that were changed.

    Raises
    ------
    ModelFileError
        For refused mimic joints.
    """
    names = {joint.name for joint in joints}
    found, doubts = [], []
    for joint in joints:
        if joint.mimic is not None and joint.mimic.joint not in names:
            leader = joint.mimic.joint
            if strict:
                raise ModelFileError(
                    f"{_mimicry(joint, lines, source)}, which does not exist"
                    f"{choices(leader, [other.name for other in joints])}"
                )
            fault = f"mimics '{shown(leader)}', which does not exist"
            doubts.append(
                DescriptionWarning(
                    "joint", joint.name, fault, CONSEQUENCE, source, lines[joint.name]
                )
            )
            joint = replace(joint, mimic=None)
        found.append(joint)
    return tuple(found), doubts


def require_mimic_leaders(joints: Sequence[Joint], lines: Mapping[str, int], source: str) -> None:
    """Check that each chain of mimics ends at a movable joint which mimics none.

    Parameters
    ----------
    joints : sequence of Joint
        Whose leaders exist.
    lines : mapping of str to int
        Line of each joint in the file.
    source : str
        Name of the file, for messages.

    Raises
    ------
    ModelFileError
        For a leader that is fixed, for mimics in a ring, and where the multipliers of a chain of
        mimics overflow together.
    """
    by_name = {joint.name: joint for joint in joints}
    checked: set[str] = set()
    for joint in joints:
        chain: dict[str, Joint] = {}  # in the order of the walk
        while joint.mimic is not None and joint.name not in checked:
            chain[joint.name] = joint
            leader = by_name[joint.mimic.joint]
            if leader.type in ("fixed", "planar", "floating"):
                raise ModelFileError(
                    f"{_mimicry(joint, lines, source)}, which is {leader.type}; expected a "
                    "revolute, continuous or prismatic joint"
                )
            if leader.name in chain:
                names = list(chain)
                ring = names[names.index(leader.name) :]
                listed = " -> ".join(map(shown, ring[:10])) + (" -> ..." if len(ring) > 10 else "")
                raise ModelFileError(
                    f"{_mimicry(leader, lines, source)}, and so in the end itself: {listed}"
                )
            joint = leader
        checked.update(chain)
    followed = follow_mimics(joints)
    for joint in joints:
        _, multiplier, offset = followed[joint.name]
        if not (abs(multiplier) <= LARGEST_NUMBER and abs(offset) <= LARGEST_NUMBER):
            raise ModelFileError(
                f"{_mimicry(joint, lines, source)}, in the end by a multiplier of {multiplier} and "
                f"an offset of {offset}; expected magnitudes up to {LARGEST_NUMBER:g}"
            )


def _mimicry(joint: Joint, lines: Mapping[str, int], source: str) -> str:
    leader = "" if joint.mimic is None else joint.mimic.joint
    where = f"{source}, line {lines[joint.name]}"
    return f"{where}: joint '{shown(joint.name)}' mimics '{shown(leader)}'"


def follow_mimics(joints: Sequence[Joint]) -> dict[str, tuple[str, float, float]]:
    """Return of each joint the independent one that it follows, multiplier and offset."""
    by_name = {joint.name: joint for joint in joints}
    followed: dict[str, tuple[str, float, float]] = {}
    for joint in joints:
        chain = []
        while joint.mimic is not None and joint.name not in followed:
            chain.append(joint)
            joint = by_name[joint.mimic.joint]
        leader, multiplier, offset = followed.setdefault(joint.name, (joint.name, 1.0, 0.0))
        for follower in reversed(chain):
            if follower.mimic is not None:
                offset = follower.mimic.multiplier * offset + follower.mimic.offset
                multiplier = follower.mimic.multiplier * multiplier
            followed[follower.name] = leader, multiplier, offset
    return followed
