"""The rules of Documentation/Advertising.md, checked on what Bumble heard on air."""

from __future__ import annotations

from typing import Any

BASE = bytes.fromhex("00001000800000805f9b34fb")
LISTS = {0x02: 2, 0x03: 2, 0x04: 4, 0x05: 4, 0x06: 16, 0x07: 16}
INCOMPLETE = (0x02, 0x04, 0x06)
SHORTENED_NAME, COMPLETE_NAME = 0x08, 0x09
MANUFACTURER = 0xFF
FLAGS, SOLICITED_128 = 0x01, 0x15
MASK = (1 << 64) - 1

Structures = list[tuple[int, bytes]]


def long_form(uuid: str) -> bytes:
    """The 16 octets of a UUID, as it is written."""
    digits = uuid.replace("-", "")
    return bytes.fromhex(digits.rjust(8, "0")) + BASE if len(digits) <= 8 else bytes.fromhex(digits)


def width(uuid: bytes) -> int:
    """How many octets a UUID takes on air."""
    if uuid[4:] != BASE:
        return 16
    return 2 if uuid[:2] == b"\0\0" else 4


def bits(uuid: bytes) -> set[int]:
    """The bits that a UUID sets in the overflow area."""
    state = 0xCBF29CE484222325
    for octet in uuid:
        state = (state ^ octet) * 0x100000001B3 & MASK
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        state = (state ^ state >> 33) * factor & MASK
    state ^= state >> 33
    found = set()
    for _ in range(7):
        state, bit = divmod(state, 112)
        found.add(bit)
    return found


def parse(record: dict[str, Any]) -> Structures:
    """The structures of a PDU, as Bumble's parser understood it."""
    return [(kind, bytes.fromhex(data)) for kind, data in record["structures"]]


class Air:
    """What is on air of an advertiser."""

    def __init__(self, data: dict[str, Any], response: dict[str, Any] | None) -> None:
        self.octets = bytes.fromhex(data["octets"])
        self.response_octets = bytes.fromhex(response["octets"]) if response else b""
        self.data = parse(data)
        self.response = parse(response) if response else []

    def lists(self, structures: Structures) -> list[bytes]:
        """The service UUIDs in lists."""
        found = []
        for kind, data in structures:
            size = LISTS.get(kind)
            if size is None:
                continue
            for start in range(0, len(data), size):
                octets = data[start : start + size][::-1]
                found.append(octets if size == 16 else octets.rjust(4, b"\0") + BASE)
        return found

    def names(self, structures: Structures) -> Structures:
        """The local names."""
        return [item for item in structures if item[0] in (SHORTENED_NAME, COMPLETE_NAME)]

    def overflow(self) -> list[bytes]:
        """The overflow areas, without header, company and marker."""
        return [
            data[3:]
            for kind, data in self.data + self.response
            if kind == MANUFACTURER and data[:3] == b"\xff\xff\x4f"
        ]

    def faults(
        self, name: str, services: list[str], solicited: list[str], background: bool
    ) -> list[str]:
        """What is not as it should be."""
        faults = []

        def rule(text: str, holds: bool) -> None:
            if not holds:
                faults.append(text)

        wanted = [long_form(uuid) for uuid in services]
        in_data = self.lists(self.data)
        missing = [uuid for uuid in wanted if uuid not in in_data]
        rule("31 octets", len(self.octets) <= 31 and len(self.response_octets) <= 31)
        rule("flags first", self.data[0] == (FLAGS, b"\x06"))
        rule("flags once", [kind for kind, _ in self.data + self.response].count(FLAGS) == 1)
        asked = b"".join(data for kind, data in self.data if kind == SOLICITED_128)
        rule("solicitation", asked == b"".join(long_form(uuid)[::-1] for uuid in solicited))
        rule("no list in the scan response", not self.lists(self.response))
        rule("each UUID once, in order", sorted(in_data, key=width) == in_data)
        rule("the app's UUIDs", set(in_data) <= set(wanted) and len(set(in_data)) == len(in_data))
        free = 28 - sum(18 for _ in solicited)
        fit, used = [], set()
        for uuid in [] if background else wanted:
            cost = width(uuid) + (0 if width(uuid) in used else 2)
            if cost <= free:
                free -= cost
                used.add(width(uuid))
                fit.append(uuid)
        rule("first fit", set(in_data) == set(fit))
        for kind, _ in self.data:
            if kind in LISTS:
                lacks = any(width(uuid) == LISTS[kind] for uuid in missing)
                rule("incomplete lists say so", (kind in INCOMPLETE) == lacks)
        areas = self.overflow()
        expected = set().union(*map(bits, missing)) if missing else set()
        found = {bit for area in areas for bit in range(112) if area[bit // 8] >> bit % 8 & 1}
        rule("overflow", len(areas) == (1 if missing else 0) and found == expected)
        self.check_name(rule, "" if background else name, free)
        return faults

    def check_name(self, rule: Any, name: str, free: int) -> None:
        """The name is where it should be."""

        def beginning(limit: int) -> bytes:
            return name.encode()[: max(0, limit)].decode(errors="ignore").encode()

        def shown(part: bytes) -> Structures:
            kind = COMPLETE_NAME if part.decode() == name else SHORTENED_NAME
            return [(kind, part)] if part else []

        first, more = beginning(free - 2), beginning(10)
        rule("name", self.names(self.data) == shown(first))
        rule(
            "more of the name, or nothing",
            self.names(self.response) == (shown(more) if len(more) > len(first) else []),
        )
