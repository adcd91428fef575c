"""A phone on Bumble's stack for many accessories, and no more than that: what `ancs phone` is measured
beside.

It connects to everybody who solicits ANCS, pairs when asked, takes a title from each line of standard
input for another notification, and announces all of them when it is told to `share`. Services and answers are those of the phone of Tests/Interop; of
what that one tells and checks only what a phone cannot do without is here.
"""

from __future__ import annotations

import argparse
import asyncio
import collections
import signal
import sys

from bumble import att, core, device, gatt, hci, host, pairing
from bumble.transport import open_transport

from notification_center import AncsError, Command, Notification, NotificationCenter
from phone_gatt import ANCS_SERVICE, PhoneServer, PhoneServices
from phone_security import BondStore

SOLICITATION_128 = 0x15
MESSAGE = "A message of the day, which took a while to write."


class Center(NotificationCenter):
    """Counts the notifications of each category as they come, instead of for each announcement."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: collections.Counter[int] = collections.Counter()

    def post(self, notification: Notification) -> int:
        """Adds a notification."""
        self.counts[notification.category] += 1
        return super().post(notification)

    def announcement(self, uid: int, notification: Notification) -> bytes:
        """The Notification Source value of one that was added (R12)."""
        count = min(self.counts[notification.category], 255)
        return bytes([0, notification.event_flags, notification.category, count]) + uid.to_bytes(
            4, "little"
        )


class Phone:
    """The phone and its accessories."""

    def __init__(self, links: int) -> None:
        self.links = links
        self.bonds = BondStore(None)
        self.center = Center()
        self.connections: list[device.Connection] = []
        self.known: set[hci.Address] = set()
        self.tasks: set[asyncio.Task[None]] = set()
        self.found: asyncio.Queue[hci.Address] = asyncio.Queue()
        self.done = asyncio.Event()
        self.device: device.Device
        self.server: PhoneServer
        self.services: PhoneServices

    async def run(self, moniker: str) -> None:
        """Serves until it is told to end."""
        transport = await open_transport(moniker)
        config = device.DeviceConfiguration(
            name="Bumble phone",
            address=hci.Address(self.bonds.identity),
            irk=self.bonds.irk,
            gap_service_enabled=False,
            gatt_service_enabled=False,
        )
        self.device = device.Device(config=config, host=host.Host(transport.source, transport.sink))
        self.device.keystore = self.bonds
        self.device.pairing_config_factory = lambda _: pairing.PairingConfig(
            mitm=False, identity_address_type=pairing.PairingConfig.AddressType.RANDOM
        )
        self.server = PhoneServer(self.device, self.guard, lambda what: sys.exit(what))
        self.device.gatt_server = self.server
        self.server.max_mtu = 517
        self.services = PhoneServices(
            self.server, "Bumble phone", self.write_control_point, frozenset(), False, None
        )
        self.device.on(self.device.EVENT_CONNECTION, self.on_connection)
        self.device.on(self.device.EVENT_ADVERTISEMENT, self.on_advertisement)
        await self.device.power_on()
        self.start(self.keep_connecting())
        await self.done.wait()

    def start(self, work: collections.abc.Coroutine[object, object, None]) -> None:
        """Runs work beside everything else."""
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    # Connections

    async def keep_connecting(self) -> None:
        """Connects to one accessory after the other."""
        while len(self.connections) < self.links:
            self.found = asyncio.Queue()
            await self.device.start_scanning(filter_duplicates=True)
            address = await self.found.get()
            await self.device.stop_scanning()
            self.known.add(address)
            await self.device.connect(address)

    def on_advertisement(self, advertisement: device.Advertisement) -> None:
        """Somebody is on air; one that is connected may be, for another phone."""
        if advertisement.address not in self.known and any(
            kind == SOLICITATION_128 and data == bytes(ANCS_SERVICE)
            for kind, data in advertisement.data.ad_structures
        ):
            self.found.put_nowait(advertisement.address)

    def on_connection(self, connection: device.Connection) -> None:
        """A link stands."""
        self.connections.append(connection)
        connection.on(
            connection.EVENT_SECURITY_REQUEST, lambda _: self.start(connection.pair())
        )
        self.start(self.exchange_mtu(connection))

    async def exchange_mtu(self, connection: device.Connection) -> None:
        """Asks for the ATT_MTU that an iPhone asks for."""
        connection.on_att_mtu_update(await connection.gatt_client.request_mtu(517))

    def guard(self, connection: device.Connection) -> int | None:
        """The refusal for an attribute that needs an encrypted link (R7)."""
        return None if connection.is_encrypted else int(att.ATT_INSUFFICIENT_AUTHENTICATION_ERROR)

    # ANCS

    def obey(self, line: str) -> None:
        """Adds a notification, or announces all of them to everybody."""
        if line != "share":
            self.center.post(Notification(title=line, message=MESSAGE))
            print(line, flush=True)
            return
        source = self.services.notification_source
        for uid, notification in self.center.active.items():
            value = self.center.announcement(uid, notification)
            for connection in self.connections:
                if self.server.is_subscribed(connection, source):
                    self.server.notify(connection, source, value)

    def write_control_point(self, bearer: att.Bearer, value: bytes) -> None:
        """Answers a command after the response to its write (R22)."""
        assert isinstance(bearer, device.Connection)
        try:
            octets = self.center.answer(Command.decode(value))
        except AncsError as error:
            raise att.ATT_Error(error.code) from error
        self.server.after_response.append(lambda: self.send_answer(bearer, octets))

    def send_answer(self, connection: device.Connection, octets: bytes) -> None:
        """Sends an answer in notifications of at most ATT_MTU - 3 octets (R30)."""
        room = connection.att_mtu - 3
        for start in range(0, len(octets), room):
            self.server.notify(
                connection, self.services.data_source, octets[start : start + room]
            )


async def main() -> None:
    """Runs the phone."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hci", required=True)
    parser.add_argument("--links", type=int, required=True)
    options = parser.parse_args()
    phone = Phone(options.links)
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, phone.done.set)
    buffer = b""

    def read() -> None:
        nonlocal buffer
        octets = sys.stdin.buffer.raw.read(65536)  # type: ignore[attr-defined]
        if not octets:
            loop.remove_reader(sys.stdin)
            return
        *lines, buffer = (buffer + octets).split(b"\n")
        for line in lines:
            phone.obey(line.decode())

    loop.add_reader(sys.stdin, read)
    await phone.run(options.hci)


if __name__ == "__main__":
    asyncio.run(main())
