"""How every node of this package starts and ends."""

from __future__ import annotations

import gc
import signal
from collections.abc import Callable
from functools import wraps
from typing import Any

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node

from ..model.errors import CharmieError
from .executors import make_executor


def quiet_after_shutdown(callback: Callable[..., None]) -> Callable[..., None]:
    """Decorate a node's callback: what it raises because the context has ended is no error.

    A signal may end the context while the callback is using it. To be caught here, because the
    events executor writes what passes through it into the log.
    """

    @wraps(callback)
    def call(node: Node, *arguments: Any) -> None:
        try:
            callback(node, *arguments)
        except Exception:
            if node.context.ok():
                raise

    return call


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
        Exit status: 0 after an interrupt, a SIGTERM or a shutdown; 1 if the node could
        not be made, with one line in the log that says why.
    """
    # rclpy ends the context on SIGINT by itself; Python's KeyboardInterrupt would come on top,
    # anywhere, also in the middle of the clean-up
    signal.signal(signal.SIGINT, lambda *_: None)
    rclpy.init(args=args)
    node = None
    try:
        # before the node, which takes its time: a signal may have ended the context by then
        executor = make_executor()
        node = make_node()
        executor.add_node(node)
        # what has been made so far stays: to go through it all in search of cycles stops the node
        # for tens of milliseconds
        gc.collect()
        gc.freeze()
        executor.spin()
    except ExternalShutdownException:
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
