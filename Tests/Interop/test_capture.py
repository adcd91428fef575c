"""Captures of both ends, and the story that `ancs decode` tells of them."""

from __future__ import annotations

import asyncio
import json
import pathlib

import schemas
from harness import BINARY, DEADLINE, ROOT, InteropTest, Peer, Record


async def decode(*arguments: str) -> tuple[int, str, str]:
    """Runs `ancs decode`: its status, output and diagnostics."""
    process = await asyncio.create_subprocess_exec(
        *BINARY,
        "decode",
        *arguments,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=ROOT,
    )
    output, errors = await asyncio.wait_for(process.communicate(), DEADLINE)
    assert process.returncode is not None
    if "--json" in arguments:
        for line in output.decode().splitlines():
            assert schemas.complaints("decode", json.loads(line)) == [], line
    return process.returncode, output.decode(), errors.decode()


class Captures(InteropTest):
    """What happened, told by the captures of the phone and of the accessory."""

    async def start_recorded(
        self, *arguments: str, accessory: tuple[str, ...] = ()
    ) -> tuple[Peer, Peer]:
        """A phone and an accessory that both write captures."""
        return await self.connect(
            *("--snoop", str(self.phone_capture)),
            *arguments,
            accessory=("--snoop", str(self.accessory_capture), *accessory),
        )

    @property
    def phone_capture(self) -> pathlib.Path:
        return self.lab.directory / "phone.btsnoop"

    @property
    def accessory_capture(self) -> pathlib.Path:
        return self.lab.directory / "accessory.btsnoop"

    async def story(self, path: pathlib.Path) -> list[Record]:
        """The happenings of a whole capture."""
        status, output, errors = await decode("--json", str(path))
        self.assertEqual((status, errors), (0, ""))
        return [json.loads(line) for line in output.splitlines()]

    @staticmethod
    def of(story: list[Record], kind: str, **fields: object) -> list[Record]:
        """The values of a characteristic, or the other events of a kind, with these fields."""
        return [
            record
            for record in story
            if kind in (record.get("kind"), record.get("event"))
            and all(record.get(name) == value for name, value in fields.items())
        ]

    async def test_both_captures_tell_what_happened(self) -> None:
        phone, accessory = await self.start_recorded()
        await self.subscribe(phone)
        phone.tell("post", tag="mail", title="Loading…", positive="Reply")
        await accessory.expect("added", uid=0, title="Loading…")
        phone.tell("modify", tag="mail", title="Report", message="Attached 📎")
        await accessory.expect("modified", uid=0)
        accessory.write("perform 0 positive")
        await phone.expect("action")
        phone.tell("fault", att_error=0xA2)
        phone.tell("post", title="Gone")
        await phone.expect("refused", error=0xA2)
        phone.tell("remove", tag="mail")
        await accessory.expect("removed", uid=0)
        await accessory.terminate()
        await phone.expect("disconnected")
        await phone.terminate()
        for path, side in ((self.accessory_capture, "remote"), (self.phone_capture, "local")):
            with self.subTest(side):
                self.check(await self.story(path), side)
        await self.finish()

    def check(self, story: list[Record], side: str) -> None:
        """The story of the test above."""
        (connected,) = self.of(story, "connected")
        self.assertEqual(connected["role"], "peripheral" if side == "remote" else "central")
        (paired,) = self.of(story, "paired")
        self.assertEqual((paired["method"], paired["secureConnections"]), ("justWorks", True))
        self.assertEqual(self.of(story, "secured")[0]["key"], "new")
        (handles,) = self.of(story, "handles")
        self.assertEqual((handles["side"], handles["origin"]), (side, "discovered"))
        events = [(r["event"], r["uid"]) for r in self.of(story, "notificationSource")]
        self.assertEqual(events, [("added", 0), ("modified", 0), ("added", 1), ("removed", 0)])
        titles = [
            attribute["value"]
            for answer in self.of(story, "dataSource", uid=0)
            for attribute in answer["attributes"]
            if attribute["name"] == "title"
        ]
        self.assertEqual(titles, ["Loading…", "Report"])
        (action,) = self.of(story, "commandResult", result="performed")
        self.assertEqual((action["uid"], action["action"]), (0, "positive"))
        (refused,) = self.of(story, "commandResult", result="refused")
        self.assertEqual((refused["uid"], refused["attError"]), (1, 0xA2))
        self.assertEqual(self.of(story, "unanswered"), [])
        self.assertEqual(len(self.of(story, "disconnected")), 1)
        self.assertEqual(story[-1]["complete"], True)

    async def test_an_answer_that_stops_is_told_as_incomplete(self) -> None:
        phone, accessory = await self.start_recorded()
        await self.subscribe(phone)
        phone.tell("fault", disconnect_after=20)
        phone.tell("post", title="Torn", message="About Torn")
        await phone.expect("disconnected")
        await accessory.expect("disconnected")
        await accessory.terminate()
        story = await self.story(self.accessory_capture)
        torn = self.of(story, "dataSource", uid=0)[0]
        self.assertEqual(torn["complete"], False)
        await self.finish()

    async def test_a_phone_that_comes_back_keeps_its_handles(self) -> None:
        phone, accessory = await self.start_recorded("--database-hash")
        await self.subscribe(phone)
        await self.exchange(phone, accessory, "Before")
        phone.tell("disconnect")
        await phone.expect("disconnected")
        await self.subscribe(phone)
        await self.exchange(phone, accessory, "After")
        await accessory.terminate()
        story = await self.story(self.accessory_capture)
        self.assertEqual([r["connection"] for r in self.of(story, "handles")], [1, 2])
        self.assertEqual([r["key"] for r in self.of(story, "secured")], ["new", "stored"])
        # What was there before is announced again in the new session.
        added = self.of(story, "notificationSource", event="added")
        self.assertEqual([r["session"] for r in added], [1, 2, 2])
        await self.finish()

    async def test_two_hundred_notifications_are_all_told(self) -> None:
        phone, accessory = await self.start_recorded(accessory=("--count", "200"))
        await self.subscribe(phone)
        phone.tell("flood", count=200)
        self.assertEqual(await accessory.status(), 0)
        status, text, _ = await decode(str(self.accessory_capture))
        self.assertEqual(status, 0)
        lines = text.splitlines()
        for uid in range(200):
            for mark in "+=":
                self.assertEqual(
                    sum(f"    {mark} uid {uid} · " in line for line in lines), 1, f"{mark} {uid}"
                )
        self.assertIn("200 added", text)
        await self.finish()

    async def test_a_cut_capture_is_told_up_to_the_cut(self) -> None:
        phone, accessory = await self.start_recorded()
        await self.subscribe(phone)
        await self.exchange(phone, accessory, "Whole")
        await accessory.terminate()
        whole = self.accessory_capture.read_bytes()
        cut = self.lab.directory / "cut.btsnoop"
        cut.write_bytes(whole[:-5])
        status, output, errors = await decode("--json", str(cut))
        self.assertEqual(status, 1)
        self.assertIn("the file is truncated: ", errors)
        told = [json.loads(line) for line in output.splitlines()]
        self.assertTrue(self.of(told, "dataSource", uid=0))
        self.assertEqual(told[-1]["complete"], False)

    async def test_another_file_is_refused(self) -> None:
        other = self.lab.directory / "other.pcap"
        other.write_bytes(bytes.fromhex("d4c3b2a1020004000000000000000000ffff0000fb000000"))
        status, output, errors = await decode(str(other))
        self.assertEqual((status, output), (2, ""))
        self.assertIn("a sniffer's capture", errors)
