"""What cannot be written is said on standard error, and is status 1."""

from __future__ import annotations

import asyncio
import itertools
import pathlib
import resource
import signal

from harness import BINARY, DEADLINE, InteropTest
from terminal import Terminal

FULL = pathlib.Path("/dev/full")


def fill_the_disk_after(octets: int) -> None:
    """Lets no file of this process become larger: write(2) fails with EFBIG."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (octets, octets))


class LostOutput(InteropTest):
    """Commands at a full disk."""

    async def run_command(
        self, *arguments: str, output: pathlib.Path = FULL, limit: int | None = None
    ) -> tuple[int, list[str]]:
        """Runs a command to its end; its status and the lines of its standard error."""
        with output.open("w") as file:
            process = await asyncio.create_subprocess_exec(
                *BINARY,
                *arguments,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=file,
                stderr=asyncio.subprocess.PIPE,
                preexec_fn=None if limit is None else lambda: fill_the_disk_after(limit),
            )
            try:
                _, errors = await asyncio.wait_for(process.communicate(), DEADLINE)
            except TimeoutError:
                process.kill()
                raise
        assert process.returncode is not None
        return process.returncode, errors.decode().splitlines()

    async def test_commands_that_write_and_end(self) -> None:
        commands = (
            ("help",),
            ("receive", "--help"),
            ("demo", "--speed", "1000"),
            ("bonds", "list", "--json", "--state", str(self.lab.directory)),
            ("bonds", "list", "--state", str(self.lab.directory)),
            ("advertise", "--name", "Desk"),
        )
        for command in commands:
            with self.subTest(command):
                status, errors = await self.run_command(*command)
                if command[:3] == ("bonds", "list", "--json"):
                    # There is nothing to write.
                    self.assertEqual((status, errors), (0, []))
                    continue
                self.assertEqual(status, 1)
                said = [line for line in errors if "cannot write to standard output" in line]
                self.assertEqual(
                    said, ["ancs: cannot write to standard output: No space left on device"]
                )

    async def test_a_run_without_end_ends_when_its_output_is_lost(self) -> None:
        await self.lab.start_controllers()
        place = self.lab.accessory_moniker
        for command in (
            ("controllers", "--listen", f"unix-server:{self.lab.directory / 'hci'}"),
            ("receive", "--hci", place, "--state", str(self.lab.directory / "state")),
            ("advertise", "--hci", place, "--name", "Desk", "--state", str(self.lab.directory)),
        ):
            with self.subTest(command):
                status, errors = await self.run_command(*command)
                self.assertEqual(status, 1, errors)
                said = [line for line in errors if "cannot write to standard output" in line]
                self.assertEqual(len(said), 1, errors)

    async def test_a_capture_that_is_incomplete(self) -> None:
        capture = self.lab.directory / "demo.btsnoop"
        status, errors = await self.run_command(
            *("demo", "--speed", "1000", "--snoop", str(capture)),
            output=pathlib.Path("/dev/null"),
            limit=4096,
        )
        self.assertEqual(status, 1)
        self.assertEqual(
            [line for line in errors if "capture" in line],
            [f"ancs: the capture is incomplete: cannot write to {capture}: File too large"],
        )
        self.assertLessEqual(capture.stat().st_size, 4096)


class Limited(InteropTest):
    """Commands on terminals that show less than others."""

    async def shown(self, *arguments: str, columns: int = 80, **environment: str) -> bytes:
        """What a command that succeeds writes to a terminal."""
        terminal = Terminal(*BINARY, *arguments, columns=columns, **environment)
        self.addAsyncCleanup(terminal.kill)
        self.assertEqual(await terminal.status(), 0, terminal.octets)
        return terminal.octets

    async def test_a_terminal_without_utf_8_gets_ascii(self) -> None:
        shown = await self.shown("demo", "--speed", "1000", LC_ALL="C")
        self.assertIn(b"+ Desk kept", shown.decode("ascii").encode())
        self.assertIn(b"\x1b[", shown)
        self.assertIn("✓ Desk kept", (await self.shown("demo", "--speed", "1000")).decode())

    async def test_a_dumb_terminal_gets_no_escape_sequences(self) -> None:
        for kind in ("dumb", ""):
            with self.subTest(kind):
                shown = await self.shown("demo", "--speed", "1000", TERM=kind)
                self.assertNotIn(b"\x1b", shown)
                self.assertIn("✓ Desk kept", shown.decode())

    async def test_a_narrow_terminal_has_no_word_broken(self) -> None:
        for command in (("--help",), ("serve", "--help"), ("demo", "--speed", "1000")):
            with self.subTest(command):
                lines = (await self.shown(*command, columns=40, TERM="dumb")).decode().splitlines()
                lines = list(itertools.takewhile(lambda line: line != "Try next:", lines))
                self.assertGreater(len(lines), 10)
                self.assertEqual([line for line in lines if len(line) > 40], [])
