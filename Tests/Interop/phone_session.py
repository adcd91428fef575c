"""One connection of the phone to an accessory: security, ATT_MTU, discovery, and ANCS."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from bumble import att, core, device, gatt, hci
from bumble.gatt import Characteristic

from notification_center import (
    ACTIONS,
    CATEGORIES,
    FLAG_PRE_EXISTING,
    FLAG_SILENT,
    AncsError,
    Command,
    Notification,
    name_of,
)
from phone_gatt import NAMES

if TYPE_CHECKING:
    from phone import Phone

WRITE_NOT_PERMITTED = 0x03
PAIRING_TIMEOUT = 300.0
"""The SMP timer (Vol 3 Part H 3.4); Bumble has none."""


@dataclasses.dataclass
class Fault:
    """What goes wrong with one answer."""

    fragment: int | None = None
    """Octets in each notification, instead of ATT_MTU - 3."""
    stop_after: int | None = None
    """Only so many octets are sent."""
    disconnect_after: int | None = None
    """Only so many octets are sent, then the link goes."""
    delay: float = 0
    drop: bool = False
    hold: bool = False
    """Kept back, and sent in one stream with the next answer."""
    duplicate: bool = False
    """Sent twice, in one stream."""
    order: str | None = None
    """Order of the tuples: `reverse` or `ascending` instead of as asked."""
    no_tuples: bool = False
    att_error: int | None = None
    """The write is refused with this code."""
    disconnect_on_write: bool = False
    """The link goes before the write is answered."""


class Session:
    """The phone's side of one connection."""

    def __init__(self, phone: Phone, connection: device.Connection) -> None:
        self.phone = phone
        self.emit = phone.emit
        self.connection = connection
        self.center = phone.center
        self.server = phone.server
        self.services = phone.services
        self.bonded = phone.bonds.has(connection.peer_address)
        self.has_paired = False
        self.pairing: asyncio.Task[None] | None = None
        self.tasks: set[asyncio.Task[None]] = set()
        self.held = b""
        self.is_over = False
        self.reported_mtu = 0
        connection.on(connection.EVENT_DISCONNECTION, self.on_disconnection)
        connection.on(connection.EVENT_SECURITY_REQUEST, self.on_security_request)
        connection.on(connection.EVENT_CONNECTION_ENCRYPTION_CHANGE, self.on_encryption)
        connection.on(connection.EVENT_CONNECTION_ENCRYPTION_KEY_REFRESH, self.on_encryption)
        connection.on(connection.EVENT_CONNECTION_ATT_MTU_UPDATE, self.on_mtu)
        connection.on(connection.EVENT_PAIRING, self.on_paired)
        self.emit(
            "connected",
            address=str(connection.peer_resolvable_address or connection.peer_address),
            identity=str(connection.peer_address),
            own=str(connection.self_address),
            bonded=self.bonded,
        )
        self.start(self.run())

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Runs work until the link ends at the latest."""
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.on_done)
        return task

    def on_done(self, task: asyncio.Task[None]) -> None:
        """Reports work that failed without the link being gone."""
        self.tasks.discard(task)
        if task.cancelled() or (error := task.exception()) is None:
            return
        if not self.is_over:
            self.emit("failed", what=repr(error))

    async def run(self) -> None:
        """What an iPhone does on a new link: encrypt, agree on the MTU, look around."""
        if self.bonded:
            await self.encrypt()
        elif self.phone.options.pair == "connect":
            self.pair()
        client = self.connection.gatt_client
        mtu = self.phone.options.mtu
        if mtu > att.ATT_DEFAULT_MTU:
            agreed = await client.request_mtu(mtu)
            self.connection.on_att_mtu_update(agreed)
        if not self.phone.options.no_discovery:
            await self.discover()

    # Security

    async def encrypt(self) -> None:
        """Encrypts with the stored key; a phone gives up the link if the accessory lost it."""
        try:
            await self.connection.encrypt()
        except hci.HCI_Error as error:
            self.emit("encryptionFailed", reason=error.error_code)
            if self.phone.options.rebond:
                await self.phone.bonds.delete(str(self.connection.peer_address))
                self.bonded = False
                self.pair()
                return
            self.phone.is_connecting = False
            await self.connection.disconnect(hci.HCI_ErrorCode.AUTHENTICATION_FAILURE_ERROR)

    def on_security_request(self, auth_req: int) -> None:
        """The accessory asks for security: an iPhone pairs, unless it is at it or has a key."""
        self.emit("securityRequest", authReq=auth_req)
        if not self.bonded and not self.connection.is_encrypted:
            self.pair()

    def pair(self) -> None:
        """Starts pairing, if it has not started."""
        if self.pairing is None or self.pairing.done():
            self.pairing = self.start(self.run_pairing())

    async def run_pairing(self) -> None:
        """Pairs as the initiator."""
        try:
            await asyncio.wait_for(self.connection.pair(), PAIRING_TIMEOUT)
        except core.ProtocolError as error:
            self.emit("pairingFailed", reason=error.error_code, name=error.error_name)
        except TimeoutError:
            self.emit("pairingFailed", reason=None, name="TIMEOUT")
            await self.connection.disconnect(
                hci.HCI_ErrorCode.REMOTE_USER_TERMINATED_CONNECTION_ERROR
            )

    def on_paired(self, keys: Any) -> None:
        """The bond is made and stored."""
        self.bonded = self.has_paired = True
        key = keys.ltk or keys.ltk_central
        self.emit(
            "paired",
            identity=str(self.connection.peer_address),
            secureConnections=bool(self.connection.sc),
            authenticated=bool(key and key.authenticated),
            keys=sorted(keys.to_dict()),
        )

    def on_encryption(self) -> None:
        """The link is encrypted now."""
        if not self.connection.is_encrypted:
            return
        self.emit("encrypted", bonded=self.bonded and not self.has_paired)
        identity = str(self.connection.peer_address)
        if identity in self.phone.bonds.service_changed:
            self.server.subscribers.setdefault(self.connection, {})[
                self.services.service_changed.handle
            ] = b"\x02\x00"
            if identity in self.phone.unaware_of_change:
                self.phone.unaware_of_change.discard(identity)
                self.start(self.indicate_service_changed())

    # GATT

    def on_mtu(self) -> None:
        """An ATT_MTU was agreed on, whoever asked."""
        if self.connection.att_mtu != self.reported_mtu:
            self.reported_mtu = self.connection.att_mtu
            self.emit("mtu", mtu=self.reported_mtu)

    async def discover(self) -> None:
        """Discovers everything that the accessory has, and reads its name."""
        client = self.connection.gatt_client
        try:
            services = await client.discover_services()
            for service in services:
                for characteristic in await service.discover_characteristics():
                    await characteristic.discover_descriptors()
            names = await client.read_characteristics_by_uuid(
                gatt.GATT_DEVICE_NAME_CHARACTERISTIC, None
            )
            for changed in client.get_characteristics_by_uuid(
                gatt.GATT_SERVICE_CHANGED_CHARACTERISTIC
            ):
                await client.subscribe(changed, prefer_notify=False)
        except (core.BaseBumbleError, TimeoutError) as error:
            if not self.is_over:
                self.emit("accessoryFailed", what=repr(error))
            return
        self.emit(
            "accessory",
            name=bytes(names[0]).decode(errors="replace") if names else None,
            services={
                service.uuid.to_hex_str(): [
                    characteristic.uuid.to_hex_str() for characteristic in service.characteristics
                ]
                for service in services
            },
        )

    def guard(self) -> int | None:
        """The refusal for an attribute that needs an encrypted link, or nothing (R7)."""
        if self.connection.is_encrypted:
            return None
        code = (
            att.ATT_INSUFFICIENT_ENCRYPTION_ERROR
            if self.bonded
            else att.ATT_INSUFFICIENT_AUTHENTICATION_ERROR
        )
        self.emit("insecure", error=int(code))
        return int(code)

    def on_subscription(self, characteristic: Characteristic[Any], subscribed: bool) -> None:
        """The accessory wrote a CCCD."""
        name = NAMES.get(characteristic.uuid, str(characteristic.uuid))
        self.emit("subscribed" if subscribed else "unsubscribed", characteristic=name)
        if name == "serviceChanged" and self.bonded:
            self.phone.bonds.remember_service_changed(self.connection.peer_address, subscribed)
        if name == "notificationSource" and subscribed:
            self.server.after_response.append(self.announce_existing)

    def forget_subscription(self, name: str) -> None:
        """Drops a subscription without a word, as iPhones do now and then."""
        characteristic = {
            "notificationSource": self.services.notification_source,
            "dataSource": self.services.data_source,
        }[name]
        self.server.subscribers.get(self.connection, {}).pop(characteristic.handle, None)

    async def indicate_service_changed(self) -> None:
        """Tells the accessory that ANCS came or went."""
        ancs = self.services.ancs
        value = ancs.handle.to_bytes(2, "little") + ancs.end_group_handle.to_bytes(2, "little")
        try:
            await self.server.indicate_subscriber(
                self.connection, self.services.service_changed, value
            )
        except TimeoutError:
            self.emit("violation", what="no confirmation of an indication")
            return
        self.emit("serviceChangedConfirmed")

    # ANCS

    def announce_existing(self) -> None:
        """The flood at the beginning of an ANCS session (R53)."""
        for uid, notification in self.center.active.items():
            self.notify("added", uid, notification, FLAG_PRE_EXISTING | FLAG_SILENT)

    def notify(
        self, event: str, uid: int, notification: Notification, further_flags: int = 0
    ) -> None:
        """Sends a Notification Source value to an accessory that wants them."""
        source = self.services.notification_source
        if not self.server.is_subscribed(self.connection, source):
            return
        if not (self.phone.has_consent or self.phone.announces_early):
            return
        value = self.center.source_value(event, uid, notification, further_flags)
        self.server.notify(self.connection, source, value)
        self.emit(
            "notified",
            kind=event,
            uid=uid,
            flags=value[1],
            category=name_of(CATEGORIES, value[2]),
            categoryCount=value[3],
        )

    def write_control_point(self, value: bytes) -> None:
        """A Control Point write; raises an ATT error to refuse it."""
        if not self.phone.has_consent:
            self.emit("refused", error=WRITE_NOT_PERMITTED, hex=value.hex())
            raise att.ATT_Error(WRITE_NOT_PERMITTED)
        try:
            command = Command.decode(value)
            self.emit("command", **command.to_json())
            if command.kind == "performNotificationAction":
                notification = self.center.check_action(command)
                self.server.after_response.append(lambda: self.perform(command, notification))
                return
            self.prepare_answer(command)
        except AncsError as error:
            self.emit("refused", error=error.code, reason=error.reason, hex=value.hex())
            raise att.ATT_Error(error.code) from error

    def perform(self, command: Command, notification: Notification) -> None:
        """What an action does on the phone: nothing on the Data Source (R42)."""
        assert command.uid is not None and command.action is not None
        self.emit("action", uid=command.uid, action=ACTIONS[command.action])
        is_call = notification.category == CATEGORIES.index("incomingCall")
        if command.action == 1 or is_call:
            self.phone.remove(command.uid)
        if command.action == 1 and is_call:
            self.phone.post(
                dataclasses.replace(
                    notification,
                    category=CATEGORIES.index("missedCall"),
                    message="Missed Call",
                    positive="Dial",
                    negative="Clear",
                )
            )

    def prepare_answer(self, command: Command) -> None:
        """Makes an answer, and sends it after the write response (R22)."""
        fault = self.phone.faults.pop(0) if self.phone.faults else Fault()
        if fault.disconnect_on_write:
            self.start(self.connection.disconnect())
            return
        if fault.att_error is not None:
            raise AncsError(fault.att_error, "as told")
        octets = self.center.answer(command, fault.order, not fault.no_tuples)
        if not self.server.is_subscribed(self.connection, self.services.data_source):
            self.emit("violation", what="get-command without a Data Source subscription")
            return
        if fault.delay:
            self.start(self.answer_later(command, octets, fault))
        else:
            self.server.after_response.append(lambda: self.send_answer(command, octets, fault))

    async def answer_later(self, command: Command, octets: bytes, fault: Fault) -> None:
        """Sends an answer after a while."""
        await asyncio.sleep(fault.delay)
        self.send_answer(command, octets, fault)

    def send_answer(self, command: Command, octets: bytes, fault: Fault) -> None:
        """Sends an answer in notifications of at most ATT_MTU - 3 octets (R30)."""
        if fault.drop:
            self.report_answer(command, 0, 0)
            return
        if fault.hold:
            self.held += octets
            return
        octets, self.held = self.held + octets * (2 if fault.duplicate else 1), b""
        limit = fault.disconnect_after if fault.stop_after is None else fault.stop_after
        octets = octets if limit is None else octets[:limit]
        room = self.connection.att_mtu - 3
        size = min(fault.fragment or room, room)
        fragments = [octets[start : start + size] for start in range(0, len(octets), size)]
        for fragment in fragments:
            self.server.notify(self.connection, self.services.data_source, fragment)
        self.report_answer(command, len(octets), len(fragments))
        if fault.disconnect_after is not None:
            self.start(self.disconnect_after_sending())

    def report_answer(self, command: Command, octets: int, fragments: int) -> None:
        """Says what was answered, and in how much."""
        subject = {"uid": command.uid} if command.uid is not None else {"app": command.app}
        self.emit("answered", **subject, octets=octets, fragments=fragments)

    async def disconnect_after_sending(self) -> None:
        """Ends the link once the controller has sent everything."""
        await self.connection.drain()
        await self.connection.disconnect()

    def on_disconnection(self, reason: int) -> None:
        """The link is gone."""
        self.emit("disconnected", reason=int(reason))
        self.is_over = True
        # Bumble completes futures of its own in the same event, which must not be cancelled before.
        asyncio.get_running_loop().call_soon(self.cancel_tasks)
        self.phone.on_session_end(self)

    def cancel_tasks(self) -> None:
        """Ends what was still going on."""
        for task in list(self.tasks):
            task.cancel()
