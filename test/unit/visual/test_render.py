# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.image import imread

from charmie_dynamics.errors import InputError, UnknownNameError
from charmie_dynamics.visual.pictures import ColorScale, render
from charmie_dynamics.visual.pictures.annotations import DPI, annotate
from charmie_dynamics.visual.pictures.themes import THEMES
from charmie_dynamics.visual.scene import Shape

SIZE = (400, 300)
RED = (0.9, 0.1, 0.1, 1.0)
BLUE = (0.1, 0.1, 0.9, 1.0)
FRAMES = {
    "world": (np.zeros(3), np.eye(3)),
    "arm": (np.array([1.0, 0.0, 0.0]), np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1.0]])),
}


def ball(identity: int, frame: str, position: tuple[float, float, float], color: tuple) -> Shape:
    return Shape("t", identity, "sphere", frame, position, scale=(0.2, 0.2, 0.2), color=color)


def drawn(path: Path, shapes: list[Shape], **options: object) -> np.ndarray:
    render(path, shapes, FRAMES, size=SIZE, **options)  # type: ignore[arg-type]
    return imread(path)[..., :3]


def where(image: np.ndarray, color: tuple[float, float, float, float]) -> np.ndarray:
    """Pixels (k, 2), x and y, of the red or blue shape, whatever light falls on it."""
    strong, weak = (0, 2) if color is RED else (2, 0)
    rows, columns = np.nonzero(image[..., strong] > image[..., weak] + 0.25)
    return np.stack([columns, rows], axis=1)


def test_shapes_stand_where_their_frames_put_them(tmp_path: Path) -> None:
    # In the frame `arm` the ball at y = -1 lies at (2, 0, 0) of the world.
    shapes = [ball(0, "world", (0.0, 0.0, 0.0), BLUE), ball(1, "arm", (0.0, -1.0, 0.0), RED)]
    image = drawn(tmp_path / "a.png", shapes, azimuth=-90.0, elevation=0.0, floor=None)
    red, blue = where(image, RED), where(image, BLUE)
    apart = red.mean(axis=0) - blue.mean(axis=0)
    diameter = red[:, 0].max() - red[:, 0].min() + 1
    assert apart[0] / diameter == pytest.approx(2.0 / 0.2, rel=0.08)
    assert apart[1] == pytest.approx(0.0, abs=1.0)


@pytest.mark.parametrize("height", [240, 480, 1200])
def test_title_and_subtitle_do_not_overlap(height: int) -> None:
    figure = Figure(figsize=(4 * height / (3 * DPI), height / DPI), dpi=DPI)
    renderer = FigureCanvasAgg(figure).get_renderer()
    annotate(figure, "Reach-v0 (gp)", "0.75 s", [], None, THEMES["light"])
    title, subtitle = (text.get_window_extent(renderer) for text in figure.texts)
    assert subtitle.y1 <= title.y0


def test_picture_has_the_size_asked_for(tmp_path: Path) -> None:
    image = drawn(tmp_path / "a.png", [ball(0, "world", (0.0, 0.0, 0.1), RED)])
    assert image.shape == (300, 400, 3)


@pytest.mark.parametrize(("azimuth", "visible"), [(0.0, True), (180.0, False)])
def test_shape_behind_another_is_hidden(tmp_path: Path, azimuth: float, visible: bool) -> None:
    wall = Shape("t", 0, "box", "world", (0.0, 0.0, 0.0), scale=(0.1, 1.0, 1.0), color=BLUE)
    shapes = [wall, ball(1, "world", (0.5, 0.0, 0.0), RED)]
    image = drawn(tmp_path / "a.png", shapes, azimuth=azimuth, elevation=0.0, floor=None)
    assert (len(where(image, RED)) > 0) == visible


def test_clear_shape_lets_through_what_is_behind_it(tmp_path: Path) -> None:
    clear = (0.1, 0.1, 0.9, 0.4)
    pane = Shape("t", 0, "box", "world", (-0.5, 0.0, 0.0), scale=(0.1, 1.0, 1.0), color=clear)
    shapes = [pane, ball(1, "world", (0.0, 0.0, 0.0), RED)]
    image = drawn(tmp_path / "a.png", shapes, azimuth=180.0, elevation=0.0, floor=None)
    middle, beside = image[150, 200], image[150, 140]
    assert middle[0] > middle[1] + 0.1
    assert beside[2] > beside[0] + 0.1


def test_clear_shape_behind_a_solid_one_is_hidden(tmp_path: Path) -> None:
    wall = Shape("t", 0, "box", "world", scale=(0.1, 1.0, 1.0), color=BLUE)
    clear = (*RED[:3], 0.5)
    shapes = [wall, ball(1, "world", (0.5, 0.0, 0.0), clear)]
    image = drawn(tmp_path / "a.png", shapes, azimuth=180.0, elevation=0.0, floor=None)
    assert (image[..., 0] - image[..., 2] < 0.05).all()


@pytest.mark.parametrize("overlay", [(), ("through",)])
def test_namespace_of_the_overlay_is_seen_through_what_hides_it(
    tmp_path: Path, overlay: tuple[str, ...]
) -> None:
    wall = Shape("t", 0, "box", "world", scale=(0.1, 1.0, 1.0), color=BLUE)
    hidden = replace(ball(1, "world", (0.5, 0.0, 0.0), RED), namespace="through")
    options = {"azimuth": 180.0, "elevation": 0.0, "floor": None, "overlay": overlay}
    image = drawn(tmp_path / "a.png", [wall, hidden], **options)
    reddish = (image[..., 0] > image[..., 1] + 0.2).sum()
    assert (reddish > 100) == bool(overlay)


def test_scale_of_given_colours_shows_them_and_names_its_ends(tmp_path: Path) -> None:
    shapes = [ball(0, "world", (0.0, 0.0, 0.1), (0.5, 0.5, 0.5, 1.0))]
    colors = np.array([BLUE, RED])
    images = [
        drawn(tmp_path / f"{i}.png", shapes, scale=ColorScale("load", -1.0, 1.0, colors, ends))
        for i, ends in enumerate((("", ""), ("pull", "push")))
    ]
    bar = images[0][120:180, 325:332]
    assert where(bar[:25], RED).size and not where(bar[:25], BLUE).size
    assert where(bar[-25:], BLUE).size and not where(bar[-25:], RED).size
    changed = np.nonzero(np.abs(images[0] - images[1]).max(axis=(1, 2)) > 0.2)[0]
    assert changed.min() < 80 < 215 < changed.max()


def test_shapes_cast_a_shadow_on_the_floor(tmp_path: Path) -> None:
    shapes = [ball(0, "world", (0.0, 0.0, 0.1), RED)]
    grey = {}
    for name, options in {"with": {}, "without": {"floor": -5.0}}.items():
        image = drawn(tmp_path / f"{name}.png", shapes, elevation=20.0, **options)
        grey[name] = image[(np.ptp(image, axis=2) < 0.05)]
    assert (grey["with"].mean(axis=1) < 0.75).sum() > 100
    assert (grey["without"].mean(axis=1) < 0.75).sum() == 0


def test_title_legend_and_scale_leave_ink_where_the_plain_picture_is_white(tmp_path: Path) -> None:
    shapes = [ball(0, "world", (0.0, 0.0, 0.1), RED)]
    explained = drawn(
        tmp_path / "a.png",
        shapes,
        title="Robot",
        legend=[("ball", RED)],
        scale=ColorScale("effort / N m", 0.0, 2.0),
        floor=None,
    )
    plain = drawn(tmp_path / "b.png", shapes, floor=None)
    for place in (np.s_[:40, :75], np.s_[-30:, :75], np.s_[90:210, 360:]):
        assert (plain[place] == 1.0).all()
        assert (explained[place] < 0.9).any()


def test_text_is_written_over_the_shapes_at_its_place(tmp_path: Path) -> None:
    shapes = [ball(0, "world", (0.0, 0.0, 0.1), RED)]
    ink = (0.0, 0.0, 1.0, 1.0)
    label = Shape("t", 1, "text", "world", (0.0, 0.0, 0.1), scale=(0, 0, 0.05), color=ink, text="O")
    image = drawn(tmp_path / "a.png", [*shapes, label], floor=None)
    np.testing.assert_allclose(
        where(image, BLUE).mean(axis=0), where(image, RED).mean(axis=0), atol=6.0
    )


def test_unknown_frame_is_named_with_the_valid_ones(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown frame 'amr'.*'arm'"):
        render(tmp_path / "a.png", [ball(0, "amr", (0.0, 0.0, 0.0), RED)], FRAMES)


def test_empty_picture_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no shape"):
        render(tmp_path / "a.png", [], FRAMES)
