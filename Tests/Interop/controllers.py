"""Virtual controllers that share one radio, each behind an endpoint of its own.

    controllers.py tcp-server:127.0.0.1:0 unix-server:hci.socket+legacy pty:hci.tty+acl=27,2

An endpoint is a moniker, followed by abilities if they differ from those given as options:
`+legacy`, `+acl=LENGTH,COUNT`, `+shared-acl`. When all endpoints are open, a line `READY` with the
monikers as they were bound (port 0 means any free one) goes to standard output. SIGTERM ends it.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import dataclasses
import logging
import os
import pty
import signal
import sys
import tty

from bumble import core
from bumble.transport.common import PacketParser

from radio import Abilities, Radio
from virtual_controller import Controller


class Endpoint:
    """The place where one host reaches one controller."""

    def __init__(self, controller: Controller) -> None:
        self.controller = controller
        self.host: HostConnection | None = None

    def connection(self) -> HostConnection:
        """A protocol for a host that has just come."""
        return HostConnection(self)


class HostConnection(asyncio.Protocol):
    """A host on a stream; a second one is turned away while the first is there."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.parser = PacketParser(endpoint.controller)
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Attaches the host to the controller."""
        assert isinstance(transport, asyncio.Transport)
        if self.endpoint.host is not None:
            transport.abort()
            return
        self.endpoint.host = self
        self.transport = transport
        self.endpoint.controller.host = self

    def on_packet(self, packet: bytes) -> None:
        """Sends a packet from the controller to the host."""
        if self.transport is not None and not self.transport.is_closing():
            self.transport.write(packet)

    def data_received(self, data: bytes) -> None:
        """Takes octets from the host; a stream out of step is closed, as it cannot recover."""
        try:
            self.parser.feed_data(data)
        except core.InvalidPacketError as error:
            self.endpoint.controller.violation(str(error))
            if self.transport is not None:
                self.transport.abort()

    def connection_lost(self, _: Exception | None) -> None:
        """Drops the links of a host that is gone."""
        if self.endpoint.host is self:
            self.endpoint.host = None
            self.endpoint.controller.host = None
            self.endpoint.controller.forget_everything()


class SerialHost:
    """A host on a pseudo-terminal; it shows no sign when it leaves, so it begins with Reset."""

    def __init__(self, controller: Controller, path: str) -> None:
        self.parser = PacketParser(controller)
        self.primary, self.replica = pty.openpty()
        for descriptor in (self.primary, self.replica):
            tty.setraw(descriptor)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        os.symlink(os.ttyname(self.replica), path)
        self.path = path
        os.set_blocking(self.primary, False)
        self.unsent = bytearray()
        controller.host = self
        asyncio.get_running_loop().add_reader(self.primary, self.read)

    def read(self) -> None:
        """Takes octets from the host."""
        try:
            self.parser.feed_data(os.read(self.primary, 65536))
        except core.InvalidPacketError:
            self.parser.reset()

    def on_packet(self, packet: bytes) -> None:
        """Sends a packet to the host, which may have to wait for room in the terminal's buffer."""
        self.unsent += packet
        self.write()

    def write(self) -> None:
        """Writes as much as there is room for."""
        loop = asyncio.get_running_loop()
        with contextlib.suppress(BlockingIOError):
            del self.unsent[: os.write(self.primary, self.unsent)]
        if self.unsent:
            loop.add_writer(self.primary, self.write)
        else:
            loop.remove_writer(self.primary)

    def close(self) -> None:
        """Takes the terminal away."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path)


def parse_endpoint(text: str, defaults: Abilities) -> tuple[str, str, Abilities]:
    """Splits an endpoint into scheme, address and abilities."""
    moniker, *extras = text.split("+")
    abilities = defaults
    for extra in extras:
        name, _, value = extra.partition("=")
        if name == "legacy":
            abilities = dataclasses.replace(abilities, legacy=True)
        elif name == "shared-acl":
            abilities = dataclasses.replace(abilities, shared_acl=True)
        elif name == "acl":
            length, count = (int(number) for number in value.split(","))
            abilities = dataclasses.replace(abilities, acl_length=length, acl_count=count)
        else:
            raise ValueError(f"unknown ability {extra!r}")
    scheme, _, address = moniker.partition(":")
    if scheme not in ("tcp-server", "unix-server", "pty") or not address:
        raise ValueError(f"not an endpoint: {text!r}")
    return scheme, address, abilities


async def open_endpoint(
    controller: Controller, scheme: str, address: str
) -> tuple[str, SerialHost | None]:
    """Opens an endpoint and says what it was bound to."""
    loop = asyncio.get_running_loop()
    endpoint = Endpoint(controller)
    if scheme == "tcp-server":
        host, _, port = address.rpartition(":")
        server = await loop.create_server(endpoint.connection, host, int(port))
        bound_host, bound_port = server.sockets[0].getsockname()[:2]
        return f"tcp-server:{bound_host}:{bound_port}", None
    if scheme == "unix-server":
        with contextlib.suppress(FileNotFoundError):
            os.unlink(address)
        await loop.create_unix_server(endpoint.connection, address)
        return f"unix-server:{address}", None
    return f"pty:{address}", SerialHost(controller, address)


async def run(endpoints: list[tuple[str, str, Abilities]]) -> None:
    """Serves until SIGTERM or SIGINT."""
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    radio = Radio()
    bound = []
    serial_hosts = []
    for index, (scheme, address, abilities) in enumerate(endpoints):
        controller = Controller(f"C{index}", radio, f"C0:FF:EE:00:00:{index + 1:02X}", abilities)
        moniker, serial_host = await open_endpoint(controller, scheme, address)
        bound.append(moniker)
        if serial_host is not None:
            serial_hosts.append(serial_host)
    print("READY", *bound, flush=True)
    await stopped.wait()
    for serial_host in serial_hosts:
        serial_host.close()
    for scheme, address, _ in endpoints:
        if scheme == "unix-server":
            with contextlib.suppress(FileNotFoundError):
                os.unlink(address)


def main() -> int:
    """Reads the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("endpoints", nargs="+", metavar="ENDPOINT")
    parser.add_argument("--legacy", action="store_true", help="no extended advertising")
    parser.add_argument("--acl", default="251,8", metavar="LENGTH,COUNT", help="ACL buffers")
    parser.add_argument("--shared-acl", action="store_true", help="LE shares the ACL buffers")
    parser.add_argument("--verbose", action="store_true", help="log every packet")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.DEBUG if arguments.verbose else logging.ERROR)
    try:
        length, count = (int(number) for number in arguments.acl.split(","))
        defaults = Abilities(arguments.legacy, length, count, arguments.shared_acl)
        endpoints = [parse_endpoint(text, defaults) for text in arguments.endpoints]
    except ValueError as error:
        print(f"controllers.py: {error}", file=sys.stderr)
        return 2
    asyncio.run(run(endpoints))
    return 0


if __name__ == "__main__":
    sys.exit(main())
