"""Accessories made of Bumble that use the media of a phone, for `test_media.py`: a careful one, and with `--fault`
variants, of which two are Bumble's own client of the Apple Media Service.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import struct
import sys
from collections.abc import Callable, Iterable
from typing import Any

from bumble import att, core, device, gatt
from bumble.att import ATT_Error
from bumble.profiles import ams
from watch import Watch, main

AMS_SERVICE = core.UUID("89D3502B-0F36-433A-8EF4-C502AD55F8DC")
REMOTE_COMMAND = core.UUID("9B3C81D8-57B1-4A8A-B8DF-0E56F7CA51C2")
ENTITY_UPDATE = core.UUID("2F7CABCE-808D-411F-9A0C-BB92BA96C102")
ENTITY_ATTRIBUTE = core.UUID("C6B2F38C-23AB-46D8-A6AB-A3A870BBD5D7")

PLAYER, QUEUE, TRACK = range(3)
NAME = 0
PLAY, PAUSE, NEXT, VOLUME_UP, SKIP_FORWARD = 0, 1, 3, 5, 9
KEYS = (NEXT, VOLUME_UP, PLAY)
"""The keys of the accessory, which its user presses in turn, as far as it offers them."""
PRESSES = 3.0
"""Seconds from one key to the next."""


def tell(error: Exception) -> None:
    """A refusal, in a line."""
    code = getattr(error, "error_code", None)
    print(f"media: {error!r}" if code is None else f"media: error 0x{int(code):02X}", flush=True)


class Media(Watch):
    """Uses the media of a phone, as the reference says."""

    keys: Iterable[int] = KEYS

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        self.range = (0, 0)
        self.changed = asyncio.Event()
        self.commands: set[int] = set()
        self.remote_command: Any = None
        self.entity_update: Any = None
        self.entity_attribute: Any = None
        self.truncated: dict[bytes, None] = {}
        self.news = asyncio.Event()
        self.asks_for_name = True

    async def follow_service(self, peer: device.Peer, changed: Callable[[], None]) -> None:
        """Service Changed says which handles it is about (M1): those of ANCS come before."""

        def indicated(value: bytes) -> None:
            first, last = struct.unpack("<HH", value)
            if first < self.range[0] or self.range == (0, 0) and first < 0x2D:
                changed()
            if last >= max(self.range[0], 0x2D):
                self.changed.set()

        for service in await peer.discover_service(gatt.GATT_GENERIC_ATTRIBUTE_SERVICE):
            await service.discover_characteristics()
            for characteristic in service.get_characteristics_by_uuid(
                gatt.GATT_SERVICE_CHANGED_CHARACTERISTIC
            ):
                await characteristic.subscribe(indicated)

    async def serve(self, connection: device.Connection) -> None:
        """A link: notifications and media side by side."""
        media = asyncio.create_task(self.serve_media(connection))
        try:
            await super().serve(connection)
        finally:
            media.cancel()

    async def serve_media(self, connection: device.Connection) -> None:
        """The media, as often as they come and go."""
        while not connection.is_encrypted:
            await asyncio.sleep(0.05)
        # Behind the first discovery of ANCS, which is more urgent.
        await asyncio.sleep(1)
        peer = device.Peer(connection)
        while True:
            self.changed.clear()
            self.commands = set()
            self.truncated = {}
            work = asyncio.create_task(self.use_media(peer))
            try:
                await self.changed.wait()
            finally:
                work.cancel()
            # A cancellation that comes together with the response to a request is lost: two would read side by side (M5).
            while not work.done():
                work.cancel()
                await asyncio.wait({work}, timeout=0.1)

    async def find_media(self, peer: device.Peer) -> bool:
        """Discovers what the phone has of the service (M1)."""
        services = await peer.discover_service(AMS_SERVICE)
        self.range = (0, 0)
        if not services:
            return False
        self.range = (services[0].handle, services[0].end_group_handle)
        await services[0].discover_characteristics()

        def find(uuid: core.UUID) -> Any:
            found = services[0].get_characteristics_by_uuid(uuid)
            for characteristic in found:
                peer.gatt_client.notification_subscribers.pop(characteristic.handle, None)
            return found[0] if found else None

        self.remote_command = find(REMOTE_COMMAND)
        self.entity_update = find(ENTITY_UPDATE)
        self.entity_attribute = find(ENTITY_ATTRIBUTE)
        return True

    async def use_media(self, peer: device.Peer) -> None:
        """Subscribes, registers, reads what was truncated, and sends commands."""
        try:
            if not await self.find_media(peer):
                return
            if self.remote_command:
                await self.remote_command.subscribe(self.offered)
            if self.entity_update:
                await self.entity_update.subscribe(self.updated)
                await self.register()
            await asyncio.gather(self.read_values(), self.press_keys())
        except (ATT_Error, core.BaseBumbleError) as error:
            # The service may be going: Service Changed says when there is another.
            tell(error)

    async def register(self) -> None:
        """Registers for all, once subscribed (M3); if that loses the link, for less the next time (M9)."""
        assert self.entity_update
        names = bytes([NAME]) if self.asks_for_name else b""
        asked, self.asks_for_name = self.asks_for_name, False
        await self.write(self.entity_update, bytes([PLAYER]) + names + b"\x01\x02\x03")
        self.asks_for_name = asked
        for entity in (QUEUE, TRACK):
            await self.write(self.entity_update, bytes([entity, 0, 1, 2, 3]))

    async def write(self, characteristic: Any, value: bytes | None = None) -> None:  # type: ignore[override]
        """Writes with a response; without a characteristic, to the Control Point."""
        if value is None:
            await super().write(characteristic)
        else:
            await characteristic.write_value(value, with_response=True)

    # What the phone says

    def offered(self, value: bytes) -> None:
        """The list of commands, which replaces the one before (M2)."""
        self.commands = set(value)

    def updated(self, value: bytes) -> None:
        """A value of an attribute; too short ones are ignored."""
        if len(value) < 3:
            return
        if value[2] & 1:
            self.truncated[value[:2]] = None
            self.news.set()
        else:
            self.truncated.pop(value[:2], None)

    # What it does

    async def read_values(self) -> None:
        """Reads truncated values whole, one at a time (M4, M5)."""
        while True:
            while not self.truncated or not self.entity_attribute:
                self.news.clear()
                await self.news.wait()
            attribute = next(iter(self.truncated))
            del self.truncated[attribute]
            await self.read(attribute)

    async def read(self, attribute: bytes) -> None:
        """Chooses an attribute, and reads it to its end."""
        try:
            await self.write(self.entity_attribute, attribute)
            await self.entity_attribute.read_value()
        except ATT_Error as error:
            tell(error)

    async def press_keys(self) -> None:
        """Its user presses one key after the other, as far as it offers them (M14)."""
        while True:
            for key in self.keys:
                await asyncio.sleep(PRESSES)
                if key in self.offers() and self.remote_command:
                    try:
                        await self.write(self.remote_command, bytes([key]))
                    except ATT_Error as error:
                        tell(error)

    def offers(self) -> set[int]:
        """The commands for which it has keys."""
        return self.commands


class AllKeys(Media):
    """Has keys for everything that the scenario of the keys wants."""

    keys = (PLAY, NEXT, VOLUME_UP, SKIP_FORWARD, PAUSE)


class Hostile(Media):
    """Writes and reads what no accessory should, and goes on as if nothing had been."""

    async def use_media(self, peer: device.Peer) -> None:
        if await self.find_media(peer):
            early = [
                await self.provoke(self.entity_update, bytes([PLAYER, NAME])),
                await self.provoke(self.entity_attribute, bytes([TRACK, 2])),
                await self.provoke(self.entity_attribute),
            ]
            await self.entity_update.subscribe(self.updated)
            late = [
                await self.provoke(characteristic, value)
                for characteristic, value in (
                    (self.entity_update, b""),
                    (self.entity_update, bytes([PLAYER])),
                    (self.entity_update, bytes([3, 0])),
                    (self.entity_update, bytes([PLAYER, 4])),
                    (self.entity_update, bytes([TRACK]) * 1000),
                    (self.entity_update, bytes([9]) * 94),
                    (self.remote_command, b""),
                    (self.remote_command, bytes([PLAY, PLAY])),
                    (self.remote_command, bytes([14])),
                    (self.remote_command, bytes([255])),
                    (self.entity_attribute, bytes([TRACK, 200])),
                    (self.entity_attribute, None),
                    (self.entity_attribute, bytes([TRACK, 1])),
                    (self.entity_attribute, None),
                )
            ]
            for _ in range(100):
                await self.remote_command.write_value(bytes([PLAY]), with_response=False)
            print(f"media: early {bytes(early).hex()} late {bytes(late).hex()}", flush=True)
        await super().use_media(peer)

    async def provoke(self, characteristic: Any, value: bytes | None = None) -> int:
        """The error with which a write, or without a value a read, is refused; 0 for none."""
        try:
            if value is None:
                await characteristic.read_value()
            elif len(value) > 512:
                await self.write_in_parts(characteristic, value)
            else:
                await self.write(characteristic, value)
        except ATT_Error as error:
            return int(error.error_code)
        return 0

    async def write_in_parts(self, characteristic: Any, value: bytes) -> None:
        """A long write, which ATT allows up to 512 octets."""
        client = characteristic.client
        requests: list[Any] = [
            att.ATT_Prepare_Write_Request(
                attribute_handle=characteristic.handle,
                value_offset=offset,
                part_attribute_value=value[offset : offset + 90],
            )
            for offset in range(0, len(value), 90)
        ]
        for request in [*requests, att.ATT_Execute_Write_Request(flags=1)]:
            response = await client.send_request(request)
            if response.op_code == att.Opcode.ATT_ERROR_RESPONSE:
                raise ATT_Error(error_code=response.error_code)


class Polls(Media):
    """Asks for the position each second."""

    async def read_values(self) -> None:
        while True:
            await asyncio.sleep(1)
            await self.read(bytes([PLAYER, 1]))


class RegistersFirst(Media):
    """Registers before it subscribes."""

    async def use_media(self, peer: device.Peer) -> None:
        if await self.find_media(peer):
            try:
                await self.write(self.entity_update, bytes([TRACK, 2]))
            except ATT_Error as error:
                tell(error)
        await super().use_media(peer)


class ReadsBeginnings(Media):
    """Reads no more of a value than fits into one response."""

    async def read(self, attribute: bytes) -> None:
        await self.write(self.entity_attribute, attribute)
        await self.entity_attribute.read_value(no_long_read=True)


class IgnoresReturn(Media):
    """Looks for the service once."""

    async def serve_media(self, connection: device.Connection) -> None:
        while not connection.is_encrypted:
            await asyncio.sleep(0.05)
        await asyncio.sleep(1)
        await self.use_media(device.Peer(connection))


class BumbleClient(Media):
    """Bumble's own client, with keys for whatever it says that the player supports."""

    client: ams.AmsClient | None = None

    async def use_media(self, peer: device.Peer) -> None:
        try:
            self.client = await ams.AmsClient.for_peer(peer)
            if self.client is None:
                return
            self.remote_command = self.client._ams_proxy.remote_command
            self.prepare(self.client)
            await self.client.start()
            for entity, attributes in (
                (ams.EntityId.PLAYER, list(ams.PlayerAttributeId)),
                (ams.EntityId.QUEUE, list(ams.QueueAttributeId)),
                (ams.EntityId.TRACK, list(ams.TrackAttributeId)),
            ):
                await self.client.observe(entity, attributes)
            await self.press_keys()
        except (ATT_Error, core.BaseBumbleError) as error:
            tell(error)

    def prepare(self, client: ams.AmsClient) -> None:
        """As it is."""

    def offers(self) -> set[int]:
        return {int(command) for command in self.client.supported_commands} if self.client else set()


class BumbleWithTasks(BumbleClient):
    """Bumble's own client without its semaphore, as versions before it had it: each truncated value is read by a task
    of its own."""

    def prepare(self, client: ams.AmsClient) -> None:
        client._read_attribute_semaphore = asyncio.Semaphore(100)


VARIANTS = (
    Media,
    AllKeys,
    Hostile,
    Polls,
    RegistersFirst,
    ReadsBeginnings,
    IgnoresReturn,
    BumbleClient,
    BumbleWithTasks,
)

if __name__ == "__main__":
    logging.getLogger("bumble").setLevel(logging.CRITICAL)
    sys.exit(main({variant.__name__: variant for variant in VARIANTS}))
