"""A heart-rate sensor made of Bumble alone: a value of its location, and as many measurements as it is told to send to
the first who subscribes, one after the other.

Events on standard output, as JSON Lines: `ready`, `connected`, `subscribed`, `disconnected`.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
from typing import Any

from bumble import core, device, gatt, hci

from patience import open_transport
from peripheral import emit

READ = gatt.Characteristic.Properties.READ
NOTIFY = gatt.Characteristic.Properties.NOTIFY
READABLE = gatt.Attribute.Permissions.READABLE


def measurement(value: int) -> bytes:
    """A measurement in one octet or, every other one, in two."""
    return bytes([0, value]) if value % 2 == 0 else bytes([1, value & 0xFF, value >> 8])


async def run(options: argparse.Namespace) -> None:
    """Is on air until it is ended."""
    async with await open_transport(options.hci) as transport:
        sensor = device.Device.with_hci(
            "Pulse", hci.Address("F1:F2:F3:F4:F5:F6"), transport.source, transport.sink
        )
        rate = gatt.Characteristic(
            gatt.GATT_HEART_RATE_MEASUREMENT_CHARACTERISTIC, NOTIFY, READABLE, b""
        )
        location = gatt.Characteristic(
            gatt.GATT_BODY_SENSOR_LOCATION_CHARACTERISTIC, READ, READABLE, bytes([1])
        )

        async def send(connection: device.Connection) -> None:
            for value in range(options.count):
                await sensor.notify_subscriber(connection, rate, measurement(value))

        def subscribed(connection: device.Connection, notifies: bool, _: bool) -> None:
            if notifies:
                emit("subscribed")
                tasks.append(asyncio.get_running_loop().create_task(send(connection)))

        tasks: list[asyncio.Task[None]] = []
        rate.on(rate.EVENT_SUBSCRIPTION, subscribed)
        sensor.add_service(gatt.Service(gatt.GATT_HEART_RATE_SERVICE, [rate, location]))

        def connected(connection: device.Connection) -> None:
            emit("connected")
            connection.on("disconnection", lambda reason: emit("disconnected", reason=reason))

        sensor.on("connection", connected)
        await sensor.power_on()
        data = core.AdvertisingData(
            [
                (core.AdvertisingData.FLAGS, bytes([6])),
                (core.AdvertisingData.COMPLETE_LOCAL_NAME, b"Pulse"),
                (core.AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, b"\x0d\x18"),
            ]
        )
        await sensor.start_advertising(advertising_data=bytes(data), auto_restart=True)
        emit("ready", address=str(sensor.random_address))
        await asyncio.Event().wait()


def main() -> int:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hci", required=True, help="the controller, as a moniker of Bumble")
    parser.add_argument("--count", type=int, default=200, help="how many measurements it sends")
    logging.basicConfig(level="WARNING", stream=sys.stderr)
    options: Any = parser.parse_args()
    asyncio.run(run(options))
    return 0


if __name__ == "__main__":
    sys.exit(main())
