"""Variants of `watch.py`, each with one fault, and the requirement by which `ancs bench` must name it.

`faults.py --fault NAME` is the accessory; `test_faults_named.py` runs each of them. Faults that watches and
libraries were seen with name where.
"""

from __future__ import annotations

import asyncio
import struct
import sys
from dataclasses import dataclass
from typing import Any

import watch
from bumble import device, hci, pairing
from watch import REMOVED, Source, Watch


class ReversesIdentifiers(Watch):
    """UIDs are written with the most significant octet first."""

    def command(self, uid: int) -> bytes:
        octets = super().command(uid)
        return octets[:1] + octets[4:0:-1] + octets[5:]


class OmitsMaxima(Watch):
    """Texts are requested like the other attributes."""

    def command(self, uid: int) -> bytes:
        return b"\0" + struct.pack("<I", uid) + bytes(watch.ATTRIBUTES)


class OmitsTerminator(Watch):
    """The identifier of an app does not end with NUL."""

    def name_command(self, identifier: bytes) -> bytes:
        return b"\1" + identifier


class WritesWithoutResponse(Watch):
    """Commands are written with Write Command."""

    async def write(self, command: bytes) -> None:
        await self.control_point.write_value(command, with_response=False)


class SubscribesInWrongOrder(Watch):
    """The Notification Source first."""

    async def subscribe(self, data_source: Any, notification_source: Any) -> None:
        await super().subscribe(notification_source, data_source)

    def received(self, value: bytes) -> None:
        super().notified(value)

    def notified(self, value: bytes) -> None:
        super().received(value)


class KnowsNoServiceChanged(Watch):
    """The service is looked for once, and nothing tells when it comes back."""

    async def follow_service(self, peer: device.Peer, changed: Any) -> None:
        """Subscribes to nothing."""


class IgnoresServiceChanged(Watch):
    """Service Changed is subscribed to, and nothing follows from it."""

    async def follow_service(self, peer: device.Peer, changed: Any) -> None:
        await super().follow_service(peer, lambda: None)


class TakesZeroForNone(Watch):
    """A notification with UID 0 is no notification."""

    def wants(self, source: Source) -> bool:
        return source.uid != 0


class HasSignedIdentifiers(Watch):
    """UIDs are kept in a signed number, and negative ones are errors."""

    def wants(self, source: Source) -> bool:
        return source.uid < 1 << 31


class KeepsIdentifiers(Watch):
    """What was to be fetched in one session is fetched in the next one."""

    last: Source | None = None

    def announced(self, source: Source) -> None:
        self.last = source
        super().announced(source)

    def end_session(self) -> None:
        super().end_session()
        if self.last is not None:
            self.session.waiting[self.last.uid] = self.last


class FetchesWhatIsRemoved(Watch):
    """Removed is taken for another reason to fetch."""

    def announced(self, source: Source) -> None:
        if source.event == REMOVED:
            self.session.waiting[source.uid] = source
            self.session.news.set()
        else:
            super().announced(source)


class KnowsFiveFlags(Watch):
    """A value with another flag is invalid."""

    def wants(self, source: Source) -> bool:
        return source.flags < 1 << 5


class KnowsTwelveCategories(Watch):
    """A value with another category is invalid."""

    def wants(self, source: Source) -> bool:
        return source.category < 12


class IgnoresModified(Watch):
    """What has been fetched is shown as it was."""

    def wants(self, source: Source) -> bool:
        return source.event == watch.ADDED


class FetchesTwice(Watch):
    """Everything is fetched for the list, and again for the screen."""

    async def fetched(self, source: Source, values: dict[int, bytes]) -> None:
        await self.request(self.command(source.uid), source.uid)


class ForgetsNames(Watch):
    """The name of an app is asked for with each notification."""

    async def fetch_name(self, identifier: bytes) -> None:
        self.session.names.clear()
        await super().fetch_name(identifier)


class AssumesOrder(Watch):
    """Attributes that come in another order than the requested one are no answer, and are asked for again."""

    async def request(self, command: bytes, uid: int | None) -> dict[int, bytes]:
        values = await super().request(command, uid)
        if list(values) != sorted(values):
            values = await super().request(command, uid)
        return values


class TakesFirstValue(Watch):
    """The first value of the Data Source is taken for the whole answer."""

    async def request(self, command: bytes, uid: int | None) -> dict[int, bytes]:
        await self.write(command)
        wanted = {0}
        try:
            answer = await asyncio.wait_for(self.session.answers.get(), watch.PATIENCE)
        except TimeoutError:
            raise watch.Unanswered from None
        return self.values(answer, command[:5] if uid is not None else command[:-1], wanted) or {}


class SwapsMaxima(Watch):
    """Maxima are written with the most significant octet first."""

    def command(self, uid: int) -> bytes:
        octets = b"\0" + struct.pack("<I", uid)
        for attribute in watch.ATTRIBUTES:
            octets += bytes([attribute])
            if attribute in watch.TEXTS:
                octets += struct.pack(">H", watch.TEXTS[attribute])
        return octets


class SendsTwoAtOnce(Watch):
    """Each notification is fetched when it is announced, whatever is under way."""

    def announced(self, source: Source) -> None:
        if source.event != REMOVED:
            fetching = asyncio.create_task(self.fetch(source))
            self.fetching.add(fetching)
            fetching.add_done_callback(self.done)

    def __init__(self, options: Any) -> None:
        super().__init__(options)
        self.fetching: set[asyncio.Task[None]] = set()

    def done(self, task: asyncio.Task[None]) -> None:
        """A fetch has ended, however."""
        self.fetching.discard(task)
        if not task.cancelled():
            task.exception()


class EndsWithRefusal(Watch):
    """A refusal clears the queue, and nothing fills it again."""

    async def refused(self) -> None:
        await asyncio.get_running_loop().create_future()


class EndsWithLostAnswer(Watch):
    """It waits for an answer until the link ends."""

    async def unanswered(self) -> None:
        await asyncio.get_running_loop().create_future()


class NeedsNames(Watch):
    """It waits for the name of an app until the link ends."""

    def values(self, answer: bytes, header: bytes, wanted: set[int]) -> dict[int, bytes] | None:
        values = super().values(answer, header, wanted)
        return values if values is None or wanted <= values.keys() else None

    async def unanswered(self) -> None:
        await asyncio.get_running_loop().create_future()


class Hammers(Watch):
    """What the user does not allow is tried again at once."""

    async def forbidden(self, delay: float) -> None:
        await asyncio.sleep(0.1)


class GivesUpWithoutConsent(Watch):
    """What the user does not allow is not tried again."""

    async def forbidden(self, delay: float) -> None:
        await asyncio.get_running_loop().create_future()


class ForgetsBonds(Watch):
    """The keys are kept as long as the link."""

    def end_session(self) -> None:
        super().end_session()
        self.connection.device.keystore.bonds.clear()  # type: ignore[union-attr]


class FailsInBurst(Watch):
    """Two notifications that wait are too many, and it starts again."""

    def announced(self, source: Source) -> None:
        super().announced(source)
        if len(self.session.waiting) > 1:
            asyncio.create_task(self.connection.disconnect())


class ClearsEverything(Watch):
    """What was read is dismissed on the phone."""

    async def fetched(self, source: Source, values: dict[int, bytes]) -> None:
        await self.write(b"\2" + struct.pack("<I", source.uid) + b"\1")


class AsksForShortInterval(Watch):
    """The shortest interval that Bluetooth has."""

    async def ask_for_parameters(self, connection: device.Connection) -> None:
        await self.ask(connection, 7.5, 15)


class HidesItsIdentity(Watch):
    """It advertises with a random address, and distributes a public one."""

    def identity_type(self) -> pairing.PairingConfig.AddressType:
        return pairing.PairingConfig.AddressType.PUBLIC


@dataclass
class Fault:
    """A fault, and how a bench finds it."""

    variant: type[Watch]
    requirement: str
    """The requirement that must be named."""
    limit: int
    """Seconds of a run within which it shows. The benches run side by side, so what is below the longest costs less time
    than a second attempt."""
    seen: str = ""
    """Where it was seen."""
    scenario: str = "conformance"

    @property
    def name(self) -> str:
        """As the command line has it."""
        return self.variant.__name__


FAULTS = [
    Fault(ReversesIdentifiers, "R1", 25, "ZSWatch #115, #123: another UID than the announced one"),
    Fault(SwapsMaxima, "R1", 25),
    Fault(OmitsMaxima, "R25", 25),
    Fault(OmitsTerminator, "R35", 25),
    Fault(WritesWithoutResponse, "R21", 25),
    Fault(SubscribesInWrongOrder, "S3", 25, "BTstack, ancs_client.c"),
    Fault(KnowsNoServiceChanged, "R5", 90, "BTstack, ancs_client.c; InfiniTime #910"),
    Fault(IgnoresServiceChanged, "R5", 55),
    Fault(TakesZeroForNone, "S18", 30),
    Fault(HasSignedIdentifiers, "S18", 45, scenario="decades-of-uids"),
    Fault(KeepsIdentifiers, "R51", 55, "tether: the state of a session is not cleared"),
    Fault(FetchesWhatIsRemoved, "R19", 30, "BTstack, ancs_client.c"),
    Fault(KnowsFiveFlags, "S14", 60, "ancs-bridge, on iOS 26.6"),
    Fault(KnowsTwelveCategories, "S15", 60, "ancs-bridge, on iOS 26.6"),
    Fault(IgnoresModified, "S22", 90),
    Fault(FetchesTwice, "R55", 25),
    Fault(ForgetsNames, "R56", 25),
    Fault(AssumesOrder, "R32", 30),
    Fault(TakesFirstValue, "R31", 75),
    Fault(SendsTwoAtOnce, "S4", 45, "BTstack, ancs_client.c; ancs4linux"),
    Fault(EndsWithRefusal, "S28", 30, "PebbleOS c6517fbd0"),
    Fault(EndsWithLostAnswer, "S26", 55, "PebbleOS #1565"),
    Fault(NeedsNames, "S23", 30, "blueferry, tether: they wait for a name"),
    Fault(Hammers, "S1", 55, "Bangle.js: a failed fetch is repeated without end"),
    Fault(GivesUpWithoutConsent, "S1", 60, "PebbleOS #2093"),
    Fault(ForgetsBonds, "S30", 90, scenario="reconnect"),
    Fault(FailsInBurst, "R53", 30, "PebbleOS 3c666efca: out of memory"),
    Fault(ClearsEverything, "R48", 25),
    Fault(AsksForShortInterval, "L1", 25),
    Fault(HidesItsIdentity, "S33", 30),
]

if __name__ == "__main__":
    sys.exit(watch.main({fault.name: fault.variant for fault in FAULTS}))
