# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Identification of an unknown payload of a described robot."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("scipy", reason="SciPy is missing, with which robots are identified")

from charmie_dynamics import InputError, Model, Payload, UnknownNameError, load_model
from charmie_dynamics.motions import make_motion
from charmie_dynamics.studies import (
    IdentificationSettings,
    Unknowns,
    identify,
    samples_of_motion,
)
from charmie_dynamics.studies.identification.identified_payload import (
    IdentifiedPayload,
    payload_line,
    payload_of,
)
from charmie_dynamics.studies.identification.samples import EffortSamples

NOISE = 0.005  # of the largest effort of an actuator
FRICTION = 2.0  # N m s, N s/m


def _found(model: Model, samples: EffortSamples, name: str) -> IdentifiedPayload:
    unknowns = Unknowns(inertials=False, springs=False, rotors=False, payload=name)
    payload = payload_of(identify(model, [samples], IdentificationSettings(unknowns)))
    assert payload is not None
    return payload


def _recorded(model: Model, payload: Payload, rng: np.random.Generator) -> EffortSamples:
    """Return `wave` of a robot with an unknown payload and friction, and noise in its efforts."""
    time = np.arange(0.0, 20.0, 0.02)
    motion = make_motion("wave", model).sampled(time)[1:]
    loaded = model.with_loads({"right_tool": payload})
    effort = loaded.compute(*motion).actuator_effort + FRICTION * motion[1]
    effort += NOISE * np.abs(effort).max(axis=0) * rng.normal(size=effort.shape)
    return samples_of_motion(model, time, motion, effort)


@pytest.mark.parametrize("seed", range(4))
def test_the_intervals_contain_a_random_payload(charmie: Model, seed: int) -> None:
    rng = np.random.default_rng(seed)
    mass, com = rng.uniform(0.2, 3.0), rng.uniform(-0.1, 0.1, size=3)
    payload = Payload(mass, com, 0.01 * mass * np.eye(3))
    found = _found(charmie, _recorded(charmie, payload, rng), "right")
    # intervals of 95 %; twice their width is exceeded in one of some 1500 cases
    assert abs(found.mass - mass) < 2.0 * found.mass_half_width < 0.1 * mass
    assert (np.abs(found.com - com) < 2.0 * found.com_half_width).all()
    assert (found.com_half_width < 0.05).all()
    assert "as an option: --payload right=" in payload_line(found)


def test_an_unloaded_arm_has_no_payload(charmie: Model) -> None:
    rng = np.random.default_rng(4)
    samples = _recorded(charmie, Payload(0.5), rng)
    found = _found(charmie, samples, "left")
    assert abs(found.mass) < 2.0 * found.mass_half_width
    assert _found(charmie, samples, "right_tool").mass == pytest.approx(0.5, rel=0.1)  # a link
    assert "does not differ from zero" in payload_line(found._replace(mass=0.0))


def test_one_vertical_axis_does_not_determine_the_mass() -> None:
    model = load_model("arm_6r")
    time = np.arange(0.0, 20.0, 0.02)
    motion = make_motion("wave", model).sampled(time)[1:]
    position, velocity, acceleration = (array.copy() for array in motion)
    for array, rest in ((position, 0.1), (velocity, 0.0), (acceleration, 0.0)):
        array[:, 1:] = rest
    effort = model.compute(position, velocity, acceleration).actuator_effort.copy()
    effort[:, 1:] = np.nan
    samples = samples_of_motion(model, time, (position, velocity, acceleration), effort)
    line = payload_line(_found(model, samples, list(model.tree.links)[-1]))
    assert line.endswith("the motion does not determine its mass; move more joints below it")


def test_payloads_that_cannot_be_found_are_refused(charmie: Model) -> None:
    with pytest.raises(InputError, match="cannot be separated from unknown links"):
        Unknowns(payload="right")
    samples = _recorded(charmie, Payload(0.5), np.random.default_rng(5))
    with pytest.raises(UnknownNameError, match="payload 'rigth' is unknown; did you mean 'right'"):
        _found(charmie, samples, "rigth")
