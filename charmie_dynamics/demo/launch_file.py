# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A runner of launch files, for systems without the command ``ros2 launch``.

python -m charmie_dynamics.demo.launch_file FILE [name:=value ...]
"""

from __future__ import annotations

import sys

from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import AnyLaunchDescriptionSource


def main(arguments: list[str]) -> int:
    """Run the file until its processes end or an interrupt; return the exit status."""
    path, *settings = arguments
    pairs = [tuple(setting.split(":=", 1)) for setting in settings]
    include = IncludeLaunchDescription(AnyLaunchDescriptionSource(path), launch_arguments=pairs)
    service = LaunchService(argv=settings)
    service.include_launch_description(LaunchDescription([include]))
    return int(service.run())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
