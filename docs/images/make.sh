#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0
#
# Regenerates the pictures that docs/tutorials/watch.md lists: docs/images/make.sh [BAG]
# Without a bag it records one with scripts/demo: 20 s of the motion `wave`.
set -euo pipefail

here=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck source=scripts/environment.sh
source "$here/../../scripts/environment.sh"
if ! prepare_ros; then
  printf 'make.sh: missing: %s\n' "$missing" >&2
  exit 2
fi
bag=${1:-}
folder=""
if [[ -z $bag ]]; then
  folder=$(mktemp -d)
  trap 'rm -rf -- "$folder"' EXIT
  "$root/scripts/demo" --duration 20.2 --motion wave --output "$folder"
  bag=$folder/bag
fi
use_no_ros

(cd "$root" && "$python" examples/contributions_of_the_bodies.py "$here/contributions.png")
(cd "$root" && "$python" examples/film_of_a_swing.py "$here/swing.gif" 2)
(cd "$root" && "$python" examples/drive_on_swedish_wheels.py "$here/driving.gif")
(cd "$root" && "$python" examples/walk_a_hexapod.py "$here/walking.gif" 6)
for film in "Reach-v0 reach" "PickCan-v0 pick_can"; do
  read -r task name <<<"$film"
  "$python" -m charmie_dynamics.learning.commands.evaluate_options "$task" "$task" --episodes 5 --worlds 5 --film "$here/$name.gif"
done
"$python" - "$here" <<'PYTHON'
import sys

from charmie_dynamics import load_model
from charmie_dynamics.visual.pictures import render_robot

model = load_model()
position = model.zero_position()
for name, value in model.mechanisms.rest_pose.items():
    position[model.position_names.index(name)] = value
at_rest = model.compute(position)
render_robot(f"{sys.argv[1]}/at_rest.png", model, at_rest, subtitle="at rest", size=(900, 800))
bent = {"torso_actuator": 0.335, "left_arm_joint_2": 0.9, "left_arm_joint_4": 1.0}
for name, value in bent.items():
    position[model.position_names.index(name)] = value
bent_forward = model.compute(position)
render_robot(
    f"{sys.argv[1]}/bent_forward.png", model, bent_forward, subtitle="bent forward", size=(900, 800)
)
model = load_model("charmie_wheeled")
position = model.zero_position()
for name, value in model.mechanisms.rest_pose.items():
    position[model.position_names.index(name)] = value
stance = model.kinematics(position)
render_robot(
    f"{sys.argv[1]}/wheeled.png",
    model,
    stance,
    subtitle="on Swedish wheels, with independent suspension",
    legend=False,
    size=(900, 800),
    azimuth=35.0,
    elevation=22.0,
)
PYTHON

"$python" - "$here" <<'PYTHON'
import sys

from charmie_dynamics import load_model
from charmie_dynamics.motions.walking import LeggedWalk
from charmie_dynamics.visual.pictures import render_robot


def draw(name, state, **options):
    path = f"{sys.argv[1]}/{name}.png"
    view = {"size": (800, 700), "azimuth": 40.0, "elevation": 24.0, "legend": False}
    render_robot(path, load_model(name), state, **view, **options)


for name, gait, time in (("athena", "tripod", 2.5), ("quadruped", "trot", 3.125)):
    model = load_model(name)
    draw(name, model.compute(*LeggedWalk(model, gait).whole(time)), subtitle=gait)
arm = load_model("arm_6r")
position = [arm.mechanisms.rest_pose[actuator] for actuator in arm.actuator_names]
draw("arm_6r", arm.compute(position), subtitle="at rest")
PYTHON

# the tutorial draws its picture
"$python" - "$root/docs/tutorials/change.md" "$here" <<'PYTHON'
import os
import re
import shutil
import sys
import tempfile

page, images = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder, open(page, encoding="utf-8") as file:
    os.chdir(folder)
    names = {}
    for language, text in re.findall(r"```(\w+)\n(.*?)```", file.read(), re.DOTALL):
        if name := re.match(r"(?:<!--|#) (\w+\.\w+)", text):
            with open(name[1], "w", encoding="utf-8") as part:
                part.write(text)
        elif language == "python":
            exec(text, names)
    shutil.copy("gas_spring.png", images)
    os.chdir(images)
PYTHON

render() {
  "$python" -m charmie_dynamics.recordings.commands.render_options "$bag" "$@"
}
render --gif --to 19.9 --speed 4 --fps 8 --size 480x400 --output "$here/motion.gif"
"$python" -m charmie_dynamics.recordings.commands.plot_options "$bag" --topics efforts stability --output "$here"
