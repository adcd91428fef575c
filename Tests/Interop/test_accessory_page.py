"""The page about testing accessories, played: what stands there can be typed."""

from __future__ import annotations

import os
import pathlib
import re
import sys
import tarfile
import xml.etree.ElementTree

from harness import BINARY, HERE, ROOT, InteropTest, Peer
from test_contract import path_with_ancs

PAGE = (ROOT / "Documentation/Accessory.md").read_text()
BLOCKS = re.findall(r"^```\w*\n(.*?)^```$", PAGE, re.M | re.S)
OURS = "ancs receive --name Watch --io none --state {dir} --hci tcp-client:{tcp}"


def lines(start: str) -> list[str]:
    """The lines of the page's examples that begin so."""
    return [line for block in BLOCKS for line in block.splitlines() if line.startswith(start)]


class Page(InteropTest):
    """Each example of the page."""

    async def shell(self, command: str) -> Peer:
        """Runs a line as a user's shell does, in a directory of its own."""
        path = path_with_ancs(self.lab.directory)
        words = ("env", "-C", str(self.lab.directory), f"PATH={path}", "bash", "-o", "pipefail", "-c")
        return await self.lab.start("shell", *words, command)

    async def test_each_line_with_a_bench_passes_our_accessory(self) -> None:
        benches = [line for line in lines("ancs bench") if "PROGRAM" in line and "jq" not in line]
        self.assertGreaterEqual(len(benches), 1)
        for line in benches:
            with self.subTest(line=line):
                shell = await self.shell(line.replace("PROGRAM {tcp}", OURS))
                self.assertEqual(await shell.status(), 0, shell.report())
                if match := re.search(r"--junit (\S+)", line):
                    report = xml.etree.ElementTree.parse(self.lab.directory / match[1])
                    self.assertGreater(len(list(report.iter("testcase"))), 60)
                    self.assertEqual(list(report.iter("failure")), [])

    async def test_the_line_that_names_what_to_change_does(self) -> None:
        (line,) = [line for line in lines("ancs bench") if "jq" in line]
        wrong = f"{sys.executable} {HERE}/bad_accessory.py --hci tcp-client:{{tcp}}"
        line = line.replace("PROGRAM {tcp}", wrong).replace(" -- ", " --limit 60 -- ")
        shell = await self.shell(line)
        self.assertEqual(await shell.status(), 1, shell.report())
        self.assertTrue(any(re.match(r"R25 \w+ .*maximum", text) for text in shell.garbage), shell.report())

    async def test_the_command_of_this_project_in_the_table_passes(self) -> None:
        row = re.search(r"\| this project \| `-- (ancs receive [^`]+)` \|", PAGE)
        assert row is not None
        shell = await self.shell(f"ancs bench first-pairing -- {row[1]}")
        self.assertEqual(await shell.status(), 0, shell.report())

    async def test_the_controllers_and_what_uses_them(self) -> None:
        block = next(block for block in BLOCKS if block.startswith("ancs controllers"))
        commands = [line.split("#")[0].strip() for line in block.splitlines()]
        self.assertEqual(len(commands), 3)
        controllers = await self.shell(commands[0])
        await controllers.until(
            lambda: any(line.startswith("READY") for line in controllers.garbage), "READY")
        accessory = await self.shell(f"{commands[1]} --pair --io none --state desk --json")
        phone = await self.shell(f"{commands[2]} --json")
        await accessory.expect("session", state="started")
        await phone.expect("subscription", characteristic="dataSource", on=True)

    async def test_what_is_typed_by_hand_is_understood(self) -> None:
        typed = [line.removeprefix("iPhone> ") for line in lines("iPhone> ")]
        self.assertGreater(len(typed), 6)
        await self.lab.start_controllers()
        phone = await self.lab.start_own_phone()
        accessory = await self.lab.start_accessory()
        await phone.expect("subscription", characteristic="dataSource", on=True)
        missed = {"event": "added", "category": "missedCall", "title": "Bob"}
        shown = {
            "post Messages": [{"event": "added", "title": "Ada", "message": "Lunch?", "subtitle": "today"}],
            "call": [{"event": "added", "category": "incomingCall", "title": "Bob"}],
            # The missed call that is left is read before an answer is late, and not late itself.
            "decline": [{"event": "removed"}, missed],
            "unpublish": [{"event": "session", "state": "ended"}],
        }
        for line in typed:
            phone.write(line)
            for start, events in shown.items():
                for fields in events if line.startswith(start) else []:
                    await accessory.expect(**fields)
            if line.startswith("expect"):
                await phone.expect("step", outcome="passed")
        self.assertEqual(phone.errors, [], phone.report())


class Captures(InteropTest):
    """A script of version 0.1 around `ancs decode`."""

    async def test_a_script_reads_the_links_of_a_capture(self) -> None:
        await self.lab.start_controllers()
        capture = self.lab.directory / "phone.btsnoop"
        phone = await self.lab.start_own_phone("--snoop", str(capture))
        accessory = await self.lab.start_accessory()
        await accessory.expect("session", state="started")
        self.assertEqual(await accessory.terminate(), 0)
        await phone.expect("disconnected")
        self.assertEqual(await phone.terminate(), 0)
        path = path_with_ancs(self.lab.directory)
        script = str(ROOT / "Tests/Contract/scripts/links.sh")
        reader = await self.lab.start("links", "env", f"PATH={path}", script, str(capture))
        self.assertEqual(await reader.status(), 0, reader.report())
        for word in ("30 ms", "encrypted", "paired", "disconnected"):
            self.assertIn(word, reader.garbage, reader.report())
        await self.redact(capture)

    async def redact(self, capture: pathlib.Path) -> None:
        """The capture can be sent: the same happens in what is written, and nobody's name is in it."""
        sent = self.lab.directory / "sent.btsnoop"
        writer = await self.lab.start(
            "redact", *BINARY, "decode", str(capture), "--redact", str(sent), "--json"
        )
        self.assertEqual(await writer.status(), 0, writer.report())
        self.assertGreater(writer.all("redacted")[0]["packets"], 50)
        stories = []
        for path in (capture, sent):
            decoder = await self.lab.start("decode", *BINARY, "decode", str(path), "--json")
            self.assertEqual(await decoder.status(), 0, decoder.report())
            stories.append([
                (line.get("event"), line.get("kind"), line.get("state"), line.get("time"))
                for line in decoder.records
            ])
        self.assertEqual(*stories)
        self.assertIn(b"iPhone", capture.read_bytes())
        self.assertNotIn(b"iPhone", sent.read_bytes())
        scenario = str(self.lab.directory / "seen.json")
        writer = await self.lab.start(
            "scenario", *BINARY, "decode", str(sent), "--scenario", scenario, "--json"
        )
        self.assertEqual(await writer.status(), 0, writer.report())
        self.assertGreater(writer.all("scenario")[0]["steps"], 1)


class Differs(InteropTest):
    """The page about a phone that differs, played: its commands, on a capture of ours in the place of btmon's."""

    async def record(self, option: str) -> pathlib.Path:
        """Records a session of our phone and our accessory at the accessory."""
        await self.lab.start_controllers()
        capture = self.lab.directory / "phone.btsnoop"
        phone = await self.lab.start_own_phone()
        accessory = await self.lab.start_accessory(option, str(capture))
        await phone.expect("subscription", characteristic="dataSource", on=True)
        phone.write('post Messages "Grace Hopper" "Lunch at one?"')
        await accessory.expect("added", title="Grace Hopper")
        self.assertEqual(await accessory.terminate(), 0)
        self.assertEqual(await phone.terminate(), 0)
        return capture

    async def test_the_commands_make_what_can_be_sent(self) -> None:
        page = (ROOT / "Documentation/Differs.md").read_text()
        (block,) = re.findall(r"^```sh\n(.*?)^```$", page, re.M | re.S)
        commands = [line.split("#")[0].strip() for line in block.splitlines()]
        self.assertEqual(commands.pop(0), "sudo btmon -w phone.btsnoop")
        self.assertEqual(len(commands), 2)
        capture = await self.record("--snoop")
        self.assertIn(b"Grace Hopper", capture.read_bytes())
        path = path_with_ancs(self.lab.directory)
        words = ("env", "-C", str(self.lab.directory), f"PATH={path}", "bash", "-c")
        for command in commands:
            shell = await self.lab.start("shell", *words, command)
            self.assertEqual(await shell.status(), 0, shell.report())
        with tarfile.open(self.lab.directory / "report.tar.gz") as archive:
            files = {member.name: archive.extractfile(member) for member in archive}
            texts = {name: file.read() for name, file in files.items() if file}
        sent = (self.lab.directory / "to-send.btsnoop").read_bytes()
        self.assertEqual(texts["ancs-report/capture.btsnoop"], sent)
        self.assertEqual(os.stat(self.lab.directory / "report.tar.gz").st_mode & 0o777, 0o600)
        for name, text in texts.items():
            for secret in ("Grace", "Hopper", "Lunch", "iPhone", str(self.lab.directory)):
                self.assertNotIn(secret.encode(), text, name)

    async def test_what_is_recorded_live_can_be_sent(self) -> None:
        capture = await self.record("--snoop-redacted")
        self.assertEqual(os.stat(capture).st_mode & 0o777, 0o600)
        for secret in (b"Grace", b"Hopper", b"Lunch", b"iPhone"):
            self.assertNotIn(secret, capture.read_bytes())
        decoder = await self.lab.start("decode", *BINARY, "decode", str(capture), "--json")
        self.assertEqual(await decoder.status(), 0, decoder.report())
        titles = [
            attribute["value"]
            for line in decoder.records
            if line.get("kind") == "dataSource"
            for attribute in line.get("attributes", [])
            if attribute.get("name") == "title"
        ]
        self.assertIn("x" * len("Grace Hopper"), titles)
