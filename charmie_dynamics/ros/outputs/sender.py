# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Publishers that send serialised messages in place, without a copy.

rclpy takes bytes: a copy of a template, which it copies again; and each call passes several
layers of Python's binding. The C function that they finally call takes an address.
``docs/performance.md`` gives the gain for a node with five publications per cycle.
"""

from __future__ import annotations

import ctypes
from typing import Any

from rclpy.publisher import Publisher

from charmie_dynamics.live.wire.templates import Template

# Python's lock is held meanwhile, as in rclpy.
try:
    _publish: Any = ctypes.PyDLL("librcl.so").rcl_publish_serialized_message
    _reset_error: Any = ctypes.PyDLL("librcutils.so").rcutils_reset_error
except (OSError, AttributeError):  # other names, another platform: use rclpy
    _publish = _reset_error = None
else:
    _publish.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    _publish.restype = ctypes.c_int
    _reset_error.argtypes = []
    _reset_error.restype = None


class _SerializedMessage(ctypes.Structure):
    """rcl_serialized_message_t without an allocator: the bytes must not be resized."""

    _fields_ = (
        ("buffer", ctypes.c_char_p),  # takes bytes or an address
        ("buffer_length", ctypes.c_size_t),
        ("buffer_capacity", ctypes.c_size_t),
        ("allocator", ctypes.c_void_p * 5),
    )


class Sender:
    """Sends templates, serialised and ordinary messages on one topic.

    Parameters
    ----------
    publisher : Publisher
        Not destroyed before `close`: rclpy postpones destruction while a handle is in use.

    Attributes
    ----------
    publisher : Publisher
    """

    def __init__(self, publisher: Publisher) -> None:
        self.publisher = publisher
        self._handle: Any = publisher.handle
        self._handle.__enter__()
        self._pointer = ctypes.c_void_p(self._handle.pointer) if _publish else None
        self._sent: Template | bytes | None = None
        self._reference: Any = None

    def send(self, message: Any) -> None:
        """Publish a template, a message of the topic's type, or its bytes.

        Raises
        ------
        RCLError
            If the middleware refuses it.
        """
        if not isinstance(message, (Template, bytes)):
            self.publisher.publish(message)
        elif self._pointer is None:
            self.publisher.publish(bytes(message))
        elif _publish(self._pointer, self._reference_to(message), None):
            _reset_error()  # else the library complains that one error hides another
            self.publisher.publish(bytes(message))  # raises with the cause

    def _reference_to(self, sent: Template | bytes) -> Any:
        """Return the address of a message for rcl; a template is nearly always the previous one."""
        if sent is not self._sent:
            data = sent if isinstance(sent, bytes) else sent.data
            start = data if isinstance(data, bytes) else data.ctypes.data
            message = _SerializedMessage(start, len(data), len(data))
            self._sent, self._reference = sent, ctypes.byref(message)
        return self._reference

    def close(self) -> None:
        """Release the publisher; later messages are sent by rclpy."""
        if self._handle is not None:
            self._pointer = None
            self._handle.__exit__(None, None, None)
            self._handle = None
