# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The identified robot as a URDF and a mechanisms file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np
import yaml

from charmie_dynamics.model.description.robot import JointFriction
from charmie_dynamics.model.equations.number_paths import INERTIA_AXES, INERTIALS, JOINTS
from charmie_dynamics.recordings.write.friction_file import friction_entry, line_of_entry
from charmie_dynamics.studies.robot_parameters.robot_files import (
    numbers_outside_urdf,
    rewritten_mechanisms,
    rewritten_urdf,
    with_scalar,
)

from .result import IdentificationResult, IdentifiedNumber
from .rotor_columns import ROTOR
from .spring_columns import JOINT_QUANTITIES, QUANTITIES
from .unknowns import COULOMB, VISCOUS

SAME = 1e-6  # of an inertial: smaller differences count as unchanged


def identified_urdf(result: IdentificationResult, source: str) -> str:
    """Return the URDF with the identified inertials, and friction of joints that loops move.

    Parameters
    ----------
    result : IdentificationResult
    source : str
        Source of the data, for a comment.

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.motions import make_motion
    >>> from charmie_dynamics.studies import identify, samples_of_motion
    >>> from charmie_dynamics.studies.identification.written_files import identified_urdf
    >>> model = load_model("scara")
    >>> time = np.arange(0.0, 20.0, 0.02)
    >>> _, *motion = make_motion("wave", model).sampled(time)
    >>> effort = 1.1 * model.compute(*motion).actuator_effort
    >>> result = identify(model, [samples_of_motion(model, time, motion, effort)])
    >>> identified_urdf(result, "wave").splitlines()[1]
    '<!-- Source of the inertials: identified from wave. Each body can be; only the combinations'
    """
    tree = result.model.tree
    numbers = inertial_numbers(result)
    outside = numbers_outside_urdf(tree, numbers)
    has_inertials = len(outside) < len(numbers)
    for name, friction in result.joint_friction.items():
        numbers[f"{JOINTS}.{name}.damping"] = _rounded(friction.viscous)
        numbers[f"{JOINTS}.{name}.friction"] = _rounded(friction.coulomb)
    text = rewritten_urdf(tree, numbers)
    if not has_inertials:
        return text
    heading, _, rest = text.partition("\n")
    comment = (
        f"<!-- Source of the inertials: identified from {_of_comment(source)}. Each body can be; "
        "only the combinations\n     in the report are determined, the shares of the single links "
        "are near those described. -->\n"
    )
    return f"{heading}\n{comment}{rest}"


def inertial_numbers(result: IdentificationResult) -> dict[str, float]:
    """Return the identified inertials that differ from those described, by their paths."""
    numbers: dict[str, float] = {}
    for name, inertial in result.inertials.items():
        link = result.model.tree.links[name].inertial
        if link is not None and (
            np.isclose(link.mass, inertial.mass, rtol=SAME)
            and np.allclose(link.p_link_com, inertial.p_link_com, rtol=SAME, atol=SAME)
            and np.allclose(link.inertia, inertial.inertia, rtol=SAME, atol=SAME * inertial.mass)
        ):
            continue
        numbers[f"{INERTIALS}.{name}.mass"] = inertial.mass
        for k, value in enumerate(inertial.p_link_com.tolist()):
            numbers[f"{INERTIALS}.{name}.com[{k}]"] = value
        for axes, place in INERTIA_AXES.items():
            numbers[f"{INERTIALS}.{name}.inertia.{axes}"] = float(inertial.inertia[place])
    return numbers


def identified_mechanisms(result: IdentificationResult, text: str, source: str) -> str:
    """Return the mechanisms file with identified friction and springs.

    Parameters
    ----------
    result : IdentificationResult
    text : str
        The mechanisms file of the described robot; empty without one.
    source : str
        Source of the data.
    """
    note = f"identified from {source}"
    text = text or f"robot: {json.dumps(result.model.name)}\n"
    sections = {part.name: section for section, part in result.model.mechanisms.parts()}
    numbers: dict[str, float] = {}
    for name, (stiffness, pretension) in result.springs.items():
        numbers[f"{sections[name]}.{name}.stiffness"] = _rounded(stiffness)
        numbers[f"{sections[name]}.{name}.pretension"] = _rounded(pretension)
    for name, (stiffness, rest) in result.joint_springs.items():
        numbers[f"joint_springs.{name}.stiffness"] = _rounded(stiffness)
        numbers[f"joint_springs.{name}.rest"] = _rounded(rest)
    numbers.update(numbers_outside_urdf(result.model.tree, inertial_numbers(result)))
    text = rewritten_mechanisms(text, numbers, tree=result.model.tree)
    laws = [(name, QUANTITIES) for name in result.springs]
    laws += [(name, JOINT_QUANTITIES) for name in result.joint_springs]
    for name, quantities in laws:
        entry: list[str | int] = [sections[name], name, "source"]
        text = with_scalar(text, entry, json.dumps(_of_spring(result, name, quantities)), name)
    if result.rotors:
        text = _without_section(text, "rotors") + "\n" + _rotors(result, source)
    friction = {**result.friction, **_friction_of_loop_joints(result)}
    if friction:
        text = _without_section(text, "friction") + "\n" + _friction(result, friction, source)
    groups = {
        "inertials": result.inertials,
        "springs": result.springs or result.joint_springs,
        "rotors": result.rotors,
        "friction": friction,
    }
    new_groups = [group for group, identified in groups.items() if identified]
    if "sources" in (yaml.safe_load(text) or {}):
        for group in new_groups:
            text = with_scalar(text, ["sources", group], json.dumps(note), "sources")
    else:
        lines = [f"  {group}: {json.dumps(note)}" for group in new_groups]
        text = "\n".join([text.rstrip("\n"), "", "sources:", *lines, ""])
    return text


def _friction_of_loop_joints(result: IdentificationResult) -> dict[str, JointFriction]:
    """Return the friction of loop joints with a coordinate, which the URDF does not have."""
    loops = {loop.name for loop in result.model.mechanisms.loop_joints}
    return {name: own for name, own in result.joint_friction.items() if name in loops}


def _friction(
    result: IdentificationResult, friction: Mapping[str, JointFriction], source: str
) -> str:
    """Return the section of the friction, with the intervals as comments."""
    lines = [
        f"# Identified from {_of_comment(source)}; +- is half of the interval of 95 %.",
        "# viscous: N m s/rad or N s/m; coulomb: N m or N",
        "friction:",
    ]
    kept = result.model.mechanisms.friction
    for name, own in {**kept, **friction}.items():
        entry = friction_entry(name, own.viscous, own.coulomb)
        if name not in friction:
            lines.append(f"  {entry}  # as described")
            continue
        numbers = [result.number(f"{name} {what}") for what in (VISCOUS, COULOMB)]
        lines.append(f"  {entry}  # {', '.join(map(_interval, numbers))}")
    return "\n".join(lines) + "\n"


def _rotors(result: IdentificationResult, source: str) -> str:
    """Return the section of the rotors, with the intervals as comments."""
    lines = [
        f"# Identified from {_of_comment(source)}; +- is half of the interval of 95 %, of the",
        "# reflected inertia: inertia * gear_ratio^2 (kg m^2 or kg)",
        "rotors:",
    ]
    for name, rotor in {**result.model.mechanisms.rotors, **result.rotors}.items():
        values = {"inertia": _rounded(rotor.inertia), "gear_ratio": rotor.gear_ratio}
        certain = _certainty(result, name, ROTOR) if name in result.rotors else "as described"
        lines.append(f"  {line_of_entry(name, values)}  # {certain}")
    return "\n".join(lines) + "\n"


def _of_spring(result: IdentificationResult, name: str, quantities: Sequence[str]) -> str:
    """Return the source of the numbers of a spring, and their certainty."""
    words = [_certainty(result, name, what) for what in quantities]
    return f"identified: {', '.join(words)} (95 %)"


def _certainty(result: IdentificationResult, name: str, what: str) -> str:
    """Return the combination that contains a parameter, with its interval."""
    columns = result.columns
    weights = columns.base.combination[:, columns.labels.index(f"{name} {what}")]
    if not weights.any():
        return f"{what} does not show"
    number = result.numbers[int(np.abs(weights).argmax())]
    subject = what if number.name == f"{name} {what}" else f"'{number.name}'"
    return f"{subject} {_interval(number)}"


def _interval(number: IdentifiedNumber) -> str:
    if not number.is_determined:
        return "not determined by the motion"
    return f"{number.estimate:.4g} +- {number.half_width:.2g} {number.unit}"


def _without_section(text: str, key: str) -> str:
    """Return YAML without one of its top entries."""
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    if not isinstance(node, yaml.MappingNode) or node.flow_style:
        return text
    for name, content in node.value:
        if name.value == key:
            end = text.find("\n", content.end_mark.index - 1)
            rest = text[end + 1 :] if end >= 0 else ""
            return text[: name.start_mark.index] + rest
    return text


def _rounded(value: float) -> float:
    return float(f"{value:.6g}")


def _of_comment(text: str) -> str:
    """Return a text in one line, with characters that comments of XML and YAML may contain."""
    return ascii(text)[1:-1].replace("--", "- -")
