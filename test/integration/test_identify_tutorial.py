# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The tutorial on identification: from the proposed motion over a recording to the files."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import numpy as np
import pytest
from graph import Checker
from node_process import start_node

from charmie_dynamics import Model, load_model
from charmie_dynamics.model.description.files import share_file
from charmie_dynamics.studies.commands.identify_options import main

PAGE = Path(__file__).resolve().parents[2] / "docs" / "identification.md"
HEAVIER = 1.1
DURATION = 20.0  # s
SPEED = 4.0


def heavier(urdf: str) -> str:
    """Return the robot with all masses and moments of inertia a tenth larger."""
    return re.sub(
        r'(<mass value|ixx|ixy|ixz|iyy|iyz|izz)="([^"]+)"',
        lambda found: f'{found[1]}="{HEAVIER * float(found[2])!r}"',
        urdf,
    )


@pytest.fixture(scope="module")
def described() -> Path:
    return share_file("robots", "scara.urdf")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory, described: Path) -> Path:
    """Propose a motion, record the simulated robot that follows it, and identify it."""
    folder = tmp_path_factory.mktemp("identify")
    motion, true = folder / "exciting.csv", folder / "true.urdf"
    robot = ["--urdf", str(described), "--quiet"]
    assert (
        main(["--propose", str(motion), "--duration", str(DURATION), "--rounds", "2", *robot]) == 0
    )
    true.write_text(heavier(described.read_text(encoding="utf-8")), encoding="utf-8")
    simulated = {"model": str(true), "motion": str(motion), "loop": False, "paused": False,
                 "speed": SPEED, "angle_resolution": 1e-5}  # fmt: skip
    with (
        start_node("recorder", folder, {"output": str(folder / "bag")}) as recorder,
        Checker(("joint_states",)) as checker,
    ):
        listeners = checker.node.get_subscriptions_info_by_topic
        checker.wait_for(
            lambda: "recorder" in {info.node_name for info in listeners("/joint_states")},
            "the recorder",
            timeout=60.0,
        )
        with start_node("simulator_node", folder, simulated) as simulator:
            samples = checker.received["joint_states"]
            count = int(100.0 * DURATION)
            checker.wait_for(lambda: len(samples) >= count, "the motion", timeout=120.0)
            simulator.wait_for_output("motion ended at t = 20 s")
            count += 600  # a rest, with another report of the simulator
            checker.wait_for(lambda: len(samples) >= count, "the rest", timeout=120.0)
            assert simulator.output().count("motion ended") == 1
        recorder.send_signal(signal.SIGINT)
        recorder.wait()
    out = folder / "found"
    assert main([str(folder / "bag"), "--out", str(out), *robot]) == 0
    return out


def test_the_files_of_the_table_are_written(results: Path) -> None:
    tutorial = PAGE.read_text(encoding="utf-8").split("\n## Computation\n")[0]
    rows = re.findall(r"^\| `([\w.]+)`", tutorial, re.MULTILINE)
    assert len(rows) == 5
    assert set(rows) <= {path.name for path in results.iterdir()}


def test_the_identified_robot_needs_the_efforts_of_the_true_one(
    results: Path, described: Path
) -> None:
    before, after = load_model(described), load_model(results / "identified.urdf")
    rng = np.random.default_rng(3)
    motion = rng.normal(size=(3, 200, len(before.actuator_names)))

    def effort(model: Model) -> np.ndarray:
        return model.compute(*motion).actuator_effort

    true = HEAVIER * effort(before)
    error = np.abs(effort(after) - true).max(axis=0) / np.abs(true).max(axis=0)
    assert (error < 0.03).all(), error
