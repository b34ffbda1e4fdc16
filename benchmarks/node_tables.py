# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The tables of nodes on the wire, from what was measured with ROS 2."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from validation.harness.tables import at_most, table, verdict

Records = Sequence[dict[str, Any]]
# what is required of the node with joints and lengths, markers watched and a recorder running
FULL_RATE = 1000.0  # Hz
LOSSLESS_TIME = 60.0  # s in which nothing may be lost
LATENCY_RATIO = 1.2  # node / echo, of the medians
CPU_RATIO = 1.3  # node / echo
LOW_RATE = 100.0  # Hz
LOW_RATE_CPU = 4.0  # % of a core
SIMULATOR_CPU = 25.0  # % of a core, in real time with steps of 1 ms
# of the simulator, the dynamics node and the controller on one graph, by samples a second
CONTROLLED_CPU = {200.0: 10.0, 1000.0: 33.3}  # % of a core, of each
CONTROLLER_LATENCY_RATIO = 1.3  # controller / echo, of the medians


def read_records(path: str) -> Records:
    """Return the records of a file with one JSON object a line; none without a file."""
    lines = Path(path).read_text(encoding="utf-8").splitlines() if path else []
    return [json.loads(line) for line in lines if line]


def node_table(records: Records, reason: str = "") -> str:
    """Return the table of node and echo; `reason` says what of them is not measured, and why."""
    rows = [
        (
            *(record["process"], _configuration(record), record["distro"], record["rmw"]),
            f"{record['rate']:g}",
            f"{1e6 * record['latency_median']:.0f}",
            f"{1e6 * record['latency_p99']:.0f}",
            f"{100 * record['cpu']:.1f}",
            f"{record['memory'] / 2**20:.0f}",
            *(record["sent"], record["lost"], _lost_in_recording(record)),
        )
        for record in records
    ]
    heads = ("process", "configuration", "ROS 2", "middleware", ">rate (Hz)",
             ">latency, median (us)", ">latency, 99 % (us)", ">CPU (% of a core)", ">memory (MB)",
             ">samples", ">lost efforts", ">lost in the recording")  # fmt: skip
    return _with_reason(table(heads, rows) if rows else "", reason)


def ratio_table(records: Records) -> str:
    """Return the table of the node's figures over the echo's, beside what is required of them."""
    keys = "distro", "rmw", "lengths", "rate"
    echoes = {tuple(r[k] for k in keys): r for r in records if r["process"] == "echo"}
    rows = []
    for node in (record for record in records if record["process"] == "node"):
        echo = echoes.get(tuple(node[k] for k in keys))
        full = node["lengths"] and node["rate"] >= FULL_RATE
        ratios = ["-", "-"]
        if echo is not None:
            ratios = [
                at_most(node[name] / echo[name], limit if full else None)
                for name, limit in (("latency_median", LATENCY_RATIO), ("cpu", CPU_RATIO))
            ]
        slow = node["lengths"] and node["rate"] == LOW_RATE
        cpu = at_most(100 * node["cpu"], LOW_RATE_CPU if slow else None)
        head = _configuration(node), node["distro"], f"{node['rate']:g}", _losses(node, full)
        rows.append((*head, *ratios, cpu))
    heads = ("configuration of the node", "ROS 2", ">rate (Hz)", "lost",
             "median latency, node / echo", "CPU, node / echo",
             "CPU of the node (% of a core)")  # fmt: skip
    return table(heads, rows) if rows else "Not measured."


def simulator_table(records: Records, reason: str = "") -> str:
    """Return the table of the simulator's CPU."""
    rows = []
    for record in records:
        heard = "dynamics node, recorder" if record["listeners"] else "none"
        limit = None if record["listeners"] else SIMULATOR_CPU
        cpu = at_most(100.0 * record["cpu"], limit, ".1f")
        rows.append((record["distro"], f"{record['rate']:g}", heard, cpu))
    heads = ("ROS 2", ">samples (Hz)", "listeners", ">CPU (% of a core)")
    return _with_reason(table(heads, rows) if rows else "", reason)


def controlled_table(records: Records, reason: str = "") -> str:
    """Return the table of the simulator, the dynamics node and the controller on one graph."""
    echoes = {(r["distro"], r["rate"]): r for r in records if r["process"] == "echo"}
    rows = []
    for record in (record for record in records if record["process"] == "controller"):
        distro, rate, cpu = record["distro"], record["rate"], record["cpu"]
        echo = echoes[distro, rate]
        ratio = record["latency_median"] / echo["latency_median"]
        shares = (
            at_most(100.0 * cpu[name], CONTROLLED_CPU[rate], ".1f")
            for name in ("simulator", "dynamics", "controller")
        )
        lost = f"{record['lost']} of {record['states']}"
        rows.append(
            (
                *(distro, f"{rate:g}", f"{record['states'] / record['seconds']:.0f}", *shares),
                *(f"{100.0 * echo['cpu']['echo']:.1f}", f"{1e6 * echo['latency_median']:.0f}"),
                *(at_most(ratio, CONTROLLER_LATENCY_RATIO), lost),
            )
        )
    heads = ("ROS 2", ">samples asked for (Hz)", ">got (Hz)", "simulator (% of a core)",
             "dynamics node (%)", "controller (%)", ">echo (%)", ">latency of the echo (us)",
             "latency, controller / echo", "samples without efforts")  # fmt: skip
    return _with_reason(table(heads, rows) if rows else "", reason)


def _with_reason(text: str, reason: str) -> str:
    missing = [f"Not measured: {reason or 'no ROS 2'}."] if reason or not text else []
    return "\n\n".join([text] * bool(text) + missing)


def _configuration(record: dict[str, Any]) -> str:
    parts = ["joints and lengths" if record["lengths"] else "all joints in one message"]
    parts += ["markers watched"] if record["viewer"] else []
    parts += ["recorder"] if record["recorder"] else []
    return ", ".join(parts)


def _lost_in_recording(record: dict[str, Any]) -> int:
    # less than nothing: what the recorder has and the receiver of the efforts lost
    return sum(max(0, count) for count in record["lost_in_recording"].values())


def _losses(record: dict[str, Any], required: bool) -> str:
    efforts, messages = record["lost"], _lost_in_recording(record)
    parts = [f"{efforts} of the efforts"] if efforts else []
    parts += [f"{messages} of the messages in the recording"] if messages else []
    shown = f"{', '.join(parts) or 'nothing'} in {record['seconds']:.0f} s"
    if not required:
        return shown
    short = not parts and record["seconds"] < LOSSLESS_TIME
    met = "not measured for so long" if short else verdict(not parts)
    return f"{shown} (nothing in {LOSSLESS_TIME:g} s: {met})"
