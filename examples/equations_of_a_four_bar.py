# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Derive symbolic equations of motion of a four-bar linkage, and generate C code from them.

Masses and lengths remain symbols. A controller can use the code without the package. Needs SymPy.

Run: python examples/equations_of_a_four_bar.py [FILE.c]
"""

import sys
from pathlib import Path

from sympy import Matrix, nsimplify, symbols, trigsimp

from charmie_dynamics import load_model
from charmie_dynamics.symbolic import derive

model = load_model("four_bar")
lengths = {"joints.coupler_joint.xyz[2]": "l_1", "joints.rocker_joint.xyz[0]": "l_0"}
masses = {"inertials.crank.mass": "m_1", "inertials.rocker.mass": "m_3"}
equations = derive(model, "structural", symbols={**lengths, **masses})
M, J = (nsimplify(each, rational=True) for each in (equations.mass_matrix, equations.jacobian))
J = J[:2, :].applyfunc(trigsimp)  # the rows of a planar loop that are not zero
print("q1, q2, q3:", *equations.joint_names)
print(*(f"{symbol}: {name}" for name, symbol in {**lengths, **masses}.items()), sep="\n")
print("M =", *M.tolist(), "J =", *J.tolist(), sep="\n")
# the single freedom: all velocities are (1, r2, r3) v1
G = Matrix([1, *symbols("r2 r3")])
ratios = trigsimp(-J[:, 1:].adjugate() * J[:, 0] / J[:, 1:].det())
print("r2, r3 =", *ratios, sep="\n")
terms = (G.T * M * G)[0], (G.T * equations.gravity)[0]
print("effort = M1 v1' + C1 v1 + g1, C1 as numbers only; M1, g1 =", *terms, sep="\n")
position, velocity, _ = model.assemble([0.5, 0.0, 0.0], velocity=[3.0, 0.0, 0.0])
known = [*position, *velocity, *equations.parameters.values()]
values = dict(zip(sum(equations.symbols, ()), known, strict=True))
numbers = [float(each[0].subs(values)) for each in equations.reduced()[:3]]
print("M1, C1, g1 at 0.5 rad, v1 = 3 rad/s: {:.4f} {:.4f} {:.4f}".format(*numbers))
if len(sys.argv) > 1:
    Path(sys.argv[1]).write_text(equations.code("c"))
