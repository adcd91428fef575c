"""Devices of another stack, for the cases of the Central at bluetoothd: a heart-rate sensor and a keyboard, both made of
Bumble alone, at controllers in software; and the controller of bluetoothd, which hears them.

    devices.py PORT PORT PORT    the TCP ports of the controllers of bluetoothd, the sensor and the keyboard

Reads commands, and writes what happens as lines of words:

    beat N             notifies N beats a minute
    indicate TEXT      indicates a value
    whisper TEXT       notifies a value to which only a protected link can subscribe
    grow, shrink       a service comes, goes, and Service Changed tells so
    hush, speak        the sensor advertises no more, or again
    keypad             the sensor has one: who pairs with it from now on shows the digits to type
    type DIGITS        types them
    deafen, listen     the sensor answers no requests, or again; what it does not answer is lost
    press CODE         presses and releases the key with this code
"""

from __future__ import annotations

import asyncio
import os
import struct
import sys
from typing import Any

from bumble import att, core, device, gatt, hci, pairing, transport
from bumble.keys import MemoryKeyStore
from bumble.profiles.heart_rate_service import HeartRateService

VENDOR_PACKET = 0xFF
"""Makes an interface: drivers/bluetooth/hci_vhci.c."""
Properties = gatt.Characteristic.Properties
Permissions = gatt.Attribute.Permissions
READABLE = Permissions.READABLE
WRITEABLE = Permissions.WRITEABLE
ENCRYPTED = READABLE | Permissions.READ_REQUIRES_ENCRYPTION

REPORT_MAP = bytes.fromhex(
    "05010906A1018501050719E029E71500250175019508810295017508810195067508150025650507190029658100C0"
)
"""A keyboard's report 1: eight modifiers, an octet of nothing, six keys (HID 1.11, appendix B.1)."""


def custom(number: int) -> core.UUID:
    """The UUID of an attribute that nobody else has."""
    return core.UUID(f"0A1B2C3D-0000-4000-8000-00000000CC{number:02X}")


def say(*words: object) -> None:
    """Says what happened."""
    print(*words, flush=True)


def written(name: str) -> gatt.CharacteristicValue[bytes]:
    """A value that says what is written to it, and reads the same."""
    kept = bytearray()

    def write(_: Any, value: bytes) -> None:
        kept[:] = value
        say("written", name, len(value), value[:16].hex())

    return gatt.CharacteristicValue(read=lambda _: bytes(kept), write=write)


class Keypad(pairing.PairingDelegate):
    """Digits can be typed."""

    def __init__(self) -> None:
        super().__init__(pairing.PairingDelegate.KEYBOARD_INPUT_ONLY)
        self.typed: asyncio.Queue[int] = asyncio.Queue()

    async def get_number(self) -> int:
        return await self.typed.get()


class Peer:
    """A device on a controller, which advertises while nobody is connected to it."""

    def __init__(self, name: str, address: str, appearance: int, advertised: core.UUID) -> None:
        self.name = name
        self.is_deaf = False
        self.keypad: Keypad | None = None
        self.address = hci.Address(address)
        self.advertising_data = bytes(
            core.AdvertisingData(
                [
                    (core.AdvertisingData.FLAGS, b"\x06"),
                    (core.AdvertisingData.APPEARANCE, struct.pack("<H", appearance)),
                    (
                        core.AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS,
                        advertised.to_bytes(),
                    ),
                    (core.AdvertisingData.COMPLETE_LOCAL_NAME, name.encode()),
                ]
            )
        )

    async def start(self, port: int) -> None:
        """Takes the controller at a port, and advertises."""
        opened = await transport.open_transport(f"tcp-client:127.0.0.1:{port}")
        self.device = device.Device.from_config_with_hci(
            device.DeviceConfiguration(
                name=self.name, address=self.address, gatt_service_enabled=True
            ),
            opened.source,
            opened.sink,
        )
        self.device.keystore = MemoryKeyStore()
        self.device.pairing_config_factory = lambda _: pairing.PairingConfig(
            mitm=self.keypad is not None,
            delegate=self.keypad or pairing.PairingDelegate(),
            identity_address_type=pairing.PairingConfig.AddressType.RANDOM,
        )
        server = self.device.gatt_server
        self.device.add_services(self.services())
        self.answer = server.on_gatt_pdu
        server.on_gatt_pdu = self.asked
        server.on(
            "characteristic_subscription",
            lambda _, what, notified, indicated: say(
                self.name, "subscription", what.uuid.to_hex_str(), int(notified), int(indicated)
            ),
        )
        self.device.on(self.device.EVENT_CONNECTION, self.connected)
        await self.device.power_on()
        await self.advertise()
        say(self.name, "ready", self.device.random_address.to_string(False))

    def connected(self, link: device.Connection) -> None:
        """A central is there."""
        say(self.name, "connected")
        link.on(link.EVENT_PAIRING, lambda _: say(self.name, "paired"))
        link.on(link.EVENT_PAIRING_FAILURE, lambda why: say(self.name, "pairing failed", why))
        link.on(
            link.EVENT_CONNECTION_ENCRYPTION_CHANGE,
            lambda: say(self.name, "encrypted" if link.is_encrypted else "plain"),
        )

        link.on(
            link.EVENT_DISCONNECTION,
            lambda reason: say(self.name, "disconnected", f"{reason:#04x}"),
        )

    def asked(self, bearer: att.Bearer, request: att.ATT_PDU) -> None:
        """A central requests something."""
        if self.is_deaf:
            say(self.name, "ignored", request.name)
        else:
            self.answer(bearer, request)

    async def advertise(self) -> None:
        """Advertises, again after each connection."""
        await self.device.start_advertising(
            advertising_type=device.AdvertisingType.UNDIRECTED_CONNECTABLE_SCANNABLE,
            advertising_data=self.advertising_data,
            scan_response_data=b"",
            auto_restart=True,
        )

    def services(self) -> list[gatt.Service]:
        """What is published."""
        raise NotImplementedError


class Sensor(Peer):
    """A heart-rate sensor with a value of each kind beside it."""

    def __init__(self) -> None:
        super().__init__(
            "Pulse", "C4:00:00:00:00:01", 0x0341, HeartRateService.UUID
        )
        self.measurement = gatt.Characteristic(
            gatt.GATT_HEART_RATE_MEASUREMENT_CHARACTERISTIC, Properties.NOTIFY, READABLE, b"\0\0"
        )
        self.indicated = gatt.Characteristic(custom(4), Properties.INDICATE, READABLE, b"")
        self.protected = gatt.Characteristic(
            custom(5), Properties.READ | Properties.NOTIFY, ENCRYPTED, b"secret"
        )
        self.grown: list[att.Attribute[Any]] = []

    def services(self) -> list[gatt.Service]:
        return [
            gatt.Service(
                HeartRateService.UUID,
                [
                    self.measurement,
                    gatt.Characteristic(
                        gatt.GATT_BODY_SENSOR_LOCATION_CHARACTERISTIC,
                        Properties.READ,
                        READABLE,
                        b"\x02",
                    ),
                ],
            ),
            gatt.Service(
                custom(0),
                [
                    gatt.Characteristic(
                        custom(1), Properties.READ, READABLE, bytes(range(256)) * 2
                    ),
                    gatt.Characteristic(
                        custom(2),
                        Properties.READ | Properties.WRITE,
                        READABLE | WRITEABLE,
                        written("request"),
                    ),
                    gatt.Characteristic(
                        custom(3),
                        Properties.READ | Properties.WRITE_WITHOUT_RESPONSE,
                        READABLE | WRITEABLE,
                        written("command"),
                    ),
                    self.indicated,
                    self.protected,
                ],
            ),
        ]

    async def start(self, port: int) -> None:
        await super().start(port)
        configuration = self.device.gatt_server.get_descriptor_attribute(
            custom(0), custom(5), gatt.GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR
        )
        configuration.permissions |= Permissions.WRITE_REQUIRES_ENCRYPTION

    async def tell(self, words: list[str]) -> None:
        """Carries out a command."""
        match words:
            case ["beat", rate]:
                await self.device.gatt_server.notify_subscribers(
                    self.measurement, bytes([0, int(rate)])
                )
            case ["indicate", text]:
                await self.device.gatt_server.indicate_subscribers(
                    self.indicated, text.encode()
                )
                say(self.name, "confirmed", text)
            case ["whisper", text]:
                await self.device.gatt_server.notify_subscribers(
                    self.protected, text.encode()
                )
            case ["keypad"]:
                self.keypad = Keypad()
                say(self.name, "has a keypad")
            case ["type", digits]:
                self.keypad.typed.put_nowait(int(digits))
            case ["deafen" | "listen"]:
                self.is_deaf = words == ["deafen"]
                say(self.name, "is deaf" if self.is_deaf else "listens")
            case ["grow"]:
                first = self.device.gatt_server.next_handle()
                self.device.add_service(
                    gatt.Service(
                        custom(0x10),
                        [gatt.Characteristic(custom(0x11), Properties.READ, READABLE, b"new")],
                    )
                )
                self.grown = self.device.gatt_server.attributes[first - 1 :]
                await self.changed()
            case ["shrink"]:
                server = self.device.gatt_server
                del server.attributes[-len(self.grown) :]
                for attribute in self.grown:
                    server.attributes_by_handle.pop(attribute.handle, None)
                del server.services[-1:]
                await self.changed()
            case ["hush"]:
                await self.device.stop_advertising()
                say(self.name, "hushed")
            case ["speak"]:
                await self.advertise()
                say(self.name, "speaks")
            case _:
                say(self.name, "does not know", *words)

    async def changed(self) -> None:
        """Indicates the range of the service that has come or gone: Core Vol 3, Part G, 7.1."""
        for service in self.device.gatt_server.services:
            for characteristic in service.characteristics:
                if characteristic.uuid == gatt.GATT_SERVICE_CHANGED_CHARACTERISTIC:
                    await self.device.gatt_server.indicate_subscribers(
                        characteristic,
                        struct.pack("<HH", self.grown[0].handle, self.grown[-1].handle),
                    )
        say(self.name, "changed")


class Keyboard(Peer):
    """HID over GATT 1.0: a keyboard, all of whose values are protected."""

    def __init__(self) -> None:
        super().__init__(
            "Keyboard", "C4:00:00:00:00:02", 0x03C1, gatt.GATT_HUMAN_INTERFACE_DEVICE_SERVICE
        )
        self.report = gatt.Characteristic(
            gatt.GATT_REPORT_CHARACTERISTIC,
            Properties.READ | Properties.NOTIFY,
            ENCRYPTED,
            bytes(8),
            # Report 1, which is an input.
            [gatt.Descriptor(gatt.GATT_REPORT_REFERENCE_DESCRIPTOR, ENCRYPTED, b"\1\1")],
        )

    def services(self) -> list[gatt.Service]:
        return [
            gatt.Service(
                gatt.GATT_HUMAN_INTERFACE_DEVICE_SERVICE,
                [
                    gatt.Characteristic(
                        gatt.GATT_HID_INFORMATION_CHARACTERISTIC,
                        Properties.READ,
                        ENCRYPTED,
                        b"\x11\x01\x00\x02",
                    ),
                    gatt.Characteristic(
                        gatt.GATT_REPORT_MAP_CHARACTERISTIC, Properties.READ, ENCRYPTED, REPORT_MAP
                    ),
                    gatt.Characteristic(
                        gatt.GATT_PROTOCOL_MODE_CHARACTERISTIC,
                        Properties.READ | Properties.WRITE_WITHOUT_RESPONSE,
                        READABLE | WRITEABLE,
                        b"\1",
                    ),
                    gatt.Characteristic(
                        gatt.GATT_HID_CONTROL_POINT_CHARACTERISTIC,
                        Properties.WRITE_WITHOUT_RESPONSE,
                        WRITEABLE,
                        written("control point"),
                    ),
                    self.report,
                ],
            )
        ]

    async def tell(self, words: list[str]) -> None:
        """Presses a key, and releases it."""
        match words:
            case ["press", code]:
                for key in (int(code), 0):
                    await self.device.gatt_server.notify_subscribers(
                        self.report, bytes([0, 0, key, 0, 0, 0, 0, 0])
                    )
            case _:
                say(self.name, "does not know", *words)


class Interface:
    """/dev/vhci, of which the kernel makes an interface for bluetoothd: what the kernel sends goes to a controller,
    and what that sends comes here. A packet is read and written whole."""

    def __init__(self, controller: transport.Transport) -> None:
        self.descriptor = os.open("/dev/vhci", os.O_RDWR | os.O_NONBLOCK)
        self.controller = controller
        controller.source.set_packet_sink(self)
        asyncio.get_running_loop().add_reader(self.descriptor, self.read)
        self.on_packet(bytes([VENDOR_PACKET, 0]))

    def read(self) -> None:
        """A packet of the kernel; the first one says the number of the interface."""
        packet = os.read(self.descriptor, 4_096)
        if packet[0] != VENDOR_PACKET:
            self.controller.sink.on_packet(packet)

    def on_packet(self, packet: bytes) -> None:
        """A packet of the controller."""
        os.write(self.descriptor, packet)


async def main(ports: list[int]) -> None:
    """Carries out the commands until there are no more."""
    sensor, keyboard = Sensor(), Keyboard()
    interface = Interface(await transport.open_transport(f"tcp-client:127.0.0.1:{ports[0]}"))
    await sensor.start(ports[1])
    await keyboard.start(ports[2])
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
    )
    while line := await reader.readline():
        if words := line.decode().split():
            await (keyboard if words[0] == "press" else sensor).tell(words)


if __name__ == "__main__":
    asyncio.run(main([int(index) for index in sys.argv[1:]]))
