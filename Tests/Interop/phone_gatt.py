"""The GATT server of a phone: an iPhone's services, and the checks that Bumble's server leaves out.

Mended here: Bumble 0.0.236 checks neither whether an attribute may be written at all, nor the
permission of a Prepare Write before Execute Write; it takes a CCCD value of any length; and it
gives no way to send something right after the response to a write.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

from bumble import att, core, device, gatt, gatt_server
from bumble.gatt import Characteristic, Descriptor, Service
from bumble.profiles.gatt_service import GenericAttributeProfileService

ANCS_SERVICE = core.UUID("7905F431-B5CE-4E99-A40F-4B1E122D00D0")
NOTIFICATION_SOURCE = core.UUID("9FBF120D-6301-42D9-8C58-25E699A21DBD")
CONTROL_POINT = core.UUID("69D1D8F3-45E1-49A8-9821-9BBDFDAAD9D9")
DATA_SOURCE = core.UUID("22EAC6E9-24D6-4BB5-BE44-B36ACE7C7BFB")

ANCS_START_HANDLE = 0x0023
"""Where a capture shows ANCS on an iPhone: handles 0x0023 to 0x002C."""

CONTROL_POINT_LENGTH = 512

Properties = Characteristic.Properties
Permissions = att.Attribute.Permissions

NAMES = {
    NOTIFICATION_SOURCE: "notificationSource",
    DATA_SOURCE: "dataSource",
    CONTROL_POINT: "controlPoint",
    core.UUID.from_16_bits(0x2A05): "serviceChanged",
    core.UUID.from_16_bits(0x2A19): "batteryLevel",
    core.UUID.from_16_bits(0x2A2B): "currentTime",
}


class PhoneServer(gatt_server.Server):
    """Bumble's server with permissions, and with attributes that can be hidden.

    `guard` is asked before every access to an attribute of `guarded`, and gives the ATT error code
    of a refusal or nothing. `on_violation` hears what no careful client does.
    """

    def __init__(
        self,
        owner: device.Device,
        guard: Callable[[device.Connection], int | None],
        on_violation: Callable[[str], None],
    ) -> None:
        super().__init__(owner)
        self.guard = guard
        self.on_violation = on_violation
        self.guarded: set[int] = set()
        self.hidden: list[att.Attribute[Any]] = []
        self.first_free = 1
        self.after_response: list[Callable[[], None]] = []

    def next_handle(self) -> int:
        """The handle after the last one, or the one that was reserved."""
        last = self.attributes[-1].handle if self.attributes else 0
        return max(last + 1, self.first_free)

    def add_guarded_service(self, service: Service) -> None:
        """Adds a service whose values and descriptors need an encrypted link."""
        self.add_service(service)
        self.guarded.update(
            attribute.handle
            for attribute in self.attributes
            if service.handle <= attribute.handle <= service.end_group_handle
            and attribute.type
            not in (
                gatt.GATT_PRIMARY_SERVICE_ATTRIBUTE_TYPE,
                gatt.GATT_CHARACTERISTIC_ATTRIBUTE_TYPE,
            )
        )

    def set_hidden(self, service: Service, hidden: bool) -> None:
        """Takes a service out of the table, or puts it back at its old handles."""
        everything = sorted(self.attributes + self.hidden, key=lambda attribute: attribute.handle)
        in_service = [
            attribute
            for attribute in everything
            if service.handle <= attribute.handle <= service.end_group_handle
        ]
        self.hidden = in_service if hidden else []
        self.attributes = [attribute for attribute in everything if attribute not in self.hidden]
        self.attributes_by_handle.clear()

    def refusal(self, bearer: att.Bearer, handle: int, writing: bool, command: bool) -> int | None:
        """The error for an access to an attribute before its value is looked at."""
        attribute = self.get_attribute(handle)
        if attribute is None:
            return None
        needed = Permissions.WRITEABLE if writing else Permissions.READABLE
        properties = getattr(attribute, "properties", None)
        if not attribute.permissions & needed or (
            command
            and properties is not None
            and not properties & Properties.WRITE_WITHOUT_RESPONSE
        ):
            return (
                att.ATT_WRITE_NOT_PERMITTED_ERROR if writing else att.ATT_READ_NOT_PERMITTED_ERROR
            )
        if handle in self.guarded and isinstance(bearer, device.Connection):
            return self.guard(bearer)
        return None

    def on_gatt_pdu(self, bearer: att.Bearer, att_pdu: att.ATT_PDU) -> None:
        """Checks length and permissions, then lets Bumble answer."""
        if (length := len(bytes(att_pdu))) > bearer.att_mtu:
            self.on_violation(f"ATT PDU of {length} octets at an ATT_MTU of {bearer.att_mtu}")
        writing = command = False
        match att_pdu:
            case att.ATT_Read_Request() | att.ATT_Read_Blob_Request():
                handles = [att_pdu.attribute_handle]
            case att.ATT_Read_Multiple_Request() | att.ATT_Read_Multiple_Variable_Request():
                handles = list(att_pdu.set_of_handles)
            case att.ATT_Write_Request() | att.ATT_Prepare_Write_Request():
                handles = [att_pdu.attribute_handle]
                writing = True
            case att.ATT_Write_Command():
                handles = [att_pdu.attribute_handle]
                writing = command = True
            case _:
                handles = []
        for handle in handles:
            error = self.refusal(bearer, handle, writing, command)
            if error is None:
                continue
            if command:
                self.on_violation(f"Write Command to handle {handle:#06x}")
                return
            self.send_response(
                bearer,
                att.ATT_Error_Response(
                    request_opcode_in_error=att_pdu.op_code,
                    attribute_handle_in_error=handle,
                    error_code=error,
                ),
            )
            return
        super().on_gatt_pdu(bearer, att_pdu)

    def send_response(self, bearer: att.Bearer, response: att.ATT_PDU) -> None:
        """Sends a response, then whatever waited for it."""
        super().send_response(bearer, response)
        waiting, self.after_response = self.after_response, []
        for action in waiting:
            action()

    def write_cccd(
        self, bearer: att.Bearer, characteristic: Characteristic[Any], value: bytes
    ) -> None:
        """Takes a CCCD value, if it is one."""
        if len(value) != 2:
            raise att.ATT_Error(att.ATT_INVALID_ATTRIBUTE_LENGTH_ERROR)
        super().write_cccd(bearer, characteristic, value)

    def is_subscribed(self, bearer: att.Bearer, characteristic: Characteristic[Any]) -> bool:
        """Whether notifications or indications of a characteristic are on."""
        return any(self.subscribers.get(bearer, {}).get(characteristic.handle, b""))

    def notify(
        self, connection: device.Connection, characteristic: Characteristic[Any], value: bytes
    ) -> None:
        """Sends a notification at once, so that several keep their order."""
        self.send_gatt_pdu(
            connection,
            bytes(
                att.ATT_Handle_Value_Notification(
                    attribute_handle=characteristic.handle, attribute_value=value
                )
            ),
        )


def readable(uuid: int, value: bytes | Any) -> Characteristic[Any]:
    """A characteristic that can be read."""
    return Characteristic(
        core.UUID.from_16_bits(uuid), Properties.READ, Permissions.READABLE, value
    )


def local_time(zone: int) -> datetime.datetime:
    """The time in a zone this many minutes east of UTC."""
    return datetime.datetime.now(datetime.timezone(datetime.timedelta(minutes=zone)))


def current_time(zone: int) -> bytes:
    """The value of *Current Time* in a zone."""
    now = local_time(zone)
    fields = (now.month, now.day, now.hour, now.minute, now.second, now.isoweekday(), 0, 0)
    return now.year.to_bytes(2, "little") + bytes(fields)


class PhoneServices:
    """The services that a phone offers, in the order of their handles."""

    def __init__(
        self,
        server: PhoneServer,
        name: str,
        write_control_point: Callable[[att.Bearer, bytes], None],
        without: frozenset[str],
        database_hash: bool,
        zone: int | None,
    ) -> None:
        self.server = server
        self.service_changed: Characteristic[Any] = Characteristic(
            core.UUID.from_16_bits(0x2A05), Properties.INDICATE, Permissions(0)
        )
        self.notification_source: Characteristic[Any] = Characteristic(
            NOTIFICATION_SOURCE, Properties.NOTIFY, Permissions(0)
        )
        self.data_source: Characteristic[Any] = Characteristic(
            DATA_SOURCE, Properties.NOTIFY, Permissions(0)
        )
        control_point: Characteristic[Any] = Characteristic(
            CONTROL_POINT,
            Properties.WRITE | Properties.EXTENDED_PROPERTIES,
            Permissions.WRITEABLE,
            att.AttributeValueV2(write=write_control_point),
            [
                Descriptor(
                    gatt.GATT_CHARACTERISTIC_EXTENDED_PROPERTIES_DESCRIPTOR,
                    Permissions.READABLE,
                    b"\x01\x00",  # Reliable Write
                )
            ],
        )
        # The order of the declarations on an iPhone; which of them exist is up to the phone (R8).
        ancs = [self.notification_source]
        if "control-point" not in without:
            ancs.append(control_point)
        if "data-source" not in without:
            ancs.append(self.data_source)
        self.ancs = Service(ANCS_SERVICE, ancs)

        generic_attribute = [self.service_changed]
        if database_hash:
            generic_attribute.append(
                readable(0x2B2A, att.AttributeValueV2(read=self.database_hash))
            )
        server.add_service(
            Service(
                core.UUID.from_16_bits(0x1800),
                [readable(0x2A00, name.encode()), readable(0x2A01, b"\x40\x00")],
            )
        )
        server.add_service(Service(core.UUID.from_16_bits(0x1801), generic_attribute))
        server.add_service(
            Service(
                core.UUID.from_16_bits(0x180A),
                [readable(0x2A29, b"Apple Inc."), readable(0x2A24, b"iPhone18,1")],
            )
        )
        # Without a zone, the clock stands still, days from that of any machine, and names no zone.
        clock: bytes | Any = bytes.fromhex("ea070b1509000006000f")
        zones: list[Characteristic[Any]] = []
        if zone is not None:
            clock = att.AttributeValueV2(read=lambda _: current_time(zone))
            zones = [readable(0x2A0F, bytes([zone // 15 & 0xFF, 0]))]
        for service, characteristic, value, others in (
            (0x180F, 0x2A19, b"\x50", []),
            (0x1805, 0x2A2B, clock, zones),
        ):
            server.add_guarded_service(
                Service(
                    core.UUID.from_16_bits(service),
                    [
                        Characteristic(
                            core.UUID.from_16_bits(characteristic),
                            Properties.READ | Properties.NOTIFY,
                            Permissions.READABLE,
                            value,
                        ),
                        *others,
                    ],
                )
            )
        self.hash_source = GenericAttributeProfileService()
        server.first_free = ANCS_START_HANDLE
        server.add_guarded_service(self.ancs)

    def database_hash(self, connection: att.Bearer) -> bytes:
        """The Database Hash of the attributes that are visible now (Vol 3 Part G 7.3.1)."""
        assert isinstance(connection, device.Connection)
        return bytes(self.hash_source.get_database_hash(connection))
