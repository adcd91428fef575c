"""An accessory and a phone of ours, each a process, on controllers in software: what is measured, or watched."""

from __future__ import annotations

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tests/Interop"))

import harness  # noqa: E402

COUNT = 1000


class Session:
    """`ancs receive` and `ancs phone`; `command` starts the program, perhaps under another one."""

    def __init__(self, command: list[str]) -> None:
        # The controllers are the same program, unwatched.
        harness.BINARY[:] = command[-1:]
        self.command = command
        self.lab = harness.Lab()

    async def start_accessory(self, *wrapper: str) -> harness.Peer:
        """An accessory that a phone can find."""
        await self.lab.start_controllers()
        accessory = await self.lab.start(
            "receive", *wrapper, *self.command, "receive", "--json",
            *("--hci", self.lab.accessory_moniker, "--state", str(self.lab.directory / "accessory")),
        )
        await accessory.expect("pairing", window="open")
        return accessory

    async def start_phone(self, accessory: harness.Peer, *wrapper: str) -> harness.Peer:
        """A phone that has a session with it."""
        phone = await self.lab.start(
            "phone", *wrapper, *self.command, "phone", "--json",
            *("--hci", self.lab.phone_moniker, "--state", str(self.lab.directory / "phone")),
        )
        await accessory.expect("session", state="subscribed")
        return phone

    async def load(self, accessory: harness.Peer, phone: harness.Peer) -> None:
        """Notifications without a pause, each fetched."""
        for number in range(COUNT):
            phone.write(f"post Messages 'Title {number}' 'A message of a few words'")
        await accessory.until(lambda: len(accessory.all("added")) >= COUNT, "all notifications")
