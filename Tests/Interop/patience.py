"""How Bumble's hosts reach a controller that mixes up the order of events and data.

Bumble 0.0.236 takes the order literally: it drops data of a connection whose event has not come, and
refuses keys that are ahead of Encryption Change. With `ANCS_INTEROP_ORDER=usb`, its data therefore
wait until every event that was sent before them has come. Ours get all packets as they come.
"""

from __future__ import annotations

import asyncio
import collections
import os
from typing import Any

from bumble import hci, transport

DELAY = 0.04
"""Seconds; `ancs controllers --order usb` lets an event be 0.03 s behind."""


class PatientSink:
    """Passes events on at once, and data after a delay, in their order."""

    def __init__(self, sink: Any) -> None:
        self.sink = sink
        self.waiting: collections.deque[bytes] = collections.deque()

    def on_packet(self, packet: bytes) -> None:
        """A packet of the controller."""
        if packet[0] != hci.HCI_ACL_DATA_PACKET:
            self.sink.on_packet(packet)
            return
        self.waiting.append(packet)
        asyncio.get_running_loop().call_later(DELAY, self.release)

    def release(self) -> None:
        """The time of the oldest packet is over."""
        self.sink.on_packet(self.waiting.popleft())

    def on_transport_lost(self) -> None:
        """The controller is gone."""
        if hasattr(self.sink, "on_transport_lost"):
            self.sink.on_transport_lost()


async def open_transport(moniker: str) -> transport.Transport:
    """Bumble's transport to a controller."""
    opened = await transport.open_transport(moniker)
    if os.environ.get("ANCS_INTEROP_ORDER") == "usb":
        set_packet_sink = opened.source.set_packet_sink
        opened.source.set_packet_sink = lambda sink: set_packet_sink(PatientSink(sink))
    return opened
