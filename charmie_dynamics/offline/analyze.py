"""charmie_analyze: run the node's pipeline over a recording, without ROS."""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from ..model.errors import CharmieError
from ..model.model import Model, load_model
from ..signals.align import ACTUATOR_LENGTHS, JOINT_STATES
from .analysis import METHODS, Analysis, NothingComputedError, analyse, conclude
from .columns import read_layout
from .cycles import Settings, Tally
from .export import export, require_format, table
from .measured import comparison_table
from .output_bag import PLUGINS, OutputBag
from .received import Recording
from .recorded_bag import RecordedBag
from .recorded_outputs import recorded_cycles
from .robots import model_from_description
from .summary import effort_units, summary_table
from .tabular import TabularRecording


def parse_options(arguments: list[str] | None = None) -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(
        prog="charmie_analyze",
        description="Compute efforts, loads and poses from the inputs in a recording, as the "
        "dynamics node does live, and sum up what the robot did. What could not be read or "
        "computed is said on standard error.",
    )
    parser.add_argument(
        "recording", type=Path, metavar="IN_BAG",
        help="folder of a rosbag2, one of its files (.mcap, .db3), or with --columns a table",
    )  # fmt: skip
    out = parser.add_argument_group("what is written")
    out.add_argument("--out", type=Path, metavar="OUT_BAG", help="new bag with the node's topics")
    out.add_argument("--storage", choices=tuple(PLUGINS), help="of OUT_BAG; default: as IN_BAG")
    out.add_argument(
        "--export", type=Path, nargs="+", default=[], metavar="FILE",
        help="tables of all cycles, .csv or .parquet",
    )  # fmt: skip
    out.add_argument("--json", type=Path, metavar="FILE", help="the summary, for programs")
    out.add_argument(
        "--measured", action="store_true",
        help="hold measured efforts against those of the model, and identify friction",
    )  # fmt: skip
    out.add_argument(
        "--plots", type=Path, metavar="DIR", help="charts of --measured; needs matplotlib"
    )
    robot = parser.add_argument_group("the robot")
    robot.add_argument(
        "--urdf", type=Path, metavar="FILE", help="default: recorded robot_description, CHARMIE"
    )
    robot.add_argument(
        "--mechanisms", type=Path, metavar="FILE",
        help="mechanisms file; default: CHARMIE's with CHARMIE, else none",
    )  # fmt: skip
    robot.add_argument(
        "--hold", nargs="+", default=[], type=_held, metavar="ACTUATOR=VALUE",
        help="where actuators stood that were not recorded (rad or m)",
    )  # fmt: skip
    inputs = parser.add_argument_group("the recording")
    inputs.add_argument("--namespace", default="", metavar="NS", help="of the node")
    inputs.add_argument("--joint-states", metavar="TOPIC", help="if it has another name")
    inputs.add_argument("--actuator-lengths", metavar="TOPIC", help="if it has another name")
    inputs.add_argument(
        "--columns", type=Path, metavar="YAML", help="what the columns of a table mean"
    )
    how = parser.add_argument_group("how it is computed")
    how.add_argument(
        "--smoothing", choices=tuple(METHODS), default="causal",
        help="causal: the node's own estimates, sample by sample (default); zero-phase: without "
        "lag, from what came before and after",
    )  # fmt: skip
    how.add_argument("--cutoff", type=_positive, default=10.0, metavar="HZ", help="default: 10")
    how.add_argument(
        "--timeout", type=_positive, default=0.5, metavar="S",
        help="age from which an input is stale; default: 0.5",
    )  # fmt: skip
    how.add_argument("--no-acceleration", action="store_true", help="take accelerations as zero")
    how.add_argument("--no-dynamics", action="store_true", help="kinematics only")
    how.add_argument("--require-base-joints", action="store_true", help="as the node's parameter")
    how.add_argument("--world-frame", default="odom", metavar="FRAME", help="default: odom")
    how.add_argument("--frame-prefix", default="", metavar="PREFIX", help="of OUT_BAG")
    how.add_argument("--quiet", action="store_true", help="no progress bar")
    options = parser.parse_args(arguments)
    if options.plots and not options.measured:
        parser.error("--plots draws the charts of --measured, which is not given")
    if options.no_dynamics and options.measured:
        parser.error("--measured compares efforts, which --no-dynamics does not compute")
    return options


def _positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"expected a number above 0, got '{text}'")
    return value


def _held(text: str) -> tuple[str, float]:
    name, equals, number = text.rpartition("=")
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not (equals and name and math.isfinite(value)):
        raise argparse.ArgumentTypeError(f"expected ACTUATOR=VALUE, got '{text}'")
    return name, value


def run(options: argparse.Namespace) -> tuple[Analysis, list[str]]:
    """Analyse, write what was asked for; return the analysis and notices of what is missing.

    Raises
    ------
    CharmieError
        If nothing can be computed, or an option cannot be met.
    """
    for path in options.export:
        require_format(path)
    if options.columns:
        layout = read_layout(options.columns)
        model = load_model(options.urdf, options.mechanisms)
        lengths = {actuator.name for actuator in model.mechanisms.linear_actuators}
        table_recording = TabularRecording(options.recording, layout, lengths)
        settings = _settings(options, {**layout.hold, **dict(options.hold)})
        storage = options.storage or "mcap"
        analysis = _analyse(options, model, table_recording, settings, storage, "/")
        notices = [*table_recording.trouble.lines(), *analysis.tally.lines()]
    else:
        topics = {JOINT_STATES: options.joint_states, ACTUATOR_LENGTHS: options.actuator_lengths}
        given = {name: topic for name, topic in topics.items() if topic}
        with RecordedBag(options.recording, options.namespace, given) as recording:
            model, notices = _model(options, recording)
            settings = _settings(options, dict(options.hold))
            storage = options.storage or recording.storage
            needs_lengths = bool(model.mechanisms.linear_actuators)
            for topic in recording.missing_topics(needs_lengths=needs_lengths):
                notices.append(f"the bag has no topic '{topic}'")
            try:
                analysis = _analyse(options, model, recording, settings, storage, recording.prefix)
            except NothingComputedError as error:
                analysis = _from_outputs(model, recording, settings, error)
                notices.append(f"{error}. What follows is from the efforts that the node published")
            notices += [*recording.trouble.lines(), *analysis.tally.lines()]
    if options.measured and not analysis.comparisons:
        notices.append("no measured effort of an actuator was recorded")
    _write(options, analysis, notices)
    return analysis, notices


def _settings(options: argparse.Namespace, hold: dict[str, float]) -> Settings:
    return Settings(
        smoothing=options.smoothing,
        cutoff=options.cutoff,
        timeout=options.timeout,
        estimate_acceleration=not options.no_acceleration,
        require_base_joints=options.require_base_joints,
        dynamics=not options.no_dynamics,
        hold=hold,
    )


def _analyse(
    options: argparse.Namespace,
    model: Model,
    recording: Recording,
    settings: Settings,
    storage: str,
    prefix: str,
) -> Analysis:
    out: Any = nullcontext()
    if options.out:
        out = OutputBag(
            options.out, model, storage=storage, prefix=prefix, dynamics=settings.dynamics,
            world_frame=options.world_frame, frame_prefix=options.frame_prefix,
        )  # fmt: skip
    with out as bag:
        write = None if bag is None else bag.write
        return analyse(model, recording, settings, write, progress=not options.quiet)


def _from_outputs(
    model: Model, recording: RecordedBag, settings: Settings, error: NothingComputedError
) -> Analysis:
    """Return an analysis of recorded outputs.

    Raises
    ------
    NothingComputedError
        The given error, where there are none.
    """
    cycles = recorded_cycles(model, recording) if settings.dynamics else None
    if cycles is None:
        raise error
    unknown = np.full(cycles.arrays["position"].shape, np.nan)
    return conclude(model, settings, cycles, Tally(), unknown)


def _model(options: argparse.Namespace, recording: RecordedBag) -> tuple[Model, list[str]]:
    if options.urdf:
        return load_model(options.urdf, options.mechanisms), []
    return model_from_description(
        recording.description, f"bag '{recording.path}'", options.mechanisms
    )


def _write(options: argparse.Namespace, analysis: Analysis, notices: list[str]) -> None:
    measured = friction = None
    if options.measured:
        measured, friction = analysis.measured, analysis.friction()
    for path in options.export:
        export(path, table(analysis.model, analysis.cycles, measured, friction))
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(as_dict(analysis, notices), indent=1)
        options.json.write_text(text + "\n", encoding="utf-8")
    if options.plots and analysis.comparisons:
        # needs matplotlib, which nothing else here does
        from .measured_chart import chart_measured

        chart_measured(
            options.plots, analysis.model, analysis.cycles, analysis.measured, analysis.comparisons
        )


def as_dict(analysis: Analysis, notices: list[str]) -> dict[str, Any]:
    """Return the summary as plain values; what is unknown is None."""
    comparisons = []
    for c in analysis.comparisons:
        friction = None if c.friction is None else vars(c.friction)
        entry = {**vars(c), "friction": friction}
        unknown = {k for k, v in entry.items() if isinstance(v, float) and not math.isfinite(v)}
        comparisons.append({k: None if k in unknown else v for k, v in entry.items()})
    return {
        "robot": analysis.model.name,
        "smoothing": analysis.settings.smoothing,
        "cycles": len(analysis.cycles.stamps),
        "duration": analysis.duration,
        "actuators": [summary.as_dict() for summary in analysis.summaries],
        "measured": comparisons,
        "notices": notices,
    }


def report(analysis: Analysis, options: argparse.Namespace, seconds: float) -> str:
    """Return what is printed."""
    duration = analysis.duration
    parts = [
        f"{analysis.model.name}: {len(analysis.cycles.stamps)} cycles over {duration:.2f} s, "
        f"computed in {seconds:.2f} s, {duration / seconds:.0f} times as fast as real time",
    ]
    if analysis.summaries:
        parts.append(summary_table(analysis.summaries))
    if options.measured and analysis.comparisons:
        units = effort_units(analysis.model)
        parts.append(comparison_table(analysis.model, analysis.comparisons, units))
    return "\n\n".join(parts)


def main(arguments: list[str] | None = None) -> int:
    """Analyse; exit status 0 if all that was asked for could be written, else 1."""
    options = parse_options(arguments)
    start = time.perf_counter()
    try:
        analysis, notices = run(options)
    except (CharmieError, OSError) as error:
        print(f"charmie_analyze: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    print(report(analysis, options, time.perf_counter() - start))
    for notice in notices:
        print(f"charmie_analyze: {notice}", file=sys.stderr)
    lacks_bag = options.out is not None and not options.out.exists()
    lacks_comparison = options.measured and not analysis.comparisons
    return 1 if lacks_bag or lacks_comparison else 0


if __name__ == "__main__":
    sys.exit(main())
