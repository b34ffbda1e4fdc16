# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""From the files of a robot to its model."""

from __future__ import annotations

import warnings
from pathlib import Path

from charmie_dynamics.errors import ModelFileWarning

from .description.description_warnings import warning_lines
from .description.files import read_text
from .description.mechanisms import MechanismSet, parse_mechanisms
from .description.package_robots import model_files
from .description.urdf import parse_urdf
from .loop_checks import check_loops
from .model import Model

PathLike = str | Path


def load_model(
    urdf: PathLike | None = None, mechanisms: PathLike | None = None, *, strict: bool = False
) -> Model:
    """Load a robot.

    Parameters
    ----------
    urdf : path or str, optional
        A URDF, or the name of a robot of this package (docs/robots.md); CHARMIE if omitted.
    mechanisms : path, optional
        A mechanisms file (YAML). If omitted: that of the robot of this package, if it has one, and
        none with another.
    strict : bool
        Refuse what otherwise is a warning: a link with moments of inertia that no body has, and a
        mimic joint whose leader does not exist.

    Returns
    -------
    Model
        Computed as the URDF is written; `Model.warnings` lists impossible and unsupported parts.

    Raises
    ------
    ModelFileError
        If a file cannot be read, is malformed, or the two do not fit together.
    LoopError
        If the loops of an actuator allow no motion, as with a gear that contradicts them.

    Warns
    -----
    ModelFileWarning
        Once, with up to 200 names of each kind of `Model.warnings`, and springs that loops leave
        without equilibrium.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> model = load_model()
    >>> model.name, len(model.actuator_names)
    ('charmie', 21)
    >>> load_model("charmie_lar").name
    'charmie_lar'
    >>> load_model("scara").actuator_names
    ('joint_1', 'joint_2', 'joint_3', 'joint_4', 'joint_5')
    """
    model = read_model(urdf, mechanisms, strict=strict)
    lines = [*warning_lines(model.warnings), *check_loops(model.robot)]
    if lines:
        warnings.warn("\n".join(lines), ModelFileWarning, stacklevel=2)
    return model


def read_model(
    urdf: PathLike | None = None, mechanisms: PathLike | None = None, *, strict: bool = False
) -> Model:
    """Load a robot as `load_model`, for callers that report `Model.warnings` themselves."""
    urdf_path, mechanisms_path = model_files(urdf or "", mechanisms or "")
    tree = parse_urdf(read_text(urdf_path), str(urdf_path), strict=strict)
    if mechanisms_path is None:
        return Model(tree, MechanismSet())
    source = str(mechanisms_path)
    return Model(tree, parse_mechanisms(read_text(mechanisms_path), source), source)
