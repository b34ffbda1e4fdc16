# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The web server with its scene and panel."""

from __future__ import annotations

import errno
import io
import socket
from collections.abc import Callable
from contextlib import redirect_stdout

import viser

from charmie_dynamics.errors import CharmieError

from .panel import Panel
from .stage import Stage


class ViewError(CharmieError):
    """The view cannot be served."""


class _Server(viser.ViserServer):
    """A server without tunnels to other networks."""

    def request_share_url(self, verbose: bool = True) -> None:
        """Do nothing: a browser must not request a tunnel."""


class Page:
    """The web page of the view.

    Parameters
    ----------
    host : str
        Name or address to listen on.
    port : int
    pick : callable
        Called with the frame of a clicked shape.

    Raises
    ------
    ViewError
        If the address cannot be used.
    """

    def __init__(self, host: str, port: int, pick: Callable[[str], None]) -> None:
        _check_free(host, port)
        with redirect_stdout(io.StringIO()):  # omit its banner: the log contains the address
            self._server = _Server(host, port, label="charmie_dynamics", verbose=False)
        if self._server.get_port() != port:  # used by another process in the meantime
            self.stop()
            raise _taken(host, port)
        self.stage = Stage(self._server, pick)
        self.panel = Panel(
            self._server, self.stage.show_group, self.stage.cast_shadows, self.stage.follow
        )

    def has_viewers(self) -> bool:
        """Return whether a browser is connected."""
        return bool(self._server.get_clients())

    def stop(self) -> None:
        """Stop the server."""
        with redirect_stdout(io.StringIO()):
            self._server.stop()


def _taken(host: str, port: int) -> ViewError:
    return ViewError(
        f"port {port} of '{host}': expected a free port, got one that another program listens on; "
        "choose another with --port"
    )


def _check_free(host: str, port: int) -> None:
    """Raise unless the address is free: viser would take the next free port."""
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise ViewError(
            f"host '{host}': expected a name or address of this machine ({error}); valid are "
            "localhost, 0.0.0.0 for all of its networks, or one of its own addresses"
        ) from None
    for family, kind, protocol, _, address in addresses:
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(address)
            except PermissionError:
                raise ViewError(
                    f"port {port}: expected one that this user may listen on, such as 1024 or more"
                ) from None
            except OSError as error:
                if error.errno == errno.EADDRINUSE:
                    raise _taken(host, port) from None
                if family == socket.AF_INET6:
                    continue
                raise ViewError(
                    f"host '{host}': expected an address of this machine ({error.strerror}); "
                    "valid are localhost, 0.0.0.0 for all of its networks, or one of its own"
                ) from None
