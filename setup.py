# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Build of the package, with colcon in a ROS 2 workspace or with pip."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from glob import glob
from pathlib import Path
from xml.etree import ElementTree

from setuptools import find_packages, setup

PACKAGE = "charmie_dynamics"
# In a workspace the commands lie in a folder of this package (setup.cfg), where `ros2 run
# charmie_dynamics NAME` finds them. pip, which makes wheels, puts them among those of all other
# packages: there each carries the name.
OF_WHEELS = {"bdist_wheel", "dist_info", "editable_wheel"}
PREFIX = "charmie_" if OF_WHEELS & set(sys.argv) else ""

# a workspace is built on the machine that it is for: what colcon calls with these installs there
INSTALLS = {"develop", "install"}

ROOT = Path(__file__).resolve().parent
# package.xml defines name, version, description, maintainer, licence and addresses
MANIFEST = ElementTree.parse(ROOT / "package.xml").getroot()
URLS = {url.get("type", "website"): str(url.text) for url in MANIFEST.findall("url")}
LINK = re.compile(r"(!?)\[([^][]*)\]\((?!\w+:|#)([^)\s]*)\)")

# a table whose cells were pictures
EMPTY = re.compile(r"^\|.*\n\|[ :|-]+\n(?:\|[ |]+\n)+", re.MULTILINE)


def manifest(tag: str) -> str:
    """Return the text of an element of package.xml in one line."""
    return " ".join(str(MANIFEST.findtext(tag)).split())


def long_description() -> str:
    """Return the README with absolute links: a package index does not have the files.

    Without an address of the repository the links become text, and pictures are left out.
    """
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    if "repository" not in URLS:
        return EMPTY.sub("", LINK.sub(lambda link: "" if link[1] else link[2], text))
    files = f"{URLS['repository']}/{{}}/{manifest('version')}"
    return LINK.sub(
        lambda link: (
            f"{link[1]}[{link[2]}]({files.format('raw' if link[1] else 'blob')}/{link[3]})"
        ),
        text,
    )


def shared(folder: str) -> tuple[str, list[str]]:
    """Return the data_files entry that installs the files of `folder` beside package.xml."""
    files = sorted(path for path in glob(f"{folder}/*") if Path(path).is_file())
    return f"share/{PACKAGE}/{folder}", files


setup(
    name=PACKAGE,
    version=manifest("version"),
    description=manifest("description").partition(". ")[0],
    long_description=long_description(),
    long_description_content_type="text/markdown",
    author=manifest("maintainer"),
    author_email=MANIFEST.find("maintainer").get("email"),
    license=manifest("license"),
    project_urls=URLS,
    keywords=[
        *("robotics", "ROS 2", "inverse dynamics", "forward dynamics", "multibody dynamics"),
        *("closed kinematic chains", "springs", "contact", "simulation", "identification"),
    ],
    classifiers=[
        "Development Status :: 5 - Production/Stable",
        "Intended Audience :: Developers",
        "Intended Audience :: Science/Research",
        "Operating System :: POSIX :: Linux",
        "Programming Language :: Python :: 3 :: Only",
        *(f"Programming Language :: Python :: 3.{minor}" for minor in range(10, 15)),
        "Topic :: Scientific/Engineering :: Physics",
        "Typing :: Typed",
    ],
    packages=find_packages(include=[PACKAGE, f"{PACKAGE}.*"]),
    package_data={
        PACKAGE: ["py.typed"],
        f"{PACKAGE}.live.bridge": ["*.json"],
        f"{PACKAGE}.model.description": ["*.json"],
    },
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{PACKAGE}"]),
        (f"share/{PACKAGE}", ["package.xml"]),
        shared("config"),
        shared("config/moveit"),
        shared("config/ros2_control"),
        shared("launch"),
        shared("policies"),
        shared("robots"),
        shared("studies"),
        shared("urdf"),
        shared("worlds"),
    ],
    zip_safe=False,
    python_requires=">=3.10",
    install_requires=[
        "PyYAML>=5.4",
        "jsonschema>=3.2",
        "numba>=0.55",
        "numpy>=1.21",
    ],
    extras_require={
        "analysis": ["mcap>=1", "rosbags>=0.11", "tqdm", "zstandard>=0.15"],
        "demo": ["matplotlib>=3.5", "mcap>=1", "rosbags>=0.11", "tqdm", "zstandard>=0.15"],
        "learning": ["gymnasium>=1.0,<2", "matplotlib>=3.5"],
        "meshes": ["coal>=3"],
        "mjcf": ["mujoco>=3"],
        "parquet": ["pyarrow"],
        "pictures": [
            "matplotlib>=3.5",
            "mcap>=1",
            "pillow>=9.1",
            "rosbags>=0.11",
            "tqdm",
            "zstandard>=0.15",
        ],
        "simulation": ["scipy>=1.8"],
        "studies": [
            *("dask>=2022.2", "distributed>=2022.2", "SALib>=1.4.6", "scipy>=1.8"),
            "threadpoolctl>=3",
            *("matplotlib>=3.5", "mcap>=1", "pyarrow>=8", "rosbags>=0.11", "tqdm", "xarray>=0.20"),
            "zstandard>=0.15",
        ],
        "symbolic": ["sympy>=1.9", "symengine>=0.11"],
        "video": ["imageio-ffmpeg"],
        "test": ["hypothesis", "pytest<9"],
        "view": ["viser>=1.1,<2"],
    },
    entry_points={
        "console_scripts": [
            "charmie_bridge = charmie_dynamics.ros.process.entry:charmie_bridge",
            "charmie_demo = charmie_dynamics.demo.run:main",
            "charmie_view = charmie_dynamics.ros.process.entry:charmie_view",
            "charmie_analyze = charmie_dynamics.recordings.commands.options:main",
            "charmie_plot = charmie_dynamics.recordings.commands.plot_options:main",
            "charmie_render = charmie_dynamics.recordings.commands.render_options:main",
            "charmie_identify = charmie_dynamics.studies.commands.identify_options:main",
            "charmie_evaluate = charmie_dynamics.learning.commands.evaluate_options:main",
            "charmie_train = charmie_dynamics.learning.commands.train_options:main",
            "charmie_size = charmie_dynamics.studies.commands.size_options:main",
            "charmie_study = charmie_dynamics.studies.commands.study_options:main",
            "charmie_prepare = charmie_dynamics.prepare.command:main",
            "charmie_export = charmie_dynamics.conversion.export_options:main",
            "charmie_import = charmie_dynamics.conversion.import_options:main",
            f"{PREFIX}dynamics_node = charmie_dynamics.ros.process.entry:dynamics_node",
            f"{PREFIX}motion_player = charmie_dynamics.ros.process.entry:motion_player",
            f"{PREFIX}simulator_node = charmie_dynamics.ros.process.entry:simulator_node",
            f"{PREFIX}policy_node = charmie_dynamics.ros.process.entry:policy_node",
            f"{PREFIX}controller_node = charmie_dynamics.ros.process.entry:controller_node",
            f"{PREFIX}recorder = charmie_dynamics.ros.process.entry:recorder",
        ],
    },
)

if INSTALLS & set(sys.argv):
    # what the first start of the node would compile; the build does not depend on it
    subprocess.run(
        [sys.executable, "-m", f"{PACKAGE}.prepare.command", "--only", "node"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"},
        check=False,
    )
