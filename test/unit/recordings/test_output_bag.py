# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from input_recordings import write_inputs
from recordings import MCAP, SQLITE

from charmie_dynamics import CharmieError, Model
from charmie_dynamics.model.description.files import share_file
from charmie_dynamics.numerics.rotations import quaternions_from_matrices
from charmie_dynamics.recordings import Analysis, AnalysisSettings, RecordedInputs, analyse
from charmie_dynamics.recordings.commands.plot_options import main as plot
from charmie_dynamics.recordings.read.bag import Bag, stamp_of
from charmie_dynamics.recordings.read.recorded_motion import read_motion
from charmie_dynamics.recordings.write.output_bag import OutputBag

SAMPLES = 60
EACH = ("actuator_efforts", "resolved_joint_states", "spring_forces", "base_wrench", "/tf",
        "stability")  # fmt: skip


def written(
    tmp_path: Path, model: Model, smoothing: str = "causal", storage: Any = MCAP, prefix: str = "/"
) -> tuple[Path, Analysis]:
    name = "sqlite3" if storage is SQLITE else "mcap"
    path = write_inputs(tmp_path / "in", model, SAMPLES, storage=storage)
    with (
        RecordedInputs(path) as bag,
        OutputBag(tmp_path / "out", model, storage=name, prefix=prefix) as out,
    ):
        analysis = analyse(model, bag, AnalysisSettings(smoothing=smoothing), out)
    return tmp_path / "out", analysis


@pytest.mark.parametrize("storage", [MCAP, SQLITE], ids=["mcap", "sqlite3"])
@pytest.mark.parametrize("smoothing", ["causal", "zero-phase"])
def test_messages_hold_the_computed_numbers(
    tmp_path: Path, charmie: Model, storage: Any, smoothing: str
) -> None:
    path, analysis = written(tmp_path, charmie, smoothing, storage)
    arrays = analysis.cycles.arrays
    with Bag(path) as bag:
        for topic in EACH:
            assert bag.stamps(topic) == analysis.cycles.stamps.tolist(), topic
        for k, message in enumerate(bag.messages("actuator_efforts")):
            assert tuple(message.name) == charmie.actuator_names
            assert message.header.frame_id == "odom"
            np.testing.assert_array_equal(message.position, arrays["position"][k])
            np.testing.assert_array_equal(message.velocity, arrays["velocity"][k])
            np.testing.assert_array_equal(message.effort, arrays["actuator_effort"][k])
        for k, message in enumerate(bag.messages("spring_forces")):
            assert tuple(message.name) == charmie.spring_names
            np.testing.assert_array_equal(message.effort, arrays["spring_tension"][k])
            assert len(message.velocity) == 0
        for k, message in enumerate(bag.messages("resolved_joint_states")):
            count = len(charmie.joint_names)
            assert tuple(message.name)[:count] == charmie.joint_names
            np.testing.assert_array_equal(message.position[:count], arrays["joint_position"][k])
        for k, message in enumerate(bag.messages("base_wrench")):
            force = message.wrench.force
            assert [force.x, force.y, force.z] == arrays["link_force"][k].tolist()


def test_transforms_are_the_poses_of_the_moving_frames(tmp_path: Path, charmie: Model) -> None:
    path, analysis = written(tmp_path, charmie)
    k = SAMPLES - 1
    arrays = analysis.cycles.arrays
    state = charmie.compute(*(arrays[name][k] for name in ("position", "velocity", "acceleration")))
    with Bag(path) as bag:
        *_, message = bag.messages("/tf")
        (static,) = bag.messages("/tf_static")
    assert not {t.child_frame_id for t in message.transforms} & {
        t.child_frame_id for t in static.transforms
    }
    children = {t.child_frame_id for m in (message, static) for t in m.transforms}
    assert children | {"odom"} >= set(charmie.frame_names)
    quaternion = np.empty((1, 4))
    for transform in message.transforms:
        assert stamp_of(transform.header) == analysis.cycles.stamps[k]
        i = charmie.frame_names.index(transform.child_frame_id)
        t, q = transform.transform.translation, transform.transform.rotation
        assert [t.x, t.y, t.z] == state.kinematics.p_parent_frame[i].tolist()
        quaternions_from_matrices(state.kinematics.R_parent_frame[i : i + 1].copy(), quaternion)
        assert [q.x, q.y, q.z, q.w] == quaternion[0].tolist()


def test_other_commands_read_it(tmp_path: Path, charmie: Model) -> None:
    path, _ = written(tmp_path, charmie)
    arguments = [str(path), "--output", str(tmp_path / "plots"), "--format", "svg"]
    assert plot(arguments) == 0
    # what is not to be judged is not drawn
    for topic in ("efforts", "base_load", "stability"):
        text = (tmp_path / "plots" / f"{topic}.svg").read_text(encoding="utf-8")
        assert "without 14 samples at which the estimates settled" in text, topic
    with Bag(path) as bag:
        motion = read_motion(bag)
    assert np.flatnonzero(~motion.judged).tolist() == list(range(14))


def test_namespace_of_the_inputs_is_kept(tmp_path: Path, charmie: Model) -> None:
    path, _ = written(tmp_path, charmie, prefix="/left/")
    with Bag(path) as bag:
        assert {"/left/actuator_efforts", "/left/robot_description", "/tf"} <= set(bag.topics)
        (description,) = bag.messages("robot_description")
    assert description.data == share_file("urdf", "charmie.urdf").read_text()


def test_an_existing_folder_is_not_touched(tmp_path: Path, charmie: Model) -> None:
    with pytest.raises(CharmieError, match="exists"):
        OutputBag(tmp_path, charmie)


def test_an_error_leaves_no_half_bag(tmp_path: Path, charmie: Model) -> None:
    with pytest.raises(ZeroDivisionError), OutputBag(tmp_path / "out", charmie):
        raise ZeroDivisionError
    assert not (tmp_path / "out").exists()
