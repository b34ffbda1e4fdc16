# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Start and end of every node of this package."""

from __future__ import annotations

import gc
import time
import traceback
from collections.abc import Callable, Sequence
from functools import partial

import rclpy
from rclpy.exceptions import NameValidationException
from rclpy.executors import Executor, ExternalShutdownException
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from charmie_dynamics.errors import CharmieError

from . import interrupts, middleware
from .allocator import reserve_for_small_objects
from .executors import make_executor, stop
from .throttle import Throttle

LOG_PERIOD = 10.0  # s between two lines of one cause
PAUSE = 0.01  # s after a callback has failed, so that one that always fails takes no whole core


def run_node(
    make_node: Callable[[], Node],
    name: str,
    args: list[str] | None,
    prepare: Callable[[], None] | None = None,
    beside: Sequence[Callable[[], Node]] = (),
) -> int:
    """Run a node until an interrupt or a shutdown, and clean up. The process is to end then.

    Parameters
    ----------
    make_node : callable
        Returns the node; may raise `CharmieError`. An interrupt waits until it has returned.
    name : str
        For the log, should there be no node.
    args : list of str or None
        The command line; None: that of the process.
    prepare : callable, optional
        Long work before there is a node: an interrupt meanwhile ends the process at once.
    beside : sequence of callables, optional
        Return further nodes for the same executor; each is made after the one before.

    Returns
    -------
    int
        Exit status: 0 after an interrupt, a SIGTERM or a shutdown; 1 if the node could
        not be made or has given up, with its cause in one line of the log.
    """
    interrupts.end_at_once()
    nodes: list[Node] = []
    status = 0
    try:
        middleware.configure()  # it reads its configuration once; `prepare` may use it
        if prepare is not None:
            prepare()
        interrupts.note()
        rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
        for make in (make_node, *beside):
            nodes.append(_made(make))
        # the objects created so far are permanent: searching them for cycles stops the node for
        # tens of milliseconds
        gc.collect()
        gc.freeze()
        executor = make_executor()
        for node in nodes:
            executor.add_node(node)
        reserve_for_small_objects()
        with interrupts.call_on_signal(partial(stop, executor)):
            _spin(executor, nodes[0])
    except CharmieError as error:
        status = _fail(name, error)
    finally:
        for node in reversed(nodes):
            try:
                node.destroy_node()
            except CharmieError as error:
                status = _fail(name, error)
        rclpy.try_shutdown()
        interrupts.ignore()
    return status


def _made(make_node: Callable[[], Node]) -> Node:
    """Return the node.

    Raises
    ------
    CharmieError
        From the node, and for a namespace or name that ROS 2 does not take.
    """
    try:
        return make_node()
    except NameValidationException as error:
        # the other lines repeat the name, however long it is
        cause = str(error).splitlines()[0].rstrip(":")
        raise CharmieError(f"name of the node, its namespace or a topic: {cause}") from None
    except RuntimeError as error:
        # rcl's message for a namespace that is too long, with places in its sources
        cause, _, _ = str(error).partition(", at ")
        if not cause.startswith("error creating node"):
            raise
        raise CharmieError(f"{cause}; is its namespace longer than ROS 2 permits?") from None


def _fail(name: str, error: CharmieError) -> int:
    rclpy.logging.get_logger(name).fatal(str(error))
    return 1


def _spin(executor: Executor, node: Node) -> None:
    """Handle callbacks until a shutdown; one that fails is logged and does not end the node.

    A `CharmieError` ends it.

    Callbacks of this package handle their own failures. This function handles those of rclpy, such
    as the parameter services, which raise for an invalid request.

    Raises
    ------
    CharmieError
        From a callback that ends the node.
    """
    throttle = Throttle(LOG_PERIOD)
    while node.context.ok() and not interrupts.noted():
        try:
            executor.spin()
            return
        except ExternalShutdownException:
            return
        except CharmieError:
            raise
        except Exception as error:
            if not node.context.ok():
                return
            if throttle.allows(f"{type(error).__name__}: {error}", time.monotonic()):
                node.get_logger().error(f"callback failed: {traceback.format_exc()}")
            time.sleep(PAUSE)
