# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Tracked points of an analysis: in its cycles, in the bag that it writes, and in its tables."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from input_recordings import write_inputs

from charmie_dynamics import CharmieError, Model
from charmie_dynamics.live.settings import LiveSettings
from charmie_dynamics.recordings import Analysis, AnalysisSettings, RecordedInputs, analyse, table
from charmie_dynamics.recordings.commands.options import main
from charmie_dynamics.recordings.compute.cycles import TRACKED
from charmie_dynamics.recordings.read.bag import Bag
from charmie_dynamics.recordings.write.export import BY_POINT
from charmie_dynamics.recordings.write.output_bag import OutputBag

SAMPLES = 60
GIVEN = ("tip:left_tool:0,0.02,0.1", "bar:lift_balance_left_bar")
FRAMES = {"tip": ("left_tool", (0.0, 0.02, 0.1)), "bar": ("lift_balance_left_bar", (0, 0, 0))}


def analysed(tmp_path: Path, model: Model, smoothing: str) -> Analysis:
    path = write_inputs(tmp_path / "in", model, SAMPLES)
    published = LiveSettings(tracked_points=GIVEN)
    settings = AnalysisSettings(smoothing=smoothing, tracked_points=GIVEN)
    with RecordedInputs(path) as bag, OutputBag(tmp_path / "out", model, published) as out:
        return analyse(model, bag, settings, out)


def vectors(part) -> list[float]:
    return [getattr(v, axis) for v in (part.linear, part.angular) for axis in "xyz"]


@pytest.mark.parametrize("smoothing", ["causal", "zero-phase"])
def test_points_move_as_those_of_the_cycles_states(
    tmp_path: Path, charmie: Model, smoothing: str
) -> None:
    analysis = analysed(tmp_path, charmie, smoothing)
    arrays = analysis.cycles.arrays
    inputs = (arrays[name] for name in ("position", "velocity", "acceleration"))
    batch = charmie.compute(*inputs)
    columns = table(charmie, analysis.cycles)
    with Bag(tmp_path / "out") as bag:
        for name, (frame, point) in FRAMES.items():
            motion = batch.motion(frame, point)
            for field in BY_POINT:
                for j, axis in enumerate("xyz"):
                    expected = getattr(motion, field)[:, j]
                    np.testing.assert_allclose(
                        columns[f"{name}.{field}_{axis}"], expected, rtol=1e-12, atol=1e-13
                    )
            stamps = analysis.cycles.stamps.tolist()
            twists = list(bag.messages(f"tracked_points/{name}/twist"))
            accels = list(bag.messages(f"tracked_points/{name}/accel"))
            assert bag.stamps(f"tracked_points/{name}/twist") == stamps
            assert bag.stamps(f"tracked_points/{name}/accel") == stamps
            numbers = arrays[TRACKED + name]
            assert [vectors(m.twist) for m in twists] == numbers[:, [3, 4, 5, 9, 10, 11]].tolist()
            assert [vectors(m.accel) for m in accels] == numbers[:, [6, 7, 8, 12, 13, 14]].tolist()
            assert abs(numbers[:, 3:6]).max() > 1e-3
            assert {m.header.frame_id for m in twists + accels} == {"odom"}


def test_cycles_with_other_points_than_the_messages_are_refused(
    tmp_path: Path, charmie: Model
) -> None:
    path = write_inputs(tmp_path / "in", charmie, 3)
    published = LiveSettings(tracked_points=GIVEN)
    settings = AnalysisSettings(tracked_points=("none",))
    with pytest.raises(CharmieError, match="the same tracked points as in the messages"):
        with RecordedInputs(path) as bag, OutputBag(tmp_path / "out", charmie, published) as out:
            analyse(charmie, bag, settings, out)


def exported(path: Path, *options: str) -> set[str]:
    target = path.with_suffix(".csv")
    assert main([str(path), "--export", str(target), "--quiet", *options]) == 0
    with target.open(encoding="utf-8") as file:
        return {name.split(".")[0] for name in next(csv.reader(file)) if "angular" in name}


def test_the_command_tracks_what_it_is_told(tmp_path: Path, charmie: Model) -> None:
    path = write_inputs(tmp_path / "in", charmie, 5)
    assert exported(path) == {"left_tool", "right_tool"}
    assert exported(path, "--track", *GIVEN) == {"tip", "bar"}
    assert exported(path, "--track", "none") == set()


def test_the_command_refuses_a_point_of_no_frame(
    tmp_path: Path, charmie: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_inputs(tmp_path / "in", charmie, 5)
    assert main([str(path), "--quiet", "--track", "tip:left_tol"]) == 1
    assert "frame 'left_tol' of 'tip' is unknown; did you mean 'left_tool'" in (
        capsys.readouterr().err
    )
