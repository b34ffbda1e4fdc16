"""Compiled kernels made ready before the node exists: at the first start that takes long."""

from __future__ import annotations

import time

from charmie_dynamics.live.pipeline import Pipeline
from charmie_dynamics.model.reading import load_model
from charmie_dynamics.numerics.jit import count_compilations
from charmie_dynamics.ros.outputs.markers import SceneMarkers
from charmie_dynamics.visual.scene.scene import Scene

_seconds: float | None = None


def prepare() -> None:
    """Compile all kernels, or load them; does nothing the second time.

    They are the same for every model. Needs no ROS graph, and is done before there is a node in
    it: an interrupt can then end the process in the middle, and no peer waits for a node that
    does not answer.
    """
    global _seconds
    if _seconds is not None:
        return
    start = time.monotonic()
    model = load_model()
    Pipeline(model).warm_up()
    scene = Scene(model)
    state = model.compute(model.zero_position())
    SceneMarkers(scene.shapes, "", 1.0).write(0, scene.update(state))
    _seconds = time.monotonic() - start


def describe() -> str:
    """Return how many kernels this process has compiled or loaded, and how long it took."""
    compiled, loaded = count_compilations()
    if compiled:
        return f"{compiled} kernels compiled, {loaded} loaded in {_seconds or 0.0:.2f} s"
    if loaded:
        return f"{loaded} kernels loaded in {_seconds or 0.0:.2f} s"
    return "kernels run in plain Python, slowly: numba is not installed"
