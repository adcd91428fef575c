"""A phone on Bumble's stack that offers ANCS as an iPhone does, for tests.

It scans for a connectable advertisement that solicits ANCS, connects, pairs when the accessory asks
for security, and serves its notifications. It is told what to do by JSON objects, one a line, on
standard input (phone_commands.py), and says what happens in JSON objects on standard output:

ready, found, connected, connectFailed, mtu, securityRequest, pairing, paired, pairingFailed,
encrypted, encryptionFailed, accessory, accessoryFailed, subscribed, unsubscribed, insecure,
mediaRegistered, mediaRead, mediaCommand, command, refused, answered, action, posted, notified, forgotten, serviceChangedConfirmed,
disconnected, violation, failed, transportLost.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import signal
import sys
import threading
from typing import Any

from bumble import att, core, device, hci, host, pairing, snoop
from bumble.gatt import Characteristic
from bumble.transport.common import SnoopingTransport

from notification_center import Notification, NotificationCenter
from patience import open_transport
from phone_commands import Commands
from phone_gatt import ANCS_SERVICE, PhoneServer, PhoneServices
from phone_media import MediaService
from phone_security import IO_CAPABILITIES, BondStore, PairingSession, Person, PhoneDelegate
from phone_session import Fault, Session

SOLICITATION_128 = 0x15
SHORTENED_NAME, COMPLETE_NAME = 0x08, 0x09
CONNECT_TIMEOUT = 5.0


class Phone:
    """The phone: its radio, its bonds, its notifications, and the connection it may have."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.bonds = BondStore(options.keystore)
        self.center = NotificationCenter(options.truncation)
        self.faults: list[Fault] = []
        self.tags: dict[str, Notification] = {}
        self.has_consent = options.consent == "given"
        self.announces_early = options.consent == "content-later"
        self.is_connecting = True
        self.is_hidden = False
        self.unaware_of_change: set[str] = set()
        self.session: Session | None = None
        self.commands = Commands(self)
        self.done: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.changed = asyncio.Event()
        self.delegate = PhoneDelegate(
            options.io,
            Person(
                {"yes": True, "no": False, "ask": None}[options.confirm],
                options.passkey,
                options.shown_passkey,
            ),
            self.emit,
        )
        self.device: device.Device
        self.server: PhoneServer
        self.services: PhoneServices
        self.media: MediaService | None = None

    def emit(self, event: str, **fields: Any) -> None:
        """Says what happened."""
        record = {"event": event, **fields}
        print(json.dumps(record, ensure_ascii=False), flush=True)

    # The radio

    async def run(self) -> int:
        """Switches the phone on, and serves until it is told to end; gives the exit status."""
        transport = await open_transport(self.options.hci)
        if self.options.snoop:
            output = open(self.options.snoop, "wb", buffering=0)  # noqa: SIM115
            transport = SnoopingTransport(transport, snoop.BtSnooper(output))
        config = device.DeviceConfiguration(
            name=self.options.name,
            address=hci.Address(self.bonds.identity),
            irk=self.bonds.irk,
            le_privacy_enabled=self.options.rpa,
            le_rpa_timeout=0,
            gap_service_enabled=False,
            gatt_service_enabled=False,
        )
        self.device = device.Device(config=config, host=host.Host(transport.source, transport.sink))
        self.device.keystore = self.bonds
        self.device.pairing_config_factory = self.pairing_config
        self.device.smp_session_proxy = PairingSession
        self.server = PhoneServer(
            self.device, self.guard, lambda what: self.emit("violation", what=what)
        )
        self.device.gatt_server = self.server
        self.server.max_mtu = self.options.mtu
        self.services = PhoneServices(
            self.server,
            self.options.name,
            self.write_control_point,
            frozenset(self.options.without),
            self.options.database_hash,
            self.options.zone,
        )
        if self.options.media is not None:
            self.media = MediaService(self.server, self.options.media, self.emit)
        self.server.on(self.server.EVENT_CHARACTERISTIC_SUBSCRIPTION, self.on_subscription)
        self.device.on(self.device.EVENT_CONNECTION, self.on_connection)
        if self.options.hidden:
            self.server.set_hidden(self.services.ancs, True)
            self.is_hidden = True
        transport.source.terminated.add_done_callback(self.on_transport_lost)
        await self.device.power_on()
        self.emit("ready", address=str(self.device.random_address), identity=self.bonds.identity)
        connecting = asyncio.create_task(self.keep_connecting())
        connecting.add_done_callback(self.on_task_done)
        status = await self.done
        self.changed.set()
        await asyncio.wait({connecting}, timeout=1)
        if self.session is not None and not transport.source.terminated.done():
            await self.session.connection.disconnect()
        return status

    def on_task_done(self, task: asyncio.Task[None]) -> None:
        """Ends the run if something failed that has to go on."""
        if not task.cancelled() and (error := task.exception()) is not None:
            self.emit("failed", what=repr(error))
            self.end(1)

    def on_transport_lost(self, _: asyncio.Future[None]) -> None:
        """The controller is gone."""
        self.emit("transportLost")
        self.end(1)

    def end(self, status: int) -> None:
        """Ends the run."""
        if not self.done.done():
            self.done.set_result(status)

    async def keep_connecting(self) -> None:
        """Connects to an accessory whenever there is no connection and one is wanted."""
        while not self.done.done():
            self.changed.clear()
            if self.session is not None or not self.is_connecting:
                await self.changed.wait()
                continue
            address = await self.find_accessory()
            if address is None:
                continue
            try:
                await self.device.connect(address, timeout=CONNECT_TIMEOUT)
            except (core.BaseBumbleError, TimeoutError) as error:
                self.emit("connectFailed", what=repr(error))

    async def find_accessory(self) -> hci.Address | None:
        """Scans until something connectable solicits ANCS, or there is no more need."""
        if self.options.rpa:
            await self.renew_address()
        found: asyncio.Future[hci.Address] = asyncio.get_running_loop().create_future()

        def on_advertisement(advertisement: device.Advertisement) -> None:
            if found.done() or not advertisement.is_connectable:
                return
            structures = advertisement.data.ad_structures
            if not any(
                kind == SOLICITATION_128 and bytes(ANCS_SERVICE) in split(data, 16)
                for kind, data in structures
            ):
                return
            # The complete name may be in the scan response, and its beginning in the advertisement.
            name = max(
                (
                    data.decode(errors="replace")
                    for kind, data in structures
                    if kind in (SHORTENED_NAME, COMPLETE_NAME)
                ),
                key=len,
                default=None,
            )
            self.emit(
                "found",
                address=str(advertisement.address),
                name=name,
                data=[[kind, data.hex()] for kind, data in structures],
            )
            found.set_result(advertisement.address)

        self.device.on(self.device.EVENT_ADVERTISEMENT, on_advertisement)
        await self.device.start_scanning(filter_duplicates=False)
        while not (found.done() or self.done.done()) and self.is_connecting:
            changed = asyncio.create_task(self.changed.wait())
            futures: list[asyncio.Future[Any]] = [found, changed]
            await asyncio.wait(futures, return_when=asyncio.FIRST_COMPLETED)
            changed.cancel()
            self.changed.clear()
        self.device.remove_listener(self.device.EVENT_ADVERTISEMENT, on_advertisement)
        await self.device.stop_scanning()
        return found.result() if found.done() else None

    async def renew_address(self) -> None:
        """Takes a new private address (Bumble's own `update_rpa` sends the old one again)."""
        address = hci.Address.generate_private_address(self.bonds.irk)
        await self.device.send_sync_command(
            hci.HCI_LE_Set_Random_Address_Command(random_address=address)
        )
        self.device.random_address = address

    def pairing_config(self, _: device.Connection) -> pairing.PairingConfig:
        """How the phone pairs; an iPhone asks for protection against a third party if it can."""
        return pairing.PairingConfig(
            sc=not self.options.legacy_pairing,
            mitm=self.options.io != "none",
            bonding=True,
            delegate=self.delegate,
            identity_address_type=pairing.PairingConfig.AddressType.RANDOM,
        )

    # Connection

    def on_connection(self, connection: device.Connection) -> None:
        """A connection came up; the first packets of the accessory may be on the way already."""
        if self.options.renumber:
            self.center.renumber()
        self.session = Session(self, connection)

    def on_session_end(self, session: Session) -> None:
        """The connection went."""
        if self.session is session:
            self.session = None
        self.changed.set()

    def guard(self, connection: device.Connection) -> int | None:
        """The refusal for an attribute that needs an encrypted link."""
        return self.session.guard() if self.session else None

    def write_control_point(self, _: att.Bearer, value: bytes) -> None:
        """A Control Point write."""
        if self.session is not None:
            self.session.write_control_point(value)

    def on_subscription(
        self,
        bearer: att.Bearer,
        characteristic: Characteristic[Any],
        notifications: bool,
        indications: bool,
    ) -> None:
        """A CCCD was written."""
        if self.session is not None:
            if self.media is not None:
                self.media.subscribed(
                    self.session.connection, characteristic.handle, notifications
                )
            self.session.on_subscription(characteristic, notifications or indications)

    # Notifications

    def post(self, notification: Notification) -> int:
        """Adds a notification and announces it."""
        uid = self.center.post(notification)
        self.emit("posted", uid=uid)
        if self.session is not None:
            self.session.notify("added", uid, notification)
        return uid

    def modify(self, uid: int, fields: dict[str, Any]) -> None:
        """Changes a notification and announces that."""
        self.center.modify(uid, fields)
        if self.session is not None:
            self.session.notify("modified", uid, self.center.active[uid])

    def remove(self, uid: int) -> None:
        """Removes a notification and announces that."""
        notification = self.center.active.pop(uid)
        if self.session is not None:
            self.session.notify("removed", uid, notification)

    def show_ancs(self, shown: bool) -> None:
        """Publishes or withdraws the ANCS service (R5)."""
        self.is_hidden = not shown
        self.server.set_hidden(self.services.ancs, not shown)
        for subscriptions in self.server.subscribers.values():
            subscriptions.pop(self.services.notification_source.handle, None)
            subscriptions.pop(self.services.data_source.handle, None)
        if self.session is not None:
            self.session.start(self.session.indicate_service_changed())
        else:
            self.unaware_of_change.update(self.bonds.service_changed)

    def give_consent(self, given: bool) -> None:
        """ "Share System Notifications" is switched (S1)."""
        self.has_consent = given
        if given and self.session is not None and not self.announces_early:
            self.session.announce_existing()


def split(data: bytes, size: int) -> list[bytes]:
    """Parts of equal size."""
    return [data[start : start + size] for start in range(0, len(data), size)]


def read_commands(phone: Phone, loop: asyncio.AbstractEventLoop) -> None:
    """Reads commands until standard input ends; a thread, since any file may stand behind it."""
    pending = b""
    while chunk := os.read(sys.stdin.fileno(), 65536):
        *lines, pending = (pending + chunk).split(b"\n")
        for line in lines:
            if line.strip():
                loop.call_soon_threadsafe(phone.commands.perform_text, line.decode())


async def serve(options: argparse.Namespace) -> int:
    """Runs the phone until it is told to end."""
    phone = Phone(options)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, phone.end, 0)
    threading.Thread(target=read_commands, args=(phone, loop), daemon=True).start()
    return await phone.run()


def parse_arguments() -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--hci", required=True, help="where the controller is, such as tcp-client:127.0.0.1:9001")
    add("--name", default="Testphone")
    add("--keystore", metavar="FILE", help="identity and bonds, kept from run to run")
    add("--rpa", action="store_true", help="resolvable private address, a new one each time")
    add("--legacy-pairing", action="store_true", help="without LE Secure Connections")
    add("--io", choices=sorted(IO_CAPABILITIES), default="none")
    add("--pair", choices=("request", "connect"), default="request", help="when pairing starts")
    add("--confirm", choices=("ask", "yes", "no"), default="ask", help="numeric comparison")
    add("--passkey", type=int, help="what is entered when a passkey is asked for")
    add("--shown-passkey", type=int, help="the passkey that is displayed, instead of a random one")
    add("--rebond", action="store_true", help="pair again if the accessory lost the bond")
    add("--mtu", type=int, default=517, help="ATT_MTU; 23 means that none is asked for")
    add(
        "--consent",
        choices=("given", "later", "content-later"),
        default="given",
        help="until told, the Control Point refuses, and `later` holds events back too",
    )
    add("--truncation", choices=("safe", "hard", "ellipsis"), default="safe")
    add("--without", action="append", default=[], choices=("control-point", "data-source"))
    add("--media", choices=("plain", "no-descriptor"), help="offer the Apple Media Service too")
    add("--hidden", action="store_true", help="ANCS is not there until `show`")
    add("--database-hash", action="store_true", help="GATT has the Database Hash")
    add("--zone", type=int, metavar="MINUTES", help="a clock this far east of UTC, and its zone")
    add("--no-discovery", action="store_true", help="leave the accessory's services alone")
    add("--keep-uids", dest="renumber", action="store_false", help="UIDs outlive a connection")
    add("--snoop", metavar="FILE", help="write a btsnoop capture")
    add("--verbose", action="store_true", help="log everything that Bumble does")
    return parser.parse_args()


def main() -> int:
    """Runs the phone."""
    options = parse_arguments()
    logging.basicConfig(level=logging.DEBUG if options.verbose else logging.ERROR)
    return asyncio.run(serve(options))


if __name__ == "__main__":
    sys.exit(main())
