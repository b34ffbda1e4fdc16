# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The examples that read a recording: what they print is what was recorded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from input_recordings import wave, write_inputs
from walking_recordings import write_walk

from charmie_dynamics import Model, load_model
from charmie_dynamics.motions import LeggedWalk

SAMPLES = 300
VISCOUS, COULOMB = 3.0, 2.0
WEIGHT = 63.06  # N, of the hexapod
MOVED = "left_arm_joint_2"
Run = Callable[..., tuple[dict[str, Any], str]]


def write_with_friction(folder: Path, robot: Model, samples: int) -> Path:
    """Write the inputs of `wave`, with the efforts of drives that have friction."""
    position, velocity, acceleration = wave(robot, samples)
    effort = robot.compute(position, velocity, acceleration).actuator_effort
    measured = effort + VISCOUS * velocity + COULOMB * np.sign(velocity)
    return write_inputs(folder, robot, samples, effort=measured)


@pytest.fixture(scope="module")
def recording(charmie: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_with_friction(tmp_path_factory.mktemp("example") / "bag", charmie, SAMPLES)


def test_a_data_frame_has_the_efforts_of_the_recorded_motion(
    run_example: Run, charmie: Model, recording: Path
) -> None:
    pytest.importorskip("pandas", reason="pandas is missing, which makes data frames")
    found, text = run_example("recording_to_data_frame.py", str(recording))
    frame, efforts = found["frame"], found["efforts"]
    assert text.startswith(f"{SAMPLES} cycles, {len(frame.columns)} columns, 2.99 s")
    assert set(charmie.actuator_names) <= set(efforts.columns)
    true = charmie.compute(*wave(charmie, SAMPLES)).actuator_effort
    inner = slice(20, -20)
    for k, name in enumerate(charmie.actuator_names):
        error = efforts[name].to_numpy()[inner] - true[inner, k]
        assert np.abs(error).max() < 0.01 * np.abs(true[:, k]).max() + 1e-3, name


def test_the_feet_of_a_recorded_walk_bear_the_weight(run_example: Run, tmp_path: Path) -> None:
    model = load_model("athena")
    plan = LeggedWalk(model, "tripod")
    times = 1.0 + np.arange(100) * 0.01
    motion = [np.array(part) for part in zip(*(plan.whole(t) for t in times), strict=True)]
    bag = write_walk(tmp_path / "walk", model, (motion[0], motion[1]))
    found, text = run_example("contact_forces_of_a_recording.py", str(bag))
    assert "leg_1_foot" in text
    total = sum(found["normal"].values())
    assert total.mean() == pytest.approx(WEIGHT, rel=0.02)


def test_masses_and_friction_are_identified(
    run_example: Run, charmie: Model, tmp_path: Path
) -> None:
    pytest.importorskip("scipy", reason="SciPy is missing, with which robots are identified")
    recording = write_with_friction(tmp_path / "bag", charmie, 4 * SAMPLES)
    found, text = run_example("masses_from_a_recording.py", str(recording))
    number = found["result"].number(f"{MOVED} viscous")
    assert abs(number.written - VISCOUS) < number.half_width + 0.1 * VISCOUS
    (line,) = (line for line in text.splitlines() if line.startswith(f"{MOVED} off by"))
    before, after = (float(line.split()[k].rstrip(",")) for k in (3, 5))
    assert after < 0.3 * before


def test_a_recording_without_measured_efforts_says_so(
    run_example: Run, charmie: Model, tmp_path: Path
) -> None:
    silent = write_inputs(tmp_path / "bag", charmie, 20)
    said = "no effort of an actuator was measured in 20 samples"
    with pytest.raises(SystemExit, match=said):
        run_example("masses_from_a_recording.py", str(silent))
