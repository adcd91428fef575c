"""Counts what a notification, a command and a decoded value cost: instructions and calls of the program itself, by
callgrind, and system calls, by strace. Unlike times, they are nearly the same on every machine and under every load.

`counts.py [--check | --record]` prints a table. `--check` fails if a figure is more than 3 % above the recorded one;
`--record` records today's figures in `counts.json`.

A figure is the difference of two runs, divided by what one of them does more of: the start, the pairing and the end
cancel out. The programs are linked as shipped, by `Scripts/release.sh`, and run against the same `load` as in
`Benchmarks/Loop`:
the accessory fetches eight attributes of each notification, one by one, and prints a line of JSON; the phone, whose
notifications were posted before, announces each of them and answers for five attributes, which it does not in its other
run, where its user shares nothing.

Of calls, those are counted that cost most: for memory, to retain and release, to check that an access is exclusive,
and the jobs of tasks. `functions` is how many different ones run for each notification: they share the processor's first
cache of instructions.

Some runs cost more, because the kernel handed over their packets one by one, with a wake-up each. So a figure is the
median of `RUNS`, and one is too high if none of `ATTEMPTS` is within the limit. The accessory, which fetches one by
one, varies by 1 %, the codec not at all; the phone announces all of its notifications at once, and varies by 15 %.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import json
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT / "Benchmarks" / "Phone"), str(ROOT / "Benchmarks" / "Loop")]

from loop import POST  # noqa: E402
from phone import Child, Disappointment  # noqa: E402

RECORD = HERE / "counts.json"
TOLERANCE = 0.03
RUNS = 5
ATTEMPTS = 10
NOTIFICATIONS = (100, 400)
"""The lengths of the two runs of a figure."""
COMMANDS = 300
VALUES = (10_000, 110_000)

Counted = collections.Counter[str]
"""What was counted, by its name."""


@dataclasses.dataclass(frozen=True)
class Tool:
    """Counts what another command does."""

    command: Callable[[str], list[str]]
    """What stands before the other command; it writes to this file."""
    read: Callable[[str], Counted]
    """Reads that file."""


def instructions(output: str) -> Counted:
    """Of a log of callgrind."""
    found = re.search(r"Collected : (\d+)", pathlib.Path(output).read_text())
    return Counted(instructions=int(found.group(1)) if found else 0)


def calls(output: str) -> Counted:
    """How often each function was called, of a profile of callgrind, which says a name only once."""
    names: dict[str, str] = {}
    counted = Counted()
    callee = ""
    for line in pathlib.Path(output).read_text().splitlines():
        if found := re.match(r"c?fn=\((\d+)\)(?: (.*))?", line):
            # What follows the apostrophe tells recursive calls apart.
            callee = names.setdefault(found.group(1), (found.group(2) or "").split("'")[0])
        elif line.startswith("calls="):
            counted[callee] += int(line.removeprefix("calls=").split()[0])
    return counted


def system_calls(output: str) -> Counted:
    """Of a summary of strace."""
    lines = re.findall(r"^(\w+)\s+(\d+)\s*$", pathlib.Path(output).read_text(), re.MULTILINE)
    return Counted({name: int(count) for name, count in lines if name != "total"})


VALGRIND = ["valgrind", "--tool=callgrind"]
# A log that is not standard error, which the programs use.
CALLGRIND = Tool(
    lambda output: [*VALGRIND, "--callgrind-out-file=/dev/null", f"--log-file={output}"], instructions
)
CALLS = Tool(lambda output: [*VALGRIND, f"--callgrind-out-file={output}", "--log-file=/dev/null"], calls)
# Of all threads.
STRACE = Tool(lambda output: ["strace", "-f", "-c", "-U", "name,calls", "-o", output], system_calls)

Figure = Callable[[Counted, int], float]
"""A figure, of what was counted for a number of notifications."""


def each(names: str = ".*") -> Figure:
    """How much of what has one of these names."""

    def figure(counted: Counted, number: int) -> float:
        return sum(count for name, count in counted.items() if re.fullmatch(names, name)) / number

    return figure


def functions(counted: Counted, number: int) -> float:
    """How many functions run at least every other time."""
    return sum(2 * count >= number for count in counted.values())


def stripped(binaries: str, directory: str) -> str:
    """Copies of the programs without what debuggers read: valgrind of Debian 12 (3.19) ends at Swift's DWARF 5."""
    for name in ("ancs", "load", "codec-benchmark"):
        subprocess.run(["strip", "-g", "-o", f"{directory}/{name}", f"{binaries}/{name}"], check=True)
    return directory


class Programs:
    """The programs that are counted, each of them one run after the other."""

    def __init__(self, binaries: str) -> None:
        self.binaries = binaries

    def receive(self, tool: Tool, count: int) -> Counted:
        """`ancs receive`, which fetches this many notifications."""
        with tempfile.TemporaryDirectory(prefix="ancs-counts-") as directory:
            place, output = f"{directory}/controller", f"{directory}/count"
            load = Child(
                [f"{self.binaries}/load", "accessory", place, str(count)],
                directory,
                stdout=subprocess.PIPE,
            )
            load.await_line("LISTENING")
            ours = Child(
                [
                    *tool.command(output),
                    *(f"{self.binaries}/ancs", "receive", "--json", "--io", "none"),
                    *("--count", str(count), "--hci", f"serial:{place}"),
                    *("--state", f"{directory}/state"),
                ],
                directory,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
            )
            with Ending(load, ours):
                reader = ours.drain()
                load.await_line("SUBSCRIBED")
                load.await_figures("DONE")
                ours.finish()
                reader.join()
                load.finish()
            return tool.read(output)

    def phone(self, tool: Tool, count: int) -> Counted:
        """`ancs phone` with notifications, which answers a command for each of them, or no command."""
        with tempfile.TemporaryDirectory(prefix="ancs-counts-") as directory:
            place, output = f"{directory}/phone.hci", f"{directory}/count"
            load = Child(
                [f"{self.binaries}/load", "phone", place, "1", str(COMMANDS)],
                directory,
                stdout=subprocess.PIPE,
            )
            load.await_line("LISTENING")
            ours = Child(
                [
                    *tool.command(output),
                    *(f"{self.binaries}/ancs", "phone", "--no-consent", "--hci", f"unix:{place}"),
                ],
                directory,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
            with Ending(load, ours):
                for number in range(COMMANDS):
                    ours.write(POST.format(title=f"Friend {number}"))
                    ours.await_text(f"Friend {number}")
                load.await_line("SUBSCRIBED")
                reader = ours.drain()
                if count > 0:
                    ours.write("consent on\n")
                    load.await_line("DONE")
                ours.write("quit\n")
                ours.finish()
                reader.join()
            return tool.read(output)

    def codec(self, what: str) -> Callable[[Tool, int], Counted]:
        """`codec-benchmark`, which decodes this many values."""

        def run(tool: Tool, count: int) -> Counted:
            with tempfile.TemporaryDirectory(prefix="ancs-counts-") as directory:
                output = f"{directory}/count"
                command = [*tool.command(output), f"{self.binaries}/codec-benchmark", what, str(count)]
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
                return tool.read(output)

        return run


class Ending:
    """Ends the processes of a run, and says what they said if it failed."""

    def __init__(self, *children: Child) -> None:
        self.children = children

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        running = [child for child in self.children if child.process.poll() is None]
        for child in running:
            child.process.send_signal(signal.SIGTERM)
        reports = [f"{child.name}: {child.close()}" for child in self.children]
        if error is not None:
            raise Disappointment("\n".join([str(error), *reports]))


@dataclasses.dataclass(frozen=True)
class Pair:
    """A pair of runs, and the figures that it has, by their names."""

    run: Callable[[Tool, int], Counted]
    tool: Tool
    lengths: tuple[int, int]
    figures: dict[str, Figure]

    def once(self) -> dict[str, float]:
        """What one of many costs."""
        short, long = self.lengths
        counted = self.run(self.tool, long)
        counted.subtract(self.run(self.tool, short))
        costs = {name: round(figure(counted, long - short), 2) for name, figure in self.figures.items()}
        for name, cost in costs.items():
            if cost <= 0:
                raise Disappointment(f"{name}: nothing was counted")
        return costs

    def median(self) -> dict[str, float]:
        """What one of many costs."""
        costs = [self.once() for _ in range(RUNS)]
        return {name: statistics.median(cost[name] for cost in costs) for name in self.figures}

    def within(self, limits: dict[str, float]) -> dict[str, float]:
        """The smallest figures, of as many runs as it takes to be within the limits."""
        smallest = self.once()
        for _ in range(ATTEMPTS - 1):
            if all(smallest[name] <= limit for name, limit in limits.items()):
                break
            again = self.once()
            smallest = {name: min(cost, again[name]) for name, cost in smallest.items()}
        return smallest


def pairs(binaries: str) -> list[Pair]:
    """What is counted."""
    programs = Programs(binaries)
    receive, phone = programs.receive, programs.phone
    notifications, values = programs.codec("notifications"), programs.codec("responses")
    return [
        Pair(receive, CALLGRIND, NOTIFICATIONS, {"receive: instructions a notification": each()}),
        Pair(
            receive,
            CALLS,
            NOTIFICATIONS,
            {
                f"receive: {name} a notification": figure
                for name, figure in {
                    "allocations": each("malloc|calloc|realloc|posix_memalign|aligned_alloc"),
                    "retains and releases": each(r"swift_(retain|release)(_n)?"),
                    "checks of exclusivity": each("swift_beginAccess"),
                    "jobs": each(r"swift_job_run\w*"),
                    "functions": functions,
                }.items()
            },
        ),
        Pair(receive, STRACE, NOTIFICATIONS, {"receive: system calls a notification": each()}),
        Pair(phone, CALLGRIND, (0, COMMANDS), {"phone: instructions a command": each()}),
        Pair(phone, STRACE, (0, COMMANDS), {"phone: system calls a command": each()}),
        Pair(notifications, CALLGRIND, VALUES, {"codec: instructions a notification": each()}),
        Pair(values, CALLGRIND, VALUES, {"codec: instructions an answer": each()}),
    ]


def show(name: str, figure: float, remark: str = "") -> None:
    """Prints a line of the table."""
    print(f"{name:46}{figure:12,.2f}{remark}", flush=True)


def measure(counted: list[Pair]) -> dict[str, float]:
    """All figures."""
    figures: dict[str, float] = {}
    for pair in counted:
        for name, figure in pair.median().items():
            figures[name] = figure
            show(name, figure)
    return figures


def check(counted: list[Pair]) -> list[str]:
    """What costs more than it did, and what nobody recorded."""
    recorded: dict[str, float] = json.loads(RECORD.read_text())
    names = {name for pair in counted for name in pair.figures}
    faults = [f"{name}: not counted" for name in recorded.keys() - names]
    faults += [f"{name}: not in {RECORD.name}" for name in names - recorded.keys()]
    if faults:
        return faults
    for pair in counted:
        limits = {name: recorded[name] * (1 + TOLERANCE) for name in pair.figures}
        for name, figure in pair.within(limits).items():
            show(name, figure, f" (at most {limits[name]:,.2f})")
            if figure > limits[name]:
                faults.append(f"{name}: {figure:,.2f}, and {limits[name]:,.2f} at most")
    return faults


def main() -> int:
    """Reads the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--binaries", default=str(ROOT / ".build-release/release"), metavar="DIRECTORY")
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--check", action="store_true", help="fail if a figure has grown by more than 3 %%")
    group.add_argument("--record", action="store_true", help=f"write {RECORD.name}")
    options = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory(prefix="ancs-counts-") as directory:
            counted = pairs(stripped(options.binaries, directory))
            faults = check(counted) if options.check else []
            figures = {} if options.check else measure(counted)
    except (Disappointment, OSError, subprocess.SubprocessError) as error:
        print(f"counts: {error}", file=sys.stderr)
        return 1
    if options.record:
        RECORD.write_text(json.dumps(figures, indent=2) + "\n")
    for fault in faults:
        print(f"counts: {fault}", file=sys.stderr)
    if faults:
        print("If that is meant, record it: Scripts/check-counts.sh --record", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
