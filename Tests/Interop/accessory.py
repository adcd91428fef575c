"""An accessory made of Bumble alone, with Bumble's own `AncsClient`.

It is what the phone was first tried against, and what the benchmark is measured against: it
advertises, asks for security, subscribes, fetches five attributes of each notification, and prints
one JSON object a line. After `--count` notifications it prints what that took and ends.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import resource
import sys
import time
from typing import Any

from phone_gatt import ANCS_SERVICE

from bumble import core, device, hci, pairing
from bumble.profiles import ancs
from bumble.transport import open_transport

ATTRIBUTES = [
    ancs.NotificationAttributeId.APP_IDENTIFIER,
    (ancs.NotificationAttributeId.TITLE, 128),
    (ancs.NotificationAttributeId.SUBTITLE, 128),
    (ancs.NotificationAttributeId.MESSAGE, 512),
    ancs.NotificationAttributeId.DATE,
]


def emit(event: str, **fields: Any) -> None:
    """Says what happened."""
    print(json.dumps({"event": event, **fields}, ensure_ascii=False, default=str), flush=True)


class Accessory:
    """A peripheral with an ANCS client."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.queue: asyncio.Queue[ancs.Notification] = asyncio.Queue()
        self.connection: asyncio.Future[device.Connection] = (
            asyncio.get_running_loop().create_future()
        )
        self.encrypted = asyncio.Event()

    async def run(self) -> None:
        """Connects, pairs, subscribes and fetches."""
        transport = await open_transport(self.options.hci)
        own = device.Device.with_hci(
            self.options.name,
            hci.Address.generate_static_address(),
            transport.source,
            transport.sink,
        )
        own.pairing_config_factory = lambda _: pairing.PairingConfig(
            sc=True, mitm=False, bonding=True, delegate=pairing.PairingDelegate()
        )
        own.on(own.EVENT_CONNECTION, self.on_connection)
        await own.power_on()
        await own.start_advertising(
            advertising_data=bytes(
                core.AdvertisingData(
                    [
                        (core.AdvertisingData.Type.FLAGS, b"\x06"),
                        (
                            core.AdvertisingData.Type.LIST_OF_128_BIT_SERVICE_SOLICITATION_UUIDS,
                            bytes(ANCS_SERVICE),
                        ),
                    ]
                )
            ),
            scan_response_data=bytes(
                core.AdvertisingData(
                    [(core.AdvertisingData.Type.COMPLETE_LOCAL_NAME, self.options.name.encode())]
                )
            ),
        )
        emit("advertising", address=own.random_address)
        connection = await self.connection
        started = time.perf_counter()
        await self.encrypted.wait()
        emit("session", state="encrypted")
        peer = device.Peer(connection)
        await peer.request_mtu(517)
        client = await ancs.AncsClient.for_peer(peer)
        if client is None:
            raise RuntimeError("the phone has no ANCS")
        client.on(client.EVENT_NOTIFICATION, self.queue.put_nowait)
        await client.start()
        emit("session", state="subscribed")
        await self.fetch(client)
        usage = resource.getrusage(resource.RUSAGE_SELF)
        emit(
            "done",
            notifications=self.options.count,
            seconds=round(time.perf_counter() - started, 3),
            cpuSeconds=round(usage.ru_utime + usage.ru_stime, 3),
            maxResidentKilobytes=usage.ru_maxrss,
        )
        await connection.disconnect()

    def on_connection(self, connection: device.Connection) -> None:
        """Asks for security as soon as a phone is there."""
        connection.on(connection.EVENT_CONNECTION_ENCRYPTION_CHANGE, self.encrypted.set)
        emit("session", state="connected", address=connection.peer_address)
        connection.device.request_pairing(connection)
        self.connection.set_result(connection)

    async def fetch(self, client: ancs.AncsClient) -> None:
        """Fetches the attributes of each notification in turn."""
        added = 0
        while added < self.options.count:
            notification = await self.queue.get()
            fields: dict[str, Any] = {
                "uid": notification.notification_uid,
                "flags": int(notification.event_flags),
                "categoryID": int(notification.category_id),
                "categoryCount": notification.category_count,
            }
            kind = ("added", "modified", "removed")[int(notification.event_id)]
            if kind != "removed":
                attributes = await client.get_notification_attributes(
                    notification.notification_uid, ATTRIBUTES
                )
                fields |= {
                    attribute.attribute_id.name.lower(): attribute.value for attribute in attributes
                }
            added += kind == "added"
            emit(kind, **fields)


def main() -> int:
    """Reads the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--hci", required=True)
    parser.add_argument("--name", default="Bumble")
    parser.add_argument("--count", type=int, default=1, help="end after so many notifications")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    logging.basicConfig(level=logging.DEBUG if options.verbose else logging.ERROR)

    async def run() -> None:
        await Accessory(options).run()

    asyncio.run(run())
    return 0


if __name__ == "__main__":
    sys.exit(main())
