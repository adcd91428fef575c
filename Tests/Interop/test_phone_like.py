"""The capture of a phone that is not ours becomes a phone of ours, which does the same."""

from __future__ import annotations

import asyncio
import json
import pathlib
import sys
from typing import Any

from harness import BINARY, HERE, InteropTest, Peer, Record
from test_capture import decode

PAUSE = 0.5
"""Between what happens to a phone: longer than an accessory takes to ask at our phone's intervals."""

SHOWN = ("app", "category", "title", "subtitle", "message")
"""What an accessory shows of a notification."""
DIFFERENT = {
    "R5": "the accessory did not look for Service Changed, so that the capture does not say whether there is one",
    "R31": "the accessory asks at once, and our phone may not have sent the rest of an answer by then",
    "R48": "a capture does not show what the user pressed",
    "S4": "the accessory asks at once, and one phone may have answered by then and the other not",
}
"""What may differ between a capture of Bumble's phone and a bench, and why."""


def shown(records: list[Record]) -> list[tuple[Any, ...]]:
    """What an accessory showed, in its order."""
    return [
        (record["event"], "preExisting" in record["flags"], *(record.get(name) for name in SHOWN))
        for record in records
        if record["event"] in ("added", "modified", "removed")
    ]


class PhoneLike(InteropTest):
    """Bumble's phone, and what its captures are good for."""

    @property
    def captures(self) -> dict[str, pathlib.Path]:
        """The capture of each side."""
        return {side: self.lab.directory / f"{side}.btsnoop" for side in ("phone", "accessory")}

    async def day(self, *program: str) -> None:
        """What happens to a phone on some day, with our accessory or another program."""
        await self.lab.start_controllers()
        phone = await self.lab.start_phone("--snoop", str(self.captures["phone"]))
        if program:
            words = [word.replace("{hci}", self.lab.accessory_moniker) for word in program]
            accessory = await self.lab.start("program", *words)
        else:
            accessory = await self.lab.start_accessory("--snoop", str(self.captures["accessory"]))
        await self.subscribe(phone)

        async def tell(verb: str, **fields: Any) -> None:
            phone.tell(verb, **fields)
            await asyncio.sleep(PAUSE)

        await tell("post", title="Lunch", message="About Lunch")
        await tell("post", tag="mail", title="Loading…", app="com.apple.mobilemail", category=6)
        await tell("modify", tag="mail", title="Report 通知", message="Attached 📎 " + "." * 300)
        phone.tell("fault", fragment=7)
        await tell("post", title="In pieces", subtitle="Today", silent=True)
        phone.tell("fault", delay=3)
        await tell("post", title="Late")
        await asyncio.sleep(3)
        await tell("ring", tag="call", title="+44 20 7946 0958")
        await tell("remove", tag="call")
        phone.tell("disconnect", reconnect=True)
        await phone.expect("disconnected")
        phone.forget()
        await self.subscribe(phone)
        # What is there already is read again, which takes our phone longer.
        await asyncio.sleep(4 * PAUSE)
        await tell("post", title="Dinner", message="About Dinner")
        await accessory.terminate()
        await phone.expect("disconnected")
        await phone.terminate()

    async def scenario(self, capture: pathlib.Path, *options: str) -> pathlib.Path:
        """The scenario of a capture."""
        path = capture.with_suffix(".json")
        path.unlink(missing_ok=True)
        status, _, errors = await decode(str(capture), "--scenario", str(path), *options)
        self.assertEqual((status, errors), (0, ""))
        return path

    async def demo(self, scenario: pathlib.Path) -> list[Record]:
        """What our accessory says when our phone plays a scenario."""
        command = (*BINARY, "demo", "--json", "--scenario", str(scenario))
        demo = await self.lab.start("demo", *command)
        self.assertEqual(await demo.status(), 0, demo.report())
        return [record for record in demo.records if record.get("side") == "accessory"]

    async def test_a_phone_of_another_stack_can_be_had_again(self) -> None:
        await self.day()
        (accessory,) = [peer for peer in self.lab.peers if peer.name == "accessory"]
        wanted = shown([record for record in accessory.records if "event" in record])
        for side, capture in self.captures.items():
            with self.subTest(side):
                scenario = await self.scenario(capture)
                self.assertEqual(shown(await self.demo(scenario)), wanted, scenario.read_text())
            with self.subTest(side + ", redacted"):
                redacted = capture.with_suffix(".redacted")
                status, _, errors = await decode(str(capture), "--redact", str(redacted))
                self.assertEqual((status, errors), (0, ""))
                again = shown(await self.demo(await self.scenario(redacted)))
                self.assertEqual([record[0] for record in again], [record[0] for record in wanted])
        await self.finish()

    async def grade(self, *program: str) -> tuple[set[str], set[str]]:
        """The requirements that an accessory breaks with that phone, and with the phone of its capture."""
        words = [word.replace("{dir}", str(self.lab.directory / "state")) for word in program]
        await self.day(*words)
        capture = str(self.captures["phone"])
        status, output, errors = await decode("--json", capture)
        self.assertEqual((status, errors), (0, ""))
        seen = [json.loads(line) for line in output.splitlines()]
        like = [word.replace("{hci}", "tcp-client:{tcp}") for word in program]
        command = (*BINARY, "bench", "--json", "--limit", "120", "--like", capture, "--", *like)
        bench = await self.lab.start("bench", *command)
        status = await bench.status()
        graded = bench.all("requirement")
        broken = {one["requirement"] for one in graded if one["result"] == "failed"}
        self.assertEqual(status, 1 if broken else 0, bench.report())
        return {one["requirement"] for one in seen if one.get("verdict") == "broken"}, broken

    async def test_it_grades_our_accessory_as_that_phone_did(self) -> None:
        ours = [*BINARY, "receive", "--state", "{dir}", "--name", "Watch", "--hci", "{hci}"]
        self.assertEqual(await self.grade(*ours), (set(), set()))

    async def test_it_grades_bumbles_accessory_as_that_phone_did(self) -> None:
        seen, broken = await self.grade(sys.executable, str(HERE / "accessory.py"), "receive", "--hci", "{hci}")
        self.assertIn("S3", seen)
        self.check(seen, broken)

    async def test_it_grades_a_bad_accessory_as_that_phone_did(self) -> None:
        seen, broken = await self.grade(sys.executable, str(HERE / "bad_accessory.py"), "--hci", "{hci}")
        self.assertLessEqual({"R24", "R25"}, seen)
        self.check(seen, broken)

    def check(self, seen: set[str], broken: set[str]) -> None:
        """What the capture shows is what the bench finds."""
        self.assertLessEqual(seen ^ broken, set(DIFFERENT))
