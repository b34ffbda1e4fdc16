# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A headless Chromium with the page of the view."""

from __future__ import annotations

import io
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from PIL import Image

COMMAND = os.environ.get("CHARMIE_BROWSER", "")
ARGUMENTS = (
    "--no-sandbox",  # the tests may run as root
    *("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
    "--ignore-gpu-blocklist",
)
PATIENCE = 60.0  # s: without a graphics card a picture takes a second or more
BLOCK = 5  # pixels, edge of the blocks that scenes are compared by
SIZE = (900, 500)  # pixels of the page: small, to be quick
PANEL = 330  # pixels at the right that are not the scene
# pixels drawn for each of the page along an edge: left to itself, viser draws between this and all
# of them, fewer on a busy machine, so that the floor's lines would differ between two pictures
DRAWN = 0.75


@contextmanager
def open_browser() -> Iterator[Any]:
    """Yield a browser of the playwright library."""
    from playwright.sync_api import sync_playwright

    # the libraries of ROS 2 are not for the browser
    environment = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=COMMAND, args=list(ARGUMENTS), env=environment
        )
        yield browser
        browser.close()


class Viewer:
    """One page that shows the view."""

    def __init__(self, browser: Any, port: int, size: tuple[int, int] = SIZE) -> None:
        # some machines have a locale that JavaScript does not know
        self.page = browser.new_page(viewport={"width": size[0], "height": size[1]}, locale="en-US")
        self.page.set_default_timeout(1000.0 * PATIENCE)
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(f"http://localhost:{port}/?fixedDpr={DRAWN}")

    def close(self) -> None:
        self.page.close()

    def text(self) -> str:
        """Return all text of the page."""
        return str(self.page.evaluate("document.body.innerText"))

    def wait_for(self, condition: Callable[[], Any], what: str) -> Any:
        """Return the first true result of `condition`."""
        deadline = time.monotonic() + PATIENCE
        while True:
            result = condition()
            if result:
                return result
            if time.monotonic() > deadline:
                raise AssertionError(f"waited in vain for {what}; the page says: {self.text()}")
            self.page.wait_for_timeout(100)

    def wait_for_text(self, text: str) -> None:
        self.wait_for(lambda: text in self.text(), f"'{text}'")

    def dismiss_notes(self) -> None:
        """Close the note that there is no graphics card."""
        self.wait_for_text("Software WebGL")
        self.page.locator(".mantine-Notification-closeButton").first.click()
        self.wait_for(lambda: "Software WebGL" not in self.text(), "the note to go")

    def resize(self, width: int, height: int) -> None:
        self.page.set_viewport_size({"width": width, "height": height})

    def screenshot(self) -> bytes:
        """Return the page as a PNG file."""
        return bytes(self.page.screenshot(timeout=1000.0 * PATIENCE))

    def scene(self) -> np.ndarray:
        """Return the scene without the panel, the mean colours (rows, columns, 3) of its blocks."""
        picture = Image.open(io.BytesIO(self.screenshot())).convert("RGB")
        pixels = np.asarray(picture, dtype=float)[:, :-PANEL]
        rows, columns = pixels.shape[0] // BLOCK, pixels.shape[1] // BLOCK
        blocks = pixels[: rows * BLOCK, : columns * BLOCK]
        return blocks.reshape(rows, BLOCK, columns, BLOCK, 3).mean(axis=(1, 3))

    def steady_scene(self) -> np.ndarray:
        """Return the scene when it has stopped changing."""
        last = self.scene()
        for _ in range(20):
            self.page.wait_for_timeout(500)
            now = self.scene()
            if differing(last, now) <= 1:
                return now
            last = now
        raise AssertionError("the scene does not come to rest")

    def box(self, label: str) -> Any:
        """Return the box beside a label."""
        return self.page.get_by_label(label, exact=True)

    def switch(self, *labels: str) -> None:
        """Click the boxes beside labels."""
        for label in labels:
            self.box(label).click()

    def _actuators(self) -> Any:
        return self.page.locator("input[role=combobox]:visible").first

    def choose(self, option: str) -> None:
        """Choose an actuator."""
        self._actuators().click()
        self.page.get_by_role("option", name=option, exact=True).click()

    def chosen(self) -> str:
        """Return the actuator that is chosen."""
        return str(self._actuators().input_value())


def changed(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Tell of each block whether it differs visibly."""
    result: np.ndarray = np.abs(a - b).max(axis=2) > 12.0
    return result


def differing(a: np.ndarray, b: np.ndarray) -> int:
    """Return how many blocks differ visibly."""
    return int(changed(a, b).sum())
