# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Contact forces by the motion alone, beside those of the simulation that made it.

A hexapod is simulated, its joints and odometry are recorded at 100 Hz, and `charmie_analyze` finds
the forces.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

from charmie_dynamics import load_model
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.recordings import (
    AnalysisSettings,
    Cycles,
    RecordedInputs,
    analyse,
    recorded_contacts,
)
from charmie_dynamics.recordings.compute.contact_loads import CONTACT_PREFIX
from charmie_dynamics.visual.pictures.chart import Curve, TimeDiagram, draw_chart

from .harness import tables
from .harness.charts import beside, grid
from .harness.pages import DOCS
from .walking_runs import ATHENA, Walked, walk

STORES = get_typestore(Stores.ROS2_HUMBLE)
JOINTS, ODOMETRY = "sensor_msgs/msg/JointState", "nav_msgs/msg/Odometry"
FEET = DOCS.parent / "examples" / "robots" / "athena_feet.yaml"
DURATION, RATE, CUTOFF = 4.0, 100.0, 25.0  # s, Hz, Hz
SETTLED = 0.4, 3.8  # s: after it has begun to stand, and before the end
DRAWN = (0, 1)  # feet, one of each group


class Compared(NamedTuple):
    """What two ways say of the same motion.

    Attributes
    ----------
    time : (n,) array
    simulated, found : (n, l, 3) array
        Forces of the floor on the feet, world axes (N).
    use : (n, l) array
        Of the friction cones, found.
    effort, found_effort : (n, a) array
        Of the actuators (N m); the first without the friction of the joints.
    """

    time: Floats
    simulated: Floats
    found: Floats
    use: Floats
    effort: Floats
    found_effort: Floats


def forces_on_feet(done: Walked, names: list[str]) -> Floats:
    """Return the forces of the floor on the feet (n, l, 3) in the simulation."""
    run = done.run
    force = np.zeros((len(run.time), len(names), 3))
    for k, name in enumerate(names):
        told = run.contacts.of(f"{done.case.robot}/{name}")
        rows = np.searchsorted(run.time, told.time)
        pushed = told.normal_force[:, None] * told.normal - told.friction_force
        np.add.at(force[:, k], rows, pushed)
    return force


def record(folder: Path, model: Model, done: Walked) -> Path:
    """Write joint states and odometry of a simulated walk to a bag."""
    types, run, world = STORES.types, done.run, done.world
    position = run.position[:, world.columns(done.case.robot, "position")]
    velocity = run.velocity[:, world.columns(done.case.robot, "velocity")]
    entries = [model.position_names.index(name) for name in model.actuator_names]

    def numbers(kind: str, values: Floats) -> Any:
        return types[f"geometry_msgs/msg/{kind}"](*values.tolist())

    with Writer(folder, version=8, storage_plugin=StoragePlugin.MCAP) as writer:
        topics = {
            kind: writer.add_connection(name, kind, typestore=STORES)
            for name, kind in (("/joint_states", JOINTS), ("/odom", ODOMETRY))
        }
        for k, time in enumerate(run.time.tolist()):
            stamp = 10**9 + round(time * 1e9)
            clock = types["builtin_interfaces/msg/Time"](*divmod(stamp, 10**9))
            header = types["std_msgs/msg/Header"](stamp=clock, frame_id="world")
            joints = types[JOINTS](
                header=header,
                name=list(model.actuator_names),
                position=position[k, entries],
                velocity=velocity[k, model.actuator_index],
                effort=np.empty(0),
            )
            pose = types["geometry_msgs/msg/Pose"](
                numbers("Point", position[k, :3]), numbers("Quaternion", position[k, 3:7])
            )
            twist = types["geometry_msgs/msg/Twist"](
                numbers("Vector3", velocity[k, :3]), numbers("Vector3", velocity[k, 3:6])
            )
            unknown = np.zeros(36)
            odometry = types[ODOMETRY](
                header=header,
                child_frame_id="base_link",
                pose=types["geometry_msgs/msg/PoseWithCovariance"](pose, unknown),
                twist=types["geometry_msgs/msg/TwistWithCovariance"](twist, unknown),
            )
            for kind, message in ((JOINTS, joints), (ODOMETRY, odometry)):
                data = bytes(STORES.serialize_cdr(message, kind))
                writer.write(topics[kind], stamp, data)
    return folder


def cycles_of(bag: Path, model: Model) -> Cycles:
    """Return what charmie_analyze computes."""
    with RecordedInputs(bag) as recording:
        contacts = recorded_contacts(model, recording, FEET)
        settings = AnalysisSettings(cutoff=CUTOFF, contacts=contacts)
        return analyse(model, recording, settings).cycles


def compare() -> Compared:
    """Simulate, record and analyse."""
    times = np.linspace(0.0, DURATION, round(DURATION * RATE) + 1)
    done = walk(ATHENA, DURATION, times)
    model = load_model(ATHENA.robot)
    names = list(done.walk.legs.foot_names)
    with tempfile.TemporaryDirectory() as folder:
        cycles = cycles_of(record(Path(folder) / "bag", model, done), model)
    tables = np.stack([cycles.arrays[CONTACT_PREFIX + name] for name in names], axis=1)
    effort = done.run.effort[:, done.world.columns(ATHENA.robot)]
    return Compared(
        times,
        forces_on_feet(done, names),
        tables[:, :, :3],
        tables[:, :, 4],
        effort,
        cycles.arrays["actuator_effort"],
    )


def table(done: Compared) -> str:
    """Return the table of the page: RMS of what differs, in cycles after the start."""
    settled = (done.time > SETTLED[0]) & (done.time < SETTLED[1])
    bears = done.simulated[:, :, 2] > 0.0
    is_same = (bears == (done.found[:, :, 2] > 0.0)).all(axis=1)
    three = settled & (bears.sum(axis=1) == 3) & is_same
    others = settled & ~three
    differs = done.found - done.simulated
    rows = []
    for name, unit, values in (
        ("sum of the forces, vertical", "N", differs.sum(axis=1)[:, 2]),
        ("sum of the forces, along the floor", "N", differs.sum(axis=1)[:, :2]),
        ("normal force of a foot", "N", differs[:, :, 2]),
        ("friction of a foot", "N", differs[:, :, :2]),
        ("effort of a joint", "N m", done.found_effort - done.effort),
    ):
        left = (np.sqrt(np.mean(values[part] ** 2)) for part in (three, others))
        rows.append((name, *(f"{value:.3f} {unit}" for value in left)))
    shares = (100.0 * part.sum() / settled.sum() for part in (three, others))
    rows.append(("share of the time", *(f"{share:.0f} %" for share in shares)))
    return tables.table(
        (
            "RMS of the difference to the simulation",
            ">three feet in contact",
            ">while feet change places",
        ),
        rows,
    )


def draw(path: Path, done: Compared) -> None:
    """Draw normal forces beside those of the simulation, and the use of the cones."""
    diagrams = []
    for k in DRAWN:
        forces = done.simulated[:, k, 2], done.found[:, k, 2]
        curves = beside(("simulated", "by the motion"), done.time, *forces)
        used = np.where(done.found[:, k, 2] > 0.0, 100.0 * done.use[:, k], np.nan)
        use = Curve("by the motion", done.time, used, is_dashed=True, color=1)
        diagrams += [
            TimeDiagram(f"Foot {k + 1}", "normal force", "N", curves),
            TimeDiagram(f"Foot {k + 1}, friction cone", "used", "%", [use]),
        ]
    subtitle = "ATHENA, tripod gait; joints and odometry recorded at 100 Hz"
    title = "Forces on the feet by the motion alone"
    draw_chart(path, grid(diagrams, 2), title=title, subtitle=subtitle)
