#!/usr/bin/env python3
"""Stands in for systemd on a private bus: activator.py ADDRESS prints the unit that the bus asks it to start, and ends.

The bus of --systemd-activation sends ActivationRequest to the owner of org.freedesktop.systemd1. The protocol is that of
the D-Bus Specification 0.43, "Message Protocol" and "Authentication Protocol"; only as much of it as this needs is here.
"""

from __future__ import annotations

import os
import socket
import struct
import sys


def padded(octets: bytes, size: int) -> bytes:
    """The octets, up to a multiple of `size`."""
    return octets + bytes(-len(octets) % size)


def text(value: str) -> bytes:
    """A STRING."""
    return struct.pack("<I", len(value.encode())) + value.encode() + b"\0"


class Bus:
    """A connection to a bus."""

    def __init__(self, address: str) -> None:
        path = dict(part.split("=", 1) for part in address.split(",")[0].split(":", 1)[1].split(","))["path"]
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.socket.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
        if not self.socket.recv(1024).startswith(b"OK"):
            sys.exit("activator.py: the bus refuses the connection")
        self.socket.sendall(b"BEGIN\r\n")
        self.serial = 0

    def call(self, member: str, signature: str = "", body: bytes = b"") -> None:
        """Calls a method of the bus."""
        self.serial += 1
        name = "org.freedesktop.DBus"
        fields = b""
        for code, kind, value in (
            (1, b"o", text("/org/freedesktop/DBus")), (2, b"s", text(name)), (3, b"s", text(member)),
            (6, b"s", text(name)), (8, b"g", bytes([len(signature)]) + signature.encode() + b"\0"),
        ):
            if code != 8 or signature:
                fields = padded(fields, 8) + bytes([code, 1]) + kind + b"\0" + value
        head = struct.pack("<cBBBIII", b"l", 1, 0, 1, len(body), self.serial, len(fields))
        self.socket.sendall(padded(head + fields, 8) + body)

    def message(self) -> tuple[bytes, bytes]:
        """The header's fields and the body of the next message."""
        head = self.read(16)
        length, _, count = struct.unpack("<III", head[4:])
        fields = self.read(count + -count % 8)
        return fields, self.read(length)

    def read(self, count: int) -> bytes:
        """So many octets."""
        octets = b""
        while len(octets) < count:
            part = self.socket.recv(count - len(octets))
            if not part:
                sys.exit("activator.py: the bus has ended the connection")
            octets += part
        return octets


def main() -> None:
    """Waits for one request."""
    bus = Bus(sys.argv[1])
    bus.call("Hello")
    bus.call("RequestName", "su", padded(text("org.freedesktop.systemd1"), 4) + struct.pack("<I", 4))
    while True:
        fields, body = bus.message()
        if b"ActivationRequest\0" in fields:
            length = struct.unpack("<I", body[:4])[0]
            print(body[4 : 4 + length].decode(), flush=True)
            return


main()
