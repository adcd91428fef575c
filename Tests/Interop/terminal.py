"""A program on a terminal of its own, as its user would see it."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import pty
import signal
import struct
import termios

from harness import DEADLINE, Disappointment, eventually


class Terminal:
    """A program on a terminal of its own."""

    def __init__(
        self, *command: str, columns: int = 80, rows: int = 24, **environment: str
    ) -> None:
        self.octets = b""
        self.has_news = asyncio.Event()
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.environ.pop("COLUMNS", None)
            os.environ.pop("LINES", None)
            os.environ.update({"TERM": "xterm", "LC_ALL": "C.UTF-8", **environment})
            size = struct.pack("HHHH", rows, columns, 0, 0)
            fcntl.ioctl(1, termios.TIOCSWINSZ, size)
            os.execv(command[0], command)
        os.set_blocking(self.terminal, False)
        asyncio.get_running_loop().add_reader(self.terminal, self.read)
        self.has_ended = False

    def read(self) -> None:
        """Takes what was written."""
        try:
            octets = os.read(self.terminal, 65536)
        except OSError:
            octets = b""
        if not octets:
            self.has_ended = True
            asyncio.get_running_loop().remove_reader(self.terminal)
        self.octets += octets
        self.has_news.set()

    async def until(self, text: bytes) -> None:
        """Waits until something was written."""
        async with asyncio.timeout(DEADLINE):
            while text not in self.octets:
                if self.has_ended:
                    raise Disappointment(f"the terminal ended without {text!r}: {self.octets!r}")
                self.has_news.clear()
                await self.has_news.wait()

    def stop_reading(self) -> None:
        """Takes nothing more, as a terminal after Control-S."""
        asyncio.get_running_loop().remove_reader(self.terminal)

    async def exit_status(self) -> int:
        """Waits for the end of the program, be its output read or not."""
        _, status = await eventually(self.ended, "end of the program")
        return os.waitstatus_to_exitcode(status)

    def ended(self) -> tuple[int, int] | None:
        """Its process and status, if the program has ended."""
        process, status = os.waitpid(self.process, os.WNOHANG)
        return (process, status) if process else None

    async def end(self) -> int:
        """Presses Control-C, and gives the exit status."""
        os.kill(self.process, signal.SIGINT)
        return await self.status()

    async def status(self) -> int:
        """Waits for the end of the program."""
        async with asyncio.timeout(DEADLINE):
            while not self.has_ended:
                self.has_news.clear()
                await self.has_news.wait()
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])

    async def kill(self) -> None:
        """Ends the program in any case."""
        asyncio.get_running_loop().remove_reader(self.terminal)
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
        os.close(self.terminal)
