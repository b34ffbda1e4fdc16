# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Tree of links and joints: whether it is one, and its root."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from charmie_dynamics.errors import ModelFileError, shown

from .robot import Joint, Link

Lines = Mapping[str, int]


def find_root(
    links: Mapping[str, Link],
    joints: Sequence[Joint],
    link_lines: Lines,
    joint_lines: Lines,
    source: str,
) -> str:
    """Return the link that is the child of no joint.

    Parameters
    ----------
    links : mapping of str to Link
    joints : sequence of Joint
        Between links that exist.
    link_lines, joint_lines : mapping of str to int
        Lines in the file.
    source : str
        Name of the file, for messages.

    Raises
    ------
    ModelFileError
        If a link has two parents, there is not just one root, or a link lies on a cycle.
    """
    carriers: dict[str, Joint] = {}
    counts = Counter(joint.child for joint in joints)
    for joint in joints:
        first = carriers.setdefault(joint.child, joint)
        if first is not joint:
            raise ModelFileError(
                f"{source}, line {joint_lines[joint.name]}: link '{shown(joint.child)}' is the "
                f"child of {counts[joint.child]} joints, the first on line "
                f"{joint_lines[first.name]}; expected at most 1"
            )
    roots = [name for name in links if name not in carriers]
    if not roots:
        line = joint_lines[joints[0].name]
        raise ModelFileError(
            f"{source}, line {line}: expected one root link (child of no joint), got 0: the joints "
            "form a cycle"
        )
    if len(roots) > 1:
        named = ", ".join(shown(name) for name in roots[:5]) + (", ..." if len(roots) > 5 else "")
        raise ModelFileError(
            f"{source}, line {link_lines[roots[1]]}: expected one root link (child of no joint), "
            f"got {len(roots)}: {named}"
        )
    (root,) = roots
    successors: dict[str, list[str]] = {}
    for joint in joints:
        successors.setdefault(joint.parent, []).append(joint.child)
    reached, pending = {root}, [root]
    while pending:
        following = successors.get(pending.pop(), [])
        reached.update(following)
        pending.extend(following)
    if len(reached) < len(links):
        link = next(name for name in links if name not in reached)
        walked: set[str] = set()
        while link not in walked:  # up to the cycle that it hangs on
            walked.add(link)
            link = carriers[link].parent
        raise ModelFileError(
            f"{source}, line {joint_lines[carriers[link].name]}: link '{shown(link)}' lies on a "
            "cycle of joints, expected a tree"
        )
    return root
