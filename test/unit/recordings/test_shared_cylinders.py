# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Recordings of a robot with several linear actuators on one joint."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from cranes import shared_crane
from test_closed_loop_recordings import TIME

from charmie_dynamics import load_model
from charmie_dynamics.live.cycle_messages import CylinderMessages
from charmie_dynamics.live.settings import DEFAULTS, LiveSettings
from charmie_dynamics.recordings import AnalysisSettings, analyse, table
from charmie_dynamics.recordings.commands.plot_options import main as plot
from charmie_dynamics.recordings.compute.cylinders import cylinder_arrays
from charmie_dynamics.recordings.read.bag import Bag, stamp_of
from charmie_dynamics.recordings.read.columns import read_table_format
from charmie_dynamics.recordings.read.tabular import TabularRecording
from charmie_dynamics.recordings.write.charts import chart_computed_efforts
from charmie_dynamics.recordings.write.output_bag import OutputBag

SHARED = ("left_boom", "right_boom")
COLUMNS = ("cylinder_length", "cylinder_velocity", "cylinder_effort")


def texts_of(path: Path) -> set[str]:
    """Return the texts of an SVG."""
    root = ElementTree.parse(path).getroot()
    return {"".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")}


@pytest.mark.parametrize("smoothing", ["causal", "zero-phase"])
def test_each_cylinder_has_its_own_columns_messages_and_curve(
    tmp_path: Path, smoothing: str
) -> None:
    urdf, mechanisms = shared_crane(tmp_path)
    model = load_model(urdf, mechanisms)
    boom, slew = model.zero_position()
    values = boom + 0.05 * np.sin(3.0 * TIME), slew + 0.2 * np.sin(2.0 * TIME)
    names = ", ".join(model.actuator_names)
    (tmp_path / "format.yaml").write_text(f"joints: [{names}]\ntime: t\nposition: [p, q]\n")
    rows = [",".join(map(repr, map(float, row))) for row in zip(TIME, *values, strict=True)]
    (tmp_path / "table.csv").write_text("\n".join(["t,p,q", *rows]))
    recording = TabularRecording(
        tmp_path / "table.csv", read_table_format(tmp_path / "format.yaml"), ()
    )
    settings = AnalysisSettings(smoothing=smoothing)
    with OutputBag(tmp_path / "out", model) as out:
        analysis = analyse(model, recording, settings, out)
    cycles = analysis.cycles
    arrays, columns = cycles.arrays, table(model, cycles)
    assert not any(name.startswith("slew_joint.cylinder") for name in columns)
    with Bag(tmp_path / "out") as bag:
        messages = list(bag.messages("cylinder_efforts"))
    assert [stamp_of(message.header) for message in messages] == cycles.stamps.tolist()
    for k in (0, 150, len(messages) - 1):
        given = (arrays[name][k] for name in ("position", "velocity", "acceleration"))
        state, message = model.compute(*given), messages[k]
        fields = (
            (state.linear_actuator_length, message.position),
            (state.linear_actuator_velocity, message.velocity),
            (state.linear_actuator_effort, message.effort),
        )
        assert tuple(message.name) == SHARED
        for column, (expected, sent) in zip(COLUMNS, fields, strict=True):
            found = [columns[f"{name}.{column}"][k] for name in SHARED]
            assert found == pytest.approx([expected[name] for name in SHARED], abs=1e-9)
            np.testing.assert_array_equal(sent, found)
    share = columns["left_boom.cylinder_effort"] / columns["left_boom.effort"]
    assert share == pytest.approx(np.full(len(share), 0.7))

    rows = {row.name: row for row in analysis.summaries}
    assert [*rows] == [*SHARED, "slew_joint"]
    for name, rated in zip(SHARED, (700.0, 500.0), strict=True):
        force = columns[f"{name}.cylinder_effort"][cycles.settled]
        assert abs(rows[name].peak_effort) == abs(force).max() > 0.0
        assert (rows[name].joint, rows[name].rated_effort) == ("boom_joint", rated)

    options = ["--mechanisms", mechanisms, "--format", "svg", "--topics", "efforts"]
    assert plot([str(tmp_path / "out"), *options, "--output", str(tmp_path)]) == 0
    assert {"left (±700)", "right (±500)"} <= texts_of(tmp_path / "efforts.svg")
    chart_computed_efforts(tmp_path / "computed.svg", model, cycles)
    assert {"left (±700)", "right (±500)"} <= texts_of(tmp_path / "computed.svg")
    actuators = {name: array for name, array in arrays.items() if name not in COLUMNS}
    chart_computed_efforts(tmp_path / "alone.svg", model, cycles._replace(arrays=actuators))
    assert not {"left (±700)", "right (±500)"} & texts_of(tmp_path / "alone.svg")


def test_without_loads_there_is_no_message(tmp_path: Path) -> None:
    model = load_model(*shared_crane(tmp_path))
    assert CylinderMessages(model, LiveSettings(compute_dynamics=False)).shared == []
    assert CylinderMessages(model, DEFAULTS).shared == [0, 1]


def test_changed_efforts_change_the_forces_of_all_cylinders(tmp_path: Path) -> None:
    """As contacts with the floor change them."""
    model = load_model(*shared_crane(tmp_path))
    state = model.compute([model.zero_position()])
    names = ("joint_position", "joint_velocity", "actuator_effort")
    arrays = {name: np.array(getattr(state, name)) for name in names}
    before = cylinder_arrays(model, arrays)["cylinder_effort"]
    arrays["actuator_effort"] *= 1.5
    np.testing.assert_allclose(cylinder_arrays(model, arrays)["cylinder_effort"], 1.5 * before)
    assert abs(before).min() > 1.0
