"""Measures an accessory from its start to its last notification: ours beside Bumble's.

Both face the same phone and the same virtual controllers (those of Tests/Interop) and take turns. In
a run the accessory connects, is paired, subscribes, and fetches five attributes of each of `--count`
notifications, which the phone posts at once. A run that loses one of them ends everything with
status 1; how long a run takes decides nothing.

CPU time is user and system time of the accessory's process: of all its life, as the kernel reports it
at its end, and from the subscription to the last notification, as its clock shows meanwhile.
"""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time
from typing import IO

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
INTEROP = ROOT / "Tests" / "Interop"
sys.path.insert(0, str(INTEROP))

from harness import Disappointment, Lab  # noqa: E402

RUN_LIMIT = 60.0
TEXTS = ("title", "subtitle", "message", "date")


@dataclasses.dataclass(frozen=True)
class Usage:
    """What a run took."""

    whole_cpu: float
    session_cpu: float
    seconds: float
    peak_kibibytes: int


class Accessory:
    """The process that is measured."""

    def __init__(self, command: list[str], count: int, errors: IO[bytes]) -> None:
        self.count = count
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, cwd=ROOT
        )
        # The clock of another process, as `clock_getcpuclockid` composes it.
        self.clock = ~self.process.pid << 3 | 2

    def cpu_seconds(self) -> float:
        """What the process has used so far."""
        return time.clock_gettime(self.clock)

    def receive(self) -> tuple[float, float]:
        """Reads until the last notification; gives the CPU time and the time then."""
        titles: set[str] = set()
        assert self.process.stdout is not None
        for line in self.process.stdout:
            # A quick look first: the reader should not be what the accessory waits for.
            if b'"added"' not in line:
                continue
            record = json.loads(line)
            if all(isinstance(record[name], str) for name in TEXTS) and record["app"]["identifier"]:
                titles.add(record["title"])
            if len(titles) == self.count:
                return self.cpu_seconds(), time.perf_counter()
        raise Disappointment(f"the accessory ended with {len(titles)} notifications")

    def finish(self) -> tuple[float, int]:
        """Waits for the end; gives the CPU time of the whole life and the peak of memory in KiB."""
        assert self.process.stdout is not None
        self.process.stdout.read()
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        if self.process.returncode != 0:
            raise Disappointment(f"the accessory ended with status {self.process.returncode}")
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss

    def kill(self) -> None:
        """Ends the process if it is still there."""
        if self.process.returncode is None:
            self.process.kill()
            self.process.wait()


async def measure(command: list[str], count: int) -> Usage:
    """One run with an accessory in a lab of its own."""
    lab = Lab()
    accessory: Accessory | None = None
    errors = (lab.directory / "errors").open("w+b")
    try:
        await lab.start_controllers(
            f"unix-server:{lab.directory}/accessory.hci", f"unix-server:{lab.directory}/phone.hci"
        )
        phone = await lab.start_phone()
        state = str(lab.directory / "state")
        accessory = Accessory(
            [*command, "--hci", lab.accessory_moniker, "--state", state, "--count", str(count)],
            count,
            errors,
        )
        await phone.expect("subscribed", characteristic="notificationSource")
        cpu, started = accessory.cpu_seconds(), time.perf_counter()
        phone.tell("flood", count=count)
        async with asyncio.timeout(RUN_LIMIT):
            cpu_then, ended = await asyncio.to_thread(accessory.receive)
            whole, peak = await asyncio.to_thread(accessory.finish)
        return Usage(whole, cpu_then - cpu, ended - started, peak)
    except (Disappointment, TimeoutError) as error:
        errors.seek(0)
        print(errors.read().decode(errors="replace"), lab.report(), file=sys.stderr)
        raise Disappointment(str(error) or f"not done within {RUN_LIMIT} s") from error
    finally:
        if accessory is not None:
            accessory.kill()
        errors.close()
        await lab.close()


def typical(runs: list[Usage]) -> Usage:
    """The median of each figure."""
    return Usage(
        whole_cpu=statistics.median(run.whole_cpu for run in runs),
        session_cpu=statistics.median(run.session_cpu for run in runs),
        seconds=statistics.median(run.seconds for run in runs),
        peak_kibibytes=round(statistics.median(run.peak_kibibytes for run in runs)),
    )


def table(ours: Usage, theirs: Usage, count: int) -> str:
    """The figures side by side, and how many times better ours are."""

    def row(name: str, mine: float, other: float, digits: int, sense: str, goal: str = "") -> str:
        ratio = mine / other if sense == "more" else other / mine
        figures = f"{mine:>8.{digits}f}{other:>8.{digits}f}"
        return f"{name:32}{figures}  {ratio:.1f} times {sense}{goal}"

    goal = " (goal: at least 20)"
    rate, their_rate = count / ours.seconds, count / theirs.seconds
    peak, their_peak = ours.peak_kibibytes / 1024, theirs.peak_kibibytes / 1024
    return "\n".join(
        [
            f"{'':32}{'ancs':>8}{'Bumble':>8}  ratio",
            row("CPU s, whole process", ours.whole_cpu, theirs.whole_cpu, 3, "less", goal),
            row("CPU s, from subscription on", ours.session_cpu, theirs.session_cpu, 3, "less", goal),
            row("notifications per second", rate, their_rate, 0, "more"),
            row("peak memory, MiB", peak, their_peak, 1, "less"),
        ]
    )


async def compare(options: argparse.Namespace) -> int:
    """Lets both accessories take turns."""
    ours = [
        *(options.ancs, "receive", "--json", "--io", "none"),
        *("--attributes", "app,title:256,subtitle:256,message:1024,date"),
    ]
    theirs = [sys.executable, str(INTEROP / "accessory.py")]
    runs: tuple[list[Usage], list[Usage]] = ([], [])
    try:
        for _ in range(options.runs):
            runs[0].append(await measure(ours, options.count))
            runs[1].append(await measure(theirs, options.count))
    except Disappointment as error:
        print(f"end to end: {error}", file=sys.stderr)
        return 1
    print(table(typical(runs[0]), typical(runs[1]), options.count))
    return 0


def main() -> int:
    """Reads the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ancs", default=str(ROOT / ".build/release/ancs"), metavar="PATH")
    parser.add_argument("--count", type=int, default=1000, help="notifications in a run")
    parser.add_argument("--runs", type=int, default=3, help="runs of each accessory")
    return asyncio.run(compare(parser.parse_args()))


if __name__ == "__main__":
    sys.exit(main())
