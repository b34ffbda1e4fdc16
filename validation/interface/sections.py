# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Which table stands on which page of the reference."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from .document import REFERENCE, filled


class Section(NamedTuple):
    """A table of the reference.

    Attributes
    ----------
    page : str
        Name of its page.
    name : str
        Of its place there.
    maker : str
        Module of this folder and function that returns it.
    needs_ros : bool
    """

    page: str
    name: str
    maker: str
    needs_ros: bool = False

    @property
    def path(self) -> Path:
        """Its page."""
        return REFERENCE / self.page

    def make(self) -> str:
        """Return the table."""
        module, _, function = self.maker.rpartition(".")
        make: Callable[[], str] = getattr(import_module(f"{__package__}.{module}"), function)
        return make()

    def write(self) -> None:
        """Write the table into its page."""
        text = self.path.read_text(encoding="utf-8")
        self.path.write_text(filled(text, self.name, self.make()), encoding="utf-8")


SECTIONS = (
    Section("topics.md", "subscribed", "topics.incoming"),
    Section("topics.md", "published", "topics.outgoing"),
    Section("topics.md", "service", "topics.service", needs_ros=True),
    Section("topics.md", "read by the simulator", "topics.simulator_incoming"),
    Section("topics.md", "published by the simulator", "topics.simulator_outgoing"),
    Section("topics.md", "services of the simulator", "topics.simulator_services", needs_ros=True),
    Section("parameters.md", "dynamics node", "parameters.dynamics_node", needs_ros=True),
    Section("parameters.md", "bridge", "parameters.charmie_bridge", needs_ros=True),
    Section("parameters.md", "motion player", "parameters.player", needs_ros=True),
    Section("parameters.md", "simulator", "parameters.simulator", needs_ros=True),
    Section("parameters.md", "recorder", "parameters.recording", needs_ros=True),
    Section("launch.md", "charmie.launch.py", "launch_arguments.of_charmie", needs_ros=True),
    Section("launch.md", "robot.launch.py", "launch_arguments.of_robot", needs_ros=True),
    Section("launch.md", "simulation.launch.py", "launch_arguments.of_simulation", needs_ros=True),
    Section("launch.md", "demo.launch.py", "launch_arguments.of_demo", needs_ros=True),
    Section("diagnostics.md", "statuses", "diagnostics.statuses"),
    Section("diagnostics.md", "findings", "diagnostics.findings"),
    Section("diagnostics.md", "causes", "diagnostics.causes"),
    Section("commands.md", "charmie_prepare", "commands.charmie_prepare"),
    Section("commands.md", "charmie_view", "commands.charmie_view"),
    Section("commands.md", "charmie_plot", "commands.charmie_plot"),
    Section("commands.md", "charmie_render", "commands.charmie_render"),
    Section("commands.md", "charmie_analyze", "commands.charmie_analyze"),
    Section("commands.md", "charmie_study", "commands.charmie_study"),
    Section("commands.md", "charmie_size", "commands.charmie_size"),
    Section("commands.md", "charmie_identify", "commands.charmie_identify"),
    Section("commands.md", "charmie_demo", "commands.charmie_demo"),
    Section("mechanisms.md", "top level", "mechanisms_file.top_level"),
    Section("mechanisms.md", "mechanisms", "mechanisms_file.mechanisms"),
    Section("mechanisms.md", "rollers", "mechanisms_file.rollers"),
    Section("mechanisms.md", "tracked points", "mechanisms_file.tracked_points"),
    Section("mechanisms.md", "rotors", "mechanisms_file.rotors"),
    Section("mechanisms.md", "friction", "mechanisms_file.friction"),
    Section("mechanisms.md", "contact", "mechanisms_file.contact"),
    Section("world.md", "top level", "world_file.top_level"),
    Section("world.md", "entities", "world_file.entities"),
    Section("world.md", "laws", "world_file.laws"),
    Section("world.md", "parameters of the laws", "world_file.parameters"),
    Section("study.md", "top level", "study_file.top_level"),
    Section("study.md", "variables", "study_file.variables"),
    Section("study.md", "motions", "study_file.motions"),
    Section("study.md", "quantities", "study_file.quantities"),
    Section("study.md", "beside a quantity", "study_file.beside_quantities"),
    Section("study.md", "methods", "study_file.methods"),
    Section("examples.md", "examples", "examples.listed"),
    Section("../robots.md", "robots", "robots.listed"),
)
