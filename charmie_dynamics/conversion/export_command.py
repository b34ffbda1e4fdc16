# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The command charmie_export: a robot as MJCF, and how much its holding efforts differ there."""

from __future__ import annotations

import argparse

from charmie_dynamics.errors import InputError, OutOfReachError
from charmie_dynamics.model.reading import read_model

from .mjcf_efforts import effort_difference
from .mjcf_writer import write_mjcf


def run(options: argparse.Namespace) -> int:
    """Write the file, and print the differences."""
    if options.poses < 1:
        raise InputError(f"--poses: expected at least 1, got {options.poses}")
    model = read_model(options.urdf, options.mechanisms)
    text = write_mjcf(model, options.mass, with_shapes=True)
    options.mjcf.write_text(text, encoding="utf-8")
    print(f"{options.mjcf}")
    left = sum(
        shape.kind == "mesh" for link in model.tree.links.values() for shape in link.collisions
    )
    print(f"left out: {left} meshes" if left else "left out: nothing")
    try:
        found = effort_difference(model, text, options.poses)
    except OutOfReachError as error:
        print(f"efforts were not compared: {error}")
        return 0
    print(
        f"efforts in {found.poses} poses at rest: largest {found.largest:.4g}, difference "
        f"{found.effort:.1e}; loops open by {found.opening:.1e} m or rad there"
    )
    return 0
