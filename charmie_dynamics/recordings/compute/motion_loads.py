"""The loads that a recorded motion was computed with."""

from __future__ import annotations

from dataclasses import replace

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.live.loads import Loads
from charmie_dynamics.model.model import Model
from charmie_dynamics.recordings.read.bag import Bag
from charmie_dynamics.recordings.read.received import NO_LOADS
from charmie_dynamics.recordings.read.recorded_bag import RecordedBag
from charmie_dynamics.recordings.read.recording import EFFORTS, Motion

from .cycles import Settings
from .loads import LoadHistory


def with_loads(
    bag: Bag, model: Model, motion: Motion, frame_prefix: str = ""
) -> tuple[Motion, list[str]]:
    """Return a motion with the loads that were known when each sample of it was recorded.

    Parameters
    ----------
    bag : Bag
        That the motion is from.
    model : Model
        Without loads.
    motion : Motion
    frame_prefix : str
        Of the frames of the loads.

    Returns
    -------
    motion : Motion
    notices : list of str
        What of the loads could not be used, and why.
    """
    namespace = bag.namespace_of(EFFORTS)
    try:
        with RecordedBag(bag.path, namespace) as recorded:
            if not recorded.has_loads:
                return motion, recorded.trouble.lines()
            history = LoadHistory(model, Settings(frame_prefix=frame_prefix))
            known: dict[int, Loads] = {}
            for entry in history.passing(recorded.published()):
                known.setdefault(entry.sample.stamp, entry.loads)
            notices = [*recorded.trouble.lines(), *history.tally.lines()]
    except CharmieError as error:
        return motion, [f"payloads and wrenches are not used: {error}"]
    loads = tuple(known.get(stamp, NO_LOADS) for stamp in motion.stamps.tolist())
    return replace(motion, loads=loads), notices
