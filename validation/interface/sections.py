# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The tables of the reference and their pages."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from validation.harness.pages import REFERENCE


class Section(NamedTuple):
    """A table of the reference.

    Attributes
    ----------
    page : str
        Name of its page.
    name : str
        Of its place there.
    maker : str
        Module of this folder and function that returns it, and what that is called with.
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
        where, *arguments = self.maker.split()
        module, _, function = where.partition(".")
        text: Any = getattr(import_module(f"{__package__}.{module}"), function)(*arguments)
        return str(text)


COMMANDS = {
    "charmie_prepare": "prepare.command",
    "charmie_view": "view.options",
    "charmie_plot": "recordings.commands.plot_options",
    "charmie_render": "recordings.commands.render_options",
    "charmie_analyze": "recordings.commands.options",
    "charmie_study": "studies.commands.study_options",
    "charmie_export": "conversion.export_options",
    "charmie_import": "conversion.import_options",
    "charmie_size": "studies.commands.size_options",
    "charmie_train": "learning.commands.train_options",
    "charmie_evaluate": "learning.commands.evaluate_options",
    "charmie_identify": "studies.commands.identify_options",
    "charmie_demo": "demo.run",
}
STUDY_FILE = {
    "top level": "files.study_top_level",
    "variables": "files.variables",
    "motions": "files.motions",
    "quantities": "files.quantities",
    "beside a quantity": "files.beside_quantities",
    "methods": "files.methods",
}
STACKS = ("navigation.launch.py", "ros2_control.launch.py")
SECTIONS = (
    Section("topics.md", "subscribed", "topics.incoming"),
    Section("topics.md", "published", "topics.outgoing"),
    Section("topics.md", "service", "topics.service", True),
    Section("topics.md", "read by the simulator", "topics.simulator_incoming"),
    Section("topics.md", "published by the simulator", "topics.simulator_outgoing"),
    Section("topics.md", "services of the simulator", "topics.simulator_services", True),
    Section("topics.md", "topics of the controller", "topics.of_controller"),
    Section(
        "topics.md", "actions and services of the controller", "topics.controller_actions", True
    ),
    Section("topics.md", "published by the policy node", "topics.policy_outgoing", True),
    Section("parameters.md", "dynamics node", "parameters.dynamics_node", True),
    Section("parameters.md", "bridge", "parameters.of_node bridge_node", True),
    Section("parameters.md", "motion player", "parameters.of_node motion_player", True),
    Section("parameters.md", "simulator", "parameters.simulator", True),
    Section("parameters.md", "controller", "parameters.of_controller", True),
    Section("parameters.md", "policy node", "parameters.of_node policy_node", True),
    Section("parameters.md", "recorder", "parameters.of_node recorder", True),
    Section("../tutorials/run.md", "charmie.launch.py", "launch_arguments.of_charmie", True),
    Section(
        "../tutorials/run.md", "robot.launch.py", "launch_arguments.beyond robot.launch.py", True
    ),
    Section("../tutorials/run.md", "simulation.launch.py", "launch_arguments.of_simulation", True),
    Section("../tutorials/run.md", "control.launch.py", "launch_arguments.of_controller", True),
    *(Section("../tutorials/run.md", f, f"launch_arguments.of_stack {f}", True) for f in STACKS),
    Section(
        "../tutorials/run.md", "demo.launch.py", "launch_arguments.beyond demo.launch.py", True
    ),
    Section("diagnostics.md", "statuses", "commands.statuses"),
    Section("diagnostics.md", "findings", "commands.findings"),
    Section("diagnostics.md", "causes", "commands.causes"),
    *(Section("commands.md", n, f"commands.of_command {m}") for n, m in COMMANDS.items()),
    Section("mechanisms.md", "top level", "files.mechanisms_top_level"),
    Section("mechanisms.md", "mechanisms", "files.mechanisms"),
    Section("mechanisms.md", "rollers", "files.mechanisms_entry roller"),
    Section("mechanisms.md", "tracked points", "files.mechanisms_entry tracked_point"),
    Section("mechanisms.md", "rotors", "files.mechanisms_entry rotor"),
    Section("mechanisms.md", "friction", "files.mechanisms_entry friction"),
    Section("mechanisms.md", "contact", "files.mechanisms_entry contact"),
    Section("../robots.md", "top level", "files.world_top_level"),
    Section("../robots.md", "entities", "files.entities"),
    Section("../robots.md", "named poses", "files.named_poses"),
    Section("../robots.md", "bounds", "files.pose_bounds"),
    Section("../robots.md", "laws", "files.laws"),
    Section("../robots.md", "parameters of the laws", "files.parameters"),
    *(
        Section(f"../studies{end}", n, m)
        for end in (".in.md", ".md")
        for n, m in STUDY_FILE.items()
    ),
    Section("examples.md", "examples", "commands.examples"),
    Section("../robots.md", "robots", "commands.robots"),
)
