"""How much memory `ancs receive`, `ancs phone` and `ancs serve` take, at rest and after a load: their own, and that
with their share of the pages of files, which the kernel can drop and read again.

`resident.py --ancs BINARY`. The tool that is shipped is meant (`make release`), whose runtime is in it.
"""

from __future__ import annotations

import argparse
import asyncio
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "Daemon")]

from daemon import ROUNDS, Daemon  # noqa: E402
from own import memory  # noqa: E402
from sessions import COUNT, Session, harness  # noqa: E402


def row(what: str, peer: harness.Peer) -> None:
    """Prints what a process has."""
    print(f"{what:44}{memory(peer.process.pid)}")


async def measure_pair(ancs: str) -> None:
    """The accessory and the phone."""
    session = Session([ancs])
    try:
        accessory = await session.start_accessory()
        await asyncio.sleep(2)
        row("receive, a phone can find it", accessory)
        phone = await session.start_phone(accessory)
        await asyncio.sleep(2)
        row("receive, with a session", accessory)
        row("phone, with a session", phone)
        await session.load(accessory, phone)
        row(f"receive, after {COUNT} notifications", accessory)
        row(f"phone, after {COUNT} notifications", phone)
    finally:
        await session.lab.close()


async def measure_daemon(ancs: str) -> None:
    """The daemon with a desktop and a bus."""
    harness.BINARY[:] = [ancs]
    lab = harness.Lab()
    daemon = Daemon(lab, ancs)
    try:
        await daemon.start()
        await asyncio.sleep(2)
        row("serve, with a session and a desktop", daemon.daemon)
        for number in range(ROUNDS):
            await daemon.latency(f"post Messages 'a text {number}'", f"a text {number}")
        row(f"serve, after {ROUNDS} notifications", daemon.daemon)
    finally:
        await daemon.end()


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ancs", required=True)
    ancs = str(pathlib.Path(parser.parse_args().ancs).resolve())
    asyncio.run(measure_pair(ancs))
    asyncio.run(measure_daemon(ancs))


if __name__ == "__main__":
    main()
