"""Whether links and joints make one tree, and mimics lead to a joint that moves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from .errors import ModelFileError, choices, shown
from .robot import Joint, Link

Lines = Mapping[str, int]


def require_mimic_leaders(joints: Sequence[Joint], lines: Lines, source: str) -> None:
    """Check that each chain of mimics ends at a movable joint which mimics none.

    Parameters
    ----------
    joints : sequence of Joint
    lines : mapping of str to int
        Line of each joint in the file.
    source : str
        Name of the file, for messages.

    Raises
    ------
    ModelFileError
        For a leader that does not exist or is fixed, mimics in a ring.
    """
    by_name = {joint.name: joint for joint in joints}
    checked: set[str] = set()
    for joint in joints:
        chain: dict[str, Joint] = {}  # in the order of the walk
        while joint.mimic is not None and joint.name not in checked:
            chain[joint.name] = joint
            leader = by_name.get(joint.mimic.joint)
            subject = (
                f"{source}, line {lines[joint.name]}: joint '{shown(joint.name)}' mimics "
                f"'{shown(joint.mimic.joint)}'"
            )
            if leader is None:
                raise ModelFileError(
                    f"{subject}, which does not exist{choices(joint.mimic.joint, by_name)}"
                )
            if leader.type == "fixed":
                raise ModelFileError(f"{subject}, which is fixed; expected a movable joint")
            if leader.name in chain:
                names = list(chain)
                ring = " -> ".join(map(shown, names[names.index(leader.name) :][:10]))
                raise ModelFileError(f"{subject}, and so in the end itself: {ring}")
            joint = leader
        checked.update(chain)


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
        lost = next(name for name in links if name not in reached)
        raise ModelFileError(
            f"{source}, line {joint_lines[carriers[lost].name]}: link '{shown(lost)}' lies on a "
            "cycle of joints, expected a tree"
        )
    return root
