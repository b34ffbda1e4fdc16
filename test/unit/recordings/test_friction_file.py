# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The friction that is identified can be taken into a mechanisms file as it is written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from input_recordings import PERIOD, wave

from charmie_dynamics import Model, load_model
from charmie_dynamics.model.description.files import share_file
from charmie_dynamics.model.flat.friction_laws import TRANSITION, direction
from charmie_dynamics.recordings import Analysis, AnalysisSettings, friction_section
from charmie_dynamics.recordings.compute.analysis import conclude
from charmie_dynamics.recordings.compute.cycles import CycleCounts, StateSelection
from charmie_dynamics.recordings.compute.loads import LoadCounts
from charmie_dynamics.recordings.write.friction_file import write_friction

SAMPLES = 400
# viscous, Coulomb friction and offset by actuator
TRUE = {"lift_actuator": (300.0, 12.5, -2.0), "left_arm_joint_2": (2.5, 1.25e-5, 0.0)}
NEGATIVE = {"left_arm_joint_1": (-1.0, 0.5, 0.0), "right_arm_joint_2": (1.0, -0.5, 0.0)}
AT_REST = "base_x_joint"


def analysis_of(model: Model, friction: dict[str, tuple[float, float, float]]) -> Analysis:
    """Measured efforts of `wave`, those of the model and friction."""
    motion = wave(model, SAMPLES)
    for values in motion:
        values[:, [k for k, name in enumerate(model.actuator_names) if name == AT_REST]] = 0.0
    batch = model.compute(*motion)
    stamps = np.arange(1, SAMPLES + 1, dtype=np.int64) * PERIOD
    cycles = StateSelection(model, dynamics=True).of_batch(stamps, stamps, batch)
    measured = np.full(batch.position.shape, np.nan)
    for name, (viscous, coulomb, offset) in friction.items():
        i = model.actuator_names.index(name)
        v = batch.velocity[:, i]
        sign = direction(v, TRANSITION * max(float(np.abs(v).max()), 1e-9))
        measured[:, i] = batch.actuator_effort[:, i] + viscous * v + coulomb * sign + offset
    return conclude(model, AnalysisSettings(), cycles, CycleCounts(), LoadCounts(), measured)


@pytest.fixture(scope="module")
def section(charmie: Model) -> str:
    everything = {**TRUE, **NEGATIVE, AT_REST: (1.0, 1.0, 7.0)}
    return friction_section(analysis_of(charmie, everything), "some bag")


def test_a_mechanisms_file_takes_the_section(tmp_path: Path, section: str) -> None:
    path = tmp_path / "mechanisms.yaml"
    path.write_text(share_file("config", "charmie_mechanisms.yaml").read_text() + "\n" + section)
    friction = load_model(mechanisms=path).mechanisms.friction
    assert set(friction) == set(TRUE)
    for name, (viscous, coulomb, _) in TRUE.items():
        found = (friction[name].viscous, friction[name].coulomb)
        assert found == pytest.approx((viscous, coulomb), rel=1e-5)


def test_the_offset_is_a_comment_with_its_unit(section: str) -> None:
    (line,) = (line for line in section.splitlines() if "lift_actuator:" in line)
    assert line.endswith("; offset, left out: -2.0 N")


def test_what_no_mechanisms_file_takes_is_a_comment_that_says_why(section: str) -> None:
    lines = section.splitlines()
    for name in NEGATIVE:
        assert any(f"# {name}: viscous" in s and "expected none below zero" in s for s in lines)
    assert f"  # {AT_REST}: the motion does not separate viscous from Coulomb friction" in lines
    assert "  # neck_pan_joint: no effort was measured" in lines


def test_where_no_friction_can_be_taken_the_file_is_one_all_the_same(
    tmp_path: Path, charmie: Model
) -> None:
    path = tmp_path / "new" / "friction.yaml"
    write_friction(path, analysis_of(charmie, NEGATIVE), "some bag")
    model = load_model(share_file("urdf", "charmie.urdf"), path)
    assert not model.mechanisms.friction


def test_a_name_that_is_no_plain_yaml_stays_itself(tmp_path: Path) -> None:
    name = "yes: #1\u00e4"
    urdf = tmp_path / "arm.urdf"
    urdf.write_text(
        f'<robot name="a"><link name="base"/><link name="arm"><inertial><mass value="2"/>'
        '<origin xyz="0.5 0 0"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>'
        f'</inertial></link><joint name="{name}" type="continuous"><parent link="base"/>'
        '<child link="arm"/><axis xyz="0 1 0"/></joint></robot>',
        encoding="utf-8",
    )
    path = tmp_path / "friction.yaml"
    model = load_model(urdf)
    write_friction(path, analysis_of(model, {name: (2.0, 1.0, 0.0)}), "a\nb: \u00e4")
    assert set(load_model(urdf, path).mechanisms.friction) == {name}
