# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Generated functions that solve the equations of motion with loop joints, in Python and C.

With effort + J^T multipliers = M acceleration + C velocity + g and J acceleration = -J' velocity,
`least_norm` solves linear equations row by row: it makes the rows orthonormal, the largest
remaining row first, and the rows that depend on the former ones are omitted. The result is the
shortest solution, so redundant constraints are allowed; multipliers are those with the least sum of
squares, as those of the numeric model.

The accelerations are the shortest ones that satisfy the constraints, and the solution of the
equations of motion projected on the motions P = I - Q^T Q that these leave, with an orthonormal
basis Q of the rows of J.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .subject import Subject

# of rows, relative to the largest: the rest of a dependent constraint, and of a motion without mass
DEPENDENT = "1e-8"
MASSLESS = "1e-13"
BALANCED = "1e-7"  # largest rest of the efforts, relative to the largest effort
WORDS = re.compile(r"[A-Z]{2,}(?![A-Z0-9])")  # of which a robot determines some

PYTHON = '''

def least_norm(matrix, vector, tolerance):
    """Return the shortest x of matrix x = vector, a basis of the rows, and the rest of vector."""
    a, b = np.array(matrix), np.array(vector)
    rank = 0
    norms = np.sqrt((a * a).sum(axis=1))
    least = tolerance * norms.max() if norms.size else 0.0
    while rank < min(a.shape) and norms.max() > least:
        k = rank + int(norms.argmax())
        a[[rank, k]], b[[rank, k]] = a[[k, rank]], b[[k, rank]]
        for _ in range(2):
            along = a[:rank] @ a[rank]
            a[rank] -= along @ a[:rank]
            b[rank] -= along @ b[:rank]
        length = np.sqrt(a[rank] @ a[rank])
        a[rank] /= length
        b[rank] /= length
        along = a[rank + 1 :] @ a[rank]
        a[rank + 1 :] -= np.outer(along, a[rank])
        b[rank + 1 :] -= along * b[rank]
        rank += 1
        norms = np.sqrt((a[rank:] * a[rank:]).sum(axis=1))
    return b[:rank] @ a[:rank], a[:rank], b[rank:]


def NAME_accelerations(ARGUMENTS, effort):
    """Return the accelerations and the multipliers of the loop joints that efforts lead to.

    Parameters
    ----------
    INPUTS
        As for NAME_equations; the loops are closed.
    effort : (ACTUATORS,) array
        Of the actuators of EFFORTS.

    Returns
    -------
    acceleration : (SIZE,) array
    multipliers : (ROWS,) array
        Forces and torques along the rows of the Jacobian; those with the least sum of squares.
    """
    M, C, g, J, J_rate = NAME_equations(ARGUMENTS)
    v = np.asarray(velocity)
    rest = C @ v + g
    rest[ACTUATED] -= effort
    acceleration, basis, _ = least_norm(J, -(J_rate @ v), DEPENDENT)
    motions = np.eye(SIZE) - basis.T @ basis
    forces = motions @ -(rest + M @ acceleration)
    free, moved, idle = least_norm(motions @ M @ motions, forces, MASSLESS)
    if len(moved) + len(basis) < SIZE and abs(idle).max() > BALANCED * abs(rest).max():
        raise ArithmeticError("a motion that the loops allow moves no mass")
    acceleration = acceleration + free
    return acceleration, least_norm(J.T, M @ acceleration + rest, DEPENDENT)[0]


def NAME_efforts(ARGUMENTS, acceleration):
    """Return the efforts of the actuators and the multipliers of the loop joints for a motion.

    Parameters
    ----------
    INPUTS
        As for NAME_equations; the loops are closed.
    acceleration : (SIZE,) array
        Those of coordinates without actuator change as little as closed loops require.

    Returns
    -------
    effort : (ACTUATORS,) array
        Of the actuators of EFFORTS; with more actuators than
        motions those with the least sum of squares.
    multipliers : (ROWS,) array
        Forces and torques along the rows of the Jacobian; those with the least sum of squares.
    """
    M, C, g, J, J_rate = NAME_equations(ARGUMENTS)
    v, a = np.array(velocity), np.array(acceleration)
    a[PASSIVE] += least_norm(J[:, PASSIVE], -(J @ a + J_rate @ v), DEPENDENT)[0]
    forces = M @ a + C @ v + g
    _, basis, _ = least_norm(J, np.zeros(ROWS), DEPENDENT)
    motions = np.eye(SIZE) - basis.T @ basis
    effort, _, idle = least_norm(motions[:, ACTUATED], motions @ forces, DEPENDENT)
    if idle.size and abs(idle).max() > BALANCED * abs(forces).max():
        raise ArithmeticError("no efforts of the actuators lead to this motion")
    forces[ACTUATED] -= effort
    return effort, least_norm(J.T, forces, DEPENDENT)[0]
'''

C99 = """
/* Writes the shortest x (n) of a x = b, with a (m x n) row by row; returns the rank. The first rows
 * of a become a basis of all rows, the others of b the rest. */
static int NAME_least_norm(double *a, double *b, int m, int n, double tolerance, double *x)
{
    double least = -1.0;
    int rank = 0;
    for (int j = 0; j < n; ++j) x[j] = 0.0;
    for (; rank < m && rank < n; ++rank) {
        int pivot = rank;
        double largest = -1.0, length = 0.0;
        for (int i = rank; i < m; ++i) {
            double square = 0.0;
            for (int j = 0; j < n; ++j) square += a[i * n + j] * a[i * n + j];
            if (square > largest) { largest = square; pivot = i; }
        }
        if (rank == 0) least = tolerance * tolerance * largest;
        if (!(largest > least)) break;
        for (int j = 0; j < n; ++j) {
            const double swap = a[rank * n + j];
            a[rank * n + j] = a[pivot * n + j];
            a[pivot * n + j] = swap;
        }
        { const double swap = b[rank]; b[rank] = b[pivot]; b[pivot] = swap; }
        for (int pass = 0; pass < 2; ++pass) {
            for (int i = 0; i < rank; ++i) {
                double along = 0.0;
                for (int j = 0; j < n; ++j) along += a[i * n + j] * a[rank * n + j];
                for (int j = 0; j < n; ++j) a[rank * n + j] -= along * a[i * n + j];
                b[rank] -= along * b[i];
            }
        }
        for (int j = 0; j < n; ++j) length += a[rank * n + j] * a[rank * n + j];
        length = sqrt(length);
        for (int j = 0; j < n; ++j) a[rank * n + j] /= length;
        b[rank] /= length;
        for (int i = rank + 1; i < m; ++i) {
            double along = 0.0;
            for (int j = 0; j < n; ++j) along += a[i * n + j] * a[rank * n + j];
            for (int j = 0; j < n; ++j) a[i * n + j] -= along * a[rank * n + j];
            b[i] -= along * b[rank];
        }
        for (int j = 0; j < n; ++j) x[j] += b[rank] * a[rank * n + j];
    }
    return rank;
}

/* Writes the product c of a (m x n) and b (n x k). */
static void NAME_multiply(const double *a, const double *b, int m, int n, int k, double *c)
{
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < k; ++j) {
            c[i * k + j] = 0.0;
            for (int l = 0; l < n; ++l) c[i * k + j] += a[i * n + l] * b[l * k + j];
        }
}

/* Writes the shortest x with J x = demand, and the projection on the motions that J leaves. */
static int NAME_motions(const double *jacobian, double *demand, double *x, double *motions)
{
    double basis[ROWS * SIZE];
    for (int k = 0; k < ROWS * SIZE; ++k) basis[k] = jacobian[k];
    const int rank = NAME_least_norm(basis, demand, ROWS, SIZE, DEPENDENT, x);
    for (int k = 0; k < SIZE * SIZE; ++k) {
        motions[k] = k / SIZE == k % SIZE ? 1.0 : 0.0;
        for (int r = 0; r < rank; ++r)
            motions[k] -= basis[r * SIZE + k / SIZE] * basis[r * SIZE + k % SIZE];
    }
    return rank;
}

/* Writes the multipliers of the loop joints that supply forces. */
static void NAME_supply(const double *jacobian, double *forces, double *multipliers)
{
    double transposed[SIZE * ROWS];
    for (int k = 0; k < SIZE * ROWS; ++k) transposed[k] = jacobian[k % ROWS * SIZE + k / ROWS];
    NAME_least_norm(transposed, forces, SIZE, ROWS, DEPENDENT, multipliers);
}

/* Returns whether the rest of the forces from a row on exceeds the tolerance. */
static int NAME_is_unbalanced(const double *rest, int first, const double *forces)
{
    double largest = 0.0, most = 0.0;
    for (int i = 0; i < SIZE; ++i) {
        if (fabs(forces[i]) > largest) largest = fabs(forces[i]);
        if (i >= first && fabs(rest[i]) > most) most = fabs(rest[i]);
    }
    return most > BALANCED * largest;
}

/* Forward dynamics: writes the accelerations (SIZE) and the multipliers of the loop joints (ROWS)
 * that efforts lead to. The loops are closed. Multipliers are forces and torques along the rows of
 * the Jacobian, those with the least sum of squares. Returns 0; 1 if a motion that the loops allow
 * moves no mass.
 *
 * effort: ACTUATORS numbers, of the actuators of
 *     EFFORTS
 */
int NAME_accelerations(const double *position, const double *velocity, VALUES
    const double *effort, double *acceleration, double *multipliers)
{
    static const int actuated[] = {ACTUATED};
    double mass[SIZE * SIZE], coriolis[SIZE * SIZE], gravity[SIZE], jacobian[ROWS * SIZE];
    double rate[ROWS * SIZE], demand[ROWS], motions[SIZE * SIZE], half[SIZE * SIZE];
    double reduced[SIZE * SIZE], rest[SIZE], forces[SIZE], change[SIZE], projected[SIZE];
    NAME_equations(ARGUMENTS, mass, coriolis, gravity, jacobian, rate);
    NAME_multiply(coriolis, velocity, SIZE, SIZE, 1, rest);
    for (int i = 0; i < SIZE; ++i) rest[i] += gravity[i];
    for (int k = 0; k < ACTUATORS; ++k) rest[actuated[k]] -= effort[k];
    NAME_multiply(rate, velocity, ROWS, SIZE, 1, demand);
    for (int r = 0; r < ROWS; ++r) demand[r] = -demand[r];
    const int rank = NAME_motions(jacobian, demand, acceleration, motions);
    NAME_multiply(mass, acceleration, SIZE, SIZE, 1, forces);
    for (int i = 0; i < SIZE; ++i) forces[i] = -(forces[i] + rest[i]);
    NAME_multiply(motions, forces, SIZE, SIZE, 1, projected);
    NAME_multiply(mass, motions, SIZE, SIZE, SIZE, half);
    NAME_multiply(motions, half, SIZE, SIZE, SIZE, reduced);
    const int moved = NAME_least_norm(reduced, projected, SIZE, SIZE, MASSLESS, change);
    const int fault = moved + rank < SIZE && NAME_is_unbalanced(projected, moved, rest);
    for (int i = 0; i < SIZE; ++i) acceleration[i] += change[i];
    NAME_multiply(mass, acceleration, SIZE, SIZE, 1, forces);
    for (int i = 0; i < SIZE; ++i) forces[i] += rest[i];
    NAME_supply(jacobian, forces, multipliers);
    return fault;
}

/* Inverse dynamics: writes the efforts of the actuators (ACTUATORS) and the multipliers of the loop
 * joints (ROWS) for a motion. The loops are closed. Accelerations of coordinates without actuator
 * change as little as closed loops require. Efforts and multipliers are those with the least sum of
 * squares. Returns 0; 1 if no efforts of the actuators lead to the motion.
 *
 * acceleration: SIZE numbers
 * effort: ACTUATORS numbers, of the actuators of
 *     EFFORTS
 */
int NAME_efforts(const double *position, const double *velocity, VALUES
    const double *acceleration, double *effort, double *multipliers)
{
    static const int actuated[] = {ACTUATED}, passive[] = {PASSIVE};
    double mass[SIZE * SIZE], coriolis[SIZE * SIZE], gravity[SIZE], jacobian[ROWS * SIZE];
    double rate[ROWS * SIZE], own[ROWS * SIZE], demand[ROWS], opening[ROWS], motion[SIZE];
    double motions[SIZE * SIZE], power[SIZE * SIZE], forces[SIZE], bias[SIZE], change[SIZE];
    double projected[SIZE];
    NAME_equations(ARGUMENTS, mass, coriolis, gravity, jacobian, rate);
    NAME_multiply(rate, velocity, ROWS, SIZE, 1, demand);
    NAME_multiply(jacobian, acceleration, ROWS, SIZE, 1, opening);
    for (int r = 0; r < ROWS; ++r) {
        demand[r] = -(demand[r] + opening[r]);
        for (int k = 0; k < PASSIVES; ++k) own[r * PASSIVES + k] = jacobian[r * SIZE + passive[k]];
    }
    NAME_least_norm(own, demand, ROWS, PASSIVES, DEPENDENT, change);
    for (int i = 0; i < SIZE; ++i) motion[i] = acceleration[i];
    for (int k = 0; k < PASSIVES; ++k) motion[passive[k]] += change[k];
    NAME_multiply(mass, motion, SIZE, SIZE, 1, forces);
    NAME_multiply(coriolis, velocity, SIZE, SIZE, 1, bias);
    for (int i = 0; i < SIZE; ++i) forces[i] += bias[i] + gravity[i];
    for (int r = 0; r < ROWS; ++r) demand[r] = 0.0;
    NAME_motions(jacobian, demand, change, motions);
    NAME_multiply(motions, forces, SIZE, SIZE, 1, projected);
    for (int i = 0; i < SIZE; ++i)
        for (int k = 0; k < ACTUATORS; ++k)
            power[i * ACTUATORS + k] = motions[i * SIZE + actuated[k]];
    const int rank = NAME_least_norm(power, projected, SIZE, ACTUATORS, DEPENDENT, effort);
    const int fault = NAME_is_unbalanced(projected, rank, forces);
    for (int k = 0; k < ACTUATORS; ++k) forces[actuated[k]] -= effort[k];
    NAME_supply(jacobian, forces, multipliers);
    return fault;
}
"""


def python_solvers(subject: Subject) -> str:
    """Return forward and inverse dynamics as functions of Python."""
    arguments = "position, velocity" + (", parameters" if subject.parameters else "")
    own = {"ARGUMENTS": arguments, "INPUTS": arguments}
    own |= {"ACTUATED": str(list(subject.actuated)), "PASSIVE": str(subject.passive)}
    return _filled(PYTHON, subject, own)


def c_solvers(subject: Subject) -> str:
    """Return forward and inverse dynamics as functions of C99."""
    own = {
        "ARGUMENTS": "position, velocity" + (", parameters" if subject.parameters else ""),
        "VALUES": "const double *parameters," if subject.parameters else "",
        "ACTUATED": _listed(subject.actuated),
        "PASSIVE": _listed(subject.passive),
    }
    return "\n".join(line.rstrip() for line in _filled(C99, subject, own).split("\n"))


def _filled(text: str, subject: Subject, own: dict[str, str]) -> str:
    """Return a text with the sizes and names of a robot in place of words in capitals."""
    values = {
        **own,
        "ACTUATORS": str(len(subject.actuated)),
        "PASSIVES": str(len(subject.passive)),
        "SIZE": str(len(subject.joints)),
        "ROWS": str(len(subject.rows)),
        "DEPENDENT": DEPENDENT,
        "MASSLESS": MASSLESS,
        "BALANCED": BALANCED,
        "NAME": subject.name,
        "EFFORTS": subject.efforts,
    }
    return WORDS.sub(lambda word: values.get(word.group(), word.group()), text)


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers)) or "0"
