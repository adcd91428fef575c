"""The media of a phone: `media-conformance` and its parts, against a careful accessory made of Bumble, against one with
one fault each, and against Bumble's own client of the Apple Media Service."""

from __future__ import annotations

import json
import pathlib
import re
import struct
import sys
from typing import Any

from harness import BINARY, DEADLINE, HERE, ROOT, InteropTest, Peer

PARTS = sorted(path.stem for path in (ROOT / "Scenarios" / "media").glob("*.json"))
KEYS = {"keys": "AllKeys"}
"""The scenarios that want keys which the careful accessory does not press."""
REMOTE_COMMAND = 0x2F
"""The handle of the value of Remote Command: the second behind the declaration of the service, at 0x002D."""


class MediaTests(InteropTest):
    """What a bench says of accessories that use the media."""

    async def start(
        self, scenario: str, variant: str, limit: int, *arguments: str, path: pathlib.Path | None = None
    ) -> Peer:
        """Starts a bench with an accessory."""
        path = path or pathlib.Path(f"Scenarios/{scenario}.json")
        return await self.lab.start(
            f"{scenario} {variant}",
            *(*BINARY, "bench", "--json", "--limit", str(limit), *arguments, str(path)),
            *("--", sys.executable, str(HERE / "media.py"), "--hci", "tcp-client:{tcp}"),
            *("--state", "{dir}", "--fault", variant),
        )

    @staticmethod
    def verdicts(bench: Peer) -> dict[str, list[dict[str, Any]]]:
        """The verdicts about media by their numbers."""
        verdicts: dict[str, list[dict[str, Any]]] = {}
        for record in bench.all("requirement"):
            if record["requirement"].startswith("M"):
                verdicts.setdefault(record["requirement"], []).append(record)
        return verdicts

    async def broken(self, variant: str, limit: int) -> dict[str, list[str]]:
        """The requirements about media that a run finds broken, with their evidence."""
        bench = await self.start("media-conformance", variant, limit)
        self.assertEqual(await bench.status(), 1, bench.report())
        return {
            number: record["evidence"]
            for number, records in self.verdicts(bench).items()
            for record in records
            if record["verdict"] == "broken"
        }

    async def test_a_careful_accessory_keeps_all(self) -> None:
        bench = await self.start("media-conformance", "Media", 600)
        self.assertEqual(await bench.status(), 0, bench.report())
        verdicts = [record for records in self.verdicts(bench).values() for record in records]
        self.assertEqual(len(verdicts), 18)
        self.assertEqual(
            [record["statement"] for record in verdicts if record["verdict"] != "kept"], [], bench.report()
        )
        await self.finish()

    async def test_the_parts(self) -> None:
        self.assertEqual(len(PARTS), 11)
        for part in PARTS:
            bench = await self.start(f"media/{part}", KEYS.get(part, "Media"), 300)
            self.assertEqual(await bench.status(), 0, f"{part}\n{bench.report()}")
        await self.finish()

    async def test_each_planted_fault(self) -> None:
        for variant, number, limit in (
            ("Polls", "M12", 40),
            ("RegistersFirst", "M3", 20),
            ("ReadsBeginnings", "M4", 30),
        ):
            broken = await self.broken(variant, limit)
            self.assertIn(number, broken, variant)
        bench = await self.start("media/returns", "IgnoresReturn", 120)
        self.assertEqual(await bench.status(), 1, bench.report())
        await self.finish()

    async def test_bad_input_is_refused_and_harms_nothing(self) -> None:
        life = {"command": "getNotificationAttributes", "of": "life", "answer": "success"}
        path = self.lab.directory / "hostile.json"
        path.write_text(
            json.dumps(
                {
                    "title": "Hostile",
                    "grade": True,
                    "mtu": 100,
                    "steps": [
                        {"player": {"name": "Music"}},
                        {"track": {"title": "Note G"}},
                        {"wait": "subscribed"},
                        {"expect": {"registered": "title"}, "within": DEADLINE},
                        {"post": {"as": "life", "title": "Still there"}},
                        {"expect": life, "within": DEADLINE},
                    ],
                }
            )
        )
        bench = await self.start("hostile", "Hostile", 120, path=path)
        self.assertEqual(await bench.status(), 1, bench.report())
        (result,) = bench.all("result")
        self.assertEqual(result["passed"], result["steps"], bench.report())
        broken = {
            record["requirement"]
            for record in bench.all("requirement")
            if record["verdict"] == "broken"
        }
        self.assertEqual(broken, {"M3", "M7", "M8", "M13"}, bench.report())
        (codes,) = (line for record in bench.all("output") for line in record["lines"] if "early" in line)
        # 0xA0 before the subscription; afterwards 0xA1, one write that is too long (0x0D or a full queue), and 0xA2.
        self.assertRegex(codes, r"early a0a0a0 late a1a1a1a1(09|0d|07)a1a1a1a1a1a1a0a2a0$")
        await self.finish()

    async def test_bumbles_client_takes_the_list_as_an_addition(self) -> None:
        bench = await self.start(
            "media-conformance", "BumbleClient", 50, "--snoop", str(self.lab.directory)
        )
        self.assertEqual(await bench.status(), 1, bench.report())
        (record,) = self.verdicts(bench)["M2"][:1]
        self.assertEqual(record["verdict"], "broken", bench.report())
        self.assertRegex(record["evidence"][0], r"nextTrack arrived, which the list of at .* has not")
        # This version reads one value at a time.
        (reads,) = self.verdicts(bench)["M5"]
        self.assertEqual(reads["verdict"], "kept", bench.report())
        self.check_capture(record["evidence"][0])
        await self.finish()

    def check_capture(self, evidence: str) -> None:
        """The capture of the run has the command that the evidence is about, after a list without it."""
        (path,) = (path for path in self.lab.directory.rglob("*phone*.btsnoop"))
        lists, refused = [], []
        for value, opcode in self.attributes(path):
            if opcode == 0x1B:
                lists.append(value)
            elif opcode == 0x12 and lists and value[0] not in lists[-1]:
                refused.append((value, lists[-1], lists[:-1]))
        self.assertTrue(refused, evidence)
        value, last, before = refused[0]
        self.assertEqual(value, b"\x03")
        self.assertEqual(last, bytes([0, 1, 2, 5, 6]))
        self.assertIn(bytes(range(11)), before)

    @staticmethod
    def attributes(path: pathlib.Path) -> list[tuple[bytes, int]]:
        """The values of Remote Command in a btsnoop file of H4 packets, each with the opcode of its PDU."""
        data, position, found = path.read_bytes(), 16, []
        while position + 24 <= len(data):
            (length,) = struct.unpack(">I", data[position + 4 : position + 8])
            packet = data[position + 24 : position + 24 + length]
            position += 24 + length
            # ACL data on the attribute channel: type, handle, two lengths, channel 4.
            if packet[:1] == b"\x02" and packet[7:9] == b"\x04\x00" and len(packet) >= 12:
                opcode, handle = packet[9], struct.unpack("<H", packet[10:12])[0]
                if opcode in (0x12, 0x1B) and handle == REMOTE_COMMAND:
                    found.append((packet[12:], opcode))
        return found

    async def test_bumbles_client_with_a_task_for_each_value_mixes_them_up(self) -> None:
        broken = await self.broken("BumbleWithTasks", 30)
        self.assertIn("M5", broken)
        self.assertTrue(re.search(r"chose \w+, then \w+, and read twice", broken["M5"][0]), broken)
        await self.finish()
