# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Contents of /diagnostics: pure functions from counters to statuses."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus, KeyValue

from charmie_dynamics.collision.clearance import Clearance
from charmie_dynamics.live import findings
from charmie_dynamics.live.estimation.estimator import Estimator, Settling, describe_missing
from charmie_dynamics.live.estimation.following import floating_joints, idle_joints
from charmie_dynamics.live.findings import Finding
from charmie_dynamics.live.measured import Comparison
from charmie_dynamics.live.monitors import (
    LATE,
    PASSED_OVER,
    RECEIVED,
    REJECTED,
    CycleReport,
    InputMonitor,
)
from charmie_dynamics.live.pipeline import CycleStatistics
from charmie_dynamics.live.wire.samples import quoted
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.movable import coordinate_limits
from charmie_dynamics.model.stability import Support, stability_of
from charmie_dynamics.model.state import State

# m, a tip-over margin below this is a warning
SMALL_MARGIN = 0.05
# share of the cycles that may take longer than until the next sample before it is a warning
TOLERATED_OVERRUNS = 0.1
# names that one value lists at most
NAMED = 24
POINT = "{:.6f} {:.6f} {:.6f}"
LEVELS = {"warning": DiagnosticStatus.WARN, "error": DiagnosticStatus.ERROR}


def found(name: str, finding: Finding, message: str, values: dict[str, str]) -> DiagnosticStatus:
    """Return a status for a finding, whose text is in the message."""
    return status(name, LEVELS[finding.level], message, values)


def status(name: str, level: bytes, message: str, values: dict[str, str]) -> DiagnosticStatus:
    """Return one status with its values; the publisher sets the hardware id."""
    return DiagnosticStatus(
        name=name,
        level=level,
        message=message,
        values=[KeyValue(key=key, value=value) for key, value in values.items()],
    )


def input_status(
    name: str,
    monitors: dict[str, InputMonitor],
    estimator: Estimator,
    model: Model,
    now: float,
    contradictions: Mapping[str, str],
    is_waiting: bool = False,
    stale: Sequence[str] = (),
    unborne: str | None = None,
) -> DiagnosticStatus:
    """Report rates, ages, refused messages and wrong values since the last report.

    An error where something needed is not there, unless the node is waiting for the first values; a
    warning where messages were refused, positions were not finite or outside their limits, rates
    impossible, or values contradict each other.
    """
    values: dict[str, str] = {}
    for topic, monitor in monitors.items():
        values[f"{topic} rate (Hz)"] = f"{monitor.rate:.1f}"
        age = "never" if monitor.last_arrival is None else f"{now - monitor.last_arrival:.3f}"
        values[f"{topic} age (s)"] = age
        values[f"{topic} {RECEIVED}"] = str(monitor.total)
        values[f"{topic} {REJECTED}"] = str(sum(monitor.rejected.values()))
        for cause, count in monitor.rejected.items():
            values[f"{topic} rejected: {cause}"] = str(count)
    oldest = estimator.age(now)
    values["oldest value in use (s)"] = f"{oldest:.3f}" if math.isfinite(oldest) else "none"
    for source, names in estimator.velocity_sources().items():
        values[f"velocities {source}"] = describe_missing(names, NAMED) or "none"
    counters = estimator.counters
    values["accepted samples"] = str(counters.accepted)
    values[LATE] = str(counters.late)
    values["jumps back in time"] = str(counters.jumps_back)
    values["entries without a position"] = str(counters.absent_entries)
    if estimator.unknown_names:
        ignored = [quoted(unknown) for unknown in estimator.unknown_names]
        values["ignored names"] = describe_missing(ignored, NAMED) or ""
    rejected = estimator.take_findings()
    limits = dict(zip(model.velocity_names, coordinate_limits(model), strict=True))
    for actuator, count in rejected.absent.items():
        values[f"{actuator} without finite position"] = f"{count} samples"
    for actuator, count in rejected.outside.items():
        limit = limits[actuator]
        values[f"{actuator} outside limits"] = (
            f"{count} samples; expected {limit.lower:.6g} to {limit.upper:.6g}, got "
            f"{rejected.outside_values[actuator]}"
        )
    for actuator, count in rejected.impossible.items():
        values[f"{actuator} at impossible rate"] = (
            f"{count} samples; rated {limits[actuator].velocity:.6g} per second"
        )
    for actuator, text in contradictions.items():
        values[f"{actuator} contradiction"] = text
    outside = [
        actuator + (" (in degrees?)" if "degrees" in text else "")
        for actuator, text in rejected.outside_values.items()
    ]
    contradictory = [f"{actuator} ({text})" for actuator, text in contradictions.items()]
    missing = describe_missing(estimator.missing(now))
    complaints = [
        (finding, f"{topic}{finding.text}: {described}")
        for finding, topic, described in (
            (findings.MISSING, "", None if is_waiting else missing),
            (findings.BASE_STALE, "", ", ".join(stale) or None),
            (findings.NOTHING_BEARS, "", unborne),
            (findings.NOT_FINITE, "", describe_missing(list(rejected.absent))),
            (findings.OUTSIDE_LIMITS, "", describe_missing(outside)),
            (findings.IMPOSSIBLE_RATE, "", describe_missing(list(rejected.impossible))),
            (findings.CONTRADICTORY, "", describe_missing(contradictory)),
            *((findings.REFUSED, f"{t} ", _describe_refused(m)) for t, m in monitors.items()),
        )
        if described is not None
    ]
    if not complaints:
        text = "all inputs fresh" if missing is None else f"waiting for {missing}"
        return status(name, DiagnosticStatus.OK, text, values)
    return found(name, complaints[0][0], "; ".join(text for _, text in complaints), values)


def _describe_refused(monitor: InputMonitor) -> str | None:
    lately = monitor.rejected_lately
    if not lately:
        return None
    return f"{sum(lately.values())} messages ({', '.join(lately)})"


def estimator_status(name: str, settling: Settling, times: tuple[float, float]) -> DiagnosticStatus:
    """Report whether the estimates of velocities and accelerations have settled.

    A warning while they settle, or if some restarted since the last report.

    Parameters
    ----------
    name : str
    settling : Settling
    times : tuple of float
        How long estimates settle on positions and on measured velocities (s).
    """
    left = max(settling.left.values(), default=0.0)
    begun = "never" if settling.begun is None else f"{settling.begun * 1e-9:.3f}"
    values = {
        "settling for another (s)": f"{left:.3f}",
        "youngest estimate since stamp (s)": begun,
        "settling time on positions (s)": f"{times[0]:.3f}",
        "settling time on velocities (s)": f"{times[1]:.3f}",
        "settling": describe_missing(list(settling.left), NAMED) or "none",
        "started anew": describe_missing(list(settling.restarted), NAMED) or "none",
    }
    for actuator, count in settling.restarted.items():
        values[f"{actuator} started anew"] = f"{count} times"
    again = describe_missing(list(settling.restarted))
    texts = {findings.STARTED_ANEW: f"{findings.STARTED_ANEW.text}: {again}"} if again else {}
    if left > 0.0:
        names = describe_missing(list(settling.left))
        text = f"{findings.SETTLING.text} {left:.3f} s, since stamp {begun}: {names}"
        texts = {findings.SETTLING: text, **texts}
    if texts:
        return found(name, next(iter(texts)), "; ".join(texts.values()), values)
    if settling.begun is None:
        return status(name, DiagnosticStatus.OK, "nothing to estimate yet", values)
    return status(name, DiagnosticStatus.OK, f"settled, youngest since stamp {begun}", values)


def unjudged(judged: DiagnosticStatus) -> DiagnosticStatus:
    """Return a status with the same values but without findings, for settling estimates."""
    judged.level = DiagnosticStatus.OK
    judged.message = "not judged while the estimates settle"
    return judged


def cycle_status(
    name: str, report: CycleReport, statistics: CycleStatistics, waited: int
) -> DiagnosticStatus:
    """Report number and time of the cycles since the last report, and samples without their own.

    An error while cycles fail, as when a loop cannot be closed; a warning where some have failed,
    or where the node does not keep up with its input.
    """
    values = {
        "cycles": str(statistics.computed),
        "rate (Hz)": f"{report.rate:.1f}",
        "mean cycle time (us)": f"{1e6 * report.mean_time:.1f}",
        "longest cycle time (us)": f"{1e6 * report.longest_time:.1f}",
        "overruns": str(report.overruns),
        "failed cycles": str(report.failed),
        "cycles out of reach": str(statistics.out_of_reach),
        PASSED_OVER: str(statistics.passed_over),
        "samples that waited for lengths": str(waited),
    }
    if report.fault:
        text = f"{findings.CYCLE_FAILED.text}: {report.fault}"
        return found(name, findings.CYCLE_FAILED, text, values)
    if report.failed:
        text = f"{report.failed} {findings.FAILED_LATELY.text}: {report.last_fault}"
        return found(name, findings.FAILED_LATELY, text, values)
    if report.overruns > TOLERATED_OVERRUNS * report.cycles:
        text = f"{report.overruns} of {report.cycles} {findings.OVERRUNS.text}"
        return found(name, findings.OVERRUNS, text, values)
    return status(name, DiagnosticStatus.OK, f"{report.rate:.1f} cycles per second", values)


def load_shares(model: Model, state: State) -> list[tuple[str, float]]:
    """Return each actuator's effort as share of the rated one, largest first."""
    shares = [
        (name, abs(float(effort)) / limit.effort)
        for name, effort, limit in zip(
            model.actuator_names, state.actuator_effort, model.actuator_limits(), strict=True
        )
        if 0.0 < limit.effort < math.inf
    ]
    return sorted(shares, key=lambda item: -item[1])


def load_status(
    name: str, model: Model, state: State | None, assumed: Mapping[str, str]
) -> DiagnosticStatus:
    """Report fractions of the rated effort, with a warning above one, and the assumed loads."""
    values = dict(assumed)
    if state is None or state.dynamics is None:
        return status(name, DiagnosticStatus.OK, "no efforts computed yet", values)
    shares = load_shares(model, state)
    values |= {f"{actuator} (% of rated)": f"{100.0 * share:.1f}" for actuator, share in shares}
    over = [actuator for actuator, share in shares if share > 1.0]
    if over:
        text = f"{findings.OVERLOAD.text}: {', '.join(over)}"
        return found(name, findings.OVERLOAD, text, values)
    return status(name, DiagnosticStatus.OK, "no overload", values)


def contact_status(
    name: str, model: Model, comparison: Comparison | None, contradictions: Mapping[str, str]
) -> DiagnosticStatus:
    """Report measured efforts; a warning for a contact, or efforts that contradict the model."""
    if comparison is None:
        return status(name, DiagnosticStatus.OK, "unknown: no efforts are measured", {})
    values = {}
    for i in np.flatnonzero(comparison.measured):
        actuator = model.actuator_names[i]
        values[f"{actuator} residual"] = f"{comparison.residual[i]:.4g}"
        values[f"{actuator} from outside"] = f"{comparison.external[i]:.4g}"
    values |= {f"{actuator} contradiction": text for actuator, text in contradictions.items()}
    if contradictions:
        described = describe_missing([f"{n} ({text})" for n, text in contradictions.items()])
        text = f"{findings.EFFORTS_CONTRADICT.text}: {described}"
        return found(name, findings.EFFORTS_CONTRADICT, text, values)
    felt = [model.actuator_names[i] for i in np.flatnonzero(comparison.contacts)]
    if felt:
        text = f"{findings.CONTACT.text} {describe_missing(felt)}"
        return found(name, findings.CONTACT, text, values)
    return status(name, DiagnosticStatus.OK, "no contact felt", values)


def stability_status(name: str, model: Model, state: State | None) -> DiagnosticStatus:
    """Report how far the robot is from tipping over.

    A warning where the tip-over margin is below `SMALL_MARGIN`, an error where it is negative or
    where the floor would have to pull.
    """
    support = Support.of(model)
    if not len(support.polygon):
        return status(name, DiagnosticStatus.OK, "unknown: the model has no wheel contacts", {})
    if state is None or state.dynamics is None:
        return status(name, DiagnosticStatus.OK, "no loads computed yet", {})
    _, point, margin, edge = stability_of(model, support, state)
    if margin != margin:
        return found(name, findings.FLOOR_PULLS, findings.FLOOR_PULLS.text, {})
    values = {
        "tip-over margin (m)": f"{margin:.3f}",
        "zero-moment point (m)": f"{point[0]:.3f} {point[1]:.3f}",
        "nearest point of the edge (m)": f"{edge[0]:.3f} {edge[1]:.3f}",
        "frame": support.frame,
    }
    if margin < 0.0:
        text = f"zero-moment point {-margin:.3f} m outside the wheel contacts"
        return found(name, findings.TIPS_OVER, f"{findings.TIPS_OVER.text}: {text}", values)
    if margin < SMALL_MARGIN:
        text = f"{findings.NEAR_TIPPING.text} {margin:.3f} m"
        return found(name, findings.NEAR_TIPPING, text, values)
    return status(name, DiagnosticStatus.OK, f"tip-over margin {margin:.3f} m", values)


def clearance_status(name: str, nearest: Clearance | None, margin: float) -> DiagnosticStatus:
    """Report the nearest pair of shapes, see `clearance_fields`."""
    return status(name, *clearance_fields(nearest, margin))


def clearance_fields(nearest: Clearance | None, margin: float) -> tuple[bytes, str, dict[str, str]]:
    """Return level, message and values of the nearest pair of shapes.

    A warning below the margin, an error if they overlap.
    """
    if nearest is None or not math.isfinite(nearest.distance):
        return DiagnosticStatus.OK, "not monitored", {}
    distance, first, second = float(nearest.distance), str(nearest.first), str(nearest.second)
    values = {
        "distance (m)": f"{distance:.6f}",
        "first": first,
        "second": second,
        "point of first (m)": POINT.format(*nearest.p_first.tolist()),
        "point of second (m)": POINT.format(*nearest.p_second.tolist()),
    }
    text = f"'{first}' and '{second}', {distance:.4f} m"
    if distance >= margin and distance > 0.0:
        return DiagnosticStatus.OK, text, values
    finding = findings.OVERLAP if distance <= 0.0 else findings.SMALL_CLEARANCE
    return LEVELS[finding.level], f"{finding.text}: {text}", values


def model_status(name: str, model: Model, *, has_base: bool = False) -> DiagnosticStatus:
    """Report the model in use, its estimated values and its impossible ones.

    A warning where links have moments of inertia that no body has, or mimic joints no leader, and
    where floating joints are held: unless `has_base`, with messages about the base.
    """
    sources = model.mechanisms.sources
    values = {"robot": model.name, "mass (kg)": f"{model.total_mass:.3f}"}
    values.update({f"source of {key}": source for key, source in sources.items()})
    inertials = sources.get("inertials", "of unknown source")
    text = f"{model.name}, inertials {inertials}"
    if model.mechanisms.passive_joints:
        values["passive joints"] = describe_missing([*model.mechanisms.passive_joints], NAMED) or ""
    idle = describe_missing([*idle_joints(model)], NAMED)
    if idle is not None:
        values["idle joints"] = idle
    for warning in model.warnings[:NAMED]:
        values[warning.subject] = f"{warning.fault}; {warning.consequence}"
    subjects = describe_missing([warning.subject for warning in model.warnings], NAMED)
    held = None if has_base else describe_missing(floating_joints(model), NAMED)
    complaints = [
        (finding, f"{finding.text}: {described}")
        for finding, described in (
            (findings.CANNOT_BE_RIGHT, subjects),
            (findings.FLOATING_HELD, held),
        )
        if described is not None
    ]
    if not complaints:
        return status(name, DiagnosticStatus.OK, text, values)
    text = "; ".join((text, *(complaint for _, complaint in complaints)))
    return found(name, complaints[0][0], text, values)


def prefixed(names: Sequence[str], node: str) -> list[str]:
    """Return status names under the node's name, as diagnostic aggregators expect them."""
    return [f"{node}: {name}" for name in names]
