"""The Apple Media Service of a phone, as an imitation on Android may have it: octets, and no care.

Values are told by `media {entity, attribute, text}`, and cut to what fits in a notification, within a character too.
It says: mediaRegistered, mediaRead, mediaCommand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bumble import att, core, device
from bumble.gatt import Characteristic, Service

from phone_gatt import Permissions, PhoneServer, Properties

MEDIA_SERVICE = core.UUID("89D3502B-0F36-433A-8EF4-C502AD55F8DC")
REMOTE_COMMAND = core.UUID("9B3C81D8-57B1-4A8A-B8DF-0E56F7CA51C2")
ENTITY_UPDATE = core.UUID("2F7CABCE-808D-411F-9A0C-BB92BA96C102")
ENTITY_ATTRIBUTE = core.UUID("C6B2F38C-23AB-46D8-A6AB-A3A870BBD5D7")

INVALID_STATE, INVALID_COMMAND, ABSENT_ATTRIBUTE = 0xA0, 0xA1, 0xA2


class MediaService:
    """One player, and one accessory that follows it."""

    def __init__(
        self, server: PhoneServer, kind: str, emit: Callable[..., None]
    ) -> None:
        self.server = server
        self.emit = emit
        self.values: dict[tuple[int, int], bytes] = {}
        self.commands = bytes([0, 1, 3, 4, 5, 6])
        self.registered: set[tuple[int, int]] = set()
        self.selected: tuple[int, int] | None = None
        # Some imitations have no Client Characteristic Configuration at one of them.
        notify = Properties.NOTIFY if kind == "plain" else Properties(0)
        self.remote_command: Characteristic[Any] = Characteristic(
            REMOTE_COMMAND,
            Properties.WRITE | notify,
            Permissions.WRITEABLE,
            att.AttributeValueV2(write=self.write_command),
        )
        self.entity_update: Characteristic[Any] = Characteristic(
            ENTITY_UPDATE,
            Properties.WRITE | Properties.NOTIFY,
            Permissions.WRITEABLE,
            att.AttributeValueV2(write=self.write_update),
        )
        self.entity_attribute: Characteristic[Any] = Characteristic(
            ENTITY_ATTRIBUTE,
            Properties.WRITE | Properties.READ,
            Permissions.WRITEABLE | Permissions.READABLE,
            att.AttributeValueV2(read=self.read_attribute, write=self.write_attribute),
        )
        server.add_guarded_service(
            Service(
                MEDIA_SERVICE, [self.remote_command, self.entity_update, self.entity_attribute]
            )
        )

    def subscribed(self, connection: device.Connection, handle: int, is_on: bool) -> None:
        """A CCCD was written."""
        if handle == self.remote_command.handle and is_on:
            self.server.after_response.append(
                lambda: self.server.notify(connection, self.remote_command, self.commands)
            )

    def write_command(self, _: att.Bearer, value: bytes) -> None:
        """A command for the player."""
        self.emit("mediaCommand", command=value.hex())
        if len(value) != 1 or value[0] not in self.commands:
            raise att.ATT_Error(INVALID_COMMAND)

    def write_update(self, bearer: att.Bearer, value: bytes) -> None:
        """A registration; what there is follows at once."""
        assert isinstance(bearer, device.Connection)
        if not self.server.is_subscribed(bearer, self.entity_update):
            raise att.ATT_Error(INVALID_STATE)
        if len(value) < 2:
            raise att.ATT_Error(INVALID_COMMAND)
        self.emit("mediaRegistered", octets=value.hex())
        keys = [(value[0], attribute) for attribute in value[1:]]
        self.registered = {key for key in self.registered if key[0] != value[0]} | set(keys)
        for key in keys:
            if key in self.values:
                self.server.after_response.append(lambda key=key: self.report(bearer, key))

    def write_attribute(self, _: att.Bearer, value: bytes) -> None:
        """An attribute is chosen."""
        if len(value) != 2:
            raise att.ATT_Error(INVALID_COMMAND)
        self.selected = (value[0], value[1])
        if not self.values.get(self.selected):
            raise att.ATT_Error(ABSENT_ATTRIBUTE)

    def read_attribute(self, _: att.Bearer) -> bytes:
        """The whole value of the chosen attribute."""
        if self.selected is None:
            raise att.ATT_Error(INVALID_STATE)
        self.emit("mediaRead", attribute=list(self.selected))
        return self.values[self.selected]

    def set(self, connection: device.Connection | None, entity: int, attribute: int, text: str) -> None:
        """Changes a value."""
        key = (entity, attribute)
        self.values[key] = text.encode()
        if connection is not None and key in self.registered:
            self.report(connection, key)

    def report(self, connection: device.Connection, key: tuple[int, int]) -> None:
        """Notifies a value, cut to what fits."""
        room = connection.att_mtu - 6
        value = self.values[key]
        octets = bytes([*key, len(value) > room]) + value[:room]
        self.server.notify(connection, self.entity_update, octets)
