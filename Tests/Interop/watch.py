"""A careful accessory made of Bumble: it fetches what is announced, one command at a time, and goes on after
whatever a phone does. It takes the options of `ancs receive` that a bench needs.

`faults.py` has variants of it, each with one fault.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bumble import core, device, gatt, hci, pairing
from bumble.att import ATT_Error, ErrorCode

from patience import open_transport
from phone_gatt import ANCS_SERVICE, CONTROL_POINT, DATA_SOURCE, NOTIFICATION_SOURCE
from phone_security import BondStore
from program import run_until_signal

ADDED, MODIFIED, REMOVED = range(3)
TEXTS = {1: 64, 2: 64, 3: 256}
"""The attributes that need a maximum, and what this accessory asks for."""
ATTRIBUTES = (0, 1, 2, 3, 5, 6, 7)
PATIENCE = 6.0
"""Seconds until an answer is given up (S26)."""
FORBIDDEN = (0x03, 0x05, 0x08, 0x0F)
"""What a phone answers as long as its user does not allow notifications (S1)."""


@dataclass
class Source:
    """A value of the Notification Source."""

    event: int
    flags: int
    category: int
    uid: int


@dataclass
class Session:
    """What lasts as long as a session: nothing of it may outlast that (R52)."""

    waiting: dict[int, Source] = field(default_factory=dict)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    answers: asyncio.Queue[bytes] = field(default_factory=asyncio.Queue)
    names: dict[bytes, bytes] = field(default_factory=dict)


class Refused(Exception):
    """The phone answered a command with an error."""

    def __init__(self, code: int) -> None:
        super().__init__(f"error 0x{code:02X}")
        self.code = code


class Unanswered(Exception):
    """The answer did not come in time."""


class Watch:
    """The accessory. What a variant does otherwise is a method."""

    mtu = 517

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.session = Session()
        self.connection: device.Connection
        self.control_point: Any = None
        self.serving: asyncio.Task[None] | None = None

    # What happens on air

    async def run(self) -> None:
        """Advertises, and serves each phone that connects."""
        transport = await open_transport(self.options.hci)
        bonds = BondStore(self.options.state and f"{self.options.state}/bonds.json")
        own = device.Device.from_config_with_hci(
            device.DeviceConfiguration(
                name="Watch", address=hci.Address(bonds.identity), irk=bonds.irk
            ),
            transport.source,
            transport.sink,
        )
        own.keystore = bonds
        own.pairing_config_factory = lambda _: pairing.PairingConfig(
            mitm=False,
            delegate=pairing.PairingDelegate(),
            identity_address_type=self.identity_type(),
        )
        own.on(own.EVENT_CONNECTION, self.connected)
        await own.power_on()
        kinds = core.AdvertisingData.Type
        data = [(kinds.FLAGS, b"\x06")]
        if not self.options.silent:
            data.append((kinds.LIST_OF_128_BIT_SERVICE_SOLICITATION_UUIDS, bytes(ANCS_SERVICE)))
        await own.start_advertising(
            auto_restart=True,
            advertising_data=bytes(core.AdvertisingData(data)),
            scan_response_data=bytes(core.AdvertisingData([(kinds.COMPLETE_LOCAL_NAME, b"Watch")])),
        )
        await asyncio.get_running_loop().create_future()

    def identity_type(self) -> pairing.PairingConfig.AddressType:
        """The address that pairing distributes: the one that it advertises with (S33)."""
        return pairing.PairingConfig.AddressType.RANDOM

    def connected(self, connection: device.Connection) -> None:
        """A phone is there."""
        print("connected", flush=True)
        self.connection = connection
        serving = asyncio.create_task(self.serve(connection))
        self.serving = serving

        def gone(reason: int) -> None:
            print(f"disconnected, reason 0x{reason:02X}", flush=True)
            serving.cancel()
            self.end_session()

        connection.on(connection.EVENT_DISCONNECTION, gone)

    async def serve(self, connection: device.Connection) -> None:
        """A link, from encryption to its end."""
        encrypted = asyncio.Event()
        connection.on(connection.EVENT_CONNECTION_ENCRYPTION_CHANGE, encrypted.set)
        await self.ask_for_parameters(connection)
        connection.device.request_pairing(connection)
        if not connection.is_encrypted:
            await encrypted.wait()
        peer = device.Peer(connection)
        if self.mtu > 23:
            await peer.request_mtu(self.mtu)
        changed = asyncio.Event()
        await self.follow_service(peer, changed.set)
        while True:
            changed.clear()
            if await self.find_service(peer):
                work = asyncio.create_task(self.work())
                try:
                    await changed.wait()
                finally:
                    # With the link, too: two would ask side by side on the next one (S4).
                    work.cancel()
                # Until Python 3.12, `wait_for` drops a cancellation that comes together with its result.
                while not work.done():
                    work.cancel()
                    await asyncio.wait({work}, timeout=0.1)
                self.end_session()
            else:
                await changed.wait()

    async def ask_for_parameters(self, connection: device.Connection) -> None:
        """A link that lasts: 30 to 45 ms, and 6 s."""
        await self.ask(connection, 30, 45)

    async def ask(self, connection: device.Connection, shortest: float, longest: float) -> None:
        """Requests connection parameters, in milliseconds."""
        await connection.device.l2cap_channel_manager.update_connection_parameters(
            connection, int(shortest / 1.25), int(longest / 1.25), 0, 600
        )

    async def follow_service(self, peer: device.Peer, changed: Callable[[], None]) -> None:
        """Subscribes to Service Changed (R5)."""
        for service in await peer.discover_service(gatt.GATT_GENERIC_ATTRIBUTE_SERVICE):
            await service.discover_characteristics()
            for characteristic in service.get_characteristics_by_uuid(
                gatt.GATT_SERVICE_CHANGED_CHARACTERISTIC
            ):
                await characteristic.subscribe(lambda _: changed())

    async def find_service(self, peer: device.Peer) -> bool:
        """Discovers ANCS and subscribes; returns whether it is there."""
        services = await peer.discover_service(ANCS_SERVICE)
        if not services:
            return False
        await services[0].discover_characteristics()
        found = {}
        for uuid in (NOTIFICATION_SOURCE, CONTROL_POINT, DATA_SOURCE):
            (found[uuid],) = services[0].get_characteristics_by_uuid(uuid)
            # Of a session before, at the same handles.
            peer.gatt_client.notification_subscribers.pop(found[uuid].handle, None)
        self.control_point = found[CONTROL_POINT]
        await self.subscribe(found[DATA_SOURCE], found[NOTIFICATION_SOURCE])
        print("subscribed", flush=True)
        return True

    async def subscribe(self, data_source: Any, notification_source: Any) -> None:
        """The Data Source first (S3)."""
        await data_source.subscribe(self.received)
        await notification_source.subscribe(self.notified)

    # What is announced

    def notified(self, value: bytes) -> None:
        """A value of the Notification Source; another length is ignored (S17)."""
        if len(value) == 8:
            self.announced(Source(*struct.unpack("<BBBxI", value)))

    def announced(self, source: Source) -> None:
        """Fetches what was added or modified, and drops what was removed."""
        if source.event == REMOVED:
            self.session.waiting.pop(source.uid, None)
        elif source.event in (ADDED, MODIFIED) and self.wants(source):
            self.session.waiting[source.uid] = source
            self.session.news.set()

    def wants(self, source: Source) -> bool:
        """Whether to fetch a notification: every one."""
        return True

    def received(self, value: bytes) -> None:
        """A value of the Data Source."""
        self.session.answers.put_nowait(value)

    def end_session(self) -> None:
        """Nothing of a session outlasts it (R52)."""
        self.session = Session()

    # What is asked for

    async def work(self) -> None:
        """Fetches one notification after another, until the session ends.

        The worker of the session before was seen to outlast its cancellation: two would ask side by side (S4).
        """
        session = self.session
        delay = 1.0
        while True:
            while not session.waiting:
                session.news.clear()
                await session.news.wait()
            if session is not self.session:
                return
            uid, source = next(iter(session.waiting.items()))
            del self.session.waiting[uid]
            try:
                await self.fetch(source)
                delay = 1.0
            except Refused as refusal:
                if refusal.code in FORBIDDEN:
                    self.session.waiting.setdefault(uid, source)
                    await self.forbidden(delay)
                    delay = min(2 * delay, 60)
                else:
                    await self.refused()
            except Unanswered:
                await self.unanswered()

    async def fetch(self, source: Source) -> None:
        """The attributes of a notification, and the name of its app."""
        values = await self.request(self.command(source.uid), source.uid)
        await self.fetched(source, values)
        if identifier := values.get(0):
            await self.fetch_name(identifier)

    def command(self, uid: int) -> bytes:
        """Get Notification Attributes."""
        octets = b"\0" + struct.pack("<I", uid)
        for attribute in ATTRIBUTES:
            octets += bytes([attribute])
            if attribute in TEXTS:
                octets += struct.pack("<H", TEXTS[attribute])
        return octets

    async def fetched(self, source: Source, values: dict[int, bytes]) -> None:
        """The attributes of a notification have come."""

    async def fetch_name(self, identifier: bytes) -> None:
        """The name of an app, once in a session (R56); without a name, the identifier (S23)."""
        if identifier not in self.session.names:
            values = await self.request(self.name_command(identifier), None)
            self.session.names[identifier] = values.get(0, identifier)

    def name_command(self, identifier: bytes) -> bytes:
        """Get App Attributes."""
        return b"\1" + identifier + b"\0\0"

    async def request(self, command: bytes, uid: int | None) -> dict[int, bytes]:
        """Writes a command for attributes, and waits for its whole answer."""
        await self.write(command)
        wanted = set(ATTRIBUTES) if uid is not None else {0}
        header = command[:5] if uid is not None else command[:-1]
        answer = b""
        deadline = asyncio.get_running_loop().time() + PATIENCE
        while (values := self.values(answer, header, wanted)) is None:
            rest = deadline - asyncio.get_running_loop().time()
            try:
                value = await asyncio.wait_for(self.session.answers.get(), rest)
            except TimeoutError:
                raise Unanswered from None
            # A late answer to another command is not for this one (S26).
            if answer or value.startswith(header):
                answer += value
        return values

    async def write(self, command: bytes) -> None:
        """Writes to the Control Point, with a response (R21)."""
        try:
            await self.control_point.write_value(command, with_response=True)
        except ATT_Error as error:
            raise Refused(int(error.error_code)) from None

    def values(self, answer: bytes, header: bytes, wanted: set[int]) -> dict[int, bytes] | None:
        """The attributes of an answer by their numbers (R32); `None` before it is whole."""
        values: dict[int, bytes] = {}
        rest = answer[len(header) :]
        while len(rest) >= 3:
            attribute, length = struct.unpack("<BH", rest[:3])
            if len(rest) < 3 + length:
                break
            values[attribute] = rest[3 : 3 + length]
            rest = rest[3 + length :]
        if wanted <= values.keys():
            return values
        # An app that is not installed: the answer ends behind its identifier (S23).
        return values if answer == header and header[0] == 1 else None

    # What goes wrong

    async def forbidden(self, delay: float) -> None:
        """The user does not allow commands: tries again, each time later (S1)."""
        await asyncio.sleep(delay)

    async def refused(self) -> None:
        """A command was refused, which concerns no other (S28)."""

    async def unanswered(self) -> None:
        """An answer is lost, which concerns no other (S26)."""


def main(variants: dict[str, type[Watch]]) -> int:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--hci", required=True)
    add("--state", metavar="DIR", help="where bonds are kept")
    add("--silent", action="store_true", help="solicit nothing: an app of the phone connects")
    if variants:
        add("--fault", choices=variants, help="what it does wrong")
    add("--verbose", action="store_true")
    options = parser.parse_args()
    logging.basicConfig(level=logging.DEBUG if options.verbose else logging.ERROR)
    variant = variants[options.fault] if variants and options.fault else Watch
    asyncio.run(run_until_signal(variant(options).run()))
    return 0


if __name__ == "__main__":
    sys.exit(main({}))
