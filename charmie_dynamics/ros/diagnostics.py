"""What /diagnostics says: pure functions from counters to statuses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue

from ..model.model import Model
from ..model.stability import Support, stability_of
from ..model.state import State
from ..signals.align import Counters, describe_missing
from ..signals.pipeline import CycleStatistics

# m, a tip-over margin below this is a warning
SMALL_MARGIN = 0.05


@dataclass
class InputMonitor:
    """Arrivals on one input topic since the last report."""

    received: int = 0
    rejected: dict[str, int] = field(default_factory=dict)
    last_arrival: float | None = None
    rate: float = 0.0

    def reject(self, cause: str) -> None:
        """Count a refused message; causes beyond the first few are counted together."""
        key = cause if cause in self.rejected or len(self.rejected) < 16 else "other causes"
        self.rejected[key] = self.rejected.get(key, 0) + 1

    def close_interval(self, seconds: float) -> None:
        """Turn the arrivals since the last call into a rate (Hz)."""
        self.rate = self.received / seconds if seconds > 0.0 else 0.0
        self.received = 0


def status(name: str, level: bytes, message: str, values: dict[str, str]) -> DiagnosticStatus:
    """Return one status with its values."""
    return DiagnosticStatus(
        name=name,
        level=level,
        message=message,
        hardware_id="charmie",
        values=[KeyValue(key=key, value=value) for key, value in values.items()],
    )


def input_status(
    name: str,
    monitors: dict[str, InputMonitor],
    counters: Counters,
    missing: list[str],
    now: float,
) -> DiagnosticStatus:
    """Report rates, ages and rejected samples; an error where something needed is not there."""
    values: dict[str, str] = {}
    for topic, monitor in monitors.items():
        values[f"{topic} rate (Hz)"] = f"{monitor.rate:.1f}"
        age = "never" if monitor.last_arrival is None else f"{now - monitor.last_arrival:.3f}"
        values[f"{topic} age (s)"] = age
        values[f"{topic} rejected"] = str(sum(monitor.rejected.values()))
        for cause, count in monitor.rejected.items():
            values[f"{topic} rejected: {cause}"] = str(count)
    values["accepted samples"] = str(counters.accepted)
    values["late samples"] = str(counters.late)
    values["jumps back in time"] = str(counters.jumps_back)
    values["entries without a position"] = str(counters.absent_entries)
    if counters.unknown_names:
        values["ignored names"] = ", ".join(counters.unknown_names)
    lost = describe_missing(missing)
    if lost is not None:
        return status(name, DiagnosticStatus.ERROR, f"missing or stale: {lost}", values)
    return status(name, DiagnosticStatus.OK, "all inputs fresh", values)


def cycle_status(name: str, statistics: CycleStatistics, fault: str) -> DiagnosticStatus:
    """Report number and time of the cycles; an error while a loop cannot be closed."""
    mean = statistics.total_time / statistics.computed if statistics.computed else 0.0
    values = {
        "cycles": str(statistics.computed),
        "mean cycle time (us)": f"{1e6 * mean:.1f}",
        "longest cycle time (us)": f"{1e6 * statistics.longest_time:.1f}",
        "cycles out of reach": str(statistics.out_of_reach),
    }
    if fault:
        return status(name, DiagnosticStatus.ERROR, fault, values)
    return status(name, DiagnosticStatus.OK, f"{statistics.computed} cycles", values)


def load_shares(model: Model, state: State) -> list[tuple[str, float]]:
    """Return each actuator's effort as share of the rated one, largest first."""
    shares = [
        (name, abs(float(effort)) / limit.effort)
        for name, effort, limit in zip(
            model.actuator_names, state.actuator_effort, model.actuator_limits(), strict=True
        )
        if limit.effort > 0.0
    ]
    return sorted(shares, key=lambda item: -item[1])


def load_status(name: str, model: Model, state: State | None) -> DiagnosticStatus:
    """Report the share of the rated effort; a warning above it."""
    if state is None or state.dynamics is None:
        return status(name, DiagnosticStatus.OK, "no efforts computed yet", {})
    shares = load_shares(model, state)
    values = {f"{actuator} (% of rated)": f"{100.0 * share:.1f}" for actuator, share in shares}
    over = [actuator for actuator, share in shares if share > 1.0]
    if over:
        return status(name, DiagnosticStatus.WARN, f"overload: {', '.join(over)}", values)
    return status(name, DiagnosticStatus.OK, "no overload", values)


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
        return status(name, DiagnosticStatus.ERROR, "the floor would have to pull", {})
    values = {
        "tip-over margin (m)": f"{margin:.3f}",
        "zero-moment point (m)": f"{point[0]:.3f} {point[1]:.3f}",
        "nearest point of the edge (m)": f"{edge[0]:.3f} {edge[1]:.3f}",
        "frame": support.frame,
    }
    if margin < 0.0:
        text = f"tips over: zero-moment point {-margin:.3f} m outside the wheel contacts"
        return status(name, DiagnosticStatus.ERROR, text, values)
    text = f"tip-over margin {margin:.3f} m"
    if margin < SMALL_MARGIN:
        return status(name, DiagnosticStatus.WARN, f"small {text}", values)
    return status(name, DiagnosticStatus.OK, text, values)


def model_status(name: str, model: Model) -> DiagnosticStatus:
    """Report which model runs and which of its values are estimates."""
    values = {"robot": model.name, "mass (kg)": f"{model.total_mass:.3f}"}
    values.update({f"source of {key}": source for key, source in model.mechanisms.sources.items()})
    return status(name, DiagnosticStatus.OK, model.name, values)


def prefixed(names: Sequence[str], node: str) -> list[str]:
    """Return status names under the node's name, as diagnostic aggregators expect them."""
    return [f"{node}: {name}" for name in names]
