"""A second signal always ends a program, also where nobody reads what it writes."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import pathlib
import signal
import sys
import termios
from collections.abc import Callable

from harness import BINARY, DEADLINE, HERE, ROOT, InteropTest, eventually
from terminal import Terminal

REQUESTS = (signal.SIGINT, signal.SIGTERM)
WRITE = {"x86_64": "1", "aarch64": "64"}[os.uname().machine]


def has_signal(mask: str, number: signal.Signals) -> bool:
    """Whether a line of /proc/PID/status, in hexadecimal, has a signal."""
    return bool(int(mask, 16) >> (number - 1) & 1)


class Watched:
    """A process as the kernel sees it."""

    def __init__(self, process: int) -> None:
        self.process = process
        self.directory = pathlib.Path(f"/proc/{process}")

    def status(self, field: str) -> str:
        """A field of its status."""
        for line in (self.directory / "status").read_text().splitlines():
            name, _, value = line.partition(":")
            if name == field:
                return value.strip()
        raise KeyError(field)

    def is_writing(self) -> bool:
        """Whether a thread is within write(2) on standard output."""
        calls = []
        for task in (self.directory / "task").iterdir():
            try:
                calls.append((task / "syscall").read_text().split()[:2])
            except OSError:
                continue  # The thread has ended.
        return [WRITE, "0x1"] in calls

    async def until_blocked(self) -> None:
        """Waits until it takes signals, and a write holds it."""
        caught = await eventually(
            lambda: all(has_signal(self.status("SigCgt"), number) for number in REQUESTS),
            "handlers of signals",
        )
        assert caught
        await eventually(self.is_writing, "a write that blocks")

    async def deliver(self, number: signal.Signals) -> None:
        """Sends a signal, and waits until the process has taken it."""
        os.kill(self.process, number)
        await eventually(
            lambda: not has_signal(self.status("ShdPnd"), number), "delivery of a signal"
        )


class FullPipe(InteropTest):
    """Programs whose standard output is a pipe that is full."""

    async def asyncSetUp(self) -> None:
        await super().asyncSetUp()
        output, input_ = os.pipe()
        fcntl.fcntl(input_, fcntl.F_SETPIPE_SZ, 4096)
        self.output = self.enterContext(open(output, "rb", buffering=0))
        self.input = self.enterContext(open(input_, "wb", buffering=0))

    def fill(self) -> None:
        """Leaves no room in the pipe."""
        os.set_blocking(self.input.fileno(), False)
        with contextlib.suppress(BlockingIOError):
            while os.write(self.input.fileno(), b"\n"):
                pass
        os.set_blocking(self.input.fileno(), True)

    async def launch(self, *arguments: str) -> asyncio.subprocess.Process:
        """Starts a command."""
        program = await asyncio.create_subprocess_exec(
            *BINARY,
            *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=self.input,
            stderr=asyncio.subprocess.DEVNULL,
            cwd=ROOT,
        )
        self.addAsyncCleanup(self.end, program)
        return program

    async def start(self, *arguments: str) -> asyncio.subprocess.Process:
        """Starts a command, and waits until it is held."""
        self.fill()
        program = await self.launch(*arguments)
        await Watched(program.pid).until_blocked()
        return program

    async def end(self, program: asyncio.subprocess.Process) -> None:
        """Ends a program in any case."""
        if program.returncode is None:
            program.kill()
        await program.wait()

    async def status(self, program: asyncio.subprocess.Process) -> int:
        """Waits for the end of a program."""
        async with asyncio.timeout(DEADLINE):
            return await program.wait()

    async def in_thread(self, read: Callable[[], bytes]) -> bytes:
        """Reads what may have to be waited for."""
        return await asyncio.get_running_loop().run_in_executor(None, read)

    async def check(self, *arguments: str) -> None:
        """The second signal ends a command, although the first one has not."""
        await self.end_by_two_signals(await self.start(*arguments))

    async def end_by_two_signals(self, program: asyncio.subprocess.Process) -> None:
        """Sends two signals to a command that is held."""
        await Watched(program.pid).deliver(signal.SIGTERM)
        program.send_signal(signal.SIGINT)
        # Both are taken by one thread, and the handler of the second may run first.
        self.assertIn(await self.status(program), (-signal.SIGINT, -signal.SIGTERM))

    async def test_receive(self) -> None:
        await self.lab.start_controllers()
        await self.lab.start_own_phone()
        await self.check(
            *("receive", "--hci", self.lab.accessory_moniker, "--json"),
            *("--state", str(self.lab.directory / "accessory")),
        )

    async def test_phone(self) -> None:
        await self.lab.start_controllers()
        await self.check(
            *("phone", "--hci", self.lab.phone_moniker, "--json"),
            *("--state", str(self.lab.directory / "phone")),
        )

    async def test_phone_with_a_scenario(self) -> None:
        await self.lab.start_controllers()
        await self.check(
            *("phone", "--hci", self.lab.phone_moniker),
            *("--scenario", "Scenarios/demo.json"),
            *("--state", str(self.lab.directory / "phone")),
        )

    async def test_demo(self) -> None:
        await self.check("demo")

    async def test_controllers(self) -> None:
        await self.check("controllers", "--listen", "tcp-server:127.0.0.1:0")

    async def test_scan(self) -> None:
        await self.lab.start_controllers()
        await self.check("scan", "--hci", self.lab.phone_moniker, "--json")

    async def test_advertise(self) -> None:
        # What it would advertise is written before anything else happens: then the pipe has room.
        await self.lab.start_controllers()
        program = await self.launch(
            "advertise", "--hci", self.lab.phone_moniker, "--name", "Thermo", "--json"
        )
        text = b""
        while b'"advertising","on":true' not in text:
            text += await self.in_thread(lambda: self.output.read(4096))
        self.fill()
        assert program.stdin is not None
        program.stdin.write(b"stop\n")
        await Watched(program.pid).until_blocked()
        await self.end_by_two_signals(program)

    async def test_gatt(self) -> None:
        await self.lab.start_controllers()
        peripheral = await self.lab.start(
            *("peripheral", sys.executable, str(HERE / "peripheral.py")),
            *("--hci", self.lab.accessory_moniker),
        )
        address = str((await peripheral.expect("ready"))["address"])
        await self.check("gatt", "--hci", self.lab.phone_moniker, address, "--json")

    async def test_the_first_signal_ends_a_run_in_good_order_once_it_is_read(self) -> None:
        await self.lab.start_controllers()
        program = await self.start("scan", "--hci", self.lab.phone_moniker, "--json")
        await Watched(program.pid).deliver(signal.SIGTERM)
        self.input.close()
        octets = await self.in_thread(self.output.readall)
        self.assertEqual(await self.status(program), 0)
        self.assertIn(b'"on":false', octets.splitlines()[-1])


class StalledTerminal(InteropTest):
    """A terminal that takes nothing more, as after Control-S."""

    async def test_the_terminal_is_as_it_was(self) -> None:
        await self.lab.start_controllers()
        terminal = Terminal(
            *(*BINARY, "phone", "--hci", self.lab.phone_moniker),
            *("--state", str(self.lab.directory / "phone")),
        )
        self.addAsyncCleanup(terminal.kill)

        def local_modes() -> int:
            return int(termios.tcgetattr(terminal.terminal)[3])

        before = local_modes()
        await terminal.until(b"iPhone> ")
        self.assertEqual(local_modes() & (termios.ICANON | termios.ECHO), 0)
        terminal.stop_reading()
        watched = Watched(terminal.process)

        def ask_for_help() -> bool:
            with contextlib.suppress(BlockingIOError):
                os.write(terminal.terminal, b"help\n")
            return watched.is_writing()

        await eventually(ask_for_help, "a write that blocks")
        await watched.deliver(signal.SIGTERM)
        os.kill(terminal.process, signal.SIGINT)
        self.assertIn(
            await terminal.exit_status(), (-signal.SIGINT, -signal.SIGTERM)
        )
        self.assertEqual(local_modes(), before)
