"""A program that waits has one thread."""

from __future__ import annotations

import pathlib

from harness import InteropTest, Peer


def threads(peer: Peer) -> list[str]:
    """The names of a process's threads."""
    tasks = pathlib.Path(f"/proc/{peer.process.pid}/task").iterdir()
    return [(task / "comm").read_text().strip() for task in tasks]


class OneThread(InteropTest):
    """The loop runs on the first thread, and Swift's pool, which wakes up every second, is never started."""

    async def test_a_phone_and_an_accessory_in_a_session(self) -> None:
        await self.lab.start_controllers()
        phone = await self.lab.start_own_phone()
        accessory = await self.lab.start_accessory()
        await accessory.expect("session", state="started")
        phone.write("post Messages Ada Lunch")
        await accessory.expect("added", title="Ada")
        for peer in (phone, accessory):
            with self.subTest(peer.name):
                self.assertEqual(threads(peer), ["ancs"])
        await self.finish()
