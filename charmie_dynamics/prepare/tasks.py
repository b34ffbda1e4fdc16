# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The kernels that Python calls, and calls that compile or load each kernel.

A kernel is compiled for the types of its arguments. The package's own functions call it here, so
that the types are those of normal operation.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import NamedTuple

import numpy as np

from charmie_dynamics.core.contact.contact_loads import run_contact_loads
from charmie_dynamics.core.contact.detection.methods import METHODS
from charmie_dynamics.core.contact.detection.nearest import run_nearest
from charmie_dynamics.core.contact.registry import FRICTION_LAWS, NORMAL_LAWS
from charmie_dynamics.core.equations.derivatives import run_derivatives_batch
from charmie_dynamics.core.equations.jacobian import run_jacobian, run_jacobian_rows
from charmie_dynamics.core.equations.kernels import run_rows
from charmie_dynamics.core.equations.loop_derivatives import run_loop_derivatives
from charmie_dynamics.core.equations.point_motion import move_auxiliary_point, move_point
from charmie_dynamics.core.equations.tree import run_tree
from charmie_dynamics.core.forward.batch import run_forward_batch
from charmie_dynamics.core.forward.closed_derivatives import run_kept_cycle
from charmie_dynamics.core.forward.constraint_derivatives import run_constraint_derivatives
from charmie_dynamics.core.forward.free_motions import run_free_motions
from charmie_dynamics.core.forward.loop_closure import run_closure
from charmie_dynamics.core.forward.loop_constraints import run_loop_constraints
from charmie_dynamics.core.forward.loop_following import run_followed_cycle
from charmie_dynamics.core.forward.loop_forces import run_closed_cycle, run_closed_rows
from charmie_dynamics.core.integration.plants import run_plants
from charmie_dynamics.core.integration.stepping import run_stages
from charmie_dynamics.core.inverse.floating_joints import run_normalisation, run_position_rate
from charmie_dynamics.live.estimation.records import TRACKER
from charmie_dynamics.live.estimation.trackers import compare_track
from charmie_dynamics.live.pipeline import Pipeline
from charmie_dynamics.live.wire.cdr import read_doubles
from charmie_dynamics.live.wire.filling import Filler
from charmie_dynamics.model import derivatives
from charmie_dynamics.model.equations import equations_of_motion, regressor
from charmie_dynamics.model.equations.evaluation import KernelCall
from charmie_dynamics.model.forward_dynamics import CONSTRAINED_FORWARD
from charmie_dynamics.model.forward_dynamics import FORWARD as FORWARD_CALL
from charmie_dynamics.model.reading import read_model
from charmie_dynamics.model.stability import Support, centre_of_mass, tip_over_margin
from charmie_dynamics.model.state import State
from charmie_dynamics.numerics.jit import ready
from charmie_dynamics.ros.outputs.markers import SceneMarkers
from charmie_dynamics.visual.scene.scene import Scene
from charmie_dynamics.visual.shapes.raster import rasterize


def _kernels_of(*modules: ModuleType) -> tuple[Callable[..., int], ...]:
    """Return the kernels that some modules of the model call by a `KernelCall`."""
    values = (value for module in modules for value in vars(module).values())
    # a module may import those of another
    kernels = (value.kernel for value in values if isinstance(value, KernelCall))
    return tuple(dict.fromkeys(kernels))


EQUATIONS: tuple[Callable[..., int], ...] = (
    run_tree,
    *_kernels_of(equations_of_motion, regressor),
    derivatives.DERIVATIVES.kernel,
    run_derivatives_batch,
    run_loop_derivatives,
    run_jacobian,
    run_jacobian_rows,
    run_rows,
)
FORWARD: tuple[Callable[..., int], ...] = (FORWARD_CALL.kernel, run_forward_batch)
SIMULATION: tuple[Callable[..., int], ...] = (run_stages, run_position_rate, run_normalisation)

LOOPS: tuple[Callable[..., int], ...] = (
    run_loop_constraints,
    run_closure,
    run_free_motions,
    run_closed_cycle,
    run_closed_rows,
    CONSTRAINED_FORWARD.kernel,
    run_constraint_derivatives,
    derivatives.CLOSED_DERIVATIVES.kernel,
    run_kept_cycle,
    run_followed_cycle,
)
# distances of shapes, and the nearest of many pairs
DISTANCES: tuple[Callable[..., object], ...] = (run_nearest, *METHODS.values())
# further kernels of worlds: the contact laws, some of which share a function
CONTACTS: tuple[Callable[..., object], ...] = tuple(
    dict.fromkeys(
        (
            run_contact_loads,
            *(law.force for law in NORMAL_LAWS.values()),
            *(law.force for law in FRICTION_LAWS.values()),
        )
    )
)


class Task(NamedTuple):
    """Kernels that are used together.

    Attributes
    ----------
    kernels : tuple of str
        Names of the functions.
    work : callable
        Calls or loads each kernel.
    """

    kernels: tuple[str, ...]
    work: Callable[[], None]


def run_node() -> None:
    """Compute one sample and its markers, as the dynamics node does."""
    model = read_model()
    Pipeline(model).warm_up()
    scene = Scene(model)
    state = model.compute(model.zero_position())
    SceneMarkers(scene.shapes, "", 1.0).write(0, scene.update(state))


def run_batch() -> None:
    """Compute a batch."""
    model = read_model()
    limits = np.array([(limit.lower, limit.upper) for limit in model.actuator_limits()])
    limits[~np.isfinite(limits).all(axis=1)] = 0.0
    model.compute(limits.mean(axis=1)[None])


def load_equations() -> None:
    """Load the kernels of the equations of motion, whose arguments are of one type each."""
    for kernel in EQUATIONS:
        ready(kernel)


def load_forward() -> None:
    """Load the kernels of forward dynamics; as those of the equations."""
    for kernel in FORWARD:
        ready(kernel)


def load_loops() -> None:
    """Load the kernels of robots with loop joints; as those of the equations."""
    for kernel in LOOPS:
        ready(kernel)


def load_simulation() -> None:
    """Load the kernels of fixed steps."""
    for kernel in SIMULATION:
        ready(kernel)


def load_plants() -> None:
    """Load the kernel of many plants."""
    ready(run_plants)


def load_distances() -> None:
    """Load the kernels of worlds, and of a node that monitors distances."""
    for kernel in DISTANCES:
        ready(kernel)


def load_contacts() -> None:
    """Load the kernels of worlds, which neither the node nor a robot without contacts needs."""
    for kernel in CONTACTS:
        ready(kernel)


def run_recordings() -> None:
    """Run the kernels that read recordings, compare velocities and compute tip-over margins."""
    nothing, no_values = np.zeros(0, dtype=np.int64), np.zeros(0)
    compare_track(nothing, no_values, no_values, 1.0, np.zeros(1, dtype=TRACKER))
    read_doubles(bytes(8), 0, False, np.zeros(1))
    Filler([]).fill_rows(nothing, np.zeros((0, 0)), nothing)
    model = read_model()
    tip_over_margin(np.zeros(2), Support.of(model).polygon)
    # an empty state: computing one would compile the cycle in this task, too
    centre_of_mass(State(model.layout, np.zeros(model.layout.size), True))


def move_points() -> None:
    """Load the kernels of point motion; calling them would compile the cycle, too."""
    ready(move_point)
    ready(move_auxiliary_point)


def run_pictures() -> None:
    """Draw a triangle."""
    rasterize(np.array([[[0.0, 0.0, 1.0], [4.0, 0.0, 1.0], [0.0, 4.0, 1.0]]]), 4, 4)


TASKS: dict[str, Task] = {
    "node": Task(
        (
            *("run_cycle", "linear_actuator_of_joint", "take", "rate_loads", "write_stance"),
            *("extend_actuators", "stretch_coils", "show_efforts", "show_stability"),
            "scatter_markers",
        ),
        run_node,
    ),
    "batch": Task(("run_batch", "run_lanes"), run_batch),
    "equations": Task(tuple(kernel.__name__ for kernel in EQUATIONS), load_equations),
    "forward": Task(tuple(kernel.__name__ for kernel in FORWARD), load_forward),
    "loops": Task(tuple(kernel.__name__ for kernel in LOOPS), load_loops),
    "simulation": Task(tuple(kernel.__name__ for kernel in SIMULATION), load_simulation),
    "plants": Task(("run_plants",), load_plants),
    "distances": Task(tuple(kernel.__name__ for kernel in DISTANCES), load_distances),
    "contacts": Task(tuple(kernel.__name__ for kernel in CONTACTS), load_contacts),
    "recordings": Task(
        (
            *("read_doubles", "compare_track", "scatter_rows", "nearest_of_polygon"),
            "centre_of_mass",
        ),
        run_recordings,
    ),
    "points": Task(("move_point", "move_auxiliary_point"), move_points),
    "pictures": Task(("_fill",), run_pictures),
}
