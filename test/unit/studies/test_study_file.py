# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Study files: what they say, and each message of what they must not say."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from study_texts import TORSO, study_of, text_of

from charmie_dynamics import ModelFileError
from charmie_dynamics.studies import read_study
from charmie_dynamics.studies.design.study_file import METHODS

PATH = "springs.torso_spring.stiffness"


def test_a_study_begins_with_the_robot_as_it_is() -> None:
    study = study_of(
        variables=(
            f"{TORSO}\n"
            "free: {path: springs.torso_spring.free_length, steps: [0.1, 0.15, 0.19]}\n"
            "lift: {paths: {balance_mechanisms.lift_balance_left.stiffness: 2, "
            "balance_mechanisms.lift_balance_right.stiffness: 1}, bounds: [10, 1000]}"
        )
    )
    # in the files: 4200, 0.18 (the nearest step), 300 by its factor of 2
    np.testing.assert_array_equal(study.start, [4200.0, 0.19, 150.0])
    assert study.evaluator.space.numbers(study.start) == {
        PATH: 4200.0,
        "springs.torso_spring.free_length": 0.19,
        "balance_mechanisms.lift_balance_left.stiffness": 300.0,
        "balance_mechanisms.lift_balance_right.stiffness": 150.0,
    }


def test_a_method_has_its_defaults_and_what_is_given() -> None:
    study = study_of(methods="[grid, {local: 2}, {global: {population: 7}}]")
    assert [(call.name, dict(call.options)) for call in study.methods] == [
        ("grid", METHODS["grid"]),
        ("local", {**METHODS["local"], "starts": 2}),
        ("global", {**METHODS["global"], "population": 7}),
    ]


def test_weights_limits_and_motions_are_read() -> None:
    study = study_of(
        motions="wave: {named: wave, rate: 5, duration: 4}\nany: {random: 3, duration: 2, rate: 5}",
        objectives="torso: {peak: torso_actuator, weight: 2, motions: [any]}\n"
        "margin: {margin: true, maximise: true}",
        constraints="tension: {spring_tension: torso_spring, min: 1, max: 600}",
    )
    torso, margin = study.objectives
    assert (torso.weight, torso.sign, torso.quantity.motions) == (2.0, 1.0, ("any",))
    assert (margin.weight, margin.sign) == (1.0, -1.0)
    assert study.constraints[0][1:] == (1.0, 600.0)
    assert [len(motion) for motion in study.evaluator.motions] == [20, 10]


def test_files_are_looked_for_beside_the_study(tmp_path: Path, data: Path) -> None:
    for name in ("crane.urdf", "crane.yaml"):
        (tmp_path / name).write_bytes((data / name).read_bytes())
    text = text_of(
        "urdf: crane.urdf\nmechanisms: crane.yaml",
        variables="g: {path: 'gravity[2]', bounds: [-10, -1]}",
        motions="any: {random: 1, duration: 1, rate: 5}",
        objectives="o: {mass: true}",
    )
    (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
    study = read_study(tmp_path / "study.yaml")
    assert study.mechanisms_text == (data / "crane.yaml").read_text(encoding="utf-8")
    assert study.evaluator.evaluate(study.start).values[0] == study.evaluator.base.total_mass


FAULTS = {
    "a path that leads nowhere": (
        {"variables": "k: {path: springs.torso_spring.stifness, bounds: [1, 2]}"},
        r"line 2: variables.k: 'springs.torso_spring.stifness' leads to no number of the robot.*"
        r"springs.torso_spring.stiffness",
    ),
    "bounds reversed": (
        {"variables": f"k: {{path: {PATH}, bounds: [9000, 1000]}}"},
        r"line 2: variables.k: .*expected bounds \[lower, upper\], got \[9000, 1000\]",
    ),
    "a path and a list": (
        {"variables": f"k: {{path: {PATH}, list: {{a: [1]}}}}"},
        "expected one of path, paths and list, got path and list",
    ),
    "no bounds": ({"variables": f"k: {{path: {PATH}}}"}, "expected bounds or steps"),
    "a factor of zero": (
        {"variables": f"k: {{paths: {{{PATH}: 0}}, bounds: [1, 2]}}"},
        "expected a factor other than 0",
    ),
    "a number that two variables set": (
        {"variables": f"a: {{path: {PATH}, bounds: [1, 2]}}\nb: {{path: {PATH}, bounds: [1, 2]}}"},
        f"line 3: variables.b: '{PATH}' is set by 'a', too",
    ),
    "columns of two lengths": (
        {"variables": f"k: {{list: {{{PATH}: [1, 2], kg: [1]}}}}"},
        f"expected columns of one length, got {PATH}: 2, kg: 1",
    ),
    "a list without a path": (
        {"variables": "k: {list: {kg: [1, 2]}}"},
        "expected a column that is a path of a number",
    ),
    "a column that leads nowhere": (
        {"variables": "k: {list: {springs.torso.stiffness: [1, 2]}}"},
        "'springs.torso.stiffness' leads to no number",
    ),
    "bounds beside a list": (
        {"variables": f"k: {{list: {{{PATH}: [1, 2]}}, bounds: [1, 2]}}"},
        "expected no bounds beside a list",
    ),
    "two kinds in one objective": (
        {"objectives": "o: {peak: torso_actuator, rms: torso_actuator}"},
        "line 6: objectives.o: expected one quantity .*, got peak and rms",
    ),
    "an unknown kind": ({"objectives": "o: {peek: torso_actuator}"}, "peek"),
    "an unknown actuator": (
        {"objectives": "o: {peak: torso}"},
        "'o': actuator 'torso' is unknown.*torso_actuator",
    ),
    "motions that are not in the study": (
        {"objectives": "o: {peak: torso_actuator, motions: [wav]}"},
        "'o': expected motions of the study, wave; got wav",
    ),
    "a constraint without limits": (
        {"constraints": "c: {peak: torso_actuator}"},
        "constraints.c: expected min, max or both",
    ),
    "limits reversed": (
        {"constraints": "c: {peak: torso_actuator, min: 3, max: 2}"},
        r"expected min, max or both with min <= max, got \[3, 2\]",
    ),
    "a name for two": (
        {"constraints": "torso: {rms: torso_actuator, max: 3}"},
        "constraints.torso: an objective has this name, too",
    ),
    "an unknown motion": ({"motions": "m: {named: waves}"}, "waves.*'wave'"),
    "two sources of a motion": (
        {"motions": "m: {named: wave, random: 1}"},
        "line 4: motions.m: expected one of named, bag, random and world, got named and random",
    ),
    "a rate of a recording": (
        {"motions": "m: {bag: b, rate: 3}"},
        "expected no rate beside bag",
    ),
    "no such recording": ({"motions": "m: {bag: nowhere}"}, "motions.m: .*nowhere"),
    "a motion beyond the limits": (
        {"motions": "m: {named: paper_5s, rate: 20}"},
        r"actuator 'left_gripper_joint' is at -[0-9.]+ after [0-9.]+ s, beyond its limits -0.8 to "
        r"0, and so in [0-9]+ of 100 samples; .*`beyond_limits: true`",
    ),
    "an unknown method": ({"methods": "[{locl: 3}]"}, "methods.0: 'locl' is no method.*local"),
    "an unknown option of a method": (
        {"methods": "[{local: {start: 3}}]"},
        "local has no option 'start'.*starts",
    ),
    "no whole number": (
        {"methods": "[{sobol: 2.5}]"},
        "sobol: samples: expected a whole number above 0, got 2.5",
    ),
    "no methods": ({"methods": "[]"}, "methods"),
    "an unknown section": ({"variable": "x: 1"}, "variable"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named_with_its_line(fault: str) -> None:
    parts, message = FAULTS[fault]
    with pytest.raises(ModelFileError, match=re.compile(message, re.DOTALL)) as caught:
        study_of(**parts)
    assert re.match(r"study(, line [0-9]+)?: ", str(caught.value))


def test_a_motion_may_go_beyond_limits_where_the_study_says_so() -> None:
    study = study_of(motions="m: {named: paper_5s, rate: 20, beyond_limits: true}")
    assert len(study.evaluator.motions[0]) == 100


def test_the_share_of_rated_needs_a_rated_effort(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(
        '<robot name="arm"><link name="base"/><link name="arm"/><joint name="elbow" '
        'type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>'
        "</robot>",
        encoding="utf-8",
    )
    with pytest.raises(ModelFileError, match="actuator 'elbow' has no rated effort"):
        study_of(
            f"urdf: {path}",
            variables="g: {path: 'gravity[2]', bounds: [-10, -1]}",
            objectives="o: {share_of_rated: elbow}",
        )
