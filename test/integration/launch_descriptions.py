# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the launch files would start."""

from __future__ import annotations

from typing import Any

from launch import LaunchContext, LaunchDescription
from launch.actions import ExecuteProcess
from launch.launch_description_sources import get_launch_description_from_python_launch_file
from launch.utilities import perform_substitutions
from launch_ros.substitutions import ExecutableInPackage

from charmie_dynamics.model.description.files import share_file


def describe(name: str) -> LaunchDescription:
    return get_launch_description_from_python_launch_file(str(share_file("launch", name)))


def expand(entities: Any, context: LaunchContext) -> list[Any]:
    """Return all actions which run under the conditions that hold in `context`."""
    found = []
    for entity in entities:
        condition = getattr(entity, "condition", None)
        if condition is not None and not condition.evaluate(context):
            continue
        found.append(entity)
        if not isinstance(entity, ExecuteProcess):
            found += expand(entity.visit(context) or [], context)
    return found


def commands(name: str, **arguments: str) -> list[list[str]]:
    """Return the command lines of all processes, as far as they are known before the start."""
    context = LaunchContext()
    context.launch_configurations.update(arguments)
    processes = [
        action
        for action in expand(describe(name).entities, context)
        if isinstance(action, ExecuteProcess)
    ]
    return [[text_of(part, context) for part in process.cmd] for process in processes]


def text_of(part: Any, context: LaunchContext) -> str:
    """Return a part of a command line; `package/executable` for what need not be installed."""
    return "".join(
        "/".join(perform_substitutions(context, name) for name in (one.package, one.executable))
        if isinstance(one, ExecutableInPackage)
        else one.perform(context)
        for one in part
    )
