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

from daemon import ROUNDS, Daemon, harness  # noqa: E402
from own import memory  # noqa: E402

COUNT = 1000


def row(what: str, peer: harness.Peer, goal: int) -> None:
    """Prints what a process has."""
    print(f"{what:44}{memory(peer.process.pid)} (goal: at most {goal} its own)")


async def measure_pair(ancs: str) -> None:
    """The accessory and the phone, and notifications without a pause, each fetched."""
    harness.BINARY[:] = [ancs]
    lab = harness.Lab()
    try:
        await lab.start_controllers()
        accessory = await lab.start(
            *("receive", ancs, "receive", "--json"),
            *("--hci", lab.accessory_moniker, "--state", str(lab.directory / "accessory")),
        )
        await accessory.expect("advertising", on=True)
        row("receive, a phone can find it", accessory, 3)
        phone = await lab.start(
            *("phone", ancs, "phone", "--json"),
            *("--hci", lab.phone_moniker, "--state", str(lab.directory / "phone")),
        )
        await accessory.expect("session", state="started")
        row("receive, with a session", accessory, 3)
        row("phone, with a session", phone, 3)
        for number in range(COUNT):
            phone.write(f"post Messages 'Title {number}' 'A message of a few words'")
        await accessory.until(lambda: len(accessory.all("added")) >= COUNT, "all notifications")
        row(f"receive, after {COUNT} notifications", accessory, 3)
        row(f"phone, after {COUNT} notifications", phone, 3)
    finally:
        await lab.close()


async def measure_daemon(ancs: str) -> None:
    """The daemon with a desktop and a bus."""
    harness.BINARY[:] = [ancs]
    lab = harness.Lab()
    daemon = Daemon(lab, ancs)
    try:
        await daemon.start()
        row("serve, with a session and a desktop", daemon.daemon, 5)
        for number in range(ROUNDS):
            await daemon.latency(f"post Messages 'a text {number}'", f"a text {number}")
        row(f"serve, after {ROUNDS} notifications", daemon.daemon, 5)
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
