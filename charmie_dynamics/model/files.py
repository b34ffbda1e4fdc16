"""Find the files of this package: in the source tree, after pip install, in a colcon workspace."""

from __future__ import annotations

from pathlib import Path

from .errors import ModelFileError

PACKAGE = "charmie_dynamics"
# a robot of 10^4 links is a few megabytes
LARGEST_FILE = 64 * 1024 * 1024


def share_file(*parts: str) -> Path:
    """Return the path of a data file of this package.

    The source tree holds it beside the package's folder; an installation under
    ``share/charmie_dynamics`` of the prefix that the package lies in, whatever tool put it there.

    Raises
    ------
    ModelFileError
        Naming the places that were searched.
    """
    here = Path(__file__).resolve()
    source = here.parents[2].joinpath(*parts)
    if source.is_file():
        return source
    for prefix in here.parents:
        candidate = prefix.joinpath("share", PACKAGE, *parts)
        if candidate.is_file():
            return candidate
    raise ModelFileError(
        f"{'/'.join(parts)} of {PACKAGE} not found: neither beside {here.parents[1]} "
        f"nor under share/{PACKAGE} of any folder above it; is the installation complete?"
    )


def read_text(path: Path) -> str:
    """Return the text of a model file.

    Raises
    ------
    ModelFileError
        If it is missing, not a file, too large or not UTF-8.
    """
    try:
        size = path.stat().st_size
        if size > LARGEST_FILE:
            raise ModelFileError(f"{path}: {size} bytes; expected at most {LARGEST_FILE}")
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ModelFileError(f"{path}: not UTF-8 text: {error}") from error
    except OSError as error:
        raise ModelFileError(f"{path}: cannot be read: {error.strerror or error}") from error
