# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Files of this package: in the source tree, after pip install, in a colcon workspace."""

from __future__ import annotations

import stat
from pathlib import Path

from charmie_dynamics.errors import ModelFileError, shown

PACKAGE = "charmie_dynamics"
# a chain of 10^4 links, more than a URDF may have, is 3 MB
LARGEST_FILE = 8 * 1024 * 1024


def share_file(*parts: str) -> Path:
    """Return the path of a data file of this package.

    The source tree has it next to the package's folder; an installation under
    ``share/charmie_dynamics`` of the prefix that contains the package, for any installer.

    Raises
    ------
    ModelFileError
        Naming the places that were searched.

    Examples
    --------
    >>> from charmie_dynamics.model.description.files import share_file
    >>> share_file("worlds", "charmie_wheeled.yaml").name
    'charmie_wheeled.yaml'
    """
    here = Path(__file__).resolve()
    source = here.parents[3].joinpath(*parts)
    if source.is_file():
        return source
    for prefix in here.parents:
        candidate = prefix.joinpath("share", PACKAGE, *parts)
        if candidate.is_file():
            return candidate
    raise ModelFileError(
        f"{'/'.join(parts)} of {PACKAGE} not found: neither beside {here.parents[2]} "
        f"nor under share/{PACKAGE} of any folder above it; is the installation complete?"
    )


def read_text(path: Path) -> str:
    """Return the text of a model file.

    Raises
    ------
    ModelFileError
        If it is missing, no regular file, too large or not UTF-8.
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):  # to open a pipe would wait for its other end
            kind = "a directory" if stat.S_ISDIR(status.st_mode) else "a device or pipe"
            raise ModelFileError(f"{path}: expected a regular file, got {kind}")
        if status.st_size > LARGEST_FILE:
            raise ModelFileError(f"{path}: {status.st_size} bytes; expected at most {LARGEST_FILE}")
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE)  # no more, should it grow meanwhile
        return data.decode()
    except UnicodeDecodeError as error:
        line = 1 + data.count(b"\n", 0, error.start)
        raise ModelFileError(
            f"{path}, line {line}: not UTF-8 text: {error.reason} 0x{data[error.start]:02x}"
        ) from error
    except (OSError, ValueError) as error:  # ValueError: a path that no file can have
        reason = getattr(error, "strerror", None) or error
        message = f"{path}: cannot be read: {reason}"
        if "<" in str(path):
            message = f"expected the path of a file, got its text: {shown(str(path))}"
        raise ModelFileError(message) from error
