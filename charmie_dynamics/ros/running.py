"""How every node of this package starts and ends."""

from __future__ import annotations

import signal
from collections.abc import Callable

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node

from ..model.errors import CharmieError


class Finished(Exception):  # noqa: N818  (no error)
    """Raised in a callback by a node that has done its work: it ends in good order."""


def run_node(make_node: Callable[[], Node], name: str, args: list[str] | None) -> int:
    """Run a node until an interrupt or a shutdown, and clean up.

    Parameters
    ----------
    make_node : callable
        Returns the node; may raise `CharmieError`.
    name : str
        For the log, should there be no node.
    args : list of str or None
        The command line; None: that of the process.

    Returns
    -------
    int
        Exit status: 0 after an interrupt, a SIGTERM, a shutdown or `Finished`; 1 if the node could
        not be made, with one line in the log that says why.
    """
    # rclpy ends the context on SIGINT by itself; Python's KeyboardInterrupt would come on top,
    # anywhere, also in the middle of the clean-up
    signal.signal(signal.SIGINT, lambda *_: None)
    rclpy.init(args=args)
    node = None
    try:
        node = make_node()
        rclpy.spin(node)
    except (ExternalShutdownException, Finished):
        pass
    except CharmieError as error:
        rclpy.logging.get_logger(name).fatal(str(error))
        return 1
    except Exception:
        if rclpy.ok():
            raise
        # a signal ended the context while a callback was using it
    finally:
        if node is not None:
            node.destroy_node()
        rclpy.try_shutdown()
    return 0
