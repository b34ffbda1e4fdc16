# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The main program of the demo: motion player, dynamics node and recorder as processes."""

from __future__ import annotations

import argparse
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from charmie_dynamics.command_line import Parser, run_program
from charmie_dynamics.errors import CharmieError
from charmie_dynamics.live.settings import DEFAULTS
from charmie_dynamics.motions import MOTION_NAMES

if TYPE_CHECKING:  # the options are parsed without rclpy
    from .domain import DomainWatch

# the first start compiles the kernels
FIRST_EFFORTS = 180.0  # s
STOP = 10.0  # s
SILENCE = 20.0  # s
ADVICE = (
    "{log} contains the output of the nodes. Repeat the demo; if a fault recurs, report it with "
    "{bag} and {log}."
)


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = Parser(
        "charmie_demo",
        "Play a motion to the dynamics node on a real ROS 2 graph, record every topic, "
        "and leave a bag, a picture of the robot and one of the efforts.",
        "charmie_demo --duration 10",
    )
    parser.add_argument(
        "--duration", type=float, default=20.0, metavar="S",
        help="recorded time; default: %(default)g",
    )  # fmt: skip
    parser.add_argument(
        "--output", type=Path, default=Path("demo_output"), metavar="DIR",
        help="folder of the results; default: %(default)s",
    )  # fmt: skip
    parser.add_argument(
        "--motion", choices=MOTION_NAMES, default="wave", help="default: %(default)s"
    )
    parser.add_argument(
        "--rate", type=float, default=100.0, metavar="HZ",
        help="samples per second of the input; default: %(default)g",
    )  # fmt: skip
    parser.add_argument(
        "--simulate", action="store_true",
        help="simulate CHARMIE, with measured efforts, friction and an unmodelled load",
    )  # fmt: skip
    parser.add_argument(
        "--model", default="", metavar="URDF",
        help="robot of the package, or a URDF, without --simulate; default: CHARMIE",
    )  # fmt: skip
    parser.add_argument(
        "--mechanisms", default="", metavar="FILE",
        help="mechanisms file of the robot; default: that of a robot of the package, else none",
    )  # fmt: skip
    parser.add_argument("--rviz", action="store_true", help="open RViz if it is installed")
    return parser


def parse_options(arguments: list[str] | None = None) -> argparse.Namespace:
    """Return the options of the command line."""
    parser = make_parser()
    options = parser.parse_args(arguments)
    for name in ("duration", "rate"):
        if not getattr(options, name) > 0.0:
            parser.error(f"--{name} must be above 0, got {getattr(options, name)}")
    if options.simulate and (options.model or options.mechanisms):
        parser.error("--simulate uses CHARMIE; expected no --model and no --mechanisms")
    return options


class Processes:
    """Child processes, each in its own group; all are ended on exit."""

    def __init__(self) -> None:
        self._children: list[subprocess.Popen[str]] = []

    def start(self, *command: str, **options: Any) -> subprocess.Popen[str]:
        """Start a process."""
        child = subprocess.Popen(command, text=True, start_new_session=True, **options)
        self._children.append(child)
        return child

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        for child in self._children:
            stop(child)


def stop(child: subprocess.Popen[str]) -> int:
    """End a process group with Ctrl-C, then by force; return its status."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        if child.poll() is None:
            os.killpg(child.pid, number)
        try:
            return child.wait(STOP)
        except subprocess.TimeoutExpired:
            continue
    return child.wait()


def record(options: argparse.Namespace, bag: Path, log: Any, watch: DomainWatch) -> None:
    """Run the three nodes until the recorder has the requested samples.

    Raises
    ------
    CharmieError
        If a process ends early, no efforts arrive or another node publishes the demo's topics.
    """
    from charmie_dynamics.model.description.files import share_file

    from .simulated import write_simulated_robot

    python = sys.executable
    robot = [f"model:={options.model}"] * bool(options.model)
    robot += [f"mechanisms:={options.mechanisms}"] * bool(options.mechanisms)
    with Processes() as processes:
        recorder = processes.start(
            *(python, "-m", "charmie_dynamics.ros.nodes.recorder", "--ros-args"),
            *("-p", f"output:={bag}", "-p", f"duration:={options.duration}"),
            *(word for parameter in robot for word in ("-p", parameter)),
            stdout=subprocess.PIPE,
            stderr=log,
        )
        if options.simulate:
            urdf, mechanisms = write_simulated_robot(options.output)
            processes.start(
                *(python, "-m", "charmie_dynamics.ros.nodes.simulator_node", "--ros-args"),
                *("-p", f"model:={urdf}", "-p", f"mechanisms:={mechanisms}"),
                *("-p", f"motion:={options.motion}", "-p", f"rate:={options.rate}"),
                stdout=log,
                stderr=log,
            )
        launch = processes.start(
            *(python, "-m", "charmie_dynamics.demo.launch_file"),
            str(share_file("launch", f"{'charmie' if options.simulate else 'demo'}.launch.py")),
            *(() if options.simulate else (f"motion:={options.motion}", f"rate:={options.rate}")),
            f"use_sim_time:={'true' if options.simulate else 'false'}",
            f"marker_rate:={DEFAULTS.marker_rate}",
            f"rviz:={'true' if options.rviz else 'false'}",
            *robot,
            stdout=log,
            stderr=log,
        )
        _follow(recorder, launch, options.duration, watch)
        try:
            status = recorder.wait(STOP)
        except subprocess.TimeoutExpired:
            raise CharmieError(f"the recorder did not end within {STOP:.0f} s") from None
        if status != 0:
            raise CharmieError(f"the recorder ended with status {status}")
        status = stop(launch)
        if status not in (0, -signal.SIGINT):
            raise CharmieError(f"the launched nodes ended with status {status}")


def _follow(
    recorder: subprocess.Popen[str],
    launch: subprocess.Popen[str],
    duration: float,
    watch: DomainWatch,
) -> None:
    """Show the recorder's progress until it has finished."""
    from tqdm import tqdm

    start = time.monotonic()
    waiting = "waiting for the first efforts (the first start compiles the kernels)"
    recording = "recording"
    layout = "{desc}: {percentage:3.0f}%|{bar}| {n:.1f}/{total:.1f} s {postfix}"
    # a line from time to time in a log file, a moving bar on a terminal
    interval = 0.1 if sys.stderr.isatty() else 5.0
    with tqdm(
        total=duration, desc=waiting, bar_format=layout, file=sys.stderr, mininterval=interval
    ) as bar:
        while True:
            progress = _next_report(recorder)
            watch.require_no_others()
            counts = progress["counts"]
            if progress["elapsed"] > 0.0:
                bar.set_description_str(recording, refresh=bar.n == 0.0)  # at once, in logs too
            elif time.monotonic() - start > FIRST_EFFORTS:
                raise CharmieError(f"no efforts within {FIRST_EFFORTS:.0f} s")
            bar.set_postfix_str(f"{sum(counts.values())} messages", refresh=False)
            bar.update(min(progress["elapsed"], duration) - bar.n)
            if progress["finished"]:
                return
            if launch.poll() is not None:
                raise CharmieError(f"the nodes ended early, with status {launch.returncode}")


def _next_report(recorder: subprocess.Popen[str]) -> Any:
    """Return the recorder's next line of progress.

    Raises
    ------
    CharmieError
        If it has ended, or is silent for a long time.
    """
    stdout = recorder.stdout
    if stdout is None or not select.select([stdout], [], [], SILENCE)[0]:
        raise CharmieError(f"the recorder reported nothing for {SILENCE:.0f} s")
    line = stdout.readline()
    if not line:
        raise CharmieError("the recorder ended early")
    return json.loads(line)


def report(output: Path, rate: float, urdf: str = "", mechanisms: str = "") -> list[str]:
    """Print the content of the bag in a folder: tables, then remarks; return the faults.

    Raises
    ------
    CharmieError
        If the bag contains nothing to report.
    """
    from charmie_dynamics.model.reading import read_model
    from charmie_dynamics.recordings.read.bag import Bag
    from charmie_dynamics.recordings.read.recorded_motion import read_motion

    from .check import check_bag
    from .report import effort_table, topic_table, write_pictures

    bag = output / "bag"
    model = read_model(urdf, mechanisms)
    with Bag(bag) as recorded:
        motion = read_motion(recorded)
    write_pictures(motion, model, output)
    print(effort_table(model, motion))
    verdict = check_bag(bag, rate, DEFAULTS.marker_rate, model)
    print(f"\n{topic_table(verdict.rows)}")
    print(f"\n{bag}  {output / 'robot.png'}  {output / 'efforts.png'}")
    if count := int((~motion.judged).sum()):
        print(
            f"note: {count} samples during the settling of velocity and acceleration estimates are "
            "excluded from all results"
        )
    for remark in verdict.remarks:
        print(f"note: {remark}")
    return verdict.faults


def next_commands(bag: Path, mechanisms: str = "", has_measured_efforts: bool = False) -> str:
    """Return commands for a bag that work in the working directory of the demo."""
    from .simulated import MASS

    program = Path(sys.argv[0])
    start = "" if program.name == "charmie_demo" else "scripts/tool "
    if program.parent.name == "charmie_dynamics":  # in a workspace
        start = "ros2 run charmie_dynamics "
    words = [f"charmie_plot {bag}", f"charmie_render {bag} --gif", f"charmie_analyze {bag}"]
    if has_measured_efforts:
        words.append(f"charmie_identify {bag} --find-payload right --out {bag.parent / 'payload'}")
        words.append(f"charmie_analyze {bag} --measured --payload right={MASS}")
    robot = f" --mechanisms {mechanisms}" if mechanisms else ""
    return "\n".join(f"  {start}{command}{robot}" for command in words)


def main(arguments: list[str] | None = None) -> int:
    """Parse the options and run the demo; return its exit status."""
    return run_program(
        "charmie_demo", "charmie_dynamics.demo.run", parse_options(arguments), "demo"
    )


def run(options: argparse.Namespace) -> int:
    """Run the demo; return exit status 0 only if every recorded input has its outputs."""
    for module in ("charmie_dynamics.demo.check", "charmie_dynamics.demo.report"):
        import_module(module)  # fail before the start of processes
    from .domain import VARIABLE, DomainWatch, OtherPublishersError, select_domain
    from .simulated import FILES

    print(f"{VARIABLE}={select_domain()}", file=sys.stderr)
    output: Path = options.output
    bag = output / "bag"
    output.mkdir(parents=True, exist_ok=True)
    if bag.exists():
        shutil.rmtree(bag)
    for name in FILES:  # of an earlier demo with --simulate
        (output / name).unlink(missing_ok=True)
    log_path = output / "nodes.log"
    if options.rviz and shutil.which("rviz2") is None:
        print("--rviz: rviz2 is not installed; continuing without it", file=sys.stderr)
        options.rviz = False
    faults: list[str] = []
    try:
        with log_path.open("w", encoding="utf-8") as log, DomainWatch() as watch:
            record(options, bag, log, watch)
    except OtherPublishersError:
        raise  # a recording of two robots is not reported on
    except CharmieError as error:
        faults.append(str(error))
    except KeyboardInterrupt:
        return 130
    try:
        faults += report(output, options.rate, options.model, options.mechanisms)
    except CharmieError as error:
        # without a recording there is nothing to report
        faults += [] if faults else [str(error)]
    sys.stdout.flush()  # faults are last, also if both streams are one file
    for fault in faults:
        print(f"fault: {fault}", file=sys.stderr)
    if faults:
        print(ADVICE.format(bag=bag, log=log_path), file=sys.stderr)
    else:
        print(f"\nNext:\n{next_commands(bag, options.mechanisms, options.simulate)}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
