# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The panel next to the scene: visibility, effort of one actuator, meaning of the colours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

import numpy as np
import viser
from viser import uplot

from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.visual.scene.contacts import FORCES
from charmie_dynamics.visual.scene.legend import (
    NEGATIVE_END,
    POSITIVE_END,
    contact_entries,
    entries,
)
from charmie_dynamics.visual.shapes.colors import load_color
from charmie_dynamics.visual.shapes.shape import Color

from .history import DURATION

# namespaces of the dynamics node in the order of their boxes; others follow
FIRST = ("bodies", "springs", "actuators", "balance", "efforts", "stability")
LAST = 1e9
NONE = "(no efforts yet)"
INK, QUIET, CURVE = "#21262e", "#5b6470", "#0061cc"


class Panel:
    """The controls and texts next to the scene.

    Parameters
    ----------
    server : ViserServer
    show_group : callable
        Called with a namespace and whether it is visible.
    cast_shadows : callable
        Called with whether shadows are enabled.
    follow : callable
        Called with whether the camera follows the robot.
    """

    def __init__(
        self,
        server: viser.ViserServer,
        show_group: Callable[[str, bool], None],
        cast_shadows: Callable[[bool], None],
        follow: Callable[[bool], None],
    ) -> None:
        gui = self._gui = server.gui
        self._show_group = show_group
        self._boxes: dict[str, viser.GuiCheckboxHandle] = {}
        self._wanted: dict[str, bool] = {}
        self._unit = ""
        gui.main_panel.dock_right()
        gui.configure_theme(
            show_logo=False,
            show_share_button=False,
            control_width="medium",
            brand_color=(0, 97, 204),
        )
        self._status = gui.add_html("")
        self._show = gui.add_folder("Show")
        with self._show:
            self._add_switch("shadows", cast_shadows)
            self._add_switch("follow robot", follow)

        with gui.add_folder("Effort"):
            self._choice: Any = gui.add_dropdown(
                "Actuator", (NONE,), hint="Or click it on the robot"
            )
            self._value = gui.add_html("")
            self._plot = gui.add_uplot(
                (np.array([-DURATION, 0.0]), np.zeros(2)),
                (uplot.Series(label="time"), uplot.Series(label="effort", stroke=CURVE, width=2)),
                scales={
                    "x": uplot.Scale(time=False, auto=False, range=(-DURATION, 0.0)),
                    "y": uplot.Scale(auto=True),
                },
                axes=_axes(""),
                legend=uplot.Legend(show=False),
                height=190,
                padding=(10, 14, 0, 0),
            )
        with gui.add_folder("Colours"):
            gui.add_html(_legend())
            self._contacts = gui.add_html(_block(_swatches(contact_entries(cones=True))))
            self._contacts.visible = False

    @property
    def actuator(self) -> str:
        """The actuator of the plot."""
        return str(self._choice.value)

    def set_status(self, text: str, *, live: bool) -> None:
        """Write the line at the top."""
        dot = "#008c6b" if live else "#c25a00"
        self._status.content = _block(f"{_swatch(dot)}{escape(text)}", "padding:2px 12px")

    def set_groups(self, namespaces: Sequence[str]) -> None:
        """Offer a box for each namespace; earlier choices are restored."""
        self._contacts.visible = FORCES in namespaces
        for name in [name for name in self._boxes if name not in namespaces]:
            self._boxes.pop(name).remove()
        for name in namespaces:
            if name not in self._boxes:
                self._add_box(name)

    def _add_box(self, name: str) -> None:
        visible = self._wanted.setdefault(name, True)
        order = FIRST.index(name) if name in FIRST else None
        with self._show:
            box = self._boxes[name] = self._gui.add_checkbox(
                name or "markers", visible, order=order
            )
        self._show_group(name, visible)

        @box.on_update
        def _(_: object) -> None:
            self._wanted[name] = box.value
            self._show_group(name, box.value)

    def _add_switch(self, label: str, switch: Callable[[bool], None]) -> None:
        box = self._gui.add_checkbox(label, True, order=LAST)

        @box.on_update
        def _(_: object) -> None:
            switch(box.value)

    def set_actuators(self, names: Sequence[str], first: str) -> None:
        """Offer actuators; `first` is chosen if the last choice is not available."""
        options = tuple(names) or (NONE,)
        if options == tuple(self._choice.options):
            return
        chosen = self.actuator if self.actuator in options else first
        self._choice.options = options
        self._choice.value = chosen if chosen in options else options[0]

    def choose(self, actuator: str) -> None:
        """Plot the effort of another actuator."""
        if actuator in self._choice.options:
            self._choice.value = actuator

    def plot(self, time: Floats, effort: Floats, unit: str) -> None:
        """Draw efforts over the time before the newest (s)."""
        if unit != self._unit:
            self._unit = unit
            self._plot.axes = _axes(unit)
        if len(time) < 2:
            self._value.content = _block("no efforts in the last seconds", f"color:{QUIET}")
            return
        self._value.content = _block(
            f'<span style="font-size:20px;font-weight:600">{number(effort[-1])}</span> {unit}'
            f'<span style="color:{QUIET};float:right;padding-top:6px">last {DURATION:.0f} s: '
            f"{number(effort.min())} to {number(effort.max())} {unit}</span>"
        )
        self._plot.data = (time, effort)


def number(value: float) -> str:
    """Return an effort with about three digits, and a true minus sign."""
    size = abs(value)
    digits = 0 if size >= 1000.0 else 1 if size >= 10.0 else 2
    text = f"{value:.{digits}f}"
    return text.replace("-", "\u2212") if float(text) else text.lstrip("-")


def _axes(unit: str) -> tuple[uplot.Axis, ...]:
    return _axis("time before now (s)", 32), _axis(unit or "effort", 54)


def _axis(label: str, size: int) -> uplot.Axis:
    return uplot.Axis(
        label=label,
        size=size,
        stroke=INK,
        grid=uplot.Axis_Grid(stroke="#e6e9ed", width=1),
        ticks=uplot.Axis_Ticks(stroke="#e6e9ed", width=1),
        labelSize=20,
        labelFont="12px sans-serif",
    )


def _block(text: str, style: str = "") -> str:
    return (
        f'<div style="font-size:13px;line-height:1.5;color:{INK};padding:2px 8px;{style}">'
        f"{text}</div>"
    )


def _swatch(color: str) -> str:
    """Return a disc of a colour, drawn, since not every font contains one."""
    return (
        f'<span style="display:inline-block;width:10px;height:10px;border-radius:5px;'
        f'margin-right:6px;background:{color}"></span>'
    )


def _css(color: Color) -> str:
    return "rgb({:.0f} {:.0f} {:.0f})".format(*(255.0 * part for part in color[:3]))


def _legend() -> str:
    stops = ", ".join(_css(load_color(float(share))) for share in np.linspace(-1.0, 1.0, 21))
    bar = f'<div style="height:12px;border-radius:3px;background:linear-gradient(90deg,{stops})">'
    ends = (
        '<div style="display:flex;justify-content:space-between">'
        "<span>-100 %</span><span>0</span><span>100 % of rated</span></div>"
        f'<div style="display:flex;justify-content:space-between;color:{QUIET}">'
        f"<span>{_broken(NEGATIVE_END)}</span>"
        f'<span style="text-align:right">{_broken(POSITIVE_END)}</span></div>'
    )
    return _block(f"{bar}</div>{ends}{_swatches(entries())}")


def _swatches(colors: Sequence[tuple[str, Color]]) -> str:
    """Return colours and their meaning."""
    return "".join(
        f'<span style="white-space:nowrap;margin-right:12px">{_swatch(_css(color))}'
        f"{escape(text)}</span> "
        for text, color in colors
    )


def _broken(text: str) -> str:
    return escape(text).replace(", ", ",<br>")
