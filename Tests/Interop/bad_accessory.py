"""An accessory that does what no accessory should, to see whether a phone tells what is wrong.

It takes the options of `accessory.py`. Once subscribed, in the wrong order, it answers the first
notification with commands that break one requirement each.
"""

from __future__ import annotations

import asyncio
import struct
import sys

from bumble import device
from bumble.att import ATT_Error

import accessory
import phone_gatt

GET, APP, ACT = 0, 1, 2


def wrong_commands(uid: int) -> list[bytes]:
    """One command for each requirement that the octets alone can break."""
    known, unknown = struct.pack("<I", uid), struct.pack("<I", uid + 1000)
    return [
        bytes([GET]) + known + b"\x01",  # R25: no maximum for the title
        bytes([GET]) + known + b"\x05\x40\x00\x07",  # R25: a maximum for the date
        bytes([GET]) + known + b"\x07\x08",  # R26: a reserved attribute
        bytes([GET]) + known + b"\x01\x00\x00",  # S9: a maximum of 0
        bytes([GET]) + known,  # S8: no attribute
        bytes([GET]) + known[:2],  # R24: cut
        bytes([GET]) + unknown + b"\x00",  # R18: a UID that nobody announced
        bytes([7]),  # R23: a reserved command
        bytes([APP]) + b"com.apple.MobileSMS",  # R35: no NUL
        bytes([APP]) + b"com.apple.MobileSMS\x00\x03",  # R39: a reserved attribute
        bytes([ACT]) + known,  # R40: no action
        bytes([ACT]) + known + b"\x05",  # R41: a reserved action
        bytes([ACT]) + known + b"\x00",  # R43 and R48: an action that is not there, unasked
    ]


class BadAccessory(accessory.Accessory):
    """Breaks requirements, and goes on."""

    async def serve(self, connection: device.Connection) -> None:
        """One connection."""
        encrypted = asyncio.Event()
        connection.on(connection.EVENT_CONNECTION_ENCRYPTION_CHANGE, encrypted.set)
        if not connection.is_encrypted:
            await encrypted.wait()
        peer = device.Peer(connection)
        (service,) = await peer.discover_service(phone_gatt.ANCS_SERVICE)
        await service.discover_characteristics()
        source, control_point, data_source = (
            service.get_characteristics_by_uuid(uuid)[0]
            for uuid in (
                phone_gatt.NOTIFICATION_SOURCE,
                phone_gatt.CONTROL_POINT,
                phone_gatt.DATA_SOURCE,
            )
        )
        announced: asyncio.Queue[bytes] = asyncio.Queue()
        # S3: the Data Source comes second; R5: nobody subscribes to Service Changed.
        await source.subscribe(announced.put_nowait)
        await data_source.subscribe(lambda _: None)
        accessory.emit("session", state="started")
        uid = struct.unpack("<I", bytes(await announced.get())[4:8])[0]
        # R21: a Write Command.
        await control_point.write_value(b"\x00" + struct.pack("<I", uid) + b"\x00")
        for command in wrong_commands(uid):
            try:
                await control_point.write_value(command, with_response=True)
            except ATT_Error as error:
                accessory.emit("refused", command=command.hex(), attError=error.error_code)
        # R55 and R56: the same again; S4: without waiting for an answer.
        for command in (
            bytes([GET]) + struct.pack("<I", uid) + b"\x00",
            bytes([APP]) + b"com.apple.MobileSMS\x00\x00",
        ):
            for _ in range(2):
                await control_point.write_value(command, with_response=True)
        accessory.emit("done")
        await asyncio.Event().wait()


if __name__ == "__main__":
    accessory.Accessory = BadAccessory  # type: ignore[misc]
    sys.exit(accessory.main())
