"""An accessory that asks for nothing by itself: what it writes to the phone, the test says.

Commands are lines of JSON on standard input: `{"do": "send", "pdu": HEX}` sends an ATT PDU as it is,
`{"do": "secure"}` sends a Security Request, `{"do": "disconnect"}` ends the link. Every ATT PDU that
comes is an event `pdu`; the phone's own request for ATT_MTU is answered.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from typing import Any

from bumble import att, core, device, hci, pairing

from patience import open_transport
from phone_gatt import ANCS_SERVICE
from phone_security import BondStore
from program import run_until_signal


def emit(event: str, **fields: Any) -> None:
    """Says what happened."""
    print(json.dumps({"event": event, **fields}, default=str), flush=True)


class Probe:
    """A peripheral with neither a client nor a server."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.connection: device.Connection | None = None

    async def run(self) -> None:
        """Advertises, and advertises again whenever the link has ended."""
        transport = await open_transport(self.options.hci)
        bonds = BondStore(self.options.bonds)
        own = device.Device.from_config_with_hci(
            device.DeviceConfiguration(
                name=self.options.name, address=hci.Address(bonds.identity), irk=bonds.irk
            ),
            transport.source,
            transport.sink,
        )
        own.keystore = bonds
        own.pairing_config_factory = lambda _: pairing.PairingConfig(
            mitm=False,
            delegate=pairing.PairingDelegate(),
            identity_address_type=pairing.PairingConfig.AddressType.RANDOM,
        )
        own.on(own.EVENT_CONNECTION, self.on_connection)
        await own.power_on()
        own.l2cap_channel_manager.register_fixed_channel(att.ATT_CID, self.on_pdu)
        kinds = core.AdvertisingData.Type
        structures = [(kinds.FLAGS, b"\x06")]
        if not self.options.silent:
            structures.append(
                (kinds.LIST_OF_128_BIT_SERVICE_SOLICITATION_UUIDS, bytes(ANCS_SERVICE))
            )
        await own.start_advertising(
            auto_restart=True,
            advertising_data=bytes(core.AdvertisingData(structures)),
            scan_response_data=bytes(
                core.AdvertisingData([(kinds.COMPLETE_LOCAL_NAME, self.options.name.encode())])
            ),
        )
        emit("advertising", address=bonds.identity)
        await self.obey(own)

    def on_connection(self, connection: device.Connection) -> None:
        """A phone is there."""
        self.connection = connection
        emit("connected", address=connection.peer_address)
        connection.on(connection.EVENT_DISCONNECTION, lambda reason: emit("disconnected"))
        connection.on(
            connection.EVENT_CONNECTION_ENCRYPTION_CHANGE,
            lambda: emit("encrypted", on=bool(connection.encryption)),
        )
        connection.on(connection.EVENT_PAIRING, lambda keys: emit("paired"))

    def on_pdu(self, handle: int, pdu: bytes) -> None:
        """The phone sent an ATT PDU."""
        assert self.connection is not None
        if pdu[0] == att.Opcode.ATT_EXCHANGE_MTU_REQUEST:
            answer = bytes([att.Opcode.ATT_EXCHANGE_MTU_RESPONSE])
            self.send(answer + self.options.mtu.to_bytes(2, "little"))
        else:
            emit("pdu", pdu=pdu.hex())

    def send(self, pdu: bytes) -> None:
        """Sends an ATT PDU."""
        assert self.connection is not None
        self.connection.device.send_l2cap_pdu(self.connection.handle, att.ATT_CID, pdu)

    async def obey(self, own: device.Device) -> None:
        """Does what the test says, until it says no more."""
        reader = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
        )
        async for line in reader:
            command = json.loads(line)
            if self.connection is None:
                continue
            match command["do"]:
                case "send":
                    self.send(bytes.fromhex(command["pdu"]))
                case "secure":
                    own.request_pairing(self.connection)
                case "disconnect":
                    await self.connection.disconnect()


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--hci", required=True)
    add("--name", default="Probe")
    add("--bonds", metavar="FILE", help="where the identity and the bonds are kept")
    add("--mtu", type=int, default=517, help="the ATT_MTU that it accepts")
    add("--silent", action="store_true", help="do not ask for ANCS")
    asyncio.run(run_until_signal(Probe(parser.parse_args()).run()))


if __name__ == "__main__":
    main()
