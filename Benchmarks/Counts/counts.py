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
class Row:
    """A figure."""

    name: str
    run: Callable[[Tool, int], Counted]
    tool: Tool
    lengths: tuple[int, int]
    figure: Figure = each()

    def once(self) -> float:
        """What one of many costs, in one pair of runs."""
        short, long = self.lengths
        counted = self.run(self.tool, long)
        counted.subtract(self.run(self.tool, short))
        cost = self.figure(counted, long - short)
        if cost <= 0:
            raise Disappointment(f"{self.name}: nothing was counted")
        return round(cost, 2)

    def median(self) -> float:
        """What one of many costs."""
        return statistics.median(self.once() for _ in range(RUNS))

    def within(self, limit: float) -> float:
        """The first figure within a limit, or the smallest one that there was."""
        smallest = self.once()
        for _ in range(ATTEMPTS - 1):
            if smallest <= limit:
                break
            smallest = min(smallest, self.once())
        return smallest


def rows(binaries: str) -> list[Row]:
    """What is counted."""
    programs = Programs(binaries)
    return [
        Row("receive: instructions a notification", programs.receive, CALLGRIND, NOTIFICATIONS),
        *(
            Row(f"receive: {name} a notification", programs.receive, CALLS, NOTIFICATIONS, figure)
            for name, figure in {
                "allocations": each("malloc|calloc|realloc|posix_memalign|aligned_alloc"),
                "retains and releases": each(r"swift_(retain|release)(_n)?"),
                "checks of exclusivity": each("swift_beginAccess"),
                "jobs": each(r"swift_job_run\w*"),
                "functions": functions,
            }.items()
        ),
        Row("receive: system calls a notification", programs.receive, STRACE, NOTIFICATIONS),
        Row("phone: instructions a command", programs.phone, CALLGRIND, (0, COMMANDS)),
        Row("phone: system calls a command", programs.phone, STRACE, (0, COMMANDS)),
        Row("codec: instructions a notification", programs.codec("notifications"), CALLGRIND, VALUES),
        Row("codec: instructions an answer", programs.codec("responses"), CALLGRIND, VALUES),
    ]


def show(name: str, figure: float, remark: str = "") -> None:
    """Prints a line of the table."""
    print(f"{name:46}{figure:12,.2f}{remark}", flush=True)


def measure(counted: list[Row]) -> dict[str, float]:
    """All figures."""
    figures = {}
    for row in counted:
        figures[row.name] = row.median()
        show(row.name, figures[row.name])
    return figures


def check(counted: list[Row]) -> list[str]:
    """What costs more than it did, and what nobody recorded."""
    recorded: dict[str, float] = json.loads(RECORD.read_text())
    faults = [f"{name}: not counted" for name in recorded.keys() - {row.name for row in counted}]
    for row in counted:
        if row.name not in recorded:
            faults.append(f"{row.name}: not in {RECORD.name}")
            continue
        limit = recorded[row.name] * (1 + TOLERANCE)
        figure = row.within(limit)
        show(row.name, figure, f" (at most {limit:,.2f})")
        if figure > limit:
            faults.append(f"{row.name}: {figure:,.2f}, and {limit:,.2f} at most")
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
            counted = rows(stripped(options.binaries, directory))
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
