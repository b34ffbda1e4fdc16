# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motions that are known: the reference swing of CHARMIE, pendulums, free fall."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from conftest import Load, Swing, cart_pole

from charmie_dynamics import Model
from charmie_dynamics.errors import SimulationError
from charmie_dynamics.simulation import simulate

pytest.importorskip("scipy", reason="SciPy is missing")


@pytest.mark.parametrize(
    ("integrator", "options", "error"),
    [
        ("adaptive", {}, 2e-6),
        ("adaptive", {"rtol": 1e-9, "atol": 1e-12}, 1e-8),
        ("DOP853", {}, 2e-6),
        ("BDF", {}, 2e-6),
        ("rk4", {}, 1e-8),
        ("rosenbrock", {}, 5e-5),
    ],
)
def test_charmie_swings_as_in_the_reference(
    charmie: Model, swing: Swing, integrator: str, options: dict, error: float
) -> None:
    run = simulate(
        charmie, swing.position[0], swing.velocity[0], 1.2, swing.law, integrator,
        times=swing.time, **options,
    )  # fmt: skip
    np.testing.assert_allclose(run.position, swing.position, atol=error)
    np.testing.assert_allclose(run.velocity, swing.velocity, atol=10.0 * error)
    assert np.abs(run.energy.error).max() < 1e-5
    damped = swing.effort - swing.damping * run.velocity
    np.testing.assert_allclose(run.effort, damped, rtol=1e-12, atol=1e-12)


def test_bdf_does_not_warn_of_uninitialised_memory(
    pendulum: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty, signalling_nan = np.empty, 0x7FF0000000000001

    def dirty(*arguments: Any, **options: Any) -> np.ndarray:
        result = empty(*arguments, **options)
        if result.dtype == float:
            result.view(np.uint64)[...] = signalling_nan
        return result

    monkeypatch.setattr(
        "scipy.integrate._ivp.bdf.np", SimpleNamespace(**{**vars(np), "empty": dirty})
    )
    with np.errstate(all="raise", under="ignore"):
        run = simulate(pendulum, [-0.5], [1.0], 0.1, None, "BDF", rtol=1e-9, atol=1e-11)
    assert np.isfinite(run.position).all()


def test_a_pendulum_comes_back_after_its_period(pendulum: Model) -> None:
    def at_rest(time: float, position: np.ndarray, velocity: np.ndarray) -> float:
        return float(velocity[0])

    at_rest.direction = -1.0  # on the side where it began
    for integrator in ("adaptive", "rk4"):
        run = simulate(
            pendulum, [-np.pi / 2], None, 5.0, None, integrator, rtol=1e-10, atol=1e-12,
            events=[at_rest],
        )  # fmt: skip
        falls = run.event_times[0]
        assert falls[falls > 0.1][1] - falls[falls > 0.1][0] == pytest.approx(
            2.3678419476, abs=1e-7
        )


# of a rod and of a mass at the end of a pole: where they are after 10 s, by the integral of the one
# coordinate that is left
ROD, MASS = 1.3979132563260313, 1.549129457181359


@pytest.mark.parametrize("options", [{}, {"rtol": 1e-9}, {"rtol": 1e-10, "atol": 1e-12}])
@pytest.mark.parametrize(("inertia", "com", "angle"), [(1 / 12, 0.5, ROD), (1e-9, 1.0, MASS)])
def test_a_pole_on_a_light_cart_is_right_or_says_so(
    load: Load, options: dict, inertia: float, com: float, angle: float
) -> None:
    model = cart_pole(load, inertia, com)
    try:
        run = simulate(model, [0.0, np.pi / 2], None, 10.0, **options)
    except SimulationError as error:
        assert "energies" in str(error) and "smaller rtol" in str(error)
    else:
        assert abs(run.position[-1, 1]) == pytest.approx(angle, abs=1e-4)


def test_a_smaller_tolerance_finds_the_pole_on_a_light_cart(load: Load) -> None:
    model = cart_pole(load, 1e-9, 1.0)
    run = simulate(model, [0.0, np.pi / 2], None, 10.0, rtol=1e-11, atol=1e-13)
    assert abs(run.position[-1, 1]) == pytest.approx(MASS, abs=1e-5)
