# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The command lines of all commands: options first, then the program.

`Parser` needs the standard library only, so that `--help` does not wait for numba and works where
an optional module is not installed.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import traceback
from importlib import import_module

from . import __version__
from .errors import CharmieError

# the extras of the package (setup.py) and the modules that they install; errors name the first
# extra with the missing module, unless the command has its own
RECORDINGS = ("mcap", "rosbags", "tqdm", "zstandard")
EXTRAS = {
    "analysis": RECORDINGS,
    "pictures": ("matplotlib", "PIL", *RECORDINGS),
    "demo": ("matplotlib", *RECORDINGS),
    "learning": ("gymnasium", "matplotlib"),
    "meshes": ("coal",),
    "mjcf": ("mujoco",),
    "parquet": ("pyarrow",),
    "simulation": ("scipy",),
    "studies": (
        *("SALib", "dask", "distributed", "matplotlib", "pyarrow", "scipy", "threadpoolctl"),
        *("xarray", *RECORDINGS),
    ),
    "symbolic": ("sympy", "symengine"),
    "video": ("imageio_ffmpeg",),
    "view": ("viser",),
}
PACKAGE = "charmie_dynamics"
REQUIRED = ("jsonschema", "numba", "numpy", "yaml")


class Parser(argparse.ArgumentParser):
    """A parser of options with `--version`, whose help ends with an example.

    Parameters
    ----------
    prog, description : str
    example : str
        A command line that the parser accepts.

    Examples
    --------
    >>> from charmie_dynamics.command_line import Parser
    >>> parser = Parser("charmie_plot", "Draw charts of a bag.", "charmie_plot demo_output/bag")
    >>> parser.format_help().splitlines()[-1]
    '  charmie_plot demo_output/bag'
    """

    def __init__(self, prog: str, description: str, example: str) -> None:
        super().__init__(prog=prog, description=description)
        self.example = example
        self.add_argument("--version", action="version", version=f"{prog} {__version__}")

    def format_help(self) -> str:
        """Return the help, the example last."""
        return f"{super().format_help()}\nexample:\n  {self.example}\n"


def run_program(name: str, module: str, options: argparse.Namespace, extra: str = "") -> int:
    """Import the program of a command and run it.

    Parameters
    ----------
    name : str
        Of the command, for its messages.
    module : str
        The module whose function ``run`` takes the options and returns the exit status.
    options : argparse.Namespace
    extra : str
        The extra that contains the modules of the program.

    Returns
    -------
    int
        The exit status: that of the program; 1 after an error, 2 if a module is not installed, 130
        after an interrupt.
    """
    # before numpy is imported: on a busy machine the threads of OpenBLAS wait for each other, so
    # that small matrices take up to twenty times as long
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        program = import_module(module)
        from .numerics.announcing import announce_compilation

        announce_compilation()
        return int(program.run(options))
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        return report(name, error, extra)


def report(name: str, error: Exception, extra: str = "") -> int:
    """Print one line about the error that ended a program; return the exit status.

    Parameters
    ----------
    name : str
        Of the program.
    error : Exception
        The traceback of an error that is neither expected nor a missing module goes into a file.
    extra : str
        The extra that contains the modules of the program.
    """
    status = 1
    if isinstance(error, ModuleNotFoundError) and not (error.name or PACKAGE).startswith(PACKAGE):
        message, status = advice(error, extra), 2
    elif isinstance(error, (CharmieError, OSError)):
        message = str(error)
    else:
        with tempfile.NamedTemporaryFile(
            "w", prefix=f"{name}-", suffix=".log", delete=False, encoding="utf-8"
        ) as log:
            traceback.print_exception(type(error), error, error.__traceback__, file=log)
        message = f"internal error, {type(error).__name__}: {error}; report it with {log.name}"
    print(f"{name}: {message}", file=sys.stderr)
    return status


def advice(error: ModuleNotFoundError, extra: str = "") -> str:
    """Return what to do about a module that is not installed.

    Parameters
    ----------
    error : ModuleNotFoundError
    extra : str
        The extra of the program, which is preferred to others with the same module.

    Examples
    --------
    >>> from charmie_dynamics.command_line import advice
    >>> advice(ModuleNotFoundError(name="rosbags"))
    'rosbags is not installed; needs: pip install "charmie_dynamics[analysis]"'
    >>> advice(ModuleNotFoundError(name="sensor_msgs.msg"))
    'sensor_msgs is not installed; source ROS 2 first'
    """
    module = (error.name or "").split(".")[0]
    if module in REQUIRED:
        return f"{module} is not installed; needs: pip install charmie_dynamics"
    extras = [name for name, modules in EXTRAS.items() if module in modules]
    if not extras:
        return f"{module} is not installed; source ROS 2 first"
    extra = extra if extra in extras else extras[0]
    return f'{module} is not installed; needs: pip install "charmie_dynamics[{extra}]"'
