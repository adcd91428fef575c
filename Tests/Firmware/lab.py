"""A board in an emulator and a phone, at controllers in software: what the cases are played in."""

from __future__ import annotations

import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator

ROOT = pathlib.Path(__file__).resolve().parents[2]
ANCS = os.environ.get("ANCS", str(ROOT / ".build/debug/ancs"))
FIRMWARE = os.environ.get("ANCS_FIRMWARE", str(ROOT / ".build-firmware/firmware.elf"))
# Longer than anything takes on a machine that has much else to do; only what hangs reaches it.
PATIENCE = float(os.environ.get("ANCS_FIRMWARE_DEADLINE", "120"))
PAGE = 1024
MEMORY = 16 * 1024 * 1024


class Failure(Exception):
    """A case did not end as it should."""


class Program:
    """A program that runs beside the case, and what it has said by now."""

    def __init__(self, name: str, *command: str, echo: Callable[[str], None] | None = None) -> None:
        self.name = name
        self.lines: list[str] = []
        self._news = threading.Condition()
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        self._reader = threading.Thread(target=self._read, args=(echo,), daemon=True)
        self._reader.start()

    def _read(self, echo: Callable[[str], None] | None) -> None:
        assert self._process.stdout is not None
        for octets in self._process.stdout:
            line = octets.decode(errors="replace").rstrip("\r\n")
            with self._news:
                self.lines.append(line)
                self._news.notify_all()
            if echo is not None:
                echo(line)
        with self._news:
            self._news.notify_all()

    def expect(self, text: str, count: int = 1, within: float = PATIENCE, beginning: str = "") -> str:
        """Waits until so many lines, of those that begin so, hold a text, and gives the last of these."""
        deadline = time.monotonic() + within
        with self._news:
            while True:
                found = [line for line in self.lines if line.startswith(beginning) and text in line]
                if len(found) >= count:
                    return found[count - 1]
                if self._process.poll() is not None and not self._reader.is_alive():
                    raise Failure(f"{self.name} ended and has not said {text!r}")
                if time.monotonic() >= deadline:
                    raise Failure(f"{self.name} has not said {text!r} in {within:.0f} s")
                self._news.wait(0.2)

    def says(self, text: str) -> bool:
        """Whether it has said something by now."""
        return any(text in line for line in list(self.lines))

    def type(self, text: str) -> None:
        """Types something."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(text.encode())
            self._process.stdin.flush()

    def wait(self, within: float) -> int:
        """Waits for its end and gives its status."""
        try:
            status = self._process.wait(within)
        except subprocess.TimeoutExpired:
            raise Failure(f"{self.name} has not ended in {within:.0f} s") from None
        self._reader.join(5)
        return status

    def is_running(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def end(self, number: int = signal.SIGTERM) -> None:
        """Ends it, where it has not."""
        if self._process.poll() is None:
            self._process.send_signal(number)
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._reader.join(5)


class Relay:
    """A line between the board and its controller that can be disturbed, in the middle of a packet or between
    two of them."""

    def __init__(self, here: str, there: str) -> None:
        self._there = there
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(here)
        self._listener.listen(1)
        self._board: socket.socket | None = None
        self._lock = threading.Lock()
        # The handle of the last link, and the attributes whose values were notified on it.
        self.link: int | None = None
        self.notified: set[int] = set()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                board, _ = self._listener.accept()
            except OSError:
                return
            controller = socket.socket(socket.AF_UNIX)
            controller.connect(self._there)
            self._board = board
            threading.Thread(target=self._down, args=(controller, board), daemon=True).start()
            with contextlib.suppress(OSError):
                while octets := board.recv(4096):
                    controller.sendall(octets)
            for end in (board, controller):
                end.close()

    def _down(self, controller: socket.socket, board: socket.socket) -> None:
        """Passes on whole packets: Core Vol 4, Part A, 2."""
        with contextlib.suppress(OSError), controller.makefile("rb") as stream:
            while indicator := stream.read(1):
                header = stream.read(2 if indicator == b"\x04" else 4)
                length = header[1] if indicator == b"\x04" else int.from_bytes(header[2:4], "little")
                body = stream.read(length)
                if indicator == b"\x02":
                    self._note(int.from_bytes(header[:2], "little") & 0xFFF, body)
                with self._lock:
                    board.sendall(indicator + header + body)

    def _note(self, link: int, body: bytes) -> None:
        if link != self.link:
            self.link, self.notified = link, set()
        # The beginning of an ATT_HANDLE_VALUE_NTF, in its L2CAP header.
        if body[2:5] == b"\x04\x00\x1b":
            self.notified.add(int.from_bytes(body[5:7], "little"))

    def disturb(self, octets: bytes) -> None:
        """Puts octets on the line to the board that the controller never sent."""
        assert self._board is not None
        with self._lock:
            self._board.sendall(octets)

    def close(self) -> None:
        """Lets nobody in any more."""
        self._listener.close()


class Lab:
    """Controllers, a board and a phone. What they said is in the report where a case fails."""

    def __init__(self, directory: str, show: Callable[[str, str], None] | None = None) -> None:
        self.directory = pathlib.Path(directory)
        self.flash = self.directory / "flash"
        self.programs: list[Program] = []
        self._show = show
        self.controllers: Program
        self.board: Program
        with self.flash.open("wb") as file:
            file.truncate(MEMORY)

    def _start(self, name: str, *command: str) -> Program:
        show = self._show
        echo = None if show is None or name == "controllers" else lambda line: show(name, line)
        program = Program(name, *command, echo=echo)
        self.programs.append(program)
        return program

    def start_controllers(self, *options: str) -> None:
        """Starts three controllers, and waits until they can be reached."""
        command = [ANCS, "controllers", *options]
        for name in ("board", "phone", "stranger"):
            (self.directory / name).unlink(missing_ok=True)
            command += ["--listen", f"unix-server:{self.directory}/{name}"]
        self.controllers = self._start("controllers", *command)
        self.controllers.expect("READY")

    def start_board(self, line: str = "board", reconnect: bool = False) -> Program:
        """Turns the board on: its first UART leads to the controller, its second one is the console."""
        again = ",reconnect=1" if reconnect else ""
        self.board = self._start(
            "board",
            "qemu-system-arm",
            *("-M", "mps2-an386,memory-backend=flash"),
            *("-object", f"memory-backend-file,id=flash,size=16M,mem-path={self.flash},share=on"),
            *("-display", "none", "-monitor", "none", "-kernel", FIRMWARE),
            *("-semihosting-config", "enable=on,target=native"),
            *("-chardev", f"socket,id=hci,path={self.directory}/{line}{again}"),
            *("-serial", "chardev:hci", "-serial", "stdio"),
        )
        return self.board

    def start_stranger(self) -> Program:
        """Starts a phone that connects and never pairs."""
        command = (ANCS, "phone", "--hci", f"unix:{self.directory}/stranger", "--pair", "never")
        return self._start("stranger", *command)

    def start_phone(self, scenario: str | pathlib.Path, *options: str) -> Program:
        """Starts a phone that follows a scenario."""
        return self._start(
            "iPhone",
            *(ANCS, "phone", "--hci", f"unix:{self.directory}/phone"),
            *("--state", f"{self.directory}/state", "--scenario", str(ROOT / scenario), *options),
        )

    def start_bench(self, *words: str) -> Program:
        """Starts a bench, which has controllers of its own."""
        return self._start("bench", ANCS, "bench", *words)

    def play(self, scenario: str | pathlib.Path, *options: str) -> None:
        """Plays a scenario to its end, which must be a good one; the scenario has limits of its own."""
        phone = self.start_phone(scenario, *options)
        if phone.wait(3600) != 0:
            raise Failure("the phone is not content")

    def page(self, number: int) -> bytes:
        """What is in a page of the flash."""
        with self.flash.open("rb") as file:
            file.seek(number * PAGE)
            return file.read(PAGE)

    def write_flash(self, offset: int, octets: bytes) -> None:
        """Changes the flash of a board that is off."""
        with self.flash.open("r+b") as file:
            file.seek(offset)
            file.write(octets)

    def check_board(self) -> str:
        """Asks the board how much memory it took. It must answer, which one that has trapped cannot."""
        asked = sum("heap" in line for line in self.board.lines)
        self.board.type("?")
        return self.board.expect("heap", asked + 1)

    def report(self) -> str:
        """What everybody said, of long outputs the end."""
        parts = []
        for program in self.programs:
            parts.append(f"--- {program.name}")
            parts += program.lines[-200:]
        return "\n".join(parts)

    def close(self) -> None:
        """Ends everything, the last first."""
        for program in reversed(self.programs):
            program.end()


@contextlib.contextmanager
def lab(show: Callable[[str, str], None] | None = None) -> Iterator[Lab]:
    """A lab that is cleared away at the end."""
    with tempfile.TemporaryDirectory(prefix="firmware-") as directory:
        made = Lab(directory, show)
        try:
            yield made
        finally:
            made.close()
