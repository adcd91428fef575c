"""The air between virtual controllers: Bumble's link and connections with their faults mended.

What Bumble 0.0.236 gets wrong, and what stands here instead:

- its link takes the LE random address of a controller as the source of all its data, so data is
  lost whenever a connection was made with another address; here data goes from connection to
  connection;
- the scan response repeats the advertising data, extended advertising properties are ignored, and a
  connection can come up with somebody who advertises no longer;
- a peripheral is told constants for the parameters of its connection;
- the second encryption of a link is reported as if it were the first.

Beyond that, each controller watches its host: a host that sends more ACL packets than it has
credits for, or longer ones than the buffers take, is named on standard error in a line with
`VIOLATION`.
"""

from __future__ import annotations

import asyncio
import dataclasses
import sys
from collections.abc import Iterator

from bumble import controller as bumble_controller
from bumble import hci, link, ll
from bumble.core import PhysicalTransport

LEGACY_PDU = 0x10
CONNECTABLE_SCANNABLE = 0x03
SCAN_RESPONSE = 0x08
MAX_REPORT_DATA = 229


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

    controller: RadioController
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

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.members: list[RadioController] = []

    def add_controller(self, controller: bumble_controller.Controller) -> None:
        """Takes a controller on air."""
        super().add_controller(controller)
        assert isinstance(controller, RadioController)
        self.members.append(controller)

    def other_end(self, connection: bumble_controller.Connection) -> Connection | None:
        """The end that `connection` leads to."""
        for controller in self.members:
            peer = controller.le_connections.get(connection.self_address)
            if peer is not None and peer.self_address == connection.peer_address:
                return peer if isinstance(peer, Connection) else None
        return None

    def advertiser(
        self, address: hci.Address
    ) -> bumble_controller.LegacyAdvertiser | bumble_controller.AdvertisingSet | None:
        """Who is advertising from this address right now."""
        for controller in self.members:
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


class RadioController(bumble_controller.Controller):
    """The half of a controller that faces the air."""

    def __init__(self, name: str, radio: Radio, public_address: str, abilities: Abilities) -> None:
        super().__init__(name, link=radio, public_address=public_address)
        self.radio = radio
        self.abilities = abilities
        self.credits_out = 0
        self.advertising_kind: str | None = None
        """Whether the host uses the legacy or the extended commands."""

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
        for controller in self.radio.members:
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

    def on_le_encryption_change(
        self, connection: bumble_controller.Connection, status: int
    ) -> None:
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
