"""A player of a desktop on a session bus, as MPRIS has it: one that behaves, or one that does not.

  --kind well    it plays, and does what it is told
         hung    it takes its calls, and answers none until `proceed`
         liar    it says that it is playing, and has no player to pause
         huge    its metadata have 10 MB, in each signal

On standard input: `use {"status": S}`, `proceed`. It says: ready, call.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from typing import Any

from jeepney import HeaderFields, Message, MessageType, new_error, new_method_return, new_signal
from jeepney.bus_messages import message_bus
from jeepney.io.asyncio import DBusConnection, open_dbus_connection
from jeepney.wrappers import DBusAddress

from program import run_until_signal

PATH = "/org/mpris/MediaPlayer2"
PLAYER = "org.mpris.MediaPlayer2.Player"
PROPERTIES = "org.freedesktop.DBus.Properties"
UNKNOWN = "org.freedesktop.DBus.Error.UnknownMethod"


def emit(event: str, **fields: Any) -> None:
    """Says what happened."""
    print(json.dumps({"event": event, **fields}), flush=True)


class Player:
    """One player with one name."""

    def __init__(self, bus: DBusConnection, kind: str, status: str) -> None:
        self.bus = bus
        self.kind = kind
        self.status = status
        self.waiting: list[Message] = []

    async def set(self, status: str) -> None:
        """Changes what it does, and says so."""
        self.status = status
        changed: dict[str, Any] = {"PlaybackStatus": ("s", status)}
        if self.kind == "huge":
            picture = {"mpris:artUrl": ("s", "data:," + "x" * 10_485_760)}
            await self.signal({"Metadata": ("a{sv}", picture)})
        await self.signal(changed)

    async def signal(self, changed: dict[str, Any]) -> None:
        """Sends PropertiesChanged."""
        address = DBusAddress(PATH, interface=PROPERTIES)
        await self.bus.send(new_signal(address, "PropertiesChanged", "sa{sv}as", (PLAYER, changed, [])))

    async def answer(self, call: Message) -> None:
        """Does what a call asks for."""
        member = call.header.fields[HeaderFields.member]
        if member == "Get" and call.body == (PLAYER, "PlaybackStatus"):
            await self.bus.send(new_method_return(call, "v", (("s", self.status),)))
            return
        emit("call", member=member)
        if member not in ("Play", "Pause") or self.kind == "liar":
            await self.bus.send(new_error(call, UNKNOWN))
            return
        await self.set("Playing" if member == "Play" else "Paused")
        await self.bus.send(new_method_return(call))

    async def obey(self, command: dict[str, Any]) -> None:
        """Does what standard input says."""
        if command["do"] == "use":
            await self.set(command["status"])
        elif command["do"] == "proceed":
            self.kind = "well"
            for call in self.waiting:
                await self.answer(call)
            self.waiting = []
        elif command["do"] == "hang":
            self.kind = "hung"

    async def serve(self) -> None:
        """Answers calls until the bus ends."""
        while True:
            message = await self.bus.receive()
            if message.header.message_type != MessageType.method_call:
                continue
            if self.kind == "hung":
                self.waiting.append(message)
            else:
                await self.answer(message)


async def read_commands(player: Player) -> None:
    """Passes on what standard input says."""
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    async for line in reader:
        await player.obey(json.loads(line))


async def main() -> None:
    """One player, until a signal ends it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("name")
    parser.add_argument("--kind", choices=["well", "hung", "liar", "huge"], default="well")
    parser.add_argument("--status", default="Playing")
    parser.add_argument("--queue", action="store_true", help="wait for the name, which another player has")
    options = parser.parse_args()
    bus = await open_dbus_connection("SESSION")
    flags = 0 if options.queue else 4
    await bus.send(message_bus.RequestName(f"org.mpris.MediaPlayer2.{options.name}", flags))
    while (await bus.receive()).header.message_type != MessageType.method_return:
        pass
    player = Player(bus, options.kind, options.status)
    emit("ready", owner=bus.unique_name)
    await asyncio.gather(player.serve(), read_commands(player))


if __name__ == "__main__":
    asyncio.run(run_until_signal(main()))
