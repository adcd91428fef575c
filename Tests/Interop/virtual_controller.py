"""A virtual controller as its host sees it: Bumble's, with its answers to commands mended.

What Bumble 0.0.236 gets wrong, and what stands here instead:

- commands without a handler stay unanswered, as do malformed ones; here they end with a status;
- Reset resets nothing; here it does, and peers notice;
- the supported commands name some that do nothing, and leave out those of extended advertising;
- commands that are not allowed in the present state succeed.
"""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

from bumble import hci

from radio import LEGACY_PDU, Abilities, Radio, RadioController

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


class Controller(RadioController):
    """A controller that behaves towards its host as the specification says."""

    def __init__(self, name: str, radio: Radio, public_address: str, abilities: Abilities) -> None:
        super().__init__(name, radio, public_address, abilities)
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
            error: hci.HCI_ErrorCode | None = hci.HCI_ErrorCode.UNKNOWN_HCI_COMMAND_ERROR
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
            else "extended"
            if command.op_code in EXTENDED_COMMANDS
            else None
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

    def on_hci_reset_command(self, _: hci.HCI_Reset_Command) -> hci.HCI_StatusReturnParameters:
        self.forget_everything()
        return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.SUCCESS)

    def on_hci_le_rand_command(
        self, _: hci.HCI_LE_Rand_Command
    ) -> hci.HCI_LE_Rand_ReturnParameters:
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
