"""Serialised templates, and when to use one.

A template writes what the class of `messages` with the same arguments writes, without touching a
message object. `quickest` holds the two against each other before a template is used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.serialization import deserialize_message, serialize_message

from charmie_dynamics.live.wire.cdr import CdrError

from .messages import Reference, Writer


def quickest(
    ordinary: Reference,
    make_template: Callable[[Any], Writer],
    report: Callable[[str], None],
) -> Writer:
    """Return the template of a message if it is right here and now, else the ordinary message.

    The template is filled with trial values and decoded by the middleware in use.

    Parameters
    ----------
    ordinary : Reference
        A class of `messages`.
    make_template : callable
        Makes the template from it.
    report : callable
        Is told why there is none.
    """
    try:
        template = make_template(ordinary)
        trial = ordinary.trial()
        require_equal(bytes(template.write(*trial)), ordinary.write(*trial))
    except Exception as error:
        # another form of serialisation may break anything, and ordinary messages always work
        report(f"{type(error).__name__}: {error}")
        return ordinary
    return template


def require_equal(serialised: bytes, ordinary: Any) -> None:
    """Compare a serialised message with an ordinary one of the same content.

    Raises
    ------
    CdrError
        If they differ after decoding.
    """
    kind = type(ordinary)
    found = deserialize_message(serialised, kind)
    # decoded as well, since the fields of an ordinary message hold more digits than float32
    if found != deserialize_message(serialize_message(ordinary), kind):
        raise CdrError(f"a {kind.__name__} decodes to other numbers than those written")
