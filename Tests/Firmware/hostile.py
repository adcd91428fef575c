"""Packets that no honest phone or controller sends, all of them whole: H4 keeps its framing."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from lab import ROOT, Relay

ATTRIBUTE_PROTOCOL, SIGNALLING, SECURITY_MANAGER = 4, 5, 6
# What once made the consumer fail.
INPUTS = [path.read_bytes() for path in sorted((ROOT / "Fuzz/Regressions/consumer").iterdir())]


class Hostile:
    """A peer that knows the link and the attributes, and does with them what it likes."""

    def __init__(self, seed: int, relay: Relay) -> None:
        self.random = random.Random(seed)
        self.relay = relay

    def packets(self, count: int) -> Iterator[bytes]:
        """So many packets, one after the other; each knows what the relay has heard by then."""
        kinds: list[Callable[[], bytes]] = [
            self.announcement, self.announcement, self.answer, self.answer, self.attribute_pdu,
            self.attribute_pdu, self.security_pdu, self.signal, self.fragment, self.event,
        ]
        for _ in range(count):
            yield self.random.choice(kinds)()

    def octets(self, most: int) -> bytes:
        """Octets that mean little: random ones, few different ones, or an input of the fuzzer."""
        length = self.random.randint(0, most)
        return self.random.choice([
            self.random.randbytes(length),
            bytes([self.random.choice((0, 1, 0xFF))]) * length,
            self.random.choice(INPUTS)[:length],
        ])

    def acl(self, body: bytes, boundary: int = 2) -> bytes:
        """An ACL packet on the link."""
        handle = (self.relay.link or 0) | boundary << 12
        return b"\x02" + handle.to_bytes(2, "little") + len(body).to_bytes(2, "little") + body

    def pdu(self, channel: int, payload: bytes) -> bytes:
        """A whole PDU of L2CAP."""
        header = len(payload).to_bytes(2, "little") + channel.to_bytes(2, "little")
        return self.acl(header + payload)

    def notification(self, value: bytes) -> bytes:
        """A value of one of the attributes that are notified."""
        handle = self.random.choice(sorted(self.relay.notified) or [1])
        pdu = b"\x1b" + handle.to_bytes(2, "little") + value
        return self.pdu(ATTRIBUTE_PROTOCOL, pdu)

    def announcement(self) -> bytes:
        """A value of the Notification Source, of a notification more."""
        head = bytes([self.random.randrange(4), self.random.randrange(256), self.random.randrange(16), 1])
        return self.notification(head + self.random.randbytes(4))

    def answer(self) -> bytes:
        """Something like an answer on the Data Source."""
        head = self.random.choice([b"\x00", b"\x01", b""])
        return self.notification(head + self.octets(180))

    def attribute_pdu(self) -> bytes:
        """A request, a response or nothing of the kind."""
        return self.pdu(ATTRIBUTE_PROTOCOL, bytes([self.random.randrange(0x24)]) + self.octets(184))

    def security_pdu(self) -> bytes:
        """A part of some pairing."""
        return self.pdu(SECURITY_MANAGER, bytes([self.random.randrange(0x10)]) + self.octets(64))

    def signal(self) -> bytes:
        """A command of L2CAP."""
        return self.pdu(SIGNALLING, bytes([self.random.randrange(0x1B)]) + self.octets(40))

    def fragment(self) -> bytes:
        """A PDU that is not whole, too long, or goes on where none began."""
        return self.acl(self.octets(200), self.random.choice((1, 2)))

    def event(self) -> bytes:
        """An event of the controller; not its end, which is another case."""
        code = self.random.choice((0x05, 0x08, 0x0E, 0x0F, 0x13, 0x30, 0x3E, 0x57, 0xFF))
        body = self.octets(255)
        return bytes([0x04, code, len(body)]) + body
