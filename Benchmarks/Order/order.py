"""Makes Packaging/order.txt: the functions of the tool that a session calls, then those that only its start does.

`order.py BINARY CALLS`: a release build with symbols, and the program that watches it (calls.c). The linker lays the
functions out in this order (Scripts/release.sh), so that they share pages. A name that is not there any more is no
fault, a function that is not named lies with the others: the file is made again when `make bench` shows that memory
has grown. See Documentation/Decisions/0024-where-the-memory-goes.md.
"""

from __future__ import annotations

import asyncio
import os
import pathlib
import signal
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Benchmarks/Memory"), str(ROOT / "Benchmarks/Daemon")]

from daemon import Daemon  # noqa: E402
from sessions import Session, harness  # noqa: E402

Calls = list[tuple[int, str]]


def calls(path: pathlib.Path) -> Calls:
    """What was called, with its phase."""
    lines = (line.split(" ", 1) for line in path.read_text().splitlines())
    return [(int(phase), name) for phase, name in lines]


async def watch_pair(binary: str, watcher: str) -> list[Calls]:
    """An accessory and a phone: they start and pair, then notifications are posted."""
    session = Session([binary])
    places = [session.lab.directory / name for name in ("receive.calls", "phone.calls")]
    try:
        accessory = await session.start_accessory(watcher, str(places[0]))
        phone = await session.start_phone(accessory, watcher, str(places[1]))
        await asyncio.sleep(2)
        for watched in (accessory, phone):
            watched.process.send_signal(signal.SIGUSR1)
        await asyncio.sleep(2)
        await session.load(accessory, phone)
        await asyncio.sleep(2)
        return [calls(place) for place in places]
    finally:
        await session.lab.close()


async def watch_daemon(binary: str, watcher: str) -> Calls:
    """The daemon with a desktop."""
    harness.BINARY[:] = [binary]
    lab = harness.Lab()
    place = lab.directory / "serve.calls"
    wrapper = lab.directory / "ancs"
    wrapper.write_text(
        f'#!/bin/sh\n[ "$1" = serve ] && exec {watcher} {place} {binary} "$@"\nexec {binary} "$@"\n'
    )
    wrapper.chmod(0o755)
    daemon = Daemon(lab, str(wrapper))
    try:
        await daemon.start()
        await asyncio.sleep(2)
        os.kill(daemon.daemon.process.pid, signal.SIGUSR1)
        await asyncio.sleep(2)
        for number in range(5):
            await daemon.latency(f"post Messages 'a text {number}'", f"a text {number}")
        return calls(place)
    finally:
        await lab.close()
        if hasattr(daemon, "screen"):
            daemon.screen.terminate()
            await daemon.screen.wait()


def shared_first(runs: list[list[str]]) -> list[str]:
    """Each name once: what all runs call, then what some of them do, then what only one does, side by side."""
    callers = [set(run) for run in runs]
    names = dict.fromkeys(name for run in runs for name in run)

    def group(name: str) -> tuple[int, list[bool]]:
        is_called = [name in caller for caller in callers]
        return -sum(is_called), is_called

    return sorted(names, key=group)


def main() -> None:
    """Writes the file."""
    binary, watcher = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:])
    runs = asyncio.run(watch_pair(binary, watcher))
    runs.append(asyncio.run(watch_daemon(binary, watcher)))
    session = shared_first([[name for phase, name in run if phase > 0] for run in runs])
    start = shared_first([[name for phase, name in run if phase == 0] for run in runs])
    names = dict.fromkeys(session + start)
    (ROOT / "Packaging/order.txt").write_text("".join(name + "\n" for name in names))
    print(f"{len(names)} functions, {len(session)} of them in a session")


if __name__ == "__main__":
    main()
