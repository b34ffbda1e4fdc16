"""A sample that is taken in and computed in one call is treated as one that takes two."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from charmie_dynamics import CharmieError, Model
from charmie_dynamics.live.pipeline import Cycle, Pipeline
from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, JOINT_STATES, JointSample
from charmie_dynamics.model.loads import Payload

MS = 10**6
LENGTHS = ("lift_actuator", "torso_actuator")
Way = Callable[[Pipeline, str, JointSample, float], "Cycle | None"]


def in_one(pipeline: Pipeline, topic: str, sample: JointSample, now: float) -> Cycle | None:
    return pipeline.add(topic, sample, now)


def in_two(pipeline: Pipeline, topic: str, sample: JointSample, now: float) -> Cycle | None:
    pipeline.take_in(topic, sample, now)
    return pipeline.compute(now)


def outcome(way: Way, pipeline: Pipeline, topic: str, sample: JointSample, now: float) -> tuple:
    """Return everything that can be seen of one sample."""
    try:
        cycle = way(pipeline, topic, sample, now)
    except CharmieError as error:
        said: tuple = (type(error), str(error))
    else:
        said = (None,)
        if cycle is not None:
            effort = None if cycle.effort is None else cycle.effort.tobytes()
            state = cycle.state
            arrays = (*state.kinematics, *(state.dynamics or ()))
            said = (cycle.stamp, tuple(array.tobytes() for array in arrays), effort)
    aligner = pipeline.aligner
    sources = aligner.velocity_sources()
    counters = vars(aligner.counters)
    return (
        *said,
        vars(pipeline.statistics),
        {**counters, "unknown_names": list(counters["unknown_names"])},
        sources,
        pipeline.missing(now),
    )


def stream(model: Model, seed: int) -> list[tuple[str, JointSample, float]]:
    """Return samples of which most are usual; with all that can be wrong now and then."""
    rng = np.random.default_rng(seed)
    rest = model.zero_position()
    samples = []
    stamp, now = 1000 * MS, 1.0
    for _ in range(400):
        stamp += int(rng.choice([10, 10, 10, 10, 0, -5, -800, 700])) * MS
        now += float(rng.choice([0.01, 0.01, 0.01, 0.01, 0.8]))
        if rng.random() < 0.3:
            length = rest[3:5] + rng.uniform(-0.02, 0.02, 2)
            if rng.random() < 0.1:
                length[0] = rng.choice([9.0, np.nan])
            samples.append((ACTUATOR_LENGTHS, JointSample(LENGTHS, length, None, stamp), now))
            continue
        names = model.joint_names if rng.random() < 0.8 else model.joint_names[3:9]
        position = rng.uniform(-0.1, 0.1, len(names))
        if rng.random() < 0.1:
            position[rng.integers(len(names))] = rng.choice([np.nan, 3.0, 1e200])
        velocity = rng.uniform(-1.0, 1.0, len(names)) if rng.random() < 0.5 else None
        effort = rng.uniform(-1.0, 1.0, len(names)) if rng.random() < 0.3 else None
        samples.append((JOINT_STATES, JointSample(names, position, velocity, stamp, effort), now))
    return samples


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"require_base_joints": True},
        {"compute_dynamics": False, "estimate_acceleration": False},
    ],
    ids=["default", "base", "kinematics"],
)
@pytest.mark.parametrize("seed", range(3))
def test_one_call_does_what_two_do(charmie: Model, seed: int, options: dict) -> None:
    one, two = Pipeline(charmie, **options), Pipeline(charmie, **options)
    for number, (topic, sample, now) in enumerate(stream(charmie, seed)):
        expected = outcome(in_two, two, topic, sample, now)
        assert outcome(in_one, one, topic, sample, now) == expected, f"sample {number}"
    # else the comparison would say little
    assert one.statistics.computed > 50
    assert one.statistics.out_of_reach > 0
    assert one.aligner.counters.jumps_back > 5
    assert one.aligner.counters.late > 5


def test_loads_that_are_new_act_on_the_cycle_of_the_next_sample(charmie: Model) -> None:
    pipeline, names = Pipeline(charmie), charmie.joint_names
    zero = np.zeros(len(names))
    first = pipeline.add(JOINT_STATES, JointSample(names, zero, None, MS), 0.0)
    heavy = charmie.loaded({"left_tool": Payload(1.5)})
    pipeline.model = heavy
    second = pipeline.add(JOINT_STATES, JointSample(names, zero, None, 2 * MS), 0.001)
    assert first is not None
    assert second is not None
    expected = heavy.compute(charmie.zero_position()).actuator_effort
    assert second.state.actuator_effort.tolist() == expected.tolist()
    assert first.state.actuator_effort.tolist() != expected.tolist()
