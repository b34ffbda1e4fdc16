"""What is kept of each coordinate (actuator): its newest value and estimates, and how it came.

An array of records is one argument of a compiled function and costs a call 0.1 us; its fields as
arrays of their own would be nine, 0.6 us.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

TRACKER = np.dtype(
    [
        ("source", np.int64),  # of the estimates: NOTHING and so on, in kernels
        ("stamp", np.int64),  # of the newest sample (ns)
        ("period", np.float64),  # between the two newest samples (s), zero until there are two
        ("position", np.float64),  # newest measured
        ("velocity", np.float64),  # measured or estimated
        ("acceleration", np.float64),  # estimated
        ("tracked_position", np.float64),  # state of the tracker, before the last pole
        ("tracked_velocity", np.float64),
        ("tracked_acceleration", np.float64),
        ("fastest", np.float64),  # rates from here on cannot be
        ("impossible", np.int64),  # samples at such rates since the last report
    ]
)
INPUT = np.dtype(
    [
        ("arrival", np.float64),  # of the newest sample on a steady clock (s), -inf before any
        ("length_arrival", np.float64),  # of the newest length, -inf before any
        ("late", np.int64),  # late samples in a row
        ("optional", np.int64),  # 1: at zero, since nobody has ever reported it
        ("lower", np.float64),  # positions below or above are outside the limits
        ("upper", np.float64),
        ("outside", np.int64),  # such positions since the last report
        ("absent", np.int64),  # positions that were not finite since the last report
        ("effort", np.float64),  # measured in the newest sample, NaN: not
    ]
)
# what is used of a message with certain names
ENTRY = np.dtype(
    [
        ("entry", np.int64),  # which of the message
        ("coordinate", np.int64),  # where it goes
        ("actuator", np.int64),  # the linear actuator that moves this joint, -1: none, or a length
        ("position", np.float64),  # of the newest message, NaN: not usable
        ("velocity", np.float64),  # of the newest message, NaN: unknown
    ]
)
Records = npt.NDArray[np.void]
