# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What each numbered equation of the papers says, in our words."""

from __future__ import annotations

MULTIBODY: dict[int, str] = {
    1: "where a sliding joint meets its body: origin plus displacement along the joint",
    2: "constant rotation of the left shoulder",
    3: "constant rotation of the right shoulder",
    4: "constant rotation of the neck, none",
    5: "displacement of the lift: height of the joint over the origin of the lifted body",
    6: "the same from the length of the lift actuator, by Pythagoras",
    7: "angle of the torso as the sum of two angles less a right angle",
    8: "first of them, constant: direction of the moving pin in the upper body",
    9: "second, which varies: direction of the moving pin in the lower body",
    10: "distance from the fixed pin to the hinge",
    11: "foot of the moving pin on the line from fixed pin to hinge (two circles)",
    12: "height of the moving pin over that line",
    13: "moving pin, y: intersection of the two circles",
    14: "moving pin, z",
    15: "a point turned with its body",
    16: "orientation of a body: that of its parent times that of the joint",
    17: "rotation matrix of the ZXZ Euler angles",
    18: "rotation of a joint about x, y or z in terms of them",
    19: "a point moved with its body: joint of the body put onto the joint of its parent",
    20: "length of an auxiliary body: distance of its two ends",
    21: "its angle, by the law of cosines",
    22: "balance mechanism: height of the upright's top, that of the lifted body",
    23: "height of the bar's tip: the upright's length below",
    24: "x of the bar's tip, from the length of the bar",
    25: "x of the upright's top: that of the bar's tip",
    26: "x of the spring's point on the bar, in proportion",
    27: "z of the spring's point on the bar",
    28: "unit vector of the joint axis",
    29: "angular velocity, from the parent's",
    30: "angular acceleration, from the parent's",
    31: "linear acceleration of the joints, with Euler, centripetal and Coriolis terms",
    32: "linear acceleration of the centre of mass",
    33: "balance of forces on a body, those of its children included",
    34: "balance of torques on a body, those of its children included",
    35: "tension of an extension spring with pretension",
    36: "upper body: forces of actuator and hinge, the part along the hinge in halves",
    37: "upper body: the sums on the left of eq. 36",
    38: "upper body: torques of actuator and hinge across the hinge, in halves",
    39: "balance mechanism: components of the spring's pull on the bar",
    40: "balance mechanism: equilibrium of the bar",
    41: "balance mechanism: moment of the spring's pull about the pivot",
    42: "lower body: forces of actuator and slide, all across the slide to the slide",
    43: "lower body: torques, that about the slide to the balance mechanisms in halves",
}

NOT_USED: dict[int, str] = {
    2: "a number of the robot, in urdf/charmie.urdf (left_shoulder_mount_joint)",
    3: "a number of the robot, in urdf/charmie.urdf (right_shoulder_mount_joint)",
    4: "a number of the robot, in urdf/charmie.urdf (neck_mount_joint)",
}

# what it says, and the equation of the multibody paper which says the same
FORWARD_KINEMATICS: dict[int, tuple[str, int]] = {
    1: ("joint of the next body, displaced along a sliding joint", 1),
    2: ("rotation matrix of the ZXZ Euler angles", 17),
    3: ("rotation of a joint about x, y or z in terms of them", 18),
    4: ("orientation of a body: that of its parent times that of the joint", 16),
    5: ("a point turned with its body", 15),
    6: ("a point moved with its body", 19),
    7: ("lift: distance of the actuator's pins across the slide", 6),
    8: ("lift: angle of the actuator", 6),
    9: ("lift: height of the actuator", 6),
    10: ("lift: height of its upper pin", 6),
    11: ("lift: height of its upper pin over the joint", 6),
    12: ("lift: height of that pin in the lower body", 6),
    13: ("lift: displacement, from these heights", 6),
    14: ("lift: displacement, from the length of the actuator", 6),
    15: ("torso: angle as the sum of two angles less a right angle", 7),
    16: ("torso: direction of the moving pin in the lower body", 9),
    17: ("torso: direction of the moving pin in the upper body", 8),
    18: ("torso: distance from hinge to moving pin, squared inside multibody eq. 11", 11),
    19: ("torso: distance from the fixed pin to the hinge", 10),
    20: ("torso: foot of the moving pin on the line of the centres", 11),
    21: ("torso: height of the moving pin over that line", 12),
    22: ("torso: moving pin, y", 13),
    23: ("torso: moving pin, z", 14),
    24: ("length of a spring: distance of its two ends", 20),
    25: ("its angle, by the law of cosines", 21),
}

# its formulas are not printed in the text that is at hand: what it says of each is derived again in
# core/equations/structural.py
STRUCTURAL: dict[int, str] = {
    1: "angular velocity that a joint adds: along its axis if it is revolute, else none",
    3: "dual tensor of a vector: the skew matrix of its cross product",
    4: "velocity of the centre of mass that a joint adds: about its axis, or along it",
    23: "effort: all terms below, by accelerations, squares and products of velocities",
    24: "coefficients of inertia",
    25: "coefficients of centrifugal efforts",
    26: "coefficients of Coriolis efforts",
    27: "efforts of gravity",
    28: "efforts of loads from outside",
    29: "the same with matrices",
    30: "mass matrix: sum of the coefficients of inertia over the bodies",
    31: "matrix of centrifugal and Coriolis efforts",
    32: "its part of the Coriolis efforts, half of each for either velocity",
}

# what it says, and the equation whose place in the code is shown: recursions are summed up there
POINTS: dict[int, tuple[str, int]] = {
    8: ("angular velocity of a body from that of its parent", 9),
    9: ("angular velocity: sum over the joints between body and world", 9),
    10: ("velocity of a joint from that before it", 13),
    11: ("velocity of a centre of mass from that of the joint", 13),
    12: ("velocity of a joint: sum over the joints between body and world", 13),
    13: ("velocity of a point of a body: the same sum", 13),
    14: ("velocity of a centre of mass from that of its parent", 13),
    15: ("angular acceleration of a body from that of its parent", 16),
    16: ("angular acceleration: sum over the joints between body and world", 16),
    17: ("acceleration of a joint from that before it", 20),
    18: ("acceleration of a centre of mass from that of the joint", 20),
    19: ("acceleration of a joint: sum over the joints between body and world", 20),
    20: ("acceleration of a point of a body: the same sum", 20),
    21: ("a point of a body, turned into world axes", 21),
    22: ("its position", 22),
    23: ("its velocity", 23),
    24: ("its acceleration", 24),
    25: ("a direction of a body in world axes", 25),
    26: ("its rate", 26),
    27: ("its acceleration", 27),
}
