"""Makes a long btsnoop capture of a short one: its records again and again, each round where the last ended.

`long_capture.py SHORT LONG MEGABYTES`. Every round is a connection of its own, with pairing, discovery and
notifications, so that a reader that forgets nothing grows with it.
"""

from __future__ import annotations

import pathlib
import struct
import sys

HEADER = 16
RECORD = struct.Struct(">IIIIQ")


def records(octets: bytes) -> list[tuple[bytes, int, bytes]]:
    """The lengths, flags and drops of each record, its time, and its packet."""
    found = []
    place = HEADER
    while place < len(octets):
        _, included, _, _, stamp = RECORD.unpack_from(octets, place)
        end = place + RECORD.size + included
        found.append((octets[place : place + 16], stamp, octets[place + RECORD.size : end]))
        place = end
    return found


def lengthen(short: bytes, megabytes: int) -> bytes:
    """The capture that has at least so many megabytes."""
    once = records(short)
    span = once[-1][1] - once[0][1] + 1_000_000
    long = bytearray(short[:HEADER])
    moved = 0
    while len(long) < megabytes * 1_000_000:
        for head, stamp, packet in once:
            long += head + struct.pack(">Q", stamp + moved) + packet
        moved += span
    return bytes(long)


if __name__ == "__main__":
    short_path, long_path, size = sys.argv[1:]
    pathlib.Path(long_path).write_bytes(lengthen(pathlib.Path(short_path).read_bytes(), int(size)))
