# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

# shellcheck shell=bash
# Finds Python interpreters and builds virtual environments, each once. Sourced by environment.sh,
# which sets root.

# Increase this number when the scripts change the contents of an environment, to rebuild old ones.
layout=2

say() {
  printf '[set-up] %s\n' "$*" >&2
}

# Shows the elapsed time of a step on a terminal, until it is killed or the shell of the script
# ends. It does not hold the lock of build_once.
count_seconds() {
  local seconds=0
  [[ -t 2 ]] || return 0
  while sleep 1 && kill -0 $$ 2>/dev/null; do
    printf '\r[set-up] %d s ' "$((++seconds))" >&2
  done
}

# run_step LOG TEXT COMMAND...: one line of progress; on failure the end of the output of COMMAND.
run_step() {
  local log=$1 text=$2 counter status=0
  shift 2
  say "$text"
  count_seconds 9>&- </dev/null >/dev/null &
  counter=$!
  "$@" >>"$log" 2>&1 </dev/null || status=$?
  kill "$counter" 2>/dev/null || true
  wait "$counter" 2>/dev/null || true
  [[ ! -t 2 ]] || printf '\r' >&2
  if ((status)); then
    say "failed: $text. The end of ${log#"$root/"}:"
    tail -n 20 -- "$log" | sed 's/^/    /' >&2
    return 1
  fi
}

# Runs a command without the Python and ROS 2 settings of the caller. pip in particular would take
# the ROS 2 packages on PYTHONPATH for installed ones.
plainly() {
  env -u PYTHONPATH -u PYTHONHOME -u LD_LIBRARY_PATH -u AMENT_PREFIX_PATH -u VIRTUAL_ENV "$@"
}

# find_python VERSION: prints the path of an interpreter of that version which can make a virtual
# environment. Each candidate is started, because a shim on PATH may refuse to run. An activated
# environment of this repository does not count, since it may be the one to be rebuilt.
find_python() {
  local version=$1 name candidate
  while IFS= read -r candidate; do
    if [[ -x $candidate ]] && plainly "$candidate" -c '
import os, sys, venv, ensurepip
right = "%d.%d" % sys.version_info[:2] == sys.argv[1]
own = os.path.realpath(sys.prefix).startswith(os.path.join(sys.argv[2], ".venv"))
if own or not right:
    sys.exit(1)
print(sys.executable)' "$version" "$root" 2>/dev/null; then
      return 0
    fi
  done < <(
    for name in "python$version" python3 python; do
      type -ap "$name" || true
    done
    printf '%s\n' "${PYENV_ROOT:-$HOME/.pyenv}/versions/$version".*/bin/"python$version"
  )
  return 1
}

# download_python VERSION FOLDER: prints the path of an interpreter that PyPI's uv downloads into
# FOLDER, once. uv's own search is kept off, because it stumbles over refusing shims.
download_python() {
  local version=$1 folder=$2 log="$2/uv.log" uv any
  downloaded_python "$@" && return 0
  mkdir -p -- "$folder"
  if ! uv=$(type -P uv); then
    any=$(find_any_python) || return 1
    run_step "$log" "Fetching uv, to download Python $version" \
      plainly "$any" -m venv "$folder/uv" || return 1
    plainly "$folder/uv/bin/python" -m pip install --quiet uv >>"$log" 2>&1 || return 1
    uv=$folder/uv/bin/uv
  fi
  say "Downloading Python $version with uv"
  UV_PYTHON_INSTALL_DIR="$folder/python" UV_PYTHON_PREFERENCE=only-managed \
    UV_PYTHON_BIN_DIR="$folder/bin" \
    plainly "$uv" python install "$version" >>"$log" 2>&1 </dev/null || true
  rm -rf -- "$folder/uv"
  downloaded_python "$@" && return 0
  say "uv could not download Python $version, see $log: $(tail -n 1 -- "$log")"
  return 1
}

downloaded_python() {
  local version=$1 folder=$2 candidate
  for candidate in "$folder/python"/*/bin/"python$version"; do
    if [[ -x $candidate ]]; then
      printf '%s\n' "$candidate"
      return 0
    fi
  done
  return 1
}

find_any_python() {
  local version
  for version in 3.14 3.13 3.12 3.11 3.10; do
    find_python "$version" && return 0
  done
  return 1
}

# venv_key FILE... TEXT: changes with everything that an environment was made from. The folder is
# part of it, because a virtual environment does not survive being moved.
venv_key() {
  { cat -- "${@:1:$#-1}" && printf '%s\n' "$layout" "$root" "${!#}"; } | sha256sum | cut -d' ' -f1
}

# is_ready FOLDER KEY: the environment was finished with this key and its interpreter still runs.
is_ready() {
  [[ -f $1/ready && $(<"$1/ready") == "$2" ]] && plainly "$1/bin/python" -c "" >/dev/null 2>&1
}

# build_once FOLDER KEY BUILDER ARGUMENT...: runs BUILDER unless FOLDER is ready. The stamp is
# written last, so an aborted build is repeated; the lock makes a second start wait for the first.
build_once() {
  local folder=$1 key=$2
  shift 2
  is_ready "$folder" "$key" && return 0
  (
    if ! flock --nonblock 9; then
      say "Another start is building ${folder#"$root/"}: waiting for it"
      flock 9
    fi
    is_ready "$folder" "$key" && exit 0
    rm -rf -- "$folder" && mkdir -p -- "$folder" || exit 1
    "$@" || exit
    printf '%s\n' "$key" >"$folder/ready"
    say "${folder#"$root/"} is ready"
  ) 9>"$folder-lock"
}

# make_venv FOLDER INTERPRETER [OPTION...] -- REQUIREMENT...: a virtual environment with packages.
make_venv() {
  local folder=$1 interpreter=$2 name options=()
  shift 2
  while [[ $1 != -- ]]; do
    options+=("$1")
    shift
  done
  shift
  name=${folder#"$root/"}
  run_step "$folder/setup.log" "Making $name" \
    plainly "$interpreter" -m venv "${options[@]}" "$folder" || return 1
  run_step "$folder/setup.log" "Installing Python packages into $name" \
    plainly "$folder/bin/python" -m pip install --disable-pip-version-check --no-input "$@"
}
