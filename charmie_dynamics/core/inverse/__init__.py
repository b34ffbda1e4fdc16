# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Inverse dynamics in seven steps, one file a step, in reading order.

==== ============================================== ============================================
step what                                           where
==== ============================================== ============================================
1    bodies and joints                              ``model/description``
2    properties as flat arrays                      ``core/arrays``, by ``model/flat/flatten``
3    actuator to joint position, rate, acceleration ``linear_actuators``
4    forward kinematics of the tree                 ``forward_kinematics``
5    kinematics of the auxiliary bodies             ``core/mechanisms``
6    Newton-Euler inverse dynamics                  ``newton_euler``
7    closed and over-constrained loops, efforts     ``loops``, ``rotors``, ``spring_tension``,
                                                    ``spring_damping``, ``friction``,
                                                    ``external_power``; loads
                                                    of the types of mechanisms:
                                                    ``core/mechanisms``
==== ============================================== ============================================

``records`` defines the records of a robot and a cycle. ``floating_joints`` computes positions and
rates of floating joints. ``cycle`` runs steps 3 to 7 in order, and ``batch`` for many samples.

"Multibody paper" here and in ``core/mechanisms`` is the paper of the seven-step method for CHARMIE.
Comments in the code give its equation numbers. "Forward kinematics paper" is the earlier paper on
the recursive algorithm. The README cites both.
"""
