"""A central made of Bumble alone: scans, and uses a peripheral as it is told.

Commands are lines of JSON on standard input, each answered by an event `done` with the verb, or by
`attError` with the code that the peripheral refused it with:

    {"do": "scan", "on": true}                  advertisement: address, kind, octets, structures
    {"do": "connect", "address": ADDRESS}
    {"do": "discover"}                          done: services, characteristics with properties
    {"do": "read" | "subscribe" | "unsubscribe", "uuid": UUID}
    {"do": "write", "uuid": UUID, "octets": HEX, "response": true}
    {"do": "pair"} {"do": "encrypt"} {"do": "disconnect"}
    {"do": "passkey", "value": N} {"do": "confirm", "yes": true}

What comes by itself: advertisement, value (of a subscription), securityRequest, pairing, paired,
pairingFailed, encrypted, disconnected.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from typing import Any

from bumble import att, core, device, gatt, gatt_client, hci, host, pairing, snoop
from bumble.transport.common import SnoopingTransport

from patience import open_transport
from phone_security import IO_CAPABILITIES, BondStore, PairingSession, Person, PhoneDelegate
from program import run_until_signal

SCAN_RESPONSE, LEGACY_SCAN_RESPONSE = 0x08, 4
TIMEOUT = 300.0


def emit(event: str, **fields: Any) -> None:
    """Says what happened."""
    print(json.dumps({"event": event, **fields}, default=str), flush=True)


class Central:
    """The central: its radio, its bonds, and the peripheral that it may be connected to."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.bonds = BondStore(options.bonds)
        self.delegate = PhoneDelegate(options.io, Person(), emit)
        self.heard: set[tuple[str, bool, bytes]] = set()
        self.connection: device.Connection | None = None
        self.characteristics: dict[str, gatt_client.CharacteristicProxy[Any]] = {}
        self.tasks: set[asyncio.Task[None]] = set()
        self.device: device.Device

    async def run(self) -> None:
        """Powers on, and does what the test says."""
        transport = await open_transport(self.options.hci)
        if self.options.snoop:
            output = open(self.options.snoop, "wb", buffering=0)  # noqa: SIM115
            transport = SnoopingTransport(transport, snoop.BtSnooper(output))
        self.device = device.Device(
            config=device.DeviceConfiguration(
                name="Central", address=hci.Address(self.bonds.identity), irk=self.bonds.irk
            ),
            host=host.Host(transport.source, transport.sink),
        )
        self.device.keystore = self.bonds
        self.device.smp_session_proxy = PairingSession
        self.device.pairing_config_factory = lambda _: pairing.PairingConfig(
            mitm=self.options.io != "none",
            delegate=self.delegate,
            identity_address_type=pairing.PairingConfig.AddressType.RANDOM,
        )
        self.device.host.on("advertising_report", self.on_report)
        await self.device.power_on()
        emit("ready", address=self.bonds.identity)
        reader = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
        )
        async for line in reader:
            task = asyncio.create_task(self.obey(json.loads(line)))
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)

    def on_report(self, report: Any) -> None:
        """A PDU was heard; each is told once."""
        is_extended = isinstance(report, hci.HCI_LE_Extended_Advertising_Report_Event.Report)
        is_response = (
            bool(report.event_type & SCAN_RESPONSE)
            if is_extended
            else report.event_type == LEGACY_SCAN_RESPONSE
        )
        octets = bytes(report.data)
        key = (str(report.address), is_response, octets)
        if key in self.heard:
            return
        self.heard.add(key)
        structures = core.AdvertisingData.from_bytes(octets).ad_structures
        emit(
            "advertisement",
            address=str(report.address),
            scanResponse=is_response,
            octets=octets.hex(),
            structures=[[int(kind), data.hex()] for kind, data in structures],
        )

    async def obey(self, command: dict[str, Any]) -> None:
        """Carries out a command."""
        verb = command.pop("do")
        try:
            result = await getattr(self, f"do_{verb}")(**command)
        except att.ATT_Error as error:
            emit("attError", do=verb, code=int(error.error_code))
        except (core.BaseBumbleError, TimeoutError, asyncio.CancelledError) as error:
            emit("failed", do=verb, why=repr(error))
        else:
            emit("done", do=verb, **(result or {}))

    # Commands

    async def do_scan(self, on: bool) -> None:
        """Scans actively, and reports each device again in each scan."""
        if on:
            self.heard.clear()
            await self.device.start_scanning(filter_duplicates=False)
        else:
            await self.device.stop_scanning()

    async def do_connect(self, address: str) -> None:
        """Connects, and does nothing else."""
        connection = await self.device.connect(hci.Address(address), timeout=TIMEOUT)
        self.connection = connection
        self.characteristics = {}
        connection.on(connection.EVENT_DISCONNECTION, lambda reason: emit("disconnected"))
        connection.on(connection.EVENT_SECURITY_REQUEST, lambda _: emit("securityRequest"))
        connection.on(connection.EVENT_PAIRING, lambda _: emit("paired"))
        connection.on(
            connection.EVENT_PAIRING_FAILURE, lambda why: emit("pairingFailed", reason=int(why))
        )
        connection.on(
            connection.EVENT_CONNECTION_ENCRYPTION_CHANGE,
            lambda: emit("encrypted", on=bool(connection.encryption)),
        )

    async def do_discover(self) -> dict[str, Any]:
        """Finds everything that there is."""
        assert self.connection is not None
        peer = device.Peer(self.connection)
        found: dict[str, dict[str, list[str]]] = {}
        for service in await peer.discover_services():
            found[service.uuid.to_hex_str("-")] = {}
            for characteristic in await service.discover_characteristics():
                await characteristic.discover_descriptors()
                name = characteristic.uuid.to_hex_str("-")
                self.characteristics[name] = characteristic
                found[service.uuid.to_hex_str("-")][name] = [
                    kind.name
                    for kind in gatt.Characteristic.Properties
                    if kind in characteristic.properties
                ]
        return {"services": found}

    async def do_read(self, uuid: str) -> dict[str, Any]:
        """Reads a whole value."""
        return {"octets": (await self.characteristics[uuid].read_value()).hex()}

    async def do_write(self, uuid: str, octets: str, response: bool = True) -> None:
        """Writes a value."""
        await self.characteristics[uuid].write_value(bytes.fromhex(octets), response)

    async def do_subscribe(self, uuid: str) -> None:
        """Has a value notified, or indicated."""
        await self.characteristics[uuid].subscribe(
            lambda value: emit("value", uuid=uuid, octets=bytes(value).hex())
        )

    async def do_unsubscribe(self, uuid: str) -> None:
        """Has it no more."""
        await self.characteristics[uuid].unsubscribe()

    async def do_pair(self) -> None:
        """Pairs, with what the person says."""
        assert self.connection is not None
        await self.connection.pair()

    async def do_encrypt(self) -> None:
        """Encrypts the link with the keys of the bond."""
        assert self.connection is not None
        await self.connection.encrypt()

    async def do_disconnect(self) -> None:
        """Ends the link."""
        assert self.connection is not None
        await self.connection.disconnect()

    async def do_passkey(self, value: int) -> None:
        """Answers pairing."""
        self.delegate.answers.put_nowait(value)

    async def do_confirm(self, yes: bool) -> None:
        """Answers pairing."""
        self.delegate.answers.put_nowait(yes)


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--hci", required=True)
    add("--bonds", metavar="FILE", help="where the identity and the bonds are kept")
    add("--io", choices=sorted(IO_CAPABILITIES), default="none")
    add("--snoop", metavar="FILE", help="a btsnoop capture of the HCI packets")
    asyncio.run(run_until_signal(Central(parser.parse_args()).run()))


if __name__ == "__main__":
    main()
