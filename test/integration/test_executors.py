# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a node relies on holds with the package's executors: all entities, time, errors, the end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import rclpy
from graph import to_time
from rcl_interfaces.msg import ParameterType
from rcl_interfaces.srv import GetParameters
from rclpy.clock import Clock as RosClock
from rclpy.clock import ClockType
from rclpy.context import Context
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile, QoSReliabilityPolicy
from rclpy.task import Future
from rosgraph_msgs.msg import Clock
from std_msgs.msg import String
from std_srvs.srv import Trigger

try:
    from rclpy.event_handler import SubscriptionEventCallbacks
except ImportError:  # its name on Humble
    from rclpy.qos_event import SubscriptionEventCallbacks

from charmie_dynamics.ros.process import wait_sets
from charmie_dynamics.ros.process.executors import WaitSetExecutor, call_after_queue, make_executor

PATIENCE = 60.0  # s: a machine may be busy
MAKERS: dict[str, Callable[..., Any]] = {"chosen": make_executor, "wait_set": WaitSetExecutor}


class Done(Exception):  # noqa: N818  (no error)
    """Ends spinning from inside a callback."""


class Graph:
    """Nodes in a context of their own on one executor."""

    def __init__(self, make: Callable[..., Any]) -> None:
        self.context = Context()
        rclpy.init(args=[], context=self.context)
        self.executor = make(context=self.context)
        self.node = self.add_node("one")

    def add_node(self, name: str, **options: Any) -> Node:
        node = Node(name, namespace="executors", context=self.context, **options)
        self.executor.add_node(node)
        return node

    def spin_until(self, condition: Callable[[], Any], timeout: float = PATIENCE) -> None:
        deadline = time.monotonic() + timeout

        def look() -> None:
            if condition() or time.monotonic() > deadline:
                raise Done

        clock = RosClock(clock_type=ClockType.STEADY_TIME)
        timer = self.node.create_timer(0.005, look, clock=clock)
        while not condition() and time.monotonic() < deadline:
            with pytest.raises(Done):  # also of an earlier timer, called once more
                self.executor.spin()
        self.node.destroy_timer(timer)
        assert condition(), "waited in vain"

    def spin_for(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        self.spin_until(lambda: time.monotonic() >= end)


@pytest.fixture(params=MAKERS)
def graph(request: pytest.FixtureRequest) -> Iterator[Graph]:
    graph = Graph(MAKERS[request.param])
    yield graph
    for node in list(graph.executor.get_nodes()):
        graph.executor.remove_node(node)
        node.destroy_node()
    graph.executor.shutdown()
    rclpy.try_shutdown(context=graph.context)


def test_all_messages_come_in_their_order(graph: Graph) -> None:
    received: list[str] = []
    graph.node.create_subscription(String, "text", lambda m: received.append(m.data), 500)
    publisher = graph.node.create_publisher(String, "text", 500)
    graph.spin_until(publisher.get_subscription_count)
    texts = [str(k) for k in range(300)]
    for text in texts:
        publisher.publish(String(data=text))
    graph.spin_until(lambda: len(received) >= len(texts))
    assert received == texts


def test_raw_messages_come_as_bytes(graph: Graph) -> None:
    received: list[Any] = []
    graph.node.create_subscription(String, "raw", received.append, 10, raw=True)
    publisher = graph.node.create_publisher(String, "raw", 10)
    graph.spin_until(publisher.get_subscription_count)
    publisher.publish(String(data="here"))
    graph.spin_until(lambda: received)
    assert isinstance(received[0], bytes)
    assert b"here" in received[0]


def test_a_timer_runs_until_it_is_cancelled_and_again_when_it_is_reset(graph: Graph) -> None:
    calls: list[float] = []
    timer = graph.node.create_timer(0.01, lambda: calls.append(time.monotonic()))
    graph.spin_until(lambda: len(calls) >= 5)
    timer.cancel()
    before = len(calls)
    graph.spin_for(0.2)
    assert len(calls) == before
    timer.reset()
    graph.spin_until(lambda: len(calls) > before)


def test_a_service_answers_a_client_beside_it(graph: Graph) -> None:
    def answer(_: Any, response: Any) -> Any:
        response.message = "answered"
        return response

    graph.node.create_service(Trigger, "ask", answer)
    client = graph.add_node("two").create_client(Trigger, "ask")
    graph.spin_until(client.service_is_ready)
    for _ in range(3):
        future = client.call_async(Trigger.Request())
        graph.spin_until(future.done)
        assert future.result().message == "answered"


def test_parameters_are_read_through_their_service(graph: Graph) -> None:
    graph.node.declare_parameter("number", 7)
    client = graph.add_node("two").create_client(GetParameters, "one/get_parameters")
    graph.spin_until(client.service_is_ready)
    future = client.call_async(GetParameters.Request(names=["number"]))
    graph.spin_until(future.done)
    (value,) = future.result().values
    assert (value.type, value.integer_value) == (ParameterType.PARAMETER_INTEGER, 7)


def test_services_answer_while_messages_and_timers_keep_the_node_busy(graph: Graph) -> None:
    node = graph.node
    node.create_service(Trigger, "ask", lambda _, response: response)
    client = node.create_client(Trigger, "ask")
    publisher = node.create_publisher(String, "busy", 10)
    # each message brings the next: there is always one that is ready
    node.create_subscription(String, "busy", publisher.publish, 10)
    node.create_timer(0.001, lambda: publisher.publish(String()))
    graph.spin_until(client.service_is_ready)
    future = client.call_async(Trigger.Request())
    graph.spin_until(future.done)


@pytest.mark.parametrize("graph", ["wait_set"], indirect=True)
def test_messages_of_a_stream_go_the_quick_way_again_after_a_service_was_called(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = graph.node
    received: list[Any] = []
    slowly: list[Any] = []
    make_handler = graph.executor._make_handler

    def noted(entity: Any, *arguments: Any) -> Any:
        slowly.append(entity)
        return make_handler(entity, *arguments)

    def send_next(message: String) -> None:
        received.append(message)
        publisher.publish(message)

    monkeypatch.setattr(graph.executor, "_make_handler", noted)
    node.create_service(Trigger, "ask", lambda _, response: response)
    client = node.create_client(Trigger, "ask")
    publisher = node.create_publisher(String, "stream", 10)
    node.create_subscription(String, "stream", send_next, 10)
    graph.spin_until(lambda: client.service_is_ready() and publisher.get_subscription_count())
    publisher.publish(String())
    future = client.call_async(Trigger.Request())
    graph.spin_until(future.done)
    slowly.clear()
    received.clear()
    graph.spin_until(lambda: len(received) > 300)
    assert len(slowly) < 10


# rclpy's events executor refuses guard conditions; no node of the package has one
@pytest.mark.parametrize("graph", ["wait_set"], indirect=True)
def test_a_guard_condition_that_another_thread_triggers_is_handled(graph: Graph) -> None:
    calls: list[int] = []
    guard = graph.node.create_guard_condition(lambda: calls.append(1))
    graph.spin_for(0.05)
    thread = threading.Timer(0.1, guard.trigger)
    thread.start()
    graph.spin_until(lambda: calls)
    thread.join()
    graph.spin_for(0.1)
    assert calls == [1]


def test_an_event_of_the_middleware_is_handled(graph: Graph) -> None:
    """A reliable subscription and a best-effort publisher do not fit."""
    events: list[Any] = []
    callbacks = SubscriptionEventCallbacks(incompatible_qos=events.append)
    best_effort = QoSProfile(depth=1, reliability=QoSReliabilityPolicy.BEST_EFFORT)
    graph.node.create_subscription(
        String, "unfit", lambda _: None, QoSProfile(depth=1), event_callbacks=callbacks
    )
    graph.node.create_publisher(String, "unfit", best_effort)
    graph.spin_until(lambda: events)


def test_tasks_are_run(graph: Graph) -> None:
    graph.spin_for(0.05)
    task = graph.executor.create_task(lambda: 5)
    graph.spin_until(task.done)
    assert task.result() == 5


def test_work_after_the_queue_is_called_once_when_the_messages_before_it_are_handled(
    graph: Graph,
) -> None:
    """A callback that takes all messages itself leaves none to those that are queued."""
    received: list[str] = []
    sizes: list[int] = []

    def take_all(message: String) -> None:
        received.append(message.data)
        while (taken := subscription.handle.take_message(String, False)) is not None:
            received.append(taken[0].data)
        call_after_queue(graph.node.executor, lambda: sizes.append(len(received)))

    publisher = graph.node.create_publisher(String, "many", 100)
    subscription = graph.node.create_subscription(String, "many", take_all, 100)
    graph.spin_until(publisher.get_subscription_count)
    for k in range(50):
        publisher.publish(String(data=str(k)))
    graph.spin_until(lambda: len(received) == 50)
    graph.spin_for(0.1)
    assert received == [str(k) for k in range(50)]
    assert sizes[-1] == 50
    assert len(sizes) < 50


def test_a_callback_may_be_a_coroutine_that_waits_for_a_service(graph: Graph) -> None:
    node, other = graph.node, graph.add_node("two")
    other.create_service(Trigger, "ask", lambda _, response: response)
    client = other.create_client(Trigger, "ask")
    answers: list[Any] = []

    async def on_message(_: Any) -> None:
        answers.append(await client.call_async(Trigger.Request()))

    node.create_subscription(String, "question", on_message, 10)
    publisher = node.create_publisher(String, "question", 10)
    graph.spin_until(lambda: publisher.get_subscription_count() and client.service_is_ready())
    publisher.publish(String())
    graph.spin_until(lambda: answers)


def test_a_coroutine_of_a_service_waits_between_ticks_that_stay_quick(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    node, ticks, answers = graph.node, [], []
    made = []
    init = wait_sets.Entities.__init__

    def count(self: wait_sets.Entities, *given: Any) -> None:
        made.append(self)
        init(self, *given)

    monkeypatch.setattr(wait_sets.Entities, "__init__", count)
    done = Future(executor=graph.executor)

    async def answer(_: Any, response: Trigger.Response) -> Trigger.Response:
        response.message = await done
        return response

    def tick() -> None:
        ticks.append(1)
        if len(ticks) == 300:
            done.set_result("late")

    node.create_service(Trigger, "ask_late", answer)
    client = node.create_client(Trigger, "ask_late")
    graph.spin_until(client.service_is_ready)
    client.call_async(Trigger.Request()).add_done_callback(lambda f: answers.append(f.result()))
    timer = node.create_timer(0.001, tick)
    graph.spin_until(lambda: answers)
    node.destroy_timer(timer)
    assert answers[0].message == "late" and len(ticks) >= 300
    # the wait sets are made anew for what comes and goes, not for each tick
    assert len(made) < 100


def test_entities_may_come_and_go_inside_callbacks(graph: Graph) -> None:
    node = graph.node
    received: list[str] = []
    publisher = node.create_publisher(String, "late", 10)
    subscriptions: list[Any] = []

    def toggle() -> None:
        if subscriptions:
            node.destroy_subscription(subscriptions.pop())
        else:
            subscription = node.create_subscription(
                String, "late", lambda message: received.append(message.data), 10
            )
            subscriptions.append(subscription)

    timer = node.create_timer(0.02, toggle)
    sending = node.create_timer(0.001, lambda: publisher.publish(String(data="x")))
    graph.spin_until(lambda: len(received) > 100)
    node.destroy_timer(timer)
    node.destroy_timer(sending)
    if subscriptions:
        toggle()
    graph.spin_for(0.05)
    before = len(received)
    publisher.publish(String(data="x"))
    graph.spin_for(0.1)
    assert len(received) == before


def test_a_timer_on_simulated_time_follows_the_clock_topic(graph: Graph) -> None:
    simulated = graph.add_node(
        "simulated", parameter_overrides=[Parameter("use_sim_time", value=True)]
    )
    ticks: list[int] = []
    simulated.create_timer(1.0, lambda: ticks.append(simulated.get_clock().now().nanoseconds))
    publisher = graph.node.create_publisher(Clock, "/clock", 10)
    graph.spin_until(publisher.get_subscription_count)
    now = 100_000_000_000
    publisher.publish(Clock(clock=to_time(now)))
    graph.spin_for(0.3)
    ticks.clear()
    graph.spin_for(0.1)
    assert not ticks, "time stands still"
    for step in range(1, 4):
        publisher.publish(Clock(clock=to_time(now + step * 1_000_000_000)))
        graph.spin_until(lambda step=step: len(ticks) >= step)
    assert ticks == [now + step * 1_000_000_000 for step in (1, 2, 3)]


def test_what_a_callback_raises_reaches_the_caller(graph: Graph) -> None:
    def fail() -> None:
        raise ValueError("from the callback")

    graph.node.create_timer(0.01, fail)
    with pytest.raises(ValueError, match="from the callback"):
        graph.executor.spin()


def test_what_a_service_raises_reaches_the_caller(graph: Graph) -> None:
    def fail(_: Any, response: Any) -> Any:
        raise ValueError("from the service")

    graph.node.create_service(Trigger, "fail", fail)
    client = graph.add_node("two").create_client(Trigger, "fail")
    graph.spin_until(client.service_is_ready)
    client.call_async(Trigger.Request())
    with pytest.raises(ValueError, match="from the service"):
        graph.executor.spin()


def test_a_shutdown_of_the_context_ends_spinning(graph: Graph) -> None:
    thread = threading.Timer(0.2, lambda: rclpy.shutdown(context=graph.context))
    thread.start()
    with pytest.raises(ExternalShutdownException):
        graph.executor.spin()
    thread.join()


def test_a_shutdown_of_the_executor_ends_spinning(graph: Graph) -> None:
    thread = threading.Timer(0.2, graph.executor.shutdown)
    thread.start()
    graph.executor.spin()
    thread.join()
