# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A new type of mechanism is one file in each of three folders and one line in the registry.

It is added to a copy of the package as CONTRIBUTING.md says, with the files of `new_mechanism`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import charmie_dynamics
from charmie_dynamics.numerics.jit import HAS_NUMBA

PACKAGE = Path(charmie_dynamics.__file__).resolve().parent
FILES = Path(__file__).with_name("new_mechanism")
FOLDERS = {
    "kernels.py": "core/mechanisms",
    "description.py": "model/description/mechanisms",
    "drawing.py": "visual/scene/mechanisms",
}
LAST_LINE = '    "balance_mechanisms",\n'
URDF = """<robot name="arm">
  <link name="stand"/>
  <link name="upper_arm"><inertial><mass value="2"/><origin xyz="0.2 0 0.1"/>
    <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="forearm"><inertial><mass value="1"/><origin xyz="0.1 0.05 0"/>
    <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="slider"><inertial><mass value="0.5"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="stand"/><child link="upper_arm"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="50" velocity="3"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper_arm"/><child link="forearm"/>
    <origin xyz="0.4 0 0" rpy="0.3 0.1 0.2"/><axis xyz="0 0.6 0.8"/>
    <limit lower="-2" upper="2" effort="30" velocity="3"/></joint>
  <joint name="hand" type="prismatic"><parent link="forearm"/><child link="slider"/>
    <origin xyz="0.2 0 0"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="0.2" effort="30" velocity="1"/></joint>
</robot>
"""
MECHANISMS = """torsion_springs:
  elbow_spring:
    joint: elbow
    stiffness: 12
    rest_position: -0.25
"""
STIFFNESS, REST = 12.0, -0.25
POSITION, VELOCITY, ACCELERATION = [0.4, 0.7, 0.1], [0.5, -1.0, 0.2], [1.0, 2.0, -3.0]
SCRIPT = """
import json, sys
from charmie_dynamics import load_model
from charmie_dynamics.numerics.jit import count_compilations
model, bare = load_model("arm.urdf", "arm.yaml"), load_model("arm.urdf", "none.yaml")
sample = json.loads(sys.argv[1])
with_spring, without = model.compute(*sample), bare.compute(*sample)
batch = model.compute(*([row, row, row] for row in sample))
from charmie_dynamics.simulation import simulate
from charmie_dynamics.visual.scene import Scene, visible_shapes
scene = Scene(model)
shown = lambda position: {
    shape.frame: shape.points.tolist()
    for shape in visible_shapes(scene.shapes, scene.update(model.compute(position)))
    if shape.namespace == "torsion_springs"
}
print(json.dumps({
    "joints": model.joint_names,
    "effort": with_spring.actuator_effort.tolist(),
    "effort without": without.actuator_effort.tolist(),
    "base force": [s.base_wrench[0].tolist() for s in (with_spring, without)],
    "base torque": [s.base_wrench[1].tolist() for s in (with_spring, without)],
    "torque": with_spring.dynamics.torsion_spring_torque.tolist(),
    "place": with_spring.block[model.layout.index("torsion_spring_torque")].tolist(),
    "efforts of the batch": batch.actuator_effort.tolist(),
    "torques of the batch": batch.dynamics.torsion_spring_torque.tolist(),
    "energy": [m.energy(sample[0]).elastic for m in (model, bare)],
    "energy error": abs(simulate(model, *sample[:2], 0.1).energy.error).max(),
    "shapes": [shown(sample[0]), shown([0.4, 0.0, 0.1])],
    "compiled": count_compilations()[0],
}))
"""
REFUSED = {
    "value of the wrong kind": (
        "stiffness: 12",
        "stiffness: stiff",
        ["arm.yaml, line 4: torsion_springs.elbow_spring.stiffness: 'stiff'", "number"],
    ),
    "value out of range": (
        "stiffness: 12",
        "stiffness: -1",
        ["arm.yaml, line 4: torsion_springs.elbow_spring.stiffness: -1"],
    ),
    "unknown key": (
        "rest_position:",
        "rest_positon:",
        ["arm.yaml, line 5: torsion_springs.elbow_spring", "did you mean 'rest_position'"],
    ),
    "unknown joint": (
        "joint: elbow",
        "joint: elbw",
        ["arm.yaml, line 3: 'elbw'", "did you mean 'elbow'"],
    ),
    "joint that does not turn": (
        "joint: elbow",
        "joint: hand",
        ["arm.yaml, line 2: torsion spring 'elbow_spring': expected a revolute joint", "'hand'"],
    ),
}
READ = """
import sys
from charmie_dynamics import ModelFileError, load_model
for path in sys.argv[1:]:
    try:
        load_model("arm.urdf", path)
    except ModelFileError as error:
        print(str(error).replace(path, "arm.yaml"))
"""


@pytest.fixture(scope="module")
def install(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with the new type, and a robot with a mechanism of it."""
    folder = tmp_path_factory.mktemp("install")
    package = folder / "charmie_dynamics"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    for file, where in FOLDERS.items():
        shutil.copy(FILES / file, package / where / "torsion_springs.py")
    registry = package / "core" / "mechanisms" / "registry.py"
    text = registry.read_text(encoding="utf-8")
    assert LAST_LINE in text
    line = '    "torsion_springs",\n'
    registry.write_text(text.replace(LAST_LINE, LAST_LINE + line), encoding="utf-8")
    (folder / "arm.urdf").write_text(URDF, encoding="utf-8")
    (folder / "arm.yaml").write_text(MECHANISMS, encoding="utf-8")
    (folder / "none.yaml").write_text("", encoding="utf-8")
    return folder


def run(install: Path, script: str, *arguments: str, is_compiled: bool) -> str:
    paths = [str(install), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(path for path in paths if path),
        "NUMBA_CACHE_DIR": str(install / "cache"),
        "NUMBA_DISABLE_JIT": "0" if is_compiled else "1",
    }
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        cwd=install,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def results(install: Path, is_compiled: bool) -> dict[str, Any]:
    sample = json.dumps([POSITION, VELOCITY, ACCELERATION])
    found: dict[str, Any] = json.loads(run(install, SCRIPT, sample, is_compiled=is_compiled))
    return found


def require_right(found: dict[str, Any]) -> None:
    """Check efforts, loads and drawing of the spring."""
    torque = STIFFNESS * (POSITION[1] - REST)
    assert found["joints"] == ["shoulder", "elbow", "hand"]
    added = [a - b for a, b in zip(found["effort"], found["effort without"], strict=True)]
    assert added == pytest.approx([0.0, torque, 0.0], abs=1e-12)
    assert found["torque"] == found["place"] == pytest.approx([-torque], rel=1e-14)
    # the two ends of the spring are inside the robot
    for name in ("base force", "base torque"):
        with_spring, without = found[name]
        assert with_spring == pytest.approx(without, abs=1e-12)
    assert found["efforts of the batch"] == [found["effort"]] * 3
    assert found["torques of the batch"] == [found["torque"]] * 3
    assert found["energy"] == pytest.approx([0.5 * STIFFNESS * (POSITION[1] - REST) ** 2, 0.0])
    assert found["energy error"] < 1e-4
    turned, straight = found["shapes"]
    assert set(turned) == set(straight) == {"forearm"}
    assert turned["forearm"] != straight["forearm"]


def test_new_type_has_its_efforts_and_its_drawing(install: Path) -> None:
    require_right(results(install, is_compiled=False))


@pytest.mark.skipif(not HAS_NUMBA, reason="numba is not there or switched off")
def test_new_type_is_compiled_once_and_then_loaded(install: Path) -> None:
    first = results(install, is_compiled=True)
    require_right(first)
    assert first["compiled"] > 0
    second = results(install, is_compiled=True)
    assert second["compiled"] == 0
    assert second["effort"] == first["effort"]


def test_entries_of_the_new_type_are_checked_with_file_and_line(install: Path) -> None:
    for number, (old, new, _) in enumerate(REFUSED.values()):
        assert old in MECHANISMS
        path = install / f"refused_{number}.yaml"
        path.write_text(MECHANISMS.replace(old, new), encoding="utf-8")
    names = [f"refused_{number}.yaml" for number in range(len(REFUSED))]
    messages = run(install, READ, *names, is_compiled=False).splitlines()
    for message, (what, (_, _, words)) in zip(messages, REFUSED.items(), strict=True):
        for word in words:
            assert word in message, f"{what}: {message}"
