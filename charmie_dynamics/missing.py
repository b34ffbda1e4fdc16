# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""One line of advice for a program that an optional module is missing for."""

from __future__ import annotations

# the extra of the package that installs a module (setup.py)
EXTRAS = {
    "SALib": "studies",
    "coal": "meshes",
    "dask": "studies",
    "distributed": "studies",
    "imageio_ffmpeg": "video",
    "matplotlib": "pictures",
    "mcap": "analysis",
    "pyarrow": "studies",
    "rosbags": "analysis",
    "scipy": "simulation",
    "sympy": "symbolic",
    "threadpoolctl": "studies",
    "tqdm": "analysis",
    "viser": "view",
    "xarray": "studies",
    "zstandard": "analysis",
}


def advice(error: ModuleNotFoundError, extra: str = "") -> str:
    """Return what to do about a module that is not installed.

    Parameters
    ----------
    error : ModuleNotFoundError
    extra : str
        The extra that contains all modules of the program; empty: that of the module.

    Raises
    ------
    ModuleNotFoundError
        The same error, if the module is part of this package: that is a defect.

    Examples
    --------
    >>> advice(ModuleNotFoundError(name="rosbags"))
    'rosbags is not installed; needs: pip install "charmie_dynamics[analysis]"'
    >>> advice(ModuleNotFoundError(name="sensor_msgs.msg"))
    'sensor_msgs is not installed; source ROS 2 first'
    """
    module = (error.name or "").split(".")[0]
    if module in ("", "charmie_dynamics"):
        raise error
    extra = extra or EXTRAS.get(module, "")
    remedy = f'needs: pip install "charmie_dynamics[{extra}]"' if extra else "source ROS 2 first"
    return f"{module} is not installed; {remedy}"
