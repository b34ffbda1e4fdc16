# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from charmie_dynamics.errors import CharmieError, InputError
from charmie_dynamics.visual.pictures.film import find_ffmpeg, write_gif, write_mp4


def image(place: int) -> np.ndarray:
    """A grey gradient with a small magenta square at a place."""
    pixels = np.repeat(np.linspace(180, 255, 64).astype(np.uint8)[None, :, None], 48, axis=0)
    pixels = np.repeat(pixels, 3, axis=2)
    pixels[20:24, place : place + 4] = (204, 38, 115)
    return pixels


def read(path: Path) -> tuple[list[np.ndarray], list[int]]:
    with Image.open(path) as film:
        frames, durations = [], []
        for k in range(film.n_frames):
            film.seek(k)
            frames.append(np.asarray(film.convert("RGB")).astype(int))
            durations.append(film.info["duration"])
    return frames, durations


def test_gif_keeps_pictures_and_the_colour_of_small_parts(tmp_path: Path) -> None:
    images = [image(place) for place in (5, 25, 45)]
    write_gif(tmp_path / "a.gif", images, 0.1, images[:1])
    frames, _ = read(tmp_path / "a.gif")
    assert len(frames) == 3
    for frame, given in zip(frames, images, strict=True):
        assert np.abs(frame - given).max() < 12


def test_gif_keeps_the_time_though_it_knows_hundredths_only(tmp_path: Path) -> None:
    images = [image(k) for k in range(30)]
    write_gif(tmp_path / "a.gif", images, 1.0 / 15.0, images[:1])
    _, durations = read(tmp_path / "a.gif")
    assert set(durations) == {60, 70}
    assert sum(durations) == 2000


def test_a_gif_with_more_pictures_than_browsers_show_is_refused(tmp_path: Path) -> None:
    images = [image(k) for k in range(3)]
    write_gif(tmp_path / "a.gif", images, 1.0 / 50.0, images[:1])
    assert read(tmp_path / "a.gif")[1] == [20, 20, 20]
    with pytest.raises(InputError, match=r"at least 0\.02 s .* got 0\.01667 s"):
        write_gif(tmp_path / "a.gif", images, 1.0 / 60.0, images[:1])


def test_films_without_pictures_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no image"):
        write_gif(tmp_path / "a.gif", [], 0.1, [image(0)])
    with pytest.raises(InputError, match="no image"):
        write_gif(tmp_path / "a.gif", [image(0)], 0.1, [])


def test_mp4_is_a_film_where_ffmpeg_is_installed_and_an_error_where_not(tmp_path: Path) -> None:
    path = tmp_path / "a.mp4"
    try:
        find_ffmpeg()
    except CharmieError as error:
        assert "imageio-ffmpeg" in str(error)
        with pytest.raises(CharmieError, match="no ffmpeg"):
            write_mp4(path, [image(0)], 0.1)
        assert not path.exists()
        return
    write_mp4(path, [image(k) for k in range(5)], 0.1)
    assert path.read_bytes()[4:8] == b"ftyp"
    with pytest.raises(InputError, match="even"):
        write_mp4(path, [image(0)[:-1]], 0.1)
    with pytest.raises(CharmieError, match="ffmpeg failed"):
        write_mp4(tmp_path / "none" / "a.mp4", [image(0)], 0.1)
