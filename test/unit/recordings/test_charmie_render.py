# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread
from PIL import Image
from recordings import SAMPLES, STEP, write_recording

from charmie_dynamics import Model
from charmie_dynamics.recordings.commands.render_options import main, parse_options
from charmie_dynamics.visual.pictures.film import find_ffmpeg
from charmie_dynamics.visual.pictures.themes import THEMES

Capture = pytest.CaptureFixture[str]
SIZE = (240, 200)
SMALL = ("--size", "240x200")
LAST = (SAMPLES - 1) * STEP * 1e-9


def drawn(bag: Path, path: Path, *options: str) -> np.ndarray:
    assert main([str(bag), "--output", str(path), *SMALL, *options]) == 0
    return imread(path)[..., :3]


@pytest.fixture(scope="module")
def plain(bag: Path, tmp_path_factory: pytest.TempPathFactory) -> np.ndarray:
    """The picture of the first sample without further options."""
    return drawn(bag, tmp_path_factory.mktemp("plain") / "a.png", "--at", "0")


@pytest.mark.parametrize("theme", THEMES)
def test_picture_has_its_size_and_theme(bag: Path, tmp_path: Path, theme: str) -> None:
    image = drawn(bag, tmp_path / "a.png", "--at", "0.5", "--theme", theme)
    assert image.shape == (SIZE[1], SIZE[0], 3)
    assert (image[0].mean() > 0.5) == (theme == "light")
    assert np.ptp(image[40:160, 40:180], axis=2).max() > 0.4  # colours of loads


def test_picture_shows_the_time_asked_for(bag: Path, tmp_path: Path, plain: np.ndarray) -> None:
    again = drawn(bag, tmp_path / "b.png", "--at", "0.01")
    later = drawn(bag, tmp_path / "c.png", "--at", "4")
    np.testing.assert_array_equal(plain, again)
    assert (np.abs(plain - later).max(axis=2) > 0.3).sum() > 100


@pytest.mark.parametrize(
    "option",
    [
        ("--style", "skeleton"),
        ("--reactions",),
        ("--labels",),
        ("--no-legend",),
        ("--camera", "back"),
        ("--camera", "30,45"),
    ],
)
def test_option_changes_the_picture(
    bag: Path, tmp_path: Path, plain: np.ndarray, option: tuple[str, ...]
) -> None:
    changed = drawn(bag, tmp_path / "b.png", "--at", "0", *option)
    assert (np.abs(plain - changed).max(axis=2) > 0.2).sum() > 30


def test_gif_shows_the_span_at_its_speed(bag: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.gif"
    span = ("--from", "0.5", "--to", "3.5", "--fps", "4", "--speed", "3")
    assert main([str(bag), "--gif", "--output", str(path), *SMALL, *span]) == 0
    with Image.open(path) as film:
        assert film.size == SIZE
        assert film.info["loop"] == 0
        durations, frames = [], []
        for k in range(film.n_frames):
            film.seek(k)
            durations.append(film.info["duration"])
            frames.append(np.asarray(film.convert("RGB"), dtype=float))
    assert len(frames) == 5
    assert sum(durations) == pytest.approx(1000 * 5 / 4, abs=10)
    moved = np.abs(frames[0] - frames[-1]).max(axis=2) > 60.0
    assert moved.sum() > 50
    assert not moved[:, -10:].any()  # the ground stands still


def test_mp4_is_written_with_ffmpeg_and_else_refused_before_drawing(
    bag: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    path = tmp_path / "a.mp4"
    options = [str(bag), "--mp4", "--to", "0.5", "--output", str(path), *SMALL]
    monkeypatch.setenv("PATH", str(tmp_path))
    if shutil.which("ffmpeg") is None and not _brings_ffmpeg():
        assert main(options) == 1
        assert "imageio-ffmpeg" in capsys.readouterr().err
        assert not path.exists()
    else:
        assert main(options) == 0
        assert path.read_bytes()[4:8] == b"ftyp"


def _brings_ffmpeg() -> bool:
    try:
        return bool(find_ffmpeg())
    except Exception:
        return False


@pytest.mark.parametrize("time", ["-0.1", "5.1", "nan"])
def test_time_outside_of_the_recording_is_refused_with_its_span(
    bag: Path, tmp_path: Path, capsys: Capture, time: str
) -> None:
    assert main([str(bag), f"--at={time}", "--output", str(tmp_path / "a.png")]) == 1
    assert f"0 to {LAST:.3f} s" in capsys.readouterr().err


def test_a_span_that_ends_before_it_starts_is_refused(
    bag: Path, tmp_path: Path, capsys: Capture
) -> None:
    span = ["--from", "0.5", "--to", "0.5"]
    assert main([str(bag), "--gif", *span, "--output", str(tmp_path / "a.gif")]) == 1
    assert "later end" in capsys.readouterr().err


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--at", "0", "--gif"],
        ["--gif", "--fps", "0"],
        ["--gif", "--speed", "-1"],
        ["--at", "0", "--size", "9x9"],
        ["--at", "0", "--size", "wide"],
        ["--at", "0", "--camera", "up"],
        ["--at", "0", "--camera", "0,90"],
        ["--at", "0", "--output", "a.gif"],
        ["--at", "0", "--theme", "blue"],
    ],
)
def test_options_that_mean_nothing_are_refused(options: list[str], capsys: Capture) -> None:
    with pytest.raises(SystemExit) as ended:
        parse_options(["bag", *options])
    assert ended.value.code == 2
    assert "usage: charmie_render" in capsys.readouterr().err


def test_a_recording_without_efforts_is_drawn_without_loads_and_that_is_said(
    tmp_path: Path, charmie: Model, capsys: Capture
) -> None:
    bag = write_recording(
        tmp_path / "b", charmie, effort=False, without=("stability", "base_wrench")
    )
    drawn(bag, tmp_path / "a.png", "--at", "0")
    assert "loads are not shown" in capsys.readouterr().err
