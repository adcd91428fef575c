"""An accessory made of Bumble alone, with Bumble's own `AncsClient`.

It stands beside `ancs receive` and takes the same options, as far as they go, so that the benchmark
and the interop suite can have it in the other's place: `ANCS="python Tests/Interop/accessory.py"`.
`AncsClient` fails or hangs when an answer is refused, has no tuples, or has no date, so not all of
the suite passes with it; most of what concerns links, pairing and bonds does.

Without `receive` it does what the benchmark measures: it fetches five attributes of each of
`--count` notifications, and prints what that took.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import pathlib
import resource
import signal
import sys
import time
from typing import Any

from bumble import core, device, gatt, hci, pairing
from bumble.profiles import ancs

from notification_center import CATEGORIES, NOTIFICATION_ATTRIBUTES
from patience import open_transport
from phone_gatt import ANCS_SERVICE
from phone_security import IO_CAPABILITIES, BondStore

FLAGS = ("silent", "important", "preExisting", "positiveAction", "negativeAction")
MAXIMA = {1: 256, 2: 256, 3: 1024}
FIVE = (0, 1, 2, 3, 5)


def emit(event: str, **fields: Any) -> None:
    """Says what happened."""
    print(json.dumps({"event": event, **fields}, ensure_ascii=False, default=str), flush=True)


class User(pairing.PairingDelegate):
    """Asks on standard output, and is answered on standard input."""

    def __init__(self, io: str, answers: asyncio.Queue[str]) -> None:
        super().__init__(IO_CAPABILITIES[io])
        self.answers = answers

    async def compare_numbers(self, number: int, digits: int) -> bool:
        """Numeric comparison."""
        emit("pairing", ask="confirm", value=number)
        return await self.answers.get() == "yes"

    async def get_number(self) -> int | None:
        """Passkey entry."""
        emit("pairing", ask="enterPasskey")
        answer = await self.answers.get()
        return int(answer) if answer.isdigit() else None

    async def display_number(self, number: int, digits: int) -> None:
        """Passkey display."""
        emit("pairing", display=number)


class Accessory:
    """A peripheral with an ANCS client."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.attributes: list[Any] = [
            ancs.NotificationAttributeId(number)
            if number not in MAXIMA
            else (ancs.NotificationAttributeId(number), MAXIMA[number])
            for number in (range(len(NOTIFICATION_ATTRIBUTES)) if options.receive else FIVE)
        ]
        self.answers: asyncio.Queue[str] = asyncio.Queue()
        self.connections: asyncio.Queue[device.Connection] = asyncio.Queue()
        self.client: ancs.AncsClient | None = None
        self.irk = b""
        self.app_names: dict[str, str] = {}
        self.added = 0
        self.connection: device.Connection | None = None
        self.is_ending = False
        self.reading: asyncio.Task[None] | None = None

    async def run(self) -> int:
        """Serves one phone after another until the count is reached."""
        transport = await open_transport(self.options.hci)
        if self.options.state:
            pathlib.Path(self.options.state).mkdir(exist_ok=True)
        bonds = BondStore(self.options.state and f"{self.options.state}/bonds.json")
        own = device.Device.from_config_with_hci(
            device.DeviceConfiguration(
                name=self.options.name,
                address=hci.Address(bonds.identity),
                irk=bonds.irk,
                le_privacy_enabled=self.options.rpa,
                le_rpa_timeout=0,
            ),
            transport.source,
            transport.sink,
        )
        own.keystore = bonds
        self.irk = bonds.irk
        for uuid in self.options.service:
            value = gatt.Characteristic(
                core.UUID("2A38"),
                gatt.Characteristic.Properties.READ,
                gatt.Characteristic.READABLE,
                b"\x01",
            )
            own.add_service(gatt.Service(core.UUID(uuid), [value]))
        user = User(self.options.io, self.answers)
        own.pairing_config_factory = lambda _: pairing.PairingConfig(
            mitm=self.options.io != "none",
            delegate=user,
            identity_address_type=pairing.PairingConfig.AddressType.RANDOM,
        )
        own.on(own.EVENT_CONNECTION, self.on_connection)
        await own.power_on()
        while self.added < self.options.count and not self.is_ending:
            await self.advertise(own)
            connection = await self.connections.get()
            gone = asyncio.Event()
            connection.on(connection.EVENT_DISCONNECTION, lambda _, gone=gone: gone.set())
            serving = asyncio.create_task(self.serve(connection))
            leaving = asyncio.create_task(gone.wait())
            # Cancelling alone is not enough: `wait_for` of Python 3.11 can swallow it.
            await asyncio.wait({serving, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if serving.done() and not serving.cancelled():
                serving.result()
            serving.cancel()
            leaving.cancel()
            if gone.is_set():
                emit("disconnected")
        return 0

    async def advertise(self, own: device.Device) -> None:
        """Goes on air once."""
        if self.options.rpa:
            await self.take_address(own)
        kinds = core.AdvertisingData.Type
        services = [core.UUID(uuid) for uuid in self.options.service]
        solicited = [(kinds.LIST_OF_128_BIT_SERVICE_SOLICITATION_UUIDS, bytes(ANCS_SERVICE))]
        if self.options.plain:
            solicited = []
        await own.start_advertising(
            advertising_data=bytes(
                core.AdvertisingData(
                    [
                        (kinds.FLAGS, b"\x06"),
                        *solicited,
                        *(
                            (kinds.INCOMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, bytes(uuid))
                            for uuid in services
                        ),
                    ]
                )
            ),
            scan_response_data=bytes(
                core.AdvertisingData([(kinds.COMPLETE_LOCAL_NAME, self.options.name.encode())])
            ),
        )

    async def take_address(self, own: device.Device) -> None:
        """Takes a new private address (Bumble's own `update_rpa` sends the old one again)."""
        address = hci.Address.generate_private_address(self.irk)
        await own.send_sync_command(
            hci.HCI_LE_Set_Random_Address_Command(random_address=address)
        )
        own.random_address = address
        emit("address", address=address)

    def on_connection(self, connection: device.Connection) -> None:
        """Asks for security as soon as a phone is there."""
        emit("connected", address=connection.peer_address)
        self.connection = connection
        if not self.options.plain:
            connection.device.request_pairing(connection)
        self.connections.put_nowait(connection)

    async def serve(self, connection: device.Connection) -> None:
        """One connection."""
        if self.options.plain:
            await asyncio.Future()
        started = time.perf_counter()
        encrypted = asyncio.Event()
        connection.on(connection.EVENT_CONNECTION_ENCRYPTION_CHANGE, encrypted.set)
        if not connection.is_encrypted:
            await encrypted.wait()
        emit("secured", encrypted=True)
        peer = device.Peer(connection)
        await peer.request_mtu(517)
        self.client = await ancs.AncsClient.for_peer(peer)
        if self.client is None:
            raise RuntimeError("the phone has no ANCS")
        queue: asyncio.Queue[ancs.Notification] = asyncio.Queue()
        self.client.on(self.client.EVENT_NOTIFICATION, queue.put_nowait)
        await self.client.start()
        emit("session", state="started")
        if self.options.clock:
            await self.follow_clock(peer)
        while self.added < self.options.count:
            await self.report(await queue.get())
        usage = resource.getrusage(resource.RUSAGE_SELF)
        emit(
            "done",
            notifications=self.added,
            seconds=round(time.perf_counter() - started, 3),
            cpuSeconds=round(usage.ru_utime + usage.ru_stime, 3),
            maxResidentKilobytes=usage.ru_maxrss,
        )
        await connection.disconnect()

    async def follow_clock(self, peer: device.Peer) -> None:
        """Reads the phone's time and battery, subscribes to them, and reads the zone when it is another one."""

        async def characteristics(service: int, *uuids: int) -> list[Any]:
            (found,) = await peer.discover_service(core.UUID.from_16_bits(service))
            await found.discover_characteristics([core.UUID.from_16_bits(uuid) for uuid in uuids])
            return [
                found.get_characteristics_by_uuid(core.UUID.from_16_bits(uuid))[0] for uuid in uuids
            ]

        async def show(name: str, characteristic: Any) -> None:
            emit(name, value=(await characteristic.read_value()).hex(), told=False)

        clock, zone = await characteristics(0x1805, 0x2A2B, 0x2A0F)
        (level,) = await characteristics(0x180F, 0x2A19)
        loop = asyncio.get_running_loop()
        tasks = set()

        def follow(name: str, value: bytes, then: tuple[str, Any]) -> None:
            emit(name, value=value.hex(), told=True)
            tasks.add(loop.create_task(show(*then)))

        await clock.subscribe(
            lambda value: follow("currentTime", value, ("localTimeInformation", zone))
        )
        await level.subscribe(lambda value: follow("batteryLevel", value, ("batteryLevel", level)))
        await show("currentTime", clock)
        await show("localTimeInformation", zone)

    async def report(self, notification: ancs.Notification) -> None:
        """Fetches what belongs to an event, and prints it."""
        assert self.client is not None
        category = int(notification.category_id)
        fields: dict[str, Any] = {
            "uid": notification.notification_uid,
            "flags": [
                name for bit, name in enumerate(FLAGS) if notification.event_flags & 1 << bit
            ],
            "category": CATEGORIES[category] if category < 12 else f"reserved{category}",
            "categoryID": category,
            "categoryCount": notification.category_count,
        }
        kind = ("added", "modified", "removed")[int(notification.event_id)]
        if kind != "removed":
            values: dict[str, Any] = {
                NOTIFICATION_ATTRIBUTES[attribute.attribute_id]: attribute.value
                for attribute in await self.client.get_notification_attributes(
                    notification.notification_uid, self.attributes
                )
            }
            values["date"] = values["date"].isoformat()
            app = values.pop("appIdentifier")
            fields["app"] = {"identifier": app}
            if self.options.receive:
                fields["app"]["displayName"] = await self.app_name(self.client, app)
                fields["actions"] = {
                    "positive": values.pop("positiveActionLabel"),
                    "negative": values.pop("negativeActionLabel"),
                }
            fields |= values
            self.added += kind == "added"
        emit(kind, **fields)

    async def app_name(self, client: ancs.AncsClient, identifier: str) -> str:
        """The name of an app, asked for once."""
        if identifier not in self.app_names:
            (name,) = await client.get_app_attributes(
                identifier, [ancs.AppAttributeId.DISPLAY_NAME]
            )
            self.app_names[identifier] = str(name.value)
        return self.app_names[identifier]

    async def read_answers(self) -> None:
        """Takes lines of standard input as answers or actions."""
        reader = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
        )
        async for line in reader:
            words = line.decode().split()
            if words and words[0] == "perform" and self.client is not None:
                await self.client.perform_action(
                    int(words[1]), ancs.ActionId(("positive", "negative").index(words[2]))
                )
            else:
                self.answers.put_nowait(line.decode().strip())


async def serve(options: argparse.Namespace) -> int:
    """Runs the accessory until its count, its time, or a signal ends it."""
    accessory = Accessory(options)
    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    running = asyncio.create_task(accessory.run())
    waiting = asyncio.create_task(stopped.wait())
    if options.receive:
        accessory.reading = asyncio.create_task(accessory.read_answers())
    done, _ = await asyncio.wait(
        {running, waiting}, timeout=options.timeout, return_when=asyncio.FIRST_COMPLETED
    )
    if running in done:
        return running.result()
    accessory.is_ending = True
    if accessory.connection is not None and accessory.connection.is_encrypted:
        await accessory.connection.disconnect()
    running.cancel()
    return 0 if done or options.count == sys.maxsize else 1


def main() -> int:
    """Reads the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("receive", nargs="?", choices=("receive",), help="do as `ancs receive` does")
    add("--hci", required=True)
    add("--name", default="Bumble")
    add("--io", choices=sorted(IO_CAPABILITIES), default="none")
    add("--state", metavar="DIR", help="where bonds are kept")
    add("--json", action="store_true", help="has no effect: there is no other output")
    add("--count", type=int, default=sys.maxsize, help="end after so many notifications")
    add("--timeout", type=float, help="end after so many seconds")
    add("--service", action="append", default=[], help="have this service (16 bits), and say so")
    add("--plain", action="store_true", help="want no ANCS: have services, and nothing else")
    add("--clock", action="store_true", help="show the phone's time and battery")
    add("--rpa", action="store_true", help="resolvable private address, a new one each time")
    add("--verbose", action="store_true")
    options = parser.parse_args()
    logging.basicConfig(level=logging.DEBUG if options.verbose else logging.ERROR)
    return asyncio.run(serve(options))


if __name__ == "__main__":
    sys.exit(main())
