"""Starts controllers, phones and accessories as processes, and waits for what they say.

Nothing here depends on how fast the machine is: each wait is for an event, a line or an exit. A
deadline only ends what hangs. Every process is ended by its own id, whatever happens.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import pathlib
import shlex
import shutil
import signal
import sys
import tempfile
import unittest
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import schemas

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
DEADLINE = float(os.environ.get("ANCS_INTEROP_DEADLINE", "300"))
KEEP = os.environ.get("ANCS_INTEROP_KEEP")
BINARY = shlex.split(os.environ.get("ANCS", str(ROOT / ".build/debug/ancs")))
CONTROLLERS = os.environ.get("ANCS_INTEROP_CONTROLLERS", "ours")
"""Whose controllers carry the suite: `ours` (`ancs controllers`), `paced` (the same, with data that
moves at connection events, as it does on air) or `bumble`."""
ORDER = os.environ.get("ANCS_INTEROP_ORDER", "kept")
"""In which order our controllers give their packets to the hosts: `kept`, or `usb` (events and data by two
ways, either up to 30 ms ahead)."""
TAIL = 60

Record = dict[str, Any]


class Disappointment(AssertionError):
    """Something awaited did not come."""


async def eventually(condition: Callable[[], Any], what: str) -> Any:
    """Waits until a condition gives something true, where no event tells that it may have changed."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + DEADLINE
    while not (result := condition()):
        if loop.time() > deadline:
            raise Disappointment(f"no {what} within {DEADLINE} s")
        await asyncio.sleep(0.01)
    return result


def matches(record: Any, wanted: Any) -> bool:
    """Whether `record` has everything that `wanted` names; a function is asked."""
    if callable(wanted):
        return bool(wanted(record))
    if isinstance(wanted, dict):
        return isinstance(record, dict) and all(
            key in record and matches(record[key], value) for key, value in wanted.items()
        )
    return bool(record == wanted)


class Peer:
    """A process that writes JSON Lines."""

    def __init__(self, name: str, process: asyncio.subprocess.Process, printed: str = "") -> None:
        self.name = name
        self.printed = printed
        """The command of ours whose lines these are, if they are JSON."""
        self.process = process
        self.records: list[Record] = []
        self.taken: set[int] = set()
        self.garbage: list[str] = []
        self.errors: list[str] = []
        self.has_news = asyncio.Event()
        self.readers = [
            asyncio.create_task(self.read_output()),
            asyncio.create_task(self.read_errors()),
        ]

    @classmethod
    async def start(cls, name: str, *command: str) -> Peer:
        """Starts a process."""
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=1 << 20,
            cwd=ROOT,
            env={**os.environ, "PYTHONUNBUFFERED": "1", "NO_COLOR": "1"},
        )
        return cls(name, process, json_command(command))

    async def read_output(self) -> None:
        """Takes the lines of standard output as records."""
        assert self.process.stdout is not None
        async for line in self.process.stdout:
            text = line.decode(errors="replace").strip()
            try:
                record = json.loads(text)
            except ValueError:
                self.garbage.append(text)
            else:
                self.records.append(record)
            self.has_news.set()
        self.has_news.set()

    async def read_errors(self) -> None:
        """Keeps the lines of standard error."""
        assert self.process.stderr is not None
        async for line in self.process.stderr:
            self.errors.append(line.decode(errors="replace").rstrip())
            self.has_news.set()

    @property
    def has_ended(self) -> bool:
        """Whether nothing more can come."""
        return self.readers[0].done()

    async def until(self, condition: Callable[[], Any], what: str) -> Any:
        """Waits until a condition gives something true."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + DEADLINE
        while True:
            self.has_news.clear()
            if result := condition():
                return result
            if self.has_ended:
                raise Disappointment(f"{self.name} ended without {what}")
            try:
                await asyncio.wait_for(self.has_news.wait(), deadline - loop.time())
            except TimeoutError:
                raise Disappointment(f"{self.name}: no {what} within {DEADLINE} s") from None

    async def expect(self, event: str, **fields: Any) -> Record:
        """Waits for an event that no earlier call has taken."""
        wanted = {"event": event, **fields}

        def look() -> Record | None:
            for index, record in enumerate(self.records):
                if index not in self.taken and matches(record, wanted):
                    self.taken.add(index)
                    return record
            return None

        result: Record = await self.until(look, f"event {wanted}")
        return result

    def all(self, *events: str) -> list[Record]:
        """Every record of these events so far, in order."""
        return [record for record in self.records if record.get("event") in events]

    def forget(self) -> None:
        """Lets later waits look only at what is yet to come."""
        self.taken.update(range(len(self.records)))

    def tell(self, verb: str, **fields: Any) -> None:
        """Gives the phone a command."""
        self.write(json.dumps({"do": verb, **fields}))

    def write(self, line: str) -> None:
        """Writes a line to standard input."""
        assert self.process.stdin is not None
        self.process.stdin.write(line.encode() + b"\n")

    async def status(self) -> int:
        """Waits for the end of the process."""
        try:
            await asyncio.wait_for(asyncio.gather(*self.readers), DEADLINE)
            return await asyncio.wait_for(self.process.wait(), DEADLINE)
        except TimeoutError:
            raise Disappointment(f"{self.name} did not end within {DEADLINE} s") from None

    async def terminate(self) -> int:
        """Asks the process to end, as a service manager does."""
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGTERM)
        return await self.status()

    async def kill(self) -> None:
        """Ends the process in any case."""
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        await self.process.wait()
        await asyncio.wait(self.readers, timeout=5)

    def report(self) -> str:
        """The last that was heard of the process."""
        lines = [f"---- {self.name} (status {self.process.returncode})"]
        lines += [json.dumps(record, ensure_ascii=False) for record in self.records[-TAIL:]]
        lines += [f"  not JSON: {line}" for line in self.garbage[-TAIL:]]
        lines += [f"  stderr: {line}" for line in self.errors[-TAIL:]]
        return "\n".join(lines)


class Lab:
    """A radio with two controllers, and what is attached to them."""

    def __init__(self) -> None:
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="ancs-interop-"))
        self.peers: list[Peer] = []
        self.controllers: Peer | None = None
        self.phone_moniker = ""
        self.accessory_moniker = ""
        self.further_monikers: list[str] = []

    async def start(self, name: str, *command: str) -> Peer:
        """Starts a process of the lab."""
        peer = await Peer.start(name, *command)
        self.peers.append(peer)
        return peer

    async def start_controllers(
        self,
        accessory: str = "tcp-server:127.0.0.1:0",
        phone: str = "tcp-server:127.0.0.1:0",
        *further: str,
    ) -> None:
        """Starts one controller for the phone, one for the accessory, and perhaps further ones."""
        endpoints = (phone, accessory, *further)
        if CONTROLLERS == "bumble":
            command = [sys.executable, str(HERE / "controllers.py"), *endpoints]
        else:
            pace = [] if CONTROLLERS == "paced" else ["--immediate"]
            places = [f"--listen={our_place(endpoint)}" for endpoint in endpoints]
            command = [*BINARY, "controllers", *pace, f"--order={ORDER}", *places]
        self.controllers = await self.start("controllers", *command)
        controllers = self.controllers
        ready = await controllers.until(
            lambda: [line for line in controllers.garbage if line.startswith("READY")], "READY"
        )
        monikers = [client_moniker(moniker) for moniker in ready[0].split()[1:]]
        self.phone_moniker, self.accessory_moniker, *self.further_monikers = monikers

    async def until_free(self, moniker: str) -> None:
        """Waits until a controller whose host was killed has noticed that, and waits for another."""
        port = f":{int(moniker.rsplit(':', 1)[1]):04X}"
        listening = "0A"

        def is_listening() -> bool:
            rows = pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]
            return any(
                row[1].endswith(port) and row[3] == listening for row in map(str.split, rows)
            )

        await eventually(is_listening, f"controller at {moniker}")

    async def start_phone(self, *arguments: str) -> Peer:
        """Starts the phone, with its bonds in the lab's directory."""
        capture: tuple[str, ...] = ()
        if KEEP:
            capture = ("--snoop", str(self.directory / f"phone-{len(self.peers)}.btsnoop"))
        phone = await self.start(
            "phone",
            sys.executable,
            str(HERE / "phone.py"),
            *("--hci", self.phone_moniker),
            *("--keystore", str(self.directory / "phone.json")),
            *capture,
            *arguments,
        )
        await phone.expect("ready")
        return phone

    async def start_own_phone(self, *arguments: str) -> Peer:
        """Starts `ancs phone`, with its bonds in the lab's directory."""
        capture: tuple[str, ...] = ()
        if KEEP:
            capture = ("--snoop", str(self.directory / f"phone-{len(self.peers)}.btsnoop"))
        phone = await self.start(
            "own phone",
            *BINARY,
            "phone",
            *("--hci", self.phone_moniker),
            *("--state", str(self.directory / "phone")),
            "--json",
            *capture,
            *arguments,
        )
        await phone.expect("scanning", on=True)
        return phone

    async def start_bumble(self, *arguments: str, name: str = "Bumble", moniker: str = "") -> Peer:
        """Starts an accessory made of Bumble alone, with Bumble's own `AncsClient`."""
        return await self.start(
            "bumble",
            sys.executable,
            str(HERE / "accessory.py"),
            "receive",
            *("--hci", moniker or self.accessory_moniker),
            *("--name", name),
            *("--state", str(self.directory / name)),
            *arguments,
        )

    async def start_probe(self, *arguments: str) -> Peer:
        """Starts an accessory that writes what the test says."""
        return await self.start(
            "probe",
            sys.executable,
            str(HERE / "probe.py"),
            *("--hci", self.accessory_moniker),
            *("--bonds", str(self.directory / "probe.json")),
            *arguments,
        )

    async def start_accessory(self, *arguments: str, io: str = "none", moniker: str = "") -> Peer:
        """Starts `ancs receive`, with its bonds in the lab's directory."""
        return await self.start(
            "accessory",
            *BINARY,
            "receive",
            *("--hci", moniker or self.accessory_moniker),
            *("--state", str(self.directory / "accessory")),
            *("--io", io),
            "--json",
            *arguments,
        )

    async def close(self) -> None:
        """Ends everything; the directory stays only if it is wanted."""
        for peer in reversed(self.peers):
            await peer.kill()
        if not KEEP:
            shutil.rmtree(self.directory, ignore_errors=True)

    def strange_lines(self) -> list[str]:
        """The lines of our commands that are not as their schemas say."""
        return [
            f"{peer.name}: {complaint}"
            for peer in self.peers
            if peer.printed
            for record in peer.records
            for complaint in schemas.complaints(peer.printed, record)
        ]

    def complaints(self) -> list[str]:
        """What the accessory did that no careful one does."""
        found = [
            f"phone: {record}"
            for peer in self.peers
            if peer.name == "phone"
            for record in peer.all("violation", "failed", "accessoryFailed")
        ]
        if self.controllers is not None:
            found += [line for line in self.controllers.errors if "VIOLATION" in line]
        return found

    def report(self) -> str:
        """The last words of every process."""
        kept = [f"kept in {self.directory}"] if KEEP else []
        return "\n".join([peer.report() for peer in self.peers] + kept)


def json_command(command: Sequence[str]) -> str:
    """The command of our program that writes JSON, in a command line; else nothing."""
    words = list(command)
    if words[:1] == ["env"]:
        words = list(itertools.dropwhile(lambda word: "=" in word, words[1:]))
    ours = words[: len(BINARY)] == BINARY and len(words) > len(BINARY)
    return words[len(BINARY)] if ours and "--json" in words else ""


def our_place(endpoint: str) -> str:
    """An endpoint of controllers.py in the words of `ancs controllers`."""
    return endpoint.replace("+legacy", "+4.2")


def client_moniker(bound: str) -> str:
    """How a host reaches an endpoint of the controllers."""
    scheme, _, address = bound.partition(":")
    return (
        {"tcp-server": "tcp-client", "unix-server": "unix", "pty": "serial"}[scheme] + ":" + address
    )


class InteropTest(unittest.IsolatedAsyncioTestCase):
    """A test in a lab of its own."""

    forgiven: tuple[str, ...] = ()
    """Parts of complaints that a test provokes on purpose."""

    async def asyncSetUp(self) -> None:
        self.lab = Lab()
        self.addAsyncCleanup(self.lab.close)
        self.addCleanup(self.check_lines)

    def check_lines(self) -> None:
        """Fails if a command printed a line that its schema does not have."""
        lines = self.lab.strange_lines()
        self.assertEqual(lines, [], "\n".join(lines))

    async def finish(self) -> None:
        """Fails if the accessory misbehaved in a way that its user does not see."""
        complaints = [
            line
            for line in self.lab.complaints()
            if not any(part in line for part in self.forgiven)
        ]
        self.assertEqual(complaints, [])
        for peer in self.lab.peers:
            if peer.name in ("accessory", "own phone"):
                self.assertEqual(peer.garbage, [], "only JSON Lines belong on standard output")

    async def connect(
        self,
        *arguments: str,
        accessory: Iterable[str] = (),
        io: str = "none",
        endpoint: str = "tcp-server:127.0.0.1:0",
        phone_endpoint: str = "tcp-server:127.0.0.1:0",
    ) -> tuple[Peer, Peer]:
        """Controllers, a phone and an accessory, which are left to find each other."""
        await self.lab.start_controllers(endpoint, phone_endpoint)
        phone = await self.lab.start_phone(*arguments)
        return phone, await self.lab.start_accessory(*accessory, io=io)

    async def subscribe(self, phone: Peer) -> None:
        """Waits until the accessory has begun an ANCS session."""
        await phone.expect("subscribed", characteristic="notificationSource")

    async def exchange(self, phone: Peer, accessory: Peer, title: str) -> Record:
        """Posts a notification and waits for the accessory to show it."""
        phone.tell("post", title=title, message=f"About {title}")
        record = await accessory.expect("added", title=title)
        self.assertEqual(record["message"], f"About {title}")
        return record
