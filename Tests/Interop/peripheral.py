"""A peripheral made of Bumble alone: it advertises what it is told to, and publishes a table of services
of which some values are protected.

Events on standard output, as JSON Lines: `ready`, `connected`, `paired`, `disconnected`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import struct
import sys
from typing import Any

from bumble import core, device, gatt, hci, pairing

from patience import open_transport
from phone_security import IO_CAPABILITIES

CUSTOM_SERVICE = core.UUID("0A1B2C3D-0000-4000-8000-00000000AA00")
SECONDARY_SERVICE = core.UUID.from_16_bits(0xBB00)
"""Bumble has no include declarations of services with longer UUIDs."""
READ = gatt.Characteristic.Properties.READ
READABLE = gatt.Attribute.Permissions.READABLE
ENCRYPTED = READABLE | gatt.Attribute.Permissions.READ_REQUIRES_ENCRYPTION
AUTHENTICATED = READABLE | gatt.Attribute.Permissions.READ_REQUIRES_AUTHENTICATION


def emit(event: str, **fields: Any) -> None:
    """Says what happened."""
    print(json.dumps({"event": event, **fields}, default=str), flush=True)


def custom(number: int) -> core.UUID:
    """The UUID of a characteristic of the custom service."""
    return core.UUID(f"0A1B2C3D-0000-4000-8000-00000000AA{number:02X}")


def table() -> list[gatt.Service]:
    """Known values, unknown ones, protected ones, and what is not readable at all."""
    information = gatt.Service(
        gatt.GATT_DEVICE_INFORMATION_SERVICE,
        [
            gatt.Characteristic(
                gatt.GATT_MANUFACTURER_NAME_STRING_CHARACTERISTIC, READ, READABLE, b"Evil\x1b[2JInc"
            ),
            gatt.Characteristic(
                gatt.GATT_PNP_ID_CHARACTERISTIC,
                READ,
                READABLE,
                struct.pack("<BHHH", 1, 0x004C, 0x1234, 0x0213),
            ),
        ],
    )
    level = gatt.Characteristic(
        gatt.GATT_BATTERY_LEVEL_CHARACTERISTIC,
        READ | gatt.Characteristic.Properties.NOTIFY,
        ENCRYPTED,
        bytes([85]),
    )

    def subscribed(connection: device.Connection, notifies: bool, _: bool) -> None:
        """Who subscribes to the level is told of another one."""
        if notifies:
            asyncio.get_running_loop().create_task(
                connection.device.notify_subscriber(connection, level, bytes([84]))
            )

    level.on(level.EVENT_SUBSCRIPTION, subscribed)
    battery = gatt.Service(gatt.GATT_BATTERY_SERVICE, [level])
    secondary = gatt.Service(
        SECONDARY_SERVICE,
        [gatt.Characteristic(custom(0xB1), READ, READABLE, b"secondary")],
        primary=False,
    )
    own = gatt.Service(
        CUSTOM_SERVICE,
        [
            gatt.Characteristic(
                custom(1),
                READ,
                READABLE,
                "Grüße".encode(),
                [
                    gatt.Descriptor(
                        gatt.GATT_CHARACTERISTIC_USER_DESCRIPTION_DESCRIPTOR, READABLE, b"A greeting"
                    )
                ],
            ),
            gatt.Characteristic(custom(2), READ, READABLE, bytes(range(40))),
            gatt.Characteristic(custom(3), READ, AUTHENTICATED, b"secret"),
            gatt.Characteristic(
                custom(4),
                gatt.Characteristic.Properties.WRITE,
                gatt.Attribute.Permissions.WRITEABLE,
                gatt.CharacteristicValue(
                    write=lambda _, value: emit("written", value=bytes(value).hex())
                ),
            ),
            gatt.Characteristic(custom(5), READ, READABLE, bytes(range(256)) * 2),
            gatt.Characteristic(
                custom(6), READ, gatt.Attribute.Permissions.READ_REQUIRES_AUTHORIZATION, b"no"
            ),
        ],
        included_services=[secondary],
    )
    return [information, battery, secondary, own]


class User(pairing.PairingDelegate):
    """Says yes, and tells what is shown."""

    async def compare_numbers(self, number: int, digits: int) -> bool:
        """Numeric comparison."""
        emit("pairing", ask="confirm", value=number)
        return True

    async def display_number(self, number: int, digits: int) -> None:
        """Passkey display."""
        emit("pairing", display=number)


async def serve(options: argparse.Namespace) -> None:
    """Advertises, again after each connection, until it is ended."""
    transport = await open_transport(options.hci)
    own = device.Device.from_config_with_hci(
        device.DeviceConfiguration(
            name=options.name,
            address=hci.Address(options.address or str(hci.Address.generate_static_address())),
            gatt_service_enabled=True,
        ),
        transport.source,
        transport.sink,
    )
    own.pairing_config_factory = lambda _: pairing.PairingConfig(
        mitm=options.io != "none",
        delegate=User(IO_CAPABILITIES[options.io]),
        identity_address_type=pairing.PairingConfig.AddressType.RANDOM,
    )
    if options.table:
        own.add_services(table())

    def connected(connection: device.Connection) -> None:
        emit("connected", peer=connection.peer_address)
        connection.on(connection.EVENT_PAIRING, lambda _: emit("paired"))
        connection.on(
            connection.EVENT_DISCONNECTION, lambda reason: emit("disconnected", reason=reason)
        )

    own.on(own.EVENT_CONNECTION, connected)
    await own.power_on()
    await own.start_advertising(
        advertising_type=(
            device.AdvertisingType.UNDIRECTED_SCANNABLE
            if options.not_connectable
            else device.AdvertisingType.UNDIRECTED_CONNECTABLE_SCANNABLE
        ),
        advertising_data=bytes.fromhex(options.data),
        scan_response_data=bytes.fromhex(options.scan_response),
        auto_restart=True,
    )
    emit("ready", address=str(own.random_address).removesuffix("/P"))
    await asyncio.get_running_loop().create_future()


def main() -> int:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--hci", required=True)
    add("--name", default="Peripheral")
    add("--address", help="a random address; another static one each time if it is not said")
    add("--data", default="020106", help="the advertising data in hexadecimal")
    add("--scan-response", default="", help="the scan response data in hexadecimal")
    add("--not-connectable", action="store_true")
    add("--table", action="store_true", help="publish services")
    add("--io", choices=sorted(IO_CAPABILITIES), default="none")
    options = parser.parse_args()
    logging.basicConfig(level=logging.ERROR)
    asyncio.run(serve(options))
    return 0


if __name__ == "__main__":
    sys.exit(main())
