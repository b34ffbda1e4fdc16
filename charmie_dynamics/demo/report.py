"""What the demo leaves behind: a table of the actuators and two pictures, all from the bag."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from ..model.model import Model
from ..pictures import plot_efforts, render
from ..pictures.robot import FRONT_LEFT, LOAD_SCALE
from ..scene.legend import entries
from .bag import Bag, Efforts


def effort_table(model: Model, efforts: Efforts) -> str:
    """Return peak and RMS effort of each actuator, with the share of the rated effort."""
    limits = dict(zip(model.actuator_names, model.actuator_limits(), strict=True))
    slides = {joint.name for joint in model.tree.joints if joint.type == "prismatic"}
    linear = {actuator.name for actuator in model.mechanisms.linear_actuators}
    lines: list[str] = [f"{'actuator':<20}{'peak':>10}{'RMS':>10}  {'unit':<5}{'% of rated':>10}"]
    for name, column in zip(efforts.names, efforts.effort.T, strict=True):
        peak = float(column[np.argmax(np.abs(column))])
        rms = math.sqrt(float(np.mean(column**2)))
        unit = "N" if name in slides or name in linear else "N m"
        rated = limits[name].effort
        share = f"{100.0 * abs(peak) / rated:.0f}" if math.isfinite(rated) else "-"
        lines.append(f"{name:<20}{peak:>10.3f}{rms:>10.3f}  {unit:<5}{share:>10}")
    return "\n".join(lines)


def write_pictures(bag: Bag, efforts: Efforts, model: Model, folder: Path) -> None:
    """Write ``robot.png`` (at the greatest load) and ``efforts.png``."""
    rated = np.array([limit.effort for limit in model.actuator_limits()])
    load = np.abs(efforts.effort / rated).sum(axis=1)
    worst = int(np.argmax(load))
    stamp = bag.stamps("actuator_efforts")[worst]
    shapes, frames = bag.picture(stamp)
    drawable = [shape for shape in shapes if shape.kind != "mesh"]
    body = model.mechanisms.base_body or model.tree.root
    R_world_base = next(R for name, (_, R) in frames.items() if name.endswith(body))
    yaw = math.degrees(math.atan2(R_world_base[1, 0], R_world_base[0, 0]))
    render(
        folder / "robot.png",
        drawable,
        frames,
        title=model.name.upper(),
        subtitle=f"at its greatest load, {efforts.time[worst]:.2f} s after the first sample",
        legend=entries(polygon=len(model.mechanisms.wheel_contacts) > 0),
        scale=LOAD_SCALE,
        overlay=("stability",),
        azimuth=FRONT_LEFT + yaw,
    )
    plot_efforts(folder / "efforts.png", efforts.time, efforts.names, efforts.effort)
