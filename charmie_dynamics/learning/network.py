# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Policies: networks from observations to actions, in files, run by NumPy."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from charmie_dynamics.errors import InputError, ModelFileError
from charmie_dynamics.model.description.files import share_file
from charmie_dynamics.numerics.vectors import Floats

from .registry import TASKS

FORMAT = 1
Array = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Policy:
    """A network: layers with tanh, of normalised observations; the last one without it.

    Attributes
    ----------
    task, control : str
        What it was trained for.
    mean, scale : (k,) array
        Observations are (x - mean) / scale.
    weights, biases : sequence of (m, k), (m,) array
        Of each layer.
    about : dict
        How it was trained, for readers.

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics.learning.network import Policy
    >>> policy = Policy("Reach-v0", "tool_motion", np.zeros(3), np.ones(3), [np.eye(3)],
    ...     [np.zeros(3)], {})
    >>> policy([[0.5, -2.0, 0.0]]).tolist()
    [[0.5, -1.0, 0.0]]
    """

    task: str
    control: str
    mean: Array
    scale: Array
    weights: Sequence[Array]
    biases: Sequence[Array]
    about: dict[str, Any]

    def __call__(self, observation: npt.ArrayLike) -> Array:
        """Return actions (n, m), from -1 to 1, of observations (n, k).

        A row depends on the same row alone, bit for bit.

        Raises
        ------
        InputError
            For another number of observations.
        """
        x: Any = np.asarray(observation, dtype=np.float32)
        if x.ndim != 2 or x.shape[1] != len(self.mean):
            raise InputError(
                f"observation of the policy of '{self.task}': expected shape (n, "
                f"{len(self.mean)}), got {x.shape}"
            )
        x = (x - self.mean) / self.scale
        last = len(self.weights) - 1
        for k, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            # einsum sums in the same order however many rows there are
            x = np.einsum("nk,mk->nm", x, weight) + bias
            if k < last:
                x = np.tanh(x)
        action: Array = np.clip(x, -1.0, 1.0)
        return action

    def save(self, path: str | Path) -> None:
        """Write a file (npz), completely or not at all."""
        head = {"format": FORMAT, "task": self.task, "control": self.control, "about": self.about}
        arrays = {"mean": self.mean, "scale": self.scale}
        for k, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            arrays[f"weight_{k}"], arrays[f"bias_{k}"] = weight, bias
        floats = {name: np.asarray(array, dtype=np.float32) for name, array in arrays.items()}
        write_arrays(path, {"head": np.array(json.dumps(head)), **floats})


def load_policy(path: str | Path) -> Policy:
    """Read a policy.

    Parameters
    ----------
    path : str or path
        Of its file, or the name of a task: the policy of this package for it.

    Raises
    ------
    ModelFileError
        If it is no file of a policy, or its layers do not fit together.

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics.learning import Policy, load_policy
    >>> policy = Policy("Reach-v0", "tool_motion", np.zeros(3), np.ones(3), [np.eye(3)],
    ...     [np.zeros(3)], {})
    >>> policy.save("policy.npz")
    >>> load_policy("policy.npz").task
    'Reach-v0'
    """
    if str(path) in TASKS:
        path = share_file("policies", f"{path}.npz")
    with arrays_of(path, "a policy (npz)") as arrays:
        head = json.loads(str(arrays.pop("head")))
        count = sum(name.startswith("weight_") for name in arrays)
        policy = Policy(
            head["task"], head["control"], arrays["mean"], arrays["scale"],
            [arrays[f"weight_{k}"] for k in range(count)],
            [arrays[f"bias_{k}"] for k in range(count)], head["about"],
        )  # fmt: skip
        version = head["format"]
    sizes = [len(policy.mean), *(len(bias) for bias in policy.biases)]
    shapes = [weight.shape for weight in policy.weights]
    if version != FORMAT or shapes != list(zip(sizes[1:], sizes[:-1], strict=True)):
        raise ModelFileError(f"{path}: expected a policy of format {FORMAT} whose layers fit")
    if not all(np.isfinite(array).all() for array in arrays.values()):
        raise ModelFileError(f"{path}: expected finite numbers")
    return policy


def require_fit(policy: Policy, task: str, control: str, observations: int, actions: int) -> None:
    """Refuse a policy for another task or robot.

    Raises
    ------
    InputError
    """
    got = policy.task, policy.control, len(policy.mean), len(policy.biases[-1])
    expected = task, control, observations, actions
    if got != expected:
        raise InputError(
            f"policy: expected one for task '{task}' with control '{control}', {observations} "
            f"observations and {actions} actions, got {got}"
        )


@contextmanager
def arrays_of(path: str | Path, expected: str) -> Iterator[dict[str, Any]]:
    """Provide the arrays of a file (npz).

    Raises
    ------
    ModelFileError
        If it cannot be read, or lacks an array or value that is used; names the expected content.
    """
    try:
        with open(path, "rb") as binary, np.load(binary, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        yield arrays
    except (KeyError, ValueError, OSError, EOFError, BadZipFile) as error:
        raise ModelFileError(f"{path}: expected {expected}, got a damaged file: {error}") from None


def write_arrays(path: str | Path, arrays: Mapping[str, Any]) -> None:
    """Write a file (npz), completely or not at all."""
    new = Path(path).with_suffix(".new")
    with new.open("wb") as file:
        np.savez(file, **arrays)
    new.replace(path)


def normalisation(samples: Floats) -> tuple[Array, Array]:
    """Return mean and scale (k,) of samples (n, k); 1 where they do not vary."""
    scale = samples.std(axis=0)
    scale[scale < 1e-6] = 1.0
    return samples.mean(axis=0).astype(np.float32), scale.astype(np.float32)
