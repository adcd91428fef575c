"""A radio in software: Bumble's virtual controller and link with their known faults mended.

What Bumble 0.0.236 gets wrong, and what stands here instead:

- its link takes the LE random address of a controller as the source of all its data, so data is lost
  whenever a connection was made with another address; here data goes from connection to connection;
- commands without a handler stay unanswered; here they end with Command Status "Unknown HCI Command";
- Reset resets nothing, and a host that dies is never noticed; here both drop the links;
- the scan response repeats the advertising data, extended advertising properties are ignored, and a
  connection can come up with somebody who advertises no longer;
- a peripheral is told constants for the parameters of its connection;
- a second encryption of a link is reported as the first one.

Beyond that, each controller watches its host: a host that sends more ACL packets than it has credits
for, or longer ones than the buffers take, is named on standard error in a line with `VIOLATION`.
"""

from __future__ import annotations

import asyncio
import dataclasses
import logging
import secrets
import sys
from collections.abc import Iterator
from typing import Any

from bumble import controller as bumble_controller
from bumble import hci, link, ll
from bumble.core import PhysicalTransport

logger = logging.getLogger(__name__)

LEGACY_PDU = 0x10
CONNECTABLE_SCANNABLE = 0x03
SCAN_RESPONSE = 0x08
MAX_REPORT_DATA = 229

UNLISTED_COMMANDS = {hci.HCI_READ_LOCAL_SUPPORTED_COMMANDS_COMMAND}
"""Commands that Bumble runs without setting their bits."""

EXTENDED_COMMANDS = {
    hci.HCI_LE_SET_ADVERTISING_SET_RANDOM_ADDRESS_COMMAND,
    hci.HCI_LE_SET_EXTENDED_ADVERTISING_PARAMETERS_COMMAND,
    hci.HCI_LE_SET_EXTENDED_ADVERTISING_DATA_COMMAND,
    hci.HCI_LE_SET_EXTENDED_SCAN_RESPONSE_DATA_COMMAND,
    hci.HCI_LE_SET_EXTENDED_ADVERTISING_ENABLE_COMMAND,
    hci.HCI_LE_READ_MAXIMUM_ADVERTISING_DATA_LENGTH_COMMAND,
    hci.HCI_LE_READ_NUMBER_OF_SUPPORTED_ADVERTISING_SETS_COMMAND,
    hci.HCI_LE_REMOVE_ADVERTISING_SET_COMMAND,
    hci.HCI_LE_CLEAR_ADVERTISING_SETS_COMMAND,
    hci.HCI_LE_SET_EXTENDED_SCAN_PARAMETERS_COMMAND,
    hci.HCI_LE_SET_EXTENDED_SCAN_ENABLE_COMMAND,
    hci.HCI_LE_EXTENDED_CREATE_CONNECTION_COMMAND,
}
"""Commands that came with Bluetooth 5.0; Bumble does not set their bits either."""

LEGACY_ADVERTISING_COMMANDS = {
    hci.HCI_LE_SET_ADVERTISING_PARAMETERS_COMMAND,
    hci.HCI_LE_SET_ADVERTISING_DATA_COMMAND,
    hci.HCI_LE_SET_SCAN_RESPONSE_DATA_COMMAND,
    hci.HCI_LE_SET_ADVERTISING_ENABLE_COMMAND,
    hci.HCI_LE_SET_SCAN_PARAMETERS_COMMAND,
    hci.HCI_LE_SET_SCAN_ENABLE_COMMAND,
    hci.HCI_LE_CREATE_CONNECTION_COMMAND,
}
"""A host uses these or the extended ones until the next Reset (Core 5.0, Vol 4 Part E 3.1.1)."""

PRIVACY_COMMANDS = {
    hci.HCI_LE_ADD_DEVICE_TO_RESOLVING_LIST_COMMAND,
    hci.HCI_LE_CLEAR_RESOLVING_LIST_COMMAND,
    hci.HCI_LE_READ_RESOLVING_LIST_SIZE_COMMAND,
    hci.HCI_LE_SET_ADDRESS_RESOLUTION_ENABLE_COMMAND,
    hci.HCI_LE_SET_RESOLVABLE_PRIVATE_ADDRESS_TIMEOUT_COMMAND,
    hci.HCI_LE_SET_PRIVACY_MODE_COMMAND,
}
"""Bumble accepts these and resolves nothing, so they are better not offered at all."""

PHY_COMMANDS = {
    hci.HCI_LE_READ_PHY_COMMAND,
    hci.HCI_LE_SET_DEFAULT_PHY_COMMAND,
}

WITHOUT_EFFECT = {
    hci.HCI_SET_CONTROLLER_TO_HOST_FLOW_CONTROL_COMMAND,
    hci.HCI_HOST_BUFFER_SIZE_COMMAND,
    hci.HCI_LE_READ_LOCAL_P_256_PUBLIC_KEY_COMMAND,
    hci.HCI_LE_READ_BUFFER_SIZE_V2_COMMAND,
    hci.HCI_LE_READ_TRANSMIT_POWER_COMMAND,
    hci.HCI_WRITE_AUTHENTICATED_PAYLOAD_TIMEOUT_COMMAND,
}

LEGACY_FEATURES = (
    hci.LeFeatureMask.LE_ENCRYPTION
    | hci.LeFeatureMask.EXTENDED_REJECT_INDICATION
    | hci.LeFeatureMask.PERIPHERAL_INITIATED_FEATURE_EXCHANGE
    | hci.LeFeatureMask.LE_PING
    | hci.LeFeatureMask.LE_DATA_PACKET_LENGTH_EXTENSION
)


@dataclasses.dataclass(frozen=True)
class Abilities:
    """What a controller can do."""

    legacy: bool = False
    """Bluetooth 4.2: neither the commands nor the features of extended advertising."""
    acl_length: int = 251
    acl_count: int = 8
    shared_acl: bool = False
    """LE Read Buffer Size answers 0/0: LE uses the buffers of BR/EDR (Vol 4 Part E 7.8.2)."""


class Connection(bumble_controller.Connection):
    """One end of an LE connection."""

    controller: Controller
    is_encrypted = False
    uncompleted = 0

    def on_hci_acl_data_packet(self, packet: hci.HCI_AclDataPacket) -> None:
        """Takes a packet from the host, and gives its credit back a turn of the loop later."""
        if self.uncompleted == 0:
            asyncio.get_running_loop().call_soon(self.complete_packets)
        self.uncompleted += 1
        self.controller.take_credit(len(packet.data))
        self.assembler.feed_packet(packet)

    def complete_packets(self) -> None:
        """Returns the credits of all packets taken since the last time."""
        count, self.uncompleted = self.uncompleted, 0
        self.controller.credits_out -= count
        if self.controller.le_connections.get(self.peer_address) is self:
            self.controller.send_hci_packet(
                hci.HCI_Number_Of_Completed_Packets_Event(
                    connection_handles=[self.handle], num_completed_packets=[count]
                )
            )

    def on_acl_pdu(self, pdu: bytes) -> None:
        """Sends a complete L2CAP PDU to the other end."""
        if peer := self.controller.radio.other_end(self):
            asyncio.get_running_loop().call_soon(peer.receive, pdu)

    def receive(self, pdu: bytes) -> None:
        """Hands a PDU to the host in packets of the size of a link layer PDU."""
        if self.controller.le_connections.get(self.peer_address) is not self:
            return
        step = self.controller.abilities.acl_length
        for start in range(0, len(pdu), step):
            part = pdu[start : start + step]
            self.controller.send_hci_packet(
                hci.HCI_AclDataPacket(self.handle, 1 if start else 2, 0, len(part), part)
            )

    def send_ll_control_pdu(self, packet: ll.ControlPdu) -> None:
        """Sends a link layer control PDU to the other end, if there still is one."""
        if peer := self.controller.radio.other_end(self):
            asyncio.get_running_loop().call_soon(
                peer.controller.on_ll_control_pdu, self.self_address, packet
            )


class Radio(link.LocalLink):
    """The air between the controllers."""

    controllers: set[Controller]

    def other_end(self, connection: bumble_controller.Connection) -> Connection | None:
        """The end that `connection` leads to."""
        for controller in self.controllers:
            peer = controller.le_connections.get(connection.self_address)
            if peer is not None and peer.self_address == connection.peer_address:
                return peer
        return None

    def advertiser(
        self, address: hci.Address
    ) -> bumble_controller.LegacyAdvertiser | bumble_controller.AdvertisingSet | None:
        """Who is advertising from this address right now."""
        for controller in self.controllers:
            for advertiser in controller.advertisers():
                if advertiser.enabled and advertiser.address == address:
                    return advertiser
        return None


class LegacyAdvertiser(bumble_controller.LegacyAdvertiser):
    """Bumble's, with the interval taken in units of 0.625 ms instead of 1 ms."""

    def _on_timer_fired(self) -> None:
        self.send_advertising_data()
        interval = max(self.advertising_interval_min * 0.000625, 0.02)
        self.timer_handle = asyncio.get_running_loop().call_later(interval, self._on_timer_fired)


class Controller(bumble_controller.Controller):
    """A controller that behaves towards its host as the specification says."""

    le_connections: dict[hci.Address, Connection]

    def __init__(self, name: str, radio: Radio, public_address: str, abilities: Abilities) -> None:
        super().__init__(name, link=radio, public_address=public_address)
        self.radio = radio
        self.abilities = abilities
        self.credits_out = 0
        self.advertising_kind: str | None = None
        self.acl_data_packet_length = abilities.acl_length
        self.total_num_acl_data_packets = abilities.acl_count
        self.le_acl_data_packet_length = 0 if abilities.shared_acl else abilities.acl_length
        self.total_num_le_acl_data_packets = 0 if abilities.shared_acl else abilities.acl_count
        self.supported_max_tx_octets = self.supported_max_rx_octets = 251
        self.supported_commands = {
            opcode
            for opcode in (type(self).supported_commands | UNLISTED_COMMANDS | EXTENDED_COMMANDS)
            if self.handler(opcode) is not None and opcode not in PRIVACY_COMMANDS | WITHOUT_EFFECT
        }
        if abilities.legacy:
            self.supported_commands -= EXTENDED_COMMANDS | PHY_COMMANDS
            self.le_features = LEGACY_FEATURES
            self.hci_version = self.lmp_version = hci.HCI_VERSION_BLUETOOTH_CORE_4_2
        else:
            self.le_features = type(self).le_features & ~(
                hci.LeFeatureMask.LL_PRIVACY
                | hci.LeFeatureMask.LE_2M_PHY
                | hci.LeFeatureMask.LE_CODED_PHY
                | hci.LeFeatureMask.LE_PERIODIC_ADVERTISING
            )
        self.forget_everything()

    # Host

    def handler(self, opcode: int) -> Any:
        """The method for a command, if there is one."""
        name = hci.HCI_Command.command_names.get(opcode)
        return getattr(self, f"on_{name.lower()}", None) if name else None

    def on_packet(self, packet: bytes) -> None:
        """Takes a packet from the host; a malformed command is answered as such."""
        try:
            parsed = hci.HCI_Packet.from_bytes(packet)
        except Exception:
            self.violation(f"malformed packet {packet.hex()}")
            if packet[0] == hci.HCI_COMMAND_PACKET and len(packet) >= 3:
                self._send_hci_command_status(
                    hci.HCI_ErrorCode.INVALID_COMMAND_PARAMETERS_ERROR,
                    int.from_bytes(packet[1:3], "little"),
                )
            return
        self.on_hci_packet(parsed)

    def on_hci_command_packet(self, command: hci.HCI_Command) -> None:
        """Runs a command, or refuses it."""
        if command.op_code not in self.supported_commands:
            error = hci.HCI_ErrorCode.UNKNOWN_HCI_COMMAND_ERROR
        else:
            error = self.refusal(command)
        if error is None:
            super().on_hci_command_packet(command)
        elif isinstance(command, hci.HCI_SyncCommand) and error != 0x01:
            self.send_hci_packet(
                hci.HCI_Command_Complete_Event(
                    num_hci_command_packets=1,
                    command_opcode=command.op_code,
                    return_parameters=hci.HCI_StatusReturnParameters(error),
                )
            )
        else:
            self._send_hci_command_status(error, command.op_code)

    def refusal(self, command: hci.HCI_Command) -> hci.HCI_ErrorCode | None:
        """Why a supported command cannot run now."""
        disallowed = hci.HCI_ErrorCode.COMMAND_DISALLOWED_ERROR
        invalid = hci.HCI_ErrorCode.INVALID_COMMAND_PARAMETERS_ERROR
        kind = (
            "legacy"
            if command.op_code in LEGACY_ADVERTISING_COMMANDS
            else "extended" if command.op_code in EXTENDED_COMMANDS else None
        )
        if kind and self.advertising_kind not in (None, kind):
            return disallowed
        self.advertising_kind = kind or self.advertising_kind
        legacy = self.le_legacy_advertiser
        match command:
            case hci.HCI_LE_Set_Random_Address_Command():
                if legacy.enabled or self.le_scan_enable or self.pending_le_connection:
                    return disallowed
            case hci.HCI_LE_Set_Advertising_Parameters_Command():
                if legacy.enabled:
                    return disallowed
            case hci.HCI_LE_Set_Advertising_Enable_Command(advertising_enable=1):
                if legacy.own_address_type & 1 and not any(bytes(self.random_address)):
                    return invalid
            case hci.HCI_LE_Set_Extended_Advertising_Parameters_Command():
                advertising_set = self.advertising_sets.get(command.advertising_handle)
                if advertising_set and advertising_set.enabled:
                    return disallowed
            case hci.HCI_LE_Set_Extended_Advertising_Enable_Command(enable=1):
                return self.refusal_to_enable(command)
            case hci.HCI_Disconnect_Command():
                if not self.find_connection_by_handle(command.connection_handle):
                    return hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR
        return None

    def refusal_to_enable(
        self, command: hci.HCI_LE_Set_Extended_Advertising_Enable_Command
    ) -> hci.HCI_ErrorCode | None:
        """Why the sets of `command` cannot go on air."""
        for handle in command.advertising_handles:
            advertising_set = self.advertising_sets.get(handle)
            if advertising_set is None or advertising_set.parameters is None:
                return hci.HCI_ErrorCode.UNKNOWN_ADVERTISING_IDENTIFIER_ERROR
            parameters = advertising_set.parameters
            if parameters.own_address_type & 1 and advertising_set.random_address is None:
                return hci.HCI_ErrorCode.INVALID_COMMAND_PARAMETERS_ERROR
            if parameters.advertising_event_properties & LEGACY_PDU and (
                len(advertising_set.data) > 31 or len(advertising_set.scan_response_data) > 31
            ):
                return hci.HCI_ErrorCode.INVALID_COMMAND_PARAMETERS_ERROR
        return None

    def take_credit(self, length: int) -> None:
        """Counts a packet from the host against the buffers."""
        self.credits_out += 1
        if self.credits_out > self.abilities.acl_count:
            self.violation(f"{self.credits_out} ACL packets for {self.abilities.acl_count} buffers")
        if length > self.abilities.acl_length:
            self.violation(f"ACL packet of {length} octets for {self.abilities.acl_length}")

    def violation(self, what: str) -> None:
        """Names what the host did wrong."""
        print(f"VIOLATION {self.name}: {what}", file=sys.stderr, flush=True)

    def forget_everything(self) -> None:
        """Back to the state after power-on; links are dropped, and their peers time out."""
        for connection in list(self.le_connections.values()):
            connection.send_ll_control_pdu(
                ll.TerminateInd(hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR)
            )
        self.le_connections.clear()
        for advertiser in self.advertisers():
            advertiser.stop()
        self.advertising_sets.clear()
        self.le_legacy_advertiser = LegacyAdvertiser(self)
        self.advertising_kind = None
        self.pending_le_connection = None
        self.le_scan_enable = False
        self._random_address = hci.Address("00:00:00:00:00:00")
        self.event_mask = self.le_event_mask = 0
        self.credits_out = 0

    def on_hci_reset_command(self, _: hci.HCI_Reset_Command) -> hci.HCI_StatusReturnParameters:
        self.forget_everything()
        return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.SUCCESS)

    def on_hci_le_rand_command(self, _: hci.HCI_LE_Rand_Command) -> hci.HCI_LE_Rand_ReturnParameters:
        return hci.HCI_LE_Rand_ReturnParameters(
            status=hci.HCI_ErrorCode.SUCCESS, random_number=secrets.token_bytes(8)
        )

    def on_hci_read_remote_version_information_command(
        self, command: hci.HCI_Read_Remote_Version_Information_Command
    ) -> None:
        self._send_hci_command_status(hci.HCI_COMMAND_STATUS_PENDING, command.op_code)
        self.send_hci_packet(
            hci.HCI_Read_Remote_Version_Information_Complete_Event(
                status=hci.HCI_ErrorCode.SUCCESS,
                connection_handle=command.connection_handle,
                version=self.lmp_version,
                manufacturer_name=self.manufacturer_company_identifier,
                subversion=self.lmp_subversion,
            )
        )

    def on_hci_le_set_data_length_command(
        self, command: hci.HCI_LE_Set_Data_Length_Command
    ) -> hci.HCI_StatusAndConnectionHandleReturnParameters:
        return hci.HCI_StatusAndConnectionHandleReturnParameters(
            status=hci.HCI_ErrorCode.SUCCESS, connection_handle=command.connection_handle
        )

    def on_hci_le_create_connection_cancel_command(
        self, command: hci.HCI_LE_Create_Connection_Cancel_Command
    ) -> hci.HCI_StatusReturnParameters:
        if self.pending_le_connection is None:
            return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.COMMAND_DISALLOWED_ERROR)
        pending, self.pending_le_connection = self.pending_le_connection, None
        asyncio.get_running_loop().call_soon(
            self.report_connection,
            hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR,
            0,
            hci.Role.CENTRAL,
            pending.peer_address,
            (0, 0, 0),
        )
        return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.SUCCESS)

    # Air

    def advertisers(
        self,
    ) -> Iterator[bumble_controller.LegacyAdvertiser | bumble_controller.AdvertisingSet]:
        """Everything of this controller that can be on air."""
        yield self.le_legacy_advertiser
        yield from self.advertising_sets.values()

    def on_advertising_pdu(self, pdu: ll.AdvInd | ll.AdvExtInd) -> None:
        """Reports an advertisement and its scan response, and connects if that was awaited."""
        advertiser = self.radio.advertiser(pdu.advertiser_address)
        if advertiser is None:
            return
        properties = CONNECTABLE_SCANNABLE | LEGACY_PDU
        if isinstance(advertiser, bumble_controller.AdvertisingSet) and advertiser.parameters:
            properties = int(advertiser.parameters.advertising_event_properties) & 0x1F
        if self.abilities.legacy and not properties & LEGACY_PDU:
            return
        if self.le_scan_enable:
            self.report_advertisement(pdu.advertiser_address, properties, pdu.data)
            if properties & 0x02:
                self.report_advertisement(
                    pdu.advertiser_address,
                    properties | SCAN_RESPONSE,
                    bytes(advertiser.scan_response_data),
                )
        pending = self.pending_le_connection
        if pending and pending.peer_address == pdu.advertiser_address and properties & 0x01:
            self.create_le_connection(pdu.advertiser_address)

    def report_advertisement(self, address: hci.Address, properties: int, data: bytes) -> None:
        """Sends the report that this controller's host understands."""
        if self.advertising_kind != "extended":
            kind = hci.HCI_LE_Advertising_Report_Event.EventType
            self.send_hci_packet(
                hci.HCI_LE_Advertising_Report_Event(
                    [
                        hci.HCI_LE_Advertising_Report_Event.Report(
                            event_type=kind.SCAN_RSP
                            if properties & SCAN_RESPONSE
                            else kind.ADV_IND,
                            address_type=address.address_type,
                            address=address,
                            data=data,
                            rssi=-50,
                        )
                    ]
                )
            )
            return
        self.send_hci_packet(
            hci.HCI_LE_Extended_Advertising_Report_Event(
                [
                    hci.HCI_LE_Extended_Advertising_Report_Event.Report(
                        event_type=properties,
                        address_type=address.address_type,
                        address=address,
                        primary_phy=hci.Phy.LE_1M,
                        secondary_phy=0 if properties & LEGACY_PDU else hci.Phy.LE_1M,
                        advertising_sid=0xFF if properties & LEGACY_PDU else 0,
                        tx_power=0x7F,
                        rssi=-50,
                        periodic_advertising_interval=0,
                        direct_address_type=0,
                        direct_address=hci.Address.ANY,
                        data=data[:MAX_REPORT_DATA],
                    )
                ]
            )
        )

    def create_le_connection(self, peer_address: hci.Address) -> None:
        """Connects to an advertiser; both ends exist when this returns."""
        command = self.pending_le_connection
        if command is None or peer_address in self.le_connections:
            return
        self.pending_le_connection = None
        if isinstance(command, hci.HCI_LE_Extended_Create_Connection_Command):
            parameters = (
                command.connection_interval_mins[0],
                command.max_latencies[0],
                command.supervision_timeouts[0],
            )
        else:
            parameters = (
                command.connection_interval_min,
                command.max_latency,
                command.supervision_timeout,
            )
        own = self.random_address if command.own_address_type & 1 else self.public_address
        for controller in self.radio.controllers:
            if controller is not self:
                controller.accept_connection(own, peer_address, parameters)
        connection = self.add_connection(hci.Role.CENTRAL, own, peer_address)
        self.report_connection(
            hci.HCI_ErrorCode.SUCCESS, connection.handle, hci.Role.CENTRAL, peer_address, parameters
        )

    def accept_connection(
        self, initiator: hci.Address, own: hci.Address, parameters: tuple[int, int, int]
    ) -> None:
        """Becomes the peripheral if it is this controller that advertises from `own`."""
        for advertiser in self.advertisers():
            if advertiser.enabled and advertiser.address == own:
                break
        else:
            return
        advertiser.stop()
        connection = self.add_connection(hci.Role.PERIPHERAL, own, initiator)
        self.report_connection(
            hci.HCI_ErrorCode.SUCCESS, connection.handle, hci.Role.PERIPHERAL, initiator, parameters
        )
        if isinstance(advertiser, bumble_controller.AdvertisingSet):
            self.send_hci_packet(
                hci.HCI_LE_Advertising_Set_Terminated_Event(
                    status=hci.HCI_ErrorCode.SUCCESS,
                    advertising_handle=advertiser.handle,
                    connection_handle=connection.handle,
                    num_completed_extended_advertising_events=0,
                )
            )

    def add_connection(self, role: hci.Role, own: hci.Address, peer: hci.Address) -> Connection:
        """Makes one end of a connection."""
        connection = Connection(
            controller=self,
            handle=self.allocate_connection_handle(),
            role=role,
            self_address=own,
            peer_address=peer,
            link=self.radio,
            transport=PhysicalTransport.LE,
            link_type=hci.HCI_Connection_Complete_Event.LinkType.ACL,
        )
        self.le_connections[peer] = connection
        return connection

    def report_connection(
        self,
        status: hci.HCI_ErrorCode,
        handle: int,
        role: hci.Role,
        peer: hci.Address,
        parameters: tuple[int, int, int],
    ) -> None:
        """Tells the host about a connection, or that none came up."""
        interval, latency, timeout = parameters
        self.send_hci_packet(
            hci.HCI_LE_Connection_Complete_Event(
                status=status,
                connection_handle=handle,
                role=role,
                peer_address_type=peer.address_type,
                peer_address=peer,
                connection_interval=interval,
                peripheral_latency=latency,
                supervision_timeout=timeout,
                central_clock_accuracy=0,
            )
        )

    def on_le_encryption_change(self, connection: bumble_controller.Connection, status: int) -> None:
        """Reports a first encryption, or the refresh of the key of an encrypted link."""
        if isinstance(connection, Connection) and connection.is_encrypted:
            self.send_hci_packet(
                hci.HCI_Encryption_Key_Refresh_Complete_Event(
                    status=status, connection_handle=connection.handle
                )
            )
            return
        if isinstance(connection, Connection) and status == hci.HCI_ErrorCode.SUCCESS:
            connection.is_encrypted = True
        super().on_le_encryption_change(connection, status)
